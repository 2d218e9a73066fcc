"""Who is in a class, as learning systems write it, and whom a submission's name means."""

import pytest

from course_staff.classroom.intake.roster import RosterError, read_roster

MOODLE = '﻿First name,Surname,"ID number","Email address",Groups\n'
ADA = "Ada,Lovelace,4711,ada@uni.example,A\n"


def roster(tmp_path, text):
    path = tmp_path / "class.csv"
    path.write_text(text, encoding="utf-8")
    return read_roster(path)


@pytest.mark.parametrize(
    "text",
    [
        MOODLE + ADA,
        'Student,ID,"SIS Login ID",Section,email\n"Lovelace, Ada",4711,x,A,ada@uni.example\n',
        "name;id;e-mail;group\nAda Lovelace;4711;ada@uni.example;A\n",
        "Last Name\tFirst Name\tUsername\tEmail\tGroup\nLovelace\tAda\t4711\tada@uni.example\tA\n",
    ],
    ids=["Moodle", "Canvas", "plain", "Blackboard"],
)
def test_exports_of_learning_systems_are_read(tmp_path, text):
    (ada,) = roster(tmp_path, text).members
    assert (ada.id, ada.email, ada.group) == ("4711", "ada@uni.example", "A")
    assert sorted(ada.name.replace(",", "").split()) == ["Ada", "Lovelace"]


@pytest.mark.parametrize(
    "student", ["Ada Lovelace", "ada-lovelace", "lovelaceada", "4711", "ada", "ADA@uni.example"]
)
def test_a_submission_may_call_a_student_in_several_ways(tmp_path, student):
    members = roster(tmp_path, MOODLE + ADA + "Zoë,Å,4712,zoe@uni.example,B\n")
    assert members.member(student).id == "4711"
    assert members.member("Zoë Å").id == "4712"


def test_every_id_of_a_learning_system_is_one_by_which_it_is_known(tmp_path):
    members = roster(
        tmp_path,
        "Student,ID,SIS User ID,SIS Login ID,Section\n"
        "    Points Possible,,,,\n"
        '"Kim, A",11,sis-1,kim1,A\n"Kim, A",12,sis-2,kim2,A\n',
    )
    assert [member.id for member in members.members] == ["11", "12"]
    for name in ("11", "sis-1", "kim1", "kima (11)"):
        assert members.member(name).id == "11"


def test_blackboards_utf16_is_read(tmp_path):
    (tmp_path / "bb.xls").write_bytes(
        "Last Name\tFirst Name\tUsername\nBö\tZoë\tzb\n".encode("utf-16")
    )
    (zoe,) = read_roster(tmp_path / "bb.xls").members
    assert (zoe.name, zoe.id) == ("Zoë Bö", "zb")


def test_nobody_is_guessed(tmp_path):
    members = roster(tmp_path, MOODLE + ADA + "Ada,Lovelace,4712,al@uni.example,B\n")
    assert members.member("Ada Lovelace") is None  # there are two
    assert members.member("al").id == "4712"
    assert members.member("eve") is None and members.member("") is None


def test_moodles_grading_worksheet_tells_namesakes_apart(tmp_path):
    worksheet = (
        "Identifier,Full name,Email address,Status,Grade\n"
        "Participant 110,Kim Lee,kim1@uni.example,Submitted,\n"
        "Participant 111,Kim Lee,kim2@uni.example,Submitted,\n"
    )
    members = roster(tmp_path, worksheet)
    assert members.member("Kim Lee (111)").email == "kim2@uni.example"
    assert members.member("Kim Lee") is None


def test_a_gradebook_with_the_numbers_of_a_download_tells_namesakes_apart(tmp_path):
    members = roster(
        tmp_path,
        "First name,Last name,ID number,Email address,Identifier\n"
        "Kim,Lee,4711,kim1@uni.example,110\n"
        "Kim,Lee,4712,kim2@uni.example,Participant 111\n"
        "Ada,B,4713,ada@uni.example,\n",
    )
    assert members.member("Kim Lee (110)").id == "4711"
    assert members.member("Kim Lee (111)") is members.member("4712")
    assert members.member("Ada B").id == "4713" and members.member("Kim Lee") is None


def test_namesakes_are_all_named_with_what_to_do(tmp_path):
    members = roster(tmp_path, MOODLE + ADA + "Ada,Lovelace,4712,al@uni.example,B\n")
    for student in ("Ada Lovelace", "Ada Lovelace (98765)"):
        assert members.why_unknown(student) == (
            f"{student} may be any of these students on the roster: Ada Lovelace (4711), Ada "
            "Lovelace (4712). In Moodle's downloads, a number follows the name. Add an "
            "`Identifier` column to the roster, and write these students' numbers into it. Or use "
            "Moodle's grading worksheet, which contains the numbers, as the roster. Then grade "
            "again."
        )
    assert members.why_unknown("Ada Lovelace (4712)") == ""
    assert members.why_unknown("eve (1)").startswith("Not on the roster: eve (1). ")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (MOODLE + ADA + "Bob,B,4711,b@uni.example,A\n", "have the same id, 4711"),
        (MOODLE + ADA + "Bob,B,1,ADA@uni.example,A\n", "have the same email"),
        ("points,grade\n1,2\n", "lists no students"),
        ("", "contains nothing"),
    ],
)
def test_what_is_no_roster_is_refused_with_a_reason(tmp_path, text, reason):
    with pytest.raises(RosterError, match=reason):
        roster(tmp_path, text)


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(RosterError, match="cannot be read"):
        read_roster(tmp_path / "none.csv")
    (tmp_path / "latin.csv").write_bytes("name\nZo\xeb\n".encode("latin-1"))
    with pytest.raises(RosterError, match="neither UTF-8"):
        read_roster(tmp_path / "latin.csv")

"""Finding submissions: every layout, and everything that stands where a notebook should."""

import json
import os
import unicodedata
import zipfile
from itertools import product
from pathlib import PurePath

import pytest
from handed_in import find_submissions, given

from course_staff.classroom.intake import walking
from course_staff.classroom.intake.files import UnreadableFile
from course_staff.classroom.intake.roster import Member, Roster
from course_staff.classroom.intake.submissions import read_data


def put(path, data=b"{}", time=1_000_000):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (time, time))
    return path


def found(folder):
    result = find_submissions(folder)
    return {(s.student, s.lesson, s.place) for s in result.submissions}


def test_the_three_layouts_also_mixed(tmp_path):
    put(tmp_path / "ada" / "01_first_tape" / "01_first_tape.ipynb")
    put(tmp_path / "bob" / "00_start_here.ipynb")
    put(tmp_path / "cyd_01_first_tape.ipynb")
    assert found(tmp_path) == {
        ("ada", "01", "ada/01_first_tape/01_first_tape.ipynb"),
        ("bob", "00", "bob/00_start_here.ipynb"),
        ("cyd", "01", "cyd_01_first_tape.ipynb"),
    }
    assert find_submissions(tmp_path).layouts == {
        "student/lesson/lesson.ipynb": 1,
        "student/...": 1,
        "student_lesson.ipynb": 1,
    }


@pytest.mark.parametrize(
    ("place", "student", "lesson"),
    [
        ("Zoë Å. O'Neill/01_first_tape.ipynb", "Zoë Å. O'Neill", "01"),
        ("anna maria_01_first_tape (2).ipynb", "anna maria", "01"),
        ("anna-01-First-Tape-Copy1.ipynb", "anna", "01"),
        ("eve/notebooks/00_start_here.ipynb", "eve", "00"),
        ("eve/01_first_tape/my work.ipynb", "eve", "01"),
        ("=cmd|' calc'!A0_00_start_here.ipynb", "=cmd|' calc'!A0", "00"),
        ("DL Lesson 01-44/Zoë Bö_1234_assignsubmission_file_/01_first_tape.ipynb", "Zoë Bö", "01"),
        ("Zoë Bö_1234_assignsubmission_file_01_first_tape.ipynb", "Zoë Bö", "01"),
        ("okaforchidi_48211_993311_01_first_tape-1.ipynb", "okaforchidi", "01"),
        ("okaforchidi_LATE_48211_993311_01_first_tape.ipynb", "okaforchidi", "01"),
        ("anon_aB3xY_993311_01_first_tape.ipynb", "anon_aB3xY", "01"),
        ("LATE_anon_aB3xY_993311_01_first_tape.ipynb", "anon_aB3xY", "01"),
        ("Lesson 01_s9912_attempt_2026-11-20-10-10-10_01_first_tape.ipynb", "s9912", "01"),
        ("01_first_tape_anna.ipynb", "anna", "01"),
        ("01_first_tape/anna.ipynb", "anna", "01"),
        ("01_first_tape/anna_01_first_tape.ipynb", "anna", "01"),
        ("01-First-Tape/anna/01_first_tape.ipynb", "anna", "01"),
        ("eve/01_first_tape.IPYNB", "eve", "01"),
    ],
)
def test_names(tmp_path, place, student, lesson):
    put(tmp_path / place)
    assert found(tmp_path) == {(student, lesson, place)}


@pytest.mark.parametrize("copy", ["", " (1)", "-Copy1", " copy 2", " - Copy (2)"])
def test_a_notebook_that_names_no_student_is_that_of_the_folder(tmp_path, copy):
    for folder in ("ada", "bob/01_first_tape"):
        put(tmp_path / folder / f"01_first_tape{copy}.ipynb")
    assert {s for s, *_ in found(tmp_path / "ada")} == {"ada"}
    assert {s for s, *_ in found(tmp_path / "bob")} == {"bob"}


def test_a_notebook_with_another_name_is_known_by_its_exercises(tmp_path):
    put(tmp_path / "ada" / "homework.ipynb", given("01"))
    put(tmp_path / "bob.ipynb", given("00"))
    put(tmp_path / "dan_01.ipynb", given("01"))
    put(tmp_path / "eva-lesson 1.ipynb", given("01"))
    put(tmp_path / "s200-10.ipynb", given("01"))
    cell = {"cell_type": "code", "metadata": {"exercise": "01.3"}, "source": ""}
    put(tmp_path / "cyd" / "x.ipynb", json.dumps({"cells": [cell]}).encode())
    students = {(student, lesson) for student, lesson, _ in found(tmp_path)}
    assert students == {
        ("ada", "01"), ("bob", "00"), ("cyd", "01"),
        ("dan", "01"), ("eva", "01"), ("s200-10", "01"),
    }  # fmt: skip


def test_what_a_notebook_holds_says_more_than_its_name(tmp_path):
    put(tmp_path / "ada" / "00_start_here.ipynb", given("01"))
    put(tmp_path / "bob_00_start_here.ipynb", given("01"))
    students = {(student, lesson) for student, lesson, _ in found(tmp_path)}
    assert students == {("ada", "01"), ("bob", "01")}


def test_of_two_copies_of_one_time_the_higher_number_counts(tmp_path):
    for name in ("01_first_tape", "01_first_tape (2)", "01_first_tape-1", "01_first_tape copy"):
        put(tmp_path / "ada" / f"{name}.ipynb", name.encode())
    counting = [s.path.stem for s in find_submissions(tmp_path).submissions if s.counts]
    assert counting == ["01_first_tape (2)"]


def test_a_folder_that_may_hold_students_is_named(tmp_path):
    for student in ("chloe", "gina"):
        put(tmp_path / "week 1" / student / "01_first_tape.ipynb")
    put(tmp_path / "week 2" / "ben_01_first_tape.ipynb")
    put(tmp_path / "week 2" / "eva_01_first_tape.ipynb")
    # A student's own folders and copies:
    put(tmp_path / "ada" / "00_start_here" / "00_start_here.ipynb")
    put(tmp_path / "ada" / "01_first_tape" / "01_first_tape.ipynb")
    put(tmp_path / "ada" / "01_first_tape.ipynb")
    put(tmp_path / "ada" / "01_first_tape (1).ipynb")
    crowded = find_submissions(tmp_path).crowded
    assert crowded == {"week 1": ["chloe", "gina"], "week 2": ["ben", "eva"]}


def test_a_folder_in_which_nothing_is_is_listed(tmp_path):
    put(tmp_path / "ada" / "01_first_tape.ipynb")
    (tmp_path / "bob").mkdir()
    assert find_submissions(tmp_path).other_files == ["bob (empty)"]


def test_what_belongs_to_no_lesson_is_listed(tmp_path):
    put(tmp_path / "ada" / "poem.ipynb")
    put(tmp_path / "ada" / "99_nothing.ipynb")
    put(tmp_path / "ada" / "notes.txt")
    result = find_submissions(tmp_path)
    assert not result.submissions
    assert sorted(result.unrecognised) == ["ada/99_nothing.ipynb", "ada/poem.ipynb"]
    assert result.other_files == ["ada/notes.txt"]


def test_what_is_no_notebook_and_what_is_not_followed_is_listed(tmp_path):
    put(tmp_path / "class" / "ada" / "01_first_tape.ipynb.txt")
    put(tmp_path / "class" / "bob" / "01_first_tape.rar")
    put(tmp_path / "elsewhere" / "01_first_tape.ipynb")
    (tmp_path / "class" / "cyd").symlink_to(tmp_path / "elsewhere")
    result = find_submissions(tmp_path / "class")
    assert not result.submissions and not result.unrecognised
    assert sorted(result.other_files) == [
        "ada/01_first_tape.ipynb.txt", "bob/01_first_tape.rar", "cyd",
    ]  # fmt: skip


def test_a_course_folder_of_nbgrader_is_entered(tmp_path):
    put(tmp_path / "submitted" / "ada" / "01_first_tape" / "01_first_tape.ipynb")
    put(tmp_path / "release" / "01_first_tape" / "01_first_tape.ipynb")
    assert {s for s, *_ in found(tmp_path)} == {"ada"}


def test_checkpoints_hidden_files_and_the_results_are_not_submissions(tmp_path):
    put(tmp_path / "ada" / ".ipynb_checkpoints" / "01_first_tape-checkpoint.ipynb")
    put(tmp_path / "__MACOSX" / "ada" / "01_first_tape.ipynb")
    put(tmp_path / "ada" / "._01_first_tape.ipynb")
    put(tmp_path / "results" / "ada" / "01_first_tape.ipynb")
    assert not find_submissions(tmp_path, tmp_path / "results").submissions


def test_the_newest_counts_and_both_are_listed(tmp_path):
    put(tmp_path / "ada" / "01_first_tape.ipynb", b"second", time=2_000)
    put(tmp_path / "ada" / "01_first_tape (1).ipynb", b"third", time=3_000)
    put(tmp_path / "ada" / "01_first_tape" / "01_first_tape.ipynb", b"first", time=1_000)
    listed = {s.place: s.counts for s in find_submissions(tmp_path).submissions}
    assert listed == {
        "ada/01_first_tape.ipynb": False,
        "ada/01_first_tape (1).ipynb": True,
        "ada/01_first_tape/01_first_tape.ipynb": False,
    }


def test_nbgraders_time_stamp_counts_more_than_the_files(tmp_path):
    first = put(tmp_path / "ada" / "01_first_tape" / "01_first_tape.ipynb", time=9_000)
    put(first.with_name("timestamp.txt"), b"1970-01-01 01:00:00.5 UTC\n")
    second = put(tmp_path / "ada" / "01_first_tape.ipynb", b"changed", time=5_000)
    counting = [s.path for s in find_submissions(tmp_path).submissions if s.counts]
    assert counting == [second]


@pytest.mark.parametrize("stamp", [b"0001-01-01 00:00:00+14:00", b"soon", b"\xff", None])
def test_a_time_stamp_that_says_no_time_is_passed_over(tmp_path, stamp):
    path = put(tmp_path / "ada" / "01_first_tape.ipynb", time=9_000)
    if stamp is None:
        os.mkfifo(path.with_name("timestamp.txt"))
    else:
        put(path.with_name("timestamp.txt"), stamp)
    (one,) = find_submissions(tmp_path).submissions
    assert one.when == "1970-01-01 02:30:00 UTC"


def test_one_name_in_two_encodings_is_one_student(tmp_path):
    composed, decomposed = (unicodedata.normalize(form, "Zoë") for form in ("NFC", "NFD"))
    put(tmp_path / composed / "01_first_tape.ipynb")
    put(tmp_path / decomposed / "00_start_here.ipynb")
    assert {student for student, *_ in found(tmp_path)} == {composed}


def test_folders_in_place_of_notebooks_are_submissions(tmp_path):
    (tmp_path / "ada" / "01_first_tape.ipynb").mkdir(parents=True)
    (tmp_path / "bob" / "01_first_tape").mkdir(parents=True)
    submissions = find_submissions(tmp_path).submissions
    assert {s.student for s in submissions} == {"ada", "bob"}
    for one in submissions:
        with pytest.raises(UnreadableFile, match="folder without a notebook"):
            read_data(one, 64)


def troubles(folder):
    """Return what is said of each submission that cannot be read."""
    said = {}
    for one in find_submissions(folder).submissions:
        try:
            read_data(one, 64)
        except UnreadableFile as error:
            said[one.place] = str(error)
    return said


def test_links_pipes_and_large_files_are_unreadable(tmp_path):
    folder = tmp_path / "submissions"
    outside = put(tmp_path / "solutions" / "01_first_tape.ipynb", given("01"))
    other = put(folder / "ada" / "01_first_tape.ipynb", given("01"))
    for student in ("bob", "cyd", "dan", "eve", "fay", "gil", "hal"):
        (folder / student).mkdir()
    (folder / "bob" / "01_first_tape.ipynb").symlink_to(outside)
    (folder / "cyd" / "01_first_tape.ipynb").symlink_to(other)
    (folder / "dan" / "01_first_tape.ipynb").symlink_to("01_first_tape.ipynb")
    (folder / "eve" / "01_first_tape.ipynb").hardlink_to(put(tmp_path / "elsewhere"))
    os.mkfifo(folder / "fay" / "01_first_tape.ipynb")
    with open(folder / "gil" / "01_first_tape.ipynb", "wb") as file:
        file.truncate(200 << 20)
    (folder / "hal" / "01_first_tape").symlink_to(other.parent)
    said = troubles(folder)
    for student, words in [
        ("bob", "symbolic"), ("cyd", "symbolic"), ("dan", "symbolic"), ("eve", "a hard link"),
        ("fay", "not a regular file"), ("gil", "200 MB"),
    ]:  # fmt: skip
        assert words in said.pop(f"{student}/01_first_tape.ipynb")
    assert said == {"hal/01_first_tape": "This is a symbolic link. Hand in the file itself."}


def test_a_pipe_in_which_somebody_writes_is_unreadable(tmp_path):
    pipe = tmp_path / "ada" / "01_first_tape.ipynb"
    pipe.parent.mkdir()
    for path in (pipe, pipe.with_name("timestamp.txt")):
        os.mkfifo(path)
    open_ends = [os.open(path, os.O_RDWR) for path in (pipe, pipe.with_name("timestamp.txt"))]
    assert "not a regular file" in troubles(tmp_path)["ada/01_first_tape.ipynb"]
    for end in open_ends:
        os.close(end)


def test_a_folder_that_cannot_be_looked_into_stops_nobody(tmp_path, monkeypatch):
    put(tmp_path / "ada" / "01_first_tape.ipynb")
    put(tmp_path / "bob" / "01_first_tape" / "x" / "01_first_tape.ipynb")
    put(tmp_path / "cyd" / "closed" / "work.ipynb")
    tmp_path.joinpath("dan", "01_first_tape", *["deeper"] * 40).mkdir(parents=True)
    real = os.scandir

    def scandir(path):
        if path in (tmp_path / "bob" / "01_first_tape" / "x", tmp_path / "cyd" / "closed"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(walking.os, "scandir", scandir)
    found, said = find_submissions(tmp_path), troubles(tmp_path)
    assert {s.student for s in found.submissions} == {"ada", "bob", "dan"}
    assert (
        said["bob/01_first_tape/x"]
        == "This folder cannot be read: Permission denied. Check its permissions."
    )
    assert found.unrecognised == [
        "cyd/closed (This folder cannot be read: Permission denied. Check its permissions.)"
    ]
    (place,) = [place for place in said if place.startswith("dan")]
    assert said[place] == "The folders are nested more than 20 levels deep. Move this folder up."


def test_notebooks_that_programs_hide_are_named(tmp_path):
    put(tmp_path / "ada" / ".01_first_tape.ipynb")
    put(tmp_path / "bob" / ".ipynb_checkpoints" / "01_first_tape-checkpoint.ipynb")
    put(tmp_path / ".cyd" / "01_first_tape.ipynb")
    put(tmp_path / "dan" / "01_first_tape.ipynb")  # of these everybody has some
    put(tmp_path / "dan" / ".ipynb_checkpoints" / "01_first_tape-checkpoint.ipynb")
    put(tmp_path / "__MACOSX" / "dan" / "._01_first_tape.ipynb")
    found = find_submissions(tmp_path)
    assert [s.student for s in found.submissions] == ["dan"]
    assert sorted(found.other_files) == [
        ".cyd/01_first_tape.ipynb (hidden)",
        "ada/.01_first_tape.ipynb (hidden)",
        "bob/.ipynb_checkpoints/01_first_tape-checkpoint.ipynb (hidden)",
    ]


# Whose it is -------------------------------------------------------------------------------------


MOODLE = "{}_{}_assignsubmission_file_/01_first_tape.ipynb"


@pytest.mark.parametrize(
    ("honest", "claim"),
    [
        (["ada/01_first_tape.ipynb"], "bob/ada_1234_assignsubmission_file_01_first_tape.ipynb"),
        (["ada/01_first_tape.ipynb"], "bob/ada_1234_assignsubmission_file_/01_first_tape.ipynb"),
        (["ada/01_first_tape.ipynb"], "bob/ada_48211_993311_01_first_tape.ipynb"),
        (["ada/01_first_tape.ipynb"], "bob/ada_01_first_tape.ipynb"),
        (["ada/01_first_tape.ipynb"], "bob/01_first_tape_ada.ipynb"),
        (["ada/01_first_tape.ipynb"], "bob/ada/01_first_tape.ipynb"),
        (
            [MOODLE.format("ada", 1)],
            "bob_2_assignsubmission_file_ada_1_assignsubmission_file_01_first_tape.ipynb",
        ),
        (
            [MOODLE.format("ada", 1)],
            "bob_2_assignsubmission_file_/ada_1_assignsubmission_file_01_first_tape.ipynb",
        ),
        (
            [
                "L_ada_attempt_2026-11-20-10-10-10_01_first_tape.ipynb",
                "L_eve_attempt_2026-11-20-10-10-10_01_first_tape.ipynb",
            ],
            "L_bob_attempt_2026-11-20-10-10-10_L_ada_attempt_2026-11-21_01_first_tape.ipynb",
        ),
        (
            ["ada_48211_993311_01_first_tape.ipynb", "eve_48212_993312_01_first_tape.ipynb"],
            "bob_48213_993313_ada_1_assignsubmission_file_01_first_tape.ipynb",
        ),
    ],
)
def test_a_name_that_contradicts_its_folder_is_said_and_changes_nobody(tmp_path, honest, claim):
    for place in honest:
        put(tmp_path / place, time=1_000)
    put(tmp_path / claim, time=2_000)
    found = find_submissions(tmp_path)
    counting = {(s.student, s.place) for s in found.submissions if s.counts}
    assert ("ada", honest[0]) in counting and ("bob", claim) in counting
    (said,) = found.contradictions
    assert said.startswith(claim) and "named after ada, but came from bob" in said


@pytest.mark.parametrize(
    ("usual", "claim"),
    [
        ("{}/01_first_tape.ipynb", "ada_01_first_tape.ipynb"),
        ("{}_01_first_tape.ipynb", "ada/01_first_tape.ipynb"),
        ("{}_01_first_tape.ipynb", "01_first_tape_ada.ipynb"),
        (MOODLE.format("{}", 7), "ada/01_first_tape.ipynb"),
    ],
)
def test_a_second_way_of_naming_a_student_replaces_nothing(tmp_path, usual, claim):
    for student in ("ada", "bob"):
        put(tmp_path / usual.format(student), time=1_000)
    put(tmp_path / claim, time=2_000)
    found = find_submissions(tmp_path)
    assert {(s.student, s.place) for s in found.submissions} == {
        (student, usual.format(student)) for student in ("ada", "bob")
    }
    (said,) = found.contradictions
    assert said.startswith(claim) and "was not graded" in said


def test_a_folder_that_the_teacher_renamed_in_a_download_is_a_student(tmp_path):
    for number in (1, 2, 3, 4):
        put(tmp_path / "week1" / MOODLE.format(f"s{number}", number))
    put(tmp_path / "week1" / "M9110" / "01_first_tape.ipynb")
    found = find_submissions(tmp_path)
    assert {s.student for s in found.submissions} == {"s1", "s2", "s3", "s4", "M9110"}
    assert not found.contradictions


def test_students_cannot_name_the_content_of_their_folders_into_a_download(tmp_path):
    for student in ("ada", "bob"):
        put(tmp_path / student / "01_first_tape.ipynb")
    for number in (1, 2, 3, 4):
        put(tmp_path / "eve" / MOODLE.format("ada", number))
    found = find_submissions(tmp_path)
    assert {s.student for s in found.submissions} == {"ada", "bob", "eve"}


HAND_IN = "{}_gradienttape_2026-11-20-10-10-10.zip"


def zipped(path, *places):
    """Write a zip with a notebook of lesson 01 at each place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for place in places:
            archive.writestr(place, given("01"))


def download(path, *students):
    zipped(path, *(MOODLE.format(student, 7 + n) for n, student in enumerate(students)))


def hand_in(path):
    zipped(path, "01_first_tape.ipynb")


def test_a_download_may_be_beside_hand_ins_and_other_folders(tmp_path):
    download(tmp_path / "GT1-Course work-55.zip", "Bo", "Cy", "Di")
    hand_in(tmp_path / HAND_IN.format("ada"))
    put(tmp_path / "Eve Young" / "01_first_tape.ipynb")
    hand_in(tmp_path / "fay.zip")
    found = find_submissions(tmp_path)
    assert {s.student for s in found.submissions} == {"Bo", "Cy", "Di", "ada", "Eve Young", "fay"}
    assert not found.crowded and not found.contradictions


def test_a_hand_in_may_be_among_the_folders_of_a_download(tmp_path):
    for number, student in enumerate(("Bo", "Cy", "Di")):
        put(tmp_path / MOODLE.format(student, number))
    hand_in(tmp_path / HAND_IN.format("ada"))
    hand_in(tmp_path / HAND_IN.format("Bo").replace("2026-11-20", "2026-11-21"))
    found = find_submissions(tmp_path)
    assert {s.student for s in found.submissions} == {"Bo", "Cy", "Di", "ada"}
    assert len(found.contradictions) == 1  # Bo's hand-in: anybody could name a zip like this


def test_a_later_download_may_be_beside_the_folders_of_the_first(tmp_path):
    for number, student in enumerate(("Bo", "Cy", "Di")):
        put(tmp_path / MOODLE.format(student, 7 + number))
    put(tmp_path / "ada" / "01_first_tape.ipynb")
    download(tmp_path / "GT1-Course work-55 (2).zip", "Bo", "Cy")
    found = find_submissions(tmp_path)
    assert {s.student for s in found.submissions} == {"Bo", "Cy", "Di", "ada"}
    newest = {s.place for s in found.submissions if s.counts and s.student == "Bo"}
    assert all("(2)" in place for place in newest) and len(newest) == 1
    assert not found.crowded and not found.contradictions


@pytest.mark.parametrize("student", ["ada", "ada.zip"])
def test_an_archive_that_names_a_student_beside_it_is_no_download(tmp_path, student):
    if student == "ada":
        put(tmp_path / "ada" / "01_first_tape.ipynb")
    else:
        hand_in(tmp_path / "ada.zip")
    download(tmp_path / "eve.zip", "ada", "Bo", "Cy", "Di")
    found = find_submissions(tmp_path)
    assert {s.student for s in found.submissions} == {"ada", "eve"}
    assert found.crowded


def test_two_students_of_one_name_are_two(tmp_path):
    for number in (1, 2):
        put(tmp_path / MOODLE.format("Kim", number))
    found = find_submissions(tmp_path)
    assert {(s.student, s.counts) for s in found.submissions} == {
        ("Kim (1)", True),
        ("Kim (2)", True),
    }
    assert not found.contradictions and found.notes == [
        "Several students are named Kim. They were graded separately, as Kim (1) and Kim (2)."
    ]


def test_a_student_whom_moodle_numbers_anew_for_each_assignment_is_one(tmp_path):
    for number, (download, name) in enumerate(product(("one", "two"), ("Kim", "Ada"))):
        for lesson in ("00_start_here", "01_first_tape"):
            put(tmp_path / download / f"{name}_{number}_assignsubmission_file" / f"{lesson}.ipynb")
    found = find_submissions(tmp_path)
    assert {s.student for s in found.submissions} == {"Kim", "Ada"}
    assert not found.contradictions and found.notes == [
        "Ada, Kim: the number after the name differs from download to download, as it does for "
        "different assignments in Moodle. All submissions with the same name were graded as one "
        "student's."
    ]


def test_namesakes_in_two_groups_or_in_one_download_are_two(tmp_path):
    for number, (group, names) in enumerate({"a": "Kim Ada", "b": "Kim Bob"}.items()):
        for name in names.split():
            put(tmp_path / "groups" / group / MOODLE.format(name, number))
    for number, name in enumerate(("Kim", "Kim", "Ada", "Bob")):
        put(tmp_path / "class" / "a" / MOODLE.format(name, number))
        put(tmp_path / "class" / "b" / MOODLE.format(name, 10 + number))
    for folder, count in (("groups", 2), ("class", 4)):
        found = find_submissions(tmp_path / folder)
        assert sum(s.student.startswith("Kim (") for s in found.submissions) == count


def test_names_hide_nothing_and_stay_apart(tmp_path):
    names = [
        "ada",
        "ada\u202e",
        "ada\u200b",
        "\x1b[2Jada",
        "ada\\u202e",
        "\u0645\u06cc\u200c\u062e",
    ]
    for name in names:
        put(tmp_path / name / "01_first_tape.ipynb")
    found = find_submissions(tmp_path)
    assert {s.student for s in found.submissions} == {
        "ada", "ada\\u202e", "ada\\u200b", "\\x1b[2Jada", "ada\\\\u202e", names[-1],
    }  # fmt: skip
    assert len({s.place for s in found.submissions}) == len(names)


def test_a_file_that_was_downloaded_again_is_no_second_one(tmp_path):
    put(tmp_path / "ada" / "01_first_tape.ipynb", given("01"), time=2_000)
    put(tmp_path / "ada" / "01_first_tape (1).ipynb", given("01"), time=3_000)
    (one,) = find_submissions(tmp_path).submissions
    assert one.place == "ada/01_first_tape.ipynb" and one.counts


def test_going_back_to_an_older_version_counts(tmp_path):
    for number, data in enumerate((given("01"), b"{}", given("01"))):
        put(tmp_path / "ada" / f"01_first_tape ({number}).ipynb", data, time=1_000 * number)
    counting = {s.place[-8:-7]: s.counts for s in find_submissions(tmp_path).submissions}
    assert counting == {"0": False, "1": False, "2": True}


def test_a_student_on_the_roster_has_one_name_whatever_the_files_say(tmp_path):
    first = tmp_path / "Ada Lovelace" / "01_first_tape.ipynb"
    first.parent.mkdir()
    first.write_text("old")
    (tmp_path / "al1815_01_first_tape.ipynb").write_text("new")
    (tmp_path / "eve_01_first_tape.ipynb").write_text("whose?")
    os.utime(first, (1_000, 1_000))
    roster = Roster([Member("Ada Lovelace", "al1815"), Member("Ada Lovelace", "al1852")])
    roster_of_one = Roster([Member("Ada Lovelace", "al1815")])
    found = find_submissions(tmp_path, roster=roster_of_one).submissions
    assert {(s.student, s.path.stem[:3], s.counts) for s in found} == {
        ("Ada Lovelace", "01_", False),
        ("Ada Lovelace", "al1", True),
        ("eve", "eve", True),
    }
    found = find_submissions(tmp_path, roster=roster).submissions
    assert [s.student for s in found] == ["Ada Lovelace", "Ada Lovelace (al1815)", "eve"]
    assert [roster.member(s.student) for s in found] == [None, roster.members[0], None]


def test_what_was_packed_later_counts_whatever_was_downloaded_last(tmp_path):
    early, late = (f"al1815_gradienttape_2026-11-{day}-10-10-10.zip" for day in (20, 21))
    folders = [MOODLE.format(student, 7 + n) for n, student in enumerate(("Ada", "Bob", "Cyd"))]
    for number, folder in enumerate(folders):
        zipped(tmp_path / PurePath(folder).parent / (early, "w.zip", "w.zip")[number], "w.ipynb")
    put(tmp_path / late / "01_first_tape.ipynb", time=1_000)  # unpacked: its zip's name says when
    roster = Roster([Member("Ada", "al1815"), Member("Bob", "b"), Member("Cyd", "c")])
    found = find_submissions(tmp_path, roster=roster)
    ada = {s.when: s.counts for s in found.submissions if s.student == "Ada"}
    assert ada == {"2026-11-20 10:10:10 UTC": False, "2026-11-21 10:10:10 UTC": True}
    assert not found.contradictions  # al1815 is Ada
    other = Roster([Member("Ada", "a"), Member("Eve", "al1815"), *roster.members[1:]])
    (said,) = find_submissions(tmp_path, roster=other).contradictions
    assert "is named after al1815, but came from Ada" in said


def test_a_second_download_of_the_same_work_is_no_second_submission(tmp_path):
    first, again = tmp_path / "HW.zip", tmp_path / "HW (1).zip"
    for path, time in ((first, 1_000), (again, 1_000)):
        download(path, "Ada", "Bob")
        os.utime(path, (time, time))
    found = find_submissions(tmp_path)
    assert {s.archive for s in found.submissions} == {"HW.zip"}
    assert all(place.startswith("HW (1).zip/") for place in found.repeats)


def test_what_came_between_two_downloads_of_the_same_work_stays_the_newest(tmp_path):
    for name, time in (("HW.zip", 1_000), ("HW 2.zip", 2_000_000_000)):
        download(tmp_path / name, "Ada", "Bob")
        os.utime(tmp_path / name, (time, time))
    packed = tmp_path / "al_gradienttape_2026-11-20-10-10-10.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("01_first_tape.ipynb", given("01") + b" ")
    roster = Roster([Member("Ada", "al"), Member("Bob", "b")])
    found = find_submissions(tmp_path, roster=roster).submissions
    assert {(s.student, s.archive) for s in found if s.counts} == {
        ("Ada", packed.name),
        ("Bob", "HW.zip"),
    }

"""The points in the form that Moodle, Canvas and Blackboard import: by their ids, and no more."""

import csv
import io

import pytest

from course_staff.classroom.intake.roster import read_roster
from course_staff.classroom.judging.results import Grading, Row
from course_staff.classroom.reports.upload import upload_columns, upload_csv, upload_notes
from course_utils.workspace.curriculum import find_lesson

TITLE = find_lesson("01").title
POSSIBLE = sum(exercise.points for exercise in find_lesson("01").exercises())


def rows(student, points=0.5):
    return [
        Row(student, "01", e.id, e.title, "failed", "-", points, e.points, student, "", True, "")
        for e in find_lesson("01").exercises()
    ]


HALF = f"{0.5 * len(find_lesson('01').exercises()):g}"


def uploaded(tmp_path, text, student, encoding="utf-8", **options):
    """Return the table that is uploaded for one student, the notes, and the bytes."""
    path = tmp_path / "class.csv"
    path.write_bytes(text.encode(encoding))
    grading = Grading(rows=rows(student), roster=read_roster(path))
    data = upload_csv(grading)
    text = data.decode(encoding)
    return [*csv.reader(io.StringIO(text), **options)], upload_notes(grading), data


def test_canvas_gets_its_columns_by_id_and_its_line_of_points(tmp_path):
    text = (
        "Student,ID,SIS User ID,SIS Login ID,Section,Essay (77),"
        f"Lesson 01 {TITLE} (4711),Lesson 01 Current Score,Final Score\n"
        ",,,,,Manual Posting,,,\n"
        f"    Points Possible,,,,,10,{POSSIBLE},(read only),(read only)\n"
        '"Lovelace, Ada",11,s-11,ada,A,9,,0,0\n'
        '"B, Bob",12,s-12,bob,A,8,,0,0\n'
    )
    table, notes, _ = uploaded(tmp_path, text, "lovelaceada")
    assert table == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", f"Lesson 01 {TITLE} (4711)"],
        ["", "", "", "", "", ""],
        ["    Points Possible", "", "", "", "", str(POSSIBLE)],
        ["Lovelace, Ada", "11", "s-11", "ada", "A", HALF],
        ["B, Bob", "12", "s-12", "bob", "A", ""],
    ]
    assert not notes


def test_canvas_learns_what_a_new_column_is_worth(tmp_path):
    text = "Student,ID,SIS Login ID,Section\n    Points Possible,,,\nAda,11,ada,A\n"
    table, notes, _ = uploaded(tmp_path, text, "ada")
    assert [line[-1] for line in table] == [f"Lesson 01 {TITLE}", str(POSSIBLE), HALF]
    assert not notes


def test_blackboard_gets_its_column_with_commas_and_every_cell_quoted(tmp_path):
    column = f"Lesson 1 [Total Pts: {POSSIBLE} Score] |102345"
    text = (
        f"Last Name\tFirst Name\tUsername\tWeighted Total [Total Pts: up to 9] |1\t{column}\n"
        "Lovelace\tAda\tal1\t3\t\n"
    )
    table, notes, data = uploaded(tmp_path, text, "al1", encoding="utf-16")
    assert table == [
        ["Last Name", "First Name", "Username", column],
        ["Lovelace", "Ada", "al1", HALF],
    ]
    assert data.decode("utf-16").startswith('"Last Name","First Name"') and not notes


def test_moodle_gets_its_column_and_the_email_that_it_maps(tmp_path):
    header = (
        "First name,Last name,ID number,Email address,"
        f"Assignment: {TITLE} (Real),Assignment: {TITLE} (Percentage),Course total (Real),"
        "Last downloaded from this course"
    )
    text = f"{header}\nAda,Lovelace,,ada@uni.example,-,-,12,1770000000\n"
    table, _, _ = uploaded(tmp_path, text, "Ada Lovelace", encoding="utf-8-sig")
    assert table == [
        [*header.split(",")[:4], header.split(",")[-1], f"Assignment: {TITLE} (Real)"],
        ["Ada", "Lovelace", "", "ada@uni.example", "1770000000", HALF],
    ]


def test_of_moodles_grading_worksheet_the_names_are_kept(tmp_path):
    header = (
        "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
        "Last modified (submission),Last modified (grade),Feedback comments"
    )
    text = f'{header}\nParticipant 110,Ada B,ada@uni.example,Submitted,,10,Yes,"Monday",-,\n'
    table, _, _ = uploaded(tmp_path, text, "Ada B (110)")
    assert table == [
        ["Identifier", "Full name", "Email address", f"Lesson 01 {TITLE}"],
        ["Participant 110", "Ada B", "ada@uni.example", HALF],
    ]


@pytest.mark.parametrize("cell", ["=7", "-4711", "@ada"])
def test_an_id_is_given_back_as_it_came(tmp_path, cell):
    table, _, _ = uploaded(tmp_path, f"name;id\nAda;{cell}\n", "Ada", delimiter=";")
    assert table[1] == ["Ada", cell, HALF]


def test_points_that_the_learning_system_counts_otherwise_are_named(tmp_path):
    text = "Student,ID,Section,Lesson 01 (7)\n    Points Possible,,,100\nAda,11,A,\n"
    _, (note,), _ = uploaded(tmp_path, text, "Ada")
    assert f"up to {POSSIBLE} points for lesson 01" in note and "is worth 100" in note


def test_two_columns_of_one_lesson_are_not_guessed_between(tmp_path):
    text = "Student,ID,Section,Lesson 01 draft (7),Lesson 01 final version (8)\nAda,11,A,,\n"
    table, _, _ = uploaded(tmp_path, text.replace("final ", "second "), "Ada")
    assert table[0][-1] == f"Lesson 01 {TITLE}"


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        ("Lesson 01 (7)", "upload.csv fills the column 'Lesson 01 (7)'."),
        ("Essay (7)", f"upload.csv adds the column 'Lesson 01 {TITLE}', because the roster"),
    ],
)
def test_it_is_said_which_columns_are_filled_and_added(tmp_path, header, sentence):
    (tmp_path / "class.csv").write_text(f"Student,ID,Section,{header}\nAda,11,A,\n")
    roster = read_roster(tmp_path / "class.csv")
    (said,) = upload_columns(Grading(rows=rows("Ada"), roster=roster))
    assert said.startswith(sentence)

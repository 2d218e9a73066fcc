"""A class with a roster, and what a teacher changes by hand, in the tables and on the pages."""

import csv
import io
import json
from dataclasses import replace

import pytest

from course_staff.classroom.grade_command import _excused, _lowered
from course_staff.classroom.intake.roster import Member, Roster, RosterError
from course_staff.classroom.judging.overrides import excuses_in, read_overrides, with_overrides
from course_staff.classroom.judging.results import BadInput, Grading, Row
from course_staff.classroom.reports.gradebook import gradebook_csv
from course_staff.classroom.reports.pages import write_results
from course_utils.workspace.curriculum import find_lesson

CLASS = Roster([Member("Ada Lovelace", "4711"), Member("Bob B", "4712")])


def rows(student, points=1.0, lesson="01"):
    place = f"{student}/{find_lesson(lesson).name}.ipynb"
    return [
        Row(student, lesson, e.id, e.title, "failed", "-", points, 2, place, "", True, "")
        for e in find_lesson(lesson).exercises()
    ]


def table(text):
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))


def write(path, *lines):
    path.write_text("student,exercise,points,comment,by\n" + "\n".join(lines) + "\n")
    return path


def test_the_gradebook_has_a_line_for_each_student_and_for_nobody_else(tmp_path):
    grading = Grading(rows=[*rows("lovelaceada"), *rows("eve")], roster=CLASS)
    lines = table(gradebook_csv(grading))
    assert [line["student"] for line in lines] == ["Ada Lovelace", "Bob B"]
    count = len(find_lesson("01").exercises())
    assert [line["lesson 01"] for line in lines] == [str(count), ""]
    (stranger,) = grading.strangers
    assert stranger.startswith("Not on the roster: eve. ") and "a `login` column" in stranger
    page = write_results(grading, tmp_path).read_text(encoding="utf-8")
    assert "nothing handed in for lesson 01:\nBob B" in page
    assert "<li>Not on the roster: eve. " in page
    assert grading.absent == {"01": ["Bob B"]}
    assert (tmp_path / "feedback" / "eve.html").exists()  # nothing is lost


def test_who_may_have_handed_in_under_a_shared_name_is_not_called_absent():
    roster = Roster([Member("Kim", "1"), Member("Kim", "2"), Member("Bob B", "3")])
    grading = Grading(rows=rows("Kim (4711)"), roster=roster)
    (unclear,) = grading.strangers
    assert unclear.startswith("Kim (4711) may be any of these students on the roster:")
    assert grading.absent == {"01": ["Bob B"]}


def test_overrides_as_excel_saves_them(tmp_path):
    path = write(tmp_path / "overrides.csv", "ada,01.1,2,Café,M. Curie", ",,,,")
    (override,) = read_overrides(path)
    assert override.comment == "Café"
    path.write_bytes(path.read_bytes().decode().encode("latin-1"))
    with pytest.raises(RosterError, match="save it as CSV UTF-8"):
        read_overrides(path)


def test_an_override_that_lowers_what_is_earned_by_now_is_said(tmp_path):
    path = write(tmp_path / "overrides.csv", "ada,01.1,1,Almost right,M. Curie")
    changed = with_overrides(rows("ada", points=2.0), read_overrides(path))
    (said,) = _lowered(changed)
    assert said.startswith("overrides.csv gives ada 1 for 01.1, but the answer now earns 2.")
    grading = Grading(rows=changed, excuses={("eve", "01"): "ill (M. Curie)"})
    page = write_results(grading, tmp_path / "out").read_text(encoding="utf-8")
    assert "✗*" in page and "<li>eve from lesson 01: ill (M. Curie)</li>" in page


def test_what_a_teacher_changes_shows_with_who_and_why(tmp_path):
    path = write(
        tmp_path / "overrides.csv",
        "ada,01.1,2,Right idea; the file was cut,M. Curie",
        "ada,01.2,,Look again at lesson 01,M. Curie",
    )
    changed = with_overrides(rows("ada"), read_overrides(path))
    assert [row.points for row in changed][:2] == [2, 1]
    grading = Grading(rows=changed)
    (line,) = table(gradebook_csv(grading))
    assert line["01.1"] == "2" and "(from 1 to 2 points, M. Curie)" in line["comments"]
    write_results(grading, tmp_path / "out")
    page = (tmp_path / "out" / "feedback" / "ada.html").read_text(encoding="utf-8")
    assert "Right idea; the file was cut" in page and "Look again at lesson 01 (M. Curie)" in page
    flat = " ".join(page.split())
    assert "your teacher gave 2 of 2 points" in flat and "Graded as failed, 1 point: -" in flat
    assert flat.count("failed, 1 of 2 points") == len(changed) - 1


def test_the_gradebook_says_the_groups_of_a_roster_that_has_some():
    roster = Roster([Member("Ada Lovelace", "4711", group="=B"), Member("Bob B", "4712")])
    lines = table(gradebook_csv(Grading(rows=rows("Ada Lovelace"), roster=roster)))
    assert [line["group"] for line in lines] == ["'=B", ""]
    (line, _) = table(gradebook_csv(Grading(rows=rows("Ada Lovelace"), roster=CLASS)))
    assert "group" not in line


def test_a_comment_on_a_whole_lesson_stands_once_on_page_and_in_gradebook(tmp_path):
    path = write(tmp_path / "overrides.csv", "ada,01,,Well explained,M. Curie")
    changed = with_overrides(rows("ada"), read_overrides(path))
    assert [row.points for row in changed] == [row.points for row in rows("ada")]
    grading = Grading(rows=changed)
    (line,) = table(gradebook_csv(grading))
    assert line["comments"] == "01: Well explained (M. Curie)"
    write_results(grading, tmp_path / "out")
    page = (tmp_path / "out" / "feedback" / "ada.html").read_text(encoding="utf-8")
    assert page.count("Well explained (M. Curie)") == 1


def test_an_older_submission_is_not_changed(tmp_path):
    path = write(tmp_path / "overrides.csv", "ada,01.1,2,Reason,Me")
    older = [replace(row, counts=False) for row in rows("ada")]
    changed = with_overrides([*older, *rows("ada")], read_overrides(path))
    assert [row.points for row in changed if row.exercise == "01.1"] == [1.0, 2.0]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("ada,01.1,2,,Me", "Line 2 .* column comment"),
        ("ada,01.1,2,Reason,", "Line 2 .* column by"),
        ("ada,01.1,two,Reason,Me", "should be a number, 'excused', or empty"),
        ("ada,01.1,3,Reason,Me", "must be from 0 to 2"),
        ("bob,01.1,1,Reason,Me", "changes 01.1 for bob"),
        ("ada,01,1,Reason,Me", "for the whole lesson 01"),
        ("ada,02,,Reason,Me", "changes 02 for ada"),
        ("ada,01.9,1,Reason,Me", "Line 2 .* there is no exercise '01.9'"),
        ("ada,01.1,1,5,Reason,Me", "Line 2 .* more fields"),
        ("ada,01.1,excused,Reason,Me", "excused only from a whole lesson"),
    ],
)
def test_a_change_that_fits_nothing_is_refused_with_its_line(tmp_path, line, reason):
    with pytest.raises(BadInput, match=reason):
        with_overrides(rows("ada"), read_overrides(write(tmp_path / "overrides.csv", line)))


def test_a_file_with_other_columns_is_refused(tmp_path):
    (tmp_path / "overrides.csv").write_text("who,what\n")
    with pytest.raises(BadInput, match="student,exercise,points,comment,by"):
        read_overrides(tmp_path / "overrides.csv")
    assert read_overrides(tmp_path / "none.csv") == []


@pytest.mark.parametrize(
    "text",
    [
        "student;exercise;points;comment;by\nada;01.1;1,5;Right, nearly;Me\n",
        'student,exercise,points,comment,by\nada,01.1,"1,5","Right, nearly",Me\n',
    ],
)
def test_semicolons_and_decimal_commas_are_read(tmp_path, text):
    (tmp_path / "overrides.csv").write_text(text)
    (override,) = read_overrides(tmp_path / "overrides.csv")
    assert (override.points, override.comment) == (1.5, "Right, nearly")


def test_a_student_is_called_as_on_the_roster_too(tmp_path):
    path = write(tmp_path / "overrides.csv", "Ada Lovelace,01.1,2,Reason,Me")
    changed = with_overrides(rows("lovelaceada"), read_overrides(path), CLASS)
    assert changed[0].points == 2


def test_who_handed_in_nothing_can_be_excused(tmp_path):
    overrides = read_overrides(write(tmp_path / "overrides.csv", "Bob B,01,excused,Ill,Me"))
    handed_in = rows("Ada Lovelace")
    assert with_overrides(handed_in, overrides, CLASS) == handed_in
    excuses = excuses_in(overrides, handed_in, CLASS)
    grading = Grading(rows=handed_in, roster=CLASS, excuses=excuses)
    ada, bob = table(gradebook_csv(grading))
    assert (bob["lesson 01"], bob["possible"], bob["comments"]) == ("excused", "0", "01: Ill (Me)")
    assert ada["possible"] != "0"
    page = write_results(grading, tmp_path / "out").read_text(encoding="utf-8")
    assert "nothing handed in for lesson 01" not in page
    with pytest.raises(BadInput, match="excuses Bob B, who is not in gradebook.csv"):
        excuses_in(overrides, handed_in)


def test_work_of_an_excused_student_is_graded_and_does_not_count(tmp_path):
    overrides = read_overrides(write(tmp_path / "overrides.csv", "Bob B,01,excused,Ill,Me"))
    handed_in = [*rows("Ada Lovelace", points=2.0), *rows("Bob B", points=2.0)]
    changed = with_overrides(handed_in, overrides, CLASS)
    assert changed == handed_in
    excuses = excuses_in(overrides, handed_in, CLASS)
    grading = Grading(rows=changed, roster=CLASS, excuses=excuses)
    ada, bob = table(gradebook_csv(grading))
    assert (bob["01.1"], bob["lesson 01"], bob["total"]) == ("", "excused", "0")
    assert ada["total"] == ada["lesson 01"] != "0"
    (sentence,) = _excused(grading)
    assert sentence.startswith("overrides.csv excuses Bob B from lesson 01, which was handed in.")
    assert _excused(Grading(rows=handed_in)) == []
    out = tmp_path / "out"
    write_results(grading, out)
    counts = {
        row["student"]: row["counts"]
        for row in map(json.loads, (out / "results.jsonl").read_text("utf-8").splitlines())
    }
    assert counts == {"Ada Lovelace": True, "Bob B": False}
    (feedback,) = out.glob("feedback/Bob-B*.html")
    text = " ".join(feedback.read_text("utf-8").split())
    assert "0 of 0 points in 0 lessons" in text
    assert "You are excused from this lesson</strong>, so it does not count: Ill (Me)." in text


def test_a_namesake_of_an_excused_student_keeps_what_they_earned(tmp_path):
    namesakes = Roster([Member("Kim Lee", "1"), Member("Kim Lee", "2")])
    handed_in = [*rows("1", points=2.0), *rows("2", points=2.0)]
    path = write(tmp_path / "overrides.csv", "2,01,excused,Ill,Me")
    excuses = excuses_in(read_overrides(path), handed_in, namesakes)
    grading = Grading(rows=handed_in, roster=namesakes, excuses=excuses)
    first, second = table(gradebook_csv(grading))
    assert (second["lesson 01"], second["total"]) == ("excused", "0")
    assert first["total"] == first["lesson 01"] == "10"
    assert len(_excused(grading)) == 1 and {row.student for row in grading.counting} == {"1"}
    write(path, "Kim Lee,01,excused,Ill,Me")
    with pytest.raises(
        BadInput, match=r"several students of this name. Write one of these: Kim Lee \(1\)"
    ):
        excuses_in(read_overrides(path), handed_in, namesakes)


def test_the_names_of_namesakes_in_the_gradebook_are_those_that_overrides_take(tmp_path):
    namesakes = Roster([Member("Kim Lee", "1", ids=("1",)), Member("Kim Lee", "2", ids=("2",))])
    handed_in = [*rows("1"), *rows("2")]
    lines = table(gradebook_csv(Grading(rows=handed_in, roster=namesakes)))
    assert [line["student"] for line in lines] == ["Kim Lee (1)", "Kim Lee (2)"]
    path = write(tmp_path / "overrides.csv", "Kim Lee (2),01.1,2,Reason,Me")
    changed = with_overrides(handed_in, read_overrides(path), namesakes)
    assert [row.student for row in changed if row.points == 2] == ["2"]
    write(path, "Kim Lee,01.1,2,Reason,Me")
    with pytest.raises(BadInput, match="for Kim Lee, but the roster has several students"):
        with_overrides(handed_in, read_overrides(path), namesakes)


def test_a_student_excused_without_handing_in_reads_so(tmp_path):
    handed_in = [*rows("Ada Lovelace"), *rows("Bob B", lesson="00")]
    grading = Grading(rows=handed_in, roster=CLASS, excuses={(CLASS.members[1], "01"): "Ill (Me)"})
    page = write_results(grading, tmp_path / "out").read_text(encoding="utf-8")
    assert "excused</span>" in page
    (feedback,) = (tmp_path / "out").glob("feedback/Bob-B*.html")
    text = " ".join(feedback.read_text("utf-8").split())
    assert "You are excused from lesson 01: Ill (Me)." in text


def test_without_a_roster_an_excused_student_keeps_a_line_in_the_gradebook():
    grading = Grading(rows=rows("ada", points=2.0), excuses={("ada", "01"): "Ill (Me)"})
    (ada,) = table(gradebook_csv(grading))
    assert (ada["student"], ada["lesson 01"], ada["total"]) == ("ada", "excused", "0")

from dataclasses import replace

import pytest

from course_staff.classroom.judging.results import Grading, Row
from course_staff.classroom.reports.class_page import common_mistakes
from course_staff.classroom.reports.pages import write_results
from course_utils.workspace.curriculum import find_lesson


def row(student, outcome, mistake, message):
    place = f"{student}/01_first_tape.ipynb"
    return Row(student, "01", "01.1", "-", outcome, message, 0, 2, place, "", True, mistake)


def test_other_words_are_another_mistake_where_none_has_a_name():
    rows = [
        row("ada", "error", "", "Your cell is no Python: line 2."),
        row("bob", "error", "", "Your cell is no Python: line 7."),
        row("cyd", "error", "", "There is no library torch."),
    ]
    assert [m.students for m in common_mistakes(rows)] == [("ada", "bob"), ("cyd",)]


def test_a_mistake_of_the_gallery_is_one_whatever_was_said_of_it():
    rows = [
        row("ada", "failed", "sum for mean", "Twice."),
        row("bob", "failed", "sum for mean", "-"),
    ]
    assert [m.students for m in common_mistakes(rows)] == [("ada", "bob")]


@pytest.mark.parametrize("name", ["unexplained: the gradient", "sum for mean"])
def test_the_page_says_of_nobody_what_another_was_told(tmp_path, name):
    rows = [
        row("ada", "failed", name, "The gradient is 1050."),
        row("bob", "failed", name, "The gradient is 76."),
        row("cyd", "failed", name, "The gradient is 76."),
    ]
    (mistake,) = common_mistakes(rows)
    assert list(mistake.told.items()) == [
        ("The gradient is 76.", ("bob", "cyd")),
        ("The gradient is 1050.", ("ada",)),
    ]
    exercises = find_lesson("01").exercises()[1:]
    others = [replace(rows[0], exercise=e.id, outcome="passed", mistake="") for e in exercises]
    write_results(Grading(rows=rows + others), tmp_path)
    page = (tmp_path / "class.html").read_text(encoding="utf-8")
    first, second = page.split("who was told this at 01.1</summary>")[1:]
    assert first.startswith("bob, cyd<") and second.startswith("ada<")

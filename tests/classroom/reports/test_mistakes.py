import re
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
def test_the_page_shows_who_got_which_message_with_their_code(tmp_path, name):
    rows = [
        row("ada", "failed", name, "The gradient is 1050."),
        row("bob", "failed", name, "The gradient is 76."),
        row("cyd", "failed", name, "The gradient is 76."),
    ]
    (mistake,) = common_mistakes(rows)
    assert list(mistake.messages.items()) == [
        ("The gradient is 76.", ("bob", "cyd")),
        ("The gradient is 1050.", ("ada",)),
    ]
    exercises = find_lesson("01").exercises()[1:]
    others = [replace(rows[0], exercise=e.id, outcome="passed", mistake="") for e in exercises]
    programs = {(rows[1].submission, "01.1"): "def slope(x):\n    return x < 1"}
    write_results(Grading(rows=rows + others, programs=programs), tmp_path)
    page = (tmp_path / "class.html").read_text(encoding="utf-8")
    first, second = re.split(r"<summary>\d students? at 01.1</summary>", page)[1:]
    names = [re.findall(r"<summary>(\w+)</summary>", part) for part in (first, second)]
    assert names == [["bob", "cyd"], ["ada"]]
    assert "<code>def slope(x):\n    return x &lt; 1</code>" in first
    assert "<code>No cell of the notebook holds this answer.</code>" in second


def test_messages_that_quote_other_code_are_one_mistake():
    rows = [
        row("ada", "error", "raised NameError", "At `return sloop`: name 'sloop' is not defined."),
        row("bob", "error", "raised NameError", "At `return y2`: name 'y2' is not defined."),
        row("cyd", "failed", "unexplained", "The gradient has the wrong sign."),
    ]
    assert [m.students for m in common_mistakes(rows)] == [("ada", "bob"), ("cyd",)]

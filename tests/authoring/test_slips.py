"""Slips of the pen: which there are, and what becomes of them."""

import ast
import runpy
from pathlib import Path

import pytest

from course_staff.authoring import slips as slips_module
from course_staff.authoring.changes import changes_of
from course_staff.authoring.questions import Questions
from course_staff.authoring.slips import (
    Slip,
    explanations,
    holes,
    is_explained,
    slips_of,
)
from course_staff.authoring.source import read_lesson
from course_utils.exercises.exercise import Judgement


def tried(*given):
    return runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "slips.py"))["tried"](
        *given
    )


@pytest.fixture(scope="module")
def asked(request):
    source = request.config.rootpath / "lessons" / "01_first_tape" / "lesson.py"
    questions = Questions(read_lesson(source))
    question, answer = questions.exercises["01.1"], questions.right("01.1")
    return question, answer, {slip.after: slip for slip in slips_of(question, answer)}


def test_each_slip_is_another_program_with_one_change(asked):
    _, _, slips = asked
    texts = [slip.text for slip in slips.values()]
    assert len(set(texts)) == len(texts) > 30
    assert slips["y = x ** 3 + 2 * x"].before == "y = x ** 3 - 2 * x"
    assert all('"""' not in text for text in texts)


@pytest.mark.parametrize(
    ("after", "kind"),
    [
        ("return tf.reduce_sum(tape.gradient(y, x))", "passes"),
        ("return tape.gradient(x, y)", "recognised"),
        ("return -tape.gradient(y, x)", "untold"),
    ],
)
def test_what_becomes_of_a_slip(asked, after, kind):
    question, answer, slips = asked
    assert tried(question, answer, slips[after]) == kind


def test_what_a_slip_writes_is_thrown_away(asked, tmp_path, monkeypatch):
    question, answer, _ = asked
    monkeypatch.chdir(tmp_path)
    text = 'def slope(x):\n    open("stray", "w").close()\n    return 0.0'
    assert tried(question, answer, Slip("01.1", "", "", text)) != "no program"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("after", "is_so"),
    [
        ("y = tf.reduce_sum(x ** 3 - 2 * x)", True),  # of one number
        ("y = x ** 3 + 2 * x", False),
        ("y = x * x * x - 2 * x", True),
    ],
)
def test_what_is_explained(after, is_so):
    slip = Slip("01.1", "y = x ** 3 - 2 * x", after, "")
    assert is_explained(slip, {"y = x * x * x - 2 * x": "a product is a power"}) == is_so


@pytest.mark.parametrize("value", ["y_hat", "model(x)"])
def test_a_square_of_the_turned_difference_is_explained(value):
    before, after = (f"tf.reduce_mean(({a} - {b}) ** 2)" for a, b in ((value, "y"), ("y", value)))
    assert is_explained(Slip("01.1", before, after, ""), {})
    assert not is_explained(Slip("01.1", before, after.replace("2", "3"), ""), {})


def test_a_build_names_the_holes_alone(request, monkeypatch):
    lessons = request.config.rootpath / "lessons"
    lesson = read_lesson(lessons / "01_first_tape" / "lesson.py")
    assert not list(holes(lesson, explanations(lessons)))
    passed = Judgement("passed", "Yes.", 1.0)
    monkeypatch.setattr(slips_module, "judged", lambda *given: passed)
    found = list(holes(lesson, {}))
    assert {slip.exercise for slip in found} == {"01.1", "01.3", "01.4", "01.5"}


def test_the_changes_of_a_program_are_programs_and_leave_it_as_it_was():
    tree = ast.parse(
        "def f(x, n):\n    for i in range(n):\n        x = x - i / 2\n    return x[1:]"
    )
    before, changes = ast.unparse(tree), [ast.unparse(each) for each in changes_of(tree)]
    assert len(set(changes)) > 40 and ast.unparse(tree) == before
    for text in changes:
        compile(text, "<changed>", "exec")

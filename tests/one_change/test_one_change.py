"""Where one change is enough: the place but for which an answer is a right one."""

import ast
import linecache
from textwrap import dedent

import pytest
import tensorflow as tf

from course_utils.course.checking import check
from course_utils.exercises.question import Question
from course_utils.exercises.references import stored
from course_utils.one_change.forms import place_by_form
from course_utils.one_change.where_to_look import where_to_look
from course_utils.workspace.curriculum import LESSONS

# Solutions as others would write them: with other names, and one line for two or two for one.
SLOPE = """
def slope(point):
    point = tf.Variable(point)
    with tf.GradientTape() as recording:
        curve = point**3 - 2 * point
    answer = recording.gradient(curve, point)
    return answer
"""
DISTANCE = """
def distance_gradient(first, second):
    with tf.GradientTape() as tape:
        gaps = first - second
        squares = tf.reduce_sum(gaps**2, axis=1)
        safe = tf.where(squares > 0, squares, 1.0)
        total = tf.reduce_sum(tf.where(squares > 0, tf.sqrt(safe), 0.0))
    return tape.gradient(total, first)
"""
LINES = """
def distance_gradient(first, second):
    with tf.GradientTape() as tape:
        squares = tf.reduce_sum((first - second) ** 2, axis=1)
        safe = tf.where(squares > 0, squares, 1.0)
        distances = tf.where(squares > 0, tf.sqrt(safe), 0.0)
        total = tf.reduce_sum(distances)
    return tape.gradient(total, first)
"""


def defined(text, file="<a cell>", **names):
    """Return the function that a cell of this text defines last."""
    text = dedent(text)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"tf": tf, **names}
    exec(compile(text, file, "exec"), names)
    return names[ast.parse(text).body[-1].name]


@pytest.mark.parametrize(
    ("exercise_id", "text", "slip", "line", "look"),
    [
        ("01.1", SLOPE, ("**3 - 2", "**3 + 2"), 5, "look at `point**3 + 2 * point`"),
        ("01.1", SLOPE, ("**3", "**2"), 5, "look at `2`"),
        ("01.1", SLOPE, ("r = rec", "r = -rec"), 6, "around `recording.gradient"),
        ("01.1", SLOPE, ("(curve, point)", "(curve, curve)"), 6, "look at `curve`"),
        ("01.1", SLOPE, ("    with", "    point = -point\n    with"), 4, "is needed"),
        ("01.1", SLOPE, ("    point = tf.Variable(point)\n", ""), 3, "missing above it"),
        ("03.5", DISTANCE, ("reduce_sum(gaps", "reduce_mean(gaps"), 5, "look at `tf.reduce_mean`"),
        ("03.5", DISTANCE, (", axis=1", ""), 5, "look at `tf.reduce_sum(gaps**2)`"),
        ("03.5", DISTANCE, ("squares > 0, tf.s", "squares < 0, tf.s"), 7, "look at `squares < 0`"),
        ("03.5", DISTANCE, ("first - second", "first - first"), 4, "look at `first`"),
        ("03.5", LINES, ("    return tape", "        return tape"), 8, "where this line stands"),
    ],
)
def test_the_line_of_a_slip_is_named_and_what_to_look_at(exercise_id, text, slip, line, look):
    wrong = text.replace(*slip)
    assert wrong != text
    place = place_by_form(exercise_id, wrong, ast.parse(text).body[0].name)
    assert place is not None
    assert (place.line, place.code) == (line, wrong.splitlines()[line - 1].strip())
    assert look in place.look


@pytest.mark.parametrize(
    "text",
    [
        SLOPE,  # the solution itself: nothing in it is to be changed
        SLOPE.replace("2 * point", "3 * point").replace("(point)\n", "([point])\n"),
        "def slope(number):\n    return 3 * number**2",  # more than half would be open
        "slope = 3",
        "def slope(number:",
        "def slope(x):\n" + "    x = x + 1\n" * 20_000,
        "def slope(x):\n    return " + "-" * 20_000 + "x",
    ],
)
def test_nothing_is_said_of_the_solution_or_where_more_than_one_place_differs(text):
    assert place_by_form("01.1", text, "slope") is None


@pytest.mark.parametrize("lesson", LESSONS)
def test_each_answer_that_is_a_function_has_forms(lesson):
    forms = stored(f"{lesson.number}.forms")
    functions = [each.id for each in lesson.exercises() if isinstance(each, Question)]
    assert [each for each in functions if not forms.get(each)] == []


def test_a_helper_in_the_same_cell_belongs_to_the_answer_and_what_it_does_not_call_does_not():
    unused = "def earlier(x):\n    return 0\n"
    assert place_by_form("01.1", unused + SLOPE.replace("**3", "**2"), "slope").line == 7
    helped = "def power(x):\n    return x**3\n" + SLOPE.replace("point**3", "power(point)")
    assert place_by_form("01.1", helped, "slope") is None


def test_a_name_of_the_notebooks_is_said_where_no_place_is_known():
    other = SLOPE.replace("point**3 - 2 * point", "a**3 - 2 * a").replace(
        "curve, point", "curve, a"
    )
    said = where_to_look("01.1", defined(other, a=tf.constant(3.0)))
    assert said == (
        "In your function `a` is the notebook's, and no argument: each call finds the same there."
    )
    assert where_to_look("01.1", 3.0) == where_to_look("01.1", len) == ""
    assert where_to_look("01.1", lambda x: x) == ""
    classed = (
        "def slope(x):\n    class Cubic:\n        pass\n    return Cubic\n"  # reads `__name__`
    )
    assert where_to_look("01.1", defined(classed, __name__="__main__")) == ""


def test_check_adds_the_place_where_no_known_mistake_explains_the_answer():
    wrong = check("01.1", defined(SLOPE.replace("**3", "**4")))
    said = "One change is enough, in line 5, `curve = point**4 - 2 * point`: look at `4`."
    assert said in repr(wrong) and wrong.where_to_look == said
    assert "<details><summary>Where to look</summary><div>One change is enough" in (
        wrong._repr_html_()
    )
    known = check("01.1", defined(SLOPE.replace("- 2 * point", "")))
    for result in (known, check("01.1", defined(SLOPE)), check("01.1", 3.0)):
        assert "One change" not in repr(result) + result._repr_html_()

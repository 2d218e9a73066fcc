"""Where one change is enough: found, said without the repair, and without a trace."""

import ast
import linecache
import random
from textwrap import dedent

import numpy as np
import pytest
import tensorflow as tf

from course_utils.course import checking
from course_utils.course.checking import check
from course_utils.one_change import search
from course_utils.one_change.changes import changes_of
from course_utils.one_change.program import program_of
from course_utils.one_change.search import Place, in_words, places_of_one_change, where_to_look
from course_utils.workspace.curriculum import find_exercise

RIGHT = """
def slope(x):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = x**3 - 2 * x
    return tape.gradient(y, x)
"""
DISTANCE = """
def total_gradient(a, b):
    with tf.GradientTape() as tape:
        tape.watch(a)
        squares = tf.reduce_sum((a - b) ** 2, axis=1)
        safe = tf.where(squares > 0, squares, 1.0)
        distances = tf.where(squares > 0, tf.sqrt(safe), 0.0)
        total = tf.reduce_sum(distances)
    return tape.gradient(total, a)
"""

COMPILED = """
def linear_epoch(w, x, y, order, batch_size, rate):
    @tf.function
    def epoch():
        for start in tf.range(0, tf.size(order), batch_size):
            batch = order[start : start + batch_size]
            xb, yb = tf.gather(x, batch), tf.gather(y, batch)
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((tf.linalg.matvec(xb, w) - yb) ** 2)
            w.assign_sub(rate * tape.gradient(loss, w))
    epoch()
    return w
"""


@pytest.fixture(autouse=True)
def unhurried(monkeypatch):
    """Let a search take its time: on a busy machine TensorFlow's threads use up more of it."""
    monkeypatch.setattr(search, "LONGEST_RUN", 5.0)
    monkeypatch.setattr(search, "TIME", 20.0)


def defined(text, file="<a cell>", **names):
    """Return the function that a cell of this text defines last."""
    text = dedent(text)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"tf": tf, "np": np, **names}
    exec(compile(text, file, "exec"), names)
    return names[ast.parse(text).body[-1].name]


def places(exercise_id, text, **names):
    return places_of_one_change(find_exercise(exercise_id), defined(text, **names), 0)


@pytest.mark.parametrize(
    ("exercise_id", "text", "slip", "line", "look"),
    [
        ("01.1", RIGHT, ("x**3 - 2", "x**3 + 2"), 5, "look at what is added or subtracted"),
        ("01.1", RIGHT, ("x**3", "x**2"), 5, "look at the number"),
        ("01.1", RIGHT, ("return tape", "return -tape"), 6, "look at the sign"),
        ("01.1", RIGHT, ("(y, x)", "(x, y)"), 6, "look at the order of the arguments"),
        ("01.1", RIGHT, ("(y, x)", "(y, x) * x"), 6, "look at what is multiplied or divided"),
        ("01.1", RIGHT, ("(y, x)", "(y, y)"), 6, "look at which value is taken"),
        ("03.5", DISTANCE, ("reduce_sum((a", "reduce_mean((a"), 5, "look at what is called"),
        ("03.5", DISTANCE, (", axis=1", ""), 5, "look at what the call is given"),
        ("03.5", DISTANCE, ("squares > 0, tf.s", "squares < 0, tf.s"), 7, "look at the condition"),
        ("03.5", DISTANCE, ("a - b", "a - a"), 5, "look at which value is taken"),
        ("03.5", DISTANCE, ("(total, a)", "(total, a)[::-1]"), 9, "look at the order"),
    ],
)
def test_the_line_of_a_slip_is_named_and_what_to_look_at(exercise_id, text, slip, line, look):
    wrong = text.replace(*slip)
    assert wrong != text
    found = places(exercise_id, wrong)
    (place,) = [each for each in found if each.line == line]
    assert place.look == look and place.code == wrong.splitlines()[line - 1].strip()


def test_what_is_slow_to_compile_is_tried_with_nothing_compiled_and_passes_compiled(monkeypatch):
    compiled = []
    monkeypatch.setattr(search, "_is_slow", lambda *_: not tf.config.functions_run_eagerly())
    passes = search._passes

    def noted(*given):
        compiled.append(passes(*given))
        return compiled[-1]

    monkeypatch.setattr(search, "_passes", noted)
    (place,) = places("10.3", COMPILED.replace(") - yb", ") + yb"))
    assert place.line == 9 and place.look == "look at what is added or subtracted"
    assert compiled == [True] and not tf.config.functions_run_eagerly()


def test_a_line_that_stands_outside_its_block_is_named():
    outside = RIGHT.replace("    with tf", "    y = x**3 - 2 * x\n    with tf").replace(
        "        y = x**3 - 2 * x", "        tape.watch(x)"
    )
    (place,) = places("01.1", outside)
    assert place.line == 4 and "lines stand in the block" in place.look


def test_a_name_of_the_notebooks_that_is_called_as_a_method_is_left_alone():
    (place,) = places("01.1", RIGHT.replace("x**3", "x**2"), gradient=tf.Variable(1.0))
    assert place.line == 5


def test_where_several_lines_would_do_all_are_named():
    minus = RIGHT.replace("x**3 - 2 * x", "-(x**3 - 2 * x)")
    found = places("01.1", minus)
    assert {each.line for each in found} >= {5, 6}
    said = in_words(found)
    assert "in line 5" in said and "or in line 6" in said


def test_nothing_is_said_where_two_changes_are_needed_or_none():
    two = RIGHT.replace("2 * x", "3 * x").replace("(y, x)", "(y, y)")
    assert places("01.1", two) == [] == places("01.1", RIGHT)
    assert in_words([]) == ""


def test_a_name_of_the_notebooks_is_said_where_no_change_is_known():
    question = find_exercise("01.1")
    text = RIGHT.replace("x**3 - 2 * x", "a**3 - 2 * x")
    said = where_to_look(question, defined(text, a=tf.constant(3.0), f=abs), 0)
    assert said == (
        "In your function `a` is the notebook's, and no argument: each call finds the same there."
    )
    assert where_to_look(question, defined(RIGHT.replace("x**3", "abs(x)")), 0) == ""
    assert where_to_look(question, 3.0, 0) == ""


def test_the_repair_itself_is_not_said():
    said = in_words([Place(5, "return loss * 2", "look at what is multiplied or divided")])
    assert said == (
        "One change is enough, in line 5, `return loss * 2`: look at what is multiplied or divided."
    )


@pytest.mark.parametrize(
    "line",
    [
        "kept.assign_add(1.0)",  # a variable of the notebook's
        "seen.append(x)",  # a list of the notebook's
        "open(path, 'a').write('once more')",
        "np.save(path, 1.0)",
        "__import__('os').remove(path)",
        "helper(x)",  # which itself writes
    ],
)
def test_an_answer_that_keeps_or_writes_something_is_left_alone(line, tmp_path):
    path = tmp_path / "kept.npy"
    path.write_text("as it was")
    kept, seen = tf.Variable(0.0), []
    names = {"kept": kept, "seen": seen, "path": str(path)}
    names["helper"] = defined("def helper(x):\n    seen.append(x)", "<another cell>", **names)
    text = RIGHT.replace("    with tf", f"    {line}\n    with tf").replace("x**3", "x**2")
    assert places("01.1", text, **names) == []
    assert kept.numpy() == 0.0 and seen == [] and path.read_text() == "as it was"


def test_a_function_that_is_made_within_another_is_left_alone():
    made = defined("def make(n):\n    def slope(x):\n        return x * n\n    return slope")(2)
    assert program_of(made) is None and program_of(len) is None and program_of(3.0) is None


def test_names_random_states_and_printed_text_stay_as_they_were(capfd):
    text = RIGHT.replace("    with tf", "    print(random.random())\n    with tf")
    names = {"random": random}
    slope = defined(text.replace("x**3", "x**2"), **names)
    around = dict(slope.__globals__)
    before = random.getstate(), np.random.get_state()[1].tolist(), tf.random.uniform([])
    assert [each.line for each in places_of_one_change(find_exercise("01.1"), slope, 0)] == [6]
    assert slope.__globals__ == around
    assert before[0] == random.getstate() and before[1] == np.random.get_state()[1].tolist()
    assert capfd.readouterr() == ("", "")


def test_the_search_ends_in_its_time_whatever_a_change_does(monkeypatch):
    monkeypatch.setattr(search, "TIME", 0.5)
    endless = """
    def slope(x):
        n = 0
        while n < 1:
            n += 1
        return 3 * x**2 + 2
    """
    question = find_exercise("01.1")
    assert places_of_one_change(question, defined(endless), 0) == []


def test_the_changes_of_a_program_are_programs_with_one_other_line():
    tree = ast.parse(DISTANCE)
    before, changes = ast.unparse(tree), list(changes_of(tree))
    assert len(changes) > 200 and [each.rank for each in changes] == sorted(
        each.rank for each in changes
    )
    assert all(ast.unparse(each.tree) != before for each in changes if each.rank > 1)
    assert ast.unparse(tree) == before
    assert next(changes_of(tree, first=[9])).line == 9
    for each in changes:
        compile(ast.unparse(each.tree), "<changed>", "exec")


# What `check` shows ------------------------------------------------------------------------------


def test_check_adds_the_place_where_no_known_mistake_explains_the_answer(monkeypatch):
    wrong = defined(RIGHT.replace("x**3", "x**4"))
    said = repr(check("01.1", wrong))
    assert "One change is enough, in line 5, `y = x**4 - 2 * x`: look at the number." in said
    html = check("01.1", wrong)._repr_html_()
    assert "<details><summary>Where to look</summary><div>One change is enough" in html
    known = check("01.1", defined(RIGHT.replace("- 2 * x", "")))
    monkeypatch.setattr(checking, "_where_to_look", None)
    for result in (known, check("01.1", defined(RIGHT)), check("01.1", 3.0)):
        assert "One change" not in repr(result) + result._repr_html_()


def test_a_notebook_shows_the_message_before_the_search_begins(monkeypatch):
    shown = []

    class Handle:
        def update(self, bundle, raw):
            shown.append(bundle)

    def display(bundle, raw, display_id):
        shown.append(bundle)
        return Handle()

    monkeypatch.setattr("IPython.display.display", display)
    result = check("01.1", defined(RIGHT.replace("x**3", "x**4")))
    search = result._search
    object.__setattr__(result, "_search", lambda: f"{len(shown)} shown before. {search()}")
    result._ipython_display_()
    first, second = shown
    assert "Where to look" not in first["text/html"] and "should be" in first["text/plain"]
    assert "1 shown before. One change is enough, in line 5" in second["text/html"]
    with pytest.raises(NotImplementedError):
        check("01.1", defined(RIGHT))._ipython_display_()

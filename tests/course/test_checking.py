import logging
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

import course_utils
from course_utils import check, checking
from course_utils.exercises import judging
from course_utils.exercises.references import SEEDS, Reference
from course_utils.workspace.progress import read_progress


@pytest.fixture(autouse=True)
def own_progress(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_PROGRESS_FILE", str(tmp_path / "progress.json"))


def slope(x):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = x**3 - 2 * x
    return tape.gradient(y, x)


def test_a_right_answer_is_one_plain_line():
    result = check("01.1", slope)
    assert result.passed
    assert repr(result).startswith("✓ 01.1 Slope of a cubic: passed. ")
    assert repr(result).endswith("Lesson 01: 1 of 5 passed.")
    assert "\n" not in repr(result)


def test_a_check_reads_what_programs_did_once(monkeypatch):
    read = []

    def from_data(data, mistakes, original=Reference.from_data):
        read.append(data)
        return original(data, mistakes)

    monkeypatch.setattr(Reference, "from_data", from_data)
    assert check("01.1", slope).passed and not check("01.1", lambda x: 3.0).passed
    assert len(read) == 2


# What a check of a wrong answer, whose mistake is known, goes through, file by file.
# Where progress stands in a workspace, `folders` is one more. Each does a part, and is used without
# the others, too: none only hands on.
ON_THE_WAY = {
    "course_utils": {"checking", "notebook", "tensorflow_start"},  # shown, in quiet, once more
    "workspace": {"curriculum", "progress", "atomic_files"},  # found, and kept
    "exercises": {
        *("judging", "isolation", "tensorflow_state"),  # run, in its time and leaving no trace
        *("exercise", "question", "observation"),  # called, and described
        *("references", "comparing", "readings"),  # compared
    },
}


def test_a_check_goes_through_few_files():
    def itself(x):
        return x**3 - 2 * x

    assert check("01.1", itself).message.startswith("This is `y` itself.")  # and all is imported
    root, crossed = Path(course_utils.__file__).parent, set()

    def note(frame, event, argument):
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(root):
            crossed.add((path.parent.name, path.stem))

    sys.setprofile(note)
    try:
        check("01.1", itself)
    finally:
        sys.setprofile(None)
    assert crossed == {(room, name) for room, names in ON_THE_WAY.items() for name in names}


def test_html_says_the_outcome_in_words_and_escapes_the_learners_text():
    html = check("01.1", lambda x: print("<b>hello</b>") or "<script>")._repr_html_()
    assert "Failed" in html and 'role="status"' in html
    assert "&lt;script&gt;" in html and "<script>" not in html
    assert "&lt;b&gt;hello" in html


def test_code_in_a_message_is_shown_as_code():
    assert "<code>with</code>" in check("01.1", lambda x: None)._repr_html_()


def test_the_line_of_the_check_is_not_where_an_answer_beside_it_lost_its_gradient():
    def to_quarters(x):
        return tf.constant(np.round(4 * x.numpy()) / 4)

    message = check("03.4", to_quarters).message
    assert "at `return tf.constant(np.round(4 * x.numpy()) / 4)`" in message

    def rounded(x):
        return tf.round(4 * x) / 4

    assert "at `return tf.round(4 * x) / 4`" in check("03.4", rounded).message


def test_an_open_answer_is_not_attempted():
    assert check("01.1").outcome == "not attempted"
    assert check("01.2", ...).outcome == "not attempted"


def test_an_error_names_the_line():
    def wrong(x):
        return x.gradient

    result = check("01.1", wrong)
    assert result.outcome == "error"
    assert "AttributeError at `return x.gradient`" in result.message


def test_an_error_does_not_name_what_is_around_a_function():
    said = check("19.1", lambda theta, push, t, damping: theta(t, damping)).message
    assert ": theta() takes 1 positional argument but 2 were given." in said


@pytest.mark.parametrize("one", [0.1, tf.constant(0.1)], ids=["number", "tensor"])
def test_arithmetic_with_a_missing_gradient_is_told_in_a_learners_words(one):
    message = check("01.1", lambda x: one * None).message
    assert "there is a None where a tensor is needed" in message
    assert "found no path" in message


def test_tensorflow_does_not_log_what_the_message_says(capfd):
    result = check("01.1", lambda x: tf.ones((2, 3)) @ tf.ones((2, 3)))
    assert "do not match" in result.message and "{{" not in result.message
    assert capfd.readouterr().err == ""


def test_tensorflow_does_not_warn_of_what_a_check_calls():
    records, logger = [], tf.get_logger()
    handler, level = logging.Handler(), logger.level
    handler.emit = records.append
    logger.addHandler(handler)
    try:
        check("01.1", lambda x: logger.warning("traced again"))
    finally:
        logger.removeHandler(handler)
    assert records == [] and logger.level == level


def test_an_unknown_id_names_the_nearest():
    result = check("01.11", slope)
    assert result.outcome == "error"
    assert "There is no exercise '01.11'" in result.message and "01.1" in result.message
    assert read_progress().exercises == {}


def test_an_id_that_is_no_text_is_told_the_order():
    assert "check takes the id first" in check(1.1, slope).message
    assert "check takes the id first" in check([4, 2], "01.2").message


def test_values_that_a_wrong_answer_reads_from_the_notebook_are_named():
    names = {"tf": tf, "a": 3.0}
    exec("def slope(x):\n    return a * tf.sin(x)", names)
    result = check("01.1", names["slope"])
    said = "Your function reads `a` from the notebook, not from its arguments, so every call"
    assert result.where_to_look.startswith(said) and said in repr(result)
    assert "<details><summary>Where to look</summary><div>Your function" in result._repr_html_()
    names["a"] = tf.abs  # code, which a function may use
    assert check("01.1", names["slope"]).where_to_look == ""


class Hostile:
    def __getattr__(self, name):
        raise RuntimeError("no")


class Closed(Exception):
    def __str__(self):
        raise RuntimeError("no")


def raise_closed(x):
    raise Closed


CYCLE = []
CYCLE.append(CYCLE)


@pytest.mark.parametrize(
    ("exercise_id", "answer"),
    [
        ("01.1", Hostile()),
        ("01.1", lambda x: Hostile()),
        ("01.1", raise_closed),
        ("01.1", lambda x: 10**400),
        ("00.1", 10**400),
        ("01.2", CYCLE),
        ("01.2", Hostile()),
    ],
    ids=range(7),
)
def test_nothing_that_an_answer_is_stops_a_notebook(exercise_id, answer):
    result = check(exercise_id, answer)
    assert result.outcome in ("failed", "error") and len(result.message) > 20


def test_code_that_runs_too_long_is_stopped_and_said_so(monkeypatch):
    monkeypatch.setattr(judging, "TIME_LIMIT", 0.3)

    def endless(x):
        while True:
            pass

    result = check("01.1", endless)
    assert result.outcome == "error"
    assert "still running" in result.message and "loop" in result.message
    assert check("01.1", slope).passed


@pytest.mark.parametrize("seed", range(SEEDS))
def test_the_random_state_stays(seed, monkeypatch):
    # The learner's seed may be the one that the check draws its inputs from.
    monkeypatch.setattr(checking.os, "urandom", lambda n: bytes([seed]) + bytes(n - 1))

    def sequence(checks):
        tf.keras.utils.set_random_seed(3)
        if checks:
            check("01.1", lambda x: tf.random.normal([]) + np.random.normal())
            check("01.3", slope)
        return np.random.normal(), float(tf.random.normal([]))

    assert sequence(checks=True) == sequence(checks=False)


def test_checks_draw_other_inputs_each_time():
    seen = []

    def spy(x):
        seen.append(x)
        return slope(x)

    for _ in range(10):
        check("01.1", spy)
    first = seen[: len(seen) // 10]
    assert seen != first * 10


def test_progress_that_cannot_be_saved_does_not_hide_the_result(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("COURSE_PROGRESS_FILE", str(tmp_path / "file" / "progress.json"))
    result = check("01.1", slope)
    assert result.passed and "was not saved" in result.progress


def test_a_pass_stays_and_is_said_to_stay():
    check("01.2", (4, 2))
    assert check("01.2", (2, 4)).progress == (
        "You passed this exercise before, and that still counts. Lesson 01: 1 of 5 passed."
    )


def test_only_passes_count_for_the_lesson():
    check("01.1", None)
    assert check("01.2", (4, 2)).progress == "Lesson 01: 1 of 5 passed."

"""What a verdict is made of, without running anything."""

from dataclasses import replace

import pytest
import tensorflow as tf
from handed_in import RIGHT

from course_staff.classroom.judging.journal import Journal
from course_staff.classroom.judging.notebook_verdicts import Examination
from course_staff.classroom.judging.secret_references import References, ReferencesFailed
from course_staff.classroom.running.conversation import Run
from course_utils.exercises.judging import assess
from course_utils.exercises.references import SEEDS, stored_reference
from course_utils.workspace.curriculum import find_exercise

SLOPE, SHAPE = "01.1", "01.2"


class Stored:
    """References on a seed that everybody knows, in place of a grading's own."""

    def __init__(self, seed=5):
        self._seed = seed

    def seed(self, exercise_id):
        return self._seed

    def right(self, exercise_id):
        return replace(self.whole(exercise_id), wrong=[])

    def whole(self, exercise_id):
        return stored_reference(exercise_id, self._seed)


def examination(seed=5):
    return Examination({i: find_exercise(i) for i in (SLOPE, SHAPE)}, Stored(seed))


def observed(function, seed):
    return find_exercise(SLOPE).observe(function, seed)


def right(x):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = x**3 - 2 * x
    return tape.gradient(y, x)


def test_seeds_depend_on_the_secret_and_the_exercise_and_are_none_of_the_stored_ones(tmp_path):
    def seed(key, exercise_id):
        return References(tmp_path, key, Journal(tmp_path / "journal"), "").seed(exercise_id)

    seeds = [seed(b"key", SLOPE), seed(b"key", SHAPE), seed(b"other", SLOPE)]
    assert len(set(seeds)) == 3 and min(seeds) >= SEEDS
    assert seed(b"key", SLOPE) == seeds[0]


def test_an_observation_for_another_seed_does_not_pass():
    for seed, outcome in ((5, "passed"), (6, "failed")):
        one = examination(seed)
        one.take(SLOPE, seed, observed(right, 5))
        assert one.decide(Run("done"))[SLOPE].outcome == outcome


def test_a_verdict_names_the_mistake():
    one = examination()
    one.take(SLOPE, 5, observed(lambda x: None, 5))
    assert one.decide(Run("done"))[SLOPE].mistake == "returns none"


@pytest.mark.parametrize(
    "forged",
    [
        {},
        {"outcome": "passed", "score": 1.0},
        {"calls": [], "printed": "", "untouched": False},
        {"calls": [{"returned": 25.0}], "printed": "", "untouched": False},
        {"calls": [{}] * 6, "printed": "", "untouched": False},
        {"calls": "passed", "untouched": False},
        {"calls": [{"returned": {"type": "tensor", "shape": [10**9], "value": 1}}] * 6},
        {"calls": [{"returned": float("nan")}] * 6, "untouched": False},
        {"calls": [{"returned": 10**400}] * 6, "untouched": False},
        {"given": {"type": "passed"}},
        [1],
        "passed",
        True,
    ],
)
def test_forged_observations_neither_pass_nor_stop_the_grader(forged):
    one = examination()
    one.take(SLOPE, 5, forged)
    one.take(SHAPE, 5, forged)
    for verdict in one.decide(Run("done")).values():
        assert verdict.score == 0 and verdict.outcome in ("failed", "error"), verdict


@pytest.mark.parametrize(
    "error",
    [
        {"message": "too many values to unpack (expected 2)", "line": "a," * 500_000},
        {"message": "Shape must be rank 2" * 500_000, "line": ""},
    ],
)
def test_a_forged_error_keeps_no_search_going(error):
    one = examination()
    calls = [{"raised": {"type": "ValueError", **error}}]
    one.take(SLOPE, 5, {"calls": calls, "untouched": False})
    assert one.decide(Run("done"))[SLOPE].outcome == "error"


def test_an_answer_that_could_not_be_called_is_an_error_with_its_cause():
    one = examination()
    one.take(SLOPE, 5, {"broken": "calling it raised FileNotFoundError"})
    verdict = one.decide(Run("done"))[SLOPE]
    assert verdict.outcome == "error" and "FileNotFoundError" in verdict.message


@pytest.mark.parametrize(
    "forged", ["full points, says the grader", ["x"], "calling it raised A.\nB"]
)
def test_a_forged_cause_is_not_repeated(forged):
    one = examination()
    one.take(SLOPE, 5, {"broken": forged})
    message = one.decide(Run("done"))[SLOPE].message
    assert message.startswith("This answer was not graded: its result could not be read. Restart")


def test_fewer_calls_than_were_drawn_are_no_observation():
    observation = observed(right, 5)
    observation["calls"].pop()
    with pytest.raises(ValueError, match="calls other than those that were drawn"):
        assess(find_exercise(SLOPE), observation, 5)


def test_what_stands_for_an_answer_that_was_never_observed():
    def verdict(run):
        return examination().decide(run)[SLOPE]

    error = {"type": "SyntaxError", "message": "invalid syntax", "line": "x +", "timed_out": False}
    assert verdict(Run("done")).outcome == "not attempted"
    assert "`slope`" in verdict(Run("done")).message
    assert verdict(Run("done", cell_errors={SLOPE: error})).outcome == "error"
    assert (
        verdict(Run("done", cell_errors={SLOPE: error | {"timed_out": True}})).outcome == "timeout"
    )
    assert verdict(Run("done", cell_errors={SLOPE: "forged"})).outcome == "error"
    no_imports = error | {"type": "NameError", "message": "name 'tf' is not defined"}
    message = verdict(Run("done", cell_errors={SLOPE: no_imports})).message
    assert "Run the notebook's first code cell, which imports it" in message
    assert verdict(Run("unreadable", "why")).message == "why"
    for ended, outcome in [("time", "timeout"), ("memory", "crashed"), ("signal 11", "crashed")]:
        assert verdict(Run(ended, cell=3)).outcome == outcome
        assert verdict(Run(ended, pending=SLOPE)).outcome == outcome
    assert "signal 11 in code cell 3" in verdict(Run("signal 11", cell=3)).message.replace(")", "")


def test_the_answer_that_took_the_process_down_counts_after_a_right_one():
    one = examination()
    one.take(SLOPE, 5, observed(right, 5))
    assert one.decide(Run("0", pending=SLOPE))[SLOPE].outcome == "crashed"
    assert one.decide(Run("0", pending=SHAPE))[SLOPE].outcome == "passed"


def test_messages_hold_nothing_that_a_file_or_a_terminal_cannot_show():
    one = examination()
    one.take(SHAPE, 5, {"value": "\x1b[2J\ud800\x00" + "x" * 5000})
    message = one.decide(Run("done"))[SHAPE].message
    assert message.encode("utf-8") and "\x1b" not in message and "\x00" not in message
    long = {"type": "E" * 90, "message": "m" * 9000, "line": RIGHT[SLOPE], "timed_out": False}
    assert len(one.decide(Run("done", cell_errors={SLOPE: long}))[SLOPE].message) < 1100


def test_a_right_program_that_does_not_run_is_no_students_error(tmp_path):
    class NoReferences(References):
        def _data(self, exercise_id, with_gallery, number=0):
            raise ReferencesFailed("the process died")

    references = NoReferences(tmp_path, b"key", Journal(tmp_path / "journal"), "version")
    examination = Examination({"01.1": find_exercise("01.1")}, references)
    with pytest.raises(ReferencesFailed):
        examination.take("01.1", 1, {"calls": [], "untouched": False, "printed": ""})


def test_a_renamed_answer_is_reported_as_such():
    verdict = examination().decide(Run("done"), {"slope_of", "x"})[SLOPE]
    assert verdict.outcome == "not attempted"
    missing = "The notebook never defines `slope`."
    assert verdict.message == (f"{missing} If `slope_of` is your answer, give it the name `slope`.")
    verdict = examination().decide(Run("done"), {"x", "loss"})[SLOPE]
    assert verdict.message == missing

import inspect

import numpy as np
import programs_to_explain
import pytest
import tensorflow as tf

from course_utils import ExplainingTape

PROGRAMS = programs_to_explain.PROGRAMS
EVERY = [function for _, _, function in PROGRAMS] + programs_to_explain.CORRECT


def explained(function):
    """Run a program and return the explanations of all its tapes."""
    tapes = []

    class Kept(ExplainingTape):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            tapes.append(self)

    function(Kept)
    return [explanation for tape in tapes for explanation in tape.explanations]


def marked_line(function):
    lines, first = inspect.getsourcelines(function)
    marked = [number for number, line in enumerate(lines) if line.rstrip().endswith("# <-")]
    assert len(marked) == 1, "a program marks one line"
    return first + marked[0]


@pytest.mark.parametrize(
    ("cause", "source", "function"), PROGRAMS, ids=[f"{c}-{f.__name__}" for c, _, f in PROGRAMS]
)
def test_names_the_cause_and_the_line(cause, source, function):
    explanations = explained(function)
    assert explanations, "nothing was explained"
    found = explanations[source] if source < len(explanations) else explanations[-1]
    where = found.where
    assert (found.cause, where.line if where else None) == (cause, marked_line(function)), found
    assert where.file == programs_to_explain.__file__
    assert len(found.message.replace("e.g.", "").split(". ")) <= 3
    assert "{" not in found.message


@pytest.mark.parametrize("function", programs_to_explain.CORRECT, ids=lambda f: f.__name__)
def test_a_correct_program_needs_no_explanation(function):
    assert explained(function) == []


def comparable(value):
    if isinstance(value, tf.IndexedSlices):
        return ("slices", value.values.numpy().tolist(), value.indices.numpy().tolist())
    if value is None:
        return None
    return (value.dtype.name, value.shape.as_list(), value.numpy().tobytes())


@pytest.mark.parametrize("function", EVERY, ids=lambda f: f.__name__)
def test_gradients_are_those_of_the_plain_tape(function):
    plain, ours = function(tf.GradientTape), function(ExplainingTape)
    tf.nest.assert_same_structure(plain, ours)
    np.testing.assert_equal(
        [comparable(each) for each in tf.nest.flatten(ours)],
        [comparable(each) for each in tf.nest.flatten(plain)],
    )

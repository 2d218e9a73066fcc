"""Where tensors become plain numbers, and that nothing of it stays."""

import gc
import math
import threading

import numpy as np
import pytest
import tensorflow as tf

from gradient_tools import ExplainingTape
from gradient_tools.recording import conversions
from gradient_tools.recording.conversions import conversions_unnoticed, listen_to_conversions
from gradient_tools.recording.tensorflow_internals import eager_tensor_class

NAMES = [
    (eager_tensor_class(), name) for name in ("_numpy", "__array_wrap__", "__array_function__")
]
NAMES += [(np, name) for name in conversions._ARRAY_MAKERS]


def what_stands_there():
    return [vars(owner).get(name) for owner, name in NAMES]


def noted(convert, value):
    """Return the functions that converted ``value`` itself."""
    seen = []
    with listen_to_conversions(seen.append):
        convert(value)
    return {each.function for each in seen if each.reference() is value}


SCALAR, VECTOR = tf.constant(1.5), tf.constant([1.0, 2.0])


@pytest.mark.parametrize(
    ("convert", "value", "function"),
    [
        (lambda t: t.numpy(), VECTOR, "numpy"),
        (lambda t: t.numpy().tolist(), VECTOR, "numpy"),
        (lambda t: t.numpy().item(), SCALAR, "numpy"),
        (lambda t: t.__array__(), VECTOR, "array"),
        (float, SCALAR, "float"),
        (int, SCALAR, "int"),
        (bool, SCALAR, "bool"),
        (complex, SCALAR, "complex"),
        (lambda t: [float(each) for each in [t]], SCALAR, "float"),
        (math.sqrt, SCALAR, "float"),
        (lambda t: np.asarray(t), VECTOR, "asarray"),
        (lambda t: np.array(t), VECTOR, "array"),
        (lambda t: np.array([t, t]), VECTOR, "array"),
        (np.sin, VECTOR, ""),
        (lambda t: np.multiply(np.ones(2), t), VECTOR, ""),
        (np.mean, VECTOR, "mean"),
        (np.linalg.norm, VECTOR, "norm"),
        (lambda t: np.stack([t, t]), VECTOR, "stack"),
    ],
)
def test_a_conversion_is_noted(convert, value, function):
    assert function in noted(convert, value)


@pytest.mark.parametrize(
    "use", [str, repr, "{:.2f}".format, lambda t: t * 2.0, lambda t: np.ones(2) + t, tf.constant]
)
def test_what_is_shown_or_computed_is_no_conversion(use):
    assert noted(use, SCALAR) == set()


def test_numpy_gives_the_same_results_while_conversions_are_noted():
    calls = [np.sin, np.mean, np.asarray, np.array, lambda t: np.where(t > 1.0, t, 0.0)]
    calls += [lambda t: np.ones(2) + t, lambda t: np.stack([t, t]), lambda t: np.clip(t, 0, 1)]
    before = [call(VECTOR) for call in calls]
    with listen_to_conversions(lambda _: None):
        during = [call(VECTOR) for call in calls]
    for one, other in zip(before, during, strict=True):
        assert type(one) is type(other)
        np.testing.assert_array_equal(one, other)


def test_the_lines_are_those_of_the_program_from_the_innermost_outwards():
    def inner(t):
        return t.numpy()

    def outer(t):
        return inner(t)

    seen = []
    with listen_to_conversions(seen.append):
        outer(VECTOR)
    first = inner.__code__.co_firstlineno + 1
    assert [each.number for each in seen[0].lines[:2]] == [first, first + 3]


def test_a_tape_keeps_each_conversion():
    first, second = tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0])
    with ExplainingTape() as tape:
        first.numpy()
        second.numpy()
        np.sin(second)
    kept = [(each.reference() is second, each.function) for each in tape._steps.conversions]
    assert kept == [(False, "numpy"), (True, "numpy"), (True, "")]


def test_other_threads_are_not_listened_to():
    seen = []
    with listen_to_conversions(seen.append):
        thread = threading.Thread(target=VECTOR.numpy)
        thread.start()
        thread.join()
    assert seen == []


def test_what_a_tool_converts_is_not_noted():
    seen = []
    with listen_to_conversions(seen.append):
        with conversions_unnoticed():
            VECTOR.numpy()
        assert seen == []
        VECTOR.numpy()
    assert len(seen) == 1


def test_everything_is_as_before_after_nested_and_failed_blocks():
    before = what_stands_there()
    with ExplainingTape():
        assert what_stands_there() != before
        with ExplainingTape():
            pass
        assert what_stands_there() != before
    assert what_stands_there() == before
    with pytest.raises(ZeroDivisionError), ExplainingTape():
        raise ZeroDivisionError
    assert what_stands_there() == before


def test_everything_is_as_before_after_blocks_that_overlap():
    before = what_stands_there()
    first, second = ExplainingTape(), ExplainingTape()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert what_stands_there() != before
    second.__exit__(None, None, None)
    assert what_stands_there() == before


def test_everything_is_as_before_after_blocks_in_threads():
    before = what_stands_there()
    both_inside = threading.Barrier(2, timeout=60)
    causes = []

    def work():
        x = tf.Variable([1.0, 2.0])
        with ExplainingTape() as tape:
            both_inside.wait()
            y = tf.reduce_sum(np.square(x))
            both_inside.wait()
        tape.gradient(y, x)
        causes.append([each.cause for each in tape.explanations] or str(tape.explain()))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert what_stands_there() == before
    assert causes == [["left-tensorflow"]] * 2


def test_a_block_that_is_never_left_ends_with_its_tape():
    before = what_stands_there()

    def enter():
        ExplainingTape().__enter__()
        gc.collect()

    # TensorFlow keeps a list of open tapes for each thread, and this one stays on it: in the main
    # thread it would record all tests that follow.
    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert what_stands_there() == before


def test_what_somebody_else_put_there_meanwhile_stays(monkeypatch):
    def other(*arguments):
        raise AssertionError

    original = np.asarray
    with ExplainingTape():
        np.asarray = other
    assert np.asarray is other
    np.asarray = original


def test_a_function_that_is_traced_in_a_block_may_call_numpy():
    @tf.function
    def scaled(x):
        return x * np.mean(np.asarray([1.0, 3.0], "float32"))

    x = tf.Variable(2.0)
    with ExplainingTape() as tape:
        y = scaled(x)
    assert float(tape.gradient(y, x)) == 2.0

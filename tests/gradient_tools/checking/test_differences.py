"""The difference formulas, against closed forms and by the slope of their error."""

import numpy as np
import pytest
import tensorflow as tf

from gradient_tools import central_difference, directional_derivative, forward_difference


@pytest.mark.parametrize(
    ("formula", "order"),
    [(forward_difference, 1), (central_difference, 2)],
    ids=["forward", "central"],
)
def test_error_falls_with_the_order_of_the_formula(formula, order):
    steps = 2.0 ** -np.arange(2, 8)
    errors = [abs(formula(tf.exp, np.float64(0.3), step=h) - np.exp(0.3)) for h in steps]
    slope = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert slope == pytest.approx(order, abs=0.1)


def test_directional_derivative_is_of_second_order():
    x, v = np.array([0.3, -0.2]), np.array([1.0, 2.0])
    truth = np.exp(0.3 - 0.4) * (1 + 4)

    def f(x):
        return tf.exp(x[0] + 2 * x[1])

    steps = 2.0 ** -np.arange(3, 8)
    errors = [abs(directional_derivative(f, x, v, step=h) - truth) for h in steps]
    slope = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert slope == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize("formula", [forward_difference, central_difference])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("x", [1e-3, 1.0, 1e5])
def test_default_step_follows_the_size_of_x(formula, dtype, x):
    tolerance = {"float32": 2e-3, "float64": 2e-7}[dtype]
    assert formula(lambda x: x**3, np.array(x, dtype)) == pytest.approx(3 * x**2, rel=tolerance)
    assert formula(tf.math.log, np.array(x, dtype)) == pytest.approx(1 / x, rel=20 * tolerance)


@pytest.mark.parametrize("formula", [forward_difference, central_difference])
def test_outputs_come_first(formula):
    a = np.arange(6.0).reshape(2, 3)
    found = formula(lambda x: tf.linalg.matvec(a, x), np.ones(3))
    assert found.shape == (2, 3)
    np.testing.assert_allclose(found, a, atol=1e-6)
    assert formula(lambda x: x, np.ones((2, 3))).shape == (2, 3, 2, 3)


def test_number_of_evaluations():
    calls = []

    def f(x):
        calls.append(1)
        return tf.reduce_sum(x)

    forward_difference(f, np.ones(5))
    assert len(calls) == 6
    central_difference(f, np.ones(5))
    assert len(calls) == 16
    directional_derivative(f, np.ones(5), np.ones(5))
    assert len(calls) == 18


def test_f_may_be_plain_numpy():
    assert central_difference(np.sin, np.float64(0.0)) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("v", [[1.0, 0.0], [3.0, -4.0], [1e-6, 1e-6]])
def test_directional_derivative_is_the_gradient_times_the_direction(v):
    found = directional_derivative(lambda x: x[0] ** 2 * x[1], np.array([2.0, 5.0]), v)
    assert found == pytest.approx(20 * v[0] + 4 * v[1], rel=1e-4)


@pytest.mark.parametrize(
    ("x", "error", "words"),
    [
        (3, TypeError, "3.0 instead of 3"),
        ("three", TypeError, "string"),
        (1j, TypeError, "complex"),
        (np.zeros((0,)), ValueError, "empty"),
        (np.nan, ValueError, "NaN or infinity"),
    ],
)
def test_bad_points_are_named(x, error, words):
    with pytest.raises(error, match=words):
        central_difference(tf.identity, x)


@pytest.mark.parametrize("step", [0, -1.0, np.nan, np.inf])
def test_bad_steps_are_named(step):
    with pytest.raises(ValueError, match="step must be a positive number"):
        forward_difference(tf.identity, 1.0, step=step)


def test_bad_directions_are_named():
    with pytest.raises(ValueError, match="direction has shape"):
        directional_derivative(tf.reduce_sum, np.ones(3), np.ones(2))
    with pytest.raises(ValueError, match="direction is zero"):
        directional_derivative(tf.reduce_sum, np.ones(3), np.zeros(3))

"""What is said about a wrong gradient that no single factor explains."""

import numpy as np
import pytest
import tensorflow as tf

from gradient_tools import check_gradients


def positive_definite(seed, size=4):
    a = np.random.default_rng(seed).normal(size=(size, size))
    return a @ a.T + np.eye(size)


def log_determinant(x):
    return tf.linalg.logdet(x)


def log_determinant_of_upper(x):
    return tf.linalg.logdet(tf.transpose(x))


def diagonal_of_factor(x):
    return tf.reduce_sum(tf.math.log(tf.linalg.diag_part(tf.linalg.cholesky(x))))


@pytest.mark.parametrize(
    ("f", "share", "triangle"),
    [
        (log_determinant, 1.0, np.tril),
        (log_determinant_of_upper, 1.0, np.triu),
        (diagonal_of_factor, 0.5, np.tril),
    ],
)
@pytest.mark.parametrize("seed", range(5))
def test_a_function_of_one_triangle_is_recognised(f, share, triangle, seed):
    x = positive_definite(seed)
    inverse = share * np.linalg.inv(x)  # the gradient of log det, for a symmetric change
    row = check_gradients(f, x, seed=seed).rows[0]
    assert row.verdict == "disagrees"
    assert row.hint.startswith(
        "f reads only one triangle of the matrix x. The tape's gradient assumes that both"
    )
    for m in row.measurements:
        assert m.analytic == pytest.approx(np.sum(inverse * m.direction))
        alone = triangle(2 * inverse) - np.diag(np.diag(inverse))
        assert m.numeric == pytest.approx(np.sum(alone * m.direction), abs=m.error_bar)
    # What the hint advises, and what f has when its entries move alone.
    assert check_gradients(lambda x: f((x + tf.transpose(x)) / 2), x, seed=seed).passed
    assert check_gradients(f, [x], grads=[alone], seed=seed).passed


def test_a_batch_of_matrices_and_a_gradient_by_hand_are_recognised():
    x = np.stack([positive_definite(seed, 3) for seed in range(2)])
    assert "one triangle" in check_gradients(log_determinant, x).rows[0].hint
    total = check_gradients(
        lambda x: tf.reduce_sum(log_determinant(x)), [x], grads=[np.linalg.inv(x)]
    )
    (row,) = total.rows
    assert "one triangle" in row.hint and "This gradient" in row.hint


def test_a_symmetric_gradient_that_is_wrong_is_not_excused():
    x = positive_definite(0)
    wrong = np.linalg.inv(x)
    wrong[0, 0] *= 1.5
    row = check_gradients(log_determinant, [x], grads=[wrong]).rows[0]
    assert row.verdict == "disagrees" and "triangle" not in row.hint
    full = check_gradients(lambda x: tf.math.log(tf.linalg.det(x)), [x], grads=[wrong]).rows[0]
    assert full.verdict == "disagrees" and "triangle" not in full.hint


def test_where_the_slope_is_zero_there_is_no_factor():
    row = check_gradients(lambda x, y: x * y, [2.0, 0.0], grads=[1.0, 2.0]).rows[0]
    assert row.verdict == "disagrees"
    assert row.hint == (
        "Your gradient is 1, but the tape's, which agrees with finite differences, is 0. Compare "
        "your formula with the tape."
    )

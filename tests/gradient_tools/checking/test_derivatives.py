"""Jacobians, Hessians and their products, against closed forms."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from gradient_tools import hessian, hessian_vector_product, jacobian

X = np.array([0.5, -1.0, 2.0])
A = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 2.0], [0.0, 2.0, 1.0]])


def quadratic(x):
    return tf.reduce_sum(x * tf.linalg.matvec(A, x)) / 2


def test_jacobian_of_a_linear_map_is_its_matrix():
    np.testing.assert_allclose(jacobian(lambda x: tf.linalg.matvec(A, x), X), A)


def test_jacobian_has_outputs_first():
    x = np.ones((7, 5))
    y = jacobian(lambda x: x @ np.ones((5, 6)), x)
    assert y.shape == (7, 6, 7, 5)


def test_jacobian_of_a_gather_is_dense():
    table = tf.Variable(np.ones((4, 2)))
    found = jacobian(lambda: tf.gather(table, [2]), table)
    expected = np.zeros((1, 2, 4, 2))
    expected[0, [0, 1], 2, [0, 1]] = 1
    np.testing.assert_array_equal(found, expected)


def test_hessian_of_a_quadratic_is_its_matrix():
    np.testing.assert_allclose(hessian(quadratic, X), A)


def test_hessian_of_a_cube():
    np.testing.assert_allclose(hessian(lambda x: tf.reduce_sum(x**3), X), np.diag(6 * X))


def test_hessian_of_a_linear_function_is_zero():
    np.testing.assert_array_equal(hessian(tf.reduce_sum, X), np.zeros((3, 3)))
    np.testing.assert_array_equal(hessian_vector_product(tf.reduce_sum, X, X), np.zeros(3))


def test_hessian_vector_product_is_the_hessian_times_the_vector():
    v = np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(hessian_vector_product(quadratic, X, v), A @ v)
    found = hessian_vector_product(lambda x: tf.reduce_sum(tf.exp(x) * v), X, v)
    np.testing.assert_allclose(found, np.exp(X) * v**2)


@pytest.mark.parametrize(
    "make", [tf.Variable, keras.Variable, lambda x: tf.Variable(x, trainable=False)]
)
def test_variables_are_read_by_f(make):
    w = make(X.astype("float32"))
    np.testing.assert_allclose(hessian(lambda: tf.reduce_sum(w**3), w), np.diag(6 * X))
    np.testing.assert_allclose(jacobian(lambda: w * 2.0, w), 2 * np.eye(3))


def test_a_graph_with_a_loop():
    @tf.function
    def power(x):
        return tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, y * x), [0, x])[1]

    np.testing.assert_allclose(jacobian(power, X), np.diag(5 * X**4))
    found = hessian_vector_product(lambda x: tf.reduce_sum(power(x)), X, np.ones(3))
    np.testing.assert_allclose(found, 20 * X**3)


def test_a_missing_path_is_an_error_that_says_so():
    with pytest.raises(ValueError, match="no path"):
        jacobian(lambda x: tf.constant(1.0), X)
    with pytest.raises(ValueError, match="no path"):
        hessian(lambda x: tf.reduce_sum(tf.round(x)), X)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: hessian(lambda x: x, X), ValueError, "scalar"),
        (lambda: hessian_vector_product(quadratic, X, [1.0]), ValueError, "v has shape"),
        (lambda: jacobian(lambda x: None, X), TypeError, "returned None"),
        (
            lambda: jacobian(lambda x: x.numpy(), X),
            TypeError,
            "through NumPy",
        ),
        (lambda: jacobian(lambda x: [x, x], X), TypeError, "returned a list"),
        (lambda: jacobian(lambda x: tf.argmax(x), X), TypeError, "int64"),
        (lambda: jacobian(lambda x, y: x, [1.0, 2.0]), TypeError, "one tensor"),
        (lambda: jacobian(quadratic, 3), TypeError, "3.0 instead of 3"),
        (lambda: jacobian(3.0, X), TypeError, "f must be a function"),
    ],
)
def test_errors_name_what_is_wrong(call, error, words):
    with pytest.raises(error, match=words):
        call()

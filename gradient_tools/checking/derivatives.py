"""The derivatives that a tape can give beyond a gradient, as functions of ``(f, x)``.

Each takes a tensor, which ``f`` receives, or a variable, which an ``f`` without arguments reads.
"""

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from .points import Point, find_point

__all__ = ["hessian", "hessian_vector_product", "jacobian"]


def jacobian(f: Callable[..., Any], x: object) -> tf.Tensor:
    """Differentiate every output of ``f`` with respect to every entry of ``x``.

    Parameters
    ----------
    f : callable
        Takes the tensor ``x`` and returns a tensor; takes nothing if ``x`` is a variable.
    x : tensor, array, float, tf.Variable or Keras variable
        Floating point, any shape.

    Returns
    -------
    tf.Tensor, shape ``f(x).shape + x.shape``, dtype of ``x``
        Entry ``[i, j]`` is the derivative of output i with respect to entry j: outputs first.

    Raises
    ------
    TypeError, ValueError
        As `check_gradients` for a bad ``x`` or a bad result of ``f``; ValueError also if no path
        leads from ``x`` to the result, where a plain tape returns None.

    Examples
    --------
    >>> print(jacobian(lambda x: tf.stack([x[0] * x[1], x[1]]), tf.constant([2.0, 5.0])).numpy())
    [[5. 2.]
     [0. 1.]]
    """
    point = _one_leaf(f, x)
    with point.recorded() as tape:
        y = point.output()
    return _connected(tape.jacobian(y, point.leaves[0]), point)


def hessian(f: Callable[..., Any], x: object) -> tf.Tensor:
    """Differentiate a scalar function twice with respect to every pair of entries of ``x``.

    Parameters
    ----------
    f, x
        As for `jacobian`, which also says what is refused; ``f`` must return a scalar.

    Returns
    -------
    tf.Tensor, shape ``x.shape + x.shape``, dtype of ``x``
        Symmetric where the second derivatives are continuous. Where the gradient does not depend
        on ``x``, zeros: the tape's None is then the right second derivative of a linear function.

    Examples
    --------
    >>> print(hessian(lambda x: x[0] ** 2 * x[1], tf.constant([2.0, 5.0])).numpy())
    [[10.  4.]
     [ 4.  0.]]
    """
    tape, gradient, leaf = _recorded_gradient(f, x, "hessian")
    return tape.jacobian(gradient, leaf, unconnected_gradients=tf.UnconnectedGradients.ZERO)


def hessian_vector_product(f: Callable[..., Any], x: object, v: object) -> tf.Tensor:
    """Multiply the Hessian of a scalar function by a vector without ever forming the Hessian.

    Parameters
    ----------
    f, x
        As for `hessian`.
    v : tensor or array, shape of ``x``
        Cast to the dtype of ``x``. Another shape is a ValueError.

    Returns
    -------
    tf.Tensor, shape of ``x``, dtype of ``x``
        ``H(x) v``, for about the cost of two gradients.

    Notes
    -----
    The derivative of ``<gradient of f, v>``, reverse over reverse; see Pearlmutter, *Fast Exact
    Multiplication by the Hessian*, Neural Computation 6 (1994).

    Examples
    --------
    >>> f = lambda x: x[0] ** 2 * x[1]
    >>> print(hessian_vector_product(f, tf.constant([2.0, 5.0]), [1.0, 0.0]).numpy())
    [10.  4.]
    """
    tape, gradient, leaf = _recorded_gradient(f, x, "hessian_vector_product")
    vector = tf.cast(v, leaf.dtype)
    if vector.shape != leaf.shape:
        raise ValueError(
            f"v has shape {tuple(vector.shape)}, but x has shape {tuple(leaf.shape)}. Give v the "
            "same shape as x."
        )
    # v enters as the cotangent of the gradient, so that it is a constant for the tape.
    product = tape.gradient(
        gradient, leaf, output_gradients=vector, unconnected_gradients=tf.UnconnectedGradients.ZERO
    )
    return tf.convert_to_tensor(product)


def _one_leaf(f: Callable[..., Any], x: object) -> Point:
    point = find_point(f, x, "x")
    if len(point.leaves) != 1 or isinstance(x, list | tuple | dict):
        raise TypeError(
            f"x has {len(point.leaves)} parts, but it must be one tensor or one variable. To turn "
            "a list of numbers into a tensor, use tf.constant."
        )
    return point


def _recorded_gradient(
    f: Callable[..., Any], x: object, name: str
) -> tuple[tf.GradientTape, tf.Tensor, tf.Tensor]:
    """Return the tape that saw how a gradient was taken, the gradient, and the leaf it is of."""
    point = _one_leaf(f, x)
    with point.recorded() as outer:
        with point.recorded() as inner:
            y = point.output()
        if y.shape.num_elements() != 1:
            raise ValueError(
                f"{name} needs a scalar function, but f returned shape {tuple(y.shape)}. "
                "Reduce it with tf.reduce_sum, or take the jacobian."
            )
        gradient = _connected(inner.gradient(y, point.leaves[0]), point)
    return outer, gradient, point.leaves[0]


def _connected(derivative: object, point: Point) -> tf.Tensor:
    if derivative is None:
        raise ValueError(
            f"The tape gives None: no path of TensorFlow operations leads from {point.names[0]} to "
            "what f returned. Compute the result from this input, without NumPy, casts to "
            "integers, or stop_gradient."
        )
    return tf.convert_to_tensor(derivative)

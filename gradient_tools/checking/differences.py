"""Derivatives from differences of function values: what every other derivative is checked against.

A difference formula has two errors. Truncation shrinks with the step; rounding, about
``eps * |f| / step``, grows as the step shrinks. The default steps balance the two.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from .points import floating_tensor

__all__ = [
    "central_difference",
    "directional_derivative",
    "forward_difference",
    "machine_epsilon",
    "positive_step",
    "power_of_two",
    "typical_size",
]


def forward_difference(f: Callable[..., Any], x: object, step: float | None = None) -> np.ndarray:
    """Differentiate ``f`` at ``x`` by forward differences, one entry of ``x`` at a time.

    Parameters
    ----------
    f : callable
        Takes a tensor of the shape and dtype of ``x``; returns a tensor, an array or a number.
        Called once, and once more for each entry of ``x``.
    x : tensor, array or float
        Floating point, any shape. A Python float becomes float32.
    step : float, optional
        What is added to an entry, in the unit of ``x``. By default ``eps**(1/2)`` times the size
        of the entry, rounded to a power of two.

    Returns
    -------
    ndarray of float64, shape ``f(x).shape + x.shape``
        Outputs first, as `jacobian` has it: the gradient, for a scalar function of an array.

    Raises
    ------
    TypeError, ValueError
        If ``x`` is not floating point, is empty or not finite, or ``step`` is not positive.

    Notes
    -----
    ``(f(x + h) - f(x)) / h = f'(x) + (h / 2) f''(x) + ...``: first order. See Nocedal and Wright,
    *Numerical Optimization*, section 8.1.

    Examples
    --------
    >>> print(f"{forward_difference(lambda x: x**2, np.float64(3.0)):.5f}")
    6.00000
    """
    return _entry_by_entry(f, x, step, both_sides=False)


def central_difference(f: Callable[..., Any], x: object, step: float | None = None) -> np.ndarray:
    """Differentiate ``f`` at ``x`` by central differences, one entry of ``x`` at a time.

    Parameters
    ----------
    f, x
        As for `forward_difference`; ``f`` is called twice for each entry of ``x``.
    step : float, optional
        What is added to and taken from an entry, in the unit of ``x``. By default ``eps**(1/3)``
        times the size of the entry, rounded to a power of two.

    Returns
    -------
    ndarray of float64, shape ``f(x).shape + x.shape``
        As `forward_difference` has it, which also says what is refused.

    Notes
    -----
    ``(f(x + h) - f(x - h)) / (2 h) = f'(x) + (h**2 / 6) f'''(x) + ...``: second order.

    Examples
    --------
    >>> print(np.round(central_difference(lambda x: x[0] * x[1], np.array([2.0, 5.0])), 6))
    [5. 2.]
    """
    return _entry_by_entry(f, x, step, both_sides=True)


def directional_derivative(
    f: Callable[..., Any], x: object, direction: object, step: float | None = None
) -> np.ndarray:
    """Differentiate ``f`` at ``x`` along one direction by a central difference: two evaluations.

    Parameters
    ----------
    f, x
        As for `forward_difference`, which also says what is refused.
    direction : tensor or array, shape of ``x``
        The direction v, not zero. It is not normalised: twice the direction gives twice the
        derivative.
    step : float, optional
        The factor h of the direction. By default ``h * direction`` is ``eps**(1/3)`` times the
        size of ``x``, and h is a power of two.

    Returns
    -------
    ndarray of float64, shape ``f(x).shape``
        ``J(x) v``; for a scalar function the inner product of its gradient and v.

    Notes
    -----
    ``(f(x + h v) - f(x - h v)) / (2 h)``, of second order in h.

    Examples
    --------
    >>> x, v = np.array([1.0, 2.0]), np.array([1.0, -1.0])
    >>> print(f"{directional_derivative(lambda x: tf.reduce_sum(x**2), x, v):.4f}")
    -2.0000
    """
    start = floating_tensor("x", x)
    v = floating_tensor("direction", direction).numpy().astype(np.float64)
    here = start.numpy().astype(np.float64)
    if v.shape != here.shape:
        raise ValueError(
            f"direction has shape {v.shape}, but x has shape {here.shape}. Give direction the same "
            "shape as x."
        )
    if not np.any(v):
        raise ValueError(
            "direction is zero, so there is no derivative along it. Choose a direction that is not "
            "zero."
        )
    if step is None:
        relative = machine_epsilon(start.dtype) ** (1 / 3)
        step = power_of_two(relative * np.linalg.norm(typical_size(here)) / np.linalg.norm(v))
    h = positive_step(step)
    change = _at(f, here + h * v, start.dtype) - _at(f, here - h * v, start.dtype)
    slope: np.ndarray = change / (2 * h)
    return slope


def machine_epsilon(dtype: tf.DType) -> float:
    """Return the distance from 1.0 to the next number of a floating-point dtype."""
    return float(np.spacing(dtype.as_numpy_dtype(1)))


def power_of_two(number: float) -> float:
    """Round a positive number to a power of two: a step that binary numbers hold exactly."""
    return float(2.0 ** np.round(np.log2(number)))


def typical_size(x: np.ndarray) -> np.ndarray:
    """Return how far each entry of ``x`` may move: its size, or that of its peers if it is tiny.

    The size is at least a quarter of the median size of the nonzero entries. If all of ``x`` is
    zero, as in a new bias, every size is 1.

    >>> print(typical_size(np.array([8.0, -4.0, 0.0])))
    [8.  4.  1.5]
    """
    size = np.abs(x)
    nonzero = size[size > 0]
    return np.maximum(size, np.median(nonzero) / 4) if nonzero.size else np.ones_like(size)


def positive_step(step: float) -> float:
    """Return the step as a float, or say that it is none."""
    try:
        is_positive = bool(0 < step < np.inf)
    except (TypeError, ValueError):  # a text, or many numbers
        is_positive = False
    if not is_positive:
        raise ValueError(f"step must be a positive number, but it is {step!r}.")
    return float(step)


def _entry_by_entry(
    f: Callable[..., Any], x: object, step: float | None, both_sides: bool
) -> np.ndarray:
    start = floating_tensor("x", x)
    here = start.numpy().astype(np.float64)
    if step is None:
        relative = machine_epsilon(start.dtype) ** (1 / 3 if both_sides else 1 / 2)
        steps = np.vectorize(power_of_two)(relative * typical_size(here))
    else:
        steps = np.full_like(here, positive_step(step))
    middle = None if both_sides else _at(f, here, start.dtype)
    slopes = []
    for index in np.ndindex(here.shape):
        shift = np.zeros_like(here)
        shift[index] = h = steps[index]
        ahead = _at(f, here + shift, start.dtype)
        behind = _at(f, here - shift, start.dtype) if middle is None else middle
        slopes.append((ahead - behind) / (2 * h if both_sides else h))
    found: np.ndarray = np.stack(slopes, axis=-1).reshape(slopes[0].shape + here.shape)[()]
    return found


def _at(f: Callable[..., Any], x: np.ndarray, dtype: tf.DType) -> np.ndarray:
    """Evaluate ``f`` in the dtype of its argument; what follows is computed in float64."""
    return np.asarray(f(tf.constant(x, dtype)), dtype=np.float64)

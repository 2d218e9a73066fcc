"""Explain the gradients of a function, without writing a tape."""

import inspect
from collections.abc import Callable

import tensorflow as tf

from ..recording.tensors import is_variable
from .explanation import Explanations
from .tape import ExplainingTape

__all__ = ["explain_gradients"]


def explain_gradients(f: Callable, sources: object) -> Explanations:
    """Explain the gradients of what ``f`` returns that are None, zero or not finite.

    Parameters
    ----------
    f : callable
        Called with the sources, one argument each, or without arguments if it takes none. It
        returns a tensor of any shape, or a structure of tensors, whose sum is differentiated.
    sources : tensor, variable, array, number, or a structure of them
        What to differentiate with respect to. Tensors are watched; variables are watched as a
        ``tf.GradientTape`` watches them. Arrays and numbers become tensors.

    Returns
    -------
    Explanations
        One `Explanation` for each source whose gradient is None, zero everywhere or not finite.

    Raises
    ------
    Exception
        Whatever ``f``, or the tape, raises.

    Examples
    --------
    >>> [each.cause for each in explain_gradients(lambda x: tf.round(x), tf.constant(1.5))]
    ['no-gradient-op']
    >>> explain_gradients(lambda x: x ** 2, 3.0)
    Nothing to explain: every gradient is there, finite, and not zero everywhere.
    """
    sources = tf.nest.map_structure(
        lambda each: each if is_variable(each) else tf.convert_to_tensor(each), sources
    )
    flat = tf.nest.flatten(sources)
    arguments = flat if _takes_arguments(f) else []
    tape = ExplainingTape()
    tape._function = f
    with tape:
        tape.watch([each for each in flat if not is_variable(each)])
        target = f(*arguments)
    tape.gradient(target, sources)
    return tape.explanations


def _takes_arguments(f: Callable) -> bool:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(f).parameters.values()
    return any(p.kind in kinds and p.default is p.empty for p in parameters)

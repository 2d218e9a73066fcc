"""``record_tape``: run a function once under a tape, and return what was recorded."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import tensorflow as tf

from .building import Building
from .ends import (
    as_tensors,
    closure_variables,
    name_arguments,
    name_sources,
    name_targets,
    variable_name,
)
from .recorder import Recorder
from .records import TapeRecording
from .tensors import is_differentiable

__all__ = ["record_tape"]


def record_tape(f: Callable[..., Any], *inputs: Any) -> TapeRecording:
    """Run ``f`` once under a tape and return what was recorded.

    Parameters
    ----------
    f : callable
        Called as ``f(*inputs)``. A ``tf.function`` runs as plain Python, so that the recording
        holds what is inside it. Without inputs, the sources are the variables that ``f`` reads.
    *inputs : tensor, variable, NumPy array, float, or dict, list or tuple of them
        The sources. Tensors are watched; a variable is watched by the tape's own rule, so an
        untrainable one gets no gradient. Anything else is passed to ``f`` unchanged.

    Returns
    -------
    TapeRecording
        Reading a variable, identity operations and constants are folded away.

    Raises
    ------
    TypeError
        If ``f`` returns no tensor.
    ValueError
        If there is nothing to record from: no inputs, and ``f`` reads no variable.

    Notes
    -----
    One persistent tape gives the gradient of the sum of the targets with respect to every value at
    once. ``tape.gradient`` also differentiates the sum of several targets.

    Examples
    --------
    >>> recording = record_tape(lambda x: x**2, 3.0)
    >>> print(recording)
    value  computed as  from  forward  gradient
    x      source             3.0      6.0
    y      x²           x     9.0      1.0
    """
    inputs = as_tensors(inputs)
    arguments = name_arguments(f, inputs)
    given, used = name_sources(arguments), closure_variables(f)
    with tf.GradientTape(persistent=True) as tape:
        for _, source in given:
            if isinstance(source, tf.Tensor) and is_differentiable(source):
                tape.watch(source)
        with _recorded() as recorder:
            result = f(*inputs)
            weights = {id(each.value): each for layer in recorder.layers for each in layer.weights}
            sources = [*given, *used]
            for variable in tape.watched_variables():
                name = variable_name(weights.get(id(variable), variable))
                sources.append((name or "variable", variable))
            targets = name_targets(f, result, [*arguments, *(name for name, _ in sources)])
    if recorder.limited:
        raise RuntimeError(recorder.limited)
    if not targets:
        raise TypeError(_no_tensor(result))
    if not sources:
        raise ValueError(
            "There is nothing to record: f got no tensor, array, or float, and read no "
            "tf.Variable. Pass the inputs after f, as in record_tape(f, 3.0)."
        )
    building = Building(tape, recorder, sources, targets)
    return building.freeze(len({id(source) for _, source in given}))


@contextmanager
def _recorded() -> Iterator[Recorder]:
    """Record what runs, each ``tf.function`` as plain Python, so that what is inside it is seen."""
    ran_eagerly, recorder = tf.config.functions_run_eagerly(), Recorder(notes_layers=True)
    tf.config.run_functions_eagerly(True)
    recorder.start()
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*option does not apply to tf.data functions")
            yield recorder
    finally:
        recorder.stop()
        tf.config.run_functions_eagerly(ran_eagerly)


def _no_tensor(result: Any) -> str:
    """Say why there is nothing to draw, and what to change."""
    if result is None:
        return "f returned None, not a tensor. Make f return its result."
    cause = "Return the result of TensorFlow operations."
    if isinstance(result, (float, np.ndarray, np.generic)):
        cause = (
            "The tape does not record float(), .numpy(), or NumPy functions. Use TensorFlow's "
            "functions."
        )
    elif isinstance(result, int):
        cause = "Integers are passed to f unchanged, not as tensors. Write 3.0 instead of 3."
    return f"f returned {repr(result):.60} of type {type(result).__name__}, not a tensor. {cause}"

"""Which inputs of the recorded operations were read from a variable without a report.

An operation that is given a variable, such as ``tf.nn.relu(w)``, reads it in C++ and reports only
itself. The value that went in is recognised by comparison with the variables.
"""

import ast
from typing import TYPE_CHECKING

import numpy as np
import tensorflow as tf

from .recording import Step

if TYPE_CHECKING:
    from .case import Case

__all__ = ["equal_values", "find_unreported_reads", "is_trainable"]


def find_unreported_reads(case: "Case") -> dict[int, object]:
    """Return the variable's handle for each value, by its id, that was read without a report."""
    steps = case.recording.steps
    known = {id(output) for step in steps for output in step.outputs}
    known |= {id(tensor) for tensor, _, _ in case.recording.watches}
    watched = {id(getattr(variable, "handle", None)) for variable in case.watched_variables}
    found: dict[int, object] = {}
    for step in steps:
        for tensor in step.inputs:
            if id(tensor) in known or not tensor.dtype.is_floating or _is_literal(tensor, step):
                continue
            known.add(id(tensor))
            for variable in (*case.watched_variables, *case.sources):
                handle = getattr(variable, "handle", None)
                if handle is None or variable.shape != tensor.shape:
                    continue
                # A tape that records notices the read of a trainable variable, except inside
                # stop_gradient and custom gradients, which pause every tape.
                noticed = case.recording.watch_accessed_variables and is_trainable(variable)
                paused = step.op == "StopGradient" or step.in_custom or step.state != "recording"
                if noticed and not paused and id(handle) not in watched:
                    continue
                named = case.text and case.text.name_of(tensor)  # The user's own copy.
                if not named and _has_value_of(tensor, variable):
                    found[id(tensor)] = handle
                    break
    return found


def is_trainable(source: object) -> bool:
    """Tell whether a tape watches a source by itself."""
    inner = getattr(source, "value", None)  # of a Keras variable: its tf.Variable
    owner = inner if isinstance(inner, tf.Variable) else source
    return bool(getattr(owner, "trainable", False))


def equal_values(one: object, other: object) -> bool:
    """Tell whether two tensors or variables have the same dtype, shape and values."""
    try:
        one, other = np.asarray(one), np.asarray(other)
        return one.dtype == other.dtype and one.shape == other.shape and np.array_equal(one, other)
    except Exception:  # A resource, a string or a symbolic tensor has no value to compare.
        return False


def _has_value_of(tensor: object, variable: object) -> bool:
    """Tell whether a tensor is a reading of a variable: on a CPU they share their memory."""
    if not equal_values(tensor, variable):
        return False
    reading = tf.convert_to_tensor(variable)
    if "CPU" not in tensor.device or "CPU" not in reading.device:
        return True
    try:
        return np.shares_memory(memoryview(tensor), memoryview(reading))
    except (TypeError, ValueError, BufferError):  # bfloat16 has no buffer that Python can read.
        return True


def _is_literal(tensor: object, step: Step) -> bool:
    """Tell whether a scalar stands as a number in the user's line, as the 2 in ``x ** 2``."""
    if tensor.shape.rank != 0 or len(step.inputs) < 2 or step.place is None:
        return False
    try:
        tree = ast.parse(step.place.text.rstrip(":"))
    except SyntaxError:
        return False
    numbers = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    value = abs(float(tensor))
    return any(isinstance(each, (int, float)) and abs(each) == value for each in numbers)

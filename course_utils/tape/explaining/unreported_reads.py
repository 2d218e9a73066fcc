"""Which inputs of the recorded operations were read from a variable without a report.

An operation that is given a variable, such as ``tf.nn.relu(w)``, reads it in C++ and reports only
itself. The value that went in is recognised by comparison with the variables.
"""

import ast
from typing import TYPE_CHECKING, Any

import numpy as np
import tensorflow as tf

from ..recording.recorder import State, Step
from ..recording.tensors import is_trainable, is_variable
from .flow import ASSIGNMENTS
from .syntax import parsed

if TYPE_CHECKING:
    from .case import Case

__all__ = ["equal_values", "find_unreported_reads"]


def find_unreported_reads(case: "Case") -> dict[int, Any]:
    """Return the variable's handle for each value, by its id, that was read without a report."""
    variables = [each for each in (*case.watched_variables, *case.sources) if is_variable(each)]
    known = {id(output) for step in case.recorder.steps for output in step.outputs}
    known |= {id(watch.tensor) for watch in case.recorder.watches}
    found: dict[int, Any] = {}
    for step in case.recorder.steps:
        # What is assigned to a variable may share its memory, but was not read from it.
        for tensor in () if step.op in ASSIGNMENTS else step.inputs:
            if id(tensor) in known or not tensor.dtype.is_floating or _is_literal(tensor, step):
                continue
            known.add(id(tensor))
            read = (each for each in variables if _is_reading(tensor, each, step, case))
            variable = next(read, None)
            if variable is not None:
                found[id(tensor)] = variable.handle
    return found


def _is_reading(tensor: tf.Tensor, variable: Any, step: Step, case: "Case") -> bool:
    """Tell whether the input of a step is what TensorFlow read from a variable without a report."""
    if variable.shape != tensor.shape or _tape_would_know(variable, step, case):
        return False
    is_the_users_own_copy = case.text is not None and bool(case.text.name_of(tensor))
    return not is_the_users_own_copy and _has_value_of(tensor, variable)


def _tape_would_know(variable: Any, step: Step, case: "Case") -> bool:
    """Tell whether the tape would watch the variable if this step had read it, and does not.

    A tape that records notices the read of a trainable variable, except inside stop_gradient and
    custom gradients, which pause every tape.
    """
    if not (case.recorder.watch_accessed_variables and is_trainable(variable)):
        return False
    if step.op == "StopGradient" or step.in_custom or step.state is not State.RECORDING:
        return False
    return all(variable.handle is not getattr(v, "handle", None) for v in case.watched_variables)


def equal_values(one: Any, other: Any) -> bool:
    """Tell whether two tensors or variables have the same dtype, shape and values."""
    try:
        one, other = np.asarray(one), np.asarray(other)
        return one.dtype == other.dtype and one.shape == other.shape and np.array_equal(one, other)
    except Exception:  # A resource, a string or a symbolic tensor has no value to compare.
        return False


def _has_value_of(tensor: tf.Tensor, variable: Any) -> bool:
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


def _is_literal(tensor: tf.Tensor, step: Step) -> bool:
    """Tell whether a scalar stands as a number in the user's line, as the 2 in ``x ** 2``."""
    if tensor.shape.rank != 0 or len(step.inputs) < 2 or step.place is None:
        return False
    nodes = ast.walk(parsed(step.place.text.rstrip(":")))
    numbers = [node.value for node in nodes if isinstance(node, ast.Constant)]
    value = abs(float(tensor))
    return any(isinstance(each, (int, float)) and abs(each) == value for each in numbers)

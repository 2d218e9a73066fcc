"""The backward pass once more, operation by operation, to see where a gradient dies or explodes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from ..recording.places import Line, place_of_operation
from ..recording.recorder import Recorder, State, Step
from ..recording.tensorflow_internals import is_of_gradient, run_operation
from ..recording.tensors import is_differentiable
from .flow import ASSIGNMENTS
from .flow_building import GraphWalk

__all__ = [
    "Backward",
    "CannotReplay",
    "all_finite",
    "all_zero",
    "backward_pass",
    "forward_pass",
]

_REPEATABLE = ("Read", "ResourceGather", "If", "While", "PartitionedCall", "Random", "VarHandle")


class CannotReplay(Exception):
    """What the program ran cannot be run a second time; the message says why."""


@dataclass(eq=False, slots=True)
class Backward:
    """One operation of the backward pass; gradients stand under the ids of their tensors."""

    forward: Step
    arriving: dict[int, tf.Tensor]
    leaving: dict[int, tf.Tensor]


def forward_pass(recorder: Recorder) -> list[Step]:
    """Return what the tape recorded, with every called ``tf.function`` run once more, opened."""
    found: list[Step] = []
    for step in recorder.steps:
        if step.state is State.RECORDING and step.graph is None:
            found.append(step)
        elif step.state is State.RECORDING:
            made = _Rerun(found).graph(step.graph, step.inputs)
            for value, output in zip(made, step.outputs, strict=False):
                dtype = ("T", value.dtype.as_datatype_enum)
                found.append(Step("Identity", (value,), (output,), dtype))
    return found


class _Rerun(GraphWalk[tf.Tensor]):
    """Runs a graph eagerly on values, appending each operation to ``found``."""

    skipped = {"Placeholder", "Assert", "NoOp", *ASSIGNMENTS}

    def __init__(self, found: list[Step]) -> None:
        self.found = found

    def unknown(self, tensor: tf.Tensor, path: tuple[Any, ...]) -> tf.Tensor:
        raise CannotReplay(f"the value of {tensor.name} is not known yet")

    def opened(
        self,
        operation: tf.Operation,
        inputs: Sequence[tf.Tensor],
        inner: dict[Any, Any],
        path: tuple[Any, ...],
    ) -> Sequence[tf.Tensor]:
        if "then_branch" in inner:
            return self.graph(inner["then_branch" if inputs[0] else "else_branch"], inputs[1:])
        if "f" in inner:
            return self.graph(inner["f"], inputs)
        while _Rerun([]).graph(inner["cond"], inputs)[0]:
            inputs = self.graph(inner["body"], inputs)
        return inputs

    def plain(
        self, operation: tf.Operation, inputs: Sequence[tf.Tensor], path: tuple[Any, ...]
    ) -> Sequence[tf.Tensor]:
        if operation.type == "Const":
            return [tf.constant(tf.make_ndarray(operation.get_attr("value")))]
        if operation.op_def.is_stateful and not any(n in operation.type for n in _REPEATABLE):
            raise CannotReplay(f"{operation.type} runs only once")
        outputs, attributes = run_operation(operation, list(inputs))
        place = place_of_operation(operation)
        lines = (Line(place.file, place.line),) if place else ()
        step = Step(operation.type, tuple(inputs), tuple(outputs), attributes, lines=lines)
        step.in_gradient = is_of_gradient(operation)
        self.found.append(step)
        return outputs


def backward_pass(
    forward: list[Step], targets: list[tf.Tensor], output_gradients: list[Any] | None
) -> list[Backward]:
    """Go back through ``forward``, and return the operations that a gradient reached."""
    gradients: dict[int, tf.Tensor] = {}
    given = output_gradients or [None] * len(targets)
    for target, gradient in zip(targets, given, strict=True):
        gradient = tf.ones_like(target) if gradient is None else gradient
        gradients[id(target)] = gradients.get(id(target), 0) + gradient
    found = []
    for step in reversed(forward):
        keys = [id(output) for output in step.outputs if is_differentiable(output)]
        arriving = {key: gradients[key] for key in keys if key in gradients}
        if not arriving:
            continue
        try:
            # The tape inside tf.py_function answers once, and has answered the user's own.
            leaving = {} if step.op == "EagerPyFunc" else step.pass_back(arriving)
        except LookupError:
            continue
        found.append(Backward(step, arriving, leaving))
        for key, gradient in leaving.items():
            gradients[key] = gradients.get(key, 0) + gradient
    return found


def all_zero(value: tf.Tensor) -> bool:
    """Tell whether a tensor is zero everywhere."""
    return not np.any(value.numpy())


def all_finite(value: tf.Tensor) -> bool:
    """Tell whether a tensor has neither NaN nor infinity; integers count as finite."""
    return not is_differentiable(value) or bool(np.isfinite(value.numpy()).all())

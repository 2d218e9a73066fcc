"""The backward pass once more, operation by operation, to see where a gradient dies or explodes."""

from dataclasses import dataclass

import numpy as np
import tensorflow as tf

from ..tensorflow_internals import gradients_of_operation, inner_graphs, run_operation
from .places import Place, place_of_operation
from .recording import Recording

__all__ = [
    "Backward",
    "CannotReplay",
    "Forward",
    "all_finite",
    "all_zero",
    "backward_pass",
    "forward_pass",
]

_SIDE_EFFECTS = {"AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp", "Assert", "NoOp"}
_REPEATABLE = ("Read", "ResourceGather", "If", "While", "PartitionedCall", "Random", "VarHandle")


class CannotReplay(Exception):
    """An operation of a function must not be run a second time."""


@dataclass(eq=False, slots=True)
class Forward:
    """One operation with the values that went in and came out."""

    op: str
    attributes: tuple
    inputs: list
    outputs: list
    place: Place | None
    custom: bool = False


@dataclass(eq=False, slots=True)
class Backward:
    """One operation of the backward pass, with the gradients that arrived and left."""

    forward: Forward
    arriving: list
    leaving: list


def forward_pass(recording: Recording) -> list[Forward]:
    """Return what the tape recorded, with every called ``tf.function`` run once more, opened."""
    found: list[Forward] = []
    for step in recording.steps:
        if step.state != "recording":
            continue
        if step.graph is None:
            found.append(
                Forward(
                    step.op,
                    step.attributes,
                    list(step.inputs),
                    list(step.outputs),
                    step.place,
                    step.in_custom,
                )
            )
        else:
            made = _run_graph(step.graph, list(step.inputs), found)
            for value, output in zip(made, step.outputs, strict=False):
                found.append(_same(value, output))
    return found


def _same(value: object, output: object) -> Forward:
    return Forward("Identity", ("T", value.dtype.as_datatype_enum), [value], [output], None)


def _run_graph(graph: object, inputs: list, found: list[Forward]) -> list:
    """Run a graph eagerly on values, appending each operation to ``found``."""
    values = dict(zip((id(tensor) for tensor in graph.inputs), inputs, strict=False))
    for operation in graph.get_operations():
        if operation.type == "Placeholder" or operation.type in _SIDE_EFFECTS:
            continue
        given = [values[id(tensor)] for tensor in operation.inputs]
        for tensor, value in zip(operation.outputs, _run(operation, given, found), strict=False):
            values[id(tensor)] = value
    return [values[id(tensor)] for tensor in graph.outputs]


def _run(operation: tf.Operation, inputs: list, found: list[Forward]) -> list:
    if operation.type == "Const":
        return [tf.constant(tf.make_ndarray(operation.get_attr("value")))]
    inner = {} if "Dataset" in operation.type else inner_graphs(operation)
    if "then_branch" in inner:
        branch = "then_branch" if bool(inputs[0]) else "else_branch"
        return _run_graph(inner[branch], inputs[1:], found)
    if "body" in inner:
        while bool(_run_graph(inner["cond"], inputs, [])[0]):
            inputs = _run_graph(inner["body"], inputs, found)
        return inputs
    if "f" in inner:
        return _run_graph(inner["f"], inputs, found)
    if operation.op_def.is_stateful and not any(name in operation.type for name in _REPEATABLE):
        raise CannotReplay(operation.type)
    outputs, attributes = run_operation(operation, inputs)
    place = place_of_operation(operation)
    found.append(Forward(operation.type, attributes, list(inputs), outputs, place))
    return outputs


def backward_pass(
    forward: list[Forward], targets: list, output_gradients: list | None
) -> tuple[list[Backward], dict[int, object]]:
    """Go back through ``forward``; return its operations and the gradient of each value by id."""
    gradients: dict[int, object] = {}
    given = output_gradients or [None] * len(targets)
    for target, gradient in zip(targets, given, strict=True):
        if gradient is None:
            gradient = tf.ones_like(target)
        gradients[id(target)] = _sum(gradients.get(id(target)), gradient)
    steps = []
    for each in reversed(forward):
        if not any(id(output) in gradients for output in each.outputs):
            continue
        arriving = [gradients.get(id(output), _zeros(output)) for output in each.outputs]
        if all(gradient is None for gradient in arriving):
            continue
        try:
            leaving = gradients_of_operation(
                each.op, each.attributes, each.inputs, each.outputs, arriving
            )
        except LookupError:
            continue
        for tensor, gradient in zip(each.inputs, leaving, strict=False):
            if gradient is not None:
                dense = tf.convert_to_tensor(gradient)
                gradients[id(tensor)] = _sum(gradients.get(id(tensor)), dense)
        steps.append(Backward(each, arriving, leaving))
    return steps, gradients


def _zeros(output: object) -> object:
    return tf.zeros_like(output) if output.dtype.is_floating or output.dtype.is_complex else None


def _sum(before: object, more: object) -> object:
    return more if before is None else before + more


def all_zero(value: object) -> bool:
    """Tell whether a gradient is zero everywhere; None counts as zero."""
    return value is None or not np.any(tf.convert_to_tensor(value).numpy())


def all_finite(value: object) -> bool:
    """Tell whether a gradient has neither NaN nor infinity; None and integers count as finite."""
    if value is None:
        return True
    value = tf.convert_to_tensor(value)
    if not (value.dtype.is_floating or value.dtype.is_complex):
        return True
    return bool(np.all(np.isfinite(tf.cast(value, tf.complex128).numpy())))

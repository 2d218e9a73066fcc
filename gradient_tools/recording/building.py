"""From the operations that ran to a recording: fold bookkeeping away, and compute gradients."""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import tensorflow as tf

from .labels import operation_label
from .recorder import Recorder, Step
from .records import RecordedOperation, RecordedValue, TapeRecording
from .tensors import SHAPE_ONLY, is_differentiable, key_of

__all__ = ["Building"]

_LONGEST_OPERAND = 8  # a source with a longer name is not written into the labels of operations


@dataclass(eq=False)
class _Value:
    tensor: tf.Tensor | tf.Variable
    gradient: np.ndarray | None
    name: str = ""
    read: tf.Tensor | None = None  # what a variable held when it was first read


@dataclass(eq=False)
class _Operation:
    step: Step
    op_type: str
    label: str
    inputs: list[_Value]
    outputs: list[_Value]
    passed: dict[_Value, np.ndarray] | None = None  # None where nobody can tell
    slopes: dict[_Value, np.ndarray] = field(default_factory=dict)

    @property
    def is_live(self) -> bool:
        return any(value.gradient is not None for value in self.outputs)

    def passes(self, value: _Value) -> bool:
        """Tell whether gradient goes back through this operation to one of its inputs."""
        sent = self.inputs if self.passed is None else self.passed
        return self.is_live and value.gradient is not None and value in sent


class Building:
    """Values and operations while they are put together from what ran under a persistent tape.

    A source that comes twice keeps its first name.
    """

    def __init__(
        self,
        tape: tf.GradientTape,
        recorder: Recorder,
        sources: list[tuple[str, tf.Tensor | tf.Variable]],
        targets: list[tuple[str, tf.Tensor]],
    ) -> None:
        self.tape, self.unreported_reads = tape, recorder.unreported_reads
        results = [tensor for step in recorder.steps for tensor in step.outputs]
        tensors = [*(source for _, source in sources), *results]
        asked = [tensor for tensor in tensors if is_differentiable(tensor)]
        ends = [tensor for _, tensor in targets if is_differentiable(tensor)]
        self.gradients = {
            key_of(tensor): tf.convert_to_tensor(gradient).numpy()
            for tensor, gradient in zip(asked, tape.gradient(ends, asked), strict=True)
            if gradient is not None
        }
        self.values: dict[int, _Value] = {}
        self.sources = list(dict.fromkeys(self._value(source, name) for name, source in sources))
        met: Counter[str] = Counter()
        for source in self.sources:  # of equal names the second and later get a number
            met[source.name] += 1
            if met[source.name] > 1:
                source.name += f" ({met[source.name]})"
        self.operations: list[_Operation] = []
        for step in recorder.steps:
            self._add(step)
        self.targets = [self._value(tensor, name) for name, tensor in targets]

    def freeze(self, given: int) -> TapeRecording:
        """Return plain data; the first ``given`` of the sources were given to the function."""
        met = [value for each in self.operations for value in (*each.inputs, *each.outputs)]
        values = list(dict.fromkeys([*self.sources, *met, *self.targets]))
        position = {value: number for number, value in enumerate(values)}
        for number, value in enumerate([value for value in values if not value.name], 1):
            value.name = f"v{number}"
        recorded = []
        for value in values:
            held = value.tensor if value.read is None else value.read
            array = held.numpy() if held.dtype not in (tf.resource, tf.variant) else None
            about = value.name, tuple(held.shape), held.dtype.name
            recorded.append(RecordedValue(*about, array, value.gradient))
        operations = [
            RecordedOperation(
                each.op_type,
                each.label,
                tuple(position[value] for value in each.inputs),
                tuple(position[value] for value in each.outputs),
                tuple(map(each.passes, each.inputs)),
                each.step.layers,
                each.step.place.text if each.step.place else "",
                tuple(map((each.passed or {}).get, each.inputs)),
                tuple(map(each.slopes.get, each.inputs)),
            )
            for each in self.operations
        ]
        sources = tuple(range(len(self.sources)))
        targets = tuple(position[value] for value in self.targets)
        return TapeRecording(tuple(recorded), tuple(operations), sources, targets, sources[given:])

    def _value(self, tensor: tf.Tensor | tf.Variable, name: str = "") -> _Value:
        key = key_of(tensor)
        value = self.values.setdefault(key, _Value(tensor, self.gradients.get(key)))
        value.name = value.name or name
        return value

    def _note_read(self, value: _Value, tensor: tf.Tensor) -> None:
        self.values[id(tensor)] = value
        value.read = tensor if value.read is None else value.read

    def _add(self, step: Step) -> None:
        """Take up a step, if it computes something from the sources."""
        for tensor in step.inputs:
            handle = self.unreported_reads.get(id(tensor))
            if id(handle) in self.values:
                self._note_read(self.values[id(handle)], tensor)
        met = [self.values.get(id(tensor)) for tensor in step.inputs]
        inputs = list(dict.fromkeys(value for value in met if value is not None))
        if not inputs or not step.outputs or step.op in SHAPE_ONLY:
            return
        if step.op in ("ReadVariableOp", "Identity"):
            (value,), (output,) = inputs, step.outputs
            # After the identity that ends a custom gradient the tape takes over again.
            taken_over = id(output) in self.gradients and value.gradient is None
            if step.op == "ReadVariableOp" or not taken_over:
                self._note_read(value, output)
                return
        operands = list(map(self._operand, step.inputs, met))
        same = len(met) == 2 and met[0] is met[1]
        dtype = step.outputs[0].dtype.name
        label = operation_label(step.op, operands, same_operand=same, dtype=dtype)
        outputs = list(map(self._value, step.outputs))
        operation = _Operation(step, step.op, label, inputs, outputs)
        self._ask(operation, step.pass_back)
        if operation.passed is None:
            self._ask(operation, partial(self._through_tape, operation))
        if operation.is_live and not any(map(operation.passes, inputs)):
            operation = self._joined_custom_gradient(operation)
        self.operations.append(operation)

    def _operand(self, tensor: tf.Tensor, value: _Value | None) -> str | float | None:
        if value is not None:
            return value.name if 0 < len(value.name) <= _LONGEST_OPERAND else None
        is_number = tensor.dtype.is_floating or tensor.dtype.is_integer
        return float(tensor) if is_number and tensor.shape.rank == 0 else None

    def _joined_custom_gradient(self, last: _Operation) -> _Operation:
        """Make one operation of what ran inside a function with its own gradient.

        The tape did not record the operations inside, so they have no gradient. The values before
        them have one, because the tape leads from ``last`` to those values.
        """
        made_by = {value: each for each in self.operations for value in each.outputs}
        inside: list[_Operation] = []
        before: dict[_Value, None] = {}
        waiting = list(last.inputs)
        while waiting:
            value = waiting.pop()
            operation = made_by.get(value)
            if value.gradient is not None:
                before[value] = None
            elif operation is not None and operation not in inside:
                inside.append(operation)
                waiting += operation.inputs
        name, label = "CustomGradient", "custom gradient"
        whole = replace(last, op_type=name, label=label, inputs=list(before))
        self._ask(whole, partial(self._through_tape, whole))
        whole.inputs = [value for value in before if whole.passes(value)]
        if not whole.inputs:
            return last
        self.operations = [each for each in self.operations if each not in inside]
        return whole

    def _through_tape(self, operation: _Operation, arriving: dict[int, Any]) -> dict[int, Any]:
        """Pass a gradient back where only the tape knows the rule."""
        inputs = [value.tensor for value in operation.inputs]
        tensors = [value.tensor for value in operation.outputs]
        outputs = [each for each in tensors if arriving[id(each)] is not None]
        given = [tf.cast(arriving[id(each)], each.dtype) for each in outputs]
        gradients = self.tape.gradient(outputs, inputs, output_gradients=given)
        return dict(zip(map(key_of, inputs), gradients, strict=True))

    def _ask(self, operation: _Operation, through: Callable[..., Any]) -> None:
        """Find out what an operation passes on to each of its inputs, and the slopes there.

        It has slopes where a gradient is only multiplied by a number each.
        """

        def passed(arriving: dict[int, Any]) -> dict[_Value, np.ndarray]:
            found: dict[_Value, np.ndarray] = {}
            for key, gradient in through(arriving).items():
                value = self.values.get(key)
                if value in operation.inputs and gradient is not None:
                    gradient = tf.convert_to_tensor(gradient).numpy()
                    found[value] = found[value] + gradient if value in found else gradient
            return found

        try:
            arrived = passed({id(each.tensor): each.gradient for each in operation.outputs})
            if len(operation.outputs) == 1:
                output, shape = operation.outputs[0].tensor, operation.outputs[0].tensor.shape
                probe = np.linspace(1.0, 2.0, math.prod(shape)).reshape(shape)
                probed = passed({id(output): probe})
                operation.slopes = {
                    value: slope
                    for value, slope in passed({id(output): np.ones(shape)}).items()
                    if shape == ()
                    or shape == slope.shape
                    and np.allclose(probed[value], probe * slope, rtol=1e-4, equal_nan=True)
                }
            operation.passed = arrived
        except Exception:  # There is no rule, or one that runs only once, as py_function's.
            operation.passed = None

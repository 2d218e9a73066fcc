"""From the operations that ran to a recording: fold the plumbing, ask the tape for gradients."""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import tensorflow as tf

from .labels import operation_label
from .recorder import Step
from .records import RecordedOperation, RecordedValue, TapeRecording
from .tensors import SHAPE_ONLY, is_differentiable, key_of

__all__ = ["build_recording"]

_LONGEST_OPERAND = 8  # a source with a longer name is not written into the labels of operations


def build_recording(
    tape: tf.GradientTape,
    reads: tf.GradientTape,
    steps: list[Step],
    sources: dict[str, tf.Tensor | tf.Variable],
    targets: list[tuple[str, tf.Tensor]],
    given: int,
) -> TapeRecording:
    """Turn the steps that ran under a tape into plain data.

    Both tapes are persistent; ``reads`` also watched the untrainable sources, so that it tells
    which variable a tensor is. The first ``given`` of the sources were given to the function.
    """
    graph = _Graph(tape, reads, sources)
    graph.add_steps(steps, [tensor for _, tensor in targets])
    return graph.freeze(targets, given)


@dataclass(eq=False)
class _Operation:
    step: Step
    op_type: str
    label: str
    inputs: dict[int, tf.Tensor | tf.Variable]  # by position among the values
    outputs: dict[int, tf.Tensor]
    passes: dict[int, bool] = field(default_factory=dict)


class _Graph:
    """Values and operations while they are put together; the sources are the first values."""

    def __init__(
        self,
        tape: tf.GradientTape,
        reads: tf.GradientTape,
        sources: dict[str, tf.Tensor | tf.Variable],
    ) -> None:
        self.tape, self.reads = tape, reads
        self.source_names = list(sources)
        self.tensors = list(sources.values())
        self.position = {key_of(source): i for i, source in enumerate(self.tensors)}
        self.operations: list[_Operation] = []
        self.read: dict[int, tf.Tensor] = {}  # what a variable held when it was first read

    def add_steps(self, steps: list[Step], targets: list[tf.Tensor]) -> None:
        """Take up what ran, and find out where gradient goes back from the targets."""
        results = [tensor for step in steps for tensor in step.outputs]
        self.gradients = self._gradients(targets, [*self.tensors, *results])
        made = set(map(id, results))
        for step in steps:
            for tensor in step.inputs:
                if id(tensor) not in made:
                    self._find_silent_read(tensor)
            self._add(step)
        readers = Counter(position for op in self.operations for position in op.inputs)
        readers.update(self.position_or_new(tensor) for tensor in targets)
        for operation in list(self.operations):
            self._find_passes(operation, readers)

    def position_or_new(self, tensor: tf.Tensor) -> int:
        if id(tensor) not in self.position:
            self.position[id(tensor)] = len(self.tensors)
            self.tensors.append(tensor)
        return self.position[id(tensor)]

    def gradient(self, position: int) -> np.ndarray | None:
        return self.gradients.get(id(self.tensors[position]))

    def freeze(self, targets: list[tuple[str, tf.Tensor]], given: int) -> TapeRecording:
        """Drop the values that nothing refers to any more, and name the rest."""
        names = dict(enumerate(self.source_names))
        ends = [self.position_or_new(tensor) for _, tensor in targets]
        for (name, _), position in zip(targets, ends, strict=True):
            names.setdefault(position, name)
        used = set(names)
        for operation in self.operations:
            used |= {*operation.inputs, *operation.outputs}
        new = {old: position for position, old in enumerate(sorted(used))}
        unnamed = (old for old in new if old not in names)
        names |= {old: f"v{number}" for number, old in enumerate(list(unnamed), 1)}
        operations = tuple(
            RecordedOperation(
                operation.op_type,
                operation.label,
                tuple(new[i] for i in operation.inputs),
                tuple(new[i] for i in operation.outputs),
                tuple(operation.passes[i] for i in operation.inputs),
                operation.step.layers,
                operation.step.place.text if operation.step.place else "",
                *self._backward(operation),
            )
            for operation in self.operations
        )
        values = tuple(self._value(old, names[old]) for old in new)
        sources = tuple(range(len(self.source_names)))
        return TapeRecording(
            values, operations, sources, tuple(new[i] for i in ends), sources[given:]
        )

    def _backward(self, operation: _Operation) -> tuple[tuple, tuple]:
        """Return what an operation passes on to each of its inputs, and the slopes there."""
        nothing = (None,) * len(operation.inputs)
        arriving = {id(t): self.gradients.get(id(t)) for t in operation.outputs.values()}
        is_custom = operation.op_type == "CustomGradient"
        through = self._through_tape(operation) if is_custom else operation.step.pass_back
        try:
            passed = self._by_position(operation, through(arriving))
        except Exception:  # There is no rule, or one that runs only once, as py_function's.
            return nothing, nothing
        slopes: dict[int, np.ndarray | None] = dict.fromkeys(passed)
        if len(operation.outputs) == 1:
            (output,) = operation.outputs.values()
            slopes = self._slopes(operation, through, id(output), tuple(output.shape), passed)
        return tuple(map(passed.get, operation.inputs)), tuple(map(slopes.get, operation.inputs))

    def _slopes(
        self, operation: _Operation, through: Callable, key: int, shape: tuple, passed: dict
    ) -> dict[int, np.ndarray | None]:
        """Return the slopes where a gradient is only multiplied by a number each."""
        ones = self._by_position(operation, through({key: np.ones(shape)}))
        if shape == ():
            return {**ones}
        probe = np.linspace(1.0, 2.0, math.prod(shape)).reshape(shape)
        probed = self._by_position(operation, through({key: probe}))
        return {
            position: ones[position]
            if shape == ones[position].shape
            and np.allclose(probed[position], probe * ones[position], rtol=1e-4, equal_nan=True)
            else None
            for position in passed
        }

    def _by_position(self, operation: _Operation, passed: dict[int, Any]) -> dict[int, np.ndarray]:
        """Sum what was passed on to tensors by the values that they are."""
        found: dict[int, np.ndarray] = {}
        for key, gradient in passed.items():
            position = self.position.get(key)
            if position in operation.inputs:
                gradient = tf.convert_to_tensor(gradient).numpy()
                found[position] = found[position] + gradient if position in found else gradient
        return found

    def _through_tape(self, operation: _Operation) -> Callable[[dict[int, Any]], dict[int, Any]]:
        """Return what passes a gradient back where only the tape knows the rule."""

        def through(arriving: dict[int, Any]) -> dict[int, Any]:
            outputs = list(operation.outputs.values())
            given = [tf.cast(arriving[id(t)], t.dtype) for t in outputs]
            tensors = list(operation.inputs.values())
            gradients = self.tape.gradient(outputs, tensors, output_gradients=given)
            pairs = zip(map(key_of, tensors), gradients, strict=True)
            return {key: gradient for key, gradient in pairs if gradient is not None}

        return through

    def _value(self, position: int, name: str) -> RecordedValue:
        tensor = self.read.get(position, self.tensors[position])
        value = tensor.numpy() if tensor.dtype not in (tf.resource, tf.variant) else None
        gradient = self.gradient(position)
        return RecordedValue(name, tuple(tensor.shape), tensor.dtype.name, value, gradient)

    def _gradients(
        self, targets: list[tf.Tensor], tensors: list[tf.Tensor | tf.Variable]
    ) -> dict[int, np.ndarray]:
        """Ask the tape for every gradient at once; what has none is left out."""
        targets = [tensor for tensor in targets if is_differentiable(tensor)]
        tensors = [tensor for tensor in tensors if is_differentiable(tensor)]
        found = self.tape.gradient(targets, tensors) if targets and tensors else []
        return {
            id(tensor): tf.convert_to_tensor(gradient).numpy()
            for tensor, gradient in zip(tensors, found)  # noqa: B905 (found may be empty)
            if gradient is not None
        }

    def _add(self, step: Step) -> None:
        known = {self.position[id(t)]: t for t in step.inputs if id(t) in self.position}
        if not known or not step.outputs or step.op in SHAPE_ONLY:
            return
        if step.op in ("ReadVariableOp", "Identity"):
            (position,), (output,) = known, step.outputs
            # After the identity that ends a custom gradient the tape takes over again.
            taken_over = id(output) in self.gradients and self.gradient(position) is None
            if step.op == "ReadVariableOp" or not taken_over:
                self.position[id(output)] = position
                self.read.setdefault(position, output)
                return
        for position, tensor in known.items():
            if tensor.dtype == tf.resource:
                known[position] = self.tensors[position]
        label = self._label(step)
        outputs = {self.position_or_new(tensor): tensor for tensor in step.outputs}
        self.operations.append(_Operation(step, step.op, label, known, outputs))

    def _find_silent_read(self, tensor: tf.Tensor) -> None:
        """Recognise a variable that TensorFlow read without saying so, as in ``2.0 * variable``."""
        if id(tensor) in self.position or not is_differentiable(tensor):
            return
        for position, source in enumerate(self.tensors[: len(self.source_names)]):
            alike = source.dtype == tensor.dtype and source.shape == tensor.shape
            if isinstance(source, tf.Variable) and alike:
                if self.reads.gradient(tensor, source) is not None:
                    self.position[id(tensor)] = position
                    self.read.setdefault(position, tensor)
                    return

    def _label(self, step: Step) -> str:
        operands: list[str | float | None] = []
        for tensor in step.inputs:
            position = self.position.get(id(tensor))
            if position is None:
                is_number = tensor.shape.rank == 0 and (
                    tensor.dtype.is_floating or tensor.dtype.is_integer
                )
                operands.append(float(tensor) if is_number else None)
            else:
                name = self.source_names[position] if position < len(self.source_names) else ""
                operands.append(name if 0 < len(name) <= _LONGEST_OPERAND else None)
        same = len(step.inputs) == 2 and len({self.position.get(id(t)) for t in step.inputs}) == 1
        return operation_label(
            step.op, operands, same_operand=same, dtype=step.outputs[0].dtype.name
        )

    def _find_passes(self, operation: _Operation, readers: Counter) -> None:
        """Find out to which of its inputs an operation passes gradient back."""
        live = [t for t in operation.outputs.values() if id(t) in self.gradients]
        for position, tensor in operation.inputs.items():
            arrives = bool(live) and self.gradient(position) is not None
            # Where several operations read a value, its gradient may have come from another.
            operation.passes[position] = arrives and (
                readers[position] == 1 or self._reaches(live, tensor)
            )
        if live and not any(operation.passes.values()):
            self._join_custom_gradient(operation, live)

    def _join_custom_gradient(self, last: _Operation, live: list[tf.Tensor]) -> None:
        """Make one operation of what ran inside a function with its own gradient.

        The tape knows nothing of the operations inside: they have no gradient, the values before
        them have one, and the tape finds the way from ``last`` to those values.
        """
        made_by = {i: operation for operation in self.operations for i in operation.outputs}
        inside, before, waiting = [], {}, list(last.inputs)
        while waiting:
            position = waiting.pop()
            operation = made_by.get(position)
            if self.gradient(position) is not None:
                before[position] = self.tensors[position]
            elif operation is not None and operation not in inside:
                inside.append(operation)
                waiting += operation.inputs
        inputs = {i: tensor for i, tensor in before.items() if self._reaches(live, tensor)}
        if inputs:
            last.op_type, last.inputs = "CustomGradient", inputs
            last.label, last.passes = "custom gradient", dict.fromkeys(inputs, True)
            self.operations = [op for op in self.operations if op not in inside]

    def _reaches(self, outputs: list[tf.Tensor], tensor: tf.Tensor | tf.Variable) -> bool:
        if not is_differentiable(tensor):
            return False
        try:
            return self.tape.gradient(outputs, tensor) is not None
        except tf.errors.UnknownError:  # a py_function gives its gradient once, then forgets it
            return True

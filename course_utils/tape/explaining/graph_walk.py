"""One walk through the operations of a graph, which opens functions, branches and loops."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import tensorflow as tf

from ..tensorflow_internals import inner_graphs

__all__ = ["GraphWalk"]

Value = TypeVar("Value")


class GraphWalk(ABC, Generic[Value]):
    """A walk in the order of running. What a value is, and what happens to it, a subclass says.

    A ``path`` has the names of the operations that were opened on the way.
    """

    skipped = {"Placeholder"}

    def graph(self, graph: Any, inputs: Sequence[Value], path: tuple = ()) -> list[Value]:
        """Walk through a graph that gets ``inputs``; return the values of its outputs."""
        values = dict(zip(map(id, graph.inputs), inputs, strict=False))
        self.operations(graph, values, path)
        return [self._value(each, values, path) for each in graph.outputs]

    def operations(self, graph: Any, values: dict[int, Value], path: tuple = ()) -> None:
        """Walk through a graph's operations; ``values``, by the ids of tensors, becomes longer."""
        for operation in graph.get_operations():
            if operation.type not in self.skipped:
                inputs = [self._value(each, values, path) for each in operation.inputs]
                made = self.operation(operation, inputs, path)
                values.update(zip(map(id, operation.outputs), made, strict=False))

    def _value(self, tensor: tf.Tensor, values: dict[int, Value], path: tuple) -> Value:
        return values[id(tensor)] if id(tensor) in values else self.unknown(tensor, path)

    def operation(
        self, operation: tf.Operation, inputs: Sequence[Value], path: tuple
    ) -> Sequence[Value]:
        """Walk through one operation; return the values of its outputs."""
        inner = {} if "Dataset" in operation.type else inner_graphs(operation)
        if inner.keys() & {"then_branch", "body", "f"}:
            return self.opened(operation, inputs, inner, path)
        return self.plain(operation, inputs, path)

    @abstractmethod
    def unknown(self, tensor: tf.Tensor, path: tuple) -> Value:
        """Return the value of a tensor that nothing on the walk made."""

    @abstractmethod
    def plain(
        self, operation: tf.Operation, inputs: Sequence[Value], path: tuple
    ) -> Sequence[Value]:
        """Walk through an operation that holds no graph."""

    @abstractmethod
    def opened(
        self, operation: tf.Operation, inputs: Sequence[Value], inner: dict[str, Any], path: tuple
    ) -> Sequence[Value]:
        """Walk through the branches of an If, cond and body of a loop, or a called f."""

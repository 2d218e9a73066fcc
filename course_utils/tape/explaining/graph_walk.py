"""One walk through the operations of a graph, which opens functions, branches and loops."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import tensorflow as tf

from ..tensorflow_internals import inner_graphs

__all__ = ["GraphWalk"]

Value = TypeVar("Value")
_Values = Sequence[Value]
_Inner = dict[str, Any]  # the graphs in an operation, by their names


class GraphWalk(ABC, Generic[Value]):
    """A walk in the order of running. What a value is, a subclass says.

    ``path`` holds the names of the operations that were opened to get to a graph.
    """

    skipped = {"Placeholder"}

    def graph(self, graph: Any, inputs: _Values, path: tuple = ()) -> list[Value]:
        """Walk through a graph that gets ``inputs``; return the values of its outputs."""
        values = dict(zip(map(id, graph.inputs), inputs, strict=False))

        def value(tensor: tf.Tensor) -> Value:
            return values[id(tensor)] if id(tensor) in values else self.unknown(tensor, path)

        for operation in graph.get_operations():
            if operation.type not in self.skipped:
                made = self.operation(operation, [value(each) for each in operation.inputs], path)
                values.update(zip(map(id, operation.outputs), made, strict=False))
        return [value(tensor) for tensor in graph.outputs]

    def operation(self, operation: tf.Operation, inputs: _Values, path: tuple) -> _Values:
        """Walk through one operation; return the values of its outputs."""
        inner = {} if "Dataset" in operation.type else inner_graphs(operation)
        if "then_branch" in inner:
            return self.choice(operation, inner, inputs, path)
        if "body" in inner:
            return self.loop(operation, inner, inputs, path)
        if "f" in inner:
            return self.call(operation, inner, inputs, path)
        return self.plain(operation, inputs, path)

    @abstractmethod
    def unknown(self, tensor: tf.Tensor, path: tuple) -> Value:
        """Return the value of a tensor that nothing on the walk made."""

    @abstractmethod
    def choice(self, operation, inner: _Inner, inputs: _Values, path: tuple) -> _Values:
        """Walk through an operation with ``then_branch`` and ``else_branch``."""

    @abstractmethod
    def loop(self, operation, inner: _Inner, inputs: _Values, path: tuple) -> _Values:
        """Walk through an operation with ``cond`` and ``body``."""

    @abstractmethod
    def call(self, operation, inner: _Inner, inputs: _Values, path: tuple) -> _Values:
        """Walk through a call of the function ``f``."""

    @abstractmethod
    def plain(self, operation, inputs: _Values, path: tuple) -> _Values:
        """Walk through an operation that holds no graph."""

"""One walk through the operations of a graph, which opens functions, branches and loops."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import tensorflow as tf

from ..tensorflow_internals import inner_graphs

__all__ = ["GraphWalk", "Site"]

Value = TypeVar("Value")


@dataclass(eq=False, slots=True)
class Site(Generic[Value]):
    """An operation on the walk, what goes in, how one gets to its graph, and the graphs in it."""

    operation: tf.Operation
    inputs: Sequence[Value]
    path: tuple[Any, ...]  # the names of the operations that were opened
    inner: dict[str, Any]


class GraphWalk(ABC, Generic[Value]):
    """A walk in the order of running. What a value is, and what happens to it, a subclass says."""

    skipped = {"Placeholder"}

    def graph(self, graph: Any, inputs: Sequence[Value], path: tuple = ()) -> list[Value]:
        """Walk through a graph that gets ``inputs``; return the values of its outputs."""
        values = dict(zip(map(id, graph.inputs), inputs, strict=False))
        self.operations(graph, values, path)
        return [
            values[id(each)] if id(each) in values else self.unknown(each, path)
            for each in graph.outputs
        ]

    def operations(self, graph: Any, values: dict[int, Value], path: tuple = ()) -> None:
        """Walk through a graph's operations; ``values``, by the ids of tensors, becomes longer."""

        def value(tensor: tf.Tensor) -> Value:
            return values[id(tensor)] if id(tensor) in values else self.unknown(tensor, path)

        for operation in graph.get_operations():
            if operation.type not in self.skipped:
                made = self.operation(operation, [value(each) for each in operation.inputs], path)
                values.update(zip(map(id, operation.outputs), made, strict=False))

    def operation(
        self, operation: tf.Operation, inputs: Sequence[Value], path: tuple
    ) -> Sequence[Value]:
        """Walk through one operation; return the values of its outputs."""
        inner = {} if "Dataset" in operation.type else inner_graphs(operation)
        visit = self.plain
        if "then_branch" in inner:
            visit = self.choice
        elif "body" in inner:
            visit = self.loop
        elif "f" in inner:
            visit = self.call
        return visit(Site(operation, inputs, path, inner))

    @abstractmethod
    def unknown(self, tensor: tf.Tensor, path: tuple) -> Value:
        """Return the value of a tensor that nothing on the walk made."""

    @abstractmethod
    def choice(self, site: Site[Value]) -> Sequence[Value]:
        """Walk through an operation with ``then_branch`` and ``else_branch``."""

    @abstractmethod
    def loop(self, site: Site[Value]) -> Sequence[Value]:
        """Walk through an operation with ``cond`` and ``body``."""

    @abstractmethod
    def call(self, site: Site[Value]) -> Sequence[Value]:
        """Walk through a call of the function ``f``."""

    @abstractmethod
    def plain(self, site: Site[Value]) -> Sequence[Value]:
        """Walk through an operation that holds no graph."""

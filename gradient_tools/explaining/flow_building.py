"""From what a tape recorded to the flow of data; a walk opens functions, branches and loops."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

import tensorflow as tf

from ..recording.recorder import Recorder, State
from ..recording.tensorflow_internals import inner_graphs
from .flow import Flow, Key

__all__ = ["GraphWalk", "flow_of_graph", "flow_of_steps"]

Value = TypeVar("Value")


class GraphWalk(ABC, Generic[Value]):
    """A walk in the order of running. What a value is, and what happens to it, a subclass says.

    A ``path`` has the names of the operations that were opened on the way.
    """

    skipped = {"Placeholder"}

    def graph(self, graph: Any, inputs: Sequence[Value], path: tuple[Any, ...] = ()) -> list[Value]:
        """Walk through a graph that gets ``inputs``; return the values of its outputs."""
        values = dict(zip(map(id, graph.inputs), inputs, strict=False))
        self.operations(graph, values, path)
        return [self._value(each, values, path) for each in graph.outputs]

    def operations(self, graph: Any, values: dict[int, Value], path: tuple[Any, ...] = ()) -> None:
        """Walk through a graph's operations; ``values``, by the ids of tensors, becomes longer."""
        for operation in graph.get_operations():
            is_given = operation.type == "Const" and id(operation.outputs[0]) in values
            if operation.type not in self.skipped and not is_given:
                inputs = [self._value(each, values, path) for each in operation.inputs]
                made = self.operation(operation, inputs, path)
                values.update(zip(map(id, operation.outputs), made, strict=False))

    def _value(self, tensor: tf.Tensor, values: dict[int, Value], path: tuple[Any, ...]) -> Value:
        return values[id(tensor)] if id(tensor) in values else self.unknown(tensor, path)

    def operation(
        self, operation: tf.Operation, inputs: Sequence[Value], path: tuple[Any, ...]
    ) -> Sequence[Value]:
        """Walk through one operation; return the values of its outputs."""
        inner = {} if "Dataset" in operation.type else inner_graphs(operation)
        if inner.keys() & {"then_branch", "body", "f"}:
            return self.opened(operation, inputs, inner, path)
        return self.plain(operation, inputs, path)

    @abstractmethod
    def unknown(self, tensor: tf.Tensor, path: tuple[Any, ...]) -> Value:
        """Return the value of a tensor that nothing on the walk made."""

    @abstractmethod
    def plain(
        self, operation: tf.Operation, inputs: Sequence[Value], path: tuple[Any, ...]
    ) -> Sequence[Value]:
        """Walk through an operation that holds no graph."""

    @abstractmethod
    def opened(
        self,
        operation: tf.Operation,
        inputs: Sequence[Value],
        inner: dict[str, Any],
        path: tuple[Any, ...],
    ) -> Sequence[Value]:
        """Walk through the branches of an If, cond and body of a loop, or a called f."""


def flow_of_steps(recorder: Recorder) -> Flow:
    """Build the flow of a tape that recorded eagerly; calls of a ``tf.function`` are opened."""
    flow = Flow()
    for number, step in enumerate(recorder.steps):
        inputs, outputs = [id(each) for each in step.inputs], [id(each) for each in step.outputs]
        link = flow.link(step, inputs, outputs, step.state, number)
        for key in inputs:
            if key in recorder.unreported_reads:
                handle = recorder.unreported_reads[key]
                flow.tensors[id(handle)] = handle
                flow.add(replace(link, inputs=(id(handle),), outputs=(key,), kind="same value"))
        if step.graph is not None:
            made = _Opening(flow, step.state, number).graph(step.graph, inputs, (number,))
            flow.join(made, outputs, link)
        else:
            flow.add(link)
    return flow


def flow_of_graph(recorder: Recorder, graph: Any) -> Flow:
    """Build the flow of a tape that recorded inside a ``tf.function`` being traced."""
    flow = Flow()
    graphs = []
    while graph is not None and hasattr(graph, "captures"):
        graphs.append(graph)
        graph = graph.outer_graph
    for graph in reversed(graphs):
        for outer, inner in graph.captures:
            flow.join([id(outer)], [id(inner)])
        for operation in graph.get_operations():
            if operation.type != "Placeholder":
                names: list[Key] = [id(output) for output in operation.outputs]
                seen = map(recorder.graph_states.get, names or [(id(graph), operation.name)])
                walk = _Opening(flow, *next(filter(None, seen), (State.BEFORE, -1)))
                walk.operation(operation, [id(each) for each in operation.inputs], ())
    return flow


class _Opening(GraphWalk[Key]):
    """Adds what is in a graph to a flow, in the place of the operation that runs the graph."""

    def __init__(self, flow: Flow, state: State, number: int) -> None:
        self.flow, self.state, self.number = flow, state, number

    def unknown(self, tensor: tf.Tensor, path: tuple[Any, ...]) -> Key:
        return (path, id(tensor)) if path else id(tensor)

    def plain(
        self, operation: tf.Operation, inputs: Sequence[Key], path: tuple[Any, ...]
    ) -> Sequence[Key]:
        outputs = [self.unknown(each, path) for each in operation.outputs]
        self.flow.add(self.flow.link(operation, inputs, outputs, self.state, self.number))
        return outputs

    def opened(
        self,
        operation: tf.Operation,
        inputs: Sequence[Key],
        inner: dict[str, Any],
        path: tuple[Any, ...],
    ) -> Sequence[Key]:
        outputs = [self.unknown(each, path) for each in operation.outputs]
        link = self.flow.link(operation, inputs, outputs, self.state, self.number)
        path = (*path, operation.name)
        if "body" in inner:
            starts = [("loop", path, number) for number in range(len(inputs))]
            made = self.graph(inner["body"], starts, path)
            self.flow.join(inputs, starts, link)
            self.flow.join(made, starts, link)
            self.flow.join(made, outputs, link)
        elif "f" in inner:
            self.flow.join(self.graph(inner["f"], inputs, path), outputs, link)
        else:
            self.flow.add(replace(link, op="If", inputs=link.inputs[:1]))
            for branch in ("then_branch", "else_branch"):
                made = self.graph(inner[branch], inputs[1:], (*path, branch))
                self.flow.join(made, outputs, link)
        return outputs

"""Build the flow of data from what a tape recorded, opening functions, branches and loops."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import tensorflow as tf

from ..recording.recorder import Recorder, State
from .flow import Flow, Key
from .graph_walk import GraphWalk

__all__ = ["flow_of_graph", "flow_of_steps"]


def flow_of_steps(recorder: Recorder) -> Flow:
    """Build the flow of a tape that recorded eagerly; calls of a ``tf.function`` are opened."""
    flow = Flow()
    for number, step in enumerate(recorder.steps):
        inputs, outputs = [id(each) for each in step.inputs], [id(each) for each in step.outputs]
        link = flow.link(step, step.op, inputs, outputs, step.state, number)
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

    def unknown(self, tensor: tf.Tensor, path: tuple) -> Key:
        return (path, id(tensor)) if path else id(tensor)

    def plain(self, operation: tf.Operation, inputs: Sequence[Key], path: tuple) -> Sequence[Key]:
        outputs = [self.unknown(each, path) for each in operation.outputs]
        self.flow.add(
            self.flow.link(operation, operation.type, inputs, outputs, self.state, self.number)
        )
        return outputs

    def opened(
        self, operation: tf.Operation, inputs: Sequence[Key], inner: dict[str, Any], path: tuple
    ) -> Sequence[Key]:
        outputs = [self.unknown(each, path) for each in operation.outputs]
        link = self.flow.link(operation, operation.type, inputs, outputs, self.state, self.number)
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

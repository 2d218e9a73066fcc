"""Build the flow of data from what a tape recorded, opening functions, branches and loops."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import tensorflow as tf

from ..recording.recorder import Recorder, State, Step
from ..recording.tensors import is_differentiable
from .flow import ASSIGNMENTS, Flow, Key, Link
from .graph_walk import GraphWalk, Site

__all__ = ["flow_of_graph", "flow_of_steps"]


def flow_of_steps(recorder: Recorder) -> Flow:
    """Build the flow of a tape that recorded eagerly; calls of a ``tf.function`` are opened."""
    flow = Flow()
    for number, step in enumerate(recorder.steps):
        link = _link(flow, step, [id(each) for each in step.inputs], map(id, step.outputs))
        link.state, link.number = step.state, number
        link.in_gradient, link.in_custom = step.in_gradient, step.in_custom
        for key in link.inputs:
            if key in recorder.unreported_reads:
                handle = recorder.unreported_reads[key]
                flow.tensors[id(handle)] = handle
                flow.read(id(handle), key, link)
        if step.graph is not None:
            walk = _Opening(flow, step.state, number)
            flow.join(walk.graph(step.graph, link.inputs, (number,)), link.outputs, link)
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
            flow.same_value(id(outer), [id(inner)])
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

    def plain(self, site: Site[Key]) -> Sequence[Key]:
        link = self._link(site)
        self.flow.add(link)
        return link.outputs if site.operation.type not in ASSIGNMENTS else ()

    def choice(self, site: Site[Key]) -> Sequence[Key]:
        link = self._link(site)
        self.flow.add(replace(link, op="If", inputs=link.inputs[:1]))
        for branch in ("then_branch", "else_branch"):
            path = (*site.path, site.operation.name, branch)
            self.flow.join(
                self.graph(site.inner[branch], site.inputs[1:], path), link.outputs, link
            )
        return link.outputs

    def loop(self, site: Site[Key]) -> Sequence[Key]:
        link = self._link(site)
        path = (*site.path, site.operation.name)
        starts = [("loop", path, number) for number in range(len(site.inputs))]
        made = self.graph(site.inner["body"], starts, path)
        self.flow.join(site.inputs, starts, link)
        self.flow.join(made, starts, link)
        self.flow.join(made, link.outputs, link)
        return link.outputs

    def call(self, site: Site[Key]) -> Sequence[Key]:
        link = self._link(site)
        made = self.graph(site.inner["f"], site.inputs, (*site.path, site.operation.name))
        self.flow.join(made, link.outputs, link)
        return link.outputs

    def _link(self, site: Site[Key]) -> Link:
        outputs = [self.unknown(each, site.path) for each in site.operation.outputs]
        link = _link(self.flow, site.operation, site.inputs, outputs)
        link.state, link.number = self.state, self.number
        link.in_gradient = "gradient_tape/" in site.operation.name
        return link


def _link(
    flow: Flow, origin: Step | tf.Operation, inputs: Iterable[Key], outputs: Iterable[Key]
) -> Link:
    """Make a link of a step or a graph's operation, and let the flow know its tensors."""
    op = origin.op if isinstance(origin, Step) else origin.type
    link = Link(op, tuple(inputs), tuple(outputs), origin=origin)
    carrying = zip(link.outputs, origin.outputs, strict=True)
    link.carrying = tuple(key for key, tensor in carrying if _carries_gradient(tensor))
    tensors = (*origin.inputs, *origin.outputs)
    for key, tensor in zip((*link.inputs, *link.outputs), tensors, strict=True):
        flow.tensors.setdefault(key, tensor)
    return link


def _carries_gradient(tensor: tf.Tensor) -> bool:
    return is_differentiable(tensor) or tensor.dtype.name in ("variant", "resource")

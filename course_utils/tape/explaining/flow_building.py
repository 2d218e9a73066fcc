"""Build the flow of data from what a tape recorded, opening functions, branches and loops."""

from dataclasses import replace

from ..tensorflow_internals import inner_graphs
from .flow import ASSIGNMENTS, Flow, Link
from .recording import Recording

__all__ = ["flow_of_graph", "flow_of_steps"]


def flow_of_steps(recording: Recording, unreported_reads: dict[int, object]) -> Flow:
    """Build the flow of a tape that recorded eagerly; calls of a ``tf.function`` are opened.

    ``unreported_reads`` has the handle of the variable for each value that was read in secret.
    """
    flow = Flow()
    unreported = dict(unreported_reads)
    for number, step in enumerate(recording.steps):
        link = Link(
            step.op,
            tuple(id(tensor) for tensor in step.inputs),
            tuple(id(tensor) for tensor in step.outputs),
            state=step.state,
            number=number,
            in_gradient=step.in_gradient,
            in_custom=step.in_custom,
            origin=step,
            carrying=tuple(id(each) for each in step.outputs if _carries_gradient(each)),
        )
        for tensor in (*step.inputs, *step.outputs):
            flow.tensors[id(tensor)] = tensor
        for tensor in step.inputs:
            if id(tensor) in unreported:
                handle = unreported.pop(id(tensor))
                flow.tensors[id(handle)] = handle
                flow.read(id(handle), id(tensor), link)
        if step.graph is not None:
            made = _open_graph(flow, step.graph, link, link.inputs, (number,))
            _join(flow, made, link.outputs, link)
        elif step.op in ASSIGNMENTS:
            flow.assign(link, *link.inputs[:2])
        else:
            flow.add(link)
    return flow


def flow_of_graph(recording: Recording, graph: object) -> Flow:
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
                names = [id(output) for output in operation.outputs]
                seen = map(recording.graph_states.get, names or [(id(graph), operation.name)])
                state, number = next(filter(None, seen), ("before", -1))
                _add_operation(flow, operation, id, state, number, ())
    return flow


def _carries_gradient(tensor: object) -> bool:
    dtype = tensor.dtype
    return dtype.is_floating or dtype.is_complex or dtype.name in ("variant", "resource")


def _open_graph(flow: Flow, graph: object, call: Link, inputs: tuple, path: tuple) -> tuple:
    """Add a graph's operations in the place of the one that runs it; return its outputs' keys."""
    outside = dict(zip((id(tensor) for tensor in graph.inputs), inputs, strict=False))

    def key(tensor):
        return outside.get(id(tensor), (path, id(tensor)))

    for operation in graph.get_operations():
        if operation.type != "Placeholder":
            _add_operation(flow, operation, key, call.state, call.number, path)
    return tuple(key(tensor) for tensor in graph.outputs)


def _add_operation(flow, operation, key, state, number, path) -> None:
    link = Link(
        operation.type,
        tuple(key(tensor) for tensor in operation.inputs),
        tuple(key(tensor) for tensor in operation.outputs),
        state=state,
        number=number,
        in_gradient="gradient_tape/" in operation.name,
        origin=operation,
        carrying=tuple(key(each) for each in operation.outputs if _carries_gradient(each)),
    )
    tensors = (*operation.inputs, *operation.outputs)
    for name, tensor in zip((*link.inputs, *link.outputs), tensors, strict=True):
        flow.tensors.setdefault(name, tensor)
    inner = {} if "Dataset" in operation.type else inner_graphs(operation)
    path = (*path, operation.name)
    if operation.type in ASSIGNMENTS:
        flow.assign(link, *link.inputs[:2])
    elif "then_branch" in inner:
        choice = replace(link, op="If", inputs=link.inputs[:1])
        flow.add(choice)
        for branch in ("then_branch", "else_branch"):
            made = _open_graph(flow, inner[branch], link, link.inputs[1:], (*path, branch))
            _join(flow, made, link.outputs, link)
    elif "body" in inner:
        starts = tuple(("loop", path, number) for number in range(len(link.inputs)))
        made = _open_graph(flow, inner["body"], link, starts, path)
        _join(flow, link.inputs, starts, link)
        _join(flow, made, starts, link)
        _join(flow, made, link.outputs, link)
    elif "f" in inner:
        made = _open_graph(flow, inner["f"], link, link.inputs, path)
        _join(flow, made, link.outputs, link)
    else:
        flow.add(link)


def _join(flow: Flow, values: tuple, names: tuple, like: Link) -> None:
    for value, name in zip(values, names, strict=False):
        flow.same_value(value, [name], like)

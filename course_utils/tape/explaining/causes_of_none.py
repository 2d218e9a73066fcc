"""Why a gradient is None: from the flow of data first, from the program's text where that ends."""

import ast

import numpy as np
import tensorflow as tf

from .case import Case, Finding, Source
from .flow import Link, key_of
from .places import Place
from .unreported_reads import equal_values

__all__ = ["why_none", "why_none_of_source"]

_SAME_VALUE = {
    "ReadVariableOp",
    "Identity",
    "StridedSlice",
    "GatherV2",
    "ResourceGather",
    "Reshape",
    "Cast",
    "ExpandDims",
    "Squeeze",
    "Unpack",
    "Split",
    "SplitV",
    "Slice",
    "GatherNd",
}


def why_none(case: Case, source: Source) -> Finding | None:
    """Return why no gradient reached ``source``; None if a recorded path leads to it.

    The order of the questions is the order in which a user would mend the program: the source
    itself, then the first place on the way to the target where the gradient is lost.
    """
    dtype = tf.as_dtype(getattr(source.value, "dtype", tf.float32))
    if not (dtype.is_floating or dtype.is_complex):
        return Finding("integer-dtype", _assigned(case, source), {"dtype": dtype.name, "own": True})
    if source.key in case.upstream:
        return _lost_on_the_way(case, source)
    return (
        _made_again(case, source)
        or _left_tensorflow(case, source)
        or _copied_before(case, source)
        or _computed_before(case, source)
        or _not_connected(case, source)
    )


def why_none_of_source(case: Case, source: Source) -> Finding | None:
    """Return what the source alone tells, where TensorFlow reported no operations."""
    dtype = tf.as_dtype(source.value.dtype)
    if not (dtype.is_floating or dtype.is_complex):
        return Finding("integer-dtype", case.place, {"dtype": dtype.name, "own": True})
    return _not_tracked(case, source)


def _lost_on_the_way(case: Case, source: Source) -> Finding | None:
    flow = case.flow
    reached = flow.downstream([source.key], Link.records)
    if reached & case.target_keys:
        return _not_tracked(case, source)
    if not source.is_variable or not source.trainable:
        uses = [link for link in flow.operations_on(source.key) if link.state == "recording"]
        if uses and source.key not in case.tracked:
            finding = _not_tracked(case, source)
            if finding:
                return finding
    lost = [
        (not link.has_dtype_for_gradient(output), flow.links.index(link), link)
        for key in reached
        for link in flow.users(key)
        for output in link.outputs
        if output in case.upstream and not link.records(key, output)
    ]
    return _what_lost(case, min(lost, key=lambda each: each[:2])[2]) if lost else None


def _what_lost(case: Case, link: Link) -> Finding:
    facts = {"operation": link.op}
    place = link.place
    if link.state != "recording":
        if link.in_gradient:
            return Finding("outer-tape-missed", place)
        if link.state == "paused":
            return Finding("recording-paused", place, facts)
        return Finding("outside-tape", place, {**facts, "when": link.state})
    if "Dataset" in link.op:
        return Finding("graph-loop", place, facts)
    if link.kind == "assignment":
        return Finding("state-assignment", place, facts)
    if link.op in ("StopGradient", "PreventGradient"):
        return Finding("gradient-stopped", place, facts)
    if link.op in ("PyFunc", "PyFuncStateless"):
        return Finding("left-tensorflow", place, {"way": "tf.numpy_function"})
    if link.op == "Cast":
        dtype = case.flow.tensors[link.outputs[0]].dtype.name
        return Finding("integer-dtype", place, {**facts, "dtype": dtype, "own": False})
    return Finding("no-gradient-op", place, facts)


def _not_tracked(case: Case, source: Source) -> Finding | None:
    """Return why a source that the recorded computation uses was not watched, if it was not."""
    uses = [link for link in case.flow.operations_on(source.key) if link.state == "recording"]
    first = uses[0] if uses else None
    place = first and first.place
    watches = [watch for watch in case.recording.watches if key_of(watch[0]) == source.key]
    if watches:
        _, when, line = watches[0]
        if first is not None and first.number < when:
            return Finding("watched-late", line, {"used": place})
        return None
    if source.is_variable:
        if not source.trainable:
            return Finding("not-trainable", place)
        if not case.recording.watch_accessed_variables:
            return Finding("not-watched", place, {"variable": True})
        return None
    if source.key in case.tracked:
        return None
    again = _rebinding(case, source)
    if again:
        return again
    return Finding("not-watched", place, {"variable": False})


def _rebinding(case: Case, source: Source) -> Finding | None:
    """Return the line that made a plain tensor of a name that was a variable."""
    assigned = case.text.of(source.name) if case.text else []
    again = [each for each in assigned if each.refers_to_itself]
    if again and (len(again) == len(assigned) or any(each.makes_variable for each in assigned)):
        facts = {"how": "variable", "statement": ast.unparse(again[0].node)}
        return Finding("rebound-source", again[0].place, facts)
    return None


def _made_again(case: Case, source: Source) -> Finding | None:
    """Return the operation that made the source from what the target was computed from."""
    flow = case.flow
    used = {
        key
        for key in flow.upstream([source.key]) & case.upstream
        if key in case.tracked or key in case.handles
    }
    if not used:
        return None
    makers = [link for link in flow.makers(source.key)]
    named = case.text.of(source.name) if case.text else []
    if makers and (
        all(link.op in _SAME_VALUE or link.kind == "same value" for link in makers)
        or not source.name.isidentifier()
        or any(each.refers_to_itself for each in named)
    ):
        return Finding("rebound-source", makers[0].place, {"how": "made"})
    return None


def _left_tensorflow(case: Case, source: Source) -> Finding | None:
    """Return the call of NumPy or plain Python between the source and the target."""
    if case.text is None or case.target_node is None:
        return None
    found = case.text.leaving_call(case.target_node, case.roots_of(source))
    if found:
        call, place = found
        return Finding("left-tensorflow", place, {"call": call}, sure=False)
    return None


def _copied_before(case: Case, source: Source) -> Finding | None:
    """Return the line that copied the source before the tape could see it."""
    roots = case.roots_of(source)
    for key in case.upstream:
        if case.flow.makers(key):
            continue
        tensor = case.flow.tensors.get(key)
        if tensor is None or key == source.key or not equal_values(tensor, source.value):
            continue
        name = case.text.name_of(tensor) if case.text else ""
        for assignment in case.text.of(name) if name else []:
            if assignment.same_value and case.text.depends_on(assignment.value, roots):
                place = assignment.place
                return Finding("rebound-source", place, {"how": "copied", "copy": name})
        if np.size(tensor) > 1:
            users = case.flow.users(key)
            return Finding("rebound-source", users[0].place, {"how": "equal"}, sure=False)
    if source.is_variable and not case.flow.operations_on(source.key):
        for name in roots:
            last = max(case.text.of(name), key=lambda each: each.order, default=None)
            if last is not None and len(case.text.of(name)) > 1 and case.ran_before(last):
                how = "new variable" if last.makes_variable else "new model"
                return Finding("rebound-source", last.place, {"how": how})
    return None


def _computed_before(case: Case, source: Source) -> Finding | None:
    """Return the line before the tape that already computed part of the target."""
    if case.text is None or case.target_node is None or case.recording.in_graph:
        return None
    for assignment in case.text.slice(case.target_node):
        value = case.text.names.get(assignment.name)
        if (
            assignment.name == source.name
            or assignment.makes_variable
            or case.flow.makers(id(value))
        ):
            continue
        if case.text.depends_on(assignment.value, case.roots_of(source)):
            place = assignment.place
            return Finding("outside-tape", place, {"when": "before"}, sure=False)
    return None


def _not_connected(case: Case, source: Source) -> Finding:
    uses = case.flow.operations_on(source.key)
    place = uses[0].place if uses else case.place
    if not (case.upstream & case.tracked) and not (case.upstream & case.handles):
        makers = [link for key in case.target_keys for link in case.flow.makers(key)]
        line = makers[-1].place if makers else _target_line(case)
        return Finding("constant-target", line or case.place)
    return Finding("unconnected", place, {"used": bool(uses)})


def _target_line(case: Case) -> Place | None:
    assigned = case.text.of(case.target_name) if case.text else []
    return assigned[-1].place if assigned else None


def _assigned(case: Case, source: Source) -> Place | None:
    """Return the line that made a source: in the text, else where it was first used."""
    assigned = case.text.of(source.name) if case.text else []
    if assigned:
        return assigned[-1].place
    uses = case.flow.operations_on(source.key)
    return uses[0].place if uses else case.place

"""Why a gradient is None: from the flow of data first, from the program's text where that ends."""

import ast
from typing import Any

import numpy as np
import tensorflow as tf

from ..recording.places import Place
from ..recording.recorder import State
from ..recording.tensors import is_differentiable, is_variable, key_of
from .case import Case, Finding, Source
from .flow import Key, Link

__all__ = ["why_none", "why_none_of_source"]

_SAME_VALUE = (
    "ReadVariableOp Identity StridedSlice GatherV2 ResourceGather Reshape Cast ExpandDims Squeeze "
    "Unpack Split SplitV Slice GatherNd"
).split()


def why_none(case: Case, source: Source) -> Finding | None:
    """Return why no gradient reached ``source``; None if a recorded path leads to it.

    The order of the questions is the order in which a user would mend the program: the source
    itself, then the first place on the way to the target where the gradient is lost.
    """
    if not is_differentiable(source.value):
        assigned = case.text.of(source.name)
        place = assigned[-1].place if assigned else _first_use(case, source)
        return _whole_numbers(source, place)
    if source.key in case.upstream:
        return _lost_on_the_way(case, source)
    if case.target_keys & case.flow.upstream([source.key]):
        return Finding("swapped-arguments", case.place)
    is_used = bool(case.flow.operations_on(source.key))
    return (
        _made_again(case, source)
        or _left_tensorflow(case, source)
        or _copied_before(case, source)
        or _made_anew(case, source)
        or _computed_before(case, source)
        or _constant_target(case)
        or Finding("unconnected used" if is_used else "unconnected", _first_use(case, source))
    )


def why_none_of_source(case: Case, source: Source) -> Finding | None:
    """Return what the source alone tells, where TensorFlow reported no operations."""
    if not is_differentiable(source.value):
        return _whole_numbers(source, case.place)
    return _not_tracked(case, source)


def _whole_numbers(source: Source, place: Place | None) -> Finding:
    return Finding("integer-dtype own", place, {"dtype": tf.as_dtype(source.value.dtype).name})


def _first_use(case: Case, source: Source) -> Place | None:
    uses = case.flow.operations_on(source.key)
    return uses[0].place if uses else case.place


# The target was computed from the source.


def _lost_on_the_way(case: Case, source: Source) -> Finding | None:
    reached = case.flow.downstream([source.key], case.flow.records)
    if reached & case.target_keys:  # A way is open, so the tape did not know where it starts.
        return _not_tracked(case, source)
    is_followed = source.trainable or source.key in case.tracked
    never_tracked = not is_followed and case.recorded_uses(source) and _not_tracked(case, source)
    return never_tracked or _first_loss(case, reached)


def _first_loss(case: Case, reached: set[Key]) -> Finding | None:
    """Return what lost the gradient first, of all that leads from ``reached`` to the target.

    First comes what would open a way if it alone were mended, or all lines outside the block as
    one: a normalisation inside a model stops gradients, too, beside the way that it leaves open.
    Where the dtype of an output has no gradients, what lost it stands further on.
    """
    lost = [
        (link, output)
        for key in reached
        for link in case.flow.users[key]
        for output in link.outputs
        if output in case.upstream and not case.flow.records(link, key, output)
    ]

    def order(each: tuple[Link, Key]) -> tuple[bool, bool, bool, int]:
        link, output = each
        carries = case.flow.carries(link, output)

        def mended(other: Link, *way: Key) -> bool:
            is_beside_it = not link.was_recorded and other.state is link.state
            return is_beside_it or case.flow.records(other, *way)

        opens = carries and case.flow.downstream([output], mended) & case.target_keys
        return not opens, not carries, link.in_gradient, case.flow.links.index(link)

    return _what_lost(case, min(lost, key=order)[0]) if lost else None


def _what_lost(case: Case, link: Link) -> Finding:
    facts, place = {"operation": link.op}, link.place
    if not link.was_recorded and link.in_gradient:
        return Finding("outer-tape-missed", place)
    if link.state is State.PAUSED:
        return Finding("recording-paused", place, facts)
    if not link.was_recorded:
        return Finding(f"outside-tape {link.state.value}", place, facts)
    if "Dataset" in link.op:
        return Finding("graph-loop", place, facts)
    if link.kind == "assignment":
        is_new = place is not None and "Variable(" in place.text
        return Finding("state-assignment new" if is_new else "state-assignment", place, facts)
    if link.op in ("StopGradient", "PreventGradient"):
        return Finding("gradient-stopped", place, facts)
    if link.op in ("PyFunc", "PyFuncStateless"):
        return Finding("left-tensorflow", place, {"way": "tf.numpy_function"})
    if link.op == "Cast":
        dtype = case.flow.tensors[link.outputs[0]].dtype.name
        return Finding("integer-dtype", place, {**facts, "dtype": dtype})
    return Finding("no-gradient-op", place, facts)


def _not_tracked(case: Case, source: Source) -> Finding | None:
    """Return why a source that the recorded computation uses was not watched, if it was not."""
    uses = case.recorded_uses(source)
    place = uses[0].place if uses else None
    watches = [each for each in case.recorder.watches if key_of(each.tensor) == source.key]
    if watches:
        if uses and uses[0].number < watches[0].number:
            return Finding("watched-late", watches[0].place, {"used": place})
        return None
    by_itself = source.trainable and case.recorder.watch_accessed_variables
    if by_itself if source.is_variable else source.key in case.tracked:
        return None
    if any(key_of(each.tensor) == source.key for each in case.recorder.watches_reset):
        return Finding("not-watched reset", place)
    if source.is_variable:
        return Finding("not-watched variable" if source.trainable else "not-trainable", place)
    return _rebinding(case, source) or Finding("not-watched", place)


def _rebinding(case: Case, source: Source) -> Finding | None:
    """Return the line that made a plain tensor of a name that was a variable."""
    assigned = case.text.of(source.name)
    again = [each for each in assigned if each.refers_to_itself]
    if not again:
        return None
    was_variable = any(
        each.makes_variable or is_variable(case.text.names.get(ast.unparse(each.value)))
        for each in assigned
    )
    if was_variable or (len(again) == len(assigned) and not any(e.same_value for e in again)):
        key = "rebound-source in loop" if source.is_of_loop else "rebound-source variable"
        return Finding(key, again[0].place, {"statement": ast.unparse(again[0].node)})
    return None


# TensorFlow saw no operation lead from the source to the target.


def _made_again(case: Case, source: Source) -> Finding | None:
    """Return the operation that made the source from what the target was computed from."""
    shared = case.flow.upstream([source.key]) & case.upstream
    makers = case.flow.makers[source.key]
    if not makers or not shared & (case.tracked | case.handles):
        return None
    if (
        all(link.op in _SAME_VALUE or link.kind == "same value" for link in makers)
        or not source.name.isidentifier()
        or any(each.refers_to_itself for each in case.text.of(source.name))
    ):
        return Finding("rebound-source made", makers[0].place)
    return None


def _left_tensorflow(case: Case, source: Source) -> Finding | None:
    """Return the call of NumPy or plain Python between the source and the target."""
    if case.target_node is None:
        return None
    found = case.text.leaving_call(case.target_node, case.roots_of(source))
    return Finding("left-tensorflow", found[1], {"call": found[0]}) if found else None


def _copied_before(case: Case, source: Source) -> Finding | None:
    """Return the line that copied the source before the tape could see it."""
    roots = case.roots_of(source)
    for key in case.upstream:
        tensor = case.flow.tensors.get(key)
        if tensor is None or key == source.key or case.flow.makers[key]:
            continue
        if not _are_equal(tensor, source.value):
            continue
        for assignment in case.text.of(case.text.name_of(tensor)):
            if assignment.same_value and case.text.depends_on(assignment.value, roots):
                facts = {"copy": assignment.name}
                return Finding("rebound-source copied", assignment.place, facts)
        if np.size(tensor) > 1:
            return Finding("rebound-source equal", case.flow.users[key][0].place)
    return None


def _are_equal(one: Any, other: Any) -> bool:
    """Tell whether two tensors or variables have the same dtype, shape and values."""
    try:
        one, other = np.asarray(one), np.asarray(other)
        return one.dtype == other.dtype and np.array_equal(one, other)
    except Exception:  # A resource, a string or a symbolic tensor has no value to compare.
        return False


def _made_anew(case: Case, source: Source) -> Finding | None:
    """Return the line that made new variables after the target was computed."""
    if not source.is_variable or case.flow.operations_on(source.key):
        return None
    for name in case.roots_of(source):
        assigned = case.text.of(name)
        last = max(assigned, key=lambda each: each.order, default=None)
        if last is not None and len(assigned) > 1 and case.ran_before(last):
            made = "variable" if last.makes_variable else "model"
            return Finding(f"rebound-source new {made}", last.place)
    return None


def _computed_before(case: Case, source: Source) -> Finding | None:
    """Return the line before the tape, or behind it, that computed part of the target."""
    if case.target_node is None or case.recorder.in_graph:
        return None
    for assignment in case.text.slice(case.target_node):
        value = case.text.names.get(assignment.name)
        if assignment.name == source.name or case.flow.makers[id(value)]:
            continue
        if isinstance(assignment.value, ast.Lambda):  # what it computes runs when it is called
            continue
        if not case.text.depends_on(assignment.value, case.roots_of(source)):
            continue
        if case.stands_in_block(assignment):
            if case.text.may_be_passed_over(assignment):
                return Finding("unconnected not-run", assignment.place)
        elif not assignment.makes_variable:
            key = "outside-tape after" if case.ran_before(assignment) else "outside-tape before"
            return Finding(key, assignment.place)
        elif is_variable(value) and key_of(value) in case.upstream:
            return Finding("state-assignment new", assignment.place)
    return None


def _constant_target(case: Case) -> Finding | None:
    """Return the line of a target that was computed from nothing that the tape follows."""
    if case.upstream & (case.tracked | case.handles):
        return None
    makers = [link for key in case.target_keys for link in case.flow.makers[key]]
    places = [each.place for each in makers or case.text.of(case.target_name)]
    return Finding("constant-target", (places[-1] if places else None) or case.place)

"""Why a gradient is None: from the flow of data first, from the program's text where that ends."""

import ast
from itertools import islice
from typing import Any

import numpy as np
import tensorflow as tf

from ..recording.conversions import Conversion
from ..recording.places import Place
from ..recording.recorder import State
from ..recording.tensorflow_internals import moment_of
from ..recording.tensors import is_differentiable, is_variable, key_of
from .case import Case, Source, holds
from .converting import code_of, is_only_shown
from .findings import (
    AnotherModel,
    Cast,
    Converted,
    Copy,
    EarlierUse,
    Facts,
    Finding,
    Kept,
    Rebinding,
    Unused,
)
from .flow import Key, Link
from .keeping import Keeper, assignments_of_attribute, equal_values, keepers_of, variables_of
from .messages import Cause

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
_NOT_RECORDED = {
    State.BEFORE: Cause.BEFORE_TAPE,
    State.AFTER: Cause.AFTER_TAPE,
    State.RESET: Cause.RECORD_RESET,
    State.PAUSED: Cause.RECORDING_PAUSED,
}


def why_none(case: Case, source: Source) -> Finding | None:
    """Return why no gradient reached ``source``; None if a recorded path leads to it.

    The order is that in which a user would fix the program. The source itself comes first, then the
    first place on the path to the target where the gradient is lost.
    """
    if not is_differentiable(source.value):
        assigned = case.text.last(source.name)
        return _whole_numbers(source, assigned.place if assigned else _first_use(case, source))
    if source.key in case.upstream:
        return _lost_on_the_way(case, source)
    if case.target_keys & case.flow.upstream([source.key]):
        return Finding(Cause.SWAPPED_ARGUMENTS, case.place)
    return (
        _made_again(case, source)
        or _converted(case, source)
        or _kept_from_before(case, source)
        or _made_anew(case, source)
        or _of_another_model(case, source)
        or _passed_over(case, source)
        or _read_in_the_text(case, source)
        or _constant_target(case)
        or _unconnected(case, source)
    )


def why_none_of_source(case: Case, source: Source) -> Finding | None:
    """Return what the source alone tells, where TensorFlow reported no operations."""
    if not is_differentiable(source.value):
        return _whole_numbers(source, case.place)
    return _not_tracked(case, source)


def _whole_numbers(source: Source, place: Place | None) -> Finding:
    facts = Cast(dtype=tf.as_dtype(source.value.dtype).name)
    return Finding(Cause.INTEGER_SOURCE, place, facts)


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

    The first choice is a place that would open a path if only that place were fixed. All lines
    outside the block count as one place. This skips, for example, a normalization in a model, which
    also stops gradients but leaves another path open. If the dtype of an output has no gradients,
    the place is further on.
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
    facts, place = Facts(link.op), link.place
    if not link.was_recorded:
        if link.in_gradient:
            return Finding(Cause.OUTER_TAPE_MISSED, place)
        return Finding(_NOT_RECORDED[link.state], place, facts)
    if "Dataset" in link.op:
        return Finding(Cause.DATASET_IN_GRAPH, place, facts)
    if link.kind == "assignment":
        is_new = place is not None and "Variable(" in place.text
        cause = Cause.STORED_IN_NEW_VARIABLE if is_new else Cause.ASSIGNED
        return Finding(cause, place, facts)
    if link.op in ("StopGradient", "PreventGradient"):
        return Finding(Cause.GRADIENT_STOPPED, place, facts)
    if link.op in ("PyFunc", "PyFuncStateless"):
        return Finding(Cause.LEFT_TENSORFLOW, place, Converted(code="tf.numpy_function"))
    if link.op == "Cast":
        dtype = case.flow.tensors[link.outputs[0]].dtype.name
        return Finding(Cause.INTEGER_CAST, place, Cast(link.op, dtype))
    return Finding(Cause.NO_GRADIENT_OP, place, facts)


def _not_tracked(case: Case, source: Source) -> Finding | None:
    """Return why a source that the recorded computation uses was not watched, if it was not."""
    uses = case.recorded_uses(source)
    place = uses[0].place if uses else None
    watches = [each for each in case.recorder.watches if key_of(each.tensor) == source.key]
    if watches:
        if uses and uses[0].number < watches[0].number:
            return Finding(Cause.WATCHED_LATE, watches[0].place, EarlierUse(used=place))
        return None
    by_itself = source.trainable and case.recorder.watch_accessed_variables
    if by_itself if source.is_variable else source.key in case.tracked:
        return None
    if any(key_of(each.tensor) == source.key for each in case.recorder.watches_reset):
        return Finding(Cause.WATCH_RESET, place)
    if source.is_variable:
        cause = Cause.ACCESS_NOT_WATCHED if source.trainable else Cause.NOT_TRAINABLE
        return Finding(cause, place)
    return _rebinding(case, source) or Finding(Cause.NOT_WATCHED, place)


def _rebinding(case: Case, source: Source) -> Finding | None:
    """Return the line that made a plain tensor of a name that was a variable."""
    assigned = case.text.in_loop(source.name) if source.is_of_loop else case.text.of(source.name)
    again = [each for each in assigned if each.refers_to_itself]
    if not again:
        return None
    was_variable = any(
        each.makes_variable or is_variable(case.text.names.get(ast.unparse(each.value)))
        for each in assigned
    )
    if was_variable or (len(again) == len(assigned) and not any(e.same_value for e in again)):
        cause = Cause.REBOUND_IN_LOOP if source.is_of_loop else Cause.REBOUND_TO_TENSOR
        return Finding(cause, again[0].place, Rebinding(statement=ast.unparse(again[0].node)))
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
        return Finding(Cause.SOURCE_DERIVED, makers[0].place)
    return None


def _converted(case: Case, source: Source) -> Finding | None:
    """Return where a tensor that was computed from the source became plain numbers in the block."""
    computed = case.flow.downstream([source.key], lambda *_: True)
    found = [
        (each, tensor)
        for each in case.recorder.conversions
        if each.function != "bool" and (tensor := each.reference()) is not None
        if id(tensor) in computed or key_of(tensor) in computed
    ]
    numbers = [each for each in case.constants.values() if not case.is_from_before(each)]
    for each, tensor in found:  # whose values are those that the target was computed from
        if any(np.size(x) > 1 and equal_values(x, tensor) for x in numbers):
            return _conversion(each)
    for each, _ in found:  # while a statement ran that the target depends on
        if _is_on_the_way(case, each) and not is_only_shown(each):
            return _conversion(each)
    left = [each for each, _ in found if not is_only_shown(each)]
    return _conversion(left[0], is_sure=False) if left and _are_unexplained(numbers) else None


def _are_unexplained(numbers: list[Any]) -> bool:
    """Tell whether one of these tensors may hold what was converted: a number may be a literal."""
    return any(np.size(each) > 1 for each in numbers)


def _conversion(conversion: Conversion, is_sure: bool = True) -> Finding:
    facts = Converted(code=code_of(conversion))
    return Finding(Cause.LEFT_TENSORFLOW, Place(*conversion.lines[0]), facts, is_sure)


def _is_on_the_way(case: Case, conversion: Conversion) -> bool:
    """Tell whether a conversion happened while a statement ran that the target depends on."""
    target = case.target_node
    if target is None:
        return False
    assigned = [each for each in case.text.slice(target) if case.is_in_block(each)]
    statements: list[tuple[str, Any]] = [(each.file, each.node) for each in assigned]
    if case.of_function:  # which returns the target
        statements.append((case.text.file, target))
    return any(
        line.file == file and node.lineno <= line.number <= (node.end_lineno or 0)
        for line in conversion.lines
        for file, node in statements
    )


def _kept_from_before(case: Case, source: Source) -> Finding | None:
    """Return what keeps a tensor from before the block that was made from the source."""
    for key, tensor in case.constants.items():
        if key == source.key or not case.is_from_before(tensor):
            continue
        use = next((link.place for link in case.flow.users[key] if link.place), case.place)
        names = {**case.recorder.names_at_block, **case.text.names}
        for keeper in islice(keepers_of(tensor, names), 3):
            found = _kept_under_name(case, source, keeper, tensor)
            if not found and keeper.owner is not None:
                found = _kept_in_object(case, source, keeper, use)
            if found:
                return found
        if np.size(tensor) > 1 and _is_copy(tensor, source.value):
            return Finding(Cause.EQUAL_VALUES, use)
    return None


def _is_copy(tensor: Any, source: Any) -> bool:
    return tensor.dtype == getattr(source, "dtype", None) and equal_values(tensor, source)


def _kept_under_name(case: Case, source: Source, keeper: Keeper, tensor: Any) -> Finding | None:
    """Return the line before the block that gave a name a tensor made from the source."""
    roots = case.roots_of(source)
    made = case.text.of(keeper.path, case.block_place) or case.text.of(
        keeper.path.partition("[")[0], case.block_place
    )
    for assignment in reversed(made):
        if not case.text.depends_on(assignment.value, roots, assignment.place):
            continue
        if isinstance(assignment.value, ast.Lambda) or assignment.makes_variable:
            continue
        is_sure = len(made) == 1
        if assignment.same_value and _is_copy(tensor, source.value):
            facts = Copy(name=assignment.name)
            return Finding(Cause.COPY_FROM_BEFORE, assignment.place, facts, is_sure)
        left = case.text.leaving_call_of(assignment)
        if left:
            code = ast.unparse(left[0])
            return Finding(Cause.LEFT_TENSORFLOW, left[1], Converted(code=code), is_sure)
        return Finding(Cause.BEFORE_TAPE, assignment.place, is_sure=is_sure)
    return None


def _kept_in_object(
    case: Case, source: Source, keeper: Keeper, use: Place | None
) -> Finding | None:
    """Return the line that uses a tensor which an object made from the source and kept."""
    for assignment, own_name in assignments_of_attribute(keeper.owner, keeper.attribute):
        mentioned = {
            name.partition(".")[2]: name
            for name in case.text.names_behind(assignment)
            if name.startswith(f"{own_name}.")
        }
        if any(
            holds(getattr(keeper.owner, name, None), source.value)
            for name in mentioned
            if name.isidentifier()
        ):
            facts = Kept(name=assignment.name, made=assignment.place)
            return Finding(Cause.KEPT_FROM_BEFORE, use, facts)
    return None


def _made_anew(case: Case, source: Source) -> Finding | None:
    """Return the line that made new variables after the target was computed."""
    if not source.is_variable or case.flow.operations_on(source.key):
        return None
    for name in case.roots_of(source):
        held = case.recorder.names_at_block.get(name)
        assigned = case.text.of(name)
        is_new = held is not None and not holds(held, source.value)
        was_used = is_new and any(key in case.upstream for key in map(key_of, variables_of(held)))
        # Garbage collection may have taken what the name held before.
        was_held = len(assigned) > 1 or case.recorder.held_at_block(name)
        is_late = case.is_from_after(source.value) or case.is_later_than_target(source.value)
        if assigned and (was_used or (is_late and was_held)):
            cause = Cause.NEW_VARIABLE if assigned[-1].makes_variable else Cause.NEW_MODEL
            return Finding(cause, assigned[-1].place)
    return None


def _of_another_model(case: Case, source: Source) -> Finding | None:
    """Return the model with which the target was computed, if the source belongs to its twin."""
    if not source.is_variable or case.flow.operations_on(source.key):
        return None
    names = {n: v for n, v in case.text.names.items() if not n.startswith("_")}
    owners = {name: value for name, value in names.items() if holds(value, source.value)}
    for name, other in names.items():
        used = variables_of(other)
        if len(used) < 2 and not isinstance(other, dict):
            continue
        if name in owners or not any(key_of(each) in case.upstream for each in used):
            continue
        twin = _twin(source, used, next(iter(owners.values()), case.sources))
        if twin is not None and key_of(twin) in case.upstream:
            owner = next(iter(owners), case.sources_text)
            is_model = hasattr(other, "trainable_variables")
            facts = AnotherModel(used=name, owner=owner, is_model=is_model)
            same_name = _path(twin) == _path(source.value)
            cause = Cause.TWIN_MODEL if same_name else Cause.OTHER_MODEL
            return Finding(cause, case.place, facts)
    return None


def _twin(source: Source, used: list[Any], owner: Any) -> Any:
    """Return the variable that is in one model what the source is in another."""
    own = variables_of(owner)
    if [each.shape for each in own] != [each.shape for each in used]:
        return None
    pairs = zip(own, used, strict=True)
    return next((other for each, other in pairs if key_of(each) == source.key), None)


def _path(variable: Any) -> str:
    return str(getattr(variable, "path", None) or variable.name)


def _passed_over(case: Case, source: Source) -> Finding | None:
    """Return a line of the block, in a loop or a branch, that would have used the source."""
    if case.target_node is None or case.recorder.in_graph:
        return None
    roots = case.roots_of(source)
    for assignment in case.text.slice(case.target_node):
        if assignment.name == source.name or not case.is_in_block(assignment):
            continue
        if not case.text.may_be_passed_over(assignment):
            continue
        would_use = case.text.computes_with(assignment, lambda each: each is source.value)
        is_unused = would_use and not case.flow.operations_on(source.key)
        if case.ran(assignment) and not is_unused:
            continue
        if case.text.depends_on(assignment.value, roots, assignment.place):
            is_sure = is_unused or case.text.computes_with(assignment, _is_tensor)
            return Finding(Cause.NOT_RUN, assignment.place, is_sure=is_sure)
    return None


def _is_tensor(value: Any) -> bool:
    return isinstance(value, tf.Tensor) or is_variable(value)


def _read_in_the_text(case: Case, source: Source) -> Finding | None:
    """Return what only the program's text shows: nothing that ran was seen to lose the path."""
    if case.target_node is None:
        return None
    roots = case.roots_of(source)
    left = case.text.leaving_call(case.target_node, roots)
    if left and not _was_noted(case, left[1]):
        facts = Converted(code=ast.unparse(left[0]))
        return Finding(Cause.LEFT_TENSORFLOW, left[1], facts, is_sure=False)
    if case.recorder.in_graph:
        return None
    for assignment in case.text.slice(case.target_node):
        value = case.text.names.get(assignment.name)
        if assignment.name == source.name or case.flow.makers[id(value)]:
            continue
        if isinstance(assignment.value, ast.Lambda):  # what it computes runs when it is called
            continue
        if case.is_in_block(assignment):
            continue
        if not case.text.depends_on(assignment.value, roots, assignment.place):
            continue
        if not assignment.makes_variable:
            is_known = moment_of(value) is not None
            cause = Cause.AFTER_TAPE if case.is_from_after(value) else Cause.BEFORE_TAPE
            return Finding(cause, assignment.place, is_sure=is_known)
        if is_variable(value) and key_of(value) in case.upstream:
            return Finding(Cause.STORED_IN_NEW_VARIABLE, assignment.place)
    return None


def _was_noted(case: Case, place: Place) -> bool:
    """Tell whether a conversion was noted at a line: then it is known what became of it."""
    lines = (line for each in case.recorder.conversions for line in each.lines)
    return any((line.file, line.number) == (place.file, place.line) for line in lines)


def _constant_target(case: Case) -> Finding | None:
    """Return the line of a target that was computed from nothing that the tape follows."""
    if case.upstream & (case.tracked | case.handles):
        return None
    makers = [link for key in case.target_keys for link in case.flow.makers[key]]
    assigned = case.text.last(case.target_name)
    place = makers[-1].place if makers else assigned and assigned.place
    return Finding(Cause.CONSTANT_TARGET, place or case.place)


def _unconnected(case: Case, source: Source) -> Finding:
    is_used = bool(case.flow.operations_on(source.key))
    cause = Cause.USED_ELSEWHERE if is_used else Cause.UNCONNECTED
    facts = Unused(ruled_out=_ruled_out(case, source))
    return Finding(cause, _first_use(case, source), facts)


def _ruled_out(case: Case, source: Source) -> str:
    """Return what was looked at, and is not the cause."""
    causes = [f"an unwatched `{source.name}`", "an operation without a gradient"]
    roots = case.roots_of(source)
    names = {**case.recorder.names_at_block, **case.text.names}

    def is_known(tensor: Any) -> bool:
        keeper = next(keepers_of(tensor, names), None)
        made = case.text.of(keeper.path, case.block_place) if keeper and not keeper.owner else []
        return bool(made) and not any(
            case.text.depends_on(each.value, roots, each.place) for each in made
        )

    if case.recorder.in_graph:
        return ", ".join(causes)
    if all(np.size(each) == 1 or is_known(each) for each in case.constants.values()):
        causes += ["NumPy", "code outside the block"]
    return ", ".join(causes)

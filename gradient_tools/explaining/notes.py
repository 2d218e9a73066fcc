"""Notes on gradients that exist, but may not be those that the user means.

If a variable was changed after the forward pass, the gradient is that at its old value. If the name
of a source was assigned anew, it now belongs to another tensor.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import tensorflow as tf

from ..recording.places import Place
from ..recording.recorder import Recorder, State, Step
from ..recording.tensorflow_internals import inner_graphs
from ..recording.tensors import is_variable, key_of, tf_variable
from .case import Case, Source
from .flow import Key, Link, changes_variable
from .syntax import calls_in, last_name, parsed

__all__ = ["hold_other_values", "may_need_notes", "notes_on"]

_changed_by: WeakKeyDictionary[Any, set[int]] = WeakKeyDictionary()


def may_need_notes(recorder: Recorder, sources: Sequence[Any], graph: Any) -> bool:
    """Tell, at little cost, whether there may be something to note on these sources.

    ``graph`` is the one that is being traced, or None.
    """
    watched = {key_of(watch.tensor) for watch in recorder.watches}
    before = recorder.names_before.values()
    if any(each.is_variable or each.key in watched for each in before):
        if not all(map(is_variable, sources)):
            return True
    variables: set[Key] = {key_of(each) for each in sources if is_variable(each)}
    if graph is not None:
        return bool(variables) and _changes_anything(graph)
    return any(not variables.isdisjoint(_changed_in(step)) for step in recorder.steps)


def hold_other_values(recorder: Recorder, sources: Sequence[Any]) -> bool:
    """Tell whether a variable holds another value than the one that was recorded last.

    For a persistent tape, which does not listen after its first answer outside the block.
    """
    last = {}
    for step in recorder.steps:
        if step.op == "ReadVariableOp" and step.state is State.RECORDING:
            last[id(step.inputs[0])] = step.outputs[0]
    read = [each for each in sources if is_variable(each) and key_of(each) in last]
    return any(_differ(last[key_of(each)], each) for each in read)


def _changed_in(step: Step) -> set[Key]:
    """Return the keys of the variables that an operation, or a called function, changed."""
    if step.graph is not None:
        if step.graph not in _changed_by:
            _changed_by[step.graph] = _changed_inputs(step.graph)
        numbers = _changed_by[step.graph]
        return {id(each) for number, each in enumerate(step.inputs) if number in numbers}
    return set(map(id, step.inputs)) if changes_variable(step.op) else set()


def _changed_inputs(graph: Any) -> set[int]:
    """Return the positions of a graph's inputs that are variables and are changed in it."""
    position = {id(tensor): number for number, tensor in enumerate(graph.inputs)}
    changed: list[Any] = []
    for operation in graph.get_operations():
        given = list(operation.inputs)
        if changes_variable(operation.type):
            changed += given
        for name, inner in inner_graphs(operation).items():
            inputs = given[1:] if name.endswith("branch") else given
            changed += [inputs[number] for number in _changed_inputs(inner)]
    return {position[id(tensor)] for tensor in changed if id(tensor) in position}


def _changes_anything(graph: Any) -> bool:
    return any(
        changes_variable(each.type) or any(map(_changes_anything, inner_graphs(each).values()))
        for each in graph.get_operations()
    )


def _differ(read: tf.Tensor, variable: Any) -> bool:
    return not np.array_equal(read.numpy(), tf_variable(variable).numpy())


def notes_on(case: Case, sources: Sequence[Source]) -> list[str]:
    """Return a note for each change of a variable, and for each name of another tensor."""
    changed: dict[str, list[str]] = defaultdict(list)
    for source in sources:
        if source.is_variable and (how := _change_of(case, source)):
            changed[how].append(source.name)
    notes = [_changed_note(names, how) for how, names in changed.items()]
    rebound = [_rebound_note(case, each) for each in sources if not each.is_variable]
    return notes + [each for each in rebound if each]


def _changed_note(names: list[str], how: str) -> str:
    shown = [f"`{name}`" for name in names[:3]] + [f"{len(names) - 3} more"] * (len(names) > 3)
    if len(names) == 1:
        was, it_was, this, value = "was", "it was", "this is the gradient", "value"
    else:
        was, it_was, this, value = "were", "they were", "these are the gradients", "values"
    return (
        f"{_joined(shown)} {was} {how} after {it_was} recorded; {this} at the old {value}. For the "
        f"new {value}, compute the target again under a new tape."
    )


def _joined(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _change_of(case: Case, source: Source) -> str:
    """Return how a variable was changed after the target was computed from it, or ""."""
    reads = [
        link
        for link in case.flow.operations_on(source.key)
        if link.was_recorded and case.upstream & set(link.outputs)
    ]
    if not reads:
        return ""
    last = max(reads, key=lambda link: link.number)
    if last.op == "ReadVariableOp" and isinstance(last.origin, Step):
        if not _differ(last.origin.outputs[0], source.value):
            return ""
    later = [link for link in case.flow.changes_of(source.key) if link.number > last.number]
    if later:
        place = later[0].place
        return f"changed by `{_method(later[0])}`" + (f" ({_line(case, place)})" if place else "")
    return "" if case.recorder.heard_all else "changed"


def _method(link: Link) -> str:
    """Return the method that changed a variable, as the user's line calls it if it does."""
    name = link.op.removeprefix("Resource").removesuffix("VariableOp")
    name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)[1:]
    text = link.place.text if link.place else ""
    called = [last_name(call.func) for call in calls_in(parsed(text))]
    return name if name in called or not called else called[0]


def _line(case: Case, place: Place) -> str:
    """Return ``line 3``, with the file or cell where it is another than that of the call."""
    same_file = case.place is not None and place.file == case.place.file
    return f"line {place.line}" if same_file else str(Place(place.file, place.line))


def _rebound_note(case: Case, source: Source) -> str:
    """Return a note if the name of a source meant a variable or watched tensor, or ""."""
    before = case.recorder.names_before.get(source.name)
    watched = {key_of(watch.tensor) for watch in case.recorder.watches}
    makers = [link for link in case.flow.makers[source.key] if link.was_recorded]
    if (
        before is None
        or source.key == before.key
        or source.key in watched
        or not (before.is_variable or before.key in watched)
        or before.key not in case.flow.upstream([source.key])
        or all(link.op in ("ReadVariableOp", "Identity") for link in makers)
    ):
        return ""
    what = "the variable" if before.is_variable else "the tensor that was watched"
    place = _rebinding_line(case, source, makers[-1].place)
    result = f"the result of {_line(case, place)}" if place else "another tensor"
    return (
        f"`{source.name}` is now {result}, not {what}. To get the gradient with respect to {what}, "
        f"give {result} a different name."
    )


def _rebinding_line(case: Case, source: Source, made: Place | None) -> Place | None:
    """Return the line that gave a source its name, or else the line that made it."""
    assigned = [each for each in case.text.of(source.name) if case.is_in_block(each)]
    for each in assigned:
        last = each.node.end_lineno or each.node.lineno
        if made and each.file == made.file and each.node.lineno <= made.line <= last:
            return each.place
    return assigned[0].place if len(assigned) == 1 else made

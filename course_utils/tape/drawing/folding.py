"""From a recording to the cards of a drawing: fold layers, and the middle of what is too long."""

from dataclasses import dataclass, replace

import numpy as np

from ..recording import LayerCall, RecordedValue, TapeRecording
from ..recording.labels import value_text
from .grouping import Grouping, Key, Kind, Use

__all__ = ["Card", "Folded", "fold"]

_MOST_CARDS = 40
_LONGEST_TEXT = 24  # a value that needs more characters is given by its shape or norm
_MOST_DEAD_ENDS = 8  # operations that lead to no target, such as a loop's conditions
_MOST_WEIGHTS = 4  # a layer with more says only how many


@dataclass(frozen=True)
class Card:
    """What is written on one box, and what that box is.

    ``alive`` says whether gradient reaches a source, or passes through an operation; ``lines`` are
    those of the program that ran it, and ``leaving`` the values that others read.
    """

    kind: Kind
    title: str
    value: str
    gradient: tuple[str, ...]
    alive: bool
    is_target: bool
    lines: tuple[str, ...] = ()
    leaving: tuple[RecordedValue, ...] = ()
    details: tuple[str, ...] = ()


@dataclass(frozen=True)
class Folded:
    """The cards in an order in which they can be computed, and their connections.

    ``uses`` maps (from, to) to the values that go that way.
    """

    cards: tuple[Card, ...]
    uses: dict[tuple[int, int], list[Use]]
    notes: tuple[str, ...]
    recording: TapeRecording

    @property
    def edges(self) -> dict[tuple[int, int], bool]:
        """For each (from, to), whether gradient goes back along it."""
        return {edge: any(use.passes for use in uses) for edge, uses in self.uses.items()}


def fold(recording: TapeRecording, depth: int) -> Folded:
    """Choose what is drawn as one card: ``depth`` levels of Keras models and layers are opened.

    Where the cards are too many, less is opened; then the middle becomes one card.
    """
    read = {position for operation in recording.operations for position in operation.inputs}
    recording, notes = _without_dead_ends(recording)
    grouping = Grouping(recording, depth)
    asked = depth
    while len(grouping.order) > _MOST_CARDS and depth > 0 and grouping.has_layers:
        depth -= 1
        grouping = Grouping(recording, depth)
    if depth < asked:
        notes.append(f"More than {_MOST_CARDS} boxes at depth={asked}: drawn at depth={depth}.")
    if len(grouping.order) > _MOST_CARDS:
        grouping.fold_middle()
        notes.append(
            f"{len(recording.operations)} operations in all: the middle is drawn as one box; "
            "record_tape lists every one."
        )
    symbol, note = _symbol(recording)
    cards = tuple(_card(grouping, key, symbol, read) for key in grouping.order)
    return Folded(cards, grouping.edges(), (*notes, *note), recording)


def _without_dead_ends(recording: TapeRecording) -> tuple[TapeRecording, list[str]]:
    """Leave out the operations that lead to no target, if they are many."""
    needed, kept = set(recording.targets), []
    for operation in reversed(recording.operations):
        if needed & set(operation.outputs):
            needed |= set(operation.inputs)
            kept.append(operation)
    left_out = len(recording.operations) - len(kept)
    if left_out <= _MOST_DEAD_ENDS:
        return recording, []
    note = f"{left_out} operations that lead to no target are left out."
    return replace(recording, operations=tuple(reversed(kept))), [note]


def _symbol(recording: TapeRecording) -> tuple[str, list[str]]:
    """Name what is differentiated, and say so where it is a sum."""
    targets = [recording.values[position] for position in recording.targets]
    smooth = [target for target in targets if target.gradient is not None] or targets
    if len(smooth) > 1:
        names = " + ".join(f"sum({t.name})" if t.shape else t.name for t in smooth)
        return "Σ", [f"With several targets the tape gives the gradient of their sum, Σ = {names}."]
    (target,) = smooth
    if target.value is not None and target.value.size > 1:
        note = f"{target.name} has {target.value.size} elements: the tape differentiates their sum."
        return f"Σ{target.name}", [note]
    return target.name, []


def _card(grouping: Grouping, key: Key, symbol: str, read: set[int]) -> Card:
    """Write a card; ``read`` are the values that any operation reads."""
    recording, leaving = grouping.recording, grouping.leaving(key)
    target = next((recording.values[p].name for p in leaving if p in recording.targets), None)
    if key.kind == "source":
        return _source_card(recording, key.what, symbol, target, unread=key.what not in read)
    numbers = grouping.operations(key)
    if key.kind == "operation":
        leaving = leaving or list(recording.operations[numbers[0]].outputs)
    left = [recording.values[position] for position in leaving]
    live = [value for value in left if value.gradient is not None]
    title, details = _title(grouping, key, numbers)
    passes = _passes_gradient(grouping, key, numbers)
    return Card(
        key.kind,
        f"{target} = {title}" if target and key.kind == "operation" else title,
        _short(left[0]) if len(left) == 1 else f"{len(left)} values" if left else "",
        _gradient_lines(live, symbol, target, passes),
        passes and bool(live),
        target is not None,
        tuple(dict.fromkeys(recording.operations[number].line for number in numbers)),
        tuple(left),
        details,
    )


def _source_card(
    recording: TapeRecording, position: int, symbol: str, target: str | None, unread: bool
) -> Card:
    value = recording.values[position]
    alive, is_target = value.gradient is not None, target is not None
    lines = [_gradient_text(value, symbol, value.name) if alive else "no gradient"]
    if unread and not is_target:
        lines.append("no operation reads it")
    title = value.name if position in recording.sources else f"{value.name} (constant)"
    return Card("source", title, _short(value), tuple(lines), alive, is_target, leaving=(value,))


def _title(grouping: Grouping, key: Key, numbers: list[int]) -> tuple[str, tuple[str, ...]]:
    """Return the title of a card of operations, and the lines on the weights inside."""
    recording = grouping.recording
    if key.kind == "operation":
        return recording.operations[numbers[0]].label, ()
    if key.kind == "folded":
        return f"… {len(numbers)} operations …", ()
    layer: LayerCall = key.what
    says_its_kind = layer.kind.lower() in layer.name.replace("_", "").lower()
    inside = [p for p in recording.weights if grouping.value_key[p] == key]
    title = layer.name if says_its_kind else f"{layer.name} · {layer.kind}"
    return title, _weights([recording.values[p] for p in inside])


def _passes_gradient(grouping: Grouping, key: Key, numbers: list[int]) -> bool:
    """Tell whether gradient goes on from a card to a value outside it, or to a source."""
    recording = grouping.recording
    return any(
        passes and (grouping.value_key[position] != key or position in recording.sources)
        for operation in (recording.operations[number] for number in numbers)
        for position, passes in zip(operation.inputs, operation.passes_gradient, strict=True)
    )


def _gradient_lines(
    live: list[RecordedValue], symbol: str, target: str | None, passes: bool
) -> tuple[str, ...]:
    if not live:
        return ("no gradient",)
    line = f"gradient to {len(live)} values"
    if len(live) == 1:
        line = _gradient_text(live[0], symbol, target or "·")
    return (line,) if passes else (line, "passes no gradient")


def _short(value: RecordedValue) -> str:
    text = value_text(value.value)
    return text if len(text) <= _LONGEST_TEXT else value_text(value.value, most=0)


def _gradient_text(value: RecordedValue, symbol: str, name: str) -> str:
    assert value.gradient is not None
    ratio = f"∂{symbol}/∂{name if len(name) <= 8 else '·'}"
    text = value_text(value.gradient)
    if len(text) <= _LONGEST_TEXT and value.gradient.size <= 4:
        return f"{ratio} = {text}"
    return f"‖{ratio}‖ = {value_text(np.linalg.norm(value.gradient))}"


def _weights(weights: list[RecordedValue]) -> tuple[str, ...]:
    """Write one line for each weight of a layer: its shape and the norm of its gradient."""
    if len(weights) > _MOST_WEIGHTS:
        live = sum(weight.gradient is not None for weight in weights)
        return (f"{len(weights)} weights, {live} with a gradient",)
    return tuple(
        f"{weight.name.split('/')[-1]} {value_text(weight.value, most=0)}  "
        + (
            "no gradient"
            if weight.gradient is None
            else f"‖∂‖ = {value_text(np.linalg.norm(weight.gradient))}"
        )
        for weight in weights
    )

"""From a recording to the cards of a drawing: fold layers, and the middle of what is too long."""

from dataclasses import dataclass, replace

import numpy as np

from ..recording.labels import value_text
from ..recording.recorder import LayerCall
from ..recording.records import RecordedValue, TapeRecording
from .grouping import Grouping, Key, Kind, Use

__all__ = ["Card", "Folded", "fits", "fold", "short"]

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

    @property
    def name(self) -> str:
        """What its value is called: the target's name, or the title."""
        return self.title.partition(" = ")[0]

    @property
    def arriving(self) -> list[np.ndarray]:
        """The gradients that come to its values."""
        return [value.gradient for value in self.leaving if value.gradient is not None]


@dataclass(frozen=True)
class Folded:
    """The cards in an order in which they can be computed, and what each reads of others."""

    cards: tuple[Card, ...]
    uses: tuple[Use, ...]
    notes: tuple[str, ...]
    recording: TapeRecording

    @property
    def edges(self) -> dict[tuple[int, int], bool]:
        """For each (from, to), whether gradient goes back along it."""
        passing = {(use.maker, use.reader) for use in self.uses if use.passes}
        return {(use.maker, use.reader): (use.maker, use.reader) in passing for use in self.uses}

    @property
    def title(self) -> str:
        """What the picture shows, in one line."""
        operations = sum(card.kind != "source" for card in self.cards)
        plural = "s" if operations != 1 else ""
        targets = ", ".join(card.name for card in self.cards if card.is_target)
        return f"Tape of {targets or 'a function'}: {operations} operation{plural}"

    @property
    def description(self) -> str:
        """The picture in words: the cards in order, with their values and gradients."""
        lines = [f"{self.title}."]
        for i, card in enumerate(self.cards):
            read = dict.fromkeys(self.cards[use.maker].name for use in self.uses if use.reader == i)
            source = "Source " if card.kind == "source" else ""
            of = f" of {', '.join(read)}" if read else ""
            value = f" is {card.value}" if card.value else ""
            gradient = ", ".join([*card.gradient, *card.details])
            lines.append(f"{source}{card.title}{of}{value}; {gradient}.")
        return " ".join([*lines, *self.notes])


def fold(recording: TapeRecording, depth: int) -> Folded:
    """Choose what is drawn as one card: ``depth`` levels of Keras models and layers are opened.

    Where the cards are too many, less is opened; then the middle becomes one card.
    """
    read = {position for operation in recording.operations for position in operation.inputs}
    recording, notes = _without_dead_ends(recording)
    has_layers = any(operation.layers for operation in recording.operations)
    grouping, asked = Grouping(recording, depth), depth
    while len(grouping.order) > _MOST_CARDS and depth > 0 and has_layers:
        depth -= 1
        grouping = Grouping(recording, depth)
    if depth < asked:
        notes.append(
            f"At depth={asked} there would be more than {_MOST_CARDS} boxes, so the drawing uses "
            f"depth={depth}."
        )
    if len(grouping.order) > _MOST_CARDS:
        grouping.fold_middle()
        notes.append(
            f"{len(recording.operations)} operations in all: the middle is drawn as one box; "
            "record_tape lists all operations."
        )
    symbol, of_symbol = _symbol(recording)
    uses = grouping.uses()
    cards = tuple(
        _source_card(recording, key.what, symbol, key.what in read)
        if key.kind == "source"
        else _operations_card(grouping, key, symbol, uses)
        for key in grouping.order
    )
    between = tuple(use for use in uses if use.maker != use.reader)
    return Folded(cards, between, (*notes, *of_symbol), recording)


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


def _source_card(recording: TapeRecording, position: int, symbol: str, is_read: bool) -> Card:
    value, is_target = recording.values[position], position in recording.targets
    title = value.name if position in recording.sources else f"{value.name} (constant)"
    gradient = [_gradient(value, symbol, value.name)]
    if not is_read and not is_target:
        gradient.append("no operation reads it")
    alive = value.gradient is not None
    return Card(
        "source", title, short(value.value), tuple(gradient), alive, is_target, leaving=(value,)
    )


def _operations_card(grouping: Grouping, key: Key, symbol: str, uses: list[Use]) -> Card:
    recording, number = grouping.recording, grouping.order.index(key)
    keyed = zip(grouping.op_key, recording.operations, strict=True)
    operations = [operation for other, operation in keyed if other == key]
    held = [position for position, other in grouping.value_key.items() if other == key]
    out = {use.position for use in uses if use.maker == number != use.reader}
    left = [recording.values[p] for p in held if p in out or p in recording.targets]
    target = next((recording.values[p].name for p in held if p in recording.targets), None)
    # Whether gradient goes on to a value outside, or to a source inside.
    passes = any(
        use.passes and (use.maker != number or use.position in recording.sources)
        for use in uses
        if use.reader == number
    )
    details: tuple[str, ...] = ()
    if key.kind == "folded":
        title = f"… {len(operations)} operations …"
    elif key.kind == "layer":
        layer: LayerCall = key.what
        says_its_kind = layer.kind.lower() in layer.name.replace("_", "").lower()
        title = layer.name if says_its_kind else f"{layer.name} · {layer.kind}"
        details = _weights([recording.values[p] for p in recording.weights if p in held])
    else:
        title = f"{target} = {operations[0].label}" if target else operations[0].label
        left = left or [recording.values[position] for position in operations[0].outputs]
    live = [value for value in left if value.gradient is not None]
    gradient = [f"gradient to {len(live)} values" if live else "no gradient"]
    if len(live) == 1:
        gradient = [_gradient(live[0], symbol, target or "·")]
    if live and not passes:
        gradient.append("passes no gradient")
    return Card(
        key.kind,
        title,
        short(left[0].value) if len(left) == 1 else f"{len(left)} values" if left else "",
        tuple(gradient),
        passes and bool(live),
        target is not None,
        tuple(dict.fromkeys(operation.line for operation in operations)),
        tuple(left),
        details,
    )


def _weights(weights: list[RecordedValue]) -> tuple[str, ...]:
    """Write one line for each weight of a layer: its shape and the norm of its gradient."""
    if len(weights) > _MOST_WEIGHTS:
        live = sum(weight.gradient is not None for weight in weights)
        return (f"{len(weights)} weights, {live} with a gradient",)
    return tuple(
        f"{weight.name.split('/')[-1]} {value_text(weight.value, most=0)}  {_norm(weight, '∂')}"
        for weight in weights
    )


def _gradient(value: RecordedValue, symbol: str, name: str) -> str:
    """Write the gradient of a value if it is short, else its norm."""
    ratio = f"∂{symbol}/∂{name if len(name) <= 8 else '·'}"
    if value.gradient is None or not fits(value.gradient):
        return _norm(value, ratio)
    return f"{ratio} = {value_text(value.gradient)}"


def _norm(value: RecordedValue, ratio: str) -> str:
    if value.gradient is None:
        return "no gradient"
    return f"‖{ratio}‖ = {value_text(np.linalg.norm(value.gradient))}"


def fits(value: np.ndarray | None) -> bool:
    """Tell whether there is room for all numbers of a value."""
    return value is None or (np.size(value) <= 4 and len(value_text(value)) <= _LONGEST_TEXT)


def short(value: np.ndarray | None) -> str:
    """Write a value, or only its shape."""
    return value_text(value, most=4 if fits(value) else 0)

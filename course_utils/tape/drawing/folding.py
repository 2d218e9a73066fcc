"""From a recording to the cards of a drawing: fold layers, and the middle of what is too long."""

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np

from course_utils.tape.recording import RecordedValue, TapeRecording
from course_utils.tape.recording.labels import value_text

__all__ = ["Card", "Folded", "fold"]

_LONGEST_TEXT = 24  # a value that needs more characters is given by its shape or norm
_KEPT_AT_EACH_END = 12  # of a drawing that is too long
_MOST_DEAD_ENDS = 8  # operations that lead to no target, such as a loop's conditions
_MOST_WEIGHTS = 4  # a layer with more says only how many


@dataclass(frozen=True)
class Card:
    """What is written on one box, and what that box is.

    ``kind`` is ``"source"``, ``"operation"``, ``"layer"`` or ``"folded"``. ``alive`` says whether
    gradient reaches a source, or passes through an operation.
    """

    kind: str
    title: str
    value: str
    details: tuple[str, ...]
    gradient: tuple[str, ...]
    alive: bool
    is_target: bool


@dataclass(frozen=True)
class Folded:
    """The cards in an order in which they can be computed, and their connections.

    ``edges`` maps (from, to) to whether gradient goes back along it.
    """

    cards: tuple[Card, ...]
    edges: dict[tuple[int, int], bool]
    notes: tuple[str, ...]


def fold(recording: TapeRecording, depth: int, most: int) -> Folded:
    """Choose what is drawn as one card.

    Parameters
    ----------
    recording : TapeRecording
    depth : int
        How many levels of Keras models and layers are opened.
    most : int
        With more cards than this, less is opened; then the middle becomes one card.
    """
    read = {position for operation in recording.operations for position in operation.inputs}
    recording, notes = _without_dead_ends(recording)
    grouping = _Grouping(recording, depth)
    asked = depth
    while len(grouping.order) > most and depth > 0 and grouping.has_layers:
        depth -= 1
        grouping = _Grouping(recording, depth)
    if depth < asked:
        notes.append(f"More than {most} boxes at depth={asked}: drawn at depth={depth}.")
    if len(grouping.order) > most:
        grouping.fold_middle()
        notes.append(
            f"{len(recording.operations)} operations in all: the middle is drawn as one box; "
            "record_tape lists every one."
        )
    symbol, note = _symbol(recording)
    cards = tuple(_card(recording, grouping, key, symbol, read) for key in grouping.order)
    return Folded(cards, grouping.edges(), (*notes, *note))


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


class _Grouping:
    """Which operations and sources share a card: each has a key, and a key is a card."""

    def __init__(self, recording: TapeRecording, depth: int):
        self.recording = recording
        self.has_layers = any(operation.layers for operation in recording.operations)
        self.op_key: list[Hashable] = [
            ("layer", operation.layers[depth]) if len(operation.layers) > depth else ("op", i)
            for i, operation in enumerate(recording.operations)
        ]
        self.readers = defaultdict(set)
        self.value_key: dict[int, Hashable] = {}
        for key, operation in zip(self.op_key, recording.operations, strict=True):
            for position in operation.inputs:
                self.readers[position].add(key)
            self.value_key |= dict.fromkeys(operation.outputs, key)
        for position in (*recording.sources, *recording.targets):
            readers = self.readers[position]
            only = next(iter(readers)) if len(readers) == 1 else ("", None)
            inside = position in recording.weights and only[0] == "layer"
            self.value_key.setdefault(position, only if inside else ("source", position))
        self._put_in_order()

    def _put_in_order(self) -> None:
        """Put a source right before its first reader, and what nobody reads first."""
        unread = [p for p in self.recording.sources if not self.readers[p]]
        keys = [self.value_key[p] for p in unread]
        for key, operation in zip(self.op_key, self.recording.operations, strict=True):
            keys += [self.value_key[position] for position in operation.inputs]
            keys.append(key)
        keys += [self.value_key[position] for position in self.recording.targets]
        self.order = list(dict.fromkeys(keys))

    def fold_middle(self) -> None:
        kept = _KEPT_AT_EACH_END
        middle = dict.fromkeys(self.order[kept:-kept], ("folded", None))
        self.op_key = [middle.get(key, key) for key in self.op_key]
        self.value_key = {p: middle.get(key, key) for p, key in self.value_key.items()}
        for position, keys in self.readers.items():
            self.readers[position] = {middle.get(key, key) for key in keys}
        self.order = list(dict.fromkeys(middle.get(key, key) for key in self.order))

    def operations(self, key: Hashable) -> list[int]:
        return [i for i, other in enumerate(self.op_key) if other == key]

    def leaving(self, key: Hashable) -> list[int]:
        """List the values of a card that others read, or that are targets."""
        targets = self.recording.targets
        mine = [p for p, other in self.value_key.items() if other == key]
        return [p for p in mine if p in targets or self.readers[p] - {key}]

    def edges(self) -> dict[tuple[int, int], bool]:
        number = {key: i for i, key in enumerate(self.order)}
        found: dict[tuple[int, int], bool] = {}
        for key, operation in zip(self.op_key, self.recording.operations, strict=True):
            for position, passes in zip(operation.inputs, operation.passes_gradient, strict=True):
                edge = number[self.value_key[position]], number[key]
                if edge[0] != edge[1]:
                    found[edge] = found.get(edge, False) or passes
        return found


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


def _card(
    recording: TapeRecording, grouping: _Grouping, key: Hashable, symbol: str, read: set[int]
) -> Card:
    kind, what = key
    leaving = grouping.leaving(key)
    target = next((recording.values[p].name for p in leaving if p in recording.targets), None)
    if kind == "source":
        value = recording.values[what]
        is_constant = what not in recording.sources
        gradient = _gradient_text(value, symbol, value.name)
        unread = what not in read and not target
        return Card(
            "source",
            f"{value.name} (constant)" if is_constant else value.name,
            _short(value),
            (),
            (gradient or "no gradient", *["no operation reads it"] * unread),
            gradient is not None,
            target is not None,
        )
    numbers = grouping.operations(key)
    operations = [recording.operations[i] for i in numbers]
    details: tuple[str, ...] = ()
    if kind == "op":
        kind, title = "operation", operations[0].label
        leaving = leaving or list(operations[0].outputs)
    elif kind == "layer":
        plain = what.name.replace("_", "").lower()
        title = what.name if what.kind.lower() in plain else f"{what.name} · {what.kind}"
        inside = [p for p in recording.weights if grouping.value_key[p] == key]
        details = _weights([recording.values[p] for p in inside])
    else:
        title = f"… {len(operations)} operations …"
    enters = [
        passes
        for operation in operations
        for position, passes in zip(operation.inputs, operation.passes_gradient, strict=True)
        if grouping.value_key[position] != key or position in recording.sources
    ]
    left = [recording.values[position] for position in leaving]
    live = [value for value in left if value.gradient is not None]
    if len(live) > 1:
        gradient = (f"gradient to {len(live)} values",)
    else:
        gradient = tuple(_gradient_text(value, symbol, target or "·") for value in live)
    if not live:
        gradient = ("no gradient",)
    elif not any(enters):
        gradient = (*gradient, "passes no gradient")
    return Card(
        kind,
        f"{target} = {title}" if target and kind == "operation" else title,
        _short(left[0]) if len(left) == 1 else f"{len(left)} values" if left else "",
        details,
        gradient,
        any(enters) and bool(live),
        target is not None,
    )


def _short(value: RecordedValue) -> str:
    text = value_text(value.value)
    return text if len(text) <= _LONGEST_TEXT else value_text(value.value, most=0)


def _gradient_text(value: RecordedValue, symbol: str, name: str) -> str | None:
    if value.gradient is None:
        return None
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

"""Which operations and sources of a recording share a card, and what goes from card to card."""

from collections import defaultdict
from typing import Any, Literal, NamedTuple

import numpy as np

from ..recording.records import RecordedOperation, RecordedValue, TapeRecording

__all__ = ["Grouping", "Key", "Kind", "Use"]

_KEPT_AT_EACH_END = 12  # of a drawing that is too long


Kind = Literal["source", "operation", "layer", "folded"]  # what a card stands for


class Key(NamedTuple):
    """What a card is known by: its source's position, its operation's number, or its layer."""

    kind: Kind
    what: Any


class Use(NamedTuple):
    """A value that an operation reads, as its input number ``place``, and the edge to it.

    The edge goes from card number ``maker`` to card number ``reader``. ``passed_on`` and ``slopes``
    are those of the operation, for this input.
    """

    maker: int
    reader: int
    position: int
    value: RecordedValue
    operation: RecordedOperation
    place: int
    passes: bool
    passed_on: np.ndarray | None
    slopes: np.ndarray | None


class Grouping:
    """Which operations and values share a card: each has a key, and a key is a card.

    ``order`` are the keys in an order in which the cards can be computed.
    """

    def __init__(self, recording: TapeRecording, depth: int) -> None:
        self.recording = recording
        self.op_key = [
            Key("layer", operation.layers[depth])
            if len(operation.layers) > depth
            else Key("operation", number)
            for number, operation in enumerate(recording.operations)
        ]
        self.value_key: dict[int, Key] = {}
        readers: dict[int, set[Key]] = defaultdict(set)
        for key, operation in zip(self.op_key, recording.operations, strict=True):
            self.value_key |= dict.fromkeys(operation.outputs, key)
            for position in operation.inputs:
                readers[position].add(key)
        for position in (*recording.sources, *recording.targets):
            key = Key("source", position)
            if position in recording.weights and len(readers[position]) == 1:
                (reader,) = readers[position]
                key = reader if reader.kind == "layer" else key  # a weight of that layer alone
            self.value_key.setdefault(position, key)
        # A source stands right before its first reader, and first if nobody reads it.
        keys = [self.value_key[p] for p in recording.sources if not readers[p]]
        for key, operation in zip(self.op_key, recording.operations, strict=True):
            keys += [*(self.value_key[position] for position in operation.inputs), key]
        keys += [self.value_key[position] for position in recording.targets]
        self.order = list(dict.fromkeys(keys))

    def fold_middle(self) -> None:
        """Put all but the first and last cards into one."""
        middle = self.order[_KEPT_AT_EACH_END:-_KEPT_AT_EACH_END]
        folded = dict.fromkeys(middle, Key("folded", None))
        self.op_key = [folded.get(key, key) for key in self.op_key]
        self.value_key = {p: folded.get(key, key) for p, key in self.value_key.items()}
        self.order = list(dict.fromkeys(folded.get(key, key) for key in self.order))

    def uses(self) -> list[Use]:
        """List what is read, of other cards and of values inside the card itself."""
        recording, found = self.recording, []
        number = {key: i for i, key in enumerate(self.order)}
        for key, op in zip(self.op_key, recording.operations, strict=True):
            back = zip(op.passes_gradient, op.passed_on, op.slopes, strict=True)
            for place, (position, of_rule) in enumerate(zip(op.inputs, back, strict=True)):
                value, maker = recording.values[position], number[self.value_key[position]]
                found.append(Use(maker, number[key], position, value, op, place, *of_rule))
        return found

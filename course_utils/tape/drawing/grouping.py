"""Which operations and sources of a recording share a card."""

from collections import defaultdict
from typing import Any, Literal, NamedTuple

import numpy as np

from ..recording import RecordedOperation, RecordedValue, TapeRecording

__all__ = ["Grouping", "Key", "Kind", "Use"]

_KEPT_AT_EACH_END = 12  # of a drawing that is too long


Kind = Literal["source", "operation", "layer", "folded"]  # what a card stands for


class Key(NamedTuple):
    """What a card is known by: its source's position, its operation's number, or its layer."""

    kind: Kind
    what: Any


class Use(NamedTuple):
    """A value that an operation reads, as its input number ``place``."""

    value: RecordedValue
    operation: RecordedOperation
    place: int

    @property
    def passes(self) -> bool:
        """Whether gradient goes back through the operation to the value."""
        return self.operation.passes_gradient[self.place]

    @property
    def passed_on(self) -> np.ndarray | None:
        """The gradient that the operation's rule sends to the value; None if it sends none."""
        return self.operation.passed_on[self.place]

    @property
    def slopes(self) -> np.ndarray | None:
        """What the operation multiplies by, where it is one number an entry."""
        return self.operation.slopes[self.place]


class Grouping:
    """Which operations and sources share a card: each has a key, and a key is a card."""

    def __init__(self, recording: TapeRecording, depth: int) -> None:
        self.recording = recording
        self.has_layers = any(operation.layers for operation in recording.operations)
        self.op_key = [
            Key("layer", operation.layers[depth])
            if len(operation.layers) > depth
            else Key("operation", number)
            for number, operation in enumerate(recording.operations)
        ]
        self.readers: dict[int, set[Key]] = defaultdict(set)
        self.value_key: dict[int, Key] = {}
        for key, operation in zip(self.op_key, recording.operations, strict=True):
            for position in operation.inputs:
                self.readers[position].add(key)
            self.value_key |= dict.fromkeys(operation.outputs, key)
        for position in (*recording.sources, *recording.targets):
            self.value_key.setdefault(position, self._key_of_source(position))
        self._put_in_order()

    def _key_of_source(self, position: int) -> Key:
        """Put a weight that only one layer reads into that layer's card."""
        readers = list(self.readers[position])
        inside = len(readers) == 1 and readers[0].kind == "layer"
        if inside and position in self.recording.weights:
            return readers[0]
        return Key("source", position)

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
        """Put all but the first and last cards into one."""
        kept = _KEPT_AT_EACH_END
        middle = dict.fromkeys(self.order[kept:-kept], Key("folded", None))
        self.op_key = [middle.get(key, key) for key in self.op_key]
        self.value_key = {p: middle.get(key, key) for p, key in self.value_key.items()}
        for position, keys in self.readers.items():
            self.readers[position] = {middle.get(key, key) for key in keys}
        self.order = list(dict.fromkeys(middle.get(key, key) for key in self.order))

    def operations(self, key: Key) -> list[int]:
        """List the numbers of a card's operations."""
        return [i for i, other in enumerate(self.op_key) if other == key]

    def leaving(self, key: Key) -> list[int]:
        """List the values of a card that others read, or that are targets."""
        targets = self.recording.targets
        mine = [p for p, other in self.value_key.items() if other == key]
        return [p for p in mine if p in targets or self.readers[p] - {key}]

    def edges(self) -> dict[tuple[int, int], list[Use]]:
        """Join the cards: (from, to), and the uses of values on that way."""
        number = {key: i for i, key in enumerate(self.order)}
        found: dict[tuple[int, int], list[Use]] = defaultdict(list)
        for key, operation in zip(self.op_key, self.recording.operations, strict=True):
            for place, position in enumerate(operation.inputs):
                edge = number[self.value_key[position]], number[key]
                if edge[0] != edge[1]:
                    found[edge].append(Use(self.recording.values[position], operation, place))
        return dict(found)

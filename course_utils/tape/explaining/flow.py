"""The flow of data from sources to targets, through functions, branches, loops and assignments.

A *key* stands for a value: the identity of a tensor, or of a variable's handle. A *link* is one
operation that leads from some keys to others; some links let a gradient back, some do not.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import tensorflow as tf

from ..recording.places import Place, place_of_operation
from ..recording.recorder import State, Step
from ..recording.tensors import SHAPE_ONLY
from ..tensorflow_internals import differentiable_inputs, role_of_file

__all__ = ["ASSIGNMENTS", "Flow", "Key", "Link"]

Key = Hashable
ASSIGNMENTS = {"AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"}


# What a link does with its values: "same value" gives a value another name.
Kind = Literal["operation", "same value", "assignment"]


@dataclass(eq=False)
class Link:
    """One operation of the flow; ``carrying`` are the outputs whose dtype can have a gradient."""

    op: str
    inputs: tuple[Key, ...]
    outputs: tuple[Key, ...]
    kind: Kind = "operation"
    state: State = State.RECORDING
    number: int = 0
    in_gradient: bool = False
    in_custom: bool = False
    origin: Any = None  # a Step, or a graph's operation
    carrying: tuple[Key, ...] | None = None

    @property
    def place(self) -> Place | None:
        """The user's line."""
        if isinstance(self.origin, Step):
            return self.origin.place
        return place_of_operation(self.origin) if self.origin is not None else None

    @property
    def was_recorded(self) -> bool:
        """Whether the tape recorded this link."""
        return self.state is State.RECORDING

    def records(self, key: Key, output: Key) -> bool:
        """Tell whether a tape leads the gradient of ``output`` back to the input ``key``."""
        is_open = self.was_recorded and self.has_dtype_for_gradient(output)
        return is_open and key in self._passing

    def has_dtype_for_gradient(self, output: Key) -> bool:
        """Tell whether an output is floating-point, complex, or a container of such."""
        return self.carrying is None or output in self.carrying

    @cached_property
    def _passing(self) -> set[Key]:
        """The inputs to which a gradient goes back."""
        if self.kind == "same value" or self.in_custom or self.op == "EagerPyFunc":
            return set(self.inputs)
        if self.kind == "assignment" or self.op in ("If", "Case"):
            return set()
        try:
            if isinstance(self.origin, Step):
                return set(self.origin.pass_back({}))
            if any(role_of_file(f.filename) == "custom gradient" for f in self.origin.traceback):
                return set(self.inputs)
            passed = differentiable_inputs(self.origin)
            return {key for key, passes in zip(self.inputs, passed, strict=False) if passes}
        except LookupError:  # No gradient is registered for this operation.
            return set()
        except Exception:  # A gradient function that cannot run here still leads a gradient back.
            return set(self.inputs)


class Flow:
    """All links around one tape, in the order in which they ran."""

    def __init__(self) -> None:
        self.links: list[Link] = []
        self.tensors: dict[Key, tf.Tensor] = {}
        self._makers: dict[Key, list[Link]] = defaultdict(list)
        self._users: dict[Key, list[Link]] = defaultdict(list)
        self._assigned: dict[Key, Key] = {}

    def add(self, link: Link) -> None:
        """Append a link; an assignment is remembered for the reads that follow it."""
        if link.op in ASSIGNMENTS:
            handle, value = link.inputs[:2]
            version = ("assigned", len(self.links))
            link.kind, link.inputs, link.outputs = "assignment", (value,), (version,)
            self._append(link)
            self._assigned[handle] = version
        elif link.op not in SHAPE_ONLY:
            self._append(link)
            for key in link.inputs:
                if key in self._assigned:
                    self.same_value(self._assigned[key], link.outputs, link)

    def read(self, handle: Key, value: Key, like: Link) -> None:
        """Append the reading of a variable that TensorFlow did not report."""
        self.same_value(handle, [value], like)
        if handle in self._assigned:
            self.same_value(self._assigned[handle], [value], like)

    def same_value(self, key: Key, others: Iterable[Key], like: Link | None = None) -> None:
        """Say that ``others`` are the value of ``key`` under other names."""
        others = tuple(other for other in others if other != key)
        if others:
            like = like or Link("same", (), ())
            self._append(
                replace(like, inputs=(key,), outputs=others, kind="same value", carrying=None)
            )

    def join(self, values: Iterable[Key], names: Iterable[Key], like: Link) -> None:
        """Say of each value that it goes on under another name."""
        for value, name in zip(values, names, strict=False):
            self.same_value(value, [name], like)

    def _append(self, link: Link) -> None:
        self.links.append(link)
        for key in link.inputs:
            self._users[key].append(link)
        for key in link.outputs:
            self._makers[key].append(link)

    def makers(self, key: Key) -> list[Link]:
        """Return the links that made a value; none for a constant."""
        return self._makers.get(key, [])

    def users(self, key: Key) -> list[Link]:
        """Return the links that use a value."""
        return self._users.get(key, [])

    def operations_on(self, key: Key) -> list[Link]:
        """Return the operations that use a value, under any of its names, in their order."""
        names = self.downstream([key], lambda link, *_: link.kind == "same value")
        links = {link for name in names for link in self.users(name)}
        return [each for each in self.links if each in links and each.kind != "same value"]

    def upstream(self, keys: Iterable[Key]) -> set[Key]:
        """Return ``keys`` and every value that they were computed from."""
        return _reach(keys, lambda key: (i for link in self.makers(key) for i in link.inputs))

    def downstream(
        self, keys: Iterable[Key], through: Callable[[Link, Key, Key], bool]
    ) -> set[Key]:
        """Return ``keys`` and every value computed from them.

        Only the ways from an input to an output that ``through(link, input, output)`` admits count.
        """

        def further(key: Key) -> Iterable[Key]:
            ways = ((link, output) for link in self.users(key) for output in link.outputs)
            return (output for link, output in ways if through(link, key, output))

        return _reach(keys, further)


def _reach(start: Iterable[Key], step: Callable[[Key], Iterable[Key]]) -> set[Key]:
    waiting = list(start)
    seen = set(waiting)
    while waiting:
        for key in step(waiting.pop()):
            if key not in seen:
                seen.add(key)
                waiting.append(key)
    return seen

"""The flow of data from sources to targets, through functions, branches, loops and assignments.

A *key* stands for a value: the identity of a tensor, or of a variable's handle. A *link* is one
operation that leads from some keys to others; some links let a gradient back, some do not.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import tensorflow as tf

from ..recording.places import Place, place_of_operation
from ..recording.recorder import State, Step
from ..recording.tensorflow_internals import differentiable_inputs, is_of_gradient, role_of_file
from ..recording.tensors import SHAPE_ONLY, is_differentiable

__all__ = ["ASSIGNMENTS", "Flow", "Key", "Link", "changes_variable"]

Key = Hashable
ASSIGNMENTS: set[str] = {"AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"}

_CHANGES = ("Assign", "ResourceApply", "ResourceSparseApply", "ResourceScatter", "ResourceStrided")

# What a link does with its values: "same value" gives a value another name.
Kind = Literal["operation", "same value", "assignment"]


def changes_variable(operation: str) -> bool:
    """Tell whether an operation gives the variables among its inputs another value.

    >>> changes_variable("AssignAddVariableOp"), changes_variable("ReadVariableOp")
    (True, False)
    """
    return operation.startswith(_CHANGES)


@dataclass(eq=False, frozen=True)
class Link:
    """One operation of the flow."""

    op: str
    inputs: tuple[Key, ...] = ()
    outputs: tuple[Key, ...] = ()
    state: State = State.RECORDING
    number: int = 0
    origin: Any = None  # a Step, or a graph's operation
    kind: Kind = "operation"

    @property
    def place(self) -> Place | None:
        """The user's line."""
        if isinstance(self.origin, Step):
            return self.origin.place
        return place_of_operation(self.origin) if self.origin is not None else None

    @property
    def in_gradient(self) -> bool:
        """Whether it ran to compute a gradient."""
        if isinstance(self.origin, Step):
            return self.origin.in_gradient
        return self.origin is not None and is_of_gradient(self.origin)

    @property
    def was_recorded(self) -> bool:
        """Whether the tape recorded this link."""
        return self.state is State.RECORDING

    @cached_property
    def passing(self) -> set[Key]:
        """The inputs to which a gradient goes back."""
        step = self.origin if isinstance(self.origin, Step) else None
        is_custom = step is not None and step.in_custom
        if self.kind == "same value" or is_custom or self.op == "EagerPyFunc":
            return set(self.inputs)
        if self.kind == "assignment" or self.op in ("If", "Case"):
            return set()
        try:
            if step is not None:
                return set(step.pass_back({}))
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
        self.makers: dict[Key, list[Link]] = defaultdict(list)  # none for a constant
        self.users: dict[Key, list[Link]] = defaultdict(list)
        self.assigned: dict[Key, Key] = {}  # of each variable, what it was assigned last
        self.changes: dict[Key, list[Link]] = defaultdict(list)  # of each variable

    def link(
        self, origin: Any, inputs: Sequence[Key], outputs: Sequence[Key], state: State, number: int
    ) -> Link:
        """Return a link for a step or a graph's operation, whose tensors the flow then knows."""
        for key, tensor in zip((*inputs, *outputs), (*origin.inputs, *origin.outputs), strict=True):
            self.tensors.setdefault(key, tensor)
        op = origin.op if isinstance(origin, Step) else origin.type
        return Link(op, tuple(inputs), tuple(outputs), state, number, origin)

    def add(self, link: Link) -> None:
        """Append a link; an assignment is remembered for the reads that follow it."""
        if link.op in SHAPE_ONLY:
            return
        if changes_variable(link.op):
            for key in link.inputs:
                self.changes[key].append(link)
        if link.op in ASSIGNMENTS:
            handle, value = link.inputs[:2]
            version = self.assigned[handle] = ("assigned", len(self.links))
            link = replace(link, kind="assignment", inputs=(value,), outputs=(version,))
        self._append(link)
        for key in link.inputs:
            if key in self.assigned:
                self.join([self.assigned[key]] * len(link.outputs), link.outputs, link)

    def join(self, values: Iterable[Key], names: Iterable[Key], like: Link = Link("same")) -> None:
        """Say of each value that it goes on under another name."""
        for value, name in zip(values, names, strict=False):
            if value != name:
                self._append(replace(like, inputs=(value,), outputs=(name,), kind="same value"))

    def _append(self, link: Link) -> None:
        self.links.append(link)
        for key in link.inputs:
            self.users[key].append(link)
        for key in link.outputs:
            self.makers[key].append(link)

    def carries(self, link: Link, output: Key) -> bool:
        """Tell whether an output is floating-point, complex, or a container of such."""
        tensor = self.tensors.get(output)
        if tensor is None or link.kind == "same value":
            return link.kind == "same value"
        return is_differentiable(tensor) or tensor.dtype.name in ("variant", "resource")

    def records(self, link: Link, key: Key, output: Key) -> bool:
        """Tell whether a tape leads the gradient of ``output`` back to the input ``key``."""
        return link.was_recorded and self.carries(link, output) and key in link.passing

    def changes_of(self, key: Key) -> list[Link]:
        """Return the operations that changed a variable, in their order."""
        links = [link for name in self._names_of(key) for link in self.changes[name]]
        return sorted(links, key=lambda link: link.number)

    def _names_of(self, key: Key) -> set[Key]:
        return self.downstream([key], lambda link, *_: link.kind == "same value")

    def operations_on(self, key: Key) -> list[Link]:
        """Return the operations that use a value, under any of its names, in their order."""
        links = {link for name in self._names_of(key) for link in self.users[name]}
        return [each for each in self.links if each in links and each.kind != "same value"]

    def upstream(self, keys: Iterable[Key]) -> set[Key]:
        """Return ``keys`` and every value that they were computed from."""
        return _reach(keys, lambda key: (i for link in self.makers[key] for i in link.inputs))

    def downstream(
        self, keys: Iterable[Key], through: Callable[[Link, Key, Key], bool]
    ) -> set[Key]:
        """Return ``keys`` and every value computed from them.

        Only the ways from an input to an output that ``through(link, input, output)`` admits count.
        """

        def further(key: Key) -> Iterable[Key]:
            ways = ((link, output) for link in self.users[key] for output in link.outputs)
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

"""The flow of data from sources to targets, through functions, branches, loops and assignments.

A *key* stands for a value: the identity of a tensor, or of a variable's handle. A *link* is one
operation that leads from some keys to others; some links let a gradient back, some do not.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import tensorflow as tf

from ..tensorflow_internals import (
    differentiable_inputs,
    gradients_of_operation,
    role_of_file,
)
from .places import Place, place_of_operation
from .recording import Step

__all__ = ["ASSIGNMENTS", "Flow", "Link", "key_of"]

# These look at a tensor's shape only, so no value flows through them.
SHAPE_ONLY = {"Shape", "ShapeN", "Size", "Rank", "ZerosLike", "OnesLike", "VariableShape"}
ASSIGNMENTS = {"AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"}


def key_of(source: object) -> int:
    """Return the key of a tensor or variable; for a ragged or sparse tensor, of its values."""
    if isinstance(source, tf.RaggedTensor):
        source = source.flat_values
    elif isinstance(source, (tf.SparseTensor, tf.IndexedSlices)):
        source = source.values
    return id(getattr(source, "handle", source))


@dataclass(eq=False, slots=True)
class Link:
    """One operation of the flow. ``kind`` is ``operation``, ``same value`` or ``assignment``."""

    op: str
    inputs: tuple
    outputs: tuple
    kind: str = "operation"
    state: str = "recording"
    number: int = 0
    in_gradient: bool = False
    in_custom: bool = False
    origin: object = None
    carrying: tuple | None = None
    _passing: set | None = None

    @property
    def place(self) -> Place | None:
        """The user's line."""
        if self.origin is None or isinstance(self.origin, Place):
            return self.origin
        if isinstance(self.origin, Step):
            return self.origin.place
        return place_of_operation(self.origin)

    def records(self, key: object, output: object) -> bool:
        """Tell whether a tape leads the gradient of ``output`` back to the input ``key``."""
        if self.state != "recording" or not self.has_dtype_for_gradient(output):
            return False
        if self._passing is None:
            self._passing = self._find_passing()
        return key in self._passing

    def has_dtype_for_gradient(self, output: object) -> bool:
        """Tell whether an output is floating-point, complex, or a container of such."""
        return self.carrying is None or output in self.carrying

    def _find_passing(self) -> set:
        if self.kind == "same value" or self.in_custom or self.op == "EagerPyFunc":
            return set(self.inputs)
        if self.kind == "assignment" or self.op in ("If", "Case"):
            return set()
        try:
            if isinstance(self.origin, Step):
                step = self.origin
                arriving = [
                    tf.ones_like(o) if o.dtype.is_floating or o.dtype.is_complex else None
                    for o in step.outputs
                ]
                passed = gradients_of_operation(
                    step.op, step.attributes, step.inputs, step.outputs, arriving
                )
                inputs = [id(tensor) for tensor in step.inputs]
            elif any(role_of_file(f.filename) == "custom gradient" for f in self.origin.traceback):
                return set(self.inputs)
            else:
                passed = [flag or None for flag in differentiable_inputs(self.origin)]
                inputs = list(self.inputs)
        except LookupError:  # No gradient is registered for this operation.
            return set()
        except Exception:  # A gradient function that cannot run here still leads a gradient back.
            return set(self.inputs)
        return {key for key, gradient in zip(inputs, passed, strict=False) if gradient is not None}


class Flow:
    """All links around one tape, in the order in which they ran."""

    def __init__(self) -> None:
        self.links: list[Link] = []
        self.tensors: dict[object, object] = {}
        self._makers: dict[object, list[Link]] = defaultdict(list)
        self._users: dict[object, list[Link]] = defaultdict(list)
        self._assigned: dict[object, object] = {}

    def add(self, link: Link) -> None:
        """Append a link; an assignment is remembered for the reads that follow it."""
        if link.op in SHAPE_ONLY:
            return
        self.links.append(link)
        for key in link.inputs:
            self._users[key].append(link)
        for key in link.outputs:
            self._makers[key].append(link)
        if link.kind == "assignment":
            return
        for key in link.inputs:
            if key in self._assigned:
                self.same_value(self._assigned[key], link.outputs, link)

    def read(self, handle: object, value: object, like: Link) -> None:
        """Append the reading of a variable that TensorFlow did not report."""
        self.same_value(handle, [value], like)
        if handle in self._assigned:
            self.same_value(self._assigned[handle], [value], like)

    def assign(self, link: Link, handle: object, value: object) -> None:
        """Append the assignment of ``value`` to a variable."""
        version = ("assigned", len(self.links))
        link.kind, link.inputs, link.outputs = "assignment", (value,), (version,)
        self.add(link)
        self._assigned[handle] = version

    def same_value(self, key: object, others: Iterable, like: Link | None = None) -> None:
        """Say that ``others`` are the value of ``key`` under other names."""
        others = tuple(other for other in others if other != key)
        if others:
            link = Link("same", (key,), others, "same value")
            if like is not None:
                link.op, link.state, link.number = like.op, like.state, like.number
                link.origin, link.in_gradient = like.origin, like.in_gradient
            self.links.append(link)
            self._users[key].append(link)
            for other in others:
                self._makers[other].append(link)

    def makers(self, key: object) -> list[Link]:
        """Return the links that made a value; none for a constant."""
        return self._makers.get(key, [])

    def users(self, key: object) -> list[Link]:
        """Return the links that use a value."""
        return self._users.get(key, [])

    def operations_on(self, key: object) -> list[Link]:
        """Return the operations that use a value, under any of its names, in their order."""
        names = self.downstream([key], lambda link, *_: link.kind == "same value")
        links = {link for name in names for link in self.users(name)}
        return [link for link in self.links if link in links and link.kind != "same value"]

    def upstream(self, keys: Iterable) -> set:
        """Return ``keys`` and every value that they were computed from."""
        return _reach(keys, lambda key: (i for link in self.makers(key) for i in link.inputs))

    def downstream(self, keys: Iterable, through: Callable[[Link, object, object], bool]) -> set:
        """Return ``keys`` and every value computed from them.

        Only the ways from an input to an output that ``through(link, input, output)`` admits count.
        """

        def further(key):
            ways = ((link, output) for link in self.users(key) for output in link.outputs)
            return (output for link, output in ways if through(link, key, output))

        return _reach(keys, further)


def _reach(start: Iterable, step: Callable[[object], Iterable]) -> set:
    waiting = list(start)
    seen = set(waiting)
    while waiting:
        for key in step(waiting.pop()):
            if key not in seen:
                seen.add(key)
                waiting.append(key)
    return seen

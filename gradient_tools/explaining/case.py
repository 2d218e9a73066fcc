"""One call of ``gradient`` as the diagnosis sees it: sources, names, what was recorded."""

import ast
import operator
import types
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import keras
import tensorflow as tf

from ..recording.places import Place
from ..recording.recorder import Recorder
from ..recording.tensorflow_internals import moment_of
from ..recording.tensors import is_differentiable, is_variable, key_of, tf_variable
from .flow import Flow, Key, Link
from .flow_building import flow_of_graph, flow_of_steps
from .program_text import ProgramText
from .syntax import Assignment, names_in, parsed

__all__ = ["Case", "Source", "holds"]

_CALLS = ("gradient", "jacobian", "batch_jacobian")


@dataclass(frozen=True, eq=False)
class Source:
    """One source of the call, and its name in the user's program."""

    value: Any
    name: str

    @property
    def key(self) -> Key:
        """The key of this source in the flow."""
        return key_of(self.value)

    @property
    def is_variable(self) -> bool:
        """True for a ``tf.Variable`` or a Keras variable."""
        return is_variable(self.value)

    def watchable(self, whole: str) -> str:
        """Return the code of what ``tape.watch`` takes; it refuses a Keras variable itself."""
        if not isinstance(self.value, keras.Variable):
            return self.name
        return f"[v.value for v in {whole}]" if "/" in self.name else f"{self.name}.value"

    @property
    def trainable(self) -> bool:
        """Whether a tape watches this source automatically."""
        return bool(getattr(tf_variable(self.value), "trainable", False))

    @property
    def is_of_loop(self) -> bool:
        """True for a tensor that a graph's loop hands from pass to pass."""
        return tf.is_symbolic_tensor(self.value) and "while_body" in self.value.graph.name


@dataclass(eq=False)
class Case:
    """What is known about one call of ``gradient``."""

    recorder: Recorder
    text: ProgramText
    place: Place | None
    targets: list[tf.Tensor]
    sources: list[Any]
    output_gradients: list[tf.Tensor] | None
    watched_variables: tuple[tf.Variable, ...]
    tape_name: str = "tape"
    of_function: bool = False

    @cached_property
    def flow(self) -> Flow:
        """The flow of data around the tape."""
        if self.recorder.in_graph:
            tensors = [t for t in (*self.targets, *self.sources) if hasattr(t, "graph")]
            return flow_of_graph(self.recorder, tensors[0].graph) if tensors else Flow()
        return flow_of_steps(self.recorder)

    @cached_property
    def upstream(self) -> set[Key]:
        """The keys that the target was computed from."""
        return self.flow.upstream(self.target_keys)

    @cached_property
    def target_keys(self) -> set[Key]:
        """The keys of the targets, and of what was assigned last to those that are variables."""
        keys = {key_of(target) for target in self.targets}
        return keys | {self.flow.assigned[key] for key in keys & self.flow.assigned.keys()}

    @cached_property
    def handles(self) -> set[Key]:
        """The keys of the variables of the flow."""
        tensors = self.flow.tensors.items()
        return {key for key, tensor in tensors if tensor.dtype == tf.resource}

    @cached_property
    def tracked(self) -> set[Key]:
        """The keys that the tape followed: what is watched, and what was computed from it."""
        watched = set(self.handles) if self.recorder.watch_accessed_variables else set()
        watched |= {key_of(watch.tensor) for watch in self.recorder.watches}
        watched |= {key_of(variable) for variable in self.watched_variables}
        return self.flow.downstream(watched, self.flow.records)

    def recorded_uses(self, source: Source) -> list[Link]:
        """Return the operations that used a source while the tape recorded."""
        return [link for link in self.flow.operations_on(source.key) if link.was_recorded]

    @cached_property
    def constants(self) -> dict[Key, Any]:
        """The tensors with values that the target was computed from and no operation made."""
        keys = [*(key for link in self.flow.links for key in link.inputs), *self.target_keys]
        tensors = {key_of(each): each for each in self.targets} | self.flow.tensors
        return {
            key: tensors[key]
            for key in keys
            if key in self.upstream and key in tensors and not self.flow.makers[key]
            if is_differentiable(tensors[key]) and not tf.is_symbolic_tensor(tensors[key])
        }

    def is_from_before(self, value: Any) -> bool:
        """Tell whether a tensor or variable was made before the block began."""
        number = moment_of(value)
        return number is not None and number < self.recorder.began

    def is_from_after(self, value: Any) -> bool:
        """Tell whether a tensor or variable was made after the block ended."""
        number, ended = moment_of(value), self.recorder.ended
        return number is not None and 0 < ended < number

    def is_later_than_target(self, value: Any) -> bool:
        """Tell whether a tensor or variable was made after every target was computed."""
        number = moment_of(value)
        computed = [None if is_variable(each) else moment_of(each) for each in self.targets]
        return number is not None and all(each is not None and each < number for each in computed)

    @property
    def block_place(self) -> Place | None:
        """The line of the ``with`` statement, if it is in the text around the call."""
        lines = self.recorder.block_lines
        return Place(*lines[0]) if lines and lines[0].file == self.text.file else None

    def ran(self, assignment: Assignment) -> bool:
        """Tell whether an operation, or a conversion, was noted while a statement ran."""
        file, node = assignment.file, assignment.node
        noted = [each.lines for each in self.recorder.steps]
        noted += [each.lines for each in self.recorder.conversions]
        return any(
            line.file == file and node.lineno <= line.number <= (node.end_lineno or node.lineno)
            for lines in noted
            for line in lines
        )

    def is_in_block(self, assignment: Assignment) -> bool:
        """Tell whether an assignment is in the tape's block, or in the function under it."""
        if self.of_function:
            return self.text.is_in_function(assignment)
        lines = self.recorder.block_lines
        return self.text.is_in_block(assignment, self.tape_name, lines[0] if lines else None)

    @cached_property
    def target_node(self) -> ast.expr | None:
        """The expression of the target in the user's text."""
        if self.of_function:
            return self.text.returned()
        return self._argument(0, "target")

    @cached_property
    def target_name(self) -> str:
        """The target as the user wrote it."""
        node = self.target_node
        return _short(node) if node is not None else "the target"

    def roots_of(self, source: Source) -> set[str]:
        """Return the names that lead to a source in the user's text, such as ``w`` or ``model``."""
        if self.of_function and self.text.parameters():
            return set(self.text.parameters())
        names = self.text.names
        named = {name for name, value in names.items() if holds(value, source.value)}
        for node in (parsed(source.name), self._argument(1, "source")):
            if not named and node is not None:
                mentioned = (each for each in names_in(node) if each in names)
                named = {x for x in mentioned if not isinstance(names[x], types.ModuleType)}
        return named

    def name_sources(self) -> list[str]:
        """Return a name for each source, the user's own where the text tells it."""
        if self.of_function and len(self.text.parameters()) == len(self.sources):
            return self.text.parameters()
        node = self._argument(1, "source")
        elements = list(getattr(node, "elts", None) or getattr(node, "values", None) or ())
        if len(elements) == len(self.sources):
            return [_short(element) for element in elements]
        if node is not None and len(self.sources) == 1 and not self._held:
            return [_short(node)]
        places = self._places_of_sources()
        names = []
        for place, value in zip(places, self.sources, strict=True):
            path = str(getattr(value, "path", None) or getattr(value, "name", None))
            names.append(self.text.name_of(value) or (path if "/" in path else place))
        return names

    def _places_of_sources(self) -> list[str]:
        """Return names such as ``params['w']`` for what a dict holds, and numbers for the rest."""
        if self._argument(1, "source") is None:
            several = range(1, len(self.sources) + 1)
            return ["the source"] if len(several) == 1 else [f"source {n}" for n in several]
        text, held = self.sources_text, self._held
        keys = sorted(held, key=str) if held else range(len(self.sources))
        return [f"{text}[{key!r}]" for key in keys]

    @property
    def _held(self) -> dict[Any, Any]:
        """The dict in which the sources stand, if they do in one of the user's."""
        held = self.text.names.get(self.sources_text)
        return held if isinstance(held, dict) and len(held) == len(self.sources) else {}

    @property
    def sources_text(self) -> str:
        """The sources as the user wrote them."""
        node = self._argument(1, "source")
        return _short(node) if node is not None else "sources"

    @cached_property
    def _call(self) -> ast.Call | None:
        """The call in the user's text: of several on a line, this tape's with these sources."""

        def fitting(call: ast.Call) -> tuple[bool, bool]:
            of_tape = ast.unparse(call.func).startswith(f"{self.tape_name}.")
            return of_tape, self._are_sources(_argument(call, 1, "source"))

        return max(self.text.calls_of(_CALLS), key=fitting, default=None)

    def _are_sources(self, node: ast.expr | None) -> bool:
        elements = getattr(node, "elts", [node]) if node is not None else []
        named = tf.nest.flatten([self.text.names.get(ast.unparse(each)) for each in elements])
        same_count = len(named) == len(self.sources)
        return same_count and all(map(operator.is_, named, self.sources))

    def _argument(self, position: int, keyword: str) -> ast.expr | None:
        return _argument(self._call, position, keyword) if self._call is not None else None


def _argument(call: ast.Call, position: int, keyword: str) -> ast.expr | None:
    for each in call.keywords:
        if (each.arg or "").startswith(keyword):
            return each.value
    return call.args[position] if len(call.args) > position else None


def holds(value: Any, variable: Any) -> bool:
    """Tell whether a value is a variable, or a layer, a model, a list or a dict that has it."""
    if value is variable:
        return True
    if isinstance(value, (list, tuple, dict)):
        held = value.values() if isinstance(value, dict) else value
        return any(each is variable for each in held)
    if isinstance(value, (tf.Module, keras.layers.Layer)):
        return any(each is variable for each in value.variables)
    return False


def _short(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 40 else text[:37] + "..."

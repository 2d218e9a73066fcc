"""The recorder under the whole room: every operation, its values, its line, the tape's state."""

import sys
import weakref
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from enum import Enum
from traceback import walk_stack
from types import FrameType
from typing import Any, NamedTuple

import keras
import tensorflow as tf

from .conversions import Conversion, listen_to_conversions
from .places import Line, Place, calling_point, is_user_file, names_in_frame, user_lines
from .tensorflow_internals import (
    called_graph,
    gradients_of_operation,
    listen_to_operations,
    moment,
    role_of_file,
    variables_given,
)
from .tensors import is_differentiable

__all__ = ["Held", "LayerCall", "Recorder", "State", "Step", "Watch"]

# After the tape's block, listening goes on so that a loss computed too late can be explained; a
# tape that is never asked for a gradient must not watch the rest of the program.
LATE_STEPS = 2000


_MAY_HOLD_TENSORS = (
    tf.Tensor,
    tf.Variable,
    tf.SparseTensor,
    tf.RaggedTensor,
    tf.Module,
    keras.Variable,
    keras.layers.Layer,
    dict,
    list,
    tuple,
)


class State(Enum):
    """What a tape was doing at some moment; an operation keeps the state in which it ran."""

    BEFORE = "before"  # not recording yet
    RECORDING = "recording"
    PAUSED = "paused"  # inside stop_recording
    AFTER = "after"  # after the block
    RESET = "reset"  # recorded, then thrown away by reset


@dataclass(frozen=True)
class LayerCall:
    """One call of a Keras layer or model: ``number`` tells two calls of one layer apart."""

    number: int
    name: str
    kind: str


@dataclass(eq=False, slots=True)
class Step:
    """One operation as it ran, with its values, and where and under what it ran."""

    op: str
    inputs: tuple[tf.Tensor, ...]
    outputs: tuple[tf.Tensor, ...]
    attributes: tuple[Any, ...]
    state: State = State.RECORDING
    lines: tuple[Line, ...] = ()  # of the user's program that were running, the innermost first
    in_gradient: bool = False
    in_custom: bool = False  # inside a custom gradient
    graph: Any = None  # of the tf.function that this operation is a call of
    layers: tuple[LayerCall, ...] = ()  # from the outermost call inwards

    @property
    def place(self) -> Place | None:
        """The user's line."""
        return Place(*self.lines[0], self.op) if self.lines else None

    def pass_back(self, arriving: dict[int, Any]) -> dict[int, tf.Tensor]:
        """Apply the rule that TensorFlow has for this operation.

        Both gradients, those that arrive at outputs and those that are passed on to inputs, stand
        under the ids of their tensors. An operation without a rule raises LookupError.
        """
        inputs, outputs, given = list(self.inputs), list(self.outputs), []
        for output in outputs:
            gradient = arriving.get(id(output))
            if gradient is None and is_differentiable(output):
                gradient = tf.zeros_like(output)
            given.append(None if gradient is None else tf.cast(gradient, output.dtype))
        gradients = gradients_of_operation(self.op, self.attributes, inputs, outputs, given)
        passed: dict[int, tf.Tensor] = {}
        for tensor, gradient in zip(self.inputs, gradients, strict=False):
            if gradient is not None:
                gradient = tf.convert_to_tensor(gradient)
                before = passed.get(id(tensor))
                passed[id(tensor)] = gradient if before is None else before + gradient
        return passed


class Watch(NamedTuple):
    """A tensor that the user watched, how many operations came before, and the line."""

    tensor: Any
    number: int
    place: Place | None


class Held(NamedTuple):
    """What a name meant when a tape's block began: a variable or a tensor, by its key."""

    key: int
    is_variable: bool


class Recorder:
    """The operations around one tape, from its first block to the call of ``gradient``.

    It holds their tensors until `forget` is called. With ``notes_layers`` it also notes in which
    calls of Keras layers an operation ran; ``layers`` are those layers, in order.
    """

    def __init__(self, watch_accessed_variables: bool = True, notes_layers: bool = False) -> None:
        self.watch_accessed_variables = watch_accessed_variables
        self.state = State.BEFORE
        self.limited = ""
        self.listening = False
        self.in_graph = False
        self.heard_all = True  # of what ran up to the call of gradient
        self.layers: list[keras.layers.Layer] = []
        self._notes_layers = notes_layers
        self._calls: dict[FrameType, LayerCall] = {}  # a frame that is kept is itself, not another
        self._late = 0
        self._listening = ExitStack()
        self._converting = ExitStack()
        self.began = self.ended = 0  # the moments between which the block ran
        self.block_lines: tuple[Line, ...] = ()  # that were running when the block began
        self._names_at_block: dict[str, weakref.ref[Any]] = {}  # the user's
        self.forget()

    def start(self) -> None:
        """Begin to listen, unless this version of TensorFlow does not allow it."""
        self.stop()
        self.in_graph = not tf.executing_eagerly()
        self.state = State.RECORDING
        self.listening = self.heard_all = True
        self._late = 0
        try:
            self._listening.enter_context(listen_to_operations(self._listen))
        except Exception as error:
            self.limited = f"TensorFlow {tf.__version__} does not report its operations ({error!r})"

    def begin_block(self, frame: FrameType | None) -> None:
        """Begin to listen, and keep what the names of the user's frame hold."""
        self.start()
        self.began, self.ended = self.began or moment(), 0
        if self.in_graph:
            return
        with suppress(Exception):  # Names are a courtesy; the user's program must go on.
            self.block_lines = user_lines(frame)
            self._names_at_block = _tensors_by_name(frame)
        with suppress(Exception):  # Without conversions the diagnosis reads the program's text.
            self._converting.enter_context(listen_to_conversions(self._note_conversion))

    @property
    def names_at_block(self) -> dict[str, Any]:
        """What the user's names held when the block began, as far as it is still alive."""
        values = {name: refer() for name, refer in self._names_at_block.items()}
        return {name: value for name, value in values.items() if value is not None}

    def held_at_block(self, name: str) -> bool:
        """Tell whether a user's name held a tensor, or a model, when the block began."""
        return name in self._names_at_block

    def end_block(self) -> None:
        """Note that the block ended; operations are still listened to."""
        self._converting.close()
        self.ended = moment()
        if self.state is State.RECORDING:
            self.state = State.AFTER

    def stop(self) -> None:
        """Stop listening to operations; what was seen stays until `forget`."""
        with suppress(Exception):  # This thread may have another list of listeners, and
            self._listening.close()
        self.listening = False  # so `_listen` ignores what still arrives.
        self._calls.clear()

    def close(self) -> None:
        """Stop listening and drop every tensor."""
        self._converting.close()
        self.stop()
        self.forget()

    def forget(self) -> None:
        """Drop every tensor that was seen."""
        self.steps: list[Step] = []
        self.conversions: list[Conversion] = []
        self._names_at_block = {}
        self.unreported_reads: dict[int, Any] = {}  # the handle, by the id of the value
        self.graph_states: dict[Any, tuple[State, int]] = {}
        self.watches: list[Watch] = []
        self.watches_reset: list[Watch] = []  # thrown away by reset
        self.names_before: dict[str, Held] = {}  # of what the block assigns, by name

    def reset(self) -> None:
        """Note that the tape threw away what it had recorded and what it was told to watch."""
        for step in self.steps:
            step.state = State.RESET
        states = self.graph_states.items()
        self.graph_states = {key: (State.RESET, number) for key, (_, number) in states}
        self.watches_reset += self.watches
        self.watches = []

    def note_watch(self, tensors: Any) -> None:
        """Note that the user watched ``tensors`` at this point of the program."""
        try:
            _, place = calling_point(sys._getframe(1))
        except Exception:  # The line is a courtesy; the user's program must go on.
            place = None
        now = len(self.graph_states) if self.in_graph else len(self.steps)
        self.watches += [Watch(tensor, now, place) for tensor in tf.nest.flatten(tensors)]

    def _note_conversion(self, conversion: Conversion) -> None:
        last = self.conversions[-1] if self.conversions else None
        is_repeated = (  # NumPy looks up some attributes twice.
            last is not None
            and last.reference() is conversion.reference()
            and (last.function, last.lines) == (conversion.function, conversion.lines)
        )
        if not is_repeated:
            self.conversions.append(conversion)

    def _listen(
        self, op: str, inputs: Any, attributes: Any, outputs: Any, name: str | None, graph: Any
    ) -> None:
        """Note one operation. Whatever goes wrong here must not reach the user's program."""
        if not self.listening or self.in_graph is (graph is None):
            return
        try:
            if self.in_graph:
                keys: list[Any] = [id(output) for output in outputs or ()] or [(id(graph), name)]
                for key in keys:
                    self.graph_states.setdefault(key, (self.state, len(self.graph_states)))
                return
            self._late += self.state is State.AFTER
            if self._late > LATE_STEPS:
                self.heard_all = False
                self.stop()
                return
            step = Step(op, tuple(inputs), tuple(outputs or ()), attributes, self.state)
            self._read_stack(step, sys._getframe(2))
            self.unreported_reads |= variables_given(sys._getframe(2), step.inputs)
            self.steps.append(step)
        except Exception as error:
            self.limited = (
                f"TensorFlow {tf.__version__} reported {op} in an unknown way ({error!r})"
            )
            self.stop()

    def _read_stack(self, step: Step, start: FrameType) -> None:
        """Read off the Python stack the user's lines, and what ran there on the user's behalf."""
        lines: list[Line] = []
        for frame, line in walk_stack(start):
            file = frame.f_code.co_filename
            role = role_of_file(file)
            step.in_custom |= role == "custom gradient"  # that of the user's own function, too
            if is_user_file(file):
                lines.append(Line(file, line))
            if lines:
                continue
            step.in_gradient |= role == "gradient"
            if role == "function" and step.graph is None:
                step.graph = called_graph(frame)
        step.lines = tuple(lines)
        if self._notes_layers:
            step.layers = self._layer_calls(start)

    def _layer_calls(self, start: FrameType) -> tuple[LayerCall, ...]:
        """Read off which layers are being called, the outermost first."""
        found: list[LayerCall] = []
        inner = None
        for frame, _ in walk_stack(start):
            layer = frame.f_locals.get("self") if frame.f_code.co_name == "__call__" else None
            # One call of a layer passes through several frames named __call__.
            if isinstance(layer, keras.layers.Layer) and layer is not inner:
                inner = layer
                if frame not in self._calls:
                    number, kind = len(self._calls), type(layer).__name__
                    self._calls[frame] = LayerCall(number, layer.name, kind)
                    self.layers.append(layer)
                found.append(self._calls[frame])
        return tuple(reversed(found))


def _tensors_by_name(frame: FrameType | None) -> dict[str, "weakref.ref[Any]"]:
    """Return what may hold tensors under the names of the user's innermost frame, none kept alive.

    Lists and dictionaries cannot be referred to weakly, and are left out.
    """
    while frame is not None and not is_user_file(frame.f_code.co_filename):
        frame = frame.f_back
    names = names_in_frame(frame) if frame is not None else {}
    return {
        name: weakref.ref(value)
        for name, value in names.items()
        if isinstance(value, _MAY_HOLD_TENSORS) and type(value).__weakrefoffset__
    }

"""The recorder under the whole room: every operation, its values, its line, the tape's state."""

import sys
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from enum import Enum
from traceback import walk_stack
from types import FrameType
from typing import Any, NamedTuple

import keras
import tensorflow as tf

from .places import Place, calling_point, is_user_file
from .tensorflow_internals import (
    called_graph,
    gradients_of_operation,
    listen_to_operations,
    role_of_file,
    variables_given,
)
from .tensors import is_differentiable

__all__ = ["Held", "LayerCall", "Recorder", "State", "Step", "Watch"]

# After the tape's block, listening goes on so that a loss computed too late can be explained; a
# tape that is never asked for a gradient must not watch the rest of the program.
LATE_STEPS = 2000


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
    place: Place | None = None  # the user's line
    in_gradient: bool = False
    in_custom: bool = False  # inside a custom gradient
    graph: Any = None  # of the tf.function that this operation is a call of
    layers: tuple[LayerCall, ...] = ()  # from the outermost call inwards

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

    def stop(self) -> None:
        """Stop listening; what was seen stays until `forget`."""
        with suppress(Exception):  # This thread may have another list of listeners, and
            self._listening.close()
        self.listening = False  # so `_listen` ignores what still arrives.
        self._calls.clear()

    def close(self) -> None:
        """Stop listening and drop every tensor."""
        self.stop()
        self.forget()

    def forget(self) -> None:
        """Drop every tensor that was seen."""
        self.steps: list[Step] = []
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
        """Read off the Python stack the user's line, and what ran there on the user's behalf."""
        for frame, line in walk_stack(start):
            file = frame.f_code.co_filename
            role = role_of_file(file)
            step.in_custom |= role == "custom gradient"  # that of the user's own function, too
            if step.place is not None:
                continue
            if is_user_file(file):
                step.place = Place(file, line, step.op)
            step.in_gradient |= role == "gradient"
            if role == "function" and step.graph is None:
                step.graph = called_graph(frame)
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

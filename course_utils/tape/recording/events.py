"""Run a function once and note every operation, with the Keras layers that it ran in."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import keras
import tensorflow as tf

from course_utils.tape.tensorflow_internals import listen_to_operations

__all__ = ["Event", "LayerCall", "collect_events"]


@dataclass(frozen=True)
class LayerCall:
    """One call of a Keras layer or model: ``number`` tells two calls of one layer apart."""

    number: int
    name: str
    kind: str


@dataclass(frozen=True, eq=False)
class Event:
    """One operation as TensorFlow ran it; ``layers`` goes from the outermost call inwards."""

    op_type: str
    inputs: tuple[tf.Tensor, ...]
    outputs: tuple[tf.Tensor, ...]
    layers: tuple[LayerCall, ...]


@contextmanager
def collect_events() -> Iterator[tuple[list[Event], list[keras.layers.Layer]]]:
    """Collect the operations that run eagerly in this block, and the layers called, in order.

    A ``tf.function`` called in the block runs eagerly too, so that what is inside it is seen.
    """
    events: list[Event] = []
    layers: list[keras.layers.Layer] = []
    calls: dict = {}  # keeping each call's frame keeps its identity from being used again

    def listen(op_type, inputs, _attributes, outputs, _name, graph):
        if graph is None:
            stack = _layer_calls(calls, layers)
            events.append(Event(op_type, tuple(inputs), tuple(outputs or ()), stack))

    ran_eagerly = tf.config.functions_run_eagerly()
    tf.config.run_functions_eagerly(True)
    try:
        with listen_to_operations(listen), warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*option does not apply to tf.data functions")
            yield events, layers
    finally:
        tf.config.run_functions_eagerly(ran_eagerly)
        calls.clear()


def _layer_calls(calls: dict, layers: list[keras.layers.Layer]) -> tuple[LayerCall, ...]:
    """Read off the Python stack which layers are being called, the outermost first."""
    found: list[LayerCall] = []
    frame, inner = sys._getframe(2), None
    while frame is not None:
        if frame.f_code.co_name == "__call__":
            layer = frame.f_locals.get("self")
            # One call of a layer passes through several frames named __call__.
            if isinstance(layer, keras.layers.Layer) and layer is not inner:
                if frame not in calls:
                    calls[frame] = LayerCall(len(calls), layer.name, type(layer).__name__)
                    layers.append(layer)
                found.append(calls[frame])
                inner = layer
        frame = frame.f_back
    return tuple(reversed(found))

"""What a tape's surroundings did: each operation, where it stood, and whether the tape recorded."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import tensorflow as tf

from ..tensorflow_internals import called_graph, listen_to_operations, role_of_file
from .places import Place, calling_point, is_user_file

__all__ = ["Recording", "Step"]

# After the tape's block, listening goes on so that a loss computed too late can be explained; a
# tape that is never asked for a gradient must not watch the rest of the program.
LATE_STEPS = 2000


@dataclass(eq=False, slots=True)
class Step:
    """One operation that ran eagerly while a tape lived.

    ``state`` is the tape's at that moment: ``recording``, ``paused`` (inside ``stop_recording``),
    ``after`` (after the block) or ``reset`` (recorded, then thrown away by ``reset``).
    """

    op: str
    inputs: tuple
    outputs: tuple
    attributes: tuple
    state: str
    file: str | None
    line: int
    in_gradient: bool
    in_custom: bool
    graph: object | None

    @property
    def place(self) -> Place | None:
        """The user's line."""
        return Place(self.file, self.line, self.op) if self.file else None


class Recording:
    """The operations around one tape, from its first block to the call of ``gradient``.

    It holds their tensors until `forget` is called.
    """

    def __init__(self, watch_accessed_variables: bool) -> None:
        self.watch_accessed_variables = watch_accessed_variables
        self.state = "before"
        self.limited = ""
        self.listening = False
        self.in_graph = False
        self.steps: list[Step] = []
        self.graph_states: dict[object, tuple[str, int]] = {}
        self.watches: list[tuple[object, int, Place | None]] = []
        self._late = 0
        self._listening = ExitStack()

    def start(self) -> None:
        """Begin to listen, unless this version of TensorFlow does not allow it."""
        self.in_graph = not tf.executing_eagerly()
        self.state = "recording"
        self._late = 0
        self.stop()
        self.listening = True
        try:
            self._listening.enter_context(listen_to_operations(self._listen))
        except Exception as error:
            self.limited = f"TensorFlow {tf.__version__} does not report its operations ({error!r})"

    def stop(self) -> None:
        """Stop listening; what was seen stays until `forget`."""
        try:
            self._listening.close()
        except Exception:
            pass  # Another thread's list of listeners: `_listen` ignores what still arrives.
        self._listening = ExitStack()
        self.listening = False

    def close(self) -> None:
        """Stop listening and drop every tensor."""
        self.stop()
        self.forget()
        self.state = "closed"

    def forget(self) -> None:
        """Drop every tensor that was seen."""
        self.steps, self.graph_states, self.watches = [], {}, []

    def reset(self) -> None:
        """Note that the tape threw away what it had recorded."""
        for step in self.steps:
            step.state = "reset"
        self.graph_states = {
            key: ("reset", number) for key, (_, number) in self.graph_states.items()
        }
        self.watches = []

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Mark what runs inside as not recorded."""
        self.state = "paused"
        try:
            yield
        finally:
            if self.state != "closed":
                self.state = "recording"

    def note_watch(self, tensors: object) -> None:
        """Note that the user watched ``tensors`` at this point of the program."""
        try:
            _, place = calling_point(sys._getframe(1))
        except Exception:  # The line is a courtesy; the user's program must go on.
            place = None
        now = len(self.graph_states) if self.in_graph else len(self.steps)
        self.watches += [(tensor, now, place) for tensor in tf.nest.flatten(tensors)]

    def _listen(self, op, inputs, attributes, outputs, name, graph) -> None:
        """Note one operation. Whatever goes wrong here must not reach the user's program."""
        if not self.listening:
            return
        try:
            if self.in_graph and graph is not None:
                self._note_of_graph(outputs, name, graph)
            elif not self.in_graph and graph is None:
                self._note(op, inputs, attributes, outputs)
        except Exception as error:
            self.limited = (
                f"TensorFlow {tf.__version__} reported {op} in an unknown way ({error!r})"
            )
            self.stop()

    def _note_of_graph(self, outputs, name, graph) -> None:
        for key in [id(output) for output in outputs or ()] or [(id(graph), name)]:
            self.graph_states.setdefault(key, (self.state, len(self.graph_states)))

    def _note(self, op, inputs, attributes, outputs) -> None:
        if self.state == "after":
            self._late += 1
            if self._late > LATE_STEPS:
                self.stop()
                return
        frame = sys._getframe(3)
        in_gradient = in_custom = False
        body = None
        while frame is not None:
            file = frame.f_code.co_filename
            if is_user_file(file):
                break
            role = role_of_file(file)
            if role == "gradient":
                in_gradient = True
            elif role == "custom gradient":
                in_custom = True
            elif role == "function" and body is None:
                body = called_graph(frame)
            frame = frame.f_back
        self.steps.append(
            Step(
                op,
                tuple(inputs),
                tuple(outputs or ()),
                attributes,
                self.state,
                frame and frame.f_code.co_filename,
                frame.f_lineno if frame else 0,
                in_gradient,
                in_custom,
                body,
            )
        )

"""A drop-in for ``tf.GradientTape`` that remembers enough to explain its gradients."""

import inspect
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

import tensorflow as tf

from ..recording.conversions import conversions_unnoticed
from ..recording.recorder import Held, Recorder, State
from ..recording.tensors import is_variable
from .diagnosis import explain_call, in_short
from .explanation import Explanations
from .names_before import names_before_block

__all__ = ["ExplainingTape", "explain_gradients"]

# AutoGraph must not rewrite these methods when a tf.function calls them, as it does not rewrite
# those of tf.GradientTape: the user's frame could not be found.
_Method = TypeVar("_Method", bound=Callable[..., Any])
_as_written: Callable[[_Method], _Method] = tf.autograph.experimental.do_not_convert


class ExplainingTape(tf.GradientTape):
    """A ``tf.GradientTape`` that explains gradients that are None, zero or not finite.

    It also notes if a gradient exists but may not be the one that is meant. For example, a variable
    was changed before the call of ``gradient``, or the name of a source was assigned anew.

    It has the arguments and methods of ``tf.GradientTape``, and returns the same gradients. While
    it records it also keeps a list of the operations, so use it to understand a program, not to
    train for hours.

    A tape shows nothing until you call ``explain``. In a notebook, ``tape.explain()`` as the last
    line of a cell shows cards. In a Python session or a script, use ``print(tape.explain())``. The
    ``repr`` of the tape says how much there is to explain.

    Parameters
    ----------
    persistent : bool
        As for ``tf.GradientTape``.
    watch_accessed_variables : bool
        As for ``tf.GradientTape``.

    Examples
    --------
    >>> x = tf.constant(3.0)
    >>> with ExplainingTape() as tape:
    ...     y = x ** 2
    >>> tape.gradient(y, x)
    >>> tape.explanations[0].cause
    'not-watched'
    >>> tape
    <ExplainingTape: 1 gradient to explain; print(tape.explain()) says why>
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._function: Callable[..., Any] | None = None  # what explain_gradients was given
        super().__init__(persistent, watch_accessed_variables)
        self._keeps_recording = persistent
        self._steps = Recorder(watch_accessed_variables)
        self._explanations = Explanations(note="Call `gradient` first, then `explain`.")
        self._in_gradient = False
        weakref.finalize(self, self._steps.close).atexit = False

    def __repr__(self) -> str:
        count, notes = len(self._explanations), len(self._explanations.notes)
        if not count and not notes:
            return "<ExplainingTape: nothing to explain>"
        if not count:
            what = "1 note" if notes == 1 else f"{notes} notes"
            return f"<ExplainingTape: {what}; print(tape.explain()) shows it>"
        what = "1 gradient" if count == 1 else f"{count} gradients"
        return f"<ExplainingTape: {what} to explain; print(tape.explain()) says why>"

    @property
    def explanations(self) -> Explanations:
        """What the last call of ``gradient`` or ``jacobian`` needs explained, source by source."""
        return self._explanations

    @_as_written
    def explain(self) -> Explanations:
        """Return the explanations, shown as cards in a notebook and as text elsewhere."""
        return self._explanations

    def __enter__(self) -> "ExplainingTape":
        """Begin to record."""
        super().__enter__()
        if self._function is None:
            self._steps.names_before = self._names_before(sys._getframe(1))
        self._steps.begin_block(sys._getframe(1))
        return self

    def _names_before(self, frame: FrameType) -> dict[str, Held]:
        try:
            return names_before_block(frame)
        except Exception:  # Without these a note is missing; the user's program must go on.
            return {}

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        """Stop recording; keep listening for what should have been recorded."""
        super().__exit__(kind, value, traceback)
        self._steps.end_block()
        if kind is not None:
            self._steps.stop()

    @_as_written
    def watch(self, tensor: Any) -> None:
        """Watch a tensor, a variable or a structure of them."""
        super().watch(tensor)
        self._steps.note_watch(tensor)

    @_as_written
    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Stop recording for the length of a ``with`` block."""
        with super().stop_recording():
            self._steps.state = State.PAUSED
            try:
                yield
            finally:
                self._steps.state = State.RECORDING
        if not self._steps.listening:  # A gradient inside the block used the tape up.
            self._steps.start()

    @_as_written
    def reset(self) -> None:
        """Throw away what was recorded."""
        super().reset()
        self._steps.reset()

    @_as_written
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = tf.UnconnectedGradients.NONE,
    ) -> Any:
        """Return what ``tf.GradientTape.gradient`` returns; see `explanations` afterwards."""
        arguments = (target, sources, output_gradients, unconnected_gradients)
        return self._explained(super().gradient, *arguments)

    @_as_written
    def jacobian(self, target: Any, sources: Any, *options: Any, **named_options: Any) -> Any:
        """Return what ``tf.GradientTape.jacobian`` returns; see `explanations` afterwards."""
        return self._explained(super().jacobian, target, sources, *options, **named_options)

    @_as_written
    def batch_jacobian(self, target: Any, source: Any, *options: Any, **named_options: Any) -> Any:
        """Return what ``tf.GradientTape.batch_jacobian`` returns; see `explanations` afterwards."""
        return self._explained(super().batch_jacobian, target, source, *options, **named_options)

    def _explained(
        self,
        method: Callable[..., Any],
        target: Any,
        sources: Any,
        *options: Any,
        **named_options: Any,
    ) -> Any:
        if self._in_gradient:  # TensorFlow's jacobian calls gradient once for every element.
            return method(target, sources, *options, **named_options)
        recorder = self._steps
        self._in_gradient = True
        try:
            result = method(target, sources, *options, **named_options)
        except Exception as error:
            asked = f"tape.{method.__name__} raised an error, so there is no gradient"
            self._explanations = Explanations(note=f"{asked}: {in_short(error)}")
            raise
        finally:
            self._in_gradient = False
            goes_on = recorder.state in (State.RECORDING, State.PAUSED)
            if not (self._keeps_recording and goes_on):
                recorder.stop()
        given = options[0] if options and method.__name__ == "gradient" else None
        with conversions_unnoticed():  # An outer tape's block may be open.
            self._explanations = explain_call(
                self, recorder, target, sources, result, given, self._function
            )
        if not self._keeps_recording:
            recorder.forget()
        recorder.heard_all = recorder.listening
        return result


def explain_gradients(f: Callable[..., Any], sources: object) -> Explanations:
    """Explain the gradients of what ``f`` returns that are None, zero or not finite.

    Parameters
    ----------
    f : callable
        Called with the sources, one argument each, or without arguments if it takes none. It
        returns a tensor of any shape, or a structure of tensors. Their sum is differentiated.
    sources : tensor, variable, array, number, or a structure of them
        What to differentiate with respect to. Tensors are watched; variables are watched as a
        ``tf.GradientTape`` watches them. Arrays and numbers become tensors.

    Returns
    -------
    Explanations
        One `Explanation` for each source whose gradient is None, zero everywhere or not finite.

    Raises
    ------
    Exception
        Whatever ``f``, or the tape, raises.

    Examples
    --------
    >>> [each.cause for each in explain_gradients(lambda x: tf.round(x), tf.constant(1.5))]
    ['no-gradient-op']
    >>> explain_gradients(lambda x: x ** 2, 3.0)
    Nothing to explain: every gradient exists and is finite, and none is zero everywhere.
    """
    sources = tf.nest.map_structure(
        lambda each: each if is_variable(each) else tf.convert_to_tensor(each), sources
    )
    flat = tf.nest.flatten(sources)
    arguments = flat if _takes_arguments(f) else []
    tape = ExplainingTape()
    tape._function = f
    with tape:
        tape.watch([each for each in flat if not is_variable(each)])
        target = f(*arguments)
    tape.gradient(target, sources)
    return tape.explanations


def _takes_arguments(f: Callable[..., Any]) -> bool:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(f).parameters.values()
    return any(p.kind in kinds and p.default is p.empty for p in parameters)

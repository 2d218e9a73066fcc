"""From an answer to its judgement: observe, then compare."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any
from unittest.mock import patch

from . import comparing, values
from .exercise import Exercise, Judgement
from .isolation import PATIENCE, TimeLimitReached, state_kept, time_limit
from .observation import file_of
from .question import Question, ValueQuestion
from .references import Reference, stored, stored_reference
from .tensorflow_state import keep_keras_call_context

__all__ = ["TIME_LIMIT", "assess", "kept_alive", "observe_and_judge", "stopped_in_words"]

TIME_LIMIT = 10.0  # seconds of the processor


def assess(
    exercise: Exercise, observation: dict, seed: int, reference: Reference | None = None
) -> Judgement:
    """Judge an observation made with this seed, without running any learner's code.

    ``reference`` is what right and wrong programs did on the seed; without one, the stored one.
    """
    if isinstance(exercise, Question):
        reference = reference or stored_reference(exercise.id, seed)
        return comparing.judged(exercise, observation, reference)
    assert isinstance(exercise, ValueQuestion), "there are two kinds"
    return values.judged(exercise, observation["value"], stored(exercise.id))


def observe_and_judge(
    exercise: Exercise,
    answer: Any,
    seed: int,
    judge: Callable[[Exercise, dict, int], Judgement] = assess,
) -> tuple[Judgement, str]:
    """Return the judgement of an answer, whatever the answer does, and what its code printed."""
    try:
        with kept_alive(), state_kept(seed), time_limit(TIME_LIMIT, file_of(answer)):
            observation = exercise.observe(answer, seed)
        return judge(exercise, observation, seed), observation.get("printed", "")
    except TimeLimitReached as stop:
        return Judgement("error", stopped_in_words(stop, TIME_LIMIT), mistake="too long"), ""
    except Exception as error:  # an answer such as nobody thought of; it must not stop a notebook
        message = (
            f"The check itself could not make sense of this answer ({type(error).__name__}). "
            "Return plain numbers, tensors, or lists or dicts of them."
        )
    return Judgement("error", message, mistake="not understood"), ""


def stopped_in_words(stop: TimeLimitReached, seconds: float) -> str:
    """Say that an answer was stopped, and whether its loop is endless or slow."""
    at = f" at `{stop.line}`" if stop.line else ""
    if stop.waited:
        seconds *= PATIENCE  # on the clock
        why = (
            "Your code was waiting: in `sleep`, for input, or for another process. Remove the call "
            "that waits."
        )
    elif stop.stands_still is None:
        why = (
            "Look for a loop that never ends (including one inside `list`, `sum`, or a "
            "comprehension), or for too many steps."
        )
    elif stop.stands_still:
        why = (
            "The loop's values had not changed for a while. Make its condition become false, or "
            "stop the loop once it has converged."
        )
    else:
        why = (
            "The loop's values were still changing. Use fewer or faster steps, or check whether "
            "the condition tests a value that never changes."
        )
    return f"Your code was still running after {seconds:g} seconds and was stopped{at}. {why}"


@contextmanager
def kept_alive() -> Iterator[None]:
    """Refuse what would end the process, and undo what a stopped call of a model leaves behind."""
    with ExitStack() as stack:
        if "tensorflow" in sys.modules:
            stack.enter_context(_fitting_output_gradients())
            stack.enter_context(keep_keras_call_context())
        yield


@contextmanager
def _fitting_output_gradients() -> Iterator[None]:
    """Refuse output gradients that are more or fewer than the targets: TensorFlow would crash."""
    import tensorflow as tf

    original = tf.GradientTape.gradient

    @wraps(original)
    def gradient(
        self: Any, target: Any, sources: Any, output_gradients: Any = None, *more: Any, **named: Any
    ) -> Any:
        if output_gradients is not None:
            wanted, given = len(tf.nest.flatten(target)), len(tf.nest.flatten(output_gradients))
            if wanted != given:
                raise ValueError(
                    f"tape.gradient got {given} output gradients for {wanted} targets; pass one "
                    "for each target, in the same structure"
                )
        return original(self, target, sources, output_gradients, *more, **named)

    with patch.object(tf.GradientTape, "gradient", gradient):
        yield

"""From an answer to its judgement: observe, then compare."""

from collections.abc import Callable
from typing import Any

from . import comparing, values
from .exercise import Exercise, Judgement
from .isolation import PATIENCE, TimeLimitReached, state_kept, time_limit
from .observation import file_of
from .question import Question, ValueQuestion
from .references import Reference, stored, stored_reference
from .safety import kept_alive

__all__ = ["TIME_LIMIT", "assess", "observe_and_judge", "stopped_in_words"]

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
            "Return plain numbers, tensors, or lists and dicts of them."
        )
    return Judgement("error", message, mistake="not understood"), ""


def stopped_in_words(stop: TimeLimitReached, seconds: float) -> str:
    """Say that an answer was stopped, and whether its loop is endless or slow."""
    at = f" at `{stop.line}`" if stop.line else ""
    if stop.waited:
        seconds *= PATIENCE  # on the clock
        why = "It waited, for a sleep, an input or another process. Take that out."
    elif stop.stands_still is None:
        why = (
            "Look for a loop that never ends, also one that `list`, `sum` or a comprehension runs, "
            "or for too many steps."
        )
    elif stop.stands_still:
        why = (
            "Its values had not changed for a while: either the loop never ends, as nothing makes "
            "its condition false, or it goes on long after it has arrived."
        )
    else:
        why = (
            "Its values were still changing: the loop takes too many steps, or too slow ones, or "
            "what its condition looks at never changes."
        )
    return f"Your code was still running after {seconds:g} seconds and was stopped{at}. {why}"

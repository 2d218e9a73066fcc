"""From an answer to its judgement: observe, then compare."""

from collections.abc import Callable
from typing import Any

from . import comparing, predictions
from .exercise import Exercise, Judgement
from .isolation import TimeLimitReached, state_kept, time_limit
from .question import Prediction, Question
from .references import Reference, stored, stored_reference

__all__ = ["assess", "observe_and_judge"]

_TIME_LIMIT = 10.0  # seconds


def assess(
    exercise: Exercise, observation: dict, seed: int, reference: Reference | None = None
) -> Judgement:
    """Judge an observation made with this seed, without running any learner's code.

    ``reference`` is what right and wrong programs did on the seed; without one, the stored one.
    """
    if isinstance(exercise, Question):
        return comparing.judged(
            exercise, observation, reference or stored_reference(exercise.id, seed)
        )
    if isinstance(exercise, Prediction):
        return predictions.judged(exercise, observation["value"], stored(exercise.id))
    return exercise.assess(observation, seed)


def observe_and_judge(
    exercise: Exercise,
    answer: Any,
    seed: int,
    judge: Callable[[Exercise, dict, int], Judgement] = assess,
) -> tuple[Judgement, str]:
    """Return the judgement of an answer, whatever the answer does, and what its code printed."""
    try:
        with state_kept(seed), time_limit(_TIME_LIMIT):
            observation = exercise.observe(answer, seed)
        return judge(exercise, observation, seed), observation.get("printed", "")
    except TimeLimitReached:
        message = (
            f"Your code was still running after {_TIME_LIMIT:.0f} seconds and was stopped. "
            "Look for a loop whose condition never becomes false, or that takes too many steps."
        )
    except Exception as error:  # an answer such as nobody thought of; it must not stop a notebook
        message = (
            f"The check itself could not make sense of this answer ({type(error).__name__}). "
            "Return plain numbers, tensors, or lists and dicts of them."
        )
    return Judgement("error", message), ""

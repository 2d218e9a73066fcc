"""From an answer to its judgement, whatever the answer does; nothing is shown or recorded."""

from typing import Any

from .exercise import Exercise, Judgement
from .isolation import TimeLimitReached, state_kept, time_limit

__all__ = ["observe_and_judge"]

_TIME_LIMIT = 10.0  # seconds


def observe_and_judge(exercise: Exercise, answer: Any, seed: int) -> tuple[Judgement, str]:
    """Return the judgement of an answer, whatever the answer does, and what its code printed."""
    try:
        with state_kept(seed), time_limit(_TIME_LIMIT):
            observation = exercise.observe(answer, seed)
        return exercise.assess(observation, seed), observation.get("printed", "")
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

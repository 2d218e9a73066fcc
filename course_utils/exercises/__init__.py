"""The exercises of the course: what they ask, how an answer is observed, and how it is judged."""

from .exercise import Exercise
from .judging import observe_and_judge

__all__ = ["Exercise", "observe_and_judge"]

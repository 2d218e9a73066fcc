"""The exercises of the course: what they ask, how an answer is observed, and how it is judged."""

from .checking import CheckResult, check
from .exercise import Exercise, all_exercises, find_exercise

__all__ = ["CheckResult", "Exercise", "all_exercises", "check", "find_exercise"]

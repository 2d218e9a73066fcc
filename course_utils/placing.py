"""Where to start: ``place`` asks up to twelve questions, and names the first lesson you need."""

from collections.abc import Collection
from typing import Any

from .exercises.callouts import Variant
from .exercises.lesson_questions import variants
from .predicting import PredictionResult, answered
from .reviewing import Review
from .workspace.curriculum import LESSONS, Lesson, find_lesson
from .workspace.progress import read_progress, record_placement

__all__ = ["GoalError", "Placing", "goals", "place", "way_to"]

_UNKNOWN = "?"  # what is typed for "I do not know"


class GoalError(ValueError):
    """No lesson has the goal that was asked for."""


def placement_questions() -> list[Variant]:
    """Return the questions that `place` asks, in the order of the lessons."""
    return [variant for lesson in LESSONS for variant in variants(lesson.number) if variant.places]


class Placing:
    """A round of questions that ends with the first wrong answer, or with the last question."""

    def __init__(self) -> None:
        self.left = placement_questions()
        self.count = len(self.left)
        self.passed: list[str] = []  # the lessons whose questions were all answered right

    def answer(self, typed: Any) -> PredictionResult:
        """Answer the question that is asked; what is no answer to it changes nothing."""
        variant = self.left[0]
        if typed == _UNKNOWN:
            why = variant.sentence(variant.right)
            result = PredictionResult(variant.id, "", "I do not know", variant.right, why)
        else:
            result = answered(variant, typed)
        if not result.predicted:
            return result
        self.left.pop(0)
        if not result.is_right:
            self.left = []
        elif not self.left or self.left[0].id[:2] != variant.id[:2]:
            self.passed.append(variant.id[:2])
        return result

    def number(self) -> str:
        """Say which question is asked, such as ``2 of at most 12``."""
        return f"{self.count - len(self.left) + 1} of at most {self.count}"

    def start(self) -> Lesson:
        """Return the first lesson that the answers do not cover, also by what it builds on."""
        known = with_needs(self.passed)
        return next(lesson for lesson in LESSONS[1:] if lesson.number not in known)


def with_needs(numbers: Collection[str]) -> set[str]:
    """Return lessons with all that they build on."""
    known: set[str] = set()
    for number in numbers:
        known |= {number} | with_needs(find_lesson(number).needs)
    return known


def goals() -> dict[str, Lesson]:
    """Return the lesson that reaches each goal, by its name."""
    return {lesson.goal: lesson for lesson in LESSONS if lesson.goal}


def way_to(goal: str, start: str) -> str:
    """Say which lessons are left until a goal, and how long they take.

    Raises
    ------
    GoalError
        If there is no such goal.
    """
    known = goals()
    if goal not in known:
        listed = ", ".join(f'"{name}"' for name in known)
        raise GoalError(f'There is no goal "{goal}". Choose one of {listed}.')
    last = known[goal]
    left = sorted(number for number in with_needs([last.number]) if number >= start)
    if not left:
        return f'For "{goal}", go straight to {_named(last)}.'
    minutes = sum(find_lesson(number).minutes for number in left)
    hours = f"{minutes} minutes" if minutes < 90 else f"{minutes / 60:.1f} hours"
    return f'For "{goal}", do the essentials of {", ".join(left)}: about {hours}.'


def place(answer: Any = "", *, goal: str = "") -> Review:
    """Find out where to start: up to twelve questions, about ten minutes.

    Call it without an answer for the first question, and then with your answer to each. The
    questions follow the lessons, and end with the first wrong answer. The map of `status()` then
    shows what you can skip, and nothing is locked. First used in lesson 00.

    Parameters
    ----------
    answer : str, number or None
        The letter of an option, or ``"?"`` if you do not know.
    goal : str
        What you came for, such as ``"None"`` or ``"clipping"``. You then get the lessons that lead
        there, and their hours.

    Raises
    ------
    GoalError
        If there is no such goal; the error lists them.
    OSError
        If the progress file cannot be read or written.
    """
    global _placing
    if goal:
        return Review((), (way_to(goal, read_progress().placed or LESSONS[1].number),))
    if answer == "" or _placing is None or not _placing.left:
        _placing = Placing()
    said: tuple[PredictionResult, ...] = ()
    if answer != "":
        said = (_placing.answer(answer),)
    if _placing.left:
        question = _placing.left[0]
        how = f'{question.how}, or "?" if you do not know'
        lines = (f"Question {_placing.number()}. Answer with `place(...)`: {how}.",)
        return Review(said, lines, (question,))
    record_placement(_placing.start().number)
    return Review(said, tuple(ending(_placing)))


_placing: Placing | None = None


def ending(placing: Placing) -> list[str]:
    """Say where to start, what can be skipped, and how to go on."""
    start = placing.start()
    known = sorted(with_needs(placing.passed) - {LESSONS[0].number})
    if known:
        skipped = ", ".join(known)
        first = f"Start with {_named(start)}: you can skip the essentials of {skipped}."
        why = "You answered the questions on them, or on a lesson that builds on them, right."
    else:
        first = f"Start with {_named(start)}."
        why = "It is the first lesson on tapes, and the others build on it."
    listed = ", ".join(f'"{name}"' for name in goals())
    return [
        first,
        why,
        f"Did you come for one thing? `place(goal=...)` lists the lessons until there: {listed}.",
        "Nothing is locked. `place()` asks again, and `status()` shows what you skipped.",
    ]


def _named(lesson: Lesson) -> str:
    return f"lesson {lesson.number} · {lesson.title}"

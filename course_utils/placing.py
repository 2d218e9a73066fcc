"""Where to start: ``place`` asks up to twelve questions, and names the first lesson you need."""

import random
from collections.abc import Collection
from typing import Any

from .exercises.callouts import Variant
from .exercises.lesson_questions import variants
from .predicting import PredictionResult, answered
from .reviewing import Review
from .workspace.curriculum import LESSONS, Lesson, find_lesson
from .workspace.progress import read_progress, record_placement

__all__ = ["GoalError", "Placing", "goals", "place", "skipped", "way_to"]

# Two for each lesson of the path; one of the two variants of each is drawn.
_QUESTIONS = (
    *("01.b", "01.2", "02.a", "02.b", "03.a", "03.b"),
    *("04.a", "04.b", "06.a", "06.3", "09.a", "09.c"),
)
_UNKNOWN = "?"  # what is typed for "I do not know"


class GoalError(ValueError):
    """No lesson has the goal that was asked for."""


def placement_questions() -> list[Variant]:
    """Draw the questions that `place` asks, in the order of the lessons.

    Those on lessons that a release leaves out are left out.
    """
    numbers = {lesson.number for lesson in LESSONS}
    asked = [i for i in _QUESTIONS if i[:2] in numbers]
    return [random.choice([v for v in variants(i[:2]) if v.id == i]) for i in asked]


class Placing:
    """A round of questions that ends with the first wrong answer, or with the last question.

    The results are shown when the round is over, because an explanation may give away the answer to
    a later question.
    """

    def __init__(self) -> None:
        self.left = placement_questions()
        self.count = len(self.left)
        self.results: list[PredictionResult] = []
        self._passed: list[str] = []  # the lessons whose questions were all answered right

    def answer(self, typed: Any) -> str:
        """Answer the current question. If this is not possible, change nothing and say why."""
        variant = self.left[0]
        if isinstance(typed, str) and typed.strip() == _UNKNOWN:
            why = variant.sentence(variant.right)
            result = PredictionResult(variant.id, "", "I do not know", variant.right, why)
        else:
            result = answered(variant, typed)
        if not result.predicted:
            return f"{typed!r} is not an answer. Type {variant.how}, or ? if you do not know."
        self.results.append(result)
        self.left.pop(0)
        if not result.is_right:
            self.left = []
        elif not self.left or self.left[0].id[:2] != variant.id[:2]:
            self._passed.append(variant.id[:2])
        return ""

    def number(self) -> str:
        """Return the number of the current question, such as ``2 of at most 12``."""
        return f"{len(self.results) + 1} of at most {self.count}"

    def start(self) -> str:
        """Return the number of the lesson after the last one that the answers cover.

        A release may not contain it yet.
        """
        last = max(with_needs(self._passed) | {LESSONS[0].number})
        later = [lesson.number for lesson in LESSONS if lesson.number > last]
        return later[0] if later else f"{int(last) + 1:02d}"


def skipped(start: str) -> list[str]:
    """Return the lessons that somebody who was placed at lesson ``start`` can skip.

    These are the lessons of the right answers, and what they build on. Lesson 00 is not listed.
    """
    asked = {question[:2] for question in _QUESTIONS} & {lesson.number for lesson in LESSONS}
    return sorted(with_needs([n for n in asked if n < start]) - {LESSONS[0].number})


def with_needs(numbers: Collection[str]) -> set[str]:
    """Return lessons, and all lessons that they build on."""
    known: set[str] = set()
    for number in numbers:
        known |= {number} | with_needs(find_lesson(number).needs)
    return known


def goals() -> dict[str, Lesson]:
    """Return the lesson that reaches each goal, by its name."""
    return {lesson.goal: lesson for lesson in LESSONS if lesson.goal}


def way_to(goal: str, start: str) -> str:
    """Return in words which lessons are left until a goal, and how long they take.

    Raises
    ------
    GoalError
        If there is no such goal.
    """
    known = {name.casefold(): name for name in goals()}
    name = known.get(goal.strip().casefold())
    if not known:
        raise GoalError("The lessons here do not lead to any of the goals yet.")
    if name is None:
        listed = ", ".join(f'"{name}"' for name in known.values())
        choose = "Choose one of" if len(known) > 1 else "The only one here is"
        raise GoalError(f'There is no goal "{goal}". {choose} {listed}.')
    last = goals()[name]
    covered = {LESSONS[0].number, *skipped(start)}
    left = sorted(with_needs([last.number]) - covered)
    if not left:
        return (
            f'For "{name}", you have nothing left to do: your answers cover {_named(last)}. The '
            "lesson stays open if you want to read it."
        )
    minutes = sum(find_lesson(number).minutes for number in left)
    hours = f"{minutes} minutes" if minutes < 90 else f"{minutes / 60:.1f} hours"
    return f'For "{name}", do the essentials of {", ".join(left)}: about {hours}.'


def place(answer: Any = "", *, goal: str = "") -> Review:
    """Find out where to start: up to twelve questions, about ten minutes.

    Call it without an answer for the first question, and then with your answer to each. The
    questions follow the lessons, and end with the first wrong answer. Then the answers are
    explained, and `status()` shows what you can skip. Nothing is locked. First used in lesson 00.

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
        return Review((), (way_to(goal, read_progress().placed),))
    if _placing is None:
        if answer != "":
            return Review((), ("No question is open. Call `place()` for the first one.",))
        _placing = Placing()
    problem = _placing.answer(answer) if answer != "" else ""
    if _placing.left:
        question = _placing.left[0]
        how = f'{question.how}, or "?" if you do not know'
        line = f"Question {_placing.number()}. Answer with `place(...)`: {how}."
        return Review((), tuple(filter(None, (problem, line))), (question,))
    ended, _placing = _placing, None
    record_placement(ended.start())
    return Review(tuple(ended.results), tuple(ending(ended)))


_placing: Placing | None = None


def ending(placing: Placing, in_terminal: bool = False) -> list[str]:
    """Return sentences that say where to start, what can be skipped, and how to go on.

    They name the calls of a notebook, or the commands of a terminal.
    """
    if not placing.results:
        return [
            f"There are no questions about these lessons. Start with {_named(LESSONS[:2][-1])}."
        ]
    start = placing.start()
    there = [lesson for lesson in LESSONS if lesson.number == start]
    covered = skipped(start)
    if covered:
        listed = ", ".join(covered)
        first = f"Start with {_named(there[0])}: you" if there else "You"
        first += f" can skip the essentials of {listed}."
        why = "You correctly answered the questions on them, or on a lesson that builds on them."
    else:
        first = f"Start with {_named(there[0])}."
        why = "It is the first lesson on tapes, and the later lessons build on it."
    between = [x for x in LESSONS[1:] if x.number < start and x.number not in covered]
    if covered and between:
        why += (
            f" The questions did not cover {', '.join(map(_named, between))}: read what is new to "
            "you there."
        )
    if not placing.results[-1].is_right:
        why += " The quiz ended at your first wrong answer."
    elif covered:
        last = placing.results[-1].id[:2]
        why += f" You answered all questions correctly, and they do not go beyond lesson {last}."
    listed = ", ".join(f'"{name}"' for name in goals())
    if in_terminal:
        by_goal, again, status = "course place --goal GOAL", "course place", "course status"
    else:
        by_goal, again, status = "place(goal=...)", "place()", "status()"
    shows = f", and `{status}` shows what you can skip" if covered else ""
    return [
        first,
        why,
        f"Do you have a particular goal ({listed})? `{by_goal}` lists the lessons that lead to it.",
        f"Nothing is locked. `{again}` asks you questions again{shows}.",
    ]


def _named(lesson: Lesson) -> str:
    return f"lesson {lesson.number} · {lesson.title}"

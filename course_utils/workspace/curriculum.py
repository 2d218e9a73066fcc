"""The lessons of the course in their order: numbers, titles, times and what each builds on."""

import json
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from ..exercises.callouts import Callout
from ..exercises.exercise import Exercise
from ..exercises.lesson_questions import generated_folder, questions

__all__ = [
    "LESSONS",
    "ONE_DAY",
    "Lesson",
    "all_exercises",
    "find_exercise",
    "find_lesson",
    "find_prediction",
]


@dataclass(frozen=True)
class Lesson:
    """One lesson: ``name`` is the stem of its files, ``needs`` the numbers of lessons before it."""

    name: str
    title: str
    part: str
    needs: tuple[str, ...]
    minutes: int  # of the essentials
    deeper_minutes: int
    deeper: tuple[str, ...]  # the ids of the exercises that go deeper
    goal: str = ""  # what many learners come for, if this lesson reaches it

    @property
    def number(self) -> str:
        """The two digits that every exercise id of the lesson starts with."""
        return self.name[:2]

    def exercises(self) -> tuple[Exercise, ...]:
        """Return the lesson's exercises in their order."""
        return questions(self.number).EXERCISES

    def predictions(self) -> tuple[Callout, ...]:
        """Return what the lesson asks to predict, in its order."""
        return getattr(questions(self.number), "PREDICTIONS", ())


def _lesson(needs: list[str], deeper: list[str], **entry: Any) -> Lesson:
    return Lesson(**entry, needs=tuple(needs), deeper=tuple(deeper))


# As `course build` found them.
_TABLE = json.loads((generated_folder() / "lessons.json").read_text(encoding="utf-8"))
LESSONS = tuple(_lesson(**entry) for entry in _TABLE)

# The course in a day. Its essentials need none of the lessons in between. It is empty in a release
# that lacks one of them.
ONE_DAY: tuple[str, ...] = ("00", "01", "02", "04", "06", "09", "11", "12", "13")
if not {lesson.number for lesson in LESSONS} >= set(ONE_DAY):
    ONE_DAY = ()


def all_exercises() -> list[Exercise]:
    """Return every exercise of every written lesson, in the order of the course."""
    return [exercise for lesson in LESSONS for exercise in lesson.exercises()]


def find_lesson(number: str) -> Lesson:
    """Return the lesson with this two-digit number; LookupError lists those that exist."""
    for lesson in LESSONS:
        if lesson.number == str(number):
            return lesson
    known = f"{LESSONS[0].number} to {LESSONS[-1].number}"
    raise LookupError(f"There is no lesson {number!r}. Lessons have two digits: {known}.")


def find_exercise(exercise_id: str) -> Exercise:
    """Return the exercise with this id; LookupError names the nearest ids that exist."""
    if not isinstance(exercise_id, str):
        raise LookupError('check takes the id first, as a string: check("00.1", answer).')
    own = [e for lesson in LESSONS if lesson.number == exercise_id[:2] for e in lesson.exercises()]
    for exercise in own:
        if exercise.id == exercise_id:
            return exercise
    known = [exercise.id for exercise in all_exercises()]
    nearest = sorted(get_close_matches(exercise_id, known, n=3, cutoff=0.5) or known[:3])
    raise LookupError(
        f"There is no exercise {exercise_id!r}. An id is a lesson and a number, such as "
        f'"{nearest[0]}"; the nearest ids are {", ".join(nearest)}.'
    )


def find_prediction(prediction_id: str) -> Callout:
    """Return the prediction with this id; LookupError names those of the lesson."""
    number = str(prediction_id)[:2]
    known = [p for lesson in LESSONS if lesson.number == number for p in lesson.predictions()]
    for prediction in known:
        if prediction.id == prediction_id:
            return prediction
    ids = ", ".join(prediction.id for prediction in known)
    there = (
        f"Lesson {number} has {ids}" if ids else ('An id is a lesson and a letter, such as "04.a"')
    )
    raise LookupError(f"There is no prediction {str(prediction_id)[:40]!r}. {there}.")

"""The lessons of the course in their order: numbers, titles, times and what each builds on."""

from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from ..exercises.exercise import Exercise

__all__ = [
    "LESSONS",
    "Lesson",
    "all_exercises",
    "find_exercise",
    "find_lesson",
    "written_lessons",
]


@dataclass(frozen=True)
class Lesson:
    """One lesson: ``name`` is the stem of its files, ``needs`` the numbers of lessons before it."""

    name: str
    title: str
    part: str
    minutes: int
    needs: tuple[str, ...] = ()

    @property
    def number(self) -> str:
        """The two digits that every exercise id of the lesson starts with."""
        return self.name[:2]

    @property
    def module_name(self) -> str:
        """The module that holds the lesson's exercises."""
        generated = f"course_utils.exercises.generated.lesson_{self.number}"
        return generated if find_spec(generated) else f"course_utils.exercises.lesson_{self.number}"

    @property
    def is_written(self) -> bool:
        """Whether the lesson's exercises exist yet."""
        return find_spec(self.module_name) is not None

    def exercises(self) -> tuple:
        """Return the lesson's exercises in their order; none for a lesson not written yet."""
        module: ModuleType | None = import_module(self.module_name) if self.is_written else None
        return module.EXERCISES if module else ()


_TAPE = "Part I: the tape"
_LOOPS = "Part II: training loops"

LESSONS = (
    Lesson("00_start_here", "Start here", "Start", 15),
    Lesson("01_first_tape", "The first tape", _TAPE, 55, ("00",)),
    Lesson("02_watching", "Watching", _TAPE, 45, ("01",)),
    Lesson("03_missing_gradients", "Missing gradients", _TAPE, 60, ("02",)),
    Lesson("04_persistence", "Persistence", _TAPE, 45, ("03",)),
    Lesson("05_control_flow", "Control flow", _TAPE, 55, ("03",)),
    Lesson("06_higher_order", "Higher-order gradients", _TAPE, 70, ("04", "05")),
    Lesson("07_gradient_checking", "Gradient checking", _TAPE, 75, ("06",)),
    Lesson("08_regression", "Regression", _LOOPS, 55, ("06",)),
    Lesson("09_training_step", "A training step", _LOOPS, 60, ("08",)),
    Lesson("10_fast_loops", "Fast loops", _LOOPS, 60, ("05", "09")),
    Lesson("11_per_layer_clipping", "Per-layer clipping", _LOOPS, 45, ("09",)),
    Lesson("12_multi_loss", "Several losses", _LOOPS, 60, ("04", "09")),
    Lesson("13_mnist", "MNIST", _LOOPS, 50, ("10", "11")),
    Lesson("14_fit_or_tape", "fit or tape", _LOOPS, 60, ("12", "13")),
)


def find_lesson(number: str) -> Lesson:
    """Return the lesson with this two-digit number.

    Raises
    ------
    LookupError
        If there is no such lesson; the message lists the numbers that exist.
    """
    for lesson in LESSONS:
        if lesson.number == str(number):
            return lesson
    known = f"{LESSONS[0].number} to {LESSONS[-1].number}"
    raise LookupError(f"There is no lesson {number!r}. Lessons have two digits: {known}.")


def written_lessons() -> tuple[Lesson, ...]:
    """Return the lessons that can be worked through today."""
    return tuple(lesson for lesson in LESSONS if lesson.is_written)


def all_exercises() -> list[Exercise]:
    """Return every exercise of every written lesson, in the order of the course."""
    return [exercise for lesson in written_lessons() for exercise in lesson.exercises()]


def find_exercise(exercise_id: str) -> Exercise:
    """Return the exercise with this id.

    Raises
    ------
    LookupError
        If there is none; the message names the nearest ids that exist.
    """
    exercises = {exercise.id: exercise for exercise in all_exercises()}
    if isinstance(exercise_id, str) and exercise_id in exercises:
        return exercises[exercise_id]
    if not isinstance(exercise_id, str):
        raise LookupError('check takes the id first, as text: check("00.1", answer).')
    nearest = get_close_matches(exercise_id, exercises, n=3, cutoff=0.5) or list(exercises)[:3]
    nearest.sort()
    raise LookupError(
        f"There is no exercise {exercise_id!r}. An id is a lesson and a number, such as "
        f'"{nearest[0]}"; the nearest are {", ".join(nearest)}.'
    )

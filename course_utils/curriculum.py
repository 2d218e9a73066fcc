"""The lessons of the course in their order: numbers, titles, times and what each builds on."""

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

__all__ = ["LESSONS", "Lesson", "find_lesson", "written_lessons"]


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

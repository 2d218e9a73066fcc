"""``check``: the call under every exercise that tells the learner what is wrong."""

import dis
import html
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Timer
from types import CodeType, FunctionType, ModuleType
from typing import Any

from gradient_tools.showing.card import card, with_code
from gradient_tools.showing.palette import GREEN, PURPLE, VERMILLION

from .exercises.exercise import Exercise, Judgement
from .exercises.judging import TIME_LIMIT, observe_and_judge
from .exercises.question import Question
from .exercises.references import SEEDS
from .notebook import earlier_run, running_shell
from .tensorflow_start import standard_error_held
from .workspace.curriculum import find_exercise, find_lesson
from .workspace.progress import record_outcome, runs_a_solution

__all__ = ["CheckResult", "check"]

# Each outcome has a sign and a word, so that nothing depends on seeing a colour.
_SIGNS_AND_COLOURS = {
    "passed": ("✓", GREEN),
    "failed": ("✗", VERMILLION),
    "not attempted": ("○", "#777777"),
    "error": ("!", PURPLE),
}


@dataclass(frozen=True)
class CheckResult:
    """The answer to one `check`: shown as HTML in Jupyter, as one plain line elsewhere.

    ``where_to_look`` names what a wrong answer that no known mistake explains reads from the
    notebook instead of its arguments. It is folded in Jupyter.
    """

    id: str
    outcome: str
    message: str
    title: str = ""
    progress: str = ""
    printed: str = ""
    where_to_look: str = ""

    @property
    def passed(self) -> bool:
        """Whether the answer is right."""
        return self.outcome == "passed"

    @property
    def _headline(self) -> str:
        return f"{self.id} {self.title}".strip()

    def __repr__(self) -> str:
        sign, _ = _SIGNS_AND_COLOURS[self.outcome]
        first = f"{sign} {self._headline}: {self.outcome}."
        return " ".join(filter(None, (first, self.message, self.where_to_look, self.progress)))

    def _repr_html_(self) -> str:
        sign, colour = _SIGNS_AND_COLOURS[self.outcome]
        outcome = f"<strong>{sign} {self.outcome.capitalize()}</strong>"
        blocks = [
            f"<div>{outcome} · {html.escape(self._headline)}</div>",
            f"<div>{with_code(self.message)}</div>",
        ]
        if self.where_to_look:
            folded = f"<summary>Where to look</summary><div>{with_code(self.where_to_look)}</div>"
            blocks.append(f"<details>{folded}</details>")
        if self.progress:
            blocks.append(f'<div style="opacity:.75">{html.escape(self.progress)}</div>')
        if self.printed:
            text = f"<pre>{html.escape(self.printed)}</pre>"
            blocks.append(f"<details><summary>What your code printed</summary>{text}</details>")
        return card(colour, *blocks)


def check(exercise_id: str, answer: Any = ...) -> CheckResult:
    """Check the answer to one exercise and say what is wrong with it.

    A wrong answer raises no error. An answer that runs for more than ten seconds is stopped. The
    random states of Python, NumPy, TensorFlow and Keras stay as they were. First used in lesson 00.

    Parameters
    ----------
    exercise_id : str
        The lesson and the exercise, such as ``"01.2"``.
    answer : object
        A function (without parentheses) or a value, as the exercise says.

    Returns
    -------
    CheckResult
        ``outcome`` is ``"passed"``, ``"failed"``, ``"not attempted"`` or ``"error"``.

    Examples
    --------
    >>> check("00.1").outcome
    'not attempted'
    """
    try:
        exercise = find_exercise(exercise_id)
    except LookupError as error:
        return CheckResult(str(exercise_id), "error", str(error))
    # From the operating system, because drawing from a seeded generator would advance it.
    seed = int.from_bytes(os.urandom(4), "little") % SEEDS
    # TensorFlow's C++ code logs an error there that the learner reads in the message.
    with standard_error_held(), _saying_that_it_still_runs():
        judgement, printed = observe_and_judge(exercise, answer, seed)
    recorded = _recorded(exercise, judgement)
    said = " ".join(
        filter(None, (earlier_run(exercise.stub().get("source", "")), judgement.message))
    )
    is_unknown = isinstance(exercise, Question) and not judgement.recognised
    where = _values_from_the_notebook(answer) if is_unknown else ""
    return CheckResult(
        exercise.id, judgement.outcome, said, exercise.title, recorded, printed, where
    )


_READS_A_GLOBAL = {"LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL"}


def _values_from_the_notebook(answer: Any) -> str:
    """Say which values an answer reads from the notebook; an argument was perhaps meant."""
    function = getattr(answer, "python_function", getattr(answer, "__wrapped__", answer))
    if not isinstance(function, FunctionType):
        return ""
    values = {name: function.__globals__.get(name) for name in _global_names(function.__code__)}
    names = [
        f"`{name}`"
        for name, value in values.items()
        if not (value is None or isinstance(value, ModuleType) or callable(value))
        and not name.startswith("__")
    ]
    if not names:
        return ""
    return (
        f"Your function reads {' and '.join(names)} from the notebook, not from its arguments, so "
        f"every call finds the same {'values' if len(names) > 1 else 'value'} there. Check whether "
        "you meant an argument."
    )


def _global_names(code: CodeType) -> Iterator[str]:
    """Yield the global names that code reads, also in its nested functions.

    In ``tape.gradient`` only ``tape`` can be one.
    """
    for step in dis.get_instructions(code):
        if step.opname in _READS_A_GLOBAL:
            yield step.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _global_names(constant)


@contextmanager
def _saying_that_it_still_runs() -> Iterator[None]:
    """Say in a learner's notebook that an answer still runs, when it has taken two seconds."""
    said = (
        f"Your answer is running. It will be stopped if it uses more than {TIME_LIMIT:g} seconds "
        "of processor time.\n"
    )
    # The present sys.stdout, because it is replaced while the answer runs.
    timer = Timer(2.0, sys.stdout.write, [said])
    if running_shell() is not None and not runs_a_solution():
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _recorded(exercise: Exercise, judgement: Judgement) -> str:
    """Update the progress file and return a line about the lesson."""
    try:
        progress = record_outcome(exercise.id, judgement.outcome, judgement.score)
    except OSError as error:
        return f"This result was not saved: {error}. Fix the cause, and run the cell again."
    lesson = find_lesson(exercise.id[:2])
    every = lesson.exercises()
    said = [progress.notice, f"Lesson {lesson.number}: {progress.count(every)} passed."]
    if judgement.outcome != "passed" and progress.has_passed(exercise.id):
        said.insert(0, "You passed this exercise before, and that still counts.")
    return " ".join(filter(None, said))

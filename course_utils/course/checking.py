"""``check``: the call under every exercise that tells the learner what is wrong."""

import html
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from threading import Timer
from typing import Any

from gradient_tools.showing.card import card, with_code
from gradient_tools.showing.palette import GREEN, PURPLE, VERMILLION

from ..exercises.exercise import Exercise, Judgement
from ..exercises.judging import TIME_LIMIT, observe_and_judge
from ..exercises.question import Question
from ..exercises.references import SEEDS
from ..workspace.curriculum import find_exercise, find_lesson
from ..workspace.progress import record_outcome, runs_a_solution
from .notebook import earlier_run, running_shell
from .tensorflow_start import standard_error_held

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

    Where no known mistake explains a wrong answer, it is looked for a line in which one change is
    enough, or for a name of the notebook's that the answer reads, when the result is shown; in
    Jupyter the message stands meanwhile.
    """

    id: str
    outcome: str
    message: str
    title: str = ""
    progress: str = ""
    printed: str = ""
    _search: Callable[[], str] | None = field(default=None, repr=False, compare=False)

    @cached_property
    def where_to_look(self) -> str:
        """What is worth a look in the answer; empty where nothing is known."""
        return self._search() if self._search else ""

    @property
    def passed(self) -> bool:
        """Whether the answer is right."""
        return self.outcome == "passed"

    @property
    def _headline(self) -> str:
        return f"{self.id} {self.title}".strip()

    def __repr__(self) -> str:
        return self._in_a_line(self.where_to_look)

    def _repr_html_(self) -> str:
        return self._as_card(self.where_to_look)

    def _ipython_display_(self) -> None:
        if self._search is None:
            raise NotImplementedError  # it is shown as any other object is
        from IPython.display import display

        shown = display(self._shown(""), raw=True, display_id=True)
        if self.where_to_look:
            shown.update(self._shown(self.where_to_look), raw=True)

    def _shown(self, where: str) -> dict[str, str]:
        return {"text/plain": self._in_a_line(where), "text/html": self._as_card(where)}

    def _in_a_line(self, where: str) -> str:
        sign, _ = _SIGNS_AND_COLOURS[self.outcome]
        said = (f"{sign} {self._headline}: {self.outcome}.", self.message, where, self.progress)
        return " ".join(filter(None, said))

    def _as_card(self, where: str) -> str:
        sign, colour = _SIGNS_AND_COLOURS[self.outcome]
        outcome = f"<strong>{sign} {self.outcome.capitalize()}</strong>"
        blocks = [
            f"<div>{outcome} · {html.escape(self._headline)}</div>",
            f"<div>{with_code(self.message)}</div>",
        ]
        if where:
            summary = "<summary>Where to look</summary>"
            blocks.append(f"<details>{summary}<div>{with_code(where)}</div></details>")
        if self.progress:
            blocks.append(f'<div style="opacity:.75">{html.escape(self.progress)}</div>')
        if self.printed:
            text = f"<pre>{html.escape(self.printed)}</pre>"
            blocks.append(f"<details><summary>What your code printed</summary>{text}</details>")
        return card(colour, *blocks)


def check(exercise_id: str, answer: Any = ...) -> CheckResult:
    """Check the answer to one exercise and say what is wrong with it.

    Never raises for a wrong answer, stops an answer that runs for more than ten seconds, and leaves
    the random states of Python, NumPy, TensorFlow and Keras as they were. First used in lesson 00.

    Parameters
    ----------
    exercise_id : str
        The lesson and the exercise, such as ``"01.2"``.
    answer : object
        What the exercise asks for: a function (without parentheses), or a value.

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
    shown = exercise.id, judgement.outcome, said, exercise.title, recorded, printed
    if isinstance(exercise, Question) and not judgement.recognised:
        return CheckResult(*shown, partial(_where_to_look, exercise, answer, seed))
    return CheckResult(*shown)


def _where_to_look(question: Question, answer: Any, seed: int) -> str:
    from ..one_change.search import where_to_look

    with standard_error_held():
        return where_to_look(question, answer, seed)


@contextmanager
def _saying_that_it_still_runs() -> Iterator[None]:
    """Say in a learner's notebook that an answer still runs, when it has taken two seconds."""
    said = f"Your answer is running. After {TIME_LIMIT:g} seconds of work it is stopped.\n"
    timer = Timer(2.0, sys.stdout.write, [said])  # not what stands there while the answer runs
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
        return f"This result was not saved: {error}."
    lesson = find_lesson(exercise.id[:2])
    every = lesson.exercises()
    said = [progress.notice, f"Lesson {lesson.number}: {progress.count(every)} passed."]
    if judgement.outcome != "passed" and progress.has_passed(exercise.id):
        said.insert(0, "You passed this exercise before, and that stays.")
    return " ".join(filter(None, said))

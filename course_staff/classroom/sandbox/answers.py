"""Finding the answers of one lesson among what a notebook's cells bind and check.

Notes
-----
An exercise is known by the name that its stub binds, such as ``slope``. Its answer is observed

- when ``check("01.1", slope)`` runs, as it was for the learner, with whatever object is passed: an
  answer under another name counts, too;
- at the end of the notebook, if the object that then stands under the name was never checked: so
  the check's cell may be missing, moved, copied, edited or redefined;
- at the end, if the name was never bound: what the exercise's own cell, known by its mark or its
  id, has bound in place of it.

Of several answers to one exercise the last one that is more than the stub counts. Which one that
is, the grader decides from the observations; this side observes and does not know what is right.
"""

import ast
from collections.abc import Callable
from typing import Any

from course_utils.checking import CheckResult
from course_utils.exercises.exercise import Exercise
from course_utils.exercises.isolation import TimeLimitReached, state_kept, time_limit

from .cells import Cell, CellError
from .limits import Clock

__all__ = ["TOO_LARGE", "Answers", "bound_names"]

TOO_LARGE = "what it returns is too large, or cannot be written as plain data"

_MISSING = object()
_MOST_OBSERVATIONS = 30  # of one exercise; more than any honest notebook makes


class Answers:
    """The answers of one lesson, observed as they appear.

    Parameters
    ----------
    exercises : dict of str to Exercise
        The lesson's exercises by id.
    stubs : dict of str to dict
        What is known of their cells; see `course_utils.exercises.exercise.stubs`.
    ask : callable
        Returns a fresh seed from the grader for one observation of an exercise.
    tell : callable
        Sends an observation, or None for one that ran too long.
    seconds : float
        The time of one observation.
    clock : Clock
        By which that is measured.
    """

    def __init__(
        self,
        exercises: dict[str, Exercise],
        stubs: dict[str, dict],
        ask: Callable[[str], int],
        tell: Callable[[str, Any], None],
        seconds: float,
        clock: Clock,
    ):
        self._exercises = exercises
        self._cells = {i: stubs[i]["cell"] for i in exercises if i in stubs}
        self._names = {i: bound_names(stubs[i]["source"]) for i in exercises if i in stubs}
        self._ask, self._tell = ask, tell
        self._seconds, self._clock = seconds, clock
        self._last: dict[str, Any] = {}
        self._count: dict[str, int] = {}
        self._instead: dict[str, list[str]] = {}  # what an exercise's own cell bound
        self.cell_errors: dict[str, CellError] = {}

    def check(self, exercise_id: str, answer: Any = ..., *more: Any, **options: Any) -> CheckResult:
        """Stand in for ``course_utils.check``: observe, and leave the judging to the grader."""
        if isinstance(exercise_id, str) and exercise_id in self._exercises:
            self._observe(exercise_id, answer)
        message = "This answer will be graded after the notebook has run."
        return CheckResult(str(exercise_id), "not attempted", message)

    def after_cell(self, cell: Cell, error: CellError | None) -> None:
        """Note what an exercise's own cell bound, or what stopped it."""
        for exercise_id, cell_id in self._cells.items():
            names = bound_names(cell.source)
            is_own = exercise_id == cell.exercise or cell_id == cell.id
            if is_own or set(names) & set(self._names[exercise_id]):
                if error is not None:
                    self.cell_errors[exercise_id] = error
                elif is_own:
                    self._instead[exercise_id] = names

    def finish(self, namespace: dict[str, Any]) -> None:
        """Observe every answer that stands at the end and was not observed yet."""
        for exercise_id in self._exercises:
            names = self._names.get(exercise_id, [])[-1:]
            if not any(name in namespace for name in names) and exercise_id not in self._last:
                names = self._instead.get(exercise_id, [])[-1:]
            for name in names:
                answer = namespace.get(name, _MISSING)
                if answer is not _MISSING and answer is not self._last.get(exercise_id, _MISSING):
                    self._observe(exercise_id, answer)

    def _observe(self, exercise_id: str, answer: Any) -> None:
        if answer is self._last.get(exercise_id, _MISSING):
            return
        self._last[exercise_id] = answer
        self._count[exercise_id] = self._count.get(exercise_id, 0) + 1
        if self._count[exercise_id] > _MOST_OBSERVATIONS:
            return
        seed = self._ask(exercise_id)
        try:
            with state_kept(seed), time_limit(self._seconds, clock=self._clock):
                observation = self._exercises[exercise_id].observe(answer, seed)
        except TimeLimitReached:
            observation = None
        except BaseException as error:
            observation = {"broken": f"calling it raised {type(error).__name__}"}
        self._tell(exercise_id, observation)


def bound_names(source: str) -> list[str]:
    """Return the names that a cell binds at its top level, the last one last.

    Functions and classes come after values, because a value beside a function is its helper.

    >>> bound_names("k = 2; f = lambda x: x * k")
    ['k', 'f']
    """
    try:
        statements = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    values: list[str] = []
    definitions: list[str] = []
    for statement in statements:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            definitions.append(statement.name)
        elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
            stored = [n for n in ast.walk(statement) if isinstance(n, ast.Name)]
            values += [n.id for n in stored if isinstance(n.ctx, ast.Store)]
    return values + definitions

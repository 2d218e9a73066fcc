"""The place of a mistake that no gallery explains: single changes of an answer, run in the jail.

The changes are made here, in the syntax tree, and judged here, as an answer is. They run where the
notebook ran: its cells as far as the answer's, and then each changed program with a check.
"""

import ast
import time
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from course_utils.exercises.exercise import stubs
from course_utils.exercises.judging import assess
from course_utils.exercises.question import Question
from course_utils.one_change.changes import Change, changes_of
from course_utils.one_change.search import Place, in_words

from ..jail.answers import bound_names
from ..jail.cells import Cell
from ..running.fork_server import Runner
from .behaviours import program_in, question_of
from .learned import Observations, code_cell, notebook_of
from .secret_references import References

__all__ = ["where_to_look"]

_RUNS = (3, 6, 12, 24, 24, 24, 24)  # programs in each; a notebook may ask 30 times about one answer
_SECONDS = 2.0  # after so many of running, no other run begins: an answer that trains is left alone
_MOST_PLACES = 3
_SEEDS = 4  # on all of them a change has to be right


def where_to_look(
    server: Runner,
    references: References,
    cells: Sequence[Cell],
    exercise_id: str,
    shown: Collection[str],
) -> str:
    """Say in which lines of a wrong answer one change makes it right.

    Parameters
    ----------
    server : Runner
        What runs notebooks.
    references : References
        What the right program does.
    cells : sequence of Cell
        The code cells of the notebook that was handed in.
    exercise_id : str
        The exercise, whose answer is a function.
    shown : collection of str
        The lesson's demonstrations; see `course_staff.classroom.jail.needed`.

    Returns
    -------
    str
        Empty where no change is known, and where the programs take too long to say.
    """
    source = program_in(cells, exercise_id)
    changes = _distinct_changes(source)
    jail = _Jail(server, references, cells, exercise_id, shown)
    lines = source.splitlines()
    found: dict[int, Place] = {}
    for programs in _RUNS:
        right = jail.right_ones(list(islice(changes, programs)), 0)
        is_slow = jail.seconds > _SECONDS
        for number in range(1, _SEEDS):
            right = jail.right_ones(right, number)
        for change in right:
            code = lines[change.line - 1].strip()
            found.setdefault(change.line, Place(change.line, code, change.look))
        if len(found) >= _MOST_PLACES or is_slow:
            break
    return in_words([found[line] for line in sorted(found)][:_MOST_PLACES])


def _distinct_changes(source: str) -> Iterator[Change]:
    """Yield the changes of a cell's functions that make another program of them."""
    try:
        statements = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    tree = ast.Module([each for each in statements if isinstance(each, ast.FunctionDef)], [])
    seen = {ast.unparse(tree)}
    for change in changes_of(tree):
        text = ast.unparse(change.tree)
        if text not in seen:
            seen.add(text)
            yield change


class _Jail:
    """Runs changed programs behind the notebook's cells, and judges what they did."""

    def __init__(
        self,
        server: Runner,
        references: References,
        cells: Sequence[Cell],
        exercise_id: str,
        shown: Collection[str],
    ):
        self._server, self._references, self._shown = server, references, list(shown)
        self._question: Question = question_of(exercise_id)
        own = [cell for cell in cells if cell.source == program_in(cells, exercise_id)]
        until = own[-1].number if own else 0
        self._before = [code_cell(each.source) for each in cells if each.number <= until]
        self._name = bound_names(stubs()[exercise_id]["source"])[-1]
        self.seconds = 0.0  # that all runs took

    def right_ones(self, changes: Sequence[Change], number: int) -> list[Change]:
        """Return those of the changes with which the answer is right on a secret seed."""
        if not changes:
            return []
        seed = self._references.seed(self._question.id, number)
        added = []
        for place, change in enumerate(changes):
            # Should it not define the name, its check meets a number.
            added.append(code_cell(f"{self._name} = {place}\n{ast.unparse(change.tree)}"))
            added.append(code_cell(f'check("{self._question.id}", {self._name})'))
        first = code_cell("from course_utils import check")
        others = [i for i in stubs() if i[:2] == self._question.id[:2] and i != self._question.id]
        job = {"lesson": self._question.id[:2], "without": others, "shown": self._shown}
        answers = Observations(self._question.id, seed)
        begun = time.monotonic()
        run = self._server.run(job, notebook_of([*self._before, first, *added]), answers)
        self.seconds += time.monotonic() - begun
        # The checks of the notebook's own cells came before.
        observations = answers.found[-len(changes) :]
        if run.ended != "done" or len(observations) < len(changes):
            return []
        return [
            change
            for change, observation in zip(changes, observations, strict=True)
            if self._is_right(observation, number)
        ]

    def _is_right(self, observation: Any, number: int) -> bool:
        if not isinstance(observation, dict) or "broken" in observation:
            return False
        seed = self._references.seed(self._question.id, number)
        right = self._references.right(self._question.id, number)
        try:
            with np.errstate(all="ignore"):
                return assess(self._question, observation, seed, right).outcome == "passed"
        except (Exception, RecursionError):  # forged, or such as nobody thought of
            return False

"""The same work in several submissions, word for word: for the teacher's eyes, on the class page.

Sameness says something only where there was much to choose. So what the stub and the course's own
solution hold is not counted, and what has fewer words and signs of its own is left out: a hundred
people write one `reduce_sum` for a `reduce_mean`.
"""

import difflib
import hashlib
import io
import re
import tokenize
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from course_utils.exercises.exercise import stubs
from course_utils.workspace.curriculum import find_lesson

from ..intake.submissions import Submission
from ..jail.cells import Cell, read_cells
from .behaviours import program_in
from .rows import Row

__all__ = ["Same", "same_work", "words_of"]

_LEAST_OWN = 20  # words and signs that neither the stub nor the solution has in this order
_SPACING = (
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENCODING, tokenize.ENDMARKER,
)  # fmt: skip


@dataclass(frozen=True)
class Same:
    """Students whose work is the same: in one exercise, or in all code cells of a lesson."""

    lesson: str
    exercise: str  # empty for the whole notebook
    students: tuple[str, ...]


def same_work(
    submissions: Iterable[Submission],
    rows: Iterable[Row],
    cells_of: Callable[[Submission], list[Cell]],
    solutions: Path,
) -> list[Same]:
    """Return whose notebooks, and whose wrong answers, are the same; comments and spacing aside.

    Parameters
    ----------
    submissions : iterable of Submission
        Only those that count are read.
    rows : iterable of Row
        They say which answers are wrong.
    cells_of : callable
        Returns the code cells of one submission; where it raises, that one is passed over.
    solutions : Path
        The folder of the course's worked lessons.
    """
    wrong: dict[str, set[str]] = {}
    for row in rows:
        if row.outcome in ("failed", "error"):
            wrong.setdefault(row.submission, set()).add(row.exercise)
    # By lesson, exercise and text: who wrote it, and the answers that it holds.
    found: dict[tuple, tuple[set[str], dict]] = {}
    for one in (one for one in submissions if one.counts):
        try:
            cells = cells_of(one)
        except Exception:  # its verdicts say what is wrong with it
            continue
        programs = {
            exercise.id: words_of(program_in(cells, exercise.id))
            for exercise in find_lesson(one.lesson).exercises()
        }
        texts = {(one.lesson, i, programs[i]): {i: programs[i]} for i in wrong.get(one.place, ())}
        whole = hashlib.sha256(repr([words_of(cell.source) for cell in cells]).encode()).digest()
        for key, answers in (texts | {(one.lesson, "", whole): programs}).items():
            found.setdefault(key, (set(), answers))[0].add(one.student)
    groups = {
        Same(lesson, exercise, tuple(sorted(students)))
        for (lesson, exercise, _), (students, answers) in found.items()
        if len(students) > 1
        and sum(_own(i, words, solutions) for i, words in answers.items()) >= _LEAST_OWN
    }
    wholly = {(same.lesson, same.students) for same in groups if not same.exercise}
    kept = [one for one in groups if not one.exercise or (one.lesson, one.students) not in wholly]
    return sorted(kept, key=lambda one: (one.lesson, one.exercise, one.students))


@cache
def words_of(source: str) -> tuple[str, ...]:
    """Return the words and signs of a program, without comments and spacing.

    >>> words_of("y = x**3  # the cube") == words_of("y = x ** 3")
    True
    """
    try:
        tokens = [*tokenize.generate_tokens(io.StringIO(source).readline)]
    except (tokenize.TokenError, SyntaxError):  # a cell that is no Python, such as a shell command
        return tuple(re.findall(r"\w+|[^\w\s]", source))
    return tuple(
        token.string.strip() or tokenize.tok_name[token.type]
        for token in tokens
        if token.type not in _SPACING
    )


@cache
def _own(exercise_id: str, words: tuple[str, ...], solutions: Path) -> int:
    """Return how many words of an answer neither the stub nor the solution has in this order."""
    matched: set[int] = set()
    for known in _known(exercise_id, solutions):
        blocks = difflib.SequenceMatcher(None, known, words, autojunk=False).get_matching_blocks()
        matched |= {place for b in blocks for place in range(b.b, b.b + b.size)}
    return len(words) - len(matched)


@cache
def _known(exercise_id: str, solutions: Path) -> Sequence[tuple[str, ...]]:
    path = solutions / f"{find_lesson(exercise_id[:2]).name}.ipynb"
    cells: list[Cell] = read_cells(path.read_bytes()) if path.exists() else []
    return words_of(stubs()[exercise_id]["source"]), words_of(program_in(cells, exercise_id))

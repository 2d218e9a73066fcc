"""Slips of the pen: every single change of a right program, and what its exercise says of it."""

import ast
import contextlib
import difflib
import inspect
import linecache
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from textwrap import dedent
from typing import Any

from course_utils.exercises.exercise import Judgement
from course_utils.exercises.isolation import TimeLimitReached, time_limit
from course_utils.exercises.judging import observe_and_judge
from course_utils.exercises.question import Question
from course_utils.exercises.references import SEEDS
from course_utils.one_change.changes import changes_of
from course_utils.one_change.search import places_of_one_change

__all__ = ["Slip", "slips_of", "tried"]

_LIKELY = 3  # changes of this rank and above are no slips, but repairs of one
_SECONDS = 5.0  # of the processor, for one observation


@dataclass(frozen=True)
class Slip:
    """One change of a right program: the line before and after it, and the whole program."""

    exercise: str
    before: str
    after: str
    text: str


def slips_of(question: Question, answer: Callable) -> Iterator[Slip]:
    """Yield each single change of a right answer that makes another program of it."""
    tree = ast.parse(_source(answer))
    right = ast.unparse(tree)
    seen = {right}
    for change in changes_of(tree):
        text = ast.unparse(change.tree)
        if change.rank < _LIKELY and text not in seen:
            seen.add(text)
            yield Slip(question.id, *_difference(right, text), text)


def tried(question: Question, answer: Callable, slip: Slip) -> str:
    """Tell what becomes of a slip.

    Returns
    -------
    str
        ``"no program"`` where it cannot be defined; ``"passes"`` where it does on every stored
        seed, ``"luck"`` where on some; else what its author is told: ``"recognised"``, ``"placed"``
        where one change is found that mends it, ``"error"`` where an error names the line, and
        ``"untold"``.
    """
    file, names = f"<slip of {slip.exercise}>", dict(_undecorated(answer).__globals__)
    linecache.cache[file] = (len(slip.text), None, slip.text.splitlines(keepends=True), file)
    try:
        exec(compile(slip.text, file, "exec"), names)
    except Exception:  # such as a name that is not there
        return "no program"
    function = names[_undecorated(answer).__name__]
    first = _judged(question, function, 0)
    others = (_judged(question, function, seed) for seed in range(1, SEEDS))
    if first is not None and first.outcome == "passed":
        is_right = all(each is not None and each.outcome == "passed" for each in others)
        return "passes" if is_right else "luck"
    if first is None:
        return "untold"  # too slow to say
    if first.recognised:
        return "recognised"
    if places_of_one_change(question, function, 0):
        return "placed"
    return "error" if first.outcome == "error" and " at `" in first.message else "untold"


def _judged(question: Question, function: Callable, seed: int) -> Judgement | None:
    """Return the judgement on one seed; None where it takes too long."""
    with warnings.catch_warnings(), contextlib.suppress(TimeLimitReached), time_limit(_SECONDS):
        warnings.simplefilter("ignore")
        return observe_and_judge(question, function, seed)[0]
    return None


def _undecorated(answer: Any) -> Any:
    return getattr(answer, "python_function", getattr(answer, "__wrapped__", answer))


def _source(answer: Callable) -> str:
    """Return the definition of an answer without its docstring, which is no part of the program."""
    tree = ast.parse(dedent(inspect.getsource(_undecorated(answer))))
    body = tree.body[0].body  # type: ignore[attr-defined]
    if ast.get_docstring(tree.body[0]) is not None:  # type: ignore[arg-type]
        del body[0]
    return ast.unparse(tree)


def _difference(right: str, text: str) -> tuple[str, str]:
    """Return the lines that differ, before and after."""
    marked = list(difflib.ndiff(right.splitlines(), text.splitlines()))
    before, after = (
        " / ".join(line[2:].strip() for line in marked if line.startswith(mark)) for mark in "-+"
    )
    return before, after

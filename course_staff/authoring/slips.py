"""Slips of the pen: every single change of a right program, and what its exercise says of it."""

import ast
import difflib
import inspect
import linecache
import os
import random
import re
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent
from typing import Any

import tomlkit

from course_utils.exercises.exercise import Judgement
from course_utils.exercises.isolation import TimeLimitReached, time_limit
from course_utils.exercises.judging import observe_and_judge
from course_utils.exercises.question import Question

from .changes import changes_of
from .questions import Questions
from .source import LessonSource

__all__ = ["Slip", "defined", "explanations", "holes", "is_explained", "judged", "slips_of"]

_SECONDS = 5.0  # of the processor, for one observation
_CHEAP = 0.2  # seconds that observing an exercise may take, for its slips to be tried at a build
_AT_A_BUILD = 10  # slips of an exercise
# What changes nothing of one number, or along the only axis: an unneeded call, or argument.
_UNNEEDED = re.compile(
    r"tf\.(reduce_sum|reduce_mean|abs)\b|\b(float|list)\b"
    r"|,? ?(axis=-?\d|keepdims=True|persistent=True|strict=(True|False))"
)
_SQUARE = re.compile(r"\((\w+(?:\(\w+\))?) - (\w+(?:\(\w+\))?)\) \*\* 2")


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
    for changed in changes_of(tree):
        text = ast.unparse(changed)
        if text not in seen:
            seen.add(text)
            yield Slip(question.id, *_difference(right, text), text)


def defined(answer: Callable, slip: Slip) -> Callable | None:
    """Return the answer with a slip; None where it cannot be defined."""
    file, names = f"<slip of {slip.exercise}>", dict(undecorated(answer).__globals__)
    linecache.cache[file] = (len(slip.text), None, slip.text.splitlines(keepends=True), file)
    try:
        exec(compile(slip.text, file, "exec"), names)
    except Exception:  # such as a name that is not there
        return None
    return names[undecorated(answer).__name__]


def undecorated(value: Any) -> Any:
    """Return the function under a decorator, and anything else as it is."""
    return getattr(value, "python_function", getattr(value, "__wrapped__", value))


def holes(lesson: LessonSource, explained: Mapping[str, Mapping[str, str]]) -> Iterator[Slip]:
    """Yield slips that pass, and of which nobody says why; a few of each cheap exercise are tried.

    ``explained`` is what `explanations` returns.
    """
    questions = Questions(lesson)
    for exercise_id, question in questions.exercises.items():
        if not isinstance(question, Question):
            continue
        answer, begun = questions.right(exercise_id), time.process_time()
        judged(question, answer, 0)
        if time.process_time() - begun > _CHEAP:
            continue
        slips = list(slips_of(question, answer))
        known = explained.get(exercise_id, {})
        for slip in random.Random(exercise_id).sample(slips, min(_AT_A_BUILD, len(slips))):
            function = None if is_explained(slip, known) else defined(answer, slip)
            first = judged(question, function, 0) if function else None
            if first is not None and first.outcome == "passed":
                yield slip


def explanations(lessons: Path) -> Mapping[str, Mapping[str, str]]:
    """Return, by the exercise and the changed line, why slips that pass do the same."""
    return tomlkit.parse((lessons / "slips.toml").read_text(encoding="utf-8")).unwrap()


def is_explained(slip: Slip, explained: Mapping[str, str]) -> bool:
    """Tell whether a slip that passes is written otherwise alone, or its line is explained.

    ``"*"`` stands for every line of an exercise that has no one right answer.
    """
    is_said = slip.after in explained or "*" in explained
    return is_said or _essence(slip.before) == _essence(slip.after)


def _essence(line: str) -> str:
    line = _SQUARE.sub(lambda found: "".join(sorted(found.groups())), line)
    line = line.replace("jacobian", "gradient").replace("trainable_weights", "trainable_variables")
    line = _UNNEEDED.sub("", line)
    return re.sub(r"[()\s]", "", line)


def judged(question: Question, function: Callable, seed: int) -> Judgement | None:
    """Return the judgement on one seed; None where it takes too long."""
    with _throwaway_folder(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with suppress(TimeLimitReached), time_limit(_SECONDS):
            return observe_and_judge(question, function, seed)[0]
    return None


@contextmanager
def _throwaway_folder() -> Iterator[None]:
    """Work in a folder that is removed: a slip may take anything for the name of a file."""
    here = os.getcwd()
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(here)


def _source(answer: Callable) -> str:
    """Return the definition of an answer without its docstring, which is no part of the program."""
    tree = ast.parse(dedent(inspect.getsource(undecorated(answer))))
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

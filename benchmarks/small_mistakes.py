"""Try small mistakes in right answers, and count how many of them the checks name."""

import argparse
import ast
import difflib
import inspect
import linecache
import os
import random
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent
from types import FunctionType
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

_ROOT = Path(__file__).parents[1]
_OUTCOMES = ("passes", "luck", "named", "error", "unnamed")
_SECONDS = 5.0  # of the processor, for one observation
_EXPLANATION = """
A small mistake is one change in the syntax tree of a right answer: a line out of its block, a mean
for a sum, two arguments exchanged, a name for another, a range one shorter. The solutions are
changed, and as many of the other right answers that are plain functions.

  passes    passes on every stored seed: it does the same, or the exercise has a gap
  luck      passes on some of the eight stored seeds, and not on others
  named     gets the message of a known mistake
  error     gets an error in words that quotes its line
  unnamed   gets only the expected and the given values

Exits with 1 if a verdict is luck.
"""


def main() -> int:
    """Try the mistakes, print a row for each exercise, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=_EXPLANATION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--lessons", nargs="+", metavar="NN", help="these lessons (all)")
    parser.add_argument(
        "--sample", type=int, default=10, metavar="N", help="per exercise (10); 0 for all"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the sample (0)")
    parser.add_argument("--show", choices=_OUTCOMES, help="list the changes with this outcome")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    options = parser.parse_args()
    sys.path.insert(0, str(_ROOT))
    from course_utils.workspace.curriculum import LESSONS

    numbers = [x.number for x in LESSONS if x.number in (options.lessons or [x.number])]
    work = partial(of_lesson, sample=options.sample, seed=options.seed)
    console = Console(width=110)
    table = Table("exercise", "in", "mistakes", *_OUTCOMES)
    total: Counter[str] = Counter()
    shown: list[str] = []
    with ProcessPoolExecutor(options.jobs) as pool:
        results = pool.map(work, numbers)
        for rows in track(results, "lessons", len(numbers), console=console):
            for exercise, origin, outcomes in rows:
                counts = Counter(outcome for _, outcome in outcomes)
                total += counts
                cells = [str(counts[outcome]) for outcome in _OUTCOMES]
                table.add_row(exercise, origin, str(len(outcomes)), *cells)
                shown += [
                    f"{exercise} {outcome}: {change.before}  ->  {change.after}"
                    for change, outcome in outcomes
                    if outcome in (options.show, "luck")
                ]
    console.print(table)
    for line in shown:
        print(line)
    failing = total["named"] + total["error"] + total["unnamed"]
    console.print(
        f"{total['named']} of {failing} mistakes that fail are named, {total['error']} more get an "
        f"error in words. {total['passes']} pass, {total['luck']} depend on the seed; bound: 0."
    )
    return 1 if total["luck"] else 0


@dataclass(frozen=True)
class Change:
    """One change of a right program: the line before and after it, and the whole program."""

    before: str
    after: str
    program: str


def of_lesson(number: str, sample: int, seed: int) -> list[tuple[str, str, list]]:
    """Return, for each exercise of a lesson, which answers were changed, and the outcomes."""
    sys.path.insert(0, str(_ROOT))
    from course_utils.tensorflow_start import quiet_tensorflow

    quiet_tensorflow()
    from course_staff.authoring.questions import Questions
    from course_staff.authoring.source import read_lesson
    from course_utils.exercises.lesson_questions import load
    from course_utils.exercises.question import Question

    (path,) = _ROOT.glob(f"lessons/{number}_*/lesson.py")
    questions, rows = Questions(read_lesson(path)), []
    others = load(path.with_name("answers.py")).RIGHT
    for exercise_id, question in questions.exercises.items():
        if not isinstance(question, Question):
            continue
        other = [answer for answer in others[exercise_id] if is_plain(answer)]
        for origin, answers in (
            ("solution", [questions.right(exercise_id)]),
            ("other answers", other),
        ):
            changes = [(answer, change) for answer in answers for change in changes_in(answer)]
            if sample:
                changes = random.Random(seed).sample(changes, min(sample, len(changes)))
            outcomes = [(change, outcome(question, answer, change)) for answer, change in changes]
            rows.append((exercise_id, origin, [pair for pair in outcomes if pair[1]]))
    return rows


def is_plain(answer: object) -> bool:
    """Tell whether an answer is a function of a module, which only its text defines."""
    function = undecorated(answer)
    return (
        isinstance(function, FunctionType)
        and function.__name__ == function.__qualname__ != "<lambda>"
    )


def undecorated(answer: Any) -> Any:
    """Return the function under a decorator, and anything else as it is."""
    return getattr(answer, "python_function", getattr(answer, "__wrapped__", answer))


def changes_in(answer: Callable) -> Iterator[Change]:
    """Yield each single change of a right answer that makes another program of it."""
    from small_mistakes_cases import changes_of

    tree = ast.parse(dedent(inspect.getsource(undecorated(answer))))
    (definition,) = tree.body
    if ast.get_docstring(definition) is not None:
        del definition.body[0]
    right = ast.unparse(tree)
    tree = ast.parse(right)
    seen = {right}
    for changed in changes_of(tree):
        text = ast.unparse(changed)
        if text not in seen:
            seen.add(text)
            yield Change(*_different_lines(right, text), text)


def _different_lines(right: str, text: str) -> tuple[str, str]:
    """Return the lines that differ, before and after."""
    marked = list(difflib.ndiff(right.splitlines(), text.splitlines()))
    before, after = (
        " / ".join(line[2:].strip() for line in marked if line.startswith(mark)) for mark in "-+"
    )
    return before, after


def outcome(question: Any, answer: Callable, change: Change) -> str:
    """Return what the check says of a change: see `--help`; empty if it is no program."""
    from course_utils.exercises.references import SEEDS

    function = defined(answer, change)
    if function is None:
        return ""
    first = judged(question, function, 0)
    if first is None:
        return "unnamed"  # too slow to say
    if first.outcome == "passed":
        others = (judged(question, function, seed) for seed in range(1, SEEDS))
        passes = all(other is not None and other.outcome == "passed" for other in others)
        return "passes" if passes else "luck"
    if first.recognised:
        return "named"
    return "error" if first.outcome == "error" and " at `" in first.message else "unnamed"


def defined(answer: Callable, change: Change) -> Callable | None:
    """Return the changed answer; None if it cannot be defined."""
    file, names = "<small mistake>", dict(undecorated(answer).__globals__)
    linecache.cache[file] = (len(change.program), None, change.program.splitlines(True), file)
    try:
        exec(compile(change.program, file, "exec"), names)
    except Exception:  # such as a name that is not there
        return None
    return names[undecorated(answer).__name__]


def judged(question: Any, function: Callable, seed: int) -> Any:
    """Return the judgement on one seed; None if it takes too long."""
    from course_utils.exercises.isolation import TimeLimitReached, time_limit
    from course_utils.exercises.judging import observe_and_judge

    with _throwaway_folder(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with suppress(TimeLimitReached), time_limit(_SECONDS):
            return observe_and_judge(question, function, seed)[0]
    return None


@contextmanager
def _throwaway_folder() -> Iterator[None]:
    """Work in a folder that is removed: a mistake may take anything for the name of a file."""
    here = os.getcwd()
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(here)


if __name__ == "__main__":
    sys.exit(main())

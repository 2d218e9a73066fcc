"""Try every slip of the pen: single changes of right answers, and what is said of them."""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

_ROOT = Path(__file__).parents[1]
_KINDS = ("passes", "luck", "recognised", "error", "untold")
_EXPLANATION = """
A slip is one change of a right answer's syntax tree: a line out of its block, a mean for a sum, two
arguments exchanged, a name for another, a range one shorter. Those of the solutions are tried, and
as many of the other right answers of the tests that are plain functions.

  passes       does the same, or is a hole: what lessons/slips.toml does not explain of a solution
               is listed
  luck         passes on some of the eight stored seeds, and not on others
  recognised   told its mistake by the gallery
  error        told an error in words that names its line
  untold       told numbers alone

Bounds: no pass of a solution's slip is unexplained, none is luck; it exits with 1 if one is missed.
"""


def main() -> int:
    """Try the slips, print a row for each exercise, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=_EXPLANATION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--lessons", nargs="+", metavar="NN", help="these lessons (all)")
    parser.add_argument(
        "--sample", type=int, default=10, metavar="N", help="of each exercise (10); 0 for all"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the sample (0)")
    parser.add_argument("--show", choices=_KINDS, help="list the slips of which this becomes")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    options = parser.parse_args()
    sys.path.insert(0, str(_ROOT))
    from course_staff.authoring.slips import explanations, is_explained
    from course_utils.workspace.curriculum import LESSONS

    numbers = [x.number for x in LESSONS if x.number in (options.lessons or [x.number])]
    work = partial(of_lesson, sample=options.sample, seed=options.seed)
    console = Console(width=110)
    table = Table("exercise", "of", "slips", *_KINDS)
    total: Counter[tuple[str, str]] = Counter()
    doubtful: list[str] = []
    shown: list[str] = []
    explained = explanations(_ROOT / "lessons")
    with ProcessPoolExecutor(options.jobs) as pool:
        results = pool.map(work, numbers)
        for rows in track(results, "lessons", len(numbers), console=console):
            for exercise, whose, outcomes in rows:
                counts = Counter(kind for _, kind in outcomes)
                total += Counter({(whose, kind): count for kind, count in counts.items()})
                cells = [str(counts[kind]) for kind in _KINDS]
                table.add_row(exercise, whose, str(len(outcomes)), *cells)
                known = explained.get(exercise, {})
                for slip, kind in outcomes:
                    line = f"{exercise} {kind}: {slip.before}  ->  {slip.after}"
                    if kind == options.show:
                        shown.append(line)
                    is_open = whose == "solution" and not is_explained(slip, known)
                    if kind == "luck" or (kind == "passes" and is_open):
                        doubtful.append(line)
    console.print(table)
    for line in [*shown, *doubtful]:
        print(line)
    console.print(f"{len(doubtful)} passes are luck or unexplained; bound: 0.")
    for whose in ("solution", "others"):
        told = _told({kind: total[whose, kind] for kind in _KINDS})
        console.print(f"{whose}: {told} are told more than numbers")
    told = _told({kind: total["solution", kind] + total["others", kind] for kind in _KINDS})
    console.print(f"all: {told} are told more than numbers.")
    return 1 if doubtful else 0


def _told(counts: dict[str, int]) -> str:
    """Return the share that is told more than numbers of those that fail, as text."""
    failing = sum(counts[kind] for kind in _KINDS[2:])
    told = sum(counts[kind] for kind in ("recognised", "error"))
    share = told / failing if failing else 1.0
    return f"{share:.0%} of {failing} that fail"


def of_lesson(number: str, sample: int, seed: int) -> list[tuple[str, str, list]]:
    """Return, for each exercise of a lesson, whose slips were tried, and what became of each."""
    sys.path[:0] = [str(_ROOT), str(_ROOT / "tests" / "exercises")]
    from course_utils.course.tensorflow_start import quiet_tensorflow

    quiet_tensorflow()
    from course_staff.authoring.questions import Questions
    from course_staff.authoring.slips import slips_of
    from course_staff.authoring.source import read_lesson
    from course_utils.exercises.question import Question

    (path,) = _ROOT.glob(f"lessons/{number}_*/lesson.py")
    questions, rows = Questions(read_lesson(path)), []
    others = import_module(f"answers.lesson_{number}").RIGHT
    for exercise_id, question in questions.exercises.items():
        if not isinstance(question, Question):
            continue
        plain = [each for each in others[exercise_id] if is_plain(each)]
        for whose, answers in (("solution", [questions.right(exercise_id)]), ("others", plain)):
            slips = [(answer, slip) for answer in answers for slip in slips_of(question, answer)]
            if sample:
                slips = random.Random(seed).sample(slips, min(sample, len(slips)))
            kinds = [(slip, tried(question, answer, slip)) for answer, slip in slips]
            rows.append((exercise_id, whose, [each for each in kinds if each[1] != "no program"]))
    return rows


def tried(question: Any, answer: Callable, slip: Any) -> str:
    """Tell what becomes of a slip.

    Returns
    -------
    str
        ``"no program"`` where it cannot be defined; ``"passes"`` where it does on every stored
        seed, ``"luck"`` where on some; else what its author is told: ``"recognised"``,
        ``"error"`` where an error names the line, and ``"untold"``.
    """
    from course_staff.authoring.slips import defined, judged
    from course_utils.exercises.references import SEEDS

    function = defined(answer, slip)
    if function is None:
        return "no program"
    first = judged(question, function, 0)
    if first is None:
        return "untold"  # too slow to say
    if first.outcome == "passed":
        others = (judged(question, function, seed) for seed in range(1, SEEDS))
        passes = all(each is not None and each.outcome == "passed" for each in others)
        return "passes" if passes else "luck"
    if first.recognised:
        return "recognised"
    return "error" if first.outcome == "error" and " at `" in first.message else "untold"


def is_plain(answer: object) -> bool:
    """Tell whether an answer is a function of a module, which its text alone defines."""
    function = getattr(answer, "python_function", getattr(answer, "__wrapped__", answer))
    return (
        isinstance(function, FunctionType)
        and function.__name__ == function.__qualname__ != "<lambda>"
    )


if __name__ == "__main__":
    sys.exit(main())

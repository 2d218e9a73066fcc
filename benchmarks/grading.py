"""Measure `course grade` beside `nbgrader autograde`, on the same notebooks."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

_ROOT = Path(__file__).parents[1]
_NAME = "01_first_tape"
_FASTER = 15  # times, at least
_ROUNDS = 3
_EXPLANATION = f"""
A class hands in lesson {_NAME}. In turn, a notebook is right, half right (the first two exercises
solved, the others untouched), wrong or blank. No two are the same, because `course grade` would
run equal ones once.

There are three rounds, as the load of a machine changes. In each round

  nbgrader       autogrades one third of the class. It has one job and no option for more;
  course grade   grades the whole class: with one job before nbgrader's third and after it, of
                 which the mean counts, and once with one job for each core.

What counts is the time of the whole command, start included, for each submission. A round of
nbgrader is charged for a third of a start, which is timed alone, so that both start once for a
class. Both find the files in one folder, in nbgrader's own layout.

Bounds, with one job each: course grade is at least {_FASTER} times as fast (median of the rounds),
and the points of every exercise of every submission are the same for both.

The fewer submissions, the more the one start of TensorFlow weighs: the first bound is meant for 30,
which need about 8 minutes on two cores. It exits with 1 if a bound is missed or
a command fails, and with 2 without nbgrader: `make unit` installs it in .venv/nbgrader, and
`pip install -e ".[nbgrader]"` beside the course.
"""

_WRONG = {
    "01.1": "def slope(x):\n    return x**3 - 2 * x",
    "01.2": "gradient_shape = (2, 4)",
    "01.3": "def loss_gradients(params, x, y):\n"
    "    with tf.GradientTape() as tape:\n"
    '        loss = tf.reduce_sum((x @ params["W"] + params["b"] - y) ** 2)\n'
    "    return tape.gradient(loss, params)",
    "01.4": "def gradient_of_w(w, x, y):\n"
    "    y_hat = w * x\n"
    "    with tf.GradientTape() as tape:\n"
    "        loss = tf.reduce_mean((y_hat - y) ** 2)\n"
    "    return tape.gradient(loss, w)",
}
_KINDS = ("right", "half", "wrong", "blank")

# nbgrader's own interface to its database: one line for each check of each submission.
_READ_POINTS = """
import json, sys
from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db") as book:
    for submission in book.assignment_submissions(sys.argv[1]):
        for grade in submission.notebooks[0].grades:
            print(json.dumps([submission.student.id, grade.name, grade.score]))
"""


class CommandFailed(Exception):
    """A measured command ended with an error; the message shows what it said."""


def main() -> int:
    """Run the rounds, print what was measured beside its bound, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=_EXPLANATION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--submissions", type=int, default=30, metavar="N", help="size of the class (30)"
    )
    options = parser.parse_args()
    if options.submissions < len(_KINDS):
        parser.error(
            f"--submissions is {options.submissions}; it takes at least {len(_KINDS)}, one of "
            "each kind."
        )
    sys.path.insert(0, str(_ROOT))
    console = Console()
    apart = _find_nbgrader()
    if apart is None:
        console.print(
            "This needs nbgrader, which is not installed: run `make unit`, which puts it into "
            '.venv/nbgrader, or `pip install -e ".[nbgrader]"`.',
            markup=False,
        )
        return 2
    try:
        with tempfile.TemporaryDirectory(prefix="course-") as folder:
            return 0 if _measure(Path(folder) / "class", options.submissions, apart, console) else 1
    except CommandFailed as error:
        console.print(str(error), markup=False, highlight=False)
        return 1
    except KeyboardInterrupt:
        console.print("Interrupted.")
        return 130


def _find_nbgrader() -> list[Path] | None:
    """Return the folders to put on a child's path for nbgrader; None where it is not there."""
    for apart in (Path(sys.prefix) / "nbgrader", _ROOT / ".venv" / "nbgrader"):
        if (apart / "nbgrader").is_dir():
            return [apart]
    return [] if find_spec("nbgrader") else None


@dataclass
class _Commands:
    """Runs commands in ``folder``, nbgrader on their path alone, and shows how far they are."""

    folder: Path
    apart: list[Path]
    progress: Progress

    def course(self, *arguments: str, cwd: Path | None = None, **shown) -> float:
        """Run a `course` command and return its seconds."""
        return self._run(["-m", "course_utils", *arguments], cwd, **shown)

    def nbgrader(self, *arguments: str, **shown) -> float:
        """Run an `nbgrader` command and return its seconds."""
        return self._run(["-m", "nbgrader", *arguments], **shown)

    def points_of_nbgrader(self) -> dict[tuple[str, str], float]:
        """Return what nbgrader recorded, by student and exercise."""
        self._run(["-c", _READ_POINTS, _NAME])
        lines = map(json.loads, self._log.read_text().splitlines())
        # The check of exercise 01.2 is the cell check-01-2.
        return {(who, cell[-4:].replace("-", ".")): points for who, cell, points in lines}

    def last_words(self) -> str:
        """Return the last line that the last command printed."""
        return self._log.read_text().splitlines()[-1]

    @property
    def _log(self) -> Path:
        return self.folder.parent / "log.txt"

    def _run(
        self,
        arguments: list[str],
        cwd: Path | None = None,
        what: str = "preparing",
        total: int | None = None,
        done: Callable[[], int] = lambda: 0,
    ) -> float:
        task = self.progress.add_task(what, total=total)
        start = time.perf_counter()
        with self._log.open("w") as log:
            process = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=cwd or self.folder,
                env=self._environment(),
                stdout=log,
                stderr=subprocess.STDOUT,
            )
            try:
                while process.poll() is None:
                    self.progress.update(task, completed=done())
                    time.sleep(0.05)
            finally:
                process.terminate()
                process.wait()
        seconds = time.perf_counter() - start
        self.progress.remove_task(task)
        if process.returncode:
            said = "\n".join(self._log.read_text().splitlines()[-15:])
            raise CommandFailed(f"{what}: {' '.join(arguments)} failed.\n{said}")
        return seconds

    def _environment(self) -> dict[str, str]:
        paths = [str(_ROOT), *map(str, self.apart), os.environ.get("PYTHONPATH", "")]
        # nbgrader calls `alembic` by its name.
        programs = [*(str(apart / "bin") for apart in self.apart), str(Path(sys.executable).parent)]
        return os.environ | {
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "PATH": os.pathsep.join([*programs, os.environ["PATH"]]),
            # nbgrader keeps files of its own for a user and a machine.
            "HOME": str(self.folder.parent),
            "JUPYTER_CONFIG_DIR": str(self.folder.parent / ".jupyter"),
        }


def _hand_in(folder: Path, size: int) -> list[int]:
    """Write the class's notebooks; return how many each round's group holds."""
    import nbformat

    from course_staff.authoring.build import Folders, read_lessons

    lesson = next(x for x in read_lessons(Folders(_ROOT)) if x.name == _NAME)
    right = {key: lesson.solution.cells[index].source for key, index in lesson.exercises.items()}
    half = dict(list(right.items())[: len(right) // 2])
    answers = {"right": right, "half": half, "wrong": _WRONG, "blank": {}}
    sizes = [0] * _ROUNDS
    for number in range(size):
        kind, group = _KINDS[number % len(_KINDS)], number % _ROUNDS
        sizes[group] += 1
        book = nbformat.read(folder / "release" / _NAME / f"{_NAME}.ipynb", as_version=4)
        for cell in book.cells:
            cell.source = answers[kind].get(cell.metadata.get("exercise"), cell.source)
        book.cells[0].source += f"\n\nHanded in by student {number}."
        path = folder / "submitted" / f"group{group}-{number:03}-{kind}" / _NAME / f"{_NAME}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(book, path)
    return sizes


def _measure(folder: Path, size: int, apart: list[Path], console: Console) -> bool:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    columns = (TextColumn("{task.description:<34}"), BarColumn(), MofNCompleteColumn())
    seconds: dict[str, list[float]] = {"one": [], "all": [], "nbgrader": []}
    points, kept_apart = [], []
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress:
        commands = _Commands(folder, apart, progress)
        commands.course("nbgrader", str(folder), "--lessons", _NAME[:2], cwd=_ROOT)
        commands.nbgrader("generate_assignment", _NAME)
        start = commands.nbgrader("autograde", "--version")
        groups = _hand_in(folder, size)

        def graded(run: int, jobs: int) -> float:
            out = folder / f"results-{run}-{jobs}"
            taken = commands.course(
                *("grade", "submitted", "--out", out.name, "--jobs", str(jobs)),
                what=f"{run} of {_ROUNDS}: course grade --jobs {jobs}",
                total=size,
                done=lambda: _lines_of(out / ".grading" / "journal.jsonl"),
            )
            points.append(_points_of_course(out))
            kept_apart.append(commands.last_words())
            return taken / size

        before = graded(0, 1)
        for group, count in enumerate(groups):
            pattern = f"group{group}-*"
            taken = commands.nbgrader(
                *("autograde", _NAME, f"--student={pattern}"),
                what=f"{group + 1} of {_ROUNDS}: nbgrader autograde",
                total=count,
                done=lambda p=pattern: len(list(folder.glob(f"autograded/{p}/{_NAME}/*.ipynb"))),
            )
            seconds["nbgrader"].append((taken - start) / count + start / size)
            seconds["all"].append(graded(group + 1, cores) if cores > 1 else before)
            after = graded(group + 1, 1)
            seconds["one"].append((before + after) / 2)
            before = after
        theirs = commands.points_of_nbgrader()
    is_fast = _report_times(console, seconds, size, cores)
    for words in sorted(set(kept_apart)):  # whether the sandbox was part of what was timed
        console.print(f"course grade said: {words}", markup=False, highlight=False)
    return _report_points(console, points, theirs, size) and is_fast


def _lines_of(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def _points_of_course(out: Path) -> dict[tuple[str, str], float]:
    rows = map(json.loads, (out / "results.jsonl").read_text(encoding="utf-8").splitlines())
    return {(row["student"], row["exercise"]): row["points"] for row in rows}


def _report_times(console: Console, seconds: dict[str, list[float]], size: int, cores: int) -> bool:
    def ratios(way: str) -> list[float]:
        return [b / a for a, b in zip(seconds[way], seconds["nbgrader"], strict=True)]

    table = Table(
        "way", "seconds a submission (median)", "in each round", title=f"{size} submissions"
    )
    names = {"one": "course grade --jobs 1", "all": f"course grade --jobs {cores}"}
    for way in seconds:
        rounds = ", ".join(f"{value:.2f}" for value in seconds[way])
        name = names.get(way, "nbgrader autograde")
        table.add_row(name, f"{statistics.median(seconds[way]):.2f}", rounds)
    console.print(table)
    ratio = statistics.median(ratios("one"))
    spread = f"{min(ratios('one')):.1f} to {max(ratios('one')):.1f}"
    console.print(f"{ratio:.1f} times as fast, one job each ({spread}); bound: {_FASTER}.")
    console.print(f"{statistics.median(ratios('all')):.1f} times as fast with {cores} jobs.")
    return ratio >= _FASTER


def _report_points(console: Console, ours: list[dict], theirs: dict, size: int) -> bool:
    places = sorted(set(theirs).union(*ours))
    differing = [
        place
        for place in places
        if {table.get(place) for table in (*ours, theirs)} != {theirs.get(place)}
    ]
    for student, exercise in differing[:20]:
        given = ", ".join(str(table.get((student, exercise))) for table in ours)
        console.print(
            f"{student}, {exercise}: course grade {given}; nbgrader "
            f"{theirs.get((student, exercise))}",
            highlight=False,
        )
    total = sum(theirs.values())
    console.print(
        f"{len(differing)} of {len(places)} points differ; bound: 0. Together, the {size} "
        f"submissions earn {total:g}.\n"
    )
    return not differing and total > 0


if __name__ == "__main__":
    sys.exit(main())

"""Grade a whole class, honest and hostile notebooks mixed, and all that may come between."""

import argparse
import json
import os
import random
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console
from rich.table import Table

_ROOT = Path(__file__).parents[1]
_LESSONS = ("01", "02", "03")
_RESULTS = ("gradebook.csv", "results.jsonl", "class.html")
_SLIPS = (
    ("reduce_mean", "reduce_sum"),
    ("reduce_sum", "reduce_mean"),
    ("** 2", "** 3"),
    (" + ", " - "),
    (" - ", " + "),
    (" * ", " / "),
)
_EXPLANATION = """
Each student hands in lessons 01, 02 and 03 in full. In each answer the lesson's solution is left as
it is, gets a slip (another reduction, power or sign), or is not there. One student in four is
hostile: each of their notebooks begins and ends with a cell of a forgery from the tests. No two
notebooks are the same.

The class is graded with one secret key in three ways, with seconds and, for the whole process tree,
the most memory that is no file's:

  at once         from the beginning to the end, and at the same time
  interrupted     into another folder: killed with kill -9 after a third, resumed, the disk full
                  after two thirds (a file system of its own in memory; needs root), and resumed;
  honest alone    without the hostile students, with nothing beside it.

Meanwhile a third grading, into the first's folder, is refused.

Bounds: gradebook, results and class page of the first two are byte for byte the same; in the third,
each honest student's results are. With --jobs 2, honest alone takes at most half a second a
submission on two quiet cores. It exits with 1 if a bound is missed.
"""


def main() -> int:
    """Grade the class in every way, print what was measured, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=_EXPLANATION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--students", type=int, default=30, metavar="N", help="class size (30)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="notebooks at once (2)")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn (1)")
    options = parser.parse_args()
    sys.path[:0] = [str(_ROOT), str(_ROOT / "tests" / "classroom")]
    with tempfile.TemporaryDirectory(prefix="course-") as folder:
        return _measure(Path(folder), options, Console())


def _measure(root: Path, options: argparse.Namespace, console: Console) -> int:
    submitted, hostile = root / "submitted", _hand_in(root, options)
    honest = root / "honest"
    shutil.copytree(submitted, honest, ignore=lambda _, names: [n for n in names if n in hostile])
    key = secrets.token_hex(32)
    at_once = _Grading(submitted, root / "at-once", options.jobs, key)
    alone = _Grading(honest, root / "honest-alone", options.jobs, key)
    held = {}
    with ExitStack() as stack:
        small = root / "small"
        small.mkdir()
        has_small_disk = os.geteuid() == 0
        if has_small_disk:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", small], check=True)
            stack.callback(subprocess.run, ["umount", "--lazy", small], check=True)
        interrupted = _Grading(submitted, small / "results", options.jobs, key)
        end = stack.enter_context(ThreadPoolExecutor(1)).submit(at_once.run_to_the_end)

        third = options.students * len(_LESSONS) // 3
        interrupted.run_until(third, lambda: interrupted.process.send_signal(signal.SIGKILL))
        held["killed"] = interrupted.process.returncode == -signal.SIGKILL
        console.print(f"killed after {interrupted.kept()} submissions")
        held["refused"] = at_once.is_refused_again()
        if has_small_disk:
            interrupted.run_until(2 * third, lambda: _fill(small / "filler"))
            said = interrupted.said()
            held["disk full"] = interrupted.process.returncode == 1 and "Traceback" not in said
            console.print(f"with the disk full it said: {said.splitlines()[-1]}", markup=False)
            (small / "filler").unlink()
        interrupted.run_to_the_end()
        end.result()
        held["resumed"] = interrupted.results() == at_once.results()
        for lines in zip(at_once.rows(), interrupted.rows(), strict=True):
            if lines[0] != lines[1]:
                console.print("at once, and interrupted:", *lines, sep="\n", markup=False)
        interrupted_measured = interrupted.measured()
    alone.run_to_the_end()
    rows = [line for line in at_once.rows() if json.loads(line)["student"] not in hostile]
    held["honest"] = alone.rows() == rows

    table = Table("way", "submissions", "seconds", "MB at most")
    table.add_row("at once, beside the next", *at_once.measured())
    table.add_row("interrupted", *interrupted_measured)
    table.add_row(f"honest alone, without {len(hostile)} hostile students", *alone.measured())
    console.print(table)
    console.print(f"The bounds {'hold' if all(held.values()) else 'are MISSED'}: {held}")
    return 0 if all(held.values()) else 1


class _Grading:
    """One folder of results, and the commands that write to it."""

    def __init__(self, submitted: Path, out: Path, jobs: int, key: str):
        self.submitted, self.out, self.jobs = submitted, out, jobs
        from course_utils.workspace.output_folder import claim

        self.seconds, self.most = 0.0, 0
        claim(out, "course grade")
        (out / ".grading").mkdir()
        (out / ".grading" / "key").write_text(key)

    def start(self) -> None:
        """Start the command."""
        self.log = tempfile.TemporaryFile()  # noqa: SIM115, read when the command has ended
        self.begun = time.monotonic()
        self.process = subprocess.Popen(
            self._command(), cwd=_ROOT, stdout=self.log, stderr=subprocess.STDOUT
        )

    def _command(self) -> list[str]:
        command = [sys.executable, "-m", "course_utils", "grade", self.submitted]
        return [*map(str, command), "--out", str(self.out), "--jobs", str(self.jobs)]

    def is_refused_again(self) -> bool:
        """Return whether the same command is refused while this one runs."""
        while self.kept() == 0:
            time.sleep(0.05)
        again = subprocess.run(
            self._command(), cwd=_ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        return again.returncode == 1 and "Another grading writes to" in again.stdout

    def run_until(self, count: int, then: Callable[[], object]) -> None:
        """Run until so many submissions are kept, do something, and wait for the end."""
        self.start()
        while self.kept() < count and self.process.poll() is None:
            self._look()
        then()
        self.wait()

    def run_to_the_end(self) -> None:
        """Run, or go on, until everything is graded."""
        self.start()
        self.wait()
        if self.process.returncode:
            raise SystemExit(f"course grade failed:\n{self.said()}")

    def wait(self) -> None:
        """Wait for the end of the command."""
        while self.process.poll() is None:
            self._look()
        self.seconds += time.monotonic() - self.begun

    def _look(self) -> None:
        from course_staff.classroom.sandbox.limits import memory_of
        from course_staff.classroom.sandbox.supervisor import descendants

        time.sleep(0.2)
        tree = [self.process.pid, *descendants(self.process.pid)]
        self.most = max(self.most, sum(map(memory_of, tree)))

    def said(self) -> str:
        """Return what the command printed."""
        self.log.seek(0)
        return self.log.read().decode("utf-8", "replace")

    def kept(self) -> int:
        """Return how many submissions are in the journal."""
        path = self.out / ".grading" / "journal.jsonl"
        return path.read_bytes().count(b"\n") if path.exists() else 0

    def results(self) -> list[bytes]:
        """Return what was written."""
        return [(self.out / name).read_bytes() for name in _RESULTS]

    def rows(self) -> list[str]:
        """Return the lines of the results."""
        return (self.out / "results.jsonl").read_text(encoding="utf-8").splitlines()

    def measured(self) -> tuple[str, str, str]:
        """Return the submissions, the seconds and the megabytes, as text."""
        return str(self.kept()), f"{self.seconds:.0f}", f"{self.most >> 20}"


def _hand_in(root: Path, options: argparse.Namespace) -> list[str]:
    """Write the class's notebooks, and return the names of who is hostile."""
    import nbformat
    from forgeries import FORGERIES

    from course_staff.authoring.build import Folders, read_lessons

    rng = random.Random(options.seed)
    attacks = [f for f in FORGERIES.values() if f.before or f.after]
    students = [f"s{number:03}" for number in range(options.students)]
    hostile = students[::4]
    for lesson in read_lessons(Folders(_ROOT)):
        if lesson.name[:2] not in _LESSONS:
            continue
        given = (_ROOT / "notebooks" / f"{lesson.name}.ipynb").read_text(encoding="utf-8")
        right = {key: lesson.solution.cells[i].source for key, i in lesson.exercises.items()}
        for number, student in enumerate(students):
            book = nbformat.reads(given, as_version=4)
            for cell in book.cells:
                source = right.get(cell.metadata.get("exercise"))
                if source is not None:
                    cell.source = rng.choice([source, _with_slip(source, rng), cell.source])
            if student in hostile:
                attack = rng.choice(attacks)
                book.cells.insert(0, nbformat.v4.new_code_cell(attack.before))
                book.cells.append(nbformat.v4.new_code_cell(attack.after))
            book.cells[-1].source += f"\n\n# Handed in by {student}."
            path = root / "submitted" / student / f"{lesson.name}.ipynb"
            path.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(book, path)
            os.utime(path, (1_000_000 + number,) * 2)
    return hostile


def _with_slip(source: str, rng: random.Random) -> str:
    slips = [slip for slip in _SLIPS if slip[0] in source]
    return source.replace(*rng.choice(slips), 1) if slips else source


def _fill(path: Path) -> None:
    """Write until the disk is full."""
    with open(path, "wb", buffering=0) as file:
        for block in (b"\0" * 65_536, b"\0"):
            try:
                while True:
                    file.write(block)
            except OSError:
                continue


if __name__ == "__main__":
    sys.exit(main())

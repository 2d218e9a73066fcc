"""Grade a whole class, honest and hostile notebooks mixed, and all that may come between."""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
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

The class is graded with one secret key in six ways, with seconds and, for the whole process tree,
the most memory that is no file's:

  at once         from the beginning to the end;
  killed          with kill -9 half way, and resumed;
  disk full       half way, on a file system of its own in memory, and resumed; needs root;
  two graders     at the same time, into two folders; a third, into the first's, is refused;
  honest alone    without the hostile students.

Bounds: gradebook, results and class page are byte for byte the same in all but the last; there,
each honest student's results are. With --jobs 2, one run takes about 3 seconds a submission on two
quiet cores. It exits with 1 if a bound is missed.
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
    whole = options.students * len(_LESSONS)
    table = Table("way", "seconds", "MB at most", "as at once")
    first = _Grading(submitted, root / "at-once", options.jobs)
    first.run_to_the_end()
    table.add_row("at once", *first.measured(), "")
    console.print(table)
    held = []

    def note(way: str, grading: "_Grading", is_same: bool) -> None:
        held.append(is_same)
        table.add_row(way, *grading.measured(), "yes" if is_same else "NO")
        console.print(way, *grading.measured(), "as at once" if is_same else "ANOTHER RESULT")

    killed = first.again(root / "killed")
    killed.run_until(whole // 2, lambda: killed.process.send_signal(signal.SIGKILL))
    held.append(killed.process.returncode == -signal.SIGKILL and killed.kept() < whole)
    killed.run_to_the_end()
    note(f"killed after {whole // 2}", killed, killed.results() == first.results())

    if os.geteuid() == 0:
        small = root / "small"
        small.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", small], check=True)
        try:
            full = first.again(small / "results")
            full.run_until(whole // 2, lambda: _fill(small / "filler"))
            held.append(full.process.returncode == 1 and "Traceback" not in full.said())
            console.print("with the disk full it said:", full.said().splitlines()[-1:])
            (small / "filler").unlink()
            full.run_to_the_end()
            note(f"disk full after {whole // 2}", full, full.results() == first.results())
        finally:
            subprocess.run(["umount", small], check=True)

    pair = [first.again(root / "one"), first.again(root / "two")]
    for grading in pair:
        grading.start()
    third = _Grading(submitted, pair[0].out, 1)
    while not (pair[0].out / ".grading" / "journal.jsonl").exists():
        time.sleep(0.05)
    third.start()
    third.wait()
    held.append(third.process.returncode == 1 and "Another grading writes to" in third.said())
    for number, grading in enumerate(pair, 1):
        grading.wait()
        note(f"two graders: {number}", grading, grading.results() == first.results())

    alone = _Grading(honest, root / "honest-alone", options.jobs, first.key())
    alone.run_to_the_end()
    rows = [line for line in first.rows() if json.loads(line)["student"] not in hostile]
    note(f"honest alone ({options.students - len(hostile)})", alone, alone.rows() == rows)
    console.print(table)
    console.print(f"{whole} submissions, of {len(hostile)} hostile students; jobs: {options.jobs}.")
    console.print(f"The bounds {'hold' if all(held) else 'are MISSED'}: {held}")
    return 0 if all(held) else 1


class _Grading:
    """One folder of results, and the commands that write to it."""

    def __init__(self, submitted: Path, out: Path, jobs: int, key: str = ""):
        self.submitted, self.out, self.jobs = submitted, out, jobs
        self.seconds, self.most = 0.0, 0
        if key:
            (out / ".grading").mkdir(parents=True)
            (out / ".grading" / "key").write_text(key)

    def again(self, out: Path) -> "_Grading":
        """Return a grading of the same class on the same inputs."""
        return _Grading(self.submitted, out, self.jobs, self.key())

    def start(self) -> None:
        """Start the command."""
        command = ["-m", "course_utils", "grade", self.submitted, "--out", self.out]
        self.log = tempfile.TemporaryFile()  # noqa: SIM115, read when the command has ended
        self.begun = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, *map(str, command), "--jobs", str(self.jobs)],
            cwd=_ROOT,
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )

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
        from course_staff.classroom.runner.limits import memory_of

        time.sleep(0.2)
        tree = [self.process.pid, *_descendants(self.process.pid)]
        self.most = max(self.most, sum(map(memory_of, tree)))

    def said(self) -> str:
        """Return what the command printed."""
        self.log.seek(0)
        return self.log.read().decode("utf-8", "replace")

    def kept(self) -> int:
        """Return how many submissions are in the journal."""
        path = self.out / ".grading" / "journal.jsonl"
        return path.read_bytes().count(b"\n") if path.exists() else 0

    def key(self) -> str:
        """Return the secret from which inputs are drawn."""
        return (self.out / ".grading" / "key").read_text()

    def results(self) -> list[bytes]:
        """Return what was written."""
        return [(self.out / name).read_bytes() for name in _RESULTS]

    def rows(self) -> list[str]:
        """Return the lines of the results."""
        return (self.out / "results.jsonl").read_text(encoding="utf-8").splitlines()

    def measured(self) -> tuple[str, str]:
        """Return the seconds and the megabytes, as text."""
        return f"{self.seconds:.0f}", f"{self.most >> 20}"


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


def _descendants(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            children = (task / "children").read_text().split()
        except OSError:
            continue
        for child in map(int, children):
            found += [child, *_descendants(child)]
    return found


if __name__ == "__main__":
    sys.exit(main())

"""Measure how many submissions a Dask cluster grades in a minute, by its number of workers."""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

_ROOT = Path(__file__).parents[1]
_EXPLANATION = """
A class hands in lesson 01, no two notebooks alike. It is graded on this machine with one job, and
then by clusters of this machine's own, of more and more workers with one thread each. All begin
anew, with the same secret key, and their start is counted.

Bound: gradebook and results are byte for byte the same each time. It exits with 1 if they are not,
and with 2 where distributed is missing (the cluster extra). More workers than cores tell nothing.
"""


def main() -> int:
    """Grade the class with each number of workers, print the seconds, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=_EXPLANATION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--submissions", type=int, default=40, metavar="N", help="class size (40)")
    cores = len(os.sched_getaffinity(0))
    parser.add_argument(
        "--workers", type=int, default=cores, metavar="N", help="at most (one a core)"
    )
    options = parser.parse_args()
    sys.path.insert(0, str(_ROOT))
    try:
        from distributed import LocalCluster
    except ImportError:
        Console().print("This needs distributed: pip install -e '.[cluster]'", markup=False)
        return 2
    with tempfile.TemporaryDirectory(prefix="course-") as folder:
        root = Path(folder)
        _hand_in(root / "submitted", options.submissions)
        seconds, alone = _graded(root, "alone", None)
        is_same = True
        _say("this machine, one job", seconds, options.submissions)
        for workers in range(1, options.workers + 1):
            with LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address=None
            ) as cluster:
                address = cluster.scheduler_address
                seconds, results = _graded(root, str(workers), address)
            _say(f"cluster, workers: {workers}", seconds, options.submissions)
            is_same &= results == alone
    Console().print(f"The results {'are' if is_same else 'are NOT'} the same each time.")
    return 0 if is_same else 1


def _say(where: str, seconds: float, size: int) -> None:
    Console().print(f"{where:<24}{seconds:7.1f} s  {60 * size / seconds:5.0f} submissions a minute")


def _hand_in(folder: Path, size: int) -> None:
    text = (_ROOT / "solutions" / "01_first_tape.ipynb").read_text(encoding="utf-8")
    title = "01 · The first tape"
    assert title in text
    for number in range(size):
        path = folder / f"s{number:03}" / "01_first_tape.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(text.replace(title, f"{title}, by {number}", 1), encoding="utf-8")


def _graded(root: Path, name: str, scheduler: str | None) -> tuple[float, list[bytes]]:
    from course_staff.classroom.grading import Options, grade
    from course_utils.workspace.output_folder import claim

    out = root / name
    claim(out, "course grade")
    (out / ".grading").mkdir()
    (out / ".grading" / "key").write_text("00" * 32)
    begun = time.perf_counter()
    grade(Options(root / "submitted", out, jobs=1, scheduler=scheduler))
    seconds = time.perf_counter() - begun
    return seconds, [(out / file).read_bytes() for file in ("gradebook.csv", "results.jsonl")]


if __name__ == "__main__":
    sys.exit(main())

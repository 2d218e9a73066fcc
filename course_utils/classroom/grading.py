"""``course grade``: from a folder of submissions to the results, resumable at any point."""

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from filelock import FileLock, Timeout

from ..curriculum import find_lesson, written_lessons
from ..exercises.progress import course_folder
from .conversation import ForkServer, ServerFailed
from .journal import Journal, secret_key
from .judging import Examination, Verdict, fingerprint
from .public_package import exercises_version
from .runner.limits import Limits
from .submissions import (
    Submission,
    SubmissionsFound,
    UnreadableFile,
    find_submissions,
    read_data,
)

__all__ = ["BadInput", "Grading", "Row", "grade"]

_MOST_RUNS = 4  # of one notebook, each without an answer that took the process down


class BadInput(Exception):
    """There is nothing to grade, or no place for the results; the message says which."""


@dataclass(frozen=True)
class Row:
    """One exercise of one submission in the results."""

    student: str
    lesson: str
    exercise: str
    title: str
    outcome: str
    message: str
    points: float
    possible: int
    submission: str
    submitted: str
    counts: bool


@dataclass
class Grading:
    """What was graded: the rows in order, and what the pages say about how it went."""

    rows: list[Row] = field(default_factory=list)
    found: SubmissionsFound = field(default_factory=SubmissionsFound)
    run: int = 0
    kept: int = 0
    is_jailed: bool | None = None  # None where nothing had to run
    why_not_jailed: str = ""

    @property
    def counting(self) -> list[Row]:
        """The rows of the newest submissions."""
        return [row for row in self.rows if row.counts]


def grade(
    submissions: Path,
    out: Path,
    *,
    lessons: list[str] | None = None,
    jobs: int = 1,
    fresh: bool = False,
    limits: Limits | None = None,
    jail: bool = True,
    on_found: Callable[[SubmissionsFound, int], None] = lambda found, open_ones: None,
    on_graded: Callable[[Submission], None] = lambda submission: None,
) -> Grading:
    """Grade every submission and return the rows; what was graded before is not run again.

    Parameters
    ----------
    submissions, out : Path
        The folder to read, and the folder to write to.
    lessons : list of str, optional
        Numbers of lessons; without any, all of them.
    jobs : int
        How many notebooks run at once.
    fresh : bool
        Grade again what was graded before.
    limits : Limits, optional
        What each notebook may use.
    jail : bool
        Use the system's namespaces where it allows them.
    on_found, on_graded : callable
        Called with what was found and how much of it must run, and after each submission.

    Raises
    ------
    BadInput
        If there is nothing to grade, or ``out`` cannot be written.
    """
    limits = limits or Limits()
    state = _prepare(submissions, out, lessons)
    try:
        with FileLock(state / "lock", timeout=0):
            return _grade(
                submissions, out, state, lessons, jobs, fresh, limits, jail, on_found, on_graded
            )
    except Timeout:
        raise BadInput(f"Another grading writes to {out}. Wait for it, or name another.") from None


def _prepare(submissions: Path, out: Path, lessons: list[str] | None) -> Path:
    """Return the folder of the grading's own files; refuse what cannot be graded."""
    if not submissions.is_dir():
        raise BadInput(f"{submissions} is not a folder of submissions.")
    known = [lesson.number for lesson in written_lessons()]
    for number in lessons or []:
        if number not in known:
            raise BadInput(f"There is no lesson {number!r} to grade; there are {', '.join(known)}.")
    if out.resolve() == submissions.resolve():
        raise BadInput("The results need a folder of their own.")
    state = out / ".grading"
    try:
        state.mkdir(parents=True, exist_ok=True)
        (state / "probe").touch()
        (state / "probe").unlink()
    except OSError as error:
        raise BadInput(f"{out} cannot be written: {error.strerror}.") from None
    return state


def _grade(submissions, out, state, lessons, jobs, fresh, limits, jail, on_found, on_graded):
    found = find_submissions(submissions, out)
    if lessons:
        found.submissions = [one for one in found.submissions if one.lesson in lessons]
    if not found.submissions:
        unknown = ", ".join(found.unrecognised[:5])
        seen = f" Notebooks that belong to no lesson: {unknown}." if unknown else ""
        raise BadInput(f"There are no submissions in {submissions}.{seen}")
    grading = Grading(found=found)
    journal = Journal(state / "journal.jsonl", fresh)
    batch = _Batch(submissions, limits, secret_key(state / "key"), journal)
    hidden = [submissions, out, course_folder(), Path(__file__).parents[2]]
    server = ForkServer(state, limits, _data_folders(), [path.resolve() for path in hidden])
    verdicts: dict[str, dict[str, Verdict]] = {}
    try:
        open_ones = []
        for one in found.submissions:
            known = batch.known(one)
            if known is None:
                open_ones.append(one)
            else:
                verdicts[one.place] = known
        grading.kept = len(found.submissions) - len(open_ones)
        on_found(found, len(open_ones))
        if open_ones:
            server.start(jail)
            grading.is_jailed, grading.why_not_jailed = server.is_jailed, server.reason
            for one, result in batch.run(open_ones, server, jobs):
                verdicts[one.place] = result
                grading.run += 1
                on_graded(one)
    finally:
        server.close()
        journal.close()
    grading.rows = [row for one in found.submissions for row in _rows(one, verdicts[one.place])]
    return grading


class _Batch:
    """Runs submissions, several at once, and keeps what came out."""

    def __init__(self, folder: Path, limits: Limits, key: bytes, journal: Journal):
        self._folder, self._limits, self._key, self._journal = folder, limits, key, journal
        self._version = f"{exercises_version()} {sorted(limits.as_dict().items())}"

    def known(self, one: Submission) -> dict[str, Verdict] | None:
        """Return the verdicts on a submission that need no run, or None."""
        try:
            data = read_data(one.path, self._folder, self._limits.notebook)
        except UnreadableFile as error:
            verdict = Verdict("unreadable", str(error))
            return {exercise.id: verdict for exercise in find_lesson(one.lesson).exercises()}
        kept = self._journal.get(self._journal_key(one, data))
        return kept and {exercise_id: Verdict(**verdict) for exercise_id, verdict in kept.items()}

    def run(self, open_ones: list[Submission], server: ForkServer, jobs: int):
        """Yield each submission with its verdicts as it is finished."""
        with ThreadPoolExecutor(jobs) as pool:
            futures = {pool.submit(self._examine, one, server): one for one in open_ones}
            try:
                for future in as_completed(futures):
                    yield futures[future], future.result()
            except BaseException:  # Ctrl-C among them: do not wait for what runs
                for future in futures:
                    future.cancel()
                server.close()
                raise

    def _examine(self, one: Submission, server: ForkServer) -> dict[str, Verdict]:
        """Return the verdicts on one submission, whatever happens."""
        try:
            return self._run(one, server)
        except ServerFailed:
            raise
        except Exception as error:  # one submission must not stop the others; it is run next time
            message = (
                f"The grader itself failed on this notebook ({type(error).__name__}: {error})."
            )
            verdict = Verdict("crashed", message)
            return {exercise.id: verdict for exercise in find_lesson(one.lesson).exercises()}

    def _run(self, one: Submission, server: ForkServer) -> dict[str, Verdict]:
        # Read again, or for the first time where two submissions are the same and one is done.
        known = self.known(one)
        if known is not None:
            return known
        data = read_data(one.path, self._folder, self._limits.notebook)
        key = self._journal_key(one, data)
        exercises = {exercise.id: exercise for exercise in find_lesson(one.lesson).exercises()}
        settled: dict[str, Verdict] = {}
        end = time.monotonic() + self._limits.total_seconds
        for _ in range(_MOST_RUNS):
            examination = Examination(exercises, self._key, key)
            run = server.run({"lesson": one.lesson, "without": list(settled)}, data, examination)
            verdicts = examination.decide(run) | settled
            # An answer that takes its process down does not take the others with it.
            if run.ended == "done" or run.pending not in exercises or time.monotonic() > end:
                break
            settled[run.pending] = verdicts[run.pending]
        self._journal.add(key, {i: vars(verdict) for i, verdict in verdicts.items()})
        return verdicts

    def _journal_key(self, one: Submission, data: bytes) -> str:
        return fingerprint(self._version.encode(), one.lesson.encode(), data)


def _rows(one: Submission, verdicts: dict[str, Verdict]) -> list[Row]:
    return [
        Row(
            student=one.student,
            lesson=one.lesson,
            exercise=exercise.id,
            title=exercise.title,
            outcome=verdicts[exercise.id].outcome,
            message=verdicts[exercise.id].message,
            points=round(verdicts[exercise.id].score * exercise.points, 4),
            possible=exercise.points,
            submission=one.place,
            submitted=one.when,
            counts=one.counts,
        )
        for exercise in find_lesson(one.lesson).exercises()
    ]


def _data_folders() -> list[Path]:
    """Return where data sets may stand that lessons read."""
    named = os.environ.get("COURSE_DATA_DIR")
    keras = Path(os.environ.get("KERAS_HOME", "~/.keras")).expanduser() / "datasets"
    folders = [Path(named).expanduser()] if named else []
    return [folder for folder in (*folders, keras) if folder.is_dir()]

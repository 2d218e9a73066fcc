"""Running many submissions, several at once, and keeping what came out of each."""

from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from functools import cache
from pathlib import Path

from course_utils.workspace.curriculum import find_lesson

from ..intake.files import UnreadableFile
from ..intake.submissions import Submission, read_data
from ..running.fork_server import Runner, ServerFailed
from ..sandbox.answers import bound_names
from ..sandbox.cells import NotANotebook, read_cells
from ..sandbox.limits import Limits
from ..sandbox.needed import demonstrations
from .again import Again
from .journal import Journal, NotKept
from .notebook_verdicts import Examination, Verdict, fingerprint
from .secret_references import References, ReferencesFailed

__all__ = ["Batch"]

_STOPPED = ("timeout", "crashed")
_MOST_RUNS = 4  # of one notebook, each without an answer that took the process down


class Batch:
    """Runs submissions, several at once, and keeps what came out.

    ``notebooks`` is the folder of the lessons as they are handed out, and ``accidents`` are the
    places of submissions on which the grader itself failed. With ``again``, only what it picks is
    judged, and what was never graded; all else stays as it was, whatever has changed since.
    """

    def __init__(
        self,
        limits: Limits,
        references: References,
        journal: Journal,
        version: str,
        notebooks: Path,
        again: Again | None = None,
    ):
        self._again, self._notebooks = again, notebooks
        self._limits, self._references, self._journal = limits, references, journal
        self.accidents: set[str] = set()
        self._version = f"{version} {sorted(limits.as_dict().items())}"

    def known(self, submission: Submission) -> dict[str, Verdict] | None:
        """Return the verdicts on a submission that need no run, or None."""
        try:
            return self._known(submission)
        except Exception:  # it is met again, and named, when the submission is examined
            return None

    def _known(self, submission: Submission) -> dict[str, Verdict] | None:
        try:
            data = read_data(submission, self._limits.notebook)
        except UnreadableFile as error:
            verdict = Verdict("unreadable", str(error))
            return {exercise.id: verdict for exercise in find_lesson(submission.lesson).exercises()}
        kept = self._kept(submission, data)
        return None if kept and self._again and self._again.picks(submission, kept) else kept

    def _kept(self, submission: Submission, data: bytes) -> dict[str, Verdict] | None:
        """Return the verdicts on a submission that were kept, and still hold."""
        common = self._journal.get(_key(submission, data))
        if common is None or not (self._again or common["version"] == self._version):
            return None
        own = self._journal.get(_key(submission, data, submission.place))
        kept = own if own and own["version"] == common["version"] else common
        if kept["verdicts"].keys() != {e.id for e in find_lesson(submission.lesson).exercises()}:
            return None  # of the lesson as it was with other exercises
        return {i: Verdict.from_json(verdict) for i, verdict in kept["verdicts"].items()}

    def _keep(self, submission: Submission, data: bytes, verdicts: dict[str, Verdict]) -> None:
        """Keep verdicts: those made once more for this submission alone, all others by content.

        The former stand over a common record, whose version they carry, and go where that goes.
        """
        common = self._journal.get(_key(submission, data)) if self._again else None
        key = _key(submission, data, submission.place) if common else _key(submission, data)
        version = common["version"] if common else self._version
        made = {exercise_id: verdict.to_json() for exercise_id, verdict in verdicts.items()}
        self._journal.add(key, {"version": version, "verdicts": made})

    def run(
        self, submissions: list[Submission], server: Runner, jobs: int
    ) -> Iterator[tuple[Submission, dict[str, Verdict]]]:
        """Yield each submission with its verdicts as it is finished.

        One that ran out of time or died is run once more, when no other runs any longer: a machine
        that does too much at once may be the cause.
        """
        stopped: list[tuple[Submission, dict[str, Verdict]]] = []
        with ThreadPoolExecutor(jobs) as pool:
            futures = {pool.submit(self._examine, s, server): s for s in submissions}
            try:
                for future in as_completed(futures):
                    submission, verdicts = futures[future], future.result()
                    if _was_stopped(verdicts):
                        stopped.append((submission, verdicts))
                    else:
                        yield submission, verdicts
                for submission, verdicts in stopped:
                    yield (
                        submission,
                        pool.submit(self._examine, submission, server, verdicts).result(),
                    )
            except BaseException:  # Ctrl-C among them: do not wait for what runs
                for future in futures:
                    future.cancel()
                server.close()
                raise

    def _examine(
        self, submission: Submission, server: Runner, before: dict[str, Verdict] | None = None
    ) -> dict[str, Verdict]:
        """Return the verdicts on one submission, whatever happens.

        ``before`` are those of a first run in which some answer was stopped. What ran to its end
        there stays as it was, where it does not now.
        """
        self.accidents.discard(submission.place)
        try:
            return self._run(submission, server, before)
        except (NotKept, ReferencesFailed, ServerFailed):  # no submission is the cause
            raise
        except Exception as error:  # one submission must not stop the others; it is run next time
            message = (
                f"The grader itself failed on this notebook ({type(error).__name__}: {error}). You "
                "did nothing wrong. The notebook will be graded again, or by hand."
            )
            self.accidents.add(submission.place)
            verdict = Verdict("crashed", message)
            return {exercise.id: verdict for exercise in find_lesson(submission.lesson).exercises()}

    def _run(
        self, submission: Submission, server: Runner, before: dict[str, Verdict] | None
    ) -> dict[str, Verdict]:
        # Read again, or for the first time where two submissions are the same and one is done.
        known = self._known(submission)
        if known is not None:
            return known
        data = read_data(submission, self._limits.notebook)
        verdicts = self._judge(submission.lesson, data, server)
        if before is not None:
            verdicts |= {i: before[i] for i, v in verdicts.items() if v.outcome in _STOPPED}
        kept = self._kept(submission, data) if self._again else None
        if self._again and kept is not None:
            verdicts = kept | {i: verdicts[i] for i in self._again.picks(submission, kept)}
        is_last_run = before is not None or not _was_stopped(verdicts)
        if is_last_run:
            self._keep(submission, data, verdicts)
        return verdicts

    def _judge(self, lesson_number: str, data: bytes, server: Runner) -> dict[str, Verdict]:
        """Run a notebook and judge its answers.

        An answer that takes its process down does not take the others with it: the notebook runs
        again without that answer.
        """
        lesson = find_lesson(lesson_number)
        exercises = {exercise.id: exercise for exercise in lesson.exercises()}
        shown = _shown(self._notebooks / f"{lesson.name}.ipynb")
        own_names = _own_names(data, shown)
        settled: dict[str, Verdict] = {}
        for _ in range(_MOST_RUNS):
            examination = Examination(exercises, self._references)
            job = {"lesson": lesson_number, "without": list(settled), "shown": shown}
            run = server.run(job, data, examination)
            verdicts = examination.decide(run, own_names) | settled
            if run.ended == "done" or run.pending not in exercises:
                break
            settled[run.pending] = verdicts[run.pending]
        return verdicts


@cache
def _shown(notebook: Path) -> list[str]:
    return demonstrations(notebook.read_bytes()) if notebook.exists() else []


def _own_names(data: bytes, shown: Collection[str]) -> set[str]:
    """Return the names that a notebook's cells define, but for those of its demonstrations."""
    with suppress(NotANotebook):
        sources = [cell.source for cell in read_cells(data) if cell.source not in shown]
        return {name for source in sources for name in bound_names(source)}
    return set()


def _key(submission: Submission, data: bytes, place: str = "") -> str:
    return fingerprint(submission.lesson.encode(), data, place.encode("utf-8", "surrogateescape"))


def _was_stopped(verdicts: dict[str, Verdict]) -> bool:
    return any(verdict.outcome in _STOPPED for verdict in verdicts.values())

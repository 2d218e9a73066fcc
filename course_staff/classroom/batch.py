"""Running many submissions, several at once, and keeping what came out of each."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed

from course_utils.course.curriculum import find_lesson

from .fork_server import ForkServer, ServerFailed
from .journal import Journal
from .judging import Examination, Verdict, fingerprint
from .references import References
from .runner.limits import Limits
from .submissions import Submission, read_data
from .walking import UnreadableFile

__all__ = ["Batch"]

_STOPPED = ("timeout", "crashed")
_MOST_RUNS = 4  # of one notebook, each without an answer that took the process down


class Batch:
    """Runs submissions, several at once, and keeps what came out.

    ``accidents`` are the places of submissions on which the grader itself failed.
    """

    def __init__(
        self,
        limits: Limits,
        references: References,
        journal: Journal,
        version: str,
    ):
        self._limits, self._references, self._journal = limits, references, journal
        self.accidents: set[str] = set()
        self._version = f"{version} {sorted(limits.as_dict().items())}"

    def known(self, one: Submission) -> dict[str, Verdict] | None:
        """Return the verdicts on a submission that need no run, or None."""
        try:
            return self._known(one)
        except Exception:  # it is met again, and named, when the submission is examined
            return None

    def _known(self, one: Submission) -> dict[str, Verdict] | None:
        try:
            data = read_data(one, self._limits.notebook)
        except UnreadableFile as error:
            verdict = Verdict("unreadable", str(error))
            return {exercise.id: verdict for exercise in find_lesson(one.lesson).exercises()}
        kept = self._journal.get(self._journal_key(one, data))
        return kept and {exercise_id: Verdict(**verdict) for exercise_id, verdict in kept.items()}

    def run(
        self, open_ones: list[Submission], server: ForkServer, jobs: int
    ) -> Iterator[tuple[Submission, dict[str, Verdict]]]:
        """Yield each submission with its verdicts as it is finished.

        One that ran out of time or died is run once more, when no other runs any longer: a machine
        that does too much at once may be the cause.
        """
        stopped: list[tuple[Submission, dict[str, Verdict]]] = []
        with ThreadPoolExecutor(jobs) as pool:
            futures = {pool.submit(self._examine, one, server): one for one in open_ones}
            try:
                for future in as_completed(futures):
                    one, verdicts = futures[future], future.result()
                    if _was_stopped(verdicts):
                        stopped.append((one, verdicts))
                    else:
                        yield one, verdicts
                for one, verdicts in stopped:
                    yield one, pool.submit(self._examine, one, server, verdicts).result()
            except BaseException:  # Ctrl-C among them: do not wait for what runs
                for future in futures:
                    future.cancel()
                server.close()
                raise

    def _examine(
        self, one: Submission, server: ForkServer, before: dict[str, Verdict] | None = None
    ) -> dict[str, Verdict]:
        """Return the verdicts on one submission, whatever happens.

        ``before`` are those of a first run in which some answer was stopped. What ran to its end
        there stays as it was, where it does not now.
        """
        self.accidents.discard(one.place)
        try:
            return self._run(one, server, before)
        except ServerFailed:
            raise
        except Exception as error:  # one submission must not stop the others; it is run next time
            message = (
                f"The grader itself failed on this notebook ({type(error).__name__}: {error})."
            )
            self.accidents.add(one.place)
            verdict = Verdict("crashed", message)
            return {exercise.id: verdict for exercise in find_lesson(one.lesson).exercises()}

    def _run(
        self, one: Submission, server: ForkServer, before: dict[str, Verdict] | None
    ) -> dict[str, Verdict]:
        # Read again, or for the first time where two submissions are the same and one is done.
        known = self._known(one)
        if known is not None:
            return known
        data = read_data(one, self._limits.notebook)
        key = self._journal_key(one, data)
        exercises = {exercise.id: exercise for exercise in find_lesson(one.lesson).exercises()}
        settled: dict[str, Verdict] = {}
        for _ in range(_MOST_RUNS):
            examination = Examination(exercises, self._references)
            run = server.run({"lesson": one.lesson, "without": list(settled)}, data, examination)
            verdicts = examination.decide(run) | settled
            # An answer that takes its process down does not take the others with it.
            if run.ended == "done" or run.pending not in exercises:
                break
            settled[run.pending] = verdicts[run.pending]
        if before is not None:
            stopped = {i for i, verdict in verdicts.items() if verdict.outcome in _STOPPED}
            verdicts |= {i: before[i] for i in stopped}
        elif _was_stopped(verdicts):
            return verdicts  # nothing to keep: it runs once more
        self._journal.add(key, {i: vars(verdict) for i, verdict in verdicts.items()})
        return verdicts

    def _journal_key(self, one: Submission, data: bytes) -> str:
        return fingerprint(self._version.encode(), one.lesson.encode(), data)


def _was_stopped(verdicts: dict[str, Verdict]) -> bool:
    return any(verdict.outcome in _STOPPED for verdict in verdicts.values())

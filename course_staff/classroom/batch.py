"""Running many submissions, several at once, and keeping what came out of each."""

import time
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
        self.accidents: list[str] = []
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
            self.accidents.append(one.place)
            verdict = Verdict("crashed", message)
            return {exercise.id: verdict for exercise in find_lesson(one.lesson).exercises()}

    def _run(self, one: Submission, server: ForkServer) -> dict[str, Verdict]:
        # Read again, or for the first time where two submissions are the same and one is done.
        known = self._known(one)
        if known is not None:
            return known
        data = read_data(one, self._limits.notebook)
        key = self._journal_key(one, data)
        exercises = {exercise.id: exercise for exercise in find_lesson(one.lesson).exercises()}
        settled: dict[str, Verdict] = {}
        end = time.monotonic() + self._limits.total_seconds
        for _ in range(_MOST_RUNS):
            examination = Examination(exercises, self._references)
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

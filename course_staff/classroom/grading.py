"""``course grade``: from a folder of submissions to the results, resumable at any point.

The steps are to find the submissions, to run those that are new, to judge what they did, and to
report it.
"""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path, PurePath
from typing import Protocol

from filelock import FileLock, Timeout

from course_utils.exercises.question import Question
from course_utils.workspace.curriculum import find_lesson
from course_utils.workspace.output_folder import claim, files_written

from .intake.files import UnreadableFile, is_archive
from .intake.roster import Roster
from .intake.submissions import Submission, SubmissionsFound, find_submissions, read_data
from .judging.again import Again
from .judging.batch import Batch
from .judging.behaviors import (
    Answer,
    Taught,
    groups,
    program_in,
    question_of,
    read_records,
    taught_to,
    write_records,
)
from .judging.journal import Journal, secret_key
from .judging.learned import observed_in_sandbox
from .judging.notebook_verdicts import Verdict
from .judging.overrides import excuses_in, read_overrides, with_overrides
from .judging.predicted import count_predictions
from .judging.results import BadInput, Grading, Row
from .judging.secret_references import References, ReferencesFailed
from .reports.pages import COMMAND, write_results
from .running.cluster import Cluster
from .running.data_sets import data_folders, data_sets
from .running.fork_server import ForkServer
from .running.public_package import exercises_version, lessons_folder, private_folders
from .sandbox.cells import Cell, NotANotebook, read_cells
from .sandbox.limits import Limits

__all__ = ["Options", "Watcher", "grade"]

_WITH_CODE = ("failed", "error")  # outcomes whose answers the class page shows

Verdicts = Mapping[str, dict[str, Verdict]]  # by submission and exercise
Cells = dict[str, list[Cell]]  # by submission


@dataclass(frozen=True)
class Options:
    """What is graded, and how.

    Parameters
    ----------
    submissions, out : Path
        The folder to read, or the zip of a class, and the folder to write to.
    lessons : list of str, optional
        Numbers of lessons; without any, all of them.
    jobs : int
        How many notebooks run at once.
    fresh : bool
        Grade again what was graded before.
    limits : Limits
        What each notebook may use.
    sandbox : bool
        Keep notebooks away from this machine, or fail where the system does not allow it. What was
        graded without one is graded again with one, and the reverse.
    roster : Roster, optional
        Who is in the class.
    again : Again, optional
        What is judged once more, while all else stays as it was.
    scheduler : str, optional
        The address of a Dask scheduler, whose workers run the notebooks in place of this machine,
        as many at once as they have threads.
    """

    submissions: Path
    out: Path
    lessons: list[str] | None = None
    jobs: int = 1
    fresh: bool = False
    limits: Limits = Limits()
    sandbox: bool = True
    roster: Roster | None = None
    again: Again | None = None
    scheduler: str | None = None

    @property
    def state(self) -> Path:
        """The folder of the grading's own files."""
        return self.out / ".grading"


class Watcher(Protocol):
    """Gets to know how far a grading is."""

    def begin(self, found: SubmissionsFound, to_run: int) -> None:
        """Take what was found, and how many submissions must run."""

    def advance(self) -> None:
        """Take note that one more of them is graded."""


@dataclass(frozen=True)
class _Ran:
    """The verdicts that were known before, those of this run, and where the grader failed."""

    known: dict[str, dict[str, Verdict]]
    new: dict[str, dict[str, Verdict]]
    accidents: list[str]


def grade(options: Options, watcher: Watcher | None = None) -> Grading:
    """Grade every submission and write the results; what was graded before is not run again.

    Raises
    ------
    BadInput
        If there is nothing to grade, what a teacher changes in ``overrides.csv`` fits nothing, or
        a lesson's solution or known mistakes do not run.
    OutputError
        If the folder for the results is somebody else's, or cannot be written.
    ServerFailed
        If notebooks cannot run, as where the system allows no sandbox.
    """
    if not options.submissions.exists():
        raise BadInput(
            f"{options.submissions} does not exist. Specify the folder that contains the "
            "submissions."
        )
    if not options.submissions.is_dir() and not is_archive(options.submissions.name):
        raise BadInput(
            f"{options.submissions} is neither a folder nor a zip archive. Specify a folder or a "
            "zip, and unpack any other archive first."
        )
    claim(options.out, COMMAND)
    options.state.mkdir(exist_ok=True)
    overrides = read_overrides(options.out / "overrides.csv")
    if options.lessons:
        overrides = [change for change in overrides if change.exercise[:2] in options.lessons]
    with _locked(options) as unpacked:
        found, places = _find(options, unpacked)
        try:
            ran = _run(found, options, watcher)
        except ReferencesFailed as error:
            raise BadInput(
                f"{error} The results in {options.out} were not changed. If the lesson "
                "has an error, correct it, and grade again."
            ) from None
        grading = _judge(found, ran, options)
        grading = replace(
            grading,
            rows=with_overrides(grading.rows, overrides, options.roster),
            excuses=excuses_in(overrides, grading.rows, options.roster),
            set_aside=_set_aside(options.out, places),
        )
        write_results(grading, options.out)
        return grading


@contextmanager
def _locked(options: Options) -> Iterator[Path]:
    """Keep every other grading away, and lend a folder for what archives hold."""
    lock = FileLock(options.state / "lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise BadInput(
            f"Another grading run is writing to {options.out}. Wait until it ends, or choose "
            "another folder for the results."
        ) from None
    unpacked = options.state / "unpacked"
    try:
        shutil.rmtree(unpacked, ignore_errors=True)  # of a grading that was killed
        yield unpacked
    finally:
        shutil.rmtree(unpacked, ignore_errors=True)
        lock.release()


# Find ---------------------------------------------------------------------------------------------


def _find(options: Options, unpacked: Path) -> tuple[SubmissionsFound, set[str]]:
    """Return what is to be graded, and the places of all submissions, of other lessons too."""
    try:
        found = find_submissions(options.submissions, unpacked, options.out, options.roster)
    except UnreadableFile as error:
        raise BadInput(f"{options.submissions} cannot be read. {error}") from None
    places = {submission.place for submission in found.submissions} | set(found.repeats)
    if options.lessons:
        chosen = [s for s in found.submissions if s.lesson in options.lessons]
        found = replace(found, submissions=chosen)
    if not found.submissions:
        others = ", ".join([*found.unrecognised, *found.other_files][:5])
        seen = (
            f" These were not recognized as submissions: {others}. Put each one into a folder "
            "named after its student, and name it after its lesson."
        ) * bool(others)
        raise BadInput(f"There are no submissions to grade in {options.submissions}.{seen}")
    return found, places


# Run ----------------------------------------------------------------------------------------------


def _run(found: SubmissionsFound, options: Options, watcher: Watcher | None) -> _Ran:
    """Return the verdicts on every submission; only what is new or changed runs."""
    lessons, version = lessons_folder(), exercises_version()
    journal = Journal(options.state / "journal.jsonl", options.fresh)
    observed = Journal(options.state / "references.jsonl", options.fresh)
    references = References(lessons, secret_key(options.state / "key"), observed, version)
    batch = Batch(
        options.limits,
        references,
        journal,
        f"{version} {options.sandbox} {data_sets()}",
        lessons.parent / "notebooks",
        options.again and options.again.meant(found.submissions, options.roster),
    )
    server = _server(options, lessons)
    known: dict[str, dict[str, Verdict]] = {}
    new: dict[str, dict[str, Verdict]] = {}
    with closing(observed), closing(journal), closing(references), closing(server):
        for submission in found.submissions:
            if (verdicts := batch.known(submission)) is not None:
                known[submission.place] = verdicts
        to_run = [s for s in found.submissions if s.place not in known]
        if watcher:
            watcher.begin(found, len(to_run))
        if to_run:
            first = find_lesson(to_run[0].lesson).exercises()
            references.get_ready(each.id for each in first if isinstance(each, Question))
            server.start(options.sandbox)  # both take seconds, and need not wait for each other
            references.learn(partial(observed_in_sandbox, server))
            jobs = server.jobs if isinstance(server, Cluster) else options.jobs
            for submission, verdicts in batch.run(to_run, server, jobs):
                new[submission.place] = verdicts
                if watcher:
                    watcher.advance()
    return _Ran(known, new, sorted(batch.accidents))


def _server(options: Options, lessons: Path) -> Cluster | ForkServer:
    hidden = [options.submissions.resolve(), options.out.resolve(), lessons.parent]
    hidden += private_folders()
    if options.scheduler:
        return Cluster(options.scheduler, options.limits, hidden)
    return ForkServer(options.state, options.limits, data_folders(), hidden)


# Judge --------------------------------------------------------------------------------------------


def _judge(found: SubmissionsFound, ran: _Ran, options: Options) -> Grading:
    """Return the rows of all submissions, with the sentences that a teacher wrote since."""
    taught = read_records(options.state / "taught.jsonl", Taught)
    every = {place: _as_taught(v, taught) for place, v in (ran.known | ran.new).items()}
    cells = _cells(found.submissions, options.limits.notebook)
    unexplained = list(_unexplained(found.submissions, every, cells))
    write_records(options.state / "unexplained.jsonl", unexplained)
    run, kept = (
        sum(not _is_unreadable(verdicts) for verdicts in part.values())
        for part in (ran.new, ran.known)
    )
    rows = [row for s in found.submissions for row in _rows(s, every[s.place])]
    return Grading(
        rows=rows,
        predicted=count_predictions(found.submissions, cells),
        groups=groups(unexplained, {a.exercise: question_of(a.exercise) for a in unexplained}),
        taught=taught,
        found=found,
        run=run,
        kept=kept,
        unreadable=len(every) - run - kept,
        accidents=ran.accidents,
        is_sandboxed=options.sandbox,
        roster=options.roster,
        programs={
            (row.submission, row.exercise): program_in(cells[row.submission], row.exercise)
            for row in rows
            if row.submission in cells and row.outcome in _WITH_CODE
        },
    )


def _is_unreadable(verdicts: dict[str, Verdict]) -> bool:
    return all(verdict.outcome == "unreadable" for verdict in verdicts.values())


def _as_taught(verdicts: dict[str, Verdict], taught: Sequence[Taught]) -> dict[str, Verdict]:
    """Return the verdicts with the sentences that a teacher wrote for what answers did."""
    result = dict(verdicts)
    for exercise_id, verdict in verdicts.items():
        behavior = verdict.behavior
        known = behavior and taught_to(behavior, taught, question_of(exercise_id))
        if known:
            result[exercise_id] = replace(
                verdict, message=known.sentence, mistake=known.name, behavior=None
            )
    return result


def _cells(submissions: Sequence[Submission], megabytes: int) -> Cells:
    """Return the code cells of the submissions that count and can be read."""
    cells: Cells = {}
    for submission in submissions:
        if submission.counts:
            try:
                cells[submission.place] = read_cells(read_data(submission, megabytes))
            except (UnreadableFile, NotANotebook):  # its verdicts say so
                continue
    return cells


def _unexplained(
    submissions: Sequence[Submission], verdicts: Verdicts, cells: Cells
) -> Iterator[Answer]:
    """Yield the answers that count and did what no gallery knows, for `course mistakes`."""
    for submission in submissions:
        if submission.place not in cells:
            continue
        for exercise_id, verdict in verdicts[submission.place].items():
            if verdict.behavior:
                yield Answer(
                    exercise_id,
                    submission.student,
                    submission.place,
                    verdict.message,
                    program_in(cells[submission.place], exercise_id),
                    verdict.behavior,
                )


def _rows(submission: Submission, verdicts: dict[str, Verdict]) -> list[Row]:
    return [
        Row(
            student=submission.student,
            lesson=submission.lesson,
            exercise=exercise.id,
            title=exercise.title,
            outcome=verdicts[exercise.id].outcome,
            message=verdicts[exercise.id].message,
            points=round(verdicts[exercise.id].score * exercise.points, 4),
            possible=exercise.points,
            submission=submission.place,
            submitted=submission.when,
            counts=submission.counts,
            mistake=verdicts[exercise.id].mistake,
            note=verdicts[exercise.id].note,
        )
        for exercise in find_lesson(submission.lesson).exercises()
    ]


# Report -------------------------------------------------------------------------------------------


def _set_aside(out: Path, places: set[str]) -> Path | None:
    """Move results of which submissions are gone, so that no page of theirs is lost."""
    try:
        lines = (out / "results.jsonl").read_text(encoding="utf-8").splitlines()
        earlier = {json.loads(line)["submission"] for line in lines}
    except (OSError, ValueError, KeyError, TypeError):
        return None
    # As results are written, where a name is no text.
    if earlier <= {place.encode("utf-8", "replace").decode() for place in places}:
        return None
    folder = next(f for n in count(1) if not (f := out / f"earlier-{n}").exists())
    folder.mkdir()
    for name in {PurePath(path).parts[0] for path in files_written(out, COMMAND)}:
        if (out / name).exists():
            (out / name).rename(folder / name)
    return folder

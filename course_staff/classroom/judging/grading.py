"""``course grade``: from a folder of submissions to the results, resumable at any point."""

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path, PurePath

from filelock import FileLock, Timeout

from course_utils.exercises.question import Question
from course_utils.workspace.curriculum import LESSONS, find_lesson
from course_utils.workspace.folders import course_folder

from ...output_folder import claim, files_written
from ..intake.files import UnreadableFile, is_archive
from ..intake.roster import Member, Roster
from ..intake.submissions import Submission, SubmissionsFound, find_submissions
from ..running.cluster import Cluster
from ..running.data_sets import data_folders, data_sets
from ..running.fork_server import ForkServer
from ..running.public_package import exercises_version, private_folders
from ..sandbox.limits import Limits
from .again import Again
from .batch import Batch
from .behaviours import (
    Answer,
    Group,
    Taught,
    groups,
    program_in,
    question_of,
    read_lines,
    taught_to,
    write_lines,
)
from .journal import Journal, secret_key
from .learned import observed_in_sandbox
from .notebook_cells import Contents
from .notebook_verdicts import Verdict
from .overrides import read_overrides, with_overrides
from .predicted import count_predictions
from .rows import BadInput, Row
from .secret_references import References

__all__ = ["Grading", "grade", "require_lessons"]

_COMMAND = "course grade"


@dataclass
class Grading:
    """What was graded: the rows in order, and what the pages say about how it went."""

    rows: list[Row] = field(default_factory=list)
    predicted: dict[str, Counter[str]] = field(default_factory=dict)  # by the prediction's id
    groups: list[Group] = field(default_factory=list)  # of what no gallery explains
    found: SubmissionsFound = field(default_factory=SubmissionsFound)
    run: int = 0
    kept: int = 0
    unreadable: int = 0  # counted neither as run nor as kept
    set_aside: Path | None = None  # where earlier results are, of submissions that are gone
    accidents: list[str] = field(default_factory=list)  # the grader itself failed on these
    is_sandboxed: bool = True  # false where --no-sandbox was asked for
    roster: Roster | None = None

    @property
    def counting(self) -> list[Row]:
        """The rows of the newest submissions."""
        return [row for row in self.rows if row.counts]

    @property
    def strangers(self) -> list[str]:
        """The students that the roster does not hold, or holds under more than one line."""
        students = sorted({row.student for row in self.rows})
        return [s for s in students if self.roster and self.roster.member(s) is None]

    def of_member(self, member: Member) -> list[Row]:
        """Return the rows that count of a student of the roster."""
        roster = self.roster
        return [r for r in self.counting if roster and roster.member(r.student) is member]


def grade(
    submissions: Path,
    out: Path,
    *,
    lessons: list[str] | None = None,
    jobs: int = 1,
    fresh: bool = False,
    limits: Limits | None = None,
    sandbox: bool = True,
    roster: Roster | None = None,
    again: Again | None = None,
    scheduler: str | None = None,
    on_found: Callable[[SubmissionsFound, int], None] = lambda found, open_ones: None,
    on_graded: Callable[[Submission], None] = lambda submission: None,
    write: Callable[[Grading, Path], object] = lambda grading, out: None,
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
    sandbox : bool
        Keep notebooks away from this machine, or fail where the system does not allow it. Without,
        what was graded in a sandbox is graded again, and the other way round.
    roster : Roster, optional
        Who is in the class.
    again : Again, optional
        What is judged once more, while all else stays as it was.
    scheduler : str, optional
        The address of a Dask scheduler, whose workers run the notebooks in place of this machine,
        as many at once as they have threads.
    on_found, on_graded : callable
        Called with what was found and how much of it must run, and after each submission.
    write : callable
        Called at the end, while no other grading can write to ``out``.

    Raises
    ------
    BadInput
        If there is nothing to grade, or what a teacher changes in ``overrides.csv`` fits nothing.
    OutputError
        If ``out`` is somebody else's folder, or cannot be written.
    """
    limits = limits or Limits()
    state = _prepare(submissions, out, lessons)
    overrides = read_overrides(out / "overrides.csv")
    with _alone(state, out):
        found, places = _found(submissions, state / "unpacked", out, lessons)
        if again:
            again = again.meant(found.submissions, roster)
        grading = Grading(found=found, is_sandboxed=sandbox, roster=roster)
        journal = Journal(state / "journal.jsonl", fresh)
        observed, version = Journal(state / "references.jsonl", fresh), exercises_version()
        lessons_folder = require_lessons()
        references = References(lessons_folder, secret_key(state / "key"), observed, version)
        version = f"{version} {sandbox} {data_sets()}"
        notebooks = lessons_folder.parent / "notebooks"
        batch = Batch(limits, references, journal, version, notebooks, again)
        hidden = [submissions.resolve(), out.resolve(), lessons_folder.parent, *private_folders()]
        server: Cluster | ForkServer
        if scheduler:
            server = Cluster(scheduler, limits, hidden)
        else:
            server = ForkServer(state, limits, data_folders(), hidden)
        verdicts: dict[str, dict[str, Verdict]] = {}
        try:
            open_ones = []
            for one in found.submissions:
                known = batch.known(one)
                if known is None:
                    open_ones.append(one)
                else:
                    verdicts[one.place] = known
            grading.kept = sum(not _is_unreadable(known) for known in verdicts.values())
            on_found(found, len(open_ones))
            if open_ones:
                first = find_lesson(open_ones[0].lesson).exercises()
                references.get_ready(each.id for each in first if isinstance(each, Question))
                server.start(sandbox)  # both take seconds, and need not wait for each other
                if isinstance(server, Cluster):
                    jobs = server.jobs
                references.learn(partial(observed_in_sandbox, server))
                for one, result in batch.run(open_ones, server, jobs):
                    verdicts[one.place] = result
                    grading.run += not _is_unreadable(result)
                    on_graded(one)
                grading.accidents = sorted(batch.accidents)
        finally:
            server.close()
            references.close()
            journal.close()
            observed.close()
        taught = read_lines(state / "taught.jsonl", Taught)
        verdicts = {place: _as_taught(each, taught) for place, each in verdicts.items()}
        contents = Contents(limits.notebook)
        unexplained = list(_unexplained(found.submissions, verdicts, contents))
        write_lines(state / "unexplained.jsonl", unexplained)
        questions = {each.exercise: question_of(each.exercise) for each in unexplained}
        grading.groups = groups(unexplained, questions)
        grading.rows = [row for one in found.submissions for row in _rows(one, verdicts[one.place])]
        grading.predicted = count_predictions(found.submissions, contents.cells)
        grading.unreadable = len(verdicts) - grading.run - grading.kept
        grading.set_aside = _set_aside(out, places)
        grading.rows = with_overrides(grading.rows, overrides)
        write(grading, out)
        return grading


def _prepare(submissions: Path, out: Path, lessons: list[str] | None) -> Path:
    """Return the folder of the grading's own files; refuse what cannot be graded."""
    if not submissions.exists():
        raise BadInput(f"{submissions} does not exist. Name the folder that holds the submissions.")
    if not submissions.is_dir() and not is_archive(submissions.name):
        raise BadInput(f"{submissions} is neither a folder nor a zip archive. Unpack it first.")
    known = [lesson.number for lesson in LESSONS]
    for number in lessons or []:
        if number not in known:
            raise BadInput(f"There is no lesson {number!r} to grade; there are {', '.join(known)}.")
    claim(out, _COMMAND)
    state = out / ".grading"
    state.mkdir(exist_ok=True)
    return state


@contextmanager
def _alone(state: Path, out: Path) -> Iterator[None]:
    """Keep every other grading from writing to ``out``, and leave nothing unpacked behind."""
    lock = FileLock(state / "lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise BadInput(f"Another grading writes to {out}. Wait for it, or name another.") from None
    try:
        shutil.rmtree(state / "unpacked", ignore_errors=True)  # of a grading that was killed
        yield
    finally:
        shutil.rmtree(state / "unpacked", ignore_errors=True)
        lock.release()


def _found(
    submissions: Path, unpacked: Path, out: Path, lessons: list[str] | None
) -> tuple[SubmissionsFound, set[str]]:
    """Return what is to be graded, and the places of all submissions, of other lessons too."""
    try:
        found = find_submissions(submissions, unpacked, out)
    except UnreadableFile as error:
        raise BadInput(f"{submissions} cannot be read. {error}") from None
    places = {one.place for one in found.submissions}
    if lessons:
        chosen = [one for one in found.submissions if one.lesson in lessons]
        found = replace(found, submissions=chosen)
    if not found.submissions:
        others = ", ".join([*found.unrecognised, *found.other_files][:5])
        seen = f" What is there belongs to no lesson, or is no notebook: {others}." * bool(others)
        raise BadInput(f"There are no submissions in {submissions}.{seen}")
    return found, places


def require_lessons() -> Path:
    """Return the folder that holds the right programs and the galleries."""
    for checkout in (Path(__file__).parents[3], course_folder()):
        if any((checkout / "lessons").glob("*/gallery.py")):
            return checkout.resolve() / "lessons"
    raise BadInput(
        "There are no lessons here. Answers are compared with the lessons' solutions: call "
        "`course grade` in a checkout of the whole course."
    )


def _is_unreadable(verdicts: dict[str, Verdict]) -> bool:
    return all(verdict.outcome == "unreadable" for verdict in verdicts.values())


def _as_taught(verdicts: dict[str, Verdict], taught: Sequence[Taught]) -> dict[str, Verdict]:
    """Return the verdicts with the sentences that a teacher wrote since."""
    told = {}
    for exercise_id, verdict in verdicts.items():
        known = verdict.did and taught_to(verdict.did, taught, question_of(exercise_id))
        if known:
            verdict = replace(
                verdict, message=known.sentence, mistake=known.name, did=None, where=""
            )
        told[exercise_id] = verdict
    return told


def _unexplained(
    submissions: Sequence[Submission], verdicts: dict[str, dict[str, Verdict]], contents: Contents
) -> Iterator[Answer]:
    """Yield the answers that count and did what no gallery knows, for `course mistakes`."""
    for one in (one for one in submissions if one.counts):
        for exercise_id, verdict in verdicts[one.place].items():
            if verdict.did:
                try:
                    program = program_in(contents.cells(one), exercise_id)
                except UnreadableFile:  # gone since it was judged
                    continue
                said, done = verdict.message, verdict.did
                yield Answer(
                    exercise_id, one.student, one.place, said, program, done, verdict.where
                )


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
    for name in {PurePath(path).parts[0] for path in files_written(out, _COMMAND)}:
        if (out / name).exists():
            (out / name).rename(folder / name)
    return folder


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
            mistake=verdicts[exercise.id].mistake,
            note=verdicts[exercise.id].note,
            where=verdicts[exercise.id].where,
        )
        for exercise in find_lesson(one.lesson).exercises()
    ]

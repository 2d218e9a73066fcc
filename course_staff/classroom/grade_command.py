"""The command ``course grade``: its options, and what it says at the end."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import Progress

from course_utils.choosing import ChoiceError, choose_lessons
from course_utils.terminal import errors, print_text, sentence_for
from course_utils.workspace.curriculum import LESSONS

from ..authoring.staff_terminal import interruptible, need_extra, progress_bars
from .intake.submissions import SubmissionsFound
from .sandbox.limits import Limits

if TYPE_CHECKING:
    from .judging.results import Grading, Row

__all__ = ["Lessons", "grade"]

_LIMITS = Limits()
_MOST_NAMES = 10  # in a line; class.html has all
_DAY = 86_400.0  # seconds; the system takes no limit without an end
_BY_DOWNLOAD = (
    " For at least one of them, only the time of the download is known, so this order may be "
    "wrong. If it is, remove the file that should not count from the folder."
)

Lessons = Annotated[
    str | None,
    typer.Option(
        "--lessons",
        metavar="NUMBERS",
        help="Two-digit numbers and ranges: `02`, `01,03` or `01-07`. By default, all lessons.",
    ),
]


def grade(
    submissions: Annotated[
        Path,
        typer.Argument(
            metavar="SUBMISSIONS",
            help=("The folder with the submissions, or one zip file for the whole class."),
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", help="The folder for the results.", show_default=False)
    ],
    lessons: Lessons = None,
    jobs: Annotated[
        int,
        typer.Option(min=1, help=("How many notebooks to run at once."), show_default="one a core"),
    ] = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
    resume: Annotated[
        bool,
        typer.Option("--resume/--fresh", help="Keep earlier results, or grade everything again."),
    ] = True,
    again: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WHAT",
            help="Grade only this again: a student, an exercise such as 03.2, or an outcome such "
            "as timeout. All other results stay as they are. Repeat the option to combine them, "
            "such as a student and an exercise.",
            show_default=False,
        ),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(
            min=1.0,
            max=_DAY,
            help="Time limit for one notebook. Time spent waiting for a free processor does not "
            "count.",
        ),
    ] = _LIMITS.total_seconds,
    cell_seconds: Annotated[
        float, typer.Option(min=1.0, max=_DAY, help="Time limit for one cell.")
    ] = _LIMITS.cell_seconds,
    memory: Annotated[
        int, typer.Option(min=128, max=1 << 20, help="Memory limit for one notebook, in megabytes.")
    ] = _LIMITS.memory,
    roster: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help=(
                "Who is in the class: a CSV file with the columns name, id, email, and group. An "
                "export from Moodle, Canvas, or Blackboard will do. Later runs use the same file, "
                "until you name another or use --fresh."
            ),
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help=(
                "Run the notebooks on the Dask cluster with this scheduler, such as "
                "tcp://10.0.0.7:8786. Each worker runs as many notebooks at once as it has "
                "threads. Needs the cluster extra."
            ),
        ),
    ] = None,
    sandbox: Annotated[
        bool,
        typer.Option(
            "--sandbox/--no-sandbox",
            help=(
                "Keep notebooks away from your files and the network, and stop if that is not "
                "possible. With --no-sandbox they run with your permissions: use it only on a "
                "machine that contains nothing private. Each page of the results then carries a "
                "warning."
            ),
        ),
    ] = True,
) -> None:
    """Grade a class: run every notebook in a sandbox, and judge its answers as `check` does.

    SUBMISSIONS is the folder with what you collected. It may contain zips from `course hand-in`,
    downloads from Moodle, Canvas, or Blackboard, nbgrader's folders, and files
    `student_lesson.ipynb`. Archives may stay packed. If a student handed in a lesson several times,
    the newest counts.

    The results folder contains

    - `class.html`: what the class can do, its most common mistakes, and who is stuck

    - `class-to-show.html`: the same without names, for the projector

    - `feedback/`: a page for each student; for Moodle and Canvas, also as a zip to upload

    - `gradebook.csv` and `results.jsonl`: everyone's points, as a table and as data

    With a roster, the gradebook has a row for each student on it, and `upload.csv` is ready to
    import. To change points or add a comment, write `overrides.csv` into the results folder, with
    the columns student, exercise, points, comment, and by. To excuse a student from a lesson, write
    `excused` instead of points.

    Each exercise ends as *passed*, *failed*, *not attempted*, *error*, *timeout*, *crashed*, or
    *unreadable*. If the run is interrupted, the same command continues it. A notebook runs again
    only if it, the lessons, or the limits changed.

    Exit status: 0 if everything was graded, 1 if something could not be graded or its owner is
    unclear, 2 if an option is wrong, and 130 if you interrupted it.

    For example:

    - `course grade ../submitted --out ../results`

    - `course grade ../submissions.zip --out ../results --lessons 01-03 --jobs 8 --fresh`

    - `course grade ../submitted --out ../results --again ada --again 03.2`

    - `course grade ../submitted --out ../results --again timeout --seconds 900`

    - `course grade ../submitted --out ../results --scheduler tcp://10.0.0.7:8786`
    """
    if again and not resume:
        errors.print(
            "--fresh grades everything again, and --again grades only what you name. Use only one "
            "of them."
        )
        raise typer.Exit(2)
    if scheduler and not sandbox:
        errors.print(
            "Without a sandbox, a notebook could control the whole cluster. Leave out --scheduler "
            "or --no-sandbox."
        )
        raise typer.Exit(2)
    if sys.platform != "linux":
        errors.print(
            "Grading sets limits on each notebook, and only Linux supports these limits. Use "
            "Linux, WSL, or a container."
        )
        raise typer.Exit(1)
    with need_extra("classroom", "Grading"):
        import jinja2  # noqa: F401, the pages need it at the end of a long run

        from course_utils.workspace.output_folder import OutputError

        from .grading import Options
        from .grading import grade as grade_class
        from .intake.roster import RosterError, read_roster
        from .judging.again import choose_again
        from .judging.journal import NotKept
        from .judging.results import BadInput
        from .running.fork_server import ServerFailed
        from .running.public_package import NoLessons

    if scheduler:
        with need_extra("cluster", "--scheduler"):
            import distributed  # noqa: F401
    with (
        interruptible(),
        sentence_for(
            BadInput,
            ChoiceError,
            NoLessons,
            NotKept,
            OutputError,
            RosterError,
            ServerFailed,
            OSError,
        ),
        progress_bars("notebooks") as bars,
    ):
        kept_roster = out / ".grading" / "roster.txt"  # the path of the last one
        if roster is None and resume and kept_roster.exists():
            roster = Path(kept_roster.read_text(encoding="utf-8"))
            bars.console.print(f"Using the roster from the last run: {roster}", markup=False)
        options = Options(
            submissions,
            out,
            lessons=choose_lessons(lessons, [lesson.number for lesson in LESSONS]),
            jobs=jobs,
            fresh=not resume,
            limits=Limits(total_seconds=seconds, cell_seconds=cell_seconds, memory=memory),
            sandbox=sandbox,
            roster=read_roster(roster) if roster else None,
            again=choose_again(again or ()),
            scheduler=scheduler,
        )
        grading = grade_class(options, _Bar(bars))
        if roster:
            kept_roster.write_text(str(roster.resolve()), encoding="utf-8")
        else:
            kept_roster.unlink(missing_ok=True)
    _report_grading(grading, out / "class.html")
    found = grading.found
    trouble = (found.unrecognised, found.crowded, found.contradictions, grading.accidents)
    if any(trouble) or grading.strangers:
        raise typer.Exit(1)


class _Bar:
    """Shows how far a grading is."""

    def __init__(self, bars: Progress):
        self._bars = bars
        self._task = bars.add_task("Grading", total=None, visible=False)

    def begin(self, found: SubmissionsFound, to_run: int) -> None:
        """Say in which layouts submissions were found, and show the bar."""
        for layout, count in found.layouts.items():
            submissions = "submission" if count == 1 else "submissions"
            self._bars.console.print(
                f"{count} {submissions} in this layout: {layout}", markup=False
            )
        self._bars.update(self._task, total=to_run, visible=to_run > 0)

    def advance(self) -> None:
        """Move the bar on by one submission."""
        self._bars.advance(self._task)


def _report_grading(grading: "Grading", page: Path) -> None:
    """Say what was graded, what was not, and how well the notebooks were kept apart."""
    print_text(
        f"{grading.run} run, {grading.kept} unchanged, {grading.unreadable} unreadable. See {page}"
    )
    if grading.set_aside:
        print_text(
            "The last results contain submissions that are no longer in the folder, so those "
            f"results are kept in {grading.set_aside}. To get one gradebook for everyone, grade a "
            "folder that contains all submissions."
        )
    for folder, names in grading.found.crowded.items():
        errors.print(
            f"One student, or several? {folder} contains the same lesson under these names: "
            f"{', '.join(names)}. If they are students, move them from {folder} to the folder that "
            "contains it (unpack it first if it is a zip), and grade again."
        )
    for sentence in _handed_in_again(grading):
        print_text(sentence)
    for sentence in [*_lowered(grading.counting), *_excused(grading)]:
        print_text(sentence)
    for sentence in grading.found.notes:
        print_text(sentence)
    for sentence in grading.found.contradictions:
        errors.print(sentence)
    for place in grading.found.unrecognised:
        errors.print(
            f"This could not be matched to a lesson and a student: {place}. Put it in a folder "
            "named after the student, and name the file after the lesson."
        )
    for place in grading.accidents:
        errors.print(
            f"The grader itself failed on this notebook: {place}. Grade again. If it fails again, "
            "grade this notebook by hand and report the error."
        )
    if grading.roster:
        _report_roster(grading)
    zips = sorted(page.parent.glob("feedback-for-*.zip"))
    for path in zips:
        print_text(
            "To return the feedback to students who handed in through your learning management "
            f"system, upload {path}."
        )
    counting = [s for s in grading.found.submissions if s.counts]
    elsewhere = {s.student for s in counting} - {s.student for s in counting if s.reply}
    if zips and elsewhere:
        few = _few(sorted(elsewhere))
        print_text(
            f"Some students handed in their work another way: {few}. Send them their pages from "
            f"{page.parent / 'feedback'}."
        )
    if others := len(grading.found.other_files):
        print_text(
            f"Files and folders that are not submissions: {others}. They are listed in {page.name}."
        )
    if grading.is_sandboxed:
        print_text("Each notebook ran without a network, and could not see your files.")
    else:
        print_text(
            "With --no-sandbox, the notebooks ran with your permissions. They could read the "
            "solutions and your files, and use the network. Every page of the results carries this "
            "warning."
        )


def _report_roster(grading: "Grading") -> None:
    """Say who is not on the roster, who is missing, and what `upload.csv` holds."""
    from .reports.upload import upload_columns, upload_notes

    for sentence in grading.strangers:
        errors.print(sentence)
    for number, names in grading.absent.items():
        if names:
            print_text(f"Nothing handed in for lesson {number}: {_few(names)}")
    for sentence in upload_columns(grading):
        print_text(sentence)
    for sentence in upload_notes(grading):
        errors.print(sentence)


def _few(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def _lowered(rows: "list[Row]") -> list[str]:
    """Say where an override gives fewer points than the answer earns by now."""
    return [
        f"overrides.csv gives {row.student} {row.points:g} for {row.exercise}, but the answer now "
        f"earns {row.graded_points:g}. Remove the line if it is out of date."
        for row in rows
        if row.graded_points is not None and row.points < row.graded_points
    ]


def _excused(grading: "Grading") -> list[str]:
    """Say who handed in a lesson from which overrides.csv excuses them."""
    handed_in = {(grading.who(row.student), row.lesson) for row in grading.newest}
    return [
        f"overrides.csv excuses {name} from lesson {lesson}, which was handed in. The submission "
        "does not count. To count it, remove the line."
        for name, lesson in sorted(
            (grading.name_of(student), lesson)
            for student, lesson in handed_in & grading.excuses.keys()
        )
    ]


def _handed_in_again(grading: "Grading") -> list[str]:
    """Say, a line for each two files, which of them counts for which lessons.

    A lesson from which the student is excused does not count in any version.
    """
    submissions = [
        s
        for s in grading.found.submissions
        if (grading.who(s.student), s.lesson) not in grading.excuses
    ]
    newest = {(s.student, s.lesson): s for s in submissions if s.counts}
    lessons: dict[tuple[str, str, str, bool], set[str]] = {}
    for old in submissions:
        if not old.counts and (new := newest.get((old.student, old.lesson))):
            files = (new.file, old.file) if new.file != old.file else (new.place, old.place)
            is_known = new.has_time and old.has_time
            lessons.setdefault((new.student, *files, is_known), set()).add(new.lesson)
    return [
        f"{student} handed in {', '.join(sorted(numbers))} again: {new} counts, not {old}."
        + ("" if is_known else _BY_DOWNLOAD)
        for (student, new, old, is_known), numbers in lessons.items()
    ]

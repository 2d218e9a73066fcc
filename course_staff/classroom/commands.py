"""The commands for instructors: ``release``, ``nbgrader``, ``grade`` and ``mistakes``."""

import os
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from course_utils.course.curriculum import LESSONS, find_lesson
from course_utils.course.progress import course_folder
from course_utils.course.terminal import (
    errors,
    interruptible,
    need_extra,
    print_text,
    progress_bars,
    sentence_for,
)

from .choosing import ChoiceError, choose_lessons

if TYPE_CHECKING:
    from .grading import Grading

__all__ = ["COMMANDS"]

_DAY = 86_400.0  # seconds; the system takes no limit without an end

Lessons = Annotated[
    str | None,
    typer.Option(
        "--lessons",
        metavar="NUMBERS",
        help="Two-digit numbers and ranges: `02`, `01,03` or `01-07`. Without it: every lesson.",
    ),
]
Force = Annotated[
    bool,
    typer.Option("--force", help="Also replace files that were changed since they were written."),
]


def release(
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT", help="A new or empty folder, an earlier release, or a name `*.zip`."
        ),
    ],
    lessons: Lessons = None,
    force: Force = False,
) -> None:
    """Write what students get: the notebooks, the helper package, and what sets both up.

    There are no solutions in it, no lesson sources and no tests. Checks work as they do here, also
    without a network. What they know of the answers is compressed, so that nobody reads it by the
    way; it is not encrypted, and grades do not depend on it. Lesson 00 always comes along.

    Hand out the folder, or the zip: `course release gradienttape.zip --lessons 01-07`. Writing to
    the same place again replaces the release and leaves alone what others put there. For more
    lessons in mid-term, tell students to unpack into a new folder: their notebooks are their work.
    """
    with need_extra("author", "Reading lessons"):
        from .release import release_files
    _, count = _write(release_files, out, lessons, "course release", force)
    print_text(f"{count} files are in {out}. Read its README.md as your students will.")


def nbgrader(
    out: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="A new or empty folder, or one written earlier."),
    ],
    lessons: Lessons = None,
    force: Force = False,
) -> None:
    """Write the lessons as an nbgrader course, one assignment a lesson.

    Each exercise is a solution cell, each of its checks an autograder test that awards the
    exercise's points, and the cells that show something are restored before grading. nbgrader
    then does its own work in that folder; the README.md there names the four commands.

    It is for classes that use nbgrader already. To run it you need `pip install -e '.[nbgrader]'`;
    to write the folder you do not.
    """
    with need_extra("author", "Reading lessons"):
        from .nbgrader_export import nbgrader_files
    names, _ = _write(nbgrader_files, out, lessons, "course nbgrader", force)
    print_text(f"{len(names)} assignments are in {out}. Next, in that folder:")
    print_text(f"  nbgrader generate_assignment {names[0]}")


def _write(
    files_of: Callable, out: Path, numbers: str | None, kind: str, force: bool
) -> tuple[list[str], int]:
    """Read and choose the lessons, write their files, and return their names and the count."""
    from ..authoring.build import BuildError, Folders, read_lessons
    from .nbgrader_export import NbgraderError
    from .output import OutputError, write_output
    from .release import ReleaseError

    root = course_folder()
    with sentence_for(BuildError, ChoiceError, NbgraderError, OutputError, ReleaseError, OSError):
        every = read_lessons(Folders(root))
        wanted = choose_lessons(numbers, [lesson.name[:2] for lesson in every])
        chosen = [lesson for lesson in every if lesson.name[:2] in wanted]
        files = files_of(every, chosen, root)
        write_output(files, out, kind, force)
    return [lesson.name for lesson in chosen], len(files)


def grade(
    submissions: Annotated[
        Path,
        typer.Argument(
            metavar="SUBMISSIONS", help="The folder with what was handed in, or the zip of a class."
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", help="The folder for the results.", show_default=False)
    ],
    lessons: Lessons = None,
    jobs: Annotated[
        int, typer.Option(min=1, help="How many notebooks run at once.", show_default="one a core")
    ] = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
    resume: Annotated[
        bool,
        typer.Option("--resume/--fresh", help="Keep what was graded before, or grade all again."),
    ] = True,
    due: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="When lessons are due: a CSV with the columns lesson and due, such as `01,2026-"
            "10-05 18:00`, and, if wanted, grace (15 min, 2 h, 1 d) and student, for extensions.",
        ),
    ] = None,
    again: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WHAT",
            help="Judge once more what this names, and leave everything else byte for byte: a "
            "student, an exercise such as 03.2, or an outcome such as timeout. Give it several "
            "times to narrow it down.",
            show_default=False,
        ),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(
            min=1.0,
            max=_DAY,
            help="The longest that one notebook may run, the time aside in which the machine had "
            "no processor free for it.",
        ),
    ] = 300.0,
    cell_seconds: Annotated[
        float, typer.Option(min=1.0, max=_DAY, help="The longest that one cell may run.")
    ] = 60.0,
    memory: Annotated[
        int, typer.Option(min=128, max=1 << 20, help="Megabytes that one notebook may use.")
    ] = 2048,
    roster: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Who is in the class: a CSV with the columns name, id, email and group, as "
            "Moodle, Canvas or Blackboard export it.",
        ),
    ] = None,
    sandbox: Annotated[
        bool,
        typer.Option(
            "--sandbox/--no-sandbox",
            help="Keep notebooks from your files and the network, or fail. Without it they run as "
            "you: only where there is nothing else to read, and every page says so.",
        ),
    ] = True,
) -> None:
    """Grade a class: run every notebook apart, and judge its answers as `check` does.

    SUBMISSIONS may hold nbgrader's `student/lesson/lesson.ipynb`, a folder for each student, or
    flat `student_lesson.ipynb`; any of these may stand in a folder for each lesson. What Moodle,
    Canvas or Blackboard hand out is read as it is downloaded, a zip of the class with zips of
    students in it, and nothing is unpacked; also unpacked, if you like. Of several submissions of
    one student for one lesson the newest counts.

    The results are `class.html` (what the class can do, its mistakes, who is stuck),
    `class-to-show.html` (the same for the wall, without names), a page for each student in
    `feedback/`, `gradebook.csv` for a spreadsheet, and `results.jsonl`.

    With a roster the gradebook has a line for each of its students and for nobody else, the class
    page names who handed in nothing and who is not on it, and `upload.csv` is what Moodle, Canvas
    or Blackboard imports: the roster's ids, with a column of points for each lesson. What came
    after its due time is marked on the pages and in the gradebook, by the time that the learning
    system noted; no points are taken for it. To change points, or add a comment, write
    `overrides.csv` beside the results, with the columns student, exercise, points, comment and by:
    every grading applies it, and feedback and gradebook say who changed what, and why.

    Every exercise of every submission ends as *passed*, *failed*, *not attempted*, *error*,
    *timeout*, *crashed* or *unreadable*. When the run is interrupted, the same command goes on
    where it was; a notebook runs again only if it, the exercises or the limits changed.

    Exit status: 0 when everything was graded, however well; 1 when there was nothing to grade or no
    such lesson, a notebook belonged to no lesson or to nobody on the roster, a folder seems to hold
    several students, a name contradicts another, the grader itself failed on a notebook, the system
    allows no sandbox, or the results could not be written; 2 for a wrong option; 130 when
    interrupted.

    For example:

    - `course grade submitted/ --out results/`

    - `course grade submissions.zip --out results/ --lessons 01-03 --jobs 8 --fresh`

    - `course grade submitted/ --out results/ --again ada --again 03.2`

    - `course grade submitted/ --out results/ --again timeout --seconds 900`
    """
    if again and not resume:
        errors.print("--fresh grades everything, and --again only what it names: give one of them.")
        raise typer.Exit(2)
    if sys.platform != "linux":
        errors.print(
            "Grading limits each notebook as only Linux can: use Linux, WSL or a container."
        )
        raise typer.Exit(1)
    with need_extra("classroom", "Grading"):
        import jinja2  # noqa: F401, the pages need it at the end of a long run

        from .again import choose_again
        from .due import read_due
        from .fork_server import ServerFailed
        from .grading import grade as grade_class
        from .pages import write_results
        from .roster import RosterError, read_roster
        from .rows import BadInput
        from .runner.limits import Limits

    limits = Limits(total_seconds=seconds, cell_seconds=cell_seconds, memory=memory)
    with (
        interruptible(),
        sentence_for(BadInput, ChoiceError, RosterError, ServerFailed, OSError),
        progress_bars("notebooks") as bars,
    ):
        task = bars.add_task("Grading", total=None, visible=False)

        def on_found(found, open_ones):
            for layout, count in found.layouts.items():
                bars.console.print(f"{count} submissions as {layout}", markup=False)
            bars.update(task, total=open_ones, visible=open_ones > 0)

        grading = grade_class(
            submissions,
            out,
            lessons=choose_lessons(lessons, [lesson.number for lesson in LESSONS]),
            jobs=jobs,
            fresh=not resume,
            limits=limits,
            jail=sandbox,
            roster=read_roster(roster) if roster else None,
            due=read_due(due) if due else (),
            again=choose_again(again or ()),
            on_found=on_found,
            on_graded=lambda one: bars.advance(task),
            write=write_results,
        )
    _report_grading(grading, out / "class.html")
    found = grading.found
    trouble = (found.unrecognised, found.crowded, found.contradictions, grading.accidents)
    if any(trouble) or grading.strangers:
        raise typer.Exit(1)


def _report_grading(grading: "Grading", page: Path) -> None:
    """Say what was graded, what was not, and how well the notebooks were kept apart."""
    from .upload import upload_notes

    print_text(
        f"{grading.run} run, {grading.kept} unchanged, {grading.unreadable} unreadable. See {page}"
    )
    if grading.set_aside:
        print_text(
            f"The last results hold submissions that are no longer there: see {grading.set_aside}. "
            "For one gradebook of all, grade a folder that holds all."
        )
    for folder, names in grading.found.crowded.items():
        errors.print(
            f"One student, or several? {folder} holds one lesson for {', '.join(names)}. If these "
            "are the students, move them out of this folder, and grade again.",
            markup=False,
            soft_wrap=True,
        )
    for sentence in grading.found.contradictions:
        errors.print(sentence, markup=False, soft_wrap=True)
    for place in grading.found.unrecognised:
        errors.print(f"Belongs to no lesson or no student: {place}", markup=False, soft_wrap=True)
    for student in grading.strangers:
        errors.print(f"Not on the roster: {student}", markup=False, soft_wrap=True)
    for place in grading.accidents:
        errors.print(
            f"The grader itself failed, and runs this again next time: {place}",
            markup=False,
            soft_wrap=True,
        )
    for sentence in upload_notes(grading) if grading.roster else ():
        errors.print(sentence, markup=False, soft_wrap=True)
    if others := len(grading.found.other_files):
        print_text(f"Files that are no notebooks: {others}. {page.name} names them.")
    if grading.is_jailed:
        print_text("Each notebook ran without a network, and saw no other file of this machine.")
    else:
        print_text(
            "With --no-sandbox the notebooks ran as you: they could read the solutions and your "
            "files, and use the network. Every page says so."
        )


def mistakes(
    results: Annotated[
        Path, typer.Argument(metavar="RESULTS", help="The folder that `course grade` wrote.")
    ],
    group: Annotated[
        str, typer.Option(metavar="GROUP", help="Tell this group its mistake, such as 01.1-3fa2.")
    ] = "",
    name: Annotated[str, typer.Option(help="The mistake in a few words, for tables.")] = "",
    sentence: Annotated[
        str, typer.Option(help="What everybody in the group is told: the mistake, the way out.")
    ] = "",
    keep: Annotated[
        bool,
        typer.Option(
            "--keep",
            help="Tell it in every later grading, too, and print what an author pastes into the "
            "lesson's gallery.py so that `check` tells it in notebooks.",
        ),
    ] = False,
) -> None:
    """Show the wrong answers that got only the general sentence, grouped by what they did.

    All answers of a grading met the same inputs, so answers that behave alike stand in one group,
    however they are written; the largest group comes first, with its shortest program. Give a
    group a name and one to three sentences, and the next `course grade` into the same folder tells
    them to everybody in it, whoever hands in what does the same. With `--keep` the program stands
    in the lesson's folder from then on, in `learned.jsonl`: other gradings run it, in the sandbox
    as a submission, and tell the sentence to whoever does the same.

    The `check` in notebooks knows only the gallery, which `course build` runs as you and no sandbox
    holds. So `--keep` also prints the mistake as an entry of the lesson's `gallery.py`: read the
    program, paste it, run `course build`, and the next `course release` tells it to learners.

    For example:

    - `course mistakes results/`

    - `course mistakes results/ --group 01.1-3fa2 --name "squared twice" --sentence "You square
      twice: x**3 is x times its square. Take one square away."`
    """
    from .fork_server import ServerFailed
    from .naming import NamingError, gallery_entry, groups_in, name_group
    from .rows import BadInput

    given = [bool(group), bool(name), bool(sentence)]
    if (any(given) or keep) and not all(given):
        errors.print("Naming a group takes all three: --group, --name and --sentence.")
        raise typer.Exit(2)
    with sentence_for(BadInput, NamingError, ServerFailed, OSError):
        if group:
            students, taught = name_group(results, group, name, sentence, keep)
            print_text(
                f"{len(students)} students are told so when you grade into {results} again: "
                f"{', '.join(students)}"
            )
            if keep:
                number = taught.exercise[:2]
                print_text(
                    "Later gradings tell it, too. For `check` to tell it in notebooks, read this "
                    f"program, paste it into lessons/{find_lesson(number).name}/gallery.py, the "
                    f"entry into the list of {taught.exercise}, and run `course build {number}`; "
                    f"the next `course release` hands it out.\n\n{gallery_entry(taught)}"
                )
            return
        found = groups_in(results)
    answers = sum(len(one.answers) for one in found)
    if not found:
        print_text("Every wrong answer was told its mistake.")
    else:
        print_text(
            f"{answers} wrong answers got only the general sentence, in {len(found)} groups."
        )
    for one in found:
        count = len(one.students)
        print_text(f"\n{one.id} · {count} student{'s' * (count > 1)}: {', '.join(one.students)}")
        print_text(f"told so far: {one.shortest.message}")
        print_text(textwrap.indent(one.shortest.program.strip(), "    "))


COMMANDS = (release, nbgrader, grade, mistakes)

"""The command ``course``: for learners, authors and instructors."""

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from .curriculum import written_lessons
from .exercises import progress as records

if TYPE_CHECKING:
    from .classroom.grading import Grading

__all__ = ["app"]

app = typer.Typer(
    help="Hands-on GradientTape: work through the lessons, see your progress, mend what is broken.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)
console = Console()
errors = Console(stderr=True)


@contextmanager
def _sentence_for(*kinds: type[Exception]):
    """Show an expected error as its sentence, without a traceback, and end with status 1."""
    try:
        yield
    except kinds as error:
        text = str(error) if isinstance(error, OSError) else str(error.args[0])
        errors.print(text, style="bold", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(1) from None


@contextmanager
def _interruptible():
    """End with status 130 and a sentence when the user presses Ctrl-C."""
    try:
        yield
    except KeyboardInterrupt:
        errors.print("Interrupted. The same command goes on where this one was.", style="bold")
        raise typer.Exit(130) from None


def _bars(unit: str) -> Progress:
    """Return progress bars that count in ``unit``."""
    return Progress(
        TextColumn("{task.description:<28}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeElapsedColumn(),
        console=console,
    )


def _print_text(text: str) -> None:
    """Print text that may hold paths and brackets, without breaking its lines."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)


@app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def lab(context: typer.Context) -> None:
    """Open JupyterLab on the first lesson.

    Options that this command does not know go to JupyterLab: `course lab --no-browser --port 8899`.
    """
    folder = records.course_folder()
    notebook = folder / "notebooks" / "00_start_here.ipynb"
    if not notebook.exists():
        errors.print(f"There is no notebooks/00_start_here.ipynb at or above {folder}.")
        errors.print("Change to the course's folder and try again.")
        raise typer.Exit(1)
    first_page = f"--LabApp.default_url=/lab/tree/notebooks/{notebook.name}"
    command = [sys.executable, "-m", "jupyterlab", f"--notebook-dir={folder}", first_page]
    command += context.args
    # In JupyterLab's terminals, `course` and `python` are those of this environment.
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    try:
        raise typer.Exit(subprocess.call(command, cwd=folder, env=os.environ | {"PATH": programs}))
    except KeyboardInterrupt:
        raise typer.Exit(0) from None


@app.command()
def status() -> None:
    """Show which exercises of which lessons you have passed."""
    with _sentence_for(OSError):
        progress = records.read_progress()
    table = Table(title="Your progress", title_justify="left")
    table.add_column("Lesson")
    table.add_column("Passed", justify="right")
    table.add_column("Points", justify="right")
    table.add_column("To do next")
    for lesson in written_lessons():
        exercises = lesson.exercises()
        open_ones = [e for e in exercises if not progress.has_passed(e.id)]
        points = sum(e.points for e in exercises)
        table.add_row(
            f"{lesson.number} {lesson.title}",
            f"{len(exercises) - len(open_ones)} of {len(exercises)}",
            f"{points - sum(e.points for e in open_ones)} of {points}",
            f"{open_ones[0].id} {open_ones[0].title}" if open_ones else "done",
        )
    if progress.notice:
        _print_text(progress.notice)
    console.print(table)


@app.command()
def reset(
    exercise: Annotated[str, typer.Argument(help="The exercise, such as `01.2`.")],
) -> None:
    """Put one exercise's cell back to how it was given; your text is kept in a file.

    Every other cell of the notebook stays as it is. Save the notebook in JupyterLab first, and
    afterwards choose *File > Reload Notebook from Disk*.
    """
    from .exercises.resetting import ResetError, reset_exercise

    with _sentence_for(LookupError, ResetError, OSError):
        kept = reset_exercise(exercise, records.course_folder())
    if kept is None:
        console.print(f"The cell of {exercise} was missing; it stands above its check again.")
    else:
        _print_text(f"{exercise} is as it was given. Your text is kept in {kept}")
    console.print("If the notebook is open, choose File > Reload Notebook from Disk.")


@app.command()
def doctor() -> None:
    """Examine this machine and say how to mend what is wrong; status 1 if anything is."""
    from .doctor import examine

    all_well = True
    for finding in examine():
        result = "ok" if finding.is_well else "FAILED"
        _print_text(f"{result:<7} {finding.subject:<11} {finding.found}")
        if finding.remedy:
            _print_text(f"{'':<7} {'To mend it:':<11} {finding.remedy}")
        all_well = all_well and finding.is_well
    raise typer.Exit(0 if all_well else 1)


@app.command()
def build(
    lessons: Annotated[
        list[str] | None,
        typer.Argument(help="Two-digit numbers, such as `02`. Without any: every lesson."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Only name the files that drifted; execute nothing.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Execute lessons again whose source did not change.")
    ] = False,
) -> None:
    """Write `notebooks/` and `solutions/` from `lessons/`.

    Solutions are executed, and so are the untouched notebooks: every solution must pass, every stub
    must be *not attempted*. Lessons whose source did not change are left alone.
    """
    try:
        from .authoring import build as authoring
    except ImportError as error:
        errors.print(f"Building needs the author extra ({error.name} is missing):")
        errors.print("  pip install -e '.[author]'", markup=False)
        raise typer.Exit(1) from None

    folders = authoring.Folders(records.course_folder())
    with _sentence_for(authoring.BuildError):
        sources = authoring.read_lessons(folders)
        chosen = authoring.select(sources, lessons or [])
        if check:
            _report_drift(authoring.find_drift(sources, chosen, folders))
            return
        stale = [source for source in chosen if force or authoring.needs_build(source, folders)]
        with _bars("cells") as bars:
            tasks = {s.name: bars.add_task(s.name, total=2 * _code_cells(s)) for s in stale}
            authoring.build(sources, stale, folders, lambda s: bars.advance(tasks[s.name]))
    console.print(f"{len(stale)} built, {len(chosen) - len(stale)} unchanged.")


def _code_cells(source) -> int:
    return sum(cell.cell_type == "code" for cell in source.solution.cells)


def _report_drift(drift: list) -> None:
    for problem in drift:
        errors.print(str(problem), markup=False, highlight=False, soft_wrap=True)
    if drift:
        raise typer.Exit(1)
    console.print("Every notebook is what its lesson gives.")


@app.command()
def grade(
    submissions: Annotated[
        Path, typer.Argument(help="The folder with what was handed in.", show_default=False)
    ],
    out: Annotated[
        Path, typer.Option("--out", help="The folder for the results.", show_default=False)
    ],
    lessons: Annotated[
        str, typer.Option(help="Only these, such as `00,01`. Without it: every lesson.")
    ] = "",
    jobs: Annotated[
        int, typer.Option(min=1, help="How many notebooks run at once.", show_default="one a core")
    ] = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
    resume: Annotated[
        bool,
        typer.Option("--resume/--fresh", help="Keep what was graded before, or grade all again."),
    ] = True,
    seconds: Annotated[
        float, typer.Option(min=1.0, help="The longest that one notebook may run.")
    ] = 300.0,
    cell_seconds: Annotated[
        float, typer.Option(min=1.0, help="The longest that one cell may run.")
    ] = 60.0,
    memory: Annotated[
        int, typer.Option(min=128, help="Megabytes that one notebook may use.")
    ] = 2048,
) -> None:
    """Grade a class: run every notebook apart, and judge its answers as `check` does.

    SUBMISSIONS may hold nbgrader's `student/lesson/lesson.ipynb`, a folder for each student, or
    flat `student_lesson.ipynb`. Of several submissions of one student for one lesson the newest
    counts.

    The results are `class.html` (what the class can do, its mistakes, who is stuck), a page for
    each student in `feedback/`, `gradebook.csv` for a spreadsheet, and `results.jsonl`.

    Every exercise of every submission ends as *passed*, *failed*, *not attempted*, *error*,
    *timeout*, *crashed* or *unreadable*. When the run is interrupted, the same command goes on
    where it was; a notebook runs again only if it, the exercises or the limits changed.

    Exit status: 0 when everything was graded, however well; 1 when there was nothing to grade, a
    notebook belonged to no lesson, or the results could not be written; 2 for a wrong option; 130
    when interrupted.

    For example:

    - `course grade submitted/ --out results/`

    - `course grade submitted/ --out results/ --lessons 01,02 --jobs 8 --fresh`
    """
    try:
        import jinja2  # noqa: F401, the pages need it at the end of a long run

        from .classroom.fork_server import ServerFailed
        from .classroom.grading import BadInput
        from .classroom.grading import grade as grade_class
        from .classroom.pages import write_results
        from .classroom.runner.limits import Limits
    except ImportError as error:
        errors.print(f"Grading needs the classroom extra, and Linux or macOS ({error.name}):")
        errors.print("  pip install -e '.[classroom]'", markup=False)
        raise typer.Exit(1) from None

    limits = Limits(total_seconds=seconds, cell_seconds=cell_seconds, memory=memory)
    with (
        _interruptible(),
        _sentence_for(BadInput, ServerFailed, OSError),
        _bars("notebooks") as bars,
    ):
        task = bars.add_task("Grading", total=None, visible=False)

        def on_found(found, open_ones):
            for layout, count in found.layouts.items():
                bars.console.print(f"{count} submissions as {layout}", markup=False)
            bars.update(task, total=open_ones, visible=open_ones > 0)

        grading = grade_class(
            submissions,
            out,
            lessons=[part.strip() for part in lessons.split(",") if part.strip()],
            jobs=jobs,
            fresh=not resume,
            limits=limits,
            on_found=on_found,
            on_graded=lambda one: bars.advance(task),
        )
        page = write_results(grading, out)
    _report_grading(grading, page)
    if grading.found.unrecognised:
        raise typer.Exit(1)


def _report_grading(grading: "Grading", page: Path) -> None:
    """Say what was graded, what was not, and how well the notebooks were kept apart."""
    _print_text(f"{grading.run} graded, {grading.kept} unchanged or unreadable. See {page}")
    for place in grading.found.unrecognised:
        errors.print(f"Belongs to no lesson or no student: {place}", markup=False, soft_wrap=True)
    if grading.is_jailed:
        _print_text("Each notebook ran without a network, and saw no other file of this machine.")
    elif grading.is_jailed is not None:
        _print_text(
            "This system allows no namespaces, so the notebooks ran with your permissions "
            f"({grading.why_not_jailed or 'not asked for'}). For a class you do not trust, grade "
            "in a container or a virtual machine."
        )

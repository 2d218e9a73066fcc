"""The command ``course``: what learners type, and what others add to it."""

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from . import progress as records
from .curriculum import LESSONS
from .terminal import console, errors, print_text, sentence_for

__all__ = ["app"]

app = typer.Typer(
    help="Hands-on GradientTape: work through the lessons, see your progress, mend what is broken.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)


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
    with sentence_for(OSError):
        progress = records.read_progress()
    table = Table(title="Your progress", title_justify="left")
    table.add_column("Lesson")
    table.add_column("Passed", justify="right")
    table.add_column("Points", justify="right")
    table.add_column("To do next")
    for lesson in LESSONS:
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
        print_text(progress.notice)
    console.print(table)


@app.command()
def reset(
    exercise: Annotated[str, typer.Argument(help="The exercise, such as `01.2`.")],
) -> None:
    """Put one exercise's cell back to how it was given; your text is kept in a file.

    Every other cell of the notebook stays as it is. Save the notebook in JupyterLab first, and
    afterwards choose *File > Reload Notebook from Disk*.
    """
    from .resetting import ResetError, reset_exercise

    with sentence_for(LookupError, ResetError, OSError):
        kept = reset_exercise(exercise, records.course_folder())
    if kept is None:
        console.print(f"The cell of {exercise} was missing; it stands above its check again.")
    else:
        print_text(f"{exercise} is as it was given. Your text is kept in {kept}")
    console.print("If the notebook is open, choose File > Reload Notebook from Disk.")


@app.command()
def doctor() -> None:
    """Examine this machine and say how to mend what is wrong; status 1 if anything is."""
    from .doctor import examine

    all_well = True
    for condition in examine():
        result = "ok" if condition.is_well else "FAILED"
        print_text(f"{result:<7} {condition.subject:<11} {condition.found}")
        if condition.remedy:
            print_text(f"{'':<7} {'To mend it:':<11} {condition.remedy}")
        all_well = all_well and condition.is_well
    raise typer.Exit(0 if all_well else 1)


# A release for students has no other commands; what is for authors and instructors adds its own.
for point in entry_points(group="course.commands"):
    point.load()(app)

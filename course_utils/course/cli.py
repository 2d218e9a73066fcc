"""The command ``course``: what learners type, and what others add to it."""

from importlib.metadata import entry_points
from typing import Annotated

import typer

from . import progress as records
from . import standing as standings
from .terminal import console, errors, print_text, sentence_for

__all__ = ["app"]

app = typer.Typer(
    help="Hands-on GradientTape: work through the lessons, see your progress, mend what is broken.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def lab(context: typer.Context) -> None:
    """Open JupyterLab on the lesson of the next exercise that you have not passed.

    Options that this command does not know go to JupyterLab: `course lab --no-browser --port 8899`.
    """
    from .lab import open_lab

    folder = records.course_folder()
    if not (folder / "notebooks" / "00_start_here.ipynb").exists():
        errors.print(f"There is no notebooks/00_start_here.ipynb at or above {folder}.")
        errors.print("Change to the course's folder and try again.")
        raise typer.Exit(1)
    with sentence_for(OSError):
        raise typer.Exit(open_lab(folder, context.args))


@app.command()
def status() -> None:
    """Show which exercises of which lessons you have passed."""
    with sentence_for(OSError):
        standing = standings.status()
    console.print(standing.table())
    for sentence in standing.summary():
        print_text(sentence)


@app.command()
def reset(
    exercise: Annotated[str, typer.Argument(help="The exercise, such as `01.2`.")],
) -> None:
    """Put one exercise's cell back to how it was given; your text is kept in a file.

    Every other text of the notebook stays as it is. Save the notebook in JupyterLab first, and
    afterwards choose *File > Reload Notebook from Disk*.
    """
    from . import resetting

    with sentence_for(LookupError, resetting.ResetError, OSError):
        resetting.reset(exercise)


@app.command()
def doctor() -> None:
    """Examine this machine and say how to mend what is wrong; status 1 if anything is."""
    from .doctor import examine

    status = 0
    for condition in examine():
        result = "FAILED" if condition.remedy else "ok"
        print_text(f"{result:<7} {condition.subject:<11} {condition.found}")
        if condition.remedy:
            print_text(f"{'':<7} To mend it: {condition.remedy}")
            status = 1
    raise typer.Exit(status)


# A release for students has no other commands; what is for authors and instructors adds its own.
for point in entry_points(group="course.commands"):
    point.load()(app)

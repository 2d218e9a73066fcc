"""The command ``course``: what learners type, and what others add to it."""

import shlex
from collections import Counter
from contextlib import suppress
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from .extra import missing_in_words

try:
    import typer
except ModuleNotFoundError as error:
    raise SystemExit(missing_in_words("The command course", error)) from None

from . import standing as standings
from .terminal import console, errors, print_prose, print_text, sentence_for
from .workspace.curriculum import LESSONS, find_lesson
from .workspace.folders import WorkspaceError, find_workspace, from_here, require_workspace

if TYPE_CHECKING:
    from .workspace.filling import Started
    from .workspace.updating import Update

__all__ = ["app"]

app = typer.Typer(
    help="Hands-on GradientTape: work through the lessons, see your progress, and check your "
    "installation.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def lab(context: typer.Context) -> None:
    """Open JupyterLab on your copy of the lessons, at the next exercise that you have not passed.

    In a clone of the repository or an unpacked release, your copy is `work/`, made at the first
    start. Elsewhere, make one first: `course start FOLDER`.

    Options that this command does not know go to JupyterLab: `course lab --no-browser --port 8899`.
    """
    from .lab import open_lab
    from .workspace.updating import corrected_in_words

    started = _start(None)
    if corrected := corrected_in_words(started.workspace):
        print_text(corrected)
    with sentence_for(OSError):
        raise typer.Exit(open_lab(started.workspace, context.args))


@app.command()
def start(
    folder: Annotated[
        Path | None,
        typer.Argument(
            help="A new or empty folder, such as `~/gradienttape`. In a clone of the repository "
            "or an unpacked release, the default is `work`.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Make a copy of the lessons to work in, which no build and no update overwrites.

    Lessons that are missing are copied; those that are there stay as they are. `course lab` does
    the same at its first start, and opens JupyterLab. Both stop if somebody typed into
    `notebooks/`: move that notebook into `work/`, or run `git stash`.

    - `course start ~/gradienttape && cd ~/gradienttape && course lab`
    """
    if str(folder) in {name for lesson in LESSONS for name in (lesson.number, lesson.name)}:
        raise typer.BadParameter(
            f"{folder} is a lesson, but the argument must be a folder for all lessons. To open the "
            "lessons, run `course lab`.",
            param_hint="FOLDER",
        )
    started = _start(folder)
    place = from_here(started.workspace.folder)
    count = len(started.copied)
    print_text(f"{count} lessons copied to {place}." if count else f"{place} has every lesson.")
    if find_workspace() == started.workspace:
        print_text("Next: `course lab` opens JupyterLab there.")
    else:
        print_text(f"Next: cd {shlex.quote(place)} && course lab")


def _start(folder: Path | None) -> "Started":
    from .workspace.filling import start_workspace
    from .workspace.originals import GivenError

    with sentence_for(WorkspaceError, GivenError, OSError):
        return start_workspace(folder)


@app.command()
def update(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would change, cell by cell.")
    ] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Restore the notebooks that the last update replaced.")
    ] = False,
) -> None:
    """Merge corrections to the lessons into your copy, and keep what you wrote.

    A cell that you did not change is replaced by the new one. What you wrote, added, moved, or
    deleted stays as it is. If a cell that you changed was corrected, the new text is added below
    yours. Each notebook is first copied to `.course/before/`. Save open notebooks in JupyterLab
    first; afterwards, choose *File > Reload Notebook from Disk*.
    """
    from .workspace import updating
    from .workspace.originals import GivenError

    with sentence_for(WorkspaceError, GivenError, OSError):
        workspace = require_workspace()
        if undo:
            back = updating.undo(workspace)
            for path in back:
                print_text(f"{path.name} was restored to its state before the last update.")
            print_text(_RELOAD if back else "There is no update to undo.")
            return
        new = _start(None).copied
        kept = None
        if dry_run:
            results = list(updating.updates(workspace))
        else:
            results, kept = updating.update(workspace)
    for path in new:
        print_text(f"{path.name}: new")
    for result in results:
        _print_update(result, dry_run)
    if kept is not None:
        print_text(
            f"Backups are in {from_here(kept)}. To restore them, run `course update --undo`."
        )
        print_text(_RELOAD)
    elif not results:
        print_text("Every lesson is up to date.")
    if any(result.trouble for result in results):
        raise typer.Exit(1)


_RELOAD = (
    "If a notebook is open, choose File > Reload Notebook from Disk. If JupyterLab asks about a "
    "changed file, choose Revert."
)


def _print_update(each: "Update", in_full: bool) -> None:
    name = f"{each.lesson.name}.ipynb"
    if each.trouble:
        errors.print(f"{name}: {each.trouble}")
        return
    counts = Counter(change.what for change in each.changes)
    said = ", ".join(f"{count} {what}" for what, count in counts.items())
    print_text(f"{name}: {said or 'none of your cells changes'}")
    if in_full:
        for change in each.changes:
            print_text(f"    {change.what}: {change.cell}")


@app.command(name="hand-in")
def hand_in(
    lessons: Annotated[
        str | None,
        typer.Option(help="Only these lessons, such as `01,03` or `01-07`.", show_default=False),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(
            envvar="COURSE_DROP_BOX",
            readable=False,  # a drop box takes, and shows nothing
            help=(
                "The drop box: a folder that your teacher made on a hub or a shared disk. Without "
                "this option, the zip is written to `handed_in/` in your copy, and you upload it."
            ),
            show_default=False,
        ),
    ] = None,
    anyway: Annotated[
        bool,
        typer.Option(
            "--anyway", help=("Hand in the other notebooks even if one cannot be handed in.")
        ),
    ] = False,
) -> None:
    """Pack the lessons in which you wrote into one zip to hand in, with a receipt inside.

    If a notebook is not saved or cannot be read, the command names it and hands in nothing, until
    you fix the problem or add `--anyway`. You may hand in again: the newest counts.
    """
    from .choosing import ChoiceError, choose_lessons
    from .workspace.handing_in import HandInError, collect, hand_in
    from .workspace.progress import read_progress

    with sentence_for(WorkspaceError, ChoiceError, HandInError, OSError):
        workspace = require_workspace()
        chosen = choose_lessons(lessons, [lesson.number for lesson in LESSONS])
        found = collect(workspace, [find_lesson(number) for number in chosen])
        if found.troubles and not anyway:
            for trouble in found.troubles:
                errors.print(trouble)
            errors.print(
                "Nothing was handed in. Fix the problems above, or hand in the other notebooks "
                "with --anyway."
            )
            raise typer.Exit(1)
        if to is None:
            to = workspace.folder / "handed_in"
            to.mkdir(exist_ok=True)
        path, receipt = hand_in(found, read_progress(), to.expanduser())
    print_text(receipt)
    if found.untouched:
        numbers = ", ".join(lesson.number for lesson in found.untouched)
        print_text(f"Lessons left out, because you wrote nothing in them: {numbers}")
    print_text(f"Your work is in {from_here(path)}")


@app.command()
def status() -> None:
    """Show which exercises of which lessons you have passed."""
    with sentence_for(OSError):
        standing = standings.status()
    console.print(standing.table())
    for sentence in standing.summary():
        print_text(sentence)


@app.command()
def review(
    part: Annotated[
        str,
        typer.Option(
            help="Ten questions on part `I`, `II` or `III`, whether or not they are due.",
            metavar="PART",
        ),
    ] = "",
) -> None:
    """Answer the review questions that are due: up to eight, in about five minutes.

    The predictions of the lessons come back with other numbers after 1, 3, 7, 21 and 60 days. Each
    right answer moves a question to the next interval, and a wrong one to the first. Ctrl-C stops,
    and keeps what you answered. Your answers stay in your progress file, and are never handed in.
    """
    from .reviewing import ending, new_review, question_in_text

    with sentence_for(ValueError, OSError):
        asking = new_review(part)
    with suppress(typer.Abort):  # Ctrl-C, or the end of what is typed
        while asking.left:
            variant = asking.left[0]
            print_text(f"\n{asking.number()}\n\n{question_in_text(variant)}\n")
            print_prose(repr(asking.answer(typer.prompt(f"Your answer ({variant.how})"))))
    print_text(f"\n{ending(asking)}")
    for passage in asking.passages():
        print_text(f"Read again: {passage}")


@app.command()
def place(
    goal: Annotated[
        str,
        typer.Option(
            help=(
                "What you want to learn; for example, `None` if your gradients are missing. Lists "
                "the lessons that lead to it, and how long they take."
            ),
            metavar="GOAL",
        ),
    ] = "",
) -> None:
    """Find out where to start: up to twelve questions, about ten minutes.

    The questions follow the order of the lessons, and end with the first wrong answer. Type ? if
    you do not know. Then the answers are explained, and `course status` shows what you can skip.
    Nothing is locked. Ctrl-C stops without saving your answers.

    - `course place --goal None`
    """
    from .placing import GoalError, Placing, ending, way_to
    from .reviewing import question_in_text
    from .workspace.progress import read_progress, record_placement

    with sentence_for(GoalError, OSError):
        if goal:
            print_text(way_to(goal, read_progress().placed))
            return
        placing = Placing()
        if placing.count:
            print_prose(
                f"Up to {placing.count} questions, at most ten minutes. The quiz ends at your "
                "first wrong answer, and then explains your answers. To stop without saving them, "
                "press Ctrl-C."
            )
        while placing.left:
            variant = placing.left[0]
            print_text(f"\nQuestion {placing.number()}\n\n{question_in_text(variant)}\n")
            typed = typer.prompt(f"Your answer ({variant.how}; ? if you do not know)")
            if problem := placing.answer(typed):
                print_text(problem)
        record_placement(placing.start())
    for number, result in enumerate(placing.results, 1):
        print_prose(f"\nQuestion {number}: {result!r}")
    print_prose("")
    for sentence in ending(placing, in_terminal=True):
        print_prose(sentence)


@app.command()
def reset(
    exercise: Annotated[str, typer.Argument(help="The exercise, such as `01.2`.")],
) -> None:
    """Reset one exercise's cell, and keep your text in a file.

    The rest of the notebook stays as it is. Save the notebook in JupyterLab first; afterwards,
    choose *File > Reload Notebook from Disk*.
    """
    from . import resetting

    with sentence_for(LookupError, resetting.ResetError, WorkspaceError, OSError):
        resetting.reset(exercise)


@app.command()
def doctor() -> None:
    """Check the installation, and say how to fix each problem; if there is one, exit with 1."""
    from .doctor import examine

    status = 0
    for condition in examine():
        result = "FAILED" if condition.remedy else "ok"
        print_text(f"{result:<7} {condition.subject:<11} {condition.found}")
        if condition.remedy:
            print_text(f"{'':<7} To fix it: {condition.remedy}")
            status = 1
    raise typer.Exit(status)


# A release for students has no other commands; what is for authors and instructors adds its own.
for point in entry_points(group="course.commands"):
    point.load()(app)

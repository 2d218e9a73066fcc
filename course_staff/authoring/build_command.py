"""The command for authors: ``course build``."""

from typing import Annotated

import typer

from course_utils.tensorflow_start import quiet_tensorflow
from course_utils.terminal import console, errors, sentence_for
from course_utils.workspace.folders import course_folder

from .sections import deeper_cells
from .source import LessonSource
from .staff_terminal import need_extra, progress_bars

__all__ = ["COMMANDS"]


def build(
    lessons: Annotated[
        list[str] | None,
        typer.Argument(help="Two-digit numbers, such as `02`. By default, all lessons."),
    ] = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="Only list the files that are out of date; execute nothing."),
    ] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Execute lessons again, even if their source did not change."),
    ] = False,
) -> None:
    """Write `notebooks/`, `solutions/`, and `generated/` from `lessons/`.

    The build runs each solution, which must pass, and each untouched notebook, in which every
    exercise must be *not attempted*. It skips lessons that did not change. If only text changed, it
    keeps the outputs. It stops if somebody typed into `notebooks/`: move that notebook into
    `work/`, or run `git stash`.
    """
    with need_extra("author", "Building"):
        from ..authoring import build as authoring

    folders = authoring.Folders(course_folder())
    with sentence_for(authoring.BuildError):
        sources = authoring.read_lessons(folders, lessons or [])
        chosen = authoring.select(sources, lessons or [])
        if check:
            _report_drift(authoring.find_drift(sources, chosen, folders))
            return
        stale = [source for source in chosen if force or authoring.needs_build(source, folders)]
        authoring.require_no_typed_text(stale, folders)
        renewed = [s for s in stale if not force and authoring.renew_text(s, folders)]
        stale = [source for source in stale if source not in renewed]
        authoring.require_mnist(stale)
        authoring.write_table(sources, folders)
        unobserved = [s for s in chosen if force or authoring.needs_observing(s, folders)]
        if unobserved:
            quiet_tensorflow()
        with progress_bars("exercises") as bars:
            for source in unobserved:
                task = bars.add_task(source.name, total=len(source.exercises))
                authoring.observe(source, folders, lambda _: bars.advance(task))  # noqa: B023
        for source in chosen:
            authoring.reword(source, folders)
            authoring.renew_stored(source, folders)
        with progress_bars("cells") as bars:
            tasks = {s.name: bars.add_task(s.name, total=_runs(s)) for s in stale}
            authoring.build(stale, folders, lambda s: bars.advance(tasks[s.name]))
    unchanged = len(chosen) - len(stale) - len(renewed)
    console.print(
        f"Notebooks: {len(stale)} executed, {len(renewed)} with changed text, {unchanged} "
        f"unchanged. Lessons whose answer results were recomputed: {len(unobserved)}."
    )


def _runs(source: LessonSource) -> int:
    """Count the cells that run: those of the solution, and of the untouched notebook's core."""
    cells = source.solution.cells
    code = {index for index, cell in enumerate(cells) if cell.cell_type == "code"}
    return len(code) + len(code - deeper_cells(cells))


def _report_drift(drift: list) -> None:
    for problem in drift:
        errors.print(str(problem))
    if drift:
        raise typer.Exit(1)
    console.print("Every notebook is up to date with its lesson.")


COMMANDS = (build,)

"""Filling a workspace with the lessons that are not there yet."""

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from .atomic_files import write_atomically
from .curriculum import LESSONS
from .folders import Workspace, WorkspaceError, course_folder, find_workspace
from .originals import (
    GivenError,
    given_notebook,
    keep_given,
    refusal_in_words,
    text_of,
    typed_cells,
)

__all__ = ["Started", "start_workspace"]


@dataclass
class Started:
    """What `start_workspace` did: the workspace, and the lessons that were copied into it."""

    workspace: Workspace
    copied: list[Path] = field(default_factory=list)


def start_workspace(folder: Path | None = None) -> Started:
    """Fill a folder with the lessons that are not there yet; what is there is never touched.

    Parameters
    ----------
    folder : Path, optional
        A new or empty folder, or one that was started before; by default the workspace of the
        current folder.

    Raises
    ------
    WorkspaceError
        If the folder is not named, or holds something else, or if somebody typed into the
        ``notebooks/`` of this checkout or release. Nothing was written then.
    GivenError
        If a lesson is not to be had as it was given.
    OSError
        If something cannot be written, or another command is at work there.
    """
    workspace = Workspace(folder.expanduser().resolve()) if folder else find_workspace()
    if folder is None and not workspace.is_started and workspace.folder == Path.cwd():
        raise WorkspaceError(
            f"There is no course at {workspace.folder}. Specify the folder for your copy of the "
            "lessons: `course start ~/gradienttape`."
        )
    _require_room(workspace)
    root = course_folder()
    if refusal := refusal_in_words({x.name: typed_cells(x.name, root) for x in LESSONS}):
        raise WorkspaceError(refusal)
    started = Started(workspace)
    with workspace.locked():
        is_new = not workspace.is_started
        for lesson in LESSONS:
            path = workspace.notebook(lesson)
            if not path.exists():
                given = given_notebook(lesson.name)
                keep_given(workspace, lesson.name, given)
                write_atomically(path, text_of(given))
                started.copied.append(path)
            elif is_new:  # copied here by hand, or its folder `.course` was lost
                with suppress(GivenError):
                    keep_given(workspace, lesson.name, given_notebook(lesson.name))
    return started


def _require_room(workspace: Workspace) -> None:
    """Raise WorkspaceError where a folder holds something that is no workspace's."""
    folder = workspace.folder
    if workspace.is_started or not folder.exists():
        return
    if not folder.is_dir():
        raise WorkspaceError(f"{folder} is a file. Choose a new folder.")
    there = {path.name for path in folder.iterdir()} - {".course", ".ipynb_checkpoints"}
    if there and not there & {f"{lesson.name}.ipynb" for lesson in LESSONS}:
        raise WorkspaceError(
            f"{folder} contains other files, such as {min(there)}. Choose a new or empty folder, "
            f"such as {folder / 'gradienttape'}. Nothing was written."
        )

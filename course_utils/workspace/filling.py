"""Filling a workspace: lessons that are not there yet, and work that was done in ``notebooks/``."""

import shutil
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from .atomic_files import write_atomically
from .curriculum import LESSONS, Lesson
from .folders import Workspace, WorkspaceError, find_workspace
from .originals import (
    GivenError,
    given_notebook,
    is_as_given,
    keep_given,
    nearest,
    notebooks_root,
    read_notebook,
    text_of,
    versions_given,
    work_in,
)

__all__ = ["Started", "start_workspace"]


@dataclass
class Started:
    """What `start_workspace` did: lessons copied, taken over from ``notebooks/``, and put back."""

    workspace: Workspace
    copied: list[Path] = field(default_factory=list)
    taken_over: list[Path] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)


def start_workspace(folder: Path | None = None) -> Started:
    """Fill a folder with the lessons that are not there yet; what is there is never touched.

    Work that somebody did in ``notebooks/`` of a checkout or release is copied into its ``work/``
    first, and the notebook as it was given is put back in its place.

    Parameters
    ----------
    folder : Path, optional
        A new or empty folder, or one that was started before; by default the workspace of the
        current folder.

    Raises
    ------
    WorkspaceError
        If the folder is not named, or holds something else. Nothing was written then.
    GivenError
        If a lesson is not to be had as it was given.
    OSError
        If something cannot be written, or another command is at work there.
    """
    workspace = Workspace(folder.expanduser().resolve()) if folder else find_workspace()
    if folder is None and not workspace.is_started and workspace.folder == Path.cwd():
        raise WorkspaceError(
            f"There is no course at {workspace.folder}. Say where your copy of the lessons shall "
            "be: `course start ~/gradienttape`."
        )
    _require_room(workspace)
    started = Started(workspace)
    with workspace.locked():
        root = notebooks_root()
        if root is not None and workspace.folder == root / "work":
            _take_over(root, started)
        is_new = not workspace.is_started
        for lesson in LESSONS:
            path = workspace.notebook(lesson)
            if not path.exists():
                _copy(lesson, started, root)
            elif is_new:  # copied here by hand, or its folder `.course` was lost
                _adopt(lesson, workspace, root)
    return started


def _copy(lesson: Lesson, started: Started, root: Path | None) -> None:
    """Copy a lesson as it is given, or, where that is not known, with the work that is in it."""
    path = started.workspace.notebook(lesson)
    try:
        given = given_notebook(lesson.name)
    except GivenError as error:
        source = root and root / "notebooks" / path.name
        if source is None or not source.exists():
            raise
        write_atomically(path, source.read_bytes())
        started.troubles.append(f"{error} Your copy is the one that is there, work and all.")
    else:
        keep_given(started.workspace, lesson.name, given)
        write_atomically(path, text_of(given))
    started.copied.append(path)


def _adopt(lesson: Lesson, workspace: Workspace, root: Path | None) -> None:
    """Keep what a notebook was copied from, as far as that is known."""
    with suppress(ValueError):  # no notebook; every command that needs it will say so
        mine = read_notebook(workspace.notebook(lesson))
        base = nearest(mine, versions_given(lesson.name, root))
        keep_given(workspace, lesson.name, base or given_notebook(lesson.name))


def _require_room(workspace: Workspace) -> None:
    """Raise WorkspaceError where a folder holds something that is no workspace's."""
    folder = workspace.folder
    if workspace.is_started or not folder.exists():
        return
    if not folder.is_dir():
        raise WorkspaceError(f"{folder} is a file. Name a new folder.")
    there = {path.name for path in folder.iterdir()} - {".course", ".ipynb_checkpoints"}
    if there and not there & {f"{lesson.name}.ipynb" for lesson in LESSONS}:
        raise WorkspaceError(
            f"{folder} holds something else, such as {min(there)}. Name a new or an empty folder, "
            f"such as {folder / 'gradienttape'}. Nothing was written."
        )


def _take_over(root: Path, started: Started) -> None:
    """Copy work that was done in ``notebooks/`` into ``work/``, and put back what was given."""
    workspace = started.workspace
    for lesson in LESSONS:
        source = root / "notebooks" / f"{lesson.name}.ipynb"
        try:
            if source.exists() and work_in(lesson.name, root):
                _take_one_over(lesson, source, root, started)
        except GivenError:
            continue  # there is nothing to put back, so the work stays, and is copied
        except ValueError as error:
            started.troubles.append(f"{error} {source} was left as it is.")
    older, newer = root / ".course" / "progress.json", workspace.kept / "progress.json"
    if older.exists() and not newer.exists():
        older.replace(newer)


def _take_one_over(lesson: Lesson, source: Path, root: Path, started: Started) -> None:
    workspace = started.workspace
    path = workspace.notebook(lesson)
    given = given_notebook(lesson.name)
    base = nearest(read_notebook(source), versions_given(lesson.name, root))
    keep_given(workspace, lesson.name, base or given)
    if path.exists() and not is_as_given(read_notebook(path)):
        path = path.with_name(f"{lesson.name}-from-notebooks-{datetime.now():%Y%m%d-%H%M%S}.ipynb")
    write_atomically(path, source.read_bytes())
    shutil.copystat(source, path)
    started.taken_over.append(path)
    write_atomically(source, text_of(given))

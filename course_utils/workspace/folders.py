"""A learner's own copy of the notebooks: a folder that nothing but the learner writes into.

In a checkout or an unpacked release it is ``work/``; elsewhere any folder that `course start` made.
Below it, ``.course/`` holds progress, each notebook as it was given, and whatever was replaced.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from .curriculum import Lesson

__all__ = [
    "Workspace",
    "WorkspaceError",
    "course_folder",
    "find_workspace",
    "from_here",
    "own_copy",
    "require_workspace",
]

_FIRST = "00_start_here.ipynb"  # every checkout and every release has it
_WAIT_SECONDS = 10


class WorkspaceError(Exception):
    """There is no workspace, or it cannot be made there; the message says what to type."""


@dataclass(frozen=True)
class Workspace:
    """A folder with a learner's notebooks."""

    folder: Path

    @property
    def kept(self) -> Path:
        """Where the course keeps what belongs to the workspace: progress, and what was given."""
        return self.folder / ".course"

    @property
    def is_started(self) -> bool:
        """Whether `course start` or `course lab` has made it."""
        return (self.kept / "given").is_dir()

    def notebook(self, lesson: Lesson) -> Path:
        """Return the path of the learner's notebook of a lesson."""
        return self.folder / f"{lesson.name}.ipynb"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other commands from changing the workspace; OSError after ten seconds."""
        self.kept.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(self.kept / "workspace.lock", timeout=_WAIT_SECONDS):
                yield
        except Timeout:
            raise OSError(
                f"Another command is running in {self.folder}. Wait until it ends, then try again."
            ) from None


def course_folder() -> Path:
    """Return the checkout, or the unpacked release: the nearest folder that holds ``notebooks/``.

    It is the current folder or one above it; where there is none, it is the current folder.
    """
    here = Path.cwd()
    return next((f for f in (here, *here.parents) if (f / "notebooks" / _FIRST).exists()), here)


def from_here(path: Path) -> str:
    """Return a path as somebody in the current folder would type it."""
    try:
        near = os.path.relpath(path)
    except ValueError:  # on another drive
        return str(path)
    return near if near.count("..") < 3 else str(path)


def find_workspace() -> Workspace:
    """Return the workspace of the current folder.

    That is the nearest one at or above it, or ``work/`` of the checkout or release around it. If
    there is neither, as for a single downloaded notebook, it is the current folder.
    """
    here = Path.cwd()
    for folder in (here, *here.parents):
        if Workspace(folder).is_started:
            return Workspace(folder)
        if (folder / "notebooks" / _FIRST).exists():
            return Workspace(folder / "work")
    return Workspace(here)


def own_copy(lesson: Lesson) -> str:
    """Say where the learner's own copy is, for a notebook opened straight in ``notebooks/``."""
    if Path.cwd() != course_folder() / "notebooks":
        return ""
    place = from_here(find_workspace().notebook(lesson))
    return f"Your own copy of this lesson, never overwritten by an update: {place} (`course lab`)."


def require_workspace() -> Workspace:
    """Return the workspace of the current folder.

    Raises
    ------
    WorkspaceError
        If none was started here; the message says how to start one.
    """
    workspace = find_workspace()
    if not workspace.is_started:
        is_of_course = workspace.folder != Path.cwd()
        how = "`course start`" if is_of_course else "`course start FOLDER`"
        raise WorkspaceError(
            f"{workspace.folder} has no copy of the lessons yet. To make one, run {how}. If you "
            "already have one elsewhere, switch to that folder."
        )
    return workspace

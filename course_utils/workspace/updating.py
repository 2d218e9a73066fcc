"""``course update``: what was corrected since a lesson was begun reaches the learner's copy."""

import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from .atomic_files import write_atomically
from .curriculum import LESSONS, Lesson
from .folders import Workspace
from .merging import CellChange, Notebook, merged
from .originals import (
    GivenError,
    given_notebook,
    given_to,
    keep_given,
    nearest,
    read_notebook,
    seal_of,
    text_of,
)
from .progress import unsaved

__all__ = ["Update", "corrected_in_words", "undo", "update", "updates"]

_UNDONE = "-undone"


@dataclass(frozen=True)
class Update:
    """What an update makes of one lesson; ``trouble`` says why it leaves the notebook as it is."""

    lesson: Lesson
    notebook: Notebook | None = None
    changes: list[CellChange] = field(default_factory=list)
    trouble: str = ""


def updates(workspace: Workspace) -> Iterator[Update]:
    """Yield, for each lesson that was corrected, what an update would make of it.

    Raises
    ------
    GivenError
        If a lesson is not to be had as it is given now.
    """
    for lesson in LESSONS:
        path = workspace.notebook(lesson)
        if not path.exists():
            continue
        try:
            mine = read_notebook(path)
        except (OSError, ValueError) as error:
            yield Update(lesson, trouble=f"{error} It was not changed.")
            continue
        new = given_notebook(lesson.name)
        if seal_of(mine) == seal_of(new):
            continue
        missing = unsaved(workspace, lesson)
        if missing:
            trouble = (
                f"You checked {', '.join(missing)} after {path.name} was last saved, so it was not "
                "updated. Save it (Ctrl+S) and update again."
            )
            yield Update(lesson, trouble=trouble)
            continue
        # Where nothing is known of what was given, everything that differs is the learner's.
        base = given_to(workspace, lesson.name, mine) or nearest(mine, [new]) or new
        yield Update(lesson, *merged(base, mine, new))


def corrected_in_words(workspace: Workspace) -> str:
    """Say which lessons were corrected since the learner's copies were made; empty if none was."""
    found = []
    for lesson in LESSONS:
        # What is wrong with a notebook is said where it is needed.
        with suppress(OSError, ValueError, GivenError):
            mine = read_notebook(workspace.notebook(lesson))
            if seal_of(mine) != seal_of(given_notebook(lesson.name)):
                found.append(lesson.number)
    if not found:
        return ""
    which = f"Lesson {found[0]} was" if len(found) == 1 else f"Lessons {', '.join(found)} were"
    return (
        f"{which} corrected after you began; `course update` merges the corrections and keeps what "
        "you wrote."
    )


def update(workspace: Workspace) -> tuple[list[Update], Path | None]:
    """Bring every lesson up to date, and return what was done and where the old notebooks are.

    Each notebook is copied first, and then replaced by the new one in a single step. If this is cut
    off, every notebook is the old or the new one, and the next update goes on.

    Raises
    ------
    GivenError
        If a lesson is not to be had as it is given now.
    OSError
        If something cannot be written, as on a full disk. What was not replaced is as it was.
    """
    with workspace.locked():
        done, kept = [], _folder_for_old(workspace)
        for each in updates(workspace):
            done.append(each)
            if each.notebook is None:
                continue
            path = workspace.notebook(each.lesson)
            _keep(path, kept)
            keep_given(workspace, each.lesson.name, given_notebook(each.lesson.name))
            write_atomically(path, text_of(each.notebook))
    return done, kept if kept.exists() else None


def undo(workspace: Workspace) -> list[Path]:
    """Put back the notebooks that the last update replaced. The present ones are also kept.

    Returns
    -------
    list of Path
        The notebooks that were put back; none where no update is left to undo.
    """
    with workspace.locked():
        before = workspace.kept / "before"
        folders = sorted(f for f in before.glob("*") if not f.name.endswith(_UNDONE))
        if not folders:
            return []
        last, back = folders[-1], []
        for old in sorted(last.glob("*.ipynb")):
            path = workspace.folder / old.name
            if path.exists():
                _keep(path, _folder_for_old(workspace, _UNDONE))
            write_atomically(path, old.read_bytes())
            back.append(path)
        last.rename(last.with_name(last.name + _UNDONE))
    return back


def _folder_for_old(workspace: Workspace, suffix: str = "") -> Path:
    return workspace.kept / "before" / f"{datetime.now():%Y-%m-%d-%H%M%S-%f}{suffix}"


def _keep(path: Path, folder: Path) -> None:
    """Copy a notebook to where what was replaced is kept, bytes and times."""
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / path.name, path.read_bytes())
    shutil.copystat(path, folder / path.name)

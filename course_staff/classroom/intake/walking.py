"""Looking through a folder of submissions: what stands there, and whatever stands there."""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import BinaryIO, Protocol

from course_utils.workspace.handing_in import RECEIPT

__all__ = [
    "NOTES",
    "Entry",
    "InArchive",
    "UnreadableFile",
    "is_archive",
    "is_copy_of_a_program",
    "is_hidden_name",
    "is_notebook",
    "open_file",
    "read_file",
    "walk",
]

_DEEPEST = 20  # folders one in another, more than any honest hand-in holds
_NOT_SUBMISSIONS = {"__pycache__", "__MACOSX", "node_modules"}
NOTES = {"timestamp.txt", RECEIPT}  # beside notebooks, and no answers
_CHECKPOINTS = ".ipynb_checkpoints"


class UnreadableFile(Exception):
    """The file cannot be read as a notebook; the message says why, for the learner."""


class InArchive(Protocol):
    """A file in an archive: see `course_staff.classroom.intake.archives.Archived`."""

    @property
    def archive(self) -> Path:
        """Return the outermost archive."""

    @property
    def size(self) -> int:
        """Return how many bytes the file has."""

    @property
    def time(self) -> float:
        """Return when it came."""

    @property
    def comment(self) -> str:
        """Return what the archive says of it."""

    def read(self, most: int) -> bytes:
        """Return the file's bytes, at most ``most`` and one more."""


@dataclass(frozen=True)
class Entry:
    """Something below the folder of submissions.

    ``kind`` is ``notebook``, ``folder``, ``archive``, ``other`` (a file that is none of these),
    ``empty``, ``linked`` (a link to a folder), ``hidden`` (a notebook that programs hide) or
    ``closed``: what cannot be looked into, for the reason in ``why``. ``archived`` says where it is
    to be read if it stands in an archive.
    """

    path: Path
    kind: str
    why: str = ""
    archived: InArchive | None = None


def walk(folder: Path, skipped: Path | None = None) -> Iterator[Entry]:
    """Yield what stands below ``folder``, in a fixed order, and follow no link.

    Parameters
    ----------
    folder : Path
        Where to look.
    skipped : Path, optional
        A folder that is left out, with its links resolved.

    Raises
    ------
    OSError
        If ``folder`` itself cannot be listed; what stands below it never stops the walk.
    """
    waiting = [(folder, 0, False)]
    while waiting:
        here, depth, is_hidden = waiting.pop()
        try:
            with os.scandir(here) as listed:
                entries = sorted(listed, key=lambda entry: entry.name)
        except OSError as error:
            if depth == 0:
                raise
            yield Entry(here, "closed", f"This folder cannot be listed: {error.strerror}.")
            continue
        inner = []
        for entry in entries:
            path, name = here / entry.name, entry.name
            hides = is_hidden or is_hidden_name(name)
            is_folder = _is_folder(entry)
            if is_folder and skipped is not None and path.resolve() == skipped:
                continue
            if is_notebook(name):
                if not hides:
                    yield Entry(path, "notebook")
                elif not is_copy_of_a_program(path, lambda other: Path(other).exists()):
                    yield Entry(path, "hidden")
            elif is_folder and depth == _DEEPEST:
                yield Entry(path, "closed", f"More than {_DEEPEST} folders stand in one another.")
            elif is_folder:
                inner.append((path, depth + 1, hides))
                if not hides:
                    yield Entry(path, "folder")
            elif not hides and name not in NOTES:
                is_linked = entry.is_symlink() and os.path.isdir(path)
                kind = "archive" if is_archive(name) else "other"
                yield Entry(path, "linked" if is_linked else kind)
        if not entries and depth and not is_hidden:
            yield Entry(here, "empty")
        waiting += reversed(inner)


def read_file(path: Path, most: int) -> bytes:
    """Return the bytes of a file, at most ``most`` and one more.

    Raises
    ------
    UnreadableFile
        If it is a link, has a second name elsewhere, is no ordinary file, or cannot be opened.
    """
    with open_file(path) as file:
        return file.read(most + 1)


@contextmanager
def open_file(path: Path) -> Iterator[BinaryIO]:
    """Open an ordinary file, and nothing else that may stand in its place.

    Raises
    ------
    UnreadableFile
        As `read_file` does.
    """
    try:
        mode = os.lstat(path).st_mode
        if stat.S_ISLNK(mode):
            raise UnreadableFile("This is a link. Hand in the file itself.")
        if stat.S_ISDIR(mode):
            raise UnreadableFile("Here stands a folder without a notebook in it.")
        # Without waiting, because a pipe in its place would never end.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise UnreadableFile("This is not an ordinary file.")
            if status.st_nlink > 1:
                raise UnreadableFile(
                    "This is a hard link: the file has a second name. Hand in a copy of it."
                )
            yield file
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "its name is no name of a file"
        raise UnreadableFile(f"The file cannot be opened: {why}.") from None


def is_notebook(name: str) -> bool:
    """Tell whether a name is that of a notebook."""
    return name.lower().endswith(".ipynb")


def is_archive(name: str) -> bool:
    """Tell whether a name is that of a zip archive, which can be looked into."""
    return name.lower().endswith(".zip")


def is_hidden_name(name: str) -> bool:
    """Tell whether programs hide what has this name, or put it there themselves."""
    return name.startswith(".") or name in _NOT_SUBMISSIONS


def is_copy_of_a_program(path: PurePath, exists: Callable[[PurePath], bool]) -> bool:
    """Tell whether macOS or JupyterLab made the file beside a notebook that is looked at."""
    original = path.stem.removesuffix("-checkpoint") + path.suffix
    is_checkpoint = path.parent.name == _CHECKPOINTS and path.stem.endswith("-checkpoint")
    return path.name.startswith("._") or (is_checkpoint and exists(path.parents[1] / original))


def _is_folder(entry: os.DirEntry) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False

"""Files that somebody handed in: what their names say, and reading them and nothing else."""

import os
import re
import stat
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import BinaryIO

from course_utils.workspace.handing_in import RECEIPT

__all__ = [
    "NOTES",
    "UnreadableFile",
    "is_archive",
    "is_copy_of_a_program",
    "is_hidden_name",
    "is_notebook",
    "open_file",
    "read_file",
    "shown",
]

NOTES = {"timestamp.txt", RECEIPT}  # beside notebooks, and no answers
_CHECKPOINTS = ".ipynb_checkpoints"
_NOT_SUBMISSIONS = {"__pycache__", "__MACOSX", "node_modules"}

# What moves the cursor, turns the direction of writing, or takes no room. The two joiners belong to
# the writing of names from Arabic on, and stay there.
_HIDING = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\uffff\ud800-\udfff\U000e0000-\U000e0fff\\\\]|(?:^|(?<=[\\x00-\u058f]))[\u200c\u200d]"
)


class UnreadableFile(Exception):
    """The file cannot be read as a notebook; the message says why, for the learner."""


def read_file(path: Path, most: int) -> bytes:
    """Return the bytes of a file, at most ``most`` and one more.

    Raises
    ------
    UnreadableFile
        If it is a link, has a second name elsewhere, is no ordinary file, or cannot be opened.
    """
    with open_file(path) as file:
        try:
            return file.read(most + 1)
        except OSError as error:
            raise UnreadableFile(
                f"The file cannot be read: {error.strerror}. Fix the cause, or ask for the file "
                "again."
            ) from None


def open_file(path: Path) -> BinaryIO:
    """Open an ordinary file, and nothing else that may be in its place.

    Raises
    ------
    UnreadableFile
        As `read_file` does.
    """
    try:
        mode = os.lstat(path).st_mode
        if stat.S_ISLNK(mode):
            raise UnreadableFile("This is a symbolic link. Hand in the file itself.")
        if stat.S_ISDIR(mode):
            raise UnreadableFile(
                "This is a folder without a notebook in it. Hand in the notebook itself."
            )
        # Without waiting, because a pipe in its place would never end.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "its name is not a valid file name"
        raise UnreadableFile(
            f"The file cannot be opened: {why}. Fix the cause, or ask for the file again."
        ) from None
    file = os.fdopen(descriptor, "rb")
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode) and status.st_nlink == 1:
        return file
    file.close()
    raise UnreadableFile(
        "This is a hard link, a second name for the same file. Hand in a copy of the file."
        if stat.S_ISREG(status.st_mode)
        else "This is not a regular file. Hand in the notebook itself."
    )


def is_notebook(name: str) -> bool:
    """Tell whether a name is that of a notebook."""
    return name.lower().endswith(".ipynb")


def is_archive(name: str) -> bool:
    """Tell whether a name is that of a zip archive, which can be extracted."""
    return name.lower().endswith(".zip")


def is_hidden_name(name: str) -> bool:
    """Tell whether programs hide what has this name, or put it there themselves."""
    return name.startswith(".") or name in _NOT_SUBMISSIONS


def is_copy_of_a_program(path: PurePath, exists: Callable[[PurePath], bool]) -> bool:
    """Tell whether macOS or JupyterLab made the file beside a notebook that is looked at."""
    original = path.stem.removesuffix("-checkpoint") + path.suffix
    is_checkpoint = path.parent.name == _CHECKPOINTS and path.stem.endswith("-checkpoint")
    return path.name.startswith("._") or (is_checkpoint and exists(path.parents[1] / original))


def shown(text: str) -> str:
    r"""Return text with what would hide something written out; other texts look different.

    >>> shown("Zoë"), shown("ada\u202eipynb.exe"), shown("a\\b")
    ('Zoë', 'ada\\u202eipynb.exe', 'a\\\\b')
    """
    return _HIDING.sub(lambda match: match[0].encode("unicode_escape").decode(), text)

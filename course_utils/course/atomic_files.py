"""Writing a file so that no reader, and no crash, ever leaves half of it."""

import os
import shutil
from pathlib import Path

__all__ = ["write_atomically"]


def write_atomically(path: Path, text: str | bytes) -> None:
    """Write ``text`` beside ``path`` and rename it into place, with the permissions it had.

    A string is written as UTF-8. If the folder cannot be written, OSError leaves the old file.
    """
    path = path.resolve()  # a link stays a link
    beside = path.with_name(f".{path.name}.new")
    beside.write_bytes(text if isinstance(text, bytes) else text.encode())
    if path.exists():
        shutil.copymode(path, beside)
    os.replace(beside, path)

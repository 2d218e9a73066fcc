"""Writing a file so that no reader, and no crash, ever leaves half of it."""

import os
import re
import secrets
import shutil
from pathlib import Path

__all__ = ["is_left_over", "write_atomically"]

_LEFT_OVER = re.compile(r"\.[0-9a-f]{16}\.new")


def write_atomically(path: Path, text: str | bytes) -> None:
    """Write ``text`` beside ``path`` and rename it into place, with the permissions it had.

    A string is written as UTF-8. If it cannot be written whole, as in a folder that is read-only or
    on a full disk, OSError leaves the old file and nothing beside it. Of several writers at once,
    one's whole text stays: the last one's.
    """
    path = path.resolve()  # a link stays a link
    beside = path.with_name(f".{secrets.token_hex(8)}.new")  # nobody else's
    try:
        with beside.open("xb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
            file.flush()
            os.fsync(file.fileno())  # or a power cut could leave an empty file under the name
        if path.exists():
            shutil.copymode(path, beside)
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def is_left_over(path: Path) -> bool:
    """Tell whether this is what a writer leaves that was killed, by its name."""
    return _LEFT_OVER.fullmatch(path.name) is not None

"""When a submission came, as a learning system says it, and never a student."""

from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from .walking import Entry, UnreadableFile, read_file
from .whose import DROP_BOX, HAND_IN, Owner

__all__ = ["when"]


def when(entry: Entry, owner: Owner) -> dict[str, Any]:
    """Return the time of a submission, and whether it is more than the time of a download.

    In a drop box a student sets the times of his own files, but not that of the last change of any
    kind. In a learning system's download only names say when something came: the times of its files
    are that of the download, and a time stamp beside a notebook is a student's file.
    """
    if owner.layout == DROP_BOX:
        return {"time": _arrival(entry)}
    if owner.at:
        zone = timezone.utc if owner.layout == HAND_IN else None
        with suppress(ValueError, OverflowError):
            numbers = [*map(int, owner.at.split("-"))]
            moment = datetime(*numbers, tzinfo=zone)  # type: ignore[misc, arg-type]
            return {"time": moment.timestamp()}
    file_time = entry.archived.time if entry.archived else _file_time(entry.path)
    if owner.id:
        return {"time": file_time, "has_time": False}
    stamp = None if entry.archived else _time_stamp(entry.path)
    return {"time": file_time if stamp is None else stamp}


def _arrival(entry: Entry) -> float:
    """Return when a file in a drop box last changed in any way, which its owner cannot set."""
    try:
        return (entry.archived.archive if entry.archived else entry.path).lstat().st_ctime
    except (OSError, ValueError):
        return 0.0


def _time_stamp(path: Path) -> float | None:
    """Return the time in nbgrader's file beside a notebook, if there is one."""
    try:
        text = read_file(path.parent / "timestamp.txt", 100).decode().strip().removesuffix(" UTC")
        moment = datetime.fromisoformat(text)
        seconds = (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()
        datetime.fromtimestamp(seconds, timezone.utc)  # in the years 1 to 9999 there, too
        return seconds
    except (UnreadableFile, ValueError):
        return None


def _file_time(path: Path) -> float:
    """Return the time at which a file was last changed."""
    try:
        seconds = path.lstat().st_mtime
        datetime.fromtimestamp(seconds, timezone.utc)
        return seconds
    except (OSError, ValueError, OverflowError):
        return 0.0

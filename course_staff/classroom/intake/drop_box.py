"""Who put a file into a drop box: the file system knows it, whatever the file is called."""

import os
import stat
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePath

from .shown import shown
from .whose import DROP_BOX, HAND_IN, Owner

__all__ = ["by_owners_of_files"]


def by_owners_of_files(
    owned: dict[PurePath, Owner], folder: Path
) -> tuple[dict[PurePath, Owner], list[str]]:
    """Return whose each path is where others put files below ``folder``, and what contradicts it.

    In a folder where nobody can remove what others put there (``chmod +t``), that is the owner of
    whatever stands there; elsewhere only of what is named as `course hand-in` names it. What
    belongs to the owner of ``folder``, or to whoever grades, was collected or downloaded, and its
    name says whose it is.
    """
    if not folder.is_dir() or not hasattr(os, "geteuid"):
        return owned, []
    collectors = {folder.stat().st_uid, os.geteuid()}
    status = cache(lambda place: (folder / place).lstat())
    result, contradictions = dict(owned), {}
    for place, owner in owned.items():
        # The first that is somebody else's; what stands in it, that person put there.
        try:
            above = list(reversed([place, *place.parents]))
            own = next((p for p in above if status(p).st_uid not in collectors), None)
        except (OSError, ValueError):  # in an archive of a collector's, or gone meanwhile
            continue
        if own is None:
            continue
        is_box = status(own.parent).st_mode & stat.S_ISVTX
        if not is_box and owner.layout != HAND_IN:
            continue
        student = _login(status(own).st_uid)
        result[place] = replace(
            owner, student=student, layout=DROP_BOX, family=DROP_BOX, rest=(), id="", at=""
        )
        if owner.student not in (student, folder.resolve().name):
            contradictions[own] = (
                f"{shown(str(own))} is named like work of {shown(owner.student)}, and was put "
                f"there by {shown(student)}: it was graded as work of {shown(student)}."
            )
    return result, list(contradictions.values())


def _login(uid: int) -> str:
    import pwd  # Windows has none, and there nothing gets here

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"

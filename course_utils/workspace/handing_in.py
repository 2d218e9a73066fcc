"""``course hand-in``: pack the lessons that were worked on into one zip, with a receipt.

The zip's name tells `course grade` whose it is and when it was made, even after a learning system
has put another name before it. Grading never reads the receipt. The zip and the receipt say how
long somebody worked on a lesson, for the class's median.
"""

import getpass
import hashlib
import io
import os
import re
import stat
import zipfile
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path

from .curriculum import Lesson
from .folders import Workspace
from .originals import is_as_given, parsed_notebook
from .progress import Progress, unsaved

__all__ = ["MINUTES", "RECEIPT", "HandIn", "HandInError", "collect", "hand_in"]

RECEIPT = "receipt.txt"
MINUTES = "{} minutes of work"  # the comment of a notebook in the zip
_NAMES = 60  # that are tried, one for each second


class HandInError(Exception):
    """Nothing was handed in; the message says why, and what to do."""


@dataclass
class HandIn:
    """What is to be handed in: the bytes of the notebooks, and what is wrong with others.

    ``untouched`` are lessons in which nobody wrote. ``troubles`` say, a sentence each, of which
    notebook the file lacks something, or cannot be read.
    """

    notebooks: dict[Lesson, bytes] = field(default_factory=dict)
    untouched: list[Lesson] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)

    def receipt(self, progress: Progress, login: str, moment: datetime) -> str:
        """Return what was handed in, by whom and when, and what passed, for people to read."""
        lines = [f"Handed in by {login}, {moment:%Y-%m-%d %H:%M:%S} UTC"]
        for lesson, data in self.notebooks.items():
            every = lesson.exercises()
            passed = [each.id for each in every if progress.has_passed(each.id)]
            said = f"{progress.count(every)} passed here" + (
                f": {', '.join(passed)}" * bool(passed)
            )
            if minutes := progress.minutes(lesson.number):
                said += f"; {MINUTES.format(minutes)}"
            digest = hashlib.sha256(data).hexdigest()
            lines += ["", f"{lesson.name}.ipynb, {said}", f"sha256 {digest}"]
        return "\n".join([*lines, "", *self.troubles]).rstrip() + "\n"


def collect(workspace: Workspace, lessons: list[Lesson]) -> HandIn:
    """Return what a workspace holds of these lessons, and what is wrong with it.

    A notebook that lacks what was checked after it was saved is handed in as it was saved. One that
    cannot be read is left out.
    """
    found = HandIn()
    for lesson in lessons:
        path = workspace.notebook(lesson)
        try:
            data = path.read_bytes()
            notebook = parsed_notebook(data.decode("utf-8-sig"), path.name)
            missing = unsaved(workspace, lesson)
        except FileNotFoundError:
            found.untouched.append(lesson)
            continue
        except (OSError, UnicodeError) as error:
            found.troubles.append(
                f"{path.name} cannot be read ({error}), so it was left out. Fix or delete the "
                "file, then hand in again."
            )
            continue
        except ValueError as error:
            found.troubles.append(f"{error} It was left out.")
            continue
        if missing:
            found.troubles.append(
                f"{path.name} was checked after it was last saved, so what you typed in "
                f"{', '.join(missing)} may not be in the file. Save it in JupyterLab with Ctrl+S."
            )
        if is_as_given(notebook) and not missing:
            found.untouched.append(lesson)
        else:
            found.notebooks[lesson] = data
    return found


def hand_in(found: HandIn, progress: Progress, folder: Path) -> tuple[Path, str]:
    """Write one zip of what was found into a folder, and return its path and the receipt.

    In somebody else's folder, a drop box, only the owner can read the zip. If the folder passes on
    its group (``chmod g+s``), the group can also read it. Earlier zips stay.

    Raises
    ------
    HandInError
        If there is nothing to hand in, or the zip cannot be written there. Nothing was, then.
    """
    if not found.notebooks:
        said = " ".join(found.troubles) or "You have not written anything in these lessons yet."
        raise HandInError(f"There is nothing to hand in. {said}")
    mode = _mode_in(folder)
    login, now = _login(), datetime.now(timezone.utc)
    for seconds in range(_NAMES):
        moment = now + timedelta(seconds=seconds)
        receipt = found.receipt(progress, login, moment)
        path = folder / f"{login}_gradienttape_{moment:%Y-%m-%d-%H-%M-%S}.zip"
        try:
            if _write_new(path, _zipped(found, progress, receipt), mode):
                return path, receipt
        except OSError as error:
            why = error.strerror or error
            raise HandInError(
                f"Your work could not be written to {folder}: {why}. {_NOTHING}"
            ) from error
    raise HandInError(f"{folder} already has {_NAMES} files with your name. {_NOTHING}")


_NOTHING = "Nothing was handed in. Ask your teacher for the folder, or choose another with --to."


def _mode_in(folder: Path) -> int:
    """Return the permissions of what is handed in to a folder; or raise HandInError."""
    try:
        status = folder.stat()
    except OSError as error:
        raise HandInError(
            f"The folder {folder} cannot be accessed: {error.strerror}. {_NOTHING}"
        ) from error
    if not stat.S_ISDIR(status.st_mode):
        raise HandInError(f"{folder} is not a folder. {_NOTHING}")
    is_of_others = hasattr(os, "getuid") and status.st_uid != os.getuid()
    if is_of_others and status.st_mode & 0o022 and not status.st_mode & stat.S_ISVTX:
        raise HandInError(
            f"In {folder}, other users could remove what you hand in. The owner of the folder can "
            f"fix that: chmod +t {folder}. {_NOTHING}"
        )
    return 0o640 if status.st_mode & stat.S_ISGID else 0o600


def _write_new(path: Path, data: bytes, mode: int) -> bool:
    """Write a file whole under a new name; False where the name is taken, by whatever it is.

    The hidden file beside it reserves the name: of several processes, one can make it.
    """
    beside = path.with_name(f".{path.name}.new")
    try:
        file = open(beside, "xb", opener=lambda name, flags: os.open(name, flags, 0o600))
    except FileExistsError:
        return False
    try:
        with file:
            is_free = not os.path.lexists(path)
            file.write(data if is_free else b"")
            file.flush()
            os.fsync(file.fileno())  # or a power cut could leave an empty file under the name
        os.chmod(beside, mode)
        if is_free:
            os.rename(beside, path)
        else:
            beside.unlink()
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return is_free


def _zipped(found: HandIn, progress: Progress, receipt: str) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for lesson, data in found.notebooks.items():
            archive.writestr(f"{lesson.name}.ipynb", data)
            said = MINUTES.format(progress.minutes(lesson.number))
            archive.infolist()[-1].comment = said.encode("ascii")
        archive.writestr(RECEIPT, receipt)
    return held.getvalue()


def _login() -> str:
    """Return the user's name on the hub or the machine, without what no file name can hold."""
    login = os.environ.get("JUPYTERHUB_USER", "")
    with suppress(OSError, KeyError, ImportError):  # the machine knows no such user
        login = login or getpass.getuser()
    return re.sub(r"[^\w.@+-]", "-", login).lstrip(".") or "nobody"

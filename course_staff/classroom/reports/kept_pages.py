"""Writing pages into a folder in which a teacher may have written, too."""

import hashlib
import json
from collections.abc import Mapping
from itertools import count
from pathlib import Path

from course_utils.workspace.atomic_files import write_atomically

__all__ = ["write_pages"]


def write_pages(folder: Path, pages: Mapping[str, str], noted: Path) -> None:
    """Write ``pages`` into ``folder``, and remove those of an earlier call that are not among them.

    What anybody else put there, or has changed since, is kept: a file in the way of a page gets
    another name, such as ``ada.kept-1.html``.

    Parameters
    ----------
    folder : Path
        Where the pages go; made if it is not there.
    pages : mapping of str to str
        Names of files, and the text of each.
    noted : Path
        The file that tells later calls which pages are ours.
    """
    try:
        earlier = {str(name): list(of) for name, of in json.loads(noted.read_text()).items()}
    except (OSError, ValueError, TypeError, AttributeError):
        earlier = {}
    folder.mkdir(parents=True, exist_ok=True)
    noted.parent.mkdir(parents=True, exist_ok=True)
    ours = {name: [_digest(text.encode())] for name, text in pages.items()}
    both = {name: earlier.get(name, []) + ours.get(name, []) for name in {**earlier, **ours}}
    write_atomically(noted, json.dumps(both))  # first: this may be cut off below
    for name, text in pages.items():
        path = folder / name
        if (path.exists() or path.is_symlink()) and not _is_ours(path, both[name]):
            _move_aside(path)
        write_atomically(path, text)
    for name in earlier.keys() - pages.keys():
        if _is_ours(folder / name, earlier[name]):
            (folder / name).unlink()
    write_atomically(noted, json.dumps(ours))


def _is_ours(path: Path, digests: list[str]) -> bool:
    return path.is_file() and not path.is_symlink() and _digest(path.read_bytes()) in digests


def _move_aside(path: Path) -> None:
    free = (path.with_name(f"{path.stem}.kept-{n}{path.suffix}") for n in count(1))
    path.rename(next(place for place in free if not place.exists()))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()

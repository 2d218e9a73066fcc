"""Writing pages into a folder in which a teacher may have written, too."""

import json
from collections.abc import Mapping
from itertools import count
from pathlib import Path

from course_utils.workspace.atomic_files import write_atomically
from course_utils.workspace.own_files import is_own, with_earlier, write_own

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
    both = with_earlier(pages, earlier)
    write_atomically(noted, json.dumps(both))  # first: this may be cut off below
    for path in (folder / name for name in pages):
        if (path.exists() or path.is_symlink()) and not is_own(path, both[path.name]):
            _move_aside(path)
    write_own(folder, pages, earlier)
    write_atomically(noted, json.dumps(with_earlier(pages, {})))


def _move_aside(path: Path) -> None:
    free = (path.with_name(f"{path.stem}.kept-{n}{path.suffix}") for n in count(1))
    path.rename(next(place for place in free if not place.exists()))

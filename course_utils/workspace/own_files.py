"""Files that are written again and again into a folder in which others may have written, too."""

import hashlib
from collections.abc import Collection, Mapping
from pathlib import Path

from .atomic_files import write_atomically

__all__ = ["Digests", "digest", "is_own", "with_earlier", "write_own"]

Digests = Mapping[
    str, list[str]
]  # by a file's path in the folder, those of the texts written there


def digest(data: bytes) -> str:
    """Return what tells a file that we wrote from one that somebody changed."""
    return hashlib.sha256(data).hexdigest()


def is_own(path: Path, digests: Collection[str]) -> bool:
    """Tell whether this is a file, no link, with one of these texts."""
    return path.is_file() and not path.is_symlink() and digest(path.read_bytes()) in digests


def with_earlier(files: Mapping[str, str], earlier: Digests) -> dict[str, list[str]]:
    """Return the digests to note before writing, which may be cut off: earlier ones and these."""
    ours = {path: [digest(text.encode())] for path, text in files.items()}
    return {path: earlier.get(path, []) + ours.get(path, []) for path in {**earlier, **ours}}


def write_own(folder: Path, files: Mapping[str, str], earlier: Digests) -> None:
    """Write the files, and remove those of earlier calls that are not among them.

    What was changed since stays, unless it is among the files. Folders that are empty then go.
    """
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / path, text)
    for path in earlier.keys() - files.keys():
        if is_own(folder / path, earlier[path]):
            _remove(folder, path)


def _remove(folder: Path, path: str) -> None:
    (folder / path).unlink()
    for parent in (folder / path).parents:
        if parent == folder or not parent.is_dir() or any(parent.iterdir()):
            break
        parent.rmdir()

"""Writing a set of files to a folder or a zip, again and again.

A folder or zip is ours if it holds our marker, the list of the files that were written. These are
replaced, or removed where they are no longer among the files. All other files in the folder stay.
A folder without the marker is refused, unless it is empty.
"""

import io
import json
import zipfile
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from .atomic_files import is_left_over, write_atomically

__all__ = ["MARKER", "OutputError", "claim", "files_written", "write_output", "zipped"]

MARKER = ".course-output.json"

_EARLIEST = (1980, 1, 1, 0, 0, 0)  # a zip holds no earlier time, and this one says nothing


class OutputError(Exception):
    """The files cannot be written there; the message says why, and what to do. None was written."""


def write_output(files: Mapping[str, str | bytes], out: Path, command: str) -> None:
    """Write ``files`` to the folder ``out``, or to a zip where its name ends with ``.zip``.

    The same files give the same bytes.

    Parameters
    ----------
    files : mapping of str to str or bytes
        From a path with forward slashes to the content of the file.
    out : Path
        A folder or zip that is new, empty, or from an earlier call of the same ``command``.
    command : str
        The name of the command that writes, such as ``"course release"``.

    Raises
    ------
    OutputError
        If ``out`` is something else, or a link leads out of it.
    """
    if out.suffix.lower() == ".zip":
        _write_zip({**files, MARKER: _marker(files, command)}, out, command)
        return
    claim(out, command)
    earlier = files_written(out, command)
    _refuse_links(out, {*earlier, *files})
    # First the names of both: whenever this is cut off, the next call knows all that is ours.
    write_atomically(out / MARKER, _marker({*earlier, *files}, command))
    for path, content in files.items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        write_atomically(out / path, content)
    for path in set(earlier) - set(files):
        _remove(out, path)
    write_atomically(out / MARKER, _marker(files, command))


def claim(out: Path, command: str) -> None:
    """Make a folder ours, before it holds any files; raise OutputError if it is somebody else's."""
    if out.exists() and not out.is_dir():
        raise OutputError(f"{out} is a file. Choose a new folder, or a name that ends with .zip.")
    try:
        out.mkdir(parents=True, exist_ok=True)
        if all(map(is_left_over, out.iterdir())):
            write_atomically(out / MARKER, _marker((), command))
    except OSError as error:
        raise OutputError(
            f"{out} cannot be written: {error.strerror}. Fix the cause, or choose another folder."
        ) from None
    files_written(out, command)


def files_written(out: Path, command: str) -> list[str]:
    """Return the paths of what earlier calls of ``command`` wrote to a folder.

    Raises
    ------
    OutputError
        If none did.
    """
    marker = out / MARKER
    is_file = marker.is_file() and not marker.is_symlink()
    return _listed(marker.read_bytes() if is_file else b"", out, command)


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    """Return a zip of files by their paths; the same files give the same bytes."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(files):
            entry = zipfile.ZipInfo(path, _EARLIEST)
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            archive.writestr(entry, files[path])
    return held.getvalue()


def _marker(paths: Collection[str], command: str) -> str:
    return json.dumps({"command": command, "files": sorted(paths)}, indent=1) + "\n"


def _listed(marker: bytes, out: Path, command: str) -> list[str]:
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        content = json.loads(marker)
        paths = [str(path) for path in content["files"]]
        # A list that leads out of the folder is nothing that was written here.
        if content["command"] == command and all(map(_stays_inside, paths)):
            return paths
    raise OutputError(
        f"{out} is not empty, and was not written by `{command}`. Choose a new or empty folder, so "
        "that none of your files are replaced."
    )


def _stays_inside(path: str) -> bool:
    """Tell whether a path of a list names a file below the folder, on every system."""
    parts = path.split("/")
    return not any(part in ("", ".", "..") or "\\" in part or ":" in part for part in parts)


def _refuse_links(out: Path, paths: Iterable[str]) -> None:
    """Refuse to write or remove through a link, which may lead anywhere."""
    for path in sorted(paths):
        for place in (out / path, *(out / path).parents):
            if place == out:
                break
            if place.is_symlink():
                raise OutputError(
                    f"{place} is a link, and what it points to is never replaced. Remove the link, "
                    "or choose a new folder. Nothing was written."
                )


def _remove(out: Path, path: str) -> None:
    """Remove a file, and the folders that are empty then."""
    (out / path).unlink(missing_ok=True)
    for parent in (out / path).parents:
        if parent == out or (parent.is_dir() and any(parent.iterdir())):
            break
        with suppress(FileNotFoundError):
            parent.rmdir()


def _write_zip(files: Mapping[str, str | bytes], out: Path, command: str) -> None:
    top = out.stem
    if out.is_dir():
        raise OutputError(
            f"{out} is a folder. Choose a new name. Leave off .zip if you want a folder."
        )
    if out.exists():
        marker = b""
        with suppress(zipfile.BadZipFile, KeyError), zipfile.ZipFile(out) as archive:
            marker = archive.read(f"{top}/{MARKER}")
        _listed(marker, out, command)
    out.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(out, zipped({f"{top}/{path}": content for path, content in files.items()}))

"""Writing a set of files into a folder or a zip, again and again, without losing anybody's work."""

import json
import os
import zipfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from course_utils.workspace.atomic_files import is_left_over, write_atomically
from course_utils.workspace.own_files import Digests, digest, is_own, write_own

__all__ = ["MANIFEST", "OutputError", "write_output"]

# The list of the files that were written, with a digest of each: it tells a folder that was written
# here from any other, and a file that somebody changed from one that nobody did.
MANIFEST = ".course-manifest.json"

_EARLIEST = (1980, 1, 1, 0, 0, 0)  # a zip holds no earlier time, and this one says nothing


class OutputError(Exception):
    """The files cannot be written there; the message says why, and what to do. None was written."""


def write_output(files: Mapping[str, str], out: Path, kind: str, force: bool = False) -> None:
    """Write ``files`` into the folder ``out``, or into a zip where its name ends with ``.zip``.

    The same files give the same bytes. What an earlier call wrote is replaced, or removed where
    it is no longer among the files; what anybody else put there stays.

    Parameters
    ----------
    files : mapping of str to str
        Paths with forward slashes, and the text of each.
    out : Path
        A folder or zip that is new, empty, or from an earlier call of the same ``kind``.
    kind : str
        The command that writes, such as ``"course release"``.
    force : bool
        Replace also files that were changed since an earlier call wrote them.

    Raises
    ------
    OutputError
        If ``out`` is something else, or holds changed files and ``force`` is not set.
    """
    if out.suffix.lower() == ".zip":
        _write_zip({**files, MANIFEST: _manifest(files, kind)}, out, kind)
    else:
        _write_folder(files, out, kind, force)


def _write_folder(files: Mapping[str, str], out: Path, kind: str, force: bool) -> None:
    if out.exists() and not out.is_dir():
        raise OutputError(f"{out} is a file. Give a new folder, or a name that ends with .zip.")
    earlier: dict[str, list[str]] = {}
    # Of a first call that was killed at once, no more may be left than the list's beginning.
    if out.exists() and not all(map(is_left_over, out.iterdir())):
        manifest = out / MANIFEST
        is_file = manifest.is_file() and not manifest.is_symlink()
        earlier = _earlier(manifest.read_bytes() if is_file else b"", out, kind)
    _refuse_links(out, {*earlier, *files, MANIFEST})
    kept = [
        path for path in earlier if (out / path).exists() and not is_own(out / path, earlier[path])
    ]
    in_the_way = [p for p in files if p not in earlier and (out / p).exists()]
    clashes = sorted({path for path in kept if path in files} | set(in_the_way))
    if clashes and not force:
        raise OutputError(
            f"In {out}, {_listed(clashes)} {'was' if len(clashes) == 1 else 'were'} changed or "
            "added by somebody since. Move what is worth keeping and write again with --force, "
            "or give a new folder. Nothing was written."
        )
    # First what will be ours, with what is: whenever this is cut off, the next call knows both.
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(out / MANIFEST, _manifest(files, kind, earlier))
    write_own(out, files, earlier)
    for folder in {(out / path).parent for path in (*files, MANIFEST)}:
        for left in filter(is_left_over, list(folder.iterdir())):
            left.unlink()
    write_atomically(out / MANIFEST, _manifest(files, kind))


def _manifest(files: Mapping[str, str], kind: str, earlier: Digests | None = None) -> str:
    """Return the list of the files, and of those of an earlier call that this one may replace."""
    noted = {"files": {path: digest(files[path].encode()) for path in sorted(files)}, "kind": kind}
    if earlier:
        noted["earlier"] = earlier
    return json.dumps(noted, indent=1) + "\n"


def _refuse_links(out: Path, paths: Iterable[str]) -> None:
    """Refuse to write or remove through a link, which may lead anywhere."""
    for path in sorted(paths):
        for place in (out / path, *(out / path).parents):
            if place == out:
                break
            if place.is_symlink():
                raise OutputError(
                    f"{place} is a link, and what it leads to is nobody's to replace. Remove the "
                    "link, or give a new folder. Nothing was written."
                )


def _earlier(manifest: bytes, out: Path, kind: str) -> dict[str, list[str]]:
    """Return the digests that an earlier call noted, where this was one of the same kind.

    There are several of a file where that call did not come to its end.
    """
    with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
        noted = json.loads(manifest)
        digests = {path: list(map(str, of)) for path, of in noted.get("earlier", {}).items()}
        for path, noted_digest in noted["files"].items():
            digests.setdefault(path, []).append(str(noted_digest))
        # A list that leads out of the folder is nothing that was written here.
        if noted["kind"] == kind and all(map(_stays_inside, digests)):
            return digests
    raise OutputError(
        f"{out} is not empty, and no earlier `{kind}` wrote it. Give a folder that is new or "
        "empty, so that nothing of yours is replaced."
    )


def _stays_inside(path: str) -> bool:
    """Tell whether a path of a list names a file below the folder, on every system."""
    parts = path.split("/")
    return not any(part in ("", ".", "..") or "\\" in part or ":" in part for part in parts)


def _write_zip(files: Mapping[str, str], out: Path, kind: str) -> None:
    top = out.stem
    if out.is_dir():
        raise OutputError(f"{out} is a folder. Give a new name, without .zip for a folder.")
    if out.exists():
        manifest = b""
        with suppress(zipfile.BadZipFile, KeyError), zipfile.ZipFile(out) as archive:
            manifest = archive.read(f"{top}/{MANIFEST}")
        _earlier(manifest, out, kind)
    out.parent.mkdir(parents=True, exist_ok=True)
    beside = out.with_name(f".{out.name}.new")
    beside.unlink(missing_ok=True)  # left by a call that was killed, or a link
    try:
        with zipfile.ZipFile(beside, "x", zipfile.ZIP_STORED) as archive:
            for path in sorted(files):
                entry = zipfile.ZipInfo(f"{top}/{path}", _EARLIEST)
                entry.create_system, entry.external_attr = 3, 0o644 << 16
                archive.writestr(entry, files[path])
        os.replace(beside, out)
    finally:
        beside.unlink(missing_ok=True)


def _listed(paths: list[str], most: int = 3) -> str:
    more = f" and {len(paths) - most} more" if len(paths) > most else ""
    return ", ".join(paths[:most]) + more

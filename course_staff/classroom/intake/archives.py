"""Zip archives as learning systems and students make them: looked into, and never unpacked.

Nothing is written anywhere, so no name in an archive can lead out of it. What is read of one is
bounded before it is read. A student's archive that holds anything a student has no reason to send
is refused as a whole; in a class's download only the entry itself is, so that one stops nobody.
"""

import io
import os
import re
import stat
import time
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath

from .walking import (
    NOTES,
    Entry,
    UnreadableFile,
    is_archive,
    is_copy_of_a_program,
    is_hidden_name,
    is_notebook,
    open_file,
)
from .whose import is_download

__all__ = ["Archived", "look_into"]

_DEEPEST = 3  # archives in one another: a folder of downloads, a download, a student's own
_MOST_PARTS = 20  # folders one in another
_MOST_ENTRIES = 10_000
_MOST_BYTES = 512 << 20  # of everything in a student's archive, unpacked
_MOST_INNER = 128 << 20  # of an archive in an archive
_SMALL, _RATIO = 10 << 20, 100  # larger than this and packed tighter: nobody's work is
_LONGEST_COMMENT = 100  # bytes
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError,
    IndexError, OSError, MemoryError,
)  # fmt: skip


@dataclass(frozen=True)
class Archived:
    """A file in an archive, or in an archive in an archive.

    ``members`` are its place in each, ``time`` when it came as whoever made the outermost archive
    noted it: what is noted in a student's own says nothing. ``comment`` is what stands there of the
    file besides.
    """

    archive: Path
    members: tuple[int, ...]
    size: int
    time: float
    comment: str = ""

    def read(self, most: int) -> bytes:
        """Return the file's bytes, at most ``most`` and one more.

        Raises
        ------
        UnreadableFile
            If the archive is damaged, or has changed since it was looked into.
        """
        with _damage_said():
            archive = _opened(self.archive)
            for member in self.members[:-1]:
                archive = zipfile.ZipFile(io.BytesIO(_content(archive, member, _MOST_INNER)))
            return _content(archive, self.members[-1], most)


def look_into(path: Path, is_root: bool = False) -> Iterator[Entry]:
    """Yield what an archive holds, as `walk` does of a folder.

    Parameters
    ----------
    path : Path
        The archive. What it holds is named as if it were a folder.
    is_root : bool
        Whether it holds the whole class; then the times of its entries count, and it stands for
        no submission of its own.

    Raises
    ------
    UnreadableFile
        If the archive of a whole class cannot be read at all.
    """
    try:
        with _damage_said():
            archive = _opened(path)
            whole = Archived(path, (), 0, path.stat().st_mtime)
            yield from _entries(archive, path, whole, 1, is_root)
    except UnreadableFile as error:
        if is_root:
            raise
        yield Entry(path, "closed", str(error))


def _entries(
    archive: zipfile.ZipFile, path: Path, whole: Archived, depth: int, is_root: bool
) -> Iterator[Entry]:
    names = [_name(info) for info in archive.infolist()]
    places = [PurePosixPath(name) for name in names]
    there = set(places)
    is_of_class = is_root or is_download({own.parts[0] for own in places if own.parts})
    reasons = _reasons(archive.infolist(), names)
    if len(names) > _MOST_ENTRIES:
        raise UnreadableFile(f"This archive holds more than {_MOST_ENTRIES} files.")
    if not is_of_class and reasons:
        raise UnreadableFile(f"This archive was not opened: {next(iter(reasons.values()))}")
    if not is_of_class and sum(info.file_size for info in archive.infolist()) > _MOST_BYTES:
        raise UnreadableFile(
            f"This archive was not opened: it unpacks to more than {_MOST_BYTES >> 20} MB."
        )
    found = []
    for number, (info, own) in enumerate(zip(archive.infolist(), places, strict=True)):
        place = path.joinpath(*(part for part in own.parts if part not in ("/", "..")))
        kind = "closed" if number in reasons else _kind(own, there)
        if info.is_dir() or kind == "skipped":
            continue
        when = _time_of(info, whole.time) if is_root else whole.time
        comment = info.comment[:_LONGEST_COMMENT].decode("ascii", "replace")
        inside = Archived(whole.archive, (*whole.members, number), info.file_size, when, comment)
        why = f"This was not opened: {reasons[number]}" if number in reasons else ""
        entry = Entry(place, kind, why, inside)
        found += _inner(archive, entry, depth) if kind == "archive" else [entry]
    if not is_root and all(entry.kind in ("other", "hidden") for entry in found):
        yield Entry(path, "other")  # it holds no notebook
    else:
        yield from found


def _kind(place: PurePosixPath, places: set[PurePosixPath]) -> str:
    hides = any(map(is_hidden_name, place.parts))
    if is_notebook(place.name):
        if not hides:
            return "notebook"
        return "skipped" if is_copy_of_a_program(place, places.__contains__) else "hidden"
    if hides or place.name in NOTES:
        return "skipped"
    return "archive" if is_archive(place.name) else "other"


def _inner(archive: zipfile.ZipFile, own: Entry, depth: int) -> list[Entry]:
    """Return what an archive in an archive holds, or the one entry that says why it is closed."""
    around = own.archived
    assert isinstance(around, Archived)  # of what is read here, all stands in an archive
    try:
        if depth == _DEEPEST:
            raise UnreadableFile(f"More than {_DEEPEST} archives stand in one another.")
        with _damage_said():
            data = io.BytesIO(_content(archive, around.members[-1], _MOST_INNER))
            opened = zipfile.ZipFile(data)
            return list(_entries(opened, own.path, around, depth + 1, False))
    except UnreadableFile as error:
        return [replace(own, kind="closed", why=str(error))]


def _reasons(infos: list[zipfile.ZipInfo], names: list[str]) -> dict[int, str]:
    """Return, by their number, why entries are not opened."""
    counts = Counter(unicodedata.normalize("NFC", name) for name in names)
    found = {}
    for number, (info, name) in enumerate(zip(infos, names, strict=True)):
        parts = PurePosixPath(name).parts
        kind = stat.S_IFMT(info.external_attr >> 16) if info.create_system == 3 else 0
        if name.startswith("/") or re.match(r"[A-Za-z]:", name):
            found[number] = "a name in it starts at the root of a disk."
        elif ".." in parts or not parts or "\0" in info.orig_filename:
            found[number] = "a name in it leads out of the archive, or nowhere."
        elif len(parts) > _MOST_PARTS:
            found[number] = f"more than {_MOST_PARTS} folders stand in one another."
        elif kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            found[number] = "it holds a link. Send the file itself."
        elif counts[unicodedata.normalize("NFC", name)] > 1:
            found[number] = "it holds two files of one name."
        elif info.flag_bits & 0x41:  # 0x40: strongly
            found[number] = "it is encrypted. Send it without a password."
        elif info.compress_type not in _METHODS:
            found[number] = "it is packed in an unusual way. Send an ordinary zip."
        elif info.file_size > max(_SMALL, _RATIO * info.compress_size):
            found[number] = (
                f"a file in it unpacks to {info.file_size >> 20} MB from next to nothing."
            )
    return found


def _name(info: zipfile.ZipInfo) -> str:
    """Return a name with forward slashes; bytes that no flag calls UTF-8 are often that."""
    name = info.filename
    if not info.flag_bits & 0x800:
        try:
            name = name.encode("cp437").decode("utf-8")
        except UnicodeError:
            pass
    return name.replace("\\", "/")


def _time_of(info: zipfile.ZipInfo, otherwise: float) -> float:
    """Return the time that an entry notes, which is that of the zone where it was made."""
    try:
        return time.mktime((*info.date_time, 0, 0, -1))
    except (ValueError, OverflowError):
        return otherwise


def _opened(path: Path) -> zipfile.ZipFile:
    with open_file(path) as file:
        status = os.fstat(file.fileno())
        return _opened_once(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=8)
def _opened_once(path: Path, changed: int, size: int) -> zipfile.ZipFile:
    """Return an archive that stays open: its list of a whole term is long to read."""
    with open_file(path) as file:
        return zipfile.ZipFile(os.fdopen(os.dup(file.fileno()), "rb"))


def _content(archive: zipfile.ZipFile, member: int, most: int) -> bytes:
    with archive.open(archive.infolist()[member]) as file:
        return file.read(most + 1)


@contextmanager
def _damage_said() -> Iterator[None]:
    """Turn whatever a damaged archive raises into one sentence."""
    try:
        yield
    except UnreadableFile:
        raise
    except _DAMAGE:
        raise UnreadableFile("This is no zip archive, or a damaged one.") from None

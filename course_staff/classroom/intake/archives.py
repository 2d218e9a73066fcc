"""Zip archives as learning systems and students make them, extracted within limits.

Every entry is judged by its name and sizes before it is read. A student's archive that holds
anything a student has no reason to send is refused as a whole; in a class's download only the entry
is, so that one student stops nobody.
"""

import errno
import re
import stat
import time
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath
from typing import BinaryIO

from course_utils.workspace.handing_in import MINUTES

from .files import (
    NOTES,
    UnreadableFile,
    is_archive,
    is_hidden_name,
    is_notebook,
    open_file,
)
from .whose import is_download

__all__ = ["Extracted", "Limit", "Member", "extract"]

_MOST_FOLDERS = 20  # one in another
_MOST_FILES = 10_000
_MOST_BYTES = 512 << 20  # of everything that a student hands in, extracted
_MOST_BYTES_OF_CLASS = 16 << 30
_LARGEST = 128 << 20  # bytes of a notebook, or of an archive in an archive
_SMALL, _RATIO = 10 << 20, 100  # larger than this and packed tighter: nobody's work is
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError,
    IndexError, OSError, MemoryError,
)  # fmt: skip
# Why a file cannot have a name: too long, or of what another entry made a folder.
_BAD_NAMES = (errno.ENAMETOOLONG, errno.ENOTDIR, errno.EEXIST, errno.EISDIR, errno.EINVAL)


@dataclass
class Limit:
    """How much may still be extracted of what one student, or one class, has sent."""

    files: int
    bytes: int

    def take(self, entries: Sequence[zipfile.ZipInfo]) -> None:
        """Count the entries of an archive; raise UnreadableFile where they are too many."""
        if len(entries) > self.files:
            raise UnreadableFile(
                f"This archive contains too many files: the limit is {_MOST_FILES}, including "
                "nested archives. Leave out files that are not needed."
            )
        size = sum(entry.file_size for entry in entries)
        if size > self.bytes:
            raise UnreadableFile(
                "This archive was not opened: unpacked archives may take up at most "
                f"{_MOST_BYTES >> 20} MB, or {_MOST_BYTES_OF_CLASS >> 20} MB for a whole class. "
                "Leave out large files."
            )
        self.files -= len(entries)
        self.bytes -= size


@dataclass(frozen=True)
class Member:
    """What an archive notes of a file in it; ``refusal`` says why the file was not extracted."""

    time: float | None
    minutes: int | None = None
    refusal: str = ""


@dataclass(frozen=True)
class Extracted:
    """What an archive held: its files by their places in it.

    ``limit`` is what archives in it may hold together; a class's download sets none for those of
    its students.
    """

    members: dict[PurePath, Member]
    is_of_class: bool
    limit: Limit | None


def extract(
    path: Path, folder: Path, is_of_class: bool = False, limit: Limit | None = None
) -> Extracted:
    """Extract an archive to a new folder; files that nobody reads are there and empty.

    Parameters
    ----------
    path, folder : Path
        The archive, and the folder to make.
    is_of_class : bool
        Whether it is known to hold several students' files. The names in a learning system's
        download say so, too.
    limit : Limit, optional
        What is left of the limit of the archive that holds this one.

    Raises
    ------
    UnreadableFile
        If the archive is refused or damaged.
    OSError
        If the folder cannot be written, as on a full disk.
    """
    with open_file(path) as file, _opened(file) as archive:
        entries = archive.infolist()
        places = [PurePosixPath(_name(entry)) for entry in entries]
        is_of_class = is_of_class or is_download({p.parts[0] for p in places if p.parts})
        refusals = _refusals(entries, places)
        if refusals and not is_of_class:
            raise UnreadableFile(f"This archive was not opened: {next(iter(refusals.values()))}")
        if limit is None or is_of_class:
            limit = Limit(_MOST_FILES, _MOST_BYTES_OF_CLASS if is_of_class else _MOST_BYTES)
        limit.take([entry for number, entry in enumerate(entries) if number not in refusals])
        folder.mkdir(parents=True)
        members: dict[PurePath, Member] = {}
        for number, (entry, place) in enumerate(zip(entries, places, strict=True)):
            refusal = refusals.get(number) or _extract_entry(archive, entry, place, folder)
            if refusal or not entry.is_dir():
                inside = PurePath(*(part for part in place.parts if part not in ("/", "..")))
                why = f"This was not opened: {refusal}" if refusal else ""
                members[inside] = Member(_time_of(entry), _minutes_of(entry), why)
    return Extracted(members, is_of_class, None if is_of_class else limit)


def _extract_entry(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, place: PurePosixPath, folder: Path
) -> str:
    """Write one entry below the folder, and return why not, where it cannot be."""
    path = folder.joinpath(*place.parts)
    is_hidden = any(map(is_hidden_name, place.parts))
    is_read = (is_notebook(place.name) or is_archive(place.name)) and not is_hidden
    if place.name in NOTES:  # what a student's file says of the time says nothing
        return ""
    data = b""
    if is_read and not entry.is_dir():
        try:
            data = archive.read(entry)
        except _DAMAGE:
            return "it is damaged."
    try:
        if entry.is_dir():
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.write(data)
    except OSError as error:
        if error.errno not in _BAD_NAMES:
            raise
        return "its name is too long, or a folder has the same name. Rename it."
    return ""


def _refusals(entries: Sequence[zipfile.ZipInfo], places: list[PurePosixPath]) -> dict[int, str]:
    """Return, by their number, why entries are not extracted."""
    counts = Counter(unicodedata.normalize("NFC", str(place)) for place in places)
    found = {}
    for number, (entry, place) in enumerate(zip(entries, places, strict=True)):
        kind = stat.S_IFMT(entry.external_attr >> 16) if entry.create_system == 3 else 0
        if place.is_absolute() or re.match(r"[A-Za-z]:", str(place)):
            found[number] = "it contains an absolute path. Use relative paths."
        elif ".." in place.parts or not place.parts or "\0" in entry.orig_filename:
            found[number] = (
                "it contains a path that leads out of the archive or is not valid. "
                "Zip the files again."
            )
        elif len(place.parts) > _MOST_FOLDERS:
            found[number] = (
                f"its folders are nested more than {_MOST_FOLDERS} levels deep. Use fewer levels."
            )
        elif kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            found[number] = "it contains a symbolic link or a special file. Send the file itself."
        elif counts[unicodedata.normalize("NFC", str(place))] > 1:
            found[number] = "it contains two files with the same name. Rename one of them."
        elif entry.flag_bits & 0x41:  # 0x40: strongly
            found[number] = "it is encrypted. Send it without a password."
        elif entry.compress_type not in _METHODS:
            found[number] = "it uses an unsupported compression method. Send an ordinary zip."
        elif entry.file_size > max(_SMALL, _RATIO * entry.compress_size):
            found[number] = (
                f"a file in it, {place.name}, is compressed far more than usual, and unpacks to "
                f"{entry.file_size >> 20} MB. Leave it out of the zip."
            )
        elif entry.file_size > _LARGEST and (is_notebook(place.name) or is_archive(place.name)):
            found[number] = (
                f"a file in it is {entry.file_size >> 20} MB, and the limit is {_LARGEST >> 20} "
                "MB. Make it smaller, or leave it out."
            )
    return found


def _name(entry: zipfile.ZipInfo) -> str:
    """Return a name with forward slashes; bytes that no flag calls UTF-8 are often that."""
    name = entry.filename
    if not entry.flag_bits & 0x800:
        try:
            name = name.encode("cp437").decode("utf-8")
        except UnicodeError:
            pass
    return name.replace("\\", "/")


def _time_of(entry: zipfile.ZipInfo) -> float | None:
    """Return the time that an entry notes, which is that of the zone where it was made."""
    try:
        return time.mktime((*entry.date_time, 0, 0, -1))
    except (ValueError, OverflowError):
        return None


def _minutes_of(entry: zipfile.ZipInfo) -> int | None:
    """Return how long the student worked, where `course hand-in` says it."""
    comment = entry.comment[:100].decode("ascii", "replace")
    found = re.fullmatch(MINUTES.format(r"(\d{1,4})"), comment)
    return int(found[1]) if found else None


@contextmanager
def _opened(file: BinaryIO) -> Iterator[zipfile.ZipFile]:
    """Open an archive; whatever a damaged one raises becomes one sentence."""
    try:
        archive = zipfile.ZipFile(file)
    except _DAMAGE:
        raise UnreadableFile(
            "This is not a zip archive, or it is damaged. Send it again."
        ) from None
    with archive:
        yield archive

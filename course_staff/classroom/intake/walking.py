"""Looking through a folder of submissions, and through the archives in it."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path, PurePath
from typing import Literal

from .archives import Limit, Member, extract
from .files import (
    NOTES,
    UnreadableFile,
    is_archive,
    is_copy_of_a_program,
    is_hidden_name,
    is_notebook,
)

__all__ = ["Entry", "walk"]

_MOST_FOLDERS = 20  # one in another, more than any honest hand-in holds
_MOST_ARCHIVES = 3  # in one another: a folder of downloads, a download, a student's own

Kind = Literal["notebook", "folder", "other", "empty", "linked", "hidden", "closed"]


@dataclass(frozen=True)
class Entry:
    """Something below the folder of submissions.

    ``place`` is its path below that folder, where an archive counts as a folder; ``path`` is where
    it can be read. ``kind`` is ``other`` for a file that is no notebook, ``linked`` for a link to a
    folder, ``hidden`` for a notebook that programs hide, and ``closed`` for what cannot be looked
    into, for the reason in ``why``. ``archive`` is the place of the outermost archive around it.
    ``time`` is when it came, where an archive says that, and ``minutes`` how long the student
    worked.
    """

    place: PurePath
    path: Path
    kind: Kind
    why: str = ""
    archive: PurePath | None = None
    time: float | None = None
    minutes: int | None = None


def walk(folder: Path, unpacked: Path, skipped: Path | None = None) -> Iterator[Entry]:
    """Yield what is below ``folder``, in a fixed order, and follow no link.

    Parameters
    ----------
    folder : Path
        Where to look: a folder, or the archive of a whole class.
    unpacked : Path
        A folder for what archives hold; the entries can be read as long as it is there.
    skipped : Path, optional
        A folder that is left out, with its links resolved.

    Raises
    ------
    OSError
        If ``folder`` itself cannot be listed, or ``unpacked`` cannot be written; what is below
        never stops the walk.
    UnreadableFile
        If ``folder`` is an archive that cannot be read.
    """
    walker = _Walker(unpacked, skipped)
    if folder.is_dir():
        yield from walker.in_folder(_Source(folder))
    else:
        whole = Entry(PurePath(), folder, "other")
        yield from walker.in_folder(walker.extracted(whole, _Source(folder), is_whole_class=True))


@dataclass(frozen=True)
class _Source:
    """A folder to walk, on the disk or extracted, and where it is below the submissions.

    ``archives`` counts those that it is in, and ``time`` is when all of it came, but for a whole
    class's archive, in which each of the ``members`` has its own time.
    """

    path: Path
    place: PurePath = PurePath()
    archive: PurePath | None = None
    archives: int = 0
    time: float | None = None
    is_whole_class: bool = False
    members: Mapping[PurePath, Member] = field(default_factory=dict)
    limit: Limit | None = None

    def entry(self, path: Path, kind: Kind, why: str = "") -> Entry:
        """Return what is at a path below this one."""
        own = path.relative_to(self.path)
        member = self.members.get(own, Member(None))
        has_own_time = self.is_whole_class and member.time is not None
        time = member.time if has_own_time else self.time
        return Entry(self.place / own, path, kind, why, self.archive, time, member.minutes)


class _Walker:
    def __init__(self, unpacked: Path, skipped: Path | None):
        self._unpacked, self._skipped = unpacked, skipped
        self._numbers = count(1)

    def in_folder(self, source: _Source) -> Iterator[Entry]:
        """Yield what a source holds, that of its archives included."""
        for place, member in source.members.items():
            if member.refusal:
                yield source.entry(source.path / place, "closed", member.refusal)
        waiting = [(source.path, 0, False)]
        while waiting:
            folder, depth, is_hidden = waiting.pop()
            try:
                with os.scandir(folder) as listed:
                    children = sorted(listed, key=lambda child: child.name)
            except OSError as error:
                if folder == source.path:
                    raise
                why = f"This folder cannot be read: {error.strerror}. Check its permissions."
                yield source.entry(folder, "closed", why)
                continue
            inner = []
            for child in children:
                path = folder / child.name
                hides = is_hidden or is_hidden_name(child.name)
                is_folder = _is_folder(child)
                if is_folder and self._skipped is not None and path.resolve() == self._skipped:
                    continue
                if is_notebook(child.name) or not is_folder:
                    yield from self._file(source, path, hides)
                elif depth == _MOST_FOLDERS:
                    why = (
                        f"The folders are nested more than {_MOST_FOLDERS} levels deep. Move "
                        "this folder up."
                    )
                    yield source.entry(path, "closed", why)
                else:
                    inner.append((path, depth + 1, hides))
                    if not hides:
                        yield source.entry(path, "folder")
            if not children and depth and not is_hidden:
                yield source.entry(folder, "empty")
            waiting += reversed(inner)

    def _file(self, source: _Source, path: Path, hides: bool) -> Iterator[Entry]:
        if is_notebook(path.name):
            if not hides:
                yield source.entry(path, "notebook")
            elif not is_copy_of_a_program(path, lambda other: Path(other).exists()):
                yield source.entry(path, "hidden")
        elif not hides and path.name not in NOTES:
            if path.is_symlink() and path.is_dir():
                yield source.entry(path, "linked")
            elif is_archive(path.name):
                yield from self._in_archive(source.entry(path, "other"), source)
            else:
                yield source.entry(path, "other")

    def _in_archive(self, archive: Entry, around: _Source) -> Iterator[Entry]:
        """Yield what an archive holds; the archive itself, if it is closed or has no notebook."""
        try:
            inside = list(self.in_folder(self.extracted(archive, around)))
        except UnreadableFile as error:
            yield replace(archive, kind="closed", why=str(error))
            return
        if any(entry.kind in ("notebook", "closed", "linked") for entry in inside):
            yield from inside
        else:
            yield archive

    def extracted(self, archive: Entry, around: _Source, is_whole_class: bool = False) -> _Source:
        """Extract an archive and return what to walk; raise UnreadableFile if it is refused."""
        if around.archives == _MOST_ARCHIVES:
            raise UnreadableFile(
                f"The archives are nested more than {_MOST_ARCHIVES} levels deep. "
                "Unpack the inner archives."
            )
        folder = self._unpacked / str(next(self._numbers))
        found = extract(archive.path, folder, is_whole_class, around.limit)
        return _Source(
            path=folder,
            place=archive.place,
            archive=None if is_whole_class else around.archive or archive.place,
            archives=around.archives + 1,
            time=archive.path.stat().st_mtime if archive.time is None else archive.time,
            is_whole_class=is_whole_class,
            members=found.members,
            limit=found.limit,
        )


def _is_folder(child: os.DirEntry) -> bool:
    try:
        return child.is_dir(follow_symlinks=False)
    except OSError:
        return False

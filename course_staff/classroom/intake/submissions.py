"""Finding what was handed in: whose it is, which lesson it answers, and when it came."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path, PurePath

from course_utils.workspace.curriculum import LESSONS
from course_utils.workspace.handing_in import MINUTES

from .archives import look_into
from .clocks import when
from .drop_box import by_owners_of_files
from .shown import shown
from .walking import Entry, InArchive, UnreadableFile, is_archive, read_file, walk
from .whose import Owner, around_lesson, claimed, copy_number, lesson_in, owners

__all__ = ["Submission", "SubmissionsFound", "find_submissions", "read_data"]

_LOOKED_AT = 4_000_000  # bytes of a notebook that are searched for its lesson


@dataclass(frozen=True)
class Submission:
    """One notebook that was handed in; ``counts`` is false where a newer one replaces it.

    ``place`` is the path below the folder of submissions, for tables; ``trouble`` says why the
    notebook cannot be read, where that is known. ``has_time`` is false where no more than the time
    of a download is known.
    """

    student: str
    lesson: str
    path: Path
    place: str
    time: float
    counts: bool = True
    trouble: str = ""
    archived: InArchive | None = None
    has_time: bool = True

    @property
    def file(self) -> str:
        """The place of the notebook, or of the archive in which it stands."""
        return str(PurePath(self.place).parent) if self.archived else self.place

    @property
    def minutes(self) -> int | None:
        """How long the student worked, as `course hand-in` says; None where nothing says it."""
        found = re.fullmatch(MINUTES.format(r"(\d{1,4})"), getattr(self.archived, "comment", ""))
        return int(found[1]) if found else None

    @property
    def when(self) -> str:
        """The time of submission, such as ``2026-03-01 18:05:00 UTC``; empty if nobody knows it."""
        if not self.has_time:
            return ""
        return f"{datetime.fromtimestamp(self.time, timezone.utc):%Y-%m-%d %H:%M:%S} UTC"


@dataclass
class SubmissionsFound:
    """All submissions, the layouts they were found in, and what else stands there.

    ``unrecognised`` are notebooks of no lesson or no student. ``crowded`` are students' folders in
    which several names stand beside one another for a lesson, and may be the students.
    ``contradictions`` say, a sentence each, where a name claims what another denies.
    ``other_files`` are no notebooks, or empty folders, or links to folders, which are not followed,
    or notebooks that programs hide.
    """

    submissions: list[Submission] = field(default_factory=list)
    layouts: dict[str, int] = field(default_factory=dict)
    unrecognised: list[str] = field(default_factory=list)
    crowded: dict[str, list[str]] = field(default_factory=dict)
    contradictions: list[str] = field(default_factory=list)
    other_files: list[str] = field(default_factory=list)


def find_submissions(folder: Path, results: Path | None = None) -> SubmissionsFound:
    """Find every submission below ``folder``, or in the archive that stands there.

    Three layouts are read, also mixed: nbgrader's ``student/lesson/lesson.ipynb``, a folder for
    each student, and flat ``student_lesson.ipynb`` or ``lesson_student.ipynb``; each of them may
    also stand in a folder for each lesson. The names in what Moodle, Canvas and Blackboard hand out
    are read at the beginning of a path. A lesson is known by the exercises that the notebook holds,
    or else by its name in the file's or the folder's name. An archive is read as a folder of its
    name. ``results`` is left out. In a drop box, whoever put a file there handed it in.

    Raises
    ------
    OSError
        If the folder cannot be listed.
    UnreadableFile
        If it is an archive, and cannot be read.
    """
    found = SubmissionsFound()
    if (folder / "submitted").is_dir():  # the folder of a whole nbgrader course
        folder = folder / "submitted"
    handed_in: dict[PurePath, tuple[Entry, str]] = {}  # what stands at each place, its lesson
    entries = [(e, PurePath(e.path.relative_to(folder))) for e in _entries(folder, results)]
    lessons_there = {place: _lesson_of(entry, place) for entry, place in entries}
    alone = set(filter(None, lessons_there.values()))
    for entry, place in entries:
        lesson = lessons_there[place]
        if lesson is None and entry.kind == "closed" and is_archive(place.name) and len(alone) == 1:
            (lesson,) = alone  # what everybody handed in
        if entry.kind in ("other", "empty", "hidden") or (entry.kind == "linked" and not lesson):
            suffix = {"other": "", "linked": ""}.get(entry.kind, f" ({entry.kind})")
            found.other_files.append(shown(str(place)) + suffix)
        elif lesson is None:
            found.unrecognised.append(f"{shown(str(place))}{entry.why and f' ({entry.why})'}")
        else:
            handed_in[place] = entry, lesson
    name = folder.resolve().stem if folder.is_file() else folder.resolve().name
    owned = owners({place: lesson for place, (_, lesson) in handed_in.items()}, name)
    owned, found.contradictions = by_owners_of_files(owned, folder)
    for place, owner in list(owned.items()):
        if not owner.student:
            found.unrecognised.append(shown(str(place)))
            del owned[place]
    lessons = {place: handed_in[place][1] for place in owned}
    _drop_second_layouts(owned, found)
    _name_claims(owned, found)
    _tell_namesakes_apart(owned, lessons, found)
    found.crowded = _crowded(owned, lessons)
    found.layouts = dict(Counter(owner.layout for owner in owned.values()))
    found.submissions = _with_newest_counting(
        Submission(
            student=shown(owner.student),
            lesson=lessons[place],
            path=folder / place,
            place=shown(str(place)),
            **when(handed_in[place][0], owner),
            trouble=handed_in[place][0].why,
            archived=handed_in[place][0].archived,
        )
        for place, owner in owned.items()
    )
    return found


def read_data(one: Submission, megabytes: int) -> bytes:
    """Return the bytes of a submission.

    Raises
    ------
    UnreadableFile
        If it is not an ordinary file, or larger than a notebook may be.
    """
    if one.trouble:
        raise UnreadableFile(one.trouble)
    data = _read(one, megabytes << 20)
    if len(data) > megabytes << 20:
        size = one.archived.size if one.archived else one.path.stat().st_size
        raise UnreadableFile(
            f"The file has {size >> 20} MB, and {megabytes} MB is the most. "
            "Clear the outputs, save the notebook, and hand it in again."
        )
    return data


def _read(one: Entry | Submission, most: int) -> bytes:
    return one.archived.read(most) if one.archived else read_file(one.path, most)


def _entries(folder: Path, results: Path | None) -> Iterable[Entry]:
    """Return what was found, of the folders those that should hold a notebook and hold none."""
    entries = _everything(folder, results)
    full = {
        parent for e in entries if e.kind in ("notebook", "closed") for parent in e.path.parents
    }
    empty = Entry(folder, "folder")
    for entry in entries:
        if entry.kind == "folder":
            if lesson_in(entry.path.name) is None or entry.path in full:
                continue
            if entry.path.is_relative_to(empty.path) and empty.path != folder:
                continue  # in one that is named already
            empty = entry
        if entry.kind != "empty" or lesson_in(entry.path.name) is None:
            yield entry


def _everything(folder: Path, results: Path | None) -> list[Entry]:
    """Return what stands below a folder, or in an archive, and in the archives there."""
    if folder.is_file():
        return list(look_into(folder, is_root=True))
    found = walk(folder, results.resolve() if results else None)
    return [e for one in found for e in (look_into(one.path) if one.kind == "archive" else [one])]


def _lesson_of(entry: Entry, place: PurePath) -> str | None:
    if entry.kind == "closed":  # what stands above it says what it holds
        return next(filter(None, map(lesson_in, reversed(place.parts))), None)
    lesson = _lesson_inside(entry) if entry.kind == "notebook" else None
    lesson = lesson or lesson_in(place.stem)
    return lesson or lesson_in(place.parent.name if len(place.parts) > 1 else "")


def _lesson_inside(entry: Entry) -> str | None:
    """Return the lesson that a notebook starts, or else whose exercises it holds."""
    try:
        text = _read(entry, _LOOKED_AT)
    except UnreadableFile:
        return None
    for pattern in (rb'start_lesson\(\\?["\'](\d\d)', rb'"exercise":\s*"(\d\d)\.\d+"'):
        numbers = set(re.findall(pattern, text))
        if len(numbers) == 1:
            number = numbers.pop().decode()
            return number if number in {x.number for x in LESSONS} else None
    return None


def _drop_second_layouts(owned: dict[PurePath, Owner], found: SubmissionsFound) -> None:
    """Keep each student's submissions in one layout: in another, anybody could use the name."""
    students: dict[str, set[str]] = {}
    for owner in owned.values():
        students.setdefault(owner.family, set()).add(owner.student)
    usual = sorted(students, key=lambda family: (-len(students[family]), family))
    for place, owner in list(owned.items()):
        family = next(family for family in usual if owner.student in students[family])
        if owner.family != family:
            found.contradictions.append(
                f"{shown(str(place))} is named like work of {shown(owner.student)}, whose "
                "submissions stand elsewhere, named in another way. It was not graded: if it is "
                "theirs, move it there."
            )
            del owned[place]


def _name_claims(owned: dict[PurePath, Owner], found: SubmissionsFound) -> None:
    students = {owner.student for owner in owned.values()}
    for place, owner in owned.items():
        if others := claimed(owner, students):
            found.contradictions.append(
                f"{shown(str(place))} is named like work of {shown(', '.join(others))}, and came "
                f"from {shown(owner.student)}: it was graded as work of {shown(owner.student)}."
            )


def _tell_namesakes_apart(
    owned: dict[PurePath, Owner], lessons: dict[PurePath, str], found: SubmissionsFound
) -> None:
    """Add the learning system's id to a name that several students have."""
    ids: dict[tuple[str, str], set[str]] = {}
    for place, owner in owned.items():
        ids.setdefault((owner.student, lessons[place]), set()).add(owner.id)
    several = {student: sorted(own) for (student, _), own in ids.items() if len(own) > 1}
    for student, own in several.items():
        found.contradictions.append(
            f"Several students are named {shown(student)}: {shown(', '.join(own))}. They were "
            "graded apart, each under a name with this addition."
        )
    for place, owner in owned.items():
        if owner.student in several:
            owned[place] = replace(owner, student=f"{owner.student} ({owner.id})")


def _with_newest_counting(submissions: Iterable[Submission]) -> list[Submission]:
    newest: dict[tuple[str, str], Submission] = {}
    listed = sorted(submissions, key=lambda s: (s.time, copy_number(s.path.stem), s.place))
    for one in listed:
        newest[one.student, one.lesson] = one
    return [
        replace(one, counts=newest[one.student, one.lesson] is one)
        for one in sorted(listed, key=lambda s: (s.student, s.lesson, s.time, s.place))
    ]


def _crowded(owned: dict[PurePath, Owner], lessons: dict[PurePath, str]) -> dict[str, list[str]]:
    """Return, by student's folder, names below it that stand beside one another for a lesson."""
    names: dict[tuple[str, str], set[str]] = {}
    for place, owner in owned.items():
        if owner.id or not owner.rest:
            continue
        if len(owner.rest) == 1:
            around = around_lesson(PurePath(owner.rest[0]).stem)
            name = around[0] if around else ""
        else:
            name = "" if lesson_in(owner.rest[0]) else owner.rest[0]
        names.setdefault((owner.student, lessons[place]), set()).add(shown(name))
    crowded = {student: found for (student, _), found in names.items() if len(found) > 1}
    return {shown(student): sorted(filter(None, found)) for student, found in crowded.items()}

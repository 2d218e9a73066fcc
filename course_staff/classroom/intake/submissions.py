"""Finding what was handed in: whose it is, which lesson it answers, and when it came."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from itertools import combinations
from pathlib import Path, PurePath

from course_utils.workspace.curriculum import LESSONS

from .files import UnreadableFile, is_archive, read_file, shown
from .roster import Roster
from .walking import Entry, walk
from .whose import (
    HAND_IN,
    Owner,
    Reply,
    around_lesson,
    claimed,
    copy_number,
    in_drop_box,
    lesson_in,
    owners_of,
)

__all__ = ["Submission", "SubmissionsFound", "find_submissions", "read_data"]

_LARGEST = 64 << 20  # bytes that are compared
_LOOKED_AT = 4_000_000  # bytes of a notebook that are searched for its lesson

Owners = dict[PurePath, Owner]


@dataclass(frozen=True)
class Submission:
    """One notebook that was handed in; ``counts`` is false where a newer one replaces it.

    ``place`` is the path below the folder of submissions, for tables, and ``path`` where it can be
    read; ``trouble`` says why it cannot be, where that is known. ``has_time`` is false where no
    more than the time of a download is known. ``archive`` is the place of the outermost archive
    that holds the notebook, and ``minutes`` how long the student worked, where that was handed in.
    ``reply`` is where feedback goes that is uploaded to a learning system.
    """

    student: str
    lesson: str
    path: Path
    place: str
    time: float
    counts: bool = True
    trouble: str = ""
    has_time: bool = True
    archive: str = ""
    minutes: int | None = None
    reply: Reply | None = None

    @property
    def file(self) -> str:
        """The place of the notebook, or of the archive that holds it."""
        return self.archive or self.place

    @property
    def when(self) -> str:
        """The time of submission, such as ``2026-03-01 18:05:00 UTC``; empty if nobody knows it."""
        if not self.has_time:
            return ""
        return f"{datetime.fromtimestamp(self.time, timezone.utc):%Y-%m-%d %H:%M:%S} UTC"


@dataclass(frozen=True)
class SubmissionsFound:
    """All submissions, the layouts they were found in, and what else is there.

    ``unrecognised`` are notebooks of no lesson or no student. ``crowded`` are students' folders in
    which several names are beside one another for a lesson, and may be the students.
    ``contradictions`` say, a sentence each, where a name claims what another denies, and ``notes``
    how students of one name were told apart. ``repeats`` are the places of what was downloaded, or
    handed in, once more, byte for byte.
    ``other_files`` are no notebooks, or empty folders, or links to folders, which are not followed,
    or notebooks that programs hide.
    """

    submissions: list[Submission] = field(default_factory=list)
    layouts: dict[str, int] = field(default_factory=dict)
    unrecognised: list[str] = field(default_factory=list)
    crowded: dict[str, list[str]] = field(default_factory=dict)
    contradictions: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    repeats: list[str] = field(default_factory=list)
    other_files: list[str] = field(default_factory=list)


def find_submissions(
    folder: Path, unpacked: Path, results: Path | None = None, roster: Roster | None = None
) -> SubmissionsFound:
    """Find every submission below ``folder``, or in the archive of that name.

    Three layouts are read, also mixed: nbgrader's ``student/lesson/lesson.ipynb``, a folder for
    each student, and flat ``student_lesson.ipynb`` or ``lesson_student.ipynb``; each of them may
    also be in a folder for each lesson. The names in what Moodle, Canvas and Blackboard hand out
    are read at the beginning of a path. A lesson is known by the exercises that the notebook holds,
    or else by its name in the file's or the folder's name. An archive is read as a folder of its
    name.

    Parameters
    ----------
    folder : Path
        A folder, or the zip of a class.
    unpacked : Path
        A folder for what archives hold; the submissions can be read as long as it is there.
    results : Path, optional
        A folder that is left out.
    roster : Roster, optional
        Who is in the class. A student on it has the name that it gives, in whatever form the
        submissions name them.

    Raises
    ------
    OSError
        If the folder cannot be listed, or ``unpacked`` cannot be written.
    UnreadableFile
        If it is an archive, and cannot be read.
    """
    if (folder / "submitted").is_dir():  # the folder of a whole nbgrader course
        folder = folder / "submitted"
    found = walk(folder, unpacked, results.resolve() if results else None)
    entries = list(_without_full_folders(list(found)))
    lessons = _lessons_of(entries)
    handed_in = {entry.place: entry for entry in entries if entry.place in lessons}
    others = [entry for entry in entries if _is_other(entry, lessons)]
    of_no_lesson = [e for e in entries if e.place not in lessons and e not in others]
    name = folder.resolve().stem if folder.is_file() else folder.resolve().name
    owners, put_by_others = in_drop_box(owners_of(lessons, name), folder)
    of_nobody = [handed_in[place] for place, owner in owners.items() if not owner.student]
    owners = {place: owner for place, owner in owners.items() if owner.student}
    owners, named_twice = _in_one_layout(owners)
    claims = _claims(owners, roster)
    owners, namesakes = _namesakes_apart(owners, lessons, roster)
    found_here = [
        _submission(handed_in[place], owner, lessons[place]) for place, owner in owners.items()
    ]
    if roster:
        found_here = [replace(s, student=roster.known_as(s.student)) for s in found_here]
    submissions = _with_newest_counting(_without_repeats(found_here))
    kept = {submission.place for submission in submissions}
    return SubmissionsFound(
        submissions=submissions,
        layouts=dict(Counter(o.layout for place, o in owners.items() if shown(str(place)) in kept)),
        unrecognised=[
            f"{shown(str(entry.place))}{entry.why and f' ({entry.why})'}"
            for entry in (*of_no_lesson, *of_nobody)
        ],
        crowded=_crowded(owners, lessons),
        contradictions=[*put_by_others, *named_twice, *claims],
        notes=namesakes,
        repeats=sorted({submission.place for submission in found_here} - kept),
        other_files=[
            shown(str(entry.place)) + (f" ({entry.kind})" if entry.kind in _SAID_KINDS else "")
            for entry in others
        ],
    )


def read_data(submission: Submission, megabytes: int) -> bytes:
    """Return the bytes of a submission.

    Raises
    ------
    UnreadableFile
        If it is not an ordinary file, or larger than a notebook may be.
    """
    if submission.trouble:
        raise UnreadableFile(submission.trouble)
    data = read_file(submission.path, megabytes << 20)
    if len(data) > megabytes << 20:
        raise UnreadableFile(
            f"The file is {submission.path.stat().st_size >> 20} MB, and the limit is {megabytes} "
            "MB. Clear the outputs, save the notebook, and hand it in again."
        )
    return data


_SAID_KINDS = ("empty", "hidden")


def _is_other(entry: Entry, lessons: dict[PurePath, str]) -> bool:
    """Tell whether an entry is no notebook, and was not handed in as one."""
    is_link = entry.kind == "linked" and entry.place not in lessons
    return is_link or entry.kind in ("other", *_SAID_KINDS)


def _without_full_folders(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yield the entries, of the folders only those that should hold a notebook and hold none."""
    full = {
        parent
        for entry in entries
        if entry.kind in ("notebook", "closed")
        for parent in entry.place.parents
    }
    missing: set[PurePath] = set()
    for entry in entries:
        is_for_lesson = lesson_in(entry.place.name) is not None
        if entry.kind == "folder":
            is_named = missing.intersection(entry.place.parents)  # the folder that it is in
            if entry.place in full or is_named or not is_for_lesson:
                continue
            missing.add(entry.place)
        if entry.kind != "empty" or not is_for_lesson:
            yield entry


def _lessons_of(entries: Sequence[Entry]) -> dict[PurePath, str]:
    """Return the lesson of each entry that was handed in for one."""
    lessons: dict[PurePath, str] = {}
    for entry in entries:
        lesson = None if entry.kind in ("other", *_SAID_KINDS) else _lesson_of(entry)
        if lesson is not None:
            lessons[entry.place] = lesson
    if len(set(lessons.values())) == 1:
        closed = [e.place for e in entries if e.kind == "closed" and is_archive(e.place.name)]
        (lesson,) = set(lessons.values())  # what everybody handed in
        lessons = dict.fromkeys(closed, lesson) | lessons
    return lessons


def _lesson_of(entry: Entry) -> str | None:
    place = entry.place
    if entry.kind == "closed":  # what is above it says what it holds
        return next(filter(None, map(lesson_in, reversed(place.parts))), None)
    lesson = _lesson_inside(entry) if entry.kind == "notebook" else None
    lesson = lesson or lesson_in(place.stem)
    return lesson or lesson_in(place.parent.name if len(place.parts) > 1 else "")


def _lesson_inside(entry: Entry) -> str | None:
    """Return the lesson that a notebook starts, or else whose exercises it holds."""
    try:
        text = read_file(entry.path, _LOOKED_AT)
    except UnreadableFile:
        return None
    for pattern in (rb'start_lesson\(\\?["\'](\d\d)', rb'"exercise":\s*"(\d\d)\.\d+"'):
        numbers = set(re.findall(pattern, text))
        if len(numbers) == 1:
            number = numbers.pop().decode()
            return number if number in {lesson.number for lesson in LESSONS} else None
    return None


def _in_one_layout(owners: Owners) -> tuple[Owners, list[str]]:
    """Return each student's submissions in one layout: in another, anybody could use the name."""
    students: dict[str, set[str]] = {}
    for owner in owners.values():
        students.setdefault(owner.family, set()).add(owner.student)
    families = sorted(students, key=lambda family: (-len(students[family]), family))
    kept, problems = {}, []
    for place, owner in owners.items():
        if owner.family == next(f for f in families if owner.student in students[f]):
            kept[place] = owner
        else:
            problems.append(
                f"{shown(str(place))} is named after {shown(owner.student)}, but their other "
                "submissions are in a different place and are named differently. It was not "
                "graded. If it is theirs, move it to where their other submissions are."
            )
    return kept, problems


def _claims(owners: Owners, roster: Roster | None) -> list[str]:
    """Say where a student's files have the name of another student, and not only of a login."""
    students = {owner.student for owner in owners.values()}
    places: dict[tuple[str, str], list[str]] = {}
    for place, owner in owners.items():
        own = roster.member(owner.student) if roster else None
        others = [
            name
            for name in claimed(owner, students)
            if not (roster and own and roster.member(name) is own)
        ]
        if others:
            key = shown(owner.student), shown(", ".join(others))
            places.setdefault(key, []).append(shown(str(place)))
    return [
        f"{first}{f' (and {len(more)} more)' if more else ''} is named after {others}, but came "
        f"from {student}. It was graded as the work of {student}. If that is wrong, move it to the "
        "right student and grade again."
        for (student, others), (first, *more) in places.items()
    ]


def _namesakes_apart(
    owners: Owners, lessons: dict[PurePath, str], roster: Roster | None
) -> tuple[Owners, list[str]]:
    """Add the learning system's id to a name that several students have.

    Where the roster knows all of these ids, there is nothing to say of it.
    """
    names: dict[str, set[str]] = {}  # of each download
    ids: dict[tuple[str, str], set[tuple[str, str]]] = {}  # and the download that has it
    for place, owner in owners.items():
        download = owner.reply.download if owner.reply else ""
        names.setdefault(download, set()).add(owner.student)
        ids.setdefault((owner.student, lessons[place]), set()).add((download, owner.id))
    several: dict[str, list[str]] = {}
    renumbered: set[str] = set()
    for (student, _), numbered in ids.items():
        of_name = {id_ for _, id_ in numbered}
        if len(of_name) > 1 and _is_one_student(numbered, names):
            renumbered.add(student)
        elif len(of_name) > 1:
            several[student] = sorted(of_name)
    notes = [
        f"Several students are named {shown(student)}. They were graded separately, as "
        f"{shown(' and '.join(f'{student} ({id_})' for id_ in of_name))}."
        for student, of_name in several.items()
        if not (roster and all(roster.member(f"{student} ({id_})") for id_ in of_name))
    ]
    if merged := sorted(renumbered - several.keys()):
        notes.append(
            f"{shown(', '.join(merged))}: the number after the name differs from download to "
            "download, as it does for different assignments in Moodle. All submissions with the "
            "same name were graded as one student's."
        )
    apart = {
        place: replace(owner, student=f"{owner.student} ({owner.id})")
        for place, owner in owners.items()
        if owner.student in several
    }
    return owners | apart, notes


def _is_one_student(numbered: set[tuple[str, str]], names: dict[str, set[str]]) -> bool:
    """Tell whether the ids that a name has, each in its download, may be one student's.

    Moodle numbers the students of each assignment anew. So they may, if each download has one, and
    the downloads are of one class: they have most of their names in common. Groups of one class,
    downloaded separately, have few.
    """
    downloads = [download for download, _ in numbered]
    if len(set(downloads)) < len(downloads):
        return False
    return all(
        2 * len(names[a] & names[b]) > min(len(names[a]), len(names[b]))
        for a, b in combinations(downloads, 2)
    )


def _submission(entry: Entry, owner: Owner, lesson: str) -> Submission:
    time, is_known = _when(entry, owner)
    return Submission(
        student=shown(owner.student),
        lesson=lesson,
        path=entry.path,
        place=shown(str(entry.place)),
        time=time,
        trouble=entry.why,
        has_time=is_known,
        archive=shown(str(entry.archive)) if entry.archive else "",
        minutes=entry.minutes,
        reply=owner.reply,
    )


def _when(entry: Entry, owner: Owner) -> tuple[float, bool]:
    """Return the time of a submission, and whether it is more than the time of a download.

    In a learning system's download only names say when something came: the times of its files are
    that of the download, and a time stamp beside a notebook is a student's file.
    """
    if owner.arrived is not None:
        return owner.arrived, True
    if named := owner.at or owner.packed:
        is_utc = owner.layout == HAND_IN or not owner.at
        zone = timezone.utc if is_utc else None
        with suppress(ValueError, OverflowError):
            moment = datetime(*map(int, named.split("-")), tzinfo=zone)  # type: ignore[misc, arg-type]
            return moment.timestamp(), True
    time = _file_time(entry.path) if entry.time is None else entry.time
    stamp = None if owner.id or entry.time is not None else _time_stamp(entry.path)
    return (time, not owner.id) if stamp is None else (stamp, True)


def _time_stamp(path: Path) -> float | None:
    """Return the time in nbgrader's file beside a notebook, if there is one."""
    try:
        text = read_file(path.parent / "timestamp.txt", 100).decode().strip().removesuffix(" UTC")
        moment = datetime.fromisoformat(text)
        seconds = (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()
        datetime.fromtimestamp(seconds, timezone.utc)  # in the years 1 to 9999 there, too
        return seconds
    except (UnreadableFile, ValueError):
        return None


def _file_time(path: Path) -> float:
    """Return the time at which a file was last changed."""
    try:
        seconds = path.lstat().st_mtime
        datetime.fromtimestamp(seconds, timezone.utc)
        return seconds
    except (OSError, ValueError, OverflowError):
        return 0.0


def _by_age(submissions: Iterable[Submission]) -> list[Submission]:
    return sorted(submissions, key=lambda s: (s.time, _copy_number(s), s.place))


def _copy_number(submission: Submission) -> tuple[int, int]:
    """Return the numbers that a browser adds to a second download, and to a second notebook."""
    download = re.search(r"\((\d+)\)$", PurePath(submission.archive).stem)
    return int(download[1]) if download else 0, copy_number(submission.path.stem)


def _without_repeats(submissions: Iterable[Submission]) -> Iterator[Submission]:
    """Yield the submissions but those that repeat a student's last one, byte for byte.

    They were downloaded again, or handed in again with other lessons. Where no more than the time
    of a download is known, those that repeat any earlier one are also left out.
    """
    by_student: dict[tuple[str, str], list[Submission]] = {}
    for submission in _by_age(submissions):
        by_student.setdefault((submission.student, submission.lesson), []).append(submission)
    for of_student in by_student.values():
        last, seen = "", set()
        for submission in of_student:
            digest = _digest(submission) if len(of_student) > 1 else ""
            is_repeat = digest == last or (digest in seen and not submission.has_time)
            if not digest or not is_repeat:
                yield submission
            last = digest
            seen.add(digest)


def _digest(submission: Submission) -> str:
    """Return what tells the content of two submissions apart; nothing where it cannot be read."""
    try:
        data = b"" if submission.trouble else read_file(submission.path, _LARGEST)
    except UnreadableFile:
        return ""
    return hashlib.sha256(data).hexdigest() if 0 < len(data) <= _LARGEST else ""


def _with_newest_counting(submissions: Iterable[Submission]) -> list[Submission]:
    listed = _by_age(submissions)
    newest = {(s.student, s.lesson): s for s in listed}
    return [
        replace(s, counts=newest[s.student, s.lesson] is s)
        for s in sorted(listed, key=lambda s: (s.student, s.lesson, s.time, s.place))
    ]


def _crowded(owners: Owners, lessons: dict[PurePath, str]) -> dict[str, list[str]]:
    """Return, by student's folder, names below it that are beside one another for a lesson."""
    names: dict[tuple[str, str], set[str]] = {}
    for place, owner in owners.items():
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

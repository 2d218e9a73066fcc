"""Whose a submission is, read from its path and its owner; the notebook itself is not asked.

Notes
-----
A student controls the names of the files that they hand in, and of the folders in their own. So
only the first part of a path says whose it is, below a folder for a lesson or for a download. Only
there is a learning system's form of names looked for. In a drop box, where students themselves
put files, the file system knows who put them there.
"""

import os
import re
import stat
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path, PurePath

from course_utils.workspace.curriculum import LESSONS

from .files import is_archive, shown

__all__ = [
    "HAND_IN",
    "Owner",
    "Reply",
    "around_lesson",
    "claimed",
    "copy_number",
    "in_drop_box",
    "is_download",
    "lesson_in",
    "owners_of",
]

# What browsers, file managers, JupyterLab and Canvas add to the name of a second copy.
_COPY = r"(copy)?[ _-]*\(?(?P<number>\d*)\)?"

HAND_IN, _DROP_BOX = "course hand-in", "drop box"
_FEW = 4  # names, of which all must be a learning system's

# How learning systems begin the names of the files and folders that they hand out.
_FORMS = {
    # Since Moodle 4.1, the name of a folder ends with "file", and before that with "file_".
    "Moodle's download": (
        r"(?P<student>.+?)_(?P<id>\d+)_assignsubmission_((file|onlinetext)(_|$))?"
    ),
    "Canvas's download": r"(?P<student>[^_]+)(_LATE)?_(?P<id>\d{3,})_\d{3,}_",
    "Canvas's anonymous download": (r"(LATE_)?(?P<student>anon_(?P<id>[A-Za-z0-9]{5}))_\d{3,}_"),
    "Blackboard's download": r"(?P<id>.+?_(?P<student>[^_]+))_attempt_(?P<at>\d{4}(-\d\d){2,5})_?",
    # Last, because a learning system puts its own words before these.
    HAND_IN: r"(?P<student>.+)_gradienttape_(?P<at>\d{4}(-\d\d){5})(\D.*)?$",
}


@dataclass(frozen=True)
class Owner:
    """Whose a path is.

    ``id`` is what the learning system adds to the name, ``rest`` what the student has named, and
    ``family`` tells apart the forms in which one student can be named. ``at`` is when the system
    says that it came, such as ``2026-11-20-10-10-10``, and ``arrived`` when it came into a drop
    box. ``packed`` is when `course hand-in` packed it, by the name of a file in ``rest``. ``reply``
    is where feedback goes that is uploaded to the learning system.
    """

    student: str
    layout: str
    family: str
    rest: tuple[str, ...]
    id: str = ""
    at: str = ""
    packed: str = ""
    arrived: float | None = None
    reply: "Reply | None" = None


@dataclass(frozen=True)
class Reply:
    """Where a learning system looks for the feedback on a submission.

    ``system`` is ``moodle`` or ``canvas``, ``download`` what tells one download of the batch from
    others, and ``prefix`` how names of files for this student begin.
    """

    system: str
    download: str
    prefix: str


def owners_of(places: Mapping[PurePath, str | None], folder: str) -> dict[PurePath, Owner]:
    """Return whose each path is.

    Parameters
    ----------
    places : dict of PurePath to str or None
        The paths below the folder of submissions, and the lesson of each.
    folder : str
        The name of that folder, which is the student's where a file names nobody.
    """
    parts = {place: _below_containers(place.parts) for place in places}
    # What `course hand-in` named may be beside what a learning system named.
    system = _system_of({p[0] for p in parts.values() if not _is_hand_in(p[0])})
    downloads = _downloads(parts.values(), system)
    owners = {}
    for place, lesson in places.items():
        path = parts[place]
        if path[0] in downloads and len(path) > 1:
            parts[place] = path[1:]
            owners[place] = _owner(path[1:], downloads[path[0]], lesson, folder)
        else:
            owners[place] = _owner(path, system, lesson, folder)
    replies = {place: _reply(place, parts[place], owner) for place, owner in owners.items()}
    first_download = _same_assignment(filter(None, replies.values()))
    for place, reply in replies.items():
        if reply is not None:
            reply = replace(reply, download=first_download[reply.download])
            owners[place] = replace(owners[place], reply=reply)
    return owners


def _downloads(paths: Collection[tuple[str, ...]], system: str | None) -> dict[str, str]:
    """Return the folders and archives that are downloads, and the learning system of each.

    The system has named most of what is in a download. A teacher may have renamed some of it, but
    students could only name what is in their own folders. So either all folders beside one another
    are downloads, or none is. An archive may be beside students' folders and other archives, unless
    it names one of these students, who may then be anybody.
    """
    inside: dict[str, set[str]] = {}
    for path in paths:
        if not (_is_hand_in(path[0]) or (system and re.match(_FORMS[system], path[0]))):
            inside.setdefault(path[0], set()).add(path[1] if len(path) > 1 else "")
    systems = {
        top: _system_of(names, all_of_them=len(names) < _FEW) for top, names in inside.items()
    }
    downloads = {top: name for top, name in systems.items() if name is not None}
    is_all = len(inside) == len({path[0] for path in paths})
    if is_all and downloads == systems and len(set(downloads.values())) == 1:
        return downloads
    students = {_normal(PurePath(top).stem) for top in inside if top not in downloads}
    return {
        top: name
        for top, name in downloads.items()
        if is_archive(top) and students.isdisjoint(_students_named(inside[top], name))
    }


def _students_named(names: Iterable[str], system: str) -> set[str]:
    matches = (re.match(_FORMS[system], name) for name in names)
    return {_normal(match["student"]) for match in matches if match}


def _is_hand_in(name: str) -> bool:
    """Tell whether `course hand-in` named this, and no learning system put words before it."""
    return next((form for form in _FORMS if re.match(_FORMS[form], name)), "") == HAND_IN


def _same_assignment(replies: Iterable[Reply]) -> dict[str, str]:
    """Return, for each download, the first that is of the same assignment.

    A learning system numbers the submissions of an assignment. So two downloads that have a prefix
    in common are of the same one.
    """
    prefixes: dict[str, set[str]] = {}
    for reply in replies:
        prefixes.setdefault(reply.download, set()).add(reply.prefix.rstrip("/"))
    first: dict[str, str] = {}
    for download in sorted(prefixes):
        first[download] = next(
            (first[other] for other in first if prefixes[other] & prefixes[download]), download
        )
    return first


def _reply(place: PurePath, parts: tuple[str, ...], owner: Owner) -> Reply | None:
    """Return where feedback goes: Moodle's and Canvas's own words at the beginning of the name."""
    system = owner.layout.partition("'")[0].lower()
    if system not in ("moodle", "canvas"):
        return None
    prefix = parts[0].removesuffix(owner.rest[0])
    download = "/".join(place.parts[: len(place.parts) - len(parts)])
    return Reply(system, download, f"{prefix}/" if len(parts) > 1 and not owner.rest[0] else prefix)


def in_drop_box(
    owners: dict[PurePath, Owner], folder: Path
) -> tuple[dict[PurePath, Owner], list[str]]:
    """Return whose each path is where students put files below ``folder``, and contradictions.

    In a folder where nobody can remove what others put there (``chmod +t``), that is the owner of
    each file; elsewhere only of what is named as `course hand-in` names it. What belongs to the
    owner of ``folder``, or to whoever grades, was collected or downloaded, and its name says whose
    it is.
    """
    if not folder.is_dir() or not hasattr(os, "geteuid"):
        return owners, []
    collectors = {folder.stat().st_uid, os.geteuid()}
    status = cache(lambda place: (folder / place).lstat())
    result = dict(owners)
    problems: dict[PurePath, str] = {}
    for place, owner in owners.items():
        put = _put_by_another(place, collectors, status)
        if put is None:
            continue
        is_sticky = bool(status(put.parent).st_mode & stat.S_ISVTX)
        if owner.layout != HAND_IN and not is_sticky:
            continue
        student = _login(status(put).st_uid)
        result[place] = Owner(student, _DROP_BOX, _DROP_BOX, (), arrived=_arrival(folder / place))
        if owner.student not in (student, folder.resolve().name):
            problems[put] = (
                f"{shown(str(put))} is named after {shown(owner.student)}, but {shown(student)} "
                f"put it there. It was graded as the work of {shown(student)}. If it is the work "
                f"of {shown(owner.student)}, ask them to hand it in."
            )
    return result, list(problems.values())


def _put_by_another(
    place: PurePath, collectors: Collection[int], status: Callable[[PurePath], os.stat_result]
) -> PurePath | None:
    """Return the highest folder of a path, or its file, that is of none of the collectors.

    Whoever owns a folder put there what is in it. It is None also for what is in an archive, or
    has gone meanwhile.
    """
    try:
        downwards = reversed([place, *place.parents])
        return next((p for p in downwards if status(p).st_uid not in collectors), None)
    except (OSError, ValueError):
        return None


def _login(uid: int) -> str:
    import pwd  # Windows has none, and there nothing gets here

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


def _arrival(path: Path) -> float:
    """Return when a file, or the archive that holds it, last changed: no student sets that time."""
    for place in (path, *path.parents):
        try:
            return place.lstat().st_ctime
        except (OSError, ValueError):  # in an archive
            continue
    return 0.0


def is_download(names: set[str]) -> bool:
    """Tell whether a learning system named all of these."""
    return _system_of(names, all_of_them=True) is not None


def _system_of(names: set[str], all_of_them: bool = False) -> str | None:
    """Return the learning system that named at least half of these, or all of them."""
    counts = {
        system: sum(re.match(pattern, name) is not None for name in names)
        for system, pattern in _FORMS.items()
    }
    system = max(counts, key=lambda system: counts[system])
    least = len(names) if all_of_them else len(names) / 2
    return system if names and counts[system] >= max(least, 1) else None


def claimed(owner: Owner, students: set[str]) -> list[str]:
    """Return the other students whose names the student has given to his files and folders."""
    found: list[str] = []
    for name in owner.rest:
        for system, pattern in _FORMS.items():
            named = {match["student"] for match in re.finditer(pattern, name)}
            # Canvas's form is no more than numbers between underscores, such as those of a date;
            # and a learning system rarely knows its students by their logins.
            found += named & students if system.startswith(("Canvas", HAND_IN)) else named
        stem = re.sub(r"\.ipynb$", "", name, flags=re.IGNORECASE)
        found += {stem, *(around_lesson(stem) or ())} & students
    return sorted({_normal(name) for name in found} - {owner.student})


def lesson_in(name: str) -> str | None:
    """Return the number of the lesson that a name contains, such as ``alice_01_first_tape (2)``."""
    normal = re.sub(r"[^a-z0-9]+", "_", name.lower())
    for lesson in LESSONS:
        if re.search(rf"(^|_){lesson.name}(_|$|copy)", normal):
            return lesson.number
    return None


def around_lesson(stem: str) -> tuple[str, str] | None:
    """Return what stands before and after a lesson's name; None where there is none."""
    for lesson in LESSONS:
        loose = lesson.name.replace("_", "[^a-zA-Z0-9]+")
        around = re.split(loose, stem, maxsplit=1, flags=re.IGNORECASE)
        if len(around) == 2:
            before, after = (_normal(part.strip("_- .")) for part in around)
            return before, after
    return None


def copy_number(stem: str) -> int:
    """Return the number of a copy, such as 2 for ``01_first_tape (2)``; 0 for the first."""
    around = around_lesson(stem)
    copy = re.fullmatch(_COPY, around[1], re.IGNORECASE) if around else None
    return int(copy["number"] or 0) if copy else 0


def _owner(parts: tuple[str, ...], system: str | None, lesson: str | None, folder: str) -> Owner:
    if system is None or re.match(_FORMS[system], parts[0]) is None:
        system = HAND_IN
    if named := re.match(_FORMS[system], parts[0]):
        rest = (parts[0][named.end() :], *parts[1:])
        match = named.groupdict()
        student, id_ = _normal(match["student"]), match.get("id", "")
        return Owner(student, system, system, rest, id_, match.get("at") or "", _packed(rest))
    if len(parts) > 1 and not is_archive(parts[0]):
        is_nbgrader = len(parts) == 3 and lesson_in(parts[1]) == lesson
        layout = "student/lesson/lesson.ipynb" if is_nbgrader else "student/..."
        return Owner(_normal(parts[0]), layout, "folders", parts[1:], packed=_packed(parts[1:]))
    student, layout = _named_in_file(PurePath(parts[0]).stem, lesson, folder)
    return Owner(_normal(student), layout, layout, parts[1:])


def _packed(names: Iterable[str]) -> str:
    """Return the time in the name of a zip that `course hand-in` wrote, the innermost one."""
    times = [match["at"] for name in names if (match := re.match(_FORMS[HAND_IN], name))]
    return times[-1] if times else ""


def _named_in_file(stem: str, lesson: str | None, folder: str) -> tuple[str, str]:
    around = around_lesson(stem)
    if around is None:
        number = rf"[-_. ]+(lesson)?[-_. ]*0*{int(lesson or 0)}$"  # ada_01, ada_lesson1
        return re.sub(number, "", stem, flags=re.IGNORECASE), "student_lesson.ipynb"
    before, after = around
    if not before and re.fullmatch(_COPY, after, re.IGNORECASE):
        return folder, "lesson.ipynb, in a folder named after the student"
    return before or after, "student_lesson.ipynb" if before else "lesson_student.ipynb"


def _below_containers(parts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the path below a folder that has the name of a lesson and nothing else."""
    normal = re.sub(r"[^a-z0-9]+", "_", parts[0].lower().removesuffix(".zip"))
    is_lesson = any(normal == lesson.name for lesson in LESSONS)
    return parts[1:] if is_lesson and len(parts) > 1 else parts


def _normal(name: str) -> str:
    return unicodedata.normalize("NFC", name)

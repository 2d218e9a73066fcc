"""Finding what was handed in: whose it is, which lesson it answers, and when it came."""

import os
import re
import stat
import unicodedata
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import BinaryIO

from course_utils.course.curriculum import LESSONS

__all__ = ["Submission", "SubmissionsFound", "UnreadableFile", "find_submissions", "read_data"]

_NOT_SUBMISSIONS = {"__pycache__", "__MACOSX", "node_modules"}
_LOOKED_AT = 4_000_000  # bytes of a notebook that are searched for its lesson

# What browsers, file managers, JupyterLab and Canvas add to the name of a second copy.
_COPY = r"(copy)?[ _-]*\(?(?P<number>\d*)\)?"

# How learning systems begin the names of the files and folders that they hand out.
_LEARNING_SYSTEMS = {
    "Moodle's download": r"(?P<student>.+?)_\d+_assignsubmission_",
    "Canvas's download": r"(?P<student>[^_]+)(_LATE)?_\d{3,}_\d{3,}_",
    "Blackboard's download": r".+_(?P<student>[^_]+)_attempt_\d{4}-\d\d-\d\d",
}


class UnreadableFile(Exception):
    """The file cannot be read as a notebook; the message says why, for the learner."""


@dataclass(frozen=True)
class Submission:
    """One notebook that was handed in; ``counts`` is false where a newer one replaces it."""

    student: str
    lesson: str
    path: Path
    place: str  # the path below the folder of submissions, for tables
    time: float
    counts: bool = True

    @property
    def when(self) -> str:
        """The time of submission, such as ``2026-03-01 18:05:00 UTC``."""
        return f"{datetime.fromtimestamp(self.time, timezone.utc):%Y-%m-%d %H:%M:%S} UTC"


@dataclass
class SubmissionsFound:
    """All submissions, the layouts they were found in, and what else stands there.

    ``unrecognised`` are notebooks of no lesson or no student. ``crowded`` are students' folders in
    which several names stand beside one another for a lesson, and may be the students.
    ``other_files`` are no notebooks, or empty folders, or links to folders, which are not followed.
    """

    submissions: list[Submission] = field(default_factory=list)
    layouts: dict[str, int] = field(default_factory=dict)
    unrecognised: list[str] = field(default_factory=list)
    crowded: dict[str, list[str]] = field(default_factory=dict)
    other_files: list[str] = field(default_factory=list)


def find_submissions(folder: Path, results: Path | None = None) -> SubmissionsFound:
    """Find every submission below ``folder``.

    Three layouts are read, also mixed: nbgrader's ``student/lesson/lesson.ipynb``, a folder for
    each student, and flat ``student_lesson.ipynb`` or ``lesson_student.ipynb``; each of them may
    also stand in a folder for each lesson. The names in what Moodle, Canvas and Blackboard hand out
    are read wherever they stand. A lesson is known by the exercises that the notebook holds, or
    else by its name in the file's or the folder's name. ``results`` is left out.

    Raises
    ------
    OSError
        If the folder cannot be listed.
    """
    found = SubmissionsFound()
    if (folder / "submitted").is_dir():  # the folder of a whole nbgrader course
        folder = folder / "submitted"
    skipped = results.resolve() if results else None
    for parent, folders, files in os.walk(folder, onerror=_raise):
        here = Path(parent)
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in _NOT_SUBMISSIONS
            and (here / name).resolve() != skipped
        )
        if not folders and not files and here != folder and _lesson_in(here.name) is None:
            found.other_files.append(f"{here.relative_to(folder)} (empty)")
        for name in list(folders):
            is_place_of_file = _is_notebook(name)
            if is_place_of_file or _is_empty_assignment(here / name):
                _add(found, folder, here / name)
            elif (here / name).is_symlink():
                found.other_files.append(str((here / name).relative_to(folder)))
            if is_place_of_file:
                folders.remove(name)
        for name in sorted(files):
            if name.startswith(".") or name == "timestamp.txt":
                continue
            if _is_notebook(name):
                _add(found, folder, here / name)
            else:
                found.other_files.append(str((here / name).relative_to(folder)))
    found.submissions = _with_newest_counting(found.submissions)
    found.crowded = _crowded(found.submissions)
    return found


def read_data(path: Path, folder: Path, megabytes: int) -> bytes:
    """Return the bytes of a submission.

    Raises
    ------
    UnreadableFile
        If it is not an ordinary file below ``folder``, or larger than a notebook may be.
    """
    if not path.resolve().is_relative_to(folder.resolve()):
        raise UnreadableFile("This is a link to a place outside the submissions.")
    try:
        with _opened(path) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise UnreadableFile("This is not an ordinary file.")
            if status.st_size > megabytes << 20:
                raise UnreadableFile(
                    f"The file has {status.st_size >> 20} MB, and {megabytes} MB is the most. "
                    "Clear the outputs, save the notebook, and hand it in again."
                )
            return file.read((megabytes << 20) + 1)
    except IsADirectoryError:
        raise UnreadableFile("Here stands a folder without a notebook in it.") from None
    except OSError as error:
        raise UnreadableFile(f"The file cannot be opened: {error.strerror}.") from None


def _opened(path: Path) -> BinaryIO:
    """Open a file without waiting, because a pipe in its place would never end."""
    return open(path, "rb", opener=lambda p, flags: os.open(p, flags | os.O_NONBLOCK))


def _is_notebook(name: str) -> bool:
    return name.lower().endswith(".ipynb")


def _raise(error: OSError) -> None:
    raise error


def _add(found: SubmissionsFound, folder: Path, path: Path) -> None:
    place = path.relative_to(folder)
    lesson = _lesson_inside(path) or _lesson_in(path.stem)
    lesson = lesson or _lesson_in(path.parent.name if len(place.parts) > 1 else "")
    student, layout = _student_of(place, folder, lesson)
    if lesson is None or not student:
        found.unrecognised.append(str(place))
        return
    found.layouts[layout] = found.layouts.get(layout, 0) + 1
    student = unicodedata.normalize("NFC", student)
    found.submissions.append(Submission(student, lesson, path, str(place), _time_of(path)))


def _lesson_in(name: str) -> str | None:
    """Return the number of the lesson that a name contains, such as ``alice_01_first_tape (2)``."""
    normal = re.sub(r"[^a-z0-9]+", "_", name.lower())
    for lesson in LESSONS:
        if re.search(rf"(^|_){lesson.name}(_|$|copy)", normal):
            return lesson.number
    return None


def _lesson_inside(path: Path) -> str | None:
    """Return the lesson that a notebook starts, or else whose exercises it holds."""
    try:
        with _opened(path) as file:
            text = file.read(_LOOKED_AT)
    except OSError:
        return None
    for pattern in (rb'start_lesson\(\\?["\'](\d\d)', rb'"exercise":\s*"(\d\d)\.\d+"'):
        numbers = set(re.findall(pattern, text))
        if len(numbers) == 1:
            number = numbers.pop().decode()
            return number if number in {x.number for x in LESSONS} else None
    return None


def _student_of(place: Path, folder: Path, lesson: str | None) -> tuple[str, str]:
    for layout, pattern in _LEARNING_SYSTEMS.items():
        for named in filter(None, (re.match(pattern, part) for part in place.parts)):
            return named["student"], layout
    if len(place.parts) > 1 and _is_lesson(place.parts[0]):  # a folder for each lesson
        return _student_of(place.relative_to(place.parts[0]), folder, lesson)
    if len(place.parts) > 1:
        is_nbgrader = len(place.parts) == 3 and _lesson_in(place.parts[1]) == lesson
        return place.parts[0], "student/lesson/lesson.ipynb" if is_nbgrader else "student/..."
    around = _around_lesson(place.stem)
    if around is None:
        number = rf"[-_. ]+(lesson)?[-_. ]*0*{int(lesson or 0)}$"  # ada_01, ada_lesson1
        return re.sub(number, "", place.stem, flags=re.IGNORECASE), "student_lesson.ipynb"
    before, after = around
    if not before and re.fullmatch(_COPY, after, re.IGNORECASE):
        return folder.resolve().name, "lesson.ipynb, named after its folder"
    return before or after, "student_lesson.ipynb" if before else "lesson_student.ipynb"


def _around_lesson(stem: str) -> tuple[str, str] | None:
    """Return what stands before and after a lesson's name; None where there is none."""
    for lesson in LESSONS:
        loose = lesson.name.replace("_", "[^a-zA-Z0-9]+")
        around = re.split(loose, stem, maxsplit=1, flags=re.IGNORECASE)
        if len(around) == 2:
            before, after = (part.strip("_- .") for part in around)
            return before, after
    return None


def _is_lesson(name: str) -> bool:
    """Tell whether a folder's name is that of a lesson and nothing else."""
    normal = re.sub(r"[^a-z0-9]+", "_", name.lower())
    return any(normal == lesson.name for lesson in LESSONS)


def _is_empty_assignment(path: Path) -> bool:
    """Tell whether a folder with a lesson's name holds no notebook, at any depth."""
    return _lesson_in(path.name) is not None and not any(
        _is_notebook(inner.name) for inner in path.rglob("*")
    )


def _time_of(path: Path) -> float:
    """Return nbgrader's time stamp, or else the time at which the file was last changed."""
    try:
        with _opened(path.parent / "timestamp.txt") as file:
            text = file.read(100).decode().strip().removesuffix(" UTC")
        moment = datetime.fromisoformat(text)
        seconds = (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()
        datetime.fromtimestamp(seconds, timezone.utc)  # in the years 1 to 9999 there, too
        return seconds
    except (OSError, ValueError):
        try:
            return path.lstat().st_mtime
        except OSError:
            return 0.0


def _with_newest_counting(submissions: list[Submission]) -> list[Submission]:
    newest: dict[tuple[str, str], Submission] = {}
    for one in sorted(submissions, key=lambda s: (s.time, _copy_number(s.path), s.place)):
        newest[one.student, one.lesson] = one
    return [
        Submission(s.student, s.lesson, s.path, s.place, s.time, newest[s.student, s.lesson] is s)
        for s in sorted(submissions, key=lambda s: (s.student, s.lesson, s.time, s.place))
    ]


def _copy_number(path: Path) -> int:
    """Return the number of a copy, such as 2 for ``01_first_tape (2)``; 0 for the first."""
    around = _around_lesson(path.stem)
    copy = re.fullmatch(_COPY, around[1], re.IGNORECASE) if around else None
    return int(copy["number"] or 0) if copy else 0


def _crowded(submissions: list[Submission]) -> dict[str, list[str]]:
    """Return, by student's folder, names below it that stand beside one another for a lesson."""
    names: dict[tuple[str, str], set[str]] = {}
    for one in submissions:
        parts = Path(one.place).parts
        if len(parts) == 1 or unicodedata.normalize("NFC", parts[0]) != one.student:
            continue
        if len(parts) == 2:
            around = _around_lesson(Path(parts[1]).stem)
            name = around[0] if around else ""
        else:
            name = "" if _lesson_in(parts[1]) else parts[1]
        names.setdefault((one.student, one.lesson), set()).add(name)
    crowded = {student: found for (student, _), found in names.items() if len(found) > 1}
    return {student: sorted(filter(None, found)) for student, found in crowded.items()}

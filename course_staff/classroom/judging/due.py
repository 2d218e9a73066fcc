"""Due dates: which submissions came late, by the time that the learning system noted.

A CSV says them, one line a lesson: lesson, due, and, if wanted, grace and student. A line with a
student is an extension. Nobody loses points here: what lateness costs, a teacher decides.
"""

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from course_utils.workspace.curriculum import LESSONS

from ..intake.roster import Roster
from ..intake.submissions import Submission
from .rows import BadInput, Row

__all__ = ["Due", "late", "read_due", "with_lateness", "without_time"]

_UNITS = {"min": 60, "h": 3_600, "d": 86_400}


@dataclass(frozen=True)
class Due:
    """When a lesson is due, in seconds since 1970, and how much later is still in time."""

    lesson: str
    at: float
    grace: float = 0.0
    student: str = ""


def read_due(path: Path) -> list[Due]:
    """Return the due dates that a file holds.

    Raises
    ------
    BadInput
        If the file cannot be read, or a line is no due date; the message names the line.
    """
    try:
        lines = csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines())
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8"
        raise BadInput(f"{path} cannot be read: {why}.") from None
    if not {"lesson", "due"} <= set(lines.fieldnames or []):
        raise BadInput(
            f"The first line of {path} should be lesson,due or lesson,due,grace,student, and is "
            f"{','.join(lines.fieldnames or []) or 'empty'}."
        )
    return [_due(line, f"Line {number} of {path}") for number, line in enumerate(lines, start=2)]


def with_lateness(
    rows: Iterable[Row],
    submissions: Iterable[Submission],
    dates: Sequence[Due],
    roster: Roster | None = None,
) -> list[Row]:
    """Return the rows, those of late submissions with how late they came.

    Raises
    ------
    BadInput
        If an extension is for somebody who is not on the roster.
    """
    for due in dates:
        if roster and due.student and roster.member(due.student) is None:
            raise BadInput(f"{due.student}, who has an extension, is not on the roster.")
    words = {one.place: late(one, dates, roster) for one in submissions}
    return [replace(row, late=words[row.submission]) for row in rows]


def late(one: Submission, dates: Sequence[Due], roster: Roster | None = None) -> str:
    """Return how late a submission came, and who says so; nothing where it was in time."""
    if one.is_late is not None:
        return "as Canvas says" if one.is_late else ""
    due = _due_of(one, dates, roster)
    if due is None or not one.clock or one.time <= due.at + due.grace:
        return ""
    return f"{_in_words(one.time - due.at)} after it was due, by {one.clock}"


def without_time(submissions: Iterable[Submission], dates: Sequence[Due]) -> list[Submission]:
    """Return the submissions that count, have a due date, and came at nobody knows what time."""
    lessons = {due.lesson for due in dates}
    return [
        one
        for one in submissions
        if one.counts and one.lesson in lessons and not one.clock and one.is_late is None
    ]


def _due_of(one: Submission, dates: Sequence[Due], roster: Roster | None) -> Due | None:
    """Return what holds for a submission: the student's own line, or else that of the lesson."""

    def is_of(due: Due) -> bool:
        member = roster.member(due.student) if roster else None
        if roster is None or member is None:
            return due.student == one.student
        return due.student == one.student or member is roster.member(one.student)

    own = [due for due in dates if due.lesson == one.lesson and due.student and is_of(due)]
    common = [due for due in dates if due.lesson == one.lesson and not due.student]
    return next(iter(own or common), None)


def _due(line: dict[str, str | None], where: str) -> Due:
    cells = {name: (line.get(name) or "").strip() for name in ("lesson", "due", "grace", "student")}
    number = cells["lesson"].zfill(2)
    if number not in {lesson.number for lesson in LESSONS}:
        raise BadInput(f"{where}: there is no lesson {cells['lesson']!r}.")
    try:
        at = datetime.fromisoformat(cells["due"]).timestamp()
    except (ValueError, OverflowError, OSError):
        raise BadInput(
            f"{where}: due should be a time such as 2026-10-05 18:00, or 2026-10-05 18:00+02:00, "
            f"and is {cells['due']!r}."
        ) from None
    grace = re.fullmatch(r"(\d+)\s*(min|h|d)", cells["grace"] or "0 min")
    if grace is None:
        raise BadInput(f"{where}: grace should be such as 15 min, 2 h or 1 d.")
    return Due(number, at, float(grace[1]) * _UNITS[grace[2]], cells["student"])


def _in_words(seconds: float) -> str:
    """Return a span in its two largest units.

    >>> _in_words(90_061), _in_words(61), _in_words(1)
    ('1 day 1 hour', '1 minute', 'less than a minute')
    """
    minutes = int(seconds) // 60
    counts = (minutes // 1_440, minutes // 60 % 24, minutes % 60)
    named = zip(counts, ("day", "hour", "minute"), strict=True)
    words = [f"{count} {unit}{'s' * (count > 1)}" for count, unit in named if count]
    return " ".join(words[:2]) or "less than a minute"

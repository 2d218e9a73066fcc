"""What a teacher changes by hand: points and comments, in a file that no grading touches.

``overrides.csv`` is in the folder of the results. It has a line for each change, with the columns
student, exercise, points, comment and by. Without points, they stay as graded. Instead of an
exercise there may be a lesson, such as 01, for a comment on all of it. With ``excused`` for points,
a student need not hand in this lesson.
"""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from course_utils.workspace.curriculum import LESSONS, all_exercises

from ..intake.roster import Roster, text_of_table
from .results import BadInput, Excuses, Row

__all__ = ["Override", "excuses_in", "read_overrides", "with_overrides"]

_COLUMNS = ("student", "exercise", "points", "comment", "by")
_EXCUSED = "excused"


@dataclass(frozen=True)
class Override:
    """One change: whose, of which exercise or lesson, to which points, why, and who made it."""

    student: str
    exercise: str
    points: float | None
    comment: str
    by: str
    is_excuse: bool = False

    @property
    def reason(self) -> str:
        """The comment, and who made it."""
        return f"{self.comment} ({self.by})"

    def is_for(self, student: str, roster: Roster | None) -> bool:
        """Tell whether this is about a student, by the name of a submission or on the roster."""
        member = roster.member(self.student) if roster else None
        is_member = bool(roster and member and roster.member(student) is member)
        return self.student == student or is_member


def read_overrides(path: Path) -> list[Override]:
    """Return the changes that a file holds; none where there is no file.

    Cells may be separated by commas, semicolons or tabs, and numbers may have a decimal comma.

    Raises
    ------
    BadInput
        If a line says too little, or its points are no number; the message names the line.
    RosterError
        If the file cannot be read.
    """
    if not path.exists():
        return []
    lines = text_of_table(path)[0].splitlines()
    header = lines[0] if lines else ""
    delimiter = next((mark for mark in (";", "\t") if mark in header), ",")
    table = csv.DictReader(lines, delimiter=delimiter)
    if not set(_COLUMNS) <= set(table.fieldnames or []):
        raise BadInput(
            f"The first line of {path} should be {','.join(_COLUMNS)}, but is {header or 'empty'}."
        )
    numbered = [(number, line) for number, line in enumerate(table, 2) if _is_filled(line)]
    return [_override(line, f"Line {number} of {path}") for number, line in numbered]


def _is_filled(line: dict) -> bool:
    """Tell whether a line holds more than separators, which spreadsheets leave at the end."""
    return any(isinstance(cell, list) or (cell or "").strip() for cell in line.values())


def _override(line: dict, where: str) -> Override:
    if None in line:
        raise BadInput(
            f"{where} has more fields than the first line. Put quotes around a field that contains "
            "the separator, such as a number with a decimal comma."
        )
    cells = {name: (line[name] or "").strip() for name in _COLUMNS}
    missing = [name for name in ("student", "exercise", "comment", "by") if not cells[name]]
    if missing:
        raise BadInput(
            f"{where} has nothing in the column {missing[0]}. Every change needs a student, an "
            "exercise, a comment, and the name of whoever made the change."
        )
    known = {lesson.number for lesson in LESSONS} | {exercise.id for exercise in all_exercises()}
    if cells["exercise"] not in known:
        raise BadInput(
            f"{where}: there is no exercise {cells['exercise']!r}. Write an exercise, such as "
            "01.1, or a lesson, such as 01."
        )
    is_excuse = cells["points"] == _EXCUSED
    if is_excuse and "." in cells["exercise"]:
        raise BadInput(
            f"{where}: a student can be excused only from a whole lesson. Write its number, such "
            "as 01."
        )
    number = "" if is_excuse else cells["points"].replace(",", ".")
    try:
        points = float(number) if number else None
    except ValueError:
        raise BadInput(
            f"{where}: points should be a number, {_EXCUSED!r}, or empty, but are "
            f"{cells['points']!r}."
        ) from None
    return Override(
        cells["student"], cells["exercise"], points, cells["comment"], cells["by"], is_excuse
    )


def with_overrides(
    rows: Iterable[Row], overrides: Sequence[Override], roster: Roster | None = None
) -> list[Row]:
    """Return the rows with a teacher's points and comments on those that count.

    Raises
    ------
    BadInput
        If a change fits no row, or gives more points than there are.
    """
    rows, used = list(rows), set()
    for number, row in enumerate(rows):
        for override in overrides:
            is_meant = row.counts and override.exercise in (row.exercise, row.lesson)
            if is_meant and not override.is_excuse and override.is_for(row.student, roster):
                used.add(override)
                rows[number] = row = _changed(row, override)
    for override in overrides:
        if override not in used and not override.is_excuse:
            why = _why_nobody(override.student, rows, roster) or (
                "who did not hand in its notebook, so there are no points to change. If they "
                "did, check the name: it must match gradebook.csv or class.html."
            )
            raise BadInput(
                f"overrides.csv changes {override.exercise} for {override.student}, {why}"
            )
    return rows


def excuses_in(
    overrides: Iterable[Override], rows: Sequence[Row], roster: Roster | None = None
) -> Excuses:
    """Return the reasons of excused students, by student and lesson.

    Raises
    ------
    BadInput
        If the gradebook has no such student.
    """
    excuses: Excuses = {}
    for override in overrides:
        if override.is_excuse:
            member = roster.member(override.student) if roster else None
            if member is None and (roster or all(r.student != override.student for r in rows)):
                why = _why_nobody(override.student, rows, roster) or (
                    "who is not in gradebook.csv. Specify the class roster with --roster."
                )
                raise BadInput(f"overrides.csv excuses {override.student}, {why}")
            excuses[member or override.student, override.exercise] = override.reason
    return excuses


def _why_nobody(student: str, rows: Sequence[Row], roster: Roster | None) -> str:
    """Say why the roster does not tell whose submission is meant; nothing where it does."""
    if roster is None:
        return ""
    member, namesakes = roster.member(student), roster.may_be(student)
    if member is None and namesakes:
        listed = ", ".join(map(roster.name_of, namesakes))
        return f"but the roster has several students of this name. Write one of these: {listed}."
    if member is None:
        return "but the roster has no such student. Write a name, id or email address from it."
    unclear = next(
        (
            r.student
            for r in rows
            if not roster.member(r.student) and member in roster.may_be(r.student)
        ),
        "",
    )
    return f"but the roster does not tell namesakes apart. {roster.why_unknown(unclear)}" * bool(
        unclear
    )


def _points(number: float) -> str:
    return f"{number:g} point{'' if number == 1 else 's'}"


def _changed(row: Row, override: Override) -> Row:
    if override.exercise == row.lesson:
        if override.points is not None:
            raise BadInput(
                f"overrides.csv gives {override.student} {_points(override.points)} for the whole "
                f"lesson {override.exercise}. Give points for an exercise, such as {row.exercise}, "
                "or leave the points empty to comment on the lesson."
            )
        return replace(row, on_lesson=override.reason)
    if override.points is None:
        return replace(row, comment=override.reason)
    if not 0 <= override.points <= row.possible:
        raise BadInput(
            f"overrides.csv gives {override.student} {_points(override.points)} for "
            f"{override.exercise}, but the points must be from 0 to {row.possible}."
        )
    change = f"from {row.points:g} to {_points(override.points)}"
    return replace(
        row,
        points=override.points,
        comment=f"{override.comment} ({change}, {override.by})",
        graded_points=row.points,
    )

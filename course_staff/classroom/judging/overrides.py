"""What a teacher changes by hand: points and comments, in a file that no grading touches.

``overrides.csv`` stands beside the results, one line for each change: student, exercise, points,
comment, by. Empty points leave them as they were graded. In place of an exercise may stand a
lesson, such as 01, for a comment on all of it.
"""

import csv
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from .results import BadInput, Row

__all__ = ["Override", "read_overrides", "with_overrides"]

_COLUMNS = ("student", "exercise", "points", "comment", "by")


@dataclass(frozen=True)
class Override:
    """One change: whose, of which exercise, to which points, why, and who made it."""

    student: str
    exercise: str
    points: float | None
    comment: str
    by: str


def read_overrides(path: Path) -> list[Override]:
    """Return the changes that a file holds; none where there is no file.

    Raises
    ------
    BadInput
        If a line says too little, or its points are no number; the message names the line.
    """
    if not path.exists():
        return []
    lines = csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines())
    if not set(_COLUMNS) <= set(lines.fieldnames or []):
        raise BadInput(
            f"The first line of {path} should be {','.join(_COLUMNS)}, and is "
            f"{','.join(lines.fieldnames or []) or 'empty'}."
        )
    found = []
    for number, line in enumerate(lines, start=2):
        cells = {name: (line[name] or "").strip() for name in _COLUMNS}
        missing = [name for name in ("student", "exercise", "comment", "by") if not cells[name]]
        if missing:
            raise BadInput(
                f"Line {number} of {path} has no {missing[0]}: every change has a reason."
            )
        try:
            points = float(cells["points"]) if cells["points"] else None
        except ValueError:
            raise BadInput(
                f"Line {number} of {path}: points should be a number or empty, and are "
                f"{cells['points']!r}."
            ) from None
        found.append(Override(**cells | {"points": points}))  # type: ignore[arg-type]
    return found


def with_overrides(rows: Iterable[Row], overrides: list[Override]) -> list[Row]:
    """Return the rows with a teacher's points and comments on those that count.

    Raises
    ------
    BadInput
        If a change fits no row, or gives more points than there are.
    """
    rows, used = list(rows), set()
    for number, row in enumerate(rows):
        for one in overrides:
            is_meant = one.exercise in (row.exercise, row.lesson) and one.student == row.student
            if row.counts and is_meant:
                used.add(one)
                rows[number] = row = _changed(row, one)
    for one in overrides:
        if one not in used:
            raise BadInput(
                f"overrides.csv changes {one.exercise} of {one.student}, who has handed in nothing "
                "that holds it. Students are called as in gradebook.csv."
            )
    return rows


def _changed(row: Row, one: Override) -> Row:
    if one.exercise == row.lesson:
        if one.points is not None:
            raise BadInput(
                f"overrides.csv gives {one.student} {one.points:g} points for the whole lesson "
                f"{one.exercise}. Points belong to an exercise, such as {row.exercise}; a comment "
                "on a lesson has none."
            )
        return replace(row, on_lesson=f"{one.comment} ({one.by})")
    if one.points is None:
        return replace(row, comment=f"{one.comment} ({one.by})")
    if not 0 <= one.points <= row.possible:
        raise BadInput(
            f"overrides.csv gives {one.student} {one.points:g} points for {one.exercise}, where 0 "
            f"to {row.possible} are possible."
        )
    graded = f"{row.points:g} to {one.points:g} points"
    return replace(row, points=one.points, comment=f"{one.comment} (from {graded}, {one.by})")

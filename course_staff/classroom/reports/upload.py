"""``upload.csv``: the points in the form in which the roster's learning system reads them again.

The file is the roster as it was exported, with the columns by which the system knows its students,
ids included, and one column for each lesson. Notes on the systems:

- Canvas knows a column by the id in its header, such as ``Lesson 01 (4711)``, and makes a new
  assignment of one without. A row ``Points Possible`` holds what an assignment is worth.
- Blackboard knows a column by the id behind ``|``, and makes a text column, which is worth
  nothing, of one without. It takes commas where every cell is quoted.
- Moodle asks which column is what, and takes one as a new item of the gradebook, too.

A column of the export that names a lesson is filled. Other grades of the export are left out, so
that an upload changes nothing that somebody graded since.
"""

import csv
import io
import re

from course_utils.workspace.curriculum import all_exercises, find_lesson

from ..intake.roster import Roster
from ..judging.results import Grading
from .gradebook import points_in

__all__ = ["upload_columns", "upload_csv", "upload_notes"]

_POINTS_POSSIBLE = re.compile(r"\s*points possible", re.IGNORECASE)
# Grades in an export: Blackboard's and Moodle's by their form, Canvas's by their place.
_GRADE = re.compile(r"\[Total Pts|\|\s*\d+(_\d+)?\s*$|\((Real|Percentage|Letter)\)$", re.IGNORECASE)
# The columns of Moodle's grading worksheet that hold no names.
_WORKSHEET = re.compile(
    r"status|(maximum )?grade|grade can be changed|last modified( \(.+\))?|feedback comments"
    r"|online text|outcome|marker|marking workflow state|allocated marker",
    re.IGNORECASE,
)
_COMPUTED = re.compile(
    r"\((Percentage|Letter)\)$|\b(total|current|final|unposted|override|weighted)\b(?! pts)",
    re.IGNORECASE,
)


def upload_csv(grading: Grading) -> bytes:
    """Return the roster with the points of each lesson, as its learning system reads it."""
    roster = _roster_of(grading)
    lessons = _lessons(grading)
    filled = {number: _column_of(number, roster) for number in lessons}
    grades = _grade_columns(roster)
    kept = [place for place in range(len(roster.header)) if place not in grades]
    names = [
        _new_column(number) if place is None else roster.header[place]
        for number, place in filled.items()
    ]
    text = io.StringIO()
    semicolons = roster.delimiter == ";"
    table = csv.writer(text, quoting=csv.QUOTE_ALL, delimiter=";" if semicolons else ",")
    table.writerow([*(roster.header[place] for place in kept), *names])
    for cells, member in roster.lines:
        if member is not None:
            rows = grading.of_member(member)
            points = [points_in(rows, number) for number in lessons]
        elif _POINTS_POSSIBLE.match(cells[0]):
            points = [
                f"{_possible(number)}" if place is None else cells[place].strip()
                for number, place in filled.items()
            ]
        else:
            points = [""] * len(lessons)
        table.writerow([*(cells[place] for place in kept), *points])
    return text.getvalue().encode(roster.encoding)


def _roster_of(grading: Grading) -> Roster:
    if grading.roster is None:
        raise ValueError("upload.csv is written only if you specify a roster with --roster")
    return grading.roster


def upload_notes(grading: Grading) -> list[str]:
    """Return, a sentence each, where the learning system gives a lesson other points than here."""
    roster = _roster_of(grading)
    possible = next((c for c, m in roster.lines if not m and _POINTS_POSSIBLE.match(c[0])), None)
    notes = []
    for number in _lessons(grading):
        place = _column_of(number, roster)
        if place is None:
            continue
        said = re.search(r"\[Total Pts: (?:up to )?([\d.]+)", roster.header[place])
        total = said[1] if said else possible[place].strip() if possible else ""
        if re.fullmatch(r"[\d.]+", total) and float(total) != _possible(number):
            notes.append(
                f"upload.csv gives up to {_possible(number)} points for lesson {number}, but the "
                f"column {roster.header[place]!r} is worth {total}. Make them equal before you "
                "upload it."
            )
    return notes


def upload_columns(grading: Grading) -> list[str]:
    """Say which columns of the roster `upload.csv` fills, and which it adds."""
    roster = _roster_of(grading)
    places = {number: _column_of(number, roster) for number in _lessons(grading)}
    filled = [repr(roster.header[place]) for place in places.values() if place is not None]
    added = [repr(_new_column(number)) for number, place in places.items() if place is None]
    sentences = [f"upload.csv fills {_columns(filled)}."] if filled else []
    if added:
        sentences.append(
            f"upload.csv adds {_columns(added)}, because the roster has no column for "
            f"{'this lesson' if len(added) == 1 else 'these lessons'}."
        )
    return sentences


def _columns(names: list[str]) -> str:
    return f"the column{'' if len(names) == 1 else 's'} {', '.join(names)}"


def _new_column(number: str) -> str:
    return f"Lesson {number} {find_lesson(number).title}"


def _lessons(grading: Grading) -> list[str]:
    return sorted({row.lesson for row in grading.newest})


def _possible(number: str) -> int:
    return sum(exercise.points for exercise in all_exercises() if exercise.id[:2] == number)


def _grade_columns(roster: Roster) -> set[int]:
    """Return the places of the columns that hold grades."""
    found = {place for place, name in enumerate(roster.header) if _GRADE.search(name)}
    is_canvas = {"Student", "ID", "Section"} <= set(roster.header)
    if "Identifier" in roster.header:
        found |= {n for n, name in enumerate(roster.header) if _WORKSHEET.fullmatch(name)}
    if is_canvas:
        found |= set(range(roster.header.index("Section") + 1, len(roster.header)))
    return found


def _column_of(number: str, roster: Roster) -> int | None:
    """Return the place of the one column that names a lesson, by its number or its title."""
    lesson = find_lesson(number)
    title = re.escape(lesson.title).replace(r"\ ", r"[\W_]+")
    pattern = re.compile(rf"\b(lesson\s*0*{int(number)}|{title})\b", re.IGNORECASE)
    found = [
        place
        for place in sorted(_grade_columns(roster))
        if pattern.search(roster.header[place]) and not _COMPUTED.search(roster.header[place])
    ]
    return found[0] if len(found) == 1 else None

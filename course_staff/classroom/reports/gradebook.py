"""The tables for machines and spreadsheets: ``gradebook.csv`` and ``results.jsonl``."""

import csv
import io
import json
import unicodedata
from dataclasses import asdict

from course_utils.workspace.curriculum import all_exercises

from ..intake.roster import Member
from ..judging.results import Grading, Row

__all__ = ["gradebook_csv", "points_in", "results_jsonl"]

_STARTS_A_FORMULA = ("=", "+", "-", "@", "|", "%", "\t", "\r", "\n")


def results_jsonl(grading: Grading) -> str:
    """Return one JSON object a line for each exercise of each submission, in a fixed order."""
    rows = [
        asdict(row) | {"counts": row.counts and not grading.excuse(row)} for row in grading.rows
    ]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def gradebook_csv(grading: Grading) -> str:
    """Return one line a student: points for each exercise and lesson, and their sum.

    A cell is empty where nothing was handed in, and 0 where it was and earned nothing. A lesson
    from which a teacher excused the student is ``excused``; its points are not possible, and do not
    count if it was handed in all the same. With a roster there is a line for each of its students,
    and for nobody else, with the group that it says, where it says any. The text starts with a byte
    order mark, by which spreadsheets know UTF-8, and no cell starts a formula.
    """
    lessons = sorted({row.lesson for row in grading.newest})
    exercises = [e for e in all_exercises() if e.id[:2] in lessons]
    header = ["student", *(e.id for e in exercises), *(f"lesson {n}" for n in lessons)]
    text = io.StringIO()
    # All quoted: a spreadsheet that splits at semicolons finds none in a name.
    table = csv.writer(text, quoting=csv.QUOTE_ALL)
    lines = _lines(grading)
    has_groups = any(group for _, group, _ in lines)
    more = ["group"] if has_groups else []
    table.writerow([*header, "total", "possible", "comments", *more])
    for student, group, student_rows in lines:
        excuses = grading.excuses_of(student)
        points = {row.exercise: row.points for row in student_rows}
        cells = [_number(points.get(e.id)) for e in exercises]
        sums = [
            "excused" if lesson in excuses else points_in(student_rows, lesson)
            for lesson in lessons
        ]
        possible = sum(e.points for e in exercises if e.id[:2] not in excuses)
        total = _number(sum(row.points for row in student_rows))
        excused = [f"{number}: {reason}" for number, reason in excuses.items()]
        comments = "; ".join([*excused, *_comments(student_rows)])
        more = [_as_text(group)] if has_groups else []
        table.writerow(
            [
                *(_as_text(grading.name_of(student)), *cells, *sums, total, possible),
                *(_as_text(comments), *more),
            ]
        )
    return "\ufeff" + text.getvalue()


def _comments(rows: list[Row]) -> list[str]:
    """Return a teacher's comments: on whole lessons, then on exercises."""
    on_lessons = {row.lesson: row.on_lesson for row in rows if row.on_lesson}
    on_exercises = {row.exercise: row.comment for row in rows if row.comment}
    return [f"{place}: {words}" for place, words in (on_lessons | on_exercises).items()]


def _lines(grading: Grading) -> list[tuple[Member | str, str, list[Row]]]:
    """Return whom the gradebook has a line for, the group of each, and the rows that count."""
    if grading.roster is not None:
        return [(m, m.group, grading.of_member(m)) for m in grading.roster.members]
    students: dict[str, list[Row]] = {}
    for row in grading.newest:
        of_student = students.setdefault(row.student, [])
        if not grading.excuse(row):
            of_student.append(row)
    return [(student, "", student_rows) for student, student_rows in sorted(students.items())]


def points_in(rows: list[Row], lesson: str) -> str:
    """Return a student's points in a lesson; nothing where nothing was handed in."""
    points = [row.points for row in rows if row.lesson == lesson]
    return _number(sum(points)) if points else ""


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _as_text(value: str) -> str:
    """Return text that a spreadsheet shows and does not compute."""
    start = unicodedata.normalize("NFKC", value).lstrip(" ")[:1]
    return f"'{value}" if start in _STARTS_A_FORMULA else value

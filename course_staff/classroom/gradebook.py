"""The tables for machines and spreadsheets: ``gradebook.csv`` and ``results.jsonl``."""

import csv
import io
import json
import unicodedata
from dataclasses import asdict

from course_utils.course.curriculum import all_exercises

from .grading import Grading, Row

__all__ = ["gradebook_csv", "results_jsonl"]

_STARTS_A_FORMULA = ("=", "+", "-", "@", "|", "%", "\t", "\r", "\n")


def results_jsonl(grading: Grading) -> str:
    """Return one JSON object a line for each exercise of each submission, in a fixed order."""
    return "".join(json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in grading.rows)


def gradebook_csv(grading: Grading) -> str:
    """Return one line a student: points for each exercise and lesson, and their sum.

    A cell is empty where nothing was handed in, and 0 where it was and earned nothing. The text
    starts with a byte order mark, by which spreadsheets know UTF-8, and no cell starts a formula.
    """
    rows = grading.counting
    lessons = sorted({row.lesson for row in rows})
    exercises = [e for e in all_exercises() if e.id[:2] in lessons]
    points = {(row.student, row.exercise): row.points for row in rows}
    header = ["student", *(e.id for e in exercises), *(f"lesson {n}" for n in lessons)]
    text = io.StringIO()
    # All quoted: a spreadsheet that splits at semicolons finds none in a name.
    table = csv.writer(text, quoting=csv.QUOTE_ALL)
    table.writerow([*header, "total", "possible"])
    possible = sum(e.points for e in exercises)
    for student in sorted({row.student for row in rows}):
        own = [row for row in rows if row.student == student]
        cells = [_number(points.get((student, e.id))) for e in exercises]
        sums = [_sum_of(own, lesson) for lesson in lessons]
        total = _number(sum(row.points for row in own))
        table.writerow([_as_text(student), *cells, *sums, total, possible])
    return "\ufeff" + text.getvalue()


def _sum_of(rows: list[Row], lesson: str) -> str:
    points = [row.points for row in rows if row.lesson == lesson]
    return _number(sum(points)) if points else ""


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _as_text(value: str) -> str:
    """Return text that a spreadsheet shows and does not compute."""
    start = unicodedata.normalize("NFKC", value).lstrip(" ")[:1]
    return f"'{value}" if start in _STARTS_A_FORMULA else value

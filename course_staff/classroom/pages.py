"""The pages for people: feedback for each student, and what the class has and has not learnt."""

import hashlib
import re
import unicodedata
from collections import Counter
from pathlib import Path

from course_utils.course.atomic_files import write_atomically
from course_utils.course.curriculum import all_exercises, find_lesson

from .gradebook import gradebook_csv, results_jsonl
from .grading import Grading
from .judging import OUTCOMES
from .kept_pages import write_pages
from .mistakes import common_mistakes
from .predicted import prediction_lines
from .rows import Row
from .upload import upload_csv

__all__ = ["page_name", "write_results"]

_SIGNS = dict(zip(OUTCOMES, ("✓", "✗", "○", "!", "T", "C", "U"), strict=True))
# Okabe and Ito's colours; each stands beside its sign and its word.
_COLOURS = {
    "passed": "#009E73",
    "failed": "#D55E00",
    "error": "#CC79A7",
    "not attempted": "#BBBBBB",
    "stopped": "#56B4E9",
}
_BROKEN = ("timeout", "crashed", "unreadable")
# Names of files that Windows keeps for itself, and those that look like what is added to others.
_NOT_PLAIN = r"|con|nul|prn|aux|(com|lpt)\d|(.*-)?[0-9a-f]{16}"


def write_results(grading: Grading, out: Path) -> Path:
    """Write the tables and the pages to ``out`` and return the class page."""
    _write(out / "results.jsonl", results_jsonl(grading))
    _write(out / "gradebook.csv", gradebook_csv(grading))
    if grading.roster is not None:
        write_atomically(out / "upload.csv", upload_csv(grading))
    students = sorted({row.student for row in grading.rows})
    names = {student: page_name(student) for student in students}
    pages = {
        names[student]: _render("feedback.html", **_feedback(student, grading))
        for student in students
    }
    write_pages(out / "feedback", pages, out / ".grading" / "pages.json")
    _write(out / "class.html", _render("class.html", **_class(grading, names)))
    return out / "class.html"


def page_name(student: str) -> str:
    """Return a file name for a student's page, safe on every system and different for each.

    >>> page_name("alice"), page_name("Zoë Åkerman/..")
    ('alice.html', 'Zoë-Åkerman-beb3aee442c540b9.html')
    """
    safe = re.sub(r"[^\w-]+", "-", unicodedata.normalize("NFC", student)).strip("-")
    safe = safe.encode()[:120].decode(errors="ignore")
    if not (safe == student == safe.lower()) or re.fullmatch(_NOT_PLAIN, safe):
        digest = hashlib.sha256(student.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        safe = f"{safe}-{digest}".strip("-")
    return f"{safe}.html"


def _feedback(student: str, grading: Grading) -> dict:
    own = [row for row in grading.rows if row.student == student]
    counting = [row for row in own if row.counts]
    lessons = []
    for number in sorted({row.lesson for row in counting}):
        rows = [row for row in counting if row.lesson == number]
        older = {row.submission for row in own if row.lesson == number and not row.counts}
        lessons.append(
            {
                "number": number,
                "title": find_lesson(number).title,
                "rows": rows,
                "points": _points(rows),
                "possible": sum(row.possible for row in rows),
                "submission": rows[0].submission,
                "submitted": rows[0].submitted,
                "late": rows[0].late,
                "older": sorted(older),
            }
        )
    return {
        "student": student,
        "lessons": lessons,
        "points": _points(counting),
        "possible": sum(row.possible for row in counting),
        "signs": _SIGNS,
        "is_jailed": grading.is_jailed,
    }


def _class(grading: Grading, names: dict[str, str]) -> dict:
    rows = grading.counting
    lessons = sorted({row.lesson for row in rows})
    exercises = [e for e in all_exercises() if e.id[:2] in lessons]
    by_cell = {(row.student, row.exercise): row for row in rows}
    students = sorted({row.student for row in rows})
    return {
        "students": [_student_line(s, names[s], exercises, by_cell) for s in students],
        "exercises": [_exercise_line(e, rows) for e in exercises],
        "mistakes": common_mistakes(rows),
        "predictions": prediction_lines(grading.predicted),
        "broken": [row for row in _first_of_each(grading.rows) if row.outcome in _BROKEN],
        "stopped_later": list({r.submission: r for r in grading.rows if r.note}.values()),
        "older": [
            f"{row.submission} ({row.submitted})"
            for row in _first_of_each([row for row in grading.rows if not row.counts])
        ],
        "better": _better_than_the_newest(grading),
        "stuck": _stuck(exercises, rows),
        "late": _late(grading),
        "same": grading.same,
        "timeless": sorted({one.lesson for one in grading.timeless}),
        "found": grading.found,
        "strangers": grading.strangers,
        "absent": _absent(grading, lessons),
        "mean": f"{sum(row.points for row in rows) / max(1, len(students)):.1f}",
        "possible": sum(e.points for e in exercises),
        "submissions": len({row.submission for row in rows}),
        "signs": _SIGNS,
        "is_jailed": grading.is_jailed,
        "outcomes": OUTCOMES,
        "colours": _COLOURS,
    }


def _exercise_line(exercise, rows: list[Row]) -> dict:
    counts = Counter(row.outcome for row in rows if row.exercise == exercise.id)
    total = sum(counts.values())
    stopped = sum(counts[outcome] for outcome in _BROKEN)
    parts, start = [], 0.0
    for outcome in _COLOURS:
        count = stopped if outcome == "stopped" else counts[outcome]
        width = 100.0 * count / total
        parts.append({"outcome": outcome, "count": count, "start": start, "width": width})
        start += width
    return {
        "id": exercise.id,
        "title": exercise.title,
        "kind": exercise.kind,
        "counts": counts,
        "total": total,
        "stopped": stopped,
        "rate": round(100 * counts["passed"] / total),
        "parts": parts,
        "words": ", ".join(f"{p['count']} {p['outcome']}" for p in parts if p["count"]),
    }


def _student_line(student: str, page: str, exercises: list, by_cell: dict) -> dict:
    rows = [by_cell.get((student, e.id)) for e in exercises]
    return {
        "name": student,
        "page": page,
        "cells": rows,
        "points": _points([row for row in rows if row]),
    }


def _stuck(exercises: list, rows: list[Row]) -> list[dict]:
    """Return, for each exercise, who tried it without passing, the hardest exercise first."""
    lines = []
    for exercise in exercises:
        own = [row for row in rows if row.exercise == exercise.id]
        names = [row.student for row in own if row.outcome in ("failed", "error", "timeout")]
        if names:
            lines.append({"id": exercise.id, "title": exercise.title, "students": sorted(names)})
    return sorted(lines, key=lambda line: (-len(line["students"]), line["id"]))


def _late(grading: Grading) -> list[dict]:
    """Return who came late with what, and which older submission of theirs was in time."""
    older = {
        (row.student, row.lesson): row.submission
        for row in grading.rows
        if not row.counts and not row.late
    }
    late = [row for row in _first_of_each(grading.counting) if row.late]
    return [{"row": row, "older": older.get((row.student, row.lesson), "")} for row in late]


def _absent(grading: Grading, lessons: list[str]) -> dict[str, list[str]]:
    """Return, for each lesson, who on the roster has handed in nothing for it."""
    if grading.roster is None:
        return {}
    handed_in = {
        (id(m), row.lesson) for m in grading.roster.members for row in grading.of_member(m)
    }
    return {
        number: [m.name for m in grading.roster.members if (id(m), number) not in handed_in]
        for number in lessons
    }


def _first_of_each(rows: list[Row]) -> list[Row]:
    """Return the most telling row of each submission: one that was stopped, where there is one."""
    chosen: dict[str, Row] = {}
    for row in rows:
        if row.submission not in chosen or (
            row.outcome in _BROKEN and chosen[row.submission].outcome not in _BROKEN
        ):
            chosen[row.submission] = row
    return list(chosen.values())


def _better_than_the_newest(grading: Grading) -> list[dict]:
    """Return the older submissions that earned more than the one that counts."""
    points: dict[str, float] = Counter()
    for row in grading.rows:
        points[row.submission] += row.points
    newest = {(row.student, row.lesson): row.submission for row in grading.counting}
    return [
        {"row": row, "points": f"{points[row.submission]:g}", "counts": counts, "less": f"{less:g}"}
        for row in _first_of_each([row for row in grading.rows if not row.counts])
        if (less := points[counts := newest[row.student, row.lesson]]) < points[row.submission]
    ]


def _points(rows: list[Row]) -> str:
    return f"{sum(row.points for row in rows):g}"


def _render(name: str, **values) -> str:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("course_staff.classroom"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["code"] = _with_code
    return environment.get_template(name).render(**values)


def _with_code(text: str):
    """Show what stands between backquotes as code; everything else is escaped."""
    from markupsafe import Markup, escape

    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    shown = [
        Markup("<code>{}</code>").format(part) if number % 2 else escape(part)
        for number, part in enumerate(parts)
    ]
    return Markup("").join(shown)


def _write(path: Path, text: str) -> None:
    write_atomically(path, text.encode("utf-8", "replace").decode("utf-8"))

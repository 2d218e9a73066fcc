"""What ``class.html`` shows: what the class has and has not learnt, for the teacher alone."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from course_utils.exercises.comparing import is_general
from course_utils.exercises.exercise import Exercise
from course_utils.workspace.curriculum import all_exercises, find_lesson

from ..judging.behaviors import Group
from ..judging.notebook_verdicts import OUTCOMES
from ..judging.predicted import prediction_lines
from ..judging.results import Grading, Row

__all__ = ["COLOURS", "SIGNS", "Mistake", "class_values", "common_mistakes", "points_of"]

SIGNS = dict(zip(OUTCOMES, ("✓", "✗", "○", "!", "T", "C", "U"), strict=True))
# Okabe and Ito's colours; each stands beside its sign and its word.
COLOURS = {
    "passed": "#009E73",
    "failed": "#D55E00",
    "error": "#CC79A7",
    "not attempted": "#BBBBBB",
    "stopped": "#56B4E9",
}
_BROKEN = ("timeout", "crashed", "unreadable")
_TRIED = ("failed", "error", "timeout")
# What a message takes from the answer: code, names and numbers.
_QUOTED = re.compile(r"`[^`]*`|'[^']*'|-?\d+(\.\d+)?(e[+-]?\d+)?")
_MANY = 3  # exercises that one student has tried and not passed


def class_values(grading: Grading, names: dict[str, str]) -> dict:
    """Return what the template of the page asks for; ``names`` are the students' pages."""
    rows = grading.counting
    lessons = sorted({row.lesson for row in rows})
    exercises = [e for e in all_exercises() if e.id[:2] in lessons]
    by_cell = {(row.student, row.exercise): row for row in rows}
    students = _everybody(grading)
    return {
        "students": [
            _student_line(
                s, names.get(s, ""), exercises, by_cell, grading.excuses_of(grading.who(s))
            )
            for s in students
        ],
        "exercises": (lines := _exercise_lines(exercises, rows)),
        "charts": [
            (find_lesson(number), [line for line in lines if line["id"][:2] == number])
            for number in lessons
        ],
        "mistakes": common_mistakes(rows, grading.groups),
        "programs": {(r.student, r.exercise): grading.program(r) for r in rows},
        "predictions": prediction_lines(grading.predicted),
        "broken": [row for row in _first_of_each(grading.newest) if row.outcome in _BROKEN],
        "stopped_later": list({r.submission: r for r in grading.newest if r.note}.values()),
        "older": [
            f"{row.submission} ({row.submitted or 'time unknown'})"
            for row in _first_of_each([row for row in grading.rows if not row.counts])
        ],
        "better": _better_than_the_newest(grading),
        "times": _times(grading, lessons),
        "stuck": _stuck(exercises, rows),
        "often_stuck": _often_stuck(rows),
        "found": grading.found,
        "strangers": grading.strangers,
        "absent": grading.absent,
        "mean": f"{sum(row.points for row in rows) / max(1, len(students)):.1f}",
        "possible": sum(e.points for e in exercises),
        "submissions": len({row.submission for row in rows}),
        "excused": [
            f"{name} from lesson {number}: {reason}"
            for name, number, reason in sorted(
                (grading.name_of(student), number, reason)
                for (student, number), reason in grading.excuses.items()
            )
        ],
        "are_changed": any(row.graded_points is not None for row in rows),
        "signs": SIGNS,
        "is_sandboxed": grading.is_sandboxed,
        "outcomes": OUTCOMES,
        "colours": COLOURS,
    }


def _everybody(grading: Grading) -> list[str]:
    """Return who handed in something, and who else is on the roster, as a register lists them."""
    students = {row.student for row in grading.newest}
    if grading.roster is not None:
        students |= {grading.name_of(member) for member in grading.roster.members}

    def letters(name: str) -> str:
        return unicodedata.normalize("NFKD", name).casefold()

    return sorted(students, key=lambda name: (letters(name), name))


def _exercise_lines(exercises: Iterable, rows: list[Row]) -> list[dict]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        counts[row.exercise][row.outcome] += 1
    return [_exercise_line(exercise, counts[exercise.id]) for exercise in exercises]


def _exercise_line(exercise: Exercise, counts: Counter[str]) -> dict:
    total = sum(counts.values())
    stopped = sum(counts[outcome] for outcome in _BROKEN)
    parts, start = [], 0.0
    for outcome in COLOURS:
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


def _student_line(
    student: str, page: str, exercises: list, by_cell: dict, excused: Collection[str]
) -> dict:
    rows = [by_cell.get((student, e.id)) for e in exercises]
    return {
        "name": student,
        "page": page,
        "cells": rows,
        "excused": excused,
        "points": points_of([row for row in rows if row]),
    }


def _times(grading: Grading, lessons: Iterable[str]) -> list[dict]:
    """Return how long each lesson took, of those whose time was handed in."""
    lines = []
    for number in lessons:
        counting = [s for s in grading.found.submissions if s.counts and s.lesson == number]
        if minutes := [s.minutes for s in counting if s.minutes]:
            line = {"students": len(minutes), "median": round(median(minutes))}
            lines.append({"lesson": find_lesson(number)} | line)
    return lines


def _stuck(exercises: list, rows: list[Row]) -> list[dict]:
    """Return, for each exercise, who tried it without passing, the hardest exercise first."""
    names: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row.outcome in _TRIED:
            names[row.exercise].append(row.student)
    lines = [
        {"id": exercise.id, "title": exercise.title, "students": sorted(names[exercise.id])}
        for exercise in exercises
        if exercise.id in names
    ]
    return sorted(lines, key=lambda line: (-len(line["students"]), line["id"]))


def _often_stuck(rows: list[Row]) -> list[dict]:
    """Return who did not pass several exercises of what they handed in: tried, and left open.

    Who gives up tries little: what is open counts as much.
    """
    tried: dict[str, list[str]] = defaultdict(list)
    left: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row.outcome in _TRIED:
            tried[row.student].append(row.exercise)
        elif row.outcome == "not attempted":
            left[row.student].append(row.exercise)
    lines = [
        {"name": s, "exercises": [*tried[s], *left[s]], "tried": tried[s], "open": left[s]}
        for s in sorted({*tried, *left})
    ]
    often = [line for line in lines if len(line["exercises"]) >= _MANY]
    return sorted(often, key=lambda line: (-len(line["exercises"]), line["name"]))


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
    points: dict[str, float] = defaultdict(float)
    for row in grading.rows:
        points[row.submission] += row.points
    newest = {(row.student, row.lesson): row.submission for row in grading.counting}
    older = [r for r in grading.rows if not r.counts and (r.student, r.lesson) in newest]
    return [
        {"row": row, "points": f"{points[row.submission]:g}", "counts": counts, "less": f"{less:g}"}
        for row in _first_of_each(older)
        if (less := points[counts := newest[row.student, row.lesson]]) < points[row.submission]
    ]


def points_of(rows: list[Row]) -> str:
    """Return the sum of the points in rows."""
    return f"{sum(row.points for row in rows):g}"


@dataclass(frozen=True)
class Mistake:
    """One mistake in one exercise: its name, and who got which message for it."""

    exercise: str
    title: str
    outcome: str
    name: str
    messages: dict[str, tuple[str, ...]]
    groups: tuple[str, ...] = ()  # the ids under which `course mistakes` lists these answers

    @property
    def students(self) -> tuple[str, ...]:
        """Return who made the mistake."""
        return tuple(sorted({student for names in self.messages.values() for student in names}))


def common_mistakes(rows: Iterable[Row], groups: Sequence[Group] = ()) -> list[Mistake]:
    """Return the mistakes in failed answers and errors, the most frequent first.

    ``groups`` are the groups of the answers that no gallery explains.

    A mistake that the gallery names is one, whatever its messages quote. What has only a general
    name, or none, is one where its messages are the same but for what they quote.
    """
    ids = {(a.exercise, a.submission): group.id for group in groups for a in group.answers}
    alike: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        if row.outcome in ("failed", "error"):
            is_named = row.mistake and not is_general(row.mistake)
            words = "" if is_named else _QUOTED.sub("#", row.message)
            alike[row.exercise, row.outcome, row.mistake, words].append(row)
    mistakes = [
        Mistake(
            group[0].exercise,
            group[0].title,
            group[0].outcome,
            group[0].mistake,
            _messages(group),
            tuple(sorted({ids[at] for r in group if (at := (r.exercise, r.submission)) in ids})),
        )
        for group in alike.values()
    ]
    return sorted(mistakes, key=lambda m: (-len(m.students), m.exercise, m.name))


def _messages(rows: Iterable[Row]) -> dict[str, tuple[str, ...]]:
    """Return who got each message, the most frequent first."""
    students: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        students[row.message].add(row.student)
    most_first = sorted(students.items(), key=lambda each: (-len(each[1]), each[0]))
    return {message: tuple(sorted(names)) for message, names in most_first}

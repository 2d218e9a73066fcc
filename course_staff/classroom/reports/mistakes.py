"""What a class got wrong: the mistakes by name, and who made them."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from course_utils.exercises.comparing import is_general

from ..judging.behaviors import Group
from ..judging.results import Row

__all__ = ["Mistake", "common_mistakes"]

_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")


@dataclass(frozen=True)
class Mistake:
    """One mistake in one exercise: its name, who made it, and each message with who was told it."""

    exercise: str
    title: str
    outcome: str
    name: str
    told: dict[str, tuple[str, ...]]
    groups: tuple[str, ...] = ()  # the ids under which `course mistakes` lists these answers

    @property
    def students(self) -> tuple[str, ...]:
        """Return who made the mistake."""
        return tuple(sorted({student for students in self.told.values() for student in students}))


def common_mistakes(rows: Iterable[Row], groups: Sequence[Group] = ()) -> list[Mistake]:
    """Return the mistakes in failed answers and errors, the most frequent first.

    ``groups`` are the groups of the answers that no gallery explains.

    A mistake that the gallery names is one, whatever numbers stand in its messages. What has only
    a general name, or none, is one where it was told in the same words.
    """
    ids = {(a.exercise, a.submission): group.id for group in groups for a in group.answers}
    alike: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        if row.outcome in ("failed", "error"):
            is_named = row.mistake and not is_general(row.mistake)
            words = "" if is_named else _NUMBER.sub("#", row.message)
            alike[row.exercise, row.outcome, row.mistake, words].append(row)
    mistakes = [
        Mistake(
            group[0].exercise,
            group[0].title,
            group[0].outcome,
            group[0].mistake,
            _told(group),
            tuple(sorted({ids[at] for r in group if (at := (r.exercise, r.submission)) in ids})),
        )
        for group in alike.values()
    ]
    return sorted(mistakes, key=lambda m: (-len(m.students), m.exercise, m.name))


def _told(rows: Iterable[Row]) -> dict[str, tuple[str, ...]]:
    """Return who was told each message, the most frequent first."""
    students: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        students[row.message].add(row.student)
    most_first = sorted(students.items(), key=lambda each: (-len(each[1]), each[0]))
    return {message: tuple(sorted(names)) for message, names in most_first}

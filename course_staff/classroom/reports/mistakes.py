"""What a class got wrong: the mistakes by name, and who made them."""

from collections.abc import Iterable
from dataclasses import dataclass

from ..judging.rows import Row

__all__ = ["Mistake", "common_mistakes"]


@dataclass(frozen=True)
class Mistake:
    """One mistake in one exercise: its name, a message of it, and who made it."""

    exercise: str
    title: str
    outcome: str
    name: str
    message: str
    students: tuple[str, ...]


def common_mistakes(rows: Iterable[Row]) -> list[Mistake]:
    """Return the mistakes in failed answers and errors, the most frequent first."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        if row.outcome in ("failed", "error"):
            key = (row.exercise, row.outcome, row.mistake)
            groups.setdefault(key, []).append(row)
    mistakes = [
        Mistake(
            group[0].exercise,
            group[0].title,
            group[0].outcome,
            group[0].mistake,
            group[0].message,
            tuple(sorted({row.student for row in group})),
        )
        for group in groups.values()
    ]
    return sorted(mistakes, key=lambda m: (-len(m.students), m.exercise, m.name))

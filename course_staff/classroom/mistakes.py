"""What a class got wrong: messages that say the same of different numbers, counted together."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .grading import Row

__all__ = ["Mistake", "common_mistakes", "without_numbers"]

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?![\w])", re.IGNORECASE)
_LIST = re.compile(r"[\[(][\s#,]*[\])]")


@dataclass(frozen=True)
class Mistake:
    """One mistake in one exercise: a message of it, as given to somebody, and who made it."""

    exercise: str
    title: str
    outcome: str
    message: str
    students: tuple[str, ...]


def common_mistakes(rows: Iterable[Row]) -> list[Mistake]:
    """Return the mistakes in failed answers and errors, the most frequent first."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        if row.outcome in ("failed", "error"):
            key = (row.exercise, row.outcome, without_numbers(row.message))
            groups.setdefault(key, []).append(row)
    mistakes = [
        Mistake(
            group[0].exercise,
            group[0].title,
            group[0].outcome,
            group[0].message,
            tuple(sorted({row.student for row in group})),
        )
        for group in groups.values()
    ]
    return sorted(mistakes, key=lambda m: (-len(m.students), m.exercise, m.message))


def without_numbers(message: str) -> str:
    """Return a message with each number, and each list or shape of numbers, as ``#``.

    >>> without_numbers("At x = -1.5 and y = [1.0, 2e-3] you returned x**2 and (3, 1).")
    'At x = # and y = # you returned x**# and #.'
    """
    return _LIST.sub("#", _NUMBER.sub("#", message))

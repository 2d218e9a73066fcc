"""When a question comes back: five boxes, and which questions a learner is asked.

A question lies in one of five boxes, from which it comes back after 1, 3, 7, 21 and 60 days. A
right answer moves it to the next box, and a wrong one back to the first. A prediction made in a
lesson puts its question into the second box if it was right, and into the first if it was wrong.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

__all__ = ["DAYS", "Asked", "after", "due", "for_warm_up", "mixed", "predicted"]

DAYS = (1, 3, 7, 21, 60)  # after which a question comes back, by its box


@dataclass(frozen=True)
class Asked:
    """What is known of one question.

    It lies in ``box``, was answered last ``at`` a time in UTC, and came back so many ``times``. An
    empty time was not recorded: the question is due.
    """

    box: int
    at: str = ""
    times: int = 0

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> "Asked":
        """Return what a progress file holds; ValueError or TypeError if it is something else."""
        asked = cls(data["box"], data["at"], data["times"])
        if asked.box not in range(len(DAYS)) or not isinstance(asked.times, int):
            raise ValueError(f"not a box of a question: {data}")
        datetime.fromisoformat(asked.at or "2000-01-01")
        return asked

    def data(self) -> dict[str, Any]:
        """Return it as a progress file holds it."""
        return asdict(self)

    def due_at(self) -> str:
        """Return when the question comes back, as a text that sorts by time; empty for now."""
        if not self.at:
            return ""
        comes = datetime.fromisoformat(self.at) + timedelta(days=DAYS[self.box])
        return comes.isoformat(timespec="seconds")


def predicted(is_right: bool, now: datetime | None) -> Asked:
    """Return where a question lies whose prediction was made in its lesson."""
    return Asked(int(is_right), now.isoformat(timespec="seconds") if now else "")


def after(asked: Asked | None, is_right: bool, now: datetime) -> Asked:
    """Return where a question lies that came back and was answered."""
    box, times = (asked.box, asked.times) if asked else (0, 0)
    box = min(box + 1, len(DAYS) - 1) if is_right else 0
    return Asked(box, now.isoformat(timespec="seconds"), times + 1)


def due(known: Mapping[str, Asked], now: datetime, most: int) -> list[str]:
    """Return the questions that are due, at most so many, those first that wait longest."""
    by_time = sorted((asked.due_at(), i) for i, asked in known.items())
    text = now.isoformat(timespec="seconds")
    return mixed([i for at, i in by_time if at <= text][:most])


def for_warm_up(
    known: Mapping[str, Asked], open_ones: Iterable[str], before: str, most: int = 2
) -> list[str]:
    """Return the questions to begin a lesson with: of lessons ``before`` it, each of another one.

    First come those answered wrongly, then ``open_ones``, of begun lessons and not answered, then
    those longest not asked. What was answered last is not asked again.
    """
    back = sorted((asked.at, i) for i, asked in known.items() if asked.times)
    just_now = {i for _, i in back[-most:]}
    order = sorted((asked.box > 0, asked.at, i) for i, asked in known.items())
    wrong = [i for is_right, _, i in order if not is_right]
    right = [i for is_right, _, i in order if is_right]
    chosen: list[str] = []
    for i in [*wrong, *sorted(open_ones), *right]:
        lessons = {each[:2] for each in chosen}
        if i[:2] < before and i[:2] not in lessons and i not in just_now and len(chosen) < most:
            chosen.append(i)
    return chosen


def mixed(ids: Sequence[str]) -> list[str]:
    """Return the questions in an order that separates those of one lesson, if possible.

    >>> mixed(["02.a", "02.b", "03.a", "02.c"])
    ['02.a', '03.a', '02.b', '02.c']
    """
    left = list(ids)
    order: list[str] = []
    while left:
        last = order[-1][:2] if order else ""
        order.append(next((i for i in left if i[:2] != last), left[0]))
        left.remove(order[-1])
    return order

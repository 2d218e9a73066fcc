"""The minutes of the lessons, in the tables of the README and of the instructors' guide."""

import re
from collections.abc import Mapping

from .sections import Times

__all__ = ["DOCUMENTS", "with_minutes"]

DOCUMENTS = ("README.md", "docs/instructors.md")

# A lesson's row of the README ends in "45 + 20 | what you learn |", and that of the guide in
# "points | 45 | 20 |". A row of a plan has lessons, such as "00, 01", and the sum of their minutes.
_README_ROW = re.compile(
    r"^(\| (\d\d) \| \[.+?\]\(notebooks/.+?\) \| )\d+(?: \+ \d+)?(?= \|)", re.M
)
_GUIDE_ROW = re.compile(
    r"^(\| (\d\d) \| \[.+?\]\(\.\./notebooks/.+?\) \| [\d, ]*\| \d+ \| )\d+ \| \d* ?\|$", re.M
)
_PLAN_ROW = re.compile(r"^(\| [^|]+ \| (\d\d(?:, \d\d)*) \| )\d+(?= \|$)", re.M)


def with_minutes(document: str, times: Mapping[str, Times]) -> str:
    """Return a document with the minutes that its tables should give, by the lessons' numbers."""

    def of_readme(row: re.Match[str]) -> str:
        lesson = times[row[2]]
        deeper = f" + {lesson.deeper_minutes}" if lesson.deeper_minutes else ""
        return f"{row[1]}{lesson.minutes}{deeper}"

    def of_guide(row: re.Match[str]) -> str:
        lesson = times[row[2]]
        deeper = f"{lesson.deeper_minutes} " if lesson.deeper_minutes else ""
        return f"{row[1]}{lesson.minutes} | {deeper}|"

    def of_plan(row: re.Match[str]) -> str:
        return f"{row[1]}{sum(times[number].minutes for number in row[2].split(', '))}"

    document = _README_ROW.sub(of_readme, document)
    document = _GUIDE_ROW.sub(of_guide, document)
    return _PLAN_ROW.sub(of_plan, document)

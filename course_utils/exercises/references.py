"""What right and wrong programs did on the inputs of one seed, and where that is kept.

``course build`` observes each exercise's right program, and its known mistakes, on a few
seeds, and stores what they did. There is one file a lesson: below a line that says of what it was
made, and one with the stubs, stands one compressed line an exercise. No program is stored.
"""

import json
from base64 import b85decode
from bz2 import decompress
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np

from .lesson_questions import generated_folder
from .readings import Other, same

__all__ = [
    "RAISED",
    "SEEDS",
    "KnownMistake",
    "Reference",
    "decoded",
    "stored",
    "stored_inputs",
    "stored_lessons",
    "stored_reference",
    "stored_stubs",
    "unpacked",
    "without_programs",
]

SEEDS = 8  # `check` draws one of the seeds 0 to 7
RAISED = -1  # stands for the part in which a program went wrong that raised


@dataclass(frozen=True)
class KnownMistake:
    """What one wrong program did: in which part it first went wrong, and how."""

    name: str
    sentence: str  # what a learner is told who makes this mistake
    part: int
    readings: Any  # of that part, call by call; of what raised, the signature of the error
    calls: tuple[int, ...] = ()  # those that count; empty for all of them

    def explains(self, part: int, readings: Sequence, tolerance: float) -> bool:
        """Tell whether an answer first went wrong in the same part, and did the same there."""
        if part != self.part:
            return False
        if part == RAISED:
            return readings == self.readings
        counted = self.calls or range(len(self.readings))
        return all(same(readings[i], self.readings[i], tolerance) for i in counted)


@dataclass(frozen=True)
class Reference:
    """The inputs of one seed, and what the right and the wrong programs did on them."""

    calls: list[tuple]
    right: list[list]  # part by part, call by call
    wrong: list[KnownMistake] = field(default_factory=list)

    @classmethod
    def from_data(cls, data: dict, mistakes: Sequence[dict]) -> "Reference":
        """Make the reference that data describes; ``mistakes`` has names, sentences and calls."""
        wrong = [
            KnownMistake(
                each["name"], each["sentence"], part, decoded(readings), tuple(each["calls"])
            )
            for each, (part, readings) in zip(mistakes, data["wrong"], strict=True)
        ]
        return cls(_inputs(data), decoded(data["right"]), wrong)


_AS_ARRAY = partial(np.asarray, dtype=np.float64)


def decoded(data: Any, number: Callable[[float], Any] = _AS_ARRAY) -> Any:
    """Return the readings, or the drawn inputs, that `course_staff.authoring.storing` wrote.

    ``number`` is called with a single number. In a reading, that is also an array.
    """
    if isinstance(data, list):
        return [decoded(item, number) for item in data]
    if not isinstance(data, dict):
        is_number = isinstance(data, int | float) and not isinstance(data, bool)
        return number(data) if is_number else data
    if "flat" in data:
        return np.array(data["flat"], data.get("dtype", "float64")).reshape(data["shape"])
    if "tuple" in data:
        return tuple(decoded(data["tuple"], number))
    if "other" in data:
        return Other(data["other"])
    items = data["items"].items() if "items" in data else data["dict"]
    return {key: decoded(item, number) for key, item in items}


# About a lesson's exercises: each is unpacked once, and not twice for each check.
@lru_cache(maxsize=8)
def stored(exercise_id: str) -> dict:
    """Return all that ``course build`` stored of an exercise, which nobody may change."""
    return unpacked(_lines(_text(exercise_id[:2]))[exercise_id])


def stored_lessons() -> list[str]:
    """Return the two-digit numbers of the lessons of which something is stored."""
    return sorted(path.name[7:9] for path in generated_folder().glob("*.txt"))


@cache
def stored_stubs(number: str) -> dict[str, dict]:
    """Return the stub of each exercise of a lesson, by its id: its notebook, cell and source."""
    return unpacked(_lines(_text(number))["stubs"])


def without_programs(text: str) -> str:
    """Cut a lesson's stored text down to its stubs, without what programs did."""
    return "".join(
        line for line in text.splitlines(keepends=True) if line.startswith(("Generated ", "stubs "))
    )


def _text(number: str) -> str:
    return (generated_folder() / f"lesson_{number}.txt").read_text(encoding="ascii")


def _lines(text: str) -> dict[str, str]:
    """Return the rest of each line but the first, by its first word."""
    return dict(line.split(" ", 1) for line in text.splitlines()[1:])


def unpacked(letters: str) -> Any:
    """Return the JSON data that `course_staff.authoring.storing` packed into one line."""
    return json.loads(decompress(b85decode(letters)))


def stored_inputs(exercise_id: str, seed: int) -> list[tuple]:
    """Return the arguments of each call on a seed, for one answer: it may change them."""
    return _inputs(stored(exercise_id)["seeds"][seed])


def _inputs(data: dict) -> list[tuple]:
    return decoded(data["calls"], number=lambda plain: plain)


def stored_reference(exercise_id: str, seed: int) -> Reference:
    """Return the stored reference of a function exercise for a seed from 0 to `SEEDS` - 1."""
    data = stored(exercise_id)
    return Reference.from_data(data["seeds"][seed], data["mistakes"])

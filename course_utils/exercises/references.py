"""What right and wrong programs did on the inputs of one seed, and where that is kept.

``course build`` observes each exercise's right program, and the wrong ones of its gallery, on a few
seeds, and stores what they did, one compressed line an exercise. No program is stored.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from .readings import decoded, encoded, form_of, inputs_decoded, inputs_encoded, same, unpacked

__all__ = ["SEEDS", "KnownMistake", "Reference", "error_signature", "stored", "stored_reference"]

SEEDS = 8  # `check` draws one of the seeds 0 to 7


@dataclass(frozen=True)
class KnownMistake:
    """What one wrong program did: in which part it first went wrong, and how."""

    name: str
    sentence: str  # what a learner is told who makes this mistake
    part: int  # -1 if the program raised
    readings: Any  # of that part, call by call; of what raised, the signature of the error
    calls: tuple[int, ...] = ()  # those that count; empty for all of them

    def explains(self, readings: Sequence, tolerance: float) -> bool:
        """Tell whether an answer did the same in this part."""
        counted = self.calls or range(len(self.readings))
        return all(same(readings[i], self.readings[i], tolerance) for i in counted)

    def has_form_of(self, readings: Sequence) -> bool:
        """Tell whether an answer gave this part in the same form, whatever its numbers."""
        return form_of(list(readings)) == form_of(list(self.readings))


@dataclass(frozen=True)
class Reference:
    """The inputs of one seed, and what the right and the wrong programs did on them."""

    calls: list[tuple]
    right: list[list]  # part by part, call by call
    wrong: list[KnownMistake] = field(default_factory=list)

    def as_data(self) -> dict:
        """Return all of it, but names and sentences, as what JSON can hold."""
        wrong = [
            [known.part, known.readings if known.part < 0 else encoded(known.readings)]
            for known in self.wrong
        ]
        calls = [inputs_encoded(call) for call in self.calls]
        return {"calls": calls, "right": encoded(self.right), "wrong": wrong}

    @classmethod
    def from_data(cls, data: dict, mistakes: Sequence[dict]) -> "Reference":
        """Return what `as_data` wrote; ``mistakes`` has each one's name, sentence and calls."""
        wrong = [
            KnownMistake(
                each["name"],
                each["sentence"],
                part,
                readings if part < 0 else decoded(readings),
                tuple(each["calls"]),
            )
            for each, (part, readings) in zip(mistakes, data["wrong"], strict=True)
        ]
        calls = [inputs_decoded(call) for call in data["calls"]]
        return cls(calls, decoded(data["right"]), wrong)


def error_signature(error: dict) -> list[str]:
    """Return what two errors of the same cause share: the type, and the message without numbers."""
    return [error["type"], re.sub(r"[-+]?\d[\d.e+-]*", "#", error["message"])]


@cache
def _lines(lesson: str) -> dict[str, str]:
    """Return, for each exercise of a lesson, the compressed line that is stored of it."""
    path = files(__package__).joinpath("generated", f"lesson_{lesson}.txt")
    _, *lines = path.read_text(encoding="ascii").splitlines()
    return dict(line.split(" ", 1) for line in lines)


# About a lesson's exercises: each is unpacked once, and not twice for each check.
@lru_cache(maxsize=8)
def stored(exercise_id: str) -> dict:
    """Return all that ``course build`` stored of an exercise, which nobody may change."""
    return unpacked(_lines(exercise_id[:2])[exercise_id])


def stored_reference(exercise_id: str, seed: int) -> Reference:
    """Return what was stored of a function exercise for one of the seeds 0 to `SEEDS` - 1."""
    data = stored(exercise_id)
    return Reference.from_data(data["seeds"][seed], data["mistakes"])

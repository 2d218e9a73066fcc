"""The corpus: for each exercise, other right answers, and wrong ones with what they are told."""

from dataclasses import dataclass
from typing import Any

ERROR = "error"
FAILED = "failed"


@dataclass(frozen=True)
class Wrong:
    """A wrong answer, a fragment of the message that names its mistake, and the outcome."""

    answer: Any
    fragment: str
    outcome: str = FAILED


@dataclass(frozen=True)
class Answers:
    right: list
    wrong: list[Wrong]

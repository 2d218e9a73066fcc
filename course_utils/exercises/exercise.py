"""What an exercise is, and what is said of an answer.

An exercise *observes* an answer, which runs the learner's code and yields plain data; the
observation is judged by comparison, which runs none of it. Both use the same inputs of one seed, so
that a judge in another process need not believe what the observed code says of its inputs.
"""

from dataclasses import dataclass
from typing import Any, Literal

from .references import stored_lessons, stored_stubs

__all__ = ["Exercise", "Judgement", "stubs"]

Kind = Literal["complete", "repair", "predict"]
Outcome = Literal["passed", "failed", "not attempted", "error"]


@dataclass(frozen=True)
class Judgement:
    """What is said of one observation."""

    outcome: Outcome
    message: str  # what a learner now can do, or the mistake and the way out
    score: float = 0.0  # the fraction of the points, 0 to 1
    mistake: str = ""  # its name in its exercise, for tables and tests
    # False if no known mistake did the same, and the message says what came
    # back, by what factor it is off, or what is said of another answer of that form.
    recognised: bool = True


@dataclass(frozen=True)
class Exercise:
    """One exercise: what stands in tables about it. Its subclasses can observe."""

    id: str
    title: str
    kind: Kind
    points: int

    def observe(self, answer: Any, seed: int) -> dict:
        """Run the learner's code on inputs drawn from the seed, and return plain data."""
        raise NotImplementedError

    def stub(self) -> dict:
        """Return the ``notebook``, ``cell`` and ``source`` of what a learner starts from."""
        return stored_stubs(self.id[:2]).get(self.id, {})


def stubs() -> dict[str, dict]:
    """Return every exercise's ``notebook``, ``cell`` and ``source`` of its stub, by its id."""
    return {i: stub for number in stored_lessons() for i, stub in stored_stubs(number).items()}

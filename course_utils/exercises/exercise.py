"""What an exercise is, and how an answer to it was judged.

An exercise *observes* an answer: it runs the learner's code and returns plain data. A comparison
then judges the observation, and runs none of that code. Both draw the same inputs from one seed, so
a judge in another process need not trust what the observed code says about its inputs.
"""

from dataclasses import dataclass
from typing import Any, Literal

from .references import stored_lessons, stored_stubs

__all__ = ["Exercise", "Judgement", "stubs"]

Kind = Literal["complete", "repair", "predict"]
Outcome = Literal["passed", "failed", "not attempted", "error"]


@dataclass(frozen=True)
class Judgement:
    """The judgement of one observation."""

    outcome: Outcome
    message: str  # what a learner now can do, or the mistake and the way out
    score: float = 0.0  # the fraction of the points, 0 to 1
    mistake: str = ""  # its name in its exercise, for tables and tests
    # False if no known mistake did the same. The message then says what was returned, or by what
    # factor it is wrong.
    recognised: bool = True


@dataclass(frozen=True)
class Exercise:
    """One exercise, as tables list it. Its subclasses can observe."""

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

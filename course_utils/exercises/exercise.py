"""What an exercise is, and how it is judged from an observation alone.

An exercise *observes* an answer, which runs the learner's code and yields plain data, and *judges*
the observation, which runs none of it. Both draw the same inputs from the same seed, so that a
judge in another process need not believe what the observed code says of its inputs.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

import numpy as np

from .errors_in_words import cause_in_words
from .observation import describe, observe_calls, same_code
from .reading import in_words

__all__ = [
    "Exercise",
    "FunctionExercise",
    "Judgement",
    "ValueExercise",
    "failed",
    "passed",
    "stubs",
]

Kind = Literal["complete", "repair", "predict"]
Outcome = Literal["passed", "failed", "not attempted", "error"]


@dataclass(frozen=True)
class Judgement:
    """What is said of one observation.

    ``score`` is the fraction of the points, 0 to 1; ``mistake`` names what went wrong, as one name
    of its exercise, for tables and tests.
    """

    outcome: Outcome
    message: str
    score: float = 0.0
    mistake: str = ""


def passed(message: str) -> Judgement:
    """Return the judgement of a right answer; ``message`` says what the learner now can do."""
    return Judgement("passed", message, 1.0)


def failed(message: str, mistake: str = "") -> Judgement:
    """Return the judgement of a wrong answer; ``message`` names the mistake and the way out."""
    return Judgement("failed", message, mistake=mistake)


@dataclass(frozen=True)
class Exercise:
    """One exercise: what stands in tables about it. Its subclasses can observe and judge."""

    id: str
    title: str
    kind: Kind
    points: int

    def observe(self, answer: Any, seed: int) -> Any:
        """Run the learner's code and return plain data; see `course_utils.exercises.observation`.

        ``seed`` is a non-negative integer from which the random inputs are drawn.
        """
        raise NotImplementedError

    def assess(self, observation: Any, seed: int) -> Judgement:
        """Judge an observation that was made with the same ``seed``, without running anything."""
        raise NotImplementedError

    def stub(self) -> dict:
        """Return the ``notebook``, ``cell`` and ``source`` of what a learner starts from."""
        return stubs().get(self.id, {})


@dataclass(frozen=True)
class ValueExercise(Exercise):
    """An exercise whose answer is a value, such as a prediction.

    ``judge(value)`` takes the described value and returns a `Judgement`.
    """

    judge: Callable[[Any], Judgement]

    def observe(self, answer: Any, seed: int) -> dict:
        """Return ``{"value": ...}`` with the answer described; the seed is not needed."""
        return {"value": describe(answer)}

    def assess(self, observation: dict, seed: int) -> Judgement:
        """Judge the value; an answer left at ``...`` is not attempted."""
        value = observation["value"]
        if value == {"type": "ellipsis"}:
            return Judgement("not attempted", "Replace the ... with your answer, then check again.")
        return self.judge(value)


@dataclass(frozen=True)
class FunctionExercise(Exercise):
    """An exercise whose answer is a function, which is called on inputs drawn from the seed.

    ``draw_calls(rng)`` returns the arguments of each call as NumPy arrays and Python numbers,
    ``prepare(*arguments)`` turns those of one call into what the function takes, and
    ``judge(returned, calls)`` receives what came back, described, and the drawn arguments. Where
    that tells too little, ``call(function, *arguments)`` calls the function once and returns what
    is described in its place, such as the weights after a step.
    """

    draw_calls: Callable[[np.random.Generator], Sequence[tuple]]
    judge: Callable[[list, Sequence[tuple]], Judgement]
    prepare: Callable[..., tuple] | None = None
    call: Callable | None = None

    def observe(self, answer: Any, seed: int) -> dict:
        """Call the answer on every drawn input; see `observe_calls` for what is returned."""
        calls = self.draw_calls(np.random.default_rng(seed))
        observation = observe_calls(answer, calls, self.prepare, self.call)
        # A program to repair runs from the start: only its code tells that nobody touched it.
        given = stubs().get(self.id)
        is_untouched = self.kind == "repair" and given and same_code(answer, given["source"])
        return {**observation, "untouched": bool(is_untouched)}

    def assess(self, observation: dict, seed: int) -> Judgement:
        """Judge what the calls returned, unless one raised or there was nothing to call."""
        if "given" in observation:
            return self._judge_no_function(observation["given"])
        if observation["untouched"]:
            message = "This is still the program as given, apart from spaces and parentheses."
            return Judgement("not attempted", message)
        calls = self.draw_calls(np.random.default_rng(seed))
        records = observation["calls"]
        for record in records:
            if "raised" in record:
                return self._judge_raised(record["raised"])
        if len(records) != len(calls):
            raise ValueError("an observation of other calls than were drawn")
        return self.judge([record["returned"] for record in records], calls)

    def _judge_no_function(self, given: Any) -> Judgement:
        if given == {"type": "ellipsis"}:
            return Judgement("not attempted", "Write the function, then check again.")
        return failed(
            f"check needs the function itself, and got {in_words(given)}. "
            "Pass its name without parentheses: check("
            f'"{self.id}", my_function), not check("{self.id}", my_function(...)).'
        )

    def _judge_raised(self, error: dict) -> Judgement:
        if error["type"] == "NotImplementedError" and not error["message"]:
            message = (
                "The line `raise NotImplementedError` still runs. Put your code in its place, and "
                "run the cell before its check."
            )
            return Judgement("not attempted", message)
        where = f" at `{error['line']}`" if error["line"] else ""
        message = cause_in_words(error) or error["message"].rstrip(".") or "it gave no message"
        return Judgement(
            "error",
            f"Your function raised {error['type']}{where}: {message}. "
            "Call it in a cell of its own to see the whole traceback.",
        )


def stubs() -> dict[str, dict]:
    """Return, for every exercise, its ``notebook``, its ``cell`` and the ``source`` of its stub.

    The file is written by ``course build``.
    """
    text = files(__package__).joinpath("stubs.json").read_text(encoding="utf-8")
    return json.loads(text)

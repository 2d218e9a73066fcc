"""The two kinds of exercises: a question that a function answers, and a prediction of a value.

Neither knows the right answer. What right and wrong programs did is stored beside it, and an answer
is compared with that; see `course_utils.exercises.references` and `comparing`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from .exercise import Exercise
from .lost_paths import lost_path
from .observation import describe, file_of, observe_calls, same_code
from .readings import read, same
from .references import RAISED, SEEDS, Reference, stored_inputs
from .tensorflow_state import traced_anew

__all__ = ["Demand", "Part", "Question", "ValueQuestion", "error_of", "first_wrong"]


@dataclass(frozen=True)
class Part:
    """One of the things in which answers are compared."""

    key: str = ""  # of the dict that ``call`` returned; empty for all that came back
    words: str = "what your function returned"  # what it is, as "the loss"
    form: str = ""  # what to return, told of an answer of another form
    tolerance: float = 1e-3  # relative to the largest entry of each array
    # From a reading, and the drawn inputs, to the reading that is compared: so much freedom as the
    # statement gives.
    read: Callable[..., Any] | None = None

    @property
    def subject(self) -> str:
        """The words, where they begin a sentence."""
        return self.words[:1].upper() + self.words[1:]


@dataclass(frozen=True)
class Demand:
    """Something that the statement demands beyond the values.

    ``met`` takes what was noted while the answer ran, which is a list for each name, call by call.
    The calls of ``gradient``, ``jacobian``, ``batch_jacobian`` and ``jvp`` are counted, and also
    what ``call`` returned beside the parts. ``sentence`` is the message if ``met`` is false.
    """

    name: str
    sentence: str
    met: Callable[[Mapping[str, list]], bool]


@dataclass(frozen=True)
class Question(Exercise):
    """An exercise whose answer is a function, which is called on inputs drawn from the seed."""

    # Returns the arguments of each call: numbers, texts, NumPy arrays, and lists, tuples and dicts
    # of them.
    draw: Callable[[np.random.Generator], Sequence[tuple]]
    praise: str  # what a right answer is told
    # Turns the arguments of one call into what the function takes, such as tensors.
    prepare: Callable[..., tuple] | None = None
    # ``call(function, *arguments)`` calls it once, and returns what is described in place of what
    # it returned: a dict where there are several parts.
    call: Callable | None = None
    parts: Sequence[Part] = (Part(),)  # what is compared, in this order
    demands: Sequence[Demand] = ()
    inputs: str = ""  # the names of the drawn arguments, for sentences

    def inputs_of(self, seed: int) -> list[tuple]:
        """Return the arguments of each call. Those of the stored seeds are also stored."""
        if seed < SEEDS:
            return stored_inputs(self.id, seed)
        return list(self.draw(np.random.default_rng(seed)))

    def observe(self, answer: Any, seed: int) -> dict:
        """Call the answer on every drawn input; see `observe_calls` for what is returned."""
        return self.observe_on(answer, self.inputs_of(seed))

    def observe_on(self, answer: Any, calls: Sequence[tuple]) -> dict:
        """Call the answer on these inputs."""
        # What was traced before would call no method of a tape again.
        answer = traced_anew(answer)
        observation = observe_calls(answer, calls, self.prepare, self.call)
        number = _call_with_none(observation)
        if number is not None:
            again = partial(observe_calls, answer, [calls[number]], self.prepare, self.call)
            observation["lost"] = lost_path(again, file_of(answer))
        # A program to repair runs from the start: only its code tells that nobody touched it.
        given = self.stub() if self.kind == "repair" else None
        return {**observation, "untouched": bool(given and same_code(answer, given["source"]))}

    def readings_of(
        self, observation: dict, calls: Sequence[tuple], of_any_form: bool = True
    ) -> list[list]:
        """Return the parts of an observation in which no call raised, call by call.

        What the ``read`` of a part does not expect is left as it is; not so, and the error is
        raised, without ``of_any_form``.
        """
        values = [record["returned"] for record in observation["calls"]]
        if len(values) != len(calls):
            raise ValueError("an observation of calls other than those that were drawn")
        return [
            [
                _reading_of(part, value, call, of_any_form)
                for value, call in zip(values, calls, strict=True)
            ]
            for part in self.parts
        ]

    def noted_in(self, observation: dict) -> dict[str, list]:
        """Return what was noted for the demands: for each name a list, call by call."""
        keys = {part.key for part in self.parts}
        noted: dict[str, list] = {}
        for record in observation["calls"]:
            facts = dict(record["called"])
            if "" not in keys:
                items = record["returned"]["items"]
                facts |= {key: read(item) for key, item in items.items() if key not in keys}
            for name, fact in facts.items():
                noted.setdefault(name, []).append(fact)
        return noted


def _call_with_none(observation: dict) -> int | None:
    """Return the call that raised because of a None, or the first that gave one, if none raised."""
    records = observation.get("calls", [])
    if records and "raised" in records[-1]:
        message = records[-1]["raised"]["message"]
        is_of_none = re.search(r"\bNone|No gradients provided", message)
        return len(records) - 1 if is_of_none else None
    return next((n for n, record in enumerate(records) if _holds_none(record["returned"])), None)


def _holds_none(described: Any) -> bool:
    if isinstance(described, dict):
        items = described.get("items", [])
        return any(map(_holds_none, items.values() if isinstance(items, dict) else items))
    return described is None


def _reading_of(part: Part, described: Any, call: tuple, of_any_form: bool) -> Any:
    reading = read(described["items"][part.key] if part.key else described)
    if part.read is None:
        return reading
    try:
        return part.read(reading, *call)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        is_slip = isinstance(getattr(error, "obj", None), ModuleType)  # such as np.roundd
        if is_slip or not of_any_form:
            raise
        return reading


def first_wrong(
    question: Question, observation: dict, reference: Reference
) -> tuple[int, list] | None:
    """Return in which part an answer first went wrong, and its readings; None if in no part.

    For one that raised these are `RAISED` and what two errors of the same cause share: the type,
    and the message without numbers.
    """
    error = error_of(observation)
    if error:
        return RAISED, [error["type"], re.sub(r"[-+]?\d[\d.e+-]*", "#", error["message"])]
    parts = question.readings_of(observation, reference.calls)
    for i, part in enumerate(question.parts):
        pairs = zip(parts[i], reference.right[i], strict=True)
        if not all(same(*pair, part.tolerance) for pair in pairs):
            return i, parts[i]
    return None


def error_of(observation: dict) -> dict | None:
    """Return the error that a call raised, as `observe_calls` describes it, or None."""
    return next((call["raised"] for call in observation["calls"] if "raised" in call), None)


@dataclass(frozen=True)
class ValueQuestion(Exercise):
    """An exercise whose answer is a value, or a list of values, that is committed to."""

    praise: str  # what a right answer is told
    form: str  # what to write, told of an answer of another form
    entries: Sequence[str] = ()  # what each value of a list is about; empty for one value
    tolerance: float = 1e-3  # relative to the value

    def observe(self, answer: Any, seed: int) -> dict:
        """Return ``{"value": ...}`` with the answer described; the seed is not needed."""
        return {"value": describe(answer)}

"""What an exercise is, and how it is judged from an observation alone.

An exercise *observes* an answer, which runs the learner's code and yields plain data, and *judges*
the observation, which runs none of it. Both draw the same inputs from the same seed, so that a
judge in another process need not believe what the observed code says of its inputs.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files
from typing import Any, Literal

import numpy as np

from ..curriculum import written_lessons
from .observation import describe, observe_calls, same_code
from .reading import in_words

__all__ = [
    "Exercise",
    "FunctionExercise",
    "Judgement",
    "ValueExercise",
    "all_exercises",
    "failed",
    "find_exercise",
    "passed",
    "stubs",
]

Kind = Literal["complete", "repair", "predict"]
Outcome = Literal["passed", "failed", "not attempted", "error"]


@dataclass(frozen=True)
class Judgement:
    """What a judge says of one observation; ``score`` is the fraction of the points, 0 to 1."""

    outcome: Outcome
    message: str
    score: float = 0.0


def passed(message: str) -> Judgement:
    """Return the judgement of a right answer; ``message`` says what the learner now can do."""
    return Judgement("passed", message, 1.0)


def failed(message: str) -> Judgement:
    """Return the judgement of a wrong answer; ``message`` names the mistake and the way out."""
    return Judgement("failed", message)


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
    ``judge(returned, calls)`` receives what came back, described, and the drawn arguments.
    """

    draw_calls: Callable[[np.random.Generator], Sequence[tuple]]
    judge: Callable[[list, Sequence[tuple]], Judgement]
    prepare: Callable[..., tuple] | None = None

    def observe(self, answer: Any, seed: int) -> dict:
        """Call the answer on every drawn input; see `observe_calls` for what is returned."""
        calls = self.draw_calls(np.random.default_rng(seed))
        observation = observe_calls(answer, calls, self.prepare)
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
        message = _cause(error) or error["message"].rstrip(".") or "it gave no message"
        return Judgement(
            "error",
            f"Your function raised {error['type']}{where}: {message}. "
            "Call it in a cell of its own to see the whole traceback.",
        )


def _cause(error: dict) -> str | None:
    """Return in a learner's words what TensorFlow says in its own, where that is known."""
    message = error["message"]
    if message.endswith(("'NoneType' object has no attribute '_id'", "but received None.")):
        return (
            "what is differentiated here is None. If it is a gradient itself, its tape found no "
            "path, because it must watch the source and record the way to the target"
        )
    if message.startswith("'numpy.") and message.endswith("has no attribute '_id'"):
        return (
            "the target is a NumPy number, so the computation left TensorFlow on its way. Use "
            "TensorFlow's functions, not NumPy's, and no .numpy()"
        )
    if message.startswith("Cannot convert the argument `type_value`"):
        return (
            "the target is a plain number, so the computation left TensorFlow on its way. Use "
            "TensorFlow's functions, and neither float() nor .numpy()"
        )
    if message.endswith(("has no attribute 'dtype'", "has no attribute '_id'")):
        return (
            "a tape needs tensors, and here the target or the source is a plain number. Make a "
            "tf.Variable from the number before the `with` block"
        )
    if "NoneType" in message and message.startswith(("unsupported operand", "Attempt to convert")):
        return (
            "there is a None where a number is needed. If it is a gradient, the tape found no path "
            "from its source to the target"
        )
    if message == "too many values to unpack (expected 2)":
        return (
            f"{message}. A function under @tf.custom_gradient returns two things, "
            "the value and the backward function"
        )
    if message == "unsupported callable":
        return (
            f"{message}. A function under @tf.custom_gradient returns the value first, "
            "and then the backward function"
        )
    if "is not in the list of allowed values" in message:
        return "this operation does not take such numbers (in Python, a power is **, and not ^)"
    return _cause_of_numpy_habit(message) or _cause_of_use(message)


_INSTEAD = {
    "reshape": "tf.reshape, or y[:, None] for a column",
    "T": "tf.transpose",
    "transpose": "tf.transpose",
    "astype": "tf.cast",
    "ravel": "tf.reshape(y, [-1])",
    "clip": "tf.clip_by_value",
}


def _cause_of_numpy_habit(message: str) -> str | None:
    """Return in words where a tensor was used as one would use a NumPy array."""
    missing = re.search(r"(?:Tensor|Variable)'? object has no attribute '(\w+)'", message)
    if missing and missing[1] in _INSTEAD:
        name = missing[1]
        return f"{name} belongs to NumPy's arrays, and this is a tensor. Use {_INSTEAD[name]}"
    if message.endswith("experimental_enable_numpy_behavior()"):
        return (
            "this is a tensor, without the methods of NumPy's arrays. Use TensorFlow's functions: "
            "tf.reshape (or y[:, None] for a column), tf.transpose, tf.cast"
        )
    if "Only integers, slices" in message:
        return (
            "square brackets take whole numbers and slices, and here stands something else. Take "
            "rows by index, from a list or a tensor of them, with tf.gather"
        )
    if "The truth value of an array with more than one element is ambiguous" in message:
        return (
            "a condition needs one True or False, and this one has many entries. For a choice "
            "entry by entry use tf.where"
        )
    return None


def _cause_of_use(message: str) -> str | None:
    """Return in words which rule of a tape, or of a matrix product, was not kept."""
    if "A non-persistent GradientTape can only be used to compute one set" in message:
        return (
            "A non-persistent GradientTape answers once, and this one was asked again. Record with "
            "persistent=True, or with one tape for each question"
        )
    is_product = "MatMul" in message and "Shape must be rank 2" in message
    if is_product or re.match(r"In\[[01]\] ndims must be >= 2", message):
        return (
            "both sides of a matrix product must be matrices, and one here is not. A matrix times "
            "a vector is tf.linalg.matvec"
        )
    return None


def all_exercises() -> list[Exercise]:
    """Return every exercise of every written lesson, in the order of the course."""
    return [exercise for lesson in written_lessons() for exercise in lesson.exercises()]


def find_exercise(exercise_id: str) -> Exercise:
    """Return the exercise with this id.

    Raises
    ------
    LookupError
        If there is none; the message names the nearest ids that exist.
    """
    exercises = {exercise.id: exercise for exercise in all_exercises()}
    if isinstance(exercise_id, str) and exercise_id in exercises:
        return exercises[exercise_id]
    if not isinstance(exercise_id, str):
        raise LookupError('check takes the id first, as text: check("00.1", answer).')
    nearest = get_close_matches(exercise_id, exercises, n=3, cutoff=0.5) or list(exercises)[:3]
    nearest.sort()
    raise LookupError(
        f"There is no exercise {exercise_id!r}. An id is a lesson and a number, such as "
        f'"{nearest[0]}"; the nearest are {", ".join(nearest)}.'
    )


def stubs() -> dict[str, dict]:
    """Return, for every exercise, its ``notebook``, its ``cell`` and the ``source`` of its stub.

    The file is written by ``course build``.
    """
    text = files(__package__).joinpath("stubs.json").read_text(encoding="utf-8")
    return json.loads(text)

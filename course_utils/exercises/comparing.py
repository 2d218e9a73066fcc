"""Judging the observation of a function: comparison with what right and wrong programs did.

The parts of an answer are compared in their order. In the first that is wrong, the first known
mistake that is wrong there too, and did the same, gives its sentence. What none explains is looked
at once more for what happens anywhere, such as a wrong sign; then it is said what came and what was
expected. Nothing here runs a learner's code.
"""

from typing import Any

from .errors_in_words import cause_in_words
from .exercise import Judgement, failed, passed
from .question import Part, Question
from .readings import form_of, read, same
from .references import Reference, error_signature
from .second_look import second_look
from .showing import (
    first_difference,
    form_difference,
    inputs_in_words,
    reading_in_words,
)

__all__ = ["behaviour", "first_wrong_part", "is_general", "judged"]

# What an answer is called that no program of a gallery explains, nor the second look.
_GENERAL = ("unexplained", "other form", "returned None", "raised ")


def judged(question: Question, observation: dict, reference: Reference) -> Judgement:
    """Return the judgement of one observation, made on the inputs of ``reference``."""
    if "given" in observation:
        return _judge_no_function(question, observation["given"])
    if observation["untouched"]:
        message = "This is still the program as given, apart from spaces and parentheses."
        return Judgement("not attempted", message)
    for record in observation["calls"]:
        if "raised" in record:
            return _judge_raised(record["raised"], reference, observation.get("lost", ""))
    parts = question.readings_of(observation, reference.calls)
    if question.judge is not None:
        judgement = question.judge(parts, reference)
        if judgement is not None:
            return judgement
    wrong = first_wrong_part(question, parts, reference)
    if wrong is not None:
        return _judge_part(question, wrong, parts[wrong], reference, observation.get("lost", ""))
    noted = question.noted_in(observation)
    for demand in question.demands:
        if not demand.met(noted):
            return failed(demand.sentence, demand.name)
    return passed(question.praise)


def is_general(mistake: str) -> bool:
    """Tell whether a mistake's name is one of those that say only what came back."""
    return mistake.startswith(_GENERAL)


def behaviour(question: Question, observation: dict, reference: Reference) -> tuple[int, list]:
    """Return in which part an answer first went wrong, and that part's readings.

    For one that raised these are -1 and the error's signature, as in a `KnownMistake`.
    """
    for record in observation["calls"]:
        if "raised" in record:
            return -1, error_signature(record["raised"])
    parts = question.readings_of(observation, reference.calls)
    wrong = first_wrong_part(question, parts, reference)
    if wrong is None:
        raise ValueError("nothing is wrong with this observation but a demand")
    return wrong, parts[wrong]


def first_wrong_part(question: Question, parts: list[list], reference: Reference) -> int | None:
    """Return the position of the first part that is not as the right program's; None for none."""
    for i, (part, got, right) in enumerate(
        zip(question.parts, parts, reference.right, strict=True)
    ):
        if not all(same(one, other, part.tolerance) for one, other in zip(got, right, strict=True)):
            return i
    return None


def _judge_part(
    question: Question, i: int, got: list, reference: Reference, lost: str
) -> Judgement:
    part, right = question.parts[i], reference.right[i]
    call = next(c for c, one in enumerate(got) if not same(one, right[c], part.tolerance))
    known = [mistake for mistake in reference.wrong if mistake.part == i]
    mistake = next((one for one in known if one.explains(got, part.tolerance)), None)
    recognised = mistake is not None
    if mistake is None and form_of(got) != form_of(right):
        mistake = next((one for one in known if one.has_form_of(got)), None)
    if mistake is not None:
        # The learner's own line says more of a lost path than any sentence written before.
        said = lost if lost and got[call] is None else mistake.sentence
        return failed(said, mistake.name, recognised)
    if form_of(got) != form_of(right):
        other = next(c for c, one in enumerate(got) if form_of(one) != form_of(right[c]))
        return _judge_form(part, got[other], right[other], lost)
    said = second_look(question, part, got, right, reference.calls)
    if said is not None:
        return failed(*said, recognised=False)
    where, expected, given = first_difference(got[call], right[call], part.tolerance)
    inputs = inputs_in_words(question.inputs, reference.calls[call])
    of = f", {where}," if where else ""
    return failed(
        f"{inputs}{part.words}{of} should be {expected}, and is {given}.",
        "unexplained",
        recognised=False,
    )


def _judge_form(part: Part, got: Any, right: Any, lost: str) -> Judgement:
    """Say of an answer of another form what was expected; ``got`` is of the call that differs."""
    where, expected, given = form_difference(got, right)
    if given == "None" and lost:
        return failed(lost, "returned None", recognised=False)
    if where:
        message = f"{part.subject} should hold {expected} as {where}, and holds {given}."
    elif part.key:
        message = f"{part.subject} should be {expected}, and is {given}."
    else:
        message = f"Your function returned {given}, where {expected} was expected."
    name = "returned None" if given == "None" else "other form"
    return failed(f"{message} {part.form}".strip(), name, recognised=False)


def _judge_no_function(question: Question, given: Any) -> Judgement:
    if given == {"type": "ellipsis"}:
        return Judgement("not attempted", "Write the function, then check again.")
    return failed(
        f"check needs the function itself, and got {reading_in_words(read(given))}. "
        "Pass its name without parentheses: check("
        f'"{question.id}", my_function), not check("{question.id}", my_function(...)).',
        "no function",
    )


def _judge_raised(error: dict, reference: Reference, lost: str) -> Judgement:
    if error["type"] == "NotImplementedError" and not error["message"]:
        message = (
            "The line `raise NotImplementedError` still runs. Put your code in its place, and "
            "run the cell before its check."
        )
        return Judgement("not attempted", message)
    signature = error_signature(error)
    for mistake in reference.wrong:
        if mistake.part < 0 and mistake.readings == signature:
            return Judgement("error", mistake.sentence, mistake=mistake.name)
    name = f"raised {error['type']}"
    where = f" at `{error['line']}`" if error["line"] else ""
    if lost:
        said = f"Your function raised {error['type']}{where}, because of a None. {lost}"
        return Judgement("error", said, mistake=name, recognised=False)
    message = cause_in_words(error) or error["message"].rstrip(".") or "it gave no message"
    return Judgement(
        "error",
        f"Your function raised {error['type']}{where}: {message}. "
        "Call it in a cell of its own to see the whole traceback.",
        mistake=name,
        recognised=False,
    )

"""Judging the observation of a function: comparison with what right and wrong programs did.

The parts of an answer are compared in their order. In the first that is wrong, the first known
mistake that is wrong there too, and did the same, gives its sentence. What none explains is looked
at once more for what happens anywhere, such as a wrong sign; then it is said what came and what was
expected. Nothing here runs a learner's code.
"""

import re
from typing import Any

from .errors_in_words import cause_in_words
from .exercise import Judgement, failed, not_attempted, passed
from .question import Part, Question
from .readings import form_of, read, same
from .references import RAISED, KnownMistake, Reference
from .second_look import second_look
from .showing import first_difference, form_difference, inputs_in_words, reading_in_words

__all__ = ["first_wrong", "is_general", "judged"]

# What an answer is called that no program of a gallery explains, nor the second look.
_GENERAL = ("unexplained", "other form", "returned None", "raised ")


def judged(question: Question, observation: dict, reference: Reference) -> Judgement:
    """Return the judgement of one observation, made on the inputs of ``reference``."""
    if "given" in observation:
        return _judge_no_function(question, observation["given"])
    if observation["untouched"]:
        return not_attempted(
            "This is still the program as given, apart from spaces and parentheses."
        )
    error = _error_of(observation)
    if error and (error["type"], error["message"]) == ("NotImplementedError", ""):
        return not_attempted(
            "The line `raise NotImplementedError` still runs. Put your code in its place, and "
            "run the cell before its check."
        )
    wrong = first_wrong(question, observation, reference)
    if wrong is None:
        noted = question.noted_in(observation)
        unmet = next((demand for demand in question.demands if not demand.met(noted)), None)
        return failed(unmet.sentence, unmet.name) if unmet else passed(question.praise)
    part, got = wrong
    tolerance = question.parts[part].tolerance
    mistakes = (one for one in reference.wrong if one.explains(part, got, tolerance))
    mistake, lost = next(mistakes, None), observation.get("lost", "")
    if error:
        return _judge_raised(error, lost, mistake)
    return _judge_part(question, part, got, reference, lost, mistake)


def is_general(mistake: str) -> bool:
    """Tell whether a mistake's name is one of those that say only what came back."""
    return mistake.startswith(_GENERAL)


def first_wrong(
    question: Question, observation: dict, reference: Reference
) -> tuple[int, list] | None:
    """Return in which part an answer first went wrong, and its readings; None if in no part.

    For one that raised these are `RAISED` and what two errors of the same cause share: the type,
    and the message without numbers.
    """
    error = _error_of(observation)
    if error:
        return RAISED, [error["type"], re.sub(r"[-+]?\d[\d.e+-]*", "#", error["message"])]
    parts = question.readings_of(observation, reference.calls)
    for i, (part, got, right) in enumerate(
        zip(question.parts, parts, reference.right, strict=True)
    ):
        if not all(same(one, other, part.tolerance) for one, other in zip(got, right, strict=True)):
            return i, got
    return None


def _error_of(observation: dict) -> dict | None:
    return next((call["raised"] for call in observation["calls"] if "raised" in call), None)


def _judge_part(
    question: Question,
    i: int,
    got: list,
    reference: Reference,
    lost: str,
    mistake: KnownMistake | None,
) -> Judgement:
    part, right = question.parts[i], reference.right[i]
    pairs = list(zip(got, right, strict=True))
    call = next(c for c, pair in enumerate(pairs) if not same(*pair, part.tolerance))
    other_form = next((pair for pair in pairs if form_of(pair[0]) != form_of(pair[1])), None)
    alike = mistake
    if mistake is None and other_form:
        of_part = (one for one in reference.wrong if one.part == i)
        alike = next((one for one in of_part if form_of(one.readings) == form_of(got)), None)
    if alike is not None:
        # The learner's own line says more of a lost path than any sentence written before.
        said = lost if lost and got[call] is None else alike.sentence
        return failed(said, alike.name, mistake is not None)
    if other_form:
        return _judge_form(part, *other_form, lost)
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
        return not_attempted("Write the function, then check again.")
    return failed(
        f"check needs the function itself, and got {reading_in_words(read(given))}. "
        "Pass its name without parentheses: check("
        f'"{question.id}", my_function), not check("{question.id}", my_function(...)).',
        "no function",
    )


def _judge_raised(error: dict, lost: str, mistake: KnownMistake | None) -> Judgement:
    if mistake is not None:
        return Judgement("error", mistake.sentence, mistake=mistake.name)
    where = f" at `{error['line']}`" if error["line"] else ""
    said = f"Your function raised {error['type']}{where}"
    if lost:
        said += f", because of a None. {lost}"
    else:
        cause = cause_in_words(error) or error["message"].rstrip(".") or "it gave no message"
        said += f": {cause}. Call it in a cell of its own to see the whole traceback."
    return Judgement("error", said, mistake=f"raised {error['type']}", recognised=False)

"""Judging the observation of a function: comparison with what right and wrong programs did.

The parts of an answer are compared in their order. In the first that is wrong, the first known
mistake that is wrong there too, and did the same, gives its sentence. If no known mistake
explains it, general mistakes such as a wrong sign are tried. Otherwise the message says what was
returned and what was expected. Nothing here runs a learner's code.
"""

import re
from typing import Any

from .errors_in_words import cause_in_words
from .exercise import Judgement
from .question import Part, Question, error_of, first_wrong
from .readings import form_of, pieces, read, same
from .references import KnownMistake, Reference
from .second_look import second_look
from .showing import first_difference, form_difference, inputs_in_words, reading_in_words

__all__ = ["is_general", "judged"]

# What an answer is called that neither a known mistake nor the second look explains.
_GENERAL = ("unexplained", "other form", "returned None", "raised ")


def judged(question: Question, observation: dict, reference: Reference) -> Judgement:
    """Return the judgement of one observation, made on the inputs of ``reference``."""
    if "given" in observation:
        return _judge_no_function(question, observation["given"])
    if observation["untouched"]:
        message = (
            "This is still the program that you were given. If you changed it, run its "
            "cell, and then check again."
        )
        return Judgement("not attempted", message)
    error, lost = error_of(observation), observation.get("lost", "")
    if error and (error["type"], error["message"]) == ("NotImplementedError", ""):
        message = (
            "The line `raise NotImplementedError` still runs. Put your code in its place, run the "
            "cell, and then check again."
        )
        return Judgement("not attempted", message)
    wrong = first_wrong(question, observation, reference)
    if wrong is None:
        noted = question.noted_in(observation)
        for demand in question.demands:
            if not demand.met(noted):
                return Judgement("failed", demand.sentence, mistake=demand.name)
        return Judgement("passed", question.praise, 1.0)
    part, got = wrong
    tolerance = question.parts[part].tolerance
    explaining = (known for known in reference.wrong if known.explains(part, got, tolerance))
    mistake = next(explaining, None)
    if error is None:
        return _judge_part(question, part, got, reference, mistake, lost)
    if mistake is not None:
        return Judgement("error", mistake.sentence, mistake=mistake.name)
    return Judgement(
        "error", _raised(error, lost), mistake=f"raised {error['type']}", recognised=False
    )


def is_general(mistake: str) -> bool:
    """Tell whether the name of a mistake says only what was returned."""
    return mistake.startswith(_GENERAL)


def _judge_part(
    question: Question,
    i: int,
    got: list,
    reference: Reference,
    mistake: KnownMistake | None,
    lost: str,
) -> Judgement:
    part, right = question.parts[i], reference.right[i]
    pairs = list(zip(got, right, strict=True))
    call = next(c for c, pair in enumerate(pairs) if not same(*pair, part.tolerance))
    other_form = next((pair for pair in pairs if form_of(pair[0]) != form_of(pair[1])), None)
    recognised = mistake is not None
    if mistake is None and other_form:
        of_part = (known for known in reference.wrong if known.part == i)
        same_form = (known for known in of_part if form_of(known.readings) == form_of(got))
        mistake = next(same_form, None)
    if mistake is not None:
        # The learner's own line says more of a lost path than any sentence written before.
        is_lost = _holds_none(got[call]) and not _holds_none(right[call])
        message, name = lost if lost and is_lost else mistake.sentence, mistake.name
    elif other_form:
        message, name = _of_other_form(part, *other_form, lost)
    else:
        message, name = second_look(question, part, got, right, reference.calls) or (
            _unexplained(question, part, got[call], right[call], reference.calls[call]),
            "unexplained",
        )
    return Judgement("failed", message, mistake=name, recognised=recognised)


def _holds_none(reading: Any) -> bool:
    return reading is None or any(map(_holds_none, pieces(reading).values()))


def _of_other_form(part: Part, got: Any, right: Any, lost: str) -> tuple[str, str]:
    """Say of an answer of another form what was expected; ``got`` is of the call that differs."""
    where, expected, given = form_difference(got, right)
    name = "returned None" if given == "None" else "other form"
    if given == "None" and lost:
        return lost, name
    if where:
        message = f"{part.subject} should hold {expected} as {where}, but holds {given}."
    elif part.key:
        message = f"{part.subject} should be {expected}, but is {given}."
    else:
        message = f"Your function returned {given}, but {expected} was expected."
    return f"{message} {part.form}".strip(), name


def _unexplained(question: Question, part: Part, got: Any, right: Any, call: tuple) -> str:
    where, expected, given = first_difference(got, right, part.tolerance)
    of = f", {where}," if where else ""
    inputs = inputs_in_words(question.inputs, call)
    return f"{inputs}{part.words}{of} should be {expected}, but is {given}."


def _raised(error: dict, lost: str) -> str:
    where = f" at `{error['line']}`" if error["line"] else ""
    said = f"Your function raised {error['type']}{where}"
    if lost:
        return f"{said}, because of a None. {lost}"
    own = re.sub(r"\b(\w+\.<locals>\.)+", "", error["message"])  # no name of what is around it
    own = re.sub(r"<tf\.(\w+)\b.*?(shape=\([\d, ]*\)).*?(>|$)", r"a \1 of \2", own)
    cause = cause_in_words(error) or own.rstrip(".") or "the error has no message"
    return f"{said}: {cause}. Call your function in a separate cell to see the full traceback."


def _judge_no_function(question: Question, given: Any) -> Judgement:
    if given == {"type": "ellipsis"}:
        return Judgement("not attempted", "Write the function, then check again.")
    message = (
        f"check needs the function itself, but got {reading_in_words(read(given))}. "
        "Pass its name without parentheses: check("
        f'"{question.id}", my_function), not check("{question.id}", my_function(...)).'
    )
    return Judgement("failed", message, mistake="no function")

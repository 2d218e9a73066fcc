"""``--lessons 01-03,05``: which lessons somebody means."""

import re

__all__ = ["ChoiceError", "choose_lessons"]

_FORM = (
    "Write two-digit numbers, separated by commas, or a range with a hyphen: 02 or 01,03 or 01-07."
)


class ChoiceError(Exception):
    """The lessons cannot be chosen so; the message says what was given and what to write."""


def choose_lessons(text: str | None, known: list[str]) -> list[str]:
    """Return the numbers that ``text`` names, in the order of the course, or all if it is None.

    Parameters
    ----------
    text : str or None
        Numbers and ranges, separated by commas, such as ``"01-03,05"``.
    known : list of str
        The numbers of the lessons that there are.

    Raises
    ------
    ChoiceError
        If the text has another form, a range runs backwards, or a lesson is not there.

    Examples
    --------
    >>> choose_lessons("02,00-01", ["00", "01", "02", "03"])
    ['00', '01', '02']
    """
    if text is None:
        return known
    wanted = {number for part in text.split(",") for number in _numbers(part.strip(), text)}
    missing = sorted(wanted - set(known))
    if missing:
        raise ChoiceError(
            f"--lessons was {text!r}, but there is no lesson {', '.join(missing)}. Choose from "
            f"{', '.join(known)}."
        )
    return sorted(wanted)


def _numbers(part: str, text: str) -> list[str]:
    match = re.fullmatch(r"(\d\d)(?:-(\d\d))?", part, re.ASCII)
    if match is None:
        raise ChoiceError(f"--lessons was {text!r}. {_FORM}")
    first, last = int(match[1]), int(match[2] or match[1])
    if last < first:
        raise ChoiceError(f"--lessons was {text!r}, but {part} runs backward. {_FORM}")
    return [f"{number:02}" for number in range(first, last + 1)]

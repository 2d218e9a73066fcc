"""``--lessons 01-03,05``: which lessons an instructor means."""

import re

from ..authoring.source import LessonSource

__all__ = ["ChoiceError", "choose_lessons"]

_FORM = "Write two-digit numbers with commas, and a range with a dash: 02 or 01,03 or 01-07."


class ChoiceError(Exception):
    """The lessons cannot be chosen so; the message says what was given and what to write."""


def choose_lessons(text: str | None, lessons: list[LessonSource]) -> list[LessonSource]:
    """Return the lessons that ``text`` names, in the order of the course; all where it is None.

    Parameters
    ----------
    text : str or None
        Numbers and ranges with commas between them, such as ``"01-03,05"``.
    lessons : list of LessonSource
        Those that there are.

    Raises
    ------
    ChoiceError
        If the text has another form, a range runs backwards, or a lesson is not there.

    Examples
    --------
    >>> choose_lessons("1 to 7", [])  # doctest: +NORMALIZE_WHITESPACE
    Traceback (most recent call last):
    ...
    course_utils.classroom.choosing.ChoiceError: --lessons was '1 to 7'. Write two-digit numbers
    with commas, and a range with a dash: 02 or 01,03 or 01-07.
    """
    if text is None:
        return lessons
    wanted = {number for part in text.split(",") for number in _numbers(part.strip(), text)}
    here = {lesson.name[:2]: lesson for lesson in lessons}
    missing = sorted(wanted - set(here))
    if missing:
        raise ChoiceError(
            f"--lessons was {text!r}, and there is no lesson {', '.join(missing)}. "
            f"There are {', '.join(here)}: name some of these."
        )
    return [here[number] for number in sorted(wanted)]


def _numbers(part: str, text: str) -> list[str]:
    match = re.fullmatch(r"(\d\d)(?:-(\d\d))?", part, re.ASCII)
    if match is None:
        raise ChoiceError(f"--lessons was {text!r}. {_FORM}")
    first, last = int(match[1]), int(match[2] or match[1])
    if last < first:
        raise ChoiceError(f"--lessons was {text!r}, and {part} runs backwards. {_FORM}")
    return [f"{number:02}" for number in range(first, last + 1)]

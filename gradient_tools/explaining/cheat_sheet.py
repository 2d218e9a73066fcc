"""Every cause of None, zero and NaN on one page: code that has it, and what to write instead."""

from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

from .messages import Cause, Example

__all__ = ["CheatSheet", "cheat_sheet"]


class CheatSheet(NamedTuple):
    """What `cheat_sheet` returns: formatted in a notebook, the same as text elsewhere."""

    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return self.text


def cheat_sheet() -> CheatSheet:
    """Return every cause of None, zero and NaN with code that has it and what to write instead.

    The causes are those that ``ExplainingTape`` names.

    Examples
    --------
    >>> "✗ y = tf.round(x)" in cheat_sheet().text
    True
    """
    parts = (
        ("None: no path leads back", _is_none),
        ("Zero: there is a path, but its slopes multiply to 0", _is_zero),
        ("Infinite, or not a number", lambda cause: cause.label == "not-finite"),
    )
    return CheatSheet("\n\n".join(_part(title, belongs) for title, belongs in parts) + "\n")


def _is_zero(cause: Cause) -> bool:
    return cause.label.startswith("zero") or cause is Cause.LEFT_IN_PY_FUNCTION


def _is_none(cause: Cause) -> bool:
    return not _is_zero(cause) and cause.label != "not-finite"


def _part(title: str, belongs: Callable[[Cause], bool]) -> str:
    """Return one part of the sheet: a section for each label, with the examples of its causes."""
    sections: dict[str, list[str]] = defaultdict(list)
    for cause in filter(belongs, Cause):
        for each in cause.examples:
            because = each.because or reason(cause.says, each)
            sections[cause.label].append(f"```\n✗ {each.line}\n✓ {each.instead}\n```\n\n{because}")
    texts = [f"### {label}\n\n" + "\n\n".join(each) for label, each in sections.items()]
    return f"## {title}\n\n" + "\n\n".join(texts)


# What the tool adds about how it concluded something of one program.
_OF_A_PROGRAM = ("Ruled out", "It was made at")


def reason(says: str, example: Example) -> str:
    """Return the explanation of an example, without how the tool came to it in a program."""
    words = defaultdict(str, {"x": "x", "y": "y", "tape": "tape", **example.words})
    sentences = says.format_map(words).strip().removesuffix(".").split(". ")
    return f"{'. '.join(each for each in sentences if not each.startswith(_OF_A_PROGRAM))}."

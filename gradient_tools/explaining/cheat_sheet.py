"""Every cause of None, zero and NaN on one page: a line of code that has it, and what to write."""

from collections import defaultdict
from typing import NamedTuple

from .messages import Cause, Example

__all__ = ["CheatSheet", "cheat_sheet"]


class CheatSheet(NamedTuple):
    """What `cheat_sheet` returns: tables in a notebook, the same as text elsewhere."""

    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return self.text


def cheat_sheet() -> CheatSheet:
    """Return every cause of None, zero and NaN with a line that has it and what to write instead.

    The causes are those that ``ExplainingTape`` names.

    Examples
    --------
    >>> "|no-gradient-op|`y = tf.round(x)`|" in cheat_sheet().text
    True
    """
    tables: dict[str, list[str]] = {
        "None: no path leads back": [],
        "Zero: there is a path, but its slopes multiply to 0": [],
        "Infinite, or not a number": [],
    }
    none, zero, not_finite = tables.values()
    for cause in Cause:
        label = cause.label
        is_zero = label.startswith("zero") or cause is Cause.LEFT_IN_PY_FUNCTION
        rows = zero if is_zero else not_finite if label == "not-finite" else none
        for each in cause.examples:
            because = each.because or reason(cause.says, each)
            rows.append(f"|{label}|`{each.line}`|`{each.instead}`|{because}|\n")
    head = "|cause|the code|write instead|why|\n|---|---|---|---|\n"
    return CheatSheet("\n".join(f"## {t}\n\n{head}{''.join(rows)}" for t, rows in tables.items()))


# What the tool adds about how it concluded something of one program.
_OF_A_PROGRAM = ("Ruled out", "It was made at")


def reason(says: str, example: Example) -> str:
    """Return the explanation of an example, without how the tool came to it in a program."""
    words = defaultdict(str, {"x": "x", "y": "y", "tape": "tape", **example.words})
    sentences = says.format_map(words).strip().removesuffix(".").split(". ")
    return f"{'. '.join(each for each in sentences if not each.startswith(_OF_A_PROGRAM))}."

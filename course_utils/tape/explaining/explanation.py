"""An explanation of one gradient, and how a list of them is shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

from ..recording.places import Place
from ..recording.records import html_table
from .messages import Cause

__all__ = ["Explanation", "Explanations", "Gradient"]

_HEADS = ("Source", "Gradient", "Cause", "Where", "What happened", "What to change")
Gradient = Literal["None", "zero", "not finite"]


@dataclass(frozen=True)
class Explanation:
    """Why one gradient is None, zero everywhere, or not finite.

    Attributes
    ----------
    source : str
        The source, as the user's program names it.
    gradient : str
        What was found: ``"None"``, ``"zero"`` or ``"not finite"``.
    cause : str
        One word for the cause, such as ``"not-watched"`` or ``"zero-saturated"``.
    where : Place or None
        The line of the user's program, and the operation; None if no line could be named.
    message : str
        What happened, in at most three sentences.
    remedy : str
        The code to write instead; a comment where nothing has to change.
    """

    source: str
    gradient: Gradient
    cause: Cause
    where: Place | None
    message: str
    remedy: str

    def __str__(self) -> str:
        """Return the explanation as plain text."""
        lines = [f"{self.source}: gradient is {self.gradient} ({self.cause})"]
        if self.where is not None:
            text = f": {self.where.text}" if self.where.text else ""
            lines.append(f"  where   {self.where}{text}")
        lines.append(f"  why     {self.message}")
        remedy = self.remedy.replace("\n", "\n          ")
        lines.append(f"  change  {remedy}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return Explanations([self])._repr_html_()


class Explanations(tuple):
    """The explanations of one call, shown as a table in a notebook and as lines elsewhere.

    Examples
    --------
    >>> print(Explanations())
    Nothing to explain: every gradient is there, finite, and not zero everywhere.
    """

    note: str = ""

    def __new__(cls, explanations: Sequence[Explanation] = (), note: str = "") -> "Explanations":
        """Return a tuple of explanations; ``note`` tells what the diagnosis could not see."""
        made = super().__new__(cls, explanations)
        made.note = note
        return made

    def __str__(self) -> str:
        """Return the explanations as plain text."""
        lines = [str(each) for each in self] or [self._nothing()]
        return "\n\n".join([*lines, *([self.note] if self.note else [])])

    __repr__ = __str__

    def _nothing(self) -> str:
        if self.note:
            return "Nothing found to explain."
        return "Nothing to explain: every gradient is there, finite, and not zero everywhere."

    def _repr_html_(self) -> str:
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        if not self:
            return f"<p>{escape(self._nothing())}</p>{note}"
        caption = "Why these gradients are None, zero or not finite"
        return html_table(caption, _HEADS, map(_row, self), ' style="text-align:left"') + note


def _row(each: Explanation) -> list[str]:
    where = ""
    if each.where is not None:
        where = f"{escape(str(each.where))}<br><code>{escape(each.where.text)}</code>"
    source, remedy = f"<code>{escape(each.source)}</code>", f"<pre>{escape(each.remedy)}</pre>"
    gradient, cause, message = map(escape, (each.gradient, each.cause, each.message))
    return [source, gradient, cause, where, message, remedy]

"""An explanation of one gradient, and how a list of them is shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Any, Literal

from ..recording.places import Place
from ..showing.card import card, code_block, with_code
from ..showing.palette import BLUE, ORANGE, PURPLE, VERMILLION

__all__ = ["Explanation", "Explanations", "Gradient"]

Gradient = Literal["None", "zero", "not finite"]
# Each verdict has a sign and a word, so that nothing depends on seeing a colour.
_SIGNS: dict[Gradient, str] = {"None": "✗", "zero": "0", "not finite": "∞"}
_COLOURS: dict[Gradient, str] = {"None": VERMILLION, "zero": ORANGE, "not finite": PURPLE}


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
        The code to write instead, or a comment if nothing has to change.
    """

    source: str
    gradient: Gradient
    cause: str
    where: Place | None
    message: str
    remedy: str

    def __str__(self) -> str:
        """Return the explanation as plain text."""
        sign = _SIGNS[self.gradient]
        lines = [f"{sign} {self.source}: gradient is {self.gradient} ({self.cause})"]
        if self.where is not None:
            text = f": {self.where.text}" if self.where.text else ""
            lines.append(f"  where   {self.where}{text}")
        lines.append(f"  why     {self.message}")
        remedy = self.remedy.replace("\n", "\n          ")
        lines.append(f"  change  {remedy}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return Explanations([self])._repr_html_()


class Explanations(tuple[Any, ...]):
    """The explanations of one call, shown as cards in a notebook and as lines elsewhere.

    Examples
    --------
    >>> print(Explanations())
    Nothing to explain: every gradient exists and is finite, and none is zero everywhere.
    """

    note: str = ""
    notes: tuple[str, ...] = ()

    def __new__(
        cls, explanations: Sequence[Explanation] = (), note: str = "", notes: tuple[str, ...] = ()
    ) -> "Explanations":
        """Return a tuple of explanations.

        ``note`` tells what the diagnosis could not see; ``notes`` are on gradients that are there.
        """
        made = super().__new__(cls, explanations)
        made.note, made.notes = note, notes
        return made

    def __str__(self) -> str:
        """Return the explanations as plain text."""
        lines = [str(each) for each in self] or [self._nothing()]
        lines += [f"Note: {each}" for each in self.notes]
        return "\n\n".join([*lines, *([self.note] if self.note else [])])

    __repr__ = __str__

    def _nothing(self) -> str:
        if self.note:
            return "Nothing found to explain."
        if self.notes:
            return "Every gradient exists and is finite, and none is zero everywhere."
        return (
            "Nothing to explain: every gradient exists and is finite, and none is zero everywhere."
        )

    def _repr_html_(self) -> str:
        note = "".join(card(BLUE, f"<strong>Note</strong> {with_code(n)}") for n in self.notes)
        note += f"<p>{escape(self.note)}</p>" if self.note else ""
        if not self:
            return f"<p>{escape(self._nothing())}</p>{note}"
        alike = groupby(self, key=lambda each: (each.gradient, each.cause, each.where))
        return "".join(_card(list(group)) for _, group in alike) + note


def _card(alike: list[Explanation]) -> str:
    """Show what is the same for one source or several."""
    first, *others = alike
    names = ", ".join(f"<code>{escape(each.source)}</code>" for each in alike)
    verdict = f"{_SIGNS[first.gradient]} Gradient is {first.gradient}"
    blocks = [f"<div><strong>{verdict}</strong> · {names} · {first.cause}</div>"]
    if first.where is not None:
        line = f": <code>{escape(first.where.text)}</code>" if first.where.text else ""
        blocks.append(f"<div>{escape(str(first.where))}{line}</div>")
    blocks.append(f"<div>{with_code(first.message)}</div>")
    if others:
        blocks.append(f"<div>So it is with {', '.join(escape(x.source) for x in others)}.</div>")
    remedies = "\n".join(dict.fromkeys(each.remedy for each in alike))
    return card(_COLOURS[first.gradient], *blocks, f"<div>To change:</div>{code_block(remedies)}")

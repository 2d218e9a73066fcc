"""The report of a gradient check: one row a variable, as text, as a card, as a figure."""

import html
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import TYPE_CHECKING, Literal

import numpy as np

from ..showing.card import card, with_code
from ..showing.palette import BLUE, GREEN, GREY, ORANGE, VERMILLION
from .measurements import Measurement
from .verdicts import Verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["GradientReport", "GradientRow"]

# Each verdict has a sign and a word, so that nothing depends on seeing a colour.
_SIGNS: dict[Verdict, str] = {
    "agrees": "✓",
    "disagrees": "✗",
    "disconnected": "∅",
    "not repeatable": "≠",
    "kink nearby": "∧",
    "cannot tell": "?",
}
_UNJUDGED: tuple[Verdict, ...] = ("not repeatable", "kink nearby", "cannot tell")
_MOST_OPEN = 6  # rows that agree, shown at once


@dataclass(frozen=True)
class GradientRow:
    """What was found about one variable or tensor.

    The four numbers belong to the most telling direction: slopes of f along a unit vector.

    Attributes
    ----------
    name, shape, dtype
        Describe the variable. The name is its path.
    verdict : str
        ``agrees``, ``disagrees``, ``disconnected``, ``not repeatable``, ``kink nearby`` or
        ``cannot tell``.
    hint : str
        What the mistake looks like and where to look. Empty if there is none.
    evaluations : int
        How often f was evaluated only for this row.
    measurements : tuple of Measurement
        Every direction, the most telling one first.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    verdict: Verdict
    hint: str = ""
    evaluations: int = 0
    measurements: tuple[Measurement, ...] = ()

    @property
    def analytic(self) -> float:
        """The slope that the gradient claims; nan where nothing was measured."""
        return self.measurements[0].analytic if self.measurements else np.nan

    @property
    def numeric(self) -> float:
        """The slope that the central difference gives."""
        return self.measurements[0].numeric if self.measurements else np.nan

    @property
    def difference(self) -> float:
        """``analytic - numeric``."""
        return self.analytic - self.numeric

    @property
    def error_bar(self) -> float:
        """How far ``numeric`` may be from the truth."""
        return self.measurements[0].error_bar if self.measurements else np.nan

    @property
    def _signed_verdict(self) -> str:
        return f"{_SIGNS[self.verdict]} {self.verdict}"

    @property
    def _numbers(self) -> str:
        """The two slopes; empty where nothing was measured."""
        if not self.measurements:
            return ""
        claimed = "None" if self.verdict == "disconnected" else f"{self.analytic:+.6e}"
        return f"claimed {claimed}, measured {self.numeric:+.6e} ± {self.error_bar:.1e}"

    @property
    def _remark(self) -> str:
        """The hint, after the entry that it is about."""
        entry = self.measurements[0].entry if self.measurements else None
        if entry is None or self.verdict == "agrees":
            return self.hint
        return f"Worst at entry {list(entry)}. {self.hint}"


@dataclass(frozen=True)
class GradientReport:
    """What `check_gradients` found: a card in Jupyter, plain text elsewhere.

    Attributes
    ----------
    rows : tuple of GradientRow
        One for each variable or tensor, in the order given.
    evaluations : int
        How often f was evaluated in all.
    order : {1, 2}
        1 for the gradient, 2 for the gradient of the gradient.
    seed : int
        With it, a check draws the same directions again.
    constants : mapping of str to str
        The names and dtypes of the integers and booleans. They have no derivative and no row.
    """

    rows: tuple[GradientRow, ...]
    evaluations: int
    order: Literal[1, 2]
    seed: int
    constants: Mapping[str, str] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether every row agrees.

        False also where no gradient is known to be wrong, but one could not be judged.
        """
        return not self._split()[0]

    def _split(self) -> tuple[list[GradientRow], list[GradientRow]]:
        """Return the rows that do not agree, and those that do."""
        agreeing = [row for row in self.rows if row.verdict == "agrees"]
        return [row for row in self.rows if row.verdict != "agrees"], agreeing

    @property
    def _is_undecided(self) -> bool:
        """Whether nothing is wrong as far as one can tell, and one cannot tell everything."""
        doubtful = self._split()[0]
        return bool(doubtful) and all(row.verdict in _UNJUDGED for row in doubtful)

    def _headline(self) -> str:
        count, agree = len(self.rows), len(self._split()[1])
        unjudged = sum(row.verdict in _UNJUDGED for row in self.rows)
        what = "gradient" if self.order == 1 else "second-order gradient"
        outcome = "Passed" if self.passed else "Undecided" if self._is_undecided else "Not passed"
        return (
            f"{outcome}: {agree} of {count} "
            f"{what + 's agree' if count > 1 else what + ' agrees'} with central differences"
            f"{f', and {unjudged} could not be judged' if unjudged else ''} "
            f"({self.evaluations} evaluations, seed {self.seed})."
        )

    def _notes(self) -> list[str]:
        """Return what is said once, of several rows or of none."""
        notes = [
            f"{row._signed_verdict}, {count} rows: {row._remark}"
            for row, count in _repeated(self.rows)
        ]
        if self.constants:
            names = ", ".join(f"{name} ({dtype})" for name, dtype in self.constants.items())
            notes.append(f"Constant, not differentiated: {names}.")
        return notes

    def __str__(self) -> str:
        """Write the headline, and two or three lines for each row."""
        lines = [self._headline()]
        for note in self._notes():
            lines += ["", *wrap(note, 96)]
        repeated = [row._remark for row, _ in _repeated(self.rows)]
        for row in self.rows:
            lines += ["", f"{row._signed_verdict}: {row.name} {row.shape} {row.dtype}"]
            lines += [f"  {row._numbers}"] if row._numbers else []
            if row._remark not in repeated:
                lines += wrap(row._remark, 96, initial_indent="  ", subsequent_indent="  ")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        repeated = [row._remark for row, _ in _repeated(self.rows)]

        def block(row: GradientRow) -> str:
            about = f"<code>{html.escape(row.name)}</code> {row.shape} {row.dtype}"
            remark = "" if row._remark in repeated else with_code(row._remark)
            lines = [f"<strong>{row._signed_verdict}</strong> · {about}", row._numbers, remark]
            return "<br>".join(filter(None, lines))

        doubtful, agreeing = self._split()
        sign, colour = ("✗", VERMILLION) if doubtful else ("✓", GREEN)
        if self._is_undecided:
            sign, colour = "?", ORANGE
        blocks = [f"<div><strong>{sign} {html.escape(self._headline())}</strong></div>"]
        blocks += [f"<div>{with_code(note)}</div>" for note in self._notes()]
        blocks += [f"<div>{block(row)}</div>" for row in doubtful]
        if agreeing:
            items = "".join(f"<li>{block(row)}</li>" for row in agreeing)
            is_open = " open" if len(agreeing) <= _MOST_OPEN else ""
            count = f"{len(agreeing)} that agree{'s' if len(agreeing) == 1 else ''}"
            blocks.append(f"<details{is_open}><summary>{count}</summary><ul>{items}</ul></details>")
        return card(colour, *blocks)

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw analytic against numeric slopes, with error bars, on the line where they are equal.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        matplotlib Axes
            Logarithmic, on both sides of zero where there are negative slopes. A point off the
            grey line is a wrong gradient; it is a vermilion cross, with the name of its variable
            and how far it is off.
        """
        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.subplots(figsize=(6.4, 5), layout="constrained")[1]
        drawn = [
            (row, m) for row in self.rows for m in row.measurements if np.isfinite(m.error_bar)
        ]
        slopes = [x for _, m in drawn for x in (m.analytic, m.numeric)]
        sizes = np.abs([x for x in slopes if x] or [1.0])
        # The axes are linear around zero, up to the smallest slope.
        high, linear = 2 * sizes.max(), max(sizes.min(), 1e-6 * sizes.max()) / 2
        low, middle = (linear, np.sqrt(linear * high)) if min(slopes, default=0) > 0 else (-high, 0)
        ax.plot([low, high], [low, high], color=GREY, linewidth=1, zorder=0)
        for row, m in drawn:
            marker, colour = ("o", BLUE) if row.verdict == "agrees" else ("x", VERMILLION)
            ax.errorbar(
                m.numeric,
                m.analytic,
                xerr=m.error_bar,
                fmt=marker,
                color=colour,
                fillstyle="none",
                markersize=6,
                capsize=2,
            )
            if row.verdict == "agrees" or m is not row.measurements[0]:
                continue
            what: str = row.verdict
            if what == "disagrees" and m.numeric:
                what = f"{abs(m.difference / m.numeric):.1%} off"
            # Towards the middle of the figure there is room for a long name.
            is_left = m.numeric < middle
            ax.annotate(
                f"{row.name}: {what}",
                (m.numeric, m.analytic),
                xytext=(10 if is_left else -10, -4),
                textcoords="offset points",
                horizontalalignment="left" if is_left else "right",
                color=VERMILLION,
                in_layout=False,
            )
        ax.set_xscale("symlog", linthresh=linear)
        ax.set_yscale("symlog", linthresh=linear)
        ax.set(
            xlim=(low, high),
            ylim=(low, high),
            xlabel="numeric slope, by central differences (f per unit)",
            ylabel="analytic slope, claimed by the gradient (f per unit)",
            title=f"{len(self._split()[1])} of {len(self.rows)} agree with central differences",
        )
        return ax


def _repeated(rows: Sequence[GradientRow]) -> list[tuple[GradientRow, int]]:
    """Return the first row of those that share a verdict and a remark, and how many they are."""
    counts = Counter((row.verdict, row._remark) for row in rows if row._remark)
    first = {(row.verdict, row._remark): row for row in reversed(rows)}
    return [(first[shared], count) for shared, count in counts.items() if count > 1]

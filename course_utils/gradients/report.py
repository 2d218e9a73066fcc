"""The report of a gradient check: one row a variable, as text, as a card, as a figure."""

import html
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Literal

import numpy as np

from ..figures.card import card, with_code
from ..figures.palette import BLUE, GREEN, GREY, VERMILLION
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
_MOST_OPEN = 6  # rows that agree, shown at once


@dataclass(frozen=True)
class GradientRow:
    """What was found about one variable or tensor.

    The four numbers belong to the most telling direction: slopes of f along a unit vector.

    Attributes
    ----------
    name, shape, dtype
        Of the variable; the name is its path.
    verdict : str
        ``agrees``, ``disagrees``, ``disconnected``, ``not repeatable``, ``kink nearby`` or
        ``cannot tell``.
    hint : str
        What the mistake looks like and where to look; empty where there is none.
    evaluations : int
        How often f was evaluated for this row alone.
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
    def _remark(self) -> str:
        """The hint, with the entry it is about in an entrywise check."""
        entry = self.measurements[0].entry if self.measurements else None
        if entry is None or self.verdict == "agrees":
            return self.hint
        return f"Worst at entry {list(entry)}. {self.hint}"

    @property
    def _caption(self) -> str:
        """The name and the verdict, and by how much a wrong gradient is off."""
        if self.verdict != "disagrees" or not self.numeric:
            return f"{self.name}: {self.verdict}"
        return f"{self.name}: {abs(self.difference / self.numeric):.1%} off"

    def _name_beside(self, ax: "Axes", middle: float) -> None:
        """Write the caption towards the middle of a figure, where there is room for a long name."""
        is_left = self.numeric < middle
        ax.annotate(
            self._caption,
            (self.numeric, self.analytic),
            xytext=(10 if is_left else -10, -4),
            textcoords="offset points",
            horizontalalignment="left" if is_left else "right",
            color=VERMILLION,
            in_layout=False,
        )

    @property
    def _verdict(self) -> str:
        return f"{_SIGNS[self.verdict]} {self.verdict}"

    @property
    def _numbers(self) -> str:
        """The slope that is claimed and the one that was measured."""
        claimed = "None" if self.verdict == "disconnected" else f"{self.analytic:+.6e}"
        if not self.measurements:
            return f"{self.evaluations} evaluations"
        return f"claimed {claimed}, measured {self.numeric:+.6e} ± {self.error_bar:.1e}"


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
        Gives the same directions again.
    """

    rows: tuple[GradientRow, ...]
    evaluations: int
    order: Literal[1, 2]
    seed: int

    @property
    def passed(self) -> bool:
        """Whether every row agrees."""
        return all(row.verdict == "agrees" for row in self.rows)

    @property
    def _headline(self) -> str:
        agree = sum(row.verdict == "agrees" for row in self.rows)
        what = "gradient" if self.order == 1 else "second-order gradient"
        return (
            f"{'Passed' if self.passed else 'Not passed'}: {agree} of {len(self.rows)} "
            f"{what}{'s' if len(self.rows) > 1 else ''} agree{'s' if len(self.rows) == 1 else ''} "
            f"with central differences ({self.evaluations} evaluations, seed {self.seed})."
        )

    def __str__(self) -> str:
        """Write the headline, and two or three lines for each row."""
        lines = [self._headline]
        for row in self.rows:
            lines += [
                "",
                f"{row._verdict}: {row.name} {row.shape} {row.dtype}",
                f"  {row._numbers}",
            ]
            lines += fill(row._remark, 96, initial_indent="  ", subsequent_indent="  ").splitlines()
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        sign, colour = ("✓", GREEN) if self.passed else ("✗", VERMILLION)
        blocks = [f"<div><strong>{sign} {html.escape(self._headline)}</strong></div>"]
        doubtful = [row for row in self.rows if row.verdict != "agrees"]
        agreeing = [row for row in self.rows if row.verdict == "agrees"]
        blocks += [f"<div>{_row(row)}</div>" for row in doubtful]
        if agreeing:
            items = "".join(f"<li>{_row(row)}</li>" for row in agreeing)
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
        low, high, linear = _limits([x for _, m in drawn for x in (m.analytic, m.numeric)])
        ax.plot([low, high], [low, high], color=GREY, linewidth=1, zorder=0)
        for row, m in drawn:
            agrees = row.verdict == "agrees"
            ax.errorbar(
                m.numeric,
                m.analytic,
                xerr=m.error_bar,
                fmt="o" if agrees else "x",
                color=BLUE if agrees else VERMILLION,
                fillstyle="none",
                markersize=6,
                capsize=2,
            )
        middle = np.sqrt(low * high) if low > 0 else 0.0
        for row in self.rows:
            if row.verdict != "agrees" and np.isfinite(row.error_bar):
                row._name_beside(ax, middle)
        ax.set_xscale("symlog", linthresh=linear)
        ax.set_yscale("symlog", linthresh=linear)
        ax.set(xlim=(low, high), ylim=(low, high))
        ax.set(xlabel="numeric slope, by central differences (f per unit)")
        ax.set(ylabel="analytic slope, claimed by the gradient (f per unit)")
        agree = sum(row.verdict == "agrees" for row in self.rows)
        ax.set(title=f"{agree} of {len(self.rows)} agree with central differences")
        return ax


def _row(row: GradientRow) -> str:
    """Return what was found about one variable, as HTML."""
    about = f"<code>{html.escape(row.name)}</code> {row.shape} {row.dtype}"
    remark = f"<br>{with_code(row._remark)}" if row._remark else ""
    return f"<strong>{row._verdict}</strong> · {about}<br>{row._numbers}{remark}"


def _limits(slopes: Sequence[float]) -> tuple[float, float, float]:
    """Return the ends of both axes, and where they become linear around zero."""
    sizes = np.abs([x for x in slopes if x]) if any(slopes) else np.ones(1)
    high, linear = 2 * sizes.max(), max(sizes.min(), 1e-6 * sizes.max()) / 2
    all_positive = bool(slopes) and min(slopes) > 0
    return (linear if all_positive else -high), high, linear

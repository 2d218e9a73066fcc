"""The report of a gradient check: one row a variable, as text, as HTML, as a figure."""

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from ..figures.palette import BLUE, GREY, VERMILLION
from .measurements import Measurement
from .verdicts import (
    AGREES,
    CANNOT_TELL,
    DISAGREES,
    DISCONNECTED,
    KINK_NEARBY,
    NOT_REPEATABLE,
    Verdict,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["GradientReport", "GradientRow"]

# Each verdict has a sign and a word, so that nothing depends on seeing a colour.
_SIGNS: dict[Verdict, str] = {
    AGREES: "✓",
    DISAGREES: "✗",
    DISCONNECTED: "∅",
    NOT_REPEATABLE: "≠",
    KINK_NEARBY: "∧",
    CANNOT_TELL: "?",
}
_COLUMNS = (
    "name",
    "shape",
    "dtype",
    "analytic",
    "numeric",
    "difference",
    "error bar",
    "evaluations",
    "verdict",
)
_TEXT_COLUMNS = {"name", "shape", "dtype", "verdict"}


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
        if entry is None or self.verdict == AGREES:
            return self.hint
        return f"Worst at entry {list(entry)}. {self.hint}"

    @property
    def _caption(self) -> str:
        """The name and the verdict, and by how much a wrong gradient is off."""
        if self.verdict != DISAGREES or not self.numeric:
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

    def _cells(self) -> list[str]:
        numbers = (self.analytic, self.numeric, self.difference, self.error_bar)
        formats = ("+.6e", "+.6e", "+.1e", ".1e")
        shown = [
            f"{x:{f}}" if np.isfinite(x) else "" for x, f in zip(numbers, formats, strict=True)
        ]
        if self.verdict == DISCONNECTED:
            shown[0], shown[2] = "None", ""
        sign = f"{_SIGNS[self.verdict]} {self.verdict}"
        return [self.name, str(self.shape), self.dtype, *shown, str(self.evaluations), sign]


@dataclass(frozen=True)
class GradientReport:
    """What `check_gradients` found: a table in Jupyter, plain text elsewhere.

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
        return all(row.verdict == AGREES for row in self.rows)

    @property
    def _headline(self) -> str:
        agree = sum(row.verdict == AGREES for row in self.rows)
        what = "gradient" if self.order == 1 else "second-order gradient"
        return (
            f"{'Passed' if self.passed else 'Not passed'}: {agree} of {len(self.rows)} "
            f"{what}{'s' if len(self.rows) > 1 else ''} agree{'s' if len(self.rows) == 1 else ''} "
            f"with central differences ({self.evaluations} evaluations, seed {self.seed})."
        )

    def __str__(self) -> str:
        """Align the rows as a plain table, with the hints below."""
        table = [list(_COLUMNS), *(row._cells() for row in self.rows)]
        widths = [max(len(cells[i]) for cells in table) for i in range(len(_COLUMNS))]
        lines = [
            "  ".join(
                cell.ljust(width) if column in _TEXT_COLUMNS else cell.rjust(width)
                for cell, width, column in zip(cells, widths, _COLUMNS, strict=True)
            ).rstrip()
            for cells in table
        ]
        hints = [f"{row.name}: {row._remark}" for row in self.rows if row.hint]
        return "\n".join([self._headline, "", *lines, *([""] if hints else []), *hints])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "".join(f"<th scope='col'>{column}</th>" for column in _COLUMNS)
        body = "".join(self._html_row(row) for row in self.rows)
        return (
            "<table style='border-collapse:collapse'>"
            f"<caption style='caption-side:top;text-align:left'>{html.escape(self._headline)}"
            f"</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )

    @staticmethod
    def _html_row(row: GradientRow) -> str:
        name, *values = (html.escape(cell) for cell in row._cells())
        cells = "".join(
            f"<td style='text-align:{'left' if column in _TEXT_COLUMNS else 'right'}'>{cell}</td>"
            for cell, column in zip(values, _COLUMNS[1:], strict=True)
        )
        weight = "normal" if row.verdict == AGREES else "bold"
        line = f"<tr style='font-weight:{weight}'><th scope='row'>{name}</th>{cells}</tr>"
        if not row.hint:
            return line
        remark = html.escape(row._remark)
        return f"{line}<tr><td colspan='{len(_COLUMNS)}' style='text-align:left'>{remark}</td></tr>"

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
            agrees = row.verdict == AGREES
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
            if row.verdict != AGREES and np.isfinite(row.error_bar):
                row._name_beside(ax, middle)
        ax.set_xscale("symlog", linthresh=linear)
        ax.set_yscale("symlog", linthresh=linear)
        ax.set(xlim=(low, high), ylim=(low, high))
        ax.set(xlabel="numeric slope, by central differences (f per unit)")
        ax.set(ylabel="analytic slope, claimed by the gradient (f per unit)")
        agree = sum(row.verdict == AGREES for row in self.rows)
        ax.set(title=f"{agree} of {len(self.rows)} agree with central differences")
        return ax


def _limits(slopes: Sequence[float]) -> tuple[float, float, float]:
    """Return the ends of both axes, and where they become linear around zero."""
    sizes = np.abs([x for x in slopes if x]) if any(slopes) else np.ones(1)
    high, linear = 2 * sizes.max(), max(sizes.min(), 1e-6 * sizes.max()) / 2
    all_positive = bool(slopes) and min(slopes) > 0
    return (linear if all_positive else -high), high, linear

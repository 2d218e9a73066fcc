"""What the figures share: a light background, a palette for all eyes, names at the lines."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

from gradient_tools.showing.palette import COLORS, as_text

__all__ = ["label_lines", "line_style", "make_axes"]

_LINE_OF_TEXT = 12.0  # points between two names


def make_axes(ax: Axes | None, size: tuple[float, float] = (6.4, 3.8)) -> Axes:
    """Make a figure with a light background, which also reads well in a dark notebook."""
    if ax is None:
        _, ax = plt.subplots(figsize=size, layout="constrained", facecolor="white")
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(alpha=0.25, lw=0.6)
    return ax


def line_style(number: int) -> dict[str, Any]:
    """Tell lines apart by colour and by dashes."""
    return {"color": COLORS[number % len(COLORS)], "ls": ("-", "--", "-.")[number % 3]}


def label_lines(ax: Axes) -> None:
    """Write each line's name at its right end, moved up or down where two would touch."""
    ax.autoscale_view()
    ends = []
    for line in ax.lines:
        x, y = map(np.asarray, line.get_data())
        drawn = np.flatnonzero(np.isfinite(y))
        if drawn.size:
            last = drawn[np.argmax(x[drawn])]
            height = ax.transData.transform((x[last], y[last]))[1] * 72 / ax.figure.dpi
            ends.append((height, (x[last], y[last]), line))
    free = -np.inf
    for height, end, line in sorted(ends, key=lambda end: end[0]):
        free = max(height, free + _LINE_OF_TEXT)
        look: dict[str, Any] = {
            "color": as_text(to_hex(line.get_color())),
            "fontsize": 9.5,
            "va": "center",
        }
        look |= {"xytext": (8, free - height), "textcoords": "offset points"}
        ax.annotate(str(line.get_label()), end, annotation_clip=False, **look)

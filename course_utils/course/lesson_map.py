"""``plot_lesson_map``: the lessons as a figure, each with those it builds on."""

from textwrap import fill
from typing import TYPE_CHECKING

from .curriculum import LESSONS, Lesson
from .session import PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_lesson_map"]

_PART_COLOURS = {"Start": PALETTE[2], "Part I: the tape": PALETTE[0]}
_OTHER_PART = PALETTE[1]
_HALF_WIDTH, _HALF_HEIGHT = 0.4, 0.39

# Column and row of each lesson, such that no arrow passes through a box.
_PLACES = {
    "00": (0, 0),
    "01": (1, 0),
    "02": (2, 0.5),
    "03": (3, 1.5),
    "04": (3, 0.5),
    "05": (4.1, 2.5),
    "06": (4.1, 1.5),
    "07": (4.1, 0.5),
    "08": (2, -0.5),
    "09": (3, -0.5),
    "10": (5.1, -0.5),
    "11": (4.1, -1.5),
    "12": (4.1, -2.5),
    "13": (6.1, -0.5),
    "14": (7.1, -0.5),
}


def plot_lesson_map(ax: "Axes | None" = None) -> "Axes":
    """Draw every lesson as a box, left to right, with an arrow from each one it builds on.

    Lessons that are still to come have a dashed frame.

    Parameters
    ----------
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    matplotlib.axes.Axes

    Notes
    -----
    First used in lesson 00.
    """
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(9.6, 4.6))
    for lesson in LESSONS:
        _draw_box(ax, lesson, *_PLACES[lesson.number])
        for needed in lesson.needs:
            _draw_arrow(ax, _PLACES[needed], _PLACES[lesson.number])
    ax.set(xlim=(-0.5, 7.6), ylim=(-3.0, 3.0))
    ax.text(0, 2.5, "Part I: the tape", color=PALETTE[0], fontsize=12, fontweight="bold")
    ax.text(0, -2.5, "Part II: training loops", color=PALETTE[1], fontsize=12, fontweight="bold")
    if not all(lesson.is_written for lesson in LESSONS):
        ax.text(0, -2.9, "Dashed: still to come.", color="#333333", fontsize=9)
    ax.axis("off")
    return ax


def _draw_box(ax: "Axes", lesson: Lesson, x: float, y: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    colour = _PART_COLOURS.get(lesson.part, _OTHER_PART)
    box = FancyBboxPatch(
        (x - _HALF_WIDTH, y - _HALF_HEIGHT),
        2 * _HALF_WIDTH,
        2 * _HALF_HEIGHT,
        boxstyle="round,pad=0,rounding_size=0.1",
        facecolor=colour if lesson.is_written else "white",
        edgecolor=colour,
        linestyle="-" if lesson.is_written else "--",
        linewidth=1.4,
        zorder=2,
    )
    ax.add_patch(box)
    ink = "white" if lesson.is_written else "#333333"
    text = f"{lesson.number}\n{fill(lesson.title, 12)}"
    ax.text(x, y, text, color=ink, fontsize=8, ha="center", va="center", zorder=3)


def _draw_arrow(ax: "Axes", start: tuple[float, float], end: tuple[float, float]) -> None:
    rises_past_a_column = end[1] > start[1] and end[0] - start[0] > 1.5
    head = (
        (end[0], end[1] - _HALF_HEIGHT) if rises_past_a_column else (end[0] - _HALF_WIDTH, end[1])
    )
    ax.annotate(
        "",
        xy=head,
        xytext=(start[0] + _HALF_WIDTH, start[1]),
        arrowprops={"arrowstyle": "-|>", "color": "#666666", "linewidth": 1.1},
        zorder=1,
    )

"""``plot_lesson_map``: the lessons as a figure, each with those it builds on."""

from collections.abc import Collection, Mapping
from textwrap import fill
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path

from gradient_tools.drawing.layout import Box, order_columns, route, set_heights
from gradient_tools.showing.palette import COLORS, as_text

from .figures.style import make_axes
from .workspace.curriculum import LESSONS, ONE_DAY, Lesson
from .workspace.progress import Progress

__all__ = ["plot_lesson_map"]

# In points.
_WIDTH, _HEIGHT = 100, 29  # of a box
_LINE = 12  # what a line of text adds to its height
_BELOW = 22  # between two layers
_MARGIN = 4

_LETTERS = 15  # in a line of a title

_Point = tuple[float, float]


def plot_lesson_map(ax: Axes | None = None, progress: Progress | None = None) -> Axes:
    """Draw every lesson as a box, from top to bottom, with an arrow from each one it builds on.

    The boxes of the course in a day have a thick outline.

    Parameters
    ----------
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default, a new figure.
    progress : Progress, optional
        If given, each box says how many of the lesson's exercises are passed.

    Notes
    -----
    A lesson is one layer below the last lesson that it builds on. An arrow that passes other layers
    has a reserved place in each, so it meets no box. First used in lesson 00.
    """
    height = _HEIGHT + (_LINE if progress else 0)
    centers, arrows = _centers_and_arrows({x.number: x.needs for x in LESSONS}, height)
    across, down = zip(*centers, strict=True)
    left, right = min(across) - _WIDTH / 2 - _MARGIN, max(across) + _WIDTH / 2 + _MARGIN
    bottom, top = min(down) - height / 2 - _MARGIN, height / 2 + _MARGIN
    ax = make_axes(ax, ((right - left) / 72, (top - bottom) / 72))
    parts = list(dict.fromkeys(lesson.part for lesson in LESSONS))
    for lesson, (x, y) in zip(LESSONS, centers, strict=False):
        exercises = lesson.exercises() if progress else ()
        passed = [progress.has_passed(exercise.id) for exercise in exercises] if progress else []
        is_done = bool(passed) and all(passed)
        text = fill(f"{lesson.number} {lesson.title}", _LETTERS)
        if progress:
            text += f"\n{'✓ ' if is_done else ''}{progress.count(exercises)}"
        color = COLORS[parts.index(lesson.part)]
        outline = 2.8 if lesson.number in ONE_DAY else 1.0
        ax.add_patch(_box(x, y, height, color, 0.4 if is_done else 0.12, outline))
        ax.text(x, y, text, color="#111111", fontsize=10, ha="center", va="center", zorder=3)
    _draw_arrows(ax, arrows, height)
    # The parts stand where the first lessons, each alone in its layer, leave room.
    for row, part in enumerate(parts):
        numbers = [lesson.number for lesson in LESSONS if lesson.part == part]
        span = " to ".join(dict.fromkeys((numbers[0], numbers[-1])))
        text = f"{fill(part, 20)}\n{span}"
        ax.text(left, top - 47 * row, text, color=as_text(COLORS[row]), fontsize=10, va="top")
    in_words = " ".join(["Map of the lessons.", *map(_in_words, LESSONS)])
    if ONE_DAY:
        day = "thick outline:\nthe course in a day"
        ax.text(left, top - 47 * len(parts), day, color="#111111", fontsize=10, va="top")
        in_words += f" The course in a day: {', '.join(ONE_DAY)}."
    ax.set_gid(in_words)
    ax.set(xlim=(left, right), ylim=(bottom, top), aspect="equal")
    ax.axis("off")
    return ax


def _box(
    x: float, y: float, height: float, color: str, strength: float, outline: float
) -> FancyBboxPatch:
    """Return a box around a center, in a color so mixed with white that it takes dark text."""
    tint = [1 - strength * (1 - part) for part in to_rgb(color)]
    look: dict[str, Any] = {
        "facecolor": tint,
        "edgecolor": color,
        "linewidth": outline,
        "zorder": 2,
    }
    corner, style = (x - _WIDTH / 2, y - height / 2), "round,pad=0,rounding_size=7"
    return FancyBboxPatch(corner, _WIDTH, height, boxstyle=style, **look)


def _in_words(lesson: Lesson) -> str:
    needs = f" builds on {' and '.join(lesson.needs)}" if lesson.needs else ""
    return f"{lesson.number} {lesson.title}{needs}."


def _centers_and_arrows(
    needs: Mapping[str, Collection[str]], height: float
) -> tuple[list[_Point], list[list[_Point]]]:
    """Lay out boxes like the picture of a tape, but from top to bottom.

    ``needs`` holds, for each box, those above it from which an arrow comes. They come before it in
    ``needs``. The function returns the centers of the boxes, then those of the places in which
    arrows pass other layers. It also returns, for each arrow, the centers of its places from end to
    end.
    """
    boxes: dict[str, Box] = {}
    for i, (name, above) in enumerate(needs.items()):
        layer = max((boxes[needed].layer + 1 for needed in above), default=0)
        boxes[name] = Box("card", i, height, _WIDTH, layer)
    routes = [route(boxes[a], boxes[name]) for name, above in needs.items() for a in above]
    places = [*boxes.values(), *(link.start for links in routes for link in links[1:])]
    set_heights(order_columns(places))
    center = {place: (place.y, -(height + _BELOW) * place.layer) for place in places}
    arrows = [[center[place] for place in [x[0].start, *(link.end for link in x)]] for x in routes]
    return list(center.values()), arrows


def _draw_arrows(ax: Axes, arrows: list[list[_Point]], height: float) -> None:
    """Draw the arrows; each crosses a layer in the place that is kept for it."""
    for arrow in arrows:
        ends = (height / 2, -height / 2)
        corners = [(x, y + end) for x, y in arrow for end in ends]
        style: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 9, "color": "#666666"}
        patch = FancyArrowPatch(path=Path(corners[1:-1]), shrinkA=0, shrinkB=0, zorder=1, **style)
        ax.add_patch(patch)

"""``plot_lesson_map``: the lessons as a figure, each with those it builds on."""

from collections import defaultdict
from itertools import accumulate, chain, pairwise
from textwrap import fill
from typing import TYPE_CHECKING

from ..figures.palette import COLORS, as_text
from .curriculum import LESSONS, Lesson
from .progress import Progress

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_lesson_map"]

_WIDTH, _HEIGHT = 1.4, 0.4  # of a box, in inches
_LINE = 0.17  # what a line of text adds to its height
_APART, _BELOW = 0.2, 0.3  # between two slots of a layer, and between two layers
_PASSAGE = 0.1  # the width of the slot in which an arrow passes a layer
_LETTERS = 15  # in a line of a title
_SWEEPS = 8  # how often the order within the layers is improved

Slot = tuple[str, ...]  # a lesson's number, or both ends and the layer of an arrow that passes


def plot_lesson_map(ax: "Axes | None" = None, progress: Progress | None = None) -> "Axes":
    """Draw every lesson as a box, from top to bottom, with an arrow from each one it builds on.

    Parameters
    ----------
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure without it.
    progress : Progress, optional
        Its boxes then say how many of the lesson's exercises are passed.

    Returns
    -------
    matplotlib.axes.Axes

    Notes
    -----
    A lesson stands one layer below the last lesson that it builds on. An arrow that passes other
    layers has a place of its own in each, so that it meets no box (K. Sugiyama, S. Tagawa and
    M. Toda, 1981). First used in lesson 00.
    """
    height = _HEIGHT + (_LINE if progress else 0)
    layers, ways = _layers_and_ways()
    places = _places(layers, ways, height)
    left, right = (pick(x for x, _ in places.values()) for pick in (min, max))
    bottom = min(y for _, y in places.values())
    left, right = left - _WIDTH / 2 - 0.05, right + _WIDTH / 2 + 0.05
    bottom, top = bottom - height / 2 - 0.05, height / 2 + 0.05
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(right - left, top - bottom))
    parts = list(dict.fromkeys(lesson.part for lesson in LESSONS))
    for lesson in LESSONS:
        colour = COLORS[parts.index(lesson.part)]
        _draw_box(ax, lesson, places[lesson.number,], height, colour, progress)
    for way in ways:  # an arrow crosses a layer in the place that is kept for it
        ends = (height / 2, -height / 2)
        corners = [(x, y + end) for x, y in (places[slot] for slot in way) for end in ends]
        _draw_arrow(ax, corners[1:-1])
    # The parts stand where the first lessons, each alone in its layer, leave room.
    for row, part in enumerate(parts):
        numbers = [lesson.number for lesson in LESSONS if lesson.part == part]
        span = " to ".join(dict.fromkeys((numbers[0], numbers[-1])))
        text = f"{fill(part, 20)}\n{span}"
        ax.text(left, top - 0.65 * row, text, color=as_text(COLORS[row]), fontsize=10, va="top")
    ax.set_gid("Map of the lessons. " + " ".join(map(_in_words, LESSONS)))
    ax.set(xlim=(left, right), ylim=(bottom, top), aspect="equal")
    ax.axis("off")
    return ax


def _in_words(lesson: Lesson) -> str:
    needs = f" builds on {' and '.join(lesson.needs)}" if lesson.needs else ""
    return f"{lesson.number} {lesson.title}{needs}."


def _layers_and_ways() -> tuple[dict[Slot, int], list[list[Slot]]]:
    """Return the layer of each slot, and the slots of each arrow from end to end.

    A lesson's layer is the length of the longest way to it.
    """
    layers: dict[Slot, int] = {}
    for lesson in LESSONS:
        layers[lesson.number,] = max((layers[n,] + 1 for n in lesson.needs), default=0)
    ways = []
    for lesson in LESSONS:
        for needed in lesson.needs:
            between = range(layers[needed,] + 1, layers[lesson.number,])
            passed = {(needed, lesson.number, str(layer)): layer for layer in between}
            layers |= passed
            ways.append([(needed,), *passed, (lesson.number,)])
    return layers, ways


def _places(
    layers: dict[Slot, int], ways: list[list[Slot]], height: float
) -> dict[Slot, tuple[float, float]]:
    """Return the place of each lesson, and of each arrow in each layer that it passes."""
    rows: list[list[Slot]] = [[] for _ in range(max(layers.values()) + 1)]
    for slot, layer in layers.items():
        rows[layer].append(slot)
    above, below = defaultdict(list), defaultdict(list)
    for upper, lower in chain.from_iterable(map(pairwise, ways)):
        above[lower].append(upper)
        below[upper].append(lower)
    across = {slot: x for row in rows for slot, x in _centred(row).items()}
    for sweep in range(_SWEEPS):  # each slot between its neighbours, from the top, then the bottom
        near, step = (above, 1) if sweep % 2 == 0 else (below, -1)
        for row in rows[::step]:
            middle = {s: sum(across[n] for n in near[s]) / max(1, len(near[s])) for s in row}
            row.sort(key=middle.__getitem__)
            across |= _centred(row)
    return {slot: (across[slot], -(height + _BELOW) * layer) for slot, layer in layers.items()}


def _centred(row: list[Slot]) -> dict[Slot, float]:
    """Return where the slots of a layer stand, side by side around 0."""
    widths = [_WIDTH if len(slot) == 1 else _PASSAGE for slot in row]
    ends = list(accumulate(width + _APART for width in widths))
    middle = (ends[-1] - _APART) / 2
    return {
        slot: end - _APART - width / 2 - middle
        for slot, width, end in zip(row, widths, ends, strict=True)
    }


def _draw_box(
    ax: "Axes",
    lesson: Lesson,
    place: tuple[float, float],
    height: float,
    colour: str,
    progress: Progress | None,
) -> None:
    from matplotlib.patches import FancyBboxPatch

    x, y = place
    exercises = lesson.exercises() if progress else ()
    passed = sum(progress.has_passed(exercise.id) for exercise in exercises)
    is_done = 0 < passed == len(exercises)
    box = FancyBboxPatch(
        (x - _WIDTH / 2, y - height / 2),
        _WIDTH,
        height,
        boxstyle="round,pad=0,rounding_size=0.1",
        facecolor=_tint(colour, 0.4 if is_done else 0.12),
        edgecolor=colour,
        linewidth=1.2,
        zorder=2,
    )
    ax.add_patch(box)
    text = fill(f"{lesson.number} {lesson.title}", _LETTERS)
    if progress:
        text += f"\n{'✓ ' if is_done else ''}{passed} of {len(exercises)}"
    ax.text(x, y, text, color="#111111", fontsize=10, ha="center", va="center", zorder=3)


def _tint(colour: str, strength: float) -> tuple[float, ...]:
    """Return a colour mixed with white, on which dark text can be read."""
    from matplotlib.colors import to_rgb

    return tuple(1 - strength * (1 - part) for part in to_rgb(colour))


def _draw_arrow(ax: "Axes", points: list[tuple]) -> None:
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path

    arrow = FancyArrowPatch(
        path=Path(points),
        arrowstyle="-|>",
        mutation_scale=9,
        color="#666666",
        linewidth=1.0,
        shrinkA=0,
        shrinkB=0,
        zorder=1,
    )
    ax.add_patch(arrow)

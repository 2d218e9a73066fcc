"""``plot_lesson_map``: the lessons as a figure, each with those it builds on."""

from itertools import accumulate
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
    places = _places(height)
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
        for needed in lesson.needs:
            _draw_arrow(ax, _way(needed, lesson.number, places, height))
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


def _layers() -> dict[str, int]:
    """Return each lesson's layer: the length of the longest way to it."""
    layers: dict[str, int] = {}
    for lesson in LESSONS:
        layers[lesson.number] = max((layers[n] + 1 for n in lesson.needs), default=0)
    return layers


def _places(height: float) -> dict[Slot, tuple[float, float]]:
    """Return the place of each lesson, and of each arrow in each layer that it passes."""
    layers = _layers()
    ways = [_slots(needed, x.number, layers) for x in LESSONS for needed in x.needs]
    rows: list[list[Slot]] = [[] for _ in range(max(layers.values()) + 1)]
    layer_of = {(number,): layer for number, layer in layers.items()}
    for way in ways:
        layer_of |= {slot: layer_of[way[0]] + i for i, slot in enumerate(way)}
    for slot, layer in layer_of.items():
        rows[layer].append(slot)
    across = {slot: x for row in rows for slot, x in _centred(row).items()}
    for sweep in range(_SWEEPS):  # each slot between its neighbours, from the top, then the bottom
        step = 1 if sweep % 2 == 0 else -1
        for row in rows[::step]:
            neighbours = {
                slot: [across[way[i]] for way in ways for i in _beside(way, slot, step)]
                for slot in row
            }
            row.sort(key=lambda s: sum(neighbours[s]) / max(1, len(neighbours[s])))  # noqa: B023
            across |= _centred(row)
    return {slot: (across[slot], -(height + _BELOW) * layer_of[slot]) for slot in layer_of}


def _centred(row: list[Slot]) -> dict[Slot, float]:
    """Return where the slots of a layer stand, side by side around 0."""
    widths = [_WIDTH if len(slot) == 1 else _PASSAGE for slot in row]
    ends = list(accumulate(width + _APART for width in widths))
    middle = (ends[-1] - _APART) / 2
    return {
        slot: end - _APART - width / 2 - middle
        for slot, width, end in zip(row, widths, ends, strict=True)
    }


def _beside(way: list[Slot], slot: Slot, step: int) -> list[int]:
    """Return the position of the neighbour of a slot on a way, seen from where a sweep comes."""
    if slot not in way:
        return []
    i = way.index(slot) - step
    return [i] if 0 <= i < len(way) else []


def _slots(start: str, end: str, layers: dict[str, int]) -> list[Slot]:
    """Return the slots of an arrow: its two lessons, and one for each layer between them."""
    between = range(layers[start] + 1, layers[end])
    return [(start,), *((start, end, str(layer)) for layer in between), (end,)]


def _way(
    start: str, end: str, places: dict[Slot, tuple[float, float]], height: float
) -> list[tuple]:
    """Return the corners of an arrow: it crosses a layer in the place that is kept for it."""
    points = []
    for slot in _slots(start, end, _layers()):
        x, y = places[slot]
        points += [(x, y + height / 2), (x, y - height / 2)]
    return points[1:-1]


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

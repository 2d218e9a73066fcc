"""``plot_lesson_map``: the lessons as a figure, each with those it builds on."""

from textwrap import fill
from typing import TYPE_CHECKING

from ..figures.palette import COLORS
from .curriculum import LESSONS, Lesson
from .progress import Progress

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_lesson_map"]

_HALF_WIDTH, _HALF_HEIGHT = 0.4, 0.4  # of a box; columns and rows are 1 apart
_INCHES = 1.0  # from one column, or row, to the next
_SWEEPS = 8  # how often the order within the columns is improved

Slot = tuple[str, ...]  # a lesson's number, or both ends and the column of an arrow that passes


def plot_lesson_map(ax: "Axes | None" = None, progress: Progress | None = None) -> "Axes":
    """Draw every lesson as a box, left to right, with an arrow from each one it builds on.

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
    A lesson stands one column right of the last lesson that it builds on. An arrow that passes
    other columns has a row of its own in each, so that it meets no box (K. Sugiyama, S. Tagawa and
    M. Toda, 1981). First used in lesson 00.
    """
    places = _places()
    if ax is None:
        import matplotlib.pyplot as plt

        columns, rows = (max(side) - min(side) for side in zip(*places.values(), strict=True))
        _, ax = plt.subplots(figsize=(_INCHES * (columns + 1), _INCHES * (rows + 2)))
    parts = list(dict.fromkeys(lesson.part for lesson in LESSONS))
    for lesson in LESSONS:
        colour = COLORS[parts.index(lesson.part)]
        _draw_box(ax, lesson, places[lesson.number,], colour, progress)
        for needed in lesson.needs:
            _draw_arrow(ax, _way(needed, lesson.number, places))
    bottom, *_, top = sorted(y for _, y in places.values())
    for number, part in enumerate(parts):
        x = min(places[lesson.number,][0] for lesson in LESSONS if lesson.part == part)
        ax.text(
            x - _HALF_WIDTH,
            top + 0.6 + 0.35 * (number % 2),
            part,
            color=COLORS[number],
            fontsize=9,
        )
    ax.set_aspect("equal")
    ax.autoscale_view()
    ax.set_ylim(bottom - 0.6, top + 1.2)
    ax.axis("off")
    return ax


def _columns() -> dict[str, int]:
    """Return each lesson's column: the length of the longest way to it."""
    columns: dict[str, int] = {}
    for lesson in LESSONS:
        columns[lesson.number] = max((columns[n] + 1 for n in lesson.needs), default=0)
    return columns


def _places() -> dict[Slot, tuple[float, float]]:
    """Return the place of each lesson, and of each arrow in each column that it passes."""
    columns = _columns()
    ways = [_slots(needed, x.number, columns) for x in LESSONS for needed in x.needs]
    rows: list[list[Slot]] = [[] for _ in range(max(columns.values()) + 1)]
    column_of = {(number,): column for number, column in columns.items()}
    for way in ways:
        column_of |= {slot: column_of[way[0]] + i for i, slot in enumerate(way)}
    for slot, column in column_of.items():
        rows[column].append(slot)
    heights = {slot: _centred(i, row) for row in rows for i, slot in enumerate(row)}
    for sweep in range(_SWEEPS):  # each slot between its neighbours, from the left, then the right
        step = 1 if sweep % 2 == 0 else -1
        for row in rows[::step]:
            neighbours = {
                slot: [heights[way[i]] for way in ways for i in _beside(way, slot, step)]
                for slot in row
            }
            row.sort(key=lambda s: sum(neighbours[s]) / max(1, len(neighbours[s])))  # noqa: B023
            heights |= {slot: _centred(i, row) for i, slot in enumerate(row)}
    return {slot: (float(column_of[slot]), heights[slot]) for slot in column_of}


def _centred(position: int, row: list) -> float:
    return position - (len(row) - 1) / 2


def _beside(way: list[Slot], slot: Slot, step: int) -> list[int]:
    """Return the position of the neighbour of a slot on a way, seen from where a sweep comes."""
    if slot not in way:
        return []
    i = way.index(slot) - step
    return [i] if 0 <= i < len(way) else []


def _slots(start: str, end: str, columns: dict[str, int]) -> list[Slot]:
    """Return the slots of an arrow: its two lessons, and one for each column between them."""
    between = range(columns[start] + 1, columns[end])
    return [(start,), *((start, end, str(column)) for column in between), (end,)]


def _way(start: str, end: str, places: dict[Slot, tuple[float, float]]) -> list[tuple]:
    """Return the corners of an arrow: it crosses a column in the row that is kept for it."""
    points = []
    for slot in _slots(start, end, _columns()):
        x, y = places[slot]
        points += [(x - _HALF_WIDTH, y), (x + _HALF_WIDTH, y)]
    return points[1:-1]


def _draw_box(
    ax: "Axes", lesson: Lesson, place: tuple[float, float], colour: str, progress: Progress | None
) -> None:
    from matplotlib.patches import FancyBboxPatch

    x, y = place
    exercises = lesson.exercises() if progress else ()
    passed = sum(progress.has_passed(exercise.id) for exercise in exercises)
    is_done = 0 < passed == len(exercises)
    box = FancyBboxPatch(
        (x - _HALF_WIDTH, y - _HALF_HEIGHT),
        2 * _HALF_WIDTH,
        2 * _HALF_HEIGHT,
        boxstyle="round,pad=0,rounding_size=0.1",
        facecolor=_tint(colour, 0.4 if is_done else 0.12),
        edgecolor=colour,
        linewidth=1.2,
        zorder=2,
    )
    ax.add_patch(box)
    text = f"{lesson.number}\n{fill(lesson.title, 11)}"
    if progress:
        text += f"\n{'✓ ' if is_done else ''}{passed} of {len(exercises)}"
    ax.text(x, y, text, color="#111111", fontsize=7, ha="center", va="center", zorder=3)


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

"""The lines between the boxes: curves in the gaps, straight lines past boxes, and the way back."""

from dataclasses import dataclass
from itertools import pairwise

from matplotlib.path import Path

from course_utils.tape.drawing.layout import (
    GAP_X,
    Box,
    ordered_columns,
    places_and_routes,
    set_heights,
)

__all__ = ["Layout", "lay_out"]

_GUTTER = 30.0  # between two rows
_LANE = 9.0  # between lines that return to the next row side by side
_MARGIN = 14.0  # between such a line and the boxes
_PORT = 13.0  # between the edges at one side of a box
_RADIUS = 8.0  # of a returning line's corners


@dataclass(frozen=True)
class Layout:
    """Places, a line for each edge, and the width and height that hold them all."""

    places: list[Box]
    lines: dict[tuple[int, int], Path]
    width: float
    height: float


def lay_out(
    sizes: list[tuple[float, float]],
    repeat_sizes: list[tuple[float, float]],
    edges: list[tuple[int, int]],
    is_source: list[bool],
) -> Layout:
    """Place the cards and draw a line for each edge, from its first card to its second.

    Parameters
    ----------
    sizes, repeat_sizes : list of (float, float)
        Width and height of each card, and of its repetition on a later row.
    edges : list of (int, int)
        From lower to higher numbers.
    is_source : list of bool
    """
    places, routes, starts = places_and_routes(sizes, repeat_sizes, edges, is_source)
    columns = ordered_columns(places, routes)
    steps = [step for route in routes for step in pairwise(route.stops)]
    ports = _ports(places, steps, columns)
    returning = {start: [s for s in steps if places[s[1]].layer == start] for start in starts[1:]}
    slopes = [(a, b, ports[a, b][0] - ports[a, b][1]) for a, b in steps]
    set_heights(places, columns, slopes, starts[1:])
    bounds = [*starts, len(columns)]
    sides: list[tuple[float, float]] = []  # left and right of each column
    lanes: dict[tuple[int, int], tuple[float, float, float]] = {}
    width = top = 0.0
    for first, end in pairwise(bounds):
        row = [places[n] for column in columns[first:end] for n in column]
        back = sorted(returning.get(first, []), key=lambda s: places[s[0]].y + ports[s][0])
        left = _MARGIN + _LANE * len(back) if back else 0.0
        if first:
            gutter, right = top + _GUTTER / 2, sides[-1][1]
            top += _GUTTER + _LANE * (len(back) - 1)
            for k, step in enumerate(back):  # the highest goes outside, then below, then inside
                outside = _LANE * (len(back) - 1 - k)
                lanes[step] = (
                    right + _MARGIN + outside,
                    gutter + outside,
                    left - _MARGIN - _LANE * k,
                )
                width = max(width, lanes[step][0])
        highest = min(place.y - place.height / 2 for place in row)
        for place in row:
            place.y += top - highest
        for column in columns[first:end]:
            widest = max(places[n].width for n in column)
            sides.append((left, left + widest))
            for n in column:
                places[n].x = left + widest / 2
            left += widest + GAP_X
        width = max(width, sides[-1][1])
        top = max(place.y + place.height / 2 for place in row)
    lines = {}
    for route in routes:
        pen = _Pen()
        for a, b in pairwise(route.stops):
            p, q = places[a], places[b]
            leave, arrive = p.y + ports[a, b][0], q.y + ports[a, b][1]
            pen.straight(p.x + p.width / 2 if p.card is not None else sides[p.layer][0], leave)
            pen.straight(sides[p.layer][1], leave)
            if (a, b) in lanes:
                right, middle, left = lanes[a, b]
                corners = [(right, leave), (right, middle), (left, middle), (left, arrive)]
                pen.round(corners, (sides[q.layer][0], arrive))
            else:
                pen.curve(sides[q.layer][0], arrive)
            if q.card is not None:
                pen.straight(q.x - q.width / 2, arrive)
        lines[route.edge] = Path(pen.points, pen.codes)
    return Layout(places, lines, width, top)


def _ports(places, steps, columns) -> dict[tuple[int, int], tuple[float, float]]:
    """Spread the edges over a card's side: for each step, how far below the centres it ends."""
    rank = {n: i for column in columns for i, n in enumerate(column)}

    def spread(number: int, mine: list[tuple[int, int]], far: int) -> dict:
        place = places[number]
        if place.card is None or len(mine) < 2:
            return dict.fromkeys(mine, 0.0)
        gap = min(_PORT, (place.height - 20) / (len(mine) - 1)) if place.kind != "repeat" else 0.0
        mine = sorted(mine, key=lambda step: rank[step[far]])
        return {step: gap * (i - (len(mine) - 1) / 2) for i, step in enumerate(mine)}

    leaving, arriving = {}, {}
    for number in range(len(places)):
        leaving |= spread(number, [s for s in steps if s[0] == number], far=1)
        arriving |= spread(number, [s for s in steps if s[1] == number], far=0)
    return {step: (leaving[step], arriving[step]) for step in steps}


class _Pen:
    """Collects the points and codes of a matplotlib path."""

    def __init__(self):
        self.points: list[tuple[float, float]] = []
        self.codes: list[int] = []

    def straight(self, x: float, y: float) -> None:
        if not self.points or abs(self.points[-1][0] - x) + abs(self.points[-1][1] - y) > 1e-6:
            self.codes.append(Path.LINETO if self.points else Path.MOVETO)
            self.points.append((x, y))

    def curve(self, x: float, y: float) -> None:
        """Go to a point by a curve that is level at both ends."""
        x0, y0 = self.points[-1]
        middle = (x0 + x) / 2
        self.points += [(middle, y0), (middle, y), (x, y)]
        self.codes += [Path.CURVE4] * 3

    def round(self, corners: list[tuple[float, float]], end: tuple[float, float]) -> None:
        """Go to a point by way of rounded corners; every side is level or upright."""
        for (x, y), (next_x, next_y) in pairwise([*corners, end]):
            x0, y0 = self.points[-1]
            before = min(_RADIUS, max(abs(x - x0), abs(y - y0)) / 2)
            after = min(_RADIUS, max(abs(next_x - x), abs(next_y - y)) / 2)
            self.straight(x - before * _sign(x - x0), y - before * _sign(y - y0))
            self.points += [
                (x, y),
                (x + after * _sign(next_x - x), y + after * _sign(next_y - y)),
            ]
            self.codes += [Path.CURVE3] * 2
        self.straight(*end)


def _sign(value: float) -> int:
    return int(value > 1e-9) - int(value < -1e-9)

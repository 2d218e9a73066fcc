"""The lines between the boxes: curves in the gaps, straight lines past boxes, and the way back."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from matplotlib.path import Path

from .layout import GAP_X, Box, Item, Step, ordered_columns, places_and_routes, set_heights

__all__ = ["Layout", "lay_out"]

Point = tuple[float, float]

_GUTTER = 30.0  # between two rows
_LANE = 9.0  # between lines that return to the next row side by side
_MARGIN = 14.0  # between such a line and the boxes
_PORT = 13.0  # between the edges at one side of a box
_RADIUS = 8.0  # of a returning line's corners


@dataclass(frozen=True)
class Layout:
    """Places, a line for each edge, and the width and height that hold them all."""

    places: list[Box]
    lines: dict[Step, Path]
    width: float
    height: float


def lay_out(items: list[Item], edges: list[Step]) -> Layout:
    """Place the cards and draw a line for each edge; see ``places_and_routes``."""
    places, routes, starts = places_and_routes(items, edges)
    steps = [step for stops in routes.values() for step in pairwise(stops)]
    columns = ordered_columns(places, steps)
    ports = _ports(places, steps, columns)
    slopes = [(a, b, ports[a, b][0] - ports[a, b][1]) for a, b in steps]
    set_heights(places, columns, slopes, starts[1:])
    rows = _Rows(places, ports)
    for first, end in pairwise([*starts, len(columns)]):
        returning = [step for step in steps if first and places[step[1]].layer == first]
        rows.add(columns[first:end], returning)
    lines = {edge: rows.line(stops) for edge, stops in routes.items()}
    return Layout(places, lines, rows.width, rows.bottom)


class _Rows:
    """Puts the rows below each other, then draws the lines.

    ``sides`` are the left and right of each column; ``lanes`` say for each line that returns to the
    next row where it goes down on the right, back in the gutter, and down on the left.
    """

    def __init__(self, places: list[Box], ports: dict[Step, tuple[float, float]]) -> None:
        self.places, self.ports = places, ports
        self.sides: list[tuple[float, float]] = []
        self.lanes: dict[Step, tuple[float, float, float]] = {}
        self.width = self.bottom = 0.0

    def add(self, columns: list[list[int]], returning: list[Step]) -> None:
        """Put a row below the others; ``returning`` lines lead to it from the one before."""
        left = self._add_gutter(returning) if self.sides else 0.0
        row = [self.places[number] for column in columns for number in column]
        down = self.bottom - min(place.y - place.height / 2 for place in row)
        for column in columns:
            widest = max(self.places[number].width for number in column)
            for number in column:
                self.places[number].x = left + widest / 2
                self.places[number].y += down
            self.sides.append((left, left + widest))
            left += widest + GAP_X
        self.width = max(self.width, self.sides[-1][1])
        self.bottom = max(place.y + place.height / 2 for place in row)

    def _add_gutter(self, returning: list[Step]) -> float:
        """Leave room for the returning lines; return where the next row may begin."""
        last = len(returning) - 1
        left = _MARGIN + _LANE * len(returning) if returning else 0.0
        gutter, right = self.bottom + _GUTTER / 2, self.sides[-1][1] + _MARGIN
        back = sorted(returning, key=lambda s: self.places[s[0]].y + self.ports[s][0])
        for k, step in enumerate(back):  # the highest goes outside, then below, then inside
            outside = _LANE * (last - k)
            self.lanes[step] = right + outside, gutter + outside, left - _MARGIN - _LANE * k
            self.width = max(self.width, right + outside)
        self.bottom += _GUTTER + _LANE * last
        return left

    def line(self, stops: list[int]) -> Path:
        """Draw the line that joins places: in the gaps, past boxes, and back to the next row."""
        pen = _Pen()
        for step in pairwise(stops):
            p, q = (self.places[number] for number in step)
            leave, arrive = p.y + self.ports[step][0], q.y + self.ports[step][1]
            (p_left, p_right), (q_left, _) = self.sides[p.layer], self.sides[q.layer]
            pen.straight(p.x + p.width / 2 if p.card is not None else p_left, leave)
            pen.straight(p_right, leave)
            if step in self.lanes:
                right, middle, left = self.lanes[step]
                corners = [(right, leave), (right, middle), (left, middle), (left, arrive)]
                pen.round(corners, (q_left, arrive))
            else:
                pen.curve(q_left, arrive)
            if q.card is not None:
                pen.straight(q.x - q.width / 2, arrive)
        return Path(pen.points, pen.codes)


def _ports(
    places: list[Box], steps: list[Step], columns: list[list[int]]
) -> dict[Step, tuple[float, float]]:
    """Spread the edges over a card's side: for each step, how far below the centres it ends."""
    rank = {n: i for column in columns for i, n in enumerate(column)}

    def spread(number: int, mine: list[Step], far: int) -> dict[Step, float]:
        place = places[number]
        if place.card is None or len(mine) < 2:
            return dict.fromkeys(mine, 0.0)
        gap = min(_PORT, (place.height - 20) / (len(mine) - 1)) if place.kind != "repeat" else 0.0
        mine = sorted(mine, key=lambda step: rank[step[far]])
        return {step: gap * (i - (len(mine) - 1) / 2) for i, step in enumerate(mine)}

    leaving: dict[Step, float] = {}
    arriving: dict[Step, float] = {}
    for number in range(len(places)):
        leaving |= spread(number, [s for s in steps if s[0] == number], far=1)
        arriving |= spread(number, [s for s in steps if s[1] == number], far=0)
    return {step: (leaving[step], arriving[step]) for step in steps}


class _Pen:
    """Collects the points and codes of a matplotlib path."""

    def __init__(self) -> None:
        self.points: list[Point] = []
        self.codes: list[Any] = []

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

    def round(self, corners: list[Point], end: Point) -> None:
        """Go to a point by way of rounded corners; every side is level or upright."""
        for corner, following in pairwise([*corners, end]):
            self.straight(*_next_to(corner, self.points[-1]))
            self.points += [corner, _next_to(corner, following)]
            self.codes += [Path.CURVE3] * 2
        self.straight(*end)


def _next_to(corner: Point, other: Point) -> Point:
    """Return where, on the side from a corner to another point, its rounding begins."""
    (x, y), (other_x, other_y) = corner, other
    length = max(abs(other_x - x), abs(other_y - y))
    part = min(_RADIUS / length, 0.5) if length else 0.0
    return x + part * (other_x - x), y + part * (other_y - y)

"""The lines between the boxes: curves in gaps, straight lines past boxes, returns to a new row."""

from itertools import pairwise
from typing import Any

from matplotlib.path import Path

from .layout import GAP_X, Box, Edge, Item, Link, boxes_and_routes, order_columns, set_heights

__all__ = ["Layout"]

_GUTTER = 30.0  # between two rows
_LANE = 9.0  # between lines that return to the next row side by side
_MARGIN = 14.0  # between such a line and the boxes
_PORT = 13.0  # between the edges at one side of a box
_RADIUS = 8.0  # of a returning line's corners


class Layout:
    """Boxes for the cards, a line for each edge, and the width and height that hold them all.

    ``_sides`` holds the left and right of each column. ``_lanes`` has an entry for each link to the
    next row: where it goes down on the right, back in the gutter, and down on the left.
    """

    def __init__(self, items: list[Item], edges: list[Edge]) -> None:
        self.boxes, routes, starts = boxes_and_routes(items, edges)
        columns = order_columns(self.boxes)
        _set_ports(columns)
        set_heights(columns)
        self.width = self.height = 0.0
        self._sides: list[tuple[float, float]] = []
        self._lanes: dict[Link, tuple[float, float, float]] = {}
        for first, end in pairwise([*starts, len(columns)]):
            self._add_row(columns[first:end])
        self.lines = {edge: self._line(route) for edge, route in routes.items()}

    def _add_row(self, columns: list[list[Box]]) -> None:
        """Put a row below the others."""
        left = self._add_gutter(columns[0]) if self._sides else 0.0
        row = [box for column in columns for box in column]
        down = self.height - min(box.y - box.height / 2 for box in row)
        for column in columns:
            widest = max(box.width for box in column)
            for box in column:
                box.x = left + widest / 2
                box.y += down
            self._sides.append((left, left + widest))
            left += widest + GAP_X
        self.width = max(self.width, self._sides[-1][1])
        self.height = max(box.y + box.height / 2 for box in row)

    def _add_gutter(self, column: list[Box]) -> float:
        """Leave room for the lines that return to a column; return where its row may begin."""
        returning = [link for box in column for link in box.before]
        last = len(returning) - 1
        gutter, right = self.height + _GUTTER / 2, self._sides[-1][1] + _MARGIN
        # The highest goes outside, then below, then inside.
        for k, link in enumerate(sorted(returning, key=lambda link: link.start.y + link.leaves)):
            outside = _LANE * (last - k)
            self._lanes[link] = right + outside, gutter + outside, _LANE + outside
            self.width = max(self.width, right + outside)
        self.height += _GUTTER + _LANE * last
        return _MARGIN + _LANE * len(returning) if returning else 0.0

    def _line(self, route: list[Link]) -> Path:
        """Draw an edge: in the gaps, past boxes, and back to the next row."""
        pen = _Pen()
        for link in route:
            start, end = link.start, link.end
            leave, arrive = start.y + link.leaves, end.y + link.arrives
            (left, right), (end_left, _) = self._sides[start.layer], self._sides[end.layer]
            pen.straight(left if start.kind == "dummy" else start.x + start.width / 2, leave)
            pen.straight(right, leave)
            if link.returns:
                right, gutter, left = self._lanes[link]
                corners = [(right, leave), (right, gutter), (left, gutter), (left, arrive)]
                for corner, following in pairwise([*corners, (end_left, arrive)]):
                    pen.corner(*corner, *following)
                pen.straight(end_left, arrive)
            else:
                pen.curve(end_left, arrive)
            if end.kind != "dummy":
                pen.straight(end.x - end.width / 2, arrive)
        return Path(pen.points, pen.codes)


def _set_ports(columns: list[list[Box]]) -> None:
    """Spread the links over each side of a box, in the order of their other ends."""
    rank = {box: i for column in columns for i, box in enumerate(column)}

    def offsets(box: Box, count: int) -> list[float]:
        gap = min(_PORT, (box.height - 20) / max(count - 1, 1)) if box.kind != "repeat" else 0.0
        return [gap * (i - (count - 1) / 2) for i in range(count)]

    for box in rank:
        leaving = sorted(box.after, key=lambda link: rank[link.end])
        for link, offset in zip(leaving, offsets(box, len(leaving)), strict=True):
            link.leaves = offset
        arriving = sorted(box.before, key=lambda link: rank[link.start])
        for link, offset in zip(arriving, offsets(box, len(arriving)), strict=True):
            link.arrives = offset


class _Pen:
    """Collects the points and codes of a matplotlib path."""

    def __init__(self) -> None:
        self.points: list[tuple[float, float]] = []
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

    def corner(self, x: float, y: float, to_x: float, to_y: float) -> None:
        """Go round a corner, level or upright on both sides, towards the next."""
        self.straight(*_near(x, y, *self.points[-1]))
        self.points += [(x, y), _near(x, y, to_x, to_y)]
        self.codes += [Path.CURVE3] * 2


def _near(x: float, y: float, to_x: float, to_y: float) -> tuple[float, float]:
    """Return where, on the side from a corner to another point, its rounding begins."""
    length = max(abs(to_x - x), abs(to_y - y))
    part = min(_RADIUS / length, 0.5) if length else 0.0
    return x + part * (to_x - x), y + part * (to_y - y)

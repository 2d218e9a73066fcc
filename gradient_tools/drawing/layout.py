"""Where every box goes: a layered layout from left to right that wraps like text.

The method is that of Sugiyama, Tagawa and Toda (1981). Layers come from the longest path, and an
edge that crosses a layer gets a dummy box there. Barycenters keep crossings few, and coordinates
come last. ``routing`` draws the
edges between the boxes. Lengths are points, and y grows downwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from statistics import fmean
from typing import Literal, NamedTuple

import numpy as np

__all__ = [
    "Box",
    "Edge",
    "GAP_X",
    "Item",
    "Link",
    "boxes_and_routes",
    "order_columns",
    "route",
    "set_heights",
]

Edge = tuple[int, int]  # from one card to another

WIDTH = 740.0  # a row that needs more is wrapped; this is about the width of a notebook's cell
GAP_X, GAP_Y = 44.0, 18.0
_DUMMY_HEIGHT = 6.0
_SWEEPS = 24


class Item(NamedTuple):
    """What is laid out: a card's width and height, and those of its repetition on a later row."""

    size: tuple[float, float]
    repeat_size: tuple[float, float]
    is_source: bool


@dataclass(eq=False)
class Box:
    """One box: ``card`` is its number, or None where an edge passes through a layer.

    A ``"repeat"`` is a source that stands elsewhere already; x and y are those of the centre.
    """

    kind: Literal["card", "source", "repeat", "dummy"]
    card: int | None
    width: float
    height: float
    layer: int
    x: float = 0.0
    y: float = 0.0
    before: list["Link"] = field(default_factory=list)
    after: list["Link"] = field(default_factory=list)

    def near(self, forwards: bool) -> list[tuple["Box", float, float]]:
        """List the boxes that it is linked with in the layer before, or after.

        The first number says how far below that box it must lie for a straight line. The second
        says how strongly the link pulls it there: most in a chain of operations, and not at all
        from row to row.
        """
        if forwards:
            return [(link.start, link.leaves - link.arrives, link.pull) for link in self.before]
        return [(link.end, link.arrives - link.leaves, link.pull) for link in self.after]


@dataclass(eq=False)
class Link:
    """A part of an edge: from one box to one of the next layer, which may begin a new row.

    ``leaves`` and ``arrives`` say how far below the centres of its boxes it ends.
    """

    start: Box
    end: Box
    returns: bool
    leaves: float = 0.0
    arrives: float = 0.0

    @property
    def pull(self) -> float:
        """How strongly it asks to be straight."""
        return 0.0 if self.returns else 4.0 if self.start.kind == self.end.kind else 1.0


def boxes_and_routes(
    items: list[Item], edges: list[Edge]
) -> tuple[list[Box], dict[Edge, list[Link]], list[int]]:
    """Give every card a layer, cut the layers into rows, and lead the edges through them.

    Edges go from lower to higher numbers. A source stands right before its first reader, and again
    on each later row that reads it. The third result is the first layer of each row.
    """
    layers = _layers(items, edges)
    starts = _row_starts(layers, items, edges)
    # A row that begins with the reader of a source gets one more layer, for that source.
    led = {layers[b] for a, b in edges if items[a].is_source and layers[b] in starts[1:]}
    row = [int(np.searchsorted(starts, layer, side="right")) for layer in layers]
    layers = [layer + sum(start <= layer for start in led) for layer in layers]
    starts = [start + sum(other < start for other in led) for start in starts]
    boxes: list[Box] = []
    stands: dict[tuple[int, int], Box] = {}  # by card, and row of the reader
    for card, item in enumerate(items):
        readers = [b for a, b in edges if a == card]
        if not (item.is_source and readers):
            boxes.append(
                Box("source" if item.is_source else "card", card, *item.size, layers[card])
            )
            stands |= dict.fromkeys([(card, row[b]) for b in [card, *readers]], boxes[-1])
            continue
        for its_row in sorted({row[b] for b in readers}):
            layer = min(layers[b] for b in readers if row[b] == its_row) - 1
            if its_row == min(row[b] for b in readers):
                boxes.append(Box("source", card, *item.size, layer))
            else:
                boxes.append(Box("repeat", card, *item.repeat_size, layer))
            stands[card, its_row] = boxes[-1]
    routes = {(a, b): route(stands[a, row[b]], stands[b, row[b]], starts[1:]) for a, b in edges}
    boxes += [link.start for links in routes.values() for link in links[1:]]
    return boxes, routes, starts


def route(start: Box, end: Box, row_starts: Sequence[int] = ()) -> list[Link]:
    """Lead an edge from box to box, by way of a dummy in each layer that it crosses."""
    crossed = range(start.layer + 1, end.layer)
    dummies = [Box("dummy", None, 0.0, _DUMMY_HEIGHT, layer) for layer in crossed]
    links = [Link(a, b, b.layer in row_starts) for a, b in pairwise([start, *dummies, end])]
    for link in links:
        link.start.after.append(link)
        link.end.before.append(link)
    return links


def _layers(items: list[Item], edges: list[Edge]) -> list[int]:
    layers = [0] * len(items)
    for a, b in sorted(edges, key=lambda edge: edge[1]):
        layers[b] = max(layers[b], layers[a] + 1)
    for source, item in enumerate(items):
        readers = [layers[b] for a, b in edges if a == source]
        if item.is_source and readers:
            layers[source] = min(readers) - 1
    return layers


def _row_starts(layers: list[int], items: list[Item], edges: list[Edge]) -> list[int]:
    """Choose the layers that begin a row: as few rows as the width allows, evenly filled."""
    widths = [0.0] * (max(layers) + 1)
    leads = [0.0] * (max(layers) + 1)  # what a row needs more that begins with this layer
    for layer, item in zip(layers, items, strict=True):
        widths[layer] = max(widths[layer], item.size[0] + GAP_X)
    for a, b in edges:
        if items[a].is_source:
            is_next = layers[a] == layers[b] - 1
            again = items[a].size if is_next else items[a].repeat_size
            leads[layers[b]] = max(leads[layers[b]], again[0] + GAP_X)

    def fill(most: float) -> list[int]:
        starts, filled = [0], 0.0
        for layer, width in enumerate(widths):
            if filled and filled + width - GAP_X > most:
                starts.append(layer)
                filled = leads[layer]
            filled += width
        return starts

    fewest = len(fill(WIDTH))
    tried = map(fill, np.linspace(min(*widths, WIDTH), WIDTH, 60))
    return next(starts for starts in tried if len(starts) <= fewest)


def order_columns(boxes: list[Box]) -> list[list[Box]]:
    """Order the boxes of each layer from top to bottom so that few links cross."""
    layers = range(max(box.layer for box in boxes) + 1)
    as_given = [[box for box in boxes if box.layer == layer] for layer in layers]
    dummies_first = [sorted(column, key=lambda box: box.kind != "dummy") for column in as_given]
    return min(map(_with_fewer_crossings, (dummies_first, as_given)), key=_crossings)


def _with_fewer_crossings(columns: list[list[Box]]) -> list[list[Box]]:
    """Sort each layer by the mean rank of its neighbours, to and fro; keep the best order."""
    best, fewest = columns, _crossings(columns)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        columns = [list(column) for column in columns]
        rank = _ranks(columns)
        forwards = sweep % 2 == 0
        for column in columns if forwards else columns[::-1]:
            near = {box: [other for other, _, _ in box.near(forwards)] for box in column}
            wanted = {box: fmean(rank[other] for other in near[box] or [box]) for box in column}
            column.sort(key=wanted.__getitem__)
            rank |= _ranks([column])
        crossings = _crossings(columns)
        if crossings < fewest:
            best, fewest = columns, crossings
    return best


def _ranks(columns: list[list[Box]]) -> dict[Box, int]:
    return {box: i for column in columns for i, box in enumerate(column)}


def _crossings(columns: list[list[Box]]) -> int:
    rank = _ranks(columns)
    return sum(
        (rank[one.start] - rank[other.start]) * (rank[one.end] - rank[other.end]) < 0
        for column in columns
        for one, other in combinations([link for box in column for link in box.after], 2)
    )


def set_heights(columns: list[list[Box]]) -> None:
    """Set y: near to what each box is linked with, in the column's order, without touching.

    A link from one row to the next pulls at neither.
    """
    for column in columns:
        heights = [box.height for box in column]
        for box, y in zip(column, np.cumsum(heights) - np.array(heights) / 2, strict=True):
            box.y = y - sum(heights) / 2
    for sweep in range(2 * _SWEEPS + 1):  # the last goes forwards: chains come out straight
        forwards = sweep % 2 == 0
        for column in columns if forwards else columns[::-1]:
            wanted, weights = [], []
            for box in column:
                near = box.near(forwards)
                total = sum(pull for _, _, pull in near)
                pulled = sum((other.y + down) * pull for other, down, pull in near)
                wanted.append(pulled / total if total else box.y)
                weights.append(total or 0.1)
            apart = [(a.height + b.height) / 2 + GAP_Y for a, b in pairwise(column)]
            for box, y in zip(column, _keep_apart(wanted, weights, apart), strict=True):
                box.y = y


def _keep_apart(wanted: list[float], weights: list[float], apart: list[float]) -> np.ndarray:
    """Find the nearest positions, by weighted squares, that keep the order and the distances.

    Without the distances it is isotonic regression: pool the neighbours that are out of order.
    """
    offsets = np.concatenate([[0.0], np.cumsum(apart)])
    pools: list[list[float]] = []  # mean, weight, count
    for value, weight in zip(np.asarray(wanted) - offsets, weights, strict=True):
        pools.append([value, weight, 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (a, u, m), (b, v, n) = pools[-2:]
            pools[-2:] = [[(a * u + b * v) / (u + v), u + v, m + n]]
    means = np.repeat([mean for mean, _, _ in pools], [int(n) for _, _, n in pools])
    heights: np.ndarray = means + offsets
    return heights

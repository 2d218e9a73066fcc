"""Where every box goes: a layered layout from left to right that wraps like text.

The steps are those of Sugiyama, Tagawa and Toda (1981): layers by the longest path, dummy places
where an edge crosses a layer, few crossings by barycentres, then coordinates. ``routing`` draws the
edges between the places. Lengths are points, and y grows downwards.
"""

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

__all__ = ["GAP_X", "Box", "Item", "Step", "ordered_columns", "places_and_routes", "set_heights"]

Step = tuple[int, int]  # from one card, or one place, to another

WIDTH = 740.0  # a row that needs more is wrapped; this is about the width of a notebook's cell
GAP_X, GAP_Y = 44.0, 18.0
_DUMMY_HEIGHT = 6.0
_SWEEPS = 24
# How strongly an edge asks to be straight, by what it joins: chains of operations ask most.
_PULL = defaultdict(lambda: 1.0) | {("card", "card"): 4.0, ("dummy", "dummy"): 4.0}


class Item(NamedTuple):
    """What is laid out: a card's width and height, and those of its repetition on a later row."""

    size: tuple[float, float]
    repeat_size: tuple[float, float]
    is_source: bool


@dataclass
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


def places_and_routes(
    items: list[Item], edges: list[Step]
) -> tuple[list[Box], dict[Step, list[int]], list[int]]:
    """Give every card a layer, cut the layers into rows, and thread the edges through them.

    Edges go from lower to higher numbers. A source stands right before its first reader, and again
    on each later row that reads it. The second result are the numbers of the places that each edge
    joins on its way, and the third is the first layer of each row.
    """
    layers = _layers(items, edges)
    starts = _row_starts(*_widths(layers, items, edges))
    # A row that begins with the reader of a source gets one more layer, for that source.
    led = {layers[b] for a, b in edges if items[a].is_source and layers[b] in starts[1:]}
    row = [int(np.searchsorted(starts, layer, side="right")) for layer in layers]
    shifted = [layer + sum(start <= layer for start in led) for layer in layers]
    places: list[Box] = []
    stands: dict[Step, int] = {}  # (card, row of the reader) -> place
    for card, item in enumerate(items):
        readers = [b for a, b in edges if a == card]
        if not (item.is_source and readers):
            stands |= dict.fromkeys([(card, row[b]) for b in [card, *readers]], len(places))
            kind: Literal["source", "card"] = "source" if item.is_source else "card"
            places.append(Box(kind, card, *item.size, shifted[card]))
            continue
        for number, its_row in enumerate(sorted({row[b] for b in readers})):
            layer = min(shifted[b] for b in readers if row[b] == its_row) - 1
            stands[card, its_row] = len(places)
            if number == 0:
                places.append(Box("source", card, *item.size, layer))
            else:
                places.append(Box("repeat", card, *item.repeat_size, layer))
    routes = {(a, b): _stops(places, stands[a, row[b]], stands[b, row[b]]) for a, b in edges}
    return places, routes, [start + sum(other < start for other in led) for start in starts]


def _stops(places: list[Box], first: int, last: int) -> list[int]:
    """List the places of an edge, with a new dummy for each layer that it crosses."""
    crossed = range(places[first].layer + 1, places[last].layer)
    dummies = [Box("dummy", None, 0.0, _DUMMY_HEIGHT, layer) for layer in crossed]
    places += dummies
    return [first, *range(len(places) - len(dummies), len(places)), last]


def _widths(
    layers: list[int], items: list[Item], edges: list[Step]
) -> tuple[list[float], list[float]]:
    """Return the layers' widths, and what a row needs more that begins with each layer."""
    columns, leads = [0.0] * (max(layers) + 1), [0.0] * (max(layers) + 1)
    for layer, item in zip(layers, items, strict=True):
        columns[layer] = max(columns[layer], item.size[0] + GAP_X)
    for a, b in edges:
        if items[a].is_source:
            is_next = layers[a] == layers[b] - 1
            again = items[a].size if is_next else items[a].repeat_size
            leads[layers[b]] = max(leads[layers[b]], again[0] + GAP_X)
    return columns, leads


def _layers(items: list[Item], edges: list[Step]) -> list[int]:
    layers = [0] * len(items)
    for a, b in sorted(edges, key=lambda edge: edge[1]):
        layers[b] = max(layers[b], layers[a] + 1)
    for source, item in enumerate(items):
        readers = [layers[b] for a, b in edges if a == source]
        if item.is_source and readers:
            layers[source] = min(readers) - 1
    return layers


def _row_starts(columns: list[float], leads: list[float]) -> list[int]:
    """Choose the layers that begin a row: as few rows as the width allows, evenly filled.

    ``columns`` are the layers' widths; ``leads`` what is added where a row begins with that layer.
    """

    def fill(most: float) -> list[int]:
        starts, filled = [0], 0.0
        for layer, width in enumerate(columns):
            if filled and filled + width - GAP_X > most:
                starts.append(layer)
                filled = leads[layer]
            filled += width
        return starts

    fewest = len(fill(WIDTH))
    return next(
        starts
        for most in np.linspace(min(*columns, WIDTH), WIDTH, 60)
        if len(starts := fill(most)) <= fewest
    )


def ordered_columns(places: list[Box], steps: list[Step]) -> list[list[int]]:
    """Order the places of each layer from top to bottom so that few edges cross."""
    starts = []
    for dummies_first in (True, False):
        columns: list[list[int]] = [[] for _ in range(max(place.layer for place in places) + 1)]
        for number, place in enumerate(places):
            columns[place.layer].append(number)
        if dummies_first:
            for column in columns:
                column.sort(key=lambda n: places[n].kind != "dummy")
        starts.append(_with_fewer_crossings(columns, steps))
    return min(starts, key=lambda columns: _crossings(columns, steps))


def _with_fewer_crossings(columns: list[list[int]], steps: list[Step]) -> list[list[int]]:
    """Sort each layer by the mean rank of its neighbours, to and fro; keep the best order."""
    best, fewest = columns, _crossings(columns, steps)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        forwards = sweep % 2 == 0
        neighbours: dict[int, list[int]] = defaultdict(list)
        for a, b in steps:
            neighbours[b if forwards else a].append(a if forwards else b)
        columns = [list(column) for column in columns]
        rank = {number: i for column in columns for i, number in enumerate(column)}
        for column in columns if forwards else columns[::-1]:
            wanted = {
                n: np.mean([rank[m] for m in neighbours[n]]) if neighbours[n] else rank[n]
                for n in column
            }
            column.sort(key=wanted.__getitem__)
            rank |= {number: i for i, number in enumerate(column)}
        crossings = _crossings(columns, steps)
        if crossings < fewest:
            best, fewest = columns, crossings
    return best


def _crossings(columns: list[list[int]], steps: list[Step]) -> int:
    rank = {n: (layer, i) for layer, column in enumerate(columns) for i, n in enumerate(column)}
    ends = [(*rank[a], rank[b][1]) for a, b in steps]
    return sum(
        layer == other and (a - c) * (b - d) < 0
        for i, (layer, a, b) in enumerate(ends)
        for other, c, d in ends[:i]
    )


def set_heights(
    places: list[Box],
    columns: list[list[int]],
    steps: list[tuple[int, int, float]],
    starts: list[int],
) -> None:
    """Set y: near to what each place is joined with, in the column's order, without touching.

    ``steps`` are (from, to, d): the edge is straight if the second place lies d below the first.
    An edge from one row to the next pulls at neither.
    """
    before, after = defaultdict(list), defaultdict(list)
    for a, b, down in steps:
        if places[b].layer not in starts:
            weight = _PULL[places[a].kind, places[b].kind]
            before[b].append((a, down, weight))
            after[a].append((b, -down, weight))
    for column in columns:
        heights = [places[n].height for n in column]
        for n, y in zip(column, np.cumsum(heights) - np.array(heights) / 2, strict=True):
            places[n].y = y - sum(heights) / 2
    for sweep in range(2 * _SWEEPS + 1):  # the last goes forwards: chains come out straight
        forwards = sweep % 2 == 0
        for column in columns if forwards else columns[::-1]:
            wanted, weights = [], []
            for n in column:
                pulls = [
                    (places[m].y + down, w) for m, down, w in (before if forwards else after)[n]
                ]
                total = sum(weight for _, weight in pulls)
                wanted.append(sum(y * w for y, w in pulls) / total if pulls else places[n].y)
                weights.append(total or 0.1)
            apart = [(places[m].height + places[n].height) / 2 + GAP_Y for m, n in pairwise(column)]
            for n, y in zip(column, _keep_apart(wanted, weights, apart), strict=True):
                places[n].y = y


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
    return np.repeat([mean for mean, _, _ in pools], [int(n) for _, _, n in pools]) + offsets

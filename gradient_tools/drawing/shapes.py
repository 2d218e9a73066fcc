"""The shapes of a tape's drawing, whichever pen draws them: boxes, their texts, and arrowheads.

Lengths are points, and y grows downwards.
"""

from functools import lru_cache
from itertools import accumulate
from textwrap import wrap
from typing import NamedTuple

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.textpath import text_to_path

from .folding import Card, Folded
from .layout import Box, Item
from .routing import Layout

__all__ = ["BORDER", "FONT", "CardShape", "Picture", "RepeatShape", "Text", "arrowhead"]

BORDER = 14.0
FONT = "DejaVu Sans"
_TITLE, _VALUE, _DETAIL, _GRADIENT, _NOTE = 11.5, 10.5, 8.5, 10.0, 9.5  # sizes of text
_LEADING, _LEADING_OF_NOTES = 1.42, 1.6  # of a line of text, times its size
_LETTERS_OF_NOTES = 110  # in a line
_PADDING = 11.0
_SLANT = 11.0  # how far the points of a target's hexagon stand out


class Text(NamedTuple):
    """A line of text around (x, y)."""

    text: str
    size: float
    bold: bool = False
    x: float = 0.0
    y: float = 0.0

    @property
    def width(self) -> float:
        """How wide the text is."""
        return _width(self.text, self.size, self.bold)


class CardShape:
    """A card: title and value above, the gradient in a strip below.

    A second sheet ``behind`` says that there is more inside. The ``strip`` is left, top, width and
    height; ``above`` and ``below`` are the texts over it and in it.
    """

    def __init__(self, card: Card, box: Box) -> None:
        assert box.card is not None
        self.card, self.number, width, height = card, box.card, box.width, box.height
        left, top = box.x - width / 2, box.y - height / 2
        above, below = _lines_of(card)
        strip_top = top + height - _height_of(below)
        self.strip = left, strip_top, width, _height_of(below)
        self.above, self.below = _stacked(above, box.x, top), _stacked(below, box.x, strip_top)
        self.behind = None
        if card.kind in ("layer", "folded"):
            self.behind = _rounded(left + 7, top - 5, width - 14, height / 2, 6.0)
        if card.is_target:
            self.outline = _pointed(left, top, width, height)
        else:
            radius = 20.0 if card.kind == "source" else 7.0
            self.outline = _rounded(left, top, width, height, radius)


class RepeatShape:
    """The name of a source, again, where a later row reads it."""

    def __init__(self, card: Card, box: Box) -> None:
        left, top = box.x - box.width / 2, box.y - box.height / 2
        self.card = card
        self.outline = _rounded(left, top, box.width, box.height, box.height / 2)
        self.name = Text(card.title, _VALUE, x=box.x, y=box.y)


class Picture:
    """Where everything of a drawing goes: its boxes, its lines, and the notes below them."""

    def __init__(self, folded: Folded) -> None:
        layout = Layout([_item(card) for card in folded.cards], sorted(folded.edges))
        self.folded, self.lines = folded, layout.lines
        self.shapes = [
            (RepeatShape if box.kind == "repeat" else CardShape)(folded.cards[box.card], box)
            for box in layout.boxes
            if box.card is not None
        ]
        line = _LEADING_OF_NOTES * _NOTE
        notes = [part for note in folded.notes for part in wrap(note, _LETTERS_OF_NOTES)]
        self.notes = [
            Text(note, _NOTE, y=layout.height + BORDER * 0.8 + line * (number + 0.5))
            for number, note in enumerate(notes)
        ]
        self.width = max([layout.width, *(note.width for note in self.notes)]) + 2 * BORDER
        self.height = layout.height + 2 * BORDER + line * len(notes)


def arrowhead(line: Path, *, of_gradient: bool = False) -> Path:
    """Return the head at the end of a line, or the larger one of the gradient at its beginning."""
    x, y = np.asarray(line.vertices)[0 if of_gradient else -1]
    length, half = (10.0, 6.0) if of_gradient else (-8.0, 4.0)
    return Path([(x, y), (x + length, y - half), (x + length, y + half), (x, y)])


def _item(card: Card) -> Item:
    above, below = _lines_of(card)
    is_source = card.kind == "source"
    slant = 2 * _SLANT if card.is_target else 6.0 if is_source else 0.0
    width = max(line.width for line in above + below) + 2 * _PADDING + slant
    repeat_size = Text(card.title, _VALUE).width + 2 * _PADDING, _VALUE * _LEADING + 8
    return Item((max(width, 56.0), _height_of(above) + _height_of(below)), repeat_size, is_source)


def _lines_of(card: Card) -> tuple[list[Text], list[Text]]:
    """List the lines above the strip, and those in it."""
    above = [Text(card.title, _TITLE, bold=True)]
    if card.value:
        above.append(Text(card.value, _VALUE))
    above += [Text(detail, _DETAIL) for detail in card.details]
    return above, [Text(line, _GRADIENT) for line in card.gradient]


def _height_of(lines: list[Text]) -> float:
    return sum(line.size * _LEADING for line in lines) + 8.0


def _stacked(lines: list[Text], x: float, top: float) -> list[Text]:
    tops = accumulate((line.size * _LEADING for line in lines), initial=top + 4.0)
    return [
        line._replace(x=x, y=y + line.size * _LEADING / 2)
        for line, y in zip(lines, tops, strict=False)
    ]


@lru_cache(maxsize=1024)
def _width(text: str, size: float, bold: bool) -> float:
    font = FontProperties(family=FONT, size=size, weight="bold" if bold else "normal")
    return text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]


def _pointed(left: float, top: float, width: float, height: float) -> Path:
    """Draw a hexagon that points to both sides."""
    right, bottom, middle = left + width, top + height, top + height / 2
    upper = [(left + _SLANT, top), (right - _SLANT, top)]
    lower = [(right - _SLANT, bottom), (left + _SLANT, bottom)]
    corners = [(left, middle), *upper, (right, middle), *lower, (left, middle)]
    return Path(corners, closed=True)


def _rounded(left: float, top: float, width: float, height: float, radius: float) -> Path:
    """Draw a rectangle whose corners are quarter circles."""
    r = min(radius, height / 2, width / 2)
    h = r - 0.5523 * r  # from the corner to Bézier's handle for a quarter circle
    right, bottom = left + width, top + height
    points = [(left + r, top)]
    ways = (right, top, 1, 0), (right, bottom, 0, 1), (left, bottom, -1, 0), (left, top, 0, -1)
    for x, y, dx, dy in ways:
        points += [(x - r * dx, y - r * dy), (x - h * dx, y - h * dy)]
        points += [(x - h * dy, y + h * dx), (x - r * dy, y + r * dx)]
    return Path(points, [Path.MOVETO, *[Path.LINETO, *[Path.CURVE4] * 3] * 4])

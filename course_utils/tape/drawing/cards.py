"""The pen of a tape's drawing: boxes of three shapes, two voices, and lines with gradient."""

from functools import lru_cache
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.textpath import text_to_path

from course_utils.figures.palette import BLUE, GREEN, GREY, INK, VERMILLION, WHITE
from course_utils.tape.drawing.folding import Card
from course_utils.tape.drawing.grouping import Kind

__all__ = [
    "FONT",
    "LEADING",
    "VALUE",
    "card_size",
    "draw_card",
    "draw_line",
    "draw_repeat",
    "height_of",
    "lines_of",
    "outline_of",
    "repeat_size",
    "rounded",
    "text_width",
]

# The palette mixed with white, and vermillion with black.
BLUE_TINT, GREEN_TINT, ORANGE_TINT, GREY_TINT = "#E3F0F8", "#E2F4EE", "#FBE9DC", "#F4F4F4"
ORANGE_BAND, RUST = "#F3B48A", "#963F00"

FONT = "DejaVu Sans"
_TITLE, VALUE, _DETAIL, _GRADIENT = 11.5, 10.5, 8.5, 10.0
LEADING = 1.42  # of a line of text, times its size
_PADDING = 11.0
_SLANT = 11.0  # how far the points of a target's hexagon stand out
_DASHES = (0, (3.5, 2))
_Line = tuple[str, float, bool]


def card_size(card: Card) -> tuple[float, float]:
    """Give the width and height that a card needs, in points."""
    lines = lines_of(card)
    width = max(text_width(text, size, bold) for text, size, bold in [*lines[0], *lines[1]])
    upper, strip = (height_of(block) for block in lines)
    slant = 2 * _SLANT if card.is_target else 6.0 if card.kind is Kind.SOURCE else 0.0
    return max(width + 2 * _PADDING + slant, 56.0), upper + strip


def repeat_size(card: Card) -> tuple[float, float]:
    """Give the width and height of a source's repetition, which shows its name alone."""
    return text_width(card.title, VALUE, False) + 2 * _PADDING, VALUE * LEADING + 8


def draw_card(ax: Axes, card: Card, x: float, y: float, scale: float) -> None:
    """Draw a card around (x, y): title and value above, the gradient in a strip below."""
    width, height = card_size(card)
    left, top = x - width / 2, y - height / 2
    edge, face = _colors(card)
    line = {"edgecolor": edge, "ls": "-" if card.alive else _DASHES}
    outline = outline_of(card, left, top, width, height)
    if card.kind in (Kind.LAYER, Kind.FOLDED):  # a second sheet behind says: there is more inside
        behind = rounded(left + 7, top - 5, width - 14, height / 2, 6.0)
        _patch(ax, behind, 4, facecolor=face, edgecolor=edge, lw=scale)
    body = _patch(ax, outline, 5, facecolor=face, gid=f"card {card.title}")
    upper, strip = lines_of(card)
    strip_top = top + height - height_of(strip)
    tint = ORANGE_TINT if card.alive else GREY_TINT
    band = Rectangle((left, strip_top), width, height_of(strip), fc=tint, ec="none", zorder=6)
    ax.add_patch(band)
    band.set_clip_path(body)
    _patch(ax, outline, 7, lw=(2.2 if card.is_target else 1.5) * scale, **line)
    _write(ax, upper, x, top, INK if card.alive else GREY, scale)
    _write(ax, strip, x, strip_top, RUST if card.alive else GREY, scale)


def draw_repeat(ax: Axes, card: Card, x: float, y: float, scale: float) -> None:
    """Draw the name of a source again where a later row reads it."""
    width, height = repeat_size(card)
    edge, style = (GREEN, "-") if card.alive else (GREY, _DASHES)
    outline = rounded(x - width / 2, y - height / 2, width, height, height / 2)
    _patch(ax, outline, 5, facecolor=WHITE, edgecolor=edge, lw=scale, ls=style)
    _text(ax, x, y, card.title, size=VALUE * scale, color=edge)


def draw_line(ax: Axes, path: Path, alive: bool, scale: float, name: str) -> None:
    """Draw an edge: forward thin and dark, and the gradient's way back broad and orange."""
    if alive:
        _patch(ax, path, 1, edgecolor=ORANGE_BAND, capstyle="butt", lw=5.5 * scale)
    color, style = (INK, "-") if alive else (GREY, _DASHES)
    _patch(ax, path, 2, edgecolor=color, lw=1.2 * scale, ls=style, gid=name)
    points = np.asarray(path.vertices)
    _head(ax, points[-1], -8.0, 4.0, color)
    if alive:
        _head(ax, points[0], 10.0, 6.0, VERMILLION)


def _patch(ax: Axes, path: Path, zorder: int, **look: Any) -> PathPatch:
    patch = PathPatch(path, zorder=zorder, **{"facecolor": "none", "edgecolor": "none", **look})
    ax.add_patch(patch)
    return patch


def _text(ax: Axes, x: float, y: float, text: str, **look: Any) -> None:
    centred: dict[str, Any] = {"ha": "center", "va": "center_baseline", "parse_math": False}
    ax.text(x, y, text, family=FONT, zorder=8, **centred, **look)


def _colors(card: Card) -> tuple[str, str]:
    """Return the colours of a card's edge and of its face."""
    if not card.alive:
        return GREY, WHITE
    if card.is_target:
        return BLUE, BLUE_TINT
    return (GREEN, GREEN_TINT) if card.kind is Kind.SOURCE else (BLUE, WHITE)


def _head(ax: Axes, tip: np.ndarray, length: float, half: float, color: str) -> None:
    x, y = tip
    points = [(x, y), (x + length, y - half), (x + length, y + half), (x, y)]
    _patch(ax, Path(points), 3, facecolor=color)


def lines_of(card: Card) -> tuple[list[_Line], list[_Line]]:
    """List the lines above and in the strip: (text, size, bold)."""
    above = [(card.title, _TITLE, True)]
    above += [(card.value, VALUE, False)] if card.value else []
    above += [(text, _DETAIL, False) for text in card.details]
    return above, [(text, _GRADIENT, False) for text in card.gradient]


def height_of(lines: list[_Line]) -> float:
    """Give the height that lines of text need."""
    return sum(size * LEADING for _, size, _ in lines) + 8.0


def _write(ax: Axes, lines: list[_Line], x: float, top: float, color: str, scale: float) -> None:
    y = top + 4.0
    for text, size, bold in lines:
        weight = "bold" if bold else "normal"
        y += size * LEADING / 2
        _text(ax, x, y, text, size=size * scale, weight=weight, color=color)
        y += size * LEADING / 2


@lru_cache(maxsize=1024)
def text_width(text: str, size: float, bold: bool) -> float:
    """Give the width of a text in points."""
    font = FontProperties(family=FONT, size=size, weight="bold" if bold else "normal")
    return text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]


def outline_of(card: Card, left: float, top: float, width: float, height: float) -> Path:
    """Draw a card's outline: round for a source, pointed for a target."""
    if not card.is_target:
        radius = 7.0 if card.kind is not Kind.SOURCE else 20.0
        return rounded(left, top, width, height, radius)
    right, bottom, middle = left + width, top + height, top + height / 2
    points = [
        (left, middle),
        (left + _SLANT, top),
        (right - _SLANT, top),
        (right, middle),
        (right - _SLANT, bottom),
        (left + _SLANT, bottom),
        (left, middle),
    ]
    return Path(points, [Path.MOVETO, *[Path.LINETO] * 5, Path.CLOSEPOLY])


def rounded(left: float, top: float, width: float, height: float, radius: float) -> Path:
    """Draw a rectangle whose corners are quarter circles."""
    r, k = min(radius, height / 2, width / 2), 0.5523  # Bézier's handle for a quarter circle
    right, bottom = left + width, top + height
    points = [(left + r, top)]
    for x, y, dx, dy in (
        (right, top, 1, 0),
        (right, bottom, 0, 1),
        (left, bottom, -1, 0),
        (left, top, 0, -1),
    ):
        turn_x, turn_y = -dy, dx  # the next side's direction
        start = (x - r * dx, y - r * dy)
        end = (x + r * turn_x, y + r * turn_y)
        points += [
            start,
            (start[0] + k * r * dx, start[1] + k * r * dy),
            (end[0] - k * r * turn_x, end[1] - k * r * turn_y),
            end,
        ]
    codes = [Path.MOVETO, *[Path.LINETO, *[Path.CURVE4] * 3] * 4]
    return Path(points, codes)

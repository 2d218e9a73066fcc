"""The pen of a tape's drawing: boxes of three shapes, two voices, and lines with gradient."""

from functools import lru_cache

import numpy as np
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.textpath import text_to_path

from course_utils.tape.drawing.folding import Card

__all__ = ["BACKGROUND", "card_size", "draw_card", "draw_line", "draw_repeat", "repeat_size"]

# Okabe and Ito's palette, with tints of it mixed with white, and greys.
BLUE, GREEN, VERMILLION, RUST = "#0072B2", "#009E73", "#D55E00", "#963F00"
BLUE_TINT, GREEN_TINT, ORANGE_TINT = "#E3F0F8", "#E2F4EE", "#FBE9DC"
ORANGE_BAND = "#F3B48A"
INK, GREY, GREY_TINT, BACKGROUND = "#1B1F24", "#6A6F76", "#EFEFEF", "#FFFFFF"

_FONT = "DejaVu Sans"
_TITLE, _VALUE, _DETAIL, _GRADIENT = 11.5, 10.5, 8.5, 10.0
_LEADING = 1.42  # of a line of text, times its size
_PADDING = 11.0
_SLANT = 11.0  # how far the points of a target's hexagon stand out
_CENTRED = {"ha": "center", "va": "center_baseline", "parse_math": False}
_Line = tuple[str, float, bool]


def card_size(card: Card) -> tuple[float, float]:
    """Give the width and height that a card needs, in points."""
    lines = _lines(card)
    width = max(_text_width(text, size, bold) for text, size, bold in [*lines[0], *lines[1]])
    upper, strip = (_height(block) for block in lines)
    slant = 2 * _SLANT if card.is_target else 6.0 if card.kind == "source" else 0.0
    return max(width + 2 * _PADDING + slant, 56.0), upper + strip


def repeat_size(card: Card) -> tuple[float, float]:
    """Give the width and height of a source's repetition, which shows its name alone."""
    return _text_width(card.title, _VALUE, False) + 2 * _PADDING, _VALUE * _LEADING + 8


def draw_card(ax: Axes, card: Card, x: float, y: float, scale: float) -> None:
    """Draw a card around (x, y): title and value above, the gradient in a strip below."""
    width, height = card_size(card)
    left, top = x - width / 2, y - height / 2
    edge, face = BLUE, BACKGROUND
    if card.is_target:
        face = BLUE_TINT
    elif card.kind == "source":
        edge, face = GREEN, GREEN_TINT
    if not card.alive:
        edge, face = GREY, BACKGROUND
    outline = _outline(card, left, top, width, height)
    if card.kind in ("layer", "folded"):  # a second sheet behind says that there is more inside
        behind = _rounded(left + 7, top - 5, width - 14, height / 2, 6.0)
        ax.add_patch(PathPatch(behind, facecolor=face, edgecolor=edge, lw=scale, zorder=4))
    body = PathPatch(outline, facecolor=face, edgecolor="none", zorder=5, gid=f"card {card.title}")
    ax.add_patch(body)
    upper, strip = _lines(card)
    strip_height = _height(strip)
    band = Rectangle(
        (left, top + height - strip_height),
        width,
        strip_height,
        facecolor=ORANGE_TINT if card.alive else GREY_TINT,
        edgecolor="none",
        zorder=6,
    )
    ax.add_patch(band)
    band.set_clip_path(body)
    ax.add_patch(
        PathPatch(
            outline,
            facecolor="none",
            edgecolor=edge,
            lw=(2.2 if card.is_target else 1.5) * scale,
            ls="-" if card.alive else (0, (3.5, 2)),
            zorder=7,
        )
    )
    quiet = INK if card.alive else GREY
    _write(ax, upper, x, top, quiet, scale)
    _write(ax, strip, x, top + height - strip_height, RUST if card.alive else GREY, scale)


def draw_repeat(ax: Axes, card: Card, x: float, y: float, scale: float) -> None:
    """Draw the name of a source again where a later row reads it."""
    width, height = repeat_size(card)
    edge = GREEN if card.alive else GREY
    outline = _rounded(x - width / 2, y - height / 2, width, height, height / 2)
    style = "-" if card.alive else (0, (3.5, 2))
    ax.add_patch(
        PathPatch(outline, facecolor=BACKGROUND, edgecolor=edge, lw=scale, ls=style, zorder=5)
    )
    ax.text(x, y, card.title, size=_VALUE * scale, color=edge, family=_FONT, zorder=8, **_CENTRED)


def draw_line(ax: Axes, path: Path, alive: bool, scale: float, name: str) -> None:
    """Draw an edge: forward thin and dark, and the gradient's way back broad and orange."""
    if alive:
        band = dict(facecolor="none", edgecolor=ORANGE_BAND, capstyle="butt", zorder=1)
        ax.add_patch(PathPatch(path, lw=5.5 * scale, **band))
    color, style = (INK, "-") if alive else (GREY, (0, (3.5, 2)))
    ax.add_patch(
        PathPatch(
            path, facecolor="none", edgecolor=color, lw=1.2 * scale, ls=style, zorder=2, gid=name
        )
    )
    _head(ax, path.vertices[-1], -8.0, 4.0, color)
    if alive:
        _head(ax, path.vertices[0], 10.0, 6.0, VERMILLION)


def _head(ax: Axes, tip: np.ndarray, length: float, half: float, color: str) -> None:
    x, y = tip
    points = [(x, y), (x + length, y - half), (x + length, y + half), (x, y)]
    ax.add_patch(PathPatch(Path(points), facecolor=color, edgecolor="none", zorder=3))


def _lines(card: Card) -> tuple[list[_Line], list[_Line]]:
    """List the lines above and in the strip: (text, size, bold)."""
    above = [(card.title, _TITLE, True)]
    above += [(card.value, _VALUE, False)] if card.value else []
    above += [(text, _DETAIL, False) for text in card.details]
    return above, [(text, _GRADIENT, False) for text in card.gradient]


def _height(lines: list[_Line]) -> float:
    return sum(size * _LEADING for _, size, _ in lines) + 8.0


def _write(ax: Axes, lines: list[_Line], x: float, top: float, color: str, scale: float) -> None:
    y = top + 4.0
    for text, size, bold in lines:
        weight = "bold" if bold else "normal"
        y += size * _LEADING / 2
        ax.text(
            x,
            y,
            text,
            size=size * scale,
            weight=weight,
            color=color,
            family=_FONT,
            zorder=8,
            **_CENTRED,
        )
        y += size * _LEADING / 2


@lru_cache(maxsize=1024)
def _text_width(text: str, size: float, bold: bool) -> float:
    font = FontProperties(family=_FONT, size=size, weight="bold" if bold else "normal")
    return text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]


def _outline(card: Card, left: float, top: float, width: float, height: float) -> Path:
    if not card.is_target:
        radius = 7.0 if card.kind != "source" else 20.0
        return _rounded(left, top, width, height, radius)
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


def _rounded(left: float, top: float, width: float, height: float, radius: float) -> Path:
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

"""The still picture of a tape, drawn with matplotlib."""

from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from ..recording.running import record_tape
from ..showing.palette import BLUE, GREEN, GREY, INK, VERMILLION, WHITE
from .folding import fold
from .shapes import BORDER, FONT, CardShape, Picture, Text, arrowhead

__all__ = ["plot_tape"]

# The palette mixed with white, and vermillion with black.
_BLUE_TINT, _GREEN_TINT, _ORANGE_TINT, _GREY_TINT = "#E3F0F8", "#E2F4EE", "#FBE9DC", "#F4F4F4"
_ORANGE_BAND, _RUST = "#F3B48A", "#963F00"
_DASHES = (0, (3.5, 2))


def plot_tape(f: Callable[..., Any], *inputs: Any, depth: int = 1, ax: Axes | None = None) -> Axes:
    """Draw what a tape records of ``f(*inputs)``: values forward, gradients back.

    Every operation is a box with its value, or its shape, and below it the gradient that arrives
    there in the backward pass. Sources are round, the target is pointed. Gradient flows back along
    the broad orange lines; what is dashed and grey passes none. More than 40 boxes are folded, and
    a note says so.

    Parameters
    ----------
    f : callable
        Called once as ``f(*inputs)``. The operations inside a ``tf.function`` are drawn. Without
        inputs, the sources are the variables that ``f`` reads.
    *inputs : tensor, variable, NumPy array, float, or dict, list or tuple of them
        The sources. Anything else, including integers, is passed to ``f`` unchanged.
    depth : int
        How many levels of Keras objects are opened. With 0 a model is one box, with 1 its layers
        are drawn, and with 2 what is in them.
    ax : matplotlib.axes.Axes, optional
        Where to draw, scaled to fit. By default, a new figure of the right size.

    Returns
    -------
    matplotlib.axes.Axes
        The texts of the boxes are its ``texts``, and its gid is the drawing in words.

    Raises
    ------
    TypeError, ValueError
        If there is nothing to draw; see ``record_tape``.

    Examples
    --------
    >>> ax = plot_tape(lambda x: x**2, 3.0)
    >>> [text.get_text() for text in ax.texts]
    ['x', '3.0', '∂y/∂x = 6.0', 'y = x²', '9.0', '∂y/∂y = 1.0']
    """
    picture = Picture(fold(record_tape(f, *inputs), depth))
    cards, edges = picture.folded.cards, picture.folded.edges
    pen = _Pen(ax, picture.width, picture.height)
    pen.ax.set_gid(picture.folded.description)
    for (a, b), path in picture.lines.items():
        pen.line(path, edges[a, b], f"edge {cards[a].title} -> {cards[b].title}")
    for shape in picture.shapes:
        if isinstance(shape, CardShape):
            pen.card(shape)
        else:
            edge, style = (GREEN, "-") if shape.card.alive else (GREY, _DASHES)
            pen.path(shape.outline, 5, facecolor=WHITE, edgecolor=edge, lw=1.0, ls=style)
            pen.write(shape.name, edge)
    for note in picture.notes:
        pen.write(note, GREY, ha="left", va="center")
    return pen.ax


class _Pen:
    """Draws in an Axes in which one unit is one point, or as much of it as fits."""

    def __init__(self, ax: Axes | None, width: float, height: float) -> None:
        if ax is None:
            size = round(width / 72, 1), round(height / 72, 1)
            figure = plt.figure(figsize=size, facecolor=WHITE, layout="none")
            ax = figure.add_axes((0, 0, 1, 1))
        points = 72 / ax.figure.dpi
        self.ax = ax
        self.scale = points * min(ax.bbox.width / width, ax.bbox.height / height)
        ax.set(xlim=(-BORDER, width - BORDER), ylim=(height - BORDER, -BORDER), aspect="equal")
        ax.set(facecolor=WHITE, xticks=[], yticks=[])
        ax.spines[:].set_visible(False)

    def path(self, path: Path, zorder: int, lw: float = 0.0, **look: Any) -> PathPatch:
        look = {"facecolor": "none", "edgecolor": "none", **look}
        patch = PathPatch(path, zorder=zorder, lw=lw * self.scale, **look)
        self.ax.add_patch(patch)
        return patch

    def write(
        self, text: Text, color: str, ha: str = "center", va: str = "center_baseline"
    ) -> None:
        look: dict[str, Any] = {"ha": ha, "va": va, "color": color, "zorder": 8, "family": FONT}
        look |= {"weight": "bold" if text.bold else "normal", "size": text.size * self.scale}
        self.ax.text(text.x, text.y, text.text, parse_math=False, **look)

    def line(self, path: Path, alive: bool, name: str) -> None:
        """Draw an edge: forward thin and dark, and the gradient path broad and orange."""
        color, style = (INK, "-") if alive else (GREY, _DASHES)
        if alive:
            self.path(path, 1, edgecolor=_ORANGE_BAND, capstyle="butt", lw=5.5)
        self.path(path, 2, edgecolor=color, lw=1.2, ls=style, gid=name)
        self.path(arrowhead(path), 3, facecolor=color)
        if alive:
            self.path(arrowhead(path, of_gradient=True), 3, facecolor=VERMILLION)

    def card(self, shape: CardShape) -> None:
        card = shape.card
        edge, face, tint, ink, ink_below = BLUE, WHITE, _ORANGE_TINT, INK, _RUST
        if not card.alive:
            edge, face, tint, ink, ink_below = GREY, WHITE, _GREY_TINT, GREY, GREY
        elif card.is_target:
            face = _BLUE_TINT
        elif card.kind == "source":
            edge, face = GREEN, _GREEN_TINT
        if shape.behind is not None:
            self.path(shape.behind, 4, facecolor=face, edgecolor=edge, lw=1.0)
        body = self.path(shape.outline, 5, facecolor=face, gid=f"card {card.title}")
        left, top, width, height = shape.strip
        strip = Rectangle((left, top), width, height, fc=tint, ec="none", zorder=6)
        self.ax.add_patch(strip)
        strip.set_clip_path(body)
        width, style = 2.2 if card.is_target else 1.5, "-" if card.alive else _DASHES
        self.path(shape.outline, 7, edgecolor=edge, lw=width, ls=style)
        for text in shape.above:
            self.write(text, ink)
        for text in shape.below:
            self.write(text, ink_below)

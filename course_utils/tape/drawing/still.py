"""The still picture of a tape, drawn with matplotlib."""

from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from course_utils.figures.palette import GREY, WHITE
from course_utils.tape.drawing.cards import (
    card_size,
    draw_card,
    draw_line,
    draw_repeat,
    repeat_size,
)
from course_utils.tape.drawing.folding import fold
from course_utils.tape.drawing.grouping import Kind
from course_utils.tape.drawing.routing import lay_out
from course_utils.tape.drawing.words import in_words
from course_utils.tape.recording import record_tape

__all__ = ["plot_tape"]

_MOST_CARDS = 40
_BORDER = 14.0
_NOTE_SIZE = 9.5


def plot_tape(f: Callable, *inputs: Any, depth: int = 1, ax: Axes | None = None) -> Axes:
    """Draw what a tape records of ``f(*inputs)``: values forward, gradients back.

    Every operation is a box with its value, or its shape, and below it the gradient that arrives
    there in the backward pass. Sources are round, the target is pointed. Gradient flows back along
    the broad orange lines; what is dashed and grey passes none.

    Parameters
    ----------
    f : callable
        Called once as ``f(*inputs)``. Of a ``tf.function`` the drawing shows what is inside.
        Without inputs, the sources are the variables that ``f`` reads.
    *inputs : tensor, variable, NumPy array, float, or dict, list or tuple of them
        The sources. Anything else, whole numbers included, is handed on to ``f`` as it is.
    depth : int
        How many levels of Keras objects are opened: 0 draws a model as one box, 1 draws its
        layers, 2 what is in these.
    ax : matplotlib.axes.Axes, optional
        Where to draw, scaled to fit; a new figure of the right size by default.

    Returns
    -------
    matplotlib.axes.Axes
        The texts of the boxes are its ``texts``, and its gid is the drawing in words.

    Raises
    ------
    TypeError, ValueError
        If there is nothing to draw; see ``record_tape``.

    Notes
    -----
    Lines of text are in points, so that a box fits its text. More than 40 boxes are folded, and a
    note says so. First used in lesson 01.

    Examples
    --------
    >>> ax = plot_tape(lambda x: x**2, 3.0)
    >>> [text.get_text() for text in ax.texts]
    ['x', '3.0', '∂y/∂x = 6.0', 'y = x²', '9.0', '∂y/∂y = 1.0']
    """
    folded = fold(record_tape(f, *inputs), depth, _MOST_CARDS)
    cards = folded.cards
    layout = lay_out(
        [card_size(card) for card in cards],
        [repeat_size(card) for card in cards],
        sorted(folded.edges),
        [card.kind is Kind.SOURCE for card in cards],
    )
    notes_height = 1.6 * _NOTE_SIZE * len(folded.notes)
    width, height = layout.width + 2 * _BORDER, layout.height + 2 * _BORDER + notes_height
    ax, scale = _prepare(ax, width, height)
    ax.set_gid(in_words(folded))
    for (a, b), path in layout.lines.items():
        name = f"edge {cards[a].title} -> {cards[b].title}"
        draw_line(ax, path, folded.edges[a, b], scale, name)
    for place in layout.places:
        if place.card is not None:
            draw = draw_repeat if place.kind == "repeat" else draw_card
            draw(ax, cards[place.card], place.x, place.y, scale)
    for number, note in enumerate(folded.notes):
        y = layout.height + _BORDER * 0.8 + 1.6 * _NOTE_SIZE * (number + 0.5)
        ax.text(0, y, note, size=_NOTE_SIZE * scale, color=GREY, va="center", family="DejaVu Sans")
    return ax


def _prepare(ax: Axes | None, width: float, height: float) -> tuple[Axes, float]:
    """Make an Axes in which one unit is one point, or as much of it as fits; y grows downwards."""
    if ax is None:
        size = round(width / 72, 1), round(height / 72, 1)
        figure = plt.figure(figsize=size, facecolor=WHITE, layout="none")
        ax = figure.add_axes((0, 0, 1, 1))
    points = 72 / ax.figure.dpi
    scale = points * min(ax.bbox.width / width, ax.bbox.height / height)
    ax.set(xlim=(-_BORDER, width - _BORDER), ylim=(height - _BORDER, -_BORDER), aspect="equal")
    ax.set_facecolor(WHITE)
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    return ax, scale

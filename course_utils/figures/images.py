"""Grids of images, with what a model took them for."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from gradient_tools.showing.palette import INK, VERMILLION, WHITE

from .style import make_axes

__all__ = ["show_images"]


def show_images(
    images: ArrayLike,
    labels: Sequence[Any] | np.ndarray | None = None,
    predictions: Sequence[Any] | np.ndarray | None = None,
    *,
    columns: int = 8,
    ax: Axes | None = None,
) -> Axes:
    """Show a grid of images with their labels. Wrong predictions are crossed and framed.

    Parameters
    ----------
    images : array-like of shape (n, height, width), (n, height, width, 1) or (n, height, width, 3)
        Gray values, or colors. All gray values are scaled together, from the smallest to the
        largest.
    labels : array-like of shape (n,), optional
        What each image is.
    predictions : array-like of shape (n,), optional
        What a model took it for. A right one is shown as "7 ✓", and a wrong one as "1 ✗ is 7".
    columns : int
        The number of images in a row.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default, a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Its ``images`` and ``texts`` are in the order of the arguments. Each wrong prediction has
        one of its ``patches``.

    Raises
    ------
    ValueError
        If the images have another shape, or the labels or predictions do not fit them.

    Examples
    --------
    >>> ax = show_images(np.zeros((2, 28, 28)), labels=[7, 1], predictions=[7, 2])
    >>> [text.get_text() for text in ax.texts], len(ax.patches)
    (['7 ✓', '2 ✗ is 1'], 1)
    """
    images = np.asarray(images)
    if images.ndim not in (3, 4) or (images.ndim == 4 and images.shape[3] not in (1, 3)):
        needed = "(n, height, width) or (n, height, width, channels), with 1 or 3 channels"
        raise ValueError(f"images has shape {images.shape}, but it must have shape {needed}.")
    if predictions is not None and labels is None:
        raise ValueError(
            "You passed predictions without labels. Pass both, so that right and wrong can be told "
            "apart."
        )
    for name, given in (("labels", labels), ("predictions", predictions)):
        if given is not None and len(given) != len(images):
            raise ValueError(f"{len(images)} images, but {len(given)} {name}.")
    columns = max(1, min(columns, len(images)))
    rows = -(-len(images) // columns)
    if ax is None:  # between the images shows the page, be it light or dark
        ax = make_axes(ax, (1.05 * columns + 0.2, 1.25 * rows + 0.2))
        ax.figure.set_facecolor("none")
    scale = {"vmin": images.min(), "vmax": images.max()} if images.size else {}
    for i, image in enumerate(images):
        x, y = (i % columns) * 1.12, (i // columns) * 1.32
        ax.imshow(np.squeeze(image), extent=(x, x + 1, y + 1, y), cmap="gray", **scale)
        text, wrong = "" if labels is None else str(labels[i]), False
        if predictions is not None and labels is not None:
            wrong = bool(predictions[i] != labels[i])
            text = f"{predictions[i]} ✗ is {labels[i]}" if wrong else f"{text} ✓"
        paper = {"facecolor": WHITE, "edgecolor": "none", "pad": 0.5} if text else None
        ax.text(
            x + 0.5, y - 0.05, text, ha="center", fontsize=10, color=VERMILLION if wrong else INK,
            weight="bold" if wrong else "normal", family="DejaVu Sans", bbox=paper,
        )  # fmt: skip
        if wrong:
            ax.add_patch(Rectangle((x, y), 1, 1, fill=False, edgecolor=VERMILLION, lw=3, ls="--"))
    ax.set(xlim=(-0.06, columns * 1.12 - 0.06), ylim=(rows * 1.32 - 0.26, -0.3), aspect="equal")
    ax.axis("off")
    return ax

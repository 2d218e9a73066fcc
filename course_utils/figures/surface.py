"""The loss as a landscape, and the way that an optimizer takes through it."""

from collections.abc import Callable
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from gradient_tools.showing.palette import INK, VERMILLION

from .style import make_axes

__all__ = ["plot_loss_surface"]

_LEVELS = 13


def plot_loss_surface(
    loss: Callable[[float, float], Any],
    x_range: tuple[float, float],
    y_range: tuple[float, float],
    *,
    path: ArrayLike | None = None,
    labels: tuple[str, str] = ("w", "b"),
    points: int = 61,
    ax: Axes | None = None,
) -> Axes:
    """Draw the contours of a loss of two parameters, and an optimizer's path over them.

    The contours rise by a constant factor above the smallest loss on the grid. So the bottom of a
    valley can also be seen.

    Parameters
    ----------
    loss : callable
        ``loss(x, y)`` returns one number. It is called ``points**2`` times.
    x_range, y_range : (float, float)
        The lowest and the highest value of each parameter.
    path : array-like of shape (steps, 2), optional
        The parameters at the start and after each step.
    labels : (str, str)
        The names of the two parameters.
    points : int
        How many values of each parameter are tried.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default, a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        If a path is given, it is the first of ``lines``.

    Raises
    ------
    ValueError
        If the loss is finite nowhere, or ``path`` has another shape.

    Examples
    --------
    >>> ax = plot_loss_surface(lambda w, b: w**2 + b**2, (-2, 2), (-1, 1), path=[(2, 1), (0, 0)])
    >>> ax.get_xlabel(), len(ax.lines[0].get_xdata())
    ('w', 2)
    """
    xs, ys = np.linspace(*x_range, points), np.linspace(*y_range, points)
    surface = np.array([[float(loss(x, y)) for x in xs] for y in ys])
    finite = surface[np.isfinite(surface)]
    if not finite.size:
        raise ValueError(
            f"The loss is not finite anywhere on {x_range} by {y_range}. Choose other ranges."
        )
    ax = make_axes(ax)
    levels = finite.min() + (np.ptp(finite) or 1.0) * np.geomspace(1e-3, 1.0, _LEVELS)
    blues = mpl.colormaps["Blues"](np.linspace(0.02, 0.5, _LEVELS + 1))
    ax.contourf(xs, ys, surface, levels=levels, colors=blues, extend="both")
    lines = ax.contour(xs, ys, surface, levels=levels, colors="#3D5F7C", linewidths=0.6)
    # With two digits, and up to a million without an exponent.
    heights = {level: f"{float(f'{level:.2g}'):g}" for level in levels}
    ax.clabel(lines, np.asarray(lines.levels)[6::2], fmt=heights, fontsize=8)
    ax.set(xlabel=labels[0], ylabel=labels[1], xlim=x_range, ylim=y_range)
    if path is not None:
        path = np.asarray(path, float)
        if path.ndim != 2 or path.shape[1] != 2:
            raise ValueError(f"path has shape {path.shape}, but it must have shape (steps, 2).")
        style: dict[str, Any] = {
            "color": VERMILLION,
            "markersize": 4,
            "markeredgecolor": "white",
            "zorder": 4,
        }
        ax.plot(*path.T, "o-", lw=1.8, markeredgewidth=0.6, label="path", **style)
        for name, point in (("start", path[0]), ("end", path[-1])):
            box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
            offset: dict[str, Any] = {"xytext": (7, 7), "textcoords": "offset points"}
            ax.annotate(name, point, **offset, fontsize=9, color=INK, bbox=box, zorder=5)
    return ax

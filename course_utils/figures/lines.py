"""Figures of quantities along a line: over steps, over epochs, over the step of a difference."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from gradient_tools.showing.palette import GREY

from .style import label_lines, line_style, make_axes

__all__ = ["plot_error_curve", "plot_gradient_norms", "plot_history"]


def plot_gradient_norms(norms: Mapping[str, ArrayLike], *, ax: Axes | None = None) -> Axes:
    """Draw the norm of each layer's gradient over the steps of training, on a log scale.

    Parameters
    ----------
    norms : mapping of str to array-like of shape (steps,)
        The norm at each step, for each layer or variable. A step without a gradient (None) is a
        gap. A zero has no place on a log scale, and is a cross on the lower edge.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default, a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        It has one of ``lines`` for each entry, in order, with the entry's name as label.

    Raises
    ------
    ValueError
        If ``norms`` is empty.

    Examples
    --------
    >>> ax = plot_gradient_norms({"dense": [1.0, 0.1], "logits": [2.0, 1.5]})
    >>> ax.get_yscale(), [line.get_label() for line in ax.lines]
    ('log', ['dense', 'logits'])
    """
    if not norms:
        raise ValueError("norms is empty. Pass a dict such as {'dense': [0.9, 0.5], ...}.")
    ax = make_axes(ax)
    ax.set(yscale="log", xlabel="step", ylabel="norm of the gradient")
    for number, (name, values) in enumerate(norms.items()):
        values = np.array(
            [np.nan if value is None else value for value in np.asarray(values, object)], float
        )
        _log_line(ax, np.arange(len(values)), values, number, name)
    label_lines(ax)
    return ax


def plot_error_curve(
    steps: ArrayLike,
    errors: Mapping[str, ArrayLike],
    *,
    orders: Mapping[str, float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the error of difference formulas against their step, both on a log scale.

    Parameters
    ----------
    steps : array-like of shape (n,)
        The steps h, positive.
    errors : mapping of str to array-like of shape (n,)
        The absolute error at each step, for each formula. A zero is a cross on the lower edge.
    orders : mapping of str to float, optional
        The order p of each formula. A dotted line of slope p starts at the error at the largest
        step.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default, a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        It has one of ``lines`` for each formula, followed by the dotted ones.

    Examples
    --------
    >>> h = [0.1, 0.01]
    >>> ax = plot_error_curve(h, {"forward": [0.05, 0.005]}, orders={"forward": 1})
    >>> ax.get_xscale(), ax.get_yscale(), len(ax.lines)
    ('log', 'log', 2)
    """
    steps = np.asarray(steps, float)
    ax = make_axes(ax)
    ax.set(xscale="log", yscale="log", xlabel="step h", ylabel="absolute error")
    for number, (name, values) in enumerate(errors.items()):
        _log_line(ax, steps, np.abs(np.asarray(values, float)), number, name, marker="o")
    label_lines(ax)
    limits = ax.get_ylim()
    for name, order in (orders or {}).items():
        largest = int(np.argmax(steps))
        guide = float(np.abs(np.asarray(errors[name])[largest])) * (steps / steps[largest]) ** order
        ax.plot(steps, guide, ":", color=GREY, lw=1.2, zorder=1)
        inside = np.flatnonzero(guide > limits[0] * 4)
        at = inside[np.argsort(steps[inside])[len(inside) // 2]]
        look: dict[str, Any] = {
            "xytext": (5, -9),
            "textcoords": "offset points",
            "color": GREY,
            "fontsize": 9,
        }
        ax.annotate(f"slope {order:g}", (steps[at], guide[at]), **look)
    ax.set_ylim(limits)
    return ax


def plot_history(history: Any, metric: str = "loss", *, ax: Axes | None = None) -> Axes:
    """Draw a metric over the epochs, in training and in validation.

    Parameters
    ----------
    history : keras.callbacks.History, or mapping of str to array-like of shape (epochs,)
        What ``model.fit`` returned, or a dict such as ``{"loss": [...], "val_loss": [...]}``.
    metric : str
        The metric's name, without ``val_``.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default, a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Its ``lines`` are that of the training and, if there was one, that of the validation.

    Raises
    ------
    KeyError
        If the history holds no such metric.

    Examples
    --------
    >>> ax = plot_history({"loss": [1.0, 0.5, 0.4], "val_loss": [1.1, 0.7, 0.8]})
    >>> [line.get_label() for line in ax.lines], ax.get_xlabel()
    (['training', 'validation'], 'epoch')
    """
    values = getattr(history, "history", history)
    if metric not in values:
        there = ", ".join(values) or "nothing"
        raise KeyError(
            f"The history does not contain {metric!r}, only {there}. Choose one of these, or pass "
            f"{metric!r} to `compile` and train again."
        )
    ax = make_axes(ax)
    for number, (key, name) in enumerate([(metric, "training"), (f"val_{metric}", "validation")]):
        if key in values:
            epochs = np.arange(1, len(values[key]) + 1)
            ax.plot(epochs, values[key], label=name, marker="o", markersize=4, **line_style(number))
    ax.set(xlabel="epoch", ylabel=metric.replace("_", " "))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    label_lines(ax)
    return ax


def _log_line(ax: Axes, x: np.ndarray, y: np.ndarray, number: int, name: str, **how: Any) -> None:
    """Draw a line on a log axis, and its zeros as crosses on the lower edge."""
    how |= line_style(number)
    ax.plot(x, np.where(y > 0, y, np.nan), label=name, markersize=4, **how)
    zeros = x[y == 0]
    if zeros.size:
        edge: dict[str, Any] = {
            "transform": ax.get_xaxis_transform(),
            "clip_on": False,
            "zorder": 4,
        }
        ax.scatter(zeros, np.zeros(len(zeros)), marker="x", color=how["color"], **edge)

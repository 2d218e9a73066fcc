"""Check a gradient, the tape's or one derived by hand, against differences of function values."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
import tensorflow as tf

from .contraction import Contraction, dense
from .differences import positive_step
from .hints import Finding, explain
from .measurements import LeafProbe
from .points import Point, find_point
from .report import GradientReport, GradientRow
from .verdicts import Decision, judge_directions, judge_entries

__all__ = ["GradientReport", "check_gradients"]

Mode = Literal["directional", "entrywise"] | slice
Gradients = list[np.ndarray | None]


class _Options(NamedTuple):
    """How each leaf is moved, as given to `check_gradients`."""

    directions: int
    mode: Mode
    step: float | None


_NOT_REPEATABLE = (
    "f gave two different values at the same point, as happens with dropout or random numbers. Use "
    "`training=False`, or draw the numbers inside f with a fixed seed "
    "(`tf.random.stateless_normal`)."
)


def check_gradients(
    f: Callable[..., Any],
    at: object,
    *,
    grads: object = None,
    directions: int = 3,
    order: Literal[1, 2] = 1,
    mode: Mode = "directional",
    step: float | None = None,
    seed: int = 0,
) -> GradientReport:
    """Check gradients against central differences, with an error bar instead of a tolerance.

    Parameters
    ----------
    f : callable
        Returns a tensor of any shape; if it is not a scalar, its gradient is taken with random
        cotangents. Without arguments if ``at`` holds variables. Otherwise it takes the tensors: a
        list or tuple is unpacked into arguments, anything else is one argument.
    at : tensor, array, float, variable, nested structure of them, Keras model or tf.Module
        Where to check: finite, floating-point values. A model stands for its trainable variables.
        Variables are moved and restored exactly, even if ``f`` raises. Integers and booleans, such
        as labels, are constants. ``f`` gets them unchanged, and the report names them.
    grads : nested structure like ``at``, optional
        Gradients derived by hand, to be judged instead of the tape's; None for a constant.
    directions : int
        Random directions for each tensor or variable, at least 1; four evaluations each.
    order : {1, 2}
        With 2, the gradient of the gradient is checked.
    mode : {"directional", "entrywise"} or slice
        Along random directions, or every entry, or only these entries of each flattened tensor.
    step : float, optional
        The furthest that an entry moves, in its own unit. By default it is large enough for the
        change of ``f`` to exceed its rounding error. It is at most 1/4 of the entry's size, or 1/4
        if the entry is smaller than 1.
    seed : int
        Seeds the directions. No global random state is read or changed.

    Returns
    -------
    GradientReport
        One row for each tensor or variable. ``report.passed`` is True only if every row agrees. A
        gradient that could not be judged does not pass, but it may be right. Its hint says what to
        try.

    Raises
    ------
    TypeError, ValueError
        If ``at``, an option or what ``f`` returns cannot be checked; the message names it.

    Notes
    -----
    The numeric slope is ``D(h) = (f(x + h v) - f(x - h v)) / (2 h)``. Its error bar is the sum of

    - ``|D(h) - D(2h)|``, three times the truncation of a smooth f, of second order in h;
    - ``r / h`` for rounding, where r is four standard deviations of the noise of ``f``, measured
      as in Moré and Wild, *Estimating Computational Noise* (2011), and at least ``eps * |f|``;
    - ``|2 B(h) - B(2h)| / 2`` for kinks, where B, the forward minus the backward difference,
      doubles with h unless the slope jumps. With it the bar bounds the error of any one kink.

    If several kinks lie at the point itself, their jumps may cancel along one line while the errors
    add up. So a closer look never uses a bar that is shorter than the median of its family of
    directions. A row agrees only if every measurement agrees, and at least one bar is small
    compared with the gradient.

    A gradient that is zero except for rounding has no such bar. It agrees if moving its leaf by 1
    changes f by less than a thousandth of f's value, and by less than a thousandth of the largest
    change that another leaf causes, or of 1. This must hold for the claimed and for the measured
    change. The hint says so.

    A check evaluates f ``12 + 4 * directions * n`` times for n tensors or variables, regardless of
    their sizes, and more often if f hardly changes. A gradient that looks wrong is measured again
    along 14 new directions, or 28 if that is not conclusive. Each direction takes at most 5 steps
    and 20 evaluations. If rounding or kinks still leave doubt, f is evaluated at 24 or 48 points
    along the same directions. The slope is then that of a line fitted to the odd part of f. Its
    error bar has the same three parts.

    Examples
    --------
    >>> x = tf.constant([1.0, 2.0, 3.0])
    >>> check_gradients(lambda x: tf.reduce_sum(x**3), x).passed
    True
    >>> report = check_gradients(lambda x: tf.reduce_sum(x**3), x, grads=-3 * x**2)
    >>> print(report.rows[0].verdict, "|", report.rows[0].hint.partition(".")[0])
    disagrees | The sign is wrong: the gradient is -1 times the right one
    """
    if not isinstance(directions, int) or directions < 1:
        raise ValueError(f"directions must be an integer of at least 1, but it is {directions!r}.")
    if order not in (1, 2):
        raise ValueError(f"order must be 1 or 2, but it is {order!r}.")
    if mode not in ("directional", "entrywise") and not isinstance(mode, slice):
        raise ValueError(f'mode must be "directional", "entrywise", or a slice, not {mode!r}.')
    if step is not None:
        positive_step(step)
    if grads is not None and order == 2:
        raise ValueError(
            "`grads` can be checked only with order=1. With order=2, leave it out, or check the "
            "gradient function itself: check_gradients(my_gradient, at, grads=...)."
        )
    point = find_point(f, at)
    rng = np.random.default_rng(seed)
    with point.kept():
        contraction = Contraction(point, order, rng)
        rows = _judged_rows(contraction, at, grads, _Options(directions, mode, step), rng)
    return GradientReport(tuple(rows), contraction.evaluations, order, seed, point.constants)


def _judged_rows(
    contraction: Contraction,
    at: object,
    grads: object,
    options: _Options,
    rng: np.random.Generator,
) -> list[GradientRow]:
    """Judge every leaf, unless f turns out to give other values when it is called again."""
    point = contraction.point
    not_repeatable = [
        GradientRow(name, value.shape, leaf.dtype.name, "not repeatable", _NOT_REPEATABLE)
        for name, value, leaf in zip(point.names, point.values, point.leaves, strict=True)
    ]
    if not contraction.repeats():
        return not_repeatable
    probes = _probes(contraction, at, grads, options.step, rng)
    largest = max(probe.change for probe in probes)
    findings = [_finding(probe, largest, options, rng) for probe in probes]
    is_doubtful = any(finding.decision.verdict != "agrees" for finding in findings)
    if is_doubtful and not all(contraction.repeats() for _ in range(8)):
        return not_repeatable
    explanations = explain(
        findings, is_given=grads is not None, by_entry=options.mode != "directional"
    )
    return [
        replace(
            row,
            verdict=explanation.verdict,
            hint=explanation.hint,
            evaluations=finding.evaluations,
            measurements=tuple(finding.decision.measurements),
        )
        for row, finding, explanation in zip(not_repeatable, findings, explanations, strict=True)
    ]


def _probes(
    contraction: Contraction,
    at: object,
    grads: object,
    step: float | None,
    rng: np.random.Generator,
) -> list[LeafProbe]:
    """Prepare the gradient of every leaf to be judged: the tape's, or one derived by hand."""
    tape = contraction.gradients()
    given = None if grads is None else _given_gradients(grads, at, contraction.point)
    contraction.measure_noise(rng)
    if given is None:
        return [LeafProbe(contraction, i, g, None, step) for i, g in enumerate(tape)]
    return [LeafProbe(contraction, i, given[i], g, step) for i, g in enumerate(tape)]


def _finding(
    probe: LeafProbe, largest: float, options: _Options, rng: np.random.Generator
) -> Finding:
    """Judge the gradient of one leaf; one of another shape, or not finite, without measuring."""
    before, shape = probe.contraction.evaluations, probe.gradient.shape
    claimed = probe.claimed
    if claimed is not None and (claimed.shape != shape or not np.all(np.isfinite(claimed))):
        decision = Decision("disagrees", [])
    elif options.mode == "directional":
        decision = judge_directions(probe, options.directions, largest, rng)
    else:
        entries = list(np.ndindex(shape))
        chosen = entries[options.mode] if isinstance(options.mode, slice) else entries
        if not chosen:
            raise ValueError(
                f"mode={options.mode} selects none of the {len(entries)} entries of {probe.name}. "
                "Use a slice that selects at least one."
            )
        decision = judge_entries(probe, chosen, largest, rng)
    return Finding(probe, decision, probe.contraction.evaluations - before)


def _given_gradients(grads: Any, at: object, point: Point) -> Gradients:
    """Flatten the gradients derived by hand: as many as there are leaves, dense, in float64."""
    # An array or a list of numbers for the one leaf is one gradient, not a nest of them.
    is_nest = isinstance(at, list | tuple | dict) or len(point.leaves) > 1
    given = tf.nest.flatten(grads) if is_nest else [grads]
    if len(given) == len(point.leaves) + len(point.constants):
        given = [given[position] for position in point.positions]
    if len(given) != len(point.leaves):
        raise ValueError(
            f"grads has {len(given)} gradients, but there are {len(point.leaves)} to check: "
            f"{', '.join(point.names)}. Pass one for each, in this order, and None for those "
            "without a gradient."
        )
    gradients: Gradients = []
    for name, gradient in zip(point.names, given, strict=True):
        try:
            gradients.append(None if gradient is None else dense(gradient))
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"grads for {name} must be an array of numbers, or None: {error}"
            ) from error
    return gradients

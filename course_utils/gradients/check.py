"""Check a gradient, the tape's or one derived by hand, against differences of function values."""

from collections.abc import Callable

import numpy as np
import tensorflow as tf

from .contraction import Contraction, rounding_noise
from .hints import disconnected_hint, doubt_hint, factor_hint, shape_hint
from .measurements import Line
from .points import Point, find_point
from .report import GradientReport, GradientRow
from .verdicts import (
    AGREES,
    DISAGREES,
    DISCONNECTED,
    KINK_NEARBY,
    NOT_REPEATABLE,
    Decision,
    judge_directions,
    judge_entries,
)

__all__ = ["GradientReport", "check_gradients"]


def check_gradients(
    f: Callable,
    at: object,
    *,
    grads: object = None,
    directions: int = 3,
    order: int = 1,
    mode: str | slice = "directional",
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
        Where to check. Floating point and finite. Of a model: its trainable variables. Variables
        are moved and put back exactly, also if ``f`` raises.
    grads : nested structure like ``at``, optional
        Gradients derived by hand, to be judged instead of the tape's.
    directions : int
        Random directions for each tensor or variable, at least 1; four evaluations each.
    order : {1, 2}
        With 2, the gradient of the gradient is checked.
    mode : {"directional", "entrywise"} or slice
        Along random directions, or every entry, or only these entries of each flattened tensor.
    step : float, optional
        The furthest that an entry moves, in its own unit. By default about ``eps**(1/3)`` times
        the size of the values, moved to where the change of ``f`` stands out from its rounding.
    seed : int
        Of the directions. No global random state is read or changed.

    Returns
    -------
    GradientReport
        One row for each tensor or variable; ``report.passed`` if every row agrees.

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

    A check evaluates f ``12 + 4 * directions * n`` times for n tensors or variables, however many
    numbers they hold. A gradient that looks wrong is looked at again along 14 fresh directions,
    28 if that leaves doubt, with at most 5 steps and 20 evaluations each.

    Examples
    --------
    >>> import tensorflow as tf
    >>> x = tf.constant([1.0, 2.0, 3.0])
    >>> check_gradients(lambda x: tf.reduce_sum(x**3), x).passed
    True
    >>> report = check_gradients(lambda x: tf.reduce_sum(x**3), x, grads=-3 * x**2)
    >>> print(report.rows[0].verdict, "|", report.rows[0].hint)
    disagrees | The sign is wrong: the gradient is -1 times the right one.
    """
    _refuse_bad_options(directions, order, mode, step, grads)
    point = find_point(f, at)
    rng = np.random.default_rng(seed)
    with point.kept():
        contraction = Contraction(point, order, rng)
        if not contraction.repeats():
            rows = [_unjudged_row(point, i, NOT_REPEATABLE) for i in range(len(point.leaves))]
            return GradientReport(tuple(rows), contraction.evaluations, order, seed)
        tape = contraction.gradients()
        given = None if grads is None else _given_gradients(grads, at, point)
        judged = tape if given is None else given
        rows = _judged_rows(
            contraction, judged, tape, given is not None, directions, mode, step, rng
        )
        if any(row.verdict != AGREES for row in rows) and not all(
            contraction.repeats() for _ in range(8)
        ):
            rows = [_unjudged_row(point, i, NOT_REPEATABLE) for i in range(len(point.leaves))]
    return GradientReport(tuple(rows), contraction.evaluations, order, seed)


def _judged_rows(
    contraction: Contraction,
    judged: list[np.ndarray | None],
    tape: list[np.ndarray | None],
    given: bool,
    directions: int,
    mode: str | slice,
    step: float | None,
    rng: np.random.Generator,
) -> list[GradientRow]:
    point = contraction.point
    noise = rounding_noise(contraction, rng)
    fits = [g is None or g.shape == x.shape for g, x in zip(judged, point.values, strict=True)]
    lines = [
        Line(
            contraction, i, judged[i] if fits[i] else None, tape[i] if given else None, noise, step
        )
        for i in range(len(judged))
    ]
    largest = max(line.norm for line in lines)
    rows = []
    for i, line in enumerate(lines):
        before = contraction.evaluations
        if not fits[i]:
            hint = shape_hint(judged[i].shape, point.values[i].shape)
            rows.append(_unjudged_row(point, i, DISAGREES, hint))
            continue
        if mode == "directional":
            decision = judge_directions(line, directions, largest, rng)
        else:
            entries = list(np.ndindex(point.values[i].shape))
            chosen = entries if mode == "entrywise" else entries[mode]
            decision = judge_entries(line, chosen, largest, rng)
        verdict, hint = _explained(contraction, i, decision, judged[i], tape[i], given)
        rows.append(
            GradientRow(
                name=point.names[i],
                shape=point.values[i].shape,
                dtype=point.leaves[i].dtype.name,
                verdict=verdict,
                hint=hint,
                evaluations=contraction.evaluations - before,
                measurements=decision.measurements,
            )
        )
    return rows


def _explained(
    contraction: Contraction,
    index: int,
    decision: Decision,
    gradient: np.ndarray | None,
    tape: np.ndarray | None,
    given: bool,
) -> tuple[str, str]:
    """Return the verdict of a row, and the sentence that helps."""
    verdict, measurements = decision.verdict, decision.measurements
    if gradient is None:
        if verdict == AGREES and contraction.order == 2:
            return AGREES, "The tape gives None: the gradient does not depend on it, as it should."
        slope = max((m.numeric for m in measurements), key=abs)
        return DISCONNECTED, disconnected_hint(verdict != AGREES, given, slope)
    if verdict == DISAGREES:
        if not given and contraction.forgets_upstream():
            return verdict, (
                "The gradient does not scale with the gradient from above: a custom_gradient "
                "forgets to multiply by its upstream argument."
            )
        return verdict, factor_hint(
            gradient,
            measurements,
            contraction.batch_size,
            tape if given else None,
            contraction.point.names[index],
        )
    if verdict == AGREES:
        return verdict, ""
    return verdict, doubt_hint(verdict == KINK_NEARBY, measurements)


def _given_gradients(grads: object, at: object, point: Point) -> list[np.ndarray | None]:
    """Flatten the gradients derived by hand: as many as there are leaves, dense, in float64."""
    # An array or a list of numbers for the one leaf is one gradient, not a nest of them.
    found = (
        tf.nest.flatten(grads)
        if isinstance(at, list | tuple | dict) or len(point.leaves) > 1
        else [grads]
    )
    if len(found) != len(point.leaves):
        raise ValueError(
            f"grads holds {len(found)} gradients, but there are {len(point.leaves)} to judge: "
            f"{', '.join(point.names)}. Give one for each, in this order; None where there is none."
        )
    pairs = zip(point.names, found, strict=True)
    return [None if g is None else _dense_gradient(f"grads for {name}", g) for name, g in pairs]


def _dense_gradient(name: str, gradient: object) -> np.ndarray:
    try:
        return np.asarray(tf.convert_to_tensor(gradient)).astype(np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} is not an array of numbers: {error}") from error


def _unjudged_row(point: Point, i: int, verdict: str, hint: str = "") -> GradientRow:
    if verdict == NOT_REPEATABLE:
        hint = (
            "f gave two different values at the same point. Dropout or random numbers? Use "
            "training=False, or draw them with a fixed seed inside f (tf.random.stateless_normal)."
        )
    return GradientRow(
        point.names[i], point.values[i].shape, point.leaves[i].dtype.name, verdict, hint
    )


def _refuse_bad_options(
    directions: int, order: int, mode: str | slice, step: float | None, grads: object
) -> None:
    if not isinstance(directions, int) or directions < 1:
        raise ValueError(f"directions must be a whole number from 1, but it is {directions!r}.")
    if order not in (1, 2):
        raise ValueError(f"order must be 1 or 2, but it is {order!r}.")
    if mode not in ("directional", "entrywise") and not isinstance(mode, slice):
        raise ValueError(f'mode must be "directional", "entrywise" or a slice, but it is {mode!r}.')
    if step is not None and not (np.isfinite(step) and step > 0):
        raise ValueError(f"step must be a positive number, but it is {step!r}.")
    if grads is not None and order == 2:
        raise ValueError(
            "grads is judged as a first gradient. With order=2 leave it out, or check the gradient "
            "function itself: check_gradients(my_gradient, at, grads=...)."
        )

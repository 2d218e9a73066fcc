"""Say in a sentence what a wrong gradient looks like: a sign, a factor, a transposition."""

from collections.abc import Sequence

import numpy as np

from .measurements import Line, Measurement
from .verdicts import Decision, Verdict

__all__ = ["explained"]

# An explanation holds for every measurement at once, so that each is allowed half a bar more.
_ALLOWED = 1.5
_KNOWN_FACTORS = {
    -1: "The sign is wrong: the gradient is -1 times the right one.",
    2: "The gradient is 2 times the right one. Look for a missing 1/2 or a doubled term.",
    0.5: "The gradient is 1/2 of the right one. Look for the 2 of a square, or a lost term.",
}


def explained(decision: Decision, line: Line, is_given: bool) -> tuple[Verdict, str]:
    """Return the verdict on a gradient, the tape's or one given, and the sentence that helps."""
    verdict, measurements, gradient = decision.verdict, decision.measurements, line.claimed
    if gradient is None:
        who = "You gave None" if is_given else "The tape gives None"
        if verdict != "agrees":
            slope = max((m.numeric for m in measurements), key=abs)
            return "disconnected", (
                f"{who}, but f changes: a slope of {slope:.3g} along a random direction. Look for "
                "NumPy, .numpy(), a cast to integer, stop_gradient or a rebound name on the way."
            )
        if line.contraction.order == 2:
            return verdict, f"{who}: the gradient does not depend on it, as it should."
        return (
            "disconnected",
            f"{who}, and f does not change when it moves: f does not use it here.",
        )
    if verdict == "agrees":
        return verdict, ""
    if verdict == "kink nearby":
        return verdict, (
            "The slope of f jumps within the step, as that of relu or abs does at 0, so that no "
            "difference formula can judge the gradient here. Check at another point."
        )
    measured = [m for m in measurements if np.isfinite(m.error_bar)]
    if verdict == "disagrees":
        if not is_given and line.contraction.forgets_upstream():
            return verdict, (
                "The gradient does not scale with the gradient from above: a custom_gradient clips "
                "its upstream argument, or forgets to multiply by it."
            )
        return verdict, _mistake(gradient, measured, line)
    if not measured:
        return verdict, (
            "f is nan or infinite a small step away: this point is at the edge of where f is "
            "defined. Check further inside."
        )
    return verdict, (
        "The error bar is too wide beside the gradient: f changes too little against its rounding, "
        "or too abruptly. Check in float64, at another point, or f without its large constant part."
    )


def _mistake(gradient: np.ndarray, measured: Sequence[Measurement], line: Line) -> str:
    """Name the mistake that explains every measurement, or say that no single factor does."""
    shape, wanted = gradient.shape, line.gradient.shape
    if shape != wanted:
        cure = "Look for a sum over the wrong axis, or an axis that was dropped."
        return (
            f"This gradient has shape {shape}; it must have shape {wanted}, like what it belongs "
            f"to. {'It is transposed.' if shape == wanted[::-1] else cure}"
        )
    if not np.all(np.isfinite(gradient)):
        return (
            "The gradient is nan or infinite although f itself is finite. Look for a root, a norm "
            "or a logarithm at zero, or a tf.where whose unused branch is not finite."
        )
    if not np.any(gradient):
        return (
            "The gradient is zero, but f changes. Look for stop_gradient, a forgotten term, or a "
            "gradient that was never filled in."
        )
    is_square = gradient.ndim >= 2 and shape[-1] == shape[-2]
    flipped = np.swapaxes(gradient, -1, -2) if is_square else gradient
    if is_square and gradient.ndim == 2 and gradient.size > 1 and _explains(flipped, measured):
        return "This is the gradient transposed: exchange its two axes, or the order of a matmul."
    if is_square and np.allclose(gradient, flipped, atol=1e-3 * np.max(np.abs(gradient))):
        # Whether f has, in one triangle, what the gradient spreads over both.
        lower = np.tril(gradient) + np.tril(flipped, -1)
        upper = np.triu(gradient) + np.triu(flipped, 1)
        if _explains(lower, measured) or _explains(upper, measured):
            name, whose = line.name, "the tape's" if line.other is None else "this"
            return (
                f"f reads one triangle of the matrix {name}: {whose} gradient is that of a "
                "symmetric change, which moves both triangles alike, while the differences move "
                f"each entry alone. It is right for a symmetric {name}; check f of ({name} + its "
                "transpose) / 2 instead."
            )
    if factor := _common_factor(measured, line.contraction.batch_size):
        return factor
    tape = line.other
    if tape is None or not _explains(tape, measured):
        return (
            "No single factor explains it: some entries are wrong, or a term is missing. "
            'mode="entrywise" shows which entries.'
        )
    if not tape.shape:
        return f"It is {gradient:.6g}; the tape's gradient, which agrees, is {tape:.6g}."
    worst = np.unravel_index(np.argmax(np.abs(gradient - tape)), tape.shape)
    return (
        "No single factor explains it: some entries are wrong, or a term is missing. It is "
        f"furthest off at entry {[int(i) for i in worst]}: {gradient[worst]:.6g}, where the "
        f"tape's gradient, which agrees, has {tape[worst]:.6g}."
    )


def _explains(gradient: np.ndarray, measured: Sequence[Measurement]) -> bool:
    """Whether another gradient would agree with everything that was measured."""
    return bool(measured) and all(
        abs(np.vdot(gradient, m.direction) - m.numeric) <= _ALLOWED * m.error_bar for m in measured
    )


def _common_factor(measured: Sequence[Measurement], batch_size: int | None) -> str | None:
    """Fit analytic = factor * numeric, and name the factor if every measurement allows it.

    The ``batch_size`` is the first dimension of what f returns, if it has one.
    """
    if len(measured) < 2 or not any(m.numeric for m in measured):
        return None
    a, b, bar = np.array([[m.analytic, m.numeric, m.error_bar] for m in measured]).T
    bar = np.maximum(bar, np.finfo(float).tiny)

    def fits(number: float) -> bool:
        return bool(np.all(np.abs(a - number * b) <= _ALLOWED * bar * max(1.0, abs(number))))

    factor = float(np.sum(a * b / bar**2) / np.sum(b**2 / bar**2))
    doubt = np.sum(b**2 / bar**2) ** -0.5 * max(1.0, abs(factor))
    if not fits(factor) or doubt > 0.02 * abs(factor):
        return None
    for known, hint in _KNOWN_FACTORS.items():
        if fits(known):
            return hint
    n, is_times = round(max(factor, 1 / factor)), factor > 1
    if n > 2 and fits(n if is_times else 1 / n):
        share = f"{n} times" if is_times else f"1/{n} of"
        took, takes = ("sum", "mean") if is_times else ("mean", "sum")
        who = f"{n} is the batch size:" if n == batch_size else f"If {n} is your batch size,"
        return (
            f"The gradient is {share} the right one. {who} it is the gradient of a {took}, and f "
            f"takes a {takes}."
        )
    return (
        f"The gradient is {factor:.4g} times the right one in every direction: a constant factor."
    )

"""Say in a sentence what a wrong gradient looks like: a sign, a factor, a transposition."""

from collections.abc import Sequence

import numpy as np

from .measurements import Measurement

__all__ = ["disconnected_hint", "doubt_hint", "factor_hint", "shape_hint"]

# An explanation holds for every measurement at once, so that each is allowed half a bar more.
_ALLOWED = 1.5
_KNOWN_FACTORS = {
    -1: "The sign is wrong: the gradient is -1 times the right one.",
    2: "The gradient is 2 times the right one. Look for a missing 1/2 or a doubled term.",
    0.5: "The gradient is 1/2 of the right one. Look for the 2 of a square, or a lost term.",
}


def factor_hint(
    gradient: np.ndarray,
    measurements: Sequence[Measurement],
    batch_size: int | None,
    tape: np.ndarray | None = None,
    name: str = "x",
) -> str:
    """Name the mistake that explains every measurement, or say that no single factor does.

    ``gradient`` is that of ``name`` and disagrees; where it was derived by hand, ``tape`` is the
    tape's. The ``batch_size`` is the first dimension of what f returns, if it has one.
    """
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
    measured = [m for m in measurements if m.direction is not None and np.isfinite(m.error_bar)]
    if _is_transposed(gradient, measured):
        return "This is the gradient transposed: exchange its two axes, or the order of a matmul."
    if _is_of_symmetric_change(gradient, measured):
        whose = "the tape's gradient" if tape is None else "this gradient"
        return (
            f"f reads one triangle of the matrix {name}: {whose} is that of a symmetric change, "
            "which moves both triangles alike, while the differences move each entry alone. It is "
            f"right for a symmetric {name}; check f of ({name} + its transpose) / 2 instead."
        )
    factor = _common_factor(measured)
    if factor is None and tape is not None and _explains(tape, measured):
        if not tape.shape:
            return f"It is {gradient:.6g}; the tape's gradient, which agrees, is {tape:.6g}."
        worst = np.unravel_index(np.argmax(np.abs(gradient - tape)), tape.shape)
        return (
            "No single factor explains it: some entries are wrong, or a term is missing. It is "
            f"furthest off at entry {[int(i) for i in worst]}: {gradient[worst]:.6g}, where the "
            f"tape's gradient, which agrees, has {tape[worst]:.6g}."
        )
    if factor is None:
        return (
            "No single factor explains it: some entries are wrong, or a term is missing. "
            'mode="entrywise" shows which entries.'
        )
    return _name_factor(factor, batch_size, measured)


def shape_hint(shape: tuple[int, ...], wanted: tuple[int, ...]) -> str:
    """Say what to do about a gradient that does not have the shape of its variable."""
    hint = f"This gradient has shape {shape}; it must have shape {wanted}, like what it belongs to."
    if shape != wanted and shape == wanted[::-1]:
        return f"{hint} It is transposed."
    return f"{hint} Look for a sum over the wrong axis, or an axis that was dropped."


def disconnected_hint(moves: bool, given: bool, slope: float) -> str:
    """Say whether a None gradient hides that f changes."""
    who = "You gave None" if given else "The tape gives None"
    if moves:
        return (
            f"{who}, but f changes: a slope of {slope:.3g} along a random direction. Look for "
            "NumPy, .numpy(), a cast to integer, stop_gradient or a rebound name on the way."
        )
    return f"{who}, and f does not change when it moves: f does not use it here."


def doubt_hint(kink: bool, measurements: Sequence[Measurement]) -> str:
    """Say why nothing can be said, and what to change."""
    if kink:
        return (
            "The slope of f jumps within the step, as that of relu or abs does at 0, so that no "
            "difference formula can judge the gradient here. Check at another point."
        )
    if not any(np.isfinite(m.error_bar) for m in measurements):
        return (
            "f is nan or infinite a small step away: this point is at the edge of where f is "
            "defined. Check further inside."
        )
    return (
        "The error bar is too wide beside the gradient: f changes too little against its rounding, "
        "or too abruptly. Check in float64, at another point, or f without its large constant part."
    )


def _common_factor(measured: Sequence[Measurement]) -> float | None:
    """Fit analytic = factor * numeric, and return the factor if every measurement allows it."""
    a, b, bar = np.array([[m.analytic, m.numeric, m.error_bar] for m in measured]).T
    bar = np.maximum(bar, np.finfo(float).tiny)
    if len(measured) < 2 or not np.any(b):
        return None
    factor = float(np.sum(a * b / bar**2) / np.sum(b**2 / bar**2))
    doubt = np.sum(b**2 / bar**2) ** -0.5 * max(1.0, abs(factor))
    return factor if _is_factor(factor, measured) and doubt <= 0.02 * abs(factor) else None


def _is_factor(number: float, measured: Sequence[Measurement]) -> bool:
    return all(
        abs(m.analytic - number * m.numeric) <= _ALLOWED * m.error_bar * max(1.0, abs(number))
        for m in measured
    )


def _name_factor(factor: float, batch_size: int | None, measured: Sequence[Measurement]) -> str:
    for known, hint in _KNOWN_FACTORS.items():
        if _is_factor(known, measured):
            return hint
    n = round(factor)
    if n > 2 and _is_factor(n, measured):
        return (
            f"The gradient is {n} times the right one. {_batch_size(n, batch_size)} it is the "
            "gradient of a sum, and f takes a mean."
        )
    n = round(1 / factor)
    if n > 2 and _is_factor(1 / n, measured):
        return (
            f"The gradient is 1/{n} of the right one. {_batch_size(n, batch_size)} it is the "
            "gradient of a mean, and f takes a sum."
        )
    return (
        f"The gradient is {factor:.4g} times the right one in every direction: a constant factor."
    )


def _batch_size(n: int, batch_size: int | None) -> str:
    return f"{n} is the batch size:" if n == batch_size else f"If {n} is your batch size,"


def _is_transposed(gradient: np.ndarray, measured: Sequence[Measurement]) -> bool:
    if gradient.ndim != 2 or gradient.shape[0] != gradient.shape[1] or gradient.shape[0] == 1:
        return False
    return _explains(gradient.T, measured)


def _is_of_symmetric_change(gradient: np.ndarray, measured: Sequence[Measurement]) -> bool:
    """Whether f has, in one triangle, what the gradient spreads over both."""
    if gradient.ndim < 2 or gradient.shape[-1] != gradient.shape[-2]:
        return False
    flipped = np.swapaxes(gradient, -1, -2)
    if not np.allclose(gradient, flipped, atol=1e-3 * np.max(np.abs(gradient))):
        return False
    return any(
        _explains(one(gradient) + one(flipped, k), measured)
        for one, k in ((np.tril, -1), (np.triu, 1))
    )


def _explains(gradient: np.ndarray, measured: Sequence[Measurement]) -> bool:
    """Whether another gradient would agree with everything that was measured."""
    return bool(measured) and all(
        abs(np.vdot(gradient, m.direction) - m.numeric) <= _ALLOWED * m.error_bar
        for m in measured
        if m.direction is not None
    )

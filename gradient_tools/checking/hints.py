"""Say in a sentence what a wrong gradient looks like, and what to do where none can be judged."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .contraction import norm
from .measurements import LeafProbe, Measurement
from .verdicts import Decision, Reason, Verdict

__all__ = ["Explanation", "Finding", "explain"]

# An explanation holds for every measurement at once, so that each is allowed half a bar more.
_ALLOWED = 1.5
_KNOWN_FACTORS = {
    -1: "The sign is wrong: the gradient is -1 times the right one. Look for a lost or extra minus "
    "sign.",
    2: "The gradient is 2 times the right one. Look for a missing 1/2 or a doubled term.",
    0.5: "The gradient is 1/2 of the right one. Look for a missing factor of 2 or a lost term.",
}
_HALF_PRECISION = (
    "f computes in float16 or bfloat16, whose rounding hides the gradient. Check the same f in "
    'float32: call `keras.config.set_dtype_policy("float32")` before you build the model.'
)
# Norms to which gradients are clipped.
_ROUND_NORMS = [a * b for a in (1, 2, 2.5, 5) for b in (0.001, 0.01, 0.1, 1, 10, 100)]


class Finding(NamedTuple):
    """What was found about the gradient of one leaf, and with how many evaluations of f."""

    probe: LeafProbe
    decision: Decision
    evaluations: int

    @property
    def measured(self) -> list[Measurement]:
        """The measurements that gave a number."""
        return [m for m in self.decision.measurements if np.isfinite(m.error_bar)]


class Explanation(NamedTuple):
    """The verdict that the reader sees, and the sentence that helps; empty where none is needed."""

    verdict: Verdict
    hint: str = ""


def explain(findings: Sequence[Finding], *, is_given: bool, by_entry: bool) -> list[Explanation]:
    """Explain the verdict on every gradient, the tape's or one given, beside the others.

    ``by_entry`` says that entries were moved one at a time.
    """
    return [_explained(i, findings, is_given, by_entry) for i in range(len(findings))]


def _explained(
    index: int, findings: Sequence[Finding], is_given: bool, by_entry: bool
) -> Explanation:
    finding = findings[index]
    probe, decision = finding.probe, finding.decision
    if probe.claimed is None:
        return _explained_none(finding, is_given)
    if decision.verdict == "agrees":
        if decision.reason is Reason.ZERO_BUT_FOR_ROUNDING:
            return Explanation("agrees", _zero_but_for_rounding(finding))
        return Explanation("agrees")
    if decision.verdict == "disagrees":
        if not decision.measurements:
            return Explanation("disagrees", _never_measured(probe))
        if not is_given and probe.contraction.forgets_upstream[probe.index]:
            return Explanation(
                "disagrees",
                "The gradient does not scale with the upstream gradient. In your custom_gradient, "
                "multiply by the upstream argument, and do not clip it.",
            )
        return Explanation("disagrees", _mistake(index, findings, is_given, by_entry))
    if decision.measurements and probe.contraction.point.is_half_precision:
        return Explanation("cannot tell", _HALF_PRECISION)
    if decision.verdict == "kink nearby":
        return Explanation(
            "kink nearby",
            "The slope of f jumps within the step, as the slope of relu or abs does at 0. So no "
            "difference formula can judge the gradient here. Check at another point.",
        )
    return Explanation(decision.verdict, _what_to_try(finding))


def _explained_none(finding: Finding, is_given: bool) -> Explanation:
    probe, decision, measured = finding.probe, finding.decision, finding.measured
    subject = "You gave None" if is_given else "The tape gives None"
    if decision.verdict != "agrees" and not any(abs(m.numeric) > m.error_bar for m in measured):
        return Explanation(
            "disconnected",
            f"{subject}, and f changes only in jumps: f uses this tensor or variable only through "
            "a step (floor, argmax, a cast to integers, a comparison). Replace that step with a "
            "smooth function.",
        )
    if decision.verdict != "agrees":
        slope = max((m.numeric for m in measured), key=abs)
        return Explanation(
            "disconnected",
            f"{subject}, but f changes: the steepest slope measured is {slope:.3g}. Look for "
            "NumPy, `.numpy()`, a cast to integers, `stop_gradient`, or a rebound name.",
        )
    if probe.contraction.order == 2:
        return Explanation(
            "agrees",
            f"{subject}, which is correct: the gradient does not depend on this input.",
        )
    return Explanation(
        "disconnected",
        f"{subject}, and moving this tensor or variable does not change f. Here, f either does not "
        "use it, or uses it only through a step (floor, argmax, a cast to integers, a "
        "comparison). If f should depend on it, use it in f, or replace the step with a smooth "
        "function.",
    )


def _zero_but_for_rounding(finding: Finding) -> str:
    probe = finding.probe
    bar = max(m.error_bar for m in finding.measured) * probe.room
    return (
        f"The gradient is zero except for rounding: moving {probe.name} by {probe.room:.2g} "
        f"changes f by at most {bar:.1e}. The rounding of values of about {probe.scale:.2g} hides "
        "anything smaller."
    )


def _never_measured(probe: LeafProbe) -> str:
    """Explain a gradient that is wrong at sight: of another shape, or not finite."""
    gradient, wanted = np.asarray(probe.claimed), probe.gradient.shape
    shape = gradient.shape
    if shape != wanted:
        cure = "Look for a sum over the wrong axis, or an axis that was dropped."
        return (
            f"This gradient has shape {shape}; it must have shape {wanted}, like the tensor or "
            f"variable that it belongs to. {'It is transposed.' if shape == wanted[::-1] else cure}"
        )
    is_nan = np.isnan(gradient)
    what = "NaN" if is_nan.any() else "infinite"
    wrong = is_nan if is_nan.any() else np.isinf(gradient)
    where = "" if wrong.all() else f" in {np.count_nonzero(wrong)} of {gradient.size} entries"
    return (
        f"The gradient is {what}{where} although f is finite here. Look for a division by zero, or "
        "a root or power of zero."
    )


def _what_to_try(finding: Finding) -> str:
    """Say why a gradient could not be judged, and what to do."""
    probe, reason = finding.probe, finding.decision.reason
    if not finding.measured:
        return (
            "f is NaN or infinite a small step away, so this point is at the edge of where f is "
            "defined. Check a point farther inside."
        )
    if probe.contraction.is_coarse:
        return (
            "Rounding in f hides the gradient. Either f computes in float16, or it is a small "
            "difference of large numbers. Check in float64, or in float32 if f uses float16."
        )
    if reason is Reason.SWINGS:
        return "f oscillates within the step. Check in float64, or with a shorter `step=`."
    if reason is Reason.SCATTERED:
        return (
            "The gradient agrees along most directions, but not along all of them. f may have a "
            "jump or a kink nearby. Check at another point, in float64, or with another `step=`."
        )
    m = finding.measured[0]
    entry_step = m.step * float(np.max(np.abs(m.direction)))
    if m.rounding > m.error_bar / 2:
        longer = 10.0 ** np.ceil(np.log10(4 * entry_step))
        return (
            f"f changes too little compared with {_rounding_named(probe)}. Check in float64, on a "
            "smaller batch, without a large constant in f, or with a longer step, such as "
            f"`step={longer:g}`."
        )
    shorter = 10.0 ** np.floor(np.log10(entry_step / 4))
    return (
        "The error bar is too wide compared to the gradient: f curves too much within the step. "
        f"Check in float64, at another point, or with a shorter step, such as `step={shorter:g}`."
    )


def _rounding_named(probe: LeafProbe) -> str:
    """Name the rounding, with the value of f where that is what it comes from."""
    value = probe.contraction.magnitude
    is_of_value = 2 * value >= probe.largest_value
    return f"the rounding of its value, about {value:.2g}" if is_of_value else "its rounding"


def _mistake(index: int, findings: Sequence[Finding], is_given: bool, by_entry: bool) -> str:
    """Name the mistake that explains every measurement, or say that no single factor does."""
    finding = findings[index]
    probe, measured = finding.probe, finding.measured
    gradient = probe.gradient
    if probe.is_zero:
        return (
            "The gradient is zero, but f changes. Look for stop_gradient, a forgotten term, or a "
            "gradient that was never filled in."
        )
    # Moved one at a time, only the wrong entries count.
    doubtful = [m for m in measured if not m.agrees] if by_entry else measured
    is_flat = doubtful and all(abs(m.numeric) <= m.error_bar for m in doubtful)
    if is_flat and (probe.reference is None or not _fits(probe.reference, measured)):
        return (
            "The gradient is not zero, but f does not change here. Look for a straight-through "
            "rule, or an operation with invalid input, such as a cross-entropy whose labels do not "
            "sum to 1."
        )
    return (
        _other_row(index, findings, is_given)
        or _transposed(gradient, measured)
        or _one_triangle(probe, measured)
        or _clipped(index, findings)
        or _factor(index, findings)
        or _no_single_factor(probe, measured, by_entry)
    )


def _other_row(index: int, findings: Sequence[Finding], is_given: bool) -> str | None:
    """Recognize the gradient of another leaf."""
    finding = findings[index]
    for other in findings:
        if other is finding or other.probe.gradient.shape != finding.probe.gradient.shape:
            continue
        if not _is_gradient_of(finding, other):
            continue
        order = (
            "Give the gradients in the same order as `at`."
            if is_given
            else (
                "A `custom_gradient` must return the gradients in the same order as its "
                "`variables`."
            )
        )
        names = f"{finding.probe.name} and {other.probe.name}"
        if _is_gradient_of(other, finding):
            return f"The gradients of {names} are swapped. {order}"
        return f"This is the gradient of {other.probe.name}. {order}"
    return None


def _is_gradient_of(finding: Finding, other: Finding) -> bool:
    """Whether the claim about one leaf fits what was measured of another, which changes f."""
    moves = any(abs(m.numeric) > m.error_bar for m in other.measured)
    return moves and _fits(finding.probe.gradient, other.measured)


def _transposed(gradient: np.ndarray, measured: Sequence[Measurement]) -> str | None:
    is_square = gradient.ndim == 2 and gradient.shape[0] == gradient.shape[1] > 1
    if is_square and _fits(gradient.T, measured):
        return "This is the gradient transposed: swap its two axes, or the two factors of a matmul."
    return None


def _one_triangle(probe: LeafProbe, measured: Sequence[Measurement]) -> str | None:
    """Recognize an f that has, in one triangle, what the gradient spreads over both."""
    gradient = probe.gradient
    if gradient.ndim < 2 or gradient.shape[-1] != gradient.shape[-2]:
        return None
    flipped = np.swapaxes(gradient, -1, -2)
    if not np.allclose(gradient, flipped, atol=1e-3 * np.max(np.abs(gradient))):
        return None
    lower = np.tril(gradient) + np.tril(flipped, -1)
    upper = np.triu(gradient) + np.triu(flipped, 1)
    if not _fits(lower, measured) and not _fits(upper, measured):
        return None
    name, whose = probe.name, "The tape's" if probe.reference is None else "This"
    return (
        f"f reads only one triangle of the matrix {name}. {whose} gradient assumes that both "
        "triangles change together, but finite differences move each entry separately. The "
        f"gradient is right if {name} is symmetric. To check it, apply f to ({name} + its "
        "transpose) / 2."
    )


def _clipped(index: int, findings: Sequence[Finding]) -> str | None:
    """Recognize a gradient that is too short by a factor, and has a round norm."""
    finding = findings[index]
    if not finding.probe.contraction.is_scalar or finding.probe.gradient.size == 1:
        return None
    factor = _common_factor(finding.measured)
    if factor is None or not 0 < factor < 0.99:
        return None
    length = norm(finding.probe.gradient)
    if factor == 0.5 and _is_round(2 * length):
        return None
    if _is_round(length):
        return (
            f"The norm of the gradient is {length:.3g}, but it should be {length / factor:.3g}: "
            "the gradient was clipped (`clipnorm`, `tf.clip_by_norm`). Check it before clipping."
        )
    together = norm(np.array([norm(other.probe.gradient) for other in findings]))
    factors = [_common_factor(other.measured) for other in findings]
    if _is_round(together) and all(_is_same_factor(f, factor) for f in factors):
        return (
            f"The global norm of the gradients is {together:.3g}, but it should be "
            f"{together / factor:.3g}: they were clipped (`global_clipnorm`, "
            "`tf.clip_by_global_norm`). Check them before clipping."
        )
    return None


def _is_round(number: float) -> bool:
    return bool(np.any(np.isclose(number, _ROUND_NORMS, rtol=1e-5, atol=0.0)))


def _factor(index: int, findings: Sequence[Finding]) -> str | None:
    """Name the factor between the gradient and the right one, if it means something."""
    finding = findings[index]
    factor = _common_factor(finding.measured)
    if factor is None:
        return None
    if factor in _KNOWN_FACTORS:
        return _KNOWN_FACTORS[factor]
    others = [
        _common_factor(other.measured)
        for other in findings
        if other is not finding and other.decision.verdict == "disagrees"
    ]
    # Between two numbers there always is a factor.
    if finding.probe.gradient.size == 1 and not any(_is_same_factor(f, factor) for f in others):
        return None
    n, is_times = round(max(factor, 1 / factor)), factor > 1
    if n < 3 or not _is_same_factor(factor, n if is_times else 1 / n):
        return (
            f"The gradient is {factor:.4g} times the right one in every direction. Look for a "
            "constant factor."
        )
    share = f"{n} times" if is_times else f"1/{n} of"
    took, takes = ("sum", "mean") if is_times else ("mean", "sum")
    batch = _length_named(finding.probe, n)
    if batch is None:
        return (
            f"The gradient is {share} the right one in every direction. Look for a {took} over {n} "
            f"numbers where f takes a {takes}."
        )
    return (
        f"The gradient is {share} the right one, and {batch}. This looks like the gradient of a "
        f"{took}, but f takes a {takes}."
    )


def _length_named(probe: LeafProbe, n: int) -> str | None:
    """Say what has n rows, if anything that f reads or returns has."""
    contraction = probe.contraction
    if contraction.batch_size == n:
        return f"{n} is the batch size of what f returns"
    names = [name for name, length in contraction.point.lengths.items() if length == n]
    return f"`{names[0]}` has length {n}" if names else None


def _no_single_factor(probe: LeafProbe, measured: Sequence[Measurement], by_entry: bool) -> str:
    gradient, tape = probe.gradient, probe.reference
    if tape is not None and _fits(tape, measured):
        if tape.size == 1:
            return (
                f"Your gradient is {gradient.item():.6g}, but the tape's, which agrees with finite "
                f"differences, is {tape.item():.6g}. Compare your formula with the tape."
            )
        worst = np.unravel_index(np.argmax(np.abs(gradient - tape)), tape.shape)
        return (
            "No single factor explains the error: some entries are wrong, or a term is missing. "
            f"The error is largest at entry {[int(i) for i in worst]}: your gradient has "
            f"{gradient[worst]:.6g} there, but the tape's, which agrees with finite differences, "
            f"has {tape[worst]:.6g}. Start with that entry."
        )
    if gradient.size == 1:
        return (
            f"The gradient is {gradient.item():.6g}, but the measured slope of f is "
            f"{measured[0].numeric:.6g}. Look for a wrong or missing term."
        )
    if by_entry:
        wrong = sum(not m.agrees for m in measured)
        return (
            f"No single factor explains the error: {wrong} of {len(measured)} entries are wrong. "
            "Look for a wrong index or a missing term."
        )
    return (
        "No single factor explains the error: some entries are wrong, or a term is missing. "
        '`mode="entrywise"` shows which entries.'
    )


def _fits(gradient: np.ndarray, measured: Sequence[Measurement]) -> bool:
    """Whether another gradient would agree with everything that was measured."""
    return bool(measured) and all(
        abs(np.vdot(gradient, m.direction) - m.numeric) <= _ALLOWED * m.error_bar for m in measured
    )


def _common_factor(measured: Sequence[Measurement]) -> float | None:
    """Fit analytic = factor * numeric, and return a factor that every measurement allows.

    A known factor, or a whole one, is returned exactly.
    """
    if len(measured) < 2 or not any(m.numeric for m in measured):
        return None
    a, b, bar = np.array([[m.analytic, m.numeric, m.error_bar] for m in measured]).T
    bar = np.maximum(bar, np.finfo(float).tiny)

    def fits(number: float) -> bool:
        return bool(np.all(np.abs(a - number * b) <= _ALLOWED * bar * max(1.0, abs(number))))

    factor = float(np.sum(a * b / bar**2) / np.sum(b**2 / bar**2))
    doubt = np.sum(b**2 / bar**2) ** -0.5 * max(1.0, abs(factor))
    if not factor or not fits(factor) or doubt > 0.02 * abs(factor):
        return None
    n = round(max(abs(factor), 1 / abs(factor)))
    whole = [n, 1 / n] if n > 2 else []
    return next((float(number) for number in [*_KNOWN_FACTORS, *whole] if fits(number)), factor)


def _is_same_factor(factor: float | None, other: float) -> bool:
    return factor is not None and abs(factor - other) <= 0.02 * abs(other)

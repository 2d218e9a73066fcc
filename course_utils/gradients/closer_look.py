"""Measure a doubtful derivative more closely: along fresh directions, with several steps each."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from .measurements import KINK_MARGIN, KINK_VISIBLE, Line, Measurement

__all__ = ["SHARP", "Draw", "is_doubtful", "look_again", "look_closer"]

Draw = Callable[[np.random.Generator], np.ndarray]  # gives a direction

# A bar is sharp up to this part of the derivative: a factor of 1.01 is then two bars.
SHARP = 0.005
# The median of seven is wrong if four are. Where a direction in ten lies, that is one gradient in
# 370, and seven more are drawn for a median that is near the limit.
_DIRECTIONS = 7
_UNSETTLED = (0.8, 1.8)
# Steps grow or shrink by this factor: the pairs (h, 2h) of two steps then have no point in common,
# and truncation changes 16-fold. Five steps span a factor of 256.
_STEP_FACTOR = 4.0
_STEPS = 5
# The first of them is a random part of the usual step, so that no two looks meet the same points.
# At the smallest part rounding is 2.5 times as large, and the next step makes up for it.
_FIRST_PART = (0.4, 1.0)
# Two right measurements lie no further apart than the sum of their bars. What several kinks hide
# is allowed half as much again; beyond, one of the two is worth nothing.
_CONTRADICTION = 1.5


def is_doubtful(line: Line, m: Measurement) -> bool:
    """Whether a measurement gives reason to look closer."""
    # Where a gradient of zero is claimed, a wide bar or a kink must not hide that f moves.
    if not line.norm:
        return not abs(m.difference) <= m.rounding or m.kink > 0
    return not m.agrees


def look_closer(
    line: Line, draws: Sequence[Draw], rounds: int, rng: np.random.Generator
) -> tuple[list[Measurement], float]:
    """Look along fresh directions of each draw, in a further round only if the last left doubt.

    Returns what could be measured, and the median of its excess, of the draw where it is largest.
    """
    looks: list[list[Measurement | None]] = [[] for _ in draws]
    for _ in range(rounds):
        for draw, own in zip(draws, looks, strict=True):
            own += [_look_along(line, draw(rng), rng) for _ in range(_DIRECTIONS)]
        families = [_covering_hidden_kinks([m for m in own if m is not None]) for own in looks]
        # What could not be measured has no excess.
        middle = max(
            float(np.median([m.excess for m in family] + [0.0] * (len(own) - len(family))))
            for family, own in zip(families, looks, strict=True)
        )
        if not _UNSETTLED[0] < middle < _UNSETTLED[1]:
            break
    return [m for family in families for m in family], middle


def _covering_hidden_kinks(family: list[Measurement]) -> list[Measurement]:
    """Let every bar cover the kinks that are typical of measurements along directions drawn alike.

    Where several kinks lie at the point itself, as in a relu network whose biases are zero, the
    jumps of the slope are of either sign and may cancel along one line, though the error they cause
    does not. Along another line they show: a root mean square, which a few lines free of kinks
    hardly change.
    """
    kinks = [m.kink for m in family]
    least = KINK_MARGIN * float(np.sqrt(np.mean(np.square(kinks)))) if kinks else 0.0
    return [replace(m, error_bar=max(m.error_bar, least)) for m in family]


def look_again(line: Line, m: Measurement, rng: np.random.Generator) -> Measurement:
    """Measure along the same line once more; by what the two differ, the bar is too short."""
    again = _look_along(line, m.direction, rng) if np.isfinite(m.error_bar) else None
    if again is None:
        return m
    apart = abs(m.difference - again.difference)
    return replace(m, error_bar=m.error_bar + apart, kink=max(m.kink, again.kink))


def _look_along(line: Line, direction: np.ndarray, rng: np.random.Generator) -> Measurement | None:
    """Measure with other steps until the bar is sharp; None if that gives no number to rely on."""
    best, *others = sorted(_until_sharp(line, direction, rng), key=lambda m: m.error_bar)
    if not np.isfinite(best.error_bar):  # at the edge of where f is defined
        return None
    for m in others[:1]:
        allowed = _CONTRADICTION * (best.error_bar + m.error_bar)
        if abs(best.difference - m.difference) > allowed:
            return None
    longer = [m for m in others if m.step > best.step]
    # Half of a jump that the next longer step met may be between the points of the best one: that
    # is the error which the jump causes at most. (A step at the limit of x is not a whole factor.)
    next_longer = [m.kink for m in longer if m.step <= 1.025 * _STEP_FACTOR * best.step]
    hidden = best.rounding + max(next_longer, default=0.0) / 2
    # A jump too small to be seen above the rounding of this step is still there.
    unseen = [m.kink for m in longer if m.kink <= KINK_VISIBLE * best.rounding]
    return replace(best, error_bar=max(best.error_bar, hidden), kink=max([best.kink, *unseen]))


def _until_sharp(line: Line, direction: np.ndarray, rng: np.random.Generator) -> list[Measurement]:
    looks: list[Measurement] = []
    step = line.possible_step(line.first_step(direction) * rng.uniform(*_FIRST_PART), direction)
    while len(looks) < _STEPS and step not in [m.step for m in looks]:
        m = line.measure(direction, step)
        looks.append(m)
        is_zero = not line.norm and not is_doubtful(line, m)
        if is_zero or m.error_bar <= SHARP * abs(m.numeric):
            break
        # Rounding shrinks with a longer step, everything else with a shorter one.
        mostly_rounding = m.rounding > m.error_bar / 2
        factor = _STEP_FACTOR if mostly_rounding else 1 / _STEP_FACTOR
        step = line.possible_step(factor * step, direction)
    return looks

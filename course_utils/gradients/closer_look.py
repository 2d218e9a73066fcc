"""Measure a doubtful derivative more closely: along fresh directions, with several steps each."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from .measurements import KINK_MARGIN, KINK_VISIBLE, Line, Measurement

__all__ = ["SHARP", "Family", "is_doubtful", "look_again"]

# A bar is sharp up to this part of the derivative: a factor of 1.01 is then two bars.
SHARP = 0.005
# The median of seven is wrong if four are. Where a direction in ten lies, that is one gradient in
# 370, and seven more are drawn for a median that is near the limit.
_CLOSER_DIRECTIONS = 7
# Steps of the closer look grow or shrink by this factor: the pairs (h, 2h) of two steps then have
# no point in common, and truncation changes 16-fold. Five steps span a factor of 256.
_STEP_FACTOR = 4.0
_CLOSER_STEPS = 5
# The first of them is a random part of the usual step, so that no two looks meet the same points.
# At the smallest part rounding is 2.5 times as large, and the next step makes up for it.
_FIRST_PART = (0.4, 1.0)
# Two right measurements lie no further apart than the sum of their bars. What several kinks hide
# is allowed half as much again; beyond, one of the two is worth nothing.
_CONTRADICTION = 1.5


class Family:
    """Closer looks along directions that are drawn alike.

    Where several kinks lie at the point itself, as in a relu network whose biases are zero, the
    jumps of the slope are of either sign and may cancel along one line, though the error they cause
    does not. Along another line they show. So every bar covers what is typical of the family: a
    root mean square, which a few lines free of kinks hardly change.
    """

    def __init__(
        self,
        line: Line,
        draw: Callable[[np.random.Generator], np.ndarray],
        entry: tuple[int, ...] | None = None,
    ) -> None:
        self._line, self._draw, self._entry = line, draw, entry
        self._looks: list[Measurement | None] = []

    def look(self, rng: np.random.Generator) -> None:
        """Look along as many directions again."""
        self._looks += [
            _look_closer(self._line, self._draw(rng), rng, self._entry)
            for _ in range(_CLOSER_DIRECTIONS)
        ]

    @property
    def measurements(self) -> list[Measurement]:
        """What could be measured."""
        found = [m for m in self._looks if m is not None]
        kinks = [m.kink for m in found]
        least = KINK_MARGIN * float(np.sqrt(np.mean(np.square(kinks)))) if kinks else 0.0
        return [replace(m, error_bar=max(m.error_bar, least)) for m in found]

    @property
    def middle_excess(self) -> float:
        """The median of the excess; what could not be measured has none."""
        found = [m.excess for m in self.measurements]
        return float(np.median(found + [0.0] * (len(self._looks) - len(found))))


def is_doubtful(line: Line, m: Measurement) -> bool:
    """Whether a measurement gives reason to look closer."""
    # Where a gradient of zero is claimed, a wide bar or a kink must not hide that f moves.
    return not (abs(m.difference) <= (m.error_bar if line.norm else m.rounding)) or (
        not line.norm and m.kink > 0
    )


def _look_closer(
    line: Line,
    direction: np.ndarray,
    rng: np.random.Generator,
    entry: tuple[int, ...] | None = None,
) -> Measurement | None:
    """Measure with other steps until the bar is sharp; None if that gives no number to rely on."""
    best, *others = sorted(
        _measure_until_sharp(line, direction, rng, entry), key=lambda m: m.error_bar
    )
    at_the_edge = not np.isfinite(best.error_bar)
    if at_the_edge or (others and _contradict(best, others[0])):
        return None
    return _with_hidden_kinks(best, [m for m in others if m.step > best.step])


def _measure_until_sharp(
    line: Line, direction: np.ndarray, rng: np.random.Generator, entry: tuple[int, ...] | None
) -> list[Measurement]:
    looks: list[Measurement] = []
    step = line.possible_step(line.first_step(direction) * rng.uniform(*_FIRST_PART), direction)
    while len(looks) < _CLOSER_STEPS and step not in [m.step for m in looks]:
        m = line.measure(direction, step, entry)
        looks.append(m)
        is_sharp = m.error_bar <= SHARP * abs(m.numeric)
        is_zero = not line.norm and not is_doubtful(line, m)
        if is_sharp or is_zero:
            break
        # Rounding shrinks with a longer step, everything else with a shorter one.
        mostly_rounding = m.rounding > m.error_bar / 2
        factor = _STEP_FACTOR if mostly_rounding else 1 / _STEP_FACTOR
        step = line.possible_step(factor * step, direction)
    return looks


def _contradict(a: Measurement, b: Measurement) -> bool:
    return abs(a.difference - b.difference) > _CONTRADICTION * (a.error_bar + b.error_bar)


def _with_hidden_kinks(best: Measurement, longer: Sequence[Measurement]) -> Measurement:
    """Add what longer steps tell about kinks that the best one does not see."""
    # Half of a jump that the next longer step met may be between the points of this one: that is
    # the error which the jump causes at most. (A step at the limit of x is not a whole factor.)
    next_longer = [m.kink for m in longer if m.step <= 1.025 * _STEP_FACTOR * best.step]
    hidden = best.rounding + max(next_longer, default=0.0) / 2
    # A jump too small to be seen above the rounding of this step is still there.
    unseen = [m.kink for m in longer if m.kink <= KINK_VISIBLE * best.rounding]
    return replace(
        best, error_bar=max(best.error_bar, hidden), kink=max([best.kink, *unseen], default=0.0)
    )


def look_again(line: Line, m: Measurement, rng: np.random.Generator) -> Measurement:
    """Measure along the same line once more; by what the two differ, the bar is too short."""
    again = None if m.direction is None else _look_closer(line, m.direction, rng)
    if again is None:
        return m
    apart = abs(m.difference - again.difference)
    return replace(m, error_bar=m.error_bar + apart, kink=max(m.kink, again.kink))

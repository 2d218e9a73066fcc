"""Decide from measurements whether one gradient is right: a first look, and a closer one on doubt.

No verdict but ``agrees`` is given on one look. The closer look draws fresh directions, tries
several steps along each, and believes a disagreement only when most of them show it clearly.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from .measurements import KINK_MARGIN, KINK_VISIBLE, Line, Measurement

__all__ = [
    "AGREES",
    "CANNOT_TELL",
    "DISAGREES",
    "DISCONNECTED",
    "KINK_NEARBY",
    "NOT_REPEATABLE",
    "Decision",
    "Verdict",
    "judge_directions",
    "judge_entries",
]

Verdict = Literal[
    "agrees", "disagrees", "disconnected", "not repeatable", "kink nearby", "cannot tell"
]
AGREES: Final = "agrees"
DISAGREES: Final = "disagrees"
DISCONNECTED: Final = "disconnected"
NOT_REPEATABLE: Final = "not repeatable"
KINK_NEARBY: Final = "kink nearby"
CANNOT_TELL: Final = "cannot tell"

# What is looked for is a factor of 1.01: two bars, if no bar is above the first part of the
# derivative. Where every bar is above the second, a factor of 1.1 would be less than two.
_SHARP = 0.005
_TOO_WIDE = 0.05
# A derivative this much smaller than the largest, and within its bar, is zero beside the others,
# as that of a bias which batch normalisation removes.
_NEGLIGIBLE = 1e-3

# A disagreement needs so many error bars in the median of the closer directions; between the
# other two numbers, more directions are drawn. Measured, as the largest median where the gradient
# is right and the smallest where it is wrong, with
#     python benchmarks/gradient_check.py --only verdicts --seeds 20
_DECISIVE = 1.25
_UNSETTLED = (0.8, 1.8)
# The median of seven is wrong if four are. Where a direction in ten lies, that is one gradient in
# 370, and seven more are drawn for a median that is near the limit.
_CLOSER_DIRECTIONS = 7
_CLOSER_ROUNDS = 2

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


@dataclass(frozen=True)
class Decision:
    """A verdict, and the measurements it rests on, the most telling one first.

    ``middle`` is the median of the closer looks' excess; 0 where the first look was enough.
    """

    verdict: Verdict
    measurements: tuple[Measurement, ...]
    middle: float = 0.0


def judge_directions(
    line: Line, directions: int, largest: float, rng: np.random.Generator
) -> Decision:
    """Judge a gradient along random directions.

    Parameters
    ----------
    line : Line
        The lines through the point that move one leaf.
    directions : int
        How many directions the first look takes. The first follows the gradient, where a wrong
        factor shows best; the others go through all entries, where a wrong entry shows.
    largest : float
        The largest norm among the gradients that are checked together.
    rng : numpy.random.Generator
    """
    guided = line.guided and directions > 1
    draws = [line.along if guided and i == 0 else line.across for i in range(directions)]
    first = []
    for draw in draws:
        direction = draw(rng)
        first.append(line.measure(direction, line.first_step(direction)))
    if not any(_doubtful(line, m) for m in first) and not _is_wide(line, first, largest, _SHARP):
        return Decision(AGREES, _most_telling_first(first))
    families = [_Family(line, functools.partial(line.across, even=False))]
    if line.guided:
        families.insert(0, _Family(line, line.along))
    for _ in range(_CLOSER_ROUNDS):
        for family in families:
            family.look(rng)
        middle = max(family.middle_excess for family in families)
        if not _UNSETTLED[0] < middle < _UNSETTLED[1]:
            break
    seen = [m for family in families for m in family.measurements]
    if not seen:
        return Decision(CANNOT_TELL, tuple(first))
    if middle > _DECISIVE:
        return Decision(DISAGREES, _most_telling_first(seen), middle)
    seen = [m if m.agrees else _look_again(line, m, rng) for m in seen]
    return _undisputed(line, seen, largest, middle)


def judge_entries(
    line: Line, entries: Sequence[tuple[int, ...]], largest: float, rng: np.random.Generator
) -> Decision:
    """Judge a gradient entry by entry; a doubtful entry is measured again with other steps."""
    seen, worst = [], 0.0
    for entry in entries:
        m, middle = _measure_entry(line, entry, rng)
        worst = max(worst, middle)
        seen.append(m)
    if worst > _DECISIVE:
        return Decision(DISAGREES, _most_telling_first(seen), worst)
    # One entry at a kink must not pass in the shade of the others.
    size = max(line.norm, *(abs(m.numeric) for m in seen)) if seen else 0.0
    kinked = [m for m in seen if m.kink > 0 and m.error_bar > _TOO_WIDE * size]
    if kinked:
        return Decision(KINK_NEARBY, _most_telling_first(kinked), worst)
    return _undisputed(line, seen, largest, worst)


def _measure_entry(
    line: Line, entry: tuple[int, ...], rng: np.random.Generator
) -> tuple[Measurement, float]:
    """Measure one entry; in doubt, return the middle one of closer looks, and their median."""
    direction = line.entry(entry)
    m = line.measure(direction, line.first_step(direction), entry)
    if not _doubtful(line, m):
        return m, 0.0
    family = _Family(line, lambda rng: direction, entry)
    family.look(rng)
    looks = _most_telling_first(family.measurements)
    return (looks[len(looks) // 2] if looks else m), family.middle_excess


class _Family:
    """Closer looks along directions that are drawn alike.

    Where several kinks lie at the point itself, as in a relu network whose biases are zero, the
    jumps of the slope are of either sign and may cancel along one line, though the error they cause
    does not. Along another line they show. So every bar covers what is typical of the family: a
    root mean square, which a few lines free of kinks leave as it is.
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


def _doubtful(line: Line, m: Measurement) -> bool:
    # Where a gradient of zero is claimed, a wide bar or a kink must not hide that f moves.
    return not (abs(m.difference) <= (m.error_bar if line.norm else m.rounding)) or (
        not line.norm and m.kink > 0
    )


def _is_wide(line: Line, measurements: Sequence[Measurement], largest: float, limit: float) -> bool:
    """Whether even the best error bar is too wide beside the gradient to speak of agreement."""
    if not line.norm:
        return not any(np.isfinite(m.error_bar) for m in measurements)
    width = min(m.error_bar / abs(m.analytic) if m.analytic else np.inf for m in measurements)
    return width > limit and not 1 <= width <= _NEGLIGIBLE * largest / line.norm


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
        is_sharp = m.error_bar <= _SHARP * abs(m.numeric)
        is_zero = not line.norm and not _doubtful(line, m)
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


def _look_again(line: Line, m: Measurement, rng: np.random.Generator) -> Measurement:
    """Measure along the same line once more; by what the two differ, the bar is too short."""
    again = None if m.direction is None else _look_closer(line, m.direction, rng)
    if again is None:
        return m
    apart = abs(m.difference - again.difference)
    return replace(m, error_bar=m.error_bar + apart, kink=max(m.kink, again.kink))


def _undisputed(line: Line, seen: Sequence[Measurement], largest: float, middle: float) -> Decision:
    """Name what remains where nothing disagrees: agreement, or the reason why it is not known."""
    outside = not all(m.agrees for m in seen)
    hidden = not line.norm and 2 * sum(_doubtful(line, m) for m in seen) >= len(seen)
    kinks = sum(m.kink > 0 for m in seen)
    verdict: Verdict
    if not (middle > 1 or outside or hidden or _is_wide(line, seen, largest, _TOO_WIDE)):
        verdict = AGREES
    elif kinks >= (1 if outside else len(seen) / 2):
        verdict = KINK_NEARBY
    else:
        verdict = CANNOT_TELL
    return Decision(verdict, _most_telling_first(seen), middle)


def _most_telling_first(measurements: Sequence[Measurement]) -> tuple[Measurement, ...]:
    return tuple(sorted(measurements, key=lambda m: np.nan_to_num(m.excess), reverse=True))

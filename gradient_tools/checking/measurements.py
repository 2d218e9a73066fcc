"""Measure how f changes when one leaf moves, with an honest error bar.

Everything is computed in float64 from function values in the function's own dtype. The bar covers
truncation (two steps), rounding (measured, never less than one unit in the last place) and kinks.

Notes
-----
Of the constants below, `_STEP_FACTOR`, `_POINTS`, `_BEYOND_SPREAD` and `_NOTHING` follow from the
arithmetic that their comments give. The others were chosen: a wider choice lets more mistakes pass,
a narrower one doubts more right gradients. After changing one, run both

    python benchmarks/gradient_check_trained.py
    python benchmarks/gradient_check.py --only verdicts

Both count false alarms and missed mistakes: the first in 500 models each, the second in single
functions.
"""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from .contraction import Contraction, inner, norm
from .differences import machine_epsilon, power_of_two
from .directions import Directions

__all__ = ["KINK_MARGIN", "SHARP", "LeafProbe", "Measurement"]

# What a step as short as x resolves may leave open of a derivative, and still speak for it.
_SHARP_ENOUGH = 0.1
# What seems to be rounding, and is this part of f's values, is a jump.
_ERRATIC = 0.25

# Parameters and inputs are of the order of 1. A smaller leaf, such as a bias after a few steps of
# training, may move as far where its slope is too weak to show before.
_USUAL_SIZE = 1.0
# The longest step, and one that is still near, as parts of that size.
_LONGEST, _NEAR = 2.0**-2, 2.0**-4
# A step that moves a leaf away from its own size speaks only for a slope that is constant up to
# this part: f may swing in between.
_CONSTANT = 0.25
# A change of f is negligible up to this part of its value, or of what another leaf can change.
_NEGLIGIBLE = 1e-3

# A claimed change of f counts as rounding up to so many times what one value is rounded by.
_ROUNDED_AWAY = 4.0

# A bar is sharp up to this part of the derivative: a factor of 1.01 is then two bars.
SHARP = 0.005
# A slope is zero if its bar is no more than this part of the claim, and holds zero.
_NOTHING = SHARP / 8
# One kink within the steps causes an error of at most what it shows; of several, some may hide.
KINK_MARGIN = 4.0
# A jump of the slope, a difference of two rounded slopes, counts as a kink above so much rounding.
_KINK_VISIBLE = 2.0
# Steps of a closer look grow or shrink by this factor: the pairs (h, 2h) of two steps then have no
# point in common, and truncation changes 16-fold. Five steps span a factor of 256.
_STEP_FACTOR = 4.0
_STEPS = 5
# Where a step shows nothing at all, the next one is so many times longer or shorter.
_LEAP = 16.0
# The first of them is a random part of the usual step, so that no two looks meet the same points.
# At the smallest part rounding is 2.5 times as large, and the next step makes up for it.
_FIRST_PART = (0.4, 1.0)
# A fit goes through so many points on either side. A line through them errs by less than a fifth of
# what the two steps of a measurement err, so that it needs no step that is as long.
_POINTS = 12
# The slope of the inner half of the points differs from that of all of them by so much of what a
# bend (3/4) or, with the jump that shows, any one kink (0.97) adds to the slope of all.
_BEYOND_SPREAD = 1.5
# Two right measurements lie no further apart than the sum of their bars. What several kinks hide
# is allowed half as much again; beyond, one of the two is worth nothing.
_CONTRADICTION = 1.5


@dataclass(frozen=True)
class Measurement:
    """One directional derivative, by the gradient and by differences.

    Attributes
    ----------
    analytic, numeric : float
        The inner product of the gradient and the direction, and the central difference along the
        direction. With many points, ``numeric`` is the slope of a line through them.
    error_bar : float
        How far ``numeric`` may be from the true slope. It is infinite if f was not finite nearby.
    rounding : float
        The part of the error bar that is due to rounding.
    step : float
        The length h of the shorter of the two steps, or how far the many points reach.
    kink : float
        How much the slope jumps within the steps taken, as at relu(0). It is 0 if f is smooth.
    direction : numpy.ndarray
        The unit vector along which the leaf was moved, of its shape.
    entry : tuple of int or None
        The only entry that was moved. None for a direction that moves all of them.
    """

    analytic: float
    numeric: float
    error_bar: float
    rounding: float
    step: float
    kink: float
    direction: np.ndarray = field(repr=False, compare=False)
    entry: tuple[int, ...] | None = None

    @property
    def difference(self) -> float:
        """How far the gradient is from the difference formula, with its sign."""
        return self.analytic - self.numeric

    @property
    def excess(self) -> float:
        """The size of the difference, in error bars: up to 1 is agreement."""
        if not self.difference:
            return 0.0
        return abs(self.difference) / self.error_bar if self.error_bar else np.inf

    @property
    def agrees(self) -> bool:
        """Whether the gradient lies within the error bar."""
        return abs(self.difference) <= self.error_bar


class _Sides(NamedTuple):
    """f on both sides of a point, and by how much a gradient claims that the two differ.

    The claim is along what x really moved, because x + h is rounded in the dtype of x.
    """

    ahead: float
    behind: float
    claimed: float

    @property
    def largest(self) -> float:
        """The larger of the two values, without its sign."""
        return max(abs(self.ahead), abs(self.behind))


class LeafProbe:
    """Move one leaf and compare the change of f with what a gradient claims.

    Parameters
    ----------
    contraction : Contraction
        What is differentiated, with its noise.
    index : int
        Which leaf of the point is moved.
    claimed : ndarray or None
        The gradient to be judged. None, another shape or a number that is not finite count as zero.
    reference : ndarray or None
        The tape's gradient beside one derived by hand. Where the two differ is looked at first.
    step : float or None
        The furthest that an entry moves, in the unit of the leaf; None to choose.
    """

    def __init__(
        self,
        contraction: Contraction,
        index: int,
        claimed: np.ndarray | None,
        reference: np.ndarray | None,
        step: float | None,
    ) -> None:
        point = contraction.point
        self.contraction = contraction
        self.claimed = claimed
        self.reference = reference
        self.name = point.names[index]
        self.index = index
        self._step = step
        self._here = point.values[index]
        self._size = contraction.sizes[index]
        self.room = max(float(np.median(self._size)), _USUAL_SIZE)
        self._epsilon = machine_epsilon(point.leaves[index].dtype)

        self.gradient = np.zeros_like(self._here)
        if claimed is not None and claimed.shape == self._here.shape:
            if np.all(np.isfinite(claimed)):
                self.gradient = claimed
        self.is_zero = not np.any(self.gradient)
        # How much f changes if the leaf moves by its size, or as far as it may.
        change = norm(self._size * self.gradient)
        self.change = norm(np.maximum(self._size, self.room) * self.gradient)

        self._expected = self.gradient
        suspect = self.gradient
        if reference is not None:
            limit = 64 * self._epsilon * max(change, norm(self._size * reference))
            if limit < norm(self._size * (self.gradient - reference)) < np.inf:
                self._expected = reference
                suspect = self.gradient - reference
        self.directions = Directions(self._size, self.gradient, suspect)

        epsilon = max(self._epsilon, contraction.epsilon)
        self._precision = epsilon ** (1 / 3)
        self._rounding = max(4 * contraction.noise, epsilon * (contraction.magnitude + change))
        self.largest_value = contraction.magnitude  # of f's values so far

    def first_step(self, direction: np.ndarray) -> float:
        """Return a good step along a direction, a power of two.

        With this step, the rounding error is a quarter of ``eps**(1/3)`` of the claimed slope. If
        the claimed slope is zero, the step is ``eps**(1/3)`` times as long as x may move. The two
        are about the same if the values of f are as large as its derivative.
        """
        wanted = self._precision / 4 * abs(inner(self._expected, direction))
        default = self._precision * self._furthest(direction)
        step = self.possible_step(self._rounding / wanted if wanted else default, direction)
        return step if self._step is not None else power_of_two(step)

    def possible_step(self, step: float, direction: np.ndarray) -> float:
        """Return the nearest step that x can resolve and that stays near x."""
        if self._step is not None:
            return self._step / float(np.max(np.abs(direction)))
        low = 64 * self._epsilon / self._reach(direction)
        high = max(_LONGEST, 4 * self._precision) * self._furthest(direction)
        return float(min(max(step, low), high))

    def measure(self, direction: np.ndarray, h: float) -> Measurement:
        """Measure along a direction by central differences with ``h`` and twice ``h``."""
        slopes, claims, bends, largest = [], [], [], self.contraction.magnitude
        for step in (h, 2 * h):
            sides = self._both_sides(step * direction)
            largest = max(largest, sides.largest)
            claims.append(sides.claimed / (2 * step))
            slopes.append((sides.ahead - sides.behind) / (2 * step))
            bends.append((sides.ahead + sides.behind - 2 * self.contraction.middle) / step)
        if not np.all(np.isfinite(slopes)):
            return Measurement(claims[0], np.nan, np.inf, self._rounding / h, h, 0.0, direction)
        self.largest_value = max(self.largest_value, largest)
        rounding = self._rounding_of(largest) / h
        spread = abs((slopes[0] - claims[0]) - (slopes[1] - claims[1]))
        # Forward minus backward difference doubles with the step for a smooth f; at a kink it
        # stays, and half the jump is then the error that no smaller step removes.
        jump = abs(2 * bends[0] - bends[1]) / 2
        kink = spread + jump if jump > _KINK_VISIBLE * rounding else 0.0
        bar = rounding + (KINK_MARGIN * kink or spread + jump)
        return Measurement(claims[0], slopes[0], bar, rounding, h, kink, direction)

    def _both_sides(self, shift: np.ndarray) -> _Sides:
        """Return f at the leaf plus and minus a shift."""
        point, index = self.contraction.point, self.index
        above = point.rounded(index, self._here + shift)
        below = point.rounded(index, self._here - shift)
        return _Sides(
            self.contraction.value({index: above}),
            self.contraction.value({index: below}),
            inner(self.gradient, above - below),
        )

    @property
    def scale(self) -> float:
        """How large f is, or what it adds up: the sum of a centered batch is rounding itself."""
        contraction = self.contraction
        added = min(contraction.noise / contraction.epsilon, norm(self._here))
        return float(max(self.largest_value, added))

    @property
    def is_erratic(self) -> bool:
        """Whether a None is claimed and f jumps by as much as its values: no difference tells."""
        return self.claimed is None and bool(self._rounding > _ERRATIC * self.largest_value)

    def is_aliased(self, m: Measurement) -> bool:
        """Whether f swings within the step: the shortest that x resolves finds the claim, sharply.

        The noise was measured across such swings as well, and is left out of the short one's bar.
        """
        h = 2 * self._epsilon / self._reach(m.direction)
        if self._step is not None or not h < m.step:
            return False
        short = self.measure(m.direction, h)
        bar = short.error_bar - short.rounding + 4 * self._epsilon * self.largest_value / h
        is_sharp = abs(short.difference) <= bar <= _SHARP_ENOUGH * abs(short.numeric)
        return bool(is_sharp and abs(short.numeric - m.numeric) > bar + m.error_bar)

    def is_negligible(self, m: Measurement, largest: float) -> bool:
        """Whether slope and bar are nothing beside f, so that the gradient is zero in effect.

        Comparing with the value of f is not enough, because a constant in f may hide any gradient.
        So the slope must also be small compared with the ``largest`` change that a leaf can cause,
        or with 1. The claimed gradient must be rounding error, or small compared with that change.
        """
        slope, bar = max(abs(m.analytic), abs(m.numeric)), m.error_bar * self.room
        visible = np.inf if self.claimed is None else max(largest, _USUAL_SIZE)
        is_rounding = abs(m.analytic) * self.room <= _ROUNDED_AWAY * self._rounding
        is_nothing = bar <= _NEGLIGIBLE * min(self.scale, visible)
        return slope <= m.error_bar and is_nothing and (is_rounding or bar <= _NEGLIGIBLE * largest)

    def doubts(self, m: Measurement) -> bool:
        """Whether a measurement gives reason to look closer."""
        # Where a gradient of zero is claimed, a wide bar or a kink must not hide that f moves.
        if self.is_zero:
            return not abs(m.difference) <= m.rounding or m.kink > 0
        return not m.agrees

    def measure_closely(
        self, direction: np.ndarray, rng: np.random.Generator
    ) -> Measurement | None:
        """Measure with other steps until the bar is sharp; None if no number is to be relied on."""
        looks: list[Measurement] = []
        step = self.possible_step(self.first_step(direction) * rng.uniform(*_FIRST_PART), direction)
        while len(looks) < _STEPS and step not in [m.step for m in looks]:
            m = self.measure(direction, step)
            looks.append(m)
            if self._is_sharp(m):
                break
            step = self.possible_step(step * _next_factor(m), direction)
        best, *others = sorted(looks, key=lambda m: m.error_bar)
        second = others[0] if others else best
        allowed = _CONTRADICTION * (best.error_bar + second.error_bar)
        is_at_the_edge = not np.isfinite(best.error_bar)
        if is_at_the_edge or abs(best.difference - second.difference) > allowed:
            return None
        if self._may_swing(best):
            return None
        longer = [m for m in others if m.step > best.step]
        # Half of a jump that the next longer step met may be between the points of the best one:
        # that is the error which the jump causes at most. (A step at the limit of x is not a whole
        # factor.)
        next_longer = [m.kink for m in longer if m.step <= 1.025 * _STEP_FACTOR * best.step]
        hidden = best.rounding + max(next_longer, default=0.0) / 2
        # A jump too small to be seen above the rounding of this step may still be there. If it is
        # at the point itself, it is a part of what this step measured beside rounding.
        unseen = [m.kink for m in longer if m.kink <= _KINK_VISIBLE * best.rounding]
        unseen = [min(max(unseen, default=0.0), best.error_bar - best.rounding)]
        return replace(best, error_bar=max(best.error_bar, hidden), kink=max([best.kink, *unseen]))

    def measure_again(self, m: Measurement, rng: np.random.Generator) -> Measurement:
        """Measure along the same line once more; by what the two differ, the bar is too short."""
        again = self.measure_closely(m.direction, rng) if np.isfinite(m.error_bar) else None
        if again is None:
            return m
        apart = abs(m.difference - again.difference)
        return replace(m, error_bar=m.error_bar + apart, kink=max(m.kink, again.kink))

    def measure_finely(self, m: Measurement) -> Measurement:
        """Measure along the same line again, at many points up to a distance or two.

        Where the result is off, or none fits the other, the bar is too short by what they differ.
        """
        if not np.isfinite(m.error_bar):
            return m
        looks = [m, self._fit(m.direction, m.step)]
        if self._step is None and not self._is_sharp(looks[1]):
            is_rounded = looks[1].rounding > looks[1].error_bar / 2
            step = self.possible_step((2.0 if is_rounded else 0.5) * m.step, m.direction)
            looks.append(self._fit(m.direction, step))
        best, *others = sorted(looks, key=lambda m: m.error_bar)
        apart = max(abs(best.difference - other.difference) for other in others)
        allowed = _CONTRADICTION * (best.error_bar + others[0].error_bar)
        is_contradicted = abs(best.difference - others[0].difference) > allowed
        if np.isfinite(apart) and (is_contradicted or not best.agrees):
            return replace(best, error_bar=best.error_bar + apart)
        return best

    def _fit(self, direction: np.ndarray, h: float) -> Measurement:
        """Fit a line to what is odd in f along a direction, up to ``h``, and a bend to the rest.

        The rest, half the sum of the values ahead and behind, shows a kink as a slope at zero.
        """
        part = (np.arange(_POINTS) + 0.5) / _POINTS
        odd, even, claims, largest = [], [], [], self.contraction.magnitude
        for step in h * part:
            sides = self._both_sides(step * direction)
            largest = max(largest, sides.largest)
            claims.append(sides.claimed / 2)
            odd.append((sides.ahead - sides.behind) / 2)
            even.append((sides.ahead + sides.behind) / 2 - self.contraction.middle)
        claim = _slope(part, np.array(claims)) / h
        if not np.all(np.isfinite(odd)):
            return Measurement(claim, np.nan, np.inf, self._rounding / h, h, 0.0, direction)
        beside = np.array(odd) - np.array(claims)
        bend = np.stack([np.ones(_POINTS), part, part**2], axis=1)
        solve = np.linalg.pinv(bend)
        coefficients = solve @ even
        left = even - bend @ coefficients
        scatter = 4 * np.sqrt(2 * np.sum(left**2) / (_POINTS - 3))  # four standard deviations
        value = max(self._rounding_of(largest), scatter) / np.sqrt(2) / h  # of two, halved
        rounding = value / norm(part)
        is_inner = part < 0.5
        spread = abs(_slope(part, beside) - _slope(part[is_inner], beside[is_inner])) / h
        jump = abs(coefficients[1]) / h
        kink = spread + jump if jump > value * norm(solve[1]) else 0.0
        bar = rounding + (KINK_MARGIN * kink or _BEYOND_SPREAD * spread + jump)
        slope = _slope(part, np.array(odd)) / h
        return Measurement(claim, slope, bar, rounding, h, kink, direction)

    def _is_sharp(self, m: Measurement) -> bool:
        """Whether the bar is small beside the slope, or beside f where the claim is zero."""
        if self.is_zero and not self.doubts(m) and self.is_negligible(m, 0.0):
            return True
        shows_nothing = abs(m.numeric) <= m.error_bar <= _NOTHING * abs(m.analytic)
        return shows_nothing or m.error_bar <= SHARP * abs(m.numeric)

    def _may_swing(self, m: Measurement) -> bool:
        """Whether a step beyond the leaf's own size met a slope that is not constant."""
        is_beyond = m.step * self._reach(m.direction) > max(_NEAR, 4 * self._precision)
        bend = m.error_bar - m.rounding
        is_constant = bend <= max(m.rounding, _CONSTANT * abs(m.numeric))
        return self._step is None and is_beyond and not m.kink and not is_constant

    def _rounding_of(self, size: float) -> float:
        """Return the rounding of values of f that are this large: larger than at the point."""
        grown = max(0.0, size - self.contraction.magnitude)
        return float(self._rounding + 4 * self.contraction.epsilon * grown)

    def _reach(self, direction: np.ndarray) -> float:
        """Return how far the unit step moves an entry at most, relative to its size."""
        return float(np.max(np.abs(direction) / self._size))

    def _furthest(self, direction: np.ndarray) -> float:
        """Return the step that moves every entry by its size, or one entry as far as it may."""
        return max(1 / self._reach(direction), self.room / float(np.max(np.abs(direction))))


def _slope(x: np.ndarray, y: np.ndarray) -> float:
    """Return the slope of the line through the origin that is closest to the points."""
    return inner(x, y) / inner(x, x)


def _next_factor(m: Measurement) -> float:
    """Return by what to multiply a step whose bar is not sharp.

    Rounding shrinks with a longer step, everything else with a shorter one.
    """
    shows_nothing = not m.error_bar < abs(m.numeric)
    if m.rounding > m.error_bar / 2:
        return _LEAP if shows_nothing else _STEP_FACTOR
    return 1 / (_STEP_FACTOR if np.isfinite(m.error_bar) else _LEAP)

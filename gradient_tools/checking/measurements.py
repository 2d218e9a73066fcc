"""Measure a derivative along a line through a point, with an honest error bar.

Everything is computed in float64 from function values in the function's own dtype. The bar covers
truncation (two steps), rounding (measured, never less than one unit in the last place) and kinks.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from .contraction import Contraction, inner, norm
from .differences import machine_epsilon, power_of_two

__all__ = ["KINK_MARGIN", "SHARP", "Line", "Measurement"]

# What a step as short as x resolves may leave open of a derivative, and still speak for it.
_SHARP_ENOUGH = 0.1
# What seems to be rounding, and is this part of f's values, is a jump.
_ERRATIC = 0.25

# A bar is sharp up to this part of the derivative: a factor of 1.01 is then two bars.
SHARP = 0.005
# One kink within the steps causes an error of at most what it shows; of several, some may hide.
KINK_MARGIN = 4.0
# A jump of the slope, a difference of two rounded slopes, counts as a kink above so much rounding.
_KINK_VISIBLE = 2.0
# Steps of a closer look grow or shrink by this factor: the pairs (h, 2h) of two steps then have no
# point in common, and truncation changes 16-fold. Five steps span a factor of 256.
_STEP_FACTOR = 4.0
_STEPS = 5
# The first of them is a random part of the usual step, so that no two looks meet the same points.
# At the smallest part rounding is 2.5 times as large, and the next step makes up for it.
_FIRST_PART = (0.4, 1.0)
# Two right measurements lie no further apart than the sum of their bars. What several kinks hide
# is allowed half as much again; beyond, one of the two is worth nothing.
_CONTRADICTION = 1.5


@dataclass(frozen=True)
class Measurement:
    """One directional derivative, by the gradient and by differences.

    Attributes
    ----------
    analytic, numeric : float
        The inner product of the gradient and the direction; the central difference along it.
    error_bar : float
        How far ``numeric`` may be from the truth; infinite where f was not finite nearby.
    rounding : float
        The part of the error bar that rounding accounts for.
    step : float
        The length h of the shorter of the two steps; the direction is a unit vector.
    kink : float
        How much the slope jumps within the steps taken, as at relu(0); 0 where f is smooth.
    direction : numpy.ndarray
        The unit vector along which the leaf was moved, of its shape.
    entry : tuple of int or None
        The one entry that was moved; None for a direction through all of them.
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


class Line:
    """The lines through the point that move one leaf: the directions, the steps, the measuring.

    The ``claimed`` gradient of leaf number ``index`` is judged, in float64; None counts as zero,
    and so does one that is not finite or has another shape. Where it differs from the ``other``
    one, the tape's beside one derived by hand, is looked at first. The ``noise`` is the standard
    deviation of the rounding in the contraction, and ``step`` the furthest that an entry moves, in
    the unit of the leaf; None to choose.
    """

    def __init__(
        self,
        contraction: Contraction,
        index: int,
        claimed: np.ndarray | None,
        other: np.ndarray | None,
        noise: float,
        step: float | None,
    ) -> None:
        self.contraction, self.claimed, self.other = contraction, claimed, other
        self.name, self._index, self._step = contraction.point.names[index], index, step
        self._here, self._size = contraction.point.values[index], contraction.sizes[index]
        self._peers = float(np.median(self._size))
        self._epsilon = machine_epsilon(contraction.point.leaves[index].dtype)
        gradient = np.zeros_like(self._here)
        if claimed is not None and claimed.shape == gradient.shape and np.all(np.isfinite(claimed)):
            gradient = claimed
        self.gradient = gradient
        # In units of the leaf's own size, a step along any direction is comparable.
        self.norm = norm(self._size * gradient)
        self._guide = self._guess = gradient
        if other is not None:
            limit = 64 * self._epsilon * max(self.norm, norm(self._size * other))
            if limit < norm(self._size * (gradient - other)) < np.inf:
                # Of two gradients that differ, the other one is the better guess of the slope.
                self._guide, self._guess = gradient - other, other
        self.guided = norm(self._size * self._guide) > 0
        epsilon = max(self._epsilon, contraction.epsilon)
        self._precision = epsilon ** (1 / 3)
        self._rounding = max(4 * noise, epsilon * (contraction.magnitude + self.norm))
        self._largest = contraction.magnitude  # of f's values seen so far

    def along(self, rng: np.random.Generator) -> np.ndarray:
        """Draw a direction close to the gradient, or to what is suspected: the strongest signal."""
        mask = rng.exponential(1.0, self._here.shape)
        return self._unit_vector(self._size**2 * self._guide * mask)

    def across(self, rng: np.random.Generator, *, even: bool = True) -> np.ndarray:
        """Draw a direction through all entries, on the side of the gradient so that it shows.

        An even one moves every entry by a like amount, so that no wrong entry is passed over. One
        that is not even differs more from the next, also in what kinks it meets.
        """
        shape = self._here.shape
        if even:
            draw = rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape)
        else:
            draw = rng.normal(size=shape)
        if self.norm:
            side = -1.0 if inner(draw * self._size, self.gradient) < 0 else 1.0
            draw = side * draw + self._size * self.gradient / self.norm
        return self._unit_vector(self._size * draw)

    def first_step(self, direction: np.ndarray) -> float:
        """Return a good step along a direction, a power of two.

        It is where rounding is a quarter of ``eps**(1/3)`` of the slope that the gradient claims,
        or ``eps**(1/3)`` times the size of x where it claims none; for a function whose values
        are of the size of its derivative the two are about the same.
        """
        wanted = self._precision / 4 * abs(inner(self._guess, direction))
        default = self._precision / self._reach(direction)
        step = self.possible_step(self._rounding / wanted if wanted else default, direction)
        return step if self._step is not None else power_of_two(step)

    def possible_step(self, step: float, direction: np.ndarray) -> float:
        """Return the nearest step that x can resolve and that stays near x."""
        reach, furthest = self._reach(direction), float(np.max(np.abs(direction)))
        if self._step is not None:
            return self._step / furthest
        # A tiny entry may move as far as its peers where its slope is too weak to show before.
        room = max(1 / reach, self._peers / furthest)
        low, high = 64 * self._epsilon / reach, max(2.0**-4, 4 * self._precision) * room
        nearest: float = min(max(step, low), high)
        return nearest

    def measure(self, direction: np.ndarray, h: float) -> Measurement:
        """Measure along a direction by central differences with ``h`` and twice ``h``."""
        contraction, index = self.contraction, self._index
        slopes, claims, bends = [], [], []
        for reach in (h, 2 * h):
            ahead, behind = (
                contraction.point.rounded(index, self._here + way)
                for way in (reach * direction, -reach * direction)
            )
            above, below = (contraction.value({index: x}) for x in (ahead, behind))
            self._largest = max(self._largest, abs(above), abs(below))
            # Along the way really taken: x + h is rounded in the dtype of x.
            claims.append(inner(self.gradient, ahead - behind) / (2 * reach))
            slopes.append((above - below) / (2 * reach))
            bends.append((above + below - 2 * contraction.middle) / reach)
        rounding = self._rounding / h
        if not np.all(np.isfinite(slopes)):
            return Measurement(claims[0], np.nan, np.inf, rounding, h, 0.0, direction)
        spread = abs((slopes[0] - claims[0]) - (slopes[1] - claims[1]))
        # Forward minus backward difference doubles with the step for a smooth f; at a kink it
        # stays, and half the jump is then the error that no smaller step removes.
        jump = abs(2 * bends[0] - bends[1]) / 2
        kink = spread + jump if jump > _KINK_VISIBLE * rounding else 0.0
        bar = rounding + (KINK_MARGIN * kink or spread + jump)
        return Measurement(claims[0], slopes[0], bar, rounding, h, kink, direction)

    @property
    def is_erratic(self) -> bool:
        """Whether a None is claimed and f jumps by as much as its values: no difference tells."""
        return self.claimed is None and bool(self._rounding > _ERRATIC * self._largest)

    def is_aliased(self, m: Measurement) -> bool:
        """Whether f swings within the step: the shortest that x resolves finds the claim, sharply.

        The noise was measured across such swings as well, and is left out of the short one's bar.
        """
        h = 2 * self._epsilon / self._reach(m.direction)
        if self._step is not None or not h < m.step:
            return False
        short = self.measure(m.direction, h)
        bar = short.error_bar - short.rounding + 4 * self._epsilon * self._largest / h
        is_sharp = abs(short.difference) <= bar <= _SHARP_ENOUGH * abs(short.numeric)
        return bool(is_sharp and abs(short.numeric - m.numeric) > bar + m.error_bar)

    def doubts(self, m: Measurement) -> bool:
        """Whether a measurement gives reason to look closer."""
        # Where a gradient of zero is claimed, a wide bar or a kink must not hide that f moves.
        if not self.norm:
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
            is_zero = not self.norm and not self.doubts(m)
            if is_zero or m.error_bar <= SHARP * abs(m.numeric):
                break
            # Rounding shrinks with a longer step, everything else with a shorter one.
            mostly_rounding = m.rounding > m.error_bar / 2
            factor = _STEP_FACTOR if mostly_rounding else 1 / _STEP_FACTOR
            step = self.possible_step(factor * step, direction)
        best, *others = sorted(looks, key=lambda m: m.error_bar)
        second = others[0] if others else best
        allowed = _CONTRADICTION * (best.error_bar + second.error_bar)
        is_at_the_edge = not np.isfinite(best.error_bar)
        if is_at_the_edge or abs(best.difference - second.difference) > allowed:
            return None
        longer = [m for m in others if m.step > best.step]
        # Half of a jump that the next longer step met may be between the points of the best one:
        # that is the error which the jump causes at most. (A step at the limit of x is not a whole
        # factor.)
        next_longer = [m.kink for m in longer if m.step <= 1.025 * _STEP_FACTOR * best.step]
        hidden = best.rounding + max(next_longer, default=0.0) / 2
        # A jump too small to be seen above the rounding of this step is still there.
        unseen = [m.kink for m in longer if m.kink <= _KINK_VISIBLE * best.rounding]
        return replace(best, error_bar=max(best.error_bar, hidden), kink=max([best.kink, *unseen]))

    def measure_again(self, m: Measurement, rng: np.random.Generator) -> Measurement:
        """Measure along the same line once more; by what the two differ, the bar is too short."""
        again = self.measure_closely(m.direction, rng) if np.isfinite(m.error_bar) else None
        if again is None:
            return m
        apart = abs(m.difference - again.difference)
        return replace(m, error_bar=m.error_bar + apart, kink=max(m.kink, again.kink))

    def _reach(self, direction: np.ndarray) -> float:
        """Return how far the unit step moves an entry at most, in units of its own size."""
        return float(np.max(np.abs(direction) / self._size))

    def _unit_vector(self, way: np.ndarray) -> np.ndarray:
        # Of a single number: its derivative, with its own sign.
        return np.ones_like(way) if way.size == 1 else way / norm(way)

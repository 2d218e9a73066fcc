"""Measure a derivative along a line through a point, with an honest error bar.

Everything is computed in float64 from function values in the function's own dtype. The bar covers
truncation (two steps), rounding (measured, never less than one unit in the last place) and kinks.
"""

from dataclasses import dataclass, field

import numpy as np

from .contraction import Contraction, inner, norm
from .differences import machine_epsilon, power_of_two

__all__ = ["KINK_MARGIN", "KINK_VISIBLE", "Line", "Measurement"]

# One kink within the steps causes an error of at most what it shows; of several, some may hide.
KINK_MARGIN = 4.0
# A jump of the slope, a difference of two rounded slopes, counts as a kink above so much rounding.
KINK_VISIBLE = 2.0


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

    The ``gradient`` of leaf number ``index`` is judged, in float64; None counts as zero, and so
    does one that is not finite or has another shape. Where it differs from the ``other`` one is
    looked at first. The ``noise`` is the standard deviation of the rounding in the contraction, and
    ``step`` the furthest that an entry moves, in the unit of the leaf; None to choose.
    """

    def __init__(
        self,
        contraction: Contraction,
        index: int,
        gradient: np.ndarray | None,
        other: np.ndarray | None,
        noise: float,
        step: float | None,
    ) -> None:
        self._contraction, self._index, self._step = contraction, index, step
        self._here, self._size = contraction.point.values[index], contraction.sizes[index]
        self._peers = float(np.median(self._size))
        self._epsilon = machine_epsilon(contraction.point.leaves[index].dtype)
        fits = gradient is not None and gradient.shape == self._here.shape
        if gradient is None or not fits or not np.all(np.isfinite(gradient)):
            gradient = np.zeros_like(self._here)
        self.gradient: np.ndarray = gradient
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
        return min(max(step, low), high)

    def measure(self, direction: np.ndarray, h: float) -> Measurement:
        """Measure along a direction by central differences with ``h`` and twice ``h``."""
        contraction, index = self._contraction, self._index
        slopes, claims, bends = [], [], []
        for reach in (h, 2 * h):
            ahead, behind = (
                contraction.point.rounded(index, self._here + way)
                for way in (reach * direction, -reach * direction)
            )
            above, below = (contraction.value({index: x}) for x in (ahead, behind))
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
        kink = spread + jump if jump > KINK_VISIBLE * rounding else 0.0
        bar = rounding + (KINK_MARGIN * kink or spread + jump)
        return Measurement(claims[0], slopes[0], bar, rounding, h, kink, direction)

    def _reach(self, direction: np.ndarray) -> float:
        """Return how far the unit step moves an entry at most, in units of its own size."""
        return float(np.max(np.abs(direction) / self._size))

    def _unit_vector(self, way: np.ndarray) -> np.ndarray:
        # Of a single number: its derivative, with its own sign.
        return np.ones_like(way) if way.size == 1 else way / norm(way)

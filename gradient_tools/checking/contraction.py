"""The scalar that a gradient check differences, what its gradient is, and how noisy it is."""

import functools
import math
from collections.abc import Mapping

import numpy as np
import tensorflow as tf

from .differences import machine_epsilon, typical_size
from .points import Point

__all__ = ["Contraction", "dense", "inner", "norm"]

# The noise is measured at distances that grow by this factor, up to this part of the leaves.
_STRETCH = 64.0
_FURTHEST = 2.0**-6
# So many times its dtype's rounding, the noise comes from operations in a dtype of fewer digits.
_COARSE = 64


class Contraction:
    """The scalar that is differentiated: what f returns, times fixed random cotangents.

    With ``order=2`` it is the gradient of f that is contracted, so that its own gradient checks
    the second derivatives.
    """

    def __init__(self, point: Point, order: int, rng: np.random.Generator) -> None:
        self.point, self.order, self.evaluations = point, order, 1
        self.sizes = [typical_size(value) for value in point.values]
        y = point.output()
        if not np.all(np.isfinite(np.asarray(y, np.float64))):
            raise ValueError(
                "f is NaN or infinite at this point, so no difference can be computed. Choose "
                "another point, or look for a division by zero, the log of 0, or the square root "
                "of a negative number."
            )
        # A scalar's cotangent is not 1, so that a rule that forgets its upstream gradient shows.
        # A power of two leaves every rounding as it was.
        self.is_scalar = y.shape.num_elements() == 1
        self.batch_size = None if self.is_scalar or not y.shape.rank else y.shape[0]
        self._unit = -0.5 if self.is_scalar else 1.0
        self._upstream = np.full(y.shape, -0.5) if self.is_scalar else _cotangent(rng, y)
        outputs = self._outputs()
        self._cotangents = [_cotangent(rng, y) for y in outputs] if order == 2 else [self._upstream]
        self.epsilon = max(machine_epsilon(y.dtype) for y in outputs)
        self._base = [np.asarray(y, np.float64) for y in outputs]
        if not all(np.all(np.isfinite(y)) for y in self._base):
            raise ValueError(
                "The first gradient is NaN or infinite at this point, so order=2 has nothing to "
                "compare. Check order=1 first."
            )
        self.middle = self._contracted(outputs)
        parts = zip(self._cotangents, self._base, strict=True)
        self.magnitude = np.sqrt(sum(np.sum((c * y) ** 2) for c, y in parts)) / abs(self._unit)
        self.noise, self.is_coarse = 0.0, False

    @property
    def is_rounded_coarsely(self) -> bool:
        """Whether the roundings of near values are alike: 16 bits hold few values."""
        return self.is_coarse or self.point.is_half_precision

    def value(self, moves: Mapping[int, np.ndarray]) -> float:
        """Evaluate with some leaves replaced, contracted in float64."""
        try:
            self.point.move(moves)
            return self._contracted(self._outputs())
        finally:
            self.point.move({i: self.point.values[i] for i in moves})

    def repeats(self) -> bool:
        """Evaluate f once more at the point itself, and tell whether only rounding differs."""
        return all(
            np.max(np.abs(np.asarray(now, np.float64) - before))
            <= 64 * self.epsilon * np.max(np.abs(before))
            for now, before in zip(self._outputs(), self._base, strict=True)
        )

    def gradients(self, factor: float = 1.0) -> list[np.ndarray | None]:
        """Ask the tape, with every cotangent times ``factor``; dense, in float64."""
        with self.point.recorded() as tape:
            outputs = self._outputs()
        cotangents = [
            tf.constant(factor * c, y.dtype) for c, y in zip(self._cotangents, outputs, strict=True)
        ]
        gradients = tape.gradient(outputs, self.point.leaves, output_gradients=cotangents)
        return [None if g is None else dense(g) / self._unit for g in gradients]

    @functools.cached_property
    def forgets_upstream(self) -> list[bool]:
        """Whether the tape's gradient fails to double with the cotangents, leaf by leaf."""
        pairs = zip(self.gradients(), self.gradients(2.0), strict=True)
        return [
            g is not None and twice is not None and norm(twice - 2 * g) > 0.01 * norm(g)
            for g, twice in pairs
        ]

    def measure_noise(self, rng: np.random.Generator) -> None:
        """Estimate the rounding error of one evaluation from eight that are almost the same.

        Differences of second and third order of values at equal tiny distances cancel what is
        smooth and leave the noise. Where most values are equal, f resolves less than its leaves
        (it computes in float16, say), and longer distances are tried. See Moré and Wild,
        *Estimating Computational Noise*, SIAM J. Sci. Comput. 33 (2011).
        """
        point = self.point
        shifts = [
            16 * machine_epsilon(leaf.dtype) * size * rng.choice([-1.0, 1.0], size.shape)
            for leaf, size in zip(point.leaves, self.sizes, strict=True)
        ]
        finest = 16 * min(machine_epsilon(leaf.dtype) for leaf in point.leaves)
        stretch = 1.0
        while True:
            values = [
                self.value(
                    {
                        i: point.rounded(i, x + k * stretch * shift)
                        for i, (x, shift) in enumerate(zip(point.values, shifts, strict=True))
                    }
                )
                for k in range(-4, 4)
            ]
            is_flat = 2 * np.count_nonzero(np.diff(values)) < len(values) - 1
            if not is_flat or stretch * _STRETCH * finest > _FURTHEST:
                break
            stretch *= _STRETCH
        # The bend of f counts as noise at no distance: further away, it takes a higher order.
        noise = max(_noise_in(values, order) for order in ((2, 3) if stretch == 1 else (3, 4)))
        self.noise = float(noise) if np.isfinite(noise) else 0.0
        self.is_coarse = stretch > 1 and self.noise > _COARSE * self.epsilon * self.magnitude

    def _outputs(self) -> list[tf.Tensor]:
        """Return what f returns, or with ``order=2`` its gradients."""
        self.evaluations += 1
        if self.order == 1:
            return [self.point.output()]
        with self.point.recorded() as tape:
            y = self.point.output()
        upstream = tf.constant(self._upstream, y.dtype)
        gradients = tape.gradient(y, self.point.leaves, output_gradients=upstream)
        outputs = [tf.convert_to_tensor(g) for g in gradients if g is not None]
        if not outputs:
            raise ValueError(
                "order=2 checks the gradient of the gradient, but the first gradient is None "
                "everywhere. Check order=1 first."
            )
        return outputs

    def _contracted(self, outputs: list[tf.Tensor]) -> float:
        parts = zip(self._cotangents, outputs, strict=True)
        return float(sum(inner(c, np.asarray(y, np.float64)) for c, y in parts)) / self._unit


def _noise_in(values: list[float], order: int) -> float:
    """Return the standard deviation of independent errors in values at equal distances."""
    of_sum_of_squares = math.comb(2 * order, order)
    return float(np.sqrt(np.mean(np.diff(values, order) ** 2) / of_sum_of_squares))


def inner(a: np.ndarray, b: np.ndarray) -> float:
    """Return the sum of products of two arrays of one shape."""
    # Faster here than np.vdot, whose threads compete with TensorFlow's.
    return float(np.sum(a * b))


def norm(a: np.ndarray) -> float:
    """Return the Euclidean norm of all entries."""
    return float(np.sqrt(np.sum(a * a)))


def _cotangent(rng: np.random.Generator, y: tf.Tensor) -> np.ndarray:
    """Draw numbers of either sign and of size 1/2 to 1, as the dtype of y holds them."""
    draw = rng.uniform(0.5, 1.0, y.shape) * rng.choice([-1.0, 1.0], y.shape)
    return np.asarray(tf.cast(draw, y.dtype), np.float64)


def dense(gradient: object) -> np.ndarray:
    """Return a gradient, also that of a gather, as an array of float64."""
    return np.asarray(tf.convert_to_tensor(gradient)).astype(np.float64)

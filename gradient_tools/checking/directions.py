"""Random directions along which one leaf is moved."""

import numpy as np

from .contraction import inner, norm

__all__ = ["Directions"]


class Directions:
    """Draw unit vectors of the shape of a leaf.

    Parameters
    ----------
    size : ndarray
        How far each entry typically moves. A direction moves large entries further.
    gradient : ndarray, shape of ``size``
        The gradient to be judged.
    suspect : ndarray, shape of ``size``
        The part of the gradient that is in doubt. It is the whole gradient, or its difference from
        another gradient.
    """

    def __init__(self, size: np.ndarray, gradient: np.ndarray, suspect: np.ndarray) -> None:
        self._size, self._gradient, self._suspect = size, gradient, suspect
        self._norm = norm(size * gradient)
        self.has_suspect = norm(size * suspect) > 0

    def along(self, rng: np.random.Generator) -> np.ndarray:
        """Draw a direction close to what is suspected: the strongest signal."""
        mask = rng.exponential(1.0, self._size.shape)
        return _unit_vector(self._size**2 * self._suspect * mask)

    def across(self, rng: np.random.Generator) -> np.ndarray:
        """Draw a direction that moves every entry by a like amount, so that none is passed over."""
        shape = self._size.shape
        return self._on_the_side_of_the_gradient(
            rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape)
        )

    def uneven(self, rng: np.random.Generator) -> np.ndarray:
        """Draw a direction that differs more from the next, also in the kinks that it meets."""
        return self._on_the_side_of_the_gradient(rng.normal(size=self._size.shape))

    def _on_the_side_of_the_gradient(self, draw: np.ndarray) -> np.ndarray:
        """Turn a draw so that the gradient shows along it."""
        if self._norm:
            side = -1.0 if inner(draw * self._size, self._gradient) < 0 else 1.0
            draw = side * draw + self._size * self._gradient / self._norm
        return _unit_vector(self._size * draw)


def _unit_vector(vector: np.ndarray) -> np.ndarray:
    # A single number moves in its positive direction, so that a slope is its derivative.
    return np.ones_like(vector) if vector.size == 1 else vector / norm(vector)

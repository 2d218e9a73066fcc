"""Small data sets made from a seed: the truth behind them is known."""

import numpy as np

__all__ = ["make_classification", "make_cloud", "make_line", "make_quadratic"]


def make_line(
    count: int = 200, *, slope: float = 3.0, intercept: float = 2.0, noise: float = 0.5, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Make points near a line, y = slope x + intercept + noise.

    Parameters
    ----------
    count : int
        How many points.
    slope, intercept : float
        What a fit should find.
    noise : float
        The standard deviation of the normal noise in y, in the unit of y.
    seed : int
        The same seed makes the same points, with any version of NumPy that the course supports.

    Returns
    -------
    x, y : numpy.ndarray of shape (count, 1), float32
        x is uniform on [-2, 2). Both are columns, like the output of a model with one unit. With
        (count,) against (count, 1) a loss would silently broadcast.

    Examples
    --------
    >>> x, y = make_line(5, noise=0.0, seed=0)
    >>> x.shape, y.dtype.name, bool(np.allclose(y, 3 * x + 2))
    ((5, 1), 'float32', True)
    """
    return make_quadratic(count, coefficients=(0.0, slope, intercept), noise=noise, seed=seed)


def make_quadratic(
    count: int = 200,
    *,
    coefficients: tuple[float, float, float] = (1.0, -2.0, 0.5),
    noise: float = 0.3,
    seed: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Make points near a parabola, y = a x² + b x + c + noise.

    Parameters
    ----------
    coefficients : (float, float, float)
        a, b and c.
    count, noise, seed
        As of `make_line`.

    Returns
    -------
    x, y : numpy.ndarray of shape (count, 1), float32
        x is uniform on [-2, 2).

    Examples
    --------
    >>> x, y = make_quadratic(5, coefficients=(1.0, 0.0, 0.0), noise=0.0, seed=0)
    >>> bool(np.allclose(y, x**2))
    True
    """
    # RandomState's streams are frozen; NumPy may change those of newer generators.
    random = np.random.RandomState(seed)
    x = random.uniform(-2.0, 2.0, size=(count, 1))
    a, b, c = coefficients
    y = a * x**2 + b * x + c + noise * random.normal(size=x.shape)
    return x.astype(np.float32), y.astype(np.float32)


def make_classification(
    count: int = 1000, *, features: int = 20, classes: int = 5, noise: float = 1.0, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Make a classification that can be learned, but not to the last point.

    Parameters
    ----------
    count, features, classes : int
        The number of examples, of features in each example, and of classes.
    noise : float
        The standard deviation of the noise in the scores. That of the scores is about
        ``sqrt(features)``. Without noise, a linear model can be right everywhere.
    seed : int
        The same seed makes the same examples.

    Returns
    -------
    x : numpy.ndarray of shape (count, features), float32
        Standard normal.
    y : numpy.ndarray of shape (count,), int32
        Classes from 0 on. The class is the largest score of a random linear map of x, plus noise.

    Examples
    --------
    >>> x, y = make_classification(100, seed=0)
    >>> x.shape, y.dtype.name, sorted(set(y.tolist()))
    ((100, 20), 'int32', [0, 1, 2, 3, 4])
    """
    random = np.random.RandomState(seed)
    x = random.normal(size=(count, features))
    scores = x @ random.normal(size=(features, classes))
    y = np.argmax(scores + noise * random.normal(size=scores.shape), axis=1)
    return x.astype(np.float32), y.astype(np.int32)


def make_cloud(
    count: int = 80, *, first: float = 0.0, last: float = 1.0, noise: float = 0.03, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Measure a cloud of dye that a river carries along and that spreads.

    Parameters
    ----------
    count : int
        How many measurements.
    first, last : float
        Between which hours they are taken.
    noise : float
        The standard deviation of the normal noise in the dye.
    seed : int
        The same seed makes the same measurements.

    Returns
    -------
    points : numpy.ndarray of shape (count, 2), float32
        The place, from 0 to 4 km, and the time, in hours.
    dye : numpy.ndarray of shape (count, 1), float32
        The concentration, at most 1.

    Notes
    -----
    Without noise, the dye is a solution u of u_t + c u_x = d u_xx, with d = 0.05 km²/h. The speed c
    is to be found.

    Examples
    --------
    >>> points, dye = make_cloud(5, seed=0)
    >>> points.shape, dye.shape
    ((5, 2), (5, 1))
    """
    random = np.random.RandomState(seed)
    x, t = random.uniform(0.0, 4.0, (count, 1)), random.uniform(first, last, (count, 1))
    variance = 0.0625 + 2 * 0.05 * t
    dye = 0.25 * np.exp(-((x - 0.6 - 1.3 * t) ** 2) / (2 * variance)) / np.sqrt(variance)
    dye += noise * random.normal(size=dye.shape)
    return np.hstack([x, t]).astype(np.float32), dye.astype(np.float32)

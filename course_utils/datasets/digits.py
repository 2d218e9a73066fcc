"""Small handwritten digits, which come with the course: no network is needed for them."""

from importlib.resources import files

import numpy as np

__all__ = ["load_digits"]


def load_digits() -> tuple[np.ndarray, np.ndarray]:
    """Load 1,797 handwritten digits of 8 by 8 pixels.

    Returns
    -------
    pictures : numpy.ndarray, uint8, shape (1797, 64)
        Row by row. Each pixel says how much of it is written on, from 0 to 16.
    labels : numpy.ndarray, int64, shape (1797,)
        The digits, 0 to 9.

    Notes
    -----
    The test set of the Optical Recognition of Handwritten Digits, by E. Alpaydin and C. Kaynak
    (1998), from the UCI Machine Learning Repository, https://doi.org/10.24432/C50P49, under the
    licence CC BY 4.0. ``digits.csv`` holds a letter for each pixel, from a for 0 to q for 16.

    Examples
    --------
    >>> pictures, labels = load_digits()
    >>> pictures.shape, int(pictures.max()), labels[:5].tolist()
    ((1797, 64), 16, [0, 1, 2, 3, 4])
    """
    _, *lines = files(__package__).joinpath("digits.csv").read_text(encoding="ascii").splitlines()
    labels, letters = zip(*(line.split(",") for line in lines), strict=True)
    pictures = np.frombuffer("".join(letters).encode(), np.uint8).reshape(-1, 64) - ord("a")
    return pictures, np.array(labels, np.int64)

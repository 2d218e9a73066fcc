"""Drawn inputs as TensorFlow takes them."""

from typing import Any

import numpy as np

__all__ = ["constants", "variables"]


def constants(*arrays: Any, dtype: str = "") -> tuple:
    """Return a constant for each of these arrays: in float32, or whole numbers as they are."""
    import tensorflow as tf

    dtypes = [dtype or ("float32" if np.asarray(a).dtype.kind == "f" else None) for a in arrays]
    return tuple(map(tf.constant, arrays, dtypes))


def variables(*values: Any, dtype: str = "float32") -> tuple:
    """Return a variable for each of these numbers or arrays."""
    import tensorflow as tf

    return tuple(tf.Variable(value, dtype=dtype) for value in values)

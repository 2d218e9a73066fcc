"""Reading described values: what a judge asks of an observation."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

__all__ = ["as_array", "as_vector", "close", "first_difference", "in_words", "is_a"]

_ARRAY_TYPES = ("tensor", "variable", "array")


def is_a(value: Any, *types: str) -> bool:
    """Tell whether a described value is a dict of one of these ``type``s."""
    return isinstance(value, dict) and value.get("type") in types


def as_array(value: Any) -> np.ndarray | None:
    """Return a number, tensor, variable or array as float64; None for anything else."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        is_small_or_nan = not abs(value) >= 1e300
        return np.asarray(value, np.float64) if is_small_or_nan else np.asarray(np.inf)
    if is_a(value, *_ARRAY_TYPES) and value["value"] is not None:
        return np.asarray(value["value"], np.float64).reshape(value["shape"])
    return None


def as_vector(value: Any) -> np.ndarray | None:
    """Return a described list of numbers as a vector, and anything else as `as_array` does."""
    if not is_a(value, "list", "tuple"):
        return as_array(value)
    numbers = [as_array(item) for item in value["items"]]
    if any(number is None or number.size != 1 for number in numbers):
        return None
    return np.array([number.reshape(()) for number in numbers])


def close(values: Iterable, references: Iterable, tolerance: float = 1e-3) -> bool:
    """Tell whether each value has its reference's shape and agrees with it in every entry.

    ``tolerance`` is relative to the largest entry of the reference, or absolute below 1.
    """

    def agrees(value, reference):
        value, reference = np.asarray(value), np.asarray(reference)
        scale = max(1.0, float(np.max(np.abs(reference), initial=0.0)))
        if value.shape != reference.shape or not np.all(np.isfinite(value)):
            return False
        return bool(np.all(np.abs(value - reference) <= tolerance * scale))

    return all(agrees(value, ref) for value, ref in zip(values, references, strict=True))


def first_difference(values: Sequence, references: Sequence, tolerance: float = 1e-3) -> int:
    """Return the position of the first value that `close` does not accept, or 0."""
    pairs = enumerate(zip(values, references, strict=True))
    return next((i for i, (v, r) in pairs if not close([v], [r], tolerance)), 0)


def in_words(value: Any) -> str:
    """Return a described value in a learner's words, such as "a tensor of shape (3, 1)"."""
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else f"{value[:40]}...")
    if not isinstance(value, dict):
        is_plain_number = isinstance(value, int | float) and not isinstance(value, bool)
        return f"the number {float(as_array(value)):g}" if is_plain_number else repr(value)
    kind = value["type"]
    if kind in _ARRAY_TYPES:
        shape, article = tuple(value["shape"]), "an" if kind == "array" else "a"
        if shape == () and value["value"] is not None:
            return f"{article} {kind} with the value {value['value']:g}"
        return f"{article} {kind} of shape {shape}"
    if kind in ("list", "tuple", "dict"):
        count = len(value["items"])
        return f"a {kind} of {count} item{'' if count == 1 else 's'}"
    if kind == "ellipsis":
        return "..."
    return f"{'an' if kind == 'object' else 'a'} {kind} ({value['name']})"

"""Readings: the values of an answer, without the kinds of numbers and lists that hold them.

A reading is None, a boolean, a text, a NumPy array of float64, or a list or dict of readings.
Anything else is an `Other`. A tensor, a variable, a Python number and a list of one number have the
same reading. A tuple reads as a list, and a list of numbers as a vector. Shapes, keys and nesting
stay. Values that are not finite, or are about to overflow, are all NaN.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Other", "form_of", "is_list", "pieces", "read", "same", "value_of"]

_HUGE = 1e15  # beyond this only a diverging program goes
_ROUNDING = 1e-6  # an array without an entry above this is 0 but for rounding


@dataclass(frozen=True)
class Other:
    """Something that is no number, list or dict; ``words`` says what."""

    words: str


def read(described: Any) -> Any:
    """Return the reading of a described value; see `course_utils.exercises.observation.describe`.

    >>> read({"type": "list", "items": [1, 2.5]})
    array([1. , 2.5])
    """
    if described is None or isinstance(described, bool | str):
        return described
    if isinstance(described, int | float):
        return _numbers(described)
    kind = described["type"]
    if kind in ("tensor", "variable", "array"):
        if described["value"] is None:
            return Other(f"{kind} of {described['dtype']}, shape {tuple(described['shape'])}")
        if described["dtype"] == "bool" and not described["shape"]:
            return described["value"]
        numbers = _numbers(described["value"]).reshape(described["shape"])
        return numbers.reshape(()) if numbers.shape == (1,) else numbers
    if kind == "dict":
        return {key: read(item) for key, item in described["items"].items()}
    if kind in ("list", "tuple"):
        items = [read(item) for item in described["items"]]
        if items and all(isinstance(item, np.ndarray) and item.shape == () for item in items):
            return np.array(items) if len(items) > 1 else items[0]
        return items
    # The names of functions are not compared.
    return Other(described["name"] if kind == "object" else kind)


def _numbers(value: Any) -> np.ndarray:
    try:
        array = np.asarray(value, np.float64)
    except OverflowError:  # a Python integer of more than 308 digits
        array = np.asarray(np.nan)
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(array) < _HUGE, array, np.nan)


def value_of(described: Any) -> Any:
    """Return the reading of a prediction: the text "None" is None, and a list of one stays one."""
    value = read(described)
    if isinstance(value, str):
        return None if value == "None" else value
    if not is_list(described):
        return value
    items = described["items"]
    if any(map(is_list, items)):  # lists in a list: ([4], [2]) is not (4, 2)
        return [value_of(item) for item in items]
    return [value] if len(items) == 1 and not isinstance(value, list) else value


def is_list(described: Any) -> bool:
    """Tell whether a described value is a list or a tuple."""
    return isinstance(described, dict) and described["type"] in ("list", "tuple")


def pieces(reading: Any) -> dict:
    """Return the items of a list by position, or of a dict by key; else an empty dict."""
    if isinstance(reading, list):
        return dict(enumerate(reading))
    return reading if isinstance(reading, dict) else {}


def form_of(reading: Any) -> Any:
    """Describe a reading without its numbers: kinds, shapes, keys and nesting."""
    if isinstance(reading, np.ndarray):
        return reading.shape
    if isinstance(reading, list):
        return [form_of(item) for item in reading]
    if isinstance(reading, dict):
        return {key: form_of(item) for key, item in reading.items()}
    return "text" if isinstance(reading, str) else repr(reading)


def same(reading: Any, reference: Any, tolerance: float) -> bool:
    """Tell whether two readings have one form, and agree in every number.

    ``tolerance`` is relative to the largest entry of each array of the reference, or to 0.001
    where the array is 0.
    """
    if type(reading) is not type(reference):
        return False
    if isinstance(reference, list | dict):
        given, expected = pieces(reading), pieces(reference)
        return given.keys() == expected.keys() and all(
            same(given[place], expected[place], tolerance) for place in expected
        )
    if not isinstance(reference, np.ndarray):
        return reading == reference
    finite = np.isfinite(reference)
    if not np.array_equal(np.isfinite(reading), finite):  # of another shape, too
        return False
    largest = float(np.max(np.abs(reference[finite]), initial=0.0))
    allowed = tolerance * (largest if largest > _ROUNDING else 1e-3)
    return bool(np.all(np.abs(reading[finite] - reference[finite]) <= allowed))

"""Reading what an answer gave: what is left of it when kinds of numbers and lists are forgotten.

A reading is None, a boolean, a text, a NumPy array of float64, a list or a dict of readings, or an
`Other`. A tensor, a variable, a Python number and a list of one number read alike; a tuple reads
as a list, and a list of numbers as a vector. Shapes, keys and nesting stay. Values that are not
finite, or so large that they will not be for long, are all NaN.
"""

import json
from base64 import b85decode, b85encode
from bz2 import compress, decompress
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = [
    "Other",
    "decoded",
    "encoded",
    "form_of",
    "inputs_decoded",
    "inputs_encoded",
    "packed",
    "read",
    "same",
    "unpacked",
]

_HUGE = 1e15  # beyond this only a diverging program goes
_ROUNDING = 1e-6  # an array without an entry above this is 0 but for rounding
_DIGITS = 9  # significant digits that are stored of a number


@dataclass(frozen=True)
class Other:
    """Something that is no number, list or dict; ``words`` says what."""

    words: str


def read(described: Any) -> Any:
    """Return the reading of a described value; see `course_utils.exercises.observation.describe`.

    >>> read([1, {"type": "tensor", "dtype": "float32", "shape": [], "value": 2.0}])
    array([1., 2.])
    """
    if described is None or isinstance(described, bool | str):
        return described
    if isinstance(described, int | float):
        return _numbers(described)
    if isinstance(described, list):
        described = {"type": "list", "items": described}
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
        return _joined([read(item) for item in described["items"]])
    # Of two functions it is not their names that count.
    return Other(described["name"] if kind == "object" else kind)


def _joined(items: list) -> Any:
    """Return a list of readings, or a vector where all of them are single numbers."""
    if items and all(isinstance(item, np.ndarray) and item.shape == () for item in items):
        return np.array(items) if len(items) > 1 else items[0]
    return items


def _numbers(value: Any) -> np.ndarray:
    try:
        array = np.asarray(value, np.float64)
    except OverflowError:  # a Python integer of more than 308 digits
        array = np.asarray(np.nan)
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(array) < _HUGE, array, np.nan)


def form_of(reading: Any) -> Any:
    """Return what a reading is without its numbers: kinds, shapes, keys and nesting."""
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
    if isinstance(reference, np.ndarray):
        if not isinstance(reading, np.ndarray) or reading.shape != reference.shape:
            return False
        finite = np.isfinite(reference)
        if not np.array_equal(np.isfinite(reading), finite):
            return False
        largest = float(np.max(np.abs(reference[finite]), initial=0.0))
        allowed = tolerance * (largest if largest > _ROUNDING else 1e-3)
        return bool(np.all(np.abs(reading[finite] - reference[finite]) <= allowed))
    if isinstance(reference, list):
        return (
            isinstance(reading, list)
            and len(reading) == len(reference)
            and all(
                same(one, other, tolerance) for one, other in zip(reading, reference, strict=True)
            )
        )
    if isinstance(reference, dict):
        return (
            isinstance(reading, dict)
            and reading.keys() == reference.keys()
            and all(same(reading[key], reference[key], tolerance) for key in reference)
        )
    return type(reading) is type(reference) and reading == reference


def encoded(reading: Any) -> Any:
    """Return a reading as what JSON can hold; `decoded` is the way back."""
    if isinstance(reading, np.ndarray):
        flat = [float(f"{number:.{_DIGITS}g}") for number in reading.ravel()]
        return {"shape": list(reading.shape), "flat": flat} if reading.shape else flat[0]
    if isinstance(reading, list):
        return [encoded(item) for item in reading]
    if isinstance(reading, dict):
        return {"items": {key: encoded(item) for key, item in reading.items()}}
    return {"other": reading.words} if isinstance(reading, Other) else reading


def decoded(data: Any) -> Any:
    """Return the reading that `encoded` wrote."""
    if isinstance(data, list):
        return [decoded(item) for item in data]
    if isinstance(data, dict):
        if "flat" in data:
            return np.array(data["flat"], np.float64).reshape(data["shape"])
        if "items" in data:
            return {key: decoded(item) for key, item in data["items"].items()}
        return Other(data["other"])
    is_number = isinstance(data, int | float) and not isinstance(data, bool)
    return np.asarray(data, np.float64) if is_number else data


def packed(data: Any) -> str:
    """Return JSON data as one compressed line of letters.

    bz2, whose implementations all compress alike: the same data give the same letters everywhere.
    """
    text = json.dumps(data, separators=(",", ":"), sort_keys=True)
    return b85encode(compress(text.encode())).decode("ascii")


def unpacked(letters: str) -> Any:
    """Return the data that `packed` wrote."""
    return json.loads(decompress(b85decode(letters)))


def inputs_encoded(value: Any) -> Any:
    """Return drawn inputs as what JSON can hold, with every digit; `inputs_decoded` undoes it."""
    if isinstance(value, np.ndarray):
        return {
            "dtype": value.dtype.name,
            "shape": list(value.shape),
            "flat": value.ravel().tolist(),
        }
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple):
        return {"tuple": [inputs_encoded(item) for item in value]}
    if isinstance(value, list):
        return [inputs_encoded(item) for item in value]
    if isinstance(value, dict):
        # Pairs, because the order of a dict's keys is not kept, and a program may depend on it.
        return {"dict": [[key, inputs_encoded(item)] for key, item in value.items()]}
    return value


def inputs_decoded(data: Any) -> Any:
    """Return the inputs that `inputs_encoded` wrote."""
    if isinstance(data, list):
        return [inputs_decoded(item) for item in data]
    if isinstance(data, dict):
        if "tuple" in data:
            return tuple(inputs_decoded(item) for item in data["tuple"])
        if "dict" in data:
            return {key: inputs_decoded(item) for key, item in data["dict"]}
        return np.array(data["flat"], data["dtype"]).reshape(data["shape"])
    return data

"""What is observed, as it is stored: JSON data, and one compressed line an exercise.

One file a lesson holds it, below a line with the keys of what it was made of, and one with the
lesson's stubs.
`course_utils.exercises.references` reads it back.
"""

import json
from base64 import b85encode
from bz2 import compress
from typing import Any

import numpy as np

from course_utils.exercises.readings import Other
from course_utils.exercises.references import Reference

__all__ = ["encoded", "packed", "reference_data"]

_DIGITS = 9  # significant digits that are stored of a number


def reference_data(reference: Reference) -> dict:
    """Return all of a reference, but names and sentences, as what JSON can hold."""
    return {
        "calls": [_inputs_encoded(call) for call in reference.calls],
        "right": encoded(reference.right),
        "wrong": [[known.part, encoded(known.readings)] for known in reference.wrong],
    }


def encoded(reading: Any) -> Any:
    """Return a reading as what JSON can hold."""
    if isinstance(reading, np.ndarray):
        flat = [float(f"{number:.{_DIGITS}g}") for number in reading.ravel()]
        return {"shape": list(reading.shape), "flat": flat} if reading.shape else flat[0]
    if isinstance(reading, list):
        return [encoded(item) for item in reading]
    if isinstance(reading, dict):
        return {"items": {key: encoded(item) for key, item in reading.items()}}
    return {"other": reading.words} if isinstance(reading, Other) else reading


def _inputs_encoded(value: Any) -> Any:
    """Return drawn inputs as what JSON can hold, with every digit."""
    if isinstance(value, np.ndarray):
        return {
            "dtype": value.dtype.name,
            "shape": list(value.shape),
            "flat": value.ravel().tolist(),
        }
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple):
        return {"tuple": [_inputs_encoded(item) for item in value]}
    if isinstance(value, list):
        return [_inputs_encoded(item) for item in value]
    if isinstance(value, dict):
        # Pairs, because the order of a dict's keys is not kept, and a program may depend on it.
        return {"dict": [[key, _inputs_encoded(item)] for key, item in value.items()]}
    return value


def packed(data: Any) -> str:
    """Return JSON data as one compressed line of letters.

    bz2, whose implementations all compress alike: the same data give the same letters everywhere.
    """
    text = json.dumps(data, separators=(",", ":"), sort_keys=True)
    return b85encode(compress(text.encode())).decode("ascii")

"""Readings and drawn inputs in a learner's words."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .readings import Other, form_of, pieces, same

__all__ = [
    "first_difference",
    "form_difference",
    "inputs_in_words",
    "numbers_of",
    "reading_in_words",
]

_LONGEST = 6  # entries of an array that are written out
_LONGEST_TEXT = 40  # characters of a text
_DIGITS = 4  # of a number, where they are enough


def reading_in_words(reading: Any, digits: int = _DIGITS) -> str:
    """Return a reading in a learner's words, such as "a tensor of shape (3, 1)"."""
    if isinstance(reading, np.ndarray):
        if reading.size <= _LONGEST and reading.ndim < 2:
            return numbers_in_words(reading, digits)
        return (
            f"{'a list of numbers' if reading.ndim == 1 else 'a tensor'} of shape {reading.shape}"
        )
    if isinstance(reading, list):
        held = ", ".join(map(reading_in_words, reading)) if len(reading) <= 4 else ""
        return f"a list of length {len(reading)}" + (f": {held}" if 0 < len(held) < 98 else "")
    if isinstance(reading, dict):
        return f"a dict with {', '.join(sorted(reading)) or 'no keys'}"
    if isinstance(reading, Other):
        kind = reading.words
        return f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"
    if isinstance(reading, str) and len(reading) > _LONGEST_TEXT:
        return repr(f"{reading[:_LONGEST_TEXT]}...")
    return repr(reading)


def numbers_in_words(array: np.ndarray, digits: int = _DIGITS) -> str:
    """Return a number, or few of them in brackets."""
    if array.ndim == 0:
        return "not finite" if np.isnan(array) else f"{float(array):.{digits}g}"
    return "[" + ", ".join(numbers_in_words(entry, digits) for entry in array) + "]"


def numbers_of(value: Any) -> np.ndarray | None:
    """Return a drawn number, list or array of numbers as an array; None for anything else."""
    if not isinstance(value, int | float | list | np.ndarray):
        return None
    try:
        array = np.asarray(value)
    except ValueError:  # lists of different lengths
        return None
    return array if array.dtype.kind in "biuf" else None


def inputs_in_words(names: str, call: tuple) -> str:
    """Return "For x = 2, n = 3, " for a call. Arguments that are too long are left out.

    >>> inputs_in_words("x n", (2.5, 3))
    'For x = 2.5, n = 3, '
    """
    shown = []
    for name, value in zip(names.split(), call, strict=False):
        array = numbers_of(value)
        if isinstance(value, str):
            shown.append(f"{name} = {value!r}")
        elif array is None:
            continue
        elif array.size <= _LONGEST and array.ndim < 2:
            shown.append(f"{name} = {numbers_in_words(array.astype(float))}")
        else:
            shown.append(f"{name} of shape {array.shape}")
    return f"For {', '.join(shown)}, " if shown else "For the randomly drawn inputs, "


def first_difference(got: Any, right: Any, tolerance: float) -> tuple[str, str, str]:
    """Find the first place where two readings of one form differ, and both values there.

    The place is empty where the whole is shown.
    """
    place, got, right = _difference(got, right, partial(same, tolerance=tolerance))
    words = [f"item {k + 1}" if isinstance(k, int) else f"under {k}" for k in place]
    if isinstance(right, np.ndarray) and (right.ndim > 1 or right.size > _LONGEST):
        gap = np.where(np.isfinite(got) == np.isfinite(right), np.abs(got - right), np.inf)
        at = np.unravel_index(np.nanargmax(gap), right.shape)
        words.append(f"entry [{', '.join(str(int(k)) for k in at)}]")
        got, right = np.asarray(got[at]), np.asarray(right[at])
    for digits in (_DIGITS, 6, 9):
        shown = reading_in_words(right, digits), reading_in_words(got, digits)
        if shown[0] != shown[1]:
            break
    return ", ".join(words), *shown


def form_difference(got: Any, right: Any) -> tuple[str, str, str]:
    """Find the first place where the forms of two readings differ, and both values there.

    The place is empty where the whole is of another form.
    """
    place, got, right = _difference(got, right, lambda a, b: form_of(a) == form_of(b))
    words = [f"item {k + 1}" if isinstance(k, int) else k for k in place]
    return ", ".join(words), reading_in_words(right), reading_in_words(got)


def _difference(got: Any, right: Any, are_alike: Callable) -> tuple[list, Any, Any]:
    """Return the first place where two readings are not alike, and the two values there."""
    given, expected = pieces(got), pieces(right)
    if given.keys() == expected.keys():
        for key in expected:
            if not are_alike(given[key], expected[key]):
                place, got, right = _difference(given[key], expected[key], are_alike)
                return [key, *place], got, right
    return [], got, right

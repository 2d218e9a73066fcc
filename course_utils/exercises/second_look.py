"""What may happen in any exercise: a factor, a sign, a transposition, a wrong order, a rounding.

This is asked of a wrong answer that no known mistake explains.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from .question import Part, Question
from .readings import pieces, same
from .showing import numbers_of

__all__ = ["second_look"]

_ADVICE = "Look for a missing or extra factor."


def second_look(
    question: Question, part: Part, got: list, right: list, calls: Sequence[tuple]
) -> tuple[str, str] | None:
    """Return a sentence and a name for what went wrong, or None if nothing is recognised.

    ``got`` and ``right`` are the part's readings, call by call, of one form.
    """

    def agree(change: Callable[[Any], Any]) -> bool:
        """Tell whether the answer is what ``change`` makes of the right readings."""
        try:
            changed = [change(reading) for reading in right]
        except (AttributeError, LookupError, TypeError, ValueError):  # of another form
            return False
        return all(same(g, c, part.tolerance) for g, c in zip(got, changed, strict=True))

    if agree(partial(_mapped, np.negative)):
        return (
            f"The sign is wrong: for {part.words}, you got -1 times the expected value. Flip the "
            "sign."
        ), "sign"
    said = _said_of_factor(question, part, _factors(got, right, part.tolerance), calls)
    if said is not None:
        return said
    if agree(partial(_mapped, np.transpose)):
        return (
            f"{part.subject} is transposed: rows and columns are swapped. Transpose it.",
            "transposed",
        )
    if agree(lambda one: one[::-1]):
        return f"{part.subject} is in reverse order. Reverse it.", "reverse order"
    if agree(partial(_rolled, 1)) or agree(partial(_rolled, -1)):
        return f"{part.subject} is off by one position. Check where you start counting.", "shifted"
    if any(
        np.any(array) for reading in got for array in _arrays(reading)
    ):  # all zeros: no rounding
        for digits in (0, 1, 2, 3, 4):
            if agree(partial(_mapped, partial(np.round, decimals=digits))):
                places = f"{digits} digit{'s' * (digits > 1)} after the decimal point"
                to = places if digits else "whole numbers"
                return f"{part.subject} is rounded to {to}. Keep every digit.", "rounded"
    return None


def _mapped(change: Callable, reading: Any) -> Any:
    """Return a reading with each of its arrays changed."""
    if isinstance(reading, np.ndarray):
        return np.asarray(change(reading))  # of one number NumPy makes a scalar
    if isinstance(reading, list):
        return [_mapped(change, item) for item in reading]
    if isinstance(reading, dict):
        return {key: _mapped(change, item) for key, item in reading.items()}
    return reading


def _rolled(places: int, reading: Any) -> Any:
    if isinstance(reading, list):
        return reading[-places:] + reading[:-places]
    if reading.ndim != 1:
        raise ValueError
    return np.roll(reading, places)


def _arrays(reading: Any) -> Iterator[np.ndarray]:
    if isinstance(reading, np.ndarray):
        yield reading
    for _, piece in sorted(pieces(reading).items()):  # whatever was stored in another order
        yield from _arrays(piece)


def _factors(got: list, right: list, tolerance: float) -> list[float]:
    """Return by which factor each call's numbers are the right ones; nothing if there is none."""
    factors = []
    for given, expected in zip(got, right, strict=True):
        g, e = (
            np.concatenate([a.ravel() for a in _arrays(x)] or [np.array([])])
            for x in (given, expected)
        )
        if not (g.any() and e.any() and np.isfinite(g).all() and np.isfinite(e).all()):
            return []
        factors.append(float(g @ e / (e @ e)))
        if not same(g, factors[-1] * e, tolerance):
            return []
    return factors


def _said_of_factor(
    question: Question, part: Part, factors: list[float], calls: Sequence[tuple]
) -> tuple[str, str] | None:
    """Say by how much, and which number of the inputs that is, where it is one."""
    if not factors:
        return None
    for larger in (True, False):
        wanted = [factor if larger else 1 / factor for factor in factors]
        for words, values in _numbers_of(question, calls):
            # With only one call, or equal numbers in all calls, a match is a coincidence.
            if len(set(values)) > 1 and np.allclose(wanted, values, rtol=1e-2):
                how = "too large" if larger else "too small"
                said = f"{part.subject} is {how} by a factor of {words}. {_ADVICE}"
                return said, f"factor {words}"
    # A number that is a little off is no factor of 1.
    if np.ptp(factors) <= 1e-2 * abs(factors[0]) and abs(factors[0] - 1) > 1e-2:
        factor = factors[0]
        sign = " and has the wrong sign" if factor < 0 else ""
        size = abs(factor)
        how = f"{size:.3g} times too large" if size > 1 else f"{1 / size:.3g} times too small"
        return f"{part.subject} is {how}{sign}. {_ADVICE}", "constant factor"
    return None


def _numbers_of(question: Question, calls: Sequence[tuple]) -> Iterator[tuple[str, list[float]]]:
    """Yield what may stand for a factor: each drawn number, and each length of a drawn array."""
    for position, name in enumerate(question.inputs.split()):
        values = [call[position] for call in calls]
        if all(isinstance(value, int | float) for value in values):
            yield name, [float(value) for value in values]
        arrays = [array for value in values if (array := numbers_of(value)) is not None]
        if len(arrays) < len(values):
            continue
        for axis in range(min(array.ndim for array in arrays)):
            lengths = [float(array.shape[axis]) for array in arrays]
            shown = ", ".join(f"{n:g}" for n in lengths)
            yield f"{shown}, the length of {name} along axis {axis}", lengths

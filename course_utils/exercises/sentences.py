"""What known mistakes are made of: wrong programs, and tables of predictions.

A lesson's ``mistakes.py`` binds ``MISTAKES``, a dict from each exercise's id: for a question a dict
from each mistake's name, a few words for tables, to a `Wrong`; for the prediction of a value a
`Table`, and for the prediction of a list a list of them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Between", "Table", "Wrong"]


@dataclass(frozen=True, init=False)
class Wrong:
    """A mistake: what is told of it, and programs that make it.

    Parameters
    ----------
    sentence : str
        What a learner is told who makes it.
    *programs : callable
        Programs as learners write them. Several are variants of one mistake.
    calls : tuple of int
        The calls in which the mistake shows; empty for all of them.
    """

    sentence: str
    programs: tuple[Callable, ...]
    calls: tuple[int, ...]

    def __init__(self, sentence: str, *programs: Callable, calls: tuple[int, ...] = ()):
        if not programs:
            raise TypeError(f"a mistake needs a program that makes it: {sentence!r}")
        fields = {"sentence": sentence, "programs": programs, "calls": calls}
        for field, value in fields.items():
            object.__setattr__(self, field, value)


@dataclass(frozen=True)
class Between:
    """A range of predicted values, both ends included."""

    low: float
    high: float


@dataclass(frozen=True)
class Table:
    """What is said of each predicted value.

    Parameters
    ----------
    rows : mapping
        From a value, a text, a shape (a tuple), None or a `Between` to a sentence; the first that
        fits counts.
    otherwise : str
        What is said of every other value of the same form as the right one, or as a row; in all
        sentences, ``{value}`` stands for what was written.
    """

    rows: Mapping[Any, str]
    otherwise: str

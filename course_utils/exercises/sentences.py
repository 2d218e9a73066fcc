"""What known mistakes are made of: wrong programs, and tables of predictions.

A lesson's ``mistakes.py`` defines ``MISTAKES``, a dict with an entry for each exercise. The entry
of a question is a dict from the name of each mistake, a few words for tables, to a `Wrong`. The
entry of a value to predict is a `Table`, and that of a list to predict is a list of tables.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Between", "Table", "Wrong"]


@dataclass(frozen=True, init=False)
class Wrong:
    """A mistake: the message for it, and programs that make it.

    Parameters
    ----------
    sentence : str
        The message that a learner gets.
    *programs : callable
        Programs as learners write them. Several are variants of one mistake.
    calls : tuple of int
        The calls in which the mistake shows. Empty for all of them.
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
    """The message for each predicted value.

    Parameters
    ----------
    rows : mapping
        From a value to a message. The value may be a text, a shape (a tuple), None or a `Between`.
        The first that fits counts.
    otherwise : str
        The message for every other value of the same form as the right one, or as a row. In all
        messages, ``{value}`` stands for the predicted value.
    """

    rows: Mapping[Any, str]
    otherwise: str

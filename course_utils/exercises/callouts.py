"""The predictions in a lesson's text, and the message for each answer."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

__all__ = ["Callout", "Variant"]

_LONGEST = 60  # characters of a word that is typed


@dataclass(frozen=True)
class Callout:
    """A question that the reader answers before the next cell shows the truth.

    The question itself is in the lesson, as a callout. The options are below it, each with a
    letter. If ``otherwise`` is given, the reader types a word or a number instead.
    """

    id: str  # the lesson and a letter, such as "04.a"
    right: str  # the option that is true
    # From each option, in a few words, to its message. A wrong option's message says why it is
    # tempting and what is wrong with it. The right one's is the explanation.
    options: Mapping[str, str]
    otherwise: str = ""  # the message for any other word or number

    def __post_init__(self) -> None:
        if self.right not in self.options:
            known = ", ".join(self.options)
            raise ValueError(f"{self.id}: right={self.right!r} is not one of the options {known}")
        if len(self.options) < 2 or not all(self.options.values()):
            raise ValueError(f"{self.id}: give two or more options, each with its sentence")

    @property
    def letters(self) -> dict[str, str]:
        """The letter of each option; empty where a word or a number is typed."""
        return {} if self.otherwise else dict(zip(ascii_lowercase, self.options, strict=False))

    @property
    def answer(self) -> str:
        """What a reader types who is right."""
        return next((x for x, words in self.letters.items() if words == self.right), self.right)

    @property
    def how(self) -> str:
        """What to type."""
        if self._asks_for_a_number:
            return "a number"
        *most, last = self.letters or ["a word", "a number"]
        return f"{', '.join(most)} or {last}"

    @property
    def _asks_for_a_number(self) -> bool:
        numbers = (isinstance(_folded(words), float) for words in self.options)
        return bool(self.otherwise) and all(numbers)

    def meant(self, typed: Any) -> str | None:
        """Return the option that was meant, or the word that was typed; None if it is neither."""
        text = _in_words(typed)
        if not text:
            return None
        if text.lower().rstrip(".):") in self.letters:
            return self.letters[text.lower().rstrip(".):")]
        same = [words for words in self.options if _folded(words) == _folded(text)]
        if same:
            return same[0]
        if self.otherwise and _is_rounded(_folded(text), self.right):
            return self.right
        is_meant = not self._asks_for_a_number or isinstance(_folded(text), float)
        return text if self.otherwise and is_meant else None

    def sentence(self, words: str) -> str:
        """Return the sentence for an option, or for another word."""
        return self.options.get(words, self.otherwise)


@dataclass(frozen=True)
class Variant(Callout):
    """A prediction that comes back later: the same trap with other numbers and names.

    It has the id of the prediction, but its own program. TensorFlow, NumPy and math are imported as
    ``tf``, ``np`` and ``math``. The truth is what the program prints last. If the options are
    words, it is the value of the expression ``truth``.
    """

    program: str = ""
    section: str = ""  # the heading in the lesson below which it can be read again
    question: str = "What does it print?"
    truth: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.program.strip() or not self.section:
            raise ValueError(f"{self.id}: a variant needs a program, and a section to read again")


def _in_words(typed: Any) -> str:
    """Return a short text, a number or numbers, or None as text; nothing of anything else."""
    is_plain = typed is None or isinstance(typed, str | int | float)
    if not is_plain and isinstance(typed, list | tuple):
        is_plain = all(isinstance(item, int | float) for item in typed)
    text = str(typed).strip() if is_plain else ""
    return text if len(text) <= _LONGEST else ""


def _is_rounded(typed: Any, right: str) -> bool:
    """Tell whether a number, typed with more digits, is the right one: 117.39 for 117.

    >>> _is_rounded(117.39, "117"), _is_rounded(118.0, "117"), _is_rounded(2.6, "3")
    (True, False, False)
    """
    wanted = _folded(right)
    if not isinstance(typed, float) or not isinstance(wanted, float):
        return False
    is_near = math.isclose(typed, wanted, rel_tol=0.01)
    return is_near and round(typed, len(right.partition(".")[2])) == wanted


def _folded(text: str) -> Any:
    """Normalize an answer, so that 9, 9.0 and "9" are the same."""
    plain = "".join(text.replace("`", "").replace("−", "-").lower().split())
    try:
        return float(plain)
    except ValueError:
        return plain.strip("()[]\"'")

"""Judging a prediction: which value was written, and what is said of it."""

from typing import Any

import numpy as np

from .exercise import Judgement, failed, not_attempted, passed
from .question import Prediction
from .readings import form_of, read, same
from .references import decoded
from .showing import reading_in_words

__all__ = ["judged", "sentence_for", "value_of"]


def judged(prediction: Prediction, described: Any, known: dict) -> Judgement:
    """Return the judgement of the described value that was written.

    ``known`` has the ``right`` value, and a table of sentences, or one for each entry of a list, as
    ``course build`` stores them.
    """
    if described == {"type": "ellipsis"}:
        return not_attempted("Replace the ... with your answer, then check again.")
    right = decoded(known["right"])
    if not prediction.entries:
        value = value_of(described)
        if same(value, right, prediction.tolerance):
            return passed(prediction.praise)
        sentence = sentence_for(value, known["tables"][0], prediction.tolerance)
        if sentence is None:
            return _of_other_form(prediction, described)
        return failed(sentence, f"wrote {_short(described)}")
    items = described["items"] if isinstance(described, dict) and "items" in described else None
    if not isinstance(items, list) or len(items) != len(right):
        return _of_other_form(prediction, described)
    values = [value_of(item) for item in items]
    hits = [same(v, r, prediction.tolerance) for v, r in zip(values, right, strict=True)]
    if all(hits):
        return passed(prediction.praise)
    first = hits.index(False)
    sentence = sentence_for(values[first], known["tables"][first], prediction.tolerance)
    if sentence is None:
        return _of_other_form(prediction, items[first], f"Line {first + 1}: ")
    return failed(
        f"Line {first + 1}, {prediction.entries[first]}: {sentence} "
        f"You have {sum(hits)} of {len(hits)} right.",
        f"line {first + 1}: wrote {_short(items[first])}",
    )


def _of_other_form(prediction: Prediction, described: Any, where: str = "") -> Judgement:
    return failed(
        f"{where}{prediction.form}; you wrote {reading_in_words(value_of(described))}.",
        "other form",
    )


def value_of(described: Any) -> Any:
    """Return the reading of a prediction: the text "None" is None, and a list of one stays one."""
    value = read(described)
    if isinstance(value, str):
        return None if value == "None" else value
    if not _is_list(described):
        return value
    items = described["items"]
    if any(map(_is_list, items)):  # lists in a list: ([4], [2]) is not (4, 2)
        return [value_of(item) for item in items]
    return [value] if len(items) == 1 and not isinstance(value, list) else value


def _is_list(described: Any) -> bool:
    return isinstance(described, dict) and described["type"] in ("list", "tuple")


def sentence_for(value: Any, table: dict, tolerance: float) -> str | None:
    """Return what a table says of a value; None for a value of a form that it does not know."""
    for row in table["rows"]:
        if "from" in row:
            is_number = isinstance(value, np.ndarray) and value.shape == ()
            if is_number and row["from"] <= value <= row["to"]:
                return row["sentence"].replace("{value}", _words(value))
        elif same(value, decoded(row["value"]), tolerance):
            return row["sentence"].replace("{value}", _words(value))
    forms = [form_of(decoded(form)) for form in table["forms"]]
    if form_of(value) in forms:
        return table["otherwise"].replace("{value}", _words(value))
    return None


def _words(value: Any) -> str:
    is_number = isinstance(value, np.ndarray) and value.shape == ()
    return f"{float(value):g}" if is_number else str(np.asarray(value).tolist())


def _short(described: Any) -> str:
    return _words(value_of(described))[:40]

"""Judging a predicted value: which one it is, and the message for it."""

from typing import Any

import numpy as np

from .exercise import Judgement
from .question import ValueQuestion
from .readings import form_of, is_list, same, value_of
from .references import decoded
from .showing import reading_in_words

__all__ = ["judged", "known_values", "sentence_for"]


def judged(prediction: ValueQuestion, described: Any, known: dict) -> Judgement:
    """Return the judgement of the described value that was written.

    ``known`` has the ``right`` value, and a table of sentences, or one for each entry of a list, as
    ``course build`` stores them.
    """
    if described == {"type": "ellipsis"}:
        message = "Replace the ... with your answer, then check again."
        return Judgement("not attempted", message)
    items, right = [described], [decoded(known["right"])]
    if prediction.entries:
        items, right = _items_of(described), right[0]
        if len(items) != len(right):
            return _of_other_form(prediction, described)
    values, tolerance = [value_of(item) for item in items], prediction.tolerance
    hits = [same(*pair, tolerance) for pair in zip(values, right, strict=True)]
    if all(hits):
        return Judgement("passed", prediction.praise, 1.0)
    first = hits.index(False)
    line = f"Line {first + 1}" if prediction.entries else ""
    sentence = sentence_for(values[first], known["tables"][first], tolerance)
    if sentence is None:
        return _of_other_form(prediction, items[first], f"{line}: " if line else "")
    wrote = f"wrote {_words(values[first])[:40]}"
    if line:
        sentence = (
            f"{line}, {prediction.entries[first]}: {sentence} "
            f"You have {sum(hits)} of {len(hits)} right."
        )
        wrote = f"{line.lower()}: {wrote}"
    return Judgement("failed", sentence, mistake=wrote)


def known_values(prediction: ValueQuestion, known: dict) -> dict[str, str]:
    """Return the sentence for each single value of the tables, by the name of the mistake."""
    sentences = {}
    for number, table in enumerate(known["tables"], 1):
        where = f"line {number}: " if prediction.entries else ""
        for row in table["rows"]:
            if "value" in row:
                words = _words(decoded(row["value"]))
                sentence = row["sentence"].replace("{value}", words)
                sentences[f"{where}wrote {words[:40]}"] = sentence
    return sentences


def _of_other_form(prediction: ValueQuestion, described: Any, where: str = "") -> Judgement:
    given = reading_in_words(value_of(described))
    message = f"{where}{prediction.form}; you wrote {given}."
    return Judgement("failed", message, mistake="other form")


def _items_of(described: Any) -> list:
    """Return the described values of a list, or of an array of numbers."""
    if isinstance(described, dict) and len(described.get("shape", ())) == 1:
        return described["value"] or []
    return described["items"] if is_list(described) else []


def sentence_for(value: Any, table: dict, tolerance: float) -> str | None:
    """Return a table's sentence for a value; None for a value of a form that it does not know."""
    for row in table["rows"]:
        if "from" in row:
            is_meant = _is_number(value) and row["from"] <= value <= row["to"]
        else:
            is_meant = same(value, decoded(row["value"]), tolerance)
        if is_meant:
            return row["sentence"].replace("{value}", _words(value))
    if form_of(value) in [form_of(decoded(form)) for form in table["forms"]]:
        return table["otherwise"].replace("{value}", _words(value))
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.shape == ()


def _words(value: Any) -> str:
    if _is_number(value):
        return f"{float(value):g}"
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "iuf":
        return f"[{', '.join(f'{number:g}' for number in value)}]"
    return str(np.asarray(value).tolist())

"""``predict``: the call under every question that is answered before the truth is shown."""

from dataclasses import dataclass, replace
from typing import Any

from gradient_tools.showing.card import card, with_code

from .exercises.callouts import Callout
from .workspace.curriculum import find_prediction
from .workspace.progress import record_prediction

__all__ = ["PredictionResult", "answered", "predict"]


@dataclass(frozen=True)
class PredictionResult:
    """The message for a prediction: a card in Jupyter, one plain line elsewhere.

    ``predicted`` is empty as long as nothing was committed, and ``message`` then says how to.
    """

    id: str
    message: str
    predicted: str = ""
    right: str = ""
    explanation: str = ""
    others: tuple[tuple[str, str], ...] = ()

    @property
    def is_right(self) -> bool:
        """Whether something was predicted, and it is so."""
        return bool(self.predicted) and self.predicted == self.right

    def with_note(self, note: str) -> "PredictionResult":
        """Return the same with a sentence more."""
        return replace(self, explanation=f"{self.explanation} {note}")

    @property
    def _headline(self) -> str:
        if not self.predicted:
            return f"○ {self.id}"
        if self.is_right:
            return f"✓ {self.id} · as you predicted: {self.right}"
        return f"✗ {self.id} · you predicted: {self.predicted} · it is: {self.right}"

    def __repr__(self) -> str:
        said = (f"{self._headline}.", self.message, self.explanation)
        return " ".join(filter(None, said))

    def _repr_html_(self) -> str:
        said = [f"<div><strong>{with_code(self._headline)}</strong></div>"]
        said += [
            f"<div>{with_code(text)}</div>" for text in (self.message, self.explanation) if text
        ]
        if self.others:
            others = "".join(
                f"<p><strong>{with_code(words)}</strong>: {with_code(sentence)}</p>"
                for words, sentence in self.others
            )
            said.append(f"<details><summary>The other answers</summary>{others}</details>")
        return card("#0072B2" if self.predicted else "#777777", *said)


def predict(prediction_id: str, answer: Any = "") -> PredictionResult:
    """Commit to a prediction. The card says what is true, and why.

    It never raises. The first prediction is kept in the progress file; predict again as you like.
    First used in lesson 00.

    Parameters
    ----------
    prediction_id : str
        The lesson and a letter, such as ``"04.a"``.
    answer : str, number or None
        The letter of an option. If there are no options, a word or a number.

    Examples
    --------
    >>> predict("00.a", "")
    ○ 00.a. Type a, b or c between the quotes, and run this cell again.
    """
    try:
        question = find_prediction(prediction_id)
    except LookupError as error:
        return PredictionResult(str(prediction_id), str(error))
    result = answered(question, answer)
    if not result.predicted:
        return result
    try:
        first = record_prediction(question.id, result.predicted, result.is_right)
        if first != result.predicted:
            return result.with_note(f"Your first prediction, {first}, is kept.")
    except OSError as error:
        return result.with_note(
            f"This prediction was not saved: {error}. Fix the cause, and run the cell again."
        )
    return result


def answered(question: Callout, answer: Any) -> PredictionResult:
    """Return the message for an answer to a question, and keep nothing."""
    if answer is ... or isinstance(answer, str) and answer in ("", "..."):
        how = f"Type {question.how} between the quotes, and run this cell again."
        return PredictionResult(question.id, how)
    predicted = question.meant(answer)
    if predicted is None:
        what = repr(answer)[:40] if isinstance(answer, str) else f"of type {type(answer).__name__}"
        message = f"Your answer is {what}. Type {question.how}, in quotes, and run this cell again."
        return PredictionResult(question.id, message)
    explanation = question.sentence(question.right)
    message = "" if predicted == question.right else question.sentence(predicted)
    others = tuple(x for x in question.options.items() if x[0] not in (predicted, question.right))
    return PredictionResult(question.id, message, predicted, question.right, explanation, others)

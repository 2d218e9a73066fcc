"""``predict``: the call under every question that is answered before the truth is shown."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ..exercises.callouts import Predict
from ..figures.card import card, with_code
from .curriculum import LESSONS
from .progress import record_prediction

__all__ = ["PredictionResult", "find_prediction", "predict", "predictions_of"]

_UNTOUCHED = (..., "", "...")


@dataclass(frozen=True)
class PredictionResult:
    """What is said of a prediction: shown as a card in Jupyter, as one plain line elsewhere.

    ``predicted`` is empty as long as nothing was committed, and ``message`` then says how to.
    """

    id: str
    message: str
    predicted: str = ""
    right: str = ""
    explanation: str = ""
    others: tuple[tuple[str, str], ...] = ()

    @property
    def _headline(self) -> str:
        if not self.predicted:
            return f"○ {self.id}"
        if self.predicted == self.right:
            return f"✓ {self.id} · as you predicted: {self.right}"
        return f"✗ {self.id} · you predicted: {self.predicted} · it is: {self.right}"

    def __repr__(self) -> str:
        said = f"{self._headline}. {self.message} {self.explanation}".strip()
        return said.replace("  ", " ")

    def _repr_html_(self) -> str:
        colour = "#777777" if not self.predicted else "#0072B2"
        said = [
            f"<div>{with_code(text)}</div>" for text in (self.message, self.explanation) if text
        ]
        others = "".join(
            f"<p><strong>{with_code(words)}</strong>: {with_code(sentence)}</p>"
            for words, sentence in self.others
        )
        if others:
            others = f"<details><summary>The other answers</summary>{others}</details>"
        headline = f"<div><strong>{with_code(self._headline)}</strong></div>"
        return card(colour, headline, *said, others)


def predict(prediction_id: str, answer: Any = "") -> PredictionResult:
    """Commit to a prediction; the card says what is true, and why.

    It never raises. The first prediction is kept in the progress file; predict again as you like.

    Parameters
    ----------
    prediction_id : str
        The lesson and a letter, such as ``"04.a"``.
    answer : str, number or None
        The letter of an option, or a word or a number where there are no options.

    Returns
    -------
    PredictionResult

    Notes
    -----
    First used in lesson 00.

    Examples
    --------
    >>> predict("00.a", "")
    ○ 00.a. Type a, b or c between the quotes, and run this cell again.
    """
    try:
        question = find_prediction(prediction_id)
    except LookupError as error:
        return PredictionResult(str(prediction_id), str(error.args[0]))
    if answer in _UNTOUCHED if isinstance(answer, str) else answer is ...:
        how = f"Type {question.how} between the quotes, and run this cell again."
        return PredictionResult(question.id, how)
    predicted = question.meant(answer)
    if predicted is None:
        what = repr(answer)[:40] if isinstance(answer, str) else f"of type {type(answer).__name__}"
        message = f"This is {what}. Type {question.how}, in quotes, and run this cell again."
        return PredictionResult(question.id, message)
    said = question.sentence(predicted)
    is_right = predicted == question.right
    return PredictionResult(
        question.id,
        "" if is_right else said,
        predicted,
        question.right,
        " ".join([question.sentence(question.right), *_recorded(question, predicted)]),
        tuple(x for x in question.options.items() if x[0] not in (predicted, question.right)),
    )


def _recorded(question: Predict, predicted: str) -> list[str]:
    """Keep a first prediction, and return a sentence where there was an earlier one or no room."""
    try:
        first = record_prediction(question.id, predicted)
    except OSError as error:
        return [f"This prediction was not saved: {error}."]
    return [] if first == predicted else [f"Your first prediction, {first}, is kept."]


def predictions_of(number: str) -> tuple[Predict, ...]:
    """Return what the lesson with this two-digit number asks to predict, in its order."""
    module = import_module(f"course_utils.exercises.generated.lesson_{number}")
    return getattr(module, "PREDICTIONS", ())


def find_prediction(prediction_id: str) -> Predict:
    """Return the prediction with this id; LookupError names those of the lesson."""
    number = str(prediction_id)[:2]
    known = predictions_of(number) if number in [lesson.number for lesson in LESSONS] else ()
    for prediction in known:
        if prediction.id == prediction_id:
            return prediction
    ids = ", ".join(prediction.id for prediction in known)
    there = f"Lesson {number} has {ids}" if ids else 'An id is a lesson and a letter, as "04.a"'
    raise LookupError(f"There is no prediction {str(prediction_id)[:40]!r}. {there}.")

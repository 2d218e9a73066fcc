"""Questions that come back: ``warm_up`` at the start of a lesson, and ``review``."""

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any
from urllib.parse import quote

from gradient_tools.showing.card import card, code_block, with_code

from .exercises.callouts import Variant
from .exercises.lesson_questions import variants
from .predicting import PredictionResult, answered
from .workspace.boxes import Asked, due, for_warm_up, mixed, predicted
from .workspace.curriculum import LESSONS, find_lesson, find_prediction
from .workspace.progress import Progress, read_progress, record_answer

__all__ = ["Asking", "Review", "coming_back", "due_now", "review", "warm_up", "warm_up_for"]

MOST = 8  # questions of a review: five minutes
OF_A_PART = 10
_BLUE = "#0072B2"


# Which questions ----------------------------------------------------------------------------------


def coming_back(progress: Progress) -> dict[str, Asked]:
    """Return the questions that this learner answered, and that there are other numbers for.

    These are predictions, and exercises whose answer is a value: right if the first attempt was.
    """
    answered = {
        i: progress.predictions[i] == find_prediction(i).right for i in progress.predictions
    }
    known = {i: predicted(is_right, None) for i, is_right in answered.items()}
    for i, entry in progress.exercises.items():
        if entry["attempts"]:
            is_right = entry["attempts"] == 1 and progress.has_passed(i)
            known[i] = Asked(int(is_right), entry.get("checked_at", ""))
    return {i: asked for i, asked in (known | progress.asked).items() if _variants_of(i)}


def due_now(progress: Progress, most: int = MOST) -> list[str]:
    """Return the questions that are due, those first that wait longest."""
    return due(coming_back(progress), datetime.now(timezone.utc), most)


def _of_part(part: str, progress: Progress) -> list[str]:
    """Return up to ten questions over a part, whether due or not, longest not asked first."""
    known = coming_back(progress)
    lessons = [lesson.number for lesson in LESSONS if lesson.part.startswith(f"Part {part}:")]
    ids = {variant.id for number in lessons for variant in variants(number)}
    order = sorted(ids, key=lambda i: (known[i].at if i in known else "", i))
    return mixed(order[:OF_A_PART])


def _variants_of(prediction_id: str) -> list[Variant]:
    return [variant for variant in variants(prediction_id[:2]) if variant.id == prediction_id]


def _next_variant(prediction_id: str, progress: Progress) -> Variant:
    """Return the variant whose turn it is: never the one that was asked last."""
    own, asked = _variants_of(prediction_id), progress.asked.get(prediction_id)
    return own[(asked.times if asked else 0) % len(own)]


# How a question is shown --------------------------------------------------------------------------


def _program(variant: Variant) -> str:
    return variant.program.strip("\n")


def _question_html(variant: Variant) -> str:
    options = "".join(
        f"<div><strong>{letter}</strong> · {with_code(words)}</div>"
        for letter, words in variant.letters.items()
    )
    asked = f"<div>{with_code(variant.question)}</div>"
    return f"{code_block(_program(variant))}{asked}{options}"


def question_in_text(variant: Variant) -> str:
    """Return a question as lines of text."""
    options = [f"  {letter}  {words}" for letter, words in variant.letters.items()]
    return "\n".join([_program(variant), "", variant.question, *options])


@dataclass(frozen=True)
class Passage:
    """Where a lesson says what a question was about."""

    lesson: str
    section: str

    def __str__(self) -> str:
        return f'{self.lesson}.ipynb, "{self.section}"'

    def link(self) -> str:
        """Return a link that JupyterLab opens at the section."""
        anchor = quote(self.section.replace("`", "").replace(" ", "-"))
        return f'<a href="{self.lesson}.ipynb#{anchor}">{html.escape(str(self))}</a>'


def passage_of(variant: Variant) -> Passage:
    """Return the place in the lessons where a question's subject is explained."""
    return Passage(find_lesson(variant.id[:2]).name, variant.section)


# A round of questions -----------------------------------------------------------------------------


class Asking:
    """A round of questions: each is asked, answered and kept in its turn."""

    def __init__(self, ids: Sequence[str], progress: Progress):
        self.left = [_next_variant(i, progress) for i in ids]
        self.count = len(self.left)
        self.wrong: list[Variant] = []

    def answer(self, answer: Any) -> PredictionResult:
        """Answer the first question that is left; what is no answer to it changes nothing."""
        variant = self.left[0]
        result = answered(variant, answer)
        if not result.predicted:
            return result
        self.left.pop(0)
        if not result.is_right:
            self.wrong.append(variant)
        try:
            record_answer(variant.id, result.is_right)
        except OSError as error:
            return result.with_note(
                f"This answer was not saved: {error}. Fix the cause, and answer again."
            )
        return result

    def number(self) -> str:
        """Say which question is asked, such as ``2 of 8``."""
        return f"{self.count - len(self.left) + 1} of {self.count}"

    def passages(self) -> list[Passage]:
        """List the sections to read again, each once."""
        return list(dict.fromkeys(map(passage_of, self.wrong)))


@dataclass(frozen=True)
class Review:
    """The messages for the last answers, and the next questions: a card in Jupyter."""

    said: tuple[PredictionResult, ...]
    lines: tuple[str, ...]  # plain sentences
    questions: tuple[Variant, ...] = ()
    passages: tuple[Passage, ...] = ()
    summary: str = ""  # of what is folded; empty if nothing is folded

    def __repr__(self) -> str:
        shown = [repr(result) for result in self.said]
        shown += [question_in_text(question) for question in self.questions]
        again = [f"Read again: {passage}" for passage in self.passages]
        return "\n\n".join([*shown, *filter(None, [self.summary]), *self.lines, *again])

    def _repr_html_(self) -> str:
        shown = "".join(result._repr_html_() for result in self.said)
        blocks = [_question_html(question) for question in self.questions]
        if len(blocks) > 1:
            blocks = [f"<p><strong>Question {n}</strong></p>{b}" for n, b in enumerate(blocks, 1)]
        blocks += [f"<div>{with_code(line)}</div>" for line in self.lines]
        blocks += [f"<div>Read again: {passage.link()}</div>" for passage in self.passages]
        body = "".join(blocks)
        if self.summary:
            body = f"<details><summary>{html.escape(self.summary)}</summary>{body}</details>"
        return shown + (card(_BLUE, body) if body else "")


_warm_up: Asking | None = None
_review: Asking | None = None


def warm_up_for(number: str, progress: Progress) -> Review | None:
    """Return the questions with which a lesson begins, folded; None where there are none."""
    global _warm_up
    begun = {i[:2] for i in [*progress.exercises, *progress.predictions]}
    open_ones = {
        variant.id
        for lesson in begun
        for variant in variants(lesson)
        if variant.id[3:].isalpha() and variant.id not in progress.predictions
    }
    chosen = for_warm_up(coming_back(progress), open_ones, before=number)
    _warm_up = Asking(chosen, progress)
    if not chosen:
        return None
    is_one = len(chosen) == 1
    answers = '"a"' if is_one else '"a", "b"'
    how = (
        "Answer in a new cell, or skip the warm-up; it is not graded. First run `from course_utils "
        f"import warm_up`. Then call it with your answers, such as `warm_up({answers})`."
    )
    title = "A question" if is_one else "Two questions"
    return Review(
        (), (how,), tuple(_warm_up.left), summary=f"{title} from earlier lessons (a minute)"
    )


def warm_up(*answers: Any) -> Review:
    """Answer the questions with which a lesson began, or show them.

    They are predictions of earlier lessons with other numbers. Your answer decides when a question
    comes back. Answers stay in your progress file, and are never handed in. First used in lesson
    02.

    Parameters
    ----------
    *answers : str, number or None
        One for each question, in their order. Each is the letter of an option, a word or a number.

    Examples
    --------
    >>> warm_up("a")
    There are no earlier questions. `start_lesson` asks questions once you have made a prediction.
    """
    asking = _warm_up
    if asking is None or not asking.left:
        if asking and asking.count:
            return Review((), ("You have answered the earlier questions.",))
        how = "`start_lesson` asks questions once you have made a prediction."
        return Review((), (f"There are no earlier questions. {how}",))
    said = tuple(_answers(asking, answers))
    left = tuple(asking.left)
    lines = (f"Answer with `warm_up(...)`: {left[0].how}.",) if left else ()
    return Review(said, lines, left, tuple(asking.passages()) if not left else ())


def _answers(asking: Asking, answers: Sequence[Any]) -> Iterator[PredictionResult]:
    for answer in answers:
        if not asking.left:
            return
        result = asking.answer(answer)
        yield result
        if not result.predicted:
            return


def review(answer: Any = "", *, part: str = "") -> Review:
    """Ask the review questions that are due: up to eight, in about five minutes.

    Call it without an answer for the first question, and then with your answer to each. After the
    last answer it says what to read again. The predictions of the lessons come back with other
    numbers after 1, 3, 7, 21 and 60 days. Each right answer moves a question to the next interval,
    and a wrong one to the first. First used in lesson 07.

    Parameters
    ----------
    answer : str, number or None
        The letter of an option, a word or a number.
    part : str
        ``"I"``, ``"II"`` or ``"III"`` asks ten questions on this part, whether they are due or not.

    Raises
    ------
    ValueError
        If there is no such part.
    OSError
        If the progress file cannot be read.
    """
    global _review
    said: tuple[PredictionResult, ...] = ()
    if part or _review is None or not _review.left:
        _review = new_review(part)
    if answer != "" and _review.left:
        said = (_review.answer(answer),)
    if _review.left:
        question = _review.left[0]
        lines = (f"Question {_review.number()}. Answer with `review(...)`: {question.how}.",)
        return Review(said, lines, (question,))
    return Review(said, (ending(_review),), passages=tuple(_review.passages()))


def new_review(part: str = "") -> Asking:
    """Return a round of what is due, or of a part; ValueError if there is no such part."""
    progress = read_progress()
    parts = list(dict.fromkeys(lesson.part.split(":")[0][5:] for lesson in LESSONS))
    if part and part not in parts:
        raise ValueError(f"There is no part {part!r}. The parts are {', '.join(parts)}.")
    return Asking(_of_part(part, progress) if part else due_now(progress), progress)


def ending(asking: Asking) -> str:
    """Say how a round went."""
    if not asking.count:
        return (
            "No questions are due today. What you predict in a lesson comes back as a question a "
            "day or more later."
        )
    right = asking.count - len(asking.left) - len(asking.wrong)
    return (
        f"{right} of {asking.count} right. When questions are due again, `status()` or `course "
        "status` says so."
    )

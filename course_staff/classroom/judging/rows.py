"""One exercise of one submission in the results, and what stops a grading before it begins."""

from dataclasses import dataclass

__all__ = ["BadInput", "Row"]


class BadInput(Exception):
    """There is nothing to grade, or no place for the results; the message says which."""


@dataclass(frozen=True)
class Row:
    """One exercise of one submission in the results.

    ``where`` says in which line one change is enough, where no gallery knows the mistake. ``note``
    says how the run ended where that matters, ``comment`` what a teacher changed, and ``on_lesson``
    what a teacher says of the whole lesson.
    """

    student: str
    lesson: str
    exercise: str
    title: str
    outcome: str
    message: str
    points: float
    possible: int
    submission: str
    submitted: str
    counts: bool
    mistake: str
    note: str = ""
    comment: str = ""
    on_lesson: str = ""
    where: str = ""

"""A lesson as a page: its exercises open, its outputs those of the worked notebook.

The text and every cell come from the learner's notebook, so that no answer can get onto a page by
its source. An output comes from the worked notebook, and only where both hold the same cell.
"""

import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_output

from course_utils.checking import CheckResult
from course_utils.exercises.question import ValueQuestion
from course_utils.exercises.references import stored
from course_utils.workspace.curriculum import Lesson, find_exercise, find_prediction
from gradient_tools.showing.card import with_code

from ..authoring.sections import deeper_cells

__all__ = ["lesson_page", "wrong_answers"]

_CALL = re.compile(r'(check|predict)\("(\d\d\.\w+)"')
_MESSAGES = 2  # of wrong answers, that a page shows


def lesson_page(lesson: Lesson, root: Path) -> NotebookNode:
    """Return the notebook from which the page of a lesson is made."""
    page, worked = (
        nbformat.read(root / folder / f"{lesson.name}.ipynb", as_version=4)
        for folder in ("notebooks", "solutions")
    )
    known = "\n".join(cell.source for cell in page.cells)
    answers = "\n".join(cell.source for cell in worked.cells if "exercise" in cell.metadata)
    hidden = [line for line in map(str.strip, answers.splitlines()) if line not in known]
    outputs = {(cell.id, cell.source): cell for cell in worked.cells if cell.cell_type == "code"}
    predicted = asked = False  # does the next output show what a prediction, an exercise asks?
    for cell in page.cells:
        if cell.cell_type != "code":
            asked = asked and not cell.source.startswith("## ")
            continue
        twin = outputs.get((cell.id, cell.source))
        cell.outputs = twin.outputs if twin and "exercise" not in cell.metadata else []
        call = _CALL.match(cell.source)
        if call and call[1] == "check":
            cell.outputs = [_html(_messages(call[2], hidden))]
            asked = isinstance(find_exercise(call[2]), ValueQuestion)
        elif call:
            cell.outputs = [_html(_options(call[2]))]
            predicted = True
        elif asked:  # it holds the answer, and is there to be run
            cell.outputs, asked = [], False
            _tag(cell, "hide-input")
        elif predicted and cell.outputs:
            predicted = False
            _tag(cell, "hide-output")
    page.cells = list(_folded(page.cells))
    return page


_HEADING = re.compile(r"^(#{3,} .*)$", re.M)
_OPEN, _CLOSE = '<details class="deeper"><summary>Show</summary>', "</details>"


def _folded(cells: Sequence[NotebookNode]) -> Iterator[NotebookNode]:
    """Yield the cells, with what is below each heading of *Going deeper* in a part that opens.

    A part ends before the next heading: a section of the page cannot begin inside it.
    """
    deeper, is_open = deeper_cells(cells), False
    for index, cell in enumerate(cells):
        if is_open and index not in deeper:
            yield new_markdown_cell(_CLOSE)
            is_open = False
        if index in deeper and cell.cell_type == "markdown":
            before, *rest = _HEADING.split(cell.source)
            cell.source = before
            for heading, text in zip(rest[::2], rest[1::2], strict=True):
                end = f"{_CLOSE}\n\n" if is_open else ""
                cell.source += f"{end}{heading}\n\n{_OPEN}{text}"
                is_open = True
        yield cell
    if is_open:
        yield new_markdown_cell(_CLOSE)


def wrong_answers(exercise_id: str, hidden: Sequence[str] = ()) -> list[str]:
    """Return the messages for the first two known mistakes of an exercise.

    Sentences that hold one of the ``hidden`` lines, those of the right answers, are passed over.
    """
    known = stored(exercise_id)
    rows = [row for table in known.get("tables", ()) for row in table["rows"]]
    sentences = dict.fromkeys(mistake["sentence"] for mistake in known.get("mistakes") or rows)
    shown = [
        said
        for said in sentences
        if "{" not in said and not any(line in said.replace("`", "") for line in hidden)
    ]
    return shown[:_MESSAGES]


def _messages(exercise_id: str, hidden: Sequence[str]) -> str:
    title = find_exercise(exercise_id).title
    cards = [
        CheckResult(exercise_id, "failed", said, title)._repr_html_()
        for said in wrong_answers(exercise_id, hidden)
    ]
    return _fold("Messages for two wrong answers", "".join(cards))


def _options(prediction_id: str) -> str:
    """Return each option of a prediction, with what is said of it folded below."""
    question = find_prediction(prediction_id)
    if not question.letters:
        said = [f"<p>{with_code(question.sentence(question.right))}</p>"]
        head = f"<p>It is: <strong>{with_code(question.right)}</strong></p>"
        return _fold("Commit to a word or a number, then open this", head + "".join(said))
    folds = [
        _fold(
            f"<strong>{letter}</strong>: {with_code(words)}",
            f"<p>{'✓ Correct.' if words == question.right else '✗ Not correct.'} "
            f"{with_code(question.sentence(words))}</p>",
        )
        for letter, words in question.letters.items()
    ]
    return "<p>Commit to one, then open it.</p>" + "".join(folds)


def _fold(summary: str, body: str) -> str:
    return f"<details><summary>{summary}</summary>{body}</details>"


def _html(text: str) -> NotebookNode:
    plain = escape(re.sub("<[^>]+>", " ", text))
    return new_output("display_data", data={"text/html": text, "text/plain": plain})


def _tag(cell: NotebookNode, tag: str) -> None:
    cell.metadata.setdefault("tags", []).append(tag)

"""The questions in a lesson's text that are predicted: their options, and the right letter."""

import re
from collections.abc import Iterator

from nbformat import NotebookNode

from course_utils.exercises.callouts import Callout

__all__ = ["answered", "list_options"]

_CALLOUT = "> **Predict**"
_CALL = re.compile(r'predict\("(\d\d\.[a-z])", ""\)')


def list_options(cells: list[NotebookNode], known: dict[str, Callout]) -> Iterator[tuple[int, str]]:
    """Write the options under each callout, in place, and yield what is wrong, and in which cell.

    A callout ends a cell of text. Below it stands ``predict("NN.a", "")``, alone in its cell.
    """
    asked: list[str] = []
    for index, cell in enumerate(cells):
        call = _CALL.fullmatch(cells[index + 1].source) if index + 1 < len(cells) else None
        if cell.cell_type == "code" and cell.source.startswith("predict("):
            if not (_CALL.fullmatch(cell.source) and _CALLOUT in cells[index - 1].source):
                yield index, f'`predict("NN.a", "")` must be alone in a cell below a `{_CALLOUT}`'
        if cell.cell_type != "markdown" or _CALLOUT not in cell.source:
            continue
        if call is None:
            yield index, 'a cell that contains only `predict("NN.a", "")` must follow this one'
            continue
        asked.append(call[1])
        if call[1] not in known:
            yield index + 1, f"prediction {call[1]} is not among PREDICTIONS in exercises.py"
        elif not cell.source.splitlines()[-1].startswith("> "):
            yield index, "this cell must end with the callout's question: the options follow it"
        else:
            lines = [f"> - **{x}**: {words}" for x, words in known[call[1]].letters.items()]
            cell.source = "\n".join([cell.source, *([">"] if lines else []), *lines])
    if asked != list(known):
        held, found = (", ".join(ids) or "none" for ids in (known, asked))
        yield 0, f"PREDICTIONS contains {held}, but the text asks {found}: make them match"


def answered(source: str, known: dict[str, Callout]) -> str:
    """Return a code cell of the worked notebook: a prediction holds the right answer."""
    call = _CALL.fullmatch(source)
    return f'predict("{call[1]}", "{known[call[1]].answer}")' if call else source

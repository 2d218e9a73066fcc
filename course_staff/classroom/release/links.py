"""Links between lessons, where not every lesson is handed out or a folder holds each alone."""

import re
from collections.abc import Callable

from nbformat import NotebookNode

__all__ = ["relink"]

_LINK = re.compile(r"\[([^\[\]]*)\]\((\d\d_[a-z0-9_]+)\.ipynb(#[^)]*)?\)")


def relink(notebook: NotebookNode, target: Callable[[str], str | None]) -> None:
    """Change each link to another lesson, in place; a link that leads nowhere becomes its text.

    Parameters
    ----------
    notebook : NotebookNode
        Its markdown cells are changed.
    target : callable
        Takes the name of a lesson, such as ``"01_first_tape"``, and returns where its notebook
        stands, seen from this one, or None where it is not there.
    """

    def rewrite(match: re.Match) -> str:
        place = target(match[2])
        return match[1] if place is None else f"[{match[1]}]({place}{match[3] or ''})"

    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = _LINK.sub(rewrite, cell.source)

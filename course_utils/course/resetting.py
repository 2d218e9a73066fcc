"""``course reset``: put one exercise's cell back to its stub and leave every other cell alone."""

import re
from datetime import datetime
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from ..exercises.exercise import stubs
from .atomic_files import write_atomically
from .curriculum import find_exercise

__all__ = ["ResetError", "reset_exercise"]


class ResetError(Exception):
    """The exercise's notebook cannot be read; the message says what to do."""


def reset_exercise(exercise_id: str, folder: Path) -> Path | None:
    """Put the cell of ``exercise_id`` back to its stub.

    Parameters
    ----------
    exercise_id : str
        Such as ``"01.2"``.
    folder : Path
        The working copy, which holds ``notebooks/``.

    Returns
    -------
    Path or None
        The file in which the cell's text was kept; None where the cell was missing and was added
        again above its check.

    Raises
    ------
    LookupError
        If there is no such exercise.
    ResetError
        If the notebook is missing or cannot be read.
    """
    stub = stubs()[find_exercise(exercise_id).id]
    path = folder / "notebooks" / stub["notebook"]
    try:
        notebook = nbformat.read(path, as_version=4)
    except FileNotFoundError:
        raise ResetError(f"{path} does not exist. Run this in the course's folder.") from None
    except Exception as error:  # nbformat raises many types for a file that is not a notebook
        raise ResetError(
            f"{path.name} cannot be read as a notebook ({error}). It was left as it is."
        ) from error
    cell = _find_cell(notebook, stub["cell"], exercise_id)
    kept = None
    if cell is None:
        cell = nbformat.v4.new_code_cell(id=stub["cell"], metadata={"exercise": exercise_id})
        if notebook.nbformat_minor < 5:  # whose cells have no ids
            del cell["id"]
        notebook.cells.insert(_place_for(notebook, exercise_id), cell)
    else:
        kept = _keep(cell.source, exercise_id, folder)
    cell.source, cell.outputs, cell.execution_count = stub["source"], [], None
    write_atomically(path, nbformat.writes(notebook) + "\n")
    return kept


def _find_cell(notebook: NotebookNode, cell_id: str, exercise_id: str) -> NotebookNode | None:
    """Find the exercise's cell by its id, or by its mark where an editor gave it another id."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    by_id = [cell for cell in code if cell.get("id") == cell_id]
    by_mark = [cell for cell in code if cell.metadata.get("exercise") == exercise_id]
    return next(iter(by_id + by_mark), None)


def _place_for(notebook: NotebookNode, exercise_id: str) -> int:
    """Return the position just above the exercise's check, or the end."""
    call = re.compile(rf"""check\(\s*["']{re.escape(exercise_id)}["']""")
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "code" and call.search(cell.source):
            return index
    return len(notebook.cells)


def _keep(source: str, exercise_id: str, folder: Path) -> Path:
    """Write the cell's text to a new file, never over an older one."""
    kept_folder = folder / ".course" / "kept"
    kept_folder.mkdir(parents=True, exist_ok=True)
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S-%f")
    path = kept_folder / f"{exercise_id}-{stamp}.py"
    path.write_text(source + "\n", encoding="utf-8")
    return path

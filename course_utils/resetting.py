"""``course reset``: put one exercise's cell back to its stub, and change no other text."""

import os
import re
from datetime import datetime
from pathlib import Path

from .notebook import running_shell
from .workspace.atomic_files import write_atomically
from .workspace.curriculum import find_exercise
from .workspace.folders import find_workspace, require_workspace
from .workspace.merging import Cell, Notebook
from .workspace.originals import read_notebook, text_of

__all__ = ["ResetError", "reset", "reset_exercise"]


class ResetError(Exception):
    """The exercise's notebook cannot be read; the message says what to do."""


def reset(exercise_id: str) -> None:
    """Put one exercise of this notebook back to how it was given; your text is kept in a file.

    In a terminal it is the notebook of your workspace. In a notebook, what cannot be reset is said
    and nothing is raised.

    Parameters
    ----------
    exercise_id : str
        Such as ``"01.2"``.

    Raises
    ------
    LookupError
        If there is no such exercise.
    ResetError
        If the notebook cannot be read.
    WorkspaceError
        If no workspace was started here.

    Notes
    -----
    The notebook on disk is changed, and JupyterLab reads it again when you tell it to. So that
    nothing is lost then, the cell with this call must be saved. First used in lesson 00.
    """
    shell = running_shell()
    if shell is None:
        file = find_exercise(exercise_id).stub()["notebook"]
        _reset_in(require_workspace().folder / file, exercise_id)
        return
    try:
        path = _notebook_here(find_exercise(exercise_id).stub()["notebook"])
        call = shell.history_manager.input_hist_raw[-1].strip()
        if call in [cell["source"].strip() for cell in _read(path)["cells"]]:
            _reset_in(path, exercise_id)
        else:
            print(
                f"Nothing has been reset yet, because {path.name} does not contain this call. "
                "Other changes may also be unsaved. Keep this call in a cell, save the notebook "
                "with Ctrl+S, and run the cell again."
            )
    except (LookupError, ResetError) as error:
        print(error)


def _notebook_here(name: str) -> Path:
    """Return the notebook in which this kernel runs, as Jupyter's server names it."""
    named = Path(os.environ.get("JPY_SESSION_NAME", ""))
    return named if named.suffix == ".ipynb" and named.exists() else Path.cwd() / name


def _reset_in(path: Path, exercise_id: str) -> None:
    """Reset an exercise in the notebook at ``path``, and say what happened."""
    kept = reset_exercise(exercise_id, path, find_workspace().kept / "kept")
    if kept is None:
        print(f"The cell for {exercise_id} was missing. It has been restored above its check.")
    else:  # whose path may hold bytes that are no text
        shown = str(kept).encode("utf-8", "replace").decode()
        print(f"{exercise_id} is back to its original version. Your version is saved in {shown}")
    print(
        "If the notebook is open, choose File > Reload Notebook from Disk. If JupyterLab asks "
        "about a changed file, choose Revert: Overwrite would undo the reset."
    )


def reset_exercise(exercise_id: str, path: Path, keep_in: Path) -> Path | None:
    """Put the cell of ``exercise_id`` back to its stub, and take away what its checks said.

    Returned is the file in ``keep_in`` in which the cell's text was kept; None where the cell was
    missing and was added again above its check. ``path`` is the notebook. Where there is no such
    exercise this raises LookupError, and where the notebook cannot be read ResetError.
    """
    stub = find_exercise(exercise_id).stub()
    notebook = _read(path)
    cells = notebook["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    call = re.compile(rf"""check\(\s*["']{re.escape(exercise_id)}["']""")
    checks = [cell for cell in code if call.search(cell["source"])]
    # By its id, or by its mark where an editor gave it another id.
    found = [cell for cell in code if cell.get("id") == stub["cell"]]
    found += [cell for cell in code if cell["metadata"].get("exercise") == exercise_id]
    if found:
        cell = found[0]
        # In a new file, never over an older one.
        stamp = datetime.now().strftime("%Y%m%d-%H%M%S-%f")
        kept = keep_in / f"{exercise_id}-{stamp}.py"
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(cell["source"] + "\n", encoding="utf-8")
    else:
        cell = Cell(cell_type="code", metadata={"exercise": exercise_id}, source="")
        kept = None
        if notebook["nbformat_minor"] >= 5:  # cells had no ids before
            cell["id"] = stub["cell"]
        cells.insert(cells.index(checks[0]) if checks else len(cells), cell)
    cell["source"] = stub["source"]
    for stale in [cell, *checks]:
        stale["outputs"], stale["execution_count"] = [], None
    write_atomically(path, text_of(notebook))
    return kept


def _read(path: Path) -> Notebook:
    try:
        return read_notebook(path)
    except FileNotFoundError:
        raise ResetError(
            f"There is no notebook {path}. If you renamed yours, give it this name again."
        ) from None
    except ValueError as error:
        raise ResetError(f"{error} The notebook was not changed.") from error

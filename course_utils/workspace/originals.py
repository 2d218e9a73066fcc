"""The notebooks as they are given: sealed by the build, and found in a checkout, release or wheel.

A seal is a digest of a notebook's cells, in its metadata. It tells a notebook that nobody wrote in
from one with somebody's work, and which version of a lesson a learner's copy comes from.
"""

import gzip
import hashlib
import json
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from .atomic_files import write_atomically
from .folders import Workspace, course_folder
from .merging import Notebook, name_of

__all__ = [
    "KEEP_TYPED",
    "GivenError",
    "given_notebook",
    "given_to",
    "is_as_given",
    "keep_given",
    "nearest",
    "notebooks_root",
    "parsed_notebook",
    "read_notebook",
    "refusal_in_words",
    "seal",
    "seal_of",
    "text_of",
    "typed_cells",
    "typed_in_words",
]

KEEP_TYPED = (
    "To keep that text, move the notebook into `work/` (rename it if that name is taken there), or "
    "run `git stash`."
)


class GivenError(Exception):
    """A notebook as it was given is not to be had; the message says where it was looked for."""


def seal(notebook: Notebook) -> None:
    """Note in the notebook what its cells are, so that every later change of them shows."""
    notebook["metadata"]["course"] = {"given": _digest(notebook)}


def seal_of(notebook: Notebook) -> str:
    """Return the seal of the notebook that this one was copied from; empty if it had none."""
    entry = notebook["metadata"].get("course", {})
    return str(entry.get("given", "")) if isinstance(entry, dict) else ""


def is_as_given(notebook: Notebook) -> bool:
    """Tell whether the cells are those that were sealed, whatever their outputs."""
    return seal_of(notebook) == _digest(notebook)


def _digest(notebook: Notebook) -> str:
    fields = ("id", "cell_type", "source", "metadata")
    cells = [[cell.get(name) for name in fields] for cell in notebook["cells"]]
    text = json.dumps(cells, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def text_of(notebook: Notebook) -> str:
    """Return a notebook as nbformat writes it."""
    cells = [cell | {"source": cell["source"].splitlines(True)} for cell in notebook["cells"]]
    stored = {**notebook, "cells": cells}
    return json.dumps(stored, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def read_notebook(path: Path) -> Notebook:
    """Return the notebook at ``path``.

    Raises
    ------
    OSError
        If it cannot be read.
    ValueError
        If it is not a notebook; the message names it.
    """
    return parsed_notebook(path.read_text(encoding="utf-8"), path.name)


def parsed_notebook(text: str, name: str) -> Notebook:
    """Return the notebook that a text holds, each source as one text.

    ValueError says that ``name`` holds none. The import of nbformat takes a second, which every
    command would wait for; of a notebook no more is needed here than its cells.
    """
    try:
        notebook = json.loads(text)
        if notebook["nbformat"] != 4:
            raise ValueError(f"its format is {notebook['nbformat']}, not 4")
        notebook["metadata"].keys()
        for cell in notebook["cells"]:
            cell["source"] = "".join(cell["source"])
            cell["cell_type"], cell["metadata"].keys()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        why = f"{type(error).__name__}: {error}"
        raise ValueError(f"{name} cannot be read as a notebook ({why}).") from error
    return notebook


def notebooks_root() -> Path | None:
    """Return the checkout or release whose ``notebooks/`` are given out.

    It is that of the current folder, or else that which holds this package. It is None if the
    package was installed from a wheel, which contains the notebooks.
    """
    if (course_folder() / "notebooks").is_dir():
        return course_folder()
    return None if _packaged().is_dir() else Path(__file__).parents[2]


def _packaged(file: str = "") -> Path:
    return Path(__file__).with_name("given") / "notebooks" / file


def given_notebook(name: str) -> Notebook:
    """Return a lesson's notebook as it is given now, without outputs.

    Parameters
    ----------
    name : str
        The stem of the lesson's files, such as ``"01_first_tape"``.

    Raises
    ------
    GivenError
        If it is not there, or if it is there with somebody's work in it and not in git.
    """
    root = notebooks_root()
    if root is not None:
        with suppress(OSError, ValueError):
            notebook = read_notebook(root / "notebooks" / f"{name}.ipynb")
            if is_as_given(notebook):
                return _without_outputs(notebook)
    with suppress(OSError, ValueError):
        return read_notebook(_packaged(f"{name}.ipynb"))
    if root is None:
        raise GivenError(f"This installation has no notebook {name}.ipynb. Reinstall the course.")
    try:
        return _committed(name, root)
    except ValueError:
        raise GivenError(
            f"{root} has no original copy of {name}.ipynb. If it is a release, run `make setup` "
            "there, and use the `course` command in its .venv. Otherwise, unpack the course again."
        ) from None


def _without_outputs(notebook: Notebook) -> Notebook:
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
    return notebook


def _committed(name: str, root: Path) -> Notebook:
    """Return a lesson's notebook as it is in git's last commit; ValueError if there is none."""
    path = f"notebooks/{name}.ipynb"
    command = ["git", "-C", str(root), "show", f"HEAD:./{path}"]
    try:
        text = subprocess.run(command, capture_output=True, text=True, encoding="utf-8").stdout
    except OSError:  # there is no git
        text = ""
    return parsed_notebook(text, path)


def nearest(notebook: Notebook, versions: Iterable[Notebook]) -> Notebook | None:
    """Return the version that a notebook was copied from: by its seal, or most cells in common."""
    ids = {cell.get("id") for cell in notebook["cells"]}
    best: Notebook | None = None
    most = 0
    for version in versions:
        if seal_of(notebook) and seal_of(version) == seal_of(notebook):
            return version
        common = sum(cell.get("id") in ids for cell in version["cells"])
        if common > most:
            best, most = version, common
    return best


def keep_given(workspace: Workspace, name: str, given: Notebook) -> None:
    """Keep a lesson's notebook as it was given, compressed, for later updates."""
    path = workspace.kept / "given" / f"{name}-{seal_of(given)}.ipynb.gz"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, gzip.compress(text_of(given).encode(), mtime=0))


def given_to(workspace: Workspace, name: str, mine: Notebook) -> Notebook | None:
    """Return the version that a learner's notebook was copied from, if it was kept."""
    exact = workspace.kept / "given" / f"{name}-{seal_of(mine)}.ipynb.gz"
    paths = [exact] if exact.exists() else sorted(exact.parent.glob(f"{name}-*.ipynb.gz"))
    texts = (gzip.decompress(path.read_bytes()).decode() for path in paths)
    return nearest(mine, (parsed_notebook(text, name) for text in texts))


def typed_cells(name: str, root: Path, current: Notebook | None = None) -> list[str]:
    """Name the cells of a notebook in ``notebooks/`` that neither the lesson nor a build gave.

    Parameters
    ----------
    name : str
        The stem of the lesson's files, such as ``"01_first_tape"``.
    root : Path
        The checkout or release.
    current : Notebook, optional
        What the lesson gives now, if its source is available.

    Returns
    -------
    list of str
        Each in a few words. Empty if the notebook is missing, or as a build wrote it. Outputs do
        not count.
    """
    try:
        notebook = read_notebook(root / "notebooks" / f"{name}.ipynb")
    except FileNotFoundError:
        return []
    except ValueError:
        return ["it is no longer a notebook"]
    if is_as_given(notebook):
        return []
    versions = [current] if current else []
    with suppress(ValueError):
        versions.append(_committed(name, root))
    if not versions:
        return ["cells differ from the original notebook"]
    given = {(cell["cell_type"], cell["source"].strip()) for v in versions for cell in v["cells"]}
    given |= {(kind, "") for kind in ("code", "markdown", "raw")}
    cells = notebook["cells"]
    return [name_of(c) for c in cells if (c["cell_type"], c["source"].strip()) not in given]


def typed_in_words(cells: Sequence[str]) -> str:
    """Say which cells of a notebook somebody typed."""
    *most, last = cells if len(cells) < 5 else [*cells[:4], f"{len(cells) - 4} more cells"]
    listed = f"{', '.join(most)} and {last}" if most else last
    return f"was changed by hand: {listed}."


def refusal_in_words(typed: Mapping[str, Sequence[str]]) -> str:
    """Say what was typed into which notebooks, and how to keep it; empty where nothing was."""
    held = {name: cells for name, cells in typed.items() if cells}
    lines = [f"notebooks/{name}.ipynb {typed_in_words(cells)}" for name, cells in held.items()]
    return "\n".join([*lines, f"Nothing was written. {KEEP_TYPED}"]) if lines else ""

"""The notebooks as they are given: sealed by the build, and found in a checkout, release or wheel.

A seal is a digest of a notebook's cells, in its metadata. It tells a notebook that nobody wrote in
from one with somebody's work, and which version of a lesson a learner's copy comes from.
"""

import gzip
import hashlib
import json
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from .atomic_files import write_atomically
from .folders import Workspace, course_folder
from .merging import changed_cells, name_of

__all__ = [
    "GivenError",
    "given_notebook",
    "given_to",
    "is_as_given",
    "keep_given",
    "nearest",
    "notebooks_root",
    "parsed_notebook",
    "read_notebook",
    "seal",
    "seal_of",
    "text_of",
    "versions_given",
    "work_in",
]

_VERSIONS = 20  # of a notebook that are looked for in git


class GivenError(Exception):
    """A notebook as it was given is not to be had; the message says where it was looked for."""


def seal(notebook: dict) -> None:
    """Note in the notebook what its cells are, so that every later change of them shows."""
    notebook["metadata"]["course"] = {"given": _digest(notebook)}


def seal_of(notebook: Mapping) -> str:
    """Return the seal of the notebook that this one was copied from; empty if it had none."""
    entry = notebook["metadata"].get("course", {})
    return str(entry.get("given", "")) if isinstance(entry, dict) else ""


def is_as_given(notebook: Mapping) -> bool:
    """Tell whether the cells are those that were sealed, whatever their outputs."""
    return seal_of(notebook) == _digest(notebook)


def _digest(notebook: Mapping) -> str:
    fields = ("id", "cell_type", "source", "metadata")
    cells = [[cell.get(name) for name in fields] for cell in notebook["cells"]]
    text = json.dumps(cells, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def text_of(notebook: Mapping) -> str:
    """Return a notebook as nbformat writes it."""
    cells = [cell | {"source": cell["source"].splitlines(True)} for cell in notebook["cells"]]
    stored = {**notebook, "cells": cells}
    return json.dumps(stored, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def read_notebook(path: Path) -> dict:
    """Return the notebook at ``path``.

    Raises
    ------
    OSError
        If it cannot be read.
    ValueError
        If it is not a notebook; the message names it.
    """
    return parsed_notebook(path.read_text(encoding="utf-8"), path.name)


def parsed_notebook(text: str, name: str) -> dict:
    """Return the notebook that a text holds, each source as one text.

    ValueError says that ``name`` holds none. The import of nbformat takes a second, which every
    command would wait for; of a notebook no more is needed here than its cells.
    """
    try:
        notebook = json.loads(text)
        if notebook["nbformat"] != 4:
            raise ValueError(f"its format is {notebook['nbformat']}, and not 4")
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

    It is that of the current folder, or else that in which this package stands; None where the
    package was installed from a wheel, which brings the notebooks itself.
    """
    if (course_folder() / "notebooks").is_dir():
        return course_folder()
    return None if _packaged().is_dir() else Path(__file__).parents[2]


def _packaged(file: str = "") -> Path:
    return Path(__file__).with_name("given") / "notebooks" / file


def given_notebook(name: str) -> dict:
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
    for notebook in versions_given(name, root):
        return notebook
    where = "This installation" if root is None else str(root)
    raise GivenError(f"{where} holds no notebook {name}.ipynb as it was given.")


def _without_outputs(notebook: dict) -> dict:
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
    return notebook


def versions_given(name: str, root: Path | None) -> Iterator[dict]:
    """Yield a lesson's notebook as this package brings it and as it was committed, newest first."""
    if _packaged(f"{name}.ipynb").is_file():
        yield read_notebook(_packaged(f"{name}.ipynb"))
    if root is None:
        return
    path = f"notebooks/{name}.ipynb"
    for commit in _git(root, "log", f"-{_VERSIONS}", "--format=%H", "--", path).split():
        with suppress(ValueError):
            yield parsed_notebook(_git(root, "show", f"{commit}:./{path}"), path)


def _git(root: Path, *words: str) -> str:
    command = ["git", "-C", str(root), *words]
    try:
        return subprocess.run(command, capture_output=True, text=True, encoding="utf-8").stdout
    except OSError:  # there is no git
        return ""


def nearest(notebook: Mapping, versions: Iterable[Mapping]) -> Mapping | None:
    """Return the version that a notebook was copied from: by its seal, or most cells in common."""
    ids = {cell.get("id") for cell in notebook["cells"]}
    best: Mapping | None = None
    most = 0
    for version in versions:
        if seal_of(notebook) and seal_of(version) == seal_of(notebook):
            return version
        common = sum(cell.get("id") in ids for cell in version["cells"])
        if common > most:
            best, most = version, common
    return best


def keep_given(workspace: Workspace, name: str, given: Mapping) -> None:
    """Keep a lesson's notebook as it was given, compressed, for later updates."""
    path = workspace.kept / "given" / f"{name}-{seal_of(given) or 'unsealed'}.ipynb.gz"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, gzip.compress(text_of(given).encode(), mtime=0))


def given_to(workspace: Workspace, name: str, mine: Mapping) -> Mapping | None:
    """Return the version that a learner's notebook was copied from, if it was kept."""
    exact = workspace.kept / "given" / f"{name}-{seal_of(mine)}.ipynb.gz"
    paths = [exact] if exact.exists() else sorted(exact.parent.glob(f"{name}-*.ipynb.gz"))
    texts = (gzip.decompress(path.read_bytes()).decode() for path in paths)
    return nearest(mine, (parsed_notebook(text, name) for text in texts))


def work_in(name: str, root: Path, current: Mapping | None = None) -> list[str]:
    """Return, in a few words each, the cells of a notebook in ``notebooks/`` that hold work.

    That is what neither an author nor a build wrote.

    Parameters
    ----------
    name : str
        The name of the lesson.
    root : Path
        The checkout or release.
    current : mapping, optional
        What the lesson gives now, where its source is at hand.

    Raises
    ------
    OSError, ValueError
        If the notebook is missing, or is none.
    """
    mine = read_notebook(root / "notebooks" / f"{name}.ipynb")
    if is_as_given(mine):
        return []
    versions = [*versions_given(name, root), *([current] if current else [])]
    base = nearest(mine, versions)
    if base is None:
        return ["cells of which it is not known how they were given"]
    known = {cell["source"] for cell in (current or base)["cells"]}
    return [name_of(c) for c in changed_cells(base, mine) if c["source"] not in known]

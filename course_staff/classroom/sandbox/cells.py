"""Reading a notebook's code cells and running them in order, as a kernel would."""

import ast
import asyncio
import builtins
import inspect
import json
import linecache
import sys
import traceback
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from course_utils.exercises.isolation import TimeLimitReached, time_limit

from .limits import Clock

__all__ = ["Cell", "CellError", "Kernel", "NotANotebook", "read_cells"]


class NotANotebook(Exception):
    """The file is not a notebook; the message says why, for the learner."""


@dataclass(frozen=True)
class Cell:
    """One code cell; ``exercise`` is its mark and ``id`` its id, where it has them."""

    number: int
    source: str
    id: str = ""
    exercise: str = ""


@dataclass(frozen=True)
class CellError:
    """What stopped a cell: the type of the exception, its first line, and the line of code."""

    type: str
    message: str
    line: str
    timed_out: bool = False


def read_cells(data: bytes) -> list[Cell]:
    """Return the code cells of a notebook file.

    Notebooks of every format since 3 are read, and nothing is asked of them but a list of cells.

    Raises
    ------
    NotANotebook
        If there is no such list.
    """
    if not data.strip():
        raise NotANotebook("The file is empty. Save the notebook, and hand it in again.")
    try:
        notebook = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise NotANotebook(
            "The file is not a notebook: it is cut off, or not JSON. Save it again in Jupyter, and "
            "hand in that file."
        ) from error
    except MemoryError:
        raise NotANotebook(
            "The file is too large for the memory limit of a notebook. Clear its outputs, save it, "
            "and hand it in again."
        ) from None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if cells is None and isinstance(notebook, dict) and notebook.get("worksheets"):
        with suppress(KeyError, TypeError):
            cells = [cell for sheet in notebook["worksheets"] for cell in sheet["cells"]]
    if not isinstance(cells, list):
        raise NotANotebook(
            "The file is JSON, but not a notebook: it has no list of cells. Hand in the .ipynb "
            "file that you worked in."
        )
    code = [c for c in cells if isinstance(c, dict) and c.get("cell_type") == "code"]
    return [_read_cell(number, cell) for number, cell in enumerate(code, start=1)]


def _read_cell(number: int, cell: dict) -> Cell:
    source = cell.get("source", cell.get("input", ""))
    text = "".join(map(str, source)) if isinstance(source, list) else str(source)
    metadata = cell.get("metadata")
    mark = metadata.get("exercise", "") if isinstance(metadata, dict) else ""
    return Cell(number, text, str(cell.get("id", "")), str(mark))


class Kernel:
    """The namespace in which cells run one after the other.

    Magics and shell commands do nothing, except that ``%%time`` and its like run their cell.
    """

    def __init__(self, cell_seconds: float, clock: Clock):
        from IPython.core.inputtransformer2 import TransformerManager

        self._transform = TransformerManager
        self._cell_seconds, self._clock = cell_seconds, clock
        self._loop: asyncio.AbstractEventLoop | None = None  # one for all cells that await
        # A module of its own, as in a kernel: pickle and inspect look names up there.
        self.module = ModuleType("__main__")
        sys.modules["__main__"] = self.module
        self.namespace["get_ipython"] = lambda: _Shell(self)
        self.namespace["display"] = lambda *objects, **options: None

    @property
    def namespace(self) -> dict[str, Any]:
        """The names that the cells have bound."""
        return self.module.__dict__

    def run(self, cell: Cell) -> CellError | None:
        """Run one cell and return what stopped it, or None."""
        name = f"<cell {cell.number}>"
        try:
            with time_limit(self._cell_seconds, patience=1.0, clock=self._clock):
                self.execute(cell.source, name)
        except TimeLimitReached:
            message = f"it was still running after {self._cell_seconds:g} seconds"
            return CellError("TimeLimitReached", message, "", timed_out=True)
        except BaseException as error:  # SystemExit too: a kernel lives on after it
            return _describe(error, name)
        return None

    def execute(self, source: str, name: str) -> None:
        """Run the text of a cell under a file name by which its lines can be found again."""
        text = self._transform().transform_cell(source)
        lines = text.splitlines(keepends=True)
        linecache.cache[name] = (len(text), None, lines, name)
        code = compile(text, name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        ended = eval(code, self.namespace)
        if code.co_flags & inspect.CO_COROUTINE:  # the cell awaits something
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                asyncio.set_event_loop(self._loop)
            self._loop.run_until_complete(ended)


class _Shell:
    """What ``get_ipython()`` returns: every method exists and does nothing."""

    _THAT_RUN_THEIR_CELL = ("time", "timeit", "capture", "prun")

    def __init__(self, kernel: Kernel):
        self._kernel = kernel

    def run_cell_magic(self, magic: str, line: str, cell: str) -> None:
        if magic in self._THAT_RUN_THEIR_CELL:
            self._kernel.execute(cell, f"<cell of %%{magic}>")

    def run_line_magic(self, magic: str, line: str, *more: Any) -> None:
        if magic in ("time", "timeit") and line:
            self._kernel.execute(line, f"<line of %{magic}>")

    def getoutput(self, *arguments: Any, **options: Any) -> list:
        return []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *arguments, **options: None


def _describe(error: BaseException, name: str) -> CellError:
    """Describe an exception in the words of its author, at most 200 characters of them."""
    line = ""
    if isinstance(error, SyntaxError):
        line = error.text or ""
    else:
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame.line or "" for frame in frames if frame.filename == name]
        line = own[-1] if own else ""
    try:
        text = (error.msg if isinstance(error, SyntaxError) else builtins.str(error)) or ""
    except Exception:  # a __str__ that itself raises
        text = ""
    first = next((part.strip() for part in text.splitlines() if part.strip()), "")
    return CellError(type(error).__name__[:100], first[:200], line.strip()[:200])

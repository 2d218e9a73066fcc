"""Which cells of a notebook its answers need: untouched demonstrations run only where they matter.

Most cells of a lesson show something, and take most of its time. What a learner left as it was
handed out can change an answer only through a name that both mention: a cell that changes a setting
of TensorFlow or Keras puts it back.
"""

import symtable
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass

from IPython.core.inputtransformer2 import TransformerManager

from .cells import Cell, read_cells

__all__ = ["demonstrations", "needed_cells"]

# Through these a cell reaches names that it does not mention: then every cell runs. A magic command
# is a call of get_ipython by the time it is Python.
_REACH_ANY_NAME = {
    *("__builtins__", "__import__", "__main__", "eval", "exec", "gc", "get_ipython", "globals"),
    *("importlib", "inspect", "locals", "sys", "vars"),
}


def demonstrations(notebook: bytes) -> list[str]:
    """Return the sources of a lesson's code cells that are neither an answer nor its check."""
    cells = [cell for cell in read_cells(notebook) if not cell.exercise]
    return [cell.source for cell in cells if "check" not in _names_in(cell.source).mentioned]


def needed_cells(cells: list[Cell], shown: Collection[str]) -> list[Cell]:
    """Return the cells to run, in their order.

    These are all cells but those whose source is among ``shown``, and of the latter each that binds
    a name which another one to run mentions, or shares a name with it that is not only imported: a
    variable, say, that the one trains and the other reads.
    """
    names = [_names_in(cell.source) for cell in cells]
    made: set[str] = set().union(*(cell_names.made for cell_names in names))
    is_needed = [cell.source not in shown for cell in cells]
    while True:
        mentioned: set[str] = set().union(
            *(
                cell_names.mentioned
                for cell_names, runs in zip(names, is_needed, strict=True)
                if runs
            )
        )
        if mentioned & _REACH_ANY_NAME:
            return cells
        before = sum(is_needed)
        for number, cell_names in enumerate(names):
            shared = cell_names.imported | (cell_names.mentioned & made)
            is_needed[number] = is_needed[number] or bool(shared & mentioned)
        if sum(is_needed) == before:
            return [cell for cell, runs in zip(cells, is_needed, strict=True) if runs]


@dataclass(frozen=True)
class _Names:
    """The notebook's names in a cell, also inside of its functions."""

    mentioned: set[str]
    imported: set[str]
    made: set[str]  # bound otherwise than by an import


def _names_in(source: str) -> _Names:
    cell = _table_of(source) or _table_of(TransformerManager().transform_cell(source))
    if cell is None:  # no Python: it runs nothing
        return _Names(set(), set(), set())
    symbols = [s for table in _tables(cell) for s in table.get_symbols() if _is_shared(s, table)]
    imported = {symbol.get_name() for symbol in symbols if symbol.is_imported()}
    made = {symbol.get_name() for symbol in symbols if symbol.is_assigned()}
    return _Names({symbol.get_name() for symbol in symbols}, imported, made)


def _table_of(source: str) -> symtable.SymbolTable | None:
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        return symtable.symtable(source, "cell", "exec")
    return None


def _tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for inner in table.get_children():
        yield from _tables(inner)


def _is_shared(symbol: symtable.Symbol, table: symtable.SymbolTable) -> bool:
    return table.get_type() == "module" or symbol.is_global()

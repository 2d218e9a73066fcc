"""Run a worked notebook in which nothing is trained, and tell which trainings nobody would miss.

    python tests/untrained/untrained_notebook.py solutions/13_mnist.ipynb

Left out are the updates of optimizers, and what is subtracted from a variable. A cell that asks for
one trains. Then an assertion must fail there, or below it and above the next cell that trains: else
what the lesson says of this training holds of an untrained model, too. Printed is how such a cell
begins, with the parts of assertions that held.
"""

import ast
import contextlib
import io
import json
import linecache
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import nbformat

# What asks a learner, and what starts processes of its own, which would train.
LEFT_OUT = ("check(", "predict(", "codes = run_workers(")


class Noted(ast.NodeTransformer):
    """Makes of each assertion a note of each of its parts, so that a cell runs to its end."""

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        """Replace ``assert a and b`` by ``note("a", lambda: a)`` and ``note("b", lambda: b)``."""
        test = node.test
        both = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)
        notes = []
        for part in test.values if both else [test]:
            (note,) = ast.parse(f"note({ast.unparse(part)!r}, lambda: None)").body
            note.value.args[1].body = part
            notes.append(ast.fix_missing_locations(ast.copy_location(note, node)))
        return notes


def leave_out_updates(asked: list[int]) -> None:
    """Let optimizers and ``assign_sub`` do nothing from here on but count in ``asked``."""
    import keras
    from tensorflow.python.ops.resource_variable_ops import ResourceVariable

    def no_step(*args: Any, **options: Any) -> None:
        asked.append(1)

    def no_change(variable: Any, *args: Any, **options: Any) -> Any:
        asked.append(1)
        return variable

    keras.optimizers.Optimizer.apply = no_step
    ResourceVariable.assign_sub = no_change


def unmissed(path: str | Path) -> tuple[int, list[tuple[str, list[str]]]]:
    """Return how many cells train, and how those begin that nobody misses, with what held."""
    matplotlib.use("agg")
    asked, held, missed = [], [], []

    def note(text: str, part: Callable[[], Any]) -> None:
        try:
            (held if part() else missed).append(text)
        except Exception as error:
            missed.append(f"{text}: {error}")

    namespace, found = {"note": note, "__name__": "__main__"}, []
    for cell in nbformat.read(path, as_version=4).cells:
        lines = cell.source.splitlines()
        if cell.cell_type != "code" or any(line.startswith(LEFT_OUT) for line in lines):
            continue
        if "start_lesson(" in cell.source:
            leave_out_updates(asked)
        for counted in (asked, held, missed):
            counted.clear()
        # As in a notebook, the source can be read again, which AutoGraph needs.
        linecache.cache[cell.id] = (0, None, [f"{line}\n" for line in lines], cell.id)
        tree = ast.parse(cell.source)
        tree = Noted().visit(tree) if "assert" in cell.source else tree
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(tree, cell.id, "exec"), namespace)
        except Exception as error:
            missed.append(f"{type(error).__name__}: {error}")
        if asked and (not found or found[-1][1]):
            found.append((lines[0], []))
        if found:
            found[-1][1].extend(["MISSED"] if missed else held)
    return len(found), [(cell, texts) for cell, texts in found if "MISSED" not in texts]


if __name__ == "__main__":
    print(json.dumps(unmissed(sys.argv[1]), indent=2))

"""When a lesson must be observed or executed anew: digests of all on which that depends.

They are taken of what code does, and not of its text: comments, docstrings, type hints and imports
change nothing.
"""

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from course_utils.exercises import (
    drawn,
    isolation,
    observation,
    question,
    readings,
    references,
    tensorflow_state,
)

from ..authoring import observing, storing
from .source import LessonSource

__all__ = ["OBSERVERS", "asked_key", "meaning_of", "observed_key"]

_FORMAT = 3  # of what is stored: another number has every lesson observed anew
# The modules whose behaviour decides what is observed, and how it is written down.
OBSERVERS: tuple[ModuleType, ...] = (
    drawn,
    isolation,
    observation,
    observing,
    question,
    readings,
    references,
    storing,
    tensorflow_state,
)


def observed_key(lesson: LessonSource) -> str:
    """Return what changes when anything changes that is observed, or that observes."""
    parts = [str(_FORMAT), *map(_meaning_of_module, OBSERVERS)]
    for name in ("exercises.py", "gallery.py"):
        source = lesson.path.with_name(name).read_text(encoding="utf-8")
        parts.append(meaning_of(source, without="PREDICTIONS"))
    parts += [lesson.solution.cells[index].source for index in lesson.exercises.values()]
    return _digest(*parts)


def asked_key(lesson: LessonSource) -> str:
    """Return what changes when anything changes that a check or a prediction may say."""
    return _digest(meaning_of(lesson.path.with_name("exercises.py").read_text(encoding="utf-8")))


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def _meaning_of_module(module: ModuleType) -> str:
    return meaning_of(Path(str(module.__file__)).read_text(encoding="utf-8"))


@cache
def meaning_of(source: str, without: str = "") -> str:
    """Return the syntax of a module as text, but what decides nothing, and one name's value.

    >>> meaning_of("import math; y: float = 2*x  # twice") == meaning_of("y: int = (2 * x)")
    True
    """
    return repr(_plain(ast.parse(source), without))


def _plain(node: Any, without: str) -> Any:
    """Return a node as tuples; a field that is empty is left out, as Pythons differ in these."""
    if isinstance(node, list):
        return [_plain(item, without) for item in node if not _is_idle(item, without)]
    if not isinstance(node, ast.AST):
        return node
    return type(node).__name__, *_fields(node, without)


def _fields(node: ast.AST, without: str) -> Iterator[tuple[str, Any]]:
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns", "kind") and value not in (None, []):
            yield name, _plain(value, without)


def _is_idle(node: Any, without: str) -> bool:
    """Tell whether a statement is a docstring, an import, or the value of the name left out."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Assign):
        return [ast.unparse(target) for target in node.targets] == [without]
    return isinstance(node, ast.Import | ast.ImportFrom)

"""When a lesson must be observed or executed anew: digests of all on which that depends.

They are taken of text, so that every version of Python computes the same ones. Comments, docstrings
and imports are left out of the text of a module; they change nothing that is observed.
"""

import ast
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

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

__all__ = ["OBSERVERS", "asked_key", "code_of", "observed_key", "said_key", "without_messages"]

_FORMAT = 4  # of what is stored: another number has every lesson observed anew
# The modules whose behavior decides what is observed, and how it is written down.
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
_DOCSTRING = r'^ *"""[\s\S]*?"""$'
_IMPORT = r"^ *(?:from \S+ )?import (?:\([^)]*\)|.*)$"
_DECIDES_NOTHING = re.compile(rf"{_DOCSTRING}|{_IMPORT}|^ *#.*$", re.M)
_PREDICTIONS = re.compile(r"^PREDICTIONS = (?:.*[^\[({]|[\s\S]*?^[\])}])$", re.M)


def observed_key(lesson: LessonSource) -> str:
    """Return the digest of all that is observed, and of the modules that observe."""
    parts = [str(_FORMAT), *(code_of(_text(Path(str(m.__file__)))) for m in OBSERVERS)]
    parts += [_PREDICTIONS.sub("", _text(lesson.path.with_name("exercises.py")))]
    parts += [without_messages(_text(lesson.path.with_name("mistakes.py")))]
    parts += [lesson.solution.cells[index].source for index in lesson.exercises.values()]
    return _digest(*parts)


def said_key(lesson: LessonSource) -> str:
    """Return the digest of the known mistakes with their messages."""
    return _digest(_text(lesson.path.with_name("mistakes.py")))


def asked_key(lesson: LessonSource) -> str:
    """Return the digest of all that a check or a prediction may say."""
    return _digest(_text(lesson.path.with_name("exercises.py")))


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def code_of(module: str) -> str:
    r"""Return the text of a module without comments, docstrings, imports and empty lines.

    >>> code_of("import math\n\n# The area.\narea = math.pi * 2**2\n")
    'area = math.pi * 2**2'
    """
    lines = _DECIDES_NOTHING.sub("", module).splitlines()
    return "\n".join(line for line in lines if line.strip())


def without_messages(mistakes: str) -> str:
    r"""Return the text of a ``mistakes.py`` without the messages, which change no observation.

    Nor does it matter how the lines are broken around a message. Text that is not Python is
    returned unchanged, because the build refuses it later and names its line.

    >>> without_messages('Wrong("You squared `x`.", square)\nTable({2.0: ("2 " "is x.")})')
    'Wrong("", square)\nTable({2.0:""})'
    """
    try:
        tree = ast.parse(mistakes)
    except SyntaxError:
        return mistakes
    lines = [line.encode() for line in mistakes.splitlines(keepends=True)]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    text = b"".join(lines)
    nodes = sorted(_messages(tree), key=lambda node: (node.lineno, node.col_offset))
    for node in reversed(nodes):
        first = starts[node.lineno - 1] + node.col_offset
        last = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        text = text[:first] + b'""' + text[last:]
    without = re.sub(r'\(\s*""\s*,?\s*\)', '""', text.decode())
    return re.sub(r'\s*""\s*', '""', without)


def _messages(tree: ast.Module) -> Iterator[ast.expr]:
    """Yield the strings that `Wrong` and `Table` show to a learner."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        shown: list[ast.expr] = []
        if node.func.id == "Wrong":
            shown = node.args[:1]
        elif node.func.id == "Table":
            rows = [each.values for each in node.args if isinstance(each, ast.Dict)]
            shown = [*sum(rows, []), *node.args, *(each.value for each in node.keywords)]
        yield from (each for each in shown if isinstance(each, ast.Constant | ast.JoinedStr))

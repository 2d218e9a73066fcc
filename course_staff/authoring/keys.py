"""When a lesson must be observed or executed anew: digests of all on which that depends.

They are taken of text, so that every version of Python computes the same ones. Comments, docstrings
and imports are left out of the text of a module; they change nothing that is observed.
"""

import hashlib
import re
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

__all__ = ["OBSERVERS", "asked_key", "code_of", "observed_key"]

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
    parts += [_text(lesson.path.with_name("mistakes.py"))]
    parts += [lesson.solution.cells[index].source for index in lesson.exercises.values()]
    return _digest(*parts)


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

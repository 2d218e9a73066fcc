"""Where in the user's own program something happened: file or cell, line, operation."""

import inspect
import linecache
import os
import sys
import sysconfig
from dataclasses import dataclass
from functools import lru_cache
from traceback import walk_stack
from types import FrameType
from typing import Any, NamedTuple

import keras
import tensorflow as tf

from .. import tool_folders

__all__ = [
    "Line",
    "Place",
    "calling_point",
    "cell_number",
    "is_user_file",
    "names_in_frame",
    "place_of_operation",
    "shown_file",
    "user_lines",
]


_ONLY_THE_FRAME = 3  # references to its dictionary: the frame's, a local name, an argument


class Line(NamedTuple):
    """A file as Python knows it, and the number of one of its lines, from 1."""

    file: str
    number: int


@dataclass(frozen=True)
class Place:
    """A line of the user's program, and the TensorFlow operation that ran there, if one is meant.

    ``file`` is its path as Python knows it; for a notebook, the cell's internal file name.
    """

    file: str
    line: int  # from 1
    operation: str = ""  # such as "Round"

    @property
    def text(self) -> str:
        """The line of source, without indentation; empty if it cannot be read."""
        return linecache.getline(self.file, self.line).strip()

    def __str__(self) -> str:
        """Return for example ``cell In[3], line 2 (operation Round)``."""
        operation = f" (operation {self.operation})" if self.operation else ""
        return f"{shown_file(self.file)}, line {self.line}{operation}"


def shown_file(file: str) -> str:
    """Return ``cell In[n]`` for a notebook's cell, and the file's base name for any other file."""
    number = cell_number(file)
    return f"cell In[{number}]" if number else os.path.basename(file)


def cell_number(file: str) -> int:
    """Return the number of the notebook's cell that Python knows as ``file``; 0 if it is none."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    name = shell and shell.compile.format_code_name(file)
    return int(name[1].strip("In[]")) if name else 0


@lru_cache(maxsize=4096)
def is_user_file(file: str) -> bool:
    """Tell the user's files and cells from Python, TensorFlow, Keras and installed packages."""
    if file.startswith("<"):
        return file.startswith(("<stdin", "<string", "<ipython", "<doctest"))
    if "__autograph_generated_file" in file:
        return False
    folders = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    folders |= {os.path.dirname(package.__file__) for package in (tf, keras)} | tool_folders
    path = os.path.abspath(file) + os.sep  # a tool may be one file, too
    return not any(path.startswith(folder + os.sep) for folder in folders)


def user_lines(frame: FrameType | None) -> tuple[Line, ...]:
    """Return the lines of the user's program that are running, from the innermost outwards."""
    stack = ((each.f_code.co_filename, line) for each, line in walk_stack(frame))
    return tuple(Line(file, line) for file, line in stack if is_user_file(file))


def calling_point(frame: FrameType | None) -> tuple[FrameType | None, Place | None]:
    """Return the user's innermost frame, and the line that the user wrote for it.

    Inside a ``tf.function`` the frame runs code that AutoGraph generated; its names are the user's,
    its lines are not. TensorFlow translates the stack of every operation of a graph, so an
    operation of a throw-away graph tells the line.
    """
    while frame is not None and "__autograph_generated_file" not in frame.f_code.co_filename:
        if is_user_file(frame.f_code.co_filename):
            return frame, Place(frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back
    if frame is None:
        return None, None
    with tf.Graph().as_default():
        place = place_of_operation(tf.no_op())
    return frame, place and Place(place.file, place.line)


def names_in_frame(frame: FrameType) -> dict[str, Any]:
    """Copy the names of a frame, without keeping the objects alive longer than the program does.

    Before Python 3.13, ``f_locals`` of a function is a dictionary that the frame keeps. The one
    that the program itself got from ``locals()`` is left as it is.
    """
    names = frame.f_locals
    copy = dict(names)
    if isinstance(names, dict) and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        if sys.getrefcount(names) == _ONLY_THE_FRAME:
            names.clear()
    return copy


def place_of_operation(operation: tf.Operation) -> Place | None:
    """Return the user's line that added an operation to its graph."""
    for frame in reversed(operation.traceback or ()):
        if is_user_file(frame.filename):
            return Place(frame.filename, frame.lineno, operation.type)
    return None

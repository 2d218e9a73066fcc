"""What a learner's answer does, written down as plain data.

Everything here runs the learner's code or describes its results. Nothing here judges them. The
descriptions hold only what JSON can hold, so they can be sent to another process and judged there.
"""

import ast
import contextlib
import functools
import inspect
import io
import linecache
import re
import traceback
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from textwrap import dedent
from types import CodeType
from typing import Any

import numpy as np

from gradient_tools.recording.tensorflow_internals import lines_of_message

__all__ = [
    "calls_noted",
    "describe",
    "file_of",
    "notes_of",
    "observe_calls",
    "results_noted",
    "same_code",
]

_LARGEST_ARRAY = 100_000  # entries; a larger array is described by its shape alone
_MOST_ITEMS = 1_000  # items described of a list, tuple or dict
_LONGEST_PRINT = 2_000  # characters kept of what the learner's code printed
_LONGEST_LINE = 300  # characters kept of a line of code and of an error's message


class _FirstCharacters(io.StringIO):
    """A text that stops growing, for code that prints for ever."""

    def write(self, text: str) -> int:
        super().write(text[: _LONGEST_PRINT - self.tell()] if self.tell() < _LONGEST_PRINT else "")
        return len(text)


def describe(value: Any) -> Any:
    """Return ``value`` as plain data.

    None, booleans, Python numbers and strings stand for themselves. Everything else becomes a dict
    with a ``type``. A ``tensor``, ``variable`` or ``array`` has a ``dtype``, a ``shape``, and
    nested lists as ``value``. A ``list``, ``tuple`` or ``dict`` has described ``items``. A
    ``function`` or ``object`` has a ``name``. An ``ellipsis`` is an answer that was left open.
    """
    if value is None or type(value) in (bool, int, float, str):
        return value
    if value is Ellipsis:
        return {"type": "ellipsis"}
    if isinstance(value, list | tuple):
        kind = "list" if isinstance(value, list) else "tuple"
        return {"type": kind, "items": [describe(item) for item in value[:_MOST_ITEMS]]}
    if isinstance(value, dict):
        items = islice(value.items(), _MOST_ITEMS)
        return {"type": "dict", "items": {str(key): describe(item) for key, item in items}}
    if hasattr(value, "as_list") and hasattr(value, "rank"):  # a tf.TensorShape
        return {"type": "tuple", "items": list(value)}
    if isinstance(value, np.ndarray | np.generic):
        return _describe_array("array", value)
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        import tensorflow as tf

        value = tf.convert_to_tensor(value) if isinstance(value, tf.IndexedSlices) else value
        if hasattr(value, "numpy"):  # a symbolic tensor has no value to give
            kind = "variable" if hasattr(value, "assign") else "tensor"
            return _describe_array(kind, value.numpy())
    elif callable(value):
        return {"type": "function", "name": getattr(value, "__name__", type(value).__name__)}
    return {"type": "object", "name": type(value).__name__}


def _describe_array(kind: str, value: Any) -> dict:
    array = np.asarray(value)
    listed = array.tolist() if array.dtype.kind in "biuf" and array.size <= _LARGEST_ARRAY else None
    shape = list(array.shape)
    return {"type": kind, "dtype": array.dtype.name, "shape": shape, "value": listed}


def observe_calls(
    function: Any,
    calls: Sequence[tuple],
    prepare: Callable[..., tuple] | None = None,
    call: Callable | None = None,
) -> dict:
    """Call ``function`` once for each tuple of arguments and write down what happened.

    For ``prepare`` and ``call`` see `Question`. The result is ``{"calls": [...], "printed": str}``.
    Each call is ``{"returned": ..., "called": ...}`` or ``{"raised": {"type", "message",
    "line"}}``. The first call that raises is the last. What is not a function gives ``{"given":
    ...}``.
    """
    if not callable(function):
        return {"given": describe(function)}
    records: list[dict] = []
    printed = _FirstCharacters()
    for arguments in calls:
        prepared = prepare(*arguments) if prepare else arguments
        try:
            with contextlib.redirect_stdout(printed), _tape_calls_noted() as noted:
                returned = call(function, *prepared) if call else function(*prepared)
                called = {name: len(calls) for name, calls in noted.items()}
                records.append({"returned": describe(returned), "called": called})
        except (Exception, SystemExit) as error:
            records.append({"raised": _describe_error(error, function)})
            break
    return {"calls": records, "printed": printed.getvalue()}


@contextlib.contextmanager
def _tape_calls_noted() -> Iterator[dict[str, list]]:
    """Yield a list for each method that differentiates, one entry a call.

    TensorFlow's own calls count too, such as those of ``gradient`` within ``jacobian``.
    """
    import tensorflow as tf

    owners = dict.fromkeys(("gradient", "jacobian", "batch_jacobian"), tf.GradientTape)
    owners["jvp"] = tf.autodiff.ForwardAccumulator
    with contextlib.ExitStack() as stack:
        noted = {
            name: notes_of(owner, name, lambda *_, **__: None) for name, owner in owners.items()
        }
        yield {name: stack.enter_context(each) for name, each in noted.items()}


def calls_noted(owner: type, name: str) -> contextlib.AbstractContextManager[list[dict]]:
    """Give a list to which each call of a method adds its arguments, by their names."""
    method = getattr(owner, name)

    def arguments_of(returned: Any, *arguments: Any, **options: Any) -> dict[str, Any]:
        return dict(inspect.signature(method).bind(*arguments, **options).arguments)

    return notes_of(owner, name, arguments_of)


def results_noted(owner: type, name: str) -> contextlib.AbstractContextManager[list]:
    """Give a list to which each call of a method adds what it returned."""
    return notes_of(owner, name, lambda returned, *arguments, **options: returned)


@contextlib.contextmanager
def notes_of(owner: type, name: str, note: Callable) -> Iterator[list]:
    """Yield a list of notes, one for each call that has returned; in a graph one for each trace.

    ``note`` takes what a call returned, and its arguments.
    """
    from unittest.mock import patch  # takes a moment, as TensorFlow does

    import tensorflow as tf

    method, noted = getattr(owner, name), []

    @functools.wraps(method)
    @tf.autograph.experimental.do_not_convert
    def noting(*arguments: Any, **options: Any) -> Any:
        returned = method(*arguments, **options)
        noted.append(note(returned, *arguments, **options))
        return returned

    with patch.object(owner, name, noting):
        yield noted


def _describe_error(error: BaseException, function: Callable) -> dict:
    """Describe an exception and the line, in the learner's own file or cell, that led to it."""
    file = file_of(function)
    own_lines = [
        (frame.line or "").strip()
        for frame in traceback.extract_tb(error.__traceback__)
        if file and frame.filename == file
    ]
    lines = lines_of_message(error)
    message = lines[0]
    if message == "in user code:" and file:
        # The message of an error inside a tf.function contains a traceback.
        message = lines[-1].removeprefix(f"{type(error).__name__}:").strip()
        own_lines = re.findall(rf'File "{re.escape(file)}", .*\n\s*(.*?)\s*\*?\n', str(error))
    return {
        "type": type(error).__name__,
        "message": message[:_LONGEST_LINE],
        "line": own_lines[-1][:_LONGEST_LINE] if own_lines else "",
    }


def file_of(function: Any) -> str:
    """Return the file, or the cell, that holds the learner's own code; empty if there is none."""
    return getattr(_code_of(function), "co_filename", "")


def _code_of(function: Callable) -> CodeType | None:
    """Return the learner's own code under a decorator, a ``partial`` or a method."""
    for name in ("python_function", "__wrapped__", "func", "__func__"):
        function = getattr(function, name, function)
    return getattr(function, "__code__", None)


def same_code(function: Any, source: str) -> bool:
    """Tell whether ``function`` is still what ``source`` defines.

    Comments, blank lines and parentheses make no difference. A decorator does.
    """
    code = _code_of(function)
    # inspect.getsource would look for the code's module among all that are imported.
    lines = linecache.getlines(code.co_filename)[code.co_firstlineno - 1 :] if code else []
    try:
        (own,) = ast.parse(dedent("".join(inspect.getblock(lines)))).body
    except (SyntaxError, ValueError):  # no source, or none of its own
        return False
    return ast.dump(own) in map(ast.dump, ast.parse(source).body)

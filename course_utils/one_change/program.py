"""A learner's function as a program that may be changed and run again, if that can hurt nothing."""

import ast
import builtins
import dis
import inspect
import linecache
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from textwrap import dedent
from types import CodeType, FunctionType, ModuleType
from typing import Any

__all__ = ["Program", "compiling", "names_of_the_notebook", "program_of"]

_LIBRARIES = {
    "collections", "copy", "course_utils", "functools", "gradient_tools", "itertools", "keras",
    "math", "numpy", "operator", "random", "statistics", "tensorflow",
}  # fmt: skip
# What writes, trains or reaches out, by whatever it is called on.
_REFUSED = {
    "breakpoint", "compile", "config", "data", "dump", "eval", "exec", "exit", "fit", "fromfile",
    "globals", "input", "io", "load", "load_weights", "locals", "open", "quit", "save",
    "save_weights", "saved_model", "savetxt", "savez", "setattr", "summary", "tofile", "train",
    "train_on_batch", "vars", "write", "__import__",
}  # fmt: skip
_CHANGED = "<the program with one change>"
_GLOBAL = {"LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL"}
_PLAIN = (bool, int, float, complex, str, bytes, type(None))


@dataclass(frozen=True)
class Program:
    """The functions of a learner's that an answer consists of, as one module.

    ``lines`` are those of the file, or the cell, in which they stand; the tree keeps their numbers.
    ``names`` are those that they find around them.
    """

    tree: ast.Module
    name: str
    lines: tuple[str, ...]
    names: dict[str, Any]

    def function(self, text: str) -> Callable:
        """Return the answer as another text defines it; no name of the learner's is bound anew."""
        names = dict(self.names)
        # Where AutoGraph reads it.
        linecache.cache[_CHANGED] = (len(text), None, text.splitlines(keepends=True), _CHANGED)
        exec(compile(text, _CHANGED, "exec"), names)
        return names[self.name]


def program_of(answer: Any) -> Program | None:
    """Return the program of an answer; None where it must not be tried, or cannot be."""
    function = _undecorated(answer)
    if not isinstance(function, FunctionType):
        return None
    own = _functions_of(function)
    try:
        if not all(map(_is_harmless, own)):
            return None
        trees = [_definition(each) for each in own if _file(each) == _file(function)]
    except (SyntaxError, ValueError):  # no source, or none of its own
        return None
    lines = tuple(linecache.getlines(_file(function)))
    tree = ast.Module(trees, [])
    return Program(tree, function.__name__, lines, dict(function.__globals__))


@contextmanager
def compiling(is_wanted: bool) -> Iterator[None]:
    """Let compiled functions be compiled, or run as the Python that they were written as."""
    import tensorflow as tf

    before = tf.config.functions_run_eagerly()
    tf.config.run_functions_eagerly(not is_wanted)
    try:
        yield
    finally:
        tf.config.run_functions_eagerly(before)


def names_of_the_notebook(answer: Any) -> list[str]:
    """Return the names that an answer finds around it and that hold no code, such as a tensor's.

    What they hold is the same in each call; an argument of the same name was perhaps meant.
    """
    function = _undecorated(answer)
    if not isinstance(function, FunctionType):
        return []
    values = {n: function.__globals__.get(n) for n in _global_names_of(function.__code__)}
    return [n for n, v in values.items() if v is not None and not _is_code(v)]


def _is_code(value: Any) -> bool:
    return isinstance(value, ModuleType) or callable(value)


def _undecorated(value: Any) -> Any:
    """Return what stands under a decorator, and anything else as it is."""
    return getattr(value, "python_function", getattr(value, "__wrapped__", value))


def _file(function: FunctionType) -> str:
    return function.__code__.co_filename


def _functions_of(answer: FunctionType) -> list[FunctionType]:
    """Return an answer and the functions outside of libraries that it may call, by their names."""
    found = [answer]
    for function in found:  # it grows meanwhile
        for name in _global_names_of(function.__code__):
            value = _undecorated(function.__globals__.get(name))
            if isinstance(value, FunctionType) and not _is_of_a_library(value):
                found += [] if value in found else [value]
    return found


def _definition(function: FunctionType) -> ast.stmt:
    first = function.__code__.co_firstlineno
    block = inspect.getblock(linecache.getlines(_file(function))[first - 1 :])
    (definition,) = ast.parse(dedent("".join(block))).body
    if not isinstance(definition, ast.FunctionDef):
        raise ValueError("a lambda")
    return ast.increment_lineno(definition, first - 1)


def _names_of(code: CodeType) -> Iterator[str]:
    """Yield the global names and the attributes of a function, and of those defined in it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_of(constant)


def _global_names_of(code: CodeType) -> Iterator[str]:
    """Yield the global names alone: the ``gradient`` of ``tape.gradient`` is none."""
    yield from (step.argval for step in dis.get_instructions(code) if step.opname in _GLOBAL)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _global_names_of(constant)


def _is_harmless(function: FunctionType) -> bool:
    """Tell whether a function uses libraries and plain values alone, and nothing that is kept.

    What it is called with is made anew for each call; a variable or a list of the notebook's would
    be changed.
    """
    if function.__closure__ or function.__name__ != function.__qualname__:
        return False
    names = set(_global_names_of(function.__code__))
    values = (function.__globals__.get(n, getattr(builtins, n, None)) for n in names)
    return not _REFUSED & set(_names_of(function.__code__)) and all(
        _is_kept_by_nobody(_undecorated(v)) for v in values
    )


def _is_kept_by_nobody(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_kept_by_nobody, value))
    is_own = isinstance(value, FunctionType)  # looked at by itself
    return is_own or isinstance(value, _PLAIN) or _is_of_a_library(value)


def _is_of_a_library(value: Any) -> bool:
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    root = str(name).partition(".")[0]
    return _is_code(value) and (root in _LIBRARIES or root == "builtins")

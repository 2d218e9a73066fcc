"""Where the user's program keeps a tensor from before the block: under a name, or in an object."""

import ast
import inspect
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from ..recording.places import is_user_file
from .syntax import Assignment, assignments_in, tree_of

__all__ = ["Keeper", "assignments_of_attribute", "equal_values", "keepers_of", "variables_of"]

_MOST_VALUES = 10_000  # looked through, of all that the names of a program lead to


@dataclass(frozen=True)
class Keeper:
    """A name, or the attribute of an object, that holds a tensor or an array with its values."""

    path: str  # such as "frozen", "cache['h']" or "layer.kernel"
    owner: Any = None  # the object, if it is an attribute
    attribute: str = ""


def keepers_of(tensor: Any, names: dict[str, Any]) -> Iterator[Keeper]:
    """Yield what keeps a tensor, of all that the names lead to; the shortest paths come first."""
    waiting = [(Keeper(name), value) for name, value in names.items() if not name.startswith("_")]
    seen: set[int] = set()
    for keeper, value in waiting:  # which becomes longer
        if _holds(value, tensor):
            yield keeper
        elif id(value) not in seen and len(waiting) < _MOST_VALUES:
            seen.add(id(value))
            waiting += _parts(keeper.path, value)


def _parts(path: str, value: Any) -> list[tuple[Keeper, Any]]:
    if isinstance(value, dict):
        return [(Keeper(f"{path}[{key!r}]"), part) for key, part in list(value.items())]
    if isinstance(value, (list, tuple)):
        return [(Keeper(f"{path}[{number}]"), part) for number, part in enumerate(value)]
    if isinstance(value, types.FunctionType):
        cells = zip(value.__code__.co_freevars, value.__closure__ or (), strict=True)
        return [(Keeper(name), cell.cell_contents) for name, cell in cells if _is_filled(cell)]
    if isinstance(value, types.MethodType):
        return _parts(path, value.__self__)
    if isinstance(value, (tf.Module, keras.layers.Layer)) or _is_of_user(type(value)):
        attributes = getattr(value, "__dict__", {})
        return [(Keeper(f"{path}.{name}", value, name), x) for name, x in list(attributes.items())]
    return []


def _is_filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def _is_of_user(kind: type) -> bool:
    """Tell whether a class has a method in the user's program."""
    methods = (each for each in vars(kind).values() if isinstance(each, types.FunctionType))
    return any(is_user_file(each.__code__.co_filename) for each in methods)


def _holds(value: Any, tensor: Any) -> bool:
    if isinstance(value, (tf.SparseTensor, tf.RaggedTensor, tf.IndexedSlices)):
        parts = tf.nest.flatten(value, expand_composites=True)
        return any(part is tensor for part in parts)
    if isinstance(value, np.ndarray):
        return value.size > 1 and equal_values(value, tensor)
    return value is tensor


def variables_of(value: Any) -> list[Any]:
    """Return the variables of a model, layer or module, or those in a list or dict."""
    if isinstance(value, (tf.Variable, keras.Variable)):
        return [value]
    if isinstance(value, (tf.Module, keras.layers.Layer)):
        return list(value.variables)
    parts = value.values() if isinstance(value, dict) else value
    if isinstance(value, (list, tuple, dict)):
        return [each for each in parts if isinstance(each, (tf.Variable, keras.Variable))]
    return []


def equal_values(one: Any, other: Any) -> bool:
    """Tell whether two tensors, variables or arrays have the same shape and values."""
    try:
        return np.array_equal(np.asarray(one), np.asarray(other))
    except Exception:  # A resource, a string or a symbolic tensor has no value to compare.
        return False


def assignments_of_attribute(owner: Any, attribute: str) -> list[tuple[Assignment, str]]:
    """Return the assignments of ``self.attribute`` in an object's classes, and the name of self."""
    found = []
    for kind in type(owner).__mro__:
        for method in vars(kind).values():
            method = inspect.unwrap(getattr(method, "python_function", method))
            code = getattr(method, "__code__", None)
            if not isinstance(code, types.CodeType) or not is_user_file(code.co_filename):
                continue
            own_name = code.co_varnames[0] if code.co_argcount else ""
            for each in _assignments_of_function(code):
                if each.name == f"{own_name}.{attribute}":
                    found.append((each, own_name))
    return found


def _assignments_of_function(code: types.CodeType) -> list[Assignment]:
    for node in ast.walk(tree_of(code.co_filename)):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            lines = [node.lineno, *(each.lineno for each in node.decorator_list)]
            if min(lines) == code.co_firstlineno:
                return assignments_in(node, code.co_filename, 0)
    return []

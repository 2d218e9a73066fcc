"""The sources of a recording: what is given to the function, and what each is called."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from .tensors import tf_variable

__all__ = [
    "closure_variables",
    "name_targets",
    "parameter_names",
    "prepare_input",
    "unique_names",
    "variable_name",
]

# Names that TensorFlow and Keras give to a variable without a name.
_SAYS_NOTHING = re.compile(r"(.*/)?variable(_\d+)?", re.IGNORECASE)


def parameter_names(f: Callable, count: int) -> list[str]:
    """Name the first ``count`` positional arguments of ``f`` after its parameters.

    >>> parameter_names(lambda x, *others: x, 3)
    ['x', 'others[0]', 'others[1]']
    """
    try:
        parameters = list(inspect.signature(_plain_function(f)).parameters.values())
    except (TypeError, ValueError):  # some callables written in C have no signature
        parameters = []
    names = []
    for position in range(count):
        parameter = parameters[min(position, len(parameters) - 1)] if parameters else None
        if parameter is not None and parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            names.append(f"{parameter.name}[{position - len(parameters) + 1}]")
        else:
            known = parameter is not None and position < len(parameters)
            names.append(parameter.name if parameter and known else f"input {position + 1}")
    return names


def prepare_input(name: str, given: Any) -> tuple[Any, list[tuple[str, Any]]]:
    """Turn one argument into tensors; return it, and the sources in it with their names.

    ``name`` is what the argument is called; a variable's own name and a dict's keys come before it.
    Floats become float32 tensors, arrays keep their dtype. Anything else, whole numbers included,
    is handed on unchanged and is no source.
    """
    if isinstance(given, Mapping):
        pairs = [(key, prepare_input(str(key), part)) for key, part in given.items()]
        return {key: part[0] for key, part in pairs}, [s for _, part in pairs for s in part[1]]
    if isinstance(given, (list, tuple)):
        parts = [prepare_input(f"{name}[{i}]", part) for i, part in enumerate(given)]
        sources = [source for part in parts for source in part[1]]
        items = [part[0] for part in parts]
        return type(given)(*items) if hasattr(given, "_fields") else type(given)(items), sources
    if isinstance(given, (tf.Variable, keras.Variable)):
        return given, [(variable_name(given) or name, tf_variable(given))]
    if isinstance(given, (float, complex, np.ndarray, np.generic)):
        given = tf.constant(given)
    return given, [(name, given)] if isinstance(given, tf.Tensor) else []


def closure_variables(f: Callable) -> dict[Any, str]:
    """Find the variables that ``f`` uses without being given them, and the names it uses.

    The keys are the references of the variables, ``variable.ref()``.
    """
    try:
        seen = inspect.getclosurevars(_plain_function(f))
    except TypeError:  # a model or another callable object
        return {}
    found: dict[Any, str] = {}
    for name, value in {**seen.globals, **seen.nonlocals}.items():
        for path, variable in _variables_in(name, value):
            found.setdefault(tf_variable(variable).ref(), variable_name(variable) or path)
    return found


def variable_name(variable: tf.Variable | keras.Variable) -> str | None:
    """Give a variable's name or path, or None where it says nothing (``Variable:0``).

    >>> variable_name(tf.Variable(1.0, name="w")), variable_name(tf.Variable(1.0))
    ('w', None)
    """
    is_keras = isinstance(variable, keras.Variable)
    name = variable.path if is_keras else variable.name.split(":")[0]
    return None if _SAYS_NOTHING.fullmatch(name) else "/".join(name.split("/")[-2:])


def name_targets(f: Callable, result: Any, taken: list[str]) -> list[tuple[str, tf.Tensor]]:
    """List the tensors in what ``f`` returned: ``y`` alone, or a dict's keys, or ``y1``, ``y2``.

    A function with a short name of its own gives that name to its result.
    """
    own = getattr(f, "__name__", "")  # a model has none
    is_own = not getattr(f, "__module__", "").startswith(("tensorflow", "keras"))
    names = [own] if is_own and own.isidentifier() and len(own) <= 6 else []
    base = next((name for name in [*names, "y", "z", "out"] if name not in taken), "result")
    found = list(_tensors_in(base, result))
    return found if len(found) != 1 else [(base, found[0][1])]


def unique_names(names: list[str]) -> list[str]:
    """Give the second and later of equal names a number.

    >>> unique_names(["x", "w", "x"])
    ['x', 'w', 'x (2)']
    """
    return [
        f"{name} ({names[:i].count(name) + 1})" if name in names[:i] else name
        for i, name in enumerate(names)
    ]


def _tensors_in(name: str, result: Any) -> Iterator[tuple[str, tf.Tensor]]:
    if isinstance(result, Mapping):
        for key, part in result.items():
            yield from _tensors_in(str(key), part)
    elif isinstance(result, (list, tuple)):
        for i, part in enumerate(result):
            yield from _tensors_in(f"{name}{i + 1}", part)
    elif isinstance(result, (tf.Variable, keras.Variable)):
        yield name, tf.convert_to_tensor(tf_variable(result))
    else:  # sparse and ragged tensors consist of several
        for part in tf.nest.flatten(result, expand_composites=True):
            if isinstance(part, tf.Tensor):
                yield name, part


def _plain_function(f: Callable) -> Callable:
    """Look behind ``tf.function`` and behind a Keras layer's ``__call__``."""
    if isinstance(f, keras.layers.Layer):
        return f.call
    return getattr(f, "python_function", f)


def _variables_in(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Walk through dicts and lists of variables."""
    if isinstance(value, (tf.Variable, keras.Variable)):
        yield name, value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _variables_in(str(key), part)
    elif isinstance(value, (list, tuple)):
        for i, part in enumerate(value):
            yield from _variables_in(f"{name}[{i}]", part)

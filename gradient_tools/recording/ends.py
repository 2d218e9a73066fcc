"""The sources and targets of a recorded function, and their names."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from .tensors import tf_variable

__all__ = [
    "as_tensors",
    "closure_variables",
    "name_arguments",
    "name_sources",
    "name_targets",
    "variable_name",
]

# Names that TensorFlow and Keras give to a variable without a name.
_SAYS_NOTHING = re.compile(r"(.*/)?variable(_\d+)?", re.IGNORECASE)


def as_tensors(given: Any) -> Any:
    """Make tensors of floats (float32) and arrays (their dtype); leave anything else unchanged."""
    if isinstance(given, Mapping):
        return {key: as_tensors(part) for key, part in given.items()}
    if isinstance(given, (list, tuple)):
        parts = list(map(as_tensors, given))
        return type(given)(*parts) if hasattr(given, "_fields") else type(given)(parts)
    is_number = isinstance(given, (float, complex, np.ndarray, np.generic))
    return tf.constant(given) if is_number else given


def name_arguments(f: Callable[..., Any], inputs: tuple[Any, ...]) -> dict[str, Any]:
    """Name the inputs of ``f`` after its parameters.

    >>> name_arguments(lambda x, *others: x, (1, 2, 3))
    {'x': 1, 'others': (2, 3)}
    """
    try:
        return inspect.signature(_plain_function(f)).bind(*inputs).arguments
    except (TypeError, ValueError):  # no signature, as of some callables written in C, or another
        return {f"input {number}": given for number, given in enumerate(inputs, 1)}


def name_sources(structures: dict[str, Any]) -> list[tuple[str, tf.Tensor | tf.Variable]]:
    """List the tensors and variables in named structures; a variable's own name comes first."""
    sources = []
    for start, structure in structures.items():
        for name, leaf in _leaves(start, structure):
            if isinstance(leaf, (tf.Variable, keras.Variable)):
                sources.append((variable_name(leaf) or name, tf_variable(leaf)))
            elif isinstance(leaf, tf.Tensor):
                sources.append((name, leaf))
    return sources


def closure_variables(f: Callable[..., Any]) -> list[tuple[str, tf.Variable]]:
    """Find the variables that ``f`` uses without being given them, and the names it uses."""
    try:
        seen = inspect.getclosurevars(_plain_function(f))
    except TypeError:  # a model or another callable object
        return []
    walked = (tf.Variable, keras.Variable, dict, list, tuple)  # no file that is read like a dict
    names = {**seen.globals, **seen.nonlocals}
    found = name_sources({name: names[name] for name in names if isinstance(names[name], walked)})
    return [(name, source) for name, source in found if isinstance(source, tf.Variable)]


def variable_name(variable: tf.Variable | keras.Variable) -> str | None:
    """Give a variable's name or path, or None where it says nothing (``Variable:0``).

    >>> variable_name(tf.Variable(1.0, name="w")), variable_name(tf.Variable(1.0))
    ('w', None)
    """
    is_keras = isinstance(variable, keras.Variable)
    name = variable.path if is_keras else variable.name.split(":")[0]
    return None if _SAYS_NOTHING.fullmatch(name) else "/".join(name.split("/")[-2:])


def name_targets(
    f: Callable[..., Any], result: Any, taken: list[str]
) -> list[tuple[str, tf.Tensor]]:
    """List the tensors that ``f`` returned, named ``y``, or by a dict's keys, or ``y1``, ``y2``.

    If the function's own name is short, its result gets that name.
    """
    own = getattr(f, "__name__", "")  # a model has none
    is_own = not getattr(f, "__module__", "").startswith(("tensorflow", "keras"))
    names = [own] if is_own and own.isidentifier() and len(own) <= 6 else []
    base = next((name for name in [*names, "y", "z", "out"] if name not in taken), "result")
    found = []
    for name, leaf in _leaves(base, result, lambda name, i: f"{name}{i + 1}"):
        if isinstance(leaf, (tf.Variable, keras.Variable)):
            leaf = tf.convert_to_tensor(tf_variable(leaf))
        parts = tf.nest.flatten(leaf, expand_composites=True)  # of a sparse or ragged tensor
        found += [(name, part) for part in parts if isinstance(part, tf.Tensor)]
    return found if len(found) != 1 else [(base, found[0][1])]


def _leaves(
    name: str, structure: Any, name_of_item: Callable[[str, int], str] = "{}[{}]".format
) -> Iterator[tuple[str, Any]]:
    """Walk through dicts, lists and tuples; what is in a dict is called as its key."""
    if isinstance(structure, Mapping):
        items = [(str(key), part) for key, part in structure.items()]
    elif isinstance(structure, (list, tuple)):
        items = [(name_of_item(name, i), part) for i, part in enumerate(structure)]
    else:
        yield name, structure
        return
    for item, part in items:
        yield from _leaves(item, part, name_of_item)


def _plain_function(f: Callable[..., Any]) -> Callable[..., Any]:
    """Look behind ``tf.function`` and behind a Keras layer's ``__call__``."""
    return f.call if isinstance(f, keras.layers.Layer) else getattr(f, "python_function", f)

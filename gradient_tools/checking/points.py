"""Where a function is evaluated: named variables or tensors that can be moved and put back.

`find_point` turns whatever a learner may write for ``at`` (a tensor, an array, a variable, a
nest of them, a Keras model) into one `Point`, and refuses with a sentence what has no derivative.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

__all__ = ["Point", "find_point", "floating_tensor"]


def floating_tensor(name: str, value: object) -> tf.Tensor:
    """Return ``value`` as a real floating-point tensor, or say of ``name`` why it cannot be one.

    A Python float becomes float32, as everywhere in TensorFlow. Integers, booleans, strings and
    complex numbers raise TypeError, and empty, ragged or not finite values ValueError.
    """
    try:
        tensor = tf.convert_to_tensor(value)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{name} is {type(value).__name__}, which is not a tensor of numbers ({error}). "
            "Give a tf.Tensor, a tf.Variable or a NumPy array of floating-point numbers."
        ) from error
    if not tensor.dtype.is_floating:
        cure = f" Write 3.0 instead of 3, or tf.cast({name}, tf.float32)."
        raise TypeError(
            f"{name} has dtype {tensor.dtype.name}, but a derivative needs real floating-point "
            f"numbers.{cure if tensor.dtype.is_integer else ''}"
        )
    if tensor.shape.num_elements() == 0:
        raise ValueError(
            f"{name} is empty (shape {tuple(tensor.shape)}): there is nothing to move."
        )
    if not np.all(np.isfinite(tensor.numpy().astype(np.float64))):
        raise ValueError(
            f"{name} holds nan or infinity. Give a point where every number is finite."
        )
    return tensor


@dataclass(frozen=True)
class Point:
    """A function and the named leaves at which it is evaluated."""

    call: Callable[[list[Any]], Any]  # the function, of all leaves
    names: list[str]  # a variable's path, a function's parameter, or a place in the nest
    leaves: list[Any]  # variables or tensors, which are moved and differentiated
    values: list[np.ndarray]  # where the leaves belong, in float64
    state: list[tf.Variable]  # what a check gives back, with what a forward pass changes

    def output(self) -> tf.Tensor:
        """Evaluate the function here and now, or say what is wrong with what it returned.

        A tape that watches the leaves records it.
        """
        y = self.call(self.leaves)
        if y is None:
            raise TypeError("f returned None. End it with a return statement that gives a tensor.")
        if isinstance(y, np.ndarray | np.generic | float | int):
            raise TypeError(
                f"f returned {type(y).__name__}, not a tensor: the tape cannot see through NumPy "
                "or Python numbers. Compute with TensorFlow operations, without .numpy() and "
                "float()."
            )
        if isinstance(y, list | tuple | dict):
            raise TypeError(
                f"f returned a {type(y).__name__}. Return one tensor: choose one of its parts, "
                "or join them with tf.stack or tf.concat."
            )
        y = tf.convert_to_tensor(y)
        if not y.dtype.is_floating:
            raise TypeError(
                f"f returned dtype {y.dtype.name}, which carries no gradient. "
                "Return real floating-point numbers."
            )
        if y.shape.num_elements() == 0:
            raise ValueError(
                f"f returned an empty tensor (shape {tuple(y.shape)}): it has no derivative."
            )
        return y

    @contextmanager
    def recorded(self) -> Iterator[tf.GradientTape]:
        """Give a tape that watches the leaves, an untrainable variable too, and nothing else."""
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(self.leaves)
            yield tape

    def move(self, values: Mapping[int, np.ndarray]) -> None:
        """Give some leaves other values, which their dtypes hold."""
        for index, value in values.items():
            leaf = self.leaves[index]
            if isinstance(leaf, tf.Variable):
                leaf.assign(value)
            else:
                self.leaves[index] = tf.constant(value, leaf.dtype)

    def rounded(self, index: int, value: np.ndarray) -> np.ndarray:
        """Return a value, in float64, as the dtype of a leaf holds it."""
        return value.astype(self.leaves[index].dtype.as_numpy_dtype).astype(np.float64)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Give every variable its value back at the end, also when something raises."""
        before = [(variable, variable.numpy().copy()) for variable in self.state]
        try:
            yield
        finally:
            for variable, value in before:
                variable.assign(value)


def find_point(f: Callable[..., Any], at: Any, label: str = "at") -> Point:
    """Name the leaves of ``at``, check them, and remember how ``f`` takes them.

    Both are as in `check_gradients`; ``label`` is what the caller's own argument is called, for
    names and messages. TypeError or ValueError say if there is nothing to move, or if variables and
    tensors are mixed.
    """
    if not callable(f):
        raise TypeError(f"f must be a function, but it is {type(f).__name__}: pass f, not f(x).")
    everything = at
    if hasattr(at, "trainable_variables"):
        # A Keras model lists everything that a forward pass may change in `variables`.
        at, everything = list(at.trainable_variables), list(at.variables)
        if not at:
            raise ValueError(
                "The model has no trainable variables. Build it first: call it once on a batch."
            )
    leaves = tf.nest.flatten(at)
    if not leaves:
        raise ValueError(
            f"{label} is empty: give at least one tensor or variable to differentiate."
        )
    variables = _tf_variables(at)
    if variables and len(variables) < len(leaves):
        raise TypeError(
            f"{label} mixes variables and tensors. Give only variables, with an f without "
            "arguments, or only tensors, which f takes as arguments."
        )
    places = _places(at, label)
    if variables:
        _require_no_arguments(f, label)
        own = [getattr(leaf, "path", leaf.name).split(":")[0] for leaf in leaves]
        names = [
            place if name == "Variable" else f"{name} ({place})" if own.count(name) > 1 else name
            for name, place in zip(own, places, strict=True)
        ]
    else:
        names = _argument_names(f, at) or places

    def call(leaves: list[Any]) -> Any:
        if variables:
            return f()
        structure = tf.nest.pack_sequence_as(at, leaves)
        return f(*structure) if isinstance(at, list | tuple) else f(structure)

    tensors = [floating_tensor(*pair) for pair in zip(names, variables or leaves, strict=True)]
    values = [tensor.numpy().astype(np.float64) for tensor in tensors]
    return Point(call, names, variables or tensors, values, _tf_variables(everything))


def _require_no_arguments(f: Callable[..., Any], label: str) -> None:
    """Refuse a function of arguments where variables are given, which it is to read itself."""
    try:
        needed = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):  # a function of C has none that Python knows
        return
    names = [p.name for p in needed if p.default is p.empty and p.kind < p.VAR_POSITIONAL]
    if names:
        raise TypeError(
            f"{label} holds variables, which f reads by itself, and f takes {', '.join(names)}. "
            f"Give an f without arguments, or in {label} tensors, which f is then called with."
        )


def _tf_variables(nest: Any) -> list[tf.Variable]:
    """Return the variables in a nest; of one of Keras what it holds: only that can be watched."""
    leaves = tf.nest.flatten(nest)
    held = [v if isinstance(v, tf.Variable) else getattr(v, "value", None) for v in leaves]
    return [v for v in held if isinstance(v, tf.Variable)]


def _places(at: Any, place: str) -> list[str]:
    """Say where each leaf stands, in the order of `tf.nest.flatten`: at[0], at['w']."""
    if isinstance(at, Mapping):
        return [leaf for key in sorted(at) for leaf in _places(at[key], f"{place}[{key!r}]")]
    if isinstance(at, list | tuple):
        return [leaf for i, part in enumerate(at) for leaf in _places(part, f"{place}[{i}]")]
    return [place]


def _argument_names(f: Callable[..., Any], at: Any) -> list[str]:
    """Name the tensors after the parameters of ``f``; no names, if it has none for each of them."""
    parts = at if isinstance(at, list | tuple) else [at]
    try:
        own = inspect.signature(f).bind(*parts).arguments
    except (TypeError, ValueError):
        return []
    if len(own) < len(parts):  # a parameter with a star takes several
        return []
    return [place for name, part in own.items() for place in _places(part, name)]

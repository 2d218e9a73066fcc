"""Where a function is evaluated: named variables or tensors that can be moved and put back.

`find_point` turns whatever a learner may write for ``at`` (a tensor, an array, a variable, a
nest of them, a Keras model) into one `Point`, and refuses with a sentence what has no derivative.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

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


def _floating_output(y: Any) -> tf.Tensor:
    """Return what a function returned as a floating-point tensor, or say what is wrong with it."""
    if y is None:
        raise TypeError("f returned None. End it with a return statement that gives a tensor.")
    if isinstance(y, np.ndarray | np.generic | float | int):
        raise TypeError(
            f"f returned {type(y).__name__}, not a tensor: the tape cannot see through NumPy "
            "or Python numbers. Compute with TensorFlow operations, without .numpy() and float()."
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
    return y


@dataclass(frozen=True)
class Point:
    """A function and the named leaves at which it is evaluated.

    ``calls`` says what the function takes: nothing, the leaves packed into ``structure`` as one
    argument, or the parts of that as several.
    """

    function: Callable
    names: list[str]  # a variable's path, a function's parameter, or a place in the nest
    leaves: list[Any]  # variables or tensors, which are moved and differentiated
    values: list[np.ndarray]  # a copy of each leaf, in its own dtype
    state: list[tf.Variable]  # what a check gives back, with what a forward pass changes
    structure: Any = None
    calls: Literal["nothing", "whole", "unpacked"] = "whole"

    def output(self) -> tf.Tensor:
        """Evaluate the function here and now; a tape that watches the leaves records it."""
        if self.calls == "nothing":
            return _floating_output(self.function())
        at = tf.nest.pack_sequence_as(self.structure, list(self.leaves))
        return _floating_output(
            self.function(*at) if self.calls == "unpacked" else self.function(at)
        )

    @contextmanager
    def recorded(self) -> Iterator[tf.GradientTape]:
        """Give a tape that watches the leaves, an untrainable variable too, and nothing else."""
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(self.leaves)
            yield tape

    @contextmanager
    def moved(self, moves: Mapping[int, np.ndarray]) -> Iterator["Point"]:
        """Give the point with some leaves replaced; variables are put back at the end."""
        if self.calls != "nothing":
            leaves = list(self.leaves)
            for index, value in moves.items():
                leaves[index] = tf.constant(value, leaves[index].dtype)
            yield replace(self, leaves=leaves)
            return
        try:
            for index, value in moves.items():
                self.leaves[index].assign(value)
            yield self
        finally:
            for index in moves:
                self.leaves[index].assign(self.values[index])

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Give every variable its value back at the end, also when something raises."""
        before = [(variable, variable.numpy().copy()) for variable in self.state]
        try:
            yield
        finally:
            for variable, value in before:
                variable.assign(value)


def find_point(f: Callable, at: Any, label: str = "at") -> Point:
    """Name the leaves of ``at``, check them, and remember how ``f`` takes them.

    Both are as in `check_gradients`; ``label`` is what the caller's own argument is called, for
    names and messages. TypeError or ValueError say if there is nothing to move, or if variables and
    tensors are mixed.
    """
    if not callable(f):
        raise TypeError(f"f must be a function, but it is {type(f).__name__}: pass f, not f(x).")
    state = None
    if hasattr(at, "trainable_variables"):
        # A Keras model lists everything that a forward pass may change in `variables`.
        at, state = list(at.trainable_variables), list(at.variables)
        if not at:
            raise ValueError(
                "The model has no trainable variables. Build it first: call it once on a batch."
            )
    leaves = tf.nest.flatten(at)
    if not leaves:
        raise ValueError(
            f"{label} is empty: give at least one tensor or variable to differentiate."
        )
    are_variables = [isinstance(_tf_variable(leaf), tf.Variable) for leaf in leaves]
    if any(are_variables) != all(are_variables):
        raise TypeError(
            f"{label} mixes variables and tensors. Give only variables, with an f without "
            "arguments, or only tensors, which f takes as arguments."
        )
    places = _places(at, label)
    if all(are_variables):
        names = _variable_names(leaves, places)
        variables = [_tf_variable(leaf) for leaf in leaves]
        values = [
            floating_tensor(*pair).numpy().copy() for pair in zip(names, variables, strict=True)
        ]
        state = variables if state is None else [_tf_variable(variable) for variable in state]
        return Point(f, names, variables, values, state, calls="nothing")
    unpacked = isinstance(at, list | tuple)
    names = _argument_names(f, at, places, unpacked)
    tensors = [floating_tensor(*pair) for pair in zip(names, leaves, strict=True)]
    values = [tensor.numpy().copy() for tensor in tensors]
    return Point(f, names, tensors, values, [], at, "unpacked" if unpacked else "whole")


def _tf_variable(leaf: Any) -> Any:
    """Return the tf.Variable that a Keras variable holds: the tape watches only that."""
    return leaf if isinstance(leaf, tf.Variable) else getattr(leaf, "value", None)


def _places(at: Any, place: str) -> list[str]:
    """Say where each leaf stands, in the order of `tf.nest.flatten`: at[0], at['w']."""
    if isinstance(at, Mapping):
        return [leaf for key in sorted(at) for leaf in _places(at[key], f"{place}[{key!r}]")]
    if isinstance(at, list | tuple):
        return [leaf for i, part in enumerate(at) for leaf in _places(part, f"{place}[{i}]")]
    return [place]


def _variable_names(variables: Sequence[Any], places: Sequence[str]) -> list[str]:
    names = [getattr(variable, "path", variable.name).split(":")[0] for variable in variables]
    return [
        place if name == "Variable" else f"{name} ({place})" if names.count(name) > 1 else name
        for name, place in zip(names, places, strict=True)
    ]


def _argument_names(f: Callable, at: Any, places: Sequence[str], unpacked: bool) -> list[str]:
    """Name the tensors after the parameters of ``f``, where it has as many."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return list(places)
    named = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    parts = list(at) if unpacked else [at]
    if len(named) < len(parts):
        return list(places)
    return [name for part, own in zip(parts, named, strict=False) for name in _places(part, own)]

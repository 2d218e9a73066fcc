"""Where a function is evaluated: named variables or tensors that can be moved and put back.

`find_point` turns ``at`` into a `Point`. A user may write a tensor, an array, a variable, a nested
structure of them, or a Keras model. What has no derivative gets an error in plain words.
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
            f"{name} is of type {type(value).__name__}, not a tensor of numbers ({error}). Pass a "
            "tf.Tensor, a tf.Variable, or a NumPy array of floating-point numbers."
        ) from error
    if not tensor.dtype.is_floating:
        cure = ""
        if tensor.dtype.is_integer:
            cure = f" Write 3.0 instead of 3, or tf.cast({name}, tf.float32)."
        if tensor.dtype.is_complex:
            cure = (
                " Split it into its real and imaginary parts: "
                "check_gradients(lambda re, im: f(tf.complex(re, im)), [re, im])."
            )
        raise TypeError(
            f"{name} has dtype {tensor.dtype.name}, but a derivative needs real floating-point "
            f"numbers.{cure}"
        )
    if tensor.shape.num_elements() == 0:
        raise ValueError(
            f"{name} is empty (shape {tuple(tensor.shape)}). Pass at least one number."
        )
    if not np.all(np.isfinite(tensor.numpy().astype(np.float64))):
        raise ValueError(
            f"{name} contains NaN or infinity. Choose a point where every number is finite."
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
    positions: list[int]  # of the leaves, among all that the caller gave
    constants: dict[str, str]  # names and dtypes of what has no derivative: integers, booleans
    lengths: dict[str, int]  # first dimensions of what f reads, by name: of a batch, perhaps
    is_half_precision: bool  # a leaf, or a layer that f reads, computes in 16 bits

    def output(self) -> tf.Tensor:
        """Evaluate the function here and now, or say what is wrong with what it returned.

        A tape that watches the leaves records it.
        """
        y = self.call(self.leaves)
        if y is None:
            raise TypeError("f returned None. Make f return a tensor.")
        if isinstance(y, np.ndarray | np.generic | float | int):
            raise TypeError(
                f"f returned {type(y).__name__}, not a tensor. The tape cannot follow a "
                "computation through NumPy or Python numbers. Compute with TensorFlow operations, "
                "without `.numpy()` or `float()`."
            )
        if isinstance(y, list | tuple | dict):
            raise TypeError(
                f"f returned a {type(y).__name__}. Return one tensor: choose one of its parts, "
                "or join them with tf.stack or tf.concat."
            )
        y = tf.convert_to_tensor(y)
        if not y.dtype.is_floating:
            cure = "Return real floating-point numbers."
            if y.dtype.is_complex:
                cure = "Return a real number, such as tf.abs(y) or tf.math.real(y)."
            raise TypeError(f"f returned dtype {y.dtype.name}, which carries no gradient. {cure}")
        if y.shape.num_elements() == 0:
            raise ValueError(
                f"f returned an empty tensor (shape {tuple(y.shape)}), which has no derivative. "
                "Return at least one number."
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
        raise TypeError(
            f"f must be a function, but it is of type {type(f).__name__}: pass f, not f(x)."
        )
    model = at
    at, state = _to_differentiate(at)
    leaves = tf.nest.flatten(at)
    if not leaves:
        raise ValueError(f"{label} is empty: pass at least one tensor or variable.")
    variables = _tf_variables(at)
    if variables and len(variables) < len(leaves):
        raise TypeError(
            f"{label} mixes variables and tensors. Pass only variables and an f without arguments, "
            "or only tensors and an f that takes them as arguments."
        )
    if variables:
        _require_no_arguments(f, label)
        names = _variable_names(leaves, _places(at, label))
    else:
        names = _argument_names(f, at) or _places(at, label)
    dtypes = [_dtype_of(leaf) for leaf in variables or leaves]
    positions = _positions_to_move(dtypes)
    # A tensor that is given twice is two leaves, which the tape must tell apart.
    tensors = [tf.identity(floating_tensor(names[i], (variables or leaves)[i])) for i in positions]
    read = _read_by(f)
    return Point(
        call=(lambda moved: f()) if variables else _call_with(f, at, positions),
        names=[names[i] for i in positions],
        leaves=[variables[i] for i in positions] if variables else tensors,
        values=[tensor.numpy().astype(np.float64) for tensor in tensors],
        state=_tf_variables(state),
        positions=positions,
        constants={
            name: dtype.name
            for i, (name, dtype) in enumerate(zip(names, dtypes, strict=True))
            if i not in positions and dtype is not None
        },
        lengths=_lengths_of(read) | _lengths_of(dict(zip(names, leaves, strict=True))),
        is_half_precision=any(map(_computes_in_16_bits, [model, f, *tensors, *read.values()])),
    )


def _to_differentiate(at: Any) -> tuple[Any, Any]:
    """Return the leaves of ``at``, and all that a call of f may change: of a model, its variables.

    ValueError says if a model has none yet.
    """
    if not hasattr(at, "trainable_variables"):
        return at, at
    if not at.trainable_variables:
        raise ValueError(
            "The model has no trainable variables. Build it first: call it once on a batch."
        )
    # A Keras model lists everything that a forward pass may change in `variables`.
    return list(at.trainable_variables), list(at.variables)


def _variable_names(leaves: list[Any], places: list[str]) -> list[str]:
    """Name variables by their paths, and also by their places if two share a path."""
    paths = [getattr(leaf, "path", leaf.name).split(":")[0] for leaf in leaves]
    return [
        place if path == "Variable" else f"{path} ({place})" if paths.count(path) > 1 else path
        for path, place in zip(paths, places, strict=True)
    ]


def _positions_to_move(dtypes: list[tf.DType | None]) -> list[int]:
    """Return the positions of the leaves that are not integer or boolean, or else all of them.

    `floating_tensor` refuses those, with a sentence.
    """
    moving = [
        i for i, dtype in enumerate(dtypes) if not (dtype and (dtype.is_integer or dtype.is_bool))
    ]
    return moving or list(range(len(dtypes)))


def _call_with(f: Callable[..., Any], at: Any, positions: list[int]) -> Callable[[list[Any]], Any]:
    """Return a function that calls ``f`` with other leaves at these positions of ``at``."""

    def call(moved: list[Any]) -> Any:
        arguments = tf.nest.flatten(at)
        for position, leaf in zip(positions, moved, strict=True):
            arguments[position] = leaf
        structure = tf.nest.pack_sequence_as(at, arguments)
        return f(*structure) if isinstance(at, list | tuple) else f(structure)

    return call


def _dtype_of(leaf: object) -> tf.DType | None:
    """Return the dtype that a leaf has as a tensor; None if it cannot be one."""
    try:
        return tf.convert_to_tensor(leaf).dtype
    except (TypeError, ValueError):
        return None


def _read_by(f: Callable[..., Any]) -> dict[str, object]:
    """Return what the names in the text of ``f`` stand for, apart from its own arguments."""
    try:
        names = inspect.getclosurevars(inspect.unwrap(getattr(f, "python_function", f)))
    except (TypeError, ValueError):  # a layer, a function of C, or a name without a value yet
        return {}
    return {**names.globals, **names.nonlocals}


def _computes_in_16_bits(value: object) -> bool:
    """Whether a tensor, or a layer or one of its layers, has float16 or bfloat16."""
    if isinstance(value, tf.Tensor):
        return bool(value.dtype in (tf.float16, tf.bfloat16))
    layers = [value, *getattr(value, "layers", [])]
    return any(getattr(layer, "compute_dtype", "") in ("float16", "bfloat16") for layer in layers)


def _lengths_of(values: Mapping[str, object]) -> dict[str, int]:
    """Return the first dimension of every tensor and array; variables are no batches."""
    arrays = tf.Tensor | np.ndarray
    return {
        name: x.shape[0] for name, x in values.items() if isinstance(x, arrays) and len(x.shape)
    }


def _require_no_arguments(f: Callable[..., Any], label: str) -> None:
    """Refuse a function of arguments where variables are given, which it is to read itself."""
    try:
        needed = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):  # a function of C has none that Python knows
        return
    names = [p.name for p in needed if p.default is p.empty and p.kind < p.VAR_POSITIONAL]
    if names:
        raise TypeError(
            f"{label} holds variables, so f must take no arguments, but it takes "
            f"{', '.join(names)}. Pass an f without arguments, or put tensors in {label}. Then f "
            "is called with them."
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
    # A Keras layer takes anything, and passes it to its method `call`.
    function = getattr(f, "call", f)
    try:
        arguments = inspect.signature(function).bind(*parts)
    except (TypeError, ValueError):
        return []
    if any(
        arguments.signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
        for name in arguments.arguments
    ):
        return []
    return [place for name, part in arguments.arguments.items() for place in _places(part, name)]

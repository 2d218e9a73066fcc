"""What the whole room must know of a tensor or variable, be it TensorFlow's or Keras's."""

from typing import Any

import keras
import tensorflow as tf

__all__ = ["SHAPE_ONLY", "is_differentiable", "is_variable", "key_of", "tf_variable"]

# These look at a tensor's shape only, so no value flows through them and no gradient back.
SHAPE_ONLY = {"Shape", "ShapeN", "Size", "Rank", "VariableShape", "ZerosLike", "OnesLike"}


def is_differentiable(tensor: Any) -> bool:
    """Tell whether a gradient with respect to this tensor can exist at all."""
    dtype = tf.as_dtype(tensor.dtype)
    return bool(dtype.is_floating or dtype.is_complex)


def is_variable(source: Any) -> bool:
    """Tell a ``tf.Variable`` or Keras variable from a tensor."""
    return hasattr(source, "handle")


def tf_variable(source: Any) -> Any:
    """Return the ``tf.Variable`` in a Keras variable, and anything else as it is."""
    return source.value if isinstance(source, keras.Variable) else source


def key_of(source: Any) -> int:
    """Return what a value is known by: its identity, or that of a variable's handle.

    A ragged or sparse tensor is known by its values.
    """
    if isinstance(source, tf.RaggedTensor):
        source = source.flat_values
    elif isinstance(source, (tf.SparseTensor, tf.IndexedSlices)):
        source = source.values
    return id(getattr(source, "handle", source))

"""The few parts of TensorFlow that the course uses although TensorFlow does not promise them.

Everything that may move between versions of TensorFlow stands here, and nowhere else.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["listen_to_operations"]


@contextmanager
def listen_to_operations(listener: Callable) -> Iterator[None]:
    """Call ``listener`` after each operation that this thread runs, or adds to a graph.

    Parameters
    ----------
    listener : callable
        Called as ``listener(op_type, inputs, attributes, outputs, op_name, graph)``; ``graph`` is
        None for an operation that ran eagerly. It must return None.
    """
    from tensorflow.python.framework import op_callbacks

    def forward(op_type, inputs, attributes, outputs, op_name=None, graph=None):
        # Some operations give their type as bytes.
        name = op_type.decode() if isinstance(op_type, bytes) else op_type
        listener(name, inputs, attributes, outputs, op_name, graph)

    op_callbacks.add_op_callback(forward)
    try:
        yield
    finally:
        op_callbacks.remove_op_callback(forward)

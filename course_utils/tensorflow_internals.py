"""The few parts of TensorFlow that the course uses although TensorFlow does not promise them.

Everything that may move between versions of TensorFlow stands here, and nowhere else.
"""

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["cancel_graphs_after", "keep_tensorflow_random_state", "listen_to_operations"]


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


@contextmanager
def cancel_graphs_after(seconds: float) -> Iterator[None]:
    """Cancel a ``tf.function`` that this thread still runs after ``seconds``.

    A loop inside a graph runs outside Python, where no signal reaches it. TensorFlow raises
    ``tf.errors.CancelledError`` in its place.
    """
    from tensorflow.python.eager import cancellation

    manager = cancellation.CancellationManager()
    timer = threading.Timer(seconds, manager.start_cancel)
    timer.daemon = True
    timer.start()
    try:
        with cancellation.CancellationManagerContext(manager):
            yield
    finally:
        timer.cancel()


@contextmanager
def keep_tensorflow_random_state(seed: int) -> Iterator[None]:
    """Run a block under its own global seed, and leave TensorFlow's random state as it was.

    TensorFlow's eager random operations keep a counter for each pair of global and operation seed.
    Under another global seed the block draws from other counters, so that restoring the seed and
    the generator of operation seeds restores the whole sequence. The generators that TensorFlow and
    Keras hold for everybody are variables, whose values are put back. A block that itself calls
    ``tf.random.set_seed`` restarts the counters of operations with a seed of their own.
    """
    from keras.src.backend.common import global_state
    from tensorflow.python.eager import context
    from tensorflow.python.ops import stateful_random_ops

    state = context.context()
    tensorflow_before = state._seed, getattr(state, "_rng", None)
    keras_names = ("global_random_seed", "global_seed_generator")
    keras_before = {name: global_state.get_global_attribute(name) for name in keras_names}
    generator_before = stateful_random_ops.global_generator
    generators = (keras_before["global_seed_generator"], generator_before)
    values = [(g.state, g.state.numpy()) for g in generators if g is not None]
    state._seed, state._rng = seed, random.Random(seed)
    try:
        yield
    finally:
        state._seed, state._rng = tensorflow_before
        stateful_random_ops.global_generator = generator_before
        for name, value in keras_before.items():
            global_state.set_global_attribute(name, value)
        for variable, value in values:
            variable.assign(value)

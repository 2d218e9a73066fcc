"""The state of TensorFlow that an exercise keeps, counts anew or ends.

TensorFlow promises none of it. Other things that may change between its versions are in
``gradient_tools.recording.tensorflow_internals``.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = [
    "forget_tracings",
    "graphs_can_be_cancelled",
    "keep_keras_call_context",
    "keep_tensorflow_random_state",
    "traced_anew",
]


_managers: list[Any] = []  # never freed; each takes a few hundred bytes


@contextmanager
def graphs_can_be_cancelled() -> Iterator[Callable[[], None]]:
    """Yield a function that cancels the ``tf.function`` which this thread then runs.

    A loop inside a graph runs outside Python, where no signal reaches it. TensorFlow raises
    ``tf.errors.CancelledError`` in its place.
    """
    from tensorflow.python.eager import cancellation

    around, manager = cancellation.context(), cancellation.CancellationManager()
    # What a block starts may outlive it, such as an iterator of a data set, and TensorFlow then
    # still points to the manager: one that Python had freed would end the process.
    _managers.append(manager)
    try:
        with cancellation.CancellationManagerContext(manager):
            yield manager.start_cancel
    finally:  # TensorFlow itself forgets the one around this
        cancellation._active_context = around


def forget_tracings() -> None:
    """Count from 0 how often functions are traced; TensorFlow warns when one is traced often."""
    from tensorflow.python.eager.polymorphic_function import polymorphic_function

    polymorphic_function._frequent_tracing_detector_manager._detectors.clear()


@contextmanager
def keep_keras_call_context() -> Iterator[None]:
    """Restore what Keras knows of the call in progress, which a stop may leave behind."""
    from keras.src.backend.common import global_state

    before = global_state.get_global_attribute("current_call_ctx")
    try:
        yield
    finally:
        global_state.set_global_attribute("current_call_ctx", before)


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
    ours = seed + 2**40  # a number that nobody takes for a seed
    state._seed, state._rng = ours, random.Random(ours)
    try:
        yield
    finally:
        state._seed, state._rng = tensorflow_before
        stateful_random_ops.global_generator = generator_before
        for name, value in keras_before.items():
            global_state.set_global_attribute(name, value)
        for variable, value in values:
            variable.assign(value)


def traced_anew(function: Callable) -> Callable:
    """Return a ``tf.function`` as it was before its first call, and anything else as it is."""
    clone = getattr(function, "_clone", None)
    if clone is None or not hasattr(function, "python_function"):
        return function
    from tensorflow.python.util import tf_decorator

    # As tf.function does, so that the signature can still be read.
    return tf_decorator.make_decorator(function.python_function, clone(None))

"""What keeps the process of a notebook alive, and TensorFlow usable, when an answer runs in it."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any
from unittest.mock import patch

__all__ = ["kept_alive"]


@contextmanager
def kept_alive() -> Iterator[None]:
    """Refuse what would end the process, and leave nothing of a model's call that was stopped."""
    with ExitStack() as stack:
        if "tensorflow" in sys.modules:
            stack.enter_context(_fitting_output_gradients())
            stack.enter_context(_call_context_kept())
        yield


@contextmanager
def _fitting_output_gradients() -> Iterator[None]:
    """Refuse output gradients that are more or fewer than the targets: TensorFlow would crash."""
    import tensorflow as tf

    asked = tf.GradientTape.gradient

    @wraps(asked)
    def gradient(
        self: Any, target: Any, sources: Any, output_gradients: Any = None, *more: Any, **named: Any
    ) -> Any:
        if output_gradients is not None:
            wanted, given = (len(tf.nest.flatten(each)) for each in (target, output_gradients))
            if wanted != given:
                raise ValueError(
                    f"tape.gradient got {given} output gradients for {wanted} targets; it takes "
                    "one for each target, in the same structure"
                )
        return asked(self, target, sources, output_gradients, *more, **named)

    with patch.object(tf.GradientTape, "gradient", gradient):
        yield


@contextmanager
def _call_context_kept() -> Iterator[None]:
    """Restore what Keras knows of the call around: a stop may meet it before it can do so."""
    from keras.src.backend.common import global_state

    before = global_state.get_global_attribute("current_call_ctx")
    try:
        yield
    finally:
        global_state.set_global_attribute("current_call_ctx", before)

"""TensorFlow's start: quiet when a name is imported, and with what a lesson needs."""

import gc
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from types import ModuleType

__all__ = ["importing", "quiet_tensorflow", "standard_error_held"]


@cache
def quiet_tensorflow() -> ModuleType:
    """Start TensorFlow for lessons, once for a process, without start-up lines; return the module.

    Without two GPUs, the CPU counts as two devices, CPU:0 and CPU:1. So a step on several devices
    can be run on any machine. Code that names no device runs on CPU:0, as usual. On a GPU, memory
    is allocated as it is needed.

    The first operation starts the device, which writes as much as the import does. Later, only
    errors of TensorFlow's C++ code are written, unless ``TF_CPP_MIN_LOG_LEVEL`` says otherwise. The
    reason is a thread of ``tf.data``, which warns at random when a loop over a dataset ends early.

    The objects that exist then are exempt from garbage collection. TensorFlow has 400,000 of them,
    and visiting them takes a quarter of a second whenever tracing triggers a full collection.
    """
    with importing():
        import tensorflow as tf
    with standard_error_held():
        # These fail only where an operation ran before, and then they are past changing.
        gpus = tf.config.list_physical_devices("GPU")
        for gpu in gpus:
            with suppress(RuntimeError):
                tf.config.experimental.set_memory_growth(gpu, True)
        if len(gpus) < 2:
            cpu = tf.config.list_physical_devices("CPU")[0]
            two = [tf.config.LogicalDeviceConfiguration()] * 2
            with suppress(RuntimeError):
                tf.config.set_logical_device_configuration(cpu, two)
        tf.constant(0.0) + 1.0
        # The first transpose of integers, which second derivatives contain, writes a line too.
        tf.transpose(tf.zeros((2, 2), tf.int32))
    gc.freeze()
    return tf


@contextmanager
def importing() -> Iterator[None]:
    """Import quietly what may bring TensorFlow, and without garbage collection meanwhile.

    Nothing is changed by it but ``TF_CPP_MIN_LOG_LEVEL``, which TensorFlow reads as it is loaded.
    Visiting again and again what stays would be a fifth of the time.
    """
    if "tensorflow" in sys.modules:
        yield
        return
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        with standard_error_held():
            yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def standard_error_held() -> Iterator[None]:
    """Hold back what the process writes to descriptor 2, and show it if the block fails.

    TensorFlow's C++ code writes there before any logging setting reaches it.
    """
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as held:
        os.dup2(held.fileno(), 2)
        try:
            yield
        except BaseException:
            held.seek(0)
            os.write(kept, held.read())
            raise
        finally:
            os.dup2(kept, 2)
            os.close(kept)

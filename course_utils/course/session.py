"""``start_lesson``: the first line of every lesson."""

import gc
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from logging import LogRecord
from platform import python_version
from types import ModuleType

from ..figures.in_notebooks import prepare_figures
from .curriculum import find_lesson
from .notebook import prepare_cells, running_shell
from .progress import read_progress, runs_a_solution
from .standing import LessonBar

__all__ = ["importing", "quiet_tensorflow", "standard_error_held", "start_lesson"]


def start_lesson(number: str) -> None:
    """Start TensorFlow quietly, seed every generator, and show what is running and where you are.

    Import it before ``tensorflow``, whose start-up lines are held back; what TensorFlow wrote is
    shown after all when it fails to start.

    Parameters
    ----------
    number : str
        The two digits of the lesson, such as ``"01"``.

    Raises
    ------
    LookupError
        If there is no such lesson.

    Notes
    -----
    On a GPU, memory is taken as it is needed, and float32 products keep their full precision
    instead of TensorFloat-32's ten bits. The warning that a tape's ``jacobian`` traces a function
    anew at every call is held back: only TensorFlow could mend it. So is the one that a cell which
    runs again traces again. An interrupt also ends a loop inside a graph. First used in lesson 00.
    """
    lesson = find_lesson(number)
    tf = quiet_tensorflow()
    tf.config.experimental.enable_tensor_float_32_execution(False)
    tf.keras.utils.set_random_seed(20)
    tf.get_logger().addFilter(_is_for_the_learner)
    prepare_figures()
    prepare_cells()
    gpus = len(tf.config.list_physical_devices("GPU"))
    device = f"{gpus} GPU{'s' if gpus > 1 else ''}" if gpus else "CPU"
    print(
        f"Lesson {lesson.number} · {lesson.title} · Python {python_version()} · "
        f"TensorFlow {tf.__version__} · Keras {tf.keras.__version__} · {device}"
    )
    if running_shell() is not None and not runs_a_solution():
        from IPython.display import display

        try:
            display(LessonBar(lesson, read_progress()))
        except OSError as error:
            print(f"Your progress could not be read: {error}.")


def _is_for_the_learner(record: LogRecord) -> bool:
    """Tell a warning about the learner's code from one about the inside of ``tape.jacobian``."""
    message = record.getMessage()
    return not ("pfor.<locals>.f" in message and "retracing" in message)


def quiet_tensorflow() -> ModuleType:
    """Import TensorFlow, run its first operation, and return the module, without a line of noise.

    Without two GPUs, the CPU counts as two devices, CPU:0 and CPU:1, so that a step on several
    devices can be run on any machine; what names no device runs on CPU:0, as ever.

    The first operation starts the device, which writes as much as the import does. Later, only
    errors of TensorFlow's C++ code are written, unless ``TF_CPP_MIN_LOG_LEVEL`` says otherwise: a
    thread of ``tf.data`` warns at random when a dataset's loop in a graph ends before it does.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    is_shown = "tensorflow" not in sys.modules and running_shell() is not None
    if is_shown:
        print("TensorFlow starts, which takes up to half a minute the first time ...", flush=True)
    with standard_error_held():
        with importing():
            import tensorflow as tf

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
    if is_shown:
        from IPython.display import clear_output

        clear_output()
    return tf


@contextmanager
def importing() -> Iterator[None]:
    """Leave what is imported out of garbage collection, which would visit it again and again.

    TensorFlow brings 400,000 objects that stay: a fifth of the time of a start, and a quarter of a
    second whenever tracing a function sets off a whole collection.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.freeze()


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

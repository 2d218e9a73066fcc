"""``start_lesson``: the first line of every lesson."""

from contextlib import suppress
from logging import LogRecord
from platform import python_version

from .figures.in_notebooks import prepare_figures
from .notebook import prepare_cells, running_shell
from .reviewing import warm_up_for
from .standing import LessonBar
from .tensorflow_start import quiet_tensorflow, standard_error_held
from .workspace.curriculum import find_lesson
from .workspace.folders import own_copy
from .workspace.progress import Progress, read_progress, record_start, runs_a_solution

__all__ = ["standard_error_held", "start_lesson"]


def start_lesson(number: str) -> None:
    """Start TensorFlow quietly, seed every generator, and show what is running and where you are.

    Two review questions from earlier lessons follow, folded; see `warm_up`.

    Importing the course sets up nothing; this function does. Import it before ``tensorflow``, so
    that it can hold back TensorFlow's start-up messages. If TensorFlow fails to start, it shows
    them.

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
    The first call in a process does more, if no operation has run yet. Without two GPUs, it splits
    the CPU into two devices. On a GPU, it lets TensorFlow take memory as needed. It also excludes
    the objects that exist by then, mostly TensorFlow's, from garbage collection.

    On a GPU, float32 products keep their full precision instead of TensorFloat-32's ten bits.
    Figures get the course's style. Two retracing warnings are hidden, because a learner can do
    nothing about them: the one from ``jacobian``, and the one from running a cell again. An
    interrupt also ends a loop inside a graph. First used in lesson 00.
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
    # Two lines, because JupyterLab breaks one that is too long inside a word.
    print(
        f"Lesson {lesson.number} · {lesson.title}\nPython {python_version()} · "
        f"TensorFlow {tf.__version__} · Keras {tf.keras.__version__} · {device}"
    )
    if elsewhere := own_copy(lesson):
        print(elsewhere)
    if running_shell() is not None and not runs_a_solution():
        from IPython.display import display

        try:
            progress = _progress_at_start(number)
        except OSError as error:
            print(f"Your progress could not be read: {error}. `course doctor` says what to do.")
            return
        display(LessonBar(lesson, progress))
        if (questions := warm_up_for(lesson.number, progress)) is not None:
            display(questions)


def _progress_at_start(number: str) -> Progress:
    with suppress(OSError):  # what cannot be written can still be read
        return record_start(number)
    return read_progress()


def _is_for_the_learner(record: LogRecord) -> bool:
    """Tell a warning about the learner's code from one about the inside of ``tape.jacobian``."""
    message = record.getMessage()
    return not ("pfor.<locals>.f" in message and "retracing" in message)

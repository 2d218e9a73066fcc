"""Running a learner's code so that the notebook it is called from stays as it was."""

import ctypes
import linecache
import logging
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType

import numpy as np

from ..tape.tensorflow_internals import graphs_can_be_cancelled, keep_tensorflow_random_state

__all__ = ["PATIENCE", "TimeLimitReached", "state_kept", "tensorflow_warnings_held", "time_limit"]


_BETWEEN_LOOKS = 0.1  # seconds
PATIENCE = 6  # how many times as long as its processor time a block may take on the clock


class TimeLimitReached(BaseException):
    """The learner's code ran too long.

    Not an ``Exception``, so that the ``except Exception`` of the code that is stopped lets it pass.
    ``line`` is the learner's that ran last, or empty; ``stands_still`` says whether the loop's
    values did between two looks, if that is known; ``waited`` that it hardly used the processor.
    """

    def __init__(self, line: str = "", stands_still: bool | None = None, waited: bool = False):
        super().__init__()
        self.line, self.stands_still, self.waited = line, stands_still, waited


@contextmanager
def state_kept(seed: int) -> Iterator[None]:
    """Leave the random states and the working folder as the block found them.

    The random states are those of Python, NumPy, TensorFlow and Keras; a generator that the block
    holds itself is its own.
    """
    python_state, numpy_state, folder = random.getstate(), np.random.get_state(), os.getcwd()
    with ExitStack() as stack:
        if "tensorflow" in sys.modules:
            stack.enter_context(keep_tensorflow_random_state(seed))
        try:
            yield
        finally:
            random.setstate(python_state)
            np.random.set_state(numpy_state)
            os.chdir(folder)


@contextmanager
def tensorflow_warnings_held() -> Iterator[None]:
    """Hold back what TensorFlow's Python code warns of, such as a graph that is often traced.

    An exercise calls an answer on new shapes and new models, which says nothing about the answer.
    """
    logger = logging.getLogger("tensorflow")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


@contextmanager
def time_limit(
    seconds: float,
    file: str = "",
    patience: float = PATIENCE,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[None]:
    """Raise `TimeLimitReached` in the block when it has used ``seconds`` of the processor.

    Loops in Python, a sleep, and loops inside a ``tf.function`` are stopped. A block that waits is
    stopped after ``patience`` times as long on the clock, and one that ends only after its time,
    because the stop met it inside TensorFlow, counts as stopped too. The seconds are those of all
    threads of this process together: a busy machine takes nothing away from them. If the learner's
    code stands in ``file``, the exception tells whether its values stood still.
    """
    watch = _Watch(seconds, file, patience, clock)
    with ExitStack() as stack:
        in_main_thread = threading.current_thread() is threading.main_thread()
        has_alarm = hasattr(signal, "setitimer") and in_main_thread
        cancel = lambda: None  # noqa: E731
        if "tensorflow" in sys.modules:
            cancel = stack.enter_context(graphs_can_be_cancelled())
        stack.enter_context(_looks_at_the_clock(watch, cancel, has_alarm))
        if has_alarm:
            stack.enter_context(_alarm(watch))
        try:
            yield
        except Exception:
            if not watch.is_over():
                raise
    if watch.is_over():
        raise watch.stop()


class _Watch:
    """How much time a block has used, and whether the values of the learner's loop still change."""

    def __init__(self, seconds: float, file: str, patience: float, clock: Callable[[], float]):
        self._seconds, self._file, self._patience = seconds, file, patience
        self._clock, self._begun = clock, clock()
        self._processor = time.process_time()
        self._values: dict[str, bytes] | None = None
        self.line, self.stands_still = "", None

    def used(self) -> float:
        """Return which fraction of the time is used."""
        processor = (time.process_time() - self._processor) / self._seconds
        waited = (self._clock() - self._begun) / (self._patience * self._seconds)
        return max(processor, waited)

    def is_over(self) -> bool:
        """Tell whether the time is used up."""
        return self.used() >= 1.0

    def stop(self) -> TimeLimitReached:
        """Return what is raised when the time is over."""
        waited = time.process_time() - self._processor < self._seconds / 2
        return TimeLimitReached(self.line, self.stands_still, waited)

    def look(self, frame: FrameType | None) -> None:
        """Compare the floating-point values of the learner's frame with those of the last look."""
        while frame is not None and frame.f_code.co_filename != self._file:
            frame = frame.f_back
        if frame is None or self.used() < 0.5:
            return
        values = {name: v for name, value in frame.f_locals.items() if (v := _bytes_of(value))}
        if self._values is not None:
            self.stands_still = values == self._values
        self._values = values
        self.line = linecache.getline(self._file, frame.f_lineno).strip()


def _bytes_of(value: object) -> bytes:
    """Return a float, or a small array, tensor or variable of floats, as bytes; else nothing."""
    if isinstance(value, float):
        return np.float64(value).tobytes()
    try:
        array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    except Exception:  # a tensor without a value, or what pretends to be one
        return b""
    return array.tobytes() if array.dtype.kind == "f" and array.size <= 10_000 else b""


@contextmanager
def _alarm(watch: _Watch) -> Iterator[None]:
    """Look at the time between two steps of Python, and stop the block when it is over."""

    def look(signal_number, frame):
        is_over = watch.is_over()
        watch.look(frame)
        if is_over:
            raise watch.stop()

    handler_before = signal.signal(signal.SIGALRM, look)
    # The alarm repeats, because a bare `except:` in the learner's loop may swallow a stop.
    timer_before = signal.setitimer(signal.ITIMER_REAL, _BETWEEN_LOOKS, _BETWEEN_LOOKS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler_before)
        signal.setitimer(signal.ITIMER_REAL, *timer_before)


@contextmanager
def _looks_at_the_clock(
    watch: _Watch, cancel: Callable[[], None], has_alarm: bool
) -> Iterator[None]:
    """Cancel graphs when the time is over; where there is no alarm, stop the block too.

    There is none on Windows, and outside the main thread.
    """
    watched, ended = ctypes.c_ulong(threading.get_ident()), threading.Event()

    def run():
        while not ended.wait(_BETWEEN_LOOKS):
            if watch.is_over():
                cancel()
                if not has_alarm:
                    stop = ctypes.py_object(TimeLimitReached)
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(watched, stop)
                return

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()

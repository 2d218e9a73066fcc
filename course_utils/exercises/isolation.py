"""Running a learner's code so that the notebook it is called from stays as it was."""

import ctypes
import faulthandler
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

from .tensorflow_state import graphs_can_be_cancelled, keep_tensorflow_random_state

__all__ = ["PATIENCE", "TimeLimitReached", "state_kept", "time_limit"]

_BETWEEN_LOOKS = 0.1  # seconds
PATIENCE = 6  # how many times as long as its processor time a block may take on the clock


class TimeLimitReached(BaseException):
    """The learner's code ran too long.

    It is not an ``Exception``, so ``except Exception`` in the code that is stopped does not catch
    it. ``line`` is the learner's line that ran last, or empty. ``stands_still`` says whether the
    values of the loop stayed the same between two looks, if that is known. ``waited`` says that the
    code hardly used the processor.
    """

    def __init__(self, line: str = "", stands_still: bool | None = None, waited: bool = False):
        super().__init__()
        self.line, self.stands_still, self.waited = line, stands_still, waited


@contextmanager
def state_kept(seed: int) -> Iterator[None]:
    """Leave the random states and the working folder as the block found them.

    The random states are those of Python, NumPy, TensorFlow and Keras. The block's own generators
    are not restored. Warnings of TensorFlow's Python code are held back meanwhile. For example, it
    warns of a graph that is often traced, but here the check itself calls the answer with new
    shapes.
    """
    logger = logging.getLogger("tensorflow")
    with ExitStack() as stack:
        stack.callback(logger.setLevel, logger.level)
        logger.setLevel(logging.ERROR)
        stack.callback(random.setstate, random.getstate())
        stack.callback(np.random.set_state, np.random.get_state())
        stack.callback(os.chdir, os.getcwd())
        if "tensorflow" in sys.modules:
            stack.enter_context(keep_tensorflow_random_state(seed))
        yield


@contextmanager
def time_limit(
    seconds: float,
    file: str = "",
    patience: float = PATIENCE,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[None]:
    """Raise `TimeLimitReached` in the block when it has used ``seconds`` of the processor.

    Loops in Python, a sleep, and loops inside a ``tf.function`` are stopped. A block that only
    waits is stopped after ``patience`` times as long on the clock. A block inside TensorFlow may
    end only after its time, and then also counts as stopped. The seconds are processor time of all
    threads of this process, so a busy machine does not shorten them. If the learner's code is in
    ``file``, the exception tells whether its values stood still.
    """
    watch = _Watch(seconds, file, patience, clock)
    try:
        with ExitStack() as stack:
            if "tensorflow" in sys.modules:
                watch.cancel = stack.enter_context(graphs_can_be_cancelled())
            stack.enter_context(watch.looking())
            yield
    except (Exception, TimeLimitReached):
        if not watch.is_over():
            raise
    if watch.is_over():
        raise TimeLimitReached(watch.line, watch.stands_still, watch.processor_used() < 0.5)


class _Watch:
    """How much time a block has used, and whether the values of the learner's loop still change."""

    def __init__(self, seconds: float, file: str, patience: float, clock: Callable[[], float]):
        self._seconds, self._file, self._patience = seconds, file, patience
        self._clock, self._begun = clock, clock()
        self._processor = time.process_time()
        self._values: dict[str, bytes] | None = None
        self.line, self.stands_still = "", None  # type: str, bool | None
        self.cancel: Callable[[], None] = lambda: None  # the graph that runs

    def processor_used(self) -> float:
        """Return which fraction of the processor's time is used."""
        return (time.process_time() - self._processor) / self._seconds

    def used(self) -> float:
        """Return which fraction of the time is used."""
        waited = (self._clock() - self._begun) / (self._patience * self._seconds)
        return max(self.processor_used(), waited)

    def is_over(self) -> bool:
        """Tell whether the time is used up."""
        return self.used() >= 1.0

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Look at the block of this thread now and then, and stop it when its time is over.

        A signal interrupts Python between two steps, and also ends a sleep. On Windows, and outside
        the main thread, there is no signal, and the values are not looked at.
        """
        block, ended = threading.get_ident(), threading.Event()
        is_main = threading.current_thread() is threading.main_thread()
        has_signal = is_main and hasattr(signal, "pthread_kill")

        def run() -> None:
            # It goes on, because a bare `except:` in the learner's loop may swallow a stop.
            while not ended.wait(_BETWEEN_LOOKS):
                if self.is_over():
                    self.cancel()
                if has_signal:
                    signal.pthread_kill(block, signal.SIGURG)
                elif self.is_over():
                    stop = ctypes.py_object(TimeLimitReached)
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(block), stop)

        thread = threading.Thread(target=run, daemon=True)
        with ExitStack() as stack:
            if has_signal:
                # oneDNN's matrix product holds numbers in the stack pointer. A signal that comes
                # meanwhile would write into the heap, unless it has a separate stack. This sets one
                # up. A notebook's kernel has done so already.
                if not faulthandler.is_enabled():
                    faulthandler.enable(sys.__stderr__)  # type: ignore[arg-type]
                # Without a handler SIGURG is ignored, so a late one does no harm.
                handler_before = signal.signal(signal.SIGURG, self._look)
                stack.callback(signal.signal, signal.SIGURG, handler_before)
            thread.start()
            stack.callback(thread.join)
            stack.callback(ended.set)
            yield

    def _look(self, signal_number: int, frame: FrameType | None) -> None:
        """Compare the floating-point values of the learner's frame with those of the last look."""
        used = self.used()
        while frame is not None and frame.f_code.co_filename != self._file:
            frame = frame.f_back
        if frame is not None and used >= 0.5:
            values = {name: v for name, value in frame.f_locals.items() if (v := _bytes_of(value))}
            if self._values is not None:
                self.stands_still = values == self._values
            self._values = values
            self.line = linecache.getline(self._file, frame.f_lineno).strip()
        if used >= 1.0:
            raise TimeLimitReached


def _bytes_of(value: object) -> bytes:
    """Return a float, or a small array, tensor or variable of floats, as bytes; else nothing."""
    try:
        array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    except Exception:  # a tensor without a value, or what pretends to be one
        return b""
    return array.tobytes() if array.dtype.kind == "f" and array.size <= 10_000 else b""

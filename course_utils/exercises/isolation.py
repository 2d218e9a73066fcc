"""Running a learner's code so that the notebook it is called from stays as it was."""

import ctypes
import logging
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import numpy as np

from ..tape.tensorflow_internals import cancel_graphs_after, keep_tensorflow_random_state

__all__ = ["TimeLimitReached", "state_kept", "tensorflow_warnings_held", "time_limit"]


class TimeLimitReached(BaseException):
    """The learner's code ran too long.

    Not an ``Exception``, so that the ``except Exception`` of the code that is stopped lets it pass.
    """


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
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TimeLimitReached` in the block when it has run for ``seconds``.

    Loops in Python, a sleep, and loops inside a ``tf.function`` are stopped. A block that ends
    only after its time, because the stop met it inside TensorFlow, counts as stopped too.
    """
    end = time.monotonic() + seconds
    with ExitStack() as stack:
        in_main_thread = threading.current_thread() is threading.main_thread()
        has_alarm = hasattr(signal, "setitimer") and in_main_thread
        stack.enter_context(_alarm(seconds) if has_alarm else _watcher_thread(seconds))
        if "tensorflow" in sys.modules:
            stack.enter_context(cancel_graphs_after(seconds))
        try:
            yield
        except Exception:
            if time.monotonic() < end:
                raise
    if time.monotonic() >= end:
        raise TimeLimitReached


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def stop(signal_number, frame):
        raise TimeLimitReached

    handler_before = signal.signal(signal.SIGALRM, stop)
    # The alarm repeats, because a bare `except:` in the learner's loop may swallow the first.
    timer_before = signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler_before)
        signal.setitimer(signal.ITIMER_REAL, *timer_before)


@contextmanager
def _watcher_thread(seconds: float) -> Iterator[None]:
    """Do the same on Windows, which has no such alarm, and outside the main thread."""
    watched = ctypes.c_ulong(threading.get_ident())

    def stop():
        ctypes.pythonapi.PyThreadState_SetAsyncExc(watched, ctypes.py_object(TimeLimitReached))

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()

"""What a notebook that runs is given: cells that run again, interrupts that reach into graphs."""

import os
import re
import signal
import socket
import sys
import threading
from contextlib import ExitStack
from functools import cache
from types import FrameType
from typing import Any

from .exercises.tensorflow_state import forget_tracings, graphs_can_be_cancelled

__all__ = ["earlier_run", "prepare_cells", "running_shell"]

_NAMED = re.compile(r"^(?:def|class)\s+(\w+)|^(\w+)\s*=[^=]", re.MULTILINE)
_UNREAD: dict[str, str] = {}  # a name that the last cell would have given, and what is wrong in it


def running_shell() -> Any:
    """Return IPython's shell where a notebook's kernel runs this, and None elsewhere."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return shell if hasattr(shell, "kernel") else None


@cache  # a kernel has one shell
def prepare_cells() -> None:
    """Make each cell of this notebook one that may run again, and that an interrupt ends.

    TensorFlow counts how often a function of the same text is traced, over all runs of a cell, and
    warns of it. And a signal reaches Python between two of its steps, but no loop inside a graph.
    """
    shell = running_shell()
    if shell is None:
        return
    shell.events.register("pre_run_cell", lambda info: forget_tracings())
    shell.events.register("post_run_cell", _note_whether_it_was_read)
    if os.name != "nt":  # which has no signals to wake anybody with
        _let_interrupts_reach_graphs(shell)


def earlier_run(code: str) -> str:
    """Say that what ``code`` names is of an earlier run, because Python could not read the last."""
    for name in filter(_UNREAD.get, _names_of(code)):
        return (
            f"Python could not read the cell that defines `{name}` ({_UNREAD[name]}), so it did "
            f"not run. This result is for `{name}` from an earlier run. Fix the cell, run it, and "
            "check again."
        )
    return ""


def _note_whether_it_was_read(result: Any) -> None:
    error = result.error_before_exec
    for name in _names_of(result.info.raw_cell or ""):
        _UNREAD.pop(name, None)
        if isinstance(error, SyntaxError):
            _UNREAD[name] = f"{error.msg}, line {error.lineno}"


def _names_of(code: str) -> list[str]:
    return [name or other for name, other in _NAMED.findall(code)]


def _let_interrupts_reach_graphs(shell: Any) -> None:
    import tensorflow as tf

    stack = ExitStack()
    cancel = stack.enter_context(graphs_can_be_cancelled())
    heard, told = socket.socketpair()
    told.setblocking(False)
    # Python's own handler runs only after the graph; these bytes come at once.
    stays_open = told.detach()  # the socket itself would be closed with this function
    if (other := signal.set_wakeup_fd(stays_open, warn_on_full_buffer=False)) != -1:
        signal.set_wakeup_fd(other)
        return

    def listen() -> None:
        while number := heard.recv(1):
            if number[0] == signal.SIGINT:
                cancel()

    def before_cell(info: Any) -> None:
        nonlocal cancel
        stack.close()
        cancel = stack.enter_context(graphs_can_be_cancelled())  # one that was used stays used
        signal.signal(signal.SIGINT, interrupt)  # until the kernel puts its own back

    def interrupt(number: int, frame: FrameType | None) -> None:
        # While TensorFlow makes the exception of a cancelled graph, no other may be raised.
        code = frame.f_code if frame else None
        if code is None or code.co_name != "__init__" or "errors_impl" not in code.co_filename:
            raise KeyboardInterrupt

    def show(shell: Any, kind: Any, error: Any, trace: Any, tb_offset: int | None = None) -> None:
        shell.showtraceback((KeyboardInterrupt, KeyboardInterrupt(), trace), tb_offset=tb_offset)

    threading.Thread(target=listen, daemon=True).start()
    shell.events.register("pre_run_cell", before_cell)
    shell.set_custom_exc((tf.errors.CancelledError,), show)

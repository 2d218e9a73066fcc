"""The process between the grader and one notebook: it starts the notebook, and ends it."""

import ctypes
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from .channel import Channel, Closed
from .groups import group_of_notebook
from .limits import Limits, memory_of, seconds_of
from .namespaces import enter_own_namespaces

__all__ = ["JUDGES", "LISTENS", "SECONDS_BETWEEN_LOOKS", "descendants", "supervise"]

LISTENS, JUDGES = b"l", b"j"  # what the grader says that it does
SECONDS_BETWEEN_LOOKS = 0.1
_BETWEEN_LOOKS_AT_THE_CLOCK = 0.5
_BECOME_REAPER = 36


def supervise(
    control: socket.socket,
    limits: Limits,
    is_sandboxed: bool,
    run: Callable[[], None],
    groups: int | None = None,
) -> None:
    """Call ``run`` in a child and stay until it and everything that it started have ended.

    The child is killed when its time, its memory or its processes pass the limits, and when the
    grader closes ``control`` or dies. On ``control`` the grader says when it hears of the child,
    and when it listens again. How it ended is sent to the grader as ``{"ended": ...}``: an exit
    status, ``"signal N"``, ``"time"``, ``"memory"`` or ``"processes"``. With ``groups``, the
    system limits its memory, too.
    """
    os.setsid()
    group = group_of_notebook(groups, limits.memory + limits.disk)
    if is_sandboxed:
        enter_own_namespaces()
    elif sys.platform.startswith("linux"):
        # What the child leaves behind becomes a child of this process, and is killed with the rest.
        ctypes.CDLL(None).prctl(_BECOME_REAPER, 1, 0, 0, 0)
    child = os.fork()
    if child == 0:
        try:
            control.close()
            if group is not None:
                group.enter()
            run()
        finally:
            os._exit(1)
    reason = _watch(child, control, limits)
    _kill_all(child)
    _, status = os.waitpid(child, 0)
    _kill_orphans()
    if group is not None and group.end():
        reason = "memory"
    if reason is None:
        is_killed = os.WIFSIGNALED(status)
        reason = f"signal {os.WTERMSIG(status)}" if is_killed else str(os.WEXITSTATUS(status))
    with suppress(Closed):
        Channel(control).send({"ended": reason})


def _watch(child: int, control: socket.socket, limits: Limits) -> str | None:
    """Return once the child has ended, or must; the reason is None where it ended by itself."""
    base, clock = memory_of(child), _Clock(limits)
    ended = os.pidfd_open(child) if hasattr(os, "pidfd_open") else None
    waited: list[Any] = [control] if ended is None else [control, ended]
    pause = 0.02 if ended is None else SECONDS_BETWEEN_LOOKS
    try:
        while True:
            ready, _, _ = select.select(waited, [], [], pause)
            if control in ready:
                data = control.recv(4096)
                if not data:
                    return "stopped"
                clock.hear(data)
            if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                return None
            family = [child, *descendants(child)]
            if clock.is_over(family):
                return "time"
            if len(family) > limits.processes:
                return "processes"
            if sum(max(0, memory_of(pid) - base) for pid in family) > limits.memory << 20:
                return "memory"
    finally:
        if ended is not None:
            os.close(ended)


class _Clock:
    """How long a notebook has run, and been silent, apart from waits for a processor or grader."""

    def __init__(self, limits: Limits):
        from course_utils.exercises.isolation import PATIENCE  # with TensorFlow: not above

        self._silence = max(limits.cell_seconds, PATIENCE * limits.check_seconds) + limits.grace
        self._total = limits.total_seconds + limits.grace
        self._begun = self._looked = time.monotonic()
        self._now = self._heard = self._judged = 0.0
        self._judges_since: float | None = None

    def hear(self, data: bytes) -> None:
        """Note what the grader does: it has heard of the notebook."""
        now, self._heard = time.monotonic(), self._now
        for what in (data[i : i + 1] for i in range(len(data))):
            if self._judges_since is not None:
                self._judged += now - self._judges_since
            self._judges_since = now if what == JUDGES else None

    def is_over(self, family: list[int]) -> bool:
        """Look at the time, and tell whether the notebook has had it all."""
        now = time.monotonic()
        if now < self._looked + _BETWEEN_LOOKS_AT_THE_CLOCK:
            return False
        self._looked = now
        judged = self._judged + (0.0 if self._judges_since is None else now - self._judges_since)
        self._now = seconds_of(family, self._begun + judged)
        return self._now > self._total or self._now - self._heard > self._silence


def descendants(pid: int) -> list[int]:
    """Return the processes that ``pid`` started and that they started, as Linux lists them."""
    found: list[int] = []
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            for child in map(int, (thread / "children").read_text().split()):
                found += [child, *descendants(child)]
    return found


def _kill_all(child: int) -> None:
    """Kill the child, its group, and what it started; in its own namespace the first is enough."""
    for pid in (child, *descendants(child)):
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    with suppress(OSError):
        os.killpg(child, signal.SIGKILL)


def _kill_orphans() -> None:
    end = time.monotonic() + 5
    while time.monotonic() < end:
        orphans = descendants(os.getpid())
        for pid in orphans:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not orphans:
            return
        time.sleep(0.01)

"""How much one notebook may use while it is graded."""

import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from .refusals import refuse_uncounted_memory

if sys.platform != "win32":  # where `course grade --help` shows the default limits as well
    import resource

__all__ = ["Clock", "Limits", "memory_of", "restrict_this_process", "seconds_of"]

_MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """The limits of one notebook; sizes are in megabytes.

    Times are in seconds for which it used a processor, or waited for something else than a free
    one: how busy the machine is does not count. ``grace`` is how much longer than a limit may take
    what does not stop by itself, until it is killed. ``memory`` is what the notebook and its
    processes may use beyond TensorFlow itself.
    """

    cell_seconds: float = 60.0
    check_seconds: float = 10.0
    total_seconds: float = 300.0
    grace: float = 10.0
    memory: int = 2048
    disk: int = 256
    notebook: int = 64
    processes: int = 64

    def as_dict(self) -> dict:
        """Return the limits as plain data."""
        return asdict(self)


def restrict_this_process(limits: Limits) -> None:
    """Set what the system itself refuses from here on.

    ``RLIMIT_AS`` would count the gigabytes of addresses that TensorFlow reserves and never uses, so
    memory is limited by ``RLIMIT_DATA``, which makes a single greedy allocation fail with a
    MemoryError, and by the supervisor, which adds up all processes of a notebook. The former is
    the larger, so that a notebook which holds too much is always stopped, and never goes on with
    nothing left. The supervisor counts processes, too: ``RLIMIT_NPROC`` counts all processes of a
    user, and one notebook could starve another. Memory that belongs to no process is refused.
    """
    used = _status("self").get("VmData", 0)
    wanted = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: limits.disk * _MEGABYTE,
        resource.RLIMIT_NOFILE: 256,
        resource.RLIMIT_DATA: used + limits.memory * _MEGABYTE * 5 // 4,
        resource.RLIMIT_CPU: int(2 * limits.total_seconds) + 1,
    }
    for kind, value in wanted.items():
        _, most = resource.getrlimit(kind)
        value = value if most == resource.RLIM_INFINITY else min(value, most)
        resource.setrlimit(kind, (value, value))
    refuse_uncounted_memory()


def memory_of(pid: int) -> int:
    """Return the bytes that belong to one process alone; 0 where the system does not say."""
    status = _status(str(pid))
    return sum(status.get(kind, 0) for kind in ("RssAnon", "RssShmem", "VmSwap", "VmPTE"))


def seconds_of(family: Iterable[int], begun: float) -> float:
    """Return how long processes have run since ``begun``, a time of the monotonic clock.

    That is the time of the clock without that in which they were ready and had no processor, or
    the time of the processor that they used together, if this is more.
    """
    used = in_line = 0.0
    for pid in family:
        used += _processor_seconds(pid)
        in_line += _seconds_in_line(pid)
    return max(used, time.monotonic() - begun - in_line)


class Clock:
    """Seconds of this process, for which neither a busy machine nor the grader made it wait."""

    def __init__(self) -> None:
        self._waited = 0.0
        self._waits_since: float | None = None

    def __call__(self) -> float:
        """Return the time."""
        now = time.monotonic() if self._waits_since is None else self._waits_since
        return now - self._waited - _seconds_in_line(os.getpid())

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Let the clock stand for the block."""
        self._waits_since = time.monotonic()
        try:
            yield
        finally:
            self._waited += time.monotonic() - self._waits_since
            self._waits_since = None


def _processor_seconds(pid: int) -> float:
    """Return the processor time of a process, and of those that it started and that ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError):
        return 0.0


def _seconds_in_line(pid: int) -> float:
    """Return for how long the threads of a process were ready to run and had no processor."""
    nanoseconds = 0
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError, ValueError, IndexError):
                nanoseconds += int((thread / "schedstat").read_text().split()[1])
    return nanoseconds / 1e9


def _status(pid: str) -> dict[str, int]:
    """Return the sizes in Linux's ``/proc/<pid>/status``, in bytes."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return {}
    fields = (line.split() for line in lines if line.endswith(" kB"))
    return {name.rstrip(":"): int(number) * 1024 for name, number, _ in fields}

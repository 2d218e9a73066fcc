"""How much one notebook may use while it is graded."""

import resource
from dataclasses import asdict, dataclass
from pathlib import Path

__all__ = ["Limits", "memory_of", "restrict_this_process"]

_MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """The limits of one notebook; times are in seconds of the clock, sizes in megabytes.

    ``memory`` is what the notebook and its processes may use beyond TensorFlow itself.
    """

    cell_seconds: float = 60.0
    check_seconds: float = 10.0
    total_seconds: float = 300.0
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
    user, and one notebook could starve another.
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


def memory_of(pid: int) -> int:
    """Return the bytes that belong to one process alone; 0 where the system does not say."""
    status = _status(str(pid))
    return status.get("RssAnon", 0) + status.get("RssShmem", 0)


def _status(pid: str) -> dict[str, int]:
    """Return the sizes in Linux's ``/proc/<pid>/status``, in bytes."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return {}
    fields = (line.split() for line in lines if line.endswith(" kB"))
    return {name.rstrip(":"): int(number) * 1024 for name, number, _ in fields}

"""Control groups, where the system has handed some over: the kernel itself then counts memory.

A session manager, or whoever starts a container, can leave a process in charge of its own group, as
``systemd-run --user --scope -p Delegate=yes course grade ...`` does. Each notebook then gets a
group below it, in which pages, pipes, sockets and page tables count, whoever holds them. No limit
of a process, and no look from outside, counts all of these: that is what this is kept for.
"""

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["Group", "group_of_notebook", "open_groups"]

_ROOT = Path("/sys/fs/cgroup")


def open_groups(root: Path = _ROOT, membership: Path = Path("/proc/self/cgroup")) -> int | None:
    """Return a descriptor of the group below which notebooks get theirs; None where there is none.

    A group that hands memory on may hold no process itself. So the grader and this process, its
    child, move into one of their own; where others stand in the group, it is not touched.
    """
    try:
        lines = membership.read_text().splitlines()
        place = next(line.removeprefix("0::/") for line in lines if line.startswith("0::/"))
        ours = root / place
        if "memory" not in (ours / "cgroup.controllers").read_text().split():
            return None
        inside = set(map(int, (ours / "cgroup.procs").read_text().split()))
        if not inside <= {os.getpid(), os.getppid()}:
            return None
        (ours / "grader").mkdir(exist_ok=True)
        for pid in inside:
            (ours / "grader" / "cgroup.procs").write_text(str(pid))
        (ours / "cgroup.subtree_control").write_text("+memory")
        return os.open(ours, os.O_RDONLY | os.O_DIRECTORY)
    except (OSError, StopIteration, ValueError):
        return None


def group_of_notebook(groups: int | None, megabytes: int) -> "Group | None":
    """Return a group for one notebook; None where the system gives none."""
    with suppress(OSError):
        return None if groups is None else Group(groups, megabytes)
    return None


class Group:
    """The group of one notebook.

    Parameters
    ----------
    groups : int
        What `open_groups` returned.
    megabytes : int
        What the notebook may use together.
    """

    def __init__(self, groups: int, megabytes: int):
        self._groups, self._name = groups, f"notebook-{os.getpid()}"
        with suppress(FileExistsError):
            os.mkdir(self._name, dir_fd=groups)
        self._write("memory.max", str(megabytes << 20))
        with suppress(OSError):  # a system without swap has none to limit
            self._write("memory.swap.max", "0")

    def enter(self) -> None:
        """Move this process into the group, with all that it will start."""
        self._write("cgroup.procs", "0")

    def end(self) -> bool:
        """Kill what is left in the group, remove it, and tell whether its memory was full."""
        with suppress(OSError):  # older systems; its processes are killed one by one, too
            self._write("cgroup.kill", "1")
        events = dict(line.split() for line in self._read("memory.events").splitlines())
        with suppress(OSError):
            os.rmdir(self._name, dir_fd=self._groups)
        return int(events.get("oom_kill", 0)) > 0

    def _write(self, name: str, text: str) -> None:
        descriptor = os.open(f"{self._name}/{name}", os.O_WRONLY, dir_fd=self._groups)
        with open(descriptor, "w") as file:
            file.write(text)

    def _read(self, name: str) -> str:
        with suppress(OSError):
            descriptor = os.open(f"{self._name}/{name}", os.O_RDONLY, dir_fd=self._groups)
            with open(descriptor) as file:
                return file.read()
        return ""

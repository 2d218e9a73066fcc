"""Isolate a notebook's code from the machine, as far as Linux lets an ordinary user do so.

Notes
-----
With namespaces, code in a submitted notebook

- reaches no network and no other program, not even to send it a signal;
- sees a file system that contains, read-only, the operating system's and Python's files, and one
  empty folder in memory, limited in size, that vanishes with it. It does not contain other
  submissions, the solutions, the judges, the results, or anyone's home folder;
- leaves nothing behind: whatever it started ends with it.

Many containers and some hardened systems do not allow namespaces. There, `course grade` stops with
an error, unless it is run with ``--no-sandbox``. The limits on time, memory, and processes apply
all the same, and the judge still sits in another process. But the code then runs as you: it can
read what you can read, including the solutions and other submissions, write where you can write,
and use the network. Every page says so.

In both cases the code runs on your kernel. Against someone who attacks the kernel itself, grade in
a virtual machine that contains nothing else.
"""

import ctypes
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

__all__ = ["enter_own_folders", "enter_own_namespaces", "enter_sandbox", "readable_paths"]

_NEW_MOUNTS, _NEW_IPC, _NEW_USER, _NEW_PIDS, _NEW_NETWORK = (
    0x00020000,
    0x08000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
_READ_ONLY, _NO_SETUID, _NO_DEVICES = 1, 2, 4
_BIND, _RECURSIVE, _PRIVATE, _DETACH = 4096, 16384, 1 << 18, 2
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_MOUNT_SETATTR = 442  # the same number on every architecture
_NOBODY = 65534
_MOST_FILES = 20_000  # each costs memory that no limit on sizes counts

_SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/passwd",
    "/etc/group",
    "/etc/nsswitch.conf",
    "/etc/localtime",
    "/etc/fonts",
    "/etc/ssl",
    "/etc/mime.types",
    "/etc/alternatives",
    "/sys/devices/system/cpu",
    "/dev/null",
    "/dev/random",
    "/dev/urandom",
)


class _Attributes(ctypes.Structure):
    """``struct mount_attr`` of mount_setattr(2)."""

    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "user")]


def readable_paths(package_folder: Path, extra: Iterable[Path]) -> list[str]:
    """Return what a notebook needs to see: the system, Python, its libraries and ``extra``.

    A folder on Python's path that holds a ``course_utils`` and no libraries is a working copy, with
    the judges and the solutions in it, and is left out.
    """
    paths = [path for path in _SYSTEM if os.path.exists(path)]
    paths += [sys.prefix, sys.base_prefix, sys.exec_prefix, str(package_folder), *map(str, extra)]
    for entry in sys.path:
        is_working_copy = (Path(entry) / "course_utils").is_dir() and not (
            Path(entry) / "numpy"
        ).is_dir()
        if entry and os.path.exists(entry) and not is_working_copy:
            paths.append(os.path.abspath(entry))
    return sorted(set(paths), key=len)


def enter_sandbox(visible: list[str], hidden: list[str], root: Path) -> None:
    """Give this process a file system that holds only ``visible``, and no network.

    To be called while the process has one thread. ``hidden`` are paths to cover where a visible
    folder contains them; ``root`` is an empty folder.

    Raises
    ------
    OSError
        If the system does not allow it; the process is then of no more use.
    """
    if not sys.platform.startswith("linux") or os.uname().machine not in _PIVOT_ROOT:
        raise OSError("the sandbox needs Linux on x86_64 or aarch64")
    _unshare(_NEW_MOUNTS | _NEW_NETWORK | _NEW_IPC | (0 if os.geteuid() == 0 else _NEW_USER))
    _mount(None, "/", None, _RECURSIVE | _PRIVATE)
    _mount("tmpfs", str(root), "tmpfs", _NO_SETUID, "size=1m,mode=755")
    for name in ("proc", "dev/shm", "tmp", "scratch", "old"):
        (root / name).mkdir(parents=True)
    shown: list[str] = []
    for path in visible:
        _show(path, str(root), shown)
    for path in hidden:
        _hide(os.path.realpath(path), str(root), visible, shown)
    _make_read_only(str(root))
    # For the server itself; each notebook covers it with its own.
    _mount("tmpfs", str(root / "scratch"), "tmpfs", _NO_SETUID | _NO_DEVICES, "size=16m,mode=755")
    _mount("/proc", str(root / "proc"), None, _BIND | _RECURSIVE)
    libc = _libc()
    call = _PIVOT_ROOT[os.uname().machine]
    _succeed(libc.syscall(call, os.fsencode(root), os.fsencode(root / "old")), "pivot_root")
    os.chdir("/")
    _succeed(libc.umount2(b"/old", _DETACH), "umount2")
    os.environ.update(HOME="/scratch", TMPDIR="/scratch", MPLCONFIGDIR="/scratch")


def enter_own_namespaces() -> None:
    """Prepare for a child with processes and a network of its own: it will be their first."""
    own = _NEW_PIDS | _NEW_NETWORK | _NEW_IPC
    _unshare(own if os.geteuid() == 0 else own | _NEW_USER)


def enter_own_folders(megabytes: int) -> Path:
    """Give this process an empty folder in memory, give up every privilege, return the folder.

    ``/tmp`` and ``/dev/shm`` stand in the same memory, so that one limit holds for all three.
    """
    _unshare(_NEW_MOUNTS)
    options = f"size={megabytes}m,nr_inodes={_MOST_FILES},mode=1777"
    _mount("tmpfs", "/scratch", "tmpfs", _NO_SETUID | _NO_DEVICES, options)
    others = {"/dev/shm": "/scratch/shm"}
    if not os.listdir("/tmp"):  # else something readable stands there, such as this package
        others["/tmp"] = "/scratch/tmp"
    for folder, place in others.items():
        os.mkdir(place)
        os.chmod(place, 0o1777)
        _mount(place, folder, None, _BIND)
    with suppress(OSError):  # refused where a container hides parts of its own /proc
        _mount("proc", "/proc", "proc", _NO_SETUID | _NO_DEVICES)
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    _drop_privileges()
    return Path("/scratch")


def _show(path: str, root: str, shown: list[str]) -> None:
    """Make one path of the old file system visible in the new one."""
    real = os.path.realpath(path)
    if real != path and not os.path.lexists(f"{root}{path}"):
        os.makedirs(os.path.dirname(f"{root}{path}"), exist_ok=True)
        os.symlink(real, f"{root}{path}")
    if any(real == other or real.startswith(f"{other}/") for other in shown):
        return
    place = f"{root}{real}"
    if os.path.isdir(real):
        os.makedirs(place, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        Path(place).touch()
    _mount(real, place, None, _BIND | _RECURSIVE)
    shown.append(real)


def _hide(path: str, root: str, visible: list[str], shown: list[str]) -> None:
    """Cover a folder or file, where what is visible contains it; show again what it must hold."""
    if not any(path == other or path.startswith(f"{other}/") for other in shown):
        return  # it is not there, or only with those of its parts that were asked for
    place = f"{root}{path}"
    if os.path.isfile(place):
        _mount("/dev/null", place, None, _BIND)
    if not os.path.isdir(place):
        return
    _mount("tmpfs", place, "tmpfs", _NO_SETUID, "size=1m,mode=755")
    for inner in map(os.path.realpath, visible):
        if inner.startswith(f"{path}/"):
            os.makedirs(f"{root}{inner}", exist_ok=True)
            _mount(inner, f"{root}{inner}", None, _BIND | _RECURSIVE)


def _make_read_only(path: str) -> None:
    attributes = _Attributes(set=_READ_ONLY | _NO_SETUID)
    at_working_folder, recursively = -100, 0x8000
    result = _libc().syscall(
        _MOUNT_SETATTR,
        at_working_folder,
        os.fsencode(path),
        recursively,
        ctypes.byref(attributes),
        ctypes.c_size_t(ctypes.sizeof(attributes)),
    )
    _succeed(result, "mount_setattr")


def _unshare(flags: int) -> None:
    user, group = os.geteuid(), os.getegid()
    _succeed(_libc().unshare(flags), "unshare")
    if flags & _NEW_USER:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def _drop_privileges() -> None:
    libc = _libc()
    no_new_privileges, dumpable = 38, 4
    _succeed(libc.prctl(no_new_privileges, 1, 0, 0, 0), "prctl")
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    _succeed(libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")
    libc.prctl(dumpable, 1, 0, 0, 0)  # so that it may still read its own /proc/self


def _mount(
    source: str | None, target: str, kind: str | None, flags: int, options: str | None = None
) -> None:
    encoded = [None if text is None else os.fsencode(text) for text in (source, target, kind)]
    data = None if options is None else options.encode()
    result = _libc().mount(*encoded, ctypes.c_ulong(flags), data)
    _succeed(result, f"mount of {target}")


def _succeed(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)

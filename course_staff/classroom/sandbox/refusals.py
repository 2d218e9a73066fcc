"""What the system refuses a notebook from here on: memory that no limit counts, and new rights.

Notes
-----
A file in memory, a System V segment, a shared mapping without a file and the buffers of an
``io_uring`` belong to no process by the time somebody looks. In a user namespace of its own, an
ordinary user mounts file systems in memory as large as he likes. None of this is needed by a
notebook: shared memory is a file in ``/dev/shm``, whose size is limited. What is refused looks as
on a system that does not know it, where libraries do without.
"""

import ctypes
import errno
import os
import sys

__all__ = ["refuse_uncounted_memory"]

# Numbers on x86_64 and aarch64, of which linux/audit.h gives the names that the filter meets.
_ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
_REFUSED = {
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "io_uring_setup": (425, 425),
    "unshare": (272, 97),
    "setns": (308, 268),
    "clone3": (435, 435),  # its flags cannot be looked at; libraries then call clone
}
# By their flags: which argument holds them, a mask, and what of it must not all be set.
_MMAP, _CLONE = (9, 222), (56, 220)
_SHARED_WITHOUT_FILE = 0x21
_NEW_NAMESPACES = (
    0x00020000,
    0x02000000,
    0x04000000,
    0x08000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
_FIRST_OF_X32 = 0x40000000

_LOAD, _EQUAL, _AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.ENOSYS
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT, _FOURTH_ARGUMENT = 0, 4, 16, 40
_NO_NEW_PRIVILEGES, _SET_FILTER, _FILTER_MODE = 38, 22, 2


class _Instruction(ctypes.Structure):
    """``struct sock_filter`` of linux/filter.h."""

    _fields_ = [
        ("code", ctypes.c_uint16),
        ("if_true", ctypes.c_uint8),
        ("if_false", ctypes.c_uint8),
        ("value", ctypes.c_uint32),
    ]


class _Program(ctypes.Structure):
    """``struct sock_fprog`` of linux/filter.h."""

    _fields_ = [("length", ctypes.c_ushort), ("first", ctypes.POINTER(_Instruction))]


def refuse_uncounted_memory() -> None:
    """Refuse this process, and what it starts, what the notes above name.

    Raises
    ------
    OSError
        If the system takes no such list.
    """
    machine = os.uname().machine
    if not sys.platform.startswith("linux") or machine not in _ARCHITECTURES:
        return
    rules = _rules(*_ARCHITECTURES[machine])
    program = _Program(len(rules), (_Instruction * len(rules))(*rules))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if libc.prctl(_SET_FILTER, _FILTER_MODE, ctypes.byref(program), 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"seccomp: {os.strerror(number)}")


def _rules(architecture: int, column: int) -> list[_Instruction]:
    refuse = _Instruction(_RETURN, 0, 0, _REFUSE)
    allow = _Instruction(_RETURN, 0, 0, _ALLOW)
    rules = [
        _Instruction(_LOAD, 0, 0, _ARCHITECTURE),
        _Instruction(_EQUAL, 1, 0, architecture),
        refuse,
        _Instruction(_LOAD, 0, 0, _NUMBER),
        _Instruction(_AT_LEAST, 0, 1, _FIRST_OF_X32),
        refuse,
    ]
    for numbers in _REFUSED.values():
        rules += [_Instruction(_EQUAL, 0, 1, numbers[column]), refuse]
    rules += [
        _Instruction(_EQUAL, 0, 4, _MMAP[column]),
        _Instruction(_LOAD, 0, 0, _FOURTH_ARGUMENT),
        _Instruction(_AND, 0, 0, _SHARED_WITHOUT_FILE),
        _Instruction(_EQUAL, 0, 1, _SHARED_WITHOUT_FILE),
        refuse,
        # After mmap the flags are loaded, and no number: the next comparison needs it again.
        _Instruction(_LOAD, 0, 0, _NUMBER),
        _Instruction(_EQUAL, 0, 4, _CLONE[column]),
        _Instruction(_LOAD, 0, 0, _FIRST_ARGUMENT),
        _Instruction(_AND, 0, 0, sum(_NEW_NAMESPACES)),
        _Instruction(_EQUAL, 1, 0, 0),
        refuse,
        allow,
    ]
    return rules

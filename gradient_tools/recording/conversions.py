"""Where tensors become plain numbers while a tape's block runs, anywhere in the program.

TensorFlow reports no operation for this. So the method that every conversion goes through, and
what NumPy calls or looks up on its arguments, are replaced while a block is open in some thread.
When the last block ends, they are what they were.
"""

import functools
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

from .places import Line, user_lines
from .tensorflow_internals import eager_tensor_class

__all__ = ["Conversion", "conversions_unnoticed", "listen_to_conversions"]

# The caller of a tensor's `_numpy`, and what the user wrote. Printing a tensor is not listed.
_METHODS = {
    "numpy": "numpy",
    "__array__": "array",
    "__float__": "float",
    "__int__": "int",
    "__complex__": "complex",
    "__index__": "index",
    "__bool__": "bool",
}
# These read a tensor's memory, so no method of the tensor runs.
_ARRAY_MAKERS = ("array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray")


@dataclass(frozen=True, eq=False)
class Conversion:
    """A tensor that became plain numbers, what converted it, and the user's lines.

    Attributes
    ----------
    reference : weakref.ref
        The tensor, as long as somebody else keeps it.
    function : str
        What converted it, such as ``"numpy"`` or ``"float"``. Empty for a NumPy ufunc.
    lines : tuple of Line
        The lines of the user's program that were running, the innermost first.
    """

    reference: "weakref.ref[Any]"
    function: str
    lines: tuple[Line, ...]


_Listener = Callable[[Conversion], None]
_in_thread = threading.local()  # its listeners: those of the blocks that are open in this thread
_lock = threading.Lock()
_replaced: list[tuple[Any, str, Any, Any]] = []  # owner, name, original, replacement
_open_blocks = 0


@contextmanager
def listen_to_conversions(listener: _Listener) -> Iterator[None]:
    """Call ``listener`` with each `Conversion` that this thread makes."""
    listeners = _listeners()
    listeners.append(listener)
    _open_block()
    try:
        yield
    finally:
        _close_block()
        listeners.remove(listener)


@contextmanager
def conversions_unnoticed() -> Iterator[None]:
    """Hide from the listeners of this thread what a tool converts for itself."""
    hidden, _in_thread.listeners = _listeners(), []
    try:
        yield
    finally:
        _in_thread.listeners = hidden


def _listeners() -> list[_Listener]:
    if not hasattr(_in_thread, "listeners"):
        _in_thread.listeners = []
    listeners: list[_Listener] = _in_thread.listeners
    return listeners


def _open_block() -> None:
    global _open_blocks
    with _lock:
        if _open_blocks == 0:
            for owner, name, make in _replacements():
                before = vars(owner).get(name)
                here = make(before)
                setattr(owner, name, here)
                _replaced.append((owner, name, before, here))
        _open_blocks += 1


def _close_block() -> None:
    global _open_blocks
    with _lock:
        _open_blocks -= 1
        while _open_blocks == 0 and _replaced:
            owner, name, before, here = _replaced.pop()
            if vars(owner).get(name) is not here:
                continue  # Somebody else has replaced it since.
            if before is None:
                delattr(owner, name)
            else:
                setattr(owner, name, before)


def _replacements() -> Iterator[tuple[Any, str, Callable[[Any], Any]]]:
    """Yield an owner, a name, and a function from what is there to what notes conversions."""
    tensor_class = eager_tensor_class()
    yield tensor_class, "_numpy", _noting_numpy
    yield tensor_class, "__array_wrap__", lambda _: _LookedUpByUfuncs()
    yield tensor_class, "__array_function__", lambda _: _array_function
    for name in _ARRAY_MAKERS:
        yield np, name, _noting_array_maker


def _noting_numpy(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    @functools.wraps(convert)
    def noting(tensor: Any) -> Any:
        if _listeners():
            frame = sys._getframe(1)
            if frame.f_code.co_name in _METHODS:
                _note([tensor], _METHODS[frame.f_code.co_name], frame)
        return convert(tensor)

    return noting


def _noting_array_maker(make: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(make)
    def noting(*arguments: Any, **options: Any) -> Any:
        if arguments and _listeners():
            _note(_tensors_in(arguments[0]), make.__name__, sys._getframe(1))
        return make(*arguments, **options)

    return noting


class _LookedUpByUfuncs:
    """An attribute that a tensor still does not have: the look-up itself is what is noted.

    NumPy's ufuncs look it up on each tensor that they are given.
    """

    def __get__(self, tensor: Any, owner: type) -> Any:
        if tensor is not None and _listeners():
            _note([tensor], "", sys._getframe(1))
        raise AttributeError("__array_wrap__")


def _array_function(
    tensor: Any, function: Callable[..., Any], types: Any, arguments: Any, options: Any
) -> Any:
    """Run one of NumPy's functions as it runs on a tensor without this method."""
    if any(each is not type(tensor) and each is not np.ndarray for each in types):
        return NotImplemented  # Another library's arrays decide what this function does.
    if _listeners():
        for each in arguments:
            _note(_tensors_in(each), function.__name__, sys._getframe(1))
    return np.ndarray.__array_function__(np.empty(0), function, (), arguments, options)


def _tensors_in(value: Any) -> list[Any]:
    """Return a tensor, or the tensors of a list that begins with one."""
    first = value
    while isinstance(first, (list, tuple)) and first:
        value, first = first, first[0]
    if not isinstance(first, eager_tensor_class()):
        return []
    values = value if isinstance(value, (list, tuple)) else [value]
    return [each for each in values if isinstance(each, eager_tensor_class())]


def _note(tensors: list[Any], function: str, frame: FrameType) -> None:
    """Tell the listeners. Whatever goes wrong here must not reach the user's program."""
    if not tensors:
        return
    try:
        lines = user_lines(frame)
        for tensor in tensors if lines else ():
            for listener in _listeners():
                listener(Conversion(weakref.ref(tensor), function, lines))
    except Exception:
        _in_thread.listeners = []

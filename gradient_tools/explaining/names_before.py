"""What the names that a tape's block assigns meant when the block began."""

import ast
import inspect
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

import tensorflow as tf

from ..recording.places import calling_point, names_in_frame
from ..recording.recorder import Held
from ..recording.tensors import is_variable, key_of
from .syntax import assignments_in, calls_in, last_name, names_in, scopes_at, tree_of

__all__ = ["names_before_block"]

_GRADIENT_CALLS = ("gradient", "jacobian", "batch_jacobian")


def names_before_block(frame: FrameType | None) -> dict[str, Held]:
    """Return the variables and tensors whose names are assigned anew in the block that begins here.

    Names such as ``params['w']`` and ``weights[0]`` stand for what a dict or list holds. In a
    function, only names that occur in a call of ``gradient`` are looked up.
    """
    user_frame, place = calling_point(frame)
    if user_frame is None or place is None:
        return {}
    names = _assigned(user_frame.f_code, place.file, place.line)
    if not names:
        return {}
    values = names_in_frame(user_frame)
    found: dict[str, Any] = {name: values[name] for name in names if name in values}
    for name, value in list(found.items()):
        if isinstance(value, dict):
            found |= {f"{name}[{key!r}]": each for key, each in value.items()}
        elif isinstance(value, (list, tuple)):
            found |= {f"{name}[{number}]": each for number, each in enumerate(value)}
    return {
        name: Held(key_of(value), is_variable(value))
        for name, value in found.items()
        if is_variable(value) or isinstance(value, tf.Tensor)
    }


@lru_cache(maxsize=1024)
def _assigned(code: CodeType, file: str, line: int) -> frozenset[str]:
    """Return the names to look at, for the block that begins on a line."""
    tree = tree_of(file)
    blocks = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.With) and node.lineno <= line <= node.body[0].lineno
    ]
    if not blocks:
        return frozenset()
    block = max(blocks, key=lambda node: node.lineno)
    names = {each.name.partition("[")[0] for each in assignments_in(block, file, 0)}
    if code.co_flags & inspect.CO_OPTIMIZED:
        calls = list(calls_in(scopes_at(tree, line)[0]))
        calls = [call for call in calls if last_name(call.func) in _GRADIENT_CALLS]
        if calls:
            names &= {name for call in calls for name in names_in(call)}
    return frozenset(names)

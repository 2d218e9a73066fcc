"""Where to look in a wrong answer that no known mistake explains."""

import dis
import linecache
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from .forms import Place, place_by_form

__all__ = ["place_in", "undecorated", "where_to_look"]

_GLOBAL = {"LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL"}


def where_to_look(exercise_id: str, answer: Any) -> str:
    """Say where one change is enough; else which names of the notebook the answer reads.

    A name is said where no change is known: an argument was perhaps meant.
    """
    place = place_in(exercise_id, answer)
    if place is not None:
        return str(place)
    names = _names_of_the_notebook(answer)
    if not names:
        return ""
    listed, are = " and ".join(f"`{name}`" for name in names), "is the notebook's, and no argument"
    if len(names) > 1:
        are = "are the notebook's, and no arguments"
    return f"In your function {listed} {are}: each call finds the same there."


def place_in(exercise_id: str, answer: Any) -> Place | None:
    """Return the place but for which an answer is a right one that is known, if there is one."""
    function = undecorated(answer)
    if not isinstance(function, FunctionType):
        return None
    text = "".join(linecache.getlines(function.__code__.co_filename))
    return place_by_form(exercise_id, text, function.__name__)


def _names_of_the_notebook(answer: Any) -> list[str]:
    """Return the names that an answer finds around it and that hold no code, such as a tensor's.

    What they hold is the same in each call; an argument of the same name was perhaps meant.
    """
    function = undecorated(answer)
    if not isinstance(function, FunctionType):
        return []
    values = {n: function.__globals__.get(n) for n in _global_names_of(function.__code__)}
    is_code = {n for n, v in values.items() if isinstance(v, ModuleType) or callable(v)}
    return [n for n, v in values.items() if not (v is None or n in is_code or n.startswith("__"))]


def undecorated(value: Any) -> Any:
    """Return what stands under a decorator, and anything else as it is."""
    return getattr(value, "python_function", getattr(value, "__wrapped__", value))


def _global_names_of(code: CodeType) -> Iterator[str]:
    """Yield the global names alone: the ``gradient`` of ``tape.gradient`` is none."""
    yield from (step.argval for step in dis.get_instructions(code) if step.opname in _GLOBAL)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _global_names_of(constant)

"""What the user wrote where a tensor became plain numbers."""

import ast

from ..recording.conversions import Conversion
from ..recording.places import Line
from .syntax import calls_in, last_name, tree_of

__all__ = ["code_of", "is_only_shown"]

_LIBRARIES = ("np.", "numpy.", "math.", "scipy.", "sklearn.", "pd.", "pandas.", "cv2.", "torch.")
_LEAVING_METHODS = ("numpy", "predict", "predict_on_batch")
_SHOWING = {"print", "format", "info", "debug", "warning", "error", "log", "write", "set_postfix"}


def code_of(conversion: Conversion) -> str:
    """Return the code of the call that converted a tensor; empty if the line shows none."""
    calls = _calls_at(conversion.lines[0])
    named = [each for each in calls if last_name(each.func) == (conversion.function or None)]
    named += [each for each in calls if ast.unparse(each.func).startswith(_LIBRARIES)]
    named += [each for each in calls if last_name(each.func) in _LEAVING_METHODS]
    return ast.unparse(named[0]) if named else ""


def is_only_shown(conversion: Conversion) -> bool:
    """Tell whether the numbers were only printed or logged, as the line says."""
    tree = tree_of(conversion.lines[0].file)
    number = conversion.lines[0].number
    for node in ast.walk(tree):
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
            continue
        if node.lineno <= number <= (node.end_lineno or number):
            return last_name(node.value.func) in _SHOWING
    return False


def _calls_at(line: Line) -> list[ast.Call]:
    """Return the calls on a line, those inside others last."""
    return [
        call
        for call in calls_in(tree_of(line.file))
        if call.lineno <= line.number <= (call.end_lineno or call.lineno)
    ]

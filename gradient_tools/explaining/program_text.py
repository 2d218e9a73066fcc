"""What the text of the user's program says about a name: where it was assigned, and from what.

TensorFlow reports nothing about what ran before a tape, in NumPy or in plain Python. The
program's own lines around the call of ``gradient`` fill that gap; they are read, never run.
"""

import ast
import linecache
import types
from collections.abc import Iterator
from typing import Any

import keras

from ..recording.places import Place, cell_number, is_user_file
from .syntax import (
    Assignment,
    assignments_in,
    calls_in,
    last_name,
    names_in,
    scopes_at,
    tree_of,
    walk,
)

__all__ = ["ProgramText"]

_LEAVING_METHODS = {"numpy", "item", "tolist", "predict", "predict_on_batch"}
_LEAVING_NAMES = {"float", "int", "complex"}


class ProgramText:
    """The function or cell with the line ``place``, and the notebook's other cells.

    The names are the user's, with their values there; nothing in them is changed. Without a place
    the text is empty.
    """

    def __init__(
        self, local_names: dict[str, Any], global_names: dict[str, Any], place: Place | None = None
    ) -> None:
        place = place or Place("", 0)
        self.file, self.line = place.file, place.line
        self.names = {**global_names, **local_names}
        self.local_names, self.global_names = dict(local_names), global_names
        self._scopes = scopes_at(tree_of(place.file), place.line)
        own = cell_number(place.file)
        cells = sorted(((cell_number(file), file) for file in list(linecache.cache)), reverse=True)
        # A later cell replaces the names of an earlier one; the call's own cell comes first.
        self._assignments = [assignments_in(scope, place.file, own) for scope in self._scopes] + [
            assignments_in(tree_of(file), file, number)
            for number, file in cells
            if number and file != place.file
        ]

    def name_of(self, value: object) -> str:
        """Return the user's name of an object, or an empty string."""
        for names in (self.local_names, self.names):
            for name, other in names.items():
                if other is value and not name.startswith("_"):
                    return name
        return ""

    def of(self, name: str) -> list[Assignment]:
        """Return the assignments of a name in the innermost function, or latest cell, with any."""
        shadowed = name in self.parameters() and (
            self.local_names.get(name) is not self.global_names.get(name)
        )
        for assignments in self._assignments[:1] if shadowed else self._assignments:
            found = [each for each in assignments if each.name == name]
            if found:
                return found
        return [each for a in self._assignments for each in a if _is_same_place(each.name, name)]

    def calls_of(self, methods: tuple[str, ...]) -> list[ast.Call]:
        """Return the calls of ``methods`` that stand on the frame's line, an inner one first."""
        found = [
            node
            for node in walk(self._scopes[0])
            if isinstance(node, ast.Call) and last_name(node.func) in methods
            if node.lineno <= self.line <= (node.end_lineno or node.lineno)
        ]
        return found[::-1]

    def returned(self) -> ast.expr | None:
        """Return the expression that the function returns."""
        scope = self._scopes[0]
        if isinstance(scope, ast.Lambda):
            return scope.body
        returns = [node for node in walk(scope) if isinstance(node, ast.Return)]
        return returns[-1].value if returns else None

    def parameters(self) -> list[str]:
        """Return the names of the function's parameters."""
        arguments = getattr(self._scopes[0], "args", None)
        return [each.arg for each in arguments.args] if arguments else []

    def slice(self, start: ast.AST) -> list[Assignment]:
        """Return the assignments that ``start`` depends on, in the order of the text."""
        found: list[Assignment] = []
        names, seen = names_in(start), set[str]()
        while names := names - seen:
            new = [each for name in names for each in self.of(name)]
            found += new
            seen |= names
            names = {name for each in new for name in names_in(each.value)}
        return sorted(found, key=lambda each: each.order)

    def is_in_function(self, assignment: Assignment) -> bool:
        """Tell whether an assignment stands in the innermost function around the place."""
        return assignment.file == self.file and _holds(self._scopes[0], assignment)

    def is_in_block(self, assignment: Assignment, tape: str) -> bool:
        """Tell whether an assignment stands in the last ``with`` block of a tape, by its name."""
        blocks = [
            node
            for node in ast.walk(tree_of(assignment.file))
            if isinstance(node, ast.With) and any(tape in _names_of(item) for item in node.items)
            if assignment.file != self.file or node.lineno <= self.line
        ]
        last = max(blocks, key=lambda node: node.lineno, default=None)
        return last is not None and _holds(last, assignment)

    def may_be_passed_over(self, assignment: Assignment) -> bool:
        """Tell whether an assignment, the last of its name, stands in a loop or a branch."""
        kinds = (ast.If, ast.For, ast.While)
        around = [node for node in ast.walk(tree_of(assignment.file)) if isinstance(node, kinds)]
        is_last = assignment.order == max(each.order for each in self.of(assignment.name))
        return is_last and any(_holds(node, assignment) for node in around)

    def depends_on(self, node: ast.AST, roots: set[str]) -> bool:
        """Tell whether an expression mentions ``roots``, directly or through other names."""
        for expression in (node, *(each.value for each in self.slice(node))):
            if names_in(expression) & roots:
                return True
            for call in calls_in(expression):
                if any(names_in(body) & roots for body, _, _ in self._bodies(call)):
                    return True
        return False

    def leaving_call(self, start: ast.AST, roots: set[str]) -> tuple[ast.Call, Place] | None:
        """Return the first call of NumPy or plain Python on the way from ``roots`` to ``start``.

        The functions and layers that those lines call are read too.
        """
        lines = [(each.value, each.file) for each in self.slice(start)] + [(start, self.file)]
        for node, file in lines:
            for call in calls_in(node):
                if not self.depends_on(call, roots):
                    continue
                if self._leaves(call, self.names):
                    return call, Place(file, call.lineno)
                inside = (each for each in calls_in(call) if each is not call)
                if any(self._leaves(each, self.names) for each in inside):
                    continue  # what is handed over has left before it is read
                for body, inner_file, names in self._bodies(call):
                    for inner in calls_in(body):
                        if self._leaves(inner, names):
                            return inner, Place(inner_file, inner.lineno)
        return None

    def leaving_call_inside(self, place: Place) -> tuple[ast.Call, Place] | None:
        """Return the first call of NumPy or plain Python in what a ``tf.py_function`` runs.

        ``place`` is the line of the ``tf.py_function``.
        """
        for call in calls_in(tree_of(place.file)):
            if not call.lineno <= place.line <= (call.end_lineno or call.lineno):
                continue
            if last_name(call.func) != "py_function":
                continue
            given = [each.value for each in call.keywords if each.arg == "func"] + call.args[:1]
            bodies = self._bodies(ast.Call(given[0], [], []))
            if isinstance(given[0], ast.Lambda):
                bodies = iter([(given[0].body, place.file, self.names)])
            for body, file, names in bodies:
                for inner in calls_in(body):
                    if self._leaves(inner, names):
                        return inner, Place(file, inner.lineno)
        return None

    def _leaves(self, call: ast.Call, names: dict[str, Any]) -> bool:
        last = last_name(call.func)
        if last == "numpy_function":
            return True
        if isinstance(call.func, ast.Name) and last in _LEAVING_NAMES:
            return bool(call.args) and not isinstance(call.args[0], ast.Constant)
        if last in _LEAVING_METHODS and isinstance(call.func, ast.Attribute):
            return True
        root = call.func
        while isinstance(root, ast.Attribute):
            root = root.value
        value = names.get(getattr(root, "id", ""))
        if isinstance(value, types.FunctionType) and is_user_file(value.__code__.co_filename):
            return False
        module = value.__name__ if isinstance(value, types.ModuleType) else None
        if module is None and callable(value):
            module = getattr(value, "__module__", None)
        package = str(module or "").partition(".")[0]
        return package in ("numpy", "math", "scipy", "sklearn", "pandas", "cv2", "torch")

    def _bodies(self, call: ast.Call) -> Iterator[tuple[ast.AST, str, dict[str, Any]]]:
        """Yield the text of the user's functions and layers that a call runs."""
        value = None
        if isinstance(call.func, ast.Name):
            value = self.names.get(call.func.id)
        elif isinstance(call.func, ast.Attribute):
            value = getattr(self.names.get(ast.unparse(call.func.value)), call.func.attr, None)
        layers = value._flatten_layers() if isinstance(value, keras.layers.Layer) else [value]
        wrapped = ("python_function", "__func__", "call", "function")
        for each in layers:
            for function in (each, *(getattr(each, name, None) for name in wrapped)):
                function = getattr(function, "__func__", function)
                code = getattr(function, "__code__", None)
                if isinstance(code, types.CodeType) and is_user_file(code.co_filename):
                    scope = scopes_at(tree_of(code.co_filename), code.co_firstlineno)[0]
                    yield scope, code.co_filename, getattr(function, "__globals__", {})


def _holds(node: ast.AST, assignment: Assignment) -> bool:
    """Tell whether an assignment stands in the body of a statement or function."""
    if not isinstance(node, ast.stmt | ast.Lambda):
        return False
    inner = assignment.node
    is_later = (node.lineno, node.col_offset) < (inner.lineno, inner.col_offset)
    return is_later and inner.lineno <= (node.end_lineno or node.lineno)


def _is_same_place(one: str, other: str) -> bool:
    """Tell whether both stand in one container, as ``params[name]`` and ``params['w']`` do."""
    return "[" in one and "[" in other and one.partition("[")[0] == other.partition("[")[0]


def _names_of(item: ast.withitem) -> set[str]:
    return {ast.unparse(each) for each in (item.context_expr, item.optional_vars) if each}

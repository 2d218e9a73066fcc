"""What the text of the user's program says about a name: where it was assigned, and from what.

TensorFlow reports nothing about what ran before a tape, in NumPy or in plain Python. The
program's own lines around the call of ``gradient`` fill that gap; they are read, never run.
"""

import ast
import linecache
import types
from collections.abc import Callable, Iterator
from typing import Any

from ..recording.places import Line, Place, cell_number, is_user_file
from ..recording.tensorflow_internals import layers_in
from ..recording.tensors import is_variable
from .reaching import Level
from .syntax import (
    Assignment,
    assignments_in,
    calls_in,
    first_line,
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
    the text is empty. ``running`` has the lines at which the functions around the place are.
    """

    def __init__(
        self,
        local_names: dict[str, Any],
        global_names: dict[str, Any],
        place: Place | None = None,
        running: dict[tuple[str, int], int] | None = None,
    ) -> None:
        place = place or Place("", 0)
        self.file, self.line = place.file, place.line
        self.names = {**global_names, **local_names}
        self.local_names, self.global_names = dict(local_names), global_names
        self._scopes = scopes_at(tree_of(place.file), place.line)
        self._levels = self._levels_around(running or {})

    def _levels_around(self, running: dict[tuple[str, int], int]) -> list[Level]:
        """Return the functions around the line, innermost first, the module, and other cells.

        ``running`` has the line of each function that runs, by its file and its first line, and
        that of a module under 0.
        """
        file, cell = self.file, cell_number(self.file)
        levels = []
        for scope in self._scopes:
            line = running.get((file, first_line(scope)))
            levels.append(Level(scope, file, cell, assignments_in(scope, file, cell), line))
        # A later cell replaces the names of an earlier one; the call's own cell comes first.
        cells = sorted(
            ((cell_number(other), other) for other in list(linecache.cache)), reverse=True
        )
        for cell, other in cells:
            if cell and other != file:
                tree = tree_of(other)
                levels.append(Level(tree, other, cell, assignments_in(tree, other, cell), None))
        return levels

    def name_of(self, value: object) -> str:
        """Return the user's name of an object, or an empty string."""
        for names in (self.local_names, self.names):
            for name, other in names.items():
                if other is value and not name.startswith("_"):
                    return name
        return ""

    def of(self, name: str, place: Place | None = None) -> list[Assignment]:
        """Return the assignments that can have given a name its value, in the order they ran.

        The value is that at the call of ``gradient``, or at another place. The innermost function,
        or the latest cell, with such an assignment counts.
        """
        shadowed = name in self.parameters() and (
            self.local_names.get(name) is not self.global_names.get(name)
        )
        levels = self._levels[:1] if shadowed else self._levels
        found = self._reaching(levels, lambda each: each.name == name, place)
        every = [each for part in found for each in part]
        if every:
            return next(part for part in found if part)
        # In a container, any assignment to an element may be the one.
        kept = self._reaching(self._levels, lambda each: _is_same_place(each.name, name), place)
        return [each for part in kept for each in part]

    def in_loop(self, name: str) -> list[Assignment]:
        """Return every assignment of a name in the innermost function: a graph's loop has them all.

        Such a loop is traced once, before any of its passes.
        """
        return [each for each in self._levels[0].assignments if each.name == name]

    def _reaching(
        self, levels: list[Level], is_wanted: Callable[[Assignment], bool], place: Place | None
    ) -> list[list[Assignment]]:
        """Return for each level the wanted assignments that can have run before a place."""
        found = []
        own = self._level_of(place)
        for level in levels:
            if own is not None and level.cell > own.cell:
                continue  # a cell that ran later
            line = place.line if place is not None and level is own else level.line
            found.append(level.reaching(is_wanted, line, self.names.__contains__))
        return found

    def _level_of(self, place: Place | None) -> Level | None:
        """Return the innermost function, or the cell, with a place."""
        if place is None:
            return None
        return next((each for each in self._levels if each.covers(place.file, place.line)), None)

    def last(self, name: str) -> Assignment | None:
        """Return the assignment that gave a name its value, if only one can have."""
        value = self.names.get(name)
        found = [each for each in self.of(name) if each.may_give(is_variable(value))]
        return found[0] if len(found) == 1 else None

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

    def slice(self, start: ast.AST, place: Place | None = None) -> list[Assignment]:
        """Return the assignments that ``start`` depends on, in the order of the text.

        ``place`` is where ``start`` is; without it, the call of ``gradient``.
        """
        found: dict[Assignment, None] = {}
        waiting = [(name, place) for name in names_in(start)]
        while waiting:
            for each in self.of(*waiting.pop()):
                if each not in found:
                    found[each] = None
                    names = names_in(each.value)
                    names |= {each.name} if isinstance(each.node, ast.AugAssign) else set()
                    waiting += [(name, each.place) for name in names]
        return sorted(found, key=lambda each: each.order)

    def is_in_function(self, assignment: Assignment) -> bool:
        """Tell whether an assignment is in the innermost function around the place."""
        return assignment.file == self.file and _holds(self._scopes[0], assignment)

    def is_in_block(self, assignment: Assignment, tape: str, began: Line | None) -> bool:
        """Tell whether an assignment is in the ``with`` block of a tape.

        The block is the one that began at a line, or else the last with the tape's name.
        """
        blocks = [node for node in ast.walk(tree_of(assignment.file)) if isinstance(node, ast.With)]
        if began is not None:
            file, line = began
            heads = [node for node in blocks if node.lineno <= line < node.body[0].lineno]
            return file == assignment.file and any(_holds(node, assignment) for node in heads)
        named = [
            node
            for node in blocks
            if any(tape in _names_of(item) for item in node.items)
            if assignment.file != self.file or node.lineno <= self.line
        ]
        last = max(named, key=lambda node: node.lineno, default=None)
        return last is not None and _holds(last, assignment)

    def may_be_passed_over(self, assignment: Assignment) -> bool:
        """Tell whether an assignment is the last of its name, and in a loop or a branch."""
        kinds = (ast.If, ast.For, ast.While)
        around = [node for node in ast.walk(tree_of(assignment.file)) if isinstance(node, kinds)]
        is_last = assignment.order == max(each.order for each in self.of(assignment.name))
        return is_last and any(_holds(node, assignment) for node in around)

    def depends_on(self, node: ast.AST, roots: set[str], place: Place | None = None) -> bool:
        """Tell whether an expression mentions ``roots``, directly or through other names.

        A name counts only where it has the value that it has at the call of ``gradient``.
        """
        parts = [(each.value, each.place) for each in self.slice(node, place)]
        for expression, where in ((node, place), *parts):
            for name in names_in(expression) & roots:
                before, now = self.of(name, where), self.of(name)
                if not now or not before or set(before) & set(now):
                    return True
            for call in calls_in(expression):
                if any(names_in(body) & roots for body, _, _ in self._bodies(call)):
                    return True
        return False

    def leaving_call(self, start: ast.AST, roots: set[str]) -> tuple[ast.Call, Place] | None:
        """Return the first call of NumPy or plain Python on the way from ``roots`` to ``start``.

        The functions and layers that those lines call are read too.
        """
        lines = [(each.value, each.place) for each in self.slice(start)]
        for node, place in (*lines, (start, None)):
            file = place.file if place else self.file
            for call in calls_in(node):
                if not self.depends_on(call, roots, place):
                    continue
                if self._leaves(call, self.names):
                    return call, Place(file, call.lineno)
                inside = (each for each in calls_in(call) if each is not call)
                if any(self._leaves(each, self.names) for each in inside):
                    continue  # the argument left TensorFlow before it was read
                for body, inner_file, names in self._bodies(call):
                    for inner in calls_in(body):
                        if self._leaves(inner, names):
                            return inner, Place(inner_file, inner.lineno)
        return None

    def leaving_call_of(self, assignment: Assignment) -> tuple[ast.Call, Place] | None:
        """Return the call of NumPy or plain Python in the value of an assignment."""
        for call in calls_in(assignment.value):
            if self._leaves(call, self.names):
                return call, Place(assignment.file, call.lineno)
        return None

    def names_behind(self, assignment: Assignment) -> set[str]:
        """Return the names that an assignment mentions, itself or through names of its function."""
        scope = scopes_at(tree_of(assignment.file), assignment.node.lineno)[0]
        local = assignments_in(scope, assignment.file, 0)
        names, seen = names_in(assignment.value), set[str]()
        while new := names - seen:
            seen |= new
            names = {n for each in local if each.name in new for n in names_in(each.value)}
        return seen

    def computes_with(self, assignment: Assignment, is_meant: Callable[[Any], bool]) -> bool:
        """Tell whether an assignment cannot run without arithmetic on such a value."""
        for node in ast.walk(assignment.value):
            if isinstance(node, ast.BinOp):
                operands: list[ast.expr] = [node.left, node.right]
            elif isinstance(node, ast.UnaryOp):
                operands = [node.operand]
            else:
                continue
            if any(is_meant(self.names.get(ast.unparse(each))) for each in operands):
                return True
        return False

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
        wrapped = ("python_function", "__func__", "call", "function")
        for each in layers_in(value):
            for function in (each, *(getattr(each, name, None) for name in wrapped)):
                function = getattr(function, "__func__", function)
                code = getattr(function, "__code__", None)
                if isinstance(code, types.CodeType) and is_user_file(code.co_filename):
                    scope = scopes_at(tree_of(code.co_filename), code.co_firstlineno)[0]
                    yield scope, code.co_filename, getattr(function, "__globals__", {})


def _holds(node: ast.AST, assignment: Assignment) -> bool:
    """Tell whether an assignment is in the body of a statement or function."""
    if not isinstance(node, ast.stmt | ast.Lambda):
        return False
    inner = assignment.node
    is_later = (node.lineno, node.col_offset) < (inner.lineno, inner.col_offset)
    return is_later and inner.lineno <= (node.end_lineno or node.lineno)


def _is_same_place(one: str, other: str) -> bool:
    """Tell whether both name parts of one container, as ``params[name]`` and ``params['w']`` do."""
    return "[" in one and "[" in other and one.partition("[")[0] == other.partition("[")[0]


def _names_of(item: ast.withitem) -> set[str]:
    return {ast.unparse(each) for each in (item.context_expr, item.optional_vars) if each}

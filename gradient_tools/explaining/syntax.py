"""Python syntax as the diagnosis needs it: scopes, assignments, and lines written anew."""

import ast
import linecache
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..recording.places import Place

__all__ = [
    "Assignment",
    "assignments_in",
    "calls_in",
    "first_line",
    "last_name",
    "names_in",
    "parsed",
    "replace_calls",
    "rewrite_call",
    "scopes_at",
    "tree_of",
    "walk",
]

_VARIABLE_MAKERS = ("Variable", "add_weight")
_ALIAS_CALLS = {"convert_to_tensor", "constant", "identity", "read_value", "value", "Variable"}


@dataclass(frozen=True)
class Assignment:
    """One assignment of a name: ``value`` is the expression, ``node`` the whole statement.

    ``order`` sorts assignments by their place in the text, and cells by when they ran.
    """

    name: str
    value: ast.expr
    node: ast.stmt
    file: str
    order: tuple[int, int]

    @property
    def place(self) -> Place:
        """The line of the statement."""
        return Place(self.file, self.node.lineno)

    @property
    def refers_to_itself(self) -> bool:
        """True for ``x = x + 1`` and ``x += 1``, and for ``x[i] = x[i] + 1``."""
        held = self.name.partition("[")[0]
        return isinstance(self.node, ast.AugAssign) or held in names_in(self.value)

    @property
    def makes_variable(self) -> bool:
        """True for ``x = tf.Variable(...)``."""
        return any(last_name(call.func) in _VARIABLE_MAKERS for call in calls_in(self.value))

    def may_give(self, a_variable: bool) -> bool:
        """Tell whether the name can hold a variable, or anything else, after this assignment."""
        is_arithmetic = isinstance(self.value, (ast.BinOp, ast.UnaryOp))
        if a_variable:
            return not is_arithmetic and not isinstance(self.node, ast.AugAssign)
        makes = isinstance(self.value, ast.Call) and last_name(self.value.func) in _VARIABLE_MAKERS
        return not makes

    @property
    def same_value(self) -> bool:
        """True if the value is another tensor's, copied or sliced: ``v.read_value()``, ``x[0]``."""
        value = self.value
        if isinstance(value, ast.Subscript):
            return True
        return isinstance(value, ast.Call) and last_name(value.func) in _ALIAS_CALLS


def last_name(node: ast.expr) -> str:
    """Return the last part of a name: ``mean`` of ``tf.math.mean``."""
    return getattr(node, "attr", getattr(node, "id", ""))


def names_in(node: ast.AST) -> set[str]:
    """Return every name and dotted name that an expression mentions."""
    kinds = (ast.Name, ast.Attribute)
    return {ast.unparse(child) for child in ast.walk(node) if isinstance(child, kinds)}


def calls_in(node: ast.AST) -> Iterator[ast.Call]:
    """Yield every call in an expression."""
    return (child for child in ast.walk(node) if isinstance(child, ast.Call))


def first_line(scope: ast.AST) -> int:
    r"""Return the line at which Python lets a function begin, decorators included; 0 for a module.

    >>> first_line(ast.parse("@a\ndef f(): pass").body[0])
    1
    """
    decorators = getattr(scope, "decorator_list", [])
    return min((node.lineno for node in decorators), default=getattr(scope, "lineno", 0))


def scopes_at(tree: ast.Module, line: int) -> list[ast.AST]:
    """Return the functions around a line, innermost first, and the module."""
    scopes: list[ast.AST] = [tree]
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            if first_line(node) <= line <= (node.end_lineno or node.lineno):
                scopes.insert(0, node)
    return scopes


def walk(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function or module, without those of functions defined in it."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield from walk(child)


def tree_of(file: str) -> ast.Module:
    """Return the syntax tree of a file or cell; empty if it cannot be read."""
    return parsed("".join(linecache.getlines(file)))


def parsed(text: str) -> ast.Module:
    """Return the syntax tree of a text; empty where it is not Python."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def assignments_in(scope: ast.AST, file: str, cell: int) -> list[Assignment]:
    """Return the assignments of a scope, in the order of the text."""
    found = []
    for node in walk(scope):
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For)):
            value = node.iter if isinstance(node, ast.For) else node.value
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                for name, part in _pairs(target, value) if value is not None else ():
                    order = (cell, node.lineno)
                    found.append(Assignment(ast.unparse(name), part, node, file, order))
    return found


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Return each name that a statement assigns, with the expression that it gets."""
    if not isinstance(target, (ast.Tuple, ast.List)):
        return [(target, value)]
    values = getattr(value, "elts", ())
    values = values if len(values) == len(target.elts) else [value] * len(target.elts)
    return list(zip(target.elts, values, strict=True))


def rewrite_call(line: str, function: str) -> str | None:
    """Return a line of source in which ``function(a)`` or ``a.function()`` has become ``a``.

    >>> rewrite_call("y = tf.stop_gradient(x) * 2", "stop_gradient")
    'y = x * 2'
    """

    def without(call: ast.Call) -> ast.expr:
        return call.args[0] if call.args else getattr(call.func, "value", call)

    return replace_calls(line, {function}, without)


def replace_calls(
    line: str, functions: set[str], replacement: Callable[[ast.Call], ast.expr]
) -> str | None:
    """Return a line of source with another expression for each call of ``functions``.

    It is None where the line is no Python, or has no such call.
    """

    class Replace(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:  # noqa: N802
            self.generic_visit(node)
            return replacement(node) if last_name(node.func) in functions else node

    tree = parsed(line)
    before = ast.unparse(tree)
    after = ast.unparse(Replace().visit(tree))
    return after if after != before else None

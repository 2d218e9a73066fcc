"""Which assignments of a name can have run before a line, and so gave it the value it has there."""

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

from .syntax import Assignment, walk

__all__ = ["Level"]

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_MAY_PASS_OVER = (*_LOOPS, ast.If, ast.Try, ast.ExceptHandler, ast.Match)


@dataclass(eq=False)
class Level:
    """A function, module or cell, its assignments, and the line at which it is.

    ``line`` is None where it has run to its end.
    """

    scope: ast.AST
    file: str
    cell: int
    assignments: list[Assignment]
    line: int | None

    def covers(self, file: str, line: int) -> bool:
        """Tell whether a line is in this function, module or cell."""
        is_module = isinstance(self.scope, ast.Module)
        return file == self.file and (is_module or _covers(self.scope, line))

    def reaching(
        self,
        is_wanted: Callable[[Assignment], bool],
        line: int | None,
        is_bound: Callable[[str], bool],
    ) -> list[Assignment]:
        """Return the wanted assignments that can have given a name its value at a line.

        They are in the order in which they ran. An assignment is left out if a later one certainly
        replaced it, or if it is below the line in a loop whose first iteration is not over.
        ``is_bound`` tells which names have a value.
        """
        here = inf if line is None else line
        statements = [node for node in walk(self.scope) if isinstance(node, _MAY_PASS_OVER)]
        around = [node for node in statements if _covers(node, here)]
        loops = [node for node in around if isinstance(node, _LOOPS)]
        repeated = [loop for loop in loops if not self._is_first_pass(loop, here, is_bound)]
        before, again = [], []
        for each in filter(is_wanted, self.assignments):
            if _is_over(each, here) and not _is_in_another_branch(each, here, around):
                before.append(each)
            elif any(_covers(loop, each.node.lineno) for loop in repeated):
                again.append(each)
        inside = [each for each in before if loops and _covers(loops[0], each.node.lineno)]
        outside = [each for each in before if each not in inside]
        found = []
        for each in (*reversed(inside), *reversed(again), *reversed(outside)):
            found.append(each)
            if each not in again and _certainly_ran(each, here, statements):
                break
        return found[::-1]

    def _is_first_pass(self, loop: ast.AST, line: float, is_bound: Callable[[str], bool]) -> bool:
        """Tell whether a name that each pass assigns from this line on has no value yet."""
        below = (
            each
            for each in self.assignments
            if each.node in getattr(loop, "body", ()) and not _is_over(each, line)
        )
        return any(each.name.isidentifier() and not is_bound(each.name) for each in below)


def _covers(node: ast.AST, line: float) -> bool:
    first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
    return bool(first <= line <= last)


def _is_over(assignment: Assignment, line: float) -> bool:
    node = assignment.node
    return node.lineno < line if isinstance(node, _LOOPS) else (node.end_lineno or 0) < line


def _is_in_another_branch(assignment: Assignment, line: float, around: Sequence[ast.AST]) -> bool:
    """Tell whether an assignment is in a branch that excludes the one with the line."""
    return any(
        _branch(node, assignment.node.lineno) != _branch(node, line)
        for node in around
        if isinstance(node, (ast.If, ast.Match)) and _branch(node, assignment.node.lineno)
    )


def _branch(node: ast.If | ast.Match, line: float) -> int:
    """Return the number of a branch, from 1; 0 outside every branch."""
    if isinstance(node, ast.Match):
        branches = [case.body for case in node.cases]
    else:
        branches = [node.body, node.orelse]
    for number, body in enumerate(branches, 1):
        if body and body[0].lineno <= line <= (body[-1].end_lineno or 0):
            return number
    return 0


def _certainly_ran(assignment: Assignment, line: float, statements: Sequence[ast.AST]) -> bool:
    """Tell whether every path to the line runs an assignment, which replaces the earlier value."""
    if isinstance(assignment.node, ast.AugAssign):
        return False
    around = (node for node in statements if _covers(node, assignment.node.lineno))
    return all(_covers(node, line) for node in around)

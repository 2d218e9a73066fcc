"""All single changes of a program: what a slip of the pen makes, and what takes one back.

A change is made in the syntax tree. None knows what the program is for, and none calls what neither
the program nor `vocabulary` names.
"""

import ast
from collections.abc import Collection, Iterator, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass
from typing import Any

from .vocabulary import LIKE_IT, MAY_LACK, WRAPPERS

__all__ = ["Change", "changes_of"]


@dataclass(frozen=True)
class Change:
    """A program with one change in it.

    ``line`` is the changed line as the program had it, ``look`` says at what one has to look there,
    and ``rank`` how unlikely the change is: those of 0 are tried first.
    """

    tree: ast.Module
    line: int
    look: str
    rank: int


# What stands in the place of a node, what to look at there, and the rank.
_Other = tuple[Any, str, int]

_BLOCK = "look at which lines stand in the block"
_CALLED = "look at what is called"
_ENDS = "look at where it begins and ends"
_FACTOR = "look at what is multiplied or divided"
_GIVEN = "look at what the call is given"
_NAME = "look at which value is taken"
_NUMBER = "look at the number"
_ORDER = "look at the order of the lines"
_POWER = "look at the power"
_SIGN = "look at the sign"
_TERM = "look at what is added or subtracted"
_TEST = "look at the condition"
_THROUGH = "look at what the value goes through"
_TURNED = "look at the order"


def changes_of(tree: ast.Module, first: Collection[int] = ()) -> Iterator[Change]:
    """Yield the single changes of a program, the likeliest first; two may come to the same.

    Those of the lines ``first`` come before all others.
    """
    names = sorted(_own_names(tree))
    found: list[tuple[int, int, Any, Any, str]] = []
    node: Any
    for node in ast.walk(tree):
        for other, look, rank in _others(node, names):
            found.append((rank, node.lineno, node, other, look))
        for block in _blocks_of(node):
            for other, line, look, rank in _rearranged(block):
                found.append((rank, line, block, other, look))
    found.sort(key=lambda each: (each[1] not in first, *each[:2]))
    for rank, line, old, new, look in found:
        yield Change(_with(tree, old, new), line, look, rank)


def _with(tree: ast.Module, old: Any, new: Any) -> ast.Module:
    """Return a copy of the tree in which ``new`` stands for ``old``, a node or a list of them."""
    return ast.fix_missing_locations(deepcopy(tree, {id(old): new}))


def _own_names(tree: ast.Module) -> set[str]:
    """Return the parameters of the program's functions, and what is bound in them."""
    stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and _is_stored(n)}
    return stored | {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}


def _is_stored(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Store)


def _blocks_of(node: ast.AST) -> Iterator[list[ast.stmt]]:
    if not isinstance(node, ast.Module):
        for field in ("body", "orelse"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block:
                yield block


# Lines --------------------------------------------------------------------------------------------


def _rearranged(block: list[ast.stmt]) -> Iterator[tuple[list[ast.stmt], int, str, int]]:
    """Yield a block with one line moved in it, into or out of a block in it, or left out."""
    for i, line in enumerate(block):
        before, after = block[:i], block[i + 1 :]
        if after:
            yield [*before, after[0], line, *after[1:]], line.lineno, _ORDER, 1
        if isinstance(line, ast.Expr | ast.Assign | ast.AugAssign) and len(block) > 1:
            yield [*before, *after], line.lineno, "look at whether this line is needed", 2
        if not isinstance(line, ast.With | ast.For | ast.While):
            continue
        body = line.body
        if after:
            yield (
                [*before, _holding(line, [*body, after[0]]), *after[1:]],
                after[0].lineno,
                _BLOCK,
                0,
            )
        if before:
            moved = _holding(line, [before[-1], *body])
            yield [*before[:-1], moved, *after], before[-1].lineno, _BLOCK, 0
        if len(body) > 1:
            yield [*before, _holding(line, body[:-1]), body[-1], *after], body[-1].lineno, _BLOCK, 0
            yield [*before, body[0], _holding(line, body[1:]), *after], body[0].lineno, _BLOCK, 0


def _holding(line: Any, body: list[ast.stmt]) -> Any:
    """Return a ``with`` or a loop with another body."""
    changed = copy(line)
    changed.body = body
    return changed


# Expressions --------------------------------------------------------------------------------------


def _others(node: Any, names: Sequence[str]) -> Iterator[_Other]:
    """Yield what may stand in place of one node."""
    if isinstance(node, ast.BinOp):
        yield from _other_operations(node)
    elif isinstance(node, ast.UnaryOp):
        yield node.operand, _SIGN if isinstance(node.op, ast.USub) else _TEST, 0
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        for kind in _COMPARISONS.get(type(node.ops[0]), ()):
            yield _changed(node, ops=[kind()]), _TEST, 1
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield _changed(node, op=other), _TEST, 1
        for value in node.values:
            yield value, _TEST, 2
    elif isinstance(node, ast.IfExp):
        yield _changed(node, body=node.orelse, orelse=node.body), _TEST, 1
    elif isinstance(node, ast.If | ast.While):
        yield _changed(node, test=ast.UnaryOp(ast.Not(), node.test)), _TEST, 2
    elif isinstance(node, ast.Constant):
        yield from _other_constants(node)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
        for name in names:
            if name != node.id:
                yield ast.Name(name, ast.Load()), _NAME, 2
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        for name in LIKE_IT.get(node.attr, ()):
            yield _changed(node, attr=name), _CALLED, 1
    elif isinstance(node, ast.Call):
        yield from _other_calls(node)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant | ast.UnaryOp):
        for name in names:
            yield _changed(node, slice=ast.Name(name, ast.Load())), _NAME, 3
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield node.value, _ENDS, 2
        yield from _further(node, "slice")
    elif isinstance(node, ast.Slice):
        yield from _further(node, "lower")
        yield from _further(node, "upper")
        for end in ("lower", "upper"):
            if getattr(node, end) is not None:
                yield _changed(node, **{end: None}), _ENDS, 2
        if node.step is not None:
            yield _changed(node, step=None), _TURNED, 0
    elif isinstance(node, ast.List | ast.Tuple) and isinstance(node.ctx, ast.Load):
        for i in range(len(node.elts) - 1):
            yield _changed(node, elts=_exchanged(node.elts, i)), _TURNED, 1
    elif isinstance(node, ast.Assign | ast.AugAssign | ast.Return) and node.value is not None:
        yield from _other_values(node, names)


def _changed(node: Any, **fields: Any) -> Any:
    changed = copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _exchanged(items: list, i: int) -> list:
    return [*items[:i], items[i + 1], items[i], *items[i + 2 :]]


_OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add, ast.MatMult),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.MatMult: (ast.Mult,),
    ast.Pow: (ast.Mult,),
    ast.FloorDiv: (ast.Mod, ast.Div),
    ast.Mod: (ast.FloorDiv,),
}
_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}


def _other_operations(node: ast.BinOp) -> Iterator[_Other]:
    look = _TERM if isinstance(node.op, ast.Add | ast.Sub) else _FACTOR
    for kind in _OPERATORS.get(type(node.op), ()):
        yield _changed(node, op=kind()), look, 1
    yield node.left, look, 1
    yield node.right, look, 1
    if isinstance(node.op, ast.Sub | ast.Div | ast.MatMult | ast.Pow):
        yield _changed(node, left=node.right, right=node.left), _TURNED, 1
    if not isinstance(node.op, ast.Pow):
        yield _changed(node, left=_squared(node.left)), _POWER, 3
        yield _changed(node, right=_squared(node.right)), _POWER, 3
    # (a + b) * c for a + b * c, and the other way round.
    for inner, outer in ((node.left, node.right), (node.right, node.left)):
        if isinstance(inner, ast.BinOp) and type(inner.op) is not type(node.op):
            if inner is node.left:
                right = _changed(node, left=inner.right, right=outer)
                yield _changed(inner, right=right), "look at the parentheses", 3
            else:
                left = _changed(node, left=outer, right=inner.left)
                yield _changed(inner, left=left), "look at the parentheses", 3


def _squared(value: ast.expr) -> ast.expr:
    return ast.BinOp(value, ast.Pow(), ast.Constant(2))


def _other_constants(node: ast.Constant) -> Iterator[_Other]:
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value), "look at True and False", 1
    elif isinstance(value, int | float):
        numbers = [value + 1, value - 1, 2 * value, value / 2, 10 * value, value / 10, 1, 0]
        if isinstance(value, int):
            numbers = [value + 1, value - 1, 2 * value, value // 2, -value]
        for number in dict.fromkeys(numbers):
            if number != value:
                yield ast.Constant(number), _NUMBER, 1


def _other_calls(node: ast.Call) -> Iterator[_Other]:
    positional, named = node.args, node.keywords
    for i in range(len(positional) - 1):
        yield (
            _changed(node, args=_exchanged(positional, i)),
            "look at the order of the arguments",
            1,
        )
    for i in range(len(positional) if len(positional) > 1 else 0):
        yield _changed(node, args=[*positional[:i], *positional[i + 1 :]]), _GIVEN, 2
    for i in range(len(named)):
        yield _changed(node, keywords=[*named[:i], *named[i + 1 :]]), _GIVEN, 1
    if len(positional) == 1 and not isinstance(positional[0], ast.Starred):
        yield positional[0], _THROUGH, 1
    for i, value in enumerate(positional):
        if not isinstance(value, ast.Starred | ast.Constant):
            args = [*positional[:i], _squared(value), *positional[i + 1 :]]
            yield _changed(node, args=args), _POWER, 3
    if isinstance(node.func, ast.Attribute) and not positional:
        yield node.func.value, _THROUGH, 1
    called = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
    for text in MAY_LACK.get(called, ()):
        (argument,) = ast.parse(f"f({text})", mode="eval").body.keywords  # type: ignore[attr-defined]
        if argument.arg not in [each.arg for each in named]:
            yield _changed(node, keywords=[*named, argument]), _GIVEN, 1
    if called == "range":
        for i in range(len(positional)):
            for step in (ast.Add(), ast.Sub()):
                further = ast.BinOp(positional[i], step, ast.Constant(1))
                arguments = [*positional[:i], further, *positional[i + 1 :]]
                yield _changed(node, args=arguments), _ENDS, 1
        if len(positional) == 1:
            yield _changed(node, args=[ast.Constant(1), *positional]), _ENDS, 1


def _further(node: ast.Subscript | ast.Slice, end: str) -> Iterator[_Other]:
    """Yield a subscript, or a slice, one place further and one place before."""
    place = getattr(node, end)
    is_place = isinstance(place, ast.Name | ast.BinOp | ast.Call)  # a number is changed by itself
    for step in (ast.Add(), ast.Sub()) if is_place else ():
        yield _changed(node, **{end: ast.BinOp(place, step, ast.Constant(1))}), _ENDS, 1


def _other_values(node: Any, names: Sequence[str]) -> Iterator[_Other]:
    """Yield a line with a sign, a factor or a call around its value, or that adds where it sets."""
    value = node.value
    used = {each.id for each in ast.walk(value) if isinstance(each, ast.Name)}
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    if isinstance(target, ast.Name) and target.id not in used:
        added = ast.AugAssign(target, ast.Add(), value)
        yield ast.copy_location(added, node), "look at = and +=", 1
    if isinstance(node, ast.AugAssign):
        yield ast.copy_location(ast.Assign([node.target], value), node), "look at = and +=", 1
        for kind in _OPERATORS.get(type(node.op), ()):
            yield _changed(node, op=kind()), _TERM, 1
    yield _changed(node, value=ast.UnaryOp(ast.USub(), value)), _SIGN, 0
    for wrapper in WRAPPERS:
        called = ast.parse(wrapper, mode="eval").body
        yield _changed(node, value=ast.Call(called, [value], [])), _THROUGH, 2
    factors: list[ast.expr] = [ast.Constant(2), *(ast.Name(name, ast.Load()) for name in names)]
    lengths = [ast.Call(ast.Name("len", ast.Load()), [factor], []) for factor in factors[1:]]
    for factor in [*factors, *lengths]:
        yield _changed(node, value=ast.BinOp(value, ast.Mult(), factor)), _FACTOR, 3
        yield _changed(node, value=ast.BinOp(value, ast.Div(), factor)), _FACTOR, 3
    for term in factors[1:]:
        yield _changed(node, value=ast.BinOp(value, ast.Add(), term)), _TERM, 3
        yield _changed(node, value=ast.BinOp(value, ast.Sub(), term)), _TERM, 3

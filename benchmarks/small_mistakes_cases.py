"""All single changes of a program, such as small mistakes make.

A change is made in the syntax tree. None knows what the program is for, and none calls what neither
the program nor this module names.
"""

import ast
from collections.abc import Iterator, Sequence
from copy import copy, deepcopy
from typing import Any

__all__ = ["changes_of"]

# Names that are taken for each other.
_EXCHANGEABLE = (
    ("reduce_sum", "reduce_mean", "reduce_max"),
    ("sum", "mean", "max"),
    ("add", "subtract"),
    ("multiply", "divide"),
    ("maximum", "minimum"),
    ("argmax", "argmin"),
    ("assign", "assign_add", "assign_sub"),
    ("square", "abs", "sqrt"),
    ("sin", "cos"),
    ("sigmoid", "tanh", "softmax"),
    ("exp", "log"),
    ("gradient", "jacobian", "batch_jacobian"),
    ("clip_by_norm", "clip_by_global_norm", "clip_by_value"),
    ("keys", "values", "items"),
    ("trainable_variables", "trainable_weights", "non_trainable_variables", "variables"),
    ("zeros_like", "ones_like"),
    ("zeros", "ones"),
    ("append", "extend"),
)
_INSTEAD = {
    name: [other for other in names if other != name] for names in _EXCHANGEABLE for name in names
}
# By the last name of what is called: an argument that it may lack.
_OF_A_SUM = ["axis=0", "axis=1", "axis=-1", "keepdims=True"]
_MAY_LACK = {
    "GradientTape": ["persistent=True"], "reduce_sum": _OF_A_SUM, "reduce_mean": _OF_A_SUM,
    "argmax": ["axis=1"], "norm": ["axis=0", "axis=1"],
    "model": ["training=True", "training=False"],
}  # fmt: skip
# What is often put around a value, or forgotten around it.
_WRAPPERS = ("tf.reduce_sum", "tf.reduce_mean", "tf.square", "tf.sqrt", "tf.abs", "list", "float")


def changes_of(tree: ast.Module) -> Iterator[ast.Module]:
    """Yield the program with each single change; two may come to the same."""
    own = [n for n in ast.walk(tree) if isinstance(n, ast.Name | ast.arg)]
    names = sorted({n.arg if isinstance(n, ast.arg) else n.id for n in own if not _is_read(n)})
    for node in ast.walk(tree):
        for other in _others(node, names):
            yield _with(tree, node, other)
        for block in blocks_of(node):
            for lines in _rearranged(block):
                yield _with(tree, block, lines)


def blocks_of(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of lines in a statement, not those of a module."""
    if not isinstance(node, ast.Module):
        for field in ("body", "orelse"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block:
                yield block


def _is_read(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store)


def _with(tree: ast.Module, old: Any, new: Any) -> ast.Module:
    """Return a copy of the tree in which ``new`` stands for ``old``, a node or a list of them."""
    return ast.fix_missing_locations(deepcopy(tree, {id(old): new}))


def _rearranged(block: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """Yield a block with one line moved in it, into or out of a block in it, or left out."""
    for i, line in enumerate(block):
        before, after = block[:i], block[i + 1 :]
        if after:
            yield [*before, after[0], line, *after[1:]]
        if isinstance(line, ast.Expr | ast.Assign | ast.AugAssign) and len(block) > 1:
            yield [*before, *after]
        if not isinstance(line, ast.With | ast.For | ast.While):
            continue
        body = line.body
        if after:
            yield [*before, _changed(line, body=[*body, after[0]]), *after[1:]]
        if before:
            moved = _changed(line, body=[before[-1], *body])
            yield [*before[:-1], moved, *after]
        if len(body) > 1:
            yield [*before, _changed(line, body=body[:-1]), body[-1], *after]
            yield [*before, body[0], _changed(line, body=body[1:]), *after]


def _others(node: Any, names: Sequence[str]) -> Iterator[ast.AST]:
    """Yield what may stand in place of one node."""
    if isinstance(node, ast.BinOp):
        yield from _other_operations(node)
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        for kind in _COMPARISONS.get(type(node.ops[0]), ()):
            yield _changed(node, ops=[kind()])
    elif isinstance(node, ast.BoolOp):
        yield _changed(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
        yield from node.values
    elif isinstance(node, ast.IfExp):
        yield _changed(node, body=node.orelse, orelse=node.body)
    elif isinstance(node, ast.If | ast.While):
        yield _changed(node, test=ast.UnaryOp(ast.Not(), node.test))
    elif isinstance(node, ast.Constant):
        yield from _other_constants(node)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
        for name in names:
            if name != node.id:
                yield ast.Name(name, ast.Load())
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        for name in _INSTEAD.get(node.attr, ()):
            yield _changed(node, attr=name)
    elif isinstance(node, ast.Call):
        yield from _other_calls(node)
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield node.value
        yield from _further(node, "slice")
    elif isinstance(node, ast.Slice):
        yield from _further(node, "lower")
        yield from _further(node, "upper")
        for end in ("lower", "upper"):
            if getattr(node, end) is not None:
                yield _changed(node, **{end: None})
        if node.step is not None:
            yield _changed(node, step=None)
    elif isinstance(node, ast.List | ast.Tuple) and isinstance(node.ctx, ast.Load):
        for i in range(len(node.elts) - 1):
            yield _changed(node, elts=_exchanged(node.elts, i))
    elif isinstance(node, ast.Assign | ast.AugAssign | ast.Return) and node.value is not None:
        yield from _other_values(node)


def _changed(node: Any, **fields: Any) -> Any:
    changed = copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _exchanged(items: list, i: int) -> list:
    return [*items[:i], items[i + 1], items[i], *items[i + 2 :]]


_OPERATORS: dict[type, tuple] = {
    ast.Add: (ast.Sub, ast.Mult), ast.Sub: (ast.Add,), ast.Mult: (ast.Div, ast.Add, ast.MatMult),
    ast.Div: (ast.Mult, ast.FloorDiv), ast.MatMult: (ast.Mult,), ast.Pow: (ast.Mult,),
    ast.FloorDiv: (ast.Mod, ast.Div), ast.Mod: (ast.FloorDiv,),
}  # fmt: skip
_COMPARISONS: dict[type, tuple] = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt, ast.GtE), ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE), ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}  # fmt: skip


def _other_operations(node: ast.BinOp) -> Iterator[ast.AST]:
    for kind in _OPERATORS.get(type(node.op), ()):
        yield _changed(node, op=kind())
    yield node.left
    yield node.right
    if isinstance(node.op, ast.Sub | ast.Div | ast.MatMult | ast.Pow):
        yield _changed(node, left=node.right, right=node.left)


def _other_constants(node: ast.Constant) -> Iterator[ast.AST]:
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int | float):
        numbers = [value + 1, value - 1, 2 * value, value / 2, 10 * value, value / 10, 1, 0]
        if isinstance(value, int):
            numbers = [value + 1, value - 1, 2 * value, value // 2, -value]
        for number in dict.fromkeys(numbers):
            if number != value:
                yield ast.Constant(number)


def _other_calls(node: ast.Call) -> Iterator[ast.AST]:
    positional, named = node.args, node.keywords
    for i in range(len(positional) - 1):
        yield _changed(node, args=_exchanged(positional, i))
    for i in range(len(positional) if len(positional) > 1 else 0):
        yield _changed(node, args=[*positional[:i], *positional[i + 1 :]])
    for i in range(len(named)):
        yield _changed(node, keywords=[*named[:i], *named[i + 1 :]])
    if len(positional) == 1 and not isinstance(positional[0], ast.Starred):
        yield positional[0]
    if isinstance(node.func, ast.Attribute) and not positional:
        yield node.func.value
    called = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
    for text in _MAY_LACK.get(called, ()):
        (argument,) = ast.parse(f"f({text})", mode="eval").body.keywords  # type: ignore[attr-defined]
        if argument.arg not in [each.arg for each in named]:
            yield _changed(node, keywords=[*named, argument])
    if called == "range":
        for i in range(len(positional)):
            for step in (ast.Add(), ast.Sub()):
                further = ast.BinOp(positional[i], step, ast.Constant(1))
                yield _changed(node, args=[*positional[:i], further, *positional[i + 1 :]])
        if len(positional) == 1:
            yield _changed(node, args=[ast.Constant(1), *positional])


def _further(node: ast.Subscript | ast.Slice, end: str) -> Iterator[ast.AST]:
    """Yield a subscript, or a slice, one place further and one place before."""
    place = getattr(node, end)
    is_place = isinstance(place, ast.Name | ast.BinOp | ast.Call)  # a number is changed by itself
    for step in (ast.Add(), ast.Sub()) if is_place else ():
        yield _changed(node, **{end: ast.BinOp(place, step, ast.Constant(1))})


def _other_values(node: Any) -> Iterator[ast.AST]:
    """Yield a line with a sign or a call around its value, or that adds where it sets."""
    value = node.value
    used = {each.id for each in ast.walk(value) if isinstance(each, ast.Name)}
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    if isinstance(target, ast.Name) and target.id not in used:
        yield ast.copy_location(ast.AugAssign(target, ast.Add(), value), node)
    if isinstance(node, ast.AugAssign):
        yield ast.copy_location(ast.Assign([node.target], value), node)
        for kind in _OPERATORS.get(type(node.op), ()):
            yield _changed(node, op=kind())
    yield _changed(node, value=ast.UnaryOp(ast.USub(), value))
    for wrapper in _WRAPPERS:
        called = ast.parse(wrapper, mode="eval").body
        yield _changed(node, value=ast.Call(called, [value], []))

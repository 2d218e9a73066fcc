"""The forms of a program: what is left without its names, with one place in it left open.

Of the right answers that are known the forms are stored, as digests. A wrong program that has one
of them is right but for the open place. Nothing is run, so it is found in what trains, too.
"""

import ast
import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..exercises.references import stored

__all__ = ["Place", "blocks_of", "forms_of", "place_by_form"]

_OPEN = "..."  # stands in the open place
_LARGEST = 2000  # nodes; a longer program is no answer, and would take long
_OWN_NAME = re.compile("\0(.*?)\0")
_DECIDES_NOTHING = {"annotation", "returns", "type_comment", "kind", "ctx"}
_DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)
_NAMED_BY = {ast.Name: "id", ast.arg: "arg", ast.FunctionDef: "name", ast.ClassDef: "name"}


@dataclass(frozen=True)
class Place:
    """A line in which one change is enough, and what there is to look at."""

    line: int
    code: str
    look: str

    def __str__(self) -> str:
        return f"One change is enough, in line {self.line}, `{self.code}`: {self.look}."


class _Form(NamedTuple):
    """A program as text, and the place that is open in it; ``size`` counts the nodes there.

    ``kind`` is what the place is, and ``wanted`` what it is in a right answer: room for a line is
    where that has a line, and a line too many stands where that has room for one.
    """

    kind: str
    wanted: str
    text: str
    line: int = 0
    size: int = 0
    look: str = ""
    node: ast.expr | None = None  # of which ``look`` speaks

    def digest(self, kind: str) -> str:
        return hashlib.sha256(f"{kind} {self.text}".encode()).hexdigest()[:10]


def forms_of(text: str, name: str) -> set[str]:
    """Return the digests of the forms of the function ``name`` that a text defines.

    Raises
    ------
    LookupError
        If the text defines no such function.
    """
    return {form.digest(form.kind) for form in _forms_of(_definitions(text, name))}


def place_by_form(exercise_id: str, text: str, name: str) -> Place | None:
    """Return the smallest place but for which a function is a right answer that is known.

    None where there is no such place, and where the whole function is a right answer.

    Parameters
    ----------
    exercise_id : str
        The exercise.
    text : str
        The cell in which the function stands.
    name : str
        The function's.
    """
    known = set(stored(f"{exercise_id[:2]}.forms").get(exercise_id, ()))
    try:
        tree = _definitions(text, name)
        forms = list(_forms_of(tree)) if _size(tree) <= _LARGEST else []
    except (LookupError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found = [form for form in forms if form.digest(form.wanted) in known]
    if not found or any(form.kind == "whole" for form in found):
        return None
    form = min(found, key=lambda each: each.size)
    code = text.splitlines()[form.line - 1].strip()
    part = ast.get_source_segment(text, form.node) if form.node else None
    is_said = part is not None and "\n" not in part and part != code
    return Place(form.line, code, form.look.format(f"`{part}`" if is_said else "this line"))


def _definitions(text: str, name: str) -> ast.Module:
    """Return a function, and the functions and classes of the same text that it may use."""
    kinds = ast.FunctionDef | ast.ClassDef
    defined = {each.name: each for each in ast.parse(text).body if isinstance(each, kinds)}
    wanted = [name]
    for each in wanted:  # it grows meanwhile
        used = {node.id for node in ast.walk(defined[each]) if isinstance(node, ast.Name)}
        wanted += [other for other in defined if other in used and other not in wanted]
    return ast.Module([defined[each] for each in wanted], [])


class _Text:
    """A program as text, its own names numbered, in which something else may stand for a part."""

    def __init__(self, tree: ast.AST):
        self._own, self._pieces = _own_names(tree), list[str]()
        self._spans: dict[int, slice] = {}  # the pieces of each node, and of each list of them
        self._write(tree)

    def __call__(self, old: ast.AST | list, new: Any, behind: Any = "") -> str:
        """Return it with ``new`` for ``old``: nodes of the program, texts, or lists of both."""
        at, numbers = self._spans[id(old)], dict[str, int]()
        before, after = self._pieces[: at.start], self._pieces[at.stop :]
        text = "".join([*before, self._text_of(new), *after, self._text_of(behind)])
        return _OWN_NAME.sub(lambda m: f"${numbers.setdefault(m[1], len(numbers))}", text)

    def _text_of(self, new: Any) -> str:
        if isinstance(new, list):
            return f"[{''.join(map(self._text_of, new))}]"
        return new if isinstance(new, str) else "".join(self._pieces[self._spans[id(new)]])

    def _write(self, value: Any) -> None:
        start = len(self._pieces)
        if isinstance(value, list):
            self._pieces.append("[")
            for each in value:
                self._write(each)
            self._pieces.append("]")
        elif isinstance(value, ast.AST):
            self._pieces.append(f"{type(value).__name__}(")
            for field, part in ast.iter_fields(value):
                if field == _NAMED_BY.get(type(value)) and part in self._own:
                    self._pieces.append(f"\0{part}\0 ")
                elif field not in _DECIDES_NOTHING:
                    self._write(part)
            self._pieces.append(")")
        else:
            self._pieces.append(f"{value!r} ")
        self._spans[id(value)] = slice(start, len(self._pieces))


def _forms_of(tree: ast.Module) -> Iterator[_Form]:
    """Yield the whole, and then each form with an open place that is at most half of the program.

    It is an expression, a line, a line wherever it stands, room for one more, or what is done with
    a line's value. They are those of the program as it stands, and with values used at once.
    """
    for program in (_plain(tree), _plain(tree, is_used_at_once=True)):
        with_change, most = _Text(program), _size(program) // 2
        yield _Form("whole", "whole", with_change(program, program))
        for node in ast.walk(program):
            size = _size(node)
            if isinstance(node, ast.expr) and size <= most:
                text = with_change(node, _OPEN)
                yield _Form("part", "part", text, node.lineno, size, "look at {}", node)
            if isinstance(node, ast.Assign | ast.AugAssign | ast.Return) and node.value is not None:
                yield from _forms_around(node.value, with_change)
            for block in blocks_of(node):
                yield from _forms_of_block(block, with_change, most)


def _forms_around(value: ast.expr, with_change: _Text) -> Iterator[_Form]:
    line, text = value.lineno, with_change(value, [_OPEN, value])
    yield _Form("room", "around", text, line, 1, "look at what is missing around {}", value)
    for part in ast.iter_child_nodes(value):
        if isinstance(part, ast.expr):
            text, size = with_change(value, [_OPEN, part]), _size(value) - _size(part)
            yield _Form("around", "room", text, line, size, "look at what is around {}", part)


def _forms_of_block(block: list[ast.stmt], with_change: _Text, most: int) -> Iterator[_Form]:
    text = with_change(block, [_OPEN, *block])
    yield _Form("room", "line", text, block[0].lineno, 1, "look at what is missing above it")
    for i, line in enumerate(block):
        above, below, size = block[:i], block[i + 1 :], _size(line)
        at, text = line.end_lineno or 0, with_change(block, [*above, line, _OPEN, *below])
        yield _Form("room", "line", text, at, 1, "look at what is missing below it")
        if size <= most:
            at, text = line.lineno, with_change(line, _OPEN)
            yield _Form("line", "room", text, at, size, "look at whether this line is needed")
            yield _Form("line", "line", text, at, size, "look at this line")
            rest = with_change(block, [*above, *below])
            moved = with_change(block, [*above, *below], behind=line)
            yield _Form("moved", "moved", moved, at, size, "look at where this line stands")
            yield _Form("rest", "rest", rest, at, size + 1, "look at this line")


def blocks_of(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield the lines that stand in a statement, not those of a module."""
    if not isinstance(node, ast.Module):
        for field in ("body", "orelse"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block:
                yield block


def _size(node: ast.AST) -> int:
    return sum(1 for _ in ast.walk(node))


def _own_names(tree: ast.AST) -> set[str]:
    """Return the names that a program gives itself; a method is found by its name."""
    own = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            own.add(node.id)
        elif isinstance(node, ast.arg):
            own.add(node.arg)
        if not isinstance(node, ast.ClassDef):
            defined = ast.iter_child_nodes(node)
            own |= {each.name for each in defined if isinstance(each, _DEFINITIONS)}
    return own


def _plain(tree: ast.Module, is_used_at_once: bool = False) -> ast.Module:
    """Return a program without docstrings, and with named arguments in one order.

    On demand, also without the names whose one use stands in the next line of their block.
    """
    tree = deepcopy(tree)
    times = Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):  # in whatever order; `strict` changes nothing that is right
            named = [each for each in node.keywords if each.arg != "strict"]
            node.keywords = sorted(named, key=lambda each: each.arg or "")
        for block in blocks_of(node):
            if isinstance(node, _DEFINITIONS) and ast.get_docstring(node) is not None:
                del block[0]
            for i in reversed(range(len(block) - 1)) if is_used_at_once else ():
                line, following = block[i], block[i + 1]
                if isinstance(line, ast.Assign) and isinstance(following, _SIMPLE):
                    target = line.targets[0]
                    if isinstance(target, ast.Name) and times[target.id] == 2:
                        put = _Put(target.id, line.value)
                        put.visit(following)
                        if put.is_done:
                            del block[i]
    return tree


class _Put(ast.NodeTransformer):
    """Puts a value in the place of a name."""

    def __init__(self, name: str, value: ast.expr):
        self.name, self.value, self.is_done = name, value, False

    def visit_Name(self, node: ast.Name) -> ast.expr:  # noqa: N802
        if node.id != self.name:
            return node
        self.is_done = True
        return self.value

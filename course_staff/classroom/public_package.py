"""A copy of the package for the process that runs learners' code: without judges and references.

What is not in a process cannot be stolen there. Of each lesson's exercises the copy keeps what
*observes*: the drawn inputs, their preparation, and whatever those use. Everything that only a
judge uses, such as the right answer to compare with, is left out of the text itself.
"""

import ast
import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path

import course_utils

__all__ = ["MACHINERY", "exercises_version", "keep_only", "write_public_package"]

_PACKAGE = Path(course_utils.__file__).parent
_STAFF = Path(__file__).parents[1]
# The modules that know of no exercise in particular and hold no answers. Students get them as they
# are, and every other module of exercises/ sealed or reduced.
MACHINERY = (
    "__init__",
    "errors_in_words",
    "exercise",
    "isolation",
    "judging",
    "observation",
    "reading",
)
_LEFT_OUT = ("__main__.py", "cli.py", "doctor.py", "__pycache__")


def write_public_package(folder: Path) -> Path:
    """Write the copy to ``folder``, in place of an older one, and return ``folder``."""
    shutil.rmtree(folder, ignore_errors=True)
    exercises = _PACKAGE / "exercises"

    def left_out(of: str, names: list[str]) -> Iterable[str]:
        if Path(of) == exercises:
            return [n for n in names if n.removesuffix(".py") not in (*MACHINERY, "stubs.json")]
        return [name for name in names if name in _LEFT_OUT]

    copy = folder / "course_utils"
    try:
        shutil.copytree(_PACKAGE, copy, ignore=left_out)
        _copy_runner(folder)
    except shutil.Error as error:  # one line for every file, where the first says why
        raise OSError(error.args[0][0][2]) from None
    # For each further module of exercises, the names that are needed from it.
    wanted = {path.stem: {"EXERCISES"} for path in exercises.glob("lesson_[0-9][0-9].py")}
    written: dict[str, set[str]] = {}
    while open_ones := [name for name in wanted if wanted[name] != written.get(name)]:
        for name in open_ones:
            written[name] = set(wanted[name])
            source = (exercises / f"{name}.py").read_text(encoding="utf-8")
            kept = keep_only(source, wanted[name])
            (copy / "exercises" / f"{name}.py").write_text(kept, encoding="utf-8")
            for module, names in _imported_siblings(kept):
                if module not in MACHINERY and (exercises / f"{module}.py").exists():
                    wanted.setdefault(module, set()).update(names)
    return folder


def _copy_runner(folder: Path) -> None:
    """Write what runs a notebook, and of ``course_staff`` no more than leads there."""
    runner = Path("classroom", "runner")
    skipped = shutil.ignore_patterns("__pycache__")
    shutil.copytree(_STAFF / runner, folder / _STAFF.name / runner, ignore=skipped)
    for place in (Path(), runner.parent):
        shutil.copy(_STAFF / place / "__init__.py", folder / _STAFF.name / place)


def keep_only(source: str, wanted: set[str]) -> str:
    """Return a module's text reduced to ``wanted`` and what they use, with the judges taken out.

    A keyword ``judge=...`` becomes ``judge=None``, and methods called ``assess`` or ``judge...``
    are dropped; functions that nothing else uses are dropped with them.

    Examples
    --------
    >>> source = '''
    ... def draw(rng): return [(SIZE,)]
    ... SIZE = 3
    ... def right(x): return x**2
    ... def judge(returned, calls): return right(calls[0])
    ... EXERCISES = (Exercise(id="00.1", draw=draw, judge=judge),)
    ... '''
    >>> print(keep_only(source, {"EXERCISES"}))
    def draw(rng):
        return [(SIZE,)]
    SIZE = 3
    EXERCISES = (Exercise(id='00.1', draw=draw, judge=None),)
    """
    tree = _WithoutJudges().visit(ast.parse(source))
    if "*" in wanted:
        return ast.unparse(tree)
    users = [(statement, _binds(statement), _uses(statement)) for statement in tree.body]
    needed = set(wanted)
    while True:
        more = {use for _, bound, uses in users if bound & needed for use in uses} - needed
        if not more:
            break
        needed |= more
    kept = [statement for statement, bound, _ in users if bound & needed]
    for statement in kept:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            names = [a for a in statement.names if _bound_by_import(a) in needed or a.name == "*"]
            statement.names = names
    return ast.unparse(ast.Module(body=kept, type_ignores=[]))


def exercises_version() -> str:
    """Return a digest that changes when exercises, their stubs or the running of them change."""
    runner = Path(__file__).parent / "runner"
    exercises = _PACKAGE / "exercises"
    paths = [*exercises.glob("*.py"), exercises / "stubs.json", *runner.glob("*.py")]
    paths += [
        Path(__file__).with_name(f"{name}.py")
        for name in ("batch", "conversation", "fork_server", "judging")
    ]
    digest = hashlib.sha256()
    for path in sorted(paths, key=lambda path: (path.parent.name, path.name)):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


class _WithoutJudges(ast.NodeTransformer):
    """Takes the judges out of calls and classes."""

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        if node.arg == "judge":
            return ast.keyword(arg="judge", value=ast.Constant(None))
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self.generic_visit(node)
        judging = ("assess", "judge", "_judge")
        node.body = [
            statement
            for statement in node.body
            if not (isinstance(statement, ast.FunctionDef) and statement.name.startswith(judging))
        ] or [ast.Pass()]
        return node


def _binds(node: ast.AST) -> set[str]:
    """Return the names that a top-level statement binds."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {_bound_by_import(alias) for alias in node.names}
    inner = ast.walk(node)
    return {n.id for n in inner if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _uses(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return set()
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _bound_by_import(alias: ast.alias) -> str:
    return alias.asname or alias.name.split(".")[0]


def _imported_siblings(source: str) -> list[tuple[str, set[str]]]:
    """Return the modules of the same folder that a text imports from, with the names."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.ImportFrom) or node.level != 1:
            continue
        if node.module is None:  # from . import helpers: its use cannot be followed
            found += [(alias.name, {"*"}) for alias in node.names]
        else:
            found.append((node.module.split(".")[0], {alias.name for alias in node.names}))
    return found

"""The house: nothing loose at the top, and imports that point one way only."""

import ast
import re
import sys
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("gradient_tools", "course_utils", "course_staff")

# From the top down: a room may import from the rooms of its own line and of those below it.
# gradient_tools, on the last lines, knows nothing of the course.
FLOORS = (
    ("course_staff.commands",),
    ("course_staff.classroom", "course_staff.site"),
    ("course_staff.classroom.reports", "course_staff.classroom.release"),
    ("course_staff.classroom.judging",),
    ("course_staff.classroom.intake", "course_staff.classroom.running"),
    ("course_staff.authoring", "course_staff.output_folder"),
    ("course_staff.classroom.sandbox",),  # which is copied without the rooms above
    ("course_utils.course",),
    ("course_utils.workspace",),
    ("course_utils.one_change",),
    ("course_utils.exercises",),
    ("course_utils.figures", "course_utils.datasets"),
    ("gradient_tools.drawing",),
    ("gradient_tools.explaining", "gradient_tools.checking"),
    ("gradient_tools.recording", "gradient_tools.showing"),
)
# Rooms that may have more lines than others. In this one 340 are what is said of each cause; the
# rest is one walk back from a missing gradient, in which nothing is of use to a room below.
LARGE = {"gradient_tools.explaining": 2600}
# Packages, with what came after they were cut: the learner's own copy, questions that come back,
# the place of a mistake, sittings, times; for authors, slips of the pen. What grows is said here.
PACKAGES_LARGE = {"gradient_tools": 7100, "course_utils": 7250, "course_staff": 10_400}
FLOOR_OF = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}


def modules():
    """Return the path of every module by its dotted name."""
    found = {}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def room_of(module):
    """Return the room of a module: its folder, or below a package itself the module alone."""
    if "." not in module:
        return None
    is_folder = any(other.startswith(f"{module}.") for other in MODULES)
    room = module if is_folder else module.rpartition(".")[0]
    return room if "." in room else module


def imported_by(module, only_at_start=False):
    """Return the modules of the house that a module imports: anywhere, or outside its functions.

    An import for types alone stands outside of them, too.
    """
    path = MODULES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = set()
    for node in outside_functions(tree) if only_at_start else ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1]
            start = ".".join([*(base if node.level else []), *filter(None, [node.module])])
            names = [f"{start}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            while name and name not in MODULES:  # a name in a module
                name = name.rpartition(".")[0]
            found |= {name} - {""}
    return found


def outside_functions(node):
    """Yield what stands in a module, but not in one of its functions."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef):
            yield child
            yield from outside_functions(child)


def test_every_room_has_its_floor():
    rooms = {room_of(module) for module in MODULES} - {None, "course_utils.__main__"}
    assert rooms == set(FLOOR_OF)


def test_rooms_are_few_and_none_is_large():
    lines = Counter()
    for module, path in MODULES.items():
        if path.parent.parent != ROOT:  # a package itself is no room
            lines[room_of(module)] += len(path.read_text(encoding="utf-8").splitlines())
    assert len(lines) <= 20
    large = {room: count for room, count in lines.items() if count > LARGE.get(room, 2400)}
    assert large == {}


def test_no_package_grows_unseen():
    lines = Counter()
    for path in MODULES.values():
        package = path.relative_to(ROOT).parts[0]
        lines[package] += len(path.read_text(encoding="utf-8").splitlines())
    assert all(lines[package] <= most for package, most in PACKAGES_LARGE.items()), lines


@pytest.mark.parametrize("module", sorted(m for m in MODULES if room_of(m) in FLOOR_OF))
def test_imports_point_down(module):
    floor = FLOOR_OF[room_of(module)]
    for other in imported_by(module):
        room = room_of(other)
        if other == "gradient_tools":  # which lies below all, and imports nothing as it is imported
            continue
        if room is None:  # course_utils as a notebook sees it, with all its names
            assert module.startswith("course_staff."), other
        elif room != room_of(module):
            assert FLOOR_OF[room] > floor, f"{module} imports {other}"


def test_no_imports_go_round_in_a_circle():
    graph = {module: imported_by(module, only_at_start=True) for module in MODULES}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def test_no_two_modules_share_a_name():
    names = Counter(path.stem for path in MODULES.values() if not path.stem.startswith("__"))
    assert [name for name, count in names.items() if count > 1] == []


def test_nothing_loose_stands_at_the_top():
    names = {"__init__.py", "__init__.pyi", "py.typed"}
    assert {path.name for path in (ROOT / "gradient_tools").glob("*.*")} == names
    assert {path.name for path in (ROOT / "course_utils").glob("*.*")} == {*names, "__main__.py"}


def test_what_a_notebook_imports_is_in_the_house():
    import course_utils

    assert set(course_utils._HOME.values()) <= set(MODULES)


def test_the_tools_import_no_more_than_they_declare():
    declared = {"tensorflow", "numpy", "matplotlib", "lazy_loader"}
    declared |= {"keras"}  # comes with TensorFlow
    allowed = declared | {"gradient_tools"} | sys.stdlib_module_names
    for module in MODULES:
        if module.split(".")[0] == "gradient_tools":
            assert top_names(MODULES[module]) <= allowed, module
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (dependencies,) = re.findall(r"^dependencies = \[(.*)\]$", project, re.M)
    assert set(re.findall(r'"(\w+)', dependencies)) == declared - {"keras"}


def top_names(path):
    """Return the packages that a module imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module.split(".")[0])
    return found


def test_the_imports_are_looked_for_at_all():
    assert "course_utils.course.terminal" in imported_by(
        "course_staff.classroom.instructor_commands"
    )
    assert "gradient_tools.recording.tensorflow_internals" in imported_by(
        "course_utils.exercises.observation"
    )
    assert "course_staff.classroom.sandbox.learner" in imported_by(
        "course_staff.classroom.sandbox.server"
    )


GALLERIES = sorted((ROOT / "lessons").glob("*/gallery.py"))
LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@pytest.mark.parametrize("path", GALLERIES, ids=lambda path: path.parent.name)
def test_wrong_programs_are_varied_in_few_things(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):  # an answer's own parameters have no default
            assert len(node.args.defaults) + len(node.args.kw_defaults) <= 6, node.name


@pytest.mark.parametrize("path", GALLERIES, ids=lambda path: path.parent.name)
def test_what_a_mistake_is_called_and_told_stands_in_its_gallery(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    written = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            written[node.targets[0].id] = node.value
    texts = [text for node in ast.walk(tree) for text in texts_of(node)]
    assert texts
    for text in texts:
        assert is_written(text, written), ast.unparse(text)
    for made in ast.walk(tree):
        if isinstance(made, (*LOOPS, ast.FunctionDef, ast.Lambda)):
            assert not {called(node) for node in ast.walk(made)} & {"Wrong", "Table"}, made.lineno


def called(node):
    """Return the name that a node calls, or nothing."""
    return getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""


def texts_of(node):
    """Yield what a node calls mistakes, and what it has told of them."""
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        yield from (name for name, value in pairs if called(value) == "Wrong")
    elif called(node) == "Wrong":
        yield node.args[0]
    elif called(node) == "Table":
        rows, otherwise = node.args
        assert isinstance(rows, ast.Dict), "the rows of a table stand in it"
        yield otherwise
        for value, sentence in zip(rows.keys, rows.values, strict=True):
            yield sentence.args[1] if value is None else sentence  # dict.fromkeys(values, sentence)


def is_written(text, written):
    """Tell whether a text stands in the file: whole, in pieces, or under one of the names."""
    if isinstance(text, ast.Name):
        return text.id in written and is_written(written[text.id], written)
    if isinstance(text, ast.BinOp):
        return is_written(text.left, written) and is_written(text.right, written)
    if isinstance(text, ast.JoinedStr):
        return all(is_written(piece, written) for piece in text.values)
    if isinstance(text, ast.FormattedValue):
        return is_written(text.value, written)
    return isinstance(text, ast.Constant)

"""The house: nothing loose at the top, and imports that point one way only."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("course_utils", "course_staff")

# From the top down: a room may import from the rooms of its own line and of those below it. The
# tools, on the last two lines, know nothing of the course.
FLOORS = (
    ("course_staff.commands",),
    ("course_staff.classroom", "course_staff.site"),
    ("course_staff.authoring",),
    ("course_utils.course",),
    ("course_utils.exercises",),
    (
        "course_utils.tape",
        "course_utils.gradients",
        "course_utils.datasets",
    ),
    ("course_utils.figures",),
)
FLOOR_OF = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}


def modules():
    """Return the path of every module by its dotted name."""
    found = {}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            if parts[-1].startswith("lesson_") and parts[-2] == "generated":
                continue  # a copy of lessons/NN_topic/exercises.py
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def room_of(module):
    """Return the room of a module; a package itself is none."""
    parts = module.split(".")
    return ".".join(parts[:2]) if len(parts) > 1 else None


def imported_by(module, only_at_start=False):
    """Return the modules of the house that a module imports: anywhere, or as it is imported."""
    path = MODULES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = set()
    for node in tree.body if only_at_start else ast.walk(tree):
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


def test_every_room_has_its_floor():
    rooms = {room_of(module) for module in MODULES} - {None, "course_utils.__main__"}
    assert rooms == set(FLOOR_OF)


@pytest.mark.parametrize("module", sorted(m for m in MODULES if room_of(m) in FLOOR_OF))
def test_imports_point_down(module):
    floor = FLOOR_OF[room_of(module)]
    for other in imported_by(module):
        room = room_of(other)
        if room is None:  # course_utils as a notebook sees it, with all its names
            assert module.startswith("course_staff."), other
        elif room != room_of(module):
            assert FLOOR_OF[room] > floor, f"{module} imports {other}"


def test_no_imports_go_round_in_a_circle():
    graph = {module: imported_by(module, only_at_start=True) for module in MODULES}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def test_nothing_loose_stands_at_the_top():
    assert {path.name for path in (ROOT / "course_utils").glob("*.*")} == {
        "__init__.py",
        "__main__.py",
    }


def test_what_a_notebook_imports_is_in_the_house():
    import course_utils

    for room in set(course_utils._HOME.values()):
        assert f"course_utils.{room}" in MODULES


def test_the_imports_are_looked_for_at_all():
    assert "course_utils.course.terminal" in imported_by("course_staff.classroom.commands")
    assert "course_utils.tape.tensorflow_internals" in imported_by(
        "course_utils.exercises.isolation"
    )
    assert "course_staff.classroom.runner.learner" in imported_by(
        "course_staff.classroom.runner.server"
    )

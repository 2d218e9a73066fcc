"""The direction of imports between the packages, and what the packages may import at all."""

import ast
import re
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("gradient_tools", "course_utils", "course_staff")

# From the top down: a package may import from the packages of its own line and of those below it.
# gradient_tools, in the last lines, knows nothing of the course.
LAYERS = (
    ("course_staff",),  # its top, with the commands
    ("course_staff.classroom", "course_staff.site"),
    ("course_staff.classroom.reports", "course_staff.classroom.release"),
    ("course_staff.classroom.judging",),
    ("course_staff.classroom.intake", "course_staff.classroom.running"),
    ("course_staff.authoring",),
    ("course_staff.classroom.sandbox",),  # which is copied without the packages above
    ("course_utils",),  # its top, with what a learner calls
    ("course_utils.workspace",),
    ("course_utils.exercises",),
    ("course_utils.figures", "course_utils.datasets"),
    ("gradient_tools.drawing",),
    ("gradient_tools.explaining", "gradient_tools.checking"),
    ("gradient_tools.recording", "gradient_tools.showing"),
)
LAYER_OF = {package: number for number, packages in enumerate(LAYERS) for package in packages}


def modules():
    """Return the path of every module by its dotted name."""
    found = {}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def package_of(module):
    """Return the package that a module is in; None for one of the three packages itself."""
    is_folder = any(other.startswith(f"{module}.") for other in MODULES)
    return module if is_folder and "." in module else module.rpartition(".")[0] or None


def imported_by(module, only_at_start=False):
    """Return the modules of the packages that a module imports, anywhere or outside functions."""
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
    """Yield the nodes of a module that are not in one of its functions."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef):
            yield child
            yield from outside_functions(child)


def test_every_package_has_its_layer():
    assert {package_of(module) for module in MODULES} - {None} == set(LAYER_OF)


@pytest.mark.parametrize("module", sorted(m for m in MODULES if package_of(m) in LAYER_OF))
def test_imports_point_down(module):
    layer = LAYER_OF[package_of(module)]
    for other in imported_by(module):
        package = package_of(other)
        if other == "gradient_tools":  # which is below all, and imports nothing as it is imported
            continue
        if package is None:  # one of the three as a whole, with all its names
            assert module.split(".")[0] != other and other in PACKAGES[:-1], other
        elif package != package_of(module):
            assert LAYER_OF[package] > layer, f"{module} imports {other}"


def test_no_imports_are_circular():
    graph = {module: imported_by(module, only_at_start=True) for module in MODULES}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the cycle


def test_each_name_for_notebooks_has_its_module():
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


def test_imports_are_found():
    assert "course_utils.terminal" in imported_by("course_staff.classroom.instructor_commands")
    assert "gradient_tools.recording.tensorflow_internals" in imported_by(
        "course_utils.exercises.observation"
    )
    assert "course_staff.classroom.sandbox.learner" in imported_by(
        "course_staff.classroom.sandbox.server"
    )

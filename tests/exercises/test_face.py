"""What a lesson's questions, mistakes and variants import: the names for their authors."""

import ast
from pathlib import Path

import pytest

from course_utils import exercises

ROOT = Path(__file__).parents[2]
MODULES = [
    path
    for name in ("exercises", "mistakes", "variants")
    for path in sorted(ROOT.glob(f"lessons/*/{name}.py"))
]


def imported_from(path):
    """Return each name that a module imports, by the module that it comes from."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree))
    found = [(n.module, a.name) for n in nodes if isinstance(n, ast.ImportFrom) for a in n.names]
    return found + [(a.name, "") for n in nodes if isinstance(n, ast.Import) for a in n.names]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_lesson_imports_of_the_project_what_is_there_for_it(path):
    ours = [pair for pair in imported_from(path) if pair[0].startswith(("course_", "gradient_"))]
    assert ours
    assert {module for module, _ in ours} <= {"course_utils", "course_utils.exercises"}
    names = {name for module, name in ours if module == "course_utils.exercises"}
    assert names <= set(exercises.__all__)


def test_every_name_for_authors_is_used_and_described():
    used = {name for path in MODULES for _, name in imported_from(path)}
    assert set(exercises.__all__) <= used
    assert not [name for name in exercises.__all__ if name not in exercises.__doc__]

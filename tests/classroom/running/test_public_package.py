"""That the process of the learners holds nothing to steal, and that names lead to answers."""

import ast
import json
import os
import shutil
import subprocess
import sys

import pytest
from handed_in import ANSWER_NAMES, ROOT

from course_staff.classroom.running import public_package
from course_staff.classroom.running.public_package import (
    exercises_version,
    write_public_package,
)
from course_staff.classroom.sandbox.answers import bound_names
from course_utils.exercises.exercise import stubs
from course_utils.exercises.lesson_questions import COPIES
from course_utils.workspace.curriculum import LESSONS, find_exercise

PACKAGES = ("gradient_tools", "course_utils", "course_staff")
PLAIN = ("00.1", "00.2", "01.1", "01.2")
NUMBERS = [lesson.number for lesson in LESSONS]


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    return write_public_package(tmp_path_factory.mktemp("public"))


def test_the_copy_holds_the_questions_and_nothing_that_programs_did(package):
    exercises = package / "course_utils" / "exercises"
    questions = sorted(path.stem for path in (exercises / "generated").glob("lesson_*.py"))
    assert questions == [f"lesson_{number}" for number in NUMBERS]
    assert (package / "gradient_tools" / "__init__.pyi").exists()
    texts = list(package.rglob("*.txt"))
    assert sorted(path.stem for path in texts) == questions
    for path in texts:  # a line that says what it is, and the stubs
        words = [line.split(" ")[0] for line in path.read_text().splitlines()]
        assert words == ["Generated", "stubs"]
    assert not list(package.rglob("mistakes*"))


def test_the_copy_holds_no_grader_no_author_and_no_notebook(package):
    paths = {str(path.relative_to(package)) for path in package.rglob("*.py")}
    assert "course_staff/classroom/sandbox/server.py" in paths
    assert "course_utils/exercises/observation.py" in paths
    staff = [path for path in paths if path.startswith("course_staff/") and "/sandbox/" not in path]
    assert sorted(staff) == ["course_staff/__init__.py", "course_staff/classroom/__init__.py"]
    assert not [path for path in paths if "authoring" in path or "grading" in path or "cli" in path]
    assert not list(package.rglob("*.ipynb"))


def test_an_installed_package_hides_itself_and_not_the_libraries_beside_it(tmp_path):
    site = tmp_path / "site-packages"
    for name in PACKAGES:
        shutil.copytree(ROOT / name, site / name)
    shutil.copytree(ROOT / "generated", site / COPIES)
    module = "course_staff.classroom.running.public_package"
    program = f"from {module} import *\nprint(*private_folders())"
    environment = os.environ | {"PYTHONPATH": str(site)}
    command = [sys.executable, "-c", program]
    listed = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert set(listed.stdout.split()) == {str(site / name) for name in PACKAGES}


def test_a_full_disk_is_one_line(tmp_path, monkeypatch):
    def full(source, *arguments, **options):
        raise OSError(28, "No space left on device", os.fspath(source))

    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(OSError, match=r"^\[Errno 28\] No space left on device: '[^']*'$"):
        write_public_package(tmp_path / "package")


def test_the_copy_observes_as_the_original_does(package):
    # In a process of its own, because the copy has the name of the package under test. Exercises
    # that prepare tensors are observed in test_runs.py, where TensorFlow runs anyway.
    program = (
        "import json\nfrom course_utils.workspace.curriculum import find_exercise as find\n"
        "print(json.dumps([[i, find(i).observe(lambda *a: 1.0, 77)] for i in "
        f"{PLAIN}]))"
    )
    copied = subprocess.run(
        [sys.executable, "-c", program],
        cwd=package,
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(package), "PATH": "", "TF_CPP_MIN_LOG_LEVEL": "2"},
    ).stdout.splitlines()[-1]
    ours = [[e.id, e.observe(lambda *a: 1.0, 77)] for e in map(find_exercise, PLAIN)]
    assert json.loads(copied) == json.loads(json.dumps(ours))


def test_the_version_changes_with_every_file_that_a_verdict_depends_on(monkeypatch, tmp_path):
    for name in (*PACKAGES, "generated", "lessons"):
        shutil.copytree(ROOT / name, tmp_path / name)
    monkeypatch.setattr(public_package, "_TOOLS", tmp_path / "gradient_tools")
    monkeypatch.setattr(public_package, "_PACKAGE", tmp_path / "course_utils")
    monkeypatch.setattr(public_package, "_STAFF", tmp_path / "course_staff")
    seen = [exercises_version()]
    assert seen == [exercises_version()]
    for place in (
        "generated/lesson_01.txt",
        "course_utils/workspace/curriculum.py",
        "gradient_tools/checking/check.py",
        "course_staff/authoring/questions.py",
        "course_staff/classroom/judging/secret_references.py",
        "course_staff/classroom/sandbox/namespaces.py",
        "lessons/01_first_tape/mistakes.py",
        "lessons/01_first_tape/lesson.py",
    ):
        path = tmp_path / place
        path.write_text(path.read_text() + "\nchanged = True\n")
        seen.append(exercises_version())
    text = tmp_path / "lessons/01_first_tape/lesson.py"
    text.write_text(text.read_text() + "\n# %% [markdown]\n# Another sentence.\n")
    assert exercises_version() == seen[-1]  # of a lesson only the code counts
    minutes = tmp_path / "generated" / "lessons.json"
    minutes.write_text(minutes.read_text().replace('"minutes": 45', '"minutes": 50', 1))
    assert exercises_version() == seen[-1]
    monkeypatch.setattr(public_package, "version", lambda name: "another TensorFlow")
    assert len({*seen, exercises_version()}) == 10


# What finding answers rests on --------------------------------------------------------------------


def checked_names(notebook):
    """Return the name that each check of a notebook passes."""
    found = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            for node in ast.walk(ast.parse("".join(cell["source"]))):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "check":
                    found[node.args[0].value] = ast.unparse(node.args[1])
    return found


@pytest.mark.parametrize("number", NUMBERS)
def test_a_stub_binds_the_name_that_is_checked_and_no_other_cell_binds_it(number):
    (path,) = (ROOT / "notebooks").glob(f"{number}_*.ipynb")
    notebook = json.loads(path.read_text())
    checked = checked_names(notebook)
    own = {i: stub for i, stub in stubs().items() if i.startswith(number)}
    assert set(own) == set(checked)
    for exercise_id, stub in own.items():
        name = bound_names(stub["source"])[-1]
        assert name == checked[exercise_id]
        others = [
            "".join(cell["source"])
            for cell in notebook["cells"]
            if cell["cell_type"] == "code" and cell["id"] != stub["cell"]
        ]
        assert not [source for source in others if name in bound_names(source)]


def test_the_names_used_by_these_tests_are_those_of_the_stubs():
    for exercise_id, name in ANSWER_NAMES.items():
        assert bound_names(stubs()[exercise_id]["source"])[-1] == name

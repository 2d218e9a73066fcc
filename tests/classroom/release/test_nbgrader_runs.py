"""nbgrader itself, from generate_assignment to export, on what `course nbgrader` writes."""

import csv
import json
import os
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import nbformat
import pytest

from course_staff.authoring.build import Folders, read_lessons
from course_staff.classroom.release.nbgrader_export import nbgrader_files
from course_utils.workspace.output_folder import write_output

ROOT = Path(__file__).parents[3]
# `make test-all` installs nbgrader here, where JupyterLab does not find its menus.
APART = Path(sys.prefix) / "nbgrader"

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(
        not find_spec("nbgrader") and not (APART / "nbgrader").is_dir(),
        reason="nbgrader is not installed: run `make test-all`, or `pip install -e '.[nbgrader]'`",
    ),
]

NAME = "00_start_here"


@cache
def lesson():
    return next(lesson for lesson in read_lessons(Folders(ROOT)) if lesson.name == NAME)


MISTAKES = {
    "00.1": "steepness = 9",
    "00.2": "def rate_of_change(f, x, h):\n    return f(x + h) - f(x)",
    "00.3": "def mean_squared_error(y_hat, y):\n    return tf.reduce_mean(y - y_hat) ** 2",
}
# What must not cost a right answer its points.
ACCIDENTS = "check = None\nimport course_utils\ndel course_utils"
NOISE = "\n_right = rate_of_change\ndef rate_of_change(f, x, h):\n    import sys\n"
NOISE += "    print('a warning', file=sys.stderr)\n    return _right(f, x, h)"
# What must not earn a wrong answer any.
FORGERY = """\
check = lambda *a: 1.0
from course_utils.exercises import comparing, exercise, judging, values
FORGED = exercise.Judgement("passed", "Forged.", 1.0)
for module in (comparing, values):
    module.judged = module.Judgement = lambda *a, **k: FORGED
judging.assess = lambda *a: FORGED
"""


def run(folder, *arguments):
    paths = [str(ROOT), str(APART), os.environ.get("PYTHONPATH", "")]
    # nbgrader calls `alembic` by its name.
    programs = [str(APART / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(paths),
        "PATH": os.pathsep.join(programs),
        # nbgrader keeps files of its own for a user and a machine.
        "HOME": str(folder),
        "JUPYTER_CONFIG_DIR": str(folder / ".jupyter"),
    }
    result = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    return result.stderr


def released(folder):
    return nbformat.read(folder / "release" / NAME / f"{NAME}.ipynb", as_version=4)


def submit(folder, student, answers, first_words=""):
    """Store what a student who gives these answers would hand in."""
    notebook = released(folder)
    for cell in notebook.cells:
        exercise_id = cell.metadata.get("exercise")
        cell.source = answers.get(exercise_id, cell.source)
    if first_words:
        notebook.cells[1].source = "raise RuntimeError('I tried something')"
        notebook.cells.insert(2, nbformat.v4.new_code_cell(first_words))
    path = folder / "submitted" / student / NAME / f"{NAME}.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(notebook, path)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """Return a course folder in which three submissions went all the way."""
    folder = tmp_path_factory.mktemp("nbgrader")
    cells = lesson().solution.cells
    solutions = {key: cells[i].source for key, i in lesson().exercises.items()}
    write_output(nbgrader_files([lesson()], [lesson()], ROOT), folder, "course nbgrader")
    run(folder, "generate_assignment", NAME)
    submit(folder, "right", solutions | {"00.2": solutions["00.2"] + NOISE}, ACCIDENTS)
    submit(folder, "wrong", MISTAKES, FORGERY)
    submit(folder, "blank", {})
    run(folder, "autograde", NAME)
    run(folder, "generate_feedback", NAME)
    run(folder, "export")
    return folder


def test_the_released_assignment_is_what_learners_start_from(course):
    text = (course / "release" / NAME / f"{NAME}.ipynb").read_text()
    assert not [word for word in ("SOLUTION", "HIDDEN", "nbgrader_check") if word in text]
    for cell, given in zip(released(course).cells, lesson().notebook.cells, strict=True):
        if cell.cell_type == "code":
            assert cell.source.rstrip("\n") == given.source


def test_each_submission_gets_its_points(course):
    with (course / "grades.csv").open() as file:
        rows = {row["student_id"]: (row["score"], row["max_score"]) for row in csv.DictReader(file)}
    assert rows == {"right": ("3.0", "3.0"), "wrong": ("0.0", "3.0"), "blank": ("0.0", "3.0")}


def test_each_check_awards_its_points(course):
    for student, points in (("right", "1.0"), ("wrong", "0.0"), ("blank", "0.0")):
        path = course / "autograded" / student / NAME / f"{NAME}.ipynb"
        cells = json.loads(path.read_text())["cells"]
        graded = [c for c in cells if c["metadata"].get("nbgrader", {}).get("grade")]
        shown = [output["data"]["text/plain"] for c in graded for output in c["outputs"]]
        assert shown == [[points]] * 3, student


def test_feedback_says_which_mistake_it_was(course):
    def page(student):
        return (course / "feedback" / student / NAME / f"{NAME}.html").read_text()

    assert "9 is the height of the curve at x = 3" in page("wrong")
    assert "Divide the growth by" in page("wrong")
    assert "still averages before it squares" in page("wrong")
    assert page("blank").count("○ Not attempted") == 3
    assert page("right").count("✓ Passed") == 3


def test_no_progress_is_left_among_the_submissions(course):
    assert not list(course.rglob(".course"))

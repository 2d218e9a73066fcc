"""The nbgrader course as it is written; `test_nbgrader_runs.py` runs nbgrader on it."""

import ast
import copy
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import nbformat
import pytest
import tensorflow as tf
from typer.testing import CliRunner

from course_staff.authoring.build import Folders, read_lessons
from course_staff.classroom.release import nbgrader_check
from course_staff.classroom.release.nbgrader_export import NbgraderError, nbgrader_files
from course_staff.classroom.release.student_files import relink
from course_utils.cli import app
from course_utils.exercises import judging
from course_utils.exercises.exercise import Judgement
from course_utils.workspace.curriculum import LESSONS, find_exercise

pytestmark = pytest.mark.nightly

ROOT = Path(__file__).parents[3]

REGION = re.compile(r"\n### BEGIN SOLUTION\n.*\n### END SOLUTION", re.S)
HIDDEN = re.compile(r"### BEGIN HIDDEN TESTS\n.*\n### END HIDDEN TESTS\n", re.S)


@cache
def sources():
    return read_lessons(Folders(ROOT))


@cache
def files():
    return nbgrader_files(sources(), sources(), ROOT)


def assignment(lesson):
    return nbformat.reads(files()[f"source/{lesson.name}/{lesson.name}.ipynb"], as_version=4)


@pytest.fixture(params=LESSONS, ids=lambda lesson: lesson.name)
def lesson(request):
    """Return the source of a lesson."""
    return next(source for source in sources() if source.name == request.param.name)


def test_without_its_regions_an_assignment_is_the_learners_notebook(lesson):
    notebook = assignment(lesson)
    nbformat.validate(notebook)
    for cell, given in zip(notebook.cells, lesson.notebook.cells, strict=True):
        if cell.cell_type == "code":
            assert HIDDEN.sub("", REGION.sub("", cell.source)) == given.source


def test_every_code_cell_is_marked_and_points_are_those_of_the_exercises(lesson):
    cells = [cell for cell in assignment(lesson).cells if cell.cell_type == "code"]
    marks = [cell.metadata["nbgrader"] for cell in cells]
    ids = [mark["grade_id"] for mark in marks]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-zA-Z0-9_\-]+", name) for name in ids)
    assert all(mark["schema_version"] == 3 and not mark["task"] for mark in marks)
    assert all(mark["locked"] != mark["solution"] for mark in marks)
    points = {mark["grade_id"]: mark["points"] for mark in marks if mark["grade"]}
    exercises = [find_exercise(exercise_id) for exercise_id in lesson.exercises]
    assert points == {f"check-{e.id.replace('.', '-')}": e.points for e in exercises}
    solutions = [mark["grade_id"] for mark in marks if mark["solution"]]
    assert solutions == [f"exercise-{e.id.replace('.', '-')}" for e in exercises]
    for cell in cells:
        assert bool(REGION.search(cell.source)) == cell.metadata["nbgrader"]["solution"]
        assert bool(HIDDEN.search(cell.source)) == cell.metadata["nbgrader"]["grade"]


def test_a_source_notebook_holds_the_solution_last(lesson):
    for exercise_id, index in lesson.exercises.items():
        solution = lesson.solution.cells[index]
        (cell,) = (cell for cell in assignment(lesson).cells if cell.id == solution.id)
        worked = ast.unparse(ast.parse(solution.source))
        assert ast.unparse(ast.parse(cell.source)).endswith(worked), exercise_id


def test_links_lead_to_the_other_assignments_or_nowhere():
    folders = {name.split("/")[1] for name in files() if name.startswith("source/")}
    found = [m for text in files().values() for m in re.findall(r"\]\(([^)]*\.ipynb)\)", text)]
    assert found and all(Path(link).parts[1] in folders for link in found)
    # The words of a link may stand on two lines.
    cell = nbformat.v4.new_markdown_cell(
        "See [06 · Higher-order\ngradients](06_higher_order.ipynb)."
    )
    relink(nbformat.v4.new_notebook(cells=[cell]), lambda name: None)
    assert cell.source == "See 06 · Higher-order\ngradients."
    alone = nbgrader_files(sources(), sources()[:1], ROOT)
    assert not [text for text in alone.values() if re.search(r"\]\([^)]*\.ipynb\)", text)]


def test_a_check_that_shows_nothing_is_named():
    lesson = replace(sources()[0], notebook=copy.deepcopy(sources()[0].notebook))
    (cell,) = [c for c in lesson.notebook.cells if c.source.startswith('check("00.1"')]
    for source in (f"result = {cell.source}", f"{cell.source};\nprint()", f"{cell.source}\n" * 2):
        cell.source = source
        with pytest.raises(NbgraderError, match=r"00_start_here: .* exercise 00.1, .* no other"):
            nbgrader_files(sources(), [lesson], ROOT)


def test_the_command_says_what_comes_next(tmp_path):
    result = CliRunner().invoke(app, ["nbgrader", str(tmp_path), "--lessons", "01"])
    assert result.exit_code == 0, result.output
    assert "nbgrader generate_assignment 01_first_tape" in result.output
    assert [path.name for path in (tmp_path / "source").iterdir()] == ["01_first_tape"]
    result = CliRunner().invoke(app, ["nbgrader", str(tmp_path), "--lessons", "first"])
    assert result.exit_code == 1 and "Write two-digit numbers" in result.output


# What the autograder runs in place of check -------------------------------------------------------


def slope(x):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = x**3 - 2 * x
    return tape.gradient(y, x)


@pytest.mark.parametrize(
    ("exercise_id", "answer", "points", "message"),
    [
        ("01.1", slope, "2.0", "at points that the check drew"),
        ("01.1", lambda x: 25.0, "0.0", "the slope changes with x"),
        ("01.1", lambda x: 1 / 0, "0.0", "ZeroDivisionError"),
        ("01.2", (4, 2), "1.0", "the shape of its source"),
        ("01.2", ..., "0.0", "Replace the ..."),
    ],
)
def test_points_are_the_text_and_the_message_is_the_html(exercise_id, answer, points, message):
    result = nbgrader_check.check(exercise_id, answer)
    assert repr(result) == points
    assert message in result._repr_html_()


def test_a_part_of_the_score_is_a_part_of_the_points(monkeypatch):
    half = Judgement("failed", "Half of it.", 0.5)
    monkeypatch.setattr(nbgrader_check, "observe_and_judge", lambda *a: (half, ""))
    assert repr(nbgrader_check.check("01.3", None)) == "1.5"


def test_a_judge_that_was_replaced_in_the_kernel_is_not_asked(monkeypatch):
    monkeypatch.setattr(judging, "assess", lambda *a: Judgement("passed", "", 1.0))
    assert repr(nbgrader_check.check("01.2", (2, 4))) == "0.0"


def test_what_an_answer_writes_is_no_failure_and_no_result(capsys):
    import sys

    def noisy(x):
        print("slope of", x)
        print("a warning", file=sys.stderr)
        sys.displayhook(99)
        return slope(x)

    assert repr(nbgrader_check.check("01.1", noisy)) == "2.0"
    assert capsys.readouterr() == ("", "")

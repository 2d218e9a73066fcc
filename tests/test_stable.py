"""What CHANGELOG.md calls stable: names, and the forms of files, as `tests/stable` holds them.

Where one of these tests fails, people's programs, lessons or files fail with it. To add is fine:
write it down there. To change or to remove takes a new major version.
"""

import inspect
import json
import re
import shutil
from pathlib import Path

import pytest

import course_utils
import gradient_tools
from course_staff.authoring.build import Folders, observe, read_lessons
from course_staff.authoring.questions import Questions
from course_staff.classroom.intake.roster import read_roster
from course_staff.classroom.judging.results import Grading, Row
from course_staff.classroom.reports.gradebook import gradebook_csv, results_jsonl
from course_utils import exercises
from course_utils.workspace.curriculum import find_lesson
from course_utils.workspace.progress import read_progress, record_outcome

STABLE = Path(__file__).with_name("stable")


def signature(thing):
    """Return the names of the parameters, and what those are that may be left out."""
    if not callable(thing):
        return ""
    parameters = inspect.signature(thing).parameters.values()
    plain = [p.replace(annotation=p.empty) for p in parameters]
    return re.sub(r" at 0x\w+", "", str(inspect.Signature(plain)))


def names_of(package, names):
    lines = []
    for name in sorted(names):
        thing = getattr(package, name)
        lines.append(f"{package.__name__}.{name}{signature(thing)}")
        is_used = package is not exercises and inspect.isclass(thing)  # a lesson fills its classes
        for method, code in vars(thing).items() if is_used else ():
            if inspect.isfunction(code) and not method.startswith("_"):
                lines.append(f"{package.__name__}.{name}.{method}{signature(code)}")
    return lines


def test_the_public_names_and_their_parameters():
    own = set(course_utils.__all__) - set(gradient_tools.__all__)
    assert set(gradient_tools.__all__) < set(course_utils.__all__)
    found = [
        *names_of(gradient_tools, gradient_tools.__all__),
        *names_of(course_utils, own),
        *names_of(exercises, exercises.__all__),
    ]
    assert found == (STABLE / "names.txt").read_text(encoding="utf-8").splitlines()


def test_a_lessons_folder_is_read_observed_and_opened(tmp_path):
    folders = Folders(tmp_path)
    shutil.copytree(STABLE / "lessons", folders.lessons)
    folders.table.parent.mkdir(parents=True)
    (lesson,) = read_lessons(folders)
    given = {cell.id: cell.source for cell in lesson.notebook.cells}
    stubs = {i: given[lesson.solution.cells[at].id] for i, at in lesson.exercises.items()}
    assert stubs == {
        "01.1": "def slope(x):\n    # Of the square.\n    raise NotImplementedError",
        "01.2": "# A tuple.\nshape = ...",
        "01.3": "def double(x):\n    # Returns twice x.\n    return x",
    }
    assert any("> - **a**: columns" in cell.source for cell in lesson.notebook.cells)
    seen = []
    observe(lesson, folders, seen.append)
    assert seen == ["01.1", "01.2", "01.3"] == list(Questions(lesson).mistakes)
    assert folders.stored(lesson).exists()


def test_a_progress_file_is_read_and_goes_on(tmp_path, monkeypatch):
    path = tmp_path / "progress.json"
    shutil.copy(STABLE / "progress.json", path)
    monkeypatch.setenv("COURSE_PROGRESS_FILE", str(path))
    kept = json.loads(path.read_text(encoding="utf-8"))
    progress = read_progress()
    assert progress.has_passed("01.1") and not progress.has_passed("01.2")
    assert progress.predictions == {"01.a": "rows"} and not progress.notice
    record_outcome("01.2", "passed", 1.0)
    written = json.loads(path.read_text(encoding="utf-8"))
    assert written["exercises"]["01.2"].keys() >= kept["exercises"]["01.1"].keys()
    assert written["exercises"]["01.1"] == kept["exercises"]["01.1"]
    assert written["version"] == 1 and written["predictions"] == kept["predictions"]


@pytest.fixture
def grading(tmp_path):
    """Return the grading of one lesson of one student, who has a group."""
    (tmp_path / "class.csv").write_text("name,group\nAda,red\n")
    rows = [
        Row(
            student="Ada",
            lesson="00",
            exercise=each.id,
            title="A title",
            outcome="passed",
            message="Yes.",
            points=each.points,
            possible=each.points,
            submission="ada.ipynb",
            submitted="2026-01-02 03:04",
            counts=True,
            mistake="",
            comment="Well seen.",
        )
        for each in find_lesson("00").exercises()
    ]
    return Grading(rows=rows, roster=read_roster(tmp_path / "class.csv"))


@pytest.mark.parametrize(
    ("name", "written"), [("gradebook.csv", gradebook_csv), ("results.jsonl", results_jsonl)]
)
def test_the_tables_of_a_grading(grading, name, written):
    assert written(grading) == (STABLE / name).read_bytes().decode("utf-8")

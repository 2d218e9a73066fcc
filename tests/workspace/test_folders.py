"""The learner's own copy: made anywhere, filled once, and never written over."""

import os
import shutil
import subprocess
from pathlib import Path

import nbformat
import pytest

from course_utils.workspace import folders
from course_utils.workspace.curriculum import LESSONS
from course_utils.workspace.filling import start_workspace
from course_utils.workspace.folders import Workspace, WorkspaceError, find_workspace
from course_utils.workspace.originals import is_as_given, read_notebook, work_in
from course_utils.workspace.progress import progress_path, record_outcome, unsaved

ROOT = Path(__file__).parents[2]
NAME = "01_first_tape.ipynb"
LESSON = LESSONS[1]
ANSWER = "def slope(x):\n    return 2.0 * x  # mine"


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """Return a clone of the course, which git knows, and stand in it."""
    root = tmp_path / "clone"
    shutil.copytree(ROOT / "notebooks", root / "notebooks")
    (root / ".gitignore").write_text(".course/\n/work/\n")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "The lessons"]):
        git(root, *words)
    monkeypatch.chdir(root)
    monkeypatch.delenv("COURSE_PROGRESS_FILE")
    return root


def git(root, *words):
    me = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    done = subprocess.run(["git", *me, *words], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def answer(path, exercise="01.1", text=ANSWER):
    """Type an answer into a notebook, as a learner does."""
    book = nbformat.read(path, as_version=4)
    (cell,) = [c for c in book.cells if c.metadata.get("exercise") == exercise]
    cell.source = text
    nbformat.write(book, path)
    return path.read_bytes()


def contents(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}


def test_in_a_clone_it_is_work_and_holds_every_lesson_as_it_is_given(checkout):
    started = start_workspace()
    assert started.workspace.folder == checkout / "work"
    assert contents(checkout / "work") == contents(checkout / "notebooks")
    assert len(started.copied) == len(LESSONS)
    assert git(checkout, "status", "--porcelain") == ""


def test_what_is_there_is_never_touched_and_what_is_missing_comes_back(checkout):
    start_workspace()
    mine = answer(checkout / "work" / NAME)
    (checkout / "work" / f"{LESSONS[2].name}.ipynb").unlink()
    started = start_workspace()
    assert [path.name for path in started.copied] == [f"{LESSONS[2].name}.ipynb"]
    assert (checkout / "work" / NAME).read_bytes() == mine


@pytest.mark.parametrize("below", ["", "work", "work/deep/er", "notebooks"])
def test_it_is_found_from_everywhere_in_the_clone(checkout, monkeypatch, below):
    start_workspace()
    (checkout / below).mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(checkout / below)
    assert find_workspace() == Workspace(checkout / "work")
    assert progress_path() == checkout / "work" / ".course" / "progress.json"


def test_it_can_be_anywhere(checkout, tmp_path, monkeypatch):
    elsewhere = tmp_path / "gradient tape"
    assert start_workspace(elsewhere).workspace.folder == elsewhere
    monkeypatch.chdir(elsewhere)
    assert find_workspace() == Workspace(elsewhere)
    assert contents(elsewhere) == contents(checkout / "notebooks")


def test_a_folder_that_holds_something_else_is_left_alone(checkout, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.tex").write_text("mine")
    with pytest.raises(WorkspaceError, match="holds something else, such as thesis.tex"):
        start_workspace(other)
    assert contents(other) == {"thesis.tex": b"mine"} and len(list(other.iterdir())) == 1
    with pytest.raises(WorkspaceError, match="is a file"):
        start_workspace(other / "thesis.tex")


def test_notebooks_whose_hidden_folder_was_lost_are_taken_up_again(checkout):
    start_workspace()
    mine = answer(checkout / "work" / NAME)
    shutil.rmtree(checkout / "work" / ".course")
    assert start_workspace().copied == []
    assert (checkout / "work" / NAME).read_bytes() == mine
    assert find_workspace().is_started


def test_outside_any_course_it_must_be_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(WorkspaceError, match="course start ~/gradienttape"):
        start_workspace()
    with pytest.raises(WorkspaceError, match="`course start FOLDER` makes one"):
        folders.require_workspace()
    assert list(tmp_path.iterdir()) == []


def test_work_in_notebooks_is_taken_over_and_the_notebook_put_back(checkout):
    given = (checkout / "notebooks" / NAME).read_bytes()
    mine = answer(checkout / "notebooks" / NAME)
    assert work_in(LESSON.name, checkout) == ["exercise 01.1"]
    started = start_workspace()
    assert [path.name for path in started.taken_over] == [NAME]
    assert (checkout / "work" / NAME).read_bytes() == mine
    assert (checkout / "notebooks" / NAME).read_bytes() == given
    assert start_workspace().taken_over == []


def test_work_from_before_there_were_seals_is_taken_over_with_its_version(checkout):
    path = checkout / "notebooks" / NAME
    book = nbformat.read(path, as_version=4)
    del book.metadata["course"]  # as notebooks were given then
    nbformat.write(book, path)
    git(checkout, "commit", "-qam", "As it was")
    mine = answer(path)
    start_workspace()
    assert (checkout / "work" / NAME).read_bytes() == mine


def test_work_in_both_places_stands_side_by_side(checkout):
    start_workspace()
    first = answer(checkout / "work" / NAME)
    second = answer(checkout / "notebooks" / NAME, text=ANSWER + "\n# another")
    (path,) = start_workspace().taken_over
    assert (checkout / "work" / NAME).read_bytes() == first
    assert path.read_bytes() == second and path.name.startswith("01_first_tape-from-notebooks-")


def test_a_notebook_that_only_ran_in_notebooks_holds_no_work(checkout):
    path = checkout / "notebooks" / NAME
    book = nbformat.read(path, as_version=4)
    book.metadata["language_info"]["version"] = "3.12.1"
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [nbformat.v4.new_output("stream", text="4")], 2
    nbformat.write(book, path)
    assert work_in(LESSON.name, checkout) == []
    assert start_workspace().taken_over == []
    assert all(not c.get("outputs") for c in read_notebook(checkout / "work" / NAME)["cells"])


def test_without_git_work_is_copied_and_stays_where_it_is(checkout):
    shutil.rmtree(checkout / ".git")
    mine = answer(checkout / "notebooks" / NAME)
    started = start_workspace()
    assert (checkout / "notebooks" / NAME).read_bytes() == mine
    assert (checkout / "work" / NAME).read_bytes() == mine
    (trouble,) = started.troubles
    assert NAME in trouble and "work and all" in trouble
    assert start_workspace().troubles == []


def test_progress_from_before_there_were_workspaces_moves_in(checkout):
    earlier = checkout / ".course" / "progress.json"
    earlier.parent.mkdir()
    os.environ["COURSE_PROGRESS_FILE"] = str(earlier)
    record_outcome("01.1", "passed", 1.0)
    del os.environ["COURSE_PROGRESS_FILE"]
    text = earlier.read_text()
    assert progress_path() == earlier
    start_workspace()
    assert progress_path() == checkout / "work" / ".course" / "progress.json"
    assert progress_path().read_text() == text and not earlier.exists()


def test_what_was_checked_after_the_last_save_is_known(checkout):
    workspace = start_workspace().workspace
    path = workspace.notebook(LESSON)
    assert unsaved(workspace, LESSON) == []
    os.utime(path, (1e9, 1e9))
    record_outcome("01.2", "failed", 0.0)
    record_outcome("02.1", "passed", 1.0)
    assert unsaved(workspace, LESSON) == ["01.2"]
    path.touch()
    assert unsaved(workspace, LESSON) == []


def test_it_is_known_also_where_progress_is_kept_elsewhere(checkout, tmp_path, monkeypatch):
    workspace = start_workspace().workspace
    monkeypatch.setenv("COURSE_PROGRESS_FILE", str(tmp_path / "mine.json"))
    os.utime(workspace.notebook(LESSON), (1e9, 1e9))
    record_outcome("01.2", "failed", 0.0)
    assert unsaved(workspace, LESSON) == ["01.2"]


def test_a_notebook_opened_in_notebooks_is_told_where_the_own_copy_is(checkout, monkeypatch):
    assert folders.own_copy(LESSON) == ""
    monkeypatch.chdir(checkout / "notebooks")
    assert f"../work/{NAME}" in folders.own_copy(LESSON)


def test_two_commands_at_once_wait_for_each_other(checkout, monkeypatch):
    monkeypatch.setattr(folders, "_WAIT_SECONDS", 0.05)
    workspace = start_workspace().workspace
    with workspace.locked(), pytest.raises(OSError, match="Another command is at work"):
        start_workspace()


def test_every_notebook_of_the_course_is_sealed():
    for lesson in LESSONS:
        assert is_as_given(read_notebook(ROOT / "notebooks" / f"{lesson.name}.ipynb"))

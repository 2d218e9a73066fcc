"""The learner's own copy: made anywhere, filled once, and never written over."""

import os
import shutil
import subprocess
from pathlib import Path

import nbformat
import pytest

from course_utils.workspace import folders, originals
from course_utils.workspace.curriculum import LESSONS
from course_utils.workspace.filling import start_workspace
from course_utils.workspace.folders import Workspace, WorkspaceError, find_workspace
from course_utils.workspace.originals import is_as_given, read_notebook, typed_cells
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
    with pytest.raises(WorkspaceError, match="contains other files, such as thesis.tex"):
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
    with pytest.raises(WorkspaceError, match="To make one, run `course start FOLDER`"):
        folders.require_workspace()
    assert list(tmp_path.iterdir()) == []


def add_cell(path, source="mine = 1", place=3):
    """Add a cell to a notebook, as JupyterLab does."""
    book = nbformat.read(path, as_version=4)
    book.cells.insert(place, nbformat.v4.new_code_cell(source))
    nbformat.write(book, path)


def test_nothing_starts_while_notebooks_holds_an_answer_or_an_added_cell(checkout):
    path = checkout / "notebooks" / NAME
    add_cell(path)
    assert typed_cells(LESSON.name, checkout) == ["mine = 1"]
    mine = answer(path)
    assert typed_cells(LESSON.name, checkout) == ["mine = 1", "exercise 01.1"]
    said = "notebooks/01_first_tape.ipynb was changed by hand: mine = 1 and exercise 01.1."
    with pytest.raises(WorkspaceError) as refused:
        start_workspace()
    assert said in str(refused.value) and "`git stash`" in str(refused.value)
    assert path.read_bytes() == mine and not (checkout / "work").exists()


@pytest.mark.parametrize("has_git", [True, False])
def test_a_changed_notebook_that_is_moved_into_work_is_gone_on_with(checkout, has_git):
    path = checkout / "notebooks" / NAME
    mine = answer(path)
    if not has_git:
        shutil.rmtree(checkout / ".git")
        assert typed_cells(LESSON.name, checkout) == ["cells differ from the original notebook"]
    with pytest.raises(WorkspaceError, match="move the notebook into `work/`"):
        start_workspace()
    (checkout / "work").mkdir()
    path.rename(checkout / "work" / NAME)
    assert len(start_workspace().copied) == len(LESSONS) - 1
    assert (checkout / "work" / NAME).read_bytes() == mine


def test_after_git_stash_everything_starts_and_the_text_is_in_git(checkout):
    answer(checkout / "notebooks" / NAME)
    git(checkout, "stash")
    start_workspace()
    assert "# mine" in git(checkout, "stash", "show", "--patch")


def test_a_notebook_that_cannot_be_read_is_not_passed_over(checkout):
    (checkout / "notebooks" / NAME).write_text("<<<<<<< HEAD")
    with pytest.raises(WorkspaceError, match="by hand: it is no longer a notebook"):
        start_workspace()


def test_cells_that_were_copied_emptied_or_taken_away_are_no_text_of_anybody(checkout):
    path = checkout / "notebooks" / NAME
    book = nbformat.read(path, as_version=4)
    del book.cells[1]
    book.cells[2].source = ""
    book.cells.append(nbformat.v4.new_code_cell(book.cells[5].source))
    book.cells[4].metadata["collapsed"] = True
    nbformat.write(book, path)
    assert typed_cells(LESSON.name, checkout) == []
    start_workspace()
    given = git(checkout, "show", f"HEAD:notebooks/{NAME}")
    assert (checkout / "work" / NAME).read_text(encoding="utf-8") == given


def test_what_is_typed_into_notebooks_of_another_folder_keeps_nobody_from_starting(
    checkout, tmp_path, monkeypatch
):
    """As the checkout of an installation, from which a hub's students start."""
    answer(checkout / "notebooks" / NAME)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(originals, "notebooks_root", lambda: checkout)
    start_workspace(tmp_path / "home")
    given = git(checkout, "show", f"HEAD:notebooks/{NAME}")
    assert (tmp_path / "home" / NAME).read_text(encoding="utf-8") == given


def test_a_notebook_that_only_ran_in_notebooks_holds_no_work(checkout):
    path = checkout / "notebooks" / NAME
    book = nbformat.read(path, as_version=4)
    book.metadata["language_info"]["version"] = "3.12.1"
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [nbformat.v4.new_output("stream", text="4")], 2
    nbformat.write(book, path)
    assert typed_cells(LESSON.name, checkout) == []
    start_workspace()
    assert all(not c.get("outputs") for c in read_notebook(checkout / "work" / NAME)["cells"])


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
    with workspace.locked(), pytest.raises(OSError, match="Another command is running"):
        start_workspace()


def test_every_notebook_of_the_course_is_sealed():
    for lesson in LESSONS:
        assert is_as_given(read_notebook(ROOT / "notebooks" / f"{lesson.name}.ipynb"))

import shutil
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from course_utils.course.resetting import ResetError, reset, reset_exercise
from course_utils.exercises.exercise import stubs

ROOT = Path(__file__).parents[2]
NAME = "01_first_tape.ipynb"


@pytest.fixture
def copy(tmp_path):
    """Return a working copy in which the learner answered everything and wrote a note."""
    (tmp_path / "notebooks").mkdir()
    shutil.copy(ROOT / "notebooks" / NAME, tmp_path / "notebooks" / NAME)
    notebook = read(tmp_path)
    for cell in notebook.cells:
        if "exercise" in cell.metadata:
            cell.source = "answer = 'mine'"
            cell.execution_count = 7
    notebook.cells.insert(2, nbformat.v4.new_code_cell("my_note = 1"))
    nbformat.write(notebook, tmp_path / "notebooks" / NAME)
    return tmp_path


def read(folder):
    return nbformat.read(folder / "notebooks" / NAME, as_version=4)


def test_one_cell_goes_back_and_every_other_stays(copy):
    before = read(copy)
    kept = reset_exercise("01.3", copy)
    assert kept.read_text() == "answer = 'mine'\n"
    for old, new in zip(before.cells, read(copy).cells, strict=True):
        if new.metadata.get("exercise") == "01.3":
            assert new.source == stubs()["01.3"]["source"]
            assert new.outputs == [] and new.execution_count is None
        else:
            assert new == old


def test_what_the_checks_said_goes_too(copy):
    notebook = read(copy)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [nbformat.v4.new_output("stream", text="Passed")]
            cell.execution_count = 1
    nbformat.write(notebook, copy / "notebooks" / NAME)
    reset_exercise("01.3", copy)
    empty = [c for c in read(copy).cells if c.cell_type == "code" and c.outputs == []]
    assert [c.metadata.get("exercise") for c in empty] == ["01.3", None]
    assert 'check("01.3"' in empty[1].source and empty[1].execution_count is None


@pytest.fixture
def shell(copy, monkeypatch):
    """Stand in the copy's kernel, and return its list of the inputs that ran."""
    ran = []
    history = SimpleNamespace(input_hist_raw=ran)
    shell = SimpleNamespace(history_manager=history)
    monkeypatch.setattr("course_utils.course.resetting.running_shell", lambda: shell)
    (copy / "notebooks" / "00_start_here.ipynb").touch()
    monkeypatch.chdir(copy / "notebooks")
    return ran


def test_a_notebook_that_is_not_saved_is_not_reset(copy, shell, capsys):
    before = read(copy)
    shell.append('reset("01.3")')
    reset("01.3")
    assert "Nothing was reset yet" in capsys.readouterr().out
    assert read(copy) == before
    before.cells.append(nbformat.v4.new_code_cell('reset("01.3")\n'))
    nbformat.write(before, copy / "notebooks" / NAME)
    reset("01.3")
    assert "Your text is kept in" in capsys.readouterr().out
    assert read(copy) != before


def test_texts_of_several_resets_are_all_kept(copy):
    kept = {reset_exercise("01.3", copy) for _ in range(3)}
    assert len(kept) == 3 and all(path.exists() for path in kept)


def test_a_cell_whose_id_changed_is_found_by_its_mark(copy):
    notebook = read(copy)
    for cell in notebook.cells:
        if cell.metadata.get("exercise") == "01.1":
            cell.id = "another"
    nbformat.write(notebook, copy / "notebooks" / NAME)
    assert reset_exercise("01.1", copy).read_text() == "answer = 'mine'\n"
    assert [c for c in read(copy).cells if c.id == "another"][0].source == stubs()["01.1"]["source"]


def test_a_deleted_cell_comes_back_above_its_check(copy):
    notebook = read(copy)
    notebook.cells = [c for c in notebook.cells if c.metadata.get("exercise") != "01.1"]
    nbformat.write(notebook, copy / "notebooks" / NAME)
    assert reset_exercise("01.1", copy) is None
    cells = read(copy).cells
    (index,) = [i for i, c in enumerate(cells) if c.metadata.get("exercise") == "01.1"]
    assert cells[index].source == stubs()["01.1"]["source"]
    assert 'check("01.1"' in cells[index + 1].source


def test_a_deleted_cell_comes_back_in_a_notebook_of_another_editor(copy):
    notebook = read(copy)
    notebook.cells = [c for c in notebook.cells if c.metadata.get("exercise") != "01.2"]
    notebook.nbformat_minor = 4  # whose cells have no ids
    for cell in notebook.cells:
        del cell["id"]
        cell.source = cell.source.replace('check("01.2"', "check('01.2'")
    nbformat.write(notebook, copy / "notebooks" / NAME)
    assert reset_exercise("01.2", copy) is None
    nbformat.validate(read(copy))
    cells = read(copy).cells
    index = [c.metadata.get("exercise") for c in cells].index("01.2")
    assert "check('01.2'" in cells[index + 1].source


def test_a_broken_notebook_is_left_as_it_is(copy):
    (copy / "notebooks" / NAME).write_text("{")
    with pytest.raises(ResetError, match="cannot be read as a notebook"):
        reset_exercise("01.1", copy)
    assert (copy / "notebooks" / NAME).read_text() == "{"


def test_a_missing_notebook_and_an_unknown_exercise_are_said(tmp_path):
    with pytest.raises(ResetError, match="does not exist"):
        reset_exercise("01.1", tmp_path)
    with pytest.raises(LookupError, match="nearest"):
        reset_exercise("01.77", tmp_path)

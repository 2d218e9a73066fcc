import shutil
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from course_utils.exercises.exercise import stubs
from course_utils.resetting import ResetError, reset, reset_exercise

ROOT = Path(__file__).parents[2]
NAME = "01_first_tape.ipynb"


@pytest.fixture
def copy(tmp_path):
    """Return a working copy in which the learner answered everything and wrote a note."""
    shutil.copy(ROOT / "notebooks" / NAME, tmp_path / NAME)
    notebook = read(tmp_path)
    for cell in notebook.cells:
        if "exercise" in cell.metadata:
            cell.source = "answer = 'mine'"
            cell.execution_count = 7
    notebook.cells.insert(2, nbformat.v4.new_code_cell("my_note = 1"))
    nbformat.write(notebook, tmp_path / NAME)
    return tmp_path


def reset_in(folder, exercise):
    return reset_exercise(exercise, folder / NAME, folder / "kept")


def read(folder):
    return nbformat.read(folder / NAME, as_version=4)


def test_one_cell_goes_back_and_every_other_stays(copy):
    before = read(copy)
    kept = reset_in(copy, "01.3")
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
    nbformat.write(notebook, copy / NAME)
    reset_in(copy, "01.3")
    empty = [c for c in read(copy).cells if c.cell_type == "code" and c.outputs == []]
    assert [c.metadata.get("exercise") for c in empty] == ["01.3", None]
    assert 'check("01.3"' in empty[1].source and empty[1].execution_count is None


@pytest.fixture
def shell(copy, monkeypatch):
    """Stand in the copy's kernel, and return its list of the inputs that ran."""
    ran = []
    history = SimpleNamespace(input_hist_raw=ran)
    shell = SimpleNamespace(history_manager=history)
    monkeypatch.setattr("course_utils.resetting.running_shell", lambda: shell)
    monkeypatch.chdir(copy)
    return ran


def test_a_notebook_that_is_not_saved_is_not_reset(copy, shell, capsys):
    before = read(copy)
    shell.append('reset("01.3")')
    reset("01.3")
    assert "Nothing has been reset yet" in capsys.readouterr().out
    assert read(copy) == before
    before.cells.append(nbformat.v4.new_code_cell('reset("01.3")\n'))
    nbformat.write(before, copy / NAME)
    reset("01.3")
    assert "Your version is saved in" in capsys.readouterr().out
    assert read(copy) != before


def test_texts_of_several_resets_are_all_kept(copy):
    kept = {reset_in(copy, "01.3") for _ in range(3)}
    assert len(kept) == 3 and all(path.exists() for path in kept)


def test_a_cell_whose_id_changed_is_found_by_its_mark(copy):
    notebook = read(copy)
    for cell in notebook.cells:
        if cell.metadata.get("exercise") == "01.1":
            cell.id = "another"
    nbformat.write(notebook, copy / NAME)
    assert reset_in(copy, "01.1").read_text() == "answer = 'mine'\n"
    assert [c for c in read(copy).cells if c.id == "another"][0].source == stubs()["01.1"]["source"]


def test_a_deleted_cell_comes_back_above_its_check(copy):
    notebook = read(copy)
    notebook.cells = [c for c in notebook.cells if c.metadata.get("exercise") != "01.1"]
    nbformat.write(notebook, copy / NAME)
    assert reset_in(copy, "01.1") is None
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
    nbformat.write(notebook, copy / NAME)
    assert reset_in(copy, "01.2") is None
    nbformat.validate(read(copy))
    cells = read(copy).cells
    index = [c.metadata.get("exercise") for c in cells].index("01.2")
    assert "check('01.2'" in cells[index + 1].source


def test_a_broken_notebook_is_left_as_it_is(copy):
    (copy / NAME).write_text("{")
    with pytest.raises(ResetError, match="cannot be read as a notebook"):
        reset_in(copy, "01.1")
    assert (copy / NAME).read_text() == "{"


def test_a_missing_notebook_and_an_unknown_exercise_are_said(tmp_path):
    with pytest.raises(ResetError, match="There is no notebook .*this name again"):
        reset_in(tmp_path, "01.1")
    with pytest.raises(LookupError, match="nearest"):
        reset_in(tmp_path, "01.77")


def test_a_renamed_notebook_is_reset_by_the_name_that_jupyter_gives(
    copy, shell, monkeypatch, capsys
):
    renamed = (copy / NAME).rename(copy / "mine.ipynb")
    shell.append("")
    reset("01.3")
    assert "If you renamed yours" in capsys.readouterr().out
    monkeypatch.setenv("JPY_SESSION_NAME", str(renamed))
    notebook = nbformat.read(renamed, as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell('reset("01.3")'))
    nbformat.write(notebook, renamed)
    shell.append('reset("01.3")')
    reset("01.3")
    assert "Your version is saved in" in capsys.readouterr().out


def test_an_exercise_that_is_not_there_is_a_sentence_in_a_notebook(shell, capsys):
    reset("99.1")
    assert "There is no exercise '99.1'" in capsys.readouterr().out

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from typer.testing import CliRunner

from course_utils.cli import app
from course_utils.workspace.curriculum import all_exercises
from course_utils.workspace.filling import start_workspace
from course_utils.workspace.originals import read_notebook, seal, text_of
from course_utils.workspace.progress import record_outcome

ROOT = Path(__file__).parents[2]


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """Return a folder with the notebooks, which has no lesson sources, and stand in it."""
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COURSE_PROGRESS_FILE")
    return tmp_path


@pytest.fixture
def work(copy):
    """Return the workspace that was started in it."""
    return start_workspace().workspace.folder


def run(*arguments):
    return CliRunner().invoke(app, arguments)


def test_help_teaches_every_command():
    text = run("--help").output
    for command in ("lab", "start", "update", "status", "reset", "doctor", "build", "grade"):
        assert command in text
        assert len(run(command, "--help").output) > 150


def test_status_shows_what_is_passed_and_what_is_next(copy):
    record_outcome("01.1", "passed", 1.0)
    record_outcome("01.2", "failed", 0.0)
    result = run("status")
    assert result.exit_code == 0
    (line,) = [line for line in result.output.splitlines() if "The first tape" in line]
    assert "1 of 5" in line and "2 of 11" in line
    assert re.search(r"1 of \d+ exercises passed, 2 of \d+ points", result.output)
    assert "Next: 01.2 The shape of a gradient, in work/01_first_tape" in result.output
    record_outcome("01.2", "passed", 1.0)
    assert "2 of 5" in run("status").output


def test_status_says_that_a_damaged_file_was_set_aside(copy):
    (copy / "work" / ".course").mkdir(parents=True)
    (copy / "work" / ".course" / "progress.json").write_text("{")
    assert "could not be read. It is kept as progress.damaged-" in run("status").output


def test_status_of_a_folder_that_is_in_the_way_is_a_sentence(copy):
    (copy / "work" / ".course" / "progress.json").mkdir(parents=True)
    result = run("status")
    assert result.exit_code == 1 and "Is a directory" in result.output


def test_reset_says_where_the_old_text_is(work):
    result = run("reset", "01.1")
    assert result.exit_code == 0
    (kept,) = (work / ".course" / "kept").iterdir()
    assert kept.name in result.output and "Reload Notebook from Disk" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("reset", "01.9"), "There is no exercise '01.9'"),
        (("reset", "01.1"), "To make one, run `course start`."),
        (("update",), "To make one, run `course start`."),
        (("build",), "There are no lessons in"),
    ],
)
def test_an_expected_mistake_is_a_sentence_and_status_1(copy, arguments, message):
    result = run(*arguments)
    assert result.exit_code == 1
    assert message in result.output and "Traceback" not in result.output


def test_lab_outside_a_working_copy_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("lab")
    assert result.exit_code == 1 and "`course start ~/gradienttape`" in result.output


def test_a_path_is_said_as_it_is(tmp_path, monkeypatch):
    folder = tmp_path / "a [red] :smile: b"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert folder.name in run("lab").output and folder.name in run("reset", "01.1").output


@pytest.fixture
def started(monkeypatch):
    """Return the calls of JupyterLab, each its command and its environment."""
    calls = []

    def run_lab(command, folder, environment):
        calls.append((command, environment))
        return 0

    monkeypatch.setattr("course_utils.lab.run_lab", run_lab)
    return calls


def test_lab_passes_options_and_puts_course_on_the_path(copy, started):
    assert run("lab", "--no-browser", "--port", "8899").exit_code == 0
    ((command, environment),) = started
    assert f"--ServerApp.root_dir={copy}" in command
    assert command[-3:] == ["--no-browser", "--port", "8899"]
    assert environment["PATH"].split(os.pathsep)[0] == str(Path(sys.executable).parent)
    settings = Path(environment["JUPYTER_CONFIG_PATH"].split(os.pathsep)[0]) / "labconfig"
    assert "fetchNews" in (settings / "default_setting_overrides.json").read_text()


def test_lab_opens_the_lesson_of_the_next_exercise_and_at_the_end_a_page(copy, started):
    def opened():
        assert run("lab").exit_code == 0
        command, _ = started.pop()
        (page,) = [part for part in command if part.startswith("--LabApp.default_url")]
        return page.partition("/lab/tree/")[2]

    assert opened() == "work/00_start_here.ipynb"
    record_outcome("02.1", "passed", 1.0)
    assert opened() == "work/02_watching.ipynb"
    for exercise in all_exercises():
        record_outcome(exercise.id, "passed", 1.0)
    assert opened() == "work/finished.html"
    page = copy / "work" / "finished.html"
    assert "You have passed every exercise" in page.read_text(encoding="utf-8")


def test_lab_opens_a_workspace_that_stands_alone(copy, tmp_path_factory, started, monkeypatch):
    folder = tmp_path_factory.mktemp("own") / "gradienttape"
    assert run("start", str(folder)).exit_code == 0
    monkeypatch.chdir(folder)
    assert run("lab").exit_code == 0
    ((command, _),) = started
    assert f"--ServerApp.root_dir={folder}" in command
    assert "--LabApp.default_url=/lab/tree/00_start_here.ipynb" in command


def test_start_says_what_it_did_and_what_is_next(copy, tmp_path_factory):
    result = run("start")
    assert "22 lessons copied to work." in result.output
    assert "Next: `course lab` opens JupyterLab there." in result.output
    assert "work has every lesson" in run("start").output
    folder = tmp_path_factory.mktemp("own tape") / "gradienttape"
    result = run("start", str(folder))
    assert re.search(r"Next: cd '.*own tape.*/gradienttape' && course lab", result.output)
    assert "contains other files" in run("start", str(folder.parent)).output


@pytest.mark.parametrize("lesson", ["21", "21_project"])
def test_start_takes_a_folder_and_no_lesson(copy, lesson):
    result = run("start", lesson)
    assert result.exit_code == 2 and not (copy / lesson).exists()
    assert f"{lesson} is a lesson" in " ".join(result.output.split())


def add_cell(path, source="mine = 1", place=3):
    """Add a cell to a notebook, as JupyterLab does."""
    book = nbformat.read(path, as_version=4)
    book.cells.insert(place, nbformat.v4.new_code_cell(source))
    nbformat.write(book, path)
    return path.read_bytes()


def test_a_workspace_with_an_added_cell_starts_opens_and_is_updated(copy, work, started):
    path = work / "01_first_tape.ipynb"
    mine = add_cell(path)
    assert "work has every lesson" in run("start").output
    assert run("lab").exit_code == 0 and len(started) == 1
    assert path.read_bytes() == mine
    book = read_notebook(copy / "notebooks" / "01_first_tape.ipynb")
    book["cells"][0]["source"] += "\n\nThis was corrected."
    seal(book)
    (copy / "notebooks" / "01_first_tape.ipynb").write_text(text_of(book))
    assert "1 updated" in run("update").output
    sources = [cell["source"] for cell in read_notebook(path)["cells"]]
    assert "mine = 1" in sources and "This was corrected." in sources[0]


@pytest.mark.parametrize("command", ["start", "lab"])
def test_an_added_cell_in_notebooks_is_said_and_stays(copy, started, command):
    mine = add_cell(copy / "notebooks" / "01_first_tape.ipynb")
    result = run(command)
    assert result.exit_code == 1 and not started and not (copy / "work").exists()
    assert "notebooks/01_first_tape.ipynb was changed by hand" in result.output
    assert (copy / "notebooks" / "01_first_tape.ipynb").read_bytes() == mine


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """Return a clone of the course."""
    folder = tmp_path_factory.mktemp("clone") / "course"
    ignored = shutil.ignore_patterns(".*", "build", "work", "__pycache__")
    return shutil.copytree(ROOT, folder, ignore=ignored)


@pytest.mark.parametrize("words", [("build",), ("build", "--check")])
def test_a_build_says_which_cell_was_added_in_notebooks_and_leaves_it(clone, monkeypatch, words):
    monkeypatch.chdir(clone)
    given = (clone / "notebooks" / "01_first_tape.ipynb").read_bytes()
    mine = add_cell(clone / "notebooks" / "01_first_tape.ipynb")
    result = run(*words, "01")
    assert result.exit_code == 1
    text = " ".join(result.output.split())
    assert "notebooks/01_first_tape.ipynb" in text and "was changed by hand: mine = 1." in text
    assert (clone / "notebooks" / "01_first_tape.ipynb").read_bytes() == mine
    (clone / "notebooks" / "01_first_tape.ipynb").write_bytes(given)


def test_a_build_does_not_look_at_work(clone, monkeypatch):
    monkeypatch.chdir(clone)
    monkeypatch.delenv("COURSE_PROGRESS_FILE")
    assert run("start").exit_code == 0
    add_cell(clone / "work" / "01_first_tape.ipynb")
    assert run("build", "--check", "01").exit_code == 0
    assert "1 unchanged" in run("build", "01").output


def test_what_was_corrected_is_said_and_comes_by_one_command(copy, work, started):
    path = copy / "notebooks" / "01_first_tape.ipynb"
    book = read_notebook(path)
    book["cells"][0]["source"] += "\n\nThis was corrected."
    seal(book)
    path.write_text(text_of(book))
    said = "Lesson 01 was corrected after you began; `course update` merges the corrections"
    assert said in run("status").output and said in run("lab").output
    dry = run("update", "--dry-run").output
    assert "01_first_tape.ipynb: 1 updated" in dry
    assert "    updated: # 01 · The first tape" in dry
    assert "corrected" not in (work / "01_first_tape.ipynb").read_text()
    assert "`course update --undo`" in run("update").output
    assert "This was corrected." in (work / "01_first_tape.ipynb").read_text()
    assert "Every lesson is up to date" in run("update").output
    assert said not in run("status").output
    assert "01_first_tape.ipynb was restored" in run("update", "--undo").output
    assert "There is no update to undo" in run("update", "--undo").output


def test_an_update_that_leaves_a_notebook_out_says_so_and_ends_with_status_1(copy, work):
    (work / "01_first_tape.ipynb").write_text("{")
    result = run("update")
    assert result.exit_code == 1 and "cannot be read as a notebook" in result.output


WAITS_FOR_ITS_END = """
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
print("started", flush=True)
print("ended" if signal.sigtimedwait({signal.SIGTERM}, 100) else "left alone", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows ends a process without asking it")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_ends_the_command_ends_jupyterlab(copy, number):
    (copy / "jupyterlab.py").write_text(WAITS_FOR_ITS_END)  # found before the real one
    command = [sys.executable, "-m", "course_utils", "lab"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as lab:
        assert lab.stdout.readline() == "started\n"
        lab.send_signal(number)
        assert lab.stdout.read() == "ended\n"
    assert lab.returncode == 0


@pytest.fixture
def healthy(copy, work, monkeypatch):
    monkeypatch.setenv("COURSE_DATA_DIR", "")
    monkeypatch.setattr("course_utils.doctor.mnist_source", lambda: ("stand-in", None))
    return copy


def failure_and_remedy(output):
    lines = output.splitlines()
    (index,) = [i for i, line in enumerate(lines) if line.startswith("FAILED")]
    return lines[index : index + 2]


def test_doctor_finds_a_healthy_copy_well(healthy):
    result = run("doctor")
    assert result.exit_code == 0, result.output
    for subject in ("Python", "TensorFlow", "Device", "MNIST", "Notebooks", "Progress"):
        assert subject in result.output
    assert "FAILED" not in result.output


def test_doctor_names_a_missing_notebook(healthy):
    (healthy / "work" / "01_first_tape.ipynb").unlink()
    result = run("doctor")
    assert result.exit_code == 1
    line, remedy = failure_and_remedy(result.output)
    assert "01_first_tape" in line and "`course start`, which copies what is missing" in remedy
    run("start")
    assert run("doctor").exit_code == 0


def test_doctor_outside_any_copy_says_where_to_go(tmp_path_factory, healthy, monkeypatch):
    monkeypatch.chdir(tmp_path_factory.mktemp("nowhere"))
    assert "Change into your copy of the lessons" in failure_and_remedy(run("doctor").output)[1]


def test_doctor_names_a_damaged_mnist(copy, work, monkeypatch):
    (copy / "mnist.npz").write_bytes(b"PK\x03\x04 cut off")
    monkeypatch.setenv("COURSE_DATA_DIR", str(copy))
    result = run("doctor")
    assert result.exit_code == 1
    line, remedy = failure_and_remedy(result.output)
    assert "MNIST" in line and "mnist.npz" in line and "Delete" in remedy


def test_doctor_names_a_progress_file_that_cannot_be_written(healthy, monkeypatch):
    (healthy / "file").touch()
    monkeypatch.setenv("COURSE_PROGRESS_FILE", str(healthy / "file" / "progress.json"))
    result = run("doctor")
    assert result.exit_code == 1 and "COURSE_PROGRESS_FILE" in result.output
    monkeypatch.setenv("COURSE_PROGRESS_FILE", str(healthy))
    result = run("doctor")
    assert result.exit_code == 1 and "Is a directory" in result.output


def test_an_examination_that_fails_is_a_row_and_not_a_traceback(healthy, monkeypatch):
    def broken():
        raise RuntimeError("no such device")

    monkeypatch.setattr("course_utils.doctor._device", broken)
    result = run("doctor")
    assert result.exit_code == 1 and "RuntimeError: no such device" in result.output


def test_the_installed_command_checks_the_build_without_tensorflow(tmp_path):
    # The check compares texts: neither the command nor a kernel of its own may start TensorFlow.
    (tmp_path / "tensorflow.py").write_text("raise ImportError('it was imported')")
    command = [Path(sys.executable).parent / "course", "build", "01", "--check"]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr

"""What ``start_lesson`` does in a kernel: signs of life, cells that run again, interrupts."""

import os

import nbformat
import pytest
from nbclient import NotebookClient

START = "from course_utils import start_lesson\nstart_lesson('01')\nimport tensorflow as tf"
TRACED = "f = tf.function(lambda x: x)\nf(1)"
RETRACED = "g = tf.function(lambda x: x + 1)\nfor i in range(6):\n    g(i)"
ENDLESS = """\
import os, signal, threading
@tf.function
def endless():
    x = 0.0
    while x < 1.0:
        x *= 0.5
    return x
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
endless()"""

SLOW = """\
import time
from course_utils import check
def slope(x):
    time.sleep(3)
    print('printed by the answer')
    raise ValueError
check('01.1', slope)"""

TYPED = "def slope(x):\n    return 3.0"
MISTYPED = "def slope(x)\n    return 4.0"
CHECK = "check('01.1', slope)"
STATUS = "from course_utils import status\nstatus()"


@pytest.fixture(scope="module")
def cells(tmp_path_factory, kernel_settings):
    """Return the cells of a notebook after they ran, the one that is traced six times over."""
    sources = [START, *[TRACED] * 6, RETRACED, ENDLESS, "print('goes on')", ENDLESS, SLOW, STATUS]
    sources += [TYPED, MISTYPED, CHECK, TYPED, CHECK]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in sources])
    folder = tmp_path_factory.mktemp("notebook")
    client = NotebookClient(
        notebook,
        timeout=120,
        allow_errors=True,
        config=kernel_settings,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute(env=os.environ | {"COURSE_PROGRESS_FILE": str(folder / "progress.json")})
    return notebook.cells


def shown(cell):
    return "".join(str(output) for output in cell.outputs)


def test_the_start_leaves_the_versions_and_the_exercises(cells):
    said, bar = cells[0].outputs
    assert said.text.startswith("Lesson 01 · The first tape") and "starts" not in said.text
    assert "Start with Exercise 01.1" in bar.data["text/plain"]
    assert "01.4" in bar.data["text/html"]


def test_a_cell_that_runs_again_is_not_warned_of_and_one_that_traces_is(cells):
    assert not any("retracing" in shown(cell) for cell in cells[1:7])
    assert "triggered tf.function retracing" in shown(cells[7])


@pytest.mark.skipif(os.name == "nt", reason="there are no signals")
def test_an_interrupt_ends_a_loop_in_a_graph_and_the_next_cell_runs(cells):
    for cell in (cells[8], cells[10]):
        (error,) = [output for output in cell.outputs if output.output_type == "error"]
        assert error.ename == "KeyboardInterrupt"
    assert shown(cells[9]).count("goes on") == 1


def test_a_check_says_when_the_last_cell_of_its_answer_could_not_be_read(cells):
    after_a_typo, after_it_was_mended = (shown(cells[i]) for i in (15, 17))
    said = "Python could not read the cell that defines `slope` (expected ':', line 1)"
    assert (
        said.replace("\\", "") in after_a_typo.replace("\\", "") and "earlier run" in after_a_typo
    )
    assert "✗" in after_it_was_mended and "could not read" not in after_it_was_mended


def test_a_check_that_takes_long_says_so_before_its_result(cells):
    said, result = cells[11].outputs
    assert said.text.startswith("Your answer is running.") and "printed" not in said.text
    assert "raised ValueError" in result.data["text/plain"]


def test_the_status_is_one_output_with_the_table_in_its_text(cells):
    (result,) = cells[12].outputs
    assert "The first tape" in result.data["text/plain"]
    assert "data:image/svg+xml" in result.data["text/html"]

"""What a lesson says of a training does not hold of an untrained model."""

import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from course_utils.workspace.curriculum import LESSONS

SCRIPT = Path(__file__).with_name("untrained_notebook.py")

# How the cells begin whose training no assertion needs, and why.
UNMISSED = {
    "10": {"def batch_by_batch(step):": "only the time of its steps is looked at"},
    "21": {
        "def trial_model():": "the loss before the step is compared",
        "# Train here, with the functions above.": "the check of the exercise looks at it",
    },
}


def told_of(notebook):
    result = subprocess.run(
        [sys.executable, SCRIPT, notebook], capture_output=True, text=True, check=True
    )
    return json.loads(result.stdout)


@pytest.mark.parametrize("lesson", LESSONS[8:], ids=lambda lesson: lesson.number)
def test_each_training_is_missed_where_nothing_is_trained(lesson, pytestconfig):
    trained, unmissed = told_of(pytestconfig.rootpath / "solutions" / f"{lesson.name}.ipynb")
    held = {cell: texts for cell, texts in unmissed}
    assert trained > 0 and held.keys() == UNMISSED.get(lesson.number, {}).keys(), held


def test_an_assertion_that_an_untrained_model_passes_is_found(tmp_path):
    start = "import keras, tensorflow as tf  # as start_lesson("
    step = "w = tf.Variable(1.0)\nkeras.optimizers.SGD(0.1).apply([tf.constant(1.0)], [w])"
    cells = [
        start,
        f"{step}\nassert w < 1 and w > 0",
        f"# two\n{step}\nassert w > 0",
        "assert w < 2",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    nbformat.write(notebook, tmp_path / "case.ipynb")
    assert told_of(tmp_path / "case.ipynb") == [2, [["# two", ["w > 0", "w < 2"]]]]

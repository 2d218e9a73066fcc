"""What a lesson says of a training does not hold of an untrained model."""

import multiprocessing

import nbformat
import pytest
from untrained_notebook import unmissed

from course_utils.workspace.curriculum import LESSONS

_TIMED = (
    "without_xla = make_weighted_step(new_model(), keras.optimizers.SGD(0.1), jit_compile=False)"
)

# How the cells begin whose training no assertion needs, and why.
UNMISSED = {
    "10": {
        "def batch_by_batch(step):": "only the time counts",
    },
    "14": {
        "strength = tf.Variable(0.0)": "its rate is 0: the data change, and the loss shows them"
    },
    "20": {_TIMED: "only the time of its steps is looked at"},
    "21": {
        "def trial_model():": "the loss before the step is compared",
        "# Train here, with the functions above.": "the check of the exercise looks at it",
    },
}


@pytest.fixture(scope="module")
def pool():
    """Run each notebook in a process of its own, in which TensorFlow is imported already."""
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["keras", "course_utils"])
    with processes.Pool(1, maxtasksperchild=1) as pool:
        yield pool


@pytest.mark.parametrize("lesson", LESSONS[8:], ids=lambda lesson: lesson.number)
def test_each_training_is_missed_where_nothing_is_trained(lesson, pool, pytestconfig):
    path = pytestconfig.rootpath / "solutions" / f"{lesson.name}.ipynb"
    trained, found = pool.apply(unmissed, (path,))
    held = dict(found)
    assert trained > 0 and held.keys() == UNMISSED.get(lesson.number, {}).keys(), held


def test_an_assertion_that_an_untrained_model_passes_is_found(pool, tmp_path):
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
    found = pool.apply(unmissed, (tmp_path / "case.ipynb",))
    assert found == (2, [("# two", ["w > 0", "w < 2"])])

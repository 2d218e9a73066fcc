import os
import subprocess
import sys

import pytest

from course_utils.workspace.curriculum import LESSONS

START = "from course_utils import start_lesson; start_lesson('01'); import tensorflow as tf\n"
DRAW = (
    "import random, keras, numpy as np\n"
    "print(random.random(), np.random.normal(), tf.random.normal([]).numpy(), "
    "keras.random.normal(()).numpy())\n"
)


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=120,
    )


@pytest.fixture(scope="module")
def started():
    work = "x = tf.ones((2, 2)) @ tf.random.normal((2, 1)); tf.transpose(tf.constant([[1, 2]]))"
    return run(START + DRAW + work)


def test_tensorflow_starts_without_a_line_of_noise(started):
    assert started.returncode == 0
    assert started.stderr == ""


@pytest.fixture(scope="module")
def started_again():
    jacobians = (
        "x = tf.Variable([1.0, 2.0])\n"
        "for _ in range(6):\n"
        "    with tf.GradientTape() as tape:\n"
        "        y = x**2\n"
        "    tape.jacobian(y, x)\n"
    )
    own = "f = tf.function(lambda x: x)\nfor i in range(6): f(i)\n"
    return run(START + DRAW + jacobians + "import sys; print('own', file=sys.stderr)\n" + own)


def test_retracing_is_reported_for_the_learners_functions_and_not_for_jacobians(started_again):
    of_jacobians, of_own = started_again.stderr.split("own\n", 1)
    assert of_jacobians == "" and "triggered tf.function retracing" in of_own


def test_two_lines_that_fit_say_what_is_running(started):
    lesson, versions, _ = started.stdout.splitlines()
    assert lesson == "Lesson 01 · The first tape"
    assert all(part in versions for part in ("Python 3.", "TensorFlow 2.", "Keras 3."))
    # What fits beside JupyterLab's list of files in a window of 1000 pixels.
    assert max(len(lesson), len(versions), *(len(each.title) + 12 for each in LESSONS)) <= 70


def test_every_generator_is_seeded(started, started_again):
    drawn = started.stdout.splitlines()[-1]
    assert len([float(number) for number in drawn.split()]) == 4
    assert started_again.stdout.splitlines()[-1] == drawn


def test_a_dataset_loop_in_a_graph_is_quiet_however_its_thread_ends(tmp_path):
    loops = (
        "def total(dataset):\n"
        "    result = 0.0\n"
        "    for x in dataset:\n"
        "        result += x\n"
        "    return result\n"
        "f = tf.function(total)\n"
        "for _ in range(100): f(tf.data.Dataset.from_tensors(1.0))\n"
    )
    # In a file, because AutoGraph reads the source of a function.
    (tmp_path / "loops.py").write_text(START + loops)
    result = run("import loops", PYTHONPATH=os.pathsep.join([str(tmp_path), *sys.path]))
    assert result.returncode == 0
    assert result.stderr == ""


def test_what_tensorflow_wrote_is_shown_when_it_fails(tmp_path):
    (tmp_path / "tensorflow").mkdir()
    broken = "import os; os.write(2, b'no such device'); raise ImportError('broken')"
    (tmp_path / "tensorflow" / "__init__.py").write_text(broken)
    result = run(
        "from course_utils.tensorflow_start import quiet_tensorflow as start; start()",
        PYTHONPATH=str(tmp_path),
    )
    assert result.returncode != 0
    assert "no such device" in result.stderr and "ImportError: broken" in result.stderr


def test_an_unknown_lesson_is_said_in_a_sentence():
    from course_utils import start_lesson

    with pytest.raises(LookupError, match="There is no lesson '1'. Lessons have two digits"):
        start_lesson("1")


def test_importing_the_package_imports_nothing_that_takes_long():
    code = (
        "import sys, course_utils\n"
        "print({'tensorflow', 'keras', 'matplotlib', 'numpy'} & set(sys.modules))"
    )
    assert run(code).stdout.strip() == "set()"


def test_every_public_name_loads_and_an_unknown_one_is_an_attribute_error():
    import course_utils

    for name in course_utils.__all__:
        assert callable(getattr(course_utils, name))
        assert name in dir(course_utils)
    with pytest.raises(AttributeError, match="no attribute 'plot_nothing'"):
        _ = course_utils.plot_nothing

"""Notebooks as learners hand them in: short ones, with the cells that grading looks at."""

import json
import shutil
import tempfile
from pathlib import Path

from course_staff.classroom import grading
from course_staff.classroom.intake import submissions as intake
from course_utils.exercises.exercise import stubs

ROOT = Path(__file__).parents[2]
NAMES = {"00": "00_start_here", "01": "01_first_tape"}
SETUP = "import numpy as np\nimport tensorflow as tf\nfrom course_utils import check"

RIGHT = {
    "00.1": "steepness = 6.0",
    "00.2": "def rate_of_change(f, x, h):\n    return (f(x + h) - f(x)) / h",
    "00.3": "def mean_squared_error(y_hat, y):\n    return tf.reduce_mean((y_hat - y) ** 2)",
    "01.1": "def slope(x):\n"
    "    x = tf.Variable(x)\n"
    "    with tf.GradientTape() as tape:\n"
    "        y = x**3 - 2 * x\n"
    "    return tape.gradient(y, x)",
    "01.2": "gradient_shape = (4, 2)",
    "01.3": "def loss_gradients(params, x, y):\n"
    "    with tf.GradientTape() as tape:\n"
    "        loss = tf.reduce_mean((x @ params['W'] + params['b'] - y) ** 2)\n"
    "    return tape.gradient(loss, params)",
    "01.4": "def gradient_of_w(w, x, y):\n"
    "    with tf.GradientTape() as tape:\n"
    "        loss = tf.reduce_mean((w * x - y) ** 2)\n"
    "    return tape.gradient(loss, w)",
    "01.5": "def walk_back(recorded, target):\n"
    "    gradients = [float(place == target) for place in range(len(recorded))]\n"
    "    for place in range(target, -1, -1):\n"
    "        for source, slope in recorded[place]:\n"
    "            gradients[source] += gradients[place] * slope\n"
    "    return gradients",
}
ANSWER_NAMES = {
    "00.1": "steepness",
    "00.2": "rate_of_change",
    "00.3": "mean_squared_error",
    "01.1": "slope",
    "01.2": "gradient_shape",
    "01.3": "loss_gradients",
    "01.4": "gradient_of_w",
    "01.5": "walk_back",
}


def find_submissions(folder, results=None, roster=None):
    """Find what was handed in; what archives held can be read until the next call."""
    shutil.rmtree(UNPACKED, ignore_errors=True)
    return intake.find_submissions(folder, UNPACKED, results, roster)


UNPACKED = Path(tempfile.mkdtemp(prefix="course-"), "unpacked")


def grade(submissions, out, watcher=None, **options):
    """Grade a class with these options."""
    return grading.grade(grading.Options(submissions, out, **options), watcher)


def code(source, **keys):
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], **keys}


def as_bytes(cells):
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook).encode()


def cells_of(lesson, answers, with_checks=True):
    """Return setup, the exercises' cells with these answers or the stub's, and their checks."""
    cells = [code(SETUP)]
    for exercise_id, stub in stubs().items():
        if exercise_id.startswith(lesson):
            source = answers.get(exercise_id, stub["source"])
            mark = {"metadata": {"exercise": exercise_id}, "id": stub["cell"]}
            cells.append(code(source, **mark))
            if with_checks:
                cells.append(code(f'check("{exercise_id}", {ANSWER_NAMES[exercise_id]})'))
    return cells


def notebook(lesson, answers=None, before=(), after=(), with_checks=True):
    """Return a notebook of one lesson, with cells before and after everything else."""
    middle = cells_of(lesson, answers or {}, with_checks)
    return as_bytes([*map(code, before), *middle, *map(code, after)])


def solution(lesson):
    return (ROOT / "solutions" / f"{NAMES[lesson]}.ipynb").read_bytes()


def given(lesson):
    return (ROOT / "notebooks" / f"{NAMES[lesson]}.ipynb").read_bytes()

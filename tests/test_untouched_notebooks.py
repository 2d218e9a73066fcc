"""Learners' notebooks as they are handed out: they run from top to bottom, with nothing attempted.

All of their cells but the exercises' are those of the worked notebooks, which are run as they are,
and no such cell uses what an exercise defines. So only the exercises and their checks are run here.
"""

import linecache

import nbformat
import numpy as np
import pytest
import tensorflow as tf

from course_utils import check, predict
from course_utils.workspace.curriculum import LESSONS
from course_utils.workspace.progress import read_progress


def cells(root, folder, name):
    return nbformat.read(root / folder / f"{name}.ipynb", as_version=4).cells


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.number)
def test_exercises_are_not_attempted_and_all_else_is_as_in_the_worked_notebook(
    lesson, pytestconfig, tmp_path, monkeypatch
):
    monkeypatch.setenv("COURSE_PROGRESS_FILE", str(tmp_path / "progress.json"))
    root = pytestconfig.rootpath
    namespace = {"check": check, "predict": predict, "np": np, "tf": tf}
    # The cells that assert the claims stand in the worked notebook alone.
    solution = [
        cell
        for cell in cells(root, "solutions", lesson.name)
        if "claims" not in cell.metadata.get("tags", [])
    ]
    pairs = zip(cells(root, "notebooks", lesson.name), solution, strict=True)
    next(pairs)  # the title, below which a solution says what it is
    for given, worked in pairs:
        is_exercise = "exercise" in given.metadata
        is_prediction = given.source.startswith("predict(")
        assert is_exercise or is_prediction or given.source == worked.source
        if is_exercise or is_prediction or given.source.startswith("check("):
            # As in a notebook, the source can be read again, which AutoGraph needs.
            linecache.cache[given.id] = (0, None, given.source.splitlines(True), given.id)
            exec(compile(given.source, given.id, "exec"), namespace)
    progress = read_progress()
    assert progress.predictions == {}
    outcomes = {i: entry["outcome"] for i, entry in progress.exercises.items()}
    assert outcomes == {e.id: "not attempted" for e in lesson.exercises()}

"""Mistakes that a class taught the course: programs of students, run in the sandbox alone.

They stand beside a lesson's gallery, in ``learned.jsonl``, and are observed on a grading's inputs
as a submission is.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from course_utils.exercises.exercise import stubs
from course_utils.workspace.curriculum import find_lesson

from ..running.fork_server import Runner
from .behaviors import Taught, read_records

__all__ = ["Observe", "learned_of", "learned_path", "observed_in_sandbox"]

# Takes an exercise, a program's source and a seed, and returns what it did, or None.
Observe = Callable[[str, str, int], Any]

_SETUP = "import math\n\nimport keras\nimport numpy as np\nimport tensorflow as tf\n"


class _OneAnswer:
    """Asks for one exercise on one seed, and keeps what came back."""

    def __init__(self, exercise_id: str, seed: int):
        self._exercise, self._seed = exercise_id, seed
        self.observation: Any = None

    def seed(self, exercise_id: str) -> int:
        return self._seed

    def take(self, exercise_id: str, seed: int, observation: Any) -> None:
        if exercise_id == self._exercise:
            self.observation = observation


def learned_path(lessons: Path, exercise_id: str) -> Path:
    """Return the file that holds what was learned about a lesson's exercises."""
    return lessons / find_lesson(exercise_id[:2]).name / "learned.jsonl"


def learned_of(lessons: Path, exercise_id: str) -> list[Taught]:
    """Return what was learned about one exercise."""
    every = read_records(learned_path(lessons, exercise_id), Taught)
    return [taught for taught in every if taught.exercise == exercise_id]


def observed_in_sandbox(server: Runner, exercise_id: str, program: str, seed: int) -> Any:
    """Return what a program did when it was called on a seed's inputs; None if it did not end."""
    mark = {"exercise": exercise_id}
    cells = [_code(_SETUP, {}), _code(program, mark) | {"id": stubs()[exercise_id]["cell"]}]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    answer = _OneAnswer(exercise_id, seed)
    job = {"lesson": exercise_id[:2], "without": [], "shown": []}
    server.run(job, json.dumps(notebook).encode(), answer)
    return answer.observation


def _code(source: str, metadata: dict) -> dict:
    return {"cell_type": "code", "metadata": metadata, "source": source, "outputs": []}

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
from .behaviours import Taught, read_lines

__all__ = [
    "Observations",
    "Observe",
    "code_cell",
    "learned_of",
    "learned_path",
    "notebook_of",
    "observed_in_jail",
]

# Takes an exercise, a program's source and a seed, and returns what it did, or None.
Observe = Callable[[str, str, int], Any]

_SETUP = "import math\n\nimport keras\nimport numpy as np\nimport tensorflow as tf\n"


class Observations:
    """Asks for one exercise on one seed, and keeps what came back, in its order."""

    def __init__(self, exercise_id: str, seed: int):
        self._exercise, self._seed = exercise_id, seed
        self.found: list[Any] = []

    def seed(self, exercise_id: str) -> int:
        """Return the seed, whatever is asked for."""
        return self._seed

    def take(self, exercise_id: str, seed: int, observation: Any) -> None:
        """Keep what the exercise's answer did."""
        if exercise_id == self._exercise:
            self.found.append(observation)


def learned_path(lessons: Path, exercise_id: str) -> Path:
    """Return the file that holds what was learned about a lesson's exercises."""
    return lessons / find_lesson(exercise_id[:2]).name / "learned.jsonl"


def learned_of(lessons: Path, exercise_id: str) -> list[Taught]:
    """Return what was learned about one exercise."""
    every = read_lines(learned_path(lessons, exercise_id), Taught)
    return [one for one in every if one.exercise == exercise_id]


def observed_in_jail(server: Runner, exercise_id: str, program: str, seed: int) -> Any:
    """Return what a program did when it was called on a seed's inputs; None if it did not end."""
    own = {"exercise": exercise_id}
    cells = [code_cell(_SETUP), code_cell(program, own) | {"id": stubs()[exercise_id]["cell"]}]
    answers = Observations(exercise_id, seed)
    job = {"lesson": exercise_id[:2], "without": [], "shown": []}
    server.run(job, notebook_of(cells), answers)
    return answers.found[-1] if answers.found else None


def code_cell(source: str, metadata: dict | None = None) -> dict:
    """Return a code cell as a notebook's file holds it."""
    return {"cell_type": "code", "metadata": metadata or {}, "source": source, "outputs": []}


def notebook_of(cells: list[dict]) -> bytes:
    """Return the file of a notebook with these cells."""
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook).encode()

"""From a lesson's questions and known mistakes to what ``check`` compares answers with.

That is what right and wrong programs did on eight seeds: one compressed line for each exercise.
"""

import ast
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from course_utils.exercises.lesson_questions import load
from course_utils.exercises.question import ValueQuestion
from course_utils.exercises.references import SEEDS, Reference, unpacked
from course_utils.exercises.sentences import Table

from .observing import (
    MistakesError,
    answer_of_cells,
    checked_name,
    observe_mistakes,
    observe_right,
    prediction_data,
    require_told_apart,
)
from .source import LessonSource
from .storing import packed, reference_data

__all__ = ["Questions", "observed_lines", "reworded_lines"]


class Questions:
    """A lesson's questions, right answers and known mistakes, as its folder holds them.

    Parameters
    ----------
    lesson : LessonSource
        The lesson.

    Attributes
    ----------
    exercises : dict of str to Exercise
        By id.
    mistakes : dict
        By id; see `course_utils.exercises.sentences`.
    """

    def __init__(self, lesson: LessonSource):
        self._lesson = lesson
        self.exercises = {e.id: e for e in load(lesson.path.with_name("exercises.py")).EXERCISES}
        path = lesson.path.with_name("mistakes.py")
        _require_names_once(path)
        self.mistakes = load(path).MISTAKES

    def right(self, exercise_id: str) -> Any:
        """Run the worked cell of an exercise, and return its right program or value.

        The exercises above it have run, too: the parts of a project use each other.
        """
        cells = self._lesson.solution.cells
        code = [cell.source for cell in cells if cell.cell_type == "code"]
        last = self._lesson.exercises[exercise_id]
        sources = {i: cells[at].source for i, at in self._lesson.exercises.items() if at <= last}
        return answer_of_cells(sources, checked_name(exercise_id, code))

    def data(self, exercise_id: str) -> dict:
        """Observe one exercise, and return the data to store.

        Raises
        ------
        MistakesError
            If the solution or a wrong program does not do what it stands for.
        """
        exercise, mistakes = self.exercises[exercise_id], self.mistakes.get(exercise_id)
        if not mistakes:
            raise MistakesError(
                f"{exercise_id}: mistakes.py must have an entry for this exercise, but has none"
            )
        right = self.right(exercise_id)
        if isinstance(exercise, ValueQuestion):
            return prediction_data(exercise, right, mistakes)
        seeds = []
        for seed in range(SEEDS):
            reference = observe_right(exercise, right, seed)
            reference = observe_mistakes(exercise, mistakes, reference, seed)
            require_told_apart(exercise, reference, seed)
            seeds.append(reference_data(reference))
        return {"mistakes": _mistakes(reference), "seeds": seeds}

    def data_on(self, exercise_id: str, seed: int, with_mistakes: bool) -> dict:
        """Observe the right program, and on demand the known mistakes, on one seed."""
        question = self.exercises[exercise_id]
        reference = observe_right(question, self.right(exercise_id), seed)
        if with_mistakes:
            reference = observe_mistakes(question, self.mistakes[exercise_id], reference, seed)
        return {"mistakes": _mistakes(reference), "seed": reference_data(reference)}


def _mistakes(reference: Reference) -> list[dict]:
    return [
        {"name": known.name, "sentence": known.sentence, "calls": list(known.calls)}
        for known in reference.wrong
    ]


def _require_names_once(path: Path) -> None:
    """Refuse a dict that names a mistake twice: Python would drop the first without a word."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        where = f"{path.name}, line {error.lineno}"
        raise MistakesError(f"{where}: this is not valid Python: {error.msg}") from None
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            names = [key.value for key in node.keys if isinstance(key, ast.Constant)]
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                where = f"{path.name}, line {node.lineno}"
                raise MistakesError(
                    f"{where}: two entries in this dict are named {twice!r}; rename one of them"
                )


def observed_lines(
    lesson: LessonSource, after_exercise: Callable[[str], None] = lambda exercise_id: None
) -> list[str]:
    """Observe right programs and known mistakes, and return what is stored of each exercise.

    Raises
    ------
    MistakesError
        If the solution or a wrong program does not do what it stands for.
    """
    questions = Questions(lesson)
    lines = []
    for exercise_id in questions.exercises:
        lines.append(f"{exercise_id} {packed(questions.data(exercise_id))}")
        after_exercise(exercise_id)
    return lines


def reworded_lines(lesson: LessonSource, lines: Iterable[str]) -> list[str]:
    """Return what is stored of each exercise, with the messages as they are now.

    Nothing is observed again: the programs, and the names of their mistakes, are the same.
    """
    mistakes = Questions(lesson).mistakes
    reworded = []
    for line in lines:
        exercise_id, letters = line.split(" ", 1)
        data, listed = unpacked(letters), mistakes[exercise_id]
        for known in data.get("mistakes", ()):
            known["sentence"] = listed[known["name"]].sentence
        tables = [listed] if isinstance(listed, Table) else listed
        for stored, table in zip(data.get("tables", ()), tables, strict=False):
            for row, sentence in zip(stored["rows"], table.rows.values(), strict=True):
                row["sentence"] = sentence
            stored["otherwise"] = table.otherwise
        reworded.append(f"{exercise_id} {packed(data)}")
    return reworded

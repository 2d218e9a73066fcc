"""``course nbgrader``: the lessons as the source folder of an nbgrader course."""

import ast
import copy
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from course_utils.workspace.curriculum import find_exercise

from ...authoring.regions import BEGIN, END
from ...authoring.source import LessonSource
from .student_files import relink, require_built

__all__ = ["NbgraderError", "nbgrader_files"]

_SCHEMA_VERSION = 3

# Above a check, in the instructor's copy alone: the name `check` is then nbgrader's, whatever the
# student made of it.
_HIDDEN = """\
### BEGIN HIDDEN TESTS
from course_staff.classroom.release.nbgrader_check import check
### END HIDDEN TESTS
"""

_CONFIG = """\
c = get_config()

c.CourseDirectory.course_id = "hands-on-gradienttape"
# Above its solution, a cell holds what students start from. Nothing replaces the solution.
c.ClearSolutions.code_stub = {"python": ""}
# Students may break the cells that show something; the autograder puts them back.
c.LockCells.lock_readonly_cells = False
# As long as in the course itself: TensorFlow starts, and answers may take ten seconds.
c.Execute.timeout = 120
"""


class NbgraderError(Exception):
    """A lesson cannot become an assignment; the message names the exercise and why."""


def nbgrader_files(
    lessons: list[LessonSource], chosen: list[LessonSource], root: Path
) -> dict[str, str]:
    """Return the files of an nbgrader course: its config, a README, one assignment a lesson.

    Parameters
    ----------
    lessons : list of LessonSource
        All there are; links to others than the chosen ones become plain text.
    chosen : list of LessonSource
        Those that become assignments, each named like its lesson.
    root : Path
        The checkout, whose ``docs`` hold the README.

    Raises
    ------
    NbgraderError
        If an exercise's check is not a cell that ends with the call.
    ReleaseError
        If a lesson was changed since the last build.
    """
    require_built(chosen, root)
    names = {lesson.name for lesson in chosen}
    readme = (root / "docs" / "README-for-nbgrader.md").read_text(encoding="utf-8")
    rows = [f"| `{lesson.name}` | {_points(lesson)} |" for lesson in chosen]
    files = {
        "README.md": readme.replace("<!-- ASSIGNMENTS -->", "\n".join(rows)),
        "nbgrader_config.py": _CONFIG,
    }
    for lesson in chosen:
        notebook = _assignment(lesson)
        relink(notebook, lambda name: f"../{name}/{name}.ipynb" if name in names else None)
        path = f"source/{lesson.name}/{lesson.name}.ipynb"
        files[path] = nbformat.writes(notebook) + "\n"
    return files


def _points(lesson: LessonSource) -> int:
    return sum(find_exercise(exercise_id).points for exercise_id in lesson.exercises)


def _assignment(lesson: LessonSource) -> NotebookNode:
    """Return the lesson's notebook with every code cell marked for nbgrader."""
    notebook = copy.deepcopy(lesson.notebook)
    worked = [lesson.solution.cells[index] for index in lesson.exercises.values()]
    solutions = {cell.id: cell.source for cell in worked}
    checks = {_check_cell(lesson, exercise_id): exercise_id for exercise_id in lesson.exercises}
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        if cell.id in solutions:
            cell.source = f"{cell.source}\n{BEGIN}\n{solutions[cell.id]}\n{END}"
            cell.metadata["nbgrader"] = _mark(cell.id, solution=True)
        elif index in checks:
            exercise = find_exercise(checks[index])
            cell.source = _HIDDEN + cell.source
            cell.metadata["nbgrader"] = _mark(
                f"check-{exercise.id.replace('.', '-')}", grade=True, points=exercise.points
            )
        else:
            cell.metadata["nbgrader"] = _mark(f"cell-{cell.id}")
    return notebook


def _mark(grade_id: str, grade: bool = False, solution: bool = False, points: int = 0) -> dict:
    mark = {
        "grade": grade,
        "grade_id": grade_id,
        "locked": not solution,
        "schema_version": _SCHEMA_VERSION,
        "solution": solution,
        "task": False,
    }
    return {**mark, "points": points} if grade else mark


def _check_cell(lesson: LessonSource, exercise_id: str) -> int:
    """Return the position of the first cell below the exercise that ends with its check."""
    for index, cell in enumerate(lesson.notebook.cells):
        if cell.cell_type == "code" and f'check("{exercise_id}"' in cell.source:
            calls = [n for n in ast.walk(ast.parse(cell.source)) if _is_check(n)]
            last = ast.parse(cell.source).body[-1]
            if len(calls) == 1 and isinstance(last, ast.Expr) and _is_check(last.value):
                return index
            break
    raise NbgraderError(
        f"lessons/{lesson.name}: no cell ends with the check of exercise {exercise_id}, so "
        "nbgrader cannot read its points. End one cell below the exercise with "
        f'check("{exercise_id}", answer), and put no other check in that cell.'
    )


def _is_check(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "check"
    )

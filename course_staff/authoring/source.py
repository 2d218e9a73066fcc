"""Reading a lesson's source, and everything that can be wrong with it before it runs."""

import ast
import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import jupytext
import nbformat
from nbformat import NotebookNode

from course_utils.exercises.lesson_questions import load
from course_utils.workspace.merging import Notebook
from course_utils.workspace.originals import seal

from .headings import as_worked, with_exercise_names
from .options import answered, list_options
from .regions import BEGIN, END, GIVEN, RegionError, as_solution, as_stub
from .sections import FOLDED, Times, fold_code, is_claims, mark_sections, section_problems, times_of

__all__ = ["LessonSource", "Problem", "problems_across", "read_lesson"]

_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
}


# What a mistyped marker would leave in the learner's notebook, with the solution below it.
_LEFT_OVER = re.compile(r"(?i)\b(begin|end)\s*solution|^\s*#\|", re.M)


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a lesson: where, and what to do about it."""

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


@dataclass
class LessonSource:
    """A lesson as it was read: both notebooks without outputs, and what was wrong."""

    path: Path
    notebook: NotebookNode
    solution: NotebookNode
    lines: list[int]  # for each cell of the source, the line at which its text starts
    part: str = ""  # of the course, as the mark of the first cell names it
    goal: str = ""  # that the lesson reaches, as the same mark names it
    times: Times = Times(0, 0, ())
    exercises: dict[str, int] = field(default_factory=dict)  # id -> index of its cell in solution
    checks: list[tuple[str, int]] = field(default_factory=list)  # (id, line of the source file)
    problems: list[Problem] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The stem of every file of this lesson, such as ``01_first_tape``."""
        return self.path.parent.name

    def entry(self) -> dict:
        """Return the lesson's row in the table of lessons, as its first cell gives it."""
        first = self.notebook.cells[0]
        title = re.match(r"# \d\d · (.+)", first.source)
        needs = first.source.partition("**Before you start**:")[2].partition("**Time**")[0]
        return {
            "name": self.name,
            "title": title[1] if title else "",
            "part": self.part,
            "needs": sorted(re.findall(r"\((\d\d)_\w+\.ipynb\)", needs)),
            "minutes": self.times.minutes,
            "deeper_minutes": self.times.deeper_minutes,
            "deeper": self.times.deeper,
        } | ({"goal": self.goal} if self.goal else {})

    def stubs(self) -> dict[str, dict]:
        """Return this lesson's stubs, as `course_utils.exercises.exercise.stubs` reads them."""
        return {
            cell.metadata["exercise"]: {
                "notebook": f"{self.name}.ipynb",
                "cell": cell.id,
                "source": cell.source,
            }
            for cell in self.notebook.cells
            if "exercise" in cell.metadata
        }

    def line_of(self, cell: NotebookNode) -> int:
        """Return the line of the source file at which the text of a cell starts."""
        return self.lines[[other.id for other in self.solution.cells].index(cell.id)]


def read_lesson(path: Path) -> LessonSource:
    """Read ``lessons/NN_topic/lesson.py`` and note every problem in it, each with its line."""
    text = path.read_text(encoding="utf-8")
    cells = jupytext.reads(text, fmt="py:percent").cells
    lesson = LessonSource(path, _new_notebook(), _new_notebook(), _first_lines(text))
    if not text.startswith("# %%") or len(lesson.lines) != len(cells):
        message = "every cell, including the first, must start with a line `# %%`"
        lesson.problems.append(Problem(f"{path}:1", message))
        return lesson
    try:
        questions = load(path.with_name("exercises.py"))
    except (OSError, SyntaxError, ValueError) as error:
        lesson.problems.append(Problem(str(path.with_name("exercises.py")), str(error)))
        return lesson
    titles = {exercise.id: exercise.title for exercise in questions.EXERCISES}
    predictions = {p.id: p for p in getattr(questions, "PREDICTIONS", ())}
    lesson.part = cells[0].metadata.get("part", "")
    lesson.goal = cells[0].metadata.get("goal", "")
    lesson.times = times_of(cells)
    mark_sections(cells)
    for index, message in [*section_problems(cells), *list_options(cells, predictions)]:
        _note(lesson, index, message)
    for index, cell in enumerate(cells):
        if "title" in cell.metadata:
            _note(
                lesson,
                index,
                "the text after the marker `# %%` would not appear in the notebook: move or remove "
                "it",
            )
        _add_cell(lesson, index, cell, titles)
    if not lesson.problems:
        for cell in lesson.solution.cells:
            cell.source = answered(cell.source, predictions)
    unhelped = {exercise.id for exercise in questions.EXERCISES if not exercise.points}
    _find_missing_parts(lesson, set(titles), unhelped)
    seal(cast(Notebook, lesson.notebook))
    return lesson


def _new_notebook() -> NotebookNode:
    notebook = nbformat.v4.new_notebook(metadata=_METADATA)
    notebook.nbformat_minor = 5
    return notebook


def _first_lines(text: str) -> list[int]:
    """Return, for each cell of a percent script, the line number just below its marker."""
    markers = [n for n, line in enumerate(text.splitlines(), start=1) if line.startswith("# %%")]
    return [number + 1 for number in markers]


def _add_cell(lesson: LessonSource, index: int, cell: NotebookNode, titles: dict[str, str]) -> None:
    """Add one cell to both notebooks, and note what is wrong with it."""
    stub = solution = cell.source
    exercise_id = cell.metadata.get("exercise")
    if cell.cell_type == "code":
        tree = _parse(lesson, index, cell.source)
        for call in _check_calls(tree):
            line = lesson.lines[index] + call.lineno - 1
            lesson.checks.append((call.args[0].value, line))  # type: ignore[attr-defined]
            if call.args[0].value not in titles:  # type: ignore[attr-defined]
                nearby = ", ".join(sorted(i for i in titles if i[:2] == lesson.name[:2])) or "none"
                message = f"this check names an unknown exercise; this lesson has {nearby}"
                lesson.problems.append(Problem(f"{lesson.path}:{line}", message))
        try:
            stub, solution = as_stub(cell.source), as_solution(cell.source)
        except RegionError as error:
            _note(lesson, index, str(error), error.line)
            stub = ""  # or its markers would be noted, too
        except SyntaxError:
            pass  # noted by _parse
        else:
            if (stub != cell.source) != (exercise_id is not None):
                message = 'a solution region and exercise="NN.N" must be in the same cell'
                _note(lesson, index, message)
    else:
        stub = solution = with_exercise_names(cell.source, titles)
        if index == 0:
            solution = as_worked(solution, lesson.name)
    if exercise_id is not None:
        if exercise_id in lesson.exercises:
            message = f"this is the second cell for exercise {exercise_id}; use an id only once"
            _note(lesson, index, message)
        lesson.exercises[exercise_id] = index
    if _LEFT_OVER.search(stub):
        _note(
            lesson,
            index,
            f"this cell has a misspelled or misplaced marker: use only {BEGIN}, {END}, and "
            f"`{GIVEN} ` in a region",
        )
    cell_id = _cell_id(lesson.solution, cell, exercise_id)
    worked = _new_cell(cell, solution, cell_id)
    if is_claims(cell):
        fold_code(worked)
    else:
        lesson.notebook.cells.append(_new_cell(cell, stub, cell_id))
    lesson.solution.cells.append(worked)


def _new_cell(cell: NotebookNode, source: str, cell_id: str) -> NotebookNode:
    # nbformat's own functions would validate cell by cell; a test validates the notebooks.
    kept = {key: cell.metadata[key] for key in ("exercise", "tags", FOLDED) if key in cell.metadata}
    fields = {"cell_type": cell.cell_type, "id": cell_id, "metadata": kept, "source": source}
    if cell.cell_type == "code":
        fields |= {"execution_count": None, "outputs": []}
    return nbformat.from_dict(fields)


def _cell_id(notebook: NotebookNode, cell: NotebookNode, exercise_id: str | None) -> str:
    """Return an id that depends on the cell's own text, so that it moves with the text."""
    if exercise_id is not None:
        return f"exercise-{exercise_id.replace('.', '-')}"
    digest = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:12]
    same = sum(other.id.startswith(digest) for other in notebook.cells)
    return f"{digest}-{same + 1}" if same else digest


def _parse(lesson: LessonSource, index: int, source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except SyntaxError as error:
        _note(lesson, index, f"this cell is not valid Python: {error.msg}", error.lineno or 1)
        return ast.Module(body=[], type_ignores=[])


def _check_calls(tree: ast.Module) -> list[ast.Call]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "check"
        and node.args
        and isinstance(node.args[0], ast.Constant)
    ]


def _find_missing_parts(lesson: LessonSource, known: set[str], unhelped: set[str]) -> None:
    """Note each exercise that lacks its check, its hints or its cell; some have no hints."""
    checked = [exercise_id for exercise_id, _ in lesson.checks]
    starts = sorted(lesson.exercises.values())
    for exercise_id, index in lesson.exercises.items():
        if exercise_id not in checked:
            _note(lesson, index, f'no cell calls check("{exercise_id}", ...): add a cell that does')
        later = [start for start in starts if start > index]
        after = lesson.solution.cells[index : later[0] if later else None]
        is_hinted = any("<details>" in c.source and "Hint" in c.source for c in after)
        if not is_hinted and exercise_id not in unhelped:
            _note(lesson, index, f"exercise {exercise_id} has no hint: add a <details> block below")
    for exercise_id in sorted(known - set(lesson.exercises)):
        message = (
            f"exercise {exercise_id} is defined, but has no cell in the lesson: add its "
            "cell, or remove the exercise"
        )
        lesson.problems.append(Problem(str(lesson.path.with_name("exercises.py")), message))
    for exercise_id, line in lesson.checks:
        if exercise_id in known and exercise_id not in lesson.exercises:
            message = f'check("{exercise_id}", ...) needs a cell marked exercise="{exercise_id}"'
            lesson.problems.append(Problem(f"{lesson.path}:{line}", message))


def _note(lesson: LessonSource, index: int, message: str, line_in_cell: int = 1) -> None:
    line = lesson.lines[index] + line_in_cell - 1
    lesson.problems.append(Problem(f"{lesson.path}:{line}", message))


def problems_across(lessons: list[LessonSource]) -> list[Problem]:
    """Find problems between lessons: names, numbers, and exercises in two of them."""
    problems = []
    owner: dict[str, str] = {}
    for lesson in lessons:
        same_number = [o.name for o in lessons if o.name[:2] == lesson.name[:2]]
        if len(same_number) > 1:
            message = (
                f"two lessons have the number {lesson.name[:2]}: {', '.join(same_number)}; "
                "give each its own number"
            )
            problems.append(Problem(str(lesson.path), message))
        elif not re.fullmatch(r"\d\d_[a-z0-9_]+", lesson.name):
            problems.append(
                Problem(str(lesson.path), "a lesson's folder must be named NN_snake_topic")
            )
        if not lesson.notebook.cells:
            continue  # its cells were not found, which is noted
        entry = lesson.entry()
        unknown = set(entry["needs"]) - {other.name[:2] for other in lessons}
        if unknown:
            message = (
                f"this lesson builds on lesson {', '.join(sorted(unknown))}, which does not exist"
            )
            problems.append(Problem(f"{lesson.path}:1", message))
        missing = [name for name in ("title", "part") if not entry[name]]
        if missing:
            message = (
                f"the first cell gives no {' and no '.join(missing)}: it must start with `# %% "
                '[markdown] part="..."` and have the heading `# NN · Title`'
            )
            problems.append(Problem(f"{lesson.path}:1", message))
        for exercise_id in lesson.exercises:
            if exercise_id in owner:
                message = (
                    f"exercise {exercise_id} is also in {owner[exercise_id]}; use each id "
                    "in only one lesson"
                )
                problems.append(Problem(str(lesson.path), message))
            owner[exercise_id] = lesson.name
    return problems

"""``course build``: write both notebooks of each lesson, or prove that none has drifted."""

import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from course_utils.datasets.mnist import mnist_source
from course_utils.exercises.lesson_questions import GENERATED
from course_utils.workspace.atomic_files import write_atomically
from course_utils.workspace.originals import (
    KEEP_TYPED,
    parsed_notebook,
    refusal_in_words,
    typed_cells,
    typed_in_words,
)

from .documents import DOCUMENTS, with_minutes
from .keys import asked_key, observed_key, said_key
from .observing import MistakesError
from .questions import observed_lines, reworded_lines
from .run import NotebookFailed, run_notebook
from .sections import deeper_cells
from .source import LessonSource, Problem, problems_across, read_lesson
from .stored_file import (
    asked_in,
    is_current,
    observed_in,
    observed_lines_in,
    renewed,
    said_in,
    stored_text,
)

__all__ = [
    "BuildError",
    "Folders",
    "build",
    "find_drift",
    "needs_build",
    "needs_observing",
    "observe",
    "read_lessons",
    "renew_stored",
    "reword",
    "renew_text",
    "require_mnist",
    "require_no_typed_text",
    "select",
    "stored_is_current",
    "table_text",
    "write_table",
]


class BuildError(Exception):
    """A lesson cannot be built; the message names the lesson, the cell and what went wrong."""


@dataclass(frozen=True)
class Folders:
    """Where sources are read from and notebooks are written to."""

    root: Path

    @property
    def lessons(self) -> Path:
        """The sources, one folder a lesson."""
        return self.root / "lessons"

    @property
    def notebooks(self) -> Path:
        """The learners' notebooks, without solutions and outputs."""
        return self.root / "notebooks"

    @property
    def solutions(self) -> Path:
        """The worked notebooks, with outputs."""
        return self.root / "solutions"

    def stored(self, lesson: LessonSource) -> Path:
        """Return the file of the lesson's stubs and observations."""
        return self._generated / f"lesson_{lesson.name[:2]}.txt"

    @property
    def table(self) -> Path:
        """The table of the lessons."""
        return self._generated / "lessons.json"

    @property
    def _generated(self) -> Path:
        return self.root / GENERATED


def read_lessons(folders: Folders, numbers: Sequence[str] = ()) -> list[LessonSource]:
    """Read every lesson.

    Where ``numbers`` names lessons, others that have something wrong are left out: a lesson that is
    being written keeps nobody from building another.

    Raises
    ------
    BuildError
        If anything is wrong with any of them; the message has one line for each problem.
    """
    paths = sorted(folders.lessons.glob("*/lesson.py"))
    if not paths:
        raise BuildError(
            f"There are no lessons in {folders.lessons}. Run this command in a checkout of the "
            "whole course."
        )
    lessons = [read_lesson(path) for path in paths]
    lessons = [x for x in lessons if not x.problems or not numbers or x.name[:2] in numbers]
    problems = [p for lesson in lessons for p in lesson.problems] + problems_across(lessons)
    if problems:
        lines = [str(p).replace(f"{folders.root}{os.sep}", "") for p in problems]
        raise BuildError("\n".join(lines))
    return lessons


def select(lessons: list[LessonSource], numbers: Sequence[str]) -> list[LessonSource]:
    """Return the lessons with these two-digit numbers, or all where none is given.

    Raises
    ------
    BuildError
        If a number belongs to no lesson.
    """
    by_number = {lesson.name[:2]: lesson for lesson in lessons}
    unknown = [number for number in numbers if number not in by_number]
    if unknown:
        known = ", ".join(by_number)
        raise BuildError(f"There is no lesson {unknown[0]!r} to build. Choose from {known}.")
    return [by_number[number] for number in numbers] if numbers else lessons


def needs_observing(lesson: LessonSource, folders: Folders) -> bool:
    """Tell whether what is stored is not from these questions, solutions and mistakes."""
    return observed_in(_read(folders.stored(lesson))) != observed_key(lesson)


def needs_build(lesson: LessonSource, folders: Folders) -> bool:
    """Tell whether one of the lesson's notebooks is missing or not from this source."""
    if not _was_asked_this(lesson, folders):
        return True  # what a check says in the worked notebook may have changed
    notebook = _read(folders.notebooks / f"{lesson.name}.ipynb")
    return notebook != _text_of(lesson.notebook) or not solution_is_current(lesson, folders)


def _was_asked_this(lesson: LessonSource, folders: Folders) -> bool:
    return asked_in(_read(folders.stored(lesson))) == asked_key(lesson)


def build(
    chosen: list[LessonSource], folders: Folders, after_cell: Callable[[LessonSource], None]
) -> None:
    """Execute the worked and the untouched notebook of each chosen lesson, and write both.

    The untouched one runs without what goes deeper, which shows that nothing needs it.
    ``after_cell`` is called for each code cell that runs, in the one and in the other.

    Raises
    ------
    BuildError
        If a cell does not run, a solution does not pass, or a stub is anything but not attempted.
        That lesson's notebooks are then left as they were.
    """
    for lesson in chosen:
        renew_stored(lesson, folders)  # the checks of the untouched notebook read its stubs
        _build_lesson(lesson, folders, partial(after_cell, lesson))
        text = renewed(lesson, _read(folders.stored(lesson)), asked_key(lesson))
        write_atomically(folders.stored(lesson), text)


def require_no_typed_text(chosen: list[LessonSource], folders: Folders) -> None:
    """Make sure that nothing is written over what somebody typed into a notebook in ``notebooks/``.

    Raises
    ------
    BuildError
        If somebody did; the message names the cells, and says how to keep them.
    """
    if refusal := refusal_in_words({lesson.name: _typed(lesson, folders) for lesson in chosen}):
        raise BuildError(refusal)


def require_mnist(stale: list[LessonSource]) -> None:
    """Make sure that no lesson on MNIST is executed on the digits that stand in for it.

    Raises
    ------
    BuildError
        If one would be; the message says which, and where the data can stand.
    """
    asking = [x.name for x in stale if any("load_mnist(" in c.source for c in x.solution.cells)]
    if asking and mnist_source()[0] == "stand-in":
        raise BuildError(
            f"{', '.join(asking)}: these lessons need MNIST, which is not on this machine and "
            "cannot be downloaded. Set COURSE_DATA_DIR to the folder that contains mnist.npz, and "
            "build again. Nothing was executed."
        )


def _typed(lesson: LessonSource, folders: Folders) -> list[str]:
    current = parsed_notebook(_text_of(lesson.notebook), lesson.name)
    return typed_cells(lesson.name, folders.root, current)


def renew_text(lesson: LessonSource, folders: Folders) -> bool:
    """Write both notebooks without executing them where text alone changed, and tell whether."""
    solution = _stored_solution(lesson, folders)
    text = _read(folders.notebooks / f"{lesson.name}.ipynb")
    if solution is None or not text or not _was_asked_this(lesson, folders):
        return False
    fresh, worked = _copy(lesson.solution), _code_cells(solution)
    notebook = nbformat.reads(text, as_version=4)
    if _sources(solution) != _sources(fresh) or _sources(notebook) != _sources(lesson.notebook):
        return False
    for new, old in zip(_code_cells(fresh), worked, strict=True):
        new.outputs, new.execution_count = old.outputs, old.execution_count
    write_atomically(folders.solutions / f"{lesson.name}.ipynb", _text_of(fresh))
    write_atomically(folders.notebooks / f"{lesson.name}.ipynb", _text_of(lesson.notebook))
    return True


def _sources(notebook: NotebookNode) -> list[tuple[str, dict, bool]]:
    """Return the code of a notebook, and which of it goes deeper: how it runs depends on both."""
    deeper = deeper_cells(notebook.cells)
    return [
        (cell.source, cell.metadata, index in deeper)
        for index, cell in enumerate(notebook.cells)
        if cell.cell_type == "code"
    ]


def write_table(lessons: list[LessonSource], folders: Folders) -> None:
    """Write the table of the lessons, which all that runs afterwards reads, and their minutes."""
    write_atomically(folders.table, table_text(lesson.entry() for lesson in lessons))
    for path, text in _documents(lessons, folders):
        if text != _read(path):
            write_atomically(path, text)


def _documents(lessons: list[LessonSource], folders: Folders) -> list[tuple[Path, str]]:
    """Return the documents that give the lessons' minutes, and what they should say."""
    times = {lesson.name[:2]: lesson.times for lesson in lessons}
    paths = [folders.root / name for name in DOCUMENTS]
    return [(path, with_minutes(_read(path), times)) for path in paths if path.exists()]


def observe(lesson: LessonSource, folders: Folders, after_exercise: Callable[[str], None]) -> None:
    """Write what right and wrong programs did.

    Raises
    ------
    BuildError
        If a solution does not run, a wrong program passes, or two mistakes look alike.
    """
    try:
        lines = observed_lines(lesson, after_exercise)
    except MistakesError as error:
        raise BuildError(f"lessons/{lesson.name}: {error}") from None
    asked = asked_in(_read(folders.stored(lesson)))  # of the notebooks as they are yet
    write_atomically(folders.stored(lesson), stored_text(lesson, lines, asked))


def reword(lesson: LessonSource, folders: Folders) -> None:
    """Write the messages of the known mistakes beside what was observed, if they changed."""
    before = _read(folders.stored(lesson))
    if said_in(before) != said_key(lesson):
        lines = reworded_lines(lesson, observed_lines_in(before))
        write_atomically(folders.stored(lesson), stored_text(lesson, lines, asked_in(before)))


def renew_stored(lesson: LessonSource, folders: Folders) -> None:
    """Write the lesson's stubs beside what was observed."""
    before = _read(folders.stored(lesson))
    after = renewed(lesson, before, asked_in(before))
    if after != before:
        write_atomically(folders.stored(lesson), after)


def _build_lesson(lesson: LessonSource, folders: Folders, after_cell: Callable[[], None]) -> None:
    folders.notebooks.mkdir(exist_ok=True)
    folders.solutions.mkdir(exist_ok=True)
    solution = _copy(lesson.solution)
    _run(lesson, solution, folders.solutions, "passed", after_cell)
    _run(lesson, _core(lesson.notebook), folders.notebooks, "not attempted", after_cell)
    write_atomically(folders.solutions / f"{lesson.name}.ipynb", _text_of(solution))
    write_atomically(folders.notebooks / f"{lesson.name}.ipynb", _text_of(lesson.notebook))


def _core(notebook: NotebookNode) -> NotebookNode:
    """Return a copy in which the cells that go deeper are empty."""
    core = _copy(notebook)
    for index in deeper_cells(core.cells):
        core.cells[index].source = ""
    return core


def _run(
    lesson: LessonSource,
    notebook: NotebookNode,
    folder: Path,
    expected: str,
    after_cell: Callable[[], None],
) -> None:
    """Run one of the two notebooks and hold every exercise to the ``expected`` outcome."""
    which = "worked" if expected == "passed" else "untouched"
    try:
        progress = run_notebook(notebook, folder, after_cell)
    except NotebookFailed as error:
        code_cells = [i for i, c in enumerate(notebook.cells) if c.cell_type == "code"]
        number = code_cells.index(error.cell_index) + 1
        line = lesson.line_of(notebook.cells[error.cell_index])
        raise BuildError(
            f"{lesson.name} ({which}), code cell {number}, line {line} of lesson.py: {error}. This "
            "lesson's notebooks were not changed. Fix the cell, and build again."
        ) from None
    for number, cell in enumerate(_code_cells(notebook), start=1):
        for output in cell.outputs:
            if output.get("name") == "stderr":
                raise BuildError(
                    f"{lesson.name} ({which}): code cell {number} must not write to standard "
                    "error, which a learner would see. This lesson's notebooks were not changed. "
                    f"It wrote: {output.text.strip().splitlines()[0]}"
                )
    untouched = lesson.times.deeper if expected == "not attempted" else ()
    for exercise_id in lesson.exercises:
        if exercise_id in untouched:
            continue
        outcome = progress.exercises.get(exercise_id, {}).get("outcome", "never checked")
        if outcome != expected:
            what = "the solution" if expected == "passed" else "the stub"
            raise BuildError(
                f"{lesson.name}: the outcome of {what} for exercise {exercise_id} is '{outcome}', "
                f"but must be '{expected}'. This lesson's notebooks were not changed. Correct the "
                "lesson, and build again."
            )


def table_text(entries: Iterable[dict]) -> str:
    """Return the table of the lessons: names, titles, parts, minutes and what each builds on."""
    rows = [json.dumps(entry, ensure_ascii=False) for entry in entries]
    return "[\n" + ",\n".join(rows) + "\n]\n"


def find_drift(
    lessons: list[LessonSource], chosen: list[LessonSource], folders: Folders
) -> list[Problem]:
    """Return each generated file that is not what its source would give, without executing.

    ``lessons`` are all there are; only the notebooks of the ``chosen`` ones are compared.
    """
    drift = []
    for lesson in chosen:
        if not stored_is_current(lesson, folders):
            message = f"was not made from the current lessons/{lesson.name} by the current code"
            drift.append(_drifted(folders.stored(lesson), folders, message))
        notebook = folders.notebooks / f"{lesson.name}.ipynb"
        solution = folders.solutions / f"{lesson.name}.ipynb"
        if _read(notebook) != _text_of(lesson.notebook):
            if typed := _typed(lesson, folders):
                message = f"{typed_in_words(typed)} {KEEP_TYPED}"
                drift.append(Problem(str(notebook.relative_to(folders.root)), message))
            else:
                message = f"does not match lessons/{lesson.name}"
                drift.append(_drifted(notebook, folders, message))
        if not solution_is_current(lesson, folders):
            message = f"was not executed from the current version of lessons/{lesson.name}"
            drift.append(_drifted(solution, folders, message))
    if _read(folders.table) != table_text(lesson.entry() for lesson in lessons):
        drift.append(_drifted(folders.table, folders, "does not match the lessons"))
    for path, text in _documents(lessons, folders):
        if _read(path) != text:
            drift.append(_drifted(path, folders, "does not state the lessons' current minutes"))
    names = {f"{lesson.name}.ipynb" for lesson in lessons}
    for folder in (folders.notebooks, folders.solutions):
        for path in sorted(folder.glob("*.ipynb")):
            if path.name not in names:
                drift.append(Problem(str(path.relative_to(folders.root)), "has no lesson"))
    return drift


def stored_is_current(lesson: LessonSource, folders: Folders) -> bool:
    """Tell whether the stubs and what programs did were stored from this source."""
    return is_current(lesson, _read(folders.stored(lesson)))


def _drifted(path: Path, folders: Folders, message: str) -> Problem:
    return Problem(str(path.relative_to(folders.root)), f"{message}; run `course build`")


def solution_is_current(lesson: LessonSource, folders: Folders) -> bool:
    """Tell whether the stored solution has this source's cells, executed in one run in order."""
    stored = _stored_solution(lesson, folders)
    if stored is None:
        return False
    for cell in _code_cells(stored):
        cell.outputs, cell.execution_count = [], None
    return bool(stored == lesson.solution)


def _stored_solution(lesson: LessonSource, folders: Folders) -> NotebookNode | None:
    """Return the solution on disk, if it was executed in one run in order."""
    text = _read(folders.solutions / f"{lesson.name}.ipynb")
    try:
        stored = nbformat.reads(text, as_version=4)
    except ValueError:  # missing, or not a notebook
        return None
    counts = [cell.execution_count for cell in _code_cells(stored)]
    return stored if counts == list(range(1, len(counts) + 1)) else None


def _code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def _copy(notebook: NotebookNode) -> NotebookNode:
    return nbformat.reads(_text_of(notebook), as_version=4)


def _text_of(notebook: NotebookNode) -> str:
    return nbformat.writes(notebook) + "\n"


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""

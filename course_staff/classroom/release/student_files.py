"""``course release``: what students get; no right or wrong program is among it."""

import copy
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import cast

import nbformat
from nbformat import NotebookNode

from course_utils.exercises.lesson_questions import COPIES, GENERATED
from course_utils.workspace.merging import Notebook
from course_utils.workspace.originals import seal

from ...authoring.build import Folders, solution_is_current, stored_is_current, table_text
from ...authoring.source import LessonSource
from .student_texts import student_texts

__all__ = ["ReleaseError", "release_files", "relink", "require_built"]

_PACKAGES = ("gradient_tools", "course_utils")
_LINK = re.compile(r"\[([^\[\]]*)\]\((\d\d_[a-z0-9_]+)\.ipynb(#[^)]*)?\)")


class ReleaseError(Exception):
    """The lessons cannot be handed out as they are; the message says what to do first."""


def require_built(lessons: Iterable[LessonSource], root: Path) -> None:
    """Make sure that each lesson was executed, with its solutions passing, as it is now.

    Raises
    ------
    ReleaseError
        If one was changed since; the message names it and the command to run.
    """
    folders = Folders(root)
    stale = [
        lesson
        for lesson in lessons
        if not (solution_is_current(lesson, folders) and stored_is_current(lesson, folders))
    ]
    if stale:
        names = ", ".join(f"lessons/{lesson.name}" for lesson in stale)
        numbers = " ".join(lesson.name[:2] for lesson in stale)
        raise ReleaseError(
            f"{names}: the build is out of date, so nothing shows that the notebooks run and that "
            f"the solutions pass. Run `course build {numbers}` first."
        )


def release_files(
    lessons: list[LessonSource], chosen: list[LessonSource], root: Path
) -> dict[str, str]:
    """Return every file of a release: its path, with forward slashes, and its text.

    Parameters
    ----------
    lessons : list of LessonSource
        All there are. Lesson 00 is always handed out: it says how to work, and every command finds
        the course's folder by it.
    chosen : list of LessonSource
        Those that students get.
    root : Path
        The checkout. Notebooks come from the lessons' sources and not from ``notebooks/``, where
        somebody may have tried an exercise.

    Raises
    ------
    ReleaseError
        If a lesson was changed since the last build.
    """
    given = [lesson for lesson in lessons if lesson in chosen or lesson.name.startswith("00")]
    require_built(given, root)
    names = {lesson.name for lesson in given}
    files = {
        f"notebooks/{lesson.name}.ipynb": _notebook_text(lesson.notebook, names) for lesson in given
    }
    # Students work in neither: one is read, the other mends it.
    files |= {f"course_utils/workspace/given/{path}": text for path, text in files.items()}
    for lesson in given:
        for name, copied in (("exercises.py", "lesson"), ("variants.py", "variants")):
            source = lesson.path.with_name(name)
            if source.exists():
                place = COPIES / f"{copied}_{lesson.name[:2]}.py"
                files[place.as_posix()] = source.read_text(encoding="utf-8")
    numbers = {name[:2] for name in names}
    table = table_text(_entries(lessons, numbers))
    files[(COPIES / "lessons.json").as_posix()] = table
    return files | _packages(root, numbers) | student_texts(root, names)


def _entries(lessons: Sequence[LessonSource], numbers: set[str]) -> list[dict]:
    """Return the rows of these lessons, which build only on one another.

    In place of a lesson that students do not get stand those on which it builds.
    """
    entries = {lesson.name[:2]: lesson.entry() for lesson in lessons}

    def given(needs: Iterable[str]) -> set[str]:
        return {n for need in needs for n in ([need] if need in numbers else given_to(need))}

    def given_to(number: str) -> set[str]:
        return given(entries[number]["needs"])

    return [
        entry | {"needs": sorted(given_to(number))}
        for number, entry in entries.items()
        if number in numbers
    ]


def _notebook_text(notebook: NotebookNode, names: set[str]) -> str:
    notebook = copy.deepcopy(notebook)
    relink(notebook, lambda name: f"{name}.ipynb" if name in names else None)
    seal(cast(Notebook, notebook))
    return nbformat.writes(notebook) + "\n"


def _packages(root: Path, numbers: set[str]) -> dict[str, str]:
    """Return the packages of students, with what is generated of these lessons alone."""
    files = {}
    for path in sorted(path for name in _PACKAGES for path in (root / name).rglob("*")):
        place = path.relative_to(root)
        is_hidden = any(part.startswith(".") for part in place.parts)
        if is_hidden or path.suffix not in (".csv", ".py", ".pyi", ".typed", ".txt"):
            continue
        files[place.as_posix()] = path.read_text(encoding="utf-8")
    for number in numbers:
        name = f"lesson_{number}.txt"
        files[(COPIES / name).as_posix()] = (root / GENERATED / name).read_text(encoding="utf-8")
    return files


def relink(notebook: NotebookNode, target: Callable[[str], str | None]) -> None:
    """Change each link to another lesson, in place; a link that leads nowhere becomes its text.

    Parameters
    ----------
    notebook : NotebookNode
        Its markdown cells are changed.
    target : callable
        Takes the name of a lesson, such as ``"01_first_tape"``, and returns where its notebook
        stands, seen from this one, or None where it is not there.
    """

    def rewrite(match: re.Match) -> str:
        place = target(match[2])
        return match[1] if place is None else f"[{match[1]}]({place}{match[3] or ''})"

    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = _LINK.sub(rewrite, cell.source)

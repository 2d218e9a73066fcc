"""What ``course doctor`` examines where there are lesson sources."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from course_utils.course.doctor import Condition
from course_utils.course.progress import course_folder
from course_utils.exercises.exercise import stubs

if TYPE_CHECKING:
    from .source import LessonSource

__all__ = ["lessons_in_step"]


def lessons_in_step() -> Condition | None:
    """Compare the notebooks with their sources, where both are there."""
    root = course_folder()
    notebooks = {root / "notebooks" / stub["notebook"] for stub in stubs().values()}
    if not (root / "lessons").is_dir() or not all(path.exists() for path in notebooks):
        return None
    try:
        from . import build
    except ImportError:
        return Condition("Lessons", "not compared with the notebooks without the author extra")
    remedy = "Save your own copy, then `git restore notebooks`, or `make build` after an edit."
    behind = []
    for lesson in build.read_lessons(build.Folders(root)):
        path = root / "notebooks" / f"{lesson.name}.ipynb"
        try:
            missing = _missing_cells(lesson, path)
        except (ValueError, KeyError, TypeError, AttributeError):
            return Condition("Lessons", f"{path.name} cannot be read as a notebook", remedy)
        if missing:
            behind.append(f"{lesson.name} lacks {len(missing)} cells")
    if behind:
        return Condition("Lessons", "; ".join(behind), remedy)
    return Condition("Lessons", f"all {len(notebooks)} notebooks are in step with lessons/")


def _missing_cells(lesson: "LessonSource", path: Path) -> set[str]:
    """Return the ids of the lesson's cells that the notebook, worked on or not, does not hold."""
    stored = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return {cell.id for cell in lesson.notebook.cells} - {cell.get("id") for cell in stored}

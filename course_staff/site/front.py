"""What the first page says and shows that stands somewhere else: counted, listed, or stored."""

from html import escape
from itertools import groupby
from pathlib import Path

from course_utils.workspace.curriculum import LESSONS

__all__ = ["facts", "hours", "lesson_list", "shown"]


def hours() -> int:
    """Return the hours of all lessons together, as they state their minutes."""
    return round(sum(lesson.minutes for lesson in LESSONS) / 60)


def facts() -> str:
    """Return how long the course is, and what it takes to begin."""
    return (
        f"**{len(LESSONS)} lessons, {hours()} hours** of work by their own estimate, exercises "
        "included, with [a short path](#a-short-path) for one goal. You need to know Python and "
        "NumPy, and to have trained a network with Keras once. No GPU, no account."
    )


def lesson_list(folder: str) -> str:
    """Return the lessons as lists of links, on one line: the map where there is no room for it."""
    parts = [
        f"<p>{escape(part)}</p><ul>"
        + "".join(
            f'<li><a href="{folder}{each.name}.html">{each.number} · {escape(each.title)}</a>, '
            f"{each.minutes} minutes</li>"
            for each in lessons
        )
        + "</ul>"
        for part, lessons in groupby(LESSONS, lambda lesson: lesson.part)
    ]
    return f'<div class="lesson-list">{"".join(parts)}</div>'


def shown(root: Path) -> dict[str, str]:
    """Return what ``docs/front_door.py`` stored for the page, by its mark."""
    stored = sorted((root / "docs" / "pictures").glob("*.md"))
    return {f"SHOWN {path.stem}": path.read_text(encoding="utf-8") for path in stored}

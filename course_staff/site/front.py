"""What the first page shows: facts that are counted, the lessons as a list and as a map."""

import io
import re
from html import escape
from itertools import groupby
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from course_utils.lesson_map import plot_lesson_map
from course_utils.workspace.curriculum import LESSONS

__all__ = ["facts", "hours", "lesson_list", "lesson_map", "shown"]

_HOW_TO_READ = (
    "Each box is a lesson and links to it. Arrows lead to each lesson from the lessons that it "
    "builds on."
)


def hours() -> int:
    """Return the hours of all lessons together, as they state their minutes."""
    return round(sum(lesson.minutes for lesson in LESSONS) / 60)


def facts() -> str:
    """State the length of the course, and what a learner needs to begin."""
    return (
        f"**{len(LESSONS)} lessons**, an estimated **{hours()} hours** of work including "
        "exercises, with [short paths](#which-lessons-do-i-need) if you have a single goal. You "
        "need to know Python and NumPy, and to have trained at least one network with Keras. You "
        "don't need a GPU or an account."
    )


def lesson_list(folder: str) -> str:
    """Return the lessons as lists of links, on one line: the map where there is no room for it."""
    parts = [
        f"<p>{escape(part)}</p><ul>"
        + "".join(
            f'<li><a href="{folder}{lesson.name}.html">{lesson.number} · '
            f"{escape(lesson.title)}</a>, {lesson.minutes} minutes</li>"
            for lesson in lessons
        )
        + "</ul>"
        for part, lessons in groupby(LESSONS, lambda lesson: lesson.part)
    ]
    return f'<div class="lesson-list">{"".join(parts)}</div>'


def shown(root: Path) -> dict[str, str]:
    """Return the examples that ``docs/front_door.py`` stored for the page, by their marks."""
    stored = sorted((root / "docs" / "pictures").glob("*.md"))
    return {f"SHOWN {path.stem}": path.read_text(encoding="utf-8") for path in stored}


def lesson_map(folder: str) -> str:
    """Return the map as SVG on one line; ``folder`` is where the lessons' pages are, from here."""
    import matplotlib

    matplotlib.use("agg")  # which needs no display
    ax = plot_lesson_map()
    ax.set_position((0, 0, 1, 1))
    boxes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    names = {f"{folder}{lesson.name}.html": lesson for lesson in LESSONS}
    for box, address in zip(boxes, names, strict=True):
        box.set_url(address)
    svg = _svg(ax)
    svg = re.sub(r'<a xlink:href="([^"]+)"[^>]*>', lambda link: _link(link[1], names), svg)
    svg = svg.replace("<svg ", '<svg role="group" aria-label="The lessons, as a map" ', 1)
    return f'<div class="lesson-map"><p>{_HOW_TO_READ}</p>{svg}</div>'


def _svg(ax: Axes) -> str:
    """Return a drawing as SVG on one line, the same for the same drawing, and close its figure."""
    from matplotlib import pyplot as plt

    file, figure = io.StringIO(), ax.get_figure(root=True)
    assert figure is not None  # of axes that were just drawn
    with plt.rc_context({"svg.hashsalt": "course"}):
        figure.savefig(
            file, format="svg", transparent=True, bbox_inches="tight", metadata={"Date": None}
        )
    plt.close(figure)
    svg = file.getvalue()[file.getvalue().index("<svg") :]
    return " ".join(re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", svg, flags=re.S).split())


def _link(address: str, names: dict) -> str:
    lesson = names[address]
    needs = f" Builds on {', '.join(lesson.needs)}." if lesson.needs else ""
    label = escape(f"{lesson.number} · {lesson.title}.{needs}")
    return f'<a href="{address}" aria-label="{label}">'

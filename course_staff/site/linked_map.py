"""The map of the lessons as vector graphics, in which each box is a link."""

import io
import re
from html import escape

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from course_utils.course.lesson_map import plot_lesson_map
from course_utils.workspace.curriculum import LESSONS

__all__ = ["lesson_map", "svg_of", "use_no_display"]

_HOW_TO_READ = (
    "Each box is a lesson, and a link. An arrow leads to it from each lesson that it builds on."
)


def lesson_map(folder: str) -> str:
    """Return the map as SVG on one line; ``folder`` is where the lessons' pages are, from here."""
    use_no_display()
    ax = plot_lesson_map()
    ax.set_position((0, 0, 1, 1))
    boxes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    names = {f"{folder}{lesson.name}.html": lesson for lesson in LESSONS}
    for box, address in zip(boxes, names, strict=True):
        box.set_url(address)
    svg = svg_of(ax)
    svg = re.sub(r'<a xlink:href="([^"]+)"[^>]*>', lambda link: _link(link[1], names), svg)
    svg = svg.replace("<svg ", '<svg role="group" aria-label="The lessons, as a map" ', 1)
    return f'<div class="lesson-map"><p>{_HOW_TO_READ}</p>{svg}</div>'


def use_no_display() -> None:
    """Let Matplotlib draw to files alone."""
    import matplotlib

    matplotlib.use("agg")


def svg_of(ax: Axes) -> str:
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

"""Where a learner stands: ``status()``, the bar under ``start_lesson``, and what comes next."""

import html
import io
from base64 import b64encode
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from ..exercises.exercise import Exercise
from ..figures.card import card, with_code
from .curriculum import LESSONS, Lesson, all_exercises, find_lesson
from .progress import Progress, read_progress

__all__ = ["LessonBar", "Standing", "next_exercise", "status"]

_FINISHED = (
    "`ExplainingTape`, `check_gradients` and `plot_tape` serve your own programs too: "
    "`from course_utils import ExplainingTape` works wherever this environment does.",
    'To do an exercise again, call `reset("01.2")` with its id. What you passed stays passed.',
)


class _Look(NamedTuple):
    sign: str
    word: str
    colour: str


_PASSED = _Look("✓", "passed", "#009E73")
_OPEN = _Look("○", "open", "#777777")


def next_exercise(progress: Progress) -> Exercise | None:
    """Return the first open exercise after the one passed last, else the first; None at the end."""
    left = [exercise for exercise in all_exercises() if not progress.has_passed(exercise.id)]
    times = {e: entry.get("passed_at", "") for e, entry in progress.exercises.items()}
    last = max(times, key=lambda exercise_id: (times[exercise_id], exercise_id), default="")
    later = [exercise for exercise in left if times.get(last) and exercise.id > last]
    return next(iter(later + left), None)


def status() -> "Standing":
    """Return what you have passed, and what is next: as a map in Jupyter, as a table elsewhere.

    Returns
    -------
    Standing

    Raises
    ------
    OSError
        If the progress file cannot be read.

    Notes
    -----
    First used in lesson 00.

    Examples
    --------
    >>> "exercises passed" in repr(status())
    True
    """
    return Standing(read_progress())


class Standing:
    """The progress through the course: lesson by lesson, its total, and what is next."""

    def __init__(self, progress: Progress):
        self._progress = progress
        self.next = next_exercise(progress)

    def table(self) -> Table:
        """Return what is passed, lesson by lesson."""
        table = Table(title="Your progress", title_justify="left")
        table.add_column("Lesson")
        table.add_column("Passed", justify="right")
        table.add_column("Points", justify="right")
        for lesson in LESSONS:
            table.add_row(f"{lesson.number} {lesson.title}", *self._counts(lesson.exercises()))
        return table

    def summary(self) -> list[str]:
        """Return the sentences below the table: the total, and what is next."""
        passed, points = self._counts(tuple(all_exercises()))
        sentences = [self._progress.notice] if self._progress.notice else []
        sentences.append(f"{passed} exercises passed, {points} points.")
        if self.next is None:
            return [*sentences, *_FINISHED]
        lesson = find_lesson(self.next.id[:2])
        title = f"{self.next.id} {self.next.title}"
        return [*sentences, f"Next: {title}, in notebooks/{lesson.name}.ipynb."]

    def _counts(self, exercises: tuple[Exercise, ...]) -> tuple[str, str]:
        passed = [exercise for exercise in exercises if self._progress.has_passed(exercise.id)]
        points = [sum(exercise.points for exercise in group) for group in (passed, exercises)]
        return f"{len(passed)} of {len(exercises)}", f"{points[0]} of {points[1]}"

    def __repr__(self) -> str:
        text = io.StringIO()
        console = Console(file=text, width=79, force_jupyter=False)  # or it displays by itself
        console.print(self.table())
        return text.getvalue() + "\n".join(self.summary())

    def _repr_html_(self) -> str:
        words = [f"<div>{with_code(sentence)}</div>" for sentence in self.summary()]
        heading = "Every exercise is passed" if self.next is None else "Your progress"
        rows = [
            f"<tr><td>{html.escape(lesson.number)} {html.escape(lesson.title)}</td>"
            + "".join(f"<td>{count}</td>" for count in self._counts(lesson.exercises()))
            + "</tr>"
            for lesson in LESSONS
        ]
        return (
            card(_PASSED.colour, f"<div><strong>{heading}</strong></div>", *words)
            + f'<img style="max-width:100%" alt="The map of the lessons; the table below it says '
            f'the same." src="data:image/svg+xml;base64,{self._map()}">'
            + "<details><summary>The same as a table</summary><table><thead><tr><th>Lesson</th>"
            "<th>Passed</th><th>Points</th></tr></thead><tbody>"
            + "".join(rows)
            + "</tbody></table></details>"
        )

    def page(self) -> str:
        """Return the same as a page of its own."""
        return (
            '<!doctype html><html lang="en"><meta charset="utf-8">'
            '<title>Your progress</title><body style="font-family:sans-serif;max-width:60em">'
            f"{self._repr_html_()}</body></html>\n"
        )

    def _map(self) -> str:
        import matplotlib.pyplot as plt

        from .lesson_map import plot_lesson_map

        figure, drawn = plot_lesson_map(progress=self._progress).figure, io.BytesIO()
        figure.savefig(drawn, format="svg")
        plt.close(figure)  # or the notebook would show it once more
        return b64encode(drawn.getvalue()).decode()


class LessonBar:
    """The exercises of one lesson, each passed or open, and where to go on."""

    def __init__(self, lesson: Lesson, progress: Progress):
        self._signs = [
            (exercise, _PASSED if progress.has_passed(exercise.id) else _OPEN)
            for exercise in lesson.exercises()
        ]
        self._next = next_exercise(progress)

    @property
    def _advice(self) -> str:
        left = [exercise for exercise, look in self._signs if look == _OPEN]
        counts = f"{len(self._signs) - len(left)} of {len(self._signs)} passed."
        if left:
            verb = "Start" if len(left) == len(self._signs) else "Go on"
            return f"{counts} {verb} with Exercise {left[0].id}: {left[0].title}."
        if self._next is None:
            return f"{counts} Every other exercise is passed, too: `status()` shows it."
        lesson = find_lesson(self._next.id[:2])
        return f"{counts} Next is lesson {lesson.number} · {lesson.title}."

    def __repr__(self) -> str:
        signs = "  ".join(f"{look.sign} {exercise.id}" for exercise, look in self._signs)
        return f"{signs}  {self._advice}"

    def _repr_html_(self) -> str:
        cells = "".join(
            f'<span title="{html.escape(exercise.title)}: {look.word}" style="flex:1;'
            f'border-bottom:4px solid {look.colour};padding:0 .3em">'
            f"{look.sign} {exercise.id}</span>"
            for exercise, look in self._signs
        )
        return (
            f'<div style="display:flex;gap:.3em;max-width:40em">{cells}</div>'
            f"<div>{with_code(self._advice)}</div>"
        )

"""Where a learner stands: ``status()``, the bar under ``start_lesson``, and what comes next."""

import html
import io
from base64 import b64encode
from collections.abc import Collection

from rich.console import Console
from rich.table import Column, Table

from gradient_tools.showing.card import card, with_code
from gradient_tools.showing.palette import GREEN

from .exercises.exercise import Exercise
from .placing import skipped
from .reviewing import due_now
from .workspace.curriculum import LESSONS, ONE_DAY, Lesson, all_exercises, find_lesson
from .workspace.folders import find_workspace, from_here
from .workspace.progress import Progress, read_progress, runs_a_solution

__all__ = ["LessonBar", "Standing", "next_exercise", "status"]

_FINISHED = (
    "`ExplainingTape`, `check_gradients` and `plot_tape` also work in your own programs: "
    "`from course_utils import ExplainingTape` works wherever this environment is active.",
    'To do an exercise again, call `reset("01.2")` with its id. What you passed stays passed.',
)

_DEEPER = {exercise_id for lesson in LESSONS for exercise_id in lesson.deeper}


def next_exercise(progress: Progress) -> Exercise | None:
    """Find the next exercise to do: the first open one after the one passed last.

    Exercises of lessons that the placement skips come after all others, and those that go deeper
    after the essentials; None if every exercise is passed.
    """
    left = [exercise for exercise in all_exercises() if not progress.has_passed(exercise.id)]
    if skipped(progress.placed):  # these come last
        left.sort(key=lambda exercise: exercise.id[:2] < progress.placed)
    essential = [exercise for exercise in left if exercise.id not in _DEEPER]
    times = [(entry.get("passed_at", ""), i) for i, entry in progress.exercises.items()]
    when, last = max(times, default=("", ""))
    later = [exercise for exercise in essential if when and exercise.id > last]
    return next(iter(later + essential + left), None)


def status() -> "Standing":
    """Show the exercises you have passed and what is next: a map in Jupyter, else a table.

    First used in lesson 00.

    Raises
    ------
    OSError
        If the progress file cannot be read.

    Examples
    --------
    >>> "exercises passed" in repr(status())
    True
    """
    # It reads notebooks, and takes a moment to import.
    from .workspace.updating import corrected_in_words

    corrected = "" if runs_a_solution() else corrected_in_words(find_workspace())
    return Standing(read_progress(), corrected)


class Standing:
    """The progress through the course: lesson by lesson, its total, and what is next."""

    def __init__(self, progress: Progress, corrected: str = ""):
        self._progress = progress
        self._corrected = corrected
        self._due = len(due_now(progress))
        self.next = next_exercise(progress)
        names = {f"{lesson.number} {lesson.title}": lesson.exercises() for lesson in LESSONS}
        self._rows = [(name, *self._counts(exercises)) for name, exercises in names.items()]

    def _counts(self, exercises: Collection[Exercise]) -> tuple[str, str]:
        """Say how many of these exercises are passed, and how many of their points."""
        passed = [exercise for exercise in exercises if self._progress.has_passed(exercise.id)]
        earned, possible = (
            sum(exercise.points for exercise in group) for group in (passed, exercises)
        )
        return self._progress.count(exercises), f"{earned} of {possible}"

    def table(self) -> Table:
        """Return the passed exercises, lesson by lesson."""
        counts = (Column(name, justify="right") for name in ("Passed", "Points"))
        table = Table("Lesson", *counts, title="Your progress", title_justify="left")
        for row in self._rows:
            table.add_row(*row)
        return table

    def summary(self) -> list[str]:
        """Return the sentences below the table: the total, and what is next."""
        passed, points = self._counts(all_exercises())
        said = [self._progress.notice] if self._progress.notice else []
        said.append(f"{passed} exercises passed, {points} points.")
        said += [self._corrected] if self._corrected else []
        if covered := skipped(self._progress.placed):
            is_there = any(lesson.number == self._progress.placed for lesson in LESSONS)
            said += [f"Start with lesson {self._progress.placed}."] if is_there else []
            said.append(
                f"Your placement says that you can skip the essentials of {', '.join(covered)}. "
                "They stay open, and `course place`, or `place()` in a notebook, asks you "
                "questions again."
            )
        day = [e for e in all_exercises() if e.id[:2] in ONE_DAY and e.id not in _DEEPER]
        if not all(self._progress.has_passed(exercise.id) for exercise in day):
            said.append(
                f"The course in a day, the essentials of {', '.join(ONE_DAY[:-1])} and "
                f"{ONE_DAY[-1]}: {self._progress.count(day)} exercises passed."
            )
        if self._due:
            questions = "review questions are" if self._due > 1 else "review question is"
            said.append(
                f"{self._due} {questions} due: `course review`, or `review()` in a notebook."
            )
        if self.next is None:
            return [*said, *_FINISHED]
        place = from_here(find_workspace().notebook(find_lesson(self.next.id[:2])))
        return [*said, f"Next: {self.next.id} {self.next.title}, in {place}."]

    def __repr__(self) -> str:
        text = io.StringIO()
        # Without force_jupyter=False, the console would display the table in a notebook.
        console = Console(file=text, width=79, force_jupyter=False)
        console.print(self.table())
        return text.getvalue() + "\n".join(self.summary())

    def _repr_html_(self) -> str:
        import matplotlib.pyplot as plt

        from .lesson_map import plot_lesson_map

        heading = "You have passed every exercise" if self.next is None else "Your progress"
        words = [f"<div>{with_code(sentence)}</div>" for sentence in self.summary()]
        plot_lesson_map(progress=self._progress)
        figure, drawn = plt.gcf(), io.BytesIO()
        figure.savefig(drawn, format="svg")
        plt.close(figure)  # or the notebook would show it once more
        rows = "".join(
            f"<tr>{''.join(f'<td>{html.escape(text)}</td>' for text in row)}</tr>"
            for row in self._rows
        )
        return (
            card(GREEN, f"<div><strong>{heading}</strong></div>", *words)
            + '<img style="max-width:100%" alt="The map of the lessons; the table below it says '
            f'the same." src="data:image/svg+xml;base64,{b64encode(drawn.getvalue()).decode()}">'
            "<details><summary>The same as a table</summary><table><thead><tr><th>Lesson</th>"
            f"<th>Passed</th><th>Points</th></tr></thead><tbody>{rows}</tbody></table></details>"
        )

    def page(self) -> str:
        """Return the same as a whole page."""
        return (
            '<!doctype html><html lang="en"><meta charset="utf-8">'
            '<title>Your progress</title><body style="font-family:sans-serif;max-width:60em">'
            f"{self._repr_html_()}</body></html>\n"
        )


class LessonBar:
    """The exercises of one lesson, each passed or open, and where to go on."""

    def __init__(self, lesson: Lesson, progress: Progress):
        signs, cells = [], []
        essential = [e for e in lesson.exercises() if e.id not in lesson.deeper]
        deeper = [e for e in lesson.exercises() if e.id in lesson.deeper]
        for exercise in essential + deeper:
            passed = progress.has_passed(exercise.id)
            sign, word, colour = ("✓", "passed", GREEN) if passed else ("○", "open", "#777777")
            is_start = exercise in deeper[:1]
            signs.append(f"{'| deeper: ' if is_start else ''}{sign} {exercise.id}")
            gap = "margin-left:1.5em;" if is_start else ""
            cells.append(
                f'<span title="{html.escape(exercise.title)}: {word}" style="flex:1;{gap}'
                f'border-bottom:4px solid {colour};padding:0 .3em">{sign} {exercise.id}</span>'
            )
        advice = _advice(lesson, progress)
        self._text = "  ".join([*signs, advice])
        self._html = (
            f'<div style="display:flex;gap:.3em;max-width:40em">{" ".join(cells)}</div>'
            f"<div>{with_code(advice)}</div>"
        )

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return self._html


def _advice(lesson: Lesson, progress: Progress) -> str:
    exercises = lesson.exercises()
    left = [exercise for exercise in exercises if not progress.has_passed(exercise.id)]
    essential = [exercise for exercise in left if exercise.id not in lesson.deeper]
    counts = f"{progress.count(exercises)} passed."
    if essential:
        verb = "Start" if len(left) == len(exercises) else "Go on"
        return f"{counts} {verb} with Exercise {essential[0].id}: {essential[0].title}."
    following = next_exercise(progress)
    if following is None:
        return f"{counts} You have also passed all other exercises; see `status()`."
    advice = [counts]
    if left:
        advice.append(f"The essentials are done. Exercise {left[0].id} goes deeper, if you like.")
    other = find_lesson(following.id[:2])
    if other != lesson:
        advice.append(f"Next is lesson {other.number} · {other.title}.")
    return " ".join(advice)

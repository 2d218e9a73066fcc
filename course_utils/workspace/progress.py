"""Which exercises were tried and passed: one small file in the learner's working copy."""

import json
import os
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path

from filelock import FileLock, Timeout

from ..exercises.exercise import Exercise
from .atomic_files import write_atomically
from .boxes import Asked, after, predicted
from .curriculum import Lesson
from .folders import Workspace, course_folder, find_workspace

__all__ = [
    "Progress",
    "progress_path",
    "read_progress",
    "record_answer",
    "record_outcome",
    "record_placement",
    "record_prediction",
    "record_start",
    "runs_a_solution",
    "unsaved",
]

_LOCK_SECONDS = 5
_PAUSE = timedelta(minutes=15)  # from which on it is no work on the lesson


@dataclass
class Progress:
    """For each exercise id: ``outcome``, ``score``, ``attempts``, ``checked_at``, ``passed_at``.

    The last is there once the exercise was passed; it and ``checked_at`` are times in UTC.
    ``predictions`` holds, by their ids, what was predicted first, and ``asked`` when each of their
    questions was answered last and in which box it lies. ``worked`` holds, for each lesson,
    ``seconds`` and ``last``. The seconds are those from each start, prediction or check to the
    next, without pauses of more than a quarter of an hour. The last is when the latest one was.
    ``placed`` is the lesson to start with, as ``place`` found. ``notice`` is empty, or says in a
    sentence what was wrong with the file.
    """

    exercises: dict[str, dict] = field(default_factory=dict)
    predictions: dict[str, str] = field(default_factory=dict)
    asked: dict[str, Asked] = field(default_factory=dict)
    worked: dict[str, dict] = field(default_factory=dict)
    placed: str = ""  # the number of the lesson to start with, as `place` found
    notice: str = ""

    def has_passed(self, exercise_id: str) -> bool:
        """Tell whether the exercise was passed at least once."""
        return "passed_at" in self.exercises.get(exercise_id, {})

    def count(self, exercises: Collection[Exercise]) -> str:
        """Say how many of these exercises were passed, as ``2 of 5``."""
        return f"{sum(self.has_passed(each.id) for each in exercises)} of {len(exercises)}"

    def minutes(self, number: str) -> int:
        """Return how long somebody has worked on a lesson."""
        return round(self.worked.get(number, {}).get("seconds", 0) / 60)

    def note_work(self, number: str, now: datetime) -> None:
        """Count the time since something was last done in a lesson, unless that was a pause."""
        entry = self.worked.setdefault(number, {"seconds": 0, "last": now.isoformat()})
        since = now - datetime.fromisoformat(entry["last"])
        if timedelta(0) < since <= _PAUSE:
            entry["seconds"] += since.total_seconds()
        entry["last"] = now.isoformat()


def progress_path() -> Path:
    """Return where progress is kept: in ``$COURSE_PROGRESS_FILE``, or in the workspace."""
    named = os.environ.get("COURSE_PROGRESS_FILE")
    if named:
        return Path(named).expanduser()
    kept = find_workspace().kept
    # Running a worked notebook, or a lesson's source, does not pass its exercises.
    if runs_a_solution():
        return kept / "solutions.json"
    return kept / "progress.json"


def runs_a_solution() -> bool:
    """Tell whether a worked notebook runs, or a lesson's source."""
    folder, script = course_folder(), Path(sys.argv[0]).resolve()
    return Path.cwd() == folder / "solutions" or folder / "lessons" in script.parents


def read_progress(path: Path | None = None) -> Progress:
    """Return what is recorded so far; a file that cannot be read is set aside, never deleted.

    A file is replaced whole, so that reading it needs no lock, and no right to write beside it.
    """
    path = path or progress_path()
    if not path.exists():
        return Progress()
    progress = _parsed(path)
    if progress is not None:
        return progress
    with _opened(path) as progress:
        return progress


def record_start(number: str) -> Progress:
    """Note that somebody begins or goes on with a lesson; OSError as in `record_outcome`."""
    with _opened(progress_path()) as progress:
        progress.note_work(number, datetime.now(timezone.utc))
    return progress


def record_outcome(exercise_id: str, outcome: str, score: float) -> Progress:
    """Add one attempt to the file and return the progress after it.

    OSError says that it cannot be written, or that its lock could not be taken in 5 seconds.
    """
    with _opened(progress_path()) as progress:
        entry = progress.exercises.setdefault(exercise_id, {"attempts": 0})
        moment = datetime.now(timezone.utc)
        progress.note_work(exercise_id[:2], moment)
        now = moment.isoformat(timespec="seconds")
        entry.update(outcome=outcome, score=score)
        if outcome != "not attempted":
            entry["attempts"] += 1
            entry["checked_at"] = now
        if outcome == "passed":
            entry.setdefault("passed_at", now)
    return progress


def record_prediction(prediction_id: str, words: str, is_right: bool) -> str:
    """Keep what was predicted, unless something was before, and return what is kept."""
    with _opened(progress_path()) as progress:
        now = datetime.now(timezone.utc)
        progress.note_work(prediction_id[:2], now)
        if prediction_id not in progress.predictions:
            progress.asked[prediction_id] = predicted(is_right, now)
        return progress.predictions.setdefault(prediction_id, words)


def record_answer(prediction_id: str, is_right: bool) -> None:
    """Move the question of a prediction that came back to its next box, or to the first."""
    with _opened(progress_path()) as progress:
        before = progress.asked.get(prediction_id)
        progress.asked[prediction_id] = after(before, is_right, datetime.now(timezone.utc))


def record_placement(number: str) -> None:
    """Keep the number of the lesson with which to start."""
    with _opened(progress_path()) as progress:
        progress.placed = number


def unsaved(workspace: Workspace, lesson: Lesson) -> list[str]:
    """Return the exercises of a lesson that were checked after its notebook was last saved.

    What the learner typed for them is in JupyterLab, and not yet in the file.
    """
    saved = int(workspace.notebook(lesson).stat().st_mtime)
    known = read_progress().exercises
    times = {each.id: known.get(each.id, {}).get("checked_at", "") for each in lesson.exercises()}
    return [i for i, at in times.items() if at and datetime.fromisoformat(at).timestamp() > saved]


@contextmanager
def _opened(path: Path) -> Iterator[Progress]:
    """Yield what is recorded so far, and write down what the block changes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(f"{path}.lock", timeout=_LOCK_SECONDS):
            progress = _read(path)
            before = deepcopy(progress)
            yield progress
            if progress != before:
                stored = {
                    "version": 1,
                    "exercises": progress.exercises,
                    "predictions": progress.predictions,
                    "asked": {i: each.data() for i, each in progress.asked.items()},
                    "worked": progress.worked,
                } | ({"placed": progress.placed} if progress.placed else {})
                text = json.dumps(stored, indent=1, sort_keys=True)
                write_atomically(path, text + "\n")
    except Timeout as error:
        there = Path(f"{path}.lock").exists()
        why = "another process seems to be using it" if there else "it cannot be created"
        said = f"{path}.lock could not be acquired within {_LOCK_SECONDS} seconds; {why}"
        raise OSError(said) from error


def _parsed(path: Path) -> Progress | None:
    """Return what the file holds; None where that is no progress."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8-sig"))
        asked = {i: Asked.from_data(each) for i, each in stored.get("asked", {}).items()}
        worked = stored.get("worked", {})
        placed = stored.get("placed", "")
        predictions = stored.get("predictions", {})
        progress = Progress(stored["exercises"], predictions, asked, worked, placed)
        attempts = [entry["attempts"] for entry in progress.exercises.values()]
        words = progress.predictions.values()
        are_numbers = all(isinstance(n, int) for n in attempts)
        are_words = all(isinstance(w, str) for w in [*words, placed])
        if are_numbers and are_words and all(map(_is_work, worked.values())):
            return progress
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass  # as where the types are others
    return None


def _is_work(entry: dict) -> bool:
    datetime.fromisoformat(entry["last"])  # ValueError or TypeError where it is no time
    return isinstance(entry["seconds"], int | float)


def _read(path: Path) -> Progress:
    if not path.exists():
        return Progress()
    progress = _parsed(path)
    if progress is not None:
        return progress
    stamp = datetime.now(timezone.utc).strftime("%Y%m%d-%H%M%S-%f")
    aside = path.with_name(f"{path.stem}.damaged-{stamp}{path.suffix}")
    path.replace(aside)
    return Progress(
        notice=f"The progress file could not be read. It is kept as {aside.name}, and a new one "
        "was started; your notebooks are untouched."
    )

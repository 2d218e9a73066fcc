"""What right and wrong programs do on a grading's own inputs, which no student can know.

The seed of an exercise comes from the grading's key, one for all submissions, so that answers that
behave alike can be seen to. The right program is observed on it once; the gallery when the first
answer fails. Both run in a process of their own, in which no learner's code ever runs, and what
they did is kept beside the key.
"""

import hmac
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress
from functools import cache
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from course_utils.exercises.question import first_wrong
from course_utils.exercises.references import SEEDS, Reference
from course_utils.tensorflow_start import quiet_tensorflow, standard_error_held

from .behaviors import Behavior, Taught, question_of
from .journal import Journal
from .learned import Observe, learned_of

__all__ = ["References", "ReferencesFailed"]


class ReferencesFailed(Exception):
    """What right and wrong programs do was not found out: no answer is to blame for it."""


class References:
    """Observes right programs and galleries when they are first asked for.

    Parameters
    ----------
    lessons : Path
        The folder of the lessons, which holds the right programs and the galleries.
    key : bytes
        The grading's secret.
    journal : Journal
        Keeps what was observed.
    version : str
        What a change of exercises changes: then they are observed again.
    """

    def __init__(self, lessons: Path, key: bytes, journal: Journal, version: str):
        self._lessons, self._key, self._journal, self._version = lessons, key, journal, version
        self._lock = threading.RLock()
        self._pool: ProcessPoolExecutor | None = None
        self._observe_learned: Observe = lambda exercise_id, program, seed: None

    def seed(self, exercise_id: str) -> int:
        """Return the secret seed of an exercise; none of those that are stored."""
        drawn = hmac.digest(self._key, exercise_id.encode(), "sha256")[:4]
        return SEEDS + int.from_bytes(drawn, "little")

    def get_ready(self, exercise_ids: Iterable[str]) -> None:
        """Start the process, where something is still to be observed, and do not wait for it."""
        with self._lock:
            new = [id_ for id_ in exercise_ids if not self._journal.get(self._key_of(id_))]
            if new:
                self._submit(_questions_read, new[0][:2])

    def right(self, exercise_id: str) -> Reference:
        """Return what the right program did."""
        return Reference.from_data(self._data(exercise_id, False)["seed"], [])

    def whole(self, exercise_id: str) -> Reference:
        """Return what the right program and the gallery did."""
        data = self._data(exercise_id, True)
        reference = Reference.from_data(data["seed"], data["mistakes"])
        reference.wrong.extend(
            behavior.as_mistake(taught.name, taught.sentence)
            for taught, behavior in self._learned(exercise_id)
        )
        return reference

    def _learned(self, exercise_id: str) -> Iterator[tuple[Taught, Behavior]]:
        """Yield what was learned about an exercise, and what each program does on its seed."""
        for taught in learned_of(self._lessons, exercise_id):
            key = f"{self._version} {exercise_id} learned {taught.program}"
            with self._lock:
                data = self._journal.get(key)
                if data is None:
                    seed = self.seed(exercise_id)
                    observation = self._observe_learned(exercise_id, taught.program, seed)
                    if observation is None:  # it did not end: the next grading tries again
                        continue
                    behavior = self._behavior_of(taught, observation)
                    data = behavior.to_json() if behavior else []
                    self._journal.add(key, data)
            if data:
                yield taught, Behavior.from_json(data)

    def _behavior_of(self, taught: Taught, observation: Any) -> Behavior | None:
        """Return what a learned program does; None if it is right here, or does not run."""
        exercise = taught.exercise
        try:
            # All of it: answers are compared with it as with the known mistakes.
            wrong = first_wrong(question_of(exercise), observation, self.right(exercise))
            return Behavior.of(*wrong) if wrong else None
        except (KeyError, TypeError, ValueError):
            return None

    def learn(self, observe: Observe) -> None:
        """Set how students' programs are observed, which is never in the trusted process."""
        self._observe_learned = observe

    def close(self) -> None:
        """End the process, whatever it is at."""
        if self._pool is not None:
            self._far_end.close()
            self._pool.shutdown(cancel_futures=True)

    def _data(self, exercise_id: str, with_gallery: bool) -> dict:
        key = self._key_of(exercise_id, with_gallery)
        with self._lock:  # of several answers that fail at once, the first has the gallery observed
            data = self._journal.get(key)
            if data is None:
                arguments = (exercise_id, self.seed(exercise_id), with_gallery)
                try:
                    data = self._submit(_observe, *arguments).result()
                except Exception as error:
                    self._pool = None  # a process that died is no more use
                    raise ReferencesFailed(
                        f"The reference programs for {exercise_id} did not run "
                        f"({type(error).__name__}: {error})."
                    ) from error
                self._journal.add(key, data)
        return data

    def _key_of(self, exercise_id: str, with_gallery: bool = False) -> str:
        return f"{self._version} {exercise_id} {'gallery' if with_gallery else 'right'}"

    def _submit(self, function: Callable, *arguments: Any) -> Future:
        if self._pool is None:
            context = get_context("spawn")
            end, self._far_end = context.Pipe(duplex=False)
            self._pool = ProcessPoolExecutor(1, context, _settle, (end,))
        return self._pool.submit(function, self._lessons, *arguments)


def _settle(grader: Connection) -> None:
    """Leave Ctrl-C to the grader, and end once it closes its end, or is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def end_with_the_grader() -> None:
        with suppress(EOFError, OSError):
            grader.recv()
        os._exit(1)  # at once: TensorFlow would take a second to leave in order

    threading.Thread(target=end_with_the_grader, daemon=True).start()
    quiet_tensorflow()


def _observe(lessons: Path, exercise_id: str, seed: int, with_gallery: bool) -> dict:
    """Return, as JSON can hold it, what is known of an exercise on a seed; runs in the process."""
    with standard_error_held():  # what TensorFlow writes would stand among the grading's lines
        return _questions(lessons, exercise_id[:2]).data_on(exercise_id, seed, with_gallery)


def _questions_read(lessons: Path, number: str) -> None:
    with standard_error_held():
        _questions(lessons, number)


@cache
def _questions(lessons: Path, number: str) -> Any:
    from course_staff.authoring.questions import Questions
    from course_staff.authoring.source import read_lesson

    (path,) = lessons.glob(f"{number}_*/lesson.py")
    return Questions(read_lesson(path))

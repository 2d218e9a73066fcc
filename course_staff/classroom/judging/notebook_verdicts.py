"""From what a run reported to one verdict for each exercise; no learner's code runs here."""

import hashlib
import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from course_utils.exercises.errors_in_words import cause_in_words
from course_utils.exercises.exercise import Exercise, Judgement, stubs
from course_utils.exercises.judging import assess
from course_utils.exercises.question import Question

from ..running.conversation import Run
from ..sandbox.answers import TOO_LARGE, bound_names
from .behaviors import Behavior, behavior_of
from .journal import NotKept
from .secret_references import References, ReferencesFailed

__all__ = ["OUTCOMES", "Examination", "Verdict", "fingerprint", "plain"]

OUTCOMES = ("passed", "failed", "not attempted", "error", "timeout", "crashed", "unreadable")

_LONGEST_MESSAGE = 1_000  # characters
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    r"\ud800-\udfff\ufffe\uffff]"
)


@dataclass(frozen=True)
class Verdict:
    """What one exercise of one submission ends in.

    ``score`` is the fraction of its points; ``mistake`` names what went wrong. ``behavior`` is that
    of a wrong answer, where no program of the gallery did the same. ``note`` says how the notebook
    ended, where it was stopped after this answer.
    """

    outcome: str
    message: str
    score: float = 0.0
    mistake: str = ""
    behavior: Behavior | None = None
    note: str = ""

    def to_json(self) -> dict:
        """Return the verdict as JSON can hold it."""
        return vars(self) | {"behavior": self.behavior and self.behavior.to_json()}

    @classmethod
    def from_json(cls, data: dict) -> "Verdict":
        """Return what `to_json` wrote."""
        behavior = data["behavior"] and Behavior.from_json(data["behavior"])
        return cls(**data | {"behavior": behavior})


class Examination:
    """Gives one submission its seeds, judges its observations, and decides what counts.

    Parameters
    ----------
    exercises : dict of str to Exercise
        The exercises of the lesson by id.
    references : References
        What right and wrong programs did on the seeds of this grading.
    """

    def __init__(self, exercises: dict[str, Exercise], references: References):
        self._exercises, self._references = exercises, references
        self._verdicts: dict[str, list[Verdict]] = {exercise_id: [] for exercise_id in exercises}

    def seed(self, exercise_id: str) -> int:
        """Return a seed that no learner's code can know before it is sent."""
        self._exercises[exercise_id]  # nothing else can be asked for
        return self._references.seed(exercise_id)

    def take(self, exercise_id: str, seed: int, observation: Any) -> None:
        """Judge one observation; None stands for one that ran longer than allowed."""
        exercise = self._exercises[exercise_id]
        verdict = _judge(exercise, observation, seed, self._references)
        self._verdicts[exercise_id].append(verdict)

    def decide(self, run: Run, own_names: Collection[str] = ()) -> dict[str, Verdict]:
        """Return the verdict on each exercise: the last answer that is more than the stub.

        ``own_names`` are those that the student's cells define, to recognize a renamed answer.
        """
        sources = [stubs()[i]["source"] for i in self._exercises if i in stubs()]
        others = set(own_names).difference(*map(bound_names, sources))
        return {i: self._decide(i, run, others) for i in self._exercises}

    def _decide(self, exercise_id: str, run: Run, own_names: Collection[str]) -> Verdict:
        if run.ended == "unreadable":
            return Verdict("unreadable", plain(run.message))
        if run.pending == exercise_id:
            return _broken_off(run, "while this answer ran")
        verdicts = self._verdicts[exercise_id]
        attempted = [v for v in verdicts if v.outcome != "not attempted"]
        if attempted:
            return replace(attempted[-1], note=_note(run))
        if exercise_id in run.cell_errors:
            return _stopped_cell(run.cell_errors[exercise_id])
        if verdicts:
            return replace(verdicts[-1], note=_note(run))
        if run.ended != "done":
            return _broken_off(run, f"in code cell {run.cell}, before this answer was reached")
        names = bound_names(stubs().get(exercise_id, {}).get("source", ""))
        if not names:
            message = "The notebook never defines the answer. Define it in the exercise's cell."
            return Verdict("not attempted", message)
        message = f"The notebook never defines `{names[-1]}`."
        if renamed := get_close_matches(names[-1], own_names, 1, cutoff=0.5):
            message += f" If `{renamed[0]}` is your answer, give it the name `{names[-1]}`."
        return Verdict("not attempted", plain(message))


def _judge(exercise: Exercise, observation: Any, seed: int, references: References) -> Verdict:
    if observation is None:
        message = (
            "Your code ran too long and was stopped. Look for a loop "
            "whose condition never becomes false, or that takes too many steps."
        )
        return Verdict("timeout", message)
    if isinstance(observation, dict) and "broken" in observation:
        why = _why_broken(observation)
        return Verdict("error", f"This answer was not graded: {why}. {_RUN_AGAIN}")
    try:
        with np.errstate(all="ignore"):
            judgement, behavior = _compared(exercise, observation, seed, references)
    except (NotKept, ReferencesFailed):  # this machine's fault, not the answer's
        raise
    except (Exception, RecursionError) as error:  # an answer such as nobody thought of, or forged
        message = (
            f"The check could not make sense of this answer ({type(error).__name__}). "
            "Return plain numbers, tensors, or lists or dicts of them."
        )
        return Verdict("error", message)
    score = min(1.0, max(0.0, float(judgement.score)))
    return Verdict(judgement.outcome, plain(judgement.message), score, judgement.mistake, behavior)


_RUN_AGAIN = "Restart the kernel, run the notebook from the top, and correct the answer."


def _why_broken(observation: dict) -> str:
    """Return why an answer has no observation, in no words but those of `sandbox`."""
    why = str(observation["broken"])[:_LONGEST_MESSAGE]
    is_known = why == TOO_LARGE or re.fullmatch(r"calling it raised [A-Za-z_]\w{0,99}", why)
    return why if is_known else "its result could not be read"


def _note(run: Run) -> str:
    if run.ended == "done":
        return ""
    where = f"in code cell {run.cell}" if run.cell else "at its end"
    return _broken_off(run, f"{where}, after this answer").message


def _compared(
    exercise: Exercise, observation: dict, seed: int, references: References
) -> tuple[Judgement, Behavior | None]:
    """Compare with the right program, and with the gallery if the answer fails.

    The second result is what the answer did, where no program of the gallery did the same.
    """
    if not isinstance(exercise, Question):
        return assess(exercise, observation, seed), None
    judgement = assess(exercise, observation, seed, references.right(exercise.id))
    if judgement.outcome in ("passed", "not attempted"):
        return judgement, None
    whole = references.whole(exercise.id)
    judgement = assess(exercise, observation, seed, whole)
    # A name that no cell defined is no mistake in the exercise.
    is_explained = judgement.recognised or judgement.mistake == "raised NameError"
    behavior = None if is_explained else behavior_of(exercise, observation, whole)
    return judgement, behavior


def _stopped_cell(error: Any) -> Verdict:
    """Return the verdict on an exercise whose own cell did not run to its end."""
    try:
        kind, text, line = (str(error[name]) for name in ("type", "message", "line"))
        timed_out = bool(error["timed_out"])
    except (TypeError, KeyError, RecursionError):
        return Verdict(
            "error",
            "The cell for this exercise did not run. Restart the kernel, run the notebook from the "
            "top, and fix the first error.",
        )
    if timed_out:
        return Verdict(
            "timeout",
            plain(
                f"The cell for this exercise did not finish: {text}. Look "
                "for a loop that never ends."
            ),
        )
    where = f" at `{line}`" if line else ""
    cause = cause_in_words({"message": text, "line": line}) or text.rstrip(".")
    said = f": {cause}" if cause else ""
    message = plain(
        f"The cell for this exercise raised {kind}{where}{said}. To see the error, restart the "
        "kernel and run the notebook from the top."
    )
    return Verdict("error", message, mistake=plain(f"raised {kind}"))


def _broken_off(run: Run, where: str) -> Verdict:
    if run.ended == "time":
        return Verdict("timeout", plain(f"The notebook ran too long and was stopped {where}."))
    causes = {
        "memory": "used more memory than allowed and was stopped",
        "processes": "started more processes than allowed and was stopped",
        "nonsense": "sent the grader an invalid message and was stopped",
    }
    if run.ended == "nonsense":  # threads may have sent it: the cell is a matter of chance
        where = "before this answer was reached"
    cause = causes.get(run.ended, f"ended its own process ({_ending(run.ended)})")
    return Verdict("crashed", plain(f"The notebook {cause} {where}."))


def _ending(ended: str) -> str:
    return f"exit status {ended}" if ended.isdigit() else ended


def plain(text: str) -> str:
    """Return text without characters that files and terminals cannot hold, and not too long."""
    text = _CONTROL.sub("\ufffd", text)
    return text if len(text) <= _LONGEST_MESSAGE else f"{text[:_LONGEST_MESSAGE]}..."


def fingerprint(*parts: bytes) -> str:
    """Return a digest of several byte strings, each kept apart from the next."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()

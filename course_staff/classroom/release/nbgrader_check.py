"""The ``check`` that nbgrader's autograder runs in place of the student's.

It says the same, and shows as plain text the number of points, which is what nbgrader reads. The
answer is called in the student's kernel, and what it returned is judged in a process of its own, in
which no line of the student's ran.

Notes
-----
nbgrader itself trusts the kernel that runs a student's code to report the points. Code that is
written to deceive it, by changing how the kernel starts processes or shows results, can; see
``course grade`` for judging outside of that kernel.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from IPython.utils.capture import capture_output

from course_utils.checking import CheckResult
from course_utils.exercises.exercise import Exercise, Judgement
from course_utils.exercises.judging import observe_and_judge
from course_utils.exercises.references import SEEDS
from course_utils.tensorflow_start import standard_error_held
from course_utils.workspace.curriculum import find_exercise

__all__ = ["Points", "check"]

_ROOT = Path(__file__).parents[3]
_SECONDS = 60

_JUDGE = """
import json, sys
from course_utils.workspace.curriculum import find_exercise
from course_utils.exercises.judging import assess
judgement = assess(find_exercise(sys.argv[1]), json.load(sys.stdin), int(sys.argv[2]))
print(json.dumps([judgement.outcome, judgement.message, float(judgement.score)]))
"""


@dataclass(frozen=True)
class Points:
    """What a check awards: the message where HTML is shown, the number where text is read."""

    awarded: float
    result: CheckResult

    def __repr__(self) -> str:
        return str(self.awarded)

    def _repr_html_(self) -> str:
        return self.result._repr_html_()


def _judged_apart(exercise: Exercise, observation: Any, seed: int) -> Judgement:
    """Judge in a process that starts anew."""
    finished = subprocess.run(
        [sys.executable, "-c", _JUDGE, exercise.id, str(seed)],
        cwd=_ROOT,  # which Python imports from first, and not from the student's folder
        input=json.dumps(observation),
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=True,
    )
    return Judgement(*json.loads(finished.stdout))


def check(exercise_id: str, answer: Any = ...) -> Points:
    """Return the points for an answer; never raises for a wrong one, and records no progress.

    Parameters
    ----------
    exercise_id : str
        Such as ``"01.2"``.
    answer : object
        What the exercise asks for.
    """
    exercise = find_exercise(exercise_id)
    seed = int.from_bytes(os.urandom(4), "little") % SEEDS
    # nbgrader takes the first result that a cell shows, and a warning for a failure: what the
    # answer itself shows or writes must not be taken for either.
    with standard_error_held(), capture_output():
        judgement, printed = observe_and_judge(exercise, answer, seed, _judged_apart)
    result = CheckResult(
        exercise.id, judgement.outcome, judgement.message, exercise.title, printed=printed
    )
    return Points(round(exercise.points * judgement.score, 4), result)

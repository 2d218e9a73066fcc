"""Measure whether any verdict on the answers of the tests depends on the inputs that are drawn."""

import argparse
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

_ROOT = Path(__file__).parents[1]
_EXPLANATION = """
The tests judge each answer of their corpus on one of the eight stored seeds. Here each is judged on
all of them, as `check` may draw any.

Bound: every right answer passes, and every wrong one is told its own mistake, on every seed. All
lessons took less than 20 minutes on two busy cores. It exits with 1 if the bound is missed.
"""


def main() -> int:
    """Judge every answer on every seed, print by lesson what went wrong; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=_EXPLANATION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--lessons", nargs="+", metavar="NN", help="these lessons (all)")
    options = parser.parse_args()
    sys.path.insert(0, str(_ROOT))
    from course_utils.exercises.lesson_questions import load
    from course_utils.exercises.references import SEEDS
    from course_utils.tensorflow_start import quiet_tensorflow
    from course_utils.workspace.curriculum import LESSONS

    quiet_tensorflow()
    console = Console()
    table = Table("lesson", "answers", "seeds", "wrong verdicts")
    failures = []
    for lesson in LESSONS:
        if lesson.number in (options.lessons or [lesson.number]):
            corpus = load(_ROOT / "lessons" / lesson.name / "answers.py")
            answers = [
                (exercise, name, answer)
                for exercise in lesson.exercises()
                for name, answer in _answers(corpus, exercise.id)
            ]
            with console.status(f"lesson {lesson.number}"):
                verdicts = [_failure(*each, seed) for each in answers for seed in range(SEEDS)]
            found = list(filter(None, verdicts))
            table.add_row(lesson.number, str(len(answers)), str(SEEDS), str(len(found)))
            failures += found
    console.print(table)
    for failure in failures[:20]:
        console.print(failure, highlight=False)
    console.print(f"{len(failures)} wrong verdicts; bound: 0.")
    return 1 if failures else 0


def _answers(corpus, exercise_id: str) -> list[tuple[str, object]]:
    """Return the answers to an exercise, each with its mistake; a right one has none."""
    right = [("", answer) for answer in corpus.RIGHT.get(exercise_id, [])]
    return right + list(corpus.WRONG.get(exercise_id, []))


def _failure(exercise, name: str, answer: object, seed: int) -> str:
    from course_utils.exercises.judging import observe_and_judge

    judgement, _ = observe_and_judge(exercise, answer, seed)
    is_right = judgement.outcome == "passed"
    if is_right != bool(name) and (is_right or judgement.mistake == name):
        return ""
    told = judgement.mistake or judgement.outcome
    return f"{exercise.id}, {name or 'a right answer'}, seed {seed}: {told}"


if __name__ == "__main__":
    sys.exit(main())

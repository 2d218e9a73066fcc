"""What ``class-to-show.html`` shows: a page for the wall, in which nobody can be recognised.

It holds no name, no file, no point and no word of an answer. Numbers are shares, rounded, and only
of groups in which one person does not stand out.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

from course_utils.exercises.comparing import is_general
from course_utils.exercises.question import Question
from course_utils.exercises.references import stored
from course_utils.workspace.curriculum import (
    all_exercises,
    find_exercise,
    find_lesson,
    find_prediction,
)

from ..judging.grading import Grading
from ..judging.rows import Row

__all__ = ["FEWEST", "values_to_show"]

FEWEST = 5  # people in any group of which something is said
_STEP = 5  # percent
_MOST_MISTAKES = 3  # of an exercise


def values_to_show(grading: Grading) -> dict:
    """Return what the template of the page asks for."""
    by_exercise: dict[str, list[Row]] = defaultdict(list)
    for row in grading.counting:
        by_exercise[row.exercise].append(row)
    lessons: dict[str, list[dict]] = {}
    for exercise in all_exercises():
        if len(rows := by_exercise[exercise.id]) >= FEWEST:
            lessons.setdefault(exercise.id[:2], []).append(
                {
                    "id": exercise.id,
                    "title": exercise.title,
                    "share": _share(sum(row.outcome == "passed" for row in rows), len(rows)),
                    "mistakes": _mistakes(exercise.id, rows),
                }
            )
    return {
        "lessons": [(find_lesson(number), lines) for number, lines in lessons.items()],
        "predictions": _predictions(grading.predicted),
        "fewest": FEWEST,
        "is_jailed": grading.is_jailed,
    }


def _share(count: int, total: int) -> int | None:
    """Return a rounded share in percent, such that no small group can be worked out from it.

    0 is nearly nobody, 100 nearly everybody, and None is said of a class too small for either.
    """
    if FEWEST <= count <= total - FEWEST:
        return min(100 - _STEP, max(_STEP, _STEP * round(100 * count / total / _STEP)))
    if total < 3 * FEWEST:
        return None
    return 0 if count < FEWEST else 100


def _mistakes(exercise_id: str, rows: Sequence[Row]) -> list[dict]:
    """Return the named mistakes that enough people made, with what everybody is told of them."""
    total = len(rows)
    told: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        if row.outcome == "failed" and row.mistake and not is_general(row.mistake):
            told[row.mistake][row.message] += 1
    known = {}
    if isinstance(find_exercise(exercise_id), Question):
        known = {each["name"]: each["sentence"] for each in stored(exercise_id)["mistakes"]}
    lines = []
    for name, messages in told.items():
        sentence, alike = messages.most_common(1)[0]
        if messages.total() >= FEWEST and (name in known or alike >= FEWEST):
            line = {"name": name, "sentence": known.get(name, sentence)}
            lines.append(
                (-messages.total(), name, line | {"share": _share(messages.total(), total)})
            )
    return [line for *_, line in sorted(lines, key=lambda each: each[:2])][:_MOST_MISTAKES]


def _predictions(predicted: dict[str, Counter[str]]) -> list[dict]:
    """Return what was predicted, the truth first; answers of few people stand together."""
    lines = []
    for prediction_id, answers in predicted.items():
        total, right = answers.total(), find_prediction(prediction_id).right
        if total < FEWEST:
            continue
        others = [(w, c) for w, c in answers.most_common() if w != right and c >= FEWEST]
        bars = [{"words": words, "share": _share(count, total)} for words, count in others]
        first = {"words": right, "share": _share(answers[right], total)}
        lines.append({"id": prediction_id, "truth": first, "others": bars})
    return lines

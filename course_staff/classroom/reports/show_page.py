"""What ``class-to-show.html`` shows: a page for the projector, which identifies nobody.

It holds no name, no file, no point and no word of an answer. Numbers are rounded shares, and only
of groups that are large enough to hide in. A smaller class sees its mistakes without numbers.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from course_utils.exercises.comparing import is_general
from course_utils.exercises.question import Question, ValueQuestion
from course_utils.exercises.references import stored
from course_utils.exercises.values import known_values
from course_utils.workspace.curriculum import (
    all_exercises,
    find_exercise,
    find_lesson,
    find_prediction,
)

from ..judging.behaviors import Taught
from ..judging.predicted import asked
from ..judging.results import Grading, Row

__all__ = ["FEWEST", "values_to_show"]

FEWEST = 5  # people in any group of which a number is given
FEWEST_OF_ALL = 3  # people of whom anything is said
_STEP = 5  # percent
_MOST_MISTAKES = 3  # of an exercise


def values_to_show(grading: Grading) -> dict:
    """Return what the template of the page asks for."""
    by_exercise: dict[str, list[Row]] = defaultdict(list)
    for row in grading.counting:
        by_exercise[row.exercise].append(row)
    lessons: dict[str, list[dict]] = {}
    for exercise in all_exercises():
        if len(rows := by_exercise[exercise.id]) >= FEWEST_OF_ALL:
            share = _share(sum(row.outcome == "passed" for row in rows), len(rows))
            line = {"id": exercise.id, "title": exercise.title, "share": share}
            mistakes = _mistakes(rows, _known(exercise.id, grading.taught))
            lessons.setdefault(exercise.id[:2], []).append(line | mistakes)
    return {
        "lessons": [(find_lesson(number), lines) for number, lines in lessons.items()],
        "predictions": _predictions(grading.predicted),
        "fewest": FEWEST,
        "fewest_of_all": FEWEST_OF_ALL,
        "is_sandboxed": grading.is_sandboxed,
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


def _known(exercise_id: str, taught: Sequence[Taught]) -> dict[str, str]:
    """Return the sentences that do not quote an answer, by the name of the mistake."""
    exercise, known = find_exercise(exercise_id), {}
    if isinstance(exercise, Question):
        known = {each["name"]: each["sentence"] for each in stored(exercise_id)["mistakes"]}
        known |= {demand.name: demand.sentence for demand in exercise.demands}
    elif isinstance(exercise, ValueQuestion):
        known = known_values(exercise, stored(exercise_id))
    return known | {each.name: each.sentence for each in taught if each.exercise == exercise_id}


def _mistakes(rows: Sequence[Row], known: Mapping[str, str]) -> dict:
    """Return the named mistakes and what helps: with a share those that enough people made.

    The others of the ``known`` ones have no count, and are in the order of the alphabet.
    """
    messages_of: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        if row.outcome == "failed" and row.mistake and not is_general(row.mistake):
            messages_of[row.mistake][row.message] += 1
    often, seldom = [], []
    for name, messages in messages_of.items():
        sentence, alike = messages.most_common(1)[0]
        line = {"name": name, "sentence": known.get(name, sentence)}
        if messages.total() >= FEWEST and (name in known or alike >= FEWEST):
            share = _share(messages.total(), len(rows))
            often.append((-messages.total(), name, line | {"share": share}))
        elif name in known:
            seldom.append((name, line))
    shown = [line for *_, line in sorted(often, key=lambda entry: entry[:2])][:_MOST_MISTAKES]
    return {"mistakes": shown, "uncounted": [line for _, line in sorted(seldom)]}


def _predictions(predicted: dict[str, Counter[str]]) -> list[dict]:
    """Return what was predicted, the truth first, and the answers of few people without a number.

    What was most often predicted wrongly comes first, because a lesson may begin with it.
    """
    lines = []
    for prediction_id, answers in predicted.items():
        total, prediction = answers.total(), find_prediction(prediction_id)
        if total < FEWEST:
            continue
        right = prediction.right
        others = [(w, c) for w, c in answers.most_common() if w != right and c >= FEWEST]
        bars = [{"words": words, "share": _share(count, total)} for words, count in others]
        shown = {right, *(words for words, _ in others)}
        rare = [words for words in prediction.options if words not in shown]
        first = {"words": right, "share": _share(answers[right], total)}
        if first["share"] is None and not bars:
            continue  # no number is shown
        line = {"id": prediction_id, "truth": first, "others": bars, "rare": rare}
        line["question"] = asked(find_lesson(prediction_id[:2])).get(prediction_id, "")
        lines.append((answers[right] / total, prediction_id, line))
    return [line for *_, line in sorted(lines, key=lambda each: each[:2])]

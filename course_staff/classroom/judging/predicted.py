"""What a class predicted, beside the truth: read from the notebooks' text, nothing is run."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise

from course_utils.workspace.curriculum import Lesson, find_lesson, find_prediction
from course_utils.workspace.originals import GivenError, given_notebook

from ..intake.submissions import Submission
from ..sandbox.cells import Cell

__all__ = ["asked", "count_predictions", "prediction_lines"]

# What stands between the quotes; a number or None may stand without them.
_CALL = re.compile(
    r"^predict\(\s*[\"'](\d\d\.[a-z])[\"']\s*,\s*([\"']?)(.{0,60}?)\2\s*\)\s*$", re.M
)


_OPTION = re.compile(r"- \*\*[a-z]\*\*: ")


@cache
def asked(lesson: Lesson) -> dict[str, str]:
    """Return the questions of a lesson's predictions in the words of its notebook, by their ids.

    Where the notebook as it is given is not there, nothing is returned.
    """
    try:
        cells = given_notebook(lesson.name)["cells"]
    except (GivenError, OSError):
        return {}
    found = {}
    for text, code in pairwise("".join(cell["source"]) for cell in cells):
        call = _CALL.match(code)
        if call and "> **Predict**" in text:
            lines = [line.lstrip("> ") for line in text.split("> **Predict**")[1].splitlines()]
            found[call[1]] = " ".join(x for x in lines if x and not _OPTION.match(x))
    return found


def count_predictions(
    submissions: Iterable[Submission], cells: Mapping[str, Sequence[Cell]]
) -> dict[str, Counter[str]]:
    """Return how often each answer was given to each prediction that somebody committed to.

    Parameters
    ----------
    submissions : iterable of Submission
        Only those that count are read.
    cells : mapping of str to sequence of Cell
        The code cells of each submission that can be read, by its place.
    """
    counts: dict[str, Counter[str]] = {}
    for submission in submissions:
        if submission.counts:
            predicted = _predicted_in(submission.lesson, cells.get(submission.place, ()))
            for prediction_id, words in predicted.items():
                counts.setdefault(prediction_id, Counter())[words] += 1
    return dict(sorted(counts.items()))


def prediction_lines(counts: dict[str, Counter[str]]) -> list[dict]:
    """Return a table's lines: the truth, how many predicted it, and what the others predicted."""
    lines: list[dict] = []
    for prediction_id, answers in counts.items():
        prediction = find_prediction(prediction_id)
        right = prediction.right
        others = [(words, count) for words, count in answers.most_common() if words != right]
        others += [(words, 0) for words in prediction.options if words not in (*answers, right)]
        question = asked(find_lesson(prediction_id[:2])).get(prediction_id, "")
        counted = {"hits": answers[right], "total": answers.total(), "others": others}
        lines.append({"id": prediction_id, "question": question, "right": right} | counted)
    return sorted(lines, key=lambda line: line["hits"] / line["total"])


def _predicted_in(lesson: str, cells: Sequence[Cell]) -> dict[str, str]:
    """Return the last answer to each prediction of a lesson, in the words of its options."""
    asked = {prediction.id: prediction for prediction in find_lesson(lesson).predictions()}
    found = {}
    for call in (call for cell in cells for call in _CALL.finditer(cell.source)):
        words = asked[call[1]].meant(call[3]) if call[1] in asked else None
        if words is not None and words != "...":
            found[call[1]] = words
    return found

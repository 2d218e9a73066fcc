"""What a class predicted, beside the truth: read from the notebooks' text, nothing is run."""

import re
from collections import Counter
from collections.abc import Callable, Iterable

from course_utils.workspace.curriculum import find_lesson, find_prediction

from ..intake.submissions import Submission
from ..jail.cells import read_cells

__all__ = ["count_predictions", "prediction_lines"]

# What stands between the quotes; a number or None may stand without them.
_CALL = re.compile(
    r"^predict\(\s*[\"'](\d\d\.[a-z])[\"']\s*,\s*([\"']?)(.{0,60}?)\2\s*\)\s*$", re.M
)


def count_predictions(
    submissions: Iterable[Submission], read_data: Callable[[Submission], bytes]
) -> dict[str, Counter[str]]:
    """Return how often each answer was given to each prediction that somebody committed to.

    Parameters
    ----------
    submissions : iterable of Submission
        Only those that count are read.
    read_data : callable
        Returns the bytes of one; where it raises, nothing is counted.
    """
    counts: dict[str, Counter[str]] = {}
    for one in submissions:
        if one.counts:
            for prediction_id, words in _predicted_in(one, read_data).items():
                counts.setdefault(prediction_id, Counter())[words] += 1
    return dict(sorted(counts.items()))


def prediction_lines(counts: dict[str, Counter[str]]) -> list[dict]:
    """Return a table's lines: the truth, how many predicted it, and what the others predicted."""
    lines = []
    for prediction_id, answers in counts.items():
        right = find_prediction(prediction_id).right
        others = [(words, count) for words, count in answers.most_common() if words != right]
        line = {"id": prediction_id, "right": right, "hits": answers[right], "others": others}
        lines.append(line | {"total": answers.total()})
    return sorted(lines, key=lambda line: line["hits"] / line["total"])


def _predicted_in(one: Submission, read_data: Callable[[Submission], bytes]) -> dict[str, str]:
    try:
        cells = read_cells(read_data(one))
    except Exception:  # its verdicts say what is wrong with it
        return {}
    asked = {prediction.id: prediction for prediction in find_lesson(one.lesson).predictions()}
    found = {}
    for call in (call for cell in cells for call in _CALL.finditer(cell.source)):
        words = asked[call[1]].meant(call[3]) if call[1] in asked else None
        if words is not None and words != "...":
            found[call[1]] = words
    return found

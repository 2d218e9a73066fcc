import json
import re
from collections import Counter
from contextlib import suppress

import pytest

from course_staff.classroom.intake.submissions import Submission
from course_staff.classroom.judging import predicted
from course_staff.classroom.judging.results import Grading
from course_staff.classroom.reports.class_page import class_values
from course_staff.classroom.reports.pages import _render
from course_staff.classroom.sandbox.cells import NotANotebook, read_cells
from course_utils.exercises.callouts import Callout
from course_utils.workspace.curriculum import LESSONS, Lesson

LETTERED = Callout("04.a", right="9", options={"27": "No.", "9": "Yes."})
TYPED = Callout("04.b", right="0", options={"0": "Yes.", "6": "No."}, otherwise="No.")


@pytest.fixture
def count(tmp_path, monkeypatch):
    monkeypatch.setattr(Lesson, "predictions", lambda lesson: (LETTERED, TYPED))

    def count_in(*notebooks, counts=True):
        handed_in = []
        for number, notebook in enumerate(notebooks):
            path = tmp_path / f"{number}.ipynb"
            if isinstance(notebook, list):
                cells = [{"cell_type": "code", "source": source} for source in notebook]
                notebook = json.dumps({"cells": cells})
            path.write_text(notebook)
            one = Submission(str(number), "04", path, path.name, 0.0, counts=counts)
            handed_in.append(one)
        cells = {}
        for one in handed_in:
            with suppress(NotANotebook):
                cells[one.place] = read_cells(one.path.read_bytes())
        return predicted.count_predictions(handed_in, cells)

    return count_in


def test_what_a_class_predicted_is_counted(count):
    first = ['predict("04.a", "a")', "predict( '04.b' , 6 )"]
    second = ['predict("04.a", "B")', 'predict("04.b", "17")']
    assert count(first, second, second) == {
        "04.a": {"27": 1, "9": 2},
        "04.b": {"6": 1, "17": 2},
    }


def test_of_several_answers_the_last_counts(count):
    assert count(['predict("04.a", "a")', 'predict("04.a", "b")']) == {"04.a": {"9": 1}}


@pytest.mark.parametrize(
    "source",
    [
        'predict("04.a", "")',
        'predict("04.a", ...)',
        'predict("04.a", "z")',
        'predict("99.a", "a")',
        'print(\'predict("04.a", "a")\')',
        'predict("04.a", open("/etc/passwd").read())',
        'predict("04.b", "' + "x" * 10**6,
    ],
)
def test_what_is_no_prediction_is_left_out(count, source):
    assert count([source]) == {}


def test_what_cannot_be_read_or_does_not_count_is_left_out(count):
    assert count("{", "[]", '{"cells": 3}') == {}
    assert count(['predict("04.a", "a")'], counts=False) == {}


def test_the_truth_stands_beside_what_was_predicted(monkeypatch):
    known = {"04.a": LETTERED, "04.b": TYPED}
    monkeypatch.setattr(predicted, "find_prediction", known.__getitem__)
    counts = {"04.a": Counter({"9": 3, "27": 1}), "04.b": Counter({"6": 2, "17": 1, "0": 1})}
    monkeypatch.setattr(predicted, "asked", lambda lesson: {"04.a": "What is it?"})
    typed, lettered = predicted.prediction_lines(counts)
    assert typed == {
        "id": "04.b", "question": "", "right": "0", "hits": 1, "total": 4,
        "others": [("6", 2), ("17", 1)],
    }  # fmt: skip
    assert lettered["question"] == "What is it?" and lettered["hits"] == 3
    assert lettered["others"][0] == ("27", 1)
    assert dict(lettered["others"]).keys() | {"9"} == LETTERED.options.keys()  # with the unchosen


def test_every_prediction_has_its_question_in_the_words_of_the_notebook():
    for lesson in LESSONS:
        questions = predicted.asked(lesson)
        assert list(questions) == [each.id for each in lesson.predictions()]
        assert all(re.search(r"[.?:]$", words) for words in questions.values()), questions
        assert not any("- **a**" in words for words in questions.values())


def test_the_class_page_shows_them():
    grading = Grading(predicted={"04.c": Counter({"9": 1, "27": 2})})
    page = _render("class.html", **class_values(grading, {}))
    row = page[page.index("What the class predicted</h2>") :]
    assert row.index("04.c") < row.index("1 of 3") < row.index("27: 2")

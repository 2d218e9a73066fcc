import json

import numpy as np
import pytest

from course_utils import predict, predicting
from course_utils.exercises.callouts import Callout
from course_utils.workspace.curriculum import Lesson
from course_utils.workspace.progress import read_progress, record_outcome

LETTERED = Callout(
    "04.x",
    right="9",
    options={"27": "The truth, `3 * x**2`.", "9": "A <new> tape.", "an error": "It would be fair."},
)
TYPED = Callout(
    "04.y",
    right="float64",
    options={"float64": "True division.", "int32": "As `//`.", "None": "There is one."},
    otherwise="Look at the two types.",
)


@pytest.fixture(autouse=True)
def path(tmp_path, monkeypatch):
    path = tmp_path / "progress.json"
    monkeypatch.setenv("COURSE_PROGRESS_FILE", str(path))
    monkeypatch.setattr(Lesson, "predictions", lambda lesson: (LETTERED, TYPED))
    return path


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("117.39", "117"), ("117.4", "117"), ("118", "118"), ("116.9", "117"), ("110", "110")],
)
def test_a_number_with_more_digits_than_the_answer_is_the_answer(typed, meant):
    asked = Callout("04.z", right="117", options={"117": "Yes.", "110": "A sum."}, otherwise="No.")
    assert asked.meant(typed) == meant


@pytest.mark.parametrize("untouched", ["", "...", ...])
def test_an_open_prediction_says_how_and_spoils_nothing(untouched, path):
    result = predict("04.x", untouched)
    assert repr(result) == "○ 04.x. Type a, b or c between the quotes, and run this cell again."
    assert "tape" not in result._repr_html_() and not path.exists()
    assert "Type a word or a number" in predict("04.y", untouched).message


@pytest.mark.parametrize("typed", ["a", "A", " a) ", "27", 27, 27.0, "`27`"])
def test_a_wrong_one_is_told_its_sentence_and_the_truth(typed):
    result = predict("04.x", typed)
    assert repr(result) == (
        "✗ 04.x · you predicted: 27 · it is: 9. The truth, `3 * x**2`. A <new> tape."
    )
    html = result._repr_html_()
    assert "<code>3 * x**2</code>" in html and "A &lt;new&gt; tape." in html
    assert "<details><summary>The other answers</summary>" in html and "It would be fair." in html


def test_a_right_one_is_told_so():
    result = predict("04.x", "b")
    assert repr(result) == "✓ 04.x · as you predicted: 9. A <new> tape."


def test_a_typed_word_that_nobody_thought_of_has_a_sentence_too():
    assert predict("04.y", "Float64").predicted == "float64"
    assert predict("04.y", None).message == "There is one."
    result = predict("04.y", "float16")
    assert (result.predicted, result.message) == ("float16", "Look at the two types.")


@pytest.mark.parametrize("typed", ["b", "None", "eight", None])
def test_where_a_number_is_asked_for_a_word_is_refused(typed, path, monkeypatch):
    counted = Callout("04.x", "8", {"0": "All.", "8": "None."}, otherwise="All, or none.")
    monkeypatch.setattr(Lesson, "predictions", lambda lesson: (counted,))
    assert "Type a number between the quotes" in predict("04.x").message
    result = predict("04.x", typed)
    assert result.predicted == "" and "Type a number, in quotes" in result.message
    assert not path.exists()
    assert predict("04.x", 6).message == "All, or none."
    assert predict("04.x", "8.0").predicted == "8"


@pytest.mark.parametrize(
    "typed", ["d", "0.5", "x" * 99, np.ones(3), object(), print, ["a"], {"a": 1}]
)
def test_what_is_no_option_is_said_and_not_kept(typed, path):
    result = predict("04.x", typed)
    assert result.predicted == "" and "Type a, b or c, in quotes" in result.message
    assert not path.exists()


def test_an_unknown_id_names_those_that_exist():
    assert "Lesson 04 has 04.x, 04.y" in predict("04.z", "a").message
    assert "There is no prediction '99.a'" in predict("99.a", "a").message
    assert "There is no prediction" in predict(4.1, "a").message


def test_the_first_prediction_is_kept_and_exercises_beside_it():
    record_outcome("04.1", "passed", 1.0)
    predict("04.x", "c")
    assert repr(predict("04.x", "b")).endswith("Your first prediction, an error, is kept.")
    record_outcome("04.1", "failed", 0.0)
    progress = read_progress()
    assert progress.predictions == {"04.x": "an error"} and progress.has_passed("04.1")


def test_a_file_without_predictions_is_read(path):
    path.write_text(json.dumps({"version": 1, "exercises": {"04.1": {"attempts": 2}}}))
    predict("04.x", "a")
    assert read_progress().exercises["04.1"]["attempts"] == 2


def test_what_cannot_be_saved_is_said(monkeypatch):
    def refuse(prediction_id, predicted, is_right):
        raise OSError("read-only")

    monkeypatch.setattr(predicting, "record_prediction", refuse)
    assert repr(predict("04.x", "b")).endswith(
        "This prediction was not saved: read-only. Fix the cause, and run the cell again."
    )


def test_a_prediction_without_its_right_option_or_a_sentence_is_refused():
    with pytest.raises(ValueError, match="right='8' is not one of the options 27, 9"):
        Callout("04.z", right="8", options={"27": "No.", "9": "Yes."})
    with pytest.raises(ValueError, match="each with its sentence"):
        Callout("04.z", right="9", options={"27": "", "9": "Yes."})

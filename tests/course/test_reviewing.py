"""Questions that come back, in a notebook and in the terminal."""

import json
import multiprocessing
from datetime import datetime, timedelta, timezone

import pytest
from typer.testing import CliRunner

from course_utils import predict, review, reviewing, warm_up
from course_utils.cli import app
from course_utils.exercises.callouts import Callout, Variant
from course_utils.standing import status
from course_utils.workspace import progress as records
from course_utils.workspace.boxes import Asked
from course_utils.workspace.curriculum import Lesson, find_prediction
from course_utils.workspace.progress import read_progress, record_answer, record_outcome

HEADING = "Where is x < 3?"


def variant(i, n, right="1"):
    options = {"1": f"Right of {i}.", "2": f"Wrong <of> {i}."}
    return Variant(i, right, options, program=f"print({n})", section=HEADING)


VARIANTS = {
    number: tuple(variant(f"{number}.{letter}", n) for letter in letters for n in (1, 2))
    for number, letters in {"02": "ab", "03": "a", "04": "a"}.items()
}


@pytest.fixture(autouse=True)
def path(tmp_path, monkeypatch):
    path = tmp_path / "progress.json"
    monkeypatch.setenv("COURSE_PROGRESS_FILE", str(path))
    monkeypatch.setattr(reviewing, "variants", lambda number: VARIANTS.get(number, ()))
    asked = {number: {each.id for each in those} for number, those in VARIANTS.items()}
    options = {"yes": "So it is.", "no": "Not so."}
    monkeypatch.setattr(
        Lesson,
        "predictions",
        lambda lesson: tuple(Callout(i, "yes", options) for i in asked.get(lesson.number, ())),
    )
    monkeypatch.setattr(reviewing, "_warm_up", None)
    monkeypatch.setattr(reviewing, "_review", None)
    return path


def days_pass(monkeypatch, days):
    class Later(datetime):
        @classmethod
        def now(cls, zone):
            return datetime.now(zone) + timedelta(days=days)

    for module in (reviewing, records):
        monkeypatch.setattr(module, "datetime", Later)


def test_wrong_predictions_of_two_lessons_begin_a_later_one():
    predict("02.a", "no")
    predict("02.b", "yes")
    predict("03.a", "no")
    predict("04.a", "yes")
    shown = reviewing.warm_up_for("05", read_progress())
    assert [each.id for each in shown.questions] == ["02.a", "03.a"]
    html = shown._repr_html_()
    assert "<summary>Two questions from earlier lessons (a minute)</summary>" in html
    assert "warm_up(&quot;a&quot;, &quot;b&quot;)" in html and "Question 2" in html
    answered = warm_up("b", "a")
    assert [each.is_right for each in answered.said] == [False, True]
    assert "Wrong &lt;of&gt; 02.a." in answered._repr_html_()
    link = '<a href="02_watching.ipynb#Where-is-x-%3C-3%3F">'
    assert link in answered._repr_html_() and "03_missing" not in answered._repr_html_()
    asked = read_progress().asked
    assert (asked["02.a"].box, asked["02.a"].times) == (0, 1)
    assert (asked["03.a"].box, asked["03.a"].times) == (1, 1)
    assert "You have answered" in repr(warm_up())
    assert read_progress().predictions["02.a"] == "no"  # the first stays what it was


def test_a_question_comes_back_with_other_numbers_and_not_in_the_next_lesson():
    predict("02.a", "no")
    first = reviewing.warm_up_for("05", read_progress()).questions[0]
    warm_up("b")
    following = reviewing.warm_up_for("06", read_progress()).questions
    assert [each.id for each in following] == ["02.b"]  # which is open, in a lesson that was begun
    warm_up("b")
    predict("03.a", "yes")
    assert [q.id for q in reviewing.warm_up_for("07", read_progress()).questions] == ["03.a"]
    warm_up("a")
    (again,) = reviewing.warm_up_for("08", read_progress()).questions
    assert again.id == "02.a" and again.program != first.program


def test_skipping_counts_nothing_and_what_is_no_answer_neither(path):
    predict("02.a", "no")
    before = path.read_text()
    reviewing.warm_up_for("05", read_progress())
    reviewing.warm_up_for("06", read_progress())
    assert "Type a or b" in repr(warm_up("x"))
    assert "print(1)" in repr(warm_up()) and path.read_text() == before


def test_who_has_predicted_nothing_is_asked_nothing():
    assert reviewing.warm_up_for("05", read_progress()) is None
    assert "There are no earlier questions" in repr(warm_up("a"))
    assert "No questions are due" in repr(review())
    record_outcome("02.1", "passed", 1.0)  # a lesson that was begun
    assert [q.id for q in reviewing.warm_up_for("05", read_progress()).questions] == ["02.a"]


def test_a_review_asks_what_is_due_one_by_one_and_ends_with_what_to_read(monkeypatch):
    for i, words in {"02.a": "no", "03.a": "yes", "04.a": "no"}.items():
        predict(i, words)
    assert "No questions are due" in repr(review()) and "due" not in repr(status())
    days_pass(monkeypatch, 1.1)
    assert "2 review questions are due" in repr(status())
    first = review()
    assert "Question 1 of 2" in repr(first) and [q.id for q in first.questions] == ["02.a"]
    assert "Question 1 of 2" in repr(review("neither"))
    second = review("b")
    assert second.said[0].id == "02.a" and [q.id for q in second.questions] == ["04.a"]
    last = review("a")
    assert "1 of 2 right" in repr(last) and repr(last).endswith(f'02_watching.ipynb, "{HEADING}"')
    assert "No questions are due" in repr(review())


def test_a_part_is_reviewed_whether_anything_is_due_or_not():
    asking = reviewing.new_review("I")
    assert sorted(each.id for each in asking.left) == ["02.a", "02.b", "03.a", "04.a"]
    assert "Question 1 of 4" in repr(review(part="I"))
    with pytest.raises(ValueError, match="There is no part 'IV'"):
        review(part="IV")


def test_the_terminal_asks_the_same(monkeypatch):
    predict("02.a", "no")
    predict("03.a", "no")
    days_pass(monkeypatch, 1.1)
    run = CliRunner().invoke(app, ["review"], input="b\nwhat\na\n")
    assert run.exit_code == 0 and "Type a or b" in run.output
    assert "1 of 2 right" in run.output and f'02_watching.ipynb, "{HEADING}"' in run.output
    assert CliRunner().invoke(app, ["review", "--part", "IV"]).exit_code == 1


def test_who_stops_keeps_what_was_answered(monkeypatch):
    predict("02.a", "no")
    predict("03.a", "no")
    days_pass(monkeypatch, 1.1)
    run = CliRunner().invoke(app, ["review"], input="a\n")  # and then the input ends
    assert run.exit_code == 0 and "1 of 2 right" in run.output
    assert read_progress().asked["02.a"].box == 1 and read_progress().asked["03.a"].box == 0


def test_an_answer_that_cannot_be_saved_is_told_all_the_same(monkeypatch):
    def refuse(prediction_id, is_right):
        raise OSError("read-only")

    predict("02.a", "no")
    reviewing.warm_up_for("05", read_progress())
    monkeypatch.setattr(reviewing, "record_answer", refuse)
    assert "This answer was not saved: read-only." in repr(warm_up("a"))


def test_a_file_of_before_there_were_boxes_counts_as_due(path):
    exercises = {"02.1": {"attempts": 1}}
    path.write_text(
        json.dumps({"version": 1, "exercises": exercises, "predictions": {"02.a": "no"}})
    )
    assert reviewing.due_now(read_progress()) == ["02.a"]
    record_answer("02.a", True)
    assert read_progress().exercises == exercises
    assert read_progress().predictions == {"02.a": "no"}
    assert find_prediction("02.a").right == "yes"


def test_a_file_with_no_such_box_is_set_aside(path):
    stored = {"exercises": {}, "predictions": {}, "asked": {"02.a": {"box": 9}}}
    path.write_text(json.dumps(stored))
    assert "could not be read" in read_progress().notice
    (aside,) = path.parent.glob("progress.damaged-*")
    assert json.loads(aside.read_text()) == stored


def _answer_many(prediction_id):
    for _ in range(20):
        record_answer(prediction_id, True)


def test_two_notebooks_that_answer_at_once_lose_nothing():
    ids = ["02.a", "03.a"]
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_answer_many, args=(i,)) for i in ids]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    asked = read_progress().asked
    assert {i: each.times for i, each in asked.items()} == dict.fromkeys(ids, 20)
    assert asked["02.a"] == Asked(4, asked["02.a"].at, 20)
    assert datetime.fromisoformat(asked["02.a"].at).tzinfo == timezone.utc


def test_an_exercise_with_a_value_comes_back_in_the_box_of_its_first_attempt(monkeypatch):
    number = "03"
    own = tuple(variant(f"{number}.{i}", n) for i in (2, 4) for n in (1, 2))
    monkeypatch.setitem(VARIANTS, number, own)
    record_outcome("03.2", "failed", 0.0)
    record_outcome("03.2", "passed", 1.0)
    record_outcome("03.4", "passed", 1.0)
    record_outcome("03.1", "failed", 0.0)  # a function: there are no other numbers for it
    boxes = {i: asked.box for i, asked in reviewing.coming_back(read_progress()).items()}
    assert boxes == {"03.2": 0, "03.4": 1}
    days_pass(monkeypatch, 1.1)
    assert reviewing.due_now(read_progress()) == ["03.2"]
    assert reviewing.review("2").said[0].is_right is False
    assert read_progress().asked["03.2"].box == 0


def test_a_warm_up_asks_no_exercise_that_nobody_tried(monkeypatch):
    monkeypatch.setitem(VARIANTS, "02", tuple(variant("02.2", n) for n in (1, 2)))
    record_outcome("02.1", "passed", 1.0)
    assert reviewing.warm_up_for("05", read_progress()) is None

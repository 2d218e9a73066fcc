"""Where to start: five learners are placed, in a notebook and in the terminal."""

import json
from itertools import chain, repeat

import pytest
from typer.testing import CliRunner

from course_utils import place, placing
from course_utils.cli import app
from course_utils.placing import GoalError, goals, placement_questions, skipped, way_to
from course_utils.standing import next_exercise, status
from course_utils.workspace.curriculum import LESSONS, find_lesson
from course_utils.workspace.progress import read_progress, record_outcome


@pytest.fixture(autouse=True)
def path(tmp_path, monkeypatch):
    path = tmp_path / "progress.json"
    monkeypatch.setenv("COURSE_PROGRESS_FILE", str(path))
    monkeypatch.setattr(placing, "_placing", None)
    return path


def take(right_until):
    """Answer right as long as the question's lesson comes before this one; return the last card."""
    card = place()
    for _ in range(12):
        if not card.questions:
            break
        variant = card.questions[0]
        is_known = variant.id[:2] < right_until
        card = place(variant.answer if is_known else "?")
    return card


def test_the_questions_are_twelve_two_for_each_lesson_of_the_path_in_its_order():
    lessons = [variant.id[:2] for variant in placement_questions()]
    assert len(lessons) == 12 and lessons == sorted(lessons)
    assert {lessons.count(number) for number in lessons} == {2}
    assert len({variant.id for variant in placement_questions()}) == 12
    assert skipped("01") == skipped("") == []


@pytest.mark.parametrize(
    ("learner", "right_until", "start", "skipped"),
    [
        ("knows nothing", "01", "01", []),
        ("knows fit", "01", "01", []),
        ("knows the autograd of PyTorch", "02", "02", ["01"]),
        ("knows tapes, and not None", "03", "03", ["01", "02"]),
        ("knows gradients, and not second ones", "06", "05", ["01", "02", "03", "04"]),
        ("knows second derivatives", "09", "07", ["01", "02", "03", "04", "05", "06"]),
        ("knows everything", "99", "10", ["01", "02", "03", "04", "05", "06", "08", "09"]),
    ],
)
def test_each_learner_starts_where_the_first_gap_is(learner, right_until, start, skipped):
    card = take(right_until)
    lesson = find_lesson(start)
    text = " ".join(card.lines)
    assert f"Start with lesson {start} · {lesson.title}" in text, learner
    assert (f"you can skip the essentials of {', '.join(skipped)}." in text) == bool(skipped)
    assert read_progress().placed == start


def test_the_first_wrong_answer_ends_the_questions_and_a_typo_does_not():
    first = place().questions[0]
    assert first.id[:2] == "01"
    again = place("no such option")
    assert again.questions == place().questions == (first,)  # and no new round
    assert "'no such option' is not an answer. Type a," in again.lines[0]
    wrong = next(
        x for x, words in again.questions[0].letters.items() if words != again.questions[0].right
    )
    ended = place(wrong)
    assert not ended.questions and "✗" in repr(ended)
    assert "ended at your first wrong answer" in repr(ended)
    assert place("a").lines == ("No question is open. Call `place()` for the first one.",)


def test_nothing_is_explained_before_the_end():
    card = place()
    while card.questions:
        assert not card.said
        card = place(card.questions[0].answer)
    assert [result.is_right for result in card.said] == [True] * 12
    assert "The questions did not cover lesson 07 · Gradient checking" in repr(card)
    assert "You answered all questions" in repr(card)
    assert "not right" not in repr(card)
    assert all(result.explanation for result in card.said)


def test_another_round_may_ask_with_other_numbers():
    rounds = {tuple(v.program for v in placement_questions()) for _ in range(20)}
    assert len(rounds) > 1


def test_a_lesson_with_one_wrong_answer_is_not_skipped():
    place()
    first = placing._placing.left[0]
    second = place(first.answer).questions[0]
    assert second.id[:2] == first.id[:2] == "01"
    assert "Start with lesson 01" in repr(place(" ? "))
    assert "place()" not in repr(status())  # nothing can be skipped
    assert next_exercise(read_progress()).id == "00.1"


def test_status_goes_on_where_the_placement_says_and_says_how_to_come_back():
    assert next_exercise(read_progress()).id[:2] == "00"
    take("03")
    assert next_exercise(read_progress()).id == "03.1"
    assert "can skip the essentials of 01, 02. They stay open, and `course place`" in repr(status())
    for lesson in LESSONS:
        for exercise in lesson.exercises():
            if lesson.number >= "03":
                record_outcome(exercise.id, "passed", 1.0)
    assert next_exercise(read_progress()).id[:2] < "03"  # what was skipped, in the end


def test_a_placement_stays_when_other_progress_is_written(path):
    take("02")
    record_outcome("02.1", "failed", 0.0)
    assert read_progress().placed == "02"
    stored = json.loads(path.read_text())
    stored["placed"] = 7
    path.write_text(json.dumps(stored))
    assert "could not be read" in read_progress().notice


def test_a_goal_names_the_lessons_that_are_left_and_their_hours():
    assert set(goals()) >= {"None", "a right gradient", "a training step", "clipping", "fit"}
    minutes = sum(find_lesson(number).minutes for number in ("01", "02", "03"))
    assert (
        way_to("None", "01") == ('For "None", do the essentials of 01, 02, 03: about 2.2 hours.')
        and round(minutes / 60, 1) == 2.2
    )
    assert "you have nothing left to do: your answers cover lesson 03 · Missing" in way_to(
        "none", "05"
    )
    assert "05, 06, 08, 09, 11" in way_to("Clipping", "05")
    assert "essentials of 11:" in way_to("clipping", "10")
    assert "essentials of 07:" in way_to("a right gradient", "10")  # which nothing asked about
    assert way_to("None", "") == way_to("None", "01")
    with pytest.raises(GoalError, match='There is no goal "gradients". Choose one of "None",'):
        way_to("gradients", "01")
    take("03")
    assert "do the essentials of 03" in repr(place(goal="None"))


def test_the_terminal_asks_the_same_and_names_the_start(monkeypatch):
    drawn = placement_questions()
    monkeypatch.setattr(placing, "placement_questions", lambda: list(drawn))
    typed = "\n".join(chain(["z"], (v.answer for v in drawn[:4]), repeat("?", 1)))
    result = CliRunner().invoke(app, ["place"], input=typed + "\n")
    assert result.exit_code == 0, result.output
    assert "'z' is not an answer. Type a," in result.output
    assert "Question 5 of at most 12" in result.output and "Question 6" not in result.output
    assert result.output.index("✓ 01.b") > result.output.index("Question 5")
    assert "Question 5: ✗" in result.output
    words = " ".join(result.output.split())
    assert "Start with lesson 03" in words
    # Nothing that only a notebook can run.
    assert "`course place` asks you questions again, and" in words and "place(" not in words
    assert read_progress().placed == "03"


def test_the_terminal_lists_a_goal_and_refuses_another():
    result = CliRunner().invoke(app, ["place", "--goal", "None"])
    assert result.exit_code == 0 and "01, 02, 03" in result.output
    result = CliRunner().invoke(app, ["place", "--goal", "fame"])
    assert result.exit_code == 1 and "There is no goal" in result.output

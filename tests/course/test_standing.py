"""Where a learner stands: what comes next, the total, the bar of a lesson."""

import re

from course_utils.standing import LessonBar, Standing, next_exercise
from course_utils.workspace.curriculum import LESSONS, ONE_DAY, all_exercises, find_lesson
from course_utils.workspace.progress import Progress

EVERY = [exercise.id for exercise in all_exercises()]


def having_passed(*ids):
    """Return a progress in which these were passed, each a day after the one before."""
    entries = {i: {"attempts": 1, "passed_at": f"2026-01-{n:02}"} for n, i in enumerate(ids, 1)}
    return Progress(entries | {"00.3": {"attempts": 2}} if "00.3" not in ids else entries)


def test_next_is_the_first_open_exercise_after_the_one_passed_last():
    assert next_exercise(Progress()).id == "00.1"
    assert next_exercise(having_passed("00.1")).id == "00.2"
    assert next_exercise(having_passed("00.1", "03.2", "03.1")).id == "03.3"
    assert next_exercise(having_passed("03.1", "00.1")).id == "00.2"


def test_at_the_end_next_is_what_was_left_out():
    assert next_exercise(having_passed(*EVERY[:4], *EVERY[5:])).id == EVERY[4]
    assert next_exercise(having_passed(*EVERY)) is None


def test_the_text_has_a_row_for_each_lesson_a_total_and_one_next():
    text = repr(Standing(having_passed("01.1", "01.2")))
    assert re.search(r"01 The first tape\s+│\s+2 of 5", text)
    assert f"2 of {len(EVERY)} exercises passed" in text
    assert text.count("Next: ") == 1 and "Next: 01.3" in text
    assert "work/01_first_tape.ipynb" in text


def test_in_jupyter_it_is_the_map_with_the_same_as_a_table():
    shown = Standing(having_passed("01.1"))._repr_html_()
    assert "data:image/svg+xml;base64," in shown and ' alt="' in shown
    assert "<td>01 The first tape</td><td>1 of 5</td>" in shown


def test_the_course_in_a_day_is_counted_until_its_essentials_are_passed():
    deeper = {exercise_id for lesson in LESSONS for exercise_id in lesson.deeper}
    day = [i for i in EVERY if i[:2] in ONE_DAY and i not in deeper]
    assert f": 2 of {len(day)} exercises passed" in repr(Standing(having_passed("01.1", "01.2")))
    assert f": {len(day) - 1} of {len(day)}" in repr(Standing(having_passed(*day[1:])))
    assert "in a day" not in repr(Standing(having_passed(*day)))


def test_a_notice_about_the_file_comes_first():
    assert Standing(Progress(notice="It was damaged.")).summary()[0] == "It was damaged."


def test_a_finished_course_says_so():
    standing = Standing(having_passed(*EVERY))
    assert "You have passed every exercise" in standing._repr_html_()
    assert "Next: " not in repr(standing) and "reset(" in repr(standing)
    assert standing.page().startswith("<!doctype html>")


def test_the_bar_says_where_to_start_to_go_on_and_what_follows():
    lesson = find_lesson("00")
    assert "0 of 3 passed. Start with Exercise 00.1" in repr(LessonBar(lesson, Progress()))
    bar = LessonBar(lesson, having_passed("00.1"))
    assert repr(bar).startswith("✓ 00.1  ○ 00.2  ○ 00.3")
    assert "1 of 3 passed. Go on with Exercise 00.2" in repr(bar)
    done = LessonBar(lesson, having_passed("00.1", "00.2", "00.3"))
    assert "Next is lesson 01 · The first tape" in repr(done)
    assert "status()" in repr(LessonBar(lesson, having_passed(*EVERY)))
    assert "Rate of change: passed" not in bar._repr_html_()
    unstyled = re.sub("<.*?>", "", bar._repr_html_())  # as where styles are taken out
    assert unstyled.startswith("✓ 00.1 ○ 00.2 ○ 00.3")
    assert "Rate of change: passed" in done._repr_html_()

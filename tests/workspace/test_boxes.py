"""When questions come back: the rule, walked through with made-up times."""

from datetime import datetime, timedelta, timezone

import pytest

from course_utils.workspace.boxes import DAYS, Asked, after, due, for_warm_up, mixed, predicted

START = datetime(2026, 1, 5, 9, tzinfo=timezone.utc)


def day(number):
    return START + timedelta(days=number)


def test_a_right_answer_comes_later_each_time_and_a_wrong_one_begins_anew():
    asked, now, waited = predicted(False, START), START, []
    for _ in range(6):
        now = datetime.fromisoformat(asked.due_at())
        assert due({"02.a": asked}, now, 8) == ["02.a"]
        assert due({"02.a": asked}, now - timedelta(seconds=1), 8) == []
        waited.append((now - datetime.fromisoformat(asked.at)).days)
        asked = after(asked, True, now)
    assert waited == [1, 3, 7, 21, 60, 60] and asked.times == 6
    assert after(asked, False, now) == Asked(0, asked.at, 7)
    assert predicted(True, START).due_at() == day(DAYS[1]).isoformat(timespec="seconds")


def test_what_was_predicted_before_times_were_kept_is_due():
    assert due({"02.a": predicted(True, None)}, START, 8) == ["02.a"]


def test_ninety_days_of_a_learner():
    """Three lessons in three days, and a review each day: nothing waits or comes too early."""
    known, shown, wrong_at_first = {}, [], {"02.a", "03.b"}
    lessons = {0: ["02.a", "02.b"], 1: ["03.a", "03.b"], 2: ["05.a"]}
    for n in range(90):
        asked_today = due(known, day(n), 8)
        for i in asked_today:
            assert known[i].due_at() <= day(n).isoformat(timespec="seconds")
            is_first = known[i].times == 0
            known[i] = after(known[i], not (is_first and i in wrong_at_first), day(n))
        shown.append(asked_today)
        for i in lessons.get(n, []):
            known[i] = predicted(i not in wrong_at_first, day(n))
    assert all(len(today) == len(set(today)) for today in shown)
    days = {i: [n for n, today in enumerate(shown) if i in today] for i in known}
    assert days["02.b"] == [3, 10, 31]  # right in the lesson, and ever after
    assert days["02.a"] == [1, 2, 5, 12, 33]  # wrong there, and wrong again on the next day
    assert days["05.a"] == [5, 12, 33]
    for i, those in days.items():
        assert all(later > earlier for earlier, later in zip(those, those[1:], strict=False)), i


def test_those_come_first_that_wait_longest_and_neighbours_are_of_different_lessons():
    known = {
        "02.a": Asked(0, day(0).isoformat()),
        "02.b": Asked(0, day(1).isoformat()),
        "02.c": Asked(0, day(2).isoformat()),
        "04.a": Asked(0, day(3).isoformat()),
        "05.a": Asked(4, day(0).isoformat()),  # not due for sixty days
    }
    assert due(known, day(30), 8) == ["02.a", "04.a", "02.b", "02.c"]
    assert due(known, day(30), 2) == ["02.a", "02.b"]
    assert mixed([]) == []


@pytest.fixture
def known():
    return {
        "01.a": Asked(1, day(0).isoformat()),
        "02.a": Asked(0, day(1).isoformat()),
        "02.b": Asked(0, day(2).isoformat()),
        "03.a": Asked(0, day(3).isoformat()),
        "05.a": Asked(0, day(4).isoformat()),
    }


def test_a_lesson_begins_with_what_was_wrong_then_open_then_longest_not_asked(known):
    assert for_warm_up(known, [], "05") == ["02.a", "03.a"]  # of different lessons, and before it
    assert for_warm_up(known, ["04.c"], "05", most=4) == ["02.a", "03.a", "04.c", "01.a"]
    assert for_warm_up(known, [], "02") == ["01.a"]
    assert for_warm_up({}, [], "05") == []


def test_no_lesson_begins_with_what_the_last_one_began_with(known):
    last = []
    for n, lesson in enumerate(["05", "06", "07", "08", "09", "10"]):
        chosen = for_warm_up(known, [], lesson)
        assert chosen and not set(chosen) & set(last)
        for i in chosen:
            known[i] = after(known[i], False, day(10 + n))
        last = chosen


@pytest.mark.parametrize(
    "data",
    [
        {"box": 5, "at": "", "times": 0},
        {"box": 0, "at": "yesterday", "times": 0},
        {"box": 0, "at": "", "times": "often"},
    ],
)
def test_what_is_no_box_is_refused(data):
    with pytest.raises(ValueError):
        Asked.from_data(data)
    assert Asked.from_data(Asked(3, day(1).isoformat(), 2).data()) == Asked(
        3, day(1).isoformat(), 2
    )

import pytest

from course_utils.choosing import ChoiceError, choose_lessons

KNOWN = ["00", "01", "02"]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("01", ["01"]),
        ("00-01", ["00", "01"]),
        ("01,00", ["00", "01"]),
        ("00, 01", ["00", "01"]),
        ("01-01,00,00", ["00", "01"]),
    ],
)
def test_numbers_and_ranges_come_in_the_order_of_the_course(text, numbers):
    assert choose_lessons(text, KNOWN) == numbers


def test_nothing_said_means_every_lesson():
    assert choose_lessons(None, KNOWN) == KNOWN


@pytest.mark.parametrize(
    "text", ["", "1", "1-7", "01-", "-01", "01 02", "01,", "first", "001", "٠١"]
)
def test_another_form_is_said_with_the_right_one(text):
    with pytest.raises(ChoiceError) as error:
        choose_lessons(text, KNOWN)
    assert repr(text) in str(error.value)
    assert "02 or 01,03 or 01-07" in str(error.value)


def test_a_range_that_runs_backwards_is_said():
    with pytest.raises(ChoiceError, match="'00,07-01', but 07-01 runs backward"):
        choose_lessons("00,07-01", KNOWN)


def test_a_lesson_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(ChoiceError, match=r"no lesson 98, 99. Choose from 00, 01"):
        choose_lessons("01,98-99", KNOWN)

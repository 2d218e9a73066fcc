"""What wrong answers did, and which of them did the same; no program runs."""

import numpy as np
import pytest

from course_staff.classroom.judging.behaviors import Answer, behavior_of, groups
from course_utils.exercises.observation import describe
from course_utils.exercises.question import Part, Question
from course_utils.exercises.references import Reference

PAIR = {"W": np.array([1.0, 2.0]), "b": np.array(3.0)}
ASKED = Question(
    id="01.1",
    title="A pair",
    kind="complete",
    points=1,
    draw=lambda rng: [(1.0,), (2.0,)],
    praise="Right.",
    parts=[Part("count"), Part("gradients")],
)
REFERENCE = Reference([(1.0,), (2.0,)], [[np.array(1.0)] * 2, [PAIR] * 2])


def answer(student, *gradients, count=1.0):
    """Return an answer that gave these gradients, call by call."""
    calls = [
        {"returned": describe({"count": count, "gradients": each}), "called": {}}
        for each in gradients
    ]
    observation = {"calls": calls, "printed": "", "untouched": False}
    return Answer("01.1", student, "", "", "", behavior_of(ASKED, observation, REFERENCE))


def together(*answers):
    return sorted(group.students for group in groups(answers, {"01.1": ASKED}))


def test_what_stands_beside_a_missing_piece_does_not_count():
    right_but_none = answer("ada", *[PAIR | {"b": None}] * 2)
    wrong_and_none = answer("bob", *[{"W": np.array([5.0, -2.0]), "b": None}] * 2)
    other_is_none = answer("cyd", *[PAIR | {"W": None}] * 2)
    assert together(right_but_none, wrong_and_none, other_is_none) == [["ada", "bob"], ["cyd"]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.array(4.0), np.array(5.0)),  # numbers in place of the pair
        ({"W": np.array(4.0), "b": None}, {"W": np.array(5.0), "b": None}),
        ([PAIR["W"], None], [None, PAIR["b"]]),
        ({}, None),
    ],
)
def test_what_stands_in_the_wrong_form_counts(one, other):
    assert together(answer("ada", one, one), answer("bob", other, other)) == [["ada"], ["bob"]]
    assert together(answer("ada", one, one), answer("bob", one, one)) == [["ada", "bob"]]


def test_numbers_count_in_every_call_where_the_form_is_right():
    doubled = {"W": 2 * PAIR["W"], "b": 2 * PAIR["b"]}
    one = answer("ada", doubled, PAIR)
    assert together(one, answer("bob", doubled, PAIR), answer("cyd", doubled, doubled)) == [
        ["ada", "bob"],
        ["cyd"],
    ]


def test_the_first_wrong_part_alone_counts():
    one, other = answer("ada", PAIR, PAIR, count=2.0), answer("bob", None, None, count=2.0)
    assert together(one, other) == [["ada", "bob"]]

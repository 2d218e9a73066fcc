"""Slips of the pen: which there are, and what becomes of them."""

import pytest

from course_staff.authoring.questions import Questions
from course_staff.authoring.slips import slips_of, tried
from course_staff.authoring.source import read_lesson


@pytest.fixture(scope="module")
def asked(request):
    source = request.config.rootpath / "lessons" / "01_first_tape" / "lesson.py"
    questions = Questions(read_lesson(source))
    question, answer = questions.exercises["01.1"], questions.right("01.1")
    return question, answer, {slip.after: slip for slip in slips_of(question, answer)}


def test_each_slip_is_another_program_with_one_change(asked):
    _, _, slips = asked
    texts = [slip.text for slip in slips.values()]
    assert len(set(texts)) == len(texts) > 30
    assert slips["y = x ** 3 + 2 * x"].before == "y = x ** 3 - 2 * x"
    assert all('"""' not in text for text in texts)


@pytest.mark.parametrize(
    ("after", "kind"),
    [
        ("return tf.reduce_sum(tape.gradient(y, x))", "passes"),
        ("return tape.gradient(x, y)", "recognised"),
        ("return -tape.gradient(y, x)", "placed"),
        ("x = x", "error"),
    ],
)
def test_what_becomes_of_a_slip(asked, after, kind):
    question, answer, slips = asked
    assert tried(question, answer, slips[after]) == kind

"""What right programs and known mistakes do, and what is refused in a list of mistakes."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from course_staff.authoring.keys import without_messages
from course_staff.authoring.observing import (
    MistakesError,
    observe_mistakes,
    observe_right,
    prediction_data,
    require_told_apart,
)
from course_staff.authoring.questions import Questions
from course_staff.authoring.storing import reference_data
from course_utils.exercises import values
from course_utils.exercises.comparing import judged
from course_utils.exercises.observation import describe
from course_utils.exercises.question import Demand, Part, Question, ValueQuestion
from course_utils.exercises.readings import read, same
from course_utils.exercises.references import Reference
from course_utils.exercises.sentences import Between, Table, Wrong
from course_utils.exercises.values import sentence_for


def question(**options):
    return Question(
        id="99.1",
        title="Squares",
        kind="complete",
        points=1,
        draw=lambda rng: [(float(x), [1.0, 2.0]) for x in rng.uniform(2, 3, 2)],
        inputs="x weights",
        parts=[Part(words="the square")],
        praise="Squared.",
        **options,
    )


def square(x, weights):
    return x**2


CUBE = {"cubed": Wrong("This is the cube.", lambda x, weights: x**3)}
DOUBLE = {"doubled": Wrong("This is the double.", lambda x, weights: 2 * x)}
RAISING = {"indexed": Wrong("x is one number.", lambda x, weights: x[0])}


def reference_of(mistakes, asked=None, seed=3):
    asked = asked or question()
    return observe_mistakes(asked, mistakes, observe_right(asked, square, seed), seed)


def told(answer, mistakes, seed=3):
    asked, reference = question(), reference_of(mistakes, seed=seed)
    return judged(asked, asked.observe_on(answer, reference.calls), reference)


def test_an_answer_is_told_the_sentence_of_the_program_that_did_the_same():
    mistakes = CUBE | DOUBLE | RAISING
    assert told(square, mistakes).outcome == "passed"
    for answer, name in (
        (lambda x, weights: x * x * x, "cubed"),
        (lambda x, weights: x + x, "doubled"),
        (lambda x, weights: x[1 - 1], "indexed"),
    ):
        judgement = told(answer, mistakes)
        assert (judgement.mistake, judgement.recognised) == (name, True)


def test_what_no_program_did_is_told_in_general_and_said_to_be():
    pair = Wrong("Return one number.", lambda x, weights: [x**2, x**3, x])
    for answer, name in (
        (lambda x, weights: -x * x, "sign"),
        (lambda x, weights: x * x / 2, "constant factor"),
        (lambda x, weights: [x, x], "other form"),
        (lambda x, weights: [x, x, x], "pair"),  # the form alone is known
        (lambda x, weights: None, "returned None"),
        (lambda x, weights: x**2 + 1, "unexplained"),
        (lambda x, weights: x["x"], "raised TypeError"),
    ):
        judgement = told(answer, CUBE | {"pair": pair})
        assert (judgement.mistake, judgement.recognised) == (name, False)


def test_an_entry_may_show_in_some_calls_alone():
    late = Wrong("Only the second call is wrong.", _wrong_in_second_call(), calls=(1,))
    assert told(_wrong_in_second_call(), {"late": late}).mistake == "late"


def _wrong_in_second_call():
    seen = []

    def answer(x, weights):
        seen.append(x)
        return x**2 if len(seen) % 2 else x**3

    return answer


def test_what_is_stored_is_read_back_as_it_was():
    reference = reference_of(CUBE | RAISING)
    mistakes = [{"name": k.name, "sentence": k.sentence, "calls": k.calls} for k in reference.wrong]
    again = Reference.from_data(reference_data(reference), mistakes)
    assert again.calls == reference.calls
    assert reference_data(again) == reference_data(reference)
    assert [k.name for k in again.wrong] == ["cubed", "indexed"]


def test_a_wrong_program_that_passes_is_refused():
    passing = {"squared": Wrong("This is right.", square)}
    with pytest.raises(MistakesError, match="the wrong program 'squared' passes"):
        require_told_apart(question(), reference_of(passing), 3)


def test_two_mistakes_that_look_alike_are_refused():
    twin = {"to the third": Wrong("This is the third power.", lambda x, weights: x * x * x)}
    with pytest.raises(MistakesError, match="'to the third' behaves like 'cubed'"):
        require_told_apart(question(), reference_of(CUBE | twin), 3)


def test_a_solution_that_raises_or_misses_a_demand_is_refused():
    with pytest.raises(MistakesError, match="the solution raised"):
        observe_right(question(), lambda x, weights: x[0], 3)
    tape = Demand("a tape", "Ask a tape.", lambda noted: all(noted["gradient"]))
    with pytest.raises(MistakesError, match="does not meet the demand 'a tape'"):
        observe_right(question(demands=[tape]), square, 3)


def test_a_wrong_program_that_raises_by_a_slip_is_refused():
    for slip in (lambda x, weights: squared(x), lambda x, weights: pytest.squared(x)):  # noqa: F821
        with pytest.raises(MistakesError, match="Fix the program"):
            reference_of({"slip": Wrong("No answer does this.", slip)})


def misspelt(reading, x, weights):
    return np.roundd(reading)


def unexpected(reading, x, weights):
    return reading["square"]


@pytest.mark.parametrize("slip", [misspelt, unexpected])
def test_a_slip_in_a_reading_stops_the_build_at_its_line(slip):
    asked = replace(question(), parts=[Part(read=slip)])
    where = f"test_observing.py, line {slip.__code__.co_firstlineno + 1}: return "
    with pytest.raises(MistakesError, match=f"99.1: `read=` raises .*{where}"):
        observe_right(asked, square, 3)


def test_a_reading_that_takes_too_little_stops_it_too():
    asked = replace(question(), parts=[Part(read=lambda reading: reading)])
    with pytest.raises(MistakesError, match="99.1: `read=` raises TypeError: .* 3 were given$"):
        observe_right(asked, square, 3)


def test_a_slip_that_only_a_wrong_program_meets_stops_it_too():
    def of_pairs(reading, x, weights):
        return np.summ(reading) if reading.shape else reading

    asked = replace(question(), parts=[Part(read=of_pairs)])
    pair = {"pair": Wrong("Return one number.", lambda x, weights: [x, x])}
    with pytest.raises(MistakesError, match="no attribute .summ.*, line .*: return np.summ"):
        reference_of(pair, asked)
    # Of another form than the reading expects is an answer, and no slip.
    nothing = {"nothing": Wrong("Return one number.", lambda x, weights: None)}
    assert reference_of(nothing, asked).wrong[0].readings == [None, None]


def test_mistakes_that_are_not_python_are_refused_with_their_line(tmp_path):
    (tmp_path / "exercises.py").write_text("EXERCISES = []\n")
    (tmp_path / "mistakes.py").write_text("MISTAKES = {}\n  x = 1\n")
    assert without_messages("MISTAKES = {}\n  x = 1\n") == "MISTAKES = {}\n  x = 1\n"
    with pytest.raises(MistakesError, match="mistakes.py, line 2: this is not valid Python"):
        Questions(SimpleNamespace(path=tmp_path / "lesson.py"))


def test_a_dict_that_names_two_mistakes_alike_is_refused(tmp_path):
    (tmp_path / "exercises.py").write_text("EXERCISES = []\n")
    mistakes = tmp_path / "mistakes.py"
    mistakes.write_text('MISTAKES = {\n    "99.1": {"cubed": 1, "halved": 2, "cubed": 3},\n}\n')
    lesson = SimpleNamespace(path=tmp_path / "lesson.py")
    with pytest.raises(MistakesError, match="mistakes.py, line 2: two entries .* named 'cubed'"):
        Questions(lesson)


def test_a_mistake_needs_a_program():
    with pytest.raises(TypeError, match="needs a program that makes it"):
        Wrong("Nothing is wrong.")


def test_a_table_tells_values_ranges_and_all_others():
    one = ValueQuestion("99.2", "One", "predict", 1, praise="Yes.", form="Write a number")
    table = Table({None: "A path is there.", Between(2, 3): "Near: {value}."}, "{value} is far.")
    (data,) = prediction_data(one, 1.0, table)["tables"]
    for value, sentence in (
        (None, "A path is there."),
        (2.5, "Near: 2.5."),
        (9, "9 is far."),
        ("text", None),
    ):
        assert sentence_for(read(value), data, 1e-3) == sentence


def test_a_shape_is_no_list_of_lists():
    shape = ValueQuestion("99.4", "Shape", "predict", 1, praise="Yes.", form="Write a shape")
    data = prediction_data(shape, (4, 2), Table({(2, 4): "Transposed."}, "No."))
    answers = {"passed": [(4, 2), [4, 2]], "failed": [([4], [2]), [[4, 2]], (4,), 4, (2, 4)]}
    for outcome, given in answers.items():
        for value in given:
            assert values.judged(shape, describe(value), data).outcome == outcome, value


def test_tolerance_is_relative_to_small_numbers_too():
    small = np.array([2e-5, 1e-5])
    assert same(small * 1.0005, small, 1e-3)
    assert not same(small * 1.002, small, 1e-3)
    assert same(np.array([1e-8]), np.array([0.0]), 1e-3)  # a rounding error is no mistake
    assert not same(np.array([1e-5]), np.array([0.0]), 1e-3)


def test_a_list_of_predictions_needs_a_table_for_each():
    several = ValueQuestion(
        "99.3", "Two", "predict", 1, praise="Yes.", form="Write two", entries=("x", "y")
    )
    with pytest.raises(MistakesError, match="it needs one entry and one table for each value"):
        prediction_data(several, [1.0, 2.0], [Table({}, "No.")])

"""Every exercise against the corpus: the stub, the solution, other right answers, wrong ones."""

import ast
import linecache
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from course_staff.authoring.source import read_lesson
from course_utils import check
from course_utils.course.curriculum import written_lessons

LESSONS = Path(__file__).parents[2] / "lessons"
LESSONS_WITH_JUDGES = [
    lesson for lesson in written_lessons() if not (LESSONS / lesson.name / "gallery.py").exists()
]
EXERCISES = {e.id: e for lesson in LESSONS_WITH_JUDGES for e in lesson.exercises()}
ANSWERS = {
    exercise_id: answers
    for lesson in LESSONS_WITH_JUDGES
    for exercise_id, answers in import_module(f"answers.lesson_{lesson.number}").ANSWERS.items()
}
SOURCES = {
    lesson.number: read_lesson(LESSONS / lesson.name / "lesson.py")
    for lesson in LESSONS_WITH_JUDGES
}


def answer_in(exercise_id, notebook):
    """Run the exercise's cell in the worked or the learner's notebook and return the answer."""
    source = SOURCES[exercise_id[:2]]
    cell = notebook(source).cells[source.exercises[exercise_id]]
    (name,) = {
        node.args[1].id
        for other in source.notebook.cells
        if other.cell_type == "code"
        for node in ast.walk(ast.parse(other.source))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) == "check"
        and node.args[0].value == exercise_id
    }
    # As in a notebook, the source can be read again, which AutoGraph needs.
    linecache.cache[exercise_id] = (len(cell.source), None, cell.source.splitlines(True), "")
    namespace = {"tf": tf, "np": np}
    exec(compile(cell.source, exercise_id, "exec"), namespace)
    return namespace[name]


def test_every_exercise_has_answers_in_the_corpus():
    assert set(ANSWERS) == set(EXERCISES)


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_the_corpus_is_large_enough(exercise_id):
    answers = ANSWERS[exercise_id]
    assert len(answers.right) >= 1
    assert len({wrong.fragment for wrong in answers.wrong}) >= 3


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_stub_is_not_attempted(exercise_id):
    result = check(exercise_id, answer_in(exercise_id, lambda source: source.notebook))
    assert result.outcome == "not attempted"


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_solution_passes_on_many_draws(exercise_id):
    exercise = EXERCISES[exercise_id]
    solution = answer_in(exercise_id, lambda source: source.solution)
    for seed in range(20):
        judgement = exercise.assess(exercise.observe(solution, seed), seed)
        assert judgement.outcome == "passed", judgement.message


@pytest.mark.parametrize(
    ("exercise_id", "answer"), [(i, a) for i, answers in ANSWERS.items() for a in answers.right]
)
def test_other_right_answers_pass(exercise_id, answer):
    exercise = EXERCISES[exercise_id]
    for seed in range(20):
        judgement = exercise.assess(exercise.observe(answer, seed), seed)
        assert judgement.outcome == "passed", judgement.message


@pytest.mark.parametrize(
    ("exercise_id", "wrong"), [(i, w) for i, answers in ANSWERS.items() for w in answers.wrong]
)
def test_wrong_answers_are_told_their_mistake(exercise_id, wrong):
    exercise = EXERCISES[exercise_id]
    for seed in range(6):
        judgement = exercise.assess(exercise.observe(wrong.answer, seed), seed)
        assert judgement.outcome == wrong.outcome, judgement.message
        assert wrong.fragment in judgement.message
        assert judgement.message.count(". ") <= 3, "a message has at most three sentences"


# What people return by accident: none of it may pass, or break a judge.
STRAY = [
    None,
    True,
    0.0,
    float("nan"),
    float("inf"),
    "text",
    [],
    [1.0, 2.0],
    (None, None),
    ((4, 2),),
    [[4], {"a": 2}],
    {},
    {"W": None, "b": 1.0},
    {"W": "text", "b": []},
    {"W": 1.0, "b": 1.0},
    np.zeros((0,)),
    np.array(["a"]),
    np.ones((2, 3)),
    np.array(1 + 2j),
    object(),
    len,
]


@pytest.mark.parametrize(
    "stray", STRAY, ids=[f"{number}-{type(stray).__name__}" for number, stray in enumerate(STRAY)]
)
@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_stray_values_fail_with_a_message(exercise_id, stray):
    exercise = EXERCISES[exercise_id]
    is_value = exercise.kind == "predict"
    changing = iter([stray, None, stray, [stray], stray, stray, stray])
    for answer in (stray,) if is_value else (lambda *a: stray, lambda *a: next(changing), stray):
        judgement = exercise.assess(exercise.observe(answer, 1), 1)
        assert judgement.outcome in ("failed", "error")
        assert len(judgement.message) > 20

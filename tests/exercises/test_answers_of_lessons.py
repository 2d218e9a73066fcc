"""Each question against its right answers, and against wrong ones that are in no list.

The build proves what is in a `mistakes.py`: each of its programs goes wrong, and is told its own
sentence. A lesson's `answers.py` has answers that were written without looking there: RIGHT ones,
which pass, WRONG ones with the mistake's name, and ORACLES, which compute without a tape where one
is demanded, and fail only that demand.
`benchmarks/held_out_answers.py` judges each of them on every stored seed.

Answers that `proven.json` vouches for are judged again in `make test-all` alone.
"""

import re
from pathlib import Path

import numpy as np
import pytest
from proven import deciding, is_proven, key_of

from course_utils.exercises.judging import assess, observe_and_judge
from course_utils.exercises.lesson_questions import load
from course_utils.exercises.observation import describe
from course_utils.exercises.question import Question
from course_utils.exercises.references import SEEDS, stored
from course_utils.workspace.curriculum import LESSONS

SOURCES = Path(__file__).parents[2] / "lessons"
EXERCISES = {e.id: e for lesson in LESSONS for e in lesson.exercises()}
FUNCTIONS = [i for i, exercise in EXERCISES.items() if isinstance(exercise, Question)]
CORPUS = {lesson.number: load(SOURCES / lesson.name / "answers.py") for lesson in LESSONS}
LONGEST = 4  # sentences of a message
NIGHTLY = {i: [pytest.mark.nightly] * is_proven(i) for i in CORPUS}


def seeds_of(exercise_id, name, count):
    """Return some of the stored seeds: others for each answer, and the same in each run."""
    first = sum(map(ord, f"{exercise_id} {name}"))
    return [(first + i) % SEEDS for i in range(count)]


@pytest.mark.parametrize(
    ("exercise_id", "number"),
    [
        pytest.param(i, n, marks=NIGHTLY[i[:2]])
        for i in EXERCISES
        for n in range(len(CORPUS[i[:2]].RIGHT.get(i, [])))
    ],
)
def test_other_right_answers_pass(exercise_id, number):
    answer = CORPUS[exercise_id[:2]].RIGHT[exercise_id][number]
    (seed,) = seeds_of(exercise_id, number, 1)
    judgement, _ = observe_and_judge(EXERCISES[exercise_id], answer, seed)
    assert judgement.outcome == "passed", judgement.message


@pytest.mark.parametrize(
    ("exercise_id", "number", "name"),
    [
        pytest.param(i, n, name, marks=NIGHTLY[i[:2]])
        for i in EXERCISES
        for n, (name, _) in enumerate(CORPUS[i[:2]].WRONG.get(i, []))
    ],
)
def test_wrong_answers_in_no_list_are_told_their_mistake(exercise_id, number, name):
    _, answer = CORPUS[exercise_id[:2]].WRONG[exercise_id][number]
    (seed,) = seeds_of(exercise_id, name, 1)
    judgement, _ = observe_and_judge(EXERCISES[exercise_id], answer, seed)
    assert judgement.outcome in ("failed", "error"), judgement.message
    assert judgement.mistake == name, judgement.message
    assert judgement.message.count(". ") < LONGEST, judgement.message


def test_a_line_changed_in_anything_that_decides_voids_a_lessons_key():
    texts = {path: path.read_bytes() for path in deciding("03")}
    key = key_of("03")
    for path, text in texts.items():
        assert key_of("03", (texts | {path: text + b"\n"}).__getitem__) != key, path


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_there_are_right_answers_and_enough_wrong_ones(exercise_id):
    corpus, exercise = CORPUS[exercise_id[:2]], EXERCISES[exercise_id]
    assert corpus.RIGHT[exercise_id]
    if isinstance(exercise, Question):
        names = {mistake["name"] for mistake in stored(exercise_id)["mistakes"]}
        assert len(names | {demand.name for demand in exercise.demands}) >= 3
        assert len(corpus.WRONG[exercise_id]) >= 3


@pytest.mark.parametrize("exercise_id", FUNCTIONS)
def test_sentences_are_short_and_end(exercise_id):
    for mistake in stored(exercise_id)["mistakes"]:
        sentence = mistake["sentence"]
        assert re.search(r"[.?]$", sentence), sentence
        assert sentence.count(". ") < LONGEST, sentence


# What people return by accident: none of it may pass, or break the comparison.
STRAY = [
    None,
    True,
    0.0,
    float("nan"),
    float("inf"),
    10**400,
    "text",
    [],
    [1.0, 2.0],
    (None, None),
    ((4, 2),),
    [[4], {"a": 2}],
    {},
    {"W": None, "b": 1.0},
    {"W": "text", "b": []},
    {"w": 1.0, "b": 1.0},
    np.zeros((0,)),
    np.array(["a"]),
    np.ones((2, 3)),
    np.array(1 + 2j),
    object(),
    len,
]


def returning(question, described, seed):
    """Return the observation of an answer that gives the same in every call and every part."""
    keys = [part.key for part in question.parts]
    if keys != [""]:
        described = {"type": "dict", "items": dict.fromkeys(keys, described)}
    called = dict.fromkeys(("gradient", "jacobian", "batch_jacobian", "jvp"), 0)
    record = {"returned": described, "called": called}
    return {"calls": [record] * len(question.inputs_of(seed)), "printed": "", "untouched": False}


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_stray_values_fail_with_a_message(exercise_id):
    exercise = EXERCISES[exercise_id]
    for stray in STRAY:
        if isinstance(exercise, Question):
            observation = returning(exercise, describe(stray), 1)
        else:
            observation = exercise.observe(stray, 1)
        judgement = assess(exercise, observation, 1)
        assert judgement.outcome in ("failed", "error"), stray
        assert len(judgement.message) > 20 and judgement.mistake


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_what_is_no_answer_is_said_to_be_none(exercise_id):
    exercise = EXERCISES[exercise_id]
    assert assess(exercise, exercise.observe(..., 1), 1).outcome == "not attempted"
    if isinstance(exercise, Question):
        for value in STRAY[:-1]:
            judgement = assess(exercise, exercise.observe(value, 1), 1)
            assert "check needs the function itself" in judgement.message


@pytest.mark.parametrize("exercise_id", [pytest.param(i, marks=NIGHTLY[i[:2]]) for i in FUNCTIONS])
def test_oracles_give_the_right_values_and_fail_a_demand_alone(exercise_id):
    """Answers that compute without a tape agree in every value, also where a tape is asked for."""
    exercise = EXERCISES[exercise_id]
    for number, answer in enumerate(
        getattr(CORPUS[exercise_id[:2]], "ORACLES", {}).get(exercise_id, [])
    ):
        for seed in seeds_of(exercise_id, number, 2):
            judgement, _ = observe_and_judge(exercise, answer, seed)
            assert judgement.mistake in {demand.name for demand in exercise.demands}

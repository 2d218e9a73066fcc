"""The questions of lesson 00: one tiny exercise of each kind."""

import numpy as np

from course_utils.exercises import Callout, Part, Question, ValueQuestion, constants


def draw_steps(rng: np.random.Generator) -> list[tuple]:
    """Draw a, b, c of f(t) = a t**3 + b t + c, then x and h, of a size that shows each mistake."""
    drawn = [(*rng.uniform(0.5, 2.0, 4).round(2), 0.25) for _ in range(2)]
    falling = (-1.0, *rng.uniform(-2.0, -0.5, 2).round(2), 1.5, 0.25)
    backwards = (1.0, 1.0, *rng.uniform(1.2, 2.0, 2).round(2), -0.25)
    small = (0.1, 0.07, 0.0, 0.6, 0.1)  # 0.197, which no rounding survives
    return [(1.0, 0.0, 0.0, 2.0, 0.5), *drawn, falling, backwards, small]


def as_curve(a: float, b: float, c: float, x: float, h: float) -> tuple:
    return (lambda t: a * t**3 + b * t + c), float(x), float(h)


def draw_predictions(rng: np.random.Generator) -> list[tuple]:
    first = (np.array([1.0, 3.0, 3.0]), np.array([2.0, 1.0, 2.0]))
    return [first] + [tuple(rng.normal(0.0, 3.0, (2, n)).round(1)) for n in (4, 7)]


EXERCISES = (
    ValueQuestion(
        id="00.1",
        title="Slope of a parabola",
        kind="predict",
        points=1,
        form="A slope is one number",
        praise="At x = 3, a small step in x raises y by about six times that step.",
        tolerance=1e-6,  # 6.001 is the average over a step of 0.001, and not the slope
    ),
    Question(
        id="00.2",
        title="Rate of change",
        kind="complete",
        points=1,
        draw=draw_steps,
        prepare=as_curve,
        inputs="a b c x h",
        parts=[
            Part(
                words="the rate of change of f(t) = a * t**3 + b * t + c",
                form="End the function with `return` and the quotient, which is one number.",
            )
        ],
        praise="In lesson 01 you will compare TensorFlow's gradients with a quotient like this.",
    ),
    Question(
        id="00.3",
        title="Errors that cancel",
        kind="repair",
        points=1,
        draw=draw_predictions,
        prepare=constants,
        inputs="y_hat y",
        parts=[
            Part(
                words="the mean squared error",
                form="End the function with `return` and the loss, which is one number.",
            )
        ],
        praise=("You square first and average after, so errors of opposite sign no longer cancel."),
    ),
)

PREDICTIONS = (
    Callout(
        "00.a",
        right="float64",
        options={
            "int32": "Integers in, integers out: that is true for `+`, `*` and `//`. But `/` "
            "means true division, as in Python: 7 / 2 is 3.5, which is not an integer.",
            "float32": "`float32` is the type of `tf.constant(3.0)`, and of most numbers in "
            "TensorFlow. But not every 32-bit integer fits exactly into a float32.",
            "float64": "`/` is true division, and TensorFlow first casts 32-bit integers to "
            "`float64`, which can represent all of them exactly.",
        },
    ),
)

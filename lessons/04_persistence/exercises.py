"""The questions of lesson 04: targets that are summed, two losses, a lost penalty, and a table."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_utils.exercises.question import Demand, Part, Prediction, Question


def draw_linear_models(rng: np.random.Generator) -> list[tuple]:
    def draw(n):
        return rng.normal(size=(3, 1)), rng.normal(size=(n, 3)), 2 * rng.normal(size=(n, 1))

    return [draw(n) for n in (5, 4, 7)]


def as_model(w: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple:
    import tensorflow as tf

    return tf.Variable(w, dtype=tf.float32), *(tf.constant(a, tf.float32) for a in (x, y))


def draw_penalised(rng: np.random.Generator) -> list[tuple]:
    def draw(n):
        w = rng.uniform(1, 3, size=(3, 1)) * rng.choice([-1, 1], size=(3, 1))
        return w, rng.normal(size=(n, 3)), rng.normal(size=(n, 1))

    return [draw(n) for n in (4, 6, 3)]


def gradient_and_norm(function: Callable, *arguments: Any) -> dict:
    """Return the two things that the function returned, each under its name."""
    returned = function(*arguments)
    if not (isinstance(returned, tuple | list) and len(returned) == 2):
        return {"results": returned, "gradient": None, "norm": None}
    return {"results": "a pair", "gradient": returned[0], "norm": returned[1]}


def draw_maps(rng: np.random.Generator) -> list[tuple]:
    def draw(m, n):
        return rng.normal(size=(m, n)) + 0.5, rng.normal(size=n)

    return [draw(m, n) for m, n in ((2, 3), (4, 2), (1, 3), (3, 3))]


def as_map(A: np.ndarray, x: np.ndarray) -> tuple:
    """Return the function (A x)**2, from shape (n,) to shape (m,), and the variable x."""
    import tensorflow as tf

    matrix = tf.constant(A, tf.float32)
    return lambda v: tf.linalg.matvec(matrix, v) ** 2, tf.Variable(x, dtype=tf.float32)


EXERCISES = (
    Prediction(
        id="04.1",
        title="A dict of targets",
        kind="predict",
        points=1,
        form="The answer has the structure of the sources, and the only source is w, in no list "
        "or dict. Targets are summed, in whatever they are given",
        praise="The slopes 4 and 6 are added, and the keys of the targets are forgotten.",
    ),
    Question(
        id="04.2",
        title="Two losses, two gradients",
        kind="complete",
        points=2,
        draw=draw_linear_models,
        prepare=as_model,
        inputs="w x y",
        parts=[
            Part(
                words="the dict of gradients",
                form="Return a dict with the keys squared and absolute, and under each the "
                "gradient of that loss, of the shape of w.",
            )
        ],
        praise="Each loss has its own gradient, under its own name.",
    ),
    Question(
        id="04.3",
        title="A penalty that gets lost",
        kind="repair",
        points=3,
        draw=draw_penalised,
        prepare=as_model,
        call=gradient_and_norm,
        inputs="w x y",
        parts=[
            Part(
                "results",
                form="Return two things: the gradient of the loss, and then the norm of the "
                "penalty's gradient for the log.",
            ),
            Part("gradient", "the gradient of the loss", "It has the shape of w, (3, 1)."),
            Part("norm", "the norm for the log", "The norm is one number."),
        ],
        praise="The penalty is back in the gradient, and the log still shows its norm.",
    ),
    Question(
        id="04.4",
        title="A table of gradients",
        kind="complete",
        points=3,
        draw=draw_maps,
        prepare=as_map,
        inputs="A x",
        parts=[
            Part(
                words="the table for f(x) = (A x)**2",
                form="Stack one row for each entry of f(x), whatever their number, with a column "
                "for each entry of x.",
            )
        ],
        demands=[
            Demand(
                "jacobian asked",
                "The table is right, but it is `jacobian` that wrote it. Write it yourself: ask "
                "tape.gradient for one entry of f(x) at a time, and stack the answers.",
                lambda noted: not any(noted["jacobian"]) and not any(noted["batch_jacobian"]),
            )
        ],
        praise="Every row is the gradient of one entry alone, for tables of every shape.",
    ),
)

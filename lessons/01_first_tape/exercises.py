"""The questions of lesson 01: a first gradient, its shape, many sources, and a lost recording."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_utils.exercises.question import Demand, Part, Prediction, Question


def draw_points(rng: np.random.Generator) -> list[tuple]:
    return [(3.0,), (-1.5,), (0.5,), *[(float(x),) for x in rng.uniform(1.5, 4.0, 3).round(2)]]


def draw_linear_models(rng: np.random.Generator) -> list[tuple]:
    def draw(n):
        b = float(rng.normal())
        return rng.normal(size=(3, 1)), b, rng.normal(size=(n, 3)), rng.normal(size=(n, 1))

    return [draw(n) for n in (5, 8)]


def as_parameters(W: np.ndarray, b: float, x: np.ndarray, y: np.ndarray) -> tuple:
    import tensorflow as tf

    parameters = {"W": tf.Variable(W, dtype=tf.float32), "b": tf.Variable(b, dtype=tf.float32)}
    return parameters, tf.constant(x, tf.float32), tf.constant(y, tf.float32)


def draw_lines(rng: np.random.Generator) -> list[tuple]:
    first = (2.0, np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 1.0]))
    falling = (-2.0, np.array([1.0, 2.0]), np.array([1.0, 3.0]))
    drawn = [(round(rng.uniform(1, 3), 1), *rng.normal(size=(2, n)).round(1)) for n in (4, 6)]
    return [first, falling, *drawn]


def as_line(w: float, x: np.ndarray, y: np.ndarray) -> tuple:
    import tensorflow as tf

    return tf.Variable(w, dtype=tf.float32), *(tf.constant(a, tf.float32) for a in (x, y))


def slope_and_form(function: Callable, *arguments: Any) -> dict:
    """Return what the function returned, whether that is a bare number, and what hides its tape.

    A compiled function that was traced before makes no tape.
    """
    slope = function(*arguments)
    in_list = isinstance(slope, list | tuple) or getattr(slope, "shape", ()) != ()
    compiled = hasattr(function, "get_concrete_function")
    return {"slope": slope, "in list": in_list, "compiled": compiled}


def on_a_tape(noted: dict) -> bool:
    return all(noted["compiled"]) or all(noted["gradient"])


EXERCISES = (
    Question(
        id="01.1",
        title="Slope of a cubic",
        kind="complete",
        points=2,
        draw=draw_points,
        call=slope_and_form,
        inputs="x",
        parts=[Part("slope", "the slope", "The slope at x is one number.")],
        demands=[
            Demand(
                "number in a list",
                "The numbers are right, but each stands in a list, or in a tensor of shape (1,). "
                "Make the variable from x, not from [x], and ask with x itself as the source.",
                lambda noted: not any(noted["in list"]),
            ),
            Demand(
                "no tape",
                "The slopes are right, but no tape found them. Record y in the block of a "
                "tf.GradientTape, and return tape.gradient(y, x).",
                on_a_tape,
            ),
        ],
        praise="The tape finds the slope, also at points that the check drew at random.",
    ),
    Prediction(
        id="01.2",
        title="The shape of a gradient",
        kind="predict",
        points=1,
        form="Write the shape as one tuple of whole numbers, such as (8, 1)",
        praise="The gradient has the shape of its source.",
    ),
    Question(
        id="01.3",
        title="Gradients in a dict",
        kind="complete",
        points=3,
        draw=draw_linear_models,
        prepare=as_parameters,
        inputs="W b x y",
        parts=[
            Part(
                words="the dict of gradients",
                form="Return tape.gradient(loss, params): the source is the whole dict.",
            )
        ],
        praise="Both gradients are right, and they come back under their names.",
    ),
    Question(
        id="01.4",
        title="A recording that starts too late",
        kind="repair",
        points=2,
        draw=draw_lines,
        prepare=as_line,
        call=slope_and_form,
        inputs="w x y",
        parts=[
            Part("slope", "the gradient of w", "It is one number: return tape.gradient(loss, w).")
        ],
        demands=[
            Demand(
                "number in a list",
                "The numbers are right, but each stands in a list, or in a tensor of shape (1,). "
                "Return tape.gradient(loss, w), with w itself as the source.",
                lambda noted: not any(noted["in list"]),
            ),
            Demand(
                "no tape",
                "The numbers are right, but no tape found them. Leave the program as it was given, "
                "and move one line.",
                on_a_tape,
            ),
        ],
        praise="Nothing between w and the loss is lost any more.",
    ),
)

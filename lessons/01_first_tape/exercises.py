"""The questions of lesson 01: a first gradient, its shape, many sources, and the walk back."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_utils.exercises import (
    Callout,
    Demand,
    Part,
    Question,
    ValueQuestion,
    calls_noted,
    constants,
    results_noted,
    traced_anew,
    variables,
)


def draw_points(rng: np.random.Generator) -> list[tuple]:
    return [(3.0,), (-1.5,), (0.5,), *[(float(x),) for x in rng.uniform(1.5, 4.0, 3).round(2)]]


def draw_linear_models(rng: np.random.Generator) -> list[tuple]:
    def draw(n):
        b = float(rng.normal())
        return rng.normal(size=(3, 1)), b, rng.normal(size=(n, 3)), rng.normal(size=(n, 1))

    return [draw(n) for n in (5, 8)]


def as_parameters(W: np.ndarray, b: float, x: np.ndarray, y: np.ndarray) -> tuple:
    W, b = variables(W, b)
    return {"W": W, "b": b}, *constants(x, y)


def draw_lines(rng: np.random.Generator) -> list[tuple]:
    first = (2.0, np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 1.0]))
    falling = (-2.0, np.array([1.0, 2.0]), np.array([1.0, 3.0]))
    drawn = [(round(rng.uniform(1, 3), 1), *rng.normal(size=(2, n)).round(1)) for n in (4, 6)]
    return [first, falling, *drawn]


def as_line(w: float, x: np.ndarray, y: np.ndarray) -> tuple:
    return *variables(w), *constants(x, y)


def is_in_list(number: Any) -> bool:
    return isinstance(number, list | tuple) or getattr(number, "shape", ()) != ()


def slope_and_sources(function: Callable, *arguments: Any) -> dict:
    """Return what the function returned, whether that is a bare number, and what tapes were asked for.

    A graph that was traced before asks no tape, so each compiled function is traced at each call.
    """
    from unittest.mock import patch

    import tensorflow as tf

    compiled = type(tf.function(function))
    call = compiled.__call__

    @tf.autograph.experimental.do_not_convert
    def trace_and_call(self, *given, **named):
        return call(traced_anew(self), *given, **named)

    with (
        patch.object(compiled, "__call__", trace_and_call),
        calls_noted(tf.GradientTape, "gradient") as asked,
        results_noted(tf.GradientTape, "gradient") as answers,
    ):
        slope = function(*arguments)
    sources = [source for each in asked for source in tf.nest.flatten(each["sources"])]
    return {
        "slope": slope,
        "in list": is_in_list(slope),
        "on a tape": any(each is not None for each in tf.nest.flatten(answers)),
        "of a number": not all(map(is_in_list, sources)),
    }


def gradients_and_form(function: Callable, *arguments: Any) -> dict:
    """Return what the function returned, and whether the gradient of b is a bare number."""
    gradients = function(*arguments)
    in_list = isinstance(gradients, dict) and is_in_list(gradients.get("b"))
    return {"gradients": gradients, "in list": in_list}


def draw_tapes(rng: np.random.Generator) -> list[tuple]:
    """Return the lesson's tape, and others with shared inputs.

    Two have a number behind the target; in the last, one without inputs stands in the middle, and
    one leads nowhere.
    """

    def slopes(*places):
        return [(place, float(rng.uniform(0.5, 2) * rng.choice([-1, 1]))) for place in places]

    x, a = 0.6, 0.36
    of_lesson = [[], [(0, 2 * x)], [(1, float(np.cos(a)))], [(0, float(np.sin(a))), (2, x)]]
    tapes = [
        ([(), (), (0, 1), (2, 0), (3, 2), (4, 4)], 5),
        ([(), (0, 0), (0,), (1, 2), (3, 1), (2,)], 4),
        ([(), (), (), (0, 1), (3, 2), (3, 4), (5, 0), (6,)], 6),
        ([(), (0,), (), (1, 2), (1,), (3,)], 5),
    ]
    drawn = [([slopes(*inputs) for inputs in tape], target) for tape, target in tapes]
    return [(of_lesson, 3), *drawn]


EXERCISES = (
    Question(
        id="01.1",
        title="Slope of a cubic",
        kind="complete",
        points=2,
        draw=draw_points,
        call=slope_and_sources,
        inputs="x",
        parts=[
            Part(
                "slope",
                "the slope",
                "The slope at `x` is one number: return `tape.gradient(y, x)`.",
            )
        ],
        demands=[
            Demand(
                "number in a list",
                "The numbers are right, but each is in a list or in a tensor of shape (1,). "
                "Create the variable from `x`, not from `[x]`, and pass the variable itself "
                "as the source, not a list.",
                lambda noted: not any(noted["in list"]),
            ),
            Demand(
                "no tape",
                "The slopes are right, but no tape computed them. Compute `y` in the block of a "
                "`tf.GradientTape`, and return `tape.gradient(y, x)`.",
                lambda noted: all(noted["on a tape"]),
            ),
        ],
        praise="The tape finds the slope, even at points that the check drew at random.",
    ),
    ValueQuestion(
        id="01.2",
        title="The shape of a gradient",
        kind="predict",
        points=1,
        form="Write the shape as one tuple of integers, such as (8, 1)",
        praise="The gradient has the shape of its source.",
    ),
    Question(
        id="01.3",
        title="Gradients in a dict",
        kind="complete",
        points=3,
        draw=draw_linear_models,
        prepare=as_parameters,
        call=gradients_and_form,
        inputs="W b x y",
        parts=[
            Part(
                "gradients",
                "the dict of gradients",
                "Return `tape.gradient(loss, params)`: pass the whole dict as the source.",
            )
        ],
        demands=[
            Demand(
                "b in a list",
                "The numbers are right, but the gradient of `b` is in a list or in a tensor of "
                "shape (1,). A gradient has the shape of its source, so return it with "
                "shape ().",
                lambda noted: not any(noted["in list"]),
            )
        ],
        praise="Both gradients are right, and each is under its name.",
    ),
    Question(
        id="01.4",
        title="A gradient that gets lost",
        kind="repair",
        points=2,
        draw=draw_lines,
        prepare=as_line,
        call=slope_and_sources,
        inputs="w x y",
        parts=[
            Part(
                "slope",
                "the gradient with respect to `w`",
                "The gradient is one number: return `tape.gradient(loss, w)`.",
            )
        ],
        demands=[
            Demand(
                "number in a list",
                "The numbers are right, but each is in a list or in a tensor of shape (1,). "
                "Return `tape.gradient(loss, w)`, with `w` itself as the source.",
                lambda noted: not any(noted["in list"]),
            ),
            Demand(
                "no tape",
                "The numbers are right, but no tape computed them. Keep the program from the "
                "exercise, and only move one line.",
                lambda noted: all(noted["on a tape"]),
            ),
            Demand(
                "finished by hand",
                "The numbers are right, but your tape's source is not `w`, and you finish the "
                "chain rule by hand. Move `y_hat = w * x` into the block, and use `w` as "
                "the source.",
                lambda noted: all(noted["of a number"]),
            ),
        ],
        praise="The whole path from `w` to the loss is now on the tape.",
    ),
    Question(
        id="01.5",
        title="Your own tape",
        kind="complete",
        points=3,
        draw=draw_tapes,
        inputs="recorded target",
        parts=[
            Part(
                words="the list of gradients",
                form="Return a list with one number for each number on the tape.",
            )
        ],
        praise="Your backward pass multiplies along each path, and adds where paths meet.",
    ),
)

PREDICTIONS = (
    Callout(
        "01.a",
        right="6",
        options={
            "6": "x was 3 when the tape recorded the square.",
            "10": "10 is what the formula 2x gives at the current x. But the tape stored the value "
            "that x had during the recording.",
            "an error": "You may change a variable after the recording, so there is no error.",
        },
    ),
    Callout(
        "01.b",
        right="None",
        options={
            "20": "20 is the slope of 2x² at 5, and the code does compute 2x² from x. But the line "
            "that computes y runs before the block, so the tape did not record it.",
            "0": "0 would mean that the tape found a path, and that the slope along it is zero. "
            "But here it found none.",
            "None": "The tape was not recording when y was computed, so it found no path from x to "
            "y. TensorFlow does not raise an error: you get `None`.",
        },
    ),
    Callout(
        "01.c",
        right="100 times, and once",
        options={
            "50 times, and 50 times": "One evaluation per derivative, plus one, is what a forward "
            "difference needs. But a central difference steps to both sides, and the tape runs "
            "the function only once.",
            "100 times, and 50 times": "Two evaluations per derivative is right for central "
            "differences. But the tape does not take one derivative at a time.",
            "100 times, and once": "A central difference moves one number at a time, to both "
            "sides. The tape runs the function once, and one backward pass gives all 50 "
            "derivatives.",
        },
    ),
)

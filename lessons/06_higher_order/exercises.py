"""The questions of lesson 06: nested tapes, a penalty, a jacobian's shape, a curvature."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_utils.exercises import (
    Callout,
    Demand,
    Part,
    Question,
    ValueQuestion,
    constants,
    results_noted,
    variables,
)


def draw_motions(rng: np.random.Generator) -> list[tuple]:
    first = (0.5, 2.0, 1.0, np.array([0.5, 1.0, 2.0]))
    falling = (-1.0, 1.5, -0.5, np.array([0.2, 0.4, 0.8, 1.6]))
    a, b, c = (float(each) for each in rng.uniform(0.5, 1.5, 3).round(1))
    return [first, falling, (a, b, c, rng.choice(np.arange(3, 26), 6, replace=False) / 10)]


def as_motion(a: float, b: float, c: float, t: np.ndarray) -> tuple:
    import tensorflow as tf

    def position(t):
        return a * t**3 + tf.sin(b * t) + c * t

    return position, *constants(t)


def places_noted(f: Callable, x: Any) -> tuple[Callable, list[bool]]:
    """Return f, and a list that each call of it with numbers tells whether some are not of x."""
    elsewhere: list[bool] = []

    def noted(place):
        if hasattr(place, "numpy"):
            # Who casts to float32 stays at x.
            rtol = 1e-12 if place.dtype == "float64" else 1e-6
            equal = np.isclose(place.numpy()[..., None], x.numpy(), rtol=rtol, atol=0)
            elsewhere.append(not equal.any(axis=-1).all())
        return f(place)

    return noted, elsewhere


def speed_and_acceleration(function: Callable, position: Callable, t: Any) -> dict:
    """Return the two things, or the two rows of one tensor, that came back."""
    position, elsewhere = places_noted(position, t)
    returned = function(position, t)
    is_pair = isinstance(returned, tuple | list) and len(returned) == 2
    if is_pair or tuple(getattr(returned, "shape", ()))[:-1] == (2,):
        both = returned[0], returned[1]
    else:
        both = ("nothing" if returned is None else "something else than two things",) * 2
    return {"speed": both[0], "acceleration": both[1], "elsewhere": any(elsewhere)}


def draw_penalties(rng: np.random.Generator) -> list[tuple]:
    # Where w . x is 0, the slopes equal w, and who lost the path to w is told of a copy of it.
    first = (np.array([1.0, -0.5]), np.array([0.5, 2.0]))
    second = (np.array([-0.4, 0.8, 0.6]), np.array([1.0, 0.5, 1.0]))
    drawn = [(rng.uniform(-1, 1, n).round(1) + 0.05, rng.uniform(0.2, 1, n)) for n in (4, 5)]
    return [first, second, *((w, x.round(1)) for w, x in drawn)]


def as_variable_and_tensor(w: np.ndarray, x: np.ndarray) -> tuple:
    return *variables(w), *constants(x)


def draw_directions(rng: np.random.Generator) -> list[tuple]:
    first = [[1.0, 2.0], [1.0, 1.0], [1.0, 0.5], [3.0, 4.0]]
    downward = [[2.0, 1.0, -1.0], [0.5, 0.0, 0.5], [-1.0, -0.5, 0.5], [2.0, -1.0, 2.0]]
    drawn = (rng.uniform(0.3, 2, (2, 4, 5)) * [[1], [1], [-1], [1]]).round(1)
    return [tuple(map(np.array, call)) for call in (first, downward, *drawn)]


def as_loss(a: np.ndarray, b: np.ndarray, x: np.ndarray, v: np.ndarray) -> tuple:
    import tensorflow as tf

    def f(x):
        return tf.reduce_sum(a * x**3) + tf.reduce_sum(b * x) ** 2

    return f, *constants(x, v, dtype="float64")


def curvature_and_walks(function: Callable, f: Callable, x: Any, v: Any) -> dict:
    """Return the curvature, how often a tape was asked, and whether f was, elsewhere than at x.

    What accumulators ask of tapes of their own, in graphs, does not count.
    """
    import tensorflow as tf

    f, elsewhere = places_noted(f, x)
    with (
        results_noted(tf.GradientTape, "gradient") as gradients,
        results_noted(tf.GradientTape, "jacobian") as jacobians,
    ):
        returned = function(f, x, v)
    walks = sum(hasattr(each, "numpy") for each in tf.nest.flatten(gradients))
    matrices = any(len(each.shape) > 1 for each in tf.nest.flatten(jacobians) if each is not None)
    elsewhere = any(elsewhere)
    return {"curvature": returned, "walks": walks, "matrices": matrices, "elsewhere": elsewhere}


def one_number(reading: np.ndarray, *call: Any) -> np.ndarray:
    """Return a product of matrices, of shape (1, 1), as the number that it is."""
    return reading.reshape(()) if reading.size == 1 else reading


MOTION = "a * t**3 + sin(b * t) + c * t"

EXERCISES = (
    Question(
        id="06.1",
        title="Speed and acceleration",
        kind="complete",
        points=2,
        draw=draw_motions,
        prepare=as_motion,
        call=speed_and_acceleration,
        inputs="a b c t",
        parts=[
            Part("speed", f"the speed of {MOTION}", "Return one for each time: shape (n,)."),
            Part(
                "acceleration",
                f"the acceleration of {MOTION}",
                "Return one for each time: shape (n,).",
            ),
        ],
        demands=[
            Demand(
                "no tape",
                "The values are right, but nothing was differentiated twice. Put one tape inside "
                "another, and return what each of them gives.",
                lambda noted: all(
                    map(lambda *counts: sum(counts) >= 2, noted["gradient"], noted["jvp"])
                ),
            ),
            Demand(
                "differences taken",
                "The numbers are right to some digits, but they come from differences between "
                "times near each other. Differentiate the speed at t itself, with the outer tape.",
                lambda noted: not any(noted["elsewhere"]),
            ),
        ],
        praise="Right at every time, also for motions that the check drew at random.",
    ),
    Question(
        id="06.2",
        title="A penalty that never arrives",
        kind="repair",
        points=2,
        draw=draw_penalties,
        prepare=as_variable_and_tensor,
        inputs="w x",
        parts=[
            Part(
                words="the gradient of the penalty",
                form="Return outer.gradient(penalty, w): one tensor, of the shape of w.",
            )
        ],
        praise="The penalty now reaches the weights through the slopes.",
    ),
    ValueQuestion(
        id="06.3",
        title="The shape of a jacobian",
        kind="predict",
        points=1,
        form="Write the shape as one tuple of whole numbers, such as (7, 6, 7, 5)",
        praise="The outputs' shape first, then the source's.",
    ),
    Question(
        id="06.4",
        title="Curvature along a direction",
        kind="complete",
        points=3,
        draw=draw_directions,
        prepare=as_loss,
        call=curvature_and_walks,
        inputs="a b x v",
        parts=[
            Part(
                "curvature",
                "the curvature of sum(a * x**3) + sum(b * x)**2 along v",
                "Return the sum of the entries of u * Hu.",
                read=one_number,
            )
        ],
        demands=[
            Demand(
                "Hessian formed",
                "The number is right, but you formed H, row by row or as the jacobian of the "
                "gradient. Differentiate once more along u alone: a Hessian-vector product.",
                lambda noted: (
                    not any(noted["matrices"])
                    # The largest H has five rows.
                    and all(map(lambda *counts: sum(counts) < 5, noted["walks"], noted["jvp"]))
                ),
            ),
            Demand(
                "differences taken",
                "The number is right to some digits, but it comes from differences between x and "
                "places near it. Differentiate the gradient at x itself, along u, with an "
                "accumulator or an outer tape.",
                lambda noted: not any(noted["elsewhere"]),
            ),
        ],
        praise="Right for every direction, whatever its length.",
    ),
)

PREDICTIONS = (
    Callout(
        "06.a",
        right="None",
        options={
            "48": "The first derivative is right, and the outer tape has seen y. But it is asked "
            "about `slope`.",
            "0": "0 would say that the slope stays when x moves, and that takes a path to x.",
            "None": "The target is `slope`, and that was computed when no tape was on. Called outside, "
            "`gradient` is not recorded, by a persistent tape neither.",
        },
    ),
    Callout(
        "06.b",
        right="200 numbers",
        options={
            "one number": "The target is summed, that is right, and a sum is one number. But it is "
            "the target that is one number.",
            "200 numbers": "The gradient has the shape of its source: it says how the sum moves with "
            "each time. Only one position depends on that time, and the others stand still, so entry "
            "i is the speed at time i.",
            "a table of 200 by 200": "Each position against each time is what a jacobian holds, and "
            "here nearly all of it would be 0.",
        },
    ),
    Callout(
        "06.c",
        right="zeros",
        options={
            "6/7 of W, transposed": "That is the truth, as `jacobian` gives it.",
            "zeros": "Each walk back starts from a sum over the batch, which is safe only while the "
            "other examples stand still. Here, when one moves up, the others move down, and the sum "
            "never changes: zeros, and no error.",
            "an error": "It would help. But `batch_jacobian` does not look at what the layer does.",
        },
    ),
    Callout(
        "06.d",
        right="about 5",
        options={
            "about 5": "Curvature tells how far to go in each direction, so few steps are enough, "
            "though one of them goes far out of the valley. Each pays with a Hessian.",
            "about 50": "A bent valley is no bowl, and a bowl's bottom is not the valley's.",
            "about 500": "That would be 30 times fewer steps. But a rate that must serve a steep and "
            "a flat direction at once costs more than that.",
        },
    ),
)

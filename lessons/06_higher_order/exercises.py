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


def velocity_and_acceleration(function: Callable, position: Callable, t: Any) -> dict:
    """Return the two things, or the two rows of one tensor, that came back."""
    position, elsewhere = places_noted(position, t)
    returned = function(position, t)
    is_pair = isinstance(returned, tuple | list) and len(returned) == 2
    if is_pair or tuple(getattr(returned, "shape", ()))[:-1] == (2,):
        both = returned[0], returned[1]
    else:
        both = ("nothing" if returned is None else "something other than two things",) * 2
    return {"velocity": both[0], "acceleration": both[1], "elsewhere": any(elsewhere)}


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
        title="Velocity and acceleration",
        kind="complete",
        points=2,
        draw=draw_motions,
        prepare=as_motion,
        call=velocity_and_acceleration,
        inputs="a b c t",
        parts=[
            Part(
                "velocity", f"the velocity of {MOTION}", "Return one number per time: shape (n,)."
            ),
            Part(
                "acceleration",
                f"the acceleration of {MOTION}",
                "Return one number per time: shape (n,).",
            ),
        ],
        demands=[
            Demand(
                "no tape",
                "The values are right, but nothing was differentiated twice. Put one tape "
                "inside another, and return the gradient from each.",
                lambda noted: all(
                    map(lambda *counts: sum(counts) >= 2, noted["gradient"], noted["jvp"])
                ),
            ),
            Demand(
                "differences taken",
                "The values are right to a few digits, but you use differences between nearby "
                "times. Differentiate the velocity at `t` itself, with the outer tape.",
                lambda noted: not any(noted["elsewhere"]),
            ),
        ],
        praise="Your function is right at every time, even for motions that the check drew at "
        "random.",
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
                form="Return `outer.gradient(penalty, w)`: one tensor with the shape of `w`.",
            )
        ],
        praise="The penalty now has a path from the weights, through the slopes.",
    ),
    ValueQuestion(
        id="06.3",
        title="The shape of a Jacobian",
        kind="predict",
        points=1,
        form="Write the shape as one tuple of integers, such as (7, 6, 7, 5)",
        praise="The shape of the outputs comes first, then that of the source.",
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
                "Return the sum of the entries of `u * Hu`.",
                read=one_number,
            )
        ],
        demands=[
            Demand(
                "Hessian formed",
                "The number is right, but you computed the whole Hessian. Differentiate the "
                "gradient only along u: a Hessian-vector product.",
                lambda noted: (
                    not any(noted["matrices"])
                    # The largest H has five rows.
                    and all(map(lambda *counts: sum(counts) < 5, noted["walks"], noted["jvp"]))
                ),
            ),
            Demand(
                "differences taken",
                "The number is right to a few digits, but you use differences between nearby "
                "points. Differentiate the gradient at `x` itself, along u, with an "
                "accumulator or an outer tape.",
                lambda noted: not any(noted["elsewhere"]),
            ),
        ],
        praise="Your function is right for every direction, whatever its length.",
    ),
)

PREDICTIONS = (
    Callout(
        "06.a",
        right="None",
        options={
            "48": "48 is the mathematically correct second derivative, and the outer tape did "
            "record y. But the target is `slope`, which no tape recorded.",
            "0": "0 would mean that the slope does not change with x. But the tape returns 0 only "
            "if it finds a path from x, and here it finds none.",
            "None": "The target is `slope`, and it was computed when no tape was recording.",
        },
    ),
    Callout(
        "06.b",
        right="200 numbers",
        options={
            "one number": "The target is indeed summed into one number. But the gradient has the "
            "shape of the source: 200 entries, one for each time.",
            "200 numbers": "The gradient says how the sum changes with each of the 200 times.",
            "a 200-by-200 table": "A Jacobian contains the derivative of each position with "
            "respect to each time. But a gradient has the shape of its source.",
        },
    ),
    Callout(
        "06.c",
        right="zeros",
        options={
            "6/7 of W, transposed": "That is the correct derivative, as `jacobian` returns it. "
            "But `batch_jacobian` assumes that the examples do not affect each other.",
            "zeros": "Each backward pass starts from a sum over the batch, which works only if "
            "the examples do not affect each other. Here, raising one lowers the others, "
            "so the sum never changes: you get zeros, and no error.",
            "an error": "An error would help. But `batch_jacobian` does not check what the "
            "layer does.",
        },
    ),
    Callout(
        "06.d",
        right="about 5",
        options={
            "about 5": "The curvature says how far to go in each direction, so a few steps are "
            "enough, though one of them leaves the valley. But each step needs a Hessian.",
            "about 50": "A curved valley is not a bowl, so more steps seem necessary. But each "
            "step uses the curvature at the current point.",
            "about 500": "500 would be 1/30 of the steps that gradient descent takes. But one "
            "learning rate for a steep and a flat direction slows gradient descent by an even "
            "larger factor.",
        },
    ),
)

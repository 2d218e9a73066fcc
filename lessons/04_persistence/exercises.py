"""The questions of lesson 04: targets that are summed, two losses, a lost penalty, and a table."""

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
    variables,
)


def draw_linear_models(rng: np.random.Generator) -> list[tuple]:
    def draw(n):
        return rng.normal(size=(3, 1)), rng.normal(size=(n, 3)), 2 * rng.normal(size=(n, 1))

    return [draw(n) for n in (5, 4, 7)]


def as_model(w: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple:
    return *variables(w), *constants(x, y)


def draw_penalised(rng: np.random.Generator) -> list[tuple]:
    def draw(n):
        w = rng.uniform(1, 3, size=(3, 1)) * rng.choice([-1, 1], size=(3, 1))
        return w, rng.normal(size=(n, 3)), rng.normal(size=(n, 1))

    return [draw(n) for n in (4, 6, 3)]


def gradient_and_norm(function: Callable, *arguments: Any) -> dict:
    """Return the two things that the function returned, each under its name."""
    returned = function(*arguments)
    if not (isinstance(returned, tuple | list) and len(returned) == 2):
        other = None if returned is None else "no pair"
        return {"results": other, "gradient": None, "norm": None}
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
    ValueQuestion(
        id="04.1",
        title="A dict of targets",
        kind="predict",
        points=1,
        form="Write one number, without quotes. The result has the structure of the sources, and "
        "the only source is `w`, which is not in a list or dict",
        praise="The tape adds the slopes 4 and 6, whatever the keys of the targets are.",
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
                form='Return a dict with the keys `"squared"` and `"absolute"`. Each value is the '
                "gradient of that loss and has the shape of `w`.",
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
                form="Return two things: the gradient of the loss, then the norm of the "
                "penalty's gradient for the log.",
            ),
            Part("gradient", "the gradient of the loss", "It has the shape of `w`, (3, 1)."),
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
                words="the matrix for f(x) = (A x)**2",
                form="Stack one row for each entry of `f(x)`, with one column for each entry "
                "of `x`.",
            )
        ],
        demands=[
            Demand(
                "jacobian asked",
                "The matrix is right, but you used `jacobian`. Use `tape.gradient` instead, "
                "with one entry of `f(x)` as the target at a time, and stack the "
                "gradients.",
                lambda noted: not any(noted["jacobian"]) and not any(noted["batch_jacobian"]),
            ),
            Demand(
                "no tape asked",
                "The matrix is right, but no tape computed it; finite differences are accurate "
                "to only a few digits. Use `tape.gradient` with one entry of `f(x)` at a "
                "time, and stack the gradients.",
                lambda noted: any(noted["gradient"]) or any(noted["jvp"]),
            ),
        ],
        praise="Every row is the gradient of a single entry, for matrices of every shape.",
    ),
)

PREDICTIONS = (
    Callout(
        "04.a",
        right="two numbers: 7 and 2",
        options={
            "four numbers, one for each pair: 3, 2, 4 and 0": "One number per pair is what "
            "`jacobian` returns if both losses are in one tensor. But `gradient` returns the "
            "structure of the sources: two sources, two numbers.",
            "two numbers: 3 and 2": "3 and 2 are the slopes of only the first loss. But the "
            "second loss is also a target.",
            "two numbers: 7 and 2": "The tape starts with a 1 at every target and adds up the "
            "slopes where paths meet. At `a` it adds 3 from the first loss and 4 from the second: "
            "several targets give the gradient of their sum.",
        },
    ),
    Callout(
        "04.b",
        right="(3, 2, 1)",
        options={
            "a 3-by-3 table": "A matrix with one row per entry would show every derivative. But a "
            "gradient has the shape of its source.",
            "(1, 1, 1)": "(1, 1, 1) would be right for `1 * v`. If each entry of v affects only "
            "one entry of the target, you never notice the sum; but here v₀ affects all three.",
            "(3, 2, 1)": "The entries of a target are summed, just like a list of targets. 3v₀ "
            "+ 2v₁ + v₂ has the gradient (3, 2, 1).",
        },
    ),
    Callout(
        "04.d",
        right="0",
        options={
            "6": "Many posts say that you must delete a persistent tape, or its values stay in "
            "memory. That is true for a notebook variable, which lives on, but a "
            "function's local variables go away when it returns.",
            "1": (
                "It may seem that one tensor stays in memory. But the tape holds all six while it "
                "exists, and none once it is gone."
            ),
            "0": "A tape lives as long as something refers to it. Here only the function's "
            "local variable did, and it went away when the function returned.",
        },
    ),
    Callout(
        "04.c",
        right="9",
        options={
            "27": "27 is the correct derivative, 3x² at x = 3. You would get it if the tape "
            "still had its recording of y = x², but `tape.gradient` inside the pause used "
            "it up.",
            "9": "`tape.gradient` used up the recording, and after the pause the tape starts a new "
            "one. The new recording contains z = y · x, but not how y was computed, so y is a "
            "constant and the slope is 9. There is no warning.",
            "an error": "A plain tape can be used only once, so an error would be reasonable. "
            "But after the pause the tape starts a new recording, and this is the first "
            "`gradient` call on it.",
        },
    ),
)

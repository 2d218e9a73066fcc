"""The questions of lesson 02: watching tensors, in time, under the right name, and no others."""

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
    variables,
)


def draw_vectors(rng: np.random.Generator) -> list[tuple]:
    chosen = [1.0, 2.0, 3.0], [-1.5, 0.5], [1.0, -1.0, -1.0, -1.0, -1.5]  # one negative entry
    drawn = [rng.uniform(-2, 2, n).round(1) for n in (4, 5)]
    return [(np.array(x),) for x in (*chosen, *drawn)]


def draw_weighted(rng: np.random.Generator) -> list[tuple]:
    first = (np.array([1.0, 2.0, 6.0]), np.array([1.0, 2.0, 3.0]))
    drawn = [(rng.uniform(-4, 4, n).round(1), rng.uniform(1, 5, n).round(1)) for n in (4, 6)]
    return [first, (np.array([-3.0, 1.0]), np.array([2.0, 5.0])), *drawn]


def draw_parabolas(rng: np.random.Generator) -> list[tuple]:
    def draw(names, n):
        a, b, c = rng.uniform(0.5, 2, 3).round(1) * rng.choice([-1, 1], 3)
        return (float(a), float(b), float(c), names, *rng.uniform(-2, 2, (2, n)).round(1))

    one = str(rng.choice(["a", "b", "c"]))
    first = (1.0, 2.0, 3.0, ["a"], np.array([1.0, 2.0]), np.array([5.0, 13.0]))
    return [first, draw(["b", "c"], 3), draw(["c", "a"], 4), draw([one], 5)]


def as_parabola(a, b, c, names, x, y) -> tuple:
    a, b, c = variables(a, b, c)
    return {"a": a, "b": b, "c": c}, list(names), *constants(x, y)


def pair_and_tapes(function: Callable, params: dict, names: list, x: Any, y: Any) -> dict:
    """Return the two things that the function returned, how many they are, and facts of its tapes.

    A compiled function that was traced before makes no tape.
    """
    import tensorflow as tf

    with calls_noted(tf.GradientTape, "gradient") as asked:
        returned = function(params, names, x, y)
    things = list(returned) if isinstance(returned, list | tuple) else [returned]
    gradients, count = (*things, None)[:2]
    watched = {variable.ref() for each in asked for variable in each["self"].watched_variables()}
    return {
        "things": 0 if returned is None else len(things),
        "gradients": gradients,
        "count": count,
        "in lists": any(isinstance(each, list | tuple) for each in gradients.values())
        if isinstance(gradients, dict)
        else False,
        "on a tape": bool(asked) or hasattr(function, "get_concrete_function"),
        "no others": len(watched) <= len(names),
    }


EXERCISES = (
    Question(
        id="02.1",
        title="The gradient of a plain tensor",
        kind="complete",
        points=2,
        draw=draw_vectors,
        prepare=constants,
        inputs="x",
        parts=[
            Part(
                words="the gradient",
                form="The gradient is one array with the shape of `x`: return `tape.gradient(y, "
                "x)`, with `x` itself as the source.",
            )
        ],
        demands=[
            Demand(
                "no tape",
                "The numbers are right, but no tape computed them. Compute `y` in the block of "
                "a `tf.GradientTape` that watches `x`, and return `tape.gradient(y, x)`.",
                lambda noted: any(
                    sum(noted[way]) for way in ("gradient", "jacobian", "batch_jacobian", "jvp")
                ),
            ),
        ],
        praise="The gradient is right for tensors of several lengths.",
    ),
    ValueQuestion(
        id="02.2",
        title="Three sources, three answers",
        kind="predict",
        points=1,
        form="Write one list of numbers and `None`, in the order a, b, c, such as [1.0, None, 2.0]",
        entries=("a", "b", "c"),
        praise="The tape watches `a` automatically, never watches `b`, and watches `c` only after "
        "`tape.watch(c)`.",
    ),
    Question(
        id="02.3",
        title="An old name for a new tensor",
        kind="repair",
        points=2,
        draw=draw_weighted,
        prepare=constants,
        inputs="x w",
        parts=[
            Part(
                words="the gradient",
                form="The gradient is one array with the shape of `x`: return "
                "`tape.gradient(score, x)`, with `x` itself as the source.",
            )
        ],
        praise="The entries now sum to 0, because the tape also sees the path through the mean.",
    ),
    Question(
        id="02.4",
        title="Watch these and no others",
        kind="complete",
        points=3,
        draw=draw_parabolas,
        prepare=as_parabola,
        call=pair_and_tapes,
        inputs="a b c names x y",
        parts=[
            Part("things", "the number of values that you return"),
            Part(
                "gradients",
                "the dict of gradients",
                "Gradients come back in the structure of the sources: pass `tape.gradient` the "
                "dict `{name: params[name] for name in names}`.",
            ),
            Part(
                "count",
                "the number of watched variables",
                "Return only the number, `len(tape.watched_variables())`.",
            ),
        ],
        demands=[
            Demand(
                "each in a list",
                "The numbers are right, but each gradient is in a list. Use `params[name]` "
                "itself as the source, not `[params[name]]`.",
                lambda noted: not any(noted["in lists"]),
            ),
            Demand(
                "no tape",
                "The numbers are right, but no tape computed them. Record the loss on a tape "
                "that watches the chosen variables, and call `tape.gradient`.",
                lambda noted: all(noted["on a tape"]),
            ),
            Demand(
                "others watched too",
                "You report the right number of watched variables, but your tape watched more. "
                "Create it with `watch_accessed_variables=False`, and watch only the "
                "chosen ones.",
                lambda noted: all(noted["no others"]),
            ),
        ],
        praise="The gradients are right, and so is the number of watched variables.",
    ),
)

PREDICTIONS = (
    Callout(
        "02.a",
        right="None",
        options={
            "27": "27 is the mathematically correct slope, 3x² at 3, and the block does "
            "compute x³. But the tape does not watch x.",
            "0": "A constant does not change, so 0 seems natural. But 0 would mean that the tape "
            "found a path, and here it found none.",
            "None": "By default, a tape watches only trainable variables, and x is a constant.",
        },
    ),
    Callout(
        "02.b",
        right="6",
        options={
            "12": "12 is the mathematically correct slope, and the product is inside the block. "
            "But `doubled` was computed before the block.",
            "6": "`doubled` was computed before the block, so one of the two paths is lost.",
            "None": "You get `None` if no path is left. But here the direct path from `x` is "
            "still there.",
        },
    ),
    Callout(
        "02.c",
        right="T's weights, 0.5 on its pixels",
        options={
            "0 for every pixel": "The image is black, so nothing contributes to the score. But a "
            "gradient says how the score would change, not what contributes to it.",
            "T's weights, 0.5 on its pixels": "The score is a weighted sum of the pixels, so "
            "the gradient with respect to a pixel is its weight, whatever the image.",
            "None": "The image is a constant, which a tape does not watch by default. But here "
            "the tape does watch it, and the score is computed from it inside the block.",
        },
    ),
    Callout(
        "02.d",
        right="4 and 2",
        options={
            "2 and 2": "Frozen means not trainable, and by default a tape watches only trainable "
            "variables. But you froze a Keras layer, and each `tf.Variable` inside it stays "
            "trainable.",
            "4 and 2": "Freezing changes the list that Keras keeps for you. The `tf.Variable` "
            "inside each Keras variable stays trainable, so the tape watches all four. If "
            "you use `tape.watched_variables()` as sources, you train what you froze.",
            "4 and 4": "The tape does watch all four. But Keras leaves the two frozen ones out "
            "of `trainable_variables`.",
        },
    ),
)

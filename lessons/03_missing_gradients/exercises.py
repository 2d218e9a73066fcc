"""The questions of lesson 03: gradients that are lost, replaced, or not finite."""

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
    variables,
)


def draw_descents(rng: np.random.Generator) -> list[tuple]:
    first = (2.0, 1.0, np.array([1.0, 2.0]), np.array([1.0, 0.5]), 0.1, 1)

    def draw(n, lr, steps, scale=1.0):
        w, b = rng.choice([-1, 1], 2) * rng.uniform(0.5, 1.5, 2).round(1) * scale
        x, y = rng.choice([-1, 1], n) * rng.uniform(0.4, 1.4, n).round(1), rng.normal(size=n)
        return float(w), float(b), x, y.round(1) * scale, lr, steps

    # The last loss is small from the start, and no step may be left out for that.
    return [first, draw(3, 0.2, 2), draw(5, 0.05, 3), draw(4, 0.1, 4, scale=1e-4)]


def as_descent(w: float, b: float, x: np.ndarray, y: np.ndarray, lr: float, steps: int) -> tuple:
    w, b = variables(w, b)
    return {"w": w, "b": b}, *constants(x, y), lr, steps


def draw_classifiers(rng: np.random.Generator) -> list[tuple]:
    def draw(n, classes):
        labels = np.concatenate([np.arange(classes), rng.integers(0, classes, n - classes)])
        return rng.normal(size=(3, classes)), rng.normal(size=(n, 3)), rng.permutation(labels)

    return [draw(6, 4), draw(5, 3)]


def as_classifier(W: np.ndarray, x: np.ndarray, labels: np.ndarray) -> tuple:
    return *variables(W), *constants(x, labels)


def draw_weights(rng: np.random.Generator) -> list[tuple]:
    first = np.array([0.3, -0.6, 1.7, 1.05, -1.1, 0.95])
    sizes = np.array([[0.2, 0.7, 1.4, 1.1, 1.0], [0.45, 1.9, 0.8, 1.06, 1.0]])
    second = rng.choice([-1, 1], (2, 5)) * sizes
    second[:, 4] = 1, -1

    def upstream(shape):
        sizes = rng.uniform(1.5, 3.0, shape)
        sizes[..., 1::2] /= 5  # within [-1, 1], whatever x is
        return (rng.choice([-1, 1], shape) * sizes).round(1)

    return [(x, upstream(x.shape)) for x in (first, second, rng.permutation(first)[:5])]


def value_and_gradient(function: Callable, x: Any, upstream: Any) -> dict:
    """Return what the function returned, and its gradient where it is a tensor like x."""
    import tensorflow as tf

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    if isinstance(y, np.ndarray):
        return {"value": y, "gradient": "no gradient: the value is a NumPy array"}
    if not (isinstance(y, tf.Tensor) and y.dtype.is_floating and y.shape == x.shape):
        # All functions are alike, whatever their names.
        value = tf.nest.map_structure(lambda each: "a function" if callable(each) else each, y)
        return {"value": value, "gradient": None}
    gradient = tape.gradient(y, x, output_gradients=tf.cast(upstream, y.dtype))
    return {"value": y, "gradient": gradient}


def draw_pairs(rng: np.random.Generator) -> list[tuple]:
    first = (np.array([[3.0, 4.0], [1.0, 2.0]]), np.array([[0.0, 0.0], [1.0, 2.0]]))

    def draw(n, equal):
        b = rng.uniform(-2, 2, (n, 2)).round(1)
        directions = rng.normal(size=(n, 2))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        distances = rng.uniform(0.7, 3.0, n)
        directions[1] = np.abs(directions[1])  # without squares, too, a root of it exists
        # Two pairs share one coordinate each.
        directions[2:4] = rng.permutation(np.eye(2)) * rng.choice([-1, 1])
        b[0], distances[0] = 0.0, 1e-15  # near, not equal
        distances[n - equal :] = 0.0
        return b + distances[:, None] * directions, b

    return [first, draw(5, 1), draw(6, 2), draw(4, 0)]


def as_pairs(a: np.ndarray, b: np.ndarray) -> tuple:
    return *variables(a), *constants(b)


def gradient_and_tapes(function: Callable, a: Any, b: Any) -> dict:
    """Return what the function returned, and two facts of the tapes in it.

    The facts are whether every gradient is finite, and whether the targets are the distances.
    """
    import tensorflow as tf

    def numbers(tensors):  # of a graph's tensors there are none
        return [each.numpy() for each in tf.nest.flatten(tensors) if hasattr(each, "numpy")]

    method = tf.GradientTape, "gradient"
    with results_noted(*method) as gradients, calls_noted(*method) as asked:
        returned = function(a, b)
    sums = [np.sum(each) for each in numbers([call["target"] for call in asked])]
    total = np.sum(np.linalg.norm(a - b, axis=1))
    return {
        "gradient": returned,
        "finite": all(np.isfinite(each).all() for each in numbers(gradients)),
        "summed": not sums or any(np.isclose(each, total, 1e-3) for each in (*sums, sum(sums))),
    }


EXERCISES = (
    Question(
        id="03.1",
        title="A second step without a gradient",
        kind="repair",
        points=2,
        draw=draw_descents,
        prepare=as_descent,
        inputs="w b x y lr steps",
        parts=[
            Part(
                words="the dict with `w` and `b`",
                form='Return `params` after the loop, with one number under `"w"` and one '
                'under `"b"`.',
            )
        ],
        praise="Every step, from the first to the last, now has gradients.",
    ),
    ValueQuestion(
        id="03.2",
        title="None, a number, or the wrong number",
        kind="predict",
        points=2,
        form="Write a list of five answers, each a number or `None`",
        entries=(
            "3 * tf.floor(x)",
            "x * tf.round(x)",
            "tf.maximum(x, 5.0)",
            "x * tf.cast(x > 0, tf.float32)",
            "x * x.numpy()",
        ),
        praise="In all five expressions, you found every path that is left.",
    ),
    Question(
        id="03.3",
        title="Accuracy as a loss",
        kind="repair",
        points=2,
        draw=draw_classifiers,
        prepare=as_classifier,
        inputs="W x labels",
        parts=[
            Part(
                words="the gradient with respect to `W`",
                form="Return `tape.gradient(loss, W)`: one tensor with the shape of `W`.",
            )
        ],
        praise="Cross-entropy is smooth in every weight, and as it falls, accuracy usually rises.",
    ),
    Question(
        id="03.4",
        title="Straight through the rounding",
        kind="complete",
        points=3,
        draw=draw_weights,
        prepare=constants,
        call=value_and_gradient,
        inputs="x upstream",
        parts=[
            Part(
                "value",
                "the rounded tensor",
                "Return a tensor with the shape of `x`, with each entry rounded separately.",
            ),
            Part(
                "gradient", "the gradient that is passed back", "The gradient has the shape of `x`."
            ),
        ],
        praise="The forward pass rounds, and the backward pass goes straight through.",
    ),
    Question(
        id="03.5",
        title="NaN where two points are equal",
        kind="repair",
        points=2,
        draw=draw_pairs,
        prepare=as_pairs,
        call=gradient_and_tapes,
        inputs="a b",
        parts=[
            Part(
                "gradient",
                "the gradient with respect to `a`",
                "Return `tape.gradient(total, a)`, with `a` itself as the source.",
            )
        ],
        demands=[
            Demand(
                "patched afterwards",
                "The values are right, but the tape still computed NaN and you replaced it "
                "afterward. In a larger model that NaN would spread, so fix the distance "
                "inside the `with` block.",
                lambda noted: all(noted["finite"]),
            ),
            Demand(
                "distances changed",
                "The gradient is right, but you no longer sum the distances. Check that equal "
                "points have distance 0; a `where` after the root makes it 0.",
                lambda noted: all(noted["summed"]),
            ),
        ],
        praise="For equal points the gradient is now 0, and elsewhere it is unchanged. (If your "
        "only guard is a `where` after the root, you were lucky: with XLA the result may be NaN.)",
    ),
)

PREDICTIONS = (
    Callout(
        "03.b",
        right="None",
        options={
            "-6": "That would be right if `w` were still 2. But `w = w - 0.1 * gradient` changed "
            "what the name `w` refers to.",
            "-4.8": "-4.8 is the mathematically correct slope, 2(w - 5) at 2.6. But the tape "
            "no longer watches what `w` refers to.",
            "None": "After the update, the name `w` refers to a new tensor that the tape does "
            "not watch.",
        },
    ),
    Callout(
        "03.c",
        right="1",
        options={
            "None": "`round` has no gradient, so its path is broken. But there is another "
            "path, and you get `None` only if no path is left.",
            "0": "`round` is flat almost everywhere, so it might contribute 0. But even then the "
            "other path would contribute 1.",
            "1": "Two paths lead from `x` to the result. The one through `round` is broken, and "
            "the other contributes 1.",
            "2": "2 would be right if `round` passed the gradient back unchanged. But it has "
            "no gradient, so that path contributes nothing.",
        },
    ),
    Callout(
        "03.a",
        right="0, NaN, None",
        options={
            "0, NaN, None": "TensorFlow defines the gradient of `sign` as 0, and declares that "
            "`round` has none. For `sqrt(x**2)`, the tape multiplies an infinite slope by 0, "
            "which gives NaN.",
            "None, 0, NaN": "`sign` jumps at 0, so `None` would be reasonable, and √x² = |x| is "
            "often given slope 0 at its corner. But TensorFlow defines a gradient for `sign`, and "
            "the tape goes through the root and the square one at a time.",
            "NaN, 0, None": "`None` for `round` is right. NaN for the jump of `sign` would be "
            "reasonable, but TensorFlow defines the gradient of `sign` as 0.",
        },
    ),
    Callout(
        "03.e",
        right="NaN",
        options={
            "0": "0 is the slope of the chosen branch, which is a constant. But the tape also goes "
            "back through the other branch.",
            "1": "1 is the slope of the logarithm at 1. But here x = 0, where its slope is "
            "infinite.",
            "NaN": "The backward pass goes through both branches. In the branch not chosen, it "
            "multiplies 0 by the slope of the logarithm, 1/x, which is infinite at 0.",
        },
    ),
    Callout(
        "03.d",
        right="3",
        options={
            "6": "6 is the derivative of x². The value here is also x², but `tf.stop_gradient` "
            "makes the second factor a constant.",
            "3": "The tape treats the second factor as the constant 3, and one path is left. "
            "If you stop the only path, you get `None`.",
            "None": "You get `None` if the only path is stopped. But here the first factor is `x` "
            "itself, and the path through it is still there.",
        },
    ),
)

"""The questions of lesson 12: a penalty, a cosine, a late weight, a projection, two tasks."""

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
)


def draw_penalised(rng: np.random.Generator) -> list[tuple]:
    """Draw two networks with a ReLU, one with activations of both signs, one that trains unlike."""

    def draw(n, beta, activation="relu", normalised=False):
        x, y = rng.normal(0.5, 1, size=(n, 3)), rng.normal(size=(n, 1))
        kernels = [rng.normal(size=(3, 4)), rng.normal(size=(4, 1))]
        return beta, x, y, kernels, activation, normalised

    return [draw(6, 0.5), draw(9, 0.3), draw(7, 0.4, "tanh"), draw(8, 0.6, "tanh", True)]


def as_penalised(
    beta: float, x: np.ndarray, y: np.ndarray, kernels: list, activation: str, normalised: bool
) -> tuple:
    import keras

    inputs = keras.Input((3,))
    # Without variables that train: the trainable ones are the two kernels.
    normalise = keras.layers.BatchNormalization(center=False, scale=False)
    entering = normalise(inputs) if normalised else inputs
    hidden = keras.layers.Dense(4, activation, use_bias=False)(entering)
    y_hat = keras.layers.Dense(1, use_bias=False)(hidden)
    model = keras.Model(inputs, [hidden, y_hat])
    for variable, kernel in zip(model.trainable_variables, kernels, strict=True):
        variable.assign(kernel)
    return model, *constants(x, y), beta


def returned_and_passes(function: Callable, model: Any, x: Any, y: Any, beta: float) -> dict:
    """Return what the function returned, and how often the model's last layer ran."""
    import keras

    with calls_noted(keras.layers.Dense, "call") as runs:
        returned = function(model, x, y, beta)
    passes = sum(run["self"] is model.layers[-1] for run in runs)
    return {"returned": returned, "passes": passes}


def draw_two_losses(rng: np.random.Generator) -> list[tuple]:
    def draw(direction):
        """Both losses reach a (3,) and d (2, 2); the first alone reaches b (2,), the second c."""
        of_a, of_d = rng.uniform(0.5, 1.5, 3), 2 * rng.uniform(0.5, 1.5, (2, 2))
        first = [of_a, of_d, rng.uniform(1, 2, 2), np.zeros(())]
        turned = [direction * of_a + 0.3 * rng.normal(size=3), 0.4 * direction * of_d[::-1]]
        second = [*turned, np.zeros(2), rng.uniform(1, 2, ())]
        return first, second

    return [draw(-1.0), draw(1.0), draw(-2.0)]


def as_losses(first: list[np.ndarray], second: list[np.ndarray]) -> tuple:
    import tensorflow as tf

    variables = [tf.Variable(tf.zeros(g.shape)) for g in first]

    def loss_of(gradients):
        reached = [(g, v) for g, v in zip(gradients, variables, strict=True) if g.any()]
        return tf.add_n([tf.reduce_sum(tf.constant(g, tf.float32) * v + v**2) for g, v in reached])

    return lambda: (loss_of(first), loss_of(second)), variables


def draw_pairs(rng: np.random.Generator) -> list[tuple]:
    def draw(n, turn):
        a = rng.uniform(0.5, 1.5, n) * rng.choice([-1, 1], n)
        across = rng.normal(size=n)
        across -= np.sum(across * a) / np.sum(a * a) * a
        across *= np.sqrt(np.sum(a * a) / np.sum(across * across))
        return a, (turn * a + across) * rng.uniform(1.5, 2.5)

    fixed = np.array([1.0, 0.0]), np.array([-2.0, 2.0])
    return [fixed, draw(3, -0.8), draw(4, 0.7), draw(2, -0.05), draw(3, 0.5)]


def draw_two_tasks(rng: np.random.Generator) -> list[tuple]:
    def draw(n, m, weight):
        x, rows = rng.normal(size=(n, 4)), rng.normal(0.5, 1, size=(m, 4))
        keep = (rng.uniform(size=(m, 4)) > 0.4).astype(float)
        keep[0, :2] = 0.0, 1.0
        kernels = [rng.normal(size=shape) for shape in ((4, 3), (3, 2), (3, 4))]
        return weight, x, rng.integers(0, 2, n), rows, keep, kernels

    return [draw(5, 8, 0.5), draw(7, 4, 2.0), draw(6, 6, 0.3)]


def as_two_tasks(
    weight: float, x: np.ndarray, y: np.ndarray, rows: np.ndarray, keep: np.ndarray, kernels: list
) -> tuple:
    import keras
    import tensorflow as tf

    inputs = keras.Input((4,))
    hidden = keras.layers.Dense(3, "tanh", use_bias=False)(inputs)
    outputs = [keras.layers.Dense(size, use_bias=False)(hidden) for size in (2, 4)]
    model = keras.Model(inputs, outputs)
    for variable, kernel in zip(model.trainable_variables, kernels, strict=True):
        variable.assign(kernel)
    x, rows, keep = constants(x, rows, keep)
    return model, x, tf.constant(y), rows, keep, weight


EXERCISES = (
    Question(
        id="12.1",
        title="A penalty without effect",
        kind="repair",
        points=2,
        draw=draw_penalised,
        prepare=as_penalised,
        call=returned_and_passes,
        inputs="beta x y",
        parts=[
            Part(
                "returned",
                "the (loss, gradients) pair",
                "Return two things: the loss, a single number, and the list "
                "`tape.gradient(loss, model.trainable_variables)`.",
            )
        ],
        demands=[
            Demand(
                "second forward pass",
                "The numbers are right, but you run the model twice. Take the activations and the "
                "prediction from one call, which returns both outputs.",
                lambda noted: all(passes <= 1 for passes in noted["passes"]),
            )
        ],
        praise="The penalty is included once, in the loss and in the gradients.",
    ),
    Question(
        id="12.2",
        title="One cosine for a whole model",
        kind="complete",
        points=3,
        draw=draw_two_losses,
        prepare=as_losses,
        parts=[
            Part(
                words="the cosine",
                form=(
                    "Return one number for all variables together: join each loss's gradients "
                    "into one long vector first."
                ),
            )
        ],
        praise=(
            "You have one number for the whole model, and a missing gradient is replaced by zeros."
        ),
    ),
    ValueQuestion(
        id="12.3",
        title="A weight that comes too late",
        kind="predict",
        points=1,
        form="Write the result: a number, a list of two, or `None`",
        praise="Only `l1` contributes: the tape did not record `3 * l2`, and gives no warning.",
    ),
    Question(
        id="12.4",
        title="Gradients without their conflict",
        kind="complete",
        points=3,
        draw=draw_pairs,
        prepare=constants,
        inputs="a b",
        parts=[
            Part(
                words="the combined gradient",
                form=(
                    "Add the two vectors, and return their sum: one tensor with the shape of `a`, "
                    "with or without a conflict."
                ),
            )
        ],
        praise="Neither gradient now undoes what the other one improves.",
    ),
    Question(
        id="12.5",
        title="A task without labels",
        kind="complete",
        points=3,
        draw=draw_two_tasks,
        prepare=as_two_tasks,
        inputs="weight x y rows keep",
        parts=[
            Part(
                words="the (loss, gradients) pair",
                form=(
                    "Return two things: the loss, a single number, and the list "
                    "`tape.gradient(loss, model.trainable_variables)`."
                ),
            )
        ],
        praise="Both tasks train the backbone, and only hidden numbers count in the second.",
    ),
)

PREDICTIONS = (
    Callout(
        "12.a",
        right="5",
        options={
            "3": "3 would be right if results were reused: two shared layers plus one more. But "
            "only the weights are shared; the layers run again.",
            "4": "4 would be right if only one shared layer ran twice. But both shared layers run "
            "twice.",
            "5": "The encoder runs 2 layers, and the classifier runs 3: the same two again, and "
            "the last one.",
        },
    ),
    Callout(
        "12.c",
        right="it rises",
        options={
            "it falls": "The sum contains A's loss, so you might expect A's loss to fall. But the "
            "step only follows the sum.",
            "it rises": "B's gradient is long and points against A's, so the step goes mostly "
            "where B's loss falls, and that is uphill for A.",
            "nothing": "That would need a right angle between a and the step. But the cosine "
            "of a and b is negative here, and b is long.",
        },
    ),
    Callout(
        "12.b",
        right="none",
        options={
            "none": "The minimum has exact zeros. But gradient descent with a fixed step size "
            "jumps back and forth across zero, and does not stop on it.",
            "as many as before": "Many posts say that L1 gives exact zeros. That is true for "
            "its minimum, but not for the steps of gradient descent.",
            "half as many": "Without the ReLU an activation can be negative. But that alone "
            "says nothing about exact zeros.",
        },
    ),
    Callout(
        "12.d",
        right="go to 0",
        options={
            "settle at a balance": "A balance between the weighted losses sounds plausible. But "
            "nothing in the loss enforces it.",
            "go to 0": "A smaller weight makes a positive loss smaller, without making the model "
            "better. Without `+ s`, nothing stops the weights from shrinking.",
            "grow without end": "A larger weight makes a positive loss larger. But training "
            "minimizes the sum.",
        },
    ),
)

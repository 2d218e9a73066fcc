"""The questions of lesson 17: a lost path, steps of a Keras model, four directions, Reptile."""

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


def draw_examples(rng: np.random.Generator, n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    return rng.normal(0.3, 1, (n, d)), rng.normal(0.5, 1, (n, 1))


def draw_sets(rng: np.random.Generator) -> list[tuple]:
    def draw(n, m, d, lr):
        """Draw support and query sets of unlike sizes: n and m examples."""
        weights = rng.normal(size=(d, 1)), rng.normal(size=1)
        return *weights, draw_examples(rng, n, d), draw_examples(rng, m, d), lr

    return [draw(6, 4, 3, 0.2), draw(5, 7, 2, 0.15), draw(4, 9, 2, 0.3)]


def as_sets(W: np.ndarray, b: np.ndarray, support: tuple, query: tuple, lr: float) -> tuple:
    return *variables(W, b), constants(*support), constants(*query), lr


def gradients_and_rest(function: Callable, W: Any, b: Any, *arguments: Any) -> dict:
    """Return the gradients, and whether the variables moved."""
    before = [W.numpy(), b.numpy()]
    gradients = function(W, b, *arguments)
    moved = any(np.any(v != old) for v, old in zip((W, b), before, strict=True))
    return {"gradients": gradients, "moved": moved}


def draw_adaptations(rng: np.random.Generator) -> list[tuple]:
    def draw(n, lr, steps):
        shapes = [(2, 3), (3,), (3, 1), (1,)]
        mean_and_variance = [rng.normal(0, 0.5, 2), rng.uniform(0.5, 1.5, 2)]
        weights = [rng.normal(0, 0.8, shape) for shape in shapes]
        ahead = [rng.normal(size=shape) for shape in shapes]
        return [*mean_and_variance, *weights], ahead, *draw_examples(rng, n, 2), lr, steps

    return [draw(5, 0.3, 2), draw(7, 0.2, 3), draw(6, 0.4, 4)]


def as_adaptation(
    weights: list, ahead: list, x: np.ndarray, y: np.ndarray, lr: float, steps: int
) -> tuple:
    import keras

    # A frozen Dense layer would not do: tapes watch its variables, and so record what follows.
    frozen = keras.layers.BatchNormalization(center=False, scale=False, trainable=False)
    layers = [keras.layers.Dense(3, "tanh"), keras.layers.Dense(1)]
    model = keras.Sequential([keras.Input((2,)), frozen, *layers])
    model.set_weights(weights)
    return constants(*ahead), model, *constants(x, y), lr, steps


def adapted(adapt: Callable, ahead: tuple, model: Any, *arguments: Any) -> dict:
    """Return the new weights, the gradient of a sum of them through the steps, and what moved."""
    import tensorflow as tf

    before = model.get_weights()
    with tf.GradientTape() as tape:
        weights = adapt(model, *arguments)
        total = tf.constant(0.0)
        if isinstance(weights, list | tuple) and len(weights) == len(ahead):
            products = [
                a * w for a, w in zip(ahead, weights, strict=True) if np.shape(w) == np.shape(a)
            ]
            total = tf.add_n([total, *map(tf.reduce_sum, products)])
    gradients = tape.gradient(total, model.trainable_variables)
    moved = any(np.any(new != old) for new, old in zip(model.get_weights(), before, strict=True))
    return {"weights": weights, "gradients": gradients, "moved": moved}


def draw_tasks(rng: np.random.Generator) -> list[tuple]:
    def draw(count, inner_lr, outer_lr, steps):
        """Draw unlike bowls, so that a task's way depends on its start; never count = steps."""
        weights = [rng.normal(size=2), rng.normal(size=())]
        bowls = [
            (rng.uniform(0.5, 1.5, 2), rng.uniform(0.5, 1.5), *rng.normal(0, 2, (2, 2)))
            for _ in range(count)
        ]
        return weights, bowls, inner_lr, outer_lr, steps

    return [draw(2, 0.1, 0.3, 3), draw(3, 0.15, 0.6, 2), draw(4, 0.08, 0.4, 3)]


def as_tasks(weights: list, bowls: list, inner_lr: float, outer_lr: float, steps: int) -> tuple:
    import tensorflow as tf

    def as_task(widths, width, centre, slopes):
        (widths, centre, slopes) = constants(widths, centre, slopes)

        def loss_of(weights):
            a, b = weights
            error = tf.reduce_sum(slopes * a) + b - 1.0
            return tf.reduce_sum(widths * (a - centre) ** 2) + width * error**2 / 4

        return loss_of

    return list(variables(*weights)), [as_task(*bowl) for bowl in bowls], inner_lr, outer_lr, steps


def change_of(step: Callable, weights: list, *arguments: Any) -> list:
    """Return by how much each of the variables moved."""
    before = [w.numpy() for w in weights]
    step(list(weights), *arguments)  # a new variable in the list moves none of these
    return [w.numpy() - old for w, old in zip(weights, before, strict=True)]


EXERCISES = (
    Question(
        id="17.1",
        title="A step that lost its path",
        kind="repair",
        points=2,
        draw=draw_sets,
        prepare=as_sets,
        call=gradients_and_rest,
        inputs="W b support query lr",
        parts=[
            Part(
                "gradients",
                "the pair of gradients",
                "Return the result of `outer.gradient` for `[W, b]`.",
            )
        ],
        demands=[
            Demand(
                "variables moved",
                "The gradients are right, but your function changes `W` or `b`. Compute the "
                "new weights as tensors, without `assign`.",
                lambda noted: not any(noted["moved"]),
            )
        ],
        praise="The gradients go through the step, and the variables did not change.",
    ),
    Question(
        id="17.2",
        title="Steps of a Keras model that a tape can follow",
        kind="complete",
        points=3,
        draw=draw_adaptations,
        prepare=as_adaptation,
        call=adapted,
        inputs="weights ahead x y lr steps",
        parts=[
            Part(
                "weights",
                "the list of new weights",
                "Return a list with one tensor per trainable variable, in the model's order.",
            ),
            Part("gradients", "the gradient through the steps"),
        ],
        demands=[
            Demand(
                "model moved",
                "The weights and gradients are right, but your function changes the model's "
                "own weights. Use tensors, without `assign`.",
                lambda noted: not any(noted["moved"]),
            )
        ],
        praise="A tape finds the path from the model's own weights to the new ones.",
    ),
    ValueQuestion(
        id="17.3",
        title="Four directions from one point",
        kind="predict",
        points=2,
        form="Write a list of four values, each a number or `None`",
        entries=("MAML's gradient", "the first-order one", "Reptile's w - w'", "with a copy"),
        praise=(
            "The slope of the step makes the difference, and with a copy there is no path at all."
        ),
    ),
    Question(
        id="17.4",
        title="Every task from the same start",
        kind="repair",
        points=3,
        draw=draw_tasks,
        prepare=as_tasks,
        call=change_of,
        inputs="weights tasks inner_lr outer_lr steps",
        parts=[Part(words="the change in the weights")],
        praise="Each task starts from the same weights, and each has the same influence.",
    ),
)

PREDICTIONS = (
    Callout(
        "17.b",
        right="-4.8",
        options={
            "-3.84": "-3.84 is the mathematically correct gradient, which includes 0.8, the slope "
            "of the step. But `assign_sub` stores only a number, which has no path.",
            "-4.8": "The assignment cuts the path, so the factor 0.8 is lost. But the query loss "
            "reads w again after the assignment. The number is the slope at the new w, and answers "
            "a different question.",
            "None": "`assign` does cut the path, as in lesson 03. But the query loss reads w again "
            "after the step, and the tape records that path.",
        },
    ),
    Callout(
        "17.c",
        right="a number for each entry of each variable",
        options={
            "a number for each entry of each variable": "A tape records operations, whether or not "
            "a layer ran them. `fast` was computed from the variables inside the block, so the "
            "path goes through it. An inner step needs exactly this path.",
            "None for every variable": "The layers' own variables were not used directly, so "
            "`None` is tempting. But `fast` was computed from them, and the tape recorded that.",
        },
    ),
    Callout(
        "17.d",
        right="no",
        options={
            "yes": "MAML has the lower loss in the end. But it is trained for the loss *after* a "
            "step.",
            "no": "Before a step, nothing beats the average of all tasks, and pretraining is "
            "trained for exactly that. What MAML learned shows only after a step.",
        },
    ),
    Callout(
        "17.a",
        right="a wave like that of the mean task, but lower",
        options={
            "zero": "Waves with all possible shifts would cancel. But these shifts go only from 0 "
            "to π, half a period.",
            "the wave of the mean task": (
                "The wave of the mean task is a tempting guess after training on 50,000 tasks. But "
                "the mean of the waves is not the wave of the mean task: waves with different "
                "shifts partly cancel."
            ),
            "a wave like that of the mean task, but lower": "With a squared error, the best "
            "prediction at x is the mean of all y there. The mean of a · sin(x - shift) over "
            "these tasks is (2a/π) sin(x - π/2), with a = 2.75 on average: a wave of amplitude "
            "1.75.",
        },
    ),
)

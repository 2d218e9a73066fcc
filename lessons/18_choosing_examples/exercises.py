"""The questions of lesson 18: weights that are not followed, clipped gradients, two slopes."""

import numpy as np

from course_utils.exercises import Callout, Part, Question, ValueQuestion, constants, variables


def draw_classified(rng: np.random.Generator) -> list[tuple]:
    def draw(n, temperature):
        """Draw examples whose losses differ much: some are right and sure, some wrong."""
        W, x = rng.normal(size=(3, 4)), rng.normal(0.3, 1, (n, 3))
        return 1.5 * W, x, rng.integers(0, 4, n), temperature

    return [draw(6, 2.0), draw(9, 0.7)]


def as_classified(W: np.ndarray, x: np.ndarray, labels: np.ndarray, temperature: float) -> tuple:
    return *variables(W), *constants(x, labels), temperature


def draw_clipped(rng: np.random.Generator) -> list[tuple]:
    def draw(n, limit):
        """Draw examples of very unlike gradients, the long ones much the same way."""
        sizes = np.where(np.arange(n) % 2, 0.015, 1.0) * rng.uniform(0.7, 1.4, n)
        x = (0.6 * rng.normal(size=(n, 3)) + [1.0, -1.0, 0.5]) * sizes[:, None]
        if n < 6:
            x[1] = 0.0  # its gradient is 0
        W = 0.4 * rng.normal(size=(3, 2))
        return W, x, rng.normal(size=(n, 2)) + [2.0, -2.0], limit

    return [draw(6, 0.4), draw(9, 0.3), draw(5, 0.5)]


def as_clipped(W: np.ndarray, x: np.ndarray, y: np.ndarray, limit: float) -> tuple:
    import tensorflow as tf

    def losses_of(W, x, y):
        # Of two terms: a gradient of one is of rank 1, and has one length by every norm.
        errors = tf.tanh(x @ W) - y
        return tf.reduce_sum(errors**2 + tf.tanh(x[:, ::-1] @ W), axis=1)  # (n,)

    return losses_of, *variables(W), *constants(x, y), limit


EXERCISES = (
    Question(
        id="18.1",
        title="Weights that the gradient follows",
        kind="repair",
        points=2,
        draw=draw_classified,
        prepare=as_classified,
        inputs="W x labels temperature",
        parts=[Part(words="the gradient", form="Return one tensor of the shape of W.")],
        praise="The weights choose, and the gradient does not try to change them.",
    ),
    ValueQuestion(
        id="18.2",
        title="A weight, followed or not",
        kind="predict",
        points=2,
        form="Write a list of four numbers",
        entries=("loss 1, closed", "loss 1, open", "loss 3, closed", "loss 3, open"),
        praise="An open weight turns an example of loss 3 round: the step would raise its loss.",
    ),
    Question(
        id="18.3",
        title="Each example's gradient, clipped",
        kind="complete",
        points=3,
        draw=draw_clipped,
        prepare=as_clipped,
        inputs="W x y limit",
        parts=[Part(words="the mean", form="Return one tensor of the shape of W.")],
        praise="No single example pulls with more than the limit.",
    ),
)

PREDICTIONS = (
    Callout(
        "18.a",
        right="about nine in ten, or more",
        options={
            "about four in ten, as everywhere": "So it would be if the network had learned nothing "
            "yet. But it has seen what most sixes look like.",
            "about six in ten": "It is more than chance, but the network knows more than that.",
            "about nine in ten, or more": "What most labels say is learned first, and a wrong label "
            "contradicts it. After ten epochs, hard mostly means wrong here.",
        },
    ),
    Callout(
        "18.b",
        right="the easiest 60 %",
        options={
            "the hardest half": "Each step leaves out what is learned, and trains on what is left. "
            "With true labels that is a fair choice. With these, most of what is left is wrong.",
            "all examples": "For it every wrong label counts as much as a right one, and sixty "
            "epochs are enough to learn many of the wrong ones by heart.",
            "the easiest 60 %": "It gives up on 40 %, hard examples with right labels among them. "
            "But nearly all wrong labels are in that part, and so it learns few of them.",
        },
    ),
    Callout(
        "18.c",
        right="yes",
        options={
            "no, it needs a loop": "The losses change in each step, so no `sample_weight` can be "
            "given before. But a loss function sees the losses of its batch.",
            "yes": "A loss function gets the whole batch, and may return each example's loss times "
            "a weight that it computes there. No tape is needed for a choice by losses.",
        },
    ),
    Callout(
        "18.d",
        right="the loop",
        options={
            "jacobian": "A jacobian of 100 losses sounds like 100 times the work. But it runs "
            "vectorized, and so does `vectorized_map`.",
            "vectorized_map": "It asks a tape for each example, as it reads. But what runs are "
            "operations on all examples at once.",
            "the loop": "The numbers are alike, and the loop asks for them one by one, with all of "
            "Python's and TensorFlow's ceremony in between. Compiled, with `tf.range`, most of that "
            "would be gone.",
        },
    ),
)

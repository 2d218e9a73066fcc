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
    ValueQuestion(
        id="18.2",
        title="A weight, closed or open",
        kind="predict",
        points=2,
        form="Write a list of four numbers",
        entries=(
            "loss 1, closed",
            "loss 1, open",
            "loss 3, closed",
            "loss 3, open",
        ),
        praise=(
            "Without `tf.stop_gradient`, the gradient of an example with loss 3 changes sign: the "
            "step would raise that loss."
        ),
    ),
    Question(
        id="18.1",
        title="Weights that the gradient flows through",
        kind="repair",
        points=2,
        draw=draw_classified,
        prepare=as_classified,
        inputs="W x labels temperature",
        parts=[Part(words="the gradient", form="Return one tensor with the shape of `W`.")],
        praise=(
            "The weights choose the examples, and the gradient does not try to change the weights."
        ),
    ),
    Question(
        id="18.3",
        title="Each example's gradient, clipped",
        kind="complete",
        points=3,
        draw=draw_clipped,
        prepare=as_clipped,
        inputs="W x y limit",
        parts=[Part(words="the mean", form="Return one tensor with the shape of `W`.")],
        praise="No single example pulls harder than the limit.",
    ),
)

PREDICTIONS = (
    Callout(
        "18.a",
        right="about nine in ten, or more",
        options={
            "about four in ten, as in the whole set": "Four in ten would be right if the network had "
            "learned nothing yet. But it already knows what most sixes look like.",
            "about six in ten": "Six in ten is more than chance. But the network knows more "
            "than that.",
            "about nine in ten, or more": "A network first learns what most of the labels agree "
            "on, and a wrong label contradicts that. After ten epochs, a hard example is "
            "usually one with a wrong label.",
        },
    ),
    Callout(
        "18.b",
        right="the easiest 60%",
        options={
            "the hardest half": "Each step skips what the network has learned, and trains on the "
            "rest. With correct labels, that is reasonable, but here, most of the remaining "
            "examples have wrong labels.",
            "all examples": "Training on all examples uses all the data. But a wrong label has "
            "the same weight as a right one, and sixty epochs are enough to memorize many "
            "wrong ones.",
            "the easiest 60%": "This rule ignores 40% of the examples, including some hard "
            "ones with right labels. But the ignored part also contains most of the wrong "
            "labels, so the network learns few of them.",
        },
    ),
    Callout(
        "18.c",
        right="yes",
        options={
            "no, it needs a loop": "The losses change in each step, so you cannot pass "
            "`sample_weight` in advance. But a loss function sees the losses of its batch.",
            "yes": "A loss function gets the whole batch, and can return each example's loss times "
            "a weight that it computes there. Choosing examples by their losses needs no custom "
            "loop.",
        },
    ),
    Callout(
        "18.d",
        right="the loop",
        options={
            "jacobian": "A Jacobian of 100 losses sounds like 100 times the work. But it is "
            "vectorized, and so is `vectorized_map`.",
            "vectorized_map": "`vectorized_map` seems to run one tape per example. But it runs "
            "operations on all examples at once.",
            "the loop": "The loop computes the same numbers one example at a time, with the "
            "overhead of Python and TensorFlow for each. If it were compiled with `tf.range`, "
            "most of that overhead would be gone.",
        },
    ),
)

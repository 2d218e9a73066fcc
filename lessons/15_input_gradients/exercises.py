"""The questions of lesson 15: parts of a score, a rise, a step toward a class, an attack to mend."""

from collections.abc import Callable

import numpy as np

from course_utils.exercises import Callout, Part, Question, ValueQuestion, constants


def draw_scores(rng: np.random.Generator) -> list[tuple]:
    """Draw curved scores, of which no two entries, starts or pieces do the same."""

    def draw(d: int, m: int, pieces: int) -> tuple:
        w = rng.uniform(0.6, 1.2, d) * rng.choice([-1, 1], d)
        v = rng.uniform(0.4, 0.8, d) * (-1) ** np.arange(d)  # parts for the score, and against it
        x = rng.uniform(1, 2, d)
        starts = rng.uniform(-1, 0.6, (m, d))
        return w.round(2), v.round(2), x.round(2), starts.round(2), pieces

    return [draw(3, 2, 4), draw(2, 4, 3), draw(4, 3, 5)]


def as_scores(
    w: np.ndarray, v: np.ndarray, x: np.ndarray, starts: np.ndarray, pieces: int
) -> tuple:
    import tensorflow as tf

    def f(x):
        return tf.tanh(tf.reduce_sum(w * x, axis=1)) + tf.reduce_sum(v * x**3, axis=1)

    return f, tf.constant(x), tf.constant(starts), pieces


def network_of(W: np.ndarray, V: np.ndarray) -> Callable:
    """Return a network from (n, d) to logits (n, classes)."""
    import tensorflow as tf

    W, V = constants(W, V)
    return lambda x: tf.tanh(x @ W) @ V


def draw_pictures(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Draw pictures with pixels at 0, at 1, close to both, and between."""
    x = rng.uniform(0.25, 0.75, (n, d))
    x[:, 0], x[:, 1], x[:, 2], x[:, 3] = 0.0, 1.0, 0.04, 0.96
    return rng.permuted(x, axis=1).round(2)


def draw_targets(rng: np.random.Generator) -> list[tuple]:
    def draw(n: int, d: int, classes: int, epsilon: float) -> tuple:
        W, V = rng.normal(size=(d, 4)), 2 * rng.normal(size=(4, classes))
        W[0] = 0.0  # a pixel that the network does not see: its slope is 0
        return W, V, draw_pictures(rng, n, d), rng.integers(0, classes, n), epsilon

    return [draw(6, 8, 4, 0.1), draw(5, 9, 5, 0.2)]


def as_targets(
    W: np.ndarray, V: np.ndarray, x: np.ndarray, target: np.ndarray, epsilon: float
) -> tuple:
    return network_of(W, V), *constants(x, target), epsilon


def draw_attacks(rng: np.random.Generator) -> list[tuple]:
    def draw(n: int, d: int, classes: int, limits: tuple, fooled: bool = False) -> tuple:
        W, V = 2 * rng.normal(size=(d, 5)), rng.normal(size=(5, classes))
        x, y = draw_pictures(rng, n, d), rng.integers(0, classes, n)
        if fooled:  # from the start
            y = ((np.tanh(x @ W) @ V).argmax(axis=1) + 1) % classes
        return W, V, x, y, *limits

    return [
        draw(12, 8, 4, (0.1, 0.04, 7)),
        draw(9, 9, 3, (0.15, 0.06, 6), fooled=True),
        draw(3, 6, 3, (0.2, 0.1, 1)),
    ]


def as_attacks(W: np.ndarray, V: np.ndarray, x: np.ndarray, y: np.ndarray, *limits: float) -> tuple:
    return network_of(W, V), *constants(x, y), *limits


EXERCISES = (
    ValueQuestion(
        id="15.2",
        title="Many small steps",
        kind="predict",
        points=1,
        form="Write a list of two numbers",
        entries=("the largest rise", "the standard deviation"),
        praise=(
            "The first is 28 times as large as the second: 784 pixels that agree, compared with "
            "the square root of 784."
        ),
    ),
    Question(
        id="15.3",
        title="Toward a class",
        kind="complete",
        points=2,
        draw=draw_targets,
        prepare=as_targets,
        parts=[
            Part(words="the moved images", form=("Return images with the shape of `x`, (n, d)."))
        ],
        praise="Each image is one step closer to the class that you chose.",
    ),
    Question(
        id="15.4",
        title="A clip that does not clip",
        kind="repair",
        points=2,
        draw=draw_attacks,
        prepare=as_attacks,
        parts=[
            Part(words="the moved images", form=("Return images with the shape of `x`, (n, d)."))
        ],
        praise=(
            "However many steps the attack takes, each pixel stays within `epsilon` of the "
            "original."
        ),
    ),
    Question(
        id="15.1",
        title="The parts of a score",
        kind="complete",
        points=3,
        draw=draw_scores,
        prepare=as_scores,
        parts=[
            Part(
                words="the parts",
                form="Return a tensor of shape (d,): the part of each entry of `x`, averaged over "
                "the starts.",
            )
        ],
        praise=(
            "Your parts add up to the mean difference, with an error that shrinks with the "
            "size of the pieces."
        ),
    ),
)

PREDICTIONS = (
    Callout(
        "15.a",
        right="the slope of score 3 alone",
        options={
            "the slope of score 3 alone": "Image 3 affects no other score, so its gradient "
            "is the same as if you had computed it alone. If the examples affected each other, as they do "
            "in `BatchNormalization` with `training=True`, the gradients would mix.",
            "a mixture of 200 slopes": "The target is a sum of 200 scores, which sounds as if "
            "they mix. But score 3 is the only term that depends on image 3.",
            "the mean of 200 slopes": "A mean would divide by 200. But the target is the sum "
            "of the scores, not their mean.",
        },
    ),
    Callout(
        "15.e",
        right="it fails on more than a tenth",
        options={
            "it still reads nearly all correctly": "Both steps have the same size, and neither "
            "would fool you. But these signs are not random.",
            "it fails on a few in a hundred": "A few more than with random signs seems "
            "plausible for a step of the same size. But these signs all push the same way.",
            "it fails on more than a tenth": "Changes with random signs mostly cancel out. Changes "
            "with the signs of the gradient all push the same way. If all slopes had the same "
            "size, the combined effect would be 28 times as strong; in a real network, the factor "
            "is smaller.",
        },
    ),
    Callout(
        "15.c",
        right="about 0",
        options={
            "about 1": "The parts of a probability of 0.99 should add up to about that. But "
            "this product uses only the slope at one point.",
            "about a half": "A half would be right for a probability that grows like the "
            "square root of the input. But this one is on a plateau.",
            "about 0": "The network is confident: its probability is on a plateau, where every "
            "slope is near 0. The rise was steep, but a gradient knows only the point "
            "where it is computed.",
        },
    ),
    Callout(
        "15.d",
        right="like the digit",
        options={
            "like noise": "The network is random, so you might expect a random map. But the "
            "gradient is multiplied by the image.",
            "like the digit": "The product is 0 wherever the image is 0. The digit that you "
            "see is the image itself, which masks the gradient.",
            "black: no pixel counts": "A network that has learned nothing seems to use no pixel. "
            "But its slopes are not 0, although they mean nothing.",
        },
    ),
)

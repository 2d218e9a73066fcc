"""The questions of lesson 16: a round of a game, two slopes, a penalty between images."""

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

RATES = 0.4, 0.9  # of the generator's optimizer and the discriminator's


def draw_rounds(rng: np.random.Generator) -> list[tuple]:
    def draw(n: int) -> tuple:
        shapes = [(2, 4), (4, 2)], [(2, 5), (5, 1)]
        of_both = [[rng.normal(0, 0.8, shape) for shape in player] for player in shapes]
        return *of_both, rng.normal(1, 1, (n, 2)), rng.normal(0.5, 1, (n, 2))

    return [draw(6), draw(9)]


def as_round(
    of_generator: list, of_discriminator: list, real: np.ndarray, noise: np.ndarray
) -> tuple:
    import keras
    import tensorflow as tf
    from keras import layers

    def network(kernels):
        hidden = layers.Dense(kernels[0].shape[1], "tanh", use_bias=False)
        last = layers.Dense(kernels[1].shape[1], use_bias=False)
        # Without variables that train: the trainable ones are the two kernels.
        norm = layers.BatchNormalization(center=False, scale=False)
        model = keras.Sequential([keras.Input((2,)), norm, hidden, last])
        for variable, kernel in zip(model.trainable_variables, kernels, strict=True):
            variable.assign(kernel)
        return model

    def generator_loss(fake_logits):
        return cross_entropy(tf.ones_like(fake_logits), fake_logits)

    def discriminator_loss(real_logits, fake_logits):
        of_fake = cross_entropy(tf.zeros_like(fake_logits), fake_logits)
        return cross_entropy(tf.ones_like(real_logits), real_logits) + of_fake

    cross_entropy = keras.losses.BinaryCrossentropy(from_logits=True)
    models = network(of_generator), network(of_discriminator)
    optimizers = [keras.optimizers.SGD(rate) for rate in RATES]
    losses = generator_loss, discriminator_loss
    return *models, *losses, *optimizers, *constants(real, noise)


def changes(play: Callable, generator: Any, discriminator: Any, *given: Any) -> dict:
    """Return how the weights that train changed, and whether both optimizers took a step."""
    players = [list(player.trainable_variables) for player in (discriminator, generator)]
    before = [[v.numpy() for v in variables] for variables in players]
    play(generator, discriminator, *given)
    after = [[v.numpy() for v in variables] for variables in players]
    moved = [
        [new - old for new, old in zip(*pair, strict=True)]
        for pair in zip(after, before, strict=True)
    ]
    applied = all(optimizer.iterations > 0 for optimizer in given[2:4])
    return {"discriminator": moved[0], "generator": moved[1], "applied": bool(applied)}


def draw_pictures(rng: np.random.Generator) -> list[tuple]:
    def draw(n: int, h: int, w: int, flat: bool) -> tuple:
        """Draw critics whose slopes are 0 for the first example, if that is ``flat``."""
        weights = rng.uniform(0.3, 0.9, (h, w, 1)) * rng.choice([-1, 1], (h, w, 1))
        real, fake = rng.uniform(0.3, 1, (n, h, w, 1)), rng.uniform(-0.4, 0.6, (n, h, w, 1))
        if flat:
            real[0] = fake[0] = 0.0
        share = rng.permutation(np.linspace(0.1, 0.8, n))
        return weights.round(2), real.round(2), fake.round(2), share.round(2)

    return [draw(5, 3, 4, False), draw(4, 2, 3, False), draw(4, 3, 2, True)]


def as_pictures(weights: np.ndarray, *arrays: np.ndarray) -> tuple:
    import tensorflow as tf

    class Critic:
        def __init__(self, w):
            self.trainable_variables = [w]

        def __call__(self, x, training=True):
            return tf.reduce_sum(w * x**2, axis=(1, 2, 3))

    (w,) = variables(weights)
    return Critic(w), *constants(*arrays), w


def penalty_and_gradient(
    function: Callable, critic: Callable, real: Any, fake: Any, share: Any, w: Any
) -> dict:
    """Return the penalty, and its gradient with respect to the critic's weights."""
    import tensorflow as tf

    with tf.GradientTape() as tape:
        penalty = function(critic, real, fake, share)
    gradient = tf.zeros_like(w)  # also of a penalty that has no path to w
    if isinstance(penalty, tf.Tensor):
        gradient = tape.gradient(penalty, w, unconnected_gradients="zero")
    return {"penalty": penalty, "gradient": gradient}


EXERCISES = (
    Question(
        id="16.1",
        title="A round of the game",
        kind="repair",
        points=3,
        draw=draw_rounds,
        prepare=as_round,
        call=changes,
        parts=[
            Part("discriminator", "the change in the discriminator's kernels"),
            Part("generator", "the change in the generator's kernels"),
        ],
        demands=[
            Demand(
                "optimizers left out",
                "The weights are right only for plain SGD, because at least one optimizer took no "
                "step. Apply the gradients with `disc_optimizer` and `gen_optimizer`.",
                lambda noted: all(noted["applied"]),
            )
        ],
        praise=(
            "The discriminator is updated first, and the generator responds to its new weights. Each "
            "player minimizes its own loss."
        ),
    ),
    ValueQuestion(
        id="16.2",
        title="The slope when the generator is losing",
        kind="predict",
        points=1,
        form="Write a list of two numbers",
        entries=("log(1 - p)", "-log p"),
        praise="When the generator is losing, the first loss is flat and the second is steep.",
    ),
    Question(
        id="16.3",
        title="A penalty between images",
        kind="complete",
        points=3,
        draw=draw_pictures,
        prepare=as_pictures,
        call=penalty_and_gradient,
        parts=[
            Part(
                "penalty",
                "the penalty",
                "Return a scalar tensor, the mean over the examples.",
                tolerance=3e-3,  # 1e-6 inside the root passes
            ),
            Part("gradient", "the penalty's gradient with respect to the critic's weights"),
        ],
        praise="Each pair has its own point, each image has its own norm, and no gradient is NaN.",
    ),
)

PREDICTIONS = (
    Callout(
        "16.c",
        right="nonzero numbers",
        options={
            "None": "This is not the generator's loss, so `None` seems natural. But a tape records "
            "paths. It does not know which network owns a loss.",
            "zeros": "Zeros would mean that the discriminator's loss does not depend on the "
            "fakes. But it does.",
            "nonzero numbers": "The generator made the fakes inside the block, so a path "
            "leads from its variables to the discriminator's loss.",
        },
    ),
    Callout(
        "16.a",
        right="farther than at the start, about 1.6",
        options={
            "nearer than at the start, about 0.6": "Each player goes downhill on its own loss, "
            "which sounds like convergence. But each step changes the other player's gradient.",
            "as far as at the start, about 1.0": "With infinitely small steps, they would stay on "
            "a circle, at the same distance. But these steps are larger.",
            "farther than at the start, about 1.6": "Each player changes the other's loss, so "
            "they circle. A straight step along a circle ends a little outside: the "
            "distance grows by a factor of √(1 + 0.1²) each time, to 1.64 after 100 steps.",
        },
    ),
    Callout(
        "16.b",
        right="as far as at the start, about 1.0",
        options={
            "nearer than at the start, about 0.6": "Going downhill sounds like convergence. But "
            "here too, nothing pulls them toward the solution: each player still changes the "
            "other's loss.",
            "as far as at the start, about 1.0": "The generator's step uses the discriminator's "
            "new slope, which cancels the outward drift. With steps this small, they follow an "
            "ellipse that is almost a circle.",
            "farther than at the start, about 1.6": "With one recording, they did move outward. "
            "But now each of the generator's steps uses the new slope, which cancels the outward "
            "drift.",
        },
    ),
    Callout(
        "16.d",
        right="it runs, and all points are at the same fraction of the way",
        options={
            "an error about shapes": "An error would help. But (1, 1) broadcasts to any (n, d).",
            "it runs, and all points are at the same fraction of the way": "(1, 1) silently "
            "broadcasts. Each batch tests one position between real and fake, so its "
            "penalty varies more from batch to batch.",
            "it runs, and each coordinate of a point has its own share": "That would need shares "
            "of shape (n, d), and the points would fill a box around the line instead of lying on "
            "it.",
        },
    ),
)

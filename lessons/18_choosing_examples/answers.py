"""Answers to lesson 18's exercises: other right ones, and wrong ones that no list holds."""

import numpy as np
import tensorflow as tf


def by_backward_pass(weigh):
    """Answer 18.1 without a tape: softmax minus target, times weight."""

    def weighted_gradient(W, x, labels, temperature):
        logits = (x @ W).numpy().astype(float)
        p = np.exp(logits - logits.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        rows = np.arange(len(p)), labels.numpy()
        weights = weigh(-np.log(p[rows]), temperature)
        p[rows] -= 1
        return x.numpy().T @ (weights[:, None] * p)

    return weighted_gradient


def shares(scores):
    return np.exp(scores) / np.sum(np.exp(scores))


def weights_first(W, x, labels, temperature):
    """Take the weights from a pass of their own, above the block."""
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, tf.matmul(x, W))
    weights = tf.nn.softmax(-losses / temperature)
    with tf.GradientTape() as tape:
        losses = tf.keras.losses.sparse_categorical_crossentropy(labels, x @ W, from_logits=True)
        loss = tf.tensordot(weights, losses, 1)
    return tape.gradient(loss, W)


def follows(W, x, labels, temperature):
    with tf.GradientTape() as tape:
        losses = tf.keras.losses.sparse_categorical_crossentropy(labels, x @ W, from_logits=True)
        factors = tf.exp(-losses / temperature)
        loss = tf.reduce_sum(factors * losses) / tf.reduce_sum(factors)
    return tape.gradient(loss, W)


def mean_loss(W, x, labels, temperature):
    loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    with tf.GradientTape() as tape:
        losses = loss_fn(labels, x @ W)
        weights = tf.stop_gradient(tf.exp(-losses / temperature))
        loss = losses * weights / weights
    return tape.gradient(loss, W)


def weighing(factors_of):
    def weighted_gradient(W, x, labels, temperature):
        with tf.GradientTape() as tape:
            losses = tf.keras.losses.sparse_categorical_crossentropy(
                labels, x @ W, from_logits=True
            )
            loss = tf.reduce_sum(tf.stop_gradient(factors_of(-losses / temperature)) * losses)
        return tape.gradient(loss, W)

    return weighted_gradient


def each(losses_of, W, x, y):
    """Return the gradients, (n, 3, 2), one example after the other."""
    found = []
    for row, target in zip(x, y, strict=True):
        with tf.GradientTape() as tape:
            loss = tf.squeeze(losses_of(W, row[None], target[None]))
        found.append(tape.gradient(loss, W).numpy())
    return np.stack(found)


def combining(combine):
    def clipped_mean(losses_of, W, x, y, limit):
        return combine(each(losses_of, W, x, y), limit)

    return clipped_mean


def lengths(g):
    return np.linalg.norm(g.reshape(len(g), -1), axis=1)[:, None, None]


def directions(g):
    return tf.math.divide_no_nan(g, lengths(g)).numpy()


def scaled(g, limit):
    return g / np.maximum(1, lengths(g) / limit)


@tf.function
def vectorized(losses_of, W, x, y, limit):
    def of_one(pair):
        row, target = pair
        with tf.GradientTape() as tape:
            loss = losses_of(W, row[None], target[None])
        return tf.clip_by_norm(tape.gradient(loss, W), limit)

    return tf.reduce_mean(tf.vectorized_map(of_one, (x, y)), axis=0)


def of_batch(losses_of, W, x, y, limit):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(losses_of(W, x, y))
    gradient = tape.gradient(loss, W)
    return gradient * tf.minimum(1.0, limit / tf.norm(gradient))


def by_formula(losses_of, W, x, y, limit):
    """Answer 18.3 without a tape, for the losses of the check: squared errors and a tanh."""
    W, x, y = (np.asarray(each, float) for each in (W.numpy(), x, y))
    t = np.tanh(x @ W)
    slopes = 2 * (t - y) * (1 - t**2)
    turned = x[:, ::-1]
    others = turned[:, :, None] * (1 - np.tanh(turned @ W) ** 2)[:, None]
    return scaled(x[:, :, None] * slopes[:, None] + others, limit).mean(axis=0)


def factors():
    """Answer 18.2 by differences, with the weight kept or computed anew."""
    found = []
    for loss in (1.0, 3.0):
        at = np.array([loss + 1e-3, loss - 1e-3])
        for weight in (1 - loss / 4, 1 - at / 4):
            found.append(-np.diff(at * weight)[0] / 2e-3)
    return found


RIGHT = {
    "18.1": [weights_first, by_backward_pass(lambda losses, T: shares(-losses / T))],
    "18.2": [
        [0.75, 0.5, 0.25, -0.5],
        (3 / 4, 1 / 2, tf.constant(0.25), np.float32(-0.5)),
        factors(),
    ],
    "18.3": [combining(lambda g, limit: scaled(g, limit).mean(axis=0)), vectorized, by_formula],
}


def by_rows_or_columns(axis):
    def clipped(losses_of, W, x, y, limit):
        with tf.GradientTape() as tape:
            losses = losses_of(W, x, y)
        J = tape.jacobian(losses, W)
        return tf.reduce_mean(tf.clip_by_norm(J, limit, axes=[axis]), axis=0)

    return clipped


def with_all_targets(losses_of, W, x, y, limit):
    gradients = []
    for i in range(len(x)):
        with tf.GradientTape() as tape:
            loss = losses_of(W, x[i][None], y)
        gradients.append(tf.clip_by_norm(tape.gradient(loss, W), limit))
    return tf.add_n(gradients) / len(gradients)


WRONG = {
    "18.1": [
        ("weights followed", follows),
        ("no weights", mean_loss),
        ("hard ones preferred", by_backward_pass(lambda losses, T: shares(losses / T))),
        ("temperature left out", by_backward_pass(lambda losses, T: shares(-losses))),
        ("temperature multiplied", by_backward_pass(lambda losses, T: shares(-T * losses))),
        ("weights not normalised", by_backward_pass(lambda losses, T: np.exp(-losses / T))),
        (
            "averaged once more",
            by_backward_pass(lambda losses, T: shares(-losses / T) / len(losses)),
        ),
        ("easiest alone", by_backward_pass(lambda losses, T: 1.0 * (losses == losses.min()))),
        ("losses added up", weighing(lambda each: tf.nn.softmax(each[:, None], axis=0))),
        ("returned None", lambda *given: print(weights_first(*given))),
    ],
    "18.2": [
        ("line 1: wrote 0.5", [0.5, 0.5, 0.25, -0.5]),
        ("line 4: wrote 0.25", [0.75, 0.5, 0.25, 0.25]),
        ("other form", 0.75),
    ],
    "18.3": [
        ("mean clipped", of_batch),
        ("rows clipped", by_rows_or_columns(2)),
        ("columns clipped", by_rows_or_columns(1)),
        ("all targets for one example", with_all_targets),
        ("not clipped", combining(lambda g, limit: g.mean(axis=0))),
        ("all clipped as one", combining(lambda g, limit: scaled(g[None], limit)[0].mean(axis=0))),
        ("entries clipped", combining(lambda g, limit: np.clip(g, -limit, limit).mean(axis=0))),
        ("short ones stretched", combining(lambda g, limit: directions(g).mean(axis=0) * limit)),
        ("unit length", combining(lambda g, limit: directions(g).mean(axis=0))),
        (
            "long ones left out",
            combining(lambda g, limit: np.mean(g * (lengths(g) < limit), axis=0)),
        ),
    ],
}

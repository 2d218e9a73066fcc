"""Wrong answers to the questions of lesson 18, and what each is told."""

import tensorflow as tf

from course_staff.authoring.gallery import Table, Wrong

# 18.1


def weighing(
    weights_of=lambda losses, T: tf.nn.softmax(-losses / T),
    keep=tf.stop_gradient,
    total=lambda weights, losses: tf.reduce_sum(weights * losses),
):
    """Return an answer to 18.1 from its parts."""

    def weighted_gradient(W, x, labels, temperature):
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x @ W)
            weights = keep(weights_of(losses, temperature))
            loss = total(weights, losses)
        return tape.gradient(loss, W)

    return weighted_gradient


WEIGHTS = {
    "weights followed": Wrong(
        "The gradient follows the weights: it lowers the loss by weighing other examples, too. "
        "Put tf.stop_gradient around the weights.",
        weighing(keep=tf.identity),
    ),
    "no weights": Wrong(
        "Every example counts alike. The loss function returns one mean, and the softmax of one "
        "number is 1: take each example's loss.",
        weighing(lambda losses, T: tf.ones_like(losses) / len(losses)),
    ),
    "hard ones preferred": Wrong(
        "The hard examples get the large weights. Small losses count more here: softmax of "
        "-losses / temperature.",
        weighing(lambda losses, T: tf.nn.softmax(losses / T)),
    ),
    "hard ones preferred, and followed": Wrong(
        "The hard examples get the large weights, and the gradient follows the weights. Small losses "
        "count more here: tf.stop_gradient of the softmax of -losses / temperature.",
        weighing(lambda losses, T: tf.nn.softmax(losses / T), keep=tf.identity),
    ),
    "hard ones preferred, without temperature": Wrong(
        "The hard examples get the large weights, and the temperature is not used: softmax of "
        "-losses / temperature.",
        weighing(lambda losses, T: tf.nn.softmax(losses)),
    ),
    "sigmoid": Wrong(
        "A sigmoid weighs each example by itself. A softmax compares them: its weights add up to 1.",
        weighing(lambda losses, T: tf.sigmoid(-losses / T)),
    ),
    "whole or not at all": Wrong(
        "Examples count whole below a limit, and not at all above it. Here all count, by the softmax "
        "of -losses / temperature.",
        weighing(lambda losses, T: tf.cast(losses < T, tf.float32)),
        weighing(lambda losses, T: tf.cast(losses < tf.reduce_mean(losses), tf.float32)),
    ),
    "inverse losses": Wrong(
        "The weights are one over the losses. Take the softmax of -losses / temperature.",
        weighing(lambda losses, T: 1 / losses),
        weighing(lambda losses, T: (1 / losses) / tf.reduce_sum(1 / losses)),
    ),
    "temperature left out": Wrong(
        "The temperature is not used. Divide the losses by it before the softmax.",
        weighing(lambda losses, T: tf.nn.softmax(-losses)),
    ),
    "temperature multiplied": Wrong(
        "The losses are multiplied by the temperature. Divide by it.",
        weighing(lambda losses, T: tf.nn.softmax(-losses * T)),
    ),
    "weights not normalised": Wrong(
        "The weights do not add up to 1. A softmax divides each by their sum.",
        weighing(lambda losses, T: tf.exp(-losses / T)),
    ),
    "averaged once more": Wrong(
        "The weighted losses are averaged. The weights add up to 1 already: take the sum.",
        weighing(total=lambda weights, losses: tf.reduce_mean(weights * losses)),
    ),
    "losses closed": Wrong(
        "The losses themselves are cut off, and only the weights are followed. It is the other "
        "way round: close the weights, and leave the losses open.",
        weighing(
            keep=tf.identity,
            total=lambda weights, losses: tf.reduce_sum(weights * tf.stop_gradient(losses)),
        ),
    ),
    "hardest alone": Wrong(
        "Only the hardest example counts. Weigh all of them by the softmax.",
        weighing(total=lambda weights, losses: tf.reduce_max(losses)),
    ),
    "losses added up": Wrong(
        "Every example counts whole, without a weight. Multiply each loss by its weight before you "
        "add them up.",
        weighing(total=lambda weights, losses: tf.reduce_sum(losses)),
    ),
    "easiest alone": Wrong(
        "Only the easiest example counts. Weigh all of them by the softmax.",
        weighing(total=lambda weights, losses: tf.reduce_min(losses)),
    ),
}

# 18.3


def of_each(combine):
    """Return an answer to 18.3 that combines all gradients, (n, 3, 2), and the limit."""

    def clipped_mean(losses_of, W, x, y, limit):
        with tf.GradientTape(persistent=True) as tape:
            losses = losses_of(W, x, y)
        return combine(tape.jacobian(losses, W, experimental_use_pfor=False), limit)

    return clipped_mean


def clipped(gradients, limit):
    return tf.stack([tf.clip_by_norm(g, limit) for g in gradients])


def mean(gradients):
    return tf.reduce_mean(gradients, axis=0)


def losses_limited(losses_of, W, x, y, limit):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.minimum(losses_of(W, x, y), limit))
    return tape.gradient(loss, W)


def norms(gradients):
    return tf.sqrt(tf.reduce_sum(gradients**2, axis=(1, 2), keepdims=True))


def sums_of_sizes(gradients):
    return tf.reduce_sum(tf.abs(gradients), axis=(1, 2), keepdims=True)


def largest_entries(gradients):
    return tf.reduce_max(tf.abs(gradients), axis=(1, 2), keepdims=True)


CLIPS = {
    "mean clipped": Wrong(
        "The mean is clipped, not each example's gradient: one long gradient still drowns the "
        "others. Clip first, then average.",
        of_each(lambda gradients, limit: tf.clip_by_norm(mean(gradients), limit)),
    ),
    "losses limited": Wrong(
        "The losses are cut off at the limit, and a loss above it has no slope left. Clip each "
        "example's gradient, and leave the losses as they are.",
        losses_limited,
    ),
    "not clipped": Wrong(
        "This is the mean of the gradients as they are. Scale each that is longer than the limit "
        "down to it.",
        of_each(lambda gradients, limit: mean(gradients)),
    ),
    "all clipped as one": Wrong(
        "All gradients are clipped by one norm, that of the whole stack. Each example has a norm "
        "of its own.",
        of_each(lambda gradients, limit: mean(tf.clip_by_norm(gradients, limit))),
    ),
    "rows clipped": Wrong(
        "Each row of a gradient is clipped by its own norm. The norm of an example is that of all "
        "its entries.",
        of_each(lambda gradients, limit: mean(tf.clip_by_norm(gradients, limit, axes=[2]))),
        of_each(lambda gradients, limit: mean(tf.clip_by_norm(gradients, limit, axes=[1]))),
    ),
    "entries clipped": Wrong(
        "Each entry is clipped by itself, which turns the gradients. Scale the whole gradient of "
        "an example.",
        of_each(lambda gradients, limit: mean(tf.clip_by_value(gradients, -limit, limit))),
    ),
    "short ones stretched": Wrong(
        "Every gradient is scaled to the limit, short ones as well. Leave those alone that are "
        "shorter.",
        of_each(lambda gradients, limit: mean(limit * gradients / norms(gradients))),
    ),
    "unit length": Wrong(
        "Every gradient is scaled to length 1. Scale those down to the limit that are longer.",
        of_each(lambda gradients, limit: mean(gradients / norms(gradients))),
    ),
    "summed": Wrong(
        "The clipped gradients are added up. Take their mean.",
        of_each(lambda gradients, limit: tf.reduce_sum(clipped(gradients, limit), axis=0)),
    ),
    "long ones left out": Wrong(
        "Gradients longer than the limit are dropped. Keep their direction, at the length of the "
        "limit.",
        of_each(lambda g, limit: mean(tf.where(norms(g) <= limit, g, 0.0))),
    ),
    "sum of sizes": Wrong(
        "The length is taken as the sum of the entries' sizes. It is the root of the sum of their "
        "squares: tf.norm, or tf.clip_by_norm.",
        of_each(lambda g, limit: mean(g * tf.minimum(1.0, limit / sums_of_sizes(g)))),
    ),
    "largest entry": Wrong(
        "The length is taken as the largest entry. It is the root of the sum of the squares: tf.norm, "
        "or tf.clip_by_norm.",
        of_each(lambda g, limit: mean(g * tf.minimum(1.0, limit / largest_entries(g)))),
    ),
    "ratio upside down": Wrong(
        "The ratio is upside down: a long gradient is scaled by limit / length, which is below 1.",
        of_each(lambda g, limit: mean(g * tf.minimum(1.0, norms(g) / limit))),
        of_each(lambda g, limit: mean(g * tf.maximum(1.0, norms(g) / limit))),
    ),
    "averaged twice": Wrong(
        "The clipped gradients are averaged twice. Take their mean once.",
        of_each(lambda g, limit: mean(clipped(g, limit)) / len(g)),
    ),
    "squared norm": Wrong(
        "The gradients are scaled by the squared norm. Take its root: tf.norm does.",
        of_each(lambda g, limit: mean(g * tf.minimum(1.0, limit / norms(g) ** 2))),
    ),
    "sum clipped": Wrong(
        "The sum over the examples is clipped. Clip each example's gradient, and average them.",
        of_each(lambda g, limit: tf.clip_by_norm(tf.reduce_sum(g, axis=0), limit) / len(g)),
    ),
}

# 18.2

FOLLOWED = "That is the factor when the weight is followed, too. Here it is closed."
CLOSED = "That is the weight itself. Followed, it adds a part of its own: l times -1/4."


def weight_table(rows, otherwise):
    return Table(rows, "{value} is not it. " + otherwise)


GALLERY = {
    "18.1": WEIGHTS,
    "18.3": CLIPS,
    "18.2": [
        weight_table(
            {0.5: FOLLOWED, 0.25: "1/4 is what the loss takes off the weight: 1 - 1/4."},
            "Closed, the weight is a constant factor: 1 - 1/4.",
        ),
        weight_table(
            {0.75: CLOSED, -0.25: "-1/4 is the slope of the weight alone."},
            "The slope of l - l²/4 is 1 - l/2.",
        ),
        weight_table(
            {-0.5: FOLLOWED, 0.75: "3/4 is what the loss takes off the weight: 1 - 3/4."},
            "Closed, the weight is a constant factor: 1 - 3/4.",
        ),
        weight_table(
            {
                0.25: CLOSED,
                0.5: "The sign is turned: 1 - 3/2 is below zero.",
                -0.25: "-1/4 is the slope of the weight alone.",
            },
            "The slope of l - l²/4 is 1 - l/2.",
        ),
    ],
}

"""Wrong answers to the questions of lesson 18, and what each is told."""

import tensorflow as tf

from course_utils.exercises import Table, Wrong

# 18.1


def weighing(
    weights_of=lambda losses, T: tf.nn.softmax(-losses / T),
    keep=tf.stop_gradient,
    total=lambda weights, losses: tf.reduce_sum(weights * losses),
    losses_of=tf.nn.sparse_softmax_cross_entropy_with_logits,
):
    """Return an answer to 18.1 from its parts."""

    def weighted_gradient(W, x, labels, temperature):
        with tf.GradientTape() as tape:
            losses = losses_of(labels, x @ W)
            weights = keep(weights_of(losses, temperature))
            loss = total(weights, losses)
        return tape.gradient(loss, W)

    return weighted_gradient


closed = tf.stop_gradient


def raised(losses, T, keep=tf.identity):
    return keep(tf.exp(-losses / T))


def total_of(losses, T, keep=tf.identity):
    return keep(tf.reduce_sum(tf.exp(-losses / T)))


WEIGHTS = {
    "weights followed": Wrong(
        "The gradient follows the weights: it lowers the loss by weighing other examples, too. "
        "Put tf.stop_gradient around the weights, and use what it returns.",
        weighing(keep=tf.identity),
    ),
    "no weights": Wrong(
        "Every example counts alike. Either the losses were averaged first, by the loss function or by "
        "you, and the softmax of one number is 1; or the weights are not used. Take each example's "
        "loss, times its weight.",
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
    "temperature behind the softmax": Wrong(
        "The finished weights are divided by the temperature. Divide the losses by it, before the "
        "softmax.",
        weighing(lambda losses, T: tf.nn.softmax(-losses) / T),
    ),
    "half closed": Wrong(
        "A part of the weights is still followed: what stands above the line of the fraction, or "
        "below it. Put tf.stop_gradient around the finished weights.",
        weighing(lambda losses, T: raised(losses, T, closed) / total_of(losses, T), tf.identity),
        weighing(lambda losses, T: raised(losses, T) / total_of(losses, T, closed), tf.identity),
    ),
    "logits as probabilities": Wrong(
        "The Keras loss took the logits for probabilities. Give it from_logits=True.",
        weighing(losses_of=tf.keras.losses.sparse_categorical_crossentropy),
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
        "Every example counts whole: its weight is 1, or there is none. The softmax of one number, also "
        "of one in each row, is 1, and (n, 1) times (n,) is every weight times every loss. Give "
        "weights and losses the shape (n,), and add up their products.",
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


def against_all_targets(losses_of, W, x, y, limit):
    total = tf.zeros_like(W)
    for i in range(len(x)):
        with tf.GradientTape() as tape:
            loss = losses_of(W, x[i : i + 1], y)
        total += tf.clip_by_norm(tape.gradient(loss, W), limit)
    return total / len(x)


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


def singular(gradients):
    return tf.linalg.svd(gradients, compute_uv=False)[:, :1, None]


# What the kernels of three processors say of a matrix product with a vector.
KERNELS = (
    "In[0] and In[1] has different ndims: [3] vs. [3,2]",
    "In[0] ndims must be >= 2: 1",
    "In[0] ndims must be >= 2",
)


def refused(text):
    def clipped_mean(losses_of, W, x, y, limit):
        raise tf.errors.InvalidArgumentError(None, None, text)

    return clipped_mean


NONE_IS_ZERO = (0, 1)  # the calls in which no gradient is 0
CLIPS = {
    "mean clipped": Wrong(
        "The gradient of all examples together is clipped, and not each example's: one long gradient "
        "still drowns the others. Take each example by itself, clip, and then average.",
        of_each(lambda gradients, limit: tf.clip_by_norm(mean(gradients), limit)),
    ),
    "all targets for one example": Wrong(
        "Each example's loss is taken against the targets of all. Slice y as you slice x.",
        against_all_targets,
    ),
    "losses limited": Wrong(
        "All entries are 0. Either no gradient is added to the total (+=), or its slice of x is empty, "
        "or the losses are cut off at the limit, above which they have no slope. Clip each example's "
        "gradient, and add it to the total.",
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
    ),
    "columns clipped": Wrong(
        "Each column of a gradient is clipped by its own norm. The norm of an example is that of "
        "all its entries.",
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
        calls=NONE_IS_ZERO,
    ),
    "unit length": Wrong(
        "Every gradient is scaled to length 1. Scale those down to the limit that are longer.",
        of_each(lambda gradients, limit: mean(gradients / norms(gradients))),
        calls=NONE_IS_ZERO,
    ),
    "summed": Wrong(
        "The clipped gradients are added up. Take their mean.",
        of_each(lambda gradients, limit: tf.reduce_sum(clipped(gradients, limit), axis=0)),
    ),
    "long ones left out": Wrong(
        "Gradients longer than the limit are dropped. Keep their direction, at the length of the "
        "limit.",
        of_each(lambda g, limit: mean(tf.where(norms(g) <= limit, g, 0.0))),
        of_each(lambda g, limit: mean(g[norms(g)[:, 0, 0] <= limit])),
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
        "Long gradients do not become shorter. Each is scaled by the smaller of 1 and limit / length.",
        of_each(lambda g, limit: mean(g * tf.minimum(1.0, norms(g) / limit))),
        of_each(lambda g, limit: mean(g * tf.maximum(1.0, norms(g) / limit))),
        of_each(lambda g, limit: mean(g * tf.maximum(1.0, limit / norms(g)))),
        calls=NONE_IS_ZERO,
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
    "nan at zero": Wrong(
        "Right, until one example's gradient is 0: its length is 0, and 0 divided by 0 is nan. "
        "tf.clip_by_norm leaves it 0, and so does dividing by the larger of length and limit.",
        of_each(lambda g, limit: mean(g / norms(g) * tf.minimum(norms(g), limit))),
    ),
    "one example alone": Wrong(
        "Only the first example counts, or only the last. Start the total above the loop, add to it "
        "with +=, and return behind the loop.",
        of_each(lambda g, limit: clipped(g[-1:], limit)[0] / len(g)),
        of_each(lambda g, limit: clipped(g[:1], limit)[0] / len(g)),
    ),
    "divided first": Wrong(
        "The gradients are divided by n before they are clipped. Clip them as they are, and divide "
        "after that.",
        of_each(lambda g, limit: tf.reduce_sum(clipped(g / len(g), limit), axis=0)),
    ),
    "no axis of examples": Wrong(
        "losses_of takes a batch, and one example alone, such as x[i], has no axis of examples. "
        "x[i : i + 1] is a batch of one.",
        *map(refused, KERNELS),
    ),
    "spectral norm": Wrong(
        "The length is taken as the largest singular value: np.linalg.norm of a matrix with ord=2. "
        "It is the root of the sum of all squares: tf.norm, or tf.clip_by_norm.",
        of_each(lambda g, limit: mean(g * tf.minimum(1.0, limit / singular(g)))),
        calls=NONE_IS_ZERO,
    ),
    "pair of clip_by_global_norm": Wrong(
        "tf.clip_by_global_norm returns two things, a list of gradients and their norm. Take the "
        "first of the list, or clip one gradient with tf.clip_by_norm.",
        lambda losses_of, W, x, y, limit: tf.zeros_like(W) + tf.clip_by_global_norm([W], limit),
    ),
}

# 18.2

FOLLOWED = "That is the factor when the weight is followed, too. Here it is closed."
CLOSED = "That is the weight itself. Followed, it adds a part of its own: l times -1/4."


MISTAKES = {
    "18.1": WEIGHTS,
    "18.3": CLIPS,
    "18.2": [
        Table(
            {0.5: FOLLOWED, 0.25: "1/4 is what the loss takes off the weight: 1 - 1/4."},
            "{value} is not it. Closed, the weight is a constant factor: 1 - 1/4.",
        ),
        Table(
            {0.75: CLOSED, -0.25: "-1/4 is the slope of the weight alone."},
            "{value} is not it. The slope of l - l²/4 is 1 - l/2.",
        ),
        Table(
            {-0.5: FOLLOWED, 0.75: "3/4 is what the loss takes off the weight: 1 - 3/4."},
            "{value} is not it. Closed, the weight is a constant factor: 1 - 3/4.",
        ),
        Table(
            {
                0.25: CLOSED,
                0.5: "The sign is turned: 1 - 3/2 is below zero.",
                -0.25: "-1/4 is the slope of the weight alone.",
            },
            "{value} is not it. The slope of l - l²/4 is 1 - l/2.",
        ),
    ],
}

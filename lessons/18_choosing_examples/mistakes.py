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
        "The gradient also goes through the weights, so a step also lowers the loss by shifting "
        "weight between examples. Put `tf.stop_gradient` around the weights, and use its result.",
        weighing(keep=tf.identity),
    ),
    "no weights": Wrong(
        "Every example has the same weight: the losses were averaged first, or the weights are "
        "not used. Compute one loss per example, and multiply each by its weight.",
        weighing(lambda losses, T: tf.ones_like(losses) / len(losses)),
    ),
    "hard ones preferred": Wrong(
        "The hard examples have the large weights. Give small losses large weights: the "
        "softmax of `-losses / temperature`.",
        weighing(lambda losses, T: tf.nn.softmax(losses / T)),
    ),
    "hard ones preferred, and followed": Wrong(
        "Two bugs are left. (1) The hard examples have the large weights: use the softmax of "
        "`-losses / temperature`. (2) The gradient goes through the weights: put "
        "`tf.stop_gradient` around them.",
        weighing(lambda losses, T: tf.nn.softmax(losses / T), keep=tf.identity),
    ),
    "hard ones preferred, without temperature": Wrong(
        "Two bugs are left. (1) The hard examples have the large weights: use a minus sign. (2) "
        "The temperature is not used: compute the softmax of `-losses / temperature`.",
        weighing(lambda losses, T: tf.nn.softmax(losses)),
    ),
    "sigmoid": Wrong(
        "You use a sigmoid, which weights each example separately. Use a softmax, whose "
        "weights sum to 1.",
        weighing(lambda losses, T: tf.sigmoid(-losses / T)),
    ),
    "whole or not at all": Wrong(
        "Your weights are either 0 or 1. Use all examples, with the softmax of `-losses / "
        "temperature`.",
        weighing(lambda losses, T: tf.cast(losses < T, tf.float32)),
        weighing(lambda losses, T: tf.cast(losses < tf.reduce_mean(losses), tf.float32)),
    ),
    "inverse losses": Wrong(
        "Your weights are 1 divided by the losses. Use the softmax of `-losses / temperature`.",
        weighing(lambda losses, T: 1 / losses),
        weighing(lambda losses, T: (1 / losses) / tf.reduce_sum(1 / losses)),
    ),
    "temperature left out": Wrong(
        "You do not use the temperature. Divide the losses by it before the softmax.",
        weighing(lambda losses, T: tf.nn.softmax(-losses)),
    ),
    "temperature multiplied": Wrong(
        "You multiply the losses by the temperature. Divide by it.",
        weighing(lambda losses, T: tf.nn.softmax(-losses * T)),
    ),
    "temperature behind the softmax": Wrong(
        "You divide the finished weights by the temperature. Divide the losses by it, before "
        "the softmax.",
        weighing(lambda losses, T: tf.nn.softmax(-losses) / T),
    ),
    "half closed": Wrong(
        "The gradient still goes through a part of the weights, the numerator or the "
        "denominator. Put `tf.stop_gradient` around the finished weights.",
        weighing(lambda losses, T: raised(losses, T, closed) / total_of(losses, T), tf.identity),
        weighing(lambda losses, T: raised(losses, T) / total_of(losses, T, closed), tf.identity),
    ),
    "logits as probabilities": Wrong(
        "The Keras loss treats your logits as probabilities. Pass `from_logits=True`.",
        weighing(losses_of=tf.keras.losses.sparse_categorical_crossentropy),
    ),
    "weights not normalised": Wrong(
        "Your weights do not sum to 1. Use a softmax, which divides by their sum.",
        weighing(lambda losses, T: tf.exp(-losses / T)),
    ),
    "averaged once more": Wrong(
        "You average the weighted losses, but the weights already sum to 1. Use their sum.",
        weighing(total=lambda weights, losses: tf.reduce_mean(weights * losses)),
    ),
    "losses closed": Wrong(
        "You stop the gradient of the losses instead of the weights. Put `tf.stop_gradient` "
        "around the weights only.",
        weighing(
            keep=tf.identity,
            total=lambda weights, losses: tf.reduce_sum(weights * tf.stop_gradient(losses)),
        ),
    ),
    "hardest alone": Wrong(
        "You use only the hardest example. Weight all examples with the softmax.",
        weighing(total=lambda weights, losses: tf.reduce_max(losses)),
    ),
    "losses added up": Wrong(
        "Every example has the weight 1, perhaps because the softmax runs along an axis of length "
        "1, or shapes (n, 1) and (n,) are multiplied. Give weights and losses the shape (n,), and "
        "sum their products.",
        weighing(total=lambda weights, losses: tf.reduce_sum(losses)),
    ),
    "easiest alone": Wrong(
        "You use only the easiest example. Weight all examples with the softmax.",
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
        "You clip the mean gradient, not each example's, so one long gradient still dominates. "
        "Clip each example's gradient separately, then average.",
        of_each(lambda gradients, limit: tf.clip_by_norm(mean(gradients), limit)),
    ),
    "all targets for one example": Wrong(
        "Each example's loss is computed against all targets. Slice `y` the way you slice `x`.",
        against_all_targets,
    ),
    "losses limited": Wrong(
        "All entries are 0, because nothing is added to the total, a slice of `x` is empty, or you "
        "limit the losses, not the gradients. Clip each example's *gradient*, and add it to the "
        "total with `+=`.",
        losses_limited,
    ),
    "not clipped": Wrong(
        "You do not clip the gradients. If a gradient's norm is above the limit, scale the "
        "gradient down to the limit.",
        of_each(lambda gradients, limit: mean(gradients)),
    ),
    "all clipped as one": Wrong(
        "You clip all gradients by one norm, that of the whole stack. Use a separate norm for "
        "each example.",
        of_each(lambda gradients, limit: mean(tf.clip_by_norm(gradients, limit))),
    ),
    "rows clipped": Wrong(
        "You clip each row of a gradient by its own norm. Use one norm per example, over all "
        "its entries.",
        of_each(lambda gradients, limit: mean(tf.clip_by_norm(gradients, limit, axes=[2]))),
    ),
    "columns clipped": Wrong(
        "You clip each column of a gradient by its own norm. Use one norm per example, over "
        "all its entries.",
        of_each(lambda gradients, limit: mean(tf.clip_by_norm(gradients, limit, axes=[1]))),
    ),
    "entries clipped": Wrong(
        "You clip each entry separately, which changes the direction of the gradients. Scale each "
        "example's gradient as a whole.",
        of_each(lambda gradients, limit: mean(tf.clip_by_value(gradients, -limit, limit))),
    ),
    "short ones stretched": Wrong(
        "You scale every gradient to the limit, even those with a smaller norm. Leave gradients "
        "below the limit unchanged.",
        of_each(lambda gradients, limit: mean(limit * gradients / norms(gradients))),
        calls=NONE_IS_ZERO,
    ),
    "unit length": Wrong(
        "You scale every gradient to norm 1. Scale only those above the limit, down to the limit.",
        of_each(lambda gradients, limit: mean(gradients / norms(gradients))),
        calls=NONE_IS_ZERO,
    ),
    "summed": Wrong(
        "You sum the clipped gradients. Average them.",
        of_each(lambda gradients, limit: tf.reduce_sum(clipped(gradients, limit), axis=0)),
    ),
    "long ones left out": Wrong(
        "You drop gradients above the limit. Keep their direction, and scale them to the limit.",
        of_each(lambda g, limit: mean(tf.where(norms(g) <= limit, g, 0.0))),
        of_each(lambda g, limit: mean(g[norms(g)[:, 0, 0] <= limit])),
    ),
    "sum of sizes": Wrong(
        "You use the sum of the entries' absolute values as the norm. Use the square root of the "
        "sum of the squares: `tf.norm`, or `tf.clip_by_norm`.",
        of_each(lambda g, limit: mean(g * tf.minimum(1.0, limit / sums_of_sizes(g)))),
    ),
    "largest entry": Wrong(
        "You use the largest entry as the norm. Use the square root of the sum of the squares: "
        "`tf.norm`, or `tf.clip_by_norm`.",
        of_each(lambda g, limit: mean(g * tf.minimum(1.0, limit / largest_entries(g)))),
    ),
    "ratio upside down": Wrong(
        "Gradients above the limit are not scaled down. Scale each by the smaller of 1 and limit / "
        "norm.",
        of_each(lambda g, limit: mean(g * tf.minimum(1.0, norms(g) / limit))),
        of_each(lambda g, limit: mean(g * tf.maximum(1.0, norms(g) / limit))),
        of_each(lambda g, limit: mean(g * tf.maximum(1.0, limit / norms(g)))),
        calls=NONE_IS_ZERO,
    ),
    "averaged twice": Wrong(
        "You average the clipped gradients twice. Average them once.",
        of_each(lambda g, limit: mean(clipped(g, limit)) / len(g)),
    ),
    "squared norm": Wrong(
        "You scale by the squared norm. Use its square root, the norm: `tf.norm`.",
        of_each(lambda g, limit: mean(g * tf.minimum(1.0, limit / norms(g) ** 2))),
    ),
    "sum clipped": Wrong(
        "You clip the sum over the examples. Clip each example's gradient, then average.",
        of_each(lambda g, limit: tf.clip_by_norm(tf.reduce_sum(g, axis=0), limit) / len(g)),
    ),
    "nan at zero": Wrong(
        "Your function is right, unless an example's gradient is 0: its norm is 0, and 0 / 0 is "
        "nan. Use `tf.clip_by_norm`, or scale each gradient by limit / max(norm, limit).",
        of_each(lambda g, limit: mean(g / norms(g) * tf.minimum(norms(g), limit))),
    ),
    "one example alone": Wrong(
        "You use only the first or the last example. Initialize the total before the loop, add to "
        "it with `+=`, and return after the loop.",
        of_each(lambda g, limit: clipped(g[-1:], limit)[0] / len(g)),
        of_each(lambda g, limit: clipped(g[:1], limit)[0] / len(g)),
    ),
    "divided first": Wrong(
        "You divide the gradients by n before you clip them. Clip them first, then divide.",
        of_each(lambda g, limit: tf.reduce_sum(clipped(g / len(g), limit), axis=0)),
    ),
    "no axis of examples": Wrong(
        "You pass `losses_of` a single example such as `x[i]`, but it needs a batch. Use `x[i "
        ": i + 1]`, a batch of one.",
        *map(refused, KERNELS),
    ),
    "spectral norm": Wrong(
        "You use the largest singular value as the norm, as `np.linalg.norm` with `ord=2` does. "
        "Use the square root of the sum of all squares: `tf.norm`, or `tf.clip_by_norm`.",
        of_each(lambda g, limit: mean(g * tf.minimum(1.0, limit / singular(g)))),
        calls=NONE_IS_ZERO,
    ),
    "pair of clip_by_global_norm": Wrong(
        "`tf.clip_by_global_norm` returns two values, a list of gradients and their global norm. "
        "Use the first entry of the list, or clip one gradient with `tf.clip_by_norm`.",
        lambda losses_of, W, x, y, limit: tf.zeros_like(W) + tf.clip_by_global_norm([W], limit),
    ),
}

# 18.2

FOLLOWED = (
    "This is the factor for an open weight, because the gradient also goes through the weight. A "
    "closed weight is a constant."
)
CLOSED = (
    "This is the weight itself. If the weight is open, the gradient also goes through it, which "
    "adds l times -1/4."
)


MISTAKES = {
    "18.1": WEIGHTS,
    "18.3": CLIPS,
    "18.2": [
        Table(
            {
                0.5: FOLLOWED,
                0.25: "1/4 is l/4, the part that is subtracted from 1. But the weight is 1 - 1/4.",
            },
            "{value} is not the factor. A closed weight is a constant, so the factor is the "
            "weight: 1 - 1/4.",
        ),
        Table(
            {
                0.75: CLOSED,
                0.25: "{value} belongs in line 3. The order is l = 1 closed, l = 1 open, l = 3 "
                "closed, l = 3 open.",
                -0.25: "-1/4 is the slope of only the weight. But the question asks for the slope "
                "of l · (1 - l/4).",
            },
            "{value} is not the factor. The slope of l - l²/4 is 1 - l/2.",
        ),
        Table(
            {
                -0.5: FOLLOWED,
                0.75: "3/4 is l/4, the part that is subtracted from 1. But the weight is 1 - 3/4.",
            },
            "{value} is not the factor. A closed weight is a constant, so the factor is the "
            "weight: 1 - 3/4.",
        ),
        Table(
            {
                0.25: CLOSED,
                0.5: "The sign is wrong. 1 - 3/2 is below 0.",
                -0.25: "-1/4 is the slope of only the weight. But the question asks for the slope "
                "of l · (1 - l/4).",
            },
            "{value} is not the factor. The slope of l - l²/4 is 1 - l/2.",
        ),
    ],
}

"""Wrong answers to the questions of lesson 15, and what each is told."""

import tensorflow as tf

from course_utils.exercises import Between, Table, Wrong

# 15.1


def sliced(
    share=lambda piece, pieces: (piece + 0.5) / pieces,
    point=lambda x, starts, share: starts + share * (x - starts),
    ways=lambda x, starts: x - starts,
    divide=lambda total, pieces: total / pieces,
    join=lambda parts: tf.reduce_mean(parts, axis=0),
    at_shares=range,
):
    """Return an answer to 15.1 with other points, ways, or means."""

    def mean_parts(f, x, starts, pieces):
        total = tf.zeros_like(starts)
        for piece in at_shares(pieces):
            at = point(x, starts, share(piece, pieces))
            with tf.GradientTape() as tape:
                tape.watch(at)
                scores = f(at)
            total += tape.gradient(scores, at)
        return join(divide(total * ways(x, starts), pieces))

    return mean_parts


def from_mean_start(f, x, starts, pieces):
    return sliced()(f, x, tf.reduce_mean(starts, axis=0, keepdims=True), pieces)


def from_black(f, x, starts, pieces):
    return sliced()(f, x, tf.zeros_like(starts), pieces)


def slope_of_start(f, x, starts, pieces):
    """Watch the starts in place of the point between."""
    total = 0.0
    for piece in range(pieces):
        with tf.GradientTape() as tape:
            tape.watch(starts)
            scores = f(starts + (piece + 0.5) / pieces * (x - starts))
        total += tape.gradient(scores, starts)
    return tf.reduce_mean((x - starts) * total / pieces, axis=0)


def slope_of_x(f, x, starts, pieces):
    """Watch x in place of the point between: the gradient is summed over the starts, and shrunk."""
    total = 0.0
    for piece in range(pieces):
        with tf.GradientTape() as tape:
            tape.watch(x)
            scores = f(starts + (piece + 0.5) / pieces * (x - starts))
        total += tape.gradient(scores, x)
    return tf.reduce_mean((x - starts) * total / pieces, axis=0)


def all_ends(count):
    """Take the slopes at both ends of every piece, and divide by a count."""
    return sliced(
        share=lambda piece, pieces: piece / pieces,
        divide=lambda total, pieces: total / count(pieces),
        at_shares=lambda pieces: range(pieces + 1),
    )


def ends_counted_half(*call):
    left = sliced(share=lambda piece, pieces: piece / pieces)
    right = sliced(share=lambda piece, pieces: (piece + 1) / pieces)
    return (left(*call) + right(*call)) / 2


def slope_times_point(f, x, starts, pieces):
    total = 0.0
    for piece in range(pieces):
        at = starts + (piece + 0.5) / pieces * (x - starts)
        total += at * slope(lambda at: f(at), at)
    return tf.reduce_mean(total / pieces, axis=0)


def without_parentheses(x, starts, share):
    piece, pieces = share
    return starts + piece + 0.5 / pieces * (x - starts)


def mean_slope_times_mean_way(f, x, starts, pieces):
    slopes = sliced(ways=lambda x, starts: tf.ones_like(starts))(f, x, starts, pieces)
    return slopes * tf.reduce_mean(x - starts, axis=0)


PARTS = {
    "ends that are left": Wrong(
        "You compute the slopes where each piece starts. Use the midpoints: `(piece + 0.5) / "
        "pieces`.",
        sliced(share=lambda piece, pieces: piece / pieces),
    ),
    "ends that are right": Wrong(
        "You compute the slopes where each piece ends. Use the midpoints: `(piece + 0.5) / "
        "pieces`.",
        sliced(share=lambda piece, pieces: (piece + 1) / pieces),
    ),
    "points from end to end": Wrong(
        "Your points include the ends of the line, as `np.linspace` returns them. Use the "
        "midpoints of the pieces: `(piece + 0.5) / pieces`.",
        sliced(share=lambda piece, pieces: piece / (pieces - 1)),
        all_ends(lambda pieces: pieces + 1),
        all_ends(lambda pieces: pieces),
        ends_counted_half,
    ),
    "slope at x alone": Wrong(
        "You multiply the slope at `x` by `x - starts`, but `x` is only the end of the line. Use "
        "the mean slope over the midpoints of the pieces.",
        sliced(share=lambda piece, pieces: 1.0),
    ),
    "slope at starts alone": Wrong(
        "You use only the slopes at the starts. Move a point along the line from each start to "
        "`x`, and average the slopes there.",
        sliced(share=lambda piece, pieces: 0.0),
    ),
    "one middle": Wrong(
        "You use only the slope halfway along the line. Divide the line into `pieces` pieces, and "
        "use the slope at the midpoint of each.",
        sliced(share=lambda piece, pieces: 0.5),
    ),
    "times x": Wrong(
        "You multiplied by `x`, as if each start were black. Multiply by `x - starts`.",
        sliced(ways=lambda x, starts: x + 0 * starts),
    ),
    "slopes of the way from black": Wrong(
        "You compute the slopes along the line from the black image. Use the line from each start: "
        "`starts + share * (x - starts)`.",
        sliced(point=lambda x, starts, share: share * x + 0 * starts),
    ),
    "way turned round": Wrong(
        "Your factor has the wrong sign. Use `x - starts`.",
        sliced(ways=lambda x, starts: starts - x),
    ),
    "times the point": Wrong(
        "You multiplied each slope by the point where it was computed. Multiply the mean slope "
        "by `x - starts`.",
        slope_times_point,
    ),
    "not times the way": Wrong(
        "You returned the mean slopes. Multiply them by `x - starts`.",
        sliced(ways=lambda x, starts: tf.ones_like(starts)),
    ),
    "slopes summed": Wrong(
        "You summed the slopes over the pieces. Divide by `pieces` to get the mean slope.",
        sliced(divide=lambda total, pieces: total),
    ),
    "starts summed": Wrong(
        "You summed over the starts. Return the mean over them.",
        sliced(join=lambda parts: tf.reduce_sum(parts, axis=0)),
    ),
    "starts not joined": Wrong(
        "You returned the parts for each start, (m, d). Average them over the starts, axis 0.",
        sliced(join=lambda parts: parts),
    ),
    "mean over entries": Wrong(
        "You averaged over the entries, which leaves one number per start. Average over the "
        "starts, axis 0.",
        sliced(join=lambda parts: tf.reduce_mean(parts, axis=1)),
    ),
    "mean start": Wrong(
        "You averaged the starts and went along one line. The slopes differ for each start: go "
        "along the line from each start, and average the resulting parts.",
        from_mean_start,
    ),
    "from black": Wrong("You started from zeros. Start from each row of `starts`.", from_black),
    "means multiplied": Wrong(
        "You averaged the slopes over the starts and then multiplied by the mean of `x - "
        "starts`. Multiply for each start first, then average.",
        mean_slope_times_mean_way,
        lambda f, x, starts, pieces: len(starts) * mean_slope_times_mean_way(f, x, starts, pieces),
    ),
    "points beside the line": Wrong(
        "Your points are not on the line between a start and `x`. Use `starts + share * (x - "
        "starts)`.",
        sliced(point=lambda x, starts, share: share * (x - starts)),
        sliced(point=lambda x, starts, share: starts + share * x),
    ),
    "points beyond x": Wrong(
        "Your points go beyond the line between a start and `x`. Let the shares go from 0 to "
        "1: `(piece + 0.5) / pieces`, with the parentheses.",
        sliced(share=lambda piece, pieces: piece + 0.5 / pieces),
        sliced(share=lambda *of: of, point=without_parentheses),
    ),
    "a piece missing": Wrong(
        "You left out the first or the last piece. Use `(piece + 0.5) / pieces` for every `piece` "
        "in `range(pieces)`.",
        sliced(at_shares=lambda pieces: range(pieces - 1)),
        sliced(at_shares=lambda pieces: range(1, pieces)),
    ),
    "one piece alone": Wrong(
        "You use only the first or the last piece. Add the slopes of all pieces with `+=`, and "
        "return after the loop.",
        sliced(at_shares=lambda pieces: range(1)),
        sliced(at_shares=lambda pieces: range(pieces - 1, pieces)),
    ),
    "nothing added up": Wrong(
        "All parts are 0 because the slopes are never accumulated. Add each piece's slopes "
        "with `+=`.",
        sliced(at_shares=lambda pieces: range(0)),
    ),
    "other number of pieces": Wrong(
        "You use a fixed number of pieces. Divide the line into `pieces` pieces.",
        lambda f, x, starts, pieces: sliced()(f, x, starts, 20),
        lambda f, x, starts, pieces: sliced()(f, x, starts, 100),
    ),
    "all summed": Wrong(
        "You summed over the pieces and over the starts. Average over both.",
        sliced(divide=lambda total, pieces: total, join=lambda parts: tf.reduce_sum(parts, axis=0)),
    ),
    "mean twice": Wrong(
        "You divided by the number of starts twice, for example because you differentiated the "
        "mean score. Differentiate the scores themselves, and average over the starts at the end.",
        sliced(join=lambda parts: tf.reduce_mean(parts, axis=0) / len(parts)),
    ),
    "no axis of examples": Wrong(
        "You passed `f` a single example of shape (d,), but it needs a batch, (n, d). Add an "
        "axis: `point[None]`.",
        lambda f, x, starts, pieces: f(starts[0]),
    ),
    "size of parts": Wrong(
        "You dropped the signs. Keep them, because parts can be negative, and they add up only "
        "with their signs.",
        sliced(join=lambda parts: tf.reduce_mean(tf.abs(parts), axis=0)),
        sliced(join=lambda parts: tf.abs(tf.reduce_mean(parts, axis=0))),
    ),
    "gradient of the start": Wrong(
        "You differentiate with respect to the starts, but the point moves less than its start "
        "does. Watch the point, the tensor that you pass to `f`, and use it as the source.",
        slope_of_start,
    ),
    "gradient of x": Wrong(
        "You differentiate with respect to `x`, which moves all points at once. Watch the "
        "point, the tensor that you pass to `f`, and use it as the source.",
        slope_of_x,
    ),
}

# 15.2

RISES = Table(
    {
        39.2: "39.2 is 784 · 0.05. But each pixel moves by only 0.1, not by 1.",
        78.4: "78.4 is 784 · 0.1. But each pixel has a weight of 0.05.",
        0.0: "Half of the weights may be negative, so a rise of 0 seems possible. But a pixel "
        "with a negative weight can move down, so all 784 products can rise.",
        0.005: "0.005 is the contribution of one pixel. But all 784 pixels move.",
        Between(
            1.95, 2.0
        ): "This counts only half of the pixels. But the pixels with a negative weight can move "
        "down, which raises the score as well.",
        Between(0.1, 0.2): "This is what random signs give. But in the best case, no product works "
        "against another.",
        Between(3.8, 4.1): "Your answer is close, but not accurate to two decimals. Compute "
        "784 · 0.05 · 0.1.",
    },
    "{value} is not the answer. Each pixel raises the score by 0.05 · 0.1 if its sign is "
    "chosen well, and there are 784 pixels.",
)
SPREADS = Table(
    {
        0.0: "The mean of the change is 0. But the standard deviation says how far from 0 the "
        "change usually is.",
        Between(
            3.8, 4.1
        ): "This is the best case. But random signs mostly cancel: variances add up, so the "
        "standard deviation is multiplied only by the square root of 784.",
        0.005: "0.005 is the standard deviation of one pixel. For 784 independent pixels, multiply "
        "it by the square root of 784.",
        Between(0.019, 0.02): "This is the variance. Take its square root.",
        1.4: "1.4 is 28 · 0.05. But each pixel moves by only 0.1, not by 1.",
        2.8: "2.8 is 28 · 0.1. But each pixel has a weight of 0.05.",
        Between(
            0.08, 0.082
        ): "This would be right if each pixel moved by a random amount between -0.1 and 0.1. But "
        "each moves by the full 0.1, up or down.",
        Between(0.13, 0.15): "Your answer is close, but not accurate to two decimals. Compute "
        "28 · 0.05 · 0.1.",
    },
    "{value} is not the answer. Each pixel contributes a standard deviation of 0.05 · 0.1; for 784 "
    "independent pixels, multiply by the square root of 784, which is 28.",
)

# 15.3


def cross_entropy(labels, logits):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)


def clipped(pictures):
    return tf.clip_by_value(pictures, 0.0, 1.0)


def slope(loss_of, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = loss_of(x)
    return tape.gradient(loss, x)


def moving(move, keep=clipped, loss_of=cross_entropy):
    """Return an answer to 15.3 with another step, another clip or another loss."""

    def toward(logits_of, x, target, epsilon):
        gradient = slope(lambda x: loss_of(target, logits_of(x)), x)
        return keep(move(x, gradient, epsilon))

    return toward


def down(x, gradient, epsilon):
    return x - epsilon * tf.sign(gradient)


def from_prediction(logits_of, x, target, epsilon):
    seen = tf.argmax(logits_of(x), axis=1)
    gradient = slope(lambda x: cross_entropy(seen, logits_of(x)), x)
    return clipped(x + epsilon * tf.sign(gradient))


def of_length_one(x, gradient, epsilon):
    return x - epsilon * gradient / tf.norm(gradient, axis=1, keepdims=True)


def largest_one(x, gradient, epsilon):
    return x - epsilon * gradient / tf.reduce_max(tf.abs(gradient), axis=1, keepdims=True)


def of_notebook():
    return tf.keras.Sequential(
        [tf.keras.Input((28, 28, 1)), tf.keras.layers.Flatten(), tf.keras.layers.Dense(10)]
    )


def probabilities_as_logits(target, z):
    return tf.keras.losses.sparse_categorical_crossentropy(target, z)


TOWARD = {
    "away from the target": Wrong(
        "You move away from the target, so its cross-entropy grows. Subtract the step.",
        moving(lambda x, g, e: x + e * tf.sign(g)),
    ),
    "no sign": Wrong(
        "Your step is proportional to the gradient. Use `epsilon * tf.sign(gradient)`, so that "
        "every pixel moves by `epsilon`.",
        moving(lambda x, g, e: x - e * g),
        moving(lambda x, g, e: x - e * g / len(x)),
    ),
    "no sign, and away": Wrong(
        "Two bugs are left. (1) Your step is proportional to the gradient: use `epsilon * "
        "tf.sign(gradient)`. (2) You move away from the target: subtract the step.",
        moving(lambda x, g, e: x + e * g),
        moving(lambda x, g, e: x + e * g / len(x)),
    ),
    "no sign, not clipped": Wrong(
        "Two bugs are left. (1) Your step is proportional to the gradient: use `epsilon * "
        "tf.sign(gradient)`. (2) Some pixels leave the range from 0 to 1: clip the result.",
        moving(lambda x, g, e: x - e * g, keep=lambda moved: moved),
    ),
    "divided by its norm": Wrong(
        "You divided the gradient by its norm or its largest entry, so most pixels move by less "
        "than `epsilon`. Use `tf.sign` of the gradient.",
        moving(of_length_one),
        moving(largest_one),
        moving(lambda x, g, e: x - e * g / tf.norm(g)),
        moving(lambda x, g, e: x - e * g / tf.reduce_max(tf.abs(g))),
    ),
    "not clipped": Wrong(
        "The step is right, but some pixels leave the range from 0 to 1. Clip the result with "
        "`tf.clip_by_value`.",
        moving(down, keep=lambda pictures: pictures),
    ),
    "clipped below alone": Wrong(
        "Some pixels are above 1. Clip to both limits, 0 and 1.",
        moving(down, keep=tf.nn.relu),
    ),
    "clipped above alone": Wrong(
        "Some pixels are below 0. Clip to both limits, 0 and 1.",
        moving(down, keep=lambda pictures: tf.minimum(pictures, 1.0)),
    ),
    "away from the prediction": Wrong(
        "You move away from the current prediction. Move toward `target`: compute the loss for "
        "that class, and go downhill.",
        from_prediction,
    ),
    "logit alone": Wrong(
        "You raised only the target's logit. Use the gradient of the cross-entropy, which also "
        "includes the other logits.",
        moving(down, loss_of=lambda target, z: -tf.gather(z, target, batch_dims=1)),
    ),
    "logits as probabilities": Wrong(
        "The Keras loss treats your logits as probabilities and clips them to [0, 1]. Pass "
        "`from_logits=True`.",
        moving(down, loss_of=probabilities_as_logits),
    ),
    "step returned": Wrong(
        "You returned the step. Return the moved images: `x` minus the step, clipped.",
        moving(lambda x, g, e: down(x, g, e) - x, keep=lambda pictures: pictures),
        moving(lambda x, g, e: x - down(x, g, e), keep=lambda pictures: pictures),
        moving(lambda x, g, e: x - down(x, g, e)),
        moving(lambda x, g, e: down(x, g, e) - x),
    ),
    "sign alone": Wrong(
        "Every pixel moves by 1, because `epsilon` is missing. Multiply the sign by it.",
        moving(lambda x, g, e: x - tf.sign(g)),
    ),
    "gradient limited": Wrong(
        "You clip the gradient to `epsilon`, but most of its entries are far smaller. Use `epsilon "
        "* tf.sign(gradient)`, which moves every pixel by `epsilon`.",
        moving(lambda x, g, e: x - tf.clip_by_value(g, -e, e)),
    ),
    "step twice as long": Wrong(
        "Your pixels move by twice `epsilon`. Take one step of `epsilon`.",
        moving(lambda x, g, e: x - 2 * e * tf.sign(g)),
    ),
    "toward the prediction": Wrong(
        "You raised the class that already has the largest logit, so the network becomes more "
        "confident. Use the cross-entropy of the target.",
        moving(down, loss_of=lambda target, z: -tf.reduce_max(z, axis=1)),
        moving(down, loss_of=lambda target, z: cross_entropy(tf.argmax(z, axis=1), z)),
    ),
    "softmax twice": Wrong(
        "You apply softmax twice, because the loss already applies it. Pass the logits unchanged.",
        moving(down, loss_of=lambda target, z: cross_entropy(target, tf.nn.softmax(z))),
    ),
    "step of 0.1": Wrong(
        "Your step is always 0.1. Use `epsilon`.",
        moving(lambda x, g, e: x - 0.1 * tf.sign(g)),
    ),
    "nan at slope 0": Wrong(
        "If the slope is 0, your step is 0 / 0, which is nan. Use `tf.sign`, which is 0 there.",
        moving(lambda x, g, e: x - e * g / tf.abs(g)),
    ),
    "slope 0 moved": Wrong(
        "You also move pixels whose slope is 0. Use `tf.sign`, which is 0 there.",
        moving(lambda x, g, e: x - e * tf.where(g >= 0, 1.0, -1.0)),
        moving(lambda x, g, e: x - e * tf.where(g > 0, 1.0, -1.0)),
    ),
    "more than the images": Wrong(
        "You pass extra arguments to `logits_of`, which takes only the images. Call "
        "`logits_of(x)`.",
        lambda logits_of, x, target, epsilon: logits_of(x, training=False),
    ),
    "step clipped": Wrong(
        "You clipped the step to the range from 0 to 1, so pixels can move in only one direction. "
        "Clip the moved images: `x` minus the step.",
        moving(lambda x, g, e: x - clipped(e * tf.sign(g)), keep=lambda pictures: pictures),
        moving(lambda x, g, e: x - clipped(e * tf.sign(g))),
        moving(lambda x, g, e: x + clipped(-e * tf.sign(g)), keep=lambda pictures: pictures),
        moving(lambda x, g, e: x + clipped(-e * tf.sign(g))),
    ),
    "the notebook's model": Wrong(
        "You called the notebook's `model`, which takes images of another shape. Call "
        "`logits_of(x)`.",
        lambda logits_of, x, target, epsilon: of_notebook()(x),
    ),
    "nothing moved": Wrong(
        "The images did not change. Subtract `epsilon` times the sign of the gradient.",
        moving(lambda x, g, e: x),
    ),
}

# 15.4


def around(x, moved, epsilon):
    return clipped(tf.clip_by_value(moved, x - epsilon, x + epsilon))


def attacking(
    after_each=around,
    at_end=lambda x, moved, epsilon: moved,
    step=lambda gradient, size: size * tf.sign(gradient),
    ask_at=lambda x, moved: moved,
):
    """Return an answer to 15.4 with another clip, another step, or the slope of another place."""

    def attack(logits_of, x, y, epsilon, size, steps):
        moved = x
        for _ in range(steps):
            at = ask_at(x, moved)
            gradient = slope(lambda x: cross_entropy(y, logits_of(x)), at)
            moved = after_each(x, moved + step(gradient, size), epsilon)
        return at_end(x, moved, epsilon)

    return attack


def one_step_of_epsilon(logits_of, x, y, epsilon, size, steps):
    gradient = slope(lambda x: cross_entropy(y, logits_of(x)), x)
    return clipped(x + epsilon * tf.sign(gradient))


def smaller_steps(logits_of, x, y, epsilon, size, steps):
    return attacking()(logits_of, x, y, epsilon, min(size, epsilon / steps), steps)


def into_ball(x, moved, epsilon):
    change = moved - x
    length = tf.norm(change, axis=1, keepdims=True)
    return clipped(x + change * tf.minimum(1.0, tf.math.divide_no_nan(epsilon, length)))


def from_original(logits_of, x, y, epsilon, size, steps):
    moved = x
    for _ in range(steps):
        gradient = slope(lambda x: cross_entropy(y, logits_of(x)), moved)
        moved = around(x, x + size * tf.sign(gradient), epsilon)
    return moved


def first_step_alone(logits_of, x, y, epsilon, size, steps):
    return attacking()(logits_of, x, y, epsilon, size, 1)


def only_right_ones(logits_of, x, y, epsilon, size, steps):
    moved = x
    for _ in range(steps):
        logits = logits_of(moved)
        right = tf.cast(tf.argmax(logits, axis=1) == tf.cast(y, tf.int64), x.dtype)[:, None]
        gradient = slope(lambda x: cross_entropy(y, logits_of(x)), moved)
        moved = around(x, moved + right * size * tf.sign(gradient), epsilon)
    return moved


# Below, call 2 takes a single step: only what goes wrong in several shows in the others.
SEVERAL = (0, 1)
ATTACKS = {
    "still around itself": Wrong(
        "Some pixels are farther than `epsilon` from the original, because you limit each step but "
        "not the sum of the steps. Before the loop, store the original under a separate name, and "
        "clip to within `epsilon` of it.",
        attacking(lambda x, moved, epsilon: clipped(moved)),
        calls=SEVERAL,
    ),
    "no clip to the range": Wrong(
        "The images stay near the original, but some pixels leave the range from 0 to 1. "
        "Keep the second clip.",
        attacking(lambda x, moved, e: tf.clip_by_value(moved, x - e, x + e)),
    ),
    "no clip at all": Wrong(
        "You no longer clip the pixels. Clip twice after each step: to within `epsilon` of the "
        "original, and to the range from 0 to 1.",
        attacking(lambda x, moved, epsilon: moved),
    ),
    "clipped at the end": Wrong(
        "You clip only after the loop, so the slopes in between were computed at images "
        "outside the limits. Clip twice after each step.",
        attacking(lambda x, moved, epsilon: moved, around),
        attacking(lambda x, moved, epsilon: clipped(moved), around),
        attacking(lambda x, moved, e: tf.clip_by_value(moved, x - e, x + e), around),
        calls=SEVERAL,
    ),
    "one limit from the original": Wrong(
        "You limit the pixels on only one side of the original. Use both limits: the original "
        "minus `epsilon`, and plus `epsilon`.",
        attacking(lambda x, moved, e: clipped(tf.maximum(moved, x - e))),
        attacking(lambda x, moved, e: clipped(tf.minimum(moved, x + e))),
        calls=SEVERAL,
    ),
    "the notebook's model": Wrong(
        "You called the notebook's `model`, which takes images of another shape. Call `logits_of`.",
        lambda logits_of, x, y, epsilon, size, steps: of_notebook()(x),
    ),
    "slope of the original": Wrong(
        "You always use the slope at the original. Compute the slope at the current image "
        "before each step, and keep the original only for the clip.",
        attacking(ask_at=lambda x, moved: x),
        one_step_of_epsilon,
        calls=SEVERAL,
    ),
    "smaller steps": Wrong(
        "You made the steps smaller so that they cannot go too far. Keep `size`, and clip "
        "around the original.",
        smaller_steps,
        calls=SEVERAL,
    ),
    "steps from the original": Wrong(
        "Each step starts from the original, so the steps do not add up. Add each step to the "
        "current image, and keep the original only for the clip.",
        from_original,
        calls=SEVERAL,
    ),
    "first step alone": Wrong(
        "You return the result of only one step. Move the `return` out of the loop, and keep "
        "`moved = x` before the loop.",
        first_step_alone,
        calls=SEVERAL,
    ),
    "one step missing": Wrong(
        "You take one step too few. Use `range(steps)`.",
        lambda *call: attacking()(*call[:-1], call[-1] - 1),
    ),
    "one step too many": Wrong(
        "You take `steps + 1` steps. Use `range(steps)`.",
        lambda *call: attacking()(*call[:-1], call[-1] + 1),
    ),
    "held within one step": Wrong(
        "The images stay within `size` of the original, but they may go as far as `epsilon`. "
        "Clip to `x - epsilon` and `x + epsilon`.",
        attacking(lambda x, moved, e: around(x, moved, e / 4)),
        lambda logits_of, x, y, epsilon, size, steps: attacking()(
            logits_of, x, y, size, size, steps
        ),
        calls=SEVERAL,
    ),
    "original returned": Wrong(
        "The images did not change: you return the original, or you drop the results. "
        "`tf.clip_by_value` does not change its input, so assign its result to a name.",
        attacking(at_end=lambda x, moved, epsilon: x),
    ),
    "clipped around 0": Wrong(
        "You clipped the images themselves to the range from -epsilon to epsilon. Limit their "
        "change: clip to `x - epsilon` and `x + epsilon`, with the original `x`.",
        attacking(lambda x, moved, e: clipped(tf.clip_by_value(moved, -e, e))),
    ),
    "downwards": Wrong(
        "The loss of the correct class falls. An attack goes uphill: add the step.",
        attacking(step=lambda g, size: -size * tf.sign(g)),
    ),
    "no sign": Wrong(
        "You removed the sign from the step. Each pixel should move by `size`, whatever its "
        "slope: use `tf.sign`.",
        attacking(step=lambda g, size: size * g),
    ),
    "into a ball": Wrong(
        "You limited the norm of the whole change, but each pixel has its own limit. Clip to "
        "`x - epsilon` and `x + epsilon`, with the original `x`.",
        attacking(into_ball),
    ),
    "change returned": Wrong(
        "You returned how far the pixels moved. Return the moved images.",
        attacking(at_end=lambda x, moved, epsilon: moved - x),
    ),
    "stops when fooled": Wrong(
        "You skip images that the network already gets wrong. Take all `steps` steps for each "
        "image.",
        only_right_ones,
        calls=(1,),  # where the network gets all of them wrong
    ),
}

MISTAKES = {"15.1": PARTS, "15.2": [RISES, SPREADS], "15.3": TOWARD, "15.4": ATTACKS}

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
        "You took the slopes where each piece begins. Take them at the middles: (piece + 0.5) / "
        "pieces.",
        sliced(share=lambda piece, pieces: piece / pieces),
    ),
    "ends that are right": Wrong(
        "You took the slopes where each piece ends. Take them at the middles: (piece + 0.5) / "
        "pieces.",
        sliced(share=lambda piece, pieces: (piece + 1) / pieces),
    ),
    "points from end to end": Wrong(
        "Your points include both ends of the line, as np.linspace gives them. Take the middles "
        "of the pieces: (piece + 0.5) / pieces.",
        sliced(share=lambda piece, pieces: piece / (pieces - 1)),
        all_ends(lambda pieces: pieces + 1),
        all_ends(lambda pieces: pieces),
        ends_counted_half,
    ),
    "slope at x alone": Wrong(
        "This is the slope at x times the way: gradient times input, which forgets the way. Take "
        "the mean slope over the middles of the pieces.",
        sliced(share=lambda piece, pieces: 1.0),
    ),
    "slope at starts alone": Wrong(
        "This is the slope at the starts times the way. Let the point walk from the start to x.",
        sliced(share=lambda piece, pieces: 0.0),
    ),
    "one middle": Wrong(
        "You took one slope, halfway. Cut the line into `pieces` pieces, and take the slope in "
        "the middle of each.",
        sliced(share=lambda piece, pieces: 0.5),
    ),
    "times x": Wrong(
        "You multiplied by x, as if each start were black. Each entry went from its start to x: "
        "multiply by x - starts.",
        sliced(ways=lambda x, starts: x + 0 * starts),
    ),
    "slopes of the way from black": Wrong(
        "The slopes are those of the walk from black, and only the way at the end is that of the starts. "
        "Take them on the walk from each start: starts + share * (x - starts).",
        sliced(point=lambda x, starts, share: share * x + 0 * starts),
    ),
    "way turned round": Wrong(
        "The way has the wrong sign. It goes from the start to x: x - starts.",
        sliced(ways=lambda x, starts: starts - x),
    ),
    "times the point": Wrong(
        "You multiplied each slope by the point where it was taken. A part is the mean slope times the "
        "way that the entry went: x - starts.",
        slope_times_point,
    ),
    "not times the way": Wrong(
        "These are mean slopes. A part is the mean slope times the way, x - starts.",
        sliced(ways=lambda x, starts: tf.ones_like(starts)),
    ),
    "slopes summed": Wrong(
        "You summed the slopes over the pieces. Divide by `pieces`: the mean slope counts.",
        sliced(divide=lambda total, pieces: total),
    ),
    "starts summed": Wrong(
        "You summed over the starts. Return the mean over them.",
        sliced(join=lambda parts: tf.reduce_sum(parts, axis=0)),
    ),
    "starts not joined": Wrong(
        "You return the parts of each start, (m, d). Take their mean over the starts: axis 0.",
        sliced(join=lambda parts: parts),
    ),
    "mean over entries": Wrong(
        "You took the mean over the entries, which leaves one number for each start. Take it over "
        "the starts: axis 0.",
        sliced(join=lambda parts: tf.reduce_mean(parts, axis=1)),
    ),
    "mean start": Wrong(
        "You averaged the starts first, and walked once. The slopes on the way differ from start "
        "to start: walk from each, and average the parts.",
        from_mean_start,
    ),
    "from black": Wrong("You walked from zeros. Walk from each row of `starts`.", from_black),
    "means multiplied": Wrong(
        "You joined the slopes of all starts, and then multiplied by the mean way. Multiply for "
        "each start, and then take the mean: the mean of products is not the product of means.",
        mean_slope_times_mean_way,
        lambda f, x, starts, pieces: len(starts) * mean_slope_times_mean_way(f, x, starts, pieces),
    ),
    "points beside the line": Wrong(
        "Your points do not lie between the starts and x. The line from a start is starts + share * "
        "(x - starts).",
        sliced(point=lambda x, starts, share: share * (x - starts)),
        sliced(point=lambda x, starts, share: starts + share * x),
    ),
    "points beyond x": Wrong(
        "Your points do not stay between the starts and x. The shares go from 0 to 1: (piece + 0.5) "
        "/ pieces, with the parentheses.",
        sliced(share=lambda piece, pieces: piece + 0.5 / pieces),
        sliced(share=lambda *of: of, point=without_parentheses),
    ),
    "a piece missing": Wrong(
        "You left out the first piece or the last. The middles are (piece + 0.5) / pieces for all of "
        "range(pieces).",
        sliced(at_shares=lambda pieces: range(pieces - 1)),
        sliced(at_shares=lambda pieces: range(1, pieces)),
    ),
    "one piece alone": Wrong(
        "Only the first piece counts, or only the last. Add up the slopes of all with +=, and return "
        "behind the loop.",
        sliced(at_shares=lambda pieces: range(1)),
        sliced(at_shares=lambda pieces: range(pieces - 1, pieces)),
    ),
    "nothing added up": Wrong(
        "All parts are 0: no slope is kept. Add up the slopes of all pieces with +=.",
        sliced(at_shares=lambda pieces: range(0)),
    ),
    "other number of pieces": Wrong(
        "You took many more pieces than `pieces`, whatever it says. Cut the line into `pieces`.",
        lambda f, x, starts, pieces: sliced()(f, x, starts, 20),
        lambda f, x, starts, pieces: sliced()(f, x, starts, 100),
    ),
    "all summed": Wrong(
        "You summed over the pieces and over the starts. Both should be means.",
        sliced(divide=lambda total, pieces: total, join=lambda parts: tf.reduce_sum(parts, axis=0)),
    ),
    "mean twice": Wrong(
        "You divided by the number of starts twice, as the gradient of a mean score does. Ask for the "
        "scores themselves, and take the mean over the starts at the end.",
        sliced(join=lambda parts: tf.reduce_mean(parts, axis=0) / len(parts)),
    ),
    "no axis of examples": Wrong(
        "f takes examples, (n, d), and got one alone, (d,). Give it a batch of one: point[None].",
        lambda f, x, starts, pieces: f(starts[0]),
    ),
    "size of parts": Wrong(
        "You dropped the signs. A part may be negative, and only with its sign do the parts add up.",
        sliced(join=lambda parts: tf.reduce_mean(tf.abs(parts), axis=0)),
        sliced(join=lambda parts: tf.abs(tf.reduce_mean(parts, axis=0))),
    ),
    "gradient of the start": Wrong(
        "You asked for the gradient with respect to the starts, which move the point by less the "
        "further it is. Ask for the point itself: watch the tensor that f takes.",
        slope_of_start,
    ),
    "gradient of x": Wrong(
        "You asked for the gradient with respect to x, which moves every line's point at once, "
        "and the less the nearer it is to its start. Ask for the point itself: watch the tensor "
        "that f takes.",
        slope_of_x,
    ),
}

# 15.2

RISES = Table(
    {
        39.2: "Each pixel moves by 0.1, and not by 1: 784 times 0.05 times 0.1.",
        78.4: "Each pixel counts with its weight, 0.05: 784 times 0.05 times 0.1.",
        0.0: "Half of the weights are negative, but each pixel may choose: down, where its weight is "
        "negative. Then all 784 products rise.",
        0.005: "This is one pixel's part. All 784 pixels move.",
        Between(
            1.95, 2.0
        ): "That would be half of the pixels. Those with a negative weight move down, and raise "
        "the score, too.",
        Between(0.1, 0.2): "This is what random signs give. At best no product works against "
        "another.",
        Between(3.8, 4.1): "Close, but not to two decimals: 784 times 0.05 times 0.1.",
    },
    "Each pixel raises the score by 0.05 times 0.1, if its sign is chosen well. There are 784.",
)
SPREADS = Table(
    {
        0.0: "The mean of the change is 0. Its standard deviation is not: it says how far from 0 the "
        "change usually is.",
        Between(
            3.8, 4.1
        ): "That is the best case. Random signs mostly cancel: variances add up, and the standard "
        "deviation grows with the root of 784.",
        0.005: "This is one pixel's standard deviation. For 784 independent ones, multiply by the "
        "root of 784.",
        Between(0.019, 0.02): "This is the variance. Take its root.",
        1.4: "Each pixel moves by 0.1, and not by 1: 28 times 0.05 times 0.1.",
        2.8: "Each pixel counts with its weight, 0.05: 28 times 0.05 times 0.1.",
        Between(
            0.08, 0.082
        ): "That would be so if a pixel moved by any amount up to 0.1. Here each "
        "moves by the whole 0.1, up or down.",
        Between(0.13, 0.15): "Close, but not to two decimals: 28 times 0.05 times 0.1.",
    },
    "Each pixel has the standard deviation 0.05 times 0.1; for 784 independent ones the variances "
    "add up, so multiply by the root of 784, 28.",
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
        "You move away from the target: its cross-entropy grows. Subtract the step.",
        moving(lambda x, g, e: x + e * tf.sign(g)),
    ),
    "no sign": Wrong(
        "The step has the size of the gradient. tf.sign of it moves every pixel by epsilon.",
        moving(lambda x, g, e: x - e * g),
        moving(lambda x, g, e: x - e * g / len(x)),
    ),
    "no sign, and away": Wrong(
        "The step has the size of the gradient, and its sign is wrong. Take tf.sign of it, times "
        "epsilon, and subtract that.",
        moving(lambda x, g, e: x + e * g),
        moving(lambda x, g, e: x + e * g / len(x)),
    ),
    "divided by its norm": Wrong(
        "You divided the gradient by its length, or by its largest entry, so that most pixels move by "
        "less than epsilon. tf.sign moves each of them by epsilon.",
        moving(of_length_one),
        moving(largest_one),
        moving(lambda x, g, e: x - e * g / tf.norm(g)),
        moving(lambda x, g, e: x - e * g / tf.reduce_max(tf.abs(g))),
    ),
    "not clipped": Wrong(
        "Right, but some pixels leave the range from 0 to 1. Clip the result: tf.clip_by_value.",
        moving(down, keep=lambda pictures: pictures),
    ),
    "clipped below alone": Wrong(
        "Pixels above 1 are left. Clip to both limits, 0 and 1.",
        moving(down, keep=tf.nn.relu),
    ),
    "clipped above alone": Wrong(
        "Pixels below 0 are left. Clip to the range from 0 to 1, on both sides.",
        moving(down, keep=lambda pictures: tf.minimum(pictures, 1.0)),
    ),
    "away from the prediction": Wrong(
        "You move away from what the network says now. Move toward `target`: take the loss for "
        "that class, and go down.",
        from_prediction,
    ),
    "logit alone": Wrong(
        "You raised the target's logit alone. Cross-entropy also counts how the other logits "
        "change: take its gradient.",
        moving(down, loss_of=lambda target, z: -tf.gather(z, target, batch_dims=1)),
    ),
    "logits as probabilities": Wrong(
        "The Keras loss took the logits for probabilities, and clipped them to the range from 0 to "
        "1. Give it from_logits=True.",
        moving(down, loss_of=probabilities_as_logits),
    ),
    "step returned": Wrong(
        "You return the step. Return the moved pictures: x minus the step, clipped.",
        moving(lambda x, g, e: down(x, g, e) - x, keep=lambda pictures: pictures),
        moving(lambda x, g, e: x - down(x, g, e), keep=lambda pictures: pictures),
        moving(lambda x, g, e: x - down(x, g, e)),
        moving(lambda x, g, e: down(x, g, e) - x),
    ),
    "sign alone": Wrong(
        "The step is 1 in every pixel: epsilon is missing. Multiply the sign by it.",
        moving(lambda x, g, e: x - tf.sign(g)),
    ),
    "gradient limited": Wrong(
        "The gradient is limited to epsilon, and most of its entries are far smaller. tf.sign of it, "
        "times epsilon, moves every pixel by epsilon.",
        moving(lambda x, g, e: x - tf.clip_by_value(g, -e, e)),
    ),
    "step twice as long": Wrong(
        "The pixels move by twice epsilon. Take one step, of epsilon.",
        moving(lambda x, g, e: x - 2 * e * tf.sign(g)),
    ),
    "toward the prediction": Wrong(
        "You raised the class that is the largest already, so the network is surer of what it sees. "
        "Take the cross-entropy of the target.",
        moving(down, loss_of=lambda target, z: -tf.reduce_max(z, axis=1)),
        moving(down, loss_of=lambda target, z: cross_entropy(tf.argmax(z, axis=1), z)),
    ),
    "softmax twice": Wrong(
        "The loss took probabilities for logits, and took the softmax of them once more. Give it the "
        "logits as they are.",
        moving(down, loss_of=lambda target, z: cross_entropy(target, tf.nn.softmax(z))),
    ),
    "step of 0.1": Wrong(
        "The step is 0.1, whatever epsilon is. Use `epsilon`.",
        moving(lambda x, g, e: x - 0.1 * tf.sign(g)),
    ),
    "nan at slope 0": Wrong(
        "Where the slope is 0, your step is 0 divided by 0, which is nan. tf.sign gives 0 there, and "
        "the pixel stays.",
        moving(lambda x, g, e: x - e * g / tf.abs(g)),
    ),
    "slope 0 moved": Wrong(
        "Pixels whose slope is 0 moved, too. tf.sign gives 0 there, and they stay.",
        moving(lambda x, g, e: x - e * tf.where(g >= 0, 1.0, -1.0)),
        moving(lambda x, g, e: x - e * tf.where(g > 0, 1.0, -1.0)),
    ),
    "more than the pictures": Wrong(
        "`logits_of` takes the pictures and nothing else: logits_of(x).",
        lambda logits_of, x, target, epsilon: logits_of(x, training=False),
    ),
    "step clipped": Wrong(
        "You clipped the step to the range from 0 to 1, which stops every pixel that should go the "
        "other way. Those are the limits of the moved pictures: clip x minus the step.",
        moving(lambda x, g, e: x - clipped(e * tf.sign(g)), keep=lambda pictures: pictures),
        moving(lambda x, g, e: x - clipped(e * tf.sign(g))),
        moving(lambda x, g, e: x + clipped(-e * tf.sign(g)), keep=lambda pictures: pictures),
        moving(lambda x, g, e: x + clipped(-e * tf.sign(g))),
    ),
    "the notebook's model": Wrong(
        "You asked the notebook's `model`, which takes pictures of another shape. The network is "
        "`logits_of` here: call logits_of(x).",
        lambda logits_of, x, target, epsilon: of_notebook()(x),
    ),
    "nothing moved": Wrong(
        "The pictures come back as they were. Subtract epsilon times the sign of the gradient.",
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
        "Some pixels are further than epsilon from where they were: each step is limited, and their "
        "sum is not. Clip to within epsilon of the original, kept above the loop under a name of its "
        "own; a second name for one variable moves with it.",
        attacking(lambda x, moved, epsilon: clipped(moved)),
        calls=SEVERAL,
    ),
    "no clip to the range": Wrong(
        "It stays near the original, but some pixels leave the range from 0 to 1. Keep the second "
        "clip.",
        attacking(lambda x, moved, e: tf.clip_by_value(moved, x - e, x + e)),
    ),
    "no clip at all": Wrong(
        "Nothing limits the pixels now. Clip twice after each step: to within epsilon of the "
        "original, and to the range from 0 to 1.",
        attacking(lambda x, moved, epsilon: moved),
    ),
    "clipped at the end": Wrong(
        "A clip stands behind the loop. On the way the picture was further away, or out of the range, "
        "and its slopes were those of another place: clip twice after each step.",
        attacking(lambda x, moved, epsilon: moved, around),
        attacking(lambda x, moved, epsilon: clipped(moved), around),
        attacking(lambda x, moved, e: tf.clip_by_value(moved, x - e, x + e), around),
        calls=SEVERAL,
    ),
    "one limit from the original": Wrong(
        "On one side the pixels are held near the original, and on the other they are not. Count both "
        "limits from the original: its pixels minus epsilon, and plus epsilon.",
        attacking(lambda x, moved, e: clipped(tf.maximum(moved, x - e))),
        attacking(lambda x, moved, e: clipped(tf.minimum(moved, x + e))),
        calls=SEVERAL,
    ),
    "the notebook's model": Wrong(
        "You asked the notebook's `model`, which takes pictures of another shape. The network is "
        "`logits_of` here: call logits_of.",
        lambda logits_of, x, y, epsilon, size, steps: of_notebook()(x),
    ),
    "slope of the original": Wrong(
        "This goes along the slope of the original alone, as one step of epsilon would. Ask for "
        "the slope at the picture that moves, before each step, and keep the original for the clip.",
        attacking(ask_at=lambda x, moved: x),
        one_step_of_epsilon,
        calls=SEVERAL,
    ),
    "smaller steps": Wrong(
        "You made the steps so small that they cannot go too far. Keep `size`, and clip around the "
        "original.",
        smaller_steps,
        calls=SEVERAL,
    ),
    "steps from the original": Wrong(
        "Each step starts at the original again, so they do not add up. Add the step to the "
        "picture that moves, and keep the original for the clip.",
        from_original,
        calls=SEVERAL,
    ),
    "first step alone": Wrong(
        "One step comes out. Either `return` stands in the loop, or each pass starts at the original "
        "again, as by `moved = x` in the loop: both belong outside.",
        first_step_alone,
        calls=SEVERAL,
    ),
    "one step missing": Wrong(
        "It takes one step less than `steps`. range(steps) counts from 0.",
        lambda *call: attacking()(*call[:-1], call[-1] - 1),
    ),
    "one step too many": Wrong(
        "It takes one step more than `steps`. range(steps) counts from 0.",
        lambda *call: attacking()(*call[:-1], call[-1] + 1),
    ),
    "held within one step": Wrong(
        "The picture stays within `size` of the original, and epsilon is how far it may go. Clip to "
        "x - epsilon and x + epsilon.",
        attacking(lambda x, moved, e: around(x, moved, e / 4)),
        lambda logits_of, x, y, epsilon, size, steps: attacking()(
            logits_of, x, y, size, size, steps
        ),
        calls=SEVERAL,
    ),
    "original returned": Wrong(
        "The pictures come back as they were. You return the original, or clip it in place of what "
        "moved, or keep no step: tf.clip_by_value changes nothing in place, so give its result a name.",
        attacking(at_end=lambda x, moved, epsilon: x),
    ),
    "clipped around 0": Wrong(
        "You clipped the pictures themselves to -epsilon and epsilon. Their change is what it "
        "limits: clip to x - epsilon and x + epsilon, with the original x.",
        attacking(lambda x, moved, e: clipped(tf.clip_by_value(moved, -e, e))),
    ),
    "downwards": Wrong(
        "The loss of the right class falls. An attack goes up: add the step.",
        attacking(step=lambda g, size: -size * tf.sign(g)),
    ),
    "no sign": Wrong(
        "The step has lost its sign function: each pixel moves by `size`, whatever its slope.",
        attacking(step=lambda g, size: size * g),
    ),
    "into a ball": Wrong(
        "You limited the length of the whole change. Here each pixel has its own limit: clip to "
        "x - epsilon and x + epsilon, with the original x.",
        attacking(into_ball),
    ),
    "change returned": Wrong(
        "You return how far the pixels moved. Return the moved pictures.",
        attacking(at_end=lambda x, moved, epsilon: moved - x),
    ),
    "stops when fooled": Wrong(
        "Pictures that the network gets wrong already are left alone. Each takes all `steps`.",
        only_right_ones,
        calls=(1,),  # where the network gets all of them wrong
    ),
}

MISTAKES = {"15.1": PARTS, "15.2": [RISES, SPREADS], "15.3": TOWARD, "15.4": ATTACKS}

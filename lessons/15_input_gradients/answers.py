"""Answers to lesson 15's exercises: other right ones, and wrong ones that no list holds."""

import keras
import numpy as np
import tensorflow as tf


def slopes_from_black(f, x, starts, pieces):
    shares = (tf.range(pieces, dtype=x.dtype) + 0.5) / pieces
    points = tf.Variable(shares[:, None] * x)
    with tf.GradientTape() as tape:
        scores = f(points)
    slope = tf.reduce_mean(tape.gradient(scores, points), axis=0)
    return slope * (x - tf.reduce_mean(starts, axis=0))


def walked(shares, way=np.subtract, mean=np.mean, starts_of=lambda starts: starts):
    """Answer 15.1 with one batch of all points: shares is (pieces,) for a number of pieces."""

    def mean_parts(f, x, starts, pieces):
        x, starts = x.numpy(), starts_of(starts.numpy())
        share = np.array(shares(pieces))[:, None, None]
        points = tf.Variable((1 - share) * starts + share * x)  # (pieces, m, d)
        with tf.GradientTape() as tape:
            scores = f(tf.reshape(points, (-1, len(x))))
        slopes = tape.gradient(scores, points)
        return mean(np.mean(slopes, axis=0) * way(x, starts), axis=0)

    return mean_parts


def middles(pieces):
    return np.arange(0.5, pieces) / pieces


def parts_by_differences(f, x, starts, pieces, h=1e-5):
    x, starts = x.numpy(), starts.numpy()
    parts = np.zeros_like(x)
    for start in starts:
        for share in middles(pieces):
            at = start + share * (x - start)
            for i, unit in enumerate(np.eye(len(x))):
                above, below = f(tf.constant([at + h * unit, at - h * unit]))
                parts[i] += (above - below) / (2 * h) * (x - start)[i] / pieces / len(starts)
    return parts


def parts_in_a_graph(f, x, starts, pieces):
    @tf.function
    def slopes_at(points):
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(points)
            target = tf.reduce_sum(f(points))
        return tape.gradient(target, points)

    ways = x[None] - starts
    return (
        sum(tf.reduce_mean(slopes_at(starts + s * ways) * ways, 0) for s in middles(pieces))
        / pieces
    )


def late_watch(f, x, starts, pieces):
    at = starts + (x - starts) / 2
    with tf.GradientTape() as tape:
        scores = f(at)
        tape.watch(at)
    return tf.reduce_mean(tape.gradient(scores, at), axis=0)


def gradient_at(loss_of, x):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        loss = loss_of(x)
    return tape.gradient(loss, x)


def mean_loss(labels, logits):
    return keras.losses.SparseCategoricalCrossentropy(from_logits=True)(labels, logits)


def toward(step, loss=mean_loss, limits=(0, 1), up=False):
    """Answer 15.3: step(gradient) times epsilon is subtracted, or added."""

    def move(logits_of, x, target, epsilon):
        gradient = gradient_at(lambda x: loss(target, logits_of(x)), x).numpy()
        moved = x + (1 if up else -1) * epsilon * step(gradient)
        return np.clip(moved, *limits)

    return move


def by_probability(target, logits):
    return -tf.math.log(tf.gather(tf.nn.softmax(logits), target, batch_dims=1))


def toward_by_differences(logits_of, x, target, epsilon, h=1e-2):
    x = x.numpy()
    moved = x.copy()
    for i in np.ndindex(x.shape):
        losses = []
        for step in (h, -h):
            near = x.copy()
            near[i] += step
            near = tf.constant(near)
            losses.append(by_probability(target, logits_of(near))[i[0]])
        moved[i] -= epsilon * np.sign(losses[0] - losses[1])
    return moved.clip(0, 1)


def half_mended(logits_of, x, y, epsilon, size, steps):
    """Count the lower limit from the original, and the upper one from the picture that moves."""
    original = x.numpy()
    for _ in range(steps):
        slope = gradient_at(lambda x: mean_loss(y, logits_of(x)), x)
        moved = np.clip(x + size * np.sign(slope), original - epsilon, x + epsilon)
        x = tf.constant(np.clip(moved, 0, 1))
    return x


def held_change(logits_of, x, y, epsilon, size, steps):
    """Keep the change, and limit that."""
    change = tf.zeros_like(x)
    for _ in range(steps):
        slope = gradient_at(lambda c: mean_loss(y, logits_of(x + c)), change)
        change = tf.clip_by_value(change + size * tf.sign(slope), -epsilon, epsilon)
        change = tf.clip_by_value(x + change, 0, 1) - x
    return x + change


def limits_first(logits_of, x, y, epsilon, size, steps, **options):
    return attack(tf.maximum(x - epsilon, 0), tf.minimum(x + epsilon, 1))(
        logits_of, x, y, epsilon, size, steps
    )


def attack(low=None, high=None, up=True, last=lambda moved, x: moved):
    """Answer 15.4: low and high are limits, or make them from the original and epsilon."""

    def move(logits_of, x, y, epsilon, size, steps):
        moved = x
        for _ in range(steps):
            slope = gradient_at(lambda x: mean_loss(y, logits_of(x)), moved).numpy()
            moved = moved + (size if up else -size) * np.sign(slope)
            lowest = low(x, epsilon) if callable(low) else low
            highest = high(x, epsilon) if callable(high) else high
            moved = tf.minimum(tf.maximum(moved, lowest), highest)
        return last(moved, x)

    return move


def lowest(x, epsilon):
    return tf.maximum(x - epsilon, 0)


def highest(x, epsilon):
    return tf.minimum(x + epsilon, 1)


def clips_behind_the_loop(logits_of, x, y, epsilon, size, steps):
    far = attack(0.0, 1.0)(logits_of, x, y, epsilon, size, steps)
    return np.clip(far, lowest(x, epsilon), highest(x, epsilon))


def asks_once(logits_of, x, y, epsilon, size, steps):
    step = size * tf.sign(gradient_at(lambda x: mean_loss(y, logits_of(x)), x))
    moved = x
    for _ in range(steps):
        moved = tf.clip_by_value(moved + step, lowest(x, epsilon), highest(x, epsilon))
    return moved


def renamed_only(logits_of, x, y, epsilon, size, steps):
    picture = x
    for _ in range(steps):
        slope = gradient_at(lambda x: mean_loss(y, logits_of(x)), picture)
        moved = picture + size * tf.sign(slope)
        picture = tf.clip_by_value(moved, lowest(picture, epsilon), highest(picture, epsilon))
    return picture


def starts_anew(logits_of, x, y, epsilon, size, steps):
    for _ in range(steps):
        picture = tf.identity(x)
        slope = gradient_at(lambda x: mean_loss(y, logits_of(x)), picture)
        picture = picture + size * tf.sign(slope)
        picture = tf.clip_by_value(picture, lowest(x, epsilon), highest(x, epsilon))
    return picture


def clip_without_a_name(logits_of, x, y, epsilon, size, steps):
    moved = x
    for _ in range(steps):
        slope = gradient_at(lambda x: mean_loss(y, logits_of(x)), moved)
        tf.clip_by_value(moved + size * tf.sign(slope), lowest(x, epsilon), highest(x, epsilon))
    return moved


RIGHT = {
    "15.1": [walked(middles), parts_by_differences, parts_in_a_graph],
    "15.2": [
        (3.92, 0.14),
        [np.float32(3.92), 0.14],
        [784 * 0.05 * 0.1, 28 * 0.05 * 0.1],
        np.array([3.92, 0.14]),
        tf.constant([3.92, 0.14]),
    ],
    "15.3": [
        toward(np.sign),
        tf.autograph.experimental.do_not_convert(toward(np.sign, by_probability)),
        toward_by_differences,
    ],
    "15.4": [attack(lowest, highest), held_change, limits_first],
}

WRONG = {
    "15.1": [
        ("returned None", lambda *given: None),
        ("raised ValueError", late_watch),
        ("slopes of the way from black", slopes_from_black),
        ("ends that are left", walked(lambda n: np.arange(n) / n)),
        ("ends that are right", walked(lambda n: np.arange(1, n + 1) / n)),
        ("points from end to end", walked(lambda n: np.linspace(0, 1, n))),
        ("times x", walked(middles, way=lambda x, starts: x)),
        ("starts summed", walked(middles, mean=np.sum)),
        ("mean start", walked(middles, starts_of=lambda s: s.mean(axis=0, keepdims=True))),
        ("other number of pieces", walked(lambda n: middles(20))),
    ],
    "15.2": [
        ("line 1: wrote 39.2", [39.2, 0.14]),
        ("line 1: wrote 3.9", [3.9, 0.14]),
        ("line 2: wrote 3.92", [3.92, 3.92]),
        ("line 2: wrote 0.08", [3.92, 0.08]),
        ("line 2: wrote 3.92", np.array([3.92, 3.92])),
        ("other form", np.array([[3.92, 0.14]])),
        ("other form", np.array(["3.92", "0.14"])),
    ],
    "15.3": [
        ("away from the target", toward(np.sign, up=True)),
        ("no sign", toward(lambda g: g * len(g))),
        ("no sign, and away", toward(lambda g: g, up=True)),
        ("divided by its norm", toward(lambda g: g / np.linalg.norm(g, axis=1)[:, None])),
        ("not clipped", toward(np.sign, limits=(-np.inf, np.inf))),
        ("clipped below alone", toward(np.sign, limits=(0, np.inf))),
        ("clipped above alone", toward(np.sign, limits=(-1, 1))),
        (
            "logit alone",
            toward(np.sign, lambda t, z: -tf.reduce_sum(tf.one_hot(t, z.shape[1]) * z)),
        ),
        ("nothing moved", lambda logits_of, x, target, epsilon: tf.clip_by_value(x, 0, 1)),
        ("nan at slope 0", toward(lambda g: tf.divide(g, np.abs(g)))),
    ],
    "15.4": [
        ("still around itself", renamed_only),
        ("no clip to the range", attack(lambda x, e: x - e, lambda x, e: x + e)),
        ("no clip at all", attack(-np.inf, np.inf)),
        ("clipped at the end", clips_behind_the_loop),
        ("slope of the original", asks_once),
        ("downwards", attack(lowest, highest, up=False)),
        ("change returned", attack(lowest, highest, last=lambda moved, x: moved - x)),
        ("first step alone", starts_anew),
        ("original returned", clip_without_a_name),
        ("one limit from the original", half_mended),
    ],
}

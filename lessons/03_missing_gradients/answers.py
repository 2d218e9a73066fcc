"""Answers to lesson 03: other right ones, and wrong ones that no list holds."""

import numpy as np
import tensorflow as tf
from keras.losses import (
    SparseCategoricalCrossentropy,
    sparse_categorical_crossentropy,
)


def new_variables(params, x, y, lr, steps):
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((params["w"] * x + params["b"] - y) ** 2)
        gradients = tape.gradient(loss, params)
        for name in params:
            params[name] = tf.Variable(params[name] - lr * gradients[name])
    return params


def watched_tensors(params, x, y, lr, steps):
    for _ in range(steps):
        with tf.GradientTape() as tape:
            tape.watch(params)
            loss = tf.reduce_mean(tf.square(y - params["w"] * x - params["b"]))
        gradients = tape.gradient(loss, params)
        params = {name: params[name] - lr * gradients[name] for name in params}
    return params


def descent_in_numpy(params, x, y, lr, steps):
    w, b = float(params["w"]), float(params["b"])
    for _ in range(steps):
        error = w * x.numpy() + b - y.numpy()
        w, b = w - lr * 2 * np.mean(error * x.numpy()), b - lr * 2 * np.mean(error)
    return {"b": float(b), "w": float(w)}


def classifier_by_hand(W, x, labels):
    p = tf.nn.softmax(x @ W).numpy()
    p[np.arange(len(p)), labels.numpy()] -= 1
    return x.numpy().T @ p / len(p)


def straight_inside(x):
    straight = x + tf.stop_gradient(quarters(x) - x)
    return tf.where(abs(x) <= 1, straight, tf.stop_gradient(quarters(x)))


def squares(d):
    return tf.reduce_sum(d**2, axis=1)


def guarded(d):
    safe = tf.where(squares(d) > 0, squares(d), 1.0)
    return tf.where(squares(d) > 0, tf.sqrt(safe), 0.0)


def apart(d):
    return tf.cast(squares(d) > 0, tf.float32)


def distance_by_hand(a, b):
    return tf.math.divide_no_nan(a - b, tf.norm(a - b, axis=1, keepdims=True))


def descent(update, names="wb", more=0, store=False, result=lambda params: params):
    def program(params, x, y, lr, steps):
        for _ in range(steps + more):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(params["w"] * x + params["b"] - y))
            gradients = tape.gradient(loss, params)
            for name in names:
                new = update(params[name], gradients[name], lr)
                if store:
                    params[name] = new
        return result(params)

    return program


def return_in_loop(params, x, y, lr, steps):
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((params["w"] * x + params["b"] - y) ** 2)
        for name, gradient in tape.gradient(loss, params).items():
            params[name].assign_sub(lr * gradient)
        return params


def minus(p, g, lr):
    return p.assign(p - lr * g)


def classifier(loss_of, ask=lambda tape, loss, logits, W: tape.gradient(loss, W)):
    def program(W, x, labels):
        with tf.GradientTape() as tape:
            logits = tf.matmul(x, W)
            loss = loss_of(logits, labels)
        return ask(tape, loss, logits, W)

    return program


def each_right(logits, labels, log_softmax=tf.nn.log_softmax):
    return tf.gather(log_softmax(logits), labels, batch_dims=1)


def cross_entropy(logits, labels):
    return -tf.reduce_mean(each_right(logits, labels))


def mean_log(probabilities):
    return -tf.reduce_mean(tf.math.log(probabilities))


def is_right(logits, labels):
    return tf.cast(tf.one_hot(labels, logits.shape[1]), tf.bool)


def quarters(x):
    return tf.round(x / 0.25) * 0.25


def inside(x, upstream):
    return upstream * tf.cast((x >= -1) & (x <= 1), tf.float32)


def own_gradient(value=quarters, backward=inside):
    return tf.custom_gradient(lambda x: (value(x), lambda upstream: backward(x, upstream)))


def straight_through(slope):  # the value is rounded, the gradient that of slope(x)
    return lambda x: slope(x) + tf.stop_gradient(quarters(x) - slope(x))


def clipped(x):
    return tf.clip_by_value(x, -1.0, 1.0)


def rooted(d, tiny=1e-36, axis=1):
    return tf.sqrt(tf.reduce_sum(tf.square(d), axis=axis) + tiny)


def gradient_of_total(tape, total, distances, a, b):
    return tape.gradient(total, a)


def distance(each=rooted, total=tf.reduce_sum, ask=gradient_of_total):
    def program(a, b):
        with tf.GradientTape() as tape:
            tape.watch(b)
            distances = each(a - b)
            target = total(distances)
        return ask(tape, target, distances, a, b)

    return program


RIGHT = {
    "03.1": [descent(minus), new_variables, watched_tensors, descent_in_numpy],
    "03.2": [
        ["None", 2, 0, 1, 2.25],
        (None, 2.0, 0.0, 1.0, 2.25),
        [None, tf.constant(2.0), np.float32(0), 1, 2.25],
    ],
    "03.3": [
        classifier(cross_entropy),
        classifier(lambda z, c: SparseCategoricalCrossentropy(from_logits=True)(c, z)),
        classifier(
            lambda z, c: (
                -tf.reduce_mean(
                    tf.reduce_sum(tf.one_hot(c, z.shape[1]) * tf.nn.log_softmax(z), axis=1)
                )
            )
        ),
        classifier(
            lambda z, c: tf.reduce_mean(
                tf.reduce_logsumexp(z, axis=1) - tf.gather(z, c, batch_dims=1)
            )
        ),
        classifier_by_hand,
    ],
    "03.4": [
        own_gradient(),
        own_gradient(lambda x: tf.constant(np.floor(4 * x + 0.5) / 4)),
        straight_through(clipped),
        straight_inside,
    ],
    "03.5": [
        distance(guarded),
        distance(lambda d: tf.sqrt(tf.maximum(squares(d), 1e-30))),
        # The rule of sqrt makes 0 of an upstream 0, and that of a power does not.
        distance(lambda d: tf.where(squares(d) > 0, tf.sqrt(squares(d)), 0.0)),
        distance(lambda d: tf.norm(tf.boolean_mask(d, squares(d) > 0), axis=1)),
        distance(lambda d: tf.abs(tf.complex(d[:, 0], d[:, 1]))),
        distance_by_hand,
    ],
}

WRONG = {
    "03.1": [
        ("only the first step", return_in_loop),
        ("nothing stored", descent(lambda p, g, lr: p - lr * g)),
        ("climbs", descent(lambda p, g, lr: p.assign(p + lr * g))),
        ("steps twice as long", descent(lambda p, g, lr: [minus(p, g, lr) for _ in range(2)])),
        ("one step missing", descent(minus, more=-1)),
        ("only w moves", descent(minus, names="w")),
        ("lost variable", descent(lambda p, g, lr: p.assign_sub(lr * g), store=True)),
        ("returned None", descent(minus, result=lambda params: None)),
        (
            "other form",
            descent(
                minus, result=lambda params: {name: [0.0, p.numpy()] for name, p in params.items()}
            ),
        ),
        ("raised AttributeError", descent(lambda p, g, lr: p.numpy() - lr * g.numpy(), store=True)),
    ],
    "03.2": [
        ("line 1: wrote 0", [0.0, 2.0, 0.0, 1.0, 2.25]),
        ("line 5: wrote 4.5", [None, 2.0, 0.0, 1.0, 4.5]),
        ("other form", [None, 2.0, 0.0, 1.0]),
    ],
    "03.3": [
        ("all classes", classifier(lambda z, c: -tf.reduce_mean(tf.math.log(tf.nn.softmax(z))))),
        ("no path", classifier(lambda z, c: 1 - tf.math.zero_fraction(tf.argmax(z, 1) - c))),
        (
            "zero for none",
            classifier(
                lambda z, c: 1 - tf.math.zero_fraction(tf.argmax(z, axis=1) - c),
                lambda t, loss, z, W: t.gradient(loss, W) or tf.zeros_like(W),
            ),
        ),
        (
            "gradient of the logits",
            classifier(cross_entropy, lambda t, loss, z, W: t.gradient(loss, z)),
        ),
        (
            "softmax over examples",
            classifier(
                lambda z, c: (
                    -tf.reduce_mean(each_right(z - tf.reduce_logsumexp(z, 0), c, tf.identity))
                )
            ),
        ),
        (
            "other form",
            classifier(each_right, lambda tape, losses, z, W: -tape.jacobian(losses, W)),
        ),
        ("raised AttributeError", classifier(lambda z, c: -np.mean(each_right(z, c)))),
        (
            "labels not one-hot",
            classifier(lambda z, c: tf.nn.softmax_cross_entropy_with_logits(labels=c, logits=z)),
        ),
        (
            "labels and logits exchanged",
            classifier(lambda z, c: sparse_categorical_crossentropy(z, c, from_logits=True)),
        ),
        (
            "log of the mean",
            classifier(lambda z, c: mean_log(tf.reduce_mean(tf.nn.softmax(z)[is_right(z, c)]))),
        ),
    ],
    "03.4": [
        ("other form", lambda x: tf.stack([quarters(entry) for entry in tf.reshape(x, [-1])])),
        ("not rounded", own_gradient(lambda x: x / 0.25 * 0.25)),
        (
            "other form",
            own_gradient(backward=lambda x, upstream: tf.boolean_mask(upstream, tf.abs(x) <= 1)),
        ),
        ("returned None", lambda x: None),
        ("not decorated", lambda x: (quarters(x), lambda upstream: inside(x, upstream))),
        ("inside and outside exchanged", straight_through(lambda x: x - clipped(x))),
        ("raised TypeError", tf.custom_gradient(lambda x: (lambda d: inside(x, d), quarters(x)))),
        ("no backward returned", tf.custom_gradient(quarters)),
        ("raised AttributeError", own_gradient(lambda x: (x * 4).round() / 4)),
        (
            "& before <=",
            own_gradient(backward=lambda x, d: d * tf.cast(-1 <= x & x <= 1, tf.float32)),
        ),
    ],
    "03.5": [
        ("no path", distance(lambda d: tf.constant(np.hypot(*d.numpy().T)))),
        ("other form", distance(ask=lambda tape, t, each, a, b: tape.jacobian(each, a))),
        ("not squared", distance(lambda d: tf.reduce_sum(d, axis=1) ** 0.5)),
        (
            "still not finite",
            distance(lambda d: tf.exp(0.5 * tf.math.log(tf.reduce_sum(tf.square(d), axis=1)))),
        ),
        (
            "zero for every pair",
            distance(
                lambda d: rooted(tf.stop_gradient(d)),
                ask=lambda tape, t, each, a, b: tape.gradient(t, a, unconnected_gradients="zero"),
            ),
        ),
        ("one root for all", distance(lambda d: rooted(d, axis=None))),
        ("near points lost", distance(lambda d: rooted(d, tiny=1e-8))),
        (
            "one coordinate looked at",
            distance(lambda d: guarded(tf.where(d[:, :1] == 0, tf.zeros_like(d), d))),
        ),
        ("distances changed", distance(lambda d: tf.sqrt(squares(d) + (1 - apart(d))))),
        ("raised AttributeError", distance(total=lambda each: sum(each.numpy().tolist()))),
    ],
}

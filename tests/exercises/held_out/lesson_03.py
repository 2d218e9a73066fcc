"""Wrong answers to lesson 03, held out: no gallery holds them. By exercise and mistake."""

import numpy as np
import tensorflow as tf
from keras.losses import CategoricalCrossentropy, SparseCategoricalCrossentropy


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


def first_gradient_kept(params, x, y, lr, steps):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((params["w"] * x + params["b"] - y) ** 2)
    dw, db = tape.gradient(loss, [params["w"], params["b"]])
    for _ in range(steps):
        params["w"].assign_sub(lr * dw)
        params["b"].assign_sub(lr * db)
    return params


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


def is_right(logits, labels):
    return tf.cast(tf.one_hot(labels, logits.shape[1]), tf.bool)


def quarters(x):
    return tf.round(x / 0.25) * 0.25


def inside(x, arriving):
    return arriving * tf.cast((x >= -1) & (x <= 1), tf.float32)


def own_gradient(value=quarters, backward=inside):
    return tf.custom_gradient(lambda x: (value(x), lambda arriving: backward(x, arriving)))


def straight_through(slope):  # the value is rounded, the gradient that of slope(x)
    return lambda x: slope(x) + tf.stop_gradient(quarters(x) - slope(x))


def clipped(x):
    return tf.clip_by_value(x, -1.0, 1.0)


def rooted(d, tiny=1e-12, axis=1):
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


WRONG = {
    "03.1": {
        "only first step": return_in_loop,
        "never stored": descent(lambda p, g, lr: p - lr * g),
        "climbs uphill": descent(lambda p, g, lr: p.assign(p + lr * g)),
        "minus step stored": descent(lambda p, g, lr: p.assign(tf.negative(lr * g))),
        "step stored": descent(lambda p, g, lr: p.assign(tf.multiply(lr, g))),
        "steps too long": descent(lambda p, g, lr: p.assign(p - g)),
        "steps twice as long": descent(lambda p, g, lr: [minus(p, g, lr) for _ in range(2)]),
        "one step more": descent(minus, more=1),
        "one step fewer": descent(minus, more=-1),
        "first gradient kept": first_gradient_kept,
        "b stays": descent(minus, names="w"),
        "w stays": descent(minus, names="b"),
        "lr ignored": descent(lambda p, g, lr: p.assign_sub(g / 10)),
        "returns none": descent(minus, result=lambda params: None),
        "key added": descent(minus, result=lambda params: {**params, "done": True}),
        "history under names": descent(
            minus, result=lambda params: {name: [p.numpy()] for name, p in params.items()}
        ),
        "variable overwritten": descent(lambda p, g, lr: tf.subtract(p, lr * g), store=True),
        "numpy parameters": descent(lambda p, g, lr: p.numpy() - lr * g.numpy(), store=True),
    },
    "03.3": {
        "still counts": classifier(lambda z, c: 1 - tf.math.zero_fraction(tf.argmax(z, 1) - c)),
        "zeros for none": classifier(
            lambda z, c: 1 - tf.math.zero_fraction(tf.argmax(z, axis=1) - c),
            lambda t, loss, z, W: t.gradient(loss, W) or tf.zeros_like(W),
        ),
        "source is logits": classifier(cross_entropy, lambda t, loss, z, W: t.gradient(loss, z)),
        "returns weights": classifier(cross_entropy, lambda t, loss, z, W: W.numpy()),
        "returns loss": classifier(cross_entropy, lambda t, loss, z, W: loss),
        "losses summed": classifier(
            lambda z, c: SparseCategoricalCrossentropy(from_logits=True, reduction="sum")(c, z)
        ),
        "minus forgotten": classifier(lambda z, c: tf.reduce_mean(each_right(z, c))),
        "softmax twice": classifier(
            lambda z, c: SparseCategoricalCrossentropy(from_logits=True)(c, tf.nn.softmax(z))
        ),
        "logits as probabilities": classifier(
            lambda z, c: CategoricalCrossentropy()(is_right(z, c), z)
        ),
        "own guesses": classifier(
            lambda z, c: -tf.reduce_mean(tf.reduce_max(tf.nn.log_softmax(z), 1))
        ),
        "log forgotten": classifier(lambda z, c: tf.reduce_sum(1 - tf.exp(each_right(z, c)))),
        "mean over classes": classifier(
            lambda z, c: tf.reduce_mean(tf.where(is_right(z, c), -tf.nn.log_softmax(z), 0.0))
        ),
        "softmax over examples": classifier(
            lambda z, c: -tf.reduce_mean(each_right(z - tf.reduce_logsumexp(z, 0), c, tf.identity))
        ),
        "table for each example": classifier(
            each_right, lambda tape, losses, z, W: -tape.jacobian(losses, W)
        ),
        "loss from numpy": classifier(lambda z, c: -np.mean(each_right(z, c))),
        "labels not encoded": classifier(
            lambda z, c: tf.nn.softmax_cross_entropy_with_logits(labels=c, logits=z)
        ),
    },
    "03.4": {
        "shape lost": lambda x: tf.stack([quarters(entry) for entry in tf.reshape(x, [-1])]),
        "not rounded": own_gradient(lambda x: x / 0.25 * 0.25),
        "whole numbers": own_gradient(tf.round),
        "not divided": own_gradient(lambda x: tf.round(x / 0.25)),
        "rounded down": lambda x: x - x % 0.25,
        "values clipped": own_gradient(lambda x: quarters(clipped(x))),
        "multiples of four": own_gradient(lambda x: tf.round(x * 0.25) / 0.25),
        "no path": lambda x: tf.math.rint(x * 4) * 0.25,
        "gradient of other shape": own_gradient(
            backward=lambda x, arriving: tf.boolean_mask(arriving, tf.abs(x) <= 1)
        ),
        "returns none": lambda x: None,
        "decorator forgotten": lambda x: (quarters(x), lambda arriving: inside(x, arriving)),
        "function not called": lambda x: own_gradient(),
        "returns numpy": lambda x: np.round(x / 0.25) * 0.25,
        "passes on everywhere": own_gradient(
            backward=lambda x, d: tf.where((x >= -1) | (x <= 1), d, 0.0)
        ),
        "arriving dropped": own_gradient(backward=lambda x, arriving: inside(x, 1.0)),
        "one everywhere": own_gradient(backward=lambda x, arriving: x * 0 + 1),
        "inside out": straight_through(lambda x: x - clipped(x)),
        "rounded value decides": own_gradient(backward=lambda x, d: inside(quarters(x), d)),
        "arriving clipped": own_gradient(backward=lambda x, arriving: clipped(arriving)),
        "open below": straight_through(lambda x: tf.where(x > 1, 1.0, x)),
        "open above": straight_through(lambda x: tf.where(x < -1, -1.0, x)),
        "ends left out": own_gradient(backward=lambda x, d: tf.where(x**2 < 1, d, 0 * d)),
        "gradient four times": straight_through(lambda x: clipped(x) * 4),
        "gradient a quarter": straight_through(lambda x: clipped(x) * 0.25),
        "zero everywhere": straight_through(lambda x: 0 * x),
        "backward first": tf.custom_gradient(lambda x: (lambda d: inside(x, d), quarters(x))),
        "value without backward": tf.custom_gradient(quarters),
        "if for where": own_gradient(backward=lambda x, d: d if abs(x) <= 1 else 0.0),
        "method of numpy": own_gradient(lambda x: (x * 4).round() / 4),
    },
    "03.5": {
        "left tensorflow": distance(lambda d: tf.constant(np.hypot(*d.numpy().T))),
        "table of distances": distance(ask=lambda tape, t, each, a, b: tape.jacobian(each, a)),
        "squares forgotten": distance(lambda d: tf.sqrt(tf.reduce_sum(d, axis=1) + 1e-12)),
        "still infinite": distance(
            lambda d: tf.exp(0.5 * tf.math.log(tf.reduce_sum(tf.square(d), axis=1)))
        ),
        "zero everywhere": distance(
            lambda d: rooted(tf.stop_gradient(d)),
            ask=lambda tape, t, each, a, b: tape.gradient(t, a, unconnected_gradients="zero"),
        ),
        "one pair empties all": distance(
            lambda d: rooted(d) if tf.reduce_all(rooted(d) > 1e-5) else 0 * rooted(d)
        ),
        "root forgotten": distance(lambda d: rooted(d) ** 2),
        "distances averaged": distance(total=lambda each: tf.reduce_sum(each) / len(each)),
        "gradient of b": distance(ask=lambda tape, total, each, a, b: tape.gradient(total, b)),
        "one root": distance(lambda d: rooted(d, axis=None)),
        "down the columns": distance(lambda d: rooted(d, axis=0)),
        "absolute differences": distance(lambda d: tf.norm(d, ord=1, axis=1)),
        "added to differences": distance(lambda d: tf.norm(d + 1e-6, axis=1)),
        "near points dropped": distance(lambda d: tf.maximum(rooted(d), 0.05)),
        "added number too large": distance(lambda d: rooted(d, tiny=1e-3)),
        "total not a tensor": distance(total=lambda distances: sum(distances.numpy().tolist())),
    },
}

"""Wrong answers to lesson 08, held out: no gallery holds them. By exercise and mistake."""

import numpy as np
import tensorflow as tf


def cooling(
    move=lambda p, g, lr: p - lr * g, average=tf.reduce_mean, sign=-1, read=tf.identity, often=True
):
    def one_step(a, k, x, y, lr):
        with tf.GradientTape(persistent=often) as tape:
            tape.watch([a, k])
            loss = average(tf.square(y - tf.exp(sign * x * read(k)) * read(a)))
        return [move(p, tape.gradient(loss, p), lr) for p in (a, k)]

    return one_step


def cooling_in_turn(a, k, x, y, lr):
    a = cooling()(a, k, x, y, lr)[0]
    return a, cooling()(a, k, x, y, lr)[1]


def mean_square(errors):
    return tf.reduce_mean(tf.square(errors))


def moved(variable, change):
    return tf.Variable(variable - change)


def line(loss=mean_square, update=moved, parts=((1.0, 1.0),), below=None, early=False):
    """Return a fit with w and b in one variable, of which a step moves the parts in turn."""

    def fit_line(x, y, lr, steps):
        p = tf.Variable([0.0, 0.0])
        while steps > 0:
            for part in parts:
                with tf.GradientTape() as tape:
                    value = loss(p[0] * x + p[1] - y)
                value = below(value) if below else value
                p = update(p, tape.gradient(value, p) * lr * part)
            if early:
                return p
            steps -= 1
        return p

    return fit_line


def scaled(v, x):
    return (v - np.mean(x)) / np.std(x)


def columns(z):
    return tf.stack([z**0, z, z**2], 1)


def parabola(
    old=scaled, new=scaled, n=3, steps=250, gap=lambda v, y: v[:, 0] - y, move=moved, end=tf.matmul
):
    """Return a fit of n coefficients, where ``old`` and ``new`` prepare x and x_new."""

    def fit_and_predict(x, y, x_new):
        c = tf.Variable(tf.zeros((n, 1)))
        for _ in range(steps):
            with tf.GradientTape() as tape:
                loss = mean_square(gap(columns(old(x, x))[:, :n] @ c, y))
            c = move(c, 0.15 * tape.gradient(loss, c))
        return end(columns(new(x_new, x))[:, :n], c)

    return fit_and_predict


def nothing(*arguments):
    tf.nest.map_structure(tf.square, arguments)


WRONG = {
    "08.1": {
        "returns none": nothing,
        "never moves": cooling(lambda p, g, lr: (p - lr * g, p)[1]),
        "gradients returned": cooling(lambda p, g, lr: g),
        "changes returned": cooling(lambda p, g, lr: tf.multiply(g, lr)),
        "climbs": cooling(lambda p, g, lr: p.assign_add(lr * g)),
        "step size missing": cooling(lambda p, g, lr: p.assign(p - g)),
        "step size twice": cooling(lambda p, g, lr: p.assign_sub(lr * (lr * g))),
        "fixed step size": cooling(lambda p, g, lr: p.assign_sub(g / 1000)),
        "steps too long": cooling(average=tf.reduce_sum),
        "steps half": cooling(average=lambda squares: 0.5 * tf.reduce_mean(squares)),
        "results swapped": lambda *arguments: cooling()(*arguments)[::-1],
        "one after another": cooling_in_turn,
        "curve rises": cooling(sign=1),
        "a stays": lambda a, *others: (a.numpy(), cooling()(a, *others)[1]),
        "k stays": lambda a, k, *others: [cooling()(a, k, *others)[0], k],
        "numbers in tape": cooling(read=float),
        "tape asked twice": cooling(often=False),
    },
    "08.3": {
        "returns none": nothing,
        "errors added up": line(lambda e: tf.tensordot(e, e, 1)),
        "climbs": line(update=lambda p, change: tf.Variable(p + change)),
        "step size twice": lambda x, y, lr, steps: line()(x, y, lr * lr, steps),
        "step size missing": lambda x, y, lr, steps: line()(x, y, 1.0, steps),
        "divided by 200": line(lambda e: tf.reduce_sum(e**2 / 200)),
        "divided by 5": line(lambda e: 0.2 * tf.reduce_sum(e**2)),
        "divided twice": line(lambda e: tf.reduce_mean(e**2 / len(e))),
        "steps half": line(lambda e: tf.nn.l2_loss(e) / len(e)),
        "one step only": line(early=True),
        "never moves": line(update=lambda p, change: p),
        "results swapped": lambda *arguments: tf.reverse(line()(*arguments), [0]),
        "one after another": line(parts=((1.0, 0.0), (0.0, 1.0))),
        "averaged before squaring": line(lambda e: tf.square(tf.reduce_mean(e))),
        "absolute errors": line(lambda e: tf.norm(e, ord=1) / len(e)),
        "closed form": lambda x, y, *_: tf.linalg.lstsq(columns(x)[:, 1::-1], y[:, None])[:, 0],
        "variables become tensors": line(update=tf.subtract),
        "mean outside tape": line(tf.square, below=tf.reduce_mean),
    },
    "08.4": {
        "returns none": nothing,
        "coefficients returned": parabola(end=lambda table, c: tf.unstack(c[:, 0])),
        "values at x": parabola(new=lambda x_new, x: scaled(x, x)),
        "no tape": lambda x, y, x_new: (
            columns(scaled(x_new, x))
            @ tf.linalg.lstsq(columns(scaled(x, x)), y[:, None], fast=False)
        ),
        "loop explodes": parabola(old=lambda v, x: v, new=lambda v, x: v),
        "new standardised alone": parabola(new=lambda x_new, x: scaled(x_new, x_new)),
        "new not standardised": parabola(new=lambda x_new, x: x_new),
        "straight line": parabola(n=2),
        "table n by n": parabola(gap=tf.subtract),
        "never moves": parabola(move=lambda c, change: c),
        "centred not scaled": parabola(*[lambda v, x: v - np.mean(x)] * 2),
        "too few steps": parabola(steps=8),
        "numpy in graph": tf.function(parabola(move=lambda c, change: c.assign_sub(change))),
        "methods of numpy": parabola(old=lambda v, x: (v - x.mean()) / x.std()),
    },
}

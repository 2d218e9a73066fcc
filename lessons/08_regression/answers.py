"""Other right answers to lesson 08, and wrong ones that no list holds."""

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


def cooling_by_hand(a, k, x, y, lr):
    a, k, x, y = (np.asarray(value, float) for value in (a, k, x, y))
    decay = np.exp(-k * x)
    error = a * decay - y
    return np.array(
        [a - lr * 2 * np.mean(error * decay), k + lr * 2 * np.mean(error * a * x * decay)]
    )


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


def line_with_a_mean(of_x=tf.identity, of_prediction=tf.identity, average=tf.reduce_mean):
    """Return a fit in which x or the prediction is averaged."""

    def fit_line(x, y, lr, steps):
        p = tf.Variable([0.0, 0.0])
        for _ in range(steps):
            with tf.GradientTape() as tape:
                loss = average((of_prediction(p[0] * of_x(x) + p[1]) - y) ** 2)
            p.assign_sub(lr * tape.gradient(loss, p))
        return p

    return fit_line


def line_until(is_enough):
    """Return a fit that leaves its loop where ``is_enough(loss, loss before)``."""

    def fit_line(x, y, lr, steps):
        w, b, before = tf.Variable(0.0), tf.Variable(0.0), np.inf
        for _ in range(steps):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((w * x + b - y) ** 2)
            if is_enough(float(loss), before):
                break
            before = float(loss)
            dw, db = tape.gradient(loss, [w, b])
            w.assign_sub(lr * dw)
            b.assign_sub(lr * db)
        return w, b

    return fit_line


def line_in_graph(x, y, lr, steps):
    w, b = tf.Variable(0.0), tf.Variable(0.0)

    @tf.function
    def run():
        for _ in tf.range(steps):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(y - w * x - b))
            dw, db = tape.gradient(loss, [w, b])
            w.assign_sub(lr * dw)
            b.assign_sub(lr * db)

    run()
    return float(w), float(b)


def line_in_numpy(x, y, lr, steps):
    x, y, p = x.numpy(), y.numpy(), np.zeros(2)
    for _ in range(steps):
        error = p[0] * x + p[1] - y
        p -= lr * 2 * np.array([np.mean(error * x), np.mean(error)])
    return p


def scaled(v, x):
    return (v - np.mean(x)) / np.std(x)


def columns(z):
    return tf.stack([z**0, z, z**2], 1)


def parabola(old=scaled, new=scaled, move=moved, end=tf.matmul):
    """Return a fit of three coefficients, where ``old`` and ``new`` prepare x and x_new."""

    def fit_and_predict(x, y, x_new):
        c, table = tf.Variable(tf.zeros((3, 1))), columns(old(x, x))
        for _ in range(150):
            with tf.GradientTape() as tape:
                loss = mean_square((table @ c)[:, 0] - y)
            c = move(c, 0.15 * tape.gradient(loss, c))
        return end(columns(new(x_new, x)), c)

    return fit_and_predict


def parabola_in_graph(x, y, x_new):
    mean, deviation = tf.nn.moments(x, axes=[0])[0], tf.math.reduce_std(x)
    theta = tf.Variable(tf.zeros((3, 1)))

    @tf.function
    def run():
        for _ in tf.range(400):
            with tf.GradientTape() as tape:
                loss = mean_square(columns((x - mean) / deviation) @ theta - y[:, None])
            theta.assign_sub(0.1 * tape.gradient(loss, theta))

    run()
    return list((columns((x_new - mean) / deviation) @ theta)[:, 0].numpy())


coefficients = tf.Variable(tf.zeros(3))


@tf.function
def move_coefficients(z, y):
    for _ in tf.range(400):
        with tf.GradientTape() as tape:
            loss = mean_square(tf.linalg.matvec(columns(z), coefficients) - y)
        coefficients.assign_sub(0.1 * tape.gradient(loss, coefficients))


def parabola_in_one_graph_for_all(x, y, x_new):
    coefficients.assign(tf.zeros(3))
    target = (y - tf.reduce_mean(y)) / tf.math.reduce_std(y)
    move_coefficients(scaled(x, x), target)
    values = tf.linalg.matvec(columns(scaled(x_new, x)), coefficients)
    return values * tf.math.reduce_std(y) + tf.reduce_mean(y)


def parabola_until_it_stands_still(x, y, x_new):
    a, b, c = (tf.Variable(0.0) for _ in range(3))
    z, slope = scaled(x, x), np.inf
    while slope > 1e-4:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((a * z**2 + b * z + c - y) ** 2)
        gradients = tape.gradient(loss, [a, b, c])
        slope = max(abs(g.numpy()) for g in gradients)
        for variable, gradient in zip([a, b, c], gradients, strict=True):
            variable.assign_sub(0.15 * gradient)
    return a * scaled(x_new, x) ** 2 + b * scaled(x_new, x) + c


def parabola_by_algebra(x, y, x_new):
    table = columns(scaled(x, x))
    return columns(scaled(x_new, x)) @ tf.linalg.lstsq(table, y[:, None], fast=False)


def parabola_beside_a_tape(x, y, x_new):
    c = tf.Variable([0.0, 0.0, 0.0])
    for _ in range(10):
        with tf.GradientTape() as tape:
            loss = mean_square(tf.linalg.matvec(columns(scaled(x, x)), c) - y)
        c.assign_sub(0.1 * tape.gradient(loss, c))
    return np.polyval(np.polyfit(scaled(x, x), y, 2), scaled(x_new, x))


def nothing(*arguments):
    tf.nest.map_structure(tf.square, arguments)


RIGHT = {
    "08.1": [cooling(), cooling(lambda p, g, lr: (p - lr * g).numpy()), cooling_by_hand],
    "08.2": [0.2, 1 / 5, np.float32(0.2), tf.constant(0.2)],
    "08.3": [
        line(),
        line(lambda e: tf.reduce_sum(e**2) / tf.cast(tf.size(e), tf.float32)),
        lambda x, y, lr, steps: line(lambda e: tf.reduce_sum(e**2))(x, y, lr / len(x), steps),
        line_in_graph,
        line_in_numpy,
    ],
    "08.4": [
        parabola(),
        parabola_in_graph,
        parabola_in_one_graph_for_all,
        parabola_until_it_stands_still,
    ],
}

# Without what the statement demands, and with the same values.
ORACLES = {"08.4": [parabola_by_algebra]}


WRONG = {
    "08.2": [("wrote 0.3", 0.3), ("wrote 0.25", 0.25), ("other form", "0.2")],
    "08.1": [
        ("returned None", nothing),
        ("never moves", cooling(lambda p, g, lr: (p - lr * g, p)[1])),
        ("gradients returned", cooling(lambda p, g, lr: g)),
        ("changes returned", cooling(lambda p, g, lr: tf.multiply(g, lr))),
        ("climbs", cooling(lambda p, g, lr: p.assign_add(lr * g))),
        ("step size missing", cooling(lambda p, g, lr: p.assign(p - g))),
        ("steps too long", cooling(average=tf.reduce_sum)),
        ("curve rises", cooling(sign=1)),
        ("raised TypeError", cooling(read=float)),
        ("raised RuntimeError", cooling(often=False)),
    ],
    "08.3": [
        ("returned None", nothing),
        ("climbs", line(update=lambda p, change: tf.Variable(p + change))),
        ("one step only", line(early=True)),
        ("one after another", line(parts=((1.0, 0.0), (0.0, 1.0)))),
        ("averaged before squaring", line_with_a_mean(of_x=tf.reduce_mean)),
        (
            "averaged before squaring, added up",
            line_with_a_mean(of_prediction=tf.reduce_mean, average=tf.reduce_sum),
        ),
        ("closed form", lambda x, y, *_: tf.linalg.lstsq(columns(x)[:, 1::-1], y[:, None])[:, 0]),
        ("x standardised", lambda x, *others: line()(scaled(x, x), *others)),
        ("stops early", line_until(lambda loss, _: loss < 1e-2)),
        ("raised TypeError", line(tf.square, below=tf.reduce_mean)),
    ],
    "08.4": [
        ("returned None", nothing),
        ("coefficients returned", parabola(end=lambda table, c: tf.unstack(c[:, 0]))),
        ("tape beside the fit", parabola_beside_a_tape),
        ("loop explodes", parabola(old=lambda v, x: v, new=lambda v, x: v)),
        ("term missing", parabola(move=lambda c, change: moved(c, change * [[0.0], [1.0], [1.0]]))),
        (
            "does not arrive",
            parabola(new=lambda x_new, x: scaled(np.clip(x_new, min(x), max(x)), x)),
        ),
        ("raised NotImplementedError", lambda *call: tf.function(parabola())(*call)),
        ("raised AttributeError", parabola(old=lambda v, x: (v - x.mean()) / x.std())),
    ],
}

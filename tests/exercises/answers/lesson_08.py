"""Other right answers to lesson 08, and wrong ones that no gallery holds."""

import keras
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


def cooling_ten_times(a, k, x, y, lr):
    for _ in range(10):
        a, k = cooling()(a, k, x, y, lr)
    return a, k


def cooling_unsquared(a, k, x, y, lr):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(a * tf.exp(-k * x) - y**2)
    da, dk = tape.gradient(loss, [a, k])
    return a - lr * da, k - lr * dk


def cooling_of_no_exponent(a, k, x, y, lr):
    with tf.GradientTape() as tape:
        loss = mean_square(a * x / tf.exp(k) - y)
    da, dk = tape.gradient(loss, [a, k])
    return a.assign_sub(lr * da), k.assign_sub(lr * dk)


def cooling_by_adam(a, k, x, y, lr):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((a * tf.exp(-k * x) - y) ** 2)
    keras.optimizers.Adam(lr).apply(tape.gradient(loss, [a, k]), [a, k])
    return a, k


def straight_cooling(a, k, x, y, lr):
    with tf.GradientTape() as tape:
        loss = mean_square(k + a * x - y)
    da, dk = tape.gradient(loss, [a, k])
    return a.assign_sub(lr * da), k.assign_sub(lr * dk)


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


def line_of_short_steps(x, y, lr, steps):
    def update(p, change):
        p.assign_sub(lr * tf.clip_by_norm(change / lr, 1.0))
        return p

    return line(lambda error: tf.tensordot(error, error, 1), update)(x, y, lr, steps)


def line_of_steps_of_length_lr(x, y, lr, steps):
    def update(p, change):
        p.assign_sub(lr * tf.math.l2_normalize(change))
        return p

    return line(update=update)(x, y, lr, steps)


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


def line_with_two_sizes(x, y, lr, steps):
    return line(lambda e: tf.reduce_sum(e**2), parts=((1 / len(x), 1.0),))(x, y, lr, steps)


def line_with_b_after_the_loop(x, y, lr, steps):
    w = b = 0.0
    for _ in range(steps):
        error = w * x.numpy() + b - y.numpy()
        w -= lr * 2 * np.mean(error * x)
    return w, b - lr * 2 * np.mean(error)


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


def parabola(
    old=scaled, new=scaled, n=3, steps=150, gap=lambda v, y: v[:, 0] - y, move=moved, end=tf.matmul
):
    """Return a fit of n coefficients, where ``old`` and ``new`` prepare x and x_new."""

    def fit_and_predict(x, y, x_new):
        c, table = tf.Variable(tf.zeros((n, 1))), columns(old(x, x))[:, :n]
        for _ in range(steps):
            with tf.GradientTape() as tape:
                loss = mean_square(gap(table @ c, y))
            c = move(c, 0.15 * tape.gradient(loss, c))
        return end(columns(new(x_new, x))[:, :n], c)

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


def line_made_anew(x, y, lr, steps):
    for _ in range(steps):
        w, b = tf.Variable(0.0), tf.Variable(0.0)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((w * x + b - y) ** 2)
        for variable, gradient in zip([w, b], tape.gradient(loss, [w, b]), strict=True):
            variable.assign_sub(lr * gradient)
    return w, b


WRONG = {
    "08.2": [("wrote 0.3", 0.3), ("wrote 0.25", 0.25), ("other form", "0.2")],
    "08.1": [
        ("returned None", nothing),
        ("never moves", cooling(lambda p, g, lr: (p - lr * g, p)[1])),
        ("gradients returned", cooling(lambda p, g, lr: g)),
        ("changes returned", cooling(lambda p, g, lr: tf.multiply(g, lr))),
        ("climbs", cooling(lambda p, g, lr: p.assign_add(lr * g))),
        ("step size missing", cooling(lambda p, g, lr: p.assign(p - g))),
        ("step size twice", cooling(lambda p, g, lr: p.assign_sub(lr * (lr * g)))),
        ("fixed step size", cooling(lambda p, g, lr: p.assign_sub(g / 1000))),
        ("steps too long", cooling(average=tf.reduce_sum)),
        ("steps half", cooling(average=lambda squares: 0.5 * tf.reduce_mean(squares))),
        ("steps too short", lambda a, k, x, y, lr: cooling()(a, k, x, y, lr / len(x))),
        ("many steps", cooling_ten_times),
        ("square missing", cooling_unsquared),
        ("x outside the exponent", cooling_of_no_exponent),
        ("steps doubled", cooling(lambda p, g, lr: p.assign_sub(lr * g) - lr * g)),
        ("straight line", straight_cooling),
        ("adam", cooling_by_adam),
        ("results swapped", lambda *arguments: cooling()(*arguments)[::-1]),
        ("a before k", cooling_in_turn),
        ("curve rises", cooling(sign=1)),
        ("a stays", lambda a, *others: (a.numpy(), cooling()(a, *others)[1])),
        ("k stays", lambda a, k, *others: [cooling()(a, k, *others)[0], k]),
        ("raised TypeError", cooling(read=float)),
        ("raised RuntimeError", cooling(often=False)),
    ],
    "08.3": [
        ("returned None", nothing),
        ("one step only", line_made_anew),
        ("errors added up", line(lambda e: tf.tensordot(e, e, 1))),
        ("climbs", line(update=lambda p, change: tf.Variable(p + change))),
        ("step size twice", lambda x, y, lr, steps: line()(x, y, lr * lr, steps)),
        ("step size missing", lambda x, y, lr, steps: line()(x, y, 1.0, steps)),
        ("divided by a fixed number", line(lambda e: tf.reduce_sum(e**2 / 200))),
        ("divided by a fixed number", line(lambda e: 0.2 * tf.reduce_sum(e**2))),
        ("divided twice", line(lambda e: tf.reduce_mean(e**2 / len(e)))),
        ("steps half", line(lambda e: tf.nn.l2_loss(e) / len(e))),
        ("one step only", line(early=True)),
        ("never moves", line(update=lambda p, change: p)),
        ("results swapped", lambda *arguments: tf.reverse(line()(*arguments), [0])),
        ("one after another", line(parts=((1.0, 0.0), (0.0, 1.0)))),
        ("averaged before squaring", line(lambda e: tf.square(tf.reduce_mean(e)))),
        ("averaged before squaring", line_with_a_mean(of_x=tf.reduce_mean)),
        (
            "averaged before squaring, added up",
            line_with_a_mean(of_prediction=tf.reduce_mean, average=tf.reduce_sum),
        ),
        ("of length lr", line_of_steps_of_length_lr),
        ("divided by steps", lambda x, y, lr, n: line(lambda e: e**2 / n)(x, y, lr, n)),
        ("one gradient divided", line_with_two_sizes),
        ("b moves last", line_with_b_after_the_loop),
        ("absolute errors", line(lambda e: tf.norm(e, ord=1) / len(e))),
        ("closed form", lambda x, y, *_: tf.linalg.lstsq(columns(x)[:, 1::-1], y[:, None])[:, 0]),
        ("root of the mean", line(lambda e: tf.norm(e) / len(e) ** 0.5)),
        ("table n by n", lambda x, y, *others: line()(x, tf.reshape(y, (-1, 1)), *others)),
        ("x standardised", lambda x, *others: line()(scaled(x, x), *others)),
        ("stops early", line_until(lambda loss, _: loss < 1e-2)),
        ("stops early", line_until(lambda loss, before: before - loss < 1e-3)),
        ("clipped", line_of_short_steps),
        ("raised TypeError", line(update=tf.subtract)),
        ("raised TypeError", line(tf.square, below=tf.reduce_mean)),
    ],
    "08.4": [
        ("returned None", nothing),
        ("coefficients returned", parabola(end=lambda table, c: tf.unstack(c[:, 0]))),
        ("values at x", parabola(new=lambda x_new, x: scaled(x, x))),
        ("no tape", parabola_by_algebra),
        ("tape beside the fit", parabola_beside_a_tape),
        ("loop explodes", parabola(old=lambda v, x: v, new=lambda v, x: v)),
        ("new standardised otherwise", parabola(new=lambda x_new, x: scaled(x_new, x_new))),
        ("new standardised otherwise", parabola(new=lambda x_new, x: x_new - np.mean(x))),
        ("new not standardised", parabola(new=lambda x_new, x: x_new)),
        ("straight line", parabola(n=2)),
        ("table n by n", parabola(gap=tf.subtract)),
        ("never moves", parabola(move=lambda c, change: c)),
        ("arrives in the first case only", parabola(*[lambda v, x: v - np.mean(x)] * 2)),
        ("loop explodes", parabola(gap=lambda v, y: len(y) ** 0.5 * (v[:, 0] - y))),
        ("does not arrive", parabola(steps=8)),
        ("one step", parabola(steps=1)),
        ("term missing", parabola(move=lambda c, change: moved(c, change * [[0.0], [1.0], [1.0]]))),
        (
            "does not arrive",
            parabola(new=lambda x_new, x: scaled(np.clip(x_new, min(x), max(x)), x)),
        ),
        ("raised NotImplementedError", lambda *call: tf.function(parabola())(*call)),
        ("raised AttributeError", parabola(old=lambda v, x: (v - x.mean()) / x.std())),
    ],
}

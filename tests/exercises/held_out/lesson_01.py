"""Wrong answers to lesson 01's exercises, held out: no gallery holds them.

By exercise and mistake.
"""

import tensorflow as tf


def _slope(formula, answer=lambda tape, y, x: float(tape.gradient(y, x))):
    def slope(x):
        x = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = formula(x)
        return answer(tape, y, x)

    return slope


def _nothing_watched(x):
    x = tf.Variable(x, trainable=False)
    with tf.GradientTape() as tape:
        y = x**3 - 2 * x
    return tape.gradient(y, x)


def _zero_for_none(x):
    x = tf.Variable(x)
    y = tf.pow(x, 3) - 2 * x
    with tf.GradientTape() as tape:
        tape.watch(x)
    gradient = tape.gradient(y, x)
    return 0.0 if gradient is None else gradient


def _tape_used_twice(x):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = x**3 - 2 * x
    print(tape.gradient(y, x))
    return tape.gradient(y, x)


def _gradients(loss_of, answer=lambda tape, loss, params: tape.gradient(loss, params)):
    def loss_gradients(params, x, y):
        with tf.GradientTape() as tape:
            error = y - tf.add(tf.matmul(x, params["W"]), params["b"])
            loss = loss_of(error)
        return answer(tape, loss, params)

    return loss_gradients


def _answers(answer):
    return _gradients(lambda error: tf.reduce_mean(tf.square(error)), answer)


def _b_read_out(params, x, y):
    b = float(params["b"])
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(x @ params["W"] + b - y))
    return tape.gradient(loss, params)


def _w_flattened(tape, loss, params):
    dW, db = tape.gradient(loss, [params["W"], params["b"]])
    return {"W": tf.squeeze(dW), "b": db}


def _table(params, x, y):
    with tf.GradientTape() as tape:
        y_hat = tf.linalg.matvec(x, params["W"][:, 0]) + params["b"]
        loss = tf.reduce_mean(tf.math.squared_difference(y_hat, y))
    return tape.gradient(loss, params)


def _elementwise(params, x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x * params["W"] + params["b"] - y) ** 2)
    return tape.gradient(loss, params)


def _of_w(answer, read=lambda w: w, reduce=tf.reduce_mean):
    def gradient_of_w(w, x, y):
        with tf.GradientTape() as tape:
            y_hat = tf.multiply(x, read(w))
            loss = reduce(tf.square(y - y_hat))
        return answer(tape, loss, w, y_hat)

    return gradient_of_w


WRONG = {
    "01.1": {
        "returns none": _nothing_watched,
        "returns y": _slope(lambda x: x * x * x - x - x, lambda tape, y, x: y.numpy()),
        "second term missing": _slope(lambda x: tf.pow(x, 3) - 2),
        "second sign wrong": _slope(lambda x: x * (x**2 + 2)),
        "curve of the text": _slope(tf.square),
        "zero for none": _zero_for_none,
        "same slope everywhere": _slope(lambda x: 3 * x - 2 * x),
        "tape used twice": _tape_used_twice,
    },
    "01.3": {
        "returns none": _answers(lambda tape, loss, params: tape.gradient(params, loss)),
        "loss returned too": _answers(lambda tape, loss, p: [tape.gradient(loss, p), loss]),
        "list of gradients": _answers(lambda tape, loss, p: tape.gradient(loss, (*p.values(),))),
        "gradient of w alone": _answers(lambda tape, loss, p: tape.gradient(loss, p)["W"].numpy()),
        "b left out": _answers(lambda tape, loss, p: dict(W=tape.gradient(loss, p["W"]))),
        "b read out": _b_read_out,
        "w flattened": _answers(_w_flattened),
        "returns parameters": _answers(lambda tape, loss, p: {k: v.numpy() for k, v in p.items()}),
        "errors added up": _gradients(lambda error: tf.reduce_mean(error**2, axis=1)),
        "half of them": _gradients(lambda error: tf.nn.l2_loss(error) / len(error)),
        "sign turned": _gradients(lambda error: -tf.reduce_mean(error * error)),
        "not squared": _gradients(lambda error: -tf.reduce_mean(error)),
        "squared too late": _gradients(lambda error: tf.square(tf.reduce_mean(error))),
        "table of n by n": _table,
        "multiplied entry by entry": _elementwise,
    },
    "01.4": {
        "returns none": _of_w(lambda tape, loss, w, y_hat: tape.gradient(loss, w), float),
        "zero for none": _of_w(lambda tape, loss, w, y_hat: tape.gradient(loss, w) or 0.0, float),
        "gradient of y_hat": _of_w(lambda tape, loss, w, y_hat: tape.gradient(loss, [y_hat])[0]),
        "returns loss": _of_w(lambda tape, loss, w, y_hat: float(loss)),
        "errors added up": _of_w(lambda t, loss, w, y_hat: t.gradient(loss, w), reduce=tf.identity),
        "numpy of none": _of_w(lambda t, loss, w, y_hat: t.gradient(loss, w).numpy(), float),
    },
}

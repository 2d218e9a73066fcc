"""Wrong answers to lesson 04, held out: no gallery holds them. By exercise and mistake."""

import numpy as np
import tensorflow as tf


def mse(error):
    return tf.reduce_mean(tf.square(error))


def mae(error):
    return tf.reduce_mean(tf.abs(error))


def both(error):
    return mse(error) + mae(error)


def losses(squared=mse, absolute=mae, ask=lambda tape, loss, w, error: tape.gradient(loss, w)):
    def program(w, x, y):
        gradients = {}
        for name, loss_of in {"squared": squared, "absolute": absolute}.items():
            with tf.GradientTape() as tape:
                error = tf.matmul(x, w) - y
                loss = loss_of(error)
            gradients[name] = ask(tape, loss, w, error)
        return gradients

    return program


def one_tape(answer):
    def program(w, x, y):
        with tf.GradientTape() as tape:
            error = x @ w - y
            parts = tf.stack([mse(error), mae(error)])
            first, second = tf.unstack(parts)
        return answer(lambda target: tape.gradient(target, w), parts, first, second)

    return program


def pair(answer):  # from the gradients of error, penalty and loss
    def program(w, x, y):
        with tf.GradientTape() as of_error:
            error = mse(tf.matmul(x, w) - y)
        with tf.GradientTape() as of_penalty:
            penalty = tf.reduce_sum(tf.square(w)) / 10
        e, p = of_error.gradient(error, w), of_penalty.gradient(penalty, w)
        return answer(e, p, e + p)

    return program


def penalty_of_other_tape(w, x, y):
    with tf.GradientTape() as first:
        penalty = 0.1 * tf.reduce_sum(w**2)
    with tf.GradientTape() as second:
        loss = mse(x @ w - y) + penalty
    return second.gradient(loss, w), tf.norm(first.gradient(penalty, w))


def loss_below_block(w, x, y):
    with tf.GradientTape(persistent=True) as tape:
        penalty = 0.1 * tf.reduce_sum(w**2)
    loss = mse(x @ w - y) + penalty
    return tape.gradient(loss, w), tf.norm(tape.gradient(penalty, w))


def log_first_on_plain_tape(w, x, y):
    with tf.GradientTape() as tape:
        penalty = 0.1 * tf.reduce_sum(w**2)
        loss = mse(x @ w - y) + penalty
    log = tf.norm(tape.gradient(penalty, w))
    return tape.gradient(loss, w), log


def table(pick, join=tf.stack, rows_of=lambda f, x: len(f(x))):
    def program(f, x):
        rows = []
        for i in range(rows_of(f, x)):
            with tf.GradientTape() as tape:
                target = pick(f(x), i)
            rows.append(tape.gradient(target, x))
        return join(rows)

    return program


def picked_below(join):
    def program(f, x):
        with tf.GradientTape(persistent=True) as tape:
            y = f(x)
        return join([tape.gradient(entry, x) for entry in tf.unstack(y)])

    return program


def whole(finish):  # one question, with all of f(x) as its target
    def program(f, x):
        with tf.GradientTape() as tape:
            total = tf.reduce_sum(f(x))
        return finish(tape.gradient(total, x))

    return program


def plain_tape(f, x):
    with tf.GradientTape() as tape:
        y = f(x)
        entries = [y[i] for i in range(len(y))]
    return tf.stack([tape.gradient(entry, x) for entry in entries])


def f_above_block(f, x):
    y = f(x)
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(y)
    return tape.gradient(total, x)


WRONG = {
    "04.2": {
        "sum under both": losses(both, both),
        "names swapped": losses(mae, mse),
        "errors summed": losses(lambda e: tf.reduce_sum(e**2), lambda e: tf.reduce_sum(tf.abs(e))),
        "squared twice": losses(absolute=mse),
        "absolute twice": losses(squared=mae),
        "sum under squared": losses(squared=both),
        "sum under absolute": losses(absolute=both),
        "squared errors summed": losses(squared=lambda e: tf.reduce_sum(e**2)),
        "absolute errors summed": losses(absolute=lambda e: tf.norm(e, ord=1)),
        "one target of two": one_tape(lambda ask, parts, first, second: ask(parts)),
        "returns none": lambda w, x, y: print(losses()(w, x, y)),
        "other keys": lambda w, x, y: {f"{k} loss": g for k, g in losses()(w, x, y).items()},
        "none under name": losses(absolute=lambda e: tf.reduce_mean(np.abs(e))),
        "source in list": losses(ask=lambda tape, loss, w, e: tape.gradient(loss, (w,))),
        "returns losses": losses(ask=lambda tape, loss, w, e: float(loss)),
        "source is error": losses(ask=lambda tape, loss, w, e: tape.gradient(loss, e)),
        "plain tape twice": one_tape(
            lambda ask, parts, first, second: {"squared": ask(first), "absolute": ask(second)}
        ),
        "numpy loss": losses(squared=lambda e: np.mean(np.square(e))),
    },
    "04.3": {
        "penalty lost": penalty_of_other_tape,
        "penalty alone": pair(lambda e, p, loss: (p, tf.norm(p))),
        "penalty twice": pair(lambda e, p, loss: (loss + p, tf.norm(p))),
        "returns none": pair(lambda e, p, loss: print(loss, tf.norm(p))),
        "norm left out": pair(lambda e, p, loss: loss),
        "loss below block": loss_below_block,
        "norm only printed": pair(lambda e, p, loss: (loss, print(tf.norm(p)))),
        "results swapped": pair(lambda e, p, loss: [tf.norm(p), loss]),
        "gradient in list": pair(lambda e, p, loss: ([loss], tf.norm(p))),
        "norm not taken": pair(lambda e, p, loss: [loss, p]),
        "norm of all": pair(lambda e, p, loss: (loss, tf.sqrt(tf.reduce_sum(loss**2)))),
        "norm of error": pair(lambda e, p, loss: (loss, np.linalg.norm(e))),
        "norm squared": pair(lambda e, p, loss: (loss, tf.tensordot(p, p, 2))),
        "plain tape twice": log_first_on_plain_tape,
    },
    "04.4": {
        "f above block": f_above_block,
        "rows in list": table(lambda y, i: y[i], join=list),
        "entries picked late": picked_below(list),
        "one row": whole(tf.identity),
        "sum in every row": table(lambda y, i: y),
        "table transposed": table(lambda y, i: y[i], lambda rows: tf.transpose(tf.stack(rows))),
        "row 0 repeated": table(lambda y, i: y[0]),
        "returns f": lambda f, x: tf.stack([entry for entry in f(x)]),
        "table of n by n": whole(tf.linalg.diag),
        "rows counted by x": table(lambda y, i: y[i], rows_of=lambda f, x: x.shape[0]),
        "nones stacked": picked_below(tf.stack),
        "plain tape": plain_tape,
    },
}

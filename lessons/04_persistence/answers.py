"""Answers to lesson 04: other right ones, and wrong ones that no list holds."""

import numpy as np
import tensorflow as tf


def two_tapes(w, x, y):
    with tf.GradientTape() as one, tf.GradientTape() as other:
        error = y - x @ w
        squared, absolute = mse(error), mae(error)
    return dict(absolute=other.gradient(absolute, w), squared=one.gradient(squared, w))


@tf.function
def in_a_graph(w, x, y):
    with tf.GradientTape(persistent=True) as tape:
        error = x @ w - y
        squared, absolute = mse(error), mae(error)
    return {"squared": tape.gradient(squared, w), "absolute": tape.gradient(absolute, w)}


def by_hand(w, x, y):
    error = (x @ w - y).numpy()
    back = x.numpy().T / len(error)
    return {"squared": 2 * back @ error, "absolute": back @ np.sign(error)}


def by_jacobian(w, x, y):
    with tf.GradientTape() as tape:
        error = x @ w - y
        both_losses = tf.stack([mse(error), mae(error)])
    rows = tape.jacobian(both_losses, w)
    return {"squared": tf.Variable(rows[0]), "absolute": tf.cast(rows[1], tf.float64)}


def pair_by_hand(w, x, y):
    w, x, y = w.numpy(), x.numpy(), y.numpy()
    return 2 * x.T @ (x @ w - y) / len(x) + 0.2 * w, 0.2 * np.linalg.norm(w)


def pair_with_nested_tapes(w, x, y):
    with tf.GradientTape() as tape:
        with tf.GradientTape() as tape_of_penalty:
            penalty = 0.1 * tf.reduce_sum(w**2)
        loss = mse(x @ w - y) + penalty
    return [tape.gradient(loss, w), tf.norm(tape_of_penalty.gradient(penalty, w))]


def pair_with_the_penalty_again(w, x, y):
    with tf.GradientTape() as tape:
        with tape.stop_recording():
            norm = 0.2 * tf.norm(w)
        loss = mse(x @ w - y) + 0.1 * tf.reduce_sum(w**2)
    return tape.gradient(loss, w), norm


def pair_of_two_targets(w, x, y):
    with tf.GradientTape(persistent=True) as tape:
        parts = [mse(x @ w - y), 0.1 * tf.reduce_sum(w**2)]
    return tape.gradient(parts, w), tf.norm(tape.gradient(parts[1], w))


def table_inside_the_block(f, x):
    with tf.GradientTape(persistent=True) as tape:
        y = f(x)
        return tf.stack([tape.gradient(y[i], x) for i in range(y.shape[0])])


def table_by_weights(f, x):
    with tf.GradientTape(persistent=True) as tape:
        y = f(x)
    return np.array([tape.gradient(y, x, output_gradients=row) for row in tf.eye(len(y))])


def table_by_columns(f, x):
    columns = []
    for direction in tf.eye(x.shape[0]):
        with tf.autodiff.ForwardAccumulator(x, direction) as accumulator:
            y = f(x)
        columns.append(accumulator.jvp(y))
    return tf.Variable(tf.stack(columns, axis=1))


def table_by_differences(f, x):  # exact for squares, whatever the step
    columns = [(f(x + step) - f(x - step)) / 2.0 for step in np.eye(x.shape[0], dtype="f")]
    return tf.stack(columns, axis=1)


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


def loss_for_the_log(w, x, y):
    with tf.GradientTape() as tape:
        loss = mse(x @ w - y) + 0.1 * tf.reduce_sum(w**2)
    return tape.gradient(loss, w), float(loss)


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


RIGHT = {
    "04.1": [10, np.float32(10), tf.constant(10.0)],
    "04.2": [losses(), two_tapes, in_a_graph, by_hand, by_jacobian],
    "04.3": [
        pair(lambda e, p, loss: (loss, tf.norm(p))),
        pair_by_hand,
        pair_with_nested_tapes,
        pair_with_the_penalty_again,
        pair_of_two_targets,
    ],
    "04.4": [
        table(lambda y, i: y[i]),
        table_inside_the_block,
        table_by_weights,
        table_by_columns,
    ],
}

# Their values are right, and they come from no tape, as the statement demands.
ORACLES = {"04.4": [table_by_differences]}

WRONG = {
    "04.1": [
        ("wrote 4", 4.0),
        ("wrote 8", np.float32(8)),
        ("wrote 11", 11.0),
        ("other form", [10.0]),
        ("other form", {"fit": 4.0, "size": 6.0}),
        ("other form", "10"),
    ],
    "04.2": [
        ("sum under both names", losses(both, both)),
        ("names exchanged", losses(mae, mse)),
        ("returned None", lambda w, x, y: print(losses()(w, x, y))),
        ("no path under absolute", losses(absolute=lambda e: tf.reduce_mean(np.abs(e)))),
        ("root of squared", losses(squared=lambda e: tf.sqrt(mse(e)))),
        ("list of sources", losses(ask=lambda tape, loss, w, e: tape.gradient(loss, (w,)))),
        ("losses returned", losses(ask=lambda tape, loss, w, e: float(loss))),
        ("other form", losses(ask=lambda tape, loss, w, e: tape.gradient(loss, e))),
        (
            "raised RuntimeError",
            one_tape(
                lambda ask, parts, first, second: {"squared": ask(first), "absolute": ask(second)}
            ),
        ),
        ("raised AttributeError", losses(squared=lambda e: np.mean(np.square(e)))),
    ],
    "04.3": [
        ("penalty lost", penalty_of_other_tape),
        ("penalty alone", pair(lambda e, p, loss: (p, tf.norm(p)))),
        (
            "errors summed",
            lambda w, x, y: pair(lambda e, p, loss: (len(x) * e + p, tf.norm(p)))(w, x, y),
        ),
        ("penalty twice", pair(lambda e, p, loss: (loss + p, tf.norm(p)))),
        ("returned None", pair(lambda e, p, loss: print(loss, tf.norm(p)))),
        ("no pair", pair(lambda e, p, loss: loss)),
        ("no path from the loss", loss_below_block),
        ("other form", pair(lambda e, p, loss: ([loss], tf.norm(p)))),
        ("loss for the norm", loss_for_the_log),
        ("raised RuntimeError", log_first_on_plain_tape),
    ],
    "04.4": [
        ("no path", f_above_block),
        ("rows in a list", table(lambda y, i: y[i], join=list)),
        ("entries picked too late", picked_below(list)),
        ("one row", whole(tf.identity)),
        ("last entry in every row", table(lambda y, i: y[-1])),
        ("other form", whole(tf.linalg.diag)),
        ("rows counted by x", table(lambda y, i: y[i], rows_of=lambda f, x: x.shape[0])),
        ("entries picked too late", picked_below(tf.stack)),
        ("raised RuntimeError", plain_tape),
        ("no tape asked", table_by_differences),
    ],
}

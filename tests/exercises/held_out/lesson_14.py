"""Wrong answers to lesson 14's exercises, held out: no gallery holds them.

By exercise and mistake.
"""

from contextlib import nullcontext

import keras
import numpy as np
import tensorflow as tf


def ordering(little=3.0, much=1.0, power=2, mean=lambda cost: tf.reduce_mean(cost, axis=1)):
    def order_cost(y, y_hat):
        missing, left = tf.nn.relu(y - y_hat), tf.nn.relu(y_hat - y)
        return mean(little * missing**power + much * left**power)

    return order_cost


def whole(model, x, y, y_hat, weights):
    return model.compute_loss(x, y, y_hat, weights)


def of_each(model, y, y_hat):
    return getattr(model.loss, "call", model.loss)(y, y_hat)


def stepping(
    loss=whole,
    call=lambda model, x: model(x, training=True),
    update=lambda optimizer, gradients, variables: optimizer.apply(gradients, variables),
    report=lambda loss, *_: {"loss": loss},
    recorded=("call", "loss"),
):
    def train_step(model, data):
        (x, y, weights), tape = data, tf.GradientTape()
        with tape if "call" in recorded else nullcontext():
            y_hat = call(model, x)
        with tape if "loss" in recorded else nullcontext():
            value = loss(model, x, y, y_hat, weights)
        variables = model.trainable_variables
        update(model.optimizer, tape.gradient(value, variables), variables)
        return report(value, model, *data)

    return train_step


def by_hand(data_loss):
    """Add the penalties to a loss of the data."""
    return stepping(lambda m, x, *rest: data_loss(m, *rest) + tf.add_n(m.losses))


def penalising(
    penalty=lambda slopes: to_one(lengths(slopes)),
    end=lambda value, tape, w, x: (value, tape.gradient(value, w)),
    scores_of=lambda critic, x: critic(x),
    watched=lambda w, x: x,
):
    def gradient_penalty(critic, w, x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(watched(w, x))
                scores = scores_of(critic, x)
            value = penalty(inner.gradient(scores, x))
        return end(value, outer, w, x)

    return gradient_penalty


def lengths(slopes, axis=1):
    return tf.sqrt(tf.reduce_sum(tf.square(slopes), axis) + 1e-12)


def to_one(lengths):
    return tf.reduce_mean(tf.math.squared_difference(lengths, 1.0))


def one_tape(critic, w, x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        scores = critic(x)
    penalty = to_one(lengths(tape.gradient(scores, x)))
    return penalty, tape.gradient(penalty, w)


WRONG = {
    "14.1": {
        "returns none": lambda y, y_hat: print(ordering()(y, y_hat)),
        "mean of all": ordering(mean=keras.ops.mean),
        "no mean": ordering(mean=tf.identity),
        "mean over examples": ordering(mean=lambda cost: tf.reduce_sum(cost, 0) / len(cost)),
        "axis kept": ordering(mean=lambda cost: tf.reduce_mean(cost, axis=1)[:, None]),
        "goods added up": ordering(mean=lambda cost: tf.add_n(tf.unstack(cost, axis=1))),
        "sides exchanged": ordering(little=1.0, much=3.0),
        "factor left out": lambda y, y_hat: keras.losses.mean_squared_error(y, y_hat),
        "factor everywhere": lambda y, y_hat: 3 * keras.losses.mean_squared_error(y, y_hat),
        "not squared": ordering(power=1),
        "factor squared": lambda y, z: tf.reduce_mean(tf.maximum(3 * (y - z), z - y) ** 2, axis=1),
        "too much free": ordering(much=0.0),
        "if on tensor": lambda y, y_hat: ordering(1.0 if y < y_hat else 3.0)(y, y_hat),
        "numpy in graph": lambda y, y_hat: ordering()(y.numpy(), y_hat.numpy()),
    },
    "14.2": {
        "nothing applied": stepping(update=lambda optimizer, _, v: optimizer.build(v)),
        "climbs": stepping(
            update=lambda _, *both: [*map(lambda g, v: v.assign(v + 0.1 * g), *both)]
        ),
        "applied for each": stepping(update=lambda o, *both: [o.apply(*both) for _ in both[1]]),
        "inference mode": stepping(call=lambda model, x: model.layers[1](model.layers[0](x))),
        "loss not compiled": by_hand(lambda _, *rest: keras.losses.MeanSquaredError()(*rest)),
        "arguments exchanged": by_hand(lambda m, y, z, w: tf.reduce_mean(w * of_each(m, z, y))),
        "prediction before tape": stepping(recorded=["loss"]),
        "losses added up": by_hand(lambda m, y, z, w: tf.tensordot(of_each(m, y, z), w, 1)),
        "weights left out": stepping(lambda *given: whole(*given[:4], weights=None)),
        "mean weight": by_hand(lambda m, y, z, w: tf.reduce_mean(m.loss(y, z)) * tf.reduce_mean(w)),
        "weights scaled": stepping(lambda *a: whole(*a[:4], a[4] / tf.reduce_mean(a[4]))),
        "penalties left out": stepping(
            lambda m, x, y, z, w: tf.tensordot(of_each(m, y, z), w / w.shape[0], 1)
        ),
        "penalties twice": by_hand(lambda m, *rest: whole(m, None, *rest)),
        "wrong for objects": by_hand(
            lambda m, y, z, w: tf.reduce_sum(m.loss(y, z) * w) / w.shape[0]
        ),
        "called twice": stepping(
            report=lambda loss, m, x, *_: {"loss": loss, "y": m(x, training=True)}
        ),
        "returns none": stepping(report=lambda *given: print(given[0])),
        "loss without dict": stepping(report=lambda loss, *_: tf.identity(loss)),
        "loss after update": stepping(
            report=lambda _, m, x, y, w: {"loss": whole(m, x, y, m(x), w)}
        ),
        "loss outside tape": stepping(recorded=["call"]),
        "numpy in graph": stepping(report=lambda loss, *_: {"loss": loss.numpy()}),
    },
    "14.3": {
        "returns none": penalising(end=lambda value, tape, w, x: print(tape.gradient(value, w))),
        "one tape": one_tape,
        "nan at zero": penalising(lambda slopes: to_one(tf.reduce_sum(slopes**2, axis=-1) ** 0.5)),
        "nan set to zero": penalising(
            lambda slopes: to_one(tf.norm(slopes, axis=1)),
            lambda value, tape, w, x: (value, np.nan_to_num(tape.gradient(value, w))),
        ),
        "swapped": penalising(end=lambda value, tape, w, x: [tape.gradient(value, w), value]),
        "mean score": penalising(scores_of=lambda critic, x: critic(x) / len(x)),
        "no root": penalising(lambda slopes: to_one(tf.einsum("ij,ij->i", slopes, slopes))),
        "pulled to zero": penalising(lambda slopes: tf.reduce_sum(slopes**2) / len(slopes)),
        "averaged first": penalising(lambda slopes: to_one(keras.ops.mean(lengths(slopes)))),
        "length of batch": penalising(lambda slopes: to_one(lengths(slopes, axis=None))),
        "examples added up": penalising(lambda slopes: len(slopes) * to_one(lengths(slopes))),
        "gradient for x": penalising(end=lambda p, tape, w, x: (p, tape.gradient(p, x))),
        "variable watched": penalising(watched=lambda w, x: w),
        "numpy between": penalising(lambda slopes: to_one(lengths(slopes).numpy()).numpy()),
    },
}

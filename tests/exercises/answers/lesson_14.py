"""Right answers to lesson 14's exercises, and wrong ones that no gallery holds."""

from contextlib import nullcontext

import keras
import numpy as np
import tensorflow as tf

# 14.1


def cost_by_relu(y, y_hat):
    low, high = tf.nn.relu(y - y_hat), tf.nn.relu(y_hat - y)
    return tf.reduce_mean(3 * low**2 + high**2, axis=-1)


def cost_by_factor(y, y_hat):
    too_little = tf.cast(y_hat < y, y.dtype)
    return tf.reduce_mean((1 + 2 * too_little) * tf.math.squared_difference(y, y_hat), axis=1)


# 14.2


def step_of_keras(model, data):
    return model.train_step(data)


def step_with_train_on_batch(model, data):
    x, y, sample_weight = data
    return model.train_on_batch(x, y, sample_weight=sample_weight, return_dict=True)


def step_by_hand(model, data):
    """Differentiate the loss and the penalty of 14.2 without a tape."""
    x, y, sample_weight = data
    norm, last = model.layers
    mean, variance = tf.nn.moments(x, [0])
    norm.moving_mean.assign(0.99 * norm.moving_mean + 0.01 * mean)
    norm.moving_variance.assign(0.99 * norm.moving_variance + 0.01 * variance)
    z = (x - mean) / tf.sqrt(variance + norm.epsilon)
    error = last(z) - y  # (n, 1)
    weights = sample_weight[:, None] / x.shape[0]
    penalty = 0.1 * tf.reduce_sum(last.kernel**2)
    loss = tf.reduce_sum(weights * tf.maximum(error / 2, -error)) + penalty
    slopes = weights * tf.where(error > 0, 0.5, -1.0)
    last.kernel.assign_sub(0.1 * (tf.transpose(z) @ slopes + 0.2 * last.kernel))
    last.bias.assign_sub(0.1 * tf.reduce_sum(slopes, axis=0))
    return {"loss": loss}


def step_with_both_kinds(model, data):
    x, y, sample_weight = data
    with tf.GradientTape() as tape:
        y_hat = model(x, training=True)
        losses = of_each(model, y, y_hat)
        loss = tf.reduce_mean(sample_weight * losses) + sum(model.losses)
    variables = model.trainable_variables
    model.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
    return {"loss": loss}


# 14.3


def penalty_with_batch_jacobian(critic, w, x):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            scores = critic(x)[:, None]
        slopes = inner.batch_jacobian(scores, x)[:, 0]
        squares = tf.reduce_sum(slopes**2, axis=1)
        safe = tf.where(squares > 0, squares, 1.0)
        lengths = tf.where(squares > 0, tf.sqrt(safe), 0.0)
        penalty = tf.reduce_mean(tf.square(1 - lengths))
    return [penalty, outer.gradient(penalty, w).numpy()]


def penalty_with_forward_slopes(critic, w, x):
    with tf.GradientTape() as tape:
        slopes = []
        for column in tf.eye(x.shape[1]):
            with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x) * column) as accumulator:
                scores = critic(x)
            slopes.append(accumulator.jvp(scores))
        penalty = to_one(tf.sqrt(sum(slope**2 for slope in slopes) + 1e-10))
    return penalty, tape.gradient(penalty, w)


def penalty_by_differences(critic, w, x):
    """Take central differences, of the scores and of the penalty."""

    def penalty():
        slopes = [(critic(x + e) - critic(x - e)) / 2 for e in tf.eye(x.shape[1])]
        return to_one(tf.norm(tf.stack(slopes, axis=1), axis=1))

    at, gradient = w.numpy(), []
    for step in 0.01 * np.eye(len(at)):
        w.assign(at + step)
        above = penalty()
        w.assign(at - step)
        gradient.append((above - penalty()) / 0.02)
    w.assign(at)
    return penalty(), tf.stack(gradient)


def penalty_with_slopes_by_differences(critic, w, x):
    with tf.GradientTape() as tape:
        slopes = [(critic(x + e) - critic(x - e)) / 2 for e in tf.eye(x.shape[1])]
        penalty = to_one(lengths(tf.stack(slopes, axis=1)))
    return penalty, tape.gradient(penalty, w)


MEANS = ["fit", "train_step", "fit", "train_step", "loop"]

RIGHT = {
    "14.1": [tf.function(cost_by_relu), cost_by_factor],
    "14.2": [step_by_hand, step_with_both_kinds],
    "14.3": [penalty_with_batch_jacobian, penalty_with_forward_slopes],
    "14.4": [tuple(MEANS)],
}

# What a demand forbids, and whose values are right all the same.
ORACLES = {"14.2": [step_of_keras], "14.3": [penalty_by_differences]}


def ordering(little=3.0, much=1.0, power=2, mean=lambda cost: tf.reduce_mean(cost, axis=1)):
    def order_cost(y, y_hat):
        missing, left = tf.nn.relu(y - y_hat), tf.nn.relu(y_hat - y)
        return mean(little * missing**power + much * left**power)

    return order_cost


def decided_by_the_batch(y, y_hat):
    if tf.reduce_sum(y_hat) < tf.reduce_sum(y):
        factor = 3.0
    else:
        factor = 1.0
    return factor * keras.losses.mean_squared_error(y, y_hat)


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
    "14.1": [
        ("unexplained", ordering(little=2.0)),
        ("one decision for all", decided_by_the_batch),
        ("returned None", lambda y, y_hat: print(ordering()(y, y_hat))),
        ("mean of all", ordering(mean=keras.ops.mean)),
        ("no mean", ordering(mean=tf.identity)),
        ("mean over examples", ordering(mean=lambda cost: tf.reduce_sum(cost, 0) / len(cost))),
        ("axis kept", ordering(mean=lambda cost: tf.reduce_mean(cost, axis=1)[:, None])),
        ("goods added up", ordering(mean=lambda cost: tf.add_n(tf.unstack(cost, axis=1)))),
        ("sides exchanged", ordering(little=1.0, much=3.0)),
        ("factor left out", lambda y, y_hat: keras.losses.mean_squared_error(y, y_hat)),
        ("factor everywhere", lambda y, y_hat: 3 * keras.losses.mean_squared_error(y, y_hat)),
        ("not squared", ordering(power=1)),
        (
            "factor squared",
            lambda y, z: tf.reduce_mean(tf.maximum(3 * (y - z), z - y) ** 2, axis=1),
        ),
        ("too much free", ordering(much=0.0)),
        ("raised ValueError", lambda y, y_hat: ordering(1.0 if y < y_hat else 3.0)(y, y_hat)),
        ("raised AttributeError", lambda y, y_hat: ordering()(y.numpy(), y_hat.numpy())),
    ],
    "14.2": [
        ("keras's own step", step_of_keras),
        ("keras's own step", tf.function(step_of_keras)),
        ("keras's own step", step_with_train_on_batch),
        ("constant factor", stepping(lambda *given: 0.7 * whole(*given))),
        ("nothing applied", stepping(update=lambda optimizer, _, v: optimizer.build(v))),
        (
            "climbs",
            stepping(update=lambda _, *both: [*map(lambda g, v: v.assign(v + 0.1 * g), *both)]),
        ),
        ("applied twice", stepping(update=lambda o, *both: [o.apply(*both) for _ in both[1]])),
        ("inference mode", stepping(call=lambda model, x: model.layers[1](model.layers[0](x)))),
        ("loss not compiled", by_hand(lambda _, *rest: keras.losses.MeanSquaredError()(*rest))),
        ("arguments exchanged", by_hand(lambda m, y, z, w: tf.reduce_mean(w * of_each(m, z, y)))),
        ("prediction before tape", stepping(recorded=["loss"])),
        ("losses added up", by_hand(lambda m, y, z, w: tf.tensordot(of_each(m, y, z), w, 1))),
        ("weights left out", stepping(lambda *given: whole(*given[:4], weights=None))),
        (
            "mean weight",
            by_hand(lambda m, y, z, w: tf.reduce_mean(m.loss(y, z)) * tf.reduce_mean(w)),
        ),
        ("weights scaled", stepping(lambda *a: whole(*a[:4], a[4] / tf.reduce_mean(a[4])))),
        (
            "penalties left out",
            stepping(lambda m, x, y, z, w: tf.tensordot(of_each(m, y, z), w / w.shape[0], 1)),
        ),
        ("penalties twice", by_hand(lambda m, *rest: whole(m, None, *rest))),
        (
            "wrong for objects",
            by_hand(lambda m, y, z, w: tf.reduce_sum(m.loss(y, z) * w) / w.shape[0]),
        ),
        (
            "called twice",
            stepping(report=lambda loss, m, x, *_: {"loss": loss, "y": m(x, training=True)}),
        ),
        ("returns none", stepping(report=lambda *given: print(given[0]))),
        ("loss without dict", stepping(report=lambda loss, *_: tf.identity(loss))),
        (
            "loss after update",
            stepping(report=lambda _, m, x, y, w: {"loss": whole(m, x, y, m(x), w)}),
        ),
        ("raised ValueError", stepping(recorded=["call"])),
        ("raised AttributeError", stepping(report=lambda loss, *_: {"loss": loss.numpy()})),
    ],
    "14.3": [
        ("no tapes", penalty_by_differences),
        ("no tapes", penalty_with_slopes_by_differences),
        ("other form", penalising(end=lambda value, *given: value)),
        ("other form", lambda critic, w, x: ("text", w)),
        (
            "epsilon too large",
            penalising(lambda slopes: to_one(tf.sqrt(1e-3 + tf.reduce_sum(slopes**2, 1)))),
        ),
        ("unexplained", penalising(lambda slopes: to_one(lengths(slopes) - 1))),
        ("returns none", penalising(end=lambda value, tape, w, x: print(tape.gradient(value, w)))),
        ("no path to w", one_tape),
        (
            "nan at zero",
            penalising(lambda slopes: to_one(tf.reduce_sum(slopes**2, axis=-1) ** 0.5)),
        ),
        (
            "nan set to zero",
            penalising(
                lambda slopes: to_one(tf.norm(slopes, axis=1)),
                lambda value, tape, w, x: (value, np.nan_to_num(tape.gradient(value, w))),
            ),
        ),
        ("swapped", penalising(end=lambda value, tape, w, x: [tape.gradient(value, w), value])),
        ("mean score", penalising(scores_of=lambda critic, x: critic(x) / len(x))),
        ("no root", penalising(lambda slopes: to_one(tf.einsum("ij,ij->i", slopes, slopes)))),
        ("pulled to zero", penalising(lambda slopes: tf.reduce_sum(slopes**2) / len(slopes))),
        ("averaged first", penalising(lambda slopes: to_one(keras.ops.mean(lengths(slopes))))),
        ("length of batch", penalising(lambda slopes: to_one(lengths(slopes, axis=None)))),
        ("examples added up", penalising(lambda slopes: len(slopes) * to_one(lengths(slopes)))),
        ("gradient for x", penalising(end=lambda p, tape, w, x: (p, tape.gradient(p, x)))),
        ("raised ValueError", penalising(watched=lambda w, x: w)),
        (
            "raised AttributeError",
            penalising(lambda slopes: to_one(lengths(slopes).numpy()).numpy()),
        ),
    ],
    "14.4": [
        ("line 2: wrote callback", ["fit", "callback", *MEANS[2:]]),
        ("other form", MEANS[:4]),
        ("line 1: wrote loop", ["loop"] * 5),
    ],
}

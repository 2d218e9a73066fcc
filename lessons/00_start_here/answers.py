"""Answers to lesson 00: other right ones, and wrong ones that no list holds."""

import numpy as np
import tensorflow as tf


def rate_with_names(f, x, h):
    here, there = f(x), f(x + h)
    return tf.constant(there - here, tf.float64) / h


@tf.function
def mse_in_a_graph(y_hat, y):
    return tf.reduce_mean(tf.square(y_hat - y))


@tf.function
def mse_that_leaves_the_graph(y_hat, y):
    return np.mean((y_hat - y) ** 2)


def _prints_rate(f, x, h):
    rate = (f(x + h) - f(x)) / h
    print(f"{rate:.3f}")


def _parentheses_missing(f, x, h):
    old, new = f(x), f(x + h)
    return new - old / h


def _both_sides(f, x, h):
    right, left = x + h, x - h
    return (f(right) - f(left)) / (right - left)


def _slope_by_a_tape(f, x, h):
    place = tf.Variable(x)
    with tf.GradientTape() as tape:
        height = f(place)
    return tape.gradient(height, place)


def _prints_loss(y_hat, y):
    loss = tf.reduce_mean(tf.square(y_hat - y))
    print(loss)


def _sum_in_a_loop(y_hat, y):
    total = 0.0
    for predicted, given in zip(y_hat, y, strict=True):
        total += float(predicted - given) ** 2
    return total


RIGHT = {
    "00.1": [6, tf.constant(6.0), np.float32(6.0)],
    "00.2": [rate_with_names, lambda f, x, h: -(f(x) - f(x + h)) / h],
    "00.3": [
        lambda y_hat, y: tf.keras.losses.MeanSquaredError()(y, y_hat),
        lambda y_hat, y: tf.reduce_sum((y - y_hat) ** 2) / len(y),
        lambda y_hat, y: np.mean((y_hat.numpy() - y.numpy()) ** 2),
        mse_in_a_graph,
    ],
}

WRONG = {
    "00.1": [("wrote 9", 9), ("wrote 5", 5.0), ("wrote 6.1", 6.1), ("other form", "6")],
    "00.2": [
        ("returned None", _prints_rate),
        ("not divided", lambda f, x, h: -(f(x) - f(x + h))),
        ("sign turned", lambda f, x, h: -(f(x + h) - f(x)) / h),
        ("absolute growth", lambda f, x, h: abs(f(x + h) - f(x)) / h),
        ("parentheses missing", _parentheses_missing),
        ("steps both ways", _both_sides),
        ("step back", lambda f, x, h: (f(x - h) - f(x)) / -h),
        ("half a step both ways", lambda f, x, h: (f(x + 0.5 * h) - f(x - 0.5 * h)) / h),
        ("step of its own", _slope_by_a_tape),
        ("f not called", lambda f, x, h: (f * (x + h) - f * x) / h),
    ],
    "00.3": [
        ("returned None", _prints_loss),
        ("squared too late", lambda y_hat, y: (tf.reduce_mean(y_hat) - tf.reduce_mean(y)) ** 2),
        ("absolute mean", lambda y_hat, y: abs(tf.reduce_mean(y) - tf.reduce_mean(y_hat))),
        ("sum squared", lambda y_hat, y: tf.square(tf.reduce_sum(y) - tf.reduce_sum(y_hat))),
        ("squares subtracted", lambda y_hat, y: tf.reduce_mean(y_hat**2) - tf.reduce_mean(y**2)),
        ("one of them squared", lambda y_hat, y: tf.reduce_mean(tf.square(y_hat) - y)),
        ("doubled for squared", lambda y_hat, y: 2 * tf.reduce_mean(y_hat - y)),
        ("sum for mean", _sum_in_a_loop),
        ("raised AttributeError", lambda y_hat, y: ((y_hat - y) ** 2).mean()),
        ("raised NotImplementedError", mse_that_leaves_the_graph),
    ],
}

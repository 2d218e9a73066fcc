"""Draw the picture at the top of the README: python docs/draw_tape.py."""

from pathlib import Path

from course_utils import plot_tape, start_lesson

start_lesson("01")

import tensorflow as tf  # noqa: E402


def loss(W, b):
    """Return the mean squared error of a linear model on one example."""
    x = tf.constant([[1.0, 2.0, 3.0]])
    y_hat = x @ W + b
    return tf.reduce_mean((y_hat - 10.0) ** 2)


ax = plot_tape(loss, tf.Variable([[0.5], [-1.0], [2.0]]), tf.Variable(0.5))
ax.figure.savefig(Path(__file__).with_name("tape.png"), dpi=144)

"""Wrong answers to lesson 07, held out: no gallery holds them. By exercise and mistake."""

import numpy as np
import tensorflow as tf


def layer(
    d_x=lambda x, W, u: tf.matmul(u, W, transpose_b=True),
    d_W=lambda x, W, u: tf.matmul(x, u, transpose_a=True),
    d_b=lambda x, W, u: tf.einsum("nd->d", u),
    returned="xWb",
):
    def dense_backward(*inputs):
        parts = {"x": d_x(*inputs), "W": d_W(*inputs), "b": d_b(*inputs)}
        return [parts[name] for name in returned]

    return dense_backward


def entropy(combine=lambda p, h, n, k: (p - h) / n, axis=1):
    """Return a backward pass that combines softmax p and one-hot h, of n rows with k columns."""

    def cross_entropy_gradient(logits, labels):
        n, k = logits.shape
        p = tf.exp(logits - tf.reduce_logsumexp(logits, axis, keepdims=True))
        return combine(p, tf.cast(labels[:, None] == tf.range(k), tf.float32), n, k)

    return cross_entropy_gradient


def summed_losses(logits, labels):
    with tf.GradientTape() as tape:
        tape.watch(logits)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
    return tape.gradient(losses, logits)


def mean_of(rows):
    return tf.reduce_mean(rows, -1)[:, None]


def centered(d_x, d_scale=lambda x, u: tf.reduce_sum((x - mean_of(x)) * u, 0), order=1):
    """Return a backward pass with d_x(d, x, scale, upstream), where d is the direct path."""

    def centered_backward(x, scale, upstream):
        direct = tf.multiply(scale, upstream)
        return (d_x(direct, x, scale, upstream), d_scale(x, upstream))[::order]

    return centered_backward


def right_value(x):
    return tf.abs(x) + tf.nn.softplus(-2 * tf.abs(x)) - tf.math.log(2.0)


def curve(value=right_value, grad=lambda u, x: tf.tanh(x) * u, wrap=tf.custom_gradient):
    return wrap(lambda x: (value(x), lambda upstream: grad(upstream, x)))


def nothing(*arguments):
    tf.nest.map_structure(tf.square, arguments)


WRONG = {
    "07.2": {
        "returns none": nothing,
        "bias left out": layer(returned="xW"),
        "x and W swapped": layer(returned="Wxb"),
        "d_x not transposed": layer(d_x=lambda x, W, u: tf.matmul(u, W)),
        "d_x from x": layer(d_x=lambda x, W, u: tf.matmul(x, W, transpose_b=True)),
        "d_W still transposed": layer(d_W=lambda x, W, u: tf.einsum("ni,nj->ji", x, u)),
        "d_W averaged": layer(d_W=lambda x, W, u: tf.reduce_mean(x[..., None] * u[:, None], 0)),
        "factors do not fit": layer(d_W=lambda x, W, u: tf.matmul(u, x)),
        "bias per row": layer(d_b=lambda x, W, u: tf.ones_like(u) * u),
        "bias averaged": layer(d_b=lambda x, W, u: tf.add_n(tf.unstack(u)) / len(u)),
        "bias over columns": layer(d_b=lambda x, W, u: tf.linalg.matvec(u, tf.ones(W.shape[1]))),
        "bias keeps rows": layer(d_b=lambda x, W, u: tf.ones((1, len(u))) @ u),
        "bias one number": layer(d_b=lambda x, W, u: np.sum(u)),
    },
    "07.3": {
        "returns none": nothing,
        "sum not mean": summed_losses,
        "divided by classes": entropy(lambda p, h, n, k: (p - h) * (1 / k)),
        "divided by entries": lambda z, y: summed_losses(z, y) / tf.cast(tf.size(z), tf.float32),
        "sign wrong": entropy(lambda p, h, n, k: -1 / n * tf.subtract(p, h)),
        "labels missing": lambda z, y: tf.exp(tf.nn.log_softmax(z)) * (1 / len(y)),
        "only labels divided": entropy(lambda p, h, n, k: p - tf.where(h > 0, 1 / n, 0.0)),
        "only probabilities divided": entropy(lambda p, h, n, k: -h + 1 / n * p),
        "softmax over rows": entropy(axis=0),
        "rows averaged away": entropy(lambda p, h, n, k: tf.reduce_sum(p - h, axis=0) / n),
        "fixed batch size": lambda z, y: 0.125 * summed_losses(z, y),
        "fixed classes": lambda z, y: (tf.nn.softmax(z) - tf.one_hot(y, 4)) / len(z),
    },
    "07.4": {
        "returns none": nothing,
        "results swapped": centered(lambda d, x, s, u: d - mean_of(d), order=-1),
        "scale not centered": centered(
            lambda d, x, s, u: d - mean_of(d), lambda x, u: tf.einsum("nd,nd->d", x, u)
        ),
        "direct path alone": centered(lambda d, x, s, u: tf.identity(d)),
        "mean over columns": centered(lambda d, x, s, u: d - tf.add_n(tf.unstack(d)) / len(d)),
        "mean of everything": centered(lambda d, x, s, u: d - np.mean(d)),
        "sum of row": centered(lambda d, x, s, u: d - tf.einsum("nd->n", d)[:, None]),
        "mean added": centered(lambda d, x, s, u: tf.add(mean_of(d), d)),
        "all signs wrong": centered(lambda d, x, s, u: -1 * (d - mean_of(d))),
        "own place only": centered(lambda d, x, s, u: d * (1 - 1 / d.shape[1])),
        "divided by rows": centered(lambda d, x, s, u: d - d @ tf.ones([d.shape[1]] * 2) / len(d)),
        "mean path alone": centered(lambda d, x, s, u: tf.repeat(-mean_of(d), d.shape[1], axis=1)),
        "centered before scaling": centered(lambda d, x, s, u: d - s * mean_of(u)),
        "forward pass": centered(lambda d, x, s, u: s * x - s * mean_of(x)),
        "mean of x": centered(lambda d, x, s, u: d - np.mean(x, axis=1, keepdims=True)),
        "mean loses axis": centered(lambda d, x, s, u: d - tf.reduce_sum(d, 1) / d.shape[1]),
    },
    "07.5": {
        "returns none": nothing,
        "none under decorator": tf.custom_gradient(nothing),
        "decorator left out": curve(wrap=lambda f: f),
        "new axis": curve(lambda x: tf.reshape(right_value(x), [1])),
        "value overflows": curve(lambda x: tf.math.log(tf.exp(x) + tf.exp(-x)) - np.log(2)),
        "log two left out": curve(lambda x: tf.nn.softplus(-2 * tf.abs(x)) + tf.abs(x)),
        "abs left out": curve(lambda x: x - np.log(2) + tf.nn.softplus(-2 * tf.abs(x))),
        "value is slope": curve(lambda x: 2 * tf.sigmoid(2 * x) - 1),
        "grad returns none": curve(grad=lambda u, x: nothing(u * tf.tanh(x))),
        "value from numpy": lambda x: tf.convert_to_tensor(np.logaddexp(x, -x) - np.log(2)),
        "grad adds axis": curve(grad=lambda u, x: tf.reshape(u * tf.tanh(x), [-1])),
        "upstream left out": curve(grad=lambda u, x: 2 * tf.sigmoid(2 * x) - 1),
        "slope overflows": curve(grad=lambda u, x: u * tf.sinh(x) / tf.cosh(x)),
        "second derivative returned": curve(grad=lambda u, x: u / tf.cosh(x) ** 2),
        "slope sign wrong": curve(grad=lambda u, x: tf.tanh(-x) * u),
        "upstream alone": curve(grad=lambda u, x: 1.0 * u),
        "slope of abs": curve(grad=lambda u, x: tf.where(x < 0, -u, u)),
        "sigmoid as slope": curve(grad=lambda u, x: u / (1 + tf.exp(-x))),
        "tanh of abs": curve(grad=lambda u, x: tf.abs(tf.tanh(x)) * u),
        "slope from numpy": curve(grad=lambda u, x: u * (1 - 2 / (np.exp(2 * float(x)) + 1))),
        "slope cut off": curve(grad=lambda u, x: u * tf.stop_gradient(tf.tanh(x))),
        "kink at zero": curve(grad=lambda u, x: u * tf.sign(x) * tf.tanh(tf.abs(x))),
    },
}

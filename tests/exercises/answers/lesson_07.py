"""Other right answers to lesson 07, and wrong ones that no gallery holds."""

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


def layer_in_numpy(x, W, upstream):
    x, W, upstream = (a.numpy() for a in (x, W, upstream))
    return [np.dot(upstream, W.T), np.einsum("ni,nj->ij", x, upstream), upstream.sum(0)]


def layer_by_tape(x, W, upstream):
    b = tf.zeros(W.shape[1])
    with tf.GradientTape() as tape:
        tape.watch([x, W, b])
        y = x @ W + b
    return tape.gradient(y, [x, W, b], output_gradients=upstream)


def entropy(combine=lambda p, h, n, k: (p - h) / n, axis=1):
    """Return a backward pass that combines softmax p and one-hot h, of n rows with k columns."""

    def cross_entropy_gradient(logits, labels):
        n, k = logits.shape
        p = tf.exp(logits - tf.reduce_logsumexp(logits, axis, keepdims=True))
        return combine(p, tf.cast(labels[:, None] == tf.range(k), tf.float32), n, k)

    return cross_entropy_gradient


def entropy_in_numpy(logits, labels):
    p = np.exp(logits.numpy())
    p /= p.sum(axis=1, keepdims=True)
    p[np.arange(len(p)), labels.numpy()] -= 1
    return p / len(p)


def entropy_by_tape(logits, labels):
    with tf.GradientTape() as tape:
        tape.watch(logits)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        loss = tf.reduce_mean(losses)
    return tape.gradient(loss, logits)


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


def centered_in_numpy(x, scale, upstream):
    x, scale, upstream = (a.numpy() for a in (x, scale, upstream))
    d = x.shape[1]
    g = upstream * scale
    return g @ (np.eye(d) - 1 / d), ((x - x.mean(1)[:, None]) * upstream).sum(0)


def centered_by_tape(x, scale, upstream):
    with tf.GradientTape() as tape:
        tape.watch([x, scale])
        y = (x - mean_of(x)) * scale
    return tape.gradient(y, [x, scale], output_gradients=upstream)


def right_value(x):
    return tf.abs(x) + tf.nn.softplus(-2 * tf.abs(x)) - tf.math.log(2.0)


def curve(value=right_value, grad=lambda u, x: tf.tanh(x) * u, wrap=tf.custom_gradient):
    return wrap(lambda x: (value(x), lambda upstream: grad(upstream, x)))


def curve_by_tape(x):
    return tf.nn.softplus(2 * x) - x - np.log(2)


def nothing(*arguments):
    tf.nest.map_structure(tf.square, arguments)


RIGHT = {
    "07.1": [16e-6, 0.0064 / 400, np.float64(0.000016), tf.constant(1.6e-5), 0.004**2],
    "07.2": [
        layer_in_numpy,
        layer(d_b=lambda x, W, u: tf.Variable(sum(u))),
        layer(lambda x, W, u: tf.transpose(W @ tf.transpose(u))),
    ],
    "07.3": [
        entropy_in_numpy,
        entropy(),
        entropy(lambda p, h, n, k: (p - h) / tf.cast(tf.shape(p)[0], tf.float32)),
    ],
    "07.4": [
        centered_in_numpy,
        centered(lambda d, x, s, u: d - tf.reduce_sum(d, 1, keepdims=True) / x.shape[1]),
    ],
    "07.5": [
        curve(),
        tf.function(curve()),
        curve(lambda x: tf.reduce_logsumexp(tf.stack([x, -x]), axis=0) - tf.math.log(2.0)),
        curve(curve_by_tape),
        curve(grad=lambda u, x: [u * (2 * tf.sigmoid(2 * x) - 1)]),
    ],
}

# Without what the statement demands, and with the same values.
ORACLES = {
    "07.2": [layer_by_tape],
    "07.3": [entropy_by_tape],
    "07.4": [centered_by_tape],
    "07.5": [curve_by_tape],
}

WRONG = {
    "07.1": [("wrote 0.00032", 3.2e-4), ("wrote 0", 0), ("other form", "1.6e-5")],
    "07.2": [
        ("by a tape", layer_by_tape),
        ("returned None", nothing),
        ("other form", layer(returned="xW")),
        ("results swapped", layer(returned="Wxb")),
        ("d_x not transposed", layer(d_x=lambda x, W, u: tf.matmul(u, W))),
        ("unexplained", layer(d_x=lambda x, W, u: tf.matmul(x, W, transpose_b=True))),
        ("d_W still transposed", layer(d_W=lambda x, W, u: tf.einsum("ni,nj->ji", x, u))),
        ("d_W averaged", layer(d_W=lambda x, W, u: tf.reduce_mean(x[..., None] * u[:, None], 0))),
        ("factors do not fit", layer(d_W=lambda x, W, u: tf.matmul(u, x))),
        ("bias per row", layer(d_b=lambda x, W, u: tf.ones_like(u) * u)),
        ("bias averaged", layer(d_b=lambda x, W, u: tf.add_n(tf.unstack(u)) / len(u))),
        (
            "bias over columns",
            layer(d_b=lambda x, W, u: tf.linalg.matvec(u, tf.ones(W.shape[1]))),
        ),
        ("bias keeps rows", layer(d_b=lambda x, W, u: tf.ones((1, len(u))) @ u)),
        ("bias one number", layer(d_b=lambda x, W, u: np.sum(u))),
    ],
    "07.3": [
        ("by a tape", entropy_by_tape),
        ("returned None", nothing),
        ("sum not mean", summed_losses),
        ("divided by classes", entropy(lambda p, h, n, k: (p - h) * (1 / k))),
        (
            "divided by entries",
            lambda z, y: summed_losses(z, y) / tf.cast(tf.size(z), tf.float32),
        ),
        ("wrong sign", entropy(lambda p, h, n, k: -1 / n * tf.subtract(p, h))),
        ("labels missing", lambda z, y: tf.exp(tf.nn.log_softmax(z)) * (1 / len(y))),
        ("only labels divided", entropy(lambda p, h, n, k: p - tf.where(h > 0, 1 / n, 0.0))),
        ("only probabilities divided", entropy(lambda p, h, n, k: -h + 1 / n * p)),
        ("softmax over rows", entropy(axis=0)),
        ("rows averaged away", entropy(lambda p, h, n, k: tf.reduce_sum(p - h, axis=0) / n)),
        ("fixed batch size", lambda z, y: 0.125 * summed_losses(z, y)),
        ("fixed classes", lambda z, y: (tf.nn.softmax(z) - tf.one_hot(y, 4)) / len(z)),
    ],
    "07.4": [
        ("by a tape", centered_by_tape),
        ("returned None", nothing),
        ("results swapped", centered(lambda d, x, s, u: d - mean_of(d), order=-1)),
        (
            "d_scale spoilt",
            centered(lambda d, x, s, u: d - mean_of(d), lambda x, u: tf.einsum("nd,nd->d", x, u)),
        ),
        ("direct path alone", centered(lambda d, x, s, u: tf.identity(d))),
        ("mean over axis 0", centered(lambda d, x, s, u: d - tf.add_n(tf.unstack(d)) / len(d))),
        ("mean of everything", centered(lambda d, x, s, u: d - np.mean(d))),
        ("sum of the row", centered(lambda d, x, s, u: d - tf.einsum("nd->n", d)[:, None])),
        ("mean added", centered(lambda d, x, s, u: tf.add(mean_of(d), d))),
        ("all signs wrong", centered(lambda d, x, s, u: -1 * (d - mean_of(d)))),
        ("own place only", centered(lambda d, x, s, u: d * (1 - 1 / d.shape[1]))),
        (
            "divided by rows",
            centered(lambda d, x, s, u: d - d @ tf.ones([d.shape[1]] * 2) / len(d)),
        ),
        (
            "mean path alone",
            centered(lambda d, x, s, u: tf.repeat(-mean_of(d), d.shape[1], axis=1)),
        ),
        ("centred before scaling", centered(lambda d, x, s, u: d - s * mean_of(u))),
        ("forward pass", centered(lambda d, x, s, u: s * x - s * mean_of(x))),
        ("mean of x", centered(lambda d, x, s, u: d - np.mean(x, axis=1, keepdims=True))),
        ("axis lost", centered(lambda d, x, s, u: d - tf.reduce_sum(d, 1) / d.shape[1])),
    ],
    "07.5": [
        ("no gradient of one's own", curve_by_tape),
        ("returned None", nothing),
        ("nothing returned", tf.custom_gradient(nothing)),
        ("not decorated", curve(wrap=lambda f: f)),
        ("shape changed", curve(lambda x: tf.reshape(right_value(x), [1]))),
        (
            "value overflows",
            curve(lambda x: tf.math.log(tf.exp(x) + tf.exp(-x)) - np.log(2)),
        ),
        ("log 2 left out", curve(lambda x: tf.nn.softplus(-2 * tf.abs(x)) + tf.abs(x))),
        ("abs left out", curve(lambda x: x - np.log(2) + tf.nn.softplus(-2 * tf.abs(x)))),
        ("value is the slope", curve(lambda x: 2 * tf.sigmoid(2 * x) - 1)),
        ("no slope", curve(grad=lambda u, x: nothing(u * tf.tanh(x)))),
        ("no slope", lambda x: tf.convert_to_tensor(np.logaddexp(x, -x) - np.log(2))),
        ("other form", curve(grad=lambda u, x: tf.reshape(u * tf.tanh(x), [-1]))),
        ("upstream left out", curve(grad=lambda u, x: 2 * tf.sigmoid(2 * x) - 1)),
        ("slope overflows", curve(grad=lambda u, x: u * tf.sinh(x) / tf.cosh(x))),
        ("second derivative returned", curve(grad=lambda u, x: u / tf.cosh(x) ** 2)),
        ("slope sign wrong", curve(grad=lambda u, x: tf.tanh(-x) * u)),
        ("upstream alone", curve(grad=lambda u, x: 1.0 * u)),
        ("slope of abs", curve(grad=lambda u, x: tf.where(x < 0, -u, u))),
        ("sigmoid as slope", curve(grad=lambda u, x: u / (1 + tf.exp(-x)))),
        ("tanh of abs", curve(grad=lambda u, x: tf.abs(tf.tanh(x)) * u)),
        (
            "x as one number",
            curve(grad=lambda u, x: u * (1 - 2 / (np.exp(2 * float(x)) + 1))),
        ),
        ("slope cut off", curve(grad=lambda u, x: u * tf.stop_gradient(tf.tanh(x)))),
        ("kink at zero", curve(grad=lambda u, x: u * tf.sign(x) * tf.tanh(tf.abs(x)))),
    ],
}

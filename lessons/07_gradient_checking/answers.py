"""Other right answers to lesson 07, and wrong ones that no list holds."""

import keras
import numpy as np
import tensorflow as tf

from course_utils import check_gradients


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


def verdict_by(f, x=None, scale=None, upstream=None):
    """Return a check in float64, with its own way to reach a verdict."""

    def is_right(backward):
        rng = np.random.default_rng(3)
        a = tf.constant(rng.normal(size=(4, 2))) if x is None else x
        s = tf.constant(rng.normal(size=2)) if scale is None else scale
        u = tf.constant(rng.normal(size=(4, 2))) if upstream is None else upstream
        return f(a, s, u, *backward(a, s, u))

    return is_right


def layer_norm(x, s):
    return (x - tf.reduce_mean(x, -1)[:, None]) * s


def by_report(x, s, u, d_x, d_s):
    return check_gradients(lambda x, s: u * layer_norm(x, s), [x, s], grads=[d_x, d_s]).passed


def by_weighted_report(x, s, u, d_x, d_s):
    f = lambda x, s: tf.tensordot(u, layer_norm(x, s), 2)  # noqa: E731
    return check_gradients(f, [x, s], grads=(d_x, d_s)).passed


def two_reports(x, s, u, d_x, d_s):
    of_x = check_gradients(lambda x: tf.reduce_sum(u * layer_norm(x, s)), x, grads=d_x)
    of_s = check_gradients(lambda s: tf.reduce_sum(u * layer_norm(x, s)), s, grads=d_s)
    return of_x.passed and of_s.passed


def by_report_of_x(x, s, u, d_x):
    return check_gradients(lambda x: tf.reduce_sum(u * layer_norm(x, s)), x, grads=d_x).passed


def against_tape(x, s, u, d_x, d_s, **options):
    with tf.GradientTape() as tape:
        tape.watch([x, s])
        y = layer_norm(x, s)
    pairs = zip(tape.gradient(y, [x, s], output_gradients=u), (d_x, d_s), strict=True)
    return all(np.allclose(one, other, **options) for one, other in pairs)


def by_parts(of_x, of_scale):
    """Return a judge that looks at a part of each gradient."""

    def same(x, s, u, d_x, d_s):
        with tf.GradientTape() as tape:
            tape.watch([x, s])
            y = tf.reduce_sum(u * layer_norm(x, s))
        right_x, right_s = tape.gradient(y, [x, s])
        of_parts = (of_x, d_x, right_x), (of_scale, d_s, right_s)
        return all(np.allclose(part(a), part(b), rtol=1e-6, atol=1e-8) for part, a, b in of_parts)

    return same


def ones(*shape):
    return tf.ones(shape, tf.float64)


def numbers(*shape):
    return tf.constant(np.random.default_rng(5).normal(size=shape))


def network_backward(params, x, hidden, error, slope=lambda h: 1 / np.cosh(np.arctanh(h)) ** 2):
    upstream = error / (0.5 * error.shape[0])
    arriving = np.outer(upstream, params["W2"]) * slope(hidden)
    return dict(
        W1=np.einsum("nd,nk->dk", x, arriving),
        b1=np.ones(len(x)) @ arriving,
        W2=np.einsum("nk,no->ko", hidden, upstream),
        b2=sum(upstream),
    )


def network_with(slope):
    return lambda *inputs: network_backward(*inputs, slope=slope)


def network_scaled(**factors):
    def backward(params, x, hidden, error):
        found = network_backward(params, x, hidden, error)
        return {name: factors.get(name, 1) * found[name] for name in found}

    return backward


def network_times(factor):
    return lambda *inputs: {
        k: g * factor(len(inputs[1])) for k, g in network_backward(*inputs).items()
    }


def network_changed(change):
    return lambda *inputs: change(network_backward(*inputs), *inputs)


def network_by_tape(params, x, hidden, error):
    y = hidden @ params["W2"] + params["b2"] - error
    params = {name: tf.Variable(p) for name, p in params.items()}
    with tf.GradientTape() as tape:
        h = tf.tanh(x @ params["W1"] + params["b1"])
        loss = tf.reduce_mean((h @ params["W2"] + params["b2"] - y) ** 2)
    return tape.gradient(loss, params)


def right_value(x):
    return tf.abs(x) + tf.nn.softplus(-2 * tf.abs(x)) - tf.math.log(2.0)


def curve(value=right_value, grad=lambda u, x: tf.tanh(x) * u, wrap=tf.custom_gradient):
    return wrap(lambda x: (value(x), lambda upstream: grad(upstream, x)))


def curve_by_tape(x):
    return tf.nn.softplus(2 * x) - x - np.log(2)


def nothing(*arguments):
    tf.nest.map_structure(tf.square, arguments)


def by_optimizer(w, x, y, rates):
    optimizer, path = keras.optimizers.SGD(), []
    for rate in rates:
        optimizer.learning_rate = rate
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(y - x * w))
        optimizer.apply(tape.gradient(loss, [w]), [w])
        path.append(float(w))
    return path


def traced_for_each(w, x, y, rates):
    path = []
    for rate in rates:

        @tf.function
        def step(rate=rate):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((w * x - y) ** 2)
            w.assign_sub(rate * tape.gradient(loss, w))

        step()
        path.append(tf.identity(w))
    return path


def rate_in_a_variable(assigned):
    def follow(w, x, y, rates):
        rate, path = tf.Variable(rates[0]), []

        @tf.function
        def step():
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((w * x - y) ** 2)
            w.assign_sub(rate * tape.gradient(loss, w))

        for value in rates:
            if assigned:
                rate.assign(value)
            step()
            path.append(w.numpy())
        return path

    return follow


def noted_while_traced(w, x, y, rates):
    path = []

    @tf.function
    def step(rate):
        path.append(w - rate * tf.reduce_mean(2 * x * (w * x - y)))
        w.assign(path[-1])

    for rate in rates:
        step(rate)
    return path


def steps_from(w, x, y, rates):
    for rate in rates:
        yield rate * 2 * tf.reduce_mean(x * (w * x - y))


RIGHT = {
    "07.7": [by_optimizer, traced_for_each, rate_in_a_variable(True)],
    "07.1": [16e-6, 1.599e-5, 0.0064 / 400, np.float64(0.000016), tf.constant(1.6e-5), 0.004**2],
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
    "07.4": [verdict_by(by_weighted_report), verdict_by(two_reports), verdict_by(against_tape)],
    "07.5": [
        curve(),
        tf.function(curve()),
        curve(lambda x: tf.reduce_logsumexp(tf.stack([x, -x]), axis=0) - tf.math.log(2.0)),
        curve(curve_by_tape),
        curve(grad=lambda u, x: [u * (2 * tf.sigmoid(2 * x) - 1)]),
    ],
    "07.6": [
        network_backward,
        lambda *inputs: {k: tf.constant(g) for k, g in network_backward(*inputs).items()},
    ],
}

# Without what the statement demands, and with the same values.
ORACLES = {
    "07.2": [layer_by_tape],
    "07.3": [entropy_by_tape],
    "07.5": [curve_by_tape],
    "07.6": [network_by_tape],
}

WRONG = {
    "07.7": [
        ("first rate throughout", rate_in_a_variable(False)),
        ("last value alone", lambda *inputs: by_optimizer(*inputs).pop()),
        ("first value alone", lambda w, x, y, rates: by_optimizer(w, x, y, rates[:1])),
        ("one number more", lambda w, *inputs: [float(w)] + by_optimizer(w, *inputs)),
        ("one number", lambda *inputs: [2 * by_optimizer(*inputs)[-1]]),
        ("a rate behind", lambda w, x, y, r: by_optimizer(w, x, y, [r[0], *r[:-1]])),
        (
            "tenth by tenth",
            lambda w, x, y, r: by_optimizer(w, x, y, [r[0] * 0.1**i for i in range(len(r))]),
        ),
        (
            "set to the step",
            lambda w, x, y, r: [w.assign(s).numpy() for s in steps_from(w, x, y, r)],
        ),
        ("noted in the graph", noted_while_traced),
        ("returns none", lambda *inputs: print(end="")),
    ],
    "07.1": [
        ("wrote 0.00032", 3.2e-4),
        ("wrote 0", 0),
        ("wrote 0.00016", 0.00016),
        ("wrote 3.2e-05", 3.2e-5),
        ("other form", "1.6e-5"),
    ],
    "07.2": [
        ("by a tape", layer_by_tape),
        ("returned None", nothing),
        ("not three", layer(returned="xW")),
        ("other form", layer(d_b=lambda x, W, u: [tf.reduce_sum(u, axis=0)] * 2)),
        ("examples not added up", layer(d_W=lambda x, W, u: tf.matmul(x, u, transpose_b=True))),
        ("results swapped", layer(returned="Wxb")),
        ("d_x not transposed", layer(d_x=lambda x, W, u: tf.matmul(u, W))),
        ("unexplained", layer(d_x=lambda x, W, u: tf.matmul(x, W, transpose_b=True))),
        ("d_W still transposed", layer(d_W=lambda x, W, u: tf.einsum("ni,nj->ji", x, u))),
        ("factors do not fit", layer(d_W=lambda x, W, u: tf.matmul(u, x))),
    ],
    "07.3": [
        ("by a tape", entropy_by_tape),
        ("returned None", nothing),
        ("sum not mean", summed_losses),
        ("divided by classes", entropy(lambda p, h, n, k: (p - h) * (1 / k))),
        ("divided by entries", lambda z, y: summed_losses(z, y) / tf.cast(tf.size(z), tf.float32)),
        ("wrong sign", entropy(lambda p, h, n, k: -1 / n * tf.subtract(p, h))),
        ("softmax over rows", entropy(axis=0)),
        ("rows averaged away", entropy(lambda p, h, n, k: tf.reduce_sum(p - h, axis=0) / n)),
        ("whole number of rows", lambda z, y: summed_losses(z, y) / tf.size(y)),
        ("fixed classes", lambda z, y: (tf.nn.softmax(z) - tf.one_hot(y, 4)) / len(z)),
    ],
    "07.4": [
        ("looks at d_x alone", verdict_by(lambda x, s, u, d_x, d_s: by_report_of_x(x, s, u, d_x))),
        ("a scale of ones", verdict_by(against_tape, scale=ones(2))),
        ("one row", verdict_by(against_tape, x=numbers(1, 2), upstream=3 * numbers(1, 2) + 1)),
        ("a tolerance too wide", verdict_by(lambda *parts: against_tape(*parts, atol=1))),
        ("looks at d_scale alone", verdict_by(by_parts(lambda d: 0, lambda d: d[0]))),
        ("always True", verdict_by(lambda x, s, u, d_x, d_s: np.isfinite(d_x).all())),
        (
            "refuses what is right",
            verdict_by(lambda x, s, u, d_x, d_s: by_report(x, s, u, d_s, d_x)),
        ),
        ("raised TypeError", lambda: True),
    ],
    "07.5": [
        ("no gradient of one's own", curve_by_tape),
        ("returned None", nothing),
        ("nothing returned", tf.custom_gradient(nothing)),
        ("not decorated", curve(wrap=lambda f: f)),
        ("shape changed", curve(lambda x: tf.reshape(right_value(x), [1]))),
        ("value overflows", curve(lambda x: tf.math.log(tf.exp(x) + tf.exp(-x)) - np.log(2))),
        ("log 2 left out", curve(lambda x: tf.nn.softplus(-2 * tf.abs(x)) + tf.abs(x))),
        ("abs left out", curve(lambda x: x - np.log(2) + tf.nn.softplus(-2 * tf.abs(x)))),
        ("two gradients", curve(grad=lambda u, x: [tf.tanh(x) * u, u])),
        ("other form", curve(grad=lambda u, x: tf.reshape(u * tf.tanh(x), [-1]))),
    ],
    "07.6": [
        ("by a tape", network_by_tape),
        ("returns none", nothing),
        ("gradients in a list", lambda *inputs: [*network_backward(*inputs).values()]),
        ("sum not mean", network_times(lambda n: n)),
        ("the 2 is missing", network_times(lambda n: 0.5)),
        ("neither 2 nor n", network_times(lambda n: n / 2)),
        ("tanh left out", network_with(np.ones_like)),
        ("constant factor", network_scaled(b1=3)),
        ("b2 as a number", network_changed(lambda g, *inputs: g | {"b2": g["b2"].item()})),
        ("factors do not fit", lambda p, x, h, e: {"W1": x.T @ (e @ p["W2"])}),
    ],
}

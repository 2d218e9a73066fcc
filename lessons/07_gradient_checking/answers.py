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


def either_report(x, s, u, d_x, d_s):
    return (
        check_gradients(lambda x: tf.reduce_sum(u * layer_norm(x, s)), x, grads=d_x).passed
        or check_gradients(lambda s: tf.reduce_sum(u * layer_norm(x, s)), s, grads=d_s).passed
    )


def by_report_of_x(x, s, u, d_x):
    return check_gradients(lambda x: tf.reduce_sum(u * layer_norm(x, s)), x, grads=d_x).passed


def against_tape(x, s, u, d_x, d_s, **options):
    with tf.GradientTape() as tape:
        tape.watch([x, s])
        y = layer_norm(x, s)
    pairs = zip(tape.gradient(y, [x, s], output_gradients=u), (d_x, d_s), strict=True)
    return all(np.allclose(one, other, **options) for one, other in pairs)


def by_formula(x, s, u, d_x, d_s):
    d = u * s
    d = d - tf.reduce_mean(d, 1, keepdims=True)
    return np.array_equal(d, d_x) and np.array_equal(tf.reduce_sum(u * layer_norm(x, 1), 0), d_s)


def by_sums(x, s, u, d_x, d_s):
    sums = tf.reduce_sum(d_x), tf.reduce_sum(d_s)
    return np.allclose(sums, (0, tf.reduce_sum(u * layer_norm(x, 1))), atol=1e-6)


def by_authors_formula(x, s, u, d_x, d_s):
    return bool(tf.reduce_all(abs(d_x - u * s) < 1e-6)) and d_s.shape == s.shape


def by_parts(of_x=lambda d: d, of_scale=lambda d: d, rtol_x=1e-6, rtol_scale=1e-6):
    """Return a judge that looks at a part of each gradient, at a tolerance of its own."""

    def same(x, s, u, d_x, d_s):
        with tf.GradientTape() as tape:
            tape.watch([x, s])
            y = tf.reduce_sum(u * layer_norm(x, s))
        right_x, right_s = tape.gradient(y, [x, s])
        of_parts = (of_x, d_x, right_x, rtol_x), (of_scale, d_s, right_s, rtol_scale)
        return all(
            np.allclose(part(a), part(b), rtol=rtol, atol=1e-8) for part, a, b, rtol in of_parts
        )

    return same


def below(x, s, u, d_x, d_s):
    d = u * s
    return bool(np.all(d_x - (d - np.mean(d, axis=1)[:, None]) < 1e-6)) and by_parts(
        of_x=lambda d: 0
    )(x, s, u, d_x, d_s)


def by_plain_sum(x, s, u, d_x, d_s):
    f = lambda x, s: tf.reduce_sum(layer_norm(x, s))  # noqa: E731
    return check_gradients(f, [x, s], grads=(d_x, d_s)).passed


def by_report_of_scale(x, s, u, d_x, d_s):
    return check_gradients(lambda s: tf.reduce_sum(layer_norm(x, s) * u), s, grads=d_s).passed


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


def through_its_gradient(params, x, hidden, error):
    W2 = network_backward(params, x, hidden, error)["W2"]
    return network_backward(params | {"W2": W2}, x, hidden, error)


def network_in_place(params, x, hidden, error):
    error *= 2 / len(error)
    return network_backward(params, x, hidden, error * len(error) / 2)


def network_in_params(params, x, hidden, error):
    params.update(network_backward(params, x, hidden, error))
    return params


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


def summed_squares(w, x, y, rates):
    path = []
    for rate in rates:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((w * x - y) ** 2)
        w.assign_sub(rate * tape.gradient(loss, w))
        path.append(w.numpy())
    return path


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
        ("up the slope", lambda w, x, y, r: by_optimizer(w, x, y, [-one for one in r])),
        ("summed losses", summed_squares),
        (
            "set to the step",
            lambda w, x, y, r: [w.assign(s).numpy() for s in steps_from(w, x, y, r)],
        ),
        ("no rate", lambda w, x, y, r: by_optimizer(w, x, y, [1.0] * len(r))),
        ("index for rate", lambda w, x, y, r: by_optimizer(w, x, y, [*map(float, range(len(r)))])),
        (
            "starts anew",
            lambda w, x, y, r: [by_optimizer(tf.Variable(w + 0), x, y, [one])[0] for one in r],
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
        ("d_W averaged", layer(d_W=lambda x, W, u: tf.reduce_mean(x[..., None] * u[:, None], 0))),
        ("factors do not fit", layer(d_W=lambda x, W, u: tf.matmul(u, x))),
        ("factors do not fit", layer(d_b=lambda x, W, u: tf.squeeze(tf.ones((1, 5)) @ u))),
        ("entry by entry", layer(d_W=lambda x, W, u: tf.multiply(u, x))),
        ("bias per row", layer(d_b=lambda x, W, u: tf.ones_like(u) * u)),
        ("bias averaged", layer(d_b=lambda x, W, u: tf.add_n(tf.unstack(u)) / len(u))),
        ("bias over columns", layer(d_b=lambda x, W, u: tf.linalg.matvec(u, tf.ones(W.shape[1])))),
        ("bias keeps rows", layer(d_b=lambda x, W, u: tf.ones((1, len(u))) @ u)),
        ("bias one number", layer(d_b=lambda x, W, u: np.sum(u))),
    ],
    "07.3": [
        ("by a tape", entropy_by_tape),
        ("returned None", nothing),
        ("sum not mean", summed_losses),
        ("divided by classes", entropy(lambda p, h, n, k: (p - h) * (1 / k))),
        ("divided by entries", lambda z, y: summed_losses(z, y) / tf.cast(tf.size(z), tf.float32)),
        ("wrong sign", entropy(lambda p, h, n, k: -1 / n * tf.subtract(p, h))),
        ("log of softmax", entropy(lambda p, h, n, k: (tf.math.log(p) - h) / n)),
        ("logits divided", lambda z, y: summed_losses(z / len(z), y)),
        ("labels missing", lambda z, y: tf.exp(tf.nn.log_softmax(z)) * (1 / len(y))),
        ("only labels divided", entropy(lambda p, h, n, k: p - tf.where(h > 0, 1 / n, 0.0))),
        ("only probabilities divided", entropy(lambda p, h, n, k: -h + 1 / n * p)),
        ("softmax over rows", entropy(axis=0)),
        ("rows averaged away", entropy(lambda p, h, n, k: tf.reduce_sum(p - h, axis=0) / n)),
        ("rows averaged away", entropy(lambda p, h, n, k: tf.add_n(tf.unstack(p - h))[None] / n)),
        ("columns averaged away", entropy(lambda p, h, n, k: tf.einsum("nk->n", p - h) / n)),
        ("whole number of rows", lambda z, y: summed_losses(z, y) / tf.size(y)),
        ("fixed batch size", lambda z, y: 0.125 * summed_losses(z, y)),
        ("fixed classes", lambda z, y: (tf.nn.softmax(z) - tf.one_hot(y, 4)) / len(z)),
    ],
    "07.4": [
        ("looks at d_x alone", verdict_by(lambda x, s, u, d_x, d_s: by_report_of_x(x, s, u, d_x))),
        ("looks at d_x alone", verdict_by(two_reports, x=tf.zeros((4, 2), tf.float64))),
        ("looks at d_scale alone", verdict_by(by_report_of_scale)),
        ("the author's test", verdict_by(by_report_of_scale, upstream=ones(4, 2))),
        ("the author's test", verdict_by(by_report_of_scale, scale=ones(2), upstream=ones(4, 2))),
        ("an upstream of ones", verdict_by(two_reports, upstream=ones(4, 2))),
        ("a scale of ones", verdict_by(against_tape, scale=ones(2))),
        ("scale and upstream of ones", verdict_by(two_reports, scale=ones(2), upstream=ones(4, 2))),
        ("an x of ones", verdict_by(two_reports, x=ones(4, 2))),
        ("one row", verdict_by(against_tape, x=numbers(1, 2), upstream=3 * numbers(1, 2) + 1)),
        ("upstream is x", verdict_by(two_reports, x=numbers(4, 2), upstream=numbers(4, 2))),
        (
            "upstream alike in a row",
            verdict_by(
                against_tape, upstream=tf.constant([[1.0], [2], [3], [5]], "float64") * ones(4, 2)
            ),
        ),
        ("a tolerance too wide", verdict_by(lambda *parts: against_tape(*parts, atol=1))),
        ("a tolerance too wide", verdict_by(by_sums)),
        ("a tolerance too wide for d_scale", verdict_by(by_parts(rtol_scale=0.05))),
        ("d_x without its sign", verdict_by(by_parts(of_x=lambda d: d**2))),
        ("d_x without its sign", verdict_by(by_parts(of_x=tf.norm, of_scale=tf.norm))),
        ("d_scale without its sign", verdict_by(by_parts(of_scale=abs))),
        ("d_x but its last entry", verdict_by(by_parts(of_x=lambda d: d[:-1]))),
        ("d_x but its last entry", verdict_by(by_parts(of_x=lambda d: d[1]))),
        ("d_x but its first entry", verdict_by(by_parts(of_x=lambda d: d[:, 1]))),
        ("d_x but its first entry", verdict_by(below)),
        ("d_scale but its last entry", verdict_by(by_parts(of_scale=lambda d: d[:1]))),
        ("d_scale but its first entry", verdict_by(by_parts(of_scale=lambda d: d[1:]))),
        ("d_x in any order", verdict_by(by_parts(of_x=lambda d: np.sort(d, axis=0)))),
        ("looks at d_x alone", verdict_by(by_parts(lambda d: d[0], lambda d: 0))),
        ("looks at d_scale alone", verdict_by(by_parts(lambda d: 0, lambda d: d[0]))),
        ("compares every digit", verdict_by(by_formula)),
        ("compares with the author's", verdict_by(by_authors_formula)),
        ("loss without upstream", verdict_by(by_plain_sum)),
        ("backward not called", lambda backward: False),
        ("one of the two is enough", verdict_by(either_report)),
        ("says the opposite", verdict_by(lambda *parts: not against_tape(*parts))),
        ("always True", verdict_by(lambda x, s, u, d_x, d_s: np.isfinite(d_x).all())),
        (
            "refuses what is right",
            verdict_by(lambda x, s, u, d_x, d_s: by_report(x, s, u, d_s, d_x)),
        ),
        ("returns none", verdict_by(nothing)),
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
        ("form miscopied", curve(lambda x: tf.nn.softplus(-tf.abs(x)) + tf.abs(x) - np.log(2))),
        ("form miscopied", curve(lambda x: right_value(x) + np.log(2) - np.log10(2))),
        ("two gradients", curve(grad=lambda u, x: [tf.tanh(x) * u, u])),
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
        ("half of x", curve(grad=lambda u, x: u * (2 * tf.sigmoid(x) - 1))),
        ("tanh of upstream", curve(grad=lambda x, _: x * tf.tanh(x))),
        ("log of a whole number", curve(lambda x: tf.nn.softplus(2 * x) - x - tf.math.log(2))),
        ("abs left out", curve(lambda x: tf.math.log(1 + tf.exp(-2 * x)) + abs(x) - np.log(2))),
        ("tanh of abs", curve(grad=lambda u, x: tf.abs(tf.tanh(x)) * u)),
        ("x as one number", curve(grad=lambda u, x: u * (1 - 2 / (np.exp(2 * float(x)) + 1)))),
        ("slope cut off", curve(grad=lambda u, x: u * tf.stop_gradient(tf.tanh(x)))),
        ("kink at zero", curve(grad=lambda u, x: u * tf.sign(x) * tf.tanh(tf.abs(x)))),
    ],
    "07.6": [
        ("by a tape", network_by_tape),
        ("returns none", nothing),
        ("gradients in a list", lambda *inputs: [*network_backward(*inputs).values()]),
        ("sum not mean", network_times(lambda n: n)),
        ("the 2 is missing", network_times(lambda n: 0.5)),
        ("neither 2 nor n", network_times(lambda n: n / 2)),
        ("wrong sign", network_times(lambda n: -1.0)),
        ("tanh left out", network_with(np.ones_like)),
        ("slope of a sigmoid", network_with(lambda h: h - h * h)),
        ("slope of a relu", network_with(lambda h: np.where(h > 0, 1.0, 0.0))),
        ("tanh of tanh", network_with(lambda h: np.cosh(h) ** -2.0)),
        ("square forgotten", network_with(lambda h: np.subtract(1, h))),
        ("constant factor", network_scaled(b1=3)),
        ("averaged twice", network_times(lambda n: 1 / n)),
        ("averaged twice", network_changed(lambda g, p, x, h, e: g | {"b1": g["b1"] / len(e)})),
        ("b2 as a number", network_changed(lambda g, *inputs: g | {"b2": g["b2"].item()})),
        ("key missing", network_changed(lambda g, *inputs: {"W1": g["W1"], "W2": g["W2"]})),
        ("key missing", network_changed(lambda g, *inputs: {k.upper(): g[k] for k in g})),
        (
            "layers exchanged",
            network_changed(
                lambda g, *inputs: dict(W1=g["W2"], b1=g["b2"], W2=g["W1"], b2=g["b1"])
            ),
        ),
        (
            "met another input",
            network_changed(lambda g, p, x, h, e: g | {"W2": np.dot(x.T, 2 * e / len(e))}),
        ),
        ("factors do not fit", lambda p, x, h, e: {"W1": x.T @ (e @ p["W2"])}),
        ("gradient for weights", through_its_gradient),
        (
            "a step taken",
            network_changed(lambda g, p, *rest: {name: p[name] - 0.1 * g[name] for name in g}),
        ),
        (
            "biases exchanged",
            network_changed(lambda g, *inputs: g | {"b1": g["b2"], "b2": g["b1"]}),
        ),
        (
            "b1 from the output",
            network_changed(lambda g, p, x, h, e: g | {"b1": 2 * e.mean(axis=0)}),
        ),
        ("arguments changed", network_in_place),
        ("arguments changed", network_in_params),
        (
            "b1 before the slope",
            network_changed(lambda g, p, x, h, e: g | {"b1": 2 * np.mean(e @ p["W2"].T, 0)}),
        ),
    ],
}

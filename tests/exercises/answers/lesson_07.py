import numpy as np
import tensorflow as tf

from answers import ERROR, Answers, Wrong


def dense(d_x=None, d_W=None, d_b=None):
    """Return an answer to 07.2 in which some of the three are computed in another way."""

    def dense_backward(x, W, upstream):
        return (
            d_x(x, W, upstream) if d_x else upstream @ tf.transpose(W),
            d_W(x, W, upstream) if d_W else tf.transpose(x) @ upstream,
            d_b(x, W, upstream) if d_b else tf.reduce_sum(upstream, axis=0),
        )

    return dense_backward


def dense_in_numpy(x, W, upstream):
    x, W, upstream = (a.numpy() for a in (x, W, upstream))
    return [np.dot(upstream, W.T), np.einsum("ni,nj->ij", x, upstream), upstream.sum(0)]


def dense_by_tape(x, W, upstream):
    b = tf.zeros(W.shape[1])
    with tf.GradientTape() as tape:
        tape.watch([x, W, b])
        y = x @ W + b
    return tape.gradient(y, [x, W, b], output_gradients=upstream)


def dense_in_another_order(x, W, upstream):
    d_x, d_W, d_b = dense()(x, W, upstream)
    return d_W, d_x, d_b


def cross_entropy_of(gradient):
    """Return an answer to 07.3 from the probabilities and the one-hot labels."""

    def cross_entropy_gradient(logits, labels):
        return gradient(tf.nn.softmax(logits), tf.one_hot(labels, logits.shape[1]))

    return cross_entropy_gradient


def cross_entropy_in_numpy(logits, labels):
    p = np.exp(logits.numpy())
    p /= p.sum(axis=1, keepdims=True)
    p[np.arange(len(p)), labels.numpy()] -= 1
    return p / len(p)


def cross_entropy_by_tape(logits, labels):
    with tf.GradientTape() as tape:
        tape.watch(logits)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        loss = tf.reduce_mean(losses)
    return tape.gradient(loss, logits)


def cross_entropy_over_rows(logits, labels):
    p = tf.nn.softmax(logits, axis=0)
    return (p - tf.one_hot(labels, logits.shape[1])) / len(p)


def mean_cross_entropy(logits, labels):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))


def centered(d_x, d_scale=None):
    """Return an answer to 07.4 with d_x from the direct path, or another d_scale."""

    def centered_backward(x, scale, upstream):
        c = x - tf.reduce_mean(x, axis=1, keepdims=True)
        right = tf.reduce_sum(upstream * c, axis=0)
        scaled = d_scale(x, upstream) if d_scale else right
        return d_x(upstream * scale, x, scale, upstream), scaled

    return centered_backward


def row_mean(a):
    return tf.reduce_mean(a, axis=1, keepdims=True)


def right_centered(g, x, scale, upstream):
    return g - row_mean(g)


def centered_in_numpy(x, scale, upstream):
    x, scale, upstream = (a.numpy() for a in (x, scale, upstream))
    d = x.shape[1]
    g = upstream * scale
    return g @ (np.eye(d) - 1 / d), ((x - x.mean(1)[:, None]) * upstream).sum(0)


def centered_in_another_order(x, scale, upstream):
    return centered(right_centered)(x, scale, upstream)[::-1]


def curve(value=None, grad=None):
    """Return an answer to 07.5 with another value, or another grad(x, upstream)."""

    @tf.custom_gradient
    def log_cosh(x):
        y = value(x) if value else right_value(x)
        return y, lambda upstream: grad(x, upstream) if grad else upstream * tf.tanh(x)

    return log_cosh


def right_value(x):
    return tf.abs(x) + tf.math.log1p(tf.exp(-2 * tf.abs(x))) - tf.math.log(2.0)


def log_cosh_by_softplus(x):
    return tf.nn.softplus(2 * x) - x - np.log(2)


def log_cosh_with_exponentials(x):
    powers = tf.exp(-2 * tf.abs(x))

    def grad(upstream):
        return upstream * (1 - powers) / (1 + powers) * tf.sign(x)

    return right_value(x), grad


@tf.custom_gradient
def log_cosh_with_inner_tape_value(x):
    slope = tf.tanh(x)

    def grad(upstream):
        return slope * upstream

    return tf.nn.softplus(-2 * x) + x - np.log(2), grad


@tf.custom_gradient
def log_cosh_without_grad(x):
    return right_value(x)


@tf.custom_gradient
def log_cosh_with_a_slope(x):
    return right_value(x), tf.tanh(x)


def slope_by_numpy(x, upstream):
    return upstream * np.tanh(x.numpy())


def slope_by_quotient(x, upstream):
    a, b = tf.exp(x), tf.exp(-x)
    return upstream * (a - b) / (a + b)


ANSWERS = {
    "07.1": Answers(
        right=[16e-6, 0.0064 / 400, np.float64(0.000016), tf.constant(1.6e-5), 0.004**2],
        wrong=[
            Wrong(3.2e-4, "that is order 1"),
            Wrong(8e-7, "third power of the step"),
            Wrong(4e-8, "fourth power of the step"),
            Wrong(0.0064, "error of the long step"),
            Wrong(2.56, "The error grew"),
            Wrong(0.128, "The error grew"),
            Wrong(20, "20 is how many times shorter"),
            Wrong(400, "divide 0.0064 by it"),
            Wrong(0.004**2 / 6, "times the third derivative, which is 6"),
            Wrong(-1.6e-5, "lies above 12"),
            Wrong(0, "Not exactly 0"),
            Wrong(12.000016, "This is the result itself"),
            Wrong(12, "the step 0.004, the short one"),
            Wrong(12.0064, "the step 0.004, the short one"),
            Wrong(0.001, "That is not it"),
            Wrong(None, "Write one number"),
            Wrong("1.6e-5", "Write one number"),
        ],
    ),
    "07.2": Answers(
        right=[
            dense_in_numpy,
            dense_by_tape,
            dense(d_b=lambda x, W, u: tf.Variable(sum(u))),
            dense(lambda x, W, u: tf.transpose(W @ tf.transpose(u))),
        ],
        wrong=[
            Wrong(dense(d_W=lambda x, W, u: tf.transpose(u) @ x), "d_W is still transposed"),
            Wrong(dense(d_b=lambda x, W, u: u), "d_b is still upstream itself"),
            Wrong(dense(d_b=lambda x, W, u: tf.reduce_mean(u, axis=0)), "d_b is a mean"),
            Wrong(dense(d_b=lambda x, W, u: tf.reduce_sum(u, axis=1)), "d_b is summed over axis 1"),
            Wrong(dense(d_b=lambda x, W, u: tf.reduce_sum(u, 0, keepdims=True)), "no keepdims"),
            Wrong(dense(d_b=lambda x, W, u: tf.reduce_sum(u)), "the sum over both axes"),
            Wrong(dense(d_b=lambda x, W, u: tf.reduce_max(u, axis=0)), "sum of the rows"),
            Wrong(dense(d_b=lambda x, W, u: u[0]), "sum of the rows"),
            Wrong(dense(d_x=lambda x, W, u: u @ W), "d_x needs W transposed"),
            Wrong(dense(d_x=lambda x, W, u: x), "It was right in the program as given"),
            Wrong(dense(d_W=lambda x, W, u: tf.transpose(x) @ u / len(x)), "d_W is divided by"),
            Wrong(dense(d_W=lambda x, W, u: W), "Try the transposed x @ upstream"),
            Wrong(dense(d_W=lambda x, W, u: x @ u), "Matrix size-incompatible", ERROR),
            Wrong(dense_in_another_order, "d_x and d_W have changed places"),
            Wrong(lambda x, W, u: tf.reduce_sum(u, axis=0), "as one tuple, in this order"),
            Wrong(lambda x, W, u: None, "End it with `return d_x, d_W, d_b`"),
            Wrong(lambda x, W, u: (None, W, u), "d_x is None"),
        ],
    ),
    "07.3": Answers(
        right=[
            cross_entropy_in_numpy,
            cross_entropy_by_tape,
            cross_entropy_of(lambda p, hot: (p - hot) / tf.cast(tf.shape(p)[0], tf.float32)),
        ],
        wrong=[
            Wrong(cross_entropy_of(lambda p, hot: p - hot), "still the gradient of the sum"),
            Wrong(cross_entropy_of(lambda p, hot: (p - hot) / 6), "You divide by 6 in every"),
            Wrong(cross_entropy_of(lambda p, hot: (p - hot) / p.shape[1]), "number of classes"),
            Wrong(
                cross_entropy_of(lambda p, hot: (p - hot) / (p.shape[0] * p.shape[1])),
                "number of entries of logits",
            ),
            Wrong(cross_entropy_of(lambda p, hot: (hot - p) / len(p)), "The sign is wrong"),
            Wrong(cross_entropy_of(lambda p, hot: p / len(p)), "one-hot labels are missing"),
            Wrong(cross_entropy_of(lambda p, hot: p - hot / len(p)), "Only the labels are"),
            Wrong(cross_entropy_of(lambda p, hot: p / len(p) - hot), "Only the probabilities"),
            Wrong(cross_entropy_of(lambda p, hot: tf.reduce_mean(p - hot, 0)), "rows into one"),
            Wrong(cross_entropy_of(lambda p, hot: tf.reduce_mean(p - hot)), "has shape ()"),
            Wrong(cross_entropy_of(lambda p, hot: tf.reduce_mean(p - hot, 1)), "has shape (6,)"),
            Wrong(cross_entropy_of(lambda p, hot: abs(p - hot) / len(p)), "was right"),
            Wrong(cross_entropy_of(lambda p, hot: (p - hot) / len(p) ** 2), "was right"),
            Wrong(cross_entropy_of(lambda p, hot: [p - hot]), "you returned a list of 1 item"),
            Wrong(cross_entropy_of(lambda p, hot: None), "returned None"),
            Wrong(cross_entropy_over_rows, "The softmax runs over the rows"),
            Wrong(mean_cross_entropy, "has shape ()"),
        ],
    ),
    "07.4": Answers(
        right=[
            centered_in_numpy,
            centered(lambda g, x, s, u: g - tf.reduce_sum(g, 1, keepdims=True) / x.shape[1]),
        ],
        wrong=[
            Wrong(centered(lambda g, x, s, u: g), "still holds the direct path alone"),
            Wrong(centered(lambda g, x, s, u: g - tf.reduce_mean(g, 0)), "axis 0"),
            Wrong(centered(lambda g, x, s, u: g - tf.reduce_mean(g)), "the mean of all entries"),
            Wrong(centered(lambda g, x, s, u: g - tf.reduce_mean(g, 1)), "ncompatible", ERROR),
            Wrong(
                centered(lambda g, x, s, u: g - tf.reduce_sum(g, 1, keepdims=True)),
                "You took the sum of each row",
            ),
            Wrong(centered(lambda g, x, s, u: g + row_mean(g)), "The sign is wrong"),
            Wrong(centered(lambda g, x, s, u: -row_mean(g) + 0 * g), "through the mean alone"),
            Wrong(centered(lambda g, x, s, u: s * (u - row_mean(u))), "the order turns round"),
            Wrong(centered(lambda g, x, s, u: s * (x - row_mean(x))), "This is y"),
            Wrong(centered(lambda g, x, s, u: g - row_mean(x)), "took the mean of x from it"),
            Wrong(centered(lambda g, x, s, u: g - row_mean(u)), "Start from upstream * scale"),
            Wrong(centered(lambda g, x, s, u: row_mean(g)), "d_x has shape (5, 1)"),
            Wrong(centered(lambda g, x, s, u: row_mean(g) - g), "The sign of all of d_x"),
            Wrong(centered(lambda g, x, s, u: g - g / x.shape[1]), "for every entry of its row"),
            Wrong(
                centered(lambda g, x, s, u: g - tf.reduce_sum(g, 1, keepdims=True) / len(x)),
                "by the number of rows",
            ),
            Wrong(
                centered(right_centered, lambda x, u: tf.reduce_sum(u * x, axis=0)),
                "d_x is right now",
            ),
            Wrong(centered_in_another_order, "have changed places"),
            Wrong(lambda x, s, u: right_centered(u * s, x, s, u), "Return d_x and d_scale as one"),
            Wrong(lambda x, s, u: None, "returned None"),
        ],
    ),
    "07.5": Answers(
        right=[
            curve(),
            log_cosh_by_softplus,
            tf.function(curve()),
            log_cosh_with_inner_tape_value,
            curve(lambda x: tf.reduce_logsumexp(tf.stack([x, -x])) - tf.math.log(2.0)),
            curve(grad=lambda x, u: [u * (2 * tf.sigmoid(2 * x) - 1)]),
        ],
        wrong=[
            Wrong(lambda x: tf.math.log(tf.cosh(x)), "an exponential overflows"),
            Wrong(curve(lambda x: tf.math.log(tf.cosh(x))), "an exponential overflows"),
            Wrong(
                curve(lambda x: tf.abs(x) + tf.math.log1p(tf.exp(-2 * tf.abs(x)))),
                "too large by log 2",
            ),
            Wrong(
                curve(lambda x: x + tf.math.log1p(tf.exp(-2 * tf.abs(x))) - np.log(2)),
                "both places of the form need |x|",
            ),
            Wrong(curve(tf.tanh), "which is the slope"),
            Wrong(curve(lambda x: x**2 / 2), "term by term"),
            Wrong(right_value, "the second derivative at 0: 0 in place of 1"),
            Wrong(tf.custom_gradient(log_cosh_with_exponentials), "second derivative at 0: 0"),
            Wrong(log_cosh_with_exponentials, "gave a tuple of 2 items, not one tensor"),
            Wrong(lambda x: np.log(np.cosh(x.numpy() / 50)), "not one tensor"),
            Wrong(lambda x: tf.constant(right_value(x).numpy()), "the slope is None"),
            Wrong(curve(grad=lambda x, u: None), "the slope is None"),
            Wrong(curve(grad=lambda x, u: tf.tanh(x)), "does not multiply by upstream"),
            Wrong(curve(grad=slope_by_quotient), "the slope is nan"),
            Wrong(curve(grad=slope_by_numpy), "no path from x to the slope"),
            Wrong(curve(grad=lambda x, u: u * (1 - tf.tanh(x) ** 2)), "the second derivative, 1"),
            Wrong(curve(grad=lambda x, u: -u * tf.tanh(x)), "the wrong sign"),
            Wrong(curve(grad=lambda x, u: u), "upstream alone"),
            Wrong(curve(grad=lambda x, u: u * tf.sign(x)), "the sign of x"),
            Wrong(curve(grad=lambda x, u: u * tf.sigmoid(x)), "that of softplus"),
            Wrong(curve(grad=lambda x, u: u * tf.tanh(tf.abs(x))), "not of |x|"),
            Wrong(curve(grad=lambda x, u: u * x), "It should return upstream * tf.tanh(x)"),
            Wrong(curve(grad=lambda x, u: u * tf.tanh(x)[None]), "grad changes the shape"),
            Wrong(lambda x: None, "log_cosh returned None"),
            Wrong(log_cosh_without_grad, "", ERROR),
            Wrong(log_cosh_with_a_slope, "and then the backward function", ERROR),
        ],
    ),
}

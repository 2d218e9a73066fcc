"""Wrong answers to the questions of lesson 07, and what each is told."""

import numpy as np
import tensorflow as tf

from course_staff.authoring.gallery import Between, Table, Wrong

# 07.1


def about(number):
    return Between(*sorted((0.97 * number, 1.03 * number)))


ERRORS = Table(
    {
        about(0.0064 / 20): "The error fell as much as the step did: that is order 1, a forward "
        "difference. A central difference is of order 2.",
        about(0.0064 / 20**3): "The error fell with the third power of the step. The third "
        "derivative is in it, but the step stands there squared.",
        about(0.0064 / 20**4): "The error fell with the fourth power of the step. Order 2 means "
        "that the step is squared once.",
        about(0.0064): "This is the error of the long step. A shorter step has less truncation.",
        about(0.0064 * 20): "The error grew. A shorter step makes the truncation error smaller.",
        about(0.0064 * 400): "The error grew. A shorter step makes the truncation error smaller.",
        20: "20 is how many times shorter the step is. The question is how far off the result is.",
        400: "400 is how many times smaller the error is. The question is how far off the result "
        "is: divide 0.0064 by it.",
        about(0.004**2 / 6): "This is h²/6 alone. The truncation error of a central difference is "
        "h²/6 times the third derivative, which is 6 for x³.",
        about(-1.6e-5): "The size is right, but the result lies above 12, as it did with the long "
        "step.",
        Between(0, 0): "Not exactly 0: the third derivative of x³ is 6, so some truncation error "
        "is left at any step. By which factor does an error of order 2 shrink?",
        Between(12, 12): "How far from 12 is the result with the step 0.004, the short one?",
        Between(12.006399, 12.006401): "How far from 12 is the result with the step 0.004, the "
        "short one?",
        Between(11.99, 12.01): "This is the result itself. How far is it from 12?",
    },
    "That is not it. The step is 0.08 / 0.004 times shorter: how many times smaller does that "
    "make an error that goes with the square of the step?",
)

# 07.2


def dense(d_x=None, d_W=None, d_b=None, returned=(0, 1, 2)):
    """Return an answer to 07.2 in which some of the three are computed in another way."""

    def dense_backward(x, W, upstream):
        parts = (
            d_x(x, W, upstream) if d_x else upstream @ tf.transpose(W),
            d_W(x, W, upstream) if d_W else tf.transpose(x) @ upstream,
            d_b(x, W, upstream) if d_b else tf.reduce_sum(upstream, axis=0),
        )
        return tuple(parts[i] for i in returned)

    return dense_backward


def still_transposed(x, W, u):
    return tf.transpose(u) @ x


LAYERS = [
    Wrong(
        "results swapped",
        "d_x and d_W have changed places. Return d_x first, then d_W, then d_b.",
        dense(returned=(1, 0, 2)),
        dense(d_W=still_transposed, returned=(1, 0, 2)),
    ),
    Wrong(
        "d_x not transposed",
        "d_x needs W transposed, as in the program given: upstream @ tf.transpose(W).",
        dense(d_x=lambda x, W, u: u @ W),
    ),
    Wrong(
        "d_x spoilt",
        "d_x was right in the program as given: upstream @ tf.transpose(W). Change d_W and d_b.",
        dense(d_x=lambda x, W, u: x),
        dense(d_x=lambda x, W, u: u),
        dense(d_x=lambda x, W, u: x @ W),
        dense(d_x=lambda x, W, u: u @ tf.transpose(W) / len(x)),
    ),
    Wrong(
        "d_W still transposed",
        "d_W is still transposed: its entry [i, j] should belong to input i and output j. "
        "Exchange the factors, so that x is the transposed one.",
        dense(d_W=still_transposed),
    ),
    Wrong(
        "d_W averaged",
        "d_W is divided by the number of rows. upstream already holds whatever the loss divided "
        "by, so the rows are added up: no mean.",
        dense(d_W=lambda x, W, u: tf.transpose(x) @ u / len(x)),
    ),
    Wrong(
        "d_W from W",
        "d_W does not depend on W: it comes from x and upstream alone. Try the transposed x "
        "@ upstream.",
        dense(d_W=lambda x, W, u: W),
        dense(d_W=lambda x, W, u: tf.transpose(W)),
        dense(d_W=lambda x, W, u: W @ tf.transpose(u) @ u),
    ),
    Wrong(
        "factors do not fit",
        "The two sides of a matrix product do not fit here. x and upstream are both (n, d), and "
        "d_W is (d, d): put the transposed x first, and upstream second.",
        dense(d_W=lambda x, W, u: x @ u),
    ),
    Wrong(
        "bias per row",
        "d_b is still upstream itself, one row for each example. b was added to every row, so its "
        "gradient is the sum over the rows: axis=0.",
        dense(d_b=lambda x, W, u: u),
    ),
    Wrong(
        "bias averaged",
        "d_b is a mean over the rows, and must be their sum: each row adds its own part. upstream "
        "already holds whatever the loss divided by.",
        dense(d_b=lambda x, W, u: tf.reduce_mean(u, axis=0)),
    ),
    Wrong(
        "bias over columns",
        "d_b is summed over axis 1. Sum over the rows, axis=0: b has one per column.",
        dense(d_b=lambda x, W, u: tf.reduce_sum(u, axis=1)),
    ),
    Wrong(
        "bias keeps rows",
        "d_b has the right sums in the shape (1, d). b has shape (d,): no keepdims.",
        dense(d_b=lambda x, W, u: tf.reduce_sum(u, axis=0, keepdims=True)),
    ),
    Wrong(
        "bias one number",
        "d_b is one number: the sum over both axes. Sum over the rows only, axis=0.",
        dense(d_b=lambda x, W, u: tf.reduce_sum(u)),
    ),
    Wrong(
        "bias not added up",
        "d_b has one entry for each column, but they are not the sums of the columns. b was added "
        "to every row, so its gradient is the sum of the rows of upstream.",
        dense(d_b=lambda x, W, u: u[0]),
        dense(d_b=lambda x, W, u: u[-1]),
        dense(d_b=lambda x, W, u: tf.reduce_max(u, axis=0)),
        dense(d_b=lambda x, W, u: tf.ones_like(u[0])),
        dense(d_b=lambda x, W, u: tf.reduce_sum(x, axis=0)),
    ),
]

# 07.3


def cross_entropy_of(gradient, axis=-1):
    """Return an answer to 07.3 from the probabilities p, the one-hot labels and the row count."""

    def cross_entropy_gradient(logits, labels):
        p = tf.nn.softmax(logits, axis=axis)
        return gradient(p, tf.one_hot(labels, logits.shape[1]), logits.shape[0])

    return cross_entropy_gradient


def from_labels(labels_of):
    return lambda logits, labels: (tf.nn.softmax(logits) - labels_of(labels)) / len(logits)


MEANS = [
    Wrong(
        "sum not mean",
        "This is still the gradient of the sum of the losses: too large by the number of rows, "
        "which differs from batch to batch. Divide by it.",
        cross_entropy_of(lambda p, hot, n: p - hot),
    ),
    Wrong(
        "divided by classes",
        "You divided by the number of classes. The mean is over the rows: shape[0].",
        cross_entropy_of(lambda p, hot, n: (p - hot) / p.shape[1]),
    ),
    Wrong(
        "divided by entries",
        "You divided by the number of entries of logits. There is one loss for each row, so the "
        "mean is over the rows alone.",
        cross_entropy_of(lambda p, hot, n: (p - hot) / (n * p.shape[1])),
    ),
    Wrong(
        "divided twice",
        "You divided by the number of rows twice. The difference of the probabilities and the "
        "one-hot labels, divided once, is the gradient of the mean.",
        cross_entropy_of(lambda p, hot, n: (p - hot) / n**2),
    ),
    Wrong(
        "fixed batch size",
        "You divide by the same number in every batch, but batches differ in size. Take the number "
        "of rows of logits: logits.shape[0].",
        *(
            cross_entropy_of(lambda p, hot, n, size=size: (p - hot) / size)
            for size in (2, 3, 4, 5, 6, 7, 8, 10, 16, 32)
        ),
    ),
    Wrong(
        "wrong sign",
        "The sign is wrong: it is probabilities minus the one-hot labels.",
        cross_entropy_of(lambda p, hot, n: (hot - p) / n),
        cross_entropy_of(lambda p, hot, n: hot - p),
    ),
    Wrong(
        "labels missing",
        "The one-hot labels are missing: divide their difference, not one of them.",
        cross_entropy_of(lambda p, hot, n: p / n),
        cross_entropy_of(lambda p, hot, n: p),
    ),
    Wrong(
        "only labels divided",
        "Only the labels are divided. Put the difference in parentheses first.",
        cross_entropy_of(lambda p, hot, n: p - hot / n),
    ),
    Wrong(
        "only probabilities divided",
        "Only the probabilities are divided. Put the difference in parentheses first.",
        cross_entropy_of(lambda p, hot, n: p / n - hot),
    ),
    Wrong(
        "softmax over rows",
        "The softmax runs over the rows. Each row is one example: leave axis=-1.",
        cross_entropy_of(lambda p, hot, n: (p - hot) / n, axis=0),
        cross_entropy_of(lambda p, hot, n: p - hot, axis=0),
    ),
    Wrong(
        "rows averaged away",
        "You averaged the rows into one. Each logit has a gradient of its own: divide by the "
        "number of rows, and keep the shape of logits.",
        cross_entropy_of(lambda p, hot, n: tf.reduce_mean(p - hot, axis=0)),
    ),
    Wrong(
        "columns averaged away",
        "You averaged over the classes: one number for each row is left. Each logit has a gradient "
        "of its own: divide by the number of rows, and keep the shape of logits.",
        cross_entropy_of(lambda p, hot, n: tf.reduce_mean(p - hot, axis=1)),
    ),
    Wrong(
        "one number",
        "You returned one number, as the loss is. Each logit has a gradient of its own: divide by "
        "the number of rows, and keep the shape of logits.",
        cross_entropy_of(lambda p, hot, n: -tf.reduce_mean(tf.reduce_sum(hot * tf.math.log(p), 1))),
    ),
    Wrong(
        "labels not one-hot",
        "The labels are class numbers. What is subtracted from the probabilities is their one-hot "
        "rows, tf.one_hot(labels, logits.shape[1]), as in the program given.",
        from_labels(lambda labels: labels),
        from_labels(lambda labels: tf.cast(labels, tf.float32)),
        from_labels(lambda labels: labels[:, None]),
        from_labels(lambda labels: tf.cast(labels, tf.float32)[:, None]),
    ),
    Wrong(
        "fixed classes",
        "The one-hot rows and the logits have different numbers of columns. It is logits.shape[1] "
        "that says how many classes there are, in every batch.",
        from_labels(lambda labels: tf.one_hot(labels, 3)),
    ),
]

# 07.4


def centered(d_x, d_scale=None, returned=(0, 1)):
    """Return an answer to 07.4 with d_x of the direct path g, or another d_scale."""

    def centered_backward(x, scale, upstream):
        c = x - row_mean(x)
        parts = (
            d_x(upstream * scale, x, scale, upstream),
            d_scale(x, c, upstream) if d_scale else tf.reduce_sum(upstream * c, axis=0),
        )
        return tuple(parts[i] for i in returned)

    return centered_backward


def row_mean(a):
    return tf.reduce_mean(a, axis=1, keepdims=True)


def row_sum(a):
    return tf.reduce_sum(a, axis=1, keepdims=True)


def right_d_x(g, x, s, u):
    return g - row_mean(g)


CENTERED = [
    Wrong(
        "results swapped",
        "The two have changed places. Return d_x first, then d_scale.",
        centered(right_d_x, returned=(1, 0)),
        centered(lambda g, x, s, u: g, returned=(1, 0)),
    ),
    Wrong(
        "direct path alone",
        "d_x still holds the direct path alone. Every entry of x also moves the mean of its row, "
        "and with it every entry of that row.",
        centered(lambda g, x, s, u: g),
    ),
    Wrong(
        "mean over axis 0",
        "You took the mean over axis 0. The mean belongs to a row: axis=1.",
        centered(lambda g, x, s, u: g - tf.reduce_mean(g, axis=0)),
    ),
    Wrong(
        "mean of everything",
        "You took the mean of all entries. Each row has its own: axis=1, keepdims.",
        centered(lambda g, x, s, u: g - tf.reduce_mean(g)),
    ),
    Wrong(
        "axis lost",
        "The mean of each row has lost its axis: it has shape (n,), which does not fit (n, d). "
        "Keep the axis, with keepdims=True.",
        centered(lambda g, x, s, u: g - tf.reduce_mean(g, axis=1)),
    ),
    Wrong(
        "sum of the row",
        "You took the sum of each row. An entry of x adds only 1/d to its row's mean, so it is the "
        "mean of the row that must go.",
        centered(lambda g, x, s, u: g - row_sum(g)),
    ),
    Wrong(
        "mean added",
        "The sign is wrong: the mean is subtracted going forward, so also back.",
        centered(lambda g, x, s, u: g + row_mean(g)),
    ),
    Wrong(
        "all signs wrong",
        "The sign of all of d_x is wrong: the direct path, d_centered, has a plus.",
        centered(lambda g, x, s, u: row_mean(g) - g),
    ),
    Wrong(
        "own place only",
        "You counted what an entry of x does to its own place through the mean. It moves the mean "
        "for every entry of its row, so the whole row of d_centered comes in.",
        centered(lambda g, x, s, u: g - g / x.shape[1]),
    ),
    Wrong(
        "divided by rows",
        "You divided the sum of a row by the number of rows. A row has d entries, and its mean is "
        "the sum divided by d.",
        centered(lambda g, x, s, u: g - row_sum(g) / len(x)),
    ),
    Wrong(
        "mean path alone",
        "This is the path through the mean alone. Add the direct one, d_centered.",
        centered(lambda g, x, s, u: -row_mean(g) + 0 * g),
        centered(lambda g, x, s, u: -row_mean(g)),
    ),
    Wrong(
        "centred before scaling",
        "You centred upstream and scaled it afterwards. Going back, the order turns round: first "
        "times scale, then minus the mean of the row.",
        centered(lambda g, x, s, u: s * (u - row_mean(u))),
    ),
    Wrong(
        "forward pass",
        "This is y, the result of the forward pass. Use upstream, not x, in d_x.",
        centered(lambda g, x, s, u: s * (x - row_mean(x))),
    ),
    Wrong(
        "mean of x",
        "You took the mean of x from it. It is d_centered whose row mean must go.",
        centered(lambda g, x, s, u: g - row_mean(x)),
    ),
    Wrong(
        "mean of upstream",
        "You took the mean of upstream from it. It is d_centered, upstream * scale, whose row mean "
        "must go.",
        centered(lambda g, x, s, u: g - row_mean(u)),
    ),
    Wrong(
        "scale left out",
        "This is upstream minus its row means: scale is missing. Start from d_centered, which is "
        "upstream * scale.",
        centered(lambda g, x, s, u: u - row_mean(u)),
    ),
    Wrong(
        "d_scale spoilt",
        "d_x is right now, but d_scale is not. It was right in the program as given: upstream * "
        "centered, added up over the rows.",
        centered(right_d_x, lambda x, c, u: tf.reduce_sum(u * x, axis=0)),
        centered(right_d_x, lambda x, c, u: tf.reduce_mean(u * c, axis=0)),
        centered(right_d_x, lambda x, c, u: tf.reduce_sum(u, axis=0)),
        centered(right_d_x, lambda x, c, u: u * c),
    ),
]

# 07.5


def curve(value=None, grad=None, decorated=True):
    """Return an answer to 07.5 with another value, or another grad(x, upstream)."""

    def log_cosh(x):
        y = value(x) if value else right_value(x)
        return y, lambda upstream: grad(x, upstream) if grad else upstream * tf.tanh(x)

    return tf.custom_gradient(log_cosh) if decorated else log_cosh


def right_value(x):
    size = tf.abs(x)
    return size + tf.math.log1p(tf.exp(-2 * size)) - np.log(2)


def tail(x):
    return tf.math.log1p(tf.exp(-2 * x))


def without_path(x):
    return tf.constant(right_value(x).numpy())


CURVES = [
    Wrong(
        "not decorated",
        "log_cosh(x) gave a pair, not one tensor. Keep @tf.custom_gradient above the function: "
        "without it nobody calls grad.",
        curve(decorated=False),
    ),
    Wrong(
        "nothing returned",
        "The function under @tf.custom_gradient returned None. It returns two things: the value, "
        "and the function grad.",
        tf.custom_gradient(lambda x: None),
    ),
    Wrong(
        "no grad returned",
        "The function under @tf.custom_gradient returned the value alone. It returns two things: "
        "the value, and the function grad.",
        tf.custom_gradient(right_value),
    ),
    Wrong(
        "shape changed",
        "log_cosh works entry by entry: the value must have the shape of x, whatever that is. No "
        "sum, and no new axis.",
        curve(lambda x: tf.reduce_sum(right_value(x))),
        curve(lambda x: right_value(x)[None]),
        curve(lambda x: tf.reshape(right_value(x), ())),
        curve(lambda x: tf.reduce_logsumexp(tf.stack([x, -x])) - np.log(2)),
    ),
    Wrong(
        "value overflows",
        "At x = 100 or -100 the value is not finite: an exponential overflows. Write it as in the "
        "statement, with exp(-2|x|), which never exceeds 1.",
        curve(lambda x: tf.math.log(tf.cosh(x))),
        curve(lambda x: x + tail(x) - np.log(2)),
        curve(lambda x: tf.math.log1p(tf.exp(2 * x)) - x - np.log(2)),
    ),
    Wrong(
        "log 2 left out",
        "The value is too large by log 2 everywhere: at 0 it must be 0. Subtract it.",
        curve(lambda x: tf.abs(x) + tail(tf.abs(x))),
    ),
    Wrong(
        "abs left out",
        "Negative x come out wrong: both places of the form need |x|, tf.abs(x).",
        curve(lambda x: x + tail(tf.abs(x)) - np.log(2)),
    ),
    Wrong(
        "value is the slope",
        "The value is tanh(x), which is the slope. Return log(cosh(x)), and grad.",
        curve(tf.tanh),
    ),
    Wrong(
        "no slope",
        "The values are right, and the slope is None. Either grad returns None, or the value "
        "comes from NumPy and there is no grad.",
        curve(grad=lambda x, u: None),
        without_path,
    ),
    Wrong(
        "grad changes the shape",
        "What grad returns has not the shape of x. It multiplies upstream by tf.tanh(x), entry by "
        "entry: no sum, and no new axis.",
        curve(grad=lambda x, u: (u * tf.tanh(x))[None]),
        curve(grad=lambda x, u: tf.reduce_sum(u * tf.tanh(x))),
        curve(grad=lambda x, u: tf.reshape(u * tf.tanh(x), (1, -1))),
    ),
    Wrong(
        "slope overflows",
        "The values are right, but at x = 100 or -100 the slope is not finite. In grad, use "
        "tf.tanh(x), which is finite everywhere, and not a quotient of exponentials.",
        curve(grad=lambda x, u: u * (tf.exp(x) - tf.exp(-x)) / (tf.exp(x) + tf.exp(-x))),
        curve(grad=lambda x, u: u * (tf.exp(2 * x) - 1) / (tf.exp(2 * x) + 1)),
        curve(grad=lambda x, u: u * (1 - tf.exp(-2 * x)) / (1 + tf.exp(-2 * x))),
    ),
    Wrong(
        "second derivative returned",
        "grad returns the second derivative, 1 - tanh(x)². The slope is tanh(x).",
        curve(grad=lambda x, u: u * (1 - tf.tanh(x) ** 2)),
        curve(grad=lambda x, u: 1 - tf.tanh(x) ** 2),
    ),
    Wrong(
        "slope sign wrong",
        "The slope has the wrong sign: it is +tanh(x).",
        curve(grad=lambda x, u: -u * tf.tanh(x)),
    ),
    Wrong(
        "upstream alone",
        "grad returns upstream alone. Multiply it by the slope, tanh(x).",
        curve(grad=lambda x, u: u),
    ),
    Wrong(
        "slope of abs",
        "The slope is the sign of x, right only far from 0. Use tanh(x).",
        curve(grad=lambda x, u: u * tf.sign(x)),
        curve(grad=lambda x, u: u * (2 * tf.cast(x >= 0, tf.float32) - 1)),
        curve(grad=lambda x, u: u * (2 * tf.cast(x > 0, tf.float32) - 1)),
    ),
    Wrong(
        "sigmoid as slope",
        "The slope is the sigmoid, that of softplus. Here it is tanh(x).",
        curve(grad=lambda x, u: u * tf.sigmoid(x)),
        curve(grad=lambda x, u: u * tf.sigmoid(2 * x)),
    ),
    Wrong(
        "tanh of abs",
        "For negative x the slope is negative: take tanh of x, not of |x|.",
        curve(grad=lambda x, u: u * tf.tanh(tf.abs(x))),
    ),
    Wrong(
        "slope is no tanh",
        "The values are right, but what grad returns is not the slope. It should return "
        "upstream * tf.tanh(x).",
        curve(grad=lambda x, u: u * x),
        curve(grad=lambda x, u: u * right_value(x)),
        curve(grad=lambda x, u: u + tf.tanh(x)),
        curve(grad=lambda x, u: u / tf.tanh(x)),
    ),
    Wrong(
        "upstream left out",
        "The slope is right, but the slope of 3 * log_cosh(x) is not three times as large: grad "
        "does not multiply by upstream, as the chain rule asks.",
        curve(grad=lambda x, u: tf.tanh(x)),
    ),
    Wrong(
        "slope cut off",
        "Values and slopes are right, but the second derivative is None: there is no path from x "
        "to the slope. Compute it with TensorFlow's tanh, from x itself, without .numpy().",
        curve(grad=lambda x, u: u * np.tanh(x.numpy())),
    ),
    Wrong(
        "x as one number",
        "x is a tensor of any shape, and only a single number can become a float. It would also "
        "cut the path from x to the slope: compute with TensorFlow's functions, from x itself.",
        curve(grad=lambda x, u: u * np.tanh(float(x))),
    ),
    Wrong(
        "kink at zero",
        "All is right but the second derivative at 0: 0 in place of 1. The slope still goes "
        "through abs, which has a kink there; let grad use tf.tanh(x).",
        right_value,
    ),
]

GALLERY = {
    "07.1": ERRORS,
    "07.2": LAYERS,
    "07.3": MEANS,
    "07.4": CENTERED,
    "07.5": CURVES,
}

"""Wrong answers to the questions of lesson 07, and what each is told."""

from functools import partial

import numpy as np
import tensorflow as tf

from course_utils import check_gradients
from course_utils.exercises import Between, Table, Wrong

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
        about(
            0.0064
        ): "This is about the error of the long step. A shorter step has less truncation: "
        "by which factor does an error of order 2 shrink?",
        about(0.0064 * 20): "The error grew. A shorter step makes the truncation error smaller.",
        about(0.0064 * 400): "The error grew. A shorter step makes the truncation error smaller.",
        about(1.6e-4): "The point is one place off: divide 0.0064 by 20 twice.",
        about(1.6e-6): "The point is one place off: divide 0.0064 by 20 twice.",
        about(1e-5): "Do not round to one digit: divide 0.0064 by 20 twice.",
        about(2e-5): "Do not round to one digit: divide 0.0064 by 20 twice.",
        about(0.004 / 2 * 12): "h/2 times the second derivative is the error of a forward "
        "difference. Here it is a central one, of order 2.",
        16: "In which unit? Write the number itself, such as 0.003.",
        20: "20 is how many times shorter the step is. The question is how far off the result is.",
        400: "400 is how many times smaller the error is. The question is how far off the result "
        "is: divide 0.0064 by it.",
        about(0.004**2 / 6): "This is h²/6 alone. The truncation error of a central difference is "
        "h²/6 times the third derivative, which is 6 for x³.",
        about(
            3.2e-5
        ): "This is twice the error. The third derivative of x³, which stands behind h²/6, "
        "is 6; 12 is the slope.",
        about(
            1.6e-5 / 12
        ): "This is the error as a part of 12. The question is how far from 12 the result is.",
        about(
            -9.536743e-5
        ): "This is the rounding of float32, not the truncation error. Compute in float64.",
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


LAYERS = {
    "results swapped": Wrong(
        "d_x and d_W have changed places. Return d_x first, then d_W, then d_b.",
        dense(returned=(1, 0, 2)),
        dense(d_W=still_transposed, returned=(1, 0, 2)),
    ),
    "d_x not transposed": Wrong(
        "d_x needs W transposed, as in the program given: upstream @ tf.transpose(W).",
        dense(d_x=lambda x, W, u: u @ W),
    ),
    "d_x spoilt": Wrong(
        "d_x was right in the program as given: upstream @ tf.transpose(W). Change d_W and d_b.",
        dense(d_x=lambda x, W, u: x),
        dense(d_x=lambda x, W, u: u),
        dense(d_x=lambda x, W, u: x @ W),
        dense(d_x=lambda x, W, u: u @ tf.transpose(W) / len(x)),
    ),
    "not three": Wrong(
        "Return three things: d_x, d_W and d_b, in this order, with commas between them.",
        *(dense(returned=returned) for returned in ((0, 1), (0, 2), (1, 2), (0, 1, 2, 2))),
    ),
    "examples not added up": Wrong(
        "d_W has a row and a column for each example. The examples have to be added up: put the "
        "transposed x first, and upstream second.",
        dense(d_W=lambda x, W, u: x @ tf.transpose(u)),
    ),
    "d_W still transposed": Wrong(
        "d_W is still transposed: its entry [i, j] should belong to input i and output j. "
        "Exchange the factors, so that x is the transposed one.",
        dense(d_W=still_transposed),
    ),
    "d_W averaged": Wrong(
        "d_W is divided by the number of rows. upstream already holds whatever the loss divided "
        "by, so the rows are added up: no mean.",
        dense(d_W=lambda x, W, u: tf.transpose(x) @ u / len(x)),
    ),
    "d_W from W": Wrong(
        "d_W does not depend on W: it comes from x and upstream alone. Try the transposed x "
        "@ upstream.",
        dense(d_W=lambda x, W, u: W),
        dense(d_W=lambda x, W, u: tf.transpose(W)),
        dense(d_W=lambda x, W, u: W @ tf.transpose(u) @ u),
    ),
    "entry by entry": Wrong(
        "d_W multiplies x and upstream entry by entry. Its entry [i, j] adds up over the rows: take "
        "a matrix product, @, and not *.",
        dense(d_W=lambda x, W, u: tf.transpose(x * u)),
        dense(d_W=lambda x, W, u: x * u),
    ),
    "factors do not fit": Wrong(
        "The two sides of a matrix product do not fit here. d_x was right in the program as given; for "
        "d_W put the transposed x first, and upstream second. For d_b fix no number of rows: batches "
        "differ in size.",
        dense(d_W=lambda x, W, u: x @ u),
    ),
    "bias per row": Wrong(
        "d_b is still upstream itself, one row for each example. b was added to every row, so its "
        "gradient is the sum over the rows: axis=0.",
        dense(d_b=lambda x, W, u: u),
    ),
    "bias averaged": Wrong(
        "d_b is a mean over the rows, and must be their sum: each row adds its own part. upstream "
        "already holds whatever the loss divided by.",
        dense(d_b=lambda x, W, u: tf.reduce_mean(u, axis=0)),
    ),
    "bias over columns": Wrong(
        "d_b is summed over axis 1. Sum over the rows, axis=0: b has one per column.",
        dense(d_b=lambda x, W, u: tf.reduce_sum(u, axis=1)),
    ),
    "bias keeps rows": Wrong(
        "d_b has the right sums in the shape (1, d). b has shape (d,): no keepdims.",
        dense(d_b=lambda x, W, u: tf.reduce_sum(u, axis=0, keepdims=True)),
    ),
    "bias one number": Wrong(
        "d_b is one number: the sum over both axes. Sum over the rows only, axis=0.",
        dense(d_b=lambda x, W, u: tf.reduce_sum(u)),
    ),
    "bias not added up": Wrong(
        "d_b has one entry for each column, but they are not the sums of the columns. b was added "
        "to every row, so its gradient is the sum of the rows of upstream.",
        dense(d_b=lambda x, W, u: u[0]),
        dense(d_b=lambda x, W, u: u[-1]),
        dense(d_b=lambda x, W, u: tf.reduce_max(u, axis=0)),
        dense(d_b=lambda x, W, u: tf.ones_like(u[0])),
        dense(d_b=lambda x, W, u: tf.reduce_sum(x, axis=0)),
    ),
}

# 07.3


def cross_entropy_of(gradient, axis=-1):
    """Return an answer to 07.3 from the probabilities p, the one-hot labels and the row count."""

    def cross_entropy_gradient(logits, labels):
        p = tf.nn.softmax(logits, axis=axis)
        return gradient(p, tf.one_hot(labels, logits.shape[1]), logits.shape[0])

    return cross_entropy_gradient


def from_labels(labels_of):
    return lambda logits, labels: (tf.nn.softmax(logits) - labels_of(labels)) / len(logits)


def of_activation(activation):
    """Return an answer to 07.3 that turns logits into something else than probabilities."""

    def cross_entropy_gradient(logits, labels):
        return (activation(logits) - tf.one_hot(labels, logits.shape[1])) / logits.shape[0]

    return cross_entropy_gradient


MEANS = {
    "no softmax": Wrong(
        "The logits stand in place of the probabilities. The slope of a cross-entropy is softmax of "
        "the logits, minus the one-hot row.",
        of_activation(tf.identity),
    ),
    "sigmoid for softmax": Wrong(
        "sigmoid takes each logit by itself. One of k classes is right, so the probabilities of a "
        "row come from softmax, and add up to 1.",
        of_activation(tf.sigmoid),
    ),
    "log of softmax": Wrong(
        "log_softmax gives the logarithms of the probabilities. The slope of a cross-entropy is made of "
        "the probabilities themselves: softmax.",
        of_activation(tf.nn.log_softmax),
    ),
    "logits divided": Wrong(
        "The logits are divided by the number of rows, in front of the softmax. The mean is taken of "
        "the losses: divide the difference of probabilities and labels.",
        lambda z, y: tf.nn.softmax(z / z.shape[0]) - tf.one_hot(y, z.shape[1]),
        of_activation(lambda z: tf.nn.softmax(z / z.shape[0])),
    ),
    "sum not mean": Wrong(
        "This is still the gradient of the sum of the losses: too large by the number of rows, "
        "which differs from batch to batch. Divide by it.",
        cross_entropy_of(lambda p, hot, n: p - hot),
    ),
    "divided by classes": Wrong(
        "You divided by the number of classes. The mean is over the rows: shape[0].",
        cross_entropy_of(lambda p, hot, n: (p - hot) / p.shape[1]),
    ),
    "divided by entries": Wrong(
        "You divided by the number of entries of logits. There is one loss for each row, so the "
        "mean is over the rows alone.",
        cross_entropy_of(lambda p, hot, n: (p - hot) / (n * p.shape[1])),
    ),
    "divided twice": Wrong(
        "You divided by the number of rows twice. The difference of the probabilities and the "
        "one-hot labels, divided once, is the gradient of the mean.",
        cross_entropy_of(lambda p, hot, n: (p - hot) / n**2),
    ),
    "multiplied by rows": Wrong(
        "You multiplied by the number of rows. A mean is the sum divided by it, and so is its "
        "gradient.",
        cross_entropy_of(lambda p, hot, n: (p - hot) * n),
    ),
    "fixed batch size": Wrong(
        "You divide by the same number in every batch, but batches differ in size. Take the number "
        "of rows of logits: logits.shape[0].",
        *(
            cross_entropy_of(lambda p, hot, n, size=size: (p - hot) / size)
            for size in (2, 3, 4, 5, 6, 7, 8, 10, 16, 32)
        ),
    ),
    "wrong sign": Wrong(
        "The sign is wrong: it is probabilities minus the one-hot labels.",
        cross_entropy_of(lambda p, hot, n: (hot - p) / n),
        cross_entropy_of(lambda p, hot, n: hot - p),
    ),
    "labels missing": Wrong(
        "The one-hot labels are missing: divide their difference, not one of them.",
        cross_entropy_of(lambda p, hot, n: p / n),
        cross_entropy_of(lambda p, hot, n: p),
    ),
    "only labels divided": Wrong(
        "Only the labels are divided. Put the difference in parentheses first.",
        cross_entropy_of(lambda p, hot, n: p - hot / n),
    ),
    "only probabilities divided": Wrong(
        "Only the probabilities are divided. Put the difference in parentheses first.",
        cross_entropy_of(lambda p, hot, n: p / n - hot),
    ),
    "softmax over rows": Wrong(
        "The softmax runs over the rows. Each row is one example: leave axis=-1.",
        cross_entropy_of(lambda p, hot, n: (p - hot) / n, axis=0),
        cross_entropy_of(lambda p, hot, n: p - hot, axis=0),
    ),
    "rows averaged away": Wrong(
        "You averaged the rows into one. Each logit has a gradient of its own: divide by the "
        "number of rows, and keep the shape of logits.",
        cross_entropy_of(lambda p, hot, n: tf.reduce_mean(p - hot, axis=0)),
        cross_entropy_of(lambda p, hot, n: tf.reduce_mean(p - hot, axis=0, keepdims=True)),
    ),
    "columns averaged away": Wrong(
        "You added up over the classes, or averaged: one number for each row is left. Each logit "
        "has a gradient of its own: divide by the number of rows, and keep the shape of logits.",
        cross_entropy_of(lambda p, hot, n: tf.reduce_mean(p - hot, axis=1)),
        cross_entropy_of(lambda p, hot, n: tf.reduce_mean(p - hot, axis=1, keepdims=True)),
    ),
    "one number": Wrong(
        "You returned one number, as the loss is. Each logit has a gradient of its own: divide by "
        "the number of rows, and keep the shape of logits.",
        cross_entropy_of(lambda p, hot, n: -tf.reduce_mean(tf.reduce_sum(hot * tf.math.log(p), 1))),
    ),
    "labels not one-hot": Wrong(
        "The labels are class numbers. What is subtracted from the probabilities is their one-hot "
        "rows, tf.one_hot(labels, logits.shape[1]), as in the program given.",
        from_labels(lambda labels: labels),
        from_labels(lambda labels: tf.cast(labels, tf.float32)),
        from_labels(lambda labels: tf.cast(labels, tf.float32)[:, None]),
    ),
    "whole number of rows": Wrong(
        "float32 and int32 meet here, and TensorFlow converts neither by itself: labels, and what "
        "tf.shape gives, are int32. Divide by the number of rows, logits.shape[0].",
        cross_entropy_of(lambda p, hot, n: (p - hot) / tf.shape(p)[0]),
    ),
    "fixed classes": Wrong(
        "What is subtracted has not the shape of the probabilities. tf.one_hot(labels, "
        "logits.shape[1]), without an axis, gives a row for each label, in every batch.",
        from_labels(lambda labels: tf.one_hot(labels, 3)),
    ),
}

# 07.4


def centered(x, scale):
    return (x - tf.reduce_mean(x, axis=1, keepdims=True)) * scale


def checking(
    judge=lambda report: report.passed,
    loss=lambda y, u: u * y,
    rows=5,
    x=tf.random.normal,
    scale=tf.random.normal,
    upstream=tf.random.normal,
):
    """Return an answer to 07.4 that judges its report of what three functions of a shape draw."""

    def is_right(backward):
        inputs, factors, u = x((rows, 3)), scale((3,)), upstream((rows, 3))
        weighted = lambda x, scale: tf.reduce_sum(loss(centered(x, scale), u))  # noqa: E731
        grads = backward(inputs, factors, u)
        return judge(check_gradients(weighted, [inputs, factors], grads=grads))

    return is_right


def close(got, right):
    return np.allclose(got, right, atol=1e-4)


def comparing(right, same=close, same_scale=None, upstream=None):
    """Return an answer to 07.4 that compares with gradients of its own, d_scale perhaps otherwise."""

    def is_right(backward):
        x, scale, u = (tf.random.normal(shape) for shape in ((5, 3), (3,), (5, 3)))
        u = u if upstream is None else upstream(x)
        (d_x, d_scale), (right_x, right_scale) = backward(x, scale, u), right(x, scale, u)
        return same(d_x, right_x) and (same_scale or same)(d_scale, right_scale)

    return is_right


def right_by_hand(x, scale, upstream):
    d_scale = tf.reduce_sum(upstream * centered(x, 1.0), axis=0)
    return centered(upstream * scale, 1.0), d_scale


def part_of(part):
    """Return a comparison of a part of two arrays."""
    return lambda got, right: close(part(got), part(right))


def over(got, right):
    return np.all(got - right < 1e-4)


def under(got, right):
    return np.all(right - got < 1e-4)


ONE_OFF = "of which one entry is off. Either it looks at a part of"
PART_ALONE = "alone, such as one row or one entry, or it takes a difference without abs. Compare every entry."
WRONG_SIGN = "of the wrong sign. Either"
SIZE_ALONE = (
    "is not looked at, or its size alone is, as by abs, a square or a norm. Compare every entry, "
    "sign and all."
)
CHECKS = {
    "backward not called": Wrong(
        "Your function never calls backward, so it cannot judge it. Call the argument, with an x, a "
        "scale and an upstream of your own.",
        lambda backward: True,
    ),
    "looks at d_scale alone": Wrong(
        "It passes a wrong d_x. Give check_gradients both: [x, scale], with both gradients.",
        checking(judge=lambda report: report.rows[1].verdict == "agrees"),
        calls=(0, 1, 2, 5, 6, 7, 11, 12),  # with part of d_scale, too
    ),
    "looks at d_x alone": Wrong(
        "It passes a wrong d_scale: either nothing looks at it, or an x of zeros makes it 0. Draw x "
        "at random, give check_gradients [x, scale] with both gradients, and return report.passed.",
        checking(judge=lambda report: report.rows[0].verdict == "agrees"),
        checking(x=tf.zeros),
        calls=(0, 4, 5, 7, 8, 11, 13),  # with part of d_x, too
    ),
    "the author's test": Wrong(
        "It passes the author's backward pass: it looks at d_scale alone, with an upstream of ones. "
        "Give check_gradients both gradients, and draw x, scale and upstream at random.",
        checking(judge=lambda report: report.rows[1].verdict == "agrees", upstream=tf.ones),
    ),
    "an upstream of ones": Wrong(
        "It passes a backward pass that leaves upstream out: with an upstream of ones nothing tells. "
        "Draw it at random.",
        checking(upstream=tf.ones),
    ),
    "a scale of ones": Wrong(
        "It passes a backward pass that leaves the scale out: with a scale of ones nothing tells. "
        "Draw it at random.",
        checking(scale=tf.ones),
    ),
    "scale and upstream of ones": Wrong(
        "It passes backward passes that leave the scale or upstream out: with both of ones nothing "
        "tells, and the right d_x is 0. Draw both at random.",
        checking(scale=tf.ones, upstream=tf.ones),
    ),
    "an x of ones": Wrong(
        "It passes a d_scale that is too large: with an x of ones, each row less its mean is 0, and "
        "so is the right d_scale. Draw x at random.",
        checking(x=tf.ones),
    ),
    "one row": Wrong(
        "It passes a d_scale that is a mean over the rows: with one row a mean is a sum. Draw an x "
        "and an upstream of several rows.",
        checking(rows=1),
    ),
    "upstream alike in a row": Wrong(
        "It passes a d_x that subtracts the mean of the scale, and not that of upstream * scale: "
        "where upstream is alike along each row, nothing tells. Draw every entry of it.",
        checking(upstream=lambda shape: tf.repeat(tf.random.normal((5, 1)), 3, axis=1)),
    ),
    "upstream is x": Wrong(
        "It passes a backward pass that takes x where upstream belongs: they are the same in your "
        "check. Draw upstream by itself.",
        comparing(right_by_hand, upstream=lambda x: x),
    ),
    "refuses what is right": Wrong(
        "It says False to every backward pass, the right ones too, so the comparison is wrong. Right are "
        "the slopes of the sum of upstream * y, computed anew from x and scale, at the tensors that "
        "backward got, d_x before d_scale. A formula of your own may have a fault: check_gradients "
        "needs none.",
        checking(loss=lambda y, upstream: 2 * upstream * y),
    ),
    "loss without upstream": Wrong(
        "It refuses what is right, and passes a backward pass that leaves upstream out. What backward "
        "returns are slopes of the sum of upstream * y: let the loss be that.",
        checking(loss=lambda y, upstream: y),
    ),
    "compares every digit": Wrong(
        "It refuses a right backward pass that rounds otherwise. Compare with a tolerance, as "
        "report.passed does.",
        comparing(right_by_hand, same=np.array_equal),
    ),
    "compares with the author's": Wrong(
        "It passes the author's backward pass and refuses the right ones: the formula that you "
        "compare with has the author's fault. Let check_gradients compare with differences.",
        comparing(lambda x, scale, u: (u * scale, right_by_hand(x, scale, u)[1])),
    ),
    "says the opposite": Wrong(
        "It says True to what is wrong and False to what is right. Return report.passed.",
        checking(judge=lambda report: not report.passed),
    ),
    "always True": Wrong(
        "It says True to every backward pass, whatever the gradients are. Give them to "
        "check_gradients as grads=, and return report.passed.",
        checking(judge=lambda report: True),
    ),
    "one of the two is enough": Wrong(
        "It passes a backward pass in which one gradient is right and the other one far off. Both "
        "must agree, and every entry but for rounding: report.passed.",
        checking(judge=lambda report: any(row.verdict == "agrees" for row in report.rows)),
    ),
    "returns the report": Wrong(
        "This is the whole report. Return report.passed, which is True or False.",
        checking(judge=lambda report: report),
    ),
    "returns none": Wrong(
        "Your function returned None. Return report.passed.",
        lambda backward: print(checking()(backward)),
    ),
    "a tolerance too wide": Wrong(
        "It passes a d_x that is 3 % too large: either the tolerance is too wide, or the comparison "
        "leaves something out, as one of sums does. Compare every entry to four digits.",
        comparing(right_by_hand, same=partial(np.allclose, rtol=0.3)),
        calls=(0, 6, 11),  # the right ones, and that d_x
    ),
    "a tolerance too wide for d_scale": Wrong(
        "It passes a d_scale that is 3 % too large: either the tolerance is too wide, or the comparison "
        "leaves something out. Compare every entry to four digits.",
        comparing(right_by_hand, same_scale=partial(np.allclose, rtol=0.3)),
        calls=(0, 7, 11),
    ),
    "d_x without its sign": Wrong(
        f"It passes a d_x {WRONG_SIGN} d_x {SIZE_ALONE}",
        comparing(right_by_hand, same=part_of(np.abs)),
        comparing(right_by_hand, same=part_of(np.linalg.norm)),
        calls=(0, 11, 12),
    ),
    "d_scale without its sign": Wrong(
        f"It passes a d_scale {WRONG_SIGN} d_scale {SIZE_ALONE}",
        comparing(right_by_hand, same_scale=part_of(np.square)),
        calls=(0, 11, 13),
    ),
    "d_x but its last entry": Wrong(
        f"It passes a d_x {ONE_OFF} d_x {PART_ALONE}",
        comparing(right_by_hand, same=part_of(lambda d: d[0]), same_scale=close),
        comparing(right_by_hand, same=part_of(lambda d: d[:, 0]), same_scale=close),
        comparing(right_by_hand, same=under, same_scale=close),
        calls=(0, 11, 14),
    ),
    "d_x but its first entry": Wrong(
        f"It passes a d_x {ONE_OFF} d_x {PART_ALONE}",
        comparing(right_by_hand, same=part_of(lambda d: d[-1]), same_scale=close),
        comparing(right_by_hand, same=part_of(lambda d: d[:, -1]), same_scale=close),
        comparing(right_by_hand, same=over, same_scale=close),
        calls=(0, 11, 15),
    ),
    "d_scale but its last entry": Wrong(
        f"It passes a d_scale {ONE_OFF} d_scale {PART_ALONE}",
        comparing(right_by_hand, same_scale=part_of(lambda d: d[0])),
        calls=(0, 11, 16),
    ),
    "d_scale but its first entry": Wrong(
        f"It passes a d_scale {ONE_OFF} d_scale {PART_ALONE}",
        comparing(right_by_hand, same_scale=part_of(lambda d: d[-1])),
        calls=(0, 11, 17),
    ),
    "d_x in any order": Wrong(
        "It passes a d_x whose rows have changed places. Compare every entry with the one at its place.",
        comparing(right_by_hand, same=part_of(lambda d: np.sort(d, axis=None)), same_scale=close),
        calls=(0, 11, 18),
    ),
}

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


CURVES = {
    "not decorated": Wrong(
        "log_cosh(x) gave a pair, not one tensor. Keep @tf.custom_gradient above the function: "
        "without it nobody calls grad.",
        curve(decorated=False),
    ),
    "nothing returned": Wrong(
        "The function under @tf.custom_gradient returned None. It returns two things: the value, "
        "and the function grad.",
        tf.custom_gradient(lambda x: None),
    ),
    "no grad returned": Wrong(
        "The function under @tf.custom_gradient returned the value alone. It returns two things: "
        "the value, and the function grad.",
        tf.custom_gradient(right_value),
    ),
    "shape changed": Wrong(
        "log_cosh works entry by entry: the value must have the shape of x, whatever that is. No "
        "sum, and no new axis.",
        curve(lambda x: tf.reduce_sum(right_value(x))),
        curve(lambda x: right_value(x)[None]),
        curve(lambda x: tf.reshape(right_value(x), ())),
        curve(lambda x: tf.reduce_logsumexp(tf.stack([x, -x])) - np.log(2)),
    ),
    "value overflows": Wrong(
        "At x = 100 or -100 the value is not finite: an exponential overflows. Write it as in the "
        "statement, with exp(-2|x|), which never exceeds 1.",
        curve(lambda x: tf.math.log(tf.cosh(x))),
        curve(lambda x: x + tail(x) - np.log(2)),
        curve(lambda x: tf.math.log1p(tf.exp(2 * x)) - x - np.log(2)),
    ),
    "log 2 left out": Wrong(
        "The value is too large by log 2 everywhere: at 0 it must be 0. Subtract it.",
        curve(lambda x: tf.abs(x) + tail(tf.abs(x))),
    ),
    "abs left out": Wrong(
        "Negative x come out wrong: both places of the form need |x|, tf.abs(x).",
        curve(lambda x: x + tail(tf.abs(x)) - np.log(2)),
        curve(lambda x: tf.abs(x) + tail(x) - np.log(2)),
    ),
    "form miscopied": Wrong(
        "The value is not |x| + log(1 + exp(-2|x|)) - log 2. The exponent is -2|x|, "
        "tf.math.log1p(t) adds the 1 by itself, and log 2 is the natural logarithm.",
        curve(lambda x: tf.abs(x) + tail(tf.abs(x) / 2) - np.log(2)),
        curve(lambda x: tf.abs(x) + tail(-tf.abs(x)) - np.log(2)),
        curve(lambda x: tf.abs(x) + tf.math.log(2 + tf.exp(-2 * tf.abs(x))) - np.log(2)),
        curve(lambda x: tf.abs(x) + tail(tf.abs(x)) - np.log10(2)),
        curve(lambda x: tf.abs(x) + tf.exp(-2 * tf.abs(x)) - np.log(2)),
    ),
    "value is the slope": Wrong(
        "The value is tanh(x), which is the slope. Return log(cosh(x)), and grad.",
        curve(tf.tanh),
    ),
    "no slope": Wrong(
        "The values are right, and the slope is None. Either grad returns None, or the value "
        "comes from NumPy and there is no grad.",
        curve(grad=lambda x, u: None),
    ),
    "grad changes the shape": Wrong(
        "What grad returns has not the shape of x. It multiplies upstream by tf.tanh(x), entry by "
        "entry: no sum, and no new axis.",
        curve(grad=lambda x, u: (u * tf.tanh(x))[None]),
        curve(grad=lambda x, u: tf.reduce_sum(u * tf.tanh(x))),
        curve(grad=lambda x, u: tf.reshape(u * tf.tanh(x), (1, -1))),
    ),
    "two gradients": Wrong(
        "grad returned several gradients, and log_cosh has one argument. Return one, upstream times "
        "the slope: the second derivative is found by an outer tape.",
        curve(grad=lambda x, u: (u * tf.tanh(x), u * (1 - tf.tanh(x) ** 2))),
    ),
    "slope overflows": Wrong(
        "The values are right, but at x = 100 or -100 the slope is not finite. In grad, use "
        "tf.tanh(x), which is finite everywhere, and not a quotient of exponentials.",
        curve(grad=lambda x, u: u * (tf.exp(x) - tf.exp(-x)) / (tf.exp(x) + tf.exp(-x))),
        curve(grad=lambda x, u: u * (tf.exp(2 * x) - 1) / (tf.exp(2 * x) + 1)),
        curve(grad=lambda x, u: u * (1 - tf.exp(-2 * x)) / (1 + tf.exp(-2 * x))),
    ),
    "second derivative returned": Wrong(
        "grad returns the second derivative, 1 - tanh(x)². The slope is tanh(x).",
        curve(grad=lambda x, u: u * (1 - tf.tanh(x) ** 2)),
    ),
    "slope sign wrong": Wrong(
        "The slope has the wrong sign: it is +tanh(x).",
        curve(grad=lambda x, u: -u * tf.tanh(x)),
    ),
    "upstream alone": Wrong(
        "grad returns upstream alone. Multiply it by the slope, tanh(x).",
        curve(grad=lambda x, u: u),
    ),
    "slope of abs": Wrong(
        "The slope is the sign of x, right only far from 0. Use tanh(x).",
        curve(grad=lambda x, u: u * tf.sign(x)),
        curve(grad=lambda x, u: u * (2 * tf.cast(x >= 0, tf.float32) - 1)),
        curve(grad=lambda x, u: u * (2 * tf.cast(x > 0, tf.float32) - 1)),
    ),
    "sigmoid as slope": Wrong(
        "The slope is the sigmoid, that of softplus. Here it is tanh(x).",
        curve(grad=lambda x, u: u * tf.sigmoid(x)),
        curve(grad=lambda x, u: u * tf.sigmoid(2 * x)),
    ),
    "half of x": Wrong(
        "The slope is tanh(x/2), which is 2 * sigmoid(x) - 1. Here it is tanh(x).",
        curve(grad=lambda x, u: u * tf.tanh(x / 2)),
    ),
    "tanh of upstream": Wrong(
        "grad takes the tanh of what it is given, the upstream gradient. Multiply that by the tanh of "
        "the outer x: two different names.",
        curve(grad=lambda x, u: tf.tanh(u)),
        curve(grad=lambda x, u: u * tf.tanh(u)),
    ),
    "log of a whole number": Wrong(
        "tf.math.log takes no whole number. For log 2 write tf.math.log(2.0), or np.log(2).",
        curve(lambda x: tf.abs(x) + tail(tf.abs(x)) - tf.math.log(2)),
    ),
    "tanh of abs": Wrong(
        "For negative x the slope is negative: take tanh of x, not of |x|.",
        curve(grad=lambda x, u: u * tf.tanh(tf.abs(x))),
    ),
    "slope is no tanh": Wrong(
        "The values are right, but what grad returns is not the slope. It should return "
        "upstream * tf.tanh(x).",
        curve(grad=lambda x, u: u * x),
        curve(grad=lambda x, u: u * right_value(x)),
        curve(grad=lambda x, u: u + tf.tanh(x)),
        curve(grad=lambda x, u: u / tf.tanh(x)),
    ),
    "upstream left out": Wrong(
        "The slope is right, but the slope of 3 * log_cosh(x) is not three times as large: grad "
        "does not multiply by upstream, as the chain rule asks.",
        curve(grad=lambda x, u: tf.tanh(x)),
    ),
    "slope cut off": Wrong(
        "Values and slopes are right, but the second derivative is None: there is no path from x "
        "to the slope. Compute it with TensorFlow's tanh, from x itself, without .numpy() or "
        "stop_gradient.",
        curve(grad=lambda x, u: u * np.tanh(x.numpy())),
        curve(grad=lambda x, u: u * tf.stop_gradient(tf.tanh(x))),
    ),
    "x as one number": Wrong(
        "x is a tensor of any shape, and only a single number can become a float. It would also "
        "cut the path from x to the slope: compute with TensorFlow's functions, from x itself.",
        curve(grad=lambda x, u: u * np.tanh(float(x))),
    ),
    "kink at zero": Wrong(
        "All is right but the second derivative at 0: 0 in place of 1. The slope goes through "
        "abs, which has a kink there. Write it yourself, in tf.custom_gradient, as tf.tanh(x).",
        right_value,
    ),
}

# 07.6


def keys_changed(change):
    """Return an answer to 07.6 with other keys; ``change`` gives a key, or None to leave it out."""

    def backward(*inputs):
        found = {change(name): gradient for name, gradient in network()(*inputs).items()}
        return {name: gradient for name, gradient in found.items() if name}

    return backward


def by_x(x, hidden, d):
    return x.T @ d


def by_hidden(x, hidden, d):
    return hidden.T @ d


def layer(weights, bias=lambda d: d.sum(axis=0)):
    """Return a layer's two gradients, of what is known and the slope d of its sums."""
    return lambda x, hidden, d: (weights(x, hidden, d), bias(d))


FIRST, SECOND = layer(by_x), layer(by_hidden)


def network(
    slope_of_error=lambda e, n: 2 * e / n,
    slope_of_hidden=lambda d, W2: d @ W2.T,
    slope_of_tanh=lambda h: 1 - h**2,
    first=FIRST,
    second=SECOND,
):
    """Return an answer to 07.6 with other lines of the backward pass."""

    def backward(params, x, hidden, error):
        d_error = slope_of_error(error, len(error))
        d_sum = slope_of_hidden(d_error, params["W2"]) * slope_of_tanh(hidden)
        W1, b1 = first(x, hidden, d_sum)
        W2, b2 = second(x, hidden, d_error)
        return {"W1": W1, "b1": b1, "W2": W2, "b2": b2}

    return backward


NETWORKS = {
    "sum not mean": Wrong(
        "Every gradient is n times too large: the loss is the mean of the squared errors. Divide "
        "their slope by the number of rows.",
        network(slope_of_error=lambda e, n: 2 * e),
    ),
    "fixed batch size": Wrong(
        "You divide by the same number in every batch, but batches differ in size. Take the number "
        "of rows, len(error).",
        *(network(slope_of_error=lambda e, n, size=size: 2 * e / size) for size in (4, 5, 6)),
    ),
    "the 2 is missing": Wrong(
        "Every gradient is half of what it should be: the slope of error**2 is 2 * error.",
        network(slope_of_error=lambda e, n: e / n),
    ),
    "neither 2 nor n": Wrong(
        "Every gradient starts at the error itself. The loss is the mean of its squares: start at "
        "2 * error / n.",
        network(slope_of_error=lambda e, n: e),
    ),
    "wrong sign": Wrong(
        "Every sign is wrong. The error is prediction minus y, and the prediction grows with it.",
        network(slope_of_error=lambda e, n: -2 * e / n),
    ),
    "b2 per row": Wrong(
        "b2 is added to each row, so its gradient adds up over them: sum over axis 0.",
        network(second=layer(by_hidden, lambda d: d)),
        network(second=layer(by_hidden, lambda d: d[:, 0])),
    ),
    "averaged twice": Wrong(
        "A gradient is too small by n: the mean stands in the first slope already, and from there on "
        "the rows add up.",
        network(slope_of_error=lambda e, n: 2 * e / n**2),
        network(second=layer(by_hidden, lambda d: d.mean(axis=0))),
        network(first=layer(lambda x, hidden, d: x.T @ d / len(x))),
        network(first=layer(by_x, lambda d: d.mean(axis=0))),
    ),
    "tanh left out": Wrong(
        "The second layer is right. The way to W1 and b1 leads through the tanh: multiply by its "
        "slope, 1 - hidden**2.",
        network(slope_of_tanh=lambda h: 1.0),
    ),
    "tanh of tanh": Wrong(
        "The second layer is right. `hidden` is already the tanh, so its slope is 1 - hidden**2.",
        network(slope_of_tanh=lambda h: 1 - np.tanh(h) ** 2),
    ),
    "slope of a sigmoid": Wrong(
        "The second layer is right. hidden * (1 - hidden) is the slope of a sigmoid; that of a tanh "
        "is 1 - hidden**2.",
        network(slope_of_tanh=lambda h: h * (1 - h)),
    ),
    "slope of a relu": Wrong(
        "The second layer is right. 1 where hidden is positive is the slope of a relu; that of a "
        "tanh is 1 - hidden**2.",
        network(slope_of_tanh=lambda h: (h > 0).astype(float)),
    ),
    "square forgotten": Wrong(
        "The second layer is right. The slope of tanh is 1 - hidden**2, with the square.",
        network(slope_of_tanh=lambda h: 1 - h),
    ),
    "W2 left out": Wrong(
        "The second layer is right. On the way back to the hidden layer each error goes through "
        "W2: d_error @ W2.T.",
        network(slope_of_hidden=lambda d, W2: d),
    ),
    "gradient for weights": Wrong(
        'The second layer is right. The way back leads through the weights, params["W2"], and not '
        "through their gradient, which may have taken their name.",
        lambda params, x, hidden, error: network(
            slope_of_hidden=lambda d, W2: d @ (hidden.T @ d).T,
        )(params, x, hidden, error),
    ),
    "a step taken": Wrong(
        "These are the parameters after a step. Return the gradients themselves.",
        *(
            lambda params, *rest, lr=lr: {
                name: params[name] - lr * gradient
                for name, gradient in network()(params, *rest).items()
            }
            for lr in (1, 0.1, 0.01)
        ),
    ),
    "biases exchanged": Wrong(
        "What stands under b2 has an entry for each hidden unit, as b1 has. b2 belongs to the output: "
        "sum the slope of the error over the rows.",
        keys_changed(lambda name: {"b1": "b2", "b2": "b1"}.get(name, name)),
    ),
    "b1 in one number": Wrong(
        "You summed b1's gradient over everything. b1 has an entry for each column: sum over axis 0 alone.",
        lambda *inputs: (found := network()(*inputs)) | {"b1": np.sum(found["b1"])},
    ),
    "b1 from the output": Wrong(
        "b1 has what belongs to b2. It stands in front of the tanh, as W1 does: sum the same product "
        "that W1's gradient is made of, over axis 0.",
        lambda *inputs: (found := network()(*inputs)) | {"b1": found["b2"]},
        lambda *inputs: (
            (found := network()(*inputs)) | {"b1": found["b2"] * np.ones_like(found["b1"])}
        ),
    ),
    "b1 per row": Wrong(
        "b1 is added to each row, so its gradient adds up over them: sum over axis 0.",
        network(first=layer(by_x, lambda d: d)),
        network(first=layer(by_x, lambda d: d.sum(axis=1))),
    ),
    "b1 before the slope": Wrong(
        "W1 is right, and b1 skips the slope of tanh: both lie in front of it. Sum the same product "
        "that W1's gradient is made of, over axis 0.",
        lambda *inputs: (
            network()(*inputs) | {"b1": network(slope_of_tanh=lambda h: 1.0)(*inputs)["b1"]}
        ),
    ),
    "W1 transposed": Wrong(
        "W1's gradient is transposed. In x @ W1 the gradient of W1 is x.T @ upstream.",
        network(first=layer(lambda x, hidden, d: d.T @ x)),
    ),
    "W2 transposed": Wrong(
        "W2's gradient is transposed. In hidden @ W2 the gradient of W2 is hidden.T @ upstream.",
        network(second=layer(lambda x, hidden, d: d.T @ hidden)),
    ),
    "met another input": Wrong(
        "The gradient of W1 or W2 is made from the wrong input. W1 meets x, and W2 meets hidden as "
        "it is: a weight's gradient is what it meets, transposed, @ what arrives behind it.",
        network(second=layer(by_x)),
        network(second=layer(lambda x, hidden, d: (1 - hidden**2).T @ d)),
        network(first=layer(by_hidden)),
    ),
    "factors do not fit": Wrong(
        "The two sides of a matrix product do not fit. The way back through a layer takes its "
        "weights transposed, such as d_error @ W2.T, and a weight's gradient takes what it met "
        "transposed, such as hidden.T @ d_error. The slope of tanh multiplies entry by entry, *.",
        network(slope_of_hidden=lambda d, W2: d @ W2),
    ),
    "layers exchanged": Wrong(
        "The layers have changed places in the dict: W1 and b1 belong to the layer that x meets.",
        keys_changed(lambda name: name.translate(str.maketrans("12", "21"))),
    ),
    "key missing": Wrong(
        "A key is missing in your dict, or is spelt otherwise. The keys are those of params: W1, "
        "b1, W2 and b2.",
        keys_changed(lambda name: {"W1": "W1", "W2": "W2"}.get(name)),
        keys_changed(lambda name: name.lower()),
        keys_changed(lambda name: name if name.endswith("2") else None),
        keys_changed(lambda name: name if name != "b1" else None),
    ),
    "gradients in a list": Wrong(
        "These stand in a list or a tuple. Return a dict with the keys of params.",
        lambda *inputs: list(network()(*inputs).values()),
    ),
    "returns none": Wrong(
        "Your function returned None. Return the dict of the four gradients.",
        lambda *inputs: None,
    ),
}

# 07.7


def following(rate_of=lambda rates, i: rates[i], noted=lambda w, loss: w.numpy(), before=False):
    """Return an answer that takes the rate of a step elsewhere, or notes something else."""

    def follow(w, x, y, rates):
        path = []
        for i in range(len(rates)):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((w * x - y) ** 2)
            if before:
                path.append(noted(w, loss))
            w.assign_sub(rate_of(rates, i) * tape.gradient(loss, w))
            if not before:
                path.append(noted(w, loss))
        return path

    return follow


def set_to_the_step(w, x, y, rates):
    path = []
    for rate in rates:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((w * x - y) ** 2)
        w.assign(rate * tape.gradient(loss, w))
        path.append(w.numpy())
    return path


def starting_anew(w, x, y, rates):
    start = w.numpy()
    return [following()(tf.Variable(start), x, y, [rate])[0] for rate in rates]


def starting_anew_at_zero(w, x, y, rates):
    return starting_anew(tf.Variable(0.0), x, y, rates)


def noted_in_the_graph(handed_over):
    """Return an answer that appends to its path inside of a compiled step."""

    def follow(w, x, y, rates):
        path = []

        @tf.function
        def step(rate):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((w * x - y) ** 2)
            w.assign_sub(rate * tape.gradient(loss, w))
            path.append(w.value())

        for rate in rates:
            step(handed_over(rate))
        return path

    return follow


SCHEDULES = {
    "first rate throughout": Wrong(
        "Every step takes the first rate. Is it rates[0] in step, or read from outside? A graph keeps what it "
        "read there, unless it is a tf.Variable that you assign to. Let step take the rate, hand it over at "
        "each call as tf.constant(rate), and use it.",
        following(lambda rates, i: rates[0]),
    ),
    "last rate throughout": Wrong(
        "Every step takes the last rate. Each step has its own: go through rates, and hand each "
        "one over as a tensor.",
        following(lambda rates, i: rates[-1]),
    ),
    "the variable itself": Wrong(
        "Every entry of the list is the last value: it holds the variable itself, again and again. "
        "Note its number, w.numpy(), after each step.",
        following(noted=lambda w, loss: w),
    ),
    "noted before the step": Wrong(
        "Each value is the one before its step. Note w after it has moved.",
        following(before=True),
    ),
    "losses": Wrong(
        "These are the losses. Return the values of w after each step.",
        following(noted=lambda w, loss: loss.numpy()),
    ),
    "one number": Wrong(
        "One number came back. Return the whole list: path starts before the loop, grows by one number "
        "in each pass, and is returned below it.",
        lambda *inputs: sum(following()(*inputs)),
    ),
    "last value alone": Wrong(
        "This is the last value of w alone. Return the whole list, one number for each rate.",
        lambda *inputs: following()(*inputs)[-1],
    ),
    "first value alone": Wrong(
        "This is w after the first step alone. Where `return path` stands in the loop, the first pass "
        "ends the function: put it below.",
        lambda *inputs: following()(*inputs)[:1],
    ),
    "one number more": Wrong(
        "The list holds one number more than there are rates. Note w after each step, and not before "
        "the first.",
        lambda w, *rest: [w.numpy(), *following()(w, *rest)],
    ),
    "a rate behind": Wrong(
        "Each step takes the rate of the step before it, and the first is taken twice. Assign the new "
        "rate before the step.",
        following(lambda rates, i: rates[max(i - 1, 0)]),
    ),
    "tenth by tenth": Wrong(
        "Each rate is a tenth of the one before it. In other lists it is not: take every rate from rates.",
        following(lambda rates, i: rates[0] / 10**i),
    ),
    "no rate": Wrong(
        "The rate is missing: w moves by the whole gradient. Multiply it by the rate of the step.",
        following(lambda rates, i: 1),
    ),
    "index for rate": Wrong(
        "The steps take 0, 1, 2 and so on as their rates. Go through rates itself, or take rates[i].",
        following(lambda rates, i: i),
        following(lambda rates, i: i + 1),
    ),
    "up the slope": Wrong(
        "w moves up the slope. Take rate times the gradient from it, with assign_sub, as in the program "
        "given.",
        following(lambda rates, i: -rates[i]),
    ),
    "summed losses": Wrong(
        "The losses are added up. In the program given their mean is taken, reduce_mean, and that is "
        "right.",
        lambda w, x, y, rates: following()(w, x, y, [len(x) * rate for rate in rates]),
    ),
    "set to the step": Wrong(
        "Each step sets w to rate times the gradient. Take that from w, with assign_sub.",
        set_to_the_step,
    ),
    "starts anew": Wrong(
        "Each step starts where w began. Go on from where the step before has led.",
        starting_anew,
        starting_anew_at_zero,
    ),
    "noted in the graph": Wrong(
        "The list holds tensors of the graph, which have no numbers: step runs as Python only while it "
        "is traced. Append w.numpy() in the loop, below the call of step.",
        noted_in_the_graph(lambda rate: rate),
        noted_in_the_graph(tf.constant),
    ),
    "returns none": Wrong(
        "Your function returned None. Return path below the loop.",
        lambda *inputs: None,
    ),
}

MISTAKES = {
    "07.1": ERRORS,
    "07.2": LAYERS,
    "07.3": MEANS,
    "07.4": CHECKS,
    "07.5": CURVES,
    "07.6": NETWORKS,
    "07.7": SCHEDULES,
}

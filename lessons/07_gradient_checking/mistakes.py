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
        about(0.0064 / 20): "You divided the error by 20, which is right for a forward difference, "
        "of order 1. But a central difference is of order 2: its error grows with the square of "
        "the step.",
        about(0.0064 / 20**3): "You divided the error by 20³. The formula contains the third "
        "derivative, but the step is only squared, so divide by 20².",
        about(0.0064 / 20**4): "You divided the error by 20⁴. But order 2 means that the step is "
        "squared only once, so divide by 20².",
        about(
            0.0064
        ): "This is roughly the error with the long step. A shorter step has less truncation "
        "error: by what factor does an error of order 2 shrink?",
        about(0.0064 * 20): "Your error is larger than before, but a shorter step makes the "
        "truncation error smaller. By what factor does an error of order 2 shrink?",
        about(0.0064 * 400): "Your error is larger than before, but a shorter step makes the "
        "truncation error smaller. By what factor does an error of order 2 shrink?",
        about(12.0064 / 400): "You divided the result, 12.0064, by 400. Divide only its error, "
        "0.0064.",
        about(1.6e-4): "Your number is off by a factor of 10. Divide 0.0064 by 20 twice.",
        about(1.6e-6): "Your number is off by a factor of 10. Divide 0.0064 by 20 twice.",
        about(1e-5): "You rounded to one digit. Divide 0.0064 by 20 twice, and keep all digits.",
        about(2e-5): "You rounded to one digit. Divide 0.0064 by 20 twice, and keep all digits.",
        about(0.004 / 2 * 12): "h/2 times the second derivative is the error of a forward "
        "difference. For a central difference, use h²/6 times the third derivative.",
        16: "The unit of your number is unclear. Write the number itself, such as 0.003.",
        20: "The step is 20 times shorter, but the question is how far the result is from 12. By "
        "what factor does an error of order 2 shrink?",
        400: "The error is 400 times smaller, but the question is how far the result is from "
        "12. Divide 0.0064 by 400.",
        about(0.004**2 / 6): "This is only h²/6. The truncation error of a central difference "
        "is h²/6 times the third derivative, which is 6 for x³.",
        about(
            3.2e-5
        ): "This is twice the error. Multiply h²/6 by the third derivative of x³, which is 6; "
        "12 is the slope.",
        about(
            1.6e-5 / 12
        ): "This is the relative error. The question is how far the result is from 12, so do not "
        "divide by 12.",
        about(
            -9.536743e-5
        ): "This is the rounding error of float32, not the truncation error. Compute in float64.",
        about(-1.6e-5): "The size is right, but the sign is not. The result is above 12, as it was "
        "with the long step, so write a positive number.",
        Between(0, 0): "The error is not exactly 0, because the third derivative of x³ is 6, not "
        "0. By what factor does an error of order 2 shrink?",
        Between(12, 12): "12 is the exact slope. The question is how far from 12 the result is "
        "with a step of 0.004.",
        Between(12.006399, 12.006401): "12.0064 is the result with the long step. The question is "
        "how far from 12 the result is with a step of 0.004.",
        Between(11.99, 12.01): "This is the result itself. The question is how far it is from 12, "
        "so subtract 12.",
    },
    "{value} is not the error. The step is 0.08 / 0.004 = 20 times shorter, and the error grows "
    "with the square of the step: by what factor does the error shrink?",
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
        "`d_x` and `d_W` are swapped. Return `d_x` first, then `d_W`, then `d_b`.",
        dense(returned=(1, 0, 2)),
        dense(d_W=still_transposed, returned=(1, 0, 2)),
    ),
    "d_x not transposed": Wrong(
        "`d_x` needs `W` transposed. Keep the line from the exercise: `upstream @ "
        "tf.transpose(W)`.",
        dense(d_x=lambda x, W, u: u @ W),
    ),
    "d_x spoilt": Wrong(
        "You changed `d_x`, which was right: `upstream @ tf.transpose(W)`. Change only `d_W` "
        "and `d_b`.",
        dense(d_x=lambda x, W, u: x),
        dense(d_x=lambda x, W, u: u),
        dense(d_x=lambda x, W, u: x @ W),
        dense(d_x=lambda x, W, u: u @ tf.transpose(W) / len(x)),
    ),
    "not three": Wrong(
        "Your function did not return three gradients. Return `d_x, d_W, d_b`, in this order.",
        *(dense(returned=returned) for returned in ((0, 1), (0, 2), (1, 2), (0, 1, 2, 2))),
    ),
    "examples not added up": Wrong(
        "Your `d_W` has a row and a column for each example. Sum over the examples: transpose "
        "`x`, and multiply it by `upstream`.",
        dense(d_W=lambda x, W, u: x @ tf.transpose(u)),
    ),
    "d_W still transposed": Wrong(
        "Your `d_W` is still transposed: entry [i, j] should belong to input i and output j. "
        "Swap the factors, and transpose `x` instead.",
        dense(d_W=still_transposed),
    ),
    "d_W averaged": Wrong(
        "You divide `d_W` by the number of rows. `upstream` already contains that factor if "
        "the loss is a mean, so sum over the rows.",
        dense(d_W=lambda x, W, u: tf.transpose(x) @ u / len(x)),
    ),
    "d_W from W": Wrong(
        "Your `d_W` is computed from `W`, but it depends only on `x` and `upstream`. Use "
        "`tf.transpose(x) @ upstream`.",
        dense(d_W=lambda x, W, u: W),
        dense(d_W=lambda x, W, u: tf.transpose(W)),
        dense(d_W=lambda x, W, u: W @ tf.transpose(u) @ u),
    ),
    "entry by entry": Wrong(
        "You multiply `x` and `upstream` elementwise. Entry [i, j] of `d_W` sums over the "
        "rows, so use a matrix product, `@`.",
        dense(d_W=lambda x, W, u: tf.transpose(x * u)),
        dense(d_W=lambda x, W, u: x * u),
    ),
    "factors do not fit": Wrong(
        "The shapes in a matrix product do not match. For `d_W` use `tf.transpose(x) @ upstream`; "
        "for `d_b` do not assume a fixed number of rows, because batches differ in size.",
        dense(d_W=lambda x, W, u: x @ u),
    ),
    "bias per row": Wrong(
        "Your `d_b` is still `upstream` itself, with one row per example. `b` was added to "
        "every row, so sum over the rows: `axis=0`.",
        dense(d_b=lambda x, W, u: u),
    ),
    "bias averaged": Wrong(
        "Your `d_b` is a mean over the rows. `upstream` already contains the factor 1/n if the "
        "loss is a mean, so sum over the rows instead.",
        dense(d_b=lambda x, W, u: tf.reduce_mean(u, axis=0)),
    ),
    "bias over columns": Wrong(
        "You sum `d_b` over axis 1. Sum over the rows, `axis=0`: `b` has one entry per column.",
        dense(d_b=lambda x, W, u: tf.reduce_sum(u, axis=1)),
    ),
    "bias keeps rows": Wrong(
        "Your `d_b` has the right sums, but shape (1, d) instead of (d,). Remove `keepdims`.",
        dense(d_b=lambda x, W, u: tf.reduce_sum(u, axis=0, keepdims=True)),
    ),
    "bias one number": Wrong(
        "Your `d_b` is one number, the sum over both axes. Sum only over the rows, `axis=0`.",
        dense(d_b=lambda x, W, u: tf.reduce_sum(u)),
    ),
    "bias not added up": Wrong(
        "Your `d_b` has one entry per column, but the entries are not the column sums of "
        "`upstream`. `b` was added to every row, so sum `upstream` over `axis=0`.",
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
        "You use the logits as probabilities. Apply softmax to the logits, then subtract the "
        "one-hot labels.",
        of_activation(tf.identity),
    ),
    "sigmoid for softmax": Wrong(
        "You use `sigmoid`, which treats each logit separately. Exactly one class is correct, "
        "so use softmax, whose probabilities sum to 1.",
        of_activation(tf.sigmoid),
    ),
    "log of softmax": Wrong(
        "You use `log_softmax`, which returns the logarithms of the probabilities. Use `softmax`.",
        of_activation(tf.nn.log_softmax),
    ),
    "logits divided": Wrong(
        "You divide the logits by the number of rows before the softmax. Divide the difference "
        "between probabilities and one-hot labels instead.",
        lambda z, y: tf.nn.softmax(z / z.shape[0]) - tf.one_hot(y, z.shape[1]),
        of_activation(lambda z: tf.nn.softmax(z / z.shape[0])),
    ),
    "sum not mean": Wrong(
        "This is still the gradient of the *sum* of the losses. Divide it by the number of "
        "rows, which differs between batches.",
        cross_entropy_of(lambda p, hot, n: p - hot),
    ),
    "divided by classes": Wrong(
        "You divided by the number of classes. The mean is over the rows: divide by "
        "`logits.shape[0]`.",
        cross_entropy_of(lambda p, hot, n: (p - hot) / p.shape[1]),
    ),
    "divided by entries": Wrong(
        "You divided by the number of entries of `logits`. There is one loss per row, so "
        "divide only by the number of rows.",
        cross_entropy_of(lambda p, hot, n: (p - hot) / (n * p.shape[1])),
    ),
    "divided twice": Wrong(
        "You divided by the number of rows twice. Divide the difference between probabilities "
        "and one-hot labels once.",
        cross_entropy_of(lambda p, hot, n: (p - hot) / n**2),
    ),
    "multiplied by rows": Wrong(
        "You multiplied by the number of rows. Divide by it: a mean is the sum divided by the "
        "number of rows.",
        cross_entropy_of(lambda p, hot, n: (p - hot) * n),
    ),
    "fixed batch size": Wrong(
        "You divide by the same number in every batch, but batches differ in size. Divide by "
        "`logits.shape[0]`.",
        *(
            cross_entropy_of(lambda p, hot, n, size=size: (p - hot) / size)
            for size in (2, 3, 4, 5, 6, 7, 8, 10, 16, 32)
        ),
    ),
    "wrong sign": Wrong(
        "The sign is wrong. Compute the probabilities minus the one-hot labels.",
        cross_entropy_of(lambda p, hot, n: (hot - p) / n),
        cross_entropy_of(lambda p, hot, n: hot - p),
    ),
    "labels missing": Wrong(
        "You never subtract the one-hot labels. Subtract them from the probabilities, then "
        "divide by the number of rows.",
        cross_entropy_of(lambda p, hot, n: p / n),
        cross_entropy_of(lambda p, hot, n: p),
    ),
    "only labels divided": Wrong(
        "You divide only the labels. Put the difference in parentheses first.",
        cross_entropy_of(lambda p, hot, n: p - hot / n),
    ),
    "only probabilities divided": Wrong(
        "You divide only the probabilities. Put the difference in parentheses first.",
        cross_entropy_of(lambda p, hot, n: p / n - hot),
    ),
    "softmax over rows": Wrong(
        "Your softmax normalizes each column. Each row is one example, so use the default, "
        "`axis=-1`.",
        cross_entropy_of(lambda p, hot, n: (p - hot) / n, axis=0),
        cross_entropy_of(lambda p, hot, n: p - hot, axis=0),
    ),
    "rows averaged away": Wrong(
        "You averaged the rows into one. Each logit has its own gradient: divide by the number "
        "of rows, and keep the shape of `logits`.",
        cross_entropy_of(lambda p, hot, n: tf.reduce_mean(p - hot, axis=0)),
        cross_entropy_of(lambda p, hot, n: tf.reduce_mean(p - hot, axis=0, keepdims=True)),
    ),
    "columns averaged away": Wrong(
        "You summed or averaged over the classes, which leaves one number per row. Each logit "
        "has its own gradient: divide by the number of rows, and keep the shape of "
        "`logits`.",
        cross_entropy_of(lambda p, hot, n: tf.reduce_mean(p - hot, axis=1)),
        cross_entropy_of(lambda p, hot, n: tf.reduce_mean(p - hot, axis=1, keepdims=True)),
    ),
    "one number": Wrong(
        "You returned one number, like the loss. Each logit has its own gradient: return a "
        "tensor with the shape of `logits`.",
        cross_entropy_of(lambda p, hot, n: -tf.reduce_mean(tf.reduce_sum(hot * tf.math.log(p), 1))),
    ),
    "labels not one-hot": Wrong(
        "You subtract the integer labels. Subtract their one-hot rows, `tf.one_hot(labels, "
        "logits.shape[1])`, as in the exercise.",
        from_labels(lambda labels: labels),
        from_labels(lambda labels: tf.cast(labels, tf.float32)),
        from_labels(lambda labels: tf.cast(labels, tf.float32)[:, None]),
    ),
    "whole number of rows": Wrong(
        "You mix float32 and int32, which TensorFlow does not convert automatically: `labels` "
        "and `tf.shape(...)` are int32. Divide by `logits.shape[0]`.",
        cross_entropy_of(lambda p, hot, n: (p - hot) / tf.shape(p)[0]),
    ),
    "fixed classes": Wrong(
        "What you subtract does not have the shape of the probabilities. Use "
        "`tf.one_hot(labels, logits.shape[1])`, without an `axis`.",
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


ONE_OFF = "with one wrong entry. You compare only a part of"
PART_ALONE = (
    ", such as one row or one entry, or you take differences without `abs`: compare every entry."
)
WRONG_SIGN = "with the wrong sign. You ignore"
SIZE_ALONE = (
    ", or you compare only its size (`abs`, a square, a norm): compare every entry, including "
    "its sign."
)
CHECKS = {
    "backward not called": Wrong(
        "Your function never calls `backward`, so it has nothing to judge. Call `backward` with an "
        "`x`, a `scale` and an `upstream` that you create.",
        lambda backward: True,
    ),
    "looks at d_scale alone": Wrong(
        "Your check accepts a wrong `d_x`. Give `check_gradients` both inputs, `[x, scale]`, and "
        "both gradients.",
        checking(judge=lambda report: report.rows[1].verdict == "agrees"),
        calls=(0, 1, 2, 5, 6, 7, 11, 12),  # with part of d_scale, too
    ),
    "looks at d_x alone": Wrong(
        "Your check accepts a wrong `d_scale`, because you ignore it or your `x` is all zeros, "
        "which makes `d_scale` 0. Draw `x` at random, pass `[x, scale]` and both gradients to "
        "`check_gradients`, and return `report.passed`.",
        checking(judge=lambda report: report.rows[0].verdict == "agrees"),
        checking(x=tf.zeros),
        calls=(0, 4, 5, 7, 8, 11, 13),  # with part of d_x, too
    ),
    "the author's test": Wrong(
        "Your check accepts the author's wrong backward pass, because it checks only `d_scale`, "
        "with an `upstream` of ones. Check both gradients, and draw `x`, `scale` and `upstream` "
        "at random.",
        checking(judge=lambda report: report.rows[1].verdict == "agrees", upstream=tf.ones),
    ),
    "an upstream of ones": Wrong(
        "Your check accepts a backward pass that ignores `upstream`, because your `upstream` is "
        "all ones. Draw it at random.",
        checking(upstream=tf.ones),
    ),
    "a scale of ones": Wrong(
        "Your check accepts a backward pass that ignores `scale`, because your `scale` is all "
        "ones. Draw it at random.",
        checking(scale=tf.ones),
    ),
    "scale and upstream of ones": Wrong(
        "Your check accepts backward passes that ignore `scale` or `upstream`, because both are "
        "all ones. Draw both at random.",
        checking(scale=tf.ones, upstream=tf.ones),
    ),
    "an x of ones": Wrong(
        "Your check accepts a `d_scale` that is too large: with an `x` of ones, each row minus its "
        "mean is 0, and so is the correct `d_scale`. Draw `x` at random.",
        checking(x=tf.ones),
    ),
    "one row": Wrong(
        "Your check accepts a `d_scale` that averages over the rows, because with one row a mean "
        "is a sum. Draw an `x` and an `upstream` with several rows.",
        checking(rows=1),
    ),
    "upstream alike in a row": Wrong(
        "Your check accepts a `d_x` that subtracts the mean of `scale` instead of that of "
        "`upstream * scale`. Draw every entry of `upstream` at random, not one number per row.",
        checking(upstream=lambda shape: tf.repeat(tf.random.normal((5, 1)), 3, axis=1)),
    ),
    "upstream is x": Wrong(
        "Your check accepts a backward pass that uses `x` in place of `upstream`, because your `x` "
        "and `upstream` are equal. Draw `upstream` separately.",
        comparing(right_by_hand, upstream=lambda x: x),
    ),
    "refuses what is right": Wrong(
        "Your check rejects every backward pass, even the correct ones. Let `check_gradients` "
        "compare: recompute `y` from `x` and `scale` in the loss `tf.reduce_sum(upstream * y)`, "
        "and pass `d_x` before `d_scale`.",
        checking(loss=lambda y, upstream: 2 * upstream * y),
    ),
    "loss without upstream": Wrong(
        "Your check rejects correct backward passes and accepts one that ignores `upstream`. Use "
        "the sum of `upstream * y` as the loss: `backward` returns the gradients of that sum.",
        checking(loss=lambda y, upstream: y),
    ),
    "compares every digit": Wrong(
        "Your check rejects a correct backward pass that rounds differently. Compare with a "
        "tolerance, as `report.passed` does.",
        comparing(right_by_hand, same=np.array_equal),
    ),
    "compares with the author's": Wrong(
        "Your check accepts the author's backward pass and rejects correct ones, because your own "
        "formula has the author's bug. Let `check_gradients` compare with finite differences.",
        comparing(lambda x, scale, u: (u * scale, right_by_hand(x, scale, u)[1])),
    ),
    "says the opposite": Wrong(
        "Your check returns `True` for wrong gradients and `False` for correct ones. Return "
        "`report.passed`.",
        checking(judge=lambda report: not report.passed),
    ),
    "always True": Wrong(
        "Your check returns `True` for every backward pass. Pass the gradients to "
        "`check_gradients` as `grads=`, and return `report.passed`.",
        checking(judge=lambda report: True),
    ),
    "one of the two is enough": Wrong(
        "Your check accepts a backward pass in which only one gradient is correct. Require both: "
        "return `report.passed`.",
        checking(judge=lambda report: any(row.verdict == "agrees" for row in report.rows)),
    ),
    "returns the report": Wrong(
        "You returned the whole report. Return `report.passed`, which is `True` or `False`.",
        checking(judge=lambda report: report),
    ),
    "returns none": Wrong(
        "Your function returned `None`. Return `report.passed`.",
        lambda backward: print(checking()(backward)),
    ),
    "a tolerance too wide": Wrong(
        "Your check accepts a `d_x` that is 3% too large, because its tolerance is too wide or it "
        "compares only sums. Compare every entry to four digits.",
        comparing(right_by_hand, same=partial(np.allclose, rtol=0.3)),
        calls=(0, 6, 11),  # the right ones, and that d_x
    ),
    "a tolerance too wide for d_scale": Wrong(
        "Your check accepts a `d_scale` that is 3% too large, because its tolerance is too wide or "
        "it compares only sums. Compare every entry to four digits.",
        comparing(right_by_hand, same_scale=partial(np.allclose, rtol=0.3)),
        calls=(0, 7, 11),
    ),
    "d_x without its sign": Wrong(
        f"Your check accepts a `d_x` {WRONG_SIGN} `d_x`{SIZE_ALONE}",
        comparing(right_by_hand, same=part_of(np.abs)),
        comparing(right_by_hand, same=part_of(np.linalg.norm)),
        calls=(0, 11, 12),
    ),
    "d_scale without its sign": Wrong(
        f"Your check accepts a `d_scale` {WRONG_SIGN} `d_scale`{SIZE_ALONE}",
        comparing(right_by_hand, same_scale=part_of(np.square)),
        calls=(0, 11, 13),
    ),
    "d_x but its last entry": Wrong(
        f"Your check accepts a `d_x` {ONE_OFF} `d_x`{PART_ALONE}",
        comparing(right_by_hand, same=part_of(lambda d: d[0]), same_scale=close),
        comparing(right_by_hand, same=part_of(lambda d: d[:, 0]), same_scale=close),
        comparing(right_by_hand, same=under, same_scale=close),
        calls=(0, 11, 14),
    ),
    "d_x but its first entry": Wrong(
        f"Your check accepts a `d_x` {ONE_OFF} `d_x`{PART_ALONE}",
        comparing(right_by_hand, same=part_of(lambda d: d[-1]), same_scale=close),
        comparing(right_by_hand, same=part_of(lambda d: d[:, -1]), same_scale=close),
        comparing(right_by_hand, same=over, same_scale=close),
        calls=(0, 11, 15),
    ),
    "d_scale but its last entry": Wrong(
        f"Your check accepts a `d_scale` {ONE_OFF} `d_scale`{PART_ALONE}",
        comparing(right_by_hand, same_scale=part_of(lambda d: d[0])),
        calls=(0, 11, 16),
    ),
    "d_scale but its first entry": Wrong(
        f"Your check accepts a `d_scale` {ONE_OFF} `d_scale`{PART_ALONE}",
        comparing(right_by_hand, same_scale=part_of(lambda d: d[-1])),
        calls=(0, 11, 17),
    ),
    "d_x in any order": Wrong(
        "Your check accepts a `d_x` whose rows are in the wrong order. Compare every entry with "
        "the entry at the same position.",
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
        "`log_cosh(x)` returned a pair instead of one tensor. Keep `@tf.custom_gradient` above "
        "the function; without it, nothing calls `grad`.",
        curve(decorated=False),
    ),
    "nothing returned": Wrong(
        "Your function under `@tf.custom_gradient` returned `None`. Return two things: the "
        "value and the function `grad`.",
        tf.custom_gradient(lambda x: None),
    ),
    "no grad returned": Wrong(
        "Your function under `@tf.custom_gradient` returned only the value. Return two things: "
        "the value and the function `grad`.",
        tf.custom_gradient(right_value),
    ),
    "shape changed": Wrong(
        "The value does not have the shape of `x`. Compute it elementwise, without a sum or a "
        "new axis.",
        curve(lambda x: tf.reduce_sum(right_value(x))),
        curve(lambda x: right_value(x)[None]),
        curve(lambda x: tf.reshape(right_value(x), ())),
        curve(lambda x: tf.reduce_logsumexp(tf.stack([x, -x])) - np.log(2)),
    ),
    "value overflows": Wrong(
        "At x = 100 or -100 the value is not finite, because an exponential overflows. Use the "
        "formula from the exercise, in which exp(-2|x|) never exceeds 1.",
        curve(lambda x: tf.math.log(tf.cosh(x))),
        curve(lambda x: x + tail(x) - np.log(2)),
        curve(lambda x: tf.math.log1p(tf.exp(2 * x)) - x - np.log(2)),
    ),
    "log 2 left out": Wrong(
        "The value is too large by log 2 everywhere; at 0 it should be 0. Subtract log 2.",
        curve(lambda x: tf.abs(x) + tail(tf.abs(x))),
    ),
    "abs left out": Wrong(
        "The values for negative `x` are wrong. Use `tf.abs(x)` for both occurrences of |x| in the "
        "formula.",
        curve(lambda x: x + tail(tf.abs(x)) - np.log(2)),
        curve(lambda x: tf.abs(x) + tail(x) - np.log(2)),
    ),
    "form miscopied": Wrong(
        "The value is not |x| + log(1 + exp(-2|x|)) - log 2. Use the exponent -2|x| and the "
        "natural logarithm of 2, and remember that `tf.math.log1p(t)` already adds the 1.",
        curve(lambda x: tf.abs(x) + tail(tf.abs(x) / 2) - np.log(2)),
        curve(lambda x: tf.abs(x) + tail(-tf.abs(x)) - np.log(2)),
        curve(lambda x: tf.abs(x) + tf.math.log(2 + tf.exp(-2 * tf.abs(x))) - np.log(2)),
        curve(lambda x: tf.abs(x) + tail(tf.abs(x)) - np.log10(2)),
        curve(lambda x: tf.abs(x) + tf.exp(-2 * tf.abs(x)) - np.log(2)),
    ),
    "value is the slope": Wrong(
        "The value is tanh(x), which is the slope. Return two things: log(cosh(x)) as the value, "
        "and the function `grad`.",
        curve(tf.tanh),
    ),
    "no slope": Wrong(
        "The values are right, but the slope is `None`: `grad` returns `None`, or there is no "
        "`grad` and the value comes from NumPy. Let `grad` return `upstream * tf.tanh(x)`.",
        curve(grad=lambda x, u: None),
    ),
    "grad changes the shape": Wrong(
        "The result of `grad` does not have the shape of `x`. Return `upstream * tf.tanh(x)`, "
        "without a sum or a new axis.",
        curve(grad=lambda x, u: (u * tf.tanh(x))[None]),
        curve(grad=lambda x, u: tf.reduce_sum(u * tf.tanh(x))),
        curve(grad=lambda x, u: tf.reshape(u * tf.tanh(x), (1, -1))),
    ),
    "two gradients": Wrong(
        "`grad` returned several gradients, but `log_cosh` has only one argument. Return only "
        "`upstream * tf.tanh(x)`; an outer tape computes the second derivative.",
        curve(grad=lambda x, u: (u * tf.tanh(x), u * (1 - tf.tanh(x) ** 2))),
    ),
    "slope overflows": Wrong(
        "The values are right, but at x = 100 or -100 the slope is not finite. Use "
        "`tf.tanh(x)` in `grad`, not a quotient of exponentials.",
        curve(grad=lambda x, u: u * (tf.exp(x) - tf.exp(-x)) / (tf.exp(x) + tf.exp(-x))),
        curve(grad=lambda x, u: u * (tf.exp(2 * x) - 1) / (tf.exp(2 * x) + 1)),
        curve(grad=lambda x, u: u * (1 - tf.exp(-2 * x)) / (1 + tf.exp(-2 * x))),
    ),
    "second derivative returned": Wrong(
        "`grad` returns the second derivative, 1 - tanh(x)². Use the slope, `tf.tanh(x)`.",
        curve(grad=lambda x, u: u * (1 - tf.tanh(x) ** 2)),
    ),
    "slope sign wrong": Wrong(
        "The slope has the wrong sign. Use `+tf.tanh(x)`.",
        curve(grad=lambda x, u: -u * tf.tanh(x)),
    ),
    "upstream alone": Wrong(
        "`grad` returns only `upstream`. Multiply it by the slope, `tf.tanh(x)`.",
        curve(grad=lambda x, u: u),
    ),
    "slope of abs": Wrong(
        "You use the sign of `x` as the slope, which is right only far from 0. Use `tf.tanh(x)`.",
        curve(grad=lambda x, u: u * tf.sign(x)),
        curve(grad=lambda x, u: u * (2 * tf.cast(x >= 0, tf.float32) - 1)),
        curve(grad=lambda x, u: u * (2 * tf.cast(x > 0, tf.float32) - 1)),
    ),
    "sigmoid as slope": Wrong(
        "You use a sigmoid, which is the slope of softplus. Use `tf.tanh(x)`.",
        curve(grad=lambda x, u: u * tf.sigmoid(x)),
        curve(grad=lambda x, u: u * tf.sigmoid(2 * x)),
    ),
    "half of x": Wrong(
        "Your slope is tanh(x/2), which equals 2 · sigmoid(x) - 1. Use `tf.tanh(x)`.",
        curve(grad=lambda x, u: u * tf.tanh(x / 2)),
    ),
    "tanh of upstream": Wrong(
        "`grad` applies tanh to its own argument, the upstream gradient. Name that argument "
        "`upstream`, and multiply it by `tf.tanh(x)`, with the `x` of `log_cosh`.",
        curve(grad=lambda x, u: tf.tanh(u)),
        curve(grad=lambda x, u: u * tf.tanh(u)),
    ),
    "log of a whole number": Wrong(
        "You pass the integer 2 to `tf.math.log`, which needs a float. Write "
        "`tf.math.log(2.0)` or `np.log(2)`.",
        curve(lambda x: tf.abs(x) + tail(tf.abs(x)) - tf.math.log(2)),
    ),
    "tanh of abs": Wrong(
        "The slope should be negative for negative `x`. Apply `tf.tanh` to `x`, not to |x|.",
        curve(grad=lambda x, u: u * tf.tanh(tf.abs(x))),
    ),
    "slope is no tanh": Wrong(
        "The values are right, but `grad` does not multiply `upstream` by the slope. Return "
        "`upstream * tf.tanh(x)`.",
        curve(grad=lambda x, u: u * x),
        curve(grad=lambda x, u: u * right_value(x)),
        curve(grad=lambda x, u: u + tf.tanh(x)),
        curve(grad=lambda x, u: u / tf.tanh(x)),
    ),
    "upstream left out": Wrong(
        "The slope of `log_cosh(x)` is right, but that of `3 * log_cosh(x)` is not three times "
        "as large. Multiply by `upstream` in `grad`, as the chain rule requires.",
        curve(grad=lambda x, u: tf.tanh(x)),
    ),
    "slope cut off": Wrong(
        "Values and slopes are right, but the second derivative is `None`: no path leads from "
        "`x` to the slope. Use `tf.tanh(x)`, without `.numpy()` or `tf.stop_gradient`.",
        curve(grad=lambda x, u: u * np.tanh(x.numpy())),
        curve(grad=lambda x, u: u * tf.stop_gradient(tf.tanh(x))),
    ),
    "x as one number": Wrong(
        "`x` can have any shape, but `float(x)` works only for a single number, and breaks the "
        "path from `x` to the slope. Use TensorFlow functions of `x` itself.",
        curve(grad=lambda x, u: u * np.tanh(float(x))),
    ),
    "kink at zero": Wrong(
        "The second derivative at 0 is 0, but it should be 1: your slope goes through `abs`, "
        "which has a kink there. Write the slope as `tf.tanh(x)`, with "
        "`tf.custom_gradient`.",
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
        "Every gradient is too large by a factor of n, the number of rows, because the loss is "
        "a mean. Start with `2 * error / len(error)`.",
        network(slope_of_error=lambda e, n: 2 * e),
    ),
    "fixed batch size": Wrong(
        "You divide by the same number in every batch, but batches differ in size. Divide by "
        "`len(error)`.",
        *(network(slope_of_error=lambda e, n, size=size: 2 * e / size) for size in (4, 5, 6)),
    ),
    "the 2 is missing": Wrong(
        "Every gradient is half of what it should be. Start with `2 * error / len(error)`: the "
        "slope of `error**2` is `2 * error`.",
        network(slope_of_error=lambda e, n: e / n),
    ),
    "neither 2 nor n": Wrong(
        "You start with the error itself, but the loss is the mean of its squares. Start with "
        "`2 * error / len(error)`.",
        network(slope_of_error=lambda e, n: e),
    ),
    "wrong sign": Wrong(
        "Every sign is wrong. The error is the prediction minus y, so it grows with the "
        "prediction: start with `+2 * error / len(error)`.",
        network(slope_of_error=lambda e, n: -2 * e / n),
    ),
    "b2 per row": Wrong(
        "`b2` is added to each row, so its gradient is a sum over the rows. Sum over `axis=0`.",
        network(second=layer(by_hidden, lambda d: d)),
        network(second=layer(by_hidden, lambda d: d[:, 0])),
    ),
    "averaged twice": Wrong(
        "At least one gradient is too small by a factor of n, the number of rows. The derivative "
        "of the mean already includes the division by n, so sum over the rows from there on.",
        network(slope_of_error=lambda e, n: 2 * e / n**2),
        network(second=layer(by_hidden, lambda d: d.mean(axis=0))),
        network(first=layer(lambda x, hidden, d: x.T @ d / len(x))),
        network(first=layer(by_x, lambda d: d.mean(axis=0))),
    ),
    "tanh left out": Wrong(
        "The second layer is right, but you leave out the tanh on the path to `W1` and `b1`. "
        "Multiply by its slope, `1 - hidden**2`.",
        network(slope_of_tanh=lambda h: 1.0),
    ),
    "tanh of tanh": Wrong(
        "The second layer is right, but you apply tanh twice: `hidden` is already the tanh. "
        "Use its slope, `1 - hidden**2`.",
        network(slope_of_tanh=lambda h: 1 - np.tanh(h) ** 2),
    ),
    "slope of a sigmoid": Wrong(
        "The second layer is right, but `hidden * (1 - hidden)` is the slope of a sigmoid. Use "
        "that of tanh, `1 - hidden**2`.",
        network(slope_of_tanh=lambda h: h * (1 - h)),
    ),
    "slope of a relu": Wrong(
        "The second layer is right, but you use the slope of a ReLU. Use that of tanh, `1 - "
        "hidden**2`.",
        network(slope_of_tanh=lambda h: (h > 0).astype(float)),
    ),
    "square forgotten": Wrong(
        "The second layer is right, but the square is missing from the slope of tanh. Use `1 - "
        "hidden**2`.",
        network(slope_of_tanh=lambda h: 1 - h),
    ),
    "W2 left out": Wrong(
        "The second layer is right, but the gradient does not go through `W2`. Use `d_error @ "
        'params["W2"].T` for the hidden layer.',
        network(slope_of_hidden=lambda d, W2: d),
    ),
    "gradient for weights": Wrong(
        "The second layer is right, but you go back through the *gradient* of `W2`, perhaps "
        'because it has the same name. Use the weights, `params["W2"]`.',
        lambda params, x, hidden, error: network(
            slope_of_hidden=lambda d, W2: d @ (hidden.T @ d).T,
        )(params, x, hidden, error),
    ),
    "a step taken": Wrong(
        "You returned the parameters after an update. Return the gradients themselves.",
        *(
            lambda params, *rest, lr=lr: {
                name: params[name] - lr * gradient
                for name, gradient in network()(params, *rest).items()
            }
            for lr in (1, 0.1, 0.01)
        ),
    ),
    "biases exchanged": Wrong(
        'Under `"b2"` you have one entry per hidden unit, as for `b1`. `b2` belongs to the '
        "output: sum the slope of the error over the rows.",
        keys_changed(lambda name: {"b1": "b2", "b2": "b1"}.get(name, name)),
    ),
    "b1 in one number": Wrong(
        "You summed the gradient of `b1` over both axes. `b1` has one entry per column: sum only "
        "over `axis=0`.",
        lambda *inputs: (found := network()(*inputs)) | {"b1": np.sum(found["b1"])},
    ),
    "b1 from the output": Wrong(
        "`b1` has the gradient of `b2`. But `b1` acts before the tanh, like `W1`: sum the array "
        "that you use for `W1` over `axis=0`.",
        lambda *inputs: (found := network()(*inputs)) | {"b1": found["b2"]},
        lambda *inputs: (
            (found := network()(*inputs)) | {"b1": found["b2"] * np.ones_like(found["b1"])}
        ),
    ),
    "b1 per row": Wrong(
        "`b1` is added to each row, so its gradient is a sum over the rows. Sum over `axis=0`.",
        network(first=layer(by_x, lambda d: d)),
        network(first=layer(by_x, lambda d: d.sum(axis=1))),
    ),
    "b1 before the slope": Wrong(
        "`W1` is right, but `b1` skips the slope of tanh. Sum the array that you use for `W1` "
        "over `axis=0`.",
        lambda *inputs: (
            network()(*inputs) | {"b1": network(slope_of_tanh=lambda h: 1.0)(*inputs)["b1"]}
        ),
    ),
    "W1 transposed": Wrong(
        "The gradient of `W1` is transposed. Use `x.T @ upstream` for `x @ W1`.",
        network(first=layer(lambda x, hidden, d: d.T @ x)),
    ),
    "W2 transposed": Wrong(
        "The gradient of `W2` is transposed. Use `hidden.T @ upstream` for `hidden @ W2`.",
        network(second=layer(lambda x, hidden, d: d.T @ hidden)),
    ),
    "met another input": Wrong(
        "The gradient of `W1` or `W2` uses the wrong input. For `W1` use `x.T`, and for `W2` "
        "use `hidden.T`, each multiplied by the upstream gradient of that layer.",
        network(second=layer(by_x)),
        network(second=layer(lambda x, hidden, d: (1 - hidden**2).T @ d)),
        network(first=layer(by_hidden)),
    ),
    "factors do not fit": Wrong(
        'The shapes in a matrix product do not match. Use `d_error @ params["W2"].T` for the '
        "hidden layer and `hidden.T @ d_error` for `W2`, and multiply elementwise (`*`) by the "
        "slope of tanh.",
        network(slope_of_hidden=lambda d, W2: d @ W2),
    ),
    "layers exchanged": Wrong(
        'The two layers are swapped in your dict. Use `"W1"` and `"b1"` for the layer that '
        "takes `x`.",
        keys_changed(lambda name: name.translate(str.maketrans("12", "21"))),
    ),
    "key missing": Wrong(
        'Your dict has the wrong keys. Use those of `params`: `"W1"`, `"b1"`, `"W2"` and `"b2"`.',
        keys_changed(lambda name: {"W1": "W1", "W2": "W2"}.get(name)),
        keys_changed(lambda name: name.lower()),
        keys_changed(lambda name: name if name.endswith("2") else None),
        keys_changed(lambda name: name if name != "b1" else None),
    ),
    "gradients in a list": Wrong(
        "You returned a list or a tuple. Return a dict with the keys of `params`.",
        lambda *inputs: list(network()(*inputs).values()),
    ),
    "returns none": Wrong(
        "Your function returned `None`. Return the dict with the four gradients.",
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
        "Every step uses the first learning rate, because a graph keeps the value that a Python "
        "number had during tracing. Give `step` a parameter, and call it with `tf.constant(rate)`.",
        following(lambda rates, i: rates[0]),
    ),
    "last rate throughout": Wrong(
        "Every step uses the last learning rate. Loop over `rates`, and pass each one to "
        "`step` as a tensor.",
        following(lambda rates, i: rates[-1]),
    ),
    "the variable itself": Wrong(
        "Every entry of the list is the last value, because you append the variable itself. "
        "Append its value, `w.numpy()`, after each step.",
        following(noted=lambda w, loss: w),
    ),
    "noted before the step": Wrong(
        "You append `w` before its update. Append it after the update.",
        following(before=True),
    ),
    "losses": Wrong(
        "You returned the losses. Return the values of `w` after each step.",
        following(noted=lambda w, loss: loss.numpy()),
    ),
    "one number": Wrong(
        "You returned one number. Create the list `path` before the loop, append one number in "
        "each iteration, and return the whole list after the loop.",
        lambda *inputs: sum(following()(*inputs)),
    ),
    "last value alone": Wrong(
        "You returned only the last value of `w`. Return the whole list, one number per "
        "learning rate.",
        lambda *inputs: following()(*inputs)[-1],
    ),
    "first value alone": Wrong(
        "You returned only the first value of `w`, as happens if the `return` is inside the loop. "
        "Move the `return` below the loop.",
        lambda *inputs: following()(*inputs)[:1],
    ),
    "one number more": Wrong(
        "Your list has one number too many. Append `w` after each step, but not before the first.",
        lambda w, *rest: [w.numpy(), *following()(w, *rest)],
    ),
    "a rate behind": Wrong(
        "Each step uses the previous learning rate, and the first one is used twice. Set the "
        "new learning rate before the step.",
        following(lambda rates, i: rates[max(i - 1, 0)]),
    ),
    "tenth by tenth": Wrong(
        "You divide the learning rate by 10 in each step, but `rates` does not always follow that "
        "pattern. Use every entry of `rates`.",
        following(lambda rates, i: rates[0] / 10**i),
    ),
    "no rate": Wrong(
        "You update `w` by the whole gradient. Multiply the gradient by the learning rate.",
        following(lambda rates, i: 1),
    ),
    "index for rate": Wrong(
        "You use the index (0, 1, 2, ...) as the learning rate. Loop over `rates` itself, or "
        "use `rates[i]`.",
        following(lambda rates, i: i),
        following(lambda rates, i: i + 1),
    ),
    "up the slope": Wrong(
        "`w` moves uphill. Subtract the learning rate times the gradient with `assign_sub`, as "
        "in the exercise.",
        following(lambda rates, i: -rates[i]),
    ),
    "summed losses": Wrong(
        "You sum the losses. Keep the mean, `tf.reduce_mean`, as in the exercise.",
        lambda w, x, y, rates: following()(w, x, y, [len(x) * rate for rate in rates]),
    ),
    "set to the step": Wrong(
        "Each step sets `w` to the learning rate times the gradient. Subtract that from `w`: "
        "use `assign_sub`.",
        set_to_the_step,
    ),
    "starts anew": Wrong(
        "Each step starts again from the first `w`. Continue from the value that the previous "
        "step reached.",
        starting_anew,
        starting_anew_at_zero,
    ),
    "noted in the graph": Wrong(
        "Your list contains graph tensors without values, because the Python code in `step` runs "
        "only during tracing. Append `w.numpy()` in the loop, after the call to `step`.",
        noted_in_the_graph(lambda rate: rate),
        noted_in_the_graph(tf.constant),
    ),
    "returns none": Wrong(
        "Your function returned `None`. Return `path` after the loop.",
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

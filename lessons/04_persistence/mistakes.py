"""Wrong answers to the questions of lesson 04, and what each is told."""

import tensorflow as tf

from course_utils.exercises import Table, Wrong

# 04.1

SUM_OF_SLOPES = Table(
    {
        None: "Both parts are computed from the variable `w`, so there is a gradient. Find the "
        "slope of each part at w = 3.",
        4: "4 is the slope of only `fit`. But the target is a dict that also contains `size`.",
        6: "6 is the slope of only `size`. But the target is a dict that also contains `fit`.",
        5: "5 is the mean of the two slopes. But several targets are summed, not averaged.",
        24: "24 is the product of the two slopes. But several targets are summed, not multiplied.",
        13: "13 is the sum of the two *values*, 4 and 9. The tape returns the slope of that sum.",
        8: "8 is 2 + 6. But the slope of `(w - 1)**2` is 2(w - 1), which is 4 at w = 3.",
        11: "11 is 5 + 6. But the slope of `(w - 1)**2` is 2(w - 1), which is 4 at w = 3.",
        12: "12 is 2w + 2w. But the slope of `(w - 1)**2` is 2(w - 1), which is 4 at w = 3.",
    },
    "{value} is not the answer. Find the slope of each part at w = 3. What does a tape do with "
    "several targets?",
)

# 04.2


def mean_losses(error):
    return tf.reduce_mean(error**2), tf.reduce_mean(tf.abs(error))


def by_loss(answer, losses=mean_losses, error_of=lambda x, w, y: x @ w - y):
    """Return an answer to 04.2: a persistent tape, then ``answer(ask, squared, absolute)``."""

    def gradients_by_loss(w, x, y):
        with tf.GradientTape(persistent=True) as tape:
            squared, absolute = losses(error_of(x, w, y))
        return answer(lambda target: tape.gradient(target, w), squared, absolute)

    return gradients_by_loss


def both(ask, squared, absolute):
    return {"squared": ask(squared), "absolute": ask(absolute)}


def targets(choose):
    """Return an answer whose two targets are what ``choose`` makes of both losses."""
    return by_loss(lambda ask, s, a: both(ask, *choose(s, a)))


def one_name(name, wrong):
    """Return an answer whose target under one name is ``wrong(its loss, the other loss)``."""

    def choose(s, a):
        return (wrong(s, a), a) if name == "squared" else (s, wrong(a, s))

    return targets(choose)


def one_summed(name):
    def losses(error):
        squared, absolute = mean_losses(error)
        return (error**2, absolute) if name == "squared" else (squared, tf.abs(error))

    return by_loss(both, losses)


RECORDED = (
    "Compute both losses inside the `with` block of one persistent tape, from `w` itself (not "
    "a copy), with TensorFlow functions and no `stop_recording` or `reset`."
)


BY_LOSS = {
    "one gradient alone": Wrong(
        "You returned one gradient. Return a dict with two: the gradient of each loss under "
        'its name, `"squared"` or `"absolute"`.',
        by_loss(lambda ask, s, a: ask(s)),
        by_loss(lambda ask, s, a: ask(a)),
    ),
    "sum of both returned": Wrong(
        "You returned the gradient of the sum of both losses: targets in a list or dict are "
        "summed. Call `gradient` on a persistent tape once per loss.",
        by_loss(lambda ask, *losses: ask(list(losses))),
    ),
    "sum under both names": Wrong(
        "Under both names you have the gradient of the sum of the losses. Call `gradient` on a "
        "persistent tape twice, each time with one loss as the target.",
        targets(lambda s, a: ([s, a], [s, a])),
    ),
    "names exchanged": Wrong(
        "The two gradients are swapped. Put the gradient of each loss under its own name.",
        targets(lambda s, a: (a, s)),
    ),
    "errors summed": Wrong(
        "Both gradients are too large by a factor of n, the number of examples, because the "
        "errors are summed. Average them with `tf.reduce_mean`.",
        by_loss(both, lambda error: (error**2, tf.abs(error))),
    ),
    "absolute loss under both": Wrong(
        'Under `"squared"` you have the gradient of the absolute loss. Pass the squared loss as '
        "the target instead.",
        one_name("squared", lambda own, other: other),
    ),
    "sum under squared": Wrong(
        'Under `"squared"` you have the gradient of the sum of both losses. Pass only the '
        "squared loss as the target.",
        one_name("squared", lambda own, other: [own, other]),
    ),
    "squared errors summed": Wrong(
        'The gradient under `"squared"` is too large by a factor of n, the number of examples, '
        "because you sum the squares. Average them with `tf.reduce_mean`.",
        one_summed("squared"),
    ),
    "no path under squared": Wrong(
        'The gradient under `"squared"` is `None`: no path leads from `w` to that loss. '
        + RECORDED,
        one_name("squared", lambda own, other: tf.identity(own)),
    ),
    "squared loss under both": Wrong(
        'Under `"absolute"` you have the gradient of the squared loss. Pass the absolute loss as '
        "the target instead.",
        one_name("absolute", lambda own, other: other),
    ),
    "sum under absolute": Wrong(
        'Under `"absolute"` you have the gradient of the sum of both losses. Pass only the '
        "absolute loss as the target.",
        one_name("absolute", lambda own, other: [own, other]),
    ),
    "absolute errors summed": Wrong(
        'The gradient under `"absolute"` is too large by a factor of n, the number of '
        "examples, because you sum the absolute errors. Average them with "
        "`tf.reduce_mean`.",
        one_summed("absolute"),
    ),
    "no path under absolute": Wrong(
        'The gradient under `"absolute"` is `None`: no path leads from `w` to that loss. '
        + RECORDED,
        one_name("absolute", lambda own, other: tf.identity(own)),
    ),
    "no path at all": Wrong(
        f"Both gradients are `None`: no path leads from `w` to the losses. {RECORDED}",
        targets(lambda s, a: (s + 0, a + 0)),
    ),
    "no absolute value": Wrong(
        'Under `"absolute"` you use the mean error, in which positive and negative errors '
        "cancel. Apply `tf.abs` to the errors before the mean.",
        by_loss(both, lambda error: (mean_losses(error)[0], tf.reduce_mean(error))),
    ),
    "mean before absolute value": Wrong(
        'Under `"absolute"` you average the errors before `tf.abs`, so positive and negative '
        "errors cancel. Apply `tf.abs` to each error first, then take the mean.",
        by_loss(both, lambda error: (mean_losses(error)[0], abs(tf.reduce_mean(error)))),
    ),
    "mean before square": Wrong(
        'Under `"squared"` you average the errors before squaring, so positive and negative '
        "errors cancel. Square each error first, then take the mean.",
        by_loss(both, lambda error: (tf.reduce_mean(error) ** 2, mean_losses(error)[1])),
    ),
    "mean before both": Wrong(
        "You average the errors first, so positive and negative errors cancel. Square each "
        "error, or apply `tf.abs` to each, and then take the mean.",
        by_loss(both, lambda error: (tf.reduce_mean(error) ** 2, abs(tf.reduce_mean(error)))),
    ),
    "length for absolute": Wrong(
        'Under `"absolute"` you use the norm of the errors, the square root of the sum of their '
        "squares. Apply `tf.abs` to the errors and take the mean.",
        by_loss(both, lambda error: (mean_losses(error)[0], tf.norm(error))),
    ),
    "half of squared": Wrong(
        'The gradient under `"squared"` is half of what it should be. Remove the factor 1/2.',
        by_loss(both, lambda error: (mean_losses(error)[0] / 2, mean_losses(error)[1])),
    ),
    "root of squared": Wrong(
        'Under `"squared"` you take the root of the mean. Remove the square root.',
        by_loss(both, lambda error: (mean_losses(error)[0] ** 0.5, mean_losses(error)[1])),
    ),
    "errors in a table": Wrong(
        "The predictions and `y` have different shapes, so their difference broadcasts to (n, "
        "n). `x @ w` has shape (n, 1), like `y`: subtract them without reshaping.",
        by_loss(both, error_of=lambda x, w, y: tf.squeeze(x @ w) - y),
    ),
    "target added": Wrong(
        "You add `y` to the prediction. Subtract it.",
        by_loss(both, error_of=lambda x, w, y: x @ w + y),
    ),
    "list of sources": Wrong(
        "Under each name you have a list that contains the gradient. Pass `w` itself as the "
        "source, not a list.",
        by_loss(lambda ask, s, a: {"squared": [ask(s)], "absolute": [ask(a)]}),
    ),
    "losses returned": Wrong(
        "Under each name you have a single number, the loss itself. Return its gradient, which has "
        "the shape of `w`, (3, 1).",
        by_loss(lambda ask, s, a: {"squared": s, "absolute": a}),
    ),
}

# 04.3


def pair_of(answer):
    """Return an answer to 04.3: ``answer(ask, loss, penalty, error)`` of a persistent tape."""

    def gradient_and_norm(w, x, y):
        with tf.GradientTape(persistent=True) as tape:
            penalty = 0.1 * tf.reduce_sum(w**2)
            error = tf.reduce_mean((x @ w - y) ** 2)
            loss = error + penalty
        return answer(lambda target: tape.gradient(target, w), loss, penalty, error)

    return gradient_and_norm


def first(choose):
    return pair_of(lambda ask, loss, p, e: (choose(ask, loss, p, e), tf.norm(ask(p))))


def second(choose):
    return pair_of(lambda ask, loss, p, e: (ask(loss), choose(ask, loss, p, e)))


def loss_below_the_block(w, x, y):
    with tf.GradientTape(persistent=True) as tape:
        penalty = 0.1 * tf.reduce_sum(w**2)
    loss = tf.reduce_mean((x @ w - y) ** 2) + penalty
    return tape.gradient(loss, w), tf.norm(tape.gradient(penalty, w))


def penalty_in_the_pause(w, x, y):
    with tf.GradientTape(persistent=True) as tape:
        with tape.stop_recording():
            penalty = 0.1 * tf.reduce_sum(w**2)
            norm = tf.norm(tape.gradient(penalty, w))
        loss = tf.reduce_mean((x @ w - y) ** 2) + penalty
    return tape.gradient(loss, w), norm


def norm_as_penalty(w, x, y):
    with tf.GradientTape(persistent=True) as tape:
        penalty = 0.1 * tf.norm(w)
        loss = tf.reduce_mean((x @ w - y) ** 2) + penalty
    return tape.gradient(loss, w), tf.norm(tape.gradient(penalty, w))


PENALTY = {
    "no pair": Wrong(
        "Your function did not return two things. Return the gradient of the loss, then the "
        "norm of the penalty's gradient.",
        pair_of(lambda ask, loss, p, e: ask(loss)),
    ),
    "penalty lost": Wrong(
        "Your first return value is the gradient of only the error: the penalty is a constant to "
        "your tape, or is not in the target. Record both on one persistent tape, without `reset`, "
        "and use `loss` as the target.",
        first(lambda ask, loss, p, e: ask(e)),
    ),
    "penalty alone": Wrong(
        "Your first return value is the gradient of only the penalty. Use the loss as the "
        "target: the error plus the penalty.",
        first(lambda ask, loss, p, e: ask(p)),
    ),
    "errors summed": Wrong(
        "You sum the squared errors. Keep their mean, as in the exercise.",
        lambda w, x, y: first(lambda ask, loss, p, e: len(x) * ask(e) + ask(p))(w, x, y),
    ),
    "penalty twice": Wrong(
        "The penalty is in the gradient twice: the loss already contains it, and several "
        "targets are summed. Use only the loss as the target.",
        first(lambda ask, loss, p, e: ask([loss, p])),
    ),
    "penalty subtracted": Wrong(
        "You subtract the penalty from the error. Add it.",
        first(lambda ask, loss, p, e: ask(e) - ask(p)),
    ),
    "factor twice": Wrong(
        "You multiply the penalty by 0.1 twice. Keep the factor only in the penalty itself.",
        first(lambda ask, loss, p, e: ask(e) + 0.1 * ask(p)),
    ),
    "norm added to the gradient": Wrong(
        "You add the norm to every entry of the gradient. The norm is only for the log: return the "
        "gradient of the loss unchanged.",
        first(lambda ask, loss, p, e: ask(loss) + tf.norm(ask(p))),
        first(lambda ask, loss, p, e: ask(e) + tf.norm(ask(p))),
    ),
    "norm as penalty": Wrong(
        "Your penalty is the norm of `w`. Keep the sum of the squares from the exercise, `0.1 * "
        "tf.reduce_sum(w**2)`.",
        norm_as_penalty,
    ),
    "no path from the loss": Wrong(
        "Your first return value is `None`. Compute the loss inside the block, and use a "
        "persistent tape, which keeps its recording after the gradient for the log.",
        loss_below_the_block,
    ),
    "number for the gradient": Wrong(
        "Your first return value is a single number. Return the gradient of the loss first; it "
        "has the shape of `w`, (3, 1).",
        first(lambda ask, loss, p, e: loss),
    ),
    "results exchanged": Wrong(
        "The two return values are swapped. Return the gradient of the loss first, then the norm.",
        pair_of(lambda ask, loss, p, e: (tf.norm(ask(p)), ask(loss))),
    ),
    "penalty not recorded": Wrong(
        "The gradient of the penalty is `None`: no path leads from `w` to the penalty. Compute "
        "the penalty inside the block, before `stop_recording`.",
        penalty_in_the_pause,
    ),
    "no norm": Wrong(
        "Your second return value is `None`. Return the norm of the penalty's gradient for the "
        "log.",
        second(lambda ask, loss, p, e: None),
    ),
    "norm not taken": Wrong(
        "Your second return value is an array of shape (3, 1). Return its norm, a single "
        "number: use `tf.norm`.",
        second(lambda ask, loss, p, e: ask(p)),
    ),
    "norm of the whole": Wrong(
        "The gradient is now right, but the norm is that of the whole gradient. Return the "
        "norm of only the penalty's gradient.",
        second(lambda ask, loss, p, e: tf.norm(ask(loss))),
    ),
    "norm of the error's": Wrong(
        "The gradient is now right, but the norm is that of the error's gradient. Return the "
        "norm of the penalty's gradient.",
        second(lambda ask, loss, p, e: tf.norm(ask(e))),
    ),
    "norm squared": Wrong(
        "The gradient is now right, but the norm is squared. Take its square root, or use "
        "`tf.norm`.",
        second(lambda ask, loss, p, e: tf.reduce_sum(ask(p) ** 2)),
    ),
    "penalty for its norm": Wrong(
        "The gradient is now right, but your second return value is the penalty itself. Return the "
        "norm of its gradient: keep `penalty_norm` from the exercise.",
        second(lambda ask, loss, p, e: p),
    ),
    "loss for the norm": Wrong(
        "The gradient is now right, but your second return value is the loss. Return the norm of "
        "the penalty's gradient: keep `penalty_norm` from the exercise.",
        second(lambda ask, loss, p, e: loss),
    ),
    "norm 0": Wrong(
        "The gradient is now right, but the norm is 0: a `None` was replaced by zeros. Compute "
        "the penalty's gradient while the tape still has its recording.",
        second(lambda ask, loss, p, e: 0.0),
    ),
    "norm of the weights": Wrong(
        "The gradient is now right, but your second return value is the norm of `w`. Return the "
        "norm of the penalty's gradient: keep `penalty_norm` from the exercise.",
        lambda w, x, y: second(lambda ask, loss, p, e: tf.norm(w))(w, x, y),
    ),
}

# 04.4


def table_of(rows, pick=tf.unstack, finish=tf.stack):
    """Return an answer to 04.4 that asks a persistent tape with ``rows(ask, entries)``."""

    def gradient_table(f, x):
        with tf.GradientTape(persistent=True) as tape:
            entries = pick(f(x))
        return finish(rows(lambda target: tape.gradient(target, x), entries))

    return gradient_table


def each_entry(ask, entries):
    return [ask(entry) for entry in entries]


def picked_too_late(finish):
    return table_of(lambda ask, y: [ask(y[i]) for i in range(len(y))], tf.identity, finish)


def above_the_block(f, x):
    y = f(x)
    with tf.GradientTape() as tape:
        pass
    return tape.gradient(y, x)


TABLE = {
    "rows counted by x": Wrong(
        "You index `f(x)` beyond its last entry. Loop over the entries of `f(x)`, not those of "
        "`x`.",
        lambda f, x: table_of(each_entry, lambda y: [y[i] for i in range(x.shape[0])])(f, x),
    ),
    "no path": Wrong(
        "Your function returned `None`. Either a `return` is missing, or no path leads from "
        "`x` to the target: call `f(x)` inside the `with` block.",
        above_the_block,
    ),
    "entries picked too late": Wrong(
        "Every row is `None`: no path leads from your source to those targets. Call `f(x)` and "
        "select its entries inside the `with` block, and use `x` itself as the source.",
        picked_too_late(list),
        picked_too_late(tf.stack),
    ),
    "first entry alone": Wrong(
        "You returned only the first row, perhaps because the `return` is inside the loop. Collect "
        "the rows in a list, then pass the list to `tf.stack`.",
        table_of(each_entry, finish=lambda rows: rows[0]),
    ),
    "last entry alone": Wrong(
        "You returned only the last row: each new row overwrote the one before. Collect the rows "
        "in a list, then pass the list to `tf.stack`.",
        table_of(each_entry, finish=lambda rows: rows[-1]),
    ),
    "one row": Wrong(
        "You returned the sum of all rows, because the entries of a target are summed. Use one "
        "entry as the target at a time, on a persistent tape, and stack the gradients.",
        table_of(lambda ask, y: ask(y), tf.identity),
    ),
    "sum in every row": Wrong(
        "Every row is the sum of all rows, because your target is the whole `f(x)`. Use one "
        "entry as the target at a time.",
        table_of(lambda ask, y: [ask(y) for _ in y], tf.identity),
    ),
    "zeros": Wrong(
        "Every entry of your matrix is 0: a `None` was replaced by zeros. Select the entries "
        "of `f(x)` inside the `with` block.",
        table_of(lambda ask, entries: [0 * ask(entry) for entry in entries]),
    ),
    "rows added up": Wrong(
        "Each row is the sum of its own gradient and all earlier ones, because the targets in a "
        "list are summed. Use one entry as the target at a time.",
        table_of(lambda ask, entries: [ask(entries[: i + 1]) for i in range(len(entries))]),
    ),
    "transposed": Wrong(
        "Your matrix is transposed. Put the gradient of entry i of `f(x)` into row i.",
        table_of(each_entry, finish=lambda rows: tf.stack(rows, axis=1)),
    ),
    "entry 0 in every row": Wrong(
        "Every row is the gradient of entry 0. Use a different entry for each row.",
        table_of(lambda ask, entries: [ask(entries[0]) for _ in entries]),
    ),
    "last entry in every row": Wrong(
        "Every row is the gradient of the last entry. Use a different entry for each row.",
        table_of(lambda ask, entries: [ask(entries[-1]) for _ in entries]),
    ),
    "rows joined": Wrong(
        "You joined the rows into one long vector, as `tf.concat` does. Use `tf.stack`, which "
        "keeps them as rows.",
        table_of(each_entry, finish=lambda rows: tf.concat(rows, 0)),
    ),
    "axis lost": Wrong(
        "If `f(x)` has only one entry, your matrix loses an axis, as with `tf.squeeze`. Return the "
        "result of `tf.stack` unchanged.",
        table_of(each_entry, finish=lambda rows: tf.squeeze(tf.stack(rows))),
    ),
    "f returned": Wrong(
        "You returned `f(x)` itself. Return the gradients of its entries.",
        lambda f, x: f(x),
    ),
    "rows in a list": Wrong(
        "The rows are right, but they are in a list. Turn the list into one tensor with `tf.stack`.",
        table_of(each_entry, finish=list),
    ),
}

MISTAKES = {"04.1": SUM_OF_SLOPES, "04.2": BY_LOSS, "04.3": PENALTY, "04.4": TABLE}

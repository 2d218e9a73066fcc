"""Wrong answers to the questions of lesson 04, and what each is told."""

import tensorflow as tf

from course_utils.exercises import Table, Wrong

# 04.1

SUM_OF_SLOPES = Table(
    {
        None: "Both parts are computed from the variable w, so there is a gradient.",
        4: "4 is the slope of fit alone. The target is a dict that holds size, too.",
        6: "6 is the slope of size alone. The target is a dict that holds fit, too.",
        5: "5 is the mean of the two slopes. Several targets are summed, not averaged.",
        24: "24 is the product of the two slopes. Several targets are summed.",
        13: "13 is the sum of the two values, 4 and 9. The tape gives the slope of that sum.",
        8: "8 is 2 + 6. The slope of (w - 1)**2 is 2(w - 1), which is 4 at w = 3.",
        11: "11 is 5 + 6. The slope of (w - 1)**2 is 2(w - 1), which is 4 at w = 3.",
        12: "12 is 2w + 2w. The slope of (w - 1)**2 is 2(w - 1), which is 4 at w = 3.",
    },
    "{value} is not it. Find the slope of each part at w = 3, and then say what a tape does with "
    "several targets.",
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
    "Take the variable w itself, no copy of it, and compute both losses inside the `with` block of "
    "one persistent tape, with TensorFlow's functions and without a pause or reset."
)


BY_LOSS = {
    "one gradient alone": Wrong(
        "You returned one gradient. Return a dict with two: under squared and under absolute that "
        "of the loss of this name.",
        by_loss(lambda ask, s, a: ask(s)),
        by_loss(lambda ask, s, a: ask(a)),
    ),
    "sum of both returned": Wrong(
        "You returned the gradient of the sum of both losses: targets are summed, also in a list "
        "or a dict. Ask a persistent tape once for each loss.",
        by_loss(lambda ask, *losses: ask(list(losses))),
    ),
    "sum under both names": Wrong(
        "Under both names stands the gradient of the sum of the losses. Ask a persistent tape "
        "twice, with one loss as the target each time.",
        targets(lambda s, a: ([s, a], [s, a])),
    ),
    "names exchanged": Wrong(
        "The two gradients stand under each other's name.",
        targets(lambda s, a: (a, s)),
    ),
    "errors summed": Wrong(
        "Both gradients are too large by the number of examples: the errors are added up, not "
        "averaged. Take tf.reduce_mean of them; a target of many entries is summed by itself.",
        by_loss(both, lambda error: (error**2, tf.abs(error))),
    ),
    "absolute loss under both": Wrong(
        "Under squared stands the gradient of the absolute loss, as under absolute. Make each "
        "loss the target of its own question.",
        one_name("squared", lambda own, other: other),
    ),
    "sum under squared": Wrong(
        "Under squared stands the gradient of the sum of both losses. Ask for it with the "
        "squared loss alone as the target.",
        one_name("squared", lambda own, other: [own, other]),
    ),
    "squared errors summed": Wrong(
        "The gradient under squared is too large by the number of examples: its errors are "
        "added up. Take tf.reduce_mean of them.",
        one_summed("squared"),
    ),
    "no path under squared": Wrong(
        "Under squared stands None: the tape has no path from that loss to your source. "
        + RECORDED,
        one_name("squared", lambda own, other: tf.identity(own)),
    ),
    "squared loss under both": Wrong(
        "Under absolute stands the gradient of the squared loss, as under squared. Make each "
        "loss the target of its own question.",
        one_name("absolute", lambda own, other: other),
    ),
    "sum under absolute": Wrong(
        "Under absolute stands the gradient of the sum of both losses. Ask for it with the "
        "absolute loss alone as the target.",
        one_name("absolute", lambda own, other: [own, other]),
    ),
    "absolute errors summed": Wrong(
        "The gradient under absolute is too large by the number of examples: its errors are "
        "added up. Take tf.reduce_mean of them.",
        one_summed("absolute"),
    ),
    "no path under absolute": Wrong(
        "Under absolute stands None: the tape has no path from that loss to your source. "
        + RECORDED,
        one_name("absolute", lambda own, other: tf.identity(own)),
    ),
    "no path at all": Wrong(
        "Under both names stands None: the tape has no path from the losses to your source. "
        f"{RECORDED}",
        targets(lambda s, a: (s + 0, a + 0)),
    ),
    "no absolute value": Wrong(
        "Under absolute stands the gradient of the mean error, in which errors of both signs "
        "cancel. Take tf.abs of the errors before the mean.",
        by_loss(both, lambda error: (mean_losses(error)[0], tf.reduce_mean(error))),
    ),
    "mean before absolute value": Wrong(
        "Under absolute stands the gradient of |mean error|: the errors cancel before tf.abs sees "
        "them. Take tf.abs of each error, and then the mean.",
        by_loss(both, lambda error: (mean_losses(error)[0], abs(tf.reduce_mean(error)))),
    ),
    "mean before square": Wrong(
        "Under squared stands the gradient of (mean error)**2: errors of both signs cancel before "
        "the square. Square each error, and then take the mean.",
        by_loss(both, lambda error: (tf.reduce_mean(error) ** 2, mean_losses(error)[1])),
    ),
    "mean before both": Wrong(
        "Under both names the errors are averaged first, and those of both signs cancel. Square "
        "each error, take tf.abs of each, and then the mean.",
        by_loss(both, lambda error: (tf.reduce_mean(error) ** 2, abs(tf.reduce_mean(error)))),
    ),
    "length for absolute": Wrong(
        "Under absolute stands the gradient of the length of the errors, the root of the sum of "
        "their squares. Take the mean of tf.abs of them.",
        by_loss(both, lambda error: (mean_losses(error)[0], tf.norm(error))),
    ),
    "half of squared": Wrong(
        "Under squared stands half of the gradient. The loss is the mean of the squares as they "
        "are, without a factor 1/2.",
        by_loss(both, lambda error: (mean_losses(error)[0] / 2, mean_losses(error)[1])),
    ),
    "root of squared": Wrong(
        "Under squared stands the gradient of the root of the mean. The loss is the mean of the "
        "squared errors itself.",
        by_loss(both, lambda error: (mean_losses(error)[0] ** 0.5, mean_losses(error)[1])),
    ),
    "errors in a table": Wrong(
        "Predictions and targets do not have one shape, so their difference is a table of n by n. "
        "x @ w has the shape (n, 1), as y has: subtract them as they are.",
        by_loss(both, error_of=lambda x, w, y: tf.squeeze(x @ w) - y),
    ),
    "target added": Wrong(
        "The target is added to the prediction. An error is their difference.",
        by_loss(both, error_of=lambda x, w, y: x @ w + y),
    ),
    "list of sources": Wrong(
        "Under each name stands a list with a gradient in it. Give w itself as the source, in no "
        "list.",
        by_loss(lambda ask, s, a: {"squared": [ask(s)], "absolute": [ask(a)]}),
    ),
    "losses returned": Wrong(
        "Under the names stands one number each, as the loss itself is. Its gradient has the "
        "shape of w, (3, 1).",
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


PENALTY = {
    "no pair": Wrong(
        "Your function returned something else than two things. Return two: the gradient of the "
        "loss, and then the norm of the penalty's gradient for the log.",
        pair_of(lambda ask, loss, p, e: ask(loss)),
    ),
    "penalty lost": Wrong(
        "The first result is the gradient of the error alone. Either your target lacks the "
        "penalty, or to the tape that you ask the penalty is a constant: recorded by another tape, "
        "or before a reset, or before a plain tape gave its answer for the log. Let one tape "
        "record both, and keep its recording.",
        first(lambda ask, loss, p, e: ask(e)),
    ),
    "penalty alone": Wrong(
        "The first result is the gradient of the penalty alone. Ask for that of the loss, which "
        "is the error and the penalty together.",
        first(lambda ask, loss, p, e: ask(p)),
    ),
    "errors summed": Wrong(
        "The squared errors are summed. The loss takes their mean, as it was given.",
        lambda w, x, y: first(lambda ask, loss, p, e: len(x) * ask(e) + ask(p))(w, x, y),
    ),
    "penalty twice": Wrong(
        "The penalty counts twice in the gradient. The loss holds it already, and several targets "
        "are summed: ask for the gradient of the loss alone.",
        first(lambda ask, loss, p, e: ask([loss, p])),
    ),
    "no path from the loss": Wrong(
        "The first result is None, and not the gradient of the loss. Compute the loss inside the "
        "block, and let the tape keep its recording after the answer for the log.",
        loss_below_the_block,
    ),
    "number for the gradient": Wrong(
        "The first result is one number. The gradient of the loss comes first, and has the shape "
        "of w, (3, 1).",
        first(lambda ask, loss, p, e: loss),
    ),
    "results exchanged": Wrong(
        "The two results are swapped: the gradient of the loss comes first, then the norm.",
        pair_of(lambda ask, loss, p, e: (tf.norm(ask(p)), ask(loss))),
    ),
    "penalty not recorded": Wrong(
        "The norm is asked of None: the tape found no path from the penalty to w. Compute the "
        "penalty inside the block, before the pause.",
        penalty_in_the_pause,
    ),
    "no norm": Wrong(
        "The second result is None. The log still needs the norm of the penalty's gradient.",
        second(lambda ask, loss, p, e: None),
    ),
    "norm not taken": Wrong(
        "The second result is an array of shape (3, 1). Its norm, tf.norm, is one number.",
        second(lambda ask, loss, p, e: ask(p)),
    ),
    "norm of the whole": Wrong(
        "The gradient is right now, but the norm for the log is that of the whole gradient. The "
        "log shows how strong the penalty's part is.",
        second(lambda ask, loss, p, e: tf.norm(ask(loss))),
    ),
    "norm of the error's": Wrong(
        "The gradient is right now, but the norm for the log is that of the error's.",
        second(lambda ask, loss, p, e: tf.norm(ask(e))),
    ),
    "norm squared": Wrong(
        "The gradient is right now, but the norm is squared: take its square root.",
        second(lambda ask, loss, p, e: tf.reduce_sum(ask(p) ** 2)),
    ),
    "penalty for its norm": Wrong(
        "The gradient is right now, but the second result is the penalty itself. The log shows "
        "the norm of its gradient: keep that line as given.",
        second(lambda ask, loss, p, e: p),
    ),
    "loss for the norm": Wrong(
        "The gradient is right now, but the second result is the loss. The log shows the norm of the "
        "penalty's gradient: keep that line as given.",
        second(lambda ask, loss, p, e: loss),
    ),
    "norm 0": Wrong(
        "The gradient is right now, but the norm is 0: zeros stand in place of a None. Ask for the "
        "penalty's gradient while the tape still has its recording.",
        second(lambda ask, loss, p, e: 0.0),
    ),
    "norm of the weights": Wrong(
        "The gradient is right now, but the second result is the norm of w. The log shows that of "
        "the penalty's gradient: keep that line as given.",
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
        "You ask f(x) for an entry that it does not have. Count the rows by the entries of f(x), "
        "and not by those of x.",
        lambda f, x: table_of(each_entry, lambda y: [y[i] for i in range(x.shape[0])])(f, x),
    ),
    "no path": Wrong(
        "Your function returned None. Either it returns nothing, or the tape has no path from its "
        "target to x: call f(x) inside the `with` block.",
        above_the_block,
    ),
    "entries picked too late": Wrong(
        "Every row is None: the tape has no path from those targets to your source. Call f(x) and "
        "pick its entries inside the `with` block, and ask for x itself: an entry picked below "
        "the block, or one of x, is a new tensor.",
        picked_too_late(list),
        picked_too_late(tf.stack),
    ),
    "first entry alone": Wrong(
        "You returned one row, the gradient of entry 0. Is there a `return` inside the loop? Collect a "
        "row for each entry, and stack them.",
        table_of(each_entry, finish=lambda rows: rows[0]),
    ),
    "last entry alone": Wrong(
        "You returned one row, the gradient of the last entry: each row took the place of the one "
        "before. Collect them in a list, and stack it.",
        table_of(each_entry, finish=lambda rows: rows[-1]),
    ),
    "one row": Wrong(
        "You returned one row, the sum of all rows: the entries of a target are summed. Ask a "
        "persistent tape for one entry at a time, and stack the answers.",
        table_of(lambda ask, y: ask(y), tf.identity),
    ),
    "sum in every row": Wrong(
        "Every row is the sum of all rows: each question has the whole f(x) as its target. Ask "
        "for one entry of it at a time.",
        table_of(lambda ask, y: [ask(y) for _ in y], tf.identity),
    ),
    "zeros": Wrong(
        "The table holds nothing but zeros: they stand for a path that the tape does not have. "
        "Pick the entries of f(x) inside the `with` block.",
        table_of(lambda ask, entries: [0 * ask(entry) for entry in entries]),
    ),
    "rows added up": Wrong(
        "Each row holds the ones above it, too: the targets of a list are summed. Ask for one "
        "entry at a time.",
        table_of(lambda ask, entries: [ask(entries[: i + 1]) for i in range(len(entries))]),
    ),
    "transposed": Wrong(
        "The table is transposed: row i belongs to entry i of f(x), column j to x[j].",
        table_of(each_entry, finish=lambda rows: tf.stack(rows, axis=1)),
    ),
    "entry 0 in every row": Wrong(
        "Every row is the gradient of entry 0. Let the entry change with the row.",
        table_of(lambda ask, entries: [ask(entries[0]) for _ in entries]),
    ),
    "last entry in every row": Wrong(
        "Every row is the gradient of the last entry. Let the entry change with the row.",
        table_of(lambda ask, entries: [ask(entries[-1]) for _ in entries]),
    ),
    "rows joined": Wrong(
        "The rows stand one behind the other in one vector. tf.stack puts them below each other; "
        "tf.concat joins them.",
        table_of(each_entry, finish=lambda rows: tf.concat(rows, 0)),
    ),
    "f returned": Wrong(
        "This is f(x) itself. Return the gradients of its entries.",
        lambda f, x: f(x),
    ),
    "rows in a list": Wrong(
        "The rows are right, but they stand in a list. Make one tensor of them: tf.stack.",
        table_of(each_entry, finish=list),
    ),
}

MISTAKES = {"04.1": SUM_OF_SLOPES, "04.2": BY_LOSS, "04.3": PENALTY, "04.4": TABLE}

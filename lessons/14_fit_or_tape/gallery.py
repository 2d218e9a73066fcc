"""Wrong answers to the questions of lesson 14, and what each is told."""

from itertools import combinations, product

import tensorflow as tf

from course_staff.authoring.gallery import Table, Wrong

# 14.1


def each_mean(cost):
    return tf.reduce_mean(cost, axis=-1)


def costing(little=3.0, much=1.0, power=2, reduce=each_mean, before=lambda error: error):
    """Return an answer to 14.1 with other factors, or another reduction."""

    def order_cost(y, y_hat):
        error = before(y - y_hat)
        return reduce(tf.where(error > 0, little, much) * tf.abs(error) ** power)

    return order_cost


def deciding_for(whole):
    """Return an answer that takes the factor for several errors at once, from their mean."""

    def order_cost(y, y_hat):
        error = y - y_hat
        return each_mean(tf.where(whole(error) > 0, 3.0, 1.0) * error**2)

    return order_cost


COSTS = [
    Wrong(
        "mean of all",
        "This is one number for all examples, which sample weights could no longer weigh. Average "
        "over the last axis alone: axis=-1.",
        costing(reduce=tf.reduce_mean),
        costing(reduce=tf.reduce_sum),
    ),
    Wrong(
        "no mean",
        "This is one cost for each good of each example. Average over the goods: tf.reduce_mean "
        "with axis=-1.",
        costing(reduce=tf.identity),
    ),
    Wrong(
        "mean over examples",
        "You averaged over the examples, axis 0. Average over the goods, axis -1.",
        costing(reduce=lambda cost: tf.reduce_mean(cost, axis=0)),
    ),
    Wrong(
        "axis kept",
        "There is an axis too many: (n, 1). Leave out keepdims.",
        costing(reduce=lambda cost: tf.reduce_mean(cost, axis=-1, keepdims=True)),
    ),
    Wrong(
        "goods added up",
        "You added up the goods. The mean over them was asked for: tf.reduce_mean.",
        costing(reduce=lambda cost: tf.reduce_sum(cost, axis=-1)),
    ),
    Wrong(
        "sides exchanged",
        "Too much costs 3 times here, and too little once. Ordering too little means that y - "
        "y_hat is positive; mind the order of the arguments, (y, y_hat).",
        costing(1.0, 3.0),
    ),
    Wrong(
        "factor left out",
        "Every error costs the same. Where y_hat is below y, the square counts 3 times.",
        costing(1.0, 1.0),
    ),
    Wrong(
        "factor everywhere",
        "Every error costs 3 times its square. Only where y_hat is below y does it.",
        costing(3.0, 3.0),
    ),
    Wrong(
        "one decision for all",
        "You decide once for all examples, by the mean of their errors. Decide entry by entry, "
        "with tf.where: each good has its own error.",
        deciding_for(tf.reduce_mean),
    ),
    Wrong(
        "one decision each example",
        "You decide once for each example, by the mean of its errors. Decide entry by entry, with "
        "tf.where: each good has its own error.",
        deciding_for(lambda error: tf.reduce_mean(error, axis=-1, keepdims=True)),
    ),
    Wrong(
        "not squared",
        "The errors are not squared. The cost is 3 or 1 times the *squared* error.",
        costing(power=1),
    ),
    Wrong(
        "squared after the mean",
        "You square the mean over the goods. Square each error, and average after that.",
        costing(power=1, reduce=lambda cost: each_mean(cost) ** 2),
        lambda y, y_hat: costing()(*(each_mean(each)[:, None] for each in (y, y_hat))),
    ),
    Wrong(
        "factor squared",
        "The factor 3 is squared with the error. Square first, and then multiply by 3.",
        costing(9.0, 1.0),
    ),
    Wrong(
        "too much free",
        "Ordering too much costs nothing here. It costs the squared error once.",
        costing(3.0, 0.0),
    ),
]

# 14.2


def each_compiled(model, y, y_hat):
    """Return the compiled loss of each example, also where it would average by itself."""
    return getattr(model.loss, "call", model.loss)(y, y_hat)


def each_square(model, y, y_hat):
    return tf.reduce_mean((y_hat - y) ** 2, axis=-1)


def each_exchanged(model, y, y_hat):
    return each_compiled(model, y_hat, y)


def loss_by_hand(
    losses=each_compiled, weigh=lambda w, losses: w * losses, reduce=tf.reduce_mean, penalties=1
):
    def loss(model, x, y, y_hat, w):
        return reduce(weigh(w, losses(model, y, y_hat))) + penalties * sum(model.losses)

    return loss


def compiled(model, x, y, y_hat, w):
    return model.compute_loss(x=x, y=y, y_pred=y_hat, sample_weight=w)


def of_function(model, y, y_hat):
    return model.loss(y, y_hat)


def stepping(
    loss=compiled,
    training=True,
    call=lambda model, x, training: model(x, training=training),
    change=lambda g: g,
    times=1,
    result=lambda loss, *given: {"loss": loss},
):
    """Return an answer to 14.2 with another loss, another update or another result."""

    def own_train_step(model, data):
        x, y, w = data
        with tf.GradientTape() as tape:
            value = loss(model, x, y, call(model, x, training), w)
        gradients = tape.gradient(value, model.trainable_variables)
        for _ in range(times):
            model.optimizer.apply([change(g) for g in gradients], model.trainable_variables)
        return result(value, model, x, y, w)

    return own_train_step


INFERENCE = "the model runs as in inference (say training=True)"
# Each fault: its name, what is told, and the option. Of each kind an answer has at most one.
FAULTS = (
    [
        ("loss not compiled", "the loss is not the one that was compiled", {"losses": each_square}),
        (
            "arguments exchanged",
            "y and y_hat are exchanged in the loss",
            {"losses": each_exchanged},
        ),
    ],
    [
        (
            "losses added up",
            "the losses of the examples are added up, and not averaged",
            {"reduce": tf.reduce_sum},
        )
    ],
    [
        (
            "weights left out",
            "the sample weights do not count",
            {"weigh": lambda w, losses: losses},
        ),
        (
            "mean weight",
            "every example is weighed with the mean of the sample weights, as if a loss of shape "
            "(n, 1) were multiplied by weights of shape (n,)",
            {"weigh": lambda w, losses: tf.reduce_mean(w) * losses},
        ),
        (
            "weights scaled",
            "the weighed losses are divided by the sum of the weights, and not by n",
            {"weigh": lambda w, losses: w * losses / tf.reduce_mean(w)},
        ),
        (
            "weights twice",
            "the sample weights count twice, squared",
            {"weigh": lambda w, losses: w * w * losses},
        ),
    ],
    [
        ("penalties left out", "the regulariser's penalty is missing", {"penalties": 0}),
        (
            "penalties twice",
            "the penalty counts twice, though compute_loss adds model.losses by itself",
            {"penalties": 2},
        ),
    ],
)
# What comes together: two of these; or what is left of the given program after a repair; or more.
OFTEN = {
    "inference mode",
    "loss not compiled",
    "weights left out",
    "mean weight",
    "penalties left out",
    "penalties twice",
}
MORE = (
    {"inference mode", "loss not compiled", "weights left out"},
    {"inference mode", "loss not compiled", "penalties left out"},
    {"inference mode", "weights left out", "penalties left out"},
    {"inference mode", "weights left out", "penalties twice"},
    {"inference mode", "mean weight", "penalties left out"},
    {"loss not compiled", "weights left out", "penalties left out"},
    {"loss not compiled", "mean weight", "penalties left out"},
    {"inference mode", "loss not compiled", "weights left out", "penalties left out"},
)
COMPUTE = " model.compute_loss takes care of loss, weights and penalties."


def faulty(chosen, training):
    names = [name for name, _, _ in chosen] + ["inference mode"] * (not training)
    listed = "; ".join([INFERENCE] * (not training) + [words for _, words, _ in chosen])
    options = {key: value for _, _, option in chosen for key, value in option.items()}
    program = stepping(loss_by_hand(**options), training)
    return Wrong(", ".join(names), f"Still wrong: {listed}.{COMPUTE if chosen else ''}", program)


def faults_together():
    for kinds in [c for count in range(4) for c in combinations(FAULTS, count)]:
        for chosen, training in product(product(*kinds), (True, False)):
            names = {name for name, _, _ in chosen} | (
                {"inference mode"} if not training else set()
            )
            if len(names) == 1 or (len(names) == 2 and names <= OFTEN) or names in MORE:
                yield faulty(chosen, training)


def called_again(training):
    def result(loss, model, x, y, w):
        return {"loss": compiled(model, x, y, model(x, training=training), w)}

    return result


STEPS = [
    Wrong(
        "nothing applied",
        "The weights are as they were: nothing was applied. Call "
        "model.optimizer.apply(gradients, model.trainable_variables).",
        stepping(times=0),
    ),
    Wrong(
        "climbs",
        "The update climbs. Give optimizer.apply the gradients as they are.",
        stepping(change=lambda g: -g),
    ),
    Wrong(
        "applied twice",
        "The update is twice as long as it should be: apply the gradients once.",
        stepping(times=2),
    ),
    *faults_together(),
    Wrong(
        "prediction before tape",
        "Still wrong: the loss has no gradient, because its prediction is not what model(x) "
        "returns under the tape. Call the model inside the `with` block.",
        stepping(call=lambda model, x, training: tf.stop_gradient(model(x, training=training))),
    ),
    Wrong(
        "added up and unweighed",
        "Still wrong: the losses of the examples are added up, and not averaged; the sample "
        "weights do not count." + COMPUTE,
        stepping(loss_by_hand(of_function, lambda w, losses: losses, tf.reduce_sum)),
        stepping(loss_by_hand(weigh=lambda w, losses: losses, reduce=tf.reduce_sum)),
    ),
    Wrong(
        "divided by weights",
        "Still wrong: the weighed losses are divided by the sum of the weights, and not by n. A "
        "loss object has averaged before that." + COMPUTE,
        stepping(loss_by_hand(of_function, lambda w, losses: w * losses / tf.reduce_mean(w))),
    ),
    Wrong(
        "no penalty, wrong for objects",
        "Still wrong: the regulariser's penalty is missing; and a loss object averages by itself, "
        "so that every example is weighed with the mean of the sample weights." + COMPUTE,
        stepping(loss_by_hand(of_function, penalties=0)),
    ),
    Wrong(
        "wrong for objects",
        "With a loss function in compile the update is right. With a loss object, which averages "
        "by itself, it is not: every example is weighed with the mean of the sample weights."
        + COMPUTE,
        stepping(loss_by_hand(of_function)),
    ),
    Wrong(
        "whole loss weighed",
        "Still wrong: the loss is weighed once more, as a whole, after compute_loss has weighed "
        "each example. Take it as it comes from compute_loss.",
        stepping(lambda m, x, y, z, w: tf.reduce_mean(w * compiled(m, x, y, z, w))),
        stepping(lambda m, x, y, z, w: tf.reduce_mean(w) * compiled(m, x, y, z, None)),
        stepping(lambda m, x, y, z, w: tf.reduce_sum(w * compiled(m, x, y, z, w))),
        stepping(lambda m, x, y, z, w: tf.reduce_sum(w) * compiled(m, x, y, z, None)),
    ),
    Wrong(
        "called twice",
        "The update is right, but the averages that batch normalisation keeps moved more than "
        "once. Call the model once, and take loss and gradients from that.",
        stepping(result=called_again(True)),
    ),
    Wrong(
        "returns none",
        "The update is right, but your function returned None, and fit needs a dict. Return "
        '{"loss": loss}.',
        stepping(result=lambda loss, *given: None),
    ),
    Wrong(
        "loss without dict",
        "The update is right, but you returned the loss alone, and fit needs a dict. Return "
        '{"loss": loss}.',
        stepping(result=lambda loss, *given: loss),
    ),
    Wrong(
        "loss after update",
        "The update is right, but the loss in the dict is one after it. Return the loss that you "
        "took the gradient of.",
        stepping(result=called_again(False)),
    ),
]

# 14.3


def lengths(slopes, axis=1, inside=1e-12):
    return tf.sqrt(tf.reduce_sum(slopes**2, axis=axis) + inside)


def to_one(lengths):
    return tf.reduce_mean((lengths - 1) ** 2)


def safely(slopes):
    return to_one(lengths(slopes))


def unsafely(slopes):
    return to_one(lengths(slopes, inside=0.0))


def penalising(
    penalty_of=safely,
    scores_of=lambda scores: scores,
    result=lambda penalty, gradient, w, slopes: (penalty, gradient),
):
    """Return an answer to 14.3 with another penalty, other scores, or another result."""

    def gradient_penalty(critic, w, x):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(x)
                scores = scores_of(critic(x))
            slopes = inner.gradient(scores, x)
            penalty = penalty_of(slopes)
        return result(penalty, outer.gradient(penalty, w), w, slopes)

    return gradient_penalty


def of_lengths(of):
    """Return variants with a safe root and with one that gives nan."""
    return [
        penalising(lambda slopes, inside=inside: of(lengths(slopes, inside=inside)))
        for inside in (1e-12, 0.0)
    ]


def without_nan(penalty, gradient, w, slopes):
    return penalty, tf.where(tf.math.is_nan(gradient), 0.0, gradient)


PENALTIES = [
    Wrong(
        "returns none",
        "Your function returned None. Return (penalty, gradient), a tuple.",
        penalising(result=lambda *given: None),
    ),
    Wrong(
        "swapped",
        "The two are swapped: the penalty comes first, then its gradient.",
        penalising(result=lambda penalty, gradient, *given: (gradient, penalty)),
    ),
    Wrong(
        "mean score",
        "The slopes are too small by the number of examples, because you took the gradient of the "
        "mean score. Ask inner.gradient for the scores themselves.",
        penalising(scores_of=tf.reduce_mean),
        penalising(unsafely, tf.reduce_mean),
    ),
    Wrong(
        "no root",
        "The root is missing: this is (squared length - 1)². Take tf.sqrt of the sum of squares "
        "first.",
        penalising(lambda slopes: to_one(tf.reduce_sum(slopes**2, axis=1))),
    ),
    Wrong(
        "pulled to zero",
        "This is the mean squared length, which pulls the slopes to 0. Here the length should "
        "become 1: (length - 1)².",
        penalising(lambda slopes: tf.reduce_mean(tf.reduce_sum(slopes**2, axis=1))),
    ),
    Wrong(
        "averaged first",
        "You averaged the lengths and then squared. Take (length - 1)² for each example, and "
        "average after that.",
        *of_lengths(lambda lengths: (tf.reduce_mean(lengths) - 1) ** 2),
    ),
    Wrong(
        "not squared",
        "The distance of the length from 1 is not squared. Take (length - 1)² for each example.",
        *of_lengths(lambda lengths: tf.reduce_mean(tf.abs(lengths - 1))),
        *of_lengths(lambda lengths: tf.reduce_mean(lengths - 1)),
    ),
    Wrong(
        "length of batch",
        "This is one length for the whole batch. Sum the squares over axis 1 alone, so that each "
        "example has a length of its own.",
        penalising(lambda slopes: to_one(lengths(slopes, axis=None))),
    ),
    Wrong(
        "length of columns",
        "These are lengths down the columns, over the examples. Sum the squares over axis 1, so "
        "that each example has a length of its own.",
        penalising(lambda slopes: to_one(lengths(slopes, axis=0))),
    ),
    Wrong(
        "examples added up",
        "You added up the examples. The penalty is their mean: tf.reduce_mean.",
        *of_lengths(lambda lengths: tf.reduce_sum((lengths - 1) ** 2)),
    ),
    Wrong(
        "epsilon too large",
        "Where slopes are zero their length should be 0, and yours is not: the number inside the "
        "root is too large. 1e-12 is enough.",
        *(
            penalising(lambda slopes, e=e: to_one(lengths(slopes, inside=e)))
            for e in (1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-5)
        ),
    ),
    Wrong(
        "no path to w",
        "The gradient is None: the tape found no path from the penalty to w. The outer tape must "
        "record everything from the call of the critic to the penalty, with inner.gradient and "
        "TensorFlow's functions; then ask outer.gradient(penalty, w).",
        penalising(lambda slopes: safely(tf.stop_gradient(slopes))),
    ),
    Wrong(
        "nan at zero",
        "Right, until the slopes of one example are zero: then the gradient is nan, because the "
        "root's slope is infinite there, also inside of tf.norm. Write the root yourself, and add "
        "1e-12 inside the root, to the sum of squares.",
        penalising(unsafely),
    ),
    Wrong(
        "nan set to zero",
        "Where the slopes of one example are zero, you set the nan to 0, and with it what the "
        "other examples give. Keep the nan from arising: add 1e-12 inside the root.",
        penalising(unsafely, result=without_nan),
    ),
    Wrong(
        "w returned",
        "The penalty is right, its gradient is not: this is w itself. Return "
        "outer.gradient(penalty, w).",
        penalising(result=lambda penalty, gradient, w, slopes: (penalty, w)),
    ),
    Wrong(
        "gradient for x",
        "The penalty is right, but what you return as its gradient has the shape of x. Ask for "
        "the gradient with respect to w: outer.gradient(penalty, w).",
        penalising(result=lambda penalty, gradient, w, slopes: (penalty, slopes)),
    ),
]

# 14.4

LARGER = "That would work, but a smaller means does it: "
ONE_OF = 'Each is one of "fit", "train_step" and "loop".'
OPTIMIZER = LARGER + (
    "an optimizer gets every gradient with its variable, and compile takes one of your own."
)
DATA = LARGER + (
    "the noise belongs to the data. A callback sets a variable, and the pipeline's map reads it."
)
MEANS = [
    Table({"train_step": OPTIMIZER, "loop": OPTIMIZER}, ONE_OF),
    Table(
        {
            "fit": "An optimizer gets the gradients of the sum, when it is too late to tell the "
            "two losses apart. Taking both from the tape belongs in train_step.",
            "loop": LARGER
            + "each batch still gives one update, so train_step holds both gradients.",
        },
        ONE_OF,
    ),
    Table({"train_step": DATA, "loop": DATA}, ONE_OF),
    Table(
        {
            "fit": "compile takes one optimizer, and Keras's own step takes one loss. Two players "
            "need a step of their own.",
            "loop": LARGER + "both updates belong to one batch, so train_step holds them.",
        },
        ONE_OF,
    ),
    Table(
        {
            "fit": "Keras's own step takes one batch and one update, and never goes back.",
            "train_step": "Here a step is not one batch and one update: it measures on all data, "
            "several times, and may go back. A loop says that plainly.",
        },
        ONE_OF,
    ),
]

GALLERY = {"14.1": COSTS, "14.2": STEPS, "14.3": PENALTIES, "14.4": MEANS}

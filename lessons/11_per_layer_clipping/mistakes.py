"""Wrong answers to the questions of lesson 11, and what each is told."""

from itertools import product

import numpy as np
import tensorflow as tf

from course_utils.exercises import Table, Wrong

# 11.1


def clipping(rule, clip=lambda g: tf.clip_by_norm(g, 1.0)):
    """Return an answer to 11.1 that clips the gradients of variables that the rule picks."""

    def clip_head(variables, gradients):
        return [clip(g) if rule(v) else g for v, g in zip(variables, gradients, strict=True)]

    return clip_head


def of_head(variable):
    return "head" in variable.path.split("/")


def part(place):
    """Return a rule that looks at one place of the path."""
    return lambda v: v.path.split("/")[place] == "head"


def of_name(rule, name):
    return lambda v: rule(v) and v.name == name


def of_head_as_a_whole(variables, gradients):
    norm = tf.linalg.global_norm(
        [g for v, g in zip(variables, gradients, strict=True) if of_head(v)]
    )
    return clipping(of_head, lambda g: g / tf.maximum(norm, 1.0))(variables, gradients)


def last_two(variables, gradients):
    return [*gradients[:-2], *[tf.clip_by_norm(g, 1.0) for g in gradients[-2:]]]


def sorted_by(key):
    def clip_head(variables, gradients):
        clipped = zip(variables, clipping(of_head)(variables, gradients), strict=True)
        return [g for _, g in sorted(clipped, key=lambda pair: key(pair[0]))]

    return clip_head


SEQUENTIAL = (0,)  # the call in which all layers of the model are plain
NEWS = {
    "kernels that end in head": Wrong(
        "`head/kernel` is also part of `overhead/kernel`, and of no bias: kernels of two layers are "
        'clipped. Compare whole parts of the path: `"head" in v.path.split("/")`.',
        clipping(lambda v: "head/kernel" in v.path),
        calls=SEQUENTIAL,
    ),
    "found in some models": Wrong(
        "`head` is found in some kinds of model, and not in others: its place in the path differs, "
        'and layers may stand below it. Look through all parts: `"head" in v.path.split("/")`.',
        *[clipping(part(place)) for place in (0, 1, -2)],
    ),
    "one variable, in some models": Wrong(
        "Only one variable of `head` is clipped, and that not in every kind of model. Both belong to "
        'the layer: look for `head` among all parts, `"head" in v.path.split("/")`.',
        *[clipping(of_name(part(place), "kernel")) for place in (0, 1, -2)],
        *[clipping(of_name(part(place), "bias")) for place in (0, 1, -2)],
    ),
    "none clipped": Wrong(
        "No gradient came back clipped. A variable's name is `kernel` or `bias`; its layer is one of "
        'the parts of its path, wherever it stands. `v.path.split("/")` is a list of them, and no list '
        'equals a text: ask whether "head" is in it. Return what tf.clip_by_norm returns.',
        clipping(lambda v: False),
    ),
    "headline too": Wrong(
        "Another layer is clipped too, as `head` also begins `headline` and ends `overhead`. Compare "
        'whole parts of the path: `v.path.split("/")` is a list of them.',
        clipping(lambda v: "head" in v.path),
        clipping(lambda v: "/head" in v.path),
        clipping(lambda v: "head/" in v.path),
        calls=SEQUENTIAL,
    ),
    "others at 5": Wrong(
        "`head` is clipped as it should be, but the gradients of the other layers are clipped, too, "
        "at norm 5. Leave these as they are.",
        lambda variables, gradients: [
            tf.clip_by_norm(g, 1.0 if of_head(v) else 5.0)
            for v, g in zip(variables, gradients, strict=True)
        ],
    ),
    "every one clipped": Wrong(
        "Every gradient is clipped. Leave those of the other layers as they are.",
        clipping(lambda v: True),
    ),
    "all but headline": Wrong(
        "All are clipped but `headline`. Leave the other layers as they are, too: look for the part "
        '`head` in `v.path.split("/")`.',
        clipping(lambda v: "headline" not in v.path),
    ),
    "all but head": Wrong(
        "It is the other way round: `head` is left alone, and all others are clipped.",
        clipping(lambda v: not of_head(v)),
    ),
    "headline instead": Wrong(
        "`headline` is clipped, and `head` is not. Compare whole parts of the path.",
        clipping(lambda v: "headline" in v.path),
    ),
    "kernel only": Wrong(
        "The kernel of `head` is clipped, but its bias is not. It belongs to the layer too.",
        clipping(lambda v: of_head(v) and v.name == "kernel"),
    ),
    "bias only": Wrong(
        "The bias of `head` is clipped, but its kernel is not. It belongs to the layer too.",
        clipping(lambda v: of_head(v) and v.name == "bias"),
    ),
    "order changed": Wrong(
        "The gradients of `head` are clipped, but the order is another one now. Return the gradients "
        "in the order of the variables.",
        sorted_by(of_head),
        sorted_by(lambda v: not of_head(v)),
    ),
    "arguments exchanged": Wrong(
        "tf.clip_by_norm takes the gradient first, and then the limit.",
        clipping(of_head, lambda g: tf.clip_by_norm(1.0, g)),
    ),
    "last two clipped": Wrong(
        "The last two gradients are clipped, whatever layer they belong to. Find `head` by the "
        "path of each variable.",
        last_two,
    ),
    "clipped together": Wrong(
        "`head` is clipped as a whole. Clip each gradient by itself.",
        of_head_as_a_whole,
    ),
    "clipped by value": Wrong(
        "The gradients of `head` are clipped by value, which turns them. Clip them by norm.",
        clipping(of_head, lambda g: tf.clip_by_value(g, -1, 1)),
    ),
    "short ones lengthened": Wrong(
        "Gradients of `head` with a norm below 1 are made longer. Leave these as they are.",
        clipping(of_head, lambda g: g / tf.norm(g)),
    ),
    "another limit": Wrong(
        "The right gradients are clipped, but not at norm 1, which is the limit of `head`.",
        *[clipping(of_head, lambda g, n=n: tf.clip_by_norm(g, n)) for n in (5, 10, 2, 3, 0.5, 0.1)],
    ),
    "divided by the squared norm": Wrong(
        "You divided by the squared norm. tf.norm takes the root; simpler is tf.clip_by_norm.",
        clipping(of_head, lambda g: g / tf.maximum(1.0, tf.reduce_sum(g**2))),
        clipping(of_head, lambda g: g / tf.reduce_sum(g**2)),
    ),
}

# 11.2

GRADIENT = np.array([6.0, 8.0, 24.0])
SIGN = "The sign is wrong: a step subtracts the gradient. And: "
BY_LIMIT = "You multiplied by the limit. The factor is the limit divided by the norm of all three."
EACH_NORM = (
    "This is `clipnorm`, which clips each variable by its own norm. A global norm counts all "
    "three numbers together, and gives them one factor."
)
EACH_ENTRY = (
    "This is `clipvalue`, which cuts off each entry. A global norm scales all of them by one "
    "factor."
)
NORM_OF_1 = "This step has the norm 1. The limit is 6.5: scale the gradient down to that norm."
OVER_LIMIT = "You divided by the limit. The factor is the limit divided by the norm of all three."
NORM_OVER = (
    "You divided the norm of all three by the limit. The factor is the limit divided by the norm."
)
OVER_SQUARES = "You divided by 676, the sum of the squares. The norm is its root, 26."
LIMIT_EACH = "6.5 is the limit for the norm of all three together, not for each number."
NORMS_ADDED = (
    "You added the norms, 10 + 24. Add the squares of all three numbers, and take the root of "
    "the sum."
)
SIGNS = (
    "The sizes are right, but not all signs. The gradients are positive, so every weight moves from "
    "0 to below."
)
NUMBERS_ADDED = "You added the three numbers. The norm is the root of the sum of their squares."

STEP = Table(
    {
        tuple(GRADIENT): "These are the gradients as they came, not the weights after a clipped "
        "step.",
        tuple(GRADIENT / 4): "This is the clipped gradient. A step subtracts it from the weights.",
        tuple(-GRADIENT): "This step is not clipped: its norm is 26, and the limit is 6.5.",
        tuple(-GRADIENT * 6.5): BY_LIMIT,
        (-6, -1.5, -2): "These are the three numbers, in another order: first those of the first "
        "variable, (6, 8), then that of the second.",
        **dict.fromkeys(
            (
                tuple(s * GRADIENT / 4)
                for s in map(np.array, product((1, -1), repeat=3))
                if abs(sum(s)) == 1
            ),
            SIGNS,
        ),
        (
            -1,
            -1,
            -1,
        ): "Each weight moves by 1, as in Adam's first step, or with the limit 1 for each "
        "value. SGD subtracts the clipped gradient itself.",
        (
            -6,
            -8,
            -6.5,
        ): "Only the longer gradient is clipped. A global norm counts all three numbers "
        "together, and gives them one factor.",
        (-1.5, -2, -24): "The first variable is right. The same factor counts for the second.",
        (-6, -8, -6): "The second variable is right. The same factor counts for the first.",
        tuple(
            GRADIENT * 3 / 4
        ): "This is the gradient less its clipped part. The weights start at 0, "
        "and a step subtracts the clipped gradient from them.",
        tuple(-GRADIENT / 16): "These are the gradients divided by 16. The norm 26 is 4 times the "
        "limit, so they are divided by 4.",
        tuple(
            -GRADIENT * 6.5 / 24
        ): "You took the largest number, 24, for the norm. It is the root "
        "of the sum of all three squares.",
        (-3.9, -5.2, -6.5): EACH_NORM,
        (-6, -6.5, -6.5): EACH_ENTRY,
        tuple(-GRADIENT / 26): NORM_OF_1,
        tuple(-GRADIENT / 6.5): OVER_LIMIT,
        tuple(-GRADIENT * 4): NORM_OVER,
        tuple(-GRADIENT * 6.5 / 676): OVER_SQUARES,
        (-6.5, -6.5, -6.5): LIMIT_EACH,
        tuple(-GRADIENT * 6.5 / 34): NORMS_ADDED,
        tuple(-GRADIENT * 6.5 / 38): NUMBERS_ADDED,
        tuple(GRADIENT * 6.5): SIGN + BY_LIMIT,
        (3.9, 5.2, 6.5): SIGN + EACH_NORM,
        (6, 6.5, 6.5): SIGN + EACH_ENTRY,
        tuple(GRADIENT / 26): SIGN + NORM_OF_1,
        tuple(GRADIENT / 6.5): SIGN + OVER_LIMIT,
        tuple(GRADIENT * 4): SIGN + NORM_OVER,
        tuple(GRADIENT * 6.5 / 676): SIGN + OVER_SQUARES,
        (6.5, 6.5, 6.5): SIGN + LIMIT_EACH,
        tuple(GRADIENT * 6.5 / 34): SIGN + NORMS_ADDED,
        tuple(GRADIENT * 6.5 / 38): SIGN + NUMBERS_ADDED,
    },
    "These numbers are not it. Find the norm of all three gradients together, scale them by 6.5 "
    "divided by it, and subtract the result from 0.",
)

# 11.3


def each_layer(change):
    """Return an answer to 11.3 that makes ``change(gradients, limit)`` of each layer."""
    return lambda gradients, limits: {k: change(gradients[k], limits[k]) for k in gradients}


def each_gradient(change):
    return each_layer(lambda gs, limit: [change(g, limit) for g in gs])


def by_norm(norm_of=tf.linalg.global_norm, factor=lambda limit, norm: limit / max(norm, limit)):
    """Return an answer that scales by ``factor(limit, norm_of(gradients))``."""
    return each_layer(lambda gs, limit: [g * factor(limit, norm_of(gs)) for g in gs])


def unpacked(gradients, limit):
    kernel, bias = gradients
    return tf.clip_by_global_norm([kernel, bias], limit)[0]


def by_joint_norm_of_all(gradients, limits):
    norm = tf.linalg.global_norm([g for parts in gradients.values() for g in parts])
    return by_norm(lambda gs: norm)(gradients, limits)


def by_joint_norm_and_sum(gradients, limits):
    norm = tf.linalg.global_norm([g for parts in gradients.values() for g in parts])
    limit = sum(limits.values())
    return by_norm(lambda gs: norm)(gradients, dict.fromkeys(limits, limit))


def without_short_layers(gradients, limits):
    long = {k: gs for k, gs in gradients.items() if tf.linalg.global_norm(gs) > limits[k]}
    return by_norm()(long, limits)


def each_then_whole(gradients, limits):
    return by_norm()(each_gradient(tf.clip_by_norm)(gradients, limits), limits)


def under_one_limit(choose):
    def clip_layers(gradients, limits):
        return by_norm()(gradients, dict.fromkeys(limits, choose(list(limits.values()))))

    return clip_layers


def by_position(gradients, limits):
    return by_norm()(gradients, dict(zip(gradients, limits.values(), strict=True)))


WITHOUT_ZEROS = (0, 1)
LAYERS = {
    "norm returned too": Wrong(
        "Under each layer stand a list and its norm: tf.clip_by_global_norm returns both. Take "
        "the first of the two.",
        each_layer(tf.clip_by_global_norm),
    ),
    "one tensor a layer": Wrong(
        "Under each layer stands one tensor. Keep the list of its gradients, each in its shape: "
        "all of them take the same factor.",
        each_layer(lambda gs, limit: tf.concat([tf.reshape(g, [-1]) for g in gs], 0)),
    ),
    "short layers left out": Wrong(
        "Layers within their limit are missing in the dict. Keep them, with their gradients as they "
        "are.",
        without_short_layers,
    ),
    "kernel and bias exchanged": Wrong(
        "The gradients of a layer came back in another order. Keep each in its place: kernel first, "
        "then bias.",
        each_layer(lambda gs, limit: tf.clip_by_global_norm(gs, limit)[0][::-1]),
    ),
    "clipped twice": Wrong(
        "Each gradient is clipped by itself, and then the layer as a whole: the first turns the "
        "layer's direction. Clip once, all gradients of a layer together.",
        each_then_whole,
        calls=WITHOUT_ZEROS,
    ),
    "limit shared out": Wrong(
        "Each gradient is clipped by itself, at a share of the limit, and the layer changes its "
        "direction. Use the norm of all its gradients together, and one factor.",
        each_layer(lambda gs, limit: [tf.clip_by_norm(g, limit / len(gs)) for g in gs]),
        each_layer(lambda gs, limit: [tf.clip_by_norm(g, limit / len(gs) ** 0.5) for g in gs]),
        calls=WITHOUT_ZEROS,
    ),
    "limit forgotten": Wrong(
        "You divided by the norm, and did not multiply by the limit. Where the norm is larger, the "
        "factor is limits[layer] / norm.",
        by_norm(factor=lambda limit, norm: 1 / norm if norm > limit else 1.0),
        by_norm(factor=lambda limit, norm: 1 / max(norm, limit)),
        calls=WITHOUT_ZEROS,
    ),
    "none clipped": Wrong(
        "No gradient is clipped: they came back unchanged.",
        lambda gradients, limits: gradients,
    ),
    "each by itself": Wrong(
        "Every gradient is clipped by its own norm, so kernel and bias get different factors. Use "
        "the norm of both together for the whole layer.",
        each_gradient(tf.clip_by_norm),
        calls=WITHOUT_ZEROS,
    ),
    "clipped by value": Wrong(
        "The entries are cut off by value. Scale each layer by one factor instead.",
        each_gradient(lambda g, limit: tf.clip_by_value(g, -limit, limit)),
    ),
    "short layers lengthened": Wrong(
        "Layers with a norm below their limit are made longer. Leave these as they are: the "
        "factor is at most 1.",
        by_norm(factor=lambda limit, norm: limit / norm),
        calls=WITHOUT_ZEROS,
    ),
    "short ones lengthened, each by itself": Wrong(
        "Every gradient gets the limit as its own norm, also one that was shorter. Use the norm "
        "of kernel and bias together, and a factor of at most 1.",
        each_gradient(lambda g, limit: g * limit / tf.norm(g)),
        calls=WITHOUT_ZEROS,
    ),
    "norms added": Wrong(
        "You added the norms of kernel and bias. For the joint norm, add their squares and take "
        "the root of the sum.",
        by_norm(lambda gs: sum(map(tf.norm, gs))),
        calls=WITHOUT_ZEROS,
    ),
    "root left out": Wrong(
        "You divided by the sum of the squares. The norm is its root.",
        by_norm(lambda gs: tf.linalg.global_norm(gs) ** 2),
        calls=WITHOUT_ZEROS,
    ),
    "squares forgotten": Wrong(
        "You took the root of a sum, but the entries in it are not squared.",
        by_norm(lambda gs: tf.sqrt(sum(map(tf.reduce_sum, gs)))),
        calls=WITHOUT_ZEROS,
    ),
    "norm of kernel": Wrong(
        "The factor comes from the first gradient of the layer alone. The norm is that of all its "
        "gradients together.",
        by_norm(lambda gs: tf.norm(gs[0])),
        calls=WITHOUT_ZEROS,
    ),
    "first gradient only": Wrong(
        "You clip the first gradient of each layer alone. All gradients of a layer share one factor, "
        "from the norm of all of them together.",
        each_layer(lambda gs, limit: [tf.clip_by_norm(gs[0], limit), *gs[1:]]),
        calls=WITHOUT_ZEROS,
    ),
    "two unpacked": Wrong(
        "A line takes a number of values apart, such as kernel and bias, and gets fewer: a layer may "
        "have no bias. Keep the gradients of a layer as a list, however long it is.",
        each_layer(unpacked),
    ),
    "norm of all layers": Wrong(
        "You used the norm of all layers together. Each layer has its own norm.",
        by_joint_norm_of_all,
        by_joint_norm_and_sum,
        calls=WITHOUT_ZEROS,
    ),
    "limits by position": Wrong(
        "You take the limits in the order of their dict, which need not be that of the layers. Look "
        "up limits[layer] for each.",
        by_position,
        calls=WITHOUT_ZEROS,
    ),
    "one limit for all": Wrong(
        "Every layer got the same limit. Look up limits[layer] for each.",
        *map(under_one_limit, (lambda ls: ls[0], lambda ls: ls[-1], max, lambda ls: 1.0)),
        calls=WITHOUT_ZEROS,
    ),
    "zeros become nan": Wrong(
        "A layer whose gradients are all zeros comes back as nan: its norm is 0, and 0 / 0 is not "
        "a number. Divide by the larger of norm and limit.",
        by_norm(factor=lambda limit, norm: tf.minimum(limit, norm) / norm),
        calls=(2,),
    ),
    "nan everywhere": Wrong(
        "There is a nan in the result. Look for a division by 0, or the root of a negative number.",
        by_norm(factor=lambda limit, norm: np.nan),
        calls=(0,),
    ),
}

# 11.4


def mean_square(error):
    return tf.reduce_mean(error**2)


def moving(*moves, loss_of=mean_square, sign=1, training=True, of_last=None):
    """Return an answer to 11.4 that moves as in "slow rest", all by the same gradients."""

    def two_speed_step(model, slow, fast, x, y):
        variables = model.trainable_variables
        n = of_last or len(model.layers[-1].trainable_variables)
        parts = {"rest": slice(-n), "last": slice(-n, None), "all": slice(None)}
        parts |= {"all but bias": slice(-1), "bias": slice(-1, None)}
        parts |= {"first": slice(2), "all but first": slice(2, None)}
        with tf.GradientTape() as tape:
            loss = sign * loss_of(model(x, training=training) - y)
        gradients = tape.gradient(loss, variables)
        for name, part in (move.split(" ", 1) for move in moves):
            optimizer = {"slow": slow, "fast": fast}[name]
            optimizer.apply(gradients[parts[part]], variables[parts[part]])

    return two_speed_step


def in_turns(*moves):
    """Return an answer that takes new gradients for each move."""

    def two_speed_step(*given):
        for move in moves:
            moving(move)(*given)

    return two_speed_step


def right_but(**options):
    return moving("slow rest", "fast last", **options)


def with_penalties(model, slow, fast, x, y):
    def loss_of(error):
        return mean_square(error) + sum(model.losses)

    right_but(loss_of=loss_of)(model, slow, fast, x, y)


def of_flat_targets(model, slow, fast, x, y):
    right_but()(model, slow, fast, x, tf.reshape(y, [-1]))


def repeated(steps):
    def two_speed_step(*given):
        for _ in range(steps):
            right_but()(*given)

    return two_speed_step


def changing(change):
    """Return an answer that applies ``change(gradients of the others, those of the last)``."""

    def two_speed_step(model, slow, fast, x, y):
        last = model.layers[-1].trainable_variables
        rest = model.trainable_variables[: -len(last)]
        with tf.GradientTape() as tape:
            loss = mean_square(model(x, training=True) - y)
        of_rest, of_last = change(*tape.gradient(loss, [rest, last]))
        slow.apply(of_rest, rest)
        fast.apply(of_last, last)

    return two_speed_step


def jointly(gradients):
    return tf.clip_by_global_norm(gradients, 1.0)[0]


def each_clipped(gradients):
    return [tf.clip_by_norm(g, 1.0) for g in gradients]


def a_tenth_for_others(model, slow, fast, x, y):
    variables = model.trainable_variables
    others = len(variables) - len(model.layers[-1].trainable_variables)
    with tf.GradientTape() as tape:
        loss = mean_square(model(x, training=True) - y)
    gradients = tape.gradient(loss, variables)
    fast.apply([0.1 * g if i < others else g for i, g in enumerate(gradients)], variables)


def asked_twice(model, slow, fast, x, y):
    last = model.layers[-1].trainable_variables
    with tf.GradientTape() as tape:
        loss = mean_square(model(x, training=True) - y)
    tape.gradient(loss, last)
    tape.gradient(loss, model.trainable_variables)


def with_bias_of_last(model, *given):
    kernel, bias = model.layers[-1].trainable_variables
    right_but()(model, *given)


# Below, in call 2 the last layer has no bias, and in call 3 it matters that the model trains.
PLAIN = (0, 1)
SPEEDS = {
    "nothing moves": Wrong(
        "No weight has moved. Each optimizer must apply its gradients: slow.apply(gradients, "
        "variables), and the same with fast.",
        moving(),
    ),
    "optimizers swapped": Wrong(
        "The optimizers are swapped: the last layer moved with slow, the others with fast.",
        moving("fast rest", "slow last"),
        calls=PLAIN,
    ),
    "all by slow": Wrong(
        "Every layer moved with slow. The last layer belongs to fast.",
        moving("slow all"),
        calls=PLAIN,
    ),
    "all by fast": Wrong(
        "Every layer moved with fast. All but the last belong to slow.",
        moving("fast all"),
        calls=PLAIN,
    ),
    "last layer only": Wrong(
        "Only the last layer has moved. Apply slow to all the others.",
        moving("fast last"),
        calls=PLAIN,
    ),
    "last layer stays": Wrong(
        "The last layer has not moved. Apply fast to its variables.",
        moving("slow rest"),
        calls=PLAIN,
    ),
    "layers between": Wrong(
        "The layers between the first and the last did not move with slow. slow updates all of "
        "model.layers[:-1], however many there are.",
        moving("slow first", "fast last"),
        moving("slow first", "fast all but first"),
        calls=(1,),
    ),
    "both move all": Wrong(
        "Both optimizers moved every layer. Give each its own part of the variables.",
        moving("slow all", "fast all"),
        calls=PLAIN,
    ),
    "both move last": Wrong(
        "The last layer moved with both optimizers. Leave it out of what slow applies.",
        moving("slow all", "fast last"),
        calls=PLAIN,
    ),
    "both move others": Wrong(
        "All layers but the last moved with both optimizers. Give fast the last one alone.",
        moving("slow rest", "fast all"),
        calls=PLAIN,
    ),
    "asked after an update": Wrong(
        "The second optimizer used a gradient from after the first one's update. Ask the tape for "
        "both parts before either is applied.",
        in_turns("slow rest", "fast last"),
        in_turns("fast last", "slow rest"),
        calls=PLAIN,
    ),
    "two whole steps": Wrong(
        "Two whole steps were taken, one with each optimizer. Take one step, in which each "
        "optimizer moves its own part.",
        in_turns("slow all", "fast all"),
        in_turns("fast all", "slow all"),
        calls=PLAIN,
    ),
    "tape asked twice": Wrong(
        "A plain tape answers one question, and you ask it two. Ask it once, for a list of the two "
        "lists of variables; or record with persistent=True.",
        asked_twice,
    ),
    "several steps": Wrong(
        "More than one step was taken. Update the model once, without a loop.",
        *map(repeated, (2, 3, 5, 10)),
        calls=PLAIN,
    ),
    "a tenth for the others": Wrong(
        "All layers moved with fast, the others by a tenth of their gradients. Their rate is that of "
        "slow: let slow apply their gradients as they are.",
        a_tenth_for_others,
        calls=PLAIN,
    ),
    "clipped on the way": Wrong(
        "The gradients are clipped at norm 1 before they are applied. Nothing is to be clipped here: "
        "apply them as the tape returns them.",
        changing(lambda rest, last: (rest, jointly(last))),
        changing(lambda rest, last: (jointly(rest), jointly(last))),
        changing(lambda rest, last: (rest, each_clipped(last))),
        changing(lambda rest, last: (each_clipped(rest), each_clipped(last))),
        calls=PLAIN,
    ),
    "targets broadcast": Wrong(
        "The errors form a matrix of shape (n, n): one side has shape (n, 1), the other (n,), and "
        "each prediction is compared with every target. Keep both in shape (n, 1).",
        of_flat_targets,
        calls=PLAIN,
    ),
    "errors summed": Wrong(
        "Both steps are too large by the number of examples: the squared errors are added up. "
        "Take tf.reduce_mean of them.",
        right_but(loss_of=lambda error: tf.reduce_sum(error**2)),
        calls=PLAIN,
    ),
    "penalties in the loss": Wrong(
        "The model's penalties are in your loss, model.losses. Here it is the mean squared error "
        "alone.",
        with_penalties,
        calls=(3,),
    ),
    "halved": Wrong(
        "Both steps are half as large as they should be: leave out the factor 1/2.",
        right_but(loss_of=lambda error: mean_square(error) / 2),
        calls=PLAIN,
    ),
    "errors not squared": Wrong(
        "The errors are not squared. The loss is the mean of their squares.",
        right_but(loss_of=lambda error: tf.reduce_mean(abs(error))),
        right_but(loss_of=tf.reduce_mean),
        calls=PLAIN,
    ),
    "mean squared": Wrong(
        "You squared the mean of the errors, in which they cancel. Square first, then take the "
        "mean.",
        right_but(loss_of=lambda error: tf.reduce_mean(error) ** 2),
        calls=PLAIN,
    ),
    "uphill": Wrong(
        "The weights went uphill. optimizer.apply subtracts by itself: give it the gradients as "
        "the tape returns them, of the loss itself.",
        right_but(sign=-1),
        calls=PLAIN,
    ),
    "bias alone by fast": Wrong(
        "Only the bias of the last layer moved with fast. A Dense layer has two variables: "
        "model.layers[-1].trainable_variables.",
        moving("slow all but bias", "fast bias"),
        calls=PLAIN,
    ),
    "bias unpacked": Wrong(
        "A line takes a number of values apart, such as kernel and bias, and gets fewer: the last "
        "layer may have no bias. Keep its variables as a list, however long it is.",
        with_bias_of_last,
    ),
    "two variables taken for last": Wrong(
        "You took the last two variables, and where the last layer has no bias they belong to two "
        "layers. Take model.layers[-1].trainable_variables, however many there are.",
        right_but(of_last=2),
        calls=(2,),
    ),
    "outside training": Wrong(
        "Where a layer behaves differently in training, as batch normalisation does, the step is "
        "wrong. Call model(x, training=True).",
        right_but(training=False),
        calls=(3,),
    ),
}

MISTAKES = {"11.1": NEWS, "11.2": STEP, "11.3": LAYERS, "11.4": SPEEDS}

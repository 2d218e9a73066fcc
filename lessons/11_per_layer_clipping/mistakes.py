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
        "`head/kernel` is also part of `overhead/kernel`, and it matches no bias, so you clip "
        'the kernels of two layers. Compare whole components of the path: `"head" in '
        'v.path.split("/")`.',
        clipping(lambda v: "head/kernel" in v.path),
        calls=SEQUENTIAL,
    ),
    "found in some models": Wrong(
        "Your test finds `head` in some models but not in others: its position in the path "
        'varies, and it may contain other layers. Check every component: `"head" in '
        'v.path.split("/")`.',
        *[clipping(part(place)) for place in (0, 1, -2)],
    ),
    "one variable, in some models": Wrong(
        "You clip the gradient of only one variable of `head`, and not in every kind of model. "
        'Clip the gradients of all its variables: use `"head" in v.path.split("/")`.',
        *[clipping(of_name(part(place), "kernel")) for place in (0, 1, -2)],
        *[clipping(of_name(part(place), "bias")) for place in (0, 1, -2)],
    ),
    "none clipped": Wrong(
        "No gradient was clipped. A layer's name is one component of `v.path`, while `v.name` "
        'is only `kernel` or `bias`: use `"head" in v.path.split("/")`, and return the '
        "result of `tf.clip_by_norm`.",
        clipping(lambda v: False),
    ),
    "headline too": Wrong(
        "You also clip another layer, because `head` is a part of `headline` and `overhead`. "
        'Compare whole components of the path: `"head" in v.path.split("/")`.',
        clipping(lambda v: "head" in v.path),
        clipping(lambda v: "/head" in v.path),
        clipping(lambda v: "head/" in v.path),
        calls=SEQUENTIAL,
    ),
    "others at 5": Wrong(
        "`head` is clipped correctly, but you also clip the other layers, at norm 5. Leave "
        "their gradients unchanged.",
        lambda variables, gradients: [
            tf.clip_by_norm(g, 1.0 if of_head(v) else 5.0)
            for v, g in zip(variables, gradients, strict=True)
        ],
    ),
    "every one clipped": Wrong(
        "You clip every gradient. Leave those of the other layers unchanged.",
        clipping(lambda v: True),
    ),
    "all but headline": Wrong(
        'You clip all layers except `headline`. Clip only `head`: use `"head" in '
        'v.path.split("/")`.',
        clipping(lambda v: "headline" not in v.path),
    ),
    "all but head": Wrong(
        "Your test is reversed: you clip all layers except `head`. Clip only `head`.",
        clipping(lambda v: not of_head(v)),
    ),
    "headline instead": Wrong(
        'You clip `headline` instead of `head`. Compare whole components of the path: `"head" '
        'in v.path.split("/")`.',
        clipping(lambda v: "headline" in v.path),
    ),
    "kernel only": Wrong(
        "You clip the kernel of `head`, but not its bias. Clip both, because both belong to "
        "the layer.",
        clipping(lambda v: of_head(v) and v.name == "kernel"),
    ),
    "bias only": Wrong(
        "You clip the bias of `head`, but not its kernel. Clip both, because both belong to "
        "the layer.",
        clipping(lambda v: of_head(v) and v.name == "bias"),
    ),
    "order changed": Wrong(
        "The gradients of `head` are clipped, but you changed the order. Return the gradients "
        "in the order of the variables.",
        sorted_by(of_head),
        sorted_by(lambda v: not of_head(v)),
    ),
    "arguments exchanged": Wrong(
        "The arguments are swapped. Pass `tf.clip_by_norm` the gradient first, then the limit.",
        clipping(of_head, lambda g: tf.clip_by_norm(1.0, g)),
    ),
    "last two clipped": Wrong(
        "You clip the last two gradients, whatever layer they belong to. Find `head` by the "
        "path of each variable.",
        last_two,
    ),
    "clipped together": Wrong(
        "You clip `head` as a whole. Clip each of its gradients separately.",
        of_head_as_a_whole,
    ),
    "clipped by value": Wrong(
        "You clip the gradients of `head` by value, which changes their direction. Clip them "
        "by norm.",
        clipping(of_head, lambda g: tf.clip_by_value(g, -1, 1)),
    ),
    "short ones lengthened": Wrong(
        "You lengthen gradients of `head` that have a norm below 1. Leave these unchanged: use "
        "`tf.clip_by_norm`.",
        clipping(of_head, lambda g: g / tf.norm(g)),
    ),
    "another limit": Wrong(
        "You clip the right gradients, but at the wrong limit. Clip them at norm 1.",
        *[clipping(of_head, lambda g, n=n: tf.clip_by_norm(g, n)) for n in (5, 10, 2, 3, 0.5, 0.1)],
    ),
    "divided by the squared norm": Wrong(
        "You divided by the squared norm. Use `tf.clip_by_norm`, or divide by `tf.norm`, which "
        "takes the square root.",
        clipping(of_head, lambda g: g / tf.maximum(1.0, tf.reduce_sum(g**2))),
        clipping(of_head, lambda g: g / tf.reduce_sum(g**2)),
    ),
}

# 11.2

GRADIENT = np.array([6.0, 8.0, 24.0])
SIGN = "Two mistakes. (1) The sign is wrong: a step subtracts the gradient. (2) "
BY_LIMIT = (
    "You multiplied by the limit. The factor is the limit divided by the norm of all three numbers."
)
EACH_NORM = (
    "This is `clipnorm`, which clips each variable by its own norm. `global_clipnorm` uses the "
    "norm of all three numbers, and scales them by one factor."
)
EACH_ENTRY = (
    "This is `clipvalue`, which clips each entry. `global_clipnorm` scales all entries by one "
    "factor."
)
NORM_OF_1 = "Your step has norm 1. Scale the gradient down to norm 6.5, the limit."
OVER_LIMIT = (
    "You divided by the limit. The factor is the limit divided by the norm of all three numbers."
)
NORM_OVER = "You divided the norm by the limit. The factor is the limit divided by the norm."
OVER_SQUARES = "You divided by 676, the sum of the squares. The norm is its square root, 26."
LIMIT_EACH = (
    "You used 6.5 as a limit for each number. It is the limit for the norm of all three together."
)
NORMS_ADDED = (
    "You added the norms, 10 + 24. Sum the squares of all three numbers instead, and take the "
    "square root."
)
SIGNS = (
    "The sizes are right, but some signs are not. The gradients are positive, so every weight goes "
    "from 0 to a negative number."
)
NUMBERS_ADDED = (
    "You added the three numbers. The norm is the square root of the sum of their squares."
)

STEP = Table(
    {
        tuple(GRADIENT): "These are the original gradients. Clip them, then subtract the result "
        "from the weights, which start at 0.",
        tuple(GRADIENT / 4): "This is the clipped gradient. A step subtracts it from the weights.",
        tuple(-GRADIENT): "This step is not clipped. The norm, 26, is above the limit, 6.5, so "
        "scale all gradients by 6.5 / 26.",
        tuple(-GRADIENT * 6.5): BY_LIMIT,
        (-6, -1.5, -2): "These are the right numbers in the wrong order. Write the two weights of "
        "the first variable first, then the weight of the second.",
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
        ): "Each weight changes by 1, as in Adam's first step, or with a limit of 1 per value. "
        "SGD subtracts the clipped gradient itself.",
        (
            -6,
            -8,
            -6.5,
        ): "You clipped only the longer gradient. Clipping by global norm uses the norm of all "
        "three numbers, and scales them by one factor.",
        (-1.5, -2, -24): "The first variable is right. Use the same factor for the second.",
        (-6, -8, -6): "The second variable is right. Use the same factor for the first.",
        tuple(
            GRADIENT * 3 / 4
        ): "You subtracted the clipped gradient from the gradient. The weights start at 0, so "
        "subtract the clipped gradient from 0.",
        tuple(-GRADIENT / 16): "You divided by 16. The norm 26 is 4 times the limit, so divide "
        "by 4.",
        tuple(-GRADIENT * 6.5 / 24): (
            "You used the largest number, 24, as the norm. The norm is the square root of the sum "
            "of all three squares."
        ),
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
    "These numbers are not the answer. Find the norm of all three gradients together, scale them by "
    "6.5 divided by that norm, and subtract the result from 0.",
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


def together_under(choose):
    def clip_layers(gradients, limits):
        return by_joint_norm_of_all(gradients, dict.fromkeys(limits, choose(*limits.values())))

    return clip_layers


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
        "Each layer has a list and a norm, because `tf.clip_by_global_norm` returns both. Keep "
        "only the first of the two.",
        each_layer(tf.clip_by_global_norm),
    ),
    "one tensor a layer": Wrong(
        "You return a single tensor for each layer. Return a list of the layer's gradients, each "
        "in its original shape, all scaled by the same factor.",
        each_layer(lambda gs, limit: tf.concat([tf.reshape(g, [-1]) for g in gs], 0)),
    ),
    "short layers left out": Wrong(
        "Layers within their limit are missing from your dict. Include them, with their "
        "gradients unchanged.",
        without_short_layers,
    ),
    "kernel and bias exchanged": Wrong(
        "The gradients of a layer are in the wrong order. Return the gradient of the kernel first, "
        "then that of the bias.",
        each_layer(lambda gs, limit: tf.clip_by_global_norm(gs, limit)[0][::-1]),
    ),
    "clipped twice": Wrong(
        "You clip each gradient separately and then the layer as a whole, which changes the "
        "layer's direction. Clip only once: all gradients of a layer together.",
        each_then_whole,
        calls=WITHOUT_ZEROS,
    ),
    "limit shared out": Wrong(
        "You clip each gradient separately, at a fraction of the limit, which changes the "
        "layer's direction. Use one factor, from the norm of all its gradients together.",
        each_layer(lambda gs, limit: [tf.clip_by_norm(g, limit / len(gs)) for g in gs]),
        each_layer(lambda gs, limit: [tf.clip_by_norm(g, limit / len(gs) ** 0.5) for g in gs]),
        calls=WITHOUT_ZEROS,
    ),
    "limit forgotten": Wrong(
        "You divided by the norm, but did not multiply by the limit. If the norm is above the "
        "limit, multiply by `limits[layer] / norm`.",
        by_norm(factor=lambda limit, norm: 1 / norm if norm > limit else 1.0),
        by_norm(factor=lambda limit, norm: 1 / max(norm, limit)),
        calls=WITHOUT_ZEROS,
    ),
    "none clipped": Wrong(
        "You returned the gradients unchanged. Scale each layer whose joint norm is above its "
        "limit.",
        lambda gradients, limits: gradients,
    ),
    "each by itself": Wrong(
        "You clip every gradient by its own norm, so kernel and bias get different factors. "
        "Use the norm of both together for the whole layer.",
        each_gradient(tf.clip_by_norm),
        calls=WITHOUT_ZEROS,
    ),
    "clipped by value": Wrong(
        "You clip the entries by value. Scale each layer by one factor instead.",
        each_gradient(lambda g, limit: tf.clip_by_value(g, -limit, limit)),
    ),
    "short layers lengthened": Wrong(
        "You lengthen the gradients of layers whose norm is below their limit. Leave these "
        "unchanged: use a factor of at most 1.",
        by_norm(factor=lambda limit, norm: limit / norm),
        calls=WITHOUT_ZEROS,
    ),
    "short ones lengthened, each by itself": Wrong(
        "You scale every gradient to the limit, even shorter ones. Use the norm of kernel and "
        "bias together, and a factor of at most 1.",
        each_gradient(lambda g, limit: g * limit / tf.norm(g)),
        calls=WITHOUT_ZEROS,
    ),
    "norms added": Wrong(
        "You added the norms of kernel and bias. For the joint norm, sum the squares and take the "
        "square root.",
        by_norm(lambda gs: sum(map(tf.norm, gs))),
        calls=WITHOUT_ZEROS,
    ),
    "root left out": Wrong(
        "You divided by the sum of the squares. Divide by its square root, the norm.",
        by_norm(lambda gs: tf.linalg.global_norm(gs) ** 2),
        calls=WITHOUT_ZEROS,
    ),
    "squares forgotten": Wrong(
        "You took the square root of a sum of entries that are not squared. Square the entries "
        "first.",
        by_norm(lambda gs: tf.sqrt(sum(map(tf.reduce_sum, gs)))),
        calls=WITHOUT_ZEROS,
    ),
    "norm of kernel": Wrong(
        "Your factor comes from only the first gradient of the layer. Use the norm of all its "
        "gradients together.",
        by_norm(lambda gs: tf.norm(gs[0])),
        calls=WITHOUT_ZEROS,
    ),
    "first gradient only": Wrong(
        "You clip only the first gradient of each layer. Scale all gradients of a layer by one "
        "factor, from the norm of all of them together.",
        each_layer(lambda gs, limit: [tf.clip_by_norm(gs[0], limit), *gs[1:]]),
        calls=WITHOUT_ZEROS,
    ),
    "two unpacked": Wrong(
        "You unpack a fixed number of gradients, such as kernel and bias, but a layer may have "
        "no bias. Keep the gradients of a layer as a list, however long it is.",
        each_layer(unpacked),
    ),
    "norm of all layers": Wrong(
        "You used the norm of all layers together. Use a separate norm for each layer.",
        by_joint_norm_of_all,
        *map(together_under, (lambda *ls: sum(ls), min, max, lambda *ls: 1.0)),
        calls=WITHOUT_ZEROS,
    ),
    "limits by position": Wrong(
        "You pair layers and limits by position, but the two dicts may have different orders. Look "
        "up `limits[layer]` for each layer.",
        by_position,
        calls=WITHOUT_ZEROS,
    ),
    "one limit for all": Wrong(
        "You use the same limit for every layer. Look up `limits[layer]` for each layer.",
        *map(under_one_limit, (lambda ls: ls[0], lambda ls: ls[-1], max, lambda ls: 1.0)),
        calls=WITHOUT_ZEROS,
    ),
    "zeros become nan": Wrong(
        "A layer whose gradients are all zero becomes nan, because its norm is 0 and 0 / 0 is nan. "
        "As the factor, use the limit divided by the larger of norm and limit.",
        by_norm(factor=lambda limit, norm: tf.minimum(limit, norm) / norm),
        calls=(2,),
    ),
    "nan everywhere": Wrong(
        "Your result contains nan. Look for a division by 0, or the square root of a negative "
        "number.",
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
        "No weight changed. Call `slow.apply(gradients, variables)`, and do the same with `fast`.",
        moving(),
    ),
    "optimizers swapped": Wrong(
        "The optimizers are swapped: the last layer was updated by `slow`, the others by "
        "`fast`. Swap them.",
        moving("fast rest", "slow last"),
        calls=PLAIN,
    ),
    "all by slow": Wrong(
        "`slow` updated every layer. Update the last layer with `fast` instead.",
        moving("slow all"),
        calls=PLAIN,
    ),
    "all by fast": Wrong(
        "`fast` updated every layer. Update all but the last layer with `slow` instead.",
        moving("fast all"),
        calls=PLAIN,
    ),
    "last layer only": Wrong(
        "Only the last layer changed. Update all the others with `slow`.",
        moving("fast last"),
        calls=PLAIN,
    ),
    "last layer stays": Wrong(
        "The last layer did not change. Update its variables with `fast`.",
        moving("slow rest"),
        calls=PLAIN,
    ),
    "layers between": Wrong(
        "`slow` never updated the middle layers. Pass it the variables of all of "
        "`model.layers[:-1]`, however many there are.",
        moving("slow first", "fast last"),
        moving("slow first", "fast all but first"),
        calls=(1,),
    ),
    "both move all": Wrong(
        "Both optimizers updated every layer. Give each optimizer only its own part of the "
        "variables.",
        moving("slow all", "fast all"),
        calls=PLAIN,
    ),
    "both move last": Wrong(
        "Both optimizers updated the last layer. Don't pass its variables to `slow`.",
        moving("slow all", "fast last"),
        calls=PLAIN,
    ),
    "both move others": Wrong(
        "Both optimizers updated all layers except the last. Pass `fast` only the last layer's "
        "variables.",
        moving("slow rest", "fast all"),
        calls=PLAIN,
    ),
    "asked after an update": Wrong(
        "You computed the second optimizer's gradient after the first one's update. Compute "
        "both gradients before you apply either.",
        in_turns("slow rest", "fast last"),
        in_turns("fast last", "slow rest"),
        calls=PLAIN,
    ),
    "two whole steps": Wrong(
        "You took two whole steps, one with each optimizer. Take one step, in which each "
        "optimizer updates its own part.",
        in_turns("slow all", "fast all"),
        in_turns("fast all", "slow all"),
        calls=PLAIN,
    ),
    "tape asked twice": Wrong(
        "You call `gradient` twice on a plain tape, which can be used only once. Call it once "
        "with a list of the two lists of variables, or use `persistent=True`.",
        asked_twice,
    ),
    "several steps": Wrong(
        "You took more than one step. Update the model once; no loop is needed.",
        *map(repeated, (2, 3, 5, 10)),
        calls=PLAIN,
    ),
    "a tenth for the others": Wrong(
        "`fast` updated all layers, using a tenth of the gradients for all but the last. Use "
        "`slow` for the other layers, with their gradients unchanged.",
        a_tenth_for_others,
        calls=PLAIN,
    ),
    "clipped on the way": Wrong(
        "You clip the gradients at norm 1 before you apply them. Apply them unchanged.",
        changing(lambda rest, last: (rest, jointly(last))),
        changing(lambda rest, last: (jointly(rest), jointly(last))),
        changing(lambda rest, last: (rest, each_clipped(last))),
        changing(lambda rest, last: (each_clipped(rest), each_clipped(last))),
        calls=PLAIN,
    ),
    "targets broadcast": Wrong(
        "The errors have shape (n, n), because either the prediction or the target has shape (n,) "
        "instead of (n, 1). Give both the shape (n, 1).",
        of_flat_targets,
        calls=PLAIN,
    ),
    "errors summed": Wrong(
        "Both steps are too large by a factor of n, the number of examples, because you sum "
        "the squared errors. Average them with `tf.reduce_mean`.",
        right_but(loss_of=lambda error: tf.reduce_sum(error**2)),
        calls=PLAIN,
    ),
    "penalties in the loss": Wrong(
        "Your loss includes the penalties in `model.losses`. Use only the mean squared error here.",
        with_penalties,
        calls=(3,),
    ),
    "halved": Wrong(
        "Both updates are half as large as they should be. Remove the factor 1/2.",
        right_but(loss_of=lambda error: mean_square(error) / 2),
        calls=PLAIN,
    ),
    "errors not squared": Wrong(
        "You do not square the errors. Use the mean of their squares.",
        right_but(loss_of=lambda error: tf.reduce_mean(abs(error))),
        right_but(loss_of=tf.reduce_mean),
        calls=PLAIN,
    ),
    "mean squared": Wrong(
        "You squared the mean of the errors, in which positive and negative errors cancel. Square "
        "each error first, then take the mean.",
        right_but(loss_of=lambda error: tf.reduce_mean(error) ** 2),
        calls=PLAIN,
    ),
    "uphill": Wrong(
        "The weights moved uphill. `optimizer.apply` already subtracts, so pass it the gradients "
        "of the loss without a minus sign.",
        right_but(sign=-1),
        calls=PLAIN,
    ),
    "bias alone by fast": Wrong(
        "`fast` updated only the bias of the last layer. It should update the kernel as well: use "
        "`model.layers[-1].trainable_variables`.",
        moving("slow all but bias", "fast bias"),
        calls=PLAIN,
    ),
    "bias unpacked": Wrong(
        "You unpack a fixed number of variables, such as kernel and bias, but the last layer "
        "may have no bias. Keep its variables as a list, however long it is.",
        with_bias_of_last,
    ),
    "two variables taken for last": Wrong(
        "You took the last two variables, but if the last layer has no bias, they belong to "
        "two different layers. Use `model.layers[-1].trainable_variables`.",
        right_but(of_last=2),
        calls=(2,),
    ),
    "outside training": Wrong(
        "The step is wrong if a layer, such as batch normalization, behaves differently in "
        "training. Call `model(x, training=True)`.",
        right_but(training=False),
        calls=(3,),
    ),
}

MISTAKES = {"11.1": NEWS, "11.2": STEP, "11.3": LAYERS, "11.4": SPEEDS}

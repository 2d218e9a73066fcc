"""Wrong answers to lesson 11, held out: no gallery holds them. By exercise and mistake."""

import tensorflow as tf


def of_head(variable):
    return variable.path.split("/")[-2] == "head"


def clips_where(rule, clip=lambda g: tf.clip_by_norm(g, 1.0), otherwise=lambda g: g):
    def clip_head(variables, gradients):
        clipped = []
        for i in range(len(variables)):
            clipped.append((clip if rule(variables[i]) else otherwise)(gradients[i]))
        return clipped

    return clip_head


def clips_in_place(variables, gradients):
    for i, variable in enumerate(variables):
        if of_head(variable):
            gradients[i] = tf.clip_by_norm(gradients[i], 1.0)


def clips_head_together(variables, gradients):
    norm = tf.linalg.global_norm([gradients[i] for i, v in enumerate(variables) if of_head(v)])
    return clips_where(of_head, lambda g: g / tf.maximum(norm, 1.0))(variables, gradients)


def clips_layers(clip):
    return lambda gradients, limits: {k: clip(gradients[k], limits[k]) for k in gradients}


def shrinks(norm, limit):
    return tf.minimum(1.0, tf.math.divide_no_nan(limit, norm))


def scales(norm_of=tf.linalg.global_norm, factor=shrinks):
    return clips_layers(lambda gs, limit: [factor(norm_of(gs), limit) * g for g in gs])


def clips_dict_in_place(gradients, limits):
    for layer, parts in gradients.items():
        gradients[layer] = tf.clip_by_global_norm(parts, limits[layer])[0]


def rebinds_parts(gradients, limits):
    for layer, parts in gradients.items():
        parts, _ = tf.clip_by_global_norm(parts, limits[layer])
    return gradients


ALL, NONE, LAST, OTHERS = slice(None), slice(0), slice(-2, None), slice(-2)


def mean_square(error):
    return tf.reduce_mean(tf.square(error))


def moves(slow_part, fast_part, loss_of=mean_square):
    def two_speed_step(model, slow, fast, x, y):
        weights = model.trainable_weights
        with tf.GradientTape() as tape:
            loss = loss_of(model(x) - y)
        gradients = tape.gradient(loss, weights)
        slow.apply(gradients[slow_part], weights[slow_part])
        fast.apply(gradients[fast_part], weights[fast_part])

    return two_speed_step


def in_turns(*turns):
    def two_speed_step(model, slow, fast, x, y):
        for name, part in turns:
            weights = model.trainable_weights[part]
            with tf.GradientTape() as tape:
                loss = mean_square(model(x) - y)
            {"slow": slow, "fast": fast}[name].apply(tape.gradient(loss, weights), weights)

    return two_speed_step


def moves_copies(model, slow, fast, x, y):
    with tf.GradientTape() as tape:
        loss = mean_square(model(x) - y)
    gradients = tape.gradient(loss, model.trainable_weights)
    for weight, gradient in zip(model.trainable_weights, gradients, strict=True):
        weight = weight - slow.learning_rate * gradient


def asks_twice(model, slow, fast, x, y):
    with tf.GradientTape() as tape:
        loss = mean_square(model(x) - y)
    for optimizer, part in ((slow, OTHERS), (fast, LAST)):
        weights = model.trainable_weights[part]
        optimizer.apply(tape.gradient(loss, weights), weights)


WRONG = {
    "11.1": {
        "returns none": clips_in_place,
        "others left out": lambda vs, gs: [
            tf.clip_by_norm(gs[i], 1.0) for i in range(len(vs)) if of_head(vs[i])
        ],
        "none for others": clips_where(of_head, otherwise=lambda g: None),
        "none clipped": clips_where(lambda v: v.name.startswith("head")),
        "headline too": clips_where(lambda v: "/head" in v.path),
        "every one clipped": clips_where(lambda v: v.path.find("head")),  # -1 is true
        "all but head": clips_where(lambda v: "head" not in v.path.split("/")),
        "headline instead": clips_where(lambda v: v.path.split("/")[1].startswith("headl")),
        "kernel only": clips_where(lambda v: v.path == "news/head/kernel"),
        "bias only": clips_where(lambda v: v.path.endswith("head/bias")),
        "clipped together": clips_head_together,
        "clipped by value": clips_where(of_head, lambda g: tf.maximum(tf.minimum(g, 1.0), -1.0)),
        "short ones lengthened": clips_where(of_head, tf.math.l2_normalize),
        "method of numpy": clips_where(of_head, lambda g: g.clip(-1, 1)),
    },
    "11.3": {
        "returns none": clips_dict_in_place,
        "short layers left out": lambda gradients, limits: {
            layer: tf.clip_by_global_norm(gs, limits[layer])[0]
            for layer, gs in gradients.items()
            if tf.linalg.global_norm(gs) > limits[layer]
        },
        "one tensor a layer": clips_layers(
            lambda gs, limit: tf.clip_by_norm(
                tf.concat([tf.reshape(g, [-1]) for g in gs], 0), limit
            )
        ),
        "norm returned too": lambda gradients, limits: {
            layer: tf.clip_by_global_norm(gs, limit)
            for (layer, gs), limit in zip(gradients.items(), limits.values(), strict=True)
        },
        "bias left out": clips_layers(lambda gs, limit: [tf.clip_by_norm(gs[0], limit)]),
        "zeros become nan": scales(factor=lambda norm, limit: tf.minimum(norm, limit) / norm),
        "squares forgotten": scales(lambda gs: tf.sqrt(tf.add_n([tf.reduce_sum(g) for g in gs]))),
        "none clipped": rebinds_parts,
        "each by itself": clips_layers(
            lambda gs, limit: [g * shrinks(tf.norm(g), limit) for g in gs]
        ),
        "clipped by value": clips_layers(
            lambda gs, limit: [tf.maximum(tf.minimum(g, limit), -limit) for g in gs]
        ),
        "short layers lengthened": scales(
            factor=lambda norm, limit: tf.math.divide_no_nan(limit, norm)
        ),
        "norms added": scales(lambda gs: tf.add_n(list(map(tf.norm, gs)))),
        "root left out": scales(lambda gs: tf.linalg.global_norm(gs) ** 2),
        "norm of kernel": scales(lambda gs: tf.norm(gs[0])),
        "norm of all layers": lambda gradients, limits: scales(
            lambda gs: tf.linalg.global_norm(sum(gradients.values(), []))
        )(gradients, limits),
        "first limit for all": lambda gradients, limits: scales()(
            gradients, dict.fromkeys(limits, next(iter(limits.values())))
        ),
        "last limit for all": lambda gradients, limits: scales()(
            gradients, dict.fromkeys(limits, limits["head"])
        ),
        "norm of a list": scales(tf.norm),
    },
    "11.4": {
        "nothing moves": moves_copies,
        "optimizers swapped": moves(LAST, OTHERS),
        "all by slow": moves(ALL, NONE),
        "all by fast": moves(NONE, ALL),
        "last layer only": moves(NONE, LAST),
        "last layer stays": moves(OTHERS, NONE),
        "both move all": moves(ALL, ALL),
        "both move last": moves(ALL, LAST),
        "both move others": moves(OTHERS, ALL),
        "fast asked late": in_turns(("slow", OTHERS), ("fast", LAST)),
        "slow asked late": in_turns(("fast", LAST), ("slow", OTHERS)),
        "two whole steps": in_turns(("slow", ALL), ("fast", ALL)),
        "whole steps fast first": in_turns(("fast", ALL), ("slow", ALL)),
        "errors summed": moves(OTHERS, LAST, lambda error: tf.norm(error) ** 2),
        "halved": moves(OTHERS, LAST, lambda error: tf.nn.l2_loss(error) / len(error)),
        "uphill": moves(OTHERS, LAST, lambda error: -mean_square(error)),
        "bias alone by fast": moves(slice(-1), slice(-1, None)),
        "tape asked twice": asks_twice,
    },
}

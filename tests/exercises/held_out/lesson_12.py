"""Wrong answers to lesson 12, held out: no gallery holds them. By exercise and mistake."""

import keras
import numpy as np
import tensorflow as tf


def penalised(penalty, result=lambda tape, loss, ws: (loss, tape.gradient(loss, ws))):
    def loss_and_gradients(model, x, y, beta):
        with tf.GradientTape() as tape:
            hidden, y_hat = model(x, training=True)
            loss = tf.reduce_mean(tf.square(y - y_hat)) + penalty(hidden, beta)
        return result(tape, loss, model.trainable_weights)

    return loss_and_gradients


def gives(result):
    return penalised(lambda hidden, beta: beta * tf.reduce_sum(hidden) / len(hidden), result)


def uses_model_losses(model, x, y, beta):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(y - model(x)[1])) + beta * sum(model.losses)
    return loss, tape.gradient(loss, model.trainable_weights)


def predicts_before_tape(model, x, y, beta):
    hidden, y_hat = model(x)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(y - y_hat)) + beta * tf.reduce_sum(hidden) / len(x)
    return loss, tape.gradient(loss, model.trainable_weights)


def keeps_apart(value, *targets):
    def loss_and_gradients(model, x, y, beta):
        with tf.GradientTape() as tape:
            hidden, y_hat = model(x, training=True)
            losses = {"task": tf.reduce_mean(tf.square(y - y_hat))}
            losses["penalty"] = beta * tf.reduce_mean(tf.norm(hidden, 1, axis=1))
            losses["total"] = losses["task"] + losses["penalty"]
        gradients = tape.gradient([losses[name] for name in targets], model.trainable_weights)
        return losses[value], gradients

    return loss_and_gradients


def first(pair):
    return pair[0]


def second(pair):
    return pair[1]


def compares(formula, targets=(first, second), unconnected="zero", outside=False):
    """Give formula two lists of flat gradients: of each target, by a tape of its own."""

    def cosine_of_losses(losses, variables):
        lists = []
        for target in targets:
            loss = target(losses())
            with tf.GradientTape() as tape:
                loss = loss if outside else target(losses())
            gradients = tape.gradient(loss, variables, unconnected_gradients=unconnected)
            lists.append([None if g is None else tf.reshape(g, [-1]) for g in gradients])
        return formula(*lists)

    return cosine_of_losses


def joined(formula, **options):
    return compares(lambda fs, ss: formula(tf.concat(fs, 0), tf.concat(ss, 0)), **options)


def dot(a, b):
    return tf.tensordot(a, b, 1)


def unit(a):
    return a / tf.norm(a)


def cosine(a, b):
    return dot(unit(a), unit(b))


def safe_cosine(a, b):
    return dot(tf.math.l2_normalize(a), tf.math.l2_normalize(b))  # 0 where a vector is 0


def cosine_of_shared(fs, ss):
    shared = [i for i in range(len(fs)) if np.any(fs[i]) and np.any(ss[i])]
    return cosine(*(tf.concat([gs[i] for i in shared], 0) for gs in (fs, ss)))


def adds_norms(fs, ss):
    product = tf.add_n(list(map(dot, fs, ss)))
    return product / (tf.add_n(list(map(tf.norm, fs))) * tf.add_n(list(map(tf.norm, ss))))


def along(a, b):
    """Return the part of a along b."""
    return dot(a, unit(b)) * unit(b)


def surgery(conflict, agreement=tf.add):
    return lambda a, b: conflict(a, b) if dot(a, b) < 0 else agreement(a, b)


def projected(a, b):
    return a - along(a, b) + b - along(b, a)


WRONG = {
    "12.1": {
        "returns none": gives(lambda tape, loss, ws: print(loss, tape.gradient(loss, ws))),
        "loss alone": gives(lambda tape, loss, ws: loss),
        "gradients alone": gives(lambda tape, loss, ws: tape.gradient(loss, ws)),
        "loss per example": penalised(lambda h, beta: beta * tf.reduce_sum(tf.abs(h), axis=1)),
        "first kernel only": gives(lambda tape, loss, ws: (loss, tape.gradient(loss, ws[0]))),
        "model before tape": predicts_before_tape,
        "gradients turned round": gives(
            lambda tape, loss, ws: (loss, tape.gradient(loss, ws[::-1]))
        ),
        "beta squared": penalised(
            lambda h, beta: beta * tf.reduce_mean(tf.reduce_sum(beta * tf.abs(h), axis=-1))
        ),
        "penalty left out": uses_model_losses,
        "penalty by numpy": penalised(lambda h, beta: beta * np.mean(np.sum(np.abs(h), axis=1))),
        "numpy and beta squared": penalised(lambda h, beta: beta**2 * h.numpy().sum(1).mean()),
        "beta left out": penalised(lambda h, beta: tf.reduce_mean(tf.norm(h, 1, axis=1))),
        "summed over examples": penalised(lambda h, beta: beta * tf.reduce_sum(h)),
        "mean over activations": penalised(lambda h, beta: beta * tf.reduce_mean(h)),
        "penalty subtracted": penalised(lambda h, beta: -beta * tf.reduce_sum(h) / len(h)),
        "task loss returned": keeps_apart("task", "task", "penalty"),
        "penalty twice in gradients": keeps_apart("total", "total", "penalty"),
        "float as target": gives(lambda tape, loss, ws: (loss, tape.gradient(float(loss), ws))),
    },
    "12.2": {
        "returns none": joined(lambda a, b: print(cosine(a, b))),
        "one cosine each": compares(lambda fs, ss: list(map(safe_cosine, fs, ss))),
        "products not added": joined(lambda a, b: unit(a) * unit(b)),
        "losses before tape": joined(cosine, outside=True),
        "zero cosine outside tape": joined(safe_cosine, outside=True),
        "shared variables only": compares(cosine_of_shared),
        "mean of cosines": compares(lambda fs, ss: np.mean(list(map(safe_cosine, fs, ss)))),
        "mean of shared cosines": compares(lambda fs, ss: np.nanmean(list(map(cosine, fs, ss)))),
        "sum of cosines": compares(lambda fs, ss: tf.add_n(list(map(safe_cosine, fs, ss)))),
        "product alone": joined(dot),
        "norms squared": joined(lambda a, b: dot(a / dot(a, a), b / dot(b, b))),
        "first norm only": joined(lambda a, b: dot(unit(a), b)),
        "second norm only": joined(lambda a, b: dot(a, unit(b))),
        "norms added": compares(adds_norms),
        "parentheses missing": joined(lambda a, b: dot(unit(a), b) * tf.norm(b)),
        "products averaged": joined(lambda a, b: tf.reduce_mean(unit(a) * unit(b))),
        "angle": joined(lambda a, b: tf.acos(cosine(a, b))),
        "angle in degrees": joined(lambda a, b: np.rad2deg(np.arccos(cosine(a, b)))),
        "one minus cosine": joined(lambda a, b: 1 + keras.losses.cosine_similarity(a, b)),
        "sign turned": joined(keras.losses.cosine_similarity),
        "first variable only": compares(lambda fs, ss: cosine(fs[0], ss[0])),
        "same gradient twice": joined(cosine, targets=(sum, sum)),
        "sum with first": joined(cosine, targets=(first, sum)),
        "sum with second": joined(cosine, targets=(sum, second)),
        "none not replaced": joined(cosine, unconnected="none"),
    },
    "12.4": {
        "none without conflict": surgery(projected, lambda a, b: None),
        "both returned": surgery(lambda a, b: [a - along(a, b), b - along(b, a)]),
        "stacked": surgery(lambda a, b: tf.stack([a - along(a, b), b - along(b, a)])),
        "a overwritten": surgery(
            lambda a, b: (new := a - along(a, b)) + b - dot(a, b) / dot(a, a) * new
        ),
        "b overwritten": surgery(
            lambda a, b: (new := b - along(b, a)) + a - dot(a, b) / dot(new, new) * new
        ),
        "only added": lambda a, b: tf.add_n([a, b]),
        "only a projected": surgery(lambda a, b: a - along(a, b) + b),
        "only b projected": surgery(lambda a, b: b - along(b, a) + a),
        "a alone": surgery(lambda a, b: a - along(a, b)),
        "b alone": surgery(lambda a, b: b - along(b, a)),
        "parts added": surgery(lambda a, b: a + along(a, b) + b + along(b, a)),
        "parts alone": surgery(lambda a, b: along(a, b) + along(b, a)),
        "norms not squared": surgery(
            lambda a, b: a - dot(a, unit(b)) * b + b - dot(b, unit(a)) * a
        ),
        "parts not divided": surgery(lambda a, b: (a + b) * (1 - dot(a, b))),
        "norms exchanged": surgery(
            lambda a, b: a - dot(unit(a), b / tf.norm(a)) * b + b - dot(a / tf.norm(b), unit(b)) * a
        ),
        "mean returned": lambda a, b: surgery(projected)(a, b) / 2,
        "projected everywhere": projected,
        "test turned round": lambda a, b: projected(a, b) if dot(a, b) > 0 else a + b,
        "test by entry": lambda a, b: projected(a, b) if a * b < 0 else a + b,
        "product of vectors": lambda a, b: projected(a, b) if a @ b < 0 else a + b,
    },
}

"""Wrong answers to lesson 09's exercises, held out: no gallery holds them.

By exercise and mistake.
"""

import numpy as np
import tensorflow as tf


def whole(error, penalties):
    return error + sum(penalties)


def loss_of(model, x, y, join=whole, more=(), reduce=tf.reduce_mean, shape=(-1, 1), training=True):
    errors = tf.math.squared_difference(model(x, training=training), tf.reshape(y, shape))
    return join(reduce(errors), model.losses, *more)


def apply_pairs(optimizer, gradients, variables):
    optimizer.apply_gradients(zip(gradients, variables, strict=True))


def step(join=whole, apply=apply_pairs, returned=lambda loss, *call: loss, **options):
    def program(model, optimizer, x, y):
        with tf.GradientTape() as tape:
            loss = loss_of(model, x, y, join, **options)
        gradients = tape.gradient(loss, model.trainable_weights)
        apply(optimizer, gradients, model.trainable_weights)
        return returned(loss, model, x, y)

    return program


def history(update, resets=True, result=lambda metric: metric.result().numpy()):
    def program(metric, epochs):
        means = []
        for batches in epochs:
            if resets:
                metric.reset_state()
            for losses in batches:
                update(metric, losses)
            means.append(result(metric))
        return means

    return program


def weighed(metric, losses):
    metric.update_state(tf.reduce_mean(losses), sample_weight=tf.size(losses))


def in_parts(join, add=tf.add, apply=apply_pairs, **options):
    """Return a step that weighs the loss of each part, not its gradients."""

    def program(model, optimizer, parts):
        n, variables = sum(x.shape[0] for x, _ in parts), model.trainable_variables
        totals = [tf.zeros(v.shape) for v in variables]
        for x, y in parts:
            with tf.GradientTape() as tape:
                loss = loss_of(model, x, y, join, (len(x) / n, len(parts)), **options)
            for i, gradient in enumerate(tape.gradient(loss, variables)):
                totals[i] = add(totals[i], gradient)
        apply(optimizer, totals, variables)

    return program


def fair(error, penalties, share, count):
    return share * whole(error, penalties)


def one_tape(model, optimizer, parts):
    with tf.GradientTape() as tape:
        losses = [len(x) * loss_of(model, x, y) for x, y in parts]
        loss = tf.add_n(losses) / sum(len(x) for x, _ in parts)
    apply_pairs(optimizer, tape.gradient(loss, model.weights), model.weights)


WRONG = {
    "09.1": {
        "nothing applied": step(apply=print),
        "no training true": step(training=None),
        "penalties as list": step(tf.add),
        "numpy error": step(reduce=np.mean),
        "table of n by n": step(shape=[-1]),
        "penalties left out": step(lambda e, p: e),
        "climbs": step(lambda e, p: -whole(e, p)),
        "half the error": step(reduce=lambda errors: tf.reduce_sum(errors) / (2 * len(errors))),
        "applied twice": step(apply=lambda *call: [apply_pairs(*call) for _ in range(2)]),
        "sum of squares": step(reduce=sum),
        "not averaged": step(reduce=tf.squeeze),
        "sum without penalties": step(lambda e, p: e, reduce=tf.squeeze),
        "two steps": lambda *call: [step()(*call) for _ in range(2)][0],
        "returns none": step(returned=print),
        "error alone returned": step(lambda e, p: [e, *p], returned=lambda loss, *_: loss[0]),
        "loss after update": step(returned=lambda loss, *call: loss_of(*call)),
        "loss by float": step(lambda e, p: tf.constant(float(whole(e, p)))),
        "variables first": step(apply=lambda sgd, grads, variables: sgd.apply(variables, grads)),
    },
    "09.3": {
        "no training true": step(training=False),
        "penalties left out": step(lambda e, p: e),
        "table of n by n": step(shape=[-1]),
        "prediction without penalties": step(lambda e, p: e, training=False),
        "prediction and table": step(training=False, shape=[-1]),
        "table without penalties": step(lambda e, p: e, shape=[-1]),
        "all three faults": step(lambda e, p: e, training=False, shape=[-1]),
        "penalties as list": step(tf.add),
        "nothing applied": step(apply=print),
        "returns none": step(returned=print),
        "error alone returned": step(lambda e, p: [e, *p], returned=lambda loss, *_: loss[0]),
        "loss after update": step(returned=lambda loss, *call: loss_of(*call)),
        "numpy mean": step(reduce=lambda errors: errors.mean()),
    },
    "09.4": {
        "short batch counts full": history(lambda metric, losses: metric(np.mean(losses))),
        "never reset": history(weighed, resets=False),
        "both faults": history(lambda metric, losses: metric(np.mean(losses)), resets=False),
        "last batch only": lambda _, epochs: [tf.reduce_mean(batches[-1]) for batches in epochs],
        "sums": lambda _, epochs: [sum(map(tf.reduce_sum, batches)) for batches in epochs],
        "reset too early": history(weighed, result=lambda m: m.reset_state() or m.result()),
        "reversed": lambda metric, epochs: history(weighed)(metric, epochs[::-1]),
        "returns none": lambda *call: print(history(weighed)(*call)),
        "old reset name": lambda metric, epochs: [metric.reset_states() for _ in epochs],
        "batches stacked": lambda _, epochs: [tf.reduce_mean(batches) for batches in epochs],
    },
    "09.5": {
        "nothing applied": in_parts(fair, apply=print),
        "penalties as list": in_parts(lambda e, p, share, _: share * tf.add(e, p)),
        "added unweighed": in_parts(lambda e, p, *_: whole(e, p)),
        "parts count equally": in_parts(lambda e, p, _, count: whole(e, p) / count),
        "sum never divided": in_parts(lambda e, p, *_: whole(e, p), reduce=tf.reduce_sum),
        "sums weighed": in_parts(fair, reduce=tf.reduce_sum),
        "only first part": lambda model, sgd, parts: step()(model, sgd, *parts[0]),
        "only last part": in_parts(fair, add=lambda total, gradient: gradient),
        "penalties left out": in_parts(lambda e, p, share, _: share * e),
        "penalty once per part": in_parts(lambda e, p, share, _: whole(share * e, p)),
        "penalty too little": in_parts(lambda e, p, share, n: share * (e + sum(p) / n)),
        "no training true": in_parts(fair, training=False),
        "applied after every part": lambda *call: [step()(*call[:2], *part) for part in call[2]],
        "one tape": one_tape,
        "pairs for apply": in_parts(
            fair, apply=lambda sgd, *both: sgd.apply(zip(*both, strict=True))
        ),
    },
}

"""Wrong answers to lesson 02's exercises, held out: no gallery holds them.

By exercise and mistake.
"""

import numpy as np
import tensorflow as tf


def _product(formula, answer=lambda tape, y, x: tape.gradient(y, [x])[0], watched=lambda x: x):
    def gradient_of_product(x):
        with tf.GradientTape() as tape:
            tape.watch(watched(x))
            y = formula(x)
        return answer(tape, y, x)

    return gradient_of_product


def _both_sums(x):
    return tf.reduce_sum(x) * tf.reduce_sum(tf.square(x))


def _centred(score_of, answer=lambda tape, s, x, c: tape.gradient(s, x), watched=lambda x: x):
    def score_gradient(x, w):
        with tf.GradientTape() as tape:
            tape.watch(watched(x))
            centred = x - tf.reduce_sum(x) / len(x)
            score = score_of(w, x, centred)
        return answer(tape, score, x, centred)

    return score_gradient


def _score(w, x, centred):
    return tf.reduce_sum(centred * w * centred)


def _chosen(params, names):
    return {name: params[name] for name in names}


def _copies(params, names):
    return {name: tf.Variable(params[name]) for name in names}


def _pair(tape, loss, chosen):
    return tape.gradient(loss, chosen), len(tape.watched_variables())


def _named(answer=_pair, loss_of=lambda e: tf.reduce_mean(e * e), choose=_chosen, watch=_chosen):
    def gradients_of(params, names, x, y):
        chosen = choose(params, names)
        with tf.GradientTape(persistent=True, watch_accessed_variables=watch is None) as tape:
            tape.watch(watch(params, names) if watch else chosen)
            error = y - (x * (params["a"] * x + params["b"]) + params["c"])
            loss = loss_of(error)
        return answer(tape, loss, chosen)

    return gradients_of


def _each(of_gradient):
    return _named(lambda t, loss, p: ({n: of_gradient(t, loss, p[n]) for n in p}, len(p)))


def _counted(count, **options):
    return _named(lambda t, loss, p: (t.gradient(loss, p), count(t, p)), **options)


def _one_tape_each(params, names, x, y):
    gradients = {}
    for name in names:
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(params[name])
            y_hat = params["a"] * x**2 + params["b"] * x + params["c"]
            loss = tf.reduce_mean((y_hat - y) ** 2)
        gradients[name] = tape.gradient(loss, params[name])
    return gradients, len(tape.watched_variables())


WRONG = {
    "02.1": {
        "returns none": _product(_both_sums, watched=tf.identity),
        "returns y": _product(_both_sums, lambda tape, y, x: float(y)),
        "gradient added up": _product(_both_sums, lambda t, y, x: sum(t.gradient(y, x).numpy())),
        "column for x": lambda x: _product(_both_sums)(tf.expand_dims(x, 1)),
        "squares taken out": _product(lambda x: np.sum(x**2) * tf.reduce_sum(x)),
        "sum taken out": _product(lambda x: tf.reduce_sum(x * x) * float(tf.reduce_sum(x))),
        "sums not multiplied": _product(lambda x: tf.reduce_sum(tf.square(x) + x)),
        "multiplied before summing": _product(lambda x: tf.tensordot(tf.square(x), x, 1)),
        "squares alone": _product(lambda x: 2 * tf.nn.l2_loss(x)),
        "returns x": _product(_both_sums, lambda tape, y, x: x.numpy()),
        "zero for none": _product(
            _both_sums, lambda t, y, x: t.gradient(y, x) or 0 * x, tf.identity
        ),
        "one mean": _product(lambda x: sum(x) * tf.reduce_sum(x * x) / len(x)),
        "two means": _product(lambda x: tf.nn.moments(x, 0)[0] * tf.reduce_sum(x * x) / len(x)),
        "array method": _product(lambda x: (x**2).sum() * x.sum()),
    },
    "02.3": {
        "returns none": _centred(_score, watched=tf.identity),
        "mean taken out": _centred(lambda w, x, c: _score(w, x, x - float(tf.reduce_mean(x)))),
        "not centred": _centred(lambda w, x, c: tf.tensordot(w, x * x, 1)),
        "mean for sum": _centred(lambda w, x, c: tf.reduce_sum(w * tf.square(c)) / len(x)),
        "returns score": _centred(_score, lambda tape, score, x, c: score.numpy()),
        "returns centred numbers": _centred(_score, lambda tape, score, x, c: c),
        "weights missing": _centred(lambda w, x, c: 2 * tf.nn.l2_loss(c)),
        "sign turned": _centred(lambda w, x, c: tf.reduce_sum(-w * c**2)),
        "zero for none": _centred(
            _score, lambda t, s, x, c: t.gradient(s, x) or tf.zeros_like(x), tf.identity
        ),
        "tensor assigned": _centred(lambda w, x, c: _score(w, x, x.assign_sub(tf.reduce_mean(x)))),
    },
    "02.4": {
        "returns none": _named(lambda *recorded: print(_pair(*recorded))),
        "count left out": _named(lambda t, loss, p: {n: t.gradient(loss, p[n]) for n in p}),
        "loss returned too": _named(lambda t, loss, p: [loss, *_pair(t, loss, p)]),
        "target and sources swapped": _named(lambda t, loss, p: _pair(t, list(p.values()), loss)),
        "pair turned round": _named(lambda *recorded: _pair(*recorded)[::-1]),
        "list of pairs": _named(lambda t, loss, p: ([*t.gradient(loss, p).items()], len(p))),
        "all names": _named(choose=lambda params, names: dict(params)),
        "copies as sources": _named(choose=_copies, watch=_copies),
        "each in a list": _each(lambda tape, loss, source: tape.gradient(loss, [source])),
        "variables not counted": _counted(lambda t, p: [v.name for v in t.watched_variables()]),
        "returns parameters": _each(lambda tape, loss, source: float(source)),
        "errors added up": _named(loss_of=lambda e: tf.tensordot(e, e, 1)),
        "half of them": _named(loss_of=lambda e: tf.nn.l2_loss(e) / len(e)),
        "sign turned": _each(lambda tape, loss, source: -tape.gradient(loss, source)),
        "all variables watched": _named(watch=lambda params, names: params),
        "another tape counted": _counted(lambda t, p: len(tf.GradientTape().watched_variables())),
        "last tape counted": _one_tape_each,
        "sources counted": _counted(lambda tape, sources: len(sources), watch=None),
        "list as a key": lambda params, names, x, y: (params[names], len(names)),
    },
}

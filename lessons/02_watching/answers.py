"""Answers to lesson 02's exercises: other right ones, and wrong ones that no list holds."""

import numpy as np
import tensorflow as tf


def product_of(formula, answer=lambda tape, y, x: tape.gradient(y, [x])[0], watched=lambda x: x):
    def gradient_of_product(x):
        with tf.GradientTape() as tape:
            tape.watch(watched(x))
            y = formula(x)
        return answer(tape, y, x)

    return gradient_of_product


def both_sums(x):
    return tf.reduce_sum(x) * tf.reduce_sum(tf.square(x))


def centred_of(score_of, answer=lambda tape, s, x, c: tape.gradient(s, x), watched=lambda x: x):
    def score_gradient(x, w):
        with tf.GradientTape() as tape:
            tape.watch(watched(x))
            centred = x - tf.reduce_sum(x) / len(x)
            score = score_of(w, x, centred)
        return answer(tape, score, x, centred)

    return score_gradient


def score(w, x, centred):
    return tf.reduce_sum(centred * w * centred)


def choosing(params, names):
    return {name: params[name] for name in names}


def copies(params, names):
    return {name: tf.Variable(params[name]) for name in names}


def pair(tape, loss, chosen):
    return tape.gradient(loss, chosen), len(tape.watched_variables())


def parabola(answer=pair, loss_of=lambda e: tf.reduce_mean(e * e), choose=choosing, watch=choosing):
    def gradients_of(params, names, x, y):
        chosen = choose(params, names)
        with tf.GradientTape(persistent=True, watch_accessed_variables=watch is None) as tape:
            tape.watch(watch(params, names) if watch else chosen)
            error = y - (x * (params["a"] * x + params["b"]) + params["c"])
            loss = loss_of(error)
        return answer(tape, loss, chosen)

    return gradients_of


def for_each(of_gradient):
    return parabola(lambda t, loss, p: ({n: of_gradient(t, loss, p[n]) for n in p}, len(p)))


def counting(count, **options):
    return parabola(lambda t, loss, p: (t.gradient(loss, p), count(t, p)), **options)


@tf.function
def product_by_the_product_rule(x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x])
        squares, total = tf.einsum("i,i->", x, x), tf.add_n(tf.unstack(x))
    return total * tape.gradient(squares, x) + squares * tape.gradient(total, x)


def product_with_none_stacked(x):
    with tf.GradientTape(persistent=True) as tape:
        squares, total = tf.reduce_sum(x * x), tf.reduce_sum(x)
    parts = [tape.gradient(squares, x), tape.gradient(total, x)]
    return tf.reduce_sum(tf.stack(parts) * [[total], [squares]], axis=0)


def product_with_the_watch_stored(x):
    with tf.GradientTape() as tape:
        x = tape.watch(x)
        squares = x**2
        y = tf.reduce_sum(squares) * tf.reduce_sum(x)
    return tape.gradient(y, x)


def centred_by_a_name_for_the_input(x, w):
    start = x
    with tf.GradientTape() as tape:
        tape.watch(start)
        x = x - tf.reduce_mean(x)
        score = tf.reduce_sum(w * x**2)
    return tape.gradient(score, start)


def centred_with_a_variable(x, w):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        score = tf.tensordot(w, tf.square(x - tf.reduce_mean(x)), 1)
    return tf.Variable(tape.gradient(score, x))


def centred_by_hand(x, w):
    gradient = 2 * w.numpy() * (x.numpy() - np.mean(x))
    return gradient - np.mean(gradient)


def parabola_from(y_hat_of):
    def gradients_of(params, names, x, y):
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(choosing(params, names))
            loss = tf.reduce_mean(tf.square(y - y_hat_of(*params.values(), x, y)))
        return pair(tape, loss, choosing(params, names))

    return gradients_of


def parabola_one_by_one(params, names, x, y):
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        for name in names:
            tape.watch(params[name])
        y_hat = (params["a"] * x + params["b"]) * x + params["c"]
        loss = tf.reduce_mean(tf.square(y - y_hat))
    gradients = tape.gradient(loss, [params[name] for name in names])
    return [dict(zip(names, gradients, strict=True)), len(tape.watched_variables())]


def parabola_with_a_tape_for_each_name(params, names, x, y):
    gradients, count = {}, 0
    for name in names:
        gradient, watched = parabola()(params, [name], x, y)
        gradients[name] = float(gradient[name])
        count += watched
    return gradients, np.int64(count)


def parabola_by_hand(params, names, x, y):
    a, b, c = (params[name].numpy() for name in "abc")
    error = a * x.numpy() ** 2 + b * x.numpy() + c - y.numpy()
    slopes = {"a": x.numpy() ** 2, "b": x.numpy(), "c": 1.0}
    return {name: 2 * np.mean(error * slopes[name]) for name in names}, len(names)


RIGHT = {
    "02.1": [
        product_of(both_sums, lambda t, y, x: t.gradient(y, x), lambda x: {"x": x}),
        product_by_the_product_rule,
        lambda x: product_of(both_sums)(tf.cast(x, tf.float64)).numpy(),
        product_of(lambda x: tf.square(x) * tf.reduce_sum(x)),
    ],
    "02.2": [(3, None, 5), [tf.constant(3.0), None, np.float32(5.0)], [3.0, "None", 5.0]],
    "02.3": [centred_by_a_name_for_the_input, centred_with_a_variable, centred_by_hand],
    "02.4": [parabola_one_by_one, parabola_with_a_tape_for_each_name, tf.function(parabola())],
}

# Its values are right, and they come from no tape, as the statement demands.
ORACLES = {"02.4": [parabola_by_hand]}

WRONG = {
    "02.1": [
        ("no tape", lambda x: 2 * x * np.sum(x) + np.sum(x.numpy() ** 2)),
        ("returns none", product_of(both_sums, watched=tf.identity)),
        ("returns y", product_of(both_sums, lambda tape, y, x: float(y))),
        ("gradient added up", product_of(both_sums, lambda t, y, x: sum(t.gradient(y, x).numpy()))),
        ("other shape", lambda x: product_of(both_sums)(tf.expand_dims(x, 1))),
        ("squares taken out", product_of(lambda x: np.sum(x**2) * tf.reduce_sum(x))),
        ("watch stored", product_with_the_watch_stored),
        ("raised AttributeError", product_of(lambda x: (x**2).sum() * x.sum())),
        ("raised ValueError", product_with_none_stacked),
        ("other form", product_of(both_sums, lambda tape, y, x: [tape.gradient(y, x)])),
    ],
    "02.2": [
        ("line 1: wrote 2", [2, None, 5]),
        ("line 3: wrote 13", [3, None, 13]),
        ("other form", [3, None]),
    ],
    "02.3": [
        ("returns none", centred_of(score, watched=tf.identity)),
        ("mean taken out", centred_of(lambda w, x, c: score(w, x, x - float(tf.reduce_mean(x))))),
        ("not centred", centred_of(lambda w, x, c: tf.tensordot(w, x * x, 1))),
        ("squared after the sum", centred_of(lambda w, x, c: tf.square(tf.tensordot(w, c, 1)))),
        (
            "difference of squares",
            centred_of(lambda w, x, c: tf.reduce_sum(w * (x**2 - tf.reduce_mean(x) ** 2))),
        ),
        ("mean for sum", centred_of(lambda w, x, c: tf.reduce_sum(w * tf.square(c)) / len(x))),
        ("returns score", centred_of(score, lambda tape, score, x, c: score.numpy())),
        ("returns centred numbers", centred_of(score, lambda tape, score, x, c: c)),
        ("sign", centred_of(lambda w, x, c: tf.reduce_sum(-w * c**2))),
        (
            "tensor assigned",
            centred_of(lambda w, x, c: score(w, x, x.assign_sub(tf.reduce_mean(x)))),
        ),
    ],
    "02.4": [
        ("target and sources swapped", parabola(lambda t, loss, p: pair(t, [*p.values()], loss))),
        ("other form", parabola(lambda t, loss, p: ([*t.gradient(loss, p).items()], len(p)))),
        ("not watched", parabola(choose=copies, watch=copies)),
        ("each in a list", for_each(lambda tape, loss, source: tape.gradient(loss, [source]))),
        ("other form", counting(lambda t, p: [v.name for v in t.watched_variables()])),
        ("errors added up", parabola(loss_of=lambda e: tf.tensordot(e, e, 1))),
        ("sign", for_each(lambda tape, loss, source: -tape.gradient(loss, source))),
        ("x not squared", parabola_from(lambda a, b, c, x, y: (a + b) * x + c)),
        ("others watched too", counting(lambda tape, sources: len(sources), watch=None)),
        ("list as a key", lambda params, names, x, y: (params[names], len(names))),
    ],
}

"""Answers to lesson 05's exercises: other right ones, and wrong ones that no list holds."""

import numpy as np
import tensorflow as tf


def or_none(tape, target, source):
    return tape.gradient(target, source)


def or_zero(tape, target, source):
    return tape.gradient(target, source, unconnected_gradients="zero")


def gradients(keys, compute, before=lambda a, b: (a, b), persistent=True, ask=or_none):
    def program(first, second):
        inputs = before(first, second)
        with tf.GradientTape(persistent) as tape:
            target = compute(*inputs)
        sources = zip(keys, (first, second), strict=True)
        return {key: ask(tape, target, source) for key, source in sources}

    return program


# 05.1


def huber(
    near=lambda e, d: -d <= e and e <= d,
    square=lambda e, d: 0.5 * tf.square(e),
    line=lambda e, d: d * tf.abs(e) - 0.5 * d**2,
    keys=("error", "threshold"),
    **options,
):
    def loss(e, d):
        return square(e, d) if near(e, d) else line(e, d)

    return gradients(keys, loss, **options)


def huber_without_if(choose):
    return huber(lambda e, d: True, lambda e, d: choose(e**2 / 2, d * (tf.sqrt(e**2) - d / 2)))


@tf.function
def huber_in_a_graph(error, threshold):
    with tf.GradientTape() as tape:
        if tf.abs(error) <= threshold:
            loss = tf.square(error) / 2
        else:
            loss = threshold * tf.abs(error) - threshold**2 / 2
    return tape.gradient(loss, {"error": error, "threshold": threshold})


def huber_by_cond(error, threshold):
    with tf.GradientTape() as tape:
        size = tf.abs(error)
        loss = tf.cond(
            size > threshold, lambda: threshold * (size - threshold / 2), lambda: size**2 / 2
        )
    return tape.gradient(loss, {"error": error, "threshold": threshold})


def huber_by_hand(error, threshold):
    e, d = float(error), float(threshold)
    if abs(e) <= d:
        return {"error": e, "threshold": None}
    return {"error": np.sign(e) * d, "threshold": abs(e) - d}


def huber_of_floats(error, threshold):
    e, d = float(error), float(threshold)
    with tf.GradientTape() as tape:
        loss = e**2 / 2 if abs(e) <= d else d * (abs(e) - d / 2)
    return tape.gradient(loss, {"error": error, "threshold": threshold})


# 05.3


def batchwise(
    loss=lambda w, x, y: tf.reduce_sum(tf.square(y - w * x)),
    start=0.0,
    step=lambda total, slope, loss, by_w: (total + loss, slope + by_w),
):
    @tf.function
    def program(w, dataset):
        total, slope = 0.0, start
        for x, y in dataset:
            with tf.GradientTape() as tape:
                batch_loss = loss(w, x, y)
            total, slope = step(total, slope, batch_loss, tape.gradient(batch_loss, w))
        return total, slope

    return program


@tf.function
def gradient_of_batch_means(w, dataset):
    total, slope = 0.0, tf.zeros_like(w)
    for x, y in dataset:
        with tf.GradientTape() as tape:
            squares = (w * x - y) ** 2
            mean = tf.reduce_sum(squares) / tf.cast(tf.size(squares), tf.float32)
        total += tf.reduce_sum(squares)
        slope += tape.gradient(mean, w)
    return total, slope


@tf.function
def sum_with_an_iterator(w, dataset):
    with tf.GradientTape() as tape:
        total = 0.0
        for x, y in iter(dataset):
            total += tf.reduce_sum((w * x - y) ** 2)
    return total, tape.gradient(total, w)


@tf.function
def sum_of_totals_in_the_tape(w, dataset):
    total, gradient = tf.constant(0.0), tf.constant(0.0)
    for x, y in dataset:
        with tf.GradientTape() as tape:
            total += tf.reduce_sum(tf.square(y - x * w))
        gradient = gradient + tape.gradient(total, w)
    return [total, gradient]


@tf.function
def sum_by_reduce_of_pairs(w, dataset):
    def add(state, batch):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((w * batch[0] - batch[1]) ** 2)
        return state[0] + loss, state[1] + tape.gradient(loss, w)

    return dataset.reduce((0.0, 0.0), add)


def sum_in_eager_mode(w, dataset):
    with tf.GradientTape() as tape:
        total = sum(tf.reduce_sum((w * x - y) ** 2) for x, y in dataset)
    return total, tape.gradient(total, w)


@tf.function
def sum_with_a_python_list(w, dataset):
    gradients, total = [], 0.0
    for x, y in dataset:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((w * x - y) ** 2)
        gradients.append(tape.gradient(loss, w))
        total += loss
    return total, tf.add_n(gradients)


@tf.function
def losses_below_the_loop(w, dataset):
    loss = total = tf.constant(0.0)
    for x, y in dataset:
        with tf.GradientTape(persistent=True) as tape:
            loss = tf.reduce_sum(tf.square(y - w * x))
        total = total + loss
    slope = tape.gradient(loss, w)
    return total, slope


def sum_in_variables():
    total, slope = tf.Variable(0.0), tf.Variable(0.0)

    def program(w, dataset):
        for variable in (total, slope):
            variable.assign(0.0 if float(w) == 2.0 else variable)  # anew for each check alone
        for part, variable in zip(batchwise()(w, dataset), (total, slope), strict=True):
            variable.assign_add(part)
        return total.read_value(), slope.read_value()

    return program


def tape_around(ask):
    def program(w, dataset):
        with tf.GradientTape() as tape:
            total, _ = batchwise()(w, dataset)
        return total, ask(tape, total, w)

    return program


# 05.4


def orbit(step=lambda M, e, E: M + e * tf.sin(E), passes=60, still=0.0, keys=("M", "e"), **options):
    def anomaly(M, e):
        E = tf.identity(M)
        for _ in range(passes):
            better = step(M, e, E)
            if abs(better - E) < still:
                break
            E = better
        return E

    return gradients(keys, anomaly, **options)


def newton(M, e, E):
    return E - (E - e * tf.sin(E) - M) / (1 - e * tf.cos(E))


@tf.function
def orbit_in_a_graph(M, e):
    with tf.GradientTape() as tape:
        E = tf.identity(M)
        for _ in tf.range(60):
            E = M + e * tf.sin(E)
    return tape.gradient(E, {"M": M, "e": e})


def orbit_added_to(M, e):
    with tf.GradientTape() as tape:
        E = M
        for _ in range(60):
            E += M + e * tf.sin(E) - E
    return tape.gradient(E, {"M": M, "e": e})


def by_floats(below, passes=100):
    def program(M, e):
        M, e = float(M), float(e)
        E = M
        for _ in range(passes):
            E = M + e * np.sin(E)
        return {"M": 1 / below(E, e), "e": np.sin(E) / below(E, e)}

    return program


def orbit_by_hand(M, e):
    M, e = float(M), float(e)
    E = M
    for _ in range(200):
        E = M + e * np.sin(E)
    return {"M": 1 / (1 - e * np.cos(E)), "e": np.sin(E) / (1 - e * np.cos(E))}


RIGHT = {
    "05.1": [
        huber(),
        huber(near=lambda e, d: e**2 <= d**2),
        huber_in_a_graph,
        huber_by_cond,
        tf.function(huber(lambda e, d: tf.abs(e) <= d, ask=or_zero)),
    ],
    "05.2": [4.0, np.int64(4), tf.constant(4)],
    "05.3": [
        batchwise(),
        sum_with_an_iterator,
        sum_of_totals_in_the_tape,
        sum_by_reduce_of_pairs,
    ],
    "05.4": [orbit(), orbit(newton, passes=20), orbit_in_a_graph, orbit_by_hand],
}

# Their values are right, and they come from no tape, as the statement demands.
ORACLES = {"05.1": [huber_by_hand]}

WRONG = {
    "05.1": [
        ("returned None", lambda e, d: print(huber()(e, d))),
        ("parentheses lost", huber(line=lambda e, d: d * (tf.abs(e) - 0.5))),
        ("sources as list", lambda e, d: tuple(huber()(e, d).values())),
        ("other form", huber(keys=("e", "d"))),
        ("line everywhere", huber_without_if(tf.minimum)),
        ("half missing", huber(square=lambda e, d: e * e)),
        ("zero for none", huber(before=lambda e, d: (e, 1.0 * d), ask=or_zero)),
        ("raised RuntimeError", huber(persistent=False)),
        ("raised TypeError", huber_of_floats),
        ("line at the threshold", huber(near=lambda e, d: tf.abs(e) < d)),
    ],
    "05.2": [("wrote 7", 7), ("other form", [1, 1, 2, 3, 4, 4])],
    "05.3": [
        ("returned None", lambda w, dataset: print(*batchwise()(w, dataset))),
        ("gradient still lost", tape_around(or_none)),
        ("other form", batchwise(lambda w, x, y: (w * x - y) ** 2)),
        ("asked below the loop", losses_below_the_loop),
        ("kept from before", sum_in_variables()),
        (
            "raised ValueError",
            batchwise(
                start=None,
                step=lambda a, b, loss, by_w: (a + loss, by_w if b is None else b + by_w),
            ),
        ),
        ("raised InaccessibleTensorError", sum_with_a_python_list),
        ("not compiled", sum_in_eager_mode),
        ("gradients of means", gradient_of_batch_means),
    ],
    "05.4": [
        ("returned None", lambda M, e: print(orbit()(M, e))),
        ("sources as list", lambda M, e: [*orbit()(M, e).values()]),
        ("other form", orbit(keys=("dE/dM", "dE/de"))),
        ("M has no path", orbit(before=lambda M, e: (tf.identity(M), e))),
        ("no pass at zero", orbit(still=1e-12)),
        ("formula at M", by_floats(lambda E, e: 1 - e * np.cos(E), passes=0)),
        ("variable added to", orbit_added_to),
        ("raised TypeError", orbit(ask=lambda tape, E, source: tape.gradient(float(E), source))),
    ],
}

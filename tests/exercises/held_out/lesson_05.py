"""Wrong answers to lesson 05, held out: no gallery holds them. By exercise and mistake."""

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


def huber(
    near=lambda e, d: -d <= e and e <= d,
    square=lambda e, d: 0.5 * tf.square(e),
    line=lambda e, d: d * tf.abs(e) - 0.5 * d**2,
    keys=("error", "threshold"),
    **options,
):
    return gradients(keys, lambda e, d: square(e, d) if near(e, d) else line(e, d), **options)


def huber_without_if(choose):
    return huber(lambda e, d: True, lambda e, d: choose(e**2 / 2, d * (tf.sqrt(e**2) - d / 2)))


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


def tape_around(ask):
    def program(w, dataset):
        with tf.GradientTape() as tape:
            total, _ = batchwise()(w, dataset)
        return total, ask(tape, total, w)

    return program


def mean_of_a_list(w, dataset):
    found = [batchwise()(w, dataset.skip(i).take(1)) for i in range(len(dataset))]
    return sum(loss for loss, _ in found), tf.reduce_mean([by_w for _, by_w in found])


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


WRONG = {
    "05.1": {
        "returns none": lambda e, d: print(huber()(e, d)),
        "sources as tuple": lambda e, d: tuple(huber()(e, d).values()),
        "other keys": huber(keys=("e", "d")),
        "error unseen": huber(before=lambda e, d: (tf.abs(e), d)),
        "square everywhere": huber_without_if(tf.maximum),
        "line everywhere": huber_without_if(tf.minimum),
        "branches exchanged": huber(near=lambda e, d: tf.greater(tf.abs(e), d)),
        "sign in condition": huber(near=lambda e, d: not tf.greater(e, d)),
        "sign in line": huber(line=lambda e, d: d * e - d * d / 2),
        "half missing": huber(square=lambda e, d: e * e),
        "threshold subtracted whole": huber(line=lambda e, d: d * tf.abs(e) - tf.square(d)),
        "last term unseen": huber(line=lambda e, d: d * tf.abs(e) - float(d) ** 2 / 2),
        "threshold unseen": huber(before=lambda e, d: (e, 1.0 * d)),
        "zero for none": huber(before=lambda e, d: (e, 1.0 * d), ask=or_zero),
        "keys exchanged": huber(keys=("threshold", "error")),
        "exchanged in graph": tf.function(huber(keys=("threshold", "error"))),
        "tape asked twice": huber(persistent=False),
    },
    "05.3": {
        "returns none": lambda w, dataset: print(*batchwise()(w, dataset)),
        "gradient alone": lambda w, dataset: batchwise()(w, dataset)[1],
        "tape around loop": tape_around(or_none),
        "gradient a vector": batchwise(start=tf.zeros(1)),
        "errors not summed": batchwise(lambda w, x, y: (w * x - y) ** 2),
        "order exchanged": batchwise(step=lambda a, b, loss, by_w: (a + by_w, b + loss)),
        "zero for none": tape_around(or_zero),
        "last gradient only": batchwise(step=lambda a, b, loss, by_w: (a + loss, 0.0 + by_w)),
        "first gradient only": lambda w, dataset: (
            batchwise()(w, dataset)[0],
            batchwise()(w, dataset.take(1))[1],
        ),
        "mean of gradients": mean_of_a_list,
        "sum twice": batchwise(step=lambda a, b, loss, by_w: (a + loss, b + loss)),
        "last batch only": batchwise(step=lambda a, b, loss, by_w: (0.0 + loss, 0.0 + by_w)),
        "first batch only": lambda w, dataset: batchwise()(w, dataset.take(1)),
        "mean of all": lambda w, dataset: [
            part / len(list(dataset.unbatch())) for part in batchwise()(w, dataset)
        ],
        "mean of batches": batchwise(lambda w, x, y: tf.reduce_mean((w * x - y) ** 2)),
        "starts from none": batchwise(
            start=None, step=lambda a, b, loss, by_w: (a + loss, by_w if b is None else b + by_w)
        ),
    },
    "05.4": {
        "returns none": lambda M, e: print(orbit()(M, e)),
        "sources as list": lambda M, e: [*orbit()(M, e).values()],
        "other keys": orbit(keys=("dE/dM", "dE/de")),
        "anomaly unseen": orbit(before=lambda M, e: (tf.identity(M), e)),
        "eccentricity unseen": orbit(before=lambda M, e: (M, 1.0 * e)),
        "no pass at zero": orbit(still=1e-12),
        "too few passes": orbit(passes=2),
        "sine never renewed": orbit(lambda M, e, E: M + e * tf.sin(M)),
        "last pass only": orbit(lambda M, e, E: M + e * tf.sin(tf.stop_gradient(E))),
        "returns anomaly": orbit(ask=lambda tape, E, source: float(E)),
        "minus for plus": orbit(lambda M, e, E: M + e * tf.sin(-E)),
        "keys exchanged": orbit(keys=("e", "M")),
        "target a float": orbit(ask=lambda tape, E, source: tape.gradient(float(E), source)),
    },
}

"""Wrong answers to lesson 10's exercises, held out: no gallery holds them.

By exercise and mistake.
"""

import numpy as np
import tensorflow as tf


def schedule(compiled=tf.function, number=tf.constant, in_turn=list):
    def train(step, x, y, rates):
        compiled_step = compiled(step)
        return [compiled_step(x, y, number(rate)) for rate in in_turn(rates)]

    return train


def first_rate_kept(step, x, y, rates):
    rest = iter(rates)
    compiled_step = tf.function(lambda: step(x, y, next(rest)))
    return [compiled_step() for _ in rates]


def traced_before(step, x, y, rates):
    compiled_step = tf.function(step)
    compiled_step.get_concrete_function(x, y, rates[0])
    return [compiled_step(x, y, rate) for rate in tf.unstack(rates)]


def mean_square(predictions, labels, size):
    return tf.reduce_mean(tf.math.squared_difference(predictions, labels))


def slice_of(order, first, size):
    return order[first : first + size]


def epoch(
    loss=mean_square,
    rows=slice_of,
    labels=lambda y, batch, first, size: tf.gather(y, batch),
    predict=lambda x, w: tf.reduce_sum(x * w, axis=1),
    move=lambda w, gradient, rate: w.assign(w - rate * gradient),
    stop=lambda order, size: tf.size(order),
    stride=None,
    compiled=tf.function,
):
    def linear_epoch(w, x, y, order, size, rate):
        @compiled
        def run():
            first = 0
            while first < stop(order, size):
                batch = rows(order, first, size)
                with tf.GradientTape() as tape:
                    y_hat = predict(tf.gather(x, batch), w)
                    error = loss(y_hat, labels(y, batch, first, size), size)
                move(w, tape.gradient(error, w), rate)
                first += stride or size

        run()
        return w

    return linear_epoch


def in_numpy(w, x, y, order, size, rate):
    x, y, order, v = x.numpy(), y.numpy(), order.numpy(), w.numpy()
    for batch in np.split(order, range(size, len(order), size)):
        v = v - rate * 2 * (x[batch] @ v - y[batch]) @ x[batch] / len(batch)
    return w.assign(v)


def all_at_first_w(w, *call):
    moved = tf.Variable(w)
    epoch(move=lambda w, gradient, rate: moved.assign_sub(rate * gradient))(w, *call)
    return moved


def pipeline(chain, twice=lambda dataset: [[*dataset], [*dataset]]):
    def two_epochs(numbers, decode, size):
        dataset = tf.data.Dataset.from_tensor_slices(numbers)
        return twice(chain(dataset, decode, size, len(numbers)))

    return two_epochs


def decoded(chain, **options):
    return pipeline(lambda d, decode, *sizes: chain(d.map(decode).cache(), *sizes), **options)


def right(dataset, size, n):
    return dataset.shuffle(n).batch(size)


WRONG = {
    "10.2": {
        "only first step": schedule(in_turn=lambda rates: rates[:1]),
        "step not compiled": schedule(compiled=lambda step: step, number=float),
        "first rate kept": first_rate_kept,
        "rates reversed": schedule(in_turn=lambda rates: [rates.pop() for _ in rates[:]]),
        "rate as integer": schedule(number=lambda rate: tf.cast(rate, tf.int32)),
        "rate as number": schedule(lambda step: tf.function(step, reduce_retracing=True), float),
        "compiled in loop": schedule(lambda step: lambda *call: tf.function(lambda: step(*call))()),
        "traced before": traced_before,
        "result compiled": lambda step, x, y, rates: [tf.function(step(x, y, r))() for r in rates],
    },
    "10.3": {
        "returns none": lambda *call: print(epoch()(*call)),
        "python loop": epoch(compiled=lambda run: run),
        "numpy loop": in_numpy,
        "w unchanged": epoch(move=lambda w, gradient, rate: w - rate * gradient),
        "short batch dropped": epoch(stop=lambda order, size: tf.size(order) // size * size),
        "order of x": epoch(rows=lambda order, *at: slice_of(tf.range(len(order)), *at)),
        "indices sorted": epoch(rows=lambda order, *at: slice_of(tf.sort(order), *at)),
        "labels by position": epoch(labels=lambda y, at, first, _: y[first : first + tf.size(at)]),
        "table of n by n": epoch(predict=lambda x, w: x @ w[:, None]),
        "batches overlap": epoch(stride=1),
        "climbs": epoch(move=lambda w, gradient, rate: w.assign_add(rate * gradient)),
        "rate missing": epoch(move=lambda w, gradient, rate: w.assign_sub(gradient)),
        "sum of squares": epoch(loss=lambda p, labels, _: tf.norm(p - labels) ** 2),
        "half the error": epoch(loss=lambda *call: 0.5 * mean_square(*call)),
        "divided by batch size": epoch(loss=lambda p, labels, n: tf.norm(p - labels) ** 2 / n),
        "all at first w": all_at_first_w,
        "one step on all": epoch(rows=lambda order, *_: order, stop=lambda order, size: size),
        "only first batch": epoch(stop=lambda order, size: size),
        "labels in brackets": epoch(labels=lambda y, batch, *_: y[batch]),
        "labels sliced long": epoch(labels=lambda y, _, first, size: y[first : first + size]),
    },
    "10.4": {
        "short batch dropped": decoded(lambda d, size, n: right(d, size, n).take(n // size)),
        "numbers repeated": decoded(lambda d, size, n: right(d.repeat(2), size, n)),
        "shuffle thrown away": decoded(lambda d, size, n: (d.shuffle(n), d.batch(size))[1]),
        "batches shuffled": decoded(
            lambda d, size, n: d.batch(size).shuffle(n).unbatch().batch(size)
        ),
        "sizes swapped": decoded(lambda d, size, n: d.shuffle(size).batch(n)),
        "one list twice": decoded(right, twice=lambda dataset: (epoch := list(dataset), epoch)),
        "one list copied": decoded(right, twice=lambda dataset: [epoch := list(dataset), epoch[:]]),
        "one fixed order": pipeline(
            lambda d, f, size, n: d.shuffle(n, 1, False).map(f).cache().batch(size)
        ),
        "shuffle before cache": pipeline(lambda d, f, size, n: right(d.map(f), size, n).cache()),
        "small buffer": decoded(lambda d, size, n: right(d, size, 2 * size)),
        "cache left out": pipeline(lambda d, f, size, n: right(d.map(f), size, n)),
        "shuffle without size": decoded(lambda d, size, n: d.shuffle().batch(size)),
    },
}

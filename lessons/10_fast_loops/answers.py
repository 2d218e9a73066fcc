"""Answers to lesson 10: other right ones, and wrong ones that no list holds, by mistake."""

import numpy as np
import tensorflow as tf


def schedule(compiled=tf.function, number=tf.constant, in_turn=list):
    def train(step, x, y, rates):
        compiled_step = compiled(step)
        return [compiled_step(x, y, number(rate)) for rate in in_turn(rates)]

    return train


def with_a_signature(step, x, y, rates):
    compiled = tf.function(step, input_signature=[tf.TensorSpec([None])] * 2 + [tf.TensorSpec([])])
    return [compiled(x, y, rate) for rate in rates]


def with_a_loop_in_the_graph(step, x, y, rates):
    rates = tf.constant(rates)

    @tf.function
    def every_rate(x, y):
        losses, counts = [], []
        compiled = tf.function(step)
        for i in range(len(rates)):
            loss, count = compiled(x, y, rates[i])
            losses.append(loss)
            counts.append(count)
        return losses, counts

    return list(zip(*every_rate(x, y), strict=True))


def counts_made_up(step, x, y, rates):
    return [(loss, 1) for loss, _ in schedule(lambda step: step)(step, x, y, rates)]


def compiled_around_it(step, x, y, rates):
    inner = tf.function(step)
    return [tf.function(lambda rate: inner(x, y, rate))(tf.constant(r)) for r in rates]


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


def epoch_without_tape(w, x, y, order, size, rate):
    @tf.function
    def run():
        for first in tf.range(0, tf.size(order), size):
            batch = order[first : first + size]
            rows = tf.gather(x, batch)
            error = tf.linalg.matvec(rows, w) - tf.gather(y, batch)
            slope = 2 * tf.linalg.matvec(rows, error, transpose_a=True)
            w.assign_sub(rate * slope / tf.cast(tf.size(batch), tf.float32))

    run()
    return w


@tf.function
def steps_of_an_epoch(w, x, y, order, size, rate):
    for first in tf.range(0, tf.size(order), size):
        batch = order[first : first + size]
        with tf.GradientTape() as tape:
            errors = tf.linalg.matvec(tf.gather(x, batch), w) - tf.gather(y, batch)
            loss = tf.reduce_mean(errors**2)
        w.assign_sub(rate * tape.gradient(loss, w))


def compiled_earlier(w, x, y, order, size, rate):
    steps_of_an_epoch(w, x, y, order, tf.constant(size), tf.constant(rate))
    return w.numpy().tolist()


def subtracted_in_place(w, x, y, order, size, rate):
    @tf.function
    def run():
        for first in tf.range(0, tf.size(order), size):
            batch = order[first : first + size]
            rows = tf.gather(x, batch)
            with tf.GradientTape() as tape:
                y_hat = tf.linalg.matvec(rows, w)  # noqa: F823
                loss = mean_square(y_hat, tf.gather(y, batch), size)
            w -= rate * tape.gradient(loss, w)  # noqa: F841

    run()
    return w


def pipeline(chain, twice=lambda dataset: [[*dataset], [*dataset]]):
    def two_epochs(numbers, decode, size):
        dataset = tf.data.Dataset.from_tensor_slices(numbers)
        return twice(chain(dataset, decode, size, len(numbers)))

    return two_epochs


def decoded(chain, **options):
    return pipeline(lambda d, decode, *sizes: chain(d.map(decode).cache(), *sizes), **options)


def right(dataset, size, n):
    return dataset.shuffle(n).batch(size)


def without_tf_data(numbers, decode, size):
    rng, decoded_numbers = np.random.default_rng(), decode(numbers).numpy()

    def one_epoch():
        order = rng.permutation(len(numbers))
        return [decoded_numbers[order[i : i + size]] for i in range(0, len(order), size)]

    return one_epoch(), one_epoch()


def decoded_first(numbers, decode, size):
    dataset = right(tf.data.Dataset.from_tensor_slices(decode(numbers)), size, len(numbers))
    return [list(dataset), list(dataset)]


def in_one_cardinality(numbers, decode, size):
    dataset = tf.data.Dataset.from_tensor_slices(numbers).batch(size).map(decode).unbatch().cache()
    dataset = dataset.shuffle(dataset.cardinality()).batch(size)  # unknown, and so all
    return [list(dataset), list(dataset)]


RIGHT = {
    "10.1": [4.0, np.int64(4), tf.constant(4)],
    "10.2": [schedule(), with_a_signature, with_a_loop_in_the_graph],
    "10.3": [epoch(), epoch_without_tape, compiled_earlier],
    "10.4": [
        decoded(lambda d, size, n: right(d, size, n).prefetch(2)),
        pipeline(lambda d, f, size, n: right(d.batch(size).map(f).unbatch().cache(), size, n)),
        decoded_first,
        decoded(lambda d, size, n: right(d, size, max(n, 1000))),
        in_one_cardinality,
    ],
}

# Its values are right, and a demand refuses it.
ORACLES = {"10.4": [without_tf_data]}

WRONG = {
    "10.1": [("wrote 7", 7), ("wrote 2.5", 2.5), ("other form", "four")],
    "10.2": [
        ("counts made up", counts_made_up),
        ("new function for every rate", compiled_around_it),
        ("only one step", schedule(in_turn=lambda rates: rates[:1])),
        ("step not compiled", schedule(compiled=lambda step: step, number=float)),
        ("first rate kept", schedule(in_turn=lambda rates: len(rates) * rates[:1])),
        ("rate not one number", lambda step, x, y, rates: tf.function(step)(x, y, rates)),
        ("x and y exchanged", schedule(lambda step: tf.function(lambda x, y, r: step(y, x, r)))),
        ("rates reversed", schedule(in_turn=lambda rates: [rates.pop() for _ in rates[:]])),
        ("rate as integer", schedule(number=lambda rate: tf.cast(rate, tf.int32))),
        (
            "raised TypeError",
            lambda step, x, y, rates: [tf.function(step(x, y, r))() for r in rates],
        ),
    ],
    "10.3": [
        ("returned None", lambda *call: print(epoch()(*call))),
        ("numpy loop", in_numpy),
        ("order of x", epoch(rows=lambda order, *at: slice_of(tf.range(len(order)), *at))),
        ("divided twice", epoch(loss=lambda p, labels, n: mean_square(p, labels, n) / n)),
        ("w rebound", subtracted_in_place),
        ("last index left out", epoch(stop=lambda order, size: tf.size(order) - 1)),
        ("raised TypeError", epoch(labels=lambda y, batch, *_: y[batch])),
        ("unequal rows", epoch(labels=lambda y, _, first, size: y[first : first + size])),
    ],
    "10.4": [
        ("no pipeline", without_tf_data),
        ("fixed buffer", decoded(lambda d, size, n: right(d, size, 1000))),
        ("result not kept", pipeline(lambda d, f, size, n: d)),
        ("one list twice", decoded(right, twice=lambda dataset: (epoch := list(dataset), epoch))),
        (
            "one fixed order",
            pipeline(lambda d, f, size, n: d.shuffle(n, 1, False).map(f).cache().batch(size)),
        ),
        ("shuffle before cache", pipeline(lambda d, f, size, n: right(d.map(f), size, n).cache())),
        ("batches of batches", decoded(lambda d, size, n: d.batch(size).shuffle(n).batch(size))),
        ("raised TypeError", decoded(lambda d, size, n: d.shuffle().batch(size))),
    ],
}

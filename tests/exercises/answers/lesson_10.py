import numpy as np
import tensorflow as tf

from answers import ERROR, Answers, Wrong


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


def with_numbers(step, x, y, rates):
    compiled = tf.function(step)
    return [compiled(x, y, rate) for rate in rates]


def compiled_for_every_rate(step, x, y, rates):
    return [tf.function(step)(x, y, tf.constant(rate)) for rate in rates]


def not_compiled(step, x, y, rates):
    return [step(x, y, tf.constant(rate)) for rate in rates]


def with_the_first_rate(step, x, y, rates):
    compiled = tf.function(lambda x, y: step(x, y, rates[0]))
    return [compiled(x, y) for _ in rates]


def with_growing_shapes(step, x, y, rates):
    compiled = tf.function(lambda x, y, rate: step(x, y, tf.reshape(rate, ())))
    return [compiled(x, y, tf.fill([1] * i, rate)) for i, rate in enumerate(rates)]


def with_integers(step, x, y, rates):
    compiled = tf.function(step)
    return [compiled(x, y, tf.constant(int(rate))) for rate in rates]


def backwards(step, x, y, rates):
    return with_a_signature(step, x, y, rates[::-1])


def only_losses(step, x, y, rates):
    return [loss for loss, _ in with_a_signature(step, x, y, rates)]


def only_the_last(step, x, y, rates):
    return with_a_signature(step, x, y, rates)[-1:]


def half_rates(step, x, y, rates):
    return with_a_signature(step, x, y, [rate / 2 for rate in rates])


def train_without_return(step, x, y, rates):
    with_a_signature(step, x, y, rates)


def epoch(
    rows=lambda x, batch: tf.gather(x, batch),
    labels=lambda y, batch, first: tf.gather(y, batch),
    loss_of=lambda errors, size: tf.reduce_mean(errors**2),
    order_of=lambda order, x: order,
    end=lambda order, size: len(order),
    sign=-1.0,
    in_graph=True,
):
    """Return an answer to 10.3 with one thing changed, and a loop of the graph or of Python."""

    def linear_epoch(w, x, y, order, batch_size, rate):
        order = order_of(order, x)
        last = end(order, batch_size)

        def run():
            for first in tf.range(0, last, batch_size) if in_graph else range(0, last, batch_size):
                batch = order[first : first + batch_size]
                with tf.GradientTape() as tape:
                    errors = tf.linalg.matvec(rows(x, batch), w) - labels(y, batch, first)
                    loss = loss_of(errors, batch_size)
                w.assign_add(sign * rate * tape.gradient(loss, w))

        tf.function(run)() if in_graph else run()
        return w

    return linear_epoch


def epoch_of_slices(w, x, y, order, batch_size, rate):
    for first in range(0, len(order), batch_size):
        xb, yb = x[first : first + batch_size], y[first : first + batch_size]
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.linalg.matvec(xb, w) - yb) ** 2)
        w.assign_sub(rate * tape.gradient(loss, w))
    return w


def epoch_of_compiled_steps(w, x, y, order, batch_size, rate):
    @tf.function
    def step(batch):
        with tf.GradientTape() as tape:
            errors = tf.linalg.matvec(tf.gather(x, batch), w) - tf.gather(y, batch)
            loss = tf.reduce_mean(errors**2)
        w.assign_sub(rate * tape.gradient(loss, w))

    for first in range(0, len(order), batch_size):
        step(order[first : first + batch_size])
    return w


def epoch_of_compiled_steps_on_arrays(w, x, y, order, batch_size, rate):
    order, rate = order.numpy(), tf.constant(rate)
    for first in range(0, len(order), batch_size):
        steps_of_an_epoch(w, x, y, order[first : first + batch_size], tf.constant(batch_size), rate)
    return w


def epoch_with_products(w, x, y, order, batch_size, rate):
    return w - rate * (tf.gather(x, order[:batch_size]) @ w)


def epoch_in_numpy(w, x, y, order, batch_size, rate):
    w, x, y, order = (a.numpy() for a in (w, x, y, order))
    while len(order):
        batch, order = order[:batch_size], order[batch_size:]
        w = w - rate * 2 * x[batch].T @ (x[batch] @ w - y[batch]) / len(batch)
    return w


def epoch_in_numpy_assigned(w, *arguments):
    w.assign(epoch_in_numpy(w, *arguments))
    return w


@tf.function
def steps_of_an_epoch(w, x, y, order, batch_size, rate):
    for first in tf.range(0, tf.size(order), batch_size):
        batch = order[first : first + batch_size]
        with tf.GradientTape() as tape:
            errors = tf.linalg.matvec(tf.gather(x, batch), w) - tf.gather(y, batch)
            loss = tf.reduce_mean(errors**2)
        w.assign_sub(rate * tape.gradient(loss, w))


def epoch_compiled_earlier(w, x, y, order, batch_size, rate):
    steps_of_an_epoch(w, x, y, order, tf.constant(batch_size), tf.constant(rate))
    return w


def epoch_as_a_list(*arguments):
    return epoch_compiled_earlier(*arguments).numpy().tolist()


@tf.function
def epoch_rebound_in_a_graph(w, x, y, order, batch_size, rate):
    for first in tf.range(0, tf.size(order), batch_size):
        batch = order[first : first + batch_size]
        with tf.GradientTape() as tape:
            errors = tf.linalg.matvec(tf.gather(x, batch), w) - tf.gather(y, batch)
            loss = tf.reduce_mean(errors**2)
        w = w - rate * tape.gradient(loss, w)
    return w


def epoch_of_every_start(w, x, y, order, batch_size, rate):
    for first in range(len(order)):
        batch = order[first : first + batch_size]
        epoch(in_graph=False)(w, x, y, batch, batch_size, rate)
    return w


@tf.function
def epoch_in_a_graph(w, x, y, order, batch_size, rate):
    first = 0
    while first < tf.size(order):
        batch = order[first : first + batch_size]
        with tf.GradientTape() as tape:
            y_hat = tf.reduce_sum(tf.gather(x, batch) * w, axis=1)
            loss = tf.reduce_mean(tf.square(tf.gather(y, batch) - y_hat))
        w.assign(w - rate * tape.gradient(loss, w))
        first += batch_size
    return tf.identity(w)


def epoch_without_steps(w, x, y, order, batch_size, rate):
    epoch()(tf.Variable(w), x, y, order, batch_size, rate)
    return w


def epoch_returned_in_the_loop(w, x, y, order, batch_size, rate):
    return epoch()(w, x, y, order[:batch_size], batch_size, rate)


def epoch_in_one_step(w, x, y, order, batch_size, rate):
    return epoch()(w, x, y, order, len(order), rate)


def epoch_from_the_first_w(w, x, y, order, batch_size, rate):
    total = tf.zeros_like(w)
    for first in range(0, len(order), batch_size):
        moved = tf.Variable(w)
        batch = order[first : first + batch_size]
        total += epoch(in_graph=False)(moved, x, y, batch, batch_size, rate) - w
    return w + total


def epoch_without_rate(w, x, y, order, batch_size, rate):
    return epoch()(w, x, y, order, batch_size, 1.0)


def epoch_with_another_rate(w, x, y, order, batch_size, rate):
    return epoch()(w, x, y, order, batch_size, 3 * rate)


def epoch_without_return(w, x, y, order, batch_size, rate):
    epoch()(w, x, y, order, batch_size, rate)


def source(numbers):
    return tf.data.Dataset.from_tensor_slices(numbers)


def pipeline(chain):
    """Return an answer to 10.4 with the parts of `chain`, a function of all that they need."""

    def two_epochs(numbers, decode, batch_size):
        dataset = chain(source(numbers), decode, batch_size, len(numbers))
        return [list(dataset), list(dataset)]

    return two_epochs


def decoded_at_once(numbers, decode, batch_size):
    rng, decoded = np.random.default_rng(), decode(numbers).numpy()

    def epoch():
        order = rng.permutation(len(numbers))
        return [decoded[order[i : i + batch_size]] for i in range(0, len(order), batch_size)]

    return epoch(), epoch()


def the_same_list_twice(numbers, decode, batch_size):
    dataset = source(numbers).map(decode).cache().shuffle(len(numbers)).batch(batch_size)
    return [list(dataset)] * 2


def a_dataset_for_each_epoch(numbers, decode, batch_size):
    return [
        list(source(numbers).map(decode).cache().shuffle(len(numbers)).batch(batch_size))
        for _ in range(2)
    ]


def only_one_epoch(numbers, decode, batch_size):
    return list(source(numbers).map(decode).shuffle(len(numbers)).batch(batch_size))


ANSWERS = {
    "10.1": Answers(
        right=[10.0, np.int64(10), tf.constant(10)],
        wrong=[
            Wrong(1, "more than one kind of call"),
            Wrong(2, "counts by its value"),
            Wrong(3, "a fresh optimizer"),
            Wrong(5, "two shapes"),
            Wrong(6, "*both* batch sizes"),
            Wrong(11, "One too many"),
            Wrong(15, "in each of them"),
            Wrong(16, "the number of batches in an epoch"),
            Wrong(80, "the number of calls"),
            Wrong(7, "It is not 7"),
            Wrong(2.5, "one whole number"),
            Wrong("ten", "one whole number"),
        ],
    ),
    "10.2": Answers(
        right=[with_a_signature, with_a_loop_in_the_graph],
        wrong=[
            Wrong(with_numbers, "so each new rate is still traced anew"),
            Wrong(compiled_for_every_rate, "even for one that came before"),
            Wrong(not_compiled, "without being compiled"),
            Wrong(with_the_first_rate, "Every step uses the first rate"),
            Wrong(with_growing_shapes, "even for one that came before"),
            Wrong(with_integers, "as if every rate were 0"),
            Wrong(backwards, "in reverse"),
            Wrong(only_losses, "a pair of loss and count"),
            Wrong(only_the_last, "For 4 rates your list has 1 items"),
            Wrong(half_rates, "the losses should be"),
            Wrong(train_without_return, "You returned None"),
        ],
    ),
    "10.3": Answers(
        right=[epoch_in_a_graph, epoch_compiled_earlier, epoch(), epoch_as_a_list],
        wrong=[
            Wrong(epoch_in_numpy, "no tf.function ran"),
            Wrong(epoch_in_numpy_assigned, "no tf.function ran"),
            Wrong(epoch_rebound_in_a_graph, "there is a None where a tensor", ERROR),
            Wrong(epoch(labels=lambda y, batch, first: tf.gather(y, batch)[:, None]), "a table"),
            Wrong(epoch_of_every_start, "in steps of batch_size"),
            Wrong(epoch(in_graph=False), "Python still runs the loop"),
            Wrong(tf.function(epoch(in_graph=False)), "Python still runs the loop"),
            Wrong(epoch_of_compiled_steps, "Python still runs the loop"),
            Wrong(epoch_of_compiled_steps_on_arrays, "Python still runs the loop"),
            Wrong(epoch_of_slices, "the batches in the order of x"),
            Wrong(tf.function(epoch_of_slices), "the batches in the order of x"),
            Wrong(
                epoch(order_of=lambda order, x: tf.range(len(order))),
                "the batches in the order of x",
            ),
            Wrong(epoch(rows=lambda x, batch: x[batch]), "with tf.gather", ERROR),
            Wrong(epoch(rows=lambda x, batch: x[batch], in_graph=False), "with tf.gather", ERROR),
            Wrong(tf.function(epoch_with_products), "tf.linalg.matvec", ERROR),
            Wrong(epoch_without_return, "Your function returned None"),
            Wrong(epoch_without_steps, "w did not change"),
            Wrong(epoch(end=lambda order, size: len(order) - size + 1), "short last batch"),
            Wrong(epoch(order_of=lambda order, x: tf.range(len(x))), "in the order of x"),
            Wrong(epoch(order_of=lambda order, x: tf.sort(order)), "Your batches are sorted"),
            Wrong(
                epoch(labels=lambda y, batch, first: y[first : first + len(batch)]),
                "those of y do not",
            ),
            Wrong(epoch(sign=1.0), "uphill"),
            Wrong(epoch_without_rate, "The rate is missing"),
            Wrong(epoch(loss_of=lambda e, size: tf.reduce_sum(e**2)), "not their sum"),
            Wrong(epoch(loss_of=lambda e, size: tf.reduce_mean(e**2) / 2), "factor 1/2"),
            Wrong(epoch(loss_of=lambda e, size: tf.reduce_sum(e**2) / size), "over batch_size"),
            Wrong(epoch_from_the_first_w, "at the first w"),
            Wrong(epoch_in_one_step, "one step on all the examples"),
            Wrong(epoch_returned_in_the_loop, "Only the first batch"),
            Wrong(epoch_with_another_rate, ", w should be"),
            Wrong(lambda w, x, *_: tf.linalg.matvec(x, w), "Return w, which has shape (2,)"),
            Wrong(epoch_with_products, "tf.linalg.matvec", ERROR),
        ],
    ),
    "10.4": Answers(
        right=[
            decoded_at_once,
            pipeline(lambda d, f, b, n: d.map(f).cache().shuffle(n).batch(b).prefetch(2)),
            pipeline(lambda d, f, b, n: d.batch(b).map(f).unbatch().cache().shuffle(n).batch(b)),
        ],
        wrong=[
            Wrong(pipeline(lambda d, f, b, n: d.map(f).cache().batch(b)), "Nothing is shuffled"),
            Wrong(
                pipeline(lambda d, f, b, n: d.map(f).cache().batch(b).shuffle(n)),
                "whole batches are shuffled",
            ),
            Wrong(
                pipeline(lambda d, f, b, n: d.batch(b).shuffle(10).map(f).cache()),
                "whole batches are shuffled",
            ),
            Wrong(
                pipeline(lambda d, f, b, n: d.map(f).shuffle(n).cache().batch(b)),
                "put shuffle after cache",
            ),
            Wrong(the_same_list_twice, "the list of the first, given twice"),
            Wrong(
                pipeline(lambda d, f, b, n: d.map(f).cache().shuffle(n, None, False).batch(b)),
                "reshuffle_each_iteration=False says so. Leave it out",
            ),
            Wrong(
                pipeline(lambda d, f, b, n: d.map(f).cache().shuffle(10).batch(b)),
                "so the buffer of shuffle is small",
            ),
            Wrong(
                pipeline(lambda d, f, b, n: d.map(f).cache().shuffle(100).batch(b)),
                "so the buffer of shuffle is small",
            ),
            Wrong(a_dataset_for_each_epoch, "each has a cache of its own"),
            Wrong(
                pipeline(lambda d, f, b, n: d.cache().map(f).shuffle(n).batch(b)),
                "decode runs again in the second epoch",
            ),
            Wrong(
                pipeline(lambda d, f, b, n: d.shuffle(n).batch(b).map(f)),
                "decode runs again in the second epoch",
            ),
            Wrong(
                pipeline(
                    lambda d, f, b, n: d.map(f).cache().shuffle(n).batch(b, drop_remainder=True)
                ),
                "Keep the short last batch",
            ),
            Wrong(
                pipeline(lambda d, f, b, n: d.map(f).cache().repeat(2).shuffle(2 * n).batch(b)),
                "Leave repeat and other changes out",
            ),
            Wrong(
                pipeline(lambda d, f, b, n: d.map(f).cache().shuffle(n).batch(3)),
                "A batch should hold 8 numbers",
            ),
            Wrong(
                pipeline(lambda d, f, b, n: d.cache().shuffle(n).batch(b)),
                "each a list of decoded batches",
            ),
            Wrong(only_one_epoch, "Return a list of two epochs"),
            Wrong(lambda numbers, decode, batch_size: None, "You returned None"),
        ],
    ),
}

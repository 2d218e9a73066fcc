"""Wrong answers to the questions of lesson 10, and what each is told."""

import tensorflow as tf

from course_utils.exercises import Table, Wrong

# 10.1

TRACES = Table(
    {
        1: "There is more than one kind of call: batches of 64, 40 and 8, with `True` and with "
        "`False`. Count the different pairs of a batch size and a flag.",
        2: "2 is the number of flag values, or of batch sizes in training. Count the different "
        "pairs of a batch size and a flag.",
        3: "3 is the number of batch sizes: 64, 40 and 8. But each new value of a Python "
        "argument needs a trace, and 64 comes with `True` and with `False`.",
        5: "5 is one too many. The optimizer was built before the loops, so the first call is "
        "traced only once, and the later epochs add no trace.",
        6: "6 would be right if every batch size came with both flags. But 40 comes only with "
        "`True`, and 8 only with `False`.",
        10: "The later epochs repeat the calls of the first, so they add no trace. Count the "
        "traces of the first epoch.",
        16: "16 is the number of training batches in one epoch. But a call needs no new trace if "
        "an earlier call had the same batch size and flag.",
        20: "20 is the number of calls in one epoch, or four traces in each of five epochs. But a "
        "call needs no new trace if an earlier call, in any epoch, had the same batch size and "
        "flag.",
        100: "100 is the number of calls. But a call needs no new trace if an earlier call had the "
        "same batch size and flag.",
    },
    "{value} is not the answer. Count the distinct pairs of batch size and flag.",
)

# 10.2


def training(compiled=tf.function, number=tf.constant, of=lambda rates: rates):
    def train(step, x, y, rates):
        compiled_step = compiled(step)
        return [compiled_step(x, y, number(rate)) for rate in of(rates)]

    return train


def as_given(value):
    return value


def without_counts(*call):
    return [loss for loss, _ in training()(*call)]


def with_the_first_rate(step, x, y, rates):
    compiled_step = tf.function(lambda x, y: step(x, y, rates[0]))
    return [compiled_step(x, y) for _ in rates]


def compiled_for_every_rate(step, x, y, rates):
    return [tf.function(step)(x, y, tf.constant(rate)) for rate in rates]


def traced_before(step, x, y, rates):
    tf.function(step).get_concrete_function(x, y, tf.constant(rates[0]))
    return training()(step, x, y, rates)


SCHEDULES = {
    "losses alone": Wrong(
        "You returned only the losses. For each learning rate, return the whole result of `step`, "
        "a (loss, count) pair.",
        without_counts,
    ),
    "only one step": Wrong(
        "Your list has one item, however many learning rates there are. Append the result of "
        "`step` inside the loop, and return the list after the loop.",
        training(of=lambda rates: rates[:1]),
    ),
    "first rate kept": Wrong(
        "Every step uses the first learning rate: it became a constant of the graph, or you "
        "created its tensor only once. In the loop, pass `tf.constant(rate)` to the "
        "compiled step.",
        with_the_first_rate,
    ),
    "rate not one number": Wrong(
        "The step does not get a single number as its learning rate. Loop over `rates`, and call "
        "`compiled_step(x, y, tf.constant(rate))` for each rate.",
        lambda step, x, y, rates: tf.function(step)(x, y, tf.constant(rates)),
        training(number=lambda rate: tf.constant([rate])),
        lambda step, x, y, rates: [tf.function(step)(tf.constant(r), x, y) for r in rates],
    ),
    "x and y exchanged": Wrong(
        "`x` and `y` are swapped. Pass the step `x`, then `y`, then the learning rate.",
        lambda step, x, y, rates: training()(step, y, x, rates),
    ),
    "rates reversed": Wrong(
        "You use the learning rates in reverse order. Use them in the order of the list.",
        training(of=lambda rates: rates[::-1]),
    ),
    "rate as integer": Wrong(
        "The loss never changes, as if every learning rate were 0: an integer tensor cuts off "
        "the decimals. Pass a float tensor, such as `tf.constant(rate)`.",
        training(number=lambda rate: tf.constant(int(rate))),
    ),
    "step not compiled": Wrong(
        "Your step is not compiled. Call the result of `tf.function(step)`, not `step` itself.",
        training(as_given),
    ),
    "rate as number": Wrong(
        "A repeated learning rate reuses its trace, but each new value of a Python number still "
        "triggers a new trace. Pass the rate as a tensor: `tf.constant(rate)`.",
        training(number=as_given),
    ),
    "compiled in loop": Wrong(
        "Python still runs the step for every learning rate, because you create a new "
        "`tf.function` each time. Create it once, above the loop, and call it with tensors "
        "of one shape and dtype.",
        compiled_for_every_rate,
    ),
    "traced before": Wrong(
        "Every count is 2, because the step was traced one time too many. Create one "
        "`tf.function`, and call it only with tensors of the same shape and dtype.",
        traced_before,
    ),
}

# 10.3


def epoch(
    y_of=lambda y, batch, first: tf.gather(y, batch),
    loss_of=lambda errors, size: tf.reduce_mean(errors**2),
    order_of=lambda order, x: order,
    firsts=lambda order, x, size: tf.range(0, len(order), size),
    move=lambda w, gradient, rate: w.assign_sub(rate * gradient),
):
    """Return an answer to 10.3 with one thing changed; a batch begins at each of ``firsts``."""

    def linear_epoch(w, x, y, order, batch_size, rate):
        indices = order_of(order, x)

        @tf.function
        def run():
            for first in firsts(order, x, batch_size):
                batch = indices[first : first + batch_size]
                with tf.GradientTape() as tape:
                    errors = tf.linalg.matvec(tf.gather(x, batch), w) - y_of(y, batch, first)
                    loss = loss_of(errors, batch_size)
                move(w, tape.gradient(loss, w), rate)

        run()
        return w

    return linear_epoch


def never_called(w, x, y, order, batch_size, rate):
    return w


def all_at_first_w(w, *call):
    epoch(move=lambda copy, gradient, rate: w.assign_sub(rate * gradient))(tf.Variable(w), *call)
    return w


def of_a_copy(w, *call):
    return epoch()(tf.Variable(w), *call)


@tf.function
def rebound(w, x, y, order, batch_size, rate):
    for first in tf.range(0, tf.size(order), batch_size):
        batch = order[first : first + batch_size]
        with tf.GradientTape() as tape:
            errors = tf.linalg.matvec(tf.gather(x, batch), w) - tf.gather(y, batch)
            loss = tf.reduce_mean(errors**2)
        w = w - rate * tape.gradient(loss, w)
    return w


def in_one_step(w, x, y, order, batch_size, rate):
    return epoch()(w, x, y, order, len(order), rate)


def all_in_each_step(indices):
    def linear_epoch(w, x, y, order, batch_size, rate):
        used = indices(order, x)

        @tf.function
        def run():
            for _ in tf.range(0, tf.size(order), batch_size):
                with tf.GradientTape() as tape:
                    errors = tf.linalg.matvec(tf.gather(x, used), w) - tf.gather(y, used)
                    loss = tf.reduce_mean(errors**2)
                w.assign_sub(rate * tape.gradient(loss, w))

        run()
        return w

    return linear_epoch


def moved_after_the_loop(w, x, y, order, batch_size, rate):
    last = tf.Variable(tf.zeros_like(w))
    epoch(move=lambda w, gradient, rate: last.assign(gradient))(w, x, y, order, batch_size, rate)
    w.assign_sub(rate * last)
    return w


def rebound_inside(w, x, y, order, batch_size, rate):
    @tf.function
    def run():
        for first in tf.range(0, tf.size(order), batch_size):
            batch = order[first : first + batch_size]
            rows = tf.gather(x, batch)
            with tf.GradientTape() as tape:
                errors = tf.linalg.matvec(rows, w) - tf.gather(y, batch)  # noqa: F823
                loss = tf.reduce_mean(errors**2)
            w = w - rate * tape.gradient(loss, w)  # noqa: F841

    run()
    return w


def ending(later):
    """Return an answer whose slices end later by so many indices."""
    taken = epoch(firsts=lambda order, x, length: tf.range(0, len(order), length - later))
    return lambda w, x, y, order, size, rate: taken(w, x, y, order, size + later, rate)


def divided_by_all(count):
    def linear_epoch(w, x, y, order, batch_size, rate):
        share = epoch(loss_of=lambda errors, size: tf.reduce_sum(errors**2) / count(order, x))
        return share(w, x, y, order, batch_size, rate)

    return linear_epoch


def twice(*call):
    epoch()(*call)
    return epoch()(*call)


EPOCHS = {
    "batches counted": Wrong(
        "`first` counts the batches, but you use it as an index, so the batches overlap. "
        "Increase it by `batch_size`: `tf.range(0, tf.size(order), batch_size)`.",
        epoch(firsts=lambda order, x, size: tf.range(len(order) // size)),
        epoch(firsts=lambda order, x, size: tf.range(-(-len(order) // size))),
    ),
    "w unchanged": Wrong(
        "`w` did not change: the function with the loop is never called, or no line in it updates "
        "`w`. Call this function, and use `w.assign_sub(rate * gradient)` inside its loop.",
        never_called,
    ),
    "last index left out": Wrong(
        "You leave out the last index of `order` if it is the only one in its batch. Let `first` "
        "run up to `tf.size(order)`.",
        epoch(firsts=lambda order, x, size: tf.range(0, len(order) - 1, size)),
    ),
    "short batch dropped": Wrong(
        "You leave out the short last batch. Let `first` run up to `tf.size(order)`; the slice "
        "ends where `order` ends.",
        epoch(firsts=lambda order, x, size: tf.range(0, len(order) - len(order) % size, size)),
        calls=(0, 1),
    ),
    "order of x": Wrong(
        "Your batches follow the order of `x`, not `order`. Slice `order` to get a batch's "
        "indices, then `tf.gather` those rows of `x` and `y`.",
        epoch(order_of=lambda order, x: tf.range(len(order))),
        epoch(order_of=lambda order, x: tf.range(len(x))),
        epoch(
            order_of=lambda order, x: tf.range(len(x)),
            firsts=lambda order, x, size: tf.range(0, len(x), size),
        ),
        calls=(0, 1),
    ),
    "indices sorted": Wrong(
        "You sorted the indices. Take each batch from `order` as it is.",
        epoch(order_of=lambda order, x: tf.sort(order)),
        calls=(0, 1),
    ),
    "labels by position": Wrong(
        "You gather the rows of `x` by index, but not those of `y`. Use `tf.gather(y, batch)` "
        "as well.",
        epoch(y_of=lambda y, batch, first: y[first : first + tf.size(batch)]),
        calls=(0, 1),
    ),
    "table of n by n": Wrong(
        "Your prediction or your target has shape (n, 1), so their difference broadcasts to (n, "
        "n). Give both the shape (n,): `tf.linalg.matvec(x, w)` has this shape.",
        epoch(y_of=lambda y, batch, first: tf.gather(y, batch)[:, None]),
        calls=(0, 1),
    ),
    "batches overlap": Wrong(
        "A batch starts at every index, so your batches overlap. Use `tf.range(0, "
        "tf.size(order), batch_size)` for `first`.",
        epoch(firsts=lambda order, x, size: tf.range(len(order))),
        calls=(0, 1),
    ),
    "climbs": Wrong(
        "`w` moves uphill. Subtract `rate * gradient` with `w.assign_sub`.",
        epoch(move=lambda w, gradient, rate: w.assign_add(rate * gradient)),
        calls=(0, 1),
    ),
    "rate missing": Wrong(
        "The learning rate is missing. Multiply the gradient by `rate`.",
        epoch(move=lambda w, gradient, rate: w.assign_sub(gradient)),
        calls=(0, 1),
    ),
    "sum of squares": Wrong(
        "Each step is too large by a factor of the number of examples in its batch, because "
        "you sum the squared errors. Average them with `tf.reduce_mean`.",
        epoch(loss_of=lambda errors, size: tf.reduce_sum(errors**2)),
        calls=(0, 1),
    ),
    "half the error": Wrong(
        "Each step is half of what it should be. Remove the factor 1/2.",
        epoch(loss_of=lambda errors, size: tf.reduce_mean(errors**2) / 2),
        calls=(0, 1),
    ),
    "divided by batch size": Wrong(
        "The step for the short batch is too small, because you divide by `batch_size`. Divide by "
        "the number of examples in the batch, as `tf.reduce_mean` does.",
        epoch(loss_of=lambda errors, size: tf.reduce_sum(errors**2) / size),
        calls=(0, 1),
    ),
    "absolute error": Wrong(
        "You use the mean absolute error. Square the errors.",
        epoch(loss_of=lambda errors, size: tf.reduce_mean(tf.abs(errors))),
        calls=(0, 1),
    ),
    "root of the loss": Wrong(
        "You take the square root of the mean squared error. Remove the square root.",
        epoch(loss_of=lambda errors, size: tf.sqrt(tf.reduce_mean(errors**2))),
        calls=(0, 1),
    ),
    "not squared": Wrong(
        "You use the mean error. Square the errors before you average them.",
        epoch(loss_of=lambda errors, size: tf.reduce_mean(errors)),
        epoch(loss_of=lambda errors, size: -tf.reduce_mean(errors)),
        calls=(0, 1),
    ),
    "squared too late": Wrong(
        "You square the mean of the errors, in which positive and negative errors cancel. "
        "Square each error first, then take the mean.",
        epoch(loss_of=lambda errors, size: tf.reduce_mean(errors) ** 2),
        calls=(0, 1),
    ),
    "divided by all": Wrong(
        "Each step is too small, because you divide by the total number of examples. Divide by the "
        "number in the batch, as `tf.reduce_mean` does.",
        divided_by_all(lambda order, x: len(order)),
        divided_by_all(lambda order, x: len(x)),
        calls=(0, 1),
    ),
    "divided twice": Wrong(
        "You divide the mean by the number of examples again. `tf.reduce_mean` already "
        "divides, so remove your division.",
        epoch(loss_of=lambda errors, size: tf.reduce_mean(errors**2) / size),
        calls=(0, 1),
    ),
    "set to the step": Wrong(
        "You set `w` to the step, so its old value is lost. Subtract the step with "
        "`w.assign_sub(rate * gradient)`.",
        epoch(move=lambda w, gradient, rate: w.assign(rate * gradient)),
        epoch(move=lambda w, gradient, rate: w.assign(-rate * gradient)),
    ),
    "moved after the loop": Wrong(
        "You take only one step, with the gradient of the last batch. Update `w` inside the "
        "loop, after the `with` block.",
        moved_after_the_loop,
    ),
    "all in each step": Wrong(
        "Each step uses all the examples. From `x` and `y`, gather only the rows in `batch`, the "
        "slice of `order`.",
        all_in_each_step(lambda order, x: order),
        all_in_each_step(lambda order, x: tf.range(len(x))),
        calls=(0, 1),
    ),
    "slice ends elsewhere": Wrong(
        "Your slices do not contain `batch_size` indices. A slice does not include the index at "
        "which it ends, so use `order[first : first + batch_size]`.",
        ending(-1),
        ending(1),
        calls=(0, 1),
    ),
    "first left out": Wrong(
        "You never use the first indices of `order`. Let `first` start at 0.",
        epoch(firsts=lambda order, x, size: tf.range(1, len(order), size)),
        epoch(firsts=lambda order, x, size: tf.range(size, len(order), size)),
        calls=(0, 1),
    ),
    "epoch twice": Wrong(
        "You run the epoch twice. Call the function that contains the loop only once, and return "
        "`w`.",
        twice,
    ),
    "w rebound": Wrong(
        "`w = ...` makes `w` a local name in the inner function, and this name has no value yet. "
        "Update the variable instead: `w.assign_sub(rate * gradient)`.",
        rebound_inside,
    ),
    "unequal rows": Wrong(
        "You combine two vectors of different lengths. Use the same indices for both: "
        "`tf.gather(x, batch)` and `tf.gather(y, batch)`.",
        epoch(y_of=lambda y, batch, first: y[first : first + 5]),
    ),
    "all at first w": Wrong(
        "You compute all gradients at the initial `w`. Compute each prediction from the current "
        "`w`.",
        all_at_first_w,
        calls=(0, 1),
    ),
    "one step on all": Wrong(
        "You take one step on all the examples in `order`. Slice `order` into batches: "
        "`order[first : first + batch_size]`.",
        in_one_step,
        calls=(0, 1),
    ),
    "only first batch": Wrong(
        "You use only the first batch. Let `first` run up to `tf.size(order)`, end each slice "
        "at `first + batch_size`, and return `w` after the loop.",
        epoch(firsts=lambda order, x, size: tf.range(1)),
        calls=(0, 1),
    ),
    "gradient is none": Wrong(
        "The gradient is `None`. Compute the loss inside the `with` block, and keep the "
        "variable: use `w.assign_sub(rate * gradient)`, not `w = w - ...`, which makes `w` "
        "a plain tensor.",
        rebound,
    ),
    "copy of w": Wrong(
        "Your return value is right, but the variable `w` did not change, because you updated "
        "a copy or a NumPy array. Update `w` itself: `w.assign_sub(rate * gradient)`.",
        of_a_copy,
    ),
}

# 10.4


def pipeline(chain):
    """Return an answer to 10.4; ``chain`` gets a dataset, decode, the batch size and n."""

    def two_epochs(numbers, decode, batch_size):
        dataset = tf.data.Dataset.from_tensor_slices(numbers)
        dataset = chain(dataset, decode, batch_size, len(numbers))
        return [list(dataset), list(dataset)]

    return two_epochs


def cached(chain):
    return pipeline(lambda d, decode, b, n: chain(d.map(decode).cache(), b, n))


def one_epoch(*call):
    return cached(lambda d, b, n: d.shuffle(n).batch(b))(*call)[0]


def one_list(*call):
    return [one_epoch(*call)] * 2


PIPELINES = {
    "not batched": Wrong(
        "Your epochs contain single numbers, not batches. Add `batch(batch_size)` after the "
        "shuffle, and keep its result.",
        cached(lambda d, b, n: d.shuffle(n)),
    ),
    "not decoded": Wrong(
        "Your batches contain raw numbers, because `decode` never ran. Call `map(decode)` before "
        "the cache.",
        pipeline(lambda d, decode, b, n: d.cache().shuffle(n).batch(b)),
    ),
    "decoded twice": Wrong(
        "You decode numbers that are already decoded. Keep only one `map(decode)`, before the "
        "cache.",
        pipeline(lambda d, decode, b, n: d.map(decode).cache().shuffle(n).batch(b).map(decode)),
    ),
    "batches of batches": Wrong(
        "You batch twice. Batch once, after the shuffle; if `decode` takes batches, put "
        "`unbatch()` between the map and the shuffle.",
        pipeline(lambda d, decode, b, n: d.batch(b).map(decode).cache().shuffle(n).batch(b)),
    ),
    "one epoch": Wrong(
        "You returned the batches of only one epoch. Go through the dataset twice: "
        "`[list(dataset), list(dataset)]`.",
        one_epoch,
    ),
    "short batch dropped": Wrong(
        "One of your epochs has too few numbers. Keep the short last batch, and use the whole "
        "dataset.",
        cached(lambda d, b, n: d.shuffle(n).batch(b, drop_remainder=True)),
        calls=(1,),
    ),
    "numbers repeated": Wrong(
        "One of your epochs does not contain each decoded number exactly once. Remove `repeat` and "
        "anything else that changes the numbers, and do not pass `cache` a file name: the file "
        "keeps the numbers of earlier calls.",
        cached(lambda d, b, n: d.repeat(2).shuffle(2 * n).batch(b)),
        calls=(1,),
    ),
    "result not kept": Wrong(
        "Both epochs contain the raw numbers, because `map`, `cache`, `shuffle` and `batch` "
        "return a new dataset instead of changing the old one. Keep the result: `dataset = "
        "dataset.map(decode)`.",
        pipeline(lambda dataset, *_: dataset),
    ),
    "nothing shuffled": Wrong(
        "Your numbers come in their original order. Add `shuffle`, and keep its result: it "
        "returns a new dataset.",
        cached(lambda d, b, n: d.batch(b)),
        calls=(1,),
    ),
    "batches shuffled": Wrong(
        "You shuffle whole batches, so each batch still has neighboring numbers. Put `shuffle` "
        "before `batch`.",
        cached(lambda d, b, n: d.batch(b).shuffle(n)),
        calls=(1,),
    ),
    "other batch size": Wrong(
        "Your batches do not have `batch_size` numbers; only the last one may be shorter. "
        "Batch once, with `batch_size`, after the shuffle.",
        cached(lambda d, b, n: d.shuffle(n).batch(b // 2)),
    ),
    "one list twice": Wrong(
        "You return the list of the first epoch twice. Go through the dataset once per epoch: "
        "`[list(dataset), list(dataset)]`.",
        one_list,
    ),
    "one fixed order": Wrong(
        "The second epoch repeats the order of the first, because of "
        "`reshuffle_each_iteration=False`. Remove it, and keep `shuffle` after `cache`.",
        cached(lambda d, b, n: d.shuffle(n, reshuffle_each_iteration=False).batch(b)),
    ),
    "shuffle before cache": Wrong(
        "The second epoch repeats the order of the first, because a cache stores its input in "
        "that order. Put `shuffle` after `cache`.",
        pipeline(lambda d, decode, b, n: d.map(decode).shuffle(n).cache().batch(b)),
    ),
    "small buffer": Wrong(
        "The shuffle buffer is too small for all the numbers, so the order is only partly "
        "random. Use `shuffle(len(numbers))`.",
        cached(lambda d, b, n: d.shuffle(n - 1).batch(b)),
        calls=(1,),
    ),
    "decoded again": Wrong(
        "The orders are right, but `decode` runs again in the second epoch. Put `cache` after "
        "`map`, and go through this same dataset twice.",
        pipeline(lambda d, decode, b, n: d.cache().map(decode).shuffle(n).batch(b)),
    ),
}

MISTAKES = {"10.1": TRACES, "10.2": SCHEDULES, "10.3": EPOCHS, "10.4": PIPELINES}

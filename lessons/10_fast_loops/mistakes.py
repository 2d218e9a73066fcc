"""Wrong answers to the questions of lesson 10, and what each is told."""

import tensorflow as tf

from course_utils.exercises import Table, Wrong

# 10.1

TRACES = Table(
    {
        1: "There is more than one kind of call: batches of 64, 40 and 8, with True and with False.",
        2: "Two would be the values of the flag, or the batch sizes of the training. Count the "
        "different pairs of a batch size and a flag.",
        3: "Three batch sizes, 64, 40 and 8. But 64 comes with True and with False, and a Python "
        "value such as a flag counts by its value.",
        5: "One too many: the optimizer was built before, so the first call is traced once. And "
        "an epoch like the one before it adds none.",
        6: "Not every batch size comes with both flags: 40 only with True, 8 only with False.",
        10: "The later epochs repeat the calls of the first. A call like an earlier one makes no "
        "new trace.",
        16: "These are the batches of the training, in one epoch. A call like an earlier one makes "
        "no new trace.",
        20: "These are the calls of one epoch, or four traces in each of five. A call like an "
        "earlier one makes no new trace, in the same epoch or a later one.",
        100: "This is the number of calls. A call like an earlier one makes no new trace.",
    },
    "{value} is not it. Count the different pairs of a batch size and a flag.",
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
        "These are the losses alone. Return what the step returned for each rate, a pair of loss "
        "and count.",
        without_counts,
    ),
    "only one step": Wrong(
        "Your list has one item, whatever the number of rates. Append what the step returns in "
        "each pass of the loop, and return the list after it.",
        training(of=lambda rates: rates[:1]),
    ),
    "first rate kept": Wrong(
        "Every step uses the first rate. Either it became a constant of the graph, or its tensor was "
        "made once. In the loop, make a tensor of each rate, and hand it over as an argument of the "
        "compiled step.",
        with_the_first_rate,
    ),
    "rate not one number": Wrong(
        "What a step gets as its rate is no single number, of shape (). Call it for each rate in a "
        "loop, in this order: compiled_step(x, y, tf.constant(rate)).",
        lambda step, x, y, rates: tf.function(step)(x, y, tf.constant(rates)),
        training(number=lambda rate: tf.constant([rate])),
        lambda step, x, y, rates: [tf.function(step)(tf.constant(r), x, y) for r in rates],
    ),
    "x and y exchanged": Wrong(
        "x and y are exchanged: the step takes x, then y, and then the rate.",
        lambda step, x, y, rates: training()(step, y, x, rates),
    ),
    "rates reversed": Wrong(
        "The steps are taken in reverse. Take the rates in the order of the list.",
        training(of=lambda rates: rates[::-1]),
    ),
    "rate as integer": Wrong(
        "The loss never changes, as if every rate were 0. Pass the rate as a float tensor, such as "
        "tf.constant(rate).",
        training(number=lambda rate: tf.constant(int(rate))),
    ),
    "step not compiled": Wrong(
        "The step runs without being compiled. Call what tf.function(step) returned, and not step "
        "itself.",
        training(as_given),
    ),
    "rate as number": Wrong(
        "Better: a rate that comes back finds its old trace. But a Python number counts by its "
        "value, so each new rate is still traced anew. Pass it as a tensor.",
        training(number=as_given),
    ),
    "compiled in loop": Wrong(
        "Python still runs the step for every rate, even for one that came before. Make one "
        "tf.function of step, above the loop, and call that in the loop with tensors of one shape "
        "and dtype.",
        compiled_for_every_rate,
    ),
    "traced before": Wrong(
        "Every count is 2, so the step was traced once more, before or at the first rate. Make one "
        "tf.function of step, and pass it tensors of the same shape and dtype each time.",
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
        "`first` counts the batches, and the slice begins at that number, so that batches overlap. "
        "Let it go in steps of batch_size: tf.range(0, tf.size(order), batch_size).",
        epoch(firsts=lambda order, x, size: tf.range(len(order) // size)),
        epoch(firsts=lambda order, x, size: tf.range(-(-len(order) // size))),
    ),
    "w unchanged": Wrong(
        "w did not change. Either the function that holds the loop is never called, or no step in "
        "it changes w: w.assign_sub(rate * gradient).",
        never_called,
    ),
    "last index left out": Wrong(
        "The last index of order is missing where it is a batch of its own. Let `first` run up to "
        "tf.size(order).",
        epoch(firsts=lambda order, x, size: tf.range(0, len(order) - 1, size)),
    ),
    "short batch dropped": Wrong(
        "The short last batch is missing. Let `first` run up to tf.size(order): a slice ends where "
        "the order ends.",
        epoch(firsts=lambda order, x, size: tf.range(0, len(order) - len(order) % size, size)),
        calls=(0, 1),
    ),
    "order of x": Wrong(
        "These are the batches in the order of x. Take the slices from `order`, and the rows of x "
        "and y by them, with tf.gather.",
        epoch(order_of=lambda order, x: tf.range(len(order))),
        epoch(order_of=lambda order, x: tf.range(len(x))),
        epoch(
            order_of=lambda order, x: tf.range(len(x)),
            firsts=lambda order, x, size: tf.range(0, len(x), size),
        ),
        calls=(0, 1),
    ),
    "indices sorted": Wrong(
        "Your batches are sorted. Take the indices as they stand in `order`.",
        epoch(order_of=lambda order, x: tf.sort(order)),
        calls=(0, 1),
    ),
    "labels by position": Wrong(
        "The rows of x come by their index, but those of y do not: y must be gathered by the same "
        "indices.",
        epoch(y_of=lambda y, batch, first: y[first : first + tf.size(batch)]),
        calls=(0, 1),
    ),
    "table of n by n": Wrong(
        "Look at the shapes: a prediction of shape (n, 1) minus (n,) is a table of n by n. "
        "tf.linalg.matvec(x, w) has shape (n,).",
        epoch(y_of=lambda y, batch, first: tf.gather(y, batch)[:, None]),
        calls=(0, 1),
    ),
    "batches overlap": Wrong(
        "A batch starts at every index, so that they overlap. Let `first` go in steps of "
        "batch_size: tf.range(0, tf.size(order), batch_size).",
        epoch(firsts=lambda order, x, size: tf.range(len(order))),
        calls=(0, 1),
    ),
    "climbs": Wrong(
        "w moves uphill: subtract rate * gradient, with w.assign_sub.",
        epoch(move=lambda w, gradient, rate: w.assign_add(rate * gradient)),
        calls=(0, 1),
    ),
    "rate missing": Wrong(
        "The rate is missing: each step is rate times the gradient.",
        epoch(move=lambda w, gradient, rate: w.assign_sub(gradient)),
        calls=(0, 1),
    ),
    "sum of squares": Wrong(
        "Each step is too large by the number of examples in its batch. Take the mean of the "
        "squared errors, with tf.reduce_mean, not their sum.",
        epoch(loss_of=lambda errors, size: tf.reduce_sum(errors**2)),
        calls=(0, 1),
    ),
    "half the error": Wrong(
        "Each step is half of what it should be: leave out the factor 1/2.",
        epoch(loss_of=lambda errors, size: tf.reduce_mean(errors**2) / 2),
        calls=(0, 1),
    ),
    "divided by batch size": Wrong(
        "The step of the short batch is too small: its mean is over its own examples, not over "
        "batch_size.",
        epoch(loss_of=lambda errors, size: tf.reduce_sum(errors**2) / size),
        calls=(0, 1),
    ),
    "absolute error": Wrong(
        "These are steps of the mean absolute error. Square the errors.",
        epoch(loss_of=lambda errors, size: tf.reduce_mean(tf.abs(errors))),
        calls=(0, 1),
    ),
    "root of the loss": Wrong(
        "These are steps of the root of the mean squared error. Leave the root out.",
        epoch(loss_of=lambda errors, size: tf.sqrt(tf.reduce_mean(errors**2))),
        calls=(0, 1),
    ),
    "not squared": Wrong(
        "These are steps of the mean error. Square the errors before you take their mean.",
        epoch(loss_of=lambda errors, size: tf.reduce_mean(errors)),
        epoch(loss_of=lambda errors, size: -tf.reduce_mean(errors)),
        calls=(0, 1),
    ),
    "squared too late": Wrong(
        "You square the mean of the errors, in which those of either sign cancel. Square each "
        "error first, and then take the mean.",
        epoch(loss_of=lambda errors, size: tf.reduce_mean(errors) ** 2),
        calls=(0, 1),
    ),
    "divided by all": Wrong(
        "Each step is too small by the share of its batch in all the examples. Divide by the number "
        "in the batch alone, as tf.reduce_mean does.",
        divided_by_all(lambda order, x: len(order)),
        divided_by_all(lambda order, x: len(x)),
        calls=(0, 1),
    ),
    "divided twice": Wrong(
        "The mean is divided by the number of examples once more. tf.reduce_mean does so already.",
        epoch(loss_of=lambda errors, size: tf.reduce_mean(errors**2) / size),
        calls=(0, 1),
    ),
    "set to the step": Wrong(
        "w is set to the step, and loses what it was. w.assign_sub(rate * gradient) subtracts it.",
        epoch(move=lambda w, gradient, rate: w.assign(rate * gradient)),
        epoch(move=lambda w, gradient, rate: w.assign(-rate * gradient)),
    ),
    "moved after the loop": Wrong(
        "Only one step is taken, by the gradient of the last batch. Move w in the loop, below the "
        "`with` block.",
        moved_after_the_loop,
    ),
    "all in each step": Wrong(
        "Each step is taken on all the examples. Gather `batch`, the slice of order, from x and "
        "from y.",
        all_in_each_step(lambda order, x: order),
        all_in_each_step(lambda order, x: tf.range(len(x))),
        calls=(0, 1),
    ),
    "slice ends elsewhere": Wrong(
        "A batch does not hold batch_size indices. A slice ends before its second number: "
        "order[first : first + batch_size].",
        ending(-1),
        ending(1),
        calls=(0, 1),
    ),
    "first left out": Wrong(
        "The first indices of order are never used. Let `first` begin at 0.",
        epoch(firsts=lambda order, x, size: tf.range(1, len(order), size)),
        epoch(firsts=lambda order, x, size: tf.range(size, len(order), size)),
        calls=(0, 1),
    ),
    "epoch twice": Wrong(
        "The epoch runs twice. Call the function that holds the loop once, and return w.",
        twice,
    ),
    "w rebound": Wrong(
        "`w = ...` makes w a name of the inner function, which has no value yet. Change the "
        "variable itself: w.assign_sub(rate * gradient).",
        rebound_inside,
    ),
    "unequal rows": Wrong(
        "Two vectors of different lengths meet in one batch. Take the rows of x and of y by the "
        "same indices: tf.gather(x, batch) and tf.gather(y, batch).",
        epoch(y_of=lambda y, batch, first: y[first : first + 5]),
    ),
    "all at first w": Wrong(
        "All your gradients are taken at the first w. Compute each prediction from w as the step "
        "before left it.",
        all_at_first_w,
        calls=(0, 1),
    ),
    "one step on all": Wrong(
        "This is one step on all the examples of order. Slice it: order[first : first + "
        "batch_size].",
        in_one_step,
        calls=(0, 1),
    ),
    "only first batch": Wrong(
        "Only the first batch was used. Let `first` run up to tf.size(order), end each slice at "
        "first + batch_size, and return w after the loop.",
        epoch(firsts=lambda order, x, size: tf.range(1)),
        calls=(0, 1),
    ),
    "gradient is none": Wrong(
        "The gradient is None. Ask for tape.gradient(loss, w), of a loss computed inside the `with` "
        "block. `w = w - ...` would make w a plain tensor, which no tape watches: keep the "
        "variable, with w.assign_sub(rate * gradient).",
        rebound,
    ),
    "copy of w": Wrong(
        "What you return is right, but the variable w is as it was: the steps went to a copy, or "
        "to a NumPy array. In a loop of the graph, change w itself: w.assign_sub(rate * gradient).",
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
        "The epochs hold single numbers, not batches. Add batch(batch_size) after the shuffle, and "
        "keep what it returns.",
        cached(lambda d, b, n: d.shuffle(n)),
    ),
    "not decoded": Wrong(
        "The batches hold raw numbers: decode never ran. Keep map(decode), before the cache.",
        pipeline(lambda d, decode, b, n: d.cache().shuffle(n).batch(b)),
    ),
    "decoded twice": Wrong(
        "decode got what it had already decoded. Keep one map(decode), before the cache.",
        pipeline(lambda d, decode, b, n: d.map(decode).cache().shuffle(n).batch(b).map(decode)),
    ),
    "batches of batches": Wrong(
        "Batches are batched again. Batch once, after the shuffle; or, where decode takes batches, "
        "put unbatch() between the map and the shuffle.",
        pipeline(lambda d, decode, b, n: d.batch(b).map(decode).cache().shuffle(n).batch(b)),
    ),
    "one epoch": Wrong(
        "You returned the batches of one epoch. Go through the dataset twice: [list(dataset), "
        "list(dataset)].",
        one_epoch,
    ),
    "short batch dropped": Wrong(
        "An epoch should hold all of the numbers, and one of yours holds fewer. Keep the short "
        "last batch, and do not take a part.",
        cached(lambda d, b, n: d.shuffle(n).batch(b, drop_remainder=True)),
        calls=(1,),
    ),
    "numbers repeated": Wrong(
        "An epoch should hold each number once, as decode returned it, and one of yours does not. "
        "Leave out repeat and other changes, and name no file in cache: it would still hold the "
        "numbers of an earlier call.",
        cached(lambda d, b, n: d.repeat(2).shuffle(2 * n).batch(b)),
        calls=(1,),
    ),
    "result not kept": Wrong(
        "Both epochs hold the numbers as they came, neither decoded nor in batches. map, cache, "
        "shuffle and batch leave the dataset as it is, and return a new one: keep it, as in "
        "dataset = dataset.map(decode).",
        pipeline(lambda dataset, *_: dataset),
    ),
    "nothing shuffled": Wrong(
        "Nothing is shuffled: the numbers come as they stand. Add shuffle, and keep what it "
        "returns: it does not change the dataset that it is called on.",
        cached(lambda d, b, n: d.batch(b)),
        calls=(1,),
    ),
    "batches shuffled": Wrong(
        "The batches come in another order, but each still holds neighbours: whole batches are "
        "shuffled. Put shuffle before batch.",
        cached(lambda d, b, n: d.batch(b).shuffle(n)),
        calls=(1,),
    ),
    "other batch size": Wrong(
        "A batch should hold batch_size numbers, and only the last may hold fewer. Batch once, by "
        "batch_size, and after the shuffle.",
        cached(lambda d, b, n: d.shuffle(n).batch(b // 2)),
    ),
    "one list twice": Wrong(
        "The second epoch is the list of the first, given twice. Go through the dataset once for "
        "each epoch: [list(dataset), list(dataset)].",
        one_list,
    ),
    "one fixed order": Wrong(
        "The second epoch repeats the order of the first, for reshuffle_each_iteration=False says "
        "so. Leave it out, and let shuffle stand after cache.",
        cached(lambda d, b, n: d.shuffle(n, reshuffle_each_iteration=False).batch(b)),
    ),
    "shuffle before cache": Wrong(
        "The second epoch repeats the order of the first. What comes into a cache is kept in its "
        "order: put shuffle after cache, and let it draw anew in each epoch.",
        pipeline(lambda d, decode, b, n: d.map(decode).shuffle(n).cache().batch(b)),
    ),
    "small buffer": Wrong(
        "The buffer of shuffle has no room for all the numbers, so that an order is not drawn over "
        "all of them. Let it hold len(numbers).",
        cached(lambda d, b, n: d.shuffle(n - 1).batch(b)),
        calls=(1,),
    ),
    "decoded again": Wrong(
        "The orders are right, but decode runs again in the second epoch. Put cache behind map, "
        "and go twice through this one dataset: a second one would decode anew.",
        pipeline(lambda d, decode, b, n: d.cache().map(decode).shuffle(n).batch(b)),
    ),
}

MISTAKES = {"10.1": TRACES, "10.2": SCHEDULES, "10.3": EPOCHS, "10.4": PIPELINES}

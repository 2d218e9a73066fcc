import numpy as np
import tensorflow as tf

from answers import ERROR, Answers, Wrong


def is_small(e, d):
    return tf.abs(e) <= d


def square(e, d):
    return e**2 / 2


def line(e, d):
    return d * (tf.abs(e) - d / 2)


def huber_of(inside=square, outside=line, test=is_small, sources=None, **options):
    """Return an answer to 05.1 with other branches, another condition, or other sources."""

    def huber_gradients(error, threshold):
        with tf.GradientTape() as tape:
            if test(error, threshold):
                loss = inside(error, threshold)
            else:
                loss = outside(error, threshold)
        found = sources(error, threshold) if sources else {"error": error, "threshold": threshold}
        return tape.gradient(loss, found, **options)

    return huber_gradients


@tf.function
def huber_in_a_graph(error, threshold):
    with tf.GradientTape() as tape:
        if tf.abs(error) <= threshold:
            loss = tf.square(error) / 2
        else:
            loss = threshold * tf.abs(error) - threshold**2 / 2
    return tape.gradient(loss, {"error": error, "threshold": threshold})


def huber_by_where(error, threshold):
    with tf.GradientTape() as tape:
        loss = tf.where(is_small(error, threshold), square(error, 0), line(error, threshold))
    return tape.gradient(loss, {"error": error, "threshold": threshold})


def huber_by_hand(error, threshold):
    e, d = float(error), float(threshold)
    if abs(e) <= d:
        return {"error": e, "threshold": None}
    return {"error": np.sign(e) * d, "threshold": abs(e) - d}


def huber_loss(error, threshold):
    return square(error, threshold) if is_small(error, threshold) else line(error, threshold)


def huber_exchanged(error, threshold):
    gradients = huber_of(unconnected_gradients="zero")(error, threshold)
    return {"error": gradients["threshold"], "threshold": gradients["error"]}


def huber_without_return(error, threshold):
    huber_of()(error, threshold)


def huber_decided_outside(error, threshold):
    loss = huber_loss(error, threshold)
    with tf.GradientTape() as tape:
        pass
    return tape.gradient(loss, {"error": error, "threshold": threshold})


def huber_with_a_copy_of_the_error(error, threshold):
    return huber_of(lambda e, d: square(e.numpy(), d) + 0 * d, lambda e, d: line(e.numpy(), d))(
        error, threshold
    )


def huber_of_floats(error, threshold):
    e, d = float(error), float(threshold)
    with tf.GradientTape() as tape:
        loss = square(e, d) if abs(e) <= d else d * (abs(e) - d / 2)
    return tape.gradient(loss, {"error": error, "threshold": threshold})


@tf.function
def huber_with_one_branch(error, threshold):
    with tf.GradientTape() as tape:
        if tf.abs(error) > threshold:
            loss = line(error, threshold)
    return tape.gradient(loss, {"error": error, "threshold": threshold})


def dataset_answer(combine, **options):
    """Return an answer to 05.3 from what ``combine`` makes of the batches' losses and gradients."""

    def sum_and_gradient(w, dataset):
        losses, gradients = [], []
        for x, y in dataset:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((w * x - y) ** 2)
            losses.append(loss)
            gradients.append(tape.gradient(loss, w))
        return combine(losses, gradients)

    return sum_and_gradient


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


def sum_in_eager_mode(w, dataset):
    with tf.GradientTape() as tape:
        total = sum(tf.reduce_sum((w * x - y) ** 2) for x, y in dataset)
    return total, tape.gradient(total, w)


@tf.function
def sum_still_around_the_loop(w, dataset):
    total = tf.zeros(())
    with tf.GradientTape() as tape:
        tape.watch(w)
        for x, y in dataset:
            total = total + tf.reduce_sum((w * x - y) ** 2)
    return total, tape.gradient(total, w)


@tf.function
def sum_by_reduce(w, dataset):
    with tf.GradientTape() as tape:
        total = dataset.reduce(0.0, lambda s, pair: s + tf.reduce_sum((w * pair[0] - pair[1]) ** 2))
    return total, tape.gradient(total, w)


@tf.function
def sum_with_zeros_for_none(w, dataset):
    with tf.GradientTape() as tape:
        total = 0.0
        for x, y in dataset:
            total += tf.reduce_sum((w * x - y) ** 2)
    return total, tape.gradient(total, w, unconnected_gradients="zero")


@tf.function
def sum_with_the_last_gradient(w, dataset):
    total, gradient = 0.0, tf.zeros_like(w)
    for x, y in dataset:
        with tf.GradientTape() as tape:
            total += tf.reduce_sum((w * x - y) ** 2)
        gradient = tape.gradient(total, w)
    return total, gradient


@tf.function
def sum_with_a_python_list(w, dataset):
    gradients, total = [], 0.0
    for x, y in dataset:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((w * x - y) ** 2)
        gradients.append(tape.gradient(loss, w))
        total += loss
    return total, tf.add_n(gradients)


def means_of_batches_and_gradient(w, dataset):
    total, gradient = 0.0, 0.0
    for x, y in dataset:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((w * x - y) ** 2)
        total += loss
        gradient += tape.gradient(loss, w)
    return total, gradient


@tf.function
def sum_by_reduce_of_pairs(w, dataset):
    def add(state, batch):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((w * batch[0] - batch[1]) ** 2)
        return state[0] + loss, state[1] + tape.gradient(loss, w)

    return dataset.reduce((0.0, 0.0), add)


def mean_and_gradient(w, dataset):
    x, y = (tf.concat(parts, axis=0) for parts in zip(*dataset, strict=True))
    with tf.GradientTape() as tape:
        mean = tf.reduce_mean((w * x - y) ** 2)
    return mean, tape.gradient(mean, w)


def sum_without_return(w, dataset):
    sum_in_eager_mode(w, dataset)


def kepler_of(iterate, sources=None):
    """Return an answer to 05.4 that finds E by ``iterate(M, e)`` under the tape."""

    def kepler_gradients(M, e):
        with tf.GradientTape() as tape:
            E = iterate(M, e)
        return tape.gradient(E, sources(M, e) if sources else {"M": M, "e": e})

    return kepler_gradients


def passes(number, sign=1):
    def iterate(M, e):
        E = M
        for _ in range(number):
            E = M + sign * e * tf.sin(E)
        return E

    return iterate


def passes_from_zero(number):
    def iterate(M, e):
        E = tf.zeros_like(M)
        for _ in range(number):
            E = M + e * tf.sin(E)
        return E

    return iterate


def until_it_solves(M, e, tolerance=1e-9):
    E = M + 0.0
    while tf.abs(M + e * tf.sin(E) - E) > tolerance:
        E = M + e * tf.sin(E)
    return E


def until_it_solves_and_once_more(M, e):
    return M + e * tf.sin(until_it_solves(M, e))


def until_nothing_changes(M, e):
    E, change = M, 1.0
    while change > 1e-10:
        new = M + e * tf.sin(E)
        change, E = abs(new - E), new
    return E


def newton(M, e):
    E = tf.identity(M)
    for _ in range(20):
        E = E - (E - e * tf.sin(E) - M) / (1 - e * tf.cos(E))
    return E


def with_assign(M, e):
    E = tf.Variable(M)
    for _ in range(60):
        E.assign(M + e * tf.sin(E))
    return E


def with_numpy(M, e):
    E = M
    for _ in range(60):
        E = M + e * np.sin(E)
    return E


def last_pass_of_numbers(M, e):
    E = float(M)
    for _ in range(60):
        E = float(M + e * np.sin(E))
    return M + e * tf.sin(tf.constant(E, tf.float64))


@tf.function
def kepler_in_a_graph(M, e):
    with tf.GradientTape() as tape:
        E = tf.identity(M)
        for _ in tf.range(60):
            E = M + e * tf.sin(E)
    return tape.gradient(E, {"M": M, "e": e})


@tf.function
def kepler_in_a_graph_until_it_solves(M, e):
    return kepler_of(until_it_solves)(M, e)


def kepler_exchanged(M, e):
    found = kepler_of(passes(60))(M, e)
    return {"M": found["e"], "e": found["M"]}


def kepler_by_hand(M, e):
    E = passes(60)(M, e)
    return {"M": 1 / (1 - e * np.cos(E)), "e": tf.sin(E) / (1 - e * tf.cos(E))}


def kepler_in_float32(M, e):
    with tf.GradientTape() as tape:
        E = tf.constant(0.0)
        for _ in range(60):
            E = M + e * tf.sin(E)
    return tape.gradient(E, {"M": M, "e": e})


ANSWERS = {
    "05.1": Answers(
        right=[
            huber_in_a_graph,
            huber_by_where,
            huber_by_hand,
            huber_of(test=lambda e, d: e**2 <= d**2),
            huber_of(*[lambda e, d: (m := tf.minimum(tf.abs(e), d)) * (tf.abs(e) - m / 2)] * 2),
            tf.function(huber_of(unconnected_gradients="zero")),
        ],
        wrong=[
            Wrong(huber_without_return, "Return the dict of gradients: tape.gradient(loss, ...)"),
            Wrong(huber_of(sources=lambda e, d: [e, d]), "in the structure of the sources"),
            Wrong(huber_of(sources=lambda e, d: e), 'Pass {"error": error, "threshold": thres'),
            Wrong(huber_of(sources=lambda e, d: {"error": e}), "The dict has error; it needs"),
            Wrong(huber_loss, "a dict with the keys error and threshold was asked for"),
            Wrong(lambda e, d: {"error": e + [1.0], "threshold": d}, "you returned a tensor of"),
            Wrong(huber_decided_outside, "respect to error is None"),
            Wrong(huber_with_a_copy_of_the_error, "not from error.numpy()"),
            Wrong(huber_of(outside=lambda e, d: line(e, d.numpy())), "threshold is None"),
            Wrong(huber_of(outside=lambda e, d: line(e, 1.5) + 0 * d), "Compare both branches"),
            Wrong(huber_of(outside=square), "gradients of error**2 / 2 for every input"),
            Wrong(huber_of(inside=line), "straight branch for every input"),
            Wrong(huber_of(inside=line, outside=square), "The branches are exchanged"),
            Wrong(huber_of(test=lambda e, d: e <= d), "compare tf.abs(error), not error"),
            Wrong(huber_of(outside=lambda e, d: d * (e - d / 2)), "take tf.abs(error)"),
            Wrong(huber_of(inside=lambda e, d: e**2), "the factor 1/2 is missing"),
            Wrong(huber_of(outside=lambda e, d: d * (abs(e) - d)), "is subtracted whole"),
            Wrong(huber_of(outside=lambda e, d: d * abs(e)), "term -threshold / 2 is missing"),
            Wrong(
                huber_of(outside=lambda e, d: line(e, d.numpy()), unconnected_gradients="zero"),
                "0 for every input",
            ),
            Wrong(lambda e, d: {"error": 0.5, "threshold": 0.0}, "For error = -5 and threshold"),
            Wrong(huber_of_floats, "is a plain number", ERROR),
            Wrong(
                huber_of(
                    test=lambda e, d: abs(e) <= 1,
                    inside=lambda e, d: square(e, d) + 0 * d,
                ),
                "For error = -1.6 and threshold = 2.5",
            ),
            Wrong(huber_exchanged, "under each other's keys"),
            Wrong(huber_with_one_branch, "must also be initialized", ERROR),
        ],
    ),
    "05.2": Answers(
        right=[4.0, np.int64(4), tf.constant(4)],
        wrong=[
            Wrong(0, "The first call cannot run"),
            Wrong(1, "if only dtypes counted"),
            Wrong(2, "There are more"),
            Wrong(3, "One is missing"),
            Wrong(5, "One too many"),
            Wrong(6, "one for each call"),
            Wrong(7, "each traces at most once: 7 cannot be"),
            Wrong(-1, "-1 cannot be"),
            Wrong([1, 1, 2, 3, 4, 4], "Write one whole number"),
            Wrong(4.5, "Write one whole number"),
        ],
    ),
    "05.3": Answers(
        right=[
            sum_with_an_iterator,
            sum_of_totals_in_the_tape,
            sum_in_eager_mode,
            sum_by_reduce_of_pairs,
            dataset_answer(lambda losses, gradients: (np.sum(losses), sum(gradients))),
        ],
        wrong=[
            Wrong(sum_still_around_the_loop, "The gradient is still None"),
            Wrong(sum_by_reduce, "or its reduce"),
            Wrong(sum_without_return, "Your function returned None"),
            Wrong(dataset_answer(lambda losses, g: sum(losses)), "Return two things"),
            Wrong(dataset_answer(lambda losses, g: {"sum": 1.0}), "a dict of 1 item"),
            Wrong(dataset_answer(lambda losses, g: (sum(losses), tf.stack(g))), "one number"),
            Wrong(dataset_answer(lambda losses, g: (sum(g), sum(losses))), "exchanged"),
            Wrong(sum_with_zeros_for_none, "A zero in place of None"),
            Wrong(sum_with_the_last_gradient, "the gradient of the last batch"),
            Wrong(dataset_answer(lambda losses, g: (sum(losses), g[0])), "first batch alone"),
            Wrong(dataset_answer(lambda losses, g: (losses[0], g[0])), "Return after the loop, no"),
            Wrong(dataset_answer(lambda losses, g: (losses[-1], g[-1])), "the loss and the grad"),
            Wrong(
                dataset_answer(lambda losses, g: (sum(losses), sum(g) / len(g))),
                "the mean of the batches' gradients",
            ),
            Wrong(dataset_answer(lambda losses, g: (sum(losses),) * 2), "the sum twice"),
            Wrong(mean_and_gradient, "are averaged"),
            Wrong(means_of_batches_and_gradient, "the mean errors of the batches, added up"),
            Wrong(dataset_answer(lambda losses, g: (sum(losses) / 2, sum(g))), "the sum is"),
            Wrong(dataset_answer(lambda losses, g: (sum(losses), -sum(g))), "the gradient is"),
            Wrong(sum_with_a_python_list, "out of scope", ERROR),
        ],
    ),
    "05.4": Answers(
        right=[
            kepler_in_a_graph,
            kepler_by_hand,
            kepler_of(newton),
            kepler_of(until_nothing_changes),
            kepler_of(until_it_solves_and_once_more),
            kepler_of(passes_from_zero(60)),
        ],
        wrong=[
            Wrong(lambda M, e: None, "tape.gradient(E, ...), the target first"),
            Wrong(kepler_of(passes(60), lambda M, e: [M, e]), "in the structure of the sources"),
            Wrong(kepler_of(passes(60), lambda M, e: {"M": M}), "The dict has M; it needs"),
            Wrong(passes(60), "a dict with the keys M and e was asked for"),
            Wrong(kepler_of(with_assign), "neither assign nor"),
            Wrong(kepler_of(with_numpy), "the slopes of the last pass alone"),
            Wrong(kepler_of(last_pass_of_numbers), "the slopes of the last pass alone"),
            Wrong(kepler_of(until_it_solves), "right except at e = 0"),
            Wrong(kepler_in_a_graph_until_it_solves, "right except at e = 0"),
            Wrong(kepler_of(passes(1)), "after 1 pass, counted from E = M"),
            Wrong(kepler_of(lambda M, e: M + e * tf.sin(M)), "with the sine of the E before it"),
            Wrong(kepler_of(lambda M, e: M + tf.sin(M)), "respect to e is None for every input"),
            Wrong(kepler_of(passes(3)), "after 3 passes, counted"),
            Wrong(kepler_of(passes_from_zero(5)), "after 4 passes, counted"),
            Wrong(kepler_of(lambda M, e: until_it_solves(M, e, 0.1)), "stops too early"),
            Wrong(lambda M, e: dict.fromkeys("Me", passes(60)(M, e)), "This is E itself"),
            Wrong(kepler_of(passes(60, sign=-1)), "with a plus"),
            Wrong(kepler_exchanged, "under each other's keys"),
            Wrong(lambda M, e: {"M": 1.37, "e": 1.1}, "For M = "),
            Wrong(kepler_in_float32, "double and float meet here", ERROR),
        ],
    ),
}

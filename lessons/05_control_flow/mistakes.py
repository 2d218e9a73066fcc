"""Wrong answers to the questions of lesson 05, and what each is told."""

import numpy as np
import tensorflow as tf

from course_utils.exercises import Table, Wrong

# 05.1


def small(e, d):
    return tf.abs(e) <= d


def square(e, d):
    return e**2 / 2


def line(e, d):
    return d * (tf.abs(e) - d / 2)


def huber(inside=square, outside=line, test=small, sources=None, **options):
    """Return an answer to 05.1 with other branches, another condition, or other sources."""

    def huber_gradients(error, threshold):
        with tf.GradientTape() as tape:
            branch = inside if test(error, threshold) else outside
            loss = branch(error, threshold)
        found = sources(error, threshold) if sources else {"error": error, "threshold": threshold}
        return tape.gradient(loss, found, **options)

    return huber_gradients


def decided_outside(error, threshold):
    loss = line(error, threshold)
    with tf.GradientTape() as tape:
        pass
    return tape.gradient(loss, {"error": error, "threshold": threshold})


def exchanged_keys(**options):
    return lambda error, threshold: dict(
        zip(["threshold", "error"], huber(**options)(error, threshold).values(), strict=True)
    )


def threshold_as_number(e, d):
    return line(e, d.numpy())


def of_absolute_value(error, threshold):
    with tf.GradientTape() as tape:
        size = tf.abs(error)
        loss = square(size, threshold) if small(size, threshold) else line(size, threshold)
    return tape.gradient(loss, {"error": size, "threshold": threshold})


def without_sign(error, threshold):
    found = huber()(error, threshold)
    return found if small(error, threshold) else {**found, "error": abs(found["error"])}


def returned_above_only(error, threshold):
    return None if small(error, threshold) else huber()(error, threshold)


HUBER = {
    "sources as list": Wrong(
        "You returned a list, because gradients come back in the structure of the sources. "
        'Pass `{"error": error, "threshold": threshold}` as the second argument.',
        huber(sources=lambda e, d: [e, d]),
        huber(sources=lambda e, d: [e, d], unconnected_gradients="zero"),
    ),
    "one number": Wrong(
        'You returned one number, but the exercise asks for a dict. Pass `{"error": error, '
        '"threshold": threshold}` to `tape.gradient` as the second argument.',
        huber(sources=lambda e, d: e),
    ),
    "error has no path": Wrong(
        "The gradient with respect to `error` is `None`. Compute the whole loss inside the "
        "`with` block, including the absolute value, from `error` itself and not "
        "`error.numpy()` or `float(error)`.",
        decided_outside,
        huber(lambda e, d: square(e.numpy(), d) + 0 * d, lambda e, d: line(e.numpy(), d)),
    ),
    "threshold has no path": Wrong(
        "If |error| is above the threshold, your gradient with respect to `threshold` is "
        "`None`, but the loss depends on it. Use `threshold` itself inside the `with` "
        "block.",
        huber(outside=threshold_as_number),
    ),
    "square everywhere": Wrong(
        "You use `error**2 / 2` for every input. If |error| is above the threshold, use the "
        "linear branch.",
        huber(outside=square),
        huber(outside=square, unconnected_gradients="zero"),
    ),
    "parentheses lost": Wrong(
        "In the linear branch you compute `threshold * |error| - threshold / 2`. Add the "
        "parentheses: `threshold * (|error| - threshold / 2)`.",
        huber(outside=lambda e, d: d * tf.abs(e) - d / 2),
    ),
    "line everywhere": Wrong(
        "You use the linear branch for every input. If |error| is at most the threshold, use "
        "`error**2 / 2`.",
        huber(inside=line),
    ),
    "branches exchanged": Wrong(
        "The branches are swapped. Use the square if |error| <= threshold.",
        huber(inside=line, outside=square),
    ),
    "square above 0 alone": Wrong(
        "A small negative error takes the linear branch. Use the square for every |error| <= "
        "threshold, on both sides of 0.",
        huber(test=lambda e, d: 0 < e <= d),
    ),
    "sign in the condition": Wrong(
        "A large negative error takes the wrong branch. Compare `tf.abs(error)`, not `error`, "
        "with the threshold.",
        huber(test=lambda e, d: e <= d),
    ),
    "sign in the line": Wrong(
        "Your gradients are right for large positive errors, but not for large negative ones. "
        "Use `tf.abs(error)` in the linear branch.",
        huber(outside=lambda e, d: d * (e - d / 2)),
    ),
    "half missing": Wrong(
        "In the quadratic branch the factor 1/2 is missing. If |error| is at most the threshold, "
        "the loss is `error**2 / 2`.",
        huber(inside=lambda e, d: e**2),
    ),
    "threshold subtracted whole": Wrong(
        "In the linear branch you subtract the whole threshold. Subtract half of it: "
        "`threshold * (|error| - threshold / 2)`.",
        huber(outside=lambda e, d: d * (abs(e) - d)),
    ),
    "all of it halved": Wrong(
        "In the linear branch you halve the whole difference. Halve only the threshold in it: "
        "`threshold * (|error| - threshold / 2)`.",
        huber(outside=lambda e, d: d * (abs(e) - d) / 2),
    ),
    "of the absolute value": Wrong(
        "This is the gradient with respect to |error|, which has the wrong sign for negative "
        "errors. Give `tf.abs(error)` a new name, and use `error` itself as the source.",
        of_absolute_value,
    ),
    "sign of the slope": Wrong(
        "For a large negative error your gradient with respect to `error` is +threshold, but it "
        "should be -threshold. Let the tape differentiate `tf.abs(error)`, and do not change the "
        "sign of the result.",
        without_sign,
    ),
    "square in the condition": Wrong(
        "Some small errors, such as error = -1.6 with threshold = 2.5, take the linear branch. "
        "Compare |error| with the threshold, not its square.",
        huber(test=lambda e, d: e**2 <= d),
    ),
    "returned above only": Wrong(
        "If |error| is at most the threshold, your function returns `None` instead of a dict. "
        "Move the `return` below both branches, out of the `else`.",
        returned_above_only,
    ),
    "last term missing": Wrong(
        "In the linear branch the term `-threshold / 2` is missing, or the tape did not record "
        "it. Compute `threshold * (|error| - threshold / 2)` inside the `with` block.",
        huber(outside=lambda e, d: d * abs(e)),
    ),
    "factor of the line missing": Wrong(
        "In the linear branch the factor `threshold` is missing. Compute `threshold * (|error| "
        "- threshold / 2)`.",
        huber(outside=lambda e, d: abs(e) - d / 2),
    ),
    "zero for none": Wrong(
        "The gradient with respect to `threshold` is 0 for every input: a `None` was replaced by "
        "0, but the path is still missing. Use `threshold` itself in the linear branch, inside "
        "the `with` block.",
        huber(outside=threshold_as_number, unconnected_gradients="zero"),
    ),
    "fixed threshold": Wrong(
        "Your condition compares |error| with a fixed number. Compare it with `threshold`, "
        "which differs from call to call.",
        huber(test=lambda e, d: abs(e) <= 1, inside=lambda e, d: square(e, d) + 0 * d),
        huber(test=lambda e, d: abs(e) <= 1),
    ),
    "keys exchanged": Wrong(
        "The two gradients are swapped. Put each under the key of its own source.",
        exchanged_keys(),
        exchanged_keys(unconnected_gradients="zero"),
    ),
}

# 05.2

TRACES = Table(
    {
        0: "0 is too few. The first call has no graph to run yet, so it must trace.",
        1: "One trace would be enough if only the dtype of the tensor mattered. But a new "
        "shape, a new value of a Python number, and a tensor in place of a number each "
        "need a new trace.",
        2: "2 is too few. Besides a new shape, a new value of a Python number needs a trace, and "
        "so does a tensor in place of a number.",
        3: "3 is one too few. A new shape, a new value of a Python number, and a tensor in "
        "place of a number each need a new trace.",
        5: "5 is one too many. Two calls share a trace if they differ only in the values of "
        "their tensors.",
        6: "6 would be one trace per call. But two calls share a trace if they differ only in "
        "the values of their tensors.",
    },
    "{value} is not possible: there are six calls, and each traces once or not at all. Write an "
    "integer from 0 to 6.",
)

# 05.3


def batchwise(combine, reduce=tf.reduce_sum):
    """Return an answer to 05.3 from what ``combine`` makes of the losses and gradients."""

    def sum_and_gradient(w, dataset):
        losses, gradients = [], []
        for x, y in dataset:
            with tf.GradientTape() as tape:
                loss = reduce((w * x - y) ** 2)
            losses.append(loss)
            gradients.append(tape.gradient(loss, w))
        return combine(losses, gradients)

    return sum_and_gradient


def batch_by_batch(squares):
    """Return an answer to 05.3 with other squares."""

    def sum_and_gradient(w, dataset):
        total, slope = 0.0, 0.0
        for x, y in dataset:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(squares(w, x, y))
            total, slope = total + loss, slope + tape.gradient(loss, w)
        return total, slope

    return sum_and_gradient


def averaged(w, dataset):
    count = sum(len(x) for x, _ in dataset)
    return batchwise(lambda losses, g: (sum(losses) / count, sum(g) / count))(w, dataset)


def stepping(lr):
    """Return an answer to 05.3 that moves w after each batch."""

    def sum_and_gradient(w, dataset):
        total, slope = 0.0, 0.0
        for x, y in dataset:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((w * x - y) ** 2)
            gradient = tape.gradient(loss, w)
            w.assign_sub(lr * gradient)
            total, slope = total + loss, slope + gradient
        return total, slope

    return sum_and_gradient


def stepping_by_the_sum(lr):
    """Return an answer to 05.3 that moves w by the sum of the gradients so far."""

    def sum_and_gradient(w, dataset):
        total, slope = 0.0, 0.0
        for x, y in dataset:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((w * x - y) ** 2)
            total, slope = total + loss, slope + tape.gradient(loss, w)
            w.assign_sub(lr * slope)
        return total, slope

    return sum_and_gradient


def sum_started_at_w(w, dataset):
    total, slope = batchwise(lambda losses, g: (sum(losses), sum(g)))(w, dataset)
    return total, slope + w


def doubled(gradients):
    total = 0.0
    for gradient in gradients:
        total += total + gradient
    return total


def kept_from_before(w, dataset):
    total, slope = batchwise(lambda losses, g: (sum(losses), sum(g)))(w, dataset)
    before = (35.0, 44.0) if float(w) == -2.0 else (0.0, 0.0)  # of the first call
    return total + before[0], slope + before[1]


def of_the_errors(w, dataset):
    total, _ = batchwise(lambda losses, g: (sum(losses), sum(g)))(w, dataset)
    return total, sum(tf.reduce_sum(x) for x, _ in dataset)


def gradients_of_means(w, dataset):
    _, slope = batchwise(lambda losses, g: (sum(losses), sum(g)), tf.reduce_mean)(w, dataset)
    total, _ = batchwise(lambda losses, g: (sum(losses), sum(g)))(w, dataset)
    return total, slope


@tf.function
def asked_below_the_loop(w, dataset):
    total = 0.0
    for x, y in dataset:
        with tf.GradientTape() as tape:
            total += tf.reduce_sum((w * x - y) ** 2)
    return total, tape.gradient(total, w)


DATASET = {
    "asked below the loop": Wrong(
        "Each iteration creates its own tape, and after a loop in a `tf.function` none of them "
        "exists. Call `tape.gradient` inside the loop, and add the result to a sum that "
        "starts at `tf.zeros_like(w)`.",
        asked_below_the_loop,
    ),
    "no pair": Wrong(
        "Your function did not return two things. Return the sum, then its gradient with "
        "respect to `w`.",
        batchwise(lambda losses, g: sum(losses)),
    ),
    "y forgotten": Wrong(
        "Your loss does not contain `y`. The error is `w * x - y`: square it, and sum the squares.",
        batch_by_batch(lambda w, x, y: (w * x) ** 2),
    ),
    "order exchanged": Wrong(
        "The two return values are swapped. Return the sum first, then its gradient.",
        batchwise(lambda losses, g: (sum(g), sum(losses))),
    ),
    "last batch only": Wrong(
        "Your sum is the loss of only the last batch. Add each batch's loss and gradient to "
        "the previous ones.",
        batchwise(lambda losses, g: (losses[-1], g[-1])),
    ),
    "first batch only": Wrong(
        "Your sum is the loss of only the first batch. Loop over all batches, and return after "
        "the loop, not inside it.",
        batchwise(lambda losses, g: (losses[0], g[0])),
    ),
    "sum never grows": Wrong(
        "Your sum is 0 for every dataset, because no batch's loss is added to it. Write `total "
        "+= loss` inside the loop.",
        batchwise(lambda losses, g: (0.0, sum(g))),
        batchwise(lambda losses, g: (0.0, g[-1])),
    ),
    "w moved": Wrong(
        "You update `w` after each batch, so each batch uses a different `w`. Remove the update, "
        "so that all batches use the same `w`.",
        *(step(lr) for step in (stepping, stepping_by_the_sum) for lr in (0.1, 0.01, 0.001)),
    ),
    "kept from before": Wrong(
        "The first call of your function is right, but the second call adds to the sums from the "
        "first. Start both sums at 0 inside the function.",
        kept_from_before,
        calls=(0, 1),
    ),
    "gradient of the errors": Wrong(
        "This is the gradient of the sum of the errors, without the square. Pass "
        "`tape.gradient` the sum of the squared errors.",
        of_the_errors,
    ),
    "mean of all": Wrong(
        "You average the squared errors. Keep `tf.reduce_sum`, as in the exercise.",
        averaged,
    ),
    "total of means": Wrong(
        "You divide the total by the number of batches. Return the sum.",
        batchwise(lambda losses, g: (sum(losses) / len(losses), sum(g))),
        batchwise(lambda losses, g: (sum(losses) / len(losses), sum(g) / len(g))),
    ),
    "mean of batches": Wrong(
        "You average within each batch. Keep `tf.reduce_sum` in the loss, as in the exercise.",
        batchwise(lambda losses, g: (sum(losses), sum(g)), tf.reduce_mean),
    ),
    "gradients of means": Wrong(
        "Your sum is right, but you differentiate the mean squared error of each batch. "
        "Differentiate the sum of the squared errors instead.",
        gradients_of_means,
    ),
    "gradient still lost": Wrong(
        "The gradient is still `None`: in a graph, a loop over a dataset (or `reduce`) is one "
        "operation without a gradient. Put the `with` block inside the loop, and sum the "
        "gradients.",
        batchwise(lambda losses, g: (sum(losses), None)),
    ),
    "zero for none": Wrong(
        "The gradient is 0 for every dataset: a `None` was replaced by 0, so the bug is still "
        "there. Put the `with` block inside the loop, and sum the gradients.",
        batchwise(lambda losses, g: (sum(losses), 0.0)),
    ),
    "last gradient only": Wrong(
        "This is the gradient of only the last batch: each iteration overwrites it. Add each "
        "batch's gradient to the previous ones.",
        batchwise(lambda losses, g: (sum(losses), g[-1])),
    ),
    "first gradient only": Wrong(
        "This is the gradient of only the first batch. Sum the gradients of all batches, and "
        "return after the loop.",
        batchwise(lambda losses, g: (sum(losses), g[0])),
    ),
    "mean of gradients": Wrong(
        "You averaged the gradients of the batches. Add them: the gradient of a sum is the sum of "
        "the gradients.",
        batchwise(lambda losses, g: (sum(losses), sum(g) / len(g))),
    ),
    "sum twice": Wrong(
        "You returned the sum twice. Return the sum of the gradients as the second value.",
        batchwise(lambda losses, g: (sum(losses), sum(losses))),
    ),
    "gradients of running sums": Wrong(
        "Your gradient counts the earlier batches more than once, because each iteration adds the "
        "gradient of the running sum. Differentiate only the loss of the current batch.",
        batchwise(lambda losses, g: (sum(losses), sum(np.cumsum(g)))),
    ),
    "sum doubled": Wrong(
        "You add the sum of the gradients to itself in each iteration. `+=` already keeps the old "
        "sum, so add only the gradient of the current batch.",
        batchwise(lambda losses, g: (sum(losses), doubled(g))),
    ),
    "sum started at w": Wrong(
        "Your gradient is too large by `w`, because its sum starts there. Start it at "
        "`tf.zeros_like(w)`.",
        sum_started_at_w,
    ),
    "gradients not added": Wrong(
        "You returned one gradient per batch. Add them, and return one number.",
        batchwise(lambda losses, g: (sum(losses), tf.stack(g))),
    ),
}

# 05.4


def kepler(iterate, sources=None, **options):
    """Return an answer to 05.4 that finds E by ``iterate(M, e)`` under the tape."""

    def kepler_gradients(M, e):
        with tf.GradientTape() as tape:
            E = iterate(M, e)
        return tape.gradient(E, sources(M, e) if sources else {"M": M, "e": e}, **options)

    return kepler_gradients


def passes(number, sign=1, function=tf.sin):
    def iterate(M, e):
        E = M
        for _ in range(number):
            E = M + sign * e * function(E)
        return E

    return iterate


def assigned(M, e):
    E = tf.Variable(M)
    for _ in range(60):
        E.assign(M + e * tf.sin(E))
    return E


def another_M(M, e):
    with tf.GradientTape() as tape:
        tape.watch(M)  # what the name stands for in the end is not watched
        for _ in range(60):
            M = M + e * tf.sin(M)
    return tape.gradient(M, {"M": M, "e": e})


def until_solved(M, e):
    E = M + 0.0
    while tf.abs(M + e * tf.sin(E) - E) > 1e-9:
        E = M + e * tf.sin(E)
    return E


def solved_and_once_more(M, e):
    return M + e * tf.sin(until_solved(M, e))


def until_still(M, e, tolerance):
    E, change = M, 1.0
    while change > tolerance:
        new = M + e * tf.sin(E)
        change, E = abs(new - E), new
    return E


def special_at_zero(M, e):
    return kepler(passes(60))(M, e) if float(e) else {"M": 1.0, "e": 0.0}


def exchanged_slopes(M, e):
    found = kepler(passes(60))(M, e)
    return {"M": found["e"], "e": found["M"]}


def growing(M, e):
    E = M
    for _ in range(60):
        E = E + e * tf.sin(E)
    return E


def added_to(M, e):
    E = M
    E += e * tf.sin(E)
    return E


def tape_in_each_pass(M, e):
    E, total = tf.identity(M), {"M": 0.0, "e": 0.0}
    for _ in range(60):
        with tf.GradientTape() as tape:
            E = M + e * tf.sin(E)
        found = tape.gradient(E, {"M": M, "e": e})
        total = {key: total[key] + found[key] for key in total}
    return total


def by_formula(of_e=lambda E, below: tf.sin(E) / below, below=lambda E, e: 1 - e * tf.cos(E), n=60):
    """Return an answer to 05.4 by another formula, or at another E."""

    def kepler_gradients(M, e):
        E = passes(n)(M, e)
        return {"M": 1 / below(E, e), "e": of_e(E, below(E, e))}

    return kepler_gradients


def cosine_of_M(M, e):
    E = passes(60)(M, e)
    below = 1 - e * tf.cos(M)
    return {"M": 1 / below, "e": tf.sin(E) / below}


def exchanged_passes(M, e):
    E = M
    for _ in range(60):
        E = e + M * tf.sin(E)
    return E


def without_M(M, e):
    E = M
    for _ in range(60):
        E = e * tf.sin(E)
    return E


def residual_of_60(M, e):
    E = passes(60)(M, e)
    return E - e * tf.sin(E) - M


KEPLER = {
    "sources as list": Wrong(
        "You returned a list, because gradients come back in the structure of the sources. "
        'Pass `{"M": M, "e": e}` as the second argument.',
        kepler(passes(60), lambda M, e: [M, e]),
    ),
    "one number": Wrong(
        "You returned one number, but the exercise asks for a dict. Return `tape.gradient(E, "
        '{"M": M, "e": e})`.',
        passes(60),
    ),
    "M has no path": Wrong(
        "The gradient with respect to `M` is `None` for every input. Compute E from `M` inside "
        "the `with` block, with tensors throughout: `assign`, `.numpy()` and NumPy "
        "functions all break the path.",
        kepler(assigned),
        kepler(lambda M, e: passes(60)(M.numpy(), e)),
    ),
    "e has no path": Wrong(
        "The gradient with respect to `e` is `None` for every input. Compute E from `e` inside "
        "the `with` block, with tensors throughout: `assign`, `.numpy()` and NumPy "
        "functions all break the path.",
        kepler(lambda M, e: M + tf.sin(M)),
    ),
    "M given a new value": Wrong(
        "Your loop rebinds the name `M`, so your source is the result of the last iteration. "
        "Keep `M`, and change only `E`: `E = M + e * tf.sin(E)`.",
        another_M,
    ),
    "no pass at zero": Wrong(
        "At e = 0 the gradient with respect to `e` should be sin(M), but yours is 0 or `None`. "
        "Your stopping test ends the loop there before E depends on `e`: run a fixed "
        "number of iterations.",
        kepler(until_solved),
        kepler(until_solved, unconnected_gradients="zero"),
        calls=(2, 4),  # how soon it stops elsewhere is a matter of its tolerance
    ),
    "nothing at e = 0": Wrong(
        "At e = 0 the gradient with respect to `e` should be sin(M), but yours is 0 or `None`. "
        "E depends on `e` there as well, so iterate as for any other `e`.",
        special_at_zero,
    ),
    "one pass more": Wrong(
        "At M = 0 the gradient with respect to `M` should be 1 / (1 - e), but yours is 1 + e. With "
        "your stopping test, only one iteration runs there: run a fixed number of iterations.",
        kepler(solved_and_once_more),
    ),
    "one pass": Wrong(
        "These are the slopes after one iteration. Run 60 iterations, each with the sine of the "
        "previous E.",
        kepler(passes(1)),
    ),
    "too few passes": Wrong(
        "You run too few iterations: for `e` up to 0.6 the slopes still change. Run a fixed "
        "number, such as 60; a stopping test on E may stop before the slopes are accurate.",
        *(kepler(passes(n)) for n in range(2, 21)),
        *(kepler(lambda M, e, t=t: until_still(M, e, t)) for t in (0.1, 0.01, 1e-3, 1e-4, 1e-5)),
    ),
    "last pass only": Wrong(
        "These are the slopes of only the last iteration, because the tape treats the E inside the "
        "sine as a constant. Keep all iterations inside the `with` block, and apply `tf.sin` to "
        "the tensor E, without NumPy, `math`, `float()` or `stop_gradient`.",
        kepler(passes(60, function=np.sin)),
    ),
    "tape in each pass": Wrong(
        "You use one tape per iteration and add the gradients. But each iteration uses the "
        "previous E, so record all of them on one tape.",
        tape_in_each_pass,
    ),
    "denominator missing": Wrong(
        'The gradient under `"M"` is right, but the one under `"e"` is sin E. Divide it by 1 - '
        "e * cos E.",
        by_formula(of_e=lambda E, below: tf.sin(E)),
    ),
    "E above": Wrong(
        'The gradient under `"M"` is right, but the one under `"e"` is E / (1 - e * cos E). '
        "Divide sin E, not E.",
        by_formula(of_e=lambda E, below: E / below),
    ),
    "cosine of M": Wrong(
        "You divide by 1 - e * cos M. Use the E after 60 iterations: divide by 1 - e * cos E.",
        cosine_of_M,
    ),
    "formula at M": Wrong(
        "Your formulas are right, but you use M in place of E. First find E with 60 iterations, "
        "then use its sine and cosine.",
        by_formula(n=0),
    ),
    "e missing below": Wrong(
        "You divide by 1 - cos E, without `e`. Divide by 1 - e * cos E.",
        by_formula(below=lambda E, e: 1 - tf.cos(E)),
    ),
    "plus below": Wrong(
        "You divide by 1 + e * cos E. Divide by 1 - e * cos E: differentiate both sides of E - "
        "e * sin E = M.",
        by_formula(below=lambda E, e: 1 + e * tf.cos(E)),
    ),
    "M missing": Wrong(
        "Your slopes are almost 0: `M` is missing from your iterations, or you differentiate "
        "the residual instead of E. Iterate `M + e * tf.sin(E)`, and return the gradient "
        "of E.",
        kepler(without_M),
        kepler(residual_of_60),
    ),
    "M and e exchanged": Wrong(
        "You compute `e + M * tf.sin(E)`, with `M` and `e` swapped. Compute `M + e * tf.sin(E)`.",
        kepler(exchanged_passes),
        calls=(0,),  # for larger M the passes do not settle
    ),
    "anomaly returned": Wrong(
        'You returned E itself. Return `tape.gradient(E, {"M": M, "e": e})`.',
        lambda M, e: dict.fromkeys("Me", passes(60)(M, e)),
    ),
    "minus for plus": Wrong(
        "You subtract `e * tf.sin(E)`. Add it: `E = M + e * tf.sin(E)`.",
        kepler(passes(60, sign=-1)),
    ),
    "keys exchanged": Wrong(
        "The two gradients are swapped. Put each under the key of its own source.", exchanged_slopes
    ),
    "E in place of M": Wrong(
        "You add e * sin(E) to the previous E. Start each iteration from `M`: `E = M + e * "
        "tf.sin(E)`.",
        kepler(growing),
    ),
    "variable added to": Wrong(
        "`+=` does not work on a `tf.Variable`, and at first `E` is the variable `M` itself. Write "
        "`E = M + e * tf.sin(E)` instead.",
        kepler(added_to),
    ),
    "cosine for sine": Wrong(
        "You iterate with cos(E). Use the sine: `E = M + e * tf.sin(E)`.",
        kepler(passes(60, function=tf.cos)),
    ),
}


MISTAKES = {"05.1": HUBER, "05.2": TRACES, "05.3": DATASET, "05.4": KEPLER}

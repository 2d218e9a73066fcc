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
        "Gradients come back in the structure of the sources, and yours come back as a list. Pass "
        '{"error": error, "threshold": threshold} as the second argument.',
        huber(sources=lambda e, d: [e, d]),
        huber(sources=lambda e, d: [e, d], unconnected_gradients="zero"),
    ),
    "one number": Wrong(
        "You returned one number; a dict with the keys error and threshold was asked for. Pass "
        '{"error": error, "threshold": threshold} as the second argument of tape.gradient.',
        huber(sources=lambda e, d: e),
    ),
    "error has no path": Wrong(
        "The gradient with respect to error is None. Compute the loss from error itself, not from "
        "error.numpy() or float(error), and all of it inside the `with` block, the absolute value "
        "too.",
        decided_outside,
        huber(lambda e, d: square(e.numpy(), d) + 0 * d, lambda e, d: line(e.numpy(), d)),
    ),
    "threshold has no path": Wrong(
        "Where |error| is above the threshold, the gradient with respect to threshold is None. "
        "There the loss depends on it: use threshold itself, inside the `with` block.",
        huber(outside=threshold_as_number),
    ),
    "square everywhere": Wrong(
        "These are the gradients of error**2 / 2 for every input. Where |error| is above the "
        "threshold, the other branch must run.",
        huber(outside=square),
        huber(outside=square, unconnected_gradients="zero"),
    ),
    "parentheses lost": Wrong(
        "Above the threshold these are the gradients of threshold * |error| - threshold / 2. Put the "
        "parentheses: threshold * (|error| - threshold / 2).",
        huber(outside=lambda e, d: d * tf.abs(e) - d / 2),
    ),
    "line everywhere": Wrong(
        "These are the gradients of the straight branch for every input. Where |error| is at most "
        "the threshold, the loss is error**2 / 2.",
        huber(inside=line),
    ),
    "branches exchanged": Wrong(
        "The branches are exchanged: the square is for |error| <= threshold.",
        huber(inside=line, outside=square),
    ),
    "square above 0 alone": Wrong(
        "A small negative error takes the line. The square is for every |error| <= threshold, on both "
        "sides of 0.",
        huber(test=lambda e, d: 0 < e <= d),
    ),
    "sign in the condition": Wrong(
        "A large negative error takes the wrong branch: compare tf.abs(error), not error, with "
        "the threshold.",
        huber(test=lambda e, d: e <= d),
    ),
    "sign in the line": Wrong(
        "For errors above the threshold it is right, and for those below -threshold it is not. "
        "The straight branch has |error| in it: take tf.abs(error).",
        huber(outside=lambda e, d: d * (e - d / 2)),
    ),
    "half missing": Wrong(
        "Inside the threshold the loss is error**2 / 2; the factor 1/2 is missing.",
        huber(inside=lambda e, d: e**2),
    ),
    "threshold subtracted whole": Wrong(
        "In the straight branch the threshold is subtracted whole: it is "
        "threshold * (|error| - threshold / 2).",
        huber(outside=lambda e, d: d * (abs(e) - d)),
    ),
    "all of it halved": Wrong(
        "In the straight branch the whole difference is halved. Only the threshold in it is: "
        "threshold * (|error| - threshold / 2).",
        huber(outside=lambda e, d: d * (abs(e) - d) / 2),
    ),
    "of the absolute value": Wrong(
        "Your gradient is the one with respect to |error|: for negative errors it has the wrong "
        "sign. Give tf.abs(error) a name of its own, and ask for error itself.",
        of_absolute_value,
    ),
    "sign of the slope": Wrong(
        "In the straight branch, the gradient with respect to error is the threshold also for "
        "negative errors. There |error| falls as error grows: the slope is -threshold.",
        without_sign,
    ),
    "square in the condition": Wrong(
        "The straight branch runs for some errors inside the threshold, such as error = -1.6 with "
        "threshold = 2.5. Compare |error| with threshold, and not its square.",
        huber(test=lambda e, d: e**2 <= d),
    ),
    "returned above only": Wrong(
        "Where |error| is at most the threshold, your function returns None in place of a dict. "
        "The return belongs below both branches, and not into the else.",
        returned_above_only,
    ),
    "last term missing": Wrong(
        "In the straight branch the term -threshold / 2 is missing, or the tape did not see it.",
        huber(outside=lambda e, d: d * abs(e)),
    ),
    "factor of the line missing": Wrong(
        "In the straight branch the factor threshold is missing: it is "
        "threshold * (|error| - threshold / 2).",
        huber(outside=lambda e, d: abs(e) - d / 2),
    ),
    "zero for none": Wrong(
        "The gradient with respect to threshold is 0 for every input. Above the threshold, the "
        "loss depends on it: a zero in place of None hides that the tape did not see it.",
        huber(outside=threshold_as_number, unconnected_gradients="zero"),
    ),
    "fixed threshold": Wrong(
        "The condition compares |error| with a fixed number. Compare it with threshold, which "
        "differs from call to call.",
        huber(test=lambda e, d: abs(e) <= 1, inside=lambda e, d: square(e, d) + 0 * d),
        huber(test=lambda e, d: abs(e) <= 1),
    ),
    "keys exchanged": Wrong(
        "The two gradients stand under each other's keys.",
        exchanged_keys(),
        exchanged_keys(unconnected_gradients="zero"),
    ),
}

# 05.2

TRACES = Table(
    {
        0: "The first call cannot run a graph that does not exist yet: it traces.",
        1: "One trace would do if only the tensor's dtype counted. A new shape, a new value of a "
        "Python number, and a tensor in place of a number each need another.",
        2: "There are more. Besides a new shape, a new value of a Python number needs a trace, and "
        "so does a tensor in place of a number.",
        3: "One is missing. A new shape, a new value of a Python number, and a tensor in place of "
        "a number: each needs a trace.",
        5: "One too many. Two calls share a trace if they differ only in the values of their "
        "tensors.",
        6: "That would be one for each call. But two calls share a trace if they differ only in "
        "the values of their tensors.",
    },
    "There are six calls, and each traces once or not at all: {value} cannot be. Write a whole "
    "number.",
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


def kept_from_before(w, dataset):
    total, slope = batchwise(lambda losses, g: (sum(losses), sum(g)))(w, dataset)
    before = (35.0, 44.0) if float(w) == -2.0 else (0.0, 0.0)  # of the first call
    return total + before[0], slope + before[1]


def of_the_errors(w, dataset):
    total, _ = batchwise(lambda losses, g: (sum(losses), sum(g)))(w, dataset)
    return total, sum(tf.reduce_sum(x) for x, _ in dataset)


@tf.function
def asked_below_the_loop(w, dataset):
    total = 0.0
    for x, y in dataset:
        with tf.GradientTape() as tape:
            total += tf.reduce_sum((w * x - y) ** 2)
    return total, tape.gradient(total, w)


DATASET = {
    "asked below the loop": Wrong(
        "Each pass makes a tape of its own, and below a graph's loop there is none of them. Ask the "
        "tape in its pass, and add what it gives to a sum that starts at tf.zeros_like(w).",
        asked_below_the_loop,
    ),
    "no pair": Wrong(
        "Your function returned something else than two things. Return two, in this order: the "
        "sum, and its gradient with respect to w.",
        batchwise(lambda losses, g: sum(losses)),
    ),
    "y forgotten": Wrong(
        "y is not in your loss. An error is w * x - y, and its square is summed.",
        batch_by_batch(lambda w, x, y: (w * x) ** 2),
    ),
    "order exchanged": Wrong(
        "The two are exchanged: return the sum first, then its gradient.",
        batchwise(lambda losses, g: (sum(g), sum(losses))),
    ),
    "last batch only": Wrong(
        "The sum is the loss of the last batch. Add each batch's loss, and its gradient, to what "
        "came before.",
        batchwise(lambda losses, g: (losses[-1], g[-1])),
    ),
    "first batch only": Wrong(
        "The sum belongs to the first batch alone. Loop over all of them, and return after the "
        "loop, not in it.",
        batchwise(lambda losses, g: (losses[0], g[0])),
    ),
    "sum never grows": Wrong(
        "The sum is 0 for every dataset: no batch's loss gets into it. In each pass, add the loss "
        "to it, too: total += loss.",
        batchwise(lambda losses, g: (0.0, sum(g))),
        batchwise(lambda losses, g: (0.0, g[-1])),
    ),
    "w moved": Wrong(
        "w moves after each batch, so that the batches are measured with different w. The sum and "
        "its gradient belong to one w: make no step.",
        *(stepping(lr) for lr in (0.1, 0.01, 0.001)),
    ),
    "kept from before": Wrong(
        "The first call is right, and the second adds its batches to the sum that the first one left. "
        "Start both sums anew in each call, inside the function.",
        kept_from_before,
        calls=(0, 1),
    ),
    "gradient of the errors": Wrong(
        "The gradient is that of the sum of the errors, not of their squares. Give the tape's "
        "gradient the loss with the square in it.",
        of_the_errors,
    ),
    "mean of all": Wrong(
        "The squared errors are averaged. Keep tf.reduce_sum, as it was given: the sum was right.",
        averaged,
    ),
    "mean of batches": Wrong(
        "These are the mean errors of the batches, added up. Keep tf.reduce_sum in the loss, as it "
        "was given: the sum was right.",
        batchwise(lambda losses, g: (sum(losses), sum(g)), tf.reduce_mean),
    ),
    "gradient still lost": Wrong(
        "The gradient is still None. A loop over the dataset, or its reduce, is one operation "
        "without a gradient for a tape around it. Put the `with` block inside the loop, and add "
        "up the gradients.",
        batchwise(lambda losses, g: (sum(losses), None)),
    ),
    "zero for none": Wrong(
        "The gradient is 0 for every dataset. A zero in place of None hides the fault: put the "
        "`with` block inside the loop, and add up the gradients.",
        batchwise(lambda losses, g: (sum(losses), 0.0)),
    ),
    "last gradient only": Wrong(
        "This is the gradient of the last batch. Each pass overwrites it, or starts its tape "
        "anew: add what each batch gives to what came before.",
        batchwise(lambda losses, g: (sum(losses), g[-1])),
    ),
    "first gradient only": Wrong(
        "This is the gradient of the first batch alone. Add up those of all batches, and return "
        "after the loop.",
        batchwise(lambda losses, g: (sum(losses), g[0])),
    ),
    "mean of gradients": Wrong(
        "This is the mean of the batches' gradients. The gradient of a sum is a sum.",
        batchwise(lambda losses, g: (sum(losses), sum(g) / len(g))),
    ),
    "sum twice": Wrong(
        "You returned the sum twice. Return the sum of the gradients as the second.",
        batchwise(lambda losses, g: (sum(losses), sum(losses))),
    ),
    "gradients of running sums": Wrong(
        "The first batches count several times: each pass adds the gradient of the whole sum so "
        "far. Let the tape of a pass see the loss of its batch alone.",
        batchwise(lambda losses, g: (sum(losses), sum(np.cumsum(g)))),
    ),
    "gradients not added": Wrong(
        "Keep one number: add up the gradients of the batches.",
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
        "Gradients come back in the structure of the sources, and yours come back as a list. Pass "
        '{"M": M, "e": e} as the second argument.',
        kepler(passes(60), lambda M, e: [M, e]),
    ),
    "one number": Wrong(
        "You returned one number; a dict with the keys M and e was asked for. Return "
        'tape.gradient(E, {"M": M, "e": e}).',
        passes(60),
    ),
    "M has no path": Wrong(
        "The gradient with respect to M is None for every input. Compute E inside the `with` block "
        "from M itself, in tensors: neither assign nor .numpy() nor NumPy's functions carry a "
        "gradient.",
        kepler(assigned),
        kepler(lambda M, e: passes(60)(M.numpy(), e)),
    ),
    "e has no path": Wrong(
        "The gradient with respect to e is None for every input. Compute E inside the `with` block "
        "from e itself, in tensors: neither assign nor .numpy() nor NumPy's functions carry a "
        "gradient.",
        kepler(lambda M, e: M + tf.sin(M)),
    ),
    "M given a new value": Wrong(
        "In the end the name M stands for the last pass, and that is the source you ask for. Keep "
        "M, and let E change: E = M + e * tf.sin(E).",
        another_M,
    ),
    "no pass at zero": Wrong(
        "At e = 0 the gradient with respect to e is sin(M), and yours is 0 or None. There E = M "
        "solves the equation at once, so a stopping rule ends the loop before E comes from e. Make "
        "a fixed number of passes.",
        kepler(until_solved),
        kepler(until_solved, unconnected_gradients="zero"),
        calls=(2, 4),  # how soon it stops elsewhere is a matter of its tolerance
    ),
    "nothing at e = 0": Wrong(
        "At e = 0 the gradient with respect to e is sin(M), and yours is 0 or None. E moves with e "
        "there, too: make the passes as for any other e.",
        special_at_zero,
    ),
    "one pass more": Wrong(
        "At M = 0 the gradient with respect to M is 1 / (1 - e), and yours is 1 + e. There E = M "
        "solves the equation at once, so with a stopping rule one pass is all there is, in the loop "
        "or after it. Make a fixed number of passes.",
        kepler(solved_and_once_more),
    ),
    "one pass": Wrong(
        "These are the slopes after one pass from E = M. Make 60, each with the sine of the E "
        "before it.",
        kepler(passes(1)),
    ),
    "too few passes": Wrong(
        "These are the slopes after too few passes: for e up to 0.6 they still change. Make 60. A "
        "loop that stops when E is good enough may stop too early for its slopes.",
        *(kepler(passes(n)) for n in range(2, 21)),
        *(kepler(lambda M, e, t=t: until_still(M, e, t)) for t in (0.1, 0.01, 1e-3, 1e-4, 1e-5)),
    ),
    "last pass only": Wrong(
        "These are the slopes of the last pass alone, with the E in its sine held fixed. But that E "
        "depends on M and e, too: keep all passes inside the `with` block, and take tf.sin of the "
        "tensor E: no math.sin or NumPy's sin, no float(), .numpy() or stop_gradient.",
        kepler(passes(60, function=np.sin)),
    ),
    "tape in each pass": Wrong(
        "Each pass has a tape of its own here, and their gradients are added up. But the passes are "
        "no sum: each puts the E of the one before into its sine. Let one tape hold all of them.",
        tape_in_each_pass,
    ),
    "denominator missing": Wrong(
        "Under M it is right; under e it is sin E, and the division by 1 - e * cos E is missing.",
        by_formula(of_e=lambda E, below: tf.sin(E)),
    ),
    "formula at M": Wrong(
        "These are the right formulas with M in the place of E. Find E first, by 60 passes, and take "
        "its sine and its cosine.",
        by_formula(n=0),
    ),
    "e missing below": Wrong(
        "You divide by 1 - cos E, and e is missing there: it is 1 - e * cos E.",
        by_formula(below=lambda E, e: 1 - tf.cos(E)),
    ),
    "plus below": Wrong(
        "The formula has 1 - e cos(E) below, not 1 + e cos(E): take E - e sin(E) = M, and "
        "differentiate both sides.",
        by_formula(below=lambda E, e: 1 + e * tf.cos(E)),
    ),
    "M missing": Wrong(
        "Your slopes are all but 0. Either M is missing in your passes, which are M + e * sin(E), or you "
        "ask for the gradient of what the passes bring to 0. Ask for that of E.",
        kepler(without_M),
        kepler(residual_of_60),
    ),
    "M and e exchanged": Wrong(
        "Your passes exchange the two: they compute e + M * sin(E). It is M + e * sin(E).",
        kepler(exchanged_passes),
        calls=(0,),  # for larger M the passes do not settle
    ),
    "anomaly returned": Wrong(
        "This is E itself. Return tape.gradient(E, ...) with the dict of sources.",
        lambda M, e: dict.fromkeys("Me", passes(60)(M, e)),
    ),
    "minus for plus": Wrong(
        "The sign of a term is wrong: E is M + e * sin(E), with a plus.",
        kepler(passes(60, sign=-1)),
    ),
    "keys exchanged": Wrong("The two gradients stand under each other's keys.", exchanged_slopes),
    "E in place of M": Wrong(
        "Your passes add e * sin(E) to the E before them. Each starts from M: E is M + e * sin(E).",
        kepler(growing),
    ),
    "variable added to": Wrong(
        "`+=` cannot change a variable, and at first E is the variable M itself. Make a new E in "
        "each pass: E = M + e * tf.sin(E).",
        kepler(added_to),
    ),
    "cosine for sine": Wrong(
        "This is the iteration with cos(E). It is M + e * sin(E).",
        kepler(passes(60, function=tf.cos)),
    ),
}


MISTAKES = {"05.1": HUBER, "05.2": TRACES, "05.3": DATASET, "05.4": KEPLER}

"""Wrong answers to the questions of lesson 17, and what each is told."""

import tensorflow as tf

from course_utils.exercises import Table, Wrong

# 17.1


def error_of(weights, examples):
    (W, b), (x, y) = weights, examples
    return tf.reduce_mean((x @ W + b - y) ** 2)


def is_bias(w):
    return w.shape.rank == 1


def through_step(
    step=lambda w, g, lr: w - lr * g,
    inner_loss=lambda new, s, q: error_of(new, s),
    outer_loss=lambda new, old, s, q: error_of(new, q),
    steps=1,
    result=lambda found, new, inner: found,
):
    """Return an answer to 17.1 from its parts; s and q are the support and the query set."""

    def meta_gradients(W, b, support, query, lr):
        with tf.GradientTape() as outer:
            new = old = [tf.identity(W), tf.identity(b)]
            for _ in range(steps):
                with tf.GradientTape() as inner:
                    inner.watch(new)
                    support_loss = inner_loss(new, support, query)
                for_step = inner.gradient(support_loss, new)
                new = [step(w, g, lr) for w, g in zip(new, for_step, strict=True)]
            loss = outer_loss(new, old, support, query)
        return result(outer.gradient(loss, [W, b]), new, for_step)

    return meta_gradients


def step_taken(W, b, support, query, lr):
    d_W, d_b = through_step()(W, b, support, query, lr)
    return [W - lr * d_W, b - lr * d_b]


def b_after_W(W, b, support, query, lr):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            support_loss = error_of([W, b], support)
        fast_W = W - lr * inner.gradient(support_loss, W)
        with tf.GradientTape() as inner:
            support_loss = error_of([fast_W, b], support)
        fast_b = b - lr * inner.gradient(support_loss, b)
        query_loss = error_of([fast_W, fast_b], query)
    return outer.gradient(query_loss, [W, b])


THROUGH_A_STEP = {
    "first order": Wrong(
        "These are the slopes at the new weights: the first-order form. The path through the step "
        "is cut by an assignment, by stop_gradient, by .numpy(), or by asking the inner tape outside "
        "the outer block; or the outer tape is asked for the new weights. Compute W - lr * gradient "
        "as a new tensor inside the block, from the gradient as it comes, and ask for W and b.",
        through_step(lambda w, g, lr: w - lr * tf.stop_gradient(g)),
    ),
    "zeros": Wrong(
        "Zeros in place of None hide that the path is lost. Compute W - lr * gradient as a new "
        "tensor, inside the outer block.",
        through_step(result=lambda found, new, inner: [tf.zeros_like(g) for g in found]),
    ),
    "step from a copy": Wrong(
        "The path through the inner gradient is there, but the step is subtracted from copied "
        "numbers. Compute W - lr * gradient with W itself.",
        through_step(lambda w, g, lr: tf.stop_gradient(w) - lr * g),
    ),
    "one path cut": Wrong(
        "One of the two inner gradients has become a constant. The new weights depend on the old "
        "ones through both: keep both as tensors of the outer tape.",
        through_step(lambda w, g, lr: w - lr * (g if is_bias(w) else tf.stop_gradient(g))),
        through_step(lambda w, g, lr: w - lr * (tf.stop_gradient(g) if is_bias(w) else g)),
    ),
    "step upwards": Wrong(
        "The inner step climbs. Subtract lr times the gradient.",
        through_step(lambda w, g, lr: w + lr * g),
    ),
    "rate left out": Wrong(
        "The inner step is as long as the gradient. Multiply the gradient by lr.",
        through_step(lambda w, g, lr: w - g),
    ),
    "no inner step": Wrong(
        "The query loss is taken at W and b themselves: no step was taken. Use fast_W and fast_b "
        "there.",
        through_step(outer_loss=lambda new, old, s, q: error_of(old, q)),
    ),
    "support judged": Wrong(
        "The new weights are judged on the support set, which they were fitted to. Take the query "
        "set for the outer loss.",
        through_step(outer_loss=lambda new, old, s, q: error_of(new, s)),
    ),
    "query fitted": Wrong(
        "The inner step is taken on the query set. Fit on the support set, and keep the query set "
        "for the outer loss.",
        through_step(inner_loss=lambda new, s, q: error_of(new, q)),
    ),
    "sets exchanged": Wrong(
        "The two sets are exchanged: the step belongs to the support set, the outer loss to the "
        "query set.",
        through_step(
            inner_loss=lambda new, s, q: error_of(new, q),
            outer_loss=lambda new, old, s, q: error_of(new, s),
        ),
    ),
    "only W moved": Wrong(
        "b is used as it was: the step moved W alone. Both take part in the step.",
        through_step(lambda w, g, lr: w if is_bias(w) else w - lr * g),
    ),
    "only b moved": Wrong(
        "W is used as it was: the step moved b alone. Both take part in the step.",
        through_step(lambda w, g, lr: w - lr * g if is_bias(w) else w),
    ),
    "b after W": Wrong(
        "The gradient for b is taken after W has moved. Both belong to one support loss, at W and b "
        "as they were: ask the inner tape for [W, b] at once.",
        b_after_W,
    ),
    "losses added": Wrong(
        "The support loss is in the outer loss as well. Only the query loss counts there; the "
        "support set speaks through the step.",
        through_step(outer_loss=lambda new, old, s, q: error_of(new, q) + error_of(old, s)),
        through_step(outer_loss=lambda new, old, s, q: error_of(new, q) + error_of(new, s)),
    ),
    "two steps": Wrong(
        "Two inner steps were taken. The statement wants one.",
        through_step(steps=2),
    ),
    "inner sum": Wrong(
        "The support loss is the sum over the examples. Take their mean.",
        through_step(inner_loss=lambda new, s, q: len(s[0]) * error_of(new, s)),
    ),
    "outer sum": Wrong(
        "The query loss is the sum over the examples. Take their mean.",
        through_step(outer_loss=lambda new, old, s, q: len(q[0]) * error_of(new, q)),
    ),
    "inner gradients returned": Wrong(
        "These are the gradients of the support loss. Return those of the query loss, from the "
        "outer tape.",
        through_step(result=lambda found, new, inner: inner),
    ),
    "new weights returned": Wrong(
        "These are the new weights. Return the gradients of the query loss with respect to W and "
        "b.",
        through_step(result=lambda found, new, inner: new),
    ),
    "step taken outside": Wrong(
        "You took a step from W and b with the gradients that were asked for. Return the "
        "gradients.",
        step_taken,
    ),
}

# 17.2


def adapting(
    step=lambda w, g, lr, start: w - lr * g,
    loss_of=lambda y_hat, y: tf.reduce_mean((y_hat - y) ** 2),
    at=lambda weights, start: weights,
    count=lambda steps: steps,
    result=lambda weights, start, gradients: weights,
    others_of=lambda model: [v.value for v in model.non_trainable_variables],
):
    """Return an answer to 17.2 from its parts; a step is that of one variable."""

    def adapt(model, x, y, lr, steps):
        start = weights = [tf.identity(v) for v in model.trainable_variables]
        gradients = None
        for _ in range(count(steps)):
            with tf.GradientTape() as tape:
                point = at(weights, start)
                tape.watch(point)
                y_hat, _ = model.stateless_call(point, others_of(model), x)
                loss = loss_of(y_hat, y)
            gradients = tape.gradient(loss, point)
            triples = zip(weights, gradients, start, strict=True)
            weights = [step(w, g, lr, s) for w, g, s in triples]
        return result(weights, start, gradients)

    return adapt


def not_unpacked(model, x, y, lr, steps):
    others = [v.value for v in model.non_trainable_variables]
    weights = [tf.identity(v) for v in model.trainable_variables]
    for _ in range(steps):
        with tf.GradientTape() as tape:
            tape.watch(weights)
            y_hat = model.stateless_call(weights, others, x)
            loss = tf.reduce_mean((y_hat - y) ** 2)
        gradients = tape.gradient(loss, weights)
        weights = [w - lr * g for w, g in zip(weights, gradients, strict=True)]
    return weights


STEPS = {
    "pair not taken apart": Wrong(
        "stateless_call returns two things, the outputs and the other variables' new values, and "
        "here both stand in a computation. Take them apart: y_hat, _ = model.stateless_call(...).",
        not_unpacked,
    ),
    "one step": Wrong(
        "One step comes out, whatever steps says. Make the first list of weights before the loop, so "
        "that no pass begins with the model's again. Take whole steps in the loop, and return after "
        "it.",
        adapting(count=lambda steps: 1),
    ),
    "one step too many": Wrong(
        "One step too many was taken: there are as many as steps says.",
        adapting(count=lambda steps: steps + 1),
    ),
    "one step too few": Wrong(
        "One step is missing: there are as many as steps says.",
        adapting(count=lambda steps: steps - 1),
    ),
    "gradient at the start": Wrong(
        "Every step uses the gradient at the first weights. Call the model with the weights that "
        "the last step gave.",
        adapting(at=lambda weights, start: start),
    ),
    "always from the start": Wrong(
        "Each step starts at the first weights again, so only the last one counts. Subtract from "
        "the weights that the last step gave.",
        adapting(lambda w, g, lr, start: start - lr * g),
    ),
    "nothing changed": Wrong(
        "The weights are those of the model: no step was taken. Put the new list in the place of "
        "the old one, in each pass of the loop.",
        adapting(count=lambda steps: 0),
    ),
    "upwards": Wrong(
        "The steps climb. Subtract lr times the gradient.",
        adapting(lambda w, g, lr, start: w + lr * g),
    ),
    "rate left out": Wrong(
        "The steps are as long as the gradients. Multiply those by lr.",
        adapting(lambda w, g, lr, start: w - g),
    ),
    "kernels only": Wrong(
        "The biases did not move. Every trainable variable takes the steps.",
        adapting(lambda w, g, lr, start: w if is_bias(w) else w - lr * g),
    ),
    "summed loss": Wrong(
        "The loss is summed over the examples: by your program, or by the tape, which sums where "
        "there is one loss for each. Take the mean.",
        adapting(loss_of=lambda y_hat, y: tf.reduce_sum((y_hat - y) ** 2)),
    ),
    "half the error": Wrong(
        "The loss is half of the mean squared error. Leave the half out.",
        adapting(loss_of=lambda y_hat, y: tf.reduce_mean((y_hat - y) ** 2) / 2),
    ),
    "absolute error": Wrong(
        "The loss is the mean absolute error. Square the errors.",
        adapting(loss_of=lambda y_hat, y: tf.reduce_mean(tf.abs(y_hat - y))),
    ),
    "errors not squared": Wrong(
        "The loss is the mean of the errors themselves, which has no lowest value: it falls as the "
        "outputs fall. Square the errors before you take the mean.",
        adapting(loss_of=lambda y_hat, y: tf.reduce_mean(y_hat - y)),
    ),
    "mean squared": Wrong(
        "The errors are averaged first and squared afterwards, so that those of unlike signs cancel. "
        "Square each error, and then take the mean.",
        adapting(loss_of=lambda y_hat, y: tf.reduce_mean(y_hat - y) ** 2),
    ),
    "gradients returned": Wrong(
        "These are the last gradients. Return the weights after the steps.",
        adapting(result=lambda weights, start, gradients: gradients),
    ),
    "changes returned": Wrong(
        "These are the changes of the weights. Return the weights themselves.",
        adapting(
            result=lambda weights, start, gradients: [
                w - s for w, s in zip(weights, start, strict=True)
            ]
        ),
    ),
    "first order": Wrong(
        "The new weights are right. But for a tape around them every step is a constant shift: "
        "the inner gradients are cut off, by stop_gradient, by .numpy(), or by an assignment, as to "
        "the model's own variables. Leave them tensors, and the model as it is.",
        adapting(lambda w, g, lr, start: w - lr * tf.stop_gradient(g)),
    ),
    "no path": Wrong(
        "The new weights are right. But a tape around them finds no way back to the model: they "
        "are plain numbers, copies in variables, or closed by stop_gradient. Compute them from "
        "`weights` with TensorFlow's operations alone.",
        adapting(result=lambda weights, start, gradients: [tf.stop_gradient(w) for w in weights]),
    ),
    "last step only": Wrong(
        "The new weights are right. But a tape around them sees a part of the steps alone: a step "
        "before starts from weights that are cut off.",
        adapting(lambda w, g, lr, start: start + tf.stop_gradient(w - start) - lr * g),
    ),
    "pairs of examples": Wrong(
        "A difference of (n, 1) and (n,) is (n, n): each output meets each y. Leave both with two "
        "axes, as they come.",
        adapting(loss_of=lambda y_hat, y: tf.reduce_mean((y_hat - tf.reshape(y, [-1])) ** 2)),
    ),
    "other arguments": Wrong(
        "stateless_call takes three things: the list of all trainable weights, the list of the other "
        "variables' values, which is not always empty, and x.",
        adapting(others_of=lambda model: []),
        lambda model, x, y, lr, steps: model.stateless_call([], [], x),
        lambda model, x, y, lr, steps: model.stateless_call(model.trainable_variables, x),
    ),
}

# 17.3

MAML = Table(
    {
        6: "6 is the slope of the query loss at w' = 1. MAML multiplies it by the factor with "
        "which w' changes when w does.",
        8: "8 is the slope at w = 2, before the step. The query loss is taken at w' = 1.",
        9: "9 is the query loss itself, (1 + 2)², or its slope, 6, times 1.5. The factor of the step "
        "is 1 - 0.25 · 2, with a minus: a larger w is pulled back more.",
        1.5: "1.5 is half of it: either the factor of the step came twice, or the slope of (w' + 2)² "
        "has lost its 2.",
        None: "There is a path: w' = w - 0.25 · 2w is a new tensor, computed from w.",
        0.5: "0.5 is the factor of the step alone. Multiply it by the slope of the query loss at "
        "w' = 1.",
        12: "12 is 6 divided by 0.5. The chain rule multiplies.",
        4: "4 is the slope of a loss at w = 2: of the support loss, or half of the query loss's 8. "
        "The query loss is taken at w' = 1.",
        4.5: "4.5 is 6 times 1 - 0.25. But the step is 0.25 · 2w, and its slope is 0.25 times 2, the "
        "second derivative of w².",
        7: "7 is 3 and, added to it, 4, the slope of the support loss. That loss counts through the "
        "step alone.",
    },
    "{value} is not it. By the chain rule it is the slope of (w' + 2)² at w' = 1, times the factor "
    "with which w' changes with w.",
)
FIRST_ORDER = Table(
    {
        3: "3 is the exact gradient. The first-order one leaves the factor 0.5 of the step out.",
        8: "8 is the slope at w = 2. First order leaves a factor out, not the step: the query loss "
        "is taken at w' = 1.",
        None: "`stop_gradient` closes the path through the inner gradient. w itself stands in w' "
        "as well, and that path is open.",
        4: "4 is the slope of the support loss at w = 2. It is the query loss that is asked about.",
        9: "9 is the query loss itself, (1 + 2)². Its slope is asked.",
    },
    "{value} is not it. The inner gradient counts as a constant: what is the slope of (w' + 2)² at "
    "w' = 1?",
)
REPTILE = Table(
    {
        -1: "The sign is turned: w - w' is 2 - 1. An optimizer subtracts it, and so w moves towards "
        "w'.",
        4: "4 is the inner gradient. The step is a quarter of it.",
        6: "6 is the first-order gradient. Reptile never looks at a query loss.",
        3: "3 is MAML's gradient. Reptile never looks at a query loss.",
        None: "Reptile asks no outer tape, so nothing can be None: it subtracts two numbers.",
        0.5: "0.5 is the factor of the step. Reptile takes the difference of two weights.",
    },
    "{value} is not it. Where does the step of 0.25 lead from w = 2, and how far is that from w?",
)
COPY = Table(
    {
        6: "6 would come if `assign_sub` moved w itself: then w is read again. A copy is a "
        "variable of its own.",
        3: "3 needs a path through the step. An assignment stores a number, and both the copy's "
        "first value and its step are assigned.",
        0: "Without any path the tape returns None, not 0.",
        8: "8 is the slope at w = 2. But the loss is computed from the copy, and no path leads "
        "from there to w.",
        1: "1 is where the copy stands. A gradient was asked for.",
    },
    "{value} is not it. Which path leads from the copy back to w?",
)

# 17.4


def descended(weights, task, inner_lr, steps):
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = task(weights)
        for w, g in zip(weights, tape.gradient(loss, weights), strict=True):
            w.assign_sub(inner_lr * g)
    return [w.numpy() for w in weights]


def put(weights, values):
    for w, value in zip(weights, values, strict=True):
        w.assign(value)


def averaging(
    formula=lambda start, mean, rate, last: start + rate * (mean - start),
    reset=True,
    chosen=lambda ends: ends,
    inner=lambda steps: steps,
    rate_of=lambda inner_lr, outer_lr: inner_lr,
):
    """Return an answer to 17.4: a formula of the start and the mean of the chosen ends."""

    def reptile_step(weights, tasks, inner_lr, outer_lr, steps):
        start, ends = [w.numpy() for w in weights], []
        for task in tasks:
            if reset:
                put(weights, start)
            ends.append(descended(weights, task, rate_of(inner_lr, outer_lr), inner(steps)))
        counted = chosen(ends)
        means = [sum(values) / len(counted) for values in zip(*counted, strict=True)]
        triples = zip(start, means, ends[-1], strict=True)
        put(weights, [formula(s, mean, outer_lr, last) for s, mean, last in triples])

    return reptile_step


def one_after_the_other(share=lambda tasks: 1.0):
    def reptile_step(weights, tasks, inner_lr, outer_lr, steps):
        rate = outer_lr * share(tasks)
        for task in tasks:
            start = [w.numpy() for w in weights]
            ends = descended(weights, task, inner_lr, steps)
            put(weights, [s + rate * (e - s) for s, e in zip(start, ends, strict=True)])

    return reptile_step


def start_taken_anew(weights, tasks, inner_lr, outer_lr, steps):
    ends = []
    for task in tasks:
        start = [w.numpy() for w in weights]
        ends.append(descended(weights, task, inner_lr, steps))
    means = [sum(values) / len(tasks) for values in zip(*ends, strict=True)]
    put(weights, [s + outer_lr * (mean - s) for s, mean in zip(start, means, strict=True)])


def moved_by_sum(weights, tasks, inner_lr, outer_lr, steps):
    averaging(lambda s, mean, rate, last: s + len(tasks) * rate * (mean - s))(
        weights, tasks, inner_lr, outer_lr, steps
    )


def ends_added_up(weights, tasks, inner_lr, outer_lr, steps):
    averaging(lambda s, mean, rate, last: s + rate * (len(tasks) * mean - s))(
        weights, tasks, inner_lr, outer_lr, steps
    )


def divided_by_steps(weights, tasks, inner_lr, outer_lr, steps):
    averaging(lambda s, mean, rate, last: s + rate * (mean - s) * len(tasks) / steps)(
        weights, tasks, inner_lr, outer_lr, steps
    )


def ends_divided_by_steps(weights, tasks, inner_lr, outer_lr, steps):
    averaging(lambda s, mean, rate, last: s + rate * (mean * len(tasks) / steps - s))(
        weights, tasks, inner_lr, outer_lr, steps
    )


def ways_averaged(weights, tasks, inner_lr, outer_lr, steps):
    start, points = [w.numpy() for w in weights], []
    for task in tasks:
        put(weights, start)
        for _ in range(steps):
            points.append(descended(weights, task, inner_lr, 1))
    means = [sum(values) / len(points) for values in zip(*points, strict=True)]
    put(weights, [s + outer_lr * (mean - s) for s, mean in zip(start, means, strict=True)])


def by_gradients_at_ends(weights, tasks, inner_lr, outer_lr, steps):
    start, found = [w.numpy() for w in weights], []
    for task in tasks:
        put(weights, start)
        descended(weights, task, inner_lr, steps)
        with tf.GradientTape() as tape:
            loss = task(weights)
        found.append(tape.gradient(loss, weights))
    means = [sum(gradients) / len(tasks) for gradients in zip(*found, strict=True)]
    put(weights, [s - outer_lr * g for s, g in zip(start, means, strict=True)])


def one_way_for_all(combined):
    def reptile_step(weights, tasks, inner_lr, outer_lr, steps):
        start = [w.numpy() for w in weights]
        ends = descended(weights, lambda w: combined([task(w) for task in tasks]), inner_lr, steps)
        put(weights, [s + outer_lr * (e - s) for s, e in zip(start, ends, strict=True)])

    return reptile_step


ENDS = {
    "average added whole": Wrong(
        "outer_lr times the average of the ends is added to the start. Add outer_lr times the way "
        "there: outer_lr * (average - start).",
        averaging(lambda s, mean, rate, last: s + rate * mean),
    ),
    "start not kept": Wrong(
        "The weights end where the last task left them. After `start = weights` both names mean "
        "the same variables, and each task goes on where the one before stopped. Copy the values "
        "with w.numpy(), and put them back before each task.",
        averaging(lambda s, mean, rate, last: last, reset=False),
    ),
    "last end": Wrong(
        "The start is put back before each task, and the variables stay where the last task ended. "
        "Assign to them start + outer_lr * (average of all ends - start): `w = ...`, or another "
        "variable in the list, moves none.",
        averaging(lambda s, mean, rate, last: last),
    ),
    "tasks in a chain": Wrong(
        "The start is kept, but each task goes on where the one before stopped. Put the start back "
        "into the variables before each task, and average the ends.",
        averaging(lambda s, mean, rate, last: s + rate * (last - s), reset=False),
    ),
    "chain averaged": Wrong(
        "You average the ends, but each task goes on where the one before stopped. Put the start "
        "back into the variables before each task.",
        averaging(reset=False),
    ),
    "list copied": Wrong(
        "What should be the start holds the variables themselves, as a copied list or a second name "
        "does, and moves with them. Copy the values with w.numpy(), and put them back before each "
        "task.",
        averaging(lambda s, mean, rate, last: last + rate * (mean - last), reset=False),
    ),
    "one task after the other": Wrong(
        "You move the weights after each task, so the next one starts elsewhere. Let every task "
        "start at the same weights, and move once, to the average of the ends.",
        one_after_the_other(),
        one_after_the_other(lambda tasks: 1 / len(tasks)),
    ),
    "last task only": Wrong(
        "Only the last task counts. Keep the ends of all tasks as values, w.numpy(), for the "
        "variables move on, and average them.",
        averaging(chosen=lambda ends: ends[-1:]),
    ),
    "start taken anew": Wrong(
        "The start is taken anew before each task, where the one before ended. Take it once, above "
        "the loop, and put it back before each task.",
        start_taken_anew,
    ),
    "first task only": Wrong(
        "Only the first task counts. Keep the ends of all tasks, and average them.",
        averaging(chosen=lambda ends: ends[:1]),
    ),
    "moved all the way": Wrong(
        "The weights move all the way to the average of the ends. Go the part outer_lr of it.",
        averaging(lambda s, mean, rate, last: mean),
    ),
    "summed ends": Wrong(
        "The moves of all tasks are added up. Divide by the number of tasks: it is the average "
        "that the weights move towards.",
        moved_by_sum,
    ),
    "ends added up": Wrong(
        "You took the sum of the ends for their average. Divide it by the number of tasks.",
        ends_added_up,
    ),
    "divided by steps": Wrong(
        "The sum over the tasks is divided by steps. An average over tasks divides by their number.",
        divided_by_steps,
        ends_divided_by_steps,
    ),
    "ways averaged": Wrong(
        "The average is taken over the weights after every inner step. Keep those at the end of each "
        "task alone, below the loop over the steps.",
        ways_averaged,
    ),
    "away from the ends": Wrong(
        "The weights move away from the ends. Add outer_lr * (average - start).",
        averaging(lambda s, mean, rate, last: s - rate * (mean - s)),
    ),
    "parts exchanged": Wrong(
        "The weights move by the part 1 - outer_lr, or the part is counted from the wrong end. Go "
        "the part outer_lr of the way, from the start.",
        averaging(lambda s, mean, rate, last: mean + rate * (s - mean)),
    ),
    "from the last end": Wrong(
        "The move begins where the last task ended. Start from the weights as they were: assign "
        "start + outer_lr * (average - start).",
        averaging(lambda s, mean, rate, last: last + rate * (mean - s)),
        averaging(lambda s, mean, rate, last: last + rate * (mean - last)),
    ),
    "one inner step": Wrong(
        "Each task took one inner step, whatever steps says.",
        averaging(inner=lambda steps: 1),
    ),
    "another number of steps": Wrong(
        "Each task took one step more or one less than steps says. range(steps) counts from 0.",
        averaging(inner=lambda steps: steps + 1),
        averaging(inner=lambda steps: steps - 1),
    ),
    "one average for all entries": Wrong(
        "The average is one number for a whole variable. Average the ends entry by entry, with "
        "axis=0.",
        averaging(lambda s, mean, rate, last: s + rate * (tf.reduce_mean(mean) - s)),
    ),
    "inner rate at the end": Wrong(
        "The move at the end uses inner_lr. It takes outer_lr.",
        lambda weights, tasks, inner_lr, outer_lr, steps: averaging()(
            weights, tasks, inner_lr, inner_lr, steps
        ),
    ),
    "rates exchanged": Wrong(
        "The inner steps use outer_lr. They use inner_lr, and outer_lr is for the move at the end.",
        averaging(rate_of=lambda inner_lr, outer_lr: outer_lr),
    ),
    "both rates exchanged": Wrong(
        "inner_lr and outer_lr have changed places. The steps in a task use inner_lr, the move at "
        "the end uses outer_lr.",
        lambda weights, tasks, inner_lr, outer_lr, steps: averaging()(
            weights, tasks, outer_lr, inner_lr, steps
        ),
    ),
    "one way for all": Wrong(
        "All tasks go down one way together, along the gradient of their mean or summed loss. Let "
        "each task take its own steps from the start, and average the ends.",
        one_way_for_all(lambda losses: tf.add_n(losses) / len(losses)),
        one_way_for_all(tf.add_n),
    ),
    "start left as it is": Wrong(
        "The variables end where they started. What is only computed or returned moves none, and an "
        "end that is kept after the start was put back is the start. Assign to them "
        "start + outer_lr * (average - start).",
        averaging(lambda s, mean, rate, last: s),
    ),
    "first-order MAML": Wrong(
        "The weights move along the gradients at the ends, which is first-order MAML. Reptile "
        "moves towards the ends themselves.",
        by_gradients_at_ends,
    ),
}

MISTAKES = {
    "17.1": THROUGH_A_STEP,
    "17.2": STEPS,
    "17.3": [MAML, FIRST_ORDER, REPTILE, COPY],
    "17.4": ENDS,
}

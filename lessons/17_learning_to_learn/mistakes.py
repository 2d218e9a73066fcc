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
        "These are the slopes at the new weights, without the path through the step. Take the "
        "gradients with respect to `W` and `b`, not the new weights. Inside the outer block, call "
        "`inner.gradient`, and compute `W - lr * gradient` as a new tensor: no `assign`, no "
        "`tf.stop_gradient`, no `.numpy()`.",
        through_step(lambda w, g, lr: w - lr * tf.stop_gradient(g)),
    ),
    "zeros": Wrong(
        "Your gradients are zeros: you replaced `None` with 0, but the bug is still there. Compute "
        "`W - lr * gradient` as a new tensor, inside the outer block.",
        through_step(result=lambda found, new, inner: [tf.zeros_like(g) for g in found]),
    ),
    "step from a copy": Wrong(
        "The path through the inner gradient is there, but you subtract the step from a copy "
        "of the weights. Compute `W - lr * gradient` with `W` itself.",
        through_step(lambda w, g, lr: tf.stop_gradient(w) - lr * g),
    ),
    "one path cut": Wrong(
        "The outer tape treats one of the two inner gradients as a constant. Keep both as tensors, "
        "because the new weights depend on both.",
        through_step(lambda w, g, lr: w - lr * (g if is_bias(w) else tf.stop_gradient(g))),
        through_step(lambda w, g, lr: w - lr * (tf.stop_gradient(g) if is_bias(w) else g)),
    ),
    "step upwards": Wrong(
        "Your inner step goes uphill. Subtract `lr` times the gradient.",
        through_step(lambda w, g, lr: w + lr * g),
    ),
    "rate left out": Wrong(
        "Your inner step lacks the learning rate. Multiply the gradient by `lr`.",
        through_step(lambda w, g, lr: w - g),
    ),
    "rate for one alone": Wrong(
        "You multiply only one of the two inner gradients by `lr`. Multiply both.",
        through_step(lambda w, g, lr: w - (g if is_bias(w) else lr * g)),
        through_step(lambda w, g, lr: w - (lr * g if is_bias(w) else g)),
    ),
    "no inner step": Wrong(
        "You compute the query loss at `W` and `b` themselves, without a step. Use `fast_W` "
        "and `fast_b`.",
        through_step(outer_loss=lambda new, old, s, q: error_of(old, q)),
    ),
    "support judged": Wrong(
        "You compute the outer loss on the support set, to which the new weights were fitted. "
        "Use the query set.",
        through_step(outer_loss=lambda new, old, s, q: error_of(new, s)),
    ),
    "query fitted": Wrong(
        "You take the inner step on the query set. Use the support set for the step, and the "
        "query set for the outer loss.",
        through_step(inner_loss=lambda new, s, q: error_of(new, q)),
    ),
    "sets exchanged": Wrong(
        "The two sets are swapped. Use the support set for the step, and the query set for the "
        "outer loss.",
        through_step(
            inner_loss=lambda new, s, q: error_of(new, q),
            outer_loss=lambda new, old, s, q: error_of(new, s),
        ),
    ),
    "only W moved": Wrong(
        "The query loss uses the old `b`. Update `b` as well, and use both new tensors.",
        through_step(lambda w, g, lr: w if is_bias(w) else w - lr * g),
    ),
    "only b moved": Wrong(
        "The query loss uses the old `W`. Update `W` as well, and use both new tensors.",
        through_step(lambda w, g, lr: w - lr * g if is_bias(w) else w),
    ),
    "b after W": Wrong(
        "You compute the gradient for `b` after `W` has already changed. Compute both from one "
        "support loss: `inner.gradient(support_loss, [W, b])`.",
        b_after_W,
    ),
    "losses added": Wrong(
        "Your outer loss includes the support loss. Use only the query loss; the support set "
        "enters through the step.",
        through_step(outer_loss=lambda new, old, s, q: error_of(new, q) + error_of(old, s)),
        through_step(outer_loss=lambda new, old, s, q: error_of(new, q) + error_of(new, s)),
    ),
    "two steps": Wrong(
        "You took two inner steps. Take one.",
        through_step(steps=2),
    ),
    "inner sum": Wrong(
        "The support loss is a sum over the examples. Use their mean.",
        through_step(inner_loss=lambda new, s, q: len(s[0]) * error_of(new, s)),
    ),
    "outer sum": Wrong(
        "The query loss is a sum over the examples. Use their mean.",
        through_step(outer_loss=lambda new, old, s, q: len(q[0]) * error_of(new, q)),
    ),
    "inner gradients returned": Wrong(
        "These are the gradients of the support loss. Return those of the query loss, from the "
        "outer tape.",
        through_step(result=lambda found, new, inner: inner),
    ),
    "new weights returned": Wrong(
        "You returned the new weights. Return the gradients of the query loss with respect to "
        "`W` and `b`.",
        through_step(result=lambda found, new, inner: new),
    ),
    "step taken outside": Wrong(
        "You applied the gradients to `W` and `b` and returned the result. Return the "
        "gradients themselves.",
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


def not_watched(model, x, y, lr, steps):
    others = [v.value for v in model.non_trainable_variables]
    weights = [tf.identity(v) for v in model.trainable_variables]
    for _ in range(steps):
        with tf.GradientTape() as tape:
            y_hat, _ = model.stateless_call(weights, others, x)
            loss = tf.reduce_mean((y_hat - y) ** 2)
        gradients = tape.gradient(loss, weights)
        weights = [w - lr * g for w, g in zip(weights, gradients, strict=True)]
    return weights


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
    "not watched": Wrong(
        "The gradients are `None`: the weights are tensors, and a tape does not watch tensors "
        "automatically. Call `tape.watch(weights)` at the start of the block, in every step.",
        not_watched,
    ),
    "pair not taken apart": Wrong(
        "You use the result of `stateless_call` as one value, but it is a pair: the outputs and "
        "the new values of the other variables. Unpack it: `y_hat, _ = model.stateless_call(...)`.",
        not_unpacked,
    ),
    "one step": Wrong(
        "You return the result of one step, whatever `steps` is. Create the first list of "
        "weights before the loop, and return after the loop.",
        adapting(count=lambda steps: 1),
    ),
    "one step too many": Wrong(
        "Your function takes one step too many. Use `range(steps)`.",
        adapting(count=lambda steps: steps + 1),
    ),
    "one step too few": Wrong(
        "Your function takes one step too few. Use `range(steps)`.",
        adapting(count=lambda steps: steps - 1),
    ),
    "gradient at the start": Wrong(
        "Every step uses the gradient at the initial weights. Call the model with the weights from "
        "the previous step.",
        adapting(at=lambda weights, start: start),
    ),
    "always from the start": Wrong(
        "Each step subtracts from the initial weights, so the changes made by earlier steps are "
        "lost. Subtract from the weights of the previous step.",
        adapting(lambda w, g, lr, start: start - lr * g),
    ),
    "nothing changed": Wrong(
        "You returned the model's weights unchanged. Assign the new list to `weights` in each "
        "iteration.",
        adapting(count=lambda steps: 0),
    ),
    "upwards": Wrong(
        "Your steps go uphill. Subtract `lr` times the gradient.",
        adapting(lambda w, g, lr, start: w + lr * g),
    ),
    "rate left out": Wrong(
        "Your steps lack the learning rate. Multiply the gradients by `lr`.",
        adapting(lambda w, g, lr, start: w - g),
    ),
    "kernels only": Wrong(
        "The biases did not change. Update every trainable variable.",
        adapting(lambda w, g, lr, start: w if is_bias(w) else w - lr * g),
    ),
    "summed loss": Wrong(
        "The loss is a sum over the examples: your code sums, or the tape sums a loss with one "
        "entry per example. Use the mean.",
        adapting(loss_of=lambda y_hat, y: tf.reduce_sum((y_hat - y) ** 2)),
    ),
    "half the error": Wrong(
        "You use half of the mean squared error. Remove the factor 1/2.",
        adapting(loss_of=lambda y_hat, y: tf.reduce_mean((y_hat - y) ** 2) / 2),
    ),
    "absolute error": Wrong(
        "You use the mean absolute error. Square the errors.",
        adapting(loss_of=lambda y_hat, y: tf.reduce_mean(tf.abs(y_hat - y))),
    ),
    "errors not squared": Wrong(
        "You use the mean of the errors, which has no minimum. Square the errors before you "
        "take the mean.",
        adapting(loss_of=lambda y_hat, y: tf.reduce_mean(y_hat - y)),
    ),
    "mean squared": Wrong(
        "You average the errors before squaring, so errors of opposite sign cancel. Square "
        "each error first, then take the mean.",
        adapting(loss_of=lambda y_hat, y: tf.reduce_mean(y_hat - y) ** 2),
    ),
    "gradients returned": Wrong(
        "You returned the last gradients. Return the weights after the steps.",
        adapting(result=lambda weights, start, gradients: gradients),
    ),
    "changes returned": Wrong(
        "You returned the changes in the weights. Return the weights themselves.",
        adapting(
            result=lambda weights, start, gradients: [
                w - s for w, s in zip(weights, start, strict=True)
            ]
        ),
    ),
    "first order": Wrong(
        "The new weights are right, but an outer tape treats every step as a constant shift, "
        "because the inner gradients have no path. Keep them as tensors, without "
        "`tf.stop_gradient`, `.numpy()` or `assign`.",
        adapting(lambda w, g, lr, start: w - lr * tf.stop_gradient(g)),
    ),
    "no path": Wrong(
        "The new weights are right, but no path leads from the model to them. NumPy values, "
        "copies in variables, and `tf.stop_gradient` all break the path. Compute them from "
        "`weights`, using only TensorFlow operations.",
        adapting(result=lambda weights, start, gradients: [tf.stop_gradient(w) for w in weights]),
    ),
    "last step only": Wrong(
        "The new weights are right, but an outer tape sees only some of the steps, because an "
        "earlier step has no path. Compute each step from the weights of the previous one, "
        "without `tf.stop_gradient`.",
        adapting(lambda w, g, lr, start: start + tf.stop_gradient(w - start) - lr * g),
    ),
    "pairs of examples": Wrong(
        "You subtract tensors of shapes (n, 1) and (n,), so the result broadcasts to (n, n). Give "
        "both the shape (n, 1).",
        adapting(loss_of=lambda y_hat, y: tf.reduce_mean((y_hat - tf.reshape(y, [-1])) ** 2)),
    ),
    "other arguments": Wrong(
        "`stateless_call` needs three arguments. Pass the list of all trainable weights, the list "
        "of the other variables' values (`others`, which is not always empty), and `x`.",
        adapting(others_of=lambda model: []),
        lambda model, x, y, lr, steps: model.stateless_call([], [], x),
        lambda model, x, y, lr, steps: model.stateless_call(model.trainable_variables, x),
    ),
}

# 17.3

MAML = Table(
    {
        6: "6 is the slope of the query loss at w' = 1. MAML multiplies it by dw'/dw, the "
        "slope of the step.",
        8: "8 is the slope of the query loss at w = 2, before the step. But the query loss is "
        "computed at w' = 1.",
        9: "9 is the query loss itself, (1 + 2)², or its slope, 6, times 1.5. The slope of the "
        "step is 1 - 0.25 · 2, with a minus sign.",
        1.5: "1.5 is half of the answer. Use the slope of the step only once, and include the "
        "2 in the slope of (w' + 2)².",
        None: "You would get `None` without a path. But w' = w - 0.25 · 2w is a new tensor, "
        "computed from w.",
        0.5: "0.5 is only the slope of the step. Multiply it by the slope of the query loss at "
        "w' = 1.",
        12: "12 is 6 divided by 0.5. The chain rule multiplies.",
        4: "4 is the slope of the support loss at w = 2, or half the slope of the query loss "
        "there. But the query loss is computed at w' = 1.",
        4.5: "4.5 is 6 · (1 - 0.25). But the step is 0.25 · 2w, and its slope is 0.25 times 2, the "
        "second derivative of w².",
        7: "7 is 3 + 4, where 4 is the slope of the support loss. But the support loss enters "
        "only through the step.",
    },
    "{value} is not the answer. By the chain rule, multiply the slope of (w' + 2)² at w' = 1 "
    "by dw'/dw.",
)
FIRST_ORDER = Table(
    {
        3: "3 is the exact gradient. The first-order gradient leaves out the slope of the "
        "step, 0.5.",
        8: "8 is the slope at w = 2. First-order MAML leaves out a factor, not the step: the query "
        "loss is computed at w' = 1.",
        None: "`tf.stop_gradient` breaks the path through the inner gradient. But w' also "
        "contains w directly, and that path is still there.",
        4: (
            "4 is the slope of the support loss at w = 2. But the question asks for the slope of "
            "the query loss."
        ),
        9: "9 is the query loss itself, (1 + 2)². But the question asks for its slope.",
    },
    "{value} is not the answer. The inner gradient is a constant: what is the slope of (w' + "
    "2)² at w' = 1?",
)
REPTILE = Table(
    {
        -1: "The sign is wrong. w - w' is 2 - 1: an optimizer subtracts it, so w moves toward w'.",
        4: "4 is the inner gradient. But the step is a quarter of it.",
        6: "6 is the first-order gradient. But Reptile does not use a query loss.",
        3: "3 is MAML's gradient. But Reptile does not use a query loss.",
        None: "You get `None` only from a tape that finds no path. But Reptile needs no outer "
        "tape: it subtracts one number from another.",
        0.5: "0.5 is the slope of the step. But Reptile uses the difference between two weights.",
    },
    "{value} is not the answer. Where does one step with a learning rate of 0.25 lead from w = 2, "
    "and how far is that from w?",
)
COPY = Table(
    {
        6: "6 would be right if `assign_sub` changed w itself, because the query loss would then "
        "read w again. But a copy is a separate variable.",
        3: "3 needs a path through the step. But an assignment stores only a number, and both "
        "the copy's first value and its step are assigned.",
        0: "0 would mean that there is a path with slope 0. Without any path, what does a tape "
        "return?",
        8: "8 is the slope at w = 2. But the loss is computed from the copy, and no path leads "
        "from w to the copy.",
        1: "1 is the value of the copy. But the question asks for a gradient.",
    },
    "{value} is not the answer. Is there a path from w to the copy?",
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
        "You add `outer_lr` times the average of the adapted weights. Add `outer_lr * (average "
        "- start)` instead.",
        averaging(lambda s, mean, rate, last: s + rate * mean),
    ),
    "start not kept": Wrong(
        "The weights end where the last task left them, because `start = weights` only gives "
        "the variables a second name. Copy the values with `w.numpy()`, and restore them "
        "before each task.",
        averaging(lambda s, mean, rate, last: last, reset=False),
    ),
    "last end": Wrong(
        "You restore the start before each task, but the variables stay where the last task "
        "ended. Assign `start + outer_lr * (average - start)` to them with `assign`; `w = "
        "...` changes no variable.",
        averaging(lambda s, mean, rate, last: last),
    ),
    "tasks in a chain": Wrong(
        "You keep the start, but each task continues where the previous one stopped. Restore "
        "the start before each task, and average the adapted weights.",
        averaging(lambda s, mean, rate, last: s + rate * (last - s), reset=False),
    ),
    "chain averaged": Wrong(
        "You average the adapted weights, but each task continues where the previous one "
        "stopped. Restore the start before each task.",
        averaging(reset=False),
    ),
    "list copied": Wrong(
        "Your copy of the start contains the variables themselves, so it changes with them. "
        "Copy the values with `w.numpy()`, and restore them before each task.",
        averaging(lambda s, mean, rate, last: last + rate * (mean - last), reset=False),
    ),
    "one task after the other": Wrong(
        "You update the weights after each task, so the next task starts elsewhere. Start every "
        "task from the same weights, and update once, toward the average of the adapted weights.",
        one_after_the_other(),
        one_after_the_other(lambda tasks: 1 / len(tasks)),
    ),
    "last task only": Wrong(
        "You use only the last task. Store the adapted weights of every task as values, "
        "`w.numpy()`, and average them.",
        averaging(chosen=lambda ends: ends[-1:]),
    ),
    "start taken anew": Wrong(
        "You store the start again before each task, but by then the weights are where the "
        "previous task ended. Store it once, before the loop, and restore it before each task.",
        start_taken_anew,
    ),
    "first task only": Wrong(
        "You use only the first task. Store the adapted weights of all tasks, and average them.",
        averaging(chosen=lambda ends: ends[:1]),
    ),
    "moved all the way": Wrong(
        "You move the weights all the way to the average. Move them only by `outer_lr` times "
        "the difference: `start + outer_lr * (average - start)`.",
        averaging(lambda s, mean, rate, last: mean),
    ),
    "summed ends": Wrong(
        "You add up the moves of all tasks. Divide by the number of tasks, so that you move toward "
        "the average of the adapted weights.",
        moved_by_sum,
    ),
    "ends added up": Wrong(
        "You summed the adapted weights instead of averaging them. Divide by the number of tasks.",
        ends_added_up,
    ),
    "divided by steps": Wrong(
        "You divide the sum over the tasks by `steps`. Divide it by the number of tasks.",
        divided_by_steps,
        ends_divided_by_steps,
    ),
    "ways averaged": Wrong(
        "You average the weights after every inner step. Use only those at the end of each "
        "task, after the loop over the steps.",
        ways_averaged,
    ),
    "away from the ends": Wrong(
        "The weights move away from the adapted weights. Add `outer_lr * (average - start)`.",
        averaging(lambda s, mean, rate, last: s - rate * (mean - s)),
    ),
    "parts exchanged": Wrong(
        "You move the weights by the fraction 1 - `outer_lr`. Use `start + outer_lr * (average "
        "- start)`.",
        averaging(lambda s, mean, rate, last: mean + rate * (s - mean)),
    ),
    "from the last end": Wrong(
        "You start the final move where the last task ended. Start from the stored weights: "
        "assign `start + outer_lr * (average - start)`.",
        averaging(lambda s, mean, rate, last: last + rate * (mean - s)),
        averaging(lambda s, mean, rate, last: last + rate * (mean - last)),
    ),
    "one inner step": Wrong(
        "Each task takes only one inner step. Take `steps` steps.",
        averaging(inner=lambda steps: 1),
    ),
    "another number of steps": Wrong(
        "Each task takes one step too many or too few. Use `range(steps)`.",
        averaging(inner=lambda steps: steps + 1),
        averaging(inner=lambda steps: steps - 1),
    ),
    "one average for all entries": Wrong(
        "Your average is one number per variable. Average elementwise, with `axis=0`.",
        averaging(lambda s, mean, rate, last: s + rate * (tf.reduce_mean(mean) - s)),
    ),
    "inner rate at the end": Wrong(
        "You use `inner_lr` for the final move. Use `outer_lr`.",
        lambda weights, tasks, inner_lr, outer_lr, steps: averaging()(
            weights, tasks, inner_lr, inner_lr, steps
        ),
    ),
    "rates exchanged": Wrong(
        "You use `outer_lr` for the inner steps. Use `inner_lr` there, and `outer_lr` for the "
        "final move.",
        averaging(rate_of=lambda inner_lr, outer_lr: outer_lr),
    ),
    "both rates exchanged": Wrong(
        "The two learning rates are swapped. Use `inner_lr` for the steps in a task, and "
        "`outer_lr` for the final move.",
        lambda weights, tasks, inner_lr, outer_lr, steps: averaging()(
            weights, tasks, outer_lr, inner_lr, steps
        ),
    ),
    "one way for all": Wrong(
        "You train on all tasks together, with their mean or summed loss. Let each task take its "
        "own steps from the start, and average the adapted weights.",
        one_way_for_all(lambda losses: tf.add_n(losses) / len(losses)),
        one_way_for_all(tf.add_n),
    ),
    "start left as it is": Wrong(
        "The variables end where they started. Store the adapted weights before you restore "
        "the start, and assign `start + outer_lr * (average - start)` to the variables.",
        averaging(lambda s, mean, rate, last: s),
    ),
    "first-order MAML": Wrong(
        "You move the weights along the gradients at the adapted weights, which is first-order "
        "MAML. Move toward the adapted weights themselves.",
        by_gradients_at_ends,
    ),
}

MISTAKES = {
    "17.1": THROUGH_A_STEP,
    "17.2": STEPS,
    "17.3": [MAML, FIRST_ORDER, REPTILE, COPY],
    "17.4": ENDS,
}

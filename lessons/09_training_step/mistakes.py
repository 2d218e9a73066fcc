"""Wrong answers to the questions of lesson 09, and what each is told."""

import keras
import tensorflow as tf

from course_utils.exercises import Between, Table, Wrong

# 09.1


def mean_square(y_hat, y):
    return tf.reduce_mean((y_hat - y) ** 2)


def whole(error, penalties):
    return error + sum(penalties)


def error_alone(error, penalties):
    return error


def stepping(
    join=whole,
    error_of=mean_square,
    training=True,
    apply=lambda optimizer, gradients, variables: optimizer.apply(gradients, variables),
    returned=lambda loss, *call: loss,
    layers=slice(None),
):
    """Return a step with another loss, another update, or another result."""

    def step(model, optimizer, x, y):
        variables = [v for layer in model.layers[layers] for v in layer.trainable_variables]
        with tf.GradientTape() as tape:
            loss = join(error_of(model(x, training=training), y), model.losses)
        apply(optimizer, tape.gradient(loss, variables), variables)
        return returned(loss, model, x, y)

    return step


def changed(change):
    """Return how gradients are applied after a change."""
    return lambda optimizer, gradients, variables: optimizer.apply(change(gradients), variables)


def not_applied(optimizer, gradients, variables):
    pass


def applied_twice(optimizer, gradients, variables):
    optimizer.apply(gradients, variables)
    optimizer.apply(gradients, variables)


def keras_loss_of_classes(y_hat, y):
    return keras.losses.SparseCategoricalCrossentropy(from_logits=True)(y, y_hat)


def squared_mean(y_hat, y):
    return tf.reduce_mean(y_hat - y) ** 2


CLIPS = (
    lambda limit: lambda gradients: tf.clip_by_global_norm(gradients, limit)[0],
    lambda limit: lambda gradients: [tf.clip_by_norm(g, limit) for g in gradients],
    lambda limit: lambda gradients: [tf.clip_by_value(g, -limit, limit) for g in gradients],
)


def by_own(make_optimizer):
    return lambda model, optimizer, x, y: stepping()(model, make_optimizer(), x, y)


def two_steps(*call):
    stepping()(*call)
    return stepping()(*call)


def loss_afterwards(loss, model, x, y):
    return whole(mean_square(model(x, training=True), y), model.losses)


def with_squared_penalties(shape, sign):
    def step(model, optimizer, x, y):
        with tf.GradientTape() as tape:
            difference = sign * (model(x, training=True) - tf.reshape(y, shape))
            loss = tf.reduce_mean((difference + sum(model.losses)) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        return loss

    return step


SQUARED = [with_squared_penalties((-1, 1), sign) for sign in (1, -1)]


def without_returned_penalties(step):
    def shortened(model, *call):
        penalties = sum(model.losses)
        return step(model, *call) - penalties

    return shortened


A_LIST_OF_PENALTIES = (
    "You add `model.losses`, which is a list (here of two penalties). It broadcasts, so the error "
    "is counted once per penalty: add `sum(model.losses)` instead."
)
CALL_IN_TRAINING = (
    "You call the model without `training=True`, so layers such as dropout and batch normalization "
    "behave as they do at inference. Write `model(x, training=True)`."
)
TABLE = (
    "one of `y_hat` and `y` has shape (n, 1) and the other does not, so `y_hat - y` "
    "broadcasts to (n, n)"
)
PENALTIES_TWICE = "The penalties are in the loss twice. Add `sum(model.losses)` to the mean once."
NOT_THE_WHOLE_LOSS = (
    "The update is right, but the loss that you return leaves out the penalties. Return the "
    "loss that you differentiated."
)
LOSS_AFTERWARDS = (
    "The update is right, but the loss that you return was computed after it. Return the loss that "
    "you differentiated."
)
NOT_RECORDED = (
    "Only the penalties change the weights: no path leads from the weights to the squared "
    "error. Call `model(x, training=True)` inside the `with` block, without `predict`, "
    "`.numpy()` or NumPy."
)
AVERAGED_FIRST = (
    "You average the errors or the predictions before squaring. Square each example's error first, "
    "then take the mean."
)
PENALTIES_SQUARED = (
    "You add the penalties to the differences and square them together. Close the parentheses "
    "of `tf.reduce_mean` first, then add `sum(model.losses)`."
)
PENALTIES_IN_PART = (
    "Your loss includes only part of the penalties. Add `sum(model.losses)`, not one of the "
    "penalties or their mean."
)
IN_PART = (lambda e, p: e + p[0], lambda e, p: e + p[1], lambda e, p: e + tf.reduce_mean(p))

STEPS = {
    "nothing applied": Wrong(
        "The model's weights did not change. Call `optimizer.apply(gradients, "
        "model.trainable_variables)` before the `return`, with the variables of the given "
        "`model`.",
        stepping(apply=not_applied),
    ),
    "no training true": Wrong(
        CALL_IN_TRAINING,
        *(stepping(join, training=False) for join in (whole, error_alone, tf.add)),
    ),
    "penalties as list": Wrong(A_LIST_OF_PENALTIES, stepping(tf.add)),
    "predictions not recorded": Wrong(
        NOT_RECORDED, stepping(error_of=lambda y_hat, y: mean_square(y_hat.numpy(), y))
    ),
    "table of n by n": Wrong(
        f"The shapes do not match: {TABLE}. Give both the shape (n, 1).",
        stepping(error_of=lambda y_hat, y: mean_square(y_hat[:, 0], y)),
    ),
    "penalties left out": Wrong(
        "The update ignores the regularization. Add `sum(model.losses)` to the loss, inside "
        "the `with` block.",
        stepping(error_alone),
    ),
    "penalties twice": Wrong(PENALTIES_TWICE, stepping(lambda e, p: e + 2 * sum(p))),
    "penalties in part": Wrong(PENALTIES_IN_PART, *map(stepping, IN_PART)),
    "penalties squared": Wrong(PENALTIES_SQUARED, *SQUARED),
    "climbs": Wrong(
        "The update goes uphill. Pass `optimizer.apply` the gradients without a minus sign.",
        *(
            stepping(join, apply=changed(lambda gradients: [-g for g in gradients]))
            for join in (whole, error_alone)
        ),
    ),
    "half the error": Wrong(
        "The squared error has a factor of 1/2. Remove it.",
        stepping(lambda e, p: whole(e / 2, p)),
    ),
    "applied twice": Wrong(
        "The update is twice as large as it should be. Apply the gradients once, and do not "
        "double the loss.",
        stepping(apply=applied_twice),
    ),
    "sum of squares": Wrong(
        "You sum the squared errors. Average them with `tf.reduce_mean`, so that the update "
        "does not grow with the batch.",
        stepping(error_of=lambda y_hat, y: tf.reduce_sum((y_hat - y) ** 2)),
    ),
    "not averaged": Wrong(
        "You do not average the squared errors, so the tape sums a loss with many entries, "
        "each including the penalty. Average only the squared errors, with "
        "`tf.reduce_mean`.",
        stepping(error_of=lambda y_hat, y: (y_hat - y) ** 2),
    ),
    "sum without penalties": Wrong(
        "You sum the squared errors and leave out the penalties. The loss is `tf.reduce_mean` "
        "of the squared errors plus `sum(model.losses)`.",
        stepping(error_alone, lambda y_hat, y: (y_hat - y) ** 2),
    ),
    "absolute error": Wrong(
        "You do not square the differences: you use their mean, or the mean absolute error. "
        "Square them first.",
        stepping(error_of=lambda y_hat, y: tf.reduce_mean(tf.abs(y_hat - y))),
        stepping(error_of=lambda y_hat, y: tf.reduce_mean(y_hat - y)),
        stepping(error_of=lambda y_hat, y: tf.reduce_mean(y - y_hat)),
    ),
    "loss for classes": Wrong(
        "You use cross-entropy, which is a loss for classification. For a regression, use the mean "
        "of the squared differences.",
        stepping(error_of=lambda y_hat, y: keras.losses.BinaryCrossentropy(True)(y, y_hat)),
        stepping(error_of=lambda y_hat, y: keras.losses.CategoricalCrossentropy(True)(y, y_hat)),
        stepping(error_of=keras_loss_of_classes),
    ),
    "huber": Wrong(
        "You use the Huber loss, which is linear for large differences. Square all differences.",
        stepping(error_of=lambda y_hat, y: keras.losses.Huber()(y, y_hat)),
    ),
    "length of the error": Wrong(
        "You use the norm of the differences. Use the mean of their squares.",
        stepping(error_of=lambda y_hat, y: tf.norm(y_hat - y)),
    ),
    "averaged before squaring": Wrong(AVERAGED_FIRST, stepping(error_of=squared_mean)),
    "clipped": Wrong(
        "You clip the gradients. Apply them unchanged.",
        *(stepping(apply=changed(clip(limit))) for limit in (1.0, 5.0, 10.0) for clip in CLIPS),
    ),
    "another optimizer": Wrong(
        "You used another optimizer, or another learning rate. Call `apply` on the given "
        "`optimizer`.",
        *map(by_own, (lambda: keras.optimizers.SGD(0.1), keras.optimizers.SGD)),
        *map(by_own, (lambda: keras.optimizers.SGD(0.001), keras.optimizers.Adam)),
    ),
    "root of the mean": Wrong(
        "You take the square root of the mean squared error. Remove the square root.",
        stepping(error_of=lambda y_hat, y: tf.sqrt(mean_square(y_hat, y))),
    ),
    "two steps": Wrong("You updated the model twice in one call. Take one step.", two_steps),
    "only the last layer": Wrong(
        "Only the last layer changes. Compute the gradients with respect to "
        "`model.trainable_variables`, and apply all of them.",
        stepping(layers=slice(-1, None)),
    ),
    "error alone returned": Wrong(NOT_THE_WHOLE_LOSS, without_returned_penalties(stepping())),
    "loss after update": Wrong(LOSS_AFTERWARDS, stepping(returned=loss_afterwards)),
}

# 09.2

TABLES = Table(
    {
        0: "0 would be right if the subtraction worked example by example. But what is the shape "
        "of (2, 1) minus (2,)?",
        8: "8 is the sum of the squares. But the loss is their mean.",
        4: "4 is right for the entries off the diagonal. But the mean is over all four entries.",
        1: "1 is the mean of the four absolute differences. But they are squared first, and "
        "the squares sum to 8.",
        Between(1.41, 1.42): "{value} is the square root of the loss. The expression has no square "
        "root, so write the loss itself.",
        Between(-1e6, -1e-6): "{value} is below 0, but a mean of squares never is. The entries off "
        "the diagonal are 1 - 3 and 3 - 1, and each is squared.",
    },
    "{value} is not the loss. Write the difference as a 2 by 2 matrix, with a row for each "
    "prediction and a column for each target.",
)

# 09.3


def mended(*options, **more):
    """Return a step with the targets as a column."""
    step = stepping(*options, **more)
    return lambda model, optimizer, x, y: step(model, optimizer, x, y[:, None])


def after_a_look(training):
    def step(model, optimizer, x, y):
        model(x, training=True)
        return mended(training=training)(model, optimizer, x, y)

    return step


def average_along(axis):
    return lambda y_hat, y: tf.reduce_mean((y_hat - y) ** 2, axis=axis)


def with_divided_penalties(model, optimizer, x, y):
    return mended(lambda e, p: e + sum(p) / len(x))(model, optimizer, x, y)


SILENT = {
    "penalties divided": Wrong(
        "You divide the penalties by the number of examples. They depend on the weights, not on "
        "the examples, so add `sum(model.losses)` to the mean once.",
        with_divided_penalties,
    ),
    "no training true": Wrong(
        "One bug is left: the model is called without `training=True`, so batch normalization "
        "uses its moving averages. Write `model(x, training=True)`.",
        mended(training=False),
    ),
    "penalties left out": Wrong(
        "One bug is left: the update ignores the penalties in `model.losses`. Add "
        "`sum(model.losses)` to the loss inside the `with` block.",
        mended(error_alone),
    ),
    "table of n by n": Wrong(
        f"One bug is left: {TABLE}. Give both the same shape, for example with `y_hat[:, 0]`.",
        stepping(),
    ),
    "table averaged in part": Wrong(
        f"Your loss has n entries, because {TABLE} and you average along only one axis. Use "
        "`y_hat[:, 0]`, and average over all entries.",
        *(stepping(join, average_along(axis)) for join in (whole, error_alone) for axis in (0, 1)),
    ),
    "penalties squared": Wrong(PENALTIES_SQUARED, *SQUARED),
    "prediction without penalties": Wrong(
        "Two bugs are left. (1) The model is called without `training=True`, so batch "
        "normalization uses its moving averages. (2) The penalties are missing: add "
        "`sum(model.losses)`.",
        mended(error_alone, training=False),
    ),
    "prediction and table": Wrong(
        "Two bugs are left. (1) The model is called without `training=True`, so batch "
        f"normalization uses its moving averages. (2) In the loss, {TABLE}: use `y_hat[:, "
        "0]`.",
        stepping(training=False),
    ),
    "table without penalties": Wrong(
        "Two bugs are left. (1) The penalties are missing: add `sum(model.losses)`. (2) In "
        f"the loss, {TABLE}: use `y_hat[:, 0]`.",
        stepping(error_alone),
    ),
    "all three faults": Wrong(
        "All three bugs are left: (1) the model is called without `training=True`; (2) the "
        f"penalties are missing: add `sum(model.losses)`; (3) {TABLE}: use `y_hat[:, 0]`.",
        stepping(error_alone, training=False),
    ),
    "penalties as list": Wrong(
        A_LIST_OF_PENALTIES,
        mended(tf.add),
        stepping(tf.add),
        mended(tf.add, training=False),
        stepping(tf.add, training=False),
    ),
    "penalties twice": Wrong(PENALTIES_TWICE, mended(lambda e, p: e + 2 * sum(p))),
    "nothing applied": Wrong(
        "The weights did not change, because no gradients were applied. Keep "
        "`optimizer.apply(gradients, model.trainable_variables)` before the `return`.",
        mended(apply=not_applied),
    ),
    "two forward passes": Wrong(
        "The update is right, but the moving averages were updated twice, because you call the "
        "model twice in training mode. Call it once, and use that prediction.",
        after_a_look(training=True),
    ),
    "training in another call": Wrong(
        "You pass `training=True` in one call, but your loss uses the prediction from another. "
        "Pass it in the call inside the block.",
        after_a_look(training=False),
    ),
    "predictions not recorded": Wrong(
        NOT_RECORDED, mended(error_of=lambda y_hat, y: mean_square(y_hat.numpy(), y))
    ),
    "first example only": Wrong(
        "You compare every target with the prediction for the first example: `[0]` selects a "
        "row. Select the column with `[:, 0]`.",
        stepping(error_of=lambda y_hat, y: mean_square(y_hat[0], y)),
    ),
    "averaged before squaring": Wrong(AVERAGED_FIRST, mended(error_of=squared_mean)),
    "penalties in part": Wrong(PENALTIES_IN_PART, *map(mended, IN_PART)),
    "sum of squares": Wrong(
        "You sum the squared errors. Keep their mean, as in the exercise.",
        mended(error_of=lambda y_hat, y: tf.reduce_sum((y_hat - y) ** 2)),
    ),
    "applied twice": Wrong(
        "The update is twice as large as it should be. Keep the single update from the exercise.",
        mended(apply=applied_twice),
    ),
    "error alone returned": Wrong(NOT_THE_WHOLE_LOSS, without_returned_penalties(mended())),
    "loss after update": Wrong(LOSS_AFTERWARDS, mended(returned=loss_afterwards)),
}

# 09.4


def recording(update, resets=True, read=lambda metric: float(metric.result())):
    def losses_of_epochs(metric, epochs):
        history = []
        for batches in epochs:
            if resets:
                metric.reset_state()
            for losses in batches:
                update(metric, losses)
            history.append(read(metric))
        return history

    return losses_of_epochs


def every_loss(metric, losses):
    metric.update_state(losses)


def batch_mean(metric, losses):
    metric.update_state(tf.reduce_mean(losses))


def batch_sum(metric, losses):
    metric.update_state(tf.reduce_sum(losses))


def fresh_loss(metric, losses):
    metric.reset_state()
    metric.update_state(losses)


def reset_and_read(metric):
    metric.reset_state()
    return float(metric.result())


def batch_weighed(weight, average=tf.reduce_mean):
    return recording(lambda m, losses: m.update_state(average(losses), weight(losses)))


def one_epoch_late(metric, epochs):
    history = []
    for batches in epochs:
        history.append(float(metric.result()))
        metric.reset_state()
        for losses in batches:
            every_loss(metric, losses)
    return history


HISTORIES = {
    "short batch counts full": Wrong(
        "You now separate the epochs, but a short batch still has the same weight as a full "
        "one. Pass the metric every loss of the batch, or pass the mean with "
        "`sample_weight=len(losses)`.",
        recording(batch_mean),
    ),
    "never reset": Wrong(
        "All examples now count equally, but the metric still remembers earlier epochs. Call "
        "`metric.reset_state()` (with parentheses) at the start of each epoch.",
        recording(every_loss, resets=False),
    ),
    "both faults": Wrong(
        "Both bugs are still there. (1) You never reset the metric: call "
        "`metric.reset_state()` for each epoch. (2) A short batch has the same weight as a "
        "full one: pass every loss to `update_state`.",
        recording(batch_mean, resets=False),
    ),
    "last batch only": Wrong(
        "Each number is the mean of only the last batch. Reset the metric once per epoch, not "
        "once per batch.",
        recording(fresh_loss),
    ),
    "sums": Wrong(
        "You returned sums. Divide each sum by the number of examples in its epoch.",
        lambda metric, epochs: [sum(float(sum(b)) for b in batches) for batches in epochs],
    ),
    "mean of sums": Wrong(
        "You returned the mean of the batches' sums. Pass the metric every loss of a batch, or "
        "divide by the number of losses.",
        recording(batch_sum),
    ),
    "batches weighed wrongly": Wrong(
        "The batches have the wrong weights. Pass the metric the mean of a batch with "
        "`sample_weight=len(losses)`, or every loss without a weight.",
        batch_weighed(lambda losses: 1 / len(losses)),
        batch_weighed(len, tf.reduce_sum),
    ),
    "losses as weights": Wrong(
        "You pass the losses as `sample_weight`. If you pass the mean of a batch, its weight is "
        "the number of losses, `len(losses)`.",
        batch_weighed(lambda losses: losses),
    ),
    "one epoch late": Wrong(
        "Your list is one epoch late: you read the result before you add the epoch's batches. Read "
        "it after the loop over the batches.",
        one_epoch_late,
    ),
    "result not called": Wrong(
        "Your list contains the method `result` itself. Call it: `metric.result()`.",
        recording(every_loss, read=lambda metric: metric.result),
    ),
    "reset too early": Wrong(
        "Every number is 0, because the metric is empty when you read it. Call `update_state` "
        "for each batch between `reset_state()` and `result()`.",
        recording(every_loss, read=reset_and_read),
    ),
}

# 09.5


def accumulating(join, error_of=mean_square, training=True, apply=True, layers=slice(None)):
    """Return an answer to 09.5; ``join`` makes the loss of a part.

    It gets the error, the penalties, and the numbers of examples in the part, of all examples and
    of parts.
    """

    def accumulated_step(model, optimizer, parts):
        count = sum(len(x) for x, _ in parts)
        variables = [v for layer in model.layers[layers] for v in layer.trainable_variables]
        total = [tf.zeros_like(v) for v in variables]
        for x, y in parts:
            with tf.GradientTape() as tape:
                error = error_of(model(x, training=training), y)
                loss = join(error, sum(model.losses), len(x), count, len(parts))
            gradients = tape.gradient(loss, variables)
            total = [t + g for t, g in zip(total, gradients, strict=True)]
        if apply:
            optimizer.apply(total, variables)

    return accumulated_step


def weighing(weigh):
    """Return three answers: with the penalty of each part weighed alike, counted once, and none."""
    return [
        lambda e, p, n, N, k: weigh(n, N, k) * (e + p),
        lambda e, p, n, N, k: weigh(n, N, k) * e + p / k,
        lambda e, p, n, N, k: weigh(n, N, k) * e,
    ]


def fair(n, N, k):
    return n / N


FAIR, *_ = weighing(fair)
UNWEIGHED = weighing(lambda n, N, k: 1.0)
EQUAL = weighing(lambda n, N, k: 1 / k)
UNDIVIDED = weighing(lambda n, N, k: float(n))


def sum_of_squares(y_hat, y):
    return tf.reduce_sum((y_hat - y) ** 2)


def with_list(model, x, y):
    return mean_square(model(x, training=True), y) + model.losses


def of_one_part(i, share):
    def accumulated_step(model, optimizer, parts):
        weight = share(len(parts[i][0]), sum(len(x) for x, _ in parts), len(parts))
        step = stepping(apply=changed(lambda gradients: [weight * g for g in gradients]))
        step(model, optimizer, *parts[i])

    return accumulated_step


def one_by_one(share):
    def accumulated_step(model, optimizer, parts):
        for i in range(len(parts)):
            of_one_part(i, share)(model, optimizer, parts)

    return accumulated_step


def penalties_as_list(model, optimizer, parts):
    count = sum(len(x) for x, _ in parts)
    total = [tf.zeros_like(v) for v in model.trainable_variables]
    for x, y in parts:
        with tf.GradientTape() as tape:
            loss = len(x) / count * with_list(model, x, y)
        gradients = tape.gradient(loss, model.trainable_variables)
        total = [t + g for t, g in zip(total, gradients, strict=True)]
    optimizer.apply(total, model.trainable_variables)


def in_one_loop(count_first=True, apply_inside=False):
    def accumulated_step(model, optimizer, parts):
        count = sum(len(x) for x, _ in parts) if count_first else 0
        total = [tf.zeros_like(v) for v in model.trainable_variables]
        for x, y in parts:
            count += 0 if count_first else len(x)
            with tf.GradientTape() as tape:
                loss = whole(mean_square(model(x, training=True), y), model.losses)
            gradients = tape.gradient(loss, model.trainable_variables)
            total = [t + len(x) / count * g for t, g in zip(total, gradients, strict=True)]
            if apply_inside:
                optimizer.apply(total, model.trainable_variables)
        if not apply_inside:
            optimizer.apply(total, model.trainable_variables)

    return accumulated_step


def guessing_all(count_of):
    """Return an answer to 09.5 that takes another number for that of all examples."""

    def accumulated_step(model, optimizer, parts):
        count = count_of(parts)
        accumulating(lambda e, p, n, N, k: n / count * (e + p))(model, optimizer, parts)

    return accumulated_step


def with_penalty_of_part(i):
    def accumulated_step(model, optimizer, parts):
        last = len(parts[i][0])
        accumulating(lambda e, p, n, N, k: n / N * e + last / N * p / k)(model, optimizer, parts)

    return accumulated_step


def list_of_lists(model, optimizer, parts):
    count, total = sum(len(x) for x, _ in parts), []
    for x, y in parts:
        with tf.GradientTape() as tape:
            loss = len(x) / count * whole(mean_square(model(x, training=True), y), model.losses)
        total += [tape.gradient(loss, model.trainable_variables)]
    optimizer.apply(total, model.trainable_variables)


def one(n, N, k):
    return 1.0


ACCUMULATED = {
    "nothing applied": Wrong(
        "The model's weights did not change: `optimizer.apply` was never called, or it got zeros "
        "(`n // N` is 0). Sum the gradients of all parts, variable by variable, and call "
        "`optimizer.apply` once, after the last part.",
        accumulating(FAIR, apply=False),
    ),
    "no training true": Wrong(
        CALL_IN_TRAINING,
        *(
            accumulating(join, training=False)
            for join in (*weighing(fair), *UNWEIGHED, *EQUAL, *UNDIVIDED)
        ),
    ),
    "penalties as list": Wrong(A_LIST_OF_PENALTIES, penalties_as_list),
    "added unweighed": Wrong(
        "You add up the gradients without weighting the parts. Multiply the gradients of each part "
        "by n / N, its fraction of all examples.",
        *map(accumulating, UNWEIGHED),
    ),
    "parts count equally": Wrong(
        "You give every part the same weight, but the parts have different sizes. Multiply "
        "each gradient by n / N, where n is `len(x)`; the length of the pair itself is 2.",
        *map(accumulating, EQUAL),
    ),
    "sum never divided": Wrong(
        "You sum the squared errors over all examples, but never divide. Divide by N, the "
        "number of all examples.",
        *map(accumulating, UNDIVIDED),
        accumulating(lambda e, p, n, N, k: n * e + p),
    ),
    "weighed twice": Wrong(
        "You weight each part by n / N twice, in the loss and in the gradients. Weight it only "
        "once.",
        accumulating(lambda e, p, n, N, k: (n / N) ** 2 * (e + p)),
    ),
    "other number than all": Wrong(
        "You divide by a number other than N, the number of all examples. Count all examples "
        "before the loop: `N = sum(len(x) for x, y in parts)`.",
        accumulating(lambda e, p, n, N, k: n / k * (e + p)),
        in_one_loop(count_first=False),
        guessing_all(lambda parts: 32),
        guessing_all(lambda parts: len(parts[0][0]) * len(parts)),
        guessing_all(lambda parts: len(parts[0][0])),
        guessing_all(lambda parts: len(parts[-1][0])),
        guessing_all(lambda parts: len(parts[-1][0]) * len(parts)),
    ),
    "share upside down": Wrong(
        "You weight the parts by N / n, so the smallest part has the largest weight. Weight "
        "them by n / N.",
        accumulating(lambda e, p, n, N, k: N / n * (e + p)),
    ),
    "divided once more": Wrong(
        "You weight the parts by n / N and then divide again. The weights sum to 1, so apply "
        "the sum of the weighted gradients unchanged.",
        accumulating(lambda e, p, n, N, k: n / N / k * (e + p)),
        accumulating(lambda e, p, n, N, k: n / N / N * (e + p)),
    ),
    "sums weighed": Wrong(
        "You sum the squared errors of a part and then weight them by n / N. Average them with "
        "`tf.reduce_mean` before you weight them.",
        *(accumulating(join, sum_of_squares) for join in weighing(fair)),
    ),
    "only the first part": Wrong(
        "You use only the first part. Sum the gradients of all parts, variable by variable, "
        "and apply them after the loop.",
        of_one_part(0, fair),
        of_one_part(0, one),
    ),
    "only the last part": Wrong(
        "You use only the last part. Sum the gradients of all parts, variable by variable, and "
        "apply them after the loop.",
        of_one_part(-1, fair),
        of_one_part(-1, one),
    ),
    "penalties left out": Wrong(
        "The penalties are missing. Add `sum(model.losses)` to each part's loss before you "
        "weight it.",
        accumulating(lambda e, p, n, N, k: n / N * e),
    ),
    "penalty once per part": Wrong(
        "The penalties are added once per part. Weight the whole loss of a part by n / N, "
        "including the penalties.",
        accumulating(lambda e, p, n, N, k: n / N * e + p),
    ),
    "penalty too little": Wrong(
        "The penalties are too small: across all parts, they should add up to one "
        "`sum(model.losses)`. Add `sum(model.losses)` to each part's mean, then weight the whole "
        "loss by n / N.",
        accumulating(lambda e, p, n, N, k: n / N * e + p / N),
        accumulating(lambda e, p, n, N, k: n / N * (e + p / k)),
        with_penalty_of_part(0),
        with_penalty_of_part(-1),
    ),
    "applied after every part": Wrong(
        "You update the model after every part, so the later parts use weights that have already "
        "changed. Sum the gradients first, and apply them once.",
        one_by_one(one),
        one_by_one(fair),
        in_one_loop(apply_inside=True),
    ),
    "table of n by n": Wrong(
        f"The shapes do not match: {TABLE}. Give both the shape (n, 1).",
        accumulating(FAIR, lambda y_hat, y: mean_square(y_hat[:, 0], y)),
    ),
    "only the last layer": Wrong(
        "Only the last layer changes. Compute the gradients with respect to "
        "`model.trainable_variables`, and apply all of them.",
        accumulating(FAIR, layers=slice(-1, None)),
    ),
    "list of lists": Wrong(
        "The optimizer received a list of lists, because `total += [gradients]` appends a "
        "whole list. Add variable by variable: `total = [t + g for t, g in zip(total, "
        "gradients)]`.",
        list_of_lists,
    ),
}

MISTAKES = {"09.1": STEPS, "09.2": TABLES, "09.3": SILENT, "09.4": HISTORIES, "09.5": ACCUMULATED}

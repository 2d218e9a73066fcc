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
    "model.losses is a list, here of two penalties, and the error plus a list counts the error "
    "once for each of them. Add sum(model.losses)."
)
CALL_IN_TRAINING = (
    "The model is called without training=True, and layers such as dropout and batch normalisation "
    "then work as in a prediction. Write model(x, training=True)."
)
TABLE = "a column, (n, 1), with a row, (n,) or (1, n), makes a table of n by n"
PENALTIES_TWICE = "The penalties count twice. Add sum(model.losses) to the mean, once."
NOT_THE_WHOLE_LOSS = (
    "The update is right. The loss that you return leaves out the penalties: return the one that "
    "the gradient is taken of."
)
LOSS_AFTERWARDS = "The update is right. Return the loss before the update, not after it."
NOT_RECORDED = (
    "Only the penalties move the weights: the tape did not record the way from the weights to the "
    "squared error. Call model(x, training=True) inside the `with` block, and use no predict, "
    ".numpy() or np there."
)
AVERAGED_FIRST = "You average the errors, or the predictions, and then square. Square each example's error first."
PENALTIES_SQUARED = (
    "The penalties are added to the differences, and squared with them. Close the bracket of "
    "tf.reduce_mean first, and then add sum(model.losses)."
)
PENALTIES_IN_PART = (
    "Not every penalty counts in full. Add sum(model.losses), not the first of them or their mean."
)
IN_PART = (lambda e, p: e + p[0], lambda e, p: e + p[1], lambda e, p: e + tf.reduce_mean(p))

STEPS = {
    "nothing applied": Wrong(
        "The model's weights are as they were. Call optimizer.apply(gradients, "
        "model.trainable_variables) above `return`, with the variables of the model that is given.",
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
        f"Look at the shapes of y_hat and y: {TABLE}.",
        stepping(error_of=lambda y_hat, y: mean_square(y_hat[:, 0], y)),
    ),
    "penalties left out": Wrong(
        "The update ignores the regulariser. Add sum(model.losses) to the loss, inside the `with` "
        "block.",
        stepping(error_alone),
    ),
    "penalties twice": Wrong(PENALTIES_TWICE, stepping(lambda e, p: e + 2 * sum(p))),
    "penalties in part": Wrong(PENALTIES_IN_PART, *map(stepping, IN_PART)),
    "penalties squared": Wrong(PENALTIES_SQUARED, *SQUARED),
    "climbs": Wrong(
        "The update climbs. Give optimizer.apply the gradients as they are.",
        *(
            stepping(join, apply=changed(lambda gradients: [-g for g in gradients]))
            for join in (whole, error_alone)
        ),
    ),
    "half the error": Wrong(
        "The squared error counts by half: leave out the factor 1/2.",
        stepping(lambda e, p: whole(e / 2, p)),
    ),
    "applied twice": Wrong(
        "The update is twice as long as it should be. Apply the gradients once, those of the loss "
        "and not of its double.",
        stepping(apply=applied_twice),
    ),
    "sum of squares": Wrong(
        "The squared errors are added up. Take tf.reduce_mean of them, so that the update does "
        "not grow with the batch.",
        stepping(error_of=lambda y_hat, y: tf.reduce_sum((y_hat - y) ** 2)),
    ),
    "not averaged": Wrong(
        "The squared errors are not averaged, and the tape adds up a loss of many entries, each "
        "with the penalty. Take tf.reduce_mean of the squared errors alone.",
        stepping(error_of=lambda y_hat, y: (y_hat - y) ** 2),
    ),
    "sum without penalties": Wrong(
        "The squared errors are added up, and the penalties are left out. The loss is "
        "tf.reduce_mean of the squared errors plus sum(model.losses).",
        stepping(error_alone, lambda y_hat, y: (y_hat - y) ** 2),
    ),
    "absolute error": Wrong(
        "The differences are not squared: this is the step of their mean, or of the mean absolute "
        "error. Square them first.",
        stepping(error_of=lambda y_hat, y: tf.reduce_mean(tf.abs(y_hat - y))),
        stepping(error_of=lambda y_hat, y: tf.reduce_mean(y_hat - y)),
        stepping(error_of=lambda y_hat, y: tf.reduce_mean(y - y_hat)),
    ),
    "loss for classes": Wrong(
        "Your loss is a cross-entropy, which is for classes. A regression's loss is the "
        "mean of the squared differences.",
        stepping(error_of=lambda y_hat, y: keras.losses.BinaryCrossentropy(True)(y, y_hat)),
        stepping(error_of=lambda y_hat, y: keras.losses.CategoricalCrossentropy(True)(y, y_hat)),
        stepping(error_of=keras_loss_of_classes),
    ),
    "huber": Wrong(
        "This is the step of the Huber loss, which is straight for large differences. Square them "
        "all.",
        stepping(error_of=lambda y_hat, y: keras.losses.Huber()(y, y_hat)),
    ),
    "length of the error": Wrong(
        "This is the step of the length of the vector of differences. Take the mean of their "
        "squares.",
        stepping(error_of=lambda y_hat, y: tf.norm(y_hat - y)),
    ),
    "averaged before squaring": Wrong(AVERAGED_FIRST, stepping(error_of=squared_mean)),
    "clipped": Wrong(
        "The gradients are clipped. Apply them as they are: nothing here asks for shorter steps.",
        *(stepping(apply=changed(clip(limit))) for limit in (1.0, 5.0, 10.0) for clip in CLIPS),
    ),
    "another optimizer": Wrong(
        "The optimizer that you were given did not take this step: it has the size of another. "
        "Make none of your own, and call optimizer.apply.",
        *map(by_own, (lambda: keras.optimizers.SGD(0.1), keras.optimizers.SGD)),
        *map(by_own, (lambda: keras.optimizers.SGD(0.001), keras.optimizers.Adam)),
    ),
    "root of the mean": Wrong(
        "This is the step of the root of the mean squared error. Leave out the root.",
        stepping(error_of=lambda y_hat, y: tf.sqrt(mean_square(y_hat, y))),
    ),
    "two steps": Wrong("The model was updated twice in one call. Take one step.", two_steps),
    "only the last layer": Wrong(
        "Only the last layer moves. Ask for the gradients of model.trainable_variables, and apply "
        "all of them.",
        stepping(layers=slice(-1, None)),
    ),
    "error alone returned": Wrong(NOT_THE_WHOLE_LOSS, without_returned_penalties(stepping())),
    "loss after update": Wrong(LOSS_AFTERWARDS, stepping(returned=loss_afterwards)),
}

# 09.2

TABLES = Table(
    {
        0: "0 is what it should be. But (2, 1) minus (2,) does not subtract example by example: "
        "which shape does the difference have?",
        8: "8 is the sum of the squares in the table. The loss is their mean.",
        4: "4 is right for the entries off the diagonal. The mean is over all four.",
        1: "1 is the mean of the four differences without their signs. They are squared first, and "
        "the squares add up to 8.",
        Between(1.41, 1.42): "{value} is the root of the loss. Nothing here takes a root.",
        Between(-1e6, -1e-6): "{value} is below 0, and a mean of squares never is: off the "
        "diagonal stand 1 - 3 and 3 - 1, and each is squared.",
    },
    "{value} is not it. Write down the difference as a table of two by two: a row for each "
    "prediction, a column for each target.",
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
        "The penalties are divided by the number of examples. They belong to the weights, and count "
        "once: add sum(model.losses) to the mean.",
        with_divided_penalties,
    ),
    "no training true": Wrong(
        "One fault is left: the model is called without training=True, and normalises with "
        "stored averages.",
        mended(training=False),
    ),
    "penalties left out": Wrong(
        "One fault is left: the penalties in model.losses are left out of the loss.",
        mended(error_alone),
    ),
    "table of n by n": Wrong(f"One fault is left: {TABLE}.", stepping()),
    "table averaged in part": Wrong(
        f"The loss has n entries, and the tape adds them up: {TABLE}, and the mean was taken along "
        "one axis of it. Take column 0 of the prediction, and the mean of all.",
        *(stepping(join, average_along(axis)) for join in (whole, error_alone) for axis in (0, 1)),
    ),
    "penalties squared": Wrong(PENALTIES_SQUARED, *SQUARED),
    "prediction without penalties": Wrong(
        "Two faults are left: the model is called without training=True, and normalises with "
        "stored averages; the penalties in model.losses are left out of the loss.",
        mended(error_alone, training=False),
    ),
    "prediction and table": Wrong(
        "Two faults are left: the model is called without training=True, and normalises with "
        f"stored averages; {TABLE}.",
        stepping(training=False),
    ),
    "table without penalties": Wrong(
        f"Two faults are left: the penalties in model.losses are left out of the loss; {TABLE}.",
        stepping(error_alone),
    ),
    "all three faults": Wrong(
        "All three faults are left: the model is called without training=True, and normalises "
        f"with stored averages; the penalties in model.losses are left out of the loss; {TABLE}.",
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
        "The weights of the layers are as they were: nothing was applied. Keep "
        "optimizer.apply(gradients, model.trainable_variables) above `return`, as it was given.",
        mended(apply=not_applied),
    ),
    "two forward passes": Wrong(
        "The update is right, but the moving averages moved twice: the model is called twice in "
        "training. Call it once, and use that prediction.",
        after_a_look(training=True),
    ),
    "training in another call": Wrong(
        "training=True counts for one call alone, and the prediction in your loss is of another. "
        "Write it in the call inside the block.",
        after_a_look(training=False),
    ),
    "predictions not recorded": Wrong(
        NOT_RECORDED, mended(error_of=lambda y_hat, y: mean_square(y_hat.numpy(), y))
    ),
    "first example only": Wrong(
        "Every target is compared with the prediction for the first example. Column 0 is [:, 0], "
        "and [0] is a row.",
        stepping(error_of=lambda y_hat, y: mean_square(y_hat[0], y)),
    ),
    "averaged before squaring": Wrong(AVERAGED_FIRST, mended(error_of=squared_mean)),
    "penalties in part": Wrong(PENALTIES_IN_PART, *map(mended, IN_PART)),
    "sum of squares": Wrong(
        "The squared errors are added up. Keep their mean as it was given.",
        mended(error_of=lambda y_hat, y: tf.reduce_sum((y_hat - y) ** 2)),
    ),
    "applied twice": Wrong(
        "The update is twice as long as it should be. Keep the one update as it was given.",
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
        "The epochs are apart now. But a short batch still counts as much as a full one: let the "
        "metric weigh it by its size, or give it every loss of the batch.",
        recording(batch_mean),
    ),
    "never reset": Wrong(
        "Each example counts the same now. But every number still holds the epochs before it: "
        "start anew with metric.reset_state(), with its parentheses, inside the loop over epochs.",
        recording(every_loss, resets=False),
    ),
    "both faults": Wrong(
        "Both faults are still there: the metric is never reset, and a short batch counts as much "
        "as a full one.",
        recording(batch_mean, resets=False),
    ),
    "last batch only": Wrong(
        "Each number is the mean of the epoch's last batch alone. Reset the metric once for each "
        "epoch, not for each batch.",
        recording(fresh_loss),
    ),
    "sums": Wrong(
        "These are sums. Divide each by the number of its examples.",
        lambda metric, epochs: [sum(float(sum(b)) for b in batches) for batches in epochs],
    ),
    "mean of sums": Wrong(
        "This is the mean of the sums of the batches. Give the metric every loss of a batch, or "
        "divide by the number of losses.",
        recording(batch_sum),
    ),
    "batches weighed wrongly": Wrong(
        "The batches are weighed wrongly. Give the metric the mean of a batch with "
        "sample_weight=len(losses), or every loss without a weight.",
        batch_weighed(lambda losses: 1 / len(losses)),
        batch_weighed(len, tf.reduce_sum),
    ),
    "losses as weights": Wrong(
        "sample_weight says how much a value counts. For the mean of a batch that is the number of "
        "its losses, len(losses), and not the losses themselves.",
        batch_weighed(lambda losses: losses),
    ),
    "one epoch late": Wrong(
        "The list is one epoch late: the result is read before the epoch's batches are added. Read "
        "it after them.",
        one_epoch_late,
    ),
    "result not called": Wrong(
        "result is a method, and your list holds the method itself. Call it: metric.result().",
        recording(every_loss, read=lambda metric: metric.result),
    ),
    "reset too early": Wrong(
        "Every number is 0: the metric is empty when its result is read. Between reset_state and "
        "result() stands update_state, once for each batch.",
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
        "The model's weights are as they were. Either optimizer.apply is never called, or it gets "
        "zeros: `total += [gradients]` only makes a list longer, and `n // N` is 0. Add up variable "
        "by variable, and apply once, after the last part.",
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
        "The parts are added as they are. Multiply the gradients of each by n / N, its share of "
        "all examples.",
        *map(accumulating, UNWEIGHED),
    ),
    "parts count equally": Wrong(
        "Every part counts the same, but the parts have unequal sizes. Multiply each gradient by "
        "n / N, where n is len(x): a part is a pair, and its own length is 2.",
        *map(accumulating, EQUAL),
    ),
    "sum never divided": Wrong(
        "The squared errors are added up over all examples, but never divided. Divide by the "
        "number of all examples.",
        *map(accumulating, UNDIVIDED),
        accumulating(lambda e, p, n, N, k: n * e + p),
    ),
    "weighed twice": Wrong(
        "Each part is weighed twice, by n / N in the loss and in the gradients. Once is enough.",
        accumulating(lambda e, p, n, N, k: (n / N) ** 2 * (e + p)),
    ),
    "other number than all": Wrong(
        "The sum is not divided by N, the number of all examples, but by another number, such as "
        "that of the parts, of the examples so far, or one taken from a single part. Count all "
        "examples before the loop.",
        accumulating(lambda e, p, n, N, k: n / k * (e + p)),
        in_one_loop(count_first=False),
        guessing_all(lambda parts: 32),
        guessing_all(lambda parts: len(parts[0][0]) * len(parts)),
        guessing_all(lambda parts: len(parts[0][0])),
        guessing_all(lambda parts: len(parts[-1][0])),
        guessing_all(lambda parts: len(parts[-1][0]) * len(parts)),
    ),
    "share upside down": Wrong(
        "The parts are weighed by N / n, so the smallest counts most. A part's share is n / N.",
        accumulating(lambda e, p, n, N, k: N / n * (e + p)),
    ),
    "divided once more": Wrong(
        "The parts are weighed by n / N, and then divided once more. The shares add up to 1: apply "
        "the sum of the weighed gradients as it is.",
        accumulating(lambda e, p, n, N, k: n / N / k * (e + p)),
        accumulating(lambda e, p, n, N, k: n / N / N * (e + p)),
    ),
    "sums weighed": Wrong(
        "The squared errors of a part are added up, and then weighed by n / N. Take their mean, "
        "with tf.reduce_mean, before you weigh it.",
        *(accumulating(join, sum_of_squares) for join in weighing(fair)),
    ),
    "only the first part": Wrong(
        "Only the first part counts. Add up the gradients of all parts, variable by variable, and "
        "apply them after the loop.",
        of_one_part(0, fair),
        of_one_part(0, one),
    ),
    "only the last part": Wrong(
        "Only the last part counts. Add up the gradients of all parts, variable by variable, and "
        "apply them after the loop.",
        of_one_part(-1, fair),
        of_one_part(-1, one),
    ),
    "penalties left out": Wrong(
        "The penalties are missing. Add sum(model.losses) to the loss of each part, before you "
        "weigh it.",
        accumulating(lambda e, p, n, N, k: n / N * e),
    ),
    "penalty once per part": Wrong(
        "The penalty counts once for each part. Weigh the whole loss of a part by n / N, the "
        "penalty with it.",
        accumulating(lambda e, p, n, N, k: n / N * e + p),
    ),
    "penalty too little": Wrong(
        "The penalties count too little: for all parts together they count once.",
        accumulating(lambda e, p, n, N, k: n / N * e + p / N),
        accumulating(lambda e, p, n, N, k: n / N * (e + p / k)),
        with_penalty_of_part(0),
        with_penalty_of_part(-1),
    ),
    "applied after every part": Wrong(
        "The model is updated after every part, so the later parts see other weights. Add the "
        "gradients up first, and apply once.",
        one_by_one(one),
        one_by_one(fair),
        in_one_loop(apply_inside=True),
    ),
    "table of n by n": Wrong(
        f"Look at the shapes of y_hat and y: {TABLE}.",
        accumulating(FAIR, lambda y_hat, y: mean_square(y_hat[:, 0], y)),
    ),
    "only the last layer": Wrong(
        "Only the last layer moves. Ask for the gradients of model.trainable_variables, and apply "
        "all of them.",
        accumulating(FAIR, layers=slice(-1, None)),
    ),
    "list of lists": Wrong(
        "The optimizer got lists in a list: after `total += [gradients]` each item is a whole list "
        "of gradients. Add up variable by variable: total = [t + g for t, g in zip(total, "
        "gradients)].",
        list_of_lists,
    ),
}

MISTAKES = {"09.1": STEPS, "09.2": TABLES, "09.3": SILENT, "09.4": HISTORIES, "09.5": ACCUMULATED}

import numpy as np
import tensorflow as tf

from answers import ERROR, Answers, Wrong


def mean_square(y_hat, y):
    return tf.reduce_mean((y_hat - y) ** 2)


def penalised(model, y_hat, y):
    return mean_square(y_hat, y) + sum(model.losses)


def step_with(loss_of=penalised, change=lambda g: g, times=1, result=lambda loss: loss, **how):
    """Return a step with another loss, another gradient, or another result."""

    def step(model, optimizer, x, y):
        with tf.GradientTape() as tape:
            loss = loss_of(model, model(x, **{"training": True, **how}), y)
        gradients = tape.gradient(loss, model.trainable_variables)
        for _ in range(times):
            optimizer.apply([change(g) for g in gradients], model.trainable_variables)
        return result(loss)

    return step


def step_with_zip(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        loss = tf.add_n([tf.reduce_mean(tf.square(y - model(x, training=True))), *model.losses])
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
    return loss.numpy()


def step_by_hand(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        loss = penalised(model, model(x, training=True), y)
    for v, g in zip(
        model.trainable_variables, tape.gradient(loss, model.trainable_variables), strict=True
    ):
        v.assign_sub(optimizer.learning_rate * g)
    return float(loss)


def step_twice(model, optimizer, x, y):
    step_with()(model, optimizer, x, y)
    return step_with()(model, optimizer, x, y)


def step_returning_later_loss(model, optimizer, x, y):
    step_with()(model, optimizer, x, y)
    return penalised(model, model(x, training=True), y)


def step_without_penalty_in_result(model, optimizer, x, y):
    error = mean_square(model(x, training=True), y)
    step_with()(model, optimizer, x, y)
    return error


def step_with_loss_outside(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        y_hat = model(x, training=True)
    loss = penalised(model, y_hat, y)
    optimizer.apply(tape.gradient(loss, model.trainable_variables), model.trainable_variables)
    return loss


def step_of_a_prediction(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        y_hat = model.predict_on_batch(x)
        loss = penalised(model, y_hat, y)
    optimizer.apply(tape.gradient(loss, model.trainable_variables), model.trainable_variables)
    return loss


def step_with_zip_in_apply(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        loss = penalised(model, model(x, training=True), y)
    variables = model.trainable_variables
    optimizer.apply(zip(tape.gradient(loss, variables), variables, strict=True))


def step_that_minimizes(model, optimizer, x, y):
    optimizer.minimize(lambda: penalised(model, model(x, training=True), y))


def step_with_numpy(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        loss = np.mean((model(x, training=True).numpy() - y.numpy()) ** 2)
    tape.gradient(loss, model.trainable_variables)


def summed(model, y_hat, y):
    return tf.reduce_sum((y_hat - y) ** 2)


def column(loss_of=penalised, **how):
    return step_with(lambda model, y_hat, y: loss_of(model, y_hat, y[:, None]), **how)


def silent_step_of_flat_predictions(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        y_hat = tf.reshape(model(x, training=True), tf.shape(y))
        loss = tf.reduce_mean(tf.math.squared_difference(y, y_hat)) + tf.add_n(model.losses)
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
    return loss


def keras_loss(model, y_hat, y):
    return tf.keras.losses.MeanSquaredError()(y, y_hat) + sum(model.losses)


def with_list(model, y_hat, y):
    return mean_square(y_hat, y) + model.losses


def with_choice(model, y_hat, y):
    return penalised(model, y_hat, y) if y_hat > y else 0.0


def with_reshape(model, y_hat, y):
    return penalised(model, y_hat, y.reshape(-1, 1))


def step_asked_twice(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        loss = penalised(model, model(x, training=True), y)
    for v in model.trainable_variables:
        v.assign_sub(optimizer.learning_rate * tape.gradient(loss, v))


def without_penalty(model, y_hat, y):
    return mean_square(y_hat, y)


def silent_step_returning_the_error(model, optimizer, x, y):
    errors = []

    def loss_of(model, y_hat, y):
        errors.append(mean_square(y_hat, y))
        return errors[0] + sum(model.losses)

    column(loss_of)(model, optimizer, x, y)
    return errors[0]


def history_with(reset=True, update=lambda m, losses: m.update_state(losses), turn=None):
    def losses_of_epochs(metric, epochs):
        history = []
        for batches in epochs:
            if reset:
                metric.reset_state()
            for losses in batches:
                update(metric, losses)
            history.append(float(metric.result()))
        return history[::turn]

    return losses_of_epochs


def update_with_mean(metric, losses):
    metric.update_state(tf.reduce_mean(losses))


def update_with_weight(metric, losses):
    metric.update_state(tf.reduce_mean(losses), sample_weight=len(losses))


def update_after_reset(metric, losses):
    metric.reset_state()
    metric.update_state(losses)


def history_by_an_old_name(metric, epochs):
    metric.reset_states()


def history_reset_too_early(metric, epochs):
    history = []
    for batches in epochs:
        for losses in batches:
            metric.update_state(losses)
        metric.reset_state()
        history.append(metric.result())
    return history


def history_by_numpy(metric, epochs):
    return [np.mean(np.concatenate(batches)) for batches in epochs]


def history_that_returns_early(metric, epochs):
    for batches in epochs:
        for losses in batches:
            metric.update_state(losses)
        return [metric.result()]


def accumulate(
    share=lambda n, count, parts: n / count,
    loss_of=penalised,
    once=0.0,
    apply=True,
    training=True,
):
    """Return an answer to 09.5 with other shares, another loss, or the penalty ``once``."""

    def accumulated_step(model, optimizer, parts):
        count = sum(len(x) for x, _ in parts)
        total = [tf.zeros_like(v) for v in model.trainable_variables]
        for x, y in parts:
            with tf.GradientTape() as tape:
                loss = share(len(x), count, parts) * loss_of(model, model(x, training=training), y)
                loss += once * sum(model.losses) / len(parts)
            gradients = tape.gradient(loss, model.trainable_variables)
            total = [t + g for t, g in zip(total, gradients, strict=True)]
        if apply:
            optimizer.apply(total, model.trainable_variables)

    return accumulated_step


def one(n, count, parts):
    return 1.0


def accumulated_sums(model, optimizer, parts):
    count = sum(x.shape[0] for x, _ in parts)
    variables = model.trainable_variables
    with tf.GradientTape() as tape:
        penalty = sum(model.losses)
    # The bias has no penalty, and its gradient is None.
    pairs = zip(tape.gradient(penalty, variables), variables, strict=True)
    total = [tf.zeros_like(v) if gradient is None else gradient for gradient, v in pairs]
    for x, y in parts:
        with tf.GradientTape() as tape:
            error = tf.reduce_sum((y - model(x, training=True)) ** 2)
        for i, gradient in enumerate(tape.gradient(error, variables)):
            total[i] += gradient / count
    optimizer.apply(total, variables)
    return model


def one_after_the_other(share=one, stop=None):
    def accumulated_step(model, optimizer, parts):
        count = sum(len(x) for x, _ in parts)
        for x, y in parts[:stop]:
            weigh = share(len(x), count, parts)
            step_with(change=lambda g, weigh=weigh: weigh * g)(model, optimizer, x, y)

    return accumulated_step


def last_part(model, optimizer, parts):
    step_with()(model, optimizer, *parts[-1])


def last_part_weighed(model, optimizer, parts):
    share = len(parts[-1][0]) / sum(len(x) for x, _ in parts)
    step_with(change=lambda g: share * g)(model, optimizer, *parts[-1])


def accumulate_with_a_penalty_each(model, optimizer, parts):
    count = sum(len(x) for x, _ in parts)
    total = [tf.zeros_like(v) for v in model.trainable_variables]
    for x, y in parts:
        with tf.GradientTape() as tape:
            loss = len(x) / count * mean_square(model(x, training=True), y) + sum(model.losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        total = [t + g for t, g in zip(total, gradients, strict=True)]
    optimizer.apply(total, model.trainable_variables)


def joined(model, optimizer, parts):
    x, y = (tf.concat(arrays, axis=0) for arrays in zip(*parts, strict=True))
    step_with()(model, optimizer, x, y)


def recorded_on_one_tape(model, optimizer, parts):
    count = sum(len(x) for x, _ in parts)
    with tf.GradientTape() as tape:
        errors = [tf.reduce_sum((model(x, training=True) - y) ** 2) for x, y in parts]
        loss = sum(errors) / count + sum(model.losses)
    optimizer.apply(tape.gradient(loss, model.trainable_variables), model.trainable_variables)


def accumulated_by_one_trace(model, optimizer, parts):
    signature = [tf.TensorSpec([None, 3]), tf.TensorSpec([None, 1])]

    @tf.function(input_signature=signature)
    def gradients_of(x, y):
        with tf.GradientTape() as tape:
            loss = penalised(model, model(x, training=True), y)
        return tape.gradient(loss, model.trainable_variables)

    count = sum(len(x) for x, _ in parts)
    weighed = [[len(x) / count * g for g in gradients_of(x, y)] for x, y in parts]
    total = [sum(gradients) for gradients in zip(*weighed, strict=True)]
    optimizer.apply(total, model.trainable_variables)


def accumulated_in_one_list(model, optimizer, parts):
    variables, total = model.trainable_variables, []
    for x, y in parts:
        with tf.GradientTape() as tape:
            loss = penalised(model, model(x, training=True), y)
        total += tape.gradient(loss, variables)
    optimizer.apply(total, variables)


def weighed_in_float64(model, optimizer, parts):
    count = tf.add_n([tf.shape(x)[0] for x, _ in parts])
    accumulate(lambda n, _, parts: n / count)(model, optimizer, parts)


def accumulate_sums_with_the_penalties(model, optimizer, parts):
    return accumulate(
        lambda n, count, parts: 1 / count, lambda m, a, b: summed(m, a, b) + sum(m.losses)
    )(model, optimizer, parts)


def accumulate_sums_undivided(model, optimizer, parts):
    return accumulate(lambda n, count, parts: float(n), without_penalty, once=1.0)(
        model, optimizer, parts
    )


ANSWERS = {
    "09.1": Answers(
        right=[step_with_zip, step_by_hand, tf.function(step_with(training=True))],
        wrong=[
            Wrong(step_with(training=False), "called without training=True"),
            Wrong(step_with(without_penalty, training=False), "called without training=True"),
            Wrong(step_with(with_list), "model.losses is a list"),
            Wrong(step_asked_twice, "persistent=True", ERROR),
            Wrong(step_with(with_choice), "use tf.where", ERROR),
            Wrong(step_with(without_penalty), "ignores the regulariser"),
            Wrong(step_with(times=0), "nothing was applied"),
            Wrong(step_with(change=lambda g: -g), "climbs"),
            Wrong(step_with(without_penalty, change=lambda g: -g), "climbs"),
            Wrong(step_with(times=2), "twice as long"),
            Wrong(step_twice, "updated twice"),
            Wrong(step_with(lambda m, a, b: mean_square(a, b) / 2 + sum(m.losses)), "factor 1/2"),
            Wrong(step_with(lambda m, a, b: summed(m, a, b) + sum(m.losses)), "are added up. Take"),
            Wrong(step_with(lambda m, a, b: (a - b) ** 2 + sum(m.losses)), "not averaged"),
            Wrong(step_with(summed), "and the penalties are left out"),
            Wrong(step_with(lambda m, a, b: (a - b) ** 2), "are added up, and"),
            Wrong(step_with(result=lambda loss: None), "but your function returned None"),
            Wrong(step_with(result=lambda loss: (loss, 1.0)), "you returned a tuple of 2 items"),
            Wrong(step_with(result=lambda loss: 2 * loss), "Return the loss that you computed"),
            Wrong(step_without_penalty_in_result, "leaves out the penalties"),
            Wrong(step_returning_later_loss, "before the update"),
            Wrong(step_with_numpy, "left TensorFlow", ERROR),
            Wrong(step_with_loss_outside, "every gradient is None", ERROR),
            Wrong(step_of_a_prediction, "Only the penalties move the weights"),
            Wrong(step_with_zip_in_apply, "apply takes two lists", ERROR),
            Wrong(step_that_minimizes, "Use a tape", ERROR),
            Wrong(step_with(lambda m, a, b: penalised(m, a[:, 0], b)), "is a table of n by n"),
            Wrong(lambda model, optimizer, x, y: model(x), "nothing was applied"),
            Wrong(3, "check needs the function itself"),
        ],
    ),
    "09.2": Answers(
        right=[2, np.float32(2.0), tf.constant([2.0])],
        wrong=[
            Wrong(0, "what it should be"),
            Wrong(8.0, "the sum of the squares"),
            Wrong(4, "off the diagonal"),
            Wrong(1.0, "four squares"),
            Wrong(3.0, "3 is not it"),
            Wrong((2, 2), "The mean is one number"),
            Wrong(None, "The mean is one number"),
        ],
    ),
    "09.3": Answers(
        right=[
            silent_step_of_flat_predictions,
            column(training=True),
            step_with(keras_loss, training=True),
        ],
        wrong=[
            Wrong(
                step_with(without_penalty, change=tf.identity, training=False),
                "All three faults",
            ),
            Wrong(
                step_with(training=False),
                "Two faults are left: the model",
            ),
            Wrong(step_with(training=True), "One fault is left: (n, 1) minus (n,)"),
            Wrong(
                column(training=False),
                "One fault is left: the model is",
            ),
            Wrong(column(without_penalty, training=False), "stored averages; the penalties"),
            Wrong(column(without_penalty, training=True), "One fault is left: the penalties"),
            Wrong(step_with(without_penalty, training=True), "left out of the loss; (n, 1) minus"),
            Wrong(step_with(with_reshape), "tf.reshape, or y[:, None]", ERROR),
            Wrong(tf.function(step_with(with_reshape)), "tf.reshape (or y[:, None]", ERROR),
            Wrong(column(training=True, times=0), "nothing was applied"),
            Wrong(column(training=True, times=2), "the kernel should be"),
            Wrong(column(training=True, result=lambda loss: None), "Return the loss"),
            Wrong(column(with_list), "model.losses is a list"),
            Wrong(column(training=True, result=lambda loss: (loss, loss)), "a tuple of 2 items"),
            Wrong(silent_step_returning_the_error, "leaves out the penalties"),
        ],
    ),
    "09.4": Answers(
        right=[history_with(update=update_with_weight), history_by_numpy],
        wrong=[
            Wrong(history_with(update=update_with_mean), "a short batch still counts"),
            Wrong(history_with(reset=False), "holds the epochs before it"),
            Wrong(history_with(reset=False, update=update_with_weight), "reset the metric"),
            Wrong(history_with(reset=False, update=update_with_mean), "Both faults"),
            Wrong(history_with(reset=False, update=update_after_reset), "last batch alone"),
            Wrong(history_reset_too_early, "reset before its result is read"),
            Wrong(lambda metric, epochs: [float(sum(map(sum, e))) for e in epochs], "are sums"),
            Wrong(history_with(turn=-1), "wrong order"),
            Wrong(history_that_returns_early, "a list of 3 numbers"),
            Wrong(lambda metric, epochs: None, "returned None"),
            Wrong(history_by_an_old_name, "Use reset_state()", ERROR),
            Wrong(lambda metric, epochs: np.ones(len(epochs)), "and you returned [1, 1, 1]"),
        ],
    ),
    "09.5": Answers(
        right=[
            accumulated_sums,
            accumulate(loss_of=without_penalty, once=1.0),
            accumulated_by_one_trace,
        ],
        wrong=[
            Wrong(joined, "one tape recorded all the parts"),
            Wrong(recorded_on_one_tape, "one tape recorded all the parts"),
            Wrong(accumulated_in_one_list, "Only the first part counts"),
            Wrong(weighed_in_float64, "Use tf.cast", ERROR),
            Wrong(accumulate(one, training=False), "called without training=True"),
            Wrong(accumulate(one, without_penalty), "The parts are added as they are"),
            Wrong(accumulate(loss_of=summed), "and then weighed by n / N"),
            Wrong(accumulate_sums_with_the_penalties, "The penalties count too little"),
            Wrong(accumulate(training=False), "called without training=True"),
            Wrong(accumulate(loss_of=with_list), "model.losses is a list"),
            Wrong(accumulate(loss_of=without_penalty), "The penalties are missing"),
            Wrong(accumulate(loss_of=without_penalty, once=3.0), "For the first call"),
            Wrong(accumulate_with_a_penalty_each, "The penalty counts once for each part"),
            Wrong(accumulate_sums_undivided, "The squared errors are added up over all"),
            Wrong(accumulate(one), "added as they are. Multiply"),
            Wrong(accumulate(one, without_penalty, once=1.0), "added as they are. Multiply"),
            Wrong(accumulate(lambda n, count, parts: 1 / len(parts)), "counts the same"),
            Wrong(accumulate(lambda n, count, parts: float(n)), "but never divided"),
            Wrong(accumulate(apply=False), "nothing was applied"),
            Wrong(one_after_the_other(), "updated after every part"),
            Wrong(one_after_the_other(lambda n, count, parts: n / count), "updated after every"),
            Wrong(one_after_the_other(stop=1), "Only the first part"),
            Wrong(last_part, "Only the last part"),
            Wrong(last_part_weighed, "Only the last part"),
            Wrong(accumulate(loss_of=lambda m, a, b: 3 * penalised(m, a, b)), "For the first call"),
        ],
    ),
}

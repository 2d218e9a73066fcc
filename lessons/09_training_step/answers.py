"""Answers to lesson 09: other right ones, and wrong ones that no list holds, by mistake."""

import keras
import numpy as np
import tensorflow as tf


def whole(error, penalties):
    return error + sum(penalties)


def loss_of(model, x, y, join=whole, more=(), reduce=tf.reduce_mean, shape=(-1, 1), training=True):
    errors = tf.math.squared_difference(model(x, training=training), tf.reshape(y, shape))
    return join(reduce(errors), model.losses, *more)


def apply_pairs(optimizer, gradients, variables):
    optimizer.apply_gradients(zip(gradients, variables, strict=True))


def step(join=whole, apply=apply_pairs, returned=lambda loss, *call: loss, **options):
    def program(model, optimizer, x, y):
        with tf.GradientTape() as tape:
            loss = loss_of(model, x, y, join, **options)
        gradients = tape.gradient(loss, model.trainable_weights)
        apply(optimizer, gradients, model.trainable_weights)
        return returned(loss, model, x, y)

    return program


def by_hand(model, x, y):
    """Return the loss and its gradients without a tape; ``x`` is what the first Dense gets."""
    v, c, w, b = (variable.numpy() for variable in model.trainable_variables)
    hidden = np.tanh(x @ v + c)
    error = hidden @ w + b - y
    down = 2 * error / len(x)
    back = down @ w.T * (1 - hidden**2)
    loss = np.mean(error**2) + 0.1 * (np.sum(w**2) + np.sum(b**2))
    last = [hidden.T @ down + 0.2 * w, np.sum(down, axis=0) + 0.2 * b]
    return loss, [x.T @ back, np.sum(back, axis=0), *last]


def move(model, rate, gradients):
    for variable, gradient in zip(model.trainable_variables, gradients, strict=True):
        variable.assign_sub(rate * gradient)


def step_by_hand(model, optimizer, x, y):
    loss, gradients = by_hand(model, 1.5 * x.numpy(), y.numpy())
    move(model, optimizer.learning_rate, gradients)
    return float(loss)


def silent_step_by_hand(model, optimizer, x, y):
    x, y, norm = x.numpy(), y.numpy()[:, None], model.layers[0]
    mean, variance = np.mean(x, axis=0), np.var(x, axis=0)
    norm.moving_mean.assign(0.99 * norm.moving_mean + 0.01 * mean)
    norm.moving_variance.assign(0.99 * norm.moving_variance + 0.01 * variance)
    loss, gradients = by_hand(model, (x - mean) / np.sqrt(variance + 1e-3), y)
    move(model, optimizer.learning_rate, gradients)
    return loss


def accumulated_by_hand(model, optimizer, parts):
    x, y = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    move(model, optimizer.learning_rate, by_hand(model, 1.5 * x, y)[1])


def moved_by_assign_sub(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        loss = tf.add_n([tf.reduce_mean(tf.square(y - model(x, training=True))), *model.losses])
    move(model, optimizer.learning_rate, tape.gradient(loss, model.trainable_variables))
    return loss.numpy()


def above_the_block(column):
    def program(model, optimizer, x, y):
        y_hat = model(x, training=True)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((y_hat - column(y)) ** 2) + sum(model.losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        return loss

    return program


def of_mean_error(column):
    def program(model, optimizer, x, y):
        with tf.GradientTape() as tape:
            bias = tf.reduce_mean(column(y) - model(x, training=True))
            loss = tf.add_n([bias * bias, *model.losses])
        gradients = tape.gradient(loss, model.trainable_variables)
        apply_pairs(optimizer, gradients, model.trainable_variables)
        return loss

    return program


def by_numpy(column):
    def program(model, optimizer, x, y):
        with tf.GradientTape() as tape:
            error = np.mean((model(x, training=True) - column(y)) ** 2)
            loss = tf.add_n([error, *model.losses])
        gradients = tape.gradient(loss, model.trainable_weights)
        apply_pairs(optimizer, gradients, model.trainable_weights)
        return loss

    return program


def penalties_in_the_bracket(column):
    def program(model, optimizer, x, y):
        with tf.GradientTape() as tape:
            errors = model(x, training=True) - column(y) + tf.add_n(model.losses)
            loss = tf.reduce_mean(tf.square(errors))
        gradients = tape.gradient(loss, model.trainable_weights)
        apply_pairs(optimizer, gradients, model.trainable_weights)
        return loss

    return program


def in_one_move(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        loss = loss_of(model, x, y)
    gradients = tape.gradient(loss, model.trainable_variables)
    move(model, float(optimizer.learning_rate), gradients)
    return loss


def keras_loss(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        loss = keras.losses.MeanSquaredError()(y, model(x, training=True)) + sum(model.losses)
    apply_pairs(optimizer, tape.gradient(loss, model.trainable_weights), model.trainable_weights)
    return loss


def another_loss(loss_of_each):
    def program(model, optimizer, x, y):
        with tf.GradientTape() as tape:
            error = tf.reduce_mean(loss_of_each(y, model(x, training=True)))
            loss = tf.add_n([error, *model.losses])
        gradients = tape.gradient(loss, model.trainable_weights)
        apply_pairs(optimizer, gradients, model.trainable_weights)
        return loss

    return program


def of_flat_predictions(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        y_hat = tf.squeeze(model(x, training=True), axis=-1)
        loss = tf.reduce_mean(tf.square(y_hat - y)) + tf.add_n(model.losses)
    apply_pairs(optimizer, tape.gradient(loss, model.trainable_weights), model.trainable_weights)
    return loss


def history(update, resets=True, result=lambda metric: metric.result().numpy()):
    def program(metric, epochs):
        means = []
        for batches in epochs:
            if resets:
                metric.reset_state()
            for losses in batches:
                update(metric, losses)
            means.append(result(metric))
        return means

    return program


def running_totals(metric, epochs):
    means, seen = [], []
    for batches in epochs:
        seen += [float(loss) for losses in batches for loss in losses]
        means.append(sum(seen) / len(seen))
    return means


def weighed(metric, losses):
    metric.update_state(tf.reduce_mean(losses), sample_weight=tf.size(losses))


def in_parts(join, add=tf.add, apply=apply_pairs, **options):
    """Return a step that weighs the loss of each part, not its gradients."""

    def program(model, optimizer, parts):
        n, variables = sum(x.shape[0] for x, _ in parts), model.trainable_variables
        totals = [tf.zeros(v.shape) for v in variables]
        for x, y in parts:
            with tf.GradientTape() as tape:
                loss = loss_of(model, x, y, join, (len(x) / n, len(parts)), **options)
            for i, gradient in enumerate(tape.gradient(loss, variables)):
                totals[i] = add(totals[i], gradient)
        apply(optimizer, totals, variables)

    return program


def fair(error, penalties, share, count):
    return share * whole(error, penalties)


def sums_and_penalty(model, optimizer, parts):
    count, variables = sum(x.shape[0] for x, _ in parts), model.trainable_variables
    with tf.GradientTape() as tape:
        penalty = sum(model.losses)
    # The hidden layer has no penalty, and its gradients are None.
    pairs = zip(tape.gradient(penalty, variables), variables, strict=True)
    total = [tf.zeros_like(v) if gradient is None else gradient for gradient, v in pairs]
    for x, y in parts:
        with tf.GradientTape() as tape:
            error = tf.reduce_sum((y - model(x, training=True)) ** 2)
        for i, gradient in enumerate(tape.gradient(error, variables)):
            total[i] += gradient / count
    optimizer.apply(total, variables)
    return model


def in_one_trace(model, optimizer, parts):
    @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([None, 1])])
    def gradients_of(x, y):
        with tf.GradientTape() as tape:
            loss = loss_of(model, x, y)
        return tape.gradient(loss, model.trainable_variables)

    count = sum(len(x) for x, _ in parts)
    each = [[len(x) / count * g for g in gradients_of(x, y)] for x, y in parts]
    total = [sum(gradients) for gradients in zip(*each, strict=True)]
    optimizer.apply(total, model.trainable_variables)


def one_tape_reset_for_each(model, optimizer, parts):
    variables, count = model.trainable_variables, sum(len(x) for x, _ in parts)
    total = [tf.zeros(v.shape) for v in variables]
    with tf.GradientTape(persistent=True) as tape:
        for x, y in parts:
            tape.reset()
            loss = len(x) / count * loss_of(model, x, y)
            with tape.stop_recording():
                gradients = tape.gradient(loss, variables)
                total = [t + g for t, g in zip(total, gradients, strict=True)]
    optimizer.apply(total, variables)


def joined(model, optimizer, parts):
    step()(model, optimizer, *(tf.concat(arrays, 0) for arrays in zip(*parts, strict=True)))


def gradients_of_parts(model, parts):
    count, gradients = sum(len(x) for x, _ in parts), []
    for x, y in parts:
        with tf.GradientTape() as tape:
            loss = len(x) / count * loss_of(model, x, y)
        gradients.append(tape.gradient(loss, model.trainable_variables))
    return gradients


def applied_after_the_loop(model, optimizer, parts):
    for gradients in gradients_of_parts(model, parts):
        optimizer.apply(gradients, model.trainable_variables)


def of_all(x, seen, parts):
    return len(x) / sum(len(x) for x, _ in parts)


def growing(share=of_all, apply_each_time=False):
    def program(model, optimizer, parts):
        variables, seen = model.trainable_variables, 0
        total = [0.0] * len(variables)
        for x, y in parts:
            seen += len(x)
            with tf.GradientTape() as tape:
                loss = loss_of(model, x, y)
            for i, gradient in enumerate(tape.gradient(loss, variables)):
                total[i] += share(x, seen, parts) * gradient
            if apply_each_time:
                apply_pairs(optimizer, total, variables)
        if not apply_each_time:
            apply_pairs(optimizer, total, variables)

    return program


RIGHT = {
    "09.1": [step(), tf.function(step()), keras_loss],
    "09.2": [2, np.float32(2.0), tf.constant([2.0])],
    "09.3": [step(), of_flat_predictions, keras_loss],
    "09.4": [
        history(weighed),
        lambda metric, epochs: [np.mean(np.concatenate(batches)) for batches in epochs],
    ],
    "09.5": [
        in_parts(fair),
        in_parts(lambda e, p, share, n: share * e + sum(p) / n),
        sums_and_penalty,
        in_one_trace,
        one_tape_reset_for_each,
    ],
}

# Without the optimizer, whose rule is written down, and with the same values.
ORACLES = {
    "09.1": [step_by_hand],
    "09.3": [silent_step_by_hand],
    "09.5": [accumulated_by_hand],
}

WRONG = {
    "09.1": [
        ("climbs", step(lambda e, p: -whole(e, p))),
        ("absolute error", step(reduce=lambda squares: tf.reduce_mean(tf.sqrt(squares)))),
        ("returned None", step(returned=print)),
        ("raised ValueError", step(lambda e, p: tf.constant(float(whole(e, p))))),
        (
            "raised AttributeError",
            step(apply=lambda sgd, gradients, variables: sgd.apply(variables, gradients)),
        ),
        ("not one update", moved_by_assign_sub),
        ("predictions not recorded", by_numpy(lambda y: y)),
        ("averaged before squaring", of_mean_error(lambda y: y)),
        (
            "another optimizer",
            step(apply=lambda _, *both: apply_pairs(keras.optimizers.SGD(), *both)),
        ),
        ("loss for classes", another_loss(keras.losses.sparse_categorical_crossentropy)),
    ],
    "09.2": [
        ("wrote 3", 3.0),
        ("wrote -2", -2),
        ("wrote 1.41421", 2**0.5),
        ("other form", (2, 2)),
        ("other form", "error"),
    ],
    "09.3": [
        ("all three faults", step(lambda e, p: e, training=False, shape=[-1])),
        ("nothing applied", step(apply=print)),
        ("returned None", step(returned=print)),
        ("loss after update", step(returned=lambda loss, *call: loss_of(*call))),
        ("raised AttributeError", step(reduce=lambda errors: errors.mean())),
        ("not one update", in_one_move),
        ("predictions not recorded", above_the_block(lambda y: y[:, None])),
        ("averaged before squaring", of_mean_error(lambda y: y[:, None])),
        ("predictions not recorded", by_numpy(lambda y: y[:, None])),
        ("penalties squared", penalties_in_the_bracket(lambda y: y[:, None])),
    ],
    "09.4": [
        ("short batch counts full", history(lambda metric, losses: metric(np.mean(losses)))),
        ("reset too early", history(lambda metric, losses: None)),
        ("both faults", history(lambda metric, losses: metric(np.mean(losses)), resets=False)),
        ("last batch only", lambda _, epochs: [tf.reduce_mean(batches[-1]) for batches in epochs]),
        ("never reset", running_totals),
        ("losses as weights", history(lambda m, b: m.update_state(np.mean(b), sample_weight=b))),
        ("result not called", history(weighed, result=lambda metric: metric.result)),
        ("reverse order", lambda metric, epochs: history(weighed)(metric, epochs[::-1])),
        ("returned None", lambda *call: print(history(weighed)(*call))),
        ("raised AttributeError", lambda metric, epochs: [metric.reset_states() for _ in epochs]),
    ],
    "09.5": [
        ("parts count equally", in_parts(lambda e, p, _, count: whole(e, p) / count)),
        ("sum never divided", in_parts(lambda e, p, *_: whole(e, p), reduce=tf.reduce_sum)),
        (
            "only the first part",
            lambda model, optimizer, parts: step()(model, optimizer, *parts[0]),
        ),
        ("only the last part", in_parts(fair, add=lambda total, gradient: gradient)),
        ("no training true", in_parts(fair, training=False)),
        ("one tape", joined),
        ("not one update", applied_after_the_loop),
        ("applied after every part", growing(apply_each_time=True)),
        (
            "divided once more",
            growing(share=lambda x, seen, parts: of_all(x, seen, parts) / len(parts)),
        ),
        (
            "raised TypeError",
            in_parts(fair, apply=lambda sgd, *both: sgd.apply(zip(*both, strict=True))),
        ),
    ],
}

import numpy as np
import tensorflow as tf

from answers import ERROR, Answers, Wrong


def cost(reduce=lambda c: tf.reduce_mean(c, axis=-1), low=3.0, high=1.0, power=2):
    """Return an answer to 14.1 with other factors, or another reduction."""

    def order_cost(y, y_hat):
        error = y - y_hat
        return reduce(tf.where(error > 0, low, high) * tf.abs(error) ** power)

    return order_cost


def cost_in_numpy(y, y_hat):
    error = np.asarray(y) - np.asarray(y_hat)
    return (error**2 * (1 + 2 * (error > 0))).mean(axis=1)


def cost_by_relu(y, y_hat):
    low, high = tf.nn.relu(y - y_hat), tf.nn.relu(y_hat - y)
    return tf.reduce_mean(3 * low**2 + high**2, axis=-1)


def cost_swapped(y, y_hat):
    return cost()(y_hat, y)


def cost_tripled_before_square(y, y_hat):
    error = y - y_hat
    return tf.reduce_mean(tf.where(error > 0, 3 * error, error) ** 2, axis=-1)


def step_with(loss_of, change=lambda g: g, times=1, result=lambda loss: {"loss": loss}, **how):
    """Return an answer to 14.2 with another loss, another update or another result."""

    def own_train_step(model, data):
        x, y, sample_weight = data
        with tf.GradientTape() as tape:
            loss = loss_of(model, x, y, model(x, **how), sample_weight)
        gradients = tape.gradient(loss, model.trainable_variables)
        for _ in range(times):
            model.optimizer.apply([change(g) for g in gradients], model.trainable_variables)
        return result(loss)

    return own_train_step


def compiled(model, x, y, y_hat, sample_weight):
    return model.compute_loss(x=x, y=y, y_pred=y_hat, sample_weight=sample_weight)


def unweighed(model, x, y, y_hat, sample_weight):
    return model.compute_loss(x=x, y=y, y_pred=y_hat)


def without_penalties(model, x, y, y_hat, sample_weight):
    return tf.reduce_mean(sample_weight * model.loss(y, y_hat))


def compiled_by_hand(model, x, y, y_hat, sample_weight):
    return without_penalties(model, x, y, y_hat, sample_weight) + sum(model.losses)


def compiled_by_either_kind(model, x, y, y_hat, sample_weight):
    losses = getattr(model.loss, "call", model.loss)(y, y_hat)
    return tf.reduce_mean(sample_weight * losses) + sum(model.losses)


def added_up(model, x, y, y_hat, sample_weight):
    return tf.reduce_sum(model.loss(y, y_hat)) + sum(model.losses)


def weighed_by_the_function(model, x, y, y_hat, sample_weight):
    return model.loss(y, y_hat, sample_weight=sample_weight) + sum(model.losses)


def of_predict(model, x, y, y_hat, sample_weight):
    return compiled(model, x, y, tf.stop_gradient(y_hat), sample_weight)


def squared(model, x, y, y_hat, sample_weight):
    return tf.reduce_mean((y_hat - y) ** 2)


def weighed_by_the_mean(model, x, y, y_hat, sample_weight):
    return tf.reduce_mean(sample_weight * tf.reshape(model.loss(y, y_hat), (-1, 1))) + sum(
        model.losses
    )


def divided_by_the_weights(model, x, y, y_hat, sample_weight):
    losses = sample_weight * model.loss(y, y_hat)
    return tf.reduce_sum(losses) / tf.reduce_sum(sample_weight) + sum(model.losses)


def exchanged(model, x, y, y_hat, sample_weight):
    return model.compute_loss(x=x, y=y_hat, y_pred=y, sample_weight=sample_weight)


def squared_by_the_mean(model, x, y, y_hat, sample_weight):
    return tf.reduce_mean(sample_weight * (y_hat - y) ** 2)


def unweighed_penalties_twice(model, x, y, y_hat, sample_weight):
    return unweighed(model, x, y, y_hat, sample_weight) + sum(model.losses)


def penalties_twice(model, x, y, y_hat, sample_weight):
    return compiled(model, x, y, y_hat, sample_weight) + sum(model.losses)


def half_of_it(model, x, y, y_hat, sample_weight):
    return 0.7 * compiled(model, x, y, y_hat, sample_weight)


def keras_step(model, data):
    return model.train_step(data)


def step_that_calls_twice(model, data):
    model(data[0], training=True)
    return keras_step(model, data)


def step_with_train_on_batch(model, data):
    x, y, sample_weight = data
    return model.train_on_batch(x, y, sample_weight=sample_weight, return_dict=True)


def penalty_with(of_slopes, target=lambda scores: scores, epsilon=1e-12):
    """Return an answer to 14.3 with another penalty of the slopes and their lengths."""

    def gradient_penalty(critic, w, x):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(x)
                scores = target(critic(x))
            slopes = inner.gradient(scores, x)
            lengths = tf.sqrt(tf.reduce_sum(slopes**2, axis=1) + epsilon)
            penalty = of_slopes(slopes, lengths)
        return penalty, outer.gradient(penalty, w)

    return gradient_penalty


def to_one(slopes, lengths):
    return tf.reduce_mean((lengths - 1) ** 2)


def penalty_without_nan(critic, w, x):
    penalty, gradient = penalty_with(to_one, epsilon=0.0)(critic, w, x)
    return penalty, tf.where(tf.math.is_nan(gradient), 0.0, gradient)


def penalty_with_batch_jacobian(critic, w, x):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            scores = critic(x)[:, None]
        slopes = inner.batch_jacobian(scores, x)[:, 0]
        squares = tf.reduce_sum(slopes**2, axis=1)
        safe = tf.where(squares > 0, squares, 1.0)
        lengths = tf.where(squares > 0, tf.sqrt(safe), 0.0)
        penalty = tf.reduce_mean(tf.square(1 - lengths))
    return [penalty, outer.gradient(penalty, w).numpy()]


def penalty_outside_the_outer_tape(critic, w, x):
    with tf.GradientTape() as inner:
        inner.watch(x)
        scores = critic(x)
    slopes = inner.gradient(scores, x)
    with tf.GradientTape() as outer:
        penalty = to_one(slopes, tf.sqrt(tf.reduce_sum(slopes**2, axis=1) + 1e-12))
    return penalty, outer.gradient(penalty, w)


def penalty_without_watch(critic, w, x):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            scores = critic(x)
        slopes = inner.gradient(scores, x)
        penalty = tf.reduce_mean((tf.sqrt(tf.reduce_sum(slopes**2, axis=1)) - 1) ** 2)
    return penalty, outer.gradient(penalty, w)


def penalty_alone(critic, w, x):
    return penalty_with(to_one)(critic, w, x)[0]


def penalty_swapped(critic, w, x):
    return penalty_with(to_one)(critic, w, x)[::-1]


def penalty_with_the_variable(critic, w, x):
    return penalty_with(to_one)(critic, w, x)[0], w


def penalty_without_return(critic, w, x):
    penalty_with(to_one)(critic, w, x)


RIGHT = ["fit", "train_step", "fit", "train_step", "loop"]


def means_but(case, answer):
    return [*RIGHT[: case - 1], answer, *RIGHT[case:]]


ANSWERS = {
    "14.1": Answers(
        right=[tf.function(cost()), cost_by_relu],
        wrong=[
            Wrong(lambda y, y_hat: None, "returned None"),
            Wrong(lambda y, y_hat: [1.0], "a tensor of shape (n,) was asked for"),
            Wrong(cost(tf.reduce_mean), "one mean over all examples"),
            Wrong(cost(lambda c: c), "one cost for each good"),
            Wrong(cost(lambda c: tf.reduce_mean(c, axis=0)), "averaged over the examples"),
            Wrong(cost(lambda c: tf.reduce_mean(c, -1, keepdims=True)), "an axis too many"),
            Wrong(cost(lambda c: tf.reduce_sum(c, -1)), "added up the goods"),
            Wrong(cost_swapped, "Too much costs 3 times here"),
            Wrong(cost(low=1.0), "Every error costs the same"),
            Wrong(cost(high=3.0), "Every error costs 3 times"),
            Wrong(cost(power=1), "not squared"),
            Wrong(cost_tripled_before_square, "The factor 3 is squared"),
            Wrong(cost(high=0.0), "costs nothing here"),
            Wrong(cost_in_numpy, "a tensor holds no numbers yet", ERROR),
            Wrong(cost(tf.reduce_sum), "the cost has shape (4,)"),
            Wrong(cost(low=2.0), "Take 3 or 1 times each squared error"),
        ],
    ),
    "14.2": Answers(
        right=[
            keras_step,
            tf.function(keras_step),
            step_with(compiled_by_either_kind, training=True),
            step_with_train_on_batch,
        ],
        wrong=[
            Wrong(step_with(compiled), "(say training=True)"),
            Wrong(step_with(unweighed, training=True), "the sample weights do not count"),
            Wrong(step_with(without_penalties, training=True), "penalty is missing"),
            Wrong(step_with(squared, training=True), "not the one that was compiled; the sample"),
            Wrong(step_with(squared), "(say training=True); the loss is not"),
            Wrong(step_with(compiled, times=0, training=True), "nothing was applied"),
            Wrong(step_with(compiled, times=2, training=True), "apply the gradients once"),
            Wrong(step_with(compiled, lambda g: -g, training=True), "climbs"),
            Wrong(step_with(penalties_twice, training=True), "the penalty counts twice"),
            Wrong(
                step_with(unweighed_penalties_twice, training=True),
                "the sample weights do not count; the penalty counts twice",
            ),
            Wrong(
                step_with(unweighed_penalties_twice),
                "(say training=True); the sample weights do not count; the penalty counts twice",
            ),
            Wrong(step_with(penalties_twice), "(say training=True); the penalty counts twice"),
            Wrong(step_with(exchanged, training=True), "y and y_hat are exchanged"),
            Wrong(step_with(weighed_by_the_mean, training=True), "the mean of the sample weights"),
            Wrong(step_with(divided_by_the_weights, training=True), "the sum of the weights"),
            Wrong(
                step_with(squared_by_the_mean, training=True),
                "not the one that was compiled; every example is weighed with the mean",
            ),
            Wrong(step_with(compiled_by_hand, training=True), "With a loss object, which averages"),
            Wrong(step_with(added_up, training=True), "are added up, and not averaged"),
            Wrong(step_with(weighed_by_the_function, training=True), "unexpected keyword", ERROR),
            Wrong(step_with(of_predict, training=True), "not what model(x) returns"),
            Wrong(step_that_calls_twice, "moved more than once"),
            Wrong(
                step_with(compiled, result=lambda loss: {"loss": float(loss)}, training=True),
                "inside a compiled function",
                ERROR,
            ),
            Wrong(step_with(half_of_it, training=True), "After the step, the last layer's kernel"),
            Wrong(step_with(compiled, result=lambda loss: None, training=True), "returned None"),
            Wrong(step_with(compiled, result=lambda loss: loss, training=True), "needs a dict"),
            Wrong(
                step_with(compiled, result=lambda loss: {"loss": 0.0}, training=True),
                "the loss in the dict is 0",
            ),
        ],
    ),
    "14.3": Answers(
        right=[penalty_with_batch_jacobian, penalty_with(to_one, tf.reduce_sum, 1e-10)],
        wrong=[
            Wrong(penalty_without_return, "returned None"),
            Wrong(penalty_alone, "Return the penalty and its gradient"),
            Wrong(penalty_outside_the_outer_tape, "The gradient is None"),
            Wrong(penalty_without_watch, "no path from its source", ERROR),
            Wrong(lambda critic, w, x: ("text", w), "one number and a tensor"),
            Wrong(penalty_with(to_one, epsilon=0.0), "inside the root"),
            Wrong(penalty_without_nan, "you set the nan to 0"),
            Wrong(
                penalty_with(
                    lambda slopes, lengths: np.mean((np.linalg.norm(slopes, axis=1) - 1) ** 2)
                ),
                "Use TensorFlow's functions",
                ERROR,
            ),
            Wrong(penalty_swapped, "swapped"),
            Wrong(penalty_with(to_one, tf.reduce_mean), "gradient of the mean score"),
            Wrong(
                penalty_with(lambda s, n: tf.reduce_mean((tf.reduce_sum(s**2, 1) - 1) ** 2)),
                "The root is missing",
            ),
            Wrong(penalty_with(lambda s, n: tf.reduce_mean(n**2)), "mean squared length"),
            Wrong(penalty_with(lambda s, n: (tf.reduce_mean(n) - 1) ** 2), "averaged the lengths"),
            Wrong(penalty_with(lambda s, n: (tf.norm(s) - 1) ** 2), "for the whole batch"),
            Wrong(penalty_with(lambda s, n: tf.reduce_sum((n - 1) ** 2)), "added up the examples"),
            Wrong(penalty_with_the_variable, "The penalty is right, its gradient is not"),
            Wrong(penalty_with(lambda s, n: tf.reduce_mean((n - 2) ** 2)), "the penalty is"),
        ],
    ),
    "14.4": Answers(
        right=[tuple(RIGHT)],
        wrong=[
            Wrong("fit", "a list of five strings"),
            Wrong(RIGHT[:4], "a list of five strings"),
            Wrong(means_but(2, "callback"), "Case 2 is 'callback'"),
            Wrong(means_but(1, "train_step"), "Case 1: That would work"),
            Wrong(means_but(1, "loop"), "compile takes one of your own"),
            Wrong(means_but(2, "fit"), "the gradients of the sum"),
            Wrong(means_but(2, "loop"), "one update, so train_step"),
            Wrong(means_but(3, "train_step"), "the noise belongs to the data"),
            Wrong(means_but(3, "loop"), "Case 3: That would work"),
            Wrong(means_but(4, "fit"), "compile takes one optimizer"),
            Wrong(means_but(4, "loop"), "both updates belong to one batch"),
            Wrong(means_but(5, "fit"), "never goes back"),
            Wrong(means_but(5, "train_step"), "not one batch and one update"),
            Wrong(["loop"] * 5, "3 more to think over"),
        ],
    ),
}

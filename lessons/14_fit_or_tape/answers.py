"""Right answers to lesson 14's exercises, and wrong ones that no list holds."""

from contextlib import nullcontext

import keras
import numpy as np
import tensorflow as tf

# 14.1


def cost_by_relu(y, y_hat):
    low, high = tf.nn.relu(y - y_hat), tf.nn.relu(y_hat - y)
    return tf.reduce_mean(3 * low**2 + high**2, axis=-1)


def cost_by_factor(y, y_hat):
    too_little = tf.cast(y_hat < y, y.dtype)
    return tf.reduce_mean((1 + 2 * too_little) * tf.math.squared_difference(y, y_hat), axis=1)


# 14.2


def length_of(variable):
    return tf.where(tf.norm(variable) > 1e-3, tf.norm(variable), 1e-3)


def adaptive_by_hand(kind):
    """Clip with a quotient, in a class made by type."""

    def update_step(self, gradient, variable, learning_rate):
        limit, length = length_of(variable) / 10, tf.norm(gradient)
        factor = tf.where(length > limit, limit / length, 1.0)
        kind.update_step(self, gradient * factor, variable, learning_rate)

    return type("Adaptive", (kind,), {"update_step": update_step})


def adaptive_by_axes(kind):
    class Own(kind):
        def update_step(self, gradient, variable, learning_rate):
            limit = keras.ops.maximum(keras.ops.norm(variable), 1e-3) * 0.1
            super().update_step(
                limit * gradient / tf.maximum(limit, tf.norm(gradient)), variable, learning_rate
            )

    return Own


def adapting(limit, clip=tf.clip_by_norm):
    def adaptive(kind):
        class Own(kind):
            def update_step(self, g, v, rate):
                return super().update_step(clip(g, limit(g, v)), v, rate)

        return Own

    return adaptive


def given_back(kind):
    class Own(kind):
        def apply(self, grads, trainable_variables=None):
            limits = [tf.norm(v) / 10 for v in trainable_variables]
            super().apply(list(map(tf.clip_by_norm, grads, limits)), trainable_variables)

    return Own


def with_a_floor(kind):
    class Own(kind):
        def update_step(self, g, v, rate):
            super().update_step(tf.clip_by_norm(g, 0.1 * tf.maximum(tf.norm(v), 1e-3)), v, rate)

    return Own


def in_numbers(number):
    return adapting(lambda g, v: number(tf.norm(v)) / 10)


def dividing(name):
    def adaptive(kind):
        class Own(kind):
            def update_step(self, g, v, rate):
                g = g / (getattr(self, name) or 1)
                super().update_step(tf.clip_by_norm(g, length_of(v) / 10), v, rate)

        return Own

    return adaptive


def rms(variable):
    return tf.sqrt(tf.reduce_mean(tf.square(variable)))


def float_of(condition):
    return tf.cast(condition, tf.float32)


def handing_on(changed):
    """Return an answer whose update_step hands on what `changed` makes of gradient and variable."""

    def adaptive(kind):
        class Own(kind):
            def update_step(self, g, v, rate):
                kind.update_step(self, *changed(g, v), rate)

        return Own

    return adaptive


def applying_in_update_step(kind):
    class Own(kind):
        def update_step(self, g, v, rate):
            self.apply([tf.clip_by_norm(g, length_of(v) / 10)], [v])

    return Own


# 14.3


def step_of_keras(model, data):
    return model.train_step(data)


def step_by_hand(model, data):
    """Differentiate the loss and the penalties of 14.3 without a tape."""
    x, y, sample_weight = data
    norm, last = model.layers
    mean, variance = tf.nn.moments(x, [0])
    norm.moving_mean.assign(0.99 * norm.moving_mean + 0.01 * mean)
    norm.moving_variance.assign(0.99 * norm.moving_variance + 0.01 * variance)
    z = (x - mean) / tf.sqrt(variance + norm.epsilon)
    y_hat = last(z)
    error = y_hat - y  # (n, 1)
    weights = sample_weight[:, None] / x.shape[0]
    penalty = 0.1 * tf.reduce_sum(last.kernel**2) + 0.1 * tf.reduce_mean(y_hat**2)
    loss = tf.reduce_sum(weights * tf.maximum(error / 2, -error)) + penalty
    slopes = weights * tf.where(error > 0, 0.5, -1.0) + 0.2 * y_hat / x.shape[0]
    last.kernel.assign_sub(0.1 * (tf.transpose(z) @ slopes + 0.2 * last.kernel))
    last.bias.assign_sub(0.1 * tf.reduce_sum(slopes, axis=0))
    return {"loss": loss}


def step_with_both_kinds(model, data):
    x, y, sample_weight = data
    with tf.GradientTape() as tape:
        y_hat = model(x, training=True)
        losses = of_each(model, y, y_hat)
        loss = tf.reduce_mean(sample_weight * losses) + sum(model.losses) + own(y_hat)
        scaled = loss * (model.optimizer.loss_scale_factor or 1.0)
    variables = model.trainable_variables
    model.optimizer.apply_gradients(zip(tape.gradient(scaled, variables), variables, strict=True))
    return {"loss": loss}


def own(y_hat):
    return tf.reduce_mean(tf.square(y_hat)) / 10


# 14.4


def two_tapes(model, data):
    """Give each optimizer a tape of its own, and the second one the scaled gradients by hand."""
    x, y, weights = data
    *body, head = model.layers
    with tf.GradientTape() as first, tf.GradientTape() as second:
        y_hat = model(x, training=True)
        loss = tf.reduce_mean(weights * of_each(model, y, y_hat)) + tf.add_n(model.losses)
        scaled = model.optimizer.scale_loss(loss)
    variables = [v for layer in body for v in layer.trainable_variables]
    gradients = first.gradient(scaled, variables)
    scale = model.head_optimizer.loss_scale_factor or 1.0
    of_head = [scale * g for g in second.gradient(loss, head.trainable_variables)]
    model.head_optimizer.apply(of_head, head.trainable_variables)
    model.optimizer.apply(gradients, variables)
    return {"loss": loss}


def pairs_of(model):
    """Return each optimizer with the slice of the trainable variables that it updates."""
    at = first_of_last(model)
    return (model.optimizer, slice(at)), (model.head_optimizer, slice(at, None))


def first_of_last(model):
    """Return the place of the last layer's first variable among those that train."""
    return len(model.trainable_variables) - len(model.layers[-1].trainable_variables)


def all_at_once(model, data):
    """Take all gradients of the plain loss, split the list, and scale each part by its factor."""
    with tf.GradientTape() as tape:
        y_hat = model(data[0], training=True)
        loss = model.compute_loss(*data[:2], y_hat, data[2])
    variables = model.trainable_variables
    gradients = tape.gradient(loss, variables)
    for each, part in pairs_of(model):
        scale = each.loss_scale_factor or 1.0
        each.apply([scale * g for g in gradients[part]], variables[part])
    return {"loss": loss}


def splitting(
    split=first_of_last,
    call=lambda model, x: model(x, training=True),
    loss_of=lambda model, x, y, w, y_hat: model.compute_loss(x, y, y_hat, w),
    factors=lambda model: [model.optimizer, model.head_optimizer],
    order=lambda model: [model.optimizer, model.head_optimizer],
    report=lambda model, data, loss: {"loss": loss},
):
    def step(model, data):
        with tf.GradientTape() as tape:
            loss = loss_of(model, *data, call(model, data[0]))
        v = model.trainable_variables
        gradients = tape.gradient(loss, v)
        at = split(model)
        for each, by, part in zip(
            order(model), factors(model), (slice(at), slice(at, None)), strict=True
        ):
            scale = by.loss_scale_factor if by is not None else 1.0
            each.apply([scale * g for g in gradients[part]], v[part])
        return report(model, data, loss)

    return step


def weights_of_all(model, data):
    """Take the weights of the layers, whether they are frozen or not."""
    x, y, w = data
    *others, last = model.layers
    body, head = sum([layer.weights for layer in others], []), last.weights
    with tf.GradientTape(persistent=True) as tape:
        loss = model.compute_loss(x, y, model(x, training=True), w)
        scaled = [each.scale_loss(loss) for each in (model.optimizer, model.head_optimizer)]
    model.optimizer.apply(tape.gradient(scaled[0], body), body)
    model.head_optimizer.apply(tape.gradient(scaled[1], head), head)
    return {"loss": loss}


def body_only(model, data):
    with tf.GradientTape() as tape:
        loss = model.compute_loss(*data[:2], model(data[0], training=True), data[2])
        scaled = model.optimizer.scale_loss(loss)
    v = model.trainable_variables[pairs_of(model)[0][1]]
    model.optimizer.apply(tape.gradient(scaled, v), v)
    return {"loss": loss}


def optimizing(body_of):
    """Return an answer to 14.4 whose tape is asked for the gradients of something else."""

    def step(model, data):
        x, y, w = data
        with tf.GradientTape(persistent=True) as tape:
            loss = model.compute_loss(x, y, model(x, training=True), w)
            scaled = [each.scale_loss(loss) for each in (model.optimizer, model.head_optimizer)]
        body, head = body_of(model), model.layers[-1].trainable_weights
        gradients = tape.gradient(scaled[0], body), tape.gradient(scaled[1], head)
        model.optimizer.apply(gradients[0], body)
        model.head_optimizer.apply(gradients[1], head)
        return {"loss": loss}

    return step


# 14.6


def run_by_fit(model, x, y, x_val, y_val, rates, batch_size):
    model.compile(keras.optimizers.SGD(), keras.losses.Huber(delta=1.0))
    schedule = keras.callbacks.LearningRateScheduler(lambda epoch: rates[epoch])
    options = {"epochs": len(rates), "callbacks": [schedule], "shuffle": False, "verbose": 0}
    data = {"x": x, "y": y, "batch_size": batch_size, "validation_data": (x_val, y_val)}
    history = model.fit(**data, **options).history
    return {name: history[name] for name in ("loss", "val_loss")}


def running(
    cost=lambda error: keras.losses.huber(tf.zeros_like(error)[:, None], error[:, None]),
    call=lambda model, x: model(x, training=True),
    error_of=lambda y_hat, y: y_hat[:, 0] - y,
    extra=lambda model: sum(model.losses),
    rate_of=lambda rates, epoch: rates[epoch],
    average=lambda losses, sizes, before: np.average(losses, weights=sizes),
    validate=lambda model, x: model(x),
    val_extra=lambda model: sum(model.losses),
):
    """Train eagerly, with SGD by hand, and average at the end of an epoch."""

    def train(model, x, y, x_val, y_val, rates, batch_size):
        losses, val_losses, before = [], [], []
        for epoch in range(len(rates)):
            values, sizes = [], []
            parts = tf.data.Dataset.from_tensor_slices((x, y)).batch(batch_size)
            for x_part, y_part in parts:
                with tf.GradientTape() as tape:
                    errors = error_of(call(model, x_part), y_part)
                    loss = tf.reduce_mean(cost(errors)) + extra(model)
                for v, g in zip(
                    model.trainable_variables,
                    tape.gradient(loss, model.trainable_variables),
                    strict=True,
                ):
                    if g is not None:
                        v.assign_sub(rate_of(rates, epoch) * g)
                values.append(float(loss))
                sizes.append(len(y_part))
            losses.append(float(average(values, sizes, before)))
            before += values
            val = tf.reduce_mean(cost(validate(model, x_val)[:, 0] - y_val)) + val_extra(model)
            val_losses.append(float(val))
        return {"loss": losses, "val_loss": val_losses}

    return train


def huber_by_hand(slope):
    @tf.custom_gradient
    def cost(error):
        size = tf.abs(error)
        value = tf.where(size < 1, tf.square(size) / 2, size - 0.5)
        return value, lambda upstream: slope(error) * upstream

    return cost


def loss_of(model, x, y):
    costs = keras.losses.huber(y[:, None], model(x))
    return float(tf.reduce_mean(costs) + sum(model.losses))


MEANS = ["fit", "train_step", "fit", "train_step", "loop"]


def table_of_errors(y, y_hat):
    return tf.reduce_mean(tf.square(tf.reshape(y_hat, [-1]) - y))


def gradients_once(model, x, y, steps):
    optimizer = keras.optimizers.Adam(0.05)
    with tf.GradientTape() as tape:
        loss = keras.losses.MeanSquaredError()(y, model(x))
    found = tape.gradient(loss, model.trainable_weights)
    for _ in range(steps):
        optimizer.apply_gradients(zip(found, model.trainable_weights, strict=True))
    return [float(loss)] * steps


def trained(
    make=lambda: keras.optimizers.Adam(learning_rate=0.05),
    state_lost=False,
    loss_of=lambda y, y_hat: keras.losses.MeanSquaredError()(y, y_hat),
    variables_of=lambda model: model.trainable_variables,
):
    """Return an answer to 14.7 that steps in a function of its own."""

    def train(model, x, y, steps):
        optimizer = make()

        def step(optimizer):
            with tf.GradientTape() as tape:
                loss = loss_of(y, model(x))
            variables = variables_of(model)
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
            return loss.numpy()

        return [step(make() if state_lost else optimizer) for _ in range(steps)]

    return train


RIGHT = {
    "14.7": [trained()],
    "14.1": [tf.function(cost_by_relu), cost_by_factor],
    "14.2": [adaptive_by_hand, adaptive_by_axes, with_a_floor],
    "14.3": [step_by_hand, step_with_both_kinds],
    "14.4": [two_tapes, all_at_once],
    "14.5": [tuple(MEANS)],
    "14.6": [running(), running(huber_by_hand(lambda e: tf.clip_by_value(e, -1, 1)))],
}

# Its values are right, and a demand refuses it.
ORACLES = {"14.6": [run_by_fit]}


def ordering(little=3.0, much=1.0, power=2, mean=lambda cost: tf.reduce_mean(cost, axis=1)):
    def order_cost(y, y_hat):
        missing, left = tf.nn.relu(y - y_hat), tf.nn.relu(y_hat - y)
        return mean(little * missing**power + much * left**power)

    return order_cost


def decided_by_the_batch(y, y_hat):
    if tf.reduce_sum(y_hat) < tf.reduce_sum(y):
        factor = 3.0
    else:
        factor = 1.0
    return factor * keras.losses.mean_squared_error(y, y_hat)


def whole(model, x, y, y_hat, weights):
    return model.compute_loss(x, y, y_hat, weights)


def of_each(model, y, y_hat):
    return getattr(model.loss, "call", model.loss)(y, y_hat)


def stepping(
    loss=whole,
    call=lambda model, x: model(x, training=True),
    update=lambda optimizer, gradients, variables: optimizer.apply(gradients, variables),
    report=lambda loss, *_: {"loss": loss},
    recorded=("call", "loss"),
    penalty=own,
    factor=lambda optimizer: optimizer.loss_scale_factor or 1.0,
):
    def train_step(model, data):
        (x, y, weights), tape = data, tf.GradientTape()
        with tape if "call" in recorded else nullcontext():
            y_hat = call(model, x)
        with tape if "loss" in recorded else nullcontext():
            value = loss(model, x, y, y_hat, weights) + penalty(y_hat)
            scaled = value * factor(model.optimizer)
        variables = model.trainable_variables
        update(model.optimizer, tape.gradient(scaled, variables), variables)
        return report(value, model, *data)

    return train_step


def by_hand(data_loss):
    """Add the penalties to a loss of the data."""
    return stepping(lambda m, x, *rest: data_loss(m, *rest) + tf.add_n(m.losses))


def with_exchanged_arguments(kind):
    class Exchanged(kind):
        def update_step(self, variable, gradient, learning_rate):
            limit = tf.norm(variable) / 10
            super().update_step(tf.clip_by_norm(gradient, limit), variable, learning_rate)

    return Exchanged


WRONG = {
    "14.7": [
        ("a new Adam at each step", trained(state_lost=True)),
        ("another optimizer", trained(lambda: keras.optimizers.SGD(0.05))),
        ("another rate", trained(lambda: keras.optimizers.Adam(0.01))),
        ("updated once", lambda *given: [trained()(*given[:3], 1)[0]]),
        ("one step too many", lambda *given: trained()(*given[:3], given[3] + 1)),
        ("one step too few", lambda *given: trained()(*given[:3], given[3] - 1)),
        ("table of errors", lambda m, x, y, n: trained(loss_of=table_of_errors)(m, x, y, n)),
        ("one gradient for all", gradients_once),
        (
            "model not trained",
            lambda model, *given: trained()(keras.models.clone_model(model), *given),
        ),
        ("last layer alone", trained(variables_of=lambda model: model.layers[-1].variables)),
    ],
    "14.1": [
        ("unexplained", ordering(little=2.0)),
        ("one decision for all", decided_by_the_batch),
        ("too much earns", ordering(much=-1.0)),
        ("both on one side", ordering(little=4.0, much=0.0)),
        ("first good alone", lambda y, z: ordering()(y[:, :1], z[:, :1])),
        (
            "factor on top",
            lambda y, z: (
                ordering(little=3.0, much=0.0)(y, z) + keras.losses.mean_squared_error(y, z)
            ),
        ),
        ("root at the end", lambda y, y_hat: ordering()(y, y_hat) ** 0.5),
        ("returned None", lambda y, y_hat: print(ordering()(y, y_hat))),
        ("mean of all", ordering(mean=keras.ops.mean)),
        ("not squared", ordering(power=1)),
    ],
    "14.2": [
        ("nothing clipped", lambda kind: kind),
        ("arguments exchanged", with_exchanged_arguments),
        ("apply in update_step", applying_in_update_step),
        ("root mean square", adapting(lambda g, v: rms(v) / 10)),
        (
            "long ones left out",
            handing_on(lambda g, v: (g * float_of(tf.norm(g) <= length_of(v) / 10), v)),
        ),
        (
            "by value",
            adapting(
                lambda g, v: tf.norm(v) / 10, lambda g, size: tf.clip_by_value(g, -size, size)
            ),
        ),
        ("no class returned", lambda kind: adaptive_by_axes(kind)()),
        ("divided again", dividing("loss_scale_factor")),
        ("no graph", in_numbers(float)),
        ("still in apply", lambda kind: adaptive_by_hand(given_back(kind))),
    ],
    "14.3": [
        ("own penalty left out", step_of_keras),
        ("own penalty of the mean", stepping(penalty=lambda z: tf.reduce_mean(z) ** 2 / 10)),
        ("own penalty a hundredth", stepping(penalty=lambda z: own(z) / 10)),
        (
            "own penalty of another call",
            stepping(lambda m, x, y, z, w: whole(m, x, y, z, w) + own(m(x)) - own(z)),
        ),
        ("scaling left out", stepping(factor=lambda optimizer: 1.0)),
        ("no graph", stepping(report=lambda loss, *_: {"loss": float(loss)})),
        ("nothing applied", stepping(update=lambda optimizer, _, v: optimizer.build(v))),
        ("inference mode", stepping(call=lambda model, x: model.layers[1](model.layers[0](x)))),
        ("arguments exchanged", by_hand(lambda m, y, z, w: tf.reduce_mean(w * of_each(m, z, y)))),
        ("prediction before tape", stepping(recorded=["loss"])),
    ],
    "14.4": [
        ("head not applied", body_only),
        ("frozen layer moved", weights_of_all),
        ("empty slice", splitting(lambda model: -len(model.layers[-1].trainable_variables))),
        (
            "exchanged",
            splitting(
                order=lambda m: [m.head_optimizer, m.optimizer],
                factors=lambda m: [m.head_optimizer, m.optimizer],
            ),
        ),
        (
            "one for all",
            splitting(order=lambda m: [m.optimizer] * 2, factors=lambda m: [m.optimizer] * 2),
        ),
        ("inference mode", splitting(call=lambda model, x: model(x))),
        (
            "penalties left out",
            splitting(loss_of=lambda m, x, y, w, z: tf.reduce_mean(w * of_each(m, y, z))),
        ),
        ("two layers as head", splitting(split=lambda model: -2)),
        ("list of lists", optimizing(lambda m: [each.trainable_weights for each in m.layers[:-1]])),
        (
            "losses added up",
            splitting(
                report=lambda m, _, loss: {
                    "loss": sum(by.scale_loss(loss) for by in (m.optimizer, m.head_optimizer))
                }
            ),
        ),
        (
            "penalty of 14.3",
            splitting(loss_of=lambda m, x, y, w, z: m.compute_loss(x, y, z, w) + own(z)),
        ),
    ],
    "14.5": [
        ("line 2: wrote callback", ["fit", "callback", *MEANS[2:]]),
        ("other form", MEANS[:4]),
        ("line 1: wrote loop", ["loop"] * 5),
    ],
    "14.6": [
        ("fit called", run_by_fit),
        ("penalties left out", running(extra=lambda model: 0.0)),
        (
            "table of errors",
            running(
                lambda e: huber_by_hand(lambda e: tf.clip_by_value(e, -1, 1))(e),
                error_of=lambda y_hat, y: y_hat - y,
            ),
        ),
        ("slope of small errors", running(huber_by_hand(lambda e: e / tf.abs(e)))),
        ("slope without limit", running(huber_by_hand(tf.identity))),
        ("default rate", running(rate_of=lambda rates, epoch: 0.01)),
        ("errors added up", running(huber_by_hand(lambda e: len(e) * tf.clip_by_value(e, -1, 1)))),
        (
            "validation's table of errors",
            running(
                huber_by_hand(lambda e: tf.clip_by_value(e, -1, 1)),
                validate=lambda model, x: tf.repeat(model(x)[:, :, None], len(x), axis=2),
            ),
        ),
        ("penalties not validated", running(val_extra=lambda model: 0.0)),
        # Of several faults one is named, and it is one that is there.
        (
            "inference mode",
            running(
                call=lambda model, x: model(x),
                extra=lambda model: 0.0,
                rate_of=lambda rates, epoch: rates[0],
                average=lambda losses, sizes, before: np.mean(before + losses),
            ),
        ),
    ],
}

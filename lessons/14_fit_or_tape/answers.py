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


def unscaled_in_apply(kind):
    class Own(kind):
        def apply(self, grads, trainable_variables=None):
            factor = self.loss_scale_factor or 1
            limits = [factor * 0.1 * tf.norm(v) for v in trainable_variables]
            super().apply(list(map(tf.clip_by_norm, grads, limits)), trainable_variables)

    return Own


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


def with_a_condition(kind):
    class Own(kind):
        def update_step(self, g, v, rate):
            limit, length = tf.norm(v) / 10, tf.norm(g)
            if length > limit:
                g = g * limit / length
            kind.update_step(self, g, v, rate)

    return Own


def kernels_alone(kind):
    class Own(kind):
        def update_step(self, g, v, rate):
            if "kernel" in v.name:
                g = tf.clip_by_norm(g, tf.norm(v) / 10)
            super().update_step(g, v, rate)

    return Own


def clipped_afterwards(kind):
    class Own(kind):
        def update_step(self, g, v, rate):
            before = tf.identity(v)
            super().update_step(g, v, rate)
            v.assign(before + tf.clip_by_norm(v - before, length_of(before) / 10))

    return Own


def dividing(name):
    def adaptive(kind):
        class Own(kind):
            def update_step(self, g, v, rate):
                g = g / (getattr(self, name) or 1)
                super().update_step(tf.clip_by_norm(g, length_of(v) / 10), v, rate)

        return Own

    return adaptive


def sgd_by_hand(kind):
    class Own(kind):
        def update_step(self, g, v, rate):
            v.assign(v - rate * tf.clip_by_norm(g, length_of(v) / 10))

    return Own


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


def row_by_row(kind):
    class Own(kind):
        def update_step(self, grads, variables, rate):
            clipped = [tf.clip_by_norm(g, 0.1 * v) for g, v in zip(grads, variables, strict=False)]
            kind.update_step(self, tf.stack(clipped), variables, rate)

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
    of_last = len(model.layers[-1].trainable_variables)
    return (model.optimizer, slice(-of_last)), (model.head_optimizer, slice(-of_last, None))


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
    split=lambda model: -len(model.layers[-1].trainable_variables),
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


def two_passes(model, data):
    x, y, w = data
    for each, part in pairs_of(model):
        with tf.GradientTape() as tape:
            loss = each.scale_loss(model.compute_loss(x, y, model(x, training=True), w))
        v = model.trainable_variables[part]
        each.apply(tape.gradient(loss, v), v)
    return {"loss": loss}


def two_passes_first(model, data):
    """Take each gradient of a forward pass of its own, and apply both at the end."""
    x, y, w = data
    pairs, gradients = pairs_of(model), []
    for each, part in pairs:
        with tf.GradientTape() as tape:
            loss = model.compute_loss(x, y, model(x, training=True), w)
            scaled = each.scale_loss(loss)
        gradients.append(tape.gradient(scaled, model.trainable_variables[part]))
    for (each, part), found in zip(pairs, gradients, strict=True):
        each.apply(found, model.trainable_variables[part])
    return {"loss": loss}


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


def dropout_alone_in_training(model, x):
    for layer in model.layers:
        is_dropout = isinstance(layer, keras.layers.Dropout)
        x = layer(x, training=True) if is_dropout else layer(x)
    return x


def losses_alone(*given):
    return running()(*given)["loss"]


def first_layer_stopped(model, x):
    first, *others = model.layers
    y_hat = tf.stop_gradient(first(x))
    for layer in others:
        options = {"training": True} if type(layer).__name__.startswith("Scale") else {}
        y_hat = layer(y_hat, **options)
    return y_hat


def first_layer_predicting(model, x):
    first, *others = model.layers
    return keras.Sequential(others)(first(x, training=False), training=True)


def loss_of(model, x, y):
    costs = keras.losses.huber(y[:, None], model(x))
    return float(tf.reduce_mean(costs) + sum(model.losses))


def measured_after_each(model, x, y, x_val, y_val, rates, size):
    """Train with one rate after the other, and note the loss of all data in between."""
    losses, val_losses = [], []
    for rate in rates:
        history = running()(model, x, y, x_val, y_val, [rate], size)
        losses.append(loss_of(model, x, y))
        val_losses += history["val_loss"]
    return {"loss": losses, "val_loss": val_losses}


def validated_first(model, x, y, x_val, y_val, rates, size):
    losses, val_losses = [], []
    for rate in rates:
        val_losses.append(loss_of(model, x_val, y_val))
        losses += running()(model, x, y, x_val, y_val, [rate], size)["loss"]
    return {"loss": losses, "val_loss": val_losses}


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


def falling_with_a_new_adam(model, x, y, steps):
    rates = np.linspace(0.05, 0, steps, endpoint=False)
    return [trained(lambda r=rate: keras.optimizers.Adam(r))(model, x, y, 1)[0] for rate in rates]


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


def penalised_in_the_report(model, data):
    x, y, w = data
    with tf.GradientTape() as tape:
        y_hat = model(x, training=True)
        loss = whole(model, x, y, y_hat, w)
        scaled = model.optimizer.scale_loss(loss)
        loss = loss + own(y_hat)
    model.optimizer.apply(tape.gradient(scaled, model.trainable_weights), model.trainable_weights)
    return {"loss": loss}


def batch_by_keras(model, data):
    x, y, w = data
    y_hat = model(x, training=False)
    model.train_on_batch(x, y, sample_weight=w)
    return {"loss": whole(model, x, y, y_hat, w) + own(y_hat)}


def divided_before_apply(optimizer, gradients, variables):
    factor = optimizer.loss_scale_factor or 1.0
    optimizer.apply([g / factor for g in gradients], variables)


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
        ("another optimizer", trained(lambda: keras.optimizers.SGD(0.05, momentum=0.9))),
        ("another rate", trained(lambda: keras.optimizers.Adam(0.01))),
        ("another rate", falling_with_a_new_adam),
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
        ("no mean", ordering(mean=tf.identity)),
        ("mean over examples", ordering(mean=lambda cost: tf.reduce_sum(cost, 0) / len(cost))),
        ("axis kept", ordering(mean=lambda cost: tf.reduce_mean(cost, axis=1)[:, None])),
        ("goods added up", ordering(mean=lambda cost: tf.add_n(tf.unstack(cost, axis=1)))),
        ("sides exchanged", ordering(little=1.0, much=3.0)),
        ("factor left out", lambda y, y_hat: keras.losses.mean_squared_error(y, y_hat)),
        ("factor everywhere", lambda y, y_hat: 3 * keras.losses.mean_squared_error(y, y_hat)),
        ("not squared", ordering(power=1)),
        (
            "factor squared",
            lambda y, z: tf.reduce_mean(tf.maximum(3 * (y - z), z - y) ** 2, axis=1),
        ),
        ("too much free", ordering(much=0.0)),
        ("raised ValueError", lambda y, y_hat: ordering(1.0 if y < y_hat else 3.0)(y, y_hat)),
        ("raised AttributeError", lambda y, y_hat: ordering()(y.numpy(), y_hat.numpy())),
    ],
    "14.2": [
        ("nothing clipped", lambda kind: kind),
        ("arguments exchanged", with_exchanged_arguments),
        ("arguments exchanged", handing_on(lambda g, v: (v, g))),
        ("apply in update_step", applying_in_update_step),
        ("lists in update_step", row_by_row),
        ("least length left out", adapting(lambda g, v: tf.norm(v) / 10)),
        ("least limit", adapting(lambda g, v: tf.clip_by_value(tf.norm(v) / 10, 1e-3, 1e6))),
        ("root mean square", adapting(lambda g, v: rms(v) / 10)),
        (
            "variable clipped",
            handing_on(lambda g, v: (tf.clip_by_norm(v, tf.norm(g) / 10), v)),
        ),
        (
            "long ones left out",
            handing_on(lambda g, v: (g * float_of(tf.norm(g) <= length_of(v) / 10), v)),
        ),
        (
            "nothing clipped",
            lambda kind: type("Own", (kind,), {"update_gradient": lambda *given: None}),
        ),
        ("scaling alone", unscaled_in_apply),
        ("limit of one", adapting(lambda g, v: tf.norm(v))),
        ("fixed limit", adapting(lambda g, v: 1 / 10)),
        (
            "by value",
            adapting(
                lambda g, v: tf.norm(v) / 10, lambda g, size: tf.clip_by_value(g, -size, size)
            ),
        ),
        (
            "short ones lengthened",
            adapting(lambda g, v: tf.norm(v) / 10, lambda g, size: tf.math.l2_normalize(g) * size),
        ),
        ("update of its own", sgd_by_hand),
        ("no class returned", lambda kind: kind(0.1)),
        ("no class returned", lambda kind: adaptive_by_axes(kind)()),
        ("nothing clipped", kernels_alone),
        ("change clipped", clipped_afterwards),
        ("divided again", dividing("loss_scale_factor")),
        ("averaged again", dividing("gradient_accumulation_steps")),
        ("no graph", in_numbers(float)),
        ("raised NotImplementedError", in_numbers(np.asarray)),
        ("no graph", with_a_condition),
        ("no class returned", lambda kind: print(adaptive_by_axes(kind))),
        ("never updates", lambda kind: type("Own", (kind,), {"update_step": lambda *given: None})),
        ("still in apply", lambda kind: adaptive_by_hand(given_back(kind))),
        ("still in apply", given_back),
        ("squared norm", adapting(lambda g, v: tf.norm(v) ** 2 / 10)),
        ("largest entry", adapting(lambda g, v: tf.norm(v, ord=np.inf) / 10)),
        ("tenth of the gradient", adapting(lambda g, v: tf.norm(g) / 10)),
        (
            "rows by themselves",
            adapting(
                lambda g, v: tf.norm(v, axis=0) / 10,
                lambda g, size: tf.clip_by_norm(g, size, axes=[0]),
            ),
        ),
    ],
    "14.3": [
        ("own penalty left out", step_of_keras),
        ("own penalty left out", tf.function(step_of_keras)),
        ("own penalty left out", penalised_in_the_report),
        ("own penalty left out", batch_by_keras),
        ("own penalty of the mean", stepping(penalty=lambda z: tf.reduce_mean(z) ** 2 / 10)),
        ("own penalty a hundredth", stepping(penalty=lambda z: own(z) / 10)),
        (
            "own penalty of the error",
            stepping(
                lambda m, x, y, *rest: whole(m, x, y, *rest) + own(rest[0] - y) - own(rest[0])
            ),
        ),
        (
            "own penalty of another call",
            stepping(lambda m, x, y, z, w: whole(m, x, y, z, w) + own(m(x)) - own(z)),
        ),
        ("scaling left out", stepping(factor=lambda optimizer: 1.0)),
        ("scaling left out", stepping(update=divided_before_apply)),
        ("no graph", stepping(report=lambda loss, *_: {"loss": float(loss)})),
        (
            "weights given to model.loss",
            by_hand(lambda m, y, z, w: m.loss(y, z, sample_weight=w[:, None])),
        ),
        ("scaled twice", stepping(factor=lambda o: (o.loss_scale_factor or 1.0) ** 2)),
        (
            "scaled loss returned",
            stepping(report=lambda loss, m, *_: {"loss": m.optimizer.scale_loss(loss)}),
        ),
        (
            "constant factor",
            stepping(lambda *given: 0.7 * whole(*given), penalty=lambda z: 0.7 * own(z)),
        ),
        ("nothing applied", stepping(update=lambda optimizer, _, v: optimizer.build(v))),
        (
            "climbs",
            stepping(update=lambda _, *both: [*map(lambda g, v: v.assign(v + 0.1 * g), *both)]),
        ),
        ("applied twice", stepping(update=lambda o, *both: [o.apply(*both) for _ in both[1]])),
        ("inference mode", stepping(call=lambda model, x: model.layers[1](model.layers[0](x)))),
        ("loss not compiled", by_hand(lambda _, *rest: keras.losses.MeanSquaredError()(*rest))),
        ("arguments exchanged", by_hand(lambda m, y, z, w: tf.reduce_mean(w * of_each(m, z, y)))),
        ("prediction before tape", stepping(recorded=["loss"])),
        ("losses added up", by_hand(lambda m, y, z, w: tf.tensordot(of_each(m, y, z), w, 1))),
        ("weights left out", stepping(lambda *given: whole(*given[:4], weights=None))),
        (
            "mean weight",
            by_hand(lambda m, y, z, w: tf.reduce_mean(m.loss(y, z)) * tf.reduce_mean(w)),
        ),
        ("weights scaled", stepping(lambda *a: whole(*a[:4], a[4] / tf.reduce_mean(a[4])))),
        (
            "penalties left out",
            stepping(lambda m, x, y, z, w: tf.tensordot(of_each(m, y, z), w / w.shape[0], 1)),
        ),
        ("penalties twice", by_hand(lambda m, *rest: whole(m, None, *rest))),
        (
            "wrong for objects",
            by_hand(lambda m, y, z, w: tf.reduce_sum(m.loss(y, z) * w) / w.shape[0]),
        ),
        (
            "called twice",
            stepping(report=lambda loss, m, x, *_: {"loss": loss, "y": m(x, training=True)}),
        ),
        ("returns none", stepping(report=lambda *given: print(given[0]))),
        ("loss without dict", stepping(report=lambda loss, *_: tf.identity(loss))),
        (
            "loss after update",
            stepping(report=lambda _, m, x, y, w: {"loss": whole(m, x, y, m(x), w) + own(m(x))}),
        ),
        ("raised ValueError", stepping(recorded=["call"])),
        ("own penalty whole", stepping(penalty=lambda z: tf.reduce_mean(z * z))),
        ("own penalty added up", stepping(penalty=lambda z: tf.nn.l2_loss(z) / 5)),
        (
            "arguments without names",
            stepping(lambda m, x, y, z, w: m.compute_loss(tf.identity(y), z, tf.identity(w))),
        ),
        ("by model.loss", stepping(lambda m, x, y, z, w: tf.identity(m.loss(y, z)))),
        (
            "loss not compiled, weights left out, penalties left out",
            stepping(lambda m, x, y, z, w: tf.reduce_mean(keras.losses.mean_squared_error(y, z))),
        ),
    ],
    "14.4": [
        ("head not applied", body_only),
        ("frozen layer moved", weights_of_all),
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
            "weights left out",
            splitting(loss_of=lambda m, x, y, w, y_hat: m.compute_loss(x, y, y_hat)),
        ),
        (
            "penalties left out",
            splitting(loss_of=lambda m, x, y, w, z: tf.reduce_mean(w * of_each(m, y, z))),
        ),
        ("body first", two_passes),
        ("exchanged after scaling", splitting(order=lambda m: [m.head_optimizer, m.optimizer])),
        ("head not scaled", splitting(factors=lambda m: [m.optimizer, None])),
        ("not scaled", splitting(factors=lambda m: [None, m.head_optimizer])),
        ("two layers as head", splitting(split=lambda model: -2)),
        ("last variable as head", splitting(split=lambda model: -1)),
        ("slices at fixed places", splitting(split=lambda model: 2)),
        ("list of lists", optimizing(lambda m: [each.trainable_weights for each in m.layers[:-1]])),
        ("layer as source", optimizing(lambda m: m.layers[-1])),
        ("layer left out", optimizing(lambda m: [v for v in m.layers[1].trainable_weights])),
        (
            "losses added up",
            splitting(
                report=lambda m, _, loss: {
                    "loss": sum(by.scale_loss(loss) for by in (m.optimizer, m.head_optimizer))
                }
            ),
        ),
        (
            "loss not compiled",
            splitting(loss_of=lambda m, x, y, w, z: tf.reduce_mean(w[:, None] * (y - z) ** 2)),
        ),
        ("by model.loss", splitting(loss_of=lambda m, x, y, w, z: tf.identity(m.loss(y, z)))),
        (
            "penalty of 14.3",
            splitting(loss_of=lambda m, x, y, w, z: m.compute_loss(x, y, z, w) + own(z)),
        ),
        ("called twice", two_passes_first),
        ("one scale", splitting(factors=lambda model: [model.head_optimizer, model.optimizer])),
        ("one for all", splitting(order=lambda model: [model.optimizer] * 2)),
        ("no graph", splitting(report=lambda model, data, loss: {"loss": float(loss)})),
        (
            "penalties twice",
            splitting(
                loss_of=lambda m, x, y, w, z: m.compute_loss(x, y, z, w) + tf.add_n(m.losses)
            ),
        ),
        (
            "weights given to model.loss",
            splitting(loss_of=lambda m, x, y, w, z: m.loss(y, z, sample_weight=w)),
        ),
        ("not scaled", splitting(factors=lambda model: [None, None])),
        ("one scale", splitting(factors=lambda model: [model.optimizer] * 2)),
        ("returns none", splitting(report=lambda model, data, loss: print(loss))),
        (
            "loss after update",
            splitting(
                report=lambda m, data, loss: {
                    "loss": m.compute_loss(*data[:2], m(data[0], training=True), data[2])
                }
            ),
        ),
    ],
    "14.5": [
        ("line 2: wrote callback", ["fit", "callback", *MEANS[2:]]),
        ("other form", MEANS[:4]),
        ("line 1: wrote loop", ["loop"] * 5),
    ],
    "14.6": [
        ("fit called", run_by_fit),
        ("inference mode", running(call=lambda model, x: model(x))),
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
        ("reset for each batch", running(average=lambda losses, sizes, before: losses[-1])),
        (
            "validation's table of errors",
            running(
                huber_by_hand(lambda e: tf.clip_by_value(e, -1, 1)),
                validate=lambda model, x: tf.repeat(model(x)[:, :, None], len(x), axis=2),
            ),
        ),
        ("rate of the first trace", running(rate_of=lambda rates, epoch: rates[0])),
        ("first layer outside", running(call=first_layer_stopped)),
        (
            "first layer's penalty left out",
            running(extra=lambda model: sum(keras.Sequential(model.layers[1:]).losses)),
        ),
        ("first layer in inference", running(call=first_layer_predicting)),
        (
            "epoch missing",
            lambda *given: running()(*given[:5], given[5][:-1] or given[5], given[6]),
        ),
        ("rates in another order", running(rate_of=lambda rates, epoch: rates[::-1][epoch])),
        ("penalties twice", running(extra=lambda model: 2 * tf.add_n([0.0, *model.losses]))),
        ("reset before it is noted", running(average=lambda losses, sizes, before: 0.0)),
        ("measured after the epoch", measured_after_each),
        ("losses of batches added up", running(average=lambda losses, sizes, before: sum(losses))),
        ("validated before the epoch", validated_first),
        (
            "validated on the training data",
            lambda m, x, y, *rest: running()(m, x, y, x, y, *rest[2:]),
        ),
        ("never reset", running(average=lambda losses, sizes, before: np.mean(before + losses))),
        ("mean of means", running(average=lambda losses, sizes, before: np.mean(losses))),
        ("validated in training", running(validate=lambda model, x: model(x, training=True))),
        ("penalties not validated", running(val_extra=lambda model: 0.0)),
        ("inference mode", running(call=dropout_alone_in_training)),
        ("slope's sign", running(huber_by_hand(lambda e: tf.where(tf.abs(e) < 1, e, 1.0)))),
        ("slope's sign", running(huber_by_hand(lambda e: -tf.clip_by_value(e, -1, 1)))),
        ("rate an epoch late", running(rate_of=lambda rates, epoch: [0.01, *rates][epoch])),
        ("other form", losses_alone),
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
        (
            "penalties left out",
            running(
                huber_by_hand(tf.sign), extra=lambda model: 0.0, error_of=lambda y_hat, y: y_hat - y
            ),
        ),
        (
            "mean of means",
            running(
                average=lambda losses, sizes, before: np.mean(losses),
                validate=lambda model, x: model(x, training=True),
            ),
        ),
    ],
}

"""Answers to lesson 12's exercises: other right ones, and wrong ones that no list holds."""

import numpy as np
import tensorflow as tf


def penalised(penalty, result=lambda tape, loss, ws: (loss, tape.gradient(loss, ws))):
    def loss_and_gradients(model, x, y, beta):
        with tf.GradientTape() as tape:
            hidden, y_hat = model(x, training=True)
            loss = tf.reduce_mean(tf.square(y - y_hat)) + penalty(hidden, beta)
        return result(tape, loss, model.trainable_weights)

    return loss_and_gradients


def gives(result):
    return penalised(lambda hidden, beta: beta * tf.reduce_sum(hidden) / len(hidden), result)


def predicts_before_tape(model, x, y, beta):
    hidden, y_hat = model(x)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(y - y_hat)) + beta * tf.reduce_sum(hidden) / len(x)
    return loss, tape.gradient(loss, model.trainable_weights)


def keeps_apart(value, *targets):
    def loss_and_gradients(model, x, y, beta):
        with tf.GradientTape() as tape:
            hidden, y_hat = model(x, training=True)
            losses = {"task": tf.reduce_mean(tf.square(y - y_hat))}
            losses["penalty"] = beta * tf.reduce_mean(tf.norm(hidden, 1, axis=1))
            losses["total"] = losses["task"] + losses["penalty"]
        gradients = tape.gradient([losses[name] for name in targets], model.trainable_weights)
        return losses[value], gradients

    return loss_and_gradients


def by_parts(total, asked=lambda loss, parts: loss, hidden_of=None, error=tf.square):
    """Return an answer to 12.1 that keeps its parts in a list."""

    def loss_and_gradients(model, x, y, beta):
        with tf.GradientTape() as tape:
            hidden, y_hat = model(x, training=True)
            hidden = hidden_of(model, x) if hidden_of else hidden
            parts = [tf.reduce_mean(error(y - y_hat)), tf.reduce_mean(tf.norm(hidden, 1, axis=1))]
            loss = total(*parts, beta)
        return loss, tape.gradient(asked(loss, parts), model.trainable_weights)

    return loss_and_gradients


def weighed_sum(error, penalty, beta):
    return error + beta * penalty


def product(a, b):
    return tf.reduce_sum(unit(a) * unit(b))


def skips_none(fs, ss):
    return product(*(tf.concat([g for g in gs if g is not None], 0) for gs in (fs, ss)))


def first(pair):
    return pair[0]


def second(pair):
    return pair[1]


def compares(formula, targets=(first, second), unconnected="zero", outside=False):
    """Give formula two lists of flat gradients: of each target, by a tape of its own."""

    def cosine_of_losses(losses, variables):
        lists = []
        for target in targets:
            loss = target(losses())
            with tf.GradientTape() as tape:
                loss = loss if outside else target(losses())
            gradients = tape.gradient(loss, variables, unconnected_gradients=unconnected)
            lists.append([None if g is None else tf.reshape(g, [-1]) for g in gradients])
        return formula(*lists)

    return cosine_of_losses


def joined(formula, **options):
    return compares(lambda fs, ss: formula(tf.concat(fs, 0), tf.concat(ss, 0)), **options)


def dot(a, b):
    return tf.tensordot(a, b, 1)


def unit(a):
    return a / tf.norm(a)


def cosine(a, b):
    return dot(unit(a), unit(b))


def safe_cosine(a, b):
    return dot(tf.math.l2_normalize(a), tf.math.l2_normalize(b))  # 0 where a vector is 0


def lengths(gradients):
    return tf.sqrt(tf.stack([tf.reduce_sum(g**2) for g in gradients]))


def along(a, b):
    """Return the part of a along b."""
    return dot(a, unit(b)) * unit(b)


def surgery(conflict, agreement=tf.add):
    return lambda a, b: conflict(a, b) if dot(a, b) < 0 else agreement(a, b)


def projected(a, b):
    return a - along(a, b) + b - along(b, a)


def in_two_passes(model, x, y, beta, training=True):
    with tf.GradientTape() as tape:
        _, y_hat = model(x, training=True)
        hidden, _ = model(x, training=training)
        loss = tf.reduce_mean((y_hat - y) ** 2)
        loss += beta * tf.reduce_mean(tf.reduce_sum(tf.abs(hidden), axis=1))
    return loss, tape.gradient(loss, model.trainable_variables)


def in_two_passes_one_in_training(model, x, y, beta):
    return in_two_passes(model, x, y, beta, training=False)


def adds_gradients(model, x, y, beta):
    with tf.GradientTape(persistent=True) as tape:
        hidden, y_hat = model(x, training=True)
        error = tf.reduce_mean((y_hat - y) ** 2)
        penalty = tf.reduce_mean(tf.norm(hidden, 1, axis=1))
    values = [v.value for v in model.trainable_variables]
    first = tape.gradient(error, values)
    second = tape.gradient(penalty, values, unconnected_gradients="zero")
    return error + beta * penalty, [a + beta * b for a, b in zip(first, second, strict=True)]


def penalised_loss_in_numpy(model, kernels, x, y, beta):
    states, kernels = [x.numpy().astype(float)], iter(kernels)
    for layer in model.layers[1:]:
        state = states[-1]
        if hasattr(layer, "epsilon"):
            states.append((state - state.mean(0)) / np.sqrt(state.var(0) + layer.epsilon))
        else:
            activation = {"relu": lambda z: np.maximum(z, 0), "tanh": np.tanh, "linear": np.array}
            states.append(activation[layer.activation.__name__](state @ next(kernels)))
    *_, hidden, y_hat = states
    return np.mean((y_hat - y.numpy()) ** 2) + beta * np.mean(np.sum(abs(hidden), axis=1))


def penalised_by_differences(model, x, y, beta):
    kernels = [v.numpy().astype(float) for v in model.trainable_variables]
    gradients = [np.zeros_like(kernel) for kernel in kernels]
    for kernel, gradient in zip(kernels, gradients, strict=True):
        for at in np.ndindex(kernel.shape):
            for step in (1e-6, -1e-6):
                kernel[at] += step
                gradient[at] += penalised_loss_in_numpy(model, kernels, x, y, beta) / (2 * step)
                kernel[at] -= step
    return penalised_loss_in_numpy(model, kernels, x, y, beta), gradients


def cosine_by_jacobian(losses, variables):
    with tf.GradientTape() as tape:
        both = tf.stack(losses())
    rows = tape.jacobian(both, variables, unconnected_gradients="zero")
    return cosine(*tf.concat([tf.reshape(row, [2, -1]) for row in rows], 1))


def cosine_by_differences(losses, variables):
    slopes = []
    for variable in variables:
        start = variable.numpy()
        for at in np.ndindex(start.shape):
            values = []
            for step in (0.5, -0.5):
                moved = np.array(start)
                moved[at] += step
                variable.assign(moved)
                values.append([float(loss) for loss in losses()])
            slopes.append(np.subtract(*values))
        variable.assign(start)
    a, b = np.transpose(slopes)
    return a @ b / np.sqrt(a @ a * (b @ b))


def projected_in_numpy(a, b):
    a, b = a.numpy(), b.numpy()
    part = min(a @ b, 0.0)
    return (a - part / (b @ b) * b) + (b - part / (a @ a) * a)


@tf.function
def projected_in_a_graph(a, b):
    result = a + b
    if tf.tensordot(a, b, 1) < 0:
        result = result - along(a, b) - along(b, a)
    return result


def in_two_calls(
    hide=lambda rows, keep: rows * keep,
    of_hidden=lambda rebuilt, rows, keep: tf.boolean_mask((rebuilt - rows) ** 2, keep == 0),
    average=tf.reduce_mean,
    add=lambda labeled, hidden, weight: labeled + weight * hidden,
    give=lambda tape, loss, variables: (loss, tape.gradient(loss, variables)),
):
    """Return an answer to 12.5 that calls the model once for each task."""

    def joint_gradients(model, x, y, rows, keep, weight):
        with tf.GradientTape() as tape:
            (logits, _), (_, rebuilt) = model(x), model(hide(rows, keep))
            chosen = tf.gather(tf.nn.log_softmax(logits), y, batch_dims=1)
            hidden = average(of_hidden(rebuilt, rows, keep))
            loss = add(-tf.reduce_mean(chosen), hidden, weight)
        return give(tape, loss, model.trainable_variables)

    return joint_gradients


def with_keras_losses(model, x, y, rows, keep, weight):
    crossentropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    squared = tf.keras.losses.MeanSquaredError()
    with tf.GradientTape() as tape:
        logits, rebuilt = model(tf.concat([x, keep * rows], axis=0))
        labeled = crossentropy(y, logits[: len(x)])
        where = keep == 0
        unlabeled = squared(rows[where], rebuilt[len(x) :][where])
        loss = labeled + weight * unlabeled
    return loss, tape.gradient(loss, model.trainable_variables)


RIGHT = {
    "12.1": [
        tf.function(penalised(lambda h, beta: beta * tf.reduce_mean(tf.reduce_sum(abs(h), 1)))),
        adds_gradients,
        penalised_by_differences,
    ],
    "12.2": [joined(cosine), cosine_by_jacobian, cosine_by_differences],
    "12.3": [4, tf.constant(4.0), np.float32(4)],
    "12.4": [surgery(projected), projected_in_numpy, projected_in_a_graph],
    "12.5": [in_two_calls(), tf.function(in_two_calls()), with_keras_losses],
}

WRONG = {
    "12.1": [
        ("second forward pass", in_two_passes),
        ("only one pass in training", tf.function(in_two_passes_one_in_training)),
        ("returned None", gives(lambda tape, loss, ws: print(loss, tape.gradient(loss, ws)))),
        ("other form", penalised(lambda h, beta: beta * tf.reduce_sum(tf.abs(h), axis=1))),
        ("other form", gives(lambda tape, loss, ws: (loss, tape.gradient(loss, ws[0])))),
        ("nothing recorded", predicts_before_tape),
        ("penalty not recorded", keeps_apart("total", "task")),
        ("gradients of another loss", by_parts(weighed_sum, lambda loss, parts: [loss, parts[1]])),
        ("absolute errors", by_parts(weighed_sum, error=tf.abs)),
        ("layer called again", by_parts(weighed_sum, hidden_of=lambda m, x: m.layers[1](x))),
    ],
    "12.2": [
        ("returned None", joined(lambda a, b: print(cosine(a, b)))),
        ("zero everywhere", joined(lambda a, b: int(cosine(a, b)))),
        ("other form", compares(lambda fs, ss: list(map(safe_cosine, fs, ss)))),
        ("not finite", joined(cosine, outside=True)),
        ("of the norms", compares(lambda fs, ss: cosine(lengths(fs), lengths(ss)))),
        ("another divisor", joined(lambda a, b: dot(a, b) / tf.norm(tf.concat([a, b], 0)))),
        ("first norm only", joined(lambda a, b: dot(unit(a), b))),
        ("same gradient twice", joined(cosine, targets=(sum, sum))),
        ("vectors of two lengths", compares(skips_none, unconnected="none")),
        ("None joined", joined(cosine, unconnected="none", outside=True)),
    ],
    "12.3": [
        ("wrote 40", 40),
        ("wrote [4, 36]", [4, 36]),
        ("wrote [4.0]", [4]),
        ("wrote [40.0]", [40]),
        ("wrote 8", 8),
        ("other form", "an error"),
    ],
    "12.4": [
        ("returned None", surgery(projected, lambda a, b: None)),
        ("one of two", surgery(lambda a, b: a - along(a, b), lambda a, b: tf.identity(a))),
        ("b missing", surgery(lambda a, b: a + b - dot(a, b) * (1 / dot(a, a) + 1 / dot(b, b)))),
        ("other form", surgery(lambda a, b: [a - along(a, b), b - along(b, a)])),
        (
            "one overwritten",
            surgery(lambda a, b: (new := a - along(a, b)) + b - dot(a, b) / dot(a, a) * new),
        ),
        ("only added", lambda a, b: tf.add_n([a, b])),
        ("only a projected", surgery(lambda a, b: a - along(a, b) + b)),
        ("cosine for product", surgery(lambda a, b: a - cosine(a, b) * b + b - cosine(b, a) * a)),
        ("no method dot", lambda a, b: projected(a, b) if b.dot(a) < 0 else a + b),
        (
            "one part for both",
            surgery(lambda a, b: a - along(a, b) + b - dot(a, unit(b)) * unit(b)),
        ),
    ],
    "12.5": [
        ("returned None", in_two_calls(give=lambda tape, loss, ws: print(loss))),
        ("other form", in_two_calls(give=lambda tape, loss, ws: tape.gradient(loss, ws))),
        ("nothing hidden", in_two_calls(hide=lambda rows, keep: tf.identity(rows))),
        ("the others hidden", in_two_calls(hide=lambda rows, keep: tf.where(keep == 0, rows, 0.0))),
        ("all numbers counted", in_two_calls(of_hidden=lambda b, rows, keep: (rows - b) ** 2)),
        (
            "divided by all numbers",
            in_two_calls(of_hidden=lambda b, rows, keep: tf.where(keep > 0, 0.0, (rows - b) ** 2)),
        ),
        ("not divided", in_two_calls(average=tf.reduce_sum)),
        ("weight left out", in_two_calls(add=lambda a, b, weight: tf.add_n([a, b]))),
        ("labels left out", in_two_calls(add=lambda a, b, weight: b * weight)),
        ("weight on the labels", in_two_calls(add=lambda a, b, weight: b + weight * a)),
    ],
}

"""Answers to lesson 11's exercises: other right ones, and wrong ones that no list holds."""

import numpy as np
import tensorflow as tf


def of_head(variable):
    return "/head/" in f"/{variable.path}"


def clips_where(rule, clip=lambda g: tf.clip_by_norm(g, 1.0), otherwise=lambda g: g):
    def clip_head(variables, gradients):
        clipped = []
        for i in range(len(variables)):
            clipped.append((clip if rule(variables[i]) else otherwise)(gradients[i]))
        return clipped

    return clip_head


def clips_layers(clip):
    return lambda gradients, limits: {k: clip(gradients[k], limits[k]) for k in gradients}


def shrinks(norm, limit):
    return tf.minimum(1.0, tf.math.divide_no_nan(limit, norm))


def scales(norm_of=tf.linalg.global_norm, factor=shrinks):
    return clips_layers(lambda gs, limit: [factor(norm_of(gs), limit) * g for g in gs])


def clips_dict_in_place(gradients, limits):
    for layer, parts in gradients.items():
        gradients[layer] = tf.clip_by_global_norm(parts, limits[layer])[0]


ALL, NONE, LAST, OTHERS = slice(None), slice(0), slice(-2, None), slice(-2)


def mean_square(error):
    return tf.reduce_mean(tf.square(error))


def moves(slow_part, fast_part, loss_of=mean_square):
    def two_speed_step(model, slow, fast, x, y):
        weights = model.trainable_weights
        with tf.GradientTape() as tape:
            loss = loss_of(model(x) - y)
        gradients = tape.gradient(loss, weights)
        slow.apply(gradients[slow_part], weights[slow_part])
        fast.apply(gradients[fast_part], weights[fast_part])

    return two_speed_step


def moves_copies(model, slow, fast, x, y):
    with tf.GradientTape() as tape:
        loss = mean_square(model(x) - y)
    gradients = tape.gradient(loss, model.trainable_weights)
    for weight, gradient in zip(model.trainable_weights, gradients, strict=True):
        weight = weight - slow.learning_rate * gradient


def asks_twice(model, slow, fast, x, y):
    with tf.GradientTape() as tape:
        loss = mean_square(model(x) - y)
    for optimizer, part in ((slow, OTHERS), (fast, LAST)):
        weights = model.trainable_weights[part]
        optimizer.apply(tape.gradient(loss, weights), weights)


def clips_in_numpy(variables, gradients):
    clipped = []
    for variable, gradient in zip(variables, gradients, strict=True):
        gradient = gradient.numpy()
        if variable.path.split("/").count("head") == 1:
            gradient = gradient / max(1.0, np.linalg.norm(gradient))
        clipped.append(gradient)
    return tuple(clipped)


def scales_flat_vectors(gradients, limits):
    clipped = {}
    for layer, parts in gradients.items():
        norm = np.linalg.norm(np.concatenate([np.ravel(p) for p in parts]))
        too_long = norm > limits[layer]
        clipped[layer] = [p.numpy() * limits[layer] / norm if too_long else p for p in parts]
    return clipped


def two_gradients(model, x, y):
    last = model.layers[-1].trainable_variables
    rest = [v for layer in model.layers[:-1] for v in layer.trainable_variables]
    with tf.GradientTape(persistent=True) as tape:
        loss = tf.keras.losses.MeanSquaredError()(y, model(x, training=True))
    return (tape.gradient(loss, rest), rest), (tape.gradient(loss, last), last)


def by_persistent_tape(model, slow, fast, x, y):
    rest, last = two_gradients(model, x, y)
    fast.apply_gradients(zip(*last, strict=True))
    slow.apply_gradients(zip(*rest, strict=True))


@tf.function
def in_a_graph(model, slow, fast, x, y):
    rest, last = two_gradients(model, x, y)
    slow.apply(*rest)
    fast.apply(*last)


def in_two_passes(model, slow, fast, x, y):
    rest, _ = two_gradients(model, x, y)
    _, last = two_gradients(model, x, y)
    slow.apply(*rest)
    fast.apply(*last)


def unpacks_last(model, slow, fast, x, y):
    rest, ((of_kernel, of_bias), (kernel, bias)) = two_gradients(model, x, y)
    slow.apply(*rest)
    fast.apply([of_kernel, of_bias], [kernel, bias])


def loss_in_numpy(model, weights, x, y):
    state, weights = x.numpy().astype(float), iter(weights)
    for layer in model.layers:
        if hasattr(layer, "epsilon"):
            state = (state - state.mean(0)) / np.sqrt(state.var(0) + layer.epsilon)
            state = state * next(weights) + next(weights)
        else:
            state = state @ next(weights) + (next(weights) if layer.use_bias else 0)
            state = np.tanh(state) if layer is not model.layers[-1] else state
    return np.mean((state - y.numpy()) ** 2)


def by_differences(model, slow, fast, x, y):
    weights = [v.numpy().astype(float) for v in model.trainable_variables]
    gradients = [np.zeros_like(w) for w in weights]
    for w, gradient in zip(weights, gradients, strict=True):
        for at in np.ndindex(w.shape):
            for step in (1e-5, -1e-5):
                w[at] += step
                gradient[at] += loss_in_numpy(model, weights, x, y) / (2 * step)
                w[at] -= step
    n = len(model.layers[-1].trainable_variables)
    slow.apply(gradients[:-n], model.trainable_variables[:-n])
    fast.apply(gradients[-n:], model.trainable_variables[-n:])


def looks_at_the_loss_afterwards(model, slow, fast, x, y):
    by_persistent_tape(model, slow, fast, x, y)
    tf.reduce_mean((model(x) - y) ** 2)


RIGHT = {
    "11.1": [clips_where(of_head), clips_in_numpy],
    "11.2": [(-1.5, -2, -6), np.array([-1.5, -2.0, -6.0]), [tf.constant(-1.5), -2, np.float32(-6)]],
    "11.3": [
        clips_layers(lambda gs, limit: tf.clip_by_global_norm(gs, limit)[0]),
        scales(),
        scales_flat_vectors,
    ],
    "11.4": [by_persistent_tape, by_differences, in_a_graph, looks_at_the_loss_afterwards],
}


def with_added_losses(model, slow, fast, x, y):
    last = len(model.layers[-1].trainable_variables)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2) + tf.add_n([0.0, *model.losses])
    gradients = tape.gradient(loss, model.trainable_variables)
    slow.apply(gradients[:-last], model.trainable_variables[:-last])
    fast.apply(gradients[-last:], model.trainable_variables[-last:])


def reverses(parts, limit):
    clipped, _ = tf.clip_by_global_norm(parts, limit)
    return list(reversed(clipped))


def scales_to_one(gradients, limits):
    result = {}
    for layer, parts in gradients.items():
        norm = tf.linalg.global_norm(parts)
        result[layer] = [g / norm for g in parts] if norm > limits[layer] else parts
    return result


WRONG = {
    "11.1": [
        (
            "other form",
            lambda vs, gs: [tf.clip_by_norm(gs[i], 1.0) for i in range(len(vs)) if of_head(vs[i])],
        ),
        ("returned None", clips_where(of_head, otherwise=lambda g: None)),
        ("none clipped", clips_where(lambda v: v.name.startswith("head"))),
        (
            "found in some models",
            clips_where(lambda v: v.path.endswith(("/head/kernel", "/head/bias"))),
        ),
        ("headline too", clips_where(lambda v: v.path.split("/")[-2].endswith("head"))),
        (
            "order changed",
            lambda vs, gs: (
                [g for v, g in zip(vs, gs, strict=True) if not of_head(v)]
                + [tf.clip_by_norm(g, 1.0) for v, g in zip(vs, gs, strict=True) if of_head(v)]
            ),
        ),
        (
            "arguments exchanged",
            clips_where(of_head, lambda g: tf.clip_by_norm(t=1.0, clip_norm=g)),
        ),
        ("kernel only", clips_where(lambda v: of_head(v) and len(v.shape) == 2)),
        ("clipped by value", clips_where(of_head, lambda g: tf.maximum(tf.minimum(g, 1.0), -1.0))),
        ("raised AttributeError", clips_where(of_head, lambda g: g.clip(-1, 1))),
    ],
    "11.2": [
        ("wrote [1.5, 2, 6]", [1.5, 2, 6]),
        ("wrote [-1, -2, -3]", [-1, -2, -3]),
        ("wrote [-6, -1.5, -2]", np.array([-6, -1.5, -2])),
        ("wrote [-1.5, 2, -6]", (-1.5, 2, -6)),
        ("wrote [-1, -1, -1]", -np.ones(3)),
        ("other form", -1.5),
    ],
    "11.3": [
        ("returned None", clips_dict_in_place),
        (
            "short layers left out",
            lambda gradients, limits: {
                layer: tf.clip_by_global_norm(gs, limits[layer])[0]
                for layer, gs in gradients.items()
                if tf.linalg.global_norm(gs) > limits[layer]
            },
        ),
        ("kernel and bias exchanged", clips_layers(reverses)),
        (
            "clipped twice",
            lambda gradients, limits: scales()(
                clips_layers(lambda gs, limit: [tf.clip_by_norm(g, limit) for g in gs])(
                    gradients, limits
                ),
                limits,
            ),
        ),
        (
            "limit shared out",
            clips_layers(lambda gs, limit: [g * shrinks(tf.norm(g), limit / len(gs)) for g in gs]),
        ),
        ("limit forgotten", scales_to_one),
        ("other form", clips_layers(lambda gs, limit: [tf.clip_by_norm(gs[0], limit)])),
        ("zeros become nan", scales(factor=lambda norm, limit: tf.minimum(norm, limit) / norm)),
        (
            "two unpacked",
            lambda gradients, limits: {
                layer: tf.clip_by_global_norm([kernel, bias], limits[layer])[0]
                for layer, (kernel, bias) in gradients.items()
            },
        ),
        ("raised InvalidArgumentError", scales(tf.norm)),
    ],
    "11.4": [
        ("penalties in the loss", with_added_losses),
        ("nothing moves", moves_copies),
        ("optimizers swapped", moves(LAST, OTHERS)),
        ("all by slow", moves(ALL, NONE)),
        ("second forward pass", in_two_passes),
        ("bias unpacked", unpacks_last),
        ("uphill", moves(OTHERS, LAST, lambda error: -mean_square(error))),
        ("tape asked twice", asks_twice),
    ],
}

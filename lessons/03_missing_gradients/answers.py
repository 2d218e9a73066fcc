"""Answers to lesson 03: other right ones, and wrong ones that no list holds."""

import numpy as np
import tensorflow as tf
from keras.losses import (
    CategoricalCrossentropy,
    SparseCategoricalCrossentropy,
    sparse_categorical_crossentropy,
)


def new_variables(params, x, y, lr, steps):
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((params["w"] * x + params["b"] - y) ** 2)
        gradients = tape.gradient(loss, params)
        for name in params:
            params[name] = tf.Variable(params[name] - lr * gradients[name])
    return params


def watched_tensors(params, x, y, lr, steps):
    for _ in range(steps):
        with tf.GradientTape() as tape:
            tape.watch(params)
            loss = tf.reduce_mean(tf.square(y - params["w"] * x - params["b"]))
        gradients = tape.gradient(loss, params)
        params = {name: params[name] - lr * gradients[name] for name in params}
    return params


def descent_in_numpy(params, x, y, lr, steps):
    w, b = float(params["w"]), float(params["b"])
    for _ in range(steps):
        error = w * x.numpy() + b - y.numpy()
        w, b = w - lr * 2 * np.mean(error * x.numpy()), b - lr * 2 * np.mean(error)
    return {"b": float(b), "w": float(w)}


def classifier_by_hand(W, x, labels):
    p = tf.nn.softmax(x @ W).numpy()
    p[np.arange(len(p)), labels.numpy()] -= 1
    return x.numpy().T @ p / len(p)


def straight_inside(x):
    straight = x + tf.stop_gradient(quarters(x) - x)
    return tf.where(abs(x) <= 1, straight, tf.stop_gradient(quarters(x)))


def squares(d):
    return tf.reduce_sum(d**2, axis=1)


def guarded(d):
    safe = tf.where(squares(d) > 0, squares(d), 1.0)
    return tf.where(squares(d) > 0, tf.sqrt(safe), 0.0)


def apart(d):
    return tf.cast(squares(d) > 0, tf.float32)


def distance_by_hand(a, b):
    return tf.math.divide_no_nan(a - b, tf.norm(a - b, axis=1, keepdims=True))


def mended_afterwards(a, b):
    gradient = distance(lambda d: tf.sqrt(squares(d)))(a, b)
    return tf.where(tf.math.is_nan(gradient), 0.0, gradient)


def descent(update, names="wb", more=0, store=False, result=lambda params: params):
    def program(params, x, y, lr, steps):
        for _ in range(steps + more):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(params["w"] * x + params["b"] - y))
            gradients = tape.gradient(loss, params)
            for name in names:
                new = update(params[name], gradients[name], lr)
                if store:
                    params[name] = new
        return result(params)

    return program


def w_and_b_by_one_gradient(params, x, y, lr, steps):
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((params["w"] * x + params["b"] - y) ** 2)
        slope = tape.gradient(loss, params["w"])
        params["w"].assign_sub(lr * slope)
        params["b"].assign_sub(lr * slope)
    return params


def first_gradient_kept(params, x, y, lr, steps):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((params["w"] * x + params["b"] - y) ** 2)
    dw, db = tape.gradient(loss, [params["w"], params["b"]])
    for _ in range(steps):
        params["w"].assign_sub(lr * dw)
        params["b"].assign_sub(lr * db)
    return params


def return_in_loop(params, x, y, lr, steps):
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((params["w"] * x + params["b"] - y) ** 2)
        for name, gradient in tape.gradient(loss, params).items():
            params[name].assign_sub(lr * gradient)
        return params


def until_small(params, x, y, lr, steps):
    loss = 1.0
    while steps and loss > 1e-5:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((params["w"] * x + params["b"] - y) ** 2)
        gradients = tape.gradient(loss, params)
        for name in params:
            minus(params[name], gradients[name], lr)
        steps -= 1
    return params


def w_moved_first(params, x, y, lr, steps):
    for _ in range(steps):
        for p in params.values():
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((params["w"] * x + params["b"] - y) ** 2)
            minus(p, tape.gradient(loss, p), lr)
    return params


def last_gradients(params, x, y, lr, steps):
    while True:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((params["w"] * x + params["b"] - y) ** 2)
        dw, db = tape.gradient(loss, [params["w"], params["b"]])
        if steps == 1:
            return {"w": dw, "b": db}
        params = {"w": tf.Variable(params["w"] - lr * dw), "b": tf.Variable(params["b"] - lr * db)}
        steps -= 1


def minus(p, g, lr):
    return p.assign(p - lr * g)


def classifier(loss_of, ask=lambda tape, loss, logits, W: tape.gradient(loss, W)):
    def program(W, x, labels):
        with tf.GradientTape() as tape:
            logits = tf.matmul(x, W)
            loss = loss_of(logits, labels)
        return ask(tape, loss, logits, W)

    return program


def each_right(logits, labels, log_softmax=tf.nn.log_softmax):
    return tf.gather(log_softmax(logits), labels, batch_dims=1)


def cross_entropy(logits, labels):
    return -tf.reduce_mean(each_right(logits, labels))


def mean_log(probabilities):
    return -tf.reduce_mean(tf.math.log(probabilities))


def is_right(logits, labels):
    return tf.cast(tf.one_hot(labels, logits.shape[1]), tf.bool)


def quarters(x):
    return tf.round(x / 0.25) * 0.25


def inside(x, arriving):
    return arriving * tf.cast((x >= -1) & (x <= 1), tf.float32)


def own_gradient(value=quarters, backward=inside):
    return tf.custom_gradient(lambda x: (value(x), lambda arriving: backward(x, arriving)))


def straight_through(slope):  # the value is rounded, the gradient that of slope(x)
    return lambda x: slope(x) + tf.stop_gradient(quarters(x) - slope(x))


def clipped(x):
    return tf.clip_by_value(x, -1.0, 1.0)


def rooted(d, tiny=1e-36, axis=1):
    return tf.sqrt(tf.reduce_sum(tf.square(d), axis=axis) + tiny)


def gradient_of_total(tape, total, distances, a, b):
    return tape.gradient(total, a)


def distance(each=rooted, total=tf.reduce_sum, ask=gradient_of_total):
    def program(a, b):
        with tf.GradientTape() as tape:
            tape.watch(b)
            distances = each(a - b)
            target = total(distances)
        return ask(tape, target, distances, a, b)

    return program


RIGHT = {
    "03.1": [descent(minus), new_variables, watched_tensors, descent_in_numpy],
    "03.2": [
        ["None", 2, 0, 1, 2.25],
        (None, 2.0, 0.0, 1.0, 2.25),
        [None, tf.constant(2.0), np.float32(0), 1, 2.25],
    ],
    "03.3": [
        classifier(cross_entropy),
        classifier(lambda z, c: SparseCategoricalCrossentropy(from_logits=True)(c, z)),
        classifier(
            lambda z, c: (
                -tf.reduce_mean(
                    tf.reduce_sum(tf.one_hot(c, z.shape[1]) * tf.nn.log_softmax(z), axis=1)
                )
            )
        ),
        classifier(
            lambda z, c: tf.reduce_mean(
                tf.reduce_logsumexp(z, axis=1) - tf.gather(z, c, batch_dims=1)
            )
        ),
        classifier_by_hand,
    ],
    "03.4": [
        own_gradient(),
        own_gradient(lambda x: tf.constant(np.floor(4 * x + 0.5) / 4)),
        straight_through(clipped),
        straight_inside,
    ],
    "03.5": [
        distance(guarded),
        distance(lambda d: tf.sqrt(tf.maximum(squares(d), 1e-30))),
        # The rule of sqrt makes 0 of an arriving 0, and that of a power does not.
        distance(lambda d: tf.where(squares(d) > 0, tf.sqrt(squares(d)), 0.0)),
        distance(lambda d: tf.norm(tf.boolean_mask(d, squares(d) > 0), axis=1)),
        distance(lambda d: tf.abs(tf.complex(d[:, 0], d[:, 1]))),
        distance_by_hand,
    ],
}

WRONG = {
    "03.1": [
        ("only the first step", return_in_loop),
        ("nothing stored", descent(lambda p, g, lr: p - lr * g)),
        ("climbs", descent(lambda p, g, lr: p.assign(p + lr * g))),
        ("old value gone", descent(lambda p, g, lr: p.assign(tf.negative(lr * g)))),
        ("assigned the step", descent(lambda p, g, lr: p.assign(tf.multiply(lr, g)))),
        ("lr left out", descent(lambda p, g, lr: p.assign(p - g))),
        ("steps twice as long", descent(lambda p, g, lr: [minus(p, g, lr) for _ in range(2)])),
        ("one step too many", descent(minus, more=1)),
        ("one step missing", descent(minus, more=-1)),
        ("first gradient kept", first_gradient_kept),
        ("gradient of the other", w_and_b_by_one_gradient),
        ("only w moves", descent(minus, names="w")),
        ("only b moves", descent(minus, names="b")),
        ("fixed lr", descent(lambda p, g, lr: p.assign_sub(g / 10))),
        ("half a step", descent(lambda p, g, lr: p.assign(p - 0.5 * lr * g))),
        ("lr alone", descent(lambda p, g, lr: p.assign(p - lr))),
        ("one after the other", w_moved_first),
        ("ended early", until_small),
        ("gradients returned", last_gradients),
        ("lost variable", descent(lambda p, g, lr: p.assign_sub(lr * g), store=True)),
        ("returned None", descent(minus, result=lambda params: None)),
        ("other form", descent(minus, result=lambda params: {**params, "done": True})),
        (
            "other form",
            descent(
                minus, result=lambda params: {name: [0.0, p.numpy()] for name, p in params.items()}
            ),
        ),
        ("lost variable", descent(lambda p, g, lr: tf.subtract(p, lr * g), store=True)),
        ("raised AttributeError", descent(lambda p, g, lr: p.numpy() - lr * g.numpy(), store=True)),
    ],
    "03.2": [
        ("line 1: wrote 0", [0.0, 2.0, 0.0, 1.0, 2.25]),
        ("line 5: wrote 4.5", [None, 2.0, 0.0, 1.0, 4.5]),
        ("other form", [None, 2.0, 0.0, 1.0]),
    ],
    "03.3": [
        ("all classes", classifier(lambda z, c: -tf.reduce_mean(tf.math.log(tf.nn.softmax(z))))),
        ("no path", classifier(lambda z, c: 1 - tf.math.zero_fraction(tf.argmax(z, 1) - c))),
        (
            "zero for none",
            classifier(
                lambda z, c: 1 - tf.math.zero_fraction(tf.argmax(z, axis=1) - c),
                lambda t, loss, z, W: t.gradient(loss, W) or tf.zeros_like(W),
            ),
        ),
        (
            "gradient of the logits",
            classifier(cross_entropy, lambda t, loss, z, W: t.gradient(loss, z)),
        ),
        ("weights themselves", classifier(cross_entropy, lambda t, loss, z, W: W.numpy())),
        ("loss returned", classifier(cross_entropy, lambda t, loss, z, W: loss)),
        (
            "sum of losses",
            classifier(
                lambda z, c: SparseCategoricalCrossentropy(from_logits=True, reduction="sum")(c, z)
            ),
        ),
        ("wrong sign", classifier(lambda z, c: tf.reduce_mean(each_right(z, c)))),
        (
            "softmax twice",
            classifier(
                lambda z, c: SparseCategoricalCrossentropy(from_logits=True)(c, tf.nn.softmax(z))
            ),
        ),
        (
            "from_logits left out",
            classifier(lambda z, c: CategoricalCrossentropy()(is_right(z, c), z)),
        ),
        (
            "own guesses",
            classifier(lambda z, c: -tf.reduce_mean(tf.reduce_max(tf.nn.log_softmax(z), 1))),
        ),
        ("no log", classifier(lambda z, c: tf.reduce_sum(1 - tf.exp(each_right(z, c))))),
        (
            "mean over classes",
            classifier(
                lambda z, c: tf.reduce_mean(tf.where(is_right(z, c), -tf.nn.log_softmax(z), 0.0))
            ),
        ),
        (
            "softmax over examples",
            classifier(
                lambda z, c: (
                    -tf.reduce_mean(each_right(z - tf.reduce_logsumexp(z, 0), c, tf.identity))
                )
            ),
        ),
        (
            "other form",
            classifier(each_right, lambda tape, losses, z, W: -tape.jacobian(losses, W)),
        ),
        ("raised AttributeError", classifier(lambda z, c: -np.mean(each_right(z, c)))),
        (
            "labels not one-hot",
            classifier(lambda z, c: tf.nn.softmax_cross_entropy_with_logits(labels=c, logits=z)),
        ),
        (
            "labels not one-hot",
            classifier(
                lambda z, c: tf.nn.softmax_cross_entropy_with_logits(tf.one_hot(c, 2), logits=z)
            ),
        ),
        (
            "labels and logits exchanged",
            classifier(lambda z, c: sparse_categorical_crossentropy(z, c, from_logits=True)),
        ),
        ("other rows' labels", classifier(lambda z, c: mean_log(tf.gather(tf.nn.softmax(z), c)))),
        (
            "other rows' labels",
            classifier(lambda z, c: mean_log(tf.gather(tf.transpose(tf.nn.softmax(z)), c))),
        ),
        ("no softmax", classifier(lambda z, c: -tf.reduce_mean(z[is_right(z, c)]))),
        (
            "log of the mean",
            classifier(lambda z, c: mean_log(tf.reduce_mean(tf.nn.softmax(z)[is_right(z, c)]))),
        ),
    ],
    "03.4": [
        ("other form", lambda x: tf.stack([quarters(entry) for entry in tf.reshape(x, [-1])])),
        ("not rounded", own_gradient(lambda x: x / 0.25 * 0.25)),
        ("whole numbers", own_gradient(tf.round)),
        ("not divided", own_gradient(lambda x: tf.round(x / 0.25))),
        ("rounded down", lambda x: x - x % 0.25),
        ("values clipped", own_gradient(lambda x: quarters(clipped(x)))),
        ("multiples of 4", own_gradient(lambda x: tf.round(x * 0.25) / 0.25)),
        ("no path left", lambda x: tf.math.rint(x * 4) * 0.25),
        (
            "other form",
            own_gradient(backward=lambda x, arriving: tf.boolean_mask(arriving, tf.abs(x) <= 1)),
        ),
        ("returned None", lambda x: None),
        ("not decorated", lambda x: (quarters(x), lambda arriving: inside(x, arriving))),
        ("function returned", lambda x: own_gradient()),
        ("NumPy's array", lambda x: np.round(x / 0.25) * 0.25),
        (
            "passes on everywhere",
            own_gradient(backward=lambda x, d: tf.where((x >= -1) | (x <= 1), d, 0.0)),
        ),
        ("arriving dropped", own_gradient(backward=lambda x, arriving: inside(x, 1.0))),
        ("one everywhere", own_gradient(backward=lambda x, arriving: x * 0 + 1)),
        ("inside and outside exchanged", straight_through(lambda x: x - clipped(x))),
        ("looks at the rounded value", own_gradient(backward=lambda x, d: inside(quarters(x), d))),
        ("arriving clipped", own_gradient(backward=lambda x, arriving: clipped(arriving))),
        ("no lower end", straight_through(lambda x: tf.where(x > 1, 1.0, x))),
        ("no upper end", straight_through(lambda x: tf.where(x < -1, -1.0, x))),
        ("ends left out", own_gradient(backward=lambda x, d: tf.where(x**2 < 1, d, 0 * d))),
        ("slope of 4 x", straight_through(lambda x: clipped(x) * 4)),
        ("slope of x / 4", straight_through(lambda x: clipped(x) * 0.25)),
        ("zero everywhere", straight_through(lambda x: 0 * x)),
        ("raised TypeError", tf.custom_gradient(lambda x: (lambda d: inside(x, d), quarters(x)))),
        ("no backward returned", tf.custom_gradient(quarters)),
        ("raised ValueError", own_gradient(backward=lambda x, d: d if abs(x) <= 1 else 0.0)),
        ("raised AttributeError", own_gradient(lambda x: (x * 4).round() / 4)),
        ("Python's round", own_gradient(lambda x: (x / 0.25).astype("int32") * 0.25)),
        ("cut towards 0", own_gradient(lambda x: tf.sign(x) * tf.floor(4 * tf.abs(x)) / 4)),
        ("looks at what arrives", own_gradient(backward=lambda x, d: inside(d, d))),
        ("looks at 4 x", own_gradient(backward=lambda x, d: tf.where(x**2 <= 0.0625, d, 0.0))),
        (
            "& before <=",
            own_gradient(backward=lambda x, d: d * tf.cast(-1 <= x & x <= 1, tf.float32)),
        ),
        ("no negative x", straight_through(lambda x: tf.clip_by_value(x, 0.0, 1.0))),
        ("times x", straight_through(lambda x: clipped(x) ** 2 / 2)),
        ("no path left", own_gradient(backward=lambda x, arriving: None)),
    ],
    "03.5": [
        ("no path", distance(lambda d: tf.constant(np.hypot(*d.numpy().T)))),
        ("other form", distance(ask=lambda tape, t, each, a, b: tape.jacobian(each, a))),
        ("not squared", distance(lambda d: tf.reduce_sum(d, axis=1) ** 0.5)),
        (
            "still not finite",
            distance(lambda d: tf.exp(0.5 * tf.math.log(tf.reduce_sum(tf.square(d), axis=1)))),
        ),
        (
            "zero for every pair",
            distance(
                lambda d: rooted(tf.stop_gradient(d)),
                ask=lambda tape, t, each, a, b: tape.gradient(t, a, unconnected_gradients="zero"),
            ),
        ),
        (
            "one pair empties all",
            distance(lambda d: rooted(d) if tf.reduce_all(rooted(d) > 1e-17) else 0 * rooted(d)),
        ),
        ("squared distances", distance(lambda d: rooted(d) ** 2)),
        ("averaged", distance(total=lambda each: tf.reduce_sum(each) / len(each))),
        ("gradient of b", distance(ask=lambda tape, total, each, a, b: tape.gradient(total, b))),
        ("one root for all", distance(lambda d: rooted(d, axis=None))),
        ("down the columns", distance(lambda d: rooted(d, axis=0))),
        ("absolute differences", distance(lambda d: tf.norm(d, ord=1, axis=1))),
        ("added to the points", distance(lambda d: tf.norm(d + 1e-6, axis=1))),
        ("near points lost", distance(lambda d: tf.maximum(rooted(d), 0.05))),
        ("near points lost", distance(lambda d: rooted(d, tiny=1e-8))),
        ("near points lost", distance(lambda d: rooted(d, tiny=1e-20))),
        ("near points lost", distance(lambda d: rooted(d, tiny=1e-30))),
        (
            "guard on one side",
            distance(lambda d: rooted(tf.where(d <= 0, 1.0 + 0.0 * d, d)) * apart(d)),
        ),
        ("near points lost", distance(lambda d: tf.sqrt(tf.maximum(squares(d), 1e-12)))),
        (
            "one coordinate looked at",
            distance(lambda d: guarded(tf.where(d[:, :1] == 0, tf.zeros_like(d), d))),
        ),
        (
            "guarded entry by entry",
            distance(lambda d: rooted(tf.where(d == 0, tf.ones_like(d), d)) * apart(d)),
        ),
        ("distances changed", distance(lambda d: tf.sqrt(squares(d) + (1 - apart(d))))),
        ("distances changed", distance(lambda d: guarded(d) + 1e-2)),
        ("raised AttributeError", distance(total=lambda each: sum(each.numpy().tolist()))),
        ("patched afterwards", mended_afterwards),
    ],
}

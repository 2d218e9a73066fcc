"""Answers to lesson 20's exercises: other right ones, and wrong ones that no gallery holds."""

import numpy as np
import tensorflow as tf

# 20.1


def shared(error_part, penalty_part):
    def share(model, x, y, batch_size, replicas):
        with tf.GradientTape(persistent=True) as tape:
            squares = tf.reduce_sum(tf.square(y - model(x, training=True)), axis=-1)
            penalty = tf.add_n(model.losses)
        variables = [v.value for v in model.trainable_variables]
        of_errors = tape.gradient(squares, variables)
        of_penalty = tape.gradient(penalty, variables, unconnected_gradients=ZERO)
        a, b = error_part(len(x), batch_size, replicas), penalty_part(len(x), batch_size, replicas)
        return [a * g + b * p for g, p in zip(of_errors, of_penalty, strict=True)]

    return share


def with_penalty(choose):
    def share(model, x, y, batch_size, replicas):
        with tf.GradientTape() as tape:
            squares = tf.square(y - model(x, training=True))
            loss = tf.reduce_sum(squares) / batch_size + choose(*model.losses) / replicas
        return tape.gradient(loss, model.trainable_variables)

    return share


ZERO = tf.UnconnectedGradients.ZERO


def by_hand(model, x, y, batch_size, replicas):
    """The backward pass written out, without a tape."""
    W, b, V, c = (tf.convert_to_tensor(v) for v in model.trainable_variables)
    frozen, *others = model.layers
    first, second = (float(layer.kernel_regularizer.l2) for layer in others)
    x = frozen(x)
    hidden = tf.tanh(x @ W + b)
    error = 2 * (hidden @ V + c - y) / batch_size
    back = error @ tf.transpose(V) * (1 - hidden**2)
    return (
        tf.transpose(x) @ back + 2 * first * W / replicas,
        tf.reduce_sum(back, 0),
        tf.transpose(hidden) @ error + 2 * second * V / replicas,
        tf.reduce_sum(error, 0),
    )


def loss_only(model, x, y, batch_size, replicas):
    return tf.reduce_sum(tf.square(model(x) - y)) / batch_size + tf.add_n(model.losses) / replicas


def of_all_weights(model, *arguments):
    with tf.GradientTape() as tape:
        loss = loss_only(model, *arguments)
    return tape.gradient(loss, model.weights)


# 20.2


def data_of(parts):
    return tf.concat([x for x, _ in parts], 0), tf.concat([y for _, y in parts], 0)


def on_all_at_once(copies, parts, lr, penalty, largest):
    """What one device does, copied to all."""
    x, y = data_of(parts)
    W, b = copies[0]
    with tf.GradientTape() as tape:
        logits = tf.matmul(x, W) + b
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
        loss = tf.reduce_mean(losses) + penalty * tf.reduce_sum(tf.square(W))
    gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, [W, b]), largest)
    right = tf.reduce_mean(tf.cast(tf.argmax(logits, 1) == y, tf.float32))
    for pair in copies:
        for v, g in zip(pair, gradients, strict=True):
            v.assign_sub(lr * g)
    return right


def counts_last(copies, parts, *rest):
    on_all_at_once(copies, parts, *rest)
    (x, y), (W, b) = data_of(parts), copies[-1]
    return float(np.mean(np.argmax(x @ W + b, axis=1) == y))


def without_a_tape(copies, parts, lr, penalty, largest):
    x, y = (np.asarray(a) for a in data_of(parts))
    W, b = (v.numpy() for v in copies[0])
    logits = x @ W + b
    shares = np.exp(logits - logits.max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    shares[np.arange(len(y)), y] -= 1
    gradients = [x.T @ shares / len(y) + 2 * penalty * W, shares.mean(0)]
    norm = np.sqrt(sum(np.sum(g**2) for g in gradients))
    factor = min(1.0, largest / norm)
    for pair in copies:
        for v, g in zip(pair, gradients, strict=True):
            v.assign_sub((lr * factor * g).astype("float32"))
    return float(np.mean(logits.argmax(1) == y))


def loop(weight, penalty_weight, clip_first=False, clip_last=True, right=None, used=None):
    def step(copies, parts, lr, penalty, largest):
        count, found, hits = sum(len(y) for _, y in parts), [], []
        for (W, b), (x, y) in zip(copies, parts, strict=True):
            with tf.GradientTape() as tape:
                logits = x @ W + b
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits)
                loss = tf.reduce_sum(losses) / weight(len(y), count, len(parts))
                loss += penalty_weight(len(parts)) * penalty * tf.reduce_sum(W * W)
            found.append(tape.gradient(loss, [W, b]))
            hits.append(float(tf.reduce_sum(tf.cast(tf.argmax(logits, 1) == y, tf.float32))))
            if clip_first:
                found[-1] = tf.clip_by_global_norm(found[-1], largest)[0]
        added = [tf.add_n(list(gs)) for gs in zip(*found, strict=True)]
        if clip_last:
            added, _ = tf.clip_by_global_norm(added, largest)
        for i, pair in enumerate(copies):
            for v, g in zip(pair, found[i] if used == "own" else added, strict=True):
                v.assign(v - lr * g)
        sizes = [len(y) for _, y in parts]
        return right(hits, sizes) if right else sum(hits) / count

    return step


def of_all(own, count, parts):
    return count


def of_own(own, count, parts):
    return own


def part(parts):
    return 1 / parts


def full(parts):
    return 1.0


# 20.3


def filled(x, rows):
    return np.concatenate([x, np.ones((rows, *x.shape[1:]), np.float32)])


def by_numpy(step, x, y, batch_size):
    x, y = np.asarray(x), np.asarray(y)
    rows = -len(x) % batch_size
    counts = np.concatenate([np.ones(len(x)), np.zeros(rows)]).astype("float32")
    x, y = filled(x, rows), filled(y, rows)
    for first in range(0, len(x), batch_size):
        own = counts[first : first + batch_size]
        step(x[first : first + batch_size], y[first : first + batch_size], own / own.sum())


def by_dataset(step, x, y, batch_size):
    data = tf.data.Dataset.from_tensor_slices((x, y, tf.ones(len(x)))).padded_batch(
        batch_size, padding_values=(1.0, 1.0, 0.0)
    )
    for a, b, w in data:
        w = w / tf.reduce_sum(w)
        rows = batch_size - len(w)
        step(filled(a, rows), filled(b, rows), np.pad(w, (0, rows)))


def repeats_own_rows(step, x, y, batch_size):
    for first in range(0, len(x), batch_size):
        k = min(batch_size, len(x) - first)
        rows = [first + i % k for i in range(batch_size)]
        step(tf.gather(x, rows), tf.gather(y, rows), [1 / k] * k + [0.0] * (batch_size - k))


def not_filled(step, x, y, batch_size):
    for a, b in tf.data.Dataset.from_tensor_slices((x, y)).batch(batch_size):
        step(a, b, tf.ones(len(a)) / len(a))


def dropped(step, x, y, batch_size):
    for a, b in tf.data.Dataset.from_tensor_slices((x, y)).batch(batch_size, drop_remainder=True):
        step(a, b, tf.ones(len(a)) / len(a))


def with_rows(fill, weigh):
    def run(step, x, y, batch_size):
        for a, b in tf.data.Dataset.from_tensor_slices((x, y)).batch(batch_size):
            k, rows = len(a), batch_size - len(a)
            a = np.pad(a, ((0, rows), (0, 0)), constant_values=fill)
            step(a, np.pad(b, (0, rows), constant_values=fill), weigh(k, rows))

    return run


# 20.4


def recorded(variables, loss_of, factor):
    with tf.GradientTape() as tape:
        loss = loss_of() * factor
    return tape.gradient(loss, variables)


def by_global_norm(variables, loss_of, lr, scale):
    gradients = recorded(variables, loss_of, scale)
    if not np.isfinite(float(tf.linalg.global_norm(gradients))):
        return 0.5 * scale
    for v, g in zip(variables, gradients, strict=True):
        v.assign(v - (lr / scale) * g)
    return scale


def in_a_graph(variables, loss_of, lr, scale):
    @tf.function
    def run():
        gradients = recorded(variables, loss_of, scale)
        good = tf.reduce_all([tf.reduce_all(tf.math.is_finite(g)) for g in gradients])
        if good:
            for v, g in zip(variables, gradients, strict=True):
                v.assign_sub(lr * (g / scale))
        return tf.where(good, scale, scale / 2)

    return run()


def moves(
    gradients_of,
    good=lambda gs: all(bool(tf.reduce_all(tf.math.is_finite(g))) for g in gs),
    after=(1.0, 0.5),
    way=1.0,
):
    def step(variables, loss_of, lr, scale):
        gradients = gradients_of(variables, loss_of, scale)
        if good(gradients):
            for v, g in zip(variables, gradients, strict=True):
                v.assign_add(-way * lr * g)
            return after[0] * scale
        return after[1] * scale

    return step


def right_gradients(variables, loss_of, scale):
    return [g * (1 / scale) for g in recorded(variables, loss_of, scale)]


def forgets_to_return(variables, loss_of, lr, scale):
    by_global_norm(variables, loss_of, lr, scale)


def returns_in_bad_steps_alone(variables, loss_of, lr, scale):
    following = by_global_norm(variables, loss_of, lr, scale)
    if following < scale:
        return following


RIGHT = {
    "20.1": [
        by_hand,
        shared(lambda n, size, r: 1 / size, lambda n, size, r: 1 / r),
        # Shares of the penalty by the number of examples add up to the whole as well.
        shared(lambda n, size, r: 1 / size, lambda n, size, r: n / size),
        tf.function(shared(lambda n, size, r: 1 / size, lambda n, size, r: 1 / r)),
    ],
    "20.2": [on_all_at_once, without_a_tape, loop(of_all, part)],
    "20.3": [by_numpy, by_dataset, repeats_own_rows],
    "20.4": [by_global_norm, in_a_graph, moves(right_gradients)],
}


def by_keras_sum(model, x, y, batch_size, replicas):
    with tf.GradientTape() as tape:
        y_hat = model(x, training=True)
        errors = 3 * tf.keras.losses.MeanSquaredError(reduction="sum")(y, y_hat)
        loss = errors / batch_size + tf.add_n(model.losses) / replicas
    return tape.gradient(loss, model.trainable_variables)


WRONG = {
    "20.1": [
        ("empty part without penalties", by_keras_sum),
        ("penalties in full", shared(lambda n, size, r: 1 / size, lambda n, size, r: 1.0)),
        ("penalties left out", shared(lambda n, size, r: 1 / size, lambda n, size, r: 0.0)),
        (
            "penalties by the batch",
            shared(lambda n, size, r: 1 / size, lambda n, size, r: 1 / size),
        ),
        ("sum not divided", shared(lambda n, size, r: 1.0, lambda n, size, r: 1 / r)),
        ("last penalty only", with_penalty(lambda first, last: last)),
        ("mean of the penalties", with_penalty(lambda *p: sum(p) / len(p))),
        ("errors by replicas", shared(lambda n, size, r: 1 / r, lambda n, size, r: 1 / r)),
        ("errors divided twice", shared(lambda n, size, r: 1 / size / r, lambda n, size, r: 1.0)),
        (
            "batch size for each",
            shared(lambda n, size, r: 1 / (size // r), lambda n, size, r: 1 / r),
        ),
        ("averaged shares", shared(lambda n, size, r: 1 / size / r, lambda n, size, r: 1 / r / r)),
        ("batch size for each", shared(lambda n, size, r: r / size, lambda n, size, r: 1 / r)),
        ("minus", shared(lambda n, size, r: -1 / size, lambda n, size, r: -1 / r)),
        ("loss returned", loss_only),
        ("frozen weights too", of_all_weights),
        ("half the error", shared(lambda n, size, r: 0.5 / size, lambda n, size, r: 1 / r)),
        ("all by both", shared(lambda n, size, r: 1 / size / r, lambda n, size, r: 1 / size / r)),
        ("penalties multiplied", shared(lambda n, size, r: 1 / size, lambda n, size, r: r)),
    ],
    "20.2": [
        ("as given", loop(of_own, full, clip_first=True, clip_last=False)),
        ("mean of its own", loop(of_own, part)),
        ("penalty in full", loop(of_all, full)),
        ("clipped before the sum", loop(of_all, part, clip_first=True, clip_last=False)),
        ("clipped before and after", loop(of_all, part, clip_first=True)),
        ("mean and penalty", loop(of_own, full)),
        ("mean of means", loop(lambda own, count, n: own * n, part)),
        ("sum not divided", loop(lambda own, count, n: 1, part)),
        ("mean of means, penalty in full", loop(lambda own, count, n: own * n, full)),
        ("nothing divided", loop(lambda own, count, n: 1, full)),
        ("not clipped", loop(of_all, part, clip_last=False)),
        ("each its own way", loop(of_all, part, used="own")),
        ("mean of shares", loop(of_all, part, right=lambda h, n: np.mean(np.divide(h, n)))),
        ("sum of shares", loop(of_all, part, right=lambda h, n: sum(np.divide(h, n)))),
        ("right answers not divided", loop(of_all, part, right=lambda h, n: int(sum(h)))),
        ("counted after the step", counts_last),
        ("wrong answers counted", loop(of_all, part, right=lambda h, n: 1 - sum(h) / sum(n))),
    ],
    "20.3": [
        ("short batch", not_filled),
        ("last batch dropped", dropped),
        ("filled with zeros", with_rows(0.0, lambda k, m: [1 / k] * k + [0.0] * m)),
        (
            "weights by the batch size",
            with_rows(1.0, lambda k, m: (np.arange(k + m) < k) / (k + m)),
        ),
        ("weights of 1", with_rows(1.0, lambda k, m: (np.arange(k + m) < k).astype("float32"))),
        ("what was added counts", with_rows(1.0, lambda k, m: np.full(k + m, 1 / k))),
        ("weights in a column", with_rows(1.0, lambda k, m: [[1 / k]] * k + [[0.0]] * m)),
    ],
    "20.4": [
        ("not scaled", moves(lambda v, loss_of, scale: recorded(v, loss_of, 1.0))),
        ("not divided", moves(lambda v, loss_of, scale: recorded(v, loss_of, scale))),
        ("scale kept", moves(right_gradients, after=(1.0, 1.0))),
        ("scale doubled", moves(right_gradients, after=(1.0, 2.0))),
        ("always halved", moves(right_gradients, after=(0.5, 0.5))),
        ("grows", moves(right_gradients, after=(2.0, 0.5))),
        ("upwards", moves(right_gradients, way=-1.0)),
        ("never halved, never looked at", moves(right_gradients, good=lambda gs: True)),
        (
            "nan not looked for",
            moves(right_gradients, good=lambda gs: not any(np.any(np.isinf(g)) for g in gs)),
        ),
        (
            "largest entry looked at",
            moves(right_gradients, good=lambda gs: max(map(np.max, gs)) < np.inf),
        ),
        ("small scale not halved", lambda *given: max(1.0, by_global_norm(*given))),
        ("no scale returned", forgets_to_return),
        ("nothing returned after a good step", returns_in_bad_steps_alone),
        ("divided only", moves(lambda v, f, scale: [g / scale for g in recorded(v, f, 1.0)])),
    ],
}

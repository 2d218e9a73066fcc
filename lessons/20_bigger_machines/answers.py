"""Answers to lesson 20's exercises: other right ones, and wrong ones that no list holds."""

import numpy as np
import tensorflow as tf

# 20.1


def shared(error_part, penalty_part):
    def share(model, x, y, batch_size, replicas):
        with tf.GradientTape(persistent=True) as tape:
            squares = tf.reduce_sum(tf.square(y - model(x, training=True)), axis=-1)
            penalty = tf.add_n([0.0, *model.losses])
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


def sharing_on_tape(model, x, y, batch_size, replicas, total=sum):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((model(x) - y) ** 2) / batch_size + total(model.losses) / replicas
    return tape.gradient(loss, model.trainable_variables)


def sharing_with_add_n(*given):
    return sharing_on_tape(*given, total=tf.add_n)


def by_hand(model, x, y, batch_size, replicas):
    """The backward pass written out, without a tape, of a model with two layers that train."""
    if len(model.trainable_variables) != 4:
        return sharing_on_tape(model, x, y, batch_size, replicas)
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


def plain_step(gradients, lr, largest):
    return [lr * g for g in gradients]


def clipped_step(gradients, lr, largest):
    return tf.clip_by_global_norm([lr * g for g in gradients], largest)[0]


def loop(
    weight,
    penalty_weight,
    clip_first=False,
    clip_last=True,
    right=None,
    used=None,
    step_of=plain_step,
):
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
            moves = step_of(found[i] if used == "own" else added, lr, largest)
            for v, move in zip(pair, moves, strict=True):
                v.assign(v - move)
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

# Its values are right, and a demand refuses it.
ORACLES = {"20.1": [sharing_with_add_n]}


def by_keras_sum(model, x, y, batch_size, replicas):
    with tf.GradientTape() as tape:
        y_hat = model(x, training=True)
        errors = 3 * tf.keras.losses.MeanSquaredError(reduction="sum")(y, y_hat)
        loss = errors / batch_size + tf.add_n(model.losses) / replicas
    return tape.gradient(loss, model.trainable_variables)


def with_penalty_by(rule):
    def share(model, x, y, batch_size, replicas):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(y - model(x))) / batch_size + rule(model.losses)
        return tape.gradient(loss, model.trainable_variables)

    return share


def keras_sum(model, x, y, batch_size, replicas):
    with tf.GradientTape() as tape:
        loss = tf.keras.losses.MeanSquaredError(reduction="sum")(y, model(x)) / batch_size
        loss += tf.add_n(model.losses) / replicas
    return tape.gradient(loss, model.trainable_variables)


def of_errors(rule):
    def share(model, x, y, batch_size, replicas):
        with tf.GradientTape() as tape:
            loss = rule(y - model(x)) / batch_size
            loss += tf.add_n(model.losses) / replicas
        return tape.gradient(loss, model.trainable_variables)

    return share


def repaired(size_of=None, squares=tf.square, move=None, result=None):
    """The repaired loop, with one line of another kind."""

    def step(copies, parts, lr, penalty, largest):
        count, found, right = sum(len(y) for _, y in parts), [], 0
        for i, ((W, b), (x, y)) in enumerate(zip(copies, parts, strict=True)):
            with tf.GradientTape() as tape:
                logits = x @ W + b
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits)
                loss = tf.reduce_sum(losses) / (size_of(parts, i) if size_of else count)
                loss += penalty * tf.reduce_sum(squares(W)) / len(parts)
            found.append(tape.gradient(loss, [W, b]))
            right += int(tf.reduce_sum(tf.cast(tf.argmax(logits, 1) == y, tf.int32)))
        if move:
            move(copies, found, lr, largest)
        else:
            moved_alike(copies, found, lr, largest)
        return right / (result(parts) if result else count)

    return step


def moved_alike(copies, found, lr, largest):
    gradients, _ = tf.clip_by_global_norm(
        [tf.add_n(gs) for gs in zip(*found, strict=True)], largest
    )
    for pair in copies:
        for v, g in zip(pair, gradients, strict=True):
            v.assign_sub(lr * g)


def by_one_norm(copies, found, lr, largest):
    norm = tf.linalg.global_norm(sum(found, []))
    factor = tf.minimum(1.0, largest / norm)
    moved_alike(copies, [[factor * g for g in pair] for pair in found], lr, 1e6)


def in_batches(rows_of=None, weigh=None, last=0):
    """Full batches, of which one thing is not filled up, or is taken from elsewhere."""

    def run(step, x, y, batch_size):
        for first in range(0, len(x), batch_size):
            given = {
                "x": x[first : first + batch_size - last],
                "y": y[first : first + batch_size - last],
            }
            k = len(given["x"])
            given["weights"] = np.full(k, weigh(k, batch_size) if weigh else 1 / k, np.float32)
            if rows_of == "first":
                given["y"] = y[:batch_size]
            for name, own in given.items():
                short = batch_size - len(own)
                if name != rows_of and short:
                    rest = (
                        np.zeros(short) if name == "weights" else np.ones((short, *own.shape[1:]))
                    )
                    given[name] = np.concatenate([own, rest.astype("float32")])
            step(given["x"], given["y"], given["weights"])

    return run


WRONG = {
    "20.1": [
        ("mean over the outputs", keras_sum),
        ("empty part without penalties", by_keras_sum),
        ("penalties in full", shared(lambda n, size, r: 1 / size, lambda n, size, r: 1.0)),
        ("penalties left out", shared(lambda n, size, r: 1 / size, lambda n, size, r: 0.0)),
        (
            "penalties by the batch",
            shared(lambda n, size, r: 1 / size, lambda n, size, r: 1 / size),
        ),
        ("sum not divided", shared(lambda n, size, r: 1.0, lambda n, size, r: 1 / r)),
        ("one penalty only", with_penalty(lambda first, last: last)),
        ("mean of the penalties", with_penalty(lambda *p: sum(p) / len(p))),
        (
            "penalties by their number",
            with_penalty_by(lambda losses: tf.add_n(losses) / len(losses)),
        ),
        ("squared sum", of_errors(lambda e: tf.square(tf.math.reduce_sum(e)))),
    ],
    "20.2": [
        ("step clipped", loop(of_all, part, clip_last=False, step_of=clipped_step)),
        ("as given", loop(of_own, full, clip_first=True, clip_last=False)),
        ("mean of its own", loop(of_own, part)),
        ("penalty in full", loop(of_all, full)),
        ("clipped before the sum", loop(of_all, part, clip_first=True, clip_last=False)),
        ("each its own way", loop(of_all, part, used="own")),
        ("mean of shares", loop(of_all, part, right=lambda h, n: np.mean(np.divide(h, n)))),
        (
            "two for each part",
            repaired(lambda parts, i: 2 * len(parts), result=lambda p: 2 * len(p)),
        ),
        ("half the penalty", repaired(squares=lambda W: W * W / 2)),
        ("shares clipped as one", repaired(move=by_one_norm)),
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
        ("x not filled up", in_batches("x")),
        ("y not filled up", in_batches("y")),
        ("one row less", in_batches(last=1)),
        (
            "weights of 1 in the short batch",
            in_batches(weigh=lambda k, size: 1 / k if k == size else 1.0),
        ),
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
        ("small scale not halved", lambda *given: max(1.0, by_global_norm(*given))),
        (
            "divided by the next scale",
            moves(
                lambda v, f, scale: [2 * g for g in right_gradients(v, f, scale)], after=(0.5, 0.5)
            ),
        ),
    ],
}

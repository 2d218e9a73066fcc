"""Answers to lesson 17's exercises: other right ones, and wrong ones that no list holds."""

import numpy as np
import tensorflow as tf


def mse(W, b, pair):
    return tf.reduce_mean(tf.square(pair[1] - tf.matmul(pair[0], W) - b))


def one_step(W, b, pair, lr):
    with tf.GradientTape() as tape:
        tape.watch([W, b])
        loss = mse(W, b, pair)
    return [v - g * lr for v, g in zip([W, b], tape.gradient(loss, [W, b]), strict=True)]


def meta(fast_of, loss_of=lambda fast, support, query: mse(*fast, query)):
    def meta_gradients(W, b, support, query, lr):
        with tf.GradientTape() as outer:
            loss = loss_of(fast_of(W, b, support, query, lr), support, query)
        return outer.gradient(loss, [W, b])

    return meta_gradients


def right_step(W, b, support, query, lr):
    return one_step(W, b, support, lr)


def one_tape_in_persistent_form(W, b, support, query, lr):
    with tf.GradientTape(persistent=True) as tape:
        loss = mse(W, b, support)
        dW, db = tape.gradient(loss, (W, b))
        judged = mse(W - lr * dW, b - lr * db, query)
    return tuple(tape.gradient(judged, (W, b)))


def by_formula(W, b, support, query, lr):
    """The chain rule in NumPy: (1 - lr H) times the slopes at the new weights."""
    (x, y), (xq, yq) = [
        (np.hstack([a.numpy(), np.ones((len(a), 1))]), t.numpy()) for a, t in (support, query)
    ]
    w = np.vstack([W.numpy(), b.numpy()[None]])
    hessian = 2 * x.T @ x / len(x)
    fast = w - lr * 2 * x.T @ (x @ w - y) / len(x)
    found = (np.eye(len(w)) - lr * hessian) @ (2 * xq.T @ (xq @ fast - yq) / len(xq))
    return [found[:-1], found[-1]]


def moves_afterwards(W, b, support, query, lr):
    found = meta(right_step)(W, b, support, query, lr)
    W.assign_sub(lr * found[0])
    return found


def assigns_in_place(W, b, support, query, lr):
    with tf.GradientTape() as outer:
        new = one_step(W, b, support, lr)
        W.assign(new[0])
        b.assign(new[1])
        loss = mse(W, b, query)
    return outer.gradient(loss, [W, b])


def through_numpy(W, b, support, query, lr):
    return [tf.constant(v.numpy()) for v in one_step(W, b, support, lr)]


def dW_only(W, b, support, query, lr):
    new = one_step(W, b, support, lr)
    return W - tf.constant(W.numpy() - new[0].numpy()), new[1]


# 17.2


def followed(loss_of=None, update=None, end=lambda ws, model: ws, times=lambda steps: steps):
    loss_of = loss_of or (lambda model, ws, x, y: tf.reduce_mean((out(model, ws, x) - y) ** 2))
    update = update or (lambda w, g, lr: w - lr * g)

    def adapt(model, x, y, lr, steps):
        ws = [v + 0.0 for v in model.trainable_variables]
        for _ in range(times(steps)):
            with tf.GradientTape() as tape:
                for w in ws:
                    tape.watch(w)
                loss = loss_of(model, ws, x, y)
            ws = [update(w, g, lr) for w, g in zip(ws, tape.gradient(loss, ws), strict=True)]
        return end(ws, model)

    return adapt


def out(model, weights, x):
    return model.stateless_call(weights, [v.value for v in model.non_trainable_variables], x)[0]


def by_hand(model, x, y, lr, steps):
    """The network written out, and its backward pass without a tape of its own."""
    W, b, V, c = (tf.convert_to_tensor(v) for v in model.trainable_variables)
    x = model.layers[0](x)  # the frozen normalisation
    for _ in range(steps):
        hidden = tf.tanh(x @ W + b)
        error = 2 * (hidden @ V + c - y) / len(x)
        back = error @ tf.transpose(V) * (1 - hidden**2)
        W, b, V, c = (
            W - lr * tf.transpose(x) @ back,
            b - lr * tf.reduce_sum(back, 0),
            V - lr * tf.transpose(hidden) @ error,
            c - lr * tf.reduce_sum(error, 0),
        )
    return W, b, V, c


def flat_output(model, ws, x, y):
    return tf.reduce_mean((out(model, ws, x)[:, 0] - y) ** 2)


def without_the_others(model, x, y, lr, steps):
    ws = [tf.identity(v) for v in model.trainable_variables]
    return [w - lr * out for w, out in zip(ws, model.stateless_call(ws, x), strict=True)]


def returns_in_the_loop(model, x, y, lr, steps):
    return followed(times=lambda steps: 1)(model, x, y, lr, steps)


# 17.4


def stepped(values, task, rate, steps):
    """Descend on tensors, and leave every variable alone."""
    for _ in range(steps):
        with tf.GradientTape() as tape:
            tape.watch(values)
            loss = task(values)
        values = [v - rate * g for v, g in zip(values, tape.gradient(loss, values), strict=True)]
    return values


def on_tensors(move, rate=lambda inner, outer: inner):
    def reptile_step(weights, tasks, inner_lr, outer_lr, steps):
        start = [tf.identity(w) for w in weights]
        ends = [stepped(start, task, rate(inner_lr, outer_lr), steps) for task in tasks]
        for position, w in enumerate(weights):
            w.assign_add(move([end[position] - start[position] for end in ends], outer_lr))

    return reptile_step


def mean_move(moves, rate):
    return rate * tf.reduce_mean(tf.stack(moves), axis=0)


def by_sgd(weights, tasks, inner_lr, outer_lr, steps):
    start = [w.numpy().copy() for w in weights]
    total = [np.zeros_like(s) for s in start]
    for task in tasks:
        for w, s in zip(weights, start, strict=True):
            w.assign(s)
        for _ in range(steps):
            with tf.GradientTape() as tape:
                loss = task(weights)
            gradients = tape.gradient(loss, weights)
            for w, g in zip(weights, gradients, strict=True):
                w.assign(w - inner_lr * g)
        total = [t + (s - w.numpy()) for t, s, w in zip(total, start, weights, strict=True)]
    for w, s, t in zip(weights, start, total, strict=True):
        w.assign(s - outer_lr * t / len(tasks))


def copies_after_training(weights, tasks, inner_lr, outer_lr, steps):
    for task in tasks:
        end = stepped([tf.identity(w) for w in weights], task, inner_lr, steps)
        for w, e in zip(weights, end, strict=True):
            w.assign(e)
    start = [w.numpy() for w in weights]
    for w, s in zip(weights, start, strict=True):
        w.assign(s + outer_lr * (w - s))


def chained(weights, tasks, inner_lr, outer_lr, steps):
    start = [w.numpy() for w in weights]
    values = [tf.identity(w) for w in weights]
    for task in tasks:
        values = stepped(values, task, inner_lr, steps)
    for w, s, v in zip(weights, start, values, strict=True):
        w.assign((1 - outer_lr) * s + outer_lr * v)


def new_variables(weights, tasks, inner_lr, outer_lr, steps):
    moved = [tf.Variable(w) for w in weights]
    on_tensors(mean_move)(moved, tasks, inner_lr, outer_lr, steps)
    for w, end in zip(weights, stepped(list(weights), tasks[-1], inner_lr, steps), strict=True):
        w.assign(end)
    weights[:] = moved


def only_computed(weights, *rest):
    moved = [tf.Variable(w) for w in weights]
    on_tensors(mean_move)(moved, *rest)
    return moved


def anew_in_the_loop(weights, tasks, inner_lr, outer_lr, steps):
    ends = [[tf.identity(w) for w in weights]]
    for task in tasks:
        ends.append(stepped(ends[-1], task, inner_lr, steps))
    for w, start, *others in zip(weights, ends[-2], *ends[1:], strict=True):
        w.assign((1 - outer_lr) * start + outer_lr * tf.add_n(others) / len(tasks))


def in_turn(weights, tasks, inner_lr, outer_lr, steps):
    for task in tasks:
        on_tensors(mean_move)(weights, [task], inner_lr, outer_lr, steps)


def on_first(weights, tasks, *rest):
    on_tensors(mean_move)(weights, tasks[:1], *rest)


RIGHT = {
    "17.1": [
        meta(right_step),
        one_tape_in_persistent_form,
        by_formula,
        tf.function(meta(right_step)),
    ],
    "17.2": [followed(), by_hand, tf.function(followed(end=lambda ws, model: tuple(ws)))],
    "17.3": [[3, 6, 1, None], (3.0, np.float32(6), tf.constant(1.0), None)],
    "17.4": [on_tensors(mean_move), by_sgd],
}


def with_the_pair(model, x, y, lr, steps):
    weights = [v.value for v in model.trainable_variables]
    others = [v.value for v in model.non_trainable_variables]
    for _ in range(steps):
        with tf.GradientTape() as tape:
            tape.watch(weights)
            output = model.stateless_call(weights, others, x)
            loss = tf.reduce_mean(tf.square(output - y))
        pairs = zip(weights, tape.gradient(loss, weights), strict=True)
        weights = [w - lr * g for w, g in pairs]
    return weights


WRONG = {
    "17.1": [
        ("first order", assigns_in_place),
        ("one path cut", meta(dW_only)),
        ("variables moved", moves_afterwards),
        ("returned None", meta(through_numpy)),
        ("step upwards", meta(lambda W, b, s, q, lr: one_step(W, b, s, -lr))),
        ("rate left out", meta(lambda W, b, s, q, lr: one_step(W, b, s, 1))),
        ("no inner step", meta(lambda W, b, s, q, lr: (W, b))),
        ("support judged", meta(right_step, lambda fast, s, q: mse(*fast, s))),
        ("query fitted", meta(lambda W, b, s, q, lr: one_step(W, b, q, lr))),
        ("only W moved", meta(lambda W, b, s, q, lr: (one_step(W, b, s, lr)[0], b))),
    ],
    "17.2": [
        ("one step", returns_in_the_loop),
        ("pair not taken apart", with_the_pair),
        ("pairs of examples", followed(flat_output)),
        ("other arguments", without_the_others),
        ("first order", followed(update=lambda w, g, lr: w - lr * g.numpy())),
        ("one step too many", followed(times=lambda steps: 1 + steps)),
        (
            "nothing changed",
            lambda model, *rest: [tf.identity(v) for v in model.trainable_variables],
        ),
        ("upwards", followed(update=lambda w, g, lr: w + lr * g)),
        (
            "summed loss",
            followed(lambda model, ws, x, y: tf.reduce_sum(tf.square(out(model, ws, x) - y))),
        ),
        ("no path", followed(end=lambda ws, model: [w.numpy() for w in ws])),
    ],
    "17.3": [
        ("line 2: wrote 8", [3.0, 8.0, 1.0, None]),
        ("line 1: wrote 6", [6.0, 6.0, 1.0, None]),
        ("line 1: wrote 1.5", [1.5, 3, 1, None]),
        ("line 1: wrote 4.5", (4.5, 6, 1, None)),
        ("line 1: wrote 4", [4, 8, 1, None]),
        ("line 1: wrote 7", [7, 6.0, 1.0, None]),
        ("line 2: wrote 9", [3, 9, 1, None]),
        ("other form", 3.0),
    ],
    "17.4": [
        ("start not kept", copies_after_training),
        ("tasks in a chain", chained),
        ("one task after the other", in_turn),
        ("first task only", on_first),
        ("last end", new_variables),
        ("start left as it is", only_computed),
        ("start taken anew", anew_in_the_loop),
        ("inner rate at the end", lambda w, t, a, b, n: on_tensors(mean_move)(w, t, a, a, n)),
        ("moved all the way", on_tensors(lambda moves, rate: mean_move(moves, 1.0))),
        ("rates exchanged", on_tensors(mean_move, rate=lambda inner, outer: outer)),
    ],
}

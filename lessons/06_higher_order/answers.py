"""Answers to lesson 06's exercises: other right ones, and wrong ones that no list holds."""

import numpy as np
import tensorflow as tf

# 06.1


def nested(answer=lambda tape, t, s, v: (v, tape.gradient(v, t)), watched=True, scale=lambda s: s):
    def program(position, t):
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(t)
            with tf.GradientTape() as inner:
                if watched:
                    inner.watch(t)
                s = scale(position(t))
            v = inner.gradient(s, t)
        return answer(outer, t, s, v)

    return program


def one_tape(position, t, **options):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(t)
        s = position(t)
    v = tape.gradient(s, t)
    return v, tape.gradient(v, t, **options)


def one_persistent_tape(position, t):
    t = tf.Variable(t)
    with tf.GradientTape(persistent=True) as tape:
        s = position(t)
        v = tape.gradient(s, t)
    return [v, tape.gradient(v, t)]


def motion_forward(position, t):
    ones = tf.ones_like(t)
    with tf.autodiff.ForwardAccumulator(t, ones) as outer:
        with tf.autodiff.ForwardAccumulator(t, ones) as inner:
            s = position(t)
        velocity = inner.jvp(s)
    return [velocity.numpy(), outer.jvp(velocity)]


def motion_by_diagonal(position, t):
    with tf.GradientTape() as tape:
        tape.watch(t)
        v = gradient_at(position, t)
    return v.numpy(), np.diag(tape.jacobian(v, t))


def motion_in_parts(position, t):
    parts = [motion_in_pairs(position, part) for part in (t[:1], t[1:])]
    return [tf.concat(both, 0) for both in zip(*parts, strict=True)]


def motion_in_pairs(position, t):
    with tf.GradientTape() as tape:
        tape.watch(t)
        v = gradient_at(position, t)
    return v, tape.gradient(v, t)


def motion_one_by_one(position, t):
    parts = [motion_in_pairs(position, tf.constant(each)) for each in t.numpy()]
    return tf.unstack(tf.transpose(parts))


def asked_again(position, t):
    with tf.GradientTape() as tape:
        tape.watch(t)
        v = gradient_at(position, t)
    return [tape.gradient(v, t) for _ in range(2)]


def motion_by_differences(position, t):
    t, h = tf.cast(t, tf.float64), 1e-4
    before, now, after = position(t - h), position(t), position(t + h)
    return (after - before) / (2 * h), (after - 2 * now + before) / h**2


def motion_of_a_spring(position, t):
    e, angle = tf.exp(-t / 4), 2 * t
    velocity = -e * (tf.cos(angle) / 4 + 2 * tf.sin(angle))
    return velocity, -velocity / 2 - 65 / 16 * e * tf.cos(angle)


def acceleration_by_differences(position, t):
    t, h = tf.cast(t, tf.float64), 1e-4
    change = gradient_at(position, t + h) - gradient_at(position, t - h)
    return gradient_at(position, t), change / (2 * h)


# 06.2


def penalty(
    answer=lambda tape, w, x, y, slopes, total: tape.gradient(total, w),
    slopes_of=lambda tape, w, x, y: tape.gradient(y, x),
    add=lambda slopes: tf.reduce_sum(slopes * slopes),
    watched=True,
):
    def program(w, x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape(persistent=True) as inner:
                if watched:
                    inner.watch(x)
                y = tf.math.tanh(tf.tensordot(w, x, 1))
            slopes = slopes_of(inner, w, x, y)
            total = add(slopes)
        return answer(outer, w, x, y, slopes, total)

    return program


def penalty_under_one_name(w, x):
    with tf.GradientTape() as tape, tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.tanh(tf.tensordot(w, x, 1))
        slopes = tape.gradient(y, x)
    return tape.gradient(tf.reduce_sum(slopes**2), w)


def penalty_by_one_tape(w, x, **options):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.tanh(tf.reduce_sum(w * x))
    return tape.gradient(tf.reduce_sum(tape.gradient(y, x) ** 2), w, **options)


def penalty_in_one_tape(w, x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.tanh(tf.tensordot(w, x, 1))
        total = tf.reduce_sum(tape.gradient(y, x) ** 2)
    return tape.gradient(total, w)


def penalty_without_tanh(w, x):
    with tf.GradientTape() as outer:
        slopes = gradient_at(lambda x: tf.tensordot(w, x, 1), x)
        total = tf.reduce_sum(slopes**2)
    return outer.gradient(total, w)


def penalty_by_formula(w, x):
    w, x = w.numpy().astype(np.float64), x.numpy()
    y = np.tanh(w @ x)
    return 2 * (1 - y**2) ** 2 * (w - 2 * y * (w @ w) * x)


# 06.4


def unit(v):
    return v / tf.sqrt(tf.reduce_sum(v * v))


def gradient_at(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def bend(
    answer=lambda u, v, Hu, g: tf.tensordot(u, Hu, 1),
    direction=unit,
    form=lambda tape, g, slope, x: tape.gradient(slope, x),
    watched=True,
):
    def program(f, x, v):
        u = direction(v)
        with tf.GradientTape(persistent=True) as tape:
            if watched:
                tape.watch(x)
            g = gradient_at(f, x)
            slope = tf.tensordot(g, u, 1)
        return answer(u, v, form(tape, g, slope, x), g)

    return program


def bend_of_line(f, x, v, **options):
    s = tf.Variable(0.0, dtype=tf.float64)
    with tf.GradientTape() as outer, tf.GradientTape() as inner:
        y = f(x + s * unit(v))
    return outer.gradient(inner.gradient(y, s), s, **options)


def bend_forward(f, x, v):
    with tf.autodiff.ForwardAccumulator(x, unit(v)) as outer:
        with tf.autodiff.ForwardAccumulator(x, unit(v)) as inner:
            y = f(x)
        slope = inner.jvp(y)
    return outer.jvp(slope)


def bend_in_line(f, x, v):
    s = tf.Variable(0.0, dtype=tf.float64)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = f(x + s * unit(v))
        slope = inner.gradient(y, s)
    return float(outer.gradient(slope, s))


def bend_as_matrix(f, x, v):
    with tf.autodiff.ForwardAccumulator(x, unit(v)) as accumulator:
        g = gradient_at(f, x)
    return unit(v)[None, :] @ accumulator.jvp(g)[:, None]


def bend_unwatched(f, x, v):
    with tf.autodiff.ForwardAccumulator(x, unit(v)) as accumulator:
        with tf.GradientTape() as tape:
            y = f(x)
        g = tape.gradient(y, x)
    return tf.tensordot(unit(v), accumulator.jvp(g), 1)


def bend_by_differences(f, x, v):
    h = 1e-3 * unit(v)
    return (f(x + h) - 2 * f(x) + f(x - h)) / 1e-6


def bend_by_jacobians_of_numbers(f, x, v):
    u = v / tf.norm(v)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        slope = tf.reduce_sum(inner.jacobian(y, x) * u)
    return tf.reduce_sum(outer.jacobian(slope, x) * u)


def bend_in_low_precision(f, x, v):
    return bend()(f, tf.cast(x, tf.float32), tf.cast(v, tf.float32))


def bend_with_the_loss_as_target(f, x, v):
    u = unit(v)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
    return tf.tensordot(u, tape.gradient(y, x, u), 1)


RIGHT = {
    "06.1": [
        nested(lambda tape, t, s, v: tf.stack([v, tape.gradient(v, t)])),
        one_persistent_tape,
        motion_by_diagonal,
        motion_forward,
        motion_in_parts,
        motion_one_by_one,
        lambda position, t: motion_one_by_one(position, tf.cast(t, tf.float64)),
    ],
    "06.2": [penalty(), penalty_in_one_tape, penalty_by_formula],
    "06.3": [[8, 3, 4, 3], tf.TensorShape((8, 3, 4, 3)), np.array([8, 3, 4, 3])],
    "06.4": [
        bend(),
        bend_forward,
        bend_in_line,
        bend_as_matrix,
        bend_by_jacobians_of_numbers,
        bend_in_low_precision,
    ],
}

# Their values are right, and they differentiate nothing, as the statements demand.
ORACLES = {"06.1": [motion_by_differences], "06.4": [bend_by_differences]}

WRONG = {
    "06.1": [
        ("returned None", lambda position, t: print(nested()(position, t))),
        ("spring of the lesson", motion_of_a_spring),
        ("no pair", nested(lambda tape, t, s, v: [s, v, tape.gradient(v, t)])),
        (
            "velocity has no path",
            nested(lambda tape, t, s, v: (v, tape.gradient(s, t)), watched=False),
        ),
        ("one number", nested(lambda tape, t, s, v: (v[-1], tape.gradient(v, t)[-1]))),
        (
            "averaged",
            nested(lambda tape, t, s, v: (v, tape.gradient(v, t) / len(t)), scale=tf.reduce_mean),
        ),
        ("one tape asked twice", asked_again),
        ("zero for none", lambda position, t: one_tape(position, t, unconnected_gradients="zero")),
        ("raised TypeError", nested(watched=False)),
        ("differences taken", acceleration_by_differences),
    ],
    "06.2": [
        ("slopes have no path", penalty_by_one_tape),
        ("tanh lost", penalty_without_tanh),
        ("zero for none", lambda w, x: penalty_by_one_tape(w, x, unconnected_gradients="zero")),
        ("steepness held", penalty(slopes_of=lambda tape, w, x, y: w * (1 - y.numpy() ** 2))),
        (
            "weights held",
            penalty(slopes_of=lambda tape, w, x, y: tf.stop_gradient(w) * (1 - y * y)),
        ),
        ("wrong source", penalty(lambda tape, w, x, y, slopes, total: tape.gradient(total, x))),
        ("one tape asked twice", penalty_under_one_name),
        ("length of one", penalty(add=lambda slopes: tf.square(tf.norm(slopes) - 1))),
        ("penalty returned", penalty(lambda tape, w, x, y, slopes, total: float(total))),
        ("raised TypeError", penalty(watched=False)),
    ],
    "06.3": [("wrote [8, 3, 4, 4]", (8, 3, 4, 4)), ("other form", ((8, 3), (4, 3)))],
    "06.4": [
        ("returned None", bend_of_line),
        ("zero for none", lambda f, x, v: bend_of_line(f, x, v, unconnected_gradients="zero")),
        ("scaled once", bend(direction=lambda v: v / tf.sqrt(tf.norm(v)))),
        ("sum of entries", bend(direction=lambda v: v / tf.tensordot(v, tf.ones_like(v), 1))),
        (
            "rows added up",
            bend(
                lambda u, v, column_sums, g: tf.tensordot(u * u, column_sums, 1),
                form=lambda tape, g, slope, x: tape.gradient(g, x),
            ),
        ),
        ("weights for the loss", bend_with_the_loss_as_target),
        ("sign", bend(lambda u, v, Hu, g: -tf.tensordot(u, Hu, 1))),
        ("None in the product", bend(watched=False)),
        ("raised AttributeError", bend_unwatched),
        ("differences taken", bend_by_differences),
    ],
}

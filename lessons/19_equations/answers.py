"""Answers to lesson 19's exercises: other right ones, and wrong ones that no list holds."""

import numpy as np
import tensorflow as tf

# 19.1


def twice(theta, t):
    """The angle and its derivatives, from one persistent tape."""
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(t)
        angle = theta(t)
        speed = tape.gradient(angle, t)
    return angle, speed, tape.gradient(speed, t)


def from_three(combine):
    def answer(theta, push, t, damping):
        return combine(*twice(theta, t), push, t, damping)

    return answer


def law(angle, speed, acceleration, push, t, damping):
    return tf.sin(angle) + acceleration + speed * damping - push(t)


def forward_over_reverse(theta, push, t, damping):
    """One tape, and the rate of what it returns."""
    with tf.autodiff.ForwardAccumulator(t, tf.ones_like(t)) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(t)
            angle = theta(t)
        speed = tape.gradient(angle, t)
    return accumulator.jvp(speed) + damping * speed + tf.sin(angle) - push(t)


def by_jacobians(theta, push, t, damping):
    with tf.GradientTape() as outer:
        outer.watch(t)
        with tf.GradientTape() as inner:
            inner.watch(t)
            angle = theta(t)
        speed = inner.batch_jacobian(angle, t)[:, :, 0]
    bend = outer.batch_jacobian(speed, t)[:, :, 0]
    return bend + damping * speed + tf.sin(angle) - push(t)


# 19.2


def in_columns(flow_of=lambda k, x, u_x: k(x) * u_x, combine=lambda u_t, bend: u_t - bend):
    """Take t and x apart, so that nothing mixes."""

    def answer(u, k, points):
        t, x = tf.unstack(points, axis=1)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch([t, x])
                values = u(tf.stack([t, x], axis=1))
            u_t, u_x = inner.gradient(values, [t, x])
            flow = flow_of(k, x, u_x)
        return combine(u_t, outer.gradient(flow, x))

    return answer


def by_product_rule(u, k, points):
    """k u_xx + k' u_x, with u_xx from batch_jacobian."""
    with tf.GradientTape() as outer:
        outer.watch(points)
        with tf.GradientTape() as inner:
            inner.watch(points)
            values = u(points)
        both = inner.gradient(values, points)
    u_xx = outer.batch_jacobian(both, points)[:, 1, 1]
    x = points[:, 1]
    with tf.GradientTape() as tape:
        tape.watch(x)
        material = k(x)
    return both[:, 0] - material * u_xx - tape.gradient(material, x) * both[:, 1]


def slope_of_k_alone(u, k, points):
    """u_t - k u_xx - k', with u_xx from what `by_product_rule` leaves of it."""
    x = points[:, 1]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([points, x])
        material, values = k(x), u(points)
        u_x = tape.gradient(values, points)[:, 1]
    slope = tape.gradient(material, x)
    return by_product_rule(u, k, points) + slope * (u_x - 1)


def by_rates(u, k, points):
    direction = tf.constant([0.0, 1.0], tf.float64) * tf.ones_like(points)
    with tf.autodiff.ForwardAccumulator(points, direction) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(points)
            values = u(points)
        both = tape.gradient(values, points)
        flow = k(points[:, 1]) * both[:, 1]
    return both[:, 0] - accumulator.jvp(flow)


def mixed(u, k, points):
    with tf.GradientTape() as outer:
        outer.watch(points)
        with tf.GradientTape() as inner:
            inner.watch(points)
            values = u(points)
        both = inner.gradient(values, points) * tf.reshape(k(points[:, 1]), (-1, 1))
    u_t = both[:, 0] / k(points[:, 1])
    return u_t - outer.gradient(both, points)[:, 1]


# 19.3


def hold(factor, base=lambda start, t, x: start(x)):
    def rod(network, start, left, right, length):
        return lambda t, x: base(start, t, x) + factor(t, x, length) * network(t, x)

    return rod


def growing(network, start, left, right, length):
    return lambda t, x: start(x) * (1 + t * network(t, x))


def bent(t, x, length):
    return tf.tanh(t) * tf.sin(np.pi * x / length) / 3


def corrected(network, start, left, right, length):
    """No factor: what the network says on the border is taken away from it."""

    def u(t, x):
        zero = tf.zeros_like(t)

        def free(x):
            return network(t, x) - network(zero, x)

        share = x / length
        return start(x) + free(x) - (1 - share) * free(zero) - share * free(zero + length)

    return u


# 19.4


def solved(
    direction,
    keep=lambda trial, d: [trial, 0.1 * d],
    back=lambda w, trial, d: [w, 10 * d],
    better=lambda new, old: new < old,
):
    def answer(errors_of, w, damping):
        r, J = errors_of(w), by_columns(errors_of, w)
        trial = w - tf.constant(direction(J, r.numpy(), damping))
        new, old = (float(tf.reduce_sum(tf.square(errors_of(at)))) for at in (trial, w))
        return keep(trial, damping) if better(new, old) else back(w, trial, damping)

    return answer


def by_columns(errors_of, w):
    """The jacobian in NumPy, a column for each weight, without a tape."""
    columns = []
    for direction in np.eye(len(w)):
        with tf.autodiff.ForwardAccumulator(w, tf.constant(direction)) as accumulator:
            r = errors_of(w)
        columns.append(accumulator.jvp(r).numpy())
    return np.stack(columns, axis=1)


def normal(J, r, damping):
    return np.linalg.solve(J.T @ J + damping * np.eye(J.shape[1]), J.T @ r)


def stacked(J, r, damping):
    """Least squares with the damping as further rows."""
    below = np.sqrt(damping) * np.eye(J.shape[1])
    rows = np.concatenate([J, below])
    return np.linalg.lstsq(rows, np.concatenate([r, np.zeros(len(below))]), rcond=None)[0]


def from_the_left(J, r, damping):
    return J.T @ np.linalg.solve(J @ J.T + damping * np.eye(len(J)), r)


RIGHT = {
    "19.1": [from_three(law), forward_over_reverse, by_jacobians, tf.function(from_three(law))],
    "19.2": [in_columns(), by_product_rule, by_rates],
    "19.3": [
        hold(bent),
        corrected,
        hold(lambda t, x, length: (1 - tf.exp(-t)) * x * (x - length)),
        hold(lambda t, x, length: tf.sqrt(t) * (x / length) * (1 - x / length)),
    ],
    "19.4": [solved(normal), solved(stacked), solved(from_the_left)],
}

WRONG = {
    "19.1": [
        ("push added", from_three(lambda a, s, b, p, t, d: b + d * s + tf.sin(a) + p(t))),
        ("right minus left", from_three(lambda *given: -law(*given))),
        ("angle for its sine", from_three(lambda a, s, b, p, t, d: b + d * s + a - p(t))),
        ("no acceleration", from_three(lambda a, s, b, p, t, d: d * s + tf.sin(a) - p(t))),
        ("speed for acceleration", from_three(lambda a, s, b, *rest: law(a, s, s, *rest))),
        ("damping left out", from_three(lambda *given: law(*given[:-1], 1.0))),
        ("no speed", from_three(lambda *given: law(*given[:-1], 0.0))),
        ("the spring's damping", from_three(lambda a, s, *rest: law(a, s, *rest[:-1], 0.5))),
        (
            "the spring's numbers",
            from_three(lambda a, s, b, p, t, d: b + s / 2 + 4.0625 * tf.sin(a) - p(t)),
        ),
        ("speed closed", from_three(lambda a, s, *rest: law(a, tf.constant(s.numpy()), *rest))),
    ],
    "19.2": [
        ("sum of two slopes", mixed),
        ("no k", in_columns(lambda k, x, u_x: u_x)),
        ("k squared", in_columns(lambda k, x, u_x: k(x) * k(x) * u_x)),
        ("sign of the flow", in_columns(combine=lambda u_t, bend: u_t + bend)),
        ("right minus left", in_columns(combine=lambda u_t, bend: bend - u_t)),
        ("squared", in_columns(combine=lambda u_t, bend: tf.square(u_t - bend))),
        ("no path", in_columns(combine=lambda u_t, bend: tf.constant((u_t - bend).numpy()))),
        ("k with two axes", in_columns(lambda k, x, u_x: k(x) * u_x[:, None])),
        ("k outside", in_columns(lambda k, x, u_x: tf.constant(k(x).numpy()) * u_x)),
        ("k' without u_x", slope_of_k_alone),
    ],
    "19.3": [
        ("no factor", hold(lambda t, x, length: 1.0)),
        ("start as the factor", growing),
        ("not 0 at the start", hold(lambda t, x, length: x * (length - x))),
        ("start left out", hold(lambda t, x, L: t * (L - x) * x, lambda start, t, x: 0.0)),
        ("t only", hold(lambda t, x, length: t)),
        ("held in the middle", hold(lambda t, x, L: tf.tanh(t) * x * (L - x) * (L - 2 * x))),
        ("held in more places", hold(lambda t, x, L: tf.tanh(t) * x * (L - x) * (L - 3 * x))),
        ("network at other times", lambda net, *of: hold(bent)(lambda t, x: net(x, t), *of)),
        ("left end open", hold(lambda t, x, length: t * (length - x))),
        ("right end open", hold(lambda t, x, length: x * t)),
    ],
    "19.4": [
        ("never taken", solved(lambda *given: -normal(*given))),
        ("always taken", solved(normal, back=lambda w, trial, d: (trial, 10 * d))),
        ("no damping", solved(lambda J, r, d: normal(J, r, 0.0))),
        ("damping of 1", solved(lambda J, r, d: normal(J, r, 1.0))),
        ("damping squared", solved(lambda J, r, d: normal(J, r, d * d))),
        ("gradient descent", solved(lambda J, r, d: J.T @ r / d)),
        ("gradient for Jᵀr", solved(lambda J, r, d: 2 * normal(J, r, d))),
        ("taken where it rises", solved(normal, better=lambda new, old: new > old)),
        ("as good counts", solved(normal, better=lambda new, old: not new > old)),
        (
            "damping turned round",
            solved(normal, lambda trial, d: (trial, 10 * d), lambda w, trial, d: (w, 0.1 * d)),
        ),
    ],
}

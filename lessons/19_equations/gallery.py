"""Wrong answers to the questions of lesson 19, and what each is told."""

import numpy as np
import tensorflow as tf

from course_staff.authoring.gallery import Wrong

# 19.1


def pendulum(
    left=lambda angle, speed, acceleration, damping, t: (
        acceleration + damping * speed + tf.sin(angle)
    ),
    right=lambda push, t, angle: push(t),
    result=lambda residual: residual,
):
    """Return an answer to 19.1 from its parts."""

    def pendulum_residual(theta, push, t, damping):
        with tf.GradientTape() as outer:
            outer.watch(t)
            with tf.GradientTape() as inner:
                inner.watch(t)
                angle = theta(t)
            speed = inner.gradient(angle, t)
        acceleration = outer.gradient(speed, t)
        return result(left(angle, speed, acceleration, damping, t) - right(push, t, angle))

    return pendulum_residual


def left_side(left):
    return pendulum(left)


PENDULUM = [
    Wrong(
        "push added",
        "The push stands on the right side of the law: subtract it.",
        pendulum(right=lambda push, t, angle: -push(t)),
    ),
    Wrong(
        "push left out",
        "The push is missing. Subtract push(t).",
        pendulum(right=lambda push, t, angle: 0.0),
    ),
    Wrong(
        "push at the angle",
        "The push is a function of the time, and you gave it the angle. Use push(t).",
        pendulum(right=lambda push, t, angle: push(angle)),
    ),
    Wrong(
        "right minus left",
        "That is right side minus left side. Turn the sign of all of it.",
        pendulum(result=lambda residual: -residual),
    ),
    Wrong(
        "angle for its sine",
        "You took the angle for its sine, which is right for small swings alone. Use tf.sin(angle).",
        left_side(
            lambda angle, speed, acceleration, damping, t: acceleration + damping * speed + angle
        ),
    ),
    Wrong(
        "cosine",
        "The law holds the sine of the angle, and you took the cosine.",
        left_side(
            lambda angle, speed, acceleration, damping, t: (
                acceleration + damping * speed + tf.cos(angle)
            )
        ),
    ),
    Wrong(
        "sine of the time",
        "The sine is that of the angle, and you took that of the time.",
        left_side(
            lambda angle, speed, acceleration, damping, t: (
                acceleration + damping * speed + tf.sin(t)
            )
        ),
    ),
    Wrong(
        "sine of the speed",
        "The sine is that of the angle, and you took that of the speed.",
        left_side(
            lambda angle, speed, acceleration, damping, t: (
                acceleration + damping * speed + tf.sin(speed)
            )
        ),
    ),
    Wrong(
        "sine left out",
        "The sine of the angle is missing: nothing would pull the pendulum back.",
        left_side(lambda angle, speed, acceleration, damping, t: acceleration + damping * speed),
    ),
    Wrong(
        "sine subtracted",
        "The sine of the angle is subtracted, as for a pendulum that stands on its head. Add it.",
        left_side(
            lambda angle, speed, acceleration, damping, t: (
                acceleration + damping * speed - tf.sin(angle)
            )
        ),
    ),
    Wrong(
        "damping left out",
        "The speed is not multiplied by the damping.",
        left_side(
            lambda angle, speed, acceleration, damping, t: acceleration + speed + tf.sin(angle)
        ),
    ),
    Wrong(
        "no speed",
        "The term damping · θ' is missing.",
        left_side(lambda angle, speed, acceleration, damping, t: acceleration + tf.sin(angle)),
    ),
    Wrong(
        "damping subtracted",
        "The damping term is subtracted, so the pendulum would gain speed. Add it.",
        left_side(
            lambda angle, speed, acceleration, damping, t: (
                acceleration - damping * speed + tf.sin(angle)
            )
        ),
    ),
    Wrong(
        "damping squared",
        "The damping is squared. It multiplies the speed as it is.",
        left_side(
            lambda angle, speed, acceleration, damping, t: (
                acceleration + damping**2 * speed + tf.sin(angle)
            )
        ),
    ),
    Wrong(
        "drag of the squared speed",
        "The damping multiplies the squared speed, as for a car in the wind. In this law it multiplies the "
        "speed itself.",
        left_side(
            lambda angle, speed, acceleration, damping, t: (
                acceleration + damping * speed**2 + tf.sin(angle)
            )
        ),
    ),
    Wrong(
        "half the damping",
        "The damping term is halved, as in the spring above. Here it is damping · θ'.",
        left_side(
            lambda angle, speed, acceleration, damping, t: (
                acceleration + damping * speed / 2 + tf.sin(angle)
            )
        ),
    ),
    Wrong(
        "the spring's damping",
        "The speed is halved, as in the spring above. This law has damping · θ'.",
        left_side(
            lambda angle, speed, acceleration, damping, t: acceleration + speed / 2 + tf.sin(angle)
        ),
    ),
    Wrong(
        "damped sine",
        "The damping multiplies the sine as well. It belongs to the speed θ' alone.",
        left_side(
            lambda angle, speed, acceleration, damping, t: (
                acceleration + damping * (speed + tf.sin(angle))
            )
        ),
    ),
    Wrong(
        "the spring's law",
        "That is the law of the spring above, less the push. The pendulum's has damping · θ' and the sine of the "
        "angle.",
        left_side(
            lambda angle, speed, acceleration, damping, t: (
                acceleration + speed / 2 + 65 / 16 * angle
            )
        ),
    ),
    Wrong(
        "acceleration alone",
        "That is the acceleration less the push. The left side also has damping · θ' and sin θ.",
        left_side(lambda angle, speed, acceleration, damping, t: acceleration),
    ),
    Wrong(
        "damped angle",
        "The damping multiplies the angle. It belongs to the speed θ'.",
        left_side(
            lambda angle, speed, acceleration, damping, t: (
                acceleration + damping * angle + tf.sin(angle)
            )
        ),
    ),
    Wrong(
        "damped acceleration",
        "Speed and acceleration have changed places: the damping belongs to the speed θ'.",
        left_side(
            lambda angle, speed, acceleration, damping, t: (
                damping * acceleration + speed + tf.sin(angle)
            )
        ),
    ),
    Wrong(
        "no acceleration",
        "The acceleration θ'' is missing. Ask the outer tape for the slope of the speed.",
        left_side(lambda angle, speed, acceleration, damping, t: damping * speed + tf.sin(angle)),
    ),
    Wrong(
        "speed for acceleration",
        "Where θ'' belongs stands θ', the speed. Ask the outer tape for the slope of the speed, not "
        "of the angle.",
        left_side(
            lambda angle, speed, acceleration, damping, t: speed + damping * speed + tf.sin(angle)
        ),
    ),
    Wrong(
        "speed squared",
        "The speed is squared: the second derivative is not the square of the first. Ask the outer "
        "tape for the slope of the speed.",
        left_side(
            lambda angle, speed, acceleration, damping, t: (
                speed**2 + damping * speed + tf.sin(angle)
            )
        ),
    ),
    Wrong(
        "squared",
        "The residual is squared already. Return the difference of both sides.",
        pendulum(result=lambda residual: residual**2),
    ),
    Wrong(
        "size",
        "The sign of the residual is lost. Return the difference of both sides, without tf.abs.",
        pendulum(result=tf.abs),
    ),
    Wrong(
        "mean",
        "That is one number, a mean or a sum. Return the residual at each time, (n, 1).",
        pendulum(result=tf.reduce_mean),
    ),
    Wrong(
        "mean square",
        "That is the mean square, a loss. Return the residual at each time, (n, 1).",
        pendulum(result=lambda residual: tf.reduce_mean(residual**2)),
    ),
    Wrong(
        "no path",
        "The residual is right. But no path leads from it to what theta holds: it went through "
        "NumPy, a new constant or stop_gradient.",
        pendulum(result=tf.stop_gradient),
    ),
    Wrong(
        "sine closed",
        "The residual is right. But its sine is a constant for a tape around it, as np.sin returns "
        "one. Use tf.sin, without NumPy or stop_gradient.",
        left_side(
            lambda angle, speed, acceleration, damping, t: (
                acceleration + damping * speed + tf.stop_gradient(tf.sin(angle))
            )
        ),
    ),
    Wrong(
        "acceleration closed",
        "The residual is right. But the acceleration is a constant for a tape around it: take "
        "θ'' from the tape itself, without NumPy or stop_gradient.",
        left_side(
            lambda angle, speed, acceleration, damping, t: (
                tf.stop_gradient(acceleration) + damping * speed + tf.sin(angle)
            )
        ),
    ),
    Wrong(
        "only the angle open",
        "The residual is right. But its derivatives are constants for a tape around it, and only "
        "the angle itself is followed. Leave speed and acceleration as the tapes return them.",
        left_side(
            lambda angle, speed, acceleration, damping, t: (
                tf.stop_gradient(acceleration + damping * speed) + tf.sin(angle)
            )
        ),
    ),
]

# 19.2


def rod_law(
    flow=lambda values, both, k, x, t: k(x) * both[:, 1],
    result=lambda both, bend, k, x: both[:, 0] - bend[:, 1],
):
    """Return an answer to 19.2 from its flow, and from both slopes and the slopes of the flow."""

    def heat_residual(u, k, points):
        with tf.GradientTape() as outer:
            outer.watch(points)
            with tf.GradientTape() as inner:
                inner.watch(points)
                values = u(points)
            both = inner.gradient(values, points)
            through = flow(values, both, k, points[:, 1], points[:, 0])
        return result(both, outer.gradient(through, points), k, points[:, 1])

    return heat_residual


def of_product(u_t_of):
    """Return an answer that multiplies u by k before any slope is taken."""

    def heat_residual(u, k, points):
        with tf.GradientTape() as outer:
            outer.watch(points)
            with tf.GradientTape(persistent=True) as inner:
                inner.watch(points)
                values = u(points)
                product = k(points[:, 1]) * values
            u_t = inner.gradient(u_t_of(values, product), points)[:, 0]
            slope = inner.gradient(product, points)[:, 1]
        return u_t - outer.gradient(slope, points)[:, 1]

    return heat_residual


def by_product_rule(u, k, points):
    """Return u_t - k u_xx + k' u_x, with a wrong sign."""
    x = points[:, 1]
    with tf.GradientTape() as outer:
        outer.watch(points)
        with tf.GradientTape() as inner:
            inner.watch(points)
            values = u(points)
        both = inner.gradient(values, points)
        u_x = both[:, 1]
    with tf.GradientTape() as tape:
        tape.watch(x)
        material = k(x)
    u_xx = outer.gradient(u_x, points)[:, 1]
    return both[:, 0] - material * u_xx + tape.gradient(material, x) * u_x


def plain_slope(values, both, k, x, t):
    return both[:, 1]


def whole_slopes(values, both, k, x, t):
    return both


ROD = [
    Wrong(
        "k outside",
        "The mixed derivative is gone, but k stands outside: you return k u_xx, which misses "
        "k' u_x. Multiply by k before you ask the outer tape.",
        rod_law(plain_slope, lambda both, bend, k, x: both[:, 0] - k(x) * bend[:, 1]),
        rod_law(lambda values, both, k, x, t: tf.stop_gradient(k(x)) * both[:, 1]),
    ),
    Wrong(
        "sum of two slopes",
        "k is in the right place, but the target still holds u_t and u_x, and the tape sums them. "
        "Take the column of u_x before you ask the outer tape.",
        rod_law(lambda values, both, k, x, t: k(x)[:, None] * both),
    ),
    Wrong(
        "u_t in the flow",
        "The target of the outer tape holds k u_x and u_t as well, and the tape sums them. Ask for "
        "the slope of the flow alone.",
        rod_law(lambda values, both, k, x, t: k(x) * both[:, 1] + both[:, 0]),
    ),
    Wrong(
        "flow of u_t",
        "The flow is made of u_t, column 0. It is k times u_x, column 1.",
        rod_law(lambda values, both, k, x, t: k(x) * both[:, 0]),
    ),
    Wrong(
        "slope in time",
        "The flow's slope is taken in the direction of t, column 0. Take column 1.",
        rod_law(result=lambda both, bend, k, x: both[:, 0] - bend[:, 0]),
    ),
    Wrong(
        "u_x for u_t",
        "The first term is u_x, column 1. It is u_t, column 0.",
        rod_law(result=lambda both, bend, k, x: both[:, 1] - bend[:, 1]),
    ),
    Wrong(
        "columns exchanged",
        "t and x are exchanged: column 0 holds t, and column 1 holds x.",
        rod_law(
            lambda values, both, k, x, t: k(t) * both[:, 0],
            lambda both, bend, k, x: both[:, 1] - bend[:, 0],
        ),
    ),
    Wrong(
        "k of the time",
        "k got the times. The material changes along the rod: k(points[:, 1]).",
        rod_law(lambda values, both, k, x, t: k(t) * both[:, 1]),
    ),
    Wrong(
        "no k",
        "k is missing: you return u_t - u_xx. The flow is k(x) times u_x.",
        rod_law(plain_slope),
    ),
    Wrong(
        "sum without k",
        "k is missing, and the target holds both slopes, which the tape sums. The target is "
        "k(x) times u_x alone.",
        rod_law(whole_slopes),
    ),
    Wrong(
        "k twice",
        "k is there twice: in the flow, and around its slope. It belongs into the flow.",
        rod_law(result=lambda both, bend, k, x: both[:, 0] - k(x) * bend[:, 1]),
    ),
    Wrong(
        "k squared",
        "k is squared in the flow. It is k(x) times u_x.",
        rod_law(lambda values, both, k, x, t: k(x) ** 2 * both[:, 1]),
    ),
    Wrong(
        "k with two axes",
        "k(points[:, 1:]) has the shape (n, 1), and times (n,) it becomes (n, n): every point with every "
        "other. Give k the column points[:, 1].",
        rod_law(lambda values, both, k, x, t: k(x[:, None]) * both[:, 1]),
    ),
    Wrong(
        "flow divided by k",
        "u_x is divided by k. A good conductor carries more: multiply.",
        rod_law(lambda values, both, k, x, t: both[:, 1] / k(x)),
    ),
    Wrong(
        "k u",
        "You took the slope of k u, not of k u_x.",
        rod_law(lambda values, both, k, x, t: k(x) * values),
    ),
    Wrong(
        "k before the first slope",
        "You took the second derivative of k u. Take u_x first, and multiply that by k.",
        of_product(lambda values, product: values),
        of_product(lambda values, product: product),
    ),
    Wrong(
        "sign of k' u_x",
        "The flow's slope has two parts, k u_xx and k' u_x, and you add the second. Subtract both.",
        by_product_rule,
    ),
    Wrong(
        "sign of the flow",
        "The slope of the flow is added. Left side minus right side: subtract it.",
        rod_law(result=lambda both, bend, k, x: both[:, 0] + bend[:, 1]),
    ),
    Wrong(
        "right minus left",
        "That is right side minus left side. Turn the sign of all of it.",
        rod_law(result=lambda both, bend, k, x: bend[:, 1] - both[:, 0]),
    ),
    Wrong(
        "no u_t",
        "u_t is missing: you return minus the slope of the flow.",
        rod_law(result=lambda both, bend, k, x: -bend[:, 1]),
    ),
    Wrong(
        "right side only",
        "That is the right side alone. Return u_t minus it.",
        rod_law(result=lambda both, bend, k, x: bend[:, 1]),
    ),
    Wrong(
        "k u_t",
        "u_t is multiplied by k as well. k stands in the flow alone.",
        rod_law(result=lambda both, bend, k, x: k(x) * both[:, 0] - bend[:, 1]),
    ),
    Wrong(
        "k left as x",
        "The flow is x times u_x. The conductivity is k(x), a function that you call.",
        rod_law(lambda values, both, k, x, t: x * both[:, 1]),
    ),
    Wrong(
        "size",
        "The sign of the residual is lost. Return the difference of both sides, without tf.abs.",
        rod_law(result=lambda both, bend, k, x: tf.abs(both[:, 0] - bend[:, 1])),
    ),
    Wrong(
        "flow not differentiated",
        "You subtracted the flow itself. It is the slope of the flow that counts.",
        rod_law(result=lambda both, bend, k, x: both[:, 0] - k(x) * both[:, 1]),
    ),
    Wrong(
        "both columns",
        "A mixed derivative is in it: you subtract both columns of the flow's slope, or your u_xx comes "
        "from a target that holds u_t, too. Use the flow alone, and column 1.",
        rod_law(result=lambda both, bend, k, x: both[:, 0] - tf.reduce_sum(bend, axis=1)),
    ),
    Wrong(
        "mean",
        "That is one number, a mean or a sum. Return the residual at each point, (n,).",
        rod_law(result=lambda both, bend, k, x: tf.reduce_mean(both[:, 0] - bend[:, 1])),
    ),
    Wrong(
        "squared",
        "The residual is squared already. Return the difference of both sides.",
        rod_law(result=lambda both, bend, k, x: (both[:, 0] - bend[:, 1]) ** 2),
    ),
    Wrong(
        "column kept",
        "The residual has two axes. Take a column with points[:, 1], not with points[:, 1:].",
        rod_law(result=lambda both, bend, k, x: both[:, :1] - bend[:, 1:]),
    ),
    Wrong(
        "no path",
        "The residual is right. But no path leads from it to what u holds: it went through "
        "NumPy, a new constant or stop_gradient.",
        rod_law(result=lambda both, bend, k, x: tf.stop_gradient(both[:, 0] - bend[:, 1])),
    ),
    Wrong(
        "flow closed",
        "The residual is right. But the slope of the flow is a constant for a tape around it: leave "
        "it as the outer tape returns it.",
        rod_law(result=lambda both, bend, k, x: both[:, 0] - tf.stop_gradient(bend[:, 1])),
    ),
]

# 19.3


def built(u_of):
    """Return an answer to 19.3 from u at t and x."""

    def rod(network, start, left, right, length):
        def u(t, x):
            return u_of(t, x, network, start, left, right, length)

        return u

    return rod


def line_between(x, left, right, length):
    return left + (right - left) * x / length


def first_factor(t, x, length):
    return t * x * (length - x)


BUILT_IN = [
    Wrong(
        "no factor",
        "The network is added everywhere, also at the start. Multiply it by a factor that is 0 there "
        "and at both ends.",
        built(lambda t, x, network, start, *ends: start(x) + network(t, x)),
    ),
    Wrong(
        "network alone",
        "u is the network, with nothing built in. Add start(x), and multiply the network by a "
        "factor that is 0 on the border.",
        built(lambda t, x, network, *rest: network(t, x)),
    ),
    Wrong(
        "not 0 at the start",
        "At t = 0 the network still counts. Its factor must be 0 there: multiply by t. A 1 - t, or "
        "a t that is added, is not 0.",
        built(
            lambda t, x, network, start, left, right, length: (
                start(x) + x * (length - x) * network(t, x)
            )
        ),
        built(
            lambda t, x, network, start, left, right, length: (
                start(x) + (1 - t) * x * (length - x) * network(t, x)
            )
        ),
        built(
            lambda t, x, network, start, left, right, length: (
                start(x) + (t + x * (length - x)) * network(t, x)
            )
        ),
    ),
    Wrong(
        "start left out",
        "u is 0 at the start: start(x) is missing, or the factor multiplies it, too. Add it outside of "
        "the product.",
        built(
            lambda t, x, network, start, left, right, length: (
                first_factor(t, x, length) * network(t, x)
            )
        ),
        built(
            lambda t, x, network, start, left, right, length: (
                first_factor(t, x, length) * (start(x) + network(t, x))
            )
        ),
    ),
    Wrong(
        "start multiplied",
        "start(x) is multiplied by the network, and so it depends on it at t = 0. Add it as it is.",
        built(
            lambda t, x, network, start, left, right, length: (
                (start(x) + first_factor(t, x, length)) * network(t, x)
            )
        ),
    ),
    Wrong(
        "straight start",
        "You start with a straight line between the ends. At t = 0 it has to be start(x), which has "
        "both ends in it.",
        built(
            lambda t, x, network, start, left, right, length: (
                line_between(x, left, right, length) + first_factor(t, x, length) * network(t, x)
            )
        ),
    ),
    Wrong(
        "ends added to the start",
        "The ends are there twice: start(x) has them in it already.",
        built(
            lambda t, x, network, start, left, right, length: (
                start(x)
                + line_between(x, left, right, length)
                + first_factor(t, x, length) * network(t, x)
            )
        ),
    ),
    Wrong(
        "start at the time",
        "start got the times. It is a function of the place: start(x).",
        built(
            lambda t, x, network, start, left, right, length: (
                start(t) + first_factor(t, x, length) * network(t, x)
            )
        ),
    ),
    Wrong(
        "start turned round",
        "The start is read from the other end. Use start(x).",
        built(
            lambda t, x, network, start, left, right, length: (
                start(length - x) + first_factor(t, x, length) * network(t, x)
            )
        ),
    ),
    Wrong(
        "t only",
        "The start is right, but at x = 0 the network counts. The factor must be 0 at both ends, "
        "too.",
        built(lambda t, x, network, start, *ends: start(x) + t * network(t, x)),
        built(lambda t, x, network, start, *ends: start(x) + tf.tanh(t) * network(t, x)),
        built(lambda t, x, network, start, *ends: start(x) + tf.tanh(t) ** 2 * network(t, x)),
    ),
    Wrong(
        "start corrected alone",
        "What the network says at the start is taken away from it, which holds the start. The ends are "
        "still free: multiply by x and by length - x.",
        built(
            lambda t, x, network, start, *ends: (
                start(x) + network(t, x) - network(tf.zeros_like(t), x)
            )
        ),
    ),
    Wrong(
        "temperatures for places",
        "The factor is 0 where x is left or right, but these are temperatures. The ends are at x = 0 "
        "and x = length.",
        built(
            lambda t, x, network, start, left, right, length: (
                start(x) + t * (x - left) * (x - right) * network(t, x)
            )
        ),
        built(
            lambda t, x, network, start, left, right, length: (
                start(x) + t * (x - left) * (right - x) * network(t, x)
            )
        ),
    ),
    Wrong(
        "left end open",
        "The left end is not held: the factor is not 0 at x = 0. Multiply by x.",
        built(
            lambda t, x, network, start, left, right, length: (
                start(x) + t * (length - x) * network(t, x)
            )
        ),
    ),
    Wrong(
        "ends fade",
        "The start fades with the time, and takes the ends with it. Leave start(x) as it is, or add what the "
        "ends lose.",
        built(
            lambda t, x, network, start, left, right, length: (
                tf.exp(-t) * start(x) + first_factor(t, x, length) * network(t, x)
            )
        ),
        built(
            lambda t, x, network, start, left, right, length: (
                (1 - t) * start(x) + first_factor(t, x, length) * network(t, x)
            )
        ),
    ),
    Wrong(
        "from start to network",
        "u goes over from the start to the network, at the ends as well. The ends must stay at "
        "left and right.",
        built(lambda t, x, network, start, *ends: (1 - t) * start(x) + t * network(t, x)),
        built(
            lambda t, x, network, start, *ends: (
                tf.exp(-t) * (start(x) - network(t, x)) + network(t, x)
            )
        ),
    ),
    Wrong(
        "jump from the start",
        "Only t = 0 is held: a moment later u is the network, at the ends too. Take a factor "
        "that grows from 0 in place of tf.where.",
        built(lambda t, x, network, start, *ends: tf.where(t > 0, network(t, x), start(x))),
    ),
    Wrong(
        "right end open",
        "The right end is not held: the factor is not 0 at x = length. Multiply by length - x.",
        built(lambda t, x, network, start, left, right, length: start(x) + t * x * network(t, x)),
    ),
    Wrong(
        "right end of a sine",
        "sin(πx) is 0 at x = 1, and the rod ends at x = length. Divide x by length.",
        built(
            lambda t, x, network, start, left, right, length: (
                start(x) + t * tf.sin(np.pi * x) * network(t, x)
            )
        ),
    ),
    Wrong(
        "length 1",
        "The factor is 0 at x = 1. The rod ends at x = length: use length - x.",
        built(
            lambda t, x, network, start, left, right, length: (
                start(x) + t * x * (1 - x) * network(t, x)
            )
        ),
    ),
    Wrong(
        "end on the wrong side",
        "The factor is 0 at x = -length. Use length - x.",
        built(
            lambda t, x, network, start, left, right, length: (
                start(x) + t * x * (length + x) * network(t, x)
            )
        ),
    ),
    Wrong(
        "jumps at the ends",
        "The ends are right, and just beside them u jumps. A loss of derivatives sees no jump: take a "
        "factor that is 0 at the ends in place of tf.where.",
        built(
            lambda t, x, network, start, left, right, length: tf.where(
                (x == 0) | (x == length), start(x), start(x) + t * network(t, x)
            )
        ),
    ),
    Wrong(
        "jumps after the start",
        "The start is right, and a moment later u jumps: a sign or a comparison of t is no factor that "
        "grows from 0. Multiply by t.",
        built(
            lambda t, x, network, start, left, right, length: (
                start(x) + tf.sign(t) * x * (length - x) * network(t, x)
            )
        ),
    ),
    Wrong(
        "jumps at the border",
        "On the border u is right, and beside it it jumps. A loss of derivatives sees no jump: take "
        "a factor that is 0 on the border in place of tf.where.",
        built(
            lambda t, x, network, start, left, right, length: tf.where(
                first_factor(t, x, length) == 0, start(x), network(t, x)
            )
        ),
    ),
    Wrong(
        "network left out",
        "The border is right. But the network changes nothing, so u could not cool.",
        built(lambda t, x, network, start, *ends: start(x)),
    ),
    Wrong(
        "held at t = 1",
        "The factor is 0 at t = 1 as well, so the network can change nothing there. Only t = 0 and the ends "
        "are known.",
        built(
            lambda t, x, network, start, left, right, length: (
                start(x) + (1 - t) * first_factor(t, x, length) * network(t, x)
            )
        ),
    ),
    Wrong(
        "held in the middle",
        "The factor is 0 in the middle of the rod as well, where the network must be able to change "
        "u. One arch from end to end is enough.",
        built(
            lambda t, x, network, start, left, right, length: (
                start(x) + t * tf.sin(2 * np.pi * x / length) * network(t, x)
            )
        ),
        built(
            lambda t, x, network, start, left, right, length: (
                start(x) + t * x * (length / 2 - x) * (length - x) * network(t, x)
            )
        ),
    ),
    Wrong(
        "start as a factor",
        "Where the start is 0, the network can change nothing, since it is multiplied by start(x). "
        "Add the two.",
        built(
            lambda t, x, network, start, left, right, length: (
                start(x) * (1 + first_factor(t, x, length) * network(t, x))
            )
        ),
    ),
    Wrong(
        "no path",
        "u is right. But no tape finds the way to the network: it went through NumPy, a new "
        "constant or stop_gradient.",
        built(
            lambda t, x, network, start, left, right, length: (
                start(x) + first_factor(t, x, length) * tf.stop_gradient(network(t, x))
            )
        ),
    ),
]

# 19.4


def damped(
    system=lambda J, damping: tf.transpose(J) @ J + damping * identity(J),
    right=lambda J, r: tf.transpose(J) @ r[:, None],
    trial_of=lambda w, s: w - s,
    is_better=lambda new, old: tf.reduce_sum(new**2) < tf.reduce_sum(old**2),
    taken=lambda trial, damping: (trial, damping / 10),
    refused=lambda w, trial, damping: (w, damping * 10),
):
    """Return an answer to 19.4 from its parts."""

    def marquardt_step(errors_of, w, damping):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(w)
            r = errors_of(w)
            rows = tf.unstack(r)
        J = tf.stack([tape.gradient(row, w) for row in rows])  # quicker than tape.jacobian
        trial = trial_of(w, tf.linalg.solve(system(J, damping), right(J, r))[:, 0])
        if is_better(errors_of(trial), r):
            return taken(trial, damping)
        return refused(w, trial, damping)

    return marquardt_step


def identity(J):
    return tf.eye(J.shape[1], dtype=J.dtype)


def squared(J):
    return tf.transpose(J) @ J


def summed(J):
    return tf.reduce_sum(J, axis=0, keepdims=True)


def by_hessian(errors_of, w, damping):
    """Take a damped step of Newton's method."""
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(w)
        with tf.GradientTape() as inner:
            inner.watch(w)
            loss = tf.reduce_sum(errors_of(w) ** 2) / 2
        gradient = inner.gradient(loss, w)
        slopes = tf.unstack(gradient)
    hessian = tf.stack([outer.gradient(slope, w) for slope in slopes])
    system = hessian + damping * tf.eye(len(w), dtype=w.dtype)
    trial = w - tf.linalg.solve(system, gradient[:, None])[:, 0]
    if tf.reduce_sum(errors_of(trial) ** 2) < 2 * loss:
        return trial, damping / 10
    return w, damping * 10


def of_gradient(errors_of, w, damping):
    """Take a step of gradient descent by 1 / damping."""
    with tf.GradientTape() as tape:
        tape.watch(w)
        loss = tf.reduce_sum(errors_of(w) ** 2)
    trial = w - tape.gradient(loss, w) / damping
    if tf.reduce_sum(errors_of(trial) ** 2) < loss:
        return trial, damping / 10
    return w, damping * 10


def until_better(errors_of, w, damping):
    """Raise the damping until the loss falls."""
    for _ in range(20):
        found, damping = damped()(errors_of, w, damping)
        if not bool(tf.reduce_all(found == w)):
            break
    return found, damping


DAMPED = [
    Wrong(
        "always taken",
        "A step that makes the loss larger is taken, too. Compare the sums of squares first, and "
        "return w where it does not fall.",
        damped(refused=lambda w, trial, damping: (trial, damping * 10)),
        damped(refused=lambda w, trial, damping: (trial, damping / 10)),
    ),
    Wrong(
        "never taken",
        "No step is ever taken. Either you try w + s, which climbs, or you compare or return "
        "something else: where the sum of squares at w - s is smaller than at w, return w - s.",
        damped(trial_of=lambda w, s: w + s),
        damped(is_better=lambda new, old: False),
        damped(taken=lambda trial, damping: (trial, damping / 10), trial_of=lambda w, s: w),
    ),
    Wrong(
        "taken where it rises",
        "The comparison is turned round: a step is taken where the loss rises. Take it where the new "
        "sum of squares is smaller.",
        damped(is_better=lambda new, old: tf.reduce_sum(new**2) > tf.reduce_sum(old**2)),
    ),
    Wrong(
        "not squared",
        "You compare the sums of the errors, in which large errors of both signs cancel. Square them "
        "first.",
        damped(is_better=lambda new, old: tf.reduce_sum(new) < tf.reduce_sum(old)),
    ),
    Wrong(
        "sizes compared",
        "A step is refused that makes the sum of squares smaller: you compare something else, such "
        "as the sizes of the errors.",
        damped(is_better=lambda new, old: tf.reduce_sum(tf.abs(new)) < tf.reduce_sum(tf.abs(old))),
    ),
    Wrong(
        "no damping",
        "The damping is not in the equation: that is the step of Gauss and Newton. Add damping · I "
        "to JᵀJ.",
        damped(lambda J, damping: squared(J)),
    ),
    Wrong(
        "damping subtracted",
        "The damping is subtracted from JᵀJ, which makes steps longer. Add it.",
        damped(lambda J, damping: squared(J) - damping * identity(J)),
    ),
    Wrong(
        "damping in every entry",
        "The damping is added to every entry of JᵀJ. It belongs on the diagonal: multiply tf.eye.",
        damped(lambda J, damping: squared(J) + damping),
    ),
    Wrong(
        "damping scaled",
        "The damping multiplies the diagonal of JᵀJ. That is Marquardt's own form, and a good one; here it "
        "multiplies I.",
        damped(
            lambda J, damping: (
                squared(J) + damping * tf.linalg.diag(tf.linalg.diag_part(squared(J)))
            )
        ),
    ),
    Wrong(
        "damping of 1",
        "I is added without the damping. Multiply tf.eye by it.",
        damped(lambda J, damping: squared(J) + identity(J)),
    ),
    Wrong(
        "damping squared",
        "The damping is squared in the equation.",
        damped(lambda J, damping: squared(J) + damping**2 * identity(J)),
    ),
    Wrong(
        "divided by the damping",
        "I is divided by the damping. More damping should make the step shorter: multiply.",
        damped(lambda J, damping: squared(J) + identity(J) / damping),
    ),
    Wrong(
        "gradient for Jᵀr",
        "The right side is twice Jᵀr: the gradient of the sum of squares has a factor 2. Use Jᵀr, or half of "
        "the gradient.",
        damped(right=lambda J, r: 2 * tf.transpose(J) @ r[:, None]),
    ),
    Wrong(
        "both sides doubled but the damping",
        "JᵀJ and Jᵀr are doubled, and the damping is not: that is half the damping. Leave the "
        "factors out.",
        damped(
            lambda J, damping: 2 * squared(J) + damping * identity(J),
            lambda J, r: 2 * tf.transpose(J) @ r[:, None],
        ),
    ),
    Wrong(
        "mean",
        "JᵀJ and Jᵀr are divided by the number of errors, and the damping is not. Use sums.",
        damped(
            lambda J, damping: squared(J) / len(J) + damping * identity(J),
            lambda J, r: tf.transpose(J) @ r[:, None] / len(J),
        ),
    ),
    Wrong(
        "JᵀJ doubled",
        "JᵀJ is doubled, and Jᵀr is not. Leave the 2 out.",
        damped(lambda J, damping: 2 * squared(J) + damping * identity(J)),
    ),
    Wrong(
        "new damping too early",
        "The damping is changed before the step is computed. Solve with the damping that was given.",
        damped(lambda J, damping: squared(J) + damping / 10 * identity(J)),
        damped(lambda J, damping: squared(J) + damping * 10 * identity(J)),
    ),
    Wrong(
        "second derivatives",
        "That is a damped Newton step, with the second derivatives of the loss. Use JᵀJ in their "
        "place.",
        by_hessian,
    ),
    Wrong(
        "one row for J",
        "J has one row, the slopes of the sum of the errors. tape.gradient sums its targets: ask "
        "tape.jacobian.",
        damped(
            lambda J, damping: squared(summed(J)) + damping * identity(J),
            lambda J, r: tf.transpose(summed(J)) * tf.reduce_sum(r),
        ),
        damped(
            lambda J, damping: squared(summed(J)) + damping * identity(J),
            lambda J, r: tf.transpose(summed(J)) * r[0],
        ),
    ),
    Wrong(
        "gradient descent",
        "JᵀJ is not used: that is a step down the gradient. Solve (JᵀJ + damping · I) s = Jᵀr.",
        damped(lambda J, damping: damping * identity(J)),
        of_gradient,
    ),
    Wrong(
        "diagonal of JᵀJ",
        "Only the diagonal of JᵀJ is used. The other entries tell how weights work together.",
        damped(
            lambda J, damping: (
                tf.linalg.diag(tf.linalg.diag_part(squared(J))) + damping * identity(J)
            )
        ),
    ),
    Wrong(
        "half a step",
        "Half of the step is taken. It is w - s.",
        damped(trial_of=lambda w, s: w - s / 2),
    ),
    Wrong(
        "step multiplied by the damping",
        "The step is multiplied by the damping, as if that were a learning rate. The damping stands in "
        "the equation alone.",
        lambda errors_of, w, damping: damped(trial_of=lambda w, s: w - damping * s)(
            errors_of, w, damping
        ),
    ),
    Wrong(
        "step returned",
        "You return s itself. Return w - s.",
        damped(
            trial_of=lambda w, s: s,
            is_better=lambda new, old: True,
        ),
    ),
    Wrong(
        "until it falls",
        "You went on until the loss fell. One step: where it does not fall, return w and ten times "
        "the damping.",
        until_better,
    ),
    Wrong(
        "another factor",
        "The weights are right, but the damping is not changed by the factor 10. Divide it by 10 after a good "
        "step, and multiply it by 10 after a bad one.",
        *(
            damped(
                taken=lambda trial, damping, down=down: (trial, damping / down),
                refused=lambda w, trial, damping, up=up: (w, damping * up),
            )
            for up, down in ((2, 2), (2, 3), (3, 3), (5, 5), (2, 10), (10, 2), (10, 3), (100, 100))
        ),
    ),
    Wrong(
        "damping turned round",
        "The weights are right, but the damping goes the wrong way. After a good step trust the bowl "
        "more, with a tenth of the damping; after a bad one less.",
        damped(
            taken=lambda trial, damping: (trial, damping * 10),
            refused=lambda w, trial, damping: (w, damping / 10),
        ),
    ),
    Wrong(
        "damping not lowered",
        "The weights are right, but after a good step the damping stays. Return a tenth of it.",
        damped(taken=lambda trial, damping: (trial, damping)),
    ),
    Wrong(
        "damping not raised",
        "The weights are right, but after a step that was taken back the damping stays. Then the next step is the "
        "same. Return ten times the damping.",
        damped(refused=lambda w, trial, damping: (w, damping)),
    ),
    Wrong(
        "damping unchanged",
        "The weights are right, but the damping never changes. Return a tenth of it after a good step, ten "
        "times as much after a bad one.",
        damped(
            taken=lambda trial, damping: (trial, damping),
            refused=lambda w, trial, damping: (w, damping),
        ),
    ),
    Wrong(
        "damping always lowered",
        "The weights are right, but the damping is lowered after a bad step, too. Return ten times as "
        "much there.",
        damped(refused=lambda w, trial, damping: (w, damping / 10)),
    ),
    Wrong(
        "damping always raised",
        "The weights are right, but the damping is raised after a good step, too. Return a tenth "
        "of it there.",
        damped(taken=lambda trial, damping: (trial, damping * 10)),
    ),
]

GALLERY = {"19.1": PENDULUM, "19.2": ROD, "19.3": BUILT_IN, "19.4": DAMPED}

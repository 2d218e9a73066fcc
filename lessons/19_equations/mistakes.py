"""Wrong answers to the questions of lesson 19, and what each is told."""

from types import SimpleNamespace

import numpy as np
import tensorflow as tf

from course_utils.exercises import Wrong

# 19.1


def pendulum(
    inertia=lambda m: m.acceleration,
    drag=lambda m: m.damping * m.speed,
    pull=lambda m: tf.sin(m.angle),
    push=lambda m: m.push(m.t),
    result=lambda residual: residual,
):
    """Return an answer to 19.1 from the terms of its law, each of them of the whole motion."""

    def pendulum_residual(theta, push_at, t, damping):
        with tf.GradientTape() as outer:
            outer.watch(t)
            with tf.GradientTape() as inner:
                inner.watch(t)
                angle = theta(t)
            speed = inner.gradient(angle, t)
        m = SimpleNamespace(angle=angle, speed=speed, t=t, push=push_at, damping=damping)
        m.acceleration = outer.gradient(speed, t)
        return result(inertia(m) + drag(m) + pull(m) - push(m))

    return pendulum_residual


def nothing(m):
    return 0.0


PENDULUM = {
    "drag of the acceleration": Wrong(
        "The damping multiplies the acceleration. Friction goes with the speed: damping * speed.",
        pendulum(drag=lambda m: m.damping * m.acceleration),
    ),
    "push added": Wrong(
        "The push stands on the right side of the law: subtract it.",
        pendulum(push=lambda m: -m.push(m.t)),
    ),
    "push left out": Wrong("The push is missing. Subtract push(t).", pendulum(push=nothing)),
    "push at the angle": Wrong(
        "The push is a function of the time, and you gave it the angle. Use push(t).",
        pendulum(push=lambda m: m.push(m.angle)),
    ),
    "right minus left": Wrong(
        "That is right side minus left side. Turn the sign of all of it.",
        pendulum(result=lambda residual: -residual),
    ),
    "angle for its sine": Wrong(
        "You took the angle for its sine, which is right for small swings alone. Use tf.sin(angle).",
        pendulum(pull=lambda m: m.angle),
    ),
    "cosine": Wrong(
        "The law holds the sine of the angle, and you took the cosine.",
        pendulum(pull=lambda m: tf.cos(m.angle)),
    ),
    "sine of the time": Wrong(
        "The sine is that of the angle, and you took that of the time.",
        pendulum(pull=lambda m: tf.sin(m.t)),
    ),
    "sine of the speed": Wrong(
        "The sine is that of the angle, and you took that of the speed.",
        pendulum(pull=lambda m: tf.sin(m.speed)),
    ),
    "sine left out": Wrong(
        "The sine of the angle is missing: nothing would pull the pendulum back.",
        pendulum(pull=nothing),
    ),
    "sine subtracted": Wrong(
        "The sine of the angle is subtracted, as for a pendulum that stands on its head. Add it.",
        pendulum(pull=lambda m: -tf.sin(m.angle)),
    ),
    "damping left out": Wrong(
        "The speed is not multiplied by the damping.",
        pendulum(drag=lambda m: m.speed),
    ),
    "no speed": Wrong("The term damping · θ' is missing.", pendulum(drag=nothing)),
    "damping subtracted": Wrong(
        "The damping term is subtracted, so the pendulum would gain speed. Add it.",
        pendulum(drag=lambda m: -m.damping * m.speed),
    ),
    "damping squared": Wrong(
        "The damping is squared. It multiplies the speed as it is.",
        pendulum(drag=lambda m: m.damping**2 * m.speed),
    ),
    "drag of the squared speed": Wrong(
        "The damping multiplies the squared speed, as for a car in the wind. In this law it multiplies the "
        "speed itself.",
        pendulum(drag=lambda m: m.damping * m.speed**2),
    ),
    "half the damping": Wrong(
        "The damping term is halved, as in the spring above. Here it is damping · θ'.",
        pendulum(drag=lambda m: m.damping * m.speed / 2),
    ),
    "the spring's damping": Wrong(
        "The speed is halved, as in the spring above. This law has damping · θ'.",
        pendulum(drag=lambda m: m.speed / 2),
    ),
    "damped sine": Wrong(
        "The damping multiplies the sine as well. It belongs to the speed θ' alone.",
        pendulum(drag=lambda m: m.damping * (m.speed + tf.sin(m.angle)), pull=nothing),
    ),
    "the spring's law": Wrong(
        "That is the law of the spring above, less the push. The pendulum's has damping · θ' and the sine of the "
        "angle.",
        pendulum(drag=lambda m: m.speed / 2, pull=lambda m: 65 / 16 * m.angle),
    ),
    "the spring's numbers": Wrong(
        "65/16 is the spring's number, as is the half of its damping. Here sin θ stands as it is, beside "
        "damping · θ'.",
        pendulum(drag=lambda m: m.speed / 2, pull=lambda m: 65 / 16 * tf.sin(m.angle)),
        pendulum(pull=lambda m: 65 / 16 * tf.sin(m.angle)),
    ),
    "acceleration alone": Wrong(
        "That is the acceleration less the push. The left side also has damping · θ' and sin θ.",
        pendulum(drag=nothing, pull=nothing),
    ),
    "damped angle": Wrong(
        "The damping multiplies the angle. It belongs to the speed θ'.",
        pendulum(drag=lambda m: m.damping * m.angle),
    ),
    "damped acceleration": Wrong(
        "Speed and acceleration have changed places: the damping belongs to the speed θ'.",
        pendulum(lambda m: m.damping * m.acceleration, drag=lambda m: m.speed),
    ),
    "no acceleration": Wrong(
        "The acceleration θ'' is missing. Ask the outer tape for the slope of the speed.",
        pendulum(nothing),
    ),
    "speed for acceleration": Wrong(
        "Where θ'' belongs stands θ', the speed. Ask the outer tape for the slope of the speed, not "
        "of the angle.",
        pendulum(lambda m: m.speed),
    ),
    "speed squared": Wrong(
        "The speed is squared: the second derivative is not the square of the first. Ask the outer "
        "tape for the slope of the speed.",
        pendulum(lambda m: m.speed**2),
    ),
    "squared": Wrong(
        "The residual is squared already. Return the difference of both sides.",
        pendulum(result=lambda residual: residual**2),
    ),
    "size": Wrong(
        "The sign of the residual is lost. Return the difference of both sides, without tf.abs.",
        pendulum(result=tf.abs),
    ),
    "mean": Wrong(
        "That is one number, a mean or a sum. Return the residual at each time, (n, 1).",
        pendulum(result=tf.reduce_mean),
    ),
    "mean square": Wrong(
        "That is the mean square, a loss. Return the residual at each time, (n, 1).",
        pendulum(result=lambda residual: tf.reduce_mean(residual**2)),
    ),
    "no path": Wrong(
        "The residual is right. But no path leads from it to the weights in theta: it went through "
        "NumPy, a new constant or stop_gradient.",
        pendulum(result=tf.stop_gradient),
    ),
    "sine closed": Wrong(
        "The residual is right. But its sine is a constant for a tape around it, as np.sin returns "
        "one. Use tf.sin, without NumPy or stop_gradient.",
        pendulum(pull=lambda m: tf.stop_gradient(tf.sin(m.angle))),
    ),
    "acceleration closed": Wrong(
        "The residual is right. But the acceleration is a constant for a tape around it: take "
        "θ'' from the tape itself, without NumPy or stop_gradient.",
        pendulum(lambda m: tf.stop_gradient(m.acceleration)),
    ),
    "speed closed": Wrong(
        "The residual is right. But the speed in its damping is a constant for a tape around it: "
        "leave θ' as the inner tape returns it, without NumPy or stop_gradient.",
        pendulum(drag=lambda m: m.damping * tf.stop_gradient(m.speed)),
    ),
    "only the angle open": Wrong(
        "The residual is right. But its derivatives are constants for a tape around it, and only "
        "the angle itself is followed. Leave speed and acceleration as the tapes return them.",
        pendulum(lambda m: tf.stop_gradient(m.acceleration + m.damping * m.speed), drag=nothing),
    ),
}

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


def by_product_rule(combine, change=lambda slope, u_x: slope * u_x):
    """Return an answer that combines u_t with both parts of the flow's slope."""

    def heat_residual(u, k, points):
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
        return combine(both[:, 0], material * u_xx, change(tape.gradient(material, x), u_x))

    return heat_residual


def plain_slope(values, both, k, x, t):
    return both[:, 1]


def whole_slopes(values, both, k, x, t):
    return both


ROD = {
    "k of the temperature": Wrong(
        "k is asked at the temperatures. The material depends on the place: k(points[:, 1]).",
        rod_law(lambda values, both, k, x, t: k(values) * both[:, 1]),
    ),
    "k outside": Wrong(
        "The mixed derivative is gone, but for the outer tape k is a constant: the slope is k u_xx, "
        "which misses k' u_x. Call k, and multiply u_x by it, inside the outer block.",
        rod_law(plain_slope, lambda both, bend, k, x: both[:, 0] - k(x) * bend[:, 1]),
    ),
    "sum of two slopes": Wrong(
        "k is in the right place, but the target still holds u_t and u_x, and the tape sums them. "
        "Take the column of u_x before you ask the outer tape.",
        rod_law(lambda values, both, k, x, t: k(x)[:, None] * both),
    ),
    "u_t in the flow": Wrong(
        "The target of the outer tape holds k u_x and u_t as well, and the tape sums them. Ask for "
        "the slope of the flow alone.",
        rod_law(lambda values, both, k, x, t: k(x) * both[:, 1] + both[:, 0]),
    ),
    "flow of u_t": Wrong(
        "The flow is made of u_t, column 0. It is k times u_x, column 1.",
        rod_law(lambda values, both, k, x, t: k(x) * both[:, 0]),
    ),
    "slope in time": Wrong(
        "The flow's slope is taken in the direction of t, column 0. Take column 1.",
        rod_law(result=lambda both, bend, k, x: both[:, 0] - bend[:, 0]),
    ),
    "u_x for u_t": Wrong(
        "The first term is u_x, column 1. It is u_t, column 0.",
        rod_law(result=lambda both, bend, k, x: both[:, 1] - bend[:, 1]),
    ),
    "columns exchanged": Wrong(
        "t and x are exchanged: column 0 holds t, and column 1 holds x.",
        rod_law(
            lambda values, both, k, x, t: k(t) * both[:, 0],
            lambda both, bend, k, x: both[:, 1] - bend[:, 0],
        ),
    ),
    "k of the time": Wrong(
        "k got the times. The material changes along the rod: k(points[:, 1]).",
        rod_law(lambda values, both, k, x, t: k(t) * both[:, 1]),
    ),
    "no k": Wrong(
        "k is missing: you return u_t - u_xx. The flow is k(x) times u_x.",
        rod_law(plain_slope),
    ),
    "sum without k": Wrong(
        "k is missing, and the target holds both slopes, which the tape sums. The target is "
        "k(x) times u_x alone.",
        rod_law(whole_slopes),
    ),
    "k twice": Wrong(
        "k is there twice: in the flow, and around its slope. It belongs into the flow.",
        rod_law(result=lambda both, bend, k, x: both[:, 0] - k(x) * bend[:, 1]),
    ),
    "k squared": Wrong(
        "k is squared in the flow. It is k(x) times u_x.",
        rod_law(lambda values, both, k, x, t: k(x) ** 2 * both[:, 1]),
    ),
    "k with two axes": Wrong(
        "The flow is (n, n), every point with every other: of k(x) and u_x one has the shape (n, 1) and "
        "the other (n,). Take both columns with [:, 1].",
        rod_law(lambda values, both, k, x, t: k(x[:, None]) * both[:, 1]),
    ),
    "flow divided by k": Wrong(
        "u_x is divided by k. A good conductor carries more: multiply.",
        rod_law(lambda values, both, k, x, t: both[:, 1] / k(x)),
    ),
    "k u": Wrong(
        "You took the slope of k u, not of k u_x.",
        rod_law(lambda values, both, k, x, t: k(x) * values),
    ),
    "k before the first slope": Wrong(
        "You took the second derivative of k u. Take u_x first, and multiply that by k.",
        of_product(lambda values, product: values),
        of_product(lambda values, product: product),
    ),
    "sign of k' u_x": Wrong(
        "The flow's slope has two parts, k u_xx and k' u_x, and you add the second. Subtract both.",
        by_product_rule(lambda u_t, bend, change: u_t - bend + change),
    ),
    "k' without u_x": Wrong(
        "The second part of the flow's slope is k' alone. The product rule gives k' u_x + k u_xx: let "
        "the outer tape find it, with k(x) times u_x as the target.",
        by_product_rule(lambda u_t, bend, change: u_t - bend - change, lambda slope, u_x: slope),
    ),
    "k' u_x alone": Wrong(
        "You subtract k' u_x alone. The slope of the flow is that of a product: k' u_x + k u_xx.",
        by_product_rule(lambda u_t, bend, change: u_t - change),
    ),
    "sign of the flow": Wrong(
        "The slope of the flow is added. Left side minus right side: subtract it.",
        rod_law(result=lambda both, bend, k, x: both[:, 0] + bend[:, 1]),
    ),
    "right minus left": Wrong(
        "That is right side minus left side. Turn the sign of all of it.",
        rod_law(result=lambda both, bend, k, x: bend[:, 1] - both[:, 0]),
    ),
    "no u_t": Wrong(
        "u_t is missing: you return minus the slope of the flow.",
        rod_law(result=lambda both, bend, k, x: -bend[:, 1]),
    ),
    "right side only": Wrong(
        "That is the right side alone. Return u_t minus it.",
        rod_law(result=lambda both, bend, k, x: bend[:, 1]),
    ),
    "k u_t": Wrong(
        "u_t is multiplied by k as well. k stands in the flow alone.",
        rod_law(result=lambda both, bend, k, x: k(x) * both[:, 0] - bend[:, 1]),
    ),
    "k left as x": Wrong(
        "The flow is x times u_x. The conductivity is k(x), a function that you call.",
        rod_law(lambda values, both, k, x, t: x * both[:, 1]),
    ),
    "size": Wrong(
        "The sign of the residual is lost. Return the difference of both sides, without tf.abs.",
        rod_law(result=lambda both, bend, k, x: tf.abs(both[:, 0] - bend[:, 1])),
    ),
    "flow not differentiated": Wrong(
        "You subtracted the flow itself. It is the slope of the flow that counts.",
        rod_law(result=lambda both, bend, k, x: both[:, 0] - k(x) * both[:, 1]),
    ),
    "both columns": Wrong(
        "A mixed derivative is in it: you subtract both columns of the flow's slope, or your u_xx comes "
        "from a target that holds u_t, too. Use the flow alone, and column 1.",
        rod_law(result=lambda both, bend, k, x: both[:, 0] - tf.reduce_sum(bend, axis=1)),
    ),
    "mean": Wrong(
        "That is one number, a mean or a sum. Return the residual at each point, (n,).",
        rod_law(result=lambda both, bend, k, x: tf.reduce_mean(both[:, 0] - bend[:, 1])),
    ),
    "squared": Wrong(
        "The residual is squared already. Return the difference of both sides.",
        rod_law(result=lambda both, bend, k, x: (both[:, 0] - bend[:, 1]) ** 2),
    ),
    "column kept": Wrong(
        "The residual has two axes. Take a column with points[:, 1], not with points[:, 1:].",
        rod_law(result=lambda both, bend, k, x: both[:, :1] - bend[:, 1:]),
    ),
    "no path": Wrong(
        "The residual is right. But no path leads from it to the weights in u: it went through "
        "NumPy, a new constant or stop_gradient.",
        rod_law(result=lambda both, bend, k, x: tf.stop_gradient(both[:, 0] - bend[:, 1])),
    ),
    "flow closed": Wrong(
        "The residual is right. But the slope of the flow is a constant for a tape around it: leave "
        "it as the outer tape returns it.",
        rod_law(result=lambda both, bend, k, x: both[:, 0] - tf.stop_gradient(bend[:, 1])),
    ),
}

# 19.3


def built_of(u_of):
    """Return an answer to 19.3 from u, which is computed of all that is known of the rod."""

    def rod(network, start, left, right, length):
        def u(t, x):
            r = SimpleNamespace(t=t, x=x, start=start, left=left, right=right, length=length)
            r.network = network
            return u_of(r)

        return u

    return rod


def first_factor(r):
    return r.t * r.x * (r.length - r.x)


def built(
    start=lambda r: r.start(r.x),
    factor=first_factor,
    network=lambda r: r.network(r.t, r.x),
):
    return built_of(lambda r: start(r) + factor(r) * network(r))


def everywhere(r):
    return 1.0


def nothing_back(r):
    return None


def line_between(r):
    return r.left + (r.right - r.left) * r.x / r.length


BUILT_IN = {
    "no factor": Wrong(
        "The network is added everywhere, also at the start. Multiply it by a factor that is 0 there "
        "and at both ends.",
        built(factor=everywhere),
    ),
    "network alone": Wrong(
        "u is the network, with nothing built in. Add start(x), and multiply the network by a "
        "factor that is 0 on the border.",
        built(nothing, everywhere),
    ),
    "not 0 at the start": Wrong(
        "At t = 0 the network still counts. Its factor must be 0 there: multiply by t. A 1 - t, or "
        "a t that is added, is not 0.",
        built(factor=lambda r: r.x * (r.length - r.x)),
    ),
    "start left out": Wrong(
        "u is 0 at the start: start(x) is missing, or the factor multiplies it, too. Add it outside of "
        "the product.",
        built(nothing),
    ),
    "start multiplied": Wrong(
        "start(x) is multiplied by the network, and so it depends on it at t = 0. Add it as it is.",
        built(nothing, lambda r: r.start(r.x) + first_factor(r)),
    ),
    "start as the factor": Wrong(
        "start(x) is the network's factor, and it is 0 at the ends only where their values are. Take "
        "a factor of t, x and length - x.",
        built(factor=lambda r: r.t * r.start(r.x)),
    ),
    "straight start": Wrong(
        "You start with a straight line between the ends. At t = 0 it has to be start(x), which has "
        "both ends in it.",
        built(line_between),
    ),
    "ends added to the start": Wrong(
        "The ends are there twice: start(x) has them in it already.",
        built(lambda r: r.start(r.x) + line_between(r)),
    ),
    "start at the time": Wrong(
        "start got the times. Take u's arguments in the order u(t, x), and call start(x), a function "
        "of the place.",
        built(lambda r: r.start(r.t)),
    ),
    "start turned round": Wrong(
        "The start is read from the other end. Use start(x).",
        built(lambda r: r.start(r.length - r.x)),
    ),
    "u not returned": Wrong(
        "Nothing comes back. rod must end in `return u`, at the indentation of `def u`, and u itself in "
        "a return as well.",
        lambda *given: None,
        built_of(nothing_back),
    ),
    "t only": Wrong(
        "The start is right, but at x = 0 the network counts. The factor must be 0 at both ends, "
        "too.",
        built(factor=lambda r: r.t),
        built(factor=lambda r: tf.tanh(r.t)),
        built(factor=lambda r: tf.tanh(r.t) ** 2),
    ),
    "start corrected alone": Wrong(
        "What the network says at the start is taken away from it, which holds the start. The ends are "
        "still free: multiply by x and by length - x.",
        built_of(lambda r: r.start(r.x) + r.network(r.t, r.x) - r.network(0 * r.t, r.x)),
    ),
    "temperatures for places": Wrong(
        "The factor is 0 where x is left or right, but these are temperatures. The ends are at x = 0 "
        "and x = length.",
        built(factor=lambda r: r.t * (r.x - r.left) * (r.x - r.right)),
        built(factor=lambda r: r.t * (r.x - r.left) * (r.right - r.x)),
    ),
    "left end open": Wrong(
        "The left end is not held: the factor is not 0 at x = 0. Multiply by x.",
        built(factor=lambda r: r.t * (r.length - r.x)),
    ),
    "ends fade": Wrong(
        "The start fades with the time, and takes the ends with it. Leave start(x) as it is, or add what the "
        "ends lose.",
        built(lambda r: tf.exp(-r.t) * r.start(r.x)),
        built(lambda r: (1 - r.t) * r.start(r.x)),
    ),
    "from start to network": Wrong(
        "u goes over from the start to the network, at the ends as well. The ends must stay at "
        "left and right.",
        built(lambda r: (1 - r.t) * r.start(r.x), lambda r: r.t),
        built_of(
            lambda r: tf.exp(-r.t) * (r.start(r.x) - r.network(r.t, r.x)) + r.network(r.t, r.x)
        ),
    ),
    "jump from the start": Wrong(
        "Only t = 0 is held: a moment later u is the network, at the ends too. Take a factor "
        "that grows from 0 in place of tf.where.",
        built_of(lambda r: tf.where(r.t > 0, r.network(r.t, r.x), r.start(r.x))),
    ),
    "right end open": Wrong(
        "The right end is not held: the factor is not 0 at x = length. Multiply by length - x.",
        built(factor=lambda r: r.t * r.x),
    ),
    "right end of a sine": Wrong(
        "sin(πx) is 0 at x = 1, and the rod ends at x = length. Divide x by length.",
        built(factor=lambda r: r.t * tf.sin(np.pi * r.x)),
    ),
    "length 1": Wrong(
        "The factor is 0 at x = 1. The rod ends at x = length: use length - x.",
        built(factor=lambda r: r.t * r.x * (1 - r.x)),
    ),
    "end on the wrong side": Wrong(
        "The factor is 0 at x = -length. Use length - x.",
        built(factor=lambda r: r.t * r.x * (r.length + r.x)),
    ),
    "jumps at the ends": Wrong(
        "The ends are right, and just beside them u jumps. A loss of derivatives sees no jump: take a "
        "factor that is 0 at the ends in place of tf.where.",
        built(factor=lambda r: tf.where((r.x == 0) | (r.x == r.length), 0.0, r.t)),
    ),
    "jumps after the start": Wrong(
        "The start is right, and a moment later u jumps: a sign or a comparison of t is no factor that "
        "grows from 0. Multiply by t.",
        built(factor=lambda r: tf.sign(r.t) * r.x * (r.length - r.x)),
    ),
    "jumps at the border": Wrong(
        "On the border u is right, and beside it it jumps. A loss of derivatives sees no jump: take "
        "a factor that grows from 0, in place of tf.where or a comparison.",
        built_of(lambda r: tf.where(first_factor(r) == 0, r.start(r.x), r.network(r.t, r.x))),
        built(factor=lambda r: tf.sign(first_factor(r))),
    ),
    "network left out": Wrong(
        "The border is right. But the network changes nothing, so u could not cool.",
        built(network=nothing),
    ),
    "held at t = 1": Wrong(
        "The factor is 0 at t = 1 as well, so the network can change nothing there. Only t = 0 and the ends "
        "are known.",
        built(factor=lambda r: (1 - r.t) * first_factor(r)),
    ),
    "held in the middle": Wrong(
        "The factor is 0 in the middle of the rod as well, where the network must be able to change "
        "u. One arch from end to end is enough.",
        built(factor=lambda r: r.t * tf.sin(2 * np.pi * r.x / r.length)),
    ),
    "held in more places": Wrong(
        "The factor is 0 at other times or places as well, as a sine is that passes through 0 again. "
        "There the network can change nothing.",
        built(factor=lambda r: r.t * tf.sin(3 * np.pi * r.x / r.length)),
        built(factor=lambda r: tf.sin(np.pi * r.t / 2) * r.x * (r.length - r.x)),
    ),
    "start as a factor": Wrong(
        "Where the start is 0, the network can change nothing, since it is multiplied by start(x). "
        "Add the two.",
        built_of(lambda r: r.start(r.x) * (1 + first_factor(r) * r.network(r.t, r.x))),
    ),
    "no path": Wrong(
        "u is right. But no tape finds the way to the network: it went through NumPy, a new "
        "constant or stop_gradient.",
        built(network=lambda r: tf.stop_gradient(r.network(r.t, r.x))),
    ),
    "network at other times": Wrong(
        "The network never gets a late time: its first argument is not t. Call network(t, x).",
        built(network=lambda r: r.network(r.x, r.t)),
        built(network=lambda r: r.network(0 * r.t, r.x)),
    ),
}

# 19.4


def identity(J):
    return tf.eye(J.shape[1], dtype=J.dtype)


def squared(J):
    return tf.transpose(J) @ J


def diagonal(J):
    return tf.linalg.diag(tf.linalg.diag_part(squared(J)))


def summed(J):
    return tf.reduce_sum(J, axis=0, keepdims=True)


def damped(
    left=lambda J, damping: squared(J) + damping * identity(J),
    right=lambda J, r: tf.transpose(J) @ r[:, None],
    trial_of=lambda w, s: w - s,
    is_better=lambda new, old: tf.reduce_sum(new**2) < tf.reduce_sum(old**2),
    following=lambda damping, good: damping / 10 if good else damping * 10,
    refused=lambda w, trial: w,
):
    """Return an answer to 19.4 from its parts: those of the equation, of the step and after it."""

    def marquardt_step(errors_of, w, damping):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(w)
            r = errors_of(w)
            rows = tf.unstack(r)
        J = tf.stack([tape.gradient(row, w) for row in rows])  # quicker than tape.jacobian
        trial = trial_of(w, tf.linalg.solve(left(J, damping), right(J, r))[:, 0])
        good = is_better(errors_of(trial), r)
        return trial if good else refused(w, trial), following(damping, good)

    return marquardt_step


def bowl_of_the_sum(J, damping):
    return squared(summed(J)) + damping * identity(J)


def by_factors(up, down):
    return lambda damping, good: damping / down if good else damping * up


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


def damped_or_none(errors_of, w, damping):
    """Return nothing where the step is taken back."""
    found, following = damped()(errors_of, w, damping)
    return (found, following) if following < damping else None


DAMPED = {
    "always taken": Wrong(
        "A step that makes the loss larger is taken, too. Compare the sums of squares first, and "
        "return w where it does not fall.",
        damped(refused=lambda w, trial: trial),
    ),
    "never taken": Wrong(
        "No step is ever taken. Either you try w + s, which climbs, or you compare or return "
        "something else: where the sum of squares at w - s is smaller than at w, return w - s.",
        damped(is_better=lambda new, old: False),
    ),
    "taken where it rises": Wrong(
        "The comparison is turned round: a step is taken where the loss rises. Take it where the new "
        "sum of squares is smaller.",
        damped(is_better=lambda new, old: tf.reduce_sum(new**2) > tf.reduce_sum(old**2)),
    ),
    "not squared": Wrong(
        "You compare the sums of the errors, in which large errors of both signs cancel. Square them "
        "first.",
        damped(is_better=lambda new, old: tf.reduce_sum(new) < tf.reduce_sum(old)),
    ),
    "sizes compared": Wrong(
        "A step is refused that makes the sum of squares smaller: you compare something else, such "
        "as the sizes of the errors, or the largest one.",
        damped(is_better=lambda new, old: tf.reduce_sum(tf.abs(new)) < tf.reduce_sum(tf.abs(old))),
        damped(is_better=lambda new, old: tf.reduce_max(tf.abs(new)) < tf.reduce_max(tf.abs(old))),
    ),
    "no damping": Wrong(
        "The damping is not in the equation: that is the step of Gauss and Newton. Add damping · I "
        "to JᵀJ.",
        damped(lambda J, damping: squared(J)),
    ),
    "damping subtracted": Wrong(
        "The damping is subtracted from JᵀJ, which makes steps longer. Add it.",
        damped(lambda J, damping: squared(J) - damping * identity(J)),
    ),
    "damping in every entry": Wrong(
        "The damping is added to every entry of JᵀJ. It belongs on the diagonal: multiply tf.eye.",
        damped(lambda J, damping: squared(J) + damping),
    ),
    "damping scaled": Wrong(
        "The damping multiplies the diagonal of JᵀJ. That is Marquardt's own form, and a good one; here it "
        "multiplies I.",
        damped(lambda J, damping: squared(J) + damping * diagonal(J)),
    ),
    "damping of 1": Wrong(
        "I is added without the damping. Multiply tf.eye by it.",
        damped(lambda J, damping: squared(J) + identity(J)),
    ),
    "damping squared": Wrong(
        "The damping is squared in the equation.",
        damped(lambda J, damping: squared(J) + damping**2 * identity(J)),
    ),
    "divided by the damping": Wrong(
        "I is divided by the damping. More damping should make the step shorter: multiply.",
        damped(lambda J, damping: squared(J) + identity(J) / damping),
    ),
    "gradient for Jᵀr": Wrong(
        "The right side is twice Jᵀr: the gradient of the sum of squares has a factor 2. Use Jᵀr, or half of "
        "the gradient.",
        damped(right=lambda J, r: 2 * tf.transpose(J) @ r[:, None]),
    ),
    "both sides doubled but the damping": Wrong(
        "JᵀJ and Jᵀr are doubled, and the damping is not: that is half the damping. Leave the "
        "factors out.",
        damped(
            lambda J, damping: 2 * squared(J) + damping * identity(J),
            lambda J, r: 2 * tf.transpose(J) @ r[:, None],
        ),
    ),
    "mean": Wrong(
        "JᵀJ and Jᵀr are divided by the number of errors, and the damping is not. Use sums.",
        damped(
            lambda J, damping: squared(J) / len(J) + damping * identity(J),
            lambda J, r: tf.transpose(J) @ r[:, None] / len(J),
        ),
    ),
    "JᵀJ doubled": Wrong(
        "JᵀJ is doubled, and Jᵀr is not. Leave the 2 out.",
        damped(lambda J, damping: 2 * squared(J) + damping * identity(J)),
    ),
    "new damping too early": Wrong(
        "The damping is changed before the step is computed. Solve with the damping that was given.",
        damped(lambda J, damping: squared(J) + damping / 10 * identity(J)),
        damped(lambda J, damping: squared(J) + damping * 10 * identity(J)),
    ),
    "second derivatives": Wrong(
        "That is a damped Newton step, with the second derivatives of the loss. Use JᵀJ in their "
        "place.",
        by_hessian,
    ),
    "one row for J": Wrong(
        "J has one row, the slopes of the sum of the errors. tape.gradient sums its targets: ask "
        "tape.jacobian.",
        damped(bowl_of_the_sum, lambda J, r: tf.transpose(summed(J)) * tf.reduce_sum(r)),
        damped(bowl_of_the_sum, lambda J, r: tf.transpose(summed(J)) * r[0]),
    ),
    "gradient descent": Wrong(
        "JᵀJ is not used: that is a step down the gradient. Solve (JᵀJ + damping · I) s = Jᵀr.",
        damped(lambda J, damping: damping * identity(J)),
        of_gradient,
    ),
    "diagonal of JᵀJ": Wrong(
        "Only the diagonal of JᵀJ is used. The other entries tell how weights work together.",
        damped(lambda J, damping: diagonal(J) + damping * identity(J)),
    ),
    "half a step": Wrong(
        "Half of the step is taken. It is w - s.",
        damped(trial_of=lambda w, s: w - s / 2),
    ),
    "step multiplied by the damping": Wrong(
        "The step is multiplied by the damping, as if that were a learning rate. The damping stands in "
        "the equation alone.",
        lambda errors_of, w, damping: damped(trial_of=lambda w, s: w - damping * s)(
            errors_of, w, damping
        ),
    ),
    "step returned": Wrong(
        "You return s itself. Return w - s.",
        damped(trial_of=lambda w, s: s, is_better=lambda new, old: True),
    ),
    "a column for s": Wrong(
        "s has the shape (p, 1), so w - s becomes (p, p), every weight with every step. Take the one "
        "column of what tf.linalg.solve returns: [:, 0].",
        damped(trial_of=lambda w, s: w - s[:, None]),
    ),
    "nothing when taken back": Wrong(
        "Where the step is taken back, nothing is returned: a return is missing there, or stands inside "
        "the if. Return w and ten times the damping.",
        damped_or_none,
    ),
    "until it falls": Wrong(
        "You went on until the loss fell. One step: where it does not fall, return w and ten times "
        "the damping.",
        until_better,
    ),
    "another factor": Wrong(
        "The weights are right, but the damping is not changed by the factor 10. Divide it by 10 after a good "
        "step, and multiply it by 10 after a bad one.",
        *(
            damped(following=by_factors(n, k))
            for n, k in ((2, 2), (2, 3), (3, 3), (5, 5), (2, 10), (10, 2), (10, 3), (100, 100))
        ),
    ),
    "as good counts": Wrong(
        "Where the sum of squares stays as it is, the step counts as good. It must be smaller: "
        "otherwise keep w, and raise the damping.",
        damped(is_better=lambda new, old: tf.reduce_sum(new**2) <= tf.reduce_sum(old**2)),
    ),
    "damping turned round": Wrong(
        "The weights are right, but the damping goes the wrong way. After a good step trust the bowl "
        "more, with a tenth of the damping; after a bad one less.",
        damped(following=lambda damping, good: damping * 10 if good else damping / 10),
    ),
    "damping not lowered": Wrong(
        "The weights are right, but after a good step the damping stays. Return a tenth of it.",
        damped(following=lambda damping, good: damping if good else damping * 10),
    ),
    "damping not raised": Wrong(
        "The weights are right, but after a step that was taken back the damping stays. Then the next step is the "
        "same. Return ten times the damping.",
        damped(following=lambda damping, good: damping / 10 if good else damping),
    ),
    "damping unchanged": Wrong(
        "The weights are right, but the damping never changes. Return a tenth of it after a good step, ten "
        "times as much after a bad one.",
        damped(following=lambda damping, good: damping),
    ),
    "damping always lowered": Wrong(
        "The weights are right, but the damping is lowered after a bad step, too. Return ten times as "
        "much there.",
        damped(following=lambda damping, good: damping / 10),
    ),
    "damping always raised": Wrong(
        "The weights are right, but the damping is raised after a good step, too. Return a tenth "
        "of it there.",
        damped(following=lambda damping, good: damping * 10),
    ),
}

MISTAKES = {"19.1": PENDULUM, "19.2": ROD, "19.3": BUILT_IN, "19.4": DAMPED}

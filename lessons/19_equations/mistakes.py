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


def speed_outside(theta, push_at, t, damping):
    with tf.GradientTape() as outer:
        outer.watch(t)
        with tf.GradientTape() as inner:
            inner.watch(t)
            angle = theta(t)
    velocity = inner.gradient(angle, t)
    acceleration = outer.gradient(velocity, t)
    return acceleration + damping * velocity + tf.sin(angle) - push_at(t)


PENDULUM = {
    "no acceleration recorded": Wrong(
        "The acceleration is `None`. Let the outer tape watch `t`, and call `inner.gradient` inside "
        "the outer block, so that it records the velocity.",
        speed_outside,
    ),
    "sine damped for the speed": Wrong(
        "You multiply the sine by the damping, not the velocity. Use `damping * velocity`, and the "
        "sine without a factor.",
        pendulum(drag=lambda m: m.speed, pull=lambda m: m.damping * tf.sin(m.angle)),
    ),
    "drag of the acceleration": Wrong(
        "You multiply the damping by the acceleration. Multiply it by the velocity: `damping * "
        "velocity`.",
        pendulum(drag=lambda m: m.damping * m.acceleration),
    ),
    "push added": Wrong(
        "You add the push, but it is on the right side of the equation. Subtract it.",
        pendulum(push=lambda m: -m.push(m.t)),
    ),
    "push left out": Wrong("The push is missing. Subtract `push(t)`.", pendulum(push=nothing)),
    "push at the angle": Wrong(
        "You call `push` with the angle, but it is a function of time. Use `push(t)`.",
        pendulum(push=lambda m: m.push(m.angle)),
    ),
    "right minus left": Wrong(
        "You computed the right side minus the left side. Reverse all signs.",
        pendulum(result=lambda residual: -residual),
    ),
    "angle for its sine": Wrong(
        "You use the angle instead of its sine, a good approximation only for small swings. Use "
        "`tf.sin(angle)`.",
        pendulum(pull=lambda m: m.angle),
    ),
    "cosine": Wrong(
        "You use the cosine of the angle. Use the sine.",
        pendulum(pull=lambda m: tf.cos(m.angle)),
    ),
    "sine of the time": Wrong(
        "You use the sine of the time. Use the sine of the angle.",
        pendulum(pull=lambda m: tf.sin(m.t)),
    ),
    "sine of the speed": Wrong(
        "You use the sine of the velocity. Use the sine of the angle.",
        pendulum(pull=lambda m: tf.sin(m.speed)),
    ),
    "sine left out": Wrong(
        "The sine of the angle is missing, so nothing pulls the pendulum back. Add "
        "`tf.sin(angle)`.",
        pendulum(pull=nothing),
    ),
    "sine subtracted": Wrong(
        "You subtract the sine of the angle, as for an upside-down pendulum. Add it.",
        pendulum(pull=lambda m: -tf.sin(m.angle)),
    ),
    "damping left out": Wrong(
        "You do not multiply the velocity by the damping. Use `damping * velocity`.",
        pendulum(drag=lambda m: m.speed),
    ),
    "no speed": Wrong(
        "The damping term is missing. Add `damping * velocity`.", pendulum(drag=nothing)
    ),
    "damping subtracted": Wrong(
        "You subtract the damping term, so the pendulum gains speed. Add it.",
        pendulum(drag=lambda m: -m.damping * m.speed),
    ),
    "damping squared": Wrong(
        "You square the damping. Multiply the velocity by `damping` once.",
        pendulum(drag=lambda m: m.damping**2 * m.speed),
    ),
    "drag of the squared speed": Wrong(
        "You multiply the damping by the squared velocity. Use the velocity itself: `damping * "
        "velocity`.",
        pendulum(drag=lambda m: m.damping * m.speed**2),
    ),
    "half the damping": Wrong(
        "You halve the damping term, as in the lesson's spring equation. Use `damping * velocity`.",
        pendulum(drag=lambda m: m.damping * m.speed / 2),
    ),
    "the spring's damping": Wrong(
        "You use half of the velocity, as in the lesson's spring equation. Use `damping * "
        "velocity`.",
        pendulum(drag=lambda m: m.speed / 2),
    ),
    "damped sine": Wrong(
        "You also multiply the sine by the damping. Multiply only the velocity by it.",
        pendulum(drag=lambda m: m.damping * (m.speed + tf.sin(m.angle)), pull=nothing),
    ),
    "the spring's law": Wrong(
        "You return the residual of the lesson's spring, minus the push. Use `damping * velocity` "
        "and the sine of the angle.",
        pendulum(drag=lambda m: m.speed / 2, pull=lambda m: 65 / 16 * m.angle),
    ),
    "the spring's numbers": Wrong(
        "The factors 65/16 and 1/2 belong to the lesson's spring. Use sin θ without a factor, and "
        "`damping * velocity`.",
        pendulum(drag=lambda m: m.speed / 2, pull=lambda m: 65 / 16 * tf.sin(m.angle)),
        pendulum(pull=lambda m: 65 / 16 * tf.sin(m.angle)),
    ),
    "acceleration alone": Wrong(
        "You return only the acceleration minus the push. Add `damping * velocity` and the sine of "
        "the angle.",
        pendulum(drag=nothing, pull=nothing),
    ),
    "damped angle": Wrong(
        "You multiply the damping by the angle. Multiply it by the velocity.",
        pendulum(drag=lambda m: m.damping * m.angle),
    ),
    "damped acceleration": Wrong(
        "Velocity and acceleration are swapped. Multiply the damping by the velocity.",
        pendulum(lambda m: m.damping * m.acceleration, drag=lambda m: m.speed),
    ),
    "no acceleration": Wrong(
        "The acceleration is missing. Compute the derivative of the velocity with the outer tape.",
        pendulum(nothing),
    ),
    "speed for acceleration": Wrong(
        "You use the velocity in place of the acceleration. To get the acceleration, differentiate "
        "the velocity, not the angle, with the outer tape.",
        pendulum(lambda m: m.speed),
    ),
    "speed squared": Wrong(
        "You square the velocity, but the second derivative is not the square of the first. "
        "Compute the derivative of the velocity with the outer tape.",
        pendulum(lambda m: m.speed**2),
    ),
    "squared": Wrong(
        "You squared the residual. Return the difference between the two sides.",
        pendulum(result=lambda residual: residual**2),
    ),
    "size": Wrong(
        "You lost the sign of the residual. Return the difference between the two sides, without "
        "`tf.abs`.",
        pendulum(result=tf.abs),
    ),
    "mean": Wrong(
        "You returned one number, a mean or a sum. Return the residual at each time, with shape "
        "(n, 1).",
        pendulum(result=tf.reduce_mean),
    ),
    "mean square": Wrong(
        "You returned the mean square, which is a loss. Return the residual at each time, with "
        "shape (n, 1).",
        pendulum(result=lambda residual: tf.reduce_mean(residual**2)),
    ),
    "no path": Wrong(
        "The residual is right, but no path leads from the weights in `theta` to it. Do not "
        "use NumPy, a new constant or `tf.stop_gradient`.",
        pendulum(result=tf.stop_gradient),
    ),
    "sine closed": Wrong(
        "The residual is right, but its sine is a constant to the tape of the training step, as "
        "with `np.sin`. Use `tf.sin`, without NumPy or `tf.stop_gradient`.",
        pendulum(pull=lambda m: tf.stop_gradient(tf.sin(m.angle))),
    ),
    "acceleration closed": Wrong(
        "The residual is right, but the acceleration is a constant to the tape of the training "
        "step. Use the acceleration exactly as your outer tape returns it, without NumPy or "
        "`tf.stop_gradient`.",
        pendulum(lambda m: tf.stop_gradient(m.acceleration)),
    ),
    "speed closed": Wrong(
        "The residual is right, but the velocity in its damping term is a constant to the tape of "
        "the training step. Use the velocity exactly as the inner tape returns it, without NumPy "
        "or `tf.stop_gradient`.",
        pendulum(drag=lambda m: m.damping * tf.stop_gradient(m.speed)),
    ),
    "only the angle open": Wrong(
        "The residual is right, but its derivatives are constants to the tape of the training "
        "step. Use the velocity and the acceleration exactly as your tapes return them.",
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
        "You call `k` with the temperatures, but the material depends on the position. Use "
        "`k(points[:, 1])`.",
        rod_law(lambda values, both, k, x, t: k(values) * both[:, 1]),
    ),
    "k outside": Wrong(
        "The mixed derivative is gone, but `k` is a constant to the outer tape, so k' u_x is "
        "missing. Call `k`, and multiply it by u_x, inside the outer block.",
        rod_law(plain_slope, lambda both, bend, k, x: both[:, 0] - k(x) * bend[:, 1]),
    ),
    "sum of two slopes": Wrong(
        "`k` is now in the right place, but your target still contains u_t and u_x, which the "
        "tape sums. Select the column of u_x before you call `outer.gradient`.",
        rod_law(lambda values, both, k, x, t: k(x)[:, None] * both),
    ),
    "u_t in the flow": Wrong(
        "The target of the outer tape contains u_t as well as k u_x, and the tape sums them. "
        "Use only the flow as the target.",
        rod_law(lambda values, both, k, x, t: k(x) * both[:, 1] + both[:, 0]),
    ),
    "flow of u_t": Wrong(
        "Your flow uses u_t, column 0. Use u_x, column 1, times k.",
        rod_law(lambda values, both, k, x, t: k(x) * both[:, 0]),
    ),
    "slope in time": Wrong(
        "You take the derivative of the flow with respect to t, column 0. Take it with respect "
        "to x, column 1.",
        rod_law(result=lambda both, bend, k, x: both[:, 0] - bend[:, 0]),
    ),
    "u_x for u_t": Wrong(
        "Your first term is u_x, column 1. Use u_t, column 0.",
        rod_law(result=lambda both, bend, k, x: both[:, 1] - bend[:, 1]),
    ),
    "columns exchanged": Wrong(
        "t and x are swapped. Use column 0 for t, and column 1 for x.",
        rod_law(
            lambda values, both, k, x, t: k(t) * both[:, 0],
            lambda both, bend, k, x: both[:, 1] - bend[:, 0],
        ),
    ),
    "k of the time": Wrong(
        "You call `k` with the times, but the material changes along the rod. Use `k(points[:, "
        "1])`.",
        rod_law(lambda values, both, k, x, t: k(t) * both[:, 1]),
    ),
    "no k": Wrong(
        "You return u_t - u_xx, without k. Multiply u_x by `k(x)` to get the flow.",
        rod_law(plain_slope),
    ),
    "sum without k": Wrong(
        "`k` is missing, and your target contains both u_t and u_x, which the tape sums. Use only "
        "`k(x)` times u_x as the target.",
        rod_law(whole_slopes),
    ),
    "k twice": Wrong(
        "You use `k` twice: in the flow and as a factor of its derivative. Keep it only in the "
        "flow.",
        rod_law(result=lambda both, bend, k, x: both[:, 0] - k(x) * bend[:, 1]),
    ),
    "k squared": Wrong(
        "You square `k` in the flow. Use `k(x)` times u_x.",
        rod_law(lambda values, both, k, x, t: k(x) ** 2 * both[:, 1]),
    ),
    "k with two axes": Wrong(
        "The flow has shape (n, n): one of `k(x)` and u_x has shape (n, 1), the other (n,). "
        "Select both columns with `[:, 1]`.",
        rod_law(lambda values, both, k, x, t: k(x[:, None]) * both[:, 1]),
    ),
    "flow divided by k": Wrong(
        "You divide u_x by `k`. Multiply: a good conductor carries more heat.",
        rod_law(lambda values, both, k, x, t: both[:, 1] / k(x)),
    ),
    "k u": Wrong(
        "You use the derivative of k u. Use the derivative of k u_x.",
        rod_law(lambda values, both, k, x, t: k(x) * values),
    ),
    "k before the first slope": Wrong(
        "You use the second derivative of k u. Compute u_x first, and multiply that by k.",
        of_product(lambda values, product: values),
        of_product(lambda values, product: product),
    ),
    "sign of k' u_x": Wrong(
        "The derivative of the flow has two parts, k u_xx and k' u_x, but you add the second. "
        "Subtract both.",
        by_product_rule(lambda u_t, bend, change: u_t - bend + change),
    ),
    "k' without u_x": Wrong(
        "You use k' without u_x. The product rule gives k' u_x + k u_xx: let the outer tape "
        "compute it, with k(x) times u_x as the target.",
        by_product_rule(lambda u_t, bend, change: u_t - bend - change, lambda slope, u_x: slope),
    ),
    "k' u_x alone": Wrong(
        "You subtract only k' u_x. Subtract the whole derivative of the flow, k' u_x + k u_xx.",
        by_product_rule(lambda u_t, bend, change: u_t - change),
    ),
    "sign of the flow": Wrong(
        "You add the derivative of the flow. Subtract it: left side minus right side.",
        rod_law(result=lambda both, bend, k, x: both[:, 0] + bend[:, 1]),
    ),
    "right minus left": Wrong(
        "You computed the right side minus the left side. Reverse all signs.",
        rod_law(result=lambda both, bend, k, x: bend[:, 1] - both[:, 0]),
    ),
    "no u_t": Wrong(
        "u_t is missing: you return minus the derivative of the flow. Return u_t minus that "
        "derivative.",
        rod_law(result=lambda both, bend, k, x: -bend[:, 1]),
    ),
    "right side only": Wrong(
        "You returned only the right side. Return u_t minus that.",
        rod_law(result=lambda both, bend, k, x: bend[:, 1]),
    ),
    "k u_t": Wrong(
        "You also multiply u_t by `k`. Keep `k` only in the flow.",
        rod_law(result=lambda both, bend, k, x: k(x) * both[:, 0] - bend[:, 1]),
    ),
    "k left as x": Wrong(
        "Your flow is x times u_x. Call the function `k`: use `k(x)`.",
        rod_law(lambda values, both, k, x, t: x * both[:, 1]),
    ),
    "size": Wrong(
        "You lost the sign of the residual. Return the difference between the two sides, without "
        "`tf.abs`.",
        rod_law(result=lambda both, bend, k, x: tf.abs(both[:, 0] - bend[:, 1])),
    ),
    "flow not differentiated": Wrong(
        "You subtract the flow itself. Subtract the derivative of the flow.",
        rod_law(result=lambda both, bend, k, x: both[:, 0] - k(x) * both[:, 1]),
    ),
    "both columns": Wrong(
        "Your result includes a mixed derivative: you subtract both columns of the outer tape's "
        "gradient, or its target also contains u_t. Use only the flow as the target, and subtract "
        "only column 1.",
        rod_law(result=lambda both, bend, k, x: both[:, 0] - tf.reduce_sum(bend, axis=1)),
    ),
    "mean": Wrong(
        "You returned one number, a mean or a sum. Return the residual at each point, with shape "
        "(n,).",
        rod_law(result=lambda both, bend, k, x: tf.reduce_mean(both[:, 0] - bend[:, 1])),
    ),
    "squared": Wrong(
        "You squared the residual. Return the difference between the two sides.",
        rod_law(result=lambda both, bend, k, x: (both[:, 0] - bend[:, 1]) ** 2),
    ),
    "column kept": Wrong(
        "Your residual has two axes. Select a column with `points[:, 1]`, not `points[:, 1:]`.",
        rod_law(result=lambda both, bend, k, x: both[:, :1] - bend[:, 1:]),
    ),
    "no path": Wrong(
        "The residual is right, but no path leads from the weights in `u` to it. Do not use "
        "NumPy, a new constant or `tf.stop_gradient`.",
        rod_law(result=lambda both, bend, k, x: tf.stop_gradient(both[:, 0] - bend[:, 1])),
    ),
    "flow closed": Wrong(
        "The residual is right, but the derivative of the flow is a constant to the tape of the "
        "training step. Use it exactly as `outer.gradient` returns it.",
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
        "You add the network everywhere, even at the start. Multiply it by a factor that is 0 "
        "at t = 0 and at both ends.",
        built(factor=everywhere),
    ),
    "network alone": Wrong(
        "Your u is only the network. Add `start(x)`, and multiply the network by a factor that "
        "is 0 on the border.",
        built(nothing, everywhere),
    ),
    "not 0 at the start": Wrong(
        "The network still contributes at t = 0. Multiply it by a factor that is 0 there, such as "
        "`t`, not by `1 - t` or a sum such as `t + x`.",
        built(factor=lambda r: r.x * (r.length - r.x)),
    ),
    "0 at later times": Wrong(
        "Your factor is 0 at later times as well, as sin t is at t = π. Use one that is 0 only at "
        "t = 0, such as `t`.",
        built(factor=lambda r: tf.sin(r.t) * r.x * (r.length - r.x)),
        built(factor=lambda r: tf.sin(np.pi * r.t) * r.x * (r.length - r.x)),
    ),
    "start left out": Wrong(
        "u is 0 at the start: `start(x)` is missing, or you multiply it by the factor. Add it "
        "outside the product.",
        built(nothing),
    ),
    "start multiplied": Wrong(
        "You multiply `start(x)` by the network, so u depends on the network at t = 0. Add "
        "`start(x)` unchanged.",
        built(nothing, lambda r: r.start(r.x) + first_factor(r)),
    ),
    "start as the factor": Wrong(
        "You multiply the network by `start(x)`, which is 0 at the ends only if the boundary "
        "values are 0. Multiply it by `t * x * (length - x)` instead.",
        built(factor=lambda r: r.t * r.start(r.x)),
    ),
    "straight start": Wrong(
        "You start with a straight line between the ends. Use `start(x)`, which already "
        "includes both ends.",
        built(line_between),
    ),
    "ends added to the start": Wrong(
        "You add the boundary values twice: `start(x)` already includes them. Remove the terms "
        "with `left` and `right`.",
        built(lambda r: r.start(r.x) + line_between(r)),
    ),
    "start at the time": Wrong(
        "You call `start` with the times, but it is a function of position. Define `u(t, x)` with "
        "its arguments in this order, and call `start(x)`.",
        built(lambda r: r.start(r.t)),
    ),
    "start turned round": Wrong(
        "You evaluate `start` from the other end of the rod. Use `start(x)`.",
        built(lambda r: r.start(r.length - r.x)),
    ),
    "u not returned": Wrong(
        "A `return` is missing. End `rod` with `return u`, indented like `def u`, and let `u` "
        "return its value.",
        lambda *given: None,
        built_of(nothing_back),
    ),
    "t only": Wrong(
        "u is right at t = 0, but at x = 0 the network still contributes. Multiply it by a "
        "factor that is 0 at both ends too, such as `x * (length - x)`.",
        built(factor=lambda r: r.t),
        built(factor=lambda r: tf.tanh(r.t)),
        built(factor=lambda r: tf.tanh(r.t) ** 2),
    ),
    "start corrected alone": Wrong(
        "You subtract the network's value at the start, which makes u right at t = 0. But the "
        "network still contributes at the ends: multiply the difference by `x * (length - x)`.",
        built_of(lambda r: r.start(r.x) + r.network(r.t, r.x) - r.network(0 * r.t, r.x)),
    ),
    "temperatures for places": Wrong(
        "Your factor is 0 if x equals `left` or `right`, but these are temperatures. Make it 0 "
        "at the ends, x = 0 and x = `length`.",
        built(factor=lambda r: r.t * (r.x - r.left) * (r.x - r.right)),
        built(factor=lambda r: r.t * (r.x - r.left) * (r.right - r.x)),
    ),
    "left end open": Wrong(
        "The left end is not fixed, because your factor is not 0 at x = 0. Multiply by `x`.",
        built(factor=lambda r: r.t * (r.length - r.x)),
    ),
    "ends fade": Wrong(
        "`start(x)` fades over time, and with it the boundary values. Keep `start(x)` unchanged.",
        built(lambda r: tf.exp(-r.t) * r.start(r.x)),
        built(lambda r: (1 - r.t) * r.start(r.x)),
    ),
    "from start to network": Wrong(
        "Over time, u changes from `start(x)` into the network's output, even at the ends. Add "
        "`start(x)` unchanged, and multiply the network by a factor that is 0 on the border.",
        built(lambda r: (1 - r.t) * r.start(r.x), lambda r: r.t),
        built_of(
            lambda r: tf.exp(-r.t) * (r.start(r.x) - r.network(r.t, r.x)) + r.network(r.t, r.x)
        ),
    ),
    "jump from the start": Wrong(
        "You fix u only at t = 0: immediately afterward, it is the network's output, even at the "
        "ends. Instead of `tf.where`, use a factor that grows from 0 on the border.",
        built_of(lambda r: tf.where(r.t > 0, r.network(r.t, r.x), r.start(r.x))),
    ),
    "right end open": Wrong(
        "The right end is not fixed, because your factor is not 0 at x = `length`. Multiply by "
        "`length - x`.",
        built(factor=lambda r: r.t * r.x),
    ),
    "right end of a sine": Wrong(
        "sin(πx) is 0 at x = 1, but the rod ends at x = `length`. Divide x by `length`.",
        built(factor=lambda r: r.t * tf.sin(np.pi * r.x)),
    ),
    "length 1": Wrong(
        "Your factor is 0 at x = 1, but the rod ends at x = `length`. Use `length - x`.",
        built(factor=lambda r: r.t * r.x * (1 - r.x)),
        built(factor=lambda r: tf.tanh(r.t) * r.x * (1 - r.x)),
        built(factor=lambda r: (1 - tf.exp(-r.t)) * r.x * (1 - r.x)),
    ),
    "end on the wrong side": Wrong(
        "Your factor is 0 at x = -`length`. Use `length - x`.",
        built(factor=lambda r: r.t * r.x * (r.length + r.x)),
    ),
    "jumps at the ends": Wrong(
        "The ends are right, but u jumps next to them, and a loss computed from derivatives does "
        "not see a jump. Use a factor that is 0 at the ends instead of `tf.where`.",
        built(factor=lambda r: tf.where((r.x == 0) | (r.x == r.length), 0.0, r.t)),
    ),
    "jumps after the start": Wrong(
        "The start is right, but u jumps immediately after it, because `tf.sign` or a comparison "
        "does not grow gradually from 0. Multiply by `t` instead.",
        built(factor=lambda r: tf.sign(r.t) * r.x * (r.length - r.x)),
    ),
    "jumps at the border": Wrong(
        "The border is right, but u jumps immediately next to it, and a loss computed from "
        "derivatives does not see a jump. Use a factor that grows from 0 instead of `tf.where` or "
        "a comparison.",
        built_of(lambda r: tf.where(first_factor(r) == 0, r.start(r.x), r.network(r.t, r.x))),
        built(factor=lambda r: tf.sign(first_factor(r))),
    ),
    "network left out": Wrong(
        "The border is right, but the network has no effect, so u cannot cool. Add the network, "
        "multiplied by a factor that is 0 on the border.",
        built(network=nothing),
    ),
    "held at t = 1": Wrong(
        "Your factor is 0 at t = 1 as well, so the network has no effect there. Make it 0 only "
        "at t = 0 and at the ends.",
        built(factor=lambda r: (1 - r.t) * first_factor(r)),
    ),
    "held in the middle": Wrong(
        "Your factor is 0 in the middle of the rod as well, so the network has no effect there. "
        "Make it 0 only at t = 0 and at the ends.",
        built(factor=lambda r: r.t * tf.sin(2 * np.pi * r.x / r.length)),
    ),
    "held in more places": Wrong(
        "Your factor is 0 at other times or positions as well, as with a sine that crosses 0 "
        "again. Make it 0 only at t = 0 and at the ends.",
        built(factor=lambda r: r.t * tf.sin(3 * np.pi * r.x / r.length)),
        built(factor=lambda r: tf.sin(np.pi * r.t / 2) * r.x * (r.length - r.x)),
    ),
    "start as a factor": Wrong(
        "The network has no effect where the start is 0, because you multiply it by `start(x)`. "
        "Add `start(x)` instead.",
        built_of(lambda r: r.start(r.x) * (1 + first_factor(r) * r.network(r.t, r.x))),
    ),
    "no path": Wrong(
        "u is right, but no path leads from the network to it: its output went through NumPy, "
        "a new constant or `tf.stop_gradient`. Use the tensor that `network(t, x)` "
        "returns.",
        built(network=lambda r: tf.stop_gradient(r.network(r.t, r.x))),
    ),
    "network at other times": Wrong(
        "You never call the network with a late time, because its first argument is not `t`. "
        "Call `network(t, x)`.",
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
        "You also take steps that make the loss larger. Compare the sums of squares first, and "
        "return `w` if the new sum is not smaller.",
        damped(refused=lambda w, trial: trial),
    ),
    "never taken": Wrong(
        "You never take a step. If the sum of squares at `w - s` is smaller than at `w`, "
        "return `w - s` (not `w + s`, which goes uphill).",
        damped(is_better=lambda new, old: False),
    ),
    "taken where it rises": Wrong(
        "Your comparison is reversed: you take a step if the loss rises. Take it if the new "
        "sum of squares is smaller.",
        damped(is_better=lambda new, old: tf.reduce_sum(new**2) > tf.reduce_sum(old**2)),
    ),
    "not squared": Wrong(
        "You compare the sums of the errors, in which large errors of opposite sign cancel. "
        "Square them first.",
        damped(is_better=lambda new, old: tf.reduce_sum(new) < tf.reduce_sum(old)),
    ),
    "sizes compared": Wrong(
        "You reject a step that makes the sum of squares smaller, because you compare something "
        "else, such as the absolute errors or the largest error. Compare the sums of squares.",
        damped(is_better=lambda new, old: tf.reduce_sum(tf.abs(new)) < tf.reduce_sum(tf.abs(old))),
        damped(is_better=lambda new, old: tf.reduce_max(tf.abs(new)) < tf.reduce_max(tf.abs(old))),
    ),
    "no damping": Wrong(
        "The damping is not in your equation, which makes this a Gauss-Newton step. Add "
        "damping · I to JᵀJ.",
        damped(lambda J, damping: squared(J)),
    ),
    "damping subtracted": Wrong(
        "You subtract the damping from JᵀJ, which makes steps longer. Add it.",
        damped(lambda J, damping: squared(J) - damping * identity(J)),
    ),
    "damping in every entry": Wrong(
        "You add the damping to every entry of JᵀJ. Add it only to the diagonal: multiply it "
        "by `tf.eye`.",
        damped(lambda J, damping: squared(J) + damping),
    ),
    "damping scaled": Wrong(
        "You multiply the diagonal of JᵀJ by the damping, which is Marquardt's own form. "
        "Multiply I by it instead.",
        damped(lambda J, damping: squared(J) + damping * diagonal(J)),
    ),
    "damping of 1": Wrong(
        "You add I without the damping. Multiply `tf.eye` by it.",
        damped(lambda J, damping: squared(J) + identity(J)),
    ),
    "damping squared": Wrong(
        "You square the damping in the equation. Use it once.",
        damped(lambda J, damping: squared(J) + damping**2 * identity(J)),
    ),
    "divided by the damping": Wrong(
        "You divide I by the damping. Multiply: more damping should make the step shorter.",
        damped(lambda J, damping: squared(J) + identity(J) / damping),
    ),
    "gradient for Jᵀr": Wrong(
        "Your right side is twice Jᵀr, because the gradient of the sum of squares has a factor "
        "of 2. Use Jᵀr, or half of the gradient.",
        damped(right=lambda J, r: 2 * tf.transpose(J) @ r[:, None]),
    ),
    "both sides doubled but the damping": Wrong(
        "You double JᵀJ and Jᵀr, but not the damping, which halves its effect. Remove the "
        "factors of 2.",
        damped(
            lambda J, damping: 2 * squared(J) + damping * identity(J),
            lambda J, r: 2 * tf.transpose(J) @ r[:, None],
        ),
    ),
    "mean": Wrong(
        "You divide JᵀJ and Jᵀr by the number of errors, but not the damping. Remove the division.",
        damped(
            lambda J, damping: squared(J) / len(J) + damping * identity(J),
            lambda J, r: tf.transpose(J) @ r[:, None] / len(J),
        ),
    ),
    "JᵀJ doubled": Wrong(
        "You double JᵀJ, but not Jᵀr. Remove the factor of 2.",
        damped(lambda J, damping: 2 * squared(J) + damping * identity(J)),
    ),
    "new damping too early": Wrong(
        "You change the damping before you compute the step. Solve with the damping that you "
        "were given.",
        damped(lambda J, damping: squared(J) + damping / 10 * identity(J)),
        damped(lambda J, damping: squared(J) + damping * 10 * identity(J)),
    ),
    "second derivatives": Wrong(
        "This is a damped Newton step, with the second derivatives of the loss. Use JᵀJ instead.",
        by_hessian,
    ),
    "one row for J": Wrong(
        "Your J has one row, the slopes of the sum of the errors, because `tape.gradient` sums "
        "its targets. Use `tape.jacobian`.",
        damped(bowl_of_the_sum, lambda J, r: tf.transpose(summed(J)) * tf.reduce_sum(r)),
        damped(bowl_of_the_sum, lambda J, r: tf.transpose(summed(J)) * r[0]),
    ),
    "gradient descent": Wrong(
        "You do not use JᵀJ, so this is a step of gradient descent. Solve (JᵀJ + damping · I) "
        "s = Jᵀr.",
        damped(lambda J, damping: damping * identity(J)),
        of_gradient,
    ),
    "diagonal of JᵀJ": Wrong(
        "You use only the diagonal of JᵀJ. Use the whole matrix; the other entries describe how "
        "the weights interact.",
        damped(lambda J, damping: diagonal(J) + damping * identity(J)),
    ),
    "half a step": Wrong(
        "You take half of the step. Use `w - s`.",
        damped(trial_of=lambda w, s: w - s / 2),
    ),
    "step multiplied by the damping": Wrong(
        "You multiply the step by the damping, as if it were a learning rate. Use the damping "
        "only in the equation.",
        lambda errors_of, w, damping: damped(trial_of=lambda w, s: w - damping * s)(
            errors_of, w, damping
        ),
    ),
    "step returned": Wrong(
        "You returned `s` itself. Return `w - s`.",
        damped(trial_of=lambda w, s: s, is_better=lambda new, old: True),
    ),
    "a column for s": Wrong(
        "`s` has shape (p, 1), so `w - s` broadcasts to (p, p). Select the column of the "
        "result of `tf.linalg.solve`: `[:, 0]`.",
        damped(trial_of=lambda w, s: w - s[:, None]),
    ),
    "nothing when taken back": Wrong(
        "If the step is rejected, your function returns nothing: a `return` is missing, or is "
        "inside the `if`. Return `w` and ten times the damping.",
        damped_or_none,
    ),
    "until it falls": Wrong(
        "You keep raising the damping until the loss falls. Try only one step: if the loss does "
        "not fall, return `w` and ten times the damping.",
        until_better,
    ),
    "another factor": Wrong(
        "The weights are right, but you change the damping by the wrong factor. Divide it by 10 "
        "after a good step, and multiply it by 10 after a bad one.",
        *(
            damped(following=by_factors(n, k))
            for n, k in ((2, 2), (2, 3), (3, 3), (5, 5), (2, 10), (10, 2), (10, 3), (100, 100))
        ),
    ),
    "as good counts": Wrong(
        "If the sum of squares stays the same, you count the step as good. Require a smaller "
        "sum; otherwise keep `w`, and raise the damping.",
        damped(is_better=lambda new, old: tf.reduce_sum(new**2) <= tf.reduce_sum(old**2)),
    ),
    "damping turned round": Wrong(
        "The weights are right, but the damping changes in the wrong direction. Return a tenth of "
        "it after a good step, and ten times as much after a bad one.",
        damped(following=lambda damping, good: damping * 10 if good else damping / 10),
    ),
    "damping not lowered": Wrong(
        "The weights are right, but the damping does not change after a good step. Return a "
        "tenth of it.",
        damped(following=lambda damping, good: damping if good else damping * 10),
    ),
    "damping not raised": Wrong(
        "The weights are right, but the damping does not change after a rejected step, so the "
        "next step would be the same. Return ten times the damping.",
        damped(following=lambda damping, good: damping / 10 if good else damping),
    ),
    "damping unchanged": Wrong(
        "The weights are right, but the damping never changes. Return a tenth of it after a "
        "good step, and ten times as much after a bad one.",
        damped(following=lambda damping, good: damping),
    ),
    "damping always lowered": Wrong(
        "The weights are right, but you lower the damping after a bad step as well. Return ten "
        "times the damping in that case.",
        damped(following=lambda damping, good: damping / 10),
    ),
    "damping always raised": Wrong(
        "The weights are right, but you raise the damping after a good step as well. Return a "
        "tenth of it in that case.",
        damped(following=lambda damping, good: damping * 10),
    ),
}

MISTAKES = {"19.1": PENDULUM, "19.2": ROD, "19.3": BUILT_IN, "19.4": DAMPED}

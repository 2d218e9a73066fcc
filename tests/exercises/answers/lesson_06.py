import numpy as np
import tensorflow as tf

from answers import ERROR, Answers, Wrong
from course_utils import hessian


def gradient_of(f, x):
    """Return f(x) and its gradient, by a tape that watches x."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


# 06.1 ---------------------------------------------------------------------------------------------


def motion_of(give, reduce=lambda s: s):
    """Return an answer to 06.1 that returns ``give(position, speed, acceleration)``."""

    def motion(position, t):
        def speed_at(t):
            return gradient_of(lambda t: reduce(position(t)), t)

        return give(position(t), speed_at(t), gradient_of(speed_at, t))

    return motion


def motion_with_variable_and_persistent_tape(position, t):
    t = tf.Variable(t)
    with tf.GradientTape(persistent=True) as tape:
        s = position(t)
        v = tape.gradient(s, t)
    return [v, tape.gradient(v, t)]


def motion_from_diagonals(position, t):
    def speed(t):
        return gradient_of(position, t)

    with tf.GradientTape() as tape:
        tape.watch(t)
        v = speed(t)
    return v.numpy(), np.diag(tape.jacobian(v, t))


def motion_with_late_inner_gradient(position, t):
    with tf.GradientTape() as outer:
        outer.watch(t)
        with tf.GradientTape() as inner:
            inner.watch(t)
            s = position(t)
    speed = inner.gradient(s, t)
    return speed, outer.gradient(speed, t)


def motion_watched_by_inner_alone(position, t):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(t)
            s = position(t)
        speed = inner.gradient(s, t)
    return speed, outer.gradient(speed, t)


def motion_watched_by_outer_alone(position, t):
    with tf.GradientTape() as outer:
        outer.watch(t)
        with tf.GradientTape() as inner:
            s = position(t)
        speed = inner.gradient(s, t)
    return speed, speed if speed is None else outer.gradient(speed, t)


def motion_without_watch(position, t):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            s = position(t)
        speed = inner.gradient(s, t)
    return speed, outer.gradient(speed, t)


def motion_with_zeros_for_none(position, t):
    with tf.GradientTape() as outer:
        outer.watch(t)
        with tf.GradientTape() as inner:
            inner.watch(t)
            s = position(t)
    speed = inner.gradient(s, t)
    return speed, outer.gradient(speed, t, unconnected_gradients="zero")


def motion_differentiating_the_position_twice(position, t):
    with tf.GradientTape() as outer:
        outer.watch(t)
        with tf.GradientTape() as inner:
            inner.watch(t)
            s = position(t)
        speed = inner.gradient(s, t)
    return speed, outer.gradient(s, t)


def motion_with_both_targets(position, t):
    with tf.GradientTape() as outer:
        outer.watch(t)
        with tf.GradientTape() as inner:
            inner.watch(t)
            s = position(t)
        speed = inner.gradient(s, t)
    return speed, outer.gradient([s, speed], t)


def motion_as_tables(position, t):
    with tf.GradientTape() as tape:
        tape.watch(t)
        s = position(t)
    speed = tape.jacobian(s, t)
    return speed, speed


def motion_with_averages_twice(position, t):
    def mean_speed(t):
        return gradient_of(lambda t: tf.reduce_mean(position(t)), t)

    return mean_speed(t), gradient_of(lambda t: tf.reduce_mean(mean_speed(t)), t)


def motion_through_numpy(position, t):
    speed = gradient_of(position, t).numpy()
    return speed, gradient_of(lambda t: speed, t)


# 06.2 ---------------------------------------------------------------------------------------------


def penalty_of(slopes_of, penalty=lambda slopes: tf.reduce_sum(slopes**2), source=None, **options):
    """Return an answer to 06.2 with other slopes, another penalty or another source."""

    def penalty_gradient(w, x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            target = penalty(slopes_of(w, x))
        return outer.gradient(target, w if source is None else x, **options)

    return penalty_gradient


def output(w, x):
    return tf.tanh(tf.reduce_sum(w * x))


def slopes(w, x):
    return gradient_of(lambda x: output(w, x), x)


def slopes_by_hand(w, x):
    return (1 - output(w, x) ** 2) * w


def slopes_with_steepness_held(w, x):
    return tf.stop_gradient(1 - output(w, x) ** 2) * w


def slopes_with_weights_held(w, x):
    return (1 - output(w, x) ** 2) * w.numpy()


def slopes_held(w, x):
    return tf.stop_gradient(slopes(w, x))


def penalty_in_one_persistent_tape(w, x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.tanh(tf.tensordot(w, x, 1))
        penalty = tf.reduce_sum(tape.gradient(y, x) ** 2)
    return tape.gradient(penalty, w)


def penalty_itself(w, x):
    return tf.reduce_sum(slopes(w, x) ** 2)


# 06.4 ---------------------------------------------------------------------------------------------


def hessian_times(f, x, v):
    with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
        gradient = gradient_of(f, x)
    return accumulator.jvp(gradient)


def unit(v):
    return v / tf.norm(v)


def curvature_from_the_whole_hessian(f, x, v):
    u = v.numpy() / np.linalg.norm(v)
    return u @ hessian(f, x).numpy() @ u


def curvature_reverse_over_reverse(f, x, v):
    with tf.GradientTape() as outer:
        outer.watch(x)
        gradient = gradient_of(f, x)
    Hv = outer.gradient(gradient, x, output_gradients=v)
    return tf.tensordot(v, Hv, 1) / tf.tensordot(v, v, 1)


def curvature_forward_over_forward(f, x, v):
    u = unit(v)
    with tf.autodiff.ForwardAccumulator(x, u) as outer:
        with tf.autodiff.ForwardAccumulator(x, u) as inner:
            y = f(x)
        slope = inner.jvp(y)
    return outer.jvp(slope)


def slope_along(scale):
    def answer(f, x, v):
        with tf.autodiff.ForwardAccumulator(x, scale(v)) as accumulator:
            y = f(x)
        return accumulator.jvp(y)

    return answer


def curvature_with_gradient_outside(f, x, v):
    u = unit(v)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.autodiff.ForwardAccumulator(x, u) as accumulator:
            y = f(x)
    return accumulator.jvp(tape.gradient(y, x))


def curvature_without_watch(f, x, v):
    with tf.autodiff.ForwardAccumulator(x, unit(v)) as accumulator:
        with tf.GradientTape() as tape:
            y = f(x)
        gradient = tape.gradient(y, x)
    return accumulator.jvp(gradient)


def motion_forward_over_forward(position, t):
    ones = tf.ones_like(t)
    with tf.autodiff.ForwardAccumulator(t, ones) as outer:
        with tf.autodiff.ForwardAccumulator(t, ones) as inner:
            s = position(t)
        speed = inner.jvp(s)
    return [speed.numpy(), outer.jvp(speed)]


def penalty_by_formula(w, x):
    w, x = w.numpy().astype(np.float64), x.numpy()
    y = np.tanh(w @ x)
    return 2 * (1 - y**2) ** 2 * (w - 2 * y * (w @ w) * x)


def curvature_of_a_line(f, x, v):
    s = tf.Variable(0.0, dtype=x.dtype)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = f(x + s * v / tf.sqrt(tf.reduce_sum(v**2)))
        slope = inner.gradient(y, s)
    return float(outer.gradient(slope, s))


ANSWERS = {
    "06.1": Answers(
        right=[
            motion_of(lambda s, v, a: (v, a)),
            motion_with_variable_and_persistent_tape,
            motion_from_diagonals,
            motion_of(lambda s, v, a: tf.stack([v, a])),
            motion_forward_over_forward,
            lambda position, t: motion_forward_over_forward(position, tf.cast(t, tf.float64)),
        ],
        wrong=[
            Wrong(motion_with_late_inner_gradient, "the acceleration is None. The outer tape"),
            Wrong(motion_watched_by_inner_alone, "the acceleration is None. The outer tape"),
            Wrong(motion_watched_by_outer_alone, "The speed is None"),
            Wrong(motion_without_watch, "the target or the source is None", ERROR),
            Wrong(motion_with_zeros_for_none, "A zero in place of None"),
            Wrong(motion_differentiating_the_position_twice, "Both items are the speed"),
            Wrong(motion_with_both_targets, "speed plus acceleration"),
            Wrong(motion_as_tables, "that is a jacobian"),
            Wrong(motion_of(lambda s, v, a: (v, a), tf.reduce_mean), "you averaged the position"),
            Wrong(motion_with_averages_twice, "a mean over the times"),
            Wrong(motion_of(lambda s, v, a: (a, v)), "in the wrong order"),
            Wrong(motion_of(lambda s, v, a: (s, v)), "the position and the speed"),
            Wrong(motion_of(lambda s, v, a: (s, a)), "The first item is the position"),
            Wrong(motion_of(lambda s, v, a: (s, v, a)), "You returned three items"),
            Wrong(motion_of(lambda s, v, a: a), "Return the tuple"),
            Wrong(motion_of(lambda s, v, a: None), "Your function returned None"),
            Wrong(
                motion_of(lambda s, v, a: (tf.reduce_sum(v), tf.reduce_sum(a))),
                "For 3 times the speed is one number",
            ),
            Wrong(motion_of(lambda s, v, a: (v[0], a[0])), "a mean or an index"),
            Wrong(motion_of(lambda s, v, a: (abs(v), a)), "+ sin(1.5 t) - 0.5 t, at t = 0.8"),
            Wrong(motion_of(lambda s, v, a: (v, a[:2])), "the acceleration needs shape (3,)"),
            Wrong(motion_of(lambda s, v, a: ([v], [a])), "not a list of 1 item"),
            Wrong(motion_of(lambda s, v, a: (v, abs(a))), "the acceleration is -"),
            Wrong(motion_of(lambda s, v, a: (v, 2 * a)), "at t = 0.5, the acceleration is"),
            Wrong(motion_through_numpy, "the computation left TensorFlow", ERROR),
        ],
    ),
    "06.2": Answers(
        right=[
            penalty_in_one_persistent_tape,
            penalty_of(slopes),
            penalty_of(slopes_by_hand),
            penalty_by_formula,
            penalty_of(slopes, lambda slopes: tf.tensordot(slopes, slopes, 1)),
        ],
        wrong=[
            Wrong(penalty_of(slopes_held), "It still returns None"),
            Wrong(penalty_of(slopes_held, unconnected_gradients="zero"), "in place of None"),
            Wrong(penalty_of(slopes_with_steepness_held), "holds the slope of tanh constant"),
            Wrong(penalty_of(slopes_with_weights_held), "holds the factor w"),
            Wrong(penalty_of(slopes, source="x"), "with respect to x. The question asks for w"),
            Wrong(penalty_of(slopes, tf.reduce_sum), "The penalty squares each slope"),
            Wrong(penalty_of(slopes, lambda s: s), "The penalty squares each slope"),
            Wrong(penalty_of(slopes, lambda s: tf.reduce_mean(s**2)), "by the number of inputs"),
            Wrong(penalty_of(output), "the gradient of y**2"),
            Wrong(penalty_of(output, lambda y: y), "the gradient of y with respect to w"),
            Wrong(slopes, "These are the slopes of y"),
            Wrong(penalty_itself, "This is the penalty itself"),
            Wrong(penalty_of(slopes, tf.norm), "For w = [1.0, -0.5], x = [0.5, 1.0]"),
            Wrong(lambda w, x: [penalty_of(slopes)(w, x)], "you returned a list of 1 item"),
        ],
    ),
    "06.3": Answers(
        right=[[8, 3, 4, 3], tf.TensorShape((8, 3, 4, 3)), np.array([8, 3, 4, 3])],
        wrong=[
            Wrong((4, 3), "A jacobian keeps every entry of y apart"),
            Wrong((8, 3), "the shape of y. For each"),
            Wrong((4, 3, 8, 3), "outputs first"),
            Wrong((8, 3, 8, 4), "with respect to features"),
            Wrong((8, 3, 4), "what batch_jacobian would give"),
            Wrong((8, 4, 3), "not 8"),
            Wrong((24, 12), "keeps the axes of both"),
            Wrong((8, 3, 3, 4), "V transposed"),
            Wrong((3, 8, 4, 3), "y transposed"),
            Wrong((8, 4, 4, 3), "the shape of features. The outputs"),
            Wrong((), "the shape of one number"),
            Wrong((8, 3, 4, 4), "Write the shape of y, and behind it"),
            Wrong(None, "There is a path"),
            Wrong("None", "There is a path"),
            Wrong(288, "Write the shape as one tuple"),
            Wrong(((8, 3), (4, 3)), "Write the shape as one tuple"),
            Wrong((float("nan"), 3), "whole numbers"),
        ],
    ),
    "06.4": Answers(
        right=[
            curvature_reverse_over_reverse,
            curvature_forward_over_forward,
            curvature_of_a_line,
            lambda f, x, v: tf.reduce_sum(unit(v) * hessian_times(f, x, unit(v)))[None],
        ],
        wrong=[
            Wrong(curvature_from_the_whole_hessian, "you formed H"),
            Wrong(lambda f, x, v: tf.reduce_sum(v * hessian_times(f, x, v)), "This is vᵀHv"),
            Wrong(lambda f, x, v: tf.reduce_sum(unit(v) * hessian_times(f, x, v)), "enters twice"),
            Wrong(
                lambda f, x, v: (
                    tf.reduce_sum(v * hessian_times(f, x, v)) / tf.reduce_sum(abs(v)) ** 2
                ),
                "the root of the sum",
            ),
            Wrong(
                lambda f, x, v: (
                    tf.reduce_sum(v * hessian_times(f, x, v)) / tf.reduce_sum(v**2) ** 2
                ),
                "by the sum of the squared entries",
            ),
            Wrong(slope_along(unit), "This is the slope along u"),
            Wrong(slope_along(lambda v: v), "This is the slope along v"),
            Wrong(lambda f, x, v: hessian_times(f, x, unit(v)), "This is the vector Hu"),
            Wrong(hessian_times, "This is the vector Hv"),
            Wrong(lambda f, x, v: unit(v) * hessian_times(f, x, unit(v)), "Add them up"),
            Wrong(lambda f, x, v: tf.reduce_sum(hessian_times(f, x, unit(v))), "the entries of Hu"),
            Wrong(
                lambda f, x, v: tf.reduce_mean(unit(v) * hessian_times(f, x, unit(v))),
                "do not average",
            ),
            Wrong(lambda f, x, v: tf.norm(hessian_times(f, x, unit(v))), "the length of Hu"),
            Wrong(lambda f, x, v: hessian(f, x), "the whole Hessian"),
            Wrong(lambda f, x, v: tf.linalg.trace(hessian(f, x)), "Hessian's diagonal"),
            Wrong(lambda f, x, v: gradient_of(f, x), "This is the gradient"),
            Wrong(lambda f, x, v: f(x), "This is the loss itself"),
            Wrong(lambda f, x, v: 0.0, "A zero in place of None"),
            Wrong(curvature_with_gradient_outside, "Your function returned None"),
            Wrong(curvature_without_watch, "there is a None where a tensor", ERROR),
            Wrong(lambda f, x, v: -curvature_reverse_over_reverse(f, x, v), "The sign is wrong"),
            Wrong(lambda f, x, v: abs(curvature_reverse_over_reverse(f, x, v)), "x = [-1.0, -0.5"),
            Wrong(
                lambda f, x, v: 2 * curvature_reverse_over_reverse(f, x, v),
                "along v = [3.0, 4.0], the curvature is",
            ),
            Wrong(lambda f, x, v: {"H": 1}, "you returned a dict of 1 item"),
            Wrong(lambda f, x, v: tf.stack([f(x), 1.0]), "you returned a tensor of shape (2,)"),
        ],
    ),
}

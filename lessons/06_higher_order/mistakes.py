"""Wrong answers to the questions of lesson 06, and what each is told."""

import numpy as np
import tensorflow as tf

from course_utils import hessian
from course_utils.exercises import Table, Wrong


def gradient_of(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


# 06.1


def motion(give, reduce=lambda s: s):
    """Return an answer to 06.1 that returns ``give(position, velocity, acceleration)``."""

    def program(position, t):
        def velocity(t):
            return gradient_of(lambda t: reduce(position(t)), t)

        return give(position(t), velocity(t), gradient_of(velocity, t))

    return program


def late_inner_gradient(position, t):
    with tf.GradientTape() as outer:
        outer.watch(t)
        with tf.GradientTape() as inner:
            inner.watch(t)
            s = position(t)
    velocity = inner.gradient(s, t)
    return velocity, outer.gradient(velocity, t)


def watched_late(position, t):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(t)
            s = position(t)
        outer.watch(t)
        velocity = inner.gradient(s, t)
    return velocity, outer.gradient(velocity, t)


def one_name_for_both(position, t):
    with tf.GradientTape() as tape:
        tape.watch(t)
        velocity = gradient_of(position, t)
    tape.gradient(velocity, t)
    return velocity, tape.gradient(velocity, t)


def differences(values, t):
    return (values[1:] - values[:-1]) / (t[1:] - t[:-1])


def velocity_per_time(position, t):
    velocity = gradient_of(position, t)
    return velocity, velocity / t


def spring(position, t):
    return gradient_of(lambda t: tf.exp(-t / 4) * tf.cos(2 * t), t), position(t)


MOTIONS = {
    "spring of the lesson": Wrong(
        "This is the velocity of the weight on the spring from the lesson. Use the function passed "
        "as `position`, because the check passes other motions, and let the tapes differentiate "
        "its result.",
        spring,
    ),
    "velocity per time": Wrong(
        "You divided the velocity by the time. Compute the acceleration as the gradient of the "
        "velocity, with an outer tape.",
        velocity_per_time,
    ),
    "one tape asked twice": Wrong(
        "You call `gradient` twice on one tape, which can be used only once. Use two tapes, "
        "such as `inner` for the velocity and `outer` for the gradient of the velocity.",
        one_name_for_both,
    ),
    "returned None": Wrong(
        "Your function returned `None`. End it with `return velocity, acceleration`, below both "
        "`with` blocks.",
        lambda position, t: None,
    ),
    "no pair": Wrong(
        "Your function did not return two things. Return the tuple `(velocity, acceleration)`.",
        motion(lambda s, v, a: (s, v, a)),
    ),
    "velocity has no path": Wrong(
        "The velocity is `None`: no path leads from `t` to the position on the inner tape. `t` is "
        "a constant, so call `inner.watch(t)` first, then `position(t)`, inside the inner "
        "block.",
        motion(lambda s, v, a: (None, None)),
    ),
    "acceleration has no path": Wrong(
        "The acceleration is `None`, though the velocity is not. Call `outer.watch(t)` on the "
        "first line of the outer block, compute the velocity from `t` itself inside that block, "
        "and return `outer.gradient(velocity, t)`: the target comes first.",
        late_inner_gradient,
    ),
    "outer tape watches late": Wrong(
        "Your acceleration misses part of the path, because `outer.watch(t)` runs after "
        "`position(t)`. Call it on the first line of the outer block.",
        watched_late,
    ),
    "table of times": Wrong(
        "You returned a matrix, the Jacobian, which is 0 off its diagonal. Use "
        "`tape.gradient`, which returns the diagonal directly.",
        motion(lambda s, v, a: (tf.linalg.diag(v), tf.linalg.diag(a))),
        motion(lambda s, v, a: (v, tf.linalg.diag(a))),
    ),
    "one number": Wrong(
        "You returned one number for all of `t`. Return one number per time: the result of "
        "`tape.gradient`, without a sum, a mean or an index.",
        motion(lambda s, v, a: (tf.reduce_sum(v), tf.reduce_sum(a))),
        motion(lambda s, v, a: (v, tf.reduce_sum(a))),
    ),
    "order exchanged": Wrong(
        "The two return values are in the wrong order. Return the velocity first, then the "
        "acceleration.",
        motion(lambda s, v, a: (a, v)),
    ),
    "position for velocity": Wrong(
        "Your first return value is the position itself. Return its gradient, the velocity, and "
        "then the acceleration.",
        motion(lambda s, v, a: (s, v)),
    ),
    "averaged": Wrong(
        "Your values are too small by a factor of n, the number of times, because you "
        "differentiate a mean. Differentiate `position(t)` itself, without a mean.",
        motion(lambda s, v, a: (v, a), tf.reduce_mean),
    ),
    "velocity twice": Wrong(
        "You returned the velocity twice. Use the velocity, not the position, as the target of the "
        "outer tape.",
        motion(lambda s, v, a: (v, v)),
    ),
    "position also target": Wrong(
        "Your second return value is velocity plus acceleration, because the outer tape's targets "
        "also include the position. Use only the velocity as its target.",
        motion(lambda s, v, a: (v, v + a)),
    ),
    "zero for none": Wrong(
        "The acceleration is 0 at every time: a `None` was replaced by 0, but the path is still "
        "missing. Compute the velocity inside the outer tape's block, and let that tape watch `t`.",
        motion(lambda s, v, a: (v, 0 * a)),
    ),
    "differences between times": Wrong(
        "You use differences between successive times, which are too far apart. Differentiate at "
        "each time: the velocity is the gradient of the position, and the acceleration is the "
        "gradient of the velocity.",
        lambda position, t: (np.gradient(position(t), t), position(t)),
        lambda position, t: (gradient_of(position, t), np.gradient(gradient_of(position, t), t)),
        lambda position, t: (differences(position(t), t), position(t)),
        lambda position, t: (gradient_of(position, t), differences(gradient_of(position, t), t)),
    ),
}

# 06.2


def penalty(slopes_of, add=lambda slopes: tf.reduce_sum(slopes**2), **options):
    """Return an answer to 06.2 with other slopes, or another penalty."""

    def penalty_gradient(w, x):
        with tf.GradientTape() as outer:
            target = add(slopes_of(w, x))
        return outer.gradient(target, w, **options)

    return penalty_gradient


def output(w, x):
    return tf.tanh(tf.reduce_sum(w * x))


def slopes(w, x):
    return gradient_of(lambda x: output(w, x), x)


def slopes_held(w, x):
    return tf.stop_gradient(slopes(w, x))


def size(w, x):
    return tf.reduce_sum(slopes(w, x) ** 2)


def one_name_for_both_tapes(w, x):
    with tf.GradientTape() as tape:
        total = size(w, x)
    tape.gradient(total, w)
    return tape.gradient(total, w)


def watched_outside_alone(w, x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            y = output(w, x)
        slopes = inner.gradient(y, x)
        total = tf.reduce_sum(slopes**2)
    return outer.gradient(total, w)


PENALTIES = {
    "inner tape does not watch": Wrong(
        "The slopes are `None`, because the inner tape does not watch `x`. Call `inner.watch(x)` "
        "on the first line of the inner block.",
        watched_outside_alone,
    ),
    "one tape asked twice": Wrong(
        "You call `gradient` twice on one tape, which can be used only once. Use two tapes, "
        "`inner` and `outer`, and compute the penalty's gradient with `outer`.",
        one_name_for_both_tapes,
    ),
    "slopes have no path": Wrong(
        "The gradient is still `None`. Compute the inner gradient and the penalty inside the block "
        "of the outer tape, with TensorFlow functions, and return `outer.gradient(penalty, w)`.",
        penalty(slopes_held),
    ),
    "zero for none": Wrong(
        "Your function returned 0 for every input: a `None` was replaced by 0, so the bug is still "
        "there. Compute the slopes inside the block of the outer tape.",
        penalty(slopes_held, unconnected_gradients="zero"),
    ),
    "steepness held": Wrong(
        "The outer tape treats the slope of `tanh` as a constant, because y is computed "
        "outside its block. Compute y inside the outer block as well.",
        penalty(lambda w, x: tf.stop_gradient(1 - output(w, x) ** 2) * w),
    ),
    "weights held": Wrong(
        "The outer tape treats the factor `w` in the slopes as a constant. Let the inner tape "
        "compute the slopes from `w` itself.",
        penalty(lambda w, x: (1 - output(w, x) ** 2) * w.numpy()),
    ),
    "wrong source": Wrong(
        "This is the gradient of the penalty with respect to `x`. Use `w` as the source of the "
        "outer tape.",
        lambda w, x: gradient_of(lambda x: size(w, x), x),
    ),
    "slopes in the weights": Wrong(
        "You squared the slopes of y with respect to `w`. Use `x` as the source of the inner tape.",
        penalty(lambda w, x: gradient_of(lambda w: output(w, x), w)),
    ),
    "gradient in the slopes": Wrong(
        "This is `2 * slopes`, the gradient of the penalty with respect to the slopes. Use `w` "
        "as the source of the outer tape.",
        lambda w, x: 2 * slopes(w, x),
    ),
    "length of one": Wrong(
        "Your penalty is (norm of the slopes - 1)². Keep the penalty from the exercise, the sum of "
        "the squared slopes.",
        penalty(slopes, lambda slopes: (tf.norm(slopes) - 1) ** 2),
    ),
    "square forgotten": Wrong(
        "This is the gradient of the sum of the slopes, without squares. Square each slope first, "
        "and use the penalty as the target.",
        penalty(slopes, tf.reduce_sum),
    ),
    "sum squared": Wrong(
        "You squared the sum of the slopes. Square each slope first, then sum, as in the exercise.",
        penalty(slopes, lambda slopes: tf.reduce_sum(slopes) ** 2),
    ),
    "root of the sum": Wrong(
        "You use the norm of the slopes. Remove the root: the penalty is the sum of their squares.",
        penalty(slopes, tf.norm),
    ),
    "mean for sum": Wrong(
        "The gradient is too small by a factor of n, the number of inputs, because you use a mean. "
        "Keep `tf.reduce_sum` in the penalty, as in the exercise.",
        penalty(slopes, lambda slopes: tf.reduce_mean(slopes**2)),
    ),
    "output squared": Wrong(
        "This is the gradient of y². The penalty is the sum of the squared *slopes*: square those.",
        penalty(output),
    ),
    "tanh of each product": Wrong(
        "You apply `tanh` to each product. Apply it to their sum: `tf.tanh(tf.reduce_sum(w * x))`.",
        penalty(lambda w, x: gradient_of(lambda x: tf.reduce_sum(tf.tanh(w * x)), x)),
    ),
    "output in the target": Wrong(
        "Your target is y plus the penalty. Use only the penalty as the target.",
        *(
            lambda w, x, part=part: gradient_of(lambda w: output(w, x) + part * size(w, x), w)
            for part in (1.0, 0.1, 0.01)
        ),
    ),
    "tanh lost": Wrong(
        "This is `2 * w`, as if y were only the sum of `w * x`. Keep the `tanh` around that "
        "sum, as in the exercise.",
        lambda w, x: 2 * w,
    ),
    "output as target": Wrong(
        "This is the gradient of y with respect to `w`. Use the penalty as the target.",
        penalty(output, lambda y: y),
    ),
    "slopes returned": Wrong(
        "These are the slopes of y with respect to `x`. Return the gradient of the penalty "
        "with respect to `w`.",
        slopes,
    ),
    "penalty returned": Wrong(
        "You returned the penalty, a single number. Return its gradient with respect to `w`.",
        size,
    ),
}

# 06.3

SHAPES = Table(
    {
        None: "There is a path: `y` is computed from the variable `V` inside the block. Write "
        "the shape.",
        (4, 3): "(4, 3) is the shape of the gradient, which sums over all outputs. But a "
        "Jacobian keeps every entry of `y` separate.",
        (8, 3): "(8, 3) is the shape of `y`. But each entry of `y` has a derivative with respect "
        "to each entry of `V`.",
        (4, 3, 8, 3): "These are the right numbers in the wrong order. The axes of the outputs "
        "come first.",
        (8, 3, 8, 4): "This is the shape of the Jacobian with respect to `features`. But the "
        "source here is `V`.",
        (8, 3, 4): "This is the shape that `batch_jacobian` would return for `features`. But a "
        "Jacobian pairs each entry of `y` with each entry of `V`.",
        (8, 4, 3): (
            "A Jacobian has one block with the shape of `V` for each entry of `y`. But `y` has 8 "
            "times 3 entries, not 8. Put both axes of `y` before the shape of `V`."
        ),
        (24, 12): "24 and 12 are the numbers of entries in `y` and `V`. But a Jacobian keeps the "
        "axes of `y` and of `V`, so its shape has four numbers.",
        (8, 3, 3, 4): "The last two numbers are the shape of `V` transposed. Keep the shape of "
        "the source.",
        (3, 8, 4, 3): "The first two numbers are the shape of `y` transposed. What is the "
        "shape of `y`?",
        (8, 4, 4, 3): "The first two numbers are the shape of `features`. But the outputs are `y`.",
        (): "() is the shape of a single number. But a Jacobian has one number for each pair "
        "of an output and an input.",
        (8, 3, 12): "You flattened the shape of `V`. But a Jacobian keeps the two axes of `V` "
        "separate.",
        (24, 4, 3): "You flattened the shape of `y`. But a Jacobian keeps the two axes of `y` "
        "separate.",
        (8, 3, 8, 3): "This is the shape of `y` twice. The outputs are `y`, but the source is `V`.",
        (
            8,
            4,
            3,
            3,
        ): "These are the right numbers in the wrong order. Write the shape of `y` first, then the "
        "shape of `V`.",
        288: "288 is the number of entries in the Jacobian. Write its shape as one tuple: the "
        "shape of `y`, followed by the shape of `V`.",
    },
    "This is not the shape. Write the shape of `y`, followed by the shape of `V`.",
)

# 06.4


def unit(v):
    return v / tf.norm(v)


def hessian_times(f, x, v):
    with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
        gradient = gradient_of(f, x)
    return accumulator.jvp(gradient)


def bend(answer, direction=unit):
    """Return an answer to 06.4 that returns ``answer(u, v, Hu)``."""

    def curvature_along(f, x, v):
        u = direction(v)
        return answer(u, v, hessian_times(f, x, u))

    return curvature_along


def number(u, v, Hu):
    return tf.reduce_sum(u * Hu)


def gradient_outside(finish):
    def curvature_along(f, x, v):
        u = unit(v)
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tf.autodiff.ForwardAccumulator(x, u) as accumulator:
                y = f(x)
        return finish(u, accumulator.jvp(tape.gradient(y, x)))

    return curvature_along


def rosenbrock(x):
    return tf.reduce_sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def weights_for_the_loss(f, x, v):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tf.reduce_sum(unit(v) * tape.gradient(y, x, output_gradients=unit(v)))


CURVATURES = {
    "shapes differ": Wrong(
        "You combine two tensors of different shapes. If you use `tf.linalg.normalize`, unpack its "
        "two results, the vector and its norm: `u, norm = tf.linalg.normalize(v)`.",
        bend(number, tf.linalg.normalize),
        lambda f, x, v: tf.reduce_sum(tf.linalg.normalize(v) * gradient_of(f, x)),
    ),
    "returned None": Wrong(
        "Your function returned `None`. Either a `return` is missing, or a derivative is `None`: "
        "let each tape watch `x`, and call `gradient` inside the outer block. Pass an accumulator "
        "two arguments: `x`, then `u`.",
        gradient_outside(lambda u, Hu: Hu),
    ),
    "None in the product": Wrong(
        "You multiply by a derivative that is `None`. Let each tape watch `x`, and compute the "
        "gradient and its product with u inside the outer block. If you use an accumulator, pass "
        "it two arguments: `x`, then `u`.",
        gradient_outside(lambda u, Hu: tf.reduce_sum(u * Hu)),
    ),
    "length kept": Wrong(
        "This is vᵀHv: you never divide by the norm of `v`. Compute `u = v / tf.norm(v)` "
        "first, and use `u` in both places.",
        bend(number, tf.identity),
    ),
    "scaled once": Wrong(
        "You divide by the norm of `v` only once, but the formula contains `v` twice. Use `u = "
        "v / tf.norm(v)` in both products.",
        bend(lambda u, v, Hu: number(v, v, Hu)),
    ),
    "sum of sizes": Wrong(
        "You divided by the sum of the absolute values. Divide by `tf.norm(v)`, the square root of "
        "the sum of the squares.",
        bend(number, lambda v: v / tf.reduce_sum(abs(v))),
    ),
    "root forgotten": Wrong(
        "You divided by the sum of the squared entries. Divide by the root of that sum, "
        "`tf.norm(v)`.",
        bend(number, lambda v: v / tf.reduce_sum(v**2)),
    ),
    "root of the mean": Wrong(
        "You divided by the square root of the *mean* of the squares. Divide by `tf.norm(v)`, the "
        "square root of their sum.",
        bend(number, lambda v: v / tf.sqrt(tf.reduce_mean(v**2))),
    ),
    "sum of entries": Wrong(
        "You divided by the sum of the entries. Divide by `tf.norm(v)`, the square root of the "
        "sum of their squares.",
        bend(number, lambda v: v / tf.reduce_sum(v)),
    ),
    "number of entries": Wrong(
        "You divided by the number of entries. Divide by `tf.norm(v)`, the square root of the sum "
        "of the squared entries.",
        bend(number, lambda v: v / len(v)),
    ),
    "norm multiplied": Wrong(
        "You multiply `v` by its norm. Divide instead: `u = v / tf.norm(v)`.",
        bend(number, lambda v: v * tf.norm(v)),
    ),
    "no sign": Wrong(
        "A curvature can be negative. Return it without `abs`.",
        bend(lambda u, v, Hu: abs(number(u, v, Hu))),
    ),
    "place of u": Wrong(
        "This is the curvature at u. Evaluate `f` at `x`.",
        lambda f, x, v: bend(number)(f, unit(v), v),
    ),
    "direction of x": Wrong(
        "This is the curvature along `x`. Use the direction of `v`: `u = v / tf.norm(v)`.",
        lambda f, x, v: number(unit(x), x, hessian_times(f, x, unit(x))),
    ),
    "loss of the lesson": Wrong(
        "This is the curvature of the notebook's `rosenbrock`. Differentiate the argument `f`, "
        "because the check passes other losses.",
        lambda f, x, v: bend(number)(rosenbrock, x, v),
    ),
    "place moved": Wrong(
        "This is the curvature at `x + u`. Compute the Hessian at `x` itself.",
        lambda f, x, v: bend(number)(f, x + unit(v), v),
    ),
    "largest entry": Wrong(
        "You divided by the largest entry. Divide by `tf.norm(v)`, the square root of the sum of "
        "the squares.",
        bend(number, lambda v: v / tf.reduce_max(abs(v))),
    ),
    "slope for curvature": Wrong(
        "This is the slope along u, a first derivative. Differentiate the gradient (not the loss) "
        "along u, and take the dot product of the result and u.",
        lambda f, x, v: tf.reduce_sum(gradient_of(f, x) * unit(v)),
    ),
    "unscaled slope": Wrong(
        "This is the slope along `v`, a first derivative. Scale `v` to norm 1 to get u, "
        "differentiate the gradient along u, and take the dot product of the result and u.",
        lambda f, x, v: tf.reduce_sum(gradient_of(f, x) * v),
    ),
    "slope squared": Wrong(
        "This is the squared slope along u. Differentiate the gradient along u instead, and take "
        "the dot product of the result and u.",
        lambda f, x, v: tf.reduce_sum(gradient_of(f, x) * unit(v)) ** 2,
    ),
    "gradient in the product": Wrong(
        "You multiplied Hu by the gradient. Multiply Hu elementwise by u instead, and sum.",
        lambda f, x, v: tf.reduce_sum(gradient_of(f, x) * hessian_times(f, x, unit(v))),
    ),
    "product squared": Wrong(
        "You multiplied Hu by itself. Multiply it elementwise by u, and sum.",
        bend(lambda u, v, Hu: tf.reduce_sum(Hu**2)),
    ),
    "rows added up": Wrong(
        "You left out `output_gradients`, so the tape sums the rows of H. Pass "
        "`output_gradients=u`, multiply the result elementwise by u only once, and sum.",
        lambda f, x, v: number(unit(v) ** 2, v, hessian_times(f, x, tf.ones_like(x))),
    ),
    "weights for the loss": Wrong(
        "`output_gradients` must have the shape of the target, but your target is the loss, a "
        "single number. Pass u to the outer tape, whose target is the gradient.",
        weights_for_the_loss,
    ),
    "vector returned": Wrong(
        "You returned the vector Hu. Multiply it elementwise by u, and sum.",
        bend(lambda u, v, Hu: Hu),
    ),
    "unscaled vector returned": Wrong(
        "You returned the vector Hv. Scale `v` to norm 1 to get u, compute Hu, multiply it "
        "elementwise by u, and sum.",
        bend(lambda u, v, Hv: Hv, tf.identity),
    ),
    "products not added": Wrong(
        "The products of the entries are right. Sum them: the exercise asks for one number.",
        bend(lambda u, v, Hu: u * Hu),
    ),
    "entries added up": Wrong(
        "The formula contains u twice, but you use it once. Compute Hu (with "
        "`output_gradients=u` on a tape), multiply it elementwise by u, and sum.",
        bend(lambda u, v, Hu: tf.reduce_sum(Hu)),
    ),
    "mean for sum": Wrong(
        "Your number is too small by a factor of n, the number of entries. Sum the products "
        "instead of averaging them.",
        bend(lambda u, v, Hu: tf.reduce_mean(u * Hu)),
    ),
    "length of product": Wrong(
        "You returned the norm of Hu. Multiply Hu elementwise by u, and sum.",
        bend(lambda u, v, Hu: tf.norm(Hu)),
    ),
    "whole hessian": Wrong(
        "You returned the whole Hessian. Compute only the vector Hu, multiply it elementwise by u, "
        "and sum.",
        lambda f, x, v: hessian(f, x),
    ),
    "trace of hessian": Wrong(
        "You returned the sum of the Hessian's diagonal. Compute the vector Hu instead, multiply "
        "it elementwise by u, and sum.",
        lambda f, x, v: tf.linalg.trace(hessian(f, x)),
    ),
    "gradient returned": Wrong(
        "You returned the gradient. Differentiate it along u to get Hu, multiply Hu elementwise by "
        "u, and sum.",
        lambda f, x, v: gradient_of(f, x),
    ),
    "loss returned": Wrong(
        "You returned the loss itself. Differentiate it twice, along u.",
        lambda f, x, v: f(x),
    ),
    "zero for none": Wrong(
        "Your function returned 0 for every input: a `None` was replaced by 0, but the path is "
        "still missing. Compute the gradient inside the block of the accumulator or outer tape.",
        lambda f, x, v: 0.0,
    ),
}

MISTAKES = {"06.1": MOTIONS, "06.2": PENALTIES, "06.3": SHAPES, "06.4": CURVATURES}

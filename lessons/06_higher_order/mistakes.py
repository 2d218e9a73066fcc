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
    """Return an answer to 06.1 that returns ``give(position, speed, acceleration)``."""

    def program(position, t):
        def speed(t):
            return gradient_of(lambda t: reduce(position(t)), t)

        return give(position(t), speed(t), gradient_of(speed, t))

    return program


def late_inner_gradient(position, t):
    with tf.GradientTape() as outer:
        outer.watch(t)
        with tf.GradientTape() as inner:
            inner.watch(t)
            s = position(t)
    speed = inner.gradient(s, t)
    return speed, outer.gradient(speed, t)


def one_name_for_both(position, t):
    with tf.GradientTape() as tape:
        tape.watch(t)
        speed = gradient_of(position, t)
    tape.gradient(speed, t)
    return speed, tape.gradient(speed, t)


def differences(values, t):
    return (values[1:] - values[:-1]) / (t[1:] - t[:-1])


def speed_per_time(position, t):
    speed = gradient_of(position, t)
    return speed, speed / t


def spring(position, t):
    return gradient_of(lambda t: tf.exp(-t / 4) * tf.cos(2 * t), t), position(t)


MOTIONS = {
    "spring of the lesson": Wrong(
        "This is the speed of the weight on the spring. The check calls your function with other "
        "motions: call the argument `position`, and let the tapes differentiate what it returns.",
        spring,
    ),
    "speed per time": Wrong(
        "You divided the speed by the time. The acceleration is the speed's slope at t: ask an outer "
        "tape for it.",
        speed_per_time,
    ),
    "one tape asked twice": Wrong(
        "One tape is asked twice, and answers once. Take two, each with a name of its own, such as "
        "outer and inner: the inner one is asked for the speed, the outer one for its slope.",
        one_name_for_both,
    ),
    "returned None": Wrong(
        "Your function returned None. End it with `return speed, acceleration`, below both `with` "
        "blocks.",
        lambda position, t: None,
    ),
    "no pair": Wrong(
        "Your function returned something else than two things. Return the tuple "
        "(speed, acceleration).",
        motion(lambda s, v, a: (s, v, a)),
    ),
    "speed has no path": Wrong(
        "The speed is None: the inner tape found no path from t to the position. The times are a "
        "constant, so call inner.watch(t), and then position(t) inside the inner block.",
        motion(lambda s, v, a: (None, None)),
    ),
    "acceleration has no path": Wrong(
        "The speed is a number and the acceleration is None. The outer tape must watch t itself, "
        "before anything is computed, and the speed must be computed in its block.",
        late_inner_gradient,
    ),
    "table of times": Wrong(
        "That is a table, a jacobian, and off its diagonal there are only zeros. Each position "
        "depends on its own time alone, so tape.gradient gives the diagonal at once.",
        motion(lambda s, v, a: (tf.linalg.diag(v), tf.linalg.diag(a))),
        motion(lambda s, v, a: (v, tf.linalg.diag(a))),
    ),
    "one number": Wrong(
        "Several times give one number. Keep one for each time: return what tape.gradient gives, "
        "without a sum, a mean or an index.",
        motion(lambda s, v, a: (tf.reduce_sum(v), tf.reduce_sum(a))),
        motion(lambda s, v, a: (v, tf.reduce_sum(a))),
    ),
    "order exchanged": Wrong(
        "The two are in the wrong order: return the speed first, then the acceleration.",
        motion(lambda s, v, a: (a, v)),
    ),
    "position for speed": Wrong(
        "The first item is the position itself. Return its gradient there, the speed, and then "
        "the acceleration.",
        motion(lambda s, v, a: (s, v)),
    ),
    "averaged": Wrong(
        "Too small by the number of times: a mean divides by it. Take the gradient of the position "
        "as it is, and that of the speed; the tape sums by itself.",
        motion(lambda s, v, a: (v, a), tf.reduce_mean),
    ),
    "speed twice": Wrong(
        "Both items are the speed. The outer tape's target is the speed, not the position.",
        motion(lambda s, v, a: (v, v)),
    ),
    "position also target": Wrong(
        "The second item is speed plus acceleration: the outer tape got the position as a target "
        "too. Its target is the speed alone.",
        motion(lambda s, v, a: (v, v + a)),
    ),
    "zero for none": Wrong(
        "The acceleration is 0 at every time. A zero in place of None hides the fault: the speed "
        "must be computed inside the outer tape's block, and that tape must watch t.",
        motion(lambda s, v, a: (v, 0 * a)),
    ),
    "differences between times": Wrong(
        "These are differences from one time to the next, and the times lie far apart. "
        "Differentiate at each time: speed is the gradient of the position, and acceleration that "
        "of the speed.",
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


PENALTIES = {
    "one tape asked twice": Wrong(
        "One tape is asked twice, and answers once. Take two, each with a name of its own, such as "
        "outer and inner, and ask the outer one for the penalty's gradient.",
        one_name_for_both_tapes,
    ),
    "slopes have no path": Wrong(
        "It still returns None. The slopes must be computed while the outer tape records: start "
        "it first, and take the inner gradient inside its block. Then return the outer tape's "
        "gradient of the penalty with respect to w.",
        penalty(slopes_held),
    ),
    "zero for none": Wrong(
        "It returns 0 for every input. A zero in place of None hides the fault: the slopes are "
        "still computed where the outer tape does not record.",
        penalty(slopes_held, unconnected_gradients="zero"),
    ),
    "steepness held": Wrong(
        "The outer tape sees w in the slopes, but not in y: it holds the slope of tanh constant. "
        "Compute y inside the outer block too.",
        penalty(lambda w, x: tf.stop_gradient(1 - output(w, x) ** 2) * w),
    ),
    "weights held": Wrong(
        "The outer tape sees w in y, but holds the factor w of the slopes constant. Let the inner "
        "tape compute the slopes from w itself.",
        penalty(lambda w, x: (1 - output(w, x) ** 2) * w.numpy()),
    ),
    "wrong source": Wrong(
        "This is the gradient of the penalty with respect to x. The question asks for w.",
        lambda w, x: gradient_of(lambda x: size(w, x), x),
    ),
    "slopes in the weights": Wrong(
        "You squared the slopes of y with respect to w. The penalty squares those with respect to "
        "x: the inner gradient's source is x.",
        penalty(lambda w, x: gradient_of(lambda w: output(w, x), w)),
    ),
    "gradient in the slopes": Wrong(
        "This is 2 * slopes, the penalty's gradient with respect to the slopes. The question asks "
        "for w, through them.",
        lambda w, x: 2 * slopes(w, x),
    ),
    "length of one": Wrong(
        "This is the gradient of (length of the slopes - 1)**2. The penalty here is the sum of "
        "the squared slopes, as it was given.",
        penalty(slopes, lambda slopes: (tf.norm(slopes) - 1) ** 2),
    ),
    "square forgotten": Wrong(
        "This is the gradient of the sum of the slopes. The penalty squares each slope first, as "
        "it was given.",
        penalty(slopes, tf.reduce_sum),
    ),
    "sum squared": Wrong(
        "You squared the sum of the slopes. The penalty squares each slope first, and then adds "
        "up, as it was given.",
        penalty(slopes, lambda slopes: tf.reduce_sum(slopes) ** 2),
    ),
    "root of the sum": Wrong(
        "This is the gradient of the slopes' length. The penalty is the sum of their squares, "
        "without the root.",
        penalty(slopes, tf.norm),
    ),
    "mean for sum": Wrong(
        "The gradient is too small by the number of inputs: keep tf.reduce_sum in the penalty, as "
        "it was given.",
        penalty(slopes, lambda slopes: tf.reduce_mean(slopes**2)),
    ),
    "output squared": Wrong(
        "This is the gradient of y**2. The penalty is the sum of the squared slopes, and not of y.",
        penalty(output),
    ),
    "tanh lost": Wrong(
        "This is 2 * w, the gradient if y were the sum of w * x alone. y is the tanh of that sum, as "
        "it was given.",
        lambda w, x: 2 * w,
    ),
    "output as target": Wrong(
        "This is the gradient of y with respect to w. The target is the penalty.",
        penalty(output, lambda y: y),
    ),
    "slopes returned": Wrong(
        "These are the slopes of y with respect to x. Return the gradient of the penalty with "
        "respect to w.",
        slopes,
    ),
    "penalty returned": Wrong(
        "This is one number, as the penalty is. Return its gradient with respect to w.",
        size,
    ),
}

# 06.3

SHAPES = Table(
    {
        None: "There is a path: y is computed from the variable V inside the block.",
        (4, 3): "This is the shape of the gradient, which sums over all outputs. A jacobian keeps "
        "every entry of y apart.",
        (8, 3): "This is the shape of y. For each of its entries there is one number for each "
        "entry of V.",
        (4, 3, 8, 3): "The right numbers in the wrong order: outputs first.",
        (8, 3, 8, 4): "This is the jacobian with respect to features. The source here is V.",
        (8, 3, 4): "This is what batch_jacobian would give for features. Here each entry of y is "
        "paired with each entry of V, also with those of other columns.",
        (8, 4, 3): "There is one table of the shape of V for each entry of y, and y has 8 times 3 "
        "entries, not 8.",
        (24, 12): "The counts are right, but a jacobian keeps the axes of both: four numbers.",
        (8, 3, 3, 4): "The last two numbers are V transposed. The source's shape stands as it is.",
        (3, 8, 4, 3): "The first two numbers are y transposed: what is the shape of y?",
        (8, 4, 4, 3): "The first two numbers are the shape of features. The outputs are y.",
        (): "() is the shape of one number. A jacobian holds one for each pair of an output and "
        "an input.",
        (8, 3, 12): "The shape of V is flattened here. A jacobian keeps its two axes apart.",
        (24, 4, 3): "The shape of y is flattened here. A jacobian keeps its two axes apart.",
        (8, 3, 8, 3): "This is the shape of y twice. The outputs are y, and the source is V.",
        (
            8,
            4,
            3,
            3,
        ): "The right numbers in the wrong order: both numbers of y first, then both of V.",
        288: "That is how many numbers the jacobian holds. Write its shape: the shape of y, and "
        "behind it the shape of V, as one tuple.",
    },
    "That is not it. Write the shape of y, and behind it the shape of V.",
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
        "Two tensors of different shapes were taken for one. If u comes from tf.linalg.normalize, "
        "that returns two things, the vector and its length: u, length = tf.linalg.normalize(v).",
        bend(number, tf.linalg.normalize),
        lambda f, x, v: tf.reduce_sum(tf.linalg.normalize(v) * gradient_of(f, x)),
    ),
    "returned None": Wrong(
        "Your function returned None. Either it returns nothing, or a derivative is None: each tape "
        "must watch x, and the gradient must be taken inside the block of what differentiates it "
        "again, an outer tape or an accumulator. An accumulator takes x first, and then the "
        "direction.",
        gradient_outside(lambda u, Hu: Hu),
    ),
    "None in the product": Wrong(
        "A derivative is None, and goes into a product. Each tape must watch x, and the gradient "
        "must be taken inside the block of what differentiates it again, an outer tape or an "
        "accumulator. An accumulator takes x first, and then the direction.",
        gradient_outside(lambda u, Hu: tf.reduce_sum(u * Hu)),
    ),
    "length kept": Wrong(
        "This is vᵀHv: the direction still has the length of v. Divide v by tf.norm(v) first, and "
        "use the result in both places.",
        bend(number, tf.identity),
    ),
    "scaled once": Wrong(
        "The length of v is divided out once in all, but v enters twice. Use u = v / tf.norm(v) in "
        "the product with H, and again in the product with the result.",
        bend(lambda u, v, Hu: number(v, v, Hu)),
    ),
    "sum of sizes": Wrong(
        "You divided by the sum of the absolute entries. The length of v is the root of the sum of "
        "its squares: tf.norm(v).",
        bend(number, lambda v: v / tf.reduce_sum(abs(v))),
    ),
    "root forgotten": Wrong(
        "You divided by the sum of the squared entries. The length of v is the root of that sum: "
        "tf.norm(v).",
        bend(number, lambda v: v / tf.reduce_sum(v**2)),
    ),
    "root of the mean": Wrong(
        "You divided by the root of the mean of the squares. The length of v is the root of their "
        "sum: tf.norm(v).",
        bend(number, lambda v: v / tf.sqrt(tf.reduce_mean(v**2))),
    ),
    "sum of entries": Wrong(
        "You divided by the sum of the entries. The length of v is the root of the sum of their "
        "squares: tf.norm(v).",
        bend(number, lambda v: v / tf.reduce_sum(v)),
    ),
    "number of entries": Wrong(
        "You divided by the number of entries. The length of v is that of an arrow, the root of the "
        "sum of the squared entries: tf.norm(v).",
        bend(number, lambda v: v / len(v)),
    ),
    "direction of x": Wrong(
        "This is the curvature along x. The direction is that of v: u = v / tf.norm(v).",
        lambda f, x, v: number(unit(x), x, hessian_times(f, x, unit(x))),
    ),
    "loss of the lesson": Wrong(
        "This is the curvature of the notebook's rosenbrock. The check gives its own losses: "
        "differentiate the argument `f`.",
        lambda f, x, v: bend(number)(rosenbrock, x, v),
    ),
    "place moved": Wrong(
        "This is the curvature at x + u, one step away. Take the Hessian at x itself.",
        lambda f, x, v: bend(number)(f, x + unit(v), v),
    ),
    "largest entry": Wrong(
        "You divided by the largest entry. The length of v is the root of the sum of its squares: "
        "tf.norm(v).",
        bend(number, lambda v: v / tf.reduce_max(abs(v))),
    ),
    "slope for curvature": Wrong(
        "This is the slope along u, a first derivative. Differentiate the gradient along u, not the "
        "loss, and multiply the result by u.",
        lambda f, x, v: tf.reduce_sum(gradient_of(f, x) * unit(v)),
    ),
    "unscaled slope": Wrong(
        "This is the slope along v, a first derivative. Differentiate the gradient along u, not the "
        "loss, and scale v to length 1 first.",
        lambda f, x, v: tf.reduce_sum(gradient_of(f, x) * v),
    ),
    "slope squared": Wrong(
        "This is the slope along u, squared. A curvature is a second derivative: differentiate the "
        "gradient once more, along u.",
        lambda f, x, v: tf.reduce_sum(gradient_of(f, x) * unit(v)) ** 2,
    ),
    "gradient in the product": Wrong(
        "You multiplied Hu by the gradient. Multiply it by u, entry by entry, and add up.",
        lambda f, x, v: tf.reduce_sum(gradient_of(f, x) * hessian_times(f, x, unit(v))),
    ),
    "product squared": Wrong(
        "You multiplied Hu by itself. Multiply it by u, entry by entry, and add up.",
        bend(lambda u, v, Hu: tf.reduce_sum(Hu**2)),
    ),
    "rows added up": Wrong(
        "Without output_gradients a tape adds up the rows of H. Ask it with output_gradients=u, and "
        "multiply what comes back by u once.",
        lambda f, x, v: number(unit(v) ** 2, v, hessian_times(f, x, tf.ones_like(x))),
    ),
    "weights for the loss": Wrong(
        "output_gradients must have the shape of the target, and the loss is one number. Give u to "
        "the outer tape, whose target is the gradient.",
        weights_for_the_loss,
    ),
    "vector returned": Wrong(
        "This is the vector Hu. Multiply it by u, entry by entry, and add up.",
        bend(lambda u, v, Hu: Hu),
    ),
    "unscaled vector returned": Wrong(
        "This is the vector Hv. Scale v to length 1 first; then multiply the result by it, entry "
        "by entry, and add up.",
        bend(lambda u, v, Hv: Hv, tf.identity),
    ),
    "products not added": Wrong(
        "The products of the entries are right. Add them up: one number is asked for.",
        bend(lambda u, v, Hu: u * Hu),
    ),
    "entries added up": Wrong(
        "u belongs in twice, and is in once: either you added up Hu as it is, or you asked the "
        "tape without output_gradients=u. Take Hu, multiply it by u, entry by entry, and add up.",
        bend(lambda u, v, Hu: tf.reduce_sum(Hu)),
    ),
    "mean for sum": Wrong(
        "Too small by the number of entries: add the products up, do not average them.",
        bend(lambda u, v, Hu: tf.reduce_mean(u * Hu)),
    ),
    "length of product": Wrong(
        "This is the length of Hu. Multiply Hu by u, entry by entry, and add up.",
        bend(lambda u, v, Hu: tf.norm(Hu)),
    ),
    "whole hessian": Wrong(
        "This is the whole Hessian. Multiply it by u from both sides.",
        lambda f, x, v: hessian(f, x),
    ),
    "trace of hessian": Wrong(
        "This is the sum of the Hessian's diagonal. Multiply H by u from both sides.",
        lambda f, x, v: tf.linalg.trace(hessian(f, x)),
    ),
    "gradient returned": Wrong(
        "This is the gradient. Differentiate it once more, along u.",
        lambda f, x, v: gradient_of(f, x),
    ),
    "loss returned": Wrong(
        "This is the loss itself. Differentiate it twice, along u.",
        lambda f, x, v: f(x),
    ),
    "zero for none": Wrong(
        "Your function returned 0 for every input. A zero in place of None hides the fault: the "
        "gradient must be computed where the accumulator, or an outer tape, can see it.",
        lambda f, x, v: 0.0,
    ),
}

MISTAKES = {"06.1": MOTIONS, "06.2": PENALTIES, "06.3": SHAPES, "06.4": CURVATURES}

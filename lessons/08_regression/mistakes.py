"""Wrong answers to the questions of lesson 08, and what each is told."""

import numpy as np
import tensorflow as tf

from course_utils.exercises import Between, Table, Wrong


def mean_square(error):
    return tf.reduce_mean(error**2)


def sum_of_squares(error):
    return tf.reduce_sum(error**2)


def half_mean_square(error):
    return mean_square(error) / 2


def squared_mean(error):
    return tf.reduce_mean(error) ** 2


def mean_absolute(error):
    return tf.reduce_mean(abs(error))


# 08.1


def cooling(a, k, x):
    return a * tf.exp(-k * x)


def step(move, loss_of=mean_square, curve=cooling):
    """Return an answer to 08.1: ``move(a, k, da, dk, lr)`` returns what the function returns."""

    def one_step(a, k, x, y, lr):
        with tf.GradientTape() as tape:
            loss = loss_of(curve(a, k, x) - y)
        return move(a, k, *tape.gradient(loss, [a, k]), lr)

    return one_step


def by(factor, **options):
    """Return a step of size ``factor(lr)``."""
    return step(lambda a, k, da, dk, lr: (a - factor(lr) * da, k - factor(lr) * dk), **options)


def right_size(lr):
    return lr


def in_turn(first):
    """Return a step that moves the variable at ``first``, and then the other."""

    def one_step(a, k, x, y, lr):
        for variable in (a, k)[:: 1 if first == 0 else -1]:
            with tf.GradientTape() as tape:
                loss = mean_square(cooling(a, k, x) - y)
            variable.assign_sub(lr * tape.gradient(loss, variable))
        return a, k

    return one_step


def many_steps(n):
    """Return n steps, with the gradients written down."""

    def one_step(a, k, x, y, lr):
        a, k, x, y = (np.asarray(value, np.float64) for value in (a, k, x, y))
        for _ in range(n):
            decay = np.exp(-k * x)
            error = a * decay - y
            da, dk = 2 * np.mean(error * decay), -2 * np.mean(error * a * x * decay)
            a, k = a - lr * da, k - lr * dk
        return a, k

    return one_step


STEPS = {
    "never moves": Wrong(
        "You return `a` and `k` from before the step. Subtract `lr` times the gradient from "
        "each, and return the results.",
        step(lambda a, k, da, dk, lr: (a, k)),
    ),
    "gradients returned": Wrong(
        "You returned the gradients. Subtract `lr` times each gradient from its variable.",
        step(lambda a, k, da, dk, lr: (da, dk)),
    ),
    "changes returned": Wrong(
        "You returned only the change, `lr` times the gradients. Subtract it from `a` and `k`.",
        step(lambda a, k, da, dk, lr: (lr * da, lr * dk)),
        step(lambda a, k, da, dk, lr: (-lr * da, -lr * dk)),
    ),
    "climbs": Wrong(
        "Both values moved uphill, because the gradient points toward higher loss. Subtract `lr` "
        "times the gradient.",
        by(lambda lr: -lr),
        by(lambda lr: -lr, loss_of=sum_of_squares),
    ),
    "step size missing": Wrong(
        "The learning rate is missing. Multiply each gradient by `lr`.",
        by(lambda lr: 1),
        by(lambda lr: 1, loss_of=sum_of_squares),
    ),
    "step size twice": Wrong(
        "You multiply by the learning rate twice. Multiply each gradient by `lr` once.",
        by(lambda lr: lr**2),
    ),
    "divided by lr": Wrong(
        "You divide the gradients by `lr`. Multiply instead: a smaller `lr` means a smaller step.",
        by(lambda lr: 1 / lr),
    ),
    "fixed step size": Wrong(
        "Your learning rate is the same in every call, like the 0.001 in the text. Use the "
        "argument `lr`.",
        *(by(lambda lr, size=size: size) for size in (0.001, 0.01, 0.05, 0.1)),
    ),
    "steps too long": Wrong(
        "Your steps are too large by a factor of n, the number of examples, because the "
        "squared errors are summed. Average them with `tf.reduce_mean`: a tape sums a "
        "target with many entries.",
        by(right_size, loss_of=sum_of_squares),
    ),
    "steps half": Wrong(
        "Your steps are half as large as they should be. Remove the factor 1/2 from the loss.",
        by(right_size, loss_of=half_mean_square),
    ),
    "steps too short": Wrong(
        "Your steps are too small by a factor of n, the number of examples: you divide by it "
        "twice. `tf.reduce_mean` already divides, so subtract `lr` times the gradient.",
        by(right_size, loss_of=lambda error: mean_square(error) / len(error)),
    ),
    "many steps": Wrong(
        "You took several steps. Take only one: no loop is needed.",
        *map(many_steps, (2, 10, 100, 200)),
    ),
    "steps doubled": Wrong(
        "Your steps are twice as large as they should be: you double the gradient, or you "
        "update `a` and `k` with `assign_sub` and again in the returned values. Update "
        "each value once.",
        by(lambda lr: 2 * lr),
    ),
    "results swapped": Wrong(
        "The two return values are swapped. Return `a` first, then `k`.",
        step(lambda a, k, da, dk, lr: (k - lr * dk, a - lr * da)),
    ),
    "gradients swapped": Wrong(
        "You updated `a` with the gradient of `k`, and `k` with that of `a`. Unpack the gradients "
        "in the same order as the sources.",
        step(lambda a, k, da, dk, lr: (a - lr * dk, k - lr * da)),
    ),
    "a before k": Wrong(
        "You computed the gradient of `k` after `a` had already changed. Compute both "
        "gradients at once, with `[a, k]` as the sources, then update both.",
        in_turn(0),
    ),
    "k before a": Wrong(
        "You computed the gradient of `a` after `k` had already changed. Compute both "
        "gradients at once, with `[a, k]` as the sources, then update both.",
        in_turn(1),
    ),
    "curve rises": Wrong(
        "Your exponent has the wrong sign. Use `-k * x`, with a minus sign.",
        by(right_size, curve=lambda a, k, x: a * tf.exp(k * x)),
    ),
    "straight line": Wrong(
        "You fit the straight line `a * x + k`. Use the curve `a * tf.exp(-k * x)`.",
        by(right_size, curve=lambda a, k, x: a * x + k),
    ),
    "x outside the exponent": Wrong(
        "`x` is outside the exponent, which gives a straight line through 0. Write `tf.exp(-k "
        "* x)`.",
        by(right_size, curve=lambda a, k, x: a * tf.exp(-k) * x),
    ),
    "square missing": Wrong(
        "You do not square the errors, so each step is the same whatever `y` is. Use the mean "
        "of `(a * tf.exp(-k * x) - y) ** 2`.",
        by(right_size, loss_of=tf.reduce_mean),
    ),
    "adam": Wrong(
        "Both values moved by exactly `lr`, as in Adam's first step or if you use only the sign of "
        "the gradient. Subtract `lr` times the gradient.",
        step(lambda a, k, da, dk, lr: (a - lr * tf.sign(da), k - lr * tf.sign(dk))),
    ),
    "absolute errors": Wrong(
        "You use the mean absolute error. Square the errors: the loss is the mean of `(a * "
        "tf.exp(-k * x) - y) ** 2`.",
        by(right_size, loss_of=mean_absolute),
    ),
    "averaged before squaring": Wrong(
        "You average the errors and then square the result. Square each error first, then take "
        "the mean.",
        by(right_size, loss_of=squared_mean),
    ),
    "root of the mean": Wrong(
        "You take the square root of the mean squared error. Remove the square root.",
        by(right_size, loss_of=lambda error: tf.sqrt(mean_square(error))),
    ),
    "a stays": Wrong(
        "`a` did not change. Update both variables.",
        step(lambda a, k, da, dk, lr: (a, k - lr * dk)),
    ),
    "k stays": Wrong(
        "`k` did not change. Update both variables.",
        step(lambda a, k, da, dk, lr: (a - lr * da, k)),
    ),
}

# 08.2

LIMITS = Table(
    {
        0: "With a learning rate of 0, w never changes. The limit is the learning rate at which "
        "one step lands on the other side of the minimum, as far away as it started.",
        10: "10 is the curvature. The limit is 2 divided by it.",
        5: "5 is the coefficient of w² in the loss. The curvature is the second derivative of "
        "5w², and the limit is 2 divided by that.",
        0.4: "0.4 is 2/5, and 5 is the coefficient of w² in the loss. But the curvature is the "
        "second derivative of 5w², which is larger.",
        0.1: "0.1 converges in one step, so the limit is above it. If your curvature is 20, "
        "average the two squares instead of summing them.",
        1: "1 is 2/2, and 2 is the curvature for the input 1 alone. Average over both inputs.",
        Between(0.109, 0.1125): "1/9 is 2/18, and 18 is the curvature for the input 3 alone. "
        "Average over both inputs.",
        0.25: "0.25 is 2/8, and 8 is the curvature for the mean input, 2. Square each input "
        "first, then average: the curvature is larger.",
        0.05: "0.05 converges, but so do larger learning rates, such as 0.1. If you computed 1/20: "
        "the loss averages over two inputs, so the curvature is not 20, and the limit is 2 "
        "divided by the curvature.",
        Between(-1e15, 0): "{value} is not positive. The update already has the minus sign, so a "
        "learning rate is positive.",
        Between(0.2, 1e15): "With {value}, one step multiplies the distance from w = 2 by 1 - "
        "10 * {value}, which is below -1, so the loss explodes. The limit is where this "
        "factor is -1.",
        Between(0, 0.2): "With {value}, one step multiplies the distance from w = 2 by 1 - 10 * "
        "{value}, so gradient descent converges. Larger learning rates also converge, up to the "
        "one at which this factor is -1.",
    },
    "{value} is not the answer. A learning rate is a positive number: which one multiplies the "
    "distance from w = 2 by -1?",
)

# 08.3


def line(
    factor=lambda lr, n: lr,
    loss_of=mean_square,
    steps_of=lambda steps: steps,
    change=lambda gradients: gradients,
):
    """Return an answer to 08.3 with steps of ``factor(lr, n)`` times the changed gradients."""

    def fit_line(x, y, lr, steps):
        w, b = tf.Variable(0.0), tf.Variable(0.0)
        for _ in range(steps_of(steps)):
            with tf.GradientTape() as tape:
                loss = loss_of(w * x + b - y)
            gradients = change(tape.gradient(loss, [w, b]))
            for variable, gradient in zip([w, b], gradients, strict=True):
                variable.assign_sub(factor(lr, len(x)) * gradient)
        return w, b

    return fit_line


def averaged_below(x, y, lr, steps):
    w, b = tf.Variable(0.0), tf.Variable(0.0)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            squares = (w * x + b - y) ** 2
        loss = tf.reduce_mean(squares)
        dw, db = tape.gradient(loss, [w, b])
        w.assign_sub(lr * dw)
        b.assign_sub(lr * db)
    return w, b


def stopping_after(few):
    """Return a fit of this many steps where the loss is small from the start."""

    def fit_line(x, y, lr, steps):
        return line()(x, y, lr, few if mean_square(y) < 1e-6 else steps)

    return fit_line


def line_in_turn(x, y, lr, steps):
    w, b = tf.Variable(0.0), tf.Variable(0.0)
    for _ in range(steps):
        for variable in (w, b):
            with tf.GradientTape() as tape:
                loss = mean_square(w * x + b - y)
            variable.assign_sub(lr * tape.gradient(loss, variable))
    return w, b


def line_with_b_last(x, y, lr, steps):
    w, b = tf.Variable(0.0), tf.Variable(0.0)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = mean_square(w * x + b - y)
        dw, db = tape.gradient(loss, [w, b])
        w.assign_sub(lr * dw)
    b.assign_sub(lr * db)
    return w, b


def divided_in_one(place, loss_of):
    """Return a fit in which the gradient at ``place`` is divided by the number of examples."""

    def fit_line(x, y, lr, steps):
        def change(gradients):
            return [g / len(x) if i == place else g for i, g in enumerate(gradients)]

        return line(loss_of=loss_of, change=change)(x, y, lr, steps)

    return fit_line


def clipped(limit, loss_of=sum_of_squares):
    """Return the answers that clip at the limit: entry by entry, in turn, and both together."""
    return [
        line(loss_of=loss_of, change=change)
        for change in (
            lambda gradients: [tf.clip_by_value(g, -limit, limit) for g in gradients],
            lambda gradients: tf.clip_by_global_norm(gradients, limit)[0],
        )
    ]


def summed_over(number):
    return line(loss_of=lambda error: sum_of_squares(error) / number)


LINES = {
    "averaged below the block": Wrong(
        "A gradient is `None`, because a part of the loss is computed below the block, where the "
        "tape does not record. Compute the whole loss inside the block, its mean too.",
        averaged_below,
    ),
    "errors added up": Wrong(
        "You still sum the squared errors, so each step is too large by a factor of n, the "
        "number of examples. Average them with `tf.reduce_mean` inside the block.",
        line(loss_of=sum_of_squares),
        calls=(0, 1, 2),
    ),
    "clipped": Wrong(
        "You clip the gradients, which avoids NaN but changes the steps. Leave the gradients "
        "unchanged, and fix the loss.",
        *(answer for limit in (0.5, 1.0, 5.0, 10.0) for answer in clipped(limit)),
        *clipped(1.0, mean_square),
    ),
    "of length lr": Wrong(
        "You divide the gradient by its norm, which avoids NaN but makes every step have length "
        "`lr`. Leave the gradients unchanged, and fix the loss.",
        line(change=lambda gradients: [g / tf.linalg.global_norm(gradients) for g in gradients]),
    ),
    "climbs": Wrong(
        "Your steps go uphill, because the gradient points toward higher loss. Subtract `lr` times "
        "the gradient.",
        line(lambda lr, n: -lr),
        calls=(0, 1, 2),
    ),
    "climbs, errors added up": Wrong(
        "Two bugs are left. (1) Your steps go uphill: subtract `lr` times the gradient. (2) "
        "You still sum the squared errors: average them with `tf.reduce_mean` inside the "
        "block.",
        line(lambda lr, n: -lr, loss_of=sum_of_squares),
        calls=(0, 1),
    ),
    "step size twice": Wrong(
        "You multiply by the learning rate twice. Multiply each gradient by `lr` once.",
        line(lambda lr, n: lr**2),
    ),
    "step size missing": Wrong(
        "The learning rate is missing. Multiply each gradient by `lr`.",
        line(lambda lr, n: 1),
        line(lambda lr, n: 1, loss_of=sum_of_squares),
        calls=(0, 1),
    ),
    "fixed step size": Wrong(
        "Your learning rate is the same in every call; 0.05 was only an example. Use the argument "
        "`lr`.",
        *(line(lambda lr, n, size=size: size) for size in (0.05, 0.1, 0.02, 0.01)),
    ),
    "divided by a fixed number": Wrong(
        "You divide the loss or the learning rate by a fixed number, whatever the number of "
        "examples is. Use `tf.reduce_mean`, which divides by the number of examples.",
        *(summed_over(number) for number in (200, 5, 100, 10)),
        calls=(0, 1, 2),
    ),
    "divided twice": Wrong(
        "Your steps are too small by a factor of n, the number of examples: you divide by it "
        "twice. `tf.reduce_mean` is enough.",
        line(lambda lr, n: lr / n),
    ),
    "divided by steps": Wrong(
        "You divide by `steps`, the number of steps. Divide by the number of examples: use "
        "`tf.reduce_mean` of the squares.",
        lambda x, y, lr, steps: summed_over(steps)(x, y, lr, steps),
        calls=(0, 1, 2),
    ),
    "one gradient divided": Wrong(
        "You divide only one of the two gradients by the number of examples. Average the loss "
        "with `tf.reduce_mean` instead, and keep both updates from the exercise.",
        *(
            divided_in_one(place, loss_of)
            for place in (0, 1)
            for loss_of in (sum_of_squares, mean_square)
        ),
        calls=(0, 1, 2),
    ),
    "steps half": Wrong(
        "Your steps are half as large as they should be. Remove the factor 1/2.",
        line(loss_of=half_mean_square),
    ),
    "steps doubled": Wrong(
        "Your steps are twice as large as they should be. The tape already includes the 2 from "
        "the square: subtract `lr` times the gradient.",
        line(lambda lr, n: 2 * lr),
    ),
    "one step only": Wrong(
        "You took one step from w = b = 0, whatever `steps` is. Move the updates into the loop and "
        "the `return` out of it, and do not assign `w, b = ...` inside the loop.",
        line(steps_of=lambda steps: 1),
    ),
    "one step too many": Wrong(
        "Your function takes one step too many. Keep the loop over `steps` from the exercise, "
        "and change only the loss.",
        line(steps_of=lambda steps: steps + 1),
        calls=(0, 1),
    ),
    "one step missing": Wrong(
        "Your function takes one step too few. Keep the loop over `steps` from the exercise, "
        "and change only the loss.",
        line(steps_of=lambda steps: steps - 1),
        calls=(0, 1),
    ),
    "never moves": Wrong(
        "`w` and `b` are still 0. Subtract `lr` times the gradient from each inside the loop.",
        line(steps_of=lambda steps: 0),
    ),
    "results swapped": Wrong(
        "The two return values are swapped. Return `w` first, then `b`.",
        lambda *arguments: line()(*arguments)[::-1],
    ),
    "one after another": Wrong(
        "You computed the gradient of `b` after `w` had already changed. Compute both "
        "gradients at once, then update.",
        line_in_turn,
        calls=(0, 1),
    ),
    "b moves last": Wrong(
        "`b` is updated only once, after the loop. Move its update into the loop, after the "
        "update of `w`.",
        line_with_b_last,
    ),
    "averaged before squaring": Wrong(
        "You take a mean (of the errors, the predictions or `x`) before squaring. Square each "
        "example's error, then take the mean.",
        line(loss_of=squared_mean),
    ),
    "averaged before squaring, added up": Wrong(
        "You average the predictions or `x` before squaring, and you sum the squares. Square "
        "each example's error, then average the squares with `tf.reduce_mean`.",
        line(loss_of=lambda error: len(error) * squared_mean(error)),
        calls=(0, 1, 2),
    ),
    "absolute errors": Wrong(
        "You use the mean absolute error. Square the errors, as in the exercise.",
        line(loss_of=mean_absolute),
        calls=(0, 1),
    ),
    "root of the mean": Wrong(
        "You take the square root of the mean squared error. Remove the square root.",
        line(loss_of=lambda error: tf.sqrt(mean_square(error))),
        calls=(0, 1),
    ),
    "table n by n": Wrong(
        "Your prediction or `y` has shape (n, 1), so their difference broadcasts to (n, n). Keep "
        "the shape (n,) for `x` and `y`.",
        lambda x, *others: line()(x[:, None], *others),
    ),
    "x standardised": Wrong(
        "These are `w` and `b` for a standardized `x`. Use `x` unchanged.",
        lambda x, *others: line()((x - np.mean(x)) / np.std(x), *others),
    ),
    "stops early": Wrong(
        "Your loop stops early if the loss or its change is small. Always take all `steps` steps.",
        *map(stopping_after, (0, 1, 2)),
    ),
    "closed form": Wrong(
        "You use the closed-form solution, but the loop does not reach it in so few steps. Return "
        "`w` and `b` after `steps` steps.",
        lambda x, y, lr, steps: np.polyfit(x, y, 1),
    ),
}

# 08.4


def parabola(
    steps=300,
    lr=0.15,
    scale=lambda x: (x.mean(), x.std()),
    target=lambda y: y,
    degree=2,
    result=lambda theta, z_new, x, x_new: np.polyval(theta, z_new),
):
    """Return a fit to ``target(y)``, by a loop in which the gradient is written down.

    ``scale(x)`` gives what is subtracted and divided by; ``result(theta, z_new, x, x_new)`` is
    what comes back.
    """

    def fit_and_predict(x, y, x_new):
        x, y, x_new = (np.asarray(array, np.float32) for array in (x, y, x_new))
        shift, divisor = scale(x)
        columns = np.vander((x - shift) / divisor, degree + 1)
        theta, z_new = np.zeros(degree + 1, np.float32), (x_new - shift) / divisor
        with np.errstate(all="ignore"):
            for _ in range(steps):
                theta = theta - lr * 2 * columns.T @ (columns @ theta - target(y)) / len(x)
            return result(theta, z_new, x, x_new)

    return fit_and_predict


def evaluated_at(place_of):
    """Return a right fit, whose parabola is evaluated at ``place_of(x, x_new)``."""
    return parabola(result=lambda theta, z_new, x, x_new: np.polyval(theta, place_of(x, x_new)))


def without_term(power):
    """Return the best fit without the term of this power of z."""

    def fit_and_predict(x, y, x_new):
        x, y, x_new = (np.asarray(array, np.float64) for array in (x, y, x_new))

        def columns(v):
            return np.delete(np.vander((v - x.mean()) / x.std(), 3), 2 - power, axis=1)

        return columns(x_new) @ np.linalg.lstsq(columns(x), y, rcond=None)[0]

    return fit_and_predict


def table_of_values(theta, z_new, x, x_new):
    return np.polyval(theta, z_new)[:, None] + np.zeros(len(z_new))


PARABOLAS = {
    "coefficients returned": Wrong(
        "You returned three numbers, the coefficients. Return the values of the parabola at "
        "`x_new`, one per entry.",
        parabola(result=lambda theta, z_new, x, x_new: theta),
    ),
    "values at x": Wrong(
        "You returned one value for each entry of `x`. Return the values at `x_new`.",
        evaluated_at(lambda x, x_new: x),
    ),
    "table returned": Wrong(
        "You returned a matrix: a column (n, 1) plus or minus a tensor of shape (n,) "
        "broadcasts to (n, n). Return one value for each entry of `x_new`.",
        parabola(result=table_of_values),
    ),
    "loop explodes": Wrong(
        "Your loss explodes, at least if x lies between 100 and 101. Use z = (x - mean) / std in "
        "every term, a mean of squares as the loss, and a learning rate such as 0.15. The mean of "
        "z should be 0, and its standard deviation 1.",
        parabola(scale=lambda x: (0, 1), lr=0.1),
        calls=(1,),
    ),
    "new standardised otherwise": Wrong(
        "You standardized `x_new` differently from `x`. Subtract the mean of `x`, and divide "
        "by the standard deviation of `x`.",
        evaluated_at(lambda x, x_new: (x_new - x_new.mean()) / x_new.std()),
        evaluated_at(lambda x, x_new: (x_new - x.mean()) / x_new.std()),
        evaluated_at(lambda x, x_new: (x_new - x_new.mean()) / x.std()),
        evaluated_at(lambda x, x_new: x_new - x.mean()),
    ),
    "new not standardised": Wrong(
        "You fitted the parabola to the standardized z, but you evaluate it at the unchanged "
        "`x_new`. Subtract the mean of `x` from `x_new` first, and divide by the standard "
        "deviation of `x`.",
        evaluated_at(lambda x, x_new: x_new),
    ),
    "straight line": Wrong(
        "Your values are those of the best straight line. Add a squared term.",
        parabola(degree=1),
    ),
    "table n by n": Wrong(
        "You returned the mean of `y` for every entry, as happens if the shapes in your loss "
        "broadcast to (n, n). Compute `a * z**2 + b * z + c` with shape (n,), like `y`.",
        parabola(degree=0),
    ),
    "never moves": Wrong(
        "All values are 0, because the coefficients never change. Subtract `lr` times their "
        "gradients, in a loop.",
        parabola(steps=0),
    ),
    "coefficients in reverse": Wrong(
        "The prediction and the loss use the coefficients in different orders. Use one function "
        "for both.",
        parabola(result=lambda theta, z_new, x, x_new: np.polyval(theta[::-1], z_new)),
    ),
    "y left standardised": Wrong(
        "These are the values for a standardized `y`. Multiply by the standard deviation of "
        "`y` and add its mean, or do not standardize `y`.",
        parabola(target=lambda y: (y - y.mean()) / y.std()),
        parabola(target=lambda y: y - y.mean()),
    ),
    "one step": Wrong(
        "You took only one step from 0. Move the updates into the loop, and the `return` out "
        "of it.",
        *(parabola(steps=1, lr=lr) for lr in (0.15, 0.1, 0.2, 0.01)),
    ),
    "term missing": Wrong(
        "One of `a`, `b`, `c` is missing from the loss or is never updated. Use all three in "
        "the loss, and update all three in every step.",
        without_term(0),
        without_term(1),
    ),
    # From here on, what is compared is only where an answer is right.
    "arrives in the first case only": Wrong(
        "Your function is right for x between -2 and 2, but not for x between 100 and 101, where "
        "x² is almost a straight line. Use z = (x - mean) / std in every term, and for `x_new` as "
        "well; if that is not enough, take more steps.",
        parabola(scale=lambda x: (x.mean(), 1), lr=0.05, steps=1500),
        calls=(0, 2),
    ),
    "does not arrive": Wrong(
        "Your values differ from the closed-form solution. Either the loop stops before the "
        "minimum (standardize `x`, raise the learning rate, or take more steps), or the "
        "prediction is not `a * z**2 + b * z + c` with `x_new` standardized like `x`: `(x_new - "
        "mean) / std`.",
        parabola(steps=10),
        calls=(2,),
    ),
}

MISTAKES = {"08.1": STEPS, "08.2": LIMITS, "08.3": LINES, "08.4": PARABOLAS}

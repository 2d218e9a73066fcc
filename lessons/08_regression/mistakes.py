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
        "You return a and k as they were before the step. Subtract lr times the gradient from each, "
        "and return the results.",
        step(lambda a, k, da, dk, lr: (a, k)),
    ),
    "gradients returned": Wrong(
        "These are the gradients. Subtract lr times each from its variable.",
        step(lambda a, k, da, dk, lr: (da, dk)),
    ),
    "changes returned": Wrong(
        "This is lr times the gradients, the change alone. Subtract it from a and k.",
        step(lambda a, k, da, dk, lr: (lr * da, lr * dk)),
        step(lambda a, k, da, dk, lr: (-lr * da, -lr * dk)),
    ),
    "climbs": Wrong(
        "Both values moved uphill: the gradient says where the loss grows. Subtract lr times the "
        "gradient.",
        by(lambda lr: -lr),
        by(lambda lr: -lr, loss_of=sum_of_squares),
    ),
    "step size missing": Wrong(
        "The step size is missing: multiply each gradient by lr.",
        by(lambda lr: 1),
        by(lambda lr: 1, loss_of=sum_of_squares),
    ),
    "step size twice": Wrong(
        "The step size counts twice. Multiply each gradient by lr once.",
        by(lambda lr: lr**2),
    ),
    "divided by lr": Wrong(
        "The gradients are divided by lr. Multiply: the smaller lr is, the shorter is the step.",
        by(lambda lr: 1 / lr),
    ),
    "fixed step size": Wrong(
        "Your steps have the same size in every call, such as 0.001 in the text. Use the argument "
        "lr.",
        *(by(lambda lr, size=size: size) for size in (0.001, 0.01, 0.05, 0.1)),
    ),
    "steps too long": Wrong(
        "The steps are too long by the number of examples: the squared errors are added up. Take "
        "tf.reduce_mean of them, for a tape adds up a target of many entries by itself.",
        by(right_size, loss_of=sum_of_squares),
    ),
    "steps half": Wrong(
        "The steps are half as long as they should be: leave out the factor 1/2 in the loss.",
        by(right_size, loss_of=half_mean_square),
    ),
    "steps too short": Wrong(
        "The steps are too short by the number of examples: you divide by it twice. tf.reduce_mean "
        "divides already, so subtract lr times the gradient.",
        by(right_size, loss_of=lambda error: mean_square(error) / len(error)),
    ),
    "many steps": Wrong(
        "a and k have moved by several steps. Take one: the function needs no loop.",
        *map(many_steps, (2, 10, 100, 200)),
    ),
    "steps doubled": Wrong(
        "The steps are twice as long as they should be. Either the gradient, which has the 2 of "
        "the square already, is doubled, or a and k move twice: by assign_sub, and once more in "
        "what you return.",
        by(lambda lr: 2 * lr),
    ),
    "results swapped": Wrong(
        "The two values are swapped: a comes first, then k.",
        step(lambda a, k, da, dk, lr: (k - lr * dk, a - lr * da)),
    ),
    "gradients swapped": Wrong(
        "a moved by the gradient of k, and k by that of a. The gradients come in the order of the "
        "sources.",
        step(lambda a, k, da, dk, lr: (a - lr * dk, k - lr * da)),
    ),
    "a before k": Wrong(
        "The slope of k was taken after a had moved. Ask once for both gradients, with [a, k] as "
        "the source, and move both afterwards.",
        in_turn(0),
    ),
    "k before a": Wrong(
        "The slope of a was taken after k had moved. Ask once for both gradients, with [a, k] as "
        "the source, and move both afterwards.",
        in_turn(1),
    ),
    "curve rises": Wrong(
        "The curve rises: the exponent is -k * x, with a minus.",
        by(right_size, curve=lambda a, k, x: a * tf.exp(k * x)),
    ),
    "straight line": Wrong(
        "This is a step on the straight line a * x + k. The curve is a * tf.exp(-k * x).",
        by(right_size, curve=lambda a, k, x: a * x + k),
    ),
    "x outside the exponent": Wrong(
        "x stands outside the exponent, and that is a straight line through 0. The bracket holds "
        "both: tf.exp(-k * x).",
        by(right_size, curve=lambda a, k, x: a * tf.exp(-k) * x),
    ),
    "square missing": Wrong(
        "The errors are not squared, so each step is the same whatever y is. The loss is the mean "
        "of (a * tf.exp(-k * x) - y) ** 2, with the square outside the bracket.",
        by(right_size, loss_of=tf.reduce_mean),
    ),
    "adam": Wrong(
        "Both values moved by lr, whatever their slopes are: Adam's first step does so, or the "
        "sign of the gradient alone. Subtract lr times the gradient.",
        step(lambda a, k, da, dk, lr: (a - lr * tf.sign(da), k - lr * tf.sign(dk))),
    ),
    "absolute errors": Wrong(
        "This is a step on the mean of the absolute errors. Square them: the loss is the mean of "
        "(a * tf.exp(-k * x) - y) ** 2.",
        by(right_size, loss_of=mean_absolute),
    ),
    "averaged before squaring": Wrong(
        "You average the errors and then square. Square each error first.",
        by(right_size, loss_of=squared_mean),
    ),
    "root of the mean": Wrong(
        "This is a step on the root of the mean squared error. Leave out the root.",
        by(right_size, loss_of=lambda error: tf.sqrt(mean_square(error))),
    ),
    "a stays": Wrong(
        "a has not moved. One step moves both variables.",
        step(lambda a, k, da, dk, lr: (a, k - lr * dk)),
    ),
    "k stays": Wrong(
        "k has not moved. One step moves both variables.",
        step(lambda a, k, da, dk, lr: (a - lr * da, k)),
    ),
}

# 08.2

LIMITS = Table(
    {
        0: "With 0 the model never moves. The limit is where one step lands as far from the "
        "minimum as it started, on the other side.",
        10: "10 is the curvature. The limit is 2 divided by it.",
        5: "5 stands before w² in the loss. The curvature is the second derivative of 5w², and the "
        "limit is 2 divided by that.",
        0.4: "0.4 is 2/5, and 5 stands before w² in the loss. The curvature is the second "
        "derivative of 5w², which is larger.",
        0.1: "0.1 converges, at once: a step of 1/10 lands on the minimum. The limit is above it; "
        "if you have a curvature of 20, take the mean of the two squares, not their sum.",
        1: "1 is 2/2, and 2 is the curvature for an input of 1 alone. Average over both inputs.",
        Between(0.109, 0.1125): "1/9 is 2/18, and 18 is the curvature for an input of 3 alone. "
        "Average over both inputs.",
        0.25: "0.25 is 2/8, and 8 is the curvature for the mean input, 2. Square each input first, "
        "and then average: the curvature is larger.",
        0.05: "0.05 converges, and so does 0.1. It is 1/20: 20 would be the curvature of the two "
        "losses added up, where the mean counts, and the limit is 2 divided by the curvature.",
        Between(-1e15, 0): "A step size is positive: the minus stands in the update already.",
        Between(0.2, 1e15): "With {value}, one step multiplies the distance from w = 2 by "
        "1 - 10 * {value}, which is below -1: it explodes. The limit is where this factor is -1.",
        Between(0, 0.2): "With {value}, one step multiplies the distance from w = 2 by "
        "1 - 10 * {value}, so it converges; but so do larger ones. The limit is where this factor "
        "is -1.",
    },
    "A step size is a positive number. Which one multiplies the distance from w = 2 by -1?",
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
    "errors added up": Wrong(
        "The squared errors are still added up, so each step is too long by the number of "
        "examples, and 200 of them explode. Take tf.reduce_mean of them inside the block.",
        line(loss_of=sum_of_squares),
        calls=(0, 1, 2),
    ),
    "clipped": Wrong(
        "The gradients are clipped. That keeps nan away, and the steps are no longer those of the "
        "mean squared error. Leave the gradients as they are, and look at the loss.",
        *(answer for limit in (0.5, 1.0, 5.0, 10.0) for answer in clipped(limit)),
        *clipped(1.0, mean_square),
    ),
    "of length lr": Wrong(
        "The gradient is divided by its length, so every step has the length lr. That keeps nan "
        "away, and the steps are no longer those of the mean squared error. Leave the gradients as "
        "they are, and look at the loss.",
        line(change=lambda gradients: [g / tf.linalg.global_norm(gradients) for g in gradients]),
    ),
    "climbs": Wrong(
        "The loop climbs: the gradient says where the loss grows. Subtract lr times it.",
        line(lambda lr, n: -lr),
        calls=(0, 1, 2),
    ),
    "climbs, errors added up": Wrong(
        "The loop climbs: the gradient says where the loss grows. Subtract lr times it. The "
        "squared errors are still added up, too: take tf.reduce_mean of them inside the block.",
        line(lambda lr, n: -lr, loss_of=sum_of_squares),
        calls=(0, 1),
    ),
    "step size twice": Wrong(
        "The step size counts twice. Multiply each gradient by lr once.",
        line(lambda lr, n: lr**2),
    ),
    "step size missing": Wrong(
        "The step size is missing: multiply each gradient by lr.",
        line(lambda lr, n: 1),
        line(lambda lr, n: 1, loss_of=sum_of_squares),
        calls=(0, 1),
    ),
    "fixed step size": Wrong(
        "Your steps have the same size in every call. It is the argument lr that says how large "
        "they are: 0.05 was only an example.",
        *(line(lambda lr, n, size=size: size) for size in (0.05, 0.1, 0.02, 0.01)),
    ),
    "divided by a fixed number": Wrong(
        "You divide the loss, or the step size, by the same number whatever the number of examples "
        "is, such as 200 or 5. tf.reduce_mean divides by the number that is there.",
        *(summed_over(number) for number in (200, 5, 100, 10)),
        calls=(0, 1, 2),
    ),
    "divided twice": Wrong(
        "The steps are too short by the number of examples: you divide by it twice. tf.reduce_mean "
        "alone is enough.",
        line(lambda lr, n: lr / n),
    ),
    "divided by steps": Wrong(
        "You divide by `steps`, the number of steps. The mean divides by the number of examples: "
        "take tf.reduce_mean of the squares.",
        lambda x, y, lr, steps: summed_over(steps)(x, y, lr, steps),
        calls=(0, 1, 2),
    ),
    "one gradient divided": Wrong(
        "One of the two gradients is divided by the number of examples, and the other is not. "
        "Average the loss instead, with tf.reduce_mean, and leave both updates as they were given.",
        *(
            divided_in_one(place, loss_of)
            for place in (0, 1)
            for loss_of in (sum_of_squares, mean_square)
        ),
        calls=(0, 1, 2),
    ),
    "steps half": Wrong(
        "The steps are half as long as they should be: leave out the factor 1/2.",
        line(loss_of=half_mean_square),
    ),
    "steps doubled": Wrong(
        "The steps are twice as long as they should be. The tape has the 2 of the square already: "
        "subtract lr times the gradient.",
        line(lambda lr, n: 2 * lr),
    ),
    "one step only": Wrong(
        "This is one step from w = b = 0, whatever `steps` says. Does a `return` stand inside the "
        "loop, an update below it, or `w, b = ...` in it, which begins anew each time?",
        line(steps_of=lambda steps: 1),
    ),
    "one step too many": Wrong(
        "That is one step too many. Leave the loop over `steps` as it was given: only the loss "
        "changes.",
        line(steps_of=lambda steps: steps + 1),
        calls=(0, 1),
    ),
    "one step missing": Wrong(
        "One step is missing. Leave the loop over `steps` as it was given: only the loss changes.",
        line(steps_of=lambda steps: steps - 1),
        calls=(0, 1),
    ),
    "never moves": Wrong(
        "w and b are still 0. Subtract lr times the gradient from each inside the loop.",
        line(steps_of=lambda steps: 0),
    ),
    "results swapped": Wrong(
        "The two results are swapped: w comes first, then b.",
        lambda *arguments: line()(*arguments)[::-1],
    ),
    "one after another": Wrong(
        "The slope of b was taken after w had moved. Ask once for both gradients, then move.",
        line_in_turn,
        calls=(0, 1),
    ),
    "b moves last": Wrong(
        "b moves once, after the loop. Its update belongs inside, below that of w.",
        line_with_b_last,
    ),
    "averaged before squaring": Wrong(
        "You average before you square: the errors, the predictions or x. Square the error of each "
        "example, and take the mean of the squares.",
        line(loss_of=squared_mean),
    ),
    "averaged before squaring, added up": Wrong(
        "You average the predictions, or x, before you square, and the squares are added up. Square "
        "the error of each example, and take tf.reduce_mean of the squares.",
        line(loss_of=lambda error: len(error) * squared_mean(error)),
        calls=(0, 1, 2),
    ),
    "absolute errors": Wrong(
        "This is the mean of the absolute errors. Square them, as before.",
        line(loss_of=mean_absolute),
        calls=(0, 1),
    ),
    "root of the mean": Wrong(
        "This is the root of the mean squared error. Leave out the root.",
        line(loss_of=lambda error: tf.sqrt(mean_square(error))),
        calls=(0, 1),
    ),
    "table n by n": Wrong(
        "Look at the shapes: a column (n, 1) minus (n,) is a table of n by n. Leave x and y as "
        "they are, (n,).",
        lambda x, *others: line()(x[:, None], *others),
    ),
    "x standardised": Wrong(
        "These are w and b for a standardised x. Leave x as it is.",
        lambda x, *others: line()((x - np.mean(x)) / np.std(x), *others),
    ),
    "stops early": Wrong(
        "Your loop stops where the loss, or its change, is small, and where y is small it is so "
        "from the start. Take all `steps` steps.",
        *map(stopping_after, (0, 1, 2)),
    ),
    "closed form": Wrong(
        "This is the closed form. With few steps the loop is not there yet, and the function "
        "should return where it is after `steps` steps.",
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
        "You returned three things, as the coefficients are. Return the values of the parabola at "
        "x_new, one for each entry.",
        parabola(result=lambda theta, z_new, x, x_new: theta),
    ),
    "values at x": Wrong(
        "You returned one value for each entry of x. Return those for x_new.",
        evaluated_at(lambda x, x_new: x),
    ),
    "table returned": Wrong(
        "You returned a table, where one value for each entry of x_new was expected. Look at the "
        "shapes: a column (n, 1) plus or minus (n,) is a table of n by n.",
        parabola(result=table_of_values),
    ),
    "loop explodes": Wrong(
        "The loop explodes, at least where x lies between 100 and 101. Steps of 0.15 are small "
        "enough where the loss is the mean of the squares, each coefficient moves by its own "
        "gradient, and every term has z = (x - mean) / std for x. Print the mean and the deviation "
        "of your z: they should be 0 and 1.",
        parabola(scale=lambda x: (0, 1), lr=0.1),
        calls=(1,),
    ),
    "new standardised otherwise": Wrong(
        "x_new was not standardised as x was. Subtract the mean of x, and divide by the deviation "
        "of x, both: the fit knows no others.",
        evaluated_at(lambda x, x_new: (x_new - x_new.mean()) / x_new.std()),
        evaluated_at(lambda x, x_new: (x_new - x.mean()) / x_new.std()),
        evaluated_at(lambda x, x_new: (x_new - x_new.mean()) / x.std()),
        evaluated_at(lambda x, x_new: x_new - x.mean()),
    ),
    "new not standardised": Wrong(
        "The fit knows the standardised z, and you gave it x_new as it is. Take the mean of x off "
        "x_new first, and divide by the deviation of x.",
        evaluated_at(lambda x, x_new: x_new),
    ),
    "straight line": Wrong(
        "This is the straight line nearest to the points. A parabola has a term with the square, "
        "too.",
        parabola(degree=1),
    ),
    "table n by n": Wrong(
        "This is the mean of y, whatever x_new is. Compute a * z**2 + b * z + c at x_new, and look "
        "at the shapes: a column (n, 1) minus y, (n,), is a table of n by n.",
        parabola(degree=0),
    ),
    "never moves": Wrong(
        "All values are 0: the coefficients have not moved. Subtract lr times their gradients, in "
        "a loop.",
        parabola(steps=0),
    ),
    "coefficients in reverse": Wrong(
        "The coefficients stand in another order in the prediction than in the loss. The first "
        "belongs to z**2 in both, or to 1 in both: one function for both is safest.",
        parabola(result=lambda theta, z_new, x, x_new: np.polyval(theta[::-1], z_new)),
    ),
    "y left standardised": Wrong(
        "These are the values of a standardised y. Multiply by the deviation of y and add its "
        "mean, or fit y as it is: only x needs it.",
        parabola(target=lambda y: (y - y.mean()) / y.std()),
        parabola(target=lambda y: y - y.mean()),
    ),
    "one step": Wrong(
        "This is one step from 0. Does an update stand below the loop, or a `return` inside it?",
        *(parabola(steps=1, lr=lr) for lr in (0.15, 0.1, 0.2, 0.01)),
    ),
    "term missing": Wrong(
        "One term of the parabola is missing from the loss, or its coefficient does not move. Of "
        "a, b and c, each stands in the loss, and each moves in every step.",
        without_term(0),
        without_term(1),
    ),
    # From here on, what is compared is only where an answer is right.
    "arrives in the first case only": Wrong(
        "The first case, with x between -2 and 2, is right, and that with x between 100 and 101 is "
        "not: there x² is all but a straight line in x. Put z = (x - mean) / std for x in every "
        "term, and square z; x_new goes the same way. If a loop with z still ends too early, take "
        "more steps.",
        parabola(scale=lambda x: (x.mean(), 1), lr=0.05, steps=1500),
        calls=(0, 2),
    ),
    "does not arrive": Wrong(
        "These values are not the closed form's. Either the loop stops before the minimum "
        "(standardise x, or take more or larger steps), or the prediction is not "
        "a * z**2 + b * z + c, where z is x_new less the mean of x, by the deviation of x.",
        parabola(steps=10),
        calls=(2,),
    ),
}

MISTAKES = {"08.1": STEPS, "08.2": LIMITS, "08.3": LINES, "08.4": PARABOLAS}

"""Wrong answers to the questions of lesson 00, and what each is told."""

import tensorflow as tf

from course_utils.exercises import Between, Table, Wrong

OVER_A_STEP = (
    "{value} is the average over a step away from x = 3. Which number do smaller and smaller "
    "steps approach?"
)
STEEPNESS = Table(
    {
        9: "9 is the height of the curve at x = 3. The question asks how fast it rises there.",
        2: "2 is the exponent. The slope depends on where you look: at x = 0 the curve is flat.",
        3: "3 is the place where you look. The question asks how fast y grows there.",
        0.61: "0.61 is how much y grows from x = 3 to 3.1. Divide it by how much x grew.",
        0.0601: "0.0601 is how much y grows from x = 3 to 3.01. Divide it by how much x grew.",
        9.0601: "9.0601 is the height at x = 3.01. Subtract the height at 3, and divide by the step.",
        18: "18 is 2 * 3**2. The slope of x**2 at any x is 2 * x.",
        8: "8 is 2**3. The slope of x**2 at any x is 2 * x.",
        1.5: "1.5 is 3 / 2. The slope of x**2 at any x is the product 2 * x.",
        -6: "The size is right. At x = 3 the curve rises as x grows, so the slope is positive.",
        5: "5 is 2 + 3, and the average over the step from 2 to 3. The slope of x**2 at any x is "
        "the product 2 * x.",
        12: "12 is twice too much: the factor 2 of the exponent counts once.",
        27: "27 is 3**3. The exponent is 2, and the slope of a power has a smaller exponent.",
        Between(5.5, 7): OVER_A_STEP,
    },
    "{value} is not the slope. Take a step of 0.001 from 3: how much does x**2 grow, divided by "
    "the step?",
)

RATES = {
    "not divided": Wrong(
        "This is how much f grows, not how fast. Divide the growth by h.",
        lambda f, x, h: f(x + h) - f(x),
    ),
    "sign turned": Wrong(
        "The sign is the wrong way round: subtract f(x) from f(x + h).",
        lambda f, x, h: (f(x) - f(x + h)) / h,
    ),
    "absolute value": Wrong(
        "A falling function has a negative rate of change. Take no absolute value.",
        lambda f, x, h: abs((f(x + h) - f(x)) / h),
    ),
    "absolute growth": Wrong(
        "The growth, too, has a sign: a falling function has a negative one. Take no absolute "
        "value of it.",
        lambda f, x, h: abs(f(x) - f(x + h)) / h,
    ),
    "absolute step": Wrong(
        "h may be negative, and then the step goes to the left. Take no absolute value of it.",
        lambda f, x, h: (f(x + abs(h)) - f(x)) / abs(h),
        lambda f, x, h: (f(x + h) - f(x)) / abs(h),
        lambda f, x, h: (f(x + abs(h)) - f(x)) / h,
    ),
    "parentheses missing": Wrong(
        "Division binds tighter than subtraction, so only f(x) was divided. Put the difference in "
        "parentheses: (f(x + h) - f(x)) / h.",
        lambda f, x, h: f(x + h) - f(x) / h,
    ),
    "steps both ways": Wrong(
        "This steps to both sides of x. The exercise asks for the step to x + h.",
        lambda f, x, h: (f(x + h) - f(x - h)) / (2 * h),
    ),
    "step back": Wrong(
        "This is the rate from x - h to x. The exercise asks for the step to x + h.",
        lambda f, x, h: (f(x) - f(x - h)) / h,
    ),
    "half a step both ways": Wrong(
        "This steps h / 2 to both sides of x. The exercise asks for the step from x to x + h.",
        lambda f, x, h: (f(x + h / 2) - f(x - h / 2)) / h,
    ),
    "step of its own": Wrong(
        "This takes a step of its own, or, with a tape, none at all. The step is the argument h, "
        "whatever its size: (f(x + h) - f(x)) / h.",
        *[lambda f, x, h, d=d: (f(x + d) - f(x)) / d for d in (0.1, 0.01, 0.001, 1e-4, 1e-5)],
    ),
    "multiplied": Wrong(
        "You multiplied the growth by h. Divide it: half the step for the same growth is twice as "
        "steep.",
        lambda f, x, h: (f(x + h) - f(x)) * h,
    ),
    "divided by x + h": Wrong(
        "You divided by x + h, which is a place. The growth happened over a step of h: divide by h.",
        lambda f, x, h: (f(x + h) - f(x)) / (x + h),
    ),
    "new height alone divided": Wrong(
        "Only f(x + h) is divided by h. Put the difference in parentheses: (f(x + h) - f(x)) / h.",
        lambda f, x, h: f(x + h) / h - f(x),
    ),
    "h added to the height": Wrong(
        "You added h outside of f. The new height is f(x + h): x grows first, and f is called on "
        "the result.",
        lambda f, x, h: (f(x) + h - f(x)) / h,
        lambda f, x, h: f(x) + h - f(x) / h,
        lambda f, x, h: f(x) + h - f(x),
    ),
    "heights added": Wrong(
        "You added the two heights. Subtract the old one, f(x), from the new one.",
        lambda f, x, h: (f(x + h) + f(x)) / h,
    ),
    "heights divided": Wrong(
        "You divided the new height by the old one. Subtract the old one, and divide by h.",
        lambda f, x, h: f(x + h) / f(x),
        lambda f, x, h: f(x + h) / f(x) / h,
    ),
    "turned over": Wrong(
        "The quotient is upside down. The growth of f goes above, the step h below.",
        lambda f, x, h: h / (f(x + h) - f(x)),
    ),
    "parabola for f": Wrong(
        "This is right for x**2 alone. f may be any function: use f(x) and f(x + h).",
        lambda f, x, h: ((x + h) ** 2 - x**2) / h,
        lambda f, x, h: 2 * x,
    ),
    "divided by x": Wrong(
        "You divided by x. The growth happened over a step of h: divide by h.",
        lambda f, x, h: (f(x + h) - f(x)) / x,
    ),
    "rounded down": Wrong(
        "The rate is rounded down to a whole number, as by `//`. Divide with `/`.",
        lambda f, x, h: (f(x + h) - f(x)) // h,
    ),
    "relative growth": Wrong(
        "You divided by f(x), the old height. Divide the growth by the step h, and by nothing else.",
        lambda f, x, h: (f(x + h) - f(x)) / f(x),
        lambda f, x, h: (f(x + h) - f(x)) / f(x) / h,
    ),
    "x subtracted": Wrong(
        "You subtracted x, which is a place. Subtract the old height, f(x).",
        lambda f, x, h: (f(x + h) - x) / h,
    ),
    "old height kept": Wrong(
        "You divided the new height. Subtract the old one, f(x), first.",
        lambda f, x, h: f(x + h) / h,
    ),
    "step without x": Wrong(
        "You took the height at h. The step starts at x, and so it ends at x + h.",
        lambda f, x, h: (f(h) - f(x)) / h,
        lambda f, x, h: f(h) - f(x),
    ),
    "f not called": Wrong(
        "f is a function, and not a number. Its height at a place is f(place), with parentheses.",
        lambda f, x, h: (f(x + h) - f) / h,
        lambda f, x, h: (f(x + h) - f * x) / h,
    ),
}

LOSSES = {
    "squared too late": Wrong(
        "It still averages before it squares, so +1 and -1 cancel to a loss of 0. Move the square "
        "inside the parentheses of reduce_mean.",
        lambda y_hat, y: tf.reduce_mean(y - y_hat) ** 2,
    ),
    "not averaged": Wrong(
        "These are the squared errors one by one. Average them with tf.reduce_mean.",
        lambda y_hat, y: (y_hat - y) ** 2,
    ),
    "sum for mean": Wrong(
        "This is the sum of the squared errors. Use reduce_mean, not reduce_sum.",
        lambda y_hat, y: tf.reduce_sum((y_hat - y) ** 2),
    ),
    "absolute errors": Wrong(
        "This is the mean absolute error. Square the differences, and take no abs of them, and no "
        "root.",
        lambda y_hat, y: tf.reduce_mean(tf.abs(y_hat - y)),
    ),
    "absolute mean": Wrong(
        "The differences are averaged first, so +1 and -1 cancel before abs sees them. Square each "
        "difference, then average.",
        lambda y_hat, y: tf.abs(tf.reduce_mean(y_hat - y)),
    ),
    "absolute errors squared late": Wrong(
        "The absolute errors are averaged, and their mean is squared. Square each difference, then "
        "average: that needs no abs.",
        lambda y_hat, y: tf.reduce_mean(tf.abs(y_hat - y)) ** 2,
    ),
    "numbers of another cell": Wrong(
        "You returned 1 for every input, which is right for the numbers of the cell above alone. "
        "Compute with the arguments, y_hat and y.",
        lambda y_hat, y: 1.0,
    ),
    "sum squared": Wrong(
        "The differences are added up first, so +1 and -1 cancel before the square. Square each "
        "difference, then average.",
        lambda y_hat, y: tf.reduce_sum(y_hat - y) ** 2,
        lambda y_hat, y: tf.reduce_sum(y_hat - y) ** 2 / len(y),
    ),
    "squares subtracted": Wrong(
        "This squares y_hat and y, and then subtracts. Subtract first: the square of the difference "
        "is wanted.",
        lambda y_hat, y: tf.reduce_mean(y_hat**2 - y**2),
        lambda y_hat, y: tf.abs(tf.reduce_mean(y_hat**2 - y**2)),
        lambda y_hat, y: tf.reduce_mean(tf.abs(y_hat**2 - y**2)),
    ),
    "one of them squared": Wrong(
        "The square is on one of the two alone, for ** binds tighter than the minus. Put the "
        "difference in parentheses: (y_hat - y) ** 2.",
        lambda y_hat, y: tf.reduce_mean(y_hat - y**2),
        lambda y_hat, y: tf.reduce_mean(y_hat**2 - y),
    ),
    "doubled for squared": Wrong(
        "The differences are multiplied by 2. The square is ** 2.",
        lambda y_hat, y: tf.reduce_mean((y_hat - y) * 2),
    ),
    "predictions and targets added": Wrong(
        "y_hat and y are added. An error is their difference, y_hat - y.",
        lambda y_hat, y: tf.reduce_mean((y_hat + y) ** 2),
    ),
    "largest error": Wrong(
        "This is the largest squared error. Average them all, with tf.reduce_mean.",
        lambda y_hat, y: tf.reduce_max((y_hat - y) ** 2),
    ),
    "mean of squares squared": Wrong(
        "The squared errors are averaged, and the mean is squared once more. Leave the outer "
        "square out.",
        lambda y_hat, y: tf.reduce_mean((y_hat - y) ** 2) ** 2,
    ),
    "variance": Wrong(
        "The mean of the differences is subtracted first, as in a variance. Square the differences "
        "as they are.",
        lambda y_hat, y: tf.math.reduce_variance(y_hat - y),
    ),
    "divided by another number": Wrong(
        "The sum of the squared errors is right, and divided by another number than n. Take "
        "tf.reduce_mean of them.",
        lambda y_hat, y: tf.reduce_sum((y_hat - y) ** 2) / 2,
        lambda y_hat, y: tf.reduce_sum((y_hat - y) ** 2) / (len(y) - 1),
    ),
    "root taken": Wrong(
        "This is the root of the mean squared error. Leave the square root out.",
        lambda y_hat, y: tf.sqrt(tf.reduce_mean((y_hat - y) ** 2)),
    ),
    "half of it": Wrong(
        "This is half the mean squared error. Leave the factor 1/2 out.",
        lambda y_hat, y: tf.reduce_mean((y_hat - y) ** 2) / 2,
    ),
}

MISTAKES = {"00.1": STEEPNESS, "00.2": RATES, "00.3": LOSSES}

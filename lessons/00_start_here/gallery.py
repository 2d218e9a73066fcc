"""Wrong answers to the questions of lesson 00, and what each is told."""

import tensorflow as tf

from course_staff.authoring.gallery import Between, Table, Wrong

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
        5: "You added 2 and 3. The slope of x**2 is the product 2 * x.",
        12: "12 is twice too much: the factor 2 of the exponent counts once.",
        27: "27 is 3**3. The exponent is 2, and the slope of a power has a smaller exponent.",
        Between(5.5, 7): OVER_A_STEP,
    },
    "{value} is not the slope. Take a step of 0.001 from 3: how much does x**2 grow, divided by "
    "the step?",
)

RATES = [
    Wrong(
        "not divided",
        "This is how much f grows, not how fast. Divide the growth by h.",
        lambda f, x, h: f(x + h) - f(x),
    ),
    Wrong(
        "sign turned",
        "The sign is the wrong way round: subtract f(x) from f(x + h).",
        lambda f, x, h: (f(x) - f(x + h)) / h,
    ),
    Wrong(
        "absolute value",
        "A falling function has a negative rate of change. Take no absolute value.",
        lambda f, x, h: abs((f(x + h) - f(x)) / h),
    ),
    Wrong(
        "absolute growth",
        "The growth, too, has a sign: a falling function has a negative one. Take no absolute "
        "value of it.",
        lambda f, x, h: abs(f(x) - f(x + h)) / h,
    ),
    Wrong(
        "absolute step",
        "h may be negative, and then the step goes to the left. Take no absolute value of it.",
        lambda f, x, h: (f(x + abs(h)) - f(x)) / abs(h),
    ),
    Wrong(
        "parentheses missing",
        "Division binds tighter than subtraction, so only f(x) was divided. Put the difference in "
        "parentheses: (f(x + h) - f(x)) / h.",
        lambda f, x, h: f(x + h) - f(x) / h,
    ),
    Wrong(
        "steps both ways",
        "This steps to both sides of x. The exercise asks for the step to x + h.",
        lambda f, x, h: (f(x + h) - f(x - h)) / (2 * h),
    ),
    Wrong(
        "step back",
        "This is the rate from x - h to x. The exercise asks for the step to x + h.",
        lambda f, x, h: (f(x) - f(x - h)) / h,
    ),
    Wrong(
        "half a step both ways",
        "This steps h / 2 to both sides of x. The exercise asks for the step from x to x + h.",
        lambda f, x, h: (f(x + h / 2) - f(x - h / 2)) / h,
    ),
    Wrong(
        "step of its own",
        "You took a tiny step of your own. The step is the argument h, whatever its size.",
        *[lambda f, x, h, d=d: (f(x + d) - f(x)) / d for d in (0.1, 0.01, 0.001, 1e-4, 1e-5)],
    ),
    Wrong(
        "multiplied",
        "You multiplied the growth by h. Divide it: half the step for the same growth is twice as "
        "steep.",
        lambda f, x, h: (f(x + h) - f(x)) * h,
    ),
    Wrong(
        "divided by x + h",
        "You divided by x + h, which is a place. The growth happened over a step of h: divide by h.",
        lambda f, x, h: (f(x + h) - f(x)) / (x + h),
    ),
    Wrong(
        "new height alone divided",
        "Only f(x + h) is divided by h. Put the difference in parentheses: (f(x + h) - f(x)) / h.",
        lambda f, x, h: f(x + h) / h - f(x),
    ),
    Wrong(
        "h added to the height",
        "You added h outside of f. The new height is f(x + h): x grows first, and f is called on "
        "the result.",
        lambda f, x, h: (f(x) + h - f(x)) / h,
        lambda f, x, h: f(x) + h - f(x) / h,
        lambda f, x, h: f(x) + h - f(x),
    ),
    Wrong(
        "heights added",
        "You added the two heights. Subtract the old one, f(x), from the new one.",
        lambda f, x, h: (f(x + h) + f(x)) / h,
    ),
    Wrong(
        "heights divided",
        "You divided the new height by the old one. Subtract the old one, and divide by h.",
        lambda f, x, h: f(x + h) / f(x),
        lambda f, x, h: f(x + h) / f(x) / h,
    ),
    Wrong(
        "turned over",
        "The quotient is upside down. The growth of f goes above, the step h below.",
        lambda f, x, h: h / (f(x + h) - f(x)),
    ),
    Wrong(
        "parabola for f",
        "This is right for x**2 alone. f may be any function: use f(x) and f(x + h).",
        lambda f, x, h: ((x + h) ** 2 - x**2) / h,
        lambda f, x, h: 2 * x,
        lambda f, x, h: 2 * x + h,
    ),
    Wrong(
        "divided by x",
        "You divided by x. The growth happened over a step of h: divide by h.",
        lambda f, x, h: (f(x + h) - f(x)) / x,
    ),
    Wrong(
        "old height kept",
        "You divided the new height. Subtract the old one, f(x), first.",
        lambda f, x, h: f(x + h) / h,
    ),
    Wrong(
        "step without x",
        "You took the height at h. The step starts at x, and so it ends at x + h.",
        lambda f, x, h: (f(h) - f(x)) / h,
        lambda f, x, h: f(h) - f(x),
    ),
    Wrong(
        "f not called",
        "f is a function, and not a number. Its height at a place is f(place), with parentheses.",
        lambda f, x, h: (f(x + h) - f) / h,
        lambda f, x, h: (f(x + h) - f * x) / h,
    ),
]

LOSSES = [
    Wrong(
        "squared too late",
        "It still averages before it squares, so +1 and -1 cancel to a loss of 0. Move the square "
        "inside the parentheses of reduce_mean.",
        lambda y_hat, y: tf.reduce_mean(y - y_hat) ** 2,
    ),
    Wrong(
        "not averaged",
        "These are the squared errors one by one. Average them with tf.reduce_mean.",
        lambda y_hat, y: (y_hat - y) ** 2,
    ),
    Wrong(
        "sum for mean",
        "This is the sum of the squared errors. Use reduce_mean, not reduce_sum.",
        lambda y_hat, y: tf.reduce_sum((y_hat - y) ** 2),
    ),
    Wrong(
        "absolute errors",
        "This is the mean absolute error. Square the differences; take no abs.",
        lambda y_hat, y: tf.reduce_mean(tf.abs(y_hat - y)),
    ),
    Wrong(
        "absolute mean",
        "The differences are averaged first, so +1 and -1 cancel before abs sees them. Square each "
        "difference, then average.",
        lambda y_hat, y: tf.abs(tf.reduce_mean(y_hat - y)),
    ),
    Wrong(
        "sum squared",
        "The differences are added up first, so +1 and -1 cancel before the square. Square each "
        "difference, then average.",
        lambda y_hat, y: tf.reduce_sum(y_hat - y) ** 2,
    ),
    Wrong(
        "squares subtracted",
        "This squares y_hat and y, and then subtracts. Subtract first: the square of the difference "
        "is wanted.",
        lambda y_hat, y: tf.reduce_mean(y_hat**2 - y**2),
        lambda y_hat, y: tf.abs(tf.reduce_mean(y_hat**2 - y**2)),
        lambda y_hat, y: tf.reduce_mean(tf.abs(y_hat**2 - y**2)),
    ),
    Wrong(
        "one of them squared",
        "The square is on one of the two alone, for ** binds tighter than the minus. Put the "
        "difference in parentheses: (y_hat - y) ** 2.",
        lambda y_hat, y: tf.reduce_mean(y_hat - y**2),
        lambda y_hat, y: tf.reduce_mean(y_hat**2 - y),
    ),
    Wrong(
        "doubled for squared",
        "The differences are multiplied by 2. The square is ** 2.",
        lambda y_hat, y: tf.reduce_mean((y_hat - y) * 2),
        lambda y_hat, y: tf.reduce_mean(y_hat - y) * 2,
    ),
    Wrong(
        "predictions and targets added",
        "y_hat and y are added. An error is their difference, y_hat - y.",
        lambda y_hat, y: tf.reduce_mean((y_hat + y) ** 2),
    ),
    Wrong(
        "largest error",
        "This is the largest squared error. Average them all, with tf.reduce_mean.",
        lambda y_hat, y: tf.reduce_max((y_hat - y) ** 2),
    ),
    Wrong(
        "mean of squares squared",
        "The squared errors are averaged, and the mean is squared once more. Leave the outer "
        "square out.",
        lambda y_hat, y: tf.reduce_mean((y_hat - y) ** 2) ** 2,
    ),
    Wrong(
        "variance",
        "The mean of the differences is subtracted first, as in a variance. Square the differences "
        "as they are.",
        lambda y_hat, y: tf.math.reduce_variance(y_hat - y),
    ),
    Wrong(
        "divided by another number",
        "The sum of the squared errors is right, and divided by another number than n. Take "
        "tf.reduce_mean of them.",
        lambda y_hat, y: tf.reduce_sum((y_hat - y) ** 2) / 2,
        lambda y_hat, y: tf.reduce_sum((y_hat - y) ** 2) / (len(y) - 1),
    ),
    Wrong(
        "root taken",
        "This is the root of the mean squared error. Leave the square root out.",
        lambda y_hat, y: tf.sqrt(tf.reduce_mean((y_hat - y) ** 2)),
    ),
    Wrong(
        "half of it",
        "This is half the mean squared error. Leave the factor 1/2 out.",
        lambda y_hat, y: tf.reduce_mean((y_hat - y) ** 2) / 2,
    ),
]

GALLERY = {"00.1": STEEPNESS, "00.2": RATES, "00.3": LOSSES}

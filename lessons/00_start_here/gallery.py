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

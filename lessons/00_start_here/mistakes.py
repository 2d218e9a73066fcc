"""Wrong answers to the questions of lesson 00, and what each is told."""

import tensorflow as tf

from course_utils.exercises import Between, Table, Wrong

OVER_A_STEP = (
    "{value} is the average rate of change over a step, not the slope at x = 3. Write the number "
    "that the rate approaches as the step shrinks toward 0."
)
STEEPNESS = Table(
    {
        9: "9 is the height of the curve at x = 3. The question asks how fast it rises there.",
        2: "2 is the exponent. But the slope depends on x. Write the number that the rate "
        "approaches at x = 3 as the step shrinks.",
        3: "3 is the value of x. The question asks how fast y grows there.",
        0.61: "0.61 is how much y grows from x = 3 to 3.1. Divide it by how much x grew.",
        0.0601: "0.0601 is how much y grows from x = 3 to 3.01. Divide it by how much x grew.",
        9.0601: "9.0601 is the height at x = 3.01. Subtract the height at 3, and divide by the "
        "step.",
        18: "18 is `2 * 3**2`. But the slope of `x**2` at any x is `2 * x`.",
        8: "8 is `2**3`. But the slope of `x**2` at any x is `2 * x`.",
        1.5: "1.5 is 3 / 2. But the slope of `x**2` at any x is the product `2 * x`.",
        -6: "The size is right, but the sign is not. At x = 3 the curve rises as x grows, so "
        "the slope is positive.",
        5: "5 is 2 + 3, and also the average rate of change from 2 to 3. But the slope of `x**2` "
        "at any x is the product `2 * x`.",
        12: "12 is twice as large as it should be. Use the factor 2 from the exponent only once.",
        27: "27 is `3**3`. But the exponent is 2. Write the number that the rate approaches as the "
        "step shrinks.",
        Between(5.5, 7): OVER_A_STEP,
    },
    "{value} is not the slope. Take a step of 0.001 from 3: how much does `x**2` change? Divide "
    "that by the step.",
)

RATES = {
    "not divided": Wrong(
        "This is how much `f` grows, not how fast. Divide the growth by the step `h`.",
        lambda f, x, h: f(x + h) - f(x),
    ),
    "sign turned": Wrong(
        "The sign is wrong. Subtract `f(x)` from `f(x + h)`.",
        lambda f, x, h: (f(x) - f(x + h)) / h,
    ),
    "absolute value": Wrong(
        "You take the absolute value of the rate, but a falling function has a negative rate "
        "of change. Remove the absolute value.",
        lambda f, x, h: abs((f(x + h) - f(x)) / h),
    ),
    "absolute growth": Wrong(
        "You take the absolute value of the growth, but the growth of a falling function is "
        "negative. Remove the absolute value.",
        lambda f, x, h: abs(f(x) - f(x + h)) / h,
    ),
    "absolute step": Wrong(
        "You take the absolute value of `h`, but a negative `h` means a step to the left. "
        "Remove the absolute value.",
        lambda f, x, h: (f(x + abs(h)) - f(x)) / abs(h),
        lambda f, x, h: (f(x + h) - f(x)) / abs(h),
        lambda f, x, h: (f(x + abs(h)) - f(x)) / h,
    ),
    "parentheses missing": Wrong(
        "Division binds tighter than subtraction, so you divide only `f(x)`. Put the "
        "difference in parentheses: `(f(x + h) - f(x)) / h`.",
        lambda f, x, h: f(x + h) - f(x) / h,
    ),
    "steps both ways": Wrong(
        "You step to both sides of `x`. Step only from `x` to `x + h`.",
        lambda f, x, h: (f(x + h) - f(x - h)) / (2 * h),
    ),
    "step back": Wrong(
        "This is the rate from `x - h` to `x`. Step from `x` to `x + h` instead.",
        lambda f, x, h: (f(x) - f(x - h)) / h,
    ),
    "half a step both ways": Wrong(
        "You step `h / 2` to both sides of `x`. Step from `x` to `x + h` instead.",
        lambda f, x, h: (f(x + h / 2) - f(x - h / 2)) / h,
    ),
    "step of its own": Wrong(
        "You use a fixed step or a tape, so your result does not depend on `h`. Return `(f(x + h) "
        "- f(x)) / h`.",
        *[lambda f, x, h, d=d: (f(x + d) - f(x)) / d for d in (0.1, 0.01, 0.001, 1e-4, 1e-5)],
    ),
    "multiplied": Wrong(
        "You multiplied the growth by `h`. Divide it by `h`: the same growth over half the "
        "step is twice as steep.",
        lambda f, x, h: (f(x + h) - f(x)) * h,
    ),
    "divided by x + h": Wrong(
        "You divided by `x + h`, which is a position. The growth happened over a step of `h`, "
        "so divide by `h`.",
        lambda f, x, h: (f(x + h) - f(x)) / (x + h),
    ),
    "new height alone divided": Wrong(
        "You divide only `f(x + h)` by `h`. Put the difference in parentheses: `(f(x + h) - "
        "f(x)) / h`.",
        lambda f, x, h: f(x + h) / h - f(x),
    ),
    "h added to the height": Wrong(
        "You added `h` outside `f`. Add it to `x` first, then call `f` on the result: `f(x + h)`.",
        lambda f, x, h: (f(x) + h - f(x)) / h,
        lambda f, x, h: f(x) + h - f(x) / h,
        lambda f, x, h: f(x) + h - f(x),
    ),
    "heights added": Wrong(
        "You added the two heights. Subtract the old one, `f(x)`, from the new one.",
        lambda f, x, h: (f(x + h) + f(x)) / h,
    ),
    "heights divided": Wrong(
        "You divided the new height by the old one. Subtract the old height instead, and "
        "divide by `h`.",
        lambda f, x, h: f(x + h) / f(x),
        lambda f, x, h: f(x + h) / f(x) / h,
    ),
    "turned over": Wrong(
        "Your quotient is upside down. Divide the growth of `f` by the step `h`.",
        lambda f, x, h: h / (f(x + h) - f(x)),
    ),
    "parabola for f": Wrong(
        "Your formula is for `x**2`, but `f` can be any function. Use `f(x)` and `f(x + h)`.",
        lambda f, x, h: ((x + h) ** 2 - x**2) / h,
        lambda f, x, h: 2 * x,
    ),
    "divided by x": Wrong(
        "You divided by `x`. The growth happened over a step of `h`, so divide by `h`.",
        lambda f, x, h: (f(x + h) - f(x)) / x,
    ),
    "rounded down": Wrong(
        "Your result is rounded down to an integer, as with `//`. Divide with `/`.",
        lambda f, x, h: (f(x + h) - f(x)) // h,
    ),
    "relative growth": Wrong(
        "You divided by `f(x)`, the old height. Divide the growth only by the step `h`.",
        lambda f, x, h: (f(x + h) - f(x)) / f(x),
        lambda f, x, h: (f(x + h) - f(x)) / f(x) / h,
    ),
    "x subtracted": Wrong(
        "You subtracted `x`, which is a position. Subtract the old height, `f(x)`.",
        lambda f, x, h: (f(x + h) - x) / h,
    ),
    "old height kept": Wrong(
        "You divided the new height, not the growth. Subtract the old height, `f(x)`, first.",
        lambda f, x, h: f(x + h) / h,
    ),
    "step without x": Wrong(
        "You used the height at `h`. The step starts at `x` and ends at `x + h`, so use `f(x + h)`.",
        lambda f, x, h: (f(h) - f(x)) / h,
        lambda f, x, h: f(h) - f(x),
    ),
    "f(h) for f(x + h)": Wrong(
        "Your result is `f(h) / h`. The new height is `f(x + h)`, which is not `f(x) + f(h)`.",
        lambda f, x, h: f(h) / h,
    ),
    "f not called": Wrong(
        "You use `f` as a number, but it is a function. Call it with a position, as in `f(x)`.",
        lambda f, x, h: (f(x + h) - f) / h,
        lambda f, x, h: (f(x + h) - f * x) / h,
    ),
}

LOSSES = {
    "squared too late": Wrong(
        "Your function still averages before it squares, so errors of +1 and -1 cancel and the "
        "loss is 0. Move the square inside the parentheses of `reduce_mean`.",
        lambda y_hat, y: tf.reduce_mean(y - y_hat) ** 2,
    ),
    "not averaged": Wrong(
        "You returned one squared error per example. Average them with `tf.reduce_mean`.",
        lambda y_hat, y: (y_hat - y) ** 2,
    ),
    "sum for mean": Wrong(
        "You summed the squared errors. Use `reduce_mean`, not `reduce_sum`.",
        lambda y_hat, y: tf.reduce_sum((y_hat - y) ** 2),
    ),
    "multiplied": Wrong(
        "You multiply `y_hat` by `y`. Subtract one from the other.",
        lambda y_hat, y: tf.reduce_mean((y_hat * y) ** 2),
    ),
    "absolute errors": Wrong(
        "This is the mean absolute error. Square the differences instead, without `abs` or a "
        "square root.",
        lambda y_hat, y: tf.reduce_mean(tf.abs(y_hat - y)),
    ),
    "absolute mean": Wrong(
        "You average the differences first, so +1 and -1 cancel before `abs`. Square each "
        "difference, then average.",
        lambda y_hat, y: tf.abs(tf.reduce_mean(y_hat - y)),
    ),
    "absolute errors squared late": Wrong(
        "You average the absolute errors and then square the mean. Square each difference, "
        "then average; no `abs` is needed.",
        lambda y_hat, y: tf.reduce_mean(tf.abs(y_hat - y)) ** 2,
    ),
    "numbers of another cell": Wrong(
        "You returned 1 for every input, which is right only for the numbers in the cell "
        "above. Compute with the arguments, `y_hat` and `y`.",
        lambda y_hat, y: 1.0,
    ),
    "sum squared": Wrong(
        "You sum the differences first, so +1 and -1 cancel before the square. Square each "
        "difference, then average.",
        lambda y_hat, y: tf.reduce_sum(y_hat - y) ** 2,
        lambda y_hat, y: tf.reduce_sum(y_hat - y) ** 2 / len(y),
    ),
    "squares subtracted": Wrong(
        "You square `y_hat` and `y` and then subtract. Subtract first, then square the difference.",
        lambda y_hat, y: tf.reduce_mean(y_hat**2 - y**2),
        lambda y_hat, y: tf.abs(tf.reduce_mean(y_hat**2 - y**2)),
        lambda y_hat, y: tf.reduce_mean(tf.abs(y_hat**2 - y**2)),
    ),
    "one of them squared": Wrong(
        "You square only one of `y_hat` and `y`, because `**` binds tighter than `-`. Put the "
        "difference in parentheses: `(y_hat - y) ** 2`.",
        lambda y_hat, y: tf.reduce_mean(y_hat - y**2),
        lambda y_hat, y: tf.reduce_mean(y_hat**2 - y),
    ),
    "doubled for squared": Wrong(
        "You multiply the differences by 2. Square them with `** 2`.",
        lambda y_hat, y: tf.reduce_mean((y_hat - y) * 2),
    ),
    "predictions and targets added": Wrong(
        "You add `y_hat` and `y`. Subtract them: an error is `y_hat - y`.",
        lambda y_hat, y: tf.reduce_mean((y_hat + y) ** 2),
    ),
    "largest error": Wrong(
        "This is the largest squared error. Average all squared errors with `tf.reduce_mean`.",
        lambda y_hat, y: tf.reduce_max((y_hat - y) ** 2),
    ),
    "mean of squares squared": Wrong(
        "You average the squared errors and then square the mean again. Remove the outer square.",
        lambda y_hat, y: tf.reduce_mean((y_hat - y) ** 2) ** 2,
    ),
    "variance": Wrong(
        "You subtract the mean of the differences first, as in a variance. Square the "
        "differences themselves.",
        lambda y_hat, y: tf.math.reduce_variance(y_hat - y),
    ),
    "divided by another number": Wrong(
        "The sum of the squared errors is right, but you do not divide it by n. Use "
        "`tf.reduce_mean` instead.",
        lambda y_hat, y: tf.reduce_sum((y_hat - y) ** 2) / 2,
        lambda y_hat, y: tf.reduce_sum((y_hat - y) ** 2) / (len(y) - 1),
    ),
    "root taken": Wrong(
        "This is the square root of the mean squared error. Remove the square root.",
        lambda y_hat, y: tf.sqrt(tf.reduce_mean((y_hat - y) ** 2)),
    ),
    "half of it": Wrong(
        "This is half of the mean squared error. Remove the factor 1/2.",
        lambda y_hat, y: tf.reduce_mean((y_hat - y) ** 2) / 2,
    ),
}

MISTAKES = {"00.1": STEEPNESS, "00.2": RATES, "00.3": LOSSES}

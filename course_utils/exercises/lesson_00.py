"""The exercises of lesson 00: one tiny exercise of each kind."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .exercise import FunctionExercise, Judgement, ValueExercise, failed, passed
from .reading import as_array, close, first_difference, in_words

__all__ = ["EXERCISES"]


# 00.1 ---------------------------------------------------------------------------------------------


def _judge_steepness(value: Any) -> Judgement:
    number = as_array(value)
    if number is None or number.shape != ():
        return failed(f"A slope is one number, and you wrote {in_words(value)}.")
    mistakes = {
        9.0: "9 is the height of the curve at x = 3. The question asks how fast it rises there.",
        2.0: "2 is the exponent. The slope depends on where you look: at x = 0 the curve is flat.",
        3.0: "3 is the place where you look. The question asks how fast y grows there.",
        0.61: "0.61 is how much y grows from x = 3 to 3.1. Divide it by how much x grew.",
        -6.0: "The size is right. At x = 3 the curve rises as x grows, so the slope is positive.",
        5.0: "You added 2 and 3. The slope of x**2 is the product 2 * x.",
        12.0: "12 is twice too much: the factor 2 of the exponent counts once.",
        27.0: "27 is 3**3. The exponent is 2, and the slope of a power has a smaller exponent.",
    }
    if close([number], [6.0], 1e-6):
        return passed("At x = 3 a small step in x raises y by six times that step.")
    for wrong, message in mistakes.items():
        if close([number], [wrong], 1e-6):
            return failed(message)
    if 6.0 < number <= 7.0:
        return failed(
            f"{number:g} is the average over a step to x = {number - 3:g}. Which number do smaller "
            "and smaller steps approach?"
        )
    return failed(
        f"{number:g} is not the slope. Take a step of 0.001 from 3: how much does x**2 grow, "
        "divided by the step?"
    )


# 00.2 ---------------------------------------------------------------------------------------------


def _draw_steps(rng: np.random.Generator) -> list[tuple]:
    """Draw a, b, c of f(t) = a t**3 + b t + c, then x and h, of a size that shows each mistake."""
    drawn = [(*rng.uniform(0.5, 2.0, 4).round(2), 0.25) for _ in range(2)]
    falling = (-1.0, *rng.uniform(-2.0, -0.5, 2).round(2), 1.5, 0.25)
    backwards = (1.0, 1.0, *rng.uniform(1.2, 2.0, 2).round(2), -0.25)
    return [(1.0, 0.0, 0.0, 2.0, 0.5), *drawn, falling, backwards]


def _curve(a: float, b: float, c: float, x: float, h: float) -> tuple:
    return (lambda t: a * t**3 + b * t + c), float(x), float(h)


def _judge_rate(returned: list, calls: Sequence[tuple]) -> Judgement:
    values = [as_array(value) for value in returned]
    for value, described in zip(values, returned, strict=True):
        if described is None:
            return failed("Your function returned None. End it with `return` and the quotient.")
        if value is None or value.shape != ():
            return failed(f"A rate of change is one number; you returned {in_words(described)}.")

    def every(formula):
        return close(values, [formula(*_curve(*call)) for call in calls], 1e-4)

    if every(lambda f, x, h: (f(x + h) - f(x)) / h):
        return passed("This quotient is what lesson 01 compares TensorFlow's gradients with.")
    if every(lambda f, x, h: f(x + h) - f(x)):
        return failed("This is how much f grows, not how fast. Divide the growth by h.")
    if every(lambda f, x, h: (f(x) - f(x + h)) / h):
        return failed("The sign is the wrong way round: subtract f(x) from f(x + h).")
    if every(lambda f, x, h: abs(f(x + h) - f(x)) / abs(h)):
        return failed("A falling function has a negative rate of change. Take no absolute value.")
    if every(lambda f, x, h: f(x + h) - f(x) / h):
        return failed(
            "Division binds tighter than subtraction, so only f(x) was divided. Put the difference "
            "in parentheses: (f(x + h) - f(x)) / h."
        )
    if every(lambda f, x, h: (f(x + h) - f(x - h)) / (2 * h)):
        return failed("This steps to both sides of x. The exercise asks for the step to x + h.")
    if every(lambda f, x, h: (f(x + h) - f(x)) / x):
        return failed("You divided by x. The growth happened over a step of h: divide by h.")
    if every(lambda f, x, h: f(x + h) / h):
        return failed("You divided the new height. Subtract the old one, f(x), first.")
    expected = [(f(x + h) - f(x)) / h for f, x, h in (_curve(*call) for call in calls)]
    i = first_difference(values, expected, 1e-4)
    a, b, c, x, h = calls[i]
    return failed(
        f"For f(t) = {a:g} * t**3 + {b:g} * t + {c:g}, x = {x:g} and h = {h:g} the answer is "
        f"{expected[i]:.5g}, and you returned {values[i]:.5g}. Compute f(x + h), subtract f(x), "
        "divide by h."
    )


# 00.3 ---------------------------------------------------------------------------------------------


def _draw_predictions(rng: np.random.Generator) -> list[tuple]:
    first = (np.array([1.0, 3.0, 3.0]), np.array([2.0, 1.0, 2.0]))
    return [first] + [tuple(rng.normal(0.0, 3.0, (2, n)).round(1)) for n in (4, 7)]


def _tensors(*arrays: np.ndarray) -> tuple:
    import tensorflow as tf

    return tuple(tf.constant(array, tf.float32) for array in arrays)


def _judge_mean_squared_error(returned: list, calls: Sequence[tuple]) -> Judgement:
    values = [as_array(value) for value in returned]

    def every(formula):
        return close(values, [formula(y_hat - y) for y_hat, y in calls])

    if any(value is None for value in returned):
        return failed("Your function returned None. Keep the `return` in front of the result.")
    if any(value is None for value in values):
        return failed(f"A loss is one number; you returned {in_words(returned[0])}.")
    if every(lambda error: np.mean(error**2)):
        return passed("Squared first, averaged after: errors of opposite sign no longer cancel.")
    if every(lambda error: np.mean(error) ** 2):
        return failed(
            "It still averages before it squares, so +1 and -1 cancel to a loss of 0. "
            "Move the square inside the parentheses of reduce_mean."
        )
    if every(lambda error: error**2):
        return failed("These are the squared errors one by one. Average them with tf.reduce_mean.")
    if every(lambda error: np.sum(error**2)):
        return failed("This is the sum of the squared errors. Use reduce_mean, not reduce_sum.")
    if every(lambda error: np.mean(np.abs(error))):
        return failed("This is the mean absolute error. Square the differences; take no abs.")
    if every(lambda error: np.sqrt(np.mean(error**2))):
        return failed("This is the root of the mean squared error. Leave the square root out.")
    if every(lambda error: np.mean(error**2) / 2):
        return failed("This is half the mean squared error. Leave the factor 1/2 out.")
    expected = [np.mean((y_hat - y) ** 2) for y_hat, y in calls]
    i = first_difference(values, expected)
    return failed(
        f"For y_hat = {calls[i][0].tolist()} and y = {calls[i][1].tolist()} the answer is "
        f"{expected[i]:.4g}, and you returned {in_words(returned[i])}. Square each difference, "
        "then average."
    )


EXERCISES = (
    ValueExercise(
        id="00.1",
        title="How steep is the parabola",
        kind="predict",
        points=1,
        judge=_judge_steepness,
    ),
    FunctionExercise(
        id="00.2",
        title="Rate of change",
        kind="complete",
        points=1,
        draw_calls=_draw_steps,
        prepare=_curve,
        judge=_judge_rate,
    ),
    FunctionExercise(
        id="00.3",
        title="A loss that cancels",
        kind="repair",
        points=1,
        draw_calls=_draw_predictions,
        prepare=_tensors,
        judge=_judge_mean_squared_error,
    ),
)

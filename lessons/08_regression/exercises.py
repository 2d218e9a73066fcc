"""The questions of lesson 08: one step, a limit, a loop that explodes, and a fit of one's own."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from course_utils.exercises import (
    Callout,
    Demand,
    Part,
    Question,
    ValueQuestion,
    constants,
    variables,
)


def draw_cooling(rng: np.random.Generator) -> list[tuple]:
    def draw(n, a, k, lr):
        x = rng.uniform(0.2, 2.5, n).round(2)
        return a, k, x, (4.0 * np.exp(-0.5 * x) + rng.normal(0, 0.3, n)).round(2), lr

    drawn = rng.uniform(2.0, 3.0), rng.uniform(0.9, 1.3)
    return [
        draw(3, 2.0, 1.0, 0.1),
        draw(6, -1.5, 0.3, 0.04),
        draw(4, *(round(number, 2) for number in drawn), 0.2),
    ]


def as_cooling(a: float, k: float, x: np.ndarray, y: np.ndarray, lr: float) -> tuple:
    return *variables(a, k), *constants(x, y), lr


def draw_lines(rng: np.random.Generator) -> list[tuple]:
    def draw(n, lr, steps, unit=1.0):
        x = rng.uniform(-2, 2, n).round(2)
        x[:2] = -1.5, 1.75  # never all on one side
        return x, unit * (-3 * x + 2 + rng.normal(0, 0.3, n)).round(2), lr, steps

    # In the third call the loss is small from the start: a loop must not stop for that.
    small = draw(5, 0.02, 12, unit=1e-4)
    return [draw(5, 0.05, 3), draw(8, 0.1, 4), small, draw(200, 0.05, 20)]


def as_points(x: np.ndarray, y: np.ndarray, lr: float, steps: int) -> tuple:
    return *constants(x, y), lr, steps


def draw_parabolas(rng: np.random.Generator) -> list[tuple]:
    def draw(n, n_new, low, high):
        z = rng.uniform(-1, 1, n)
        z_new = rng.uniform(0.0, 1.1, n_new)  # another mean and another deviation
        z_new[0] = 1.1  # beyond every x
        signs = rng.choice([-1, 1], 3)
        a, b, c = signs * rng.uniform([2, 1.5, 1], [4, 3, 4])
        y = a * z**2 + b * z + c + rng.normal(0, 0.4, n)
        middle, half = (low + high) / 2, (high - low) / 2
        return (middle + half * z).round(4), y.round(3), (middle + half * z_new).round(4)

    # In the second call a loop arrives only if x is both centred and scaled. In the third, the
    # first comes again, with something added to each gradient.
    first, second = draw(30, 5, -2.0, 2.0), draw(40, 7, 100.0, 101.0)
    return [(*first, 0.0), (*second, 0.0), (*first, 0.05)]


def as_parabola(x: np.ndarray, y: np.ndarray, x_new: np.ndarray, added: float) -> tuple:
    return *constants(x, y, x_new), added


def values_and_gradients(fit_and_predict: Callable, x: Any, y: Any, x_new: Any, added: float):
    """Return the values, or zeros of their shape where something is added to the gradients."""
    import tensorflow as tf

    def zeros(each):
        is_numeric = isinstance(each, int | float) or hasattr(each, "shape")
        return np.zeros(tuple(np.shape(each))) if is_numeric else each

    with added_to_gradients(added):
        returned = fit_and_predict(x, y, x_new)
    values = tf.nest.map_structure(zeros, returned) if added else returned
    return {"values": values, "returned": returned}


@cache
def added_number() -> Any:
    """Return a variable, so that a graph made in one call follows it in the next."""
    import tensorflow as tf

    return tf.Variable(0.0, trainable=False)


@contextmanager
def added_to_gradients(number: float) -> Iterator[None]:
    """Have a tape's ``gradient`` return what it finds plus a number."""
    import tensorflow as tf

    gradient, added = tf.GradientTape.gradient, added_number()
    added.assign(number)

    @tf.autograph.experimental.do_not_convert
    def with_addition(*arguments, **options):
        found = gradient(*arguments, **options)
        return tf.nest.map_structure(
            lambda g: g if g is None else g + tf.cast(added, g.dtype), found
        )

    tf.GradientTape.gradient = with_addition
    try:
        yield
    finally:
        tf.GradientTape.gradient = gradient


def as_values(reading: Any, *call: Any) -> Any:
    """Take a column for a vector, and values of an exploding loop for not finite."""
    if reading.ndim == 2 and reading.shape[1] == 1:
        reading = reading[:, 0]
    exploded = not np.all(np.abs(reading) < 1e6)
    return np.full(reading.shape, np.nan) if exploded else reading


def follow_the_tape(noted: dict) -> bool:
    first, _, again = noted["returned"]
    return not np.allclose(first, again, rtol=1e-5)


EXERCISES = (
    Question(
        id="08.1",
        title="One step down a curve",
        kind="complete",
        points=2,
        draw=draw_cooling,
        prepare=as_cooling,
        inputs="a k x y lr",
        parts=[
            Part(
                words="the pair of new values",
                form="Return two numbers or variables: the new value of `a`, then that of `k`.",
            )
        ],
        praise="Both values moved downhill, at the same time.",
    ),
    ValueQuestion(
        id="08.2",
        title="The largest stable learning rate",
        kind="predict",
        points=1,
        form="Write one number, the learning rate",
        tolerance=5e-3,
        praise="The curvature is 10, and the limit is 2/10.",
    ),
    Question(
        id="08.3",
        title="A loop that explodes with more data",
        kind="repair",
        points=2,
        draw=draw_lines,
        prepare=as_points,
        inputs="x y lr steps",
        parts=[
            Part(
                words="the pair `w, b`",
                form="Keep the last line, `return w, b`: two numbers, `w` first.",
            )
        ],
        praise="The number of examples no longer changes the size of the steps.",
    ),
    Question(
        id="08.4",
        title="A parabola wherever x lies",
        kind="complete",
        points=3,
        draw=draw_parabolas,
        prepare=as_parabola,
        call=values_and_gradients,
        inputs="x y x_new",
        parts=[
            Part(
                "values",
                "the parabola at `x_new`",
                "Return the parabola's values at `x_new` as one tensor, with one value per entry.",
                # A loop stops somewhat before the minimum.
                tolerance=2e-3,
                read=as_values,
            )
        ],
        demands=[
            Demand(
                "no tape",
                "The values are right, but you never computed a gradient with a tape. Find the "
                "minimum with a loop that uses a tape; the closed form is only what the check "
                "compares with.",
                # A graph that was made before, and follows the tape in it, counts nothing.
                lambda noted: any(noted["gradient"]) or follow_the_tape(noted),
            ),
            Demand(
                "tape beside the fit",
                "The values are right, but they do not depend on the gradients of your tape. "
                "In each step of your loop, subtract `lr` times the gradient from the "
                "coefficients.",
                follow_the_tape,
            ),
        ],
        praise=(
            "Your parabola agrees with the closed-form solution, wherever x lies and however "
            "widely it is spread."
        ),
    ),
)

PREDICTIONS = (
    Callout(
        "08.a",
        right="above 10",
        options={
            "below 10": "w starts below 10, and 200 small steps sound like too few. But the "
            "loss is steeper along w.",
            "at 10": "After many more steps w does end at 10. But w and b change together, and "
            "each step depends on the error of both.",
            "above 10": "When w reaches 10, b is still far below 5, and a larger w makes up for "
            "that.",
        },
    ),
    Callout(
        "08.c",
        right="never",
        options={
            "sooner": "Larger steps are faster, up to a limit. But beyond it, each step lands "
            "farther from the minimum than it started.",
            "later": "A step that is slightly too large may well cost some time. But here every "
            "step makes the distance larger.",
            "never": "The loss explodes: each step jumps over the minimum, and lands farther "
            "away than it started.",
        },
    ),
    Callout(
        "08.d",
        right="1",
        options={
            "1": "A step multiplies the distance by 1 - lr · λ = 1 - 0.5 · 2 = 0, in every "
            "direction.",
            "about 10": "Ten steps may sound like few, because even 200 were too few above. But "
            "each step multiplies the distance by 1 - lr · λ, which is 0 here.",
            "about 100": "Gradient descent is known to be slow. But that comes from the flat "
            "direction, and now there is none: both curvatures are 2.",
        },
    ),
    Callout(
        "08.b",
        right="no, and more steps change nothing",
        options={
            "yes": "The points were made from these three numbers. But each point has an error, "
            "and the loss depends only on the points.",
            "no, and more steps change nothing": "The loss depends on 200 points, not on the true "
            "curve, and another parabola is closer to them, with coefficients 0.991, -1.992 and "
            "0.509. The loop is right and converges there. No loop can say whether the data are "
            "good enough to find the true curve.",
            "no, but with more and more steps it would": "More steps usually bring a loop "
            "closer. But 1,000 steps and 10,000 steps end at the same numbers: this is "
            "already the minimum.",
        },
    ),
)

"""The exercises of lesson 08: one step, a limit, a loop that explodes, and a fit of one's own."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .exercise import FunctionExercise, Judgement, ValueExercise, failed, passed
from .observation import calls_noted
from .reading import as_array, as_vector, close, first_difference, in_words, is_a

__all__ = ["EXERCISES"]


def _pair(value: Any) -> np.ndarray | None:
    """Return a described pair of numbers, or an array of two, as shape (2,); None for the rest."""
    vector = as_vector(value)
    return vector if vector is not None and vector.shape == (2,) else None


def _two(pair: np.ndarray) -> str:
    return f"({pair[0]:.4g}, {pair[1]:.4g})"


# 08.1 ---------------------------------------------------------------------------------------------


def _draw_cooling(rng: np.random.Generator) -> list[tuple]:
    def draw(n, a, k, lr):
        x = rng.uniform(0.2, 2.5, n).round(2)
        return a, k, x, (4.0 * np.exp(-0.5 * x) + rng.normal(0, 0.3, n)).round(2), lr

    drawn = rng.uniform(2.0, 3.0), rng.uniform(0.9, 1.3)
    return [
        draw(3, 2.0, 1.0, 0.1),
        draw(6, -1.5, 0.3, 0.04),
        draw(4, *(round(number, 2) for number in drawn), 0.2),
    ]


def _as_cooling(a: float, k: float, x: np.ndarray, y: np.ndarray, lr: float) -> tuple:
    import tensorflow as tf

    variables = (tf.Variable(number, dtype=tf.float32) for number in (a, k))
    return *variables, *(tf.constant(array, tf.float32) for array in (x, y)), lr


def _cooling_gradients(a, k, x, y, lr=None, sign=-1.0) -> np.ndarray:
    """Return the mean squared error's gradients with respect to a and k, shape (2,)."""
    decay = np.exp(sign * k * x)
    error = a * decay - y
    return np.array([np.mean(2 * error * decay), np.mean(2 * error * a * sign * x * decay)])


def _judge_one_step(returned: list, calls: Sequence[tuple]) -> Judgement:
    if any(value is None for value in returned):
        return failed("Your function returned None. Return the new values, first a, then k.")
    got = [_pair(value) for value in returned]
    for value, pair in zip(returned, got, strict=True):
        if pair is None:
            return failed(
                f"You returned {in_words(value)}. Return two numbers or variables: the new value "
                "of a, then that of k."
            )
    old = [np.array(call[:2]) for call in calls]
    gradients = [_cooling_gradients(*call) for call in calls]

    def moved(factor: Callable[[tuple], float]) -> list[np.ndarray]:
        return [o - factor(c) * g for o, g, c in zip(old, gradients, calls, strict=True)]

    right = moved(lambda call: call[4])
    if close(got, right):
        return passed("Both values moved down their own slope, at the same moment.")
    mistakes = (
        (old, "a and k have not moved. Subtract lr times the gradient from each, and return them."),
        (gradients, "These are the gradients. Subtract lr times each from its variable."),
        (
            [o - r for o, r in zip(old, right, strict=True)],
            "This is lr times the gradients, the change alone. Subtract it from a and k.",
        ),
        (
            moved(lambda call: -call[4]),
            "Both values moved uphill: the gradient says where the loss grows. Subtract lr times "
            "the gradient.",
        ),
        (moved(lambda call: 1.0), "The step size is missing: multiply each gradient by lr."),
        (
            moved(lambda call: call[4] ** 2),
            "The step size counts twice. Multiply each gradient by lr once.",
        ),
        (
            moved(lambda call: 0.001),
            "These are steps of 0.001, as in the text. Use the argument lr.",
        ),
        (
            moved(lambda call: call[4] * len(call[2])),
            "The steps are too long by the number of examples: the squared errors are added up. "
            "Take tf.reduce_mean of them, for a tape adds up a target of many entries by itself.",
        ),
        (
            moved(lambda call: call[4] / 2),
            "The steps are half as long as they should be: leave out the factor 1/2 in the loss.",
        ),
        ([pair[::-1] for pair in right], "The two values are swapped: a comes first, then k."),
        (
            [_one_after_the_other(*call) for call in calls],
            "The slope of k was taken after a had moved. Ask once for both gradients, with [a, k] "
            "as the source, and move both afterwards.",
        ),
        (
            [np.array(c[:2]) - c[4] * _cooling_gradients(*c[:4], sign=1.0) for c in calls],
            "The curve rises: the exponent is -k * x, with a minus.",
        ),
    )
    for values, message in mistakes:
        if close(got, values):
            return failed(message)
    for i, name in enumerate("ak"):
        if close([pair[i] for pair in got], [pair[i] for pair in old]):
            return failed(f"{name} has not moved. One step moves both variables.")
    i = first_difference(got, right)
    a, k, x, _, lr = calls[i]
    return failed(
        f"For a = {a:g}, k = {k:g}, lr = {lr:g} and {len(x)} examples one step leads to "
        f"{_two(right[i])}, and you returned {_two(got[i])}. The loss is the mean of "
        "(a * tf.exp(-k * x) - y) ** 2."
    )


def _one_after_the_other(a, k, x, y, lr) -> np.ndarray:
    a = a - lr * _cooling_gradients(a, k, x, y)[0]
    return np.array([a, k - lr * _cooling_gradients(a, k, x, y)[1]])


# 08.2 ---------------------------------------------------------------------------------------------


def _judge_limit(value: Any) -> Judgement:
    array = as_array(value)
    if array is None or array.size != 1 or not np.isfinite(array).all():
        return failed(f"Write one number, the step size; you wrote {in_words(value)}.")
    got = array.item()
    if abs(got - 0.2) < 1e-3:
        return passed("The curvature is 10, and 2/10 is the limit.")
    if got <= 0:
        return failed("A step size is positive: the minus stands in the update already.")
    mistakes = {
        10.0: "10 is the curvature. The limit is 2 divided by it.",
        5.0: "5 stands before w² in the loss. The curvature is the second derivative of 5w², and "
        "the limit is 2 divided by that.",
        0.4: "0.4 is 2/5, and 5 stands before w² in the loss. The curvature is the second "
        "derivative of 5w², which is larger.",
        0.1: "0.1 converges, at once: a step of 1/10 lands on the minimum. The limit is above it; "
        "if you have a curvature of 20, take the mean of the two squares, not their sum.",
        1.0: "1 is 2/2, and 2 is the curvature for an input of 1 alone. Average over both inputs.",
    }
    for number, message in mistakes.items():
        if abs(got - number) < 1e-3:
            return failed(message)
    factor = f"With {got:g}, one step multiplies the distance from w = 2 by {1 - 10 * got:.3g}"
    if got > 0.2:
        return failed(f"{factor}: it explodes. The limit is where this factor is -1.")
    return failed(
        f"{factor}, so it converges; but so do larger ones. The limit is where this factor is -1."
    )


# 08.3 ---------------------------------------------------------------------------------------------


def _draw_lines(rng: np.random.Generator) -> list[tuple]:
    def draw(n, steps):
        x = rng.uniform(-2, 2, n).round(2)
        x[:2] = -1.5, 1.75  # never all on one side
        return x, (-3 * x + 2 + rng.normal(0, 0.3, n)).round(2), 0.05, steps

    return [draw(5, 3), draw(8, 4), draw(5, 30), draw(200, 40)]


def _as_points(x: np.ndarray, y: np.ndarray, lr: float, steps: int) -> tuple:
    import tensorflow as tf

    return tf.constant(x, tf.float32), tf.constant(y, tf.float32), lr, steps


def _line_gradients(w, b, x, y) -> np.ndarray:
    error = w * x + b - y
    return 2 * np.array([np.mean(error * x), np.mean(error)])


def _descend(x, y, lr, steps, factor=1.0, gradients=_line_gradients) -> np.ndarray:
    """Return w and b after ``steps`` steps of size ``factor * lr`` from 0, shape (2,)."""
    p = np.zeros(2)
    with np.errstate(all="ignore"):
        for _ in range(steps):
            p = p - factor * lr * gradients(*p, x, y)
    return p


def _gradients_of_squared_mean(w, b, x, y) -> np.ndarray:
    return 2 * np.mean(w * x + b - y) * np.array([np.mean(x), 1.0])


def _gradients_of_absolute(w, b, x, y) -> np.ndarray:
    sign = np.sign(w * x + b - y)
    return np.array([np.mean(sign * x), np.mean(sign)])


def _in_turn(x, y, lr, steps) -> np.ndarray:
    p = np.zeros(2)
    for _ in range(steps):
        for i in range(2):
            p[i] -= lr * _line_gradients(*p, x, y)[i]
    return p


def _same_end(got: list, expected: list) -> bool:
    """Tell whether values agree, where an exploded one agrees with any that exploded."""

    def agrees(value, reference):
        if np.all(np.isfinite(reference)) and np.abs(reference).max() < 1e6:
            return close([value], [reference], 2e-3)
        return not (np.all(np.isfinite(value)) and np.abs(value).max() < 1e3)

    return all(agrees(v, r) for v, r in zip(got, expected, strict=True))


def _judge_line_fit(returned: list, calls: Sequence[tuple]) -> Judgement:
    if any(value is None for value in returned):
        return failed("Your function returned None. Keep the last line, return w, b.")
    got = [_pair(value) for value in returned]
    for value, pair in zip(returned, got, strict=True):
        if pair is None:
            return failed(f"You returned {in_words(value)}. Return two numbers: w, then b.")
    right = [_descend(*call) for call in calls]
    if close(got, right):
        return passed("The number of examples no longer changes the step.")

    def end(factor):
        return [_descend(*call, factor=factor(call)) for call in calls]

    mistakes = (
        (
            end(lambda call: len(call[0])),
            "The squared errors are still added up, so each step is too long by the number of "
            "examples, and 200 of them explode. Take tf.reduce_mean of them inside the block.",
        ),
        (
            end(lambda call: -1.0),
            "The loop climbs: the gradient says where the loss grows. Subtract lr times it.",
        ),
        (
            end(lambda call: call[2]),
            "The step size counts twice. Multiply each gradient by lr once.",
        ),
        (end(lambda call: 1 / call[2]), "The step size is missing: multiply each gradient by lr."),
        (
            end(lambda call: len(call[0]) / 200),
            "You divide by 200 whatever the number of examples is. With tf.reduce_mean it is "
            "divided by the number that is there.",
        ),
        (
            end(lambda call: len(call[0]) / 5),
            "You divide by 5 whatever the number of examples is. With tf.reduce_mean it is "
            "divided by the number that is there.",
        ),
        (
            end(lambda call: 1 / len(call[0])),
            "The steps are too short by the number of examples: you divide by it twice. "
            "tf.reduce_mean alone is enough.",
        ),
        (
            end(lambda call: 0.5),
            "The steps are half as long as they should be: leave out the factor 1/2.",
        ),
        (
            [_descend(*call[:3], 1) for call in calls],
            "Only one step was taken, whatever `steps` says. Does a `return` stand inside the "
            "loop, or an update below it?",
        ),
        (
            [np.zeros(2)] * len(calls),
            "w and b are still 0. Subtract lr times the gradient from each inside the loop.",
        ),
        ([pair[::-1] for pair in right], "The two results are swapped: w comes first, then b."),
        (
            [_in_turn(*call) for call in calls],
            "The slope of b was taken after w had moved. Ask once for both gradients, then move.",
        ),
        (
            [_descend(*call, gradients=_gradients_of_squared_mean) for call in calls],
            "You average the errors and then square. Square each error first.",
        ),
        (
            [_descend(*call, gradients=_gradients_of_absolute) for call in calls],
            "This is the mean of the absolute errors. Square them, as before.",
        ),
        (
            [np.polyfit(x, y, 1) for x, y, _, _ in calls],
            "This is the closed form. With few steps the loop is not there yet, and the function "
            "should return where it is after `steps` steps.",
        ),
    )
    for values, message in mistakes:
        if _same_end(got, values):
            return failed(message)
    i = first_difference(got, right)
    x, _, lr, steps = calls[i]
    return failed(
        f"After {steps} steps of {lr:g} on {len(x)} examples w and b should be {_two(right[i])}, "
        f"and are {_two(got[i])}. Keep the start, lr and steps as given: only the loss changes, to "
        "the mean of the squared errors."
    )


# 08.4 ---------------------------------------------------------------------------------------------


def _call_fit(fit_and_predict: Callable, *arguments) -> dict:
    """Return what the function returned, and whether it asked a tape for a gradient."""
    import tensorflow as tf

    with calls_noted(tf.GradientTape, "gradient") as gradients:
        returned = fit_and_predict(*arguments)
    return {"returned": returned, "with_tape": bool(gradients)}


def _draw_parabolas(rng: np.random.Generator) -> list[tuple]:
    def draw(n, n_new, low, high):
        z = rng.uniform(-1, 1, n)
        z_new = rng.uniform(0.0, 1.1, n_new)  # another mean and another deviation
        signs = rng.choice([-1, 1], 3)
        a, b, c = signs * rng.uniform([2, 1.5, 1], [4, 3, 4])
        y = a * z**2 + b * z + c + rng.normal(0, 0.4, n)
        middle, half = (low + high) / 2, (high - low) / 2
        return (middle + half * z).round(4), y.round(3), (middle + half * z_new).round(4)

    # In the second call a loop arrives only if x is both centred and scaled.
    return [draw(30, 5, -2.0, 2.0), draw(40, 7, 100.0, 101.0)]


def _as_tensors(*arrays: np.ndarray) -> tuple:
    import tensorflow as tf

    return tuple(tf.constant(array, tf.float32) for array in arrays)


def _fitted(x, y, degree=2, at=None, standardise=lambda x, new: (new - x.mean()) / x.std()):
    """Return the closed form's values at ``at``, a function of the learner's z."""
    z = (x - x.mean()) / x.std()
    return np.polyval(np.polyfit(z, y, degree), standardise(x, at))


def _judge_fit_and_predict(returned: list, calls: Sequence[tuple]) -> Judgement:
    with_tape = all(value["items"]["with_tape"] for value in returned)
    returned = [value["items"]["returned"] for value in returned]
    got = []
    for value, (x, _, x_new) in zip(returned, calls, strict=True):
        array = as_vector(value)
        message = _mistake_in_form(value, array, len(x), len(x_new))
        if message:
            return failed(message)
        got.append(array.reshape(-1))
    right = [_fitted(x, y, at=x_new) for x, y, x_new in calls]
    if close(got, right, 2e-3):
        if not with_tape:
            return failed(
                "The values are right, but no tape was asked for a gradient. The closed form is "
                "what the check compares with: arrive there by a loop, with a tape in it."
            )
        return passed("This is the closed form's parabola, wherever x lies and however wide.")
    for values, (x, _, _) in zip(got, calls, strict=True):
        if not (np.all(np.isfinite(values)) and np.abs(values).max() < 1e6):
            return failed(
                f"For x from {x.min():.3g} to {x.max():.3g} your function returns {values[0]:.3g}. "
                "The loop explodes: its step size is too large for the curvature there. With a "
                "standardised x, a step size of 0.15 is small enough."
            )
    mistakes = (
        (
            [
                _fitted(x, y, at=n, standardise=lambda x, n: (n - n.mean()) / n.std())
                for x, y, n in calls
            ],
            "x_new was standardised with its own mean and deviation. Use those of x: the fit "
            "knows no others.",
        ),
        (
            [_fitted(x, y, at=n, standardise=lambda x, n: n) for x, y, n in calls],
            "The fit knows the standardised z, and you gave it x_new as it is. Take the mean and "
            "the deviation of x off x_new first.",
        ),
        (
            [_fitted(x, y, degree=1, at=n) for x, y, n in calls],
            "This is the straight line nearest to the points. A parabola has a term with the "
            "square, too.",
        ),
        (
            [np.full(len(n), y.mean()) for _, y, n in calls],
            "This is the mean of y, whatever x_new is. Compute a * z**2 + b * z + c at x_new, and "
            "look at the shapes: a column (n, 1) minus y, (n,), is a table of n by n.",
        ),
        (
            [np.zeros(len(n)) for _, _, n in calls],
            "All values are 0: the coefficients have not moved. Subtract lr times their gradients, "
            "in a loop.",
        ),
    )
    for values, message in mistakes:
        if close(got, values, 2e-3):
            return failed(message)
    i = first_difference(got, right, 2e-3)
    x, _, x_new = calls[i]
    ranges = f"For x from {x.min():.3g} to {x.max():.3g} and x_new = {x_new[0]:.4g}"
    values = f"the closed form gives {right[i][0]:.4g}, and you returned {got[i][0]:.4g}"
    if i:
        return failed(
            f"{ranges} {values}. The first case, with x between -2 and 2, is right, so your loop "
            "works but does not arrive here. If x is not standardised, standardise it, and x_new "
            "in the same way; if it is, take more steps."
        )
    return failed(
        f"{ranges} {values}. Either the loop stops before the minimum (more steps, or a larger "
        "step size), or the prediction is not a * z**2 + b * z + c."
    )


def _mistake_in_form(value: Any, array: np.ndarray | None, n: int, n_new: int) -> str | None:
    if value is None:
        return "Your function returned None. Return the parabola's values at x_new."
    if array is not None and array.shape in ((n_new,), (n_new, 1)):
        return None
    is_three = is_a(value, "list", "tuple") and len(value["items"]) == 3
    if is_three or (array is not None and array.size == 3):
        return (
            "You returned three things, as the coefficients are. Return the values of the parabola "
            "at x_new, one for each entry."
        )
    if array is not None and array.shape in ((n,), (n, 1)):
        return "You returned one value for each entry of x. Return those for x_new."
    return (
        f"You returned {in_words(value)}. Return the parabola's values at x_new as one tensor, "
        f"here of shape ({n_new},)."
    )


EXERCISES = (
    FunctionExercise(
        id="08.1",
        title="One step down a curve",
        kind="complete",
        points=2,
        draw_calls=_draw_cooling,
        prepare=_as_cooling,
        judge=_judge_one_step,
    ),
    ValueExercise(
        id="08.2",
        title="The largest stable step size",
        kind="predict",
        points=1,
        judge=_judge_limit,
    ),
    FunctionExercise(
        id="08.3",
        title="A loop that explodes with more data",
        kind="repair",
        points=2,
        draw_calls=_draw_lines,
        prepare=_as_points,
        judge=_judge_line_fit,
    ),
    FunctionExercise(
        id="08.4",
        title="A parabola wherever x lies",
        kind="complete",
        points=3,
        draw_calls=_draw_parabolas,
        prepare=_as_tensors,
        call=_call_fit,
        judge=_judge_fit_and_predict,
    ),
)

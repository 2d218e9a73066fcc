"""The exercises of lesson 01: a first gradient, its shape, many sources, and a lost recording."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .exercise import FunctionExercise, Judgement, ValueExercise, failed, passed
from .reading import as_array, close, first_difference, in_words, is_a

__all__ = ["EXERCISES"]


# 01.1 ---------------------------------------------------------------------------------------------


def _draw_points(rng: np.random.Generator) -> list[tuple]:
    return [(3.0,), (-1.5,), (0.5,), *[(float(x),) for x in rng.uniform(1.5, 4.0, 3).round(2)]]


def _judge_slope(returned: list, calls: Sequence[tuple]) -> Judgement:
    x = np.array([call[0] for call in calls])
    if any(value is None for value in returned):
        return failed(
            "Your function returned None. Either it returns nothing, or the tape has no path from "
            "x to y: make x a tf.Variable, and compute y from it inside the `with` block. Then "
            "return tape.gradient(y, x), the target first and the source second."
        )
    values = [as_array(value) for value in returned]
    if any(value is None or value.shape != () for value in values):
        return failed(f"The slope at x is one number; you returned {in_words(returned[0])}.")
    got = np.array(values)
    if close([got], [3 * x**2 - 2]):
        return passed("This is 3 * x**2 - 2, also at points that the check drew at random.")
    if close([got], [x**3 - 2 * x]):
        return failed("This is y itself. Return what tape.gradient(y, x) gives, not y.")
    if close([got], [3 * x**2]):
        return failed("This is the slope of x**3 alone. The term -2 * x has a slope too: -2.")
    if close([got], [3 * x**2 + 2]):
        return failed("The sign of the second term is wrong: y is x**3 - 2 * x, with a minus.")
    if close([got], [2 * x]):
        return failed("This is the slope of x**2, from the text. Here y is x**3 - 2 * x.")
    if not got.any():
        return failed(
            "Your function returned 0 for every x. A zero in place of None hides the fault: the "
            "tape has no path from x to y. Compute y from the variable, inside the `with` block."
        )
    if close([got], [np.full_like(x, got[0])], 1e-6):
        return failed(
            f"Your function returned {got[0]:g} for every x, but the slope changes with x. "
            "Make the variable from the argument x, and write the cube as x**3, not x * 3."
        )
    i = first_difference(got, 3 * x**2 - 2)
    return failed(
        f"At x = {x[i]:g} the slope of x**3 - 2 * x is {3 * x[i] ** 2 - 2:.5g}, and you returned "
        f"{got[i]:.5g}. Check the formula of y in the `with` block, and return the slope as it is."
    )


# 01.2 ---------------------------------------------------------------------------------------------


def _judge_shape(value: Any) -> Judgement:
    if value is None or value == "None":
        return failed("There is a gradient: W is a variable, and the loss is computed from it.")
    shape = _whole_numbers(value)
    if shape is None:
        return failed(
            "Write the shape as one tuple of whole numbers, such as (8, 1); you wrote "
            f"{in_words(value)}."
        )
    mistakes = {
        (): "() is the shape of the loss. The gradient says how the loss moves with each entry of "
        "W, so it has one entry for each.",
        (1,): "The loss is one number, but it moves with every entry of W: the gradient holds one "
        "number for each.",
        (2, 4): "This is W transposed. The gradient has the shape of its source as it stands.",
        (8, 2): "This is the shape of features @ W. The question asks about each entry of W.",
        (8, 4): "This is the shape of features. The question asks about each entry of W.",
        (8,): "W has 8 entries, but the gradient keeps the arrangement of W.",
        (8, 4, 2): "The 8 examples are averaged into one loss, so no axis is left for them.",
    }
    if shape == (4, 2):
        return passed("A gradient always has the shape of its source.")
    return failed(
        mistakes.get(shape)
        or f"{shape} is not it. A gradient holds one number for each entry of its source: "
        "what shape does W have?"
    )


def _whole_numbers(value: Any) -> tuple[int, ...] | None:
    """Return a described tuple, list or vector of whole numbers as a tuple; None for the rest."""
    if is_a(value, "tuple", "list"):
        numbers = [as_array(item) for item in value["items"]]
    else:
        array = as_array(value)
        numbers = list(array) if array is not None and array.ndim == 1 else [None]
    if any(n is None or n.shape != () or n != np.round(n) for n in numbers):
        return None
    return tuple(int(n) for n in numbers)


# 01.3 ---------------------------------------------------------------------------------------------


def _draw_linear_models(rng: np.random.Generator) -> list[tuple]:
    def draw(n):
        return (
            rng.normal(size=(3, 1)),
            rng.normal(),
            rng.normal(size=(n, 3)),
            rng.normal(size=(n, 1)),
        )

    return [draw(n) for n in (5, 8)]


def _as_parameters(W: np.ndarray, b: float, x: np.ndarray, y: np.ndarray) -> tuple:
    import tensorflow as tf

    parameters = {"W": tf.Variable(W, dtype=tf.float32), "b": tf.Variable(b, dtype=tf.float32)}
    return parameters, tf.constant(x, tf.float32), tf.constant(y, tf.float32)


def _loss_gradients(W: np.ndarray, b: float, x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    """Return the mean squared error's gradients with respect to W, shape (3, 1), and b, ()."""
    error = x @ W + b - y
    return [2 * x.T @ error / len(x), np.asarray(2 * np.mean(error))]


def _judge_loss_gradients(returned: list, calls: Sequence[tuple]) -> Judgement:
    for value in returned:
        mistake = _mistake_in_structure(value)
        if mistake:
            return failed(mistake)
    got = [as_array(value["items"][key]) for value in returned for key in ("W", "b")]
    right = [gradient for call in calls for gradient in _loss_gradients(*call)]
    if close(got, right):
        return passed("Both gradients are right, and they come back under their names.")
    parameters = [array for W, b, _, _ in calls for array in (W, np.asarray(b))]
    if close(got, parameters):
        return failed("These are the parameters themselves. Return tape.gradient(loss, params).")
    counts = [len(x) for _, _, x, _ in calls for _ in range(2)]
    if close(got, [n * gradient for n, gradient in zip(counts, right, strict=True)]):
        return failed(
            "Both gradients are too large by the number of examples: the squared errors are added "
            "up, not averaged. Take tf.reduce_mean of them. Without it, the tape adds them up by "
            "itself, as it does with every target of many entries."
        )
    if close(got, [gradient / 2 for gradient in right]):
        return failed("Both gradients are half of what they should be: leave out the factor 1/2.")
    if close(got, [-gradient for gradient in right]):
        return failed("Both gradients have the wrong sign. Return them as the tape gives them.")
    if close(got, [g for call in calls for g in _gradients_without_square(*call)]):
        return failed("You averaged the errors without squaring them. Square each error first.")
    if close(got, [g for call in calls for g in _gradients_of_squared_mean(*call)]):
        return failed("You averaged the errors and then squared: square each error first.")
    if close(got, [g for call in calls for g in _gradients_of_broadcast(*call)]):
        return failed(
            "The prediction and y do not line up: one has shape (n, 1), the other (n,), and their "
            "difference is a table of n by n. Keep both at (n, 1)."
        )
    return failed(
        "The gradients have the right form but not the right values. The loss is "
        "tf.reduce_mean((x @ W + b - y) ** 2): compare yours with it, term by term."
    )


def _mistake_in_structure(value: Any) -> str | None:
    if value is None:
        return (
            "Your function returned None. Either it returns nothing, or the order is wrong: return "
            "tape.gradient(loss, params), the target first."
        )
    items = value["items"] if is_a(value, "list", "tuple") else []
    if any(is_a(item, "dict") for item in items):
        return f"You returned {in_words(value)}. Return the dict of gradients alone."
    if is_a(value, "list", "tuple"):
        return (
            f"You returned {in_words(value)}. Gradients come back in the structure of the sources: "
            "pass the dict `params` itself as the second argument."
        )
    if not is_a(value, "dict"):
        return (
            f"You returned {in_words(value)}; a dict with the keys W and b was asked for. Return "
            "tape.gradient(loss, params): the source is the whole dict."
        )
    if set(value["items"]) != {"W", "b"}:
        keys = ", ".join(value["items"]) or "no keys"
        return f"The dict has {keys}; it needs one gradient for W and one for b."
    for key, item in value["items"].items():
        if as_array(item) is None:
            return (
                f"The gradient of {key} is {in_words(item)}. Use params['{key}'] itself when you "
                "compute the prediction, inside the `with` block."
            )
    for key, shape in (("W", (3, 1)), ("b", ())):
        given = as_array(value["items"][key]).shape
        if given != shape:
            return (
                f"Under {key} stands an array of shape {given}, and {key} itself has shape "
                f"{shape}. A gradient has the shape of its source; the tape returns it so."
            )
    return None


def _gradients_without_square(W, b, x, y) -> list[np.ndarray]:
    return [np.mean(x, axis=0)[:, None], np.asarray(1.0)]


def _gradients_of_squared_mean(W, b, x, y) -> list[np.ndarray]:
    mean_error = np.mean(x @ W + b - y)
    return [2 * mean_error * np.mean(x, axis=0)[:, None], np.asarray(2 * mean_error)]


def _gradients_of_broadcast(W, b, x, y) -> list[np.ndarray]:
    table = (x @ W + b) - y.T  # (n, 1) against (1, n)
    mean_error = np.mean(table, axis=1, keepdims=True)
    return [2 * x.T @ mean_error / len(x), np.asarray(2 * np.mean(table))]


# 01.4 ---------------------------------------------------------------------------------------------


def _draw_lines(rng: np.random.Generator) -> list[tuple]:
    first = (2.0, np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 1.0]))
    falling = (-2.0, np.array([1.0, 2.0]), np.array([1.0, 3.0]))
    drawn = [(round(rng.uniform(1, 3), 1), *rng.normal(size=(2, n)).round(1)) for n in (4, 6)]
    return [first, falling, *drawn]


def _as_line(w: float, x: np.ndarray, y: np.ndarray) -> tuple:
    import tensorflow as tf

    return tf.Variable(w, dtype=tf.float32), *(tf.constant(a, tf.float32) for a in (x, y))


def _judge_late_tape(returned: list, calls: Sequence[tuple]) -> Judgement:
    if any(value is None for value in returned):
        return failed(
            "It still returns None. Every step from w to the loss must run inside the `with` "
            "block, with w itself and not w.numpy(). Then return tape.gradient(loss, w), in this "
            "order."
        )
    values = [as_array(value) for value in returned]
    if any(value is None for value in values):
        return failed(f"The gradient of w is one number; you returned {in_words(returned[0])}.")
    right = [np.asarray(2 * np.mean((w * x - y) * x)) for w, x, y in calls]
    if close(values, right):
        return passed("Nothing between w and the loss is lost any more.")
    if close(values, [np.zeros(())] * len(calls)):
        return failed(
            "It returns 0 for every input. A zero in place of None hides the fault: a step from w "
            "to the loss still runs before the tape records. Move it inside the `with` block."
        )
    if close(values, [2 * (w * x - y) / len(x) for w, x, y in calls]):
        return failed(
            "This is the gradient with respect to y_hat: one number for each example. Compute "
            "y_hat inside the `with` block and ask for the gradient of w."
        )
    if close(values, [np.asarray(np.mean((w * x - y) ** 2)) for w, x, y in calls]):
        return failed("This is the loss. Return tape.gradient(loss, w).")
    if close(values, [len(x) * g for (_, x, _), g in zip(calls, right, strict=True)]):
        return failed(
            "The gradient is too large by the number of examples: the squared errors are added up. "
            "Keep tf.reduce_mean around them, as it was given."
        )
    i = first_difference(values, right)
    w, x, y = calls[i]
    return failed(
        f"For w = {w:g}, x = {x.tolist()}, y = {y.tolist()} the gradient is {right[i]:.5g}, and "
        f"you returned {in_words(returned[i])}. Keep the loss as given; only move a line."
    )


EXERCISES = (
    FunctionExercise(
        id="01.1",
        title="Slope of a cubic",
        kind="complete",
        points=2,
        draw_calls=_draw_points,
        judge=_judge_slope,
    ),
    ValueExercise(
        id="01.2",
        title="The shape of a gradient",
        kind="predict",
        points=1,
        judge=_judge_shape,
    ),
    FunctionExercise(
        id="01.3",
        title="Gradients in a dict",
        kind="complete",
        points=3,
        draw_calls=_draw_linear_models,
        prepare=_as_parameters,
        judge=_judge_loss_gradients,
    ),
    FunctionExercise(
        id="01.4",
        title="A recording that starts too late",
        kind="repair",
        points=2,
        draw_calls=_draw_lines,
        prepare=_as_line,
        judge=_judge_late_tape,
    ),
)

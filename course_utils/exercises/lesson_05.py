"""The exercises of lesson 05: a branch, counted traces, a dataset loop, and an iteration."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .exercise import FunctionExercise, Judgement, ValueExercise, failed, passed
from .reading import as_array, close, first_difference, in_words, is_a

__all__ = ["EXERCISES"]


def _mistake_in_dict(value: Any, keys: tuple[str, str], target: str) -> str | None:
    """Return what is wrong with the form of a dict of two gradients of shape (), or None."""
    first, second = keys
    if value is None:
        return (
            "Your function returned None. Return the dict of gradients: "
            f"tape.gradient({target}, ...), the target first."
        )
    if is_a(value, "list", "tuple"):
        return (
            f"You returned {in_words(value)}. Gradients come back in the structure of the sources: "
            f'pass {{"{first}": {first}, "{second}": {second}}} as the second argument.'
        )
    if not is_a(value, "dict"):
        return (
            f"You returned {in_words(value)}; a dict with the keys {first} and {second} was asked "
            f'for. Pass {{"{first}": {first}, "{second}": {second}}} as the second argument of '
            "tape.gradient."
        )
    if set(value["items"]) != set(keys):
        found = ", ".join(value["items"]) or "no keys"
        return f"The dict has {found}; it needs the keys {first} and {second}."
    for key, item in value["items"].items():
        array = as_array(item)
        if item is not None and (array is None or array.shape != ()):
            return f"The gradient of {key} is one number or None; you returned {in_words(item)}."
    return None


def _column(returned: list, key: str) -> list:
    """Return the gradients under ``key``, one for each call: None, or an array of shape ()."""
    items = [value["items"][key] for value in returned]
    return [None if item is None else as_array(item) for item in items]


def _zeros_for_none(values: list) -> list[np.ndarray]:
    return [np.zeros(()) if value is None else value for value in values]


# 05.1 ---------------------------------------------------------------------------------------------


def _draw_errors(rng: np.random.Generator) -> list[tuple]:
    drawn = rng.uniform(0.2, 0.8), rng.uniform(1.5, 3.0)
    inner, outer = (round(float(size), 2) for size in drawn)
    # Sizes and thresholds lie on both sides of 1, so that no fixed threshold fits.
    return [(0.5, 2.0), (-5.0, 1.5), (-inner, 1.2), (outer, 1.25), (-1.6, 2.5), (0.8, 0.3)]


def _as_variables(*numbers: float) -> tuple:
    import tensorflow as tf

    return tuple(tf.Variable(number, dtype=tf.float32) for number in numbers)


def _huber_gradients(error: float, threshold: float) -> tuple[float, float]:
    """Return the gradients with respect to the error and the threshold; 0 where there is none."""
    if abs(error) <= threshold:
        return error, 0.0
    return threshold * np.sign(error), abs(error) - threshold


def _judge_huber(returned: list, calls: Sequence[tuple]) -> Judgement:
    for value in returned:
        mistake = _mistake_in_dict(value, ("error", "threshold"), "loss")
        if mistake:
            return failed(mistake)
    by_error, by_threshold = _column(returned, "error"), _column(returned, "threshold")
    outer = [abs(error) > threshold for error, threshold in calls]
    if any(value is None for value in by_error):
        return failed(
            "The gradient with respect to error is None. Compute the loss from error itself, not "
            "from error.numpy() or float(error), inside the `with` block."
        )
    got = list(zip(by_error, _zeros_for_none(by_threshold), strict=True))

    def is_like(rule: Callable) -> bool:
        return all(close(pair, rule(*call)) for pair, call in zip(got, calls, strict=True))

    def within(inside: Callable, outside: Callable) -> Callable:
        return lambda e, d: inside(e, d) if abs(e) <= d else outside(e, d)

    def square(e, d):
        return e, 0.0

    def line(e, d):
        return d * np.sign(e), abs(e) - d

    if is_like(_huber_gradients):
        inner = [v for v, is_outer in zip(by_threshold, outer, strict=True) if not is_outer]
        how = "None" if any(value is None for value in inner) else "0"
        return passed(
            "Both gradients are right on both sides of the threshold. Where |error| is below it, "
            f"your gradient with respect to threshold is {how}: that branch does not use it."
        )
    if is_like(square):
        return failed(
            "These are the gradients of error**2 / 2 for every input. Where |error| is above the "
            "threshold, the other branch must run."
        )
    if is_like(line):
        return failed(
            "These are the gradients of the straight branch for every input. Where |error| is at "
            "most the threshold, the loss is error**2 / 2."
        )
    if is_like(within(line, square)):
        return failed("The branches are exchanged: the square is for |error| <= threshold.")
    if is_like(lambda e, d: square(e, d) if e <= d else line(e, d)):
        return failed(
            "A large negative error takes the wrong branch: compare tf.abs(error), not error, with "
            "the threshold."
        )
    if is_like(within(square, lambda e, d: (d, e - d))):
        return failed(
            "For errors above the threshold it is right, and for those below -threshold it is not. "
            "The straight branch has |error| in it: take tf.abs(error)."
        )
    if is_like(within(lambda e, d: (2 * e, 0.0), line)):
        return failed("Inside the threshold the loss is error**2 / 2; the factor 1/2 is missing.")
    if is_like(within(square, lambda e, d: (d * np.sign(e), abs(e) - 2 * d))):
        return failed(
            "In the straight branch the threshold is subtracted whole: it is "
            "threshold * (|error| - threshold / 2)."
        )
    if is_like(within(square, lambda e, d: (d * np.sign(e), abs(e)))):
        return failed(
            "In the straight branch the term -threshold / 2 is missing, or the tape did not see it."
        )
    if any(v is None for v, is_outer in zip(by_threshold, outer, strict=True) if is_outer):
        return failed(
            "Where |error| is above the threshold, the gradient with respect to threshold is None. "
            "There the loss depends on it: use threshold itself, inside the `with` block."
        )
    if is_like(within(square, lambda e, d: (d * np.sign(e), 0.0))):
        return failed(
            "The gradient with respect to threshold is 0 for every input. Above the threshold, the "
            "loss depends on it: a zero in place of None hides that the tape did not see it."
        )
    if is_like(lambda e, d: _huber_gradients(e, d)[::-1]):
        return failed("The two gradients stand under each other's keys.")
    right = [_huber_gradients(*call) for call in calls]
    i = first_difference(got, right)
    (e, d), (by_e, by_d) = calls[i], right[i]
    return failed(
        f"For error = {e:g} and threshold = {d:g} the gradients are {by_e:.4g} for error and "
        f"{by_d:.4g} for threshold; you returned {_pair(returned[i], ('error', 'threshold'))}. "
        "Compare both branches with the text."
    )


def _pair(value: dict, keys: tuple[str, str]) -> str:
    """Return the two gradients of a described dict in words, such as "1.5 and None"."""
    arrays = [None if value["items"][k] is None else as_array(value["items"][k]) for k in keys]
    return " and ".join("None" if array is None else f"{array:.4g}" for array in arrays)


# 05.2 ---------------------------------------------------------------------------------------------

_TRACES = {
    0: "The first call cannot run a graph that does not exist yet: it traces.",
    1: "One trace would serve all six if only dtypes counted. A new shape, a new value of a Python "
    "number, and a tensor in place of a number each need another.",
    2: "There are more. Besides a new shape, a new value of a Python number needs a trace, and so "
    "does a tensor in place of a number.",
    3: "One is missing. A new shape, a new value of a Python number, and a tensor in place of a "
    "number: each needs a trace.",
    5: "One too many. Two calls share a trace if they differ only in the values of their tensors.",
    6: "That would be one for each call. But two calls share a trace if they differ only in the "
    "values of their tensors.",
}


def _judge_traces(value: Any) -> Judgement:
    number = as_array(value)
    if number is None or number.shape != () or not np.isfinite(number) or number % 1:
        return failed(f"Write one whole number, such as 6; you wrote {in_words(value)}.")
    if number == 4:
        return passed("Calls 1, 3, 4 and 5 trace; call 2 reuses the first, and call 6 the fifth.")
    return failed(
        _TRACES.get(int(number))
        or f"There are six calls, and each traces at most once: {number:g} cannot be."
    )


# 05.3 ---------------------------------------------------------------------------------------------


def _draw_batches(rng: np.random.Generator) -> list[tuple]:
    first = (2.0, np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 1.0]), 2)
    falling = (-2.0, np.array([1.0, 2.0, 3.0, 1.0]), np.array([1.0, 3.0, -1.0, 2.0]), 3)
    drawn = (round(rng.uniform(1, 3), 1), *rng.normal(size=(2, 7)).round(1), 3)
    return [first, falling, drawn]


def _as_dataset(w: float, x: np.ndarray, y: np.ndarray, batch_size: int) -> tuple:
    import tensorflow as tf

    pairs = tf.constant(x, tf.float32), tf.constant(y, tf.float32)
    dataset = tf.data.Dataset.from_tensor_slices(pairs).batch(batch_size)
    return tf.Variable(w, dtype=tf.float32), dataset


def _per_batch(w: float, x: np.ndarray, y: np.ndarray, batch_size: int) -> np.ndarray:
    """Return each batch's sum of squared errors and its gradient, shape (batches, 2)."""
    starts = range(0, len(x), batch_size)
    pairs = [(x[i : i + batch_size], y[i : i + batch_size]) for i in starts]
    return np.array([(np.sum((w * a - b) ** 2), np.sum(2 * (w * a - b) * a)) for a, b in pairs])


def _judge_dataset_loop(returned: list, calls: Sequence[tuple]) -> Judgement:
    for value in returned:
        if value is None:
            return failed("Your function returned None. Return the sum and its gradient.")
        if not is_a(value, "tuple", "list") or len(value["items"]) != 2:
            return failed(
                f"You returned {in_words(value)}. Return two things, in this order: the sum, and "
                "its gradient with respect to w."
            )
    totals, gradients = (
        [None if value["items"][k] is None else as_array(value["items"][k]) for value in returned]
        for k in (0, 1)
    )
    if any(value["items"][1] is None for value in returned):
        return failed(
            "The gradient is still None. A loop over the dataset, or its reduce, is one operation "
            "without a gradient for a tape around it. Put the `with` block inside the loop, "
            "and add up the gradients."
        )
    for value, total, gradient in zip(returned, totals, gradients, strict=True):
        for name, array, item in zip(
            ("sum", "gradient"), (total, gradient), value["items"], strict=True
        ):
            if array is None or array.shape != ():
                return failed(f"The {name} is one number; you returned {in_words(item)}.")
    batches = [_per_batch(*call) for call in calls]
    right = np.array([batch.sum(axis=0) for batch in batches])
    total_is_right = close(totals, right[:, 0])
    if total_is_right and close(gradients, right[:, 1]):
        return passed("Every batch is in the sum, and every batch is in the gradient.")
    if close(totals, right[:, 1]) and close(gradients, right[:, 0]):
        return failed("The two are exchanged: return the sum first, then its gradient.")
    if total_is_right and not np.any(gradients):
        return failed(
            "The gradient is 0 for every dataset. A zero in place of None hides the fault: put the "
            "`with` block inside the loop, and add up the gradients."
        )
    if total_is_right and close(gradients, [batch[-1, 1] for batch in batches]):
        return failed(
            "This is the gradient of the last batch. Each pass overwrites it, or starts its tape "
            "anew: add what each batch gives to what came before."
        )
    if total_is_right and close(gradients, [batch[0, 1] for batch in batches]):
        return failed("This is the gradient of the first batch alone. Return after the loop.")
    if total_is_right and close(gradients, np.array([b[:, 1].mean() for b in batches])):
        return failed("This is the mean of the batches' gradients. The gradient of a sum is a sum.")
    if total_is_right and close(gradients, right[:, 0]):
        return failed("You returned the sum twice. Return the sum of the gradients as the second.")
    if close(totals, [b[-1, 0] for b in batches]) and close(gradients, [b[-1, 1] for b in batches]):
        return failed(
            "These are the loss and the gradient of the last batch. Add each batch's to the sums."
        )
    if close(totals, [b[0, 0] for b in batches]) and close(gradients, [b[0, 1] for b in batches]):
        return failed("These belong to the first batch alone. Return after the loop, not in it.")
    counts = np.array([len(x) for _, x, _, _ in calls])
    if close(totals, right[:, 0] / counts):
        return failed(
            "The squared errors are averaged. Keep tf.reduce_sum, as it was given: the sum was "
            "right."
        )
    sizes = [np.diff([*range(0, len(x), size), len(x)]) for _, x, _, size in calls]
    if close(totals, [np.sum(b[:, 0] / n) for b, n in zip(batches, sizes, strict=True)]):
        return failed(
            "These are the mean errors of the batches, added up. Keep tf.reduce_sum in the loss, "
            "as it was given: the sum was right."
        )
    if not total_is_right:
        i = first_difference(totals, right[:, 0])
        name, got = "sum", totals[i]
    else:
        i = first_difference(gradients, right[:, 1])
        name, got = "gradient", gradients[i]
    w, x, y, size = calls[i]
    expected = right[i, 0 if name == "sum" else 1]
    return failed(
        f"For w = {w:g}, x = {x.tolist()}, y = {y.tolist()} in batches of {size} the {name} is "
        f"{expected:.5g}, and you returned {got:.5g}. Keep the loss as given, and add up over all "
        "batches."
    )


# 05.4 ---------------------------------------------------------------------------------------------


def _draw_orbits(rng: np.random.Generator) -> list[tuple]:
    drawn = round(rng.uniform(0.8, 1.6), 2), round(rng.uniform(0.3, 0.6), 2)
    return [(1.0, 0.5), (-2.0, 0.4), (1.0, 0.0), drawn]


def _as_orbit(M: float, e: float) -> tuple:
    import tensorflow as tf

    return tf.Variable(M, dtype=tf.float64), tf.Variable(e, dtype=tf.float64)


def _after_passes(M: float, e: float, passes: int) -> tuple[float, float]:
    """Return dE/dM and dE/de after so many passes from E = M."""
    E, by_M, by_e = M, 1.0, 0.0
    for _ in range(passes):
        by_M, by_e = 1 + e * np.cos(E) * by_M, np.sin(E) + e * np.cos(E) * by_e
        E = M + e * np.sin(E)
    return by_M, by_e


def _anomaly(M: float, e: float) -> float:
    E = M
    for _ in range(200):
        E = M + e * np.sin(E)
    return E


def _kepler_gradients(M: float, e: float) -> tuple[float, float]:
    """Return dE/dM = 1 / (1 - e cos E) and dE/de = sin E / (1 - e cos E)."""
    E = _anomaly(M, e)
    return 1 / (1 - e * np.cos(E)), np.sin(E) / (1 - e * np.cos(E))


def _judge_kepler(returned: list, calls: Sequence[tuple]) -> Judgement:
    for value in returned:
        mistake = _mistake_in_dict(value, ("M", "e"), "E")
        if mistake:
            return failed(mistake)
    by_M, by_e = _column(returned, "M"), _column(returned, "e")
    for name, column in (("M", by_M), ("e", by_e)):
        if all(value is None for value in column):
            return failed(
                f"The gradient with respect to {name} is None for every input. Compute E inside "
                f"the `with` block from {name} itself, in tensors: neither assign nor .numpy() nor "
                "NumPy's functions carry a gradient."
            )
    right = [_kepler_gradients(*call) for call in calls]
    got = list(zip(_zeros_for_none(by_M), _zeros_for_none(by_e), strict=True))
    pairs = list(zip(got, right, calls, strict=True))
    if any(value is None for column in (by_M, by_e) for value in column) or not all(
        close(g, r) for g, r, (_, e) in pairs if e == 0
    ):
        if all(close(g, r) for g, r, (_, e) in pairs if e != 0):
            return failed(
                "Everything is right except at e = 0, where the gradient with respect to e is "
                "sin(M), and yours is not. There E = M solves the equation at once, so a loop with "
                "a stopping rule makes no pass: make one more after it."
            )
    if all(close(g, r) for g, r, _ in pairs):
        return passed(
            "These are the slopes of a function that has no formula, also at e = 0. By hand they "
            "are 1 and sin E, both divided by 1 - e * cos E."
        )

    def is_like(rule: Callable) -> bool:
        return all(close(pair, rule(*call)) for pair, _, call in pairs)

    for passes in range(21):
        if is_like(lambda M, e, n=passes: _after_passes(M, e, n)):
            how_many = f"{passes} pass{'' if passes == 1 else 'es'}"
            each = ", each with the sine of the E before it" if passes == 1 else ""
            return failed(
                f"These are the slopes after {how_many}, counted from E = M. For e up to 0.6 that "
                f"is too early: the slopes still change. Make 60 passes{each}."
            )
    if is_like(lambda M, e: (1.0, np.sin(_anomaly(M, e)))):
        return failed(
            "These are the slopes of the last pass alone: to the tape, the E that went into it "
            "was a plain number. Let the tape record every pass."
        )
    if is_like(lambda M, e: (_anomaly(M, e),) * 2):
        return failed("This is E itself. Return tape.gradient(E, ...) with the dict of sources.")
    if is_like(lambda M, e: np.array([1, -1]) * _kepler_gradients(M, -e)):
        return failed("The sign of a term is wrong: E is M + e * sin(E), with a plus.")
    if is_like(lambda M, e: _kepler_gradients(M, e)[::-1]):
        return failed("The two gradients stand under each other's keys.")
    i = first_difference(got, right)
    (M, e), (slope_M, slope_e) = calls[i], right[i]
    return failed(
        f"For M = {M:g} and e = {e:g} the gradients are {slope_M:.4g} for M and {slope_e:.4g} for "
        f"e; you returned {_pair(returned[i], ('M', 'e'))}. Check the formula of a pass, and "
        "whether the loop stops too early: slopes converge after the value."
    )


EXERCISES = (
    FunctionExercise(
        id="05.1",
        title="The gradients of a Huber loss",
        kind="complete",
        points=2,
        draw_calls=_draw_errors,
        prepare=_as_variables,
        judge=_judge_huber,
    ),
    ValueExercise(
        id="05.2",
        title="How many traces",
        kind="predict",
        points=1,
        judge=_judge_traces,
    ),
    FunctionExercise(
        id="05.3",
        title="A gradient lost in a dataset",
        kind="repair",
        points=3,
        draw_calls=_draw_batches,
        prepare=_as_dataset,
        judge=_judge_dataset_loop,
    ),
    FunctionExercise(
        id="05.4",
        title="The slopes of an orbit",
        kind="complete",
        points=3,
        draw_calls=_draw_orbits,
        prepare=_as_orbit,
        judge=_judge_kepler,
    ),
)

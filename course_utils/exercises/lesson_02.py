"""The exercises of lesson 02: watching tensors, in time, under the right name, and no others."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .exercise import FunctionExercise, Judgement, ValueExercise, failed, passed
from .observation import calls_noted
from .reading import as_array, close, first_difference, in_words, is_a

__all__ = ["EXERCISES"]


# 02.1 ---------------------------------------------------------------------------------------------


def _draw_vectors(rng: np.random.Generator) -> list[tuple]:
    chosen = [1.0, 2.0, 3.0], [-1.5, 0.5], [1.0, -1.0, -1.0, -1.0, -1.5]  # one negative entry
    drawn = [rng.uniform(-2, 2, n).round(1) for n in (4, 5)]
    return [(np.array(x),) for x in (*chosen, *drawn)]


def _as_tensors(*arrays: np.ndarray) -> tuple:
    import tensorflow as tf

    return tuple(tf.constant(array, tf.float32) for array in arrays)


def _judge_product(returned: list, calls: Sequence[tuple]) -> Judgement:
    if any(value is None for value in returned):
        return failed(
            "Your function returned None. Either it returns nothing, or nothing told the tape to "
            "watch x, the source: call tape.watch(x) as the first line of the block. Then return "
            "tape.gradient(y, x), the target first."
        )
    values = [as_array(value) for value in returned]
    if any(value is None for value in values):
        return failed(
            f"The gradient is an array of the shape of x; you returned {in_words(returned[0])}. "
            "Return what tape.gradient(y, x) gives, with x itself as the source."
        )
    xs = [call[0] for call in calls]
    squares, sums = [np.sum(x**2) for x in xs], [np.sum(x) for x in xs]
    right = [2 * x * s + q for x, q, s in zip(xs, squares, sums, strict=True)]
    if close(values, right):
        return passed("The gradient is right for tensors of several lengths.")
    if close(values, [np.asarray(q * s) for q, s in zip(squares, sums, strict=True)]):
        return failed("This is y itself. Return tape.gradient(y, x), not y.")
    if close(values, [np.sum(gradient) for gradient in right]):
        return failed(
            "You added the entries of the gradient up. Return what tape.gradient(y, x) gives as it "
            "is: one number for each entry of x."
        )
    if any(value.shape != x.shape for value, x in zip(values, xs, strict=True)):
        i = next(i for i, x in enumerate(xs) if values[i].shape != x.shape)
        return failed(
            f"For x of shape {xs[i].shape} you returned {in_words(returned[i])}. A gradient has "
            "the shape of its source: return tape.gradient(y, x), computed for the x that came in."
        )
    mistakes = (
        (
            [np.full_like(x, q) for x, q in zip(xs, squares, strict=True)],
            "This is sum(x**2) in every entry: the tape took the squares as a fixed number. "
            "Compute both sums inside the block, below tape.watch(x).",
        ),
        (
            [2 * x * s for x, s in zip(xs, sums, strict=True)],
            "This is 2 * x * sum(x): the tape took the factor sum(x) as a fixed number. Compute "
            "both sums inside the block, below tape.watch(x).",
        ),
        (
            [2 * x + 1 for x in xs],
            "This is the gradient of sum(x**2) + sum(x). Here the two sums are multiplied.",
        ),
        (
            [3 * x**2 for x in xs],
            "This is the gradient of sum(x**3): x**2 and x were multiplied before they were added "
            "up. Make each sum first, then multiply the two.",
        ),
        ([2 * x for x in xs], "This is the gradient of sum(x**2) alone. Multiply it by sum(x)."),
        (xs, "This is x itself. Return tape.gradient(y, x)."),
        (
            [np.zeros_like(x) for x in xs],
            "It returns 0 for every entry. A zero in place of None hides the fault: call "
            "tape.watch(x) as the first line of the block, and compute y below it.",
        ),
        (
            [gradient / len(x) for gradient, x in zip(right, xs, strict=True)],
            "The gradient is too small by the number of entries: one of the sums is a mean. Use "
            "tf.reduce_sum for both.",
        ),
        (
            [gradient / len(x) ** 2 for gradient, x in zip(right, xs, strict=True)],
            "The gradient is too small by the square of the number of entries: both sums are "
            "means. Use tf.reduce_sum for both.",
        ),
    )
    for values_of_mistake, message in mistakes:
        if close(values, values_of_mistake):
            return failed(message)
    i = first_difference(values, right)
    return failed(
        f"For x = {xs[i].tolist()} the gradient is {_rounded(right[i])}, and you returned "
        f"{_rounded(values[i])}. Compare your y with tf.reduce_sum(x**2) * tf.reduce_sum(x)."
    )


def _rounded(values: np.ndarray) -> list[float]:
    return [float(f"{value:.4g}") for value in values]


# 02.2 ---------------------------------------------------------------------------------------------


def _judge_three(value: Any) -> Judgement:
    items = value["items"] if is_a(value, "list", "tuple") else None
    if items is None and (array := as_array(value)) is not None and array.ndim == 1:
        items = array.tolist()
    if items is None or len(items) != 3:
        return failed(
            "Write one list with three entries, in the order a, b, c, such as [1.0, None, 2.0]; "
            f"you wrote {in_words(value)}."
        )
    a, b, c = (None if item in (None, "None") else _number(item) for item in items)
    for name, given, item in zip("abc", (a, b, c), items, strict=True):
        if isinstance(given, str):
            return failed(
                f"The entry for {name} is {in_words(item)}. Write a number, or None without quotes."
            )
    message = _mistake_for_a(a) or _mistake_for_b(b) or _mistake_for_c(c)
    if message:
        return failed(message)
    return passed("One is watched by itself, one never, and one from its watch on.")


def _number(item: Any) -> float | str:
    """Return a described number as a float, or a string for what is not one number."""
    array = as_array(item)
    return float(array) if array is not None and array.shape == () else "no number"


def _mistake_for_a(a: float | None) -> str | None:
    if a == 3:
        return None
    if a is None:
        return (
            "a is a trainable variable, and a * b reads it inside the block: the tape watches it "
            "by itself. It has a gradient."
        )
    if a == 2:
        return "2 is the value of a. The slope of a * b with respect to a is the other factor."
    return f"For a you wrote {a:g}. Only a * b contains a, and its slope is the other factor."


def _mistake_for_b(b: float | None) -> str | None:
    if b is None:
        return None
    if b == 2:
        return (
            "a and its slope are right. 2 would be the slope for b if the tape watched it: b has "
            "trainable=False, and no line watches it."
        )
    if b == 0:
        return (
            "a is right. For b, 0 would mean a path with a flat curve; here the tape does not "
            "watch b, so it finds no path."
        )
    return (
        f"a is right. For b you wrote {b:g}, but a tape gives a number only for what it watches: "
        "b has trainable=False, and no line watches it."
    )


def _mistake_for_c(c: float | None) -> str | None:
    if c == 5:
        return None
    if c is None:
        return "a and b are right. tape.watch(c) runs before 5 * c, so that c has a gradient."
    if c == 13:
        return (
            "a and b are right. 13 is the slope of c**2 + 5 * c, but c**2 ran before tape.watch(c) "
            "and was not recorded."
        )
    if c == 8:
        return (
            "a and b are right. 8 is the slope of c**2, and that line ran before tape.watch(c). "
            "What runs after it?"
        )
    return f"a and b are right. For c you wrote {c:g}: take the slope of what runs after the watch."


# 02.3 ---------------------------------------------------------------------------------------------


def _draw_weighted(rng: np.random.Generator) -> list[tuple]:
    first = (np.array([1.0, 2.0, 6.0]), np.array([1.0, 2.0, 3.0]))
    drawn = [(rng.uniform(-4, 4, n).round(1), rng.uniform(1, 5, n).round(1)) for n in (4, 6)]
    return [first, (np.array([-3.0, 1.0]), np.array([2.0, 5.0])), *drawn]


def _judge_centred(returned: list, calls: Sequence[tuple]) -> Judgement:
    if any(value is None for value in returned):
        return failed(
            "It returns None now: either it returns nothing, or the tensor that you ask for was "
            "not watched before it was used. Call tape.watch(x) before the subtraction, and return "
            "tape.gradient(score, x)."
        )
    values = [as_array(value) for value in returned]
    if any(value is None for value in values):
        return failed(
            f"The gradient is an array of the shape of x; you returned {in_words(returned[0])}. "
            "Return what tape.gradient(score, x) gives, with x itself as the source."
        )
    centred = [x - np.mean(x) for x, _ in calls]
    weights = [w for _, w in calls]
    of_centred = [2 * w * c for w, c in zip(weights, centred, strict=True)]
    right = [gradient - np.mean(gradient) for gradient in of_centred]
    if close(values, right):
        return passed("The entries add up to 0 now: the way through the mean counts too.")
    mistakes = (
        (
            of_centred,
            "This is 2 * w * (x - mean): the mean counts as a fixed number. That happens if the "
            "source is the centred tensor, or if the tape did not see the mean: computed before "
            "tape.watch(x), or by NumPy. Watch x first, give the difference a name of its own, "
            "and ask for x.",
        ),
        (
            [2 * w * x for x, w in calls],
            "This is the gradient of the sum of w * x**2: the score no longer uses the centred "
            "numbers. Give these a name of their own, and square them in the score.",
        ),
        (
            [gradient / len(gradient) for gradient in right],
            "The gradient is too small by the number of entries. Keep tf.reduce_sum in the score.",
        ),
        (
            [np.asarray(np.sum(w * c**2)) for w, c in zip(weights, centred, strict=True)],
            "This is the score. Return tape.gradient(score, x).",
        ),
        (centred, "These are the centred numbers. Return tape.gradient(score, x)."),
        (
            [2 * c for c in centred],
            "The weights are missing: this is the gradient of the sum of (x - mean)**2. Keep w in "
            "the score, as it was given.",
        ),
        (
            [-gradient for gradient in right],
            "The sign is wrong. Return the gradient as the tape gives it.",
        ),
        (
            [np.zeros_like(c) for c in centred],
            "It returns 0 for every entry. A zero in place of None hides the fault: call "
            "tape.watch(x) before the subtraction.",
        ),
    )
    for values_of_mistake, message in mistakes:
        if close(values, values_of_mistake):
            return failed(message)
    i = first_difference(values, right)
    x, w = calls[i]
    got = in_words(returned[i]) if values[i].ndim != 1 else _rounded(values[i])
    return failed(
        f"For x = {x.tolist()}, w = {w.tolist()} the gradient is {_rounded(right[i])}, and you "
        f"returned {got}. Keep the score as given; only the watch and the names change."
    )


# 02.4 ---------------------------------------------------------------------------------------------


def _draw_parabolas(rng: np.random.Generator) -> list[tuple]:
    def draw(names, n):
        a, b, c = rng.uniform(0.5, 2, 3).round(1) * rng.choice([-1, 1], 3)
        return (float(a), float(b), float(c), names, *rng.uniform(-2, 2, (2, n)).round(1))

    one = str(rng.choice(["a", "b", "c"]))
    first = (1.0, 2.0, 3.0, ["a"], np.array([1.0, 2.0]), np.array([5.0, 13.0]))
    return [first, draw(["b", "c"], 3), draw(["c", "a"], 4), draw([one], 5)]


def _as_parabola(a, b, c, names, x, y) -> tuple:
    import tensorflow as tf

    values = {"a": a, "b": b, "c": c}
    params = {name: tf.Variable(value, dtype=tf.float32) for name, value in values.items()}
    return params, list(names), *_as_tensors(x, y)


def _returned_and_watched(gradients_of: Callable, *arguments) -> dict:
    """Return what the function returned, and how many variables its tapes watched."""
    import tensorflow as tf

    with calls_noted(tf.GradientTape, "gradient") as gradients:
        returned = gradients_of(*arguments)
    tapes = [gradient["self"] for gradient in gradients]
    watched = {variable.ref() for tape in tapes for variable in tape.watched_variables()}
    return {"returned": returned, "watched": len(watched)}


def _parabola_gradients(a, b, c, names, x, y) -> dict[str, float]:
    error = a * x**2 + b * x + c - y
    slopes = {"a": x**2, "b": x, "c": np.ones_like(x)}
    return {name: 2 * np.mean(error * slopes[name]) for name in names}


def _judge_named(observed: list, calls: Sequence[tuple]) -> Judgement:
    returned = [value["items"]["returned"] for value in observed]
    for value, call in zip(returned, calls, strict=True):
        message = _mistake_in_pair(value, call[3])
        if message:
            return failed(message)
    got = [
        as_array(value["items"][0]["items"][name])
        for value, call in zip(returned, calls, strict=True)
        for name in call[3]
    ]
    gradients = [_parabola_gradients(*call) for call in calls]
    right = [np.asarray(g) for each in gradients for g in each.values()]
    counts = [len(call[4]) for call in calls for _ in call[3]]
    own_values = [
        np.asarray(dict(zip("abc", call[:3], strict=True))[name])
        for call in calls
        for name in call[3]
    ]
    if close(got, own_values):
        return failed("These are the parameters themselves. Return the gradients of the loss.")
    if close(got, [n * g for n, g in zip(counts, right, strict=True)]):
        return failed(
            "The gradients are too large by the number of examples: the squared errors are added "
            "up. Take tf.reduce_mean of them."
        )
    if close(got, [g / 2 for g in right]):
        return failed("The gradients are half of what they should be: leave out the factor 1/2.")
    if close(got, [-g for g in right]):
        return failed("The gradients have the wrong sign. Return them as the tape gives them.")
    if not close(got, right):
        i = first_difference(got, right)
        name = [name for call in calls for name in call[3]][i]
        return failed(
            f"The gradient of {name} should be {right[i]:.4g} in one case, and you returned "
            f"{got[i]:.4g}. Compare your loss with the mean of (a * x**2 + b * x + c - y)**2."
        )
    for value, call in zip(returned, calls, strict=True):
        message = _mistake_in_count(as_array(value["items"][1]), call[3])
        if message:
            return failed(message)
    for value, call in zip(observed, calls, strict=True):
        if value["items"]["watched"] > len(call[3]):
            return failed(
                f"You report {len(call[3])} watched variables for names = {call[3]}, but your tape "
                f"watched {value['items']['watched']}. Make it with watch_accessed_variables=False."
            )
    return passed("The gradients are right, and so is the number of watched variables.")


def _mistake_in_pair(value: Any, names: list[str]) -> str | None:
    """Return what is wrong with the form of ``({name: gradient}, number)``, or None."""
    if value is None:
        return "Your function returned None: its last line must return the dict and the number."
    if is_a(value, "dict"):
        return (
            f"You returned {in_words(value)} alone. Return two things, separated by a comma: the "
            "dict, and len(tape.watched_variables())."
        )
    if not is_a(value, "list", "tuple") or len(value["items"]) != 2:
        return (
            f"You returned {in_words(value)}. Return two things, separated by a comma: a dict of "
            "gradients, and len(tape.watched_variables())."
        )
    gradients, count = value["items"]
    if gradients is None:
        return (
            "The first of the two is None, where a dict was asked for. Take tape.gradient(loss, "
            "sources): the target first, then the dict of the chosen variables."
        )
    if is_a(count, "dict"):
        return "The two are in the wrong order: return the dict first, and then the number."
    if not is_a(gradients, "dict"):
        return (
            f"The first of the two is {in_words(gradients)}; a dict was asked for. Gradients come "
            "back in the structure of the sources: make {name: params[name]} for the names, and "
            "hand that dict to tape.gradient."
        )
    if set(gradients["items"]) != set(names):
        keys = ", ".join(gradients["items"]) or "no keys"
        return (
            f"For names = {names} your dict has {keys}. It needs exactly these names: choose them "
            "from params first."
        )
    for name, item in gradients["items"].items():
        array = as_array(item)
        if item is None:
            return (
                f"The gradient of {name} is None. A tape that watches nothing by itself needs "
                f"tape.watch(params['{name}']) in the block, before the prediction is computed "
                "from this very variable."
            )
        if array is None or array.shape != ():
            return (
                f"Under {name} stands {in_words(item)}. The variable is one number, and so is its "
                "gradient."
            )
    number = as_array(count)
    if number is None or number.shape != ():
        return (
            f"The second of the two is {in_words(count)}. Return the number of watched variables: "
            "len(tape.watched_variables())."
        )
    return None


def _mistake_in_count(count: np.ndarray, names: list[str]) -> str | None:
    if count == len(names):
        return None
    if count == 3:
        return (
            f"The gradients are right, but for names = {names} you report 3 watched variables: "
            "this tape follows every variable that the prediction reads. Make it with "
            "watch_accessed_variables=False, and watch the chosen ones."
        )
    if count == 0:
        return (
            "The gradients are right, but you report 0 watched variables. Take "
            "len(tape.watched_variables()) after tape.watch, and of the tape that gave the "
            "gradients."
        )
    return (
        f"The gradients are right, but for names = {names} you report {count:g} watched "
        f"variables, where there should be {len(names)}. Return len(tape.watched_variables()) of "
        "a tape that watches only these."
    )


EXERCISES = (
    FunctionExercise(
        id="02.1",
        title="The gradient of a plain tensor",
        kind="complete",
        points=2,
        draw_calls=_draw_vectors,
        prepare=_as_tensors,
        judge=_judge_product,
    ),
    ValueExercise(
        id="02.2",
        title="Three sources, three answers",
        kind="predict",
        points=1,
        judge=_judge_three,
    ),
    FunctionExercise(
        id="02.3",
        title="An old name for a new tensor",
        kind="repair",
        points=2,
        draw_calls=_draw_weighted,
        prepare=_as_tensors,
        judge=_judge_centred,
    ),
    FunctionExercise(
        id="02.4",
        title="Watch these and no others",
        kind="complete",
        points=3,
        draw_calls=_draw_parabolas,
        prepare=_as_parabola,
        call=_returned_and_watched,
        judge=_judge_named,
    ),
)

"""The exercises of lesson 07: an error's order, three wrong backward passes, a custom gradient."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .exercise import FunctionExercise, Judgement, ValueExercise, failed, passed
from .reading import as_array, close, first_difference, in_words, is_a

__all__ = ["EXERCISES"]


# 07.1 ---------------------------------------------------------------------------------------------


def _judge_error(value: Any) -> Judgement:
    number = as_array(value)
    if number is None or number.shape != ():
        return failed(f"Write one number, such as 0.003; you wrote {in_words(value)}.")

    def is_about(reference):
        return bool(abs(number - reference) <= 0.03 * abs(reference))

    if is_about(1.6e-5):
        return passed("20 times shorter is 400 times better: the error goes with the step squared.")
    mistakes = {
        0.0064 / 20: "The error fell as much as the step did: that is order 1, a forward "
        "difference. A central difference is of order 2.",
        0.0064 / 8000: "The error fell with the third power of the step. The third derivative is "
        "in it, but the step stands there squared.",
        0.0064: "This is the error of the long step. A shorter step has less truncation.",
        0.0064 * 400: "The error grew. A shorter step makes the truncation error smaller.",
        0.0064 * 20: "The error grew. A shorter step makes the truncation error smaller.",
        20.0: "20 is how many times shorter the step is. The question is how far off the result "
        "is.",
        400.0: "400 is how many times smaller the error is. The question is how far off the "
        "result is: divide 0.0064 by it.",
        0.0064 / 400**2: "The error fell with the fourth power of the step. Order 2 means that "
        "the step is squared once.",
        0.004**2 / 6: "This is h²/6 alone. The truncation error of a central difference is "
        "h²/6 times the third derivative, which is 6 for x³.",
        -1.6e-5: "The size is right, but the result lies above 12, as it did with the long step.",
    }
    for reference, message in mistakes.items():
        if is_about(reference):
            return failed(message)
    if not number:
        return failed(
            "Not exactly 0: the third derivative of x³ is 6, so some truncation error is left at "
            "any step. By which factor does an error of order 2 shrink?"
        )
    if number == 12 or abs(number - 12.0064) < 1e-6:
        return failed("How far from 12 is the result with the step 0.004, the short one?")
    if abs(number - 12) < 0.01:
        return failed("This is the result itself. How far is it from 12?")
    return failed(
        "That is not it. The step is 0.08 / 0.004 times shorter: how many times smaller does that "
        "make an error that goes with the square of the step?"
    )


# 07.2 ---------------------------------------------------------------------------------------------


def _draw_layers(rng: np.random.Generator) -> list[tuple]:
    def draw(n, d):
        return tuple(rng.normal(size=shape).round(1) for shape in ((n, d), (d, d), (n, d)))

    return [draw(5, 3), draw(2, 3), draw(6, 4)]


def _as_float32(*arrays: np.ndarray) -> tuple:
    import tensorflow as tf

    return tuple(tf.constant(array, tf.float32) for array in arrays)


def _parts(returned: list, names: Sequence[str]) -> dict[str, list] | Judgement:
    """Return by name what each call returned, as arrays, or what is wrong with the form."""
    wanted = f"{', '.join(names[:-1])} and {names[-1]}"
    parts = {name: [] for name in names}
    for value in returned:
        if value is None:
            return failed(f"Your function returned None. End it with `return {', '.join(names)}`.")
        if not is_a(value, "tuple", "list") or len(value["items"]) != len(names):
            return failed(
                f"Return {wanted} as one tuple, in this order; you returned {in_words(value)}."
            )
        for name, item in zip(names, value["items"], strict=True):
            if as_array(item) is None:
                return failed(f"{name} is {in_words(item)}. It must be a tensor or an array.")
            parts[name].append(as_array(item))
    return parts


def _judge_layers(returned: list, calls: Sequence[tuple]) -> Judgement:
    parts = _parts(returned, ("d_x", "d_W", "d_b"))
    if isinstance(parts, Judgement):
        return parts
    d_x, d_W, d_b = ([f(*call) for call in calls] for f in (_layer_dx, _layer_dW, _layer_db))
    if close(parts["d_x"], d_W) and close(parts["d_W"], d_x):
        return failed("d_x and d_W have changed places. Return d_x first, then d_W, then d_b.")
    if not close(parts["d_x"], d_x):
        if close(parts["d_x"], [upstream @ W for _, W, upstream in calls]):
            return failed(
                "d_x needs W transposed, as in the program given: upstream @ tf.transpose(W)."
            )
        return failed(
            _entry("d_x", parts["d_x"], d_x) + " It was right in the program as given: "
            "upstream @ tf.transpose(W)."
        )
    if not close(parts["d_W"], d_W):
        n = [len(x) for x, _, _ in calls]
        if close(parts["d_W"], [right.T for right in d_W]):
            return failed(
                "d_W is still transposed: its entry [i, j] should belong to input i and output j. "
                "Exchange the factors, so that x is the transposed one."
            )
        if close(parts["d_W"], [right / k for right, k in zip(d_W, n, strict=True)]):
            return failed(
                "d_W is divided by the number of rows. upstream already holds whatever the loss "
                "divided by, so the rows are added up: no mean."
            )
        return failed(_entry("d_W", parts["d_W"], d_W) + " Try the transposed x @ upstream.")
    if not close(parts["d_b"], d_b):
        return _judge_bias(parts["d_b"], d_b, [upstream for _, _, upstream in calls])
    return passed("All three are right: d_W has its axes in place, and b adds up over the rows.")


def _judge_bias(got: list, right: list, upstream: list) -> Judgement:
    if close(got, upstream):
        return failed(
            "d_b is still upstream itself, one row for each example. b was added to every row, so "
            "its gradient is the sum over the rows: axis=0."
        )
    if close(got, [np.mean(u, axis=0) for u in upstream]):
        return failed(
            "d_b is a mean over the rows, and must be their sum: each row adds its own part. "
            "upstream already holds whatever the loss divided by."
        )
    if close(got, [np.sum(u, axis=1) for u in upstream]):
        return failed("d_b is summed over axis 1. Sum over the rows, axis=0: b has one per column.")
    if close(got, [np.sum(u, axis=0, keepdims=True) for u in upstream]):
        return failed("d_b has the right sums in the shape (1, d). b has shape (d,): no keepdims.")
    if close(got, [np.sum(u) for u in upstream]):
        return failed("d_b is one number: the sum over both axes. Sum over the rows only, axis=0.")
    return failed(_entry("d_b", got, right) + " It is the sum of the rows of upstream.")


def _layer_dx(x, W, upstream) -> np.ndarray:
    return upstream @ W.T


def _layer_dW(x, W, upstream) -> np.ndarray:
    return x.T @ upstream


def _layer_db(x, W, upstream) -> np.ndarray:
    return np.sum(upstream, axis=0)


def _entry(name: str, got: list, right: list) -> str:
    """Say where the first wrong array is furthest off: one sentence."""
    i = first_difference(got, right)
    if got[i].shape != right[i].shape:
        return f"{name} has shape {got[i].shape}, and its source has {right[i].shape}."
    apart = np.abs(got[i] - right[i])
    where = np.unravel_index(np.argmax(np.nan_to_num(apart, nan=np.inf)), apart.shape)
    index = f" at {[int(k) for k in where]}" if where else ""
    return f"{name}{index} is {got[i][where]:.5g}, and should be {right[i][where]:.5g}."


# 07.3 ---------------------------------------------------------------------------------------------


def _draw_logits(rng: np.random.Generator) -> list[tuple]:
    shapes = [(6, 4), (3, 5), (4, 2), (7, 3)]
    # The first rows hold different labels, so that no mistake hides.
    return [
        (rng.normal(size=(n, k)).round(1), np.array([k - 1, 0, *rng.integers(0, k, n - 2)]))
        for n, k in shapes
    ]


def _as_logits(logits: np.ndarray, labels: np.ndarray) -> tuple:
    import tensorflow as tf

    return tf.constant(logits, tf.float32), tf.constant(labels, tf.int32)


def _softmax(logits: np.ndarray, axis: int = 1) -> np.ndarray:
    powers = np.exp(logits - np.max(logits, axis=axis, keepdims=True))
    return powers / np.sum(powers, axis=axis, keepdims=True)


def _judge_cross_entropy(returned: list, calls: Sequence[tuple]) -> Judgement:
    if any(value is None for value in returned):
        return failed("Your function returned None. End it with a return statement.")
    got = [as_array(value) for value in returned]
    if any(value is None for value in got):
        return failed(
            f"Return one tensor, with the shape of logits; you returned {in_words(returned[0])}."
        )
    p = [_softmax(logits) for logits, _ in calls]
    hot = [np.eye(logits.shape[1])[labels] for logits, labels in calls]
    total = [a - b for a, b in zip(p, hot, strict=True)]
    right = [gradient / len(gradient) for gradient in total]
    if close(got, right):
        return passed("Right for every batch size: the gradient of a mean is a mean.")
    if close(got, total):
        return failed(
            "This is still the gradient of the sum of the losses: too large by the number of rows, "
            "which differs from batch to batch. Divide by it."
        )
    if close(got, [g / g.shape[1] for g in total]):
        return failed("You divided by the number of classes. The mean is over the rows: shape[0].")
    if close(got, [g / g.size for g in total]):
        return failed(
            "You divided by the number of entries of logits. There is one loss for each row, so "
            "the mean is over the rows alone."
        )
    if close(got, [-g for g in right]):
        return failed("The sign is wrong: it is probabilities minus the one-hot labels.")
    if close(got, [a / len(a) for a in p]):
        return failed("The one-hot labels are missing: divide their difference, not one of them.")
    if close(got, [a - b / len(b) for a, b in zip(p, hot, strict=True)]):
        return failed("Only the labels are divided. Put the difference in parentheses first.")
    if close(got, [a / len(a) - b for a, b in zip(p, hot, strict=True)]):
        return failed("Only the probabilities are divided. Put the difference in parentheses.")
    if close(got, [(_softmax(z, 0) - h) / len(h) for (z, _), h in zip(calls, hot, strict=True)]):
        return failed("The softmax runs over the rows. Each row is one example: leave axis=-1.")
    if close(got, [np.mean(g, axis=0) for g in total]):
        return failed(
            "You averaged the rows into one. Each logit has a gradient of its own: divide by the "
            "number of rows, and keep the shape of logits."
        )
    divisors = [_divisor(g, t) for g, t in zip(got, total, strict=True)]
    if all(divisors) and np.ptp(divisors) < 0.01:
        return failed(
            f"You divide by {divisors[0]:.4g} in every batch, but batches differ in size. Take the "
            "number of rows of logits: logits.shape[0]."
        )
    i = first_difference(got, right)
    n, k = calls[i][0].shape
    return failed(
        f"For {n} rows of {k} logits: {_entry('the gradient', [got[i]], [right[i]])} "
        "The gradient of the summed losses, probabilities minus one-hot labels, was right."
    )


def _divisor(gradient: np.ndarray, total: np.ndarray) -> float:
    """Return the number that ``total`` was divided by, or 0 if there is none."""
    if gradient.shape != total.shape or not np.all(np.isfinite(gradient)) or not gradient.any():
        return 0.0
    divisor = float(np.sum(total**2) / (np.sum(total * gradient) or np.inf))
    fits = divisor and np.max(np.abs(total / divisor - gradient)) < 1e-4
    return divisor if fits else 0.0


# 07.4 ---------------------------------------------------------------------------------------------


def _draw_centered(rng: np.random.Generator) -> list[tuple]:
    def draw(n, d):
        return tuple(rng.normal(1, 2, size=shape).round(1) for shape in ((n, d), (d,), (n, d)))

    return [draw(5, 3), draw(2, 4), draw(6, 4)]


def _judge_centered(returned: list, calls: Sequence[tuple]) -> Judgement:
    parts = _parts(returned, ("d_x", "d_scale"))
    if isinstance(parts, Judgement):
        return parts
    direct = [upstream * scale for _, scale, upstream in calls]
    right = [g - np.mean(g, axis=1, keepdims=True) for g in direct]
    d_scale = [np.sum(u * (x - np.mean(x, axis=1, keepdims=True)), axis=0) for x, _, u in calls]
    got = parts["d_x"]
    if close(got, right) and close(parts["d_scale"], d_scale):
        return passed("Both paths of x are there: the direct one, and the one through the mean.")
    if close(got, d_scale) and close(parts["d_scale"], right):
        return failed("The two have changed places. Return d_x first, then d_scale.")
    if close(got, right):
        return failed(
            f"d_x is right now, and {_entry('d_scale', parts['d_scale'], d_scale)} It was right "
            "in the program as given."
        )
    if close(got, direct):
        return failed(
            "d_x still holds the direct path alone. Every entry of x also moves the mean of its "
            "row, and with it every entry of that row."
        )
    if close(got, [g - np.mean(g, axis=0) for g in direct]):
        return failed("You took the mean over axis 0. The mean belongs to a row: axis=1.")
    if close(got, [g - np.mean(g) for g in direct]):
        return failed("You took the mean of all entries. Each row has its own: axis=1, keepdims.")
    if close(got, [g - np.sum(g, axis=1, keepdims=True) for g in direct]):
        return failed(
            "You took the sum of each row. An entry of x adds only 1/d to its row's mean, so it "
            "is the mean of the row that must go."
        )
    if close(got, [g + np.mean(g, axis=1, keepdims=True) for g in direct]):
        return failed("The sign is wrong: the mean is subtracted going forward, so also back.")
    if close(got, [-gradient for gradient in right]):
        return failed("The sign of all of d_x is wrong: the direct path, d_centered, has a plus.")
    if close(got, [g * (1 - 1 / g.shape[1]) for g in direct]):
        return failed(
            "You counted what an entry of x does to its own place through the mean. It moves the "
            "mean for every entry of its row, so the whole row of d_centered comes in."
        )
    if close(got, [g - np.sum(g, axis=1, keepdims=True) / len(g) for g in direct]):
        return failed(
            "You divided the sum of a row by the number of rows. A row has d entries, and its mean "
            "is the sum divided by d."
        )
    if close(got, [-np.mean(g, axis=1, keepdims=True) + np.zeros_like(g) for g in direct]):
        return failed("This is the path through the mean alone. Add the direct one, d_centered.")
    if close(got, [s * (u - np.mean(u, axis=1, keepdims=True)) for _, s, u in calls]):
        return failed(
            "You centred upstream and scaled it afterwards. Going back, the order turns round: "
            "first times scale, then minus the mean of the row."
        )
    if close(got, [s * (x - np.mean(x, axis=1, keepdims=True)) for x, s, _ in calls]):
        return failed("This is y, the result of the forward pass. Use upstream, not x, in d_x.")
    if close(got, [g - np.mean(x, axis=1, keepdims=True) for g, (x, *_) in zip(direct, calls)]):  # noqa: B905
        return failed("You took the mean of x from it. It is d_centered whose row mean must go.")
    return failed(
        f"{_entry('d_x', got, right)} Start from upstream * scale, and take something from it "
        "that is the same for all entries of a row."
    )


# 07.5 ---------------------------------------------------------------------------------------------


def _value_and_derivatives(f: Callable, x: Any) -> Any:
    """Return f's value at the number x, its slope, that of 3 f, and its second derivative.

    A gradient that forgets its upstream factor gets the slope of 3 f wrong.
    """
    import tensorflow as tf

    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape(persistent=True) as inner:
            inner.watch(x)
            y = f(x)
            if not tf.is_tensor(y) or not y.dtype.is_floating:
                return y
            three_times = 3 * y
        slope = inner.gradient(y, x)
    return {
        "value": y,
        "slope": slope,
        "slope of 3 f": inner.gradient(three_times, x),
        "second": None if slope is None else outer.gradient(slope, x),
    }


def _draw_curve_points(rng: np.random.Generator) -> list[tuple]:
    drawn = rng.uniform(0.5, 2.5, 3).round(2) * [1, -1, 1]
    return [(float(x),) for x in (1.0, -2.0, 0.0, 100.0, -100.0, *drawn)]


def _judge_log_cosh(returned: list, calls: Sequence[tuple]) -> Judgement:
    x = np.array([call[0] for call in calls])
    for value in returned:
        if value is None:
            return failed("log_cosh returned None. Return the value and the function grad.")
        if not is_a(value, "dict") or set(value["items"]) != set(_MEASURED):
            return failed(
                f"log_cosh(x) gave {in_words(value)}, not one tensor. Keep @tf.custom_gradient "
                "above the function, and return the value, a TensorFlow tensor, and grad."
            )
    items = [value["items"] for value in returned]
    measured = {key: [as_array(item[key]) for item in items] for key in _MEASURED}
    size = np.abs(x)
    value = size + np.log1p(np.exp(-2 * size)) - np.log(2)
    wrong_value = _judge_value(measured["value"], value, x)
    if wrong_value:
        return wrong_value
    wrong_slope = _judge_slope(measured["slope"], measured["slope of 3 f"], x)
    if wrong_slope:
        return wrong_slope
    return _judge_second(measured["second"], 1 - np.tanh(x) ** 2, x)


_MEASURED = ("value", "slope", "slope of 3 f", "second")


def _judge_value(got: list, right: np.ndarray, x: np.ndarray) -> Judgement | None:
    if any(y is None or y.shape != () for y in got):
        return failed("For one number x, log_cosh(x) must be one number: no sum, no new axis.")
    y = np.array(got)
    if close([y], [right]):
        return None
    finite = np.isfinite(y)
    if not finite.all() and close([y[finite]], [right[finite]]):
        i = int(np.argmin(finite))
        return failed(
            f"At x = {x[i]:g} the value is {y[i]:g}: an exponential overflows. Write it as in the "
            "statement, with exp(-2|x|), which never exceeds 1."
        )
    if close([y], [right + np.log(2)]):
        return failed("The value is too large by log 2 everywhere: at 0 it must be 0. Subtract it.")
    if close([y], [np.log1p(np.exp(-2 * np.abs(x))) + x - np.log(2)]):
        return failed("Negative x come out wrong: both places of the form need |x|, tf.abs(x).")
    if close([y], [np.tanh(x)]):
        return failed("The value is tanh(x), which is the slope. Return log(cosh(x)), and grad.")
    i = first_difference(y, right)
    return failed(
        f"At x = {x[i]:g} the value should be {right[i]:.5g}, and yours is {y[i]:.5g}. Compare "
        "with |x| + log(1 + exp(-2|x|)) - log 2, term by term."
    )


def _judge_slope(got: list, of_three: list, x: np.ndarray) -> Judgement | None:
    if any(g is None for g in got):
        return failed(
            "The values are right, and the slope is None. Either grad returns None, or the value "
            "comes from NumPy and there is no grad."
        )
    if any(g.shape != () for g in [*got, *(g for g in of_three if g is not None)]):
        return failed("The slope at one number x must be one number: grad changes the shape.")
    slope, right = np.array(got), np.tanh(x)
    tripled = np.array([np.nan if g is None else g for g in of_three])
    if close([slope], [right]):
        if close([tripled], [3 * right]):
            return None
        return failed(
            "The slope is right, but the slope of 3 * log_cosh(x) is not three times as large: "
            "grad does not multiply by upstream, as the chain rule asks."
        )
    finite = np.isfinite(slope)
    if not finite.all():
        i = int(np.argmin(finite))
        return failed(
            f"The values are right, but at x = {x[i]:g} the slope is {slope[i]:g}. In grad, use "
            "tf.tanh(x), which is finite everywhere, and not a quotient of exponentials."
        )
    mistakes = [
        (1 - right**2, "grad returns the second derivative, 1 - tanh(x)². The slope is tanh(x)."),
        (-right, "The slope has the wrong sign: it is +tanh(x)."),
        (np.ones_like(x), "grad returns upstream alone. Multiply it by the slope, tanh(x)."),
        (np.sign(x), "The slope is the sign of x, right only far from 0. Use tanh(x)."),
        (1 / (1 + np.exp(-x)), "The slope is the sigmoid, that of softplus. Here it is tanh(x)."),
        (np.tanh(np.abs(x)), "For negative x the slope is negative: take tanh of x, not of |x|."),
    ]
    for reference, message in mistakes:
        if close([slope], [reference]):
            return failed(message)
    i = first_difference(slope, right)
    return failed(
        f"The values are right, but at x = {x[i]:g} the slope should be {right[i]:.5g}, and grad "
        f"gives {slope[i]:.5g}. It should return upstream * tf.tanh(x)."
    )


def _judge_second(got: list, right: np.ndarray, x: np.ndarray) -> Judgement:
    if any(g is None for g in got):
        return failed(
            "Values and slopes are right, but the second derivative is None: there is no path from "
            "x to the slope. Compute it with TensorFlow's tanh, from x itself, without .numpy()."
        )
    if any(g.shape != () for g in got):
        return failed("The second derivative at one number x must be one number.")
    second = np.array(got)
    if close([second], [right]):
        return passed("Value, slope and second derivative are right, at 0 and where exp overflows.")
    at_zero = x == 0
    if close([second[~at_zero]], [right[~at_zero]]):
        return failed(
            f"All is right but the second derivative at 0: {second[at_zero][0]:g} in place of 1. "
            "The slope still goes through abs, which has a kink there; let grad use tf.tanh(x)."
        )
    i = first_difference(second, right)
    return failed(
        f"Values and slopes are right, but at x = {x[i]:g} the second derivative should be "
        f"{right[i]:.5g}, and is {second[i]:.5g}. Let grad compute tf.tanh(x) from x itself."
    )


EXERCISES = (
    ValueExercise(
        id="07.1",
        title="The error of a shorter step",
        kind="predict",
        points=1,
        judge=_judge_error,
    ),
    FunctionExercise(
        id="07.2",
        title="A dense layer, backwards",
        kind="repair",
        points=2,
        draw_calls=_draw_layers,
        prepare=_as_float32,
        judge=_judge_layers,
    ),
    FunctionExercise(
        id="07.3",
        title="The gradient of a mean",
        kind="repair",
        points=2,
        draw_calls=_draw_logits,
        prepare=_as_logits,
        judge=_judge_cross_entropy,
    ),
    FunctionExercise(
        id="07.4",
        title="A path through the mean",
        kind="repair",
        points=3,
        draw_calls=_draw_centered,
        prepare=_as_float32,
        judge=_judge_centered,
    ),
    FunctionExercise(
        id="07.5",
        title="A gradient of one's own",
        kind="complete",
        points=3,
        draw_calls=_draw_curve_points,
        prepare=_as_float32,
        call=_value_and_derivatives,
        judge=_judge_log_cosh,
    ),
)

"""The exercises of lesson 06: nested tapes, a penalty, a jacobian's shape, curvature on a line."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .exercise import FunctionExercise, Judgement, ValueExercise, failed, passed
from .observation import calls_noted
from .reading import as_array, close, first_difference, in_words, is_a

__all__ = ["EXERCISES"]


# 06.1 ---------------------------------------------------------------------------------------------


def _draw_motions(rng: np.random.Generator) -> list[tuple]:
    first = (0.5, 2.0, 1.0, np.array([0.5, 1.0, 2.0]))
    falling = (-1.0, 1.5, -0.5, np.array([0.2, 0.4, 0.8, 1.6]))
    drawn = (*rng.uniform(0.5, 1.5, 3).round(1), rng.uniform(0.3, 2.5, 6).round(1))
    return [first, falling, drawn]


def _as_motion(a: float, b: float, c: float, t: np.ndarray) -> tuple:
    import tensorflow as tf

    def position(t):
        return a * t**3 + tf.sin(b * t) + c * t

    return position, tf.constant(t, tf.float32)


def _position(a, b, c, t) -> np.ndarray:
    return a * t**3 + np.sin(b * t) + c * t


def _speed(a, b, c, t) -> np.ndarray:
    return 3 * a * t**2 + b * np.cos(b * t) + c


def _acceleration(a, b, c, t) -> np.ndarray:
    return 6 * a * t - b**2 * np.sin(b * t)


def _judge_motion(returned: list, calls: Sequence[tuple]) -> Judgement:
    pairs = [_pair(value) for value in returned]
    for value, pair in zip(returned, pairs, strict=True):
        if pair is None:
            return failed(_mistake_in_pair(value))
    if any(pair[0] is None for pair in pairs):
        return failed(
            "The speed is None: the inner tape found no path from t to the position. The times are "
            "a constant, so call inner.watch(t), and then position(t) inside the inner block."
        )
    if any(pair[1] is None for pair in pairs):
        return failed(
            "The speed is a number and the acceleration is None. The outer tape must watch t "
            "itself, before anything is computed, and the speed must be computed in its block."
        )
    got = [as_array(item) for pair in pairs for item in pair]
    for item, array in zip((item for pair in pairs for item in pair), got, strict=True):
        if array is None:
            return failed(f"Speed and acceleration are tensors of numbers, not {in_words(item)}.")
    mistake = _mistake_in_motion_shapes(got, calls)
    if mistake:
        return failed(mistake)
    rows = [(_position(*call), _speed(*call), _acceleration(*call)) for call in calls]
    if close(got, [each for s, v, a in rows for each in (v, a)]):
        return passed("Right at every time, also for motions that the check drew at random.")
    sizes = [len(s) for s, _, _ in rows]
    mistakes = [
        (
            [each for _, v, a in rows for each in (a, v)],
            "The two are in the wrong order: return the speed first, then the acceleration.",
        ),
        (
            [each for s, v, _ in rows for each in (s, v)],
            "These are the position and the speed. Return the speed and the acceleration.",
        ),
        (
            [each for s, _, a in rows for each in (s, a)],
            "The first item is the position itself. Return the gradient of the position there.",
        ),
        (
            [each for _, v, _ in rows for each in (v, v)],
            "Both items are the speed. The outer tape's target is the speed, not the position.",
        ),
        (
            [each for n, (_, v, a) in zip(sizes, rows, strict=True) for each in (v / n, a / n**2)],
            "Both are too small: a mean over the times divides by their number. Take the gradient "
            "of the position as it is; the tape sums by itself.",
        ),
        (
            [each for n, (_, v, a) in zip(sizes, rows, strict=True) for each in (v / n, a / n)],
            "Both are too small by the number of times: you averaged the position. Take the "
            "gradient of the position as it is; the tape sums by itself.",
        ),
        (
            [each for _, v, a in rows for each in (v, v + a)],
            "The second item is speed plus acceleration: the outer tape got the position as a "
            "target too. Its target is the speed alone.",
        ),
    ]
    for references, message in mistakes:
        if close(got, references):
            return failed(message)
    zeros = [np.zeros_like(a) for a in got[1::2]]
    if close(got[1::2], zeros):
        return failed(
            "The acceleration is 0 at every time. A zero in place of None hides the fault: the "
            "speed must be computed inside the outer tape's block, and that tape must watch t."
        )
    return failed(_first_wrong_motion(got, rows, calls))


def _pair(value: Any) -> tuple | None:
    """Return the two items of a described tuple or list, or the two rows of an array."""
    if is_a(value, "tuple", "list") and len(value["items"]) == 2:
        return tuple(value["items"])
    array = as_array(value)
    if array is not None and array.ndim == 2 and len(array) == 2:
        shape = list(array.shape[1:])
        return tuple({"type": "array", "shape": shape, "value": row.tolist()} for row in array)
    return None


def _mistake_in_pair(value: Any) -> str:
    if value is None:
        return (
            "Your function returned None. End it with `return speed, acceleration`, below both "
            "`with` blocks."
        )
    if is_a(value, "tuple", "list") and len(value["items"]) == 3:
        return "You returned three items. Return two: the speed and the acceleration."
    return f"You returned {in_words(value)}. Return the tuple (speed, acceleration)."


def _mistake_in_motion_shapes(got: list[np.ndarray], calls: Sequence[tuple]) -> str | None:
    names = ("speed", "acceleration")
    for i, array in enumerate(got):
        n, name = len(calls[i // 2][3]), names[i % 2]
        if array.shape == (n,):
            continue
        if array.shape == (n, n):
            return (
                f"The {name} is a table of {n} by {n}: that is a jacobian, and off its diagonal "
                "there are only zeros. Each position depends on its own time alone, so "
                "tape.gradient gives the diagonal at once."
            )
        if array.shape == ():
            return (
                f"For {n} times the {name} is one number. Keep one for each time: return what "
                "tape.gradient gives, without a sum, a mean or an index."
            )
        return f"For {n} times the {name} needs shape ({n},); yours has {array.shape}."
    return None


def _first_wrong_motion(got: list, rows: list[tuple], calls: Sequence[tuple]) -> str:
    right = [each for _, v, a in rows for each in (v, a)]
    i = first_difference(got, right)
    name = ("speed", "acceleration")[i % 2]
    j = first_difference(list(got[i]), list(right[i]))
    a, b, c, t = calls[i // 2]
    last = f"{'-' if c < 0 else '+'} {abs(c):g} t"
    return (
        f"For position = {a:g} t**3 + sin({b:g} t) {last}, at t = {t[j]:g}, the {name} is "
        f"{right[i][j]:.5g}, and you returned {got[i][j]:.5g}. The speed is the gradient of "
        "position(t), the acceleration that of the speed."
    )


# 06.2 ---------------------------------------------------------------------------------------------


def _draw_penalties(rng: np.random.Generator) -> list[tuple]:
    first = (np.array([1.0, -0.5]), np.array([0.5, 1.0]))
    second = (np.array([-0.4, 0.8, 0.6]), np.array([1.0, 0.5, 1.0]))
    drawn = [(rng.uniform(-1, 1, n).round(1) + 0.05, rng.uniform(0.2, 1, n)) for n in (4, 5)]
    return [first, second, *((w, x.round(1)) for w, x in drawn)]


def _as_variable_and_tensor(w: np.ndarray, x: np.ndarray) -> tuple:
    import tensorflow as tf

    return tf.Variable(w, dtype=tf.float32), tf.constant(x, tf.float32)


def _penalty_parts(w: np.ndarray, x: np.ndarray) -> dict[str, np.ndarray]:
    """Return, for y = tanh(w . x), each array that a learner might return; s is 1 - y**2."""
    y = np.tanh(w @ x)
    s = 1 - y**2
    return {
        "right": 2 * s**2 * w - 4 * s**2 * y * (w @ w) * x,
        "steepness held": 2 * s**2 * w,
        "weights held": -4 * s**2 * y * (w @ w) * x,
        "wrt x": -4 * s**2 * y * (w @ w) * w,
        "no square": s - 2 * y * s * np.sum(w) * x,
        "mean": (2 * s**2 * w - 4 * s**2 * y * (w @ w) * x) / len(w),
        "of y squared": 2 * y * s * x,
        "of y": s * x,
        "slopes": s * w,
        "penalty": np.asarray(s**2 * (w @ w)),
    }


def _judge_penalty(returned: list, calls: Sequence[tuple]) -> Judgement:
    if any(value is None for value in returned):
        return failed(
            "It still returns None. The slopes must be computed while the outer tape records: "
            "start it first, and take the inner gradient inside its block. Then return the outer "
            "tape's gradient of the penalty with respect to w."
        )
    values = [as_array(value) for value in returned]
    if any(value is None for value in values):
        return failed(
            f"The gradient with respect to w has the shape of w; you returned "
            f"{in_words(returned[0])}."
        )
    parts = [_penalty_parts(*call) for call in calls]
    if close(values, [part["right"] for part in parts]):
        return passed("The penalty now reaches the weights through the slopes.")
    if close(values, [np.zeros_like(w) for w, _ in calls]):
        return failed(
            "It returns 0 for every input. A zero in place of None hides the fault: the slopes "
            "are still computed where the outer tape does not record."
        )
    messages = {
        "steepness held": "The outer tape sees w in the slopes, but not in y: it holds the slope "
        "of tanh constant. Compute y inside the outer block too.",
        "weights held": "The outer tape sees w in y, but holds the factor w of the slopes "
        "constant. Let the inner tape compute the slopes from w itself.",
        "wrt x": "This is the gradient of the penalty with respect to x. The question asks for w.",
        "no square": "This is the gradient of the sum of the slopes. The penalty squares each "
        "slope first, as it was given.",
        "mean": "The gradient is too small by the number of inputs: keep tf.reduce_sum in the "
        "penalty, as it was given.",
        "of y squared": "This is the gradient of y**2. The penalty is the sum of the squared "
        "slopes, and not of y.",
        "of y": "This is the gradient of y with respect to w. The target is the penalty.",
        "slopes": "These are the slopes of y with respect to x. Return the gradient of the penalty "
        "with respect to w.",
        "penalty": "This is the penalty itself. Return its gradient with respect to w.",
    }
    for name, message in messages.items():
        if close(values, [part[name] for part in parts]):
            return failed(message)
    right = [part["right"] for part in parts]
    i = first_difference(values, right)
    w, x = calls[i]
    return failed(
        f"For w = {_listed(w)}, x = {_listed(x)} the gradient is {_listed(right[i])}, and you "
        f"returned {_value_in_words(returned[i])}. Keep y and the penalty as given: only the "
        "place of the lines has to change."
    )


def _listed(array: np.ndarray) -> str:
    return str([float(f"{entry:.4g}") for entry in array])


def _value_in_words(value: Any) -> str:
    array = as_array(value)
    return _listed(array) if array is not None and array.ndim == 1 else in_words(value)


# 06.3 ---------------------------------------------------------------------------------------------


def _judge_jacobian_shape(value: Any) -> Judgement:
    if value is None or value == "None":
        return failed("There is a path: y is computed from the variable V inside the block.")
    shape = _whole_numbers(value)
    if shape is None:
        return failed(
            "Write the shape as one tuple of whole numbers, such as (7, 6, 7, 5); you wrote "
            f"{in_words(value)}."
        )
    if shape == (8, 3, 4, 3):
        return passed("The outputs' shape first, then the source's.")
    mistakes = {
        (4, 3): "This is the shape of the gradient, which sums over all outputs. A jacobian keeps "
        "every entry of y apart.",
        (8, 3): "This is the shape of y. For each of its entries there is one number for each "
        "entry of V.",
        (4, 3, 8, 3): "The right numbers in the wrong order: outputs first.",
        (8, 3, 8, 4): "This is the jacobian with respect to features. The source here is V.",
        (8, 3, 4): "This is what batch_jacobian would give for features. Here each entry of y is "
        "paired with each entry of V, also with those of other columns.",
        (8, 4, 3): "There is one table of the shape of V for each entry of y, and y has 8 times 3 "
        "entries, not 8.",
        (24, 12): "The counts are right, but a jacobian keeps the axes of both: four numbers.",
        (8, 3, 3, 4): "The last two numbers are V transposed. The source's shape stands as it is.",
        (3, 8, 4, 3): "The first two numbers are y transposed: what is the shape of y?",
        (8, 4, 4, 3): "The first two numbers are the shape of features. The outputs are y.",
        (): "() is the shape of one number. A jacobian holds one for each pair of an output and "
        "an input.",
    }
    return failed(
        mistakes.get(shape)
        or f"{shape} is not it. Write the shape of y, and behind it the shape of V."
    )


def _whole_numbers(value: Any) -> tuple[int, ...] | None:
    """Return a described tuple, list or vector of whole numbers as a tuple; None for the rest."""
    if is_a(value, "tuple", "list"):
        numbers = [as_array(item) for item in value["items"]]
    else:
        array = as_array(value)
        numbers = list(array) if array is not None and array.ndim == 1 else [None]
    if any(n is None or n.shape != () or not np.isfinite(n) or n != np.round(n) for n in numbers):
        return None
    return tuple(int(n) for n in numbers)


# 06.4 ---------------------------------------------------------------------------------------------


def _draw_directions(rng: np.random.Generator) -> list[tuple]:
    first = (
        np.array([1.0, 2.0]),
        np.array([1.0, 1.0]),
        np.array([1.0, 0.5]),
        np.array([3.0, 4.0]),
    )
    downward = (
        np.array([2.0, 1.0, -1.0]),
        np.array([0.5, 0.0, 0.5]),
        np.array([-1.0, -0.5, 0.5]),
        np.array([2.0, -1.0, 2.0]),
    )
    drawn = [tuple((rng.uniform(0.3, 2, (4, n)) * [[1], [1], [-1], [1]]).round(1)) for n in (4, 5)]
    return [first, downward, *drawn]


def _as_loss(a: np.ndarray, b: np.ndarray, x: np.ndarray, v: np.ndarray) -> tuple:
    import tensorflow as tf

    def f(x):
        return tf.reduce_sum(a * x**3) + tf.reduce_sum(b * x) ** 2

    return f, tf.constant(x, tf.float64), tf.constant(v, tf.float64)


def _returned_and_jacobian(curvature: Callable, *arguments) -> dict:
    """Return what the function returned, and whether it asked a tape for a jacobian."""
    import tensorflow as tf

    with calls_noted(tf.GradientTape, "jacobian") as jacobians:
        returned = curvature(*arguments)
    return {"returned": returned, "jacobian": bool(jacobians)}


def _gradient_and_hessian(a, b, x) -> tuple[np.ndarray, np.ndarray]:
    """Return both for the loss sum(a * x**3) + sum(b * x)**2."""
    return 3 * a * x**2 + 2 * (b @ x) * b, np.diag(6 * a * x) + 2 * np.outer(b, b)


def _directional(of: Callable) -> Callable[[Sequence[tuple]], list[np.ndarray]]:
    """Return a function that evaluates ``of(gradient, hessian, u, v, f)`` for every call."""

    def references(calls):
        return [
            np.asarray(
                of(
                    *_gradient_and_hessian(a, b, x),
                    v / np.linalg.norm(v),
                    v,
                    np.sum(a * x**3) + (b @ x) ** 2,
                )
            )
            for a, b, x, v in calls
        ]

    return references


_CURVATURE_MISTAKES = (
    (
        lambda g, H, u, v, f: v @ H @ v,
        "This is vᵀHv: the direction still has the length of v. Divide v by tf.norm(v) first, and "
        "use the result in both places.",
    ),
    (
        lambda g, H, u, v, f: u @ H @ v,
        "The length of v is divided out once, but v enters twice. Use u, the scaled v, in the "
        "product with H and again in the product with the result.",
    ),
    (
        lambda g, H, u, v, f: v @ H @ v / np.sum(np.abs(v)) ** 2,
        "You divided by the sum of the absolute entries. The length of v is the root of the sum "
        "of its squares: tf.norm(v).",
    ),
    (
        lambda g, H, u, v, f: v @ H @ v / np.sum(v**2) ** 2,
        "You divided by the sum of the squared entries. The length of v is the root of that sum: "
        "tf.norm(v).",
    ),
    (
        lambda g, H, u, v, f: g @ u,
        "This is the slope along u, a first derivative. Ask the accumulator for the jvp of the "
        "gradient, not of the loss, and multiply the result by u.",
    ),
    (
        lambda g, H, u, v, f: g @ v,
        "This is the slope along v, a first derivative. Ask the accumulator for the jvp of the "
        "gradient, not of the loss, and scale v to length 1 first.",
    ),
    (
        lambda g, H, u, v, f: H @ u,
        "This is the vector Hu. Multiply it by u, entry by entry, and add up.",
    ),
    (
        lambda g, H, u, v, f: H @ v,
        "This is the vector Hv. Scale v to length 1 first; then multiply the result by it, entry "
        "by entry, and add up.",
    ),
    (
        lambda g, H, u, v, f: u * (H @ u),
        "The products of the entries are right. Add them up: one number is asked for.",
    ),
    (
        lambda g, H, u, v, f: np.sum(H @ u),
        "You added up the entries of Hu. Multiply them by the entries of u first.",
    ),
    (
        lambda g, H, u, v, f: np.mean(u * (H @ u)),
        "Too small by the number of entries: add the products up, do not average them.",
    ),
    (
        lambda g, H, u, v, f: np.linalg.norm(H @ u),
        "This is the length of Hu. Multiply Hu by u, entry by entry, and add up.",
    ),
    (lambda g, H, u, v, f: H, "This is the whole Hessian. Multiply it by u from both sides."),
    (
        lambda g, H, u, v, f: np.trace(H),
        "This is the sum of the Hessian's diagonal. Multiply H by u from both sides.",
    ),
    (lambda g, H, u, v, f: g, "This is the gradient. Differentiate it once more, along u."),
    (lambda g, H, u, v, f: f, "This is the loss itself."),
    (
        lambda g, H, u, v, f: 0.0,
        "Your function returned 0 for every input. A zero in place of None hides the fault: the "
        "gradient must be computed where the accumulator, or an outer tape, can see it.",
    ),
)


def _judge_curvature(observed: list, calls: Sequence[tuple]) -> Judgement:
    returned = [value["items"]["returned"] for value in observed]
    if any(value is None for value in returned):
        return failed(
            "Your function returned None. Either it returns nothing, or a derivative is None: the "
            "tape must watch x, and its gradient must be taken inside the accumulator's block, or "
            "an outer tape's."
        )
    values = [as_array(value) for value in returned]
    if any(value is None for value in values):
        return failed(f"The curvature is one number; you returned {in_words(returned[0])}.")
    right = _directional(lambda g, H, u, v, f: u @ H @ u)(calls)
    if close([value.reshape(()) if value.size == 1 else value for value in values], right):
        if any(value["items"]["jacobian"] for value in observed):
            return failed(
                "The number is right, but you formed H, the jacobian of the gradient. "
                "Differentiate once more along u alone: a Hessian-vector product."
            )
        return passed("Right for every direction, whatever its length.")
    for of, message in _CURVATURE_MISTAKES:
        if close(values, _directional(of)(calls)):
            return failed(message)
    if any(value.shape != () for value in values):
        return failed(f"The curvature is one number; you returned {in_words(returned[0])}.")
    if close([-value for value in values], right):
        return failed("The sign is wrong. Return the sum of u * Hu as it is.")
    i = first_difference(values, right)
    a, b, x, v = calls[i]
    return failed(
        f"For f(x) = sum(a * x**3) + sum(b * x)**2 with a = {_listed(a)}, b = {_listed(b)}, at "
        f"x = {_listed(x)} along v = {_listed(v)}, the curvature is {right[i]:.5g}, and you "
        f"returned {values[i]:.5g}. Scale v to length 1, take Hu, and add up u * Hu."
    )


EXERCISES = (
    FunctionExercise(
        id="06.1",
        title="Speed and acceleration",
        kind="complete",
        points=2,
        draw_calls=_draw_motions,
        prepare=_as_motion,
        judge=_judge_motion,
    ),
    FunctionExercise(
        id="06.2",
        title="A penalty that never arrives",
        kind="repair",
        points=2,
        draw_calls=_draw_penalties,
        prepare=_as_variable_and_tensor,
        judge=_judge_penalty,
    ),
    ValueExercise(
        id="06.3",
        title="The shape of a jacobian",
        kind="predict",
        points=1,
        judge=_judge_jacobian_shape,
    ),
    FunctionExercise(
        id="06.4",
        title="Curvature along a direction",
        kind="complete",
        points=3,
        draw_calls=_draw_directions,
        prepare=_as_loss,
        call=_returned_and_jacobian,
        judge=_judge_curvature,
    ),
)

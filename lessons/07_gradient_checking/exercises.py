"""The questions of lesson 07: an error's order, backward passes, a check, a custom gradient."""

from collections.abc import Callable
from copy import deepcopy
from functools import wraps
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


def draw_layers(rng: np.random.Generator) -> list[tuple]:
    def draw(n, d):
        return tuple(rng.normal(size=shape).round(1) for shape in ((n, d), (d, d), (n, d)))

    return [draw(5, 3), draw(2, 3), draw(6, 4)]


def by_name(*names: str) -> Callable:
    """Return a call that names what a function returns; anything else than so many comes first."""

    def call(function: Callable, *arguments: Any) -> dict:
        returned = function(*arguments)
        if isinstance(returned, list | tuple) and len(returned) == len(names):
            return dict(zip(names, returned, strict=True))
        return dict.fromkeys(names) | {names[0]: returned}

    return call


BY_HAND = Demand(
    "by a tape",
    "The values are right, but a tape computed them. Write the backward pass by hand, line by line.",
    lambda noted: not any(sum(noted[name]) for name in ("gradient", "jacobian", "jvp")),
)


def draw_logits(rng: np.random.Generator) -> list[tuple]:
    shapes = [(6, 4), (3, 5), (4, 2), (7, 3)]
    # The first rows hold different labels, so that no mistake hides.
    return [
        (rng.normal(size=(n, k)).round(1), np.array([k - 1, 0, *rng.integers(0, k, n - 2)]))
        for n, k in shapes
    ]


def as_logits(logits: np.ndarray, labels: np.ndarray) -> tuple:
    return *constants(logits), *constants(labels, dtype="int32")


# What `is_right` is given: of each backward pass, whether it is right.
BACKWARD_PASSES = {
    "as it should be": True,
    "direct path alone": False,
    "upstream left out": False,
    "scale left out": False,
    "d_scale of x": False,
    "d_x too large": False,
    "d_x 3 % too large": False,
    "d_scale 3 % too large": False,
    "d_scale averaged": False,
    "mean of scale alone": False,
    "x for upstream": False,
    "written otherwise": True,
    "d_x of the wrong sign": False,
    "d_scale of the wrong sign": False,
    # From above and from below, at either end: no row, column or entry alone is right in both.
    "last entry of d_x": False,
    "first entry of d_x": False,
    "last entry of d_scale": False,
    "first entry of d_scale": False,
    "rows of d_x in reverse": False,  # with the sums, sizes and norm of the right one
}


def backward_pass(kind: str, factor: float) -> Callable:
    """Return a backward pass of (x - mean of its row) * scale, right or with the fault named."""
    import tensorflow as tf

    def backward(x, scale, upstream):
        x, scale, upstream = (tf.convert_to_tensor(a) for a in (x, scale, upstream))
        centred = x - tf.reduce_mean(x, axis=1, keepdims=True)
        if kind == "written otherwise":  # and rounded otherwise
            d_x, centred = (
                tf.reduce_mean(a[:, :, None] - a[:, None, :], axis=2) for a in (upstream * scale, x)
            )
            return d_x, tf.einsum("nd,nd->d", upstream, centred)
        arriving = {"upstream left out": tf.ones_like(upstream), "x for upstream": x}
        arriving = arriving.get(kind, upstream)
        direct = arriving * (1 if kind == "scale left out" else scale)
        through_mean = tf.reduce_mean(direct, axis=1, keepdims=True)
        if kind == "mean of scale alone":
            through_mean = upstream * tf.reduce_mean(scale)
        d_x = direct if kind == "direct path alone" else direct - through_mean
        d_scale = tf.reduce_sum(arriving * (x if kind == "d_scale of x" else centred), axis=0)
        if kind == "d_scale averaged":
            d_scale = d_scale / len(x)
        if kind == "rows of d_x in reverse":
            d_x = d_x[::-1]
        d_x *= {
            "d_x too large": factor,
            "d_x 3 % too large": 1.03,
            "d_x of the wrong sign": -1,
        }.get(kind, 1)
        d_scale *= {"d_scale 3 % too large": 1.03, "d_scale of the wrong sign": -1}.get(kind, 1)
        if "entry of" in kind:
            # Of the size of what arrives: not 0 where the right gradient is.
            error = factor * tf.reduce_max(abs(direct)) * (1 if "last" in kind else -1)
            of_x, of_scale = (
                error * one_entry(d, kind) if kind.endswith(name) else 0
                for d, name in ((d_x, "d_x"), (d_scale, "d_scale"))
            )
            return d_x + of_x, d_scale + of_scale
        return d_x, d_scale

    return backward


def one_entry(like: Any, kind: str) -> Any:
    """Return zeros of a shape with a single 1, at the end or the beginning as ``kind`` says."""
    import tensorflow as tf

    place = tf.size(like) - 1 if "last" in kind else 0
    return tf.reshape(tf.one_hot(place, tf.size(like), dtype=like.dtype), like.shape)


def verdict_on(is_right: Callable, kind: str, factor: float) -> dict:
    """Return what an answer to 07.4 says of one backward pass, and whether it called it."""
    called = []

    @wraps(backward := backward_pass(kind, factor))
    def noted(*arguments, **named):
        called.append(True)
        return backward(*arguments, **named)

    verdict = is_right(noted)
    return {"called": bool(called), "verdict": verdict}


def draw_networks(rng: np.random.Generator) -> list[tuple]:
    """Return parameters, inputs, the hidden layer and the errors of a few networks."""

    def draw(n, d, k):
        shapes = {"W1": (d, k), "b1": (k,), "W2": (k, 1), "b2": (1,)}
        params = {name: rng.normal(size=shape).round(1) for name, shape in shapes.items()}
        x = rng.normal(size=(n, d)).round(1)
        hidden = np.tanh(x @ params["W1"] + params["b1"])
        return params, x, hidden, hidden @ params["W2"] + params["b2"] - rng.normal(size=(n, 1))

    return [draw(6, 3, 4), draw(4, 2, 3), draw(5, 3, 3)]


def gradients_by_name(function: Callable, *arguments: Any) -> dict:
    """Return each gradient under its name, whether b2's is a vector, and the arguments kept.

    Anything else than a dict, and one that holds more, comes first.
    """
    names = ("W2", "b2", "W1", "b1")
    before = deepcopy(arguments)
    returned = function(*arguments)
    kept = before[0].keys() == arguments[0].keys() and all(
        map(np.array_equal, *([*a[0].values(), *a[1:]] for a in (before, arguments)))
    )
    if not isinstance(returned, dict) or returned.keys() > set(names):
        return dict.fromkeys(names) | {"W2": returned}
    found = {name: returned.get(name, "nothing") for name in names}
    # as a reading, a number is no other than a vector of one
    return found | {"vector": np.ndim(found["b2"]) == 1, "kept": kept}


def draw_curve_points(rng: np.random.Generator) -> list[tuple]:
    drawn = rng.uniform(0.5, 2.5, (2, 2)).round(2) * [[1, -1], [-1, 1]]
    return [(x,) for x in (1.0, -2.0, 0.0, 100.0, -100.0, drawn)]


def value_and_derivatives(f: Callable, x: Any) -> dict:
    """Return f's value at x, its slope, that of 3 f, and its second derivative.

    A gradient that forgets its upstream factor gets the slope of 3 f wrong.
    """
    import tensorflow as tf

    Tape = tf.autodiff.GradientTape  # under its other name it is not taken for a learner's tape
    with Tape() as outer:
        outer.watch(x)
        with Tape(persistent=True) as inner:
            inner.watch(x)
            y = f(x)
            if not (isinstance(y, tf.Tensor) and y.dtype.is_floating):
                # All functions are alike, whatever their names.
                y = tf.nest.map_structure(lambda each: "function" if callable(each) else each, y)
                return {"value": y, "slope": None, "slope of 3 f": None, "second": None}
            three_times = 3 * y
        slope = inner.gradient(y, x)
    return {
        "value": y,
        "slope": slope,
        "slope of 3 f": inner.gradient(three_times, x),
        "second": None if slope is None else outer.gradient(slope, x),
        "custom": x.shape.rank == 0 or has_custom_gradient(f, x),  # once is enough
    }


def has_custom_gradient(f: Callable, x: Any) -> bool:
    """Tell whether a graph of f holds a gradient that was written by hand."""
    import tensorflow as tf

    try:
        graph = tf.function(lambda x: f(x), autograph=False).get_concrete_function(x).graph
    except Exception:  # with NumPy in it, f has no graph, and a gradient only if it wrote one
        return True
    return b"CustomGradient" in graph.as_graph_def().SerializeToString()


def draw_schedules(rng: np.random.Generator) -> list[tuple]:
    first = (0.0, np.array([1.0, 2.0]), np.array([2.0, 4.0]), [0.1, 0.01, 0.001])

    def draw(n, rates, sign):
        x = rng.choice([-1, 1], n) * rng.uniform(0.5, 1.5, n).round(1)
        return sign * float(rng.uniform(0, 1)), x, (sign * x * rng.uniform(2, 4)).round(2), rates

    return [first, draw(4, [0.02, 0.2, 0.1, 0.05], -1), draw(3, [0.3, 0.15], 1)]


def as_schedule(w: float, x: np.ndarray, y: np.ndarray, rates: list) -> tuple:
    return *variables(w), *constants(x, y), rates


EXERCISES = (
    ValueQuestion(
        id="07.1",
        title="The error of a shorter step",
        kind="predict",
        points=1,
        form="Write one number, such as 0.003",
        # Relative to the right one, as of any value.
        tolerance=1e-3,
        praise="The step is 20 times shorter, so the error is 400 times smaller: it grows with "
        "the square of the step.",
    ),
    Question(
        id="07.2",
        title="A dense layer, backwards",
        kind="repair",
        points=2,
        draw=draw_layers,
        prepare=constants,
        call=by_name("d_x", "d_W", "d_b"),
        inputs="x W upstream",
        parts=[
            Part(
                f"d_{name}",
                f"the gradient `d_{name}`",
                f"Return the tuple `d_x, d_W, d_b`, in which `d_{name}` has the shape of `{name}`.",
            )
            for name in ("x", "W", "b")
        ],
        demands=[BY_HAND],
        praise="All three are right: `d_W` has its axes in the right order, and `d_b` sums over "
        "the rows.",
    ),
    Question(
        id="07.3",
        title="Class scores, backwards",
        kind="repair",
        points=2,
        draw=draw_logits,
        prepare=as_logits,
        inputs="logits labels",
        parts=[
            Part(
                words="the gradient of the mean",
                form="Return one tensor with the shape of `logits`.",
            )
        ],
        demands=[BY_HAND],
        praise="Your gradient is right for every batch size: the gradient of a mean is the mean of "
        "the gradients.",
    ),
    Question(
        id="07.4",
        title="A check that exposes a bug",
        kind="complete",
        points=3,
        draw=lambda rng: [(kind, float(rng.uniform(1.5, 3))) for kind in BACKWARD_PASSES],
        call=verdict_on,
        inputs="",
        parts=[
            Part("called", "whether your function calls `backward`"),
            Part(
                "verdict",
                "your verdict",
                "Draw `x`, `scale` and `upstream` at random, and compare every entry of both "
                "gradients with a small tolerance, or return `report.passed`.",
            ),
        ],
        praise="Your check accepts correct backward passes, and exposes each of the 17 bugs that "
        "it was given.",
    ),
    Question(
        id="07.5",
        title="Your own gradient",
        kind="complete",
        points=3,
        draw=draw_curve_points,
        prepare=constants,
        call=value_and_derivatives,
        inputs="x",
        parts=[
            Part(
                "value",
                "the value",
                "Keep `@tf.custom_gradient` above the function, and return the value (a "
                "TensorFlow tensor with the shape of `x`) and `grad`.",
            ),
            Part("slope", "the slope", "The result of `grad` should have the shape of `x`."),
            Part("slope of 3 f", "the slope of three times the value"),
            Part("second", "the second derivative", "Compute the slope from `x` itself."),
        ],
        demands=[
            Demand(
                "no gradient of one's own",
                "Value, slope and second derivative are right, but the tape computed both "
                "derivatives. Keep `@tf.custom_gradient` above the function, and return the value "
                "and your own `grad`.",
                lambda noted: all(noted["custom"]),
            )
        ],
        praise="The value, the slope and the second derivative are right, even at 0 and where exp "
        "would overflow.",
    ),
    Question(
        id="07.6",
        title="A network, backwards",
        kind="complete",
        points=3,
        draw=draw_networks,
        call=gradients_by_name,
        inputs="params x hidden error",
        parts=[
            Part(
                name,
                f"the gradient with respect to `{name}`",
                'Return a dict with the keys `"W1"`, `"b1"`, `"W2"` and `"b2"`, in which each '
                "gradient has the shape of its parameter.",
            )
            for name in ("W2", "b2", "W1", "b1")
        ],
        demands=[
            BY_HAND,
            Demand(
                "b2 as a number",
                "The numbers are right, but the gradient of `b2` is a single number, and `b2` "
                "has shape (1,). Sum only over the rows, `axis=0`.",
                lambda noted: all(noted["vector"]),
            ),
            Demand(
                "arguments changed",
                "The gradients are right, but your function changes `params`, `x`, `hidden` or "
                "`error`, which the caller still needs. Create new arrays (`2 * error`, "
                "not `error *= 2`) and a new dict.",
                lambda noted: all(noted["kept"]),
            ),
        ],
        praise="All four are right: you have written the backward pass of a network by hand.",
    ),
    Question(
        id="07.7",
        title="A learning rate that does not fall",
        kind="repair",
        points=0,
        draw=draw_schedules,
        prepare=as_schedule,
        inputs="w x y rates",
        parts=[
            Part(
                words="the list of values of `w`",
                form="Return a list with one number per learning rate: `w` after each step.",
            )
        ],
        praise="Each step uses its own learning rate. A graph keeps a Python number as it was "
        "during tracing, but a tensor argument can change.",
    ),
)

PREDICTIONS = (
    Callout(
        "07.a",
        right="1e-8",
        options={
            "1e-4": "With this step, most of the error comes from the bend of the curve: about h/2 "
            "· e, which is 1e-4. But a shorter step makes it smaller.",
            "1e-8": "As h shrinks, the truncation error shrinks, but the rounding error of each "
            "value, divided by h, grows. The two are equal if h is near the square root of 2e-16, "
            "about 1e-8.",
            "1e-12": "The shortest step follows the tangent best. But each value is rounded to "
            "about 16 digits, and dividing by 1e-12 turns that into an error of 1e-4.",
        },
    ),
    Callout(
        "07.c",
        right="yes",
        options={
            "yes": "Every entry contributes to the sum, and in float64 the rest of the sum is "
            "known to eight digits. A random direction misses an error only by accident.",
            "no": (
                "One part in a million is tiny, and a tolerance of 1e-4 relative to the whole "
                "would hide it. But the rest of the sum is known far more accurately than that."
            ),
            "only if it moves that entry alone": "A check of single entries would have to hit "
            "that entry. But a random direction changes all entries at once, including the "
            "wrong one.",
        },
    ),
    Callout(
        "07.d",
        right="0.5",
        options={
            "0": "0 is the slope on the left, and the tape returns it by convention. But a "
            "central difference uses both sides.",
            "0.5": "0.5 is the average of the slopes on both sides, (0 + 1) / 2.",
            "1": "1 is the slope on the right, and a forward difference returns it. But a "
            "central difference uses both sides.",
        },
    ),
    Callout(
        "07.e",
        right="1",
        options={
            "0": "Both parts have a kink at 0, and 0 is a common convention there. But not "
            "every operation uses it.",
            "0.5": "0.5 is the slope of the sum, which is smooth. But the tape differentiates "
            "the parts one at a time.",
            "1": "`maximum` and `abs` each have a kink at 0, and there the tape follows its "
            "conventions: 1 + 0.",
        },
    ),
    Callout(
        "07.f",
        right="None",
        options={
            "about 0.2": "0.2 is the correct second derivative, and the slopes equal those of "
            "`softplus`. But the tape sees only what TensorFlow computes.",
            "0": "NumPy's slope is a constant, and a constant has the derivative 0. But the tape "
            "returns 0 only if there is a path.",
            "None": "NumPy left no path from x to the slope. In a longer computation you may get a "
            "number instead, but without the contribution of this path.",
        },
    ),
    Callout(
        "07.b",
        right="0",
        options={
            "about 3e10": "3e10 would be right with a step that suits x, such as `delta=512`. But "
            "the default step, 1/1024, is too small for float32 here.",
            "0": "Around 100,000, float32 numbers are 1/128 apart. x + h and x - h both round "
            "to x, so their difference is 0.",
            "about 3e7": "You would expect a bad step to give a slope that is off by some factor. "
            "But here the difference is exactly 0.",
        },
    ),
)

"""The questions of lesson 07: an error's order, three wrong backward passes, a custom gradient."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_utils.exercises.question import Demand, Part, Prediction, Question


def draw_layers(rng: np.random.Generator) -> list[tuple]:
    def draw(n, d):
        return tuple(rng.normal(size=shape).round(1) for shape in ((n, d), (d, d), (n, d)))

    return [draw(5, 3), draw(2, 3), draw(6, 4)]


def as_float32(*arrays: np.ndarray) -> tuple:
    import tensorflow as tf

    return tuple(tf.constant(array, tf.float32) for array in arrays)


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
    "The values are right, but a tape computed them. Write the backward pass by hand, from the "
    "program as given; the tape is what check_gradients compares it with.",
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
    import tensorflow as tf

    return tf.constant(logits, tf.float32), tf.constant(labels, tf.int32)


def draw_centered(rng: np.random.Generator) -> list[tuple]:
    def draw(n, d):
        return tuple(rng.normal(1, 2, size=shape).round(1) for shape in ((n, d), (d,), (n, d)))

    return [draw(5, 3), draw(2, 4), draw(6, 4)]


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


EXERCISES = (
    Prediction(
        id="07.1",
        title="The error of a shorter step",
        kind="predict",
        points=1,
        form="Write one number, such as 0.003",
        # Numbers below 0.001 are compared absolutely; this is 3 % of the right one.
        tolerance=4.8e-4,
        praise="20 times shorter is 400 times better: the error goes with the step squared.",
    ),
    Question(
        id="07.2",
        title="A dense layer, backwards",
        kind="repair",
        points=2,
        draw=draw_layers,
        prepare=as_float32,
        call=by_name("d_x", "d_W", "d_b"),
        inputs="x W upstream",
        parts=[
            Part(
                name, f"the gradient {name}", "Return d_x, d_W and d_b as one tuple, in this order."
            )
            for name in ("d_x", "d_W", "d_b")
        ],
        demands=[BY_HAND],
        praise="All three are right: d_W has its axes in place, and b adds up over the rows.",
    ),
    Question(
        id="07.3",
        title="The gradient of a mean",
        kind="repair",
        points=2,
        draw=draw_logits,
        prepare=as_logits,
        inputs="logits labels",
        parts=[
            Part(
                words="the gradient of the mean",
                form="Return one tensor, with the shape of logits.",
            )
        ],
        demands=[BY_HAND],
        praise="Right for every batch size: the gradient of a mean is a mean.",
    ),
    Question(
        id="07.4",
        title="A path through the mean",
        kind="repair",
        points=3,
        draw=draw_centered,
        prepare=as_float32,
        call=by_name("d_x", "d_scale"),
        inputs="x scale upstream",
        parts=[
            Part(
                name, f"the gradient {name}", "Return d_x and d_scale as one tuple, in this order."
            )
            for name in ("d_x", "d_scale")
        ],
        demands=[BY_HAND],
        praise="Both paths of x are there: the direct one, and the one through the mean.",
    ),
    Question(
        id="07.5",
        title="A gradient of one's own",
        kind="complete",
        points=3,
        draw=draw_curve_points,
        prepare=as_float32,
        call=value_and_derivatives,
        inputs="x",
        parts=[
            Part(
                "value",
                "the value",
                "Keep @tf.custom_gradient above the function, and return the value, a TensorFlow "
                "tensor of the shape of x, and grad.",
            ),
            Part("slope", "the slope", "What grad returns has the shape of x."),
            Part("slope of 3 f", "the slope of three times the value"),
            Part("second", "the second derivative", "Compute it from x itself."),
        ],
        demands=[
            Demand(
                "no gradient of one's own",
                "Value, slope and second derivative are right, but it was the tape that found "
                "them. Write the gradient yourself: keep @tf.custom_gradient above the function, "
                "and return the value and grad.",
                lambda noted: all(noted["custom"]),
            )
        ],
        praise="Value, slope and second derivative are right, at 0 and where exp overflows.",
    ),
)

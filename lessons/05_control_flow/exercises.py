"""The questions of lesson 05: a branch, counted traces, a dataset loop, and an iteration."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_utils.exercises import (
    Callout,
    Demand,
    Part,
    Question,
    ValueQuestion,
    constants,
    results_noted,
    variables,
)


def draw_errors(rng: np.random.Generator) -> list[tuple]:
    drawn = rng.uniform(0.2, 0.8), rng.uniform(1.5, 3.0)
    inner, outer = (round(float(size), 2) for size in drawn)
    # Sizes and thresholds lie on both sides of 1, so that no fixed threshold fits.
    apart = [(-5.0, 1.5), (0.5, 2.0), (-inner, 1.2), (outer, 1.25), (-1.6, 2.5), (0.8, 0.3)]
    return [*apart, (-2.0, 2.0)]  # at the threshold, where the square still counts


def gradients_and_branches(function: Callable, error: Any, threshold: Any) -> dict:
    """Return what the function returned, and how its branches show.

    Inside the threshold None is right for it, and 0 too: 0 is what is returned of both. So it is
    above, where the square ran: its None is that of the wrong branch, and no path was lost.
    """
    import tensorflow as tf

    if isinstance(function, tf.types.experimental.PolymorphicFunction):
        function = tf.function(function.python_function)  # to trace it at every call
    with results_noted(tf.GradientTape, "gradient") as results:
        returned = function(error, threshold)
    graphs = [each.graph for each in tf.nest.flatten(results) if hasattr(each, "graph")]
    is_none = isinstance(returned, dict) and returned.get("threshold", 0) is None
    size, limit = abs(float(error)), float(threshold)
    square_ran = size <= limit or (is_none and is_number(returned.get("error"), float(error)))
    return {
        "gradients": {**returned, "threshold": 0.0} if is_none and square_ran else returned,
        "none inside": is_none or size >= limit,
        "none at threshold": is_none or size != limit,
        "if in graph": any(map(has_branches, graphs)),
    }


def is_number(given: Any, number: float) -> bool:
    return np.shape(given) == () and given is not None and bool(np.isclose(given, number))


def has_branches(graph: Any) -> bool:
    definition = graph.as_graph_def()
    nodes = [*definition.node, *(n for f in definition.library.function for n in f.node_def)]
    return any(node.op in ("If", "StatelessIf") for node in nodes)


def draw_batches(rng: np.random.Generator) -> list[tuple]:
    first = (2.0, np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 1.0]), 2)
    falling = (-2.0, np.array([1.0, 2.0, 3.0, 1.0]), np.array([1.0, 3.0, -1.0, 2.0]), 3)
    drawn = (round(rng.uniform(1, 3), 1), *rng.normal(size=(2, 7)).round(1), 3)
    return [first, falling, drawn]


def as_dataset(w: float, x: np.ndarray, y: np.ndarray, batch_size: int) -> tuple:
    import tensorflow as tf

    dataset = tf.data.Dataset.from_tensor_slices(constants(x, y)).batch(batch_size)
    return *variables(w), dataset


def sum_and_gradient(function: Callable, w: Any, dataset: Any) -> dict:
    """Return the two things that came back, their form, and whether the function is compiled."""
    import tensorflow as tf

    returned = function(w, dataset)
    is_pair = isinstance(returned, tuple | list) and len(returned) == 2
    other = None if returned is None else "something else than two things"
    both = returned if is_pair else (other, None)
    return {
        "sum": both[0],
        "gradient": both[1],
        "single": all(np.shape(each) == () for each in both),
        "compiled": isinstance(function, tf.types.experimental.PolymorphicFunction),
    }


def draw_orbits(rng: np.random.Generator) -> list[tuple]:
    drawn = round(rng.uniform(0.8, 1.6), 2), round(rng.uniform(0.3, 0.6), 2)
    # Near M = pi, at e = 0.6, the slopes settle last: after 21 passes to three digits.
    # At (1, 0) and (0, 0.6) the equation is solved before the first pass.
    return [(1.0, 0.5), (-2.0, 0.4), (1.0, 0.0), (3.1, 0.6), (0.0, 0.6), drawn]


def as_orbit(M: float, e: float) -> tuple:
    return variables(M, e, dtype="float64")


def slopes_of_orbit(function: Callable, M: Any, e: Any) -> Any:
    """Return what the function returned, with 0 for a None where E = M solves the equation.

    There a loop that stopped before its first pass is at fault, whatever its tape says of e.
    """
    solved_at_once = not (float(M) and float(e))
    returned = function(M, e)
    if solved_at_once and isinstance(returned, dict) and returned.get("e", 0) is None:
        return {**returned, "e": 0.0}
    return returned


EXERCISES = (
    Question(
        id="05.1",
        title="The gradients of a Huber loss",
        kind="complete",
        points=2,
        draw=draw_errors,
        prepare=variables,
        call=gradients_and_branches,
        inputs="error threshold",
        parts=[
            Part(
                "gradients",
                form='Return tape.gradient(loss, {"error": error, "threshold": threshold}), with '
                "the loss as one number.",
            )
        ],
        demands=[
            Demand(
                "no tape",
                "The values are right, but no tape found them. Compute the loss with an `if` "
                "inside a `with` block, and return what the tape gives.",
                lambda noted: any(noted["gradient"]),
            ),
            Demand(
                "number for None",
                "Where |error| is at most the threshold, your gradient with respect to threshold "
                "is a number, and an `if` there leaves None: the branch that runs does not use "
                "threshold. Compute the loss with an `if`, not with tf.where or tf.minimum, and "
                "let no 0 stand in for None.",
                lambda noted: all(noted["none inside"]) or any(noted["if in graph"]),
            ),
            Demand(
                "line at the threshold",
                "Where |error| equals threshold, your gradient with respect to threshold is a "
                "number: the straight branch ran. There the square still counts, which does not "
                "use threshold, so that None is left: compare with <=, not with <.",
                lambda noted: all(noted["none at threshold"]) or any(noted["if in graph"]),
            ),
        ],
        praise="Both gradients are right on both sides of the threshold. Where |error| is at most "
        "the threshold, the tape says None for threshold, and a graph 0: that branch does not use "
        "it.",
    ),
    ValueQuestion(
        id="05.2",
        title="How many traces",
        kind="predict",
        points=1,
        form="Write one whole number, such as 6",
        praise="Calls 1, 3, 4 and 5 trace; call 2 reuses the first, and call 6 the fifth.",
    ),
    Question(
        id="05.3",
        title="A gradient lost in a dataset",
        kind="repair",
        points=3,
        draw=draw_batches,
        prepare=as_dataset,
        call=sum_and_gradient,
        inputs="w x y batch_size",
        parts=[
            Part(
                "sum",
                "the sum of the squared errors",
                "Return two things, in this order: the sum, and its gradient with respect to w.",
            ),
            Part("gradient", "the gradient", "It is one number, as w is."),
        ],
        demands=[
            Demand(
                "number in a list",
                "The values are right, but one of them stands in a list, or in a tensor of shape "
                "(1,). Start each sum at one number, such as tf.zeros_like(w).",
                lambda noted: all(noted["single"]),
            ),
            Demand(
                "not compiled",
                "The values are right, but the function is no longer compiled. Keep the "
                "@tf.function above it: in its graph the gradient was lost.",
                lambda noted: all(noted["compiled"]),
            ),
            Demand(
                "no tape",
                "The values are right, but no tape found the gradient. Put a tape inside the loop, and add up what "
                "tape.gradient gives for each batch.",
                lambda noted: any(
                    sum(noted[way]) for way in ("gradient", "jacobian", "batch_jacobian", "jvp")
                ),
            ),
        ],
        praise="Every batch is in the sum, and every batch is in the gradient.",
    ),
    Question(
        id="05.4",
        title="The slopes of an orbit",
        kind="complete",
        points=3,
        draw=draw_orbits,
        prepare=as_orbit,
        call=slopes_of_orbit,
        inputs="M e",
        parts=[Part(form='Return tape.gradient(E, {"M": M, "e": e}), with E as one number.')],
        praise="These are the slopes of a function that has no formula, also at e = 0. By hand "
        "they are 1 and sin E, both divided by 1 - e * cos E.",
    ),
)

PREDICTIONS = (
    Callout(
        "05.a",
        right="None",
        options={
            "-2": "x times y would have the slope x. But at x = -2 that branch does not run.",
            "0": "y makes no difference there, and that is what 0 says in a calculus book.",
            "None": "The tape never sees the function. Python decides which branch to run, and the "
            "tape records the operations that run. None of them used y: no path. In the figure, a "
            "product of two sources stands on the left; on the right a square, and a y that no "
            "operation reads.",
        },
    ),
    Callout(
        "05.b",
        right="1",
        options={
            "0": "Tracing runs Python, so the line does run.",
            "1": "Python ran once, for the trace. `append` is no operation, so the graph does not "
            "hold it, nor `print`, nor a Python counter. The variable's assignment is one, and runs "
            "at every call.",
            "3": "A function that is called three times runs three times, in Python. Here the later "
            "calls run the graph.",
        },
        otherwise="Python runs once for each trace. How many traces do three tensors of one shape "
        "and dtype make?",
    ),
    Callout(
        "05.c",
        right="0",
        options={
            "None": "The program is the same, and eager mode said None.",
            "0": "The graph holds both branches in one operation, and y goes into it. So there is a "
            "path, and 0 comes back. Where Python chooses the branch while tracing, the other one is "
            "not in the graph, and you get None again.",
            "-2": "That would be the slope of the branch that is not taken. The graph holds it, and "
            "does not run it.",
        },
    ),
    Callout(
        "05.d",
        right="None",
        options={
            "330": "330 is the truth, and the loops in graphs above had their gradients.",
            "0": "0 is what the graph said of a branch not taken. Here the loop did run.",
            "None": "The loss is right, and the slope is lost without a word. A loop over a dataset "
            "becomes dataset operations, `ScanDataset` and `ReduceDataset`, which have no gradient. "
            "With a second term in the loss you get a number, and it lacks the loop's part.",
        },
    ),
    Callout(
        "05.e",
        right="None",
        options={
            "0.5": "0.5 is the slope of the square root at 1.",
            "0": "0 is what a graph gives, as for a branch not taken.",
            "None": "The loop made no pass, so the result is the constant 1 of the first line: no "
            "path.",
        },
    ),
)

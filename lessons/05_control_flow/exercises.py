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
    other = None if returned is None else "something other than two things"
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
                form='Return `tape.gradient(loss, {"error": error, "threshold": threshold})`; the '
                "loss must be a single number.",
            )
        ],
        demands=[
            Demand(
                "no tape",
                "The values are right, but no tape computed them. Compute the loss with an "
                "`if` inside a `with` block, and return `tape.gradient(...)`.",
                lambda noted: any(noted["gradient"]),
            ),
            Demand(
                "number for None",
                "If |error| is at most the threshold, your gradient with respect to `threshold` is "
                "a number, but it should be `None`: the quadratic branch does not use "
                "`threshold`. Choose the branch with an `if`, without `tf.where` or `tf.minimum`, "
                "and do not replace `None` with 0.",
                lambda noted: all(noted["none inside"]) or any(noted["if in graph"]),
            ),
            Demand(
                "line at the threshold",
                "If |error| equals the threshold, your function takes the linear branch. It should "
                "take the quadratic branch, which does not use `threshold`, so the tape returns "
                "`None` for it: compare with `<=`, not `<`.",
                lambda noted: all(noted["none at threshold"]) or any(noted["if in graph"]),
            ),
        ],
        praise="Both gradients are right on both sides of the threshold. The quadratic branch does "
        "not use `threshold`: if it runs, a tape returns `None` for `threshold` in eager code, "
        "and 0 in a graph.",
    ),
    ValueQuestion(
        id="05.2",
        title="How many traces",
        kind="predict",
        points=1,
        form="Write one integer, such as 6",
        praise="Calls 1, 3, 4 and 5 each make a trace. Call 2 reuses the graph of call 1, and call "
        "6 reuses that of call 5.",
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
                "Return two things: the sum, then its gradient with respect to `w`.",
            ),
            Part("gradient", "the gradient", "It is one number, like `w`."),
        ],
        demands=[
            Demand(
                "number in a list",
                "The values are right, but one of them is in a list or in a tensor of shape "
                "(1,). Start each sum at a single number, such as `tf.zeros_like(w)`.",
                lambda noted: all(noted["single"]),
            ),
            Demand(
                "not compiled",
                "The values are right, but the function is no longer compiled, which hides the "
                "bug. Keep the `@tf.function` above it.",
                lambda noted: all(noted["compiled"]),
            ),
            Demand(
                "no tape",
                "The values are right, but no tape computed the gradient. Put a tape inside "
                "the loop, and sum the results of `tape.gradient`.",
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
        parts=[
            Part(form='Return `tape.gradient(E, {"M": M, "e": e})`; E must be a single number.')
        ],
        praise="You differentiated a function that has no formula, and your slopes are right even "
        "at e = 0. By hand, they are 1 and sin E, both divided by 1 - e * cos E.",
    ),
)

PREDICTIONS = (
    Callout(
        "05.a",
        right="None",
        options={
            "-2": "-2 is the slope of x · y with respect to y. But at x = -2 that branch does not "
            "run.",
            "0": "y makes no difference there, and a calculus book would say 0. But to "
            "return 0, the tape needs a path, and the branch that runs does not use y.",
            "None": "Python decides which branch runs, and the tape records only the "
            "operations that run. None of them used y, so there is no path. In the figure "
            "on the right, no operation reads y.",
        },
    ),
    Callout(
        "05.b",
        right="1",
        options={
            "0": "The graph does not contain `append`, so it seems that the line never runs. "
            "But tracing runs the Python code.",
            "1": "Python ran once, for the trace. `append` is not a TensorFlow operation, so the "
            "graph does not contain it; the same holds for `print` and a Python counter. "
            "Assigning to a `tf.Variable` is an operation, so it runs in every call.",
            "3": "In Python, a function that is called three times runs three times. But here "
            "the second and third calls run the graph.",
        },
        otherwise="Python runs once per trace. How many traces do three tensors with the same "
        "shape and dtype need?",
    ),
    Callout(
        "05.c",
        right="0",
        options={
            "None": "The program is the same, and in eager mode it returned `None`. But the graph "
            "contains both branches, so there is a path.",
            "0": "The graph contains both branches in one operation, and y is one of its "
            "inputs. So there is a path, and its slope is 0. If Python chooses the branch "
            "during tracing, the other branch is not in the graph, and you get `None` "
            "again.",
            "-2": "-2 is the slope of the branch that is not taken. The graph contains that "
            "branch, but does not run it.",
        },
    ),
    Callout(
        "05.d",
        right="None",
        options={
            "330": "330 is the correct gradient, and you would get it for a loop over a tensor. But "
            "this loop runs over a dataset.",
            "0": "0 is what a graph returned for a branch that was not taken. But here the loop "
            "did run, and its operation has no gradient.",
            "None": "The loss is right, but the gradient is lost silently. In a graph, a loop over "
            "a dataset becomes dataset operations (`ScanDataset`, `ReduceDataset`), which have no "
            "gradient. If the loss had a term outside the loop, you would get a number, but the "
            "loop's part would be missing.",
        },
    ),
    Callout(
        "05.e",
        right="None",
        options={
            "0.5": "0.5 is the slope of the square root at 1. But the loop ends before its first "
            "iteration, so the tape has no iteration to record.",
            "0": "0 is what a graph returns for a branch that was not taken. But in eager mode, a "
            "tape returns `None` if there is no path.",
            "None": "The loop ran no iterations, so the result is the constant 1 from the first "
            "line. There is no path from the source.",
        },
    ),
)

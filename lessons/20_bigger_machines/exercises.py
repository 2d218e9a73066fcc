"""The questions of lesson 20: a replica's share, a loop on copies, full batches, a scaled loss."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_utils.exercises import Callout, Demand, Part, Question, constants, variables


def draw_shares(rng: np.random.Generator) -> list[tuple]:
    def draw(sizes, penalties):
        shapes = [(3, 3), (3,), (3, 4), (4,), (4, 3), (3,)]  # the first two are frozen
        weights = [rng.normal(0, 0.8, shape) for shape in shapes]
        parts = [(rng.normal(0.3, 1, (n, 3)), rng.normal(0.5, 1, (n, 3))) for n in sizes]
        return weights, parts, sum(sizes), len(sizes), penalties

    return [
        draw((5, 3), (0.5, 0.3)),
        draw((2, 6, 3), (0.7, 0.4)),
        draw((1, 3, 2, 0), (0.6, 0.5)),
    ]


def as_shares(weights: list, parts: list, batch_size: int, replicas: int, penalties: tuple):
    import keras

    first, second = (keras.regularizers.L2(penalty) for penalty in penalties)
    layers = [
        keras.layers.Dense(3, trainable=False),
        keras.layers.Dense(4, "tanh", kernel_regularizer=first),
        keras.layers.Dense(3, kernel_regularizer=second),
    ]
    model = keras.Sequential([keras.Input((3,)), *layers])
    for variable, value in zip(model.variables, weights, strict=True):
        variable.assign(value)
    return model, [constants(*part) for part in parts], batch_size, replicas


def shares_noted(share: Callable, model: Any, parts: list, *arguments: Any) -> dict:
    """Return the sum of the shares, and whether a model without penalties also has a share."""
    gradients = sum_of_shares(share, model, parts, *arguments)
    return {"gradients": gradients, "plain": has_plain_share(share, parts, *arguments)}


def has_plain_share(share: Callable, parts: list, *arguments: Any) -> bool:
    import keras

    try:
        share(keras.Sequential([keras.Input((3,)), keras.layers.Dense(3)]), *parts[0], *arguments)
    except Exception:
        return False
    return True


def sum_of_shares(share: Callable, model: Any, parts: list, *arguments: Any) -> Any:
    """Return the sums over all replicas, or the first share that is no list of gradients."""
    shares = []
    for x, y in parts:
        shares.append(share(model, x, y, *arguments))
        is_list = isinstance(shares[-1], list | tuple)
        if not is_list or any(g is None or isinstance(g, list) for g in shares[-1]):
            return shares[-1]
    return [sum(np.asarray(g) for g in same) for same in zip(*shares, strict=True)]


def draw_copies(rng: np.random.Generator) -> list[tuple]:
    def draw(sizes, lr, penalty, largest):
        weights = [rng.normal(0, 1, (3, 4)), rng.normal(0, 1, 4)]
        parts = []
        for n in sizes:
            x = rng.normal(0.3, 1, (n, 3))
            best = np.argmax(x @ weights[0] + weights[1], axis=1)
            parts.append((x, (best + 1) % 4))
        # In the smallest part more are right than elsewhere, so that means of unlike parts show.
        for number, (_, y) in enumerate(parts):
            right = len(y) if len(y) == min(sizes) else 1 + number % 2
            y[:right] = (y[:right] - 1) % 4
        return weights, parts, lr, penalty, largest

    # In the first call nothing is clipped: there a common factor of all gradients shows. And its
    # step is so long that another share is right after it.
    first = draw((6, 3), 2.5, 0.05, 50.0)
    while shares_right(*first[:4])[0] == shares_right(*first[:4])[1]:
        first = draw((6, 3), 2.5, 0.05, 50.0)
    return [
        first,
        draw((3, 8, 5), 0.4, 0.2, 0.2),
        draw((7, 2, 4, 5), 0.6, 0.4, 0.3),
    ]


def shares_right(weights: list, parts: list, lr: float, penalty: float) -> list[int]:
    """Return how many answers are right before a step that is not clipped, and after it."""
    W, b = weights
    x, y = (np.concatenate(same) for same in zip(*parts, strict=True))
    before = x @ W + b
    slopes = np.exp(before - before.max(axis=1, keepdims=True))
    slopes = slopes / slopes.sum(axis=1, keepdims=True) - np.eye(len(b))[y]
    moved = W - lr * (x.T @ slopes / len(y) + 2 * penalty * W)
    after = x @ moved + b - lr * slopes.mean(axis=0)
    return [int(np.sum(np.argmax(logits, axis=1) == y)) for logits in (before, after)]


def as_copies(weights: list, parts: list, lr: float, penalty: float, largest: float) -> tuple:
    copies = [list(variables(*weights)) for _ in parts]
    return copies, [constants(*part) for part in parts], lr, penalty, largest


def moved_copies(step: Callable, copies: list, *arguments: Any) -> dict:
    """Return by how much each copy moved, and what the step returned."""
    before = [[v.numpy() for v in variables] for variables in copies]
    right = step(copies, *arguments)
    moves = [
        [v.numpy() - old for v, old in zip(variables, values, strict=True)]
        for variables, values in zip(copies, before, strict=True)
    ]
    return {"moves": moves, "right": right}


def draw_epochs(rng: np.random.Generator) -> list[tuple]:
    def draw(n, d, batch_size):
        x, y = rng.uniform(0.5, 3, (n, d)), rng.uniform(0.5, 3, n)
        return x, y, batch_size, rng.normal(size=d)

    # Also a last batch that is full, one of one example, and a first that is short.
    return [draw(10, 2, 4), draw(13, 3, 5), draw(8, 2, 4), draw(9, 2, 4), draw(3, 2, 7)]


def as_epoch(x: np.ndarray, y: np.ndarray, batch_size: int, w: np.ndarray) -> tuple:
    return *constants(x, y), batch_size, w


def epoch_noted(run_epoch: Callable, x: Any, y: Any, batch_size: int, w: np.ndarray) -> dict:
    """Return the weights after each call of a step, and what had not batch_size rows in the first.

    Where lengths differ, the step goes as far as the shortest, so that other mistakes show, too.
    """
    noted = {"path": [], "not full": ""}

    def step(x, y, weights):
        nonlocal w
        x, y, weights = (np.asarray(given, np.float64) for given in (x, y, weights))
        given = {"x": x.shape[:1], "y": y.shape, "weights": weights.shape}
        other = [name for name, shape in given.items() if shape != (batch_size,)]
        noted["not full"] = noted["not full"] or " ".join(other)
        if x.ndim and y.ndim and weights.ndim:
            rows = min(len(x), len(y), len(weights))
            x, y, weights = x[:rows], y[:rows], weights[:rows]
        with np.errstate(all="ignore"):
            inputs, targets = 1 + np.log(x), np.log(y)  # no loss is 0 where x and y are 1
            slopes = 2 * (inputs @ w - targets)[:, None] * inputs  # (n, d), of each example
            w = w - 0.1 * np.sum(weights * slopes.T, axis=-1).reshape(-1, len(w)).sum(0)
        noted["path"].append(w)

    run_epoch(step, x, y, batch_size)
    return {"count": len(noted["path"]), **noted}


def draw_scaled(rng: np.random.Generator) -> list[tuple]:
    def draw(size_a, size_b, lr, scale):
        """Draw slopes of about size_a and size_b; of those of 2, times the scale, one is finite."""
        values = [rng.uniform(0.5, 1.5, 3), rng.uniform(0.5, 1.5, 2)]
        slopes = [size_a * rng.uniform(0.5, 1.5, 3), size_b * rng.uniform(0.5, 1.5, 2)]
        for size, slope in zip((size_a, size_b), slopes, strict=True):
            slope[-1] *= 0.02 if abs(size) == 2.0 else 1.0
        return values, slopes, lr, scale

    def draw_nan():
        """Draw a gradient with nan and no inf: inf in float16, times the value 0."""
        values, slopes, *rest = draw(0.05, 0.04, 5.0, 2.0**18)
        values[0][1], slopes[0][1] = 0.0, 2.0
        return values, slopes, *rest

    return [
        draw(4e-9, 8e-9, 3e7, 2.0**18),
        draw(0.04, 2.0, 4.0, 2.0**18),
        draw(2.0, 0.05, 5.0, 2.0**17),
        draw(9e-9, 4e-9, 2e7, 2.0**17),
        draw_nan(),
        draw(0.04, -2.0, 4.0, 2.0**18),  # -inf, and no inf
        draw(3e5, 0.05, 4.0, 1.0),
        draw(0.1, 0.08, 0.5, 2.0**18),  # large gradients, and finite
    ]


def as_scaled(values: list, slopes: list, lr: float, scale: float) -> tuple:
    import tensorflow as tf

    moving, slopes = list(variables(*values)), constants(*slopes)

    def loss_of():
        halves = [tf.cast(v, tf.float16) for v in moving]
        squares = [s * tf.cast(h**2, tf.float32) / 2 for s, h in zip(slopes, halves, strict=True)]
        return tf.add_n([tf.reduce_sum(square) for square in squares])

    return moving, loss_of, lr, scale


def moves_and_scale(step: Callable, variables: list, *arguments: Any) -> dict:
    """Return by how much each variable moved, and what the step returned."""
    before = [v.numpy() for v in variables]
    scale = step(variables, *arguments)
    return {
        "moves": [v.numpy() - old for v, old in zip(variables, before, strict=True)],
        "scale": scale,
    }


EXERCISES = (
    Question(
        id="20.1",
        title="A replica's share",
        kind="complete",
        points=2,
        draw=draw_shares,
        prepare=as_shares,
        call=shares_noted,
        inputs="weights parts batch_size replicas penalties",
        parts=[
            Part(
                "gradients",
                "the sum of the shares",
                "Return a list with one gradient per trainable variable.",
            )
        ],
        demands=[
            Demand(
                "penalties required",
                "Your gradients are right, but your function raises an error for a model without "
                "penalties, because `tf.add_n` takes no empty list. Use `sum(model.losses)`.",
                lambda noted: all(noted["plain"]),
            )
        ],
        praise=("The shares add up to the gradients of a single device, even if a part is empty."),
    ),
    Question(
        id="20.2",
        title="A step on several copies",
        kind="repair",
        points=3,
        draw=draw_copies,
        prepare=as_copies,
        call=moved_copies,
        inputs="weights parts lr penalty largest",
        parts=[
            Part("moves", "the change in the copies"),
            Part("right", "the fraction of correct answers", "Return one number."),
        ],
        praise="Every copy ends up with the weights that a single device would have.",
    ),
    Question(
        id="20.4",
        title="A step with a scaled loss",
        kind="complete",
        points=3,
        draw=draw_scaled,
        prepare=as_scaled,
        call=moves_and_scale,
        inputs="values slopes lr scale",
        parts=[Part(words="the changes in the variables, and the next scale")],
        praise=("Small gradients are no longer lost, and if one overflows, no variable changes."),
    ),
    Question(
        id="20.3",
        title="Full batches for XLA",
        kind="complete",
        points=2,
        draw=draw_epochs,
        prepare=as_epoch,
        call=epoch_noted,
        inputs="x y batch_size w",
        parts=[
            Part("count", "the number of calls of `step`"),
            Part("path", "the weights that `step` trains, after each call"),
        ],
        demands=[
            Demand(
                "short batch",
                "The steps are right, but not every call gets exactly `batch_size` rows of "
                "`x`, `y` and `weights`, so XLA would compile again. Fill up the short "
                "batch with rows of weight 0.",
                lambda noted: "x y weights" not in noted["not full"],
            ),
            Demand(
                "x not filled up",
                "`y` and `weights` have `batch_size` entries in every call, but `x` has a "
                "different number of rows. Fill up all three.",
                lambda noted: "x" not in noted["not full"],
            ),
            Demand(
                "y not filled up",
                "`x` and `weights` have `batch_size` rows in every call, but `y` has a different "
                "number of entries. Fill up all three.",
                lambda noted: "y" not in noted["not full"],
            ),
            Demand(
                "weights not filled up",
                "`x` and `y` have `batch_size` rows in every call, but `weights` has a different "
                "number of entries. Fill it up with zeros.",
                lambda noted: "weights" not in noted["not full"],
            ),
            Demand(
                "lengths unlike",
                "In at least one call, two of `x`, `y` and `weights` do not have `batch_size` "
                "rows. Fill up all three.",
                lambda noted: not any(noted["not full"]),
            ),
        ],
        praise="XLA sees only one shape, and the short batch takes the right step.",
    ),
)

PREDICTIONS = (
    Callout(
        "20.a",
        right="twice as large",
        options={
            "equally large": "The mean of two means would be the mean over all examples. But the "
            "gradients are added.",
            "half as large": "It would be half as large if each half divided by 64 and then by 2. "
            "But each half divides only by 32.",
            "twice as large": "Each half divides by 32 instead of 64. For n parts of equal size, the "
            "sum of their means is n times the mean of the whole batch.",
        },
    ),
    Callout(
        "20.b",
        right="the copies drift apart",
        options={
            "TensorFlow raises an error": "A *model* created outside the scope raises an error, "
            "and so does Adam if it is not built. But if Adam is built, there is no error, so "
            "this bug is hard to find.",
            "training works as it should": "The gradients are added, and each copy takes a step. But "
            "Adam also stores averages. Outside the scope, there is only one set of them for all "
            "copies.",
            "the copies drift apart": "There is only one set of Adam's running averages, shared by "
            "all replicas. Each replica updates them and then takes its "
            "own step, so each takes a different step.",
        },
    ),
    Callout(
        "20.e",
        right="0",
        options={
            "6e-9": "The loss and w are `float32`, so 6e-9 is tempting. But in the backward "
            "pass the gradient goes through `float16`.",
            "0": "In `float16`, a positive number below about 3e-8 becomes 0, and the gradient "
            "passes through `float16` in the backward pass.",
            "None": "A cast may seem to break the path. But a cast between floating-point "
            "types has a gradient.",
        },
    ),
    Callout(
        "20.d",
        right="12",
        options={
            "10": "10 is the correct number. But XLA compiled the body of the loop for batches "
            "of 4.",
            "12": "XLA silently uses the size that it compiled for, 4, for the short batch as "
            "well, so the total is three times 4.",
            "an error": "An error would help. But XLA gives no message.",
        },
    ),
    Callout(
        "20.c",
        right="those of the first replica",
        options={
            "the mean of all replicas'": "The mean would be sensible. But the layer's averages "
            "are a variable with a copy on each device, and reading it returns the first "
            "copy.",
            "those of the first replica": "Each copy of the averages was updated separately, "
            "and reading the variable returns the first copy. What the other devices saw "
            "is lost.",
            "those of the whole batch": "The averages of the whole batch would be ideal. But "
            "no replica saw the whole batch: each computed the mean and variance of its "
            "part.",
        },
    ),
)

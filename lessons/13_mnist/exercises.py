"""The questions of lesson 13: a first loss, measuring in batches, a new order, sure mistakes."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_utils.exercises.observation import calls_noted
from course_utils.exercises.question import Demand, Part, Prediction, Question
from course_utils.exercises.readings import Other


def draw_measurements(rng: np.random.Generator) -> list[tuple]:
    def draw(n: int, batch_size: int) -> tuple:
        x, W = rng.normal(size=(n, 3)), rng.normal(size=(3, 4))
        labels = np.argmax(x @ W, axis=1)
        # Of the short batch, at most the last is right; the others are mostly right.
        short = n - n % batch_size
        for wrong in (slice(2), slice(short, max(short + 1, n - 1))):
            labels[wrong] = (labels[wrong] + 1) % 4
        return x, labels, batch_size, W

    return [draw(10, 4), draw(23, 5), draw(7, 6)]


def as_measurement(x: np.ndarray, y: np.ndarray, batch_size: int, W: np.ndarray) -> tuple:
    import tensorflow as tf

    W = tf.constant(W, tf.float32)
    return lambda batch: tf.cast(batch, tf.float32) @ W, x.astype(np.float32), y, batch_size


def measured_in_batches(
    function: Callable, logits_of: Callable, x: np.ndarray, y: np.ndarray, batch_size: int
) -> dict:
    """Return what the function returned, and whether no batch was too large."""
    sizes = []

    def noting(batch: Any) -> Any:
        sizes.append(len(batch))
        return logits_of(batch)

    returned = function(noting, x, y, batch_size)
    return {"returned": returned, "in batches": max(sizes, default=0) <= batch_size}


def of_two(i: int) -> Callable:
    def read(reading: Any, *call: Any) -> Any:
        if isinstance(reading, np.ndarray) and reading.ndim == 0:
            return Other("number alone")
        if len(reading) != 2:
            raise ValueError(len(reading))
        return reading[i] if isinstance(reading, list) else np.asarray(reading[i])

    return read


def draw_sizes(rng: np.random.Generator) -> list[tuple]:
    return [(int(n),) for n in rng.integers(20, 60, 3)]


def orders_and_traces(function: Callable, n: int) -> dict:
    """Return what the function returned, and how often the graphs that it called were traced."""
    import tensorflow as tf

    with calls_noted(type(tf.function(lambda: None)), "__call__") as calls:
        orders = function(n)
    called = {id(call["self"]): call["self"] for call in calls}
    traces = sum(graph.experimental_get_tracing_count() for graph in called.values())
    return {"orders": orders, "traces": traces}


def numbers_of(orders: Any, n: int) -> list[np.ndarray]:
    """Return the numbers of both orders, sorted; not a number where one is missing."""

    def read(order: np.ndarray) -> np.ndarray:
        numbers = np.sort(order)
        missing = numbers.shape == (n,) and np.any(numbers != np.arange(n))
        return np.full(n, np.nan) if missing else numbers

    first, second = orders
    return [read(first), read(second)]


def kinship(orders: Any, n: int) -> str:
    """Return how one order is made of the other, or of 0, 1, 2, ..., whatever chance drew."""
    first, second = orders
    if np.array_equal(first, second):
        return "one order twice" if np.any(np.diff(first) != 1) else "0, 1, 2, ... twice"
    if any(np.all(np.diff(order) == 1) for order in orders):
        return "0, 1, 2, ... and another"
    if any(np.all(np.diff(order) % n == 1) for order in orders):
        return "0, 1, 2, ... from another start"
    if np.array_equal(second, first[::-1]):
        return "an order and its reverse"
    if len(np.unique((second - first) % n)) == 1:
        return "an order and its numbers shifted"
    if any(np.array_equal(second, np.roll(first, places)) for places in range(n)):
        return "an order and its places shifted"
    return "two orders"


def draw_logits(rng: np.random.Generator) -> list[tuple]:
    def draw(n: int, k: int, mistakes: int) -> tuple:
        surest = rng.uniform(0.4, 0.7, n)
        second = np.minimum(rng.uniform(0.4, 0.9, n) * (1 - surest), surest - 0.05)
        third = rng.uniform(0.4, 0.6, n) * (1 - surest - second)
        rows = np.stack([surest, second, third, 1 - surest - second - third], axis=1)
        # Rows are shifted, so that a large logit does not mean a large probability. One that is
        # right and sure outweighs its column.
        logits = np.log(rng.permuted(rows, axis=1)) + rng.normal(0, 0.5, (n, 1))
        labels = np.argmax(logits, axis=1)
        logits[0, labels[0]] += 6
        wrong = 1 + rng.permutation(n - 1)[:mistakes]
        labels[wrong] = (labels[wrong] + rng.integers(1, 4, len(wrong))) % 4
        return logits.round(3), labels, k

    return [draw(12, 4, 6), draw(80, 12, 40), draw(7, 7, 4)]


def as_logits(logits: np.ndarray, labels: np.ndarray, k: int) -> tuple:
    return logits.astype(np.float32), labels, k


def indices(reading: Any, *call: Any) -> np.ndarray:
    """Return one axis, also of no index or of one."""
    is_short = isinstance(reading, list | np.ndarray) and np.ndim(reading) < 2
    return np.reshape(np.asarray(reading, float), -1) if is_short else reading


def which(reading: Any, logits: np.ndarray, labels: np.ndarray, k: int) -> np.ndarray:
    """Return at most k indices sorted; of more, the order tells how they came about."""
    found = indices(reading)
    return np.sort(found) if found.ndim == 1 and len(found) <= k else found


MEASURED = "Return two numbers, as a tuple: the mean loss, then the accuracy."
INDICES = "Return the indices: one array of shape (k,), or a list of whole numbers."

EXERCISES = (
    Prediction(
        id="13.1",
        title="The loss before the first step",
        kind="predict",
        points=1,
        form="Write one number, the loss",
        tolerance=8e-3,  # to one decimal
        praise="ln(1000): each class gets a probability of 1/1000.",
    ),
    Question(
        id="13.2",
        title="Loss and accuracy in batches",
        kind="complete",
        points=3,
        draw=draw_measurements,
        prepare=as_measurement,
        call=measured_in_batches,
        inputs="x y batch_size",
        parts=[
            Part("returned", "the mean loss", MEASURED, read=of_two(0)),
            Part("returned", "the accuracy", MEASURED, read=of_two(1)),
        ],
        demands=[
            Demand(
                "too many at once",
                "The numbers are right, but `logits_of` was asked for more than `batch_size` "
                "examples at a time. Cut x into batches: the data may be larger than the memory.",
                lambda noted: all(noted["in batches"]),
            )
        ],
        praise="Every example counts once, also those of a short last batch.",
    ),
    Question(
        id="13.3",
        title="A new order for every epoch",
        kind="repair",
        points=2,
        draw=draw_sizes,
        call=orders_and_traces,
        inputs="n",
        parts=[
            Part(
                "orders",
                form="Return a list of two orders, each of shape (n,), as given: "
                "[next_order(), next_order()].",
                read=numbers_of,
            ),
            Part("orders", read=kinship),
        ],
        demands=[
            Demand(
                "traced again",
                "The orders differ because each was traced anew: what Python or NumPy draws is "
                "still a constant of its graph. Trace `next_order` once, and draw with an "
                "operation of TensorFlow's.",
                lambda noted: all(traces < 2 for traces in noted["traces"]),
            ),
            Demand(
                "no graph",
                "The orders are right, but no graph draws them. Keep `next_order` a "
                "`tf.function`, as it was given, and draw with an operation of TensorFlow's.",
                lambda noted: all(noted["traces"]),
            ),
        ],
        praise="Each epoch has an order of its own, and every example comes once.",
    ),
    Question(
        id="13.4",
        title="The surest mistakes",
        kind="complete",
        points=3,
        draw=draw_logits,
        prepare=as_logits,
        inputs="logits labels k",
        parts=[
            Part(words="the list of your indices, sorted,", form=INDICES, read=which),
            Part(
                words="the order of your right indices, the surest first,",
                form=INDICES,
                read=indices,
            ),
        ],
        praise="These are where to look for wrong labels first.",
    ),
)

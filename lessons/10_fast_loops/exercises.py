"""The questions of lesson 10: counted traces, a step traced once, an epoch, and a pipeline."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from course_utils.exercises import (
    Callout,
    Demand,
    Part,
    Question,
    ValueQuestion,
    calls_noted,
    constants,
    listen_to_operations,
    variables,
)

EAGER = 100  # added to the count where the step was not compiled
MORE_BATCHES = 100  # that the last epoch has, at least; a step needs two operations, or more


def draw_schedules(rng: np.random.Generator) -> list[tuple]:
    def draw(n: int, rates: list[float]) -> tuple:
        return -round(rng.uniform(0.5, 2), 2), *rng.uniform(0.5, 2, (2, n)).round(2), rates

    # The first rate comes back, with another loss and, for a Python number, with its old trace.
    return [
        draw(4, [0.1, 0.05, 0.1, 0.02]),
        draw(3, [0.02, 0.03, 0.02, 0.05]),
        draw(5, [0.08, 0.04, 0.08]),
    ]


def as_schedule(w: float, x: np.ndarray, y: np.ndarray, rates: list[float]) -> tuple:
    """Return a step that counts how often Python runs it: a number fixed in each trace."""
    import tensorflow as tf

    variable, runs = tf.Variable(w, dtype=tf.float32), []

    def step(x, y, rate):
        runs.append(1)
        count = len(runs) + (EAGER if tf.executing_eagerly() else 0)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((variable * x - y) ** 2)
        variable.assign_sub(tf.cast(rate, tf.float32) * tape.gradient(loss, variable))
        return loss, tf.constant(count)

    # TensorFlow warns of the fifth trace of one code object; a partial is counted by itself.
    counted = partial(step)
    counted.runs = runs
    return counted, *constants(x, y), list(rates)


def trained(train: Callable, step: Callable, x: Any, y: Any, rates: list[float]) -> dict:
    """Return the pairs, and how often Python ran the step and a ``tf.function`` was made."""
    import tensorflow as tf

    with calls_noted(type(tf.function(step)), "__init__") as made:
        returned = train(step, x, y, list(rates))
    return {
        "pairs": returned,
        "one run": len(step.runs) == 1,
        "made in the loop": len(made) >= len(rates),
    }


def column(i: int, reading: Any, *call) -> np.ndarray:
    """Return one number of each pair, of shape (n, 1): of another form than a list of numbers."""
    return np.stack(reading)[:, i : i + 1]


def draw_epochs(rng: np.random.Generator) -> list[tuple]:
    def draw(n: int, d: int, used: int, batch_size: int, rate: float) -> tuple:
        w, x, y = rng.normal(size=d), rng.normal(size=(n, d)), rng.normal(2.0, 1.0, size=n)
        # A Python number that was not there before: what was compiled earlier is traced again.
        rate = round(rate * rng.uniform(0.9, 1.1), 5)
        return w, x, y, rng.permutation(n)[:used], batch_size, rate

    # TensorFlow warns of the fifth trace. The last call has 100 batches more than the others.
    return [draw(10, 2, 10, 4, 0.1), draw(12, 3, 7, 5, 0.08), draw(110, 2, 103, 1, 0.02)]


def as_epoch(w, x, y, order, batch_size, rate) -> tuple:
    return *variables(w), *constants(x, y), *constants(order, dtype="int32"), batch_size, rate


def epoch_taken(epoch: Callable, w: Any, *arguments) -> dict:
    """Return both w, and how many operations and ``tf.function``s Python started.

    An operation that is added to a graph counts too, so that a loop which Python unrolls into a
    graph shows: only a loop of the graph needs no more of both for more batches.
    """
    import tensorflow as tf

    started = 0

    def count(*_):
        nonlocal started
        started += 1

    compiled_type = type(tf.function(count))
    with listen_to_operations(count), calls_noted(compiled_type, "__call__") as compiled:
        returned = epoch(w, *arguments)
    return {
        "returned": returned,
        "w": w.numpy(),
        "operations": started,
        "functions": len(compiled),
    }


def loops_in_graph(noted: dict) -> bool:
    """Tell whether Python starts no more for the many batches of the last call."""
    counts = (noted["operations"], noted["functions"])
    return all(last - max(others) < MORE_BATCHES for *others, last in counts)


def draw_numbers(rng: np.random.Generator) -> list[tuple]:
    def draw(n: int, batch_size: int) -> tuple:
        return np.sort(rng.choice(900, n, replace=False)) + 100, batch_size

    return [draw(43, 8), draw(150, 7)]


def as_source(numbers: np.ndarray, batch_size: int) -> tuple:
    """Return a decode that gives each number with the count of the run that decoded it."""
    import tensorflow as tf

    runs: list[int] = []

    def decode_now(number):
        runs.append(1)
        return tf.stack([number, len(runs) * tf.ones_like(number)], axis=-1)

    def decode(number):
        number = tf.convert_to_tensor(number)
        decoded = tf.py_function(decode_now, [number], number.dtype)
        decoded.set_shape([*number.shape, 2])
        return decoded

    return numbers.astype(np.int32), decode, batch_size


def pipelined(two_epochs: Callable, *arguments) -> dict:
    """Return the epochs, and what their numbers alone do not tell."""
    import tensorflow as tf

    with calls_noted(tf.data.Dataset, "shuffle") as shuffles:
        returned = two_epochs(*arguments)
    fixed = any(shuffle.get("reshuffle_each_iteration") is False for shuffle in shuffles)
    largest = largest_buffer(shuffles)
    return {
        "epochs": returned,
        "second": second(returned, fixed),
        "buffer": "for all" if largest >= len(arguments[0]) else "small",
        "grows": np.isinf(largest)
        or largest in range(len(arguments[0]) + 1)
        or largest < buffer_for(two_epochs, largest),
        "shuffled": len(shuffles) > 0,
    }


def largest_buffer(shuffles: list[dict]) -> float:
    # A negative size, such as the cardinality behind unbatch, is room for all.
    sizes = [int(shuffle["buffer_size"]) for shuffle in shuffles]
    return np.inf if min(sizes, default=-1) < 0 else max(sizes)


def buffer_for(two_epochs: Callable, held: float) -> float:
    """Return the buffer for more numbers than one holds, up to 20,000."""
    import tensorflow as tf

    numbers = np.arange(min(held, 20_000) + 1, dtype=np.int32)
    with calls_noted(tf.data.Dataset, "shuffle") as shuffles:
        two_epochs(numbers, lambda number: tf.stack([number, number], axis=-1), len(numbers))
    return largest_buffer(shuffles)


# Every order is drawn at random, so that epochs are compared in a few words about them.


def second(returned: Any, fixed: bool) -> str:
    """Return how the second epoch comes by its order."""
    try:
        first, other = ([np.asarray(batch) for batch in epoch] for epoch in returned)
        is_same = np.array_equal(np.concatenate(first)[:, 0], np.concatenate(other)[:, 0])
    except (IndexError, TypeError, ValueError):
        return "no two epochs"
    if not is_same:
        return "drawn anew"
    if all(one is another for one, another in zip(*returned, strict=False)):
        return "one list"
    return "fixed" if fixed else "kept"


def epochs_of(reading: Any) -> list[list[np.ndarray]]:
    """Return two lists of batches, each of shape (m, 2)."""
    is_pair = isinstance(reading, list) and len(reading) == 2
    if not (is_pair and all(isinstance(epoch, list) and epoch for epoch in reading)):
        raise ValueError
    if any(batch.ndim != 2 or batch.shape[1] != 2 for epoch in reading for batch in epoch):
        raise ValueError
    return reading


def orders_of(reading: Any, numbers: np.ndarray) -> list[np.ndarray]:
    """Return the place of each decoded number among all, epoch by epoch."""
    return [np.searchsorted(numbers, np.concatenate(e)[:, 0]) for e in epochs_of(reading)]


def form(reading: Any, *call) -> str:
    items = [np.shape(item) for epoch in reading if isinstance(epoch, list) for item in epoch]
    if items and set(items) <= {(2,), ()}:
        return "lists of numbers" if (2,) in items else "lists of what was not decoded"
    if items and all(len(shape) == 3 and shape[1:] == (2, 2) for shape in items):
        return "lists of what was decoded twice"
    epochs_of(reading)
    return "lists of batches"


def held(reading: Any, numbers: np.ndarray, batch_size: int) -> str:
    found = [np.concatenate(epoch)[:, 0] for epoch in epochs_of(reading)]
    if all(np.array_equal(np.sort(each), numbers) for each in found):
        return "each once"
    is_part = all(len(each) <= len(numbers) and set(each) <= set(numbers) for each in found)
    return "too few" if is_part else "others"


def mixed(reading: Any, numbers: np.ndarray, batch_size: int) -> str:
    # Whole batches in any order make few stretches of neighbours.
    jumps = [np.count_nonzero(np.diff(order) != 1) for order in orders_of(reading, numbers)]
    if not any(jumps):
        return "as they stand"
    return "in whole batches" if max(jumps) < len(numbers) / batch_size else "mixed"


def sizes(reading: Any, numbers: np.ndarray, batch_size: int) -> str:
    for *full, last in ([len(batch) for batch in epoch] for epoch in epochs_of(reading)):
        if any(length != batch_size for length in full) or last > batch_size:
            return "others"
    return "batch_size"


def decoded(reading: Any, *call) -> str:
    first, other = (np.concatenate(epoch) for epoch in epochs_of(reading))
    by_number = [epoch[np.argsort(epoch[:, 0])] for epoch in (first, other)]
    return "once" if np.array_equal(*by_number) else "again"


PAIRS = (
    "After the loop, return a list with one (loss, count) pair for each learning rate: the result "
    "of `step`."
)

EXERCISES = (
    ValueQuestion(
        id="10.1",
        title="Traces of a function with a flag",
        kind="predict",
        points=1,
        form="Write one integer",
        praise=(
            "With `True`, there is one trace for batches of 64 and one for the batch of 40. With "
            "`False`, there is one for 64 and one for 8. Later epochs add none."
        ),
    ),
    Question(
        id="10.2",
        title="A step that is traced for every learning rate",
        kind="repair",
        points=2,
        draw=draw_schedules,
        prepare=as_schedule,
        call=trained,
        inputs="w x y rates",
        parts=[
            Part("pairs", "the column of losses", PAIRS, read=partial(column, 0)),
            Part("pairs", "the column of counts", PAIRS, read=partial(column, 1)),
        ],
        demands=[
            Demand(
                "counts made up",
                "The list looks right, but Python did not run the step exactly once. Return "
                "the pairs from the compiled step.",
                lambda noted: all(noted["one run"]),
            ),
            Demand(
                "new function for every rate",
                "The step is traced once, but you still create and trace a `tf.function` for "
                "every learning rate. Create one from `step`, above the loop, and call it "
                "in the loop.",
                lambda noted: not any(noted["made in the loop"]),
            ),
        ],
        praise=(
            "One trace serves every learning rate, and each loss belongs to its learning rate."
        ),
    ),
    Question(
        id="10.3",
        title="An epoch over indices",
        kind="complete",
        points=3,
        draw=draw_epochs,
        prepare=as_epoch,
        call=epoch_taken,
        inputs="w x y order batch_size rate",
        parts=[
            Part(
                "returned", "the `w` that you return", "Return `w`, of shape (d,), after the loop."
            ),
            Part("w", "the variable `w` afterwards"),
        ],
        demands=[
            Demand(
                "python loop",
                "The numbers are right, but Python still runs the loop: it starts more operations "
                "if there are more batches. Put the loop in a function with `@tf.function`, and "
                "loop over `tf.range`.",
                loops_in_graph,
            ),
            Demand(
                "numpy loop",
                "The numbers are right, but no `tf.function` ran, so Python runs the loop. Put the "
                "loop in a `tf.function`, loop over `tf.range`, and use TensorFlow operations "
                "instead of NumPy.",
                lambda noted: all(noted["functions"]),
            ),
        ],
        praise="You take one step per batch, including the short one, in the given order.",
    ),
    Question(
        id="10.4",
        title="A pipeline in the wrong order",
        kind="repair",
        points=3,
        draw=draw_numbers,
        prepare=as_source,
        call=pipelined,
        inputs="numbers batch_size",
        parts=[
            Part(
                "epochs",
                form=(
                    "Return a list of two epochs, each a list of decoded batches: "
                    "`[list(dataset), list(dataset)]`."
                ),
                read=form,
            ),
            Part("epochs", "which of the numbers an epoch contains", read=held),
            Part("epochs", "the order of an epoch", read=mixed),
            Part("epochs", "the size of a batch", read=sizes),
            Part("second", "the order of the second epoch"),
            Part("buffer", "the shuffle buffer"),
            Part("epochs", "how often decode runs for each number", read=decoded),
        ],
        demands=[
            Demand(
                "no pipeline",
                "The epochs are right, but no `tf.data` pipeline shuffled them. Fix the "
                "pipeline from the exercise, which also works for data that do not fit "
                "into memory.",
                lambda noted: all(noted["shuffled"]),
            ),
            Demand(
                "fixed buffer",
                "The epochs are right, but your shuffle buffer has a fixed size. With more "
                "numbers the order would be only partly random, so use "
                "`shuffle(len(numbers))`.",
                lambda noted: all(noted["grows"]),
            ),
        ],
        praise="Each epoch has its own order, and each number was decoded once.",
    ),
)

PREDICTIONS = (
    Callout(
        "10.a",
        right="2, and 3 at the end",
        options={
            "1, and 1 at the end": "You might expect one trace for one function. But the first "
            "call creates variables, and the last batch has a different shape.",
            "1, and 2 at the end": "The last batch has only 20 examples, so its shape is new and "
            "needs a trace. But the first call needs two traces, because it creates variables.",
            "2, and 3 at the end": "A new Adam optimizer creates its variables, two averages per "
            "weight, when it is first applied. A `tf.function` can create variables only in its "
            "first call, so that call is traced twice: once to create the variables and once for "
            "the graph that is kept. The third trace is for the last batch: 500 is 15 · 32 + 20, "
            "and a batch of 20 has a new shape.",
            "2, and 17 at the end": "Each batch contains different numbers. But for a tensor, only "
            "its shape and dtype matter.",
        },
    ),
    Callout(
        "10.b",
        right="no",
        options={
            "yes": "The dataset is shuffled, so it seems that 0 and 5 can meet. But the shuffle "
            "moves elements, and here each element is a batch.",
            "no": "After `batch(2)`, an element of the dataset is a whole batch, so 0 always stays "
            "with 1 and cannot meet 5. Shuffle first, then batch.",
        },
    ),
    Callout(
        "10.c",
        right="24",
        options={
            "8": "Each number would be decoded once if the cache stored the results. But here the "
            "cache comes before the `map`.",
            "24": "A cache stores its input, and here that is the raw numbers. So `decode` "
            "runs for each of the 8 numbers in each of three epochs. After the `map`, the "
            "cache would store the results.",
        },
        otherwise=(
            "There are 8 numbers and three epochs. What does the cache store: the "
            "numbers, or the results of `decode`?"
        ),
    ),
    Callout(
        "10.d",
        right="no",
        options={
            "yes": "The shuffle would draw a new order. But in the second epoch the cache no "
            "longer reads from the shuffle.",
            "no": "In the first epoch the cache stores what it receives, in that order. After "
            "that, the cache repeats this order and no longer reads its input. So put everything "
            "random after the cache.",
        },
    ),
    Callout(
        "10.e",
        right="only cache()",
        options={
            "neither": "Without a cache, each image is gone when the next one comes. But a "
            "cache is there to store them.",
            "only cache()": "`cache()` stores each element in memory. With a file name, the "
            "elements are written to disk, and read from there in the second epoch.",
            "both": "Both variants do store the elements. But with a file name, they are written "
            "to disk, and read back one at a time.",
        },
    ),
)

"""The exercises of lesson 10: counted traces, a step traced once, an epoch, and a pipeline."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..tape.tensorflow_internals import listen_to_operations
from .exercise import FunctionExercise, Judgement, ValueExercise, failed, passed
from .observation import calls_noted
from .reading import as_array, as_vector, close, first_difference, in_words, is_a

__all__ = ["EXERCISES"]


# 10.1 ---------------------------------------------------------------------------------------------


def _judge_traces(value: Any) -> Judgement:
    number = as_array(value)
    if number is None or number.shape != () or number != np.round(number):
        return failed(f"Write one whole number; you wrote {in_words(value)}.")
    mistakes = {
        1: "There is more than one kind of call: batches of 64 and of 40, and in each epoch "
        "another value of epoch.",
        2: "Two batch sizes make two traces in the first epoch. But epoch is a Python number, "
        "which counts by its value: what happens when it changes?",
        3: "Three is what a fresh optimizer makes in one epoch. Here it was built, and epoch, a "
        "Python number, takes five values.",
        5: "Each value of epoch is a new trace. But within an epoch there are two shapes: 1,000 is "
        "15 * 64 + 40.",
        6: "Each value of epoch needs a trace for *both* batch sizes, the short one too.",
        11: "One too many: the optimizer was built before, so the first call is traced once.",
        15: "Three traces an epoch would need an optimizer that makes variables in each of them. "
        "It was built before.",
        16: "This is the number of batches in an epoch. A batch of a size seen before, in the same "
        "epoch, makes no new trace.",
        80: "This is the number of calls. A call like an earlier one makes no new trace.",
    }
    if number == 10:
        return passed(
            "Two batch sizes in each of five epochs: a Python number counts by its value."
        )
    return failed(
        mistakes.get(int(number) if abs(number) < 1e6 else 0)
        or f"It is not {number:g}. Count the different pairs of a batch size and a value of epoch."
    )


# 10.2 ---------------------------------------------------------------------------------------------


def _draw_schedules(rng: np.random.Generator) -> list[tuple]:
    def draw(n: int, rates: list[float]) -> tuple:
        return -round(rng.uniform(0.5, 2), 2), *rng.uniform(0.5, 2, (2, n)).round(2), rates

    # The first rate comes back, with another loss and, for a Python number, with its old trace.
    return [
        draw(4, [0.1, 0.05, 0.1, 0.02]),
        draw(3, [0.02, 0.03, 0.02, 0.05]),
        draw(5, [0.08, 0.04, 0.08]),
    ]


def _as_step(w: float, x: np.ndarray, y: np.ndarray, rates: list[float]) -> tuple:
    """Return a step that counts how often Python runs it: a number fixed in each trace."""
    import tensorflow as tf

    variable, runs = tf.Variable(w, dtype=tf.float32), []

    def step(x, y, rate):
        runs.append(1)
        count = len(runs) + (_EAGER if tf.executing_eagerly() else 0)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((variable * x - y) ** 2)
        variable.assign_sub(tf.cast(rate, tf.float32) * tape.gradient(loss, variable))
        return loss, tf.constant(count)

    # TensorFlow warns of the fifth trace of one code object; a partial is counted by itself.
    return partial(step), tf.constant(x, tf.float32), tf.constant(y, tf.float32), list(rates)


_EAGER = 1_000  # added to the count where the step was not compiled


def _losses(w: float, x: np.ndarray, y: np.ndarray, rates: Sequence[float]) -> np.ndarray:
    """Return the loss before each step of gradient descent on w * x."""
    losses = []
    for rate in rates:
        error = w * x - y
        losses.append(np.mean(error**2))
        w = w - rate * 2 * np.mean(error * x)
    return np.array(losses)


def _judge_schedule(returned: list, calls: Sequence[tuple]) -> Judgement:
    losses, counts = [], []
    for value, (*_, rates) in zip(returned, calls, strict=True):
        pairs = _pairs(value)
        if pairs is None:
            return failed(
                f"You returned {in_words(value)}. Return a list with what the step returned, a "
                "pair of loss and count, for each rate."
            )
        if len(pairs) != len(rates):
            return failed(
                f"For {len(rates)} rates your list has {len(pairs)} items. Append what the step "
                "returns in each pass of the loop, and return the list after it."
            )
        losses.append(pairs[:, 0])
        counts.append(pairs[:, 1])
    if any(np.any(count > _EAGER) for count in counts):
        return failed(
            "Somewhere the step runs without being compiled. Call what tf.function(step) returned, "
            "and not step itself."
        )
    if not close(losses, [_losses(*call) for call in calls], 1e-4):
        return _judge_losses(losses, calls)
    if all(np.all(count == 1) for count in counts):
        return passed("One trace serves every rate, and the losses are those of each rate in turn.")
    if all(
        _counts_by_value(count, rates) for count, (*_, rates) in zip(counts, calls, strict=True)
    ):
        return failed(
            "Better: a rate that comes back finds its old trace. But a Python number counts by its "
            "value, so each new rate is still traced anew. Pass it as a tensor."
        )
    if all(np.array_equal(count, np.arange(len(count)) + 1) for count in counts):
        return failed(
            "Python still runs the step for every rate, even for one that came before. Make one "
            "tf.function of step, above the loop, and call that in the loop."
        )
    return failed(
        f"The counts of the first call are {_listed(counts[0])}, and each should be 1. Make one "
        "tf.function of step, and pass it tensors of the same shape and dtype each time."
    )


def _judge_losses(losses: list[np.ndarray], calls: Sequence[tuple]) -> Judgement:
    stuck = [_losses(w, x, y, [rates[0]] * len(rates)) for w, x, y, rates in calls]
    if close(losses, stuck, 1e-4):
        return failed(
            "Every step uses the first rate: it became a constant of the graph. Hand each rate "
            "over as an argument of the compiled step, as a tensor."
        )
    if close(losses, [_losses(w, x, y, rates[::-1]) for w, x, y, rates in calls], 1e-4):
        return failed("The steps are taken in reverse. Take the rates in the order of the list.")
    integers = [_losses(w, x, y, [0.0] * len(rates)) for w, x, y, rates in calls]
    if close(losses, integers, 1e-4):
        return failed(
            "The loss never changes, as if every rate were 0. Pass the rate as a float tensor, "
            "such as tf.constant(rate)."
        )
    right = [_losses(*call) for call in calls]
    i = first_difference(losses, right, 1e-4)
    return failed(
        f"For the rates {_listed(calls[i][3])} the losses should be {_listed(right[i])}, and yours "
        f"are {_listed(losses[i])}. Take one step for each rate, in turn, on all of x and y."
    )


def _pairs(value: Any) -> np.ndarray | None:
    """Return a described list of (loss, count) as an array of shape (n, 2); None for the rest."""
    if not is_a(value, "list", "tuple"):
        return None
    rows = []
    for item in value["items"]:
        inner = [as_array(i) for i in item["items"]] if is_a(item, "list", "tuple") else []
        if len(inner) != 2 or any(i is None or i.shape != () for i in inner):
            return None
        rows.append([float(i) for i in inner])
    return np.array(rows).reshape(-1, 2)


def _counts_by_value(counts: np.ndarray, rates: Sequence[float]) -> bool:
    seen: list[float] = []
    for rate in rates:
        if rate not in seen:
            seen.append(rate)
    return np.array_equal(counts, [seen.index(rate) + 1 for rate in rates])


def _listed(numbers: Sequence[float]) -> str:
    return ", ".join(f"{number:.4g}" for number in numbers)


# 10.3 ---------------------------------------------------------------------------------------------


def _call_epoch(epoch: Callable, *arguments) -> dict:
    """Return what the loop returned, and how many operations and ``tf.function``s Python started.

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
        returned = epoch(*arguments)
    return {"returned": returned, "operations": started, "calls": len(compiled)}


def _draw_epochs(rng: np.random.Generator) -> list[tuple]:
    def draw(n: int, d: int, used: int, batch_size: int, rate: float) -> tuple:
        w, x, y = rng.normal(size=d), rng.normal(size=(n, d)), rng.normal(2.0, 1.0, size=n)
        # A Python number that was not there before: what was compiled earlier is traced again.
        rate = round(rate * rng.uniform(0.9, 1.1), 5)
        return w, x, y, rng.permutation(n)[:used], batch_size, rate

    # TensorFlow warns of the fifth trace. The last call has 100 batches more than the others.
    return [draw(10, 2, 10, 4, 0.1), draw(12, 3, 7, 5, 0.08), draw(110, 2, 103, 1, 0.02)]


def _as_epoch(w, x, y, order, batch_size, rate) -> tuple:
    import tensorflow as tf

    arrays = tf.constant(x, tf.float32), tf.constant(y, tf.float32), tf.constant(order, tf.int32)
    return tf.Variable(w, dtype=tf.float32), *arrays, batch_size, rate


def _epoch(
    w: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    order: np.ndarray,
    batch_size: int,
    rate: float,
    *,
    takes: Callable = lambda order, size: range(0, len(order), size),
    batch_of: Callable = lambda x, order, first, size: order[first : first + size],
    labels_of: Callable = lambda y, order, first, batch: y[batch],
    weight: Callable = lambda batch, size: 1.0,
    accumulates: bool = False,
) -> np.ndarray:
    """Return w after one step for each batch; the options are the mistakes that people make."""
    start = w
    for first in takes(order, batch_size):
        batch = batch_of(x, order, first, batch_size)
        at = start if accumulates else w
        error = x[batch] @ at - labels_of(y, order, first, batch)
        w = w - rate * weight(batch, batch_size) * 2 * x[batch].T @ error / len(batch)
    return w


_MORE_BATCHES = 100  # that the last call has, at least; a step needs two operations, or more


def _full_batches(order: np.ndarray, size: int) -> range:
    return range(0, len(order) - len(order) % size, size)


def _judge_epoch(returned: list, calls: Sequence[tuple]) -> Judgement:
    counts = np.array([[v["items"]["operations"], v["items"]["calls"]] for v in returned])
    returned = [value["items"]["returned"] for value in returned]
    if any(value is None for value in returned):
        return failed(
            "Your function returned None. Return w after the loop, when all its steps are taken."
        )
    got = [as_vector(value) for value in returned]
    for value, array, (w, *_) in zip(returned, got, calls, strict=True):
        if array is None or array.shape != w.shape:
            return failed(
                f"You returned {in_words(value)}. Return w, which has shape {w.shape}, after the "
                "loop."
            )

    right = [_epoch(*call) for call in calls]
    if close(got, right):
        more = np.max(counts[-1] - counts[:-1].max(axis=0))
        if more >= _MORE_BATCHES:
            return failed(
                f"The numbers are right, but with {_MORE_BATCHES} more batches Python started "
                f"{more:,} more operations: Python still runs the loop. Put @tf.function around "
                "the loop, and let it go over tf.range."
            )
        if np.any(counts[:, 1] == 0):
            return failed(
                "The numbers are right, but no tf.function ran: Python runs the loop. Put the loop "
                "into one, over tf.range, with TensorFlow's operations in place of NumPy's."
            )
        return passed("One step for each batch, the short one too, in the order that was given.")

    def is_like(*changes: Callable, **options: Any) -> bool:
        # In the long call a wrong epoch may leave every bound.
        changed = [changes[0](*call) if changes else call for call in calls[:-1]]
        return close(got[:-1], [_epoch(*call, **options) for call in changed])

    if close(got, [w for w, *_ in calls]):
        return failed("w did not change. In the loop: w.assign_sub(rate * gradient).")
    if is_like(takes=_full_batches):
        return failed(
            "The short last batch is missing. Let `first` run up to tf.size(order): a slice ends "
            "where the order ends."
        )
    if (
        is_like(lambda w, x, y, order, b, r: (w, x, y, np.arange(len(x)), b, r))
        or is_like(lambda w, x, y, order, b, r: (w, x, y, np.arange(len(order)), b, r))
        or is_like(
            batch_of=lambda x, order, first, size: np.arange(first, min(first + size, len(x)))
        )
    ):
        return failed(
            "These are the batches in the order of x. Take the slices from `order`, and the rows "
            "of x and y by them, with tf.gather."
        )
    if is_like(lambda w, x, y, order, b, r: (w, x, y, np.sort(order), b, r)):
        return failed("Your batches are sorted. Take the indices as they stand in `order`.")
    if is_like(labels_of=lambda y, order, first, batch: y[first : first + len(batch)]):
        return failed(
            "The rows of x come by their index, but those of y do not: y must be gathered by the "
            "same indices."
        )
    if is_like(labels_of=lambda y, order, first, batch: np.mean(y[batch])):
        return failed(
            "Look at the shapes: a prediction of shape (n, 1) minus (n,) is a table of n by n. "
            "tf.linalg.matvec(x, w) has shape (n,)."
        )
    if is_like(takes=lambda order, size: range(len(order))):
        return failed(
            "A batch starts at every index, so that they overlap. Let `first` go in steps of "
            "batch_size: tf.range(0, tf.size(order), batch_size)."
        )
    if is_like(lambda w, x, y, order, b, r: (w, x, y, order, b, -r)):
        return failed("w moves uphill: subtract rate * gradient, with w.assign_sub.")
    if is_like(lambda w, x, y, order, b, r: (w, x, y, order, b, 1.0)):
        return failed("The rate is missing: each step is rate times the gradient.")
    if is_like(weight=lambda batch, size: len(batch)):
        return failed(
            "Each step is too large by the number of examples in its batch. Take the mean of the "
            "squared errors, with tf.reduce_mean, not their sum."
        )
    if is_like(weight=lambda batch, size: 0.5):
        return failed("Each step is half of what it should be: leave out the factor 1/2.")
    if is_like(weight=lambda batch, size: len(batch) / size):
        return failed(
            "The step of the short batch is too small: its mean is over its own examples, not over "
            "batch_size."
        )
    if is_like(accumulates=True):
        return failed(
            "All your gradients are taken at the first w. Compute each prediction from w as the "
            "step before left it."
        )
    if is_like(lambda w, x, y, order, b, r: (w, x, y, order, len(order), r)):
        return failed(
            "This is one step on all the examples of order. Slice it: order[first : first + "
            "batch_size]."
        )
    if is_like(takes=lambda order, size: [0]):
        return failed("Only the first batch was used. Return w after the loop, not inside it.")
    i = first_difference(got, right)
    *_, order, batch_size, rate = calls[i]
    indices = order.tolist() if len(order) <= 12 else f"of {len(order)} indices"
    return failed(
        f"For order {indices}, batch_size {batch_size} and rate {rate:g}, w should be "
        f"{_listed(right[i])} in the end, and yours is {_listed(got[i])}. Compare your loss with "
        "the mean of (matvec(x, w) - y) ** 2 over one batch."
    )


# 10.4 ---------------------------------------------------------------------------------------------


def _call_pipeline(two_epochs: Callable, *arguments) -> dict:
    """Return what the pipeline returned, and what its numbers alone do not tell.

    ``fixed`` says whether a shuffle was told to repeat its order, and ``same`` whether both epochs
    are one list.
    """
    import tensorflow as tf

    with calls_noted(tf.data.Dataset, "shuffle") as shuffles:
        returned = two_epochs(*arguments)
    fixed = any(shuffle.get("reshuffle_each_iteration") is False for shuffle in shuffles)
    is_pair = isinstance(returned, list | tuple) and len(returned) == 2
    same = is_pair and returned[0] is returned[1]
    return {"returned": returned, "fixed": fixed, "same": same}


def _draw_numbers(rng: np.random.Generator) -> list[tuple]:
    def draw(n: int, batch_size: int) -> tuple:
        return np.sort(rng.choice(900, n, replace=False)) + 100, batch_size

    return [draw(40, 8), draw(150, 7)]


def _as_source(numbers: np.ndarray, batch_size: int) -> tuple:
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


def _judge_pipeline(returned: list, calls: Sequence[tuple]) -> Judgement:
    is_fixed = any(value["items"]["fixed"] for value in returned)
    is_one_list = any(value["items"]["same"] for value in returned)
    returned = [value["items"]["returned"] for value in returned]
    epochs = []  # of each call: two arrays of shape (n, 2), the numbers and their runs
    lengths = []  # of each call and epoch: those of the batches
    for value, (numbers, _) in zip(returned, calls, strict=True):
        two = _two_epochs(value)
        if two is None:
            return failed(
                f"You returned {in_words(value)}. Return a list of two epochs, each a list of "
                "decoded batches: [list(dataset), list(dataset)]."
            )
        for batches in two:
            problem = _problem_in_epoch(batches, numbers)
            if problem:
                return failed(problem)
        epochs.append([np.concatenate(batches) for batches in two])
        lengths.append([[len(batch) for batch in batches] for batches in two])
    orders = [
        [np.searchsorted(numbers, epoch[:, 0]) for epoch in two]
        for two, (numbers, _) in zip(epochs, calls, strict=True)
    ]
    everything = [order for two in orders for order in two]
    sizes = [batch_size for _, batch_size in calls for _ in range(2)]
    if all(np.array_equal(order, np.arange(len(order))) for order in everything):
        return failed("Nothing is shuffled: the numbers come as they stand. Add shuffle.")
    if all(_is_whole(order, size) for order, size in zip(everything, sizes, strict=True)):
        return failed(
            "The batches come in another order, but each still holds neighbours: whole batches are "
            "shuffled. Put shuffle before batch."
        )
    for two, (_, batch_size) in zip(lengths, calls, strict=True):
        for found in two:
            if any(length != batch_size for length in found[:-1]) or found[-1] > batch_size:
                return failed(
                    f"A batch should hold {batch_size} numbers, and only the last may hold fewer; "
                    f"yours hold {_listed(found)}. Batch once, and after the shuffle."
                )
    if any(np.array_equal(first, second) for first, second in orders):
        if is_one_list:
            return failed(
                "The second epoch is the list of the first, given twice. Go through the dataset "
                "once for each epoch: [list(dataset), list(dataset)]."
            )
        if is_fixed:
            return failed(
                "The second epoch repeats the order of the first, for reshuffle_each_iteration="
                "False says so. Leave it out, and let shuffle stand after cache."
            )
        return failed(
            "The second epoch repeats the order of the first. What comes into a cache is kept in "
            "its order: put shuffle after cache, and let it draw anew in each epoch."
        )
    # A buffer of k brings no number k places early; one of all 150 nearly always brings one 100.
    early = max(int(np.max(order - np.arange(len(order)))) for order in everything)
    if early < 100:
        return failed(
            f"No number comes more than {early} places early, so the buffer of shuffle is small. "
            "Give it room for all the numbers: len(numbers)."
        )
    for first, second in epochs:
        by_number = [epoch[np.argsort(epoch[:, 0])] for epoch in (first, second)]
        if not np.array_equal(*by_number):
            return failed(
                "The orders are right, but decode runs again in the second epoch. Put map before "
                "cache, and go twice through this one dataset: each has a cache of its own."
            )
    return passed("Each epoch has an order of its own, and each number was decoded once.")


def _two_epochs(value: Any) -> list[list[np.ndarray]] | None:
    """Return two lists of batches, each of shape (m, 2); None for anything else."""
    if not (is_a(value, "list", "tuple") and len(value["items"]) == 2):
        return None
    two = []
    for epoch in value["items"]:
        items = epoch["items"] if is_a(epoch, "list", "tuple") else []
        batches = [as_array(item) for item in items]
        if not batches or any(b is None or b.ndim != 2 or b.shape[1] != 2 for b in batches):
            return None
        two.append(batches)
    return two


def _problem_in_epoch(batches: list, numbers: np.ndarray) -> str | None:
    found = np.concatenate(batches)[:, 0]
    if len(found) < len(numbers) and set(found) <= set(numbers):
        return (
            f"An epoch of {len(numbers)} numbers should hold all of them, and one of yours holds "
            f"{len(found)}. Keep the short last batch, and do not take a part."
        )
    if not np.array_equal(np.sort(found), numbers):
        return (
            "An epoch should hold each number once, as decode returned it, and one of yours does "
            "not. Leave repeat and other changes out."
        )
    return None


def _is_whole(order: np.ndarray, batch_size: int) -> bool:
    """Tell whether each batch holds neighbours, in whatever order the batches come."""
    runs = 1 + np.count_nonzero(np.diff(order) != 1)  # stretches of neighbours
    return bool(runs <= -(-len(order) // batch_size))


EXERCISES = (
    ValueExercise(
        id="10.1",
        title="Traces of five epochs",
        kind="predict",
        points=1,
        judge=_judge_traces,
    ),
    FunctionExercise(
        id="10.2",
        title="A step that is traced for every rate",
        kind="repair",
        points=2,
        draw_calls=_draw_schedules,
        prepare=_as_step,
        judge=_judge_schedule,
    ),
    FunctionExercise(
        id="10.3",
        title="An epoch over indices",
        kind="complete",
        points=3,
        draw_calls=_draw_epochs,
        prepare=_as_epoch,
        call=_call_epoch,
        judge=_judge_epoch,
    ),
    FunctionExercise(
        id="10.4",
        title="A pipeline in the wrong order",
        kind="repair",
        points=3,
        draw_calls=_draw_numbers,
        prepare=_as_source,
        call=_call_pipeline,
        judge=_judge_pipeline,
    ),
)

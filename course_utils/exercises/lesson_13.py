"""The exercises of lesson 13: a first loss, measuring in batches, a new order, sure mistakes."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .exercise import FunctionExercise, Judgement, ValueExercise, failed, passed
from .reading import as_array, close, first_difference, in_words, is_a

__all__ = ["EXERCISES"]


# 13.1 ---------------------------------------------------------------------------------------------


def _judge_first_loss(value: Any) -> Judgement:
    loss = as_array(value)
    if loss is None or loss.shape != ():
        return failed(f"A loss is one number; you wrote {in_words(value)}.")
    if abs(loss - np.log(1000)) < 0.06:
        return passed("ln(1000): each class gets a probability of 1/1000.")
    mistakes = {
        np.log(10): "2.3 is ln(10), for ten classes. Here there are 1,000.",
        -np.log(1000): "The size is right. A loss is -ln(p), and p is below 1: it is positive.",
        3.0: "3 is the logarithm to base 10. The loss takes the natural logarithm.",
        np.log2(1000): "This is the logarithm to base 2. The loss takes the natural logarithm.",
        0.0: "0 means that the network is sure, and right. It has not seen a single label yet.",
        0.001: "This is the probability p that each class gets. The loss is -ln(p).",
        0.999: "This is 1 - p. The cross-entropy is -ln(p), where p is 1/1000.",
        1000.0: "1,000 is the number of classes. The loss is -ln(p), and p is 1/1000.",
    }
    for wrong, message in mistakes.items():
        if close([loss], [wrong], 0.06 if abs(wrong) > 1 else 1e-4):
            return failed(message)
    return failed(
        f"{loss:g} is not it. A network that knows nothing gives each of 1,000 classes the "
        "probability p = 1/1000, and the loss is -ln(p)."
    )


# 13.2 ---------------------------------------------------------------------------------------------


def _draw_measurements(rng: np.random.Generator) -> list[tuple]:
    def draw(n: int, batch_size: int) -> tuple:
        x, W = rng.normal(size=(n, 3)), rng.normal(size=(3, 4))
        labels = np.argmax(x @ W, axis=1)
        short = n % batch_size  # the short batch is mostly wrong, the others are mostly right
        labels[-short:] = (labels[-short:] + 1) % 4
        labels[:2] = (labels[:2] + 1) % 4
        return W, x, labels, batch_size

    return [draw(10, 4), draw(23, 5), draw(7, 6)]


def _as_measurement(W: np.ndarray, x: np.ndarray, y: np.ndarray, batch_size: int) -> tuple:
    import tensorflow as tf

    W = tf.constant(W, tf.float32)
    return lambda batch: tf.cast(batch, tf.float32) @ W, x.astype(np.float32), y, batch_size


def _losses_and_hits(W: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    logits = x @ W
    largest = logits.max(axis=1, keepdims=True)
    normalisers = np.log(np.sum(np.exp(logits - largest), axis=1)) + largest[:, 0]
    return normalisers - logits[np.arange(len(y)), y], np.argmax(logits, axis=1) == y


def _judge_measurement(returned: list, calls: Sequence[tuple]) -> Judgement:
    for value in returned:
        if value is None:
            return failed(
                "Your function returned None. End it with `return mean_loss, accuracy`, after the "
                "loop over the batches."
            )
        numbers = [as_array(n) for n in value["items"]] if is_a(value, "tuple", "list") else []
        if len(numbers) != 2 or any(n is None or n.shape != () for n in numbers):
            return failed(
                f"You returned {in_words(value)}. Two numbers were asked for, as a tuple: the mean "
                "loss, then the accuracy."
            )
    got = np.array([[float(as_array(n)) for n in value["items"]] for value in returned])
    measured = [_losses_and_hits(W, x, y) for W, x, y, _ in calls]

    def reference(reduce: Callable) -> np.ndarray:
        """Return (loss, accuracy) of each call, each reduced by ``reduce(values, batch_size)``."""
        pairs = zip(measured, calls, strict=True)
        return np.array([[reduce(v, call[3]) for v in values] for values, call in pairs])

    means = reference(lambda values, size: np.mean(values))
    if close([got], [means]):
        return passed("Every example counts once, also those of a short last batch.")
    if close([got], [means[:, ::-1]]):
        return failed("The two are swapped: the mean loss comes first, then the accuracy.")
    if close([got[:, 0]], [means[:, 0]]) and close([got[:, 1]], [100 * means[:, 1]]):
        return failed("The accuracy is given in percent. Return the fraction, between 0 and 1.")
    if close([got[:, 0]], [means[:, 0]]) and close([got[:, 1]], [1 - means[:, 1]]):
        return failed("This is the fraction that is wrong. The accuracy is the fraction right.")
    batches = reference(lambda values, size: np.mean([b.mean() for b in _cut(values, size)]))
    if close([got], [batches]):
        return failed(
            "You took the mean of the batches' means, so that an example in the short last batch "
            "counts more than the others. Add up over all examples, and divide by n once."
        )
    complete = reference(lambda values, size: np.mean(values[: len(values) // size * size]))
    if close([got], [complete]):
        return failed("The short last batch is left out. Go on until all n examples are counted.")
    if close([got], [reference(lambda values, size: np.sum(values[: len(values) // size * size])
                               / len(values))]):  # fmt: skip
        return failed("The short last batch is left out, though the sums are divided by n.")
    if close([got], [reference(lambda values, size: np.sum(values))]):
        return failed("These are the sums over all examples. Divide each by n.")
    if close([got], [reference(lambda values, size: np.mean(_cut(values, size)[-1]))]):
        return failed("These are the values of the last batch alone. Keep sums over all batches.")
    if close([got], [reference(lambda values, size: np.mean(values[:size]))]):
        return failed("These are the values of the first batch alone: return after the loop.")
    if close([got[:, 1]], [means[:, 1]]):
        i = first_difference(got[:, 0], means[:, 0])
        return failed(
            f"The accuracy is right, the loss is not: for n = {len(calls[i][2])} in batches of "
            f"{calls[i][3]} it is {means[i, 0]:.4f}, and you returned {got[i, 0]:.4f}. Take the "
            "cross-entropy from logits, weigh each batch by its size, and divide once."
        )
    if close([got[:, 0]], [means[:, 0]]):
        i = first_difference(got[:, 1], means[:, 1])
        return failed(
            f"The loss is right, the accuracy is not: for n = {len(calls[i][2])} in batches of "
            f"{calls[i][3]} it is {means[i, 1]:.4f}, and you returned {got[i, 1]:.4f}. Count where "
            "the largest logit stands at the label, and divide the count by n."
        )
    i = first_difference(list(got), list(means))
    return failed(
        f"For n = {len(calls[i][2])} in batches of {calls[i][3]}, loss and accuracy are "
        f"{means[i, 0]:.4f} and {means[i, 1]:.4f}; you returned {got[i, 0]:.4f} and "
        f"{got[i, 1]:.4f}. Sum both over the examples of every batch, and divide by n once."
    )


def _cut(values: np.ndarray, size: int) -> list[np.ndarray]:
    return [values[first : first + size] for first in range(0, len(values), size)]


# 13.3 ---------------------------------------------------------------------------------------------


def _draw_sizes(rng: np.random.Generator) -> list[tuple]:
    return [(int(n),) for n in rng.integers(20, 60, 3)]


def _judge_orders(returned: list, calls: Sequence[tuple]) -> Judgement:
    for value, (n,) in zip(returned, calls, strict=True):
        orders = _two_orders(value)
        if orders is None:
            return failed(
                f"You returned {in_words(value)}. Return a list of two orders, each of shape "
                f"({n},), as given: [next_order(), next_order()]."
            )
        for order in orders:
            if order.shape != (n,) or not np.array_equal(np.sort(order), np.arange(n)):
                return failed(
                    f"An order of {n} examples has every number from 0 to {n - 1} once, and one "
                    "of yours has not. Shuffle tf.range(n); numbers drawn one by one repeat."
                )
        first, second = orders
        if np.array_equal(first, np.arange(n)) and np.array_equal(second, first):
            return failed("Both orders are 0, 1, 2, ...: nothing is shuffled.")
        if np.array_equal(first, second):
            return failed(
                "The second epoch still repeats the first. What Python or NumPy draws while the "
                "function is traced becomes a constant of the graph: draw with an operation of "
                "TensorFlow's. Call it once for each epoch, without the same seed each time."
            )
        if any(np.array_equal(order, np.arange(n)) for order in orders):
            return failed("One of the two orders is 0, 1, 2, ...: both were to be shuffled.")
        if np.array_equal(first, second[::-1]):
            return failed("The second order is the first one backwards. Shuffle it anew.")
        shifts = np.unique((second - first) % n)
        if len(shifts) == 1:
            return failed("The second order is the first one, shifted. Shuffle it anew.")
    everything = [order for value in returned for order in _two_orders(value)]
    if any(_is_shifted(order) for order in everything):
        return failed("An order is 0, 1, 2, ... from another start. Shuffle the numbers.")
    return passed("Each epoch has an order of its own, and every example comes once.")


def _two_orders(value: Any) -> list[np.ndarray] | None:
    if is_a(value, "list", "tuple") and len(value["items"]) == 2:
        orders = [_flat(item) for item in value["items"]]
        return None if any(order is None for order in orders) else orders
    both = as_array(value)
    return list(both) if both is not None and both.ndim == 2 and len(both) == 2 else None


def _is_shifted(order: np.ndarray) -> bool:
    return bool(np.all(np.diff(order) % len(order) == 1))


# 13.4 ---------------------------------------------------------------------------------------------


def _draw_logits(rng: np.random.Generator) -> list[tuple]:
    def draw(n: int, k: int) -> tuple:
        logits = rng.normal(size=(n, 4)) * rng.uniform(0.5, 2, (n, 1))
        # Rows are shifted, so that a large logit does not mean a large probability; and columns,
        # so that the largest in its row need not be the largest of its column.
        logits += rng.normal(0, 3, (n, 1)) + rng.permutation(4)
        labels = np.argmax(logits, axis=1)
        wrong = rng.permutation(n)[: n // 2]
        labels[wrong] = (labels[wrong] + rng.integers(1, 4, len(wrong))) % 4
        return logits.round(2), labels, k

    return [draw(12, 4), draw(40, 12), draw(8, 6)]  # the last has fewer mistakes than k


def _as_logits(logits: np.ndarray, labels: np.ndarray, k: int) -> tuple:
    return logits.astype(np.float32), labels, k


def _surest(logits: np.ndarray, labels: np.ndarray, k: int) -> dict[str, np.ndarray]:
    """Return the right indices and, by the mistake, what people return in their place."""
    probabilities, by_column = _softmax(logits, axis=1), _softmax(logits, axis=0)
    sureness = probabilities.max(axis=1)
    losses = -np.log(probabilities[np.arange(len(labels)), labels])
    wrong = np.flatnonzero(np.argmax(logits, axis=1) != labels)
    wrong_by_column = np.flatnonzero(np.argmax(by_column, axis=1) != labels)

    def best(score: np.ndarray, among: np.ndarray = wrong) -> np.ndarray:
        return among[np.argsort(-score[among])][:k]

    positions = np.argsort(-sureness[wrong])[:k]
    surest = best(sureness, np.arange(len(labels)))
    return {
        "right": best(sureness),
        "everything": surest,
        "cut first": surest[np.isin(surest, wrong)],
        "ascending": best(-sureness),
        "logits": best(logits.max(axis=1)),
        "columns": best(by_column.max(axis=1)),
        "columns throughout": best(by_column.max(axis=1), wrong_by_column),
        "losses": best(losses),
        "unsorted": wrong[:k],
        "positions": positions,
        "probabilities": sureness[best(sureness)],
        "all mistakes": wrong[np.argsort(-sureness[wrong])],
        "no limit": wrong,
    }


def _softmax(logits: np.ndarray, axis: int) -> np.ndarray:
    exponentials = np.exp(logits - logits.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def _judge_surest(returned: list, calls: Sequence[tuple]) -> Judgement:
    values = [_flat(value) for value in returned]
    if any(value is None for value in returned):
        return failed("Your function returned None. Return the indices, an array of shape (k,).")
    if any(value is None for value in values):
        return failed(
            f"You returned {in_words(returned[0])}. Indices were asked for: one array of shape "
            "(k,), or a list of whole numbers."
        )
    references = [_surest(*call) for call in calls]

    def matches(name: str) -> bool:
        return close(values, [reference[name] for reference in references], 1e-6)

    if matches("right"):
        return passed("These are where to look for wrong labels first.")
    columns = (
        "Your probabilities sum to 1 down each column. Each row is one example: take the softmax "
        "along the last axis, axis=1 here."
    )
    messages = {
        "columns": columns,
        "columns throughout": columns,
        "everything": "Right predictions are among them. Keep those alone where the largest logit "
        "does not stand at the label, and sort after that.",
        "ascending": "These are the least sure mistakes. Sort the other way round.",
        "cut first": "You took the k surest of all, and then the mistakes among these. Take the "
        "mistakes first, and the k surest of them.",
        "logits": "You sorted by the largest logit. A row of large logits need not be sure: turn "
        "the rows into probabilities with tf.nn.softmax.",
        "losses": "You sorted by the loss, which asks how improbable the label is. Here the "
        "question is how probable the wrong class is.",
        "unsorted": "These are the first mistakes, not the surest. Sort them before you take k.",
        "positions": "These are positions within the list of mistakes. Look up in that list which "
        "examples they are.",
        "probabilities": "These are the probabilities. Return the indices of their examples.",
        "all mistakes": "These are all mistakes, in the right order. Return the first k alone.",
        "no limit": "These are all mistakes. Sort them by probability and return the first k.",
    }
    for name, message in messages.items():
        if matches(name):
            return failed(message)
    expected = [reference["right"] for reference in references]
    if close(map(np.sort, values), map(np.sort, expected), 1e-6):
        return failed("The examples are right, their order is not: the surest comes first.")
    starts = [value[: len(indices)] for value, indices in zip(values, expected, strict=True)]
    if close(starts, expected, 1e-6):
        return failed(
            "Where there are fewer than k mistakes, something else follows them. Return the "
            "mistakes alone, at most k of them."
        )
    i = next(
        j for j, (v, e) in enumerate(zip(values, expected, strict=True)) if not close([v], [e])
    )
    return failed(
        f"For {len(calls[i][1])} examples and k = {calls[i][2]} the indices are "
        f"{expected[i].tolist()}, and you returned {_shown(values[i])}. Take the wrong "
        "predictions, sort them by the probability of the predicted class, and keep the first k."
    )


def _flat(value: Any) -> np.ndarray | None:
    """Return an array or list of plain numbers as one axis; None for anything else."""
    if is_a(value, "list", "tuple"):
        numbers = [as_array(item) for item in value["items"]]
        return None if any(n is None or n.shape != () for n in numbers) else np.array(numbers)
    array = as_array(value)
    return array if array is not None and array.ndim == 1 else None


def _shown(values: np.ndarray) -> str:
    text = ", ".join(f"{value:g}" for value in values[:6])
    return f"[{text}{', ...' if len(values) > 6 else ''}]"


EXERCISES = (
    ValueExercise(
        id="13.1",
        title="The loss before the first step",
        kind="predict",
        points=1,
        judge=_judge_first_loss,
    ),
    FunctionExercise(
        id="13.2",
        title="Loss and accuracy in batches",
        kind="complete",
        points=3,
        draw_calls=_draw_measurements,
        prepare=_as_measurement,
        judge=_judge_measurement,
    ),
    FunctionExercise(
        id="13.3",
        title="A new order for every epoch",
        kind="repair",
        points=2,
        draw_calls=_draw_sizes,
        judge=_judge_orders,
    ),
    FunctionExercise(
        id="13.4",
        title="The surest mistakes",
        kind="complete",
        points=3,
        draw_calls=_draw_logits,
        prepare=_as_logits,
        judge=_judge_surest,
    ),
)

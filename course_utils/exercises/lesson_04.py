"""The exercises of lesson 04: targets that are summed, two losses, a lost penalty, and a table."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .exercise import FunctionExercise, Judgement, ValueExercise, failed, passed
from .reading import as_array, close, first_difference, in_words, is_a

__all__ = ["EXERCISES"]


# 04.1 ---------------------------------------------------------------------------------------------


def _judge_dict_of_targets(value: Any) -> Judgement:
    if value is None or value == "None":
        return failed("Both parts are computed from the variable w, so there is a gradient.")
    if is_a(value, "dict", "list", "tuple"):
        items = value["items"]
        kind = f"a {value['type']}" if is_a(value, "dict") else "several numbers"
        inner = [as_array(item) for item in (items.values() if is_a(value, "dict") else items)]
        if len(inner) == 1 and inner[0] is not None and close([inner[0]], [np.asarray(10.0)]):
            return failed(
                "The number is right, but it stands alone: there is one source, w, and it was not "
                "given in a list or dict."
            )
        return failed(
            f"You expect {kind}. The answer has the structure of the sources, and the only source "
            "is w; targets are summed, in whatever they are given."
        )
    number = as_array(value)
    if number is None or number.size != 1:
        return failed(f"Write what comes back with plain numbers; you wrote {in_words(value)}.")
    mistakes = {
        4.0: "4 is the slope of fit alone. The target is a dict that holds size, too.",
        6.0: "6 is the slope of size alone. The target is a dict that holds fit, too.",
        5.0: "5 is the mean of the two slopes. Several targets are summed, not averaged.",
        24.0: "24 is the product of the two slopes. Several targets are summed.",
        13.0: "13 is the sum of the two values, 4 and 9. The tape gives the slope of that sum.",
        12.0: "12 is 2w + 2w. The slope of (w - 1)**2 is 2(w - 1), which is 4 at w = 3.",
    }
    got = float(number.reshape(()))
    if abs(got - 10) < 1e-3:
        return passed("The slopes 4 and 6 are added, and the keys of the targets are forgotten.")
    return failed(
        mistakes.get(got)
        or f"{got:g} is not it. Find the slope of each part at w = 3, and then say what a tape "
        "does with several targets."
    )


# 04.2 ---------------------------------------------------------------------------------------------

_LOSSES = ("squared", "absolute")


def _draw_linear_models(rng: np.random.Generator) -> list[tuple]:
    def draw(n):
        return rng.normal(size=(3, 1)), rng.normal(size=(n, 3)), 2 * rng.normal(size=(n, 1))

    return [draw(n) for n in (5, 4, 7)]


def _as_model(w: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple:
    import tensorflow as tf

    return tf.Variable(w, dtype=tf.float32), *(tf.constant(a, tf.float32) for a in (x, y))


def _two_gradients(w: np.ndarray, x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    """Return the gradients, shape (3, 1), of the mean squared and the mean absolute error."""
    error = x @ w - y
    return [2 * x.T @ error / len(x), x.T @ np.sign(error) / len(x)]


def _judge_two_losses(returned: list, calls: Sequence[tuple]) -> Judgement:
    right = [gradient for call in calls for gradient in _two_gradients(*call)]
    sums = [sum(_two_gradients(*call)) for call in calls]
    for value, total in zip(returned, sums, strict=True):
        mistake = _mistake_in_dict(value, total)
        if mistake:
            return failed(mistake)
    got = [as_array(value["items"][name]) for value in returned for name in _LOSSES]
    if close(got, right):
        return passed("Each loss has its own gradient, under its own name.")
    if close(got, [total for total in sums for _ in _LOSSES]):
        return failed(
            "Under both names stands the gradient of the sum of the losses. Ask a persistent tape "
            "twice, with one loss as the target each time."
        )
    swapped = [g for call in calls for g in reversed(_two_gradients(*call))]
    if close(got, swapped):
        return failed("The two gradients stand under each other's name.")
    sizes = [len(x) for _, x, _ in calls for _ in _LOSSES]
    if close(got, [n * g for n, g in zip(sizes, right, strict=True)]):
        return failed(
            "Both gradients are too large by the number of examples: the errors are added up, not "
            "averaged. Take tf.reduce_mean of them; a target of many entries is summed by itself."
        )
    for i, name in enumerate(_LOSSES):
        other = _LOSSES[1 - i]
        if close(got[i::2], right[1 - i :: 2]):
            return failed(
                f"Under {name} stands the gradient of the {other} loss, as under {other}. Make "
                "each loss the target of its own question."
            )
        if close(got[i::2], sums):
            return failed(
                f"Under {name} stands the gradient of the sum of both losses. Ask for it with the "
                f"{name} loss alone as the target."
            )
        too_large = [n * g for n, g in zip(sizes[i::2], right[i::2], strict=True)]
        if close(got[i::2], too_large):
            return failed(
                f"The gradient under {name} is too large by the number of examples: its errors "
                "are added up. Take tf.reduce_mean of them."
            )
    i = first_difference(got, right)
    n, loss = len(calls[i // 2][1]), ("error**2", "tf.abs(error)")[i % 2]
    return failed(
        f"For the batch of {n} examples the gradient under {_LOSSES[i % 2]} should be "
        f"{_row(right[i])}, and is {_row(got[i])}. That loss is tf.reduce_mean({loss}), with the "
        "error x @ w - y."
    )


def _mistake_in_dict(value: Any, total: np.ndarray) -> str | None:
    if value is None:
        return "Your function returned None. Return a dict with two gradients."
    if not is_a(value, "dict"):
        array = as_array(value)
        if array is not None and close([array], [total]):
            return (
                "You returned the gradient of the sum of both losses: targets are summed, also in "
                "a list or a dict. Ask a persistent tape once for each loss."
            )
        return f"You returned {in_words(value)}. Return a dict with the keys squared and absolute."
    if set(value["items"]) != set(_LOSSES):
        keys = ", ".join(value["items"]) or "no keys"
        return f"The dict has {keys}; it needs the keys squared and absolute."
    for name, item in value["items"].items():
        if item is None:
            return (
                f"Under {name} stands None, and not a gradient. Compute both losses from w inside "
                "the `with` block, with TensorFlow's functions, and ask for each below it."
            )
        array = as_array(item)
        if array is None:
            is_wrapped = is_a(item, "list", "tuple") and len(item["items"]) == 1
            way_out = "Give w itself as the source." if is_wrapped else ""
            text = f"Under {name} stands {in_words(item)}, not one gradient. {way_out}"
            return text.strip()
        if array.shape == ():
            return (
                f"Under {name} stands one number, as the loss itself is. Its gradient has the "
                "shape of w, (3, 1)."
            )
        if array.shape != (3, 1):
            return (
                f"Under {name} stands an array of shape {array.shape}. The gradient has the shape "
                "of its source w, (3, 1)."
            )
    return None


def _row(array: np.ndarray) -> str:
    return "[" + ", ".join(f"{entry:.4g}" for entry in np.ravel(array)) + "]"


# 04.3 ---------------------------------------------------------------------------------------------


def _draw_penalised(rng: np.random.Generator) -> list[tuple]:
    def draw(n):
        w = rng.uniform(1, 3, size=(3, 1)) * rng.choice([-1, 1], size=(3, 1))
        return w, rng.normal(size=(n, 3)), rng.normal(size=(n, 1))

    return [draw(n) for n in (4, 6, 3)]


def _penalised(w: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the gradients, shape (3, 1), of the mean squared error and of the penalty."""
    return 2 * x.T @ (x @ w - y) / len(x), 0.2 * w


def _judge_lost_penalty(returned: list, calls: Sequence[tuple]) -> Judgement:
    for value in returned:
        mistake = _mistake_in_pair(value)
        if mistake:
            return failed(mistake)
    pairs = [[as_array(item) for item in value["items"]] for value in returned]
    gradients, norms = ([pair[i] for pair in pairs] for i in (0, 1))
    of_error, of_penalty = zip(*(_penalised(*call) for call in calls), strict=True)
    right = [e + p for e, p in zip(of_error, of_penalty, strict=True)]
    if close(gradients, of_error):
        return failed(
            "The first result is the gradient of the error alone. Either your target lacks the "
            "penalty, or the tape does: after the answer for the log a plain tape starts a new "
            "recording, with the penalty as a constant, so take a tape that keeps its recording."
        )
    if close(gradients, of_penalty):
        return failed(
            "The first result is the gradient of the penalty alone. Ask for that of the loss, "
            "which is the error and the penalty together."
        )
    if close(gradients, [r + p for r, p in zip(right, of_penalty, strict=True)]):
        return failed(
            "The penalty counts twice in the gradient. The loss holds it already, and several "
            "targets are summed: ask for the gradient of the loss alone."
        )
    if not close(gradients, right):
        i = first_difference(gradients, right)
        return failed(
            f"For the batch of {len(calls[i][1])} examples the gradient of the loss should be "
            f"{_row(right[i])}, and is {_row(gradients[i])}. Keep both formulas as given: only the "
            "tape, or the order of the questions, has to change."
        )
    return _judge_norm(norms, right, of_error, of_penalty)


def _mistake_in_pair(value: Any) -> str | None:
    if value is None:
        return "Your function returned None. Return the gradient of the loss, and then the norm."
    if not is_a(value, "tuple", "list") or len(value["items"]) != 2:
        return (
            f"You returned {in_words(value)}. Return two things: the gradient of the loss, and the "
            "norm of the penalty's gradient for the log."
        )
    first, second = value["items"]
    if first is None:
        return (
            "The first result is None, and not the gradient of the loss. Compute the loss inside "
            "the block, and let the tape keep its recording after the answer for the log."
        )
    if second is None:
        return "The second result is None. The log still needs the norm of the penalty's gradient."
    shapes = [
        None if (array := as_array(item)) is None else array.shape for item in (first, second)
    ]
    if shapes == [(), (3, 1)]:
        return "The two results are swapped: the gradient of the loss comes first, then the norm."
    if shapes[0] != (3, 1):
        return (
            f"The first result is {in_words(first)}. The gradient of the loss has the shape of w, "
            "(3, 1)."
        )
    if shapes[1] == (3, 1):
        return "The second result is an array of shape (3, 1). Its norm, tf.norm, is one number."
    if shapes[1] != ():
        return f"The second result is {in_words(second)}. The norm is one number."
    return None


def _judge_norm(
    norms: list, right: Sequence, of_error: Sequence, of_penalty: Sequence
) -> Judgement:
    def lengths(arrays):
        return [np.asarray(np.linalg.norm(array)) for array in arrays]

    if close(norms, lengths(of_penalty)):
        return passed("The penalty is back in the gradient, and the log still shows its norm.")
    if close(norms, lengths(right)):
        return failed(
            "The gradient is right now, but the norm for the log is that of the whole gradient. "
            "The log shows how strong the penalty's part is."
        )
    if close(norms, lengths(of_error)):
        return failed("The gradient is right now, but the norm for the log is that of the error's.")
    if close(norms, [length**2 for length in lengths(of_penalty)]):
        return failed("The gradient is right now, but the norm is squared: take its square root.")
    i = first_difference(norms, lengths(of_penalty))
    return failed(
        f"The gradient is right now. But the norm of the penalty's gradient should be "
        f"{lengths(of_penalty)[i]:.4g}, and is {float(norms[i]):.4g}: keep that line as given."
    )


# 04.4 ---------------------------------------------------------------------------------------------


def _draw_maps(rng: np.random.Generator) -> list[tuple]:
    def draw(m, n):
        return rng.normal(size=(m, n)) + 0.5, rng.normal(size=n)

    return [draw(m, n) for m, n in ((2, 3), (4, 2), (1, 3), (3, 3))]


def _as_map(A: np.ndarray, x: np.ndarray) -> tuple:
    """Return the function (A x)**2, from shape (n,) to shape (m,), and the variable x."""
    import tensorflow as tf

    matrix = tf.constant(A, tf.float32)
    return lambda v: tf.linalg.matvec(matrix, v) ** 2, tf.Variable(x, dtype=tf.float32)


def _table(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    return 2 * (A @ x)[:, None] * A


def _judge_table(returned: list, calls: Sequence[tuple]) -> Judgement:
    if all(value is None for value in returned):
        return failed(
            "Your function returned None. Either it returns nothing, or the tape has no path from "
            "its target to x: call f(x) inside the `with` block."
        )
    tables = [_table(*call) for call in calls]
    for value, table in zip(returned, tables, strict=True):
        if is_a(value, "list", "tuple"):
            return failed(_mistake_in_list(value["items"], table))
    got = [as_array(value) for value in returned]
    if any(array is None for array in got):
        i = next(i for i, array in enumerate(got) if array is None)
        return failed(
            f"You returned {in_words(returned[i])}. Return a table of shape {tables[i].shape}: a "
            "row for each entry of f(x), a column for each of x."
        )
    if close(got, tables):
        return passed("Every row is the gradient of one entry alone, for tables of every shape.")
    sums = [table.sum(axis=0) for table in tables]
    if close(got, sums):
        return failed(
            "You returned one row, the sum of all rows: the entries of a target are summed. Ask a "
            "persistent tape for one entry at a time, and stack the answers."
        )
    if close(got, [np.tile(total, (len(t), 1)) for total, t in zip(sums, tables, strict=True)]):
        return failed(
            "Every row is the sum of all rows: each question has the whole f(x) as its target. "
            "Ask for one entry of it at a time."
        )
    if close(got, [table.T for table in tables]):
        return failed(
            "The table is transposed: row i belongs to entry i of f(x), column j to x[j]."
        )
    if close(got, [np.tile(table[0], (len(table), 1)) for table in tables]):
        return failed("Every row is the gradient of entry 0. Let the entry change with the row.")
    if close(got, [(A @ x) ** 2 for A, x in calls]):
        return failed("This is f(x) itself. Return the gradients of its entries.")
    i = first_difference(got, tables)
    if got[i].shape != tables[i].shape:
        return failed(
            f"For an f with {len(tables[i])} entries and an x with {len(calls[i][1])} the table "
            f"has the shape {tables[i].shape}, and yours has {got[i].shape}. Stack one row for "
            "each entry of f(x), whatever their number."
        )
    row = first_difference(list(got[i]), list(tables[i]))
    return failed(
        f"In the table of shape {tables[i].shape}, row {row} should be {_row(tables[i][row])}, and "
        f"is {_row(got[i][row])}. Row {row} is the gradient of entry {row} of f(x) alone."
    )


def _mistake_in_list(items: list, table: np.ndarray) -> str:
    if items and all(item is None for item in items):
        return (
            "Every row is None: the tape has no path from those targets to x. Call f(x) and pick "
            "its entries inside the `with` block; an entry picked below it is a new tensor."
        )
    rows = [_as_row(item) for item in items]
    if len(rows) == len(table) and all(row is not None for row in rows) and close(rows, table):
        return "The rows are right, but they stand in a list. Make one tensor of them: tf.stack."
    return (
        f"You returned {in_words({'type': 'list', 'items': items})}; one tensor of shape "
        f"{table.shape} was asked for. Give x itself as the source, and stack the rows."
    )


def _as_row(item: Any) -> np.ndarray | None:
    """Return a described array, or a described list of numbers, as an array; None for the rest."""
    if not is_a(item, "list", "tuple"):
        return as_array(item)
    numbers = [as_array(number) for number in item["items"]]
    is_row = all(number is not None and number.shape == () for number in numbers)
    return np.array(numbers) if is_row else None


EXERCISES = (
    ValueExercise(
        id="04.1",
        title="A dict of targets",
        kind="predict",
        points=1,
        judge=_judge_dict_of_targets,
    ),
    FunctionExercise(
        id="04.2",
        title="Two losses, two gradients",
        kind="complete",
        points=2,
        draw_calls=_draw_linear_models,
        prepare=_as_model,
        judge=_judge_two_losses,
    ),
    FunctionExercise(
        id="04.3",
        title="A penalty that gets lost",
        kind="repair",
        points=3,
        draw_calls=_draw_penalised,
        prepare=_as_model,
        judge=_judge_lost_penalty,
    ),
    FunctionExercise(
        id="04.4",
        title="A table of gradients",
        kind="complete",
        points=3,
        draw_calls=_draw_maps,
        prepare=_as_map,
        judge=_judge_table,
    ),
)

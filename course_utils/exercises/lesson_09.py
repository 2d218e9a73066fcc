"""The exercises of lesson 09: a step, what hides in one, a stale metric, and accumulation."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from .exercise import FunctionExercise, Judgement, ValueExercise, failed, passed
from .observation import calls_noted
from .reading import as_array, as_vector, close, first_difference, in_words

__all__ = ["EXERCISES"]

_PENALTY = 0.1  # times the sum of the squared weights
_PENALISED = ("kernel", "bias")
_TRAINING = 1.5  # times the inputs, where a model is called with training=True
_EXACT = 1e-4  # the tolerance for weights and losses: all are of the order of 1


def _call_step(step: Callable, model: Any, *arguments) -> dict:
    """Return what the step returned, and the weights after it."""
    returned = step(model, *arguments)
    return {"returned": returned, "weights": model.get_weights()}


def _build(w: np.ndarray, b: float, rate: float, before: Sequence = ()) -> tuple:
    """Return a regularised linear model of three numbers, with ``before`` in front, and an SGD.

    It has two penalties, so that its list of them is no number.
    """
    import keras

    penalties = {f"{name}_regularizer": keras.regularizers.L2(_PENALTY) for name in _PENALISED}
    last = keras.layers.Dense(1, **penalties)
    model = keras.Sequential([keras.Input((3,)), *before, last])
    last.set_weights([w, np.array([b])])
    return model, keras.optimizers.SGD(rate)


def _layer_that_trains() -> Any:
    """Return a layer that scales in training, each example by itself, and else does nothing.

    ``seen`` counts the examples of its calls, where their number is fixed.
    """
    import keras

    class ScaleInTraining(keras.layers.Layer):
        seen = 0

        def call(self, inputs, training=False):
            self.seen += inputs.shape[0] or 0
            return _TRAINING * inputs if training else inputs

    return ScaleInTraining()


_TABLE = "(n, 1) minus (n,) is a table of n by n"
_A_LIST_OF_PENALTIES = (
    "model.losses is a list, here of two penalties, and the error plus a list counts the error "
    "once for each of them. Add sum(model.losses)."
)
_CALL_IN_TRAINING = (
    "The model is called without training=True, and layers such as dropout and batch normalisation "
    "then work as in a prediction. Write model(x, training=True)."
)


def _tensors(*arrays: np.ndarray) -> tuple:
    import tensorflow as tf

    return tuple(tf.constant(array, tf.float32) for array in arrays)


def _weights(value: dict) -> list[np.ndarray]:
    """Return the weights after a call: the kernel, shape (3, 1), the bias, (1,), then the rest."""
    arrays = [as_array(item) for item in value["items"]["weights"]["items"]]
    kernel = next(i for i, array in enumerate(arrays) if array.shape == (3, 1))
    return [*arrays[kernel : kernel + 2], *arrays[:kernel]]


def _gradient(w: np.ndarray, b: float, x: np.ndarray, y: np.ndarray, penalty: float = 1.0) -> list:
    """Return the gradients of the mean squared error plus ``penalty`` times the regulariser."""
    error = x @ w + b - y
    d_w = 2 * x.T @ error / len(x) + 2 * penalty * _PENALTY * w
    return [d_w, np.array([2 * np.mean(error) + 2 * penalty * _PENALTY * np.ravel(b)[0]])]


def _loss(
    w: np.ndarray, b: float, x: np.ndarray, y: np.ndarray, penalty: float = 1.0
) -> np.ndarray:
    penalties = _PENALTY * (np.sum(w**2) + np.sum(np.square(b)))
    return np.mean((x @ w + b - y) ** 2) + penalty * penalties


def _draw_model(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    w = rng.uniform(0.5, 1.5, size=(3, 1)) * rng.choice([-1, 1], size=(3, 1))
    return w, float(rng.uniform(0.5, 1.5))


def _draw_examples(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    return rng.normal(1, 1, size=(n, 3)), rng.normal(2, 1, size=(n, 1))


# 09.1 ---------------------------------------------------------------------------------------------


def _draw_steps(rng: np.random.Generator) -> list[tuple]:
    sizes = ((4, 0.1), (7, 0.05))
    return [(*_draw_model(rng), rate, *_draw_examples(rng, n)) for n, rate in sizes]


def _as_step(w: np.ndarray, b: float, rate: float, x: np.ndarray, y: np.ndarray) -> tuple:
    return *_build(w, b, rate, [_layer_that_trains()]), *_tensors(x, y)


def _after(w: np.ndarray, b: float, rate: float, gradient: list) -> list[np.ndarray]:
    return [w - rate * gradient[0], b - rate * gradient[1]]


def _judge_step(returned: list, calls: Sequence[tuple]) -> Judgement:
    got = [array for value in returned for array in _weights(value)]
    calls = [(*call[:3], _TRAINING * call[3], call[4]) for call in calls]

    def is_update(gradient: Callable, calls: Sequence[tuple] = calls) -> bool:
        """Tell whether every call moved the weights against gradient(w, b, x, y)."""
        after = [_after(w, b, rate, gradient(w, b, x, y)) for w, b, rate, x, y in calls]
        return close(got, [array for arrays in after for array in arrays], _EXACT)

    def scaled(factor: float, penalty: float = 1.0) -> Callable:
        return lambda *call: [factor * g for g in _gradient(*call, penalty)]

    if is_update(scaled(1)):
        return _judge_returned_loss([value["items"]["returned"] for value in returned], calls)
    if is_update(scaled(0)):
        return failed(
            "The model's weights are as they were: nothing was applied. Call "
            "optimizer.apply(gradients, model.trainable_variables)."
        )
    predicting = [(*call[:3], call[3] / _TRAINING, call[4]) for call in calls]
    if any(is_update(scaled(*how), predicting) for how in ((1,), (1, 0), (2, 0.5))):
        return failed(_CALL_IN_TRAINING)
    if is_update(scaled(2, 0.5)):
        return failed(_A_LIST_OF_PENALTIES)
    if is_update(lambda w, b, x, y: _gradient(w, b, x, x @ w + b)):
        return failed(
            "Only the penalties move the weights: the predictions left TensorFlow on their way. "
            "Call the model, model(x, training=True), and neither predict nor .numpy()."
        )
    if is_update(lambda w, b, x, y: _gradient(w, b, x, np.full_like(y, np.mean(y)))):
        return failed(f"Look at the shapes of y_hat and y: {_TABLE}.")
    if is_update(scaled(1, 0)):
        return failed(
            "The update ignores the regulariser. Add sum(model.losses) to the loss, inside the "
            "`with` block."
        )
    if is_update(scaled(-1)) or is_update(scaled(-1, 0)):
        return failed("The update climbs. Give optimizer.apply the gradients as they are.")
    if is_update(scaled(0.5, 2)):
        return failed("The squared error counts by half: leave out the factor 1/2.")
    if is_update(scaled(2)):
        return failed("The update is twice as long as it should be: apply the gradients once.")
    if is_update(lambda w, b, x, y: _gradient_of_sum(w, b, x, y)):
        return failed(
            "The squared errors are added up. Take tf.reduce_mean of them, so that the update does "
            "not grow with the batch."
        )
    if is_update(lambda w, b, x, y: _gradient_of_sum(w, b, x, y, len(x))):
        return failed(
            "The squared errors are not averaged, and the tape adds up a loss of many entries, "
            "each with the penalty. Take tf.reduce_mean of the squared errors alone."
        )
    if is_update(lambda w, b, x, y: _gradient_of_sum(w, b, x, y, 0)):
        return failed(
            "The squared errors are added up, and the penalties are left out. The loss is "
            "tf.reduce_mean of the squared errors plus sum(model.losses)."
        )
    for i, (w, b, rate, x, y) in enumerate(calls):
        second = _after(w, b, rate, _gradient(w, b, x, y))
        second = _after(*second, rate, _gradient(*second, x, y))
        if not close(got[2 * i : 2 * i + 2], second, _EXACT):
            break
    else:
        return failed("The model was updated twice in one call. Take one step.")
    right = [a for w, b, r, x, y in calls for a in _after(w, b, r, _gradient(w, b, x, y))]
    return _unexplained(got, right, [len(call[3]) for call in calls])


def _gradient_of_sum(w, b, x, y, penalty: float = 1.0) -> list[np.ndarray]:
    n = len(x)
    return [n * g for g in _gradient(w, b, x, y, penalty / n)]


def _unexplained(got: list, right: list, sizes: Sequence[int]) -> Judgement:
    i = first_difference(got, right, _EXACT)
    name = ("kernel", "bias")[i % 2]
    return failed(
        f"For the first call that differs, with {sizes[i // 2]} examples, the {name} should be "
        f"{_row(right[i])} afterwards, and is {_row(got[i])}. Compare your loss with the one asked "
        "for, term by term, and let the optimizer apply its gradients once."
    )


def _row(array: np.ndarray) -> str:
    return "[" + ", ".join(f"{entry:.4g}" for entry in np.ravel(array)) + "]"


def _judge_returned_loss(values: list, calls: Sequence[tuple]) -> Judgement:
    if any(value is None for value in values):
        return failed("The update is right, but your function returned None. Return the loss.")
    got = [as_array(value) for value in values]
    if any(array is None or array.size != 1 for array in got):
        return failed(
            f"The update is right. Return the loss, one number; you returned {in_words(values[0])}."
        )
    got = [array.reshape(()) for array in got]
    models = [(w, b, x, y) for w, b, _, x, y in calls]
    right = [_loss(*model) for model in models]
    if close(got, right, _EXACT):
        return passed("The weights after the step, and the loss, are those of a complete step.")
    if close(got, [_loss(*model, 0) for model in models], _EXACT):
        return failed(
            "The update is right. The loss that you return leaves out the penalties: return the "
            "one that the gradient is taken of."
        )
    after = [_loss(*_after(w, b, rate, _gradient(w, b, x, y)), x, y) for w, b, rate, x, y in calls]
    if close(got, after, _EXACT):
        return failed("The update is right. Return the loss before the update, not after it.")
    i = first_difference(got, right, _EXACT)
    return failed(
        f"The update is right, but for {len(calls[i][3])} examples the loss is {right[i]:.5g}, and "
        f"you returned {got[i]:.5g}. Return the loss that you computed inside the block."
    )


# 09.2 ---------------------------------------------------------------------------------------------


def _judge_table(value: Any) -> Judgement:
    number = as_array(value)
    if number is None or number.size != 1:
        return failed(f"The mean is one number; you wrote {in_words(value)}.")
    got = float(number.reshape(()))
    if abs(got - 2) < 1e-3:
        return passed("Two right predictions, and a loss of 2: every one meets every target.")
    mistakes = {
        0.0: "0 is what it should be. But (2, 1) minus (2,) does not subtract example by example: "
        "which shape does the difference have?",
        8.0: "8 is the sum of the squares in the table. The loss is their mean.",
        4.0: "4 is right for the entries off the diagonal. The mean is over all four.",
        1.0: "1 is half of it: there are four squares, and they add up to 8.",
    }
    return failed(
        mistakes.get(got)
        or f"{got:g} is not it. Write down the difference as a table of two by two: "
        "a row for each prediction, a column for each target."
    )


# 09.3 ---------------------------------------------------------------------------------------------

_FAULTS = (
    "the model is called without training=True, and normalises with stored averages",
    "the penalties in model.losses are left out of the loss",
    _TABLE,
)


def _as_silent_step(w: np.ndarray, b: float, rate: float, x: np.ndarray, y: np.ndarray) -> tuple:
    import keras

    norm = keras.layers.BatchNormalization(center=False, scale=False)
    return *_build(w, b, rate, [norm]), *_tensors(x, y[:, 0])


def _normalised(x: np.ndarray, mean: Any, variance: Any) -> np.ndarray:
    return (x - mean) / np.sqrt(variance + 1e-3)


def _silent_step(call: tuple, faults: Sequence[bool], times: float = 1.0) -> list[np.ndarray]:
    """Return the kernel, the bias and the moving average after a step with some of the faults.

    ``times`` counts the squared error, but not the penalties.
    """
    w, b, rate, x, y = call
    inference, no_penalty, is_table = faults
    mean, variance = (0.0, 1.0) if inference else (np.mean(x, axis=0), np.var(x, axis=0))
    x_norm = _normalised(x, mean, variance)
    # The gradient of the table's mean is that of a comparison with the targets' mean.
    targets = np.full_like(y, np.mean(y)) if is_table else y
    gradient = _gradient(w, b, x_norm, targets, 0.0 if no_penalty else 1.0 / times)
    return [*_after(w, b, rate, [times * g for g in gradient]), 0.01 * mean * np.ones(3)]


def _judge_silent_step(returned: list, calls: Sequence[tuple]) -> Judgement:
    got = [array for value in returned for array in _weights(value)[:3]]

    def is_step(*faults: bool, times: float = 1.0) -> bool:
        return close(got, [a for call in calls for a in _silent_step(call, faults, times)], _EXACT)

    if is_step(False, False, False):
        normalised = [(*c[:3], _normalised(c[3], c[3].mean(0), c[3].var(0)), c[4]) for c in calls]
        return _judge_returned_loss([value["items"]["returned"] for value in returned], normalised)
    for faults in product((False, True), repeat=3):
        if is_step(*faults):
            left = [text for text, is_left in zip(_FAULTS, faults, strict=True) if is_left]
            count = ("One fault is", "Two faults are", "All three faults are")[len(left) - 1]
            return failed(f"{count} left: {'; '.join(left)}.")
        if is_step(*faults, times=2):
            return failed(_A_LIST_OF_PENALTIES)
    trained = [array for i, array in enumerate(got) if i % 3 < 2]  # not the moving average
    if close(trained, [a for w, b, *_ in calls for a in (w, np.array([b]))], _EXACT):
        return failed(
            "The last layer's weights are as they were: nothing was applied. Keep "
            "optimizer.apply(gradients, model.trainable_variables), as it was given."
        )
    right = [a for call in calls for a in _silent_step(call, (False, False, False))]
    i = first_difference(got, right, _EXACT)
    name = ("kernel", "bias", "moving average")[i % 3]
    return failed(
        f"After the call with {len(calls[i // 3][3])} examples the {name} should be "
        f"{_row(right[i])}, and is {_row(got[i])}. Keep the mean of the squared errors and the one "
        "update as given, and mend only the three faults."
    )


# 09.4 ---------------------------------------------------------------------------------------------


def _draw_epochs(rng: np.random.Generator) -> list[tuple]:
    def draw(sizes, count):
        # The last batch of an epoch stands out, and epochs differ.
        return [
            [rng.uniform(1, 2, n) + 6 / (1 + epoch) + 3 * (n == sizes[-1]) for n in sizes]
            for epoch in range(count)
        ]

    return [(draw((4, 4, 1), 3),), (draw((5, 2), 2),)]


def _as_epochs(epochs: list) -> tuple:
    import keras

    return keras.metrics.Mean(), [list(_tensors(*batches)) for batches in epochs]


def _history(epochs: list, value_of: Callable, forgets: bool = True) -> np.ndarray:
    """Return value_of(batches) for each epoch, or for all epochs up to each."""
    starts = [i if forgets else 0 for i in range(len(epochs))]
    return np.array(
        [
            value_of([batch for epoch in epochs[start : i + 1] for batch in epoch])
            for i, start in enumerate(starts)
        ]
    )


def _mean_of_examples(batches: list) -> float:
    return np.mean(np.concatenate(batches))


def _mean_of_means(batches: list) -> float:
    return np.mean([np.mean(batch) for batch in batches])


def _judge_epochs(returned: list, calls: Sequence[tuple]) -> Judgement:
    got = []
    for value, (epochs,) in zip(returned, calls, strict=True):
        if value is None:
            return failed("Your function returned None. Return the list, after the last epoch.")
        array = as_vector(value)
        if array is None or array.shape != (len(epochs),):
            return failed(
                f"You returned {in_words(value)}. For {len(epochs)} epochs return a list of "
                f"{len(epochs)} numbers."
            )
        got.append(array)

    def is_history(value_of: Callable, forgets: bool = True) -> bool:
        return close(got, [_history(epochs, value_of, forgets) for (epochs,) in calls], _EXACT)

    if is_history(_mean_of_examples):
        return passed("Each epoch has its own mean, and each example counts the same.")
    mistakes = [
        (
            is_history(_mean_of_means),
            "The epochs are apart now. But a short batch still counts as much as a full one: let "
            "the metric weigh it by its size, or give it every loss of the batch.",
        ),
        (
            is_history(_mean_of_examples, False),
            "Each example counts the same now. But every number still holds the epochs before it: "
            "reset the metric at the start of each epoch.",
        ),
        (
            is_history(_mean_of_means, False),
            "Both faults are still there: the metric is never reset, and a short batch counts as "
            "much as a full one.",
        ),
        (
            is_history(lambda batches: np.mean(batches[-1])),
            "Each number is the mean of the epoch's last batch alone. Reset the metric once for "
            "each epoch, not for each batch.",
        ),
        (
            is_history(lambda batches: sum(np.sum(batch) for batch in batches)),
            "These are sums. Divide each by the number of its examples.",
        ),
        (
            is_history(lambda batches: 0.0),
            "Every number is 0: the metric is reset before its result is read.",
        ),
        (
            close(got, [_history(e, _mean_of_examples)[::-1] for (e,) in calls], _EXACT),
            "The numbers are right, in the wrong order: the first epoch comes first.",
        ),
    ]
    for is_this, message in mistakes:
        if is_this:
            return failed(message)
    right = [_history(epochs, _mean_of_examples) for (epochs,) in calls]
    i = first_difference(got, right, _EXACT)
    sizes = [len(batch) for batch in calls[i][0][0]]
    return failed(
        f"For epochs with batches of {', '.join(map(str, sizes))} examples the means are "
        f"{_row(right[i])}, and you returned {_row(got[i])}. Sum over all examples of an epoch, "
        "divided by their number."
    )


# 09.5 ---------------------------------------------------------------------------------------------


def _draw_parts(rng: np.random.Generator) -> list[tuple]:
    def draw(sizes, rate):
        return *_draw_model(rng), rate, [_draw_examples(rng, n) for n in sizes]

    return [draw((5, 2), 0.1), draw((1, 3, 6), 0.05)]


def _as_parts(w: np.ndarray, b: float, rate: float, parts: list) -> tuple:
    return *_build(w, b, rate, [_layer_that_trains()]), [_tensors(*part) for part in parts]


def _call_in_parts(step: Callable, model: Any, *arguments) -> dict:
    """Return the weights after the step, and how it went through the parts."""
    import tensorflow as tf

    with calls_noted(tf.GradientTape, "gradient") as gradients:
        value = _call_step(step, model, *arguments)
    return {**value, "gradients": len(gradients), "seen": model.layers[0].seen}


def _judge_parts(returned: list, calls: Sequence[tuple]) -> Judgement:
    got = [array for value in returned for array in _weights(value)]
    predicting = calls
    in_training = [(*call[:3], [(_TRAINING * x, y) for x, y in call[3]]) for call in calls]

    def is_update(
        shares_of: Callable, penalty_of: Callable, calls: Sequence[tuple] = in_training
    ) -> bool:
        """Tell whether the parts, and the penalties of all of them, were weighed so."""
        after = []
        for w, b, rate, parts in calls:
            sizes = np.array([len(x) for x, _ in parts])
            shares = shares_of(sizes)
            penalty = 2 * _PENALTY * penalty_of(sizes, shares)
            total = [penalty * v for v in (w, np.array([b]))]
            for share, part in zip(shares, parts, strict=True):
                gradient = _gradient(w, b, *part, 0)
                total = [t + share * g for t, g in zip(total, gradient, strict=True)]
            after += _after(w, b, rate, total)
        return close(got, after, _EXACT)

    def fair(sizes):
        return sizes / sum(sizes)

    if is_update(fair, lambda sizes, shares: 1):
        return _judge_memory([value["items"] for value in returned], calls)
    if is_update(np.zeros_like, lambda sizes, shares: 0):
        return failed(
            "The model's weights are as they were: nothing was applied. Call optimizer.apply once, "
            "after the last part."
        )
    shares = (
        (fair, None),
        (lambda sizes: 2 * fair(sizes), _A_LIST_OF_PENALTIES),
        (
            np.ones_like,
            "The parts are added as they are. Multiply the gradients of each by n / N, its share "
            "of all examples.",
        ),
        (
            lambda sizes: np.ones(len(sizes)) / len(sizes),
            "Every part counts the same, but the parts have unequal sizes. Multiply each gradient "
            "by n / N instead of dividing by the number of parts.",
        ),
        (
            lambda sizes: sizes,
            "The squared errors are added up over all examples, but never divided. Divide by the "
            "number of all examples.",
        ),
        (
            lambda sizes: sizes * fair(sizes),
            "The squared errors of a part are added up, and then weighed by n / N. Take their "
            "mean, with tf.reduce_mean, before you weigh it.",
        ),
        *(
            (
                lambda sizes, i=i, weigh=weigh: weigh(sizes) * np.eye(len(sizes))[i],
                f"Only the {name} part counts. Add up the gradients of all parts, variable by "
                "variable, and apply them after the loop.",
            )
            for name, i in (("first", 0), ("last", -1))
            for weigh in (fair, np.ones_like)
        ),
    )
    too_little = "The penalties count too little: for all parts together they count once."
    penalties = (
        (lambda sizes, shares: 1, None),
        (lambda sizes, shares: sum(shares), None),
        (
            lambda sizes, shares: 0,
            "The penalties are missing. Add sum(model.losses) to the loss of each part, before you "
            "weigh it.",
        ),
        (
            lambda sizes, shares: len(sizes),
            "The penalty counts once for each part. Weigh the whole loss of a part by n / N, the "
            "penalty with it.",
        ),
        (lambda sizes, shares: len(sizes) / sum(sizes), too_little),
        (lambda sizes, shares: 1 / len(sizes), too_little),
    )
    for (shares_of, mistake), (penalty_of, other) in product(shares, penalties):
        if is_update(shares_of, penalty_of, predicting):
            return failed(_CALL_IN_TRAINING)
        if is_update(shares_of, penalty_of):
            return failed(mistake or other)
    for share_of in (lambda n, sizes: 1, lambda n, sizes: n / sum(sizes)):
        if close(got, [a for call in in_training for a in _one_by_one(call, share_of)], _EXACT):
            return failed(
                "The model is updated after every part, so the later parts see other weights. Add "
                "the gradients up first, and apply once."
            )
    right = []
    for w, b, rate, parts in in_training:
        x, y = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        right += _after(w, b, rate, _gradient(w, b, x, y))
    return _unexplained(got, right, [sum(len(x) for x, _ in call[3]) for call in in_training])


def _judge_memory(values: list[dict], calls: Sequence[tuple]) -> Judgement:
    """Judge a right update by whether one tape had to hold several parts."""
    for value, (*_, parts) in zip(values, calls, strict=True):
        saw_all = value["seen"] >= sum(len(x) for x, _ in parts)
        if saw_all and value["gradients"] < len(parts):
            return failed(
                "The update is right, but one tape recorded all the parts, and together they do "
                "not fit. Take the gradients of each part by themselves, inside the loop."
            )
    return passed("The parts together move the model as one batch would.")


def _one_by_one(call: tuple, share_of: Callable) -> list[np.ndarray]:
    w, b, rate, parts = call
    sizes = [len(x) for x, _ in parts]
    for part in parts:
        share = share_of(len(part[0]), sizes)
        w, b = _after(w, b, rate, [share * g for g in _gradient(w, b, *part)])
    return [w, b]


EXERCISES = (
    FunctionExercise(
        id="09.1",
        title="A step for a regression",
        kind="complete",
        points=2,
        draw_calls=_draw_steps,
        prepare=_as_step,
        call=_call_step,
        judge=_judge_step,
    ),
    ValueExercise(
        id="09.2",
        title="The loss of right predictions",
        kind="predict",
        points=1,
        judge=_judge_table,
    ),
    FunctionExercise(
        id="09.3",
        title="Three faults that raise nothing",
        kind="repair",
        points=3,
        draw_calls=_draw_steps,
        prepare=_as_silent_step,
        call=_call_step,
        judge=_judge_silent_step,
    ),
    FunctionExercise(
        id="09.4",
        title="A history that lags behind",
        kind="repair",
        points=2,
        draw_calls=_draw_epochs,
        prepare=_as_epochs,
        judge=_judge_epochs,
    ),
    FunctionExercise(
        id="09.5",
        title="One update from unequal parts",
        kind="complete",
        points=3,
        draw_calls=_draw_parts,
        prepare=_as_parts,
        call=_call_in_parts,
        judge=_judge_parts,
    ),
)

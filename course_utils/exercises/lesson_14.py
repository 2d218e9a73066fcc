"""The exercises of lesson 14: a loss for compile, an own train_step, a penalty, and the choice."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from .exercise import FunctionExercise, Judgement, ValueExercise, failed, passed
from .reading import as_array, close, first_difference, in_words, is_a

__all__ = ["EXERCISES"]


# 14.1 ---------------------------------------------------------------------------------------------


def _draw_orders(rng: np.random.Generator) -> list[tuple]:
    def draw(n: int, k: int) -> tuple:
        y = rng.uniform(2, 6, size=(n, k))
        error = rng.uniform(0.5, 2, size=(n, k)) * rng.choice([-1, 1], size=(n, k))
        error[0], error[1] = abs(error[0]), -abs(error[1])  # too little, too much
        return y.round(1), (y - error).round(1)

    return [draw(4, 3), draw(6, 2)]


def _as_orders(y: np.ndarray, y_hat: np.ndarray) -> tuple:
    import tensorflow as tf

    return tf.constant(y, tf.float32), tf.constant(y_hat, tf.float32)


def _call_as_fit(cost: Callable, y: Any, y_hat: Any) -> Any:
    """Return what the loss returns in a graph; it is called without one first, for plain errors."""
    import tensorflow as tf

    cost(y, y_hat)
    return tf.function(cost)(y, y_hat)


def _costs(y: np.ndarray, y_hat: np.ndarray) -> np.ndarray:
    error = y - y_hat
    return np.where(error > 0, 3, 1) * error**2


def _judge_cost(returned: list, calls: Sequence[tuple]) -> Judgement:
    if any(value is None for value in returned):
        return failed("Your function returned None. End it with `return` and the cost, (n,).")
    got = [as_array(value) for value in returned]
    if any(value is None for value in got):
        return failed(
            f"You returned {in_words(returned[0])}; a tensor of shape (n,) was asked for."
        )

    def matches(cost: Callable) -> bool:
        return close(got, [np.asarray(cost(y, y_hat)) for y, y_hat in calls])

    def each(cost: Callable) -> Callable:
        return lambda y, y_hat: np.mean(cost(y, y_hat), axis=1)

    def doubly(y: np.ndarray, y_hat: np.ndarray) -> np.ndarray:
        return np.where(y > y_hat, 9, 1) * (y - y_hat) ** 2

    if matches(each(_costs)):
        return passed("One cost for each example, so that compile can weigh and average them.")
    mistakes = [
        (
            lambda y, y_hat: np.mean(_costs(y, y_hat)),
            "This is one mean over all examples, which sample weights could no longer weigh. "
            "Average over the last axis alone: axis=-1.",
        ),
        (
            _costs,
            "This is one cost for each good of each example. Average over the goods: "
            "tf.reduce_mean with axis=-1.",
        ),
        (
            lambda y, y_hat: np.mean(_costs(y, y_hat), axis=0),
            "You averaged over the examples, axis 0. Average over the goods, axis -1.",
        ),
        (
            lambda y, y_hat: np.mean(_costs(y, y_hat), axis=1, keepdims=True),
            "The costs are right, with an axis too many: (n, 1). Leave out keepdims.",
        ),
        (
            lambda y, y_hat: np.sum(_costs(y, y_hat), axis=1),
            "You added up the goods. The mean over them was asked for: tf.reduce_mean.",
        ),
        (
            each(lambda y, y_hat: _costs(y_hat, y)),
            "Too much costs 3 times here, and too little once. Ordering too little means that "
            "y - y_hat is positive; mind the order of the arguments, (y, y_hat).",
        ),
        (
            each(lambda y, y_hat: (y - y_hat) ** 2),
            "Every error costs the same. Where y_hat is below y, the square counts 3 times.",
        ),
        (
            each(lambda y, y_hat: 3 * (y - y_hat) ** 2),
            "Every error costs 3 times its square. Only where y_hat is below y does it.",
        ),
        (
            each(lambda y, y_hat: np.where(y > y_hat, 3, 1) * abs(y - y_hat)),
            "The errors are not squared. The cost is 3 or 1 times the *squared* error.",
        ),
        (
            each(doubly),
            "The factor 3 is squared with the error. Square first, and then multiply by 3.",
        ),
        (
            each(lambda y, y_hat: np.where(y > y_hat, 3, 0) * (y - y_hat) ** 2),
            "Ordering too much costs nothing here. It costs the squared error once.",
        ),
    ]
    for cost, message in mistakes:
        if matches(cost):
            return failed(message)
    right = [each(_costs)(y, y_hat) for y, y_hat in calls]
    i = first_difference(got, right)
    y, y_hat = calls[i]
    if got[i].shape != right[i].shape:
        return failed(
            f"For y of shape {y.shape} the cost has shape {right[i].shape}, one number for each "
            f"example; you returned {in_words(returned[i])}. Average over the last axis alone."
        )
    j = int(np.argmax(abs(got[i] - right[i])))
    return failed(
        f"For y = {y[j].tolist()} and y_hat = {y_hat[j].tolist()} the cost is {right[i][j]:.4g}, "
        f"and you returned {got[i][j]:.4g}. Take 3 or 1 times each squared error, and the mean."
    )


# 14.2 ---------------------------------------------------------------------------------------------

_PENALTY = 0.1  # times the sum of the squared weights
_RATE = 0.1


def _call_step(step: Callable, model: Any, *arguments) -> dict:
    """Return what the step returned in a graph, as fit calls it, and the weights after it.

    It is called without a graph first, for plain errors.
    """
    import tensorflow as tf

    before = model.get_weights()
    step(model, *arguments)
    model.set_weights(before)
    returned = tf.function(step, autograph=False)(model, *arguments)
    norm, last = model.layers
    return {"returned": returned, "weights": last.get_weights(), "moving": norm.get_weights()}


def _draw_steps(rng: np.random.Generator) -> list[tuple]:
    def draw(loss: str, n: int) -> tuple:
        w = rng.uniform(0.5, 1.5, size=(3, 1)) * rng.choice([-1, 1], size=(3, 1))
        x = rng.normal(1, 2, size=(n, 3))
        y = rng.normal(3, 2, size=(n, 1))
        return loss, w, float(rng.uniform(0.5, 1.5)), x, y, np.linspace(0.2, 1.4, n)

    return [draw("function", 5), draw("object", 8)]


def _as_step(kind: str, w: np.ndarray, b: float, *data: np.ndarray) -> tuple:
    import keras
    import tensorflow as tf

    def compiled_loss_function(y, y_hat):
        return tf.reduce_mean(tf.maximum(y - y_hat, (y_hat - y) / 2), axis=-1)  # (n,)

    class CompiledLoss(keras.losses.Loss):
        def call(self, y_true, y_pred):
            return compiled_loss_function(y_true, y_pred)

    compiled_loss_function.__qualname__ = compiled_loss_function.__name__  # errors quote it
    last = keras.layers.Dense(1, kernel_regularizer=keras.regularizers.L2(_PENALTY))
    norm = keras.layers.BatchNormalization(center=False, scale=False)
    model = keras.Sequential([keras.Input((3,)), norm, last])
    last.set_weights([w, np.array([b])])
    loss = compiled_loss_function if kind == "function" else CompiledLoss()
    model.compile(keras.optimizers.SGD(_RATE), loss)
    model.optimizer.build(model.trainable_variables)
    return model, tuple(tf.constant(array, tf.float32) for array in data)


def _step(kind, w, b, x, y, weights, faults: Sequence[str] = ()) -> tuple[list[np.ndarray], float]:
    """Return kernel and bias after the step, and the loss before it, with these faults."""
    variance = np.zeros(3) + 1 if "inference" in faults else np.var(x, axis=0)
    mean = 0 if "inference" in faults else np.mean(x, axis=0)
    z = (x - mean) / np.sqrt(variance + 1e-3)
    error = z @ w + b - y  # (n, 1)
    factors = weights[:, None]
    if "unweighed" in faults:
        factors = np.ones_like(error)
    elif "averaged" in faults:
        factors = np.mean(weights) * np.ones_like(error)
    elif "normalised" in faults:
        factors = factors / np.mean(weights)
    if "summed" in faults:
        factors = factors * len(x)
    penalty = _PENALTY * (0 if "unpenalised" in faults else 2 if "doubly" in faults else 1)
    if "squared" in faults:
        losses, slopes = error**2, 2 * error
    else:
        up, down = (1, 0.5) if "exchanged" in faults else (0.5, 1)
        losses, slopes = np.maximum(up * error, -down * error), np.where(error > 0, up, -down)
    if "constant" in faults:
        slopes = np.zeros_like(error)
    slopes = factors * slopes / len(x)
    after = [w - _RATE * (z.T @ slopes + 2 * penalty * w), b - _RATE * np.sum(slopes, axis=0)]
    return after, float(np.mean(factors * losses) + penalty * np.sum(w**2))


# Of each kind an answer has one fault or none.
_FAULTS = (
    {"inference": "the model runs as in inference (say training=True)"},
    {
        "squared": "the loss is not the one that was compiled",
        "exchanged": "y and y_hat are exchanged in the loss",
        "constant": "the loss has no gradient, because its prediction is not what model(x) returns",
    },
    {"summed": "the losses of the examples are added up, and not averaged"},
    {
        "unweighed": "the sample weights do not count",
        "averaged": "every example is weighed with the mean of the sample weights, as if a loss of "
        "shape (n, 1) were multiplied by weights of shape (n,)",
        "normalised": "the weighed losses are divided by the sum of the weights, and not by n",
    },
    {
        "unpenalised": "the regulariser's penalty is missing",
        "doubly": "the penalty counts twice, though compute_loss adds model.losses by itself",
    },
)
_COMPUTE = " model.compute_loss takes care of loss, weights and penalties."


def _faults_of(got: Sequence, call: tuple) -> tuple[str, ...] | None:
    """Return the faults with which the step leads to these weights; None where none do."""
    for faults in product(*[("", *kind) for kind in _FAULTS]):
        if close(got, _step(*call, faults)[0], 1e-4):
            return faults
    return None


def _judge_train_step(returned: list, calls: Sequence[tuple]) -> Judgement:
    got = [[as_array(item) for item in value["items"]["weights"]["items"]] for value in returned]

    def matches(factor: float) -> bool:
        """Tell whether each update is so many times the right one."""
        for arrays, call in zip(got, calls, strict=True):
            before = [call[1], np.array([call[2]])]
            right = _step(*call)[0]
            if not close(
                arrays, [b + factor * (a - b) for a, b in zip(right, before, strict=True)], 1e-4
            ):
                return False
        return True

    if matches(0):
        return failed(
            "The weights are as they were: nothing was applied. Call "
            "model.optimizer.apply(gradients, model.trainable_variables)."
        )
    if matches(-1):
        return failed("The update climbs. Give optimizer.apply the gradients as they are.")
    if matches(2):
        return failed("The update is twice as long as it should be: apply the gradients once.")
    found = [_faults_of(*pair) for pair in zip(got, calls, strict=True)]
    if None not in found:
        if not any(map(any, found)):
            return _judge_after_the_update(returned, calls)
        faults = next(filter(any, found))
        pairs = zip(_FAULTS, faults, strict=True)
        listed = "; ".join(kind[fault] for kind, fault in pairs if fault)
        if not any(found[0]):
            return failed(
                "With a loss function in compile the update is right. With a loss object, which "
                f"averages by itself, it is not: {listed}.{_COMPUTE}"
            )
        return failed(f"Still wrong: {listed}.{_COMPUTE if any(faults[1:]) else ''}")
    expected = [array for call in calls for array in _step(*call)[0]]
    after = [array for arrays in got for array in arrays]
    i = first_difference(after, expected, 1e-4)
    return failed(
        f"After the step, the last layer's {'kernel' if i % 2 == 0 else 'bias'} should be "
        f"{np.ravel(expected[i]).round(3).tolist()}, and it is "
        f"{np.ravel(after[i]).round(3).tolist()}. Keep the program, and change the "
        "call of the model and the line of the loss alone."
    )


def _judge_after_the_update(returned: list, calls: Sequence[tuple]) -> Judgement:
    for value, (_, _, _, x, *_) in zip(returned, calls, strict=True):
        moving = [as_array(item) for item in value["items"]["moving"]["items"]]
        once = [0.01 * np.mean(x, axis=0), 0.99 + 0.01 * np.var(x, axis=0)]
        if not close(moving, once, 1e-4):
            return failed(
                "The update is right, but the averages that batch normalisation keeps moved more "
                "than once. Call the model once, and take loss and gradients from that."
            )
    losses = [_step(*call)[1] for call in calls]
    return _judge_logs([value["items"]["returned"] for value in returned], losses)


def _judge_logs(returned: list, losses: Sequence[float]) -> Judgement:
    for value, loss in zip(returned, losses, strict=True):
        if value is None:
            return failed(
                "The update is right, but your function returned None, and fit needs a dict. "
                'Return {"loss": loss}.'
            )
        logged = as_array(value["items"].get("loss")) if is_a(value, "dict") else None
        if logged is None or logged.shape != ():
            return failed(
                f"The update is right, but you returned {in_words(value)}. fit needs a dict: "
                'return {"loss": loss}.'
            )
        if not close([logged], [np.asarray(loss)]):
            return failed(
                f"The update is right, but the loss in the dict is {logged:.4g}; before the update "
                f"it is {loss:.4g}. Return the loss that you took the gradient of."
            )
    return passed("It updates the weights as Keras's own step does, whatever loss was compiled.")


# 14.3 ---------------------------------------------------------------------------------------------


def _draw_critics(rng: np.random.Generator) -> list[tuple]:
    def draw(kind: str, n: int, d: int) -> tuple:
        w = rng.uniform(0.4, 1.5, size=d) * rng.choice([-1, 1], size=d)
        x = rng.uniform(0.4, 2, size=(n, d)) * rng.choice([-1, 1], size=(n, d))
        return kind, w.round(2), x.round(1)

    kind, w, x = draw("quadratic", 4, 3)
    x[0] = 0.0  # here the slopes are zero
    return [draw("quadratic", 5, 3), draw("linear", 4, 2), (kind, w, x)]


def _as_critic(kind: str, w: np.ndarray, x: np.ndarray) -> tuple:
    import tensorflow as tf

    w, x = tf.Variable(w, dtype=tf.float32), tf.constant(x, tf.float32)
    power = 2 if kind == "quadratic" else 1
    return lambda batch: tf.reduce_sum(w * batch**power, axis=1), w, x


def _penalty(kind: str, w: np.ndarray, x: np.ndarray, mistake: str = "") -> tuple:
    """Return the penalty and its gradient with respect to w, with this mistake."""
    factor = 2 * x if kind == "quadratic" else np.ones_like(x)  # slopes = w * factor
    if mistake == "mean score":
        factor = factor / len(x)
    slopes = w * factor
    squares = np.sum(slopes**2, axis=1)
    lengths = np.sqrt(squares)
    per_length = np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    of_lengths = slopes * factor * per_length[:, None]  # (n, d): each length's gradient
    if mistake == "squared":  # no root
        gradient = np.mean(4 * (squares - 1)[:, None] * slopes * factor, axis=0)
        return np.mean((squares - 1) ** 2), gradient
    if mistake == "to zero":
        return np.mean(squares), np.mean(2 * slopes * factor, axis=0)
    if mistake == "mean first":
        excess = np.mean(lengths) - 1
        return excess**2, 2 * excess * np.mean(of_lengths, axis=0)
    if mistake == "whole batch":
        length = np.sqrt(np.sum(squares))
        return (length - 1) ** 2, 2 * (length - 1) / length * np.sum(slopes * factor, axis=0)
    gradients = 2 * (lengths - 1)[:, None] * of_lengths
    if mistake == "sum":
        return np.sum((lengths - 1) ** 2), np.sum(gradients, axis=0)
    return np.mean((lengths - 1) ** 2), np.mean(gradients, axis=0)


def _judge_penalty(returned: list, calls: Sequence[tuple]) -> Judgement:
    for value in returned:
        if value is None:
            return failed("Your function returned None. Return (penalty, gradient), a tuple.")
        items = value["items"] if is_a(value, "tuple", "list") else []
        if len(items) != 2:
            return failed(
                f"You returned {in_words(value)}. Return the penalty and its gradient with respect "
                "to w, as a tuple."
            )
        if items[1] is None:
            return failed(
                "The gradient is None: the tape found no path from the penalty to w. The outer "
                "tape must record everything from the call of the critic to the penalty, with "
                "inner.gradient and TensorFlow's functions; then ask outer.gradient(penalty, w)."
            )
        if any(as_array(item) is None for item in items):
            return failed(
                f"In your tuple stand {in_words(items[0])} and {in_words(items[1])}. It should be "
                "one number and a tensor of the shape of w."
            )
    got = [tuple(as_array(item) for item in value["items"]) for value in returned]

    def reference(mistake: str = "") -> list[tuple]:
        return [tuple(map(np.asarray, _penalty(*call, mistake))) for call in calls]

    def matches(references: Sequence[tuple], those: slice = slice(None)) -> bool:
        flat = [array for pair in got[those] for array in pair]
        return close(flat, [array for pair in references[those] for array in pair])

    right = reference()
    if matches(right):
        return passed("A penalty that trains, also where the critic is flat.")
    if matches(right, slice(2)) and not np.all(np.isfinite(got[2][1])):
        return failed(
            "Right, until the slopes of one example are zero: then the gradient is nan, because "
            "the root's slope is infinite there, also inside of tf.norm. Write the root yourself, "
            "and add 1e-12 inside the root, to the sum of squares."
        )
    if matches(right, slice(2)) and np.all(got[2][1] == 0):
        return failed(
            "Where the slopes of one example are zero, you set the nan to 0, and with it what the "
            "other examples give. Keep the nan from arising: add 1e-12 inside the root."
        )
    swapped = [(gradient, penalty) for penalty, gradient in got]
    if close([a for pair in swapped for a in pair], [a for pair in right for a in pair]):
        return failed("The two are swapped: the penalty comes first, then its gradient.")
    messages = {
        "mean score": "The slopes are too small by the number of examples, because you took the "
        "gradient of the mean score. Ask inner.gradient for the scores themselves.",
        "squared": "The root is missing: this is (squared length - 1)². Take tf.sqrt of the sum "
        "of squares first.",
        "to zero": "This is the mean squared length, which pulls the slopes to 0. Here the length "
        "should become 1: (length - 1)².",
        "mean first": "You averaged the lengths and then squared. Take (length - 1)² for each "
        "example, and average after that.",
        "whole batch": "This is one length for the whole batch. Sum the squares over axis 1 alone, "
        "so that each example has a length of its own.",
        "sum": "You added up the examples. The penalty is their mean: tf.reduce_mean.",
    }
    for mistake, message in messages.items():
        if matches(reference(mistake), slice(2)):
            return failed(message)
    if close([penalty for penalty, _ in got], [penalty for penalty, _ in right]):
        i = first_difference([g for _, g in got], [g for _, g in right])
        return failed(
            f"The penalty is right, its gradient is not: for w = {calls[i][1].tolist()} it is "
            f"{right[i][1].round(3).tolist()}, and you returned {in_words(returned[i]['items'][1])}"
            f"{_shown(got[i][1])}. Return outer.gradient(penalty, w)."
        )
    i = first_difference([p for p, _ in got], [p for p, _ in right])
    return failed(
        f"For the {calls[i][0]} critic with w = {calls[i][1].tolist()} the penalty is "
        f"{right[i][0]:.4g}, and you returned {in_words(returned[i]['items'][0])}. Take the slopes "
        "with respect to x, their length for each example, and the mean of (length - 1)²."
    )


def _shown(array: np.ndarray) -> str:
    return f", {array.round(3).tolist()}" if 0 < array.ndim and array.size <= 6 else ""


# 14.4 ---------------------------------------------------------------------------------------------

_ANSWERS = ("fit", "train_step", "fit", "train_step", "loop")
_LARGER = "That would work, but a smaller means does it: "
_CASES = (
    {
        "train_step": _LARGER + "an optimizer gets every gradient with its variable, and compile "
        "takes one of your own.",
        "loop": _LARGER + "an optimizer gets every gradient with its variable, and compile takes "
        "one of your own.",
    },
    {
        "fit": "An optimizer gets the gradients of the sum, when it is too late to tell the two "
        "losses apart. Taking both from the tape belongs in train_step.",
        "loop": _LARGER + "each batch still gives one update, so train_step holds both gradients.",
    },
    {
        "train_step": _LARGER + "the noise belongs to the data. A callback sets a variable, and "
        "the pipeline's map reads it.",
        "loop": _LARGER + "the noise belongs to the data. A callback sets a variable, and the "
        "pipeline's map reads it.",
    },
    {
        "fit": "compile takes one optimizer, and Keras's own step takes one loss. Two players "
        "need a step of their own.",
        "loop": _LARGER + "both updates belong to one batch, so train_step holds them.",
    },
    {
        "fit": "Keras's own step takes one batch and one update, and never goes back.",
        "train_step": "Here a step is not one batch and one update: it measures on all data, "
        "several times, and may go back. A loop says that plainly.",
    },
)


def _judge_means(value: Any) -> Judgement:
    items = value["items"] if is_a(value, "list", "tuple") else None
    if items is None or len(items) != 5:
        return failed(
            "Write a list of five strings, one for each case in order; you wrote "
            f"{in_words(value)}."
        )
    for number, item in enumerate(items, 1):
        if item not in ("fit", "train_step", "loop"):
            return failed(
                f'Case {number} is {in_words(item)}. Each is one of "fit", "train_step" and "loop".'
            )
    wrong = [
        i for i, (item, right) in enumerate(zip(items, _ANSWERS, strict=True)) if item != right
    ]
    if not wrong:
        return passed("The smallest means for each, and one loop among five.")
    more = f" {len(wrong) - 1} more to think over." if len(wrong) > 1 else ""
    return failed(f"Case {wrong[0] + 1}: {_CASES[wrong[0]][items[wrong[0]]]}{more}")


EXERCISES = (
    FunctionExercise(
        id="14.1",
        title="A loss for compile",
        kind="complete",
        points=2,
        draw_calls=_draw_orders,
        prepare=_as_orders,
        call=_call_as_fit,
        judge=_judge_cost,
    ),
    FunctionExercise(
        id="14.2",
        title="What a train_step leaves out",
        kind="repair",
        points=3,
        draw_calls=_draw_steps,
        prepare=_as_step,
        call=_call_step,
        judge=_judge_train_step,
    ),
    FunctionExercise(
        id="14.3",
        title="A gradient penalty for a critic",
        kind="complete",
        points=3,
        draw_calls=_draw_critics,
        prepare=_as_critic,
        judge=_judge_penalty,
    ),
    ValueExercise(
        id="14.4",
        title="fit, train_step or loop",
        kind="predict",
        points=1,
        judge=_judge_means,
    ),
)

"""The exercises of lesson 12: a penalty without effect, a cosine, a late weight, a projection."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .exercise import FunctionExercise, Judgement, ValueExercise, failed, passed
from .reading import as_array, close, first_difference, in_words, is_a

__all__ = ["EXERCISES"]

_EXACT = 1e-4  # the tolerance where all numbers are of the order of 1


# 12.1 ---------------------------------------------------------------------------------------------


def _draw_penalised(rng: np.random.Generator) -> list[tuple]:
    def draw(n, beta):
        weights = rng.normal(size=(3, 4)), rng.normal(size=(4, 1))
        return *weights, rng.normal(size=(n, 3)), rng.normal(size=(n, 1)), beta

    return [draw(6, 0.5), draw(9, 0.3)]


def _as_model(w1: np.ndarray, w2: np.ndarray, x: np.ndarray, y: np.ndarray, beta: float) -> tuple:
    import keras
    import tensorflow as tf

    inputs = keras.Input((3,))
    hidden = keras.layers.Dense(4, activation="relu", use_bias=False)(inputs)
    y_hat = keras.layers.Dense(1, use_bias=False)(hidden)
    model = keras.Model(inputs, [hidden, y_hat])
    model.set_weights([w1, w2])
    return model, tf.constant(x, tf.float32), tf.constant(y, tf.float32), beta


def _penalised(call: tuple, in_value: float, in_gradient: float) -> tuple[np.ndarray, list]:
    """Return the loss and the two kernels' gradients, with these factors of the penalty in each."""
    w1, w2, x, y, _ = call
    hidden = np.maximum(x @ w1, 0)
    error = hidden @ w2 - y
    loss = np.mean(error**2) + in_value * np.sum(hidden) / len(x)
    upstream = (2 * error @ w2.T + in_gradient) / len(x) * (hidden > 0)
    return np.asarray(loss), [x.T @ upstream, 2 * hidden.T @ error / len(x)]


def _judge_penalised(returned: list, calls: Sequence[tuple]) -> Judgement:
    for value in returned:
        mistake = _mistake_in_pair(value)
        if mistake:
            return failed(mistake)
    losses = [as_array(value["items"][0]).reshape(()) for value in returned]
    gradients = [as_array(g) for value in returned for g in value["items"][1]["items"]]

    def has_loss(factor: Callable) -> bool:
        right = [_penalised(call, factor(call), 0)[0] for call in calls]
        return close(losses, right, _EXACT)

    def has_gradients(factor: Callable) -> bool:
        right = [g for call in calls for g in _penalised(call, 0, factor(call))[1]]
        return close(gradients, right, _EXACT)

    def none(call):
        return 0.0

    def once(call):
        return call[4]

    def twice(call):
        return call[4] ** 2

    if has_loss(once) and has_gradients(once):
        return passed("The penalty counts once, in the loss and in the gradients.")
    if has_loss(twice) and has_gradients(twice):
        return failed(
            "The penalty has its gradient now. But it counts with beta * beta: multiply it by beta "
            "once."
        )
    if has_gradients(none):
        if has_loss(none):
            return failed(
                "The penalty is in neither the loss nor the gradients. Add beta times the mean, "
                "over the examples, of the summed absolute activations."
            )
        if has_loss(once):
            return failed(
                "The loss is right, and the gradients know nothing of the penalty. Take hidden "
                "from model(x), and add the penalty, inside the `with` block: predict and .numpy() "
                "leave the tape."
            )
        if has_loss(twice):
            return failed(
                "The gradients know nothing of the penalty, because predict and .numpy() leave the "
                "tape, and the penalty is multiplied by beta twice. Take hidden from model(x) "
                "inside the `with` block, and use beta once."
            )
    mistakes: list[tuple[Callable, str]] = [
        (
            lambda call: 1.0,
            "The penalty counts in full: beta is gone from both places. Leave it in one.",
        ),
        (
            lambda call: call[4] * len(call[2]),
            "The penalty is summed over the examples. Take the mean over them, as it was given.",
        ),
        (
            lambda call: call[4] / 4,
            "The penalty is averaged over the 4 activations, too. Sum them for each example, as it "
            "was given.",
        ),
        (lambda call: -call[4], "The penalty is subtracted. Add it to the squared error."),
    ]
    for factor, message in mistakes:
        if has_loss(factor) and has_gradients(factor):
            return failed(message)
    if has_gradients(once):
        return failed(
            "The gradients are right, and the loss beside them is not the one that they belong to. "
            "Return the loss from inside the block, with the penalty counted once."
        )
    if has_loss(once):
        return failed(
            "The loss is right, and the gradients are not its gradients. Return "
            "tape.gradient(loss, model.trainable_variables) as it is."
        )
    right = [_penalised(call, call[4], call[4])[0] for call in calls]
    i = first_difference(losses, right, _EXACT)
    return failed(
        f"For {len(calls[i][2])} examples and beta = {calls[i][4]:g} the loss is {right[i]:.5g}, "
        f"and you returned {losses[i]:.5g} with gradients that do not fit either. Keep the squared "
        "error and the form of the penalty, and mend only the two faults."
    )


def _mistake_in_pair(value: Any) -> str | None:
    if value is None:
        return "Your function returned None. Return the loss and the gradients, as it was given."
    if not is_a(value, "tuple", "list") or len(value["items"]) != 2:
        return f"You returned {in_words(value)}. Return two things: the loss, and the gradients."
    loss, gradients = value["items"]
    number = as_array(loss)
    if number is not None and number.shape == (3, 4):
        return "You returned the gradients alone. Return the loss first, and then their list."
    if number is None or number.size != 1:
        return f"The loss is one number; in its place stands {in_words(loss)}."
    if not is_a(gradients, "list", "tuple") or len(gradients["items"]) != 2:
        return (
            f"In place of the gradients stands {in_words(gradients)}. Return the list that "
            "tape.gradient gives for model.trainable_variables: one for each of two kernels."
        )
    arrays = [as_array(gradient) for gradient in gradients["items"]]
    if any(gradient is None for gradient in gradients["items"]):
        return (
            "A gradient is None: the tape has no path to that kernel. Take hidden and y_hat from "
            "model(x), inside the `with` block."
        )
    if any(a is None or a.shape != s for a, s in zip(arrays, ((3, 4), (4, 1)), strict=True)):
        return (
            "The gradients do not have the shapes of the two kernels, (3, 4) and (4, 1). Return "
            "them as tape.gradient gives them."
        )
    return None


# 12.2 ---------------------------------------------------------------------------------------------


def _draw_two_losses(rng: np.random.Generator) -> list[tuple]:
    def draw(direction):
        """Both losses reach a (3,) and d (2, 2); the first alone reaches b (2,), the second c."""
        of_a, of_d = rng.uniform(0.5, 1.5, 3), 2 * rng.uniform(0.5, 1.5, (2, 2))
        first = [of_a, of_d, rng.uniform(1, 2, 2), np.zeros(())]
        turned = [direction * of_a + 0.3 * rng.normal(size=3), 0.4 * direction * of_d[::-1]]
        second = [*turned, np.zeros(2), rng.uniform(1, 2, ())]
        return first, second

    return [draw(-1.0), draw(1.0), draw(-2.0)]


def _as_losses(first: list[np.ndarray], second: list[np.ndarray]) -> tuple:
    import tensorflow as tf

    variables = [tf.Variable(tf.zeros(g.shape)) for g in first]
    slopes = [[tf.constant(g, tf.float32) for g in loss] for loss in (first, second)]

    def losses():
        """Return two losses whose gradients are the drawn ones; zeros are left out."""
        return tuple(
            tf.add_n(
                [
                    tf.reduce_sum(g * v + v**2)
                    for g, v, drawn in zip(loss, variables, numbers, strict=True)
                    if drawn.any()
                ]
            )
            for loss, numbers in zip(slopes, (first, second), strict=True)
        )

    return losses, variables


def _flat(parts: Sequence) -> np.ndarray:
    return np.concatenate([np.ravel(part) for part in parts])


def _cosine(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(np.sum(a * b) / np.sqrt(np.sum(a * a) * np.sum(b * b)))


def _judge_cosine(returned: list, calls: Sequence[tuple]) -> Judgement:
    if any(value is None for value in returned):
        return failed(
            "Your function returned None. Return the cosine: the sum of the products, divided by "
            "both norms."
        )
    if any(is_a(value, "list", "tuple", "dict") for value in returned):
        return failed(
            f"You returned {in_words(returned[0])}. Return one cosine for all variables together: "
            "join each loss's gradients into one long vector first."
        )
    got = [as_array(value) for value in returned]
    if any(array is None or array.size != 1 for array in got):
        return failed(f"The cosine is one number; you returned {in_words(returned[0])}.")
    got = [array.reshape(()) for array in got]
    if not np.all(np.isfinite(got)):
        return failed(
            "Your function returned nan or inf: a vector of zeros has no cosine. Call losses() "
            "inside the `with` block, and join the gradients of all variables before you divide by "
            "the norms."
        )
    pairs = [(_flat(first), _flat(second)) for first, second in calls]
    right = [_cosine(a, b) for a, b in pairs]
    if close(got, right, _EXACT):
        return passed("One number for the whole model, and what has no path counts as zeros.")
    shared = [(_flat(first[:2]), _flat(second[:2])) for first, second in calls]
    each = [[_cosine(g, h) for g, h in zip(f[:2], s[:2], strict=True)] for f, s in calls]
    dots = [np.asarray(np.sum(a * b)) for a, b in pairs]
    sums_of_norms = [[sum(np.linalg.norm(g) for g in loss) for loss in call] for call in calls]
    mistakes = [
        (
            [_cosine(a, b) for a, b in shared],
            "You left out the variables that only one loss reaches. Their gradients count in the "
            "norm of that loss: put zeros in place of None, not the variable aside.",
        ),
        (
            [np.mean(cosines) for cosines in each],
            "This is the mean of the variables' cosines. Join the gradients into one long vector "
            "for each loss, and take one cosine.",
        ),
        (
            [np.sum(cosines) / 4 for cosines in each],
            "This is the mean of the variables' cosines. Join the gradients into one long vector "
            "for each loss, and take one cosine.",
        ),
        ([np.sum(cosines) for cosines in each], "This is the sum of the variables' cosines."),
        (dots, "This is the product a · b. Divide it by the norm of each of the two vectors."),
        (
            [d / np.sum(a * a) / np.sum(b * b) for d, (a, b) in zip(dots, pairs, strict=True)],
            "You divided by the squared norms. Divide by the norms: tf.norm takes the root.",
        ),
        (
            [d / np.sqrt(np.sum(a * a)) for d, (a, b) in zip(dots, pairs, strict=True)],
            "You divided by the first norm alone. Divide by the second, too.",
        ),
        (
            [d / np.sqrt(np.sum(b * b)) for d, (a, b) in zip(dots, pairs, strict=True)],
            "You divided by the second norm alone. Divide by the first, too.",
        ),
        (
            [d / m / n for d, (m, n) in zip(dots, sums_of_norms, strict=True)],
            "You added the norms of a loss's gradients. The norm of all entries together is the "
            "root of the sum of their squares: join the gradients first.",
        ),
        (
            [
                d / np.linalg.norm(a) * np.linalg.norm(b)
                for d, (a, b) in zip(dots, pairs, strict=True)
            ],
            "You divided by the first norm and multiplied by the second. Put the product of both "
            "norms in parentheses.",
        ),
        (
            [cosine / len(a) for cosine, (a, _) in zip(right, pairs, strict=True)],
            "You averaged the products of the entries. Add them up: tf.reduce_sum.",
        ),
        ([np.arccos(cosine) for cosine in right], "This is the angle. Return its cosine."),
        (
            [np.degrees(np.arccos(cosine)) for cosine in right],
            "This is the angle in degrees. Return its cosine.",
        ),
        ([1 - cosine for cosine in right], "This is 1 minus the cosine. Return the cosine."),
        ([-cosine for cosine in right], "The sign is wrong: 1 means the same direction."),
        (
            [_cosine(f[0], s[0]) for f, s in calls],
            "This is the cosine for the first variable alone. Take all variables together.",
        ),
        (
            [np.ones(())] * len(calls),
            "You returned 1 for every call: both vectors hold the same gradient. Ask the tape "
            "once for each loss; a list of losses gives the gradient of their sum.",
        ),
        (
            [_cosine(a + b, a) for a, b in pairs],
            "One of your two vectors is the gradient of the sum. Ask the tape once for each loss.",
        ),
        (
            [_cosine(a + b, b) for a, b in pairs],
            "One of your two vectors is the gradient of the sum. Ask the tape once for each loss.",
        ),
    ]
    for values, message in mistakes:
        if close(got, [np.asarray(value) for value in values], _EXACT):
            return failed(message)
    i = first_difference(got, right, _EXACT)
    return failed(
        f"In call {i + 1} of {len(calls)} the cosine is {right[i]:.4f}, and you returned "
        f"{got[i]:.4f}. Make one vector of all entries for each loss, zeros for None, in the same "
        "order; then a · b, divided by both norms."
    )


# 12.3 ---------------------------------------------------------------------------------------------


def _judge_late_weight(value: Any) -> Judgement:
    if value is None or value == "None":
        return failed("None comes back if no target has a path. l1 was recorded, so it has one.")
    if is_a(value, "list", "tuple", "dict"):
        return failed(
            f"You expect {in_words(value)}. There is one source, so one gradient comes back: "
            "several targets are summed."
        )
    number = as_array(value)
    if number is None or number.size != 1:
        return failed(f"Write what comes back; you wrote {in_words(value)}.")
    got = float(number.reshape(()))
    if abs(got - 4) < 1e-3:
        return passed("Only l1 counts: the tape never saw 3 * l2, and says nothing about it.")
    mistakes = {
        40.0: "40 is what you want, and what you get with the weight inside the block. But here "
        "3 * l2 is computed when the tape is off.",
        16.0: "16 is the sum without the weight. The second target is 3 * l2, a tensor of its own: "
        "did the tape see how it was made?",
        36.0: "36 is the slope of 3 * l2 alone, if it had been recorded. It was not, and l1 was.",
        12.0: "12 is the slope of l2, which is not among the targets. They are l1 and 3 * l2.",
        28.0: "28 is the sum of the values 4 and 24. The tape gives slopes.",
        0.0: "The slope of l1 = w**2 at w = 2 is not 0, and l1 was recorded.",
    }
    return failed(
        mistakes.get(got)
        or f"{got:g} is not it. Say for each of the two targets whether the tape has a path from w "
        "to it, and add the slopes of those that have."
    )


# 12.4 ---------------------------------------------------------------------------------------------


def _draw_pairs(rng: np.random.Generator) -> list[tuple]:
    def draw(n, turn):
        a = rng.uniform(0.5, 1.5, n) * rng.choice([-1, 1], n)
        across = rng.normal(size=n)
        across -= np.sum(across * a) / np.sum(a * a) * a
        across *= np.sqrt(np.sum(a * a) / np.sum(across * across))
        return a, (turn * a + across) * rng.uniform(1.5, 2.5)

    fixed = np.array([1.0, 0.0]), np.array([-2.0, 2.0])
    return [fixed, draw(3, -0.8), draw(4, 0.7), draw(2, -1.5), draw(3, 0.5)]


def _as_tensors(a: np.ndarray, b: np.ndarray) -> tuple:
    import tensorflow as tf

    return tf.constant(a, tf.float32), tf.constant(b, tf.float32)


def _combine(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    dot = np.sum(a * b)
    return a + b if dot >= 0 else a - dot / (b @ b) * b + b - dot / (a @ a) * a


def _judge_projection(returned: list, calls: Sequence[tuple]) -> Judgement:
    if any(value is None for value in returned):
        return failed("Your function returned None. Return the combined gradient in both cases.")
    several = [value for value in returned if is_a(value, "list", "tuple", "dict")]
    if several:
        return failed(
            f"You returned {in_words(several[0])}. Add the two vectors, and return their sum: one "
            "tensor."
        )
    got = [as_array(value) for value in returned]
    shapes = [array.shape if array is not None else None for array in got]
    if shapes != [a.shape for a, _ in calls]:
        return failed(
            "The combined gradient has the shape of a; you returned "
            f"{in_words(returned[0])} where a has shape {calls[0][0].shape}."
        )

    def is_like(formula: Callable) -> bool:
        """Tell whether every conflict was combined by formula(a, b, a · b), the rest added."""
        return close(
            got,
            [formula(a, b, a @ b) if a @ b < 0 else a + b for a, b in calls],
            _EXACT,
        )

    if close(got, [_combine(a, b) for a, b in calls], _EXACT):
        return passed("Neither gradient takes back what the other one wants.")
    overwritten = "One gradient was overwritten before the other used it. Subtract from b its "
    overwritten += "part along the original a, and from a its part along the original b."

    def without(a, b, dot):
        return a - dot / (b @ b) * b

    mistakes: list[tuple[Callable, str]] = [
        (lambda a, b, dot: without(a, b, dot) + without(b, without(a, b, dot), dot), overwritten),
        (lambda a, b, dot: without(b, a, dot) + without(a, without(b, a, dot), dot), overwritten),
        (lambda a, b, dot: b + (1 - dot / (a @ a)) * without(a, b, dot), overwritten),
        (lambda a, b, dot: a + (1 - dot / (b @ b)) * without(b, a, dot), overwritten),
        (
            lambda a, b, dot: a + b,
            "This is a + b, also where they conflict. If a · b < 0, take the part along the other "
            "out of each first.",
        ),
        (
            lambda a, b, dot: a - dot / (b @ b) * b + b,
            "Only a lost its part along b; b is added in full. Project b, too, along the original "
            "a: along the new one nothing is left to take.",
        ),
        (
            lambda a, b, dot: a + b - dot / (a @ a) * a,
            "Only b lost its part along a; a is added in full. Project a, too, along the original "
            "b.",
        ),
        (
            lambda a, b, dot: a - dot / (b @ b) * b,
            "This is a without its part along b. Do the same for b, and add the two.",
        ),
        (
            lambda a, b, dot: b - dot / (a @ a) * a,
            "This is b without its part along a. Do the same for a, and add the two.",
        ),
        (
            lambda a, b, dot: a + dot / (b @ b) * b + b + dot / (a @ a) * a,
            "You added the parts along each other. Subtract them.",
        ),
        (
            lambda a, b, dot: dot / (b @ b) * b + dot / (a @ a) * a,
            "These are the parts along each other. Subtract them from a and b.",
        ),
        (
            lambda a, b, dot: a - dot / np.sqrt(b @ b) * b + b - dot / np.sqrt(a @ a) * a,
            "You divided by the norms. The part of a along b is (a · b / b · b) b: divide by the "
            "squared norm.",
        ),
        (
            lambda a, b, dot: a - dot * b + b - dot * a,
            "The parts are not divided by a squared norm. The part of a along b is "
            "(a · b / b · b) b.",
        ),
        (
            lambda a, b, dot: a - dot / (a @ a) * b + b - dot / (b @ b) * a,
            "The squared norms are exchanged: the part along b is divided by b · b.",
        ),
    ]
    for formula, message in mistakes:
        if is_like(formula):
            return failed(message)
    if close(got, [_combine(a, b) / 2 for a, b in calls], _EXACT):
        return failed("This is half of it: the mean of the two. Return their sum.")
    everywhere = [a - a @ b / (b @ b) * b + b - a @ b / (a @ a) * a for a, b in calls]
    if close(got, everywhere, _EXACT):
        return failed(
            "The conflicts are right. But you project where a · b is positive, too: there the "
            "losses agree, so return a + b."
        )
    reversed_test = [
        a + b if a @ b < 0 else part for (a, b), part in zip(calls, everywhere, strict=True)
    ]
    if close(got, reversed_test, _EXACT):
        return failed("The test is the wrong way round: project where a · b is below 0.")
    i = first_difference(got, [_combine(a, b) for a, b in calls], _EXACT)
    a, b = calls[i]
    return failed(
        f"For a = {_row(a)} and b = {_row(b)}, where a · b is {a @ b:.3g}, the result is "
        f"{_row(_combine(a, b))}, and you returned {_row(got[i])}. Follow the text term by term."
    )


def _row(array: np.ndarray) -> str:
    return "[" + ", ".join(f"{entry:.4g}" for entry in np.ravel(array)) + "]"


EXERCISES = (
    FunctionExercise(
        id="12.1",
        title="A penalty without effect",
        kind="repair",
        points=2,
        draw_calls=_draw_penalised,
        prepare=_as_model,
        judge=_judge_penalised,
    ),
    FunctionExercise(
        id="12.2",
        title="One cosine for a whole model",
        kind="complete",
        points=3,
        draw_calls=_draw_two_losses,
        prepare=_as_losses,
        judge=_judge_cosine,
    ),
    ValueExercise(
        id="12.3",
        title="A weight that comes too late",
        kind="predict",
        points=1,
        judge=_judge_late_weight,
    ),
    FunctionExercise(
        id="12.4",
        title="Gradients without their conflict",
        kind="complete",
        points=3,
        draw_calls=_draw_pairs,
        prepare=_as_tensors,
        judge=_judge_projection,
    ),
)

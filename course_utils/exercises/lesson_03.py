"""The exercises of lesson 03: gradients that are lost, replaced, or not finite."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .exercise import FunctionExercise, Judgement, ValueExercise, failed, passed
from .reading import as_array, close, first_difference, in_words, is_a

__all__ = ["EXERCISES"]


# 03.1 ---------------------------------------------------------------------------------------------


def _draw_descents(rng: np.random.Generator) -> list[tuple]:
    first = (2.0, 1.0, np.array([1.0, 2.0]), np.array([1.0, 0.5]), 0.1, 1)

    def draw(n, lr, steps):
        w, b = rng.choice([-1, 1], 2) * rng.uniform(0.5, 1.5, 2).round(1)
        x, y = rng.choice([-1, 1], n) * rng.uniform(0.4, 1.4, n).round(1), rng.normal(size=n)
        return float(w), float(b), x, y.round(1), lr, steps

    return [first, draw(3, 0.2, 2), draw(5, 0.05, 3), draw(4, 0.1, 4)]


def _as_descent(w: float, b: float, x: np.ndarray, y: np.ndarray, lr: float, steps: int) -> tuple:
    import tensorflow as tf

    parameters = {"w": tf.Variable(w, dtype=tf.float32), "b": tf.Variable(b, dtype=tf.float32)}
    return parameters, tf.constant(x, tf.float32), tf.constant(y, tf.float32), lr, steps


def _plain_step(p: np.ndarray, gradient: np.ndarray, lr: float) -> np.ndarray:
    return p - lr * gradient


def _descend(call: tuple, update: Callable = _plain_step, extra: int = 0) -> np.ndarray:
    """Return w and b, shape (2,), after the steps; ``update(p, gradient, lr)`` makes one."""
    w, b, x, y, lr, steps = call
    p = np.array([w, b])
    for _ in range(steps + extra):
        p = update(p, _line_gradient(p, x, y), lr)
    return p


def _line_gradient(p: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    error = p[0] * x + p[1] - y
    return np.array([2 * np.mean(error * x), 2 * np.mean(error)])


def _judge_descent(returned: list, calls: Sequence[tuple]) -> Judgement:
    for value in returned:
        mistake = _mistake_in_parameters(value)
        if mistake:
            return failed(mistake)
    got = [
        np.array([float(as_array(value["items"][name])) for name in ("w", "b")])
        for value in returned
    ]
    if close(got, [_descend(call) for call in calls]):
        return passed("Each step finds a variable, so each has a gradient.")
    mistakes = [
        (
            [_descend((*call[:5], 1)) for call in calls],
            "Only the first step has changed the parameters. Either `return` stands inside the "
            "loop, or the later steps find no gradient, because params[name] became a plain "
            "tensor: keep the variable, with assign_sub.",
        ),
        (
            [np.array(call[:2]) for call in calls],
            "The parameters are those that were passed in. Store the new value in the variable: "
            "params[name].assign_sub(lr * gradients[name]).",
        ),
        (
            [_descend(call, lambda p, g, lr: p + lr * g) for call in calls],
            "The parameters move up the slope. Subtract lr times the gradient.",
        ),
        (
            [_descend(call, lambda p, g, lr: -lr * g) for call in calls],
            "Each parameter became -lr times its gradient, and its old value is gone. assign "
            "takes the whole new value; assign_sub subtracts from the old one.",
        ),
        (
            [_descend(call, lambda p, g, lr: lr * g) for call in calls],
            "Each parameter became lr times its gradient. assign takes the whole new value; "
            "assign_sub is what subtracts.",
        ),
        (
            [_descend(call, lambda p, g, lr: p - g) for call in calls],
            "The steps are too long: multiply the gradient by lr.",
        ),
        (
            [_descend(call, lambda p, g, lr: p - 2 * lr * g) for call in calls],
            "Each step is twice as long as it should be. Subtract lr times the gradient, once.",
        ),
        (
            [_descend(call, extra=1) for call in calls],
            "That is one step too many. Leave the loop over `steps` as it was given.",
        ),
        (
            [_descend(call, extra=-1) for call in calls],
            "One step is missing. Leave the loop over `steps` as it was given.",
        ),
        (
            [_descend_with_first_gradient(call) for call in calls],
            "Every step uses the gradient of the first. Record and ask again in each step, with "
            "the values of that step.",
        ),
        (
            [_descend(call, lambda p, g, lr: p - lr * g * [1, 0]) for call in calls],
            "w has moved and b has not. Update every parameter of the dict.",
        ),
        (
            [_descend(call, lambda p, g, lr: p - lr * g * [0, 1]) for call in calls],
            "b has moved and w has not. Update every parameter of the dict.",
        ),
        (
            [_descend(call, lambda p, g, lr: p - 0.1 * g) for call in calls],
            "Your steps have the factor 0.1 in every call. It is lr that says how long they are.",
        ),
    ]
    for values, message in mistakes:
        if close(got, values):
            return failed(message)
    right = [_descend(call) for call in calls]
    i = first_difference(got, right)
    w, b, x, y, lr, steps = calls[i]
    return failed(
        f"From w = {w:g}, b = {b:g} with x = {x.tolist()}, y = {y.tolist()}, lr = {lr:g} and "
        f"{steps} step{'s' * (steps > 1)}, w = {right[i][0]:.4g} and b = {right[i][1]:.4g} were "
        f"expected; got {got[i][0]:.4g} and {got[i][1]:.4g}. Only change the update."
    )


def _mistake_in_parameters(value: Any) -> str | None:
    if value is None:
        return "Your function returned None. Return params, below the loop."
    if not is_a(value, "dict"):
        return f"You returned {in_words(value)}. Return the dict params, as the given program does."
    if set(value["items"]) != {"w", "b"}:
        return f"The dict has {', '.join(value['items']) or 'no keys'}; it needs w and b alone."
    for name, item in value["items"].items():
        array = as_array(item)
        if array is None or array.shape != ():
            return (
                f"Under {name} stands {in_words(item)}; one number was expected. Change the value "
                f"of the variable with assign_sub, and leave it where it is."
            )
    return None


def _descend_with_first_gradient(call: tuple) -> np.ndarray:
    w, b, x, y, lr, steps = call
    p = np.array([w, b])
    return p - steps * lr * _line_gradient(p, x, y)


# 03.2 ---------------------------------------------------------------------------------------------

_LINES = (
    (
        None,
        "3 * tf.floor(x)",
        {0.0: "The staircase is flat, but 0 would need a rule for floor, and there is none."},
        "The only path leads through floor, which has no gradient.",
    ),
    (
        2.0,
        "x * tf.round(x)",
        {
            None: "The path through round is lost, but x is also a factor by itself.",
            0.0: "The factor x has a path of its own.",
            1.0: "The path through x alone has as its slope the other factor.",
            4.25: "Only one of the two factors has a path.",
            4.5: "This is the slope of x**2, and round gives no path.",
            2.25: "This would be the part that comes through round, and that path is lost.",
        },
        "round(x) is a constant to the tape: which one?",
    ),
    (
        0.0,
        "tf.maximum(x, 5.0)",
        {
            None: "maximum has a rule, so there is a path.",
            1.0: "The slope would be 1 if x were the larger one.",
            5.0: "This is y itself; the question is how y moves with x.",
        },
        "Does the maximum move when x grows a little from 2.25?",
    ),
    (
        1.0,
        "x * tf.cast(x > 0, tf.float32)",
        {
            None: "The path through > is lost, but x is also a factor by itself.",
            0.0: "The factor x has a path of its own.",
            2.25: "This is y itself; the question is how y moves with x.",
        },
        "The comparison gives a constant factor: which one?",
    ),
    (
        2.25,
        "x * x.numpy()",
        {
            None: "x.numpy() is a constant, but the other factor is x itself.",
            4.5: "This is the true slope of x**2. The tape knows only one of the two factors.",
            1.0: "The other factor is a constant, but it is not 1.",
            0.0: "The first factor, x itself, has a path.",
        },
        "x.numpy() is a constant to the tape: which one?",
    ),
)


def _judge_five(value: Any) -> Judgement:
    items = value["items"] if is_a(value, "list", "tuple") else None
    if items is None or len(items) != len(_LINES):
        return failed(
            f"Write a list of five answers, each a number or None; you wrote {in_words(value)}."
        )
    for number, (given, (truth, line, mistakes, question)) in enumerate(
        zip(items, _LINES, strict=True), start=1
    ):
        array = as_array(given)
        is_none = given is None or given == "None"
        if not is_none and (array is None or array.shape != ()):
            return failed(
                f"Line {number} has {in_words(given)}. Each answer is one number, or None."
            )
        if not _is_right(given, truth):
            right = sum(_is_right(item, each[0]) for item, each in zip(items, _LINES, strict=True))
            reason = mistakes.get(None if is_none else float(array), question)
            return Judgement(
                "failed", f"Line {number}, {line}: {reason} You have {right} of five right."
            )
    return passed("In all five you saw which paths are left.")


def _is_right(given: Any, truth: float | None) -> bool:
    if given is None or given == "None":
        return truth is None
    array = as_array(given)
    return truth is not None and array is not None and array.shape == () and array == truth


# 03.3 ---------------------------------------------------------------------------------------------


def _draw_classifiers(rng: np.random.Generator) -> list[tuple]:
    def draw(n, classes):
        labels = np.concatenate([np.arange(classes), rng.integers(0, classes, n - classes)])
        return rng.normal(size=(3, classes)), rng.normal(size=(n, 3)), rng.permutation(labels)

    return [draw(6, 4), draw(5, 3)]


def _as_classifier(W: np.ndarray, x: np.ndarray, labels: np.ndarray) -> tuple:
    import tensorflow as tf

    variable = tf.Variable(W, dtype=tf.float32)
    return variable, tf.constant(x, tf.float32), tf.constant(labels, tf.int64)


def _softmax(z: np.ndarray) -> np.ndarray:
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def _through_softmax(p: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """Return the gradient of the logits from that of their softmax, ``p``."""
    return p * (gradient - np.sum(gradient * p, axis=1, keepdims=True))


def _cross_entropy_of(W: np.ndarray, x: np.ndarray, labels: np.ndarray) -> float:
    p = _softmax(x @ W)
    return -np.mean(np.log(p[np.arange(len(x)), labels]))


def _logits_gradients(W: np.ndarray, x: np.ndarray, labels: np.ndarray) -> dict[str, np.ndarray]:
    """Return the gradient of the logits, shape (n, classes), for the right loss and wrong ones."""
    logits = x @ W
    p, n = _softmax(logits), len(x)
    right = np.eye(W.shape[1])[labels]
    guessed = np.eye(W.shape[1])[np.argmax(logits, axis=1)]
    clipped = np.clip(logits, 1e-7, 1 - 1e-7)  # what Keras makes of logits taken for probabilities
    inside = (logits > 1e-7) & (logits < 1 - 1e-7)
    return {
        "right": (p - right) / n,
        "guessed": (p - guessed) / n,
        "twice": _through_softmax(p, (_softmax(p) - right) / n),
        "not logits": np.where(inside, (_softmax(np.log(clipped)) - right) / clipped, 0) / n,
        "probability": _through_softmax(p, -right / n),
        "over rows": (_softmax(logits.T).T * right.sum(axis=0) - right) / n,
    }


def _judge_classifier(returned: list, calls: Sequence[tuple]) -> Judgement:
    if any(value is None for value in returned):
        return failed(
            "It still returns None: the only path from W to the loss goes through an operation "
            "without a gradient, or through NumPy. Compute a cross-entropy from `logits` itself, "
            "with TensorFlow's functions."
        )
    got = [as_array(value) for value in returned]
    if any(value is None for value in got):
        return failed(
            f"The gradient of W is one tensor; you returned {in_words(returned[0])}. "
            "Return tape.gradient(loss, W), with W itself as the source."
        )
    gradients = [_logits_gradients(*call) for call in calls]

    def of_weights(kind: str, factors: Sequence[float] | None = None) -> list[np.ndarray]:
        factors = factors or [1.0] * len(calls)
        triples = zip(calls, gradients, factors, strict=True)
        return [factor * call[1].T @ each[kind] for call, each, factor in triples]

    if close(got, of_weights("right")):
        return passed("Cross-entropy is smooth in every weight, and accuracy follows it up.")
    counts = [len(x) for _, x, _ in calls]
    if all(not value.any() for value in got):
        return failed(
            "It returns 0 for every weight. A zero in place of None hides the fault: no path leads "
            "from W to the loss. Compute a cross-entropy from `logits`."
        )
    if close(got, [each["right"] for each in gradients]):
        return failed("This is the gradient of the logits. Ask for that of W.")
    if close(got, [W for W, _, _ in calls]):
        return failed("This is W itself. Return tape.gradient(loss, W).")
    if close(got, [np.asarray(_cross_entropy_of(*call)) for call in calls]):
        return failed("This is the loss. Return tape.gradient(loss, W).")
    if close(got, of_weights("right", counts)):
        return failed(
            "The gradient is too large by the number of examples: the losses are added up. Take "
            "tf.reduce_mean of them."
        )
    if close(got, of_weights("right", [-1.0] * len(calls))):
        return failed("The sign is wrong: cross-entropy is minus the log of a probability.")
    if close(got, of_weights("twice")) or close(got, of_weights("twice", counts)):
        return failed(
            "The softmax is taken twice: the cross-entropy with logits has it inside. Give it the "
            "logits as they are."
        )
    if close(got, of_weights("not logits")) or close(got, of_weights("not logits", counts)):
        return failed(
            "The logits are taken for probabilities. Keras's cross-entropy does so unless you say "
            "from_logits=True."
        )
    if close(got, of_weights("guessed")):
        return failed(
            "This is the cross-entropy against the model's own guesses, the argmax. Compare with "
            "`labels`."
        )
    signs = [-1.0] * len(calls)
    if any(close(got, of_weights("probability", factors)) for factors in (None, counts, signs)):
        return failed(
            "This is the gradient for the probability of the right class, without the log. It "
            "is smooth, but cross-entropy was asked for: the mean of -log of that probability."
        )
    if close(got, of_weights("right", [1 / W.shape[1] for W, _, _ in calls])):
        return failed(
            "The gradient is too small by the number of classes: the mean runs over all entries "
            "of the one-hot labels. Add up over the classes, and average over the examples."
        )
    if close(got, of_weights("over rows")):
        return failed(
            "The softmax runs over the examples. Each row of the logits is one example: take it "
            "over the last axis."
        )
    right = of_weights("right")
    i = first_difference(got, right)
    if got[i].shape != right[i].shape:
        return failed(
            f"The gradient has the shape of W, {right[i].shape}; you returned {got[i].shape}. "
            "Return tape.gradient(loss, W), with one mean loss."
        )
    entry = np.unravel_index(np.argmax(np.abs(got[i] - right[i])), right[i].shape)
    place = ", ".join(str(int(index)) for index in entry)
    return failed(
        f"For {len(calls[i][1])} examples and {right[i].shape[1]} classes, entry [{place}] of the "
        f"gradient is {right[i][entry]:.4g}, and you returned {got[i][entry]:.4g}. The loss is the "
        "mean over the examples of -log of the softmax's entry at the label."
    )


# 03.4 ---------------------------------------------------------------------------------------------


def _value_and_gradient(function: Callable, x: Any, arriving: Any) -> tuple:
    """Return what the function returned, and its gradient where it is a tensor like x."""
    import tensorflow as tf

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    if not (isinstance(y, tf.Tensor) and y.dtype.is_floating and y.shape == x.shape):
        return y, None
    return y, tape.gradient(y, x, output_gradients=tf.cast(arriving, y.dtype))


def _draw_weights(rng: np.random.Generator) -> list[tuple]:
    first = np.array([0.3, -0.6, 1.7, 1.05, -1.1, 0.95])
    sizes = np.array([[0.2, 0.7, 1.4, 1.1, 1.0], [0.45, 1.9, 0.8, 1.06, 1.0]])
    second = rng.choice([-1, 1], (2, 5)) * sizes
    second[:, 4] = 1, -1

    def arriving(shape):
        return (rng.choice([-1, 1], shape) * rng.uniform(1.5, 3.0, shape)).round(1)

    return [(x, arriving(x.shape)) for x in (first, second, rng.permutation(first)[:5])]


def _as_weights(x: np.ndarray, arriving: np.ndarray) -> tuple:
    import tensorflow as tf

    return tf.constant(x, tf.float32), tf.constant(arriving, tf.float32)


def _judge_quarters(returned: list, calls: Sequence[tuple]) -> Judgement:
    pairs = [value["items"] if is_a(value, "tuple") else [value, None] for value in returned]
    for value, _ in pairs:
        mistake = _mistake_in_quarters(value)
        if mistake:
            return failed(mistake)
    values, inputs = [as_array(value) for value, _ in pairs], [x for x, _ in calls]
    right = [np.round(4 * x) / 4 for x in inputs]
    if any(value.shape != x.shape for value, x in zip(values, inputs, strict=True)):
        return failed(
            f"You returned {in_words(pairs[0][0])} for x of shape {inputs[0].shape}. Round every "
            "entry by itself, so that the shape stays."
        )
    if not close(values, right):
        return failed(_mistake_in_rounding(values, inputs, right))
    if any(gradient is None for _, gradient in pairs):
        return failed(
            "The values are right, but the gradient is None: no path is left from them to x. "
            "Return the value together with a backward function, under @tf.custom_gradient."
        )
    got = [as_array(gradient) for _, gradient in pairs]
    for gradient, x in zip(got, inputs, strict=True):
        if gradient is None or gradient.shape != x.shape:
            return failed(
                "The values are right, but what backward returns has not the shape of x. Return "
                "`arriving`, entry by entry, where x lies in [-1, 1], and 0 elsewhere."
            )
    return _judge_passed_on(got, calls)


def _mistake_in_quarters(value: Any) -> str | None:
    if value is None:
        return "Your function returned None. Return the rounded tensor."
    if is_a(value, "tuple", "list") and any(is_a(v, "function") for v in value["items"]):
        return (
            f"You returned {in_words(value)}. A pair of a value and a backward function is for "
            "@tf.custom_gradient: put it above the function that returns them."
        )
    if is_a(value, "function"):
        return "You returned a function. Call it on x, and return what it gives."
    if is_a(value, "array"):
        return "You returned NumPy's array, where no tape finds a path. Use tf.round."
    if not is_a(value, "tensor") or as_array(value) is None:
        return f"You returned {in_words(value)}; the rounded tensor was expected."
    return None


def _mistake_in_rounding(values: list, inputs: list, right: list) -> str:
    if close(values, inputs):
        return "These are the values of x itself, not rounded to multiples of 0.25."
    if close(values, [np.round(x) for x in inputs]):
        return "You rounded to whole numbers. Multiply by 4 before, and divide by 4 after."
    if close(values, [np.round(4 * x) for x in inputs]):
        return "The values are four times too large. Divide by 4 after rounding."
    if close(values, [np.floor(4 * x) / 4 for x in inputs]):
        return "You rounded down. Take tf.round, which goes to the nearest."
    if close(values, [np.round(4 * np.clip(x, -1, 1)) / 4 for x in inputs]):
        return (
            "You clipped the values too. Only the gradient is 0 outside [-1, 1]; the value is x, "
            "rounded."
        )
    if close(values, [np.round(x / 4) * 4 for x in inputs]):
        return "These are multiples of 4. Multiply by 4 before rounding, and divide after."
    i = first_difference(values, right)
    k = int(np.argmax(np.abs(values[i] - right[i])))
    return (
        f"For {inputs[i].flat[k]:g} the nearest multiple of 0.25 is {right[i].flat[k]:g}, and you "
        f"returned {values[i].flat[k]:g}. The value is tf.round(4 * x) / 4."
    )


def _judge_passed_on(got: list, calls: Sequence[tuple]) -> Judgement:
    inside = [np.abs(x) <= 1 for x, _ in calls]
    right = [np.where(mask, d, 0.0) for mask, (_, d) in zip(inside, calls, strict=True)]
    if close(got, right):
        return passed("Rounded on the way there, straight through on the way back.")
    mistakes = [
        (
            [d for _, d in calls],
            "You pass on what arrives everywhere. Where x lies outside [-1, 1], pass on 0.",
        ),
        (
            [np.where(mask, 1.0, 0.0) for mask in inside],
            "You return 1 and 0, and drop what arrives. Multiply: backward returns `arriving` "
            "where x lies in [-1, 1].",
        ),
        (
            [np.ones_like(d) for _, d in calls],
            "You return 1 everywhere, and drop what arrives. Pass on `arriving` where x lies in "
            "[-1, 1], and 0 elsewhere.",
        ),
        (
            [np.where(mask, 0.0, d) for mask, (_, d) in zip(inside, calls, strict=True)],
            "Inside and outside are exchanged: pass on where x lies in [-1, 1].",
        ),
        (
            [np.where(np.abs(np.round(4 * x) / 4) <= 1, d, 0.0) for x, d in calls],
            "You look at the rounded value: 1.05 is rounded to 1, but lies outside [-1, 1]. Let "
            "the condition look at x.",
        ),
        (
            [np.clip(d, -1, 1) for _, d in calls],
            "You clip what arrives. It is x that decides: pass on all of it, or 0.",
        ),
        (
            [np.where(x <= 1, d, 0.0) for x, d in calls],
            "Values below -1 still pass on what arrives. Compare the absolute value of x.",
        ),
        (
            [np.where(x >= -1, d, 0.0) for x, d in calls],
            "Values above 1 still pass on what arrives. Compare the absolute value of x.",
        ),
        (
            [np.where(np.abs(x) < 1, d, 0.0) for x, d in calls],
            "At exactly 1 and -1, too, what arrives should go on: [-1, 1] holds both ends. Compare "
            "with <=.",
        ),
        (
            [4 * gradient for gradient in right],
            "The gradient is four times too large. Pass on what arrives as it is.",
        ),
        (
            [gradient / 4 for gradient in right],
            "The gradient is a quarter of what arrives. Pass it on as it is.",
        ),
        (
            [np.zeros_like(d) for _, d in calls],
            "The gradient is 0 everywhere. backward must return `arriving` where x lies in "
            "[-1, 1].",
        ),
    ]
    for values, message in mistakes:
        if close(got, values):
            return failed(message)
    i = first_difference(got, right)
    k = int(np.argmax(np.abs(got[i] - right[i])))
    x, arriving = calls[i]
    return failed(
        f"At x = {x.flat[k]:g}, where {arriving.flat[k]:g} arrives, {right[i].flat[k]:g} should go "
        f"on; your gradient is {got[i].flat[k]:g}. Return `arriving` where x lies in [-1, 1], and "
        "0 elsewhere."
    )


# 03.5 ---------------------------------------------------------------------------------------------


def _draw_pairs(rng: np.random.Generator) -> list[tuple]:
    first = (np.array([[3.0, 4.0], [1.0, 2.0]]), np.array([[0.0, 0.0], [1.0, 2.0]]))

    def draw(n, equal):
        b = rng.uniform(-2, 2, (n, 2)).round(1)
        directions = rng.normal(size=(n, 2))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        distances = rng.uniform(0.7, 3.0, n)
        distances[0] = 0.01  # near, not equal
        distances[n - equal :] = 0.0
        return b + distances[:, None] * directions, b

    return [first, draw(4, 1), draw(5, 2), draw(3, 0)]


def _as_pairs(a: np.ndarray, b: np.ndarray) -> tuple:
    import tensorflow as tf

    return tf.Variable(a, dtype=tf.float32), tf.constant(b, tf.float32)


def _unit(difference: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(difference, axis=1, keepdims=True)
    return np.where(length > 0, difference / np.where(length > 0, length, 1.0), 0.0)


def _judge_distances(returned: list, calls: Sequence[tuple]) -> Judgement:
    if any(value is None for value in returned):
        return failed(
            "Your function returned None. Keep a path of TensorFlow's operations from `a` to "
            "`total`, and return tape.gradient(total, a)."
        )
    got = [as_array(value) for value in returned]
    if any(value is None for value in got):
        return failed(
            f"The gradient of a is one tensor; you returned {in_words(returned[0])}. "
            "Return tape.gradient(total, a), with a itself as the source."
        )
    differences = [a - b for a, b in calls]
    right = [_unit(difference) for difference in differences]
    for value, expected in zip(got, right, strict=True):
        if value.shape != expected.shape:
            return failed(
                f"The gradient has the shape of a, {expected.shape}; you returned "
                f"{value.shape or 'one number'}. Return tape.gradient(total, a)."
            )
    if close(got, right, 3e-3):
        return passed(
            "Where the points are equal the gradient is 0, and elsewhere it is as it was."
        )
    bad = [~np.all(np.isfinite(value), axis=1) for value in got]
    if any(np.any(rows & unit.any(axis=1)) for rows, unit in zip(bad, right, strict=True)):
        return failed(
            "The gradient is not finite even where the points differ. Keep the distance as given, "
            "and add a tiny number such as 1e-12 under the root."
        )
    if any(rows.any() for rows in bad):
        return failed(
            "It is still not finite where the points are equal: 0 stands under the root there, and "
            "its slope is infinite. Add 1e-12 under the root; outside it comes too late."
        )
    return failed(_mistake_in_distances(got, right, differences))


def _mistake_in_distances(got: list, right: list, differences: list) -> str:
    has_equal = [np.any(~difference.any(axis=1)) for difference in differences]
    if all(not value.any() for value in got):
        return "It returns 0 for every pair. Only pairs of equal points have a gradient of 0."
    emptied = [0 * unit if each else unit for unit, each in zip(right, has_equal, strict=True)]
    if close(got, emptied, 3e-3):
        return (
            "One pair of equal points makes the whole gradient 0. Mend the distance of that pair "
            "alone: the other rows have a gradient."
        )
    if close(got, [2 * difference for difference in differences]):
        return "This is the gradient of the squared distances. Keep the root."
    if close(got, [unit / len(unit) for unit in right], 1e-4):
        return "You averaged the distances. Keep their sum."
    if close(got, [-unit for unit in right], 3e-3):
        return "The sign is wrong: this is the gradient with respect to b."
    if close(got, [difference / np.linalg.norm(difference) for difference in differences]):
        return "The squares of all pairs are under one root. Sum over axis=1, one root a pair."
    columns = [np.linalg.norm(difference, axis=0) for difference in differences]
    if close(got, [d / np.where(c > 0, c, 1) for d, c in zip(differences, columns, strict=True)]):
        return "The squares are added up down the columns. Sum over axis=1: one root a pair."
    if close(got, [np.sign(difference) for difference in differences]):
        return "This is the gradient of |a - b|, entry by entry. Keep squares, sum and root."
    for value, difference in zip(got, differences, strict=True):
        equal = ~difference.any(axis=1)
        if value[equal].any():
            row = int(np.argmax(np.any(value != 0, axis=1) & equal))
            return (
                f"Where both points are equal you return {np.round(value[row], 3).tolist()}, and "
                "[0, 0] was expected. Add the tiny number to the sum of squares, and not to a - b."
            )
    near = [np.linalg.norm(difference, axis=1) < 0.1 for difference in differences]
    triples = list(zip(got, right, near, strict=True))
    far_agree = all(np.allclose(g[~mask], r[~mask], atol=0.01) for g, r, mask in triples)
    near_differ = any(not np.allclose(g[mask], r[mask], atol=3e-3) for g, r, mask in triples)
    if far_agree and near_differ and all(not g[mask].any() for g, _, mask in triples):
        return (
            "Points 0.01 apart differ, and their gradient is 0 here. Let your condition be true "
            "for equal points alone."
        )
    too_short = all(np.all(np.linalg.norm(g[mask], axis=1) < 1) for g, _, mask in triples)
    if far_agree and near_differ and too_short:
        return (
            "Far and equal points are right, but for points 0.01 apart the gradient is too short. "
            "The number added under the root is too large for them: 1e-12 is enough."
        )
    i = first_difference(got, right, 3e-3)
    row = int(np.argmax(np.max(np.abs(got[i] - right[i]), axis=1)))
    return (
        f"For a - b = {np.round(differences[i][row], 3).tolist()} the gradient is "
        f"{np.round(right[i][row], 3).tolist()}, and you returned "
        f"{np.round(got[i][row], 3).tolist()}. Keep the distance as given, and mend it at 0 only."
    )


EXERCISES = (
    FunctionExercise(
        id="03.1",
        title="A second step without a gradient",
        kind="repair",
        points=2,
        draw_calls=_draw_descents,
        prepare=_as_descent,
        judge=_judge_descent,
    ),
    ValueExercise(
        id="03.2",
        title="None, a number, or the wrong number",
        kind="predict",
        points=2,
        judge=_judge_five,
    ),
    FunctionExercise(
        id="03.3",
        title="Accuracy as a loss",
        kind="repair",
        points=2,
        draw_calls=_draw_classifiers,
        prepare=_as_classifier,
        judge=_judge_classifier,
    ),
    FunctionExercise(
        id="03.4",
        title="Straight through a rounding",
        kind="complete",
        points=3,
        draw_calls=_draw_weights,
        prepare=_as_weights,
        call=_value_and_gradient,
        judge=_judge_quarters,
    ),
    FunctionExercise(
        id="03.5",
        title="NaN where two points are equal",
        kind="repair",
        points=2,
        draw_calls=_draw_pairs,
        prepare=_as_pairs,
        judge=_judge_distances,
    ),
)

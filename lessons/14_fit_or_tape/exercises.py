"""The questions of lesson 14: a loss for compile, an own train_step, a penalty, and the choice."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_utils.exercises.observation import calls_noted
from course_utils.exercises.question import Demand, Part, Prediction, Question
from course_utils.exercises.readings import Other

PENALTY, RATE = 0.1, 0.1  # of 14.2: times the sum of the squared weights; the step size


def draw_orders(rng: np.random.Generator) -> list[tuple]:
    def draw(n: int, k: int, sign: int) -> tuple:
        y = rng.uniform(2, 6, size=(n, k))
        error = rng.uniform(0.5, 2, size=(n, k)) * rng.choice([-1, 1], size=(n, k))
        error[0], error[1] = abs(error[0]), -abs(error[1])  # too little, too much
        error *= sign * np.sign(np.sum(error))  # too little in the mean of one batch alone
        return y.round(1), (y - error).round(1)

    return [draw(4, 3, 1), draw(6, 2, -1)]


def as_orders(y: np.ndarray, y_hat: np.ndarray) -> tuple:
    import tensorflow as tf

    return tf.constant(y, tf.float32), tf.constant(y_hat, tf.float32)


def called_as_in_fit(cost: Callable, y: Any, y_hat: Any) -> Any:
    """Return what the loss returns in a graph; it is called without one first, for plain errors."""
    import tensorflow as tf

    cost(y, y_hat)
    return tf.function(cost)(y, y_hat)


def draw_steps(rng: np.random.Generator) -> list[tuple]:
    def draw(loss: str, n: int) -> tuple:
        w = rng.uniform(0.5, 1.5, size=(3, 1)) * rng.choice([-1, 1], size=(3, 1))
        x = rng.normal(1, 2, size=(n, 3))
        y = rng.normal(3, 2, size=(n, 1))
        return loss, w, float(rng.uniform(0.5, 1.5)), x, y, np.linspace(0.2, 1.4, n)

    return [draw("function", 5), draw("object", 8)]


def as_step(kind: str, w: np.ndarray, b: float, *data: np.ndarray) -> tuple:
    import keras
    import tensorflow as tf

    def compiled_loss_function(y, y_hat):
        return tf.reduce_mean(tf.maximum(y - y_hat, (y_hat - y) / 2), axis=-1)  # (n,)

    class CompiledLoss(keras.losses.Loss):
        def call(self, y_true, y_pred):
            return compiled_loss_function(y_true, y_pred)

    compiled_loss_function.__qualname__ = compiled_loss_function.__name__  # errors quote it
    last = keras.layers.Dense(1, kernel_regularizer=keras.regularizers.L2(PENALTY))
    norm = keras.layers.BatchNormalization(center=False, scale=False)
    model = keras.Sequential([keras.Input((3,)), norm, last])
    last.set_weights([w, np.array([b])])
    loss = compiled_loss_function if kind == "function" else CompiledLoss()
    model.compile(keras.optimizers.SGD(RATE), loss)
    model.optimizer.build(model.trainable_variables)
    return model, tuple(tf.constant(array, tf.float32) for array in data)


def stepped(step: Callable, model: Any, data: tuple) -> dict:
    """Return what one step in a graph did, as fit calls it.

    It is called without a graph first, for plain errors.
    """
    import keras
    import tensorflow as tf

    before = model.get_weights()
    with calls_noted(keras.Model, "train_step") as steps_of_keras:
        step(model, data)
    model.set_weights(before)
    returned = tf.function(step, autograph=False)(model, data)
    changes = [after - start for after, start in zip(model.get_weights(), before, strict=True)]
    names = [variable.name for variable in model.weights]
    change = dict(zip(names, changes, strict=True))
    return {
        "change": {name: change.pop(name) for name in ("kernel", "bias")},
        "averages": change,
        "returned": returned,
        "by keras": bool(steps_of_keras),
    }


def logged_loss(reading: Any, *call: Any) -> Any:
    is_number = isinstance(reading, np.ndarray)
    return Other("number without a dict") if is_number else reading["loss"]


def draw_critics(rng: np.random.Generator) -> list[tuple]:
    def draw(kind: str, n: int, d: int) -> tuple:
        w = rng.uniform(0.4, 1.5, size=d) * rng.choice([-1, 1], size=d)
        x = rng.uniform(0.4, 2, size=(n, d)) * rng.choice([-1, 1], size=(n, d))
        return kind, w.round(2), x.round(1)

    kind, w, x = draw("quadratic", 3, 3)
    # The slopes of one example are zero. Those of the others are so short that a number inside
    # the root shows where it is larger than 1e-6.
    x *= rng.uniform(2.1, 2.3, (3, 1)) / np.linalg.norm(2 * w * x, axis=1, keepdims=True)
    x[0] = 0.0
    return [draw("quadratic", 5, 3), draw("linear", 4, 2), (kind, w, x)]


def as_critic(kind: str, w: np.ndarray, x: np.ndarray) -> tuple:
    import tensorflow as tf

    w, x = tf.Variable(w, dtype=tf.float32), tf.constant(x, tf.float32)
    power = 2 if kind == "quadratic" else 1
    return lambda batch: tf.reduce_sum(w * batch**power, axis=1), w, x


def penalty_and_tapes(function: Callable, critic: Callable, w: Any, x: Any) -> dict:
    """Return what the function returned, and of what tapes gave a gradient."""
    import tensorflow as tf

    with (
        calls_noted(tf.GradientTape, "gradient") as gradients,
        calls_noted(tf.autodiff.ForwardAccumulator, "jvp") as jvps,
    ):
        returned = function(critic, w, x)
    of_w = [any(s is w for s in tf.nest.flatten(call["sources"])) for call in gradients]
    return {
        "returned": returned,
        "tape for w": any(of_w),
        "slopes by tape": not all(of_w) or bool(jvps),
    }


def of_two(i: int) -> Callable:
    def read(reading: Any, *call: Any) -> Any:
        if isinstance(reading, np.ndarray) and reading.ndim == 0:
            return Other("number alone")
        if len(reading) != 2:
            raise ValueError(len(reading))
        return reading[i] if isinstance(reading, list) else np.asarray(reading[i])

    return read


PAIR = "Return the penalty and its gradient with respect to w, as a tuple."
LOGS = 'fit needs a dict: return {"loss": loss}.'

EXERCISES = (
    Question(
        id="14.1",
        title="A loss for compile",
        kind="complete",
        points=2,
        draw=draw_orders,
        prepare=as_orders,
        call=called_as_in_fit,
        inputs="y y_hat",
        parts=[Part(words="the cost", form="Return one cost for each example, of shape (n,).")],
        praise="One cost for each example, so that compile can weigh and average them.",
    ),
    Question(
        id="14.2",
        title="What a train_step leaves out",
        kind="repair",
        points=3,
        draw=draw_steps,
        prepare=as_step,
        call=stepped,
        parts=[
            Part("change", "the change of the last layer's weights"),
            Part("averages", "the change of batch normalisation's averages"),
            Part("returned", "the loss in the dict", LOGS, read=logged_loss),
        ],
        demands=[
            Demand(
                "keras's own step",
                "The numbers are right, but it was Keras that took the step, with its own "
                "train_step. Take it yourself: a tape around the call of the model and the loss, "
                "tape.gradient, and model.optimizer.apply.",
                lambda noted: not any(noted["by keras"]),
            )
        ],
        praise="It updates the weights as Keras's own step does, whatever loss was compiled.",
    ),
    Question(
        id="14.3",
        title="A gradient penalty for a critic",
        kind="complete",
        points=3,
        draw=draw_critics,
        prepare=as_critic,
        call=penalty_and_tapes,
        inputs="critic w x",
        parts=[
            Part("returned", "the penalty", PAIR, read=of_two(0)),
            Part("returned", "the gradient of w", PAIR, read=of_two(1)),
        ],
        demands=[
            Demand(
                "no tapes",
                "The values are right, but no tape gave the slopes, or none the gradient of w. "
                "Differences depend on a step size: nest two tapes.",
                lambda noted: all(noted["tape for w"]) and all(noted["slopes by tape"]),
            )
        ],
        praise="A penalty that trains, also where the critic is flat.",
    ),
    Prediction(
        id="14.4",
        title="fit, train_step or loop",
        kind="predict",
        points=1,
        form='Write a list of five strings, each "fit", "train_step" or "loop"',
        entries=(
            "noise on each gradient",
            "projected gradients",
            "more noise on the inputs",
            "critic and generator",
            "three step sizes",
        ),
        praise="The smallest means for each, and one loop among five.",
    ),
)

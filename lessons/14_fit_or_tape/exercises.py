"""The questions of lesson 14: a loss, a clipping, a penalty, two optimizers, and a script."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_utils.exercises import (
    Callout,
    Demand,
    Other,
    Part,
    Question,
    ValueQuestion,
    calls_noted,
    constants,
    traced_anew,
)

PENALTY, RATE = 0.1, 0.1  # times the sum of the squared weights; the step size
SCALE = 8.0  # of the loss, where an optimizer scales it


def draw_orders(rng: np.random.Generator) -> list[tuple]:
    def draw(n: int, k: int, sign: int) -> tuple:
        y = rng.uniform(2, 6, size=(n, k))
        error = rng.uniform(0.5, 2, size=(n, k)) * rng.choice([-1, 1], size=(n, k))
        error[0], error[1] = abs(error[0]), -abs(error[1])  # too little, too much
        error *= sign * np.sign(np.sum(error))  # too little in the mean of one batch alone
        return y.round(1), (y - error).round(1)

    return [draw(4, 3, 1), draw(6, 2, -1)]


def called_as_in_fit(cost: Callable, y: Any, y_hat: Any) -> Any:
    """Return what the loss returns in a graph; it is called without one first, for plain errors."""
    import tensorflow as tf

    cost(y, y_hat)
    return tf.function(cost)(y, y_hat)


def draw_optimizers(rng: np.random.Generator) -> list[tuple]:
    """Draw a variable, gradients for it, and how the optimizer is set up."""

    def draw(kind: str, setting: str, *shape: int, size: float = 1.0) -> tuple:
        w = size * rng.uniform(0.5, 1.5, shape) * rng.choice([-1, 1], shape)
        long = rng.uniform(0.5, 1.5, (2, *shape)) * rng.choice([-1, 1], shape)
        short = 0.02 * rng.uniform(0.5, 1.5, (2, *shape))
        return kind, setting, float(rng.uniform(0.05, 0.2)), w, [*long, *short]

    return [
        draw("SGD", "", 3),
        draw("SGD", "scaled", 2, 2),
        draw("SGD", "accumulated", 4),
        draw("momentum", "", 3),
        draw("SGD", "", 2, size=0.0),  # as a new bias: its length counts as the least
    ]


def as_optimizer(kind: str, setting: str, rate: float, w: np.ndarray, gradients: list) -> tuple:
    import keras

    class Momentum(keras.optimizers.SGD):
        def __init__(self, rate: float = 0.01, **options: Any):
            super().__init__(rate, momentum=0.5, **options)

    options = {
        "scaled": {"loss_scale_factor": SCALE},
        "accumulated": {"gradient_accumulation_steps": 2},
    }.get(setting, {})
    factor = SCALE if setting == "scaled" else 1.0
    optimizer = Momentum if kind == "momentum" else keras.optimizers.SGD
    scaled = list(constants(*(factor * gradient for gradient in gradients)))
    return optimizer, rate, options, keras.Variable(w.astype("float32"), name="w"), scaled


def compiled_as_in_fit(function: Callable) -> Callable:
    import tensorflow as tf

    return tf.function(function, autograph=False)


def updates(
    adaptive: Callable, optimizer: type, rate: float, options: dict, w: Any, gradients: list
) -> list:
    """Return how much each gradient changed the variable.

    With options in a graph, as in fit; the first call has none, for plain errors.
    """
    own_class, changes = adaptive(optimizer), []
    if not isinstance(own_class, type):
        return []
    own = own_class(rate, **options)
    own.build([w])

    def apply(gradient: Any) -> None:
        own.apply([gradient], [w])

    if options:
        apply = compiled_as_in_fit(apply)
    for gradient in gradients:
        before = w.numpy()
        try:
            apply(gradient)
        except RecursionError:  # its own message hangs on where the stack ended
            raise RecursionError("update_step calls what called it, without end") from None
        changes.append(w.numpy() - before)
    return changes


def draw_steps(rng: np.random.Generator) -> list[tuple]:
    def draw(loss: str, n: int) -> tuple:
        w = rng.uniform(0.5, 1.5, size=(3, 1)) * rng.choice([-1, 1], size=(3, 1))
        x = rng.normal(1, 2, size=(n, 3))
        y = rng.normal(3, 2, size=(n, 1))
        return loss, w, float(rng.uniform(0.5, 1.5)), x, y, np.linspace(0.2, 1.4, n)

    return [draw("function", 5), draw("object", 8)]


def compiled_loss(kind: str) -> Any:
    """Return a loss for compile, a function or an object."""
    import keras
    import tensorflow as tf

    def compiled_loss_function(y, y_hat):
        return tf.reduce_mean(tf.maximum(y - y_hat, (y_hat - y) / 2), axis=-1)  # (n,)

    class CompiledLoss(keras.losses.Loss):
        def call(self, y_true, y_pred):
            return compiled_loss_function(y_true, y_pred)

    compiled_loss_function.__qualname__ = compiled_loss_function.__name__  # errors quote it
    return compiled_loss_function if kind == "function" else CompiledLoss()


def as_step(kind: str, w: np.ndarray, b: float, *data: np.ndarray) -> tuple:
    import keras

    last = keras.layers.Dense(1, kernel_regularizer=keras.regularizers.L2(PENALTY))
    norm = keras.layers.BatchNormalization(center=False, scale=False)
    model = keras.Sequential([keras.Input((3,)), norm, last])
    last.set_weights([w, np.array([b])])
    model.compile(keras.optimizers.SGD(RATE), compiled_loss(kind))
    model.optimizer.build(model.trainable_variables)
    return model, constants(*data)


def stepped(step: Callable, model: Any, data: tuple) -> dict:
    """Return what one step did, and by which factors it differs where the loss is scaled.

    Where an object was compiled, the second step runs in a graph, as in fit.
    """
    import keras

    before, compiled = model.get_weights(), model.loss
    change, returned = changed_by(step, model, data)
    model.set_weights(before)
    model.compile(keras.optimizers.SGD(RATE, loss_scale_factor=SCALE), compiled)
    model.optimizer.build(model.trainable_variables)
    step = traced_anew(step)  # a trace would keep the other optimizer
    if isinstance(compiled, keras.losses.Loss):
        step = compiled_as_in_fit(step)
    scaled_change, scaled_loss = changed_by(step, model, data)
    by_name = dict(zip([variable.name for variable in model.weights], change, strict=True))
    at = list(by_name).index("kernel")
    lengths = np.linalg.norm(scaled_change[at]), np.linalg.norm(change[at])
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = [np.divide(*lengths), np.divide(loss_in(scaled_loss), loss_in(returned))]
    return {
        "change": {name: by_name.pop(name) for name in ("kernel", "bias")},
        "averages": by_name,
        "returned": returned,
        "scaled": factors,
    }


def changed_by(step: Callable, model: Any, data: tuple) -> tuple[list, Any]:
    """Return how one step changes each of the weights, and what it returned."""
    before = model.get_weights()
    returned = step(model, data)
    pairs = zip(model.get_weights(), before, strict=True)
    return [after - start for after, start in pairs], returned


def loss_in(returned: Any) -> float:
    """Return the loss that a step returned, in a dict or alone; not a number where there is none."""
    loss = returned.get("loss") if isinstance(returned, dict) else returned
    return float("nan") if loss is None or np.size(loss) != 1 else float(np.reshape(loss, ()))


def draw_two(rng: np.random.Generator) -> list[tuple]:
    def draw(
        frozen: str, loss: str, n: int, body_scale: float, head_scale: float, *shapes: tuple
    ) -> tuple:
        weights = [
            0.5 * rng.uniform(0.5, 1.5, shape) * rng.choice([-1, 1], shape) for shape in shapes
        ]
        rates = [float(rate) for rate in rng.uniform([0.05, 0.2], [0.1, 0.3])]
        x, y = rng.normal(0.5, 1, (n, 3)), rng.normal(3, 1, (n, 1))
        scales = [body_scale, head_scale]
        return frozen, loss, weights, rates, scales, x, y, np.linspace(0.2, 1.4, n)

    # Without biases, and the first layer frozen, with them, and with the last layer frozen: a slice
    # of the variables is not right for all three.
    kernels = (3, 4), (4, 2), (2, 1)
    with_biases = (3, 4), (4,), (4, 2), (2,), (2, 1), (1,)
    return [
        draw("first", "function", 5, 1.0, 1.0, *kernels),
        draw("", "object", 6, 8.0, 2.0, *with_biases),
        draw("last", "function", 4, 1.0, 1.0, *kernels),
    ]


def as_two(
    frozen: str, loss: str, weights: list, rates: list, scales: list, *data: np.ndarray
) -> tuple:
    import keras

    class ScaleInTraining(keras.layers.Layer):
        passes = 0

        def call(self, inputs, training=False):
            self.passes += 1
            return 1.5 * inputs if training else inputs

    penalties = keras.regularizers.L2(PENALTY)
    widths = [each.shape[1] for each in weights if each.ndim == 2]
    biased = {"use_bias": len(weights) > len(widths)}
    hidden = [keras.layers.Dense(width, "tanh", **biased) for width in widths[:-1]]
    last = keras.layers.Dense(widths[-1], **biased)
    (hidden[-1] if frozen == "last" else last).kernel_regularizer = penalties
    model = keras.Sequential([keras.Input((3,)), ScaleInTraining(), *hidden, last])
    model.set_weights(weights)
    body, head = (
        keras.optimizers.SGD(rate, loss_scale_factor=scale)
        for rate, scale in zip(rates, scales, strict=True)
    )
    model.compile(body, compiled_loss(loss))
    model.head_optimizer = head
    body.build(model.trainable_variables)
    head.build(model.trainable_variables)
    if frozen:
        model.layers[1 if frozen == "first" else -1].trainable = False
    return model, constants(*data)


def stepped_by_two(step: Callable, model: Any, data: tuple) -> dict:
    """Return what one step did to the layers before the last, and to the last.

    Where an object was compiled, it runs in a graph, as in fit.
    """
    import keras

    if isinstance(model.loss, keras.losses.Loss):
        step = compiled_as_in_fit(step)
    before = model.layers[0].passes
    change, returned = changed_by(step, model, data)
    passes = model.layers[0].passes - before
    of_last = len(model.layers[-1].get_weights())
    body, head = change[:-of_last], change[-of_last:]
    return {"body": body, "head": head, "returned": returned, "passes": passes}


def logged_loss(reading: Any, *call: Any) -> Any:
    is_number = isinstance(reading, np.ndarray)
    return Other("number without a dict") if is_number else reading["loss"]


def draw_runs(rng: np.random.Generator) -> list[tuple]:
    """Draw runs that each show one fault of the script: elsewhere that fault changes nothing.

    Errors are far beyond 1 and of one sign, so that neither the slope of small errors nor a table
    of all errors shows; rates are constant, the first layer is frozen, and nothing is regularised.
    Only the last run, for the penalty of the first layer, shows other faults, too.
    """

    def draw(kind: str, n: int = 4, size: int = 2, rates: tuple = (0.1, 0.1)) -> tuple:
        kernels = [rng.uniform(0.3, 0.9, shape) for shape in ((3, 2), (2, 1))]
        x, x_val = rng.uniform(0.3, 1.5, (n, 3)), rng.uniform(0.3, 1.5, (3, 3))
        y, y_val = rng.uniform(5, 8, n), rng.uniform(5, 8, 3)
        if kind == "shapes":
            y[::size] *= -1
            y_val[0], x_val[0] = -y_val[0], 0.0  # which a table of errors would count thrice
        elif kind == "small errors":
            y = np.tanh(x @ kernels[0]) @ kernels[1][:, 0] + rng.uniform(0.3, 0.6, n)
        elif kind == "short batch":
            y[-(n % size) :] += 4
        return kind, kernels, x, y, x_val, y_val, list(rates), size

    return [
        draw("training"),
        draw("penalty"),
        draw("shapes"),
        draw("small errors", size=1, rates=(0.05,)),
        draw("rates", rates=(0.1, 0.02)),
        draw("short batch", n=5, size=3, rates=(0.1,)),
        draw("training first"),
        draw("penalty first"),
    ]


def as_run(kind: str, kernels: list, *data: Any) -> tuple:
    import keras

    class ScaleInTraining(keras.layers.Layer):
        def call(self, inputs, training=False):
            return 1.5 * inputs if training else inputs

    penalty = keras.regularizers.L2(0.1)
    # The short batch is a run of one epoch, which has room for one more fault.
    first = keras.layers.Dense(
        2, "tanh", use_bias=False,
        trainable=kind in ("short batch", "penalty first"),
        kernel_regularizer=penalty if kind == "penalty first" else None,
    )  # fmt: skip
    last = keras.layers.Dense(
        1, use_bias=False, kernel_regularizer=penalty if kind == "penalty" else None
    )
    before = [ScaleInTraining()] if kind == "training first" else []
    between = [ScaleInTraining()] if kind == "training" else []
    model = keras.Sequential([keras.Input((3,)), *before, first, *between, last])
    first.set_weights([kernels[0]])
    last.set_weights([kernels[1]])
    *arrays, rates, size = data
    return model, *constants(*arrays), rates, size


def trained(train: Callable, model: Any, *data: Any) -> dict:
    """Return how a script changed the weights, and the history that it returned."""
    import warnings

    import keras

    before = model.get_weights()
    with warnings.catch_warnings(), calls_noted(keras.Model, "fit") as fits:
        warnings.simplefilter("ignore")  # of a missing gradient: to find it is the task
        history = train(model, *data)
    pairs = zip(model.get_weights(), before, strict=True)
    change = [after - start for after, start in pairs]
    return {"change": change, "history": history, "fits": len(fits)}


def losses_of(key: str) -> Callable:
    def read(history: Any, *call: Any) -> Any:
        is_list = isinstance(history, np.ndarray)
        return Other("list without a dict") if is_list else history[key]

    return read


HISTORY = 'Return the dict `{"loss": [...], "val_loss": [...]}`, with one number per epoch.'
LOGS = '`fit` needs a dict: return `{"loss": loss}`.'


def draw_trainings(rng: np.random.Generator) -> list[tuple]:
    def draw(n: int, steps: int, trained: bool = False) -> tuple:
        weights = [rng.normal(size=shape).round(2) for shape in ((3, 2), (2,), (2, 1), (1,))]
        x, y = rng.normal(size=(n, 3)).round(2), rng.normal(size=(n, 1)).round(2)
        if trained:  # so that Adam's first steps, of its whole rate, make the loss rise
            kernel, bias, last, last_bias = weights
            y = (np.tanh(x @ kernel + bias) @ last + last_bias + 0.05 * y).round(3)
        return weights, x, y, steps

    return [draw(6, 4), draw(4, 6), draw(5, 5, trained=True)]


def as_training(weights: list, x: np.ndarray, y: np.ndarray, steps: int) -> tuple:
    import keras

    hidden, last = keras.layers.Dense(2, activation="tanh"), keras.layers.Dense(1)
    model = keras.Sequential([keras.Input((3,)), hidden, last])
    model.set_weights(weights)
    return model, *constants(x, y), steps


def trained_by(train: Callable, model: Any, *arguments: Any) -> dict:
    losses = train(model, *arguments)
    return {"weights": model.get_weights(), "losses": losses}


EXERCISES = (
    Question(
        id="14.2",
        title="Adaptive clipping in an optimizer",
        kind="repair",
        points=2,
        draw=draw_optimizers,
        prepare=as_optimizer,
        call=updates,
        parts=[Part(words="the list of changes to a variable, one for each applied gradient")],
        praise="Your class clips after scaling and accumulation, under any optimizer.",
    ),
    Question(
        id="14.3",
        title="What a train_step leaves out",
        kind="repair",
        points=3,
        draw=draw_steps,
        prepare=as_step,
        call=stepped,
        parts=[
            Part("change", "the change in the last layer's weights"),
            Part("averages", "the change in batch normalization's averages"),
            Part("returned", "the loss in the dict", LOGS, read=logged_loss),
            Part(
                "scaled",
                "the factor by which loss scaling multiplies the change and the returned loss",
            ),
        ],
        praise=(
            "Your step adds its extra penalty and keeps the rest: the compiled loss, sample "
            "weights and loss scaling."
        ),
    ),
    ValueQuestion(
        id="14.5",
        title="fit, train_step or loop",
        kind="predict",
        points=1,
        form='Write a list of five strings, each "fit", "train_step" or "loop"',
        entries=(
            "noise on each gradient",
            "projected gradients",
            "more noise on the inputs",
            "a gradient at other weights",
            "three step sizes",
        ),
        praise="You found the simplest option for each of the five tasks, and only one needs a "
        "loop.",
    ),
    Question(
        id="14.1",
        title="A loss for compile",
        kind="complete",
        points=2,
        draw=draw_orders,
        prepare=constants,
        call=called_as_in_fit,
        inputs="y y_hat",
        parts=[Part(words="the cost", form="Return one cost per example, with shape (n,).")],
        praise="You return one cost per example, so `compile` can weight and average them.",
    ),
    Question(
        id="14.4",
        title="A step with two optimizers",
        kind="complete",
        points=3,
        draw=draw_two,
        prepare=as_two,
        call=stepped_by_two,
        parts=[
            Part("body", "the change in the weights of the layers before the last"),
            Part("head", "the change in the last layer's weights"),
            Part("returned", "the loss in the dict", LOGS, read=logged_loss),
        ],
        demands=[
            Demand(
                "called twice",
                "The update is right, but you call the model more than once, which updates "
                "batch normalization's averages each time. Compute both gradients from one "
                "forward pass.",
                lambda noted: max(noted["passes"]) <= 1,
            )
        ],
        praise=("You use one forward pass, one loss, and two optimizers, each with its own scale."),
    ),
    Question(
        id="14.6",
        title="A script that should do what fit does",
        kind="repair",
        points=5,
        draw=draw_runs,
        prepare=as_run,
        call=trained,
        parts=[
            Part("change", "the change in the weights"),
            Part("history", "the training loss of each epoch", HISTORY, read=losses_of("loss")),
            Part(
                "history", "the validation loss of each epoch", HISTORY, read=losses_of("val_loss")
            ),
        ],
        demands=[
            Demand(
                "fit called",
                "The weights and the history are right, because `fit` computed them. Fix the loop "
                "in `train`, so that it does the same without calling `fit`.",
                lambda noted: not any(noted["fits"]),
            )
        ],
        praise=(
            "Your script ends with the weights and the history of `fit`. You have completed "
            "Parts I and II."
        ),
    ),
    Question(
        id="14.7",
        title="A loss that never converges",
        kind="repair",
        points=0,
        draw=draw_trainings,
        prepare=as_training,
        call=trained_by,
        inputs="weights x y steps",
        parts=[
            Part("weights", "the weights after the last step"),
            Part("losses", "the list of losses", "Return a list with one number per step."),
        ],
        praise="Adam keeps its averages from step to step, so the loss converges.",
    ),
)

PREDICTIONS = (
    Callout(
        "14.b",
        right="1",
        options={
            "3": "The weights are right in plain training, so all three promises seem safe. But "
            "that is training without loss scaling or accumulation.",
            "2": "Accumulation looks like a part of `fit`, so it seems safe. But the optimizer "
            "accumulates the gradients, after `apply` is called.",
            "0": "0 would mean that sample weights are also lost. But the loss is weighted "
            "before the optimizer sees it, so they still apply.",
            "1": "Sample weights are in the loss, so they still apply. But clipping in `apply` "
            "comes too early: the gradients are still 8 times too large, and those of each batch "
            "are clipped separately.",
        },
    ),
    Callout(
        "14.a",
        right="1",
        options={
            "48": "Two gradients are missing in each of the 48 steps, and in your own loop "
            "each `apply` would give a warning. But `fit` traces the step into a graph once.",
            "3": "Logs often appear once per epoch. But the step that `fit` traces does not "
            "know about epochs.",
            "1": "A warning comes from Python, and the Python code of a step runs only during "
            "tracing. One line at the start is the only sign of a layer that never learns.",
            "0": "A graph gives no Python warnings while it runs. But tracing it runs your Python "
            "code once.",
        },
    ),
)

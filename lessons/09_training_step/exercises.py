"""The questions of lesson 09: a step, what hides in one, a stale metric, and accumulation."""

from collections.abc import Callable, Sequence
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
)


def build(weights: dict, rate: float, before: Sequence) -> tuple:
    """Return a model of three numbers, whose last layer is regularised, and an SGD.

    It has two penalties, so that its list of them is no number.
    """
    import keras

    penalties = {f"{name}_regularizer": keras.regularizers.L2(0.1) for name in ("kernel", "bias")}
    hidden = keras.layers.Dense(2, activation="tanh", name="hidden")
    last = keras.layers.Dense(1, name="last", **penalties)
    model = keras.Sequential([keras.Input((3,)), *before, hidden, last])
    hidden.set_weights(weights["hidden"])
    last.set_weights(weights["last"])
    return model, keras.optimizers.SGD(rate)


def layer_that_trains() -> Any:
    """Return a layer that scales in training, each example by itself, and else does nothing.

    ``seen`` counts the examples of its calls, where their number is fixed.
    """
    import keras

    class ScaleInTraining(keras.layers.Layer):
        seen = 0

        def call(self, inputs, training=False):
            self.seen += inputs.shape[0] or 0
            return 1.5 * inputs if training else inputs

    return ScaleInTraining()


def draw_weights(rng: np.random.Generator) -> dict:
    def draw(*shape):
        return rng.uniform(0.5, 1.5, shape) * rng.choice([-1, 1], shape)

    return {"hidden": [0.5 * draw(3, 2), 0.5 * draw(2)], "last": [draw(2, 1), draw(1)]}


def draw_examples(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    return rng.normal(0.5, 1, size=(n, 3)), rng.normal(2, 1, size=(n, 1))


def draw_steps(rng: np.random.Generator) -> list[tuple]:
    def draw(n, rate, unit):
        x, y = draw_examples(rng, n)
        return draw_weights(rng), rate, x, unit * y

    # In the third call the gradients are so large that clipping them shows.
    return [draw(4, 0.1, 1), draw(7, 0.05, 1), draw(3, 0.1, 20)]


def draw_silent_steps(rng: np.random.Generator) -> list[tuple]:
    return [(*drawn, y[:, 0]) for *drawn, y in draw_steps(rng)]


def as_step(weights: dict, rate: float, x: np.ndarray, y: np.ndarray) -> tuple:
    return *build(weights, rate, [layer_that_trains()]), *constants(x, y)


def as_silent_step(weights: dict, rate: float, x: np.ndarray, y: np.ndarray) -> tuple:
    import keras

    norm = keras.layers.BatchNormalization(center=False, scale=False, name="norm")
    return *build(weights, rate, [norm]), *constants(x, y)


def step_taken(step: Callable, model: Any, optimizer: Any, *arguments) -> dict:
    """Return how the weights changed, what came back, and who took how many steps."""
    import keras

    before, averages = weights_of(model), [v.numpy() for v in model.non_trainable_variables]
    with calls_noted(keras.Model, "train_step") as steps_of_keras:
        returned = step(model, optimizer, *arguments)
    pairs = zip(model.non_trainable_variables, averages, strict=True)
    return {
        "change": changes(model, before),
        "loss": returned,
        "averages": [v.numpy() - start for v, start in pairs],
        "by keras": len(steps_of_keras) > 0,
        "updates": int(optimizer.iterations),
    }


def weights_of(model: Any) -> dict:
    """Return the values of the variables that are trained, by the names of layer and variable."""
    return {" ".join(v.path.split("/")[-2:]): v.numpy() for v in model.trainable_variables}


def changes(model: Any, before: dict) -> dict:
    return {name: after - before[name] for name, after in weights_of(model).items()}


CHANGE = Part("change", "the change in the weights")
LOSS = Part(
    "loss", "the loss that you return", "The update is right. Return the loss as one number."
)
OWN_STEP = Demand(
    "keras's own step",
    "The numbers are right, but Keras's own `train_step` took the step. Write it yourself: a "
    "tape, the loss, `tape.gradient`, and `optimizer.apply`.",
    lambda noted: not any(noted["by keras"]),
)
ONE_UPDATE = Demand(
    "not one update",
    "The numbers are right for SGD, but the given optimizer took no step or several, so another "
    "optimizer would lead to other weights. Sum the gradients first, and call `optimizer.apply` "
    "exactly once.",
    lambda noted: all(updates == 1 for updates in noted["updates"]),
)


def draw_epochs(rng: np.random.Generator) -> list[tuple]:
    def draw(sizes, count):
        # The last batch of an epoch stands out, and epochs differ.
        return [
            [rng.uniform(1, 2, n) + 6 / (1 + epoch) + 3 * (n == sizes[-1]) for n in sizes]
            for epoch in range(count)
        ]

    return [(draw((4, 4, 1), 3),), (draw((5, 2), 2),)]


def as_epochs(epochs: list) -> tuple:
    import keras

    return keras.metrics.Mean(), [list(constants(*batches)) for batches in epochs]


def draw_parts(rng: np.random.Generator) -> list[tuple]:
    def draw(sizes, rate):
        return draw_weights(rng), rate, tuple(draw_examples(rng, n) for n in sizes)

    return [draw((5, 2), 0.1), draw((1, 3, 6), 0.05)]


def as_parts(weights: dict, rate: float, parts: tuple) -> tuple:
    return *build(weights, rate, [layer_that_trains()]), [constants(*part) for part in parts]


def accumulated(step: Callable, model: Any, optimizer: Any, parts: list) -> dict:
    """Return how the weights changed, and how the step went through the parts.

    ``one tape`` says whether a tape held several parts: all examples were seen one by one, and
    fewer tapes than parts were asked. A tape that was reset is a new one.
    """
    import tensorflow as tf

    before, tape = weights_of(model), tf.GradientTape
    with calls_noted(tape, "gradient") as gradients, calls_noted(tape, "reset") as resets:
        step(model, optimizer, parts)
    tapes = len({id(gradient["self"]) for gradient in gradients}) + len(resets)
    saw_all = model.layers[0].seen >= sum(len(x) for x, _ in parts)
    return {
        "change": changes(model, before),
        "one tape": saw_all and 0 < tapes < len(parts),
        "updates": int(optimizer.iterations),
    }


EXERCISES = (
    Question(
        id="09.1",
        title="A step for a regression",
        kind="complete",
        points=2,
        draw=draw_steps,
        prepare=as_step,
        call=step_taken,
        inputs="weights rate x y",
        parts=[CHANGE, LOSS],
        demands=[OWN_STEP, ONE_UPDATE],
        praise="The weights after the step, and the loss, are those of a complete step.",
    ),
    ValueQuestion(
        id="09.2",
        title="The loss of correct predictions",
        kind="predict",
        points=1,
        form="Write one number: no error is raised, and the mean is a single number",
        praise=(
            "Both predictions are right, but the loss is 2, because every prediction is "
            "compared with every target."
        ),
    ),
    Question(
        id="09.3",
        title="Three bugs that raise no error",
        kind="repair",
        points=3,
        draw=draw_silent_steps,
        prepare=as_silent_step,
        call=step_taken,
        inputs="weights rate x y",
        parts=[CHANGE, LOSS, Part("averages", "the change in the moving averages")],
        demands=[OWN_STEP, ONE_UPDATE],
        praise="The weights after the step, and the loss, are those of a complete step.",
    ),
    Question(
        id="09.4",
        title="A history that lags behind",
        kind="repair",
        points=2,
        draw=draw_epochs,
        prepare=as_epochs,
        parts=[
            Part(
                words="the list of means",
                form="Return a list with one number per epoch, after both loops.",
            )
        ],
        praise="Each epoch has its own mean, and each example has the same weight.",
    ),
    Question(
        id="09.5",
        title="One update from unequal parts",
        kind="complete",
        points=3,
        draw=draw_parts,
        prepare=as_parts,
        call=accumulated,
        inputs="weights rate parts",
        parts=[CHANGE],
        demands=[
            Demand(
                "one tape",
                "The update is right, but one tape recorded several parts, which together do "
                "not fit into memory. Open a new tape for each part, inside the loop, and "
                "compute its gradients there.",
                lambda noted: not any(noted["one tape"]),
            ),
            ONE_UPDATE,
        ],
        praise="The parts together update the model as one batch would.",
    ),
)

PREDICTIONS = (
    Callout(
        "09.a",
        right="0",
        options={
            "2": "A `Dense` layer has a kernel and a bias. But the shape of the kernel depends on "
            "the input, and the layer has not seen any input yet.",
            "1": "A bias does not need the input's shape. But a layer creates all its "
            "variables at once, when it first sees that shape.",
            "0": "The layer has not seen an input yet. (In a model that starts with "
            "`keras.Input`, it would have.)",
        },
    ),
    Callout(
        "09.b",
        right="another number",
        options={
            "an error": "An error would help, because no probability is 2 or -1. But Keras "
            "does not check that.",
            "another number": "You get 0.693 instead of 0.349: the scores are treated as "
            "probabilities, and you would silently train on the wrong loss.",
            "the same number": "The 2 shows that these are scores, not probabilities. But "
            "Keras does not check that.",
        },
    ),
    Callout(
        "09.c",
        right="none",
        options={
            "none": "By default, a layer runs in inference mode, in which dropout does nothing.",
            "about 200": "A tape is used for training, so dropout might be active. But the "
            "tape only records what is computed, and layers do not know about it.",
            "about 800": "0.8 of 1,000 is 800, but 0.2 is the fraction that is dropped. Besides, "
            "dropout is active only in training mode.",
        },
    ),
    Callout(
        "09.d",
        right="no",
        options={
            "yes": "The weights are equal, and so are the batch losses. But these losses are "
            "means, and if the batches have different sizes, the mean of means is not the mean "
            "over all examples.",
            "no": "The last batch has only 20 examples, so each of them has a larger weight than "
            "the others: the mean is 2.1570 instead of 2.1623. Weight each batch by its size.",
        },
    ),
    Callout(
        "09.e",
        right="2",
        options={
            "1": "Gradients do add up. But these are gradients of means over 16 examples each, "
            "not over 32.",
            "0.5": "Half of the examples suggests half of the gradient. But each loss is a "
            "mean, so each gradient is about as long as that of the whole batch, and you "
            "add two.",
            "2": "Each half has the gradient of a mean over 16, so their sum is twice the "
            "gradient of the mean over 32. The penalty is also included twice.",
        },
        otherwise=(
            "The loss of each half is a mean. How does the sum of two means compare with the mean "
            "over all examples?"
        ),
    ),
)

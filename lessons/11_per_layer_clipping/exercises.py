"""The questions of lesson 11: a rule by name, a global norm, joint clipping, two step sizes."""

from collections.abc import Callable
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


def with_norm(array: np.ndarray, norm: float) -> np.ndarray:
    return norm * array / np.linalg.norm(array)


def draw_news(rng: np.random.Generator) -> list[tuple]:
    """Draw a Sequential, a functional and a nested model: in each `head` has another place."""

    def draw(kind, layers, *norms):
        shapes = [shape for _ in layers for shape in ((3, 3), (3,))]
        pairs = zip(shapes, norms, strict=True)
        return kind, layers, [with_norm(rng.normal(size=shape), norm) for shape, norm in pairs]

    plain = ("headline", "overhead", "body", "head")
    nested = ("body", "head/first", "head/out", "headline/out")
    return [
        draw("sequential", plain, 4.0, 2.0, 3.0, 1.5, 5.5, 0.7, 14.0, 6.0),
        draw("functional", ("head", "body", "headline"), 3.0, 0.4, 2.0, 3.0, 6.0, 1.7),
        draw("sequential", nested, 2.5, 1.2, 4.0, 0.8, 1.9, 2.2, 7.0, 1.4),
    ]


def as_news(kind: str, layers: tuple, gradients: list) -> tuple:
    import keras

    inner: dict[str, list[str]] = {}
    for path in layers:
        layer, *below = path.split("/")
        inner.setdefault(layer, []).extend(below)
    blocks = [
        keras.Sequential([keras.Input((3,)), *map(dense, below)], name=layer)
        if below
        else dense(layer)
        for layer, below in inner.items()
    ]
    model = keras.Sequential([keras.Input((3,)), *blocks], name="news")
    if kind == "functional":
        state = inputs = keras.Input((3,))
        for block in blocks:
            state = block(state)
        model = keras.Model(inputs, state, name="news")
    return model.trainable_variables, list(constants(*gradients))


def dense(name: str) -> Any:
    import keras

    return keras.layers.Dense(3, name=name)


def draw_layers(rng: np.random.Generator) -> list[tuple]:
    def draw(*norms):
        arrays = [rng.uniform(0.5, 1.5, shape) for shape in ((3, 2), (2,))[: len(norms)]]
        arrays[0][0, 0] *= -1  # enough positive ones for the root of the plain sum
        return [with_norm(*pair) for pair in zip(arrays, norms, strict=True)]

    zero = [np.zeros((2, 3)), np.zeros(3)]
    return [
        (("body", "head"), [draw(8.0, 6.0), draw(3.0, 2.0)], (5.0, 1.0)),
        (
            ("embedding", "body", "head"),
            [draw(6.0, 1.5), draw(1.2, 0.5), draw(2.0)],
            (2.0, 4.0, 1.5),
        ),
        (("frozen", "head"), [zero, draw(4.0, 5.0)], (5.0, 2.0)),
    ]


def as_layers(layers: tuple, gradients: list, limits: tuple) -> tuple:
    tensors = [list(constants(*parts)) for parts in gradients]
    # The limits stand in another order than the layers.
    by_layer = zip(reversed(layers), reversed(limits), strict=True)
    return dict(zip(layers, tensors, strict=True)), dict(by_layer)


def draw_networks(rng: np.random.Generator) -> list[tuple]:
    """Draw two plain networks, one whose last layer has no bias, one with batch normalisation."""

    def draw(n, *sizes, bias=True, normalised=False):
        weights = [
            [rng.uniform(-1, 1, (inputs, units)), rng.uniform(-0.5, 0.5, units)]
            for inputs, units in zip((3, *sizes), (*sizes, 1), strict=True)
        ]
        weights[-1] = weights[-1][: 1 + bias]
        x, y = rng.normal(0.5, 1, size=(n, 3)), rng.normal(3, 1, size=(n, 1))
        return rng.uniform(0.05, 0.1), rng.uniform(0.2, 0.3), x, y, weights, normalised

    return [draw(5, 4), draw(4, 3, 2), draw(7, 2, bias=False), draw(6, 3, normalised=True)]


def as_network(
    slow: float, fast: float, x: np.ndarray, y: np.ndarray, weights: list, normalised: bool
) -> tuple:
    import keras

    dense = [
        keras.layers.Dense(kernel.shape[1], "tanh", use_bias=bool(bias), name=f"layer_{i}")
        for i, (kernel, *bias) in enumerate(weights)
    ]
    dense[-1].activation = keras.activations.linear
    if normalised:
        dense[0].kernel_regularizer = keras.regularizers.L2(0.1)
    between = [keras.layers.BatchNormalization(name="normalisation")] if normalised else []
    model = keras.Sequential([keras.Input((3,)), *dense[:-1], *between, dense[-1]])
    for layer, arrays in zip(dense, weights, strict=True):
        layer.set_weights(arrays)
    optimizers = [keras.optimizers.SGD(rate) for rate in (slow, fast)]
    return model, *optimizers, *constants(x, y)


def moves_and_updates(step: Callable, model: Any, slow: Any, fast: Any, x: Any, y: Any) -> dict:
    """Return how far each variable moved, and how often what was applied and called."""
    import keras

    variables = model.trainable_variables
    before = [v.numpy() for v in variables]
    with calls_noted(keras.Sequential, "call") as calls:
        step(model, slow, fast, x, y)
    moves = {
        "/".join(v.path.split("/")[-2:]): v.numpy() - old
        for v, old in zip(variables, before, strict=True)
    }
    return {
        "moves": moves,
        "thawed": len(model.trainable_variables) == len(variables),
        "updates": [int(slow.iterations), int(fast.iterations)],
        # A look at the loss, not in training, changes nothing.
        "passes": sum(bool(call.get("training")) for call in calls),
    }


EXERCISES = (
    Question(
        id="11.1",
        title="A head and a headline",
        kind="repair",
        points=2,
        draw=draw_news,
        prepare=as_news,
        parts=[
            Part(
                words="the list of gradients",
                form=(
                    "Return a list with one tensor per variable, in the same order, including the "
                    "gradients that stay unchanged."
                ),
            )
        ],
        praise="Only `head` is clipped, in each of three kinds of model.",
    ),
    ValueQuestion(
        id="11.2",
        title="A step clipped by global norm",
        kind="predict",
        points=1,
        form="Write one list of three numbers",
        tolerance=5e-3,  # for numbers with two digits behind the point
        praise="The norm of all three is 26, so one factor of 1/4 scales every number.",
    ),
    Question(
        id="11.3",
        title="Each layer as a whole",
        kind="complete",
        points=3,
        draw=draw_layers,
        prepare=as_layers,
        parts=[
            Part(
                words="the dict of clipped gradients",
                form=(
                    "Map each layer's name to a list: one tensor for each of the layer's "
                    "gradients, with the same shape."
                ),
            )
        ],
        praise="Each layer keeps its direction, and none is above its limit.",
    ),
    Question(
        id="11.4",
        title="Two learning rates",
        kind="complete",
        points=3,
        draw=draw_networks,
        prepare=as_network,
        call=moves_and_updates,
        inputs="slow fast x y",
        parts=[Part("moves", "the change in the variables")],
        demands=[
            Demand(
                "moved by hand",
                "The steps are right for plain SGD, but other optimizers use other rules. Call "
                "`slow.apply(gradients, variables)`, and do the same with `fast`.",
                lambda noted: all(np.all(updates > 0) for updates in noted["updates"]),
            ),
            Demand(
                "left frozen",
                "The steps are right, but your function leaves a layer frozen, so the next "
                "step would skip it. Set `trainable` back to `True`.",
                lambda noted: all(noted["thawed"]),
            ),
            Demand(
                "second forward pass",
                "The steps are right, but you call the model in training mode more than once, "
                "which would update batch normalization's averages each time. Compute both "
                "gradients from one forward pass.",
                lambda noted: all(passes <= 1 for passes in noted["passes"]),
            ),
        ],
        praise=(
            "Each part has its own learning rate, and both use the gradients of one forward pass."
        ),
    ),
)

PREDICTIONS = (
    Callout(
        "11.a",
        right="kernel",
        options={
            "head/kernel": "In older versions of Keras the name was `head/kernel`. But in "
            "Keras 3 that is the `path`, or the end of it.",
            "head": "`head` is the layer's name. But the variable has its own name.",
            "kernel": "In Keras 3 the name is only the variable's own, `kernel` in every Dense "
            "layer. Code that looks for `head` in it silently finds nothing and clips "
            "nothing.",
        },
    ),
    Callout(
        "11.b",
        right="by global norm alone",
        options={
            "by norm alone": "By norm, (3, 4) keeps its own direction. But it is scaled by "
            "1/5, and 12 by 1/12, so the direction of all three numbers together turns by "
            "22 degrees.",
            "by global norm alone": "One factor for all numbers keeps the direction. By norm, each "
            "variable has its own factor, and the whole step turns by 22 degrees; by value, even "
            "(3, 4) turns.",
            "both": "Both ways only scale. But clipping by norm uses a different factor for each "
            "variable.",
        },
    ),
    Callout(
        "11.c",
        right="0.05, 0.05 and 0.05",
        options={
            "0.50, 0.25 and 0.05": "These are the distances for SGD: 50 steps of 0.001 times 10, 5 "
            "and 1. But Adam divides by the size of the gradient.",
            "0.05, 0.05 and 0.05": "Adam divides the average gradient by its average size, so "
            "a constant factor cancels, and each step has length 0.001. Clipping that does "
            "nothing would look the same, so test it with SGD.",
            "0.05, 0.025 and 0.005": "The first number is right, because a step has length "
            "0.001. But a constant factor from clipping cancels in Adam.",
        },
    ),
    Callout(
        "11.e",
        right="the head is free, and the backbone stays fixed, at rate 0",
        options={
            "the head is clipped at 0.1, and the backbone is free": "A random head sends "
            "random gradients into the backbone, so slowing the head seems right. But then "
            "it learns more slowly, while the backbone keeps changing.",
            "both are free": "With both free, every layer can adapt to the 40 examples. But the "
            "backbone, which learned from more than these 40, is changed by a head that "
            "has learned nothing yet.",
            "the head is free, and the backbone stays fixed, at rate 0": "The held-out loss is "
            "0.45; the other two end at 0.59 and 0.60. The new head has everything to learn, so "
            "let its large gradients through; the backbone already knows this task, so protect it "
            "with a small learning rate. A tight limit slows the head: with the backbone at rate "
            "0 and a limit of 0.1, the loss is 0.54.",
        },
    ),
    Callout(
        "11.d",
        right="117",
        options={
            "1.1": "1.1 is the slope of one time step. But there are 50 of them, one after the "
            "other.",
            "55": "55 is 50 times 1.1, as if slopes added up. But along a path they multiply.",
            "117": "Along a path, slopes multiply: 1.1 to the power of 50 is about 117.4.",
        },
        otherwise="Each step has a slope of 1.1. What happens to slopes along a path of 50 steps?",
    ),
)

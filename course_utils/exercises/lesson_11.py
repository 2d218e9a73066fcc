"""The exercises of lesson 11: a rule by name, a global norm, joint clipping, two step sizes."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .exercise import FunctionExercise, Judgement, ValueExercise, failed, passed
from .reading import as_array, close, first_difference, in_words, is_a

__all__ = ["EXERCISES"]

_EXACT = 1e-4  # the tolerance for weights and gradients: all are of the order of 1


def _clip(array: np.ndarray, limit: float, norm: float | None = None) -> np.ndarray:
    """Return the array clipped at the limit by ``norm``, its own by default."""
    norm = np.linalg.norm(array) if norm is None else norm
    return array * (limit / max(norm, limit))


def _of_norm(rng: np.random.Generator, shape: tuple, norm: float) -> np.ndarray:
    direction = rng.normal(size=shape)
    return norm * direction / np.linalg.norm(direction)


# 11.1 ---------------------------------------------------------------------------------------------


def _draw_news(rng: np.random.Generator) -> list[tuple]:
    def draw(layers: tuple, *norms: float) -> tuple:
        shapes = [shape for _ in layers for shape in ((3, 3), (3,))]
        return layers, [_of_norm(rng, *pair) for pair in zip(shapes, norms, strict=True)]

    return [
        draw(("headline", "body", "head"), 4.0, 2.0, 3.0, 1.5, 5.0, 2.5),
        draw(("body", "head", "headline"), 2.0, 3.0, 3.0, 0.4, 6.0, 1.7),
    ]


def _as_variables(layers: tuple, gradients: list) -> tuple:
    import keras
    import tensorflow as tf

    dense = [keras.layers.Dense(3, name=name) for name in layers]
    model = keras.Sequential([keras.Input((3,)), *dense], name="news")
    return model.trainable_variables, [tf.constant(g, tf.float32) for g in gradients]


def _judge_clipped_head(returned: list, calls: Sequence[tuple]) -> Judgement:
    for value, (_, gradients) in zip(returned, calls, strict=True):
        mistake = _mistake_in_list(value, gradients)
        if mistake:
            return failed(mistake)
    got = [as_array(item) for value in returned for item in value["items"]]

    def answer(rule: Callable) -> list[np.ndarray]:
        """Return the gradients of all calls, those that ``rule(layer, part)`` picks clipped."""
        return [
            _clip(g, 1.0) if rule(layer, part) else g
            for layers, gradients in calls
            for (layer, part), g in zip(_parts(layers), gradients, strict=True)
        ]

    right = answer(lambda layer, part: layer == "head")
    if close(got, right, _EXACT):
        return passed("Only `head` is clipped, wherever it stands in the model.")
    mistakes = [
        (
            answer(lambda layer, part: False),
            "No gradient came back clipped. A variable's name is `kernel` or `bias`; the layer "
            "stands in its path, such as `news/head/kernel`. Return what tf.clip_by_norm returns.",
        ),
        (
            answer(lambda layer, part: "head" in layer),
            "`headline` is clipped too, because its name begins with `head`. Compare whole parts "
            'of the path: `v.path.split("/")` is a list of them.',
        ),
        (
            answer(lambda layer, part: True),
            "Every gradient is clipped. Leave those of the other layers as they are.",
        ),
        (
            answer(lambda layer, part: layer != "head"),
            "It is the other way round: `head` is left alone, and all others are clipped.",
        ),
        (
            answer(lambda layer, part: layer == "headline"),
            "`headline` is clipped, and `head` is not. Compare whole parts of the path.",
        ),
        (
            answer(lambda layer, part: layer == "head" and part == "kernel"),
            "The kernel of `head` is clipped, but its bias is not. It belongs to the layer too.",
        ),
        (
            answer(lambda layer, part: layer == "head" and part == "bias"),
            "The bias of `head` is clipped, but its kernel is not. It belongs to the layer too.",
        ),
        (_on_head(calls, _together), "`head` is clipped as a whole. Clip each gradient by itself."),
        (
            _on_head(calls, lambda gs: [np.clip(g, -1, 1) for g in gs]),
            "The gradients of `head` are clipped by value, which turns them. Clip them by norm.",
        ),
        (
            _on_head(calls, lambda gs: [g / np.linalg.norm(g) for g in gs]),
            "Gradients of `head` with a norm below 1 are made longer. Leave these as they are.",
        ),
    ]
    for wrong, message in mistakes:
        if close(got, wrong, _EXACT):
            return failed(message)
    i = first_difference(got, right, _EXACT)
    paths = [f"{layer}/{part}" for layers, _ in calls for layer, part in _parts(layers)]
    return failed(
        f"The gradient of `{paths[i]}` came back with the norm {np.linalg.norm(got[i]):.4g}, and "
        f"should have {np.linalg.norm(right[i]):.4g} and its own direction. Clip `head` at norm 1, "
        "nothing else, and keep the order."
    )


def _parts(layers: Sequence) -> list[tuple[str, str]]:
    return [(layer, part) for layer in layers for part in ("kernel", "bias")]


def _on_head(calls: Sequence[tuple], change: Callable) -> list[np.ndarray]:
    """Return the gradients of all calls, with ``change`` applied to the list of those of head."""
    changed = []
    for layers, gradients in calls:
        first = 2 * layers.index("head")
        changed += [*gradients[:first], *change(gradients[first : first + 2])]
        changed += gradients[first + 2 :]
    return changed


def _together(gradients: list) -> list[np.ndarray]:
    norm = np.sqrt(sum(np.sum(g**2) for g in gradients))
    return [_clip(g, 1.0, norm) for g in gradients]


def _mistake_in_list(value: Any, gradients: list) -> str | None:
    if value is None:
        return "Your function returned None. Return the list of all gradients."
    if not is_a(value, "list", "tuple"):
        return f"You returned {in_words(value)}. Return a list with one gradient per variable."
    if len(value["items"]) != len(gradients):
        return (
            f"You returned {len(value['items'])} items for {len(gradients)} variables. Return all "
            "gradients in their order, also those that stay as they are."
        )
    for item, gradient in zip(value["items"], gradients, strict=True):
        array = as_array(item)
        if array is None or array.shape != gradient.shape:
            return (
                f"The list holds {in_words(item)} where a gradient of shape {gradient.shape} "
                "belongs. Return a tensor for each variable, in the order in which they came."
            )
    return None


# 11.2 ---------------------------------------------------------------------------------------------


def _judge_global_step(value: Any) -> Judgement:
    numbers = _flat_numbers(value)
    if numbers is None or numbers.shape != (3,):
        return failed(f"Write a list of three numbers; you wrote {in_words(value)}.")
    if close([numbers], [[-1.5, -2, -6]], 0.005):
        return passed("The norm of all is 26: one factor of 1/4 for every number.")
    gradient = np.array([6.0, 8.0, 24.0])
    mistakes = [
        (gradient, "These are the gradients as they came, not the weights after a clipped step."),
        (gradient / 4, "This is the clipped gradient. A step subtracts it from the weights."),
        (-gradient, "This step is not clipped: its norm is 26, and the limit is 6.5."),
        (
            -np.array([3.9, 5.2, 6.5]),
            "This is `clipnorm`, which clips each variable by its own norm. A global norm counts "
            "all three numbers together, and gives them one factor.",
        ),
        (
            -np.array([6, 6.5, 6.5]),
            "This is `clipvalue`, which cuts off each entry. A global norm scales all of them by "
            "one factor.",
        ),
        (
            -gradient / 26,
            "This step has the norm 1. The limit is 6.5: scale the gradient down to that norm.",
        ),
        (
            -gradient / 6.5,
            "You divided by the limit. The factor is the limit divided by the norm of all three.",
        ),
        (
            -gradient * 6.5 / 34,
            "You added the norms, 10 + 24. Add the squares of all three numbers, and take the "
            "root of the sum.",
        ),
        (
            -gradient * 6.5 / 38,
            "You added the three numbers. The norm is the root of the sum of their squares.",
        ),
    ]
    for wrong, message in mistakes:
        if close([numbers], [wrong], 0.005):
            return failed(message)
    for wrong, message in mistakes:
        if close([numbers], [-wrong], 0.005):
            return failed(f"The sign is wrong: a step subtracts the gradient. And: {message}")
    return failed(
        "These numbers are not it. Find the norm of all three gradients together, scale them by "
        "6.5 divided by it, and subtract the result from 0."
    )


def _flat_numbers(value: Any) -> np.ndarray | None:
    """Return the numbers of an array, or of lists in lists, as one vector; None for the rest."""
    if not is_a(value, "list", "tuple"):
        array = as_array(value)
        return None if array is None else np.ravel(array)
    parts = [_flat_numbers(item) for item in value["items"]]
    if not parts or any(part is None for part in parts):
        return None
    return np.concatenate(parts)


# 11.3 ---------------------------------------------------------------------------------------------


def _draw_layers(rng: np.random.Generator) -> list[tuple]:
    """Return calls of (layers, gradients of each layer, limits)."""

    def draw(*norms: float) -> list[np.ndarray]:
        return [_of_norm(rng, shape, n) for shape, n in zip(((3, 2), (2,)), norms, strict=False)]

    three = [draw(6.0, 3.0), draw(1.2, 0.5), draw(2.0)]
    zero = [[np.zeros((2, 3)), np.zeros(3)], draw(4.0, 5.0)]
    return [
        (("body", "head"), [draw(8.0, 6.0), draw(3.0, 2.0)], (5.0, 1.0)),
        (("embedding", "body", "head"), three, (2.0, 4.0, 1.5)),
        (("frozen", "head"), zero, (5.0, 2.0)),
    ]


def _as_dicts(layers: tuple, gradients: list, limits: tuple) -> tuple:
    import tensorflow as tf

    tensors = [[tf.constant(g, tf.float32) for g in parts] for parts in gradients]
    return dict(zip(layers, tensors, strict=True)), dict(zip(layers, limits, strict=True))


def _norm(parts: Sequence[np.ndarray]) -> float:
    return float(np.sqrt(sum(np.sum(part**2) for part in parts)))


def _judge_clipped_layers(returned: list, calls: Sequence[tuple]) -> Judgement:
    for value, (layers, gradients, _) in zip(returned, calls, strict=True):
        mistake = _mistake_in_layers(value, layers, gradients)
        if mistake:
            return failed(mistake)
    got = [
        as_array(item)
        for value, (layers, _, _) in zip(returned, calls, strict=True)
        for layer in layers
        for item in value["items"][layer]["items"]
    ]

    def answer(change: Callable) -> list[np.ndarray]:
        """Return what ``change(parts, limit)`` makes of each layer of each call."""
        return [
            array
            for _, gradients, limits in calls
            for parts, limit in zip(gradients, limits, strict=True)
            for array in change(parts, limit)
        ]

    def scaled(norm: Callable) -> list[np.ndarray]:
        return answer(lambda parts, limit: [_clip(p, limit, norm(parts)) for p in parts])

    right = scaled(_norm)
    if close(got, right, _EXACT):
        return passed("Each layer keeps its direction, and none is above its limit.")
    nonzero = [i for i, array in enumerate(right) if array.any()]
    if any(np.isnan(array).any() for array in got):
        zeros = [array for i, array in enumerate(got) if i not in nonzero]
        if all(np.isfinite(got[i]).all() for i in nonzero) and np.isnan(zeros[0]).all():
            return failed(
                "A layer whose gradients are all zeros comes back as nan: its norm is 0, and 0 / 0 "
                "is not a number. Divide by the larger of norm and limit."
            )
        return failed("There is a nan in the result. Look for a division by a norm of 0.")
    mistakes = [
        (answer(lambda parts, limit: parts), "No gradient is clipped: they came back unchanged."),
        (
            answer(lambda parts, limit: [_clip(p, limit) for p in parts]),
            "Every gradient is clipped by its own norm, so kernel and bias get different factors. "
            "Use the norm of both together for the whole layer.",
        ),
        (
            answer(lambda parts, limit: [np.clip(p, -limit, limit) for p in parts]),
            "The entries are cut off by value. Scale each layer by one factor instead.",
        ),
        (
            answer(lambda parts, limit: [p * limit / (_norm(parts) or 1) for p in parts]),
            "Layers with a norm below their limit are made longer. Leave these as they are: the "
            "factor is at most 1.",
        ),
        (
            scaled(lambda parts: sum(np.linalg.norm(p) for p in parts)),
            "You added the norms of kernel and bias. For the joint norm, add their squares and "
            "take the root of the sum.",
        ),
        (
            scaled(lambda parts: _norm(parts) ** 2),
            "You divided by the sum of the squares. The norm is its root.",
        ),
        (
            scaled(lambda parts: np.linalg.norm(parts[0])),
            "The factor comes from the first gradient of the layer alone. The norm is that of all "
            "its gradients together.",
        ),
        (
            [
                _clip(p, limit, _norm([p for parts in gradients for p in parts]))
                for _, gradients, limits in calls
                for parts, limit in zip(gradients, limits, strict=True)
                for p in parts
            ],
            "You used the norm of all layers together. Each layer has its own norm.",
        ),
        *[
            (
                [
                    _clip(p, limits[chosen], _norm(parts))
                    for _, gradients, limits in calls
                    for parts in gradients
                    for p in parts
                ],
                "Every layer got the same limit. Look up limits[layer] for each.",
            )
            for chosen in (0, -1)
        ],
    ]
    for wrong, message in mistakes:
        if close(got, wrong, _EXACT):
            return failed(message)
    return _first_wrong_layer(returned, calls, right)


def _first_wrong_layer(returned: list, calls: Sequence[tuple], right: list) -> Judgement:
    right = iter(right)
    for value, (layers, gradients, limits) in zip(returned, calls, strict=True):
        for layer, parts, limit in zip(layers, gradients, limits, strict=True):
            expected = [next(right) for _ in parts]
            got = [as_array(item) for item in value["items"][layer]["items"]]
            if not close(got, expected, _EXACT):
                return failed(
                    f"The layer {layer} has the joint norm {_norm(parts):.4g} and the limit "
                    f"{limit:g}, and came back with {_norm(got):.4g}. All its gradients are scaled "
                    f"by one factor, to the norm {_norm(expected):.4g}."
                )
    return failed("The gradients are close to the right ones, but not equal. Use float32 or finer.")


def _mistake_in_layers(value: Any, layers: tuple, gradients: list) -> str | None:
    if value is None:
        return "Your function returned None. Return the dict with the clipped gradients."
    if not is_a(value, "dict"):
        return f"You returned {in_words(value)}. Return a dict: each layer's list by its name."
    if set(value["items"]) != set(layers):
        keys = ", ".join(value["items"]) or "no keys"
        return f"The dict has {keys}; it needs {', '.join(layers)}, as it came in."
    for layer, parts in zip(layers, gradients, strict=True):
        item = value["items"][layer]
        if not is_a(item, "list", "tuple"):
            return f"Under {layer} stands {in_words(item)}. Keep the list of its gradients."
        arrays = [as_array(part) for part in item["items"]]
        shapes = [None if array is None else array.shape for array in arrays]
        if is_a(item, "tuple") and len(arrays) == 2 and is_a(item["items"][0], "list"):
            return (
                f"Under {layer} stand a list and its norm: tf.clip_by_global_norm returns both. "
                "Take the first of the two."
            )
        if shapes != [part.shape for part in parts]:
            return (
                f"Under {layer} belong gradients of the shapes "
                f"{', '.join(str(part.shape) for part in parts)}, as they came in. You returned "
                f"{', '.join(in_words(part) for part in item['items']) or 'an empty list'}."
            )
    return None


# 11.4 ---------------------------------------------------------------------------------------------


def _weights_after(step: Callable, model: Any, *arguments) -> list[np.ndarray]:
    step(model, *arguments)
    return model.get_weights()


def _draw_networks(rng: np.random.Generator) -> list[tuple]:
    """Return calls of (weights, slow rate, fast rate, x, y)."""

    def draw(n: int, *sizes: int) -> tuple:
        weights = []
        for inputs, units in zip((3, *sizes), (*sizes, 1), strict=True):
            weights += [rng.uniform(-1, 1, (inputs, units)), rng.uniform(-0.5, 0.5, units)]
        slow, fast = rng.uniform(0.05, 0.1), rng.uniform(0.2, 0.3)
        return weights, slow, fast, rng.normal(size=(n, 3)), rng.normal(3, 1, size=(n, 1))

    return [draw(5, 4), draw(4, 3, 2), draw(7, 2)]


def _as_network(
    weights: list, slow: float, fast: float, x: np.ndarray, y: np.ndarray
) -> tuple[Any, ...]:
    import keras
    import tensorflow as tf

    *hidden, last = [bias.size for bias in weights[1::2]]
    body = [keras.layers.Dense(units, activation="tanh") for units in hidden]
    model = keras.Sequential([keras.Input((3,)), *body, keras.layers.Dense(last)])
    model.set_weights(weights)
    optimizers = [keras.optimizers.SGD(rate) for rate in (slow, fast)]
    return model, *optimizers, tf.constant(x, tf.float32), tf.constant(y, tf.float32)


def _gradients(weights: list, x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    """Return the mean squared error's gradients, in the order of the weights, by hand."""
    kernels, biases = weights[::2], weights[1::2]
    states = [x]
    for i, (kernel, bias) in enumerate(zip(kernels, biases, strict=True)):
        state = states[-1] @ kernel + bias
        states.append(np.tanh(state) if i < len(kernels) - 1 else state)
    error = 2 * (states[-1] - y) / len(x)
    gradients = []
    for i in reversed(range(len(kernels))):
        gradients = [states[i].T @ error, error.sum(axis=0), *gradients]
        error = (error @ kernels[i].T) * (1 - states[i] ** 2)
    return gradients


def _step(weights: list, x: np.ndarray, y: np.ndarray, rates: Sequence[float]) -> list[np.ndarray]:
    gradients = _gradients(weights, x, y)
    return [w - rate * g for w, rate, g in zip(weights, rates, gradients, strict=True)]


def _judge_two_speeds(returned: list, calls: Sequence[tuple]) -> Judgement:
    got = [as_array(item) for value in returned for item in value["items"]]

    def after(*rates_of: Callable) -> list[np.ndarray]:
        """Return all weights after steps with the rates ``(slow, fast, size) -> (rest, last)``."""
        arrays = []
        for weights, slow, fast, x, y in calls:
            for rates in rates_of:
                rest, last = rates(slow, fast, len(x))
                all_rates = [rest] * (len(weights) - 2) + [last] * 2
                weights = _step(weights, x, y, all_rates)
            arrays += weights
        return arrays

    right = after(lambda slow, fast, n: (slow, fast))
    if close(got, right, _EXACT):
        return passed("Each part moved at its own rate, both from one gradient.")
    twice = "The second optimizer used a gradient from after the first one's update. Ask the tape "
    twice += "for both parts before either is applied."
    mistakes = [
        (
            after(lambda slow, fast, n: (0, 0)),
            "No weight has moved. Each optimizer must apply its gradients: slow.apply(gradients, "
            "variables), and the same with fast.",
        ),
        (
            after(lambda slow, fast, n: (fast, slow)),
            "The optimizers are swapped: the last layer moved with slow, the others with fast.",
        ),
        (
            after(lambda slow, fast, n: (slow, slow)),
            "Every layer moved with slow. The last layer belongs to fast.",
        ),
        (
            after(lambda slow, fast, n: (fast, fast)),
            "Every layer moved with fast. All but the last belong to slow.",
        ),
        (
            after(lambda slow, fast, n: (0, fast)),
            "Only the last layer has moved. Apply slow to all the others.",
        ),
        (
            after(lambda slow, fast, n: (slow, 0)),
            "The last layer has not moved. Apply fast to its variables.",
        ),
        (
            after(lambda slow, fast, n: (slow + fast, slow + fast)),
            "Both optimizers moved every layer. Give each its own part of the variables.",
        ),
        (
            after(lambda slow, fast, n: (slow, slow + fast)),
            "The last layer moved with both optimizers. Leave it out of what slow applies.",
        ),
        (
            after(lambda slow, fast, n: (slow + fast, fast)),
            "All layers but the last moved with both optimizers. Give fast the last one alone.",
        ),
        (after(lambda slow, fast, n: (slow, 0), lambda slow, fast, n: (0, fast)), twice),
        (after(lambda slow, fast, n: (0, fast), lambda slow, fast, n: (slow, 0)), twice),
        (
            after(lambda slow, fast, n: (slow, slow), lambda slow, fast, n: (fast, fast)),
            "Two whole steps were taken, one with each optimizer. Take one step, in which each "
            "optimizer moves its own part.",
        ),
        (
            after(lambda slow, fast, n: (n * slow, n * fast)),
            "Both steps are too large by the number of examples: the squared errors are added up. "
            "Take tf.reduce_mean of them.",
        ),
        (
            after(lambda slow, fast, n: (slow / 2, fast / 2)),
            "Both steps are half as large as they should be: leave out the factor 1/2.",
        ),
        (
            after(lambda slow, fast, n: (-slow, -fast)),
            "The weights went uphill. optimizer.apply subtracts by itself: give it the gradients "
            "as the tape returns them.",
        ),
        (
            _with_bias_alone(calls),
            "Only the bias of the last layer moved with fast. A Dense layer has two variables: "
            "model.layers[-1].trainable_variables.",
        ),
    ]
    for wrong, message in mistakes:
        if close(got, wrong, _EXACT):
            return failed(message)
    return _first_wrong_variable(returned, calls)


def _with_bias_alone(calls: Sequence[tuple]) -> list[np.ndarray]:
    return [
        array
        for weights, slow, fast, x, y in calls
        for array in _step(weights, x, y, [slow] * (len(weights) - 1) + [fast])
    ]


def _first_wrong_variable(returned: list, calls: Sequence[tuple]) -> Judgement:
    for value, (weights, slow, fast, x, y) in zip(returned, calls, strict=True):
        rates = [slow] * (len(weights) - 2) + [fast] * 2
        right = _step(weights, x, y, rates)
        got = [as_array(item) for item in value["items"]]
        if not close(got, right, _EXACT):
            i = first_difference(got, right, _EXACT)
            layer = "the last layer" if i >= len(weights) - 2 else f"layer {i // 2}"
            part, rate = ("kernel", "bias")[i % 2], f"{rates[i]:.3f}"
            wanted, moved = (np.linalg.norm(a[i] - weights[i]) for a in (right, got))
            return failed(
                f"In a model of {len(weights) // 2} layers, the {part} of {layer} should move by "
                f"a step of norm {wanted:.4f} (rate {rate}), and moved by {moved:.4f}. Take the "
                "mean squared error, one gradient, and one update of each variable."
            )
    return failed("The weights are close to the right ones, but not equal: compare the loss.")


EXERCISES = (
    FunctionExercise(
        id="11.1",
        title="A head and a headline",
        kind="repair",
        points=2,
        draw_calls=_draw_news,
        prepare=_as_variables,
        judge=_judge_clipped_head,
    ),
    ValueExercise(
        id="11.2",
        title="A step under a global norm",
        kind="predict",
        points=1,
        judge=_judge_global_step,
    ),
    FunctionExercise(
        id="11.3",
        title="Each layer as a whole",
        kind="complete",
        points=3,
        draw_calls=_draw_layers,
        prepare=_as_dicts,
        judge=_judge_clipped_layers,
    ),
    FunctionExercise(
        id="11.4",
        title="Two learning rates",
        kind="complete",
        points=3,
        draw_calls=_draw_networks,
        prepare=_as_network,
        call=_weights_after,
        judge=_judge_two_speeds,
    ),
)

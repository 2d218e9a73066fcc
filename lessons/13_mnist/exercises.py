"""The questions of lesson 13: holding out, measuring, training, comparing, going on, mistakes."""

import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

from course_utils.exercises import Callout, Demand, Other, Part, Question, constants


def draw_measurements(rng: np.random.Generator) -> list[tuple]:
    def draw(n: int, batch_size: int) -> tuple:
        x, W = rng.normal(size=(n, 3)), rng.normal(size=(3, 4))
        labels = np.argmax(x @ W, axis=1)
        # Of the short batch, at most the last is right; the others are mostly right.
        short = n - n % batch_size
        for wrong in (slice(2), slice(short, max(short + 1, n - 1))):
            labels[wrong] = (labels[wrong] + 1) % 4
        return x, labels, batch_size, W

    return [draw(10, 4), draw(23, 5), draw(7, 6), draw(8, 4)]


def as_measurement(x: np.ndarray, y: np.ndarray, batch_size: int, W: np.ndarray) -> tuple:
    import tensorflow as tf

    W = tf.constant(W, tf.float32)
    return lambda batch: tf.cast(batch, tf.float32) @ W, x.astype(np.float32), y, batch_size


def measured_in_batches(
    function: Callable, logits_of: Callable, x: np.ndarray, y: np.ndarray, batch_size: int
) -> dict:
    """Return what the function returned, and whether no batch was too large."""
    sizes = []

    def noting(batch: Any) -> Any:
        sizes.append(len(batch))
        return logits_of(batch)

    returned = function(noting, x, y, batch_size)
    return {"returned": returned, "in batches": max(sizes, default=0) <= batch_size}


def of_two(i: int) -> Callable:
    def read(reading: Any, *call: Any) -> Any:
        if isinstance(reading, np.ndarray) and reading.ndim == 0:
            return Other("number alone")
        if len(reading) != 2:
            raise ValueError(len(reading))
        return reading[i] if isinstance(reading, list) else np.asarray(reading[i])

    return read


def draw_images(rng: np.random.Generator) -> list[tuple]:
    """Draw clusters, one for each class, and held-out labels of which one in the end is right.

    How many are right is another number after each epoch, in training and before it; see
    `as_training`. The last is right in the end, so that a short batch cannot be left out.
    """
    # From the true class to the label. In the end the model takes each image for the class before
    # (3 further), an epoch earlier for the one 2 further, and so on; in training it is right.
    further = np.array([1, 3, 1, 1, 3, 0, 1, 3, 2, 1, 0, 1, 3, 1, 0, 2, 1, 3, 0, 1, 3])
    held_labels = np.arange(len(further)) % 4
    held_labels[1] = 0  # so 7 are 0, for which a model takes all before the training

    def draw(kept: int, batch_size: int, epochs: int) -> tuple:
        n, count = kept + len(further), len(further)
        # The labels at either end, taken for those of `held`, give no number that is met otherwise.
        taken = {2}
        while taken & {2, 4, 5, 6, 7, 9}:
            held, rest = np.split(rng.permutation(n), [count])
            labels = np.empty(n, int)
            labels[held], labels[rest] = rng.permutation(held_labels), rng.permutation(kept) % 4
            classes = labels.copy()
            classes[held] = (labels[held] - further) % 4
            answered = (classes[held] - 1) % 4  # in the end
            ends = labels[:count], labels[-count:]
            taken = {int(np.sum(answered == end)) for end in ends}
        centres = 2.0 * np.eye(4) + rng.uniform(-0.2, 0.2, (4, 4))
        images = (centres[classes] + rng.normal(0, 0.2, (n, 4))).reshape(n, 2, 2)
        kernels = [0.5 * rng.normal(size=(4, 6)), np.zeros((6, 4))]
        orders = [rng.permutation(rest) for _ in range(epochs)]
        return kernels, images, labels, orders, held, batch_size

    return [draw(22, 4, 3), draw(15, 6, 4)]


def as_training(
    kernels: list, images: np.ndarray, labels: np.ndarray, orders: list, *rest: Any
) -> tuple:
    """Return a model that shows when it is called.

    It gives other logits in training, in place of dropout's chance, and other ones after each
    epoch, as a training would in which the accuracy moves.
    """
    import keras
    import tensorflow as tf

    optimizer = keras.optimizers.SGD(0.5)
    steps = -(-len(orders[0]) // rest[-1])  # of an epoch

    class OtherClasses(keras.layers.Layer):
        def call(self, logits, training=False):
            epochs_left = len(orders) - optimizer.iterations.value // steps
            return tf.roll(logits, 1 if training else -epochs_left, axis=1)

    penalty = keras.regularizers.L2(0.02)
    hidden = keras.layers.Dense(6, "tanh", use_bias=False, kernel_regularizer=penalty)
    last = keras.layers.Dense(4, use_bias=False, kernel_regularizer=penalty)
    layers = [keras.layers.Flatten(), hidden, last, OtherClasses()]
    model = keras.Sequential([keras.Input((2, 2)), *layers])
    model.set_weights(kernels)
    return model, optimizer, *constants(images), labels, orders, *rest


def trained(
    train_and_measure: Callable,
    model: Any,
    optimizer: Any,
    images: Any,
    labels: Any,
    orders: list,
    *rest: Any,
) -> dict:
    """Return what one training did, and whether a second from the same start does the same."""
    before, trainings = model.get_weights(), []
    for _ in range(2 if len(orders) == 4 else 1):  # in one of the two calls, to save time
        model.set_weights(before)
        optimizer.iterations.assign(0)
        copies = [order.copy() for order in orders]
        accuracy = train_and_measure(model, optimizer, images, labels, copies, *rest)
        trainings.append((model.get_weights(), accuracy))
    (weights, accuracy), (weights_again, _) = trainings[0], trainings[-1]
    is_same = all(
        np.allclose(one, other, rtol=1e-3, atol=1e-5, equal_nan=True)
        for one, other in zip(weights, weights_again, strict=True)
    )
    return {
        "again": "the same weights" if is_same else "other weights",
        "change": [after - start for after, start in zip(weights, before, strict=True)],
        "accuracy": accuracy,
    }


def draw_writers(rng: np.random.Generator) -> list[tuple]:
    def draw(count: int, share: float) -> tuple:
        writers = np.repeat(np.arange(count), rng.integers(2, 5, count))
        names = 100 + rng.permutation(400)[:count]  # none is a number from 0 to count - 1
        return rng.permutation(names[writers]), share, int(rng.integers(1000))

    # 6.6, 5.2 and 15.8 writers, to be rounded; drawn with replacement, so many repeat.
    return [draw(30, 0.22), draw(26, 0.2), draw(20, 0.79)]


def with_two_generators(
    hold_out: Callable, writers: np.ndarray, share: float, seed: int
) -> list[Any]:
    generators = [np.random.default_rng([seed, i]) for i in (0, 1, 0)]
    return [hold_out(writers.copy(), share, rng) for rng in generators]


def division(reading: Any, writers: np.ndarray, share: float, seed: int) -> str:
    """Return what is wrong with a division, or that nothing is; which writers are drawn is free."""
    if reading[0] is None:
        raise TypeError
    try:
        kept, held = (np.atleast_1d(np.asarray(side, float)).astype(int) for side in reading[0])
        if kept.ndim > 1 or held.ndim > 1:
            raise ValueError
    except (TypeError, ValueError):
        return "not two lists of indices"
    if not (len(kept) and len(held)):
        return "nothing kept" if len(held) else "nothing held out"
    if len(kept) == len(held) == len(writers):
        return "truth values"
    names, count = np.unique(writers), round(share * len(np.unique(writers)))
    if set(held) <= set(names) and len(held) == count and len(kept) <= len(names):
        return "writers"
    images = np.concatenate([kept, held])
    if np.array_equal(np.sort(images), np.sort(writers)):
        return "writers"
    if len(np.unique(images)) < len(images):
        return "images twice"
    if len(images) < len(writers):
        return "images missing"
    drawn = np.unique(writers[held])
    if len(np.intersect1d(drawn, writers[kept])):
        return "writers on both sides"
    if len(drawn) == len(names) - count:
        return "sides exchanged"
    if len(drawn) != count:
        return "too few writers" if len(drawn) < count - 1 else "another number of writers"
    in_order = (names, writers[np.sort(np.unique(writers, return_index=True)[1])])
    ends = [part for order in in_order for part in (order[:count], order[-count:])]
    return "writers not drawn" if any(set(drawn) == set(end) for end in ends) else "whole writers"


def generators(reading: Any, *call: Any) -> str:
    first, second, again = (held for _, held in reading)
    if np.array_equal(first, second):
        return "one division whatever rng is"
    return "drawn with rng" if np.array_equal(first, again) else "another division for the same rng"


def draw_comparisons(rng: np.random.Generator) -> list[tuple]:
    def draw(key: str, value: float, effect: float, count: int) -> tuple:
        setting = {"shift": 0, "dropout": 0.3, "width": 16, "rate": 2e-3}
        seeds = [int(seed) for seed in 1 + rng.permutation(40)[:count]]
        return setting, {key: value}, seeds, effect, rng.uniform(1, 3, 3)

    return [draw("shift", 2, 0.011, 5), draw("dropout", 0.0, -0.007, 7)]


def as_comparison(
    setting: dict, change: dict, seeds: list, effect: float, waves: np.ndarray
) -> tuple:
    """Return a measure whose luck is shared by the runs of a seed, but for a little."""
    ((key, value),) = change.items()

    def measure(setting: dict, seed: int) -> float:
        changed = setting.get(key) == value
        whole = len(setting) == 4
        luck = 0.03 * np.sin(waves[0] * seed) + 0.003 * np.sin(waves[1] * seed + 2 * changed)
        return float(0.93 + effect * changed - 0.3 * (not whole) + luck)

    return measure, dict(setting), change, seeds


def compared(compare: Callable, measure: Callable, setting: dict, *rest: Any) -> dict:
    before = dict(setting)
    return {"returned": compare(measure, setting, *rest), "kept": setting == before}


def draw_killed(rng: np.random.Generator) -> list[tuple]:
    return [
        (kind, rng.normal(size=(14, 4, 3)), rng.normal(size=(14, 4, 1)), int(rng.integers(1000)))
        for kind in ("momentum", "dropout")
    ]


KILLED_IN = {"momentum": 2, "dropout": 3}


class Killed(KeyboardInterrupt):
    """What kills a run: no error, so that an answer that catches errors does not go on."""


def killed_and_resumed(go_on: Callable, kind: str, x: np.ndarray, y: np.ndarray, seed: int) -> dict:
    """Return which epochs were trained after a run was killed in one, and the last weights.

    Also whether the kill got through to where the run was called. Only the first of three calls
    is killed, whether it comes so far or not: no kill leaves this function.
    """
    import keras
    import tensorflow as tf

    x, y, trained, kills = *constants(x, y), [], []

    def new_run() -> tuple:
        start = keras.initializers.GlorotUniform(seed=seed)
        hidden = keras.layers.Dense(16, "tanh", kernel_initializer=start)
        last = keras.layers.Dense(1, kernel_initializer=start)
        layers = [hidden, last]
        if kind == "dropout":
            first, second = (keras.layers.Dropout(0.5, seed=seed + i) for i in range(2))
            more = keras.layers.Dense(8, "tanh", kernel_initializer=start)
            layers = [hidden, first, more, second, last]
        model = keras.Sequential([keras.Input((3,)), *layers])
        optimizer = keras.optimizers.SGD(0.1, momentum=0.9 if kind == "momentum" else 0.0)
        optimizer.build(model.trainable_variables)
        return model, optimizer

    def train_epoch(model: Any, optimizer: Any, number: int) -> None:
        number = int(number)
        trained.append(number)
        for part in (slice(2), slice(2, 4)):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(
                    (model(x[number, part], training=True) - y[number, part]) ** 2
                )
            variables = model.trainable_variables
            optimizer.apply(tape.gradient(loss, variables), variables)
            if number == KILLED_IN[kind] and not kills:
                kills.append(number)
                raise Killed

    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/run"
        try:
            go_on(new_run, train_epoch, path, 4)
            caught = bool(kills)
        except Killed:
            caught = False
        kills.append(None)  # the last
        calls = []
        for epochs in (4, 6):
            trained.clear()
            model = go_on(new_run, train_epoch, path, epochs)
            calls.append(" ".join(map(str, trained)) or "none")
    return {"epochs": ", then ".join(calls), "weights": weights_of(model), "caught": caught}


def weights_of(model: Any) -> Any:
    return model.get_weights() if hasattr(model, "get_weights") else model


def draw_logits(rng: np.random.Generator) -> list[tuple]:
    def draw(n: int, k: int, mistakes: int, level: float = 0.0) -> tuple:
        surest = rng.uniform(0.4, 0.7, n)
        second = np.minimum(rng.uniform(0.4, 0.9, n) * (1 - surest), surest - 0.05)
        third = rng.uniform(0.4, 0.6, n) * (1 - surest - second)
        rows = np.stack([surest, second, third, 1 - surest - second - third], axis=1)
        # Rows are shifted, so that a large logit does not mean a large probability; at a level of
        # 100 the exponential of each is infinite in float32. One that is right and sure outweighs
        # its column.
        logits = np.log(rng.permuted(rows, axis=1)) + rng.normal(level, 0.5, (n, 1))
        labels = np.argmax(logits, axis=1)
        logits[0, labels[0]] += 6
        wrong = 1 + rng.permutation(n - 1)[:mistakes]
        labels[wrong] = (labels[wrong] + rng.integers(1, 4, len(wrong))) % 4
        return logits.round(3), labels, k

    return [draw(12, 4, 6), draw(80, 12, 40, level=100.0), draw(7, 7, 4)]


def as_logits(logits: np.ndarray, labels: np.ndarray, k: int) -> tuple:
    return logits.astype(np.float32), labels, k


def found(surest_mistakes: Callable, *drawn: Any) -> dict:
    return {"indices": surest_mistakes(*drawn)}


def indices(reading: Any, *call: Any) -> np.ndarray:
    """Return one axis, also of no index or of one."""
    is_short = isinstance(reading, list | np.ndarray) and np.ndim(reading) < 2
    return np.reshape(np.asarray(reading, float), -1) if is_short else reading


def which(reading: Any, logits: np.ndarray, labels: np.ndarray, k: int) -> np.ndarray:
    """Return at most k indices sorted; of more, the order tells how they came about."""
    answered = indices(reading)
    return np.sort(answered) if answered.ndim == 1 and len(answered) <= k else answered


MEASURED = "Return two numbers as a tuple: the mean loss, then the accuracy."
GAIN = "Return two numbers as a tuple: the gain, then its standard error."
SIDES = "Return two arrays of indices as a tuple: `(kept, held)`."
INDICES = "Return the indices: one array with at most k entries, or a list of integers."

EXERCISES = (
    Question(
        id="13.1",
        title="Hold out whole writers",
        kind="complete",
        points=2,
        draw=draw_writers,
        call=with_two_generators,
        inputs="writers share",
        parts=[Part(words="the division", form=SIDES, read=division), Part(read=generators)],
        praise="No writer appears on both sides of the split, so the held-out accuracy is not too "
        "optimistic.",
    ),
    Question(
        id="13.4",
        title="A gain, or luck",
        kind="complete",
        points=2,
        draw=draw_comparisons,
        prepare=as_comparison,
        call=compared,
        inputs="setting change seeds",
        parts=[
            Part("returned", "the gain", GAIN, read=of_two(0)),
            Part("returned", "the standard error", GAIN, read=of_two(1)),
        ],
        demands=[
            Demand(
                "setting changed",
                "The numbers are right, but you changed `setting`, so the next comparison would "
                "start from the wrong setting. Use a new dict: `setting | change`.",
                lambda noted: all(noted["kept"]),
            )
        ],
        praise="One change, several seeds, and a number that says how far to trust the gain.",
    ),
    Question(
        id="13.2",
        title="Loss and accuracy in batches",
        kind="complete",
        points=3,
        draw=draw_measurements,
        prepare=as_measurement,
        call=measured_in_batches,
        inputs="x y batch_size",
        parts=[
            Part("returned", "the mean loss", MEASURED, read=of_two(0)),
            Part("returned", "the accuracy", MEASURED, read=of_two(1)),
        ],
        demands=[
            Demand(
                "too many at once",
                "The numbers are right, but you pass `logits_of` more than `batch_size` "
                "examples at a time. Split `x` into batches, because the data may not fit "
                "into memory.",
                lambda noted: all(noted["in batches"]),
            )
        ],
        praise="Every example has the same weight, including those in a short last batch.",
    ),
    Question(
        id="13.3",
        title="Train and measure",
        kind="complete",
        points=3,
        draw=draw_images,
        prepare=as_training,
        call=trained,
        inputs="kernels images labels orders held batch_size",
        parts=[
            Part(
                "again",
                "the result of a second training run, in the same orders from the same initial "
                "weights,",
            ),
            Part("change", "the change in the weights"),
            Part("accuracy", "the accuracy", "Return one number, the accuracy."),
        ],
        praise="You train in the given order, and measure on images that the model never saw.",
    ),
    Question(
        id="13.5",
        title="Resume after a kill",
        kind="repair",
        points=3,
        draw=draw_killed,
        call=killed_and_resumed,
        parts=[
            Part(
                "epochs",
                "the list of epochs that the second and third calls train after a kill",
            ),
            Part("weights", "the list of weights at the end", "Return the model."),
        ],
        demands=[
            Demand(
                "kill caught",
                "The second and third calls are right, but the first one catches the interrupt and "
                "returns a model that is not fully trained. Do not catch the `KeyboardInterrupt`; "
                "the next call resumes the training.",
                lambda noted: not any(noted["caught"]),
            )
        ],
        praise=(
            "After a kill and another call, your function ends with the same weights as a run that "
            "was never killed."
        ),
    ),
    Question(
        id="13.6",
        title="The most confident mistakes",
        kind="complete",
        points=3,
        draw=draw_logits,
        prepare=as_logits,
        call=found,
        inputs="logits labels k",
        parts=[
            Part("indices", "the list of your indices, sorted,", INDICES, read=which),
            Part(
                "indices",
                "the order of your correct indices, most confident first,",
                INDICES,
                read=indices,
            ),
        ],
        praise="These are the examples to check first for wrong labels.",
    ),
)

PREDICTIONS = (
    Callout(
        "13.a",
        right="2.3",
        options={
            "0": "0 is a small loss. But a loss of 0 means that the network is certain and "
            "correct, and it has not seen a label yet.",
            "2.3": "An untrained network spreads its probability evenly: 1/10 for each class, "
            "so the loss is -ln(1/10) = 2.30.",
            "0.1": "0.1 is the probability of each class. But the loss is minus its logarithm.",
            "10": "10 is the number of classes. But the loss is the logarithm of that number.",
            "1": "1 is the base-10 logarithm of 10. But the loss uses the natural logarithm.",
            "3.3": "3.3 is the base-2 logarithm of 10. But the loss uses the natural logarithm.",
            "-2.3": "-2.3 is the logarithm of the probability. But the loss is minus that "
            "logarithm, so it is never negative.",
        },
        otherwise=(
            "The loss is minus the natural logarithm of the probability of the correct "
            "class. What is that probability here?"
        ),
    ),
    Callout(
        "13.b",
        right="fewer than 128 entries",
        options={
            "an error": "A single index beyond the end raises an error. But a slice does not.",
            "128 entries": "The slice asks for 128. But nothing fills in the missing entries.",
            "fewer than 128 entries": "A slice ends where the tensor ends, and 88 entries are "
            "left.",
        },
    ),
    Callout(
        "13.c",
        right="no",
        options={
            "yes": "The model and the optimizer seem to be the whole state, and the order is the "
            "same. But dropout and the image shifts are also random.",
            "no": "Dropout has a seed state, and the image shifts have a random generator. This "
            "checkpoint contains neither, so the new run draws different random numbers.",
        },
    ),
)

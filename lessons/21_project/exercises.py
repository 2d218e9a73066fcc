"""The parts of the project of lesson 21: a clipping, a step, a resumed run, a loss, held-out answers.

The first three are called with models of the check's own, the last two with what the reader's own
functions give. Of those, facts are compared, each a few words: no two projects give equal numbers.
"""

import os
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from course_utils.exercises import Callout, Demand, Other, Part, Question

# 21.1


def draw_gradients(rng: np.random.Generator) -> list[tuple]:
    """Draw gradients: of each layer's joint norm some are above the limit, some below it."""

    def draw(kind: str, limit: float, *norms: float) -> tuple:
        return kind, limit, list(norms), int(rng.integers(1, 10_000))

    return [
        draw("plain", 0.5, 3.0, 0.3, 0.6),  # the last is above the limit, its square is not
        draw("frozen", 2.0, 5.0, 3.0),
        draw("nested", 0.8, 2.0, 3.0, 0.5, 1.1),
    ]


def named_model(kind: str) -> Any:
    """Return a model with a layer that is frozen, or one with blocks and a weight of its own."""
    import keras
    from keras import layers

    class Nested(keras.Model):
        def __init__(self) -> None:
            super().__init__(name="river")
            both = [layers.Dense(3, "tanh", name="dense"), layers.Dense(2, name="second")]
            self.up = keras.Sequential(both, name="up")
            self.down = keras.Sequential([layers.Dense(1, name="dense")], name="down")
            self.speed = self.add_weight(name="speed", shape=(), initializer="zeros")

        def call(self, x: Any) -> Any:
            return self.down(self.up(x))

    if kind == "nested":
        model = Nested()
        model(np.zeros((1, 2), "float32"))
        return model
    first, last = layers.Dense(4, "tanh", name="first"), layers.Dense(1, name="last")
    middle = layers.Dense(3, use_bias=False, name="middle", trainable=kind != "frozen")
    return keras.Sequential([keras.Input((2,)), first, middle, last], name="model")


def as_gradients(kind: str, limit: float, norms: list, seed: int) -> tuple:
    import tensorflow as tf

    model, rng = named_model(kind), np.random.default_rng(seed)
    owners = [v.path.rpartition("/")[0] for v in model.trainable_variables]
    lengths = dict(zip(dict.fromkeys(owners), norms, strict=True))
    long = 4.0 if kind == "plain" else 1.0  # biases with larger gradients than kernels
    drawn = [
        rng.uniform(0.5, 1, v.shape) * (long if v.name == "bias" else 1.0)
        for v in model.trainable_variables
    ]
    gradients = []
    for owner, gradient in zip(owners, drawn, strict=True):
        squares = [np.sum(g**2) for o, g in zip(owners, drawn, strict=True) if o == owner]
        signs = rng.choice([-1, 1], gradient.shape)
        scaled = signs * gradient * lengths[owner] / np.sqrt(sum(squares))
        gradients.append(tf.constant(scaled, tf.float32))
    if kind == "plain":
        gradients[2] = None  # the layer in the middle was not used
    return model, gradients, limit


# 21.2


def draw_steps(rng: np.random.Generator) -> list[tuple]:
    return [(kind, int(rng.integers(1, 10_000))) for kind in ("frozen", "cut")]


def as_steps(kind: str, seed: int) -> tuple:
    import keras
    import tensorflow as tf
    from keras import layers

    rng, penalty = np.random.default_rng(seed), keras.regularizers.L2(0.05)
    first = layers.Dense(
        4,
        "tanh",
        kernel_regularizer=penalty,
        activity_regularizer=penalty if kind == "frozen" else None,
    )

    class Shift(layers.Layer):
        """Adds a weight; before that stands one that is not used, whose gradient is None."""

        def build(self, shape: tuple) -> None:
            for name in ("spare", "shift"):
                setattr(self, name, self.add_weight(name=name, shape=(1,), initializer="zeros"))

        def call(self, x: Any) -> Any:
            return x + self.shift

    model = keras.Sequential(
        [
            keras.Input((3,)),
            layers.Dense(3),
            first,
            layers.BatchNormalization(),
            layers.Dropout(0.4, seed=seed),
            layers.Dense(1),
            *([Shift()] if kind == "cut" else []),
        ]
    )
    model.set_weights(
        [
            rng.uniform(0.5, 1, w.shape) * rng.choice([-1, 1], w.shape) if w.ndim == 2 else w
            for w in model.get_weights()
        ]
    )
    optimizer = keras.optimizers.SGD(0.1, momentum=0.8)
    model.layers[0].trainable = kind != "frozen"
    optimizer.build(model.trainable_variables)
    batches = [
        tuple(tf.constant(rng.normal(1, 1, shape), tf.float32) for shape in ((8, 3), (8, 1)))
        for _ in range(2)
    ]
    return kind, model, optimizer, batches


def error_of(model: Any, batch: tuple) -> Any:
    """Return a loss in training, without penalties: not the mean square that one would guess."""
    import keras

    x, y = batch
    return keras.losses.LogCosh()(y, model(x, training=True))


def left_alone(model: Any, gradients: list) -> list:
    return gradients


def in_parts(model: Any, gradients: list) -> list:
    """Return the gradients, each with a factor of its own, which a clipping might have."""
    factors = np.linspace(0.2, 0.8, len(model.trainable_variables))
    pairs = zip(factors, gradients, strict=False)
    return [None if g is None else float(f) * g for f, g in pairs]


def stepped(train_step: Callable, kind: str, model: Any, optimizer: Any, batches: list) -> dict:
    """Return how two steps changed the weights and the averages, and the losses returned."""
    clip = in_parts if kind == "cut" else left_alone
    before = model.get_weights()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Gradients do not exist")
        losses = [train_step(model, optimizer, error_of, batch, clip) for batch in batches]
    change = [new - old for new, old in zip(model.get_weights(), before, strict=True)]
    is_average = ["moving" in v.path for v in model.weights]
    averages = [c for c, is_one in zip(change, is_average, strict=True) if is_one]
    weights = [c for c, is_one in zip(change, is_average, strict=True) if not is_one]
    plain = steps_without_penalties(train_step, batches[0])
    return {"weights": weights, "averages": averages, "losses": losses, "plain": plain}


def steps_without_penalties(train_step: Callable, batch: tuple) -> bool:
    """Tell whether a step of a model that has no penalties raises no error."""
    import keras

    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    try:
        train_step(model, keras.optimizers.SGD(0.1), error_of, batch, left_alone)
    except Exception:
        return False
    return True


# 21.3


def new_run(seed: int) -> tuple:
    """Return a model with averages and dropout, its optimizer, a generator and an empty history."""
    import keras
    import tensorflow as tf
    from keras import layers

    start = keras.initializers.GlorotUniform(seed=seed)
    hidden = layers.Dense(6, "tanh", kernel_initializer=start)
    last = layers.Dense(1, kernel_initializer=start)
    between = [layers.BatchNormalization(), layers.Dropout(0.4, seed=seed)]
    model = keras.Sequential([keras.Input((3,)), hidden, *between, last])
    optimizer = keras.optimizers.SGD(0.2, momentum=0.8)
    optimizer.build(model.trainable_variables)
    return model, optimizer, tf.random.Generator.from_seed(seed), []


def groups_of(model: Any, optimizer: Any, generator: Any, history: list) -> dict[str, list]:
    """Return copies of what the next step of a run depends on, by what it is called."""
    iterations, rate, *memory = optimizer.variables
    others = model.non_trainable_variables
    groups = {
        "weights": model.trainable_variables,
        "averages": [v for v in others if "moving" in v.path],
        "dropout": [v for v in others if "moving" not in v.path],
        "momentum": memory,
        "count": [iterations],
        "rate": [rate],
        "generator": [generator.state],
    }
    copies = {name: [v.numpy().copy() for v in group] for name, group in groups.items()}
    return {**copies, "history": [np.array(history, np.float64)]}


def lost_groups(wanted: dict, found: dict) -> str:
    """Return the names of the groups that differ."""
    lost = [
        name
        for name, values in wanted.items()
        if not all(np.array_equal(a, b) for a, b in zip(values, found[name], strict=True))
    ]
    return ", ".join(lost) or "nothing"


def train_epoch(x: np.ndarray, y: np.ndarray, run: tuple) -> None:
    """Take a step on a batch that the generator draws, and lower the rate."""
    import tensorflow as tf

    model, optimizer, generator, history = run
    batch = generator.uniform((6,), 0, len(x), tf.int32).numpy()
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x[batch], training=True) - y[batch]) ** 2)
    variables = model.trainable_variables
    optimizer.apply(tape.gradient(loss, variables), variables)
    optimizer.learning_rate.assign(0.9 * optimizer.learning_rate)
    history.append(float(loss) / 3)  # not a float32


def draw_run(rng: np.random.Generator) -> list[tuple]:
    x, y = rng.normal(size=(12, 3)), rng.normal(1, 1, (12, 1))
    return [(x.astype("float32"), y.astype("float32"), int(rng.integers(1, 10_000)))]


def resumed(keeper: Callable, x: np.ndarray, y: np.ndarray, seed: int) -> dict:
    """Return what is lost between a run that goes on and one that is saved, and resumed elsewhere.

    The file is moved meanwhile, so that nothing can be kept in memory, and the other run has losses
    of its own, which must go. What is saved beside it, under another path, is none of its business.
    """
    import tensorflow as tf

    first, second = new_run(seed), new_run(seed + 1)
    second[-1].append(0.5)  # as of a run that went on for a while
    fresh = groups_of(*second)
    facts: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/a")
        save, _ = keeper(*first)
        _, resume = keeper(*second)
        save(f"{folder}/a/other")
        try:
            facts["absent"] = [resume(f"{folder}/a/run"), lost_groups(fresh, groups_of(*second))]
        except (OSError, tf.errors.OpError):
            facts["absent"] = ["raised", "nothing"]
        for _ in range(2):  # the second time over the first
            train_epoch(x, y, first)
            at_save = groups_of(*first)
            save(f"{folder}/a/run")
        facts["disturbed"] = lost_groups(at_save, groups_of(*first))
        os.rename(f"{folder}/a", f"{folder}/b")
        found = resume(f"{folder}/b/run")
        facts["lost"] = [found, lost_groups(at_save, groups_of(*second))]
        for run in (first, second):
            train_epoch(x, y, run)
    facts["apart"] = lost_groups(groups_of(*first), groups_of(*second))
    return facts


# 21.4

LOOKED = "loss", "repeats", "model", "gradients", "size", "batch", "penalties"


def form_in_words(given: Any) -> str:
    import keras
    import tensorflow as tf

    if not isinstance(given, list | tuple) or len(given) != 3:
        return "not three things"
    model, batch, loss_of = given
    if not isinstance(model, keras.Model):
        return "no Keras model first"
    if not model.trainable_variables:
        return "no trainable variables"
    if not leaves_of(batch):
        return "no batch second"
    if len(leaves_of(batch)) < len(tf.nest.flatten(batch)):
        return "a number in the batch"
    return "three things" if callable(loss_of) else "no function third"


def leaves_of(batch: Any) -> list:
    import tensorflow as tf

    leaves = tf.nest.flatten(batch)
    return [i for i, leaf in enumerate(leaves) if hasattr(leaf, "shape") and len(leaf.shape)]


def loss_in_words(loss: Any) -> str:
    if not hasattr(loss, "numpy"):
        return "no tensor"
    if len(loss.shape):
        return "not one number"
    if not np.issubdtype(loss.numpy().dtype, np.floating):
        return "whole number"
    return "one number" if np.isfinite(loss.numpy()) else "not finite"


def examined(my_loss: Callable, seed: int) -> dict:
    """Return facts about a model, a batch and a loss that the reader's function gives."""
    import tensorflow as tf

    given = my_loss()
    facts = {"form": form_in_words(given)} | dict.fromkeys(LOOKED, "")
    if facts["form"] != "three things":
        return facts
    model, batch, loss_of = given
    batch = tf.nest.map_structure(tf.convert_to_tensor, batch)
    before = [v.numpy().copy() for v in model.trainable_variables]
    loss = loss_of(model, batch)
    facts["loss"] = loss_in_words(loss)
    if facts["loss"] != "one number":
        return facts
    pairs = zip(model.trainable_variables, before, strict=True)
    moved = any(np.any(v.numpy() != old) for v, old in pairs)
    is_same = all(np.isclose(loss, loss_of(model, batch), rtol=1e-6) for _ in range(3))
    facts["repeats"] = "weights moved" if moved else "the same" if is_same else "another"
    if facts["repeats"] == "the same":
        facts["model"] = "used" if is_model_used(batch, loss_of) else "not used"
        facts["gradients"] = gradients_in_words(model, batch, loss_of)
        facts["size"] = size_in_words(model, batch, loss_of)
        facts["batch"] = use_in_words(model, batch, loss_of)
        facts["penalties"] = penalties_in_words(model, batch, loss_of)
    return facts


def is_model_used(batch: Any, loss_of: Callable) -> bool:
    """Tell whether the loss misses its model where it gets none."""
    try:
        loss_of(None, batch)
    except Exception:
        return True
    return False


def gradients_in_words(model: Any, batch: Any, loss_of: Callable) -> str:
    """Compare the tape's gradients with differences of the loss."""
    import tensorflow as tf

    from course_utils import check_gradients

    variables = model.trainable_variables
    with tf.GradientTape() as tape:
        loss = loss_of(model, batch)
    gradients = tape.gradient(loss, variables)
    missing = sum(gradient is None for gradient in gradients)
    if missing:
        return "None for all" if missing == len(variables) else "None for some"
    gradients = [tf.convert_to_tensor(gradient) for gradient in gradients]
    if not all(np.all(np.isfinite(gradient)) for gradient in gradients):
        return "not finite"
    if not any(np.any(gradient) for gradient in gradients):
        return "all zero"
    if is_flat(variables, gradients, lambda: float(loss_of(model, batch))):
        return "flat"
    compiled = tf.function(lambda: loss_of(model, batch))
    report = check_gradients(compiled, [v.value for v in variables], grads=gradients)
    wrong = [row for row in report.rows if row.verdict in ("disagrees", "disconnected")]
    if not wrong:
        return "agree"
    factors = [row.analytic / row.numeric for row in wrong if row.numeric]
    is_one = len(factors) == len(report.rows) and np.ptp(factors) < 0.02 * abs(factors[0])
    return "some are wrong" if not is_one else "turned" if factors[0] < 0 else "scaled"


def is_flat(variables: list, gradients: list, loss_now: Callable) -> bool:
    """Tell whether the loss stays as it is along its gradients, where they say that it moves."""
    import tensorflow as tf

    kept, norm, loss = [v.numpy() for v in variables], tf.linalg.global_norm(gradients), loss_now()
    seen = []
    for length in (1e-4, -1e-4, 3e-4, -3e-4, 1e-3, -1e-3):
        if abs(length) * float(norm) < 1e-5 * max(abs(loss), 1e-3):
            continue  # hardly more than rounding
        for variable, value, gradient in zip(variables, kept, gradients, strict=True):
            variable.assign(value + length * gradient / norm)
        seen.append(loss_now() == loss)
    for variable, value in zip(variables, kept, strict=True):
        variable.assign(value)
    return np.mean(seen) > 0.5 if seen else False


def changed(batch: Any, change: Callable, only: int | None = None) -> Any:
    """Return the batch with its tensors changed, or only one of them."""
    import tensorflow as tf

    chosen = leaves_of(batch) if only is None else [only]
    leaves = [
        change(leaf) if i in chosen else leaf for i, leaf in enumerate(tf.nest.flatten(batch))
    ]
    return tf.nest.pack_sequence_as(batch, leaves)


def size_in_words(model: Any, batch: Any, loss_of: Callable) -> str:
    """Tell what becomes of the loss when every example comes twice, or in another order."""
    import tensorflow as tf

    def ratio(change: Callable) -> float:
        return float(loss_of(model, changed(batch, change)) / loss_of(model, batch))

    twice = ratio(lambda leaf: tf.concat([leaf, leaf], axis=0))
    if abs(twice - 1) > 0.05:
        return "larger" if twice > 1 else "smaller"
    if abs(twice - 1) > 1e-4:
        return "nearly as large"
    others = (lambda leaf: tf.reverse(leaf, [0]), lambda leaf: tf.repeat(leaf, 2, axis=0))
    is_same = all(abs(ratio(change) - 1) < 1e-4 for change in others)
    return "as large" if is_same else "another in another order"


def use_in_words(model: Any, batch: Any, loss_of: Callable) -> str:
    """Tell whether a change of each tensor of the batch changes the loss."""
    import tensorflow as tf

    def other(leaf: Any) -> Any:
        return leaf * 0.7 + 0.1 if leaf.dtype.is_floating else tf.roll(leaf, 1, axis=0)

    loss = float(loss_of(model, batch))
    losses = [float(loss_of(model, changed(batch, other, i))) for i in leaves_of(batch)]
    used = sum(abs(new - loss) > 1e-6 * abs(loss) for new in losses)
    leaves = tf.nest.flatten(batch)
    for i in leaves_of(batch) if used == len(losses) else []:
        # A vector of numbers, one for each row of another tensor, which may stand in any order.
        rows = [len(leaves[j]) for j in leaves_of(batch) if j != i]
        if leaves[i].dtype.is_floating and len(leaves[i].shape) == 1 and len(leaves[i]) in rows:
            turned = [changed(batch, lambda leaf, n=n: tf.roll(leaf, n, 0), i) for n in (1, 2)]
            if all(abs(float(loss_of(model, one)) - loss) < 1e-6 * abs(loss) for one in turned):
                return "each with all"
    return "all of it" if used == len(losses) else "a part" if used else "nothing"


def penalties_in_words(model: Any, batch: Any, loss_of: Callable) -> str:
    """Tell how often a penalty counts that the check puts on the model's weights."""
    import keras

    variables, before = model.trainable_variables, float(loss_of(model, batch))
    kept, old = [v.regularizer for v in variables], float(sum(model.losses))
    for variable in variables:
        variable.regularizer = keras.regularizers.L2(0.1)
    penalty = float(sum(model.losses)) - old
    rise = float(loss_of(model, batch)) - before
    for variable, regularizer in zip(variables, kept, strict=True):
        variable.regularizer = regularizer
    return "left out" if abs(rise) < 0.01 * abs(penalty) else "counted"


# 21.5

LIMITS = {"few labels": 0.80, "river": 0.05, "new digits": 0.90}
TOO_GOOD = 0.98  # with the held-out labels it is 0.99, by the nearest of all 1,500 pictures 0.95
TOO_CLOSE = 0.005  # the cloud's own form, fitted to the 80 measurements, comes to 0.012
POINTS = 4000  # so many that the error is nearly the same in every draw


@cache
def digits() -> tuple[np.ndarray, np.ndarray]:
    from course_utils import load_digits

    pictures, labels = load_digits()
    return (pictures / 16).astype("float32"), labels


def points_and_dye(seed: int) -> tuple[np.ndarray, np.ndarray]:
    from course_utils import make_cloud

    points, dye = make_cloud(POINTS, last=2.0, noise=0.0, seed=seed)
    return points, dye[:, 0]


def held_out_inputs(seed: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return the inputs of every task, and the order of the held-out digits."""
    rng = np.random.RandomState(seed)
    order = 1500 + rng.permutation(297)
    pictures = digits()[0][order] + rng.uniform(-0.05, 0.05, (297, 64))
    inputs = {
        "few labels": np.clip(pictures, 0, 1),
        "river": points_and_dye(seed)[0],
        "new digits": rng.normal(size=(300, 16)),
    }
    return {name: value.astype("float32") for name, value in inputs.items()}, order


def draw_held_out(rng: np.random.Generator) -> list[tuple]:
    return [(int(rng.integers(1, 1_000_000)),)]


def answered(held_out: Callable, seed: int) -> dict:
    """Return the answers to all inputs, and to a hundred of them alone."""
    import tensorflow as tf

    inputs, _ = held_out_inputs(seed)
    whole = held_out({name: tf.constant(value) for name, value in inputs.items()})
    part = held_out({name: tf.constant(value[:300:3]) for name, value in inputs.items()})
    return {"whole": whole, "part": part}


def result(answers: Any, seed: int) -> str:
    """Return, in a few words, what the held-out answers are worth."""
    whole, part = answers["whole"], answers["part"]
    if not isinstance(whole, dict) or not isinstance(part, dict):
        return "no dict"
    if not whole:
        return "an empty dict"
    judges = {"few labels": of_labels, "river": of_river, "new digits": of_pictures}
    if not set(whole) & set(judges):
        return "no task of this name"
    results = []
    for name in [name for name in judges if name in whole]:
        one, again = whole[name], part.get(name)
        if not isinstance(one, np.ndarray) or not isinstance(again, np.ndarray):
            results.append("no numbers")
        elif not np.all(np.isfinite(one)):
            results.append("not finite")
        else:
            results.append(judges[name](one, again, seed))
    if "success" in results:
        return "success"
    return results[0] if len(results) == 1 else "several tasks"


def of_labels(classes: np.ndarray, part: np.ndarray, seed: int) -> str:
    if classes.shape == (297, 10):
        return "labels: scores"
    if classes.size != 297:
        return "labels: another number"
    classes, labels = classes.ravel(), digits()[1][held_out_inputs(seed)[1]]
    if np.any(classes != np.round(classes)):
        return "labels: no whole numbers"
    if not np.array_equal(part.ravel(), classes[:300:3]):
        return "labels: by the batch"
    accuracy = np.mean(classes == labels)
    if accuracy >= LIMITS["few labels"]:
        return "labels: too good" if accuracy >= TOO_GOOD else "success"
    if np.ptp(classes) == 0:
        return "labels: one class"
    if max(np.mean(classes - shift == labels) for shift in (-1, 1)) > 0.5:
        return "labels: moved by one"
    return "labels: by chance" if accuracy < 0.25 else "labels: not better"


def of_river(found: np.ndarray, part: np.ndarray, seed: int) -> str:
    if found.size == 1:
        return "river: one number"
    if found.shape not in ((POINTS,), (POINTS, 1)):
        return "river: another shape"
    points, true = points_and_dye(seed)
    found, late = found.ravel(), points[:, 1] > 1
    if part.shape[:1] != found[:300:3].shape or not np.allclose(
        part.ravel(), found[:300:3], atol=1e-3
    ):
        return "river: by the batch"

    def error(answers: np.ndarray, chosen: np.ndarray) -> float:
        return float(np.sqrt(np.mean((answers - true)[chosen] ** 2)))

    limit, own = LIMITS["river"], error(found, late)
    if own <= limit:
        return "river: too good" if own < TOO_CLOSE else "success"
    if own <= 0.06:
        return "river: nearly"
    if np.ptp(found) < 0.01:
        is_mean = abs(np.mean(found) - np.mean(true[~late])) < 0.03
        return "river: the mean" if is_mean else "river: everywhere the same"
    if error(-found, late) <= limit:
        return "river: turned"
    factor = np.sum(found * true) / np.sum(found**2)
    if error(factor * found, late) <= min(limit, 0.5 * own):
        return "river: scaled"
    if error(found, ~late) <= limit:
        return "river: early only"
    is_far = all(error(found, hour) > 0.85 * error(0 * found, hour) for hour in (late, ~late))
    return "river: as zeros" if is_far else "river: not better"


def distances(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    squares = np.sum(a**2, axis=1)[:, None] + np.sum(b**2, axis=1) - 2 * a @ b.T
    return np.sqrt(np.maximum(squares, 0))


def told_apart(made: np.ndarray, real: np.ndarray) -> float:
    """Return how many have a nearest picture of their own kind: in the set where more have."""
    every = np.concatenate([made, real])
    among = distances(every, every)
    np.fill_diagonal(among, np.inf)
    is_new = np.arange(len(every)) < len(made)
    is_own = is_new[among.argmin(axis=1)] == is_new
    return float(max(np.mean(is_own[is_new]), np.mean(is_own[~is_new])))


def of_pictures(made: np.ndarray, part: np.ndarray, seed: int) -> str:
    if made.size != 300 * 64:
        return "digits: another shape"
    made, part = made.reshape(300, 64), part.reshape(-1, 64)
    if made.max() > 2:
        return "digits: up to 16"
    if made.min() < -0.01 or made.max() > 1.01:
        return "digits: out of range"
    if part.shape != made[:300:3].shape or not np.allclose(part, made[:300:3], atol=1e-3):
        return "digits: not by the noise"
    if made.min() > 0.1 and made.max() < 0.9:
        return "digits: grey"
    pictures, _ = digits()
    if distances(made, made).mean() < 0.3 * distances(pictures[1500:], pictures[1500:]).mean():
        return "digits: all alike"
    if np.median(distances(made, pictures).min(axis=1)) < 0.8:
        is_training = np.median(distances(made, pictures[:1500]).min(axis=1)) < 0.8
        return "digits: copies" if is_training else "digits: held-out ones"
    share = told_apart(made, pictures[1500:])
    return "success" if share <= LIMITS["new digits"] else "digits: not better"


def in_words(answers: Any, seed: int) -> Any:
    return result(answers, seed) if isinstance(answers, dict) else Other("no dict")


GRADIENTS = "Return a list in the order of the gradients, and keep each `None` in its position."
FORM = "Return the model, a batch, and the function `loss_of(model, batch)`, in this order."
TASKS = 'Return a dict that maps "few labels", "river" or "new digits" to your answers.'

# 21.6


def draw_movements(rng: np.random.Generator) -> list[tuple]:
    """Draw the weights of a model, and for each batch how each weight that trains moves."""

    def draw(batches: int) -> tuple:
        shapes = ((3, 2), (2,), (2, 1), (1,))
        weights = [rng.normal(size=shape).round(2) for shape in shapes]
        moves = [[rng.normal(size=shape).round(2) for shape in shapes[2:]] for _ in range(batches)]
        moves[0][1] = -np.abs(moves[0][1]) - 3  # the bias ends below its start
        return weights, moves

    return [draw(2), draw(4), draw(3)]


def as_movement(weights: list, moves: list) -> tuple:
    """Return a model whose first layer is frozen, a step that moves the other, and batches."""
    import keras

    frozen = keras.layers.Dense(2, activation="tanh", trainable=False)
    model = keras.Sequential([keras.Input((3,)), frozen, keras.layers.Dense(1)])
    model.set_weights(weights)
    taken = iter(moves)

    def step(model: Any, x: Any, y: Any) -> None:
        for variable, move in zip(model.trainable_variables, next(taken), strict=True):
            variable.assign_add(move)

    return model, step, [(np.ones((2, 3), "float32"), np.ones((2, 1), "float32"))] * len(moves)


EXERCISES = (
    Question(
        id="21.2",
        title="A training step like that of fit",
        kind="complete",
        points=4,
        draw=draw_steps,
        prepare=as_steps,
        call=stepped,
        parts=[
            Part("weights", "the change in the weights after two steps"),
            Part("averages", "the change in batch normalization's averages after two steps"),
            Part("losses", "the list of the two losses that were returned", "Return one number."),
        ],
        demands=[
            Demand(
                "penalties required",
                "Your step is right, but it raises an error for a model without penalties, because "
                "`tf.add_n` takes no empty list. Use `sum(model.losses)`.",
                lambda noted: all(noted["plain"]),
            )
        ],
        praise="Your step does what `fit` does, and it clips the gradients as well.",
    ),
    Question(
        id="21.4",
        title="A loss of your own",
        kind="complete",
        points=4,
        draw=draw_held_out,
        call=examined,
        parts=[
            Part("form", "what your function returned", FORM),
            Part("loss", "the loss"),
            Part("repeats", "the loss of a second call"),
            Part("model", "what happens to the model that the loss is given"),
            Part(
                "gradients", "the tape's gradients, compared with finite differences of the loss,"
            ),
            Part(
                "size",
                "the loss of a batch with every example twice, or with the examples in a different "
                "order,",
            ),
            Part("batch", "what in the batch the loss depends on"),
            Part("penalties", "what happens to a regularizer's penalty in this loss"),
        ],
        praise=(
            "Your loss is one number, the same in four calls, and the tape's gradients "
            "agree with finite differences. The check cannot see whether it is the right loss "
            "for your task, with the right sign and columns."
        ),
    ),
    Question(
        id="21.5",
        title="Better than the baseline",
        kind="complete",
        points=5,
        draw=draw_held_out,
        call=answered,
        parts=[Part(words="the result of your answers", form=TASKS, read=in_words)],
        praise=(
            "Your answers pass, on inputs that were drawn for this check. Some things only "
            "you can report: what you trained on, whether you chose seeds or steps by the "
            "held-out data, and how often you tried, including this check."
        ),
    ),
    Question(
        id="21.1",
        title="Clipped per layer",
        kind="complete",
        points=3,
        draw=draw_gradients,
        prepare=as_gradients,
        parts=[Part(words="the list of gradients", form=GRADIENTS)],
        praise=(
            "Each layer is clipped separately: in a plain model, in one with a frozen layer, and "
            "in one made of blocks."
        ),
    ),
    Question(
        id="21.3",
        title="Saved and resumed",
        kind="complete",
        points=4,
        draw=draw_run,
        call=resumed,
        parts=[
            Part("absent", "what `resume` returns and changes if there is no file"),
            Part("disturbed", "what changes in the run when it is saved"),
            Part("lost", "what `resume` returns and what is lost"),
            Part("apart", "what differs after one more step"),
        ],
        praise="Interrupted or not, the run ends with the same values.",
    ),
    Question(
        id="21.6",
        title="A training run that seems to stand still",
        kind="repair",
        points=0,
        draw=draw_movements,
        prepare=as_movement,
        inputs="weights moves",
        parts=[
            Part(
                words="the list of movements",
                form="Return one number per trainable variable, in the order of the variables.",
            )
        ],
        praise="You stored the values, not the variables, which keep changing.",
    ),
)

PREDICTIONS = (
    Callout(
        "21.a",
        right="the nearest image's label",
        options={
            "the network": "A network can learn what the images of a class have in common. "
            "But 40 images are too few for that: many networks fit them.",
            "the nearest image's label": "Nothing is trained here, so nothing can overfit. "
            "Baselines are often this simple, and a project that beats only a weak baseline has "
            "shown little.",
            "both alike": "Both use the same 40 labels, so they may seem equal. But the network "
            "must fit its weights to them, while the nearest image is found by comparing pixels.",
        },
    ),
    Callout(
        "21.b",
        right="larger",
        options={
            "smaller": "The error does get smaller in the first hour, where the measurements "
            "are. But no term of the loss includes the second hour.",
            "larger": "The longer the network trains, the closer it fits each noisy measurement, "
            "and the steeper its curve is at the end of the first hour. No term of the loss "
            "constrains it in the second hour.",
            "the same": "The error would stay the same if something constrained the network "
            "where nothing is measured. But no term of the loss does.",
        },
    ),
)

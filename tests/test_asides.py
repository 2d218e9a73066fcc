"""What the lessons say in passing, and no cell of theirs runs: each sentence, and a run of it.

A sentence that is rewritten takes its test along: the words are looked up in the lesson.
"""

import re
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers

LESSONS = Path(__file__).parents[1] / "lessons"


def said(number, words):
    """Fail unless a lesson has these words, however its lines are broken."""
    (path,) = LESSONS.glob(f"{number}_*/lesson.py")
    text = re.sub(r"\s+", " ", re.sub(r"^# ?", "", path.read_text(), flags=re.MULTILINE))
    assert words in text, f"{number} no longer says: {words}"


def test_a_cache_in_a_file_keeps_a_lock_until_its_last_element_has_passed(tmp_path):
    said("10", "After a crash, also delete the `.lockfile` that is next to the files")
    numbers = tf.data.Dataset.range(5).cache(str(tmp_path / "kept"))
    begun = iter(numbers)
    next(begun)
    assert list(tmp_path.glob("*.lockfile"))
    with pytest.raises(tf.errors.AlreadyExistsError):
        list(numbers)
    del begun
    assert len(list(numbers)) == 5 and not list(tmp_path.glob("*.lockfile"))


def test_inputs_that_their_own_gradient_moves_fit_into_compute_loss():
    said("14", "| inputs that their own gradient moves | `compute_loss` |")

    def moved(model, x, y):
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(x)
            loss = tf.reduce_mean((model(x, training=False) - y) ** 2)
        return x + 0.1 * tf.sign(tape.gradient(loss, x))

    class Hardened(keras.Sequential):
        def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
            y_pred = self(moved(self, x, y), training=training)
            return super().compute_loss(x, y, y_pred, sample_weight, training)

    keras.utils.set_random_seed(14)
    by_fit, by_tape = (
        kind([keras.Input((3,)), layers.Dense(8, "tanh"), layers.Dense(1)])
        for kind in (Hardened, keras.Sequential)
    )
    start = by_fit.get_weights()
    by_tape.set_weights(start)
    x, y = tf.random.normal((16, 3)), tf.random.normal((16, 1))
    by_fit.compile(keras.optimizers.SGD(0.1), "mse")
    by_fit.fit(x, y, batch_size=16, verbose=0)
    moved_x = moved(by_tape, x, y)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((by_tape(moved_x, training=True) - y) ** 2)
    gradients = tape.gradient(loss, by_tape.trainable_variables)
    keras.optimizers.SGD(0.1).apply(gradients, by_tape.trainable_variables)
    pairs = list(zip(by_fit.get_weights(), by_tape.get_weights(), start, strict=True))
    assert all(np.allclose(a, b, atol=1e-6) for a, b, _ in pairs)
    assert not np.allclose(pairs[0][0], pairs[0][2], atol=1e-3)


def test_a_step_through_a_step_fits_into_a_train_step():
    said("14", "| a loss after a step, through the step | `train_step` |")

    class Adapting(keras.Sequential):
        def train_step(self, data):
            x, y = data
            weights = self.trainable_variables
            with tf.GradientTape() as outer:
                with tf.GradientTape() as inner:
                    loss = tf.reduce_mean((self(x) - y) ** 2)
                gradients = inner.gradient(loss, weights)
                fast = [w - 0.1 * g for w, g in zip(weights, gradients, strict=True)]
                y_hat, _ = self.stateless_call(fast, [], x)
                after = tf.reduce_mean((y_hat - y) ** 2)
            self.optimizer.apply(outer.gradient(after, weights), weights)
            return {"after": after}

    x, y = np.ones((8, 1), "float32"), 3 * np.ones((8, 1), "float32")
    model = Adapting([keras.Input((1,)), layers.Dense(1)])
    model.compile(keras.optimizers.SGD(0.1))
    losses = model.fit(x, y, batch_size=8, epochs=5, verbose=0).history["after"]
    assert losses[-1] < 0.5 * losses[0]


def test_where_the_generator_loses_sgd_hardly_moves_and_adam_does():
    said("16", "`log(1 - p)` is almost flat, so an SGD step hardly moves the generator")
    moved = {}
    for kind in (keras.optimizers.SGD, keras.optimizers.Adam):
        logit = tf.Variable(-6.0)
        with tf.GradientTape() as tape:
            loss = tf.math.log(1 - tf.sigmoid(logit))
        kind(0.05).apply([tape.gradient(loss, logit)], [logit])
        moved[kind.__name__] = float(logit) + 6
    assert moved["SGD"] < 1e-3 and np.isclose(moved["Adam"], 0.05, rtol=1e-2)


def test_the_statistics_of_an_empty_part_are_nan():
    said("20", "of the replica's own part (of an empty one: NaN)")
    norm = layers.BatchNormalization()
    norm.build((None, 3))
    norm(tf.zeros((0, 3)), training=True)
    assert np.all(np.isnan(norm.moving_mean))


# The CPU can be cut into several devices only before anything else runs: in a process of its own.
TWO_REPLICAS = """
import keras, numpy as np, tensorflow as tf
from keras import layers
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
both, one = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]), tf.distribute.get_strategy()
x, y = np.random.default_rng(0).normal(size=(64, 3)).astype("float32"), np.arange(64) % 2

def fitted(strategy, optimizer):
    with strategy.scope():
        keras.utils.set_random_seed(0)
        model = keras.Sequential([keras.Input((3,)), layers.Dense(8, "relu"), layers.Dense(2)])
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(optimizer(), loss, jit_compile=False)
    before = model.get_weights()
    model.fit(tf.data.Dataset.from_tensor_slices((x, y)).batch(64), shuffle=False, verbose=0)
    return model, max(np.max(np.abs(a - b)) for a, b in zip(before, model.get_weights()))

class Clipped(keras.optimizers.SGD):
    def update_step(self, gradient, variable, learning_rate):
        super().update_step(tf.clip_by_norm(gradient, 0.01), variable, learning_rate)

(alone, moved), (together, _) = (fitted(each, lambda: Clipped(1.0)) for each in (one, both))
pairs = zip(alone.get_weights(), together.get_weights())
assert moved > 1e-3 and max(np.max(np.abs(a - b)) for a, b in pairs) < 1e-5

with both.scope():
    model = keras.Sequential([keras.Input((3,)), layers.Dense(2)])
    scaled = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.1), initial_scale=8.0)
    scaled.build(model.trainable_variables)

def take_step(x, y):
    with tf.GradientTape() as tape:
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, model(x))
        loss = scaled.scale_loss(tf.reduce_sum(losses) / 64)
    replica = tf.distribute.get_replica_context()
    summed = replica.all_reduce("SUM", tape.gradient(loss, model.trainable_variables))
    scaled.apply([g / replica.num_replicas_in_sync for g in summed], model.trainable_variables)

for row in (0, 63):  # the first replica's, the second's
    x[row], before = np.nan, model.get_weights()
    for parts in both.experimental_distribute_dataset(
        tf.data.Dataset.from_tensor_slices((x, y)).batch(64)
    ):
        tf.function(lambda *parts: both.run(take_step, args=parts))(*parts)
    assert all(np.array_equal(a, b) for a, b in zip(before, model.get_weights()))
    x[row] = 0.0
assert scaled.dynamic_scale.numpy() == 2.0

keras.config.set_dtype_policy("mixed_float16")
spoilt = []
for row in (0, 63):
    x[row] = np.nan
    model, _ = fitted(both, lambda: keras.optimizers.SGD(0.1))
    spoilt.append(bool(np.isnan(model.get_weights()[0]).any()))
    x[row] = 0.0
assert spoilt == [False, True]

keras.config.set_dtype_policy("float32")
parts = [tf.pad(a[:60], [[0, 4]] + [[0, 0]] * (a.ndim - 1)) for a in (x, y, np.ones(64))]
ends = []
for strategy in (one, both):
    with strategy.scope():
        keras.utils.set_random_seed(0)
        model = keras.Sequential([keras.Input((3,)), layers.Dense(2)])
        loss = keras.losses.SparseCategoricalCrossentropy(
            from_logits=True, reduction="mean_with_sample_weight"
        )
        model.compile(keras.optimizers.SGD(0.5), loss, jit_compile=False)
    model.fit(tf.data.Dataset.from_tensor_slices(tuple(parts)).batch(64), shuffle=False, verbose=0)
    ends.append(model.get_weights()[0])
assert np.max(np.abs(ends[0] - ends[1])) > 1e-3

model.compile(keras.optimizers.SGD(0.5), loss, jit_compile=True)
try:
    model.fit(tf.data.Dataset.from_tensor_slices((x, y)).batch(64), verbose=0)
except tf.errors.InvalidArgumentError:
    print("raised")
"""


def test_on_two_replicas():
    said("20", "an optimizer's `update_step`, which gets the sum")
    said("20", "With replicas, pass this optimizer the sum of the gradients, divided by n")
    said("20", "with replicas, the optimizer may look at the first one's gradients only")
    command = [sys.executable, "-c", TWO_REPLICAS]
    said("20", "parts of different size, or different sums of weights, give a mean of means")
    said("20", "with copies on several devices it may raise an error")
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "raised\n"

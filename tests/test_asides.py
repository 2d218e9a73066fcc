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


def slope(f, x):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = f(x)
    return tape.gradient(y, x)


def test_an_operation_has_a_rule_or_a_note_or_is_missing():
    said("03", "For the usual ones it holds a rule for the slope")
    assert slope(tf.tanh, 1.0) is not None and slope(tf.round, 1.0) is None
    with pytest.raises(LookupError):
        slope(lambda x: tf.unique([x])[0][0], 1.0)


def test_a_number_under_the_root_may_be_too_much_and_a_smaller_one_is_not():
    said("03", "Nor will 1e-12 under the root do")
    of_root = lambda added: slope(lambda x: tf.sqrt(x**2 + added), 1e-15)  # noqa: E731
    assert of_root(1e-12) < 0.1 and np.isclose(of_root(1e-37), 1, atol=1e-3)


def test_two_plain_tapes_answer_for_two_targets():
    said("04", "On *one* tape, several *targets* need it")
    x = tf.Variable(2.0)
    with tf.GradientTape() as first, tf.GradientTape() as second:
        square, cube = x**2, x**3
    assert first.gradient(square, x) == 4 and second.gradient(cube, x) == 12


@pytest.mark.parametrize(
    "loop",
    [
        lambda x: [2 * entry for entry in x],
        lambda x: [entry for _, entry in enumerate(x)],
        lambda x: [a + b for a, b in zip(x, x, strict=True)],
    ],
)
def test_what_autograph_does_not_rewrite_is_an_error(loop):
    said("05", "over a tensor, `enumerate`, `zip` and a comprehension are errors")
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(loop)(tf.ones(3))


def test_a_comprehension_over_a_dataset_in_a_graph_never_ends():
    said("05", "A comprehension over a dataset never ends")
    passes = iter(range(1000))

    def traced(dataset):
        return [next(passes) for _ in dataset]

    three = tf.data.Dataset.range(3)
    assert traced(three) == [0, 1, 2]
    with pytest.raises(Exception, match="StopIteration|generator"):
        tf.function(traced)(three)
    assert next(passes, None) is None


def test_an_if_on_a_tensor_in_a_layer_is_an_error():
    said("05", "an `if` on a tensor in the `call` method of a Keras layer that you write")

    class Branching(layers.Layer):
        def call(self, x):
            return x if tf.reduce_sum(x) > 0 else -x

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(Branching())(tf.ones(3))


def test_the_slope_of_a_bisection_is_wrong_or_missing():
    said("05", "bisection, which moves by branches alone, gets a wrong slope, or none")

    def root(a, high):
        low = tf.zeros_like(a)
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if middle**2 > a else (middle, high)
        return (low + high) / 2

    a = tf.constant(10.0, tf.float64)
    for high_of, is_missing in (
        (lambda a: a + 1, False),
        (lambda a: tf.constant(16.0, a.dtype), True),
    ):
        with tf.GradientTape() as tape:
            tape.watch(a)
            g = root(a, high_of(a))
        gradient = tape.gradient(g, a)
        assert np.isclose(g, 10**0.5)
        assert gradient is None if is_missing else abs(gradient * 2 * 10**0.5 - 1) > 0.5


def test_tensorflow_on_a_cpu_has_no_numbers_below_the_normal_ones():
    said("07", "TensorFlow on a CPU makes the tiny 1/(1 + exp(x)) 0")
    with tf.device("CPU:0"):
        assert 1 / (1 + tf.exp(tf.constant(88.0))) == 0.0
    assert 1 / (1 + np.exp(np.float32(88))) > 0


def test_what_is_said_to_a_model_reaches_its_layers():
    said("09", "Where nothing is said, to it or to its model, the layer's own default counts")

    class Dropping(keras.Model):
        def __init__(self):
            super().__init__()
            self.dropout = layers.Dropout(0.5)

        def call(self, x):
            return self.dropout(x)

    ones, model = tf.ones((1, 1000)), Dropping()
    assert np.any(model(ones, training=True) == 0) and not np.any(model(ones) == 0)


def test_adam_hides_a_factor_on_the_whole_loss():
    said("09", "with Adam hardly a factor on the whole loss")
    moved = {}
    for kind in (keras.optimizers.SGD, keras.optimizers.Adam):
        weights = [tf.Variable([1.0, -2.0]) for _ in range(2)]
        for weight, factor in zip(weights, (1.0, 32.0), strict=True):
            optimizer = kind(0.01)
            for _ in range(5):
                with tf.GradientTape() as tape:
                    loss = factor * tf.reduce_sum(weight**2)
                optimizer.apply([tape.gradient(loss, weight)], [weight])
        moved[kind.__name__] = np.max(np.abs(weights[0] - weights[1]))
    assert moved["Adam"] < 1e-6 and moved["SGD"] > 0.1


def test_a_cache_in_a_file_keeps_a_lock_until_its_last_element_has_passed(tmp_path):
    said("10", "(A crash leaves a `.lockfile` beside those of `cache(filename)`: delete it.)")
    numbers = tf.data.Dataset.range(5).cache(str(tmp_path / "kept"))
    begun = iter(numbers)
    next(begun)
    assert list(tmp_path.glob("*.lockfile"))
    with pytest.raises(tf.errors.AlreadyExistsError):
        list(numbers)
    del begun
    assert len(list(numbers)) == 5 and not list(tmp_path.glob("*.lockfile"))


def test_slices_are_clipped_by_a_wrong_norm_where_an_index_repeats():
    said("11", "where an index repeats, their norm is wrong")
    slices = tf.IndexedSlices(tf.ones((4, 1)), tf.zeros(4, tf.int32), (1, 1))
    assert tf.norm(tf.convert_to_tensor(tf.clip_by_norm(slices, 1.0))) > 1.5
    assert np.isclose(tf.norm(tf.clip_by_norm(tf.convert_to_tensor(slices), 1.0)), 1)


def test_no_clipping_removes_what_is_not_finite():
    said("11", "By norm, an `inf` becomes `nan`; by global norm, either makes all gradients `nan`")
    gradients = [tf.constant([np.inf, 1.0]), tf.constant([1.0])]
    assert np.isnan(tf.clip_by_norm(gradients[0], 1.0)[0])
    assert all(np.all(np.isnan(g)) for g in tf.clip_by_global_norm(gradients, 1.0)[0])
    assert np.isnan(tf.clip_by_value([np.nan], -1.0, 1.0)[0])


def test_the_name_of_a_functional_model_inside_another_is_in_no_path():
    said("11", "The name of a functional model inside another is in no path")
    inputs = keras.Input((2,))
    inner = keras.Model(inputs, layers.Dense(3, name="body")(inputs), name="inner")
    outer_inputs = keras.Input((2,))
    outer = keras.Model(outer_inputs, layers.Dense(1)(inner(outer_inputs)), name="outer")
    assert not any("inner" in v.path for v in outer.trainable_variables)


def test_a_scaled_loss_and_an_embedding_raise():
    said("14", "(those of an `Embedding` layer raise an error)")
    model = keras.Sequential([keras.Input((2,), dtype="int32"), layers.Embedding(5, 3)])
    model.compile(keras.optimizers.SGD(0.1, loss_scale_factor=8.0), "mse")
    with pytest.raises(TypeError):
        model.fit(np.zeros((4, 2), "int32"), np.zeros((4, 2, 3)), verbose=0)


def test_inputs_that_their_own_gradient_moves_fit_into_compute_loss():
    said("14", "| inputs that their own gradient moves | `compute_loss`, too |")

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
    said("16", "log(1 - p) is flat: SGD hardly moves at first (Adam hides it, lesson 09)")
    moved = {}
    for kind in (keras.optimizers.SGD, keras.optimizers.Adam):
        logit = tf.Variable(-6.0)
        with tf.GradientTape() as tape:
            loss = tf.math.log(1 - tf.sigmoid(logit))
        kind(0.05).apply([tape.gradient(loss, logit)], [logit])
        moved[kind.__name__] = float(logit) + 6
    assert moved["SGD"] < 1e-3 and np.isclose(moved["Adam"], 0.05, rtol=1e-2)


def test_a_graph_drops_the_slopes_that_nobody_asks_for():
    said("19", "(A graph drops them again; eager code runs them.)")
    x = tf.random.stateless_normal((5, 1), seed=(1, 9))
    weights = [
        tf.Variable(tf.ones((1, 4))),
        tf.Variable(tf.ones((4, 4))),
        tf.Variable(tf.ones((4, 1))),
    ]

    def products(watched):
        """Return how many matrix products are recorded, and how many the gradients need."""

        @tf.function
        def gradients():
            with tf.GradientTape() as tape:
                with tf.GradientTape(watch_accessed_variables=watched) as inner:
                    inner.watch(x)
                    u = tf.tanh(tf.tanh(x @ weights[0]) @ weights[1]) @ weights[2]
                loss = tf.reduce_sum(inner.gradient(u, x) ** 2)
            return tape.gradient(loss, weights)

        graph = gradients.get_concrete_function().graph
        waiting, needed = [output.op for output in graph.outputs], set()
        while waiting:
            operation = waiting.pop()
            if operation not in needed:
                needed.add(operation)
                waiting += [each.op for each in operation.inputs]
        return [
            sum(o.type == "MatMul" for o in operations)
            for operations in (graph.get_operations(), needed)
        ]

    (recorded, needed), (recorded_all, needed_all) = products(False), products(True)
    assert recorded < recorded_all and needed == needed_all


def test_the_statistics_of_an_empty_part_are_nan():
    said("20", "of the replica's own part (of an empty one: `nan`)")
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
    said("20", "`update_step` of an optimizer, which gets the sum")
    said("20", "With replicas, hand it the sum, an n-th each, as `clip_the_sum` does")
    said("20", "with replicas, the optimizer may look at the first one's gradients alone")
    command = [sys.executable, "-c", TWO_REPLICAS]
    said("20", "parts of unlike sizes, or unlike sums of weights: a mean of means")
    said("20", "with copies on several devices it may raise")
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "raised\n"

"""Trained models, whose biases are tiny: right gradients pass, and mistakes in them are found."""

import itertools

import keras
import numpy as np
import pytest
import tensorflow as tf

from benchmarks.gradient_check_trained import Outcome, trained_models
from gradient_tools import check_gradients


@pytest.mark.parametrize("kind", ["MLP", "recurrent", "embedding"])
def test_a_lightly_trained_model_passes_and_its_planted_mistake_does_not(kind, seeds):
    """`benchmarks/gradient_check_trained.py` checks 500 models."""
    models = itertools.islice(trained_models([kind]), seeds.start, seeds.stop)
    checks = [
        judged
        for seed, trained in enumerate(models, seeds.start)
        for judged in (trained.right(seed), trained.planted(seed))
    ]
    assert len(checks) == 2 * len(seeds)
    # How each processor rounds decides where a trained relu is, and so whether a kink is near.
    undecided = [judged for judged in checks if judged.outcome is Outcome.UNDECIDED]
    for judged in checks:
        assert judged.outcome is Outcome.AS_EXPECTED or judged in undecided, judged.text
    assert len(undecided) <= len(checks) // 10, undecided[0].text


@pytest.mark.parametrize("size", [1e-6, 1e-4, 1e-2])
@pytest.mark.parametrize("factor", [1.0, 1.05, 0.0, -1.0])
def test_a_tiny_bias_is_judged_by_a_step_beyond_its_size(size, factor):
    rng = np.random.default_rng(1)
    x, y = (tf.constant(rng.normal(size=(32, n)), tf.float32) for n in (4, 1))
    w = tf.Variable(rng.normal(size=(4, 1)).astype("float32"))
    b = tf.Variable((size * rng.normal(size=1)).astype("float32"), name="b")

    def loss():
        return tf.reduce_mean(tf.math.softplus(x @ w + b - y))

    with tf.GradientTape() as tape:
        value = loss()
    right = tape.gradient(value, b)
    for seed in range(4):
        rows = check_gradients(loss, [b], grads=[factor * right], seed=seed).rows
        assert [row.verdict for row in rows] == ["agrees" if factor == 1 else "disagrees"]
        assert rows[0].error_bar < 0.05 * abs(rows[0].numeric)


def test_no_row_agrees_within_a_bar_that_any_number_would_fit():
    keras.utils.set_random_seed(3)
    x, y = tf.random.normal((12, 4)), tf.random.normal((12, 1))
    model = keras.Sequential(
        [
            keras.Input((4,)),
            keras.layers.Dense(5, name="hidden"),
            keras.layers.BatchNormalization(),
            keras.layers.Dense(1),
        ]
    )
    model.compile("sgd", "mse")
    model.fit(x, y, epochs=2, verbose=0)
    for training in (False, True):
        report = check_gradients(
            lambda t=training: tf.reduce_mean((model(x, training=t) - y) ** 2), model
        )
        assert report.passed, report
        for row in report.rows:
            if "zero except for rounding" not in row.hint:
                assert row.error_bar <= 0.05 * abs(row.analytic)
            else:
                assert training and row.error_bar < 1e-3
                assert row.name.endswith("hidden/bias")
    large = check_gradients(lambda: 1e5 * tf.reduce_mean((model(x) - y) ** 2), model)
    assert large.passed, large


def test_a_step_beyond_the_own_size_blames_no_function_that_swings():
    for seed in range(10):
        x = np.full(3, 1e-6, "float32")
        (row,) = check_gradients(lambda x: 1e4 + tf.reduce_sum(tf.sin(1e5 * x)), x, seed=seed).rows
        assert row.verdict != "disagrees"

"""A verdict follows from the numbers beside it, also where a function is full of kinks."""

import functools

import numpy as np
import pytest
import tensorflow as tf

from course_utils import check_gradients

SEEDS = range(30)


@functools.cache
def kinked_network(activation=tf.nn.relu, pool=False, fill=0.0, bias=0.0, dtype="float32"):
    """Build a small network whose images have a constant border, and what draws it anew.

    Where the border is zero and so is a bias, the activation stands exactly at its kink.
    """
    shapes = {"w0": (3, 3, 1, 3), "b0": (3,), "w1": (2, 2, 3, 3), "b1": (3,)}
    shapes |= {"w2": (12 if pool else 27, 3), "b2": (3,)}
    variables = [tf.Variable(tf.zeros(s, dtype), name=name) for name, s in shapes.items()]
    images = tf.Variable(tf.zeros((3, 8, 8, 1), dtype))
    w0, b0, w1, b1, w2, b2 = variables

    @tf.function
    def loss():
        h = activation(tf.nn.conv2d(images, w0, 1, "VALID") + b0)  # (3, 6, 6, 3)
        if pool:
            h = tf.nn.max_pool2d(h, 2, 2, "VALID")
        h = activation(tf.nn.conv2d(h, w1, 1 if pool else 2, "VALID") + b1)
        logits = tf.reshape(h, (3, -1)) @ w2 + b2
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1, 2], logits))

    def draw(seed):
        rng = np.random.default_rng(seed)
        pixels = np.full(images.shape, fill)
        pixels[:, 3:7, 3:7] = rng.random((3, 4, 4, 1))
        images.assign(pixels)
        for v in variables:
            spread = 1.4 / np.sqrt(np.prod(v.shape[:-1]))
            v.assign(rng.normal(size=v.shape) * spread if len(v.shape) > 1 else np.full(3, bias))

    return loss, variables, draw


NETWORKS = {
    "relu": {},
    "relu on a grey border": {"fill": 0.5},
    "relu away from zero": {"bias": 0.1},
    "leaky relu, float64": {"activation": tf.nn.leaky_relu, "dtype": "float64"},
    "max-pooling": {"pool": True},
}


@pytest.mark.parametrize("name", NETWORKS)
def test_no_row_of_a_kinked_network_contradicts_itself_or_blames_a_right_gradient(name):
    loss, variables, draw = kinked_network(**NETWORKS[name])
    found = []
    for seed in SEEDS:
        draw(seed)
        rows = check_gradients(loss, variables, seed=seed).rows
        found += [(seed, row) for row in rows]
        # What stands behind the kinks is checked all the same.
        assert [row.verdict for row in rows[-2:]] == ["agrees", "agrees"]
    blamed = [(seed, row.name) for seed, row in found if row.verdict == "disagrees"]
    against = [
        (seed, row.name, m.difference, m.error_bar)
        for seed, row in found
        for m in row.measurements
        if row.verdict == "agrees" and abs(m.difference) > m.error_bar
    ]
    assert (blamed, against) == ([], [])
    verdicts = [row.verdict for _, row in found if row.name == "b0"]
    if "bias" in NETWORKS[name] or "fill" in NETWORKS[name]:
        assert verdicts.count("agrees") > len(SEEDS) / 2
    else:
        assert verdicts.count("kink nearby") > len(SEEDS) / 2

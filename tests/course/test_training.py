"""The epoch of lesson 10 trains as `fit` does, and images are shifted within bounds."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers

from course_utils import make_train_epoch, shift_images

LOSS = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def new_model():
    keras.utils.set_random_seed(3)
    hidden = layers.Dense(8, "tanh", kernel_regularizer=keras.regularizers.L2(0.1))
    return keras.Sequential(
        [keras.Input((4,)), hidden, layers.Dropout(0.3, seed=3), layers.Dense(3)]
    )


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    return rng.normal(size=(50, 4)).astype("float32"), rng.integers(0, 3, 50)


def test_an_epoch_ends_with_the_weights_and_the_loss_of_fit(data):
    x, y = data
    ours, theirs = new_model(), new_model()
    train_epoch = make_train_epoch(ours, keras.optimizers.Adam(1e-2), LOSS, x, y, batch_size=16)
    theirs.compile(keras.optimizers.Adam(1e-2), LOSS, metrics=["accuracy"])
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(50)  # the last batch has 2
        loss, accuracy = train_epoch(order)
        fit = theirs.fit(x[order], y[order], batch_size=16, shuffle=False, verbose=0).history
        assert np.isclose(loss, fit["loss"][0], rtol=1e-4)
        assert np.isclose(accuracy, fit["accuracy"][0])
    pairs = list(zip(ours.get_weights(), theirs.get_weights(), strict=True))
    assert all(np.allclose(a, b, atol=1e-5) for a, b in pairs)
    assert not np.allclose(ours.get_weights()[0], new_model().get_weights()[0], atol=1e-2)
    assert train_epoch.experimental_get_tracing_count() == 1


def test_an_epoch_trains_only_on_the_rows_of_its_order(data):
    x, y = data
    x[7] = np.nan
    model = new_model()
    train_epoch = make_train_epoch(model, keras.optimizers.SGD(0.1), LOSS, x, y)
    train_epoch(np.delete(np.arange(50), 7))
    assert all(np.isfinite(weight).all() for weight in model.get_weights())


def test_a_change_is_made_to_each_batch(data):
    x, y = data
    sums = []

    def double(batch):
        sums.append(batch.shape)
        return 2 * batch

    ours, theirs = new_model(), new_model()
    make_train_epoch(ours, keras.optimizers.SGD(0.1), LOSS, x, y, change=double)(np.arange(50))
    make_train_epoch(theirs, keras.optimizers.SGD(0.1), LOSS, 2 * x, y)(np.arange(50))
    assert len(sums) == 1  # traced once
    pairs = zip(ours.get_weights(), theirs.get_weights(), strict=True)
    assert all(np.allclose(a, b, atol=1e-6) for a, b in pairs)


@pytest.mark.parametrize(
    ("labels", "batch_size", "message"),
    [(49, 16, "x has 50 examples, but y has 49 labels"), (50, 0, "batch_size is 0")],
)
def test_bad_input_is_an_error_that_says_what_was_given(data, labels, batch_size, message):
    x, y = data
    with pytest.raises(ValueError, match=message):
        make_train_epoch(
            new_model(), keras.optimizers.SGD(), LOSS, x, y[:labels], batch_size=batch_size
        )


def test_images_are_shifted_each_by_its_own_distance_and_not_too_far():
    images = np.zeros((200, 9, 9, 1), "float32")
    images[:, 4, 4] = 1.0
    shifted = shift_images(tf.constant(images), 2, tf.random.Generator.from_seed(1))
    assert shifted.shape == (200, 9, 9, 1) and np.all(np.sum(shifted, axis=(1, 2, 3)) == 1)
    _, rows, columns, _ = np.nonzero(shifted)
    assert set(rows) == set(columns) == {2, 3, 4, 5, 6}
    same = shift_images(tf.constant(images), 0, tf.random.Generator.from_seed(1))
    assert np.array_equal(same, images)


def test_the_same_seed_repeats_the_shifts():
    images = tf.random.stateless_normal((5, 9, 9, 2), seed=(1, 2))
    first, again = (shift_images(images, 3, tf.random.Generator.from_seed(4)) for _ in range(2))
    assert np.array_equal(first, again) and not np.array_equal(first, images)

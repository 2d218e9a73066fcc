"""The epoch that lesson 10 builds, for the lessons that train with it, and shifted images."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import keras
    import tensorflow as tf

__all__ = ["make_train_epoch", "shift_images"]


def make_train_epoch(
    model: "keras.Model",
    optimizer: "keras.optimizers.Optimizer",
    loss_fn: Callable[[Any, Any], Any],
    x: Any,
    y: Any,
    *,
    batch_size: int = 128,
    change: "Callable[[tf.Tensor], tf.Tensor] | None" = None,
) -> "Callable[[Any], tuple[tf.Tensor, tf.Tensor]]":
    """Return a compiled function that trains a classifier for one epoch.

    Parameters
    ----------
    model : keras.Model
        Returns logits of shape (batch, classes). The loss includes its penalties, ``model.losses``.
    optimizer : keras.optimizers.Optimizer
        Built here, so that tracing creates no variables.
    loss_fn : callable
        Called with labels and logits. Returns the mean loss of the batch.
    x : array-like of shape (n, ...)
        The examples. They are not shuffled. Each epoch gets an order of their rows.
    y : array-like of shape (n,)
        The classes, integers.
    batch_size : int, optional
        Examples per step, 128 by default. The last batch of an epoch may be smaller.
    change : callable, optional
        Changes the examples of a batch before the step, such as :func:`shift_images`. It becomes
        part of the graph, so its random numbers must come from TensorFlow.

    Returns
    -------
    callable
        ``train_epoch(order)``, where order has shape (m,) and holds the row numbers to train on. It
        returns the mean loss and the accuracy over the epoch. Each batch counts as the model was
        before its update.

    Raises
    ------
    ValueError
        If x and y differ in length, or batch_size is not positive.

    Examples
    --------
    >>> import keras, numpy as np
    >>> model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(3)])
    >>> loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    >>> x, y = np.ones((10, 2), "float32"), np.zeros(10, int)
    >>> train_epoch = make_train_epoch(model, keras.optimizers.SGD(0.1), loss_fn, x, y)
    >>> losses = [float(train_epoch(np.arange(10))[0]) for _ in range(3)]
    >>> losses[0] > losses[1] > losses[2]
    True
    """
    import tensorflow as tf

    if len(x) != len(y):
        raise ValueError(
            f"x has {len(x)} examples, but y has {len(y)} labels: give one label for each example."
        )
    if batch_size < 1:
        raise ValueError(f"batch_size is {batch_size}, but it must be at least 1.")
    x, y = tf.convert_to_tensor(x), tf.cast(y, tf.int64)
    optimizer.build(model.trainable_variables)

    @tf.function
    def train_epoch(order: Any) -> Any:
        loss_sum, correct = 0.0, 0
        for first in tf.range(0, tf.size(order), batch_size):
            rows = order[first : first + batch_size]
            x_batch, y_batch = tf.gather(x, rows), tf.gather(y, rows)
            if change is not None:
                x_batch = change(x_batch)
            with tf.GradientTape() as tape:
                logits = model(x_batch, training=True)
                loss = loss_fn(y_batch, logits) + sum(model.losses)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply(gradients, model.trainable_variables)
            loss_sum += loss * tf.cast(tf.size(rows), tf.float32)
            is_right = tf.argmax(logits, 1) == y_batch
            correct += tf.math.count_nonzero(is_right, dtype=tf.int32)
        return loss_sum / tf.cast(tf.size(order), tf.float32), correct / tf.size(order)

    return train_epoch


def shift_images(images: "tf.Tensor", most: int, generator: "tf.random.Generator") -> "tf.Tensor":
    """Shift each image at random, by at most some pixels. Zeros fill the gap.

    Parameters
    ----------
    images : tf.Tensor of shape (n, height, width, channels)
    most : int
        The largest shift in pixels, horizontally and vertically. With 0, nothing is shifted.
    generator : tf.random.Generator
        Draws the shifts. If you save its state with the training, they can be repeated.

    Returns
    -------
    tf.Tensor of shape (n, height, width, channels)

    Examples
    --------
    >>> import tensorflow as tf
    >>> images = tf.reshape(tf.range(1.0, 10.0), (1, 3, 3, 1))
    >>> shifted = shift_images(images, 1, tf.random.Generator.from_seed(0))
    >>> shifted.shape, set(shifted.numpy().ravel()) <= set(range(10))
    (TensorShape([1, 3, 3, 1]), True)
    """
    import tensorflow as tf

    n, height, width = tf.unstack(tf.shape(images)[:3])
    corners = generator.uniform((2, n, 1), 0, 2 * most + 1, tf.int32)
    padded = tf.pad(images, [[0, 0], [most, most], [most, most], [0, 0]])
    # From each padded image, the rows and then the columns that begin at its corner.
    cut = tf.gather(padded, corners[0] + tf.range(height), axis=1, batch_dims=1)
    cut = tf.gather(cut, corners[1] + tf.range(width), axis=2, batch_dims=1)
    return tf.ensure_shape(cut, images.shape)

"""Functions whose gradient is right, and functions with a planted mistake, at random points.

`CORRECT`, `MISTAKES` and `KINKED` are shared by the tests, with few seeds, and the benchmark, with
many.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import keras
import numpy as np
import tensorflow as tf

__all__ = ["CORRECT", "KINKED", "MISTAKES", "Case", "Kinked"]


@dataclass(frozen=True)
class Case:
    """A function, where to check it, and which rows are wrong.

    ``build`` gives the function and its variables or starting tensors once; ``draw`` gives new
    values for them for each seed. ``grads`` derives gradients by hand, right or wrong.
    """

    name: str
    build: Callable[[], tuple[Callable, list]]
    draw: Callable[[np.random.Generator, np.ndarray], np.ndarray]
    wrong: tuple[int, ...] = ()
    grads: Callable[[Callable, list], list] | None = None
    options: dict = field(default_factory=dict)

    def check(self, seed: int) -> object:
        """Draw new values from the seed, and check there with the same seed."""
        from course_utils import check_gradients

        f, at = _built(self.build)
        rng = np.random.default_rng(10_000 + seed)
        if isinstance(at[0], tf.Variable | keras.Variable):
            for variable in at:
                value = self.draw(rng, np.asarray(variable))
                variable.assign(tf.cast(value, variable.dtype))
        else:
            at = [self.draw(rng, x).astype(x.dtype) for x in at]
        grads = None if self.grads is None else self.grads(f, at)
        return check_gradients(f, at, grads=grads, seed=seed, **self.options)

    def failures(self, seed: int) -> list[str]:
        """Return what the check got wrong: a row blamed in vain, or a mistake that it missed."""
        rows = self.check(seed).rows
        return [
            f"{self.name}, seed {seed}: {row.name} is {row.verdict!r}, not {wanted!r} "
            f"(analytic {row.analytic:.6g}, numeric {row.numeric:.6g} +- {row.error_bar:.2g})"
            for i, row in enumerate(rows)
            if row.verdict != (wanted := "disagrees" if i in self.wrong else "agrees")
        ]


_built = functools.cache(lambda build: build())


def _normal(rng: np.random.Generator, value: np.ndarray) -> np.ndarray:
    """Draw like an initializer: by the number of inputs for matrices, small for vectors."""
    inputs = int(np.prod(value.shape[:-1])) if value.ndim > 1 else 4
    return rng.normal(size=value.shape) / np.sqrt(inputs)


def _around(size: float) -> Callable:
    return lambda rng, value: size * rng.uniform(0.5, 1.5, value.shape)


def _away_from_zero(rng: np.random.Generator, value: np.ndarray) -> np.ndarray:
    return rng.uniform(0.5, 1.5, value.shape) * rng.choice([-1.0, 1.0], value.shape)


def _fixed(shape: Sequence[int], dtype: str, seed: int = 7) -> tf.Tensor:
    return tf.constant(np.random.default_rng(seed).normal(size=shape), dtype)


def _variables(dtype: str, *shapes: tuple[int, ...]) -> list[tf.Variable]:
    return [tf.Variable(tf.zeros(shape, dtype), name=f"w{i}") for i, shape in enumerate(shapes)]


def _network(
    dtype: str,
    activation: Callable = tf.tanh,
    sizes: tuple[int, int, int] = (64, 32, 10),
    batch: int = 32,
    spoil: Callable[[list], list] = list,
) -> tuple[Callable, list]:
    """Build a two-layer classifier; ``spoil`` may put wrong gradients on its four variables."""
    inputs, hidden, classes = sizes
    x = _fixed((batch, inputs), dtype)
    y = tf.constant(np.random.default_rng(8).integers(0, classes, batch))
    variables = _variables(dtype, (inputs, hidden), (hidden,), (hidden, classes), (classes,))

    def loss() -> tf.Tensor:
        w0, b0, w1, b1 = spoil(variables)
        logits = activation(x @ w0 + b0) @ w1 + b1
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))

    return loss, variables


def _layer(layer: Callable, shape: tuple[int, ...], dtype: str, **call: bool) -> tuple:
    """Build a Keras layer under a smooth scalar loss; in a graph, as a training step would be."""
    x = _fixed(shape, dtype)
    layer = layer()
    target = _fixed(layer(x, **call).shape, dtype, seed=9)
    loss = tf.function(lambda: tf.reduce_mean((layer(x, **call) - target) ** 2))
    return loss, layer.trainable_variables


def _embedding() -> tuple[Callable, list]:
    (table,) = _variables("float32", (50, 8))
    words = tf.constant([[3, 1, 4], [1, 5, 9], [2, 6, 5]])
    return lambda: tf.reduce_sum(tf.tanh(tf.gather(table, words)) ** 2), [table]


def _loop() -> tuple[Callable, list]:
    w, b = _variables("float32", (6, 6), (6,))
    x = _fixed((4, 6), "float32")

    @tf.function
    def loss() -> tf.Tensor:
        def body(i: tf.Tensor, h: tf.Tensor) -> tuple:
            return i + 1, tf.tanh(h @ w + b)

        return tf.reduce_sum(tf.while_loop(lambda i, h: i < 5, body, (0, x))[1] ** 2)

    return loss, [w, b]


def _log_determinant() -> tuple[Callable, list]:
    def f(a: tf.Tensor) -> tf.Tensor:
        return tf.linalg.logdet(a @ tf.transpose(a) + tf.eye(6, dtype=a.dtype))

    return f, [np.zeros((6, 6))]


def _attention() -> tuple[Callable, list]:
    def f(q: tf.Tensor, k: tf.Tensor, v: tf.Tensor) -> tf.Tensor:
        return tf.nn.softmax(q @ tf.transpose(k)) @ v

    return f, [np.zeros((5, 8), "float32") for _ in range(3)]


def _of_one(function: Callable, shape: tuple[int, ...], dtype: str) -> Callable:
    """Return a builder of ``function`` of one tensor."""
    return lambda: (function, [np.zeros(shape, dtype)])


_tanh_squared = _of_one(lambda x: tf.reduce_sum(tf.tanh(x) ** 2), (1000,), "float32")
_cube = _of_one(lambda x: x**3, (), "float32")
_log = _of_one(lambda x: tf.reduce_sum(tf.math.log(x)), (3,), "float32")
_log64 = _of_one(lambda x: tf.math.log(x), (), "float64")
_absolute = _of_one(lambda x: tf.reduce_sum(tf.abs(x)), (40,), "float32")
_mean = _of_one(lambda x: tf.reduce_mean(tf.sin(x)), (100_000,), "float32")
_rosenbrock = _of_one(
    lambda x: tf.reduce_sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2), (9,), "float64"
)
_offset = _of_one(lambda x: 100.0 + tf.reduce_sum(tf.exp(x)), (5,), "float32")
_conv = functools.partial(
    _layer, lambda: keras.layers.Conv2D(4, 3, activation="gelu"), (2, 8, 8, 3), "float32"
)
_recurrent = functools.partial(_layer, lambda: keras.layers.GRU(5), (3, 6, 4), "float32")
_normalised = functools.partial(
    _layer,
    lambda: keras.Sequential(
        [keras.layers.Dense(6), keras.layers.BatchNormalization(), keras.layers.Dense(3)]
    ),
    (16, 5),
    "float32",
    training=True,
)
_relu_network = functools.partial(_network, "float32", tf.nn.relu)

CORRECT = (
    Case("sum(tanh(x)**2), n = 1000, float32", _tanh_squared, _normal),
    Case("x**3 at 1e5, float32", _cube, _around(1e5)),
    Case("log at 1e-3, float32", _log, _around(1e-3)),
    Case("log at 1e-3, float64", _log64, _around(1e-3)),
    Case("embedding, float32", _embedding, _normal),
    Case("convolution, float32", _conv, _normal),
    Case("recurrent layer, float32", _recurrent, _normal),
    Case("BatchNorm in training mode, float32", _normalised, _away_from_zero),
    Case("while_loop, float32", _loop, _normal),
    Case("tanh network, float64", functools.partial(_network, "float64"), _normal),
    Case("tanh network, float32", functools.partial(_network, "float32"), _normal),
    Case("relu network, float32", _relu_network, _normal),
    Case("sum(|x|), float32", _absolute, _normal),
    Case("mean(sin(x)), n = 100,000, float32", _mean, _normal),
    Case("log determinant, float64", _log_determinant, _normal),
    Case("attention, tensor-valued, float32", _attention, _normal),
    Case("Rosenbrock, float64", _rosenbrock, _away_from_zero),
    Case("100 + sum(exp(x)), float32", _offset, _normal),
    Case("Rosenbrock, second order", _rosenbrock, _away_from_zero, options={"order": 2}),
    Case("while_loop, second order, float32", _loop, _normal, options={"order": 2}),
)


def _scaled(x: tf.Variable | tf.Tensor, factor: float) -> tf.Tensor:
    """Return x itself, with a gradient that is wrong by a factor."""
    rule = tf.custom_gradient(lambda x: (tf.identity(x), lambda upstream: factor * upstream))
    return rule(tf.convert_to_tensor(x))


def _spoiled(index: int, factor: float) -> Callable[[list], list]:
    return lambda variables: [
        _scaled(v, factor) if i == index else v for i, v in enumerate(variables)
    ]


def _wrong_network(index: int, factor: float, **settings: object) -> Callable:
    return functools.partial(_network, "float32", spoil=_spoiled(index, factor), **settings)


@tf.custom_gradient
def _wrong_tanh(x: tf.Tensor) -> tuple:
    """Compute tanh with the derivative 1 - x**2, where 1 - tanh(x)**2 is right."""
    return tf.tanh(x), lambda upstream: upstream * (1 - x**2)


@tf.custom_gradient
def _forgetful_square(x: tf.Tensor) -> tuple:
    """Square, with a rule that forgets to multiply by its upstream gradient."""
    return x**2, lambda upstream: 2 * x


@tf.custom_gradient
def _once_differentiable_cube(x: tf.Tensor) -> tuple:
    """Cube with a right first derivative whose own derivative misses one of two terms."""
    return x**3, lambda upstream: upstream * 3 * x * tf.stop_gradient(x)


def _transposed() -> tuple[Callable, list]:
    (w,) = _variables("float32", (8, 8))
    x = _fixed((16, 8), "float32")
    flip = tf.custom_gradient(lambda w: (tf.identity(w), lambda up: tf.transpose(up)))
    return lambda: tf.reduce_mean((x @ flip(tf.convert_to_tensor(w))) ** 2), [w]


def _stopped_branch() -> tuple[Callable, list]:
    w, b = _variables("float32", (8, 8), (8,))
    x = _fixed((16, 8), "float32")

    def loss() -> tf.Tensor:
        first = tf.tanh(x @ w + b)
        return tf.reduce_mean(tf.tanh(first @ tf.stop_gradient(w)) ** 2)

    return loss, [w, b]


def _forgets_rows() -> tuple[Callable, list]:
    """Look up words with a rule that drops the gradient of every other word."""
    (table,) = _variables("float32", (50, 8))
    words = tf.constant([3, 1, 4, 1, 5, 9, 2, 6])
    keep = tf.constant([[1.0], [0.0]] * 4)
    look_up = tf.custom_gradient(lambda x: (tf.identity(x), lambda up: up * keep))
    return lambda: tf.reduce_sum(tf.sin(look_up(tf.gather(table, words)))), [table]


def _by_hand(change: Callable[[list], list]) -> Callable:
    """Return what changes the right gradients of a function into wrong ones."""

    def grads(f: Callable, at: list) -> list:
        with tf.GradientTape() as tape:
            y = f()
        return change([tf.convert_to_tensor(g).numpy() for g in tape.gradient(y, at)])

    return grads


def _one_entry_off(grads: list) -> list:
    """Change the first entry that is not smaller than the average by half."""
    flat = grads[0].reshape(-1)
    flat[np.argmax(np.abs(flat) >= np.mean(np.abs(flat)))] *= 1.5
    return grads


_wide_network = functools.partial(_network, "float32", sizes=(256, 64, 10))

MISTAKES = (
    Case("a bias off by 10 %", _wrong_network(1, 1.1), _normal, (1,)),
    Case("a weight matrix off by 1 %", _wrong_network(0, 1.01), _normal, (0,)),
    Case("a zeroed bias", _wrong_network(3, 0.0), _normal, (3,)),
    Case("a sign", _wrong_network(2, -1.0), _normal, (2,)),
    Case("a transposition", _transposed, _normal, (0,)),
    Case(
        "sum for mean, by hand",
        functools.partial(_network, "float32"),
        _normal,
        (0, 1, 2, 3),
        _by_hand(lambda grads: [32 * g for g in grads]),
    ),
    Case(
        "a wrong activation derivative",
        functools.partial(_network, "float32", _wrong_tanh),
        _normal,
        (0, 1),
    ),
    Case("a stopped branch", _stopped_branch, _normal, (0,)),
    Case(
        "a custom_gradient that forgets upstream",
        _of_one(lambda x: tf.reduce_sum(_forgetful_square(x)), (7,), "float32"),
        _away_from_zero,
        (0,),
    ),
    Case(
        "a missing term of the second order",
        _of_one(lambda x: tf.reduce_sum(_once_differentiable_cube(x)), (7,), "float32"),
        _away_from_zero,
        (0,),
        options={"order": 2},
    ),
    Case("half of the rows dropped", _forgets_rows, _normal, (0,)),
    Case("relu: a bias off by 10 %", _wrong_network(1, 1.1, activation=tf.nn.relu), _normal, (1,)),
    Case(
        "relu: a weight matrix off by 1 %",
        _wrong_network(0, 1.01, activation=tf.nn.relu),
        _normal,
        (0,),
    ),
    Case("relu: a zeroed bias", _wrong_network(1, 0.0, activation=tf.nn.relu), _normal, (1,)),
    Case(
        "one entry of 16,384 off by half, by hand",
        _wide_network,
        _normal,
        (0,),
        _by_hand(_one_entry_off),
    ),
)


@dataclass(frozen=True)
class Kinked:
    """A small network whose images have a constant border.

    Where the border (``fill``) is zero and so is a bias, the activation stands exactly at its kink.
    """

    name: str
    activation: Callable = tf.nn.relu
    pool: bool = False
    fill: float = 0.0
    bias: float = 0.0
    dtype: str = "float32"

    def check(self, seed: int) -> list:
        """Draw new images and values from the seed, and return the rows of a check there."""
        from course_utils import check_gradients

        loss, images, variables = _built_kinked(self)
        rng = np.random.default_rng(seed)
        pixels = np.full(images.shape, self.fill)
        pixels[:, 3:7, 3:7] = rng.random((3, 4, 4, 1))
        images.assign(pixels)
        for v in variables:
            spread = 1.4 / np.sqrt(np.prod(v.shape[:-1]))
            is_bias = len(v.shape) == 1
            v.assign(np.full(3, self.bias) if is_bias else rng.normal(size=v.shape) * spread)
        return check_gradients(loss, variables, seed=seed).rows

    def failures(self, seeds: Iterable[int]) -> list[str]:
        """Return every row that is blamed in vain or contradicts the numbers beside it."""
        failures, first = [], []
        for seed in seeds:
            rows = self.check(seed)
            where = f"{self.name}, seed {seed}"
            for row in rows:
                against = [m for m in row.measurements if abs(m.difference) > m.error_bar]
                if row.verdict == "disagrees" or (row.verdict == "agrees" and against):
                    failures.append(f"{where}: {row.name} {row.verdict}, {against}")
            # What stands behind the kinks is checked all the same.
            if [row.verdict for row in rows[-2:]] != ["agrees", "agrees"]:
                failures.append(f"{where}: the last layer {rows[-2:]}")
            first.append(rows[1].verdict)  # of the bias that stands at the kink, or away from it
        usual = "agrees" if self.fill or self.bias else "kink nearby"
        if first.count(usual) <= len(first) / 2:
            failures.append(f"{self.name}: {usual!r} is {first.count(usual)} of {len(first)}")
        return failures


@functools.cache
def _built_kinked(network: Kinked) -> tuple[Callable, tf.Variable, list[tf.Variable]]:
    activation, pool, dtype = network.activation, network.pool, network.dtype
    shapes = {"w0": (3, 3, 1, 3), "b0": (3,), "w1": (2, 2, 3, 3), "b1": (3,)}
    shapes |= {"w2": (12 if pool else 27, 3), "b2": (3,)}
    variables = [tf.Variable(tf.zeros(s, dtype), name=name) for name, s in shapes.items()]
    images = tf.Variable(tf.zeros((3, 8, 8, 1), dtype))
    w0, b0, w1, b1, w2, b2 = variables

    @tf.function
    def loss() -> tf.Tensor:
        h = activation(tf.nn.conv2d(images, w0, 1, "VALID") + b0)  # (3, 6, 6, 3)
        if pool:
            h = tf.nn.max_pool2d(h, 2, 2, "VALID")
        h = activation(tf.nn.conv2d(h, w1, 1 if pool else 2, "VALID") + b1)
        logits = tf.reshape(h, (3, -1)) @ w2 + b2
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1, 2], logits))

    return loss, images, variables


KINKED = (
    Kinked("relu"),
    Kinked("relu on a grey border", fill=0.5),
    Kinked("relu away from zero", bias=0.1),
    Kinked("leaky relu, float64", tf.nn.leaky_relu, dtype="float64"),
    Kinked("max-pooling", pool=True),
)

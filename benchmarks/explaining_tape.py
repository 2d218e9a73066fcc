"""Measure what a training step costs under `ExplainingTape`, beside `tf.GradientTape`."""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

_EXPLANATION = """
One eager training step of three models, side by side in one run: forward pass, loss, gradients and
the optimizer's update, with each tape in turn. The time is that of the processor in the thread that
trains, so that other programs on the machine disturb it less. Nothing is to be explained: each
gradient is there, finite, and not zero.

It needs about two minutes. It has no bound: `ExplainingTape` is for understanding a program, and
its cost is there to be seen.
"""


def main() -> int:
    """Measure every model with both tapes, and print the times and their ratio."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=_EXPLANATION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--pairs", type=int, default=9, help="of rounds, one for each tape (9)")
    parser.add_argument("--steps", type=int, default=40, help="in a round (40)")
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parents[1]))
    columns = ("model", "GradientTape, ms", "ExplainingTape, ms", "ratio (smallest to largest)")
    table = Table(*columns, title="A training step")
    for name, build in _MODELS.items():
        plain, explaining = _measured(build(), options.pairs, options.steps)
        ratios = [b / a for a, b in zip(plain, explaining, strict=True)]
        spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
        times = [f"{1000 * statistics.median(each):.2f}" for each in (plain, explaining)]
        table.add_row(name, *times, f"{statistics.median(ratios):.2f} ({spread})")
    Console().print(table)
    return 0


def _measured(
    step: Callable[[Any], None], pairs: int, steps: int
) -> tuple[list[float], list[float]]:
    """Return the seconds of a step with each tape, one number for each round."""
    import tensorflow as tf

    from gradient_tools import ExplainingTape

    seconds: dict[Any, list[float]] = {tf.GradientTape: [], ExplainingTape: []}
    for tape in seconds:
        step(tape)
    for _ in range(pairs):
        for tape, rounds in seconds.items():
            start = time.thread_time()
            for _ in range(steps):
                step(tape)
            rounds.append((time.thread_time() - start) / steps)
    plain, explaining = seconds.values()
    return plain, explaining


def _linear() -> Callable[[Any], None]:
    import tensorflow as tf

    w, b = tf.Variable([[1.0]]), tf.Variable(0.0)
    x = tf.random.stateless_normal((32, 1), (1, 2))

    def step(tape_class: Any) -> None:
        with tape_class() as tape:
            loss = tf.reduce_mean((x @ w + b - 2.0 * x) ** 2)
        for variable, gradient in zip((w, b), tape.gradient(loss, [w, b]), strict=True):
            variable.assign_sub(0.001 * gradient)

    return step


def _dense() -> Callable[[Any], None]:
    from keras import Input, Sequential, layers

    return _training(
        Sequential([Input((32,)), layers.Dense(64, "relu"), layers.Dropout(0.2), layers.Dense(10)]),
        (32, 32),
    )


def _convolutions() -> Callable[[Any], None]:
    from keras import Input, Sequential, layers

    parts = [layers.Conv2D(8, 3, 2), layers.BatchNormalization(), layers.ReLU()]
    parts += [layers.Conv2D(16, 3, 2), layers.Flatten(), layers.Dense(10)]
    return _training(Sequential([Input((28, 28, 1)), *parts]), (16, 28, 28, 1))


def _training(model: Any, shape: tuple[int, ...]) -> Callable[[Any], None]:
    import keras
    import numpy as np

    x = np.random.default_rng(0).normal(size=shape).astype("float32")
    y = np.arange(len(x)) % 10
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = keras.optimizers.SGD(1e-3)
    optimizer.build(model.trainable_variables)

    def step(tape_class: Any) -> None:
        with tape_class() as tape:
            loss = loss_fn(y, model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)

    return step


_MODELS = {
    "two parameters": _linear,
    "a dense network": _dense,
    "a convolutional network": _convolutions,
}

if __name__ == "__main__":
    sys.exit(main())

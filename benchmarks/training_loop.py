"""Measure the course's training loop beside `model.fit`, and beside what no loop can beat."""

import argparse
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

_BATCH_SIZE = 128
_FASTER = 1.0  # times as fast as fit, in the slowest round
_LIMIT = 1.05  # times the compiled steps alone, at most: it also draws, looks up and moves
_EXPLANATION = """
The network of lesson 13, on the 60,000 images of MNIST in batches of 128, side by side in one run:

  fit      One epoch of model.fit and one of the loop, in turn, on the same batches from the same
           weights. What both have learned is compared after every epoch, to the last bit.
           Bound: the loop is slower in no pair.
  limit    As many calls of the compiled step on one batch that is already in memory: no shuffling,
           no slicing, nothing to look up. No loop can be faster than that. Bound: an epoch of the
           loop takes at most 1.05 times that long (median of the pairs).
  memory   The largest memory of a process that trains for one epoch, one process for each way. It
           has no bound.

It needs about two minutes on two cores. It exits with 1 if a bound is missed, and with 2 without
MNIST: the offline stand-in is too small to measure.
"""


def main() -> int:
    """Run the parts, print what was measured beside its bound, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=_EXPLANATION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--epochs", type=int, default=9, help="paired epochs (9), the first unused")
    parser.add_argument("--memory-of", choices=["nothing", "loop", "fit"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.epochs < 2:
        parser.error(f"--epochs is {options.epochs}; it takes at least 2, as the first is unused.")
    sys.path.insert(0, str(Path(__file__).parents[1]))
    if not options.memory_of:
        _memory()  # first, as a process begins with the largest memory of the one that starts it
    from course_utils import load_mnist

    (x, y), _ = load_mnist()
    if len(x) < 60_000:
        Console().print("This needs MNIST itself: put mnist.npz into $COURSE_DATA_DIR.")
        return 2
    x = x[..., None]  # (60000, 28, 28, 1), uint8
    if options.memory_of:
        _train_once(options.memory_of, x, y)
        return 0
    held = [_against_fit(x, y, options.epochs), _against_limit(x, y, options.epochs)]
    Console().print("Every bound held." if all(held) else "A bound was MISSED.", style="bold")
    return 0 if all(held) else 1


def build_network(seed: int = 13, dropout: float = 0.3, width: int = 16) -> Any:
    """Return the network of lesson 13 with its first weights: greys (n, 28, 28, 1) to 10 logits."""
    import keras
    from keras import layers

    keras.utils.set_random_seed(seed)
    return keras.Sequential(
        [
            keras.Input((28, 28, 1)),
            layers.Rescaling(1 / 255),
            layers.Conv2D(width, 5, strides=2, activation="relu"),
            layers.Conv2D(2 * width, 5, strides=2, activation="relu"),
            layers.Flatten(),
            layers.Dense(128, activation="relu"),
            layers.Dropout(dropout, seed=seed),
            layers.Dense(10),
        ]
    )


def _loop_and_fit(x: Any, y: Any) -> tuple[Callable, Callable, Callable]:
    """Return an epoch of each way, both from the same weights, and what tells them apart."""
    import keras
    import numpy as np
    import tensorflow as tf

    from course_utils import make_train_epoch

    ours, theirs = build_network(), build_network()
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    train_epoch = make_train_epoch(ours, keras.optimizers.Adam(1e-3), loss_fn, x, y)
    theirs.compile(keras.optimizers.Adam(1e-3), loss_fn, metrics=["accuracy"])

    def loop(order):
        return float(train_epoch(tf.constant(order))[1])

    def fit(order):
        # Outside the clock: the same batches as the loop takes.
        shuffled = (x, y) if order is None else (x[order], y[order])
        start = time.perf_counter()
        theirs.fit(*shuffled, batch_size=_BATCH_SIZE, shuffle=False, verbose=0)
        return time.perf_counter() - start

    def difference():
        pairs = zip(ours.get_weights(), theirs.get_weights(), strict=True)
        return max(float(np.max(np.abs(a - b))) for a, b in pairs)

    return loop, fit, difference


def _against_fit(x: Any, y: Any, epochs: int) -> bool:
    import numpy as np

    loop, fit, difference = _loop_and_fit(x, y)
    rng = np.random.default_rng(0)
    ours, theirs, differences = [], [], []
    for _ in track(range(epochs), "loop and fit ", transient=True):
        order = rng.permutation(len(x)).astype(np.int32)
        start = time.perf_counter()
        loop(order)
        ours.append(time.perf_counter() - start)
        theirs.append(fit(order))
        differences.append(difference())
    # The first epoch of each way traces and compiles.
    ratios = [b / a for a, b in zip(ours[1:], theirs[1:], strict=True)]
    ratio = statistics.median(ratios)
    table = Table("way", "seconds an epoch (median)", title="Against fit")
    table.add_row("the loop", f"{statistics.median(ours[1:]):.2f}")
    table.add_row("model.fit", f"{statistics.median(theirs[1:]):.2f}")
    console = Console()
    console.print(table)
    console.print(f"Largest difference between their weights: {max(differences):.1e}")
    spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
    console.print(
        f"{ratio:.2f} times as fast as fit ({spread}); bound: {_FASTER:g} in every pair.\n"
    )
    return min(ratios) >= _FASTER and max(differences) < 1e-3


def _against_limit(x: Any, y: Any, epochs: int) -> bool:
    import keras
    import numpy as np
    import tensorflow as tf

    model, optimizer = build_network(), keras.optimizers.Adam(1e-3)
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer.build(model.trainable_variables)
    batch, answers = tf.constant(x[:_BATCH_SIZE]), tf.constant(y[:_BATCH_SIZE], tf.int64)

    @tf.function
    def step(images, labels):
        with tf.GradientTape() as tape:
            loss = loss_fn(labels, model(images, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        return loss

    loop, _, _ = _loop_and_fit(x, y)
    order = np.arange(len(x), dtype=np.int32)
    ratios = []
    for _ in track(range(epochs), "the limit ", transient=True):
        start = time.perf_counter()
        for _ in range(len(x) // _BATCH_SIZE):
            loss = step(batch, answers)
        float(loss)  # waits for the last step
        alone = time.perf_counter() - start
        alone *= len(x) / _BATCH_SIZE / (len(x) // _BATCH_SIZE)  # for the short last batch
        start = time.perf_counter()
        loop(order)
        ratios.append((time.perf_counter() - start) / alone)
    ratio = statistics.median(ratios[1:])
    spread = f"{min(ratios[1:]):.2f} to {max(ratios[1:]):.2f}"
    Console().print(f"{ratio:.2f} times the compiled steps alone ({spread}); bound: {_LIMIT}.\n")
    return ratio <= _LIMIT


def _train_once(way: str, x: Any, y: Any) -> None:
    """Train for one epoch in this process and print the largest memory that it took."""
    import numpy as np

    if way != "nothing":
        loop, fit, _ = _loop_and_fit(x, y)
        loop(np.arange(len(x), dtype=np.int32)) if way == "loop" else fit(None)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)


def _memory() -> None:
    table = Table("process", "largest memory, MB", title="Memory")
    names = {"nothing": "MNIST loaded, no training", "loop": "the loop", "fit": "model.fit"}
    for way in track(names, "memory ", transient=True):
        command = [sys.executable, __file__, "--memory-of", way]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            print(run.stdout, run.stderr, sep="")
            sys.exit(run.returncode)
        table.add_row(names[way], f"{int(run.stdout.split()[-1]):,}")
    Console().print(table)


if __name__ == "__main__":
    sys.exit(main())

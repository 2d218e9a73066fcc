"""Measure the seconds to an accuracy on MNIST: the course's loop, fit, and Keras's own example."""

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

_ROOT = Path(__file__).parents[1]
_KEPT = _ROOT / "docs" / "pictures" / "time_to_accuracy"
_LEVELS = (0.98, 0.99, 0.993, 0.994)
_BATCH_SIZE = 128
_COMMAND = "python benchmarks/time_to_accuracy.py --keep"
_EXPLANATION = """
Three ways to train on MNIST, in turn for each seed, in batches of 128:

  loop     Lesson 13: its network, its compiled epoch with shifted images, its rate that rises and
           falls, 14 epochs, on all 60,000 training images.
  fit      The same network, images, shifts, learning rate and epochs, under model.fit; a layer
           shifts the images.
  example  The convolutional network of "Simple MNIST convnet", Keras's own example, with the
           numbers published there: 15 epochs of Adam at its default rate on 54,000 images, and no
           shifts. It was written anew from these numbers.

After each epoch the accuracy on the 10,000 test images is measured, with the clock stopped. The
clock runs from the first epoch on, tracing and compiling included. Asked is for the first epoch
after which 98, 99, 99.3 and 99.4 % are right: its number, and the seconds until then. What is
printed is the median of the seeds; "-" where half of them or more never get there.

Nobody chooses anything here by the test images: the loop's numbers are those of lesson 13, which
were chosen by images that were held out there.

It needs about ten minutes for three seeds on two quiet cores. It has no bound. It exits with 2
without MNIST: the offline stand-in is too small to measure.
"""

Curve = list[tuple[float, float]]  # after each epoch: seconds so far, accuracy


def main() -> int:
    """Train each way with each seed, print the table, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=_EXPLANATION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seeds", type=int, default=3, help="how many (3)")
    parser.add_argument("--epochs", type=int, help="fewer epochs, to try it")
    parser.add_argument(
        "--keep", action="store_true", help="write the picture and the table of the site's front"
    )
    options = parser.parse_args()
    if options.seeds < 1:
        parser.error(f"--seeds is {options.seeds}; it takes at least 1.")
    if options.keep and (options.seeds < 3 or options.epochs):
        parser.error("--keep shows what was measured in full: with three seeds, and every epoch.")
    sys.path.insert(0, str(_ROOT))
    from course_utils.tensorflow_start import quiet_tensorflow

    quiet_tensorflow()
    from course_utils import load_mnist

    data = load_mnist()
    if len(data[0][0]) < 60_000:
        Console().print("This needs MNIST itself: put mnist.npz into $COURSE_DATA_DIR.")
        return 2
    curves: dict[str, list[Curve]] = {name: [] for name in _WAYS}
    runs = [(seed, name) for seed in range(options.seeds) for name in _WAYS]
    for seed, name in track(runs, "training ", transient=True):
        curves[name].append(_train(_WAYS[name], data, seed, options.epochs))
    _print(curves)
    if options.keep:
        _keep(curves)
    return 0


def _train(way: Callable, data: tuple, seed: int, epochs: int | None) -> Curve:
    """Return the seconds of training and the accuracy on the test images after each epoch."""
    import numpy as np

    (x, y), (x_test, y_test) = data
    model, train = way(x[..., None], y, seed, epochs)
    curve, seconds, start = [], 0.0, time.perf_counter()

    def after_epoch(*_: Any) -> None:
        nonlocal seconds, start
        seconds += time.perf_counter() - start
        logits = model.predict(x_test[..., None], batch_size=500, verbose=0)
        curve.append((seconds, float(np.mean(logits.argmax(axis=1) == y_test))))
        start = time.perf_counter()

    train(after_epoch)
    return curve


def _schedule(steps: int) -> Any:
    """Return the rate of lesson 13, which rises for a third of the steps and falls after that."""
    import keras

    rises = steps // 3
    return keras.optimizers.schedules.CosineDecay(
        0.0, steps - rises, warmup_target=4e-3, warmup_steps=rises
    )


def _of_lesson_13(x: Any, epochs: int | None) -> tuple[int, Any]:
    """Return the epochs, and Adam with its rate for all their steps."""
    import keras

    epochs = epochs or 14
    return epochs, keras.optimizers.Adam(_schedule(epochs * -(-len(x) // _BATCH_SIZE)))


def _loop(x: Any, y: Any, seed: int, epochs: int | None) -> tuple[Any, Callable]:
    import keras
    import numpy as np
    import tensorflow as tf

    from benchmarks.training_loop import build_network
    from course_utils import make_train_epoch, shift_images

    model, (epochs, optimizer) = build_network(seed), _of_lesson_13(x, epochs)
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    generator, rng = tf.random.Generator.from_seed(seed), np.random.default_rng(seed)

    def shifted(images: Any) -> Any:
        return shift_images(images, 2, generator)

    def train(after_epoch: Callable) -> None:
        train_epoch = make_train_epoch(model, optimizer, loss_fn, x, y, change=shifted)
        for _ in range(epochs):
            loss, _ = train_epoch(tf.constant(rng.permutation(len(x)).astype(np.int32)))
            float(loss)  # waits for the last step
            after_epoch()

    return model, train


def _fit(x: Any, y: Any, seed: int, epochs: int | None) -> tuple[Any, Callable]:
    import keras
    import tensorflow as tf

    from benchmarks.training_loop import build_network
    from course_utils import shift_images

    class Shift(keras.layers.Layer):
        """Shifts images while the network trains, as the loop does."""

        def __init__(self) -> None:
            super().__init__()
            self.generator = tf.random.Generator.from_seed(seed)

        def call(self, x: Any, training: bool = False) -> Any:
            return shift_images(x, 2, self.generator) if training else x

    epochs, optimizer = _of_lesson_13(x, epochs)
    network = build_network(seed)
    model = keras.Sequential([keras.Input((28, 28, 1)), Shift(), *network.layers])
    model.compile(optimizer, keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model, _by_fit(model, x, y, epochs)


def _example(x: Any, y: Any, seed: int, epochs: int | None) -> tuple[Any, Callable]:
    import keras
    from keras import layers

    keras.utils.set_random_seed(seed)
    model = keras.Sequential(
        [
            keras.Input((28, 28, 1)),
            layers.Conv2D(32, 3, activation="relu"),
            layers.MaxPooling2D(2),
            layers.Conv2D(64, 3, activation="relu"),
            layers.MaxPooling2D(2),
            layers.Flatten(),
            layers.Dropout(0.5),
            layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy")
    trained = len(x) * 9 // 10  # the rest is for validation there, which takes no part here
    scaled = x.astype("float32") / 255
    # The network takes greys from 0 to 1; the test images come as bytes.
    measured = keras.Sequential([keras.Input((28, 28, 1)), layers.Rescaling(1 / 255), model])
    return measured, _by_fit(model, scaled[:trained], y[:trained], epochs or 15)


def _by_fit(model: Any, x: Any, y: Any, epochs: int) -> Callable:
    import keras

    def train(after_epoch: Callable) -> None:
        calls = [keras.callbacks.LambdaCallback(on_epoch_end=after_epoch)]
        model.fit(x, y, batch_size=_BATCH_SIZE, epochs=epochs, callbacks=calls, verbose=0)

    return train


_WAYS = {
    "the course's loop": _loop,
    "the same under fit": _fit,
    "Keras's example": _example,
}


def _reached(curves: list[Curve], level: float) -> tuple[float, float] | None:
    """Return the median seconds and epochs to a level; None where half the seeds never reach it."""
    never = (float("inf"), float("inf"))
    firsts = [
        next(((s, n) for n, (s, accuracy) in enumerate(curve, 1) if accuracy >= level), never)
        for curve in curves
    ]
    seconds, number = map(statistics.median, zip(*firsts, strict=True))
    return None if seconds == float("inf") else (seconds, number)


def _rows(curves: dict[str, list[Curve]]) -> Iterator[list[str]]:
    for name, each in curves.items():
        reached = [_reached(each, level) for level in _LEVELS]
        cells = [f"{at[0]:.1f} s, {at[1]:g} epochs" if at else "-" for at in reached]
        seconds = statistics.median(curve[-1][0] for curve in each)
        last = statistics.median(curve[-1][1] for curve in each)
        yield [name, *cells, f"{last:.2%} after {seconds:.0f} s"]


def _heads() -> list[str]:
    return ["way", *(f"{level:.1%}".replace(".0", "") for level in _LEVELS), "in the end"]


def _print(curves: dict[str, list[Curve]]) -> None:
    table = Table(*_heads(), title="To an accuracy on the test images (median of the seeds)")
    for row in _rows(curves):
        table.add_row(*row)
    Console(width=120).print(table)


def _keep(curves: dict[str, list[Curve]]) -> None:
    """Write the picture, and the text with the table that stands around it on the site."""
    _draw(curves).figure.savefig(_KEPT.with_suffix(".png"), dpi=160)
    rows = list(_rows(curves))
    ends = "; ".join(f"{row[0]} ends at {row[-1]}" for row in rows)
    words = f"Errors on the test images over the seconds of training, one line a seed: {ends}."
    lines = [f"![{words}](pictures/{_KEPT.name}.png)", ""]
    lines += [f"| {' | '.join(row)} |" for row in (_heads(), ["---"] * len(_heads()), *rows)]
    seeds = len(next(iter(curves.values())))
    lines += ["", f"Medians of {seeds} seeds, on one machine: `{_COMMAND}`", ""]
    _KEPT.with_suffix(".md").write_text("\n".join(lines), encoding="utf-8")


def _draw(curves: dict[str, list[Curve]]) -> Any:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    from course_utils.figures.style import line_style, make_axes

    ax = make_axes(None, (7.2, 3.8))
    ax.set(xlabel="seconds of training", ylabel="test images that are wrong, %", yscale="log")
    ax.set(yticks=[0.5, 0.6, 1, 2, 4], ylim=(0.4, 6))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())
    for seed in range(len(next(iter(curves.values())))):
        for number, (name, each) in enumerate(curves.items()):
            seconds, accuracies = zip(*each[seed], strict=True)
            errors = [100 * (1 - accuracy) for accuracy in accuracies]
            one_name = None if seed else name  # for the lines of a way
            ax.plot(seconds, errors, lw=1.2, label=one_name, **line_style(number))
    ax.legend(frameon=False)
    return ax


if __name__ == "__main__":
    sys.exit(main())

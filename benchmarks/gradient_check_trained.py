"""Check gradients of trained models: blame no right one, and let no planted mistake pass."""

import argparse
import itertools
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

__all__ = ["TrainedModel", "trained_models"]

if TYPE_CHECKING:
    import keras
    import tensorflow as tf

_EXPLANATION = """
Small models of five kinds (MLP, convolution, recurrent, normalization, embedding) in float32 and
float64, checked untrained and after 1, 3 and 300 steps of SGD and Adam with three learning rates.
Each is checked twice:

  right    as it is. Bound: every report passes.
  planted  with a mistake of 2 % or more in the gradient of one variable, which the tape then
           gives. Bound: the row of this variable disagrees, and no other row does.

A mistake is planted only in a gradient whose norm is at least 5e-4, so that it changes the loss by
at least 1e-5 as the variable moves by 1. (Less is beyond what float32 resolves of a loss near 1.)
The activations are smooth; what relu adds is measured by `gradient_check.py --only kinks`.

The models, their data and the mistakes are drawn from fixed seeds. 500 models take about
15 minutes of one core. It exits with 1 if a bound is missed.
"""

_KINDS = ("MLP", "convolution", "recurrent", "normalization", "embedding")
_DTYPES = ("float32", "float64")
_LEARNING_RATES = {"SGD": (1e-3, 1e-2, 1e-1), "Adam": (1e-4, 1e-3, 1e-2)}
_STEPS = (0, 1, 3, 300)
_BATCH, _CLASSES = 32, 3
_WRONG_LABELS = 0.2  # part of the labels that say nothing: no training removes the loss
# A planted gradient is the right one plus this multiple of it, or half of its entries are lost.
_FACTORS = (0.02, -0.02, 0.05, -0.1, 0.5, -1.0, -2.0)
_LEAST_NORM = 5e-4


def main() -> int:
    """Check the models, print what was missed beside the bounds, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=_EXPLANATION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--models", type=int, default=500, help="models to check (500)")
    parser.add_argument("--kind", choices=_KINDS, help="only models of this kind")
    parser.add_argument("--verbose", action="store_true", help="print every report that is wrong")
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from course_utils.tensorflow_start import quiet_tensorflow

    quiet_tensorflow()
    console = Console()
    kinds = [options.kind] if options.kind else list(_KINDS)
    blamed: list[str] = []
    missed: list[str] = []
    table = Counter[tuple[str, str]]()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress:
        task = progress.add_task("models", total=options.models)
        for number, trained in enumerate(itertools.islice(trained_models(kinds), options.models)):
            progress.update(task, advance=1, description=trained.name)
            for outcome, faults in (("right", blamed), ("planted", missed)):
                fault = trained.right(number) if outcome == "right" else trained.planted(number)
                table[trained.kind, outcome] += bool(fault)
                if fault:
                    faults.append(fault)
                    if options.verbose:
                        console.print(fault, highlight=False)
    _print_table(console, table)
    for name, faults in (("right models did not pass", blamed), ("mistakes were missed", missed)):
        for fault in faults[:20]:
            console.print(fault.splitlines()[0], highlight=False)
        console.print(f"{len(faults)} of {options.models} {name}; bound: 0.")
    return 1 if blamed or missed else 0


def _print_table(console: Console, faults: Counter[tuple[str, str]]) -> None:
    table = Table("kind of model", "right, did not pass", "planted, missed", title="Trained models")
    for kind in _KINDS:
        table.add_row(kind, str(faults[kind, "right"]), str(faults[kind, "planted"]))
    console.print(table)


@dataclass(frozen=True)
class TrainedModel:
    """A model as it is at some moment of its training, and its loss."""

    kind: str
    name: str
    model: "keras.Model"
    loss: Callable[[], "tf.Tensor"]

    def right(self, seed: int) -> str:
        """Return a report that does not pass, with the name of the model; empty if it passes."""
        from gradient_tools import check_gradients

        report = check_gradients(self.loss, self.model, seed=seed)
        return "" if report.passed else f"{self.name}: {_unlike('agrees', report.rows)}\n{report}"

    def planted(self, seed: int) -> str:
        """Plant a mistake in one gradient; return the report if that row does not disagree."""
        from gradient_tools import check_gradients

        rng = np.random.default_rng(seed)
        index, mistake, what = self._mistake(rng)
        report = check_gradients(self._with(index, mistake), self.model, seed=seed)
        row = report.rows[index]
        others = [r for r in report.rows if r is not row and r.verdict == "disagrees"]
        if row.verdict == "disagrees" and not others:
            return ""
        return f"{self.name}, {what} in {row.name}: {row.verdict}{others or ''}\n{report}"

    def _mistake(self, rng: np.random.Generator) -> tuple[int, np.ndarray, str]:
        """Draw a variable whose gradient matters, and what is added to it."""
        import tensorflow as tf

        variables = self.model.trainable_variables
        with tf.GradientTape() as tape:
            loss = self.loss()
        gradients = [np.asarray(tf.convert_to_tensor(g)) for g in tape.gradient(loss, variables)]
        norms = [np.linalg.norm(g) for g in gradients]
        matter = [i for i, norm in enumerate(norms) if norm >= _LEAST_NORM]
        index = int(rng.choice(matter)) if matter else int(np.argmax(norms))
        gradient = gradients[index]
        if rng.random() < 0.25 and gradient.size > 1:
            order = np.argsort(np.abs(gradient), axis=None)
            lost = np.zeros(gradient.size)
            lost[order[-1::-2]] = 1
            return index, -gradient * lost.reshape(gradient.shape), "every other entry lost"
        factor = float(rng.choice(_FACTORS))
        return index, factor * gradient, f"{factor:+.0%} of a norm of {norms[index]:.1e}"

    def _with(self, index: int, mistake: np.ndarray) -> Callable[[], "tf.Tensor"]:
        """Return the loss, unchanged, whose gradient for one variable has the mistake added."""
        import tensorflow as tf

        variable = self.model.trainable_variables[index]

        def loss() -> tf.Tensor:
            v = tf.convert_to_tensor(variable)
            nothing = tf.reduce_sum(mistake * (v - tf.stop_gradient(v)))
            return self.loss() + nothing

        return loss


def _unlike(verdict: str, rows: Any) -> str:
    return ", ".join(f"{row.name} {row.verdict}" for row in rows if row.verdict != verdict)


def trained_models(kinds: list[str]) -> Iterator[TrainedModel]:
    """Train models of every kind again and again, and stop where each is to be checked."""
    benches = [_Bench(kind, dtype) for kind in kinds for dtype in _DTYPES]
    for seed in itertools.count():
        for bench in benches:
            bench.start(seed)
            yield bench.now("untrained", seed)
            for optimizer, rates in _LEARNING_RATES.items():
                for rate in rates:
                    bench.start(seed)
                    for before, after in itertools.pairwise(_STEPS):
                        bench.train(optimizer, rate, before, after)
                        name = f"{after} step{'s' * (after > 1)} of {optimizer}({rate:g})"
                        yield bench.now(name, seed)


class _Bench:
    """A model of one kind, built and traced once, which is given new weights for each seed."""

    def __init__(self, kind: str, dtype: str) -> None:
        import keras
        import tensorflow as tf

        self.kind, self.dtype = kind, dtype
        keras.config.set_dtype_policy(dtype)
        self.model, inputs = _model(kind)
        keras.config.set_dtype_policy("float32")
        self._inputs = tf.Variable(tf.zeros(inputs, tf.int32 if kind == "embedding" else dtype))
        self._labels = tf.Variable(tf.zeros(_BATCH, tf.int32))
        training = kind == "normalization"

        @tf.function
        def loss() -> tf.Tensor:
            logits = self.model(self._inputs, training=training)
            return tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(self._labels, logits)
            )

        self._loss = loss
        variables = [v.value for v in self.model.trainable_variables]
        self._slots = [[tf.Variable(tf.zeros_like(v)) for v in variables] for _ in range(2)]

        @tf.function
        def train(is_adam: bool, rate: tf.Tensor, first: tf.Tensor, last: tf.Tensor) -> None:
            for step in tf.range(first, last):
                with tf.GradientTape() as tape:
                    value = loss()
                gradients = tape.gradient(value, variables)
                for v, g, mean, square in zip(variables, gradients, *self._slots, strict=True):
                    g = tf.convert_to_tensor(g)
                    if is_adam:
                        t = tf.cast(step + 1, dtype)
                        mean.assign(0.9 * mean + 0.1 * g)
                        square.assign(0.999 * square + 0.001 * g**2)
                        scale = tf.sqrt(1 - 0.999**t) / (1 - 0.9**t)
                        v.assign_sub(rate * scale * mean / (tf.sqrt(square) + 1e-7))
                    else:
                        v.assign_sub(rate * g)

        self._train = train

    def start(self, seed: int) -> None:
        """Draw new data and new weights, as Keras draws them, from the seed."""
        rng = np.random.default_rng([seed, _KINDS.index(self.kind)])
        classes, noise = rng.integers(0, _CLASSES, (2, _BATCH))
        self._labels.assign(np.where(rng.random(_BATCH) < _WRONG_LABELS, noise, classes))
        shape = self._inputs.shape
        if self.kind == "embedding":
            self._inputs.assign(rng.integers(0, 20, shape))
        else:
            shift = classes.reshape((-1,) + (1,) * (len(shape) - 1)) - 1
            self._inputs.assign((rng.normal(size=shape) + 0.7 * shift).astype(self.dtype))
        for v in self.model.variables:
            v.assign(_initial(rng, v.path.rsplit("/", 1)[-1], tuple(v.shape)))
        for slot in itertools.chain(*self._slots):
            slot.assign(np.zeros(slot.shape))

    def train(self, optimizer: str, rate: float, before: int, after: int) -> None:
        """Continue the training, of so many steps by now, up to so many."""
        import tensorflow as tf

        steps = tf.constant(before), tf.constant(after)
        self._train(optimizer == "Adam", tf.constant(rate, self.dtype), *steps)

    def now(self, training: str, seed: int) -> TrainedModel:
        name = f"{self.kind}, {self.dtype}, {training}, seed {seed}"
        return TrainedModel(self.kind, name, self.model, self._loss)


def _initial(rng: np.random.Generator, name: str, shape: tuple[int, ...]) -> np.ndarray:
    if name in ("gamma", "moving_variance"):
        return np.ones(shape)
    if name == "embeddings":
        return rng.uniform(-0.05, 0.05, shape)
    if len(shape) < 2:
        return np.zeros(shape)
    fans = np.prod(shape[:-2]) * (shape[-2] + shape[-1])
    return rng.uniform(-1, 1, shape) * np.sqrt(6 / fans)


def _model(kind: str) -> "tuple[keras.Model, tuple[int, ...]]":
    """Return a small classifier of this kind, and the shape of a batch of its inputs."""
    import keras

    layers = keras.layers
    inputs, hidden = {
        "MLP": ((_BATCH, 5), [layers.Dense(8, "gelu"), layers.Dense(6, "tanh")]),
        "convolution": (
            (_BATCH, 6, 6, 2),
            [layers.Conv2D(3, 3, activation="gelu"), layers.Conv2D(4, 2), layers.Flatten()],
        ),
        "recurrent": ((_BATCH, 5, 3), [layers.GRU(4, return_sequences=True), layers.LSTM(4)]),
        "normalization": (
            (_BATCH, 5),
            [
                layers.Dense(6),
                layers.BatchNormalization(),
                layers.Activation("gelu"),
                layers.LayerNormalization(),
            ],
        ),
        "embedding": (
            (_BATCH, 4),
            [layers.Embedding(20, 4), layers.Dense(5, "tanh"), layers.GlobalAveragePooling1D()],
        ),
    }[kind]
    model = keras.Sequential(
        [
            keras.Input(inputs[1:], dtype="int32" if kind == "embedding" else None),
            *hidden,
            layers.Dense(_CLASSES),
        ]
    )
    return model, inputs


if __name__ == "__main__":
    sys.exit(main())

"""Check gradients of trained models: blame no right one, and let no planted mistake pass."""

import argparse
import enum
import itertools
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

__all__ = ["Outcome", "TrainedModel", "trained_models"]

if TYPE_CHECKING:
    import keras
    import tensorflow as tf

    from gradient_tools.checking.report import GradientRow

_EXPLANATION = """
Small models of five kinds (MLP, convolution, recurrent, normalization, embedding) in float32 and
float64, checked untrained and after 1, 3 and 300 steps of SGD and Adam with three learning rates.
The MLP and the convolution use relu, so that kinks lie around most points. Each model is checked
twice:

  right    as it is.
  planted  with a mistake of 2 % or more in the gradient of one variable, which the tape then gives.

Each check has one of four outcomes:

  as expected   every right row agrees, and the planted one disagrees.
  false alarm   a row whose gradient is right "disagrees", is "disconnected" or "not repeatable".
                Bound: 0.
  missed        the planted row agrees. Bound: 0.
  undecided     none of these, but a row that is right, or the planted one, is a "kink nearby" or
                "cannot tell": nothing false is said, and nothing is known. It has no bound, and is
                a weakness. It is expected of relu in float32 after many steps, where a gradient
                near zero shows above the rounding of the loss only across the next kinks.

A mistake is planted only in a gradient whose norm is at least 5e-4, so that it changes the loss by
at least 1e-5 as the variable moves by 1. (Less is beyond what float32 resolves of a loss near 1.)

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
    judged: list[Judged] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress:
        task = progress.add_task("models", total=options.models)
        for number, trained in enumerate(itertools.islice(trained_models(kinds), options.models)):
            progress.update(task, advance=1, description=trained.name)
            for judgment in (trained.right(number), trained.planted(number)):
                judged.append(judgment)
                if options.verbose and judgment.outcome is not Outcome.AS_EXPECTED:
                    console.print(judgment.outcome.value, judgment.text, highlight=False)
    _print_table(console, judged)
    missed_bounds = 0
    for outcome in (Outcome.FALSE_ALARM, Outcome.MISSED, Outcome.UNDECIDED):
        texts = [j.text for j in judged if j.outcome is outcome]
        for text in texts[:20]:
            console.print(f"{outcome.value}: {text.splitlines()[0]}", highlight=False)
        bound = "no bound" if outcome is Outcome.UNDECIDED else "bound: 0"
        missed_bounds += bool(texts) and outcome is not Outcome.UNDECIDED
        console.print(f"{outcome.value}: {len(texts)} of {len(judged)} checks; {bound}.")
    return 1 if missed_bounds else 0


def _print_table(console: Console, judged: Sequence["Judged"]) -> None:
    table = Table("kind of model", "gradients", title="Trained models")
    for column in ("models", "false alarms", "missed", "undecided"):
        table.add_column(column, justify="right")
    for is_planted, kind in itertools.product((False, True), (*_KINDS, "all")):
        outcomes = [
            j.outcome for j in judged if j.is_planted == is_planted and kind in (j.kind, "all")
        ]
        counted = (Outcome.FALSE_ALARM, Outcome.MISSED, Outcome.UNDECIDED)
        numbers = [len(outcomes), *map(outcomes.count, counted)]
        what = "planted mistake" if is_planted else "right"
        table.add_row(kind, what, *map(str, numbers), end_section=kind == "all")
    console.print(table)


class Outcome(enum.Enum):
    """What a check says, beside what is known of the model."""

    AS_EXPECTED = "as expected"
    FALSE_ALARM = "false alarm"
    MISSED = "missed"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Judged:
    """The outcome of one check, and its report after a line that names the model."""

    kind: str
    is_planted: bool
    outcome: Outcome
    text: str


@dataclass(frozen=True)
class TrainedModel:
    """A model as it is at some moment of its training, and its loss."""

    kind: str
    name: str
    model: "keras.Model"
    loss: Callable[[], "tf.Tensor"]

    def right(self, seed: int) -> Judged:
        """Check the model as it is."""
        from gradient_tools import check_gradients

        report = check_gradients(self.loss, self.model, seed=seed)
        return Judged(
            self.kind,
            False,
            _outcome(report.rows, None),
            f"{self.name}: {_unlike_agrees(report.rows)}\n{report}",
        )

    def planted(self, seed: int) -> Judged:
        """Check the model with a mistake in one gradient."""
        from gradient_tools import check_gradients

        index, mistake, what = self._mistake(np.random.default_rng(seed))
        report = check_gradients(self._with(index, mistake), self.model, seed=seed)
        return Judged(
            self.kind,
            True,
            _outcome(report.rows, index),
            f"{self.name}, {what} in {report.rows[index].name}: {_unlike_agrees(report.rows)}"
            f"\n{report}",
        )

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


def _outcome(rows: "Sequence[GradientRow]", planted: int | None) -> Outcome:
    """Compare the verdicts with what is right; the other rows of a planted mistake may be open."""
    right = [row.verdict for i, row in enumerate(rows) if i != planted]
    if any(verdict in ("disagrees", "disconnected", "not repeatable") for verdict in right):
        return Outcome.FALSE_ALARM
    if planted is None:
        is_decided = all(verdict == "agrees" for verdict in right)
    elif rows[planted].verdict == "agrees":
        return Outcome.MISSED
    else:
        is_decided = rows[planted].verdict == "disagrees"
    return Outcome.AS_EXPECTED if is_decided else Outcome.UNDECIDED


def _unlike_agrees(rows: "Sequence[GradientRow]") -> str:
    return ", ".join(f"{row.name} {row.verdict}" for row in rows if row.verdict != "agrees")


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
        "MLP": ((_BATCH, 5), [layers.Dense(8, "relu"), layers.Dense(6, "tanh")]),
        "convolution": (
            (_BATCH, 6, 6, 2),
            [layers.Conv2D(3, 3, activation="relu"), layers.Conv2D(4, 2), layers.Flatten()],
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

"""Measure `check_gradients` beside `tf.test.compute_gradient`: speed, cost, alarms and misses."""

import argparse
import contextlib
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

_FASTER = 1000  # times, at least
_EXPLANATION = """
Four questions, answered side by side in one run:

  speed     One full tf.test.compute_gradient of a Dense 784-128-10 network (101,770 parameters,
            batch 32) evaluates it twice for each parameter. check_gradients evaluates it twice,
            at two steps, along three directions for each of the four variables.
            Bound: at least 1,000 times faster.
  cost      The same check of networks from 300 to 400,000 parameters.
            Bound: exactly as many evaluations of each.
  verdicts  Functions with a right gradient, and functions with a planted mistake, at a new
            random point for each seed. Bound: no row blamed in vain, no mistake missed.
  kinks     Networks that stand at the kinks of their activation in part, drawn anew for each seed.
            Bound: no row blamed in vain, none that agrees beyond its own error bar, and the last
            layer, which has no kink, always agrees. (With 500 seeds this is missed: of 2,500
            networks the check "cannot tell" of 11, whose last gradients are near the rounding.)

It needs 2 GB of memory, a minute or two for the speed, and for the kinks of 500 seeds 13 minutes on
two busy cores. With --seeds 20 all parts take 3. It exits with 1 if a bound is missed.
"""


def main() -> int:
    """Run the parts, print what was measured beside its bound, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=_EXPLANATION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seeds", type=int, default=500, help="seeds for each function (500)")
    parser.add_argument(
        "--only",
        choices=["speed", "cost", "verdicts", "kinks"],
        help="one part instead of all four",
    )
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from course_utils.tensorflow_start import quiet_tensorflow

    quiet_tensorflow()
    parts = {"speed": _speed, "cost": _cost}
    parts |= {"verdicts": lambda: _verdicts(options.seeds), "kinks": lambda: _kinks(options.seeds)}
    chosen = [options.only] if options.only else list(parts)
    held = [parts[part]() for part in chosen]
    Console().print("Every bound held." if all(held) else "A bound was MISSED.", style="bold")
    return 0 if all(held) else 1


def _dense_network(sizes: tuple[int, int, int]) -> tuple[Callable, list]:
    import numpy as np
    import tensorflow as tf

    rng = np.random.default_rng(0)
    inputs, hidden, classes = sizes
    x = tf.constant(rng.random((32, inputs)), tf.float32)
    y = tf.constant(rng.integers(0, classes, 32))
    shapes = [(inputs, hidden), (hidden,), (hidden, classes), (classes,)]
    at = [tf.constant(0.1 * rng.normal(size=shape), tf.float32) for shape in shapes]

    def loss(w0: tf.Tensor, b0: tf.Tensor, w1: tf.Tensor, b1: tf.Tensor) -> tf.Tensor:
        logits = tf.tanh(x @ w0 + b0) @ w1 + b1
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))

    return loss, at


def _speed() -> bool:
    import tensorflow as tf

    from course_utils import check_gradients

    console = Console()
    f, at = _dense_network((784, 128, 10))
    check_gradients(f, at)  # The first call loads kernels; it is not what is compared.
    times = []
    for seed in range(7):
        start = time.perf_counter()
        report = check_gradients(f, at, seed=seed)
        times.append(time.perf_counter() - start)
    ours = statistics.median(times)
    with console.status("tf.test.compute_gradient: one full pass, about 100 seconds"):
        start = time.perf_counter()
        tf.test.compute_gradient(f, at)
        theirs = time.perf_counter() - start
    parameters = sum(x.shape.num_elements() for x in at)
    table = Table("Dense 784-128-10, batch 32", "seconds", "evaluations", title="Speed")
    table.add_row("tf.test.compute_gradient", f"{theirs:.1f}", f"{2 * parameters:,}")
    table.add_row("check_gradients (median of 7)", f"{ours:.4f}", f"{report.evaluations:,}")
    console.print(table)
    console.print(f"{theirs / ours:,.0f} times faster; bound: {_FASTER:,}.\n")
    return theirs / ours >= _FASTER and report.passed


def _cost() -> bool:
    from course_utils import check_gradients

    table = Table("network", "parameters", "evaluations", "seconds", title="Cost")
    counts = set()
    for sizes in [(16, 12, 8), (64, 32, 10), (784, 128, 10), (784, 512, 10)]:
        f, at = _dense_network(sizes)
        start = time.perf_counter()
        report = check_gradients(f, at)
        seconds = time.perf_counter() - start
        counts.add(report.evaluations)
        parameters = sum(x.shape.num_elements() for x in at)
        name = "-".join(map(str, sizes))
        table.add_row(name, f"{parameters:,}", f"{report.evaluations}", f"{seconds:.3f}")
    Console().print(table)
    Console().print(f"{len(counts)} different number of evaluations; bound: 1.\n")
    return len(counts) == 1


def _verdicts(seeds: int) -> bool:
    from benchmarks.gradient_cases import CORRECT, MISTAKES

    console = Console()
    failures, right, wrong = [], [0.0], [float("inf")]
    table = Table("function", "wrong rows", "seeds", "wrong verdicts", title="Verdicts")
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress:
        everything = progress.add_task("all", total=seeds * len(CORRECT + MISTAKES))
        for case in CORRECT + MISTAKES:
            progress.update(everything, description=case.name)
            found = []
            for seed in range(seeds):
                with _noted_medians() as medians:
                    found += case.failures(seed)
                for i, median in enumerate(medians):
                    (wrong if i in case.wrong else right).append(median)
                progress.advance(everything)
            table.add_row(case.name, str(len(case.wrong)), str(seeds), str(len(found)))
            failures += found
    console.print(table)
    for failure in failures[:20]:
        console.print(failure, highlight=False)
    console.print(
        f"Median difference of a closer look, in error bars: up to {max(right):.2f} where the "
        f"gradient is right, from {min(wrong):.2f} where it is wrong."
    )
    console.print(f"{len(failures)} wrong verdicts; bound: 0.\n")
    return not failures


def _kinks(seeds: int) -> bool:
    from benchmarks.gradient_cases import KINKED

    console = Console()
    failures = []
    table = Table("network", "seeds", "failures", title="Kinks")
    for network in KINKED:
        with console.status(f"{network.name}: {seeds} networks"):
            found = network.failures(range(seeds))
        table.add_row(network.name, str(seeds), str(len(found)))
        failures += found
    console.print(table)
    for failure in failures[:20]:
        console.print(failure, highlight=False)
    console.print(f"{len(failures)} failures; bound: 0.\n")
    return not failures


@contextlib.contextmanager
def _noted_medians() -> Iterator[list[float]]:
    """Give a list that collects, row by row, on what a verdict of ``disagrees`` depends."""
    from gradient_tools.checking import check

    medians = []

    def noted(*arguments: object) -> object:
        decision = judge(*arguments)
        medians.append(decision.middle)
        return decision

    judge = check.judge_directions
    with mock.patch.object(check, "judge_directions", noted):
        yield medians


if __name__ == "__main__":
    sys.exit(main())

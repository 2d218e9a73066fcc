"""Train on two workers, let one of them die, and go on from a checkpoint.

Run it with `python examples/two_workers.py`. Both workers are processes on this computer, on its
CPU. Each runs the same program, this file, and learns from the environment variable TF_CONFIG where
the other one is. At the end the weights are compared with those of one device that was never
interrupted. It takes about a minute, most of which is TensorFlow starting.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

STEPS = 4  # an epoch: 256 examples in batches of 64
SECONDS = 200  # after which the workers are ended


def main() -> int:
    """Start the workers, or be one of them; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--worker", type=Path, metavar="FOLDER", help=argparse.SUPPRESS)
    parser.add_argument("--dies-after", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(options.worker, options.dies_after)
        return 0
    with tempfile.TemporaryDirectory() as name:
        return train_twice(Path(name))


def train_twice(folder: Path) -> int:
    """Train with a worker that dies, and again from its checkpoint; compare the weights."""
    print("Two workers train. Worker 1 will die after two of four steps.", flush=True)
    codes = run_workers(folder, dies_after=[0, 2])
    print(f"Exit codes: {codes}. Worker 0 waits for the sum of gradients, so it was ended.")
    print("The same two workers start again, from the checkpoint.", flush=True)
    codes = run_workers(folder, dies_after=[0, 0])
    for index in range(2):
        print((folder / f"{index}.txt").read_text().strip().splitlines()[-1])
    if any(codes):
        print(f"The workers failed with exit codes {codes}.", file=sys.stderr)
        return 1
    expected = train(folder, last=STEPS)
    worst = 0.0
    for index in range(2):
        with np.load(folder / f"{index}.npz") as weights:
            pairs = zip(weights.values(), expected, strict=True)
            worst = max(worst, *(float(np.max(np.abs(a - b))) for a, b in pairs))
    print(f"Largest difference from one device that was never interrupted: {worst:.1e}")
    return 0 if worst < 1e-4 else 1


def work(folder: Path, dies_after: int) -> None:
    """Train as one of the workers, and die after this step if it is not 0."""
    import tensorflow as tf

    strategy = tf.distribute.MultiWorkerMirroredStrategy()  # before anything else runs
    index = strategy.cluster_resolver.task_id
    weights = train(folder, STEPS, strategy, index, dies_after)
    np.savez(folder / f"{index}.npz", *weights)


def train(
    folder: Path, last: int, strategy: Any = None, index: int | None = None, dies_after: int = 0
) -> list[np.ndarray]:
    """Return the weights after the last step; with an index, save a checkpoint after each."""
    import keras
    import tensorflow as tf

    strategy = strategy or tf.distribute.get_strategy()
    random = np.random.default_rng(20)
    x = random.normal(size=(256, 20)).astype("float32")
    y = np.argmax(x[:, :5], axis=1)
    with strategy.scope():
        keras.utils.set_random_seed(20)
        hidden = keras.layers.Dense(32, activation="tanh")
        model = keras.Sequential([keras.Input((20,)), hidden, keras.layers.Dense(5)])
        optimizer = keras.optimizers.Adam(0.01)
        optimizer.build(model.trainable_variables)
    done = tf.Variable(0, trainable=False)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, done=done)
    if index is not None:
        # Every worker writes its own checkpoints, and reads those of worker 0.
        checkpoint.restore(tf.train.latest_checkpoint(folder / "0"))

    def replica_step(x: Any, y: Any) -> None:
        with tf.GradientTape() as tape:
            logits = model(x, training=True)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits)
            loss = tf.reduce_sum(losses) / 64
        optimizer.apply(tape.gradient(loss, model.trainable_variables), model.trainable_variables)

    @tf.function
    def step(x: Any, y: Any) -> None:
        strategy.run(replica_step, args=(x, y))

    first = int(done)
    batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(64).skip(first)
    for batch in strategy.experimental_distribute_dataset(batches):
        step(*batch)
        done.assign_add(1)
        if index is not None:
            checkpoint.save(folder / str(index) / "step")
        if int(done) == dies_after:
            os._exit(1)  # at once, like a power cut
        if int(done) == last:
            break
    if index is not None:
        print(f"Worker {index}: began after step {first}, ended after step {int(done)}.")
    return [np.asarray(weight) for weight in model.get_weights()]


def run_workers(folder: Path, dies_after: list[int]) -> list[int]:
    """Run one worker for each entry until all have ended, or one has failed; return exit codes."""
    workers: list[subprocess.Popen] = []
    end = time.monotonic() + SECONDS
    try:
        addresses = free_addresses(len(dies_after))
        for index, step in enumerate(dies_after):
            workers.append(start_worker(folder, index, addresses, step))
        while True:
            codes = [worker.poll() for worker in workers]
            if None not in codes or any(codes):
                break
            if time.monotonic() > end:
                raise TimeoutError(f"the workers took more than {SECONDS} seconds")
            time.sleep(0.1)
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
    return [worker.returncode for worker in workers]


def start_worker(folder: Path, index: int, addresses: list[str], dies_after: int) -> Any:
    """Start this file as the worker with this index."""
    task = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}}
    settings = {
        "TF_CONFIG": json.dumps(task),
        "CUDA_VISIBLE_DEVICES": "",  # both workers would take the same GPU
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }
    command = [sys.executable, __file__, "--worker", folder, "--dies-after", str(dies_after)]
    with open(folder / f"{index}.txt", "w") as output:
        return subprocess.Popen(
            command, env=os.environ | settings, stdout=output, stderr=subprocess.STDOUT
        )


def free_addresses(count: int) -> list[str]:
    """Return addresses of this computer with free ports."""
    with ExitStack() as stack:
        servers = [
            stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)
        ]
        names = [server.getsockname() for server in servers]
        return [f"{host}:{port}" for host, port in names]


if __name__ == "__main__":
    sys.exit(main())

# %% [markdown] part="Part III: what fit cannot say"
# # 20 · Bigger machines
#
# One step on several devices, several machines, another compiler, 16 bits: each promises the same training, faster. Here you
# find out where it is not the same, and make it so.
#
# **You will learn to**
#
# - take one step on several devices, and prove that the weights are those of one;
# - name what each replica counts alone: means, penalties, clipping, statistics, metrics;
# - start two workers, lose one, and go on from a checkpoint (a section that can wait);
# - compile a step with XLA and train in 16 bits without changing what is learned.
#
# **Before you start**: [10 · Fast loops](10_fast_loops.ipynb) and [13 · MNIST](13_mnist.ipynb). **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import check, make_classification, predict, start_lesson
from course_utils.session import standard_error_held

start_lesson("20")

import timeit

import keras
import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from keras import layers

# %% [markdown]
# ## What is one step on several devices?
#
# Each device holds a copy of the model, a **replica**, and takes a part of the batch. The gradients of all parts are added, and
# every replica takes the same step with the sum. First without any help: a batch of 64, halved, and one model for both halves, since their
# weights are equal anyway. (`reduction=None` gives a loss for each example.)

# %%
# (256, 20), (256,)
x, y = map(tf.constant, make_classification(256, seed=20))
loss_of_each = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction=None)


def new_model(penalty=None):
    keras.utils.set_random_seed(20)
    first = layers.Dense(32, activation="tanh", kernel_regularizer=penalty)
    # logits
    return keras.Sequential([keras.Input((20,)), first, layers.Dense(5)])


def gradients_of(model, x, y, divisor):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(loss_of_each(y, model(x, training=True))) / divisor
    return tape.gradient(loss, model.trainable_variables)


# %%
def largest_difference(arrays, others):
    pairs = zip(arrays, others, strict=True)
    return float(max(np.max(np.abs(np.subtract(*pair))) for pair in pairs))


model = new_model()
whole = gradients_of(model, x[:64], y[:64], 64)
halves = [gradients_of(model, x[i : i + 32], y[i : i + 32], 64) for i in (0, 32)]
summed = [a + b for a, b in zip(*halves, strict=True)]

print("the sum of both is the gradient of all:", largest_difference(whole, summed) < 1e-5)

# %% tags=["claims"]
assert largest_difference(whole, summed) < 1e-5

# %% [markdown]
# Both halves divide by 64, the size of the **global batch**. A program that ran on one device says `tf.reduce_mean`.
#
# > **Predict**
# >
# > Each half takes the mean over its own 32 examples, and the two gradients are added. What comes out?

# %%
predict("20.a", "")

# %%
by_means = [gradients_of(model, x[i : i + 32], y[i : i + 32], 32) for i in (0, 32)]
summed_means = [a + b for a, b in zip(*by_means, strict=True)]
factor = float(tf.linalg.global_norm(summed_means) / tf.linalg.global_norm(whole))

print(f"{factor:.2f} times the gradient of all")

# %% [markdown]
# The same factor in every entry, since the halves are alike in size. From n such parts it is n:

# %%
scaled = [factor * g for g in whole]

print("in every entry:", largest_difference(summed_means, scaled) < 1e-5)

# %% tags=["claims"]
assert np.isclose(factor, len(halves), rtol=1e-4) and largest_difference(summed_means, scaled) < 1e-5

# %% [markdown]
# Now let TensorFlow do it. `MirroredStrategy` puts the replicas on devices: your GPUs, if there are two. Else
# `start_lesson` has split the CPU into two **logical devices**: they share its cores, so nothing gets faster, but
# each computes by itself. Your own program calls `split_cpu` before anything else runs. Here it is too late:


# %%
def split_cpu(into):
    cpu = tf.config.list_physical_devices("CPU")[0]
    devices = [tf.config.LogicalDeviceConfiguration()] * into
    tf.config.set_logical_device_configuration(cpu, devices)


try:
    split_cpu(3)
except RuntimeError as error:
    too_late = str(error)
print(too_late)

# %% tags=["claims"]
assert "cannot be modified after being initialized" in too_late

# %%
# strategies report each sum of gradients
tf.get_logger().setLevel("WARNING")

devices = tf.config.list_logical_devices("GPU")
if len(devices) < 2:
    devices = tf.config.list_logical_devices("CPU")
strategy = tf.distribute.MirroredStrategy([device.name for device in devices])
n_replicas = strategy.num_replicas_in_sync

with strategy.scope():
    model = new_model()
# a tuple with the value on each replica
copies = strategy.experimental_local_results(model.trainable_variables[0].value)

print(n_replicas, "replicas, on", " and ".join(copy.device[-5:] for copy in copies))

# %% tags=["claims"]
assert n_replicas == len(devices) > 1

# %% [markdown]
# A variable that is made inside the `scope` has a copy on each device. `strategy.run` runs a function once for each
# replica, with its part of the data; `strategy.reduce` joins what they returned, here a number each (`axis=None`).
# The optimizer does the rest: `apply`, called on a replica, **adds** the gradients of all replicas, and takes the
# step on every copy. `size_of` says what a replica divides by, and `between` changes the gradients before `apply`:
# both vary further on.


# %%
def make_step(strategy, model, optimizer, size_of=lambda y: 64, between=list):
    def replica_step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(loss_of_each(y, model(x, training=True))) / size_of(y)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(between(gradients), model.trainable_variables)
        return loss

    @tf.function
    def step(x, y):
        losses = strategy.run(replica_step, args=(x, y))
        return strategy.reduce("SUM", losses, axis=None)

    return step


# %% [markdown]
# `experimental_distribute_dataset` cuts each batch into parts. Without a strategy, TensorFlow uses a default one with one replica, so one program serves both:


# %%
def train(strategy, kind=keras.optimizers.SGD, rate=0.1, count=256, **how):
    with strategy.scope():
        model, optimizer = new_model(), kind(rate)
        # so that its variables have copies, too
        optimizer.build(model.trainable_variables)
    step = make_step(strategy, model, optimizer, **how)
    batches = tf.data.Dataset.from_tensor_slices((x[:count], y[:count])).batch(64)
    losses = [float(step(*batch)) for batch in strategy.experimental_distribute_dataset(batches)]
    return model, losses

# %%
one_device = tf.distribute.get_strategy()
alone, its_losses = train(one_device)
together, their_losses = train(strategy)
gap = largest_difference(alone.get_weights(), together.get_weights())

print("equal weights:", gap < 1e-5, "and losses:", np.allclose(its_losses, their_losses, rtol=1e-4))

# %% tags=["claims"]
assert gap < 1e-5 and np.allclose(its_losses, their_losses, rtol=1e-4)
# they moved
assert largest_difference(alone.get_weights(), new_model().get_weights()) > 1e-2

# %% [markdown]
# And with the mean of each replica? With plain SGD the step is n times too long, as from a rate n times as large. Adam divides by the size of its gradients, so
# the same fault hardly shows in the weights. It shows in the loss that you print, which is n times too large.

# %%
def size_of_part(y):
    return 64 / n_replicas


def gap_by_means(kind, rate):
    of_one = train(one_device, kind, rate)[0].get_weights()
    by_means = train(strategy, kind, rate, size_of=size_of_part)[0].get_weights()
    return largest_difference(of_one, by_means)


print("by the mean of each replica:", end=" ", flush=True)
gaps = {kind.__name__: gap_by_means(kind, 0.01) for kind in (keras.optimizers.SGD, keras.optimizers.Adam)}
by_rate = train(one_device, rate=0.1 * n_replicas)[0].get_weights()
by_mean, losses_by_mean = train(strategy, size_of=size_of_part)

print({kind: "other weights" if gap > 1e-3 else "hardly another" for kind, gap in gaps.items()})

# %% tags=["claims"]
assert gaps["SGD"] > 1e-3 > gaps["Adam"]
assert largest_difference(by_rate, by_mean.get_weights()) < 1e-5
assert np.isclose(losses_by_mean[0], n_replicas * its_losses[0], rtol=1e-4)

# %% [markdown]
# **What belongs in the scope?** Everything with variables: the model, the optimizer, metrics. An optimizer that was made outside is often seen.
#
# > **Predict**
# >
# > Adam is made and built outside the scope, the model inside. What do four steps do?

# %%
predict("20.b", "")

# %%
with strategy.scope():
    model = new_model()
outside = keras.optimizers.Adam(0.01)
outside.build(model.trainable_variables)
step = make_step(strategy, model, outside)
batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(64)
for batch in strategy.experimental_distribute_dataset(batches):
    step(*batch)

copies = strategy.experimental_local_results(model.trainable_variables[0].value)
apart = max(np.max(np.abs(copies[0] - copy)) for copy in copies)
print("copies alike:", bool(apart < 1e-5))

# %% [markdown]
# Nothing is said. There is an error for a model made outside, and for an Adam that is not built, wherever it was
# made: its step would have to make variables. An optimizer made and built in the scope keeps all copies alike:

# %%
inside, _ = train(strategy, keras.optimizers.Adam, 0.01)
copies = strategy.experimental_local_results(inside.trainable_variables[0].value)
gap = max(np.max(np.abs(copies[0] - copy)) for copy in copies)


def raises(model, optimizer):
    try:
        make_step(strategy, model, optimizer)(*batch)
    except (ValueError, AssertionError, RuntimeError):
        return True
    return False


model_outside = raises(new_model(), keras.optimizers.SGD(0.1))
print("a model outside, an error:", model_outside, "| all in the scope, copies alike:", bool(gap == 0))

# %% tags=["claims"]
assert apart > 1e-3 and gap == 0 and model_outside
assert raises(inside, keras.optimizers.Adam(0.01))

# %% [markdown]
# **What comes from no example** is computed on every replica as well: a penalty on weights, in `model.losses`, depends on these alone, and they are equal everywhere.
#
# ### Exercise 20.1: complete
#
# Write what one replica computes: a list of gradients, one for each trainable variable. Their sums over all `replicas` replicas should be the
# gradients of what one device minimises: the mean, over all `batch_size` examples, of the squared error (summed over the outputs), plus the penalties in
# `model.losses`. A replica may get fewer examples than another, or none. No layer asks for `training`.


# %% exercise="20.1"
def share_of_gradients(model, x, y, batch_size, replicas):
    """Return this replica's share, for its own examples x (n, 3) and y (n, 3)."""
    ### BEGIN SOLUTION
    with tf.GradientTape() as tape:
        errors = tf.reduce_sum((model(x, training=True) - y) ** 2)
        loss = errors / batch_size + sum(model.losses) / replicas
    return tape.gradient(loss, model.trainable_variables)
    ### END SOLUTION


# %%
check("20.1", share_of_gradients)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# The *sum* over your examples, divided by a number that is the same on all replicas.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Every replica computes the same penalties. If each adds them in full, how often do they count?
#
# </details>

# %% [markdown]
# ## What else does each replica count alone?
#
# **A short batch.** The last batch may have fewer than 64 examples, and its parts may differ in size. Replicas can
# add their counts: `all_reduce` gives each of them the sum. You call it on the **replica context**, that of the
# replica on which the function runs. On one device, `all_reduce` gives the number back, so one step serves both:


# %%
def count_of_all(y):
    own = tf.cast(tf.shape(y)[0], tf.float32)
    return tf.distribute.get_replica_context().all_reduce("SUM", own)


# %%
# 64 and 7
short = [train(s, size_of=count_of_all, count=71) for s in (one_device, strategy)]
gap = largest_difference(*(model.get_weights() for model, _ in short))

print("with a batch of 7, equal weights:", gap < 1e-5)

# %% tags=["claims"]
assert gap < 1e-5 < 1e-3 < largest_difference(short[0][0].get_weights(), new_model().get_weights())

# %% [markdown]
# **Clipping.** `clipnorm` and `global_clipnorm` act in `apply` *before* the gradients are added: on each replica's share, not on the sum. For the clipping of lesson 11, add the
# shares yourself, by `all_reduce`, and clip the sum. After that each of the n replicas holds the whole gradient. `apply` would add all n, so hand it one n-th:


# %%
def clip_the_sum(gradients):
    replica = tf.distribute.get_replica_context()
    summed = replica.all_reduce("SUM", gradients)
    clipped, _ = tf.clip_by_global_norm(summed, 0.1)
    return [g / replica.num_replicas_in_sync for g in clipped]


# %%
def clipping(rate):
    return keras.optimizers.SGD(rate, global_clipnorm=0.1)


expected = train(one_device, clipping, 1.0)[0].get_weights()
by_optimizer = train(strategy, clipping, 1.0)[0].get_weights()
by_sum = train(strategy, rate=1.0, between=clip_the_sum)[0].get_weights()
gap, gap_of_sum = (largest_difference(expected, weights) for weights in (by_optimizer, by_sum))

print("by the optimizer, equal:", gap < 1e-4, "| the sum clipped, equal:", gap_of_sum < 1e-4)

# %% tags=["claims"]
assert gap > 1e-3 and gap_of_sum < 1e-4

# %% [markdown]
# In the figure, two replicas' shares, for two weights, and the limit 0.6, the circle. Compare the arrows "clip each, then add" and "add, then clip": their directions, and which of them stays within the circle.

# %%
def clip(arrow):
    return arrow * min(1.0, 0.6 / np.linalg.norm(arrow))


first, second = np.array([1.6, 0.1]), np.array([-0.2, 0.7])
arrows = {"share 1": first, "share 2": second}
arrows |= {"clip each, then add": clip(first) + clip(second), "add, then clip": clip(first + second)}

ax = plt.subplots(figsize=(6.4, 3.6))[1]
circle = ax.add_patch(plt.Circle((0, 0), 0.6, fill=False, color="0.6"))
for number, (name, arrow) in enumerate(arrows.items()):
    style = {"arrowstyle": "->", "color": f"C{number}", "lw": 2, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", arrow, (0, 0), arrowprops=style)
    text = ax.annotate(name, arrow, (4, 4), textcoords="offset points", color=f"C{number}")
labels = ax.set(aspect="equal", xlim=(-0.8, 2.1), ylim=(-0.7, 1.0), xlabel="first weight", ylabel="second weight")

# %% tags=["claims"]
assert np.linalg.norm(arrows["clip each, then add"]) > 0.6 + 0.05

# %% [markdown]
# Clipped one by one, both shares are equally long here: their sum points elsewhere, and may be longer than the limit.
#
# **BatchNormalization** computes mean and variance of the replica's own part (of an empty one: `nan`). A file is
# often sorted, so let the parts differ: the first half of the batch is shifted by 2.
#
# > **Predict**
# >
# > Each replica has moving averages of its own part. Which ones does `model.get_weights()` give, and a saved model hold?

# %%
predict("20.c", "")

# %%
x_shifted = tf.concat([x[:32] + 2.0, x[32:64]], axis=0)
(parts,) = strategy.experimental_distribute_dataset(
    tf.data.Dataset.from_tensor_slices((x_shifted, y[:64])).batch(64)
)

# %%
def weights_after_a_step(strategy, batch, synchronized=False):
    keras.utils.set_random_seed(20)
    with strategy.scope():
        # momentum 0: its averages are those of the last batch
        norm = layers.BatchNormalization(momentum=0.0, synchronized=synchronized)
        model = keras.Sequential([keras.Input((20,)), norm, layers.Dense(5)])
        optimizer = keras.optimizers.SGD(0.1)
        optimizer.build(model.trainable_variables)
    make_step(strategy, model, optimizer)(*batch)
    # gamma, beta, moving mean, moving variance, kernel, bias
    return model.get_weights()


kept = weights_after_a_step(strategy, parts)[2]
means = {"first part": x_shifted[: 64 // n_replicas], "all": x_shifted}
print([name for name, of in means.items() if np.allclose(kept, np.mean(of, axis=0), atol=1e-4)])

# %% [markdown]
# `synchronized=True` lets the replicas compute mean and variance together. Then all weights are those of one device:

# %%
synchronized = weights_after_a_step(strategy, parts, synchronized=True)
gap = largest_difference(
    synchronized,
    weights_after_a_step(one_device, (x_shifted, y[:64])),
)
of_first = np.mean(x_shifted[: 64 // n_replicas], axis=0)

print("synchronized, equal weights:", gap < 1e-4)

# %% tags=["claims"]
assert gap < 1e-4 and np.allclose(kept, of_first, atol=1e-4)
assert np.any(synchronized[-1])  # the bias moved
assert np.max(np.abs(of_first - np.mean(x_shifted, axis=0))) > 0.5

# %% [markdown]
# **Metrics** of Keras, made in the scope, add up: each replica counts its own examples, and `result()` joins the counts. What goes wrong is
# a fraction of right answers that each replica returns. The sum of two may reach 2, and their mean counts the examples of a small part more.

# %%
with strategy.scope():
    metric = keras.metrics.SparseCategoricalAccuracy()


@tf.function
def measure(x, y):
    def on_replica(x, y):
        logits = together(x, training=False)
        metric.update_state(y, logits)
        return tf.reduce_mean(tf.cast(tf.argmax(logits, axis=1) == tf.cast(y, tf.int64), tf.float32))

    return strategy.run(on_replica, args=(x, y))


(parts,) = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices((x[:61], y[:61])).batch(61))
fractions = [float(one) for one in strategy.experimental_local_results(measure(*parts))]
truth = np.mean(np.argmax(together(x[:61]), axis=1) == y[:61])

print("by the metric:", np.isclose(metric.result(), truth), "| mean of fractions:", np.isclose(np.mean(fractions), truth))

# %% tags=["claims"]
assert np.isclose(metric.result(), truth) and not np.isclose(np.mean(fractions), truth)

# %% [markdown]
# ### Exercise 20.2: repair
#
# A posted program, with no strategy, so that each line shows. It gets, for each device, a pair of variables in `copies`, W (d, k) and b (k,), and in `parts` a pair of x (n, d) and
# labels y (n,). All copies are equal, and the parts of unlike sizes. It should do what one device does with all examples:
#
# - minimise the mean cross-entropy plus `penalty` times the sum of W²;
# - clip the gradient to a global norm of `largest`, and take one step of gradient descent of rate `lr`, the same on every copy;
# - return the fraction of right answers before the step.
#
# Four things are wrong.


# %% exercise="20.2"
def step_on_copies(copies, parts, lr, penalty, largest):
    # Returns the fraction of right answers before the step.
    ### BEGIN SOLUTION
    #| shares, right = [], []
    #| for (W, b), (x, y) in zip(copies, parts):
    #|     with tf.GradientTape() as tape:
    #|         logits = x @ W + b
    #|         losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits)
    #|         loss = tf.reduce_mean(losses) + penalty * tf.reduce_sum(W**2)
    #|     gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, [W, b]), largest)
    #|     shares.append(gradients)
    #|     right.append(np.mean(np.argmax(logits, axis=1) == y))
    #| summed = [sum(gradients) for gradients in zip(*shares)]
    #| for W, b in copies:
    #|     W.assign_sub(lr * summed[0])
    #|     b.assign_sub(lr * summed[1])
    #| return np.mean(right)
    count, shares, right = sum(len(y) for _, y in parts), [], 0
    for (W, b), (x, y) in zip(copies, parts, strict=True):
        with tf.GradientTape() as tape:
            logits = x @ W + b
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits)
            loss = tf.reduce_sum(losses) / count + penalty * tf.reduce_sum(W**2) / len(copies)
        shares.append(tape.gradient(loss, [W, b]))
        right += np.sum(np.argmax(logits, axis=1) == y)
    summed = [sum(gradients) for gradients in zip(*shares, strict=True)]
    summed, _ = tf.clip_by_global_norm(summed, largest)
    for W, b in copies:
        W.assign_sub(lr * summed[0])
        b.assign_sub(lr * summed[1])
    return right / count
    ### END SOLUTION


# %%
check("20.2", step_on_copies)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Go through what is computed for each copy: the mean, the penalty, the clipping, the fraction of right answers. Which of them may be added, or averaged, as it is?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Count all examples above the loop. In it: sums divided by that count, and each copy's part of the penalty. Clip what was added up. Count right answers, and divide
# at the end.
#
# </details>

# %% [markdown]
# ## Further: what changes with several machines?
#
# Every machine runs the *same* program, a **worker**. It learns from the environment variable `TF_CONFIG` where the others are, and which one it is. `MultiWorkerMirroredStrategy` reads it, waits for all, and
# adds gradients over the network. Here both workers are processes of this machine, on the loopback address that every machine has, and on its CPU.
#
# A worker may die at any time, so the program saves after each step, and starts from what it finds. `os._exit` ends a process at once, like a power
# cut.


# %%
def work(folder, dies_after):
    with strategy.scope():
        model, optimizer = new_model(), keras.optimizers.Adam(0.01)
        optimizer.build(model.trainable_variables)
    index, done = strategy.cluster_resolver.task_id, tf.Variable(0, trainable=False)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, done=done)
    # None: nothing to restore
    checkpoint.restore(tf.train.latest_checkpoint(f"{folder}/0"))
    print("begins after step", int(done), flush=True)
    step = make_step(strategy, model, optimizer)
    batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(64).skip(int(done))
    for batch in strategy.experimental_distribute_dataset(batches):
        step(*batch)
        done.assign_add(1)
        checkpoint.save(f"{folder}/{index}/step")
        if int(done) == dies_after:
            os._exit(1)
    np.savez(f"{folder}/{index}.npz", *model.get_weights())
    print("ends after step", int(done), flush=True)


# %% [markdown]
# The worker's file holds this function and those above, as you read them. The strategy comes before anything else that runs. Each worker writes checkpoints
# into a folder of its own, and all read those of worker 0.

# %%
import inspect
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

kept = tempfile.TemporaryDirectory()  # until the kernel ends
home = Path(kept.name)
np.savez(home / "data.npz", x=x, y=y)


# %%
opening = f"""
import os, sys
import numpy as np, tensorflow as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy()
import keras
from keras import layers
x, y = (np.load({str(home / "data.npz")!r})[name] for name in "xy")
loss_of_each = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction=None)
"""
functions = "\n\n".join(map(inspect.getsource, (new_model, make_step, work)))
ending = "work(sys.argv[1], int(sys.argv[2]))"
program = home / "worker.py"
program.write_text("\n\n".join([opening, functions, ending]), encoding="utf-8")
print("written:", program.name)

# %% [markdown]
# Starting them needs free ports; the system gives one for port 0. The line with `create_connection` fails at once where this machine cannot talk to itself.


# %%
def free_addresses(count):
    with ExitStack() as stack:
        servers = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        names = [server.getsockname() for server in servers]
        stack.enter_context(socket.create_connection(names[0], timeout=1))
        return [f"{host}:{port}" for host, port in names]

# %%
def start(index, addresses, dies_after):
    task = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}}
    # No GPU: both workers would take the same one.
    settings = {"TF_CONFIG": json.dumps(task), "CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    # of its own, so nothing is mixed
    with open(folder / f"{index}.txt", "w") as output:
        return subprocess.Popen(
            [sys.executable, str(program), str(folder), str(dies_after)],
            env=os.environ | settings, stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip


# %% [markdown]
# An `all_reduce` waits for everybody: when one worker has died, none can go on. So `run_workers` ends all with the first that fails. The `finally` also ends them when you interrupt the cell, when something here
# raises, and when the time is over.


# %%
def all_may_go_on(workers):
    # None: it still runs
    codes = [worker.poll() for worker in workers]
    return None in codes and not any(codes)


# %%
def run_workers(dies_after, seconds=100):
    """Run a worker for each entry; return their exit codes, None for one that had to be ended."""
    workers, end = [], time.monotonic() + seconds
    try:
        addresses = free_addresses(len(dies_after))
        for index, number in enumerate(dies_after):
            workers.append(start(index, addresses, number))
        while all_may_go_on(workers):
            if time.monotonic() > end:
                raise TimeoutError(f"the workers took more than {seconds} seconds")
            time.sleep(0.1)
        return [worker.poll() for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()


# %% [markdown]
# Worker 1 dies after two of four steps:

# %%
# without the checkpoints of another run
folder = Path(tempfile.mkdtemp(dir=home))
print("two workers start TensorFlow, up to half a minute", flush=True)
codes = run_workers(dies_after=[0, 2])
is_done = [(folder / f"{index}.npz").exists() for index in range(2)]

print("worker 1 failed:", codes[1] == 1, "| anybody finished:", any(is_done))

# %% tags=["claims"]
assert codes[1] == 1 and codes[0] != 0 and not any(is_done), (folder / "1.txt").read_text()[-2000:]

# %% [markdown]
# Now the same two again, from the checkpoint. They should end with the weights of one device that was never interrupted:

# %%
print("two workers start TensorFlow, up to half a minute", flush=True)
codes = run_workers(dies_after=[0, 0])
told = [(folder / f"{index}.txt").read_text() for index in range(2)]
assert codes == [0, 0], told[0][-2000:] + told[1][-2000:]

ended = [list(np.load(folder / f"{index}.npz").values()) for index in range(2)]
uninterrupted, _ = train(one_device, keras.optimizers.Adam, 0.01)
gaps = [largest_difference(weights, uninterrupted.get_weights()) for weights in ended]

print("from the start:", "begins after step 0" in told[0], "| equal weights:", max(gaps) < 1e-4)

# %% tags=["claims"]
assert all("ends after step 4" in text and "begins after step 0" not in text for text in told)
assert max(gaps) < 1e-4

# %% [markdown]
# ## What does XLA do with the last batch?
#
# A graph starts each of its operations by itself. With `jit_compile=True`, **XLA** fuses neighbours into one piece of machine code. For that it needs the size of every array.
#
# > **Predict**
# >
# > Ten examples in batches of four, and the sizes of the batches added up: 10. What does the same function give under
# > XLA?

# %%
predict("20.d", "")


# %%
def number_of_examples(order):
    total = 0
    for first in tf.range(0, tf.size(order), 4):
        total += tf.size(order[first : first + 4])
    return total


in_graph = tf.function(number_of_examples)(tf.range(10))
with standard_error_held():  # XLA announces itself, once
    in_xla = tf.function(number_of_examples, jit_compile=True)(tf.range(10))

print("graph:", in_graph.numpy(), "| XLA:", in_xla.numpy())

# %% [markdown]
# It does not only count wrongly: the short slice is filled up with the index 0, so an epoch in such a loop trains on example 0. Here one weight takes steps towards each batch's mean, as an epoch
# of lesson 10 would; example 0 is far away, and `order` leaves it out.

# %%
values = tf.constant([100.0, 1, 1, 1, 1, 1, 1])


def weight_after_an_epoch(order):
    w = 0.0
    for first in tf.range(0, tf.size(order), 4):
        batch = tf.gather(values, order[first : first + 4])
        w -= 0.5 * (w - tf.reduce_mean(batch))
    return w


order = tf.range(1, 7)  # six examples: one batch of 4, one of 2
by_graph = tf.function(weight_after_an_epoch)(order)
by_xla = tf.function(weight_after_an_epoch, jit_compile=True)(order)

print(f"graph: {by_graph.numpy():.2f} | XLA: {by_xla.numpy():.2f}")

# %% tags=["claims"]
assert in_graph == 10 and in_xla == 12
assert np.isclose(by_graph, 0.75) and by_xla > 10

# %% [markdown]
# In a loop **inside** the compiled function, XLA gives a slice from `first` to `first + 4` 4 entries even at the end;
# one that ends at `tf.minimum(first + 4, tf.size(order))` is right. A *step* that you call from Python is right for a
# short batch, too, and is compiled once more for it. Full batches avoid both, the wrong slice and the second
# compilation: fill up the short batch with rows, give these the **weight 0**, and divide by the sum of the weights.
# They must be harmless, though: 0 times `nan` is `nan`, and BatchNormalization counts them whatever their weight.

# %%
def make_weighted_step(model, optimizer, jit_compile):
    optimizer.build(model.trainable_variables)

    @tf.function(jit_compile=jit_compile)
    def step(x, y, weights):
        with tf.GradientTape() as tape:
            losses = loss_of_each(y, model(x, training=True))  # (n,)
            loss = tf.reduce_sum(weights * losses) / tf.reduce_sum(weights)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        return loss

    return step


# %%
def padded(array, size=64):
    return tf.pad(array, [[0, size - len(array)]] + [[0, 0]] * (array.ndim - 1))

# %%
models, steps = {}, {}
for filled_up in (False, True):
    models[filled_up] = new_model()
    steps[filled_up] = make_weighted_step(models[filled_up], keras.optimizers.SGD(0.1), jit_compile=True)
    # 64 and 36 examples
    for first in range(0, 100, 64):
        batch = [array[first : min(first + 64, 100)] for array in (x, y, tf.ones(256))]
        steps[filled_up](*(map(padded, batch) if filled_up else batch))

# without XLA
expected = train(one_device, size_of=count_of_all, count=100)[0].get_weights()
for filled_up, step in steps.items():
    gap = largest_difference(expected, models[filled_up].get_weights())
    traces = step.experimental_get_tracing_count()
    print(f"filled up: {filled_up}, equal weights: {gap < 1e-4}, compilations: {traces}")
    assert gap < 1e-4 and traces == (1 if filled_up else 2)

assert largest_difference(expected, new_model().get_weights()) > 1e-3
norm, own = layers.BatchNormalization(), x[64:100]

# %% tags=["claims"]
assert largest_difference(norm(padded(own), training=True)[:36], norm(own, training=True)) > 0.1

# %% [markdown]
# Is it faster? That depends on the model and on the machine, and the time of compiling has to be earned back first. So measure yours:

# %% tags=["nbval-ignore-output"]
without_xla = make_weighted_step(new_model(), keras.optimizers.SGD(0.1), jit_compile=False)
full = x[:64], y[:64], tf.ones(64)
took = [
    min(timeit.repeat(lambda step=step: float(step(*full)), number=1, repeat=50))
    for step in (steps[True], without_xla)
]
print(f"XLA takes {took[0] / took[1]:.1f} times the time of the graph for a step")

# %% [markdown]
# ### Exercise 20.3: complete
#
# `step(x, y, weights)` is compiled for one batch size. It takes a step on the *sum* of `weights` times the losses: unlike the step above, it divides by nothing. Call it for each batch of an epoch, in the order of the data, so that each step is along the
# gradient of the *mean* loss over that batch's own examples, also in a short last batch. Every call gets `batch_size` rows.
# `step` takes the logarithm of `x` and of `y`, so fill up with something harmless, such as 1.


# %% exercise="20.3"
def run_epoch(step, x, y, batch_size):
    """Call step(x, y, weights) for each batch; x is (n, d), y and weights are (batch_size,) in a call."""
    ### BEGIN SOLUTION
    for first in range(0, len(x), batch_size):
        own = x[first : first + batch_size]
        missing = batch_size - len(own)
        step(
            tf.pad(own, [[0, missing], [0, 0]], constant_values=1.0),
            tf.pad(y[first : first + batch_size], [[0, missing]], constant_values=1.0),
            tf.pad(tf.fill([len(own)], 1.0 / len(own)), [[0, missing]]),
        )
    ### END SOLUTION


# %%
check("20.3", run_epoch)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# `tf.pad(array, [[0, missing], [0, 0]], constant_values=1.0)` adds rows below. How many are missing in a full batch?
#
# </details>
# <details><summary>Hint 2</summary>
#
# The weights of a batch add up to 1. With k examples of its own, each has 1 / k, and what was added 0.
#
# </details>

# %% [markdown]
# ## What do 16 bits need?
#
# **Mixed precision** computes in 16 bits and keeps the weights in `float32`. There are two kinds: `float16`, with about three digits, and `bfloat16`, with two and nearly
# the range of `float32`.
#
# > **Predict**
# >
# > The loss is 1e-9 · w² at w = 3, by way of a `float16` w: its slope is 6e-9. What does the tape give?

# %%
predict("20.e", "")

# %%
w = tf.Variable(3.0)


def slope(scale, dtype=tf.float16):
    with tf.GradientTape() as tape:
        half = tf.cast(w, dtype)
        loss = 1e-9 * tf.cast(half, tf.float32) ** 2
        scaled_loss = scale * loss
    return tape.gradient(scaled_loss, w) / scale


# some processors announce that they lack half units
with standard_error_held():
    unscaled = slope(1.0)

print(f"loss {1e-9 * w.numpy() ** 2:.0e}, slope {unscaled.numpy():.0e}")

# %% [markdown]
# It **underflows**: on its way back the gradient passes through `float16`, and this weight stops learning. **Loss scaling** multiplies the loss by a large number, and divides the gradient by
# it when it is a `float32` again. `bfloat16` needs none of this: it reaches nearly as far down as `float32`.

# %%
print(f"scaled: slope {slope(2.0**15).numpy():.0e}")
print(f"bfloat16: slope {slope(1.0, tf.bfloat16).numpy():.0e}")

# %% tags=["claims"]
assert unscaled == 0.0 and np.float16(2.9e-8) == 0.0 < np.float16(6e-8)
assert np.isclose(slope(2.0**15), 6e-9, rtol=1e-2)
assert np.isclose(slope(1.0, tf.bfloat16), 6e-9, rtol=1e-2)

# %% [markdown]
# In a loop, `LossScaleOptimizer` does it: you call `scale_loss`, and `apply` divides. (You will read of `get_scaled_loss`; it no longer exists.) A policy for all
# layers is `keras.config.set_dtype_policy("mixed_float16")`; here each layer gets its own, and the last stays `float32`, since losses need digits.


# %%
def make_mixed_step(policy, jit_compile=False):
    keras.utils.set_random_seed(20)
    hidden = [layers.Dense(32, activation="relu", dtype=policy) for _ in range(2)]
    model = keras.Sequential([keras.Input((20,)), *hidden, layers.Dense(5, dtype="float32")])
    optimizer = keras.optimizers.LossScaleOptimizer(keras.optimizers.Adam(1e-2))
    optimizer.build(model.trainable_variables)

    @tf.function(jit_compile=jit_compile)
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(loss_of_each(y, model(x, training=True)))
            scaled_loss = optimizer.scale_loss(loss)
        gradients = tape.gradient(scaled_loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        return loss

    return model, optimizer, step


# %% [markdown]
# Large numbers overflow early, too, above 65,504. If a gradient is not finite, the optimizer leaves that step out and
# halves its scale; after many good steps in a row it doubles it. (With replicas, hand it the sum, an n-th each, as
# `clip_the_sum` does: else it may look at the first replica's gradients alone.) Here a batch is a million times too
# large for `float16`, and then one is `nan`: no scale mends either.

# %%
model, optimizer, step = make_mixed_step("mixed_float16")
losses = [float(step(x[:64], y[:64])) for _ in range(30)]
weights, scale = model.get_weights(), float(optimizer.dynamic_scale)
scales = [scale]
for factor in (1e6, float("nan")):
    step(factor * x[:64], y[:64])
    scales.append(float(optimizer.dynamic_scale))
moved = largest_difference(weights, model.get_weights()) > 0

print(f"learned: {losses[-1] < 0.8 * losses[0]}; then moved: {moved}, scales:", *map(round, scales))

# %% tags=["claims"]
assert losses[-1] < 0.8 * losses[0] and not moved and scales == [scale, scale / 2, scale / 4]
assert optimizer.dynamic_growth_steps > 30
assert model.layers[0].compute_dtype == "float16" and model.weights[0].dtype == "float32"
assert not hasattr(optimizer, "get_scaled_loss") and np.finfo(np.float16).max == 65504

# %% [markdown]
# What do 16 bits gain? Time where the machine has units for such numbers. Where it has none, every number is
# converted back and forth, and a step may take many times longer. XLA, which sees the whole step, saves some of that.
# Measure yours:

# %% tags=["nbval-ignore-output"]
took = {}
for name in ("float32", "mixed_bfloat16", "mixed_float16", "mixed_float16 under XLA"):
    print(f"{name}:", end=" ", flush=True)
    step = make_mixed_step(name.split()[0], jit_compile="XLA" in name)[2]
    step(x, y)  # traces
    took[name] = min(timeit.repeat(lambda step=step: float(step(x, y)), number=1, repeat=5))
    print(f"{took[name] / took['float32']:.1f} times the time of float32")

# %% [markdown]
# ### Exercise 20.4: complete
#
# The optimizer's work, by hand, without the doubling. `loss_of()` computes a `float32` loss from the `variables` by way of `float16`. Take one step of gradient descent of rate `lr` with a loss that is scaled by `scale`, and return the scale for the
# next step. If *any* entry of any gradient is not finite, no variable moves, and the next scale is half of `scale`. Else it is `scale`.


# %% exercise="20.4"
def scaled_step(variables, loss_of, lr, scale):
    """Take one step, or none; return the scale of the next."""
    ### BEGIN SOLUTION
    with tf.GradientTape() as tape:
        scaled_loss = scale * loss_of()
    gradients = [g / scale for g in tape.gradient(scaled_loss, variables)]
    if not all(np.all(np.isfinite(g)) for g in gradients):
        return scale / 2
    for variable, gradient in zip(variables, gradients, strict=True):
        variable.assign_sub(lr * gradient)
    return scale
    ### END SOLUTION


# %%
check("20.4", scaled_step)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# The product with `scale` belongs in the block of the tape. The gradients come scaled.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Look at all gradients, with `tf.math.is_finite`, before the first variable moves.
#
# </details>

# %% [markdown]
# ## What of this does fit do?
#
# | you want | `fit` needs | and mind |
# |---|---|---|
# | several devices | the model and `compile` in `strategy.scope()` | parts of unlike sizes, or unlike sums of weights: a mean of means |
# | penalties | nothing: `fit` divides them | |
# | BatchNormalization over all | `synchronized=True` | |
# | clipping of the sum | `update_step` of an optimizer, which gets the sum; for the joint norm, `clip_the_sum` in a `train_step` | `clipnorm` clips each share |
# | XLA | `compile(jit_compile=True)` | a short last batch is right, too; with copies on several devices it may raise; without a strategy, XLA is the default on a GPU |
# | one compilation | full batches and `sample_weight` | `reduction="mean_with_sample_weight"`; BatchNormalization counts what you add |
# | 16 bits | `set_dtype_policy` before the model | `float16`'s loss is scaled for a policy of the model, not for one of its layers alone; with replicas, the optimizer may look at the first one's gradients alone |

# %% [markdown]
# ### Further: the rows of the table, run
#
# The first two rows, with a penalty. In the first epoch the losses that `fit` reports agree even where the weights do not, as the short batch comes last:


# %%
def fitted(strategy, count, **how):
    with strategy.scope():
        model = new_model(penalty=keras.regularizers.L2(0.01))
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(keras.optimizers.SGD(0.1), **{"loss": loss, "jit_compile": False} | how)
    batches = tf.data.Dataset.from_tensor_slices((x[:count], y[:count])).batch(64)
    history = model.fit(batches, verbose=0, shuffle=False)
    return model.get_weights(), history.history["loss"][0]

# %%
gaps, losses_differ = {}, []
# the last batch of 65 has one example, for one replica
for count in (256, 65):
    print(f"{count} examples:", end=" ", flush=True)
    (weights, loss), (others, other) = (fitted(s, count) for s in (one_device, strategy))
    gaps[count] = largest_difference(weights, others)
    losses_differ.append(bool(abs(loss - other) > 1e-4))
    print("equal" if gaps[count] < 1e-5 else "other", "weights, losses differ:", losses_differ[-1])

# %% tags=["claims"]
assert gaps[256] < 1e-5 and gaps[65] > 1e-4 and not any(losses_differ)

# %% [markdown]
# In your loop the short batch is divided by `count_of_all`. In `fit`, drop it (`batch(64, drop_remainder=True)`).
#
# The rows of XLA: a short batch by itself, then filled up with weights 0. The usual reduction divides by 64 all the same.

# %%
print("filled up:", end=" ", flush=True)
plain, _ = fitted(one_device, 100)
by_xla, _ = fitted(one_device, 100, jit_compile=True)
filled = [tf.pad(a[:100], [[0, 28]] + [[0, 0]] * (a.ndim - 1)) for a in (x, y)]
weights_of = {}
for reduction in ("sum_over_batch_size", "mean_with_sample_weight"):
    model = new_model(penalty=keras.regularizers.L2(0.01))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction=reduction)
    model.compile(keras.optimizers.SGD(0.1), loss, jit_compile=False)
    filled_up = tf.data.Dataset.from_tensor_slices((*filled, tf.pad(tf.ones(100), [[0, 28]]))).batch(64)
    model.fit(filled_up, verbose=0, shuffle=False)
    weights_of[reduction] = model.get_weights()

# %%
gaps = {name: largest_difference(plain, weights) for name, weights in weights_of.items()}
print({name: "equal weights" if gap < 1e-5 else "other weights" for name, gap in gaps.items()})

# %% tags=["claims"]
assert largest_difference(plain, by_xla) < 1e-4
assert gaps["mean_with_sample_weight"] < 1e-5 and gaps["sum_over_batch_size"] > 1e-4

# %% [markdown]
# And 16 bits: `compile` looks at the policy of the *model*, and wraps the optimizer for `mixed_float16` alone. Where only layers have the policy, as above, nothing is scaled.

# %%
wrapped = {}
for policy in ("mixed_bfloat16", "mixed_float16"):
    keras.config.set_dtype_policy(policy)
    model = keras.Sequential([keras.Input((20,)), layers.Dense(5)])
    keras.config.set_dtype_policy("float32")
    model.compile(keras.optimizers.SGD(0.1), "mse")
    wrapped[policy] = isinstance(model.optimizer, keras.optimizers.LossScaleOptimizer)

layer = layers.Dense(5, dtype="mixed_float16")
model = keras.Sequential([keras.Input((20,)), layer])
model.compile(keras.optimizers.SGD(0.1), "mse")
wrapped["a layer's alone"] = isinstance(model.optimizer, keras.optimizers.LossScaleOptimizer)

print("scaled by fit:", wrapped)

# %% tags=["claims"]
assert wrapped == {"mixed_bfloat16": False, "mixed_float16": True, "a layer's alone": False}
assert layer.compute_dtype == "float16"

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open it.
#
# <details><summary>1. Your loss is a <code>tf.reduce_mean</code> on each of four replicas, with parts alike in size, and the optimizer is plain SGD. What happened to your
# learning rate?</summary>
#
# It is four times as large: `apply` adds the four gradients.
#
# </details>
# <details><summary>2. Training on eight devices works, and the saved model with BatchNormalization predicts badly. What do you look
# for?</summary>
#
# Statistics of one replica's part alone. `synchronized=True` lets all count.
#
# </details>
# <details><summary>3. In <code>float16</code>, the first steps change no weight, and the scale falls. Is something broken?</summary>
#
# Not if it stops falling: the first scale was too large for these gradients. The optimizer leaves such steps out, and halves until they are finite. If it falls for ever, look for `nan`.
#
# </details>

# %% [markdown]
# ## Recap
#
# - Sum the losses, divide by the global batch; `apply` adds the gradients.
# - Model, optimizer and metrics belong in the scope; penalties count once.
# - Statistics and clipping see one replica's part, unless you say otherwise.
# - With several machines, a program saves, and starts from what it finds.
# - A sliced loop inside XLA needs full batches, or slices that end at the last row; a step is compiled once for full ones: fill up with weights 0. `float16` wants a scaled loss, `bfloat16` does not. Measure all.
#
# ```python
# def replica_step(x, y):
#     with tf.GradientTape() as tape:
#         loss = tf.reduce_sum(loss_of_each(y, model(x, training=True))) / batch_size
#         loss += sum(model.losses) / strategy.num_replicas_in_sync
#     gradients = tape.gradient(loss, model.trainable_variables)
#     optimizer.apply(gradients, model.trainable_variables)
# ```
#
# **To remember**: what each replica computes is added: divide by what all of them count.

# %% [markdown]
# ## Further reading
#
# - TensorFlow's guide *Distributed training with TensorFlow*: the other strategies, and what each supports.
# - Goyal et al., *Accurate, large minibatch SGD: training ImageNet in 1 hour* (2017): the learning rate of a large global batch, and mistakes of distributed loops.
# - Micikevicius et al., *Mixed precision training*, ICLR 2018: where loss scaling comes from.
#
# Next: [21 · Your own project](21_project.ipynb).

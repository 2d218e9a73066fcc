# %% [markdown] part="Part III: what fit cannot say"
# # 20 · Bigger machines
#
# Your loop runs well on one GPU. You adapt it to two, and it runs without an error. But the printed loss has doubled,
# and every step moves the weights twice as far. A second device should give you the same training, only faster. In this
# lesson you test whether it does, and fix what does not.
#
# **You will learn to**
#
# - take one step on several devices, and check that it gives the same weights as on one;
# - scale losses and penalties so that they count once;
# - clip gradients and compute metrics across devices.
#
# **Before you start**: [10 · Fast loops](10_fast_loops.ipynb) and [13 · MNIST](13_mnist.ipynb). **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import check, make_classification, predict, start_lesson

start_lesson("20")

import timeit

import keras
import numpy as np
import tensorflow as tf
from keras import layers

# %% [markdown]
# ## What is one step on several devices?
#
# Each device holds a copy of the model, called a **replica**. Each replica works on its own part of the batch. Then the
# gradients of all parts are added, and every replica takes the same step with this sum, so the copies stay equal.
#
# First, do it by hand, with a batch of 64 that you split into two halves. One model is enough for both, because all
# replicas have the same weights.

# %%
# (256, 20), (256,)
x, y = map(tf.constant, make_classification(256, seed=20))
loss_of_each = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction=None)


def new_model():
    keras.utils.set_random_seed(20)
    hidden = layers.Dense(32, activation="tanh")
    logits = layers.Dense(5)
    return keras.Sequential([keras.Input((20,)), hidden, logits])


def gradients_of(model, x, y, divisor):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(loss_of_each(y, model(x, training=True))) / divisor
    return tape.gradient(loss, model.trainable_variables)


# %%
def largest_difference(arrays, others):
    differences = [np.max(np.abs(a - b)) for a, b in zip(arrays, others, strict=True)]
    return float(max(differences))


def added_halves(divisor):
    """Return the sum of the gradients of the two halves of the batch."""
    first = gradients_of(model, x[:32], y[:32], divisor)
    second = gradients_of(model, x[32:64], y[32:64], divisor)
    return [a + b for a, b in zip(first, second, strict=True)]


model = new_model()
whole = gradients_of(model, x[:64], y[:64], divisor=64)
difference = largest_difference(whole, added_halves(divisor=64))

print("the gradients of the halves add up, within 1e-5:", difference < 1e-5)

# %% tags=["claims"]
assert difference < 1e-5

# %% [markdown]
# Each half divides its sum of losses by 64, the size of the **global batch**, which is the batch of all devices
# together. But a program for one device usually calls `tf.reduce_mean`. What if each half does that?
#
# > **Predict**
# >
# > Each half takes the mean loss over its own 32 examples. Then the two gradients are added. How large is the norm of
# > their sum, compared with that of the whole batch's gradient?

# %%
predict("20.a", "")

# %%
factor = tf.linalg.global_norm(added_halves(divisor=32)) / tf.linalg.global_norm(whole)

print(f"{factor:.2f} times as large")

# %% tags=["claims"]
scaled = [factor * g for g in whole]
assert np.isclose(factor, 2, rtol=1e-4)
assert largest_difference(added_halves(divisor=32), scaled) < 1e-5

# %% [markdown]
# Averaging the two gradients would be correct, but TensorFlow adds them, so with n devices the gradient and the loss
# are n times too large. With SGD, this has the same effect as multiplying the learning rate by n, and there is no error
# message. The rule is: **sum the losses of each part, and divide by the size of the global batch**.
#
# ## How do I put a copy on each device?
#
# `MirroredStrategy` puts one replica on each device. Without two GPUs, you can still follow: `start_lesson` has split your
# CPU into two **logical devices**. They behave like two devices, but they are not faster than one.
#
# When you create a variable inside `strategy.scope()`, every device gets a copy of it:

# %%
# do not log each sum of gradients
tf.get_logger().setLevel("WARNING")

devices = tf.config.list_logical_devices("GPU")
if len(devices) < 2:
    devices = tf.config.list_logical_devices("CPU")
strategy = tf.distribute.MirroredStrategy([device.name for device in devices])
n_replicas = strategy.num_replicas_in_sync

with strategy.scope():
    model = new_model()
# one value for each replica
copies = strategy.experimental_local_results(model.trainable_variables[0].value)

print(n_replicas, "replicas, on", " and ".join(copy.device[-5:] for copy in copies))

# %% tags=["claims"]
assert n_replicas == len(devices) > 1

# %% [markdown]
# ## How do I write one step for all devices?
#
# `strategy.run` calls `replica_step` once on each replica, with that replica's part of the data. Inside it,
# `optimizer.apply` first *adds* the gradients of all replicas, and then updates each copy with the sum. At the end,
# `strategy.reduce` adds the losses that the replicas returned.


# %%
GLOBAL_BATCH = 64


def share_of_loss(losses):
    """Return this replica's share of the mean loss over the global batch."""
    return tf.reduce_sum(losses) / GLOBAL_BATCH


# %%
def make_step(strategy, model, optimizer, reduce_losses=share_of_loss):
    def replica_step(x, y):
        with tf.GradientTape() as tape:
            loss = reduce_losses(loss_of_each(y, model(x, training=True)))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        return loss

    @tf.function
    def step(x, y):
        losses = strategy.run(replica_step, args=(x, y))
        return strategy.reduce("SUM", losses, axis=None)

    return step


# %% [markdown]
# `experimental_distribute_dataset` splits each batch into one part per replica. On one device, use
# `tf.distribute.get_strategy()`, TensorFlow's default strategy: it has a single replica, so the same program runs
# unchanged. The model and the optimizer are both created inside the scope. The next section shows why.
#
# `.batch()` takes the *global* size. In practice, you would multiply it by the number of devices to keep each of them
# busy, and retune the learning rate. Here it stays at 64, so that you can compare with one device.


# %%
def train(strategy, make_step=make_step, new_optimizer=keras.optimizers.SGD, rate=0.1, count=256):
    """Train a new model for an epoch on count examples; return its weights and the losses."""
    with strategy.scope():
        model = new_model()
        optimizer = new_optimizer(rate)
        optimizer.build(model.trainable_variables)
    step = make_step(strategy, model, optimizer)
    batches = tf.data.Dataset.from_tensor_slices((x[:count], y[:count])).batch(GLOBAL_BATCH)
    losses = []
    for x_batch, y_batch in strategy.experimental_distribute_dataset(batches):
        losses.append(float(step(x_batch, y_batch)))
    return model.get_weights(), losses


# %%
one_device = tf.distribute.get_strategy()
weights, losses = train(one_device)
mirrored_weights, mirrored_losses = train(strategy)

print("one device: ", np.round(losses, 4))
print("all devices:", np.round(mirrored_losses, 4))
difference = largest_difference(weights, mirrored_weights)
print("weights equal within 1e-5:", difference < 1e-5)

# %% tags=["claims"]
assert difference < 1e-5 and np.allclose(losses, mirrored_losses, rtol=1e-4)
assert largest_difference(weights, new_model().get_weights()) > 1e-2

# %% [markdown]
# The losses and the weights agree. Now repeat the mistake from above, and let each replica take the mean over its own part:


# %%
def make_step_of_means(strategy, model, optimizer):
    return make_step(strategy, model, optimizer, reduce_losses=tf.reduce_mean)


for kind in (keras.optimizers.SGD, keras.optimizers.Adam):
    expected, right_losses = train(one_device, new_optimizer=kind, rate=0.01)
    wrong, wrong_losses = train(strategy, make_step_of_means, kind, rate=0.01)
    print(f"{kind.__name__}: first loss {wrong_losses[0] / right_losses[0]:.1f} times as large,", end=" ")
    print(f"weights differ by {largest_difference(expected, wrong):.4f}")

# %% tags=["claims"]
assert largest_difference(expected, wrong) < 1e-3
by_rate, _ = train(one_device, rate=0.1 * n_replicas)
wrong, wrong_losses = train(strategy, make_step_of_means)
assert largest_difference(by_rate, wrong) < 1e-5
assert largest_difference(weights, wrong) > 1e-3
assert np.isclose(wrong_losses[0], n_replicas * losses[0], rtol=1e-4)

# %% [markdown]
# With both optimizers, the printed loss is n times too large. With SGD, the weights are wrong as well. With Adam, they
# differ much less, because Adam divides each gradient by its typical size. The printed loss shows the mistake with any
# optimizer, so compare that first.
#
# ## What belongs in the scope?
#
# Create everything that has variables inside the scope: the model, the optimizer and the metrics. In code that you find
# online, the optimizer is often created outside. What happens then?
#
# > **Predict**
# >
# > You create the model inside the scope, but you create and build Adam outside, so its variables are outside, too.
# > Then you take four steps. What happens?

# %%
predict("20.b", "")

# %%
def drift_after_epoch(model, optimizer):
    """Train for an epoch; return the largest difference between two copies of a kernel."""
    step = make_step(strategy, model, optimizer)
    batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(GLOBAL_BATCH)
    for x_batch, y_batch in strategy.experimental_distribute_dataset(batches):
        step(x_batch, y_batch)
    copies = strategy.experimental_local_results(model.trainable_variables[0].value)
    return float(np.max(np.abs(copies[0].numpy() - copies[1].numpy())))


def new_adam(model):
    optimizer = keras.optimizers.Adam(0.01)
    optimizer.build(model.trainable_variables)
    return optimizer


# %%
with strategy.scope():
    first_model, second_model = new_model(), new_model()
    inside = new_adam(first_model)
outside = new_adam(second_model)  # the mistake

print(f"Adam inside the scope:  the copies differ by {drift_after_epoch(first_model, inside):.3f}")
print(f"Adam outside the scope: the copies differ by {drift_after_epoch(second_model, outside):.3f}")

# %% tags=["claims"]
with strategy.scope():
    model = new_model()
    inside = new_adam(model)
assert drift_after_epoch(model, inside) == 0
assert drift_after_epoch(model, new_adam(model)) > 1e-3


def raises(model, optimizer):
    try:
        drift_after_epoch(model, optimizer)
    except (ValueError, AssertionError, RuntimeError):
        return True
    return False


assert raises(new_model(), keras.optimizers.SGD(0.1))
with strategy.scope():
    model = new_model()
assert raises(model, keras.optimizers.Adam(0.01))

# %% [markdown]
# There is no error, but the copies drift apart. The first replica updates Adam's averages and takes its step; the
# second updates the same averages *again*, and takes a different step. Two similar mistakes do raise an error: a model
# created outside the scope, and an optimizer created outside that you never `build`.
#
# ## What else must the replicas share?
#
# Three more things need care.
#
# **Penalties.** So far, the loss has come only from the examples. A penalty on the weights, which Keras collects in
# `model.losses`, does not depend on the examples, so every replica computes all of it, and the sum over n replicas
# contains it n times. Divide it by n.
#
# **The size of the batch.** The step above always divides by 64. But the last batch of an epoch may be smaller, and
# then its loss is too small. To fix this, let the replicas count their examples together. `all_reduce` adds a number
# from every replica, and every replica gets the sum. This happens inside `replica_step`:
#
# ```python
# replica = tf.distribute.get_replica_context()
# count = replica.all_reduce("SUM", tf.cast(tf.shape(y)[0], tf.float32))
# loss = tf.reduce_sum(loss_of_each(y, model(x, training=True))) / count
# ```
#
# **Metrics.** Do not average one fraction per replica. Suppose one replica gets 16 of 32 answers correct, and another 8
# of 8. The mean of 50% and 100% is 75%, but 24 of 40 are correct, which is 60%. So create a Keras metric inside the
# scope, and call `accuracy.update_state(y, logits)` in `replica_step`. Each replica counts its own examples. After the
# epoch, `accuracy.result()` adds the counts before it divides.

# %% tags=["claims"]
with strategy.scope():
    penalized = keras.Sequential(
        [keras.Input((20,)), layers.Dense(5, kernel_regularizer=keras.regularizers.L2(0.1))]
    )


@tf.function
def added_penalties():
    penalties = strategy.run(lambda: tf.reduce_sum(penalized.losses))
    return strategy.reduce("SUM", penalties, axis=None)


assert np.isclose(added_penalties(), n_replicas * sum(penalized.losses), rtol=1e-4)
assert np.mean([16 / 32, 8 / 8]) == 0.75 and (16 + 8) / (32 + 8) == 0.6

# %% [markdown]
# ### Exercise 20.1: complete
#
# Write the function that one replica runs. It returns a list with one gradient for each trainable variable. When these
# lists are added over all replicas, the result should be the gradients that one device computes for the whole batch.
# There, the loss is the sum of two parts:
#
# - the squared error of each example, summed over the outputs and averaged over all `batch_size` examples;
# - the penalties in `model.losses`.
#
# The number of replicas is `replicas`. They may get different numbers of examples, and a replica may even get none.


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
# Take the *sum* over your examples, and divide it by a number that is the same on all replicas.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Every replica computes the same penalties. If each adds all of them, how many times are they counted in the sum?
#
# </details>

# %% [markdown]
# ## Where do I clip?
#
# The optimizer options `clipnorm` and `global_clipnorm` clip the gradients of each replica *before* they are added. Why
# does the order matter? Suppose one replica's gradient is 3, another's is 5, and the limit is 4. If you add first, the
# sum is 8, and clipping makes it 4. If you clip first, you get 3 and 4. Their sum is 7, above the limit.
#
# So add the gradients yourself, with `all_reduce`, and clip the sum. Every replica then holds the *whole* gradient, and
# `apply` would add all n of these equal copies. So each replica divides it by n before it calls `apply`:


# %%
def make_clipping_step(strategy, model, optimizer):
    def replica_step(x, y):
        replica = tf.distribute.get_replica_context()
        count = replica.all_reduce("SUM", tf.cast(tf.shape(y)[0], tf.float32))
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(loss_of_each(y, model(x, training=True))) / count
        share = tape.gradient(loss, model.trainable_variables)
        whole = replica.all_reduce("SUM", share)
        clipped, _ = tf.clip_by_global_norm(whole, 0.1)
        # apply adds one of these from each of the n replicas
        shares = [g / replica.num_replicas_in_sync for g in clipped]
        optimizer.apply(shares, model.trainable_variables)
        return loss

    @tf.function
    def step(x, y):
        losses = strategy.run(replica_step, args=(x, y))
        return strategy.reduce("SUM", losses, axis=None)

    return step


# %%
def clipping_sgd(rate):
    return keras.optimizers.SGD(rate, global_clipnorm=0.1)


expected, _ = train(one_device, new_optimizer=clipping_sgd, rate=1.0)
by_optimizer, _ = train(strategy, new_optimizer=clipping_sgd, rate=1.0)
by_sum, _ = train(strategy, make_clipping_step, rate=1.0)

print(f"global_clipnorm:  weights differ by {largest_difference(expected, by_optimizer):.3f}")
print(f"the sum, clipped: weights differ by {largest_difference(expected, by_sum):.3f}")

# %% tags=["claims"]
assert largest_difference(expected, by_optimizer) > 1e-3
assert largest_difference(expected, by_sum) < 1e-4
short, _ = train(one_device, make_clipping_step, count=71)
mirrored_short, _ = train(strategy, make_clipping_step, count=71)
assert largest_difference(short, mirrored_short) < 1e-5
assert largest_difference(short, new_model().get_weights()) > 1e-3

# %% [markdown]
# If you clip the sum, you get the weights of one device. With `global_clipnorm`, you do not.
#
# ### Exercise 20.2: repair
#
# This function takes one step on several devices. It does not use a strategy, so you can see everything that happens.
# `copies` is a list with a pair of variables for each device: `W` of shape (d, k) and `b` of shape (k,). `parts` is a list
# with a pair of arrays for each device: `x` of shape (n, d) and the labels `y` of shape (n,). All copies start with the
# same values. The parts can have different sizes. The result should be the same as on one device with all examples. The
# step should
#
# - minimize the mean cross-entropy plus `penalty` times the sum of W²;
# - clip the gradient so that its global norm is at most `largest`;
# - take the same step of gradient descent on every copy, with the learning rate `lr`;
# - return the fraction of right answers, computed with the weights before the step.
#
# It has four bugs.


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
# Go through what each copy computes: the mean, the penalty, the clipping, the fraction of right answers. Which of these
# can you simply add, or average, over the copies?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Count all examples before the loop. In the loop, divide each sum of losses by that count, and the penalty by the number of
# copies. Add the gradients, and clip only their sum. Add the numbers of right answers, and divide once, at the end.
#
# </details>

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open the answer.
#
# <details><summary>1. Four replicas have parts of equal size. Each one uses <code>tf.reduce_mean</code>, and the optimizer is SGD.
# How does this change your steps?</summary>
#
# They are four times too large, as if you had multiplied the learning rate by four. Each replica divides by its own number of
# examples, and `apply` adds the four gradients.
#
# </details>
# <details><summary>2. Training on two devices runs without an error, but the saved model is bad. What do you check first?</summary>
#
# Compare the losses with a run on one device. If they are n times too large, you took a mean. Then check that all copies of a
# variable are equal. If they are not, the optimizer was probably created outside the scope.
#
# </details>
# <details><summary>3. You use <code>global_clipnorm</code>, and move from one device to four. What changes?</summary>
#
# The gradients of each replica are clipped first, and added afterward. The norm of the sum may be above the limit, and the
# sum may point in a different direction.
#
# </details>

# %% [markdown]
# ## Recap
#
# - Sum the losses, and divide by the size of the global batch. `apply` adds the gradients.
# - Divide penalties by the number of replicas.
# - Create the model, the optimizer and the metrics inside the scope.
# - Clip the sum of the gradients, not the gradients of each replica.
# - Test it: train on one device and on several. The losses and the weights should agree.
#
# ```python
# def replica_step(x, y):
#     replica = tf.distribute.get_replica_context()
#     count = replica.all_reduce("SUM", tf.cast(tf.shape(y)[0], tf.float32))
#     with tf.GradientTape() as tape:
#         loss = tf.reduce_sum(loss_of_each(y, model(x, training=True))) / count
#         loss += sum(model.losses) / replica.num_replicas_in_sync
#     gradients = tape.gradient(loss, model.trainable_variables)
#     optimizer.apply(gradients, model.trainable_variables)
#     return loss
#
#
# @tf.function
# def step(x, y):
#     losses = strategy.run(replica_step, args=(x, y))
#     return strategy.reduce("SUM", losses, axis=None)
# ```
#
# **To remember**: the gradients of the replicas are added, so divide each sum of losses by the size of the global batch.

# %% [markdown]
# ## Going deeper
#
# Training in 16 bits, XLA, statistics of replicas, several machines, and how much of this `fit` does for you. The
# first two also matter on a single GPU.

# %% [markdown]
# ### What do 16 bits need?
#
# **Mixed precision** computes in 16 bits and keeps the weights in `float32`. There are two 16-bit formats. `float16`
# has about three digits and a small range. `bfloat16` has two digits, and nearly the range of `float32`.
#
# > **Predict**
# >
# > The loss is 1e-9 · w² at w = 3, and w is cast to `float16` first. The true slope is 6e-9. What does the tape return?

# %%
predict("20.e", "")

# %%
from course_utils.session import standard_error_held

w = tf.Variable(3.0)


def slope(scale, dtype=tf.float16):
    with tf.GradientTape() as tape:
        half = tf.cast(w, dtype)
        loss = 1e-9 * tf.cast(half, tf.float32) ** 2
        scaled_loss = scale * loss
    return tape.gradient(scaled_loss, w) / scale


# some processors announce that they lack 16-bit units
with standard_error_held():
    print(f"float16:                {slope(1.0).numpy():.0e}")
print(f"float16, loss scaled:   {slope(2.0**15).numpy():.0e}")
print(f"bfloat16:               {slope(1.0, tf.bfloat16).numpy():.0e}")

# %% tags=["claims"]
assert slope(1.0) == 0.0 and np.float16(2.9e-8) == 0.0 < np.float16(6e-8)
assert np.isclose(slope(2.0**15), 6e-9, rtol=1e-2)
assert np.isclose(slope(1.0, tf.bfloat16), 6e-9, rtol=1e-2)

# %% [markdown]
# It returns 0. On the backward pass the gradient goes through `float16`, where 6e-9 is too small. It **underflows**, and this
# weight stops learning. **Loss scaling** multiplies the loss by a large number, and divides the gradient by it when it is
# `float32` again. `bfloat16` does not need this.
#
# In a loop, `LossScaleOptimizer` does it: you call `scale_loss`, and `apply` divides. (Older code calls
# `get_scaled_loss`. It no longer exists.) Give each layer a policy, or all of them with
# `keras.config.set_dtype_policy("mixed_float16")`. Keep the last layer in `float32`, because losses need precision.


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
# `float16` also overflows early, above 65,504. If a gradient is not finite, the optimizer skips the step and halves its scale.
# After many good steps in a row it doubles the scale. Here one batch is a million times too large, and the next is NaN:

# %%
model, optimizer, step = make_mixed_step("mixed_float16")
losses = [float(step(x[:64], y[:64])) for _ in range(30)]
print(f"30 good steps: loss falls: {losses[-1] < losses[0]}, scale {float(optimizer.dynamic_scale):g}")

weights, scales = model.get_weights(), [float(optimizer.dynamic_scale)]
for factor in (1e6, float("nan")):
    step(factor * x[:64], y[:64])
    scales.append(float(optimizer.dynamic_scale))
    moved = largest_difference(weights, model.get_weights()) > 0
    print(f"batch times {factor:g}: weights move: {moved}, scale {scales[-1]:g}")

# %% tags=["claims"]
assert losses[-1] < 0.8 * losses[0] and not moved
assert scales[1:] == [scales[0] / 2, scales[0] / 4]
assert optimizer.dynamic_growth_steps > 30
assert model.layers[0].compute_dtype == "float16" and model.weights[0].dtype == "float32"
assert not hasattr(optimizer, "get_scaled_loss") and np.finfo(np.float16).max == 65504

# %% [markdown]
# With replicas, pass this optimizer the sum of the gradients, divided by n, as `make_clipping_step` does. Otherwise
# it may check only the first replica's gradients for values that are not finite.
#
# What do you gain with 16 bits? They save time if the machine has units for such numbers. If it has none, every
# number is converted back and forth, and a step may take many times longer. Measure yours:

# %% tags=["nbval-ignore-output"]
times = {}
for name in ("float32", "mixed_bfloat16", "mixed_float16", "mixed_float16 under XLA"):
    step = make_mixed_step(name.split()[0], jit_compile="XLA" in name)[2]
    with standard_error_held():
        step(x, y)  # traces
    times[name] = min(timeit.repeat(lambda step=step: float(step(x, y)), number=1, repeat=5))
    print(f"{name}: {times[name] / times['float32']:.1f} times the time of float32")

# %% [markdown]
# ### Exercise 20.4: complete
#
# Do the work of this optimizer by hand, without the doubling. `loss_of()` computes a `float32` loss from the
# `variables`, by way of `float16`. Scale the loss by `scale`, take one step of gradient descent with the learning
# rate `lr`, and return `scale` unchanged. But if *any* entry of any gradient is not finite, move no variable, and
# return half of `scale`.


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
# Multiply by `scale` inside the block. The gradients are then scaled as well.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Look at all gradients, with `tf.math.is_finite`, before the first variable moves.
#
# </details>

# %% [markdown]
# ### What does XLA do with the last batch?
#
# TensorFlow's graph fuses only a few patterns of operations. With `jit_compile=True`, the compiler **XLA** fuses many
# neighboring operations into one piece of machine code. For that it needs to know the size of every array.
#
# > **Predict**
# >
# > A function goes through ten examples in batches of four, and adds up the sizes of the batches: 10. What does the same function
# > return under XLA?

# %%
predict("20.d", "")


# %%
def number_of_examples(order):
    total = 0
    for first in tf.range(0, tf.size(order), 4):
        total += tf.size(order[first : first + 4])
    return total


in_graph = tf.function(number_of_examples)(tf.range(10))
with standard_error_held():  # XLA announces itself once
    in_xla = tf.function(number_of_examples, jit_compile=True)(tf.range(10))

print("graph:", in_graph.numpy(), " XLA:", in_xla.numpy())


# %% tags=["claims"]
assert in_graph == 10 and in_xla == 12
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
assert np.isclose(by_graph, 0.75) and by_xla > 10

# %% [markdown]
# It returns 12. In a loop over `tf.range` *inside* the compiled function, `order[first : first + 4]` always has 4 entries under
# XLA, even at the end. The slice is filled up with the row number 0, so an epoch would train on example 0 again and again.
# End the slice at `tf.minimum(first + 4, tf.size(order))`.
#
# A *step* that you call from Python is right for a short batch, but XLA compiles it once more. To avoid that, fill up the short batch
# with rows of weight 0, and divide by the sum of the weights:


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


def padded(array, size=64):
    return tf.pad(array, [[0, size - len(array)]] + [[0, 0]] * (array.ndim - 1))


# %%
models, steps = {}, {}
for is_padded in (False, True):
    models[is_padded] = new_model()
    steps[is_padded] = make_weighted_step(models[is_padded], keras.optimizers.SGD(0.1), True)
    for first in range(0, 100, 64):  # 64 and 36 examples
        batch = [array[first : min(first + 64, 100)] for array in (x, y, tf.ones(256))]
        steps[is_padded](*(map(padded, batch) if is_padded else batch))
    print(f"padded: {is_padded}, compilations: {steps[is_padded].experimental_get_tracing_count()}")

difference = largest_difference(models[True].get_weights(), models[False].get_weights())
print("weights equal within 1e-4:", difference < 1e-4)

# %% tags=["claims"]
assert [step.experimental_get_tracing_count() for step in steps.values()] == [2, 1]
without_xla = make_weighted_step(uncompiled := new_model(), keras.optimizers.SGD(0.1), False)
for first in range(0, 100, 64):
    without_xla(*(array[first : min(first + 64, 100)] for array in (x, y, tf.ones(256))))
for model in models.values():
    assert largest_difference(uncompiled.get_weights(), model.get_weights()) < 1e-4
assert largest_difference(uncompiled.get_weights(), new_model().get_weights()) > 1e-3
norm, rows = layers.BatchNormalization(), x[64:100]
assert largest_difference(norm(padded(rows), training=True)[:36], norm(rows, training=True)) > 0.1

# %% [markdown]
# The added rows must be harmless: 0 times NaN is NaN, and batch normalization counts them whatever their weight. Is
# XLA faster? That depends on the model and the machine, and the compile time has to pay for itself first. So measure
# yours:

# %% tags=["nbval-ignore-output"]
without_xla = make_weighted_step(new_model(), keras.optimizers.SGD(0.1), jit_compile=False)
full = x[:64], y[:64], tf.ones(64)
times = [
    min(timeit.repeat(lambda step=step: float(step(*full)), number=1, repeat=50))
    for step in (steps[True], without_xla)
]
print(f"a step under XLA takes {times[0] / times[1]:.1f} times the time of the graph")

# %% [markdown]
# ### Exercise 20.3: complete
#
# `step(x, y, weights)` is compiled for one batch size, and it takes a step on the *sum* of `weights` times the
# losses, without dividing. Call it for each batch of an epoch, in the order of the data, so that each step follows
# the gradient of the *mean* loss over the examples of its batch, even if the last batch is short. Every call gets
# `batch_size` rows. `step` takes the logarithm of `x` and of `y`, so fill up with something harmless, such as 1.


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
# The weights of a batch add up to 1. If it has k examples, each of them has the weight 1 / k, and the added rows have 0.
#
# </details>

# %% [markdown]
# ### What do the statistics of a replica hold?
#
# Batch normalization computes the mean and the variance of the replica's own part (of an empty one: NaN). A file is often sorted, so
# let the parts differ: the first half of the batch is shifted by 2.
#
# > **Predict**
# >
# > Each replica has the moving averages of its own part. Which ones does `model.get_weights()` return, and which ones
# > does a saved model hold?

# %%
predict("20.c", "")

# %%
x_shifted = tf.concat([x[:32] + 2.0, x[32:64]], axis=0)
shifted_batch = tf.data.Dataset.from_tensor_slices((x_shifted, y[:64])).batch(64)
(parts,) = strategy.experimental_distribute_dataset(shifted_batch)


def weights_after_a_step(strategy, batch, synchronized=False):
    keras.utils.set_random_seed(20)
    with strategy.scope():
        # momentum 0: the moving averages are those of the last batch
        norm = layers.BatchNormalization(momentum=0.0, synchronized=synchronized)
        model = keras.Sequential([keras.Input((20,)), norm, layers.Dense(5)])
        optimizer = keras.optimizers.SGD(0.1)
        optimizer.build(model.trainable_variables)
    make_step(strategy, model, optimizer)(*batch)
    # gamma, beta, moving mean, moving variance, kernel, bias
    return model.get_weights()

# %%
for synchronized in (False, True):
    moving_mean = weights_after_a_step(strategy, parts, synchronized)[2]
    of_first = np.mean(x_shifted[: 64 // n_replicas], axis=0)
    of_all = np.mean(x_shifted, axis=0)
    print(f"synchronized={synchronized}: from the first part: {np.allclose(moving_mean, of_first, atol=1e-4)},", end=" ")
    print(f"from all: {np.allclose(moving_mean, of_all, atol=1e-4)}")

# %% tags=["claims"]
assert np.max(np.abs(of_first - of_all)) > 0.5
assert np.allclose(weights_after_a_step(strategy, parts)[2], of_first, atol=1e-4)
together = weights_after_a_step(strategy, parts, synchronized=True)
assert np.any(together[-1])  # the bias moved
expected = weights_after_a_step(one_device, (x_shifted, y[:64]))
assert largest_difference(together, expected) < 1e-4
with strategy.scope():
    model = new_model()
    model.set_weights(mirrored_weights)
    metric = keras.metrics.SparseCategoricalAccuracy()


@tf.function
def measure(x, y):
    def on_replica(x, y):
        logits = model(x, training=False)
        metric.update_state(y, logits)
        is_right = tf.argmax(logits, axis=1) == tf.cast(y, tf.int64)
        return tf.reduce_mean(tf.cast(is_right, tf.float32))

    return strategy.run(on_replica, args=(x, y))


uneven = tf.data.Dataset.from_tensor_slices((x[:61], y[:61])).batch(61)
(uneven_parts,) = strategy.experimental_distribute_dataset(uneven)
fractions = strategy.experimental_local_results(measure(*uneven_parts))
truth = np.mean(np.argmax(model(x[:61]), axis=1) == y[:61])
assert np.isclose(metric.result(), truth) and not np.isclose(np.mean(fractions), truth)

# %% [markdown]
# It holds those of the first replica, because reading a variable returns the copy on the first device. With
# `synchronized=True` the replicas compute the mean and the variance together, and all weights are those of one
# device.
#
# ### What changes with several machines?
#
# Every machine runs the *same* program, a **worker**. It learns from the environment variable `TF_CONFIG` where the others are, and
# which one it is. `MultiWorkerMirroredStrategy` reads it, waits for all, and adds the gradients over the network. The step stays the
# same. A worker may die at any time, and an `all_reduce` waits for everybody, so then all of them stop. Therefore the program saves a
# checkpoint after each step, and starts from what it finds. The script `examples/two_workers.py` in the course's repository shows it:
# it starts two workers on your computer, kills one, and goes on.
#
# ### What does fit do?
#
# | you want | `fit` needs | note |
# |---|---|---|
# | several devices | the model and `compile` in `strategy.scope()` | parts of different size, or different sums of weights, give a mean of means |
# | penalties | nothing: `fit` divides them | |
# | batch normalization over all | `synchronized=True` | |
# | clipping of the sum | an optimizer's `update_step`, which gets the sum; for the global norm, a `train_step` | `clipnorm` clips each share |
# | XLA | `compile(jit_compile=True)` | with copies on several devices it may raise an error; without a strategy, XLA is the default on a GPU |
# | one compilation | full batches and `sample_weight` | `reduction="mean_with_sample_weight"` |
# | 16 bits | `set_dtype_policy` before the model | the loss is scaled only if the *model* has the policy `mixed_float16`, not if only a layer has it; with replicas, the optimizer may look at the first one's gradients only |

# %% tags=["claims"]
tf.get_logger().setLevel("ERROR")  # many small trainings are traced below


def penalized_model():
    keras.utils.set_random_seed(20)
    hidden = layers.Dense(32, activation="tanh", kernel_regularizer=keras.regularizers.L2(0.01))
    return keras.Sequential([keras.Input((20,)), hidden, layers.Dense(5)])


def fitted(strategy, count, **options):
    with strategy.scope():
        model = penalized_model()
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(keras.optimizers.SGD(0.1), **{"loss": loss, "jit_compile": False} | options)
    batches = tf.data.Dataset.from_tensor_slices((x[:count], y[:count])).batch(64)
    history = model.fit(batches, verbose=0, shuffle=False)
    return model.get_weights(), history.history["loss"][0]


differences = {}
for count in (256, 65):  # the last batch of 65 has one example, for one replica
    (weights, loss), (others, other) = (fitted(s, count) for s in (one_device, strategy))
    differences[count] = largest_difference(weights, others)
    assert abs(loss - other) < 1e-4
assert differences[256] < 1e-5 and differences[65] > 1e-4

plain, _ = fitted(one_device, 100)
by_xla, _ = fitted(one_device, 100, jit_compile=True)
assert largest_difference(plain, by_xla) < 1e-4
filled = [tf.pad(a[:100], [[0, 28]] + [[0, 0]] * (a.ndim - 1)) for a in (x, y)]
differences = {}
for reduction in ("sum_over_batch_size", "mean_with_sample_weight"):
    model = penalized_model()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction=reduction)
    model.compile(keras.optimizers.SGD(0.1), loss, jit_compile=False)
    weighted = (*filled, tf.pad(tf.ones(100), [[0, 28]]))
    model.fit(tf.data.Dataset.from_tensor_slices(weighted).batch(64), verbose=0, shuffle=False)
    differences[reduction] = largest_difference(plain, model.get_weights())
assert differences["mean_with_sample_weight"] < 1e-5 < 1e-4 < differences["sum_over_batch_size"]

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
wrapped["only a layer"] = isinstance(model.optimizer, keras.optimizers.LossScaleOptimizer)
assert wrapped == {"mixed_bfloat16": False, "mixed_float16": True, "only a layer": False}
assert layer.compute_dtype == "float16"

# %% [markdown]
# ## Further reading
#
# - TensorFlow's guide *Distributed training with TensorFlow*: the other strategies, and what each supports.
# - Goyal et al., *Accurate, large minibatch SGD: training ImageNet in 1 hour* (2017): the learning rate of a large global batch, and
#   mistakes of distributed loops.
# - Micikevicius et al., *Mixed precision training*, ICLR 2018: where loss scaling comes from.
#
# Next: [21 · Your own project](21_project.ipynb).

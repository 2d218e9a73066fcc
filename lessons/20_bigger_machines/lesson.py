# %% [markdown] part="Part III: what fit cannot say"
# # 20 · Bigger machines
#
# Your loop runs well on one GPU. You wrap it for two, and there is no error. The printed loss has doubled, and so has
# your learning rate. A second device promises the same training, faster. In this lesson you check that it is the
# same, and repair it where it is not.
#
# **You will learn to**
#
# - take one step on several devices, and prove that the weights are those of one device;
# - divide losses and penalties so that they count once;
# - clip and measure over all devices.
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
# Each device holds a copy of the model, a **replica**, and takes a part of the batch. The gradients of all parts are added,
# and every replica takes the same step with the sum. Do it by hand first: a batch of 64, in two halves, and one model for
# both, as their weights are equal anyway.

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
whole = gradients_of(model, x[:64], y[:64], divisor=64)
halves = [gradients_of(model, x[i : i + 32], y[i : i + 32], divisor=64) for i in (0, 32)]
added = [a + b for a, b in zip(*halves, strict=True)]

print("the gradients of the halves add up, within 1e-5:", largest_difference(whole, added) < 1e-5)

# %% tags=["claims"]
assert largest_difference(whole, added) < 1e-5

# %% [markdown]
# Both halves divide by 64, the size of the **global batch**. Your program for one device probably uses `tf.reduce_mean`.
#
# > **Predict**
# >
# > Each half takes the mean over its own 32 examples, and the two gradients are added. How long is the result, compared with
# > the gradient of the whole batch?

# %%
predict("20.a", "")

# %%
by_means = [gradients_of(model, x[i : i + 32], y[i : i + 32], divisor=32) for i in (0, 32)]
added_means = [a + b for a, b in zip(*by_means, strict=True)]
factor = float(tf.linalg.global_norm(added_means) / tf.linalg.global_norm(whole))

print(f"{factor:.2f} times as long")

# %% tags=["claims"]
scaled = [factor * g for g in whole]
assert np.isclose(factor, 2, rtol=1e-4) and largest_difference(added_means, scaled) < 1e-5

# %% [markdown]
# Twice as long, because each mean divides by 32 instead of 64. With n devices it is n times as long. Nothing fails:
# the loss is n times too large, and the step is as if the learning rate were n times as large. So **sum the losses,
# and divide by the global batch**.
#
# ## How does TensorFlow do it?
#
# `MirroredStrategy` puts the replicas on your devices. If you do not have two GPUs, `start_lesson` has split your CPU into two
# **logical devices**. They are no faster, but they behave like two.
#
# A variable that you make inside `strategy.scope()` gets a copy on each device:

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
# Here is the step. `strategy.run` runs a function once for each replica, with its part of the data. `apply`, called on a
# replica, *adds* the gradients of all replicas and updates every copy. `strategy.reduce` adds what the replicas returned.


# %%
GLOBAL_BATCH = 64


def make_step(strategy, model, optimizer):
    def replica_step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(loss_of_each(y, model(x, training=True))) / GLOBAL_BATCH
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        return loss

    @tf.function
    def step(x, y):
        losses = strategy.run(replica_step, args=(x, y))
        return strategy.reduce("SUM", losses, axis=None)

    return step


# %% [markdown]
# `experimental_distribute_dataset` cuts each batch into parts. Without a strategy, TensorFlow uses a default one with a single
# replica, so one program serves both. Train on one device, and on all:


# %%
def train(strategy, make_step=make_step, optimizer=keras.optimizers.SGD, rate=0.1, count=256):
    """Return the model after an epoch on the first count examples, and the losses."""
    with strategy.scope():
        model, optimizer = new_model(), optimizer(rate)
        # so that its variables have copies as well
        optimizer.build(model.trainable_variables)
    step = make_step(strategy, model, optimizer)
    batches = tf.data.Dataset.from_tensor_slices((x[:count], y[:count])).batch(64)
    losses = [float(step(*batch)) for batch in strategy.experimental_distribute_dataset(batches)]
    return model, losses


one_device = tf.distribute.get_strategy()
single, single_losses = train(one_device)
mirrored, mirrored_losses = train(strategy)

print("one device: ", [f"{loss:.4f}" for loss in single_losses])
print("all devices:", [f"{loss:.4f}" for loss in mirrored_losses])
difference = largest_difference(single.get_weights(), mirrored.get_weights())
print("weights equal within 1e-5:", difference < 1e-5)

# %% tags=["claims"]
assert difference < 1e-5 and np.allclose(single_losses, mirrored_losses, rtol=1e-4)
assert largest_difference(single.get_weights(), new_model().get_weights()) > 1e-2

# %% [markdown]
# The losses and the weights agree. What happens with the mistake from above, where each replica takes its own mean?
# Only one line of the step changes:


# %%
def make_step_of_means(strategy, model, optimizer):
    def replica_step(x, y):
        with tf.GradientTape() as tape:
            # the mistake
            loss = tf.reduce_mean(loss_of_each(y, model(x, training=True)))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        return loss

    @tf.function
    def step(x, y):
        losses = strategy.run(replica_step, args=(x, y))
        return strategy.reduce("SUM", losses, axis=None)

    return step

# %%
for kind in (keras.optimizers.SGD, keras.optimizers.Adam):
    expected, losses = train(one_device, optimizer=kind, rate=0.01)
    by_mean, losses_by_mean = train(strategy, make_step_of_means, kind, rate=0.01)
    difference = largest_difference(expected.get_weights(), by_mean.get_weights())
    print(f"{kind.__name__:5} first loss {losses_by_mean[0] / losses[0]:.1f} times as large,", end=" ")
    print("weights differ by more than 1e-3:", difference > 1e-3)

# %% tags=["claims"]
assert difference < 1e-3
by_rate = train(one_device, rate=0.1 * n_replicas)[0].get_weights()
by_mean, losses_by_mean = train(strategy, make_step_of_means)
assert largest_difference(by_rate, by_mean.get_weights()) < 1e-5
assert largest_difference(single.get_weights(), by_mean.get_weights()) > 1e-3
assert np.isclose(losses_by_mean[0], n_replicas * single_losses[0], rtol=1e-4)

# %% [markdown]
# The loss that you print is n times too large. With SGD the weights differ as well. With Adam they hardly show the mistake, because
# Adam divides by the size of its gradients. So look at the loss: it shows the mistake with any optimizer.
#
# ## What belongs in the scope?
#
# Everything with variables: the model, the optimizer and the metrics. You often see an optimizer that was made outside.
#
# > **Predict**
# >
# > The model is made inside the scope, and Adam is made and built outside. What do four steps do?

# %%
predict("20.b", "")

# %%
def copies_differ(model, optimizer):
    """Return how far the copies of the first kernel are apart after an epoch."""
    step = make_step(strategy, model, optimizer)
    batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(64)
    for batch in strategy.experimental_distribute_dataset(batches):
        step(*batch)
    copies = strategy.experimental_local_results(model.trainable_variables[0].value)
    return max(float(np.max(np.abs(copies[0] - copy))) for copy in copies)


with strategy.scope():
    model, inside = new_model(), keras.optimizers.Adam(0.01)
    inside.build(model.trainable_variables)
outside = keras.optimizers.Adam(0.01)
outside.build(model.trainable_variables)

print(f"Adam inside the scope:  the copies differ by {copies_differ(model, inside):.3f}")
print(f"Adam outside the scope: the copies differ by {copies_differ(model, outside):.3f}")

# %% tags=["claims"]
with strategy.scope():
    model, inside = new_model(), keras.optimizers.Adam(0.01)
    inside.build(model.trainable_variables)
assert copies_differ(model, inside) == 0
outside = keras.optimizers.Adam(0.01)
outside.build(model.trainable_variables)
assert copies_differ(model, outside) > 1e-3


def raises(model, optimizer):
    try:
        copies_differ(model, optimizer)
    except (ValueError, AssertionError, RuntimeError):
        return True
    return False


assert raises(new_model(), keras.optimizers.SGD(0.1))
assert raises(mirrored, keras.optimizers.Adam(0.01))

# %% [markdown]
# They run without an error, and the copies drift apart. Adam's averages exist only once here. Each replica updates
# them before its own step, so the replicas take different steps. A model that was made outside the scope raises an
# error, and so does an Adam that was never built. Only this case is silent.
#
# ### Exercise 20.1: complete
#
# A penalty on weights does not come from the examples, so every replica computes it in full. Write what one replica
# computes: a list of gradients, one for each trainable variable. Added over all `replicas` replicas, these should be
# the gradients of one device. Its loss is the squared error of each example, summed over the outputs and averaged
# over all `batch_size` examples, plus the penalties in `model.losses`. A replica may get fewer examples than another,
# or none.


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
# Every replica computes the same penalties. If each adds them in full, how often do they count?
#
# </details>

# %% [markdown]
# ## What must the replicas tell each other?
#
# Each replica sees only its own part. Three things need all parts:
#
# - **The size of the batch.** The step above divides by 64, but the last batch may be short. `all_reduce` adds a number over all replicas:
#   `tf.distribute.get_replica_context().all_reduce("SUM", count)`.
# - **Metrics.** Make a Keras metric in the scope: it counts the examples of each replica, and `result()` joins the counts. Do not
#   return a fraction from each replica, because the mean of fractions counts the examples of a small part too much.
# - **Clipping.** `clipnorm` and `global_clipnorm` act *before* the gradients are added, on each replica's share.
#
# Why does that last one matter? Say that two replicas have the shares 3 and 5 of a gradient, and the limit is 4. The sum is 8,
# and clipped it is 4. If each share is clipped first, you get 3 + 4 = 7. So add the shares yourself, clip the sum, and then
# divide by n. Every replica now has the whole gradient, and `apply` adds one from each of the n replicas:


# %%
def make_clipping_step(strategy, model, optimizer):
    def replica_step(x, y):
        replica = tf.distribute.get_replica_context()
        count = replica.all_reduce("SUM", tf.cast(tf.shape(y)[0], tf.float32))
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(loss_of_each(y, model(x, training=True))) / count
        gradients = tape.gradient(loss, model.trainable_variables)
        total = replica.all_reduce("SUM", gradients)
        clipped, _ = tf.clip_by_global_norm(total, 0.1)
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


expected = train(one_device, optimizer=clipping_sgd, rate=1.0)[0].get_weights()
by_optimizer = train(strategy, optimizer=clipping_sgd, rate=1.0)[0].get_weights()
by_sum = train(strategy, make_clipping_step, rate=1.0)[0].get_weights()

print("global_clipnorm:  equal within 1e-4:", largest_difference(expected, by_optimizer) < 1e-4)
print("the sum, clipped: equal within 1e-4:", largest_difference(expected, by_sum) < 1e-4)

# %% tags=["claims"]
assert largest_difference(expected, by_optimizer) > 1e-3
assert largest_difference(expected, by_sum) < 1e-4
short = [train(s, make_clipping_step, count=71)[0].get_weights() for s in (one_device, strategy)]
assert largest_difference(*short) < 1e-5 < 1e-3 < largest_difference(short[0], new_model().get_weights())

# %% [markdown]
# ### Exercise 20.2: repair
#
# This program takes a step on several devices without a strategy, so that you see each line. For each device,
# `copies` holds a pair of variables, `W` (d, k) and `b` (k,). `parts` holds a pair of arrays, `x` (n, d) and the
# labels `y` (n,). All copies are equal, and the parts have different sizes. The step should do what one device does
# with all examples:
#
# - minimize the mean cross-entropy plus `penalty` times the sum of W²;
# - clip the gradient to the global norm `largest`, and take one step of gradient descent with the learning rate `lr`, the same on
#   every copy;
# - return the fraction of right answers before the step.
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
# Go through what each copy computes: the mean, the penalty, the clipping, the fraction of right answers. Which of them may be
# added, or averaged, as it is?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Count all examples above the loop. In the loop, use sums divided by that count, and each copy's part of the penalty. Clip the sum
# of the gradients. Count right answers, and divide at the end.
#
# </details>

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open it.
#
# <details><summary>1. Each of four replicas uses <code>tf.reduce_mean</code>, their parts are equal in size, and the optimizer is
# SGD. What happened to your learning rate?</summary>
#
# It is four times as large, because `apply` adds the four gradients.
#
# </details>
# <details><summary>2. Training runs on two devices without an error, and the saved model is bad. What do you check first?</summary>
#
# Whether the optimizer was made inside the scope, and whether the copies of a variable are equal.
#
# </details>
# <details><summary>3. You set <code>global_clipnorm</code>, and move to four devices. What changes?</summary>
#
# Each replica's share is clipped, and then the shares are added. The sum may be longer than the limit, and point in
# another direction.
#
# </details>

# %% [markdown]
# ## Recap
#
# - Sum the losses, and divide by the size of the global batch. `apply` adds the gradients.
# - Divide penalties by the number of replicas.
# - Make the model, the optimizer and the metrics inside the scope.
# - Clip the sum of the gradients, and not the shares.
# - Prove it: one device and several end with the same weights.
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
# **To remember**: the replicas' gradients are added, so divide each loss by the size of the global batch.

# %% [markdown]
# ## Going deeper
#
# Training in 16 bits, XLA, statistics of replicas, several machines, and how much of this `fit` does for you. The
# first two also concern a single GPU.

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
# 12. In a loop over `tf.range` *inside* the compiled function, `order[first : first + 4]` always has 4 entries under
#     XLA, even at the end. The slice
# is filled up with the row number 0, so an epoch would train on example 0 again and again. End the slice at
# `tf.minimum(first + 4, tf.size(order))`.
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
    metric = keras.metrics.SparseCategoricalAccuracy()


@tf.function
def measure(x, y):
    def on_replica(x, y):
        logits = mirrored(x, training=False)
        metric.update_state(y, logits)
        is_right = tf.argmax(logits, axis=1) == tf.cast(y, tf.int64)
        return tf.reduce_mean(tf.cast(is_right, tf.float32))

    return strategy.run(on_replica, args=(x, y))


uneven = tf.data.Dataset.from_tensor_slices((x[:61], y[:61])).batch(61)
(uneven_parts,) = strategy.experimental_distribute_dataset(uneven)
fractions = strategy.experimental_local_results(measure(*uneven_parts))
truth = np.mean(np.argmax(mirrored(x[:61]), axis=1) == y[:61])
assert np.isclose(metric.result(), truth) and not np.isclose(np.mean(fractions), truth)

# %% [markdown]
# Those of the first replica, because reading a variable returns the copy on the first device. With
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


def fitted(strategy, count, **options):
    with strategy.scope():
        model = new_model(penalty=keras.regularizers.L2(0.01))
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
    model = new_model(penalty=keras.regularizers.L2(0.01))
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

# %% [markdown] part="Part II: training loops"
# # 10 · Fast loops
#
# A loop of your own can be many times slower than `fit`, or faster. The mathematics is the same; what
# differs is how often Python runs.
#
# **You will be able to**
#
# - count the traces of a step, and get them down to one;
# - put a whole epoch into one graph, and test that it still trains alike;
# - order a `tf.data` pipeline so that nothing is computed twice;
# - tell what XLA and mixed precision need before they help.
#
# **Before you start**: [05 · Control flow](05_control_flow.ipynb) and
# [09 · A training step](09_training_step.ipynb). **Time**: 60 minutes.

# %% tags=["nbval-ignore-output"]
from course_utils import check, make_classification, start_lesson
from course_utils.course.session import standard_error_held

start_lesson("10")

import tempfile
import timeit

import keras
import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from keras import layers

# %% [markdown]
# ## Where does the time go?
#
# Here is the training step of lesson 09, with the penalties of `model.losses`, though this model has none: the
# step then holds for a model that has some. A graph holds each operation of the step, so they can be counted.

# %%
inputs, labels = map(tf.constant, make_classification(500, seed=10))  # (500, 20), (500,)
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def new_model():
    keras.utils.set_random_seed(10)
    hidden = [layers.Dense(64, activation="relu"), layers.Dense(32, activation="relu")]
    return keras.Sequential([keras.Input((20,)), *hidden, layers.Dense(5)])  # logits


def make_step(model, optimizer):
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = loss_fn(y, model(x, training=True)) + sum(model.losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        return loss

    return step


# %%
model, optimizer = new_model(), keras.optimizers.Adam(1e-3)
optimizer.build(model.trainable_variables)
eager_step = make_step(model, optimizer)
graph = tf.function(eager_step).get_concrete_function(inputs[:32], labels[:32]).graph

print(len(graph.get_operations()) // 100 * 100, "operations or more")
assert len(graph.get_operations()) > 200

# %% [markdown]
# In eager mode Python starts nearly every one of these; a figure below shows what that costs. A
# compiled step is *one* call, and an epoch in batches of 32 makes 16.
#
# ## Why is my step traced three times?
#
# In a `tf.function` Python runs only while it is traced, and each trace builds all those operations anew.
#
# > **Predict**
# >
# > An epoch with a fresh optimizer, 16 batches. How many traces are there after the first batch, and how
# > many in the end?


# %%
def traces_after_each_batch(step):
    counts = []
    for first in range(0, 500, 32):
        step(inputs[first : first + 32], labels[first : first + 32])
        counts.append(step.experimental_get_tracing_count())
    return counts


fresh = tf.function(make_step(new_model(), keras.optimizers.Adam(1e-3)))
counts = traces_after_each_batch(fresh)

print("traces after each batch:", *counts)

# %% [markdown]
# 1, and 1, is the tempting answer. But a new Adam makes variables when it is first applied: two averages for each weight.
# A `tf.function` may do that on its first call only, so it traces this call twice: to make the variables,
# and for the graph that it keeps.
#
# The third trace is for the last batch: 500 is 15 · 32 + 20, and 20 is a new shape. Build the optimizer
# first, and one trace goes. Leave the batch axis open, and the other goes.

# %%
built = traces_after_each_batch(tf.function(eager_step))
signature = [tf.TensorSpec([None, 20], tf.float32), tf.TensorSpec([None], tf.int32)]
any_size = traces_after_each_batch(tf.function(eager_step, input_signature=signature))

print("built first:", built[0], "then", built[-1])
print("and any batch size:", any_size[0], "then", any_size[-1])
assert counts == [2] * 15 + [3]
assert built == [1] * 15 + [2] and any_size == [1] * 16

# %% [markdown]
# ### Exercise 10.1: predict
#
# A colleague passes the number of the epoch too. There are 1,000 examples. How many traces do these loops
# make?
#
# ```python
# optimizer.build(model.trainable_variables)
#
# @tf.function
# def train_step(x, y, epoch):
#     ...
#
# for epoch in range(5):
#     for first in range(0, 1000, 64):
#         train_step(inputs[first : first + 64], labels[first : first + 64], epoch)
# ```

# %% exercise="10.1"
# A whole number: how often train_step is traced in five epochs.
### BEGIN SOLUTION
traces_in_five_epochs = 10
### END SOLUTION

# %%
check("10.1", traces_in_five_epochs)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Of a tensor, shape and dtype count. What counts of a Python number such as `epoch`?
#
# </details>
# <details><summary>Hint 2</summary>
#
# 1,000 is 15 · 64 + 40. How many different pairs of batch size and epoch are there?
#
# </details>
#
# The same calls, counted:

# %%
short_step = tf.function(lambda x, epoch: tf.reduce_sum(x))
for epoch in range(5):
    for first in range(0, 1000, 64):
        short_step(tf.zeros(1000)[first : first + 64], epoch)

print("traces:", short_step.experimental_get_tracing_count())
assert short_step.experimental_get_tracing_count() == 2 * 5

# %% [markdown]
# ### Exercise 10.2: repair
#
# `step(x, y, rate)` takes one step of gradient descent and returns a pair: the loss, and how often Python
# has run the step so far. `train` should return the list of these pairs, for each rate in turn. The losses
# are right, but the counts rise from call to call. All should be 1, with one `tf.function` for all rates.


# %% exercise="10.2"
def train(step, x, y, rates):
    # rates is a list of Python numbers, and step is not compiled yet.
    ### BEGIN SOLUTION
    #| results = []
    #| for rate in rates:
    #|     compiled_step = tf.function(step)
    #|     results.append(compiled_step(x, y, rate))
    #| return results
    compiled_step = tf.function(step)
    results = []
    for rate in rates:
        results.append(compiled_step(x, y, tf.constant(rate)))
    return results
    ### END SOLUTION


# %%
check("10.2", train)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# There are two faults. The first: a `tf.function` made a line ago has no graph yet.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Make it once, above the loop. Then each new *value* of `rate` is still a new trace, unless it comes as
# a tensor.
#
# </details>

# %% [markdown]
# ## How do I keep Python out of the loop?
#
# Put the loop itself into the graph, and Python makes one call an epoch. The data are tensors already;
# the argument is the *order* of the examples, and `tf.gather` picks each batch by its indices. Shuffling
# is a permutation of 500 integers. Draw it outside: NumPy inside would draw once, while tracing.


# %%
def make_train_epoch(model, optimizer, jit_compile=False, batch_size=32):
    optimizer.build(model.trainable_variables)

    @tf.function(jit_compile=jit_compile)
    def train_epoch(order):
        loss_sum = 0.0
        for first in tf.range(0, tf.size(order), batch_size):
            batch = order[first : first + batch_size]
            x, y = tf.gather(inputs, batch), tf.gather(labels, batch)
            with tf.GradientTape() as tape:
                loss = loss_fn(y, model(x, training=True)) + sum(model.losses)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply(gradients, model.trainable_variables)
            loss_sum += loss * tf.cast(tf.size(batch), tf.float32)
        return loss_sum / tf.cast(tf.size(order), tf.float32)

    return train_epoch


# %% [markdown]
# The short last batch makes no new trace: in this loop the batch axis has no fixed size. Does it train as
# `fit` does? From the same weights, on the same batches:


# %%
def largest_difference(model, other):
    pairs = zip(model.get_weights(), other.get_weights(), strict=True)
    return max(np.max(np.abs(a - b)) for a, b in pairs)


ours, theirs = new_model(), new_model()
train_epoch = make_train_epoch(ours, keras.optimizers.Adam(1e-3))
theirs.compile(keras.optimizers.Adam(1e-3), loss_fn, jit_compile=False)

for _ in range(3):
    order = np.random.permutation(500)
    loss = train_epoch(tf.constant(order))
    x, y = inputs.numpy()[order], labels.numpy()[order]
    history = theirs.fit(x, y, batch_size=32, shuffle=False, verbose=0)

print("equal weights:", bool(largest_difference(ours, theirs) < 1e-5))
assert largest_difference(ours, theirs) < 1e-5
assert abs(loss - history.history["loss"][0]) < 1e-4
assert train_epoch.experimental_get_tracing_count() == 1

# %% [markdown]
# Now the clock: three epochs each way, and the best of several runs, because tracing, or whatever else the
# machine does, only makes a run slower.


# %%
def batch_by_batch(step):
    for _ in range(3):
        for first in range(0, 500, 32):
            loss = step(inputs[first : first + 32], labels[first : first + 32])
    return float(loss)  # waits for the last step


compiled_step, order = tf.function(eager_step), tf.range(500)
ways = {
    "eager step": lambda: batch_by_batch(eager_step),
    "fit": lambda: theirs.fit(x, y, batch_size=32, epochs=3, verbose=0),
    "compiled step": lambda: batch_by_batch(compiled_step),
    "compiled epoch": lambda: float([train_epoch(order) for _ in range(3)][-1]),
}
seconds = {}
for way, run in ways.items():
    repeats = 2 if way == "eager step" else 10  # the slow one needs no more
    seconds[way] = min(timeit.repeat(run, number=1, repeat=repeats))

# %% [markdown]
# The figure divides by the time of `fit`. Look for the order of the bars, on a logarithmic axis: the eager
# step should be the longest, and the compiled ways, which leave least to Python, the shortest.

# %%
assert seconds["eager step"] > 2 * seconds["compiled epoch"]
ratios = [value / seconds["fit"] for value in seconds.values()]

fig, ax = plt.subplots(figsize=(6.4, 2.4))
bars = ax.barh(list(seconds), ratios)
texts = ax.bar_label(bars, [f"{ratio:.2g}" for ratio in ratios], padding=4)
line = ax.axvline(1, color="C6", linewidth=1, zorder=0)
limits = ax.set(xscale="log", xlim=(min(ratios) / 2, max(ratios) * 3))
label = ax.set_xlabel("time, in units of fit")
ax.invert_yaxis()

# %% [markdown]
# `fit` compiles its step too, and runs callbacks, metrics and a pipeline around it. Their share is smaller in a
# model with more arithmetic, and the bars come closer: measure *your* model. (On a machine with a GPU, `compile`
# may turn on XLA, of which more below, by itself: its `jit_compile` is `"auto"`. Say `False` or `True` when you
# compare.)
#
# ### Exercise 10.3: complete
#
# An epoch of gradient descent for a linear model: `w` is a variable of shape (d,), `x` has shape (n, d), `y`
# has shape (n,). In a loop of the graph, go through `order`, the indices of the examples to use, in batches
# of `batch_size`; the last may be short. For each, subtract from the variable `w` the gradient of the batch's
# mean squared error, times `rate`. Return `w`.


# %% exercise="10.3"
def linear_epoch(w, x, y, order, batch_size, rate):
    """Take one step for each batch of order, and return w."""

    # Define a tf.function with the loop, and call it.
    ### BEGIN SOLUTION
    @tf.function
    def run():
        for first in tf.range(0, tf.size(order), batch_size):
            batch = order[first : first + batch_size]
            with tf.GradientTape() as tape:
                errors = tf.linalg.matvec(tf.gather(x, batch), w) - tf.gather(y, batch)
                loss = tf.reduce_mean(errors**2)
            w.assign_sub(rate * tape.gradient(loss, w))

    run()
    return w
    ### END SOLUTION


# %%
check("10.3", linear_epoch)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# The loop is that of `train_epoch`, in a `tf.function` that you define and call inside. The prediction is
# `tf.linalg.matvec(x, w)`.
#
# </details>
# <details><summary>Hint 2</summary>
#
# In the loop: slice `order`, gather from `x` and from `y`, record the loss; then, below the `with` block,
# `w.assign_sub(rate * gradient)`.
#
# </details>

# %% [markdown]
# ## In which order does a data pipeline stand?
#
# Data that do not fit into memory, or have to be prepared, come through `tf.data`: a chain in which each part
# feeds the next. `shuffle(k)` mixes a sequence through a buffer of k elements, `batch(n)` joins n of them.
#
# > **Predict**
# >
# > The numbers 0 to 5 go through `batch(2).shuffle(3)`. Can 0 and 5 meet in one batch?

# %%
six = tf.data.Dataset.range(6)
mixed_late = six.batch(2).shuffle(3, seed=4)
mixed_early = six.shuffle(6, seed=2).batch(2)

print([batch.tolist() for batch in mixed_late.as_numpy_iterator()])
print([batch.tolist() for batch in mixed_early.as_numpy_iterator()])

# %% [markdown]
# It is shuffled, so yes is the tempting answer. But an element of the sequence is a whole batch by then: 0 stays
# with 1 for ever. Shuffle first, with a buffer as large as the data.

# %%
together = {tuple(b) for _ in range(20) for b in mixed_late.as_numpy_iterator()}
mixed = {tuple(b) for _ in range(20) for b in mixed_early.as_numpy_iterator()}

print(f"pairs in 20 epochs: {len(together)} and {len(mixed)}")
assert together == {(0, 1), (2, 3), (4, 5)} and len(mixed) > 10

# %% [markdown]
# Here `decode` stands for slow work on one element. A `map` traces its function; `tf.py_function` runs
# Python for each element all the same, so that the runs can be counted.

# %%
numbers, runs = tf.data.Dataset.range(8), []


def double(number):
    runs.append(1)
    return 2 * number


def decode(number):
    return tf.py_function(double, [number], tf.int64)


def runs_in_three_epochs(dataset):
    runs.clear()
    for _ in range(3):
        list(dataset)
    return len(runs)


# %% [markdown]
# > **Predict**
# >
# > `cache()` keeps elements in memory. How often does `decode` run in three epochs over
# > `numbers.cache().map(decode)`?

# %%
cached_first = runs_in_three_epochs(numbers.cache().map(decode))

print("runs:", cached_first)

# %% [markdown]
# 8 is the tempting answer: there is a cache. But it keeps what comes *into* it, and here these are the raw numbers.
# After the `map`, it keeps results. And if `decode` takes arrays, batch first: it runs less often (`unbatch`
# before you shuffle).

# %%
mapped_first = runs_in_three_epochs(numbers.map(decode).cache())
in_batches = runs_in_three_epochs(numbers.batch(4).map(decode).cache())

print("map, cache:", mapped_first, "| batch, map, cache:", in_batches)
assert (cached_first, mapped_first, in_batches) == (24, 8, 2)

# %% [markdown]
# These caches are in memory. Results that do not fit into it go to a file, `cache(filename)`, which also
# serves the next pipeline that names it. Delete the file when `decode` changes.

# %%
with tempfile.TemporaryDirectory() as folder:
    on_disk = runs_in_three_epochs(numbers.map(decode).cache(f"{folder}/decoded"))
    once_more = runs_in_three_epochs(numbers.map(decode).cache(f"{folder}/decoded"))

print("runs:", on_disk, "and then", once_more)
assert (on_disk, once_more) == (8, 0)

# %% [markdown]
# > **Predict**
# >
# > `shuffle(100)` draws a new order for each epoch. Is the second epoch of `many.shuffle(100).cache()`
# > in another order than the first?

# %%
many = tf.data.Dataset.range(100)


def two_orders(dataset):
    return [[int(number) for number in dataset] for _ in range(2)]


first, second = two_orders(many.shuffle(100).cache())

print("another order:", first != second)

# %% [markdown]
# The shuffle would draw anew, but it is asked only once: after that the cache repeats what it kept, in
# its order. So what is random comes after the cache. And `shuffle` draws from a buffer of the size that you
# give: with a small one, sorted data stay nearly sorted.
#
# Last comes `prefetch`, which prepares the next batches while your step computes.

# %%
one, two = two_orders(many.cache().shuffle(100))
nearly, _ = two_orders(many.shuffle(5))
pipeline = numbers.map(decode).cache().shuffle(8).batch(4).prefetch(tf.data.AUTOTUNE)

print("another order:", one != two, "| runs:", runs_in_three_epochs(pipeline))
assert first == second and one != two and sorted(one) == sorted(two) == list(range(100))
assert max(number - place for place, number in enumerate(nearly)) < 5  # never 5 places early
assert len(runs) == 8

# %% [markdown]
# ### Exercise 10.4: repair
#
# With a `tf.data` pipeline, this function should return two epochs, each a list of batches in an order of its
# own, drawn over *all* n numbers. `decode` should run in the first epoch only. Now whole batches are shuffled,
# the order repeats, and `decode` runs in both epochs.


# %% exercise="10.4"
def two_epochs(numbers, decode, batch_size):
    # numbers has shape (n,); decode takes one number, or an array of them.
    ### BEGIN SOLUTION
    #| dataset = tf.data.Dataset.from_tensor_slices(numbers)
    #| dataset = dataset.batch(batch_size).shuffle(10).cache().map(decode)
    #| return [list(dataset), list(dataset)]
    dataset = tf.data.Dataset.from_tensor_slices(numbers)
    dataset = dataset.map(decode).cache().shuffle(len(numbers)).batch(batch_size)
    return [list(dataset), list(dataset)]
    ### END SOLUTION


# %%
check("10.4", two_epochs)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# What should come into the cache, and so be kept? What should be shuffled: numbers, or batches?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Map, cache, shuffle, batch; and the buffer must hold all n.
#
# </details>

# %% [markdown]
# ## What do XLA and mixed precision need?
#
# A graph still runs its operations one by one. With `jit_compile=True`, **XLA** fuses neighbours into one
# piece of machine code. For that it needs the size of every array.
#
# > **Predict**
# >
# > Ten examples in batches of four, and the sizes of the batches added up: 10. What does the same
# > function give under XLA: 10, 12, or an error?


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
# An error would be kind. XLA takes the size that it compiled for, 4, for the short batch too, and says
# nothing. And it does not only count wrongly: it fills the batch up with the index 0. Here example 0 has a slope
# of 100, all others 1, and `order` leaves example 0 out.

# %%
slopes = tf.constant([100.0, 1, 1, 1, 1, 1, 1])


def sum_of_mean_slopes(order):
    total = 0.0
    for first in tf.range(0, tf.size(order), 4):
        total += tf.reduce_mean(tf.gather(slopes, order[first : first + 4]))
    return total


order = tf.range(1, 7)  # six examples: one batch of 4, one of 2
by_graph = tf.function(sum_of_mean_slopes)(order)
by_xla = tf.function(sum_of_mean_slopes, jit_compile=True)(order)

print(f"graph: {by_graph.numpy():.1f} | XLA: {by_xla.numpy():.1f}")
assert in_graph == 10 and in_xla == 12
assert np.isclose(by_graph, 2.0) and by_xla > 10

# %% [markdown]
# So an epoch with a short last batch trains on the wrong example. On full batches, XLA and the graph agree up
# to rounding. Whether XLA is faster depends on model and machine: measure.

# %%
order = tf.constant(np.random.permutation(500)[:480])  # 15 full batches
models = {jit_compile: new_model() for jit_compile in (False, True)}
for jit_compile, model in models.items():
    make_train_epoch(model, keras.optimizers.SGD(0.1), jit_compile)(order)

print("equal weights:", bool(largest_difference(*models.values()) < 1e-4))
assert largest_difference(*models.values()) < 1e-4
assert largest_difference(models[True], new_model()) > 1e-2  # they were trained

# %% [markdown]
# **Mixed precision** computes in 16 bits and keeps the weights in `float32`. It can gain on machines with units
# for such numbers; measure. There are two kinds: `float16` with more digits, and `bfloat16` with the range of
# `float32`. First `float16`.
#
# > **Predict**
# >
# > The loss is 1e-9 · w² at w = 3, by way of a `float16` w: its slope is 6e-9. What does the tape give?

# %%
w = tf.Variable(3.0)


def slope(scale, dtype=tf.float16):
    with tf.GradientTape() as tape:
        half = tf.cast(w, dtype)
        loss = 1e-9 * tf.cast(half, tf.float32) ** 2
        scaled_loss = scale * loss
    return tape.gradient(scaled_loss, w) / scale


with standard_error_held():  # some processors announce that they lack half units
    unscaled = slope(1.0)

print(f"loss {1e-9 * w.numpy() ** 2:.0e}, slope {unscaled.numpy():.0e}")

# %% [markdown]
# 6e-9 is the tempting answer: loss and w are `float32`. But on its way back the gradient passes through `float16`, where
# all below 3e-8 is 0. It **underflows**, and this weight stops learning. **Loss scaling** multiplies the loss by
# a large number, and divides the gradient by it when it is a `float32` again. `bfloat16` needs none of this: it
# reaches as far down as `float32`, with two or three digits.

# %%
print(f"scaled: slope {slope(2.0**15).numpy():.0e}")
print(f"bfloat16: slope {slope(1.0, tf.bfloat16).numpy():.0e}")
assert unscaled == 0.0 and np.float16(2.9e-8) == 0.0 < np.float16(6e-8)
assert np.isclose(slope(2.0**15), 6e-9, rtol=1e-2)
assert np.isclose(slope(1.0, tf.bfloat16), 6e-9, rtol=1e-2)

# %% [markdown]
# In a loop, `LossScaleOptimizer` does it: you call `scale_loss`, and `apply` divides. (You will read of
# `get_scaled_loss`; it no longer exists.) Set the policy back after building the model, or every later layer
# is half.

# %%
keras.config.set_dtype_policy("mixed_float16")
model = new_model()
keras.config.set_dtype_policy("float32")

optimizer = keras.mixed_precision.LossScaleOptimizer(keras.optimizers.Adam(1e-3))
optimizer.build(model.trainable_variables)


@tf.function
def mixed_step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x, training=True)) + sum(model.losses)
        scaled_loss = optimizer.scale_loss(loss)
    gradients = tape.gradient(scaled_loss, model.trainable_variables)
    optimizer.apply(gradients, model.trainable_variables)
    return loss


# %% [markdown]
# Large numbers end early too, at 65,504. If a gradient is not finite, the optimizer leaves that step out and
# halves its scale. Here a batch is a million times too large: already the forward pass overflows, and neither the
# loss nor the gradients are finite.

# %%
losses = [mixed_step(inputs, labels) for _ in range(60)]
weights, scale = model.get_weights(), float(optimizer.dynamic_scale)
overflowed = mixed_step(1e6 * inputs, labels)
moved = [np.any(a != b) for a, b in zip(weights, model.get_weights(), strict=True)]

print(f"weights that moved: {sum(moved)}; scale {scale:.0f}, then {float(optimizer.dynamic_scale):.0f}")
assert losses[-1] < 0.8 * losses[0] and not hasattr(optimizer, "get_scaled_loss")
assert not any(moved) and not np.isfinite(overflowed) and float(optimizer.dynamic_scale) == scale / 2
assert model(inputs).dtype == tf.float16 and model.weights[0].dtype == "float32"
assert keras.config.dtype_policy().name == "float32" and np.finfo(np.float16).max == 65504

# %% [markdown]
# ## Checkpoint
#
# Answer before you open.
#
# <details><summary>1. All batches have one shape, and your step is traced anew in each epoch. What do you
# look for?</summary>
#
# A Python number among the arguments that changes, or a `tf.function` that is made inside the loop.
#
# </details>
# <details><summary>2. <code>.cache().map(augment).shuffle(n).batch(32)</code>, with a random
# <code>augment</code>: should the cache move after the map?</summary>
#
# No: each image would be changed once, and alike in every epoch.
#
# </details>
# <details><summary>3. Under XLA, an epoch reports another mean loss than before. What may be wrong?</summary>
#
# A short last batch, taken for a full one and filled up with example 0: the weights are wrong too. Leave it out,
# or leave XLA out.
#
# </details>

# %% [markdown]
# ## Recap
#
# - A slow loop asks Python often: for each operation, for each step, or once an epoch.
# - Build the optimizer, fix the shapes, pass numbers as tensors: one trace.
# - An epoch is one graph over tensors; the order goes in, and `tf.gather` picks the batches.
# - Map, cache, shuffle, batch, prefetch: what is random comes after the cache; shuffle examples, not batches.
# - XLA wants full batches, `float16` wants a scaled loss, `bfloat16` does not. Measure all.
#
# ```python
# for first in tf.range(0, tf.size(order), batch_size):
#     batch = order[first : first + batch_size]
#     step(tf.gather(inputs, batch), tf.gather(labels, batch))
# ```

# %% [markdown]
# ## Further reading
#
# - TensorFlow's guide *Better performance with the tf.data API*: each part of a pipeline on a time line.
# - Micikevicius and others, *Mixed precision training*, ICLR 2018: where loss scaling comes from.
#
# Your loop also reaches what `fit` hides: [11 · Per-layer
# clipping](11_per_layer_clipping.ipynb) changes gradients layer by layer.

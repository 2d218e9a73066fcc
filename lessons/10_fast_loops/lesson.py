# %% [markdown] part="Part II: training loops"
# # 10 · Fast loops
#
# A loop of your own can be many times slower than `fit`, or faster. The mathematics is the same; what
# differs is how often Python runs.
#
# **You will learn to**
#
# - count the traces of a step, and get them down to one;
# - put a whole epoch into one graph, and test that it still trains alike;
# - order a `tf.data` pipeline so that nothing is computed twice, and every epoch is mixed anew;
# - train on data that do not fit into memory.
#
# **Before you start**: [05 · Control flow](05_control_flow.ipynb) and
# [09 · A training step](09_training_step.ipynb). **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import check, make_classification, predict, start_lesson

start_lesson("10")

import tempfile
import timeit

import keras
import matplotlib.pyplot as plt
import numpy as np
import psutil
import tensorflow as tf
from keras import layers

# %% [markdown]
# ## Where does the time go?
#
# Here are the model and the training step of lesson 09, with penalty, batch normalisation and dropout. Python starts
# each operation of the step, so count them: `get_concrete_function` traces a `tf.function` for the arguments that you
# give, without running it, and the graph that comes of it holds every operation.

# %%
# (500, 20), (500,)
inputs, labels = map(tf.constant, make_classification(500, seed=10))
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def new_model():
    keras.utils.set_random_seed(10)
    first = layers.Dense(64, activation="relu", kernel_regularizer=keras.regularizers.L2(0.01))
    middle = [layers.BatchNormalization(momentum=0.9), layers.Dropout(0.2, seed=10)]
    # logits
    last = [layers.Dense(32, activation="relu"), layers.Dense(5)]
    return keras.Sequential([keras.Input((20,)), first, *middle, *last])


# %%
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

# %% tags=["claims"]
assert len(graph.get_operations()) > 200

# %% [markdown]
# In eager mode Python starts most of these, at each step. A compiled step is *one* call, and an epoch in
# batches of 32 makes 16. How much that saves you see in a figure below.
#
# ## How often is my step traced?
#
# In a `tf.function` Python runs only while it is traced, and each trace builds all those operations anew.
# `experimental_get_tracing_count` says how often that happened. There should be one trace. Where the count grows from
# step to step, the loop is compiled in name alone.
#
# > **Predict**
# >
# > An epoch with a fresh Adam, 500 examples in batches of 32. How many traces are there after the first
# > batch, and how many in the end?

# %%
predict("10.a", "")


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
# Two remedies: build the optimizer before the first step, so that its variables exist, and leave the length of the
# batch open, by an `input_signature` with `None` in that place. Here is the first alone, and then both:

# %%
built = traces_after_each_batch(tf.function(eager_step))
signature = [tf.TensorSpec([None, 20], tf.float32), tf.TensorSpec([None], tf.int32)]
any_size = traces_after_each_batch(tf.function(eager_step, input_signature=signature))

print("built first:", built[0], "then", built[-1])
print("and any batch size:", any_size[0], "then", any_size[-1])

# %% tags=["claims"]
assert built == [1] * 15 + [2] and any_size == [1] * 16

# %% [markdown]
# A trace holds for one kind of call: shapes and **dtypes** of tensors, and *values* of Python numbers. NumPy's
# decimals are `float64`: such an array makes a new trace where `float32` came before.

# %%
doubled = tf.function(lambda x: 2 * x)
for x in (np.zeros(3), np.zeros(3, np.float32), np.ones(3)):
    doubled(x)

print("traces:", doubled.experimental_get_tracing_count())

# %% tags=["claims"]
assert doubled.experimental_get_tracing_count() == 2 and counts == [2] * 15 + [3]

# %% [markdown]
# ### Further: another dtype for Keras
#
# You will read that `keras.config.set_floatx` makes Keras compute in another dtype. Run this: once a layer has been
# made, later layers compute as before. `set_dtype_policy` changes that. (Set both back, or all that follows is
# `float64`.)

# %%
keras.config.set_floatx("float64")
by_floatx = layers.Dense(1).compute_dtype
keras.config.set_floatx("float32")
keras.config.set_dtype_policy("float64")
by_policy = layers.Dense(1).compute_dtype
keras.config.set_dtype_policy("float32")

print("floatx:", by_floatx, "| policy:", by_policy)

# %% tags=["claims"]
assert (by_floatx, by_policy) == ("float32", "float64")

# %% [markdown]
# ### Exercise 10.1: predict
#
# One function both trains and validates, and a flag says which. There are 1,000 examples to train on, and 200 are
# held out. How many traces do these loops make?
#
# ```python
# optimizer.build(model.trainable_variables)
#
# @tf.function
# def run(x, y, training):
#     ...
#
# for epoch in range(5):
#     for first in range(0, 1000, 64):
#         run(inputs[first : first + 64], labels[first : first + 64], True)
#     for first in range(0, 200, 64):
#         run(held_out[first : first + 64], their_labels[first : first + 64], False)
# ```

# %% exercise="10.1"
# A whole number: how often run is traced in five epochs.
### BEGIN SOLUTION
traces_in_five_epochs = 4
### END SOLUTION

# %%
check("10.1", traces_in_five_epochs)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Of a tensor, shape and dtype count. What counts of a Python value such as `True`?
#
# </details>
# <details><summary>Hint 2</summary>
#
# 1,000 is 15 · 64 + 40, and 200 is 3 · 64 + 8. How many different pairs of batch size and flag are there?
#
# </details>
#
# The same calls, counted:

# %%
short_run = tf.function(lambda x, training: tf.reduce_sum(x))
for _ in range(5):
    for count, training in ((1000, True), (200, False)):
        for first in range(0, count, 64):
            short_run(tf.zeros(count)[first : first + 64], training)

print("traces:", short_run.experimental_get_tracing_count())

# %% [markdown]
# ### Exercise 10.2: repair
#
# `step(x, y, rate)` takes one step of gradient descent and returns a pair: the loss, and how often Python
# has run the step so far. `train` should return the list of these pairs, for each rate in turn. The losses
# are right, but the counts rise from call to call. All should be 1, with one `tf.function` for all rates.


# %% exercise="10.2"
def train(step, x, y, rates):
    # rates is a list of floats, and step is not compiled yet.
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
# Make it once, above the loop. Then each new *value* of `rate` is still a new trace, as it is a Python number. Pass
# it as a tensor.
#
# </details>

# %% [markdown]
# ## How do I keep Python out of the loop?
#
# Put the loop itself into the graph, and Python makes one call an epoch. The data are tensors already;
# the argument is the *order* of the examples, and `tf.gather` picks each batch by its indices. Shuffling
# is a permutation of 500 integers. Draw it outside: NumPy inside would draw once, while tracing.


# %%
def make_train_epoch(model, optimizer, batch_size=32):
    optimizer.build(model.trainable_variables)

    @tf.function
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
# The short last batch makes no new trace: `first` is a tensor here, so the graph leaves the size of a batch open.
# Does it train as `fit` does? From the same weights, on the same batches, with the same seed of dropout:


# %%
def largest_difference(model, other):
    pairs = zip(model.get_weights(), other.get_weights(), strict=True)
    return max(np.max(np.abs(a - b)) for a, b in pairs)

# %%
ours, theirs = new_model(), new_model()
train_epoch = make_train_epoch(ours, keras.optimizers.Adam(1e-3))
theirs.compile(keras.optimizers.Adam(1e-3), loss_fn, jit_compile=False)

print("equal weights:", end=" ", flush=True)
for _ in range(3):
    order = np.random.permutation(500)
    loss = train_epoch(tf.constant(order))
    x, y = inputs.numpy()[order], labels.numpy()[order]
    history = theirs.fit(x, y, batch_size=32, shuffle=False, verbose=0)

print(bool(largest_difference(ours, theirs) < 1e-5))

# %% tags=["claims"]
assert largest_difference(ours, theirs) < 1e-5 and abs(loss - history.history["loss"][0]) < 1e-4
# the kernels moved
assert np.max(np.abs(ours.layers[0].kernel - new_model().layers[0].kernel)) > 1e-2
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

# %%
compiled_step, order = tf.function(eager_step), tf.range(500)
ways = {
    "eager step": lambda: batch_by_batch(eager_step),
    "fit": lambda: theirs.fit(x, y, batch_size=32, epochs=3, verbose=0),
    "compiled step": lambda: batch_by_batch(compiled_step),
    "compiled epoch": lambda: float([train_epoch(order) for _ in range(3)][-1]),
}
seconds = {}
for way, run in ways.items():
    print("measured:", way)
    # the slow one needs no more
    repeats = 2 if way == "eager step" else 10
    seconds[way] = min(timeit.repeat(run, number=1, repeat=repeats))

# %% [markdown]
# The figure divides by the time of `fit`. Look for the order of the bars, on a logarithmic axis: the eager
# step should be the longest, and the compiled ways, which leave least to Python, the shortest.

# %%
assert seconds["eager step"] > seconds["fit"] > max(list(seconds.values())[2:])
ratios = [value / seconds["fit"] for value in seconds.values()]

fig, ax = plt.subplots(figsize=(6.4, 2.4))
bars = ax.barh(list(seconds), ratios)
texts = ax.bar_label(bars, [f"{ratio:.2g}" for ratio in ratios], padding=4)
line = ax.axvline(1, color="C6", linewidth=1, zorder=0)
limits = ax.set(xscale="log", xlim=(min(ratios) / 2, max(ratios) * 3))
label = ax.set_xlabel("time, in units of fit")
ax.invert_yaxis()

# %% tags=["claims"]
# of Exercise 10.1
assert short_run.experimental_get_tracing_count() == 4

# %% [markdown]
# `fit` compiles its step too, and runs callbacks, metrics and a pipeline around it. Their share is smaller in a
# model with more arithmetic, and the bars come closer: measure *your* model.
#
# ### Exercise 10.3: complete
#
# An epoch of gradient descent for a linear model: `w` is a variable of shape (d,), `x` has shape (n, d), `y`
# has shape (n,). In a loop of the graph, go through `order`, the indices of the examples to use, none of them
# twice, in batches of `batch_size`; the last may be short. For each, subtract from the variable `w` the gradient of
# the batch's mean squared error, times `rate`. Return `w`.


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
# Data that have to be prepared, or do not fit into memory, come through `tf.data`: a chain in which each part feeds
# the next, element by element. `from_tensor_slices` makes a dataset of arrays, one element for each example. Nearly
# every chain has these two parts:
#
# - `batch(n)` joins n elements into one; the last may be shorter.
# - `shuffle(k)` keeps a buffer of k elements. It draws one at random, hands it on, and fills the place with the next of
#   the sequence. Each epoch gets a new order, unless you say `reshuffle_each_iteration=False`.
#
# > **Predict**
# >
# > The numbers 0 to 5 go through `batch(2).shuffle(3)`. Can 0 and 5 meet in one batch?

# %%
predict("10.b", "")

# %%
six = tf.data.Dataset.range(6)
mixed_late = six.batch(2).shuffle(3, seed=4)
mixed_early = six.shuffle(6, seed=2).batch(2)

print([batch.tolist() for batch in mixed_late.as_numpy_iterator()])
print([batch.tolist() for batch in mixed_early.as_numpy_iterator()])

# %% [markdown]
# The pairs of 20 epochs, batched first and shuffled first:

# %%
together = {tuple(b) for _ in range(20) for b in mixed_late.as_numpy_iterator()}
mixed = {tuple(b) for _ in range(20) for b in mixed_early.as_numpy_iterator()}

print(f"different pairs: {len(together)} and {len(mixed)}")

# %% tags=["claims"]
assert len(mixed) > 10 > len(together)

# %% [markdown]
# The buffer matters, too. With a small one, sorted data stay sorted for the most part: no element comes more than k -
# 1 places early, though some come later by more. Take a buffer as large as the data, where that fits.

# %%
many = tf.data.Dataset.range(100)
places = {k: [int(number) for number in many.shuffle(k)] for k in (5, 100)}

for k, numbers in places.items():
    early = max(number - place for place, number in enumerate(numbers))
    print(f"buffer of {k}: {'few' if early < 5 else 'many'} places early at the most")
    assert (early < 5) == (k == 5) and sorted(numbers) == list(range(100))

# %% tags=["claims"]
# places late
assert max(place - number for place, number in enumerate(places[5])) > 4
assert together == {(0, 1), (2, 3), (4, 5)}

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
predict("10.c", "")

# %%
cached_first = runs_in_three_epochs(numbers.cache().map(decode))

print("runs:", cached_first)

# %% [markdown]
# The parts can stand in another order. And if `decode` takes arrays, batch first: it then runs once a batch. (Before
# you shuffle, `unbatch` takes the batches apart again.)

# %%
mapped_first = runs_in_three_epochs(numbers.map(decode).cache())
in_batches = runs_in_three_epochs(numbers.batch(4).map(decode).cache())

print("map, cache:", mapped_first, "| batch, map, cache:", in_batches)

# %% tags=["claims"]
assert (mapped_first, in_batches) == (8, 2)

# %% [markdown]
# > **Predict**
# >
# > `shuffle(100)` draws a new order for each epoch. Is the second epoch of `many.shuffle(100).cache()`
# > in another order than the first?

# %%
predict("10.d", "")


# %%
def two_orders(dataset):
    return [[int(number) for number in dataset] for _ in range(2)]


first, second = two_orders(many.shuffle(100).cache())

print("another order:", first != second)

# %% [markdown]
# So what is computed once, and kept, stands before the cache, and what is drawn anew in each epoch behind it. Last
# comes `prefetch`, which prepares the next batches while your step computes.

# %%
one, two = two_orders(many.cache().shuffle(100))
pipeline = numbers.map(decode).cache().shuffle(8).batch(4).prefetch(tf.data.AUTOTUNE)

print("another order:", one != two, "| runs:", runs_in_three_epochs(pipeline))

# %% tags=["claims"]
assert one != two and sorted(one) == sorted(two) == list(range(100))
assert len(runs) == 8 and cached_first == 3 * 8

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
# ## What if the data do not fit into memory?
#
# Here are 150 "images" of 4 MB each. They are made one after another, as files would be read, and without a cache
# memory holds few of them at a time. `psutil` tells how much memory this process has.


# %%
def image(number):
    return tf.fill([1_000_000], tf.cast(number, tf.float32))  # 4 MB


def megabytes_gained(dataset, epochs=2):
    before = psutil.Process().memory_info().rss
    for _ in range(epochs):
        dataset.reduce(0, lambda count, image: count + 1)
    return (psutil.Process().memory_info().rss - before) / 1e6


images = tf.data.Dataset.range(150).map(image)

# %% [markdown]
# > **Predict**
# >
# > Two epochs over these images, behind `cache()`, and behind `cache(filename)`. Which takes the memory of all
# > 150, about 600 MB?

# %%
predict("10.e", "")

# %%
folder = tempfile.TemporaryDirectory()
caches = {
    "no cache": images,
    "cache(filename)": images.cache(f"{folder.name}/images"),
    "cache()": images.cache(),
}
gained = {}
for name, cached in caches.items():
    print(f"{name}:", end=" ", flush=True)
    gained[name] = megabytes_gained(cached)
    print(f"{'more' if gained[name] > 300 else 'less'} than 300 MB")

# %% [markdown]
# So count before you cache: elements times the size of one, as it comes into the cache. A `float32` takes four bytes
# where a pixel of the file has one: cache the bytes, and convert behind the cache.
#
# The file of `cache(filename)` also serves the next pipeline that names it. That is the danger: it knows nothing of
# `decode`. When `decode` changes, delete all files that begin with this name.
#
# Read the first epoch to its end: until its last element has passed, a cache keeps nothing. (A crash leaves a
# `.lockfile` beside those of `cache(filename)`: delete it.)

# %%
path = f"{folder.name}/decoded"
on_disk = runs_in_three_epochs(numbers.map(decode).cache(path))
changed = numbers.map(lambda number: 10 * decode(number)).cache(path)
once_more = runs_in_three_epochs(changed)
old = [int(number) for number in changed]

print("runs:", on_disk, "and then", once_more, "| elements:", old)
runs.clear()
early = numbers.map(decode).cache()
epochs = [list(early.take(3)), list(early), list(early)]

# %% tags=["claims"]
assert len(runs) == 3 + 8  # nothing was kept of the first
assert (on_disk, once_more) == (8, 0) and old == list(range(0, 16, 2))
assert len(tf.io.gfile.glob(f"{path}*")) > 1  # an index, and the data
assert gained["cache()"] > 300 > max(gained["no cache"], gained["cache(filename)"])

# %% [markdown]
# A loop in a graph runs over a dataset as it runs over `tf.range` (lesson 05), so that the epoch is one call again. A
# dataset leaves the length of its batches open, so there is one trace. The weights are those of `train_epoch`, on the
# same batches:

# %%
def make_dataset_epoch(model, optimizer):
    optimizer.build(model.trainable_variables)
    step = make_step(model, optimizer)

    @tf.function
    def train_dataset(dataset):
        for x, y in dataset:
            step(x, y)

    return train_dataset


# %%
streamed, indexed = new_model(), new_model()
train_dataset = make_dataset_epoch(streamed, keras.optimizers.Adam(1e-3))
train_indices = make_train_epoch(indexed, keras.optimizers.Adam(1e-3))
for _ in range(2):
    train_dataset(tf.data.Dataset.from_tensor_slices((inputs, labels)).batch(32))
    train_indices(tf.range(500))

print("equal weights:", bool(largest_difference(streamed, indexed) < 1e-5))

# %% tags=["claims"]
assert largest_difference(streamed, indexed) < 1e-5
assert np.max(np.abs(streamed.layers[0].kernel - new_model().layers[0].kernel)) > 1e-2
assert train_dataset.experimental_get_tracing_count() == 1

# %% [markdown]
# XLA and 16-bit numbers, which can also gain time, are not for this lesson. XLA is a second compiler, for graphs. On
# a GPU `compile` may turn it on by itself, so the comparison above says `jit_compile=False`.

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open it.
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
# <details><summary>3. 60,000 images of 28 by 28 bytes, cached as <code>float32</code>: how much memory is
# that?</summary>
#
# 60,000 · 784 · 4 bytes, 188 MB. As bytes, behind which the conversion stands, 47 MB.
#
# </details>

# %% [markdown]
# ## Recap
#
# - A slow loop asks Python often: for each operation, for each step, or once an epoch.
# - Build the optimizer, leave the batch axis open, pass numbers as tensors of one dtype: one trace.
# - An epoch is one graph over tensors; the order goes in, and `tf.gather` picks the batches.
# - Map, cache, shuffle, batch, prefetch: what is random comes after the cache; shuffle examples, not batches.
# - `cache()` takes the memory of all elements, `cache(filename)` files, which you delete when the code changes.
#
# ```python
# for first in tf.range(0, tf.size(order), batch_size):
#     batch = order[first : first + batch_size]
#     step(tf.gather(inputs, batch), tf.gather(labels, batch))
# ```
#
# **To remember**: ask Python once an epoch, and compute in the pipeline once what does not change.

# %% [markdown]
# ## Further reading
#
# - TensorFlow's guide *Better performance with the tf.data API*: each part of a pipeline on a time line.
# - TensorFlow's guide *Better performance with tf.function*: what is traced, and when anew.
#
# Your loop also reaches what `fit` hides: [11 · Per-layer
# clipping](11_per_layer_clipping.ipynb) changes gradients layer by layer.

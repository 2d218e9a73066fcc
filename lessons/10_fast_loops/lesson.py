# %% [markdown] part="Part II: training loops"
# # 10 · Fast loops
#
# You give up `fit`, write your own training step, put `@tf.function` above it, and training gets slower. When you count
# how often TensorFlow builds a graph of the step, you find that it does so at every call: the learning rate is a Python
# number that changes, and each new value needs a new graph. In this lesson you learn to find slowdowns like this one,
# and you end up with a loop that is faster than `fit`.
#
# **You will learn to**
#
# - count how often your step is traced, and get it down to one trace;
# - run a whole epoch in one call, and test that it trains the model just as `fit` does;
# - measure which part of a loop takes the time.
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
# The next two cells define a model with dropout, batch normalization, and a penalty, and the training step from lesson
# 09. You will train this model in four ways and time each of them at the end.

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


# %% [markdown]
# In eager mode, Python starts the operations of the step one after another. To see how many there are, let TensorFlow
# build the graph of the step, and count the operations in it:

# %%
model, optimizer = new_model(), keras.optimizers.Adam(1e-3)
optimizer.build(model.trainable_variables)
eager_step = make_step(model, optimizer)
graph = tf.function(eager_step).get_concrete_function(inputs[:32], labels[:32]).graph

print("more than", len(graph.get_operations()) // 100 * 100, "operations")

# %% tags=["claims"]
assert len(graph.get_operations()) > 200

# %% [markdown]
# So Python has to start hundreds of operations in every eager step. Once it is compiled with `tf.function`, the same
# step is a *single* call, and TensorFlow runs the whole graph without Python. This matters most in a small model, where
# more time goes into the gaps between operations than into the operations themselves.
#
# ## How often is my step traced?
#
# Compiling pays off only if it happens once. As you saw in lesson 05, Python runs your function once to build a graph,
# which is called tracing, and later calls reuse that graph. They can do so, however, only if their arguments match
# those of the earlier call: tensors must have the same shape and dtype, and Python numbers must have the same *value*.
# Any other call costs a new trace.
#
# You can count the traces by calling the method `experimental_get_tracing_count()` of the compiled function, which
# tells you how many there have been so far.
#
# > **Predict**
# >
# > You compile the step and train for one epoch with a new Adam optimizer, on 500 examples in batches of 32. How many
# > traces are there after the first batch, and how many at the end?

# %%
predict("10.a", "")


# %%
def traces_after_each_batch(step):
    counts = []
    for first in range(0, 500, 32):
        step(inputs[first : first + 32], labels[first : first + 32])
        counts.append(step.experimental_get_tracing_count())
    return counts


new_step = tf.function(make_step(new_model(), keras.optimizers.Adam(1e-3)))
counts = traces_after_each_batch(new_step)

print("traces after each batch:", *counts)

# %% tags=["claims"]
assert counts == [2] * 15 + [3]

# %% [markdown]
# One trace would be enough, but here there are three:
#
# | batch | traces | what is new |
# |---|---|---|
# | 1 | 2 | Adam creates its variables, and a `tf.function` that creates variables is traced twice |
# | 2 to 15 | 2 | nothing |
# | 16 | 3 | the shape: only 20 examples are left |
#
# There is a fix for each of the two extra traces. For the first, build the optimizer before the first step, so that its
# variables already exist; for `eager_step`, you did this in the cell that counts the operations. For the second, give
# the function an `input_signature` with `None` as the batch size, so that a short last batch needs no new trace:

# %%
built_first = traces_after_each_batch(tf.function(eager_step))
signature = [tf.TensorSpec([None, 20], tf.float32), tf.TensorSpec([None], tf.int32)]
any_size = traces_after_each_batch(tf.function(eager_step, input_signature=signature))

print("optimizer built:    ", *built_first)
print("and any batch size: ", *any_size)

# %% tags=["claims"]
assert built_first == [1] * 15 + [2] and any_size == [1] * 16
doubled = tf.function(lambda x: 2 * x)
for array in (np.zeros(3), np.zeros(3, np.float32), np.ones(3)):
    doubled(array)
assert doubled.experimental_get_tracing_count() == 2

# %% [markdown]
# If the count grows with every step, you pay for compiling each time and gain nothing. In that case, look for a Python
# number that changes or a `tf.function` that is created inside the loop. A change of dtype causes a new trace, too, and
# can easily go unnoticed, because NumPy's floats are `float64` unless you convert them.
#
# ### Exercise 10.1: predict
#
# A single function both trains and validates, and a flag tells it which of the two to do. There are 1,000 examples for
# training and 200 for validation. How many traces of `run` do these loops cause?
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
#         run(held_out[first : first + 64], held_out_labels[first : first + 64], False)
# ```

# %% exercise="10.1"
# An integer: the number of traces in five epochs.
### BEGIN SOLUTION
traces_in_five_epochs = 4
### END SOLUTION

# %%
check("10.1", traces_in_five_epochs)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# For a tensor, shape and dtype matter. What matters for a Python value such as `True`?
#
# </details>
# <details><summary>Hint 2</summary>
#
# 1,000 is 15 · 64 + 40, and 200 is 3 · 64 + 8. How many different pairs of batch size and flag are there?
#
# </details>
#
# This cell calls a much simpler function with the same batch sizes and flags, and counts the traces:

# %%
short_run = tf.function(lambda x, training: tf.reduce_sum(x))
for _ in range(5):
    for count, training in [(1000, True), (200, False)]:
        for first in range(0, count, 64):
            short_run(tf.zeros(count)[first : first + 64], training)

print("traces:", short_run.experimental_get_tracing_count())

# %% tags=["claims"]
# Exercise 10.1
assert short_run.experimental_get_tracing_count() == 4

# %% [markdown]
# ### Exercise 10.2: repair
#
# Here is the slowdown from the start of the lesson. `step(x, y, rate)` takes one step of gradient descent and returns a
# pair: the loss and the number of times that Python has run the step so far. `train` should return a list of these
# pairs, one for each learning rate. The losses are right, but the counts rise from call to call. Repair the two bugs in
# `train`, so that a single `tf.function` with a single trace serves all learning rates and every count is 1.


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
# A new `tf.function` has no graph yet. How often does this loop create one?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Create the `tf.function` once, above the loop. This alone is not enough, because `rate` is still a Python number and
# each new *value* costs a trace. So pass `rate` as a tensor.
#
# </details>

# %% [markdown]
# ## How do I run an epoch in one call?
#
# Even a compiled step returns to Python after every batch. To avoid this, put the loop over the batches into the graph
# as well, so that Python makes only one call per epoch.
#
# The data stay where they are. For each epoch, you pass in only a shuffled *order*, which is a list of row numbers, and
# `tf.gather` fetches the rows of each batch. Here is how this works for six letters in batches of two:

# %%
letters = tf.constant(["a", "b", "c", "d", "e", "f"])
order = [3, 0, 5, 1, 4, 2]

for first in range(0, 6, 2):
    batch = order[first : first + 2]
    print(batch, tf.gather(letters, batch).numpy())

# %% tags=["claims"]
assert [letters.numpy()[i] for i in order] == [b"d", b"a", b"f", b"b", b"e", b"c"]

# %% [markdown]
# The function `train_epoch` does the same with the rows of `x` and `y`, and takes a step for each batch. Because the
# loop runs over a `tf.range`, it becomes part of the graph. At the end, the function returns the mean loss, with each
# batch weighted by its size:


# %%
def make_train_epoch(model, optimizer, x, y, batch_size=32):
    optimizer.build(model.trainable_variables)

    @tf.function
    def train_epoch(order):
        loss_sum = 0.0
        for first in tf.range(0, tf.size(order), batch_size):
            rows = order[first : first + batch_size]
            x_batch, y_batch = tf.gather(x, rows), tf.gather(y, rows)
            with tf.GradientTape() as tape:
                loss = loss_fn(y_batch, model(x_batch, training=True)) + sum(model.losses)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply(gradients, model.trainable_variables)
            loss_sum += loss * tf.cast(tf.size(rows), tf.float32)
        return loss_sum / tf.cast(tf.size(order), tf.float32)

    return train_epoch


# %% [markdown]
# Does this loop still train the model the way `fit` does? To find out, give both the same initial weights, the same
# dropout seed, and the same order of examples. Also set `jit_compile=False`, because `fit` might otherwise use another
# compiler, which would draw different random numbers. Note that the order is shuffled outside `train_epoch`. If you
# shuffled with NumPy inside it, the shuffle would run only during tracing, and every epoch would have the same order.

# %%
ours, theirs = new_model(), new_model()
train_epoch = make_train_epoch(ours, keras.optimizers.Adam(1e-3), inputs, labels)
theirs.compile(keras.optimizers.Adam(1e-3), loss_fn, jit_compile=False)

for _ in range(3):
    order = np.random.permutation(500)
    loss = train_epoch(tf.constant(order))
    x, y = inputs.numpy()[order], labels.numpy()[order]
    history = theirs.fit(x, y, batch_size=32, shuffle=False, verbose=0)


def largest_difference(model, other):
    pairs = zip(model.get_weights(), other.get_weights(), strict=True)
    return max(np.max(np.abs(a - b)) for a, b in pairs)


# %%
print("weights equal within 1e-5:", bool(largest_difference(ours, theirs) < 1e-5))
print("moved by more than 0.01:  ", bool(largest_difference(ours, new_model()) > 0.01))
print("traces:", train_epoch.experimental_get_tracing_count())

# %% tags=["claims"]
assert largest_difference(ours, theirs) < 1e-5 and abs(loss - history.history["loss"][0]) < 1e-4
assert np.max(np.abs(ours.layers[0].kernel - new_model().layers[0].kernel)) > 1e-2
assert train_epoch.experimental_get_tracing_count() == 1

# %% [markdown]
# After three epochs, the weights of both models have changed, and they agree. There is only one trace, although the
# last batch is short: because `first` is a tensor here, the graph leaves the batch size open.
#
# ### Exercise 10.3: complete
#
# Write an epoch of gradient descent for a linear model, with the loop in the graph. `w` is a variable of shape (d,),
# and `x` and `y` have the shapes (n, d) and (n,). `order` is an integer tensor of shape (m,) that holds the numbers of
# the rows to use, each of them once. Go through these rows in batches of `batch_size`; the last batch may be shorter.
# For each batch, compute the gradient of its mean squared error with respect to `w`, and subtract `rate` times this
# gradient from `w`. At the end, return `w`.


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
# Use the loop of `train_epoch`, in a `tf.function` that you define and call inside `linear_epoch`. The prediction is
# `tf.linalg.matvec(x, w)`.
#
# </details>
# <details><summary>Hint 2</summary>
#
# In the loop, take a slice of `order`, gather these rows of `x` and `y`, and compute the loss inside the tape's `with`
# block. Below that block, compute the gradient and call `w.assign_sub(rate * gradient)`.
#
# </details>

# %% [markdown]
# ## What does each way cost?
#
# Now time the four ways of training: the eager step, `fit`, the compiled step, and the compiled epoch, each for three
# epochs. Only the fastest of several runs counts, because anything else that the computer is doing can only slow a run
# down.


# %%
def batch_by_batch(step):
    for _ in range(3):
        for first in range(0, 500, 32):
            loss = step(inputs[first : first + 32], labels[first : first + 32])
    return float(loss)  # waits for the last step


compiled_step, order = tf.function(eager_step), tf.range(500)
runs = {
    "eager step": lambda: batch_by_batch(eager_step),
    "fit": lambda: theirs.fit(x, y, batch_size=32, epochs=3, verbose=0),
    "compiled step": lambda: batch_by_batch(compiled_step),
    "compiled epoch": lambda: float([train_epoch(order) for _ in range(3)][-1]),
}

# %%
seconds = {}
for name, run in runs.items():
    print("timing:", name)
    repeats = 1 if name == "eager step" else 5  # it is slow
    seconds[name] = min(timeit.repeat(run, number=1, repeat=repeats))

# %% [markdown]
# The figure shows each time as a multiple of the time that `fit` takes, on a logarithmic axis. Look at how far the end
# of each bar is from the line at 1:

# %%
ratios = [value / seconds["fit"] for value in seconds.values()]

fig, ax = plt.subplots(figsize=(6.4, 2.4))
bars = ax.barh(list(seconds), ratios)
texts = ax.bar_label(bars, [f"{ratio:.2g}" for ratio in ratios], padding=4)
line = ax.axvline(1, color="C6", linewidth=1, zorder=0)
limits = ax.set(xscale="log", xlim=(min(ratios) / 2, max(ratios) * 3))
label = ax.set_xlabel("time, as a multiple of fit")
ax.invert_yaxis()

# %% tags=["claims"]
assert seconds["eager step"] > seconds["fit"] > max(list(seconds.values())[2:])

# %% [markdown]
# The eager step takes the longest, because Python has to start hundreds of operations for each batch. The compiled step
# and the compiled epoch are both faster than `fit`, which also compiles its step but, in addition, starts a data
# pipeline in every epoch and runs callbacks and metrics around each step.
#
# The model and the data are small here, so nearly all of the time is overhead. With more batches per epoch or a larger
# model, you gain less, and you can also make `fit` itself faster with `compile(steps_per_execution=50)`. So measure
# your own training before you rewrite it.

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open the answer.
#
# <details><summary>1. All batches have the same shape, yet your step is traced again in every epoch. What do you look for?</summary>
#
# A Python number among the arguments that changes, or a `tf.function` that is created inside the loop.
#
# </details>
# <details><summary>2. You shuffle with NumPy inside the compiled epoch. What happens?</summary>
#
# NumPy runs only while tracing. The order becomes a constant of the graph, and every epoch uses the same one.
#
# </details>
# <details><summary>3. Your model takes 200 ms per batch on its hardware. Is a compiled epoch worth it?</summary>
#
# Hardly. Compile the step, and the work that Python does between two batches takes a few milliseconds at most, which is
# little next to 200 ms.
#
# </details>

# %% [markdown]
# ## Recap
#
# - Count the traces of your step: there should be one.
# - Build the optimizer first, leave the batch size open, and pass changing numbers as tensors.
# - Put the loop over the batches into the graph. Shuffle outside it, and pass the order in.
# - Test a new loop against `fit`, with the same weights, order and seeds.
#
# ```python
# for first in tf.range(0, tf.size(order), batch_size):
#     rows = order[first : first + batch_size]
#     step(tf.gather(x, rows), tf.gather(y, rows))
# ```
#
# **To remember**: trace once, and call once per epoch.

# %% [markdown]
# ## Going deeper
#
# Data that need preparation, or do not fit into memory: the order of a `tf.data` pipeline, caches, and an epoch over a
# dataset.

# %% [markdown]
# ### In which order do the parts of a data pipeline go?
#
# If your data must be decoded first, or do not fit into memory, read them through `tf.data`. A dataset is a chain in
# which each part feeds the next one, element by element. `from_tensor_slices` makes a dataset with one element per
# example. Nearly every chain has these two parts:
#
# - `batch(n)` joins n elements into one. The last batch may be shorter.
# - `shuffle(k)` mixes the elements with a buffer of k places.
#
# The buffer works like this: it first fills with k elements. Then it draws one of them at random, passes it on, and
# puts the next element in its place. Here are six numbers and a buffer of three:

# %%
rng, waiting = np.random.default_rng(5), list(range(3, 6))
buffer = [0, 1, 2]
while buffer:
    place = rng.integers(len(buffer))
    drawn = buffer.pop(place)
    print(f"drawn: {drawn}   left in the buffer: {buffer}")
    buffer += waiting[:1]
    del waiting[:1]

# %% [markdown]
# > **Predict**
# >
# > The numbers 0 to 5 go through `batch(2).shuffle(3)`. Can 0 and 5 be in one batch?

# %%
predict("10.b", "")

# %%
numbers = tf.data.Dataset.range(6)
shuffled_last = numbers.batch(2).shuffle(3, seed=4)
shuffled_first = numbers.shuffle(6, seed=2).batch(2)

print("batch, shuffle:", [batch.tolist() for batch in shuffled_last.as_numpy_iterator()])
print("shuffle, batch:", [batch.tolist() for batch in shuffled_first.as_numpy_iterator()])

# %% tags=["claims"]
late = {tuple(b) for _ in range(20) for b in shuffled_last.as_numpy_iterator()}
early = {tuple(b) for _ in range(20) for b in shuffled_first.as_numpy_iterator()}
assert late == {(0, 1), (2, 3), (4, 5)} and len(early) > 10

# %% [markdown]
# No: `shuffle` moves elements, and after `batch(2)` an element is a whole batch. 0 and 1 stay together forever. Shuffle
# examples, then make batches.
#
# The size of the buffer also matters. With a small buffer, sorted data stay nearly sorted. With `shuffle(5)`, the
# number 50 cannot appear before place 46 (counted from 0), because it enters the buffer only after 46 draws:

# %%
hundred = tf.data.Dataset.range(100)
for size in (5, 100):
    epochs = [list(hundred.shuffle(size).as_numpy_iterator()) for _ in range(30)]
    earliest = min(numbers.index(50) for numbers in epochs)
    print(f"buffer of {size}: before place 46 in any of 30 epochs: {earliest < 46}")

# %% tags=["claims"]
assert all(
    max(int(n) - place for place, n in enumerate(hundred.shuffle(5))) < 5 for _ in range(20)
)

# %% [markdown]
# Choose a buffer as large as the data, if memory allows it.
#
# `cache()` keeps the elements that it receives, so every part of the chain before it runs only once. In the next
# cells `decode` stands for slow work on one element, such as reading an image. It counts its runs:

# %%
eight, runs = tf.data.Dataset.range(8), []


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
# > How often does `decode` run in three epochs over `eight.cache().map(decode)`?

# %%
predict("10.c", "")

# %%
print("cache, map:       ", runs_in_three_epochs(eight.cache().map(decode)))
print("map, cache:       ", runs_in_three_epochs(eight.map(decode).cache()))
print("batch, map, cache:", runs_in_three_epochs(eight.batch(4).map(decode).cache()))

# %% tags=["claims"]
assert runs_in_three_epochs(eight.cache().map(decode)) == 24
assert runs_in_three_epochs(eight.map(decode).cache()) == 8
assert runs_in_three_epochs(eight.batch(4).map(decode).cache()) == 2

# %% [markdown]
# 24, which is 8 numbers in 3 epochs: a cache stores what comes before it, and here that is the raw numbers. After the
# `map`, it stores the results. If `decode` can take arrays, batch before it, and it runs once per batch. Then call
# `unbatch()` before you shuffle.
#
# > **Predict**
# >
# > `shuffle(100)` draws a new order for each epoch. Is the second epoch of `hundred.shuffle(100).cache()` in a
# > different order from the first?

# %%
predict("10.d", "")


# %%
def two_orders(dataset):
    return [[int(number) for number in dataset] for _ in range(2)]


first, second = two_orders(hundred.shuffle(100).cache())
print("shuffle, cache: a new order:", first != second)

first, second = two_orders(hundred.cache().shuffle(100))
print("cache, shuffle: a new order:", first != second)

# %% tags=["claims"]
assert first != second and sorted(first) == sorted(second) == list(range(100))
repeated, again = two_orders(hundred.shuffle(100).cache())
assert repeated == again
pipeline = eight.map(decode).cache().shuffle(8).batch(4).prefetch(tf.data.AUTOTUNE)
assert runs_in_three_epochs(pipeline) == 8

# %% [markdown]
# It is not: the cache keeps the first order and repeats it. So work that should be done only once goes before the
# cache. Everything that should be random in each epoch goes after it. The last part is `prefetch`, which prepares the
# next batches while your step computes:
#
# ```python
# dataset.map(decode).cache().shuffle(n).batch(32).prefetch(tf.data.AUTOTUNE)
# ```
#
# ### Exercise 10.4: repair
#
# This function should return two epochs. Each is a list of batches that holds *all* n numbers in a new random order, and
# `decode` should run only in the first epoch. The pipeline has three bugs: it shuffles whole batches (in a
# buffer of 10), repeats the order, and runs `decode` in both epochs.


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
# What should the cache keep? What should be shuffled: numbers, or batches?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Map, cache, shuffle, batch. And the buffer must hold all n numbers.
#
# </details>

# %% [markdown]
# ### What if the data do not fit into memory?
#
# Here are 150 "images" of 4 MB each. They are made one at a time, as files would be read. `psutil` tells you how much
# memory this process uses.


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
# > Read these images for two epochs through `cache()`, and for two epochs through `cache(filename)`. Which of the two
# > needs enough memory for all 150 images, about 600 MB?

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

# %% tags=["claims"]
assert gained["cache()"] > 300 > max(gained["no cache"], gained["cache(filename)"])

# %% [markdown]
# `cache()` keeps every element in memory, and `cache(filename)` writes them to the disk. So compute the size before you
# cache: the number of elements times the bytes of one. A `float32` takes four bytes, but a pixel in the file often takes
# one. Cache the bytes, and convert after the cache.
#
# A cache file also serves the next pipeline that uses the same name, even if `decode` has changed since:

# %%
path = f"{folder.name}/decoded"
print("runs:", runs_in_three_epochs(eight.map(decode).cache(path)))

changed = eight.map(lambda number: 10 * decode(number)).cache(path)
print("runs:", runs_in_three_epochs(changed), [int(number) for number in changed])

# %% tags=["claims"]
assert runs_in_three_epochs(changed) == 0
assert [int(number) for number in changed] == list(range(0, 16, 2))
assert len(tf.io.gfile.glob(f"{path}*")) > 1  # an index, and the data
runs.clear()
started = eight.map(decode).cache()
epochs = [list(started.take(3)), list(started), list(started)]
assert len(runs) == 3 + 8  # nothing was kept of the first

# %% [markdown]
# The changed pipeline should return 0, 20, 40 and so on, but it returns the old elements and never calls `decode`.
# When `decode` changes, delete every file whose name begins with the name that you passed to `cache`.
#
# A cache needs a complete first epoch. If you stop before its last element, the cache has kept nothing. After a
# crash, also delete the `.lockfile` that is next to the files of `cache(filename)`.

# %% [markdown]
# ### How do I train on a dataset in one call?
#
# A graph can loop over a dataset as it loops over `tf.range` (lesson 05). So the epoch is one call again, even for
# data that do not fit into memory:


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
train_indices = make_train_epoch(indexed, keras.optimizers.Adam(1e-3), inputs, labels)

for _ in range(2):
    train_dataset(tf.data.Dataset.from_tensor_slices((inputs, labels)).batch(32))
    train_indices(tf.range(500))

print("weights equal within 1e-5:", bool(largest_difference(streamed, indexed) < 1e-5))
print("traces:", train_dataset.experimental_get_tracing_count())

# %% tags=["claims"]
assert largest_difference(streamed, indexed) < 1e-5
assert largest_difference(streamed, new_model()) > 1e-2
assert train_dataset.experimental_get_tracing_count() == 1

# %% [markdown]
# With the same batches, you get the same weights as with `train_epoch`. A dataset leaves the length of its batches
# open, so there is one trace.

# %% [markdown]
# ## Further reading
#
# - TensorFlow's guide *Better performance with the tf.data API*: each part of a pipeline on a time line.
# - TensorFlow's guide *Better performance with tf.function*: what gets traced, and when it is traced again.
#
# Your loop can also do what `fit` hides: [11 · Per-layer
# clipping](11_per_layer_clipping.ipynb) changes gradients layer by layer.

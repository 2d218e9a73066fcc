# %% [markdown] part="Part II: training loops" goal="a training step"
# # 09 · A training step
#
# You replace `fit` with your own loop. Nothing raises an error, but the model comes out a little worse than the one
# `fit` gave you. A training step has only a few parts, and you can leave out most of them without noticing. In this
# lesson you write a step that ends with the same weights as `fit`, and learn to find a missing part.
#
# **You will learn to**
#
# - write a complete training step for a Keras model;
# - prove that it does what `fit` does;
# - find mistakes that raise no error, and validate on held-out examples.
#
# **Before you start**: [08 · Regression](08_regression.ipynb). **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import (
    check,
    make_classification,
    make_line,
    plot_history,
    predict,
    start_lesson,
)

start_lesson("09")

import warnings

import keras
import numpy as np
import tensorflow as tf
from keras import layers

# %% [markdown]
# ## What does Keras do for you?
#
# To fit a line from scratch, as in lesson 08, you need two variables, a formula, and an update. Keras supplies all
# three. What you write is the step that ties them together for each batch, which is what `fit` normally does.
#
# A Keras **layer** holds variables and computes with them. `Dense(1)` computes `x @ kernel + bias`, so its kernel and
# bias are your w and b. A **model** is made of layers. You can write a model as a class whose `__init__` creates the
# layers, and whose `call` passes the input through them.

# %%
class Line(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = layers.Dense(1)

    def call(self, x):
        return self.dense(x)  # (n, 1)


# %% [markdown]
# `model.trainable_variables` lists every variable that training should change. It is what you pass to `tape.gradient`.
#
# > **Predict**
# >
# > How many variables are in that list right after `model = Line()`?

# %%
predict("09.a", "")

# %%
# (200, 1) each
x, y = make_line(slope=2.0, intercept=-1.0, noise=0.2, seed=9)

model = Line()
print("at first:", len(model.trainable_variables))

y_hat = model(x)
print("after a call:", [variable.path for variable in model.trainable_variables])

# %% [markdown]
# The list starts out empty. The layer creates its variables on the first call, when it sees how many inputs it has.
#
# An **optimizer** carries out the update. You pass it the gradients and the variables, in matching order. `SGD` is
# plain gradient descent, and does the same as your `assign_sub`:

# %%
variables = model.trainable_variables

with tf.GradientTape() as tape:
    loss = tf.reduce_mean((model(x) - y) ** 2)

gradients = tape.gradient(loss, variables)
by_hand = variables[0].numpy() - 0.1 * gradients[0].numpy()

keras.optimizers.SGD(0.1).apply(gradients, variables)

print("difference from the update by hand:", np.abs(variables[0].numpy() - by_hand).max().round(6))

# %% tags=["claims"]
assert len(Line().trainable_variables) == 0 and len(variables) == 2
assert np.allclose(variables[0].numpy(), by_hand, atol=1e-6)

# %% [markdown]
# ## What does a complete step look like?
#
# The next task is harder: 20 features per example, and 5 classes. Each step uses one **batch** of 32 examples, and one
# pass through all the batches is an **epoch**. Here the batches stay in a fixed order, so that two runs can be
# compared. (In real training, shuffle them in every epoch. Lesson 10 does, and makes the step fast.)

# %%
# (700, 20), (700,): classes 0 to 4
x_all, y_all = make_classification(700, seed=9)
x_train, y_train = x_all[:500], y_all[:500]
x_held, y_held = x_all[500:], y_all[500:]  # held out, for validation


def in_batches(x, y):
    return [(x[first : first + 32], y[first : first + 32]) for first in range(0, len(x), 32)]

# %%
def build_model():
    """Return the model, with the same initial weights at every call."""
    keras.utils.set_random_seed(9)
    return keras.Sequential(
        [
            keras.Input((20,)),
            layers.Dense(64, activation="relu", kernel_regularizer=keras.regularizers.L2(0.01)),
            layers.BatchNormalization(momentum=0.9),
            layers.Dropout(0.2, seed=9),
            layers.Dense(5),
        ]
    )


# %% [markdown]
# Here is the whole step. Three parts of it are new, and the next section explains them: `from_logits=True`, because the
# model returns raw scores; `training=True`, which turns on dropout; and `sum(model.losses)`, the L2 penalty.

# %%
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def train_step(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        logits = model(x, training=True)  # (n, 5)
        loss = loss_fn(y, logits) + sum(model.losses)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply(gradients, model.trainable_variables)
    return loss

# %% [markdown]
# `train` takes this step for every batch, for three epochs:

# %%
def train(step, epochs=3):
    """Train a new model, and return it."""
    model, optimizer = build_model(), keras.optimizers.Adam(1e-3)
    for _ in range(epochs):
        for x, y in in_batches(x_train, y_train):
            step(model, optimizer, x, y)
    return model


# %% [markdown]
# Is the step correct? There is a strict test: with the same initial weights, the same batches and the same random
# seeds, your loop must reach the same weights as `fit`. (`jit_compile=False` turns off the XLA compiler in `fit`,
# because compiled dropout draws other random numbers.)

# %%
def largest_difference(model, other):
    pairs = zip(model.trainable_variables, other.trainable_variables, strict=True)
    return max(np.max(np.abs(a.numpy() - b.numpy())) for a, b in pairs)


ours, theirs = train(train_step), build_model()
theirs.compile(keras.optimizers.Adam(1e-3), loss_fn, metrics=["accuracy"], jit_compile=False)
history = theirs.fit(x_train, y_train, batch_size=32, epochs=3, shuffle=False, verbose=0).history

print(f"after training, a weight has moved by up to {largest_difference(ours, build_model()):.2f}")
print(f"your loop and fit differ by at most {largest_difference(ours, theirs):.4f}")

# %% tags=["claims"]
assert largest_difference(ours, theirs) < 1e-4 and largest_difference(ours, build_model()) > 0.02
pairs = zip(ours.get_weights(), theirs.get_weights(), strict=True)  # the running averages as well
assert all(np.allclose(a, b, atol=1e-4) for a, b in pairs)

# %% [markdown]
# After three epochs, or 48 steps, the weights differ only by rounding. From now on, this test tells you whether
# a part is missing: a correct step differs by less than 0.0001. One mistake that it cannot catch is a wrong loss
# function, because both runs share `loss_fn`.

# %% [markdown]
# ## What does each part do?
#
# Three parts are easy to forget, because the step runs without them.
#
# ### `from_logits=True`
#
# The model returns 5 **logits** for each example, which are scores of any size. **Softmax** turns them into
# probabilities, and the loss, called **cross-entropy**, is the negative logarithm of the probability of the correct
# class. By default, Keras's loss expects probabilities. If the model returns logits, pass `from_logits=True`.
#
# > **Predict**
# >
# > You pass logits to the loss, but forget `from_logits=True`. What happens?

# %%
predict("09.b", "")

# %%
logits, right_class = tf.constant([[2.0, 1.0, -1.0]]), tf.constant([0])
probability = tf.nn.softmax(logits)[0, 0]
with_option = keras.losses.SparseCategoricalCrossentropy(from_logits=True)(right_class, logits)
without = keras.losses.SparseCategoricalCrossentropy()(right_class, logits)

print(f"by hand {-np.log(probability):.3f}, with the option {with_option:.3f}, without {without:.3f}")

# %% tags=["claims"]
assert np.isclose(with_option, -np.log(probability)) and abs(without - with_option) > 0.3

# %% [markdown]
# No error warns you. Keras takes the logits 2, 1 and -1 for probabilities and clips them to the range from 0 to 1. Then
# the first two classes tie, and -log ½ is 0.693.
#
# ### `sum(model.losses)`
#
# A **regularizer** adds a penalty for large weights, which discourages the network from memorizing the training
# examples. Here `L2(0.01)` is 0.01 times the sum of the squared entries of the layer's kernel. Keras computes such
# penalties and collects them in `model.losses`. `fit` adds them to the loss for you; in your own step, you must.
#
# ### `training=True`
#
# Some layers behave differently in training than at inference, when the trained model is used. In training,
# `Dropout(0.2)` sets about a fifth of its inputs to 0 and scales up the rest. At inference, it does nothing. Batch
# normalization uses the mean and variance of the current batch in training, and running averages of both at inference.
#
# > **Predict**
# >
# > `Dropout(0.2)` is called on 1,000 ones inside a tape's block, as `dropout(ones)`. How many become 0?

# %%
predict("09.c", "")

# %%
ones, dropout = tf.ones((1, 1000)), layers.Dropout(0.2)

with tf.GradientTape() as tape:
    dropped = dropout(ones)

print("zeros:", int(tf.math.count_nonzero(dropped == 0)))
in_training = dropout(ones, training=True)
share = float(tf.reduce_mean(tf.cast(in_training == 0, tf.float32)))
print(f"with training=True: {share:.0%} are 0")

# %% tags=["claims"]
assert not np.any(dropped == 0) and set(in_training.numpy().ravel()) == {0.0, 1.25}
norm = layers.BatchNormalization()
column = tf.constant([[1.0], [3.0]])
assert np.allclose(norm(column), [[1], [3]], atol=0.01) and norm.moving_mean == 0.0
assert np.allclose(norm(column, training=True), [[-1], [1]], atol=0.01) and norm.moving_mean > 0.0
model = build_model()
with tf.GradientTape() as tape:
    (penalty,) = model.losses
kernel = model.layers[0].kernel
assert np.isclose(penalty, 0.01 * np.sum(kernel.numpy() ** 2))
assert np.allclose(tape.gradient(penalty, kernel), 0.02 * kernel.numpy())

# %% [markdown]
# A tape does not switch layers to training mode. Unless you pass `training=True`, dropout does nothing.
#
# Does the comparison with `fit` catch a missing `training=True`, or missing penalties? Leave out one at a time:

# %%
def make_step(training, penalties):
    def step(model, optimizer, x, y):
        with tf.GradientTape() as tape:
            loss = loss_fn(y, model(x, training=training)) + penalties * sum(model.losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)

    return step


differences = {}
for name, step in [("training=True", make_step(None, 1)), ("model.losses", make_step(True, 0))]:
    differences[name] = largest_difference(train(step), theirs)
    print(f"without {name}: differs from fit by up to {differences[name]:.2f}")

# %% tags=["claims"]
assert min(differences.values()) > 1e-3
assert largest_difference(train(make_step(True, 1)), theirs) < 1e-4

# %% [markdown]
# Both are far above 0.0001, so the test catches both. The first, 0.04, is as large as the change that training itself
# made.
#
# ### Exercise 09.1: complete
#
# Write the step for a regression. `model` maps x of shape (n, 3) to predictions of shape (n, 1), and y has shape (n,
# 1). The loss is the mean squared error plus the model's penalties. Let `optimizer` apply one update, and return the
# loss. Write the step yourself, without Keras's `train_on_batch`.


# %% exercise="09.1"
def step_for_regression(model, optimizer, x, y):
    """Update the model once, and return the loss before the update."""
    ### BEGIN SOLUTION
    with tf.GradientTape() as tape:
        y_hat = model(x, training=True)
        loss = tf.reduce_mean((y_hat - y) ** 2) + sum(model.losses)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply(gradients, model.trainable_variables)
    return loss
    ### END SOLUTION


# %%
check("09.1", step_for_regression)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Only one line of `train_step` changes: the loss.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `tf.reduce_mean` of the squared differences, plus `sum(model.losses)`, inside the block.
#
# </details>

# %% [markdown]
# ## Which mistakes raise no error?
#
# A common one is a mismatch between the shapes of the predictions and the targets.
#
# ### Exercise 09.2: predict
#
# Both predictions are correct: `y_hat` is `[[1.0], [3.0]]`, shape (2, 1), and the targets `y` are `[1.0, 3.0]`, shape
# (2,). What is `tf.reduce_mean((y_hat - y) ** 2)`?

# %% exercise="09.2"
# One number: the loss.
### BEGIN SOLUTION
loss_of_right_predictions = 2.0
### END SOLUTION

# %%
check("09.2", loss_of_right_predictions)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Shapes are lined up from the right, so (2,) becomes (1, 2). What is the shape of (2, 1) minus (1, 2)?
#
# </details>
# <details><summary>Hint 2</summary>
#
# The difference is a table: each prediction minus each target. Two of its four entries are 0.
#
# </details>
#
# Run it:

# %%
y_hat, y = tf.constant([[1.0], [3.0]]), tf.constant([1.0, 3.0])

print((y_hat - y).numpy().tolist(), "loss", tf.reduce_mean((y_hat - y) ** 2).numpy())

# %% tags=["claims"]
assert (y_hat - y).shape == (2, 2) and np.isclose(tf.reduce_mean((y_hat - y) ** 2), 2.0)

# %% [markdown]
# Both predictions are correct, yet the loss is 2, because broadcasting compares every prediction with every target.
# Training still runs and the loss still falls, but the model learns the wrong thing: to predict the mean of all the
# targets. Make sure that both shapes are equal, or use Keras's loss, which treats (2, 1) and (2,) alike.
#
# A quieter mistake is a variable that the loss does not use. Its gradient is `None`. The optimizer warns and carries
# on; it raises an error only if *all* gradients are missing. So read the warnings in your log.
#
# ### Exercise 09.3: repair
#
# This step should do what `fit` does with a mean squared error. It runs, and its loss falls, but it has three bugs.
# The model begins with batch normalization and ends with a regularized layer. Fix the bugs in this code, without
# `train_on_batch`.


# %% exercise="09.3"
def silent_step(model, optimizer, x, y):
    # x: (n, 3), y: (n,), tensors; the model returns (n, 1).
    ### BEGIN SOLUTION
    #| with tf.GradientTape() as tape:
    #|     y_hat = model(x)
    #|     loss = tf.reduce_mean((y_hat - y) ** 2)
    #| gradients = tape.gradient(loss, model.trainable_variables)
    #| optimizer.apply(gradients, model.trainable_variables)
    #| return loss
    with tf.GradientTape() as tape:
        y_hat = model(x, training=True)[:, 0]
        loss = tf.reduce_mean((y_hat - y) ** 2) + sum(model.losses)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply(gradients, model.trainable_variables)
    return loss
    ### END SOLUTION


# %%
check("09.3", silent_step)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Compare the step with `train_step`, part by part. Then look at the shapes.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Pass `training=True`, take column 0 of the prediction, and add the penalties.
#
# </details>

# %% [markdown]
# ## How do I validate?
#
# **Validation** measures the model on examples that it never sees during training. It computes no gradients, so it
# needs no tape. Pass `training=False` explicitly, so that the reader need not know the default. A **metric**, such as
# `keras.metrics.Mean`, keeps a running result over batches until you reset it. The last batch is smaller than the
# others, so each batch's loss is weighted by its size:

# %%
mean_loss, accuracy = keras.metrics.Mean(), keras.metrics.SparseCategoricalAccuracy()


def validate(model):
    mean_loss.reset_state()
    accuracy.reset_state()
    for x, y in in_batches(x_held, y_held):
        logits = model(x, training=False)
        mean_loss.update_state(loss_fn(y, logits) + sum(model.losses), sample_weight=len(x))
        accuracy.update_state(y, logits)
    return [float(mean_loss.result()), float(accuracy.result())]


by_keras = theirs.evaluate(x_held, y_held, batch_size=32, verbose=0)

print("validate: loss {:.2f}, accuracy {:.2f}".format(*validate(ours)))
print("evaluate: loss {:.2f}, accuracy {:.2f}".format(*by_keras))

# %% tags=["claims"]
assert np.allclose(validate(ours), by_keras, rtol=1e-4)

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open the answer.
#
# <details><summary>1. Your loop and <code>fit</code> start with the same weights and end with different ones. What do you look for?</summary>
#
# A missing `training=True`, missing `model.losses`, and shapes that broadcast in your loss. Check also that both use
# the same batches and the same seed.
#
# </details>
# <details><summary>2. A model has only <code>Dense</code> layers without a regularizer. Which parts of the step can you leave out without any effect?</summary>
#
# `training=True` and `sum(model.losses)`. Write them anyway, because the next model may need them.
#
# </details>
# <details><summary>3. Why is each batch weighted by its size in <code>validate</code>?</summary>
#
# The last batch is smaller, so without the weights, its examples would count more than the others.
#
# </details>

# %% [markdown]
# ## Recap
#
# - Pass `training=True` in the step, and `training=False` in validation.
# - Add `sum(model.losses)` to the loss.
# - Pass `from_logits=True` if the model returns logits, and keep the shapes of predictions and targets equal.
# - Compare your step with `fit`, with the same initial weights, batches and seeds.
# - Reset metrics before each pass.
#
# ```python
# with tf.GradientTape() as tape:
#     loss = loss_fn(y, model(x, training=True)) + sum(model.losses)
# gradients = tape.gradient(loss, model.trainable_variables)
# optimizer.apply(gradients, model.trainable_variables)
# ```
#
# **To remember**: same start, same batches, same weights as `fit`.

# %% [markdown]
# ## Going deeper
#
# A fair training loss, batches that do not fit into memory, what Adam does, and what you will meet in other code.

# %% [markdown]
# ### How do I measure the training loss?
#
# > **Predict**
# >
# > Your first epoch gives 16 batch losses. Is their mean what `fit` reports for that epoch, to four digits?

# %%
predict("09.d", "")

# %%
model, optimizer = build_model(), keras.optimizers.Adam(1e-3)
batches = in_batches(x_train, y_train)

losses = [float(train_step(model, optimizer, x, y)) for x, y in batches]
sizes = [len(x) for x, y in batches]

print(f"mean of the batch losses {np.mean(losses):.4f}, fit {history['loss'][0]:.4f}")
print(f"weighted by size {np.average(losses, weights=sizes):.4f}")

# %% tags=["claims"]
assert sizes == [32] * 15 + [20]
assert abs(np.mean(losses) - history["loss"][0]) > 1e-4
assert np.isclose(np.average(losses, weights=sizes), history["loss"][0], rtol=1e-4)

# %% [markdown]
# The last batch has only 20 examples, so the plain mean gives them too much weight. Weighted by size, it is exactly
# what `fit` reports.
#
# In the figure, look for the line that falls too slowly: it is the training loss from a metric that was never reset.

# %%
model, optimizer, never_reset = build_model(), keras.optimizers.Adam(1e-3), keras.metrics.Mean()
curves = {"loss": [], "val_loss": [], "stale": []}
for _ in range(5):
    losses = [float(train_step(model, optimizer, x, y)) for x, y in batches]
    never_reset.update_state(losses, sample_weight=sizes)
    curves["loss"].append(np.average(losses, weights=sizes))
    curves["val_loss"].append(validate(model)[0])
    curves["stale"].append(float(never_reset.result()))

# %%
ax = plot_history(curves)
(line,) = ax.plot(range(1, 6), curves["stale"], ":", color="C2")
at = {"xytext": (8, 0), "textcoords": "offset points", "va": "center", "color": "C2"}
text = ax.annotate("never reset", (5, curves["stale"][-1]), **at)

# %% tags=["claims"]
assert np.allclose(curves["loss"][:3], history["loss"], rtol=1e-4)
assert curves["loss"][-1] < 0.9 * curves["stale"][-1]
assert np.isclose(curves["stale"][-1], np.mean(curves["loss"]))  # of all epochs so far

# %% [markdown]
# ### Exercise 09.4: repair
#
# For each epoch, this function should return the mean loss per example. It has two bugs: the first number is a
# little off, and the later ones lag behind.


# %% exercise="09.4"
def losses_of_epochs(metric, epochs):
    # metric: a new keras.metrics.Mean; epochs: for each epoch the list of its batches.
    # A batch is a tensor with the loss of each example, (n,); n differs between batches.
    ### BEGIN SOLUTION
    #| history = []
    #| for batches in epochs:
    #|     for losses in batches:
    #|         metric.update_state(tf.reduce_mean(losses))
    #|     history.append(float(metric.result()))
    #| return history
    history = []
    for batches in epochs:
        metric.reset_state()
        for losses in batches:
            metric.update_state(losses)
        history.append(float(metric.result()))
    return history
    ### END SOLUTION


# %%
check("09.4", losses_of_epochs)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# One bug is between epochs, and the other is between batches of different sizes.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Call `reset_state()` at the start of an epoch. Give the metric every loss of the batch, or the mean with
# `sample_weight=n`.
#
# </details>

# %% [markdown]
# ### What if the batch does not fit into memory?
#
# The tape keeps values of the forward pass for each example. If they do not fit, split the batch into parts, compute
# the gradients of one part after the other, and add them up. This is called **accumulating** gradients.
#
# > **Predict**
# >
# > Add the gradient of the first 16 examples to that of the other 16. How many times as large as the gradient of all
# > 32 is the result?

# %%
predict("09.e", "")

# %%
def plain_model():
    """Return a model without batch normalization and dropout."""
    keras.utils.set_random_seed(9)
    regularizer = keras.regularizers.L2(0.01)
    first = layers.Dense(64, activation="relu", kernel_regularizer=regularizer)
    return keras.Sequential([keras.Input((20,)), first, layers.Dense(5)])


def gradients_of(model, x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x, training=True)) + sum(model.losses)
    return tape.gradient(loss, model.trainable_variables)


# %%
model = plain_model()
x, y = batches[0]
whole = gradients_of(model, x, y)
halves = [gradients_of(model, x[:16], y[:16]), gradients_of(model, x[16:], y[16:])]
added = [a + b for a, b in zip(*halves, strict=True)]

print(f"{float(tf.norm(added[0]) / tf.norm(whole[0])):.2f} times")

# %% [markdown]
# Each loss is a *mean*, over 16 examples, and each contains the whole penalty. So the sum is twice as large as it
# should be. Weight each part by its share of all examples, here one half. SGD would take a step twice as long.
# Adam divides by the size of the gradient, so it hides the mistake.
#
# Accumulating fails with batch normalization, which uses the mean and variance of each part.

# %% tags=["claims"]
def update_by(optimizer, gradients):
    model = plain_model()
    before = model.get_weights()
    optimizer.apply(gradients, model.trainable_variables)
    pairs = zip(model.get_weights(), before, strict=True)
    return np.concatenate([np.ravel(after - first) for after, first in pairs])


accumulated = [g / 2 for g in added]
for make, expected in ((keras.optimizers.SGD, 1), (keras.optimizers.Adam, 0)):
    right, parts, double = (update_by(make(), g) for g in (whole, accumulated, added))
    off = [np.mean(abs(u - right)) / np.mean(abs(right)) for u in (parts, double)]
    assert off[0] < 0.001 and abs(off[1] - expected) < 0.01
norm = layers.BatchNormalization()
norm_half, norm_whole = norm(x[:16, :1], training=True), norm(x[:, :1], training=True)
assert not np.allclose(norm_half, norm_whole[:16], atol=1e-3)

# %% [markdown]
# ### Exercise 09.5: complete
#
# `parts` is a list of pairs (x, y) of *different* sizes. Let `optimizer` update the model once, after the last part.
# The result should be the same as after one step on all of the examples together. Return nothing. The loss is the one
# of exercise 09.1. Do not join the parts, and do not record several on one tape: together they do not fit.


# %% exercise="09.5"
def accumulated_step(model, optimizer, parts):
    """Apply one update with the gradient of all examples; x: (n, 3), y: (n, 1) in each part."""
    ### BEGIN SOLUTION
    count = sum(len(x) for x, y in parts)
    total = [tf.zeros_like(v) for v in model.trainable_variables]
    for x, y in parts:
        with tf.GradientTape() as tape:
            y_hat = model(x, training=True)
            loss = tf.reduce_mean((y_hat - y) ** 2) + sum(model.losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        total = [t + len(x) / count * g for t, g in zip(total, gradients, strict=True)]
    optimizer.apply(total, model.trainable_variables)
    ### END SOLUTION


# %%
check("09.5", accumulated_step)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# A part with n of the N examples gets the weight n / N, both for its error and for its penalty.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Count the examples first. Start with a list of zeros, one for each variable, and add n / N times the gradients of
# each part. Call `optimizer.apply` once, after the loop.
#
# </details>

# %% [markdown]
# ### What does Adam do?
#
# SGD uses one learning rate for all weights. **Adam** adapts it for each weight. It keeps two running averages, m of
# the gradients and v of their squares, and subtracts $\text{lr} \cdot m / \sqrt{v}$ from the weight. While the
# gradients stay alike, $m / \sqrt{v}$ is 1 or -1, so the step has the length lr, whether the gradient is 100 or 0.01.
# Both averages start at 0. In step t, dividing m by $1 - 0.9^t$ and v by $1 - 0.999^t$ makes up for that.

# %%
weight, adam = tf.Variable(1.0), keras.optimizers.Adam(0.01)
by_hand, m, v = 1.0, 0.0, 0.0

for t, g in enumerate([100.0, 100.0, -50.0, 0.01], start=1):
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
    by_hand -= 0.01 * (m / (1 - 0.9**t)) / np.sqrt(v / (1 - 0.999**t))
    adam.apply([tf.constant(g)], [weight])
    print(f"gradient {g:6}: by hand {by_hand:.4f}, Adam {weight.numpy():.4f}")

# %% tags=["claims"]
assert np.isclose(weight, by_hand, rtol=1e-5)
for g, share in ((1e-3, 1.0), (1e-6, 0.24)):
    tiny = tf.Variable(0.0)
    keras.optimizers.Adam(0.01).apply([tf.constant(g)], [tiny])
    assert np.isclose(-tiny, share * 0.01, rtol=0.01)

# %% [markdown]
# ### What will I meet in other people's code?
#
# `optimizer.apply_gradients(zip(gradients, variables))` is the same update as
# `optimizer.apply(gradients, variables)`. Neither checks the lengths: if the last gradient is missing from the list,
# SGD silently leaves the last variable as it is. You will also see `input_shape=` in a first layer. It works, but a
# warning asks for `keras.Input` instead.
#
# `clipnorm=1.0` in an optimizer clips *each variable's* gradient by its own norm, which can change the direction of
# the whole step. `global_clipnorm=1.0` clips all together (lesson 11).
#
# A loss on *probabilities*, `SparseCategoricalCrossentropy()` after `tf.nn.softmax`, clips them to [1e-7, 1 - 1e-7]
# in eager code. (From a Keras softmax layer it recovers the logits.) If the network is confidently wrong, the
# gradient is then 0, and nothing is learned. With logits, the gradient is not 0:

# %%
scores, label = tf.Variable([[20.0, -20.0]]), tf.constant([1])
losses = {
    "probabilities": lambda: keras.losses.SparseCategoricalCrossentropy()(label, tf.nn.softmax(scores)),
    "logits": lambda: loss_fn(label, scores),
}

for name, loss_of in losses.items():
    with tf.GradientTape() as tape:
        loss = loss_of()
    print(f"{name}: loss {loss:.1f}, gradient {tape.gradient(loss, scores).numpy().ravel()}")

# %% tags=["claims"]
for name, loss_of in losses.items():
    with tf.GradientTape() as tape:
        loss = loss_of()
    assert bool(tf.reduce_any(tape.gradient(loss, scores) != 0)) == (name == "logits")
older, newer, last = tf.Variable(1.0), tf.Variable(1.0), tf.Variable(1.0)
gradient = tf.constant(3.0)
keras.optimizers.SGD(0.1).apply_gradients(zip([gradient], [older], strict=True))
keras.optimizers.SGD(0.1).apply([gradient], [newer, last])  # one gradient, two variables
assert np.isclose(older, 0.7) and np.isclose(newer, 0.7) and last == 1.0
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    old_style = keras.Sequential([layers.Dense(5, input_shape=(20,))])
assert len(caught) == 1 and "input_shape" in str(caught[0].message)
assert len(old_style.weights) == 2
clipped = [keras.Variable(np.zeros(2, "float32")) for _ in range(2)]
gradients = [tf.constant([3.0, 4.0]), tf.constant([0.3, 0.4])]
keras.optimizers.SGD(1.0, clipnorm=1.0).apply(gradients, clipped)
assert np.allclose(-clipped[0].numpy(), [0.6, 0.8]) and np.allclose(-clipped[1].numpy(), [0.3, 0.4])

# %% [markdown]
# ## Further reading
#
# - Keras's guide *Writing a training loop from scratch in TensorFlow*: the same parts in reference form.
# - Kingma and Ba, *Adam: a method for stochastic optimization*, ICLR 2015: what the two averages are for.
#
# The step is right. The next lesson makes it fast: [10 · Fast loops](10_fast_loops.ipynb).

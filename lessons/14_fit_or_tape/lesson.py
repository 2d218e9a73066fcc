# %% [markdown] part="Part II: training loops" goal="fit"
# # 14 · fit or tape
#
# You wrote your own loop to clip gradients, and it worked until one colleague needed sample weights and another
# switched to 16-bit arithmetic. `fit` supports both; your loop supports neither. In this lesson you replace one part of
# `fit`, and test that the rest still works.
#
# **You will learn to**
#
# - decide whether `fit` is enough, or whether you need your own loss, optimizer, `train_step` or loop;
# - write a `train_step` that preserves everything else `fit` does, and test it;
# - change gradients inside the optimizer.
#
# **Before you start**: [12 · Several losses](12_multi_loss.ipynb) and [13 · MNIST](13_mnist.ipynb).
# **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import check, make_classification, make_line, predict, start_lesson

start_lesson("14")

import tempfile
import warnings

import keras
import numpy as np
import tensorflow as tf
from keras import layers

# %% [markdown]
# ## Which option do I need?
#
# You can now write any training loop, but you will rarely need to. Work down this table, and stop at the first row that
# fits:
#
# | what you want to change | what you write |
# |---|---|
# | nothing | `fit` |
# | when to stop, what to record, how the data changes from epoch to epoch | callbacks |
# | the loss | a function for `compile(loss=...)`, or a `compute_loss` method if it needs the inputs |
# | each gradient, before the update | an optimizer with your own `update_step` |
# | the update itself (two optimizers, losses whose gradients conflict, several gradients per batch) | a model with your own `train_step` |
# | the loop itself (for example, an update that needs the loss on the whole data set) | a loop |
#
# Why not always write your own loop? Because it would have to do everything else that `fit` does: metrics, sample
# weights, loss scaling, callbacks and the progress bar.
#
# We start with a `train_step`, because writing one shows you what `fit` does with each batch. After that, you clip
# gradients in an optimizer. *Going deeper* shows how to use your own loss.

# %% [markdown]
# ## What does fit do with a batch?
#
# `fit` calls `model.train_step(batch)` for each batch. If you override this method, `fit` calls yours instead, but it
# still takes care of epochs, shuffling, callbacks and the progress bar. Here is a simple `train_step`:


# %%
class SimpleStep(keras.Sequential):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            y_hat = self(x, training=True)
            loss = self.compute_loss(x=x, y=y, y_pred=y_hat)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply(gradients, self.trainable_variables)
        self.metrics[0].update_state(loss)  # the mean loss
        return self.compute_metrics(x, y, y_hat)


# %% [markdown]
# You know the tape, the gradient and the update from lesson 09. Three lines are new:
#
# - `compute_loss` applies the loss function that you passed to `compile` and adds the penalties in `model.losses`.
# - `self.metrics[0]` keeps the running mean of the loss: Keras puts this metric first. Your step has to update it.
# - `compute_metrics` updates the metrics that you passed to `compile` and returns the values of all metrics, which `fit`
#   shows and records.
#
# Does this step train the model the same way Keras's own step does? To find out, you'll train a small network with an L2
# penalty on 512 examples from five classes:

# %%
features, labels = make_classification(512, seed=14)
x, y = tf.constant(features), tf.constant(labels)  # (512, 20), (512,)
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def build_model(model_class=keras.Sequential):
    keras.utils.set_random_seed(14)
    penalty = keras.regularizers.L2(1e-3)
    body = layers.Dense(32, activation="relu", kernel_regularizer=penalty, name="body")
    return model_class([keras.Input((20,)), body, layers.Dense(5, name="head")], name="model")


# %% [markdown]
# The next function trains two models, one with Keras's step and one with yours. Both start from the same weights and get
# the same batches.


# %%
def train_both(model_class, loss_scale_factor=None, **options):
    """Return both models after three epochs. The options are passed to fit."""
    models = build_model(), build_model(model_class)
    for model in models:
        optimizer = keras.optimizers.SGD(0.1, loss_scale_factor=loss_scale_factor)
        # unlike metrics, weighted_metrics use the sample weights
        model.compile(optimizer, loss_fn, weighted_metrics=["accuracy"])
        model.fit(x, y, epochs=3, shuffle=False, verbose=0, **options)
    return models


# %% [markdown]
# Then you compare what `fit` recorded in each epoch, and the final weights:


# %%
def largest_difference(model, other):
    pairs = zip(model.get_weights(), other.get_weights(), strict=True)
    return max(np.max(np.abs(a - b)) for a, b in pairs)


def compare(keras_model, your_model):
    for name, model in {"Keras": keras_model, "yours": your_model}.items():
        for metric, values in model.history.history.items():
            print(f"{name}: {metric:8} {np.round(values, 3)}")
    print(f"weights differ by {largest_difference(keras_model, your_model):.4f}")


# %%
models = train_both(SimpleStep, batch_size=64)
compare(*models)

# %% tags=["claims"]
def same_history(models, rtol=1e-4):
    keras_history, your_history = (model.history.history for model in models)
    return all(
        np.allclose(your_history[name], values, rtol=rtol)
        for name, values in keras_history.items()
    )


assert largest_difference(*models) < 1e-5 and same_history(models)
assert set(models[1].history.history) == {"loss", "accuracy"}
assert models[1].metrics[0].name == "loss"

# %% [markdown]
# Losses, accuracies and weights agree. But this call to `fit` asked for nothing special.
#
# ## What does the simple step leave out?
#
# Real projects ask for more. Here are three common situations.
#
# First, **sample weights**: some examples should count more than others.

# %%
try:
    train_both(SimpleStep, sample_weight=tf.ones(512))
except ValueError as error:
    print("ValueError:", error)

# %% tags=["claims"]
try:
    train_both(SimpleStep, sample_weight=tf.ones(512))
except ValueError as error:
    assert "too many values to unpack" in str(error)
else:
    raise AssertionError

# %% [markdown]
# With sample weights, `data` has three parts, and the simple step unpacks only two.
#
# Second, a **short last batch**. With 512 examples and a batch size of 100, the last batch has only 12:

# %%
models = train_both(SimpleStep, batch_size=100)
compare(*models)

# %% tags=["claims"]
assert largest_difference(*models) < 1e-5 and not same_history(models, rtol=1e-3)

# %% [markdown]
# The weights agree, but the reported losses do not. The simple step averages over batches, and so gives the last 12
# examples as much weight as a full batch of 100.
#
# Third, **loss scaling**. In `float16`, small gradients can round to zero. To prevent this, Keras can multiply the loss,
# and with it every gradient, by a large factor, and divide the gradients by the same factor before the update. (With the
# policy `mixed_float16`, it does so automatically.) To show the effect, a factor of 8 in ordinary `float32` is enough:

# %%
models = train_both(SimpleStep, loss_scale_factor=8.0, batch_size=64)
compare(*models)

# %% tags=["claims"]
assert largest_difference(*models) > 1e-2

# %% [markdown]
# The optimizer's `apply` always divides the gradients by 8, but the simple step never multiplied the loss. So each of
# its updates was one eighth of the right size.
#
# Keras's own `train_step` handles all three. Here it is, simplified for one input tensor and one device:


# %%
class FullStep(keras.Sequential):
    def train_step(self, data):
        # the sample weights are None if fit got none
        x, y, sample_weight = keras.utils.unpack_x_y_sample_weight(data)
        with tf.GradientTape() as tape:
            y_hat = self(x, training=True)
            loss = self.compute_loss(x=x, y=y, y_pred=y_hat, sample_weight=sample_weight)
            scaled = self.optimizer.scale_loss(loss)
        gradients = tape.gradient(scaled, self.trainable_variables)
        self.optimizer.apply(gradients, self.trainable_variables)
        # a short batch counts less
        batch_size = tf.shape(x)[0]
        self.metrics[0].update_state(loss, sample_weight=batch_size)
        return self.compute_metrics(x, y, y_hat, sample_weight)


# %% [markdown]
# `batch_size` tells the metric how much each batch counts. The argument of `update_state` happens to be called
# `sample_weight` too, but it has nothing to do with the sample weights that you pass to `fit`.
#
# Test this step in all three situations at once:

# %%
sample_weight = tf.random.uniform((512,))
models = train_both(
    FullStep, loss_scale_factor=8.0, batch_size=100, sample_weight=sample_weight
)
compare(*models)

# %% tags=["claims"]
assert largest_difference(*models) < 1e-4 and same_history(models)
losses = models[1].history.history["loss"]
assert losses[-1] < 0.9 * losses[0]
assert FullStep.test_step is keras.Sequential.test_step


class AlwaysSeven(keras.Sequential):
    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        return 7.0 + 0 * tf.reduce_sum(y_pred)


seven = build_model(AlwaysSeven)
seven.compile("sgd", loss_fn)
assert seven.fit(x, y, verbose=0).history["loss"] == [7.0] and seven.evaluate(x, y, verbose=0) == 7.0

# %% [markdown]
# Everything agrees. (The losses are about half as large as before because the sample weights average 0.5.) When you need
# your own step, copy this one and change as little as possible.
#
# `evaluate` and validation call `test_step`, which you have not changed. So if your `train_step` changes the loss, they
# still report the original loss, unless you override `test_step` too. (A `compute_loss` method changes both.)
#
# ### Exercise 14.3: repair
#
# This `train_step` adds an extra term to the loss: 0.1 times the mean of the squared predictions. Otherwise, it should
# update the model exactly as Keras's own step does. But it has five mistakes. You have seen two of them above: it handles
# neither sample weights nor loss scaling. To find the other three, compare it with `SimpleStep`. A single change can fix
# several mistakes at once. You don't need to update any metrics.
#
# - `data` is a tuple of three tensors, `(x, y, sample_weight)`. The sample weights do not affect the extra term.
# - The check's model has batch normalization and a regularizer. It is compiled with a loss other than the mean squared
#   error, and its optimizer may have a `loss_scale_factor`.
# - Return `{"loss": loss}`, where the loss includes the extra term and is not scaled.


# %% exercise="14.3"
def penalized_train_step(model, data):
    # Updates the model once, and returns {"loss": the loss before the update}.
    ### BEGIN SOLUTION
    #| x, y, sample_weight = data
    #| with tf.GradientTape() as tape:
    #|     y_hat = model(x)
    #|     loss = tf.reduce_mean((y_hat - y) ** 2) + 0.1 * tf.reduce_mean(y_hat**2)
    #| gradients = tape.gradient(loss, model.trainable_variables)
    #| model.optimizer.apply(gradients, model.trainable_variables)
    #| return {"loss": loss}
    x, y, sample_weight = data
    with tf.GradientTape() as tape:
        y_hat = model(x, training=True)
        loss = model.compute_loss(x=x, y=y, y_pred=y_hat, sample_weight=sample_weight)
        loss += 0.1 * tf.reduce_mean(y_hat**2)
        scaled = model.optimizer.scale_loss(loss)
    gradients = tape.gradient(scaled, model.trainable_variables)
    model.optimizer.apply(gradients, model.trainable_variables)
    return {"loss": loss}
    ### END SOLUTION


# %%
check("14.3", penalized_train_step)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Which argument do you pass when you call a model during training? Which method of the model computes the loss that was
# given to `compile`? Which method of the optimizer scales the total loss?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `model.compute_loss(x=x, y=y, y_pred=y_hat, sample_weight=sample_weight)` also adds the penalties of the regularizers.
# Call `model.optimizer.scale_loss(loss)` inside the block. `apply` later divides the gradients by the same factor.
#
# </details>

# %% [markdown]
# ## How do I change the gradients?
#
# Now back to the clipping from the introduction. You want to clip the gradient of each variable, with a different limit
# in each layer. You could do that in a `train_step`, between `tape.gradient` and `apply`. But with loss scaling, the
# gradients at that point are still multiplied by the factor. Suppose the factor is 8 and the limit is 0.3. A gradient of
# norm 0.5 arrives as 4, you clip it to 0.3, and `apply` divides that by 8. So the update uses a norm of 0.04.
#
# What does `apply` do? Three things matter here, in this order:
#
# 1. It divides the gradients by the loss-scale factor.
# 2. It averages them over several batches, if the optimizer *accumulates* gradients (`gradient_accumulation_steps=2`).
# 3. It calls `update_step` once for each variable.
#
# If one limit suits all variables, the optimizer's `clipnorm` option is enough. For your own limits, write a subclass of
# the optimizer, and clip in `update_step`. This method gets the TensorFlow variable, whose name includes the name of its
# layer:

# %%
limits = {"body": 0.3, "head": 0.1}


class ClippedSGD(keras.optimizers.SGD):
    def update_step(self, gradient, variable, learning_rate):
        # "model/body/kernel:0" -> "body"
        layer = variable.name.split("/")[-2]
        clipped = tf.clip_by_norm(gradient, limits[layer])
        super().update_step(clipped, variable, learning_rate)


# %% [markdown]
# Does this clipping work in `fit`, even with loss scaling? SGD with a learning rate of 0.1 subtracts 0.1 times the
# gradient from each weight. So divide the change in the weights by 0.1 to recover the gradient:


# %%
def gradient_norms(optimizer):
    """Take one step, and return the norm of each gradient that SGD used."""
    model = build_model()
    model.compile(optimizer, loss_fn)
    old_weights = model.get_weights()
    model.fit(x, y, batch_size=512, verbose=0)
    changes = [old - new for old, new in zip(old_weights, model.get_weights(), strict=True)]
    return [float(np.linalg.norm(change) / 0.1) for change in changes]


plain = gradient_norms(keras.optimizers.SGD(0.1))
clipped = gradient_norms(ClippedSGD(0.1, loss_scale_factor=8.0))
names = ["body/kernel", "body/bias", "head/kernel", "head/bias"]
for name, before, after in zip(names, plain, clipped, strict=True):
    print(f"{name:12} SGD {before:.3f}   ClippedSGD {after:.3f}")

# %% tags=["claims"]
assert ["model/" + name for name in names] == [v.path for v in build_model().trainable_variables]
assert np.allclose(clipped, [0.3, plain[1], 0.1, 0.1], rtol=1e-3)
assert plain[0] > 0.3 > plain[1] and min(plain[2:]) > 0.1
assert np.allclose(gradient_norms(ClippedSGD(0.1)), clipped, rtol=1e-3)


class ClippedInApply(keras.optimizers.SGD):
    def apply(self, grads, trainable_variables=None):
        pairs = zip(grads, trainable_variables, strict=True)
        clipped = [tf.clip_by_norm(g, limits[v.path.split("/")[-2]]) for g, v in pairs]
        super().apply(clipped, trainable_variables)


too_small = gradient_norms(ClippedInApply(0.1, loss_scale_factor=8.0))
assert np.allclose(too_small, [0.3 / 8, 0.3 / 8, 0.1 / 8, 0.1 / 8], rtol=1e-3)
assert np.allclose(gradient_norms(ClippedInApply(0.1)), clipped, rtol=1e-3)
# IndexedSlices, as of an Embedding layer: clipped to 1, yet 2 long
rows = tf.IndexedSlices(tf.ones((4, 1)), tf.zeros(4, tf.int32), (1, 1))
assert tf.norm(tf.convert_to_tensor(tf.clip_by_norm(rows, 1.0))) == 2.0
# 16 batches
batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(32)


def train_by_loop(model, optimizer, epochs=2):
    for x_batch, y_batch in batches.repeat(epochs):
        with tf.GradientTape() as tape:
            loss = loss_fn(y_batch, model(x_batch, training=True)) + sum(model.losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        pairs = zip(gradients, model.trainable_variables, strict=True)
        clipped = [tf.clip_by_norm(g, limits[v.path.split("/")[-2]]) for g, v in pairs]
        optimizer.apply(clipped, model.trainable_variables)
    return model


by_loop = train_by_loop(build_model(), keras.optimizers.SGD(0.1))
by_fit = build_model()
by_fit.compile(ClippedSGD(0.1), loss_fn)
history = by_fit.fit(batches, epochs=2, shuffle=False, verbose=0)
assert largest_difference(by_fit, by_loop) < 1e-4 < 0.01 < largest_difference(by_fit, build_model())
unclipped = build_model()
unclipped.compile(keras.optimizers.SGD(0.1), loss_fn)
unclipped.fit(batches, epochs=2, shuffle=False, verbose=0)
assert largest_difference(by_fit, unclipped) > 0.01

# %% [markdown]
# Despite the loss scaling, three of the four norms are now exactly at their limits. The norm for `body/bias` was below
# its limit to begin with.
#
# ### Exercise 14.2: repair
#
# In *adaptive clipping*, you don't choose the limits yourself: the norm of each gradient is capped at one tenth of the
# norm of its variable. If the norm of a variable is below 0.001, use 0.001 instead; without this floor, a variable that
# is all zeros could never change.
#
# `adaptive(kind)` takes an optimizer class such as `keras.optimizers.SGD` and returns a subclass that clips this way.
# The version below works in plain training, but not with loss scaling or accumulation. Fix it. Use only TensorFlow
# operations, because `fit` runs the optimizer in a graph.


# %% exercise="14.2"
def adaptive(kind):
    # Returns a subclass of kind, a class of Keras's optimizers.
    ### BEGIN SOLUTION
    #| class Adaptive(kind):
    #|     def apply(self, grads, trainable_variables=None):
    #|         limits = [0.1 * tf.maximum(tf.norm(v), 0.001) for v in trainable_variables]
    #|         clipped = [tf.clip_by_norm(g, n) for g, n in zip(grads, limits, strict=True)]
    #|         super().apply(clipped, trainable_variables)
    #|
    #| return Adaptive
    class Adaptive(kind):
        def update_step(self, gradient, variable, learning_rate):
            limit = 0.1 * tf.maximum(tf.norm(variable), 0.001)
            super().update_step(tf.clip_by_norm(gradient, limit), variable, learning_rate)

    return Adaptive
    ### END SOLUTION


# %%
check("14.2", adaptive)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Which method gets each gradient after it has been divided by the loss scale and averaged over the batches?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `update_step(self, gradient, variable, learning_rate)`, as in `ClippedSGD`. It gets one gradient and one variable.
#
# </details>

# %% [markdown]
# ### Exercise 14.5: predict
#
# For each task, name the simplest option that does the job: `"fit"`, `"train_step"` or `"loop"`. Here `"fit"` includes
# callbacks, the data pipeline, and everything that `compile` accepts, such as your own optimizer.
#
# 1. You add random noise to each gradient before Adam uses it. The norm of the noise is one tenth of the norm of the
#    gradient.
# 2. There are two losses. Where their gradients conflict, you remove the conflicting part of each (lesson 12).
# 3. You add noise to the inputs, and use twice as much from the fourth epoch on.
# 4. For each batch, you take a small step that increases the loss, and compute the gradient there. Then you restore the
#    weights and apply this gradient to them.
# 5. Each update tries three step sizes, and measures the loss on the whole data set. It keeps the best of the three, or
#    restores the old weights if none of them lowers the loss.

# %% exercise="14.5"
# A list of five strings: "fit", "train_step" or "loop".
### BEGIN SOLUTION
means = ["fit", "train_step", "fit", "train_step", "loop"]
### END SOLUTION

# %%
check("14.5", means)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Which tasks need only one loss, one gradient and one batch?
#
# </details>
# <details><summary>Hint 2</summary>
#
# An optimizer gets only the gradients of a single loss. A data pipeline can read a variable that a callback sets.
#
# </details>
# <details><summary>The reasons (open this after you have passed)</summary>
#
# 1. An optimizer's `update_step` gets each gradient, and may add noise to it.
# 2. Each batch has two gradients, and an optimizer sees only one.
# 3. A callback sets the strength of the noise, and the data pipeline reads it.
# 4. Each batch needs two gradients, the second at other weights.
# 5. Each update depends on the loss over the whole data set, not on one batch.
#
# </details>

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open the answer.
#
# <details><summary>1. Your <code>train_step</code> begins with <code>x, y = data</code>. What breaks?</summary>
#
# Sample weights. With them, `data` has three parts. Unpack it with `keras.utils.unpack_x_y_sample_weight`, and pass the
# weights to `compute_loss` and to `compute_metrics`.
#
# </details>
# <details><summary>2. You clip in a <code>train_step</code>, and someone sets <code>loss_scale_factor</code>. What
# happens?</summary>
#
# If your step scales the loss, it clips gradients that are still too large, and then `apply` divides them by the
# factor. If your step does not scale the loss, `apply` divides anyway, and the updates are too small. Clip in
# `update_step` instead: by then, the factor has been divided out.
#
# </details>
# <details><summary>3. A model trained with your <code>train_step</code> ends up with the same weights as one trained with
# Keras's own, but reports a different loss. What do you check?</summary>
#
# How it updates the loss metric: is each batch weighted by its size, and does the loss include the penalties?
#
# </details>

# %% [markdown]
# ## Recap
#
# - Use the simplest option that does the job, in this order: callbacks, a loss, an optimizer, a `train_step`, a loop.
# - To write a `train_step`, copy Keras's own. Keep the sample weights, `training=True`, `compute_loss`, `scale_loss`
#   and the metrics.
# - Test it: starting from the same weights and given the same batches, your model must report the same losses and end
#   with the same weights as one trained with Keras's step. Repeat the test with sample weights, a short last batch and
#   loss scaling.
# - Change gradients in the optimizer's `update_step`.
#
# The step to copy:
#
# ```python
# def train_step(self, data):
#     x, y, sample_weight = keras.utils.unpack_x_y_sample_weight(data)
#     with tf.GradientTape() as tape:
#         y_hat = self(x, training=True)
#         loss = self.compute_loss(x=x, y=y, y_pred=y_hat, sample_weight=sample_weight)
#         scaled = self.optimizer.scale_loss(loss)
#     gradients = tape.gradient(scaled, self.trainable_variables)
#     self.optimizer.apply(gradients, self.trainable_variables)
#     self.metrics[0].update_state(loss, sample_weight=tf.shape(x)[0])
#     return self.compute_metrics(x, y, y_hat, sample_weight)
# ```
#
# **To remember**: use the simplest option that does the job, and test that the rest of `fit` still works.

# %% [markdown]
# ## Going deeper
#
# Your own loss, tests of an optimizer, what `fit` does, a loss that needs the inputs, two optimizers, and the
# exam on Parts I and II.

# %% [markdown]
# ### How do I use my own loss?
#
# The loss is the easiest thing to change. Suppose you promise delivery times, and being an hour late costs nine times
# as much as being an hour early. Keras has no such loss, but `compile` accepts any function of `(y, y_hat)` that is
# built from TensorFlow operations. Here `y` holds the actual delivery times, and `y_hat` the promised times:


# %%
def cost_of_delay(y, y_hat):
    late = y - y_hat
    cost = tf.where(late > 0, 9 * late, -late)
    # one loss for each example, (n,)
    return tf.reduce_mean(cost, axis=-1)


# %% [markdown]
# The data set has 400 parcels. For each, `x_line` holds the distance, and `y_line` the delivery time in hours. The
# times lie near a straight line, with noise:


# %%
def line_model(model_class=keras.Sequential):
    keras.utils.set_random_seed(14)
    return model_class([keras.Input((1,)), layers.Dense(1)])


distances, times = make_line(400, noise=1.0, seed=14)
# (400, 1) both
x_line, y_line = tf.constant(distances), tf.constant(times)

model = line_model()
model.compile(keras.optimizers.Adam(0.1), cost_of_delay)
model.fit(x_line, y_line, batch_size=400, epochs=100, verbose=0)

on_time = y_line < model(x_line)
print(f"parcels that arrive on time: {np.mean(on_time):.0%}")

# %% tags=["claims"]
line_by_loop, optimizer = line_model(), keras.optimizers.Adam(0.1)
for _ in range(100):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(cost_of_delay(y_line, line_by_loop(x_line, training=True)))
    gradients = tape.gradient(loss, line_by_loop.trainable_variables)
    optimizer.apply(gradients, line_by_loop.trainable_variables)

for by_hand, by_fit in zip(line_by_loop.get_weights(), model.get_weights(), strict=True):
    assert np.allclose(by_hand, by_fit, atol=1e-3)
assert abs(np.mean(y_line < model(x_line)) - 0.9) < 0.02

# %% [markdown]
# Nine out of ten parcels arrive on time. To see why, suppose you add a small ε to every promise. Each early parcel then
# costs ε more, and each late one 9ε less. If the total cost is at its minimum, the increases and the savings balance,
# so nine parcels are early for every one that is late. (Up to a constant factor, this is the *quantile loss*.)
#
# The loss function gets tensors of shape (n, 1) and returns one loss for each example, shape (n,). Keras then takes the
# mean over the examples. Don't do that yourself: with one number for the whole batch, `fit` could no longer let one
# example count more than another.

# %% [markdown]
# ### Why one loss for each example?
#
# Training works with a loss that returns a single number, until somebody passes `fit` a `sample_weight`. Here are two
# examples with the losses 1 and 3, and the weights 2 and 0:


# %%
def loss_of_each(y, y_hat):
    return tf.reduce_mean(tf.abs(y - y_hat), axis=-1)  # (n,)


def mean_loss(y, y_hat):
    return tf.reduce_mean(tf.abs(y - y_hat))  # ()


model, weighted = line_model(), []
y_pair, weights = tf.constant([[1.0], [3.0]]), tf.constant([2.0, 0.0])
for function in (loss_of_each, mean_loss):
    model.compile(loss=function)
    loss = model.compute_loss(y=y_pair, y_pred=tf.zeros((2, 1)), sample_weight=weights)
    weighted.append(float(loss))
    print(f"{function.__name__}: {loss:.1f}")

# %% tags=["claims"]
assert np.allclose(weighted, [1.0, 2.0])

# %% [markdown]
# The first is right: (2 · 1 + 0 · 3) / 2 = 1, because Keras divides by the number of examples. The second function
# has already averaged, so both weights multiply the same number, the mean of 2: (2 · 2 + 0 · 2) / 2 = 2. The example
# with weight 0 still counts.
#
# ### Exercise 14.1: complete
#
# A shop orders k products. `y` holds the amounts that it needs, and `y_hat` the amounts that it orders. If it
# orders too little, that costs 3 times the squared error. If it orders too much, that costs the squared error once.
# Write this loss for `compile`: the mean over the k products, one number for each example.


# %% exercise="14.1"
def order_cost(y, y_hat):
    """Return the cost of each example, (n,); y and y_hat have shape (n, k)."""
    ### BEGIN SOLUTION
    error = y - y_hat
    cost = tf.where(error > 0, 3 * error**2, error**2)
    return tf.reduce_mean(cost, axis=-1)
    ### END SOLUTION


# %%
check("14.1", order_cost)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Where is `y - y_hat` positive? `tf.where(condition, a, b)` chooses entry by entry.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Take the mean over the last axis, as `cost_of_delay` does.
#
# </details>

# %% [markdown]
# ### Does my optimizer keep what fit promises?
#
# Whoever uses your optimizer with `fit` expects three things:
#
# - **Sample weights**: the label of an example with weight 0 has no influence.
# - **Loss scaling**: with any `loss_scale_factor`, the weights end the same.
# - **Accumulation**: with `gradient_accumulation_steps=2`, two batches of 32 give one update, the same as a single
#   batch of 64.
#
# Each says that two training runs end with equal weights. So you can test all three without knowing the right weights:


# %%
def fitted(model, x, y, size=32, weights=None):
    model.fit(x, y, batch_size=size, sample_weight=weights, shuffle=False, verbose=0)
    return model


# %%
def kept(build, x, y):
    """Return which promises hold, for build(**options of the optimizer), a compiled model."""
    number = np.arange(len(x))
    weights = 1 - number % 2  # 1, 0, 1, 0, ...
    # other labels where the weight is 0
    other = tf.gather(y, number - number % 2)
    pairs = {
        "sample weights": [fitted(build(), x, labels, weights=weights) for labels in (y, other)],
        "loss scaling": [fitted(build(), x, y), fitted(build(loss_scale_factor=8.0), x, y)],
        "accumulation": [
            fitted(build(), x, y, size=64),
            fitted(build(gradient_accumulation_steps=2), x, y),
        ],
    }
    return {name: bool(largest_difference(*pair) < 1e-4) for name, pair in pairs.items()}


# %% [markdown]
# The essentials said that clipping before `apply` goes wrong. This optimizer does that. In `apply` you get Keras
# variables, whose full name is `path`:


# %%
class ClippedInApply(keras.optimizers.SGD):
    def apply(self, grads, trainable_variables=None):
        pairs = zip(grads, trainable_variables, strict=True)
        clipped = [tf.clip_by_norm(g, limits[v.path.split("/")[-2]]) for g, v in pairs]
        super().apply(clipped, trainable_variables)


# %% [markdown]
# > **Predict**
# >
# > How many of the three promises does `ClippedInApply` keep?

# %%
predict("14.b", "")


# %%
def compiled(model, optimizer, loss=loss_fn):
    model.compile(optimizer, loss)
    return model


for kind in (ClippedSGD, ClippedInApply):
    promises = kept(
        lambda kind=kind, **options: compiled(build_model(), kind(0.1, **options)), x, y
    )
    print(kind.__name__, promises)

# %% tags=["claims"]
assert promises == {"sample weights": True, "loss scaling": False, "accumulation": False}
early = compiled(build_model(), ClippedInApply(0.1))
early.fit(batches, epochs=2, shuffle=False, verbose=0)
assert largest_difference(early, by_loop) < 1e-4
promises = kept(lambda **options: compiled(build_model(), ClippedSGD(0.1, **options)), x, y)
assert all(promises.values())
promises = kept(
    lambda **options: compiled(build_model(FullStep), keras.optimizers.SGD(0.1, **options)), x, y
)
assert all(promises.values())
wrapped = keras.optimizers.LossScaleOptimizer(ClippedInApply(0.1), initial_scale=8.0)
pair = [compiled(build_model(), optimizer) for optimizer in (ClippedInApply(0.1), wrapped)]
for model in pair:
    model.fit(batches, shuffle=False, verbose=0)
assert largest_difference(*pair) < 1e-4 < 0.01 < largest_difference(pair[0], build_model())

# %% [markdown]
# It keeps one. Sample weights are part of the loss, so they still count. But `apply` clips gradients that are still 8
# times too large, and it clips each of the accumulated batches separately.
#
# One case needs a line more in both: the gradient of an `Embedding` layer is an `IndexedSlices` (lesson 11). Convert it
# with `tf.convert_to_tensor(gradient)` before you clip.

# %% [markdown]
# ### What does fit do?
#
# `fit` is two loops, over epochs and over batches, around `train_step`. Between them it calls the callbacks, through a
# `CallbackList` that you can use as well:


# %%
def one_epoch(model, step, batches, callbacks):
    """Run the step on each batch, until they end or a callback stops; return the metrics."""
    model.reset_metrics()
    for number, batch in enumerate(batches):
        callbacks.on_train_batch_begin(number)
        callbacks.on_train_batch_end(number, step(batch))
        if model.stop_training:
            break
    return {name: float(value) for name, value in model.get_metrics_result().items()}


# %%
def own_fit(model, batches, epochs, callbacks):
    """Train as model.fit does, without validation and progress bar; return the number of epochs."""
    step = tf.function(model.train_step)
    callbacks = keras.callbacks.CallbackList(callbacks, model=model)
    model.stop_training = False
    callbacks.on_train_begin()
    for epoch in range(epochs):
        callbacks.on_epoch_begin(epoch)
        callbacks.on_epoch_end(epoch, one_epoch(model, step, batches, callbacks))
        if model.stop_training:
            break
    callbacks.on_train_end()
    return epoch + 1


# %% [markdown]
# The same proof again, now with a callback that ends the training early:

# %%
# 16 batches
batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(32)
ours, theirs = build_model(), build_model()
patience = {"monitor": "loss", "min_delta": 0.1, "patience": 2}
for model in (ours, theirs):
    model.compile(keras.optimizers.Adam(1e-2), loss_fn)

epochs = own_fit(ours, batches, 50, [keras.callbacks.EarlyStopping(**patience)])
stop = keras.callbacks.EarlyStopping(**patience)
history = theirs.fit(batches, epochs=50, callbacks=[stop], shuffle=False, verbose=0)

print("both stopped after the same epoch, before 50:", epochs == len(history.epoch) < 50)
print("weights equal within 1e-4:", bool(largest_difference(ours, theirs) < 1e-4))

# %% tags=["claims"]
assert epochs == len(history.epoch) < 50
assert largest_difference(ours, theirs) < 1e-4 < 0.1 < largest_difference(ours, build_model())

# %% [markdown]
# `fit` compiles the step into a graph, and this changes how many warnings you see. In this model a layer rounds, so
# the layer before it has no gradient (lesson 03). The optimizer skips a `None` with a warning.
#
# > **Predict**
# >
# > `fit` runs 48 steps, three epochs of 16. How many warnings does it give?

# %%
predict("14.a", "")


# %%
def warnings_of_rounded(train_head=True):
    """Fit a model whose first layer has no gradient; return the warnings."""
    body, head = layers.Dense(32), layers.Dense(5, trainable=train_head)
    model = keras.Sequential([keras.Input((20,)), body, layers.Activation(tf.round), head])
    model.compile(keras.optimizers.SGD(0.1), loss_fn)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(batches, epochs=3, shuffle=False, verbose=0)
    return [str(warning.message) for warning in caught]


given = warnings_of_rounded()
print(len(given), "warning:", given[0].split(".")[0])

# %% tags=["claims"]
assert "Gradients do not exist for variables" in given[0] and not given[1:]
try:
    warnings_of_rounded(train_head=False)
except ValueError as error:
    message = str(error)
assert message.startswith("No gradients provided for any variable")
sgd, pair, counts = keras.optimizers.SGD(0.1), [tf.Variable(1.0), tf.Variable(1.0)], {}
for kind in ("always", "default"):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(kind)
        for _ in range(3):
            sgd.apply([tf.constant(1.0), None], pair)
    counts[kind] = len(caught)
assert counts == {"always": 3, "default": 1}

# %% [markdown]
# One, because the warning comes from Python, and Python runs the step only while it is traced. (With Adam it would be
# two, as its first step is traced twice.) This one line at the start is the only sign of a layer that never learns.
# Only if *every* gradient is `None` does the optimizer raise an error.

# %% [markdown]
# ### Can data or the loss change during fit?
#
# If the data should change from epoch to epoch, let a callback set a variable that the pipeline's `map` reads. Do not
# put a `cache` after this `map`:

# %%
strength = tf.Variable(0.0)
data = tf.data.Dataset.from_tensors((tf.ones((8, 1)), tf.zeros((8, 1))))
data = data.map(lambda x, y: (strength * x, y))
set_strength = keras.callbacks.LambdaCallback(
    on_epoch_begin=lambda epoch, logs: strength.assign(float(epoch))
)

# This model returns x, and does not learn. Its loss is the mean of x.
model = keras.Sequential([keras.Input((1,)), layers.Dense(1, kernel_initializer="ones")])
model.compile(keras.optimizers.SGD(0.0), "mae")
options = {"epochs": 3, "shuffle": False, "verbose": 0}
losses = model.fit(data, callbacks=[set_strength], **options).history["loss"]
print("the mean of x in each epoch:", losses)

# %% tags=["claims"]
assert losses == [0.0, 1.0, 2.0]

# %% [markdown]
# A loss that needs more than `y` and `y_hat` goes into `compute_loss`, which `fit` calls inside its tape. Here is the
# gradient penalty of lesson 06. `evaluate` calls `compute_loss` with `training=False`, and then the penalty is left
# out:


# %%
class Smooth(keras.Sequential):
    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        loss = super().compute_loss(x, y, y_pred, sample_weight, training)
        if not training:
            return loss
        with tf.GradientTape() as inner:
            inner.watch(x)
            # again, as y_pred came before the watch
            y_hat = self(x, training=training)
        slopes = inner.gradient(y_hat, x)  # (n, 1)
        return loss + tf.reduce_mean(slopes**2)


# %%
smooth = line_model(Smooth)
smooth.compile(keras.optimizers.Adam(0.1), "mse")
history = smooth.fit(x_line, y_line, batch_size=400, epochs=50, verbose=0).history
plain = line_model()
plain.compile(keras.optimizers.Adam(0.1), "mse")
plain.fit(x_line, y_line, batch_size=400, epochs=50, verbose=0)

for name, model in {"with the penalty": smooth, "without": plain}.items():
    print(f"slope {name}: {float(model.layers[0].kernel[0, 0]):.1f}")

# %% tags=["claims"]
by_loop, optimizer = line_model(), keras.optimizers.Adam(0.1)
for _ in range(50):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x_line)
            y_hat = by_loop(x_line, training=True)
        slopes = inner.gradient(y_hat, x_line)
        loss = tf.reduce_mean((y_hat - y_line) ** 2) + tf.reduce_mean(slopes**2)
    gradients = outer.gradient(loss, by_loop.trainable_variables)
    optimizer.apply(gradients, by_loop.trainable_variables)
assert largest_difference(smooth, by_loop) < 1e-4
assert np.isclose(history["loss"][-1], loss, rtol=1e-4)
assert smooth.evaluate(x_line, y_line, batch_size=400, verbose=0) < 0.7 * history["loss"][-1]
promises = kept(
    lambda **options: compiled(line_model(Smooth), keras.optimizers.SGD(0.1, **options), "mse"),
    x_line[:384],
    y_line[:384],
)
norm = layers.BatchNormalization(momentum=0.5)
model = Smooth([keras.Input((1,)), norm, layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(x_line + 1.0, y_line, batch_size=400, verbose=0)
moved = float(norm.moving_mean[0] / tf.reduce_mean(x_line + 1.0))  # once: 0.5, twice: 0.75
assert all(promises.values()) and np.isclose(moved, 0.75, atol=0.01)

# %% [markdown]
# The second forward pass has a price: it updates the averages of batch normalization twice. If the model has such a
# layer, write the penalty in a `train_step` that calls the model once.

# %% [markdown]
# ### Do I need two optimizers?
#
# Often you do not. `update_step` knows the variable, so one optimizer can have two learning rates and even two rules,
# here SGD for the body and Adam for the head:


# %%
class TwoRules(keras.optimizers.Adam):
    def update_step(self, gradient, variable, learning_rate):
        if variable.name.split("/")[-2] == "body":
            # SGD
            variable.assign_sub(10.0 * learning_rate * gradient)
        else:
            super().update_step(gradient, variable, learning_rate)


promises = kept(lambda **options: compiled(build_model(), TwoRules(0.01, **options)), x, y)
print(promises)

# %% tags=["claims"]
model = compiled(build_model(), TwoRules(0.01))
model.fit(batches, shuffle=False, verbose=0)
by_loop, sgd, adam = build_model(), keras.optimizers.SGD(0.1), keras.optimizers.Adam(0.01)
for x_batch, y_batch in batches:
    with tf.GradientTape() as tape:
        loss = loss_fn(y_batch, by_loop(x_batch, training=True)) + sum(by_loop.losses)
    gradients = tape.gradient(loss, by_loop.trainable_variables)
    for optimizer, rows in ((sgd, slice(2)), (adam, slice(2, 4))):
        optimizer.apply(gradients[rows], by_loop.trainable_variables[rows])
assert largest_difference(model, by_loop) < 1e-4 and all(promises.values())
assert largest_difference(model, build_model()) > 0.01

# %% [markdown]
# Two optimizer *objects* belong in a `train_step`. Everything else in Keras knows only one, `model.optimizer`. A
# callback for the learning rate does not reach the second optimizer, and a saved model forgets that optimizer:

# %%
model = compiled(build_model(), keras.optimizers.SGD(0.1))
model.head_optimizer = keras.optimizers.Adam(0.1)
slower = keras.callbacks.LearningRateScheduler(lambda epoch: 0.01)
model.fit(batches, callbacks=[slower], shuffle=False, verbose=0)
rates = [float(optimizer.learning_rate) for optimizer in (model.optimizer, model.head_optimizer)]

with tempfile.TemporaryDirectory() as folder:
    model.save(f"{folder}/model.keras")
    loaded = keras.saving.load_model(f"{folder}/model.keras")

print(f"learning rates: {rates[0]:.2f} and {rates[1]:.2f}")
print("second optimizer after loading:", hasattr(loaded, "head_optimizer"))

# %% tags=["claims"]
assert np.allclose(rates, [0.01, 0.1]) and loaded.optimizer.iterations == 16
assert not hasattr(loaded, "head_optimizer")

# %% [markdown]
# ### Exercise 14.4: complete
#
# Write the step with two optimizers. `model.head_optimizer` updates the last layer, which may have no bias.
# `model.optimizer` updates the layers before it. Do not move a frozen layer. Both take their gradients at the same
# weights, those before the update, and each may have its own loss scale. Keep what exercise 14.3 asked for, without the
# extra penalty.


# %% exercise="14.4"
def two_optimizer_step(model, data):
    """Update the model once with both optimizers; return {"loss": the loss before the update}."""
    ### BEGIN SOLUTION
    x, y, sample_weight = data
    head = model.layers[-1].trainable_variables
    body = [v for layer in model.layers[:-1] for v in layer.trainable_variables]
    with tf.GradientTape(persistent=True) as tape:
        y_hat = model(x, training=True)
        loss = model.compute_loss(x=x, y=y, y_pred=y_hat, sample_weight=sample_weight)
        for_body = model.optimizer.scale_loss(loss)
        for_head = model.head_optimizer.scale_loss(loss)
    of_body, of_head = tape.gradient(for_body, body), tape.gradient(for_head, head)
    model.optimizer.apply(of_body, body)
    model.head_optimizer.apply(of_head, head)
    return {"loss": loss}
    ### END SOLUTION


# %%
check("14.4", two_optimizer_step)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Use one forward pass and one loss. Scaling it once for each optimizer gives two targets. From which tape can you get
# two gradients?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `head = model.layers[-1].trainable_variables`, and the body is a list of the trainable variables of
# `model.layers[:-1]`. Use a persistent tape, compute both gradients, and then call both `apply` methods.
#
# </details>

# %% [markdown]
# ### A longer table
#
# | what you want to change | the simplest option | where the course shows it |
# |---|---|---|
# | nothing | `fit` | `own_fit` above |
# | when to stop, what to record, how the data change | callbacks | `EarlyStopping`, `set_strength` above |
# | a loss of `y` and `y_hat` | `compile(loss=f)` | `cost_of_delay` |
# | which examples count, by their losses | `compile(loss=f)` | lesson 18 |
# | the number of devices, or of bits | `fit`, in a scope or with a policy | lesson 20 |
# | what happens to each gradient | `update_step` of an optimizer | `ClippedSGD` |
# | a loss that needs `x` or the model | `compute_loss` | `Smooth` above |
# | a law for the derivatives of the output | `compute_loss` | lesson 19 |
# | inputs that their own gradient moves | `compute_loss` | lesson 15, there in a loop |
# | several losses or optimizers | `train_step` | exercise 14.4 |
# | a gradient taken at other weights | `train_step` | exercise 14.5 |
# | clipping by the global norm over several devices | `train_step` | lesson 20, there in a loop |
# | two networks that are trained in turn | a loop, or a `train_step` with both | lesson 16 |
# | a loss after a step, through the step | `train_step` | lesson 17, there in a loop |
# | which examples count, by their gradients | `train_step` | lesson 18, there in a loop |
# | a step that is kept only if the loss falls | a loop | lesson 19 |

# %% [markdown]
# ### Does this script do what fit does?
#
# Exercise 14.6 is the exam on Parts I and II. Somebody sends you a training script of 30 lines. It runs, its losses
# fall, and it should end where `fit` ends. It has several bugs, and you are not told how many. You have two
# instruments:
#
# - **Equality.** Build the same model twice, give one to `fit` and one to the script, and compare weights and history.
#   Choose models and data that separate the causes: no regularizer, one batch, one epoch, no dropout.
# - **The tools.** Use `check_gradients` for a derivative by hand, `ExplainingTape` for a missing gradient, and `print`
#   in a function that is traced.
#
# This is what `fit` does:


# %%
def by_fit(model, x, y, x_val, y_val, rates, batch_size):
    """Train one epoch with each learning rate; return fit's history, a dict of lists."""
    model.compile(keras.optimizers.SGD(), keras.losses.Huber(delta=1.0))
    schedule = keras.callbacks.LearningRateScheduler(lambda epoch: rates[epoch])
    options = {"epochs": len(rates), "callbacks": [schedule], "shuffle": False, "verbose": 0}
    data = {"x": x, "y": y, "batch_size": batch_size, "validation_data": (x_val, y_val)}
    history = model.fit(**data, **options).history
    return {name: history[name] for name in ("loss", "val_loss")}


def trial_model(dropout=0.3, strength=0.01):
    keras.utils.set_random_seed(14)
    penalty = keras.regularizers.L2(strength)
    last = layers.Dense(1, kernel_regularizer=penalty)
    return keras.Sequential(
        [keras.Input((1,)), layers.Dense(8, "tanh"), layers.Dropout(dropout), last]
    )


# %%
y_row = y_line[:, 0]  # (400,)
trial = (x_line[:50], y_row[:50], x_line[50:80], y_row[50:80], [0.1, 0.05], 16)
history = by_fit(trial_model(), *trial)

for name, values in history.items():
    print(f"{name:8}", [f"{value:.3f}" for value in values])

# %% tags=["claims"]
assert history["loss"][1] < 0.8 * history["loss"][0]

# %% [markdown]
# ### Exercise 14.6: repair
#
# Repair `train`, so that without `fit` it ends with the weights and the history of `by_fit`. The model is sequential,
# with any layers, and returns (n, 1). `x` has shape (n, features), `y` has shape (n,), and the last batch may be
# short. The loss is Huber's: half the squared error if the error is at most 1 in size, and its size minus one half if
# it is larger. Compare in new cells, with `train(trial_model(), *trial)`. The check names one remaining bug, if it
# recognizes it.


# %% exercise="14.6" minutes=15
def train(model, x, y, x_val, y_val, rates, batch_size):
    # Trains one epoch with each rate; returns the history, as by_fit does.
    ### BEGIN SOLUTION
    #| @tf.custom_gradient
    #| def huber(error):
    #|     size = tf.abs(error)
    #|     cost = tf.where(size < 1, error**2 / 2, size - 0.5)
    #|     return cost, lambda upstream: upstream * tf.sign(error)
    #|
    #| # The first layer's outputs, computed once for all epochs, and the layers behind it.
    #| features = model.layers[0](x)
    #| rest = keras.Sequential(model.layers[1:])
    #| optimizer = keras.optimizers.SGD()
    #| optimizer.build(model.trainable_variables)
    #| mean = keras.metrics.Mean()
    #| history = {"loss": [], "val_loss": []}
    #|
    #| @tf.function
    #| def step(features, targets):
    #|     optimizer.learning_rate = rates[epoch]
    #|     with tf.GradientTape() as tape:
    #|         y_hat = rest(features)
    #|         loss = tf.reduce_mean(huber(y_hat - targets))
    #|     gradients = tape.gradient(loss, model.trainable_variables)
    #|     optimizer.apply(gradients, model.trainable_variables)
    #|     return loss
    #|
    #| for epoch in range(len(rates)):
    #|     for start in range(0, len(x), batch_size):
    #|         batch = slice(start, start + batch_size)
    #|         mean.update_state(step(features[batch], y[batch]))
    #|     history["loss"].append(float(mean.result()))
    #|
    #|     # Validation: the same loss, with the penalties.
    #|     y_hat = model(x_val, training=True)[:, 0]
    #|     val_loss = tf.reduce_mean(huber(y_hat - y_val)) + sum(model.losses)
    #|     history["val_loss"].append(float(val_loss))
    #| return history
    @tf.custom_gradient
    def huber(error):
        size = tf.abs(error)
        cost = tf.where(size < 1, error**2 / 2, size - 0.5)
        return cost, lambda upstream: upstream * tf.clip_by_value(error, -1, 1)

    optimizer = keras.optimizers.SGD()
    optimizer.build(model.trainable_variables)
    mean = keras.metrics.Mean()
    history = {"loss": [], "val_loss": []}

    @tf.function
    def step(inputs, targets):
        with tf.GradientTape() as tape:
            y_hat = model(inputs, training=True)[:, 0]
            loss = tf.reduce_mean(huber(y_hat - targets)) + sum(model.losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        return loss

    for rate in rates:
        optimizer.learning_rate = rate
        mean.reset_state()
        for start in range(0, len(x), batch_size):
            batch = slice(start, start + batch_size)
            mean.update_state(step(x[batch], y[batch]), sample_weight=len(x[batch]))
        history["loss"].append(float(mean.result()))

        # Validation: the same loss, with the penalties.
        y_hat = model(x_val, training=False)[:, 0]
        val_loss = tf.reduce_mean(huber(y_hat - y_val)) + sum(model.losses)
        history["val_loss"].append(float(val_loss))
    return history
    ### END SOLUTION


# %%
check("14.6", train)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Compare where little can differ: `dropout=0`, `strength=0`, one epoch, one batch. Then add one thing at a time. If the
# weights already differ, look at the derivative of `huber` (lesson 07), at shapes (lesson 09), and at what the tape
# records (lesson 03).
#
# </details>
# <details><summary>Hint 2</summary>
#
# With two learning rates, ask what Python does while a graph is traced (lesson 05). If only the history differs: what
# does the metric remember, how does it weight the batches (lesson 09), and how do you call the model for validation?
#
# </details>

# %% [markdown]
# ### What is wrong with this program?
#
# Part II ends with a bug that you find by its symptom. There are no hints and no points, just like at work. It takes
# about five minutes.
#
# ### Exercise 14.7: repair
#
# This loop trains with Adam. The loss falls at first, and then goes up and down and never converges. A look at the
# weights shows that every weight moves by 0.05, up or down, at *every* step. Under `fit`, the same Adam converges.


# %% exercise="14.7"
def train_with_adam(model, x, y, steps):
    # The model maps x, (n, 3), to (n, 1); y has shape (n, 1). Returns the loss before each step.
    ### BEGIN SOLUTION
    #| losses = []
    #| for _ in range(steps):
    #|     optimizer = keras.optimizers.Adam(0.05)
    #|     with tf.GradientTape() as tape:
    #|         loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    #|     gradients = tape.gradient(loss, model.trainable_variables)
    #|     optimizer.apply(gradients, model.trainable_variables)
    #|     losses.append(float(loss))
    #| return losses
    optimizer, losses = keras.optimizers.Adam(0.05), []
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        losses.append(float(loss))
    return losses
    ### END SOLUTION


# %%
check("14.7", train_with_adam)

# %% [markdown]
# ## Further reading
#
# - Keras's guide *Customizing what happens in `fit()` with TensorFlow*: `train_step` in reference form.
# - Brock et al., *High-performance large-scale image recognition without normalization*, ICML 2021: adaptive clipping,
#   row by row.
#
# Part II ends here. For ten questions on all of Part II, with new numbers, run `from course_utils import review` and
# then `review(part="II")` in a new cell. In a terminal, type `course review --part II`.
#
# At work, use `ExplainingTape` where a gradient is `None` or NaN, run `check_gradients` on every loss that you write,
# and look at `plot_tape` when you no longer know what depends on what. Part III goes where you need a tape: [15 · Input
# gradients](15_input_gradients.ipynb).

# %% [markdown] part="Part II: training loops"
# # 09 · A training step
#
# You leave `fit` for a loop of your own, nothing raises, and the model ends up slightly worse. A step has few
# parts, and most of them can be left out in silence. Here you write it, and compare it with `fit`, weight by
# weight.
#
# **You will learn to**
#
# - write a training step that ends with the same weights as `fit`;
# - find mistakes that train on without an error;
# - measure a loss that does not depend on how the examples are cut into batches;
# - accumulate gradients, and stop and resume a run without a trace.
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

import tempfile
import warnings

import keras
import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from keras import layers

# %% [markdown]
# ## What does Keras take over?
#
# The loop of lesson 08 had a model, a loss, a tape and an update. The tape stays yours; Keras has the others. A
# **layer** holds variables and computes with them: `Dense(1)` is `x @ kernel + bias` with one output, so your w
# and b. A **model** holds layers. One way to write it is a class: `__init__` makes the layers, and `call` leads
# the input through them.


# %%
class Line(keras.Model):
    def __init__(self):
        # from here on, Keras notices layers set on self
        super().__init__()
        self.dense = layers.Dense(1)

    def call(self, x):
        return self.dense(x)  # (n, 1)


# %% [markdown]
# The model collects the variables of its layers in `trainable_variables`, the list for the tape.
#
# > **Predict**
# >
# > How many variables are in that list after `model = Line()`?

# %%
predict("09.a", "")

# %%
model = Line()
at_first = len(model.trainable_variables)

print(at_first)

# %% [markdown]
# Now call the model; `keras.Input`, the shape of one example, is enough of an input. Beside it stands another way
# to write a model: `Sequential`, a chain of layers, which may begin with that shape. It is not called here.

# %%
model(keras.Input((1,)))
chain = keras.Sequential([keras.Input((1,)), layers.Dense(1)])

print([f"{v.path} {tuple(v.shape)}" for v in model.trainable_variables])
print("the chain:", len(chain.trainable_variables))

# %% tags=["claims"]
assert len(model.trainable_variables) == len(chain.trainable_variables) == 2

# %% [markdown]
# An **optimizer** makes the update: it gets the gradients, and the variables in the same order. `SGD` does what your
# `assign_sub` did. (The name is short for stochastic gradient descent: a step often looks at a part of the
# examples only, drawn at random.)

# %%
# (200, 1) each
x, y = make_line(slope=2.0, intercept=-1.0, noise=0.2, seed=9)
variables = model.trainable_variables

with tf.GradientTape() as tape:
    loss = tf.reduce_mean((model(x) - y) ** 2)

gradients = tape.gradient(loss, variables)
by_hand = [v.numpy() - 0.1 * g.numpy() for v, g in zip(variables, gradients, strict=True)]
keras.optimizers.SGD(0.1).apply(gradients, variables)

same = all(np.allclose(v, hand, atol=1e-6) for v, hand in zip(variables, by_hand, strict=True))
print("as by hand:", same)

# %% tags=["claims"]
assert same and at_first == 0

# %% [markdown]
# SGD has one step size for all weights. **Adam** gives each weight its own. It keeps two running averages: m of the
# weight's gradients, and v of their squares. Then it moves the weight by $\text{lr} \cdot m / \sqrt{v}$. While the
# gradients stay alike, $m / \sqrt{v}$ is 1 or -1: the step has the length lr, whether the gradient is 100 or 0.01.
# Both averages start at 0, so at first they are too small; dividing by $1 - 0.9^t$ and $1 - 0.999^t$ in step t makes
# up for it. (Keras adds 1e-7, the **epsilon**, to the root of the v that is not yet corrected. So tiny gradients take
# shorter steps: a first one of 1e-6 moves a weight by a quarter of lr.) By hand:

# %%
weight, adam = tf.Variable(1.0), keras.optimizers.Adam(0.01)
by_hand, m, v = 1.0, 0.0, 0.0

for t, g in enumerate([100.0, 100.0, -50.0, 0.01], start=1):
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
    change = 0.01 * (m / (1 - 0.9**t)) / np.sqrt(v / (1 - 0.999**t))
    by_hand -= change
    adam.apply([tf.constant(g)], [weight])
    print(f"gradient {g:6}: moved by {-change:.4f}, as Adam: {np.isclose(weight, by_hand)}")
    assert np.isclose(weight, by_hand, rtol=1e-5) and (t > 2 or np.isclose(change, 0.01))

for g, share in ((1e-3, 1.0), (1e-6, 0.24)):
    weight = tf.Variable(0.0)
    keras.optimizers.Adam(0.01).apply([tf.constant(g)], [weight])
    assert np.isclose(-weight, share * 0.01, rtol=0.01)

# %% [markdown]
# ### Further: older spellings
#
# You will read that the first layer takes `input_shape=`; run this. The variables are there, and a warning
# that asks for `keras.Input`.

# %%
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    old_style = keras.Sequential([layers.Dense(5, input_shape=(20,))])

print([warning.category.__name__ for warning in caught], len(old_style.weights), "variables")

# %% tags=["claims"]
assert len(caught) == 1 and "input_shape" in str(caught[0].message)
assert len(old_style.weights) == 2

# %% [markdown]
# You will read `optimizer.apply_gradients(zip(gradients, variables))`, the spelling of most older code; run
# this. It is the same update. And neither spelling counts: where a gradient is missing at the end of the list,
# SGD leaves the last variable as it is, without a word. (`zip(..., strict=True)` raises an error.)

# %%
older, newer, last = tf.Variable(1.0), tf.Variable(1.0), tf.Variable(1.0)
slope = tf.constant(3.0)
keras.optimizers.SGD(0.1).apply_gradients(zip([slope], [older], strict=True))
# one gradient, two variables
keras.optimizers.SGD(0.1).apply([slope], [newer, last])

print(f"{older.numpy():.1f}, {newer.numpy():.1f}, {last.numpy():.1f}")

# %% tags=["claims"]
assert np.isclose(older, 0.7) and np.isclose(newer, 0.7) and last == 1.0

# %% [markdown]
# ## What belongs to a step?
#
# From here on the model tells 5 classes apart, from 20 numbers. A step takes one **batch** of examples, here 32; a
# pass through all batches is an **epoch**. Ours come in one fixed order, so that two runs get the same batches.
# (Lesson 10 shuffles.)

# %%
# (700, 20), (700,): classes 0 to 4
x_all, y_all = make_classification(700, seed=9)
x_train, y_train = x_all[:500], y_all[:500]
x_held, y_held = x_all[500:], y_all[500:]  # held out, for validation


def in_batches(x, y):
    return [(x[first : first + 32], y[first : first + 32]) for first in range(0, len(x), 32)]


batches = in_batches(x_train, y_train)
print(f"{len(batches)} batches, the last of {len(batches[-1][0])}")

# %% tags=["claims"]
assert [len(x) for x, y in batches] == [32] * 15 + [20]

# %% [markdown]
# The model ends in 5 **logits**, scores of any size. A **softmax** makes probabilities of them: exp(score), divided
# by the sum of all five. The loss, **cross-entropy**, is minus the logarithm of the probability of the right class.
# Keras's loss expects probabilities; `from_logits=True` says that it gets scores, and is to take the softmax
# itself.
#
# > **Predict**
# >
# > You give it scores, and forget `from_logits=True`. What comes back?

# %%
predict("09.b", "")

# %%
scores, right_class = tf.constant([[2.0, 1.0, -1.0]]), tf.constant([0])
probability = tf.nn.softmax(scores)[0, 0]
said = keras.losses.SparseCategoricalCrossentropy(from_logits=True)(right_class, scores)
unsaid = keras.losses.SparseCategoricalCrossentropy()(right_class, scores)

print(f"by hand {-np.log(probability):.3f}, said {said:.3f}, not said {unsaid:.3f}")

# %% [markdown]
# A model without a softmax at its end, and `from_logits=True`, belong together.
#
# A **regulariser** is a penalty for large weights, against learning the examples by heart: `L2(0.01)` adds 0.01 times
# the sum of a kernel's squared weights to the loss. Its slope, 0.02 times each weight, pulls all of them toward
# 0. You find the penalties of all layers in the list `model.losses`.


# %%
def build_model(two_ways=True):
    """Return the model, with the same first weights at every call."""
    keras.utils.set_random_seed(9)
    first = layers.Dense(64, activation="relu", kernel_regularizer=keras.regularizers.L2(0.01))
    middle = [layers.BatchNormalization(momentum=0.9), layers.Dropout(0.2, seed=9)]
    last = [layers.Dense(32, activation="relu"), layers.Dense(5)]
    return keras.Sequential([keras.Input((20,)), first, *(middle if two_ways else []), *last])


model = build_model()
kernel = model.layers[0].kernel
with tf.GradientTape() as tape:
    (penalty,) = model.losses

print(f"{len(model.losses)} penalty: {float(penalty):.3f}")

# %% tags=["claims"]
assert np.isclose(said, -np.log(probability))
assert np.isclose(penalty, 0.01 * np.sum(kernel.numpy() ** 2))
assert np.allclose(tape.gradient(penalty, kernel), 0.02 * kernel.numpy())

# %% [markdown]
# The two layers in the middle work in two ways, one in training and one in use. `Dropout(0.2)` draws about a
# fifth of its inputs in training and sets them to 0, and divides the others by 0.8, so that no later weight relies on
# one of them. Batch normalisation scales each input to mean 0 and, unless it hardly varies, variance 1: in training by
# the batch at hand, in use by running averages of the batches it saw. (Two trained weights then stretch and shift it.)
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

# %% [markdown]
# The whole step: forward in training, the loss with the penalties, the gradient, the update, and the loss for the
# log.

# %%
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def train_step(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        logits = model(x, training=True)  # (n, 5)
        loss = loss_fn(y, logits) + sum(model.losses)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply(gradients, model.trainable_variables)
    return loss


def train_epoch(model, optimizer, step=train_step):
    """Take one step for each batch; return their losses and their sizes, (2, 16)."""
    steps = [(float(step(model, optimizer, x, y)), len(x)) for x, y in batches]
    return np.transpose(steps)


# %% [markdown]
# A layer obeys where you say `training=True` or `training=False` (lesson 11 shows an exception); `fit` says
# `training=True` for you. Where nothing is said, to it or to its model, the layer's own default counts. For dropout
# and batch normalisation that is the way in use, where the running averages scale, and are never updated. A layer
# that turns images at random, such as `RandomRotation`, turns them unless you say `training=False`.

# %%
assert not np.any(dropped == 0) and abs(unsaid - said) > 0.3
in_training = dropout(ones, training=True).numpy()
assert 120 < np.sum(in_training == 0) < 280 and set(in_training.ravel()) == {0.0, 1.25}

norm = layers.BatchNormalization()
column = tf.constant([[1.0], [3.0]])
# average 0, variance 1: the start
assert np.allclose(norm(column), [[1], [3]], atol=0.01)
assert norm.moving_mean == 0.0
assert np.allclose(norm(column, training=True), [[-1], [1]], atol=0.01)
assert norm.moving_mean > 0.0

rotate, image = layers.RandomRotation(0.3, seed=9), tf.reshape(tf.range(64.0), (1, 8, 8, 1))
assert np.allclose(rotate(image, training=False), image)
assert not np.allclose(rotate(image), image)
print("default of dropout: as in use; of RandomRotation: as in training")

# %% [markdown]
# ### Exercise 09.1: complete
#
# Write the step for a regression: `model` maps x, shape (n, 3), to (n, 1), and y has shape (n, 1). The loss
# is the mean squared error plus the model's penalties. Let `optimizer` apply one update, without Keras's own
# step (`train_on_batch`), and return the loss.


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
# ### Is it really what fit does?
#
# There is a test: the same first weights and the same batches must end in the same weights. Take three epochs
# with your loop, and then with `fit`. (Dropout's seed is fixed, so both drop the same inputs. XLA, a compiler that
# `compile` may turn on by itself on a GPU, draws others from that seed, so `jit_compile=False` keeps it out.)


# %%
def largest_difference(weights, others):
    return max(np.max(np.abs(a - b)) for a, b in zip(weights, others, strict=True))


ours, our_adam = build_model(), keras.optimizers.Adam(1e-3)
first_weights = [v.numpy() for v in ours.trainable_variables]
print("your loop", end=", ", flush=True)
epochs = [train_epoch(ours, our_adam) for _ in range(3)]

print("and fit:", end=" ", flush=True)
theirs = build_model()
theirs.compile(keras.optimizers.Adam(1e-3), loss_fn, metrics=["accuracy"], jit_compile=False)
cut = {"batch_size": 32, "shuffle": False, "verbose": 0}
history = theirs.fit(x_train, y_train, epochs=3, **cut).history

moved = largest_difference(ours.trainable_variables, first_weights)
difference = largest_difference(ours.get_weights(), theirs.get_weights())
print(f"a weight moved by up to {moved:.2f}; equal after 48 steps: {difference < 1e-4}")

# %% tags=["claims"]
assert difference < 1e-4 and moved > 0.02

# %% [markdown]
# Not one of 3,845 numbers tells the two apart. But would the test see a part left out? Leave out `training=True`,
# then the penalties, and then `training=True` again, on a model without the two layers in the middle:


# %%
def make_step(training, penalties):
    def step(model, optimizer, x, y):
        with tf.GradientTape() as tape:
            loss = loss_fn(y, model(x, training=training)) + penalties * sum(model.losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        return loss

    return step


def weights_after(step, two_ways=True):
    model, optimizer = build_model(two_ways), keras.optimizers.Adam(1e-3)
    for _ in range(3):
        train_epoch(model, optimizer, step)
    return model.get_weights()


# %%
complete, unsaid, unpunished = make_step(True, 1), make_step(None, 1), make_step(True, 0)
sees = {}
for name, step in (("training=True", unsaid), ("model.losses", unpunished)):
    print(f"without {name}: seen", end=" ", flush=True)
    distance = largest_difference(weights_after(step), theirs.get_weights())
    sees[name] = distance > 1e-3
    print(sees[name])

print("without training=True, in a model without the two layers: seen", end=" ", flush=True)
plain = largest_difference(weights_after(unsaid, False), weights_after(complete, False))
print(plain > 1e-3)

# %% tags=["claims"]
assert all(sees.values()) and plain < 1e-4
assert sum(w.size for w in theirs.get_weights()) == 3845

# %% [markdown]
# The test sees what the model uses, but no mistake that both make, such as a wrong `loss_fn`, and with Adam hardly a
# factor on the whole loss. Where no layer works in two ways, leaving out `training=True` changes
# nothing. So test a loop on a model that has dropout or batch normalisation, and a penalty. The step in exercise 09.3
# fails this test.

# %% [markdown]
# ## Which mistakes raise no error?
#
# You saw a loss that takes scores for probabilities. The next one is a shape.
#
# ### Exercise 09.2: predict
#
# Both predictions are right: `y_hat` is `[[1.0], [3.0]]`, shape (2, 1). The targets are `y`, `[1.0, 3.0]`,
# shape (2,). What is `tf.reduce_mean((y_hat - y) ** 2)`?

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
# Shapes are lined up from the right: (2,) becomes (1, 2). What shape has (2, 1) minus (1, 2)?
#
# </details>
# <details><summary>Hint 2</summary>
#
# The difference is a table: each prediction minus each target. Two of its four entries are 0.
#
# </details>
#
# Here is the table:

# %%
y_hat, y = tf.constant([[1.0], [3.0]]), tf.constant([1.0, 3.0])
table = y_hat - y

print(table.numpy().tolist(), "loss", tf.reduce_mean(table**2).numpy())

# %% [markdown]
# Every prediction is compared with every target, and what is nearest to all targets at once is their mean. A model
# that can give the mean trains to that wrong end. In a formula of your own, assert the shapes. Keras's mean squared
# error makes (2, 1) and (2,) alike, and there its help ends:

# %%
mse = keras.losses.MeanSquaredError()
by_axis = {
    "(2, 1)": mse(y, y_hat),
    "(2, 1, 1)": mse(y, y_hat[:, None]),
    # both columns are right
    "(2, 2)": mse(y, tf.concat([y_hat, y_hat], axis=1)),
}

print({shape: float(loss) for shape, loss in by_axis.items()})

# %% tags=["claims"]
assert np.allclose(list(by_axis.values()), [0.0, 2.0, 2.0])

# %% [markdown]
# Then there is a variable that the loss does not reach. Its gradient is `None`, and the optimizer speaks: it warns of
# one, and raises an error when all are missing, for instance with the forward pass above the block.

# %%
used, unused = tf.Variable(1.0), tf.Variable(1.0)
sgd = keras.optimizers.SGD(0.1)
with tf.GradientTape() as tape:
    loss = used**2
gradients = tape.gradient(loss, [used, unused])  # 2 and None

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    sgd.apply(gradients, [used, unused])
print([warning.category.__name__ for warning in caught], used.numpy(), unused.numpy())

# %% tags=["claims"]
assert len(caught) == 1 and "Gradients do not exist" in str(caught[0].message)
assert np.isclose(used, 0.8) and unused == 1.0
# Of Exercise 09.2:
assert table.shape == (2, 2) and np.isclose(tf.reduce_mean(table**2), 2.0)

# %%
squared = used**2  # above the block
with tf.GradientTape() as tape:
    loss = 3 * squared

try:
    sgd.apply(tape.gradient(loss, [used, unused]), [used, unused])
except ValueError as error:
    message = str(error)
print(message)

# %% tags=["claims"]
assert "No gradients" in message

# %% [markdown]
# So a warning in a log can be a layer that never learns. A wrong shape gives none.
#
# In the figure, on the left, both losses fall, one far less; on the right is the line that each leads to.

# %%
x, y = make_line(16, seed=9)  # (16, 1) both; the true slope is 3
runs = {}
for targets in (y, y[:, 0]):
    w, b, losses = tf.Variable(0.0), tf.Variable(0.0), []
    for _ in range(60):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((w * x + b - targets) ** 2)
        dw, db = tape.gradient(loss, [w, b])
        w.assign_sub(0.1 * dw)
        b.assign_sub(0.1 * db)
        losses.append(float(loss))
    runs[targets.shape] = w.numpy(), b.numpy(), losses
    print(f"y of shape {targets.shape}: slope {abs(w.numpy()):.1f}")

# %% tags=["claims"]
assert abs(runs[16, 1][0] - 3) < 0.5 and abs(runs[16,][0]) < 0.1
assert abs(runs[16,][1] - np.mean(y)) < 0.1
assert all(losses[-1] < losses[0] for w, b, losses in runs.values())

# %%
fig, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.2))
points = right.scatter(x, y, color="0.5", s=16)
for (shape, (w, b, losses)), style in zip(runs.items(), ("-", "--"), strict=True):
    (line,) = left.plot(losses, style)
    label = {"color": line.get_color(), "va": "bottom", "ha": "right"}
    left.annotate(f"y of shape {shape}", (60, losses[-1] + 0.2), **label)
    right.plot([-2, 2], [b - 2 * w, b + 2 * w], style)
    right.annotate(f"slope {abs(w):.1f}", (1.5, 1.5 * w + b + 0.1), **label)
left.set(xlabel="step", ylabel="loss", ylim=(0, None))
labels = right.set(xlabel="x", ylabel="y and prediction")

# %% [markdown]
# With (16,) the fit is flat, at the mean of y.
#
# ### Exercise 09.3: repair
#
# This step should do what `fit` does with a mean squared error. It runs, its loss falls, and three things in
# it are wrong. Mend them here: Keras's own step (`train_on_batch`) would only hide them. The model begins with
# batch normalisation and ends with a regularised layer.


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
# Go through the step as `train_step` has it, part by part, and then through the shapes.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Say that it is training; take column 0 of the prediction; add the penalties.
#
# </details>

# %% [markdown]
# ## How do I measure fairly?
#
# > **Predict**
# >
# > Your first epoch gave 16 batch losses. Is their mean what `fit` reports for that epoch, to four digits?

# %%
predict("09.d", "")

# %%
losses, sizes = epochs[0]
mean_of_means = np.mean(losses)

print(f"yours {mean_of_means:.4f}, fit's {history['loss'][0]:.4f}")

# %% [markdown]
# A **metric** object, such as `keras.metrics.Mean`, keeps a sum and a count from batch to batch. With `sample_weight`
# you tell it how much an entry counts:

# %%
mean_loss = keras.metrics.Mean()
for loss, size in zip(losses, sizes, strict=True):
    mean_loss.update_state(loss, sample_weight=size)

print(f"weighed {mean_loss.result().numpy():.4f}")

# %% tags=["claims"]
assert np.isclose(mean_loss.result(), history["loss"][0], rtol=1e-4)

# %% [markdown]
# **Validation** measures on examples that training never sees. Its step needs no tape, because nothing asks
# for a gradient, and `training=False`. A metric never forgets by itself: reset it before each pass. This
# function gives what `evaluate` gives:

# %%
accuracy = keras.metrics.SparseCategoricalAccuracy()


def validate(model):
    mean_loss.reset_state()
    accuracy.reset_state()
    for x, y in in_batches(x_held, y_held):
        logits = model(x, training=False)
        mean_loss.update_state(loss_fn(y, logits) + sum(model.losses), sample_weight=len(x))
        accuracy.update_state(y, logits)
    return float(mean_loss.result()), float(accuracy.result())


by_keras = theirs.evaluate(x_held, y_held, batch_size=32, verbose=0)
print("same as evaluate:", np.allclose(validate(ours), by_keras, rtol=1e-4))

# %% tags=["claims"]
assert np.allclose(validate(ours), by_keras, rtol=1e-4)
assert abs(mean_of_means - history["loss"][0]) > 1e-4

# %% [markdown]
# In the figure, look for the line that falls too slowly: the training loss from a metric that was never
# reset. (The training loss is averaged while the model still learns, so validation can lie below it.)

# %%
model, optimizer, never_reset = build_model(), keras.optimizers.Adam(1e-3), keras.metrics.Mean()
curves = {"loss": [], "val_loss": [], "stale": []}
for epoch in range(5):
    print(f"epoch {epoch + 1} of 5", end="\r")
    losses, sizes = train_epoch(model, optimizer)
    never_reset.update_state(losses, sample_weight=sizes)
    curves["loss"].append(np.average(losses, weights=sizes))
    curves["val_loss"].append(validate(model)[0])
    curves["stale"].append(float(never_reset.result()))

# %% tags=["claims"]
assert np.allclose(curves["loss"][:3], history["loss"], rtol=1e-4)
assert curves["loss"][-1] < 0.9 * curves["stale"][-1]
# of all epochs so far
assert np.isclose(curves["stale"][-1], np.mean(curves["loss"]))

# %%
ax = plot_history(curves)
(line,) = ax.plot(range(1, 6), curves["stale"], ":", color="C2")
at = {"xytext": (8, 0), "textcoords": "offset points", "va": "center", "color": "C2"}
text = ax.annotate("never reset", (5, curves["stale"][-1]), **at)

# %% [markdown]
# ### Exercise 09.4: repair
#
# For every epoch, this function should return the mean loss of an example. The first number is somewhat off,
# and then they lag behind.


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
# Two things are wrong: one between epochs, one between batches of unequal size.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `reset_state()` at the start of an epoch. Give the metric every loss of the batch, or its mean with the
# `sample_weight` n.
#
# </details>

# %% [markdown]
# ## What if the batch does not fit in memory?
#
# The tape keeps values of the forward pass for each example: half a batch needs about half of them. You take the
# parts one after another, add up, or **accumulate**, the gradients of the parts, and apply once.
#
# > **Predict**
# >
# > The gradient of the first 16 examples plus that of the other 16: how many times the gradient of all 32 is it?

# %%
predict("09.e", "")


# %%
def gradients_of(model, x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x, training=True)) + sum(model.losses)
    return tape.gradient(loss, model.trainable_variables)


model = build_model(two_ways=False)
x, y = batches[0]
whole = gradients_of(model, x, y)
halves = [gradients_of(model, x[:16], y[:16]), gradients_of(model, x[16:], y[16:])]
added = [a + b for a, b in zip(*halves, strict=True)]

print(f"{float(tf.norm(added[0]) / tf.norm(whole[0])):.2f} times")

# %% [markdown]
# How far does a mistake show in the weights? That depends on the optimizer. `update_by` takes one step from the
# same start, and returns the changes of all weights.


# %%
def update_by(optimizer, gradients):
    model = build_model(two_ways=False)
    before = model.get_weights()
    optimizer.apply(gradients, model.trainable_variables)
    pairs = zip(model.get_weights(), before, strict=True)
    # (3589,)
    return np.concatenate([np.ravel(after - before) for after, before in pairs])


# %% [markdown]
# Each loss is a *mean*, here over 16, and holds the whole penalty. So weigh each part with its share of all
# examples. Leave it out, and SGD takes a step of twice the length. Adam divides by the gradient's size: a factor in all
# gradients cancels, which hides the mistake.
#
# One thing cannot be added up: batch normalisation takes its averages over each part alone. (And dropout draws
# anew.) So this model has neither.

# %%
accumulated = [g / 2 for g in added]
for make, expected in ((keras.optimizers.SGD, 1), (keras.optimizers.Adam, 0)):
    right, parts, double = (update_by(make(), g) for g in (whole, accumulated, added))
    off = [np.mean(abs(u - right)) / np.mean(abs(right)) for u in (parts, double)]
    print(f"{make.__name__}: weighed off by {off[0]:.0%}, added off by {off[1]:.0%}")
    assert off[0] < 0.001 and abs(off[1] - expected) < 0.01

norm_half, norm_whole = norm(x[:16, :1], training=True), norm(x[:, :1], training=True)

# %% tags=["claims"]
assert not np.allclose(norm_half, norm_whole[:16], atol=1e-3)

# %% [markdown]
# ### Exercise 09.5: complete
#
# `parts` is a list of pairs (x, y) of *unequal* sizes. Let `optimizer` update the model once, after the last part,
# as one step on all examples together would. The loss is that of exercise 09.1: the mean squared error of all
# examples, plus `sum(model.losses)`. Never join the parts, or record several on one tape: together they do not fit.


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
# A part with n of all N examples has the share n / N, of the error and of the penalty.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Count the examples first. Start with a list of zeros, one for each variable; add n / N times each part's
# gradients; call `optimizer.apply` once, after the loop.
#
# </details>

# %% [markdown]
# ## Can I stop and go on?
#
# `tf.train.Checkpoint` writes variables to files. The run `ours` is saved after its third epoch, and goes on
# for a fourth. `state_of` lists what is saved.


# %%
def state_of(model, optimizer):
    # tf.Variables
    draws = [variable.value for variable in model.non_trainable_variables]
    return {"model": model, "optimizer": optimizer, "draws": draws}


folder = tempfile.TemporaryDirectory()
path = tf.train.Checkpoint(**state_of(ours, our_adam)).save(f"{folder.name}/run")
fourth = train_epoch(ours, our_adam)  # the epoch without a stop

# %%
def resume(*kept):
    """Return how far the fourth epoch of a new run ends from that of ours, if these parts are kept."""
    model, adam = build_model(), keras.optimizers.Adam(1e-3)
    # its variables exist, and can be restored
    adam.build(model.trainable_variables)
    state = {name: part for name, part in state_of(model, adam).items() if name in kept}
    status = tf.train.Checkpoint(**state).restore(path)
    status.expect_partial() if len(kept) < 3 else status.assert_consumed()
    train_epoch(model, adam)
    return largest_difference(model.get_weights(), ours.get_weights())


# %% [markdown]
# > **Predict**
# >
# > A new model gets the saved weights, with a new Adam, and trains on the same fourth epoch. A second one gets the
# > saved Adam, too. Which of them ends with the weights of `ours`?

# %%
predict("09.f", "")

# %%
model_alone, with_adam = resume("model"), resume("model", "optimizer")

print("same weights:", model_alone < 1e-4, with_adam < 1e-4)

# %% [markdown]
# The third part, `draws`, holds the variables that nothing trains, dropout's seed among them. Now with all three.
# `assert_consumed` tells whether every saved value found its place:

# %%
with_all = resume("model", "optimizer", "draws")
same = [distance < 1e-4 for distance in (model_alone, with_adam, with_all)]

print("same weights:", same[-1])

# %% tags=["claims"]
assert same[-1] and sum(same) == 1 and min(model_alone, with_adam) > 10 * with_all
assert our_adam.iterations == 4 * 16

# %% [markdown]
# Where examples are shuffled, their order is a fourth part of the state; lesson 13 saves it.
#
# ## Checkpoint
#
# Answer before you open.
#
# <details><summary>1. Your loop and <code>fit</code> start alike and end apart. What do you look for?</summary>
#
# Other batches or another seed, no `training=True`, no `model.losses`, no `from_logits=True` in one of the two, or
# shapes that broadcast.
#
# </details>
# <details><summary>2. You restore the model, but not its Adam. When does the difference show, and
# why?</summary>
#
# At the next step: the new Adam starts its averages and its count at 0.
#
# </details>
# <details><summary>3. You accumulate four parts of 8 examples. What do you multiply their gradients
# with?</summary>
#
# 8/32 each; the penalty then counts once.
#
# </details>

# %% [markdown]
# ## Recap
#
# - `training=True`; add `model.losses`; the same shapes in your formula; no warning of missing gradients.
# - Test: the same weights as `fit` from the same start and batches, in a model that uses every part, with a right loss.
# - Weigh batch means by size; reset metrics before each pass; validate without a tape.
# - Accumulated gradients are weighed by each part's share, and applied once.
# - A checkpoint holds the model, the optimizer, and what dropout drew.
#
# ```python
# with tf.GradientTape() as tape:
#     loss = loss_fn(y, model(x, training=True)) + sum(model.losses)
# gradients = tape.gradient(loss, model.trainable_variables)
# optimizer.apply(gradients, model.trainable_variables)
# ```
#
# **To remember**: same start, same batches, same weights as `fit`: that test sees a part left out, where no error does.

# %% [markdown]
# ## Further reading
#
# - Keras's guide *Writing a training loop from scratch in TensorFlow*: the same parts in reference form.
# - TensorFlow's guide *Training checkpoints*: what is saved, and how values find their variables.
# - Kingma and Ba, *Adam: a method for stochastic optimization*, ICLR 2015: what the two averages are for.
#
# The step is right. The next lesson makes it fast: [10 · Fast loops](10_fast_loops.ipynb).

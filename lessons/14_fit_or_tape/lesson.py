# %% [markdown] part="Part II: training loops"
# # 14 · fit or tape
#
# You can write the loop yourself now. Should you? Many loops do what one argument of `compile` does.
#
# **You will be able to**
#
# - say what `fit` does, line by line;
# - choose the smallest means that does the job, from `compile` to a loop;
# - move a loss, a clipping, a penalty or a second optimizer into `fit`, and prove that nothing was lost;
# - write a `train_step` that leaves nothing out.
#
# **Before you start**: [12 · Several losses](12_multi_loss.ipynb) and [13 · MNIST](13_mnist.ipynb).
# **Time**: 60 minutes.

# %% tags=["nbval-ignore-output"]
from course_utils import (
    ExplainingTape,
    check,
    make_classification,
    make_line,
    start_lesson,
)

start_lesson("14")

import warnings

import keras
import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from keras import layers

# %% [markdown]
# ## What is fit, in your own words?
#
# Two loops, over epochs and over batches, around `train_step`, which holds the tape. Between them `fit` calls
# the callbacks, through a `CallbackList` that you may use as well:


# %%
def own_fit(model, batches, epochs, callbacks):
    """Train as model.fit does, without validation and progress bar; return the number of epochs."""
    step = tf.function(model.train_step)
    callbacks = keras.callbacks.CallbackList(callbacks, model=model)
    model.stop_training = False
    callbacks.on_train_begin()
    for epoch in range(epochs):
        model.reset_metrics()
        callbacks.on_epoch_begin(epoch)
        for number, batch in enumerate(batches):
            callbacks.on_train_batch_begin(number)
            logs = step(batch)
            callbacks.on_train_batch_end(number, logs)
            if model.stop_training:
                break
        callbacks.on_epoch_end(epoch, {k: float(v) for k, v in model.get_metrics_result().items()})
        if model.stop_training:
            break
    callbacks.on_train_end()
    return epoch + 1


# %% [markdown]
# The proof of lesson 09, and now with a callback that ends the training:

# %%
x, y = map(tf.constant, make_classification(512, seed=14))  # (512, 20), (512,): classes 0 to 4
batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(32)  # 16 batches
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def build_model(kind=keras.Sequential):
    keras.utils.set_random_seed(14)
    penalty = keras.regularizers.L2(1e-3)
    body = layers.Dense(32, activation="relu", kernel_regularizer=penalty, name="body")
    return kind([keras.Input((20,)), body, layers.Dense(5, name="head")], name="model")


def largest_difference(model, other):
    pairs = zip(model.get_weights(), other.get_weights(), strict=True)
    return max(np.max(np.abs(a - b)) for a, b in pairs)


# %%
ours, theirs, eager = build_model(), build_model(), []
patience = {"monitor": "loss", "min_delta": 0.1, "patience": 2}


def noting_loss(y, logits):
    eager.append(tf.executing_eagerly())
    return loss_fn(y, logits)


for model in (ours, theirs):
    model.compile(keras.optimizers.Adam(1e-2), noting_loss)

stop, stop_too = (keras.callbacks.EarlyStopping(**patience) for _ in range(2))
epochs = own_fit(ours, batches, 50, [stop])
history = theirs.fit(batches, epochs=50, callbacks=[stop_too], shuffle=False, verbose=0)

print("stopped early:", epochs < 50, "and equal weights:", largest_difference(ours, theirs) < 1e-4)
assert epochs == len(history.epoch) < 50 and eager and not any(eager)
assert largest_difference(ours, theirs) < 1e-4

# %% [markdown]
# For standard training, a loop changes nothing in the weights. `fit` makes a graph of the step, too: the loss never ran
# eagerly.

# %% [markdown]
# ## What can compile and callbacks already do?
#
# **A loss that Keras lacks.** You want a **quantile**: a line with 90 % of the points below it. The *pinball loss*
# finds it: y above `y_hat` costs q for each unit, y below it 1 - q. `compile` takes a function of `(y, y_hat)` made of
# TensorFlow operations:


# %%
def pinball(q):
    def loss(y, y_hat):
        error = y - y_hat
        return tf.reduce_mean(tf.maximum(q * error, (q - 1) * error), axis=-1)  # (n,)

    return loss


def line_model(kind=keras.Sequential):
    keras.utils.set_random_seed(14)
    return kind([keras.Input((1,)), layers.Dense(1)])


x_line, y_line = map(tf.constant, make_line(400, noise=1.0, seed=14))  # (400, 1) both

# %%
by_fit, by_loop, optimizer = line_model(), line_model(), keras.optimizers.Adam(0.1)
by_fit.compile(keras.optimizers.Adam(0.1), pinball(0.9))
by_fit.fit(x_line, y_line, batch_size=400, epochs=100, verbose=0)

for _ in range(100):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(pinball(0.9)(y_line, by_loop(x_line, training=True)))
    gradients = tape.gradient(loss, by_loop.trainable_variables)
    optimizer.apply(gradients, by_loop.trainable_variables)

share = float(np.mean(y_line < by_fit(x_line)))
print(f"below the line: {share:.0%}, equal weights: {largest_difference(by_loop, by_fit) < 1e-3}")
assert largest_difference(by_loop, by_fit) < 1e-3 and abs(share - 0.9) < 0.02

# %% [markdown]
# The loop adds nothing. Why `axis=-1`, one loss for each example? The mean of all trains just the same, until `fit`
# gets a `sample_weight`, a factor for each example. Two examples with the losses 1 and 3 and the weights 2 and 0:


# %%
def error_of_each(y, y_hat):
    return tf.reduce_mean(tf.abs(y - y_hat), axis=-1)  # (n,)


def mean_error(y, y_hat):
    return tf.reduce_mean(tf.abs(y - y_hat))  # ()


model, weighed = line_model(), []
for function in (error_of_each, mean_error):
    model.compile(loss=function)
    y_pair, weights = tf.constant([[1.0], [3.0]]), tf.constant([2.0, 0.0])
    loss = model.compute_loss(y=y_pair, y_pred=tf.zeros((2, 1)), sample_weight=weights)
    weighed.append(float(loss))

print("each:", weighed[0], " mean:", weighed[1])
assert np.allclose(weighed, [1.0, 2.0])

# %% [markdown]
# (2 · 1 + 0 · 3) / 2 = 1 is right; Keras divides by the number of examples. For the second function the weights come
# too late: the mean, 2, is weighed with 2 and with 0. The example that should not count still does.

# %% [markdown]
# ### Exercise 14.1: complete
#
# Ordering too little (`y_hat` below `y`) costs 3 times the squared error, too much the squared error once. Write the
# loss for `compile`: the mean over k goods, one number for each example.


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
# Average as `pinball` does.
#
# </details>
#
# **A curriculum**: easy examples first, and the hard ones join later. A callback raises a limit before each
# epoch, and the pipeline passes what is below it.
#
# > **Predict**
# >
# > For three epochs the pipeline holds 6, 12 and 16 batches. On how many does `fit` train in the third?


# %%
hardness = tf.reduce_max(tf.abs(x), axis=1)  # (512,): here, large readings count as hard
limit, numbers = tf.Variable(0.0), []  # a pipeline is a graph, and would fix a Python number


def raise_limit(epoch, logs=None):
    limit.assign((2.0, 2.4, 9.0)[epoch])


examples = tf.data.Dataset.from_tensor_slices((x, y, hardness))
growing = examples.filter(lambda x, y, h: h < limit).batch(32).map(lambda *batch: batch[:2])
stages = keras.callbacks.LambdaCallback(on_epoch_begin=raise_limit)
note = keras.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: numbers.append(batch))

by_fit = build_model()
by_fit.compile(keras.optimizers.Adam(1e-2), loss_fn)
with warnings.catch_warnings(record=True) as held:
    by_fit.fit(growing, epochs=3, callbacks=[stages, note], shuffle=False, verbose=0)
starts = [i for i, number in enumerate(numbers) if number == 0]
print("batches in each epoch:", np.diff([*starts, len(numbers)]))

# %% [markdown]
# All 16, one expects. But `fit` cannot know the length of a filtered pipeline. In the first epoch it finds the end by
# trying a seventh batch, warns, and takes 7 for the length of all others. The try even counts as a step of Adam. So call
# `fit` once for each stage, on arrays, whose length it knows; the optimizer keeps its state. `own_fit` goes to the end
# of any pipeline:

# %%
assert numbers[-1] == 6 and by_fit.optimizer.iterations == len(numbers) + 1
assert "ran out of data" in str(held[0].message)

by_stages, by_loop = build_model(), build_model()
for model in (by_stages, by_loop):
    model.compile(keras.optimizers.Adam(1e-2), loss_fn)

lengths = []
for stage in range(3):
    raise_limit(stage)
    lengths.append(sum(1 for _ in growing))
    part = hardness < limit
    by_stages.fit(x[part], y[part], batch_size=32, shuffle=False, verbose=0)
own_fit(by_loop, growing, 3, [stages])

print("equal weights:", largest_difference(by_stages, by_loop) < 1e-4)
assert largest_difference(by_stages, by_loop) < 1e-4 < largest_difference(by_fit, by_loop)
assert lengths == [6, 12, 16]

# %% [markdown]
# **What happens to gradients**: each is clipped, say, to the limit of its layer (lesson 11). An optimizer gets every
# gradient with its variable, and `compile` takes an optimizer of your own:


# %%
limits = {"body": 0.5, "head": 0.1}


def clip(gradients, variables):
    layer = [v.path.split("/")[-2] for v in variables]  # "model/body/kernel": the second last
    return [tf.clip_by_norm(g, limits[n]) for g, n in zip(gradients, layer, strict=True)]


class ClippedSGD(keras.optimizers.SGD):
    def apply(self, gradients, variables):
        super().apply(clip(gradients, variables), variables)


# %%
clipped, by_loop, optimizer = build_model(), build_model(), keras.optimizers.SGD(0.1)
clipped.compile(ClippedSGD(0.1), loss_fn)
clipped.fit(batches, epochs=2, shuffle=False, verbose=0)

for x_batch, y_batch in batches.repeat(2):
    with tf.GradientTape() as tape:
        loss = loss_fn(y_batch, by_loop(x_batch, training=True)) + sum(by_loop.losses)
    gradients = tape.gradient(loss, by_loop.trainable_variables)
    optimizer.apply(clip(gradients, by_loop.trainable_variables), by_loop.trainable_variables)

norms = [float(tf.norm(g)) for g in gradients]
print("equal weights:", bool(largest_difference(clipped, by_loop) < 1e-4))
assert largest_difference(clipped, by_loop) < 1e-4 and norms[0] > 0.5 and norms[2] > 0.1

# %% [markdown]
# ## What goes into train_step?
#
# If the *loss* needs more than `y` and `y_hat`, override `compute_loss`, which `fit` calls under its tape.
# `evaluate` calls it with `training=False`; this gradient penalty (lesson 06) is then left out:


# %%
class Smooth(keras.Sequential):
    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        loss = super().compute_loss(x, y, y_pred, sample_weight, training)
        if not training:
            return loss
        with tf.GradientTape() as inner:
            inner.watch(x)
            y_hat = self(x, training=training)  # again: y_pred came before the watch
        slopes = inner.gradient(y_hat, x)  # (n, 1)
        return loss + tf.reduce_mean(slopes**2)


smooth = line_model(Smooth)
smooth.compile(keras.optimizers.Adam(0.1), "mse")
history = smooth.fit(x_line, y_line, batch_size=400, epochs=50, verbose=0).history

# %%
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

difference = largest_difference(smooth, by_loop)
print(f"slope {float(smooth.layers[0].kernel[0, 0]):.1f}, equal weights: {difference < 1e-4}")
assert difference < 1e-4 and np.isclose(history["loss"][-1], loss, rtol=1e-4)
assert smooth.evaluate(x_line, y_line, batch_size=400, verbose=0) < 0.7 * history["loss"][-1]

# %% [markdown]
# `train_step` is left for what one loss and one optimizer cannot say. Writing one is easy to get wrong:

# %% [markdown]
# ### Exercise 14.2: repair
#
# This `train_step` should update the weights as Keras's own does, whatever loss was compiled. It leaves out
# four things. The model starts with batch normalisation and ends with a regularised layer; `data` has three entries.
# Take the step yourself, without Keras's own `train_step`.


# %% exercise="14.2"
def own_train_step(model, data):
    # Updates the model once, and returns {"loss": the loss before the update}.
    ### BEGIN SOLUTION
    #| x, y, sample_weight = data
    #| with tf.GradientTape() as tape:
    #|     y_hat = model(x)
    #|     loss = tf.reduce_mean((y_hat - y) ** 2)
    #| gradients = tape.gradient(loss, model.trainable_variables)
    #| model.optimizer.apply(gradients, model.trainable_variables)
    #| return {"loss": loss}
    x, y, sample_weight = data
    with tf.GradientTape() as tape:
        y_hat = model(x, training=True)
        loss = model.compute_loss(x=x, y=y, y_pred=y_hat, sample_weight=sample_weight)
    gradients = tape.gradient(loss, model.trainable_variables)
    model.optimizer.apply(gradients, model.trainable_variables)
    return {"loss": loss}
    ### END SOLUTION


# %%
check("14.2", own_train_step)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# How is a model called in training? Which of its methods knows the compiled loss?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `model.compute_loss`, with x, y, y_pred and sample_weight by name, adds the penalties, too.
#
# </details>
#
# **Two optimizers.** A *generator* makes examples, and a *critic* scores how real they are. Here the generator adds
# `shift` to real numbers, so 0 is perfect; the critic's score is `slope` times the number. They play for the `gap`, the
# score of fakes minus that of real numbers:
#
# - the critic lowers gap + penalty, by its slope;
# - the generator raises the gap, by its shift.


# %%
class TwoPlayers(keras.Model):
    def __init__(self, penalty):
        super().__init__()
        self.shift = self.add_weight(shape=(), initializer="ones")
        self.slope = self.add_weight(shape=(), initializer="zeros")
        self.penalty, self.critic_optimizer = penalty, keras.optimizers.SGD(0.1)

    def train_step(self, real):
        with tf.GradientTape(persistent=True) as tape:
            fake = real + self.shift
            with tf.GradientTape() as inner:
                inner.watch(fake)
                score = self.slope * fake
            slopes = inner.gradient(score, fake)  # (n, 1)
            gap = tf.reduce_mean(score - self.slope * real)
            critic_loss = gap + self.penalty(slopes)
        d_slope, d_shift = tape.gradient(critic_loss, self.slope), tape.gradient(gap, self.shift)
        self.critic_optimizer.apply([d_slope], [self.slope])
        self.optimizer.apply([-d_shift], [self.shift])  # minus: upwards
        return {"shift": self.shift, "slope": self.slope}


# %% [markdown]
# > **Predict**
# >
# > Without a penalty, from shift 1 and slope 0, each takes 100 small steps its own way. Does the distance from the
# > solution (0, 0) fall, stay about 1, or grow?


# %%
def play(penalty, steps=100):
    """Return shift and slope at the start and after each step, (steps + 1, 2)."""
    model = TwoPlayers(penalty)
    model.compile(keras.optimizers.SGD(0.1))
    real = tf.random.normal((64, 1))
    history = model.fit(real, batch_size=64, epochs=steps, verbose=0).history
    return np.transpose([[1.0, *history["shift"]], [0.0, *history["slope"]]])


paths = {"no penalty": play(lambda slopes: 0.0)}
distance = np.hypot(*paths["no penalty"][-1])

print(f"distance {distance:.1f}")

# %% [markdown]
# Each follows its own gradient, so one expects them to arrive. But each changes the other's loss: they circle, and every
# step leads a little outwards. A gradient penalty pulls them in: in the figure both start at the dot; one path winds
# outwards, the other ends at the cross. By hand, a step multiplies (shift, slope) by a matrix, with the step size 0.1
# and the penalty's pull in 0.8 = 1 - 0.1 · 2:

# %%
paths["penalty"] = play(lambda slopes: tf.reduce_mean(slopes**2))
by_hand = np.array([1.0, 0.0])
for _ in range(100):
    by_hand = np.array([[1.0, 0.1], [-0.1, 0.8]]) @ by_hand

print(f"distance with the penalty {np.hypot(*paths['penalty'][-1]):.2f}")
assert np.isclose(distance, 1.01**50, rtol=1e-3)  # the root of 1 + 0.1**2 at each step
assert np.allclose(paths["penalty"][-1], by_hand, atol=1e-4) and np.hypot(*by_hand) < 0.01

fig, ax = plt.subplots(figsize=(4.6, 4))
for number, (name, path) in enumerate(paths.items()):
    ax.plot(*path.T, color=f"C{number}")
    at = {"textcoords": "offset points", "ha": "center", "color": f"C{number}"}
    text = ax.annotate(name, path[-1], (0, 9), **at)
ax.plot(0, 0, "k+", markersize=12)
ax.plot(1, 0, "ko")
ax.margins(0.12)
labels = ax.set(xlabel="shift of the generator", ylabel="slope of the critic", aspect="equal")

# %% [markdown]
# > **Predict**
# >
# > Many want slopes of length 1: the mean of (length - 1)², where the length is `tf.sqrt` of the sum of squares.
# > The critic starts with slope 0. What is its slope after one step?


# %%
def to_length_one(slopes):
    return tf.reduce_mean((tf.sqrt(tf.reduce_sum(slopes**2, axis=1)) - 1) ** 2)


def to_length_one_safely(slopes):
    return tf.reduce_mean((tf.sqrt(tf.reduce_sum(slopes**2, axis=1) + 1e-12) - 1) ** 2)


first = {f.__name__: play(f, steps=5)[1, 1] for f in (to_length_one, to_length_one_safely)}

print({name: round(float(slope), 3) for name, slope in first.items()})

# %% [markdown]
# The penalty is 1, so one expects a moderate step. But the slope of a root at 0 is infinite, and infinity times 0 is
# `nan` (lesson 03). `fit` trains on without a word; `ExplainingTape` finds the place. With a tiny number inside, the
# root's slope is finite, and times 0 it is 0: no `nan`, and no push from the penalty.

# %%
slopes = tf.Variable(tf.zeros((4, 1)))
with ExplainingTape() as tape:
    penalty = to_length_one(slopes)
gradient = tape.gradient(penalty, slopes)

print(tape.explanations[0].message)
assert np.isnan(first["to_length_one"]) and np.all(np.isnan(gradient))
assert np.allclose([first["to_length_one_safely"], paths["no penalty"][1, 1]], -0.1)  # alike

# %% [markdown]
# ### Exercise 14.3: complete
#
# `critic(x)` gives a score for each example, (n,), and uses the variable `w`. The penalty is the mean of
# (length - 1)², with the length of each example's slopes with respect to x, (n, d). Return it and its gradient with
# respect to `w`, which must be finite where slopes are zero, too. Slopes and gradient both come from a tape.


# %% exercise="14.3"
def gradient_penalty(critic, w, x):
    """Return (penalty, its gradient with respect to w)."""
    ### BEGIN SOLUTION
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            scores = critic(x)
        slopes = inner.gradient(scores, x)
        lengths = tf.sqrt(tf.reduce_sum(slopes**2, axis=1) + 1e-12)
        penalty = tf.reduce_mean((lengths - 1) ** 2)
    return penalty, outer.gradient(penalty, w)
    ### END SOLUTION


# %%
check("14.3", gradient_penalty)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Nest two tapes. x is a tensor, so the inner one must watch it.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `to_length_one_safely(slopes)` is the penalty; compute it inside the outer block, below the inner one.
#
# </details>

# %% [markdown]
# **What a `train_step` reports.** With three lines more, for mixed precision, the loss that is shown and the metrics,
# that of 14.2 is Keras's own:


# %%
class Own(keras.Sequential):
    def train_step(self, data):
        x, y, sample_weight = keras.utils.unpack_x_y_sample_weight(data)
        with tf.GradientTape() as tape:
            y_hat = self(x, training=True)
            loss = self.compute_loss(x=x, y=y, y_pred=y_hat, sample_weight=sample_weight)
            scaled = self.optimizer.scale_loss(loss)  # apply divides by the factor again
        gradients = tape.gradient(scaled, self.trainable_variables)
        self.optimizer.apply(gradients, self.trainable_variables)
        self.metrics[0].update_state(loss, sample_weight=tf.shape(x)[0])  # a short batch: less
        return self.compute_metrics(x, y, y_hat, sample_weight)


# %%
histories, weights = [], tf.random.uniform((512,))
for model in (build_model(), build_model(Own)):
    optimizer = keras.optimizers.SGD(0.1, loss_scale_factor=8.0)
    model.compile(optimizer, loss_fn, weighted_metrics=["accuracy"])
    data = {"x": x, "y": y, "sample_weight": weights, "batch_size": 100}  # the last batch has 12
    histories.append(model.fit(**data, epochs=2, shuffle=False, verbose=0).history)

print("the same history:", all(np.allclose(histories[1][k], histories[0][k]) for k in histories[0]))
assert all(np.allclose(histories[1][k], histories[0][k], rtol=1e-4) for k in histories[0])

# %% [markdown]
# ## What needs a loop?
#
# `fit` gives you one batch and expects one update. Some methods try a step, measure on all data, and may take it
# back. **Levenberg and Marquardt's method** fits curves so: from the jacobian J of the errors r it solves
# (JᵀJ + damping) step = Jᵀr. If the loss falls, it damps less; if not, it stays, and
# damps more:

# %%
t = tf.linspace(tf.constant(0.0, tf.float64), 10.0, 60)  # seconds
p = tf.Variable([1.0, 1.0, 1.6], dtype=tf.float64)  # height, decay, frequency


def curve(p):
    return p[0] * tf.exp(-p[1] * t) * tf.cos(p[2] * t)


measured = curve([2.0, 0.3, 2.0]) + 0.05 * np.random.RandomState(14).normal(size=60)


def loss_at(p):
    return tf.reduce_mean((curve(p) - measured) ** 2)


@tf.function
def errors_and_jacobian():
    with tf.GradientTape() as tape:
        r = curve(p) - measured  # (60,)
    return r, tape.jacobian(r, p)  # (60, 3)


# %%
damping, losses, rejected = 0.01, [float(loss_at(p))], 0
for _ in range(10):
    r, J = (tensor.numpy() for tensor in errors_and_jacobian())
    trial = p - np.linalg.solve(J.T @ J + damping * np.eye(3), J.T @ r)
    loss = float(loss_at(trial))
    if loss < losses[-1]:
        p.assign(trial)
        damping /= 10
    else:
        loss, rejected = losses[-1], rejected + 1
        damping *= 10
    losses.append(loss)

print(f"found: {p.numpy().round(1)}, {rejected} steps of 10 taken back")
assert np.allclose(p, [2, 0.3, 2], atol=0.1) and 3 <= rejected < 8

# %% [markdown]
# Of `fit`, only the counting of epochs would be left here: the loop is plainer.

# %% [markdown]
# ## How do I decide?
#
# ### Exercise 14.4: predict
#
# Name the smallest means for each: `"fit"` (with what `compile` takes, callbacks, the data, `compute_loss`),
# `"train_step"`, or `"loop"` where a step is not one batch and one update.
#
# 1. Each gradient gets noise, a tenth of its norm, before Adam sees it.
# 2. The gradients of two losses are projected where they conflict (lesson 12).
# 3. From the fourth epoch on, the inputs get twice as much noise.
# 4. In each batch a critic and a generator step, each with its own optimizer.
# 5. Each step tries three step sizes on all data, and keeps the best, or goes back.

# %% exercise="14.4"
# A list of five strings: "fit", "train_step" or "loop".
### BEGIN SOLUTION
means = ["fit", "train_step", "fit", "train_step", "loop"]
### END SOLUTION

# %%
check("14.4", means)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Where is one loss, one optimizer and one batch enough?
#
# </details>
# <details><summary>Hint 2</summary>
#
# An optimizer sees each gradient, of one loss. A pipeline can read a variable.
#
# </details>

# %% [markdown]
# Take the first row that does the job:
#
# | what is your own | smallest means | evidence |
# |---|---|---|
# | nothing | `fit` | `own_fit` |
# | when to stop, what to note | callbacks | `EarlyStopping` |
# | a loss of `y` and `y_hat` | `compile(loss=f)` | `pinball` |
# | how much data an epoch has | `fit` once a stage | `by_stages` |
# | what happens to each gradient | an optimizer in `compile` | `ClippedSGD` |
# | a loss that needs x or the model | `compute_loss` | `Smooth` |
# | several losses apart, several optimizers | `train_step` | `TwoPlayers` |
# | what a step is | loop | steps taken back |
#
# In a loop, callbacks, metrics, sample weights and the progress bar are yours to write.

# %% [markdown]
# ## Checkpoint
#
# Answer before you open.
#
# <details><summary>1. A loss function for <code>compile</code> returns one number for the batch. What breaks?</summary>
#
# Sample weights: they weigh the mean, not the examples.
#
# </details>
# <details><summary>2. A <code>train_step</code> calls <code>loss_fn(y, y_hat)</code>. What may be missing?</summary>
#
# The penalties, the sample weights, the compiled loss; `compute_loss` has them all. And `training=True`.
#
# </details>
# <details><summary>3. When do you leave <code>fit</code>?</summary>
#
# When a step is no longer one batch and one update, or when you measured that your loop is faster (lesson 10).
#
# </details>

# %% [markdown]
# ## Recap
#
# - `fit` is two loops around `train_step`, which it compiles, with callbacks between.
# - A loss gives one number for each example.
# - An optimizer of your own changes gradients, `compute_loss` the loss; `train_step` is for several losses or optimizers.
# - Proof of any move: the same start and batches, the same weights.
#
# ```python
# class ClippedSGD(keras.optimizers.SGD):
#     def apply(self, gradients, variables):
#         super().apply(clip(gradients, variables), variables)
# ```

# %% [markdown]
# ## Further reading
#
# - Keras's guide *Customizing what happens in `fit()` with TensorFlow*: `train_step` in reference form.
# - Mescheder, Geiger and Nowozin, *Which training methods for GANs do actually converge?*, ICML 2018: the two players.
#
# At work, put `ExplainingTape` where a gradient is `None` or `nan`, run `check_gradients` on every loss that
# you write, and look at `plot_tape` when you no longer know what depends on what.

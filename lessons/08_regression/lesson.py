# %% [markdown] part="Part II: training loops"
# # 08 · Regression
#
# Every training loop repeats one step: predict, measure the loss, take the gradient, move. Write it once
# for two numbers, and you know why a loss crawls or explodes, and what Keras takes over.
#
# **You will be able to**
#
# - write gradient descent by hand, in eager mode and as a graph;
# - judge a loop by the closed form, not by the truth behind the data;
# - compute the largest stable step size, and say what standardising changes;
# - write a Keras model, and train it with an optimizer.
#
# **Before you start**: [06 · Higher-order gradients](06_higher_order.ipynb). **Time**: 55 minutes.

# %% tags=["nbval-ignore-output"]
from course_utils import check, hessian, make_line, make_quadratic, plot_loss_surface, start_lesson

start_lesson("08")

import keras
import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf

# %% [markdown]
# ## What does one step do?
#
# A courier takes 5 € a parcel and 10 € a kilogram. You have 200 bills and no price list: find the two
# numbers. To fit a formula to data is **regression**.
#
# The gradient says where the loss grows. **Gradient descent** moves the other way, by the gradient times
# a small **step size** `lr` (learning rate). `assign_sub` subtracts in place; `w = w - ...` would turn
# the variable into a plain tensor (lesson 03).

# %%
x = np.random.uniform(1, 5, (200, 1)).astype(np.float32)  # kg, (200, 1)
y = 10 * x + 5  # €, (200, 1)
w, b = tf.Variable(0.0), tf.Variable(0.0)


def step(x, y, lr):
    """Move w and b by one step of gradient descent, and return the loss before it."""
    with tf.GradientTape() as tape:
        y_hat = w * x + b  # (200, 1)
        loss = tf.reduce_mean((y_hat - y) ** 2)
    dw, db = tape.gradient(loss, [w, b])
    w.assign_sub(lr * dw)
    b.assign_sub(lr * db)
    return loss


loss = step(x, y, 0.001)
print(f"loss {loss:.0f}; then w {w.numpy():.2f}, b {b.numpy():.2f}")
# By hand: the slopes at w = b = 0 are -2 times the means of x * y and of y.
assert np.isclose(w, 0.001 * 2 * np.mean(x * y)) and np.isclose(b, 0.001 * 2 * np.mean(y))

# %% [markdown]
# > **Predict**
# >
# > One step took w to 0.26 and b to 0.07. After 200 steps, is w below 10, at 10 or above 10?

# %%
for _ in range(199):
    loss = step(x, y, 0.001)

eager = w.numpy(), b.numpy()

print(f"loss {loss:.2f}, w {eager[0]:.2f}, b {eager[1]:.2f}")

# %% [markdown]
# Most say below, where it started. But w and b move together. The loss is steeper in w, so w arrives
# while b is still too low, and then makes up for it: for the mean parcel, the price is almost right.

# %%
mean_price = eager[0] * x.mean() + eager[1]

print(f"{x.mean():.2f} kg: {mean_price:.1f} € predicted, {y.mean():.1f} € billed")
assert eager[0] > 10.2 and eager[1] < 4.0 and abs(mean_price - y.mean()) < 0.7

# %% [markdown]
# ### Exercise 08.1: complete
#
# Tea cools along `a * exp(-k * x)`. Take one step of gradient descent on the mean squared error between
# this curve and `y`. Return the new values of a and k. `a` and `k` are variables of shape (), `x` and
# `y` have shape (n,).


# %% exercise="08.1"
def one_step(a, k, x, y, lr):
    """Return the values of a and k after one step of size lr."""
    ### BEGIN SOLUTION
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((a * tf.exp(-k * x) - y) ** 2)
    da, dk = tape.gradient(loss, [a, k])
    a.assign_sub(lr * da)
    k.assign_sub(lr * dk)
    return a, k
    ### END SOLUTION


# %%
check("08.1", one_step)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Only the prediction differs from `step`. The tape needs no formula for the slopes.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Ask once for both gradients, with `[a, k]` as the source. Then move both, and return them.
#
# </details>
#
# ## How many steps can a graph take?
#
# Each eager step goes through Python many times. `tf.function` turns a Python function into a graph that
# runs without it, and a loop over `tf.range` becomes part of the graph (lesson 05). So 200 steps are one
# call, and the same steps:


# %%
@tf.function
def many_steps(x, y, lr, n):
    for _ in tf.range(n):
        step(x, y, lr)


def descend(x, y, lr, n):
    """Start at w = b = 0 and take n steps of size lr in a graph."""
    w.assign(0.0)
    b.assign(0.0)
    many_steps(tf.constant(x), tf.constant(y), tf.constant(lr), tf.constant(n))
    return w.numpy(), b.numpy()


graph = descend(x, y, 0.001, 200)

print(f"w {graph[0]:.2f}, b {graph[1]:.2f}")
assert np.allclose(graph, eager, rtol=1e-3)

# %% [markdown]
# Now 100,000, in seconds. The data are exact, so you may expect the seven digits of float32:

# %%
w_small, b_small = descend(x, y, 0.001, 100_000)
w_large, b_large = descend(x, y, 0.05, 100_000)

print(f"step size 0.001: w {w_small:.2f}, error of b {abs(b_small - 5):.0e}")
print("closer with 0.05:", abs(b_large - 5) < abs(b_small - 5) / 10)
assert abs(w_small - 10) < 0.01 and 1e-4 < abs(b_small - 5) < 0.01
assert abs(w_large - 10) < 1e-4 and abs(b_large - 5) < abs(b_small - 5) / 10
assert np.allclose(descend(x, y, 0.001, 110_000), (w_small, b_small), atol=1e-5, rtol=0)

# %% [markdown]
# 10,000 more steps changed nothing. Near the minimum, 0.001 times the gradient is less than half the
# distance to the next float32, and the subtraction is rounded away. A tiny step size is not even the
# more exact one.
#
# ## Does the loop find the truth?
#
# Real data have **noise**, errors that no formula explains. Here, 200 points lie around x² - 2x + 0.5. The
# model a·x² + b·x + c is a table with the columns x², x and 1, times three coefficients.

# %%
x_noisy, y_noisy = make_quadratic(coefficients=(1.0, -2.0, 0.5), noise=0.3, seed=8)
columns = np.hstack([x_noisy**2, x_noisy, np.ones_like(x_noisy)])  # (200, 3)
coefficients = tf.Variable(tf.zeros((3, 1)))  # a, b, c


@tf.function
def fit_parabola(n):
    for _ in tf.range(n):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((columns @ coefficients - y_noisy) ** 2)
        coefficients.assign_sub(0.1 * tape.gradient(loss, coefficients))


# %% [markdown]
# > **Predict**
# >
# > With enough steps, does this loop end at 1, -2 and 0.5, up to 0.001?

# %%
for n in (1000, 10_000):
    fit_parabola(tf.constant(n))
    print(coefficients.numpy().ravel().round(3))

# %% [markdown]
# One wants more steps, but this *is* the minimum. The loss knows 200 points and no truth, and another
# parabola lies nearer to them. For a model that is linear in its coefficients, algebra finds that
# minimum in one formula, the **closed form**: `lstsq`, least squares. It tells whether your *loop* is
# right. Whether the data are good enough, no loop can say.

# %%
closed_form = np.linalg.lstsq(columns, y_noisy, rcond=None)[0]  # (3, 1)
from_truth = np.abs(closed_form.ravel() - [1.0, -2.0, 0.5]).max()

print(closed_form.ravel().round(3))
assert np.allclose(coefficients, closed_form, atol=1e-4)
assert 0.005 < from_truth < 0.05

# %% [markdown]
# ## Which step size is right?
#
# > **Predict**
# >
# > For the parcels, 200 steps of 0.07 bring the loss from 1475 below 0.1. Do steps of 0.09 get there
# > sooner, later or never?

# %%
fast_step = tf.function(step)


def walk(x, y, lr, n):
    """Return w and b over n steps from 0, shape (n + 1, 2), and the losses, (n,)."""
    w.assign(0.0)
    b.assign(0.0)
    path, losses = [(0.0, 0.0)], []
    for _ in range(n):
        losses.append(float(fast_step(tf.constant(x), tf.constant(y), tf.constant(lr))))
        path.append((float(w), float(b)))
    return np.array(path), np.array(losses)


losses = {lr: walk(x, y, lr, 200)[1] for lr in (0.005, 0.07, 0.09)}
for lr, values in losses.items():
    print(f"step size {lr}: loss {values[0]:.0f}, {values[1]:.0f}, ..., {values[-1]:.1g}")

# %% [markdown]
# Larger, so sooner, one thinks. It explodes. The figure shows the loss as a map: a long valley. Look
# where 8 steps of each size lead. 0.005 comes down the slope, slowly; 0.07 jumps to and fro across the
# valley, and stays in it; 0.09 leaves the map.

# %%
assert 0.1 < losses[0.005][-1] < 10 and losses[0.07][-1] < 0.1
assert losses[0.09][-1] > 1e6

fig, axes = plt.subplots(1, 3, figsize=(10.0, 3.4), sharey=True)
for ax, lr in zip(axes, losses, strict=True):
    ax = plot_loss_surface(
        lambda w, b: np.mean((w * x + b - y) ** 2),
        x_range=(-16, 36),
        y_range=(-30, 50),
        path=walk(x, y, lr, 8)[0],
        ax=ax,
    )
    title = ax.set_title(f"step size {lr}")

# %% [markdown]
# How far you may trust a slope depends on how fast it changes, the **curvature**. The second derivatives
# of the loss form a matrix, the Hessian (`hessian`, lesson 06). Its eigenvectors point across and along
# the valley; its eigenvalues λ are the curvatures there. Along each, one step multiplies the distance from
# the minimum by 1 - lr · λ, as λ is the slope at distance 1; below -1 the distance grows. So the largest λ sets the limit: **lr < 2/λ**.

# %%
def loss_at(p):
    """Return the loss for p of shape (2,): w, then b."""
    return tf.reduce_mean((p[0] * x + p[1] - y) ** 2)


flat, steep = np.linalg.eigvalsh(hessian(loss_at, tf.zeros(2)))
limit = 2 / steep

print(f"curvatures {flat:.2f} and {steep:.1f}, limit {limit:.3f}")
for factor in (0.98, 1.02):
    values = walk(x, y, np.float32(factor * limit), 200)[1]
    print(f"{factor} of the limit: the loss {'falls' if values[-1] < values[0] else 'grows'}")
    assert (values[-1] < values[0]) == (factor < 1)

# %% [markdown]
# ### Exercise 08.2: predict
#
# The model `w * x` has one variable, so its Hessian is one number. The data are x = (1, 3), y = (2, 6); the
# loss is the mean squared error. Below which step size does gradient descent converge?

# %% exercise="08.2"
# One number: the largest stable step size.
### BEGIN SOLUTION
largest_step = 0.2
### END SOLUTION

# %%
check("08.2", largest_step)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# The curvature is the second derivative of the loss in w. Which factor stands before w²?
#
# </details>
# <details><summary>Hint 2</summary>
#
# The mean of 1w² and 9w² is 5w², with the second derivative 10.
#
# </details>
#
# 100 steps just below that number, at it, and just above:

# %%
inputs, outputs = np.array([1.0, 3.0]), np.array([2.0, 6.0])

for lr in (0.19, 0.20, 0.21):
    v = 0.0
    for _ in range(100):
        v = v - lr * np.mean(2 * (v * inputs - outputs) * inputs)
    print(f"step size {lr:.2f}: distance from 2 is {abs(v - 2):.1g}")
    assert np.isclose(abs(v - 2), 2 * abs(1 - lr * 10) ** 100)

# %% [markdown]
# ### Exercise 08.3: repair
#
# This function should take `steps` steps on the *mean* squared error, from w = b = 0. With 5 examples
# and a step size of 0.05 it finds the line; with 200 such examples it returns nan.


# %% exercise="08.3"
def fit_line(x, y, lr, steps):
    # x and y have shape (n,); lr and steps are numbers.
    ### BEGIN SOLUTION
    #| w, b = tf.Variable(0.0), tf.Variable(0.0)
    #| for _ in range(steps):
    #|     with tf.GradientTape() as tape:
    #|         loss = (w * x + b - y) ** 2
    #|     dw, db = tape.gradient(loss, [w, b])
    #|     w.assign_sub(lr * dw)
    #|     b.assign_sub(lr * db)
    #| return w, b
    w, b = tf.Variable(0.0), tf.Variable(0.0)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((w * x + b - y) ** 2)
        dw, db = tape.gradient(loss, [w, b])
        w.assign_sub(lr * dw)
        b.assign_sub(lr * db)
    return w, b
    ### END SOLUTION


# %%
check("08.3", fit_line)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# What shape does `loss` have, and what does a tape do with a target of many entries?
#
# </details>
# <details><summary>Hint 2</summary>
#
# It adds them up, so the curvature grows with n. Average inside the block.
#
# </details>
#
# ## Why standardise the input?
#
# The steep direction limits the step size, and the flat one pays with many steps. The ratio of their
# curvatures is the **condition number**, here 130. The input causes it: every parcel is heavier than 0 kg,
# so a larger w raises every price, and so does a larger b. To **standardise** is to subtract the mean and divide by the
# standard deviation:

# %%
mean, std = x.mean(), x.std()
z = (x - mean) / std  # (200, 1), mean 0, standard deviation 1

H = hessian(lambda p: tf.reduce_mean((p[0] * z + p[1] - y) ** 2), tf.zeros(2))
curvatures = np.linalg.eigvalsh(H)

print(f"condition number {steep / flat:.0f}, standardised {curvatures[1] / curvatures[0]:.0f}")
assert 100 < steep / flat < 160
assert np.allclose(curvatures, 2.0, atol=1e-3)

# %% [markdown]
# Both curvatures are 2 now.
#
# > **Predict**
# >
# > How many steps of 0.5 does it take to the minimum: 1, about 10, or about 100?

# %%
path, losses_z = walk(z, y, 0.5, 3)

print("loss before steps 1, 2, 3:", [f"{value:.1f}" for value in losses_z])

# %% [markdown]
# One. Gradient descent counts as slow, but 1 - lr · λ = 1 - 0.5 · 2 is 0: no distance is left. In the
# figure, compare with the maps above: the valley is a round bowl. Every step points straight at
# its lowest point, here in steps of 0.1 to show them.

# %%
assert losses_z[0] > 1000 and losses_z[1] < 1e-4

fig, ax = plt.subplots(figsize=(4.6, 3.6))
ax = plot_loss_surface(
    lambda w, b: np.mean((w * z + b - y) ** 2),
    x_range=(-40, 60),
    y_range=(-10, 80),
    path=walk(z, y, 0.1, 15)[0],
    labels=("w (€ per standard deviation)", "b (€)"),
    ax=ax,
)

# %% [markdown]
# w is now the price of one standard deviation. Divide by it to get € per kilogram. A new parcel must go
# through *the same* mean and deviation.

# %%
w_z, b_z = path[1]
price = w_z * (3.0 - mean) / std + b_z  # a parcel of 3 kg

print(f"{w_z / std:.2f} € a kilogram, {b_z - w_z * mean / std:.2f} € a parcel; 3 kg: {price:.2f} €")
assert np.allclose([w_z / std, b_z - w_z * mean / std, price], [10, 5, 35], atol=1e-3)

# %% [markdown]
# ### Exercise 08.4: complete
#
# Fit a parabola to (`x`, `y`), shape (n,), by a loop of your own that follows a tape's gradients, and return
# its values at `x_new`, of another length. They should be those of the closed form, up to 0.2 %. In one case x
# lies between 100 and 101. A few hundred steps are enough; after ten seconds, the check stops.


# %% exercise="08.4"
def fit_and_predict(x, y, x_new):
    """Return the fitted parabola's values at x_new, one for each."""
    ### BEGIN SOLUTION
    mean, std = tf.reduce_mean(x), tf.math.reduce_std(x)
    a, b, c = (tf.Variable(0.0) for _ in range(3))

    def parabola(x):
        z = (x - mean) / std
        return a * z**2 + b * z + c

    for _ in range(200):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((parabola(x) - y) ** 2)
        for variable, gradient in zip([a, b, c], tape.gradient(loss, [a, b, c]), strict=True):
            variable.assign_sub(0.15 * gradient)
    return parabola(x_new)
    ### END SOLUTION


# %%
check("08.4", fit_and_predict)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# A parabola in z = (x - mean) / std is one in x, too. With z, 200 steps of 0.15 are enough.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Three variables, `a * z**2 + b * z + c`, and your loop. For `x_new`, use the mean and deviation of `x`.
#
# </details>
#
# ## What does Keras take over?
#
# A **Keras** model is a class: `__init__` makes its layers, and `call` computes the output of `model(x)`.
# `Dense(1)` is the layer `x @ kernel + bias` with one output: your w and b.


# %%
class Line(keras.Model):
    def __init__(self):
        super().__init__()  # from here on, Keras notices layers set on self
        self.dense = keras.layers.Dense(1)

    def call(self, x):
        return self.dense(x)  # (n, 1)


# %% [markdown]
# The model collects the variables of its layers in `trainable_variables`, the list for the tape.
#
# > **Predict**
# >
# > How many variables are in that list after `model = Line()`?

# %%
model = Line()
at_first = len(model.trainable_variables)

print(at_first)

# %% [markdown]
# Two, one thinks: a kernel and a bias. But the kernel's shape depends on the input, and no input has been
# seen, so a tape would get an empty list. The first call makes them. `keras.Input`, the shape of one
# example, is enough for it:

# %%
model(keras.Input(shape=(1,)))

print([f"{v.path} {tuple(v.shape)}" for v in model.trainable_variables])
assert at_first == 0 and len(model.trainable_variables) == 2

# %% [markdown]
# An **optimizer** moves the variables. `SGD` (stochastic gradient descent) does your `assign_sub`:

# %%
x, y = make_line(slope=2.0, intercept=-1.0, noise=0.2, seed=8)  # (200, 1) each
optimizer = keras.optimizers.SGD(learning_rate=0.1)
loss_fn = keras.losses.MeanSquaredError()

with tf.GradientTape() as tape:
    loss = loss_fn(y, model(x))  # the data first

gradients = tape.gradient(loss, model.trainable_variables)
by_hand = [v.numpy() - 0.1 * g for v, g in zip(model.trainable_variables, gradients, strict=True)]
optimizer.apply(gradients, model.trainable_variables)

moved = [v.numpy() for v in model.trainable_variables]
same = all(np.allclose(a, b, atol=1e-6) for a, b in zip(moved, by_hand, strict=True))
print("as by hand:", same)
assert same

# %% [markdown]
# "Stochastic" means that each step looks at a **batch**, a random part of the data. One pass through all
# parts is an **epoch**. Here are 50, in batches of 32:

# %%
after_epoch = []

for _ in range(50):
    order = np.random.permutation(len(x))
    for first in range(0, len(order), 32):
        batch = order[first : first + 32]
        with tf.GradientTape() as tape:
            loss = loss_fn(y[batch], model(x[batch]))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
    after_epoch.append([v.numpy().item() for v in model.trainable_variables])

slope, intercept = after_epoch[-1]
best = np.linalg.lstsq(np.hstack([x, np.ones_like(x)]), y, rcond=None)[0].ravel()
distance = np.linalg.norm(after_epoch[-30:] - best, axis=1)

print(f"slope {slope:.1f}, intercept {intercept:.1f}")
print("as near as 0.001 to the closed form:", bool(np.all(distance < 0.001)))
assert abs(slope - 2) < 0.1 and abs(intercept + 1) < 0.1
assert 0.001 < distance.mean() < 0.1

# %% [markdown]
# Near 2 and -1. Even the closed form is only nearly reached: each batch has its own minimum, so the
# model keeps wandering around it.

# %% [markdown]
# ## Checkpoint
#
# Answer before you open.
#
# <details><summary>1. The curvatures of a loss are 40 and 0.5. Which step sizes converge? What is the
# condition number?</summary>
#
# Those below 2/40 = 0.05. It is 80.
#
# </details>
# <details><summary>2. A loop for w · x converges with x in kilograms, and gives nan with x in grams.
# Why?</summary>
#
# x is 1,000 times as large, so the curvature is a million times as large, and the limit a millionth.
#
# </details>
# <details><summary>3. A fit gives 0.97, and the truth is 1. Is the loop to blame?</summary>
#
# Compare with the closed form. If that is 0.97 too, the loop is right.
#
# </details>

# %% [markdown]
# ## Recap
#
# - A step is predict, loss, gradient, move; a graph takes 100,000 of them in one call.
# - A right loop ends at the closed form, not at the truth behind the noise.
# - The largest stable step size is 2 divided by the largest curvature.
# - Standardising makes the valley rounder, and the loop shorter.
# - A Keras model has its variables after its first call; the optimizer moves them.
#
# ```python
# with tf.GradientTape() as tape:
#     loss = loss_fn(y, model(x))
# gradients = tape.gradient(loss, model.trainable_variables)
# optimizer.apply(gradients, model.trainable_variables)
# ```

# %% [markdown]
# ## Further reading
#
# - Goh, *Why Momentum Really Works*, Distill (2017): eigenvalues and step sizes in moving pictures.
# - Boyd and Vandenberghe, *Convex Optimization*, Cambridge 2004, chapter 9: the proofs.
# - LeCun, Bottou, Orr and Müller, *Efficient BackProp* (1998): what standardised inputs do for a network.
#
# Four lines, and each can be wrong without a word. How to trust them: [09 · A training
# step](09_training_step.ipynb).

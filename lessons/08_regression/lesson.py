# %% [markdown] part="Part II: training loops"
# # 08 · Regression
#
# Every training loop repeats one step: predict, measure the loss, take the gradient, move. Write it once
# for two numbers, and you know why a loss crawls or explodes.
#
# **You will learn to**
#
# - write gradient descent by hand, in eager mode and as a graph;
# - judge a loop by the closed form, not by the truth behind the data;
# - compute the largest stable step size of a quadratic loss from the eigenvalues of its Hessian;
# - say what standardising the input changes, and use it.
#
# **Before you start**: [06 · Higher-order gradients](06_higher_order.ipynb). **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import check, hessian, make_quadratic, plot_loss_surface, predict, start_lesson

start_lesson("08")

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
# a small **step size** `lr` (learning rate). `assign_sub` subtracts in place, so that w and b stay the
# variables that the tape watches (lesson 03).

# %%
np.random.seed(20)  # the same parcels whenever this cell runs
# kg, (200, 1)
x = np.random.uniform(1, 5, (200, 1)).astype(np.float32)
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

# %%
loss = step(x, y, 0.001)
print(f"loss {loss:.0f}; then w {w.numpy():.2f}, b {b.numpy():.2f}")

# %% tags=["claims"]
# By hand: the slopes at w = b = 0 are -2 times the means of x * y and
# of y.
assert np.isclose(w, 0.001 * 2 * np.mean(x * y)) and np.isclose(b, 0.001 * 2 * np.mean(y))

# %% [markdown]
# > **Predict**
# >
# > One step took w to 0.26 and b to 0.07. Where is w after 200 steps?

# %%
predict("08.a", "")

# %%
for _ in range(199):
    loss = step(x, y, 0.001)

eager = w.numpy(), b.numpy()

print(f"loss {loss:.2f}, w {eager[0]:.2f}, b {eager[1]:.2f}")

# %% [markdown]
# What does the loop get right so far? Look at the mean parcel:

# %%
mean_price = eager[0] * x.mean() + eager[1]

print(f"{x.mean():.2f} kg: {mean_price:.1f} € predicted, {y.mean():.1f} € billed")

# %% tags=["claims"]
assert abs(mean_price - y.mean()) < 0.7

# %% [markdown]
# ### Exercise 08.1: complete
#
# Tea cools along `a * exp(-k * x)`. Take one step of gradient descent on the mean squared error between this curve
# and `y`. Return the new values of a and k; the variables themselves may move or stay. `a` and `k` are variables of
# shape (), `x` and `y` have shape (n,).


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
# Each eager step goes through Python many times. `tf.function` turns a Python function into a graph that runs without
# it, and a loop over `tf.range` becomes part of the graph (lesson 05). So one call takes the same 200 steps:


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

# %% tags=["claims"]
assert np.allclose(graph, eager, rtol=1e-3) and graph[0] > 10.2 and graph[1] < 4

# %% [markdown]
# Now 100,000, in seconds. The data are exact, so you may expect the seven digits of float32:

# %%
print("step size 0.001:", end=" ", flush=True)
w_small, b_small = descend(x, y, 0.001, 100_000)
print(f"w {w_small:.2f}, error of b {abs(b_small - 5):.0e}")
print("closer with 0.05:", end=" ", flush=True)
w_large, b_large = descend(x, y, 0.05, 100_000)
print(abs(b_large - 5) < abs(b_small - 5) / 10)

# %% tags=["claims"]
assert abs(w_small - 10) < 0.01 and 1e-4 < abs(b_small - 5) < 0.01
assert abs(w_large - 10) < 1e-4 and abs(b_large - 5) < abs(b_small - 5) / 10
assert np.allclose(descend(x, y, 0.001, 110_000), (w_small, b_small), atol=1e-5, rtol=0)

# %% [markdown]
# 10,000 more steps changed nothing. Near the minimum, 0.001 times the gradient is less than half the
# distance to the next float32, and the subtraction is rounded away. So the smaller step size can end farther off.
#
# ## Does the loop find the truth?
#
# Real data have **noise**, errors that no formula explains. Here, 200 points lie around x² - 2x + 0.5. The
# model a·x² + b·x + c is a table with the columns x², x and 1, times three coefficients.

# %%
x_noisy, y_noisy = make_quadratic(coefficients=(1.0, -2.0, 0.5), noise=0.3, seed=8)
# (200, 3)
columns = np.hstack([x_noisy**2, x_noisy, np.ones_like(x_noisy)])
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
predict("08.b", "")

# %%
for n in (1000, 10_000):
    fit_parabola(tf.constant(n))
    print(coefficients.numpy().ravel().round(3))

# %% [markdown]
# For a model that is linear in its coefficients, algebra finds the minimum of the loss in one formula, the
# **closed form**: `lstsq`, least squares. Compare your loop with it to see whether the *loop* is right.

# %%
# (3, 1)
closed_form = np.linalg.lstsq(columns, y_noisy, rcond=None)[0]

print(closed_form.ravel().round(3))

# %% tags=["claims"]
assert np.allclose(coefficients, closed_form, atol=1e-4)

# %% [markdown]
# ## Which step size is right?
#
# > **Predict**
# >
# > For the parcels, 200 steps of 0.07 bring the loss from 1475 below 0.1. When do steps of 0.09 get there?

# %%
predict("08.c", "")

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
# The figure shows the loss as a map: a long valley. Look where 8 steps of each size lead.

# %%
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
# 0.005 comes down the slope, slowly. 0.07 jumps to and fro across the valley, and stays in it. 0.09 jumps a little
# farther each time, and leaves the map.
#
# Why? Take one variable first, whose loss at the distance d from the minimum is $\frac{\lambda}{2} d^2$. The slope there is λ · d, and
# λ, the second derivative, is the **curvature**. One step leads from d to $d - \text{lr} \cdot \lambda d$, so it multiplies the distance by **1 - lr · λ**.
# A factor between -1 and 1 brings you nearer; below -1, each step lands farther out, on the other side. The
# limit is a step size of **2/λ**.

# %%
curvature = 4.0  # limit 2 / 4 = 0.5

for lr in (0.1, 0.25, 0.4, 0.6):
    d = [1.0]
    for _ in range(4):
        d.append(d[-1] - lr * curvature * d[-1])
    print(f"step size {lr:4}: factor {1 - lr * curvature:4.1f}, distances", np.round(d, 2))
    assert np.allclose(d, (1 - lr * curvature) ** np.arange(5))
    assert (abs(d[-1]) < 1) == (lr < 2 / curvature)

# %% tags=["claims"]
assert 0.1 < losses[0.005][-1] < 10 and losses[0.07][-1] < 0.1 and losses[0.09][-1] > 1e6
assert 0.005 < np.abs(closed_form.ravel() - [1.0, -2.0, 0.5]).max() < 0.05

# %% [markdown]
# For two variables, d is a vector, and the Hessian H (lesson 06) takes the place of λ: the gradient is the vector H
# d. Mostly H d and d differ in direction, and a step misses the minimum. In a few directions they agree: there $H d =
# \lambda d$, with a number λ. Such a direction is an **eigenvector** of H, and its λ is the
# **eigenvalue**, the curvature in that direction. Where a Hessian's eigenvalues differ, its eigenvectors stand at
# right angles to each other.


# %%
def loss_at(p):
    """Return the loss for p of shape (2,): w, then b."""
    return tf.reduce_mean((p[0] * x + p[1] - y) ** 2)


H = hessian(loss_at, tf.zeros(2)).numpy()  # (2, 2)
# the curvatures, and a column for each
(flat, steep), directions = np.linalg.eigh(H)

d = np.array([1.0, 0.0])  # off in w alone
print("H d for d = (1, 0):", (H @ d).round(1))
print(f"curvatures {flat:.2f} and {steep:.1f}; limit 2 / {steep:.1f} = {2 / steep:.3f}")

# %% tags=["claims"]
assert np.allclose(H @ directions, directions * [flat, steep], atol=1e-3)
assert abs(directions[:, 0] @ directions[:, 1]) < 1e-5 and 0.07 < 2 / steep < 0.09

# %% [markdown]
# In the figure, on the left, is a bowl whose H is ((2, 1), (1, 2)). Look for the arrows that point at the minimum:
# only those on its two eigenvectors do. On the right are the eigenvectors of the parcels' loss: one along the valley,
# where the curvature is 0.19, and one across, where it is 130 times as large.

# %%
turns = np.arange(16) * np.pi / 8
d = 1.7 * np.stack([np.cos(turns), np.sin(turns)])  # (2, 16)
downhill = -np.array([[2.0, 1.0], [1.0, 2.0]]) @ d
colors = np.where(np.isclose(d[0] * downhill[1], d[1] * downhill[0]), "C1", "0.45")

# %%
fig, (left, right) = plt.subplots(1, 2, figsize=(9.4, 4.2), layout="constrained")
bowl = (lambda u, v: u**2 + u * v + v**2), (-2.2, 2.2), (-2.2, 2.2)
plot_loss_surface(*bowl, labels=("u", "v"), ax=left)
arrows = left.quiver(*d, *downhill, color=colors, angles="xy", scale_units="xy", scale=4)

parcels = (lambda w, b: np.mean((w * x + b - y) ** 2)), (-14, 34), (-19, 29)
plot_loss_surface(*parcels, ax=right)
for name, direction in zip(("along", "across"), directions.T, strict=True):
    # (2, 2): from end to end
    ends = np.outer([-16, 16], direction) + [10, 5]
    line = right.plot(*ends.T, color="C1", linewidth=2)
    text = right.annotate(name, np.array(max(ends.tolist())) + 0.7, color="C1")
for ax in (left, right):
    ax.set_aspect("equal")

# %% [markdown]
# Along each eigenvector the parcels are one variable again, with the factor 1 - lr · λ. So the largest λ sets the
# limit for both, **lr < 2/λ**. Just below it, and just above:

# %%
for factor in (0.98, 1.02):
    values = walk(x, y, np.float32(factor * 2 / steep), 200)[1]
    print(f"{factor} of the limit: the loss {'falls' if values[-1] < values[0] else 'grows'}")
    assert (values[-1] < values[0]) == (factor < 1)

# %% [markdown]
# This holds for **quadratic** losses, whose curvature is the same everywhere: a linear model with squared errors.
# Elsewhere λ changes on the way, and one limit may not hold. x⁴ has the curvature 12x², which is 0 at its minimum and
# grows with the distance from it. Here the start decides:

# %%
for start in (0.5, 2.0):
    v = start
    for _ in range(5):
        v = v - 0.2 * 4 * v**3  # a step of 0.2 down x⁴
    print(f"from {start}: after 5 steps at {v:.2g}")
    assert abs(v) < start if start == 0.5 else abs(v) > 1e40

# %% [markdown]
# The loss of a network is no quadratic either. There 2/λ, with the λ at a minimum, says only what steps do close to it.
#
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

# %% [markdown]
# ### Exercise 08.3: repair
#
# This function should take `steps` steps on the *mean* squared error, from w = b = 0. With 5 examples,
# x between -1 and 1, and 100 steps of 0.05 it finds the line; with 200 such examples it returns nan.


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
# Back to Exercise 08.2: 100 steps just below its limit, at it, and just above:

# %%
inputs, outputs = np.array([1.0, 3.0]), np.array([2.0, 6.0])
limit = 2 / np.mean(2 * inputs**2)  # by the curvature

for share in (0.95, 1.0, 1.05):
    v = 0.0
    for _ in range(100):
        v = v - share * limit * np.mean(2 * (v * inputs - outputs) * inputs)
    print(f"{share:.2f} of the limit: distance from 2 is {abs(v - 2):.1g}")

# %% [markdown]
# ## Why standardise the input?
#
# The steep direction limits the step size, and the flat one pays with many steps. The ratio of their
# curvatures is the **condition number**, here 130. The input causes it: every parcel is heavier than 0 kg,
# so a larger w raises every price, and so does a larger b. To **standardise** is to subtract the mean and divide by the
# standard deviation:

# %%
mean, std = x.mean(), x.std()
z = (x - mean) / std  # (200, 1), mean 0, standard deviation 1

H_z = hessian(lambda p: tf.reduce_mean((p[0] * z + p[1] - y) ** 2), tf.zeros(2))
curvatures = np.linalg.eigvalsh(H_z)

print(f"condition number {steep / flat:.0f}, standardised {curvatures[1] / curvatures[0]:.0f}")

# %% tags=["claims"]
assert 100 < steep / flat < 160
assert np.allclose(curvatures, 2.0, atol=1e-3)
# Exercise 08.2: its limit, and the distance left 5 % beyond it
assert np.isclose(limit, 0.2) and np.isclose(abs(v - 2), 2 * abs(1 - 2 * share) ** 100)

# %% [markdown]
# Both curvatures are 2 now.
#
# > **Predict**
# >
# > How many steps of 0.5 does it take to the minimum?

# %%
predict("08.d", "")

# %%
path, losses_z = walk(z, y, 0.5, 3)

print("loss before steps 1, 2, 3:", [f"{value:.1f}" for value in losses_z])

# %% [markdown]
# In the figure, compare with the maps above: the valley has become a round bowl. Every step points straight at
# its lowest point, here in steps of 0.1 to show them.

# %%
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
# w is now the price of one standard deviation. Divide w by the deviation to get € per kilogram. A new parcel must go
# through *the same* mean and deviation.

# %%
w_z, b_z = path[-1]
price = w_z * (3.0 - mean) / std + b_z  # a parcel of 3 kg

print(f"{w_z / std:.2f} € a kilogram, {b_z - w_z * mean / std:.2f} € a parcel; 3 kg: {price:.2f} €")

# %% tags=["claims"]
assert np.allclose([w_z / std, b_z - w_z * mean / std, price], [10, 5, 35], atol=1e-3)
assert losses_z[0] > 1000 and losses_z[1] < 1e-4

# %% [markdown]
# ### Exercise 08.4: complete
#
# Fit a parabola to (`x`, `y`), tensors of shape (n,), by a loop of your own that follows a tape's gradients, and
# return its values at `x_new`, a tensor of another length. Each may differ from the closed form's by 0.2 % of the
# largest value. There are three cases; in one, x lies between 100 and 101. In each, 200 steps can be enough. (A
# tensor has no `.mean()`: take `tf.reduce_mean` and `tf.math.reduce_std`. The check stops after ten seconds of
# computing.)


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
# - A right loop ends at the closed form, up to rounding, not at the truth behind the noise.
# - Along an eigenvector of the Hessian, a step multiplies the distance by 1 - lr · λ.
# - That limits the step size to 2 divided by the largest λ; off quadratic losses, λ changes on the way.
# - For a line in one input, standardising makes the valley rounder, and the loop shorter.
#
# ```python
# with tf.GradientTape() as tape:
#     loss = tf.reduce_mean((w * x + b - y) ** 2)
# dw, db = tape.gradient(loss, [w, b])
# w.assign_sub(lr * dw)
# b.assign_sub(lr * db)
# ```
#
# **To remember**: on a quadratic loss, steps below 2 divided by the largest curvature converge.

# %% [markdown]
# ## Further reading
#
# - Goh, *Why Momentum Really Works*, Distill (2017): eigenvalues and step sizes in moving pictures.
# - Boyd and Vandenberghe, *Convex Optimization*, Cambridge 2004, chapter 9: the proofs.
# - LeCun, Bottou, Orr and Müller, *Efficient BackProp* (1998): what standardised inputs do for a network.
#
# With a model of many layers these lines become those of Keras, and each can be wrong without a word. How to
# trust them: [09 · A training step](09_training_step.ipynb).

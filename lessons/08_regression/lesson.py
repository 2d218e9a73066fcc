# %% [markdown] part="Part II: training loops"
# # 08 · Regression
#
# You write a training loop that works out a courier's prices from old bills, and it converges. Then you raise the
# learning rate a little, and the loss explodes. A colleague runs the same code on the same parcels, weighed in grams
# instead of kilograms, and gets NaN. In this lesson you write gradient descent by hand, and learn what limits the size
# of a step.
#
# **You will learn to**
#
# - write gradient descent for a line, and for a curve;
# - compute the largest learning rate that converges;
# - standardize the input, and use the fitted model on new data.
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
# A courier charges a fixed fee per parcel plus a price per kilogram. You have 200 bills but no price list, so you want
# to find the two numbers from the bills. (We generated the bills with €5 and €10.) Fitting a formula to such data is
# called **regression**. For a straight line you could solve for the two numbers directly, but gradient descent also
# works for models that have no such solution.
#
# The loss is the mean squared error. Its gradient points in the direction in which the loss grows fastest. **Gradient
# descent** goes the other way: each step subtracts the gradient multiplied by a small number, the **learning rate**
# `lr`:

# %%
np.random.seed(20)  # the same parcels whenever this cell runs
x = np.random.uniform(1, 5, (200, 1)).astype(np.float32)  # kg
y = 10 * x + 5  # euros
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

print(f"loss {loss:.0f}, then w {w.numpy():.2f}, b {b.numpy():.2f}")

# %% tags=["claims"]
# by hand: the slopes at w = b = 0 are -2 times the means of x * y and of y
assert np.isclose(w, 0.001 * 2 * np.mean(x * y)) and np.isclose(b, 0.001 * 2 * np.mean(y))

# %% [markdown]
# > **Predict**
# >
# > One step took w to 0.26 and b to 0.07, on the way to 10 and 5. Where is w after 200 steps?

# %%
predict("08.a", "")

# %%
for _ in range(199):
    loss = step(x, y, 0.001)

after_200 = w.numpy(), b.numpy()

print(f"loss {loss:.2f}, w {after_200[0]:.2f}, b {after_200[1]:.2f}")

# %% [markdown]
# w has overshot 10, while b lags behind at 3. For an average parcel, the predicted price is already about right. Only
# the split between w and b is wrong, and correcting it takes many more steps.
#
# In eager mode, 100,000 steps would take minutes. Inside a `tf.function`, a loop over `tf.range` becomes part of the
# graph (lesson 05), and a single call runs all 100,000 steps in a few seconds:

# %%
@tf.function
def many_steps(x, y, lr, n):
    for _ in tf.range(n):
        step(x, y, lr)


def descend(x, y, lr, n):
    """Start at w = b = 0, take n steps, and return w and b."""
    w.assign(0.0)
    b.assign(0.0)
    many_steps(tf.constant(x), tf.constant(y), tf.constant(lr), tf.constant(n))
    return w.numpy(), b.numpy()


print("w {:.2f}, b {:.2f}".format(*descend(x, y, 0.001, 100_000)))

# %% tags=["claims"]
mean_price = after_200[0] * x.mean() + after_200[1]
assert after_200[0] > 10.2 and after_200[1] < 4 and abs(mean_price - y.mean()) < 0.7
assert np.allclose(descend(x, y, 0.001, 200), after_200, rtol=1e-3)
w_small, b_small = descend(x, y, 0.001, 100_000)
assert abs(w_small - 10) < 0.01 and 1e-4 < abs(b_small - 5) < 0.01
w_large, b_large = descend(x, y, 0.05, 100_000)
assert abs(w_large - 10) < 1e-4 and abs(b_large - 5) < abs(b_small - 5) / 10
assert np.allclose(descend(x, y, 0.001, 110_000), (w_small, b_small), atol=1e-5, rtol=0)

# %% [markdown]
# ### Exercise 08.1: complete
#
# The same step works for a curve. A cup of tea cools toward room temperature, and the difference that remains after
# time x is `a * exp(-k * x)`. Take one step of gradient descent on the mean squared error between this curve and `y`,
# and return the new values of a and k. `a` and `k` are variables of shape (), and `x` and `y` have shape (n,).


# %% exercise="08.1"
def one_step(a, k, x, y, lr):
    """Return the values of a and k after one step with the learning rate lr."""
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
# Only the prediction and the last line differ from `step`. The tape finds the slopes.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Pass `[a, k]` as the source, and call `gradient` once. Then move both variables, and return them.
#
# </details>

# %% [markdown]
# ## How large can the learning rate be?
#
# 100,000 steps is a lot. Larger steps should get there sooner.
#
# > **Predict**
# >
# > With a learning rate of 0.07, 200 steps bring the loss from 1475 to below 0.1. When does it get there with 0.09?

# %%
predict("08.c", "")

# %%
fast_step = tf.function(step)


def walk(x, y, lr, n):
    """Return w and b over n steps from 0, shape (n + 1, 2), and the losses, shape (n,)."""
    w.assign(0.0)
    b.assign(0.0)
    path, losses = [(0.0, 0.0)], []
    for _ in range(n):
        losses.append(float(fast_step(tf.constant(x), tf.constant(y), tf.constant(lr))))
        path.append((float(w), float(b)))
    return np.array(path), np.array(losses)


losses = {lr: walk(x, y, lr, 200)[1] for lr in (0.005, 0.07, 0.09)}
for lr, values in losses.items():
    print(f"learning rate {lr}: loss {values[0]:.0f}, {values[1]:.0f}, ..., {values[-1]:.1g}")

# %% [markdown]
# A learning rate of 0.09 is only slightly larger than 0.07, yet the loss explodes. The figure shows the loss as a map
# of a long valley, with the first 8 steps drawn as a path.

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
    title = ax.set_title(f"learning rate {lr}")

# %% tags=["claims"]
assert 0.1 < losses[0.005][-1] < 10 and losses[0.07][-1] < 0.1 and losses[0.09][-1] > 1e6

# %% [markdown]
# At 0.005, the path creeps downhill. At 0.07, it jumps from one side of the valley to the other, but each jump lands
# closer. At 0.09, each jump lands a little farther out, and the path soon leaves the map.
#
# To see why, take a loss with a single variable. Near its minimum, a smooth loss looks like a parabola. Let d be the
# offset of the variable from the minimum, which may be negative, and let the loss be $\frac{\lambda}{2} d^2$. Then its
# slope is $\lambda d$. The constant λ, the second derivative of the loss, is called the **curvature**. One step moves d
# to $d - \text{lr} \cdot \lambda d$. In other words, **each step multiplies d by 1 - lr · λ**.

# %%
curvature = 4.0

for lr in [0.1, 0.25, 0.4, 0.6]:
    d = [1.0]
    for _ in range(4):
        d.append(d[-1] - lr * curvature * d[-1])
    print(f"lr {lr:4}: factor {1 - lr * curvature:4.1f}, offsets", np.round(d, 2))

# %% [markdown]
# If the factor is between -1 and 1, every step brings you closer. Below -1, every step lands on the other side and
# farther out. The factor stays above -1 as long as **lr < 2/λ**, which is 2/4 = 0.5 here.
#
# With two variables, the curvature depends on the direction: it is small along the floor of our valley and large across
# it. In each of these two directions, the loss behaves like a loss of one variable, with a limit of its own. A learning
# rate must respect both limits, so the larger curvature decides. The two curvatures are the eigenvalues of the Hessian,
# the matrix of all second derivatives. The course's `hessian` computes it as you did in lesson 06, and `eigvalsh`
# returns its eigenvalues:

# %%
def loss_at(p):
    """Return the loss for p of shape (2,): w, then b."""
    return tf.reduce_mean((p[0] * x + p[1] - y) ** 2)


flat, steep = np.linalg.eigvalsh(hessian(loss_at, tf.zeros(2)))

print(f"curvatures {flat:.2f} and {steep:.1f}, limit 2 / {steep:.1f} = {2 / steep:.3f}")

# %% tags=["claims"]
for lr in (0.1, 0.25, 0.4, 0.6):
    d = [1.0]
    for _ in range(4):
        d.append(d[-1] - lr * curvature * d[-1])
    assert np.allclose(d, (1 - lr * curvature) ** np.arange(5))
    assert (abs(d[-1]) < 1) == (lr < 2 / curvature)
assert 0.07 < 2 / steep < 0.09
for factor in (0.98, 1.02):
    values = walk(x, y, np.float32(factor * 2 / steep), 200)[1]
    assert (values[-1] < values[0]) == (factor < 1)

# %% [markdown]
# The limit lies between 0.07 and 0.09, which explains the three maps. It also explains why your colleague gets NaN. In
# grams, x is 1,000 times larger. The curvature grows with the square of x, so the largest one is about a million times
# larger, and the learning rate would have to be about a million times smaller.
#
# ### Exercise 08.2: predict
#
# The model `w * x` has one variable, so its Hessian is one number. The data are x = (1, 3) and y = (2, 6), and the
# loss is the mean squared error. Below which learning rate does gradient descent converge?

# %% exercise="08.2"
# One number: the largest learning rate.
### BEGIN SOLUTION
largest_step = 0.2
### END SOLUTION

# %%
check("08.2", largest_step)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# The curvature is the second derivative of the loss with respect to w. Which factor multiplies w² in the loss?
#
# </details>
# <details><summary>Hint 2</summary>
#
# The mean of 1w² and 9w² is 5w². Differentiate it twice.
#
# </details>
#
# Check it, with 100 steps just below the limit and 100 just above:

# %%
inputs, outputs = np.array([1.0, 3.0]), np.array([2.0, 6.0])
limit = 2 / np.mean(2 * inputs**2)  # 2 / curvature

for share in [0.95, 1.05]:
    v = 0.0
    for _ in range(100):
        v = v - share * limit * np.mean(2 * (v * inputs - outputs) * inputs)
    print(f"{share:.2f} of the limit: distance from 2 is {abs(v - 2):.1g}")

# %% tags=["claims"]
assert np.isclose(limit, 0.2) and np.isclose(abs(v - 2), 2 * abs(1 - 2 * share) ** 100)

# %% [markdown]
# ### Exercise 08.3: repair
#
# This function should take `steps` steps on the *mean* squared error, starting from w = b = 0. Given 5 examples with x
# between -1 and 1, it finds the line in 100 steps at a learning rate of 0.05. Given 200 such examples, it returns NaN.
# It has one bug.


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
# What is the shape of `loss`, and what does a tape do with a target of many entries (lesson 04)?
#
# </details>
# <details><summary>Hint 2</summary>
#
# The tape adds them up, so the curvature grows with the number of examples. Average inside the block.
#
# </details>

# %% [markdown]
# ## Why standardize the input?
#
# The steep direction limits the learning rate, and then the flat direction needs many steps. Both come from the input.
# All parcels weigh 1 to 5 kg, so raising w has nearly the same effect as raising b. If you raise both, the loss changes
# a lot, which is the steep direction. If you raise one and lower the other, it hardly changes, which is the flat one.
# The cure is to **standardize** the input: subtract its mean, and divide by its standard deviation.

# %%
mean, std = x.mean(), x.std()
z = (x - mean) / std  # mean 0, standard deviation 1

H = hessian(lambda p: tf.reduce_mean((p[0] * z + p[1] - y) ** 2), tf.zeros(2))

print("curvatures:", np.linalg.eigvalsh(H).round(2))

# %% [markdown]
# > **Predict**
# >
# > Both curvatures are now 2. With a learning rate of 0.5, how many steps does it take to reach the minimum?

# %%
predict("08.d", "")

# %%
path, losses_z = walk(z, y, 0.5, 3)

print("loss before steps 1, 2, 3:", [f"{value:.1f}" for value in losses_z])

# %% [markdown]
# The valley has become a round bowl. Everywhere in it the gradient points straight away from the minimum, so one step
# of the right size lands there: the factor is 1 - 0.5 · 2 = 0. With several features that are correlated, standardizing
# still helps, but the bowl does not become perfectly round.
#
# The fitted w is now the price per standard deviation of weight. To predict the price of a new parcel, standardize its
# weight with *the same* mean and standard deviation. Store both with the model.

# %%
w_z, b_z = path[-1]


def price(kilograms):
    return w_z * (kilograms - mean) / std + b_z


print(f"3 kg: €{price(3.0):.2f}")

# %% tags=["claims"]
assert 100 < steep / flat < 160 and np.allclose(np.linalg.eigvalsh(H), 2.0, atol=1e-3)
assert losses_z[0] > 1000 and losses_z[1] < 1e-4
assert np.allclose([w_z / std, b_z - w_z * mean / std, price(3.0)], [10, 5, 35], atol=1e-3)

# %% [markdown]
# ## Can the same loop fit a curve?
#
# Yes. Only the prediction and its parameters change. Here are 200 noisy points around the parabola x² - 2x + 0.5. In
# **polynomial regression**, the prediction is a weighted sum of powers of x, here x², x and 1, and gradient descent
# finds the weights.

# %%
x_noisy, y_noisy = make_quadratic(coefficients=(1.0, -2.0, 0.5), noise=0.3, seed=8)
# (200, 3)
columns = np.hstack([x_noisy**2, x_noisy, np.ones_like(x_noisy)])
coefficients = tf.Variable(tf.zeros((3, 1)))


@tf.function
def fit_parabola(n):
    for _ in tf.range(n):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((columns @ coefficients - y_noisy) ** 2)
        coefficients.assign_sub(0.1 * tape.gradient(loss, coefficients))


fit_parabola(tf.constant(1000))

print(coefficients.numpy().ravel().round(2))

# %% tags=["claims"]
assert np.allclose(coefficients.numpy().ravel(), [1.0, -2.0, 0.5], atol=0.05)

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open the answer.
#
# <details><summary>1. The curvatures of a loss are 40 and 0.5. Which learning rates converge?</summary>
#
# Those below 2/40 = 0.05.
#
# </details>
# <details><summary>2. A loop for w · x converges with x in kilograms, and gives NaN with x in grams. Why?</summary>
#
# x is 1,000 times larger, so the curvature is a million times larger, and the limit is a million times smaller.
#
# </details>
# <details><summary>3. You standardize the training data and fit a model. How do you treat a new example?</summary>
#
# Subtract the *training* mean, and divide by the *training* standard deviation.
#
# </details>

# %% [markdown]
# ## Recap
#
# - Predict, compute the loss, take the gradient, and subtract `lr` times the gradient.
# - Average the loss, so that the learning rate does not depend on the number of examples.
# - If the loss explodes, the learning rate is probably above 2 divided by the largest curvature.
# - Standardize the input, and store the mean and the standard deviation with the model.
#
# ```python
# with tf.GradientTape() as tape:
#     loss = tf.reduce_mean((w * z + b - y) ** 2)
# dw, db = tape.gradient(loss, [w, b])
# w.assign_sub(lr * dw)
# b.assign_sub(lr * db)
# ```
#
# **To remember**: each step multiplies the distance by 1 - lr · λ, and the largest curvature sets the limit.

# %% [markdown]
# ## Going deeper
#
# Whether a loop finds the truth, the curvatures as a picture, and losses that are not quadratic.

# %% [markdown]
# ### Does the loop find the truth?
#
# The parabola's points are noisy: each has an error that no formula explains.
#
# > **Predict**
# >
# > With enough steps, does the loop end within 0.001 of 1, -2 and 0.5?

# %%
predict("08.b", "")

# %%
for n in [1000, 10_000]:
    fit_parabola(tf.constant(n))
    print(coefficients.numpy().ravel().round(3))

# %% [markdown]
# The points were made from these three numbers, but more steps change nothing. The loop only sees 200 noisy points,
# and another parabola fits them better than the true one. To see whether a *loop* is right, do not compare it with the
# truth. Compare it with the minimum of the loss. If the model is linear in its coefficients, one formula gives it, the
# **closed form** (least squares):

# %%
closed_form = np.linalg.lstsq(columns, y_noisy, rcond=None)[0]

print(closed_form.ravel().round(3))

# %% tags=["claims"]
assert np.allclose(coefficients, closed_form, atol=1e-4)
assert 0.005 < np.abs(closed_form.ravel() - [1.0, -2.0, 0.5]).max() < 0.05

# %% [markdown]
# ### Exercise 08.4: complete
#
# Fit a parabola to (`x`, `y`), tensors of shape (n,), with your own loop that follows a tape's gradients. Return its
# values at `x_new`, a tensor of another length. Each value must match the closed form's to within 0.2% of the largest
# value. The check tries three cases, and in one of them x is between 100 and 101. In each, 200 steps can be enough. (A
# tensor has no `.mean()`: use `tf.reduce_mean` and `tf.math.reduce_std`. The check stops after ten seconds of
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
# A parabola in z = (x - mean) / std is a parabola in x, too. With z, 200 steps with the learning rate 0.15 are enough.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Use three variables, `a * z**2 + b * z + c`, and your loop. For `x_new`, use the mean and deviation of `x`.
#
# </details>

# %% [markdown]
# ### What do the curvatures look like?
#
# At most points in a valley, the gradient does not point straight away from the minimum, so a step against it misses.
# In a few directions it does. Such a direction is an **eigenvector** of the Hessian, and the **eigenvalue** that
# belongs to it is the curvature in that direction. Along each eigenvector, a step multiplies the distance by 1 - lr ·
# λ, as with one variable.
#
# In the figure, on the left, look for the arrows that point at the minimum: only those on the two eigenvectors do. On
# the right are the eigenvectors of the parcels' loss, one along the valley and one across it.

# %%
H = hessian(loss_at, tf.zeros(2)).numpy()
# the curvatures, and a column for the direction of each
(flat, steep), directions = np.linalg.eigh(H)

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
    ends = np.outer([-16, 16], direction) + [10, 5]
    line = right.plot(*ends.T, color="C1", linewidth=2)
    text = right.annotate(name, np.array(max(ends.tolist())) + 0.7, color="C1")
for ax in (left, right):
    ax.set_aspect("equal")

# %% tags=["claims"]
assert np.allclose(H @ directions, directions * [flat, steep], atol=1e-3)
assert abs(directions[:, 0] @ directions[:, 1]) < 1e-5
assert np.sum(colors == "C1") == 4

# %% [markdown]
# ### What if the loss is not quadratic?
#
# A linear model with squared errors has a **quadratic** loss, whose curvature is the same everywhere. Other losses
# have no fixed limit. x⁴ has the curvature 12x², which grows with the distance from the minimum, so the start decides:

# %%
for start in [0.5, 2.0]:
    v = start
    for _ in range(5):
        v = v - 0.2 * 4 * v**3  # a step of gradient descent on x⁴
    print(f"from {start}: after 5 steps at {v:.2g}")

# %% tags=["claims"]
assert abs(v) > 1e40

# %% [markdown]
# For a network, 2/λ at a minimum tells you which learning rates can settle there, but not how to reach it.
#
# Very small steps have a limit, too. In float32, 100,000 steps with 0.001 end at b = 4.998, and 10,000 more change
# nothing: near the minimum the update becomes too small for float32 to subtract, and w and b stop moving.

# %% [markdown]
# ## Further reading
#
# - Goh, *Why Momentum Really Works*, Distill (2017): eigenvalues and learning rates in moving pictures.
# - Boyd and Vandenberghe, *Convex Optimization*, Cambridge 2004, chapter 9: the proofs.
# - LeCun, Bottou, Orr and Müller, *Efficient BackProp* (1998): what standardized inputs do for a network.
#
# For a model with many layers, Keras replaces these lines:
# [09 · A training step](09_training_step.ipynb).

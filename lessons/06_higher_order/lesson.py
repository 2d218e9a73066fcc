# %% [markdown] part="Part I: the tape"
# # 06 · Higher-order gradients
#
# A gradient penalty, a physics loss, a measure of how sharp a minimum is: each needs the derivative
# of a derivative, and one line in the wrong place makes it `None`.
#
# **You will learn to**
#
# - nest two tapes, and say why a second derivative is `None`;
# - read the shape of a jacobian, and tell when `batch_jacobian` is wrong;
# - compute a Hessian, and multiply it by a vector without forming it;
# - say what curvature gains over gradient descent, and what it costs.
#
# **Before you start**: [04 · Persistence](04_persistence.ipynb) and
# [05 · Control flow](05_control_flow.ipynb). **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import (
    ExplainingTape,
    check,
    hessian,
    play_tape,
    plot_loss_surface,
    predict,
    start_lesson,
)

start_lesson("06")

import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf

# %% [markdown]
# ## How do I differentiate a derivative?
#
# `tape.gradient` is itself a computation. If another tape is on while it runs, that tape records
# it, and can go back through it. So put one tape inside another:

# %%
x = tf.Variable(2.0)

with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = x**4
    slope = inner.gradient(y, x)  # the outer tape records this line
curvature = outer.gradient(slope, x)

print(f"first {slope.numpy():.1f}, second {curvature.numpy():.1f}")

# %% tags=["claims"]
# 4 x**3 and 12 x**2
assert np.isclose(slope, 32) and np.isclose(curvature, 48)

# %% [markdown]
# > **Predict**
# >
# > The line with `inner.gradient` moves one step to the left, out of both blocks. What is the
# > second derivative now?

# %%
predict("06.a", "")

# %%
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = x**4
slope = inner.gradient(y, x)
answer = outer.gradient(slope, x)

print(f"first {slope.numpy():.1f}, second {answer}")

# %% [markdown]
# What does an `ExplainingTape` in the outer place say?

# %%
with ExplainingTape() as outer:
    with tf.GradientTape() as inner:
        y = x**4
slope = inner.gradient(y, x)

assert outer.gradient(slope, x) == answer
print(outer.explanations[0].message)

# %% tags=["claims"]
assert outer.explanations[0].cause == "outer-tape-missed"

# %% [markdown]
# Taken inside, the gradient's own computation is on the outer tape. Press *Step*, or the right arrow key: x⁴ is
# computed, then the result, 4 · x³, which the drawing calls y. The orange way passes through 4 · x³ alone.


# %%
def slope_of_power(x):
    with tf.GradientTape() as inner:
        inner.watch(x)
        power = x**4
    return inner.gradient(power, x)


play_tape(slope_of_power, x)

# %% [markdown]
# You will read that a second derivative needs `persistent=True`. The two tapes above did without it. One
# persistent tape can replace them, but only if `gradient` is called inside its block, where it records.

# %%
with tf.GradientTape(persistent=True) as tape:
    y = x**4
    inside = tape.gradient(y, x)
outside = tape.gradient(y, x)

second = [tape.gradient(slope, x) for slope in (inside, outside)]
print("asked inside:", second[0].numpy(), "| outside:", second[1])

# %% tags=["claims"]
assert inside == outside == 32.0 and second == [48.0, answer]

# %% [markdown]
# A plain tensor must be watched by each tape that differentiates with respect to it. `derivative` differentiates any
# function, its own result, too: then the tape of one call is on while the other call runs.


# %%
def derivative(f):
    def slope_of_f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    return slope_of_f


def cube(x):
    return x**3


three = tf.constant(3.0)
values = [float(f(three)) for f in (cube, derivative(cube), derivative(derivative(cube)))]

print(values)

# %% tags=["claims"]
# x**3, 3 x**2 (equal at 3), 6 x
assert np.allclose(values, [27, 27, 18])

# %% [markdown]
# ### Many points at once
#
# A weight swings on a spring: its position at time t is $e^{-t/4} \cos 2t$.
#
# > **Predict**
# >
# > A tape sums a target of many entries. What is the gradient of 200 positions with respect to
# > their 200 times?

# %%
predict("06.b", "")

# %%
t = tf.linspace(tf.constant(0.0, tf.float64), 8.0, 200)  # seconds


def position(t):
    return tf.exp(-t / 4) * tf.cos(2 * t)  # metres


speed = derivative(position)(t)
acceleration = derivative(derivative(position))(t)

print(speed.shape, acceleration.shape)

# %% [markdown]
# In the figure, follow the dashed line: at the top of a swing the speed, which is negative on the way
# down, is zero, and the acceleration is negative.

# %%
# the spring's law: always zero
balance = acceleration + speed / 2 + 65 / 16 * position(t)
assert np.allclose(balance, 0, atol=1e-12)

# the second peak, worked out by hand
top = (2 * np.pi - np.arctan(1 / 8)) / 2
curves = {"position\n(m)": position(t), "speed\n(m/s)": speed, "acceleration\n(m/s²)": acceleration}
fig, axes = plt.subplots(3, 1, figsize=(6.4, 4.2), sharex=True)
for ax, (name, values) in zip(axes, curves.items(), strict=True):
    ax.axhline(0, color="0.6", lw=0.8)
    ax.axvline(top, color="0.4", lw=1.2, ls="--")
    lines = ax.plot(t, values)
    label = ax.set_ylabel(name)
label = axes[-1].set_xlabel("time (s)")

# %% [markdown]
# ### Exercise 06.1: complete
#
# `position` is a function of a tensor of times; `t` is a `tf.constant`, shape (n,). Differentiate it twice
# with tapes, not by differences, and return the tuple (speed, acceleration), each of shape (n,).


# %% exercise="06.1"
def motion(position, t):
    """Return (speed, acceleration) of position(t) at every time in t."""
    ### BEGIN SOLUTION
    with tf.GradientTape() as outer:
        outer.watch(t)
        with tf.GradientTape() as inner:
            inner.watch(t)
            s = position(t)
        speed = inner.gradient(s, t)
    return speed, outer.gradient(speed, t)
    ### END SOLUTION


# %%
check("06.1", motion)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# The times are a constant: both tapes must watch them.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Take the inner gradient, of the position, inside the outer block. The target of the outer tape is
# the speed.
#
# </details>

# %% [markdown]
# ### Exercise 06.2: repair
#
# A **gradient penalty** keeps a model smooth: the squared slopes of its output with respect to its
# inputs join the loss. This function should return the penalty's gradient with respect to `w`. It
# returns `None`, by one fault.


# %% exercise="06.2"
def penalty_gradient(w, x):
    # w is a tf.Variable of shape (n,), x a tensor of shape (n,); y is one number.
    ### BEGIN SOLUTION
    #| with tf.GradientTape() as tape:
    #|     tape.watch(x)
    #|     y = tf.tanh(tf.reduce_sum(w * x))
    #| slopes = tape.gradient(y, x)  # shape (n,)
    #| with tf.GradientTape() as tape:
    #|     penalty = tf.reduce_sum(slopes**2)
    #| return tape.gradient(penalty, w)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.tanh(tf.reduce_sum(w * x))
        slopes = inner.gradient(y, x)  # shape (n,)
        penalty = tf.reduce_sum(slopes**2)
    return outer.gradient(penalty, w)
    ### END SOLUTION


# %%
check("06.2", penalty_gradient)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# When the second tape starts, the slopes are already there. Which lines use `w`?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Start the penalty's tape first, with a name of its own, and put everything else but the last line
# into its block.
#
# </details>

# %% [markdown]
# ## What if there are many outputs?
#
# Sometimes the sum is not what you want. A **jacobian** keeps every output apart: entry [i, j] is
# the derivative of output i with respect to input j.

# %%
p = tf.Variable([2.0, 5.0])

with tf.GradientTape() as tape:
    y = tf.stack([p[0] * p[1], p[0] ** 2, 3 * p[1]])  # (3,)

J = tape.jacobian(y, p)

print(J.numpy())

# %% tags=["claims"]
# one row for each output
assert np.allclose(J, [[5, 2], [4, 0], [0, 3]])

# %% [markdown]
# Its shape is that of the outputs, followed by that of the source. A layer turns 7 examples of 5
# numbers into 7 of 6: all 42 outputs are paired with all 35 inputs, across examples too. That is one
# walk back for each output, 42 in all, done side by side.
#
# A *weighted sum* of the outputs takes one. Give the weights as `output_gradients`, and the tape
# starts with them instead of ones: a **vector-Jacobian product**.

# %%
x = tf.random.normal((7, 5), dtype=tf.float64)
W = tf.random.normal((5, 6), dtype=tf.float64)
# one for each output
weights = tf.random.normal((7, 6), dtype=tf.float64)


def layer(x):
    return tf.tanh(x @ W)


with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = layer(x)  # (7, 6)

J = tape.jacobian(y, x)
product = tape.gradient(y, x, output_gradients=weights)

print(J.shape, product.shape)

# %% tags=["claims"]
assert J.shape == (7, 6, 7, 5) and product.shape == x.shape
# the weighted sum over both axes of the outputs
assert np.allclose(product, np.tensordot(weights, J, axes=2))

# %% [markdown]
# ### Exercise 06.3: predict
#
# `features` has shape (8, 4), the variable `V` has shape (4, 3), and `y = tf.tanh(features @ V)`.
# What shape does `tape.jacobian(y, V)` have? Write a tuple.

# %% exercise="06.3"
# A tuple: the shape of tape.jacobian(y, V).
### BEGIN SOLUTION
jacobian_shape = (8, 3, 4, 3)
### END SOLUTION

# %%
check("06.3", jacobian_shape)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# The product of shapes (8, 4) and (4, 3) has shape (8, 3).
#
# </details>
# <details><summary>Hint 2</summary>
#
# The outputs' shape, followed by the source's shape.
#
# </details>
#
# Here is the jacobian itself:

# %%
features = tf.random.normal((8, 4))
V = tf.Variable(tf.random.normal((4, 3)))

with tf.GradientTape() as tape:
    y = tf.tanh(features @ V)

J = tape.jacobian(y, V)

print(J.shape)

# %% [markdown]
# ## When may I use batch_jacobian?
#
# In that layer each example of y depends on its own example of x alone, so most of J is zeros.
# `batch_jacobian` returns one table for each example, in 6 walks back instead of 42: one for each
# column of y, summed over the batch.


# %%
# in eager code, every jacobian builds a graph of its own and throws
# it away
@tf.function
def both_jacobians(layer, x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = layer(x)
    return tape.jacobian(y, x), tape.batch_jacobian(y, x)


assert J.shape == y.shape + V.shape  # of Exercise 06.3
J, batch_J = both_jacobians(layer, x)
# example i against itself
own_blocks = np.stack([J[i, :, i] for i in range(7)])

print(batch_J.shape)

# %% tags=["claims"]
assert batch_J.shape == (7, 6, 5) and np.allclose(batch_J, own_blocks)

# %% [markdown]
# Now subtract the mean of the batch first, as batch normalization does in training. The mean holds 1/7 of each
# example, so the table of one example's outputs against its own inputs is 6/7 of W, transposed.
#
# > **Predict**
# >
# > What does `batch_jacobian` return for this layer?

# %%
predict("06.c", "")


# %%
def centred_layer(x):
    return (x - tf.reduce_mean(x, axis=0)) @ W


J_centred, batch_J_centred = both_jacobians(centred_layer, x)

print(f"largest entry: {np.abs(batch_J_centred).max():.1f}")

# %% [markdown]
# The figure marks the entries of J that are not zero. Look off the diagonal: on the left there are
# none, on the right every one.

# %%
own_blocks = np.stack([J_centred[i, :, i] for i in range(7)])
# what is true
assert np.allclose(own_blocks, 6 / 7 * np.transpose(W))
# the sum over examples of y
summed = np.sum(J_centred, axis=0)  # (6, 7, 5)
assert np.allclose(batch_J_centred, summed.transpose(1, 0, 2))

fig, axes = plt.subplots(1, 2, figsize=(7.2, 3.6), sharey=True)
titles = ("each example alone", "batch mean subtracted")
for ax, title, table in zip(axes, titles, (J, J_centred), strict=True):
    filled = np.abs(table).reshape(42, 35) > 1e-9
    image = ax.imshow(filled, cmap="Blues", vmin=0, vmax=1.4, extent=(0, 7, 7, 0), aspect="equal")
    ax.set(title=title, xlabel="example of x", xticks=range(8), yticks=range(8))
    ax.grid(color="0.7", lw=0.6)
label = axes[0].set_ylabel("example of y")

# %% tags=["claims"]
assert filled.all()  # of the last table, the one on the right

# %% [markdown]
# ## What does curvature look like for many parameters?
#
# The jacobian of a loss's gradient is the **Hessian** H: all second derivatives. For parameters in
# a dict it comes in blocks, a row of them for each parameter's gradient. The outer tape is asked
# once a row, so it is persistent.

# %%
params = {"w": tf.Variable([1.0, -2.0]), "scale": tf.Variable(3.0)}


def hessian_blocks(loss_function):
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            loss = loss_function(params["w"], params["scale"])
        gradients = inner.gradient(loss, params)
    return {row: outer.jacobian(gradients[row], params) for row in params}


blocks = hessian_blocks(lambda w, scale: scale * tf.reduce_sum(w**2))

print(blocks["w"]["w"].numpy(), blocks["w"]["scale"].numpy())

# %% tags=["claims"]
# 2 * scale on the diagonal
assert np.allclose(blocks["w"]["w"], [[6, 0], [0, 6]])
assert np.allclose(blocks["w"]["scale"], [2, -4])  # 2 w
# the order does not matter
assert np.allclose(blocks["scale"]["w"], [2, -4])

# %% [markdown]
# The loss is a straight line in `scale`, so you might expect 0 for `scale` with itself. But the first derivative, the
# sum of w², does not contain `scale`: no path, `None`. In `separate` below, each parameter has a term of its own, so
# the mixed blocks are `None`. In `stacked`, both parameters pass through one tensor: there is a path, and the block
# is 0.
#
# Nothing was lost here. Make sure of that by the formula, or by `check_gradients` with `order=2` (lesson 07), before
# you let a 0 stand for `None`.

# %%
separate = hessian_blocks(lambda w, scale: scale**2 + tf.reduce_sum(w**2))

print("scale with itself:", blocks["scale"]["scale"])
print("w with scale:", separate["w"]["scale"])
assert blocks["scale"]["scale"] is None
assert separate["w"]["scale"] is None and separate["scale"]["w"] is None
assert separate["scale"]["scale"].numpy() == 2.0
stacked = hessian_blocks(lambda w, scale: tf.reduce_sum(tf.stack([*tf.unstack(w), scale]) ** 2))

# %% tags=["claims"]
assert np.allclose(stacked["w"]["scale"], 0)  # a tensor, not None

# %% [markdown]
# ## How do I get curvature without the whole Hessian?
#
# Often you need only Hv, the **Hessian-vector product**: how the gradient changes along a direction v. H is
# symmetric, so Hv is also the sum of its rows, each weighted with an entry of v. Row i of H is the derivative of
# the gradient's entry i. So ask the outer tape for the gradient's derivative, with `output_gradients=v`: that is
# the weighted sum, in one walk back.
#
# The loss is Rosenbrock's, a famous narrow valley. `hessian` from `course_utils` forms all of H, to compare.


# %%
def rosenbrock(x):
    return tf.reduce_sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def hessian_times(f, x, v):
    with tf.GradientTape() as outer:
        outer.watch(x)
        gradient = derivative(f)(x)  # a tape inside
    return outer.gradient(gradient, x, output_gradients=v)


x, v = tf.random.normal((2, 6), dtype=tf.float64)
Hv = hessian_times(rosenbrock, x, v)

print("agrees with H @ v:", np.allclose(Hv, np.dot(hessian(rosenbrock, x), v)))

# %% tags=["claims"]
assert np.allclose(Hv, np.dot(hessian(rosenbrock, x), v))

# %% [markdown]
# H holds n² numbers: at a million parameters of 8 bytes, 8 TB. Hv holds n, and nothing like H is formed on
# the way.

# %% [markdown]
# ### Further: Hv for a million parameters
#
# Here is Hv for a million parameters, against Rosenbrock's Hessian worked out by hand.

# %%
n = 1_000_000
x, v = tf.random.normal((2, n), dtype=tf.float64)
Hv = hessian_times(rosenbrock, x, v).numpy()

a, b, left, right = x[:-1].numpy(), x[1:].numpy(), v[:-1].numpy(), v[1:].numpy()
expected = np.zeros(n)
expected[:-1] += (1200 * a**2 - 400 * b + 2) * left - 400 * a * right
expected[1:] += 200 * right - 400 * a * left

print(f"Hv: {8 * Hv.size / 1e6:.0f} MB; H would take {8 * n**2 / 1e12:.0f} TB")

# %% tags=["claims"]
assert Hv.shape == (n,) and np.allclose(Hv, expected, atol=1e-6)

# %% [markdown]
# ### Forward mode
#
# The other way to Hv goes along with the computation. Each number carries a second one, its rate of change,
# and each operation passes both on: if x is 3 at rate 1, x² is 9 at rate 6. A `ForwardAccumulator` starts x
# with the rates v, and `jvp` (Jacobian-vector product) reads the rate of a result.

# %%
three = tf.constant(3.0)

with tf.autodiff.ForwardAccumulator(three, tf.constant(1.0)) as accumulator:
    square = three**2

print(f"value {square.numpy():.0f}, rate {accumulator.jvp(square).numpy():.0f}")

# %% tags=["claims"]
assert square == 9.0 and accumulator.jvp(square) == 6.0

# %% [markdown]
# The rate of a loss is its slope along v. The rate of a *gradient* is Hv. A tape goes in reverse, and here
# the accumulator goes forward along all that the tape does: **forward over reverse**.

# %%
x, v = tf.random.normal((2, 6), dtype=tf.float64)

with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
    y = rosenbrock(x)
    gradient = derivative(rosenbrock)(x)

slope, Hv = accumulator.jvp(y), accumulator.jvp(gradient)
print(slope.shape, Hv.shape)

# %% tags=["claims"]
assert np.isclose(slope, np.dot(gradient, v))
assert np.allclose(Hv, hessian_times(rosenbrock, x, v))

# %% [markdown]
# ### Further: an accumulator and a Keras variable
#
# You will read that an accumulator takes any variable; run this. A Keras variable is refused, and its
# `.value`, the TensorFlow variable inside, works.

# %%
weight = tf.keras.Variable(3.0)
rates = {}

for name, source in (("itself", weight), ("its .value", weight.value)):
    try:
        with tf.autodiff.ForwardAccumulator(source, tf.constant(1.0)) as accumulator:
            square = source * source
        rates[name] = accumulator.jvp(square).numpy().item()
    except AttributeError:
        rates[name] = "refused"

print(rates)

# %% tags=["claims"]
assert rates == {"itself": "refused", "its .value": 6.0}

# %% [markdown]
# ### Exercise 06.4: complete
#
# How sharply a loss bends along a direction u of length 1 is one number, $u^\top H u$. Return it for the
# direction of `v`, which may have any length. Form no H, and take no differences: differentiate at
# `x` alone. `f` is the loss, a function of a tensor; `x` and `v` are `tf.constant`s of shape (n,).


# %% exercise="06.4"
def curvature_along(f, x, v):
    """Return u . (H u), one number: u is v scaled to length 1, H the Hessian of f at x."""
    ### BEGIN SOLUTION
    u = v / tf.norm(v)
    with tf.autodiff.ForwardAccumulator(x, u) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        gradient = tape.gradient(y, x)
    return tf.reduce_sum(u * accumulator.jvp(gradient))
    ### END SOLUTION


# %%
check("06.4", curvature_along)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Divide `v` by its length, `tf.norm(v)`, first.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Hu is one Hessian-vector product. Multiply it by u, entry by entry, and add up.
#
# </details>

# %% [markdown]
# ## What is it good for?
#
# Gradient and Hessian together describe the second-order surface that fits the loss at a point. A matrix such as H
# has directions in which it only stretches, and its factors there, the **eigenvalues**, are the curvatures along them
# (lesson 08 draws them). Where all are positive, the surface is a bowl, and **Newton's method** steps to its bottom:
# it solves $H \cdot \text{step} = \text{gradient}$, and subtracts the step. Where one is negative, the surface is a
# saddle or a dome, and the same step may lead up.

# %%
gradient_of = derivative(rosenbrock)


def newton_step(p):
    H = hessian(rosenbrock, p)  # (2, 2)
    return p - tf.linalg.solve(H, gradient_of(p)[:, None])[:, 0]


@tf.function
def descend(p, rate, steps):
    for _ in tf.range(steps):
        p = p - rate * gradient_of(p)
    return p


# %% [markdown]
# > **Predict**
# >
# > From (-1.2, 1) to a loss below 1e-6, gradient descent at rate 0.001 takes about 15,000 steps. How many
# > does Newton's method take?

# %%
predict("06.d", "")

# %%
start = tf.constant([-1.2, 1.0], tf.float64)
newton_path, descent_path = [start], [start]

while rosenbrock(newton_path[-1]) > 1e-6:
    newton_path.append(newton_step(newton_path[-1]))
while rosenbrock(descent_path[-1]) > 1e-6:
    # 100 steps at a time
    descent_path.append(descend(descent_path[-1], 0.001, 100))

print(len(newton_path) - 1, 100 * (len(descent_path) - 1))

# %% [markdown]
# Why does gradient descent take so many? At the minimum the two eigenvalues of H are 1002 and 0.4, and one rate must
# serve both. Near it, along the steep direction, a rate up to 1/1002 comes from one side; up to 2/1002 it overshoots
# at each step, and converges; above, it moves away. So along the flat direction it crawls.
#
# In the figure, a dot on the left is one step, on the right it is 100 steps.

# %%
minimum = tf.constant([1.0, 1.0], tf.float64)
flat, steep = np.linalg.eigvalsh(hessian(rosenbrock, minimum))
assert np.isclose(steep, 1001.6, atol=0.1) and np.isclose(flat, 0.4, atol=0.01)

near = minimum + 1e-6
# overshoots, and converges
assert rosenbrock(descend(near, 1.5 / steep, 50)) < rosenbrock(near)
# moves away
assert rosenbrock(descend(near, 2.5 / steep, 50)) > rosenbrock(near)


box = {"x_range": (-1.6, 1.6), "y_range": (-3.6, 2.2), "labels": ("x₀", "x₁")}
paths = {"Newton's method": newton_path, "gradient descent": descent_path}
fig, axes = plt.subplots(1, 2, figsize=(8.4, 4.0), sharey=True)
for ax, (name, path) in zip(axes, paths.items(), strict=True):
    ax = plot_loss_surface(lambda a, b: 100 * (b - a**2) ** 2 + (1 - a) ** 2, **box, path=path, ax=ax)
    title = ax.set_title(name)
    # white rims would hide dots that stand close
    rims = plt.setp(ax.lines, markeredgewidth=0)

# %% [markdown]
# Look at the dot far below the valley: the second step of Newton's method makes the loss 300 times larger.
# The bowl fits only near the point, and the step goes farther. Here the next steps come back; nothing promises it, so
# away from a minimum Newton's method needs a guard. At (0, 1) there is not even a bowl.

# %%
losses = [float(rosenbrock(p)) for p in newton_path]
print("losses:", ", ".join(f"{loss:.2g}" for loss in losses[:-1]))
assert losses[2] > 1000 and losses[2] > 200 * losses[1]
assert len(newton_path) - 1 <= 6 and 100 * (len(descent_path) - 1) > 10_000

eigenvalues = np.linalg.eigvalsh(hessian(rosenbrock, tf.constant([0.0, 1.0], tf.float64)))
print("eigenvalues at (0, 1):", eigenvalues.round(3))

# %% tags=["claims"]
assert np.allclose(eigenvalues, [-398, 200])

# %% [markdown]
# ## Checkpoint
#
# Answer before you open.
#
# <details><summary>1. y has shape (10, 3), x has shape (10, 4). Which shapes have
# <code>jacobian</code> and <code>batch_jacobian</code>? When is the second right?</summary>
#
# (10, 3, 10, 4) and (10, 3, 4). When each example of y depends on its own example of x alone.
#
# </details>
# <details><summary>2. A mixed block of your Hessian is <code>None</code>. Name two
# reasons.</summary>
#
# That row's gradient does not contain the other parameter, and zero is right. Or the outer tape has no
# path: it did not record how the gradient was computed, or something like NumPy broke it.
#
# </details>
# <details><summary>3. Where does Newton's method on f(x) = -x² step from x = 1?</summary>
#
# Gradient and second derivative are both -2, so the step is 1, to x = 0: the top.
#
# </details>

# %% [markdown]
# ## Recap
#
# - Take the inner gradient inside the outer block. Each tape watches the plain tensors that it differentiates with respect to.
# - A jacobian has the outputs' shape first, then the source's.
# - `batch_jacobian` is silently wrong where examples depend on each other.
# - `None` in a Hessian may be a true zero: find out before you fill it in.
# - Two tapes multiply by a Hessian that would never fit in memory.
#
# ```python
# with tf.GradientTape() as outer:
#     outer.watch(x)
#     with tf.GradientTape() as inner:
#         inner.watch(x)
#         loss = f(x)
#     gradient = inner.gradient(loss, x)
# Hv = outer.gradient(gradient, x, output_gradients=v)
# ```
#
# **To remember**: take the inner gradient inside the outer block, where the outer tape records it.

# %% [markdown]
# ## Further reading
#
# - TensorFlow's guide *Advanced automatic differentiation*: the same in reference form.
# - Pearlmutter, *Fast exact multiplication by the Hessian*, Neural Computation 6 (1994): Hv and its
#   cost.
# - Nocedal and Wright, *Numerical Optimization*, 2nd edition, Springer 2006: how to keep Newton's
#   method from climbing.
#
# You have met a derivative that is wrong without a word. How to prove one right is the subject of
# [07 · Gradient checking](07_gradient_checking.ipynb).

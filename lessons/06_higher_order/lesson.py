# %% [markdown] part="Part I: the tape"
# # 06 · Higher-order gradients
#
# You want a model whose output changes smoothly, so you add a penalty on its slopes to the loss. A slope is a gradient,
# so training now needs the gradient of a gradient. You write the code, it runs, and it prints the penalty. But the
# penalty's gradient is `None`, because nothing was recording while the slopes were computed. In this lesson you learn
# to differentiate a derivative.
#
# **You will learn to**
#
# - nest two tapes to get a second derivative, at one point or at many;
# - read the shape of a Jacobian;
# - multiply a Hessian by a vector without ever computing the Hessian.
#
# **Before you start**: [04 · Persistence](04_persistence.ipynb) and [05 · Control flow](05_control_flow.ipynb).
# **Time**: {time}.

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
# `tape.gradient` is itself a computation. If a second tape is recording while it runs, you can differentiate the result
# again. So put one tape inside another:

# %%
x = tf.Variable(2.0)

with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = x**4
    slope = inner.gradient(y, x)  # the outer tape records this line

curvature = outer.gradient(slope, x)

print(f"first {slope.numpy():.1f}, second {curvature.numpy():.1f}")

# %% tags=["claims"]
assert np.isclose(slope, 32) and np.isclose(curvature, 48)

# %% [markdown]
# The first derivative of x⁴ at 2 is 4x³ = 32, and the second is 12x² = 48. What matters is that `inner.gradient` is
# called inside the block of the outer tape.
#
# > **Predict**
# >
# > Move that line below both `with` blocks. What is the second derivative now?

# %%
predict("06.a", "")

# %%
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = x**4
slope = inner.gradient(y, x)

answer = outer.gradient(slope, x)

print(f"first {slope.numpy():.1f}, second {answer}")

# %% tags=["claims"]
assert answer is None and slope.numpy() == 32.0
with ExplainingTape() as outer:
    with tf.GradientTape() as inner:
        y = x**4
slope = inner.gradient(y, x)
assert outer.gradient(slope, x) is None
assert outer.explain()[0].cause == "outer-tape-missed"

# %% [markdown]
# The first derivative is still right. But by the time `slope` was computed, neither tape was recording. To the outer
# tape, `slope` is just a constant. (`ExplainingTape` calls this cause `outer-tape-missed`.)
#
# Now step through the correct version by pressing *Step* or the right arrow key. `play_tape` is the outer tape, and it
# labels its target y. Here the target is the slope, 4 · x³, and not x⁴. The orange path leads back through it.


# %%
def slope_of_power(x):
    with tf.GradientTape() as inner:
        inner.watch(x)
        power = x**4
    return inner.gradient(power, x)


play_tape(slope_of_power, x)

# %% [markdown]
# So far, x was a variable. A plain tensor must be watched by every tape, and `derivative`, below, does that. It takes a
# function and returns its derivative, which is again a function, so you can apply it twice:


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


three = tf.constant(3.0)  # here, x³ and 3x² are both 27

print("x³ at 3:", cube(three).numpy())
print("first derivative:", derivative(cube)(three).numpy())
print("second derivative:", derivative(derivative(cube))(three).numpy())

# %% tags=["claims"]
values = [float(f(three)) for f in (cube, derivative(cube), derivative(derivative(cube)))]
assert np.allclose(values, [27, 27, 18])

# %% [markdown]
# ## Many points at once
#
# A weight bobs on a spring, and its position at time t is $e^{-t/4} \cos 2t$. You want its velocity and its
# acceleration at 200 points in time. Looping over them would be slow.
#
# > **Predict**
# >
# > If the target has many entries, a tape differentiates their sum. What is the gradient of 200 positions with respect
# > to their 200 times?

# %%
predict("06.b", "")

# %%
t = tf.linspace(tf.constant(0.0, tf.float64), 8.0, 200)  # seconds


def position(t):
    return tf.exp(-t / 4) * tf.cos(2 * t)  # meters


velocity = derivative(position)(t)
acceleration = derivative(derivative(position))(t)

print(velocity.shape, acceleration.shape)

# %% [markdown]
# The gradient has the shape of its source: 200 entries, one for each time. Since position i depends only on time i,
# entry i of the gradient is the velocity at time i, and a single call gives all 200.
#
# In the figure, the dashed line marks the top of an oscillation, where the velocity is zero and the acceleration is
# negative.

# %%
top = (2 * np.pi - np.arctan(1 / 8)) / 2  # worked out by hand
curves = {
    "position\n(m)": position(t),
    "velocity\n(m/s)": velocity,
    "acceleration\n(m/s²)": acceleration,
}

fig, axes = plt.subplots(3, 1, figsize=(6.4, 4.2), sharex=True)
for ax, (name, values) in zip(axes, curves.items(), strict=True):
    ax.axhline(0, color="0.6", lw=0.8)
    ax.axvline(top, color="0.4", lw=1.2, ls="--")
    lines = ax.plot(t, values)
    label = ax.set_ylabel(name)
label = axes[-1].set_xlabel("time (s)")

# %% tags=["claims"]
# the spring's law: always zero
assert np.allclose(acceleration + velocity / 2 + 65 / 16 * position(t), 0, atol=1e-12)
at_top = tf.constant([top], tf.float64)
assert abs(derivative(position)(at_top)[0]) < 1e-12
assert derivative(derivative(position))(at_top)[0] < 0

# %% [markdown]
# ### Exercise 06.1: complete
#
# `position` is a function of a tensor of times, and `t` is a `tf.constant` of shape (n,). Use tapes to differentiate
# the position twice, and return the tuple (velocity, acceleration), each of shape (n,).


# %% exercise="06.1"
def motion(position, t):
    """Return (velocity, acceleration) of position(t) at every time in t."""
    ### BEGIN SOLUTION
    with tf.GradientTape() as outer:
        outer.watch(t)
        with tf.GradientTape() as inner:
            inner.watch(t)
            s = position(t)
        velocity = inner.gradient(s, t)
    return velocity, outer.gradient(velocity, t)
    ### END SOLUTION


# %%
check("06.1", motion)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# The times are a constant, so both tapes must watch them.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Take the inner gradient, which is the velocity, inside the outer block, and use it as the target of the outer tape.
#
# </details>

# %% [markdown]
# ## What is a second derivative good for?
#
# One use is the penalty from the beginning of this lesson. A **gradient penalty** is an extra term in the loss: the sum
# of the squared derivatives of the model's output with respect to its inputs. The smaller it is, the less the output
# changes when the inputs change a little.
#
# The penalty is made of gradients, and training needs its gradient with respect to the weights. So one tape must be
# recording while another computes the slopes. Here is a training step's loss with a penalty, for a small network:

# %%
model = tf.keras.Sequential([tf.keras.layers.Dense(8, "tanh"), tf.keras.layers.Dense(1)])
inputs, targets = tf.random.normal((32, 3)), tf.random.normal((32, 1))

with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        inner.watch(inputs)
        y_hat = model(inputs, training=True)
    slopes = inner.gradient(y_hat, inputs)  # (32, 3)
    penalty = tf.reduce_mean(tf.reduce_sum(slopes**2, axis=1))
    loss = tf.reduce_mean((y_hat - targets) ** 2) + 0.1 * penalty

gradients = outer.gradient(loss, model.trainable_variables)

print(
    "gradients that are None:",
    sum(gradient is None for gradient in gradients),
    "of",
    len(gradients),
)

# %% tags=["claims"]
assert all(gradient is not None for gradient in gradients)
with tf.GradientTape() as inner:
    inner.watch(inputs)
    y_hat = model(inputs, training=True)
slopes = inner.gradient(y_hat, inputs)
with tf.GradientTape() as outer:
    penalty = tf.reduce_mean(tf.reduce_sum(slopes**2, axis=1))
assert outer.gradient(penalty, model.trainable_variables) == [None] * 4

# %% [markdown]
# ### Exercise 06.2: repair
#
# For the model y = tanh(sum of w · x), this function should return the gradient of the penalty with respect to the
# weights `w`. It has one bug, and returns `None`.


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
# By the time the second tape starts, the slopes have already been computed. Which lines use `w`?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Start the penalty's tape first, give it its own name, and put everything but the last line into its block.
#
# </details>

# %% [markdown]
# ## What if there are many outputs?
#
# With the spring, nothing was lost by summing, because each position depended only on its own time. But if several
# outputs depend on the same input, the sum adds up their derivatives, and you can no longer tell them apart. The
# **Jacobian** keeps them apart: its entry [i, j] is the derivative of output i with respect to input j.

# %%
p = tf.Variable([2.0, 5.0])

with tf.GradientTape() as tape:
    y = tf.stack([p[0] * p[1], p[0] ** 2, 3 * p[1]])  # (3,)

J = tape.jacobian(y, p)

print(J.numpy())

# %% tags=["claims"]
assert np.allclose(J, [[5, 2], [4, 0], [0, 3]])

# %% [markdown]
# Read it row by row. The first output is the product p₀ · p₁, so its row is (p₁, p₀) = (5, 2).
#
# The shape of a Jacobian is **the shape of the outputs, followed by the shape of the source**: here (3,) and (2,) give
# (3, 2). A Jacobian quickly gets large, and takes one backward pass for each output. If the source is a batch of inputs,
# most of its Jacobian is zero, because each output usually depends only on its own example. `batch_jacobian`, in *Going
# deeper*, computes only the blocks that are not.
#
# ### Exercise 06.3: predict
#
# `features` has shape (8, 4), the variable `V` has shape (4, 3), and `y = tf.tanh(features @ V)`. What is the shape of
# `tape.jacobian(y, V)`? Write a tuple.

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
# The shape of the outputs, followed by the shape of the source.
#
# </details>
#
# Run it:

# %%
features = tf.random.normal((8, 4))
V = tf.Variable(tf.random.normal((4, 3)))

with tf.GradientTape() as tape:
    y = tf.tanh(features @ V)

print(tape.jacobian(y, V).shape)

# %% [markdown]
# ## How much does the loss curve?
#
# The second derivatives of a loss tell you how it curves, that is, how fast the gradient changes as you move. With n
# parameters, there is one second derivative for each pair of parameters. Together they form the **Hessian** H, an
# n-by-n matrix, which is the Jacobian of the gradient. As an example, take Rosenbrock's function, a narrow, bent valley
# that is often used to test optimizers:


# %%
def rosenbrock(x):
    return tf.reduce_sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


x = tf.constant([0.5, -1.0, 2.0])

with tf.GradientTape() as outer:
    outer.watch(x)
    gradient = derivative(rosenbrock)(x)

H = outer.jacobian(gradient, x)

print(H.numpy())

# %% tags=["claims"]
assert np.allclose(H, np.transpose(H)) and np.allclose(H, hessian(rosenbrock, x))

# %% [markdown]
# For a network with a million parameters, H would have 10¹² entries, or 4 TB in float32. But often you only need to
# know how the gradient changes as you move in one direction v. The answer is the product Hv, which has only n entries.
#
# You can compute this **Hessian-vector product** without H. Form a single number, the dot product of the gradient and
# v, and differentiate it with the outer tape: the result is Hv. The argument `output_gradients=v` of `gradient` does both
# in one call: it multiplies each entry of the target by an entry of v, and adds up the products.


# %%
def hessian_times(f, x, v):
    with tf.GradientTape() as outer:
        outer.watch(x)
        gradient = derivative(f)(x)
    return outer.gradient(gradient, x, output_gradients=v)


v = tf.constant([1.0, 0.0, -1.0])

print("H @ v:            ", tf.linalg.matvec(H, v).numpy())
print("without forming H:", hessian_times(rosenbrock, x, v).numpy())

# %% tags=["claims"]
assert np.allclose(hessian_times(rosenbrock, x, v), tf.linalg.matvec(H, v))
large, direction = tf.random.normal((2, 1_000_000), dtype=tf.float64)
Hv = hessian_times(rosenbrock, large, direction).numpy()
a, b, left, right = large[:-1].numpy(), large[1:].numpy(), direction[:-1], direction[1:]
expected = np.zeros(1_000_000)
expected[:-1] += (1200 * a**2 - 400 * b + 2) * left - 400 * a * right
expected[1:] += 200 * right - 400 * a * left
assert np.allclose(Hv, expected, atol=1e-6)

# %% [markdown]
# This takes two backward passes, however large n is. For a million parameters, the result takes up only 4 MB in
# float32.

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open the answer.
#
# <details><summary>1. Your second derivative is <code>None</code>. Which line would you check first?</summary>
#
# The one that takes the inner gradient. It must be inside the block of the outer tape.
#
# </details>
# <details><summary>2. y has shape (10, 3) and x has shape (10, 4). What is the shape of the Jacobian?</summary>
#
# (10, 3, 10, 4): outputs first, then the source.
#
# </details>
# <details><summary>3. A loss has 1,000 parameters. How many numbers are in its Hessian, and how many in a
# Hessian-vector product?</summary>
#
# 1,000,000 and 1,000.
#
# </details>

# %% [markdown]
# ## Recap
#
# - Call `inner.gradient` inside the block of the outer tape.
# - Watch a plain tensor on both tapes.
# - For many points, differentiate the whole tensor at once.
# - Expect a Jacobian to have the shape of the outputs, then the shape of the source.
# - For a Hessian-vector product, pass `output_gradients=v`.
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
# ## Going deeper
#
# A faster Jacobian and when it is wrong, Hessians of several parameters, forward mode, and what curvature is good for.

# %% [markdown]
# ### When may I use batch_jacobian?
#
# A layer turns 7 examples into 7 outputs, and usually each output depends only on its own example. Then most of the
# Jacobian is zeros. `batch_jacobian` returns only one table for each example, in far fewer backward passes.

# %%
examples = tf.random.normal((7, 5), dtype=tf.float64)
W = tf.random.normal((5, 6), dtype=tf.float64)


def layer(x):
    return tf.tanh(x @ W)


def both_jacobians(layer, x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = layer(x)
    return tape.jacobian(y, x), tape.batch_jacobian(y, x)


J, batch_J = both_jacobians(layer, examples)

print(J.shape, batch_J.shape)

# %% tags=["claims"]
assert np.allclose(batch_J, np.stack([J[i, :, i] for i in range(7)]))
weights = tf.random.normal((7, 6), dtype=tf.float64)
with tf.GradientTape() as tape:
    tape.watch(examples)
    y = layer(examples)
weighted = tape.gradient(y, examples, output_gradients=weights)
assert np.allclose(weighted, np.tensordot(weights, J, axes=2))

# %% [markdown]
# Now subtract the mean of the batch first, as batch normalization does in training. Each example has a share of 1/7 in
# the mean, so the true table of an example against itself is 6/7 of W, transposed.
#
# > **Predict**
# >
# > What does `batch_jacobian` return for this layer?

# %%
predict("06.c", "")


# %%
def centered_layer(x):
    return (x - tf.reduce_mean(x, axis=0)) @ W


J_centered, batch_J_centered = both_jacobians(centered_layer, examples)

print(f"largest entry: {np.abs(batch_J_centered).max():.1f}")

# %% [markdown]
# It returns zeros, without an error. `batch_jacobian` adds up over the examples, and trusts that an example does not
# influence the others. Here it does: when one example moves up, the others move down, and the sum stays the same.
#
# The figure marks the entries of the Jacobian that are not zero. Look off the diagonal: on the left there are none,
# and on the right all of them are.

# %%
fig, axes = plt.subplots(1, 2, figsize=(7.2, 3.6), sharey=True)
titles = ("each example alone", "batch mean subtracted")
for ax, title, table in zip(axes, titles, (J, J_centered), strict=True):
    filled = np.abs(table).reshape(42, 35) > 1e-9
    image = ax.imshow(filled, cmap="Blues", vmin=0, vmax=1.4, extent=(0, 7, 7, 0), aspect="equal")
    ax.set(title=title, xlabel="example of x", xticks=range(8), yticks=range(8))
    ax.grid(color="0.7", lw=0.6)
label = axes[0].set_ylabel("example of y")

# %% tags=["claims"]
assert filled.all()  # of the last table, the one on the right
own_blocks = np.stack([J_centered[i, :, i] for i in range(7)])
assert np.allclose(own_blocks, 6 / 7 * np.transpose(W))
assert np.allclose(batch_J_centered, 0)
summed = np.sum(J_centered, axis=0)  # (6, 7, 5)
assert np.allclose(batch_J_centered, summed.transpose(1, 0, 2))

# %% [markdown]
# ### What does `None` mean in a Hessian?
#
# For parameters in a dict, the Hessian comes in blocks. The outer tape is called once for each row, so it is
# persistent:

# %%
params = {"w": tf.Variable([1.0, -2.0]), "scale": tf.Variable(3.0)}


def hessian_blocks(loss_function):
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            loss = loss_function(params["w"], params["scale"])
        gradients = inner.gradient(loss, params)
    return {row: outer.jacobian(gradients[row], params) for row in params}


blocks = hessian_blocks(lambda w, scale: scale * tf.reduce_sum(w**2))

print("w with w:", blocks["w"]["w"].numpy().tolist())
print("w with scale:", blocks["w"]["scale"].numpy())
print("scale with scale:", blocks["scale"]["scale"])

# %% tags=["claims"]
assert np.allclose(blocks["w"]["w"], [[6, 0], [0, 6]])
assert np.allclose(blocks["w"]["scale"], [2, -4]) and np.allclose(blocks["scale"]["w"], [2, -4])
assert blocks["scale"]["scale"] is None
separate = hessian_blocks(lambda w, scale: scale**2 + tf.reduce_sum(w**2))
assert separate["w"]["scale"] is None and separate["scale"]["w"] is None
assert separate["scale"]["scale"].numpy() == 2.0
stacked = hessian_blocks(lambda w, scale: tf.reduce_sum(tf.stack([*tf.unstack(w), scale]) ** 2))
assert np.allclose(stacked["w"]["scale"], 0)  # a tensor, not None

# %% [markdown]
# The loss is a straight line in `scale`, so its second derivative is 0. The tape says `None`, because the first
# derivative does not contain `scale` at all. Here `None` is a true zero. Make sure of that, by the formula or by
# `check_gradients` with `order=2` (lesson 07), before you put a 0 in its place.

# %% [markdown]
# ### What is forward mode?
#
# A tape goes backward from one output to all inputs. A `ForwardAccumulator` goes along with the computation: each
# number carries its rate of change, and each operation passes it on. `jvp`, short for Jacobian-vector product, reads
# the rate of a result. If x is 3 and changes at rate 1, then x² is 9 and changes at rate 6:

# %%
with tf.autodiff.ForwardAccumulator(three, tf.constant(1.0)) as accumulator:
    square = three**2

print(f"value {square.numpy():.0f}, rate {accumulator.jvp(square).numpy():.0f}")

# %% [markdown]
# The rate of a *gradient* along v is Hv. So an accumulator around a tape is another route to the Hessian-vector
# product, called **forward over reverse**:

# %%
with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
    gradient = derivative(rosenbrock)(x)

print(accumulator.jvp(gradient).numpy())

# %% tags=["claims"]
assert np.allclose(accumulator.jvp(gradient), hessian_times(rosenbrock, x, v))
with tf.autodiff.ForwardAccumulator(three, tf.constant(1.0)) as accumulator:
    square = three**2
assert square == 9.0 and accumulator.jvp(square) == 6.0
weight, rates = tf.keras.Variable(3.0), {}
for name, source in (("itself", weight), ("its .value", weight.value)):
    try:
        with tf.autodiff.ForwardAccumulator(source, tf.constant(1.0)) as accumulator:
            square = source * source
        rates[name] = accumulator.jvp(square).numpy().item()
    except AttributeError:
        rates[name] = "refused"
assert rates == {"itself": "refused", "its .value": 6.0}

# %% [markdown]
# An accumulator does not accept a Keras variable. Pass its `.value`.
#
# ### Exercise 06.4: complete
#
# How sharply a loss bends along a direction u of length 1 is one number, $u^\top H u$. Return it for the direction of
# `v`, which may have any length. Do not form H, and differentiate at `x` only, without differences. `f` is the loss, a
# function of a tensor. `x` and `v` are `tf.constant`s of shape (n,).


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
# Hu is one Hessian-vector product. Multiply it by u, elementwise, and add up.
#
# </details>

# %% [markdown]
# ### What is curvature good for?
#
# If you know gradient and Hessian, you can fit a bowl to the loss at your point, and step to its bottom. This is
# **Newton's method**: solve $H \cdot \text{step} = \text{gradient}$, and subtract the step.

# %%
gradient_of = derivative(rosenbrock)


def newton_step(p):
    H = hessian(rosenbrock, p)  # (2, 2)
    return p - tf.linalg.solve(H, gradient_of(p)[:, None])[:, 0]


@tf.function
def descend(p, learning_rate, steps):
    for _ in tf.range(steps):
        p = p - learning_rate * gradient_of(p)
    return p


# %% [markdown]
# > **Predict**
# >
# > From (-1.2, 1) to a loss below 1e-6, gradient descent with the learning rate 0.001 takes about 15,000 steps. How
# > many does Newton's method take?

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

print("Newton's method:", len(newton_path) - 1)
print("gradient descent:", 100 * (len(descent_path) - 1))

# %% [markdown]
# Newton's method uses the curvature to decide how far to go in each direction, so a few steps are enough even in a bent
# valley. Gradient descent uses one learning rate for all directions. The steep walls of the valley force it to be
# small, so along the flat floor the descent crawls. (Lesson 08 explains how large the learning rate may be.)
#
# In the figure, a dot on the left is one step, and a dot on the right is 100 steps.

# %%
box = {"x_range": (-1.6, 1.6), "y_range": (-3.6, 2.2), "labels": ("x₀", "x₁")}
paths = {"Newton's method": newton_path, "gradient descent": descent_path}

fig, axes = plt.subplots(1, 2, figsize=(8.4, 4.0), sharey=True)
for ax, (name, path) in zip(axes, paths.items(), strict=True):
    ax = plot_loss_surface(
        lambda a, b: 100 * (b - a**2) ** 2 + (1 - a) ** 2, **box, path=path, ax=ax
    )
    title = ax.set_title(name)
    # white rims would hide dots that are close together
    rims = plt.setp(ax.lines, markeredgewidth=0)

# %% [markdown]
# Look at the dot far below the valley. The second step made the loss 300 times larger, because the bowl fits only near
# the point, and the step went further. Here the next steps came back, but nothing guarantees it. If H has a negative
# eigenvalue, there is not even a bowl. So away from a minimum, Newton's method needs a safeguard.

# %% tags=["claims"]
minimum = tf.constant([1.0, 1.0], tf.float64)
flat, steep = np.linalg.eigvalsh(hessian(rosenbrock, minimum))
assert np.isclose(steep, 1001.6, atol=0.1) and np.isclose(flat, 0.4, atol=0.01)
losses = [float(rosenbrock(p)) for p in newton_path]
assert losses[2] > 1000 and losses[2] > 200 * losses[1]
assert len(newton_path) - 1 <= 6 and 100 * (len(descent_path) - 1) > 10_000
eigenvalues = np.linalg.eigvalsh(hessian(rosenbrock, tf.constant([0.0, 1.0], tf.float64)))
assert np.allclose(eigenvalues, [-398, 200])

# %% [markdown]
# ## Further reading
#
# - TensorFlow's guide *Advanced automatic differentiation*: the same in reference form.
# - Pearlmutter, *Fast exact multiplication by the Hessian*, Neural Computation 6 (1994): Hv and its cost.
# - Nocedal and Wright, *Numerical Optimization*, 2nd edition, Springer 2006: how to keep Newton's method from
#   climbing.
#
# In this lesson a derivative was wrong, and no error told you. Next: how to prove that one is right, in
# [07 · Gradient checking](07_gradient_checking.ipynb).

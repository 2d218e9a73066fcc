# %% [markdown] part="Part I: the tape" goal="a right gradient"
# # 07 · Gradient checking
#
# A colleague has derived the gradient of a loss by hand. Training works only with a tiny learning rate, so the team
# spends a week tuning it. The gradient was wrong from the start: too large by a factor of n, the batch size. A wrong
# gradient raises no error. In this lesson you learn to check one in seconds, even with a million parameters.
#
# **You will learn to**
#
# - estimate a derivative by differences, and choose a sensible step;
# - check a million parameters with a few evaluations;
# - read a report of `check_gradients`, and write a check that exposes wrong gradients.
#
# **Before you start**: [06 · Higher-order gradients](06_higher_order.ipynb). **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import check, check_gradients, play_tape, plot_error_curve, predict, start_lesson

start_lesson("07")

import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf

# %% [markdown]
# ## How good is a difference?
#
# To check a derivative you need a second opinion. The simplest one is to move x a little, and see how f changes. Here
# are two formulas for that, with the step h. All derivatives of exp at x = 1 are e = 2.718, so the errors are easy to
# see:

# %%
def forward(f, x, h):
    return (f(x + h) - f(x)) / h


def central(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * h)


x = tf.constant(1.0, tf.float64)

for h in [0.1, 0.01, 0.001]:
    errors = [abs(difference(tf.exp, x, h).numpy() - np.e) for difference in (forward, central)]
    print(f"h = {h:5}: forward is off by {errors[0]:.5f}, central by {errors[1]:.7f}")

# %% tags=["claims"]
for h in (0.1, 0.01, 0.001):
    errors = [abs(difference(tf.exp, x, h).numpy() - np.e) for difference in (forward, central)]
    assert np.allclose(errors, [np.e * h / 2, np.e * h**2 / 6], rtol=0.05)

# %% [markdown]
# With a step ten times shorter, the error of the **forward difference** is ten times smaller, and that of the
# **central difference** is a hundred times smaller. A forward difference is the slope of the line through the points at
# x and x + h. The curve bends away from that line. The line of a central difference goes through a point on either side
# of x, so most of the bend cancels.
#
# > **Predict**
# >
# > So let us take a really short step. For forward differences of exp at 1, in float64, which step is the most
# > accurate: 1e-4, 1e-8 or 1e-12?

# %%
predict("07.a", "")

# %%
for h in [1e-4, 1e-8, 1e-12]:
    print(f"h = {h:.0e}: off by {abs(forward(tf.exp, x, h).numpy() - np.e):.0e}")

# %% [markdown]
# The shortest step should follow the curve best, but it is about as bad as the longest. In float64, every value of f
# is rounded to about 16 digits. If h is short, f(x + h) and f(x) agree in most of these digits. Their difference is
# mostly **rounding error**, and dividing by a tiny h makes it large. So there is a best step, neither long nor short:
# here, near 1e-8.
#
# Read the figure from right to left: the errors fall as h gets shorter, then rise because of rounding. At its best step,
# the central difference is much more accurate, so from here on, we use that one.

# %%
points, steps = np.linspace(1, 2, 101), 2.0 ** -np.arange(1, 41)
curves = {"float32": {}, "float64": {}}  # mean errors over the points

for dtype, errors in curves.items():
    x = tf.constant(points, dtype)
    truth = np.exp(x.numpy().astype("float64"))
    for difference in (forward, central):
        found = [difference(tf.exp, x, h) for h in steps]
        errors[difference.__name__] = [np.mean(abs(slope.numpy() - truth)) for slope in found]

fig, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
for ax, (dtype, errors) in zip(axes, curves.items(), strict=True):
    plot_error_curve(steps, errors, ax=ax)
    ax.set(title=dtype, ylim=(1e-12, 1e2))

# %% tags=["claims"]
x = tf.constant(1.0, tf.float64)
errors = {h: abs(forward(tf.exp, x, h).numpy() - np.e) for h in (1e-4, 1e-8, 1e-12)}
assert min(errors, key=errors.get) == 1e-8
assert 0.1 < errors[1e-12] / errors[1e-4] < 10
for dtype, errors in curves.items():
    for name, order in (("forward", 1), ("central", 2)):
        error = np.array(errors[name])
        slope = np.polyfit(np.log(steps[1:6]), np.log(error[1:6]), 1)[0]
        rule = np.finfo(dtype).eps ** (1 / (order + 1))
        assert abs(slope - order) < 0.15
        assert 1 / 10 < steps[np.argmin(error)] / rule < 10
    assert min(errors["central"]) < min(errors["forward"]) / 10
left = np.polyfit(np.log(steps[-12:]), np.log(curves["float64"]["central"][-12:]), 1)[0]
assert abs(left + 1) < 0.2  # rounding grows as 1 / h
assert 1e-6 < min(curves["float32"]["central"]) < 1e-3

# %% [markdown]
# Even at its best step, a central difference of exp in float32 has only about five correct digits. So check in float64
# if you can. The tool that you will meet in a moment finds the step for you.

# %% [markdown]
# ## How do I check a million parameters?
#
# One difference for each parameter would take two million evaluations of the loss. There is a better idea: move *all*
# parameters at once, in a random **direction** v. Here it is for two parameters, whose gradient is (3, -1).

# %%
def loss_of_two(p):
    return 3 * p[0] - p[1]


p, gradient = np.array([1.0, 1.0]), np.array([3.0, -1.0])
v = np.array([0.5, 2.0])

predicted = np.dot(gradient, v)
measured = central(lambda t: loss_of_two(p + t * v), 0.0, 1e-5)

print(f"predicted {predicted:.3f}, measured {measured:.3f}")

# %% tags=["claims"]
assert predicted == -0.5 and np.isclose(measured, -0.5)

# %% [markdown]
# If you move along v, the loss changes at the rate gradient · v, the sum of the products of their entries: here 3 ·
# 0.5 - 1 · 2 = -0.5. A central difference along v measures the same rate with two evaluations, whatever the number of
# parameters. If the two numbers clearly differ, the gradient is wrong.
#
# > **Predict**
# >
# > A gradient has a million entries, and one of them has the wrong sign. Does one random direction notice?

# %%
predict("07.c", "")

# %%
x, v = tf.random.normal((2, 1_000_000), dtype=tf.float64)
right = tf.cos(x)  # the gradient of the sum of sin
wrong = tf.tensor_scatter_nd_update(right, [[7]], -right[7:8])

measured = central(lambda t: tf.reduce_sum(tf.sin(x + t * v)), 0.0, 1e-5)

for name, gradient in [("right", right), ("wrong", wrong)]:
    difference = float(abs(tf.reduce_sum(gradient * v) - measured))
    print(f"{name}: off by more than 1e-4: {difference > 1e-4}")

# %% tags=["claims"]
off = [float(abs(tf.reduce_sum(g * v) - measured)) for g in (right, wrong)]
assert off[0] < 1e-5 and off[1] > 1e-3
error, draws = np.random.normal(size=50), np.random.normal(size=(100_000, 50))
assert 0.006 < np.mean(abs(draws @ error) < 0.01 * np.linalg.norm(error)) < 0.010

# %% [markdown]
# One entry among a million sounds like too little to notice. But a random direction moves every entry, the wrong one
# included, and the other 999,999 products are known to many digits. A direction v misses an error only by accident, when v
# is nearly perpendicular to the error.

# %% [markdown]
# ## How do I read a report?
#
# `check_gradients(f, at)` does all of this: it draws three directions for each tensor, finds a step that suits f, and
# compares the rates. You set no tolerance. Instead it estimates how far off its own measurement may be, and calls that
# the **error bar**. Pass `grads` to check gradients that you derived by hand. Here is a linear model. The gradient of
# b lacks the factor 2 from the square:

# %%
features = 10 * tf.random.normal((8, 3), dtype=tf.float64)
targets = tf.random.normal((8, 1), dtype=tf.float64)
W, b = tf.random.normal((3, 1), dtype=tf.float64), tf.constant([0.5], tf.float64)


def loss(W, b):
    return tf.reduce_mean((features @ W + b - targets) ** 2)


residual = features @ W + b - targets  # (8, 1)
by_hand = [2 / 8 * tf.transpose(features) @ residual, tf.reduce_mean(residual, axis=0)]

report = check_gradients(loss, [W, b], grads=by_hand)

for row in report.rows:
    print(f"{row.name}: {row.verdict}. {row.hint}")

# %% [markdown]
# Each tensor has a row with a **verdict** and, if something is wrong, a hint. A cell that ends in a report shows more:
# *claimed* is gradient · v, and *measured* is the central difference, with its error bar.

# %% tags=["nbval-ignore-output"]
# a cell shows what its last line returns
check_gradients(loss, [W, b], grads=by_hand)

# %% [markdown]
# | verdict | what it means | what to do |
# |---|---|---|
# | `agrees` | claimed and measured agree within the error bar | nothing |
# | `disagrees` | they differ by more than that | read the hint |
# | `cannot tell` | the error bar is too wide | check in float64, or follow the hint |
#
# `report.passed` is `True` only if every row agrees.
#
# In the figure, W is on the gray line, where claimed and measured are equal. The cross of b is off it.

# %%
ax = report.plot()

# %% tags=["claims"]
row = report.rows[1]
assert report.rows[0].verdict == "agrees" and row.verdict == "disagrees" and "1/2" in row.hint
assert abs(row.difference) > 1000 * row.error_bar
assert check_gradients(loss, [W, b]).passed

# %% [markdown]
# ### Exercise 07.3: repair
#
# Here is the colleague's function. It should return the gradient of the mean cross-entropy with respect to the logits.
# It has one bug. Fix it by hand, without a tape. First read a report, in a cell of your own below the function:
#
# ```python
# z, y = tf.random.normal((6, 4)), tf.constant([0, 3, 1, 1, 2, 0])
# mean_loss = lambda z: -tf.reduce_mean(
#     tf.gather(tf.nn.log_softmax(z), y, batch_dims=1))
# check_gradients(mean_loss, z, grads=cross_entropy_gradient(z, y))
# ```

# %% exercise="07.3"
def cross_entropy_gradient(logits, labels):
    # logits: (n, k), float32; labels: (n,), integers from 0 to k - 1.
    ### BEGIN SOLUTION
    #| probabilities = tf.nn.softmax(logits)
    #| return probabilities - tf.one_hot(labels, logits.shape[1])
    probabilities = tf.nn.softmax(logits)
    return (probabilities - tf.one_hot(labels, logits.shape[1])) / logits.shape[0]
    ### END SOLUTION

# %%
check("07.3", cross_entropy_gradient)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# What in this batch equals the factor in the report?
#
# </details>
# <details><summary>Hint 2</summary>
#
# A mean of n losses is their sum divided by n, the number of rows. So every entry of its gradient is divided by n.
#
# </details>

# %% [markdown]
# ## Where should I check?
#
# A check is made at one point, and not every point is good. `relu(x)` is 0 to the left of 0, and x to the right. At 0
# its slope jumps from 0 to 1. Such a point is called a **kink**.
#
# > **Predict**
# >
# > What does a central difference of relu at 0 give?

# %%
predict("07.d", "")

# %%
print(central(tf.nn.relu, tf.constant(0.0), 0.25).numpy())

x = tf.Variable(0.0)
with tf.GradientTape() as tape:
    y = tf.nn.relu(x)

print("tape:", tape.gradient(y, x).numpy())
print("report:", check_gradients(tf.nn.relu, tf.constant([0.0])).rows[0].verdict)

# %% tags=["claims"]
assert [central(tf.nn.relu, tf.constant(0.0), h).numpy() for h in (1.0, 2.0**-20)] == [0.5, 0.5]
assert check_gradients(tf.nn.relu, tf.constant([0.0])).rows[0].verdict == "kink nearby"
many = 1 - tf.one_hot(7, 1000)  # one 0 among ones
assert check_gradients(lambda x: tf.reduce_sum(tf.nn.relu(x)), many).passed

# %% [markdown]
# 0 and 1 are the slopes on the two sides, but at 0 there is no derivative. The difference averages the two, 0.5, and
# the tape takes the left one, 0, by convention. Neither is wrong, so the report says `kink nearby`: check at another
# point.
#
# A bad point can also hide a bug. At x = 0, the wrong gradient x agrees with the right one, 2x:

# %%
for point in [tf.zeros(3), tf.random.normal((3,))]:
    print(check_gradients(lambda x: x**2, point, grads=point).rows[0].verdict)

# %% tags=["claims"]
assert check_gradients(lambda x: x**2, tf.zeros(3), grads=tf.zeros(3)).passed
assert not check_gradients(lambda x: x**2, tf.ones(3), grads=tf.ones(3)).passed

# %% [markdown]
# So draw the point at random, and every other input as well.
#
# ### Exercise 07.4: complete
#
# Part of layer normalization subtracts the mean of each row and multiplies by a scale of shape (d,): y = centered(x,
# scale). Its backward pass gets `upstream`, the gradient of the loss with respect to y, and returns the gradients with
# respect to x and scale. The one below has a bug, and its author's test passes anyway:

# %%
def centered(x, scale):
    return (x - tf.reduce_mean(x, axis=1, keepdims=True)) * scale


def centered_backward(x, scale, upstream):
    d_x = upstream * scale
    d_scale = tf.reduce_sum(upstream * centered(x, 1.0), axis=0)
    return d_x, d_scale


x, scale = tf.random.normal((5, 3)), tf.ones(3)
d_x, d_scale = centered_backward(x, scale, tf.ones((5, 3)))
report = check_gradients(lambda s: tf.reduce_sum(centered(x, s)), scale, grads=d_scale)

print("the author's test passes:", report.passed)

# %% tags=["claims"]
assert report.passed and d_x.shape == x.shape

# %% [markdown]
# To check a backward pass, use a loss whose gradient with respect to y you know: the weighted sum
# `tf.reduce_sum(upstream * y)` has the gradient `upstream`.
#
# Write `is_right(backward)`. It takes a backward pass of `centered`, and returns `True` if both gradients are right
# and `False` if not. It will be given right ones, and wrong ones with a single mistake. The mistake may be as small as
# 3%, or be in a single entry.

# %% exercise="07.4"
def is_right(backward):
    """Return whether backward(x, scale, upstream) gives (d_x, d_scale) of y = centered(x, scale)."""
    ### BEGIN SOLUTION
    from course_utils import check_gradients

    x, scale, upstream = (tf.random.normal(shape) for shape in ((5, 3), (3,), (5, 3)))

    def weighted(x, scale):
        difference = x - tf.reduce_mean(x, axis=1, keepdims=True)
        return tf.reduce_sum(upstream * difference * scale)

    return check_gradients(weighted, [x, scale], grads=backward(x, scale, upstream)).passed
    ### END SOLUTION


# %%
check("07.4", is_right)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# The author checks only d_scale, with an upstream and a scale of ones. Which mistakes can that hide?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Draw x, scale and upstream at random. Check the weighted sum at `[x, scale]`, with both gradients in `grads`, and
# return `report.passed`.
#
# </details>
# <details><summary>And what is the bug in the backward pass?</summary>
#
# A path is missing: each entry of x also moves the mean of its row. So subtract from `upstream * scale` the mean of
# each of its rows.
#
# </details>

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open the answer.
#
# <details><summary>1. You halve the step of a central difference, and its error doubles. What do you see?</summary>
#
# Rounding, which grows as 1/h. The step was already too short.
#
# </details>
# <details><summary>2. A model has a million parameters in six tensors. How many directions does
# <code>check_gradients</code> draw, by default?</summary>
#
# 18: three for each tensor.
#
# </details>
# <details><summary>3. A row says <code>cannot tell</code>. Is the gradient wrong?</summary>
#
# It may be. Follow the hint: for example, check in float64.
#
# </details>

# %% [markdown]
# ## Recap
#
# - Use central differences, with a step that is neither long nor short, in float64 if you can.
# - Check all entries of a tensor at once, along random directions.
# - Read the verdict, then the hint.
# - Draw the point and every input at random, and keep away from kinks.
#
# ```python
# report = check_gradients(loss, [W, b], grads=by_hand)  # without grads: the tape's
# assert report.passed, report
# ```
#
# **To remember**: a gradient that raises no error is not yet right, so check it once, along a random direction.

# %% [markdown]
# ## Going deeper
#
# Gradients that you write yourself, the best step, two backward passes by hand, and the end of Part I.

# %% [markdown]
# ### How do I write a gradient and trust it?
#
# log(1 + exp(x)) is a smooth relu. As written it fails in float32: at 100, exp overflows, and the tape multiplies
# infinity by 0. The usual rewriting is `stable`, whose value is right everywhere.

# %%
def naive(x):
    return tf.math.log(1 + tf.exp(x))


def stable(x):
    return tf.maximum(x, 0.0) + tf.math.log1p(tf.exp(-tf.abs(x)))


# %% [markdown]
# > **Predict**
# >
# > The true slope at 0 is 0.5, and each of the two parts of `stable` has a kink there. Which slope does the tape find?

# %%
predict("07.e", "")

# %%
def value_and_slope(f, x):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = f(x)
    return y.numpy().item(), tape.gradient(y, x).numpy().item()


print("naive at 100:", value_and_slope(naive, 100.0))
print("stable at 100:", value_and_slope(stable, 100.0))
print("stable at 0, slope:", value_and_slope(stable, 0.0)[1])

# %% [markdown]
# The sum is smooth, so 0.5 would be right. But the tape differentiates its parts, and at a kink each part has a
# convention: `tf.maximum` gives 1 here and `tf.abs` gives 0, so the sum is 1. You can do better, because you know the
# slope: it is the sigmoid. Under `tf.custom_gradient`, a function returns its value and a function `grad`, which
# multiplies the upstream gradient by the slope:

# %%
@tf.custom_gradient
def softplus(x):
    def grad(upstream):
        return upstream * tf.sigmoid(x)

    return stable(x), grad


points = tf.constant([-100.0, -1.0, 0.0, 2.0, 100.0])

for f in [stable, softplus]:
    print(f"{f.__name__}: {check_gradients(f, points).rows[0].verdict}")

# %% tags=["claims"]
assert not check_gradients(stable, points).passed and check_gradients(softplus, points).passed
assert not np.isfinite(value_and_slope(naive, 100.0)).any()
assert value_and_slope(stable, 0.0)[1] == 1.0 and value_and_slope(softplus, 0.0)[1] == 0.5
with tf.device("CPU:0"):
    # just before it overflows, naive fails silently: the value is right, and the slope is 0
    for pair, slope in (((87.3, 708.3), 1), ((87.4, 708.4), 0), ((88.7, 709.7), 0)):
        for number in (pair[0], np.float64(pair[1])):
            assert np.allclose(value_and_slope(naive, number), [number, slope], rtol=1e-6)
assert np.isinf([value_and_slope(naive, number)[0] for number in (88.8, np.float64(709.8))]).all()

# %% [markdown]
# A second derivative differentiates your `grad`. Below, the slope comes from NumPy.
#
# > **Predict**
# >
# > What is the second derivative?

# %%
predict("07.f", "")

# %%
@tf.custom_gradient
def softplus_numpy(x):
    slope = 1 / (1 + np.exp(-x))
    return stable(x), lambda upstream: upstream * slope


def second_derivative(f, x):
    x = tf.Variable(x)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = f(x)
        slope = inner.gradient(y, x)
    return outer.gradient(slope, x)


print(second_derivative(softplus_numpy, 1.0))

# %% [markdown]
# The first derivative is right, but NumPy left no path from x to the slope, so the second derivative is lost.
# `check_gradients` with `order=2` finds such mistakes. Run it on every `tf.custom_gradient` that is meant to be exact:

# %%
for f in [softplus, softplus_numpy]:
    first, second = [check_gradients(f, tf.constant([1.0, -2.0]), order=n) for n in (1, 2)]
    print(f"{f.__name__}: first {first.rows[0].verdict}, second {second.rows[0].verdict}")

# %% tags=["claims"]
assert second_derivative(softplus_numpy, 1.0) is None
for f in (softplus, softplus_numpy):
    first, second = [check_gradients(f, tf.constant([1.0, -2.0]), order=n) for n in (1, 2)]
    assert first.passed and second.passed == (f is softplus)
# 2 (f' f' + f f''), without f''
squared = second_derivative(lambda x: softplus_numpy(x) ** 2, 1.0)
assert np.isclose(squared, 2 * tf.sigmoid(1.0) ** 2)

# %% [markdown]
# If your function uses variables, TensorFlow passes them to `grad` as `variables=`, and expects their gradients as a
# list. Return them *in that order*. A graph sorts the variables by name, and in eager code the order is arbitrary if
# there are three or more. So a function with a fixed order of its own swaps gradients sooner or later, here in the
# graph:

# %%
W1, B1 = tf.Variable(2.0, name="w"), tf.Variable(1.0, name="b")


@tf.custom_gradient
def affine(x):
    def grad(upstream, variables=None):
        # always for [W1, B1]
        return upstream * W1, [upstream * x, upstream]

    return W1 * x + B1, grad


def gradients_of_affine():
    with tf.GradientTape() as tape:
        y = affine(tf.constant(5.0))
    return tape.gradient(y, [W1, B1])


print("eager:", [float(gradient) for gradient in gradients_of_affine()])
print("graph:", [float(gradient) for gradient in tf.function(gradients_of_affine)()])

# %% tags=["claims"]
assert [float(gradient) for gradient in gradients_of_affine()] == [5.0, 1.0]
assert [float(gradient) for gradient in tf.function(gradients_of_affine)()] == [1.0, 5.0]

# %% [markdown]
# ### Exercise 07.5: complete
#
# log(cosh(x)) is a smooth |x|, with the slope tanh(x). Write its gradient yourself, with `tf.custom_gradient`. Value,
# slope and second derivative should be right from -100 to 100, elementwise for x of any shape. This form does not
# overflow:
# |x| + log(1 + exp(-2|x|)) - log 2. (Near 0, rounding swamps its value. That is fine here.)

# %% exercise="07.5"
@tf.custom_gradient
def log_cosh(x):
    """Return log(cosh(x)) and a function that takes the upstream gradient, for a tensor x."""
    ### BEGIN SOLUTION
    size = tf.abs(x)

    def grad(upstream):
        return upstream * tf.tanh(x)

    return size + tf.math.log1p(tf.exp(-2 * size)) - np.log(2), grad
    ### END SOLUTION

# %%
check("07.5", log_cosh)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# It has the form of `softplus`: a function `grad(upstream)` inside, and two things returned.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `grad` multiplies `upstream` by TensorFlow's tanh of x. `tf.math.log1p(t)` is log(1 + t).
#
# </details>

# %% [markdown]
# ### Which step is best?
#
# The order says how fast the error falls with the step. In general, a forward difference has the order 1: half the
# step, half the error. A central difference has the order 2: half the step, a quarter of the error.
#
# ### Exercise 07.1: predict
#
# A central difference of x³ at x = 2 with the step 0.08 gives 12.0064. The true slope is 12. How far off is it with
# the step 0.004?

# %% exercise="07.1"
# One number: the error of the central difference with the step 0.004.
### BEGIN SOLUTION
error_with_short_step = 1.6e-5
### END SOLUTION

# %%
check("07.1", error_with_short_step)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# How many times shorter is the step? The order is 2.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The error 0.0064 is divided by 20 · 20.
#
# </details>
#
# Run it:

# %%
x = tf.constant(2.0, tf.float64)
long, short = [central(lambda x: x**3, x, h).numpy() - 12 for h in (0.08, 0.004)]

print(f"{long:.4f} becomes {short:.6f}")

# %% tags=["claims"]
assert np.isclose(long, 0.0064) and np.isclose(short, 1.6e-5)

# %% [markdown]
# For a central difference, the best step is near 6e-6 in float64 and near 5e-3 in float32. That suits a function that
# changes noticeably when x moves by about 1. If yours needs x to move by 1,000, make the step 1,000 times as long.
#
# `tf.test.compute_gradient` takes central differences, too, but by default always with the step 1/1024.
#
# > **Predict**
# >
# > The slope of x³ at 100,000 is 3e10. Which slope does it find in float32?

# %%
predict("07.b", "")

# %%
x = tf.constant([1e5])
_, too_short = tf.test.compute_gradient(lambda x: x**3, [x])
_, suitable = tf.test.compute_gradient(lambda x: x**3, [x], delta=512.0)

print(f"default: {too_short[0].item():.0f}, delta=512: {suitable[0].item():.2e}")

# %% tags=["claims"]
assert too_short[0].item() == 0.0 and np.isclose(suitable[0].item(), 3e10, rtol=1e-3)
assert np.spacing(np.float32(1e5)) == 1 / 128
claimed, _ = tf.test.compute_gradient(lambda x: tf.constant(x.numpy()), [x])
assert claimed[0].item() == 0.0  # where the tape has None
x, rule = tf.constant(1e6, tf.float64), np.finfo("float64").eps ** (1 / 3)
for name, step in (("size of x", rule * 1e6), ("scale of f", 2.0**-17)):
    error = abs(central(tf.sin, x, step).numpy() / np.cos(1e6) - 1)
    assert error > 0.9 if name == "size of x" else error < 1e-8

# %% [markdown]
# A bad step should give a bad slope, not 0. But near 100,000, float32 numbers are 1/128 apart, so x + 1/1024 is
# rounded to x, and nothing moves. And beware: where the tape gives `None`, `compute_gradient` silently reports 0.

# %% [markdown]
# ### How do I derive a backward pass by hand?
#
# In y = x @ W (all 2 by 2), follow one entry, w = W[0, 1]. It meets x[0, 0] on its path to y[0, 1], and x[1, 0] on its
# path to y[1, 1]. `upstream` holds the gradient of the loss with respect to each y. Press *Step*, or the right arrow
# key, and follow the orange paths back to w.

# %%
x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
upstream = tf.constant([[1.0, 10.0], [100.0, 1000.0]])
W = tf.Variable([[5.0, 6.0], [7.0, 8.0]])


def loss_of_entry(w):
    y_01 = x[0, 0] * w + x[0, 1] * 8.0  # 8.0 is W[1, 1]
    y_11 = x[1, 0] * w + x[1, 1] * 8.0
    return upstream[0, 1] * y_01 + upstream[1, 1] * y_11


play_tape(loss_of_entry, W[0, 1])

# %% [markdown]
# Each path contributes the x that w meets, times the upstream gradient, and the paths add up: 1 · 10 + 3 · 1000 =
# 3010. The same holds for every entry, and together they are a product of matrices:

# %%
with tf.GradientTape() as tape:
    y = x @ W

print(tape.gradient(y, W, output_gradients=upstream).numpy().tolist())
print((tf.transpose(x) @ upstream).numpy().tolist())

# %% tags=["claims"]
with tf.GradientTape() as tape:
    y = x @ W
assert np.allclose(tape.gradient(y, W, output_gradients=upstream), tf.transpose(x) @ upstream)
assert (tf.transpose(x) @ upstream)[0, 1] == 3010

# %% [markdown]
# ### Exercise 07.2: repair
#
# A dense layer is y = x @ W + b. From `upstream`, this function should return the gradients with respect to x, W and
# b. It has two bugs. W is square, so the shape of its gradient is right all the same. Fix them by hand, without a
# tape. First read a report, in a cell of your own below the function:
#
# ```python
# shapes = (5, 3), (3, 3), (3,), (5, 3)
# *inputs, upstream = (tf.random.normal(shape) for shape in shapes)
# weighted = lambda x, W, b: tf.reduce_sum(upstream * (x @ W + b))
# grads = dense_backward(*inputs[:2], upstream)
# check_gradients(weighted, inputs, grads=grads)
# ```

# %% exercise="07.2"
def dense_backward(x, W, upstream):
    # x: (n, d), W: (d, d), upstream: (n, d), float32; return d_x, d_W, d_b, b having shape (d,).
    ### BEGIN SOLUTION
    #| d_x = upstream @ tf.transpose(W)
    #| d_W = tf.transpose(upstream) @ x
    #| d_b = upstream
    #| return d_x, d_W, d_b
    d_x = upstream @ tf.transpose(W)
    d_W = tf.transpose(x) @ upstream
    d_b = tf.reduce_sum(upstream, axis=0)
    return d_x, d_W, d_b
    ### END SOLUTION

# %%
check("07.2", dense_backward)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# The gradient of W is transposed. And b was added to each of the n rows.
#
# </details>
# <details><summary>Hint 2</summary>
#
# (A @ B) transposed is B transposed @ A transposed. Whatever is copied to n rows in the forward pass is added up in
# the backward pass.
#
# </details>

# %% [markdown]
# Now a network with a hidden layer, in NumPy, where no tape can help. Its forward pass returns the loss, and the two
# results that the backward pass needs.

# %%
def network_loss(params, x, y):
    hidden = np.tanh(x @ params["W1"] + params["b1"])  # (n, 4)
    error = hidden @ params["W2"] + params["b2"] - y  # (n, 1)
    return np.mean(error**2), hidden, error


rng = np.random.default_rng(7)
x, y = rng.normal(size=(6, 3)), rng.normal(size=(6, 1))
shapes = {"W1": (3, 4), "b1": (4,), "W2": (4, 1), "b2": (1,)}
params = {name: rng.normal(size=shape) for name, shape in shapes.items()}

loss, hidden, error = network_loss(params, x, y)

print(f"loss {loss:.3f}, hidden layer {hidden.shape}, error {error.shape}")

# %% [markdown]
# ### Exercise 07.6: complete
#
# Write its backward pass in NumPy: the gradients of the loss, in a dict with the keys and shapes of `params`. Start at
# the error, and go back line by line. Then check it, in a cell of your own. (`check_gradients` needs a tensor, so the
# NumPy loss is converted.)
#
# ```python
# grads = backward(params, x, hidden, error)
# loss_of = lambda params: tf.constant(network_loss(params, x, y)[0])
# check_gradients(loss_of, params, grads=grads)
# ```

# %% exercise="07.6"
def backward(params, x, hidden, error):
    """Return {"W1": ..., "b1": ..., "W2": ..., "b2": ...}: the gradients of mean(error**2)."""
    ### BEGIN SOLUTION
    d_error = 2 * error / len(error)  # (n, 1)
    d_hidden = d_error @ params["W2"].T  # (n, 4)
    d_sum = d_hidden * (1 - hidden**2)  # (n, 4), before the tanh
    return {
        "W1": x.T @ d_sum,
        "b1": d_sum.sum(axis=0),
        "W2": hidden.T @ d_error,
        "b2": d_error.sum(axis=0),
    }
    ### END SOLUTION


# %%
check("07.6", backward)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# There are two dense layers, as in 07.2, with a tanh between them. The first `upstream` is the derivative of the mean
# of the squared errors: 2 · error / n.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The derivative of tanh is 1 - tanh², and `hidden` is the tanh. Multiply the gradient at `hidden` by this derivative
# before you go on to W1 and b1.
#
# </details>

# %% [markdown]
# ### What is wrong with this program?
#
# Part I ends with a bug that you find by its symptom. There are no hints and no points, as in your own work. It takes
# about five minutes.
#
# ### Exercise 07.7: repair
#
# `follow` takes one step of gradient descent for each learning rate in `rates`, and returns the value of w after each
# step. For x = (1, 2) and y = (2, 4), from w = 0, the rates 0.1, 0.01 and 0.001 should lead to 1, 1.05 and 1.055. They
# lead to 1, 1.5 and 1.75, and no error is raised.

# %% exercise="07.7"
def follow(w, x, y, rates):
    # w is a tf.Variable of shape (); x and y have shape (n,); rates is a list of numbers.
    ### BEGIN SOLUTION
    #| @tf.function
    #| def step():
    #|     with tf.GradientTape() as tape:
    #|         loss = tf.reduce_mean((w * x - y) ** 2)
    #|     w.assign_sub(rate * tape.gradient(loss, w))
    #| path = []
    #| for rate in rates:
    #|     step()
    #|     path.append(w.numpy())
    #| return path
    @tf.function
    def step(rate):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((w * x - y) ** 2)
        w.assign_sub(rate * tape.gradient(loss, w))

    path = []
    for rate in rates:
        step(tf.constant(rate))
        path.append(w.numpy())
    return path
    ### END SOLUTION

# %%
check("07.7", follow)

# %% [markdown]
# ## Further reading
#
# - Nocedal and Wright, *Numerical Optimization*, 2nd edition, section 8.1: where the best steps come from.
# - Moré and Wild, *Estimating Computational Noise*, SIAM J. Sci. Comput. 33 (2011): how to measure rounding.
#
# Part I ends here. To see what stayed with you, ask for ten questions with other numbers: `from course_utils import
# review` in a cell of your own, and then `review(part="I")`.
#
# Part II puts gradients to work: [08 · Regression](08_regression.ipynb).

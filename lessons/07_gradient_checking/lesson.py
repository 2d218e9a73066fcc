# %% [markdown] part="Part I: the tape"
# # 07 · Gradient checking
#
# A wrong gradient raises no error: the loss may still fall, more slowly, and you blame the learning rate. A
# check takes one line, if you know what its numbers say.
#
# **You will learn to**
#
# - choose the step of a finite difference, and say how exact it can be;
# - check a million parameters with a few evaluations;
# - read a report of `check_gradients`;
# - write a gradient with `tf.custom_gradient`, and a whole backward pass in NumPy, and prove both.
#
# **Before you start**: [06 · Higher-order gradients](06_higher_order.ipynb). **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import check, check_gradients, play_tape, plot_error_curve, predict, start_lesson

start_lesson("07")

import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf

# %% [markdown]
# ## How good is a finite difference?
#
# Here are lesson 01's two formulas, with the step h as an argument. Both replace the slope of the curve by that of a
# straight line through two of its points. In the figure, the true tangent at 1 is grey. The forward line turns away
# from it, since the curve bends; the central line, through a point on either side, comes closer to the tangent's
# direction.

# %%
x, h = np.linspace(0, 2.1, 100), 0.8
fig, ax = plt.subplots(figsize=(6.4, 3.4))
lines = ax.plot(x, np.exp(x), color="C0")
lines = ax.plot(x, np.e + np.e * (x - 1), color="0.5", ls="--")
for name, start, end, color in (("forward", 1, 1 + h, "C1"), ("central", 1 - h, 1 + h, "C2")):
    slope = (np.exp(end) - np.exp(start)) / (end - start)
    lines = ax.plot([start, end], np.exp([start, end]), "o-", color=color)
    label = ax.text(0.05, 7.2 - 0.8 * (name == "central"), f"{name}: {slope:.2f}", color=color)
label = ax.text(0.05, 5.6, f"tangent: {np.e:.2f}", color="0.5")
labels = ax.set(xlabel="x", ylabel="exp(x)", ylim=(0, 8))

# %% [markdown]
# This **truncation error** is about $\frac{h}{2} f''$ for a forward and $\frac{h^2}{6} f'''$ for a central
# difference, if h is short. The exponent of h is the **order**: 1 and 2. All derivatives of exp at 1 are e:

# %%
def forward(f, x, h):
    return (f(x + h) - f(x)) / h


def central(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * h)


x = tf.constant(1.0, tf.float64)
for h in (0.1, 0.01, 0.001):
    errors = [abs(way(tf.exp, x, h).numpy() - np.e) for way in (forward, central)]
    print(f"h = {h:5}: forward off by {errors[0]:.5f}, central by {errors[1]:.7f}")
    assert np.allclose(errors, [np.e * h / 2, np.e * h**2 / 6], rtol=0.05)

# %% [markdown]
# ### Exercise 07.1: predict
#
# A central difference of x³ at x = 2 with the step 0.08 gives 12.0064; the slope is 12. How far off is it
# with the step 0.004?

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
# The error 0.0064 falls by 20 · 20.
#
# </details>
#
# Here is the result:

# %%
x = tf.constant(2.0, tf.float64)
short, long = (central(lambda x: x**3, x, h).numpy() - 12 for h in (0.004, 0.08))

print(f"{long:.4f} becomes {short:.6f}")

# %% [markdown]
# ## Which step is best?
#
# > **Predict**
# >
# > Forward differences of exp at 1, in float64. Which step is the most accurate?

# %%
predict("07.a", "")

# %%
x = tf.constant(1.0, tf.float64)
errors = {h: abs(forward(tf.exp, x, h).numpy() - np.e) for h in (1e-4, 1e-8, 1e-12)}

print("most accurate:", min(errors, key=errors.get))

# %% [markdown]
# Every value is rounded, to a relative `eps` of 2e-16 in float64 and 1e-7 in float32. In the difference of two
# nearly equal values this **rounding error** remains, and is divided by h: about $\text{eps} \cdot |f| / h$.
#
# In the figure, look for the shortest step, the longest, and the best.

# %%
points, steps = np.linspace(1, 2, 101), 2.0 ** -np.arange(1, 41)
# the mean errors over the points
curves = {"float32": {}, "float64": {}}
for dtype, errors in curves.items():
    x = tf.constant(points, dtype)
    truth = np.exp(x.numpy().astype("float64"))
    for way in (forward, central):
        errors[way.__name__] = [np.mean(abs(way(tf.exp, x, h).numpy() - truth)) for h in steps]

fig, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
for ax, (dtype, errors) in zip(axes, curves.items(), strict=True):
    orders = {"forward": 1, "central": 2} if dtype == "float64" else None
    plot_error_curve(steps, errors, orders=orders, ax=ax)
    ax.set(title=dtype, ylim=(1e-12, 1e2))

# %% [markdown]
# Read from the right: as h gets shorter, the error falls with slope 1 or 2. Then rounding rises, until, at the
# shortest steps, float32 cannot tell x + h from x. The best step is near the crossing. With f and its derivatives of
# about the same size, h/2 and `eps`/h meet near `eps`^(1/2) for forward, h²/6 and `eps`/h near `eps`^(1/3) for
# central differences. For another f, multiply that step by the **scale** of f: how far x must go to change f by about
# its usual size, a large constant left out. (Such a constant asks for a longer step.) For exp the scale is 1. For a
# central difference of exp, float32 leaves about five digits.

# %%
for dtype, errors in curves.items():
    for way, order in (("forward", 1), ("central", 2)):
        error = np.array(errors[way])
        slope = np.polyfit(np.log(steps[1:6]), np.log(error[1:6]), 1)[0]
        rule = np.finfo(dtype).eps ** (1 / (order + 1))
        print(f"{dtype}, {way}: slope {slope:.1f}, best step near {rule:.0e}")
        assert abs(slope - order) < 0.15
        assert 1 / 10 < steps[np.argmin(error)] / rule < 10

left = np.polyfit(np.log(steps[-12:]), np.log(curves["float64"]["central"][-12:]), 1)[0]

# %% tags=["claims"]
assert abs(left + 1) < 0.2  # rounding grows as 1 / h
# of slopes from 2.7 to 7.4
assert 1e-6 < min(curves["float32"]["central"]) < 1e-3
# of Exercise 07.1
assert np.isclose(long, 0.0064) and np.isclose(short, 1.6e-5)

# %% [markdown]
# `tf.test.compute_gradient` takes central differences, by default with the step 1/1024, whatever f and x are.
#
# > **Predict**
# >
# > The slope of x³ at 100,000 is 3e10. Which slope does it find in float32?

# %%
predict("07.b", "")

# %%
_, numeric = tf.test.compute_gradient(lambda x: x**3, [tf.constant([1e5])])

print(numeric[0].item())

# %% [markdown]
# Around 100,000 float32 numbers are 1/128 apart, so x + 1/1024 rounds to x. The scale of x³ is about x
# itself: the rule asks for a step of about 0.005 · 100,000, that is 500. Pass it as `delta`.
#
# A second fault: where the tape has None, `compute_gradient` claims the gradient 0, without a word.

# %%
x = tf.constant(1e5)
assert np.spacing(np.float32(1e5)) == 1 / 128
assert central(lambda x: x**3, x, 1 / 1024) == numeric[0].item()
h = np.finfo("float32").eps ** (1 / 3) * 1e5
assert np.isclose(central(lambda x: x**3, x, h), 3e10, rtol=1e-3)
_, numeric = tf.test.compute_gradient(lambda x: x**3, [tf.constant([1e5])], delta=512.0)
assert np.isclose(numeric[0].item(), 3e10, rtol=1e-3)

# the tape has None
claimed, _ = tf.test.compute_gradient(lambda x: tf.constant(x.numpy()), [x])
print("claimed without a path:", claimed[0].item())

# %% tags=["claims"]
assert claimed[0].item() == 0.0

# %% [markdown]
# ### Further: the size of x, or the scale of f?
#
# You will read that the step goes with the size of x; run this. The sine changes on a scale of 1 wherever it is, also
# at a million: a step a million times longer finds nothing. (In float32, the rule's step would not move x there.) And
# a function may be kinder than exp: the third derivative of x² is 0, so a central difference may take a long step,
# and float32 is enough.

# %%
x = tf.constant(1e6, tf.float64)
rule = np.finfo("float64").eps ** (1 / 3)

# 2**-17: near the rule, and a power of two, so that x + h is exact
for name, step in (("size of x", rule * 1e6), ("scale of f", 2.0**-17)):
    error = abs(central(tf.sin, x, step).numpy() / np.cos(1e6) - 1)
    print(f"{name}: relative error below 1e-8: {error < 1e-8}")
    assert error > 0.9 if name == "size of x" else error < 1e-8

# %% tags=["claims"]
assert central(lambda x: x**2, tf.constant(1.5), 0.25) == 3.0

# %% [markdown]
# ## How do I check a million parameters?
#
# Entry by entry takes two million evaluations. Instead, move all entries at once along a random **direction**
# v. The slope along it, a **directional derivative**,
#
# $$\frac{f(x + h v) - f(x - h v)}{2h}$$
#
# must equal gradient · v, the sum of the products of their entries. That takes two evaluations.
#
# > **Predict**
# >
# > One of a million entries of a gradient has the wrong sign. Does one direction notice?

# %%
predict("07.c", "")

# %%
x, v = tf.random.normal((2, 1_000_000), dtype=tf.float64)
right = tf.cos(x)  # the gradient of the sum of sin
wrong = tf.tensor_scatter_nd_update(right, [[7]], -right[7:8])

slope = central(lambda t: tf.reduce_sum(tf.sin(x + t * v)), 0.0, 1e-5)
off = [float(abs(tf.reduce_sum(g * v) - slope)) for g in (right, wrong)]

print("agrees to 1e-4: right gradient", off[0] < 1e-4, "and wrong gradient", off[1] < 1e-4)

# %% [markdown]
# How often does a direction miss an error d by accident, because d · v is small, say below 1 % of its typical
# size?

# %%
error = np.random.normal(size=50)
draws = np.random.normal(size=(100_000, 50))  # 100,000 directions
missed = np.mean(abs(draws @ error) < 0.01 * np.linalg.norm(error))

print(f"missed by {missed:.1%} of the directions")

# %% tags=["claims"]
assert 0.006 < missed < 0.010
assert off[0] < 1e-5 and off[1] > 1e-3  # of the two gradients above

# %% [markdown]
# ## How do I read a report?
#
# `check_gradients(f, at)` takes three directions for each tensor, looks for a step that suits f, and measures
# an **error bar**, truncation and rounding, in place of a tolerance. It judges the tape, or with `grads` what
# you derived by hand. Here is a linear model, with a slip.

# %%
features = 10 * tf.random.normal((8, 3), dtype=tf.float64)
targets = tf.random.normal((8, 1), dtype=tf.float64)
W, b = tf.random.normal((3, 1), dtype=tf.float64), tf.constant([0.5], tf.float64)


def loss(W, b):
    return tf.reduce_mean((features @ W + b - targets) ** 2)


residual = features @ W + b - targets  # (8, 1)
by_hand = [2 / 8 * tf.transpose(features) @ residual, tf.reduce_mean(residual, axis=0)]
report = check_gradients(loss, [W, b], grads=by_hand)

print("passed:", report.passed)
for row in report.rows:
    print(f"{row.name} {row.verdict}: {row.hint or 'no hint'}")

# %% [markdown]
# Each tensor has a row with a **verdict** and a **hint**: b's gradient lacks the 2 of the square. A cell
# that ends in a report shows it all: *claimed* is gradient · v, *measured* the difference quotient, with its
# error bar.

# %% tags=["nbval-ignore-output"]
# the last line of a cell is shown
check_gradients(loss, [W, b], grads=by_hand)

# %% [markdown]
# |verdict|what it says|what to do|
# |---|---|---|
# |`agrees`|within the error bar, in every direction looked at|nothing, if the point was random|
# |`disagrees`|outside, in most directions|read the hint|
# |`disconnected`|no path; the hint says whether f moves|`ExplainingTape`, if it does|
# |`kink nearby`|the slope jumps within the step|check elsewhere|
# |`cannot tell`|outside in a few, or the bar is too wide to say|float64, or elsewhere|
# |`not repeatable`|two calls of f differ|fix what is random|
#
# At 0, even x in place of 2x agrees with the slope of x²: draw the point at random. In the figure, W lies on the
# grey line, and b's three crosses, one upon another, lie off it.

# %%
row = report.rows[1]
assert report.rows[0].verdict == "agrees" and row.verdict == "disagrees" and "1/2" in row.hint
assert abs(row.difference) > 1000 * row.error_bar
# x in place of 2x
by_slip = [check_gradients(lambda x: x**2, x, grads=x).passed for x in (tf.zeros(3), tf.ones(3))]
assert by_slip == [True, False]

ax = report.plot()

# %% [markdown]
# ### Further: what a check costs
#
# Twelve evaluations, and four for each direction of each tensor, however many numbers
# the tensor holds. Where a first look does not settle it, it looks again. Count the calls:

# %%
def report_and_calls(f, at, **options):
    calls = []

    def counted(*tensors):
        calls.append(1)
        return f(*tensors)

    return check_gradients(counted, at, **options), len(calls)


good, calls = report_and_calls(loss, [W, b])
bad, more_calls = report_and_calls(loss, [W, b], grads=by_hand)

print(f"right: {calls} calls; with the slip: {'more' if more_calls > calls else 'as many'}")
assert good.passed and calls == 12 + 4 * 3 * 2 and not bad.passed and more_calls > calls

# b plays no part
unused = check_gradients(lambda W, b: tf.reduce_sum(W**2), [W, b]).rows[1]

# %% tags=["claims"]
assert unused.verdict == "disconnected" and "does not change" in unused.hint

# %% [markdown]
# ### Further: why a row for each tensor?
#
# In a direction through a whole model, the error bar is as wide as the largest
# parts need, and a small part drowns. Here b's gradient is 10 % off, in float32. One direction through all
# parameters, glued into one vector, passes it. One for each tensor does not.

# %%
images, labels = tf.random.normal((32, 784)), np.arange(32) % 10
W, b = tf.random.normal((784, 10), stddev=1 / 28), tf.zeros(10)


def cross_entropy(W, b):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, images @ W + b))


with tf.GradientTape() as tape:
    tape.watch([W, b])
    y = cross_entropy(W, b)
dW, db = tape.gradient(y, [W, b])

# (7850,)
p, dp = (tf.concat([tf.reshape(a, [-1]), c], 0) for a, c in ((W, b), (dW, 1.1 * db)))
of_vector = lambda p: cross_entropy(tf.reshape(p[:-10], W.shape), p[-10:])  # noqa: E731
glued = check_gradients(of_vector, p, grads=dp, directions=1)
each = check_gradients(cross_entropy, [W, b], grads=[dW, 1.1 * db], directions=1)

print("passed, glued:", glued.passed, "and each:", [row.verdict for row in each.rows])

# %% tags=["claims"]
assert glued.passed and [row.verdict for row in each.rows] == ["agrees", "disagrees"]

# %% [markdown]
# With its default of three directions, `check_gradients` catches even the glued fault: the first of several
# follows the gradient, where a wrong factor shows best. A single direction is drawn at random, and misses it.

# %%
caught = {
    directions: sum(
        not check_gradients(of_vector, p, grads=dp, directions=directions, seed=seed).passed
        for seed in range(3)
    )
    for directions in (1, 3)
}

print("caught in three trials, by directions:", caught)

# %% tags=["claims"]
assert caught == {1: 0, 3: 3}

# %% [markdown]
# ### A backward pass by hand
#
# Before you mend gradients, derive one. In y = x @ W, all 2 by 2, where does one entry w = W[0, 1] go? It meets
# x[0, 0] on its way to y[0, 1], and x[1, 0] on its way to y[1, 1]; `upstream` says what each y is worth. Press
# *Step*, or the right arrow key, and follow the orange way back to w.

# %%
x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
upstream = tf.constant([[1.0, 10.0], [100.0, 1000.0]])
W = tf.Variable([[5.0, 6.0], [7.0, 8.0]])


def worth(w):
    y_01 = x[0, 0] * w + x[0, 1] * 8.0  # 8.0 is W[1, 1]
    y_11 = x[1, 0] * w + x[1, 1] * 8.0
    return upstream[0, 1] * y_01 + upstream[1, 1] * y_11


play_tape(worth, W[0, 1])

# %% [markdown]
# The slope of each way is the x that w meets, times what the y is worth, and the two ways add up:
# 1 · 10 + 3 · 1000 = 3010. So it is for every entry:

# %%
with tf.GradientTape() as tape:
    y = x @ W
d_W = tape.gradient(y, W, output_gradients=upstream)

by_ways = np.zeros((2, 2))
for k in range(2):
    for j in range(2):
        # one way for each row
        by_ways[k, j] = sum(x[i, k] * upstream[i, j] for i in range(2))

print(d_W.numpy().tolist())

# %% tags=["claims"]
assert np.allclose(d_W, by_ways) and by_ways[0, 1] == 3010

# %% [markdown]
# ### Exercise 07.2: repair
#
# A dense layer is y = x @ W + b. From `upstream`, the gradient with respect to y, this function should return those
# with respect to x, W and b. Two of the three are wrong, each by one fault; while W is square, no shape gives `d_W`
# away. Mend them by hand, without a tape. First read the report, in a cell of your own below the function:
#
# ```python
# shapes = (5, 3), (3, 3), (3,), (5, 3)
# *inputs, upstream = (tf.random.normal(shape) for shape in shapes)
# weighted = lambda x, W, b: tf.reduce_sum(upstream * (x @ W + b))  # slope in y: upstream
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
# W's gradient is transposed. b was added to each of the n rows.
#
# </details>
# <details><summary>Hint 2</summary>
#
# (A @ B) transposed is B transposed @ A transposed. What is copied to n rows on the way forward is added up
# on the way back.
#
# </details>

# %% [markdown]
# ### Exercise 07.3: repair
#
# This should be the gradient of the mean cross-entropy with respect to the logits. Training seems to work, but only
# with a tiny learning rate. It has one fault. Mend it by hand, without a tape. Read the report first, in a cell below
# the function:
#
# ```python
# z, y = tf.random.normal((6, 4)), tf.constant([0, 3, 1, 1, 2, 0])
# mean_loss = lambda z: tf.reduce_mean(
#     tf.nn.sparse_softmax_cross_entropy_with_logits(y, z))
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
# What in this batch is as large as the factor in the report?
#
# </details>
# <details><summary>Hint 2</summary>
#
# A mean of n losses is their sum divided by n, the number of rows. So every entry of its gradient carries 1/n.
#
# </details>

# %% [markdown]
# ## What happens at a kink?
#
# relu(x) is 0 left of 0 and x right of it. At 0 the slope jumps: a **kink**, where no derivative exists.
#
# > **Predict**
# >
# > What does a central difference of relu at 0 give?

# %%
predict("07.d", "")

# %%
print([central(tf.nn.relu, tf.constant(0.0), h).numpy().item() for h in (1.0, 0.25, 2.0**-20)])

# %% [markdown]
# For relu the tape takes 0, the slope on the left; each operation has a convention of its own. Any slope from 0 to 1
# would be as good, and the report says `kink nearby` here: check at another point. One kink among many entries may go
# unnoticed.

# %%
x = tf.Variable(0.0)
with tf.GradientTape() as tape:
    y = tf.nn.relu(x)
report = check_gradients(tf.nn.relu, tf.constant([0.0]))

print("tape:", tape.gradient(y, x).numpy(), "and the report:", report.rows[0].verdict)
assert not report.passed and report.rows[0].verdict == "kink nearby"
many = 1 - tf.one_hot(7, 1000)  # one 0 among ones

# %% tags=["claims"]
assert check_gradients(lambda x: tf.reduce_sum(tf.nn.relu(x)), many).passed
assert len({central(tf.nn.relu, tf.constant(0.0), h).numpy() for h in (1.0, 2.0**-20)}) == 1

# %% [markdown]
# ## How do I write a gradient by hand, and trust it?
#
# log(1 + exp(x)) is a smooth relu. As written it fails in float32. At 100, exp overflows, and the tape multiplies
# infinity by 0. From 87.4 to 88.7 (in float64 from 708.4 to 709.7) it fails in silence: the value is right, and the
# slope is 0. TensorFlow on a CPU makes the tiny 1/(1 + exp(x)) 0. The usual rewriting is `stable`.

# %%
def naive(x):
    return tf.math.log(1 + tf.exp(x))


def stable(x):
    return tf.maximum(x, 0.0) + tf.math.log1p(tf.exp(-tf.abs(x)))


# %% [markdown]
# The value of `stable` is right everywhere, up to rounding. Each of its two parts has a kink at 0.
#
# > **Predict**
# >
# > The true slope at 0 is 0.5. Which slope does the tape find for `stable` at 0?

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
print(f"stable at 0: slope {value_and_slope(stable, 0.0)[1]}")

# %% [markdown]
# For equal arguments, `tf.maximum` gives the first, here x, the slope 1; `tf.abs` has 0 at 0. The sum is 1. You can
# write the slope yourself: it is the sigmoid. Under `tf.custom_gradient` a function returns its value and `grad`,
# which multiplies the gradient from above, `upstream`, by the slope.

# %%
@tf.custom_gradient
def softplus(x):
    def grad(upstream):
        return upstream * tf.sigmoid(x)

    return stable(x), grad


points = tf.constant([-100.0, -1.0, 0.0, 2.0, 100.0])
for f in (stable, softplus):
    report = check_gradients(f, points)
    print(f"{f.__name__}: {report.rows[0].verdict}")
    assert report.passed == (f is softplus)

# %% tags=["claims"]
assert not np.isfinite(value_and_slope(naive, 100.0)).any()
assert value_and_slope(softplus, 0.0)[1] == 0.5

# %% [markdown]
# For a second derivative, the outer tape goes back through what `grad` computed.
#
# > **Predict**
# >
# > Below, the slope comes from NumPy. What is the second derivative?

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
# `order=2` checks the gradient of the gradient: run it for every `tf.custom_gradient` that is meant to give the true
# gradient. It judges the tape, and takes no `grads=`.

# %%
for f in (softplus, softplus_numpy):
    first, second = (check_gradients(f, tf.constant([1.0, -2.0]), order=n) for n in (1, 2))
    print(f"{f.__name__}: first {first.rows[0].verdict}, second {second.rows[0].verdict}")
    assert first.passed and second.passed == (f is softplus)

with tf.device("CPU:0"):
    for xs, slope in (((87.3, 708.3), 1), ((87.4, 708.4), 0), ((88.7, 709.7), 0)):
        for x in (xs[0], np.float64(xs[1])):
            assert np.allclose(value_and_slope(naive, x), [x, slope], rtol=1e-6)
assert np.isinf([value_and_slope(naive, x)[0] for x in (88.8, np.float64(709.8))]).all()
assert value_and_slope(stable, 0.0)[1] == 1.0 and second_derivative(softplus_numpy, 1.0) is None
# 2 (f' f' + f f''), without f''
squared = second_derivative(lambda x: softplus_numpy(x) ** 2, 1.0)

# %% tags=["claims"]
assert np.isclose(squared, 2 * tf.sigmoid(1.0) ** 2)

# %% [markdown]
# ### Exercise 07.4: complete
#
# The first half of layer normalisation: subtract each row's mean, then multiply by a scale of shape (d,). The
# backward pass below has one fault, and its author's test passes it.

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

print("the author's test passes:", d_x.shape == x.shape and report.passed)

# %% tags=["claims"]
assert report.passed

# %% [markdown]
# Write the check that exposes it, and every other fault: `is_right(backward)` takes a backward pass of `centered` and
# returns `True` or `False`. It is tried on right ones, and on wrong ones with one fault each, even 3 % off or in one
# entry.

# %% exercise="07.4"
def is_right(backward):
    """Return whether backward(x, scale, upstream) gives (d_x, d_scale) of y = centered(x, scale)."""
    ### BEGIN SOLUTION
    from course_utils import check_gradients

    x, scale, upstream = (tf.random.normal(shape) for shape in ((5, 3), (3,), (5, 3)))

    def weighted(x, scale):
        centred = x - tf.reduce_mean(x, axis=1, keepdims=True)
        return tf.reduce_sum(upstream * centred * scale)

    return check_gradients(weighted, [x, scale], grads=backward(x, scale, upstream)).passed
    ### END SOLUTION


# %%
check("07.4", is_right)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# The author looks at d_scale alone, with an upstream and a scale of ones. Which faults can that hide?
#
# </details>
# <details><summary>Hint 2</summary>
#
# The report of exercise 07.2, with `centered` in place of the layer: a weighted sum whose weights are `upstream`,
# all three of them random, and both gradients in `grads`. Return `report.passed`.
#
# </details>
# <details><summary>And what is the fault?</summary>
#
# A path left out: each entry of x also moves the mean of its row. So subtract from `upstream * scale` the mean of
# each of its rows.
#
# </details>

# %% [markdown]
# ### Exercise 07.5: complete
#
# log(cosh(x)) is a smooth |x|, with the slope tanh(x). Write its gradient yourself, with `tf.custom_gradient`.
# Make value, slope and second derivative right from -100 to 100, entry by entry for x of any shape. This form does
# not overflow: |x| + log(1 + exp(-2|x|)) - log 2. (Near 0 the value is lost in the rounding of log 2: in float32,
# 0 at 1e-4 for a true 5e-9. That is accepted.)

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
# The form is that of `softplus`: a function `grad(upstream)` inside, and two things returned.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `grad` multiplies `upstream` by TensorFlow's tanh of x. `tf.math.log1p(t)` is log(1 + t).
#
# </details>

# %% [markdown]
# ### A network by hand
#
# The summit: a network with a hidden layer, in NumPy, where no tape can help. Its forward pass returns the
# loss, and the two results that the way back needs.

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
print(f"loss of {loss:.3f}, from a hidden layer of shape {hidden.shape}")

# %% [markdown]
# ### Exercise 07.6: complete
#
# Write its backward pass: the gradients of the loss in a dict with the keys of `params`, each of the shape of
# that parameter, in NumPy. Start at the error, and go back line by line. Then prove it, in a cell of your own;
# for `check_gradients` the loss, a number of NumPy's, has to become a tensor:
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
    d_sum = d_hidden * (1 - hidden**2)  # (n, 4), in front of the tanh
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
# Two dense layers, each as in 07.2, with a tanh between them. The first `upstream` is the slope of the mean of the
# squared errors: 2 · error / n.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The slope of tanh is 1 - tanh², and `hidden` is the tanh. Multiply what arrives at `hidden` by it before
# you go on to W1 and b1.
#
# </details>

# %% [markdown]
# ## What is wrong with this program?
#
# No hints, and no points: as in work of your own. It takes about five minutes.
#
# ### Exercise 07.7: repair
#
# `follow` takes one step of gradient descent for each of `rates`, and returns the value of w after each. With
# x = (1, 2) and y = (2, 4), from w = 0, the rates 0.1, 0.01 and 0.001 should lead to 1, 1.05 and 1.055. They lead to
# 1, 1.5 and 1.75, and no error is raised.

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
# ## Checkpoint
#
# Answer before you open.
#
# <details><summary>1. You halve the step of a central difference, and its error doubles. What do you
# see?</summary>
#
# Rounding, which grows as 1/h: the step was already too short.
#
# </details>
# <details><summary>2. A row says <code>cannot tell</code>. What now?</summary>
#
# Check in float64, or elsewhere.
#
# </details>
# <details><summary>3. Your gradient passes with <code>order=1</code>, and is disconnected with
# <code>order=2</code>. Where do you look?</summary>
#
# In `grad`: for NumPy, `.numpy()` or `stop_gradient` between x and what it returns.
#
# </details>

# %% [markdown]
# ## Recap
#
# - The best step balances truncation and rounding, goes with the scale of f, and must move x.
# - A fixed step or tolerance fails at some scale; an error bar says, as a rule, what the quotient is worth.
# - One direction moves all entries of a tensor; give each tensor its own.
# - At a kink there is nothing to check: choose another point.
# - A gradient by hand needs a check; a `tf.custom_gradient` needs one with `order=2`, too.
#
# ```python
# report = check_gradients(loss, [W, b], grads=by_hand)  # or without grads, for the tape's
# assert report.passed, report
# assert all(check_gradients(softplus, points, order=n).passed for n in (1, 2))
# ```
#
# **To remember**: a gradient that raises no error is not yet right: check it once, along a direction.

# %% [markdown]
# ## Further reading
#
# - Nocedal and Wright, *Numerical Optimization*, 2nd edition, section 8.1: where the best steps come from.
# - Moré and Wild, *Estimating Computational Noise*, SIAM J. Sci. Comput. 33 (2011): how to measure rounding.
#
# Part I ends here. Ten questions over all of it, with other numbers: `from course_utils import review` in a cell of
# your own, and then `review(part="I")`; or `course review --part I` in a terminal.
#
# You can now prove a gradient. Part II puts gradients to work:
# [08 · Regression](08_regression.ipynb).

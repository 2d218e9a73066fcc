# %% [markdown] part="Part I: the tape"
# # 05 · Control flow
#
# Your training step works. To make it faster, somebody writes `@tf.function` above it. The loss stays the same, but a
# gradient that was `None` is now 0, and one that was a number is now `None`. No error tells you. In this lesson you
# learn how a tape records branches and loops, and what changes in a graph.
#
# **You will learn to**
#
# - tell which path through `if` and `while` a gradient belongs to;
# - tell which lines of a `tf.function` run at every call, and which run once;
# - predict which gradients a graph changes, and write loops that lose none.
#
# **Before you start**: [03 · Missing gradients](03_missing_gradients.ipynb). **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import ExplainingTape, check, plot_tape, predict, start_lesson

start_lesson("05")

import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf

# %% [markdown]
# ## Which path does the tape record?
#
# Real programs branch. Here is a tiny one with two inputs, and a function that returns both gradients.

# %%
def branch(x, y):
    if x > 0:
        z = x * y
    else:
        z = x**2
    return z


def gradients_of_branch(x, y):
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = branch(x, y)
    return tape.gradient(z, [x, y])


x, y = tf.constant(2.0), tf.constant(5.0)
of_x, of_y = gradients_of_branch(x, y)

print("x = 2:", of_x.numpy(), of_y.numpy())

# %% tags=["claims"]
assert [of_x.numpy(), of_y.numpy()] == [5.0, 2.0]

# %% [markdown]
# At x = 2 the first branch ran, so z is x · y, and the gradients are y = 5 and x = 2.
#
# > **Predict**
# >
# > Now x is -2, and y is still 5. What is the gradient of z with respect to y?

# %%
predict("05.a", "")

# %%
of_x, of_y = gradients_of_branch(-x, y)

print("x = -2:", of_x.numpy(), of_y)

# %% tags=["claims"]
assert of_x.numpy() == -4.0 and of_y is None

# %% [markdown]
# The tape recorded only the branch that ran, z = x², and y does not occur in it. So there is no path to y, and the
# answer is `None` rather than 0. The figures show both tapes.

# %%
fig, (left, right) = plt.subplots(1, 2, figsize=(9.0, 2.6))
left.set_title("x = 2")
right.set_title("x = -2")
ax = plot_tape(branch, x, y, ax=left)
ax = plot_tape(branch, -x, y, ax=right)

# %% [markdown]
# The same is true of loops: the tape records the passes that ran. `power` multiplies by x until it reaches 20.

# %%
def power(x):
    y = x
    while y < 20:
        y = y * x
    return y


def value_and_slope(f, x):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = f(x)
    return float(y), float(tape.gradient(y, x))


for number in [3.0, 2.71, 2.72]:
    value, slope = value_and_slope(power, number)
    print(f"x = {number}: value {value:.1f}, slope {slope:.1f}")

# %% tags=["claims"]
assert value_and_slope(power, 3.0) == (27.0, 27.0) and value_and_slope(power, 2.0) == (32.0, 80.0)
assert value_and_slope(power, 2.71)[0] > value_and_slope(power, 2.72)[0] + 33
assert value_and_slope(power, 2.71)[1] > 0 < value_and_slope(power, 2.72)[1]

# %% [markdown]
# From 3 the loop reaches 27 = 3³, and the slope is that of x³: 3 · 3² = 27. Now compare the last two lines. Both
# slopes say that the value rises. But from 2.71 to 2.72 it *falls* by 34, because one fewer pass runs. A gradient
# belongs to one path, and it cannot see where the path changes.
#
# ### Exercise 05.1: complete
#
# The **Huber loss** is gentle with outliers. For an error e and a threshold d it is $e^2/2$ if $|e| \le d$, and $d
# \cdot (|e| - d/2)$ otherwise. `error` and `threshold` are variables of shape (). Compute the loss with an `if`, and
# return its gradients in a dict with the keys `"error"` and `"threshold"`. Leave a `None` as it is.

# %% exercise="05.1"
def huber_gradients(error, threshold):
    """Return {"error": ..., "threshold": ...}: the gradients of the Huber loss."""
    ### BEGIN SOLUTION
    with tf.GradientTape() as tape:
        if tf.abs(error) <= threshold:
            loss = error**2 / 2
        else:
            loss = threshold * (tf.abs(error) - threshold / 2)
    return tape.gradient(loss, {"error": error, "threshold": threshold})
    ### END SOLUTION

# %%
check("05.1", huber_gradients)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# The `if` goes inside the `with` block, and each branch assigns `loss`.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Pass a dict of the two variables as the source.
#
# </details>

# %% [markdown]
# ## When does Python run?
#
# Python is slow, so TensorFlow can leave it out. `tf.function` runs your Python code once, with a placeholder for each
# tensor, and writes down the TensorFlow operations. This is called **tracing**, and the result is a **graph**. Later
# calls run the graph and skip Python. You can see this with a function that leaves a mark in a Python list.
#
# > **Predict**
# >
# > The function is called three times, with three different tensors. How long is the list afterward?

# %%
predict("05.b", "")

# %%
marks, counter = [], tf.Variable(0)


@tf.function
def double(x):
    marks.append("Python was here")
    counter.assign_add(1)
    return 2 * x


for number in [1.0, 2.0, 3.0]:
    double(tf.constant(number))

print("marks:", len(marks), " counter:", counter.numpy())

# %% [markdown]
# Python ran only once, for the trace. `counter.assign_add`, on the other hand, is a TensorFlow operation. It is part of
# the graph, so it ran three times.
#
# Python runs again only if the arguments are of a new kind. For a tensor, the kind is its shape and dtype. By default,
# a Python number gets no placeholder: it is built into the graph, so each new *value* needs a new trace.

# %%
before = len(marks)
double(10.0)
double(20.0)
print("two Python numbers:", len(marks) - before, "traces")

before = len(marks)
double(tf.zeros(2))
print("a new shape:", len(marks) - before, "trace")

# %% tags=["claims"]
assert counter.numpy() == 6 and len(marks) == 4
drawn = tf.function(lambda: tf.constant(np.random.rand()))
assert drawn() == drawn() and np.random.rand() != np.random.rand()

# %% [markdown]
# So pass a number that changes, such as a learning rate, as a tensor. Otherwise every new value costs a trace, which
# is far slower than a call.
#
# ### Exercise 05.2: predict
#
# `scale` is a `tf.function` that returns `x * factor`. How many traces do these six calls make?
#
# ```python
# scale(tf.constant(1.0), 2)
# scale(tf.constant(5.0), 2)
# scale(tf.constant(1.0), 3)
# scale(tf.constant([1.0, 2.0]), 2)
# scale(tf.constant([1.0, 2.0]), tf.constant(2.0))
# scale(tf.constant([3.0, 4.0]), tf.constant(7.0))
# ```

# %% exercise="05.2"
# An integer: the number of traces.
### BEGIN SOLUTION
number_of_traces = 4
### END SOLUTION

# %%
check("05.2", number_of_traces)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# For each call, note what counts: the shape of a tensor, the value of a Python number.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The last call is like the one before it. Which others are alike?
#
# </details>
#
# Run it. The cell prints the count after each call:

# %%
scale = tf.function(lambda x, factor: x * factor)
one, pair = tf.constant(1.0), tf.constant([1.0, 2.0])
traces = []

for arguments in [(one, 2), (one + 4, 2), (one, 3), (pair, 2), (pair, one + 1), (pair + 2, one + 6)]:
    scale(*arguments)
    traces.append(scale.experimental_get_tracing_count())

print(traces)

# %% tags=["claims"]
assert traces == [1, 1, 2, 3, 4, 4]

# %% [markdown]
# ## What happens to the branch not taken?
#
# While it traces, `tf.function` has only placeholders, and a placeholder cannot answer `x > 0`. So TensorFlow rewrites
# your Python code first. An `if` on a tensor becomes one operation that contains *both* branches. A `while` becomes one
# that contains the body of the loop. The rewriting is called **AutoGraph**.
#
# > **Predict**
# >
# > In eager code, which is code outside a `tf.function`, the gradient with respect to y at x = -2 was `None`. What is
# > it in a graph?

# %%
predict("05.c", "")

# %%
graph_gradients = tf.function(gradients_of_branch)

of_x, of_y = graph_gradients(-x, y)

print("graph:", of_x.numpy(), of_y.numpy())

# %% tags=["claims"]
assert [of_x.numpy(), of_y.numpy()] == [-4.0, 0.0]
of_x, of_y = graph_gradients(x, y)
assert [of_x.numpy(), of_y.numpy()] == [5.0, 2.0]
for number in (3.0, 2.0, 2.71, 2.72):
    in_graph = value_and_slope(tf.function(power), number)
    assert np.allclose(in_graph, value_and_slope(power, number), rtol=1e-5)

# %% [markdown]
# The same branch runs, but the graph contains both of them, so there is a path to y. It goes through the branch that
# was not taken, and contributes 0.
#
# > **Warning**
# >
# > Code that asks `if gradient is None` may behave differently under `tf.function`.
#
# Is a 0 from a graph always harmless, then? No. Below, the branch that *is* taken uses y, but `tf.round` cuts the
# path:

# %%
def gradient_of_rounded(x, y):
    with tf.GradientTape() as tape:
        tape.watch(y)
        z = x * y if x > 0 else x * tf.round(y)
    return tape.gradient(z, y)


print("eager:", gradient_of_rounded(-x, y))
print("graph:", tf.function(gradient_of_rounded)(-x, y).numpy())

# %% tags=["claims"]
assert gradient_of_rounded(-x, y) is None
assert tf.function(gradient_of_rounded)(-x, y).numpy() == 0.0

# %% [markdown]
# Eager code reports the missing path with `None`, and the graph hides it behind a 0. So if a graph gives an unexpected
# 0, call the function without `tf.function` and look again.

# %% [markdown]
# ## What happens in a loop over a dataset?
#
# Here is a loss summed over the batches of a dataset. In eager code, the tape records every batch:

# %%
w = tf.Variable(3.0)
batches = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0, 5.0]).batch(2)


def loss_and_slope(batches):
    with tf.GradientTape() as tape:
        loss = 0.0
        for batch in batches:
            loss += tf.reduce_sum((w * batch) ** 2)
    return loss, tape.gradient(loss, w)


loss, slope = loss_and_slope(batches)

print(f"loss {loss:.0f}, slope {slope:.0f}")

# %% [markdown]
# The loss is w² times the sum of the five squares, 55w², so its slope at w = 3 is 330.
#
# > **Predict**
# >
# > The same function runs under `tf.function`. What is the slope?

# %%
predict("05.d", "")

# %%
graph_loss, graph_slope = tf.function(loss_and_slope)(batches)

print(f"loss {graph_loss:.0f}, slope {graph_slope}")

# %% tags=["claims"]
assert (loss, slope) == (495.0, 330.0) and graph_loss == 495.0 and graph_slope is None


@tf.function
def explained(batches):
    with ExplainingTape() as tape:
        loss = 0.0
        for batch in batches:
            loss += tf.reduce_sum((w * batch) ** 2)
    slope = tape.gradient(loss, w)
    causes.append(tape.explanations[0].cause)
    return slope


causes = []
explained(batches)
assert causes == ["graph-loop"]

# %% [markdown]
# The loss is still right, but the slope is `None`. In a graph, a loop over a dataset becomes an operation on the
# dataset itself, and this operation has no gradient. (`ExplainingTape` calls this cause `graph-loop`.)
#
# The fix is to put the tape *inside* the loop. A training loop does that anyway, because every batch has a gradient and
# a step of its own:

# %%
v = tf.Variable(3.0)


@tf.function
def train(batches):
    for batch in batches:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((v * batch) ** 2)
        v.assign_sub(0.01 * tape.gradient(loss, v))


train(batches)

print(f"v after three steps: {v.numpy():.3f}")

# %% tags=["claims"]
# factors 1 - 0.02 * (sum of the squares of a batch)
assert np.isclose(v, 3 * 0.9 * 0.5 * 0.5)

# %% [markdown]
# If you want the gradient of the whole loss, add up the gradients of the batches, because the gradient of a sum is the
# sum of the gradients. In a graph, define such a sum before the loop, as zeros of the right shape.
#
# ### Exercise 05.3: repair
#
# This function should return the sum of the squared errors of w · x over all batches, and its gradient with respect to
# `w`. It has one bug: the sum is right, but the gradient is `None`. Keep the `@tf.function`, and let a tape find the
# gradient.

# %% exercise="05.3"
@tf.function
def sum_and_gradient(w, dataset):
    # w is a tf.Variable of shape (); the dataset yields pairs (x, y) of shape (n,).
    ### BEGIN SOLUTION
    #| with tf.GradientTape() as tape:
    #|     total = 0.0
    #|     for x, y in dataset:
    #|         total += tf.reduce_sum((w * x - y) ** 2)
    #| return total, tape.gradient(total, w)
    total, gradient = 0.0, tf.zeros_like(w)
    for x, y in dataset:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((w * x - y) ** 2)
        gradient += tape.gradient(loss, w)
        total += loss
    return total, gradient
    ### END SOLUTION

# %%
check("05.3", sum_and_gradient)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# What is the gradient for a single batch? You need a second sum, next to `total`.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Move the `with` block into the loop. Start the second sum before the loop, as a tensor: `tf.zeros_like(w)`.
#
# </details>

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open the answer.
#
# <details><summary>1. A gradient is <code>None</code> in eager code and 0.0 under <code>tf.function</code>. What are two possible reasons?</summary>
#
# The source is used only in a branch or a loop that did not run. Or the path from it is cut, for example by `tf.round`.
# The 0 does not tell you which. `ExplainingTape` can explain the `None` of the eager code.
#
# </details>
# <details><summary>2. A <code>tf.function</code> appends each loss to a Python list. How many entries are there after 100
# calls with batches of one shape?</summary>
#
# One, because there is one trace. It is a placeholder, not a number. Return the loss instead.
#
# </details>
# <details><summary>3. A simulation returns the number of steps until a ball lands. Has that number a gradient?</summary>
#
# No. Along each path it is constant. If you count in a tensor, you get `None` in eager code, and 0.0 in a graph.
#
# </details>

# %% tags=["claims"]
def passes_slope(start):
    x, passes = start, tf.constant(0.0)
    with tf.GradientTape() as tape:
        tape.watch(start)
        while x > 0:
            x, passes = x - 1, passes + 1
    return tape.gradient(passes, start)


five = tf.constant(5.0)
assert passes_slope(five) is None and tf.function(passes_slope)(five) == 0.0

# %% [markdown]
# ## Recap
#
# - A gradient belongs to the path that ran. Do not expect it to see a jump to another path.
# - In a `tf.function`, Python runs once for each kind of arguments. Pass changing numbers as tensors.
# - If a graph gives an unexpected 0, look at the same call in eager code: it may say `None`.
# - Put the tape inside a loop over a dataset.
#
# ```python
# for x, y in dataset:
#     with tf.GradientTape() as tape:
#         loss = loss_function(y, model(x))
#     gradients = tape.gradient(loss, model.trainable_variables)
# ```
#
# **To remember**: where a graph says 0, eager code may say `None`.

# %% [markdown]
# ## Going deeper
#
# Exceptions in graphs, and the gradient of a whole algorithm.

# %% [markdown]
# ### What else do graphs do?
#
# **AutoGraph has limits.** In a graph, `enumerate`, `zip` and comprehensions over a *tensor* are errors, and a
# comprehension over a *dataset* never ends. An `if` on a tensor in the `call` method of your own Keras layer is an
# error, too. And a Python bool is decided while tracing, so its other branch is not in the graph at all:

# %%
@tf.function
def gradient_if(positive):
    with tf.GradientTape() as tape:
        tape.watch(y)
        z = 3 * y if positive else tf.constant(4.0)
    return tape.gradient(z, y)


print("a tensor:", gradient_if(tf.constant(False)).numpy())
print("a Python bool:", gradient_if(False))

# %% tags=["claims"]
assert gradient_if(tf.constant(False)) == 0.0 and gradient_if(False) is None

# %% [markdown]
# **The first call may trace twice.** If the function creates a variable, or the weights of a model that is not built
# yet, a second trace follows at once, and it must create nothing.

# %%
counts = {"creates a variable": 0, "creates nothing": 0}
created = []


@tf.function
def first_use(x):
    counts["creates nothing" if created else "creates a variable"] += 1
    if not created:
        created.append(tf.Variable(3.0))
    return x * created[0]


first_use(tf.constant(1.0))

print(counts)

# %% tags=["claims"]
assert list(counts.values()) == [1, 1]

# %% [markdown]
# **A number may lack a part.** If only one term of the loss comes from a loop over a dataset, no `None` warns you. The
# loss below has the slope 331, and the graph returns 1:

# %%
@tf.function
def slope_of_two_terms(batches):
    with tf.GradientTape() as tape:
        loss = w + loss_and_slope(batches)[0]
    return tape.gradient(loss, w)


print(slope_of_two_terms(batches).numpy())

# %% [markdown]
# **Eager code can say 0, too**, if it calls a `tf.function` that has several results. Only the second result of
# `two_results` uses y, and you ask for the gradient of the first:

# %%
two_results = tf.function(lambda x, y: (2 * x, 3 * y))

with tf.GradientTape() as tape:
    tape.watch([x, y])
    first, _ = two_results(x, y)

print([float(gradient) for gradient in tape.gradient(first, [x, y])])

# %% tags=["claims"]
assert slope_of_two_terms(batches) == 1.0
with tf.GradientTape() as tape:
    tape.watch([x, y])
    first, _ = two_results(x, y)
assert tape.gradient(first, [x, y]) == [2.0, 0.0]
# a loop over a tensor, or over an iterator, keeps its gradient
column = tf.constant([[1.0], [2.0], [3.0], [4.0], [5.0]])
assert tf.function(loss_and_slope)(column)[1] == 330.0
assert tf.function(lambda: loss_and_slope(iter(batches)))()[1] == 330.0

# %% [markdown]
# A loop over a *tensor*, or over `iter(batches)`, becomes a while loop of the graph, and keeps its gradient.

# %% [markdown]
# ### Can I differentiate an algorithm?
#
# Newton's iteration finds the square root of a: start with any g > 0, and replace it by the mean of g and a/g, again
# and again. The tape goes back through every pass. It finds the slope of the square root, $1/(2\sqrt{a})$, on its own.

# %%
def newton_root(a):
    g = tf.ones_like(a)
    while tf.abs(g * g - a) > 1e-10 * a:
        g = (g + a / g) / 2
    return g


def root_and_slope(f, number):
    a = tf.constant(number, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(a)
        root = f(a)
    return root, tape.gradient(root, a)


root, slope = root_and_slope(newton_root, 10.0)

print(f"root {root:.6f}, slope {slope:.6f}, truth {0.5 / 10**0.5:.6f}")

# %% tags=["claims"]
for f in (newton_root, tf.function(newton_root)):
    assert np.allclose(root_and_slope(f, 10.0), [10**0.5, 0.5 / 10**0.5], rtol=1e-8)
# in float32 the loop may never end: one more pass changes nothing
g = tf.constant(1.0)
for _ in range(200):
    g = (g + 2 / g) / 2
assert tf.abs(g * g - 2) > 1e-10 * 2 and g == (g + 2 / g) / 2

# %% [markdown]
# > **Warning**
# >
# > In float32 this loop may never end, because g² never comes that close to a. Give every `while` a maximum number of
# > passes.
#
# But when is the slope good enough? In the figure both errors fall, and the slope is always a little behind the value.
# A loop that stops when its *value* is good may stop too early for the slope.

# %%
def after_passes(a, n):
    g = tf.ones_like(a)
    for _ in range(n):
        g = (g + a / g) / 2
    return g


passes = np.arange(1, 6)
found = np.array([root_and_slope(lambda a, n=n: after_passes(a, n), 10.0) for n in passes])
# (5, 2): value, slope
errors = np.abs(found / [10**0.5, 0.5 / 10**0.5] - 1)

fig, ax = plt.subplots(figsize=(6.4, 3.0))
lines = ax.plot(passes, errors, marker="o")
labels = ax.set(yscale="log", xlabel="passes", ylabel="relative error", xticks=passes)
legend = ax.legend(lines, ["value", "slope"])

# %% tags=["claims"]
assert np.all(errors[:, 1] > errors[:, 0]) and np.all(errors[1:, 1] < errors[:-1, 0])

# %% [markdown]
# > **Predict**
# >
# > `newton_root` starts at g = 1. For a = 1 that is already the root. Which slope does the tape give in eager code?

# %%
predict("05.e", "")

# %%
root, slope_at_one = root_and_slope(newton_root, 1.0)

print(f"root {root:.1f}, slope {slope_at_one}")

# %% [markdown]
# The true slope is 0.5, and the value is exact. But the loop made no pass, so `a` was never used, and there is no
# path. One more pass after the loop helps here: at the root, a pass has the derivative 0 with respect to g, so only
# the slope through a/g is left, and it is right.

# %%
def newton_root_one_more(a):
    g = newton_root(a)
    return (g + a / g) / 2


print(f"slope {root_and_slope(newton_root_one_more, 1.0)[1]:.6f}")

# %% tags=["claims"]
assert slope_at_one is None and root_and_slope(tf.function(newton_root), 1.0)[1] == 0.0
for number in (1.0, 10.0):
    expected = [number**0.5, 0.5 / number**0.5]
    assert np.allclose(root_and_slope(newton_root_one_more, number), expected, rtol=1e-8)


def halfway(a, n, start):
    g = tf.constant(start, tf.float64)
    for _ in range(n):
        g = g / 2 + a
    return g


for number, n, start in ((0.0, 1, 0.0), (0.0, 40, 0.0), (0.1, 10, 1.0)):
    value, slope = root_and_slope(lambda a, n=n, start=start: halfway(a, n, start), number)
    assert np.isclose(slope, 2 - 2 * 0.5**n)

# %% [markdown]
# One more pass is enough only if, at the solution, a pass has the derivative 0 with respect to g. Otherwise make a
# fixed number of passes that is large enough.
#
# ### Exercise 05.4: complete
#
# Where is a planet on its ellipse? Kepler's equation $E = M + e \sin E$ has no formula for E. So iterate: start with E
# = M, and replace E by $M + e \sin E$ again and again. For e up to 0.6, 60 passes are enough. `M` and `e` are float64
# variables, and each may be 0. Return the gradients of E in a dict, correct to a thousandth. You may use a tape or a
# formula of your own.

# %% exercise="05.4"
def kepler_gradients(M, e):
    """Return {"M": dE/dM, "e": dE/de} of the solution E of E = M + e * sin(E)."""
    ### BEGIN SOLUTION
    with tf.GradientTape() as tape:
        E = M
        for _ in range(60):
            E = M + e * tf.sin(E)
    return tape.gradient(E, {"M": M, "e": e})
    ### END SOLUTION

# %%
check("05.4", kepler_gradients)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# The whole iteration goes inside the `with` block. Each pass makes a new E.
#
# </details>
# <details><summary>Hint 2</summary>
#
# A `for` over `range(60)` needs no stopping rule. A `while` that finds the equation solved at once, at e = 0 or at M =
# 0, makes no pass. At M = 0 even one more pass is too few.
#
# </details>

# %% [markdown]
# ## Further reading
#
# - TensorFlow's guide *Better performance with tf.function*: the rules of tracing in full.
# - Griewank and Walther, *Evaluating Derivatives*, 2nd edition, SIAM 2008: the chapter on implicit and iterative
#   differentiation proves when slopes converge.
#
# A slope is a function, too, and has a slope of its own: [06 · Higher-order gradients](06_higher_order.ipynb).

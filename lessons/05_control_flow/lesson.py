# %% [markdown] part="Part I: the tape"
# # 05 · Control flow
#
# Real programs branch, loop and stop early, and one day somebody writes `@tf.function` above them. The
# values may stay the same while a gradient turns into 0 or `None`, and no error says so.
#
# **You will learn to**
#
# - say which path through `if`, `for` and `while` a gradient belongs to;
# - predict which gradients a graph changes, and to what;
# - tell which of your lines run at every call, and which once;
# - differentiate through an algorithm's loop, and know when to distrust the result.
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
# Here is a function with two branches, and its two gradients under their names.

# %%
def branch(x, y):
    if x > 0:
        z = x * y
    else:
        z = x**2
    return z


def gradients(x, y):
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = branch(x, y)
    return tape.gradient(z, {"x": x, "y": y})


x, y = tf.constant(2.0), tf.constant(5.0)
found = gradients(x, y)

print(f"x: {found['x']}, y: {found['y']}")

# %% tags=["claims"]
assert found == {"x": 5.0, "y": 2.0}

# %% [markdown]
# At x = 2, z is x · y, with the slopes y and x.
#
# > **Predict**
# >
# > And at x = -2, y = 5: what is the gradient of z with respect to y?

# %%
predict("05.a", "")

# %%
eager = gradients(-x, y)

print(f"x: {eager['x']}, y: {eager['y']}")

# %% [markdown]
# Compare the two tapes in the figure, where z is called `branch`: which one has a path to y?

# %%
assert eager == {"x": -4.0, "y": None}

fig, (left, right) = plt.subplots(1, 2, figsize=(9.0, 2.6))
left.set_title("x = 2")
right.set_title("x = -2")
ax = plot_tape(branch, x, y, ax=left)
ax = plot_tape(branch, -x, y, ax=right)

# %% [markdown]
# A loop is recorded in the same way, pass by pass. From 3 it takes two passes to reach 20, so the
# tape holds x³, with the slope 3x² = 27. From 2 it takes four, and the tape holds x⁵.
#
# The slope is blind to where the path changes. Between 2.71 and 2.72, x³ reaches 20, and one pass fewer is made. Both
# slopes say that the value rises; it falls by 34.

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


for number in (3.0, 2.0, 2.71, 2.72):
    value, slope = value_and_slope(power, number)
    print(f"x = {number:.2f}: value {value:.1f}, slope {slope:.1f}")

# %% tags=["claims"]
assert [value_and_slope(power, x) for x in (3.0, 2.0)] == [(27.0, 27.0), (32.0, 80.0)]
assert value_and_slope(power, 2.71)[0] > value_and_slope(power, 2.72)[0] + 33

# %% [markdown]
# In the figure, look at 2.714: the curve climbs on either side, and no tape sees the step down.

# %%
fig, ax = plt.subplots(figsize=(6.4, 2.8))
for left_end, right_end, name in ((1.85, 2.114, "x⁵"), (2.115, 2.714, "x⁴"), (2.715, 3.2, "x³")):
    grid = np.linspace(left_end, right_end, 60).astype("float32")
    lines = ax.plot(grid, [power(number) for number in grid], color="C0")
    label = ax.text(grid[30] - 0.06, power(grid[30]) + 3, name, color="C0", ha="right")
labels = ax.set(xlabel="x", ylabel="power(x)", ylim=(0, 60), xticks=(2, 2.714, 3.2))

# %% [markdown]
# ### Exercise 05.1: complete
#
# The **Huber loss** is kind to outliers: for an error e and a threshold d it is $e^2/2$ where
# $|e| \le d$, and $d \cdot (|e| - d/2)$ elsewhere. `error` and `threshold` are variables of shape (). Compute it with an `if`
# under a tape, and return its gradients as a dict with the keys `"error"` and `"threshold"`, as the tape
# gives them: a `None` stays `None`.

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
# The `if` goes inside the `with` block, and each branch gives `loss` its value.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Ask for the gradient with respect to a dict of the two variables. Do not repair a `None`.
#
# </details>

# %% [markdown]
# ## What changes inside tf.function?
#
# On its first call, a `tf.function` runs your Python with a placeholder in place of each tensor. This
# is **tracing**. It yields a **graph**: the operations and their connections, without values.
#
# A placeholder cannot answer `x > 0`. So **AutoGraph** first rewrites your Python: an `if` or `while` on a tensor, or
# a `for` over one, becomes an operation of the graph, which holds both branches, or the body of the loop. (Not
# everywhere: over a tensor, `enumerate`, `zip` and a comprehension are errors, and so is an `if` on a tensor in the
# `call` method of a Keras layer that you write. A comprehension over a dataset never ends.) At x = 2, the gradients
# stay what they were, and so do the slopes of the loop:

# %%
graph_gradients = tf.function(gradients)
found = graph_gradients(x, y)

print(f"x: {found['x']}, y: {found['y']}")
assert found == {"x": 5.0, "y": 2.0}
for number in (3.0, 2.0, 2.71, 2.72):
    graph, eager_pair = value_and_slope(tf.function(power), number), value_and_slope(power, number)
    assert np.allclose(graph, eager_pair, rtol=1e-5)

# %% [markdown]
# ## When does Python run?
#
# This function leaves a mark in a Python list, and adds 1 to a `tf.Variable`.
#
# > **Predict**
# >
# > After three calls with three different tensors, how long is the list?

# %%
predict("05.b", "")

# %%
marks, counter = [], tf.Variable(0)


@tf.function
def double(x):
    marks.append("here")
    counter.assign_add(1)
    return 2 * x


for number in (1.0, 2.0, 3.0):
    double(tf.constant(number))

print("length of the list:", len(marks))

# %% [markdown]
# Python runs anew for arguments of a new kind. By default a tensor counts by its shape and dtype. A Python number
# gets no placeholder: it is built into the graph, and counts by its *value*. So turn numbers that change into
# tensors. What Python reads or draws while tracing is built in, too: a random number of NumPy's is the same at every
# call of one graph.

# %%
assert counter.numpy() == 3
lengths = [len(marks)]

double(10.0)
double(20.0)
lengths.append(len(marks))
double(tf.zeros(2))
lengths.append(len(marks))

print("at first, after two Python numbers, after a new shape:", lengths)
assert np.array_equal(np.diff(lengths), [2, 1])
drawn = tf.function(lambda: tf.constant(np.random.rand()))

# %% tags=["claims"]
assert drawn() == drawn() and np.random.rand() != np.random.rand()

# %% [markdown]
# A first call may make two traces. If the first creates a variable, or the weights of a model not yet built, a second
# follows at once, which must create nothing. Below, `created` is empty in the first trace alone.
#
# A `for` over `range(3)`, with a Python number in it, depends on no tensor: Python makes its passes in each
# trace, and the graph holds all three.

# %%
counts = {"creates a variable": 0, "creates nothing": 0, "passes": 0}
created = []


@tf.function
def first_use(x):
    counts["creates nothing" if created else "creates a variable"] += 1
    if not created:
        created.append(tf.Variable(3.0))
    for _ in range(3):
        counts["passes"] += 1
        x = x * created[0]
    return x


for number in (1.0, 2.0):
    value = first_use(tf.constant(number))

print(counts, value.numpy())

# %% tags=["claims"]
assert list(counts.values()) == [1, 1, 6] and value == 54.0 and lengths[0] == 1

# %% [markdown]
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
# A whole number: how often Python runs.
### BEGIN SOLUTION
number_of_traces = 4
### END SOLUTION

# %%
check("05.2", number_of_traces)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Note for each call what counts: of a tensor its shape, of a Python number its value.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The last call is like the one before it. Which others are alike?
#
# </details>
#
# `experimental_get_tracing_count` counts the traces. The cell makes six calls, and prints the count after the first
# two:

# %%
scale = tf.function(lambda x, factor: x * factor)
vector, seen = tf.constant([1.0, 2.0]), []

for arguments in [(x, 2), (x + 3, 2), (x, 3), (vector, 2), (vector, x), (vector + 2, x + 5)]:
    scale(*arguments)
    seen.append(scale.experimental_get_tracing_count())

print("traces:", seen[1])

# %% [markdown]
# ## What happens to the branch not taken?
#
# At x = -2, the eager gradient with respect to y was `None`.
#
# > **Predict**
# >
# > What is it in the graph?

# %%
predict("05.c", "")

# %%
in_graph = graph_gradients(-x, y)

print(f"x: {in_graph['x']}, y: {in_graph['y']}")

# %% [markdown]
# A condition may be a tensor, which the graph decides, or a Python bool, which Python decides while tracing.
# Compare:

# %%
@tf.function
def gradient_if(positive):
    with tf.GradientTape() as tape:
        tape.watch(y)
        z = 3 * y if positive else tf.constant(4.0)
    return tape.gradient(z, y)


print("a tensor:", gradient_if(tf.constant(False)).numpy(), "| a Python bool:", gradient_if(False))

# %% tags=["claims"]
assert gradient_if(tf.constant(False)) == 0.0 and gradient_if(False) is None
assert in_graph == {"x": -4.0, "y": 0.0}  # of the prediction
# of Exercise 05.2
assert np.bincount(seen).tolist() == [0, 2, 1, 1, 2]

# %% [markdown]
# > **Warning**
# >
# > Code that asks `if gradient is None` may act differently under `tf.function`.
#
# So is a 0 from a graph always a branch not taken? No: inside a branch, a graph hides real faults, too. Below, the
# branch that *is* taken uses y, and `round` breaks the path. Eager mode says `None`; the graph says 0. When a graph
# says 0, ask again without `tf.function`.

# %%
def rounded(x, y):
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = x * y if x > 0 else x * tf.round(y)
    return tape.gradient(z, [x, y])


eager, graph = rounded(-x, y), tf.function(rounded)(-x, y)
print("eager:", eager[1], "| graph:", graph[1].numpy())

# %% tags=["claims"]
assert eager == [5.0, None] and graph == [5.0, 0.0]

# %% [markdown]
# ### Further: a 0 from an eager tape
#
# An eager tape can say 0, too, around a `tf.function` that branches or has several results. `pair` below has two, and
# only the second uses y. Asked for the slope of the first:

# %%
pair = tf.function(lambda x, y: (2 * x, 3 * y))

with tf.GradientTape() as tape:
    tape.watch([x, y])
    first_of_pair, _ = pair(x, y)

of_first = tape.gradient(first_of_pair, [x, y])

print([float(gradient) for gradient in of_first])

# %% tags=["claims"]
assert of_first == [2.0, 0.0]

# %% [markdown]
# ## What happens in a loop over a dataset?
#
# A parameter, five numbers in batches, and a loss summed over all of them:

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

# %% tags=["claims"]
assert loss == 495.0 and slope == 330.0  # 55 w**2 and 110 w

# %% [markdown]
# > **Predict**
# >
# > The same function under `tf.function`: what is its slope?

# %%
predict("05.d", "")

# %%
graph_loss, graph_slope = tf.function(loss_and_slope)(batches)

print(f"loss {graph_loss:.0f}, slope {graph_slope}")

# %% [markdown]
# What becomes of the loop in the graph? The `ExplainingTape` in `explained` says it, while the function is traced.
# `with_second_term` adds w itself to the loss, with the slope 1: its gradient is 1, not 331, and nothing warns.

# %%
@tf.function
def explained(batches):
    with ExplainingTape() as tape:
        loss = 0.0
        for batch in batches:
            loss += tf.reduce_sum((w * batch) ** 2)
    slope = tape.gradient(loss, w)
    print(tape.explanations[0].message)
    return slope

# %%
@tf.function
def with_second_term(batches):
    with tf.GradientTape() as tape:
        loss = w + loss_and_slope(batches)[0]
    return tape.gradient(loss, w)

# %% tags=["claims"]
assert explained(batches) == graph_slope and graph_slope is None and graph_loss == 495.0
assert with_second_term(batches) == 1.0  # and not 331

# %% [markdown]
# A loop over a tensor, or over `iter(batches)`, becomes a while loop of the graph, and that has its gradient. So
# the short repair is `for batch in iter(batches):`. The better one puts the tape *inside* the loop, so that no
# tape holds more than one batch. A training loop does so anyway: each batch gives a gradient, and a step.
# For the gradient of the whole loss, add up those of the batches: the gradient of a sum is the sum of the gradients.

# %%
v = tf.Variable(3.0)


@tf.function
def step_for_each_batch(batches):
    for batch in batches:
        with tf.GradientTape() as tape:
            batch_loss = tf.reduce_sum((v * batch) ** 2)
        v.assign_sub(0.01 * tape.gradient(batch_loss, v))


step_for_each_batch(batches)

print(f"v after three steps: {v.numpy():.3f}")
# factors 1 - 0.02 * (sum of the squares of a batch)
assert np.isclose(v, 3 * 0.9 * 0.5 * 0.5)
column = tf.constant([[1.0], [2.0], [3.0], [4.0], [5.0]])

# %% tags=["claims"]
# a tensor: a loop over its rows
assert tf.function(loss_and_slope)(column)[1] == 330.0
assert tf.function(lambda: loss_and_slope(iter(batches)))()[1] == 330.0

# %% [markdown]
# ### Further: the loop, as the graph holds it
#
# A graph's loop over a dataset becomes an operation on the dataset itself. Here are those of `loss_and_slope`:

# %%
# the graph of one trace
graph = tf.function(loss_and_slope).get_concrete_function(batches).graph

print("operations:", [o.type for o in graph.get_operations() if "Dataset" in o.type])

# %% tags=["claims"]
assert {"ScanDataset", "ReduceDataset"} <= {operation.type for operation in graph.get_operations()}

# %% [markdown]
# ### Exercise 05.3: repair
#
# This function should return the sum of the squared errors of w · x over all batches, and its gradient
# with respect to `w`. The sum is right; the gradient is `None`. There is one fault. Keep the
# `@tf.function`, and let a tape find the gradient.

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
# What is the gradient for one batch alone? A graph's loop cannot collect into a Python list: start each
# sum before it, as a tensor of its final shape.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Move the `with` block into the loop, and start a second sum at `tf.zeros_like(w)` for the gradients.
#
# </details>

# %% [markdown]
# ## Can one differentiate an algorithm?
#
# Newton's iteration finds the square root of a: take any g > 0, and replace it by the mean of g and a/g,
# again and again. The tape goes back through every pass, and finds the slope $1/(2\sqrt{a})$, which nobody
# told it.

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


for f in (newton_root, tf.function(newton_root)):
    root, slope = root_and_slope(f, 10.0)
    print(f"root {root:.6f}, slope {slope:.6f}")
    assert np.allclose([root, slope], [10**0.5, 0.5 / 10**0.5], rtol=1e-8)

# %% [markdown]
# > **Warning**
# >
# > This loop ends in float64. In float32 it may never end. Take a = 2: float32 numbers near 2 are at least 1e-7
# > apart, so the loop ends only if g² rounds to 2 itself, and from g = 1 it never does. Give every
# > `while` of your own a largest number of passes.

# %%
g = tf.constant(1.0)  # float32
for _ in range(200):
    g = (g + 2 / g) / 2

print("within 1e-10 after 200 passes:", bool(tf.abs(g * g - 2) <= 1e-10 * 2))

# %% tags=["claims"]
# one more pass changes nothing: the loop would go on for ever
assert tf.abs(g * g - 2) > 1e-10 * 2 and g == (g + 2 / g) / 2

# %% [markdown]
# In the figure, both errors fall faster and faster, and the slope lags behind the value by less than one
# pass. So a loop that stops when its *value* is good enough may stop too early for the slope.

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
assert np.all(errors[:, 1] > errors[:, 0]) and np.all(errors[1:, 1] < errors[:-1, 0])

fig, ax = plt.subplots(figsize=(6.4, 3.0))
lines = ax.plot(passes, errors, marker="o")
labels = ax.set(yscale="log", xlabel="passes", ylabel="relative error", xticks=passes)
for name, line, at in zip(("value", "slope"), lines, errors[-1], strict=True):
    label = ax.annotate(name, (5.1, at), color=line.get_color(), annotation_clip=False)

# %% [markdown]
# > **Predict**
# >
# > `newton_root` starts at g = 1. For a = 1 that is already the root. Which slope does an eager tape
# > give?

# %%
predict("05.e", "")

# %%
root, slope_at_one = root_and_slope(newton_root, 1.0)

print(f"root {root:.1f}, slope {slope_at_one}")

# %% [markdown]
# Does one more pass after the loop help? The slope of a pass with respect to g is (1 - a/g²)/2, which is 0 at the
# root. So the slope that comes through g drops out. What is left is the slope with respect to the a in a/g, 1/(2g):
# the right one.

# %%
def newton_root_one_more(a):
    g = newton_root(a)
    return (g + a / g) / 2


for number in (1.0, 10.0):
    root, slope = root_and_slope(newton_root_one_more, number)
    print(f"a = {number:4}: root {root:.6f}, slope {slope:.6f}")
    assert np.allclose([root, slope], [number**0.5, 0.5 / number**0.5], rtol=1e-8)
in_a_graph = root_and_slope(tf.function(newton_root), 1.0)[1]

print("in a graph, without the pass:", float(in_a_graph))

# %% tags=["claims"]
# as for a branch not taken
assert slope_at_one is None and in_a_graph == 0.0

# %% [markdown]
# One more pass is enough if its slope with respect to g is 0 at the root. Elsewhere, make a fixed number of passes,
# large enough. Both ask for smooth passes: bisection, which moves by branches alone, gets a wrong slope, or none.

# %% [markdown]
# ### Further: where one more pass is not enough
#
# Take an iteration whose passes depend on g also at the solution: g/2 + a, with the solution 2a and the slope 2. From g = 0
# at a = 0 it is solved before the first pass, and one more pass gives the slope 1. A fixed number of passes brings
# it to 2. Nor is a slope always late: from g = 1 at a = 0.1 it is the value that is further off.

# %%
def halfway(a, n, start):
    g = tf.constant(start, tf.float64)
    for _ in range(n):
        g = g / 2 + a
    return g


for number, n, start in ((0.0, 1, 0.0), (0.0, 40, 0.0), (0.1, 10, 1.0)):
    value, slope = root_and_slope(lambda a, n=n, start=start: halfway(a, n, start), number)
    print(f"a = {number}, passes: {n:2}, value {value:.4f}, slope {slope:.4f}")
    assert np.isclose(slope, 2 - 2 * 0.5**n)

# %% tags=["claims"]
assert abs(value / 0.2 - 1) > 3 * abs(slope / 2 - 1)

# %% [markdown]
# ### Exercise 05.4: complete
#
# Where is a planet on its ellipse? Kepler's equation $E = M + e \sin E$ has no formula for E. So iterate:
# start with E = M, and replace E by $M + e \sin E$ again and again (for e up to 0.6, 60 passes are
# enough). `M` and `e` are float64 variables, and each may be 0. Return the gradients of E in a dict, right to a
# thousandth. By a tape or by a formula of your own: any way will do.

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
# A `for` over `range(60)` needs no stopping rule. A `while` that finds the equation solved at once, at
# e = 0 or at M = 0, makes no pass, and at M = 0 one more pass is too few.
#
# </details>

# %% [markdown]
# ## Checkpoint
#
# Answer before you open.
#
# <details><summary>1. A gradient is <code>None</code> in eager mode and 0.0 under
# <code>tf.function</code>. How is its source used?</summary>
#
# Perhaps only in a branch that was not taken, or in a loop that made no pass: the graph holds that, an
# eager tape does not. Or in what did run, and the path is broken there, as by `round` in a branch. The 0
# does not tell which; the eager tape's `None` can be explained.
#
# </details>
# <details><summary>2. A <code>tf.function</code> appends each loss to a Python list. How many entries are
# there after 100 calls with batches of one shape?</summary>
#
# One, a placeholder from the trace; two, if the first call creates variables. Return the loss instead.
#
# </details>
# <details><summary>3. A simulation returns the number of steps until a ball lands. Has that number a
# gradient?</summary>
#
# No: along each path it is constant. Counted in a float tensor, it gives `None` in eager mode and 0.0 in a graph.
#
# </details>

# %%
# the count of checkpoint 3
def passes_slope(start):
    x, passes = start, tf.constant(0.0)
    with tf.GradientTape() as tape:
        tape.watch(start)
        while x > 0:
            x, passes = x - 1, passes + 1
    return tape.gradient(passes, start)


five = tf.constant(5.0)

# %% tags=["claims"]
assert passes_slope(five) is None and tf.function(passes_slope)(five) == 0.0

# %% [markdown]
# ## Recap
#
# - A gradient belongs to the path taken, and is blind to where the path changes.
# - A source whose only path is through the other branch of an `if` on a tensor gets `None` in eager mode, and 0.0 in a
#   graph. So may a source whose path is broken in a branch or a loop.
# - Tracing runs Python for each new kind of arguments; every call runs the operations of a graph.
# - A tape around a dataset loop in a graph, asked after the loop, has lost the loop's part: `None`, or a number
#   without it. Put the tape inside the loop.
# - A loop of smooth passes can be differentiated. Its slope converges at a pace of its own: make enough passes.
#
# ```python
# for x, y in dataset:
#     with tf.GradientTape() as tape:
#         loss = loss_function(y, model(x))
#     gradients = tape.gradient(loss, model.trainable_variables)
# ```
#
# **To remember**: where a graph says 0, eager mode may say `None`.

# %% [markdown]
# ## Further reading
#
# - TensorFlow's guide *Better performance with tf.function*: the rules of tracing in full.
# - Griewank and Walther, *Evaluating Derivatives*, 2nd edition, SIAM 2008: the chapter on implicit and
#   iterative differentiation proves when slopes converge.
#
# A slope is a function too, and has slopes of its own: [06 · Higher-order
# gradients](06_higher_order.ipynb).

# %% [markdown] part="Part I: the tape"
# # 04 · Persistence
#
# Your loss has two parts: how well the model fits, and how large its weights are. Training goes badly, and you want to
# see the gradient of each part. You call `gradient` twice and get a `RuntimeError`, because a tape discards its
# recording after the first answer. In this lesson you learn how to get several gradients from one recording, and what
# that costs.
#
# **You will learn to**
#
# - get a separate gradient for each of several losses;
# - predict what a tape returns for a list of targets, or for a target with many entries;
# - tell what a persistent tape keeps in memory, and how to release it.
#
# **Before you start**: [03 · Missing gradients](03_missing_gradients.ipynb). **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import check, plot_tape, predict, start_lesson

start_lesson("04")

import weakref

import numpy as np
import tensorflow as tf

# %% [markdown]
# ## Why does the second call fail?
#
# Here is such a loss, with one weight and one example. The first part pulls the weight toward 5, and the second toward
# 0.

# %%
w = tf.Variable(3.0)

with tf.GradientTape() as tape:
    fit = (w - 5) ** 2
    size = w**2

print(f"fit: {tape.gradient(fit, w).numpy():.1f}")
try:
    tape.gradient(size, w)
except RuntimeError as error:
    refusal = str(error).split(" can ")[0]
    print(f"RuntimeError: {refusal} ...")

# %% tags=["claims"]
assert refusal == "A non-persistent GradientTape"

# %% [markdown]
# You can call `gradient` on a plain tape only once. When it answers, it releases the whole recording to save memory.
# That is also why rerunning just the cell with the call gives this error.
#
# A **persistent** tape keeps its recording, so you can call `gradient` as often as you like:

# %%
with tf.GradientTape(persistent=True) as tape:
    fit = (w - 5) ** 2
    size = w**2

print(f"fit: {tape.gradient(fit, w).numpy():.1f}, size: {tape.gradient(size, w).numpy():.1f}")

# %% tags=["claims"]
assert tape.gradient(fit, w).numpy() == -4.0 and tape.gradient(size, w).numpy() == 6.0

# %% [markdown]
# At w = 3 the two parts pull in opposite directions. The gradient of the fit is -4, which asks for a larger weight, and
# that of the size is 6, which asks for a smaller one.
#
# You need a persistent tape mostly for several *targets*. Several *sources* go into one call, as a list or a dict.

# %% [markdown]
# ## What happens with several targets?
#
# Targets can be passed as a list, too.
#
# > **Predict**
# >
# > Take two losses, a · b and a², at a = 2 and b = 3, and the sources `[a, b]`. What does one call return?

# %%
predict("04.a", "")

# %%
a, b = tf.Variable(2.0), tf.Variable(3.0)

with tf.GradientTape() as tape:
    losses = [a * b, a**2]

summed = tape.gradient(losses, [a, b])

print([float(gradient) for gradient in summed])

# %% [markdown]
# The gradients come back in the structure of the *sources*, so two sources give two numbers, and the targets are added
# up. What you get is the gradient of a · b + a²: b + 2a = 7 for a, and a = 2 for b.
#
# In the figure, y1 and y2 are the two losses, and Σ is their sum. Two orange arrows reach a: y1 contributes 3, and y2
# contributes 4.

# %%
def two_losses(a, b):
    return a * b, a**2


ax = plot_tape(two_losses, a, b)

# %% [markdown]
# For separate gradients, make the tape persistent and call `gradient` once for each loss:

# %%
with tf.GradientTape(persistent=True) as tape:
    losses = two_losses(a, b)

for loss in losses:
    of_a, of_b = tape.gradient(loss, [a, b])
    print("a:", of_a.numpy(), " b:", None if of_b is None else of_b.numpy())

# %% tags=["claims"]
assert [float(gradient) for gradient in summed] == [7.0, 2.0]
assert [float(gradient) for gradient in tape.gradient(losses[0], [a, b])] == [3.0, 2.0]
assert of_a.numpy() == 4.0 and of_b is None
with tf.GradientTape() as tape:
    stacked = tf.stack(two_losses(a, b))
# a plain tape answers both targets in one call of jacobian, with 0 for the missing path
assert np.array_equal(tape.jacobian(stacked, [a, b]), [[3, 4], [2, 0]])

# %% [markdown]
# Now you also see a `None`, because a² does not depend on b. The sum hid that.
#
# The same rule holds for a single target with many entries.
#
# > **Predict**
# >
# > `tf.cumsum(v)` has three entries: v₀, v₀ + v₁ and v₀ + v₁ + v₂. What is its gradient with respect to v?

# %%
predict("04.b", "")

# %%
v = tf.Variable([1.0, 1.0, 1.0])

with tf.GradientTape(persistent=True) as tape:
    y = tf.cumsum(v)  # (3,)
    middle = y[1]

print(tape.gradient(y, v).numpy())

# %% [markdown]
# A gradient always has the shape of its source. So the entries of the target are added up, and the sum 3v₀ + 2v₁ + v₂
# has the gradient (3, 2, 1).
#
# To get the gradient of a single entry, pick the entry *inside* the block. Below the block, `y[1]` is a new tensor that
# the tape never saw:

# %%
print("picked inside:", tape.gradient(middle, v).numpy())
print("picked below:", tape.gradient(y[1], v))

# %% tags=["claims"]
assert np.array_equal(tape.gradient(y, v), [3, 2, 1])
assert np.array_equal(tape.gradient(middle, v), [1, 1, 0]) and tape.gradient(y[1], v) is None

# %% [markdown]
# ### Exercise 04.1: predict
#
# `w` is a variable with the value 3. A tape recorded `fit = (w - 1) ** 2` and `size = w**2`. What does
# `tape.gradient({"fit": fit, "size": size}, w)` return? Write a number, a list or dict of numbers, or `None`.

# %% exercise="04.1"
# What the call returns, with plain numbers.
### BEGIN SOLUTION
returned = 10.0
### END SOLUTION

# %%
check("04.1", returned)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# A dict of *sources* gives a dict. Here the dict holds targets.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The derivatives are 2(w - 1) and 2w. What happens to several targets?
#
# </details>
#
# Run it:

# %%
with tf.GradientTape() as tape:
    parts = {"fit": (w - 1) ** 2, "size": w**2}

of_dict = tape.gradient(parts, w)

print(f"{of_dict.numpy():.1f}")

# %% tags=["claims"]
assert of_dict.numpy() == 10.0

# %% [markdown]
# A dict of *sources* would give a dict. But there is one source, so there is one number: 4 from `fit` plus 6 from
# `size`.
#
# ### Exercise 04.2: complete
#
# A linear model predicts `x @ w`. Return a dict with the gradients of two losses with respect to the variable `w`. For
# `"squared"`, the loss is the mean of the squared errors. For `"absolute"`, it is the mean of their absolute values.

# %% exercise="04.2"
def gradients_by_loss(w, x, y):
    """Return {"squared": gradient, "absolute": gradient}; w is (3, 1), x (n, 3), y (n, 1)."""
    ### BEGIN SOLUTION
    with tf.GradientTape(persistent=True) as tape:
        error = x @ w - y
        losses = {
            "squared": tf.reduce_mean(error**2),
            "absolute": tf.reduce_mean(tf.abs(error)),
        }
    return {name: tape.gradient(loss, w) for name, loss in losses.items()}
    ### END SOLUTION

# %%
check("04.2", gradients_by_loss)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Two targets need two calls.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Compute both losses inside the block of a persistent tape, the second with `tf.abs`. Below the block, two calls to
# `tape.gradient` fill the dict.
#
# </details>

# %% [markdown]
# ## What does a persistent tape keep in memory?
#
# To go back through an operation, a tape needs values from the forward pass. For a large batch, these values can take
# up most of the memory, so it matters how long they live. A **weak reference** shows this: it points to an object
# without keeping it alive, and returns `None` once the object is gone.

# %%
def record(persistent):
    with tf.GradientTape(persistent=persistent) as tape:
        hidden = tf.tanh(w)
        y = hidden**2
    return tape, y, weakref.ref(hidden)


for persistent in [False, True]:
    tape, y, hidden = record(persistent)
    tape.gradient(y, w)
    print(f"persistent={persistent}: hidden is kept after gradient: {hidden() is not None}")

del tape
print("and after del tape:", hidden() is not None)

# %% [markdown]
# The plain tape releases `hidden` when it answers. The persistent tape keeps it until the tape itself is gone. At
# the top level of a notebook, a name lives until you delete it, so write `del tape` when you are done.
#
# > **Predict**
# >
# > The persistent tape below is created inside a function, and nobody deletes it. Six values are recorded. How many of
# > them are still in memory after the function has returned?

# %%
predict("04.d", "")

# %%
def two_gradients():
    with tf.GradientTape(persistent=True) as tape:
        values = [tf.tanh(w)]
        for _ in range(5):
            values.append(tf.tanh(values[-1]))
    gradients = [tape.gradient(values[-1], w), tape.gradient(values[2], w)]
    return gradients, [weakref.ref(value) for value in values]


gradients, values = two_gradients()

print(sum(value() is not None for value in values))

# %% tags=["claims"]
assert sum(value() is not None for value in values) == 0
for persistent, is_kept in [(False, False), (True, True)]:
    tape, y, hidden = record(persistent)
    assert hidden() is not None  # before gradient, both keep it
    tape.gradient(y, w)
    assert (hidden() is not None) == is_kept
kept = [tape]
del tape
assert hidden() is not None  # the list still holds the tape
kept.clear()
assert hidden() is None

# %% [markdown]
# Many tutorials say that you must delete a persistent tape. Inside a function there is no need: its local names
# disappear when it returns, and the tape with them. But a tape that you store in a list or an attribute stays alive.

# %% [markdown]
# ## Which tape do I need?
#
# - **One plain tape** is enough if the sum of the losses will do, as in training.
# - **One persistent tape** gives you k gradients from one forward pass. Use it in a function, and return the gradients
#   instead of the tape.
# - **k plain tapes**, one after the other, need k forward passes. Use them if one persistent recording does not fit
#   into memory.
#
# ### Exercise 04.4: complete
#
# Build the table of all gradients of a target with many entries, without `jacobian` (lesson 06). `f` takes the
# variable `x`, shape (n,), and returns a tensor of shape (m,). Return one tensor of shape (m, n) that has, in row i,
# the gradient of entry i of `f(x)`.

# %% exercise="04.4"
def gradient_table(f, x):
    """Return the gradients of all entries of f(x) with respect to x, shape (m, n)."""
    ### BEGIN SOLUTION
    with tf.GradientTape(persistent=True) as tape:
        entries = tf.unstack(f(x))
    return tf.stack([tape.gradient(entry, x) for entry in entries])
    ### END SOLUTION

# %%
check("04.4", gradient_table)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Call `gradient` once for each entry, and pick the entries inside the block.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Inside the block, `tf.unstack` turns a tensor into a list of its entries. Below it, `tf.stack` turns a list of rows
# into a table.
#
# </details>

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open the answer.
#
# <details><summary>1. One cell records with a plain tape. The next cell holds only
# <code>tape.gradient(y, x)</code>, and you run it twice. What happens?</summary>
#
# The first run gives a gradient and the second a `RuntimeError`. Rerun the cell that records, too.
#
# </details>
# <details><summary>2. Outputs of shape (32, 10) come from weights of shape (4, 10). What is the gradient of the
# outputs with respect to the weights?</summary>
#
# A tensor of shape (4, 10): the gradient of the sum of all 320 outputs.
#
# </details>
# <details><summary>3. A method stores its persistent tape in <code>self.tape</code> and returns gradients. When are the
# recorded values released?</summary>
#
# When the attribute is replaced or deleted, or when the object is gone. The method's return does not release them.
#
# </details>

# %% [markdown]
# ## Recap
#
# - Call `gradient` once on a plain tape, for all sources together.
# - For a gradient per loss, use `persistent=True` and call `gradient` for each loss.
# - Remember that several targets, or the entries of one target, are added up.
# - Use a persistent tape inside a function. At the top level of a notebook, write `del tape`.
#
# ```python
# def gradients_by_loss(weights, x, y):
#     with tf.GradientTape(persistent=True) as tape:
#         losses = loss_functions(model(x), y)  # a dict
#     return {name: tape.gradient(loss, weights) for name, loss in losses.items()}
# ```
#
# **To remember**: a plain tape answers once, so ask it for all sources in one call.

# %% [markdown]
# ## Going deeper
#
# A tape can be paused and restarted. You will rarely need this, and it has a trap.

# %% [markdown]
# ### Can I pause a tape?
#
# Some numbers are computed only for a log, and need no gradient. Inside `with tape.stop_recording():` the tape pauses:

# %%
v = tf.Variable([1.0, -2.0])

with tf.GradientTape(persistent=True) as tape:
    loss = tf.reduce_sum(v**2)
    with tape.stop_recording():
        largest = tf.reduce_max(tf.abs(v))  # for the log

print(f"largest entry {largest.numpy():.1f}")
print(tape.gradient(loss, v).numpy(), tape.gradient(largest, v))

# %% tags=["claims"]
assert np.array_equal(tape.gradient(loss, v), [2, -4])
assert largest.numpy() == 2.0 and tape.gradient(largest, v) is None

# %% [markdown]
# The trap: what if the number for the log is itself a gradient?
#
# > **Predict**
# >
# > The tape below is a plain one. z = y · x is x³, whose derivative at 3 is 27. What does the last call return?

# %%
predict("04.c", "")

# %%
x = tf.Variable(3.0)

with tf.GradientTape() as tape:
    y = x**2
    with tape.stop_recording():
        for_the_log = tape.gradient(y, x)
    z = y * x

after_the_log = tape.gradient(z, x)

print(f"{for_the_log.numpy():.1f}, {after_the_log.numpy():.1f}")

# %% [markdown]
# You get 9 instead of 27, without an error. The call for the log used up the recording, and after the pause a new one
# began. It holds z = y · x, but not y = x², so y acts as the constant 9. A persistent tape keeps its recording,
# and returns 27:

# %%
with tf.GradientTape(persistent=True) as tape:
    y = x**2
    with tape.stop_recording():
        for_the_log = tape.gradient(y, x)
    z = y * x

print(f"{for_the_log.numpy():.1f}, {tape.gradient(z, x).numpy():.1f}")

# %% tags=["claims"]
assert for_the_log.numpy() == 6.0 and after_the_log.numpy() == 9.0
assert tape.gradient(z, x).numpy() == 27.0
# a pause without a call of gradient loses nothing, also on a plain tape
with tf.GradientTape() as plain:
    square = x**2
    with plain.stop_recording():
        logged = tf.abs(square)
    cube = square * x
assert plain.gradient(cube, x).numpy() == 27.0
with tf.GradientTape() as tape:
    y = x**2
    tape.reset()
    z = y * x
assert tape.gradient(z, x).numpy() == 9.0
constant = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(constant)
    tape.reset()
    doubled = 2 * constant
assert tape.gradient(doubled, constant) is None

# %% [markdown]
# `tape.reset()` starts a new recording on purpose. It also forgets what you told the tape to watch, so call `watch`
# again after it.
#
# ### Exercise 04.3: repair
#
# The loss is a mean squared error plus a penalty that keeps the weights small. The function should return two things:
# the gradient of the loss and, for the training log, the norm of the penalty's gradient. It has one bug. The norm is
# right and no error is raised, but training behaves as if there were no penalty.

# %% exercise="04.3"
def gradient_and_norm(w, x, y):
    # w is a tf.Variable of shape (3, 1); x has shape (n, 3), y has shape (n, 1).
    ### BEGIN SOLUTION
    #| with tf.GradientTape() as tape:
    #|     penalty = 0.1 * tf.reduce_sum(w**2)
    #|     with tape.stop_recording():
    #|         penalty_norm = tf.norm(tape.gradient(penalty, w))
    #|     loss = tf.reduce_mean((x @ w - y) ** 2) + penalty
    #| return tape.gradient(loss, w), penalty_norm
    with tf.GradientTape(persistent=True) as tape:
        penalty = 0.1 * tf.reduce_sum(w**2)
        with tape.stop_recording():
            penalty_norm = tf.norm(tape.gradient(penalty, w))
        loss = tf.reduce_mean((x @ w - y) ** 2) + penalty
    return tape.gradient(loss, w), penalty_norm
    ### END SOLUTION

# %%
check("04.3", gradient_and_norm)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# What does the tape still know about `penalty` when it records the loss?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `gradient` is called twice. Which kind of tape keeps its recording after an answer?
#
# </details>

# %% [markdown]
# ## Further reading
#
# - TensorFlow's guide *Advanced automatic differentiation*: the same controls in reference form.
# - Chen, Xu, Zhang and Guestrin, *Training Deep Nets with Sublinear Memory Cost* (2016): what to do when even one
#   recording is too large.
#
# So far every program ran straight from top to bottom. Next come branches, loops and graphs:
# [05 · Control flow](05_control_flow.ipynb).

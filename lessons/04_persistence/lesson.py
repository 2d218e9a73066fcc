# %% [markdown] part="Part I: the tape"
# # 04 · Persistence
#
# Sooner or later you want two gradients of one computation: of two losses, or one for a log. A tape that is asked, or
# paused, in the wrong way can spoil a training without a word.
#
# **You will learn to**
#
# - say why a tape answers once, and when to make it persistent;
# - get the gradient of each of several targets;
# - pause and restart a recording, and lose nothing by it;
# - say what a persistent tape keeps in memory, and until when.
#
# **Before you start**: [03 · Missing gradients](03_missing_gradients.ipynb). **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import check, plot_tape, predict, record_tape, start_lesson

start_lesson("04")

import weakref

import numpy as np
import tensorflow as tf

# %% [markdown]
# ## How often does a tape answer?
#
# One tape records two results, x² and x³. Ask for the slope of the first, then for that of the second:

# %%
x = tf.Variable(2.0)

with tf.GradientTape() as tape:
    square = x**2
    cube = x**3

print(f"{tape.gradient(square, x).numpy():.1f}")
try:
    tape.gradient(cube, x)
except RuntimeError as error:
    refusal = str(error).split(" can ")[0]
    print(f"RuntimeError: {refusal} ...")

# %% tags=["claims"]
assert refusal == "A non-persistent GradientTape"

# %% [markdown]
# A plain tape answers once, and a cell that only asks fails when you run it again. The reason: with its answer it
# drops the whole recording, even what it did not need.
#
# `tf.function` turns a Python function into a graph that TensorFlow runs; lesson 05 is about it. The rule
# holds there, too:

# %%
@tf.function
def ask_twice():
    with tf.GradientTape() as tape:
        square = x**2
        cube = x**3
    return tape.gradient(square, x), tape.gradient(cube, x)


try:
    ask_twice()
except RuntimeError as error:
    same_refusal = refusal in str(error)
    print("RuntimeError, the same refusal:", same_refusal)

# %% tags=["claims"]
assert same_refusal

# %% [markdown]
# ## What does a persistent tape give?
#
# With `persistent=True` the tape keeps what it recorded. Ask it as often as you like:

# %%
with tf.GradientTape(persistent=True) as tape:
    y = x * x
    cube = y * x
    z = y * y  # x**4

slopes = [float(tape.gradient(target, x)) for target in (y, cube, z)]

print(slopes)

# %% tags=["claims"]
assert slopes == [4.0, 12.0, 32.0]

# %% [markdown]
# You will read that a persistent tape gives second derivatives; run this. It does if you ask for the first gradient
# *inside* its block, where that is recorded, and not if you ask below. Lesson 06 has a better way.

# %%
# TensorFlow warns that a question inside is slow
tf.get_logger().setLevel("ERROR")
with tf.GradientTape(persistent=True) as tape:
    cube = x * x * x
    inside = tape.gradient(cube, x)  # 3 * x**2, recorded as well
tf.get_logger().setLevel("WARNING")

below = tape.gradient(cube, x)
print("of the one asked inside:", tape.gradient(inside, x).numpy())
print("of the one asked below: ", tape.gradient(below, x))

# %% tags=["claims"]
assert tape.gradient(inside, x) == 12.0 and tape.gradient(below, x) is None

# %% [markdown]
# Several *sources* need no persistence, for one question takes them all. On *one* tape, several *targets* need it if
# each wants a `gradient` of its own.

# %% [markdown]
# ### Further: what a question inside costs
#
# A question below one tape's block may still be inside another's. Here that is the block of the course's
# `record_tape`, which runs a function on a tape and tells what was recorded. Six operations in a row, with no
# question, with one, and with two:


# %%
def six_tanh(questions):
    def run(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            h = x
            for _ in range(6):
                h = tf.tanh(h)
        return h, [tape.gradient(h, x) for _ in range(questions)]

    return run


recorded = [len(record_tape(six_tanh(questions), 0.5).operations) for questions in (0, 1, 2)]

print("operations on the tape:", recorded)

# %% tags=["claims"]
assert recorded == [6, 12, 18]

# %% [markdown]
# The way back is recorded, too, and once more for each question. So ask inside only what you mean to differentiate again.

# %% [markdown]
# ## What happens with several targets?
#
# A list of targets is allowed, as a list of sources is.
#
# > **Predict**
# >
# > Two losses, a·b and a², at a = 2 and b = 3, and two sources, a and b. What comes back?

# %%
predict("04.a", "")

# %%
a, b = tf.Variable(2.0), tf.Variable(3.0)

with tf.GradientTape() as tape:
    targets = [a * b, a**2]

summed = tape.gradient(targets, [a, b])

print([float(gradient) for gradient in summed])

# %% [markdown]
# In the figure, y1 is a·b and y2 is a², and Σ is their sum. Two orange lines arrive at a: one brings b = 3, the other
# 2a = 4. Look at the number under a.

# %%
def two_losses(a, b):
    return a * b, a**2


ax = plot_tape(two_losses, a, b)

# %% [markdown]
# To get each, ask for each:

# %%
with tf.GradientTape(persistent=True) as tape:
    losses = two_losses(a, b)

each = [tape.gradient(loss, [a, b]) for loss in losses]

with tf.GradientTape() as tape:
    stacked = tf.stack(two_losses(a, b))

# two of shape (2,): a plain tape, asked once
rows = tape.jacobian(stacked, [a, b])

print([[g and float(g) for g in pair] for pair in each])

# %% tags=["claims"]
assert np.array_equal(rows, [[3, 4], [2, 0]])
assert each == [[3.0, 2.0], [4.0, None]] and np.array_equal(summed, np.sum(rows, axis=1))

# %% [markdown]
# The `None` says that a² has no path to b. The sum hid that. A plain tape can answer both in one question, the
# `jacobian` of the stacked targets (lesson 06), here with 0 for the missing path.
#
# > **Predict**
# >
# > Now one target with three entries: `tf.cumsum(v)` is v₀, v₀ + v₁, v₀ + v₁ + v₂. What is its gradient
# > with respect to v?

# %%
predict("04.b", "")

# %%
v = tf.Variable([1.0, 1.0, 1.0])

with tf.GradientTape(persistent=True) as tape:
    y = tf.cumsum(v)  # (3,)
    middle = y[1]

print(tape.gradient(y, v).numpy())

# %% [markdown]
# If you want the gradient of one entry, pick it *inside* the block. Below it, `y[1]` is a new tensor that the
# tape did not see:

# %%
row = tape.gradient(middle, v)
too_late = tape.gradient(y[1], v)

print(row.numpy(), too_late)

# %% tags=["claims"]
assert np.array_equal(row, [1, 1, 0]) and too_late is None

# %% [markdown]
# The whole table in one call is a `jacobian`.
#
# ### Exercise 04.1: predict
#
# `w` is a variable with the value 3; a tape recorded `fit = (w - 1) ** 2` and `size = w**2`. What does
# `tape.gradient({"fit": fit, "size": size}, w)` return? Write a number, a list or dict of numbers, or None.

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
# The slopes are 2(w - 1) and 2w. What happens to several targets?
#
# </details>
#
# Here is the call:

# %%
w = tf.Variable(3.0)

with tf.GradientTape() as tape:
    parts = {"fit": (w - 1) ** 2, "size": w**2}

of_dict = tape.gradient(parts, w)

print(f"{of_dict.numpy():.1f}")

# %% [markdown]
# ### Exercise 04.2: complete
#
# A linear model predicts `x @ w`. Return the gradients of two losses with respect to the variable `w`:
# under `"squared"` that of the mean of the squared errors, under `"absolute"` that of the mean of their
# absolute values. One forward pass is enough.

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
# Two targets, two questions.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Both losses stand inside the block of a persistent tape, the second with `tf.abs`. Below it, two calls
# of `tape.gradient` fill the dict.
#
# </details>

# %% [markdown]
# ## When is it right to pause or restart?
#
# Nobody asks for the gradient of a number that is only logged. Under `tape.stop_recording()` this tape, plain or
# persistent, does not record it, and loses nothing else:

# %%
v = tf.Variable([1.0, -2.0])

with tf.GradientTape(persistent=True) as tape:
    loss = tf.reduce_sum(v**2)
    with tape.stop_recording():
        largest = tf.reduce_max(tf.abs(v))  # for a log

print(f"largest entry {largest.numpy():.1f}")
print(tape.gradient(loss, v).numpy(), tape.gradient(largest, v))

# %% tags=["claims"]
assert np.array_equal(tape.gradient(loss, v), [2, -4])
assert largest == 2.0 and tape.gradient(largest, v) is None

# %%
with tf.GradientTape() as plain:
    square = x**2
    with plain.stop_recording():
        logged = tf.abs(square)
    cube = square * x

# %% tags=["claims"]
assert plain.gradient(cube, x) == 3 * x**2  # nothing was lost
assert np.isclose(of_dict, 10)  # of Exercise 04.1

# %% [markdown]
# Now the number for the log is itself a gradient, and the tape a plain one.
#
# > **Predict**
# >
# > z = y·x is x³. What does the last question give at x = 3?

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
# The question for the log used up the recording. After the pause a new one starts, for which y is a constant, 9. Now
# the same block with a persistent tape, which keeps its recording through a pause:

# %%
with tf.GradientTape(persistent=True) as tape:
    y = x**2
    with tape.stop_recording():
        tape.gradient(y, x)
    z = y * x

kept_its_recording = tape.gradient(z, x)

print(f"{kept_its_recording.numpy():.1f}")

# %% tags=["claims"]
assert for_the_log == 6.0 and kept_its_recording == 3 * x**2
assert kept_its_recording - after_the_log == 18.0

# %% [markdown]
# `tape.reset()`, inside the block, does the same on purpose: it forgets the recording, and what you told the tape to
# watch, and starts over. Use it where a first part was computed for nothing.

# %%
with tf.GradientTape() as tape:
    y = x**2
    tape.reset()
    z = y * x

after_reset = tape.gradient(z, x)

print(f"{after_reset.numpy():.1f}")
assert after_reset == after_the_log == 9.0

with tf.GradientTape() as tape:
    watched = tf.constant(3.0)
    tape.watch(watched)
    tape.reset()
    doubled = 2 * watched

# %% tags=["claims"]
assert tape.gradient(doubled, watched) is None

# %% [markdown]
# ### Exercise 04.3: repair
#
# The loss is a mean squared error plus a penalty that keeps the weights small. The function should return
# the gradient of the loss and, for a log, the norm (the length) of the penalty's gradient. The log is
# right, no error is raised, and training behaves as if there were no penalty. There is one fault.

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
# What does the tape still know of `penalty` when it records the loss?
#
# </details>
# <details><summary>Hint 2</summary>
#
# It is asked twice. Which kind of tape keeps its recording after an answer?
#
# </details>

# %% [markdown]
# ## What does a persistent tape keep alive?
#
# It keeps what its rules use on the way back: of six tanh in a row, all six values. It keeps them until it is
# reset, or until the last reference to the tape goes. A notebook's names stay until you run `del tape`, and a tape in
# a list or an attribute stays as long as that holds it.

# %% [markdown]
# ### Further: count what is alive
#
# A **weak reference** points to an object without keeping it alive; called, it returns the object, or
# `None` once that is gone. This tanh with its own rule (`tf.custom_gradient`, as in lesson 03) notes such a
# reference to each of its values, and counts on the way back how many are alive.

# %%
values, counts = [], []


@tf.custom_gradient
def counted_tanh(h):
    value = tf.tanh(h)
    values.append(weakref.ref(value))

    def go_back(upstream):
        counts.append(alive())
        return upstream * (1 - value**2)  # the rule needs the value

    return value, go_back


def alive():
    return sum(value() is not None for value in values)

# %% [markdown]
# Record six of them in a row, and ask a plain and a persistent tape:

# %%
def record_six(persistent):
    values.clear()
    with tf.GradientTape(persistent=persistent) as tape:
        h = x
        for _ in range(6):
            h = counted_tanh(h)
    return tape, h

# %%
for persistent in (False, True):
    counts.clear()
    tape, target = record_six(persistent)
    tape.gradient(target, x)
    print(counts, "and then", alive())
    assert counts == ([6] * 6 if persistent else [6, 5, 4, 3, 2, 1])
    assert alive() == (6 if persistent else 0)

tape.gradient(target, x)  # the second answer of the persistent tape

# %% tags=["claims"]
assert counts == [6] * 12

# %% [markdown]
# The plain tape lets go of each value behind it, and so cannot answer again. The persistent one keeps all
# six, and walks the whole way back for each answer.
#
# > **Predict**
# >
# > The tape below is persistent, and nobody deletes it. How many of its six values are alive after the
# > function has returned?

# %%
predict("04.d", "")

# %%
def two_answers():
    tape, target = record_six(persistent=True)
    return tape.gradient(target, x), tape.gradient(target, x)


first, second = two_answers()

print(alive())

# %% [markdown]
# So use a persistent tape in a function that returns the gradients, and not the tape. (After a function that *raised*,
# the notebook keeps its traceback, and with it the tape.) At notebook scope `del tape` matters, but it removes one
# reference only:

# %%
after_return = alive()
tape, target = record_six(persistent=True)
history = [tape]
del tape
after_del = alive()
history.clear()

print(f"after the return {after_return}, after del {after_del}, after clear {alive()}")

# %% tags=["claims"]
assert after_return == alive() and (after_del, alive()) == (6, 0)

# %% [markdown]
# ## Which tape fits the question?
#
# - **One plain tape, one question**, where the sum will do, as in training: one forward pass, one way back.
# - **One persistent tape, k questions**, to see k losses apart: one forward pass, k ways back, every value
#   that a rule needs kept until the tape goes. Use it in a function that returns the gradients, not the tape.
# - **k plain tapes in turn**, where memory is short: k forward passes, k ways back, one recording at a time.
#
# For two losses, count the forward passes:

# %%
forward_passes = {"one persistent tape": 0, "two plain tapes": 0}


def counted_losses(way):
    forward_passes[way] += 1
    return two_losses(a, b)


with tf.GradientTape(persistent=True) as tape:
    losses = counted_losses("one persistent tape")
together = [tape.gradient(loss, a) for loss in losses]

for i in (0, 1):
    with tf.GradientTape() as tape:
        loss = counted_losses("two plain tapes")[i]
    assert tape.gradient(loss, a) == together[i]

print(forward_passes)

# %% tags=["claims"]
assert list(forward_passes.values()) == [1, 2]

# %% [markdown]
# ### Exercise 04.4: complete
#
# Write the whole table yourself, without `jacobian` and without differences of values. `f` takes the variable
# `x`, shape (n,), and returns a tensor of shape (m,). Return one tensor of shape (m, n): in row i the gradient of entry i of `f(x)`.

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
# One question for each entry, and each entry is picked where the tape sees it.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Inside the block, `tf.unstack` makes a list of a tensor's entries. Below it, `tf.stack` makes a table
# of a list of rows.
#
# </details>

# %% [markdown]
# ## Checkpoint
#
# Answer before you open.
#
# <details><summary>1. One cell records with a plain tape. The next holds only
# <code>tape.gradient(y, x)</code>, and you run it twice. What happens?</summary>
#
# A gradient, and then a RuntimeError: run the cell that records again, too.
#
# </details>
# <details><summary>2. Outputs of shape (32, 10) come from weights of shape (4, 10). What does the gradient
# of the outputs hold?</summary>
#
# In shape (4, 10), the gradient of the sum of all 320 outputs.
#
# </details>
# <details><summary>3. A method keeps its persistent tape in <code>self.tape</code> and returns gradients.
# When are the values released?</summary>
#
# When the attribute is replaced or deleted, or the object goes. The return releases nothing.
#
# </details>

# %% [markdown]
# ## Recap
#
# - A plain tape answers once: with its answer it lets go of its recording.
# - A persistent tape answers for each target, and keeps what its rules need until its last reference goes, or a reset.
# - Several targets, or one with many entries, give the gradient of their sum.
# - `stop_recording` is for what needs no gradient; to *take* one inside it, make the tape persistent.
# - `reset` throws the recording away and starts over.
#
# ```python
# with tf.GradientTape(persistent=True) as tape:
#     losses = loss_functions(model(x), y)  # a dict
# each = {name: tape.gradient(loss, weights) for name, loss in losses.items()}
# del tape  # in a notebook; in a function, its return does it
# ```
#
# **To remember**: a plain tape answers one question, so ask it for all sources at once.

# %% [markdown]
# ## Further reading
#
# - TensorFlow's guide *Advanced automatic differentiation*: the same controls in reference form.
# - Chen, Xu, Zhang and Guestrin, *Training Deep Nets with Sublinear Memory Cost* (2016): what to do when
#   even one recording is too large.
#
# The next lesson is about branches, loops and graphs: [05 · Control flow](05_control_flow.ipynb).

# %% [markdown] part="Part I: the tape"
# # 01 · The first tape
#
# Training a model means following gradients downhill, and everything that a framework does for you
# there starts with a recording of what you computed. If you know what is recorded, you can find out why
# a gradient is missing.
#
# **You will be able to**
#
# - record a computation with `tf.GradientTape` and ask for its gradient;
# - say what is on the tape, and what is not;
# - ask for the gradients of many parameters at once, and know their shapes;
# - check a gradient by hand and by finite differences, and say what each way costs.
#
# **Before you start**: [00 · Start here](00_start_here.ipynb), and what a derivative is.
# **Time**: 55 minutes.

# %% tags=["nbval-ignore-output"]
from course_utils import check, plot_tape, start_lesson

start_lesson("01")

import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf

# %% [markdown]
# ## What does a tape record?
#
# A **tape** records the operations inside its `with` block that depend on something it follows. It
# follows a trainable `tf.Variable`, the default, by itself: make one of the number that you want the
# slope for.
#
# Then ask for the **gradient** of a *target*, the result, with respect to a *source*, where it came
# from. For single numbers that is the slope, written dy/dx: how fast y grows as x grows.

# %%
x = tf.Variable(3.0)

with tf.GradientTape() as tape:
    y = x**2

dy_dx = tape.gradient(y, x)  # target first, source second

print(f"dy/dx = {dy_dx.numpy():.1f}")
assert dy_dx.numpy() == 6.0

# %% [markdown]
# The slope of x² at 3 is 6. TensorFlow has a rule for the slope of each single operation, such as the
# square, and combines the rules of the operations that it recorded. So it matters *what* it recorded.
#
# > **Predict**
# >
# > After the recording, x becomes 5. Which slope does the tape give: 6 or 10?

# %%
with tf.GradientTape() as tape:
    y = x**2

x.assign(5.0)
slope_after_assign = tape.gradient(y, x)

print(f"dy/dx = {slope_after_assign.numpy():.1f}")

# %% [markdown]
# 10 would be the slope where x is now. But a tape is not a formula that is filled in later: it holds
# the *values* of the moment of recording, and there x was 3.
#
# > **Predict**
# >
# > Now y is computed one line earlier, above the `with` block. What is the gradient of `doubled` with
# > respect to x: 20, 0, or `None`?

# %%
y = x**2
with tf.GradientTape() as tape:
    doubled = 2 * y

answer = tape.gradient(doubled, x)

print(answer)

# %% [markdown]
# No number, and no error. The tape was off when y was computed, so for the tape y came from nowhere.
# `None` means **no path**: the tape found no way back to the source. Zero is another answer. Here there
# is a path, and the curve is flat:

# %%
x.assign(0.0)
with tf.GradientTape() as tape:
    y = x**2

flat = tape.gradient(y, x)

print(f"{flat.numpy():.1f}")
assert slope_after_assign.numpy() == 6.0
assert answer is None and flat.numpy() == 0.0

# %% [markdown]
# ### Exercise 01.1: complete
#
# Write a function that returns the slope of y = x³ - 2x at any float `x`. Let a tape find it.

# %% exercise="01.1"
def slope(x):
    """Return dy/dx of y = x**3 - 2*x at the number x, found by a tape."""
    ### BEGIN SOLUTION
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = x**3 - 2 * x
    return tape.gradient(y, x)
    ### END SOLUTION


# %%
check("01.1", slope)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# The argument is a plain number. Make a `tf.Variable` from it first, so that the tape follows it.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Compute y inside the `with` block, and return `tape.gradient(y, x)` below it.
#
# </details>

# %% [markdown]
# ## How does it go backwards?
#
# Take two operations in a row: first a = x², then y = sin(a). The **chain rule** says that their
# slopes multiply: dy/dx = dy/da · da/dx. The tape goes through its recording in reverse, starts with
# dy/dy = 1, and at each operation multiplies by that operation's own slope. Ask for two sources in a
# list, `a` and `x`, and it tells you what it held half-way:

# %%
x = tf.Variable(0.6)

with tf.GradientTape() as tape:
    a = x**2
    y = tf.sin(a)

dy_da, dy_dx = tape.gradient(y, [a, x])

print(f"dy/da = {dy_da.numpy():.4f}, dy/dx = {dy_dx.numpy():.4f}")
assert np.isclose(dy_da, np.cos(0.36))  # the slope of sin at a
assert np.isclose(dy_dx, dy_da * 2 * 0.6)  # times the slope of x**2 at x

# %% [markdown]
# The figure draws the same tape. Read it twice: along the black arrows for the values, then along the
# orange ones for the gradients, which start with 1 at y and end at x. Each box is an operation with its
# result, so x² is the `a` of the code. ∂y/∂x is how one writes dy/dx where there may be several sources;
# in ∂y/∂· the dot stands for the result of that box.

# %%
def sine_of_square(x):
    a = x**2
    return tf.sin(a)


ax = plot_tape(sine_of_square, x)

# %% [markdown]
# From right to left: 1, times cos 0.36, gives 0.9359; times 2 · 0.6, gives 1.123. Until then, the tape
# must keep the values of the forward pass, such as 0.36.

# %% [markdown]
# ## What shape does a gradient have?
#
# A model's parameters are arrays, and its loss is one number. The gradient answers for *each entry* of
# the source: if this entry grows a little, how fast does the loss grow?

# %%
w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

with tf.GradientTape() as tape:
    loss = tf.reduce_sum(w**2)  # shape ()

gradient = tape.gradient(loss, w)

print(gradient.numpy())
assert np.array_equal(gradient, 2 * w.numpy())

# %% [markdown]
# ### Exercise 01.2: predict
#
# A batch `features` of 8 examples with 4 numbers each, shape (8, 4), meets weights `W` of shape (4, 2).
# The loss is `tf.reduce_mean((features @ W) ** 2)`. What shape does the gradient of the loss with
# respect to `W` have? Write a tuple.

# %% exercise="01.2"
# A tuple: the shape of tape.gradient(loss, W).
### BEGIN SOLUTION
gradient_shape = (4, 2)
### END SOLUTION

# %%
check("01.2", gradient_shape)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# The loss is one number, and you ask how it moves with each entry of `W`. How many entries are
# there, and how are they arranged?
#
# </details>
# <details><summary>Hint 2</summary>
#
# In the cell above, the source had shape (2, 2), and so had the gradient.
#
# </details>
#
# Here is the loss itself:

# %%
features = tf.random.normal((8, 4))
W = tf.Variable(tf.random.normal((4, 2)))

with tf.GradientTape() as tape:
    loss = tf.reduce_mean((features @ W) ** 2)

gradient = tape.gradient(loss, W)

print(gradient.shape)
assert gradient.shape == W.shape

# %% [markdown]
# ## How do I ask for many gradients at once?
#
# Hand over the sources in a list, a tuple or a dict. The gradients come back in the same structure.
#
# > **Predict**
# >
# > z = 2a + 3b, and the sources are `{"first": a, "second": b}`. What comes back?

# %%
a, b = tf.Variable(1.0), tf.Variable(1.0)

with tf.GradientTape() as tape:
    z = 2 * a + 3 * b

gradients = tape.gradient(z, {"first": a, "second": b})

print({key: float(value) for key, value in gradients.items()})

# %% [markdown]
# A dict with the same keys. So a model's parameters keep their names, however deep they are nested:

# %%
def gradients_in(sources):
    with tf.GradientTape() as tape:
        z = 2 * a + 3 * b
    return tape.gradient(z, sources)


for sources in ([a, b], (a, b), {"layer": [a, {"bias": b}]}):
    print(tf.nest.map_structure(float, gradients_in(sources)))

assert gradients["first"] == 2.0 and gradients["second"] == 3.0
assert isinstance(gradients_in([a, b]), list) and isinstance(gradients_in((a, b)), tuple)
assert gradients_in({"layer": [a, {"bias": b}]})["layer"][1]["bias"] == 3.0

# %% [markdown]
# ## Is the gradient right?
#
# Here is the smallest model worth training: linear, three inputs, one example, a mean squared error. You
# can follow its numbers on paper.

# %%
x = tf.constant([[1.0, 2.0, 3.0]])  # (1, 3): one example, three features
y = tf.constant([[10.0]])  # (1, 1): what the model should predict
params = {"W": tf.Variable([[0.5], [-1.0], [2.0]]), "b": tf.Variable(0.5)}

with tf.GradientTape() as tape:
    y_hat = x @ params["W"] + params["b"]  # (1, 1)
    loss = tf.reduce_mean((y_hat - y) ** 2)

gradients = tape.gradient(loss, params)

print(f"prediction {y_hat.numpy().item():.1f}, loss {loss.numpy():.1f}")
print(f"W: {gradients['W'].numpy().ravel()}, b: {gradients['b'].numpy():.1f}")
assert loss.numpy() == 25.0

# %% [markdown]
# **By hand.** The error is e = 5 - 10 = -5 and the loss is e², with the slope 2e = -10. If a weight
# grows by 1, the prediction grows by that weight's input; if b grows by 1, so does the prediction. So
# the gradient of W is -10 times (1, 2, 3), and that of b is -10.

# %%
error = 5.0 - 10.0
by_hand = {"W": 2 * error * np.array([[1.0], [2.0], [3.0]]), "b": 2 * error}
agree = all(np.allclose(gradients[key], by_hand[key]) for key in params)

print("tape and hand agree:", agree)
assert agree

# %% [markdown]
# **By finite differences.** Lesson 00's rate of change, (f(p + h) - f(p)) / h, is a **forward
# difference**. A **central difference** steps to both sides, (f(p + h) - f(p - h)) / 2h. Here it is
# taken for each of the four parameters, in NumPy alone.

# %%
def loss_of(p):
    """Return the loss for parameters p of shape (4,): three weights, then the bias."""
    error = np.array([1.0, 2.0, 3.0]) @ p[:3] + p[3] - 10.0
    return error**2


def central_difference(f, p, step=1e-6):
    gradient = np.zeros_like(p)
    for i in range(len(p)):
        shift = np.zeros_like(p)
        shift[i] = step
        gradient[i] = (f(p + shift) - f(p - shift)) / (2 * step)
    return gradient


# %%
numeric = central_difference(loss_of, np.array([0.5, -1.0, 2.0, 0.5]))

print(np.round(numeric, 3))
assert np.allclose(numeric, [*gradients["W"].numpy().ravel(), gradients["b"]], atol=1e-6)

# %% [markdown]
# Three ways agree: now you may believe the gradient.

# %% [markdown]
# ### Exercise 01.3: complete
#
# The same for any batch: `params` is a dict with the variables `"W"`, shape (3, 1), and `"b"`, shape
# (); `x` has shape (n, 3) and `y` has shape (n, 1). Return the gradients of the mean squared error as a
# dict with the same keys.

# %% exercise="01.3"
def loss_gradients(params, x, y):
    """Return {"W": gradient, "b": gradient} of the mean squared error of x @ W + b."""
    ### BEGIN SOLUTION
    with tf.GradientTape() as tape:
        y_hat = x @ params["W"] + params["b"]
        loss = tf.reduce_mean((y_hat - y) ** 2)
    return tape.gradient(loss, params)
    ### END SOLUTION


# %%
check("01.3", loss_gradients)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# The dict itself can be the source.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Inside the `with` block: the prediction, then `tf.reduce_mean` of the squared differences. Both
# `x @ W + b` and `y` have shape (n, 1).
#
# </details>

# %% [markdown]
# ## What does each way cost?
#
# Now one function of 50 numbers: the sum of their cubes. By hand, its gradient is 3x² for each of them.
# A list keeps count of how often the function is evaluated.

# %%
n = 50
point = (np.arange(n) - 25) / 8  # (50,)
evaluated = []


def sum_of_cubes(x):
    evaluated.append(1)
    return tf.reduce_sum(x * x * x)


def forward_difference(f, p, step=1e-6):
    f_here = f(p)
    return np.array([(f(p + step * e) - f_here) / step for e in np.eye(len(p))])  # e: one entry


def tape_gradient(f, p):
    p = tf.Variable(p)
    with tf.GradientTape() as tape:
        y = f(p)
    return tape.gradient(y, p).numpy()


# %% [markdown]
# > **Predict**
# >
# > For 50 derivatives, how often does each way evaluate the function? And how large is the tape's
# > error: about 1e-5, about 1e-8, or 0?

# %%
counts, errors = {"by hand": 0}, {"by hand": 0.0}

for way in (forward_difference, central_difference, tape_gradient):
    evaluated.clear()
    errors[way.__name__] = np.max(np.abs(way(sum_of_cubes, point) - 3 * point**2))
    counts[way.__name__] = len(evaluated)

print(counts)
print("error of the tape:", errors["tape_gradient"])

# %% [markdown]
# A forward difference evaluates once more than there are derivatives, a central one twice for each, and
# the tape once. The tape is no approximation: it applies the same exact rules as you do by hand. Its
# error is exactly 0 here because no product of these points needs rounding; elsewhere it is of the size
# of a rounding. In the figure, short bars are good. The two differences use the same step.

# %%
assert list(counts.values()) == [0, n + 1, 2 * n, 1]
assert errors["tape_gradient"] == 0.0
assert np.allclose(tape_gradient(sum_of_cubes, point / 3), point**2 / 3, rtol=1e-14, atol=0)
assert errors["central_difference"] < 1e-6 < errors["forward_difference"] < 1e-4

ways = [way.replace("_", " ") for way in counts]
fig, (left, right) = plt.subplots(1, 2, figsize=(8.4, 2.6), sharey=True)

left.set(xlabel="evaluations of the function", xlim=(0, 120))
left.invert_yaxis()
bars = left.barh(ways, list(counts.values()))
left.bar_label(bars, padding=4)

right.set(xlabel="largest error of 50 derivatives", xscale="log", xlim=(1e-12, 1))
bars = right.barh(ways, [max(error, 1e-12) for error in errors.values()], color="C1")
names = [f"{error:.0e}" if error else "exactly 0" for error in errors.values()]
labels = right.bar_label(bars, names, padding=4)

# %% [markdown]
# ### Why one way back serves a million parameters
#
# A difference changes one parameter at a time, so it pays for each. A tape starts at the one loss and
# walks back once; at each operation it finds the gradients of *all* its inputs together. This is
# **reverse mode**. It is a theorem that the backward pass costs a small multiple of the forward pass,
# however many parameters there are.

# %%
million = tf.Variable(tf.ones(1_000_000))

with tf.GradientTape() as tape:
    loss = tf.reduce_mean(million**2)

gradient = tape.gradient(loss, million)

print(gradient.shape)
assert np.allclose(gradient, 2e-6)  # 2 * 1 / 1_000_000 for every entry

# %% [markdown]
# ### Exercise 01.4: repair
#
# This function should return the gradient with respect to the variable `w` of the mean squared error
# between w · x and y. It returns `None`, and no error is raised. Find the line that stands in the wrong
# place, and move it: the tape stays, and gives the gradient.

# %% exercise="01.4"
def gradient_of_w(w, x, y):
    # w is a tf.Variable of shape (); x and y have shape (n,).
    ### BEGIN SOLUTION
    #| y_hat = w * x
    #| with tf.GradientTape() as tape:
    #|     loss = tf.reduce_mean((y_hat - y) ** 2)
    #| return tape.gradient(loss, w)
    with tf.GradientTape() as tape:
        y_hat = w * x
        loss = tf.reduce_mean((y_hat - y) ** 2)
    return tape.gradient(loss, w)
    ### END SOLUTION


# %%
check("01.4", gradient_of_w)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Follow the path from `w` to `loss`. Which step runs before the tape starts?
#
# </details>
# <details><summary>Hint 2</summary>
#
# The product `w * x` belongs inside the `with` block.
#
# </details>

# %% [markdown]
# ## Checkpoint
#
# Answer before you open.
#
# <details><summary>1. You record y = x³ at x = 2, assign 1 to x, and ask for the gradient. What is
# it?</summary>
#
# 12, the slope 3x² at the recorded value 2.
#
# </details>
# <details><summary>2. A loss of shape () comes from weights of shape (3, 3, 16, 32). What shape does
# their gradient have?</summary>
#
# (3, 3, 16, 32): one number for each entry of the source.
#
# </details>
# <details><summary>3. A model has 1,000 parameters. How often do central differences evaluate the
# loss, and how often does a tape?</summary>
#
# 2,000 times, and once, with one walk back.
#
# </details>

# %% [markdown]
# ## Recap
#
# - A tape records the operations inside its `with` block, with their values.
# - `tape.gradient(target, source)` walks back over the recording, and multiplies slopes.
# - The gradient has the shape of its source, and comes back in the structure of the sources.
# - `None` means that the tape found no path back; zero is a number, such as the slope of a flat curve.
# - A tape is exact up to rounding, and pays once for all parameters; differences pay for each.
#
# ```python
# with tf.GradientTape() as tape:
#     loss = loss_function(model(x), y)
# gradients = tape.gradient(loss, model.trainable_variables)
# ```

# %% [markdown]
# ## Further reading
#
# - TensorFlow's guide *Introduction to gradients and automatic differentiation*: the same objects in
#   reference form.
# - Baydin, Pearlmutter, Radul and Siskind, *Automatic differentiation in machine learning: a survey*,
#   JMLR 18 (2018): forward and reverse mode.
# - Griewank and Walther, *Evaluating Derivatives*, 2nd edition, SIAM 2008: the proof that a gradient
#   costs only a small multiple of its function.
#
# You now know one way to get `None`. [02 · Watching](02_watching.ipynb) is about a second one: tensors
# that a tape does not follow by itself.

# %% [markdown] part="Part I: the tape"
# # 01 · The first tape
#
# Training goes downhill by gradients, and TensorFlow finds them from a recording of what you computed. What was not
# recorded has no gradient, and often no error says so. Know what is recorded, and you need not guess.
#
# **You will learn to**
#
# - record a computation with `tf.GradientTape` and ask for its gradient;
# - say what is on the tape, and what is not;
# - ask for the gradients of many parameters at once, and know their shapes;
# - check a gradient by hand and by differences, say what each way costs, and walk back by yourself.
#
# **Before you start**: [00 · Start here](00_start_here.ipynb), and what a derivative is.
# **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import check, play_tape, plot_tape, predict, start_lesson

start_lesson("01")

from itertools import pairwise

import numpy as np
import tensorflow as tf

# %% [markdown]
# ## What does a tape record?
#
# A **tape** records the TensorFlow operations inside its `with` block that depend on something that it follows, or
# **watches**. By itself it watches trainable variables, and a `tf.Variable` is one unless you say otherwise. So put
# your number into one, as a float: 3.0, not 3.
#
# Then ask for the **gradient** of a *target*, the result, with respect to a *source*, where it came
# from. For single numbers that is the slope, written dy/dx: how fast y grows as x grows.

# %%
x = tf.Variable(3.0)

with tf.GradientTape() as tape:
    y = x**2

dy_dx = tape.gradient(y, x)  # target first, source second

print(f"dy/dx = {dy_dx.numpy():.1f}")

# %% tags=["claims"]
assert dy_dx.numpy() == 6.0 and x.trainable

# %% [markdown]
# The slope of x² at 3 is 6. TensorFlow has slope rules for the usual operations, such as the square, and combines
# those of the recorded ones. So it matters *what* it recorded.
#
# > **Predict**
# >
# > After the recording, x becomes 5. Which slope does the tape give?

# %%
predict("01.a", "")

# %%
with tf.GradientTape() as tape:
    y = x**2

x.assign(5.0)
slope_after_assign = tape.gradient(y, x)

print(f"dy/dx = {slope_after_assign.numpy():.1f}")

# %% [markdown]
# > **Predict**
# >
# > Now y is computed above the `with` block, and only `doubled = 2 * y` inside it. x is still 5. What is the
# > gradient of `doubled` with respect to x?

# %%
predict("01.b", "")

# %%
y = x**2
with tf.GradientTape() as tape:
    doubled = 2 * y

answer = tape.gradient(doubled, x)

print(answer)

# %% [markdown]
# Compare that `None` with a 0. Here everything stands inside the block, and the curve is flat at x:

# %%
x.assign(0.0)
with tf.GradientTape() as tape:
    y = x**2

flat = tape.gradient(y, x)

print(f"{flat.numpy():.1f}")

# %% tags=["claims"]
assert flat.numpy() == 0.0 and slope_after_assign.numpy() == 2 * 3.0

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
# Make a `tf.Variable` from the number first, so that the tape follows it.
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
# slopes multiply:
#
# $$\frac{dy}{dx} = \frac{dy}{da} \cdot \frac{da}{dx}$$
#
# The tape goes through its recording in reverse, starts with dy/dy = 1, and at each operation multiplies by that
# operation's own slope. Ask for `a` too, in a list, and you see what the product was half-way:

# %%
x = tf.Variable(0.6)

with tf.GradientTape() as tape:
    a = x**2
    y = tf.sin(a)

dy_da, dy_dx = tape.gradient(y, [a, x])

print(f"dy/da = {dy_da.numpy():.4f}, dy/dx = {dy_dx.numpy():.4f}")

# %% tags=["claims"]
assert np.isclose(dy_da, np.cos(0.36))  # the slope of sin at a
# times the slope of x**2 at x
assert np.isclose(dy_dx, dy_da * 2 * 0.6)

# %% [markdown]
# The figure draws this tape. Read along the black arrows for the values, then along the orange ones for
# the gradients. The first box is the source, each other box an operation with its result: x² is the `a` of the code.
# ∂ stands for d where there may be several sources, and a dot for *this box*.

# %%
def sine_of_square(x):
    a = x**2
    return tf.sin(a)


ax = plot_tape(sine_of_square, x)

# %% [markdown]
# From right to left: 1, times cos 0.36, gives 0.9359; times 2 · 0.6, gives 1.123. For this the tape keeps
# values of the forward pass, such as 0.36. A source that the walk does not meet gets `None`: there is **no path**. A 0
# is a slope, such as that of a flat curve.

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

# %% tags=["claims"]
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
# You ask how the loss moves with each entry of `W`. How are these arranged?
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

# %% [markdown]
# ### Many gradients at once
#
# Hand over the sources in a list, a tuple or a dict. The gradients come back in the same structure:

# %%
a, b = tf.Variable(1.0), tf.Variable(1.0)

with tf.GradientTape() as tape:
    z = 2 * a + 3 * b

gradients = tape.gradient(z, {"first": a, "second": b})

print({key: float(value) for key, value in gradients.items()})

# %% [markdown]
# The structure may be nested:

# %%
def gradients_in(sources):
    with tf.GradientTape() as tape:
        z = 2 * a + 3 * b
    return tape.gradient(z, sources)


for sources in ([a, b], (a, b), {"layer": [a, {"bias": b}]}):
    print(tf.nest.map_structure(float, gradients_in(sources)))

# %% tags=["claims"]
assert gradients["first"] == 2.0 and gradients["second"] == 3.0
assert isinstance(gradients_in([a, b]), list) and isinstance(gradients_in((a, b)), tuple)
assert gradients_in({"layer": [a, {"bias": b}]})["layer"][1]["bias"] == 3.0
assert gradient.shape == W.shape  # of Exercise 01.2

# %% [markdown]
# ## Is the gradient right?
#
# Here is a model small enough to follow on paper: linear, three inputs, one example, a mean squared
# error.

# %%
# (1, 3): one example, three features
x = tf.constant([[1.0, 2.0, 3.0]])
y = tf.constant([[10.0]])  # (1, 1): what the model should predict
params = {"W": tf.Variable([[0.5], [-1.0], [2.0]]), "b": tf.Variable(0.5)}

with tf.GradientTape() as tape:
    y_hat = x @ params["W"] + params["b"]  # (1, 1)
    loss = tf.reduce_mean((y_hat - y) ** 2)

gradients = tape.gradient(loss, params)

print(f"prediction {y_hat.numpy().item():.1f}, loss {loss.numpy():.1f}")
print(f"W: {gradients['W'].numpy().ravel()}, b: {gradients['b'].numpy():.1f}")

# %% tags=["claims"]
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

# %% tags=["claims"]
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


numeric = central_difference(loss_of, np.array([0.5, -1.0, 2.0, 0.5]))

print(np.round(numeric, 3))

# %% tags=["claims"]
assert np.allclose(numeric, [*gradients["W"].numpy().ravel(), gradients["b"]], atol=1e-6)

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
# Inside the `with` block: the prediction, then `tf.reduce_mean` of the squared differences.
#
# </details>

# %% [markdown]
# ### Exercise 01.4: repair
#
# This function should return the gradient with respect to the variable `w` of the mean squared error
# between w · x and y. It returns `None`, and no error is raised. One line stands in the wrong
# place. Find it, and move it: the tape stays, and gives the gradient.

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
# ## What does each way cost?
#
# Now the sum of the cubes of 50 numbers. By hand, its gradient is 3x² for each of them.
# The function notes each of its evaluations in a list.

# %%
n = 50
point = (np.arange(n) - 25) / 8  # (50,)
evaluated = []


def sum_of_cubes(x):
    evaluated.append(1)
    return tf.reduce_sum(x * x * x)


def forward_difference(f, p, step):
    f_here = f(p)
    # e: a step in one entry
    return np.array([(f(p + step * e) - f_here) / step for e in np.eye(len(p))])


def tape_gradient(f, p):
    p = tf.Variable(p)
    with tf.GradientTape() as tape:
        y = f(p)
    return tape.gradient(y, p).numpy()

# %% [markdown]
# > **Predict**
# >
# > For 50 derivatives, how often does a central difference evaluate the function, and how often does the
# > tape?

# %%
predict("01.c", "")

# %%
step = 2.0**-10  # a power of two: nothing in this cell is rounded
ways = {
    "forward difference": lambda: forward_difference(sum_of_cubes, point, step),
    "central difference": lambda: central_difference(sum_of_cubes, point, step),
    "tape": lambda: tape_gradient(sum_of_cubes, point),
}
counts, errors = {}, {}

for way, gradient_by in ways.items():
    evaluated.clear()
    errors[way] = np.max(np.abs(gradient_by() - 3 * point**2))
    counts[way] = len(evaluated)
    print(f"{way}: {counts[way]:3} evaluations, error {errors[way]:.0e}")

# %% [markdown]
# Look at the errors, too: that of a difference depends on its step. The tape takes no step: it applies the rules that
# you apply by hand, and with these numbers it is exact.
#
# But a tape is no better than the numbers that it computes with. Near 0, (1 - cos x)/x has the slope 0.5, but there
# the numerator loses its digits in float32. For a large x, log(1 + eˣ) has the slope 1, but eˣ overflows. And at a
# corner, such as a ReLU's, the slope is a convention (lesson 03).

# %%
def loses_digits(x):
    return (1 - tf.cos(x)) / x


near_zero, overflow = np.float32(1e-4), np.float32(90.0)
slopes = [
    tape_gradient(loses_digits, near_zero),
    tape_gradient(lambda x: tf.math.log(1 + tf.exp(x)), overflow),
]

print(f"slope 0.5, by the tape {slopes[0]:.1f}; slope 1, by the tape {slopes[1]:.1f}")

# %% tags=["claims"]
assert abs(slopes[0] - 0.5) > 0.4 and np.isnan(slopes[1])

# %% tags=["claims"]
# with more digits
assert np.isclose(tape_gradient(loses_digits, np.float64(1e-4)), 0.5)
# the same function, written well
assert np.isclose(tape_gradient(tf.nn.softplus, overflow), 1.0)
assert list(counts.values()) == [n + 1, 2 * n, 1] and errors["tape"] == 0.0
assert np.isclose(errors["central difference"], step**2)
# a corner: this is x, and has the slope 1
assert tape_gradient(lambda x: tf.nn.relu(x) - tf.nn.relu(-x), np.float32(0)) == 0.0

# %% [markdown]
# ### Why one way back serves a million parameters
#
# A difference changes one parameter at a time, so it pays for each. A tape starts at the one loss and
# walks back once; at each operation it finds the gradients of *all* its inputs together. This is
# **reverse mode**. For sums, products and functions such as `sin` it is a theorem that the way back
# takes a small multiple of the operations of the forward pass, however many parameters there are.

# %%
million = tf.Variable(tf.ones(1_000_000))

with tf.GradientTape() as tape:
    loss = tf.reduce_mean(million**2)

gradient = tape.gradient(loss, million)

print(gradient.shape)

# %% tags=["claims"]
# 2 * 1 / 1_000_000 for every entry
assert np.allclose(gradient, 2e-6)

# %% [markdown]
# ### Further: when you pick entries
#
# The gradient of one picked entry has a number for every entry: for `million[0]` a million numbers, all but one of
# them 0. With `tf.gather` the gradient can hold the picked entries alone, with their positions, as an
# `IndexedSlices`: if nothing but such picks uses the source, with `axis=0`. Otherwise all entries are filled, as a
# rule.

# %%
gradient_of_one = tape_gradient(lambda p: 2 * p[0], tf.ones(1_000_000))

with tf.GradientTape() as tape:
    picked = 2 * tf.gather(million, [0])  # shape (1,)
sparse = tape.gradient(picked, million)

print(gradient_of_one.shape, np.count_nonzero(gradient_of_one))
print(type(sparse).__name__, sparse.values.shape, sparse.indices.numpy(), sparse.shape)

# %% tags=["claims"]
assert gradient_of_one.shape == (1_000_000,) and np.count_nonzero(gradient_of_one) == 1
assert isinstance(sparse, tf.IndexedSlices) and sparse.values.shape == (1,)
assert np.array_equal(tf.convert_to_tensor(sparse), gradient_of_one)

# %%
table = tf.Variable(tf.ones((3, 4)))

# a persistent tape answers several questions
with tf.GradientTape(persistent=True) as tape:
    ways = {"rows": tf.gather(table, [0]), "columns": tf.gather(table, [0], axis=1)}
    ways["of a product"] = tf.gather(2 * table, [0])
    ways["rows and a penalty"] = tf.reduce_sum(ways["rows"]) + tf.reduce_sum(table**2)

kept = [name for name in ways if isinstance(tape.gradient(ways[name], table), tf.IndexedSlices)]
print("IndexedSlices:", kept)

# %% tags=["claims"]
assert kept == ["rows"]

# %% [markdown]
# ### Further: and a formula for the slope?
#
# You will read that a program can also find the slope as a formula, by **symbolic** differentiation; run this.
# Start with y = x, and six times replace y by 4y(1 - y). The product rule writes y twice, so the formula for
# the slope grows with every round. In closed form, with $x = \sin^2\theta$, a round doubles the angle, since
# $4 \sin^2\theta\,(1 - \sin^2\theta) = \sin^2(2\theta)$: six rounds give $y = \sin^2(64\,\theta)$.
# Its slope, dy/dθ over dx/dθ, is the truth: $64 \sin(128\,\theta) / (2 \sqrt{x (1 - x)})$.

# %%
def rounds(x):
    y = x
    for _ in range(6):
        evaluated.append(1)
        y = 4 * y * (1 - y)
    return y

# %%
value, formula, lengths = "x", "1", []
for _ in range(6):
    # the product rule
    formula = f"(4*{formula}*(1-{value})-4*{value}*{formula})"
    value = f"(4*{value}*(1-{value}))"
    lengths.append(len(formula))

x = 0.3
truth = 32 * np.sin(128 * np.arcsin(x**0.5)) / (x * (1 - x)) ** 0.5
found = {"formula": lambda: eval(formula)}
found["difference"] = lambda: central_difference(lambda p: rounds(p[0]), np.array([x]))[0]
found["tape"] = lambda: tape_gradient(rounds, np.float64(x))

# %%
occurrences = formula.count("x")
for way, slope_by in found.items():
    evaluated.clear()
    error = abs(slope_by() / truth - 1)
    size = f"x {occurrences} times" if way == "formula" else f"{len(evaluated) // 6} evaluations"
    print(f"{way}: {size}, relative error below 1e-10: {error < 1e-10}")
    assert (error < 1e-10) == (way != "difference") and error < 1e-3

# %% tags=["claims"]
assert occurrences == 6 * 2**6
assert all(after > 2 * before for before, after in pairwise(lengths))

# %% [markdown]
# The formula is exact, and more than twice as long with every round. The difference is less exact. The tape is exact,
# too, and evaluates once: it applies the formula's rules to *numbers*, and stores each number once.

# %% [markdown]
# ## Can I build a tape?
#
# First watch the tape of x · sin(x²). It uses x twice: directly, and through a and s. Press *Step*,
# or the right arrow key, and follow the orange way back. Along a path slopes multiply, and paths **add**: x
# gets its gradient in two parts.

# %%
def x_times_sine(x):
    a = x**2
    s = tf.sin(a)
    return x * s


play_tape(x_times_sine, tf.Variable(0.6))

# %% [markdown]
# Write that tape as a list, with an entry for each number. The entry holds a pair for each input of that number: the
# input's place in the list, and the slope of this number with respect to it. y = x · s has two inputs. Its slope with respect to x is s,
# and with respect to s it is x. (TensorFlow's tape keeps the values, and works out the slopes on the way back.)

# %%
x_value = 0.6
a_value = x_value**2
s_value = np.sin(a_value)

recorded = [
    [],  # number 0 is x, and has no inputs
    [(0, 2 * x_value)],  # number 1 is a = x**2, from number 0
    [(1, np.cos(a_value))],  # number 2 is s = sin(a), from number 1
    # number 3 is y = x * s, from numbers 0 and 2
    [(0, s_value), (2, x_value)],
]
both_paths = s_value + x_value * np.cos(a_value) * 2 * x_value

# %%
x = tf.Variable(x_value)
with tf.GradientTape() as tape:
    y = x_times_sine(x)

theirs = tape.gradient(y, x).numpy()

print(f"both paths {both_paths:.4f}, TensorFlow's tape {theirs:.4f}")

# %% tags=["claims"]
assert np.isclose(theirs, both_paths)

# %% [markdown]
# ### Exercise 01.5: complete
#
# Write the walk back. `recorded` is such a list, and `target` the place of a number in it. A number stands after all of
# its inputs. Several may have no inputs, and some may not lead to the target. Return the gradient of the target with
# respect to *every* number, in a list of the same length, with 0 where no path leads. From the list above and the
# target 3, your function finds `both_paths` for x.

# %% exercise="01.5"
def walk_back(recorded, target):
    """Return, for each number on the tape, the gradient of the target with respect to it."""
    ### BEGIN SOLUTION
    gradients = [0.0] * len(recorded)
    gradients[target] = 1.0
    for place in reversed(range(target + 1)):
        for source, slope in recorded[place]:
            gradients[source] += gradients[place] * slope
    return gradients
    ### END SOLUTION


# %%
check("01.5", walk_back)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Start with a list of zeros and a 1 at the target. Go through the places from the last to the first. When you
# come to a place, its own gradient is complete.
#
# </details>
# <details><summary>Hint 2</summary>
#
# At each place, hand on to each of its inputs: the gradient of this place times the slope, *added* to what the
# input has already.
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
# - A tape records the TensorFlow operations inside its `with` block, with their values.
# - `tape.gradient(target, source)` walks back: slopes multiply along a path, and paths add.
# - The gradient has the shape of its source, and comes back in the structure of the sources.
# - `None`: the tape has no path back. Zero: a slope, such as that of a flat curve.
# - A tape applies the rules of calculus, once for all parameters; differences pay for each. Rounding can spoil both.
#
# ```python
# with tf.GradientTape() as tape:
#     loss = loss_function(y, model(x))
# gradients = tape.gradient(loss, model.trainable_variables)
# ```
#
# **To remember**: a tape differentiates what it recorded, and nothing else.

# %% [markdown]
# ## Further reading
#
# - TensorFlow's guide *Introduction to gradients and automatic differentiation*: the same objects in
#   reference form.
# - Baydin, Pearlmutter, Radul and Siskind, *Automatic differentiation in machine learning: a survey*,
#   JMLR 18 (2018): forward and reverse mode.
# - Griewank and Walther, *Evaluating Derivatives*, 2nd edition, SIAM 2008: the proof of that theorem.
#
# You now know one way to get `None`. [02 · Watching](02_watching.ipynb) is about a second one: tensors
# that a tape does not follow by itself.

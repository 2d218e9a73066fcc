# %% [markdown] part="Part I: the tape"
# # 01 · The first tape
#
# You tidy up a training loop and move `y_hat = w * x` one line up, above the `with` block. `tape.gradient` does not
# complain, but the gradient for `w` is now `None`, and the weight never changes. TensorFlow computes gradients from a
# recording, the tape, and can differentiate only what was recorded. In this lesson you learn what a tape records, so that you
# spot a line like this one at once.
#
# **You will learn to**
#
# - record a computation with `tf.GradientTape` and get its gradient;
# - tell what is on the tape and what is not;
# - get the gradients of all parameters in one call and know their shapes.
#
# **Before you start**: [00 · Start here](00_start_here.ipynb), and what a derivative is. **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import check, play_tape, plot_tape, predict, start_lesson

start_lesson("01")

import numpy as np
import tensorflow as tf

# %% [markdown]
# ## A first gradient
#
# A model learns by changing its parameters a little at a time, in the direction that lowers the **loss**, the number
# that measures how wrong the model is. Finding that direction takes derivatives, which TensorFlow can compute. Start
# with x² at x = 3. The derivative, 2x, is 6 there.

# %%
x = tf.Variable(3.0)

with tf.GradientTape() as tape:
    y = x**2

dy_dx = tape.gradient(y, x)

print(f"dy/dx = {dy_dx.numpy():.1f}")

# %% tags=["claims"]
assert dy_dx.numpy() == 6.0 and x.trainable

# %% [markdown]
# Line by line:
#
# - `tf.Variable(3.0)` holds a value that can change, such as a model's weight. Write 3.0 rather than 3, because
#   TensorFlow computes gradients only for floating-point values.
# - Inside the `with` block, the **tape** records every operation that depends on the variable. Here there is only one,
#   the square.
# - `tape.gradient(y, x)` works backward through the recording and returns the derivative of y with respect to x. We
#   call y the **target** and x the **source**. The target comes first.
#
# The derivative of a target with respect to a source is called the **gradient**. For single numbers it is the slope:
# near x = 3, y grows six times as fast as x.
#
# ### Exercise 01.1: complete
#
# Write a function that takes a float `x` and uses a tape to return the slope of y = x³ - 2x at that point.

# %% exercise="01.1"
def slope(x):
    """Return dy/dx of y = x³ - 2x at the number x, found by a tape."""
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
# The tape notices variables. Make a `tf.Variable` from the number first.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Compute y inside the `with` block, and return `tape.gradient(y, x)` below it.
#
# </details>

# %% [markdown]
# ## What is on the tape?
#
# The tape records operations as they run. Two questions follow: which *values* does it use, and which *lines* does it
# know? First, the values.
#
# > **Predict**
# >
# > x is 3 while you record y = x². Then you change x to 5, and only then do you call `gradient`. Which slope do you
# > get?

# %%
predict("01.a", "")

# %%
x = tf.Variable(3.0)

with tf.GradientTape() as tape:
    y = x**2

x.assign(5.0)
slope_after_assign = tape.gradient(y, x)

print(f"dy/dx = {slope_after_assign.numpy():.1f}")

# %% [markdown]
# With the current value of x, the formula 2x gives 10. The tape returns 6, because it stored the value that x had when
# the square was computed.
#
# Now the block.
#
# > **Predict**
# >
# > Now y = x² is computed above the `with` block, and only `doubled = 2 * y` inside it. x is 5. What is the gradient
# > of `doubled` with respect to x?

# %%
predict("01.b", "")

# %%
y = x**2

with tf.GradientTape() as tape:
    doubled = 2 * y

answer = tape.gradient(doubled, x)

print(answer)

# %% tags=["claims"]
assert slope_after_assign.numpy() == 2 * 3.0 and answer is None

# %% [markdown]
# On paper the derivative of 2x² at 5 is 20. But when the line `y = x**2` ran, the tape was not recording yet. To the
# tape, y is just a number with no history, so there is no path from `doubled` back to x, and the result is `None`.
#
# `None` is not the same as 0. If the computation is inside the block and the slope happens to be zero, you get a
# number:

# %%
x.assign(0.0)

with tf.GradientTape() as tape:
    y = x**2

flat = tape.gradient(y, x)

print(f"{flat.numpy():.1f}")

# %% tags=["claims"]
assert flat.numpy() == 0.0

# %% [markdown]
# | you get | what it means |
# |---|---|
# | 0 | The tape found a path, and the slope along it is zero at this point. |
# | `None` | The tape found no path from y back to x. |
#
# You also get `None` if the source is a plain tensor instead of a variable, as lesson 02 shows.

# %% [markdown]
# ## How does the tape go backward?
#
# A courier charges €35 for a 3 kg parcel. You guess that the price is €10 per kg (w) plus a fixed fee of €2 (b), which
# comes to €32. Your guess is €3 too low, so the error, guess minus price, is -3. The loss is its square, 9. Should you
# raise or lower w and b?

# %%
w, b = tf.Variable(10.0), tf.Variable(2.0)  # € per kg, and €

with tf.GradientTape() as tape:
    guess = w * 3.0 + b
    error = guess - 35.0
    loss = error**2

d_error, d_w, d_b = tape.gradient(loss, [error, w, b])

print(f"gradients: error {d_error.numpy():.0f}, w {d_w.numpy():.0f}, b {d_b.numpy():.0f}")

# %% [markdown]
# The tape starts at the loss, whose slope with respect to itself is 1, and works backward. At each operation, it
# multiplies what it has so far by that operation's slope. This is the **chain rule**.
#
# 1. The loss is error², with the slope 2 · error = -6. So the gradient with respect to the error is 1 · (-6) = -6.
# 2. If b grows by 1, the error grows by 1. So the gradient with respect to b is -6 · 1 = -6.
# 3. If w grows by 1, the error grows by 3, because the parcel weighs 3 kg. So the gradient with respect to w is -6 · 3
#    = -18.
#
# Both gradients are negative, so raising w or b lowers the loss. A small change in w has three times the effect of the
# same change in b.
#
# `error` is not a variable. Any intermediate result on the tape can be a source.
#
# `plot_tape` draws the tape of a function, here of the same computation. Each box is one operation with its result.
# Follow the black arrows for the values, then the orange arrows back for the gradients. In the figure, y is the loss,
# and ∂y/∂w is its gradient with respect to w.

# %%
def loss_of_guess(w, b):
    guess = w * 3.0 + b
    error = guess - 35.0
    return error**2


ax = plot_tape(loss_of_guess, w, b)

# %% tags=["claims"]
assert [error.numpy(), loss.numpy(), d_error.numpy()] == [-3.0, 9.0, -6.0]
assert [d_w.numpy(), d_b.numpy()] == [-18.0, -6.0]
assert loss_of_guess(w + 0.1, b) < loss and loss_of_guess(w, b + 0.1) < loss

# %% [markdown]
# One backward pass found both gradients. A million parameters would still need only one. That is what makes deep
# learning possible.

# %% [markdown]
# ## What shape does a gradient have?
#
# Real weights come in arrays, but the loss is still one number. For *each entry*, the gradient tells you how fast the
# loss grows as that entry grows.

# %%
w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

with tf.GradientTape() as tape:
    loss = tf.reduce_sum(w**2)  # shape ()

gradient = tape.gradient(loss, w)

print(gradient.numpy())

# %% tags=["claims"]
assert np.array_equal(gradient, 2 * w.numpy())

# %% [markdown]
# One slope per entry means that **the gradient has the same shape as its source**.
#
# ### Exercise 01.2: predict
#
# A batch `features` has 8 examples with 4 numbers each, so its shape is (8, 4). The weights `W` have shape (4, 2), and
# the loss is `tf.reduce_mean((features @ W) ** 2)`. What is the shape of the gradient of the loss with respect to `W`?
# Write a tuple.

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
# The gradient says how the loss changes with each entry of `W`. How are these entries arranged?
#
# </details>
# <details><summary>Hint 2</summary>
#
# In the cell above, the source had shape (2, 2), and so did the gradient.
#
# </details>
#
# Run it:

# %%
features, W = tf.random.normal((8, 4)), tf.Variable(tf.random.normal((4, 2)))

with tf.GradientTape() as tape:
    loss = tf.reduce_mean((features @ W) ** 2)

gradient = tape.gradient(loss, W)

print(gradient.shape)

# %% tags=["claims"]
assert gradient.shape == W.shape == (4, 2)

# %% [markdown]
# Whatever the batch, the gradient has the shape of `W`.

# %% [markdown]
# ## How do I get all gradients at once?
#
# You can call `gradient` only once on such a tape, so ask for all the gradients you need in one call. Pass
# a list or a dict of sources, and the gradients come back in the same structure. The courier's bill again, with a dict:

# %%
params = {"w": tf.Variable(10.0), "b": tf.Variable(2.0)}

with tf.GradientTape() as tape:
    loss = (params["w"] * 3.0 + params["b"] - 35.0) ** 2

gradients = tape.gradient(loss, params)

print({name: float(gradient) for name, gradient in gradients.items()})

# %% tags=["claims"]
assert {name: float(gradient) for name, gradient in gradients.items()} == {"w": -18.0, "b": -6.0}

# %% [markdown]
# ### Exercise 01.3: complete
#
# Now do the same for a whole batch. `params` is a dict with the variables `"W"`, of shape (3, 1), and `"b"`, of shape
# (). `x` has shape (n, 3) and `y` has shape (n, 1). The prediction is `x @ W + b`. Return the gradients of the mean
# squared error, as a dict with the same keys.

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
# ## Which line loses the gradient?
#
# Here is the bug from the beginning of this lesson, inside a function.
#
# ### Exercise 01.4: repair
#
# This function should return the gradient of the mean squared error between w · x and y, with respect to the variable
# `w`. It returns `None` because one line is in the wrong place. Move that line.

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
# Answer each question before you open the answer.
#
# <details><summary>1. You record y = x³ at x = 2, assign 1 to x, and then call <code>gradient</code>. What do you
# get?</summary>
#
# 12. The tape stored the value 2, and the slope of x³ there is 3 · 2² = 12.
#
# </details>
# <details><summary>2. A loss of shape () comes from weights of shape (3, 3, 16, 32). What shape does their gradient
# have?</summary>
#
# (3, 3, 16, 32): one number for each entry of the source.
#
# </details>
# <details><summary>3. One gradient is 0 and another is <code>None</code>. Which one shows that the tape found no
# path?</summary>
#
# `None`. With a 0, the tape found a path, and the slope along it is zero at this point.
#
# </details>

# %% [markdown]
# ## Recap
#
# - Store anything you want to train in a floating-point `tf.Variable`.
# - Compute everything from the variables to the loss inside the `with` block.
# - Call `tape.gradient(target, sources)`. Pass a list or a dict to get all gradients at once.
# - Each gradient has the shape of its source.
# - If you get `None`, look first for a line outside the block.
#
# ```python
# with tf.GradientTape() as tape:
#     loss = loss_function(y, model(x))
# gradients = tape.gradient(loss, model.trainable_variables)
# ```
#
# **To remember**: a tape differentiates what it recorded, and nothing else.

# %% [markdown]
# ## Going deeper
#
# Two questions that you can leave for later: why a tape is so much cheaper than trying out small changes, and how you
# would build one yourself.

# %% [markdown]
# ### What does a gradient cost?
#
# In lesson 00 you estimated a slope by a small step. With 50 numbers you can do the same for each of them. A **central
# difference** steps to both sides: (f(x + h) - f(x - h)) / 2h. Here it is, for the sum of 50 cubes, beside a tape. The
# function counts how often it runs.

# %%
point = (np.arange(50) - 25) / 8  # (50,)
evaluated = []


def sum_of_cubes(x):
    evaluated.append(1)
    return tf.reduce_sum(x * x * x)


def central_difference(f, x, h):
    # e: a vector with a 1 in one entry
    return np.array([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(len(x))])


def tape_gradient(f, x):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = f(x)
    return tape.gradient(y, x).numpy()

# %% [markdown]
# > **Predict**
# >
# > For 50 derivatives, how often does a central difference evaluate the function, and how often does the tape?

# %%
predict("01.c", "")

# %%
step = 2.0**-10  # a power of two: nothing in this cell is rounded
ways = {
    "central difference": lambda: central_difference(sum_of_cubes, point, step),
    "tape": lambda: tape_gradient(sum_of_cubes, point),
}
counts, errors = {}, {}

for name, gradient_of in ways.items():
    evaluated.clear()
    # the true derivative is 3 x²
    errors[name] = np.max(np.abs(gradient_of() - 3 * point**2))
    counts[name] = len(evaluated)
    print(f"{name}: {counts[name]:3} evaluations, error {errors[name]:.0e}")

# %% tags=["claims"]
assert counts == {"central difference": 100, "tape": 1}
assert errors["tape"] == 0.0 and np.isclose(errors["central difference"], step**2)

# %% [markdown]
# The central difference moves one number at a time, to both sides, so it needs 100 evaluations. The tape runs the
# function once and goes back once. In this backward pass, each operation gives the gradients of *all* its inputs, so
# 50 numbers or a million need only one pass. This is called **reverse mode**. Going back takes only a few times as
# much work as computing the loss, however many parameters there are. (Griewank and Walther prove it.)
#
# The errors differ as well. A difference depends on its step, while the tape applies the rules of calculus, and with
# these numbers it is exact.

# %% [markdown]
# ### Can I build a tape?
#
# A tape is simple enough to write in a few lines. First watch one at work. The function x · sin(x²) uses x twice:
# directly, and inside the sine. Press *Step*, or the right arrow key, and follow the orange arrows. Where two paths
# lead to x, their gradients add up.

# %%
def x_times_sine(x):
    a = x**2
    s = tf.sin(a)
    return x * s


play_tape(x_times_sine, tf.Variable(0.6))

# %% [markdown]
# Written down, that tape is a table. Each number has a place, and for each number the tape notes what it was made
# from, and with which slope:
#
# | place | number | made from | slopes |
# |---|---|---|---|
# | 0 | x | | |
# | 1 | a = x² | place 0 | 2x |
# | 2 | s = sin(a) | place 1 | cos(a) |
# | 3 | y = x · s | places 0 and 2 | s and x |
#
# In Python, this becomes a list with one entry for each number. An entry holds one pair for each input: the place of
# the input, and the slope.

# %%
x_value = 0.6
a_value = x_value**2
s_value = np.sin(a_value)

recorded = [
    [],
    [(0, 2 * x_value)],
    [(1, np.cos(a_value))],
    [(0, s_value), (2, x_value)],
]

# the direct path, plus the one through s and a
both_paths = s_value + x_value * np.cos(a_value) * 2 * x_value

x = tf.Variable(x_value)
with tf.GradientTape() as tape:
    y = x_times_sine(x)

print(f"both paths {both_paths:.4f}, TensorFlow's tape {tape.gradient(y, x).numpy():.4f}")

# %% tags=["claims"]
assert np.isclose(tape_gradient(x_times_sine, x_value), both_paths)

# %% [markdown]
# ### Exercise 01.5: complete
#
# Write the backward pass. `recorded` is such a list, and `target` is a place in it. Every number comes after its
# inputs. Some numbers may have no inputs, and some may not lead to the target. Return a list with the gradient of the
# target with respect to *every* number, and 0 where no path leads. For the list above and the target 3, the first
# entry is `both_paths`.

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
# Start with a list of zeros and a 1 at the target. Go through the places from the last to the first. When you reach a
# place, its own gradient is complete.
#
# </details>
# <details><summary>Hint 2</summary>
#
# For each input of a place, take the gradient of this place times the slope, and *add* it to what the input has so
# far.
#
# </details>

# %% [markdown]
# ## Further reading
#
# - TensorFlow's guide *Introduction to gradients and automatic differentiation*: the same objects in reference form.
# - Baydin, Pearlmutter, Radul and Siskind, *Automatic differentiation in machine learning: a survey*, JMLR 18 (2018):
#   how forward and reverse mode differ.
# - Griewank and Walther, *Evaluating Derivatives*, 2nd edition, SIAM 2008: the proof that going back is cheap.
#
# You now know one cause of `None`: a line outside the block. The next one is a tensor that the tape does not watch:
# [02 · Watching](02_watching.ipynb).

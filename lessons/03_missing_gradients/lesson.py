# %% [markdown] part="Part I: the tape" goal="None"
# # 03 · Missing gradients
#
# You train a network with two layers. The loss falls for a while, then levels off far too high. Hours later you
# discover that the first layer never changed: its gradient was `None` from the start, and the only sign was a warning
# that scrolled past: *Gradients do not exist for variables*. In this lesson you learn to find the line that loses a
# gradient, and to fix it.
#
# **You will learn to**
#
# - find the line that loses a gradient;
# - recognize the causes of `None` in code, and fix each of them;
# - tell what a gradient of zero or NaN means, and what to do about it.
#
# **Before you start**: [02 · Watching](02_watching.ipynb). **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import (
    ExplainingTape,
    check,
    explain_gradients,
    predict,
    start_lesson,
)

start_lesson("03")

import keras
import numpy as np
import tensorflow as tf

# %% [markdown]
# ## Find the line in a minute
#
# Here is such a network in miniature. Each of the two layers is a single weight.

# %%
x, y = tf.constant([1.0, 2.0, 3.0]), tf.constant([2.0, 3.0, 3.5])
w1, w2 = tf.Variable(0.5), tf.Variable(2.0)

with ExplainingTape() as tape:
    hidden = np.tanh(w1 * x)
    y_hat = w2 * hidden
    loss = tf.reduce_mean((y_hat - y) ** 2)

gradients = tape.gradient(loss, [w1, w2])

print("w1:", gradients[0], " w2:", round(float(gradients[1]), 3))

# %% [markdown]
# `w2` has a gradient and `w1` has none. The course's `ExplainingTape` returns the same gradients as `tf.GradientTape`,
# and can also tell you why one is missing. That makes the procedure short:
#
# 1. Write `ExplainingTape` instead of `tf.GradientTape`, and run the step again.
# 2. Call `tape.explain()`. It shows a card with the cause, the line, and usually a fix.
# 3. Fix that line, and look at the gradient again.

# %% tags=["nbval-ignore-output"]
# a cell shows what its last line returns
tape.explain()

# %% [markdown]
# The card points to `np.tanh(w1 * x)`. NumPy returns plain numbers, so the path back to `w1` ends there. The fix is to
# write `tf.tanh` instead of `np.tanh`:

# %%
with tf.GradientTape() as tape:
    hidden = tf.tanh(w1 * x)
    y_hat = w2 * hidden
    loss = tf.reduce_mean((y_hat - y) ** 2)

gradients = tape.gradient(loss, [w1, w2])

print("w1:", round(float(gradients[0]), 3), " w2:", round(float(gradients[1]), 3))

# %% tags=["claims"]
def explanation_of(f, source):
    return explain_gradients(f, source)[0]


def two_layers(tanh):
    return lambda: tf.reduce_mean((w2 * tanh(w1 * x) - y) ** 2)


assert explanation_of(two_layers(np.tanh), w1).cause == "left-tensorflow"
assert "np.tanh(w1 * x)" in explanation_of(lambda: w2 * np.tanh(w1 * x), w1).where.text
assert all(gradient is not None for gradient in gradients)

# %% [markdown]
# To use the tool in a program of your own, install `gradient_tools` and write `from gradient_tools import
# ExplainingTape`.
#
# Without it, search by hand. Go backward from the loss. If an intermediate result is not a tensor, the line that
# computes it cuts the path. Otherwise, ask for its gradient: if you get `None`, the line that uses it cuts the path:

# %%
with tf.GradientTape() as tape:
    hidden = np.tanh(w1 * x)
    y_hat = w2 * hidden
    loss = tf.reduce_mean((y_hat - y) ** 2)

of_y_hat, of_w1 = tape.gradient(loss, [y_hat, w1])

print("y_hat:", of_y_hat.numpy().round(2), " hidden:", type(hidden).__name__, " w1:", of_w1)

# %% tags=["claims"]
assert of_y_hat is not None and isinstance(hidden, np.ndarray) and of_w1 is None

# %% [markdown]
# `y_hat` has a gradient, and `hidden` is a NumPy array. So the line that computes `hidden` cuts the path.
#
# ## Where is the gradient lost?
#
# The tool can help only if a gradient is missing, zero or NaN. If just one of several paths is lost, you get an
# ordinary-looking number and no warning, so learn to recognize the causes yourself. Here are the most common ones, each
# with a minimal example and the name that the card uses.
#
# ### The line runs outside the block (`outside-tape`)

# %%
w = tf.Variable(0.5)
y_hat = w * x

with tf.GradientTape() as tape:
    loss = tf.reduce_mean((y_hat - y) ** 2)

print(tape.gradient(loss, w))

# %% tags=["claims"]
assert explanation_of(lambda: tf.reduce_mean((y_hat - y) ** 2), w).cause == "outside-tape"

# %% [markdown]
# The tape records only what runs inside the block. `y_hat` was computed just before, so the tape sees it as a constant.
#
# **Fix**: move `y_hat = w * x` into the block.

# %% [markdown]
# ### The name now refers to a new tensor (`rebound-source`)
#
# **Gradient descent** repeatedly subtracts a fraction of the gradient from the parameter. Here the fraction is a tenth,
# and the line is `w = w - 0.1 * gradient`.
#
# > **Predict**
# >
# > For (w - 5)² at w = 2, the first gradient is -6, so w becomes 2.6. What is the second gradient?

# %%
predict("03.b", "")

# %%
w = tf.Variable(2.0)

for step in range(2):
    with tf.GradientTape() as tape:
        loss = (w - 5) ** 2
    gradient = tape.gradient(loss, w)
    print(f"step {step}: gradient", None if gradient is None else gradient.numpy())
    if step == 0:
        w = w - 0.1 * gradient

# %% [markdown]
# On paper, the second gradient is -4.8. But `w = w - 0.1 * gradient` creates a new tensor and gives it the name `w`.
# The name no longer refers to the variable, and a tape does not watch plain tensors. In practice, you usually see the
# next update stop with a `TypeError`, because it multiplies 0.1 by `None`. Here the `if` prevents that.
#
# **Fix**: write `w.assign_sub(0.1 * gradient)`, which changes the value of the variable and leaves the name alone.
# (`w.assign(w - 0.1 * gradient)` does the same.)

# %% tags=["claims"]
assert gradient is None and isinstance(w, tf.Tensor) and np.isclose(w, 2.6)
assert np.isclose(2 * (w - 5), -4.8)
v = tf.Variable(2.0)
with ExplainingTape() as tape:
    loss = (v - 5) ** 2
kept_name = v
v = v - 0.1 * tape.gradient(loss, v)
with ExplainingTape() as tape:
    loss = (v - 5) ** 2
assert tape.gradient(loss, v) is None
assert tape.explain()[0].cause == "rebound-source"

# %% [markdown]
# ### Exercise 03.1: repair
#
# This function should take `steps` steps of gradient descent on the mean squared error of w · x + b, and return the
# dict `params` with the final w and b. It has one bug: one step works, but the second stops with a `TypeError` about
# `NoneType`.

# %% exercise="03.1"
def descend(params, x, y, lr, steps):
    # params is {"w": variable, "b": variable}, both of shape (); x and y have shape (n,).
    for _ in range(steps):
        with tf.GradientTape() as tape:
            y_hat = params["w"] * x + params["b"]
            loss = tf.reduce_mean((y_hat - y) ** 2)
        gradients = tape.gradient(loss, params)
        for name in params:
            # Update the parameter of this name.
            ### BEGIN SOLUTION
            #| params[name] = params[name] - lr * gradients[name]
            params[name].assign_sub(lr * gradients[name])
            ### END SOLUTION
    return params

# %%
check("03.1", descend)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# What type is `params["w"]` after the first step?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `assign_sub` takes the amount to subtract, and changes the variable itself. You don't need to put anything back into
# the dict.
#
# </details>

# %% [markdown]
# ### The computation leaves TensorFlow (`left-tensorflow`)

# %%
w = tf.Variable(0.5)

with tf.GradientTape() as tape:
    y_hat = w * x
    loss = tf.constant(np.mean((y_hat - y) ** 2))

print(tape.gradient(loss, w))

# %% tags=["claims"]
mean_by_numpy = explanation_of(lambda: tf.constant(np.mean((w * x - y) ** 2)), w)
assert mean_by_numpy.cause == "left-tensorflow"
assert explanation_of(lambda: tf.constant(float(w) ** 2), w).cause == "left-tensorflow"

# %% [markdown]
# A tape sees only TensorFlow operations. `np.mean` returns a plain number, and the tensor that `tf.constant` makes from
# it has no history. The same happens with `.numpy()`, `float(...)` and Keras's `model.predict`.
#
# **Fix**: use the TensorFlow function, here `tf.reduce_mean`, and call `model(x)` instead of `model.predict(x)`.

# %% [markdown]
# ### The variable holds an integer (`integer-dtype`)

# %%
w = tf.Variable(2)

with tf.GradientTape() as tape:
    loss = tf.reduce_mean((tf.cast(w, tf.float32) * x - y) ** 2)

print(tape.gradient(loss, w))

# %% tags=["claims"]
assert explanation_of(lambda: tf.cast(w, tf.float32) ** 2, w).cause == "integer-dtype"

# %% [markdown]
# `tf.Variable(2)` is an `int32` variable. An integer cannot change by an arbitrarily small amount, so it has no
# gradient. Casting it to float later does not help.
#
# **Fix**: `tf.Variable(2.0)`.

# %% [markdown]
# ### The value is stored in a variable (`state-assignment`)

# %%
w, total = tf.Variable(0.5), tf.Variable(0.0)

with tf.GradientTape() as tape:
    total.assign(tf.reduce_sum((w * x - y) ** 2))
    loss = total / 3

print(tape.gradient(loss, w))

# %% tags=["claims"]
def stored():
    total.assign(tf.reduce_sum((w * x - y) ** 2))
    return total / 3


assert explanation_of(stored, w).cause == "state-assignment"

# %% [markdown]
# A variable stores a value, not how it was computed. When you read `total` again, no path leads back to that
# computation.
#
# **Fix**: write `loss = tf.reduce_sum((w * x - y) ** 2) / 3`. To keep the value, assign it afterward.

# %% [markdown]
# ### The operation has no gradient (`no-gradient-op`)
#
# > **Predict**
# >
# > x = 2.75. What is the gradient of `tf.round(x) + x` with respect to x?

# %%
predict("03.c", "")

# %%
def slope(f, x):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = f(x)
    gradient = tape.gradient(y, x)
    return None if gradient is None else float(gradient)


print("round(x):", slope(tf.round, 2.75))
print("round(x) + x:", slope(lambda x: tf.round(x) + x, 2.75))

# %% [markdown]
# The graph of `tf.round` is a staircase: flat, with jumps. TensorFlow registers it as an operation without a gradient,
# so the path ends there, and `tf.round(x)` on its own gives `None`. In the sum, the second path survives and
# contributes the 1 that you see. You get `None` only if *every* path is lost. So getting a number proves nothing: part
# of the gradient may still be missing.
#
# `tf.floor`, `tf.argmax`, comparisons such as `x > 0`, and casts to integer behave the same way.
#
# **Fix**: use a smooth function instead, such as `tf.sigmoid(x)` for `x > 0`, or `tf.nn.softmax` for `tf.argmax`. To
# keep the rounding, give it a gradient of your own, as in exercise 03.4.

# %% tags=["claims"]
staircases = {
    "round": tf.round,
    "floor": tf.floor,
    "cast": lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32),
    "argmax": lambda x: tf.cast(tf.argmax([x, 3.0]), tf.float32),
    "x > 0": lambda x: tf.cast(x > 0, tf.float32),
}
assert [slope(f, 2.75) for f in staircases.values()] == [None] * 5
assert [slope(lambda x, f=f: f(x) + x, 2.75) for f in staircases.values()] == [1.0] * 5
v = tf.Variable(2.75)
assert explanation_of(lambda: tf.round(v), v).cause == "no-gradient-op"

# %% [markdown]
# ### Exercise 03.2: predict
#
# The variable `x` holds 2.25. What does a tape return as the gradient of each y with respect to `x`? Write a list of
# five answers, each a number or `None`.
#
# 1. `y = 3 * tf.floor(x)`
# 2. `y = x * tf.round(x)`
# 3. `y = tf.maximum(x, 5.0)`
# 4. `y = x * tf.cast(x > 0, tf.float32)`
# 5. `y = x * x.numpy()`

# %% exercise="03.2"
# A list of five, each a number or None.
### BEGIN SOLUTION
five_gradients = [None, 2.0, 0.0, 1.0, 2.25]
### END SOLUTION

# %%
check("03.2", five_gradients)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Which paths lead from `x` to `y`, and which of them does the tape know?
#
# </details>
# <details><summary>Hint 2</summary>
#
# A factor without a path is a constant. Number 3 does have a path, but y stays 5 if x changes a little.
#
# </details>
#
# Run it:

# %%
answers = [
    slope(lambda x: 3 * tf.floor(x), 2.25),
    slope(lambda x: x * tf.round(x), 2.25),
    slope(lambda x: tf.maximum(x, 5.0), 2.25),
    slope(lambda x: x * tf.cast(x > 0, tf.float32), 2.25),
    slope(lambda x: x * x.numpy(), 2.25),
]

print(answers)

# %% tags=["claims"]
assert answers == [None, 2.0, 0.0, 1.0, 2.25]

# %% [markdown]
# The last one is the most dangerous. On paper the derivative of x² is 4.5, but one factor left TensorFlow, so half of
# the derivative is lost and no `None` tells you.
#
# ### Exercise 03.3: repair
#
# This function uses a classifier's error rate as its loss. The error rate comes from counting mistakes, so it changes
# in jumps and its gradient is `None`. Use the mean **cross-entropy** instead: for each example, the negative logarithm
# of the probability that softmax gives to the right class. `tf.nn.sparse_softmax_cross_entropy_with_logits` computes
# it.

# %% exercise="03.3"
def classifier_gradient(W, x, labels):
    # W is a variable of shape (3, classes); x has shape (n, 3); labels (n,), integers.
    with tf.GradientTape() as tape:
        logits = x @ W  # (n, classes), scores before the softmax
        # Compute the loss from the logits.
        ### BEGIN SOLUTION
        #| right = tf.argmax(logits, axis=1) == labels
        #| loss = 1 - tf.reduce_mean(tf.cast(right, tf.float32))
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        loss = tf.reduce_mean(losses)
        ### END SOLUTION
    return tape.gradient(loss, W)

# %%
check("03.3", classifier_gradient)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Remove `argmax`, `==` and the cast.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Call the function with `labels=...` and `logits=...`. It includes the softmax, and returns one number per example.
#
# </details>

# %% [markdown]
# ### The most common causes on one page
#
# You know `not-watched` from lesson 02. The last three need no example:
#
# | cause | what you see in the code | what to write |
# |---|---|---|
# | `outside-tape` | `y_hat = w * x` above the block, or the loss below it | move it into the block |
# | `not-watched` | a constant, an image | `tape.watch(x)` before its first use |
# | `rebound-source` | `w = w - lr * gradient` | `w.assign_sub(lr * gradient)` |
# | `left-tensorflow` | `np.mean(y)`, `.numpy()`, `model.predict` | `tf.reduce_mean(y)`, `model(x)` |
# | `integer-dtype` | `tf.Variable(2)` | `tf.Variable(2.0)` |
# | `state-assignment` | `total.assign(...)`, then `total` in the loss | the value itself in the loss |
# | `no-gradient-op` | `tf.round`, `tf.argmax`, `x > 0` | a smooth function |
# | `gradient-stopped` | `tf.stop_gradient(y)`, which keeps the value and cuts the path | `y`, unless the cut is meant |
# | `swapped-arguments` | `tape.gradient(w, loss)` | `tape.gradient(loss, w)` |
# | `unconnected` | a source that the loss does not use | use it in the loss, or leave it out |

# %% tags=["claims"]
w, other, constant = tf.Variable(2.0), tf.Variable(5.0), tf.constant(3.0)
assert explanation_of(lambda: tf.stop_gradient(w), w).cause == "gradient-stopped"
assert explanation_of(lambda: w**2, other).cause == "unconnected"
with ExplainingTape() as tape:
    loss = w * constant
assert tape.gradient(loss, constant) is None and tape.explain()[0].cause == "not-watched"
with ExplainingTape() as tape:
    loss = w**2
assert tape.gradient(w, loss) is None and tape.explain()[0].cause == "swapped-arguments"

# %% [markdown]
# ## What if it is zero or NaN?
#
# `None` is not the only unwelcome answer. Here are three functions at x = 0.
#
# > **Predict**
# >
# > At x = 0, take the gradients of `tf.sign(x)`, `tf.sqrt(x**2)` and `tf.round(x)`. One is 0, one is `None`, and one is
# > NaN ("not a number"). Which is which?

# %%
predict("03.a", "")

# %%
print("sign(x):", slope(tf.sign, 0.0))
print("sqrt(x**2):", slope(lambda x: tf.sqrt(x**2), 0.0))
print("round(x):", slope(tf.round, 0.0))

# %% tags=["claims"]
assert slope(tf.sign, 0.0) == 0.0 and slope(tf.round, 0.0) is None
assert np.isnan(slope(lambda x: tf.sqrt(x**2), 0.0)) and slope(tf.sqrt, 0.0) == np.inf

# %% [markdown]
# Both `sign` and `round` are step functions. TensorFlow defines a gradient for `sign`, namely 0, and none for `round`.
# That is a convention.
#
# Mathematically, the square root of x² is |x|, but the tape does not simplify formulas. It multiplies the slopes of the
# operations. At 0 the root has an infinite slope and the square has slope 0, and 0 · ∞ is NaN.
#
# | gradient | what it means | what to do |
# |---|---|---|
# | `None` | the tape found no path | find the line, as above |
# | 0 | the function is flat here, or its gradient is defined as 0, as for `tf.sign` | look for a clip, or a ReLU whose input is negative |
# | NaN | usually 0 · ∞ in the backward pass; if the loss itself is NaN, look there first | find the root, division or logarithm at zero |
#
# > **Predict**
# >
# > `tf.where(x > 0, tf.math.log(x), 0.0)` is meant to protect the logarithm: at x = 0 it returns 0. What is its
# > gradient at that point?

# %%
predict("03.e", "")

# %%
def log_or_zero(x):
    return tf.where(x > 0, tf.math.log(x), 0.0)


print(slope(log_or_zero, 0.0))

# %% [markdown]
# The chosen branch is the constant 0, whose slope is 0. But `tf.where` computes both branches, and the tape goes back
# through both of them. It sends a gradient of 0 into the branch that was not chosen, where it is multiplied by the
# logarithm's infinite slope, and 0 · ∞ is NaN.
#
# The fix is to guard the *input*. A second `where`, before the logarithm, replaces the bad value with a safe one:

# %%
def guarded_log(x):
    safe = tf.where(x > 0, x, 1.0)
    return tf.where(x > 0, tf.math.log(safe), 0.0)


print([slope(guarded_log, x) for x in [0.0, 2.0]])

# %% tags=["claims"]
assert np.isnan(slope(log_or_zero, 0.0))
assert [slope(guarded_log, x) for x in [0.0, 2.0]] == [0.0, 0.5]
assert slope(lambda x: tf.clip_by_value(x, 0.0, 1.0), 2.75) == 0.0
assert slope(lambda x: tf.nn.relu(x - 5), 2.75) == 0.0
nan_card = explain_gradients(log_or_zero, tf.constant(0.0))[0]
assert nan_card.cause == "not-finite" and "log" in nan_card.where.text

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open the answer.
#
# <details><summary>1. You add <code>np.mean(y)</code> to a loss that had a gradient. Does <code>None</code> warn
# you?</summary>
#
# No. The old paths still give a number, and only the contribution of the new term is missing.
#
# </details>
# <details><summary>2. A gradient is 0 in every entry. Is a path missing?</summary>
#
# Not necessarily. The function may simply be flat at this point, like `tf.clip_by_value` beyond its limits or a ReLU
# for negative inputs.
#
# </details>
# <details><summary>3. <code>tf.where(x > 0, 1 / x, 0.0)</code> guards against x = 0. Why is its gradient NaN
# there?</summary>
#
# 1 / x is computed anyway. On the way back, `where` sends it a gradient of 0, and 0 times an infinite slope is NaN.
#
# </details>

# %% tags=["claims"]
assert np.isnan(slope(lambda x: tf.where(x > 0, 1 / x, 0.0), 0.0))

# %% [markdown]
# ## Recap
#
# - If you get `None`, use `ExplainingTape`, read the card, and fix the line.
# - Update variables with `assign_sub`, so they stay variables.
# - Stay in TensorFlow between the variables and the loss, and use floats.
# - Don't trust a number blindly: one of several paths may be lost.
# - To avoid NaN, guard the input of a root, a division or a logarithm.
#
# ```python
# with ExplainingTape() as tape:  # instead of tf.GradientTape
#     loss = loss_function(y, model(x))
# gradients = tape.gradient(loss, model.trainable_variables)
# tape.explain()
# ```
#
# **To remember**: `None` means that no path leads back to the source. Find the line that cut it.

# %% [markdown]
# ## Going deeper
#
# How to stop or replace a gradient on purpose, roots at zero, layers that keep a tensor, and some rare cases: gradients
# inside Python functions, operations without a gradient rule, and a switch that hides `None`.

# %% [markdown]
# ### Can I stop or replace a gradient on purpose?
#
# `tf.stop_gradient(y)` has the value of y and no path behind it.
#
# > **Predict**
# >
# > What is the gradient of `x * tf.stop_gradient(x)` at x = 3?

# %%
predict("03.d", "")

# %%
print(slope(lambda x: x * tf.stop_gradient(x), 3.0))

# %% [markdown]
# The value is x², whose slope would be 6. But to the tape the second factor is the constant 3, so the slope is 3.
#
# To *replace* a gradient, use `tf.custom_gradient`. Your function returns two things: its value, and a function for
# the backward pass. That function gets the **upstream gradient**, the one that arrives from the loss, and returns what
# it passes on. A **straight-through estimator** passes it on unchanged, as if there were no rounding. That is not the
# derivative of `round`, but now whatever comes before the rounding can be trained.

# %%
@tf.custom_gradient
def round_straight_through(x):
    def backward(upstream):
        return upstream

    return tf.round(x), backward


print(round_straight_through(2.75).numpy(), slope(lambda x: 5 * round_straight_through(x), 2.75))

# %% tags=["claims"]
assert slope(lambda x: 5 * round_straight_through(x), 2.75) == 5.0
assert slope(lambda x: x * tf.stop_gradient(x), 3.0) == 3.0
assert slope(tf.stop_gradient, 3.0) is None

# %% [markdown]
# Lesson 07 has more on gradients of your own.
#
# ### Exercise 03.4: complete
#
# Weights must be stored as multiples of 0.25. Round each entry of `x` to the nearest one. In the backward pass, pass
# on the upstream gradient where the entry of x is in [-1, 1], and 0 elsewhere.

# %% exercise="03.4"
def to_quarters(x):
    """Round x, a tensor of any shape, to multiples of 0.25, with the gradient described above."""
    ### BEGIN SOLUTION
    @tf.custom_gradient
    def rounded(x):
        def backward(upstream):
            return tf.where(tf.abs(x) <= 1, upstream, 0.0)

        return tf.round(4 * x) / 4, backward

    return rounded(x)
    ### END SOLUTION

# %%
check("03.4", to_quarters)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# A function under `@tf.custom_gradient` returns two things. The first is `tf.round(4 * x) / 4`.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The second is a function of `upstream`: `tf.where(condition, upstream, 0.0)`, with a condition on `x`.
#
# </details>

# %% [markdown]
# ### How do I guard a root?
#
# Euclidean distances and norms are roots of squares, and their gradient at zero is NaN. A small number *inside* the
# root keeps the slope finite. Outside, it does not help:

# %%
roots = {
    "norm": tf.norm,
    "1e-12 outside": lambda x: tf.sqrt(x**2) + 1e-12,
    "1e-12 inside": lambda x: tf.sqrt(x**2 + 1e-12),
}

print({name: slope(f, 0.0) for name, f in roots.items()})
print("1e-12 inside, at 1e-6:", round(slope(roots["1e-12 inside"], 1e-6), 2))

# %% [markdown]
# But it changes the slope of |x| near zero: at 1e-6 the tape gives 0.71 instead of 1. Two `where`s leave the slope as
# it is, just as for the logarithm.

# %%
def two_wheres(x):
    square = x**2
    safe = tf.where(square > 0, square, 1.0)
    return tf.where(square > 0, tf.sqrt(safe), 0.0)


print([round(slope(two_wheres, x), 2) for x in [0.0, 1e-6, 0.01]])

# %% tags=["claims"]
at_zero = {name: slope(f, 0.0) for name, f in roots.items()}
assert at_zero["1e-12 inside"] == 0.0
assert np.isnan(at_zero["norm"]) and np.isnan(at_zero["1e-12 outside"])
assert np.isclose(slope(roots["1e-12 inside"], 1e-6), 0.71, atol=0.02)
assert np.allclose([slope(two_wheres, x) for x in [0.0, 1e-6, 0.01]], [0.0, 1.0, 1.0])


def one_where(x):
    return tf.where(x > 0, tf.sqrt(x), 0.0)


assert slope(one_where, 0.0) == 0.0
assert np.isnan(slope(tf.function(one_where, jit_compile=True), 0.0))

# %% [markdown]
# A single `where` after `tf.sqrt` works by luck: its gradient at 0 is 0 in ordinary code, but NaN under XLA, the
# compiler that lesson 20 uses.
#
# ### Exercise 03.5: repair
#
# The function returns the gradient of the sum of distances between pairs of points. It has one bug: if both points of a
# pair are equal, the gradient is NaN. It should be 0 there, and should not change anywhere else, even for points that
# are only 1e-15 apart. (For these, adding 1e-12 under the root is too much.) Fix the distance itself, inside the block.
# It should still be 0 for equal points.

# %% exercise="03.5"
def distance_gradient(a, b):
    # a is a variable and b a tensor, both of shape (n, 2): row i is a pair of points.
    with tf.GradientTape() as tape:
        # The distance of each pair, shape (n,).
        ### BEGIN SOLUTION
        #| distances = tf.sqrt(tf.reduce_sum((a - b) ** 2, axis=1))
        squares = tf.reduce_sum((a - b) ** 2, axis=1)
        safe = tf.where(squares > 0, squares, 1.0)
        distances = tf.where(squares > 0, tf.sqrt(safe), 0.0)
        ### END SOLUTION
        total = tf.reduce_sum(distances)
    return tape.gradient(total, a)

# %%
check("03.5", distance_gradient)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Which operation has an infinite slope when both points are equal?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Give the sum of squares a name. Put one `where` before the root, which replaces 0 by 1, and one after it.
#
# </details>

# %% [markdown]
# ### Why does my own layer get no gradient?
#
# A layer that you write may compute something once, in `build` or `__init__`, and use it in every call. That looks
# efficient, but the tensor is from before the block:


# %%
class Doubled(keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(), initializer="ones")
        self.doubled = 2.0 * self.w  # computed once

    def call(self, x):
        return x * self.doubled


layer = Doubled()
layer(tf.ones(3))

with ExplainingTape() as tape:
    loss = tf.reduce_sum(layer(tf.ones(3)))

print("gradient:", tape.gradient(loss, layer.w))
(explanation,) = tape.explain()
print("line:    ", explanation.where.text)
print("cause:   ", explanation.cause)

# %% tags=["claims"]
assert explanation.cause == "outside-tape" and "self.doubled" in str(explanation)

# %% [markdown]
# The cause is `outside-tape`, although no line of your step is in the wrong place. Keep only the variable, and compute
# `2.0 * self.w` in `call`.

# %% [markdown]
# ### Rare cases
#
# `tf.numpy_function` loses the gradient, as you would expect. `tf.py_function` keeps it, because it records its own
# tape inside. But if you call NumPy in there, that tape finds nothing, and you get 0 instead of `None`:

# %%
wrapped = {
    "numpy_function": slope(lambda x: tf.numpy_function(np.square, [x], tf.float32), 3.0),
    "py_function": slope(lambda x: tf.py_function(tf.square, [x], tf.float32), 3.0),
    "py_function with NumPy": slope(lambda x: tf.py_function(np.square, [x], tf.float32), 3.0),
}

print(wrapped)

# %% tags=["claims"]
assert list(wrapped.values()) == [None, 6.0, 0.0]

# %% [markdown]
# For a few operations TensorFlow has no gradient rule at all. The tape then raises a `LookupError`, which at least
# names the operation. And even finite slopes can give NaN, if their product overflows and is then multiplied by 0:

# %%
try:
    slope(lambda x: tf.unique([x])[0][0], 0.0)
except LookupError as error:
    print(type(error).__name__, "for unique")

overflow = slope(lambda x: 1e30 * (1e30 * x**2), 0.0)
print("1e30 * (1e30 * x**2) at 0:", overflow)

# %% [markdown]
# Finally, `unconnected_gradients="zero"` turns every `None` into 0. That is right for a source that you *know* plays
# no part. For `rounded`, it hides a bug:

# %%
used, unused = tf.Variable(3.0), tf.Variable(5.0)

# a persistent tape: gradient may be called twice
with tf.GradientTape(persistent=True) as tape:
    loss = used**2
    rounded = tf.round(used) ** 2

of_loss = tape.gradient(loss, [used, unused], unconnected_gradients="zero")
of_rounded = tape.gradient(rounded, used, unconnected_gradients="zero")

print([float(gradient) for gradient in of_loss])
print(float(of_rounded))

# %% tags=["claims"]
assert np.isnan(overflow)
assert [float(gradient) for gradient in of_loss] == [6.0, 0.0] and of_rounded == 0.0

# %% [markdown]
# ## Further reading
#
# - TensorFlow's guide *Introduction to gradients and automatic differentiation*, "Getting a gradient of None": four of
#   these causes in reference form.
# - Bengio, Léonard and Courville, *Estimating or Propagating Gradients Through Stochastic Neurons for Conditional
#   Computation* (2013): the straight-through estimator.
#
# Next: what if you need more than one gradient from the same recording? [04 · Persistence](04_persistence.ipynb).

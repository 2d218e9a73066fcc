# %% [markdown] part="Part I: the tape"
# # 03 · Missing gradients
#
# A gradient can get lost in silence, or with an error that speaks of something else. Here you find the line that
# lost it.
#
# **You will learn to**
#
# - say what `None`, zero, infinity and NaN each tell you;
# - find the line where a path is cut, and repair it;
# - close a path on purpose, or give an operation a gradient of your own;
# - find where a NaN comes from, and repair it.
#
# **Before you start**: [02 · Watching](02_watching.ipynb). **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import (
    ExplainingTape,
    check,
    explain_gradients,
    play_tape,
    plot_tape,
    predict,
    start_lesson,
)

start_lesson("03")

import keras
import numpy as np
import tensorflow as tf

# %% [markdown]
# ## What do None, zero and NaN each tell you?
#
# `slope` below returns the gradient of `f` at one number.
#
# > **Predict**
# >
# > At x = 0, take `tf.sign(x)`, `tf.sqrt(x**2)` and `tf.round(x)`. One gradient is 0, one is `None`,
# > one is NaN, "not a number". Guess: what do they have, in this order?

# %%
predict("03.a", "")

# %%
def slope(f, x):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = f(x)
    gradient = tape.gradient(y, x)
    return None if gradient is None else float(gradient)


print([slope(f, 0.0) for f in (tf.sign, lambda x: tf.sqrt(x**2), tf.round)])

# %% [markdown]
# TensorFlow keeps a list of operations. For the usual ones it holds a rule for the slope, for some, such as `round`,
# a note that there is none; others are missing. So each answer has its own meaning:
#
# |gradient|what it says|
# |---|---|
# |`None`|no path leads from the target back to the source|
# |0|as a rule: there is a path, and its slopes come to 0|
# |infinite|a slope, or a product of slopes, is too large|
# |NaN|as a rule 0 met ∞, or a value was NaN already|
# |`LookupError`|an operation on the way is missing in that list|
#
# A slope of 0 does not prove that the target stays: it may jump there. Finite slopes, too, give NaN if their product
# overflows and then meets a 0:

# %%
results = {
    "sqrt(x)": slope(tf.sqrt, 0.0),
    # slopes 1e30, 1e30 and 0
    "large": slope(lambda x: 1e30 * (1e30 * x**2), 0.0),
}
try:
    slope(lambda x: tf.unique([x])[0][0], 0.0)
except LookupError as error:
    results["unique"] = type(error).__name__

print(results)

# %% tags=["claims"]
assert results["sqrt(x)"] == np.inf and np.isnan(results["large"]) and "unique" in results

# %% [markdown]
# `None` is an alarm, and `unconnected_gradients="zero"` switches it off. That is right for a source that you *know*
# has no part in the target. In the second call below it hides a fault. For an unused Keras variable it fails: hand
# over its `.value`.

# %%
used, unused = tf.Variable(3.0), tf.Variable(5.0)

with tf.GradientTape() as tape:
    loss = used**2
right = tape.gradient(loss, [used, unused], unconnected_gradients="zero")

with tf.GradientTape() as tape:
    loss = tf.round(used) ** 2
hidden = tape.gradient(loss, used, unconnected_gradients="zero")

print([float(gradient) for gradient in right], float(hidden))

# %% tags=["claims"]
assert right[0] == 6.0 and right[1] == 0.0 and hidden == 0.0

# %%
kept = keras.Variable(5.0)

with tf.GradientTape(persistent=True) as tape:
    loss = used**2
try:
    tape.gradient(loss, kept, unconnected_gradients="zero")
except AttributeError as error:
    print("refused:", type(error).__name__)

of_value = tape.gradient(loss, kept.value, unconnected_gradients="zero")
print("its .value:", float(of_value))

# %% tags=["claims"]
assert of_value == 0.0

# %% [markdown]
# ## Which line is to blame?
#
# > **Predict**
# >
# > A step of **gradient descent** subtracts a part of the gradient, here 0.1 of it. For (w - 5)² at
# > w = 2 the gradient is -6, so w becomes 2.6. What is the second gradient?

# %%
predict("03.b", "")

# %%
w = tf.Variable(2.0)
with tf.GradientTape() as tape:
    loss = (w - 5) ** 2
w = w - 0.1 * tape.gradient(loss, w)

with ExplainingTape() as tape:
    loss = (w - 5) ** 2
second = tape.gradient(loss, w)

print(f"w = {w.numpy():.1f}, second gradient: {second}")

# %% [markdown]
# The course's `ExplainingTape` returns the same gradients, and says why one is `None`, zero or NaN. A cell that ends in
# `tape.explain()` shows it, with a card for each such source:

# %% tags=["nbval-ignore-output"]
# a cell shows what its last line returns
tape.explain()

# %% [markdown]
# In the card, *change* is a pattern: fit it to your names. Here `assign` changes a variable's value, and `assign_sub`
# subtracts from it. For the rest of this lesson, `show` prints a card in a few lines.

# %%
def show(explanations):
    for each in explanations:
        print(f"{each.source}: {each.cause}")
        print(f"  line    {each.where.text}")
        print("  change  " + each.remedy.replace("\n", "\n          "))


w = tf.Variable(2.0)
for _ in range(2):
    with tf.GradientTape() as tape:
        loss = (w - 5) ** 2
    gradient = tape.gradient(loss, w)
    w.assign_sub(0.1 * gradient)

print(f"second gradient: {gradient.numpy():.1f}")

# %% tags=["claims"]
assert second is None and np.isclose(gradient, -4.8)
# of the first prediction
assert slope(tf.sign, 0.0) == 0.0 and slope(tf.round, 0.0) is None

# %% [markdown]
# ### Exercise 03.1: repair
#
# This function should take `steps` steps of gradient descent on the mean squared error of w · x + b, and
# return a dict of the w and b that it reaches. It does so for one step. For two, it stops with a `TypeError`
# about `NoneType`: one fault.

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
# `assign_sub` takes what is to be subtracted, and changes the variable itself: nothing is left to store.
#
# </details>

# %% [markdown]
# ### Left TensorFlow
#
# A tape sees TensorFlow's operations alone. `.numpy()`, `float()`, NumPy's functions and Keras's
# `predict` return plain numbers: constants, for the tape.

# %%
model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, use_bias=False)])
features = tf.constant([[1.0, 2.0], [3.0, 4.0]])

with ExplainingTape() as tape:
    y_hat = model.predict(features, verbose=0)
    loss = tf.reduce_mean(y_hat)

(lost,) = tape.gradient(loss, model.trainable_variables)

with tf.GradientTape() as repaired:
    loss = tf.reduce_mean(model(features))
(found,) = repaired.gradient(loss, model.trainable_variables)

show(tape.explain())

# %% tags=["claims"]
# the features' means
assert lost is None and np.allclose(found, [[2.0], [3.0]])

# %% [markdown]
# You will read that `tf.numpy_function` and `tf.py_function` cut the path, too; run this. The first does. The second
# has a tape of its own inside: around `tf.square` the gradient is right. Around `np.square` that tape finds nothing,
# and the answer is 0, not `None`: no alarm.

# %%
wrapped = {
    "numpy_function": slope(lambda x: tf.numpy_function(np.square, [x], tf.float32), 3.0),
    "py_function": slope(lambda x: tf.py_function(tf.square, [x], tf.float32), 3.0),
    "py_function of NumPy": slope(lambda x: tf.py_function(np.square, [x], tf.float32), 3.0),
}

print(wrapped)

# %% tags=["claims"]
assert list(wrapped.values()) == [None, 6.0, 0.0]

# %% [markdown]
# ### Whole numbers, and stored numbers
#
# Integers have no gradient, and `assign` stores a number without its path. Both, then the repair:

# %%
n = tf.Variable(3)
w, total = tf.Variable(2.0), tf.Variable(0.0)

with ExplainingTape() as tape:
    total.assign(w**2)
    loss = total * tf.cast(n, tf.float32)
lost = tape.gradient(loss, {"n": n, "w": w})
show(tape.explain())

# %%
three = tf.Variable(3.0)  # the point makes it a float32
with tf.GradientTape() as tape:
    square = w**2
    total.assign(square)
    loss = square * three
found = tape.gradient(loss, {"n": three, "w": w})

print({name: float(gradient) for name, gradient in found.items()})

# %% tags=["claims"]
assert lost == {"n": None, "w": None}
assert found["n"] == 4.0 and found["w"] == 12.0

# %% [markdown]
# ### The causes of None
#
# |cause|how it looks|what to change|
# |---|---|---|
# |computed too early|`y = f(x)` above the `with`|move it into the block|
# |not watched|a constant, `trainable=False`|`tape.watch(x)` before the first use|
# |source overwritten|`w = w - lr * g`, `x = x + 1`|`w.assign_sub(lr * g)`; a new name|
# |left TensorFlow|`.numpy()`, `np.mean(y)`, `predict`|`tf.reduce_mean(y)`, `model(x)`|
# |integer source|`tf.Variable(3)`|`tf.Variable(3.0)`|
# |stored by `assign`|`v.assign(2 * w)`, then `v` in the loss|`2 * w` in the loss|
# |no gradient|`round`, `argmax`, `>`, cast to integer|a smooth function, or your own gradient|
# |closed|`tf.stop_gradient(y)`: y without its path|leave it out|
# |not used|a source that is not in the loss|the one that is|
#
# `explain_gradients(f, source)` makes the tape itself, calls f (with the source, if f takes one), and watches the
# source if it is no variable. Seven causes, as it names them:

# %%
v, other = tf.Variable(2.0), tf.Variable(5.0)
frozen = tf.Variable(2.0, trainable=False)
early = v**2

programs = {
    "computed too early": (lambda: 3 * early, v),
    "not watched": (lambda: frozen**2, frozen),
    "NumPy": (lambda: tf.constant(np.square(v)), v),
    "cast to integer": (lambda: tf.cast(tf.cast(v, tf.int32), tf.float32), v),
    "no gradient": (lambda: tf.round(v), v),
    "closed": (lambda: tf.stop_gradient(v), v),
    "not used": (lambda: v**2, other),
}
causes = {name: explain_gradients(*program)[0].cause for name, program in programs.items()}

for name, cause in causes.items():
    print(f"{name}: {cause}")

# %% tags=["claims"]
assert len(set(causes.values())) == len(programs)

# %% [markdown]
# ## Which operations have no gradient?
#
# > **Predict**
# >
# > x = 2.75. What is the gradient of `tf.round(x) + x`?

# %%
predict("03.c", "")

# %% [markdown]
# Run the next two cells. In the second, press *Step*, or the right arrow key, and follow the orange way back.

# %%
def stairs_and_line(x):
    stairs = tf.round(x)
    return stairs + x


print(slope(stairs_and_line, 2.75))

# %%
play_tape(stairs_and_line, tf.Variable(2.75))

# %% [markdown]
# Nine operations, each by itself. A clip is flat outside its limits, and a ReLU below zero. `x % 1` is x minus
# a staircase.

# %%
operations = {
    "round": tf.round,
    "floor": tf.floor,
    "cast to integer": lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32),
    "argmax": lambda x: tf.cast(tf.argmax([x, 3.0]), tf.float32),
    "x > 0": lambda x: tf.cast(x > 0, tf.float32),
    "sign": tf.sign,
    "clip": lambda x: tf.clip_by_value(x, 0.0, 1.0),
    "relu": lambda x: tf.nn.relu(x - 5),
    "x % 1": lambda x: x % 1,
}

# %%
slopes = {name: slope(f, 2.75) for name, f in operations.items()}

for answer in (None, 0.0, 1.0):
    print(answer, [name for name in slopes if slopes[name] == answer])

# %% tags=["claims"]
assert list(slopes.values()) == [None] * 5 + [0.0] * 3 + [1.0]
assert slope(stairs_and_line, 2.75) == slopes["x % 1"]

# %% [markdown]
# ### Exercise 03.2: predict
#
# The variable `x` holds 2.25. What is the gradient of each y with respect to `x`? Write a list of five:
# numbers, or `None`.
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
# A factor without a path is a constant. Which one?
#
# </details>
#
# The tape's own answers:

# %%
answers = [
    slope(lambda x: 3 * tf.floor(x), 2.25),
    slope(lambda x: x * tf.round(x), 2.25),
    slope(lambda x: tf.maximum(x, 5.0), 2.25),
    slope(lambda x: x * tf.cast(x > 0, tf.float32), 2.25),
    slope(lambda x: x * x.numpy(), 2.25),
]

print(answers)

# %% [markdown]
# The last is a number, and still wrong: the slope of x² is 4.5.

# %% [markdown]
# ### Exercise 03.3: repair
#
# Someone makes the share of errors the loss. The gradient is `None`. There is one fault: a count is a staircase.
# Return the gradient of the mean **cross-entropy** instead. For one example that is -log of the probability
# that softmax gives to the right class: `tf.nn.sparse_softmax_cross_entropy_with_logits` computes it.

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
# `argmax`, `==` and the cast have to go.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Call it with `labels=...` and `logits=...`. It has the softmax inside, and returns one number for each
# example.
#
# </details>

# %% [markdown]
# ## How do I close or replace a path on purpose?
#
# `tf.stop_gradient(y)` has the value of y, and closes the path behind it.
#
# > **Predict**
# >
# > What is the gradient of `x * tf.stop_gradient(x)` at x = 3?

# %%
predict("03.d", "")

# %%
print(slope(lambda x: x * tf.stop_gradient(x), 3.0))

# %% [markdown]
# To *replace* a path, `tf.custom_gradient` takes a function that returns its value and a second function, for the way
# back: it gets the gradient that arrives, and returns what goes on. A
# **straight-through estimator** passes it on as it is, as if there were no rounding. That is not the
# slope of `round`, but now what comes before the rounding can be trained.

# %%
@tf.custom_gradient
def round_straight_through(x):
    def backward(arriving):
        return arriving

    return tf.round(x), backward


print(round_straight_through(2.75).numpy(), slope(lambda x: 5 * round_straight_through(x), 2.75))

# %% tags=["claims"]
assert slope(lambda x: 5 * round_straight_through(x), 2.75) == 5.0
assert slope(lambda x: x * tf.stop_gradient(x), 3.0) == 3.0
assert slope(tf.stop_gradient, 3.0) is None
assert answers == [None, 2.0, 0.0, 1.0, 2.25]  # of Exercise 03.2

# %% [markdown]
# ### Exercise 03.4: complete
#
# Weights are to be stored as multiples of 0.25. Round each entry of `x` to the nearest one. On the way
# back, pass on what arrives where x lies in [-1, 1], and 0 elsewhere.

# %% exercise="03.4"
def to_quarters(x):
    """Round x, a tensor of any shape, to multiples of 0.25, with the gradient described above."""
    ### BEGIN SOLUTION
    @tf.custom_gradient
    def rounded(x):
        def backward(arriving):
            return tf.where(tf.abs(x) <= 1, arriving, 0.0)

        return tf.round(4 * x) / 4, backward

    return rounded(x)
    ### END SOLUTION

# %%
check("03.4", to_quarters)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# A function under `@tf.custom_gradient` returns two things, first `tf.round(4 * x) / 4`.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The second is a function of `arriving`: `tf.where(condition, arriving, 0.0)`, with a condition on `x`.
#
# </details>

# %% [markdown]
# ## Where does NaN come from?
#
# > **Predict**
# >
# > `tf.where(x > 0, tf.math.log(x), 0.0)` at x = 0 is 0. What is its gradient?

# %%
predict("03.e", "")

# %% [markdown]
# In the figure, follow the orange way back through the logarithm.

# %%
def log_or_zero(x):
    return tf.where(x > 0, tf.math.log(x), 0.0)


print(slope(log_or_zero, 0.0))
ax = plot_tape(log_or_zero, tf.Variable(0.0))

# %% [markdown]
# Both branches are computed. On the way back `where` sends 0 into the one that it did not choose, and there 0 meets the
# infinite slope. A second `where` *before* the logarithm keeps bad inputs away:

# %%
def guarded(x):
    safe = tf.where(x > 0, x, 1.0)  # any harmless number
    return tf.where(x > 0, tf.math.log(safe), 0.0)


show(explain_gradients(log_or_zero, tf.constant(0.0)))
print([slope(guarded, x) for x in (0.0, 2.0)])

# %% tags=["claims"]
assert np.isnan(slope(log_or_zero, 0.0))
assert slope(guarded, 0.0) == 0.0 and slope(guarded, 2.0) == 0.5
assert np.isnan(slope(lambda x: tf.where(x > 0, 1 / x, 0.0), 0.0))

# %% [markdown]
# So does a root after a square. The slope of √x is infinite at 0, and that of the square is 0. `tf.norm` has such a
# root. A small number *inside* keeps the slope finite, such as 1e-12:

# %%
roots = {
    "sqrt(x)": tf.sqrt,
    "sqrt(x**2)": lambda x: tf.sqrt(x**2),
    "norm": tf.norm,
    "1e-12 outside": lambda x: tf.sqrt(x**2) + 1e-12,
    "1e-12 inside": lambda x: tf.sqrt(x**2 + 1e-12),
}
at_zero = {name: slope(f, 0.0) for name, f in roots.items()}

print(at_zero)

# %% tags=["claims"]
assert at_zero["sqrt(x)"] == np.inf and at_zero["1e-12 inside"] == 0.0
assert all(np.isnan(at_zero[name]) for name in ("sqrt(x**2)", "norm", "1e-12 outside"))

# %% [markdown]
# Near 0 it also changes the slope of |x|, which is 1: at 1e-6 to 0.71. Two `where`s leave it, until x² itself is
# rounded to 0:

# %%
def two_wheres(x):
    square = x**2
    safe = tf.where(square > 0, square, 1.0)
    return tf.where(square > 0, tf.sqrt(safe), 0.0)


added = [round(slope(roots["1e-12 inside"], x), 2) for x in (0.01, 1e-6, 1e-7)]
exact = [slope(two_wheres, x) for x in (0.0, 0.01, 1e-6)]

print("1e-12 inside:", added, "two wheres:", np.round(exact, 2))

# %% tags=["claims"]
assert np.allclose(added, [1.0, 0.71, 0.1], atol=0.02) and np.allclose(exact, [0.0, 1.0, 1.0])

# %% [markdown]
# ### Further: one `where`, and the smallest numbers
#
# One `where`, after `tf.sqrt`, is luck: its gradient at 0 is 0 here, and NaN when XLA compiles it. (XLA is
# a second compiler, for graphs; lesson 20 uses it.) And at 1e-30 x² is rounded to 0 in float32, so that two `where`s give 0.

# %%
def one_where(x):
    return tf.where(x > 0, tf.sqrt(x), 0.0)


compiled = slope(tf.function(one_where, jit_compile=True), 0.0)

print("one where:", slope(one_where, 0.0), "compiled:", compiled)
print("two wheres at 1e-30:", slope(two_wheres, 1e-30))

# %% tags=["claims"]
assert slope(one_where, 0.0) == 0.0 and np.isnan(compiled)
assert slope(two_wheres, 1e-30) == 0.0

# %% [markdown]
# ### Exercise 03.5: repair
#
# The gradient of the sum of distances between pairs of points is NaN where both points are equal. It should be 0
# there, and elsewhere as it is, also between points that are 1e-15 apart. There is one fault. Mend the distance
# inside the block, so that it stays 0 for equal points; do not replace the NaN in the gradient. Nor will 1e-12 under
# the root do: beside the square of 1e-15 it is too much.

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
# Name the sum of squares. Put a `where` before the root, which replaces a 0 by 1, and one after it, as in
# `two_wheres`.
#
# </details>

# %% [markdown]
# ## Checkpoint
#
# Answer before you open.
#
# <details><summary>1. A new loss term is <code>np.mean(y)</code>, added to a loss that had a gradient. Does
# None tell you?</summary>
#
# No. The old path still gives a number, without the new term's part.
#
# </details>
# <details><summary>2. A gradient is 0 in every entry. Is a path missing?</summary>
#
# Not necessarily: a clip or a ReLU may be flat there. But look for `unconnected_gradients="zero"`, and for NumPy inside a
# `tf.py_function`.
#
# </details>
# <details><summary>3. <code>tf.where(x > 0, 1 / x, 0.0)</code> guards against x = 0. Why is its gradient
# NaN there?</summary>
#
# 1 / 0 is computed all the same, and on the way back its infinite slope meets the 0 that `where` sends.
#
# </details>

# %% [markdown]
# ## Recap
#
# - `None`: no path. Zero: as a rule, its slopes come to 0. NaN: often 0 · ∞ on the way.
# - Tapes follow tensors, not names: `assign_sub` keeps the variable.
# - Plain numbers, integers and `assign` carry no gradient.
# - `None` comes only when every path is lost; a number may still lack one.
# - The tape goes back through both branches of `tf.where`: guard the input.
#
# ```python
# with ExplainingTape() as tape:  # in place of tf.GradientTape
#     loss = loss_function(y, model(x))
# gradients = tape.gradient(loss, model.trainable_variables)
# tape.explain()
# ```
#
# **To remember**: `None` says that no path leads back: find the line that cut it.

# %% [markdown]
# ## Further reading
#
# - Bengio, Léonard and Courville, *Estimating or Propagating Gradients Through Stochastic Neurons for
#   Conditional Computation* (2013): the straight-through estimator.
#
# Next, one tape is asked several questions:
# [04 · Persistence](04_persistence.ipynb).

# %% [markdown] part="Part I: the tape"
# # 02 · Watching
#
# A colleague asks which pixels made a letter classifier answer "T". You take the gradient of the score with respect to
# the image, just as you would for a weight, and get `None`. Nothing is wrong with the model. The tape was simply never
# told to watch the image. In this lesson you learn what a tape watches by default, and how to make it watch anything
# else.
#
# **You will learn to**
#
# - tell which tensors and variables a tape watches, and from which line on;
# - get the gradient with respect to a constant or an input;
# - choose exactly what a tape watches.
#
# **Before you start**: [01 · The first tape](01_first_tape.ipynb). **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import check, plot_tape, predict, start_lesson

start_lesson("02")

import numpy as np
import tensorflow as tf

# %% [markdown]
# ## Why is this gradient `None`?
#
# In lesson 01, every source was a `tf.Variable` or was computed from one. But data such as an image usually arrives as
# a plain tensor.
#
# > **Predict**
# >
# > `x` is `tf.constant(3.0)`, and y = x³ is computed inside the block. What does `tape.gradient(y, x)` return?

# %%
predict("02.a", "")

# %%
x = tf.constant(3.0)

with tf.GradientTape() as tape:
    y = x**3

answer = tape.gradient(y, x)

print(answer)

# %% [markdown]
# On paper the answer is 27. But a tape records an operation only if it is watching one of the inputs, and by default it
# watches only trainable variables. Since `x` is a constant, the tape recorded nothing and found no path back to x.
#
# To get the gradient, tell the tape to **watch** x before you use it:

# %%
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x**3

watched_answer = tape.gradient(y, x)

print(f"{watched_answer.numpy():.1f}")

# %% tags=["claims"]
assert answer is None and watched_answer.numpy() == 27.0

# %% [markdown]
# You need to watch only the tensor that you start from. The tape follows everything that you compute from it inside the
# block.
#
# Why doesn't a tape watch everything? Recording takes time and memory, and training has no use for the gradient with
# respect to the data.
#
# ### Exercise 02.1: complete
#
# `x` is a plain tensor of shape (n,), and y = (sum of x²) · (sum of x). Use a tape to return the gradient of y with
# respect to `x`.

# %% exercise="02.1"
def gradient_of_product(x):
    """Return the gradient of y = sum(x**2) * sum(x), an array of the shape of x."""
    ### BEGIN SOLUTION
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x**2) * tf.reduce_sum(x)
    return tape.gradient(y, x)
    ### END SOLUTION

# %%
check("02.1", gradient_of_product)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Tell the tape to watch the tensor first.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Make `tape.watch(x)` the first line of the block. `tf.reduce_sum` computes both sums.
#
# </details>

# %% [markdown]
# ## When does watching start?
#
# `tape.watch(x)` affects only the lines that run after it. The tape treats anything computed from x alone before that
# line as a constant.
#
# > **Predict**
# >
# > x is 3. You compute `doubled = 2 * x` above the block, and `y = x * doubled` inside it. On paper y is 2x², so its
# > derivative at 3 is 12. What does the tape return?

# %%
predict("02.b", "")

# %%
doubled = 2 * x

with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * doubled

answer = tape.gradient(y, x)

print(f"{answer.numpy():.1f}")

# %% [markdown]
# The tape returns 6 instead of 12, and nothing warns you. It recorded only the multiplication inside the block, where
# `doubled` is the constant 6, and the derivative of 6x is 6. A `None` would at least have been a warning; a wrong
# number is not.
#
# The figures show the difference. When `doubled` is computed above the block, a single orange path leads back to x.
# When it is computed inside, two paths do, and their gradients add up to 12.

# %%
def x_times_doubled(x):
    doubled = 2 * x
    return x * doubled


ax = plot_tape(lambda x: x * doubled, x)
ax = plot_tape(x_times_doubled, x)

# %% tags=["claims"]
assert answer.numpy() == doubled.numpy() == 6.0
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x_times_doubled(x)
assert tape.gradient(y, x).numpy() == 12.0

# %% [markdown]
# For a trainable variable, watching starts automatically, when an operation inside the block first reads it.
#
# Not every variable is trainable. A counter or a running mean, which training should leave alone, is created with
# `trainable=False`, and its gradient is `None`:

# %%
weight = tf.Variable(3.0)
running_mean = tf.Variable(5.0, trainable=False)

with tf.GradientTape() as tape:
    y = weight * running_mean

gradients = tape.gradient(y, [weight, running_mean])

print("weight:", gradients[0].numpy(), " running mean:", gradients[1])
print("watched:", len(tape.watched_variables()))

# %% [markdown]
# `tape.watched_variables()` lists the variables that the tape is watching. If you do want the gradient with respect to
# `running_mean`, call `tape.watch(running_mean)` in the block.

# %% tags=["claims"]
assert gradients[0].numpy() == 5.0 and gradients[1] is None
assert [v is weight for v in tape.watched_variables()] == [True]
with tf.GradientTape() as tape:
    assert len(tape.watched_variables()) == 0  # nothing has been read yet
    tape.watch(running_mean)
    y = weight * running_mean
assert tape.gradient(y, running_mean).numpy() == 3.0

# %% [markdown]
# ### Exercise 02.2: predict
#
# You run this code:
#
# ```python
# a = tf.Variable(2.0)
# b = tf.Variable(3.0, trainable=False)
# c = tf.constant(4.0)
#
# with tf.GradientTape() as tape:
#     square = c**2
#     tape.watch(c)
#     y = a * b + square + 5 * c
# ```
#
# What is `tape.gradient(y, [a, b, c])`? Write a list of numbers and `None`.

# %% exercise="02.2"
# A list of three: the gradients of a, b and c.
### BEGIN SOLUTION
predicted_gradients = [3.0, None, 5.0]
### END SOLUTION

# %%
check("02.2", predicted_gradients)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Does the tape watch each of the three, and if so, from which line on?
#
# </details>
# <details><summary>Hint 2</summary>
#
# The derivative of a · b with respect to a is b. Nothing watches `b`. For c, count only what runs after `tape.watch`.
#
# </details>
#
# Run it:

# %%
a, b, c = tf.Variable(2.0), tf.Variable(3.0, trainable=False), tf.constant(4.0)

with tf.GradientTape() as tape:
    square = c**2
    tape.watch(c)
    y = a * b + square + 5 * c

gradients = tape.gradient(y, [a, b, c])

print([None if gradient is None else float(gradient) for gradient in gradients])

# %% tags=["claims"]
assert [gradients[0].numpy(), gradients[1], gradients[2].numpy()] == [3.0, None, 5.0]

# %% [markdown]
# By hand, you would get 2c + 5 = 13 for c. But the square was computed before `tape.watch(c)`, so its contribution, 2c,
# is missing, and only the 5 remains.

# %% [markdown]
# ## Does the tape follow names?
#
# It is common to rescale an input and keep its old name. That is a trap, because a tape follows tensors, not names.

# %%
raw = tf.constant(30.0)
reading = raw

with tf.GradientTape() as tape:
    tape.watch(reading)
    reading = reading / 10  # a new tensor under the old name
    y = reading**2

gradients = tape.gradient(y, [reading, raw])

print([round(float(gradient), 2) for gradient in gradients])

# %% tags=["claims"]
assert [round(float(gradient), 2) for gradient in gradients] == [6.0, 0.6]

# %% [markdown]
# Both numbers are right, but they answer different questions. After the division, the name `reading` refers to the
# scaled tensor 3.0, and the derivative with respect to that tensor is 6. The name `raw` still refers to the tensor that
# is watched. With respect to that one, the derivative is only 0.6, because one unit of `raw` moves the scaled value by
# 0.1. To avoid mixing them up, give a new tensor a new name.
#
# ### Exercise 02.3: repair
#
# The score is the sum of w · (x - mean of x)², and the function should return its gradient with respect to the original
# `x`. It has one bug. Here is a clue. If every entry of `x` grows by the same small amount, the score does not change.
# So the entries of the gradient must add up to 0. But for x = (1, 2, 6) and w = (1, 2, 3), the function returns (-4,
# -4, 18). The sum is 10.

# %% exercise="02.3"
def score_gradient(x, w):
    # x and w are plain tensors of shape (n,); the result has the shape of x.
    ### BEGIN SOLUTION
    #| with tf.GradientTape() as tape:
    #|     x = x - tf.reduce_mean(x)
    #|     tape.watch(x)
    #|     score = tf.reduce_sum(w * x**2)
    #| return tape.gradient(score, x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        centered = x - tf.reduce_mean(x)
        score = tf.reduce_sum(w * centered**2)
    return tape.gradient(score, x)
    ### END SOLUTION

# %%
check("02.3", score_gradient)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Which tensor does the name `x` refer to in the last line?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Watch `x` before the subtraction, and give the difference its own name.
#
# </details>

# %% [markdown]
# ## Can I choose what is watched?
#
# Suppose you train only the `head` of a model and leave its `base` as it is. By default, a tape watches both. With
# `watch_accessed_variables=False`, it watches nothing until you tell it to:

# %%
base, head = tf.Variable(2.0), tf.Variable(3.0)

with tf.GradientTape() as tape:
    loss = (head * base**2 - 10) ** 2
by_default = tape.gradient(loss, [base, head])

with tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch(head)
    loss = (head * base**2 - 10) ** 2
head_alone = tape.gradient(loss, [base, head])

print("by default: base", by_default[0].numpy(), " head", by_default[1].numpy())
print("head alone: base", head_alone[0], " head", head_alone[1].numpy())

# %% tags=["claims"]
assert head_alone[0] is None and head_alone[1].numpy() == 16.0
assert [float(gradient) for gradient in by_default] == [48.0, 16.0]

# %% [markdown]
# The second tape does less work, and it reveals a mistake: if `base` slips into your list of sources, its gradient is
# `None`. The default tape would return 48, and you would train `base` without noticing.
#
# Freezing a Keras layer with `layer.trainable = False` is different: it takes the layer out of
# `model.trainable_variables`, but the tape still watches it, as *Going deeper* shows.

# %% [markdown]
# ## Which pixels count?
#
# Back to your colleague's question: which pixels made the model answer "T"? Here is a tiny classifier for letters of
# 5-by-5 pixels. Its weights are the letters themselves: to **score** an image as a T, it adds up the image's pixels
# where the T is drawn, and halves the sum.

# %%
letters = {
    "I": "..#.. ..#.. ..#.. ..#.. ..#..",
    "T": "##### ..#.. ..#.. ..#.. ..#..",
    "L": "#.... #.... #.... #.... #####",
}
pixels = [[pixel == "#" for pixel in rows.replace(" ", "")] for rows in letters.values()]
# (25, 3): one column per letter
W = tf.constant(np.transpose(pixels) / 2, tf.float32)


def scores(image):
    return (tf.reshape(image, (1, 25)) @ W)[0]  # (5, 5) -> (3,)

# %% [markdown]
# > **Predict**
# >
# > A tape watches a black image: 25 zeros. What is the gradient of T's score with respect to the image?

# %%
predict("02.c", "")

# %%
image = tf.zeros((5, 5))

with tf.GradientTape() as tape:
    tape.watch(image)
    score = scores(image)[1]

gradient = tape.gradient(score, image)

print(gradient.numpy())

# %% tags=["claims"]
assert np.array_equal(gradient, tf.reshape(W[:, 1], (5, 5)))

# %% [markdown]
# The image is black and its score is 0, yet the gradient is not zero. A gradient does not tell you how much a pixel
# contributes now; it tells you how fast the score would rise if that pixel got brighter. So it answers a slightly
# different question from your colleague's: which pixels would change the score most? Here they are the pixels of the T,
# with a slope of 0.5. For this linear score, they are the same for every image; for the networks of lesson 15, they are
# not.

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open the answer.
#
# <details><summary>1. The gradient with respect to a batch of images is <code>None</code>. What do you check
# first?</summary>
#
# Whether `tape.watch(images)` is in the block, above the line that first uses the images. Then check that the images
# are floats, because integers have no gradient.
#
# </details>
# <details><summary>2. You watched a tensor, and its gradient is a wrong number. Name two possible reasons.</summary>
#
# Part of the result was computed before you started watching the tensor, or the name now refers to a different tensor.
#
# </details>
# <details><summary>3. How do you make sure that a tape watches only the part of the model that you train?</summary>
#
# Create it with `watch_accessed_variables=False`, and watch only the variables of that part.
#
# </details>

# %% [markdown]
# ## Recap
#
# - By default, a tape watches only trainable variables, each from the moment it is first used.
# - For anything else, call `tape.watch(x)` before you use it.
# - If something was computed earlier, that path is missing. You get `None`, or a wrong number if another path is left.
# - Give a new tensor a new name.
# - Use `watch_accessed_variables=False` to watch exactly what you name.
#
# ```python
# with tf.GradientTape() as tape:
#     tape.watch(images)  # floats, not integers
#     score = model(images)[:, label]
# gradient = tape.gradient(score, images)  # has the shape of images
# ```
#
# **To remember**: watch first, then use.

# %% [markdown]
# ## Going deeper
#
# Three details for when you need them: watching intermediate results, what freezing changes, and an exercise on
# choosing what is watched.

# %% [markdown]
# ### What can be a source?
#
# The tape also watches the result of every operation that it records, so an intermediate result can be a source.
# (Integer and boolean results are the exception, because they have no gradient.) You can also watch a tensor that was
# computed before the block. But `watch` does not look back: below, x² is computed before x is watched, so only the `+
# x` counts.

# %%
with tf.GradientTape() as tape:
    tape.watch([x, doubled])
    y = x * doubled
both = [float(gradient) for gradient in tape.gradient(y, [x, doubled])]

with tf.GradientTape() as tape:
    square = x**2
    tape.watch(x)  # too late for the square
    y = square + x
late = float(tape.gradient(y, x))

print("x and doubled:", both)
print("watched late:", late)

# %% tags=["claims"]
assert both == [6.0, 3.0] and late == 1.0

# %% [markdown]
# Some code passes `v[0]` or `tf.convert_to_tensor(v)` as the source instead of the variable `v`. That fails, because
# each of these expressions creates a new tensor. The tape knows only `v` itself and the very tensor from which y was
# computed:

# %%
v = tf.Variable([3.0, 4.0])

with tf.GradientTape() as tape:
    first = v[0]
    y = first**2

of_v, of_first, *of_copies = tape.gradient(y, [v, first, v[0], tf.convert_to_tensor(v)])

print("v:", of_v.numpy(), " first:", of_first.numpy(), " new tensors:", of_copies)

# %% tags=["claims"]
assert np.array_equal(of_v, [6, 0]) and of_first.numpy() == 6.0
assert of_copies == [None, None]
with tf.GradientTape() as tape:
    y = v[0] ** 2
assert tape.gradient(y, v.read_value()) is None

# %% [markdown]
# ### Does a tape watch a frozen layer?
#
# A Keras **layer** is an object that holds variables, and a **model** is made of layers. Each `Dense` layer below has
# two variables, `kernel` and `bias`. To keep a layer as it is, you freeze it: `layer.trainable = False`.
#
# > **Predict**
# >
# > There are two such layers, and the first is frozen. How many variables does the tape watch, and how many does
# > `model.trainable_variables` hold?

# %%
predict("02.d", "")

# %%
body = tf.keras.layers.Dense(4, activation="tanh")
top = tf.keras.layers.Dense(1)
model = tf.keras.Sequential([tf.keras.Input((3,)), body, top])
batch = tf.random.normal((8, 3))

body.trainable = False
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(model(batch) ** 2)

print(len(tape.watched_variables()), "and", len(model.trainable_variables))

# %% [markdown]
# Freezing changes only the list that Keras keeps for you. A Keras variable wraps a `tf.Variable`, its `.value`, and
# that stays trainable, so the tape watches all four. If you took `tape.watched_variables()` as your sources, you would
# train what you froze.
#
# To leave a frozen layer off the tape, compute it above the block, or watch only the rest. `tape.watch` does not
# accept a Keras variable, so pass its `.value`:

# %%
with tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch([variable.value for variable in top.variables])
    loss = tf.reduce_mean(model(batch) ** 2)

print("watched:", len(tape.watched_variables()))

# %% tags=["claims"]
chosen = tape.gradient(loss, model.trainable_variables)
hidden = body(batch)
with tf.GradientTape() as above:
    loss = tf.reduce_mean(top(hidden) ** 2)
assert len(above.watched_variables()) == len(tape.watched_variables()) == 2
of_top = above.gradient(loss, model.trainable_variables)
assert all(np.allclose(a, b, atol=1e-6) for a, b in zip(of_top, chosen, strict=True))
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(model(batch) ** 2)
assert (len(tape.watched_variables()), len(model.trainable_variables)) == (4, 2)
assert (body.kernel.trainable, body.kernel.value.trainable) == (False, True)
assert tape.gradient(loss, body.kernel).shape == (3, 4)
try:
    tf.GradientTape().watch(top.kernel)
except ValueError:
    refused = True
assert refused

# %% [markdown]
# ### Exercise 02.4: complete
#
# A model predicts a · x² + b · x + c. `params` is a dict with the variables `"a"`, `"b"` and `"c"`, and `names` is a
# list with some of these keys. Watch only the named variables. Return two things: a dict with their gradients of the
# mean squared error, and the number of variables that your tape watched.

# %% exercise="02.4"
def gradients_of(params, names, x, y):
    """Return ({name: gradient}, number of watched variables); x and y have shape (n,)."""
    ### BEGIN SOLUTION
    chosen = {name: params[name] for name in names}
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(chosen)
        y_hat = params["a"] * x**2 + params["b"] * x + params["c"]
        loss = tf.reduce_mean((y_hat - y) ** 2)
    return tape.gradient(loss, chosen), len(tape.watched_variables())
    ### END SOLUTION

# %%
check("02.4", gradients_of)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Make a dict of the named variables. `tape.watch` and `tape.gradient` both accept it.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Make the tape with `watch_accessed_variables=False`. Below its block, return the gradients and
# `len(tape.watched_variables())`.
#
# </details>

# %% [markdown]
# ## Further reading
#
# - TensorFlow's guide *Introduction to gradients and automatic differentiation*, "Controlling what the tape watches":
#   the same rules in reference form.
# - Simonyan, Vedaldi and Zisserman, *Deep inside convolutional networks: visualising image classification models and
#   saliency maps* (2013): gradients of scores with respect to photographs.
#
# A tape can watch the right tensor and still lose it on the path to the loss:
# [03 · Missing gradients](03_missing_gradients.ipynb).

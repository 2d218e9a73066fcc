# %% [markdown]
# # 02 · Watching
#
# A tape follows some tensors and ignores the others, and says nothing about either. Know its rule, and you
# can ask for the gradient of anything, an input image included, and stop paying for what you do not
# train.
#
# **You will be able to**
#
# - say which variables and tensors a tape follows, and from which line on;
# - watch a constant or an intermediate result, in the right place;
# - ask which entries of an input move a model's score;
# - say what freezing a layer changes, and what it does not.
#
# **Before you start**: [01 · The first tape](01_first_tape.ipynb). **Time**: 40 minutes.

# %% tags=["nbval-ignore-output"]
from course_utils import ExplainingTape, check, plot_tape, start_lesson

start_lesson("02")

import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf

# %% [markdown]
# ## What does a tape follow by itself?
#
# In lesson 01 every source was a `tf.Variable`. Data comes as plain tensors, which do not change.
#
# > **Predict**
# >
# > x is the constant 3. What is the gradient of x³: 27, 0 or `None`?

# %%
x = tf.constant(3.0)

with tf.GradientTape() as tape:
    y = x**3

answer = tape.gradient(y, x)

print(answer)

# %% [markdown]
# Most people say 27, for x³ stands in the block. But a tape records an operation only if at least one of
# its inputs is **watched**, that is, followed by this tape. By itself it watches trainable variables,
# and nothing else. `tape.watch` adds a tensor:

# %%
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x**3

watched_answer = tape.gradient(y, x)

print(f"{watched_answer.numpy():.1f}")
assert answer is None and watched_answer.numpy() == 27.0

# %% [markdown]
# Why not watch everything? What is recorded is kept in memory until the backward pass, and hardly
# anyone wants the gradient of the data. Nor are all variables for training: some hold a counter, or a
# running mean.
#
# > **Predict**
# >
# > `scale = tf.Variable(3.0, trainable=False)`. What is the gradient of scale²: 6, 0 or `None`?

# %%
scale = tf.Variable(3.0, trainable=False)

with tf.GradientTape() as tape:
    y = scale**2

answer = tape.gradient(y, scale)

print(answer)

# %% [markdown]
# Not 6, although it is a variable: a tape looks at `trainable` when the variable is read. And not 0,
# for the curve is not flat. `trainable` only sets what a tape watches by itself; watch the variable, and
# its slope is there:

# %%
with tf.GradientTape() as tape:
    tape.watch(scale)
    y = scale**2

watched_answer = tape.gradient(y, scale)

print(f"{watched_answer.numpy():.1f}")
assert answer is None and watched_answer.numpy() == 6.0

# %% [markdown]
# When a gradient is `None` and you do not see why, put the course's `ExplainingTape` in the place of
# `tf.GradientTape`. It returns the same gradients, and can explain those that are missing:

# %%
with ExplainingTape() as tape:
    y = x**3

answer = tape.gradient(y, x)

assert answer is None and tape.explanations[0].cause == "not-watched"
tape.explain()

# %% [markdown]
# ### Exercise 02.1: complete
#
# Here `x` is a plain tensor of shape (n,), and y is the sum of its squares times its sum. Return the
# gradient of y with respect to `x`.

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
# A tape does not follow a plain tensor by itself. Tell it to, before you use the tensor.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `tape.watch(x)` is the first line of the block, and `tf.reduce_sum` makes both sums below it.
#
# </details>

# %% [markdown]
# ## Which variables are watched, and when?
#
# `tape.watched_variables()` returns the variables that a tape watches at that moment.
#
# > **Predict**
# >
# > `a` and `b` are trainable variables, and the block reads only `a`. How many variables are watched
# > on its first line, and how many on its last?

# %%
a, b = tf.Variable(2.0), tf.Variable(5.0)

with tf.GradientTape() as tape:
    first = len(tape.watched_variables())
    y = a**2
    last = len(tape.watched_variables())

print(first, "then", last)

# %% [markdown]
# Two and two would mean that a tape knows which variables exist. It does not: it meets a variable when
# an operation reads it. `b` was never read, so it is trainable and still has no path:

# %%
db = tape.gradient(y, b)

print(db)
assert (first, last) == (0, 1) and db is None

# %% [markdown]
# What is computed from something watched is watched too; so lesson 01 could ask for the gradient of
# `a`, half-way to y. What was computed earlier is not.
#
# > **Predict**
# >
# > Above the block, `doubled = 2 * x` for x = 3. In the block, y = x · doubled, which is 2x², with the
# > slope 4x = 12. What does the tape say: 12, 6 or `None`?

# %%
doubled = 2 * x

with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * doubled

answer = tape.gradient(y, x)

print(f"{answer.numpy():.1f}")

# %% [markdown]
# Neither the truth nor `None`. For the tape, `doubled` is the fixed number 6 and y is 6x. A `None` at
# least shows; one path lost beside one that is kept gives a wrong number, silently. In the figure,
# count the orange lines that reach x: only one.

# %%
assert answer.numpy() == 6.0

ax = plot_tape(lambda x: x * doubled, x)

# %% [markdown]
# Computed inside, `doubled` is a box of its own, and the second path comes back through it: 6 along
# the direct line, 3 · 2 through the box, and 12 together.

# %%
def x_times_doubled(x):
    doubled = 2 * x
    return x * doubled


ax = plot_tape(x_times_doubled, x)

# %% [markdown]
# A tensor that was computed earlier can be watched like any other, and be a source beside x:

# %%
def numbers(gradients):
    return [None if g is None else round(float(g), 2) for g in gradients]


with tf.GradientTape() as tape:
    tape.watch([x, doubled])
    y = x * doubled

both = numbers(tape.gradient(y, [x, doubled]))

print(both)
assert both == [6.0, 3.0]

# %% [markdown]
# `watch` does not look back either. Here x² runs before it, and only the last line counts: the slope is
# 1, and not 7.

# %%
with tf.GradientTape() as tape:
    square = x**2
    tape.watch(x)
    y = square + x

late = tape.gradient(y, x)

print(f"{late.numpy():.1f}")
assert late.numpy() == 1.0

# %% [markdown]
# ### Exercise 02.2: predict
#
# `a = tf.Variable(2.0)`, `b = tf.Variable(3.0, trainable=False)` and `c = tf.constant(4.0)` meet in
#
# ```python
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
# For each of the three: does the tape watch it, and from which line on?
#
# </details>
# <details><summary>Hint 2</summary>
#
# The slope of a · b with respect to a is b. Nothing watches `b`. For c, what ran before `tape.watch`
# does not count.
#
# </details>
#
# The truth:

# %%
a, b, c = tf.Variable(2.0), tf.Variable(3.0, trainable=False), tf.constant(4.0)

with tf.GradientTape() as tape:
    square = c**2
    tape.watch(c)
    y = a * b + square + 5 * c

three = numbers(tape.gradient(y, [a, b, c]))

print(three)
assert three == [3.0, None, 5.0]

# %% [markdown]
# ## Can the input be a source?
#
# Watch the input instead of the weights, and the gradient says which of its entries move the result.
# Take a classifier for three letters of 5 by 5 pixels. Its weights are the letters themselves: a
# letter's **score** is half the sum of the pixels that lie on it.

# %%
letters = {
    "I": "..#.. ..#.. ..#.. ..#.. ..#..",
    "T": "##### ..#.. ..#.. ..#.. ..#..",
    "L": "#.... #.... #.... #.... #####",
}
pixels = [[pixel == "#" for pixel in rows.replace(" ", "")] for rows in letters.values()]
W = tf.constant(np.transpose(pixels) / 2, tf.float32)  # (25, 3): one column a letter


def scores(image):
    return (tf.reshape(image, (1, 25)) @ W)[0]  # (5, 5) -> (3,)


def input_gradient(f, image):
    with tf.GradientTape() as tape:
        tape.watch(image)
        result = f(image)
    return tape.gradient(result, image)


# %% [markdown]
# > **Predict**
# >
# > The image is black: 25 zeros. Is the gradient of T's score zero everywhere, or not?

# %%
black = tf.zeros((5, 5))
of_black = input_gradient(lambda image: scores(image)[1], black)

print(of_black.numpy())

# %% [markdown]
# "Zero, since nothing is there" is the usual answer. But a gradient does not say how much a pixel
# contributes. It says how fast the score moves when that pixel grows: by its weight, whatever the
# image. And it comes in the shape of its source, (5, 5), although the classifier flattens the image.

# %%
template = tf.reshape(W[:, 1], (5, 5))  # the weights of T

assert np.array_equal(of_black, template)
assert np.array_equal(input_gradient(lambda image: scores(image)[1], black + 1), template)

# %% [markdown]
# **Softmax** turns the scores into probabilities that add up to 1, so now the letters compete. By hand,
# the gradient of T's probability p is p times (T's weights minus the average of all letters' weights,
# each weighted with its probability).

# %%
image = np.zeros((5, 5), np.float32)
image[:, 2] = image[0, 1:4] = 1.0  # a stem, and a bar that is too short for a T
image = tf.constant(image)

of_score = input_gradient(lambda image: scores(image)[1], image)
of_probability = input_gradient(lambda image: tf.nn.softmax(scores(image))[1], image)

p = tf.nn.softmax(scores(image)).numpy()  # (3,)
weights = W.numpy()
by_hand = p[1] * (weights[:, 1] - weights @ p)  # (25,)

print("probabilities of I, T, L:", p.round(2))
assert np.allclose(of_probability, by_hand.reshape(5, 5), atol=1e-6)

# %% [markdown]
# The image stands between an I and a T. Compare the stem with the bar, in the middle and on the right:
# violet raises, orange lowers, white does nothing.

# %%
fig, axes = plt.subplots(1, 3, figsize=(8.4, 3.0))
axes[0].imshow(image, cmap="gray")
axes[0].set_title("the image")

panels = {"gradient of T's score": of_score, "gradient of T's probability": of_probability}
for ax, (title, gradient) in zip(axes[1:], panels.items(), strict=True):
    limit = 1.5 * np.max(np.abs(gradient))
    ax.imshow(gradient, cmap="PuOr", vmin=-limit, vmax=limit)
    ax.set_title(title)
    for (row, column), value in np.ndenumerate(gradient):
        label = ax.text(column, row, f"{value:.2f}", ha="center", va="center", fontsize=8)

for ax in axes:
    frame = ax.set(xticks=[], yticks=[])

# %% [markdown]
# For the score, stem and bar count alike. For the probability the stem hardly counts, for it raises I's
# score as much as T's: the bar decides. Such pictures are called **saliency maps**.

# %%
stem, bar = of_probability[2, 2], of_probability[0, 3]

print(f"stem {stem.numpy():.3f}, bar {bar.numpy():.3f}")
assert of_score[2, 2] == of_score[0, 3]
assert bar > 5 * stem > 0

# %% [markdown]
# Inputs are scaled and centred before use, and often keep their name. A tape follows tensors, not
# names: after the division below, `reading` is another tensor than the one that came in.

# %%
reading = given = tf.constant(30.0)

with tf.GradientTape() as tape:
    tape.watch(reading)
    reading = reading / 10  # a new tensor under the old name
    y = reading**2

both = numbers(tape.gradient(y, [reading, given]))

print(both)
assert both == [6.0, 0.6]

# %% [markdown]
# No `None`: both tensors are watched, and both answers are right, each for its own question. Give the
# prepared tensor a name of its own, and you ask the question that you mean.

# %% [markdown]
# ### Exercise 02.3: repair
#
# The score is the sum of w · (x - mean of x)². This function should return its gradient with respect to
# the `x` that came in. Adding 1 to every entry of `x` leaves the score as it is, so the entries of the
# gradient must add up to 0. For x = (1, 2, 6) and w = (1, 2, 3) it returns (-4, -4, 18).

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
        centred = x - tf.reduce_mean(x)
        score = tf.reduce_sum(w * centred**2)
    return tape.gradient(score, x)
    ### END SOLUTION


# %%
check("02.3", score_gradient)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Which tensor does the name `x` stand for in the last line?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Two changes: `tape.watch(x)` comes before the subtraction, and the difference gets a name of its own,
# which the score then uses.
#
# </details>

# %% [markdown]
# ## How do I choose what is watched?
#
# `tf.GradientTape(watch_accessed_variables=False)` watches nothing by itself: you name what is
# trained. Here only `head` should be, and `base` slips into the sources, as happens in long lists.
# First under the usual tape:

# %%
base, head = tf.Variable(2.0), tf.Variable(3.0)


def gradients_under(tape):
    with tape:
        tape.watch(head)
        feature = base**2  # 4
        loss = (head * feature - 10) ** 2  # (12 - 10)**2
    return numbers(tape.gradient(loss, [base, feature, head]))


usual = gradients_under(tf.GradientTape())

print(usual)
assert usual == [48.0, 12.0, 16.0]

# %% [markdown]
# > **Predict**
# >
# > The same with `watch_accessed_variables=False`: which of the gradients of `base`, `feature` and
# > `head` are now `None`?

# %%
strict = gradients_under(tf.GradientTape(watch_accessed_variables=False))

print(strict)

# %% [markdown]
# Most people keep `feature`, as its product with `head` is recorded. But `feature` comes from `base`
# alone, so it is not watched. You gain twice. The slip shows: `None` for `base`, where the usual tape
# hands out 48 and you train it without a word. And less is recorded: the step from `base` to `feature`
# is not.

# %%
assert strict == [None, None, 16.0]

# %% [markdown]
# ### Exercise 02.4: complete
#
# A model predicts a · x² + b · x + c. `params` is a dict with the variables `"a"`, `"b"` and `"c"`, and
# `names` lists some of these keys. Return two things: a dict with the gradients of the mean squared error
# for these names alone, and how many variables your tape watched, which must be no others.

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
# Make a dict of the chosen variables first. `tape.watch` takes it as a whole, and so does
# `tape.gradient`.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The tape is `tf.GradientTape(watch_accessed_variables=False)`. Below its block, return the gradients
# and `len(tape.watched_variables())`, separated by a comma.
#
# </details>

# %% [markdown]
# ## What does freezing change?
#
# In Keras, a **layer** is an object that holds variables, and calling it computes an output from an
# input. A **model** is made of layers, and `model(x)` calls them one after the other. Each `Dense` layer
# below holds a matrix, its `kernel`, and a `bias`.

# %%
body = tf.keras.layers.Dense(4, activation="tanh")
head = tf.keras.layers.Dense(1)
model = tf.keras.Sequential([tf.keras.Input((3,)), body, head])
x = tf.random.normal((8, 3))

print([tuple(variable.shape) for variable in model.variables])
assert model(x).shape == (8, 1) and len(model.variables) == 4

# %% [markdown]
# To keep a trained layer as it is, one **freezes** it: `layer.trainable = False`.
#
# > **Predict**
# >
# > With `body` frozen, how many variables does a tape watch while the model runs, and how many does
# > `model.trainable_variables` hold?

# %%
body.trainable = False

with tf.GradientTape() as tape:
    loss = tf.reduce_mean(model(x) ** 2)

print(len(tape.watched_variables()), "and", len(model.trainable_variables))

# %% [markdown]
# Not two and two. Freezing changes the list that Keras keeps for you; the `tf.Variable`s inside stay
# trainable. So you can still look at a frozen layer's gradient. But take `tape.watched_variables()` for
# your sources, and you train what you froze.

# %%
of_frozen = tape.gradient(loss, body.kernel)

print(of_frozen.shape)
assert len(tape.watched_variables()) == 4 and len(model.trainable_variables) == 2

# %% [markdown]
# Does the tape at least skip the frozen layer on its way back? Put a counter between body and head.
# `tf.custom_gradient` lets a function bring its own backward step; this one notes that the tape came by,
# and changes nothing.

# %%
visits = []


@tf.custom_gradient
def counted(hidden):
    def backward(gradient):
        visits.append("body")
        return gradient

    return hidden, backward


# %% [markdown]
# > **Predict**
# >
# > You ask for the gradients of the head's two variables alone. How often does the tape come by on its
# > way back from the loss: never or once?

# %%
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(head(counted(body(x))) ** 2)

usual = tape.gradient(loss, model.trainable_variables)
visits_of_usual = len(visits)

print(visits_of_usual)

# %% [markdown]
# You will read that a frozen layer costs no backward pass; here it does. It was recorded, so the tape
# goes back through it, and the result is thrown away. What saves the work is not to record the layer,
# so compute it above the block:

# %%
visits.clear()
hidden = counted(body(x))

with tf.GradientTape() as tape:
    loss = tf.reduce_mean(head(hidden) ** 2)

above = tape.gradient(loss, model.trainable_variables)

print("visits:", len(visits))
assert visits_of_usual == 1 and len(visits) == 0
assert all(np.allclose(a, b) for a, b in zip(above, usual, strict=True))

# %% [markdown]
# The same gradients, and no visit. Where the layers cannot be pulled apart, watch the head alone. But
# `tape.watch` refuses Keras's own variables; hand it the `tf.Variable` inside, `.value`:

# %%
visits.clear()

with tf.GradientTape(watch_accessed_variables=False) as tape:
    try:
        tape.watch(head.kernel)
    except ValueError as error:
        print("refused:", type(error).__name__)
    tape.watch([variable.value for variable in head.variables])
    loss = tf.reduce_mean(head(counted(body(x))) ** 2)

strict = tape.gradient(loss, model.trainable_variables)

print("watched:", len(tape.watched_variables()), "visits:", len(visits))
assert len(tape.watched_variables()) == 2 and len(visits) == 0
assert all(np.allclose(a, b) for a, b in zip(strict, usual, strict=True))

# %% [markdown]
# `body.kernel.value`, watched in the same way, brings back the gradient of one frozen weight.
#
# ## Checkpoint
#
# Answer before you open.
#
# <details><summary>1. The gradient of a loss with respect to a batch of images is `None`. The loss was
# computed from them inside the block. What is missing, and where?</summary>
#
# `tape.watch(images)`, in the block, before the images are first used.
#
# </details>
# <details><summary>2. A tensor is watched, and its gradient is a number, but not the right one. Name two
# reasons from this lesson.</summary>
#
# A part of the result was computed before the tape watched it, so that path is lost; or the name stands
# for a new tensor by now, and you asked for the gradient of that.
#
# </details>
# <details><summary>3. You freeze 50 of 52 layers. What must you change for the tape to do less
# work?</summary>
#
# What it records: compute the frozen layers above the block, or watch only the variables of the last two.
#
# </details>

# %% [markdown]
# ## Recap
#
# - By itself a tape watches trainable variables, each from its first use on, and nothing else.
# - An operation is recorded if one of its inputs is watched, and then its result is watched too.
# - `tape.watch` comes before the use; a lost path gives `None`, or a wrong number if another is left.
# - The input can be a source: its gradient says which entries move the result.
# - Freezing a layer changes `model.trainable_variables`, and not what the tape records.
#
# ```python
# with tf.GradientTape() as tape:
#     tape.watch(images)
#     score = model(images)[:, label]
# saliency = tape.gradient(score, images)  # the shape of images
# ```

# %% [markdown]
# ## Further reading
#
# - TensorFlow's guide *Introduction to gradients and automatic differentiation*, on controlling what the
#   tape watches: the same methods in reference form.
# - Simonyan, Vedaldi and Zisserman, *Deep inside convolutional networks: visualising image
#   classification models and saliency maps* (2013): this lesson's pictures, for real photographs.
# - The Keras guide *Transfer learning and fine-tuning*: what freezing is for.
#
# A tape that follows everything you want can still lose the way. Why, and how to find the place, is next:
# [03 · Missing gradients](03_missing_gradients.ipynb).

# %% [markdown] part="Part I: the tape"
# # 02 · Watching
#
# A tape follows some tensors and ignores the others. Know its rule, and you can ask for the gradient of
# anything, an input image included, and stop paying for what you do not train.
#
# **You will learn to**
#
# - say which tensors and variables a tape follows, and from which line on;
# - watch a constant, or a result, in time;
# - ask which entries of an input move a model's score;
# - say what freezing a layer changes, and what it does not.
#
# **Before you start**: [01 · The first tape](01_first_tape.ipynb). **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import check, plot_tape, predict, start_lesson

start_lesson("02")

import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf

# %% [markdown]
# ## What does a tape follow by itself?
#
# In lesson 01 every tape began at a `tf.Variable`. Data comes in plain tensors.
#
# > **Predict**
# >
# > x is `tf.constant(3.0)`. What is the gradient of x³?

# %%
predict("02.a", "")

# %%
x = tf.constant(3.0)

with tf.GradientTape() as tape:
    y = x**3

answer = tape.gradient(y, x)

print(answer)

# %% [markdown]
# Here it is with one line more, which tells the tape to **watch** x, that is, to follow it:

# %%
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x**3

watched_answer = tape.gradient(y, x)

print(f"{watched_answer.numpy():.1f}")

# %% tags=["claims"]
assert watched_answer.numpy() == 27.0 and answer != watched_answer

# %% [markdown]
# A tape records an operation only if one of its inputs is watched. Of what exists before the block, it watches by
# itself only trainable variables. Why not everything? Recording takes time and memory, and training needs no gradient
# of the data. Variables for a counter or a running mean are made with `trainable=False`; a tape passes them over too,
# until told:

# %%
scale = tf.Variable(3.0, trainable=False)

with tf.GradientTape() as tape:
    y = scale**2
by_itself = tape.gradient(y, scale)

with tf.GradientTape() as tape:
    tape.watch(scale)
    y = scale**2
when_told = tape.gradient(y, scale)

print(by_itself, "and", when_told.numpy())

# %% tags=["claims"]
assert by_itself is None and when_told.numpy() == 6.0

# %% [markdown]
# ### Exercise 02.1: complete
#
# Here `x` is a plain tensor of shape (n,), and y is the sum of its squares times its sum. Return the
# gradient of y with respect to `x`, found by a tape.

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
# Tell the tape to follow the tensor first.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `tape.watch(x)` is the first line of the block; `tf.reduce_sum` makes both sums.
#
# </details>

# %% [markdown]
# ## Which variables are watched, and when?
#
# `tape.watched_variables()` lists the variables watched so far. A tape does not know which exist: it
# meets a variable when an operation reads or assigns it. `b` below is never met, and gets `None`.

# %%
a, b = tf.Variable(2.0), tf.Variable(5.0)

with tf.GradientTape() as tape:
    first = len(tape.watched_variables())
    y = a**2
    last = len(tape.watched_variables())

print(first, "then", last)
assert (first, last) == (0, 1) and tape.gradient(y, b) is None

with tf.GradientTape() as tape:
    b.assign(5.0)

# %% tags=["claims"]
assert len(tape.watched_variables()) == 1

# %% [markdown]
# The result of a recorded operation is watched too, where it holds floating or complex numbers: no integers,
# and no truth values, such as those of x > 0.
#
# > **Predict**
# >
# > x is 3. `doubled = 2 * x` stands above the block, and y = x · doubled inside it. That is 2x², with the
# > slope 4x = 12. What does the tape say?

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
# The first figure draws that cell, the second has `doubled` inside the block. Count the orange lines that
# reach x, and read the number under x.

# %%
def x_times_doubled(x):
    doubled = 2 * x
    return x * doubled


ax = plot_tape(lambda x: x * doubled, x)
ax = plot_tape(x_times_doubled, x)

# %% [markdown]
# A tensor of floating numbers from before the tape, such as `doubled`, can be watched too, and be a source.
# But `watch` does not look back: of x² + x below, only the second term counts.

# %%
def numbers(gradients):
    # plain numbers to print; None stays None
    return [None if g is None else round(float(g), 2) for g in gradients]


assert answer.numpy() == doubled.numpy()

with tf.GradientTape() as tape:
    tape.watch([x, doubled])
    y = x * doubled
both = numbers(tape.gradient(y, [x, doubled]))

with tf.GradientTape() as tape:
    square = x**2
    tape.watch(x)  # too late for the square
    y = square + x
late = numbers([tape.gradient(y, x)])

print("x and doubled:", both)
print("watched late:", late)

# %% tags=["claims"]
assert both == [6.0, 3.0] and late == [1.0]

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

# %% [markdown]
# ## Can the input be a source?
#
# Watch the input instead of the weights, and the gradient says how a small change of each entry moves the result.
# Here is a classifier for letters of 5 by 5 pixels. Its weights are the letters themselves: a letter's
# **score** is half the sum of the pixels that lie on it.

# %%
letters = {
    "I": "..#.. ..#.. ..#.. ..#.. ..#..",
    "T": "##### ..#.. ..#.. ..#.. ..#..",
    "L": "#.... #.... #.... #.... #####",
}
pixels = [[pixel == "#" for pixel in rows.replace(" ", "")] for rows in letters.values()]
# (25, 3): one column a letter
W = tf.constant(np.transpose(pixels) / 2, tf.float32)


def scores(image):
    return (tf.reshape(image, (1, 25)) @ W)[0]  # (5, 5) -> (3,)

# %% [markdown]
# > **Predict**
# >
# > The image is black: 25 zeros. What is the gradient of T's score?

# %%
predict("02.c", "")

# %%
def input_gradient(f, image):
    with tf.GradientTape() as tape:
        tape.watch(image)
        result = f(image)
    return tape.gradient(result, image)


of_black = input_gradient(lambda image: scores(image)[1], tf.zeros((5, 5)))

print(of_black.numpy())

# %% [markdown]
# **Softmax** turns scores into probabilities that add up to 1, so the letters compete. Here they see a
# stem with a short bar. In the figure, compare the gradients of T's score, in the middle, and of its probability, on
# the right.

# %%
image = np.zeros((5, 5), np.float32)
image[:, 2] = image[0, 1:4] = 1.0
image = tf.constant(image)

of_score = input_gradient(lambda image: scores(image)[1], image)
of_probability = input_gradient(lambda image: tf.nn.softmax(scores(image))[1], image)

print("I, T, L:", tf.nn.softmax(scores(image)).numpy().round(3))

# %% tags=["claims"]
assert np.array_equal(of_black, tf.reshape(W[:, 1], (5, 5)))
assert np.array_equal(of_score, of_black)
# bar and stem
assert of_probability[0, 3] > 5 * of_probability[2, 2] > 0
assert three == [3.0, None, 5.0]  # of Exercise 02.2

# %%
fig, axes = plt.subplots(1, 3, figsize=(8.4, 3.0))
axes[0].imshow(image, cmap="gray")
axes[0].set_title("the image")

panels = {"gradient of T's score": of_score, "gradient of T's probability": of_probability}
for ax, (title, gradient) in zip(axes[1:], panels.items(), strict=True):
    limit = 2 * np.max(np.abs(gradient))
    ax.imshow(gradient, cmap="PuOr", vmin=-limit, vmax=limit)
    ax.set_title(title)
    for (row, column), value in np.ndenumerate(gradient):
        label = ax.text(column, row, f"{value:.2f}", ha="center", va="center", fontsize=8)

for ax in axes:
    ax.spines[:].set_visible(True)
    frame = ax.set(xticks=[], yticks=[])

# %% [markdown]
# For T's score, stem and bar count alike. For its probability the bar decides, as the stem raises I's score
# just as much. Such pictures are called **saliency maps**.
#
# Inputs are often scaled before use, and keep their name. But a tape follows tensors, not names. After
# the division below, `reading` names a new tensor. Both gradients are right, each for its own question:

# %%
reading = given = tf.constant(30.0)

with tf.GradientTape() as tape:
    tape.watch(reading)
    reading = reading / 10  # a new tensor under the old name
    y = reading**2

both = numbers(tape.gradient(y, [reading, given]))

print(both)

# %% tags=["claims"]
assert both == [6.0, 0.6]

# %% [markdown]
# You will read that `v[0]`, `tf.convert_to_tensor(v)` or `v.read_value()` can stand for `v`; run this. Each
# makes a new tensor. Apart from `v` itself, only the one that y came from is a source:

# %%
v = tf.Variable([3.0, 4.0])

with tf.GradientTape() as tape:
    first = v[0]
    y = first**2

made_later = [v[0], tf.convert_to_tensor(v), v.read_value()]
of_v, *others = tape.gradient(y, [v, first, *made_later])

print(of_v.numpy(), numbers(others))

# %% tags=["claims"]
assert np.array_equal(of_v, [6, 0]) and numbers(others) == [6.0, None, None, None]

# %% [markdown]
# ### Exercise 02.3: repair
#
# The score is the sum of w · (x - mean of x)². The function should return its gradient with respect to
# the `x` that comes in. If every entry of `x` grows by 1, the score stays: the entries of the gradient
# must add up to 0. As it stands, for x = (1, 2, 6) and w = (1, 2, 3) it returns (-4, -4, 18), which
# adds up to 10. There is one fault; mending it may take more than one line.

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
# Watch `x` before the subtraction, and give the difference a name of its own.
#
# </details>

# %% [markdown]
# ## How do I choose what is watched?
#
# `tf.GradientTape(watch_accessed_variables=False)` watches nothing by itself: you name what is
# trained. Below you train `head` alone, but `base` has slipped into the sources, as happens in long lists.

# %%
base, head = tf.Variable(2.0), tf.Variable(3.0)


def gradients_under(tape):
    with tape:
        tape.watch(head)
        feature = base**2  # 4
        loss = (head * feature - 10) ** 2  # (12 - 10)**2
    return numbers(tape.gradient(loss, [base, feature, head]))


everything = gradients_under(tf.GradientTape())
head_alone = gradients_under(tf.GradientTape(watch_accessed_variables=False))

print("usual tape:", everything)
print("head alone:", head_alone)

# %% tags=["claims"]
assert everything == [48.0, 12.0, 16.0]
assert head_alone == [None, None, 16.0]

# %% [markdown]
# You gain twice. The slip shows: `base` has `None`; the usual tape gives 48, and you would train `base`.
# And less is recorded: not the step from `base`, so `feature` has `None` too.

# %% [markdown]
# ### Exercise 02.4: complete
#
# A model predicts a · x² + b · x + c. `params` is a dict with the variables `"a"`, `"b"` and `"c"`, and
# `names` lists some of these keys. Return a dict with the gradients of the mean squared error for these
# names alone, and the number of variables that your tape watched: these and no others.

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
# Make a dict of the chosen variables. `tape.watch` and `tape.gradient` take it as a whole.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Make the tape with `watch_accessed_variables=False`. Below its block, return two things: the gradients
# and `len(tape.watched_variables())`.
#
# </details>

# %% [markdown]
# ## What does freezing change?
#
# In Keras, a **layer** is an object that holds variables, and calling it computes an output. A **model** is
# made of layers; `model(x)` calls them in turn. Each `Dense` layer below holds two variables, `kernel`
# and `bias`. To keep a layer as it is, one **freezes** it: `layer.trainable = False`.
#
# > **Predict**
# >
# > There are two such layers, and the first is frozen. How many variables does the tape watch, and how
# > many does `model.trainable_variables` hold?

# %%
predict("02.d", "")

# %%
body = tf.keras.layers.Dense(4, activation="tanh")
head = tf.keras.layers.Dense(1)
model = tf.keras.Sequential([tf.keras.Input((3,)), body, head])
x = tf.random.normal((8, 3))

body.trainable = False
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(model(x) ** 2)

watched, trainable = len(tape.watched_variables()), len(model.trainable_variables)
print(watched, "and", trainable)

# %% [markdown]
# A Keras variable, such as `body.kernel`, holds a `tf.Variable`: its `.value`. Which of the two does freezing
# mark as not trainable? And does a frozen layer have a gradient?

# %%
of_frozen = tape.gradient(loss, body.kernel)

print(of_frozen.shape, body.kernel.trainable, body.kernel.value.trainable)

# %% tags=["claims"]
assert of_frozen.shape == (3, 4)
assert (body.kernel.trainable, body.kernel.value.trainable) == (False, True)

# %% [markdown]
# There are two ways to leave a frozen body out of the recording; lesson 04 adds a pause of the tape. The first:
# compute it above the block.

# %%
hidden = body(x)

with tf.GradientTape() as tape:
    loss = tf.reduce_mean(head(hidden) ** 2)
above = tape.gradient(loss, model.trainable_variables)

print("above the block:", [gradient.shape for gradient in above])

# %% [markdown]
# The second: watch only what you train. `tape.watch` refuses Keras's own variables; give it their `.value`.

# %%
with tf.GradientTape(watch_accessed_variables=False) as head_alone:
    try:
        head_alone.watch(head.kernel)
    except ValueError as error:
        print("refused:", type(error).__name__)
    head_alone.watch([variable.value for variable in head.variables])
    loss = tf.reduce_mean(head(body(x)) ** 2)
chosen = head_alone.gradient(loss, model.trainable_variables)

print("head alone:", [gradient.shape for gradient in chosen])

# %% tags=["claims"]
assert len(tape.watched_variables()) == len(head_alone.watched_variables()) == 2
assert all(np.allclose(a, b, atol=1e-6) for a, b in zip(above, chosen, strict=True))

# %% [markdown]
# Freezing can change *values*, too. `BatchNormalization`, called with `training=True`, shifts and scales
# its batch to mean 0 and deviation 1. Frozen, it uses stored averages in spite of `training=True`:

# %%
batch = tf.constant([[1.0], [3.0]])
layer = tf.keras.layers.BatchNormalization()
layer.build(batch.shape)
layer.trainable = False
frozen = layer(batch, training=True).numpy().ravel()

layer.trainable = True
thawed = layer(batch, training=True).numpy().ravel()

print("frozen:", frozen.round(2), "trained:", thawed.round(2))

# %% tags=["claims"]
assert np.allclose(frozen, [1, 3], atol=0.05) and np.allclose(thawed, [-1, 1], atol=0.05)
# of the prediction above
assert (watched, trainable) == (4, 2)

# %% [markdown]
# ### Further: does the tape skip a frozen layer?
#
# Put a **trap** between body and head: an operation that changes nothing, and for which TensorFlow has no
# rule. A tape that goes back through it stops with a `LookupError`.
#
# > **Predict**
# >
# > You ask for the gradients of the head's two variables alone. What do you get?

# %%
predict("02.e", "")

# %%
def trap(hidden):
    # from float32 to float32: the same bits
    return tf.bitcast(hidden, tf.float32)


with tf.GradientTape() as tape:
    loss = tf.reduce_mean(head(trap(body(x))) ** 2)

try:
    outcome = len(tape.gradient(loss, model.trainable_variables))
except LookupError as error:
    outcome = type(error).__name__

print(outcome)

# %% [markdown]
# The tape watches the frozen layer's variables, so it records the body, and goes back through it. Leave the body
# out in one of the two ways above, and the trap is not met:

# %%
with tf.GradientTape(watch_accessed_variables=False) as head_alone:
    head_alone.watch([variable.value for variable in head.variables])
    loss = tf.reduce_mean(head(trap(body(x))) ** 2)
past_the_trap = head_alone.gradient(loss, model.trainable_variables)

print([gradient.shape for gradient in past_the_trap])

# %% tags=["claims"]
assert outcome == "LookupError"
assert all(np.allclose(a, b, atol=1e-6) for a, b in zip(above, past_the_trap, strict=True))

# %% [markdown]
# ## Checkpoint
#
# Answer before you open.
#
# <details><summary>1. The gradient with respect to a batch of images is <code>None</code>. What do you
# look for first?</summary>
#
# For `tape.watch(images)`, in the block, before their first use. Then for integers, which get no gradient.
#
# </details>
# <details><summary>2. You watched a tensor, and its gradient is a wrong number. Name two possible
# reasons.</summary>
#
# A part of the result was computed before you watched it; or its name stands for a new tensor by now.
#
# </details>
# <details><summary>3. You freeze the first 50 of 52 layers. How does the tape get less work?</summary>
#
# Compute the frozen layers above the block, or watch only the variables of the other two.
#
# </details>

# %% [markdown]
# ## Recap
#
# - By itself a tape watches trainable variables, each from its first use on.
# - An operation is recorded only if one of its inputs is watched; then its result is watched too.
# - Watch first, then use: a lost path gives `None`, or a wrong number where another path is left.
# - The input can be a source: its gradient says how small changes of its entries move the result.
# - Freezing changes the list `model.trainable_variables`, and the values of a `BatchNormalization`; the
#   tape still records the layer.
#
# ```python
# with tf.GradientTape() as tape:
#     tape.watch(images)  # floating numbers, not integers
#     loss = loss_function(model(images), labels)
# saliency = tape.gradient(loss, images)  # the shape of images
# ```
#
# **To remember**: watch first, then use.

# %% [markdown]
# ## Further reading
#
# - Simonyan, Vedaldi and Zisserman, *Deep inside convolutional networks: visualising image
#   classification models and saliency maps* (2013): saliency for photographs.
#
# What a tape follows can still get lost on the way: [03 · Missing gradients](03_missing_gradients.ipynb).

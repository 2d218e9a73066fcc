# %% [markdown] part="Part III: what fit cannot say"
# # 15 · Input gradients
#
# A network reads nearly every digit correctly. Make each pixel of a 7 brighter or darker by 0.1, at random, and it
# still reads a 7. Let a gradient decide which pixels get brighter and which get darker, and it may well read a 3, while
# you still see a 7. In this lesson you compute that gradient, and fool a network with it.
#
# **You will learn to**
#
# - see which pixels matter, with a gradient that does not change the weights;
# - change an image by one small step that fools a network;
# - take several small steps without leaving the allowed range.
#
# **Before you start**: [13 · MNIST](13_mnist.ipynb). **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import check, load_mnist, make_train_epoch, predict, show_images, start_lesson

start_lesson("15")

import keras
import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from keras import layers

# %% [markdown]
# ## Which pixels would change the answer?
#
# First you need a network that reads digits. Since this lesson is about the images and not about training, `fit` trains
# it. The pixels are scaled to the range from 0 to 1 *before* they enter the network, because the pixels are what you
# will change.

# %% tags=["nbval-ignore-output"]
(x_train, y_train), (x_test, y_test) = load_mnist()
is_mnist = len(x_train) == 60_000
# (n, 28, 28, 1), from 0 to 1
images = x_train[..., None] / np.float32(255)
x_unseen, y_unseen = tf.constant(x_test[..., None] / np.float32(255)), y_test.astype(int)
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

# %%
def build_network():
    keras.utils.set_random_seed(15)
    return keras.Sequential(
        [
            keras.Input((28, 28, 1)),
            layers.Conv2D(16, 5, strides=2, activation="relu"),
            layers.Conv2D(32, 5, strides=2, activation="relu"),
            layers.Flatten(),
            layers.Dense(64, activation="relu"),
            layers.Dense(10),  # logits
        ]
    )


def accuracy(model, x, y):
    return np.mean(np.argmax(model.predict(x, batch_size=1000, verbose=0), axis=1) == y)


# %% tags=["nbval-ignore-output"]
epochs = 3 if is_mnist else 40
steps = epochs * -(-len(images) // 128)
model = build_network()
model.compile(keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(3e-3, steps)), loss_fn)
history = model.fit(images, y_train, batch_size=128, epochs=epochs, verbose=2 if is_mnist else 0)

print(f"accuracy on the test images: {accuracy(model, x_unseen, y_unseen):.1%}")

# %% tags=["claims"]
assert accuracy(model, x_unseen, y_unseen) > (0.98 if is_mnist else 0.88)

# %% [markdown]
# Which pixels matter for an answer? Take the logit of the image's class, which is the score of that class, and compute
# its gradient with respect to the image. This gradient is called a **saliency map**. An image is a plain tensor, so the
# tape must `watch` it (lesson 02). By default, the tape would also record what the gradients of the weights need. You
# don't want those here, so `watch_accessed_variables=False` turns that off.


# %%
def input_gradient(f, x):
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x)
        result = f(x)
    return tape.gradient(result, x)


x, y = x_unseen[:200], y_unseen[:200]


def class_scores(x, labels=y):
    """Return the logit of each image's class, (n,), for images (n, 28, 28, 1)."""
    return tf.gather(model(x, training=False), labels, batch_dims=1)


# %% [markdown]
# > **Predict**
# >
# > `class_scores(x)` returns 200 scores, and `tape.gradient` differentiates their sum (lesson 04). What do you find in
# > the part of the gradient that belongs to image 3?

# %%
predict("15.a", "")

# %% tags=["nbval-ignore-output"]
saliency = input_gradient(class_scores, x)  # (200, 28, 28, 1)
separately = input_gradient(lambda x: class_scores(x, y[3:4]), x[3:4])[0]

print(f"largest entry, all at once: {np.max(saliency[3]):.3f}")
print(f"largest entry, image 3:     {np.max(separately):.3f}")
print("equal within 1e-4:", bool(np.max(np.abs(saliency[3] - separately)) < 1e-4))

# %% tags=["claims"]
assert np.max(np.abs(saliency[3] - separately)) < 1e-4
assert not np.any(saliency[:, 25:]) and not np.any(saliency[:, :, 25:])
weights = model.get_weights()
assert len(weights) == 8

# %% [markdown]
# The other 199 scores contribute zero to the gradient for image 3, so a single backward pass gives the saliency maps of
# all images. This works because the network treats each example independently.
#
# In the figure, bright pixels have a large gradient, positive or negative. Many of them are not on the digit but around
# it, where additional ink would change the score.

# %%
def bright(images):
    """Return images (n, 28, 28, 1) as sizes from 0 to 1; the strongest pixel of each is 1."""
    size = np.abs(images)
    return size / size.max(axis=(1, 2, 3), keepdims=True)


ax = show_images(np.concatenate([x[:8], bright(saliency[:8])]))

# %% [markdown]
# You don't need to freeze the weights for any of this. Computing a gradient does not change them; only an optimizer or
# an `assign` does.
#
# ## Can a small step fool the network?
#
# The gradient of the *loss* with respect to the image tells you in which direction each pixel makes the answer worse.
# Suppose each pixel may move by at most ε. If the loss were linear, the most harmful change would move *every* pixel by
# the full ε, up or down according to the **sign** of its slope, however small that slope is. This attack is called the
# **fast gradient sign method**. Clipping keeps the result a valid image:


# %%
def one_step(model, x, y, epsilon):
    slope = input_gradient(lambda x: loss_fn(y, model(x, training=False)), x)
    return tf.clip_by_value(x + epsilon * tf.sign(slope), 0.0, 1.0)


# %% [markdown]
# Before you try it, work out what many small changes add up to.
#
# ### Exercise 15.2: predict
#
# A score is the sum of 784 products, each of one weight and one pixel. Each weight is 0.05 or -0.05, and each pixel may
# change by at most 0.1.
#
# 1. What is the largest possible increase of the score?
# 2. If each pixel moves up or down by 0.1 at random, what is the standard deviation of the change?

# %% exercise="15.2"
# A list of two numbers, to two decimals.
### BEGIN SOLUTION
rise_and_spread = [3.92, 0.14]
### END SOLUTION

# %%
check("15.2", rise_and_spread)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Each pixel changes the score by 0.005, up or down. In the best case, all 784 changes go up.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Variances of independent changes add up, so the standard deviation of the sum grows with the square root of their
# number: √784 = 28.
#
# </details>
#
# This cell builds such a score, and changes the pixels in both ways:

# %%
rng = np.random.default_rng(15)
w = rng.choice([-0.05, 0.05], 784)
best_change = np.sum(w * 0.1 * np.sign(w))
random_changes = 0.1 * rng.choice([-1.0, 1.0], (2000, 784)) @ w

print(f"in the best direction {best_change:.2f}, at random {random_changes.std():.2f}")

# %% tags=["claims"]
assert np.isclose(best_change, 3.92, rtol=1e-4)
assert np.isclose(random_changes.std(), 0.14, rtol=0.1)

# %% [markdown]
# The chosen signs move the score 28 times as far as random signs typically do, because the effect of the chosen signs
# grows with n, the number of pixels, while the effect of random signs grows only with √n.
#
# > **Predict**
# >
# > You change every pixel of 1,000 images by 0.1, a tenth of the way from black to white, and clip the result. With
# > random signs, the network still reads nearly all of the images correctly. What happens with the signs of the
# > gradient?

# %%
predict("15.e", "")

# %% tags=["nbval-ignore-output"]
x_some, y_some = x_unseen[:1000], y_unseen[:1000]
noise = 0.1 * tf.sign(tf.random.normal(x_some.shape))
changed = {
    "unchanged": x_some,
    "random signs": tf.clip_by_value(x_some + noise, 0.0, 1.0),
    "signs of the gradient": one_step(model, x_some, y_some, 0.1),
}
for name, images_now in changed.items():
    print(f"{name:22} accuracy {accuracy(model, images_now, y_some):.1%}")

# %% tags=["claims"]
lost = {
    name: accuracy(model, x_some, y_some) - accuracy(model, images_now, y_some)
    for name, images_now in changed.items()
}
assert lost["random signs"] < 0.05 and lost["signs of the gradient"] > 0.1

# %% [markdown]
# With the signs of the gradient, the accuracy drops far more than with random signs, although no pixel moves farther.
# Half of the pixels do not even move: they are black, and the gradient asks them to get darker. The figure shows some
# of the images that the step turned into mistakes, each with the wrong answer above it. Which digits do you see in
# them?

# %% tags=["nbval-ignore-output"]
fooling = changed["signs of the gradient"]
predictions = np.argmax(model(fooling), axis=1)
was_right = np.argmax(model(x_some), axis=1) == y_some
fooled = np.flatnonzero((predictions != y_some) & was_right)[:8]
ax = show_images(fooling.numpy()[fooled], y_some[fooled], predictions[fooled])

# %% tags=["claims"]
unsigned = x_some + 0.1 * input_gradient(lambda x: loss_fn(y_some, model(x)), x_some)
unclipped = x_some + 0.1 * tf.sign(unsigned - x_some)
assert np.max(np.abs(unsigned - x_some)) < 1e-2 and np.min(unclipped) < -0.09

# %% [markdown]
# Two parts of the attack are often forgotten. Without `tf.sign`, almost nothing moves: a confident network has tiny
# gradients, and averaging the loss over 1,000 images makes them another 1,000 times smaller. Without the clip, pixels
# leave the range from 0 to 1, and the result is no longer an image.
#
# ### Exercise 15.3: complete
#
# Now change images so that the network mistakes them for a class of *your* choice. Take one step along the signs, of
# size `epsilon` per pixel, that lowers the cross-entropy for the classes in `target`. A pixel whose slope is 0 should
# keep its value. Clip the result to the range from 0 to 1.


# %% exercise="15.3"
def toward(logits_of, x, target, epsilon):
    """Return the moved images, (n, d), for images x (n, d) and classes target (n,).

    logits_of(x) gives the logits, (n, classes).
    """
    ### BEGIN SOLUTION
    with tf.GradientTape() as tape:
        tape.watch(x)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(target, logits_of(x))
    step = epsilon * tf.sign(tape.gradient(losses, x))
    return tf.clip_by_value(x - step, 0.0, 1.0)
    ### END SOLUTION


# %%
check("15.3", toward)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# `tf.nn.sparse_softmax_cross_entropy_with_logits(target, logits_of(x))` returns a loss for each image. Should your step
# raise this loss or lower it?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Start from the lines of `one_step`, and use the target instead of the label and minus instead of plus. The network is
# `logits_of`, which takes the images as its only argument.
#
# </details>

# %% [markdown]
# ## Are several small steps stronger?
#
# A single step relies on the slope at the start. **Projected gradient descent** takes several small steps, and computes
# the slope again before each. Each step is clipped twice: first to the range of pixels, in `one_step`, and then to
# within ε of the *original* image, in the loop. With ten steps of ε/4, a pixel can reach the limit in four steps, and
# has six left in case its slope changes sign.


# %%
def several_steps(model, x, y, epsilon, steps=10):
    moved = x
    for _ in range(steps):
        moved = one_step(model, moved, y, 2.5 * epsilon / steps)
        moved = tf.clip_by_value(moved, x - epsilon, x + epsilon)
    return moved


# %% tags=["nbval-ignore-output"]
stronger = several_steps(model, x_some, y_some, 0.1)

print(f"accuracy after one step:  {accuracy(model, fooling, y_some):.1%}")
print(f"accuracy after ten steps: {accuracy(model, stronger, y_some):.1%}")
print(f"largest change of a pixel: {np.max(np.abs(stronger - x_some)):.2f}")

# %% tags=["claims"]
assert accuracy(model, stronger, y_some) < accuracy(model, fooling, y_some) - 0.03
assert np.max(np.abs(stronger - x_some)) < 0.1 + 1e-5
assert np.min(stronger) >= 0 and np.max(stronger) <= 1

# %% [markdown]
# Ten small steps fool the network more often than one full step, although they stay within the same ε.
#
# ### Exercise 15.4: repair
#
# You can find versions of this attack on the web. After every step, each pixel should be within `epsilon` of the
# original image, but after many steps of `size`, some pixels are much farther away. Find out why the clip does not hold
# them back, and repair the function. It should take all `steps` steps, even if an image already fools the network.


# %% exercise="15.4"
def attack(logits_of, x, y, epsilon, size, steps):
    # x: images (n, d), from 0 to 1; y: their classes, (n,). Returns the moved images.
    ### BEGIN SOLUTION
    #| for _ in range(steps):
    #|     with tf.GradientTape() as tape:
    #|         tape.watch(x)
    #|         losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits_of(x))
    #|     step = size * tf.sign(tape.gradient(losses, x))
    #|     x = tf.clip_by_value(x + step, x - epsilon, x + epsilon)
    #|     x = tf.clip_by_value(x, 0.0, 1.0)
    #| return x
    moved = x
    for _ in range(steps):
        with tf.GradientTape() as tape:
            tape.watch(moved)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits_of(moved))
        step = size * tf.sign(tape.gradient(losses, moved))
        moved = tf.clip_by_value(moved + step, x - epsilon, x + epsilon)
        moved = tf.clip_by_value(moved, 0.0, 1.0)
    return moved
    ### END SOLUTION


# %%
check("15.4", attack)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Which image does the name `x` refer to in the second pass of the loop?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Use a different name for the image that changes, and keep `x` for the original.
#
# </details>

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open the answer.
#
# <details><summary>1. You want the gradient with respect to an image, and the weights must not move. What do you freeze?</summary>
#
# Nothing. Take the gradient with respect to the image only. Computing a gradient changes no weight; only an optimizer
# or an `assign` does.
#
# </details>
# <details><summary>2. Why does a change of 0.1 per pixel along the signs of the gradient fool the network, while noise of 0.1 does not?</summary>
#
# The signs of the gradient make all 784 small changes add up. Random changes mostly cancel.
#
# </details>
# <details><summary>3. Someone reports an accuracy of 90% under a one-step attack. What do you ask?</summary>
#
# How high it is after several steps with the same ε.
#
# </details>

# %% [markdown]
# ## Recap
#
# - Watch the image, and take the gradient with respect to it.
# - Move every pixel by ε in the direction of the gradient's sign.
# - Clip to the range of pixels. If you take several steps, also clip to within ε of the original after each one.
#
# ```python
# with tf.GradientTape() as tape:
#     tape.watch(x)
#     loss = loss_fn(y, model(x, training=False))
# moved = tf.clip_by_value(x + epsilon * tf.sign(tape.gradient(loss, x)), 0.0, 1.0)
# ```
#
# **To remember**: many small changes with the right signs add up.

# %% [markdown]
# ## Going deeper
#
# Training against the attack, parts of a score that add up, and what a map of gradients proves.

# %% [markdown]
# ### Can a network be trained against it?
#
# Train on attacked images, made for each batch against the weights of that moment. This is **adversarial training**.
# Attack the batch *before* the training tape opens, so that this tape treats the attacked images as data. The epoch
# of lesson 10 does this if you pass the attack as `change`. An attack needs labels, but `change` gets only the
# images. So here the network's own predictions serve as labels. It is nearly always right on these images:


# %% tags=["nbval-ignore-output"]
hardened = build_network()
hardened.set_weights(model.get_weights())


def attacked(x):
    return one_step(hardened, x, tf.argmax(hardened(x, training=False), axis=1), 0.1)


epochs = 2 if is_mnist else 20
optimizer = keras.optimizers.Adam(1e-3)
train_epoch = make_train_epoch(hardened, optimizer, loss_fn, images, y_train, change=attacked)
for epoch in range(epochs):
    train_epoch(np.random.default_rng([15, epoch]).permutation(len(images)))
    print(f"{epoch + 1} of {epochs} epochs", end="\r")

# %% [markdown]
# Now attack both networks, with one step and with ten. ε = 0.1 is what the hardened network was trained for:

# %% tags=["nbval-ignore-output"]
curves = {}
for name, network in {"plain": model, "hardened": hardened}.items():
    for attack_name, attack_by in {"1 step": one_step, "10 steps": several_steps}.items():
        curves[name, attack_name] = [
            accuracy(network, attack_by(network, x_some, y_some, epsilon), y_some)
            for epsilon in (0.0, 0.1, 0.15)
        ]

print("accuracy with ε =          0    0.1   0.15")
for (name, attack_name), values in curves.items():
    print(f"{name:8} {attack_name:12}", *(f"{value:6.1%}" for value in values))

# %% tags=["claims"]
plain, hard = (np.array(curves[name, "10 steps"]) for name in ("plain", "hardened"))
assert hard[1] - plain[1] > 0.15 and hard[0] > (0.96 if is_mnist else 0.85)
assert hard[2] < curves["hardened", "1 step"][2] - 0.05
for name in ("plain", "hardened"):
    assert np.all(np.array(curves[name, "10 steps"]) <= np.array(curves[name, "1 step"]) + 0.03)

# %% [markdown]
# The hardened network holds far longer. But beyond the ε that it was trained for, ten steps hurt it more than one
# does.
#
# Adversarial training costs time, because each step needs an additional forward and backward pass for the images. On
# harder images it also costs accuracy. And it proves less than it seems to: **an attack that fails is no proof**. A
# stronger attack may still lower the accuracy.

# %% [markdown]
# ### Can I split a score among the pixels?
#
# A saliency map says what a *change* would do. To split the score itself, people multiply the gradient by the pixel:
# **gradient times input**.
#
# > **Predict**
# >
# > The network gives one image a probability of more than 0.99. What does gradient times input of that *probability* add up
# > to?

# %%
predict("15.c", "")

# %%
def class_probabilities(x, labels=y):
    return tf.gather(tf.nn.softmax(model(x, training=False)), labels, batch_dims=1)


product = x * input_gradient(class_probabilities, x)
surest = int(tf.argmax(class_probabilities(x)))

print(f"probability {class_probabilities(x)[surest]:.1f}")
print(f"sum of the parts {abs(np.sum(product[surest])):.1f}")

# %% [markdown]
# It adds up to about 0. The probability is on a plateau, where every slope is nearly 0. Here is a plateau with one number:
# flat at the end, steep in the middle.

# %%
def plateau(x):
    return tf.sigmoid(10 * x - 3)


position = tf.linspace(0.0, 1.0, 101)
fig, ax = plt.subplots(figsize=(4.8, 2.6))
ax.plot(position, plateau(position))
labels = ax.set(xlabel="x", ylabel="output")

# %% [markdown]
# So fade the image in from black. The change in the output is the **mean slope** on the way, times the distance. This
# is the fundamental theorem of calculus. For the plateau, take 20 slopes, in the middles of 20 pieces:

# %%
middles = (tf.range(20.0) + 0.5) / 20
mean_slope = tf.reduce_mean(input_gradient(plateau, middles))

print(f"slope at the end {input_gradient(plateau, tf.constant(1.0)):.2f}")
print(f"mean slope {mean_slope:.2f}, change of the output {plateau(1.0) - plateau(0.0):.2f}")

# %% tags=["claims"]
assert np.isclose(mean_slope, plateau(1.0) - plateau(0.0), atol=2e-3)

# %% [markdown]
# In an image, every pixel gets its mean slope times its distance from black. These **integrated gradients** add up to
# the difference between the outputs for the image and for black. They are *complete*. This also tests your program:
# if you use many pieces and the parts still do not add up, the program is wrong.


# %%
def integrated_gradients(f, x, pieces=100):
    """Return what each pixel contributes to f on the way from black to x, in the shape of x."""
    total = tf.zeros_like(x)
    for piece in range(pieces):
        total += input_gradient(f, (piece + 0.5) / pieces * x)
    return x * total / pieces


# %% tags=["nbval-ignore-output"]
black = tf.zeros_like(x)
for pieces in (5, 100):
    # (200, 28, 28, 1)
    parts = integrated_gradients(class_probabilities, x, pieces)
    sums = np.sum(parts, axis=(1, 2, 3))
    # (200,)
    missing = np.abs(sums - (class_probabilities(x) - class_probabilities(black)))
    print(f"{pieces:3} pieces: mean sum {np.mean(sums):.2f}, mean error {np.mean(missing):.4f}")

# %% tags=["claims"]
assert np.mean(missing) < 0.02 * np.mean(np.abs(sums))
assert np.abs(sums - np.sum(product, axis=(1, 2, 3)))[surest] > 0.9
of_few = np.sum(integrated_gradients(class_probabilities, x, pieces=5), axis=(1, 2, 3))
change = class_probabilities(x) - class_probabilities(black)
assert np.mean(np.abs(of_few - change)) > 3 * np.mean(missing)

# %% [markdown]
# The start is a choice. On the way from black, a black pixel stays black, so its part is 0, and only ink can count. You can
# also average over several starts.
#
# ### Exercise 15.1: complete
#
# `x` is one example, (d,), and `starts` holds m others, (m, d). On the line from each start to `x`, compute each entry's mean
# slope from `pieces` middles, and multiply it by the entry's distance from the start. Return the mean of these parts over the
# starts. `f` takes examples (n, d) and returns their scores, (n,). All numbers are float64.


# %% exercise="15.1"
def mean_parts(f, x, starts, pieces):
    """Return each entry's part, (d,)."""
    ### BEGIN SOLUTION
    ways = x - starts  # (m, d)
    total = tf.zeros_like(starts)
    for piece in range(pieces):
        at = starts + (piece + 0.5) / pieces * ways
        with tf.GradientTape() as tape:
            tape.watch(at)
            scores = f(at)
        total += tape.gradient(scores, at)
    return tf.reduce_mean(ways * total / pieces, axis=0)
    ### END SOLUTION


# %%
check("15.1", mean_parts)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# `starts + share * (x - starts)` is a point on each line, because (m, d) and (d,) broadcast. The tape must watch it.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Sum the gradients at the shares (piece + 0.5) / pieces, divide by `pieces`, multiply by `x - starts`, and only then take the
# mean over the starts.
#
# </details>

# %% [markdown]
# ### What does a map of gradients prove?
#
# Take a network that knows nothing: the same one, with the numbers within each of its weights shuffled.
#
# > **Predict**
# >
# > It recognizes no digit. What does its gradient times input look like?

# %%
predict("15.d", "")

# %%
shuffled, rng = build_network(), np.random.default_rng(15)
shuffled.set_weights([rng.permutation(w.ravel()).reshape(w.shape) for w in model.get_weights()])


def shuffled_scores(x):
    return tf.gather(shuffled(x, training=False), y, batch_dims=1)


by_trained = x * saliency
by_shuffled = x * input_gradient(shuffled_scores, x)

ax = show_images(np.concatenate([x[:8], bright(by_trained[:8]), bright(by_shuffled[:8])]))

# %% [markdown]
# The first row shows the images, the second the maps of the trained network, and the third those of the shuffled one. Both
# look like digits, because the input is a factor of the map. The figure shows *sizes*. The *signs* say which pixels speak for
# the class and which against it. How strongly do the two maps correlate?


# %% tags=["nbval-ignore-output"]
def correlation(a, b):
    """Return the mean correlation, over the images, of two maps' pixels."""
    pairs = zip(np.reshape(a, (len(a), -1)), np.reshape(b, (len(b), -1)), strict=True)
    return np.mean([np.corrcoef(p, q)[0, 1] for p, q in pairs])


print(f"accuracy of the shuffled network: {accuracy(shuffled, x, y):.1%}")
print(f"correlation of the sizes: {correlation(np.abs(by_trained), np.abs(by_shuffled)):.2f}")
print(f"correlation with signs:   {correlation(by_trained, by_shuffled):.2f}")

# %% tags=["claims"]
assert accuracy(shuffled, x, y) < 0.3 and abs(correlation(by_trained, by_shuffled)) < 0.2
assert correlation(np.abs(by_trained), np.abs(by_shuffled)) > 0.4

# %% [markdown]
# In size, both maps follow the ink. With signs, they hardly agree. A second test uses the network itself: **erase** the 30
# pixels that speak most *for* the class, and see whether it still knows the digit.


# %% tags=["nbval-ignore-output"]
def accuracy_without(parts, count=30):
    """Return the accuracy after the count pixels with the largest parts are set to 0."""
    pixels = np.array(tf.reshape(x, (len(x), -1)))
    strongest = np.argsort(np.reshape(parts, (len(x), -1)))[:, -count:]
    np.put_along_axis(pixels, strongest, 0, axis=1)
    return accuracy(model, np.reshape(pixels, x.shape), y)


random_ink = x * rng.random(x.shape)
maps = {"trained": by_trained, "shuffled": by_shuffled, "random ink": random_ink}
for name, parts in maps.items():
    print(f"without 30 pixels of {name:10}: accuracy {accuracy_without(parts):.1%}")

# %% tags=["claims"]
assert accuracy_without(by_trained) < 0.5
assert min(accuracy_without(by_shuffled), accuracy_without(random_ink)) > 0.7

# %% [markdown]
# Without the pixels of its own map the network is lost. The pixels of the shuffled network's map matter as little as random
# ink. So a map that looks right is no evidence. This one passed two tests: its signs changed with the weights, and the network
# needs the pixels that it picks.

# %% [markdown]
# ## Further reading
#
# - Goodfellow, Shlens and Szegedy, *Explaining and harnessing adversarial examples*, ICLR 2015: the step with signs.
# - Madry et al., *Towards deep learning models resistant to adversarial attacks*, ICLR 2018: several steps.
# - Sundararajan, Taly and Yan, *Axiomatic attribution for deep networks*, ICML 2017: integrated gradients.
# - Adebayo et al., *Sanity checks for saliency maps*, NeurIPS 2018: what stays when weights are shuffled.
#
# Next, the gradient that reaches an image goes on into the network that made it:
# [16 · Two networks](16_two_networks.ipynb).

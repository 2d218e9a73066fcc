# %% [markdown] part="Part II: training loops"
# # 13 · MNIST
#
# You try twenty networks on the test images, and report the accuracy of the best one. In production, the accuracy is
# lower. Nobody cheated: if you use a number to choose, the winner is partly lucky, and the number no longer says how
# good the network is. In this lesson you train a network to about 99%, and report a number that is true.
#
# **You will learn to**
#
# - hold out images, and make every choice with them;
# - find mistakes with one batch, before a long training run;
# - compare two settings over several seeds, and tell a gain from luck.
#
# **Before you start**: [10 · Fast loops](10_fast_loops.ipynb) and
# [11 · Per-layer clipping](11_per_layer_clipping.ipynb). **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import (
    check,
    check_gradients,
    load_mnist,
    make_train_epoch,
    predict,
    shift_images,
    show_images,
    start_lesson,
)

start_lesson("13")

import tempfile

import keras
import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from keras import layers

# %% [markdown]
# ## Which images may I choose by?
#
# MNIST holds handwritten digits, 28 by 28 pixels each. If it is not on this computer and there is no internet
# connection, a smaller set of digits replaces it, and the next cell says so. The lesson runs on both.

# %% tags=["nbval-ignore-output"]
(x_train, y_train), (x_test, y_test) = load_mnist()
is_mnist = len(x_train) == 60_000
images = x_train[..., None]  # (n, 28, 28, 1): one channel

print("training images:", images.shape, images.dtype, "from", images.min(), "to", images.max())
print("test images:    ", x_test.shape)

# %% tags=["claims"]
assert images.shape[1:] == (28, 28, 1) and y_train.shape == images.shape[:1]

# %% [markdown]
# The test images answer one question, once, at the end: how good is the network that I chose? Pick the best of twenty
# networks by its test accuracy, and you have trained on the test images by hand.
#
# But you choose all the time: a layer, a learning rate, when to stop. So **hold out** a part of the *training*
# images. No weight is trained on them, and every choice is based on them. Draw them at random, because a file may be
# sorted:

# %%
order = np.random.default_rng(13).permutation(len(y_train))
held, kept = np.split(order, [len(order) // 12])  # row numbers
last_of_sorted = np.sort(y_train)[-len(held) :]

print("digits among the held-out images:      ", np.unique(y_train[held]))
print("digits among the last of a sorted file:", np.unique(last_of_sorted))

# %% tags=["claims"]
assert len(np.unique(y_train[held])) == 10 > len(np.unique(last_of_sorted))
assert len(np.intersect1d(held, kept)) == 0 and len(held) + len(kept) == len(y_train)

# %% [markdown]
# ### Exercise 13.1: complete
#
# Images often come in groups: many by one writer, or the frames of one video. If some images of a writer are held out and
# others are trained on, the network already knows the handwriting. So hold out whole writers. Draw
# `round(share * number of writers)` of them with the generator `rng`. All of their images are held out, and all others
# are kept.


# %% exercise="13.1"
def hold_out(writers, share, rng):
    """Return (kept, held): indices of images; writers has shape (n,), one number for each image."""
    ### BEGIN SOLUTION
    names = np.unique(writers)
    drawn = rng.choice(names, size=round(share * len(names)), replace=False)
    is_held = np.isin(writers, drawn)
    return np.flatnonzero(~is_held), np.flatnonzero(is_held)
    ### END SOLUTION


# %%
check("13.1", hold_out)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# `np.unique(writers)` lists each writer once. `rng.choice(names, size=k, replace=False)` draws k of them.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `np.isin(writers, drawn)` is `True` for each image whose writer was drawn. `np.flatnonzero` turns that into row numbers.
#
# </details>

# %% [markdown]
# ## Is everything right before I train?
#
# Here is the network: two convolutions, which look for small patterns anywhere in the image, and two dense layers. Its
# first layer divides the pixels by 255, so you cannot forget to scale them. *Going deeper* shows what a convolution
# computes.


# %%
def build_network(seed=13, dropout=0.3, width=16):
    keras.utils.set_random_seed(seed)
    return keras.Sequential(
        [
            keras.Input((28, 28, 1)),
            layers.Rescaling(1 / 255),
            # (n, 12, 12, width)
            layers.Conv2D(width, 5, strides=2, activation="relu"),
            # (n, 4, 4, 2 * width)
            layers.Conv2D(2 * width, 5, strides=2, activation="relu"),
            layers.Flatten(),
            layers.Dense(128, activation="relu"),
            layers.Dropout(dropout, seed=seed),
            layers.Dense(10),  # logits
        ]
    )


# %%
model = build_network()
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

print(f"{model.count_params():,} parameters")

# %% tags=["claims"]
assert model.layers[1].kernel.shape == (5, 5, 1, 16)

# %% [markdown]
# Before you train for minutes, look at a single batch, which takes a second.
#
# > **Predict**
# >
# > With its initial, random weights, what is the mean loss of a network with ten classes, to one decimal place?

# %%
predict("13.a", "")

# %% tags=["nbval-ignore-output"]
x, y = images[:128], y_train[:128]
first_loss = loss_fn(y, model(x))

print(f"{first_loss.numpy():.1f}")

# %% tags=["claims"]
assert abs(first_loss - np.log(10)) < 0.3
blind = [loss_fn(y, model(0 * x)), loss_fn(np.roll(y, 1), model(x))]
assert np.allclose(blind, np.log(10), atol=0.3)

# %% [markdown]
# It is about 2.3, the logarithm of 10: a network that knows nothing gives each class a tenth. A first loss far above
# that means that the network is confident and wrong. In that case, look at the scale of its inputs. A loss near 2.3
# proves little, because blank images and shuffled labels give it as well.
#
# The second test is to **overfit one batch**. A network with 80,000 parameters can memorize 32 images. If yours cannot,
# look for a mistake in the loop or for a bad learning rate:


# %%
def share_memorized(targets, learning_rate, n=32):
    """Return the share of n images that a new network gets right after training on them."""
    network, optimizer = build_network(), keras.optimizers.Adam(learning_rate)
    train_epoch = make_train_epoch(network, optimizer, loss_fn, x[:n], targets[:n])
    for _ in range(60):
        train_epoch(tf.range(n))
    return np.mean(np.argmax(network(x[:n]), axis=1) == targets[:n])


memorized = share_memorized(y, 1e-3)
with_small_rate = share_memorized(y, 1e-5)
with_wrong_labels = share_memorized(np.roll(y, 1), 1e-3)

print(f"learning rate 1e-3: all memorized: {memorized == 1}")
print(f"learning rate 1e-5: all memorized: {with_small_rate == 1}")
print(f"wrong labels, 1e-3: more than 90 % memorized: {with_wrong_labels > 0.9}")

# %% tags=["claims"]
assert memorized == 1.0 and with_small_rate < 0.7 and with_wrong_labels > 0.9

# %% [markdown]
# `make_train_epoch`, which lesson 10 builds, runs a whole epoch as one TensorFlow graph. You pass it the order of the
# examples. It also counts the correct predictions. With a learning rate of 1e-5, 60 steps are not enough. Wrong labels
# are memorized as well, so always look at some images beside their labels.
#
# ## Does a change help?
#
# Would a smaller learning rate be better? To find out, put everything that you may change into one dictionary, and
# measure the result by one number: the accuracy on the held-out images after eight epochs on 5,000 images. (`"shift"`
# moves the images at random. It is 0 here, and explained when it is used.)


# %%
setting = {"shift": 0, "dropout": 0.3, "width": 16, "rate": 2e-3}


def accuracy_on(rows, model):
    predictions = model.predict(images[rows], batch_size=500, verbose=0).argmax(axis=1)
    return np.mean(predictions == y_train[rows])


def new_train_epoch(model, optimizer, shift, generator, batch_size=128):
    def shifted(batch):
        return shift_images(batch, shift, generator)

    change = shifted if shift else None
    return make_train_epoch(
        model, optimizer, loss_fn, images, y_train, change=change, batch_size=batch_size
    )

# %%
def measure(setting, seed):
    """Train a network with this setting, and return its accuracy on the held-out images."""
    model = build_network(seed, setting["dropout"], setting["width"])
    optimizer = keras.optimizers.Adam(setting["rate"])
    generator, rng = tf.random.Generator.from_seed(seed), np.random.default_rng(seed)
    train_epoch = new_train_epoch(model, optimizer, setting["shift"], generator)
    for _ in range(8):
        train_epoch(rng.permutation(kept[:5000]))
    return accuracy_on(held, model)


# %% [markdown]
# The seed sets the initial weights, the order of the images, and what dropout drops. Compare the learning rates 2e-3 and
# 2e-4 with three seeds. The six runs take up to a minute:

# %% tags=["nbval-ignore-output"]
accuracies = []
for seed in (1, 2, 3):
    print(f"seed {seed}:", end=" ", flush=True)
    accuracies.append([measure(setting, seed), measure(setting | {"rate": 2e-4}, seed)])
    print("rate 2e-3 {:.1%}, rate 2e-4 {:.1%}".format(*accuracies[-1]))
fast, slow = np.transpose(accuracies)

# %% tags=["claims"]
assert max(slow) < min(fast) and np.ptp(fast) > 0

# %% [markdown]
# The smaller rate does worse with every seed, and by more than the seeds differ from one another. Most changes are
# less clear. The accuracies of *one* setting also differ from seed to seed, so a single pair of runs proves nothing.
#
# Run both settings with the same seed and subtract: the luck that they share cancels. The mean of these differences
# is the **gain**. The **standard error** says how far chance typically moves the gain. It is the standard deviation
# of the differences, divided by the square root of their number.

# %% tags=["nbval-ignore-output"]
differences = 100 * (slow - fast)  # in points
gain, error = differences.mean(), differences.std(ddof=1) / np.sqrt(len(differences))

fig, ax = plt.subplots(figsize=(6.4, 1.6))
dots = ax.plot(differences, np.ones(3), "o")
bar = ax.errorbar(gain, 0, xerr=error, fmt="s", color="C1", capsize=4)
line = ax.axvline(0, color="0.5", linewidth=1)
labels = ax.set(xlabel="change of the accuracy, in points", yticks=[0, 1], ylim=(-0.6, 1.6))
ax.set_yticklabels(["mean and its error", "three seeds"])

print(f"gain {gain:.2f} points, standard error {error:.2f}")

# %% tags=["claims"]
assert gain < -4.3 * error or not is_mnist
rng = np.random.default_rng(13)
for n, errors in ((30, 2.0), (5, 2.8), (3, 4.3)):
    luck = rng.normal(size=(100_000, n))
    beyond = np.abs(luck.mean(axis=1)) > errors * luck.std(axis=1, ddof=1) / np.sqrt(n)
    assert np.isclose(np.mean(beyond), 0.05, atol=0.008)

# %% [markdown]
# The dots are the three differences, and the square is their mean with its standard error. When do you believe a
# gain? Ask for more than 4.3 standard errors if you have three seeds, 2.8 if you have five, and 2 if you have thirty.
# Even a change that does nothing goes beyond these limits, up or down, in about one comparison out of twenty. (The
# numbers come from Student's t distribution.)
#
# ### Exercise 13.4: complete
#
# Write this comparison as a function. `measure(setting, seed)` returns an accuracy. `setting` is a dict, and `change` is a
# dict with the one entry that you change. Use every seed for both settings, and do not modify `setting`. Return the gain as
# `measure` counts, as a fraction such as 0.01, and not in points.


# %% exercise="13.4"
def compare(measure, setting, change, seeds):
    """Return (gain, its standard error) of the change; the gain is positive if it helps."""
    ### BEGIN SOLUTION
    changed = setting | change
    gains = [measure(changed, seed) - measure(setting, seed) for seed in seeds]
    return np.mean(gains), np.std(gains, ddof=1) / np.sqrt(len(gains))
    ### END SOLUTION


# %%
check("13.4", compare)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# `setting | change` is a new dict that includes the change. Compute one difference for each seed.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `np.std(gains, ddof=1)` divides by n - 1. Then divide by `np.sqrt(len(gains))`.
#
# </details>
#
# Now try a change of your own: add a cell with `compare(measure, setting, {"shift": 2}, [1, 2, 3])`, or change the
# dropout or the width. Say what you expect before you run it. It takes up to a minute.

# %% [markdown]
# ## Does it reach 99%?
#
# Now train on all images that are not held out, for seven epochs in batches of 256. Each image is shifted by up to two pixels
# in a random direction: a 7 is still a 7 if it is a little farther to the left. The learning rate rises for the first third
# of the steps and then falls along a cosine. All of these choices were made with the held-out images.
#
# It takes up to a minute. The line below the cell shows the progress.


# %%
def print_epoch(number, loss, accuracy):
    line = f"epoch {number + 1} of {epochs}: loss {loss:.3f}, accuracy {accuracy:.1%}"
    print(line, end="\r")  # the next line is written over this one


epochs = 7 if is_mnist else 60
# rounded up, as the last batch is short
steps = epochs * -(-len(kept) // 256)
schedule = keras.optimizers.schedules.CosineDecay(
    0.0, steps - steps // 3, warmup_target=4e-3, warmup_steps=steps // 3
)

# %% tags=["nbval-ignore-output"]
model, optimizer = build_network(), keras.optimizers.Adam(schedule)
generator = tf.random.Generator.from_seed(13)
train_epoch = new_train_epoch(model, optimizer, 2, generator, batch_size=256)

print("the first epoch", end="\r")
for number in range(epochs):
    order = np.random.default_rng([13, number]).permutation(kept)
    print_epoch(number, *train_epoch(order))

accuracy = accuracy_on(held, model)
print(f"\naccuracy on the held-out images: {accuracy:.2%}")

# %% tags=["claims"]
assert accuracy >= (0.99 if is_mnist else 0.9)

# %% [markdown]
# On MNIST, about 99.3% of the held-out images are right. The accuracy in the line above is lower. It is counted
# while the network is still learning, on shifted images, and with dropout.
#
# Now take the one look at the test images:

# %% tags=["nbval-ignore-output"]
predictions = model.predict(x_test[..., None], batch_size=500, verbose=0).argmax(axis=1)

print(f"accuracy on the test images: {np.mean(predictions == y_test):.2%}")

# %% tags=["claims"]
chance = [100 * np.sqrt(p * (1 - p) / n) for p, n in ((0.993, 10_000), (0.98, 297))]
assert np.allclose(chance, [0.08, 0.8], rtol=0.05)

# %% [markdown]
# There is no passing score for this number. If there were one, you would change the network until it passed, and that
# is choosing with the test images. With 10,000 test images, chance alone moves the accuracy by about 0.08 points. So
# do not be surprised if it is a little lower than the held-out accuracy, or a little higher.

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open the answer.
#
# <details><summary>1. The first loss of your classifier with 1,000 classes is 240. What do you look at
# first?</summary>
#
# The scale of the inputs. A network that knows nothing starts near ln(1000) = 6.9. This one is sure, and wrong.
#
# </details>
# <details><summary>2. One run with a change reaches 99.1%, and one without it 99.0%. What do you know?</summary>
#
# Little. Two runs that differ only in the seed may be just as far apart. Run several seeds with both settings, and
# compare the mean difference with its standard error.
#
# </details>
# <details><summary>3. You look at the images that the network gets wrong, and change the network. Which images may you look at?</summary>
#
# Held-out images. If you look at the test images and then change the network, you have used the test images to
# choose.
#
# </details>

# %% [markdown]
# ## Recap
#
# - Hold out training images at random, and whole groups if they come in groups.
# - Before you train: check that the first loss is near ln(classes), and that one batch can be memorized.
# - Compare settings with the same seeds, and ask for a gain of more than 4.3 standard errors with three seeds.
# - Choose with the held-out images. Look at the test images once.
#
# ```python
# gains = [measure(setting | change, seed) - measure(setting, seed) for seed in seeds]
# gain, error = np.mean(gains), np.std(gains, ddof=1) / np.sqrt(len(gains))
# ```
#
# **To remember**: once you have used a number to choose, you can no longer report it.

# %% [markdown]
# ## Going deeper
#
# Writing the epoch and the measurement yourself, stopping and resuming a training run, mistakes that point to wrong
# labels, and what a convolution computes.

# %% [markdown]
# ### Can I write the epoch myself?
#
# `make_train_epoch` and `shift_images` are short, and you know all of their parts. Each epoch passes in an order, a new
# permutation of the row numbers, and the loop slices it into batches.
#
# > **Predict**
# >
# > 55,000 of MNIST's training images are kept, which is not a multiple of 128. What does
# > `order[first : first + batch_size]` return for the last batch?

# %%
predict("13.b", "")

# %%
order = tf.range(55_000)
sizes = [len(order[first : first + 128]) for first in range(0, 55_000, 128)]

print(len(sizes), "batches, the last has", sizes[-1])

# %% tags=["claims"]
assert 0 < sizes[-1] < 128 and sum(sizes) == 55_000

# %% [markdown]
# The slice stops at the end, so the last batch has 88 images. A mean of the batches' means would count these 88 images as
# much as any other 128. So add up losses and correct predictions over all examples, and divide once at the end:

# %%
rng = np.random.default_rng(13)
# later examples do better
is_right = rng.random(55_000) < np.linspace(0.5, 1, 55_000)
mean_of_means = np.mean([is_right[first : first + 128].mean() for first in range(0, 55_000, 128)])

print(f"mean of means {mean_of_means:.5f}, true mean {is_right.mean():.5f}")

# %% tags=["claims"]
assert 0 < mean_of_means - is_right.mean() < 0.01

# %% [markdown]
# To shift images, `shift_images` pads each image with zeros and cuts a window out of it at a random position. Inside
# it, one `tf.gather` takes the rows of the window, and a second one its columns. `batch_dims=1` gives each image its
# own list of rows. Here is one digit, five times:

# %% tags=["nbval-ignore-output"]
generator = tf.random.Generator.from_seed(1)
ax = show_images(shift_images(np.repeat(images[:1], 5, axis=0), 2, generator)[..., 0])

# %% tags=["claims"]
rows = shift_images(tf.ones((200, 28, 28, 1)), 2, generator).numpy()[..., 0].sum(axis=(1, 2))
assert rows.min() >= 26 * 26 and rows.max() == 28 * 28

# %% [markdown]
# ### Exercise 13.2: complete
#
# Measure a model in batches. `logits_of(x)` returns logits of shape (m, classes) for a batch of m examples, and it may get at
# most `batch_size` examples at a time. `x` has shape (n, features), and `y` has shape (n,). Return the mean cross-entropy
# and the accuracy over all n examples as a tuple. `batch_size` need not divide n.


# %% exercise="13.2"
def evaluate(logits_of, x, y, batch_size):
    """Return (mean loss, accuracy) over all examples, asked for in batches."""
    ### BEGIN SOLUTION
    loss_sum, correct = 0.0, 0
    for first in range(0, len(y), batch_size):
        labels = y[first : first + batch_size]
        logits = logits_of(x[first : first + batch_size])
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        loss_sum += tf.reduce_sum(losses)
        correct += np.sum(np.argmax(logits, axis=1) == labels)
    return loss_sum / len(y), correct / len(y)
    ### END SOLUTION


# %%
check("13.2", evaluate)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Keep two sums over the batches, and divide each by n once, at the end.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)` returns one loss for each example. `loss_fn` returns the
# mean of a batch: multiply it by the size of the batch before you add it.
#
# </details>

# %% [markdown]
# ### Exercise 13.3: complete
#
# Train a model, and measure it. Each of `orders` is one epoch: row numbers of the images, in the order in which to
# train. Go through it in batches of `batch_size`, the last of which may be short, and take one step of `optimizer`
# for each batch. The loss is the mean cross-entropy of the logits, computed with `training=True`, plus the model's
# penalties (lesson 09). Return the accuracy on the images `held` after the last epoch. You need no `tf.function`.


# %% exercise="13.3"
def train_and_measure(model, optimizer, images, labels, orders, held, batch_size):
    """Train in place, and return the share of the held-out images that are then right."""
    ### BEGIN SOLUTION
    for order in orders:
        for first in range(0, len(order), batch_size):
            batch = order[first : first + batch_size]
            x, y = tf.gather(images, batch), tf.gather(labels, batch)
            with tf.GradientTape() as tape:
                logits = model(x, training=True)
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits)
                loss = tf.reduce_mean(losses) + sum(model.losses)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply(gradients, model.trainable_variables)
    logits = model(tf.gather(images, held), training=False)
    return np.mean(np.argmax(logits, axis=1) == tf.gather(labels, held))
    ### END SOLUTION


# %%
check("13.3", train_and_measure)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Write two loops, over epochs and over batches, around the step of lesson 09. `tf.gather(images, batch)` fetches images by
# their row numbers. Fetch the labels in the same way.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Below both loops, call the model once more on the held-out images, with `training=False`, and compare
# `np.argmax(logits, axis=1)` with their labels.
#
# </details>

# %% [markdown]
# ### Can I stop a training run, and resume it?
#
# Sooner or later, a training run that takes all night is killed by a crash or an update. To go on, you need its whole
# state. That is more than the weights: Adam keeps two running averages for each weight, of its gradient and of the
# gradient's square, and it counts the steps. `tf.train.Checkpoint` writes a model and an optimizer to a file.
#
# Here is a short run of eight epochs. The first time, nothing stops it. The second time, it is stopped after four
# epochs, and a new run goes on from the file:


# %%
def new_run():
    model, optimizer = build_network(), keras.optimizers.Adam(1e-3)
    return model, optimizer, tf.random.Generator.from_seed(13)


def run_epochs(run, numbers):
    """Train for the epochs with these numbers; the order depends only on the number."""
    model, optimizer, generator = run
    train_epoch = new_train_epoch(model, optimizer, 2, generator)
    for number in numbers:
        train_epoch(np.random.default_rng([13, number]).permutation(kept[:1000]))


folder = tempfile.TemporaryDirectory()
without_stop = new_run()
run_epochs(without_stop, range(8))

# %%
model, optimizer, generator = stopped = new_run()
run_epochs(stopped, range(4))
path = tf.train.Checkpoint(model=model, optimizer=optimizer).write(f"{folder.name}/part")

model, optimizer, generator = resumed = new_run()
optimizer.build(model.trainable_variables)
tf.train.Checkpoint(model=model, optimizer=optimizer).read(path).expect_partial()
run_epochs(resumed, range(4, 8))

# %% [markdown]
# > **Predict**
# >
# > The new run read the model and the optimizer, and saw the same examples in the same order. Are its weights equal to
# > those of the run without a stop?

# %%
predict("13.c", "")


# %%
def distance(run, other):
    """Return the largest difference between the weights of two runs."""
    pairs = zip(run[0].get_weights(), other[0].get_weights(), strict=True)
    return max(np.max(np.abs(a - b)) for a, b in pairs)


print("equal within 1e-6:", bool(distance(resumed, without_stop) < 1e-6))

# %% tags=["claims"]
assert distance(resumed, without_stop) > 1e-4

# %% [markdown]
# They differ. For every random number in the run, ask where it comes from, and whether that is saved. The order comes from
# the number of the epoch. But dropout counts its draws in a variable, which Keras lists in
# `model.non_trainable_variables`, and the shifts come from the generator. Put both into the checkpoint:


# %%
def checkpoint_of(run):
    model, optimizer, generator = run
    optimizer.build(model.trainable_variables)
    dropout = [variable.value for variable in model.non_trainable_variables]
    return tf.train.Checkpoint(
        model=model, optimizer=optimizer, generator=generator, dropout=dropout
    )


stopped = new_run()
run_epochs(stopped, range(4))
path = checkpoint_of(stopped).write(f"{folder.name}/whole")

resumed = new_run()
checkpoint_of(resumed).read(path).assert_consumed()
run_epochs(resumed, range(4, 8))

print("equal within 1e-6:", bool(distance(resumed, without_stop) < 1e-6))

# %% tags=["claims"]
assert distance(resumed, without_stop) < 1e-6

# %% [markdown]
# ### Exercise 13.5: repair
#
# `go_on` is called again and again with one `path`. Each call should continue after the last *complete* epoch, train up to
# `epochs` epochs in all, and return the model, with the weights of a run that was never killed. `new_run()` returns a new
# model, with dropout, and an optimizer that is already built. `train_epoch(model, optimizer, number)` trains epoch
# `number`, in an order that depends on the number. Three things are missing.


# %% exercise="13.5"
def go_on(new_run, train_epoch, path, epochs):
    # Returns the model after the epochs 0 to epochs - 1.
    ### BEGIN SOLUTION
    #| model, optimizer = new_run()
    #| checkpoint = tf.train.Checkpoint(model=model)
    #| if tf.io.gfile.exists(f"{path}.index"):
    #|     checkpoint.read(path).expect_partial()
    #| for number in range(epochs):
    #|     train_epoch(model, optimizer, number)
    #|     checkpoint.write(path)
    #| return model
    model, optimizer = new_run()
    done = tf.Variable(0)
    dropout = [variable.value for variable in model.non_trainable_variables]
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, dropout=dropout, done=done)
    if tf.io.gfile.exists(f"{path}.index"):
        checkpoint.read(path).assert_consumed()
    for number in range(int(done), epochs):
        train_epoch(model, optimizer, number)
        done.assign(number + 1)
        checkpoint.write(path)
    return model
    ### END SOLUTION


# %%
check("13.5", go_on)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# What does the second call not know? What the optimizer remembers, what dropout drew, and how many epochs are done.
#
# </details>
# <details><summary>Hint 2</summary>
#
# A `tf.Variable(0)` in the checkpoint can count the epochs, and `range(int(done), epochs)` goes on from there. Assign its
# new value before you write.
#
# </details>
#
# If the program is killed while it writes, the file itself may be damaged. Long runs keep the last few files, with
# `tf.train.CheckpointManager`.

# %% [markdown]
# ### Which mistakes point to wrong labels?
#
# Look at the mistakes among the held-out images. In a **confusion matrix**, the entry in row i and column j counts
# the images of digit i that the network takes for digit j. The right ones, on the diagonal, are left out here. Is
# there a pair of digits that the network mixes up, or are the mistakes spread out?

# %% tags=["nbval-ignore-output"]
network, _, _ = without_stop
logits = network.predict(images[held], batch_size=500, verbose=0)
predictions = logits.argmax(axis=1)
confusion = np.zeros((10, 10), int)
np.add.at(confusion, (y_train[held], predictions), 1)
mistakes = confusion - np.diag(np.diag(confusion))

fig, ax = plt.subplots(figsize=(4.6, 4.2), facecolor="white")
ax.imshow(mistakes, cmap="Oranges", vmax=1.6 * max(mistakes.max(), 1))
labels = ax.set(xlabel="predicted", ylabel="label", xticks=range(10), yticks=range(10))
for i, j in np.argwhere(mistakes):
    ax.text(j, i, mistakes[i, j], ha="center", va="center")

# %% [markdown]
# These are the images with the largest loss, with their labels and predictions:

# %% tags=["nbval-ignore-output"]
losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y_train[held].astype(int), logits)
worst = np.argsort(losses)[::-1][:16]
ax = show_images(x_train[held[worst]], y_train[held[worst]], predictions[worst])

# %% tags=["claims"]
assert np.all(predictions[worst[:2]] != y_train[held[worst[:2]]])
assert np.isclose(1 - mistakes.sum() / len(held), accuracy_on(held, network))

# %% [markdown]
# ### Exercise 13.6: complete
#
# To find wrong labels in a data set, look where the model is wrong *and sure*. `logits` has shape (n, classes), and
# `labels` has shape (n,). Among the wrong predictions, find the k whose predicted class has the highest probability.
# Return their row numbers, the surest first.


# %% exercise="13.6"
def surest_mistakes(logits, labels, k):
    """Return the indices of at most k wrong predictions, the most probable first."""
    ### BEGIN SOLUTION
    probabilities = tf.nn.softmax(logits).numpy()
    sureness = probabilities.max(axis=1)
    wrong = np.flatnonzero(probabilities.argmax(axis=1) != labels)
    return wrong[np.argsort(-sureness[wrong])][:k]
    ### END SOLUTION


# %%
check("13.6", surest_mistakes)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Logits are not probabilities: if all logits of an example are large, the model need not be sure. `tf.nn.softmax` turns
# each row into probabilities.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Find the row numbers of the wrong predictions first, with `np.flatnonzero`. Then sort only those, by the largest
# probability of their row. `np.argsort` returns positions in that shorter list: use them to look up the row numbers.
#
# </details>

# %% [markdown]
# ### What does a convolution compute?
#
# **A convolution** moves a small filter across the image. At each place it multiplies the filter by the pixels under
# it, entry by entry, and adds up the products. This filter of 3 by 3 responds where the image goes from dark to
# bright:

# %%
image = np.zeros((4, 7), np.float32)
image[:, 4:] = 1.0  # bright from column 4 on
edge = np.array([[-1, 0, 1]] * 3, np.float32)

by_hand = np.zeros((2, 5), np.float32)
for i in range(2):
    for j in range(5):
        by_hand[i, j] = np.sum(image[i : i + 3, j : j + 3] * edge)

print(by_hand[0])

# %% tags=["claims"]
by_layer = tf.nn.conv2d(image[None, ..., None], edge[..., None, None], 1, "VALID")
assert np.array_equal(by_layer[0, ..., 0], by_hand)

# %% [markdown]
# So a convolution has few weights, 5 · 5 for each filter of the first layer, and looks for the same pattern
# everywhere. 16 filters make 16 new images, its **channels**. A filter of the second layer looks at all 16. Nobody
# chooses the weights: they are learned. With a **stride** of 2 the filter moves two pixels at a time, and a side of
# 28 becomes (28 - 5) // 2 + 1 = 12.
#
# Are the gradients of such a network right? `check_gradients` compares them with differences (lesson 07). A small network
# and a few images are enough. Move the biases off 0 first. With a bias of 0, a black background is exactly at the kink of
# the ReLU:

# %% tags=["nbval-ignore-output"]
network = build_network(width=4)
for variable in network.trainable_variables:
    if variable.name == "bias":
        variable.assign(variable + 0.1)

@tf.function
def loss_of_8():
    return loss_fn(y[:8], network(x[:8], training=False))


report = check_gradients(loss_of_8, network)

for row in report.rows:
    print(f"{row.name:28} {row.verdict}")

# %% tags=["claims"]
assert len(report.rows) == 8
assert not [row.name for row in report.rows if row.verdict == "disagrees"]

# %% [markdown]
# No gradient disagrees. If a kink is nearby, `check_gradients` says so, or says that it cannot tell.

# %% [markdown]
# ## Further reading
#
# - LeCun, Bottou, Bengio and Haffner, *Gradient-based learning applied to document recognition*, Proceedings
#   of the IEEE 86 (1998): where MNIST and networks like this one come from.
# - Karpathy, *A recipe for training neural networks* (2019): more to look at before training.
# - Smith and Topin, *Super-convergence* (2018): why a learning rate that rises and falls can train a network in few
#   epochs.
#
# The next lesson, [14 · fit or tape](14_fit_or_tape.ipynb), asks when you need your own loop at all.

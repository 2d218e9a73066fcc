# %% [markdown] part="Part III: what fit cannot say"
# # 18 · Choosing examples
#
# Someone has labeled 800 digits in a hurry. You train on the hardest half of them, as a paper advises, and the accuracy
# falls. So you try the opposite, weights that decrease smoothly as the loss grows, and now the gradient rewards the
# network for getting hard digits even more wrong. In this lesson you weight examples by their losses, and see what
# happens when 40% of the labels are wrong.
#
# **You will learn to**
#
# - give each example a weight that depends on its loss, and keep the gradient from flowing through that weight;
# - find wrong labels by their losses;
# - say when training on easy examples helps and when it hurts.
#
# **Before you start**: [13 · MNIST](13_mnist.ipynb). **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import check, load_mnist, predict, show_images, start_lesson

start_lesson("18")

import timeit

import keras
import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from keras import layers

# %% [markdown]
# ## Which examples are hard?
#
# You have 800 digits, scaled to half their size. About 40% of their labels are made wrong on purpose. The true labels
# stay in `y`, the labels with the mistakes go into `y_noisy`, and the test labels are all right.

# %% tags=["nbval-ignore-output"]
(x_train, y_train), (x_test, y_test) = load_mnist()


def prepare(images):
    """Return images of (n, 14 * 14) numbers from 0 to 1."""
    return images.reshape(-1, 14, 2, 14, 2).mean((2, 4)).reshape(-1, 196).astype("float32") / 255


# %%
random = np.random.RandomState(18)
x, y = tf.constant(prepare(x_train[:800])), y_train[:800].astype(int)
x_new, y_new = prepare(x_test[:2000]), y_test[:2000]

is_wrong = random.rand(800) < 0.4
other_digit = (y + random.randint(1, 10, 800)) % 10
y_noisy = np.where(is_wrong, other_digit, y)

print(f"wrong labels: {is_wrong.mean():.0%}")

# %% tags=["claims"]
assert 0.35 < is_wrong.mean() < 0.45 and np.all((y != y_noisy) == is_wrong)

# %% [markdown]
# The loss of an example, which you get from a forward pass, tells you how hard that example is for the network. A rule
# for choosing examples takes the losses of a batch and returns a weight for each example, here 0 or 1. (In this lesson,
# "weight" always means the weight of an example, not a weight of the network.) The following rule keeps the examples
# with the smallest losses:


# %%
def losses_of(model, x, labels):
    """Return the loss of each example, (n,)."""
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, model(x))


def smallest(losses, share):
    """Return 1 for this share of the losses, the smallest ones, and 0 for the others."""
    last = share * tf.cast(tf.size(losses) - 1, tf.float32)
    return tf.cast(losses <= tf.sort(losses)[tf.cast(last, tf.int32)], tf.float32)


print("weights:", smallest(tf.constant([0.3, 2.0, 0.1, 1.2, 0.7]), share=0.6).numpy())

# %% [markdown]
# During training, each loss is multiplied by its weight, and the sum is divided by the sum of the weights. You will see
# later what `stop_gradient` is for:


# %%
def train(labels, choose, epochs=60):
    """Train a new network; choose(losses, progress) weights each batch, with progress from 0 to 1."""
    keras.utils.set_random_seed(18)
    model = keras.Sequential([keras.Input((196,)), layers.Dense(128, "relu"), layers.Dense(10)])
    optimizer, labels = keras.optimizers.Adam(2e-3), tf.constant(labels)
    optimizer.build(model.trainable_variables)

    @tf.function
    def train_epoch(progress):
        for batch in tf.reshape(tf.random.shuffle(tf.range(800)), (16, 50)):
            with tf.GradientTape() as tape:
                losses = losses_of(model, tf.gather(x, batch), tf.gather(labels, batch))
                weights = tf.stop_gradient(choose(losses, progress))
                loss = tf.reduce_sum(weights * losses) / tf.reduce_sum(weights)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply(gradients, model.trainable_variables)

    for epoch in range(epochs):
        train_epoch(tf.constant(epoch / epochs))
    return model


# %% [markdown]
# > **Predict**
# >
# > You train a network for ten epochs on all the examples, about 40% of which have a wrong label. Of the 100 examples
# > with the largest losses, how many have a wrong label?

# %%
predict("18.a", "")

# %% tags=["nbval-ignore-output"]
young = train(y_noisy, lambda losses, progress: tf.ones_like(losses), epochs=10)
losses = losses_of(young, x, y_noisy).numpy()
hardest = np.argsort(losses)[::-1][:100]

print(f"wrong labels among the 100 hardest: {is_wrong[hardest].mean():.0%}")

# %% tags=["claims"]
assert is_wrong[hardest].mean() > 0.8

# %% [markdown]
# All of them, or nearly all. Most labels are right, and a network first learns what most labels say. An example with a
# wrong label contradicts that, so its loss is large. Here are the 16 hardest examples, where "3 ✗ is 4" means that the
# network says 3 but the label says 4. Which of the two do you believe?

# %% tags=["nbval-ignore-output"]
answers = np.argmax(young(x), axis=1)
ax = show_images(x_train[hardest[:16]], y_noisy[hardest[:16]], answers[hardest[:16]])

# %% [markdown]
# ## When does choosing examples help?
#
# Now compare three rules: train on all examples; train only on the **hardest half** of each batch, which is known as
# hard-example mining; or train only on the easiest 60%, a simple kind of **self-paced** learning. Start with the true
# labels:


# %%
def easiest(losses, progress):
    # all, for a fifth of the training
    return smallest(losses, tf.where(progress < 0.2, 1.0, 0.6))


rules = {
    "all examples": lambda losses, progress: tf.ones_like(losses),
    "the hardest half": lambda losses, progress: 1 - smallest(losses, 0.5),
    "the easiest 60%": easiest,
}


def accuracy(model):
    return np.mean(np.argmax(model(x_new), axis=1) == y_new)


# %% tags=["nbval-ignore-output"]
clean = {name: accuracy(train(y, choose)) for name, choose in rules.items()}

for name in rules:
    print(f"{name:17} {clean[name]:.1%}")

# %% tags=["claims"]
assert abs(clean["the hardest half"] - clean["all examples"]) < 0.04
assert clean["the easiest 60%"] < clean["all examples"] - 0.04

# %% [markdown]
# With true labels, training on the easiest 60% costs accuracy, because easy examples teach the network little that is
# new.
#
# > **Predict**
# >
# > Now 40% of the training labels are wrong. Which rule gives the highest accuracy on the test images, whose labels are
# > all right?

# %%
predict("18.b", "")

# %% tags=["nbval-ignore-output"]
noisy = {name: accuracy(train(y_noisy, choose)) for name, choose in rules.items()}

for name in rules:
    print(f"{name:17} true labels {clean[name]:.1%}, 40% wrong {noisy[name]:.1%}")

# %% tags=["claims"]
assert noisy["the easiest 60%"] > noisy["all examples"] + 0.03
assert noisy["the easiest 60%"] > noisy["the hardest half"] + 0.05


def easy_to_hard(losses, progress):
    return smallest(losses, 0.3 + 0.7 * progress)


curriculum = [accuracy(train(labels, easy_to_hard)) for labels in (y, y_noisy)]
assert clean["all examples"] > curriculum[0] > clean["the easiest 60%"]
assert noisy["all examples"] < curriculum[1] < noisy["the easiest 60%"]

# %% [markdown]
# The easiest 60% win. Training on them was the worst choice with true labels, but it is the best with 40% wrong ones,
# because few of the wrong labels are among the easy examples. The hardest half, by contrast, now consists mostly of
# examples with wrong labels. So before you train on hard examples, look at them: are they really hard, or just
# mislabeled?
#
# ## Why does a weight need stop_gradient?
#
# So far, the weights were 0 or 1. They came from a comparison, which has no gradient (lesson 03), so `stop_gradient`
# made no difference. It does make a difference if a weight is a smooth function of the loss. Take the weight 1 - l/4
# for an example with the loss l. The tape records how this weight was computed, so the gradient flows through the
# weight as well as through the loss.
#
# - If the weight is **closed** by `stop_gradient`, it counts as a constant, and a training step lowers l (as long as
#   the weight is positive).
# - If the weight is left **open**, a training step lowers the whole product l (1 - l/4). The slope of this product is 1
#   - l/2, which is negative when l is above 2. For such a hard example, the step lowers the product by *raising* l, so
#   the example gets even worse.
#
# ### Exercise 18.2: predict
#
# Weighting a loss l by 1 - l/4 multiplies the gradient of the example by a factor. Give four numbers, in this order:
# the factor for l = 1 with the weight closed and then open, and for l = 3 with the weight closed and then open.

# %% exercise="18.2"
# A list of four numbers.
### BEGIN SOLUTION
four_factors = [0.75, 0.5, 0.25, -0.5]
### END SOLUTION

# %%
check("18.2", four_factors)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# If the weight is closed, it counts as a constant.
#
# </details>
# <details><summary>Hint 2</summary>
#
# If the weight is open, the factor is the slope of the product l (1 - l/4) = l - l²/4.
#
# </details>
#
# Let a tape compute the factors:

# %%
example_losses = tf.Variable(tf.linspace(0.0, 4.0, 41))
factors = {}
for name, keep in {"closed": tf.stop_gradient, "open": tf.identity}.items():
    with tf.GradientTape() as tape:
        weighted = example_losses * keep(1 - example_losses / 4)
    factors[name] = tape.gradient(weighted, example_losses).numpy()
    print(f"{name:6} at l = 1: {factors[name][10]:.2f}, at l = 3: {factors[name][30]:.2f}")

# %% [markdown]
# The figure shows both factors. Look for the point at which the open one falls below 0:

# %%
fig, ax = plt.subplots(figsize=(5.6, 3))
for name, factor in factors.items():
    (line,) = ax.plot(example_losses.numpy(), factor)
    ax.annotate(f" {name}", (4, factor[-1]), color=line.get_color(), va="center")
zero = ax.hlines(0, 0, 4, color="0.6", lw=0.8)
labels = ax.set(xlabel="loss of an example", ylabel="factor of its gradient", xlim=(0, 4.6))

# %% tags=["claims"]
assert np.all(factors["closed"] >= 0) and np.all(factors["open"][21:] < 0)
with tf.GradientTape() as tape:
    compared = smallest(example_losses, 0.5)
assert tape.gradient(compared, example_losses) is None

# %% [markdown]
# ### Exercise 18.1: repair
#
# This function should compute the weighted sum of all the losses and return its gradient with respect to `W`. The
# weights are the softmax of -loss / temperature, so they add up to 1 and are largest for the easiest examples. They
# should count as constants. As the code stands, temperatures of 1 and 2 give the same gradient. There are two bugs, and
# the second shows only after you have fixed the first.


# %% exercise="18.1"
def weighted_gradient(W, x, labels, temperature):
    # W is a variable (3, classes); x has shape (n, 3), labels (n,), integers.
    with tf.GradientTape() as tape:
        # Compute the losses, their weights, and the weighted sum.
        ### BEGIN SOLUTION
        #| loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        #| losses = loss_fn(labels, x @ W)
        #| weights = tf.exp(-losses / temperature)
        #| weights = weights / tf.reduce_sum(weights)
        #| loss = tf.reduce_sum(weights * losses)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x @ W)
        weights = tf.stop_gradient(tf.nn.softmax(-losses / temperature))
        loss = tf.reduce_sum(weights * losses)
        ### END SOLUTION
    return tape.gradient(loss, W)


# %%
check("18.1", weighted_gradient)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# How many numbers does `loss_fn` return for n examples?
#
# </details>
# <details><summary>Hint 2</summary>
#
# You need one loss for each example, as `tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)` returns. Once
# this works, close the weights with `tf.stop_gradient`.
#
# </details>

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open the answer.
#
# <details><summary>1. You compute weights such as 1 - l/4 inside the block, without <code>stop_gradient</code>. Does an error tell
# you?</summary>
#
# No. You do get a gradient, but part of it acts on the weights of the examples instead of on their losses.
#
# </details>
# <details><summary>2. Training on the hardest half lowers your accuracy. What do you look at first?</summary>
#
# Look at the hardest examples together with their labels, because many of these labels may be wrong.
#
# </details>
# <details><summary>3. Why do wrong labels have large losses, although the network was trained on them?</summary>
#
# Early in training, a network learns what most labels say, and a wrong label contradicts that. Only later does it
# memorize many of the wrong labels.
#
# </details>

# %% [markdown]
# ## Recap
#
# - Compute one loss for each example, and multiply it by the weight of that example.
# - Put `stop_gradient` around weights that you compute from the losses.
# - Look at the hardest examples before you train on them. If many labels are wrong, then early in training a hard
#   example is mostly one with a wrong label.
# - Train on easy examples only if you distrust the labels.
#
# ```python
# losses = loss_of_each(labels, logits)  # (n,)
# weights = tf.stop_gradient(choose(losses))
# loss = tf.reduce_sum(weights * losses) / tf.reduce_sum(weights)
# ```
#
# **To remember**: if you compute a weight from a loss, close it, or the gradient flows through it.

# %% [markdown]
# ## Going deeper
#
# The same rules under `fit`, and a gradient for each example.

# %% [markdown]
# ### Can fit choose examples?
#
# `fit` takes a `sample_weight` that is fixed in advance, but the weights here depend on the losses of each step.
#
# > **Predict**
# >
# > Can you make `fit` train on the hardest half of each batch, using only arguments of `compile`?

# %%
predict("18.c", "")


# %%
def hardest_half(labels, logits):
    losses = keras.losses.sparse_categorical_crossentropy(labels, logits, from_logits=True)
    weights = tf.stop_gradient(1 - smallest(losses, 0.5))
    # (n,); fit takes the mean
    return losses * weights / tf.reduce_mean(weights)


by_fit, by_tape = (keras.models.clone_model(young) for _ in range(2))
start = by_fit.get_weights()
by_tape.set_weights(start)
by_fit.compile(keras.optimizers.SGD(0.1), hardest_half)
history = by_fit.fit(x, y_noisy, batch_size=800, verbose=0)

with tf.GradientTape() as tape:
    loss = tf.reduce_mean(hardest_half(y_noisy, by_tape(x, training=True)))
gradients = tape.gradient(loss, by_tape.trainable_variables)
keras.optimizers.SGD(0.1).apply(gradients, by_tape.trainable_variables)

pairs = zip(by_fit.get_weights(), by_tape.get_weights(), strict=True)
print("weights equal within 1e-5:", bool(max(np.max(np.abs(a - b)) for a, b in pairs) < 1e-5))

# %% tags=["claims"]
pairs = zip(by_fit.get_weights(), by_tape.get_weights(), strict=True)
assert max(np.max(np.abs(a - b)) for a, b in pairs) < 1e-5
assert np.max(np.abs(by_fit.get_weights()[0] - start[0])) > 1e-4

# %% [markdown]
# Yes. A loss function gets the whole batch, so it can compute the weights, and return each loss times its weight. One step of
# `fit` and one of a tape end with the same weights.
#
# ### How do I get the gradient of each example?
#
# So far, the losses only decided how much a *whole* example counts. To clip each example's gradient, so that no
# single example moves the network far, you need a separate gradient for each example. The gradient of a batch is only
# their mean. Start with a loop, here for 100 examples and the small last kernel of `young`:


# %%
kernel, bias = young.layers[-1].trainable_variables
hidden = young.layers[0](x[:100])  # (100, 128)
some_labels = tf.constant(y_noisy[:100])
W = tf.convert_to_tensor(kernel)  # (128, 10)


def losses_with(W, hidden, labels):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, hidden @ W + bias)

# %%
def gradient_of_example(example):
    row, label = example
    with tf.GradientTape() as tape:
        tape.watch(W)
        loss = losses_with(W, row[None], label[None])
    return tape.gradient(loss, W)


def by_loop():
    return tf.stack([gradient_of_example(pair) for pair in zip(hidden, some_labels, strict=True)])


print(by_loop().shape)

# %% [markdown]
# Two functions do the same without a Python loop: `tf.vectorized_map` runs a function of one example for all of them at once, and
# `tape.jacobian` differentiates all the losses.


# %%
@tf.function
def by_vectorized_map():
    return tf.vectorized_map(gradient_of_example, (hidden, some_labels))


@tf.function
def by_jacobian():
    with tf.GradientTape() as tape:
        tape.watch(W)
        losses = losses_with(W, hidden, some_labels)
    return tape.jacobian(losses, W)  # (100, 128, 10)


# %% [markdown]
# > **Predict**
# >
# > The three compute the same 128,000 numbers. Which takes longest?

# %%
predict("18.d", "")

# %%
routes = {"loop": by_loop, "vectorized_map": by_vectorized_map, "jacobian": by_jacobian}
results = {name: route() for name, route in routes.items()}
times = {name: min(timeit.repeat(route, number=1, repeat=3)) for name, route in routes.items()}

print("longest:", max(times, key=times.get))
for name, result in results.items():
    print(f"{name:15} largest difference below 1e-5:", bool(np.allclose(result, results["loop"], atol=1e-5)))

# %% tags=["claims"]
assert all(np.allclose(result, results["loop"], atol=1e-5) for result in results.values())
with tf.GradientTape() as tape:
    tape.watch(W)
    loss = tf.reduce_mean(losses_with(W, hidden, some_labels))
assert np.allclose(np.mean(results["loop"], axis=0), tape.gradient(loss, W), atol=1e-5)
assert times["loop"] > times["jacobian"]

# %% [markdown]
# The loop, because Python runs 100 tapes one after another. But the result holds n gradients instead of one, and with
# a whole network and a large batch that fills the memory. A loop that adds up the gradients holds only one at a time.
#
# ### Exercise 18.3: complete
#
# `losses_of(W, x, y)` returns one loss for each of n examples. Clip the gradient of each example with respect to the
# matrix `W`: if its norm, over all entries, is above `limit`, scale the gradient down so that its norm is `limit`.
# Return the mean of the clipped gradients.


# %% exercise="18.3"
def clipped_mean(losses_of, W, x, y, limit):
    """Return the mean of the clipped gradients, of the shape of the variable W."""
    ### BEGIN SOLUTION
    total = tf.zeros_like(W)
    for i in range(len(x)):
        with tf.GradientTape() as tape:
            loss = losses_of(W, x[i : i + 1], y[i : i + 1])
        total += tf.clip_by_norm(tape.gradient(loss, W), limit)
    return total / len(x)
    ### END SOLUTION


# %%
check("18.3", clipped_mean)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Clip first, then take the mean. `x[i : i + 1]` is a batch of one.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `tf.clip_by_norm(gradient, limit)` leaves short gradients as they are. Add up what it returns, and divide by n.
#
# </details>

# %% [markdown]
# ## Further reading
#
# - Bengio et al., *Curriculum learning*, ICML 2009: from easy to hard examples. On this lesson's data, its accuracy
#   lies between that of all examples and that of the easiest 60%, with true labels and with wrong ones.
# - Kumar, Packer and Koller, *Self-paced learning for latent variable models*, NeurIPS 2010: the easy examples, by their losses.
# - Shrivastava, Gupta and Girshick, *Training region-based object detectors with online hard example mining*, CVPR 2016.
# - Abadi et al., *Deep learning with differential privacy*, CCS 2016: why to clip each example.
#
# Next, losses made of the network's own derivatives: [19 · Equations](19_equations.ipynb).

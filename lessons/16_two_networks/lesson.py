# %% [markdown] part="Part III: what fit cannot say"
# # 16 · Two networks
#
# You train two networks against each other: a generator makes samples, and a discriminator judges whether they are
# real. Each network has its own loss, and a step that lowers one network's loss must leave the other network alone. If
# a step changes the wrong network, you usually get no error message, just useless samples. And even when every step is
# right, the generator may produce nearly the same sample every time. In this lesson you decide which weights each step
# changes, and you measure how varied the samples are.
#
# **You will learn to**
#
# - write one round of GAN training, with a separate loss, optimizer and list of variables for each network;
# - choose a loss that gives a useful gradient even when the samples are still bad;
# - recognize mode collapse, where all samples are alike, and measure it.
#
# **Before you start**: [15 · Input gradients](15_input_gradients.ipynb) and
# [06 · Higher-order gradients](06_higher_order.ipynb). **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import check, load_mnist, predict, show_images, start_lesson

start_lesson("16")

import keras
import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from keras import layers

# %% [markdown]
# ## What does each player want?
#
# The two networks are called a **generative adversarial network (GAN)**. The **generator** turns noise into examples,
# called *fakes*. Different noise should give different fakes. The **discriminator** judges whether an example is real.
# Nobody has a formula for "looks real", so a second network learns to be the judge. The gradient that flows back
# through it tells the generator how to make its fakes more convincing. Think of the networks as two players in a game.
#
# Both players here are the same kind of small network, so one function can build both:


# %%
def build(inputs, outputs, seed, size=64, last=None):
    """Return a network with two hidden layers; last is the activation of its outputs."""
    keras.utils.set_random_seed(seed)
    hidden = [layers.Dense(size, "relu"), layers.Dense(size, "relu")]
    return keras.Sequential([keras.Input((inputs,)), *hidden, layers.Dense(outputs, last)])


# %% [markdown]
# GANs are best known for images. Here the generator makes points in the plane instead, so that you can see at a glance
# how good the fakes are. The real points form eight small clouds on a circle:

# %%
angles = tf.range(8.0) * np.pi / 4
# (8, 2)
centers = 2 * tf.stack([tf.cos(angles), tf.sin(angles)], axis=1)


def draw_clouds(n):
    which = tf.random.uniform((n,), 0, 8, tf.int32)
    return tf.gather(centers, which) + 0.05 * tf.random.normal((n, 2))


def plot_points(ax, points, title):
    points = np.array(points)
    ax.plot(points[:, 0], points[:, 1], ".", markersize=3)
    ax.set_title(title, fontsize=10)
    ax.set(aspect="equal", xlim=(-3, 3), ylim=(-3, 3), xlabel="first coordinate")


# %%
generator, discriminator = build(2, 2, seed=16), build(2, 1, seed=17)

fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.2), sharey=True)
plot_points(axes[0], draw_clouds(500), "real")
plot_points(axes[1], generator(tf.random.normal((500, 2))), "untrained generator")
label = axes[0].set_ylabel("second coordinate")

# %% [markdown]
# The untrained generator puts all its points near the center. Training should move them into the clouds.
#
# The discriminator returns a logit for each example, and a logit above 0 means "real". It should label real examples 1
# and fakes 0, but the generator wants its fakes labeled 1. So each player needs its own loss:


# %%
cross_entropy = keras.losses.BinaryCrossentropy(from_logits=True)


def discriminator_loss(real_logits, fake_logits):
    loss_real = cross_entropy(tf.ones_like(real_logits), real_logits)
    loss_fake = cross_entropy(tf.zeros_like(fake_logits), fake_logits)
    return loss_real + loss_fake


def generator_loss(fake_logits):
    # the label 1, as if the fakes were real
    return cross_entropy(tf.ones_like(fake_logits), fake_logits)


# %% [markdown]
# ## Whose weights does a step change?
#
# A round of training has two steps. The first lowers the discriminator's loss and must change only the discriminator.
# The second lowers the generator's loss and must change only the generator.
#
# > **Predict**
# >
# > Inside one `with` block, the generator makes fakes, the discriminator judges them and some real examples, and the
# > discriminator's loss is computed. What is the gradient of this loss with respect to the *generator's* variables?

# %%
predict("16.c", "")

# %%
real, noise = draw_clouds(64), tf.random.normal((64, 2))

with tf.GradientTape(persistent=True) as tape:
    fake = generator(noise, training=True)
    real_logits = discriminator(real, training=True)
    fake_logits = discriminator(fake, training=True)
    disc_loss = discriminator_loss(real_logits, fake_logits)
    gen_loss = generator_loss(fake_logits)

variables = generator.trainable_variables
# the discriminator's loss!
gradients = tape.gradient(disc_loss, variables)
for variable, gradient in zip(variables, gradients, strict=True):
    print(f"{variable.path:26} norm {tf.norm(gradient):.4f}")

# %% tags=["claims"]
assert all(g is not None and np.any(g) for g in gradients)

# %% [markdown]
# The discriminator's loss depends on the fakes, and the fakes depend on the generator's variables, so the gradients are
# not zero. This does no harm as long as you never apply them.
#
# A tape records how each value was computed, but it does not know which loss belongs to which player. Keeping track of
# that is your job: **differentiate each player's loss only with respect to that player's variables, and give each
# player its own optimizer**.
#
# A common mistake is to add the two losses and differentiate the sum with respect to all variables. Each player is then
# pulled toward its opponent's goal as well as its own. The discriminator is also rewarded for calling fakes real, and
# the generator for making fakes that are easy to spot.
#
# ## When do you need a new tape?
#
# Using the wrong variables is one trap; using an old tape is another. The tape above recorded both losses. Suppose the
# discriminator takes a step, and you then take the generator's gradient from this same tape. Does that gradient use the
# discriminator's old weights or its new ones? Look at one variable, the generator's first kernel:

# %%
kernel = generator.trainable_variables[0]
before = tape.gradient(gen_loss, kernel)

# one step of the discriminator
gradients = tape.gradient(disc_loss, discriminator.trainable_variables)
keras.optimizers.SGD(0.5).apply(gradients, discriminator.trainable_variables)
same_tape = tape.gradient(gen_loss, kernel)

with tf.GradientTape() as new_tape:
    fake = generator(noise, training=True)
    new_loss = generator_loss(discriminator(fake, training=True))
from_new_tape = new_tape.gradient(new_loss, kernel)

print(f"before the step:         norm {tf.norm(before):.4f}")
print(f"after it, same tape:     norm {tf.norm(same_tape):.4f}")
print(f"after it, new tape:      norm {tf.norm(from_new_tape):.4f}")

# %% tags=["claims"]
assert np.allclose(same_tape, before) and not np.allclose(from_new_tape, before, rtol=1e-2)

# %% [markdown]
# The first two norms are equal, so the tape used the old weights: it keeps the values that it recorded. If you want the
# generator to respond to the new weights, run the forward pass again under a new tape.
#
# Updating the players one after the other, each under its own tape, is called *alternating* training; it is what we use
# here. *Simultaneous* training takes both gradients from one recording. That saves a forward pass, but the generator
# then responds to the old discriminator. Both are common; just be sure to write the one that you mean.
#
# ### Exercise 16.1: repair
#
# `play_round` below should play one round of the game, but it has several bugs. Fix it so that it takes two steps:
#
# 1. update only the discriminator, using its own loss;
# 2. update only the generator, using its own loss, computed with the discriminator's new weights.
#
# Each player has its own loss and its own optimizer. The losses are functions of logits, as above. Use the same `noise`
# in both steps. Call both models with `training=True`, because they may contain batch normalization.


# %% exercise="16.1"
def play_round(
    generator, discriminator, generator_loss, discriminator_loss,
    gen_optimizer, disc_optimizer, real, noise,
):
    # Updates each model once, with its optimizer: gen_optimizer or disc_optimizer.
    ### BEGIN SOLUTION
    #| with tf.GradientTape() as tape:
    #|     fake = generator(noise)
    #|     real_logits, fake_logits = discriminator(real), discriminator(fake)
    #|     loss = discriminator_loss(real_logits, fake_logits) + generator_loss(fake_logits)
    #| disc_gradients, gen_gradients = tape.gradient(
    #|     loss, [discriminator.trainable_variables, generator.trainable_variables]
    #| )
    #| disc_optimizer.apply(disc_gradients, discriminator.trainable_variables)
    #| gen_optimizer.apply(gen_gradients, generator.trainable_variables)
    with tf.GradientTape() as tape:
        fake = generator(noise, training=True)
        real_logits = discriminator(real, training=True)
        fake_logits = discriminator(fake, training=True)
        loss = discriminator_loss(real_logits, fake_logits)
    gradients = tape.gradient(loss, discriminator.trainable_variables)
    disc_optimizer.apply(gradients, discriminator.trainable_variables)

    with tf.GradientTape() as tape:
        fake = generator(noise, training=True)
        loss = generator_loss(discriminator(fake, training=True))
    gradients = tape.gradient(loss, generator.trainable_variables)
    gen_optimizer.apply(gradients, generator.trainable_variables)
    ### END SOLUTION


# %%
check("16.1", play_round)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Use two tapes, and open the second one after the discriminator's update. From each tape, take the gradient of one
# player's loss with respect to that player's variables.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Compute `fake` again inside the second block, so that the second tape records how the fakes depend on the generator's
# variables.
#
# </details>

# %% [markdown]
# ## Which loss helps a struggling generator?
#
# Early in the game, the discriminator rejects nearly every fake. Can the generator still learn? That depends on its
# loss.
#
# For each fake, the discriminator returns a logit, z. It assigns "real" the probability p = sigmoid(z). Two losses are
# common, and both fall as p rises:
#
# - `log(1 - p)`, the **minimax loss** of the original paper (Goodfellow et al., 2014);
# - `-log(p)`, the **non-saturating loss**, which is our `generator_loss`: cross-entropy with the label 1.
#
# They differ in how steeply they fall as z rises. By the chain rule, the gradient for a weight has two factors: the
# slope of the loss with respect to z, and the slope of z with respect to the weight. If the first factor is nearly 0,
# the generator hardly learns.
#
# ### Exercise 16.2: predict
#
# The discriminator gives a fake a logit of -4, so its probability of being real is p = sigmoid(-4) = 0.018. Compute the
# slope of each loss with respect to the logit, to three decimal places:
#
# 1. `log(1 - p)`, the minimax loss;
# 2. `-log(p)`, the non-saturating loss.

# %% exercise="16.2"
# A list of two numbers, to three decimals.
### BEGIN SOLUTION
two_slopes = [-0.018, -0.982]
### END SOLUTION

# %%
check("16.2", two_slopes)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Write z for the logit. Then `-log(p)` is `log(1 + exp(-z))`, and `log(1 - p)` is `-log(1 + exp(z))`.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The slope of `log(1 + exp(a))` with respect to `a` is `sigmoid(a)`. Remember that `p` is `sigmoid(z)`, and that
# `1 - p` is `sigmoid(-z)`.
#
# </details>
#
# Let a tape compute both slopes, at three logits:

# %%
logits = tf.Variable([-4.0, 0.0, 4.0])
with tf.GradientTape(persistent=True) as tape:
    p = tf.sigmoid(logits)
    minimax = tf.math.log(1 - p)
    non_saturating = -tf.math.log(p)
minimax_slopes = tape.gradient(minimax, logits).numpy()
non_saturating_slopes = tape.gradient(non_saturating, logits).numpy()

print("logit     ", logits.numpy())
print("log(1 - p)", minimax_slopes.round(3))
print("-log(p)   ", non_saturating_slopes.round(3))

# %% tags=["claims"]
assert np.allclose(minimax_slopes, -tf.sigmoid(logits), atol=1e-4)
assert np.allclose(non_saturating_slopes, tf.sigmoid(logits) - 1, atol=1e-4)

# %% [markdown]
# At a logit of -4, the discriminator is sure that the example is fake. There, `log(1 - p)` is almost flat, so an SGD
# step hardly moves the generator. But `-log(p)` is steep. With Adam, which rescales small gradients, the difference
# matters less. Still, `-log(p)` is the safer choice with either optimizer, and the original paper recommends it.
#
# ## What does mode collapse look like?
#
# Does the generator reach all eight clouds? And what happens if it takes more steps than the discriminator? To find
# out, you'll play two games of 2,000 rounds. In the first, each player takes one step per round; in the second, the
# generator takes 20.
#
# This function makes a round as a `tf.function`, with any number of generator steps. Unlike your `play_round`, it draws
# fresh noise for every step, which is usual in practice:


# %%
def make_round(generator, discriminator, generator_steps):
    gen_optimizer = keras.optimizers.Adam(1e-3, beta_1=0.5)
    disc_optimizer = keras.optimizers.Adam(1e-3, beta_1=0.5)

    @tf.function
    def one_round():
        with tf.GradientTape() as tape:
            fake = generator(tf.random.normal((64, 2)), training=True)
            real_logits = discriminator(draw_clouds(64), training=True)
            loss = discriminator_loss(real_logits, discriminator(fake, training=True))
        gradients = tape.gradient(loss, discriminator.trainable_variables)
        disc_optimizer.apply(gradients, discriminator.trainable_variables)
        for _ in range(generator_steps):
            with tf.GradientTape() as tape:
                fake = generator(tf.random.normal((64, 2)), training=True)
                loss = generator_loss(discriminator(fake, training=True))
            gradients = tape.gradient(loss, generator.trainable_variables)
            gen_optimizer.apply(gradients, generator.trainable_variables)
    return one_round


# %% [markdown]
# Now play both games. This takes up to a minute:

# %%
generators = {}
for name, generator_steps in {"one step each": 1, "20 generator steps": 20}.items():
    generators[name], discriminator = build(2, 2, seed=16), build(2, 1, seed=17)
    one_round = make_round(generators[name], discriminator, generator_steps)
    for _ in range(2000):
        one_round()

# %% [markdown]
# In the figure, each cross marks the center of a cloud. Look for crosses with no points near them:

# %% tags=["nbval-ignore-output"]
fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.2), sharey=True)
for ax, (name, player) in zip(axes, generators.items(), strict=True):
    plot_points(ax, player(tf.random.normal((500, 2))), name)
    ax.plot(centers[:, 0], centers[:, 1], "+", color="0.5", markersize=12)
label = axes[0].set_ylabel("second coordinate")

# %% [markdown]
# With one step each, the generator spreads its points over the clouds. With 20 generator steps per round, it puts all
# its points in one place. Each cloud is a **mode** of the data, so this is called **mode collapse**.
#
# Why does it happen? Nothing in the generator's loss asks for variety. Against a fixed discriminator, the generator's
# best strategy is to map all noise to the single point that looks most real. And during the 20 generator steps, the
# discriminator is fixed. Once the discriminator has learned to reject that point, the generator moves to another.
#
# To compare many games, count the modes that the generator reaches. It reaches a mode if more than 5% of its points lie
# within 0.4 of the mode's center. (An equal share would be 12.5%.)


# %%
def count_modes(generator):
    """Return how many of the eight clouds the generator reaches."""
    points = generator(tf.random.normal((2000, 2)))
    # from each point to each center: (2000, 8)
    distances = tf.norm(points[:, None] - centers, axis=2)
    is_close = distances < 0.4
    shares = np.mean(is_close, axis=0)  # (8,)
    return int(np.sum(shares > 0.05))


# %% tags=["nbval-ignore-output"]
for name, player in generators.items():
    print(f"{name}: reaches {count_modes(player)} of 8 clouds")

# %% tags=["claims"]
collapsed = generators["20 generator steps"]
points = collapsed(tf.random.normal((500, 2)))
assert count_modes(collapsed) <= 1 and np.all(np.std(points, axis=0) < 0.3)
assert count_modes(generators["one step each"]) >= 5
points = generators["one step each"](tf.random.normal((500, 2)))
assert np.mean(np.min(tf.norm(points[:, None] - centers, axis=2), axis=1) < 0.4) > 0.7

# %% [markdown]
# A single game proves little, so we played each game from 20 different starts. With one step each, every generator
# reached at least six clouds, and 16 of the 20 reached all eight. With 20 generator steps, every generator collapsed: it
# reached one cloud, or none if it had settled between clouds. (The counts vary a little from machine to machine.)
#
# If your generator collapses, first shift the balance toward the discriminator: give the generator fewer steps, or a
# lower learning rate. If that is not enough, change the loss, as in *Going deeper*.
#
# For images, build both players from convolutional layers; the round stays the same.

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open the answer.
#
# <details><summary>1. Both players get their gradients from one persistent tape, and the discriminator is updated first. Does the generator's gradient use the discriminator's old weights or its new ones?</summary>
#
# The old ones, because the tape keeps the values that it recorded.
#
# </details>
# <details><summary>2. The fakes for the generator's step come from <code>generator.predict</code>. What happens?</summary>
#
# `predict` returns NumPy arrays, so no path leads from the generator's variables to the loss. All gradients are `None`,
# and the optimizer raises an error.
#
# </details>
# <details><summary>3. All samples look alike. What is this called, and why does the generator's loss not prevent it?</summary>
#
# Mode collapse. The loss asks only whether each fake looks real, not whether the fakes differ from one another.
#
# </details>

# %% [markdown]
# ## Recap
#
# - Keep two losses, two lists of variables and two optimizers.
# - For alternating updates, run the forward pass under a new tape after the other player's step.
# - Choose a generator loss that is steep when the discriminator recognizes the fakes.
# - Look at samples, and count the modes that the generator reaches.
#
# One round:
#
# ```python
# with tf.GradientTape() as tape:
#     fake = generator(noise, training=True)
#     real_logits = discriminator(real, training=True)
#     fake_logits = discriminator(fake, training=True)
#     loss = discriminator_loss(real_logits, fake_logits)
# gradients = tape.gradient(loss, discriminator.trainable_variables)
# disc_optimizer.apply(gradients, discriminator.trainable_variables)
#
# with tf.GradientTape() as tape:
#     fake = generator(noise, training=True)
#     loss = generator_loss(discriminator(fake, training=True))
# gradients = tape.gradient(loss, generator.trainable_variables)
# gen_optimizer.apply(gradients, generator.trainable_variables)
# ```
#
# **To remember**: the variables that you pass to `tape.gradient` and to `apply` decide whose weights change.

# %% [markdown]
# ## Going deeper
#
# A game of two numbers, a penalty that keeps the critic fair, and digits.

# %% [markdown]
# ### Where does a game of two numbers end?
#
# The smallest game has two numbers. The generator has `shift`, which should become 0, and the discriminator has
# `slope`. They play for the **gap**, slope · shift. The discriminator changes `slope` to lower the gap, and the
# generator changes `shift` to raise it.


# %%
def play(in_turn, penalty=0.0, steps=100):
    """Return shift and slope before each step and at the end, (steps + 1, 2)."""
    shift, slope = tf.Variable(1.0), tf.Variable(0.0)
    path = [[1.0, 0.0]]
    for _ in range(steps):
        with tf.GradientTape(persistent=True) as tape:
            gap = slope * shift
            disc_loss = gap + penalty * slope**2
        slope.assign_sub(0.1 * tape.gradient(disc_loss, slope))
        if in_turn:
            with tf.GradientTape() as tape:
                gap = slope * shift
        shift.assign_add(0.1 * tape.gradient(gap, shift))
        path.append([float(shift), float(slope)])
    return np.array(path)


# %% [markdown]
# > **Predict**
# >
# > Both step from *one* recording, starting at shift 1 and slope 0. After 100 small steps, how far are they from the
# > solution, shift 0 and slope 0?

# %%
predict("16.a", "")

# %%
paths = {"together": play(in_turn=False)}

print(f"distance {np.hypot(*paths['together'][-1]):.1f}")

# %% tags=["claims"]
assert np.isclose(np.hypot(*paths["together"][-1]), 1.01**50, rtol=1e-3)

# %% [markdown]
# They move away. Each player changes the other's loss, so they circle around the solution, and a straight step along a
# circle ends a little outside.
#
# These updates were simultaneous. The other possibility is **in turn**: update the discriminator, record again, and
# then update the generator.
#
# > **Predict**
# >
# > How far are they now, after 100 steps in turn?

# %%
predict("16.b", "")

# %%
paths["in turn"] = play(in_turn=True)
distances = np.hypot(*paths["in turn"].T)  # (101,)

print(f"distances from {distances.min():.1f} to {distances.max():.1f}")

# %% tags=["claims"]
assert 0.9 < distances.min() < distances.max() < 1.1
steps = {"together": [[1, 0.1], [-0.1, 1]], "in turn": [[0.99, 0.1], [-0.1, 1]]}
for name, step in steps.items():
    by_hand = np.linalg.matrix_power(np.array(step), 100) @ [1.0, 0.0]
    assert np.allclose(paths[name][-1], by_hand, atol=1e-3)

# %% [markdown]
# In turn, they stay near their circle: the generator already answers the discriminator's new slope, and that cancels
# the outward drift. Still nothing pulls them to the middle. A penalty on the discriminator's slope does: this is the
# simplest **gradient penalty**. In the figure, all three games start at the dot. Look for the one that ends at the
# cross.

# %%
paths["with a penalty"] = play(in_turn=True, penalty=1.0)

fig, ax = plt.subplots(figsize=(4.8, 4.2))
for number, (name, path) in enumerate(paths.items()):
    shown = path[:64] if name == "in turn" else path  # one round
    ax.plot(*shown.T, color=f"C{number}", ls=("-", "--", "-.")[number])
    at, offset = path[(60, 31, 22)[number]], ((8, 4), (8, 4), (-90, -4))[number]
    ax.annotate(name, at, offset, textcoords="offset points", color=f"C{number}")
ax.plot(0, 0, "k+", markersize=12)
ax.plot(1, 0, "ko")
labels = ax.set(xlabel="shift of the generator", ylabel="slope of the discriminator", xlim=(-1.8, 2.4))
ax.set_aspect("equal")

# %% tags=["claims"]
assert np.hypot(*paths["with a penalty"][-1]) < 0.05

# %% [markdown]
# ### How does a penalty keep the critic fair?
#
# In a **Wasserstein GAN (WGAN) with gradient penalty**, the discriminator returns a score in place of a logit. It no
# longer classifies, so it is called a *critic*. Its loss is the gap: the mean score of the fakes minus that of the
# real examples. On its own, the gap has no minimum, because the critic can always double its scores. So a penalty keeps
# the gradient of the score **with respect to the example** near length 1:
#
# 1. For each pair of a real and a fake example, draw a random point between them.
# 2. Take the gradient of the score with respect to that point (lesson 06: the inner tape).
# 3. Compute its length for each example, with a small number inside the root (lesson 03).
# 4. Penalize the squared difference of the length from 1.


# %%
def slope_penalty(critic, real, fake):
    share = tf.random.uniform((tf.shape(real)[0], 1))
    between = share * real + (1 - share) * fake  # (n, d)
    with tf.GradientTape() as inner:
        inner.watch(between)
        scores = critic(between, training=True)
    slopes = inner.gradient(scores, between)  # (n, d)
    lengths = tf.sqrt(tf.reduce_sum(slopes**2, axis=1) + 1e-12)
    return tf.reduce_mean((lengths - 1) ** 2)


def gap(critic, real, fake):
    return tf.reduce_mean(critic(fake, training=True)) - tf.reduce_mean(critic(real, training=True))


def gap_loss(critic, real, fake):
    return gap(critic, real, fake) + slope_penalty(critic, real, fake)


# %% [markdown]
# > **Predict**
# >
# > Somebody draws one share for the whole batch, of shape (1, 1). What happens?

# %%
predict("16.d", "")

# %%
share = tf.random.uniform((1, 1))
between = share * real + (1 - share) * tf.zeros_like(real)

print("shape of the points:", between.shape)
print("different shares:   ", len(np.unique((between / real).numpy().round(4))))

# %% tags=["claims"]
assert np.ptp((between / real).numpy()) < 1e-4
with tf.GradientTape(persistent=True) as tape:
    fake = generator(noise, training=True)
    penalty = slope_penalty(discriminator, real, fake)
    difference = gap(discriminator, real, fake)
of_critic = tape.gradient(penalty, discriminator.trainable_variables)
of_last_bias = tape.gradient(difference, discriminator.trainable_variables[-1])
assert of_critic[-1] is None and all(np.any(g) for g in of_critic[::2])
assert not any(np.any(g) for g in of_critic[1:-1:2]) and abs(of_last_bias) < 1e-5

# %% [markdown]
# It runs, because (1, 1) broadcasts to any shape. Then all points lie at the same fraction of the way from fake to
# real, and each batch tests only that position. Give `share` one row for each pair.
#
# The last bias shifts every score but changes no slope. So no path leads from the penalty to it, and the penalty's
# gradient there is `None`.
#
# Does the penalty keep the scores from growing without end? In a round of these games, the critic takes three steps,
# and then the generator takes one:


# %%
def make_fakes(generator):
    noise = tf.random.normal((64, generator.input_shape[1]))
    return generator(noise, training=True)


# %%
def make_gap_round(generator, critic, critic_loss, draw, rate=1e-3):
    """Return a function that plays one round; draw(n) returns n real examples."""
    gen_optimizer = keras.optimizers.Adam(rate, beta_1=0.5)
    critic_optimizer = keras.optimizers.Adam(rate, beta_1=0.5)

    @tf.function
    def one_round():
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = critic_loss(critic, draw(64), make_fakes(generator))
            gradients = tape.gradient(loss, critic.trainable_variables)
            critic_optimizer.apply(gradients, critic.trainable_variables)
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(critic(make_fakes(generator), training=True))
        gradients = tape.gradient(loss, generator.trainable_variables)
        gen_optimizer.apply(gradients, generator.trainable_variables)
    return one_round


# %% [markdown]
# The first game uses only the gap, and the second adds the penalty. They take up to a minute.


# %%
def play_rounds(one_round, rounds=2000):
    for number in range(1, rounds + 1):
        one_round()
        if number % 100 == 0:
            print(f"{number} of {rounds} rounds", end="\r")


# %%
def gap_game(critic_loss):
    """Return the trained generator, and the largest score of a real example."""
    generator, critic = build(2, 2, seed=16), build(2, 1, seed=17)
    play_rounds(make_gap_round(generator, critic, critic_loss, draw_clouds))
    return generator, np.max(np.abs(critic(draw_clouds(500))))


wild, largest_wild = gap_game(gap)
fair, largest_fair = gap_game(gap_loss)

# %% tags=["nbval-ignore-output"]
for name, player, largest in (("only the gap", wild, largest_wild), ("with penalty", fair, largest_fair)):
    print(f"{name}: largest score {largest:.0f}, reaches {count_modes(player)} of 8 clouds")

# %% tags=["claims"]
assert largest_wild > 100 and largest_fair < 50 and count_modes(fair) >= 7
latent = tf.random.normal((500, 2))
assert np.mean(np.min(tf.norm(fair(latent)[:, None] - centers, axis=2), 1)) < 0.35

# %% [markdown]
# With the penalty, the scores stay small. One run proves little: with the penalty, the
# game reached all eight clouds from each of eight starts, and without it, from 14 of 24.
#
# ### Exercise 16.3: complete
#
# Write the penalty for images, (n, h, w, 1). `share` is given, one number for each pair, of shape (n,), and the
# points are share · real + (1 - share) · fake. Return the mean of (length - 1)². The check takes the gradient of the
# penalty with respect to the critic's weights. This gradient must be finite even where a slope is 0. Call the critic
# without `training`.


# %% exercise="16.3"
def penalty_between(critic, real, fake, share):
    """Return the penalty, one number; critic(images) gives scores (n,)."""
    ### BEGIN SOLUTION
    share = tf.reshape(share, (-1, 1, 1, 1))
    between = share * real + (1 - share) * fake
    with tf.GradientTape() as tape:
        tape.watch(between)
        scores = critic(between)
    slopes = tape.gradient(scores, between)
    lengths = tf.sqrt(tf.reduce_sum(slopes**2, axis=(1, 2, 3)) + 1e-12)
    return tf.reduce_mean((lengths - 1) ** 2)
    ### END SOLUTION


# %%
check("16.3", penalty_between)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Shapes align from the right: give `share` three more axes. The slope of an image has three axes, and one length.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Use `tf.reshape(share, (-1, 1, 1, 1))`, sum the squares over `axis=(1, 2, 3)`, and add 1e-12 before the root.
#
# </details>
#
# ### Does it work for digits?
#
# The same loop works for images of 14 by 14 pixels, generated from 16 random numbers. It takes up to a minute.

# %% tags=["nbval-ignore-output"]
(x_train, _), _ = load_mnist()
# the mean of 2 by 2 pixels each
halved = x_train[:20000].reshape(-1, 14, 2, 14, 2).mean(axis=(2, 4)) / 255
small = tf.constant(halved.reshape(-1, 196), tf.float32)


def draw_digits(n):
    return tf.gather(small, tf.random.uniform((n,), 0, len(small), tf.int32))


# %%
artist, judge = build(16, 196, seed=16, size=256, last="sigmoid"), build(196, 1, seed=17, size=256)
untrained = artist(tf.random.normal((200, 16)))
play_rounds(make_gap_round(artist, judge, gap_loss, draw_digits, rate=5e-4), rounds=900)

# %% tags=["nbval-ignore-output"]
drawn = artist(tf.random.normal((200, 16)))
ax = show_images(np.reshape(drawn[:16], (-1, 14, 14)))

# %% tags=["claims"]
def distance_to_real(images):
    return np.mean([np.min(np.linalg.norm(small[:2000] - image, axis=1)) for image in images])


assert distance_to_real(drawn) < 0.8 * distance_to_real(untrained)
variety = [np.mean(np.std(images, axis=0)) for images in (drawn, small)]
assert variety[0] > variety[1] / 2

# %% [markdown]
# Look for clean strokes. No loss ever said what a stroke is. Some look like digits, and some do not. For better ones,
# use convolutions and more rounds.

# %% [markdown]
# ## Further reading
#
# - Gulrajani et al., *Improved training of Wasserstein GANs*, NeurIPS 2017: the penalty between real and fake.
# - Mescheder, Geiger and Nowozin, *Which training methods for GANs do actually converge?*, ICML 2018: the two numbers.
#
# Next, a training step itself is differentiated: [17 · Learning to learn](17_learning_to_learn.ipynb).

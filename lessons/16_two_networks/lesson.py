# %% [markdown] part="Part III: what fit cannot say"
# # 16 · Two networks
#
# You train two networks against each other: one makes samples, and the other judges them. Each network has its own
# loss, and a step on that loss must change that network and no other. If you get this wrong, nothing raises an error:
# the losses look plausible, yet the samples are useless, or all alike. In this lesson you control which weights each
# step changes.
#
# **You will learn to**
#
# - write a round of a game between two networks, with two losses, two lists of variables and two optimizers;
# - choose a loss that still gives the generator a useful gradient when it is losing;
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
# In a **generative adversarial network (GAN)**, two networks play against each other. The **generator** makes examples
# from noise. The **discriminator**, which we call the **critic** for short, judges whether an example is real. Think of
# training as a game: the two networks are the players, and a player *moves* when its weights are updated. A function
# builds both:


# %%
def build(inputs, outputs, seed, size=64, last=None):
    """Return a network with two hidden layers; last is the activation of its outputs."""
    keras.utils.set_random_seed(seed)
    hidden = [layers.Dense(size, "relu"), layers.Dense(size, "relu")]
    return keras.Sequential([keras.Input((inputs,)), *hidden, layers.Dense(outputs, last)])


# %% [markdown]
# Here each real example is a point in the plane. The points form eight small clouds on a circle:

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
generator, critic = build(2, 2, seed=16), build(2, 1, seed=17)

fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.2), sharey=True)
plot_points(axes[0], draw_clouds(500), "real")
plot_points(axes[1], generator(tf.random.normal((500, 2))), "untrained generator")
label = axes[0].set_ylabel("second coordinate")

# %% [markdown]
# The untrained generator puts all its points near the center. It should learn to put them in the clouds.
#
# The examples that the generator makes are called *fakes*. The critic returns a logit, and a logit above 0 means "real".
# The critic should label real examples 1 and fakes 0. The generator wants its fakes labeled 1. So each player has its own loss:


# %%
cross_entropy = keras.losses.BinaryCrossentropy(from_logits=True)


def classifying_loss(critic, real, fake):
    """Return the critic's loss."""
    for_real, for_fake = critic(real, training=True), critic(fake, training=True)
    loss_real = cross_entropy(tf.ones_like(for_real), for_real)
    loss_fake = cross_entropy(tf.zeros_like(for_fake), for_fake)
    return loss_real + loss_fake


def fooling_loss(critic, fake):
    """Return the generator's loss."""
    for_fake = critic(fake, training=True)
    # the label 1, as if the fakes were real
    return cross_entropy(tf.ones_like(for_fake), for_fake)


# %% [markdown]
# ## Whose weights does a loss change?
#
# > **Predict**
# >
# > The critic's loss is computed from real examples and from fakes, and the generator makes the fakes inside the tape's
# > block. What is the gradient of this loss with respect to the *generator's* variables?

# %%
predict("16.c", "")

# %%
real, noise = draw_clouds(64), tf.random.normal((64, 2))

with tf.GradientTape(persistent=True) as tape:
    fake = generator(noise, training=True)
    critic_loss = classifying_loss(critic, real, fake)
    generator_loss = fooling_loss(critic, fake)

variables = generator.trainable_variables
# the critic's loss!
gradients = tape.gradient(critic_loss, variables)
for variable, gradient in zip(variables, gradients, strict=True):
    print(f"{variable.path:26} norm {tf.norm(gradient):.4f}")

# %% tags=["claims"]
assert all(g is not None and np.any(g) for g in gradients)

# %% [markdown]
# This is the critic's loss, yet it has a gradient for every variable of the generator, because it depends on the fakes.
# These gradients do no harm as long as you never apply them.
#
# A tape records how each value was computed, but it does not know which loss belongs to which player. You decide who
# moves: **differentiate each player's loss only with respect to that player's variables, and give each player its own
# optimizer**.
#
# A common mistake is to add the two losses and differentiate the sum with respect to all variables. Each player then
# also gets the gradient of its opponent's loss. The critic is pushed to call fakes real, and the generator to make
# fakes that are easy to spot.
#
# ## When do you have to record again?
#
# The order of the two steps hides another trap. Suppose the critic has just taken a step, and you now ask the old
# tape for the generator's gradient. Does this gradient use the critic's old weights, or its new ones? Look at one variable,
# the first kernel of the generator:

# %%
kernel = generator.trainable_variables[0]
before = tape.gradient(generator_loss, kernel)

# one step of the critic
gradients = tape.gradient(critic_loss, critic.trainable_variables)
keras.optimizers.SGD(0.5).apply(gradients, critic.trainable_variables)
same_tape = tape.gradient(generator_loss, kernel)

with tf.GradientTape() as new_tape:
    new_loss = fooling_loss(critic, generator(noise, training=True))
new_recording = new_tape.gradient(new_loss, kernel)

print(f"before the critic's step: norm {tf.norm(before):.4f}")
print(f"after it, same tape:      norm {tf.norm(same_tape):.4f}")
print(f"after it, new recording:  norm {tf.norm(new_recording):.4f}")

# %% tags=["claims"]
assert np.allclose(same_tape, before) and not np.allclose(new_recording, before, rtol=1e-2)

# %% [markdown]
# The first two norms are equal: the old tape used the critic's old weights, because a tape keeps the values that it
# recorded. If you want the generator's gradient for the critic's new weights, run the forward pass again under a new
# tape. This lesson uses such *alternating* updates. Updating both players from one recording is not an error, and saves
# a forward pass. But these are *simultaneous* updates: both gradients use the old weights.
#
# ### Exercise 16.1: repair
#
# The function below should play one round of the game, but it has several bugs. It should first update only the critic,
# with the gradient of the first loss that `losses_of` returns. Then it should update only the generator, with the
# gradient of the second loss, computed with the critic's new weights. Each player has its own optimizer, both models
# are called with `training=True`, and both players get the same batch `real` and the same `noise`.


# %%
def losses_of(for_real, for_fake):
    """Return two losses, the critic's and the generator's, from the critic's logits."""
    loss_real = cross_entropy(tf.ones_like(for_real), for_real)
    loss_fake = cross_entropy(tf.zeros_like(for_fake), for_fake)
    return loss_real + loss_fake, cross_entropy(tf.ones_like(for_fake), for_fake)


# %% exercise="16.1"
def play_round(generator, critic, for_generator, for_critic, losses_of, real, noise):
    # Moves both models once, by the optimizers for_generator and for_critic.
    ### BEGIN SOLUTION
    #| with tf.GradientTape() as tape:
    #|     fake = generator(noise)
    #|     critic_loss, generator_loss = losses_of(critic(real), critic(fake))
    #|     loss = critic_loss + generator_loss
    #| of_critic, of_generator = tape.gradient(
    #|     loss, [critic.trainable_variables, generator.trainable_variables]
    #| )
    #| for_critic.apply(of_critic, critic.trainable_variables)
    #| for_generator.apply(of_generator, generator.trainable_variables)
    for player, optimizer in ((critic, for_critic), (generator, for_generator)):
        with tf.GradientTape() as tape:
            fake = generator(noise, training=True)
            for_real, for_fake = critic(real, training=True), critic(fake, training=True)
            critic_loss, generator_loss = losses_of(for_real, for_fake)
            loss = critic_loss if player is critic else generator_loss
        gradients = tape.gradient(loss, player.trainable_variables)
        optimizer.apply(gradients, player.trainable_variables)
    ### END SOLUTION


# %%
check("16.1", play_round)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Use two recordings. The second begins after the critic has moved. In each recording, compute the gradient of one loss, for
# the variables of one player.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Compute `fake` again inside the second block. Then a path leads from the generator's variables to the generator's loss.
#
# </details>

# %% [markdown]
# ## Which loss helps a generator that is losing?
#
# Early in the game, the critic rejects nearly every fake. Can the generator still learn? That depends on its loss.
# Let `p` be the critic's estimate of the probability that a given fake is real. Two losses fall as `p` rises:
#
# - `log(1 - p)`, the **minimax loss** of the original paper (Goodfellow et al., 2014);
# - `-log(p)`, the **non-saturating loss**, which is our `fooling_loss`.
#
# They differ in their slopes. The critic returns a logit, z, and `p` is sigmoid(z). The generator's weights affect the
# loss only through z. So by the chain rule, each of their gradients contains the slope of the loss with respect to z as
# a factor. If that slope is nearly 0, the generator hardly learns.
#
# ### Exercise 16.2: predict
#
# For a fake, the critic returns the logit -4, which gives the fake a probability of p = sigmoid(-4) = 0.018 of being
# real. Compute the slope of each loss with respect to the logit, to three decimals:
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
# A tape computes both slopes at three logits:

# %%
logits = tf.Variable([-4.0, 0.0, 4.0])
with tf.GradientTape(persistent=True) as tape:
    p = tf.sigmoid(logits)
    original = tf.math.log(1 - p)
    fooling = -tf.math.log(p)
original_slopes = tape.gradient(original, logits).numpy()
fooling_slopes = tape.gradient(fooling, logits).numpy()

print("logit     ", logits.numpy())
print("log(1 - p)", original_slopes.round(2))
print("-log(p)   ", fooling_slopes.round(2))

# %% tags=["claims"]
assert np.allclose(original_slopes, -tf.sigmoid(logits), atol=1e-4)
assert np.allclose(fooling_slopes, tf.sigmoid(logits) - 1, atol=1e-4)

# %% [markdown]
# Look at the logit -4, where the critic is sure that the example is fake. There, `log(1 - p)` is almost flat, so a step
# of SGD hardly moves the generator. The other loss, `-log(p)`, is steep. With Adam, which rescales small gradients, the
# difference matters less. But `-log(p)` is the safe choice with either optimizer, and the paper also recommends it. That is why
# we use `fooling_loss`.
#
# ## What does mode collapse look like?
#
# Will the generator reach all eight clouds? And what if it takes more steps than the critic? In each round, `train` updates
# the critic `critic_steps` times, and then the generator `generator_steps` times. Each update has its own recording:


# %%
def move(player, optimizer, loss_of, generator, draw):
    """Update one player once; the generator makes the fakes for both."""
    noise = tf.random.normal((64, generator.input_shape[1]))
    real = draw(64)
    with tf.GradientTape() as tape:
        fake = generator(noise, training=True)
        loss = loss_of(real, fake)
    gradients = tape.gradient(loss, player.trainable_variables)
    optimizer.apply(gradients, player.trainable_variables)


def adam_for(player, rate):
    """Return Adam with its variables already created, outside any tf.function."""
    optimizer = keras.optimizers.Adam(rate, beta_1=0.5)
    optimizer.build(player.trainable_variables)
    return optimizer


# %% [markdown]
# `train` plays many rounds in a `tf.function`, and prints its progress. You can skim it: only `critic_steps` and
# `generator_steps` matter here. The losses and the data are arguments because *Going deeper* changes them.


# %%
def train(
    generator, critic, critic_loss, generator_loss, draw, rounds,
    critic_steps=1, generator_steps=1, rate=1e-3,
):  # fmt: skip
    critic_optimizer = adam_for(critic, rate)
    generator_optimizer = adam_for(generator, rate)

    @tf.function
    def play_rounds():
        for _ in tf.range(rounds // 4):
            for _ in range(critic_steps):
                move(critic, critic_optimizer, critic_loss, generator, draw)
            for _ in range(generator_steps):
                move(generator, generator_optimizer, generator_loss, generator, draw)

    for quarter in (1, 2, 3, 4):
        print(f"quarter {quarter} of 4", end="\r")
        play_rounds()


# %% [markdown]
# Play the game twice: first with one step per round for each player, and then with five steps for the generator.


# %%
def classifying_game(**steps):
    """Play one game, and return the trained generator."""
    generator, critic = build(2, 2, seed=16), build(2, 1, seed=17)

    def critic_loss(real, fake):
        return classifying_loss(critic, real, fake)

    def generator_loss(real, fake):
        return fooling_loss(critic, fake)

    train(generator, critic, critic_loss, generator_loss, draw_clouds, rounds=2000, **steps)
    return generator


players = {
    "one step each": classifying_game(),
    "five generator steps": classifying_game(generator_steps=5),
}

# %% [markdown]
# Each cloud is a **mode** of the data. We say that the generator reaches a mode if more than 5% of its points lie
# within 0.4 of that cloud's center. (An equal share would be 12.5%.)


# %%
def count_modes(generator):
    """Return how many of the eight clouds the generator reaches."""
    points = generator(tf.random.normal((2000, 2)))
    # from each point to each center: (2000, 8)
    distances = tf.norm(points[:, None] - centers, axis=2)
    is_close = distances < 0.4
    shares = np.mean(is_close, axis=0)  # (8,)
    return int(np.sum(shares > 0.05))


# %% [markdown]
# In the figure, a cross marks the center of each cloud. Look for crosses without points:

# %% tags=["nbval-ignore-output"]
def plot_players(players):
    fig, axes = plt.subplots(1, len(players), figsize=(6.4, 3.2), sharey=True)
    for ax, (name, player) in zip(axes, players.items(), strict=True):
        points = player(tf.random.normal((500, 2)))
        plot_points(ax, points, f"{name}: {count_modes(player)} of 8")
        ax.plot(centers[:, 0], centers[:, 1], "+", color="0.5", markersize=12)
    axes[0].set_ylabel("second coordinate")


plot_players(players)

# %% tags=["claims"]
five = players["five generator steps"]
radius = np.mean(tf.norm(five(tf.random.normal((500, 2))), axis=1))
assert count_modes(five) <= 3 and radius > 0.6
assert count_modes(players["one step each"]) >= 7
points = players["one step each"](tf.random.normal((500, 2)))
assert np.mean(np.min(tf.norm(points[:, None] - centers, axis=2), axis=1) < 0.4) > 0.7

# %% [markdown]
# With one step each, the generator reaches at least seven clouds. With five steps per round, it puts nearly all points in one
# place, which is called **mode collapse**. Nothing in the generator's loss asks for variety. Against a fixed critic,
# the generator can do no better than map all noise to a single point: the one that the critic finds most real. Once the
# critic has learned to reject that point, the generator moves to another.
#
# One game proves little, so we played nine games of each kind. With five generator steps, the generator reached one
# cloud or none in eight of the nine games. With one step each, it reached all eight clouds in seven of the nine games,
# and six clouds in the other two.

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open the answer.
#
# <details><summary>1. Both players get their gradients from one persistent tape, and the critic moves first. Is the generator's gradient computed with the critic's old weights, or with its new ones?</summary>
#
# With the old ones, because the tape keeps the values that it recorded.
#
# </details>
# <details><summary>2. The fakes for the generator's step come from <code>generator.predict</code>. What happens?</summary>
#
# `predict` returns NumPy arrays, so no path leads from the generator's variables to the loss. All gradients are `None`, and
# the optimizer raises an error.
#
# </details>
# <details><summary>3. Both losses have stopped changing, and all samples look alike. What do you do?</summary>
#
# Do not trust the losses. Look at the samples, and measure how varied they are. Then shift the balance toward the
# critic: give the generator fewer steps, or a lower learning rate. If that fails, change the loss, as in *Going
# deeper*.
#
# </details>

# %% [markdown]
# ## Recap
#
# - Keep two losses, two lists of variables and two optimizers.
# - For alternating updates, record again after the other player has moved.
# - Choose a generator loss that is steep when the critic recognizes the fakes.
# - Look at samples, and count the modes that they reach.
#
# One round:
#
# ```python
# with tf.GradientTape() as tape:
#     loss = classifying_loss(critic, real, generator(noise, training=True))
# gradients = tape.gradient(loss, critic.trainable_variables)
# critic_optimizer.apply(gradients, critic.trainable_variables)
#
# with tf.GradientTape() as tape:
#     loss = fooling_loss(critic, generator(noise, training=True))
# gradients = tape.gradient(loss, generator.trainable_variables)
# generator_optimizer.apply(gradients, generator.trainable_variables)
# ```
#
# **To remember**: the list of variables that you pass to `tape.gradient` decides which player moves.

# %% [markdown]
# ## Going deeper
#
# A game of two numbers, a penalty that keeps the critic fair, and digits.

# %% [markdown]
# ### Where does a game of two numbers end?
#
# The smallest game has two numbers. The generator has `shift`, which should become 0, and the critic has `slope`. They play
# for the **gap**, slope · shift. The critic changes `slope` to lower the gap, and the generator changes `shift` to raise it.


# %%
def play(in_turn, penalty=0.0, steps=100):
    """Return shift and slope before each step and at the end, (steps + 1, 2)."""
    shift, slope = tf.Variable(1.0), tf.Variable(0.0)
    path = [[1.0, 0.0]]
    for _ in range(steps):
        with tf.GradientTape(persistent=True) as tape:
            gap = slope * shift
            critic_loss = gap + penalty * slope**2
        slope.assign_sub(0.1 * tape.gradient(critic_loss, slope))
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
# They move away. Each player changes the other's loss, so they circle around the solution, and a straight step along a circle
# ends a little outside.
#
# The other possibility is **in turn**: move the critic, record again, and then move the generator against the new critic.
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
# In turn, they stay near their circle: the generator already answers the critic's new slope, and that cancels the
# outward drift. Still nothing pulls them to the middle. A penalty on the critic's slope does: this is the simplest
# **gradient penalty**. In the figure, all three games start at the dot. Look for the one that ends at the cross.

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
labels = ax.set(xlabel="shift of the generator", ylabel="slope of the critic", xlim=(-1.8, 2.4))
ax.set_aspect("equal")

# %% tags=["claims"]
assert np.hypot(*paths["with a penalty"][-1]) < 0.05

# %% [markdown]
# ### How does a penalty keep the critic fair?
#
# In a **Wasserstein GAN (WGAN) with gradient penalty**, the critic's score is not a logit. Its loss is the gap: the
# mean score of the fakes minus that of the real examples. (In papers, *critic* usually means this network.) On its own,
# the gap has no minimum, because the critic can always double its scores. So a penalty keeps the gradient of the score
# **with respect to the example** near length 1:
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
    penalty, difference = slope_penalty(critic, real, fake), gap(critic, real, fake)
of_critic = tape.gradient(penalty, critic.trainable_variables)
of_last_bias = tape.gradient(difference, critic.trainable_variables[-1])
assert of_critic[-1] is None and all(np.any(g) for g in of_critic[::2])
assert not any(np.any(g) for g in of_critic[1:-1:2]) and abs(of_last_bias) < 1e-5

# %% [markdown]
# It runs, because (1, 1) broadcasts to any shape. Then all points lie at the same fraction of the way from fake to
# real, and each batch tests only that position. Give `share` one row for each pair.
#
# The last bias shifts every score but changes no slope. So no path leads from the penalty to it, and the penalty's
# gradient there is `None`.
#
# Does the penalty keep the scores from growing without end? Here are two games. In both, the critic takes three steps
# for each step of the generator. The first uses only the gap, and the second adds the penalty. They take up to a
# minute.


# %%
def gap_game(loss):
    """Return the generator at the end of a game, and the largest score of a real example."""
    generator, critic = build(2, 2, seed=16), build(2, 1, seed=17)
    train(
        generator,
        critic,
        critic_loss=lambda real, fake: loss(critic, real, fake),
        generator_loss=lambda real, fake: -tf.reduce_mean(critic(fake, training=True)),
        draw=draw_clouds,
        rounds=2000,
        critic_steps=3,
    )
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
# game reached all eight clouds from each of eight starts, and without it, from 13 of 24.
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
train(
    artist,
    judge,
    critic_loss=lambda real, fake: gap_loss(judge, real, fake),
    generator_loss=lambda real, fake: -tf.reduce_mean(judge(fake, training=True)),
    draw=draw_digits,
    rounds=900,
    critic_steps=3,
    rate=5e-4,
)

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

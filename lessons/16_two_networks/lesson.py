# %% [markdown] part="Part III: what fit cannot say"
# # 16 · Two networks
#
# A generator makes examples, a critic judges them, and each trains against the other: a **generative adversarial
# network (GAN)**. `fit` knows one loss that falls. Here two pull against each other: let one move the other's
# variables, and the game fails, without an error.
#
# **You will learn to**
#
# - say what each of two players may move, and from which recording;
# - write a round of a game between two networks, with two optimizers;
# - choose a generator's loss by its gradient, and recognise a collapse;
# - penalise a critic's slopes at points between real and fake.
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
# ## Where does a game of two end?
#
# The smallest game has two numbers. A real example is a number x, and the generator's fake is x + `shift`, so a shift of
# 0 is perfect. The critic's score of an example is `slope` times it. They play for the **gap**, the fake's score minus
# the real one's: slope · (x + shift) - slope · x, which is slope · shift. The critic wants the real example's score
# above the fake's, so it lowers the gap by its slope; the generator raises it by its shift.


# %%
def play(in_turn, pull=0.0, steps=100):
    """Return shift and slope before each step and at the end, (steps + 1, 2)."""
    shift, slope = tf.Variable(1.0), tf.Variable(0.0)
    path = [[1.0, 0.0]]
    for _ in range(steps):
        with tf.GradientTape(persistent=True) as tape:
            gap = slope * shift
            critic_loss = gap + pull * slope**2
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
# > Both step by *one* recording, from shift 1 and slope 0. After 100 small steps, how far are they
# > from the solution, shift 0 and slope 0?

# %%
predict("16.a", "")

# %%
paths = {"together": play(in_turn=False)}
distance = np.hypot(*paths["together"][-1])

print(f"distance {distance:.1f}")

# %% [markdown]
# The other way is **in turn**: the critic moves, and the generator's gradient is recorded anew, against the critic as it
# is now.
#
# > **Predict**
# >
# > How far are they now, after 100 steps in turn?

# %%
predict("16.b", "")

# %%
paths["in turn"] = play(in_turn=True)
# (101,): the distance before each step
in_turn = np.hypot(*paths["in turn"].T)

print(f"distances from {in_turn.min():.1f} to {in_turn.max():.1f}")

# %% [markdown]
# **A tape holds the values that it saw.** After
# `slope.assign_sub`, it still has the slope from before.
#
# A pull on the critic's slope, here towards 0, changes the game: the simplest **gradient penalty**. In the figure all three
# ways start at the dot: look for the one that ends at the cross. The next cell checks "together" and "in turn" without
# a tape: there, each step multiplies (shift, slope) by a matrix.

# %%
paths["with a pull"] = play(in_turn=True, pull=1.0)
steps = {"together": [[1, 0.1], [-0.1, 1]], "in turn": [[0.99, 0.1], [-0.1, 1]]}
for name, step in steps.items():
    by_hand = np.linalg.matrix_power(np.array(step), 100) @ [1.0, 0.0]
    assert np.allclose(paths[name][-1], by_hand, atol=1e-3)

# %% tags=["claims"]
assert np.isclose(distance, 1.01**50, rtol=1e-3) and 0.9 < in_turn.min() < in_turn.max() < 1.1
assert np.hypot(*paths["with a pull"][-1]) < 0.05

# %%
ax = plt.subplots(figsize=(4.8, 4.2))[1]
for number, (name, path) in enumerate(paths.items()):
    shown = path[:64] if name == "in turn" else path  # one round
    ax.plot(*shown.T, color=f"C{number}", ls=("-", "--", "-.")[number])
    at, offset = path[(60, 31, 22)[number]], ((8, 4), (8, 4), (-74, -4))[number]
    text = ax.annotate(name, at, offset, textcoords="offset points", color=f"C{number}")
ax.plot(0, 0, "k+", markersize=12)
ax.plot(1, 0, "ko")
labels = ax.set(xlabel="shift of the generator", ylabel="slope of the critic", xlim=(-1.8, 2.4))
ax.set_aspect("equal")

# %% [markdown]
# ## Which variables may each network move?
#
# Now networks. Real examples are eight small clouds on a circle. The generator turns noise into points, and the
# critic returns a logit: above 0 for real.


# %%
def build(inputs, outputs, seed, size=64, last=None):
    keras.utils.set_random_seed(seed)
    hidden = [layers.Dense(size, "relu"), layers.Dense(size, "relu")]
    return keras.Sequential([keras.Input((inputs,)), *hidden, layers.Dense(outputs, last)])


angles = tf.range(8.0) * np.pi / 4
# (8, 2)
centres = 2 * tf.stack([tf.cos(angles), tf.sin(angles)], axis=1)


def draw_clouds(n):
    which = tf.random.uniform((n,), 0, 8, tf.int32)
    return tf.gather(centres, which) + 0.05 * tf.random.normal((n, 2))


# %%
cross_entropy = keras.losses.BinaryCrossentropy(from_logits=True)


def classifying_loss(critic, real, fake):
    for_real, for_fake = critic(real, training=True), critic(fake, training=True)
    return cross_entropy(tf.ones_like(for_real), for_real) + cross_entropy(
        tf.zeros_like(for_fake), for_fake
    )


def fooling_loss(critic, fake):
    for_fake = critic(fake, training=True)
    # as if fakes were real
    return cross_entropy(tf.ones_like(for_fake), for_fake)


generator, critic = build(2, 2, seed=16), build(2, 1, seed=17)
real, noise = draw_clouds(64), tf.random.normal((64, 2))

# %% [markdown]
# Call both with `training=True`: with batch normalisation or dropout, a call without it computes something else.
#
# > **Predict**
# >
# > The critic's loss is computed from fakes. What is its gradient with respect to the *generator's* variables?

# %%
predict("16.c", "")

# %%
with tf.GradientTape(persistent=True) as tape:
    fake = generator(noise, training=True)
    critic_loss = classifying_loss(critic, real, fake)
    generator_loss = fooling_loss(critic, fake)

crossed = tape.gradient(critic_loss, generator.trainable_variables)
print({"None" if g is None else "numbers" if np.any(g) else "zeros" for g in crossed})

# %% [markdown]
# So each player's list of variables belongs to its own loss and its own optimizer. One sum of both losses for all
# variables is a common fault: there the critic also learns to be fooled, and the generator to be recognised.
#
# And the recording: after the critic's step, this tape still answers for the critic before it.

# %%
before = tape.gradient(generator_loss, generator.trainable_variables)
optimizer = keras.optimizers.SGD(0.5)
optimizer.apply(
    tape.gradient(critic_loss, critic.trainable_variables), critic.trainable_variables
)
remembered = tape.gradient(generator_loss, generator.trainable_variables)

with tf.GradientTape() as anew:
    generator_loss = fooling_loss(critic, generator(noise, training=True))
now = anew.gradient(generator_loss, generator.trainable_variables)

print("remembered as before:", bool(np.allclose(remembered[0], before[0])))

# %% tags=["claims"]
assert all(np.allclose(a, b) for a, b in zip(remembered, before, strict=True))
assert not np.allclose(now[0], before[0], rtol=1e-2)
assert all(g is not None and np.any(g) for g in crossed)

# %% [markdown]
# ### Exercise 16.1: repair
#
# A round of the game, with several faults. It should first move the critic alone, down `classifying_loss`, and then the
# generator alone, down `fooling_loss` against the critic as it is *after* its step. Each has its own optimizer. Both
# models are called with `training=True`; in a round there is one batch `real` and one `noise`, for both players.


# %%
def losses_of(for_real, for_fake):
    """Return the critic's and the generator's loss from logits, as above."""
    of_real = cross_entropy(tf.ones_like(for_real), for_real)
    of_fake = cross_entropy(tf.zeros_like(for_fake), for_fake)
    return of_real + of_fake, cross_entropy(tf.ones_like(for_fake), for_fake)


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
# Two recordings are the simplest: the second begins after the critic has moved. In each, one loss and one list of
# variables count.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Make `fake` anew inside the generator's block: so a path leads from its loss to its variables.
#
# </details>

# %% [markdown]
# ## Which loss moves a losing generator?
#
# Early on, a critic may see through every fake. What does the generator learn then? Its gradient passes through the
# fakes' logit: look at the slope there.
#
# ### Exercise 16.2: predict
#
# The critic gives a fake the logit -4; its probability of being real is p = sigmoid(-4) = 0.018. What is the slope, with
# respect to the logit, to three decimals, of
#
# 1. log(1 - p), which the generator lowers in the first paper on GANs?
# 2. -log p, the cross-entropy for the label 1, as in `fooling_loss`?

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
# With l for the logit: -log p is log(1 + exp(-l)), and log(1 - p) is -log(1 + exp(l)).
#
# </details>
# <details><summary>Hint 2</summary>
#
# The slope of log(1 + exp(a)) with respect to a is sigmoid(a). Then p is sigmoid(l), and sigmoid(-l) is 1 - p.
#
# </details>
#
# A tape gives them at three logits:

# %%
logit = tf.Variable([-4.0, 0.0, 4.0])
with tf.GradientTape(persistent=True) as tape:
    original = tf.math.log(1 - tf.sigmoid(logit))
    fooling = -tf.math.log(tf.sigmoid(logit))
of_original, of_fooling = tape.gradient(original, logit), tape.gradient(fooling, logit)

for name, slopes in {"log(1 - p)": of_original, "-log p": of_fooling}.items():
    print(f"{name:10}", slopes.numpy().round(2))

# %% [markdown]
# ## What does a collapse look like?
#
# Both losses of Exercise 16.2 want the logit higher. But where the generator loses, log(1 - p) is flat: SGD hardly
# moves at first (Adam hides it, lesson 09). So the game is played with the `fooling_loss`. One loop plays every game
# below: `turns[0]` steps of the critic, then `turns[1]` of the generator, each recorded anew.


# %%
def move(player, optimizer, loss_of, generator, draw):
    """Take one step of a player, which is the critic or the generator."""
    with tf.GradientTape() as tape:
        fake = generator(tf.random.normal((64, generator.input_shape[1])), training=True)
        loss = loss_of(draw(64), fake)
    gradients = tape.gradient(loss, player.trainable_variables)
    optimizer.apply(gradients, player.trainable_variables)


# %%
def train(generator, critic, critic_loss, generator_loss, draw, rounds, turns, rate=1e-3):
    for_critic, for_generator = (keras.optimizers.Adam(rate, beta_1=0.5) for _ in range(2))
    for_critic.build(critic.trainable_variables)
    for_generator.build(generator.trainable_variables)

    @tf.function
    def play_rounds():
        for _ in tf.range(rounds // 4):
            for _ in range(turns[0]):
                move(critic, for_critic, critic_loss, generator, draw)
            for _ in range(turns[1]):
                move(generator, for_generator, generator_loss, generator, draw)

    for quarter in (1, 2, 3, 4):
        print(f"quarter {quarter} of 4", end="\r")
        play_rounds()


# %% [markdown]
# Let the generator run ahead, with five steps for each of the critic's, and play the same game with one step each. Then
# count the **modes** that a generator reaches: the clouds that get at least one in a hundred of its points.


# %%
def modes(generator):
    """Return how many of the eight clouds the generator reaches."""
    points = generator(tf.random.normal((2000, 2)))
    # (2000, 8)
    distances = tf.norm(points[:, None] - centres, axis=2)
    return int(np.sum(np.mean(distances < 0.4, axis=0) > 0.01))


# %%
def classifying_game(turns):
    """Return the generator at the end of a game with these turns."""
    generator, critic = build(2, 2, seed=16), build(2, 1, seed=17)
    train(
        generator,
        critic,
        lambda real, fake: classifying_loss(critic, real, fake),
        lambda real, fake: fooling_loss(critic, fake),
        draw_clouds,
        rounds=600,
        turns=turns,
    )
    return generator


players = {"ran ahead": classifying_game((1, 5)), "one step each": classifying_game((1, 1))}

# %% [markdown]
# The one that ran ahead shows **mode collapse**: nothing in the generator's loss asks for variety. A single place
# that the critic takes for real is best, and nearly all noise goes there. Once the critic knows it, another single
# place is best. One run proves little. Of eight that ran ahead, seven reached at most one cloud; with one step each,
# nearly all reached all. The one that ran ahead did train: its points left the middle, where an untrained generator
# puts them.

# %%
reached = {name: modes(player) for name, player in players.items()}
way_out = np.mean(tf.norm(players["ran ahead"](tf.random.normal((500, 2))), axis=1))

print("ran ahead: at most three of eight:", reached["ran ahead"] <= 3, " left the middle:", way_out > 0.6)
print("one step each: at least seven of eight:", reached["one step each"] >= 7)

# %% tags=["claims"]
assert reached["ran ahead"] <= 3 and way_out > 0.6 and reached["one step each"] >= 7
# of Exercise 16.2
assert np.allclose(of_original, -tf.sigmoid(logit), atol=1e-4)
assert np.allclose(of_fooling, tf.sigmoid(logit) - 1, atol=1e-4)

# %% [markdown]
# ## How does a slope keep the critic fair?
#
# In a **Wasserstein GAN (WGAN) with gradient penalty** the critic's score is no logit, and its loss is the gap, as in
# the game of two numbers. That alone has no minimum: double all scores, and the gap doubles. So the penalty bounds
# how steeply the score rises: its gradient **with respect to the example** should have length 1. (In the game of two
# numbers that was `slope`, pulled to 0.) This sets the scale of the scores. The penalty is taken at random points
# *between* real and fake. (Its paper gives it the weight 10; here it has 1.)
#
# Each pair has a share of its own, of shape (n, 1), drawn evenly. The gradient of each example has a length over
# *its* axes (this critic has no batch normalisation, which would mix examples), and the root needs a small number
# inside, as its slope at 0 is infinite (lesson 03).


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
# The inner tape works inside the tape of `move`, so the outer recording holds the way to the slopes, and the critic is
# trained by a gradient of a gradient.
#
# > **Predict**
# >
# > Somebody draws one share for the whole batch, of shape (1, 1). What happens?

# %%
predict("16.d", "")

# %%
share = tf.random.uniform((1, 1))
between = share * real + (1 - share) * tf.zeros_like(real)
shares = (between / real).numpy()

print(f"points of shape {between.shape}, at shares that differ by {np.ptp(shares):.3f}")

# %% [markdown]
# What does the penalty train? The last bias gets `None`: it moves all scores, and no slope. An optimizer would warn. The
# hidden biases get zeros: with relu they only switch units on and off. The gap gives the last bias a path, but a gradient
# of 0: all scores move alike.

# %%
with tf.GradientTape(persistent=True) as tape:
    fake = generator(noise, training=True)
    penalty, difference = slope_penalty(critic, real, fake), gap(critic, real, fake)
of_critic = tape.gradient(penalty, critic.trainable_variables)
of_last_bias = tape.gradient(difference, critic.trainable_variables[-1])

print(["None" if g is None else "numbers" if np.any(g) else "zeros" for g in of_critic])

# %% tags=["claims"]
assert np.ptp(shares) < 1e-4  # of the prediction
assert of_critic[-1] is None and all(np.any(g) for g in of_critic[::2])
assert not any(np.any(g) for g in of_critic[1:-1:2]) and abs(of_last_bias) < 1e-5

# %% [markdown]
# Does the penalty keep this game from running away? Two games, alike in all else, with three steps of the critic for
# one of the generator: the first for the gap alone, the second with the penalty.

# %%
wild, unbound = build(2, 2, seed=16), build(2, 1, seed=17)
train(
    wild,
    unbound,
    lambda real, fake: gap(unbound, real, fake),
    lambda real, fake: -tf.reduce_mean(unbound(fake, training=True)),
    draw_clouds,
    rounds=2000,
    turns=(3, 1),
)
players["gap alone"] = wild
largest = np.max(np.abs(unbound(draw_clouds(500))))

# %%
print("scores beyond 100:", bool(largest > 100))

# %% tags=["claims"]
assert largest > 100

# %%
fair, judge = build(2, 2, seed=16), build(2, 1, seed=17)
train(
    fair,
    judge,
    lambda real, fake: gap_loss(judge, real, fake),
    lambda real, fake: -tf.reduce_mean(judge(fake, training=True)),
    draw_clouds,
    rounds=2000,
    turns=(3, 1),
)
players["with the penalty"] = fair

# %% [markdown]
# With the penalty the scores stay small. In the figure the crosses are the middles of the clouds, and the titles
# count the clouds that were reached. Look for crosses without points. The game with one step each reaches all, too;
# after 600 rounds, not 2,000, its points still scatter. One run proves little: with the penalty, the game for the gap
# reached all eight clouds from each of eight starts; without, from 13 of 24.

# %%
reached = {name: modes(player) for name, player in players.items()}
bounded = np.max(np.abs(judge(draw_clouds(500)))) < 50
latent = tf.random.normal((500, 2))
# (4, 500): from each point to the nearest cross
away = [np.min(tf.norm(g(latent)[:, None] - centres, axis=2), 1) for g in players.values()]

print("at least seven of eight:", reached["with the penalty"] >= 7, " scores below 50:", bounded)

# %% tags=["claims"]
assert reached["with the penalty"] >= 7 and bounded
assert np.mean(away[3]) < 0.35

# %%
fig, axes = plt.subplots(1, 4, figsize=(10, 2.9), sharex=True, sharey=True)
for number, (ax, (name, player)) in enumerate(zip(axes, players.items(), strict=True)):
    ax.plot(*np.transpose(centres), "+", color="0.5", markersize=12)
    ax.plot(*np.transpose(player(latent)), ".", color=f"C{number}", markersize=3)
    ax.set_title(f"{name}: {reached[name]} of 8", fontsize=10)
    labels = ax.set(aspect="equal", xlim=(-3, 3), ylim=(-3, 3), xlabel="first coordinate")
labels = axes[0].set_ylabel("second coordinate")

# %% [markdown]
# ### Exercise 16.3: complete
#
# The penalty for pictures, (n, h, w, 1). Here `share` is given, one number for each pair, of shape (n,): the points are
# share · real + (1 - share) · fake. Return the mean of (length - 1)². The check takes the penalty's gradient with
# respect to the critic's weights; it must be finite where a slope is 0. This critic has no layers that ask for `training`.


# %% exercise="16.3"
def penalty_between(critic, real, fake, share):
    """Return the penalty, one number; critic(pictures) gives scores (n,)."""
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
# Shapes align from the right: give `share` three axes more. A picture's slope has three axes, and one length.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `tf.reshape(share, (-1, 1, 1, 1))`; sum the squares over `axis=(1, 2, 3)`, and add 1e-12 before the root.
#
# </details>
#
# ### Digits
#
# The same loop works for pictures of 14 by 14 pixels, made of 16 normal numbers:

# %% tags=["nbval-ignore-output"]
(x_train, _), _ = load_mnist()
# 2 by 2 pixels each
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
    lambda real, fake: gap_loss(judge, real, fake),
    lambda real, fake: -tf.reduce_mean(judge(fake, training=True)),
    draw_digits,
    rounds=1500,
    turns=(3, 1),
    rate=5e-4,
)

# %% [markdown]
# Look for strokes with an end and a width: no loss said what a stroke is. Some digits are good, some are none; better ones
# take convolutions and more rounds. How near is a drawing to the nearest real digit, compared with an untrained one? A
# black picture is near, too, so ask for variety as well: how much does a pixel differ from drawing to drawing?


# %%
def distance_to_real(pictures):
    return np.mean([np.min(np.linalg.norm(small[:2000] - picture, axis=1)) for picture in pictures])


drawn = artist(tf.random.normal((200, 16)))
is_near = distance_to_real(drawn) < 0.8 * distance_to_real(untrained)
variety = [np.mean(np.std(pictures, axis=0)) for pictures in (drawn, small)]

print("nearer than untrained:", is_near, " half as varied as digits:", variety[0] > variety[1] / 2)
assert is_near and variety[0] > variety[1] / 2

ax = show_images(np.reshape(drawn[:16], (-1, 14, 14)))

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open it.
#
# <details><summary>1. Both players get their gradients from one persistent tape. Which critic does the generator's
# gradient answer?</summary>
#
# The critic as it was recorded, before its step.
#
# </details>
# <details><summary>2. The fakes for the generator's step come from <code>generator.predict</code>. What happens?</summary>
#
# They left TensorFlow: all gradients are `None`, and the optimizer raises an error.
#
# </details>
# <details><summary>3. A penalty at zero slope gives nan, and 1e-12 is added outside the root. Does it help?</summary>
#
# No. The root's own slope is infinite at 0; the number belongs inside.
#
# </details>

# %% [markdown]
# ## Recap
#
# - Two losses, two lists of variables, two optimizers; the sources decide who moves.
# - A tape remembers the values it saw: in turn means recorded anew.
# - Choose the generator's loss by its slope where it loses.
# - A collapse is seen in samples: count what they reach.
# - The penalty: one share for each pair, one length for each example, a tiny number inside the root.
#
# ```python
# with tf.GradientTape() as tape:
#     loss = fooling_loss(critic, generator(noise, training=True))
# gradients = tape.gradient(loss, generator.trainable_variables)
# for_generator.apply(gradients, generator.trainable_variables)
# ```
#
# **To remember**: the list of sources decides which player moves.

# %% [markdown]
# ## Further reading
#
# - Gulrajani et al., *Improved Training of Wasserstein GANs*, NeurIPS 2017: the penalty between real and fake.
# - Mescheder, Geiger and Nowozin, *Which training methods for GANs do actually converge?*, ICML 2018: the two numbers.
#
# Next, a step of training is itself differentiated: [17 · Learning to learn](17_learning_to_learn.ipynb).

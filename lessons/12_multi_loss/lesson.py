# %% [markdown] part="Part II: training loops"
# # 12 · Several losses
#
# You add a penalty to keep a layer's activations small. The printed loss includes the penalty, yet the activations stay
# as large as before, because the penalty has no path to the weights. The loss alone could not tell you this: a sum does
# not show which of its parts are being trained. In this lesson you take such a sum apart and look at the gradient of
# each loss in it.
#
# **You will learn to**
#
# - penalize activations in the same forward pass as the loss;
# - measure which loss dominates a step and whether two losses conflict;
# - choose how to weight the losses, and explain where training ends up with each choice.
#
# **Before you start**: [04 · Persistence](04_persistence.ipynb) and
# [09 · A training step](09_training_step.ipynb). **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import check, make_classification, predict, start_lesson

start_lesson("12")

import keras
import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from keras import layers

# %% [markdown]
# ## How do I penalize an activation?
#
# An **activation** is what a layer returns for an example. To penalize it, you need its value from the forward pass,
# but a `Sequential` model returns only the output of its last layer.
#
# A model built with Keras's **functional** API can return more. You start from a placeholder for a batch,
# `keras.Input((30,))`. Calling a layer on this placeholder computes nothing; instead, you get a symbol for the layer's
# output, and can call the next layer on that symbol. At the end, `keras.Model(inputs, outputs)` turns the chain into a
# model, whose outputs can be any of these symbols or a list of them.
#
# The next cell builds three models from a single chain of layers, so they share the layers and the weights. Each layer
# records its name whenever it is called:


# %%
class NotedDense(layers.Dense):
    def call(self, inputs):
        layer_calls.append(self.name)
        return super().call(inputs)


def build_models():
    """Return models from x (n, 30) to logits (n, 10), to hidden (n, 64), and to both."""
    keras.utils.set_random_seed(12)
    inputs = keras.Input((30,))
    hidden = NotedDense(64, "relu")(NotedDense(128, "relu")(inputs))
    logits = NotedDense(10)(hidden)
    return [keras.Model(inputs, outputs) for outputs in (logits, hidden, [hidden, logits])]


# %%
# (1000, 30), (1000,)
x, y = make_classification(1000, features=30, classes=10, seed=12)
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def penalized_loss(hidden, logits):
    penalty = tf.reduce_mean(tf.reduce_sum(tf.abs(hidden), axis=1))
    return loss_fn(y, logits) + 0.001 * penalty


# %% [markdown]
# The penalty is the sum of each example's absolute activations, averaged over the batch. The two arguments of
# `penalized_loss` can come from two models, one for the activations and one for the logits, or from a single model with
# two outputs.
#
# > **Predict**
# >
# > `encoder(x)` returns the activations, `classifier(x)` returns the logits, and the two models share two layers. If
# > you call both models, how many layer calls does that make in total?

# %%
predict("12.a", "")

# %%
layer_calls = []
classifier, encoder, both = build_models()


def loss_and_gradients_of(compute):
    layer_calls.clear()
    with tf.GradientTape() as tape:
        loss = penalized_loss(*compute())
    return loss, tape.gradient(loss, both.trainable_variables), len(layer_calls)


loss_apart, gradients_apart, calls_apart = loss_and_gradients_of(
    lambda: (encoder(x), classifier(x))
)
loss, gradients, calls = loss_and_gradients_of(lambda: both(x))

print(f"two models:  loss {loss_apart:.4f}, {calls_apart} layer calls")
print(f"two outputs: loss {loss:.4f}, {calls} layer calls")

# %% tags=["claims"]
assert calls_apart == 5 and calls == 3 and np.isclose(loss, loss_apart, rtol=1e-5)
pairs = zip(gradients, gradients_apart, strict=True)
assert all(np.allclose(a, b, atol=1e-5) for a, b in pairs)

# %% [markdown]
# Sharing weights does not mean sharing results: each model runs its whole chain from the input on, which makes 5 layer
# calls. One model with two outputs gives the same loss and the same gradients with only 3. It is also safer: with
# dropout, a second pass would draw new random numbers, and you would penalize activations other than those that led to
# the logits.
#
# ### Exercise 12.1: repair
#
# `model(x, training=True)` returns both the activations and the prediction, and this call should be the only forward
# pass. The loss should be the mean squared error plus `beta` times the penalty, which is the sum of each example's
# absolute activations, averaged over the batch. But the model trains as if there were no penalty. Find and fix the two
# bugs.


# %% exercise="12.1"
def loss_and_gradients(model, x, y, beta):
    # hidden: (n, 4), y_hat and y: (n, 1); beta is a number.
    ### BEGIN SOLUTION
    #| with tf.GradientTape() as tape:
    #|     _, y_hat = model(x, training=True)
    #|     hidden = model.predict(x, verbose=0)[0]
    #|     penalty = beta * tf.reduce_mean(tf.reduce_sum(tf.abs(hidden), axis=1))
    #|     loss = tf.reduce_mean((y_hat - y) ** 2) + beta * penalty
    #| return loss, tape.gradient(loss, model.trainable_variables)
    with tf.GradientTape() as tape:
        hidden, y_hat = model(x, training=True)
        penalty = tf.reduce_mean(tf.reduce_sum(tf.abs(hidden), axis=1))
        loss = tf.reduce_mean((y_hat - y) ** 2) + beta * penalty
    return loss, tape.gradient(loss, model.trainable_variables)
    ### END SOLUTION


# %%
check("12.1", loss_and_gradients)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Does `predict` return a tensor or an array? How many times is the penalty multiplied by `beta`?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Take `hidden` from the same call as `y_hat`, and multiply by `beta` once.
#
# </details>

# %% [markdown]
# ## Do the losses pull the same way?
#
# For the next question, a model with two weights is enough, because you can draw it. Two teams measured the heights of
# the same 200 trees, each described by two features, and their results disagree. Team A measured in meters, and its
# heights depend on a tree's first feature. Team B measured in decimeters and with more noise, and its heights depend on
# the second feature. You want one linear model for both, in which `features @ w` is the height in meters.

# %%
features = tf.random.normal((200, 2))
noise_a, noise_b = tf.random.normal((200, 1)), 2 * tf.random.normal((200, 1))
y_a = features @ [[1.5], [0.0]] + noise_a  # in m
y_b = 10 * (features @ [[0.0], [1.0]] + noise_b)  # in dm
w = tf.Variable([[0.5], [2.0]])


def two_losses():
    y_hat = features @ w  # in m
    return tf.reduce_mean((y_hat - y_a) ** 2), tf.reduce_mean((10 * y_hat - y_b) ** 2)


# %% [markdown]
# A persistent tape gives you the gradient of each loss separately; call the two gradients **a** and **b**. A step down
# the sum of the losses goes against a + b, and two numbers tell you what it will do:
#
# - The ratio of the gradients' norms tells you which loss dominates the step.
# - The **cosine** of the angle between the gradients tells you whether they agree. You get it by dividing their dot
#   product a · b by both norms. It is 1 if they point in the same direction and -1 if they point in opposite
#   directions. If it is below 0, the losses **conflict**.


# %%
def gradients_at(point):
    w.assign(point)
    with tf.GradientTape(persistent=True) as tape:
        loss_a, loss_b = two_losses()
    return tape.gradient(loss_a, w), tape.gradient(loss_b, w)


def cosine(a, b):
    return float(tf.reduce_sum(a * b) / (tf.norm(a) * tf.norm(b)))


points = {"outside": [[0.5], [2.0]], "between": [[0.9], [0.1]]}
for name, point in points.items():
    a, b = gradients_at(point)
    print(f"{name}: cosine {cosine(a, b):.1f}, b is {tf.norm(b) / tf.norm(a):.0f} times as long")

# %% tags=["claims"]
assert cosine(*gradients_at(points["outside"])) > 0 > cosine(*gradients_at(points["between"]))

# %% [markdown]
# The figure shows the contours of both losses and, at each of the two points, an arrow for each loss in the direction
# in which that loss falls fastest. At the point *outside*, the angle between the arrows is smaller than a right angle.
# At the point *between*, which lies between the best points for A and for B, it is larger:

# %%
grid = np.meshgrid(np.linspace(-0.7, 2.3, 40), np.linspace(-0.6, 2.2, 40))
plane = np.stack(grid, axis=-1)[..., None]  # (40, 40, 2, 1)
fig, ax = plt.subplots(figsize=(6.4, 4.4))
best = {}
for name, color, target in (("A", "C0", y_a), ("B", "C1", y_b / 10)):
    best[name] = np.linalg.lstsq(features, target, rcond=None)[0]
    heights = np.mean((features.numpy() @ plane - target.numpy()) ** 2, axis=(2, 3))
    levels = heights.min() + np.arange(1, 5) ** 2 / 4
    ax.contour(*grid, heights, levels=levels, colors=color, alpha=0.3)
    ax.plot(*best[name], "o", color=color)
    ax.annotate(f"best for {name}", best[name][:, 0] + (0, -0.2), color=color, ha="center")
for name, point in points.items():
    for gradient, color in zip(gradients_at(point), ("C0", "C1"), strict=True):
        arrow = np.ravel(-0.5 * gradient / tf.norm(gradient))
        ax.quiver(*np.ravel(point), *arrow, color=color, angles="xy", scale_units="xy", scale=1)
    ax.annotate(f" {name}", np.ravel(point), va="bottom")
labels = ax.set(xlabel="first entry of w", ylabel="second entry of w", aspect="equal")

# %% [markdown]
# > **Predict**
# >
# > Starting at the point *between*, you move `w` one small step down the sum of both losses. What happens to A's loss?

# %%
predict("12.c", "")

# %%
a, b = gradients_at(points["between"])
before = two_losses()
w.assign_sub(1e-4 * (a + b))
changes = [float(after - start) for after, start in zip(two_losses(), before, strict=True)]

print(f"A's loss changes by {changes[0]:+.3f}, B's by {changes[1]:+.3f}")

# %% tags=["claims"]
assert changes[0] > 0 > changes[1] and sum(changes) < 0

# %% [markdown]
# A's loss rises, even though the step goes down a sum that includes it. In a small step, a loss changes by about minus
# the step size times the dot product of its own gradient and a + b. Because b is long and points against a, this
# product is negative for A, so A's loss goes up. The sum still falls, because B's loss falls by more.
#
# In a model with many layers, you can compute one cosine per layer. For the two-output model from the start of the
# lesson, there is one exception: the last layer comes after the penalized activations, so the penalty's gradient for
# its weights is `None`:

# %%
kernels = [v for v in both.trainable_variables if v.path.endswith("kernel")]
with tf.GradientTape(persistent=True) as tape:
    hidden, logits = both(x)
    task = loss_fn(y, logits)
    penalty = tf.reduce_mean(tf.reduce_sum(tf.abs(hidden), axis=1))

for a, b in zip(tape.gradient(task, kernels), tape.gradient(penalty, kernels), strict=True):
    print("None" if b is None else f"cosine {cosine(a, b):.2f}")

# %% tags=["claims"]
assert tape.gradient(penalty, kernels)[2] is None
try:
    tape.gradient(penalty, kernels, unconnected_gradients="zero")
except AttributeError:
    raised = True
assert raised
values = [kernel.value for kernel in kernels]
assert not np.any(tape.gradient(penalty, values, unconnected_gradients="zero")[2])

# %% [markdown]
# ### Exercise 12.2: complete
#
# Now compute a single cosine for a whole model. For each of two losses, treat the gradients for all variables as one
# long vector with *all* their entries, and return the cosine of the angle between the two vectors. `losses()` returns
# both losses. If a loss does not depend on a variable, treat that gradient as zeros.


# %% exercise="12.2"
def cosine_of_losses(losses, variables):
    """Return the cosine, one number; variables is a list of variables of any shapes."""
    ### BEGIN SOLUTION
    with tf.GradientTape(persistent=True) as tape:
        both_losses = losses()
    vectors = []
    for loss in both_losses:
        gradients = tape.gradient(loss, variables, unconnected_gradients="zero")
        vectors.append(tf.concat([tf.reshape(g, [-1]) for g in gradients], 0))
    a, b = vectors
    return tf.reduce_sum(a * b) / (tf.norm(a) * tf.norm(b))
    ### END SOLUTION


# %%
check("12.2", cosine_of_losses)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Call `losses()` inside the block of a persistent tape. `tape.gradient(loss, variables, unconnected_gradients="zero")`
# then returns zeros instead of `None`.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `tf.reshape(g, [-1])` flattens one gradient, and `tf.concat(parts, 0)` joins a list of them. The rest is as in
# `cosine`.
#
# </details>

# %% [markdown]
# ## How do I weight the losses?
#
# When losses conflict, someone has to decide how much each one counts, and if you just add them up, their units decide.
# To see this, train `w` first on the plain sum, and then on a weighted sum in which B's loss is multiplied by 0.01,
# which converts it from dm² to m²:

# %%
@tf.function
def descend(weight_of_b):
    """Take 4,000 steps down A's loss plus the weighted loss of B; return both losses in m²."""
    w.assign([[0.5], [2.0]])
    for _ in tf.range(4000):
        with tf.GradientTape() as tape:
            loss_a, loss_b = two_losses()
            total = loss_a + weight_of_b * loss_b
        w.assign_sub(0.004 * tape.gradient(total, w))
    return tf.stack(two_losses()) / [1.0, 100.0]


# %%
ends = {}
for name, weight_of_b in {"equal weights": 1.0, "fixed weights": 0.01}.items():
    ends[name] = descend(weight_of_b).numpy()
    a, b = gradients_at(w.read_value())
    print("{}: A {:.1f} m², B {:.1f} m²,".format(name, *ends[name]), f"cosine {cosine(a, b):.2f}")

# %% tags=["claims"]
assert ends["equal weights"][0] > 2 * ends["fixed weights"][0]
assert cosine(a, b) < -0.99

# %% [markdown]
# With equal weights, A's loss ends up more than twice as high as with the fixed weights. The reason is the unit: in
# dm², B's loss is 100 times what it would be in m², so A's loss hardly counts. Equal weights are not neutral.
#
# In both cases the cosine is -1 at the end, and it has to be: at the minimum of a sum the gradients cancel, so they
# must point in opposite directions. A conflict, then, is not an error. What you choose with the weights is *where* it
# is settled. These are the common choices:
#
# | choice | what the step follows | depends on the units |
# |---|---|---|
# | equal weights | the sum of the losses | yes |
# | fixed weights | each loss times a number that you choose | yes, unless you adapt the number |
# | balanced norms | each gradient divided by its norm | no |
# | learned weights | each loss times a number that is trained | no |
#
# Balancing the norms, or **gradient-norm balancing**, is easy: divide each gradient by its norm, so that both losses
# pull with the same force. The argument `unit` changes the unit of B's loss:

# %%
@tf.function
def balance(unit=1.0):
    w.assign([[0.5], [2.0]])
    for _ in tf.range(600):
        with tf.GradientTape(persistent=True) as tape:
            loss_a, loss_b = two_losses()
            loss_b = unit * loss_b
        a, b = tape.gradient(loss_a, w), tape.gradient(loss_b, w)
        w.assign_sub(0.005 * (a / tf.norm(a) + b / tf.norm(b)))
    return tf.stack(two_losses()) / [1.0, 100.0]


ends["balanced norms"] = balance().numpy()
in_meters = balance(unit=0.01).numpy()

print("balanced norms: A {:.1f} m², B {:.1f} m²".format(*ends["balanced norms"]))
print("and with B's loss in m²: A {:.1f} m², B {:.1f} m²".format(*in_meters))

# %% tags=["claims"]
assert cosine(*gradients_at(w.value())) < -0.99
assert np.allclose(in_meters, ends["balanced norms"], atol=1e-3)

# %% [markdown]
# The unit no longer matters, but there is a catch. Between the two best points lie many compromises: points at which
# neither loss can fall without the other rising. At *every* one of them, the balanced gradients are two opposite arrows
# of length 1, which cancel, so training stops at the first compromise that it reaches. (Learned weights are covered in
# *Going deeper*.)
#
# However you choose the weights, multiply a *loss* by its weight inside the tape's block. Below the block the tape no
# longer records, so there you can only weight gradients.
#
# ### Exercise 12.3: predict
#
# At w = 2, a tape records `l1 = w**2` and `l2 = w**3`. *Below* its block, you call `tape.gradient([l1, 3 * l2], w)`.
# What does this call return?

# %% exercise="12.3"
# A number, a list of numbers, or None.
### BEGIN SOLUTION
weighted_below = 4.0
### END SOLUTION

# %%
check("12.3", weighted_below)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# If you pass a list of targets, you get the gradient of their sum. Which of the two targets has a path to `w`?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `3 * l2` is a new tensor, computed after the tape had stopped recording.
#
# </details>
#
# This cell makes the same call and then, for comparison, one with the weight inside the block:

# %%
v = tf.Variable(2.0)
with tf.GradientTape(persistent=True) as tape:
    l1, l2 = v**2, v**3
    weighted = 3 * l2

print(f"weighted below the block: {tape.gradient([l1, 3 * l2], v):.0f}")
print(f"weighted in the block:    {tape.gradient([l1, weighted], v):.0f}")

# %% tags=["claims"]
assert tape.gradient([l1, 3 * l2], v) == 4.0 and tape.gradient([l1, weighted], v) == 40.0

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open the answer.
#
# <details><summary>1. You compute the activations with a second model that shares the layers. What does it cost?</summary>
#
# A second forward pass through these layers.
#
# </details>
# <details><summary>2. The gradients of two losses have the cosine -0.9, and the second is 100 times as long. You take a small step down the sum of the losses. What happens to the first loss?</summary>
#
# It rises, because the step follows the second gradient.
#
# </details>
# <details><summary>3. You divide one loss by 100. For which choices of the weights does the result change?</summary>
#
# For equal and for fixed weights. Balanced norms do not depend on the unit.
#
# </details>

# %% [markdown]
# ## Recap
#
# - Take activations and predictions from the *same* forward pass.
# - Look at the gradient of each loss with a persistent tape: the norms show which loss dominates, and the cosine whether
#   they conflict.
# - Choose the weights. If you only add the losses up, their units choose for you.
# - Multiply a loss by its weight inside the block.
#
# ```python
# with tf.GradientTape(persistent=True) as tape:
#     hidden, logits = model(x, training=True)
#     losses = {"task": task(y, logits), "penalty": beta * penalty(hidden)}
#     total = sum(losses.values())
# gradients = tape.gradient(total, weights)
# by_loss = {name: tape.gradient(loss, weights) for name, loss in losses.items()}
# ```
#
# **To remember**: look at the gradient of each loss before you add the losses up.

# %% [markdown]
# ## Going deeper
#
# Which penalty gives zeros, weights that are learned, a way to remove the conflict, labels that do not sum to 1, and data
# without labels.

# %% [markdown]
# ### L1 or L2: which is sparse?
#
# An **L1** penalty sums absolute values, and an **L2** penalty sums squares. You often hear that L1 makes activations
# **sparse**, which means mostly zeros. Look at it first without a network. Each of 100 activations has a target between 0
# and 1, and the penalty pulls it toward 0.

# %%
wanted = tf.sort(tf.random.uniform((100,)))
penalties = {"none": tf.zeros_like, "L1": lambda h: 0.4 * tf.abs(h), "L2": lambda h: 0.4 * h**2}


def settle(penalty, activation):
    """Return the 100 activations, (100,), after 200 steps of gradient descent."""
    v = tf.Variable(tf.ones(100))
    for _ in range(200):
        with tf.GradientTape() as tape:
            h = activation(v)
            loss = tf.reduce_sum((h - wanted) ** 2 + penalty(h))
        v.assign_sub(0.1 * tape.gradient(loss, v))
    return activation(v).numpy()


settled = {name: settle(penalty, tf.nn.relu) for name, penalty in penalties.items()}
zeros = {name: int(np.sum(h == 0)) for name, h in settled.items()}
print("zeros:", zeros)

# %% tags=["claims"]
assert zeros["none"] == zeros["L2"] == 0
assert abs(zeros["L1"] - np.sum(wanted < 0.2)) <= 1
assert np.allclose(settled["L1"], np.maximum(wanted - 0.2, 0), atol=0.01)
assert np.allclose(settled["L2"], wanted / 1.4, atol=0.01)

# %% [markdown]
# The derivative of 0.4 |h| is 0.4, however small h is. The task pulls back with 2 (wanted - h), and the two balance
# at h = wanted - 0.2. So L1 takes 0.2 from every activation. Where that would leave less than 0, the ReLU returns 0.
# The derivative of h² becomes smaller with h. So L2 divides every activation by 1.4, and none reaches zero. In the
# figure, look at the lower left: L1 runs along zero, and L2 does not.

# %%
fig, ax = plt.subplots(figsize=(5.6, 3.2))
for name, h in settled.items():
    (line,) = ax.plot(wanted, h)
    ax.annotate(f" {name}", (wanted[-1], h[-1]), color=line.get_color(), va="center")
labels = ax.set(xlabel="what the task wants", ylabel="activation after training", xlim=(0, 1.1))

# %% [markdown]
# > **Predict**
# >
# > Now train without the ReLU, with the same L1 penalty. How many activations are exactly zero?

# %%
predict("12.b", "")

# %%
plain = settle(penalties["L1"], tf.identity)

print(f"exactly 0: {np.sum(plain == 0)}, within 0.05 of 0: {np.sum(np.abs(plain) < 0.05)}")

# %% tags=["claims"]
assert np.sum(plain == 0) == 0 and np.sum(np.abs(plain) < 0.05) >= zeros["L1"] > 0

# %% [markdown]
# None. Gradient descent jumps back and forth across zero and never lands on it. The zeros above came from the ReLU.
# Without one, count the activations below a threshold.
#
# In a network, both penalties make zeros, because they also move the weights until more ReLUs return 0:


# %%
def train(model, loss_of, rate):
    """Take 300 steps of Adam down loss_of(model), and return the model."""
    optimizer = keras.optimizers.Adam(rate)
    optimizer.build(model.trainable_variables)

    @tf.function
    def take_60_steps():
        for _ in tf.range(60):
            with tf.GradientTape() as tape:
                loss = loss_of(model)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply(gradients, model.trainable_variables)

    for part in range(5):
        take_60_steps()
        print(f"{60 * (part + 1)} of 300 steps", end="\r")
    return model

# %%
def activations(size, beta):
    """Return the hidden activations, (1000, 64), after training with beta times their size."""

    def loss_of(model):
        hidden, logits = model(x, training=True)
        return loss_fn(y, logits) + beta * tf.reduce_mean(tf.reduce_sum(size(hidden), axis=1))

    return train(build_models()[2], loss_of, rate=3e-3)(x)[0].numpy()


# %%
settings = {"none": (tf.abs, 0.0), "L1": (tf.abs, 0.03), "L2": (tf.square, 0.03)}
trained = {name: activations(*setting) for name, setting in settings.items()}
share = {name: np.mean(h == 0) for name, h in trained.items()}
mean = {name: np.mean(h) for name, h in trained.items()}

for name in trained:
    print(f"{name:4} share of zeros {share[name]:.2f}, mean activation {mean[name]:.1f}")

# %% tags=["claims"]
assert share["L1"] > share["L2"] + 0.1 > share["none"] + 0.4
assert abs(mean["L1"] - mean["L2"]) < 0.05 < mean["none"] - 1
positive = {name: np.mean(h[h > 0]) for name, h in trained.items()}
assert positive["L1"] > 2 * positive["L2"] and share["none"] < 0.2

# %% [markdown]
# The strengths are chosen so that both leave a mean activation of about 0.1. L1 leaves fewer nonzero activations, and
# larger ones.
#
# Keras can also add the penalty: `Dense(64, activity_regularizer=keras.regularizers.L1(0.001))` puts it into
# `model.losses`. Whether it divides by the batch size depends on the version: Keras 3.14 and 3.15 do, earlier
# versions of Keras 3 do not. If your model must behave the same after an upgrade of Keras, write the penalty
# yourself.

# %% tags=["claims"]
layer = layers.Dense(64, "relu", activity_regularizer=keras.regularizers.L1(0.001))
factors = []
for n in (50, 100):
    per_example = 0.001 * np.sum(np.abs(layer(x[:n]))) / n
    factors.append(float(layer.losses[0]) / per_example)
divided = np.allclose(factors, [1, 1], rtol=1e-3)
assert divided or np.allclose(factors, [50, 100], rtol=1e-3)
assert divided == (tuple(map(int, keras.__version__.split(".")[:2])) >= (3, 14))

# %% [markdown]
# ### Can the weights be learned?
#
# **Uncertainty weighting** trains the weights. Each loss L gets a variable s and enters the sum as
#
# $$e^{-s} L + s$$
#
# $e^{-s}$ is the weight. The derivative with respect to s is $1 - e^{-s} L$, so s rests where the weighted loss is 1. A
# loss that is 100 times as large gets a hundredth of the weight, and its unit drops out.
#
# Start s at log L, where the weighted loss is already 1:


# %%
s = tf.Variable([0.0, 0.0])


@tf.function
def learn_weights(weight, factors):
    """Take 4,000 steps of w and s down the sum of weight(factors * losses); return both in m²."""
    w.assign([[0.5], [2.0]])
    s.assign(tf.math.log(factors * tf.stack(two_losses())))
    for _ in tf.range(4000):
        with tf.GradientTape() as tape:
            total = tf.reduce_sum(weight(factors * tf.stack(two_losses())))
        dw, ds = tape.gradient(total, [w, s])
        w.assign_sub(0.004 * dw)
        s.assign_sub(0.004 * ds)
    return tf.stack(two_losses()) / [1.0, 100.0]


# %%
def uncertainty(losses):
    return tf.exp(-s) * losses + s


ends["learned weights"] = learn_weights(uncertainty, tf.ones(2)).numpy()
weighted_losses = np.exp(-s) * np.array(two_losses())

print("learned weights: A {:.1f} m², B {:.1f} m²".format(*ends["learned weights"]))
print("weighted losses:", weighted_losses.round(1))

# %% tags=["claims"]
assert np.allclose(weighted_losses, 1, atol=0.02)
other_units = [learn_weights(uncertainty, tf.constant([1.0, unit])) for unit in (0.01, 100.0)]
assert np.allclose(other_units, ends["learned weights"], atol=0.02)

# %% [markdown]
# With B's loss in m² or in cm², training ends at the same point. Where the weighted loss is 1, s is log L, and the
# sum is log L + 1. So learned weights minimize a sum of logarithms, which is the logarithm of the *product* of the
# losses. A change of unit multiplies the product by a constant, and a constant factor does not move the minimum.
#
# > **Predict**
# >
# > Somebody forgets the second s and writes exp(-s) · L. What do the weights do?

# %%
predict("12.d", "")

# %%
w.assign([[0.5], [2.0]])
first = 1 / np.array(two_losses())  # exp(-s) at s = log L
learn_weights(lambda losses: tf.exp(-s) * losses, tf.ones(2))
last = np.exp(-s)

for name, start, end in zip("AB", first, last, strict=True):
    print(f"weight of {name}: {start:.4f} at first, {end:.4f} at the end")

# %% tags=["claims"]
assert np.all(last < 0.2 * first)

# %% [markdown]
# They go to 0. A smaller weight makes the loss smaller without making the model better. The second s makes small weights
# expensive.
#
# The figure shows where all four choices end. The line holds every compromise between the two best points. Equal
# weights serve B, and learned weights serve A, which has less noise:

# %%
fig, ax = plt.subplots(figsize=(6.0, 3.6))
compromises = []
for t in np.linspace(0, 1, 30):
    w.assign(t * best["A"] + (1 - t) * best["B"])
    compromises.append(np.array(two_losses()) / [1, 100])
ax.plot(*np.transpose(compromises), color="0.6")
for number, (name, end) in enumerate(ends.items()):
    ax.plot(*end, "o", color=f"C{number}")
    ax.annotate(name, end, (4, 4), textcoords="offset points", rotation=20, color=f"C{number}")
labels = ax.set(xlabel="loss of A in m²", ylabel="loss of B in m²", xlim=(0, 5.5), ylim=(3, None))

# %% [markdown]
# ### Can I remove the conflict from the step?
#
# If a · b < 0, a part of `a` works against `b`. You can subtract this part before you add the gradients. This is called
# gradient surgery.
#
# ### Exercise 12.4: complete
#
# If a · b < 0, subtract from `a` its part along `b`, which is $\frac{a \cdot b}{b \cdot b}\, b$, and from `b` its part
# along the *original* `a`. Then add the two results. If there is no conflict, add `a` and `b` as they are.


# %% exercise="12.4"
def without_conflict(a, b):
    """Return the combined gradient, (n,); a and b are gradients of shape (n,)."""
    ### BEGIN SOLUTION
    dot = tf.reduce_sum(a * b)
    if dot >= 0:
        return a + b
    return a - dot / tf.reduce_sum(b * b) * b + b - dot / tf.reduce_sum(a * a) * a
    ### END SOLUTION


# %%
check("12.4", without_conflict)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# a · b is `tf.reduce_sum(a * b)`, one number. So is b · b, the squared norm of `b`.
#
# </details>
# <details><summary>Hint 2</summary>
#
# With `dot` for a · b, the first part is `a - dot / tf.reduce_sum(b * b) * b`. Swap `a` and `b` for the second.
#
# </details>

# %% [markdown]
# ### What does the cross-entropy expect of its labels?
#
# `tf.nn.softmax_cross_entropy_with_logits` expects labels that sum to 1 for each example. It always returns softmax
# minus labels as its gradient, and this formula is right only if the labels sum to 1. Give it two correct classes,
# and compare with the same loss written out:

# %%
logits = tf.Variable([2.0, 0.5, -1.0])
two_classes = tf.constant([1.0, 1.0, 0.0])  # sums to 2
with tf.GradientTape(persistent=True) as tape:
    fused = tf.nn.softmax_cross_entropy_with_logits(two_classes, logits)
    written_out = -tf.reduce_sum(two_classes * tf.nn.log_softmax(logits))

print(f"losses: {fused:.3f} and {written_out:.3f}")
print("fused gradient:", tape.gradient(fused, logits).numpy().round(2))
print("true gradient: ", tape.gradient(written_out, logits).numpy().round(2))

# %% tags=["claims"]
assert np.isclose(fused, written_out)
assert np.allclose(tape.gradient(fused, logits), tf.nn.softmax(logits) - two_classes, atol=1e-6)
true_gradient = 2 * tf.nn.softmax(logits) - two_classes
assert np.allclose(tape.gradient(written_out, logits), true_gradient, atol=1e-6)
soft = tf.Variable([0.7, 0.2, 0.1])
second_derivatives = []
for compute in (
    lambda: tf.nn.softmax_cross_entropy_with_logits(soft, logits),
    lambda: -tf.reduce_sum(soft * tf.nn.log_softmax(logits)),
):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            soft_loss = compute()
        steepness = tf.reduce_sum(inner.gradient(soft_loss, logits) ** 2)
    second_derivatives.append(outer.gradient(steepness, soft))
assert not np.any(second_derivatives[0]) and np.all(second_derivatives[1])

# %% [markdown]
# The losses agree, and the gradients do not. So divide labels by their sum, or use
# `tf.nn.sigmoid_cross_entropy_with_logits` if an example can belong to several classes. If you differentiate its
# gradient with respect to the logits once more, now with respect to the labels, you always get 0, and that is wrong
# as well. If you learn the labels themselves, by differentiating through a training step, write the loss out.

# %% [markdown]
# ### Can unlabeled data help in the same step?
#
# You have 50 labeled examples from ten groups of points, and 1,000 examples without a label. A **self-supervised**
# loss makes a task out of the input: hide 30% of its numbers, and predict them from the rest. Both tasks share the
# hidden layers, the **backbone**. Each has its own last layer, its **head**. One forward pass takes all examples, and
# each loss uses its own rows:

# %%
random = np.random.RandomState(12)
centers, classes = random.normal(size=(10, 30)), random.randint(0, 10, 3050)
clouds = tf.constant(centers[classes] + 1.5 * random.normal(size=(3050, 30)), tf.float32)
x_few, y_few, unlabeled = clouds[:50], classes[:50], clouds[50:1050]


def joint_loss(model, weight, rows):
    # 0 where hidden
    keep = tf.cast(tf.random.uniform(rows.shape) > 0.3, tf.float32)
    logits, rebuilt = model(tf.concat([x_few, keep * rows], axis=0), training=True)
    supervised = loss_fn(y_few, logits[:50])
    error = (1 - keep) * (rebuilt[50:] - rows)  # only what was hidden
    return supervised + weight * tf.reduce_sum(error**2) / tf.reduce_sum(1 - keep)


# %% [markdown]
# A gain could come from having a second task at all, whatever its data. So there is a third training run, in which
# each column of the unlabeled data is shuffled. Every column keeps its numbers, but the groups disappear.


# %%
def accuracy(weight, rows=unlabeled):
    """Train two heads on one backbone, and return the accuracy on 2,000 new examples."""
    keras.utils.set_random_seed(12)
    inputs = keras.Input((30,))
    backbone = layers.Dense(64, "relu")(layers.Dense(128, "relu")(inputs))
    model = keras.Model(inputs, [layers.Dense(10)(backbone), layers.Dense(30)(backbone)])
    logits, _ = train(model, lambda model: joint_loss(model, weight, rows), rate=1e-3)(clouds[1050:])
    return np.mean(np.argmax(logits, axis=1) == classes[1050:])


# %% tags=["nbval-ignore-output"]
shuffled = tf.stack([tf.random.shuffle(column) for column in tf.transpose(unlabeled)], axis=1)
only_labeled = accuracy(weight=0.0)
joint = accuracy(weight=1.0)
without_groups = accuracy(weight=1.0, rows=shuffled)

print(f"labeled data only:       {only_labeled:.1%}")
print(f"with unlabeled data:     {joint:.1%}")
print(f"with shuffled columns:   {without_groups:.1%}")

# %% tags=["claims"]
assert joint - only_labeled > 0.03 > without_groups - only_labeled

# %% [markdown]
# The second task helps, and it helps only if its data hold the groups. Predicting hidden numbers shows the backbone where
# the groups are, and 50 labels name them.
#
# ### Exercise 12.5: complete
#
# Write such a joint loss for another model. `model(rows)` returns the logits, of shape (n, 2), and the rebuilt rows, of
# shape (n, 4). The examples `x` have labels `y`, and those in `rows` have none. `keep` has the shape of `rows`: it is 0
# where a number is hidden, and 1 elsewhere. The loss is the mean cross-entropy of the labeled examples, plus `weight`
# times the mean squared error of the *hidden* numbers. Return the loss, and the list of its gradients with respect to
# `model.trainable_variables`.


# %% exercise="12.5"
def joint_gradients(model, x, y, rows, keep, weight):
    """Return (loss, gradients); x is (n, 4), y (n,), rows and keep (m, 4), weight a number."""
    ### BEGIN SOLUTION
    with tf.GradientTape() as tape:
        logits, rebuilt = model(tf.concat([x, keep * rows], axis=0), training=True)
        crossentropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        supervised = crossentropy(y, logits[: len(x)])
        error = (1 - keep) * (rebuilt[len(x) :] - rows)
        hidden = tf.reduce_sum(error**2) / tf.reduce_sum(1 - keep)
        loss = supervised + weight * hidden
    return loss, tape.gradient(loss, model.trainable_variables)
    ### END SOLUTION


# %%
check("12.5", joint_gradients)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# The model may see only `keep * rows`. But what it returns is compared with `rows`.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The loss is that of `joint_loss` above, with `keep` as an argument. `loss_fn(y, logits)` is the mean cross-entropy.
#
# </details>

# %% [markdown]
# ## Further reading
#
# - Kendall, Gal and Cipolla, *Multi-task learning using uncertainty to weigh losses*, CVPR 2018: why the weight is
#   learned as a log variance.
# - Chen et al., *GradNorm*, ICML 2018: balanced norms that also watch how fast each loss falls.
# - Yu et al., *Gradient surgery for multi-task learning*, NeurIPS 2020: exercise 12.4 for many losses.
#
# Next, real images: [13 · MNIST](13_mnist.ipynb).

# %% [markdown] part="Part II: training loops"
# # 12 · Several losses
#
# A penalty, a second task, a term for data without labels: sooner or later your loss is a sum. A sum hides which
# part you train.
#
# **You will learn to**
#
# - penalise activations with one forward pass, and say what becomes sparse;
# - take the gradient of each loss apart, and measure whether they conflict;
# - weigh losses in four ways, and say where each of them ends;
# - train on labelled and unlabelled data in one step.
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
# ## How do I penalise an activation?
#
# An **activation** is what a layer returns for an example. To penalise it as you like, let the forward pass hand it out; a
# `Sequential` model hands out its last layer alone.
#
# Keras's **functional** interface gives more. `keras.Input((30,))` stands for a batch that is not there yet. A layer that
# is called on it computes nothing: it returns a symbol for its result, which the next layer can be called on. So you
# write a chain of layers, once. Then `keras.Model(inputs, outputs)` makes a model that runs from the input to any symbol
# of the chain, or to a list of them. It holds the layers in between, and two models that share a layer share its weights.
#
# Here three models are made of one chain, and each layer notes when it runs. The penalty is 0.001 times the absolute
# activations, summed for each example and averaged over the batch.


# %%
class NotedDense(layers.Dense):
    def call(self, inputs):
        runs.append(self.name)
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


def penalised_loss(hidden, logits):
    penalty = tf.reduce_mean(tf.reduce_sum(tf.abs(hidden), axis=1))
    return loss_fn(y, logits) + 0.001 * penalty


# %% [markdown]
# > **Predict**
# >
# > One program calls `encoder(x)`, up to hidden, and `classifier(x)`, up to logits; they share two layers. How many
# > layer calls?

# %%
predict("12.a", "")

# %%
runs = []
classifier, encoder, both = build_models()

runs.clear()
with tf.GradientTape() as tape:
    loss_apart = penalised_loss(encoder(x), classifier(x))
gradients_apart = tape.gradient(loss_apart, both.trainable_variables)
calls_apart = len(runs)

runs.clear()
with tf.GradientTape() as tape:
    loss = penalised_loss(*both(x))
gradients = tape.gradient(loss, both.trainable_variables)

print(f"two models {calls_apart}, two outputs {len(runs)}")

# %% [markdown]
# Here two outputs of one model give the same loss and gradients, in one pass.

# %%
same = all(np.allclose(a, b, atol=1e-5) for a, b in zip(gradients, gradients_apart, strict=True))

print("same gradients:", same)

# %% tags=["claims"]
assert calls_apart == 5 and len(runs) == 3 and np.isclose(loss, loss_apart, rtol=1e-5) and same

# %% [markdown]
# ### Further: a penalty of Keras's own
#
# The built-in `activity_regularizer` puts its penalty into `model.losses`. Whether it divides the sum over a batch by the
# batch size depends on the version of Keras. Ask yours:

# %%
layer = layers.Dense(64, "relu", activity_regularizer=keras.regularizers.L1(0.001))
factors = []
for n in (50, 100):
    of_an_example = 0.001 * np.sum(np.abs(layer(x[:n]))) / n
    factors.append(float(layer.losses[0]) / of_an_example)

divided = np.allclose(factors, [1, 1], rtol=1e-3)
print("divided by the batch size:", divided)

# %% tags=["claims"]
assert divided or np.allclose(factors, [50, 100], rtol=1e-3)
assert divided == (tuple(map(int, keras.__version__.split(".")[:2])) >= (3, 14))

# %% [markdown]
# Keras 3.14 and 3.15 divide; Keras 3 before that does not. If a model must survive an update, write the penalty yourself.

# %% [markdown]
# ### Exercise 12.1: repair
#
# `model(x, training=True)` gives the activations and the prediction, in the one forward pass that is wanted. The loss
# should be the mean squared error plus `beta` times the absolute activations, summed for each example and averaged over
# the batch. Training goes as if there were no penalty. Two things are wrong.


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
# What does `predict` return: a tensor or an array? How often does `beta` multiply?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Take `hidden` from the same call as `y_hat`, and use `beta` once.
#
# </details>

# %% [markdown]
# ## L1 or L2: which is sparse?
#
# An **L1** penalty sums absolute values, an **L2** penalty squares. **Sparse** means mostly zeros. First without a
# network: the task wants 100 activations between 0 and 1, and the penalty pulls each towards 0.

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
print(zeros)

# %% [markdown]
# The slope of 0.4 |h| is 0.4 however small h is, and the task's, 2 (h - wanted), balances it 0.2 below what is
# wanted: L1 takes 0.2 from each activation, and where less than 0 would be left, the ReLU returns 0.
#
# The slope of h² fades with h: L2 divides all by 1.4, and none reaches zero.
#
# In the figure, look at the lower left: L1 runs along zero, L2 does not.

# %%
assert zeros["none"] == zeros["L2"] == 0
assert abs(zeros["L1"] - np.sum(wanted < 0.2)) <= 1
assert np.allclose(settled["L1"], np.maximum(wanted - 0.2, 0), atol=0.01)
assert np.allclose(settled["L2"], wanted / 1.4, atol=0.01)

fig, ax = plt.subplots(figsize=(5.6, 3.2))
for name, h in settled.items():
    (line,) = ax.plot(wanted, h)
    ax.annotate(f" {name}", (wanted[-1], h[-1]), color=line.get_color(), va="center")
labels = ax.set(xlabel="what the task wants", ylabel="activation after training", xlim=(0, 1.1))

# %% [markdown]
# > **Predict**
# >
# > Now without the ReLU, under the same L1: how many exact zeros are there?

# %%
predict("12.b", "")

# %%
plain = settle(penalties["L1"], tf.identity)

near = int(np.sum(np.abs(plain) < 0.05))

print(f"exactly 0: {np.sum(plain == 0)}, within 0.05 of 0: {near}")

# %% [markdown]
# The zeros above came from the ReLU. Without it, count what is below a threshold.
#
# Now the network, with a strength at which L1 and L2 leave activations of a similar mean size:

# %%
def train(model, loss_of, rate):
    """Take 300 steps of Adam down loss_of(model), and return the model."""
    optimizer = keras.optimizers.Adam(rate)
    optimizer.build(model.trainable_variables)

    @tf.function
    def run():
        for _ in tf.range(60):
            with tf.GradientTape() as tape:
                loss = loss_of(model)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply(gradients, model.trainable_variables)

    for part in range(5):
        run()
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
ways = {"none": (tf.abs, 0.0), "L1": (tf.abs, 0.03), "L2": (tf.square, 0.03)}
trained = {name: activations(*how) for name, how in ways.items()}
share = {name: np.mean(h == 0) for name, h in trained.items()}
mean = {name: np.mean(h) for name, h in trained.items()}

print({name: f"share of zeros {share[name]:.2f}, mean {mean[name]:.1f}" for name in trained})
assert share["L1"] > share["L2"] + 0.1 > share["none"] + 0.4
assert abs(mean["L1"] - mean["L2"]) < 0.05 < mean["none"] - 1
left = {name: np.mean(h[h > 0]) for name, h in trained.items()}

# %% tags=["claims"]
assert left["L1"] > 2 * left["L2"] and share["none"] < 0.2
# Of the prediction above:
assert np.sum(plain == 0) == 0 and near >= zeros["L1"] > 0

# %% [markdown]
# Without a penalty less than a fifth is zero: not sparse. With either it is: even L2 moves the weights until more
# ReLUs return 0. L1 leaves fewer activations, and larger ones.
#
# ## Do the losses pull the same way?
#
# Two teams predict a number for the same 200 trees: A in metres, B in decimetres. A's depends on the first feature
# alone, B's on the second, and B's has more noise. One w of two numbers is to serve both: `features @ w` predicts
# metres for A, and 10 times that is the answer for B.
#
# A persistent tape gives each loss its gradient, a and b. The ratio of their norms says who is heard in the sum. The
# **cosine** of their angle, a · b divided by both norms, says whether they agree: 1 for the same direction, -1 for
# opposite ones. Below 0 the losses **conflict**.

# %%
features = tf.random.normal((200, 2))
y_a = features @ [[1.5], [0.0]] + tf.random.normal((200, 1))  # m
# dm
y_b = 10 * (features @ [[0.0], [1.0]] + 2 * tf.random.normal((200, 1)))
w = tf.Variable([[0.5], [2.0]])


def two_losses():
    y_hat = features @ w  # m
    return tf.reduce_mean((y_hat - y_a) ** 2), tf.reduce_mean((10 * y_hat - y_b) ** 2)


def gradients_at(point):
    w.assign(point)
    with tf.GradientTape(persistent=True) as tape:
        loss_a, loss_b = two_losses()
    return tape.gradient(loss_a, w), tape.gradient(loss_b, w)


def cosine(a, b):
    return float(tf.reduce_sum(a * b) / (tf.norm(a) * tf.norm(b)))


# %% [markdown]
# In the figure, a contour is one height of a loss, and arrows point downhill, all of one length. Look at each pair:
# outside, less than a right angle lies between them; between the two best points, they point against each other.

# %%
grid = np.meshgrid(np.linspace(-0.7, 2.3, 40), np.linspace(-0.6, 2.2, 40))
plane = np.stack(grid, axis=-1)[..., None]  # (40, 40, 2, 1)
places = {"outside": [[0.5], [2.0]], "between": [[0.9], [0.1]]}

for where, point in places.items():
    a, b = gradients_at(point)
    print(f"{where}: cosine {cosine(a, b):.1f}, norms as 1 : {tf.norm(b) / tf.norm(a):.0f}")

# %%
ax, best = plt.subplots(figsize=(6.4, 4.4))[1], {}
for name, color, target in (("A", "C0", y_a), ("B", "C1", y_b / 10)):
    best[name] = np.linalg.lstsq(features, target, rcond=None)[0]
    heights = np.mean((features.numpy() @ plane - target.numpy()) ** 2, axis=(2, 3))
    levels = heights.min() + np.arange(1, 5) ** 2 / 4
    ax.contour(*grid, heights, levels=levels, colors=color, alpha=0.3)
    ax.plot(*best[name], "o", color=color)
    ax.annotate(f"best for {name}", best[name][:, 0] + (0, -0.2), color=color, ha="center")
for where, point in places.items():
    for gradient, color in zip(gradients_at(point), ("C0", "C1"), strict=True):
        arrow = np.ravel(-0.5 * gradient / tf.norm(gradient))
        ax.quiver(*np.ravel(point), *arrow, color=color, angles="xy", scale_units="xy", scale=1)
    ax.annotate(f" {where}", np.ravel(point), va="bottom")
labels = ax.set(xlabel="first entry of w", ylabel="second entry of w", aspect="equal")

# %% [markdown]
# > **Predict**
# >
# > At the point between, w takes one small step down the sum of both losses. What does A's loss do?

# %%
predict("12.c", "")

# %%
a, b = gradients_at([[0.9], [0.1]])
before = two_losses()
w.assign_sub(1e-4 * (a + b))
changes = [float(now - then) for now, then in zip(two_losses(), before, strict=True)]

print(["rises" if change > 0 else "falls" for change in changes])

# %% [markdown]
# Each loss changes by about minus the step size times its own gradient · (a + b). B's loss falls by more than A's
# rises.
#
# Each layer has a cosine of its own. In `both`, still untrained, task loss and L1 penalty agree a little:

# %%
assert changes[0] > 0 > changes[1] and sum(changes) < 0

kernels = [v for v in both.trainable_variables if v.path.endswith("kernel")]
with tf.GradientTape(persistent=True) as tape:
    hidden, logits = both(x)
    task = loss_fn(y, logits)
    penalty = tf.reduce_mean(tf.reduce_sum(tf.abs(hidden), axis=1))

for a, b in zip(tape.gradient(task, kernels), tape.gradient(penalty, kernels), strict=True):
    print("no path" if b is None else f"cosine {cosine(a, b):.2f}")

try:
    tape.gradient(penalty, kernels, unconnected_gradients="zero")
except AttributeError:
    print("zeros for a Keras variable: AttributeError")
values = [kernel.value for kernel in kernels]

# %% tags=["claims"]
assert not np.any(tape.gradient(penalty, values, unconnected_gradients="zero")[2])

# %% [markdown]
# The last layer comes after the activations: no path, so `None`. For zeros in its place, `unconnected_gradients` needs the
# `.value` of a Keras variable. A `tf.Variable` is taken as it is; its `.value` is a method.
#
# ### Exercise 12.2: complete
#
# One cosine for a whole model: between the gradients of two losses over *all* entries of all variables together.
# `losses()` computes both losses when called. Where a loss does not reach a variable, its gradient counts as zeros.


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
# Call `losses()` inside the block of a persistent tape. The variables are
# `tf.Variable`s, so `unconnected_gradients="zero"` gives zeros for `None`.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `tf.reshape(g, [-1])` flattens one gradient, `tf.concat(parts, 0)` joins a list. Then as in `cosine`.
#
# </details>

# %% [markdown]
# ## How do I weigh them?
#
# Four ways are common, and each of them ends somewhere else. Here they are tried on the trees, all from the same start:
#
# | way | what is summed | feels the unit of a loss |
# |---|---|---|
# | equal weights | the losses as they are | yes |
# | fixed weights | each loss times a number that you choose | yes, until you choose again |
# | learned weights | each loss times a number that is trained (below) | no, if it starts well |
# | balanced norms | each gradient divided by its norm | no |
#
# Weigh a loss inside the block. (A weight that is not trained can multiply the gradient instead, as 1 / norm does in
# the last way.) B's loss is in dm², and the fixed weight 0.01 makes it m². Whatever is summed, both losses are
# printed in m². The variable `s` is for the learned weights.

# %%
s = tf.Variable([0.0, 0.0])


@tf.function
def descend(weigh, factors):
    """Take 4,000 steps down the sum of weigh(factors * losses); return the losses there, in m²."""
    w.assign([[0.5], [2.0]])
    s.assign(tf.math.log(factors * tf.stack(two_losses())))
    for _ in tf.range(4000):
        with tf.GradientTape() as tape:
            total = tf.reduce_sum(weigh(factors * tf.stack(two_losses())))
        dw, ds = tape.gradient(total, [w, s], unconnected_gradients="zero")
        w.assign_sub(0.004 * dw)
        s.assign_sub(0.004 * ds)
    return tf.stack(two_losses()) / [1.0, 100.0]


# %%
ends = {}
for name, factor_of_b in {"equal weights": 1.0, "fixed weights": 0.01}.items():
    ends[name] = descend(tf.identity, tf.constant([1.0, factor_of_b])).numpy()
    a, b = gradients_at(w.read_value())
    print(name, "A {:.1f}, B {:.1f},".format(*ends[name]), f"cosine {cosine(a, b):.2f}")

# %% [markdown]
# Equal weights are not neutral: in decimetres, B's loss is 100 times as large, and A is hardly heard. The cosine is
# -1, for at the minimum of a sum its gradients cancel. Conflict is no fault; *where* it is settled is your choice.
#
# **Uncertainty weighting** learns the weights. Each loss L gets a variable s and enters as
#
# $$e^{-s} L + s$$
#
# $e^{-s}$ is its weight. The slope for s, $1 - e^{-s} L$, is zero where the weighted loss is 1. So a loss 100 times
# as large gets a hundredth of the weight: its unit drops out. If a loss reaches 0, its weight grows without end.
#
# Start s at log L, where the weighted loss is 1 already. From 0, the first step of s is 0.004 (L - 1), some 200 for B
# in cm²: far too long.

# %%
assert ends["equal weights"][0] > 2 * ends["fixed weights"][0]
assert cosine(a, b) < -0.99


def uncertainty(losses):
    return tf.exp(-s) * losses + s


in_other_units = [descend(uncertainty, tf.constant([1.0, unit])) for unit in (0.01, 100.0)]
ends["learned weights"] = descend(uncertainty, tf.ones(2)).numpy()
weighted = np.exp(-s) * np.array(two_losses())

print("A {:.1f}, B {:.1f}".format(*ends["learned weights"]), "weighted", weighted.round(1))

# %% tags=["claims"]
assert np.allclose(weighted, 1, atol=0.02)
assert np.allclose(in_other_units, ends["learned weights"], atol=0.02)

# %% [markdown]
# With B in metres or in centimetres, the end is the same. Where the weighted loss is 1, s is log L, and what is
# summed is log L + 1. Learned weights minimise a sum of logarithms, which is the logarithm of the *product* of the
# losses. In a product a unit is a factor, and moves no minimum.
#
# > **Predict**
# >
# > Somebody leaves the second s out: exp(-s) · L. What do the weights do?

# %%
predict("12.d", "")

# %%
w.assign([[0.5], [2.0]])
first = 1 / np.array(two_losses())  # exp(-s) at s = log L
descend(lambda losses: tf.exp(-s) * losses, tf.ones(2))
last = np.exp(-s)

for name, then, now in zip("AB", first, last, strict=True):
    print(f"weight of {name}: {then:.4f} at first, {now:.4f} at last")

# %% [markdown]
# Without the second s, a small weight would cost nothing.
#
# **Gradient-norm balancing** divides, in its simplest form, each gradient by its norm: each loss pulls with the same
# force.

# %%
assert np.all(last < 0.2 * first)


@tf.function
def balance(unit=1.0):
    w.assign([[0.5], [2.0]])
    for _ in tf.range(600):
        with tf.GradientTape(persistent=True) as tape:
            loss_a, loss_b = two_losses()
            loss_b = unit * loss_b
        a, b = tape.gradient(loss_a, w), tape.gradient(loss_b, w)
        w.assign_sub(0.005 * (a / tf.norm(a) + b / tf.norm(b)))
    return tf.stack(two_losses()) / [1, 100]


ends["balanced norms"] = balance()

print("A {:.1f}, B {:.1f}".format(*ends["balanced norms"]))

# %% tags=["claims"]
assert cosine(*gradients_at(w.value())) < -0.99
assert np.allclose(balance(unit=0.01), ends["balanced norms"], atol=1e-3)

# %% [markdown]
# It does not feel the unit either. But two opposite arrows of length 1 cancel at *every* point between the best ones:
# it stops at the first of these compromises that it meets. In the figure, the line holds all of them. Look at where the
# four ways end: equal weights serve B; learned ones serve A, which has less noise.

# %%
ax = plt.subplots(figsize=(6.0, 3.6))[1]
line = []
for t in np.linspace(0, 1, 30):
    w.assign(t * best["A"] + (1 - t) * best["B"])
    line.append(np.array(two_losses()) / [1, 100])
ax.plot(*np.transpose(line), color="0.6")
for number, (name, end) in enumerate(ends.items()):
    ax.plot(*end, "o", color=f"C{number}")
    ax.annotate(name, end, (4, 4), textcoords="offset points", rotation=20, color=f"C{number}")
labels = ax.set(xlabel="loss of A in m²", ylabel="loss of B in m²", xlim=(0, 5.5), ylim=(3, None))

# %% [markdown]
# ### Further: a product with two minima
#
# A sum of logarithms, which learned weights minimise, can have two minima. Let t lead from A's best point, 0, to
# B's, 1, and let each loss be `rest` at its best point:

# %%
between = np.linspace(0, 1, 101)
for rest in (1.0, 0.04):
    product = (rest + between**2) * (rest + (1 - between) ** 2)
    lowest = product[1:-1] < np.minimum(product[:-2], product[2:])
    print(f"rest {rest}: minima at", between[1:-1][lowest].round(2))

# %% [markdown]
# Where each task alone could be learned well, but not both, learned weights serve one and give up the other. Where w and s
# start decides which.

# %% [markdown]
# ### Exercise 12.3: predict
#
# At w = 2, a plain tape records `l1 = w**2` and `l2 = w**3`. *Below* the block stands
# `tape.gradient([l1, 3 * l2], w)`. What does it return?

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
# Targets are summed. Which of the two has a path to w?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `3 * l2` is a new tensor, made when the tape was off.
#
# </details>

# %% [markdown]
# ### Exercise 12.4: complete
#
# Another way removes the conflict. If a · b < 0, subtract from `a` its part along `b`, $\frac{a \cdot b}{b \cdot b}\, b$, and from `b`
# its part along the *original* `a`; then add the two. Without a conflict, add `a` and `b` as they are.


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
# a · b is `tf.reduce_sum(a * b)`, one number. So is b · b, the squared norm of b.
#
# </details>
# <details><summary>Hint 2</summary>
#
# With `dot` for a · b: `a - dot / tf.reduce_sum(b * b) * b`. Exchange a and b for the second.
#
# </details>
#
# Here is the tape of Exercise 12.3, and with the weight inside the block:

# %%
v = tf.Variable(2.0)
with tf.GradientTape(persistent=True) as tape:
    l1, l2 = v**2, v**3
    recorded = 3 * l2

below, inside = tape.gradient([l1, 3 * l2], v), tape.gradient([l1, recorded], v)

print(f"below {below:.0f}, inside {inside:.0f}")

# %% [markdown]
# ## Can unlabelled data help in the same step?
#
# You have 50 labelled examples and 1,000 without a label, from ten groups of points. A **self-supervised** loss makes a task of
# the input alone: hide 30 % of its numbers, and rebuild them from the rest. Both tasks share the hidden layers, the
# **backbone**; each has its own last layer, its **head**. One forward pass takes all examples, and each loss takes its
# own rows.

# %%
random = np.random.RandomState(12)
centres, classes = random.normal(size=(10, 30)), random.randint(0, 10, 3050)
clouds = tf.constant(centres[classes] + 1.5 * random.normal(size=(3050, 30)), tf.float32)
x_few, y_few, unlabelled = clouds[:50], classes[:50], clouds[50:1050]


def joint_loss(model, weight, rows):
    # 0 where hidden
    keep = tf.cast(tf.random.uniform(rows.shape) > 0.3, tf.float32)
    logits, rebuilt = model(tf.concat([x_few, keep * rows], axis=0), training=True)
    supervised = loss_fn(y_few, logits[:50])
    error = (1 - keep) * (rebuilt[50:] - rows)  # only what was hidden
    return supervised + weight * tf.reduce_sum(error**2) / tf.reduce_sum(1 - keep)


# %% [markdown]
# A gain could come from the second task alone, whatever its rows hold. So there is a third training: in its rows each
# column is shuffled by itself, which leaves the numbers of every column and takes the clouds away.


# %%
def accuracy(weight, rows=unlabelled):
    """Train two heads on one backbone, and return the accuracy on 2,000 new examples."""
    keras.utils.set_random_seed(12)
    inputs = keras.Input((30,))
    backbone = layers.Dense(64, "relu")(layers.Dense(128, "relu")(inputs))
    model = keras.Model(inputs, [layers.Dense(10)(backbone), layers.Dense(30)(backbone)])
    logits, _ = train(model, lambda model: joint_loss(model, weight, rows), rate=1e-3)(clouds[1050:])
    return np.mean(np.argmax(logits, axis=1) == classes[1050:])


shuffled = tf.stack([tf.random.shuffle(column) for column in tf.transpose(unlabelled)], axis=1)
alone, joint = accuracy(weight=0.0), accuracy(weight=1.0)
without_clouds = accuracy(weight=1.0, rows=shuffled)

print("gain of more than 3 points:", joint - alone > 0.03)
print("the same without clouds:", without_clouds - alone > 0.03)

# %% tags=["claims"]
assert joint - alone > 0.03 > without_clouds - alone
assert below == 4.0 and inside == 40.0  # of Exercise 12.3

# %% [markdown]
# Rebuilding shows the backbone where the clouds lie, and 50 labels name them.
#
# ## Checkpoint
#
# Answer each question before you open it.
#
# <details><summary>1. The activations come from a second model with the same layers. What does it cost?</summary>
#
# A second pass up to there.
#
# </details>
# <details><summary>2. Two losses have the cosine -0.9, and the second gradient is 100 times as long. You take a small
# step down their sum. What does the first loss do?</summary>
#
# It rises: the step follows the second gradient.
#
# </details>
# <details><summary>3. You divide one loss by 100. Which of the four ways notice?</summary>
#
# Equal and fixed weights. Balanced norms end where they ended before, and so do learned weights, if each s starts at log L.
#
# </details>

# %% [markdown]
# ## Recap
#
# - Penalise activations that the *same* forward pass hands out.
# - L1 makes exact zeros where something cuts at zero, as a ReLU does; L2 in a network, too, but fewer.
# - A persistent tape gives each loss its gradient: norms say who is heard, cosines who agrees.
# - Chosen weights depend on units. Learned ones, with s from log L, minimise the product of the losses, balanced norms
#   stop at the first compromise, and neither depends on units.
# - A weighted loss is computed inside the block: the tape does not see what stands below.
#
# ```python
# with tf.GradientTape(persistent=True) as tape:
#     hidden, logits = model(x, training=True)
#     losses = {"task": task(y, logits), "penalty": beta * penalty(hidden)}
#     total = sum(losses.values())
# gradients = tape.gradient(total, weights)
# apart = {name: tape.gradient(loss, weights) for name, loss in losses.items()}
# ```
#
# **To remember**: look at each loss's gradient before you add the losses up.

# %% [markdown]
# ## Further reading
#
# - Kendall, Gal and Cipolla, *Multi-task learning using uncertainty to weigh losses*, CVPR 2018: why a log
#   variance.
# - Chen et al., *GradNorm*, ICML 2018: balanced norms that also mind how fast each loss falls.
# - Yu et al., *Gradient surgery for multi-task learning*, NeurIPS 2020: exercise 12.4 for many losses.
#
# Next: [13 · MNIST](13_mnist.ipynb).

# %% [markdown] part="Part II: training loops"
# # 11 · Per-layer clipping
#
# One wild batch can undo a day of training. Clipping limits a gradient, and a loop of your own can give each
# layer its own limit. It can fail in silence: it runs, and clips nothing.
#
# **You will learn to**
#
# - clip each layer's gradient at its own limit, and see from the norms whether it works;
# - say what each way of clipping does to the size and the direction of a step, with SGD and with Adam;
# - say where gradients explode, and tame them (a section that can wait);
# - give a trained backbone a new head, and each its own learning rate.
#
# **Before you start**: [09 · A training step](09_training_step.ipynb). **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import check, make_classification, plot_gradient_norms, predict, start_lesson

start_lesson("11")

import keras
import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from keras import layers

# %% [markdown]
# ## How large is each layer's gradient?
#
# The model has two parts with names: two layers, the **backbone**, find 32 features, and a **head**
# turns them into 5 logits. Nobody scaled the inputs. The size of a gradient is its **norm**, the root of the
# sum of its squared entries: `tf.norm`.

# %%
# (512, 20), (512,): classes 0 to 4
x, y = make_classification(512, seed=11)
x = tf.constant(30 * x)  # raw readings
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def build_model(kind=keras.Sequential):
    keras.utils.set_random_seed(11)
    backbone = [
        layers.Dense(64, activation="relu", name="backbone_1"),
        layers.Dense(32, activation="relu", name="backbone_2"),
    ]
    return kind([keras.Input((20,)), *backbone, layers.Dense(5, name="head")], name="model")


def gradients_of(model, sources):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x, training=True))
    return tape.gradient(loss, sources)


# %%
model = build_model()
gradients = gradients_of(model, model.trainable_variables)
norms = [float(tf.norm(g)) for g in gradients]

print("kernels:", [f"{norm:.0f}" for norm in norms[::2]])
print("biases: ", [f"{norm:.1f}" for norm in norms[1::2]])

# %% tags=["claims"]
assert min(norms[::2]) > 5 and max(norms[1::2]) < 1

# %% [markdown]
# **Clipping** by norm scales a gradient that is longer than a limit down to it, and leaves a shorter one alone:
# `tf.clip_by_norm(gradient, limit)`. (Make `IndexedSlices`, lesson 01, dense first, with `tf.convert_to_tensor`:
# where an index repeats, their norm is wrong.) Suppose you want at most 5 for each variable of the backbone, and 1
# for each of the head's. (Whether such limits help comes later; here they only show which limit a variable got.) Then
# your loop must know which layer a variable belongs to.
#
# > **Predict**
# >
# > What is the `name` of the head's kernel?

# %%
predict("11.a", "")

# %%
head_kernel = model.get_layer("head").kernel

print(head_kernel.name)

# %% [markdown]
# Older code asks `"head" in variable.name`. Where a variable belongs stands in its `path`, such as
# `model/head/kernel`. But paths differ with the kind of model. Here are five kinds, each with a layer named `body`
# and one named `head`:


# %%
class Classifier(keras.Model):
    def __init__(self):
        super().__init__(name="model")
        self.body, self.head = layers.Dense(4, name="body"), layers.Dense(2, name="head")

    def call(self, x):
        return self.head(self.body(x))


def chain(shape, body):
    return keras.Sequential([keras.Input(shape), body, layers.Dense(2, name="head")], name="model")


# %%
inputs, inner = keras.Input((3,)), [keras.Input((3,)), layers.Dense(4, name="first")]
features = layers.Dense(4, name="body")(inputs)
kinds = {
    "sequential": chain((3,), layers.Dense(4, name="body")),
    "functional": keras.Model(inputs, layers.Dense(2, name="head")(features)),
    "nested": chain((3,), keras.Sequential(inner, name="body")),
    "sequence": chain((None, 3), layers.SimpleRNN(4, name="body")),
    "subclassed": Classifier(),
}
# its variables come with the first call
called = kinds["subclassed"](inputs)

for kind, each in kinds.items():
    first, *_, head, _ = each.trainable_variables
    print(f"{kind:10} {first.path:33} {head.path}")

# %% [markdown]
# Find `body` in each line. It is the first part or the second, and one or two parts follow it. So do not count parts:
# search them for a name that has a limit. (The name of a functional model inside another is in no path: give limits
# to its layers.)


# %%
def limit_by_name(variable):
    return 1.0 if "head" in variable.name else 5.0


def limit_by_path(variable, limits):
    # exactly one part
    (layer,) = limits.keys() & set(variable.path.split("/"))
    return limits[layer]


for each in kinds.values():
    found = [limit_by_path(v, {"body": 5.0, "head": 1.0}) for v in each.trainable_variables]
    assert found == [5.0] * (len(found) - 2) + [1.0, 1.0]
parts = [each.trainable_variables[0].path.split("/") for each in kinds.values()]

# %% tags=["claims"]
assert [part.index("body") for part in parts] == [1, 0, 0, 1, 1]

# %% [markdown]
# In the model of this lesson, a Sequential one, the two rules differ:

# %%
limits = {"backbone_1": 5.0, "backbone_2": 5.0, "head": 1.0}

print(head_kernel.path, limit_by_name(head_kernel), limit_by_path(head_kernel, limits))
assert head_kernel.name == "kernel" and head_kernel.path == "model/head/kernel"
assert limit_by_name(head_kernel) == 5.0 and limit_by_path(head_kernel, limits) == 1.0

odd = keras.Sequential([keras.Input((3,)), layers.Dense(2, name="backbone_1")], name="head")

# %% tags=["claims"]
assert odd.weights[0].path == "head/backbone_1/kernel"

# %% [markdown]
# By name, no head is found, and everything gets the limit 5. Nothing raises, and the loss falls.
# The norms of what you *apply* tell:


# %%
def train(model, limit_of, steps=25):
    """Return the loss of the last step, and the clipped kernels' norms at every step."""
    optimizer, norms = keras.optimizers.SGD(0.01), {layer: [] for layer in limits}
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = loss_fn(y, model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        pairs = zip(gradients, model.trainable_variables, strict=True)
        clipped = [tf.clip_by_norm(g, limit_of(v)) for g, v in pairs]
        optimizer.apply(clipped, model.trainable_variables)
        for layer, gradient in zip(norms, clipped[::2], strict=True):
            norms[layer].append(float(tf.norm(gradient)))
    return float(loss), norms


# %% [markdown]
# In the figure, with a logarithmic axis, look for the head. By name, on the left, it starts at 5; by path, at 1.

# %%
loss_by_name, by_name = train(build_model(), limit_by_name)
loss_by_path, by_path = train(build_model(), lambda v: limit_by_path(v, limits))
print(f"loss, from 11: by name {loss_by_name:.1f}, by path {loss_by_path:.1f}")
assert loss_by_name < 5 and loss_by_path < 5
assert np.isclose(by_name["head"][0], 5) and max(by_path["head"]) < 1.001

fig, panels = plt.subplots(1, 2, figsize=(9.6, 3.4), sharey=True, layout="constrained")
for ax, norms, title in zip(panels, (by_name, by_path), ("by name", "by path"), strict=True):
    plot_gradient_norms(norms, ax=ax)
    ax.set(title=f"clipped {title}", xlim=(0, 34), ylim=(0.7, 7), ylabel="norm of what is applied")
    ax.minorticks_off()
    ticks = ax.set_yticks([1, 2, 5], ["1", "2", "5"])

# %% [markdown]
# Our rule compares whole parts: `"head" in variable.path` finds `overhead/kernel` too. Where no part has a limit, or two
# parts have one, as in `head/backbone_1/kernel`, unpacking `(layer,)` raises a `ValueError`. And give your layers names:
# `self.head = layers.Dense(2)` is called `dense`, or `dense_9`, whatever the attribute is called.
#
# ### Exercise 11.1: repair
#
# A news model of any kind has, among others, a layer `headline` and a layer `head`, which may be a small `Sequential` itself.
# This function should clip the gradients of `head` at norm 1, each by itself, and leave all others as they are. It
# clips none.


# %% exercise="11.1"
def clip_head(variables, gradients):
    # Two lists of the same length; returns the gradients, clipped, in the same order.
    ### BEGIN SOLUTION
    #| return [
    #|     tf.clip_by_norm(g, 1.0) if "head" in v.name else g
    #|     for v, g in zip(variables, gradients)
    #| ]
    return [
        tf.clip_by_norm(g, 1.0) if "head" in v.path.split("/") else g
        for v, g in zip(variables, gradients, strict=True)
    ]
    ### END SOLUTION


# %%
check("11.1", clip_head)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Paths here are `news/headline/kernel`, `news/head/bias`, and in another model `head/out/kernel`. Is "head" in all?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `path.split("/")` is a list, and `in` compares with its entries as wholes.
#
# </details>

# %% [markdown]
# ## What does each way of clipping do?
#
# Two gradients, of norms 5 and 12, clipped at 1:

# %%
gradients = [tf.constant([3.0, 4.0]), tf.constant([12.0])]
clipped = {
    "norm": [tf.clip_by_norm(g, 1.0) for g in gradients],
    # [1] is the norm before
    "global norm": tf.clip_by_global_norm(gradients, 1.0)[0],
    "value": [tf.clip_by_value(g, -1.0, 1.0) for g in gradients],
}

for way, (first, second) in clipped.items():
    print(f"{way:11} {first.numpy().round(4)} {second.numpy().round(4)}")

# %% tags=["claims"]
assert np.allclose(clipped["norm"][0], [0.6, 0.8]) and clipped["norm"][1] == 1.0
# 13: root of 9 + 16 + 144
assert np.allclose(clipped["global norm"][0], [3 / 13, 4 / 13])
assert np.allclose(clipped["global norm"][1], 12 / 13)
assert np.allclose(clipped["value"][0], 1.0) and clipped["value"][1] == 1.0

# %% [markdown]
# By norm, each is clipped by itself. The **global norm** is that of all entries together, here 13. By value, each
# entry is cut at the limits.
#
# A gradient is a direction, too: that of (3, 4) alone, and that of all three numbers, (3, 4, 12).
#
# > **Predict**
# >
# > Which way of clipping keeps the direction of (3, 4, 12)?

# %%
predict("11.b", "")


# %%
def angle(a, b):
    cosine = np.sum(a * b) / np.linalg.norm(a) / np.linalg.norm(b)
    return np.degrees(np.arccos(min(cosine, 1.0)))


turned = {}
for way, parts in clipped.items():
    whole = angle(np.concatenate(parts), np.array([3.0, 4.0, 12.0]))
    turned[way] = [angle(parts[0].numpy(), np.array([3.0, 4.0])), whole]
    print(f"{way:11} turns (3, 4) by {turned[way][0]:2.0f}, all by {turned[way][1]:2.0f} degrees")

# %% [markdown]
# An optimizer clips when asked. At rate 1, SGD takes zeros to minus the clipped gradient. At a `None` the function
# `tf.clip_by_norm` raises; `tf.clip_by_global_norm` hands it back, and takes the norm of the others. No clipping
# removes a `nan`. By norm, an `inf` becomes `nan`; by global norm, either makes all gradients `nan`. Where the norm
# is not finite, skip the batch.

# %%
options = {"norm": "clipnorm", "global norm": "global_clipnorm", "value": "clipvalue"}

for way, option in options.items():
    variables = [tf.Variable([0.0, 0.0]), tf.Variable([0.0])]
    keras.optimizers.SGD(1.0, **{option: 1.0}).apply(gradients, variables)
    same = all(np.allclose(-v, c) for v, c in zip(variables, clipped[way], strict=True))
    print(f"{option:15} does the same: {same}")
    assert same

skipped, _ = tf.clip_by_global_norm([None, tf.constant(3.0)], 1.0)
try:
    tf.clip_by_norm(None, 1.0)
except ValueError:
    print("clip_by_norm(None): ValueError, global norm keeps None:", skipped[0] is None)
assert skipped[0] is None and np.isclose(skipped[1], 1.0)

assert np.allclose(list(turned.values()), [[0, 22.4], [0, 0], [8.1, 32.5]], atol=0.1)

with_nan, norm = tf.clip_by_global_norm([tf.constant(np.nan), tf.constant(1.0)], 1.0)

# %% tags=["claims"]
assert np.all(np.isnan(with_nan)) and not tf.math.is_finite(norm)

# %% [markdown]
# ### Exercise 11.2: predict
#
# The gradients of two variables are (6, 8) and (24), and all three weights start at 0. What are they after one step
# of `keras.optimizers.SGD(1.0, global_clipnorm=6.5)`? Write a list of three numbers.

# %% exercise="11.2"
# A list: the weights of the first variable, then that of the second.
### BEGIN SOLUTION
weights_after_step = [-1.5, -2.0, -6.0]
### END SOLUTION

# %%
check("11.2", weights_after_step)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# The norm of all three is the root of 36 + 64 + 576. How many times 6.5 is it?
#
# </details>
# <details><summary>Hint 2</summary>
#
# The root is 26. A step subtracts the clipped gradient.
#
# </details>

# %% [markdown]
# ### Exercise 11.3: complete
#
# So far kernel and bias were clipped each by itself. Clip each *layer* as a whole. `gradients` maps a layer's name to
# the list of its gradients; `limits` maps it to its limit. Return a dict of the same form. A layer may have no bias,
# and gradients may be zero.


# %% exercise="11.3"
def clip_layers(gradients, limits):
    """Return {layer: [gradients]}; a layer's joint norm is at most its limit."""
    ### BEGIN SOLUTION
    clipped = {}
    for layer, parts in gradients.items():
        norm = tf.sqrt(sum(tf.reduce_sum(g**2) for g in parts))
        factor = limits[layer] / tf.maximum(norm, limits[layer])
        clipped[layer] = [factor * g for g in parts]
    return clipped
    ### END SOLUTION


# %%
check("11.3", clip_layers)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# All gradients of a layer share a factor. Which way of clipping does that for a list?
#
# </details>
# <details><summary>Hint 2</summary>
#
# A layer's list has a global norm of its own. Call `tf.clip_by_global_norm` once for each layer, with its limit.
#
# </details>

# %% [markdown]
# ## Does clipping slow Adam down?
#
# > **Predict**
# >
# > The gradient of a weight is 10 at each of 50 steps. How far does Adam, with learning rate 0.001, move the weight if
# > you clip at 1e9, at 5, and at 1?

# %%
predict("11.c", "")


# %%
def distance(optimizer, gradients, limit):
    weight = tf.Variable(0.0)
    for gradient in gradients:
        optimizer.apply([tf.clip_by_norm(gradient, limit)], [weight])
    return -float(weight)


constant = tf.fill([50], 10.0)
adam = [distance(keras.optimizers.Adam(1e-3), constant, limit) for limit in (1e9, 5.0, 1.0)]

print([f"{moved:.2f}" for moved in adam])

# %% [markdown]
# Beside it: the same three limits with SGD; and Adam on gradients of 1 with a single one of 1,000 among them.

# %%
sgd = [distance(keras.optimizers.SGD(1e-3), constant, limit) for limit in (1e9, 5.0, 1.0)]
print("SGD:", [f"{moved:.2f}" for moved in sgd])
spike = tf.constant([1.0] * 9 + [1000.0] + [1.0] * 40)
spiked = [distance(keras.optimizers.Adam(1e-3), spike, limit) for limit in (1e9, 20.0, 5.0, 1.0)]
print("Adam, one spike:", [f"{moved:.3f}" for moved in spiked])
assert np.allclose(adam, 0.05, rtol=1e-3) and np.allclose(sgd, [0.5, 0.25, 0.05], rtol=1e-3)
assert 0.028 < distance(keras.optimizers.Adam(1e-3), tf.fill([50], 1e-6), 1.0) < 0.030
assert np.allclose(spiked, [0.014, 0.024, 0.042, 0.050], atol=1e-3)
# Exercise 11.2
step, _ = tf.clip_by_global_norm([tf.constant([6.0, 8.0]), tf.constant([24.0])], 6.5)

# %% tags=["claims"]
assert np.allclose(step[0], [1.5, 2]) and np.allclose(step[1], 6)

# %% [markdown]
# SGD shows every limit below the norm. Adam cancels a size that stays the same, and feels one that changes: after the
# spike, the average of the squares stays large for many steps, and the weight moves 0.014 in all instead of 0.050.
# Clipped at 1, the usual size here, the spike leaves no trace; at 5 or 20, it leaves some. So under Adam a limit is a
# guard against spikes. Set it by the norms that you see, and test the clipping itself with SGD.
# (Gradients of 1e-6 move it 0.029. Adam adds its epsilon, 1e-7, to a root that starts at 0 and grows over many steps: until
# it has grown, the steps are short.)

# %% [markdown]
# ## Further: when do gradients explode?
#
# A **recurrent** layer reads a sequence, step by step, and keeps a state, its memory. At each time step the new
# state is old state times recurrent kernel, plus input times kernel, plus bias, through a tanh; the weights are the same at
# every step. So 50 time steps are a network of 50 layers with one matrix. Take the smallest case: the state is one
# number, there is no input and no tanh, and `h = 1.1 * h`, 50 times.
#
# > **Predict**
# >
# > What is the slope of the last h with respect to the first?

# %%
predict("11.d", "")

# %%
h = first = tf.constant(1.0)

with tf.GradientTape() as tape:
    tape.watch(first)
    for _ in range(50):
        h = 1.1 * h

slope = tape.gradient(h, first)

print(f"{slope.numpy():.0f}")

# %% [markdown]
# Now the state is eight numbers, and the recurrent kernel a matrix. `Orthogonal(gain)` makes one that changes the length
# of every vector by the factor `gain`. `states[::-1]` asks for the gradient of every state, the last one first.


# %%
def norms_over_time(factor):
    W = keras.initializers.Orthogonal(gain=factor, seed=11)((8, 8))
    states = [tf.ones((1, 8))]
    with tf.GradientTape() as tape:
        tape.watch(states[0])
        for _ in range(50):
            states.append(states[-1] @ W)
        loss = tf.reduce_mean(states[-1])
    return [float(tf.norm(g)) for g in tape.gradient(loss, states[::-1])]


# %% [markdown]
# In the figure, follow the lines to the right, back in time, and compare the factor a little above 1 with the one a
# little below. The vertical axis is logarithmic, so a line is straight where each step multiplies by the same factor.

# %%
over_time = {f"factor {factor}": norms_over_time(factor) for factor in (1.1, 1.0, 0.9)}
for factor, norms in zip((1.1, 1.0, 0.9), over_time.values(), strict=True):
    assert np.isclose(norms[-1] / norms[0], factor**50, rtol=1e-3)

ax = plot_gradient_norms(over_time)
text = ax.set(xlabel="steps back in time", ylabel="norm of the state's gradient")

# %% [markdown]
# Without the tanh, above 1 the gradients explode. Below 1 they vanish, here to a 200th, and what stands early in a
# sequence is hardly learned. That no clipping mends: a limit makes no gradient longer.

# %% [markdown]
# What explodes, clipping can tame. This model adds up a sequence of 30 numbers, each
# counting half as much as the next. Its recurrent kernel starts too large, with the factor 1.2.


# %%
def recurrent_model():
    large = keras.initializers.Orthogonal(gain=1.2, seed=11)
    # None: no tanh
    recurrent = layers.SimpleRNN(8, None, recurrent_initializer=large)
    return keras.Sequential([keras.Input((30, 1)), recurrent, layers.Dense(1)])


# %%
def train_recurrent(limit, steps=50):
    """Return the loss and the gradients' global norm, before clipping, at every step."""
    keras.utils.set_random_seed(11)
    x = tf.random.normal((64, 30, 1))  # 64 sequences
    y = tf.reduce_sum(x[:, :, 0] * 0.5 ** tf.range(29.0, -1.0, -1.0), axis=1, keepdims=True)
    model, optimizer, history = recurrent_model(), keras.optimizers.SGD(0.05), []
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        clipped, norm = tf.clip_by_global_norm(gradients, limit)
        optimizer.apply(clipped, model.trainable_variables)
        history.append((float(loss), float(norm)))
    return np.transpose(history)  # (2, steps)


# %% [markdown]
# In the figure, the run without clipping has one point, at the upper left: after one step everything is `nan`. Clipped
# at 1, the gradients themselves shrink, from above 100,000 to below 1 (the vertical axis is logarithmic).

# %%
wild_loss, wild_norms = train_recurrent(limit=1e9, steps=3)
print("not clipped, any finite loss after a step:", bool(np.any(np.isfinite(wild_loss[1:]))))
print("clipped, last loss below 0.1:", end=" ", flush=True)
tame_loss, tame_norms = train_recurrent(limit=1.0)
print(bool(tame_loss[-1] < 0.1))
assert wild_norms[0] > 1e5 and not np.any(np.isfinite(wild_loss[1:]))
assert tame_loss[-1] < 0.1 and tame_norms[-1] < 1
assert np.isclose(slope, 1.1**50, rtol=1e-3)

ax = plot_gradient_norms({"clipped at 1": tame_norms})
label = ax.set_ylabel("norm, before clipping")
points = ax.plot([0], wild_norms[:1], "o", color="C1")
text = ax.annotate("not clipped: nan after this step", (1.5, wild_norms[0]), color="C1", va="center")

# %% [markdown]
# ## How do I give a trained backbone a new head?
#
# A backbone that learned one task from many examples is to serve another, of which you have few. It keeps its
# weights, and gets a new head: **fine-tuning**. Make them two models. Here the first task is to tell 5 classes
# apart, from 1,000 examples; the second has two classes, and 40 examples. 472 are held out.

# %%
x_all, y_all = make_classification(1512, seed=11)
# the new task: odd or even class
x_few, y_few = x_all[1000:1040], y_all[1000:1040] % 2
x_held, y_held = x_all[1040:], y_all[1040:] % 2


def make_parts(classes, seed):
    keras.utils.set_random_seed(seed)
    body = [layers.Dense(64, activation="relu"), layers.Dense(32, activation="relu")]
    backbone = keras.Sequential([keras.Input((20,)), *body], name="backbone")
    return backbone, keras.Sequential([keras.Input((32,)), layers.Dense(classes)], name="head")


backbone, old_head = make_parts(5, seed=11)
whole = keras.Sequential([backbone, old_head])
whole.compile(keras.optimizers.Adam(1e-3), loss_fn)
print("the backbone learns the first task")
whole.fit(x_all[:1000], y_all[:1000], epochs=20, verbose=0)
trained_weights = backbone.get_weights()

# %% [markdown]
# One tape records both models, and one question serves both. The sources may be a list of two lists, as here, or the
# joined list `backbone.trainable_variables + head.trainable_variables`. Penalties, of which there are none here,
# are joined, too.


# %%
def new_parts(seed=3):
    backbone, head = make_parts(2, seed)
    backbone.set_weights(trained_weights)
    return backbone, head


def gradients_of_parts(backbone, head, y=y_few):
    parts = [backbone.trainable_variables, head.trainable_variables]
    with tf.GradientTape() as tape:
        logits = head(backbone(x_few, training=True), training=True)
        loss = loss_fn(y, logits) + sum(backbone.losses + head.losses)
    return tape.gradient(loss, parts)


backbone, head = new_parts()
of_backbone, of_head = gradients_of_parts(backbone, head)
print(f"norms: backbone {tf.linalg.global_norm(of_backbone):.1f}, head {tf.linalg.global_norm(of_head):.1f}")

# %% tags=["claims"]
assert tf.linalg.global_norm(of_head) > 1.2 * tf.linalg.global_norm(of_backbone) > 1.2

# %% [markdown]
# You will read that a new head is random, has large gradients, and so needs a tighter limit than the trained layers
# below it. Its gradients are the larger ones, as you saw. Compare three ways: 60 steps of SGD, at rate 0.1 for what
# is free; each loss is the mean of three new heads.
#
# > **Predict**
# >
# > Which way ends with the lowest loss on the held-out examples?

# %%
predict("11.e", "")


# %%
def held_out_loss(rate, limit, seed, y=y_few, y_new=y_held):
    """Return it after 60 steps, with this rate of the backbone and this limit of the head."""
    backbone, head = new_parts(seed)
    slow, fast = keras.optimizers.SGD(rate), keras.optimizers.SGD(0.1)

    @tf.function
    def take_12_steps():
        for _ in tf.range(12):
            of_backbone, of_head = gradients_of_parts(backbone, head, y)
            of_head, _ = tf.clip_by_global_norm(of_head, limit)
            slow.apply(of_backbone, backbone.trainable_variables)
            fast.apply(of_head, head.trainable_variables)

    # called once only, it makes TensorFlow warn of tracing
    for _ in range(5):
        take_12_steps()
    return float(loss_fn(y_new, head(backbone(x_held))))

# %%
ways = {"a": (0.1, 0.1), "b": (0.1, 1e9), "c": (0.0, 1e9), "c, head clipped": (0.0, 0.1)}
held_out = {}
for way, options in ways.items():
    print(f"{way}:", end=" ", flush=True)
    held_out[way] = np.mean([held_out_loss(*options, seed) for seed in (3, 4, 5)])
    print(f"{held_out[way]:.2f}")

# %% [markdown]
# After 60 steps, way c is best: the backbone knows the new task already (odd and even are made of the five classes),
# and 40 examples do not improve it. The last line is way c with a tight limit on its head, which is no help here. Now
# three heads for a task that the first task ignored: is the first input positive?

# %%
signs = [(x_all[part, 0] > 0).astype(int) for part in (slice(1000, 1040), slice(1040, None))]
ignored = {}
for way in "abc":
    print(f"{way}:", end=" ", flush=True)
    losses = [held_out_loss(*ways[way], seed, *signs) for seed in (3, 4, 5)]
    ignored[way] = np.mean(losses)
    print(f"{ignored[way]:.1f}")

# %% tags=["claims"]
assert held_out["c"] < 0.9 * min(held_out["a"], held_out["b"], held_out["c, head clipped"])
assert ignored["c"] > 1.2 * max(ignored["a"], ignored["b"])

# %% [markdown]
# Here way c is the worst: what the backbone does not know, it has to learn.
#
# A limit and a rate are two things. A limit cuts only what is longer: it guards against a wild batch, whose gradient
# is 100 times the usual one. A rate scales every step. So to hold a layer back, lower its rate. To protect it, set a
# limit above its usual norms, with Adam just above.
#
# With Adam, do not scale the gradients of the backbone instead, by 0.1, say. The factor cancels, as the clipping did:

# %%
moved = []
for factor in (1.0, 0.1):
    backbone, head = new_parts()
    kernel = backbone.trainable_variables[0]
    gradient = gradients_of_parts(backbone, head)[0][0]
    keras.optimizers.Adam(1e-3).apply([factor * gradient], [kernel])
    moved.append(np.max(np.abs(kernel.numpy() - trained_weights[0])))

print("first steps:", [f"{m:.4f}" for m in moved])

# %% tags=["claims"]
assert np.allclose(moved, 1e-3, rtol=0.01)

# %% [markdown]
# The size of a step belongs to the optimizer. So take two, as `held_out_loss` does, with a rate each.
#
# Where the rate is 0, you may as well **freeze**: `backbone.trainable = False`. An Adam that is built afterwards
# keeps its two averages for the head's variables alone. Freezing also changes outputs: a frozen batch normalisation
# works as in use, even with `training=True`.

# %%
norm, column = layers.BatchNormalization(), tf.constant([[1.0], [3.0]])
norm.trainable = False
frozen = norm(column, training=True)

backbone.trainable, adam = False, keras.optimizers.Adam()
adam.build(backbone.trainable_variables + head.trainable_variables)
print(frozen.numpy().ravel().round(1), len(adam.variables), "variables of Adam")

# %% tags=["claims"]
assert np.allclose(frozen, column, atol=0.01) and len(adam.variables) == 2 * 2 + 2

# %% [markdown]
# ### Further: what freezing saves
#
# Each layer costs a matrix product forward, and up to two on the way back. The next cell counts those that Python
# starts, and those that the gradients really need.


# %%
def behind(results):
    """Return the operations of a graph on which its results depend."""
    needed, todo = set(), [result.op for result in results]
    while todo:
        operation = todo.pop()
        if operation not in needed:
            needed.add(operation)
            todo += [source.op for source in operation.inputs]
    return needed


# %%
def products(trainable, above):
    """Return how many matrix products a step starts, and how many its gradients need."""
    backbone, head = new_parts()
    backbone.trainable = trainable
    variables = backbone.trainable_variables + head.trainable_variables

    @tf.function
    def gradients():
        features = backbone(x_few) if above else None
        with tf.GradientTape() as tape:
            loss = loss_fn(y_few, head(features if above else backbone(x_few)))
        return tape.gradient(loss, variables)

    graph = gradients.get_concrete_function().graph
    started, needed = graph.get_operations(), behind(graph.outputs)
    return [sum(o.type == "MatMul" for o in ops) for ops in (started, needed)]


# %%
counts = {"trained": products(True, False), "frozen": products(False, False)}
counts["frozen, above the block"] = products(False, True)

for name, (started, needed) in counts.items():
    print(f"{name}: {started} started, {needed} needed")

# %% tags=["claims"]
assert list(counts.values()) == [[8, 8], [8, 4], [4, 4]]

# %% [markdown]
# The tape walks back through a frozen backbone all the same. In eager mode all 8 are computed, and freezing saves none
# of them; a compiled step drops the 4 that nobody needs. Computing the features above the block saves them in both.

# %% [markdown]
# ### Exercise 11.4: complete
#
# One step with two optimizers: let `slow` update all layers but the last, and `fast` the last. x has shape (n, 3), y and
# `model(x, training=True)` have shape (n, 1). The loss is their mean squared error, without penalties; take all gradients of one
# forward pass, before any update. A layer may have no bias, and may behave differently in training.


# %% exercise="11.4"
def two_speed_step(model, slow, fast, x, y):
    """Update the model once: the last layer with fast, the others with slow."""
    ### BEGIN SOLUTION
    head = model.layers[-1].trainable_variables
    backbone = model.trainable_variables[: -len(head)]
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    of_backbone, of_head = tape.gradient(loss, [backbone, head])
    slow.apply(of_backbone, backbone)
    fast.apply(of_head, head)
    ### END SOLUTION


# %%
check("11.4", two_speed_step)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# `model.layers[-1].trainable_variables` are those of the last layer. Sources may be a list of two lists.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Ask the tape once, for both parts. Then let each optimizer apply its own gradients to its own variables.
#
# </details>

# %% [markdown]
# ## Does fit have to go?
#
# One limit for all is an option of the optimizer. For one per layer, write an optimizer (lesson 14), or override
# `train_step`, which `fit` traces into a graph and runs for each batch. It feeds the metrics, among them the one
# named "loss", and returns what `fit` logs. This one takes no sample weights: with them, `x, y = data` raises. Nor
# does it serve 16-bit numbers whose loss has to be scaled (lesson 20).


# %%
def clipped_by_path(gradients, variables):
    pairs = zip(gradients, variables, strict=True)
    return [tf.clip_by_norm(g, limit_by_path(v, limits)) for g, v in pairs]


# %%
class ClippedModel(keras.Sequential):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            logits = self(x, training=True)
            # with the penalties
            loss = self.compute_loss(x=x, y=y, y_pred=logits)
        variables = self.trainable_variables
        gradients = clipped_by_path(tape.gradient(loss, variables), variables)
        self.optimizer.apply(gradients, variables)
        for metric in self.metrics:
            # the mean of the losses, weighed by the batch's size
            if metric.name == "loss":
                metric.update_state(loss, sample_weight=tf.shape(x)[0])
            else:
                metric.update_state(y, logits)
        return self.get_metrics_result()


# %% [markdown]
# The test is that of lesson 09: the same weights as your loop. Each epoch is one batch. One callback notes the
# losses, one stops when three epochs have not lowered the loss by 0.1.

# %%
model, seen = build_model(ClippedModel), []
callbacks = [
    keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: seen.append(logs["loss"])),
    keras.callbacks.EarlyStopping("loss", min_delta=0.1, patience=3),
]
model.compile(keras.optimizers.SGD(0.01), loss_fn, metrics=["accuracy"])
print("fit trains", end=", ", flush=True)
history = model.fit(x, y, batch_size=512, epochs=500, callbacks=callbacks, verbose=0).history
print("then a loop", end="; ", flush=True)

# %%
by_loop = build_model()
loss, _ = train(by_loop, lambda v: limit_by_path(v, limits), steps=len(seen))
pairs = zip(model.get_weights(), by_loop.get_weights(), strict=True)
same = all(np.allclose(a, b, atol=1e-4) for a, b in pairs)

try:
    model.train_step((x, y, tf.ones(512)))
    takes_weights = True
except ValueError:
    takes_weights = False

print("stopped early:", len(seen) < 500, "and same weights:", same)

# %% tags=["claims"]
assert same and not takes_weights and 3 < len(seen) < 500 and history["loss"] == seen
assert np.isclose(seen[-1], loss, rtol=1e-2) and history["accuracy"][-1] > history["accuracy"][0]

# %% [markdown]
# ## Checkpoint
#
# Answer before you open.
#
# <details><summary>1. Every layer has a limit, nothing raises, and the loss falls. How do you know that the clipping
# works?</summary>
#
# From the norms of what you apply: no variable's is above its limit, and those that were clipped stand at it.
#
# </details>
# <details><summary>2. You halve all limits, and with Adam nothing changes. Is the clipping broken?</summary>
#
# Not necessarily: Adam cancels a constant factor. Try it with SGD.
#
# </details>
# <details><summary>3. Which clipping keeps the direction of the whole gradient, and which that of each variable
# only?</summary>
#
# By global norm; by norm, with a limit for each variable or layer. By value keeps neither, as a rule.
#
# </details>

# %% [markdown]
# ## Recap
#
# - `variable.path` says, as a rule, which layer a variable belongs to; `variable.name` does not.
# - By norm: a factor for each variable. By global norm: one for all. By value: mostly another direction.
# - Far above its epsilon, Adam hides a constant factor, whether you scale or clip; SGD shows it.
# - Gradients explode where slopes above 1 multiply; clipping limits them, and mends no `nan` or `None`.
# - A limit guards against spikes, a rate scales every step. A new head is free; its trained backbone is slow or frozen,
#   if it knows what the new task asks.
# - Two optimizers give two learning rates; an overridden `train_step` keeps `fit`.
#
# ```python
# def limit_of(variable):
#     (layer,) = limits.keys() & set(variable.path.split("/"))
#     return limits[layer]
#
# pairs = zip(gradients, model.trainable_variables, strict=True)  # no gradient is None
# clipped = [tf.clip_by_norm(g, limit_of(v)) for g, v in pairs]
# optimizer.apply(clipped, model.trainable_variables)
# ```
#
# **To remember**: look at the norms of what you apply; a clipping that clips nothing is silent.

# %% [markdown]
# ## Further reading
#
# - Pascanu, Mikolov and Bengio, *On the difficulty of training recurrent neural networks*, ICML 2013: why gradients
#   explode.
# - Kingma and Ba, *Adam: A Method for Stochastic Optimization*, ICLR 2015: why a factor cancels.
#
# Next: [12 · Several losses](12_multi_loss.ipynb).

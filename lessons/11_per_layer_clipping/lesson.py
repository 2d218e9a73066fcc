# %% [markdown] part="Part II: training loops"
# # 11 · Per-layer clipping
#
# One wild batch can undo a day of training. Clipping limits a gradient, and a loop of your own can give each
# layer its own limit. It can fail in silence: it runs, and clips nothing.
#
# **You will be able to**
#
# - clip each layer's gradient at its own limit, and see from the norms whether it works;
# - say what each way of clipping does to the size and the direction of a step;
# - tame a recurrent model whose gradients explode;
# - give layers learning rates of their own, and keep `fit` with its callbacks.
#
# **Before you start**: [09 · A training step](09_training_step.ipynb). **Time**: 45 minutes.

# %% tags=["nbval-ignore-output"]
from course_utils import check, make_classification, plot_gradient_norms, start_lesson

start_lesson("11")

import keras
import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from keras import layers

# %% [markdown]
# ## How large is each layer's gradient?
#
# The model is that of lesson 09, with names: two layers, the **backbone**, find 32 features, and a **head**
# turns them into 5 logits. Nobody scaled the inputs. The size of a gradient is its **norm**, the root of the
# sum of its squared entries: `tf.norm`.

# %%
x, y = make_classification(512, seed=11)  # (512, 20), (512,): classes 0 to 4
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
assert min(norms[::2]) > 5 and max(norms[1::2]) < 1

# %% [markdown]
# **Clipping** by norm scales a gradient that is longer than a limit down to it, and leaves a shorter one alone:
# `tf.clip_by_norm(gradient, limit)`. Suppose you want at most 5 in the backbone, and 1 in the head. Then your
# loop must know which layer a variable belongs to.
#
# > **Predict**
# >
# > What is the `name` of the head's kernel: `head/kernel`, `head` or `kernel`?

# %%
head_kernel = model.get_layer("head").kernel

print(head_kernel.name)

# %% [markdown]
# `head/kernel` is tempting, and older code asks `"head" in variable.name`. In Keras 3 a name is the variable's own;
# `path` says where it belongs. A `Sequential` model puts its own name in front, a functional one does not, so look
# for the part that has a limit:

# %%
limits = {"backbone_1": 5.0, "backbone_2": 5.0, "head": 1.0}


def limit_by_name(variable):
    return 1.0 if "head" in variable.name else 5.0


def limit_by_path(variable):
    (layer,) = limits.keys() & set(variable.path.split("/"))  # exactly one part
    return limits[layer]


inputs = keras.Input((20,))
functional = keras.Model(inputs, layers.Dense(5, name="head")(inputs))
other_kernel = functional.layers[-1].kernel
print(head_kernel.path, limit_by_name(head_kernel), limit_by_path(head_kernel))
assert other_kernel.path == "head/kernel" and limit_by_path(other_kernel) == 1.0
assert head_kernel.name == "kernel" and head_kernel.path == "model/head/kernel"
assert limit_by_name(head_kernel) == 5.0 and limit_by_path(head_kernel) == 1.0

# %% [markdown]
# By name, no head is found, and everything gets the limit 5. Nothing raises, and the loss falls. The norms of
# what you *apply* tell:


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
# In the figure, look for the head. By name, on the left, it starts at 5; by path, at 1.

# %%
loss_by_name, by_name = train(build_model(), limit_by_name)
loss_by_path, by_path = train(build_model(), limit_by_path)
assert loss_by_name < 5 and loss_by_path < 5  # from 11: both learn
assert np.isclose(by_name["head"][0], 5) and max(by_path["head"]) < 1.001

fig, panels = plt.subplots(1, 2, figsize=(9.6, 3.4), sharey=True, layout="constrained")
for ax, norms, title in zip(panels, (by_name, by_path), ("by name", "by path"), strict=True):
    ax.set(title=f"clipped {title}", xlim=(0, 34), ylim=(0.7, 7))
    plot_gradient_norms(norms, ax=ax)
    ax.minorticks_off()
    ticks = ax.set_yticks([1, 2, 5], ["1", "2", "5"])
    label = ax.set_ylabel("norm of what is applied")

# %% [markdown]
# Our rule compares whole parts: `"head" in variable.path` finds `overhead/kernel` too. For a layer without a limit,
# unpacking `(layer,)` raises a `ValueError`.
#
# ### Exercise 11.1: repair
#
# A news model has a layer `headline` and a layer `head`. This function should clip the gradients of `head` at norm
# 1, each by itself, and leave all others as they are. It clips none.


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
# Paths here are `news/headline/kernel` and `news/head/bias`. Is "head" in both?
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
    "global norm": tf.clip_by_global_norm(gradients, 1.0)[0],  # [1] is the norm before
    "value": [tf.clip_by_value(g, -1.0, 1.0) for g in gradients],
}

for way, (first, second) in clipped.items():
    print(f"{way:11} {first.numpy().round(4)} {second.numpy().round(4)}")

assert np.allclose(clipped["norm"][0], [0.6, 0.8]) and clipped["norm"][1] == 1.0
assert np.allclose(clipped["global norm"][0], [3 / 13, 4 / 13])  # 13: root of 9 + 16 + 144
assert np.allclose(clipped["global norm"][1], 12 / 13)
assert np.allclose(clipped["value"][0], 1.0) and clipped["value"][1] == 1.0

# %% [markdown]
# By norm, each has its own factor: 1/5 and 1/12. By **global norm**, the norm of all entries together, here 13,
# they share one. By value, each entry is cut off.
#
# A gradient is a direction, too: that of (3, 4) alone, and that of all three numbers, (3, 4, 12).
#
# > **Predict**
# >
# > Which way keeps the direction of (3, 4, 12): norm, global norm, or both?


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
# Both is tempting, for both only scale. But by norm the factors differ here, and the whole turns by 22 degrees:
# each variable keeps its direction, the whole does not. By value, even (3, 4) turns.
#
# An optimizer clips when asked. From 0, with learning rate 1, SGD moves by minus the clipped gradient. At a `None`,
# `clip_by_norm` raises; `clip_by_global_norm` leaves it out.

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
assert np.allclose(turned["norm"], [0, 22.4], atol=0.1)
assert np.allclose(turned["global norm"], 0, atol=0.1)
assert np.allclose(turned["value"], [8.1, 32.5], atol=0.1)

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
#
# The step itself:

# %%
variables = [tf.Variable([0.0, 0.0]), tf.Variable([0.0])]
optimizer = keras.optimizers.SGD(1.0, global_clipnorm=6.5)
optimizer.apply([tf.constant([6.0, 8.0]), tf.constant([24.0])], variables)

print(*[v.numpy() for v in variables])
assert np.allclose(variables[0], [-1.5, -2]) and np.allclose(variables[1], -6)

# %% [markdown]
# ### Exercise 11.3: complete
#
# Clip each *layer* as a whole, its kernel and bias together. `gradients` maps a layer's name to the list of its
# gradients; `limits` maps it to its limit. Return a dict of the same form. A layer may have no bias, and gradients may be zero.


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
def distance(optimizer, gradients, limit):
    weight = tf.Variable(0.0)
    for gradient in gradients:
        optimizer.apply([tf.clip_by_norm(gradient, limit)], [weight])
    return -float(weight)


constant = tf.fill([50], 10.0)
adam = [distance(keras.optimizers.Adam(1e-3), constant, limit) for limit in (1e9, 5.0, 1.0)]

print([f"{moved:.2f}" for moved in adam])

# %% [markdown]
# You might expect less for a lower limit: SGD does that. Adam divides the average gradient by its average size, so a
# constant factor cancels, except near Adam's epsilon, 1e-7. A clipping that does nothing looks the same: test with SGD.

# %%
sgd = [distance(keras.optimizers.SGD(1e-3), constant, limit) for limit in (1e9, 5.0, 1.0)]
tiny = [distance(keras.optimizers.Adam(1e-3), tf.fill([50], g), 1.0) for g in (1e-6, 1e-7)]
spike = tf.constant([1.0] * 9 + [1000.0] + [1.0] * 40)
spiked = [distance(keras.optimizers.Adam(1e-3), spike, limit) for limit in (1e9, 20.0, 5.0, 1.0)]

print("SGD:", [f"{moved:.2f}" for moved in sgd])
print("Adam, gradients near epsilon:", [f"{moved:.3f}" for moved in tiny])
print("Adam, one spike:", [f"{moved:.3f}" for moved in spiked])
assert np.allclose(adam, 0.05, rtol=1e-3) and np.allclose(sgd, [0.5, 0.25, 0.05], rtol=1e-3)
assert np.allclose(tiny, [0.029, 0.006], atol=1e-3)
assert np.allclose(spiked, [0.014, 0.024, 0.042, 0.050], atol=1e-3)

# %% [markdown]
# Clipping still helps Adam. After a single spike it takes small steps for long: 0.014 in all, not 0.050. Clipped at
# 1, the usual size here, the spike leaves no trace; at 20 or 5, some.
#
# ## When do gradients explode?
#
# A **recurrent** layer reads a sequence. At each time step it multiplies its **state** by the same weights, the
# recurrent kernel, and adds input times kernel, and a bias. Here the state is one number, without input: `h = 1.1 * h`, 50 times.
#
# > **Predict**
# >
# > What is the slope of the last h with respect to the first: about 1.1, 55 or 117?

# %%
h = first = tf.constant(1.0)

with tf.GradientTape() as tape:
    tape.watch(first)
    for _ in range(50):
        h = 1.1 * h

slope = tape.gradient(h, first)

print(f"{slope.numpy():.0f}")

# %% [markdown]
# 55 would be right if slopes added up. Along a path they multiply: 1.1 to the power of 50. Now the state is eight
# numbers. `Orthogonal` makes a matrix that turns every vector and stretches it by `gain`. In the figure, follow the
# lines to the right, back in time.


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


over_time = {f"factor {factor}": norms_over_time(factor) for factor in (1.1, 1.0, 0.9)}
assert np.isclose(slope, 1.1**50, rtol=1e-3)
assert np.isclose(over_time["factor 1.1"][-1] / over_time["factor 1.1"][0], 1.1**50, rtol=1e-3)
assert np.isclose(over_time["factor 0.9"][-1] / over_time["factor 0.9"][0], 0.9**50, rtol=1e-3)

ax = plot_gradient_norms(over_time)
text = ax.set(xlabel="steps back in time", ylabel="norm of the state's gradient")

# %% [markdown]
# What explodes, clipping can tame. This model adds up a sequence of 30 numbers, each
# counting half as much as the next. Its recurrent kernel starts too large, with the factor 1.2.


# %%
def train_recurrent(limit, steps=50):
    """Return the loss and the gradients' global norm, before clipping, at every step."""
    keras.utils.set_random_seed(11)
    x = tf.random.normal((64, 30, 1))  # 64 sequences
    y = tf.reduce_sum(x[:, :, 0] * 0.5 ** tf.range(29.0, -1.0, -1.0), axis=1, keepdims=True)
    large = keras.initializers.Orthogonal(gain=1.2, seed=11)
    recurrent = layers.SimpleRNN(8, None, recurrent_initializer=large)
    model = keras.Sequential([keras.Input((30, 1)), recurrent, layers.Dense(1)])
    optimizer, history = keras.optimizers.SGD(0.05), []
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
# at 1, the gradients themselves shrink, from above 100,000 to below 1.

# %%
wild_loss, wild_norms = train_recurrent(limit=1e9, steps=3)
tame_loss, tame_norms = train_recurrent(limit=1.0)

print("not clipped, any finite loss after a step:", bool(np.any(np.isfinite(wild_loss[1:]))))
print("clipped, last loss below 0.1:", bool(tame_loss[-1] < 0.1))
assert wild_norms[0] > 1e5 and not np.any(np.isfinite(wild_loss[1:]))
assert tame_loss[-1] < 0.1 and tame_norms[-1] < 1
with_nan, norm = tf.clip_by_global_norm([tf.constant(np.nan), tf.constant(1.0)], 1.0)
assert np.all(np.isnan(with_nan)) and not tf.math.is_finite(norm)

ax = plot_gradient_norms({"clipped at 1": tame_norms})
label = ax.set_ylabel("norm, before clipping")
points = ax.plot([0], wild_norms[:1], "o", color="C1")
text = ax.annotate("not clipped: nan from here on", (1.5, wild_norms[0]), color="C1", va="center")

# %% [markdown]
# A `nan` cannot be clipped, and by global norm it takes all gradients with it: look at the norm, and skip such a
# batch.
#
# ## Can each layer have its own step?
#
# A trained backbone under a new head often gets a smaller rate, say a tenth.
#
# > **Predict**
# >
# > You multiply its gradients by 0.1, and apply them with Adam. Is its first step ten times smaller, or as large as
# > before?

# %%
moved = []
for factor in (1.0, 0.1):
    model = build_model()
    kernel = model.layers[0].kernel
    before = kernel.numpy()
    (gradient,) = gradients_of(model, [kernel])
    keras.optimizers.Adam(1e-3).apply([factor * gradient], [kernel])
    moved.append(np.max(np.abs(kernel.numpy() - before)))

print([f"{m:.4f}" for m in moved])

# %% [markdown]
# Ten times smaller is tempting, but the factor cancels, as the clipping did. The size of a step belongs to the optimizer, so take
# two. One recording gives the gradients of both parts before anything moves.


# %%
def train_parts(rate, steps=20):
    model = build_model()
    body, head = model.layers[:-1], model.layers[-1]
    parts = {"backbone": [v for layer in body for v in layer.variables], "head": head.variables}
    slow, fast = keras.optimizers.Adam(rate), keras.optimizers.Adam(1e-3)
    for _ in range(steps):
        gradients = gradients_of(model, parts)
        slow.apply(gradients["backbone"], parts["backbone"])
        fast.apply(gradients["head"], parts["head"])
    return model.get_weights()


start = build_model().get_weights()
trained = {rate: train_parts(rate) for rate in (1e-3, 1e-4, 0.0)}

for rate, weights in trained.items():
    print(f"rate {rate:6}: moved by up to {np.max(np.abs(weights[0] - start[0])):.3f}")

# %% [markdown]
# At rate 0 the backbone stands still. Freezing it is not faster: the tape still walks back through it (lesson 02).
#
# You will read that a new head needs smaller gradients than the backbone; run this. A trained backbone gets a new
# head, clipped at 5 like the rest, or at 0.1:


# %%
def with_new_head(limit):
    """Return the loss after 25 steps with a new head, whose gradients are clipped at limit."""
    model = build_model()
    fresh = model.layers[-1].get_weights()
    train(model, limit_by_name)
    model.layers[-1].set_weights(fresh)
    return train(model, lambda v: limit if "head" in v.path.split("/") else 5.0)[0]


loose, tight = with_new_head(5.0), with_new_head(0.1)

print("the tight limit leaves the higher loss:", tight > 1.05 * loose)
assert tight > 1.05 * loose
assert np.allclose(moved, 1e-3, rtol=0.01) and np.array_equal(trained[0.0][0], start[0])
assert np.std(trained[1e-4][0] - start[0]) < 0.2 * np.std(trained[1e-3][0] - start[0])

# %% [markdown]
# Small gradients only hold this head back.
#
# ### Exercise 11.4: complete
#
# One step with two optimizers: let `slow` update all layers but the last, and `fast` the last. x has shape (n, 3), y and
# `model(x, training=True)` have shape (n, 1). The loss is their mean squared error; take all gradients before any
# update. A layer may have no bias, and may behave differently in training.


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
# `train_step`, which `fit` calls for each batch. This one ignores sample weights and loss scaling:


# %%
class ClippedModel(keras.Sequential):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            logits = self(x, training=True)
            loss = self.compute_loss(x=x, y=y, y_pred=logits)  # with the penalties
        gradients = tape.gradient(loss, self.trainable_variables)
        pairs = zip(gradients, self.trainable_variables, strict=True)
        clipped = [tf.clip_by_norm(g, limit_by_path(v)) for g, v in pairs]
        self.optimizer.apply(clipped, self.trainable_variables)
        for metric in self.metrics:
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
history = model.fit(x, y, batch_size=512, epochs=500, callbacks=callbacks, verbose=0).history

by_loop = build_model()
loss, _ = train(by_loop, limit_by_path, steps=len(seen))
pairs = zip(model.get_weights(), by_loop.get_weights(), strict=True)
same = all(np.allclose(a, b, atol=1e-4) for a, b in pairs)

print("stopped early:", len(seen) < 500, "and same weights:", same)
assert same and 3 < len(seen) < 500 and history["loss"] == seen
assert np.isclose(seen[-1], loss, rtol=1e-2) and history["accuracy"][-1] > history["accuracy"][0]

# %% [markdown]
# ## Checkpoint
#
# Answer before you open.
#
# <details><summary>1. Every layer has a limit, nothing raises, and the loss falls. How do you know that the clipping
# works?</summary>
#
# From the norms of what you apply: none is above its layer's limit, and those that were clipped stand at it.
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
# By global norm; by norm, with a limit for each variable or layer. By value keeps neither.
#
# </details>

# %% [markdown]
# ## Recap
#
# - `variable.path` says which layer a variable belongs to; `variable.name` does not.
# - By norm: a factor for each variable. By global norm: one for all. By value: another direction.
# - Adam hides a constant factor, in the gradient and in the clipping; SGD shows it.
# - Gradients explode where slopes above 1 multiply; clipping limits them, and mends no `nan` or `None`.
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
# ## Further reading
#
# - Pascanu, Mikolov and Bengio, *On the difficulty of training recurrent neural networks*, ICML 2013: why gradients
#   explode.
# - Kingma and Ba, *Adam: A Method for Stochastic Optimization*, ICLR 2015: why a factor cancels.
#
# Next: [12 · Several losses](12_multi_loss.ipynb).

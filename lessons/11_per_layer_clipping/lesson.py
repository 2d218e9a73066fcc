# %% [markdown] part="Part II: training loops" goal="clipping"
# # 11 · Per-layer clipping
#
# One wild batch ruins a night's run. So you clip the gradients of the last layer: `if "head" in variable.name`. The
# code runs for a month. Then you check the norms, and see that the head was never clipped. The condition was never
# true. In this lesson you give each layer its own limit, and make sure that it works.
#
# **You will learn to**
#
# - find out which layer a variable belongs to, and clip each layer at its own limit;
# - tell what each way of clipping does to the size and the direction of a step;
# - see whether clipping works, with SGD and with Adam.
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
# The model has a **backbone**, two layers that find 32 features, and a **head** that turns them into 5 logits.
# Nobody scaled the inputs. The size of a gradient is its **norm**, the square root of the sum of its squared entries.

# %%
x, y = make_classification(512, seed=11)  # (512, 20), (512,)
x = tf.constant(30 * x)  # raw readings
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def build_model():
    keras.utils.set_random_seed(11)
    backbone = [
        layers.Dense(64, activation="relu", name="backbone_1"),
        layers.Dense(32, activation="relu", name="backbone_2"),
    ]
    return keras.Sequential([keras.Input((20,)), *backbone, layers.Dense(5, name="head")], name="model")


# %%
model = build_model()

with tf.GradientTape() as tape:
    loss = loss_fn(y, model(x, training=True))

gradients = tape.gradient(loss, model.trainable_variables)

for variable, gradient in zip(model.trainable_variables, gradients, strict=True):
    print(f"{variable.path:24} norm {tf.norm(gradient):5.1f}")

# %% tags=["claims"]
norms = [float(tf.norm(g)) for g in gradients]
assert min(norms[::2]) > 5 and max(norms[1::2]) < 1

# %% [markdown]
# The kernels have large gradients, and the biases small ones. To **clip** a gradient by norm is to scale it down to a
# limit if it is longer, and to leave it alone if it is shorter: `tf.clip_by_norm(gradient, limit)`.
#
# Say that no gradient's norm may exceed 5 in the backbone or 1 in the head. Then your loop must know which layer a
# variable belongs to.
#
# > **Predict**
# >
# > What is the `name` of the head's kernel?

# %%
predict("11.a", "")

# %%
kernel = model.get_layer("head").kernel

print("name:", kernel.name)
print("path:", kernel.path)

# %% tags=["claims"]
assert kernel.name == "kernel" and kernel.path == "model/head/kernel"

# %% [markdown]
# In older versions of Keras it was `head/kernel`, and much code still looks for `"head" in variable.name`. In Keras 3
# every `Dense` layer has a variable named `kernel`. The layer is in the `path`.
#
# Do not rely on the position in the path, because it depends on how the model was built. Split the path at the
# slashes, and look for a layer that has a limit. If there is none, raise an error, so that no variable is silently
# forgotten:

# %%
limits = {"backbone_1": 5.0, "backbone_2": 5.0, "head": 1.0}


def limit_of(variable):
    for part in variable.path.split("/"):
        if part in limits:
            return limits[part]
    raise ValueError(f"{variable.path} has no limit: give one to its layer.")


def limit_by_name(variable):
    return 1.0 if "head" in variable.name else 5.0


print("by path:", limit_of(kernel), " by name:", limit_by_name(kernel))

# %% tags=["claims"]
assert (limit_of(kernel), limit_by_name(kernel)) == (1.0, 5.0)
inner = keras.Sequential([keras.Input((3,)), layers.Dense(4, name="first")], name="head")
nested = keras.Sequential([keras.Input((3,)), layers.Dense(3, name="backbone_1"), inner])
assert [limit_of(v) for v in nested.trainable_variables] == [5.0, 5.0, 1.0, 1.0]
assert [v.path.split("/").index("head") for v in inner.trainable_variables] == [0, 0]
try:
    limit_of(layers.Dense(2).build((1, 3)) or keras.Variable(1.0))
except ValueError as error:
    raised = str(error)
assert "has no limit" in raised

# %% [markdown]
# Does it work? Look at the norms of what you *apply*:

# %%
def train(model, limit_of, steps=25):
    """Return the loss of the last step, and the norms of the clipped kernels at every step."""
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


loss_by_name, by_name = train(build_model(), limit_by_name)
loss_by_path, by_path = train(build_model(), limit_of)

print(f"loss, from 11: by name {loss_by_name:.1f}, by path {loss_by_path:.1f}")

# %% [markdown]
# Both runs train, and the loss does not tell you which of them is right. In the figure, look for the head: by name, on
# the left, it starts at 5, and by path it never exceeds 1.

# %%
fig, panels = plt.subplots(1, 2, figsize=(9.6, 3.4), sharey=True, layout="constrained")
for ax, norms, title in zip(panels, (by_name, by_path), ("by name", "by path"), strict=True):
    plot_gradient_norms(norms, ax=ax)
    ax.set(title=f"clipped {title}", xlim=(0, 34), ylim=(0.7, 7), ylabel="norm of what is applied")
    ax.minorticks_off()
    ticks = ax.set_yticks([1, 2, 5], ["1", "2", "5"])

# %% tags=["claims"]
assert loss_by_name < 5 and loss_by_path < 5
assert np.isclose(by_name["head"][0], 5) and max(by_path["head"]) < 1.001

# %% [markdown]
# ### Exercise 11.1: repair
#
# A news model has, among others, a layer `headline` and a layer `head`, which may itself be a small `Sequential`
# model. This function should clip each gradient of `head` at norm 1, and leave all others as they are. It has one bug,
# and clips none.


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
# Paths here are `news/headline/kernel`, `news/head/bias`, and in another model `head/out/kernel`. Is "head" in all of
# them?
#
# </details>
# <details><summary>Hint 2</summary>
#
# On the list `path.split("/")`, `in` compares whole entries.
#
# </details>

# %% [markdown]
# ## What does each way of clipping do?
#
# There are three ways. Here they are for the gradients of two variables, (3, 4) and (12), of norms 5 and 12, with the
# limit 1:

# %%
gradients = [tf.constant([3.0, 4.0]), tf.constant([12.0])]
clipped = {
    "by norm": [tf.clip_by_norm(g, 1.0) for g in gradients],
    # the second result is the norm before
    "by global norm": tf.clip_by_global_norm(gradients, 1.0)[0],
    "by value": [tf.clip_by_value(g, -1.0, 1.0) for g in gradients],
}

for way, (first, second) in clipped.items():
    print(f"{way:15} {first.numpy().round(3)} {second.numpy().round(3)}")

# %% tags=["claims"]
assert np.allclose(clipped["by norm"][0], [0.6, 0.8]) and clipped["by norm"][1] == 1.0
assert np.allclose(clipped["by global norm"][0], [3 / 13, 4 / 13])
assert np.allclose(clipped["by global norm"][1], 12 / 13)
assert np.allclose(clipped["by value"][0], 1.0) and clipped["by value"][1] == 1.0

# %% [markdown]
# - **By norm**: each variable is scaled by its own factor.
# - **By global norm**: all variables are scaled by the same factor. The **global norm** is that of all entries
#   together, here the root of 9 + 16 + 144, which is 13.
# - **By value**: each entry is cut off at the limit.
#
# Put both gradients side by side, (3, 4, 12), and you have one arrow: the direction of the whole step.
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


whole = np.array([3.0, 4.0, 12.0])
for way, parts in clipped.items():
    print(f"{way:15} turns the step by {angle(np.concatenate(parts), whole):2.0f} degrees")

# %% tags=["claims"]
turned = [angle(np.concatenate(parts), whole) for parts in clipped.values()]
assert 20 < turned[0] < 24 and turned[1] < 0.1 and turned[2] > 30
for way, option in zip(clipped, ("clipnorm", "global_clipnorm", "clipvalue"), strict=True):
    variables = [tf.Variable([0.0, 0.0]), tf.Variable([0.0])]
    keras.optimizers.SGD(1.0, **{option: 1.0}).apply(gradients, variables)
    assert all(np.allclose(-v, c) for v, c in zip(variables, clipped[way], strict=True))

# %% [markdown]
# Clipping by norm only scales, so it seems to keep the direction. But it scales the two variables by different
# factors, so the whole step turns. Only the global norm keeps it.
#
# Optimizers can do all three for you, with `clipnorm`, `global_clipnorm` and `clipvalue`. None of them knows a limit
# per layer.
#
# ### Exercise 11.2: predict
#
# The gradients of two variables are (6, 8) and (24), and all three weights start at 0. What are they after one step of
# `keras.optimizers.SGD(1.0, global_clipnorm=6.5)`? Write a list of three numbers.

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
# So far, you clipped kernel and bias separately. Clip each *layer* as a whole. `gradients` maps a layer's name to the
# list of the layer's gradients, and `limits` maps the name to the layer's limit. Return a dict of the same form. A
# layer may have no bias, and gradients may be zero.


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
# All gradients of a layer share one factor. Which way of clipping does that for a list?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Call `tf.clip_by_global_norm` once for each layer, with its list and its limit.
#
# </details>

# %% [markdown]
# ## Does clipping slow Adam down?
#
# You halve all the limits, and nothing changes. Is the clipping broken?
#
# > **Predict**
# >
# > The gradient of a weight is 10 in each of 50 steps. How far does Adam, with the learning rate 0.001, move the
# > weight if you clip at 1e9, at 5, and at 1?

# %%
predict("11.c", "")

# %%
def distance(optimizer, gradients, limit):
    weight = tf.Variable(0.0)
    for gradient in gradients:
        optimizer.apply([tf.clip_by_norm(gradient, limit)], [weight])
    return -float(weight)


constant = tf.fill([50], 10.0)
for make in [keras.optimizers.Adam, keras.optimizers.SGD]:
    moved = [distance(make(1e-3), constant, limit) for limit in (1e9, 5.0, 1.0)]
    print(f"{make.__name__:4}", [f"{m:.2f}" for m in moved])

# %% tags=["claims"]
adam = [distance(keras.optimizers.Adam(1e-3), constant, limit) for limit in (1e9, 5.0, 1.0)]
sgd = [distance(keras.optimizers.SGD(1e-3), constant, limit) for limit in (1e9, 5.0, 1.0)]
assert np.allclose(adam, 0.05, rtol=1e-3) and np.allclose(sgd, [0.5, 0.25, 0.05], rtol=1e-3)
assert 0.028 < distance(keras.optimizers.Adam(1e-3), tf.fill([50], 1e-6), 1.0) < 0.030

# %% [markdown]
# With SGD, a tenth of the gradient moves the weight a tenth of the distance. Adam divides by the usual size of the
# gradient, so halving every gradient changes nothing. Broken clipping would look the same, so test clipping with SGD.
#
# Is clipping useless with Adam, then? No: a single spike does matter. Here are gradients of 1, with one of 1,000 among
# them:

# %%
spike = tf.constant([1.0] * 9 + [1000.0] + [1.0] * 40)

for limit in [1e9, 5.0, 1.0]:
    print(f"limit {limit:g}: moved {distance(keras.optimizers.Adam(1e-3), spike, limit):.3f}")

# %% tags=["claims"]
spiked = [distance(keras.optimizers.Adam(1e-3), spike, limit) for limit in (1e9, 20.0, 5.0, 1.0)]
assert np.allclose(spiked, [0.014, 0.024, 0.042, 0.050], atol=1e-3)

# %% [markdown]
# The spike inflates Adam's average for many steps, and the weight moves only 0.014 instead of 0.050. Clipped at 1, the
# usual size here, the spike leaves no trace. So a limit guards against the one wild batch. Set it near the norms that
# you usually see.

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open the answer.
#
# <details><summary>1. Every layer has a limit, nothing raises an error, and the loss falls. How do you know that the clipping
# works?</summary>
#
# From the norms of what you apply: none is above its limit, and the clipped ones are at it.
#
# </details>
# <details><summary>2. You halve all limits, and with Adam nothing changes. Is the clipping broken?</summary>
#
# Not necessarily. Adam cancels a constant factor. Try it with SGD.
#
# </details>
# <details><summary>3. Which clipping keeps the direction of the whole step?</summary>
#
# Clipping by global norm. Clipping by norm keeps only the direction of each variable.
#
# </details>

# %% [markdown]
# ## Recap
#
# - Find the layer in `variable.path`, never in `variable.name`.
# - Compare whole parts of the path, and raise an error if no part has a limit.
# - Use the global norm to keep the direction of the step.
# - Look at the norms of what you apply, and test clipping with SGD.
#
# ```python
# def limit_of(variable):
#     for part in variable.path.split("/"):
#         if part in limits:
#             return limits[part]
#     raise ValueError(f"{variable.path} has no limit")
#
#
# pairs = zip(gradients, model.trainable_variables, strict=True)
# clipped = [tf.clip_by_norm(g, limit_of(v)) for g, v in pairs]
# optimizer.apply(clipped, model.trainable_variables)
# ```
#
# **To remember**: look at the norms of what you apply, because clipping that does nothing is silent.

# %% [markdown]
# ## Going deeper
#
# A new head on a trained backbone, when gradients explode, and gradients that clipping cannot handle.

# %% [markdown]
# ### How do I give a trained backbone a new head?
#
# A backbone has learned one task from many examples. Now it should serve another task, for which you have only a few.
# It keeps its weights and gets a new head. This is called **fine-tuning**. Here the first task has 5 classes and 1,000
# examples. The second has two classes, odd or even, and 40 examples.

# %%
x_all, y_all = make_classification(1512, seed=11)
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
history = whole.fit(x_all[:1000], y_all[:1000], epochs=20, verbose=0)
trained_weights = backbone.get_weights()

# %% [markdown]
# One tape records both models, and one call takes a list of two lists as sources. Each part gets its own optimizer,
# with its own learning rate:

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


# %%
def held_out_loss(rate, limit, seed, y=y_few, y_new=y_held):
    """Return the loss after 60 steps, with this rate of the backbone and this limit of the head."""
    backbone, head = new_parts(seed)
    slow, fast = keras.optimizers.SGD(rate), keras.optimizers.SGD(0.1)

    @tf.function
    def take_12_steps():
        for _ in tf.range(12):
            of_backbone, of_head = gradients_of_parts(backbone, head, y)
            of_head, _ = tf.clip_by_global_norm(of_head, limit)
            slow.apply(of_backbone, backbone.trainable_variables)
            fast.apply(of_head, head.trainable_variables)

    for _ in range(5):
        take_12_steps()
    return float(loss_fn(y_new, head(backbone(x_held))))

# %% [markdown]
# Many tutorials say that a new head has large gradients, and therefore needs a tighter limit than the trained layers.
#
# > **Predict**
# >
# > Which way ends with the lowest loss on the held-out examples?

# %%
predict("11.e", "")

# %%
ways = {
    "head clipped at 0.1, backbone free": (0.1, 0.1),
    "both free": (0.1, 1e9),
    "head free, backbone at rate 0": (0.0, 1e9),
}
held_out = {}
for way, options in ways.items():
    held_out[way] = np.mean([held_out_loss(*options, seed) for seed in (3, 4, 5)])
    print(f"{way}: {held_out[way]:.2f}")

# %% tags=["claims"]
clipped_head = np.mean([held_out_loss(0.0, 0.1, seed) for seed in (3, 4, 5)])
best = held_out["head free, backbone at rate 0"]
assert best < 0.9 * min(*[loss for loss in held_out.values() if loss != best], clipped_head)
signs = [(x_all[part, 0] > 0).astype(int) for part in (slice(1000, 1040), slice(1040, None))]
ignored = [
    np.mean([held_out_loss(*options, seed, *signs) for seed in (3, 4, 5)])
    for options in ways.values()
]
assert ignored[2] > 1.2 * max(ignored[:2])
of_backbone, of_head = gradients_of_parts(*new_parts())
assert tf.linalg.global_norm(of_head) > 1.2 * tf.linalg.global_norm(of_backbone) > 1.2

# %% [markdown]
# The new head has larger gradients, but it also has everything to learn, so leave it free. The backbone already knows
# what the new task needs, and 40 examples would only spoil it. That is not always so: for a task that the backbone
# never had to solve, rate 0 can be the worst choice. So slow or freeze a backbone only if its features serve the new
# task.
#
# A limit is not a learning rate. A limit acts only on gradients that exceed it. A rate scales every step.
# And with Adam, do not scale the *gradients* of the backbone instead: as you saw, the factor cancels.
#
# If the rate is 0, freeze the backbone: `backbone.trainable = False`. The tape still walks back through it.
# Compute its features above the block, and you save that time.

# %% tags=["claims"]
moved = []
for factor in (1.0, 0.1):
    backbone, head = new_parts()
    kernel = backbone.trainable_variables[0]
    gradient = gradients_of_parts(backbone, head)[0][0]
    keras.optimizers.Adam(1e-3).apply([factor * gradient], [kernel])
    moved.append(np.max(np.abs(kernel.numpy() - trained_weights[0])))
assert np.allclose(moved, 1e-3, rtol=0.01)
norm, column = layers.BatchNormalization(), tf.constant([[1.0], [3.0]])
norm.trainable = False
assert np.allclose(norm(column, training=True), column, atol=0.01)
backbone.trainable, adam = False, keras.optimizers.Adam()
adam.build(backbone.trainable_variables + head.trainable_variables)
assert len(adam.variables) == 2 * 2 + 2


def behind(results):
    """Return the operations of a graph on which its results depend."""
    needed, todo = set(), [result.op for result in results]
    while todo:
        operation = todo.pop()
        if operation not in needed:
            needed.add(operation)
            todo += [source.op for source in operation.inputs]
    return needed


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


assert [products(True, False), products(False, False), products(False, True)] == [
    [8, 8],
    [8, 4],
    [4, 4],
]

# %% [markdown]
# ### Exercise 11.4: complete
#
# Take one step with two optimizers. `slow` updates all layers but the last, and `fast` updates the last one. Return
# nothing. x has shape (n, 3), and y and `model(x, training=True)` have shape (n, 1). The loss is their mean squared
# error, without penalties. Take all gradients from one forward pass, before any update. A layer may have no bias, and
# may behave differently in training.


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
# Call `gradient` once, for both parts. Then let each optimizer apply its gradients to its variables.
#
# </details>

# %% [markdown]
# ### When do gradients explode?
#
# A **recurrent** layer reads a sequence step by step, and uses the same weights at every step. So 50 time steps are
# like a network of 50 layers. The smallest case is a single number: `h = 1.1 * h`, 50 times.
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
# 50 increases of 10% do not add up to 55: slopes multiply along a path, and 1.1 to the power of 50 is 117. In the
# figure, the state is eight numbers, and a matrix changes its length by the given factor at each step. Follow the
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

ax = plot_gradient_norms(over_time)
text = ax.set(xlabel="steps back in time", ylabel="norm of the state's gradient")

# %% tags=["claims"]
assert np.isclose(slope, 1.1**50, rtol=1e-3)
for factor, norms in zip((1.1, 1.0, 0.9), over_time.values(), strict=True):
    assert np.isclose(norms[-1] / norms[0], factor**50, rtol=1e-3)


def train_recurrent(limit, steps=50):
    """Return the loss and the gradients' global norm, before clipping, at every step."""
    keras.utils.set_random_seed(11)
    x = tf.random.normal((64, 30, 1))
    y = tf.reduce_sum(x[:, :, 0] * 0.5 ** tf.range(29.0, -1.0, -1.0), axis=1, keepdims=True)
    large = keras.initializers.Orthogonal(gain=1.2, seed=11)
    recurrent = layers.SimpleRNN(8, None, recurrent_initializer=large)
    model = keras.Sequential([keras.Input((30, 1)), recurrent, layers.Dense(1)])
    optimizer = keras.optimizers.SGD(0.05)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        clipped, norm = tf.clip_by_global_norm(gradients, limit)
        optimizer.apply(clipped, model.trainable_variables)
        return loss, norm

    return np.transpose([step() for _ in range(steps)])


wild_loss, wild_norms = train_recurrent(limit=1e9, steps=3)
tame_loss, tame_norms = train_recurrent(limit=1.0)
assert wild_norms[0] > 1e5 and not np.any(np.isfinite(wild_loss[1:]))
assert tame_loss[-1] < 0.1 and tame_norms[-1] < 1

# %% [markdown]
# Above 1 the gradients of such a linear network explode, and clipping can tame them: a small one with the factor 1.2
# gives NaN after its first step, and trains when its gradients are clipped at 1. Below 1 the gradients vanish, and
# what comes early in a sequence is hardly learned. No clipping fixes that, because a limit makes no gradient longer.

# %% [markdown]
# ### What can't clipping handle?
#
# | gradient | what happens | what to do |
# |---|---|---|
# | `None` | `tf.clip_by_norm` raises an error, `tf.clip_by_global_norm` returns it as it is | find out why (lesson 03) |
# | NaN | stays, or makes the others NaN as well | skip the batch |
# | infinite | becomes the limit by value, and NaN by norm | skip the batch if the norm is not finite |
# | `IndexedSlices` | the norm is wrong if an index repeats | `tf.convert_to_tensor(gradient)` first |
#
# An **`IndexedSlices`** is what you get if a variable is only read by `tf.gather` along axis 0, as an embedding is:
# the gradients of the rows that were read, and their positions.

# %%
table = tf.Variable(tf.ones((1_000, 4)))

with tf.GradientTape() as tape:
    picked = tf.reduce_sum(tf.gather(table, [7, 7]) ** 2)

gradient = tape.gradient(picked, table)

print(type(gradient).__name__, gradient.indices.numpy(), gradient.values.shape)
print(f"its norm {tf.norm(gradient.values):.2f}, dense {tf.norm(tf.convert_to_tensor(gradient)):.2f}")

# %% tags=["claims"]
assert isinstance(gradient, tf.IndexedSlices) and list(gradient.indices) == [7, 7]
assert np.isclose(tf.norm(gradient.values), 4 * 2**0.5)
assert np.isclose(tf.norm(tf.convert_to_tensor(gradient)), 8.0)
missing = tf.clip_by_global_norm([None, tf.constant([3.0])], 1.0)[0]
assert missing[0] is None and np.isclose(missing[1][0], 1.0)
try:
    tf.clip_by_norm(None, 1.0)
except ValueError:
    refused = True
assert refused
spoiled, _ = tf.clip_by_global_norm([tf.constant([np.inf]), tf.constant([3.0])], 1.0)
assert np.isnan(spoiled[0]).all() and np.isnan(spoiled[1]).all()
assert np.isnan(tf.clip_by_norm(tf.constant([np.inf, 1.0]), 1.0)).any()
with tf.GradientTape(persistent=True) as tape:
    rows = tf.gather(table, [0])
    columns = tf.gather(table, [0], axis=1)
    with_penalty = tf.reduce_sum(rows) + tf.reduce_sum(table**2)
kinds = [isinstance(tape.gradient(t, table), tf.IndexedSlices) for t in (rows, columns, with_penalty)]
assert kinds == [True, False, False]

# %% [markdown]
# ## Further reading
#
# - Pascanu, Mikolov and Bengio, *On the difficulty of training recurrent neural networks*, ICML 2013: why gradients
#   explode.
# - Kingma and Ba, *Adam: A Method for Stochastic Optimization*, ICLR 2015: why a factor cancels.
#
# Next, the loss itself has several parts: [12 · Several losses](12_multi_loss.ipynb).

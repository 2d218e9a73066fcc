# %% [markdown] part="Part III: what fit cannot say"
# # 17 · Learning to learn
#
# A new machine comes with only ten measurements, and your model should fit them after a single training step. You have
# pretrained it on many other machines, but one step barely moves it. So you decide to train *for* that step, which
# means that you have to differentiate through it. But the gradient you get is either `None` or a number that looks
# plausible but is wrong. In this lesson you write a training step that a tape can go through.
#
# **You will learn to**
#
# - write a training step as a function of the weights, and differentiate through it;
# - say what an assignment inside a step does to the gradient;
# - train a model so that it fits a new task after one step.
#
# **Before you start**: [06 · Higher-order gradients](06_higher_order.ipynb) and
# [10 · Fast loops](10_fast_loops.ipynb). **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import ExplainingTape, check, check_gradients, predict, start_lesson

start_lesson("17")

import keras
import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf

# %% [markdown]
# ## What is a task?
#
# So far, a network has learned one problem from many examples. Now it should learn a *new* problem from ten examples,
# in one step. Each such problem is called a **task**. For the machines above, each machine would be a task. Here, to
# keep it small, a task is a sine wave with its own amplitude and shift. The network learns the wave from ten of its
# points, the **support set**, and ten other points, the **query set**, show how well it has learned.


# %%
def draw_points(amplitude, shift):
    x = tf.random.uniform((len(shift), 10, 1), -5.0, 5.0)
    return x, amplitude * tf.sin(x - shift)


def draw_tasks(n):
    """Return (support, query) for n tasks, each a pair (x, y) of tensors of shape (n, 10, 1)."""
    amplitude = tf.random.uniform((n, 1, 1), 0.5, 5.0)
    shift = tf.random.uniform((n, 1, 1), 0.0, np.pi)
    return draw_points(amplitude, shift), draw_points(amplitude, shift)


# %% [markdown]
# The network is a plain function that takes its weights as an argument, so you can call it with any weights:


# %%
def new_weights():
    """Return six variables: three kernels, each followed by its bias."""
    random = np.random.RandomState(17)
    weights = []
    for rows, columns in ((1, 40), (40, 40), (40, 1)):
        kernel = random.normal(size=(rows, columns)) / np.sqrt(rows)
        bias = np.zeros((1, columns))
        weights += [tf.Variable(kernel, dtype=tf.float32), tf.Variable(bias, dtype=tf.float32)]
    return weights


def network(weights, x):
    kernel_1, bias_1, kernel_2, bias_2, kernel_3, bias_3 = weights
    hidden = tf.tanh(x @ kernel_1 + bias_1)
    hidden = tf.tanh(hidden @ kernel_2 + bias_2)
    return hidden @ kernel_3 + bias_3


def loss_of(weights, x, y):
    return tf.reduce_mean((network(weights, x) - y) ** 2)


# %% [markdown]
# ## What can one step do after pretraining?
#
# Start with plain pretraining, which trains one network on many tasks, 25 new ones in each training step. Since plain
# pretraining does not adapt to a task first, it uses only the query sets.


# %%
def train(name, gradients_of):
    """Train new weights for 2,000 steps of Adam, and return them.

    gradients_of(weights, support, query) computes the gradients of a step.
    """
    keras.utils.set_random_seed(17)
    weights = new_weights()
    optimizer = keras.optimizers.Adam(1e-3)
    optimizer.build(weights)

    @tf.function
    def take_200_steps():
        for _ in tf.range(200):
            support, query = draw_tasks(25)
            optimizer.apply(gradients_of(weights, support, query), weights)

    for part in range(10):
        take_200_steps()
        print(f"{name}: {200 * (part + 1)} of 2000 steps", end="\r")
    return weights


# %%
def pretraining(weights, support, query):
    with tf.GradientTape() as tape:
        loss = loss_of(weights, *query)
    return tape.gradient(loss, weights)


trained = {"pretraining": train("pretraining", pretraining)}

# %% [markdown]
# When a new task arrives, the network takes one step of gradient descent on its support set. This step is called the
# **inner step**. Note that `inner_step` changes no variables but returns *new* weights:


# %%
def inner_step(weights, x, y, lr=0.01):
    """Return the weights after one step on the points x, y."""
    with tf.GradientTape() as tape:
        tape.watch(weights)
        loss = loss_of(weights, x, y)
    gradients = tape.gradient(loss, weights)
    return [w - lr * g for w, g in zip(weights, gradients, strict=True)]


# %%
new_support, new_query = draw_tasks(500)
x_all, y_all = new_support
# the task with the largest |y|
tallest = np.argmax(np.max(np.abs(y_all), axis=(1, 2)))
x_task, y_task = x_all[tallest], y_all[tallest]  # both (10, 1)
x_line = tf.linspace(-5.0, 5.0, 101)[:, None]  # (101, 1)


def plot_step(name, before, after):
    fig, ax = plt.subplots(figsize=(4.8, 3))
    ax.plot(x_line, network(before, x_line), "--", label="before")
    ax.plot(x_line, network(after, x_line), label="after one step")
    ax.plot(x_task, y_task, "k.", markersize=8)
    ax.set(xlabel="x", ylabel="y", title=name)
    ax.legend()


# %% [markdown]
# Take one step on the task with the tallest wave. In the figure, look at how far this step moves the curve toward the
# ten points:

# %%
before = trained["pretraining"]
after = inner_step(before, x_task, y_task)
plot_step("pretraining", before, after)

print(f"loss before the step: {loss_of(before, x_task, y_task):.1f}")
print(f"loss after one step:  {loss_of(after, x_task, y_task):.1f}")

# %% tags=["claims"]
query = draw_tasks(500)[1]
assert loss_of(trained["pretraining"], *query) < 0.8 * loss_of(new_weights(), *query)
assert loss_of(after, x_task, y_task) > 0.5 * loss_of(before, x_task, y_task)

# %% [markdown]
# The curve hardly moves. Pretraining makes the loss small *before* the step, and does not look for weights that one
# step can improve. So change the goal: minimize the loss *after* the step. For that, you need the gradient of this loss
# with respect to the weights *before* the step.
#
# ## Can a tape go through a training step?
#
# Try it with a single weight, w = 3. Let the support loss be (w - 1)², whose gradient at w = 3 is 4. A step with a
# learning rate of 0.1 then leads to w' = 3 - 0.1 · 4 = 2.6. Let the query loss after the step be (w' - 5)².
#
# By hand, $w' = w - 0.1 \cdot 2 (w - 1) = 0.8\, w + 0.2$. So if w changes a little, w' changes 0.8 times as much. With
# respect to w', the slope of the query loss is 2 (2.6 - 5) = -4.8. By the chain rule, its slope with respect to the
# *starting* w is therefore -4.8 · 0.8 = -3.84.
#
# To compute this slope in TensorFlow, you need two tapes: the *inner* tape gives you the gradient for the step, and the
# *outer* tape records both the step and the query loss.
#
# > **Predict**
# >
# > Inside the block of the outer tape, you take the step with `w.assign_sub(0.1 * gradient)` and then compute the query
# > loss from `w`. What does the outer tape return as the gradient of the query loss with respect to `w`?

# %%
predict("17.b", "")

# %%
w = tf.Variable(3.0)

with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        support_loss = (w - 1) ** 2
    w.assign_sub(0.1 * inner.gradient(support_loss, w))
    query_loss = (w - 5) ** 2
by_assigning = outer.gradient(query_loss, w)

print(f"w = {w.numpy():.1f}, gradient {by_assigning.numpy():.2f}")

# %% [markdown]
# The result is -4.80, without the factor 0.8. An assignment stores a number in the variable, and no path leads from
# that number back to the old w. The query loss then reads w again, so what you get is the slope at the *new* w, and
# nothing warns you.
#
# The assignment has another drawback: it changes w itself. To avoid that, many people take the step on a copy of the
# variable. `ExplainingTape` shows what happens then:

# %%
w = tf.Variable(3.0)

with ExplainingTape() as outer:
    copy = tf.Variable(w)
    with tf.GradientTape() as inner:
        support_loss = (copy - 1) ** 2
    copy.assign_sub(0.1 * inner.gradient(support_loss, copy))
    query_loss = (copy - 5) ** 2

print("gradient:", outer.gradient(query_loss, w))
(explanation,) = outer.explain()
print("cause:   ", explanation.cause)
print("line:    ", explanation.where.text)

# %% tags=["claims"]
assert outer.explanations[0].gradient == "None" and w == 3.0

# %% [markdown]
# Creating a variable also just stores a number, so `tf.Variable(w)` cuts the path before the step has even begun. And
# this time nothing after the cut reads w again, so the gradient is `None`.
#
# Two rules keep the path intact. First, do not assign, but compute a **new tensor**, `w - 0.1 * gradient`. Second, call
# `inner.gradient` *inside* the block of the outer tape, so that this tape also records how the gradient depends on w:


# %%
def loss_after_step(w):
    with tf.GradientTape() as inner:
        inner.watch(w)
        support_loss = (w - 1) ** 2
    new_w = w - 0.1 * inner.gradient(support_loss, w)
    return (new_w - 5) ** 2


with tf.GradientTape() as outer:
    query_loss = loss_after_step(w)

print(f"gradient {outer.gradient(query_loss, w).numpy():.2f}")
print("check:", check_gradients(loss_after_step, tf.constant(3.0)).passed)

# %% tags=["claims"]
with tf.GradientTape() as outer:
    query_loss = loss_after_step(w)
assert np.isclose(outer.gradient(query_loss, w), -3.84) and w == 3.0
assert np.isclose(by_assigning, -4.8)
assert check_gradients(loss_after_step, tf.constant(3.0)).passed


def first_order_loss(w):
    with tf.GradientTape() as inner:
        inner.watch(w)
        support_loss = (w - 1) ** 2
    return (w - 0.1 * tf.stop_gradient(inner.gradient(support_loss, w)) - 5) ** 2


with tf.GradientTape() as outer:
    query_loss = first_order_loss(w)
assert np.isclose(outer.gradient(query_loss, w), -4.8)
assert not check_gradients(first_order_loss, tf.constant(3.0)).passed

# %% [markdown]
# This is the slope that you computed by hand, and `check_gradients` confirms it.
#
# ### Exercise 17.1: repair
#
# This function takes one step on the support set and computes the mean squared error on the query set. It should return
# the gradients of that error with respect to `W` and `b`, the weights *before* the step, so the path must lead through
# the step. At the moment, both gradients are `None`. Fix the function without changing the values of `W` and `b`.


# %% exercise="17.1"
def meta_gradients(W, b, support, query, lr):
    # W (d, 1) and b (1,) are variables; support and query are pairs of x (n, d) and y (n, 1).
    with tf.GradientTape() as outer:
        # Take the step from W and b, and call what it leads to fast_W and fast_b.
        ### BEGIN SOLUTION
        #| fast_W, fast_b = tf.Variable(W), tf.Variable(b)
        #| with tf.GradientTape() as inner:
        #|     x, y = support
        #|     support_loss = tf.reduce_mean((x @ fast_W + fast_b - y) ** 2)
        #| for_W, for_b = inner.gradient(support_loss, [fast_W, fast_b])
        #| fast_W.assign_sub(lr * for_W)
        #| fast_b.assign_sub(lr * for_b)
        with tf.GradientTape() as inner:
            x, y = support
            support_loss = tf.reduce_mean((x @ W + b - y) ** 2)
        for_W, for_b = inner.gradient(support_loss, [W, b])
        fast_W, fast_b = W - lr * for_W, b - lr * for_b
        ### END SOLUTION
        x, y = query
        query_loss = tf.reduce_mean((x @ fast_W + fast_b - y) ** 2)
    return outer.gradient(query_loss, [W, b])


# %%
check("17.1", meta_gradients)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Which lines store a number in a variable? Creating a variable counts, too.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Compute the support loss from `W` and `b` themselves, without copies. Then compute `fast_W` and `fast_b` from them as
# new tensors.
#
# </details>

# %% [markdown]
# ## How do I call a Keras model with other weights?
#
# A Keras layer owns its variables, and the model uses them when you call it. But an inner step gives you *new* weights,
# often called *fast weights*. To run the model with them, use `model.stateless_call`, which takes the values as an
# argument. Its three arguments are the values of the trainable variables, the values of the other variables, and the
# input. It returns the output, and new values for the other variables.
#
# > **Predict**
# >
# > Inside the block of a tape, you compute a list `fast` by adding 1 to each of the model's variables. You then pass
# > `fast` to `stateless_call` to compute the output. What is the gradient of this output with respect to
# > `model.trainable_variables`?

# %%
predict("17.c", "")

# %%
model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(3, "tanh"), keras.layers.Dense(1)])
others = [v.value for v in model.non_trainable_variables]  # none here

with tf.GradientTape() as tape:
    fast = [v + 1.0 for v in model.trainable_variables]
    output, _ = model.stateless_call(fast, others, x_line)

gradients = tape.gradient(output, model.trainable_variables)
for variable, gradient in zip(model.trainable_variables, gradients, strict=True):
    print(variable.path, gradient.numpy().ravel().round(1))

# %% tags=["claims"]
with tf.GradientTape() as tape:
    fast = [v + 1.0 for v in model.trainable_variables]
    output, _ = model.stateless_call(fast, others, x_line)
assert np.allclose(tape.gradient(output, model.trainable_variables)[-1], len(x_line))
unchanged = model.get_weights()
model.set_weights(fast)
assert np.allclose(output, model(x_line), atol=1e-5)
model.set_weights(unchanged)

# %% [markdown]
# None of the gradients is `None`. The layers' own variables were not used directly, but `fast` was computed from them
# inside the block, so a path leads from the output through `fast` back to them. Their values have not changed.
#
# ## How do I take the step for 25 tasks at once?
#
# Each training step draws 25 tasks, and after an inner step, each task has weights of its own. To hold them all, give
# each weight a new first axis with one entry per task, so that a kernel of shape (40, 40) becomes one of shape (25, 40,
# 40). `network` can stay as it is, because `@` multiplies the matrices of each task separately.
#
# The loss of a task depends only on that task's copy of the weights. So you can add up the losses of all tasks and take
# the gradient of the *sum*: its entry i is the gradient for task i. Compared with `inner_step`, only the loss is
# different:


# %%
def for_each_task(weights, n):
    """Return n copies of each weight: (rows, columns) becomes (n, rows, columns)."""
    return [tf.tile(w[None], [n, 1, 1]) for w in weights]


def inner_steps(weights, x, y, lr=0.01):
    """Take an inner step in n tasks at once; each weight has shape (n, rows, columns)."""
    with tf.GradientTape() as tape:
        tape.watch(weights)
        # (n,)
        losses = tf.reduce_mean((network(weights, x) - y) ** 2, axis=(1, 2))
        loss = tf.reduce_sum(losses)
    gradients = tape.gradient(loss, weights)
    return [w - lr * g for w, g in zip(weights, gradients, strict=True)]


# %%
two_tasks = [points[:2] for points in new_support]
together = inner_steps(for_each_task(before, 2), *two_tasks)
second_alone = inner_step(before, two_tasks[0][1], two_tasks[1][1])

print("weights of the second task, together:", together[0][1, 0, :3].numpy().round(4))
print("weights of the second task, alone:   ", second_alone[0][0, :3].numpy().round(4))

# %% tags=["claims"]
for batched, single in zip(together, second_alone, strict=True):
    assert np.allclose(batched[1], single, atol=1e-5)

# %% [markdown]
# ## Does training for the step help?
#
# **MAML** (model-agnostic meta-learning) looks for good *starting weights*. For each task, it takes one inner step on
# the support set and computes the query loss after that step. It then changes the starting weights so that this loss
# becomes smaller. In `maml`, `tape` is the outer tape, and the inner one is inside the function that takes the inner
# step:


# %%
def maml(weights, support, query):
    with tf.GradientTape() as tape:
        fast = inner_steps(for_each_task(weights, 25), *support)
        loss = loss_of(fast, *query)
    return tape.gradient(loss, weights)


trained["MAML"] = train("MAML", maml)

# %% [markdown]
# Now compare the two sets of starting weights, from pretraining and from MAML, on 500 new tasks. For each task, take
# ten inner steps on the support set and watch the query loss.
#
# > **Predict**
# >
# > Consider the query loss *before* the first inner step. Will it be clearly lower, by 0.3 or more, for MAML than for
# > pretraining?

# %%
predict("17.d", "")


# %%
def losses_after(weights, support, query, steps=10):
    """Return the mean query loss before the first step and after each, a list of steps + 1."""
    fast = for_each_task(weights, 500)
    losses = [float(loss_of(fast, *query))]
    for _ in range(steps):
        fast = inner_steps(fast, *support)
        losses.append(float(loss_of(fast, *query)))
    return losses


query_losses = {}
for name, weights in trained.items():
    losses = query_losses[name] = losses_after(weights, new_support, new_query)
    print(f"{name:12} before {losses[0]:.1f}, after 1: {losses[1]:.1f}, after 10: {losses[10]:.1f}")

# %% tags=["claims"]
with_maml, with_pretraining = query_losses["MAML"], query_losses["pretraining"]
assert with_maml[0] > with_pretraining[0] - 0.3
assert 2 * with_maml[1] < 0.9 * with_pretraining[0] < with_pretraining[1]
assert with_maml[10] < 0.6 * with_pretraining[10]
sizes = (0.001, 0.003, 0.01, 0.03, 0.1)
copies = for_each_task(trained["pretraining"], 500)
by_size = [loss_of(inner_steps(copies, *new_support, lr=lr), *new_query) for lr in sizes]
assert min(by_size) > 2 * with_maml[1]

# %% [markdown]
# No, before the first step the two losses are about equal. At that point, a network knows nothing about the task, so
# the best it can do is predict the average over all tasks, and that is what pretraining has learned. After one step,
# however, MAML's loss is less than half of pretraining's. To see the difference, take the same task as above and look
# at how far one step moves the curve this time:

# %%
before = trained["MAML"]
after = inner_step(before, x_task, y_task)
plot_step("MAML", before, after)

print(f"loss before the step: {loss_of(before, x_task, y_task):.1f}")
print(f"loss after one step:  {loss_of(after, x_task, y_task):.1f}")

# %% tags=["claims"]
assert loss_of(after, x_task, y_task) < 0.5 * loss_of(before, x_task, y_task)

# %% [markdown]
# Now a single step does most of the work. What MAML has found is not weights that solve the task, but weights that
# *learn* it quickly.

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open the answer.
#
# <details><summary>1. The inner step ends in <code>optimizer.apply(gradients, variables)</code>, inside the outer tape. The outer
# gradient is a number. What does it measure?</summary>
#
# It is the slope at the new weights. `apply` assigns to the variables, so the path through the step is lost.
#
# </details>
# <details><summary>2. You call <code>inner.gradient</code> before the outer block begins, and compute the new weights inside it. Which part of the outer gradient is left?</summary>
#
# Only the slope at the new weights. Because the outer tape did not record how the inner gradient was computed, it
# treats that gradient as a constant.
#
# </details>
# <details><summary>3. Which loss tells you whether a network learns new tasks quickly?</summary>
#
# The query loss *after* the steps on the support set.
#
# </details>

# %% [markdown]
# ## Recap
#
# - Write an inner step as a function of the weights that returns new tensors and never calls `assign`.
# - Call `inner.gradient` inside the outer block.
# - A gradient that is not `None` can still be wrong: after an `assign`, it is the slope at the new weights.
# - Use `model.stateless_call` to run a Keras model with other weights.
#
# ```python
# with tf.GradientTape() as outer:
#     with tf.GradientTape() as inner:
#         support_loss = loss_of(weights, *support)
#     gradients = inner.gradient(support_loss, weights)
#     fast = [w - lr * g for w, g in zip(weights, gradients)]
#     query_loss = loss_of(fast, *query)
# meta_gradients = outer.gradient(query_loss, weights)
# ```
#
# **To remember**: an assignment cuts the path through a training step, but a new tensor keeps it intact.

# %% [markdown]
# ## Going deeper
#
# Several steps on a Keras model, cheaper directions for the start, and what pretraining learns.

# %% [markdown]
# ### Can I take several steps on a Keras model?
#
# Yes: with `stateless_call`, each step makes the next list of weights. Every step adds to what the outer tape keeps, so the
# memory of MAML grows with the number of steps.
#
# ### Exercise 17.2: complete
#
# Return the trainable weights after `steps` steps of gradient descent on the mean squared error, as a list of tensors in the
# model's order. Do not change the model. The check takes gradients *through* your steps.


# %% exercise="17.2"
def adapt(model, x, y, lr, steps):
    """Return the weights after the steps; x and y have shapes (n, 2) and (n, 1)."""
    others = [v.value for v in model.non_trainable_variables]
    weights = [tf.identity(v) for v in model.trainable_variables]
    # Take the steps, and return the new weights.
    ### BEGIN SOLUTION
    for _ in range(steps):
        with tf.GradientTape() as tape:
            tape.watch(weights)
            y_hat, _ = model.stateless_call(weights, others, x)
            loss = tf.reduce_mean((y_hat - y) ** 2)
        gradients = tape.gradient(loss, weights)
        weights = [w - lr * g for w, g in zip(weights, gradients, strict=True)]
    return weights
    ### END SOLUTION


# %%
check("17.2", adapt)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# `weights` are tensors. What must you tell the tape before you use them?
#
# </details>
# <details><summary>Hint 2</summary>
#
# In each step, call `tape.watch(weights)` and `output, _ = model.stateless_call(weights, others, x)`, and compute the loss. Then
# take the gradients, and make a new list of tensors `w - lr * g`.
#
# </details>

# %% [markdown]
# ### Is there a cheaper direction?
#
# In the example with one weight, the factor 0.8 is 1 minus the step size times the *second* derivative of the support
# loss. If that product is small, you can leave it out. There are two well-known methods:
#
# - **First-order MAML** treats the inner gradients as constants. Compute the inner step outside the outer block, and add
#   its change to the weights inside. You get the slope at the new weights, as with the `assign_sub` above, but without
#   changing a variable.
# - **Reptile** needs no query set and no outer tape. Take a few inner steps in each task, and move the starting weights
#   toward the average of where they end.


# %%
def first_order_maml(weights, support, query):
    copies = for_each_task(weights, 25)
    changes = [f - c for f, c in zip(inner_steps(copies, *support), copies, strict=True)]
    with tf.GradientTape() as tape:
        copies = for_each_task(weights, 25)
        fast = [c + change for c, change in zip(copies, changes, strict=True)]
        loss = loss_of(fast, *query)
    return tape.gradient(loss, weights)


def reptile(weights, support, query, steps=3):
    fast = for_each_task(weights, 25)
    for _ in range(steps):
        fast = inner_steps(fast, *support)
    return [w - tf.reduce_mean(f, axis=0) for w, f in zip(weights, fast, strict=True)]


trained["first-order MAML"] = train("first-order MAML", first_order_maml)
trained["Reptile"] = train("Reptile", reptile)

# %% [markdown]
# Reptile passes Adam the starting weights minus the average of the ends. This is not the gradient of any loss that
# Reptile computes, but Adam can use it as a direction. The figure compares all four sets of starting weights. Look at
# what the first step does to each of them:

# %%
for name, weights in trained.items():
    query_losses[name] = losses_after(weights, new_support, new_query)

fig, ax = plt.subplots(figsize=(6.4, 3.6))
for name, losses in query_losses.items():
    (line,) = ax.plot(losses, "--" if name == "pretraining" else "-")
    where = {"xytext": (5, {"first-order MAML": 7, "MAML": -7}.get(name, 0)), "va": "center"}
    ax.annotate(name, (10, losses[10]), textcoords="offset points", color=line.get_color(), **where)
labels = ax.set(xlabel="steps on the support set", ylabel="query loss", ylim=(0, None), xlim=(0, 13.5))
ticks = ax.set_xticks([0, 1, 5, 10])

# %% tags=["claims"]
assert query_losses["MAML"][1] == min(losses[1] for losses in query_losses.values())
assert all(losses[0] > query_losses["pretraining"][0] - 0.3 for losses in query_losses.values())
assert all(
    losses[10] < 0.6 * query_losses["pretraining"][10]
    for name, losses in query_losses.items()
    if name != "pretraining"
)
few = draw_tasks(25)
start = [tf.constant(w) for w in trained["pretraining"]]


def loss_after_inner_step(*weights):
    return loss_of(inner_steps(for_each_task(weights, 25), *few[0]), *few[1])


passed = []
for method in (maml, first_order_maml):
    gradients = method(trained["pretraining"], *few)
    passed.append(check_gradients(loss_after_inner_step, start, grads=gradients).passed)
assert passed == [True, False]

# %% [markdown]
# All three leave pretraining far behind. MAML, which was trained for exactly one step, has the lowest loss after one.
#
# ### Exercise 17.3: predict
#
# Take one weight w = 2, the support loss w², an inner learning rate of 0.25, and the query loss (w' + 2)². For each of
# these, give a number or `None`:
#
# 1. the gradient with which MAML trains;
# 2. the gradient of first-order MAML;
# 3. what Reptile passes to its optimizer after one inner step, w - w';
# 4. MAML's gradient, if w' is `tf.Variable(w)` moved by `assign_sub`.

# %% exercise="17.3"
# A list of four, each a number or None.
### BEGIN SOLUTION
four_directions = [3.0, 6.0, 1.0, None]
### END SOLUTION

# %%
check("17.3", four_directions)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Where does the step lead? What is the slope of the query loss there?
#
# </details>
# <details><summary>Hint 2</summary>
#
# w' = w - 0.25 · 2w. How fast does w' change with w?
#
# </details>
#
# Here are all four, computed with a tape:

# %%
w, answers = tf.Variable(2.0), []
for keep in (tf.identity, tf.stop_gradient, tf.Variable):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            support_loss = w**2
        step = 0.25 * inner.gradient(support_loss, w)
        fast = tf.Variable(w).assign_sub(step) if keep is tf.Variable else w - keep(step)
        query_loss = (fast + 2) ** 2
    answers.append(outer.gradient(query_loss, w))
answers.insert(2, w - fast)

print([None if answer is None else float(answer) for answer in answers])

# %% tags=["claims"]
assert answers == [3.0, 6.0, 1.0, None]

# %% [markdown]
# ### Exercise 17.4: repair
#
# Write a step of Reptile. In each task, take `steps` steps of gradient descent from the *same* start. Then move every
# variable from the start toward the average of the tasks' end points, by the fraction `outer_lr` of the distance.
# Right now, the function just trains on one task after another. It has two bugs.


# %% exercise="17.4"
def reptile_step(weights, tasks, inner_lr, outer_lr, steps):
    # weights is a list of variables; each task maps a list of variables or tensors to its loss.
    ### BEGIN SOLUTION
    #| start = weights
    #| for task in tasks:
    #|     for _ in range(steps):
    #|         with tf.GradientTape() as tape:
    #|             loss = task(weights)
    #|         for w, gradient in zip(weights, tape.gradient(loss, weights)):
    #|             w.assign_sub(inner_lr * gradient)
    #| for w, w_start in zip(weights, start):
    #|     w.assign(w_start + outer_lr * (w - w_start))
    start = [w.numpy() for w in weights]
    ends = []
    for task in tasks:
        for w, w_start in zip(weights, start, strict=True):
            w.assign(w_start)
        for _ in range(steps):
            with tf.GradientTape() as tape:
                loss = task(weights)
            for w, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
                w.assign_sub(inner_lr * gradient)
        ends.append([w.numpy() for w in weights])
    for w, w_start, *w_ends in zip(weights, start, *ends, strict=True):
        w.assign(w_start + outer_lr * (sum(w_ends) / len(tasks) - w_start))
    ### END SOLUTION


# %%
check("17.4", reptile_step)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# After `start = weights`, what is `start[0] is weights[0]`? And where does the second task start?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `w.numpy()` copies a value. Put the start back into the variables before each task, and keep the ends of every task in a list.
#
# </details>

# %% [markdown]
# ### What does pretraining learn?
#
# > **Predict**
# >
# > An x says nothing about the amplitude and the shift. The mean task has the amplitude 2.75 and the shift π/2. What does the
# > pretrained network return, over all x?

# %%
predict("17.a", "")

# %%
learned = network(trained["pretraining"], x_line)
mean_task = 2.75 * tf.sin(x_line - np.pi / 2)
guesses = {"zero": 0 * x_line, "mean task": mean_task, "a lower wave": 1.75 / 2.75 * mean_task}

for name, guess in guesses.items():
    print(f"{name:12} root mean squared difference {np.sqrt(np.mean((learned - guess) ** 2)):.1f}")

# %% tags=["claims"]
errors = {name: np.sqrt(np.mean((learned - guess) ** 2)) for name, guess in guesses.items()}
best, second, _ = sorted(errors.values())
assert errors["a lower wave"] == best < 0.5 and 2 * best < second

# %% [markdown]
# A wave like that of the mean task, but lower. Averaged over all shifts, the waves partly cancel, and the amplitude that is
# left is 2.75 · 2/π, about 1.75.

# %% [markdown]
# ## Further reading
#
# - Finn, Abbeel and Levine, *Model-agnostic meta-learning for fast adaptation of deep networks*, ICML 2017: these waves, and MAML.
# - Nichol, Achiam and Schulman, *On first-order meta-learning algorithms* (2018): Reptile, and why it works.
# - Rajeswaran et al., *Meta-learning with implicit gradients*, NeurIPS 2019: many inner steps without their memory.
#
# Next, choose what to train on: [18 · Choosing examples](18_choosing_examples.ipynb).

# %% [markdown] part="Part III: what fit cannot say"
# # 17 · Learning to learn
#
# A new machine brings ten measurements, and the model should fit it after one step. You pretrained on many machines,
# but one step barely moves the model. So you train *for* that step: you differentiate through it. But the gradient
# that you get is `None`, or a plausible number that is wrong. In this lesson you write a training step that a tape
# can go through.
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
# ## What does one step do for a new task?
#
# Here a **task** is a sine wave with its own amplitude and shift. You get ten points of it to learn from, the **support**
# set. Ten others, the **query** set, measure what was learned.


# %%
def draw_tasks(n):
    """Return the support and the query sets of n tasks: each a pair of x and y, (n, 10, 1)."""
    amplitude = tf.random.uniform((n, 1, 1), 0.5, 5.0)
    shift = tf.random.uniform((n, 1, 1), 0.0, np.pi)

    def draw_points():
        x = tf.random.uniform((n, 10, 1), -5.0, 5.0)
        return x, amplitude * tf.sin(x - shift)

    return draw_points(), draw_points()


# %% [markdown]
# The network is a plain function, and its weights are an argument. So you can call it with any weights you like.


# %%
def new_weights():
    """Return six variables: three kernels, each followed by its bias."""
    random, weights = np.random.RandomState(17), []
    for rows, columns in ((1, 40), (40, 40), (40, 1)):
        kernel = random.normal(size=(rows, columns)) / np.sqrt(rows)
        weights += [tf.Variable(kernel, dtype=tf.float32), tf.Variable(tf.zeros((1, columns)))]
    return weights


def network(weights, x):
    kernel_1, bias_1, kernel_2, bias_2, kernel_3, bias_3 = weights
    hidden = tf.tanh(x @ kernel_1 + bias_1)
    return tf.tanh(hidden @ kernel_2 + bias_2) @ kernel_3 + bias_3


def loss_of(weights, x, y):
    return tf.reduce_mean((network(weights, x) - y) ** 2)


# %% [markdown]
# First, plain pretraining: train one network on all tasks, with 25 new tasks in each step.


# %%
def train(name, gradients_of):
    """Take 2,000 steps of Adam with gradients_of(weights, support, query); return the weights."""
    keras.utils.set_random_seed(17)
    weights, optimizer = new_weights(), keras.optimizers.Adam(1e-3)
    optimizer.build(weights)

    @tf.function
    def take_200_steps():
        for _ in tf.range(200):
            optimizer.apply(gradients_of(weights, *draw_tasks(25)), weights)

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
# Now a new task arrives. `inner_step` takes one step of gradient descent on its support set. It changes no variable: it
# returns *new* weights.


# %%
def inner_step(weights, x, y, keep=tf.identity, lr=0.01):
    """Return the weights after one step on the support set.

    Going deeper passes another function as keep, which is applied to the gradients.
    """
    with tf.GradientTape() as tape:
        tape.watch(weights)
        # the sum over tasks, because each task has its own weights
        loss = tf.reduce_sum(tf.reduce_mean((network(weights, x) - y) ** 2, axis=(-2, -1)))
    gradients = tape.gradient(loss, weights)
    return [w - lr * keep(g) for w, g in zip(weights, gradients, strict=True)]


x_line = tf.linspace(-5.0, 5.0, 101)[:, None]  # (101, 1)
new_tasks = draw_tasks(500)
# the task with the largest amplitude
largest = np.argmax(np.max(np.abs(new_tasks[0][1]), axis=(1, 2)))
# (10, 1) both
x_task, y_task = (points[largest] for points in new_tasks[0])

# %%
def plot_step(name):
    fig, ax = plt.subplots(figsize=(4.8, 3))
    start = [tf.constant(w) for w in trained[name]]
    stages = {"before": start, "after one step": inner_step(start, x_task, y_task)}
    for style, (label, weights) in zip(("--", "-"), stages.items(), strict=True):
        curve = network(weights, x_line)[:, 0]
        (line,) = ax.plot(x_line[:, 0], curve, style)
        where = {"xytext": (4, -7 if style == "--" else 7), "textcoords": "offset points"}
        ax.annotate(label, (5, curve[-1]), color=line.get_color(), va="center", **where)
    ax.plot(x_task[:, 0], y_task[:, 0], "k.", markersize=8)
    ax.set(xlabel="x", ylabel="y", title=name, xlim=(-5.2, 10))
    return stages


# %% [markdown]
# In the figure, look at how far one step moves the curve toward the ten points:

# %%
stages = plot_step("pretraining")

losses = {label: float(loss_of(weights, x_task, y_task)) for label, weights in stages.items()}
print("loss on the ten points:", {label: f"{loss:.1f}" for label, loss in losses.items()})

# %% tags=["claims"]
query = draw_tasks(500)[1]
assert loss_of(trained["pretraining"], *query) < 0.8 * loss_of(new_weights(), *query)
assert losses["after one step"] > 0.5 * losses["before"]

# %% [markdown]
# It hardly moves. Pretraining makes the loss small *before* the step. Nothing asked for weights that one step can
# improve. So ask for that: minimize the loss *after* the step. For this you need the gradient of that loss with
# respect to where the step *started*.
#
# ## Can a tape go through a training step?
#
# Try it with one weight, w = 3. The support loss (w - 1)² has the gradient 4, and a step of 0.1 leads to w' = 2.6. The query
# loss there is (w' - 5)².
#
# By hand, $w' = w - 0.1 \cdot 2 (w - 1) = 0.8\, w + 0.2$. So with respect to the *starting* w, the slope of the query
# loss is 2 (2.6 - 5) · 0.8 = -3.84. The 0.8 says how much w' changes when w changes.
#
# > **Predict**
# >
# > You take the step with `assign_sub`, inside the block of the outer tape. What does the outer tape return?

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
# It returns -4.80, the slope at the *new* w: 2 (2.6 - 5). The factor 0.8 is missing. An assignment stores a number in the
# variable, and the tape has no path through it. Nothing warns you.
#
# To keep w where it is, many people take the step on a copy. `ExplainingTape` says what happens then:

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
# `tf.Variable(w)` also stores a number, so the path is cut at once. To keep the path, compute a **new tensor**,
# `w - 0.1 * gradient`, and call `inner.gradient` *inside* the outer block, so that the outer tape also records how
# the gradient depends on w:


# %%
def loss_after_step(w, keep=tf.identity):
    with tf.GradientTape() as inner:
        inner.watch(w)
        support_loss = (w - 1) ** 2
    new_w = w - 0.1 * keep(inner.gradient(support_loss, w))
    return (new_w - 5) ** 2


with tf.GradientTape() as outer:
    query_loss = loss_after_step(w)

print(f"gradient {outer.gradient(query_loss, w).numpy():.2f}")
print("check:", check_gradients(loss_after_step, tf.constant(3.0)).passed)

# %% tags=["claims"]
with tf.GradientTape(persistent=True) as outer:
    exact, first_order = loss_after_step(w), loss_after_step(w, tf.stop_gradient)
assert np.isclose(outer.gradient(exact, w), -3.84) and w == 3.0
assert np.isclose(outer.gradient(first_order, w), -4.8) and np.isclose(by_assigning, -4.8)
assert check_gradients(loss_after_step, tf.constant(3.0)).passed
assert not check_gradients(lambda w: loss_after_step(w, tf.stop_gradient), tf.constant(3.0)).passed

# %% [markdown]
# This is the slope that you found by hand, and `check_gradients` agrees with it.
#
# ### Exercise 17.1: repair
#
# This function takes one step on the support set, and computes the mean squared error on the query set. It should return the
# gradients of that error with respect to `W` and `b` as they are *before* the step, through the step. It returns two `None`.
# Do not change the two variables.


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
# Which lines store a number in a variable? The first value of a variable is stored, too.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Let the inner tape use `W` and `b` themselves. Compute `fast_W` and `fast_b` from them as new tensors.
#
# </details>

# %% [markdown]
# ## How do I call a Keras model with other weights?
#
# A Keras layer owns its variables, and calling the model uses those. `model.stateless_call` takes three arguments:
# values for the trainable variables, values for the other variables, and the input. It returns the output, and the
# new values of the other variables.
#
# > **Predict**
# >
# > You compute `fast` from the model's variables, and the output from `fast`, all inside the block. What is the gradient with
# > respect to `model.trainable_variables`?

# %%
predict("17.c", "")

# %%
model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(3, "tanh"), keras.layers.Dense(1)])
others = [v.value for v in model.non_trainable_variables]  # none here

with tf.GradientTape() as tape:
    fast = [v + 1.0 for v in model.trainable_variables]
    output, _ = model.stateless_call(fast, others, x_line)

for variable, gradient in zip(
    model.trainable_variables, tape.gradient(output, model.trainable_variables), strict=True
):
    print(variable.path, "None" if gradient is None else gradient.numpy().ravel().round(1))

# %% tags=["claims"]
with tf.GradientTape() as tape:
    fast = [v + 1.0 for v in model.trainable_variables]
    output, _ = model.stateless_call(fast, others, x_line)
assert np.allclose(tape.gradient(output, model.trainable_variables)[-1], len(x_line))
before = model.get_weights()
model.set_weights(fast)
assert np.allclose(output, model(x_line), atol=1e-5)
model.set_weights(before)

# %% [markdown]
# Every gradient is a number. `fast` is a list of new tensors, so the path goes from the output through `fast` to the
# variables. The variables themselves do not change.
#
# ## Does training for the step help?
#
# **MAML** (model-agnostic meta-learning) trains the starting weights, the *start*, with the gradient of the query
# loss after one step. It does this for 25 tasks at once, and each task needs its own weights after the step. So give
# each weight an axis for the tasks: a kernel of shape (40, 40) becomes (25, 40, 40). No loss depends on another
# task's copy, so one gradient of the *sum* of the losses holds the gradient of every task.


# %%
def for_each_task(weights, n):
    """Return n copies of each weight: (rows, columns) becomes (n, rows, columns)."""
    return [tf.tile(w[None], [n, 1, 1]) for w in weights]


def maml(weights, support, query, keep=tf.identity):
    with tf.GradientTape() as tape:
        fast = inner_step(for_each_task(weights, len(support[0])), *support, keep)
        loss = loss_of(fast, *query)
    return tape.gradient(loss, weights)


trained["MAML"] = train("MAML", maml)

# %% [markdown]
# Compare the two starts on 500 new tasks, with ten steps on each support set.
#
# > **Predict**
# >
# > *Before* the first step, is MAML's query loss at least 0.3 lower than that of pretraining?

# %%
predict("17.d", "")


# %%
def losses_after(weights, support, query, steps=10):
    """Return the mean query loss before the first step and after each, (steps + 1,)."""
    fast, losses = for_each_task(weights, 500), []
    for _ in range(steps + 1):
        losses.append(float(loss_of(fast, *query)))
        fast = inner_step(fast, *support)
    return losses


after = {name: losses_after(weights, *new_tasks) for name, weights in trained.items()}
for name, losses in after.items():
    print(f"{name:12} before {losses[0]:.1f}, after 1: {losses[1]:.1f}, after 10: {losses[10]:.1f}")

# %% tags=["claims"]
assert after["MAML"][0] > after["pretraining"][0] - 0.3
assert 2 * after["MAML"][1] < 0.9 * after["pretraining"][0] < after["pretraining"][1]
assert after["MAML"][10] < 0.6 * after["pretraining"][10]
sizes = (0.001, 0.003, 0.01, 0.03, 0.1)
copies = for_each_task(trained["pretraining"], 500)
by_size = [loss_of(inner_step(copies, *new_tasks[0], lr=lr), *new_tasks[1]) for lr in sizes]
assert min(by_size) > 2 * after["MAML"][1]

# %% [markdown]
# No. Before any step, a network knows nothing about the new task. The best answer is then the average over all tasks,
# and that is what pretraining has learned. After one step, MAML's loss is less than half that of pretraining. The
# figure shows the same task as above:

# %%
stages = plot_step("MAML")

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open it.
#
# <details><summary>1. The inner step ends in <code>optimizer.apply(gradients, variables)</code>, inside the outer tape. The outer
# gradient is a number. Which one?</summary>
#
# The slope at the new weights. `apply` assigns, and the path through the step is lost.
#
# </details>
# <details><summary>2. You call <code>inner.gradient</code> before the outer block begins. What does the outer gradient still contain?</summary>
#
# For the outer tape, the inner gradient is then a constant. So you get only the slope at the new weights.
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
# - Write an inner step as a function of the weights. It returns new tensors, and uses no `assign`.
# - Call `inner.gradient` inside the outer block.
# - Do not trust a number: after an `assign`, you get the slope at the new weights.
# - Run a Keras model with other weights by `stateless_call`.
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
# **To remember**: an assignment cuts the path through a step, and a new tensor keeps it.

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
# In the example with one weight, the factor 0.8 is 1 minus the step size times the *second* derivative of the support loss. If
# that product is small, you may ignore it. There are two well-known ways:
#
# - **First-order MAML** puts `tf.stop_gradient` around the inner gradient. You get the slope at the new weights, as with the
#   `assign_sub` above, but without moving a variable.
# - **Reptile** needs no query set and no outer tape. Take a few inner steps in each task, and move the start toward
#   the average of where they end.


# %%
def first_order_maml(weights, support, query):
    return maml(weights, support, query, tf.stop_gradient)


def reptile(weights, support, query, steps=3):
    fast = for_each_task(weights, len(support[0]))
    for _ in range(steps):
        fast = inner_step(fast, *support)
    return [w - tf.reduce_mean(f, axis=0) for w, f in zip(weights, fast, strict=True)]


trained["first-order MAML"] = train("first-order MAML", first_order_maml)
trained["Reptile"] = train("Reptile", reptile)

# %% [markdown]
# Reptile passes Adam the start minus the average of the ends. This is not the gradient of any loss that Reptile
# computes, but Adam can use it as a direction. The figure compares all four starts. Look at what the first step does
# to each of them:

# %%
after = {name: losses_after(weights, *new_tasks) for name, weights in trained.items()}

fig, ax = plt.subplots(figsize=(6.4, 3.6))
for name, losses in after.items():
    (line,) = ax.plot(losses, "--" if name == "pretraining" else "-")
    where = {"xytext": (5, {"first-order MAML": 7, "MAML": -7}.get(name, 0)), "va": "center"}
    ax.annotate(name, (10, losses[10]), textcoords="offset points", color=line.get_color(), **where)
labels = ax.set(xlabel="steps on the support set", ylabel="query loss", ylim=(0, None), xlim=(0, 13.5))
ticks = ax.set_xticks([0, 1, 5, 10])

# %% tags=["claims"]
assert after["MAML"][1] == min(losses[1] for losses in after.values())
assert all(losses[0] > after["pretraining"][0] - 0.3 for losses in after.values())
assert all(
    losses[10] < 0.6 * after["pretraining"][10]
    for name, losses in after.items()
    if name != "pretraining"
)
few = draw_tasks(4)
start = [tf.constant(w) for w in trained["pretraining"]]


def loss_after_inner_step(*weights):
    return loss_of(inner_step(for_each_task(weights, 4), *few[0]), *few[1])


passed = []
for way in (maml, first_order_maml):
    gradients = way(trained["pretraining"], *few)
    passed.append(check_gradients(loss_after_inner_step, start, grads=gradients).passed)
assert passed == [True, False]

# %% [markdown]
# All three leave pretraining far behind. MAML, which was trained for exactly one step, has the lowest loss after one.
#
# ### Exercise 17.3: predict
#
# Take one weight w = 2, the support loss w², an inner step of 0.25, and the query loss (w' + 2)². For each of these,
# give a number or `None`:
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

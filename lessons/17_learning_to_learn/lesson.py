# %% [markdown] part="Part III: what fit cannot say"
# # 17 · Learning to learn
#
# A new machine, a new patient, a new speaker: ten examples, and the model should fit after one step. Here
# you train for that one step, with a gradient that goes through the step itself. One `assign` cuts that path.
#
# **You will learn to**
#
# - write a step of training as a function of the weights, and differentiate through it;
# - say which path an assignment in a step cuts, and what comes back then;
# - train with MAML, its first-order form and Reptile, and compare them with plain pretraining;
# - measure what inner steps cost in memory and time (a section that can wait).
#
# **Before you start**: [06 · Higher-order gradients](06_higher_order.ipynb) and
# [10 · Fast loops](10_fast_loops.ipynb). **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import ExplainingTape, check, check_gradients, predict, start_lesson

start_lesson("17")

import timeit

import keras
import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf

# %% [markdown]
# ## What does one network learn of many tasks?
#
# A **task** is a sine wave here, with an amplitude from 0.5 to 5 and a shift from 0 to π. Ten of its points,
# the **support** set, are there to learn from; ten others, the **query** set, judge what was learned.
# `draw_tasks` draws n tasks at once, one in each row.


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
# The network is a plain function: its weights are an argument, no layer owns them. So you can call it with any
# weights, also with one set for each task: `@` pairs kernels of shape (n, 40, 40) with inputs of shape (n, 10, 40),
# task by task.


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
# First, plain pretraining: one network for all tasks, 25 new ones in each step. `train` serves all four ways of this
# lesson; each dot is a tenth of a training.


# %%
def train(way, gradients_of):
    """Take 2,000 steps of Adam with gradients_of(weights, support, query); return the weights."""
    keras.utils.set_random_seed(17)
    weights, optimizer = new_weights(), keras.optimizers.Adam(1e-3)
    optimizer.build(weights)

    @tf.function
    def run():
        for _ in tf.range(200):
            optimizer.apply(gradients_of(weights, *draw_tasks(25)), weights)

    print(way, end=" ")
    for _ in range(10):
        run()
        print(".", end="", flush=True)
    print()
    return weights


# %%
def pretraining(weights, support, query):
    with tf.GradientTape() as tape:
        loss = loss_of(weights, *query)
    return tape.gradient(loss, weights)


trained = {"pretraining": train("pretraining", pretraining)}

# %% [markdown]
# > **Predict**
# >
# > An x alone says nothing about the amplitude and the shift. The mean task has the amplitude
# > 2.75 and the shift π/2. What does the network return now, over all x?

# %%
predict("17.a", "")

# %%
x_line = tf.linspace(-5.0, 5.0, 101)[:, None]  # (101, 1)
learned = network(trained["pretraining"], x_line)
mean_task = 2.75 * tf.sin(x_line - np.pi / 2)
guesses = {"zero": 0 * x_line, "mean task": mean_task, "lower": 1.75 / 2.75 * mean_task}
errors = {name: np.sqrt(np.mean((learned - guess) ** 2)) for name, guess in guesses.items()}

for name, error in errors.items():
    print(f"{name}: off by {error:.1f}")

# %% [markdown]
# One of the three guesses is nearer by far than the others. (Averaged over all shifts, the waves partly cancel: what
# is left has the amplitude 2.75 · 2/π, about 1.75.)

# %%
best, second, _ = sorted(errors.values())

print("by a factor of two at least:", 2 * best < second)
assert best < 0.5 and 2 * best < second
query = draw_tasks(500)[1]

# %% tags=["claims"]
assert loss_of(trained["pretraining"], *query) < 0.8 * loss_of(new_weights(), *query)

# %% [markdown]
# ## Can a tape go through a step of training?
#
# You want weights from which *one step* leads to a small loss. First with one weight w = 3: the support loss (w - 1)²
# has the gradient 4, a step of 0.1 leads to w' = 2.6, and the query loss there is (w' - 5)².
#
# By hand, $w' = w - 0.1 \cdot 2 (w - 1) = 0.8\, w + 0.2$. So the query loss has the slope 2 (2.6 - 5) · 0.8 = -3.84 with respect
# to where w *started*.
#
# > **Predict**
# >
# > The step is an `assign_sub` inside the outer tape's block. What does the outer tape return?

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
# Now on a copy, so that w itself stays where it is. `ExplainingTape` says what becomes of the path:

# %%
w = tf.Variable(3.0)

with ExplainingTape() as outer:
    fast = tf.Variable(w)
    with tf.GradientTape() as inner:
        support_loss = (fast - 1) ** 2
    fast.assign_sub(0.1 * inner.gradient(support_loss, fast))
    query_loss = (fast - 5) ** 2
by_copying = outer.gradient(query_loss, w)

(explanation,) = outer.explain()
print(f"{by_copying}: {explanation.cause}\n{explanation.where.text}")

# %% tags=["claims"]
assert by_copying is None and w == 3.0

# %% [markdown]
# `tf.Variable(w)` assigns too, its first value. What keeps the path is a **new tensor**: `w - 0.1 * gradient`, where
# the gradient is asked for *inside* the outer block. `check_gradients` agrees with the result by hand.


# %%
def after_one_step(w, keep=tf.identity):
    with tf.GradientTape() as inner:
        inner.watch(w)  # a tensor, too, is watched
        support_loss = (w - 1) ** 2
    fast = w - 0.1 * keep(inner.gradient(support_loss, w))
    return (fast - 5) ** 2


with tf.GradientTape() as outer:
    query_loss = after_one_step(w)
exact = outer.gradient(query_loss, w)

print(f"{exact.numpy():.2f}", check_gradients(after_one_step, tf.constant(3.0)).passed)

# %% tags=["claims"]
assert np.isclose(exact, -3.84) and w == 3.0
assert check_gradients(after_one_step, tf.constant(3.0)).passed

# %% [markdown]
# The factor 0.8 is 1 minus the step size times the *second* derivative of the support loss. Where that product is
# small, you may leave it out, with `tf.stop_gradient`. What is left, the slope at the *new* w, is the **first-order**
# gradient. The `assign_sub` above gave the same.

# %%
with tf.GradientTape() as outer:
    query_loss = after_one_step(w, keep=tf.stop_gradient)
first_order = outer.gradient(query_loss, w)

report = check_gradients(lambda w: after_one_step(w, tf.stop_gradient), tf.constant(3.0))
print(f"{first_order.numpy():.2f}, by differences: {report.passed}")

# %% tags=["claims"]
assert np.isclose(first_order, -4.8) and not report.passed
assert np.isclose(by_assigning, first_order)

# %% [markdown]
# ### Exercise 17.1: repair
#
# One step on the support set, then the mean squared error on the query set: return its gradients with respect to `W`
# and `b` as they are *before* the step, through the step. Two `None` come back. Leave both variables as they are.


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
# Which lines assign? A variable's first value is assigned, too.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Let the inner tape use `W` and `b` themselves. `fast_W` and `fast_b` are new tensors, computed from them.
#
# </details>

# %% [markdown]
# ## How do I call a Keras model with other weights?
#
# A Keras layer owns its variables, and calling the model uses those. `model.stateless_call` takes the values as arguments
# instead: those of the trainable variables, those of the others, then the input. It returns the output, and the other
# variables' new values.

# %%
model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(3, "tanh"), keras.layers.Dense(1)])
others = [v.value for v in model.non_trainable_variables]  # none here
fast = [v + 1.0 for v in model.trainable_variables]
output, _ = model.stateless_call(fast, others, x_line)

before = model.get_weights()
model.set_weights(fast)
print("as with these weights:", np.allclose(output, model(x_line), atol=1e-5))
assert np.allclose(output, model(x_line), atol=1e-5)
model.set_weights(before)

# %% [markdown]
# > **Predict**
# >
# > The output came from `fast`, and `fast` from the model's variables. A tape around both lines is asked for the gradient with
# > respect to `model.trainable_variables`. What comes back?

# %%
predict("17.c", "")

# %%
with tf.GradientTape() as tape:
    fast = [v + 1.0 for v in model.trainable_variables]
    output, _ = model.stateless_call(fast, others, x_line)
gradients = tape.gradient(output, model.trainable_variables)

print(["None" if gradient is None else "numbers" for gradient in gradients])

# %% [markdown]
# The last bias enters every output once. If its gradient is there, it is the number of outputs:

# %%
expected = gradients[-1] is None or np.allclose(gradients[-1], len(x_line))
print("as it should be:", expected)

# %% tags=["claims"]
assert expected and len({gradient is None for gradient in gradients}) == 1

# %% [markdown]
# ### Exercise 17.2: complete
#
# Return the trainable weights, a list of tensors in the model's order, after `steps` steps of gradient descent on the mean
# squared error. Leave the model as it is. The check asks a tape around your function for gradients
# *through* the steps.


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
# `weights` are tensors. What must the tape be told, before they are used?
#
# </details>
# <details><summary>Hint 2</summary>
#
# In each step: `tape.watch(weights)`, `output, _ = model.stateless_call(weights, others, x)`, the loss; then the
# gradients, and a new list of tensors `w - lr * g`.
#
# </details>

# %% [markdown]
# ## Which gradient should train the start?
#
# - **MAML** goes through the step: the exact gradient of the query loss after it.
# - **First-order MAML** puts one `stop_gradient` around the inner gradient.
# - **Reptile** needs no query set and no outer tape: take a few inner steps in each task, and move the start towards the average of
#   where they end.
#
# `inner_step` takes a set of weights for each task, (n, 40, 40), so the loss of one task has no path to the weights of another,
# and the gradient of their *sum* holds each task's own.


# %%
def inner_step(weights, x, y, keep=tf.identity, lr=0.01):
    """Return each task's weights after one step on its own mean squared error."""
    with tf.GradientTape() as tape:
        tape.watch(weights)
        total = tf.reduce_sum(tf.reduce_mean((network(weights, x) - y) ** 2, axis=(1, 2)))
    gradients = tape.gradient(total, weights)
    return [w - lr * keep(g) for w, g in zip(weights, gradients, strict=True)]


def for_each_task(weights, n):
    # (rows, columns) to (n, rows, columns)
    return [tf.tile(w[None], [n, 1, 1]) for w in weights]


# %%
def maml(weights, support, query, keep=tf.identity, steps=1):
    with tf.GradientTape() as tape:
        fast = for_each_task(weights, len(support[0]))
        for _ in range(steps):
            fast = inner_step(fast, *support, keep)
        loss = loss_of(fast, *query)
    return tape.gradient(loss, weights)


def first_order_maml(weights, support, query, steps=1):
    return maml(weights, support, query, tf.stop_gradient, steps)


def reptile(weights, support, query, steps=3):
    fast = for_each_task(weights, len(support[0]))
    for _ in range(steps):
        fast = inner_step(fast, *support)
    return [w - tf.reduce_mean(f, axis=0) for w, f in zip(weights, fast, strict=True)]


# %% [markdown]
# A tape through a tape deserves a check. Differences know nothing of tapes, and agree with MAML; with the first-order
# gradient they do not. What Reptile hands to Adam after several steps, start minus average, is not the gradient of a
# loss that it computes. Adam takes it as a direction all the same.

# %%
few = draw_tasks(4)
start = [tf.constant(w) for w in trained["pretraining"]]


def loss_after_step(*weights):
    fast = inner_step(for_each_task(weights, 4), *few[0])
    return loss_of(fast, *few[1])


found = []
for name, way in (("MAML", maml), ("first order", first_order_maml)):
    print(f"{name}:", end=" ", flush=True)
    grads = way(trained["pretraining"], *few)
    found.append(check_gradients(loss_after_step, start, grads=grads).passed)
    print(found[-1])

# %% tags=["claims"]
assert found == [True, False]

# %%
trained["MAML"] = train("MAML", maml)
trained["first-order MAML"] = train("first-order MAML", first_order_maml)
trained["Reptile"] = train("Reptile", reptile)

# %% [markdown]
# Now 500 new tasks, and for each way ten steps on each support set; the loss is that of the query set.
#
# > **Predict**
# >
# > Which start has a loss lower than that of pretraining by 0.3 or more, *before* the first step?

# %%
predict("17.d", "")


# %%
def losses_after(weights, support, query):
    """Return the mean query loss after 0 to 10 steps, (11,)."""
    fast, losses = for_each_task(weights, 500), []
    for _ in range(11):
        losses.append(float(loss_of(fast, *query)))
        fast = inner_step(fast, *support)
    return losses


new_tasks = draw_tasks(500)
after = {way: losses_after(weights, *new_tasks) for way, weights in trained.items()}

lower = [way for way in after if after[way][0] < after["pretraining"][0] - 0.3]
print("below pretraining by 0.3:", lower)

# %% [markdown]
# In the figure, look at what the first step does to each of the four, and at what nine more add.

# %%
assert errors["lower"] == best  # of the first prediction
assert 2 * after["MAML"][1] < 0.9 * after["pretraining"][0] < after["pretraining"][1]
assert after["MAML"][1] == min(losses[1] for losses in after.values())
assert all(after[way][10] < 0.6 * after["pretraining"][10] for way in after if way != "pretraining")

ax = plt.subplots(figsize=(6.4, 3.6))[1]
for way, losses in after.items():
    (line,) = ax.plot(losses, "--" if way == "pretraining" else "-")
    at = {"xytext": (5, {"first-order MAML": 7, "MAML": -7}.get(way, 0)), "va": "center"}
    text = ax.annotate(way, (10, losses[10]), textcoords="offset points", color=line.get_color(), **at)
labels = ax.set(xlabel="steps on the support set", ylabel="query loss", ylim=(0, None), xlim=(0, 13.5))
ticks = ax.set_xticks([0, 1, 5, 10])

# %% [markdown]
# One step barely moves pretraining, and nine more leave it far above the others. MAML, trained for one step, is lowest after one.
# Would a larger or smaller step have saved pretraining? Here is the best of five sizes:

# %%
sizes = (0.001, 0.003, 0.01, 0.03, 0.1)
fresh = for_each_task(trained["pretraining"], 500)
by_size = [loss_of(inner_step(fresh, *new_tasks[0], lr=lr), *new_tasks[1]) for lr in sizes]
print(f"pretraining, best of five: about {min(by_size):.0f}, MAML: about {after['MAML'][1]:.0f}")

# %% tags=["claims"]
assert not lower and min(by_size) > 2 * after["MAML"][1]

# %% [markdown]
# In the next figure, look at how far one step takes each network towards the ten points of a new task.

# %%
# of the amplitudes
largest = np.argmax(np.max(np.abs(new_tasks[0][1]), axis=(1, 2)))
support = [points[largest : largest + 1] for points in new_tasks[0]]

fig, panels = plt.subplots(1, 2, figsize=(8, 3), sharey=True)
for ax, way in zip(panels, ("pretraining", "MAML"), strict=True):
    fast = for_each_task(trained[way], 1)
    ways = {"start": fast, "after one step": inner_step(fast, *support)}
    for style, (name, weights) in zip(("--", "-"), ways.items(), strict=True):
        curve = network(weights, x_line)[0, :, 0]
        (line,) = ax.plot(x_line[:, 0], curve, style)
        at = {"xytext": (4, -7 if style == "--" else 7), "textcoords": "offset points"}
        ax.annotate(name, (5, curve[-1]), color=line.get_color(), va="center", **at)
    ax.plot(*[np.ravel(values) for values in support], "k.", markersize=8)
    labels = ax.set(xlabel="x", title=way, xlim=(-5.2, 9.5))
label = panels[0].set_ylabel("y")

# %% [markdown]
# ### Exercise 17.3: predict
#
# One weight w = 2, the support loss w², an inner step of 0.25, and the query loss (w' + 2)². Which numbers, or `None`, do these give?
#
# 1. the gradient with which MAML trains;
# 2. that of first-order MAML;
# 3. what Reptile, after one inner step, hands to its optimizer as a gradient, w - w';
# 4. MAML, if w' is a `tf.Variable(w)` that `assign_sub` moved.

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
# The four, by the tape:

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

# %% [markdown]
# ### Exercise 17.4: repair
#
# A step of Reptile: in each task, `steps` steps of gradient descent from the *same* start; then every variable moves
# from the start by the part `outer_lr` of the way to the average of the tasks' ends. As it stands, this is plain
# training, one task after the other. Two things are wrong.


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
# After `start = weights`, what is `start[0] is weights[0]`? And where does the second task begin?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `w.numpy()` copies a value. Put the start back into the variables before each task, and keep the
# ends of every one in a list.
#
# </details>

# %% [markdown]
# ## Further: what do inner steps cost?
#
# TensorFlow counts the memory of its tensors on a GPU, and on a CPU where it computes with oneDNN. Where it does not, the cells
# below say so, and only the time is measured.


# %%
device = "GPU:0" if tf.config.list_physical_devices("GPU") else "CPU:0"
statistics = tf.config.experimental
hundred = draw_tasks(100)
try:
    statistics.get_memory_info(device)
    is_counted = True
except ValueError:  # as on a CPU without oneDNN
    is_counted = False


def memory(kind):
    return statistics.get_memory_info(device)[kind] if is_counted else np.nan


# %% [markdown]
# `cost` measures one gradient for 100 tasks in a graph: how much the memory rose at most, and the time.


# %%
def cost(way, steps, in_graph=True):
    """Return the peak of the memory, in MB or nan, and the time, in ms."""

    def gradients():
        return way(trained["MAML"], *hundred, steps=steps)

    run = tf.function(gradients) if in_graph else gradients
    run()  # traces
    if is_counted:
        statistics.reset_memory_stats(device)
    before = memory("current")
    run()
    peak = memory("peak") - before
    return peak / 1e6, 1e3 * min(timeit.repeat(run, number=1, repeat=20 if in_graph else 1))


# %% [markdown]
# > **Predict**
# >
# > Eight inner steps in place of one. Whose memory more than doubles?

# %%
predict("17.e", "")

# %% tags=["nbval-ignore-output"]
counts = (1, 2, 4, 8)
costs = {}
for way in (maml, first_order_maml, reptile):
    print("measured:", way.__name__)
    costs[way] = [cost(way, n) for n in counts]

grown = [way.__name__ for way, found in costs.items() if found[-1][0] > 2 * found[0][0]]
print("more than doubled:", grown if is_counted else "not counted here")

# %% [markdown]
# In the figure, look for lines that climb: memory on the left, if it is counted, and time on the right.

# %%
fig, panels = plt.subplots(1, 2, figsize=(8, 3))
for ax, column, what in zip(panels, (0, 1), ("memory in MB", "time in ms"), strict=True):
    for offset, (way, found) in zip((0, 6, -6), costs.items(), strict=True):
        (line,) = ax.plot(counts, np.array(found)[:, column], "o-")
        name = {maml: "MAML", first_order_maml: "first order", reptile: "Reptile"}[way]
        at = {"xytext": (8, offset), "textcoords": "offset points", "va": "center"}
        ax.annotate(name, (8, found[-1][column]), color=line.get_color(), **at)
    labels = ax.set(xlabel="inner steps", ylabel=what, xlim=(0, 11.5), ylim=(0, None))
    title = ax.set_title("" if is_counted or column else "not counted here")

# %% tags=["claims"]
assert costs[maml][-1][1] > costs[maml][0][1]
assert answers == [3.0, 6.0, 1.0, None]  # of Exercise 17.3

# %% [markdown]
# And line by line, without a graph? There an outer tape keeps all that it records, whether somebody will walk back through it
# or not:

# %% tags=["nbval-ignore-output"]
peaks = [cost(first_order_maml, n, in_graph=False)[0] for n in (1, 8)]

doubled = peaks[1] > 2 * peaks[0] if is_counted else "not counted here"
print("first order without a graph, more than doubled:", doubled)

# %% tags=["claims"]
assert not is_counted or (peaks[1] > 2 * peaks[0] and grown == ["maml"])

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open it.
#
# <details><summary>1. The inner step ends in <code>optimizer.apply(gradients, variables)</code>, inside the outer tape. The outer
# gradient is a number. Which one?</summary>
#
# The slope at the new weights: first order. `apply` assigns, and the path through the step is lost.
#
# </details>
# <details><summary>2. The inner gradient is asked for above the outer block. What is left of MAML?</summary>
#
# Its first-order form: for the outer tape, the gradient is a constant.
#
# </details>
# <details><summary>3. A network for many tasks is trained without inner steps. Which loss tells whether it learns quickly?</summary>
#
# The query loss *after* steps on the support set. Before them, nothing beats the mean of the tasks, and
# pretraining aims at that.
#
# </details>

# %% [markdown]
# ## Recap
#
# - An inner step is a function of the weights: new tensors, no `assign`.
# - After an `assign` a number may come: the slope at the new weights.
# - `stateless_call` runs a Keras model with the weights that you give.
# - MAML goes through the steps; one `stop_gradient` makes it first order; Reptile averages ends.
# - The memory of MAML grows with each inner step.
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
# **To remember**: an assignment cuts the path through a step; a new tensor keeps it.

# %% [markdown]
# ## Further reading
#
# - Finn, Abbeel and Levine, *Model-agnostic meta-learning for fast adaptation of deep networks*, ICML 2017: these waves, and MAML.
# - Nichol, Achiam and Schulman, *On first-order meta-learning algorithms* (2018): Reptile, and why it works.
# - Rajeswaran et al., *Meta-learning with implicit gradients*, NeurIPS 2019: many inner steps without their memory.
#
# Next: [18 · Choosing examples](18_choosing_examples.ipynb).

# %% [markdown] part="Part III: what fit cannot say"
# # 19 · Equations
#
# A mass hangs from a spring. You have no measurements, only the law of its motion. You train a network until it obeys
# that law almost perfectly, and yet it finds the wrong motion. In this lesson you turn an equation into a loss, using
# the derivatives of the network's *output* with respect to its *input*. Then you make sure that the network finds the
# solution you want.
#
# **You will learn to**
#
# - turn a differential equation into a loss;
# - impose starting values, with a weighted term in the loss or by building them into the output;
# - say what a small loss proves and what it does not.
#
# **Before you start**: [06 · Higher-order gradients](06_higher_order.ipynb). **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import check, plot_loss_surface, predict, start_lesson

start_lesson("19")

import time
import timeit
from itertools import pairwise

import keras
import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from keras import layers

# %% [markdown]
# ## How does an equation become a loss?
#
# Let u be the position of the mass on the spring from lesson 06. It obeys u'' + u'/2 + 65/16 u = 0 and starts at u = 1
# with velocity -1/4. For any function u, the value of the left side is called its **residual**. The
# residual of a solution is 0 at all times, and only solutions have this property.
#
# As in lesson 06, two nested tapes compute u' and u'':


# %%
def motion(u, t):
    """Return u, u' and u'' at the times t, each (n, 1)."""
    with tf.GradientTape() as outer:
        outer.watch(t)
        with tf.GradientTape() as inner:
            inner.watch(t)
            position = u(t)
        velocity = inner.gradient(position, t)
    return position, velocity, outer.gradient(velocity, t)


def residual(u, t):
    position, velocity, acceleration = motion(u, t)
    return acceleration + velocity / 2 + 65 / 16 * position


# %% [markdown]
# This equation can be solved by hand, and with these starting values the solution is exp(-t/4) cos(2t). That gives you
# a way to test the residual:


# %%
def swing(t):
    return tf.exp(-t / 4) * tf.cos(2 * t)


# (100, 1), seconds
times = tf.linspace(tf.constant(0.0, tf.float64), 5.0, 100)[:, None]

print(f"largest residual of the solution: {np.max(np.abs(residual(swing, times))):.6f}")
print(f"largest residual of cos(t):       {np.max(np.abs(residual(tf.cos, times))):.6f}")

# %% tags=["claims"]
assert np.max(np.abs(residual(swing, times))) < 1e-9
assert np.max(np.abs(residual(tf.cos, times))) > 1

# %% [markdown]
# Now let a network play the part of u, with the mean squared residual as its loss. Such a network is called
# **physics-informed**. The training loop is compiled, and runs in ten parts so that it can report its progress. You can
# skip its details.


# %%
def new_network(seed=20):
    keras.utils.set_random_seed(seed)
    options = {"dtype": "float64"}
    hidden = [layers.Dense(16, "tanh", **options) for _ in range(2)]
    return keras.Sequential([keras.Input((1,), **options), *hidden, layers.Dense(1, **options)])

# %%
def train(loss_of, variables, steps=3000):
    """Take steps of Adam on loss_of(), and return the last loss."""
    optimizer = keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(1e-2, steps))
    optimizer.build(variables)

    @tf.function
    def take_steps():
        loss = tf.constant(0.0, tf.float64)
        for _ in tf.range(steps // 10):
            with tf.GradientTape() as tape:
                loss = loss_of()
            optimizer.apply(tape.gradient(loss, variables), variables)
        return loss

    for part in range(10):
        loss = take_steps()
        print(f"{10 * (part + 1)} % trained", end="\r")
    return float(loss)


# %% [markdown]
# > **Predict**
# >
# > The loss is the mean squared residual at 100 points in time and nothing else, and training brings it close to 0.
# > Which motion does the network find?

# %%
predict("19.a", "")

# %%
u = new_network()
loss = train(lambda: tf.reduce_mean(residual(u, times) ** 2), u.trainable_variables)
found = {"no start": u(times)}

print(f"loss below 1e-3: {loss < 1e-3}")
print(f"largest position: {np.max(np.abs(found['no start'])):.2f}")

# %% tags=["claims"]
assert loss < 1e-3 and np.max(np.abs(found["no start"])) < 0.05
for size in (0.5, 0.0):
    assert np.allclose(residual(lambda t, size=size: size * swing(t), times), 0)

# %% [markdown]
# The network has found rest, a flat line at 0. Rest obeys the law, but so does every multiple of the true motion, so
# why does training end here? The equation is linear, with 0 on its right side. So halving the output also halves the
# residual, and divides the loss by four. As long as the network is not yet a solution, it can lower the loss by
# shrinking its output, and training follows this path down to 0.
#
# It is the starting values, or *initial conditions*, that single out one of the solutions. So they belong in the loss as well.
#
# The loss knows the law only at the 100 points in time, which are called *collocation points*. Between them, the
# network may break the law, so use enough of them.
#
# ## Where do the starting values go?
#
# The simplest place is a second term in the loss: the squared errors of the position and the velocity at time 0. But how
# much weight should this term get?
#
# > **Predict**
# >
# > The squared errors of the starting values are multiplied by 0.01, 1 or 100 before they are added to the loss. With
# > the same number of steps, which weight brings the network closest to the true motion?

# %%
predict("19.b", "")


# %% tags=["nbval-ignore-output"]
def loss_with_start(u, weight):
    position, velocity, acceleration = motion(u, times)
    law = acceleration + velocity / 2 + 65 / 16 * position
    start = (position[0, 0] - 1) ** 2 + (velocity[0, 0] + 1 / 4) ** 2
    return tf.reduce_mean(law**2) + weight * start


for weight in (0.01, 1.0, 100.0):
    u = new_network()
    train(lambda u=u, weight=weight: loss_with_start(u, weight), u.trainable_variables)
    found[weight] = u(times)
    error = np.max(np.abs(found[weight] - swing(times)))
    print(f"weight {weight:6}: largest error {error:.2f}")

# %% tags=["claims"]
errors = {name: np.max(np.abs(u - swing(times))) for name, u in found.items()}
assert errors[1.0] < min(errors[0.01], errors[100.0])

# %% [markdown]
# The winner is weight 1. With 0.01, staying at rest costs so little that the network hardly moves. With 100, the
# starting values dominate every step, so the network learns the law only slowly. No rule gives you the best weight in
# advance: you have to try several.
#
# ## How do I build in the starting values?
#
# You can also do without a weight: **build in the starting values**, so that the output has them whatever the network returns.
#
# 1. The position: 1 + tanh(t) · network(t) starts at 1, because tanh(0) is 0.
# 2. The velocity: 1 - tanh(t)/4 + tanh(t)² · network(t) still starts at 1, now with velocity -1/4. The slope of tanh(t) at 0
#    is 1, and both tanh(t)² and its slope are 0 there.
#
# As t grows, tanh(t)² approaches 1, so the network is free to shape the rest of the motion.


# %% tags=["nbval-ignore-output"]
def built_in(network):
    return lambda t: 1 - tf.tanh(t) / 4 + tf.tanh(t) ** 2 * network(t)


network = new_network()
position, velocity, _ = motion(built_in(network), times)
print(f"untrained, at time 0: position {position[0, 0]:.2f}, velocity {velocity[0, 0]:.2f}")

train(
    lambda: tf.reduce_mean(residual(built_in(network), times) ** 2), network.trainable_variables
)
found["built in"] = built_in(network)(times)
print(f"\nlargest error {np.max(np.abs(found['built in'] - swing(times))):.2f}")

# %% tags=["claims"]
assert np.allclose([position[0, 0], velocity[0, 0]], [1, -0.25])
errors["built in"] = np.max(np.abs(found["built in"] - swing(times)))
other = new_network(seed=19)
train(lambda: tf.reduce_mean(residual(built_in(other), times) ** 2), other.trainable_variables)
assert np.max(np.abs(built_in(other)(times) - swing(times))) > 0.05
assert max(errors[1.0], errors["built in"]) < 0.05 < 0.1 < min(errors[0.01], errors[100.0])

# %% [markdown]
# The error is as small as with the best weight, and there was nothing to tune. From another random seed, the network
# may need more than 3,000 steps. In the figure, compare each line with the true motion, in gray:

# %%
fig, panels = plt.subplots(1, 4, figsize=(9.6, 2.6), sharey=True)
titles = {0.01: "weight 0.01", 1.0: "weight 1", 100.0: "weight 100", "built in": "built in"}
for ax, (name, title) in zip(panels, titles.items(), strict=True):
    ax.plot(times[:, 0], swing(times)[:, 0], color="0.6", lw=4)
    ax.plot(times[:, 0], found[name][:, 0], color="C0")
    labels = ax.set(title=title, xlabel="t in seconds")
label = panels[0].set_ylabel("position u")

# %% [markdown]
# ### Exercise 19.1: complete
#
# A damped pendulum that is being pushed obeys θ'' + damping · θ' + sin θ = push(t), where θ is its angle. Return the
# residual, the left side minus the right side, at each time. Use TensorFlow operations throughout: the check also
# differentiates your residual with respect to the network's weights, as training would.


# %% exercise="19.1"
def pendulum_residual(theta, push, t, damping):
    """Return (n, 1); theta and push are functions of times (n, 1), and t is a constant."""
    ### BEGIN SOLUTION
    with tf.GradientTape() as outer:
        outer.watch(t)
        with tf.GradientTape() as inner:
            inner.watch(t)
            angle = theta(t)
        velocity = inner.gradient(angle, t)
    acceleration = outer.gradient(velocity, t)
    return acceleration + damping * velocity + tf.sin(angle) - push(t)
    ### END SOLUTION


# %%
check("19.1", pendulum_residual)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Nest two tapes as in `motion`, and call `gradient` on the inner tape inside the block of the outer one.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The residual is θ'' + damping · θ' + sin θ - push(t). Take the sine of the angle, not of the time.
#
# </details>

# %% [markdown]
# ### Exercise 19.3: complete
#
# Notice the pattern above: a function with the right values, plus the network times a factor that is 0 where the values
# are given. The same pattern works for functions of two variables. The temperature u(t, x) of a rod depends on the time
# t and the position x, which runs from 0 to `length`. Build in the start and both ends: whatever `network` returns, u
# must be `start(x)` at t = 0, `left` at x = 0, and `right` at x = `length`. Everywhere else, the network must be able
# to change u, and u must be continuous. You may rely on `start(0) == left` and `start(length) == right`.


# %% exercise="19.3"
def rod(network, start, left, right, length):
    """Return a function u(t, x), for t and x of shape (n, 1), as network(t, x) is one."""
    ### BEGIN SOLUTION
    def u(t, x):
        return start(x) + t * x * (length - x) * network(t, x)

    return u
    ### END SOLUTION


# %%
check("19.3", rod)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# If the temperature never changed, which function of x alone would meet all the conditions?
#
# </details>
# <details><summary>Hint 2</summary>
#
# To that function, add the network times a factor that is 0 at t = 0, at x = 0 and at x = `length`, but nowhere else.
#
# </details>

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open the answer.
#
# <details><summary>1. Your loss is tiny, and the solution is wrong. What do you check first?</summary>
#
# First the starting values. If they are missing from the loss, other solutions fit just as well, and if their weight is
# too small, training takes very long to get away from such a solution. Then the points in time: if there are too few,
# the network can break the law between them.
#
# </details>
# <details><summary>2. Where does the inner <code>gradient</code> have to be called, and why?</summary>
#
# Inside the outer block, because otherwise the outer tape does not record how the velocity depends on t.
#
# </details>
# <details><summary>3. Why is it better to build in the starting values than to give them a weight?</summary>
#
# They are exact from the first step on, and there is no weight to tune.
#
# </details>

# %% [markdown]
# ## Recap
#
# - Plug the network into the equation, and use the mean squared residual as the loss.
# - Add the starting values, because they determine which solution you get. If you can, build them in.
# - Before you trust a small loss, test your method on an equation whose solution you know.
#
# ```python
# with tf.GradientTape() as outer:
#     outer.watch(t)
#     with tf.GradientTape() as inner:
#         inner.watch(t)
#         # with the starting values built in
#         u = 1 - tf.tanh(t) / 4 + tf.tanh(t) ** 2 * network(t)
#     velocity = inner.gradient(u, t)
# acceleration = outer.gradient(velocity, t)
# loss = tf.reduce_mean((acceleration + velocity / 2 + 65 / 16 * u) ** 2)
# ```
#
# **To remember**: a small loss says that the law holds at your points, but not which solution the network found.

# %% [markdown]
# ## Going deeper
#
# The law under `fit`, two variables, networks without a second derivative, a step for squared errors, and an unknown
# coefficient.

# %% [markdown]
# ### Do I need a loop for this?
#
# No. The loss needs only the model and x, so override `compute_loss` (lesson 14) and call `fit`:


# %%
class Spring(keras.Sequential):
    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        return tf.reduce_mean(residual(self, x) ** 2)


some_times = tf.cast(times, tf.float32)
two_layers = [keras.Input((1,)), layers.Dense(16, "tanh"), layers.Dense(1)]
by_fit, by_tape = Spring(two_layers), keras.models.clone_model(keras.Sequential(two_layers))
start_weights = by_fit.get_weights()
by_tape.set_weights(start_weights)
by_fit.compile(keras.optimizers.SGD(0.01))
history = by_fit.fit(some_times, batch_size=100, verbose=0)

# %%
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(residual(by_tape, some_times) ** 2)
gradients = tape.gradient(loss, by_tape.trainable_variables)
keras.optimizers.SGD(0.01).apply(gradients, by_tape.trainable_variables)

pairs = list(zip(by_fit.get_weights(), by_tape.get_weights(), strict=True))
print("weights equal within 1e-5:", bool(max(np.max(np.abs(a - b)) for a, b in pairs) < 1e-5))

# %% tags=["claims"]
assert max(np.max(np.abs(a - b)) for a, b in pairs) < 1e-5
assert np.max(np.abs(by_fit.get_weights()[2] - start_weights[2])) > 1e-3

# %% [markdown]
# ### How do I differentiate with respect to one of two variables?
#
# The temperature of a rod obeys the heat equation u_t = k u_xx. Here u_t is the derivative of u with respect to t,
# u_xx the second one with respect to x, and k the conductivity. A place cools where the temperature curve bends down.
# The points have two columns, t and x. Tutorials often tell you to differentiate twice with respect to the points,
# and to take the last column.
#
# > **Predict**
# >
# > u = t x², at t = 1 and x = 3. Its second derivative u_xx is 2t = 2. What does the outer tape return in the column of x?

# %%
predict("19.c", "")

# %%
points = tf.constant([[1.0, 3.0]])  # t, x

with tf.GradientTape() as outer:
    outer.watch(points)
    with tf.GradientTape() as inner:
        inner.watch(points)
        u = points[:, 0] * points[:, 1] ** 2
    both = inner.gradient(u, points)  # u_t and u_x

print(outer.gradient(both, points).numpy()[0, 1])

# %% [markdown]
# 8, not 2. A tape sums its targets (lesson 04), and `both` holds two, u_t and u_x. So the outer tape returned u_xx = 2 plus
# u_tx = 6, the **mixed derivative**. Give it u_x alone. For that, make each column its own tensor:


# %%
def slopes(u, points):
    """Return u_t and u_xx, each (n, 1), at points (n, 2)."""
    t, x = points[:, :1], points[:, 1:]
    with tf.GradientTape(watch_accessed_variables=False) as outer:
        outer.watch(x)
        with tf.GradientTape(watch_accessed_variables=False) as inner:
            inner.watch([t, x])
            values = u(tf.concat([t, x], axis=1))
        u_t, u_x = inner.gradient(values, [t, x])
    return u_t, outer.gradient(u_x, x)


u_t, u_xx = slopes(lambda points: points[:, :1] * points[:, 1:] ** 2, points)
print(f"u_t = {u_t.numpy().item():.0f}, u_xx = {u_xx.numpy().item():.0f}")

# %% tags=["claims"]
assert u_t == 9 and u_xx == 2 and outer.watched_variables() == ()

# %% [markdown]
# `watch_accessed_variables=False` keeps the weights of a network off these two tapes. The tape of the training step still
# watches them.
#
# ### Exercise 19.2: repair
#
# If the material changes along the rod, the conductivity is a function k(x). The law is then u_t = (k(x) u_x)_x: take
# the derivative of the whole product k(x) u_x, the *flow*. This program runs, and has two bugs. Return the residual,
# left side minus right side, one number for each point.


# %% exercise="19.2"
def heat_residual(u, k, points):
    # u takes points (n, 2) with the columns t and x, and returns (n,); k takes x, (n,).
    ### BEGIN SOLUTION
    #| with tf.GradientTape() as outer:
    #|     outer.watch(points)
    #|     with tf.GradientTape() as inner:
    #|         inner.watch(points)
    #|         values = u(points)
    #|     both = inner.gradient(values, points)  # u_t and u_x
    #| second = outer.gradient(both, points)
    #| return both[:, 0] - k(points[:, 1]) * second[:, 1]
    with tf.GradientTape() as outer:
        outer.watch(points)
        with tf.GradientTape() as inner:
            inner.watch(points)
            values = u(points)
        both = inner.gradient(values, points)  # u_t and u_x
        flow = k(points[:, 1]) * both[:, 1]
    return both[:, 0] - outer.gradient(flow, points)[:, 1]
    ### END SOLUTION


# %%
check("19.2", heat_residual)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# What is `second[:, 1]` for u = t x²? And what is the derivative of a product of two functions of x?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Compute the flow k(x) · u_x inside the outer block, and differentiate only the flow with the outer tape.
#
# </details>

# %% [markdown]
# ### Which networks have a second derivative?
#
# The rod starts at sin(πx) + sin(3πx)/2, its ends stay at 0, and k is 0.1. The true temperature is known, so you can judge the
# result. The loss is the mean squared residual at 400 points inside, plus ten times the mean squared error at 90 points on
# the border. It is written as a sum of 490 squared errors, which the next section needs.
#
# For that section, the network is a function, and its weights are one vector, w, of length p. It also accepts a
# separate copy of w for each point, (n, p).


# %%
SIZES = (16, 16, 1)


def new_weights(inputs):
    random, weights = np.random.RandomState(19), []
    for rows, columns in pairwise((inputs, *SIZES)):
        weights += [random.normal(size=rows * columns) / np.sqrt(rows), np.zeros(columns)]
    return tf.Variable(np.concatenate(weights))  # (p,), float64

# %%
def network(w, points, activation=tf.tanh):
    """Return (n, 1) for points (n, inputs) and weights (p,), or (n, p): a copy for each point."""
    shapes, copies = list(pairwise((points.shape[1], *SIZES))), w.shape[:-1]
    parts = iter(tf.split(w, [size for a, b in shapes for size in (a * b, b)], axis=-1))
    h = tf.reshape(points, (*copies, -1, points.shape[1]))
    for a, b in shapes:
        h = h @ tf.reshape(next(parts), (*copies, a, b)) + tf.reshape(next(parts), (*copies, 1, b))
        h = activation(h) if b > 1 else h
    return tf.reshape(h, (-1, 1))


def true_temperature(points):
    t, x = points[:, :1], points[:, 1:]
    first = tf.exp(-0.1 * np.pi**2 * t) * tf.sin(np.pi * x)
    return first + tf.exp(-0.9 * np.pi**2 * t) * tf.sin(3 * np.pi * x) / 2


# %%
def column(t, x):
    return np.stack(np.broadcast_arrays(t, x), axis=-1).reshape(-1, 2).astype(float)


x = np.linspace(0, 1, 51)
line = np.linspace(0, 1, 30)
# t and x from 0 to 1
inside = tf.constant(np.random.RandomState(19).uniform(size=(400, 2)))
border = tf.constant(np.concatenate([column(0, line), column(line, 0), column(line, 1)]))
grid = tf.constant(column(x[:, None], x))


def heat_errors(w_inside, w_border, activation=tf.tanh):
    """Return 490 errors, (490, 1): the sum of their squares is the loss."""
    u_t, u_xx = slopes(lambda points: network(w_inside, points, activation), inside)
    at_border = network(w_border, border, activation) - true_temperature(border)
    # 1/400 and 10/90
    return tf.concat([(u_t - 0.1 * u_xx) / 20, at_border / 3], axis=0)


def largest_error(w, activation=tf.tanh):
    return np.max(np.abs(network(w, grid, activation) - true_temperature(grid)))


# %% [markdown]
# Train two networks: one with `tanh`, and one with `relu`.
#
# > **Predict**
# >
# > Both losses end below 0.01. According to the network with `relu`, what does the rod do?

# %%
predict("19.d", "")

# %% tags=["nbval-ignore-output"]
rods = {}
for activation in (tf.tanh, tf.nn.relu):
    name, w = activation.__name__, new_weights(2)
    rods[name] = w

    def heat_loss(w=w, activation=activation):
        return tf.reduce_sum(heat_errors(w, w, activation) ** 2)

    loss = train(heat_loss, [w], steps=4000)
    error = largest_error(w, activation)
    print(f"{name}: loss below 0.01: {loss < 0.01}, largest error {error:.1g}")

# %% [markdown]
# In the figure, look at t = 0 and then at t = 0.5, when the rod should have cooled to the gray line:

# %%
fig, panels = plt.subplots(1, 2, figsize=(8, 3), sharey=True)
for ax, at in zip(panels, (0.0, 0.5), strict=True):
    here = tf.constant(column(at, x))
    ax.plot(x, true_temperature(here)[:, 0], color="0.6", lw=4)
    for name, color, place, below in (("tanh", "C0", 8, 12), ("relu", "C1", 15, 0)):
        u = network(rods[name], here, getattr(tf.nn, name))[:, 0]
        ax.plot(x, u, color=color)
        if at > 0:
            offset = {"xytext": (8, -below), "textcoords": "offset points"}
            ax.annotate(name, (x[place], u[place]), **offset, color=color)
    labels = ax.set(title=f"t = {at}", xlabel="x along the rod", ylim=(-0.05, 1.25))
label = panels[0].set_ylabel("temperature u")

# %% tags=["claims"]
u_t, u_xx = slopes(lambda points: network(rods["relu"], points, tf.nn.relu), inside)
errors = {name: largest_error(w, getattr(tf.nn, name)) for name, w in rods.items()}
at_start, later = (network(rods["relu"], tf.constant(column(t, x)), tf.nn.relu) for t in (0.0, 0.5))
assert np.all(u_xx == 0) and np.max(np.abs(later - at_start)) < 0.1
assert errors["relu"] > 0.5 and errors["tanh"] < 0.05
for name, w in rods.items():
    assert tf.reduce_sum(heat_errors(w, w, getattr(tf.nn, name)) ** 2) < 0.01

# %% [markdown]
# It does not cool. A network with `relu` is made of straight pieces. On each piece u_xx is exactly 0, so the equation says
# u_t = 0, and the best rod stays as it started. It bends only at the kinks between the pieces, and none of the points is there.
# **A small loss says one thing: the derivatives that the tape computed nearly obey the law, at your points.**

# %% [markdown]
# ### Which step suits squared errors?
#
# If the loss is a sum of squared errors, a step can use more than its gradient. Start with two unknowns: the decay
# and the frequency of a swing, from 60 measured positions. Let r be the errors at w, and J their Jacobian. After a
# small step, at w - s, the errors are about r - J s.


# %%
def swing_errors(w):
    t = tf.linspace(tf.constant(0.0, tf.float64), 10.0, 60)
    return tf.exp(-w[0] * t) * tf.cos(w[1] * t) - tf.exp(-0.3 * t) * tf.cos(2 * t)


first_guess = tf.constant([1.0, 1.6], tf.float64)  # decay, frequency
with tf.GradientTape() as tape:
    tape.watch(first_guess)
    r = swing_errors(first_guess)
J = tape.jacobian(r, first_guess)  # (60, 2)

s = tf.constant([0.01, 0.02], tf.float64)
difference = swing_errors(first_guess - s) - (r - tf.linalg.matvec(J, s))
print(f"largest difference {np.max(np.abs(difference)):.4f}")

# %% tags=["claims"]
assert np.max(np.abs(difference)) < 0.01

# %% [markdown]
# The sum of the squares of r - J s is a bowl over s. At its bottom, its gradient 2 Jᵀ(J s - r) is 0, so JᵀJ s = Jᵀr. No second
# derivative is needed. But the bowl is right only near w, and its bottom may be far away. **Levenberg and Marquardt** therefore
# add a price for the length of the step, and minimize |r - J s|² + damping · |s|². The solution is
#
# (JᵀJ + damping · I) s = Jᵀr
#
# In the figure, follow the line of all such steps, from much damping to little. It leaves the start straight down the slope,
# crosses the valley, and ends at the bottom of the bowl, where the true loss is larger than at the start.

# %%
dampings = np.geomspace(1e3, 1e-3, 40)
steps = [
    np.linalg.solve(np.transpose(J) @ J + damping * np.eye(2), np.dot(np.transpose(J), r))
    for damping in dampings
]
path = [first_guess.numpy(), *(first_guess.numpy() - s for s in steps)]
loss_at = tf.function(lambda w: tf.reduce_sum(swing_errors(w) ** 2))

box = {"x_range": (0.0, 1.2), "y_range": (1.4, 3.0), "labels": ("decay", "frequency")}
ax = plot_loss_surface(lambda a, b: loss_at(tf.constant([a, b])), **box, path=path, points=31)

# %% tags=["claims"]
along = [float(loss_at(tf.constant(w))) for w in path]
assert along[-1] > along[0] > 1.5 * min(along)

# %% [markdown]
# So solve, and look. If the loss falls, take the step, and lower the damping. If it does not, stay, and raise the
# damping. There is no learning rate to choose.
#
# For the rod, J has the shape (490, 337). Give each point its own copy of w. Then error i depends only on copy i, and
# one gradient of the summed errors holds all rows of J:


# %%
def with_jacobian(errors, n):
    """Return a function of w that returns the n errors, (n, 1), and their jacobian, (n, p)."""

    @tf.function
    def compute(w):
        copies = tf.tile(w[None], (n, 1))
        with tf.GradientTape() as tape:
            tape.watch(copies)
            r = errors(copies)
        return r, tape.gradient(r, copies)

    return compute

# %%
def levenberg_marquardt(compute, w, steps, damping=0.01):
    """Yield the weights after each step, taken or not."""
    identity = tf.eye(w.shape[0], dtype=w.dtype)
    r, J = compute(w)
    for _ in range(steps):
        bowl = tf.transpose(J) @ J + damping * identity
        trial = w - tf.linalg.solve(bowl, tf.transpose(J) @ r)[:, 0]
        r_trial, J_trial = compute(trial)
        if tf.reduce_sum(r_trial**2) < tf.reduce_sum(r**2):
            w, r, J, damping = trial, r_trial, J_trial, damping / 3
        else:
            damping *= 2
        yield w


heat = with_jacobian(lambda copies: heat_errors(copies[:400], copies[400:]), 490)

# %% tags=["claims"]
w = rods["tanh"]
r, J = heat(tf.constant(w))
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(heat_errors(w, w) ** 2)
assert J.shape == (490, 337)
assert np.allclose(2 * tf.transpose(J) @ r, tape.gradient(loss, w)[:, None])

# %% [markdown]
# > **Predict**
# >
# > Adam took 4,000 steps above. Now take 200 of this kind. Whose largest error is smaller?

# %%
predict("19.e", "")

# %%
begun = time.process_time()
for number, w in enumerate(levenberg_marquardt(heat, tf.constant(new_weights(2)), 200), start=1):
    rods["Levenberg-Marquardt"] = w
    if number % 20 == 0:
        print(f"{number} of 200 steps", end="\r")
seconds_of_network = time.process_time() - begun

# %% tags=["nbval-ignore-output"]
print(f"largest error with Adam:                {largest_error(rods['tanh']):.5f}")
print(f"largest error with Levenberg-Marquardt: {largest_error(rods['Levenberg-Marquardt']):.5f}")

# %% tags=["claims"]
assert largest_error(rods["Levenberg-Marquardt"]) < largest_error(rods["tanh"]) / 3

# %% [markdown]
# Levenberg and Marquardt's, by more than a factor of three. The reason is the same as for Newton's method in lesson
# 06: JᵀJ knows which directions are flat and which are steep, so one step can be long in the flat ones and short in
# the steep ones. The price is J, 490 times 337 numbers here. For a million weights it is out of the question.
#
# ### Exercise 19.4: complete
#
# Write one step, for any errors. Solve (JᵀJ + damping · I) s = Jᵀr. If the sum of squared errors at w - s is smaller
# than at w, return w - s and a tenth of the damping. Otherwise return w and ten times the damping.


# %% exercise="19.4"
def marquardt_step(errors_of, w, damping):
    """Return a pair: the weights, (p,), and the damping. errors_of(w) has shape (m,)."""
    ### BEGIN SOLUTION
    with tf.GradientTape() as tape:
        tape.watch(w)
        r = errors_of(w)
    J = tape.jacobian(r, w)  # (m, p)
    bowl = tf.transpose(J) @ J + damping * tf.eye(len(w), dtype=w.dtype)
    trial = w - tf.linalg.solve(bowl, tf.transpose(J) @ r[:, None])[:, 0]
    if tf.reduce_sum(errors_of(trial) ** 2) < tf.reduce_sum(r**2):
        return trial, damping / 10
    return w, damping * 10
    ### END SOLUTION


# %%
check("19.4", marquardt_step)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# `w` is a constant, so watch it. `tape.jacobian(r, w)` has shape (m, p).
#
# </details>
# <details><summary>Hint 2</summary>
#
# `tf.linalg.solve(A, b)` needs b with two axes: `r[:, None]`. Take the only column of the result.
#
# </details>

# %% [markdown]
# ### When is a network better than a solver?
#
# The heat equation was solved long before there were neural networks. In the method of Crank and Nicolson, you divide
# the rod into pieces, here 50, and the time into steps, here 50. Each step is one product with a small matrix.


# %%
def solve_on_grid(k, start, pieces=50, steps=50):
    """Return the temperatures, (steps + 1, pieces + 1), from those at the start."""
    bend = np.eye(pieces - 1, k=1) + np.eye(pieces - 1, k=-1) - 2 * np.eye(pieces - 1)
    half = k * pieces**2 / steps / 2 * bend
    step = np.linalg.solve(np.eye(pieces - 1) - half, np.eye(pieces - 1) + half)
    rows = [np.array(start)]
    for _ in range(steps):
        # 0 at both ends
        rows.append(np.pad(step @ rows[-1][1:-1], 1))
    return np.stack(rows)


# %% [markdown]
# > **Predict**
# >
# > The solver is nearer to the truth than both networks. How long does it take, compared with the 200 steps above?

# %%
predict("19.f", "")

# %% tags=["nbval-ignore-output"]
start = np.sin(np.pi * x) + np.sin(3 * np.pi * x) / 2
on_grid = solve_on_grid(0.1, start)
error_on_grid = np.max(np.abs(on_grid.reshape(-1, 1) - true_temperature(grid)))
seconds = min(timeit.repeat(lambda: solve_on_grid(0.1, start), number=1, repeat=20))

print(f"largest error {error_on_grid:.5f}, time {seconds / seconds_of_network:.1e} of the network's")

# %% tags=["claims"]
assert error_on_grid < 3e-4 < largest_error(rods["Levenberg-Marquardt"])
assert seconds / seconds_of_network < 0.01

# %% [markdown]
# Less than a hundredth of the time, and with a smaller error. It takes 50 products with a small matrix, and the
# network solved 200 systems of 337 equations. If everything is known but the solution, and the shape is simple, use a
# solver.
#
# Now you have 200 measured temperatures, at random places and times, each with an error of about 0.02. Nobody knows how
# the rod started, or what its ends did. How well does it conduct? A solver needs a start and the ends. You can guess
# them, here a rod that starts at 1 everywhere, and try many k:

# %%
random = np.random.RandomState(20)
spots = tf.constant(random.uniform(size=(200, 2)))
measured = true_temperature(spots) + 0.02 * random.normal(size=(200, 1))

# the nearest point of the grid
rows, columns = np.rint(50 * spots.numpy()).astype(int).T
guessed_start = np.pad(np.ones(49), 1)
candidates = np.geomspace(0.02, 1.0, 200)
misfits = [
    np.mean((solve_on_grid(k, guessed_start)[rows, columns] - measured[:, 0]) ** 2)
    for k in candidates
]
print(f"k from the guessed start: {candidates[np.argmin(misfits)]:.3f}, true k: 0.100")

# %% tags=["claims"]
assert abs(candidates[np.argmin(misfits)] - 0.1) > 0.02

# %% [markdown]
# For the network, k is one more weight. It must be positive, so train a number `a`, which may have any value, and use
# k = exp(a). The errors are the residuals, which now contain exp(a), and the differences from the measurements. A
# border is not needed.


# %%
def rod_errors(copies):
    """Return 600 errors from rows that hold the weights, and a as the last number."""
    w, a = copies[:, :-1], copies[:, -1:]
    u_t, u_xx = slopes(lambda points: network(w[:400], points), inside)
    misfit = network(w[400:], spots) - measured
    return tf.concat([(u_t - tf.exp(a[:400]) * u_xx) / 20, misfit / np.sqrt(20)], axis=0)


rod_with_jacobian = with_jacobian(rod_errors, 600)
conductivities = {}
for k_start in (1.0, 0.02):
    weights = tf.concat([new_weights(2), [np.log(k_start)]], axis=0)
    steps = levenberg_marquardt(rod_with_jacobian, weights, 120)
    conductivities[k_start] = [k_start] + [float(tf.exp(w[-1])) for w in steps]
    print(f"k from the start {k_start}: {conductivities[k_start][-1]:.2f}")

# %% tags=["claims"]
assert all(abs(path[-1] - 0.1) < 0.01 for path in conductivities.values())

# %% [markdown]
# In the figure, follow both lines to the dashed one, the true k:

# %%
fig, ax = plt.subplots(figsize=(6.4, 3))
for k_start, path in conductivities.items():
    (drawn,) = ax.plot(path)
    ax.annotate(f"from {k_start}", (2, k_start), color=drawn.get_color(), va="center")
ax.axhline(0.1, color="0.4", ls="--")
labels = ax.set(xlabel="steps", ylabel="k = exp(a)", yscale="log")

# %% [markdown]
# Here the network holds its own. It uses measurements wherever they are, and finds what is unknown together with the
# rest. A solver can do the same, if its start and ends are unknowns and you differentiate through its steps.

# %% [markdown]
# ## Further reading
#
# - Raissi, Perdikaris and Karniadakis, *Physics-informed neural networks*, Journal of Computational Physics 378 (2019).
# - Krishnapriyan et al., *Characterizing possible failure modes in physics-informed neural networks*, NeurIPS 2021.
# - Nocedal and Wright, *Numerical Optimization*, 2nd edition, Springer 2006: chapter 10, squared errors.
#
# Next, the same step on several devices: [20 · Bigger machines](20_bigger_machines.ipynb).

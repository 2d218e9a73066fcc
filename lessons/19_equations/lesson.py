# %% [markdown] part="Part III: what fit cannot say"
# # 19 · Equations
#
# Sometimes you have no measured answers, but a law that every answer must obey. Then the derivatives of a network's
# *output* with respect to its *input* stand in the loss. A tape has to go through them, and a tiny loss may still
# belong to a wrong solution.
#
# **You will learn to**
#
# - turn a differential equation into a loss, with its starting values weighted or built in;
# - take second derivatives of a network's output, each by itself;
# - write a Levenberg-Marquardt step, and measure it against Adam;
# - say when a network loses against a plain solver, and when it does not.
#
# **Before you start**: [06 · Higher-order gradients](06_higher_order.ipynb) and
# [17 · Learning to learn](17_learning_to_learn.ipynb). **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import check, plot_loss_surface, predict, record_tape, start_lesson

start_lesson("19")

import time
import timeit
from itertools import pairwise

import keras
import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf

# %% [markdown]
# ## How does an equation become a loss?
#
# The weight on a spring of lesson 06 obeys u'' + u'/2 + 65/16 u = 0, where u is its position. It starts at 1 with speed
# -1/4. Put any function into the left side: what comes out is its **residual**. It is 0 at all times for a solution, and
# for nothing else.


# %%
def motion(u, t):
    """Return u, u' and u'' at the times t, each (n, 1)."""
    with tf.GradientTape() as outer:
        outer.watch(t)
        with tf.GradientTape() as inner:
            inner.watch(t)
            position = u(t)
        speed = inner.gradient(position, t)
    return position, speed, outer.gradient(speed, t)


def residual(u, t):
    position, speed, acceleration = motion(u, t)
    return acceleration + speed / 2 + 65 / 16 * position


# %%
def swing(t):
    # the solution, worked out by hand
    return tf.exp(-t / 4) * tf.cos(2 * t)


# (100, 1), seconds
times = tf.linspace(tf.constant(0.0, tf.float64), 5.0, 100)[:, None]
sizes = {u.__name__: np.max(np.abs(residual(u, times))) for u in (swing, tf.cos)}

print({name: "0" if size < 1e-9 else "not 0" for name, size in sizes.items()})

# %% tags=["claims"]
assert sizes["swing"] < 1e-9 and sizes["cos"] > 1

# %% [markdown]
# Now let a network be u. As in lesson 17 its weights are an argument: here one vector, w, of length p. Further down
# each point gets a copy of them, so that w is (n, p). Until then read `copies` as the empty tuple.


# %%
SIZES = (16, 16, 1)


def new_weights(inputs):
    random, weights = np.random.RandomState(19), []
    for rows, columns in pairwise((inputs, *SIZES)):
        weights += [random.normal(size=rows * columns) / np.sqrt(rows), np.zeros(columns)]
    return tf.Variable(np.concatenate(weights))  # (p,), float64


def network(w, points, activation=tf.tanh):
    """Return (n, 1) for points (n, inputs) and weights (p,), or (n, p): a set for each point."""
    shapes, copies = list(pairwise((points.shape[1], *SIZES))), w.shape[:-1]
    parts = iter(tf.split(w, [size for a, b in shapes for size in (a * b, b)], axis=-1))
    h = tf.reshape(points, (*copies, -1, points.shape[1]))
    for a, b in shapes:
        h = h @ tf.reshape(next(parts), (*copies, a, b)) + tf.reshape(next(parts), (*copies, 1, b))
        h = activation(h) if b > 1 else h
    return tf.reshape(h, (-1, 1))


# %%
def train(loss_of, w, steps=3000):
    """Take steps of Adam on loss_of(w), and return the variable w. A dot is a tenth."""
    optimizer = keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(1e-2, steps))
    optimizer.build([w])

    @tf.function
    def run():
        for _ in tf.range(steps // 10):
            with tf.GradientTape() as tape:
                loss = loss_of(w)
            optimizer.apply([tape.gradient(loss, w)], [w])

    for _ in range(10):
        run()
        print(".", end="", flush=True)
    return w


# %% [markdown]
# > **Predict**
# >
# > The loss is the mean squared residual at 100 times, and nothing else. It will fall close to 0. Which motion does the
# > network find?

# %%
predict("19.a", "")


# %%
def residual_loss(w):
    return tf.reduce_mean(residual(lambda t: network(w, t), times) ** 2)


found = {"no start": network(train(residual_loss, new_weights(1)), times)}

largest = np.max(np.abs(found["no start"]))
print(f" largest position: {largest:.1f}")

# %% [markdown]
# Every solution has the loss 0, half of the swing too. But what the network shows on the way is no solution yet, and
# at half its size it has a quarter of the loss. So here the training shrinks it, down to rest. The starting values
# choose one solution: they belong in the loss.

# %%
sizes = (1.0, 0.5, 0.0)
squares = [residual(lambda t, size=size: size * tf.cos(t), times) ** 2 for size in sizes]
losses = [float(tf.reduce_mean(square)) for square in squares]

print("losses of cos t, of half of it, and of rest:", [f"{loss:.1f}" for loss in losses])

# %% tags=["claims"]
assert largest < 0.05 and losses[2] == 0 and np.isclose(losses[1], losses[0] / 4)
assert np.allclose(residual(lambda t: swing(t) / 2, times), 0)

# %% [markdown]
# ## Where do the starting values go?
#
# First as a second term of the loss, with a weight.
#
# > **Predict**
# >
# > The starting values are certain, and the loss weighs their squared errors by 0.01, 1 or 100. Which weight leads closest
# > to the true motion, in the same number of steps?

# %%
predict("19.b", "")


# %%
def with_start(weight):
    def loss_of(w):
        position, speed, acceleration = motion(lambda t: network(w, t), times)
        left = acceleration + speed / 2 + 65 / 16 * position
        start = (position[0, 0] - 1) ** 2 + (speed[0, 0] + 1 / 4) ** 2
        return tf.reduce_mean(left**2) + weight * start

    return loss_of


for weight in (0.01, 1.0, 100.0):
    found[weight] = network(train(with_start(weight), new_weights(1)), times)
errors = {name: np.max(np.abs(u - swing(times))) for name, u in found.items()}
print(" closest:", min(errors, key=errors.get))

# %% [markdown]
# There is a way without a weight: **build the start in**. The motion 1 - tanh(t)/4 + tanh(t)² · network(t) starts at 1 with
# speed -1/4, whatever the network says: at 0, tanh(t)² and its slope are 0. Later, tanh(t)² is close to 1 and the network
# is free.


# %%
def built_in(w):
    def u(t):
        return 1 - tf.tanh(t) / 4 + tf.tanh(t) ** 2 * network(w, t)

    return u


position, speed, _ = motion(built_in(tf.random.normal((321,), dtype=tf.float64)), times)
print(f"untrained, at 0: {position[0, 0]:.2f} and {speed[0, 0]:.2f}")
assert np.allclose([position[0, 0], speed[0, 0]], [1, -0.25])

w = train(lambda w: tf.reduce_mean(residual(built_in(w), times) ** 2), new_weights(1))
found["built in"] = built_in(w)(times)
errors["built in"] = np.max(np.abs(found["built in"] - swing(times)))
print(" within 0.05:", [name for name, error in errors.items() if error < 0.05])

# %% [markdown]
# From this start its error is below 0.05, as with the lucky weight, and there was no weight to choose. In the figure, look at the first
# second of each line, and then how far it stays with the truth, in grey.

# %%
assert max(errors[1.0], errors["built in"]) < 0.05 < 0.1 < min(errors[0.01], errors[100.0])

fig, panels = plt.subplots(1, 4, figsize=(9.6, 2.6), sharey=True)
titles = {0.01: "weight 0.01", 1.0: "weight 1", 100.0: "weight 100", "built in": "built in"}
for ax, (name, title) in zip(panels, titles.items(), strict=True):
    ax.plot(times[:, 0], swing(times)[:, 0], color="0.6", lw=4)
    ax.plot(times[:, 0], found[name][:, 0], color="C0")
    labels = ax.set(title=f"{title}\noff by {errors[name]:.1g}", xlabel="t in seconds")
label = panels[0].set_ylabel("position u")

# %% [markdown]
# Does this need a loop of your own? No: the loss needs only the model and x, so in `fit`, `compute_loss` will do. One
# step of each, from the same weights:


# %%
class Spring(keras.Sequential):
    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        return tf.reduce_mean(residual(self, x) ** 2)


some_times = tf.cast(times, tf.float32)
layers = keras.Input((1,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(1)
by_fit, by_tape = Spring(layers), keras.models.clone_model(keras.Sequential(layers))
start_weights = by_fit.get_weights()
by_tape.set_weights(start_weights)
by_fit.compile(keras.optimizers.SGD(0.01))
history = by_fit.fit(some_times, batch_size=100, verbose=0)

# %%
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(residual(by_tape, some_times) ** 2)
gradients = tape.gradient(loss, by_tape.trainable_variables)
keras.optimizers.SGD(0.01).apply(gradients, by_tape.trainable_variables)

pairs = zip(by_fit.get_weights(), by_tape.get_weights(), strict=True)
difference = max(np.max(np.abs(a - b)) for a, b in pairs)
moved = np.max(np.abs(by_fit.get_weights()[2] - start_weights[2]))

print("equal weights:", difference < 1e-5, " moved:", moved > 1e-3)

# %% tags=["claims"]
assert difference < 1e-5 and moved > 1e-3

# %% [markdown]
# ### Exercise 19.1: complete
#
# A pendulum that somebody pushes obeys θ'' + damping · θ' + sin θ = push(t). Return its residual, left side minus right
# side, at each time. The check also puts a tape around your function, and asks it for the gradient with respect to the
# weights in `theta`.


# %% exercise="19.1"
def pendulum_residual(theta, push, t, damping):
    """Return (n, 1); theta and push are functions of times (n, 1), and t is a constant."""
    ### BEGIN SOLUTION
    with tf.GradientTape() as outer:
        outer.watch(t)
        with tf.GradientTape() as inner:
            inner.watch(t)
            angle = theta(t)
        speed = inner.gradient(angle, t)
    acceleration = outer.gradient(speed, t)
    return acceleration + damping * speed + tf.sin(angle) - push(t)
    ### END SOLUTION


# %%
check("19.1", pendulum_residual)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# The two tapes of `motion`. The inner gradient is asked for inside the outer block.
#
# </details>
# <details><summary>Hint 2</summary>
#
# θ'' + damping · θ' + sin θ - push(t). The sine is that of the angle.
#
# </details>

# %% [markdown]
# ## What does a second derivative cost?
#
# Now a rod, with both ends on ice. Its temperature u(t, x) obeys the heat equation u_t = k u_xx: a place cools where the
# temperature curve bends down. The points have two columns, t and x.
#
# In tutorials you will read: differentiate twice with respect to the points, and take the last column.
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
second = outer.gradient(both, points)

print(second.numpy()[0, 1])

# %% [markdown]
# A tape sums its targets (lesson 04), and `both` holds two. So u_xx = 2 gets u_tx = 2x = 6 added, the **mixed
# derivative**: the slope of u_t along x. Ask for what you want: u_x alone. So each column is a tensor of its own, and
# the network gets them joined. `watch_accessed_variables=False` keeps the weights off these two tapes; the tape of
# the training step still watches them.


# %%
def slopes(u, points, only_watched=True):
    """Return u_t and u_xx, each (n, 1), at points (n, 2)."""
    t, x = points[:, :1], points[:, 1:]
    with tf.GradientTape(watch_accessed_variables=not only_watched) as outer:
        outer.watch(x)
        with tf.GradientTape(watch_accessed_variables=not only_watched) as inner:
            inner.watch([t, x])
            values = u(tf.concat([t, x], axis=1))
        u_t, u_x = inner.gradient(values, [t, x])
    return u_t, outer.gradient(u_x, x)


u_t, u_xx = slopes(lambda points: points[:, :1] * points[:, 1:] ** 2, points)
print(f"u_t = {u_t.numpy().item():.0f}, u_xx = {u_xx.numpy().item():.0f}")

# %% tags=["claims"]
# u_xx, and the mixed u_tx besides
assert u_t == 9 and u_xx == 2 and second[0, 1] == 2 + 2 * 3

# %% [markdown]
# With a network in place of the formula, at 400 random points:

# %%
# t and x from 0 to 1
inside = tf.constant(np.random.RandomState(19).uniform(size=(400, 2)))
w = new_weights(2)
u_t, u_xx = slopes(lambda points: network(w, points), inside)

print(u_t.shape, u_xx.shape)

# %% tags=["claims"]
assert u_t.shape == u_xx.shape == (400, 1)

# %% [markdown]
# ### Further: the other route, and what each one records
#
# The other route is forward over reverse (lesson 06): one tape, and rates of change carried along. The accumulator starts x
# with the rate 1, and reads the rate of u_x.


# %%
def slopes_forward(u, points):
    t, x = points[:, :1], points[:, 1:]
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch([t, x])
            values = u(tf.concat([t, x], axis=1))
        u_t, u_x = tape.gradient(values, [t, x])
    return u_t, accumulator.jvp(u_x)


routes = [route(lambda points: network(w, points), inside) for route in (slopes, slopes_forward)]

print("equal:", np.allclose(routes[0], routes[1]))

# %% tags=["claims"]
assert np.allclose(routes[0], routes[1])

# %% [markdown]
# The loss then needs a gradient for w, so the tape of the training step records all of it. `record_tape` is such a tape.
# Its matrix products count the passes: the network has three layers, so one pass needs three.


# %%
def recorded(f):
    names = [operation.op_type for operation in record_tape(f, w).operations]
    return {"operations": len(names), "products": names.count("MatMul")}


def network_at(w):
    return lambda points: network(w, points)


print("u:", recorded(lambda w: network(w, inside)))
print("u_t and u_xx:", recorded(lambda w: sum(slopes(network_at(w), inside))))
print("weights watched:", recorded(lambda w: sum(slopes(network_at(w), inside, False))))
forward = recorded(lambda w: sum(slopes_forward(network_at(w), inside)))
print("forward over reverse:", forward["products"], "products outside functions")

# %% [markdown]
# One pass for u, one way back for both slopes, and one more for u_xx: about three times the products of u. And then
# the training step walks back through all that. If the inner tapes watch the weights, slopes that nobody asks for are
# recorded, too: about six times the products of u. (A graph drops them again; eager code runs them.)
#
# Forward over reverse has no second way back. Its rates run in small functions, whose products this count does not
# see: fewer products here do not say that it is quicker.

# %%
counts = [
    recorded(lambda w: network(w, inside)),
    recorded(lambda w: sum(slopes(network_at(w), inside))),
    recorded(lambda w: sum(slopes(network_at(w), inside, False))),
]
first, second, third = (count["products"] for count in counts)
print(f"products, compared with u: {second / first:.0f} and {third / first:.0f} times")

# %% tags=["claims"]
assert first == 3 and second <= 4 * first and third >= 1.5 * second
assert forward["products"] < second

# %% [markdown]
# ### Exercise 19.2: repair
#
# Where the material changes along the rod, the conductivity is a function k(x), and the law is
# u_t = (k(x) u_x)_x: it is the *flow* k(x) u_x whose slope counts. This program runs, and two things are wrong. Return the
# residual, left side minus right side, one number for each point.


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
# What is `second[:, 1]` for u = t x²? And what is the slope of a product of two functions of x?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Compute the flow k(x) · u_x inside the outer block, and ask the outer tape for the slope of the flow alone.
#
# </details>

# %% [markdown]
# ## Which networks have a second derivative?
#
# The rod starts at sin(πx) + sin(3πx)/2, its ends stay at 0, and k is 0.1. The true temperature is known, which lets you
# judge what comes out. The loss is the mean squared residual at 400 points inside, and ten times the mean squared error at 90
# on the border. It is written as a sum of squares of 490 errors, for later.


# %%
def true_temperature(points):
    t, x = points[:, :1], points[:, 1:]
    first = tf.exp(-0.1 * np.pi**2 * t) * tf.sin(np.pi * x)
    return first + tf.exp(-0.9 * np.pi**2 * t) * tf.sin(3 * np.pi * x) / 2


# %%
def column(t, x):
    return np.stack(np.broadcast_arrays(t, x), axis=-1).reshape(-1, 2).astype(float)


line = np.linspace(0, 1, 30)
border = tf.constant(np.concatenate([column(0, line), column(line, 0), column(line, 1)]))
grid = tf.constant(column(np.linspace(0, 1, 51)[:, None], np.linspace(0, 1, 51)))


# %%
def heat_errors(w_inside, w_border, activation=tf.tanh):
    """Return 490 errors, (490, 1): the sum of their squares is the loss."""
    u_t, u_xx = slopes(lambda points: network(w_inside, points, activation), inside)
    at_border = network(w_border, border, activation) - true_temperature(border)
    # 1/400 and 10/90
    return tf.concat([(u_t - 0.1 * u_xx) / 20, at_border / 3], axis=0)


def largest_error(w, activation=tf.tanh):
    return np.max(np.abs(network(w, grid, activation) - true_temperature(grid)))


# %% [markdown]
# Two networks: one with `tanh`, and one with `relu`.
#
# > **Predict**
# >
# > Both losses end below 0.01. What does the rod do in the network with `relu`?

# %%
predict("19.d", "")

# %%
rods, loss_at_end = {}, {}
for activation in (tf.tanh, tf.nn.relu):
    def heat_loss(w, activation=activation):
        return tf.reduce_sum(heat_errors(w, w, activation) ** 2)

    name = activation.__name__
    rods[name] = train(heat_loss, new_weights(2), steps=4000)
    loss_at_end[name] = float(heat_loss(rods[name]))
    print(f" {name}, loss below 0.01:", loss_at_end[name] < 0.01)

# %% [markdown]
# In the figure, look at t = 0 and then at t = 0.5, when the rod should have cooled to the grey line.

# %%
fig, panels = plt.subplots(1, 2, figsize=(8, 3), sharey=True)
x = np.linspace(0, 1, 51)
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

# %% [markdown]
# The network with `relu` is made of straight pieces. On each, u_xx is exactly 0, so the equation reads u_t = 0, and
# the best rod stays as it started. It bends only at the kinks between the pieces, and no point lies there. **A small
# loss says that, at the points, the tape's derivatives nearly obey the law. It says nothing of derivatives that the
# tape cannot see.**

# %%
u_t, u_xx = slopes(lambda points: network(rods["relu"], points, tf.nn.relu), inside)
errors = {name: largest_error(w, getattr(tf.nn, name)) for name, w in rods.items()}
at_start, later = (network(rods["relu"], tf.constant(column(t, x)), tf.nn.relu) for t in (0.0, 0.5))
moved = np.max(np.abs(later - at_start))

print("relu: moved by less than 0.1:", moved < 0.1)
print("relu: u_xx is 0 at every point:", np.all(u_xx == 0))
print({name: "off by more than a half" if e > 0.5 else "within 0.05" for name, e in errors.items()})

# %% tags=["claims"]
assert np.all(u_xx == 0) and loss_at_end["relu"] < 0.01 and loss_at_end["tanh"] < 0.01
assert errors["relu"] > 0.5 and errors["tanh"] < 0.05 and moved < 0.1

# %% [markdown]
# ### Exercise 19.3: complete
#
# Build everything in, for a rod from 0 to `length`: u must be `start(x)` at t = 0, the number `left` at x = 0 and
# `right` at x = `length`, at all times and whatever `network` returns. Everywhere else the network must be able to
# change it, and u may not jump. `start(0)` is `left`, and `start(length)` is `right`.


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
# Which function of x alone has all three right, if the rod never cools?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Add the network, times a factor that is 0 at t = 0, at x = 0 and at x = length, and nowhere else.
#
# </details>

# %% [markdown]
# ## Which step suits squared errors?
#
# Where the loss is a sum of squared errors, you know more than its slope, and a step can use that. First with two
# unknowns: the decay and the frequency of a swing, from 60 measured positions. Near w, the errors r change as their
# jacobian J says: at w - s they are about r - J s.


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
off = swing_errors(first_guess - s) - (r - tf.linalg.matvec(J, s))
print(f"off by less than a hundredth: {np.max(np.abs(off)) < 0.01}")

# %% tags=["claims"]
assert np.max(np.abs(off)) < 0.01

# %% [markdown]
# The sum of the squares of r - J s is a bowl over s. Its bottom is where its slope, 2 Jᵀ(J s - r), is 0: at JᵀJ s =
# Jᵀr. No second derivative was needed. But that holds near w alone, and the bottom may be far. **Levenberg and
# Marquardt** therefore charge for the length of the step. They make |r - J s|² + damping · |s|² smallest. The slope
# of that is 0 where
#
# (JᵀJ + damping · I) s = Jᵀr
#
# In the figure, follow the line of all such steps, from much damping to little. It leaves the start straight down the slope, crosses the valley, and
# ends at the bottom of the bowl, where the true loss is larger than at the start.

# %%
dampings = np.geomspace(1e3, 1e-3, 40)
steps = [
    np.linalg.solve(np.transpose(J) @ J + damping * np.eye(2), np.dot(np.transpose(J), r))
    for damping in dampings
]
path = [first_guess.numpy(), *(first_guess.numpy() - s for s in steps)]
loss_at = tf.function(lambda w: tf.reduce_sum(swing_errors(w) ** 2))
along = [float(loss_at(tf.constant(w))) for w in path]

print("best damping:", "between" if 0 < np.argmin(along) < 40 else "at an end")
assert along[-1] > along[0] > 1.5 * min(along)

box = {"x_range": (0.0, 1.2), "y_range": (1.4, 3.0), "labels": ("decay", "frequency")}
ax = plot_loss_surface(
    lambda a, b: loss_at(tf.constant([a, b])), **box, path=path, points=31
)

# %% [markdown]
# So: solve, and look. If the loss falls, take the step, and lower the damping. If it does not, stay, and raise it. There is no
# learning rate to choose, and a step that does harm is taken back.
#
# For the rod, J is 490 times 337. With a copy of w for each point, one way back is enough: error i depends on row i
# of the copies alone, so row i of the gradient of their sum is row i of J.


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
heat = with_jacobian(lambda copies: heat_errors(copies[:400], copies[400:]), 490)
r, J = heat(tf.constant(new_weights(2)))

# as a proof, the gradient of the loss: twice Jᵀr
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(heat_errors(w, w) ** 2)
agrees = np.allclose(2 * tf.transpose(J) @ r, tape.gradient(loss, w)[:, None])

print(J.shape, agrees)

# %% tags=["claims"]
assert J.shape == (490, 337) and agrees

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


# %% [markdown]
# > **Predict**
# >
# > Adam took 4,000 steps above. Here are 200 of this kind. Whose largest error is smaller?

# %%
predict("19.e", "")

# %%
steps = levenberg_marquardt(heat, tf.constant(new_weights(2)), 200)
begun, curve = time.process_time(), []
for number, w in enumerate(steps, start=1):
    if number % 20 == 0:
        curve.append((time.process_time() - begun, largest_error(w)))
        print(".", end="", flush=True)
rods["Levenberg-Marquardt"] = w

closer = "Adam" if errors["tanh"] < curve[-1][1] else "Levenberg-Marquardt"
print(" closer:", closer)

# %% [markdown]
# The reason is the same as for Newton's method in lesson 06: JᵀJ knows which directions are flat, and one step serves them all. The price
# is J: 490 times 337 numbers here, and out of the question for a million weights.

# %%
print("more than three times closer:", curve[-1][1] < errors["tanh"] / 3)

# %% tags=["claims"]
assert curve[-1][1] < errors["tanh"] / 3

# %% [markdown]
# ### Exercise 19.4: complete
#
# One step, for any errors. Solve (JᵀJ + damping · I) s = Jᵀr. If the sum of squared errors at w - s is smaller than at w, return w - s
# and a tenth of the damping; otherwise w and ten times the damping.


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
# `tf.linalg.solve(A, b)` wants b with two axes: `r[:, None]`. Take the one column of what comes out.
#
# </details>

# %% [markdown]
# ## When does a network not lose?
#
# This equation was solved long before there were networks, on a grid: 50 pieces of the rod, 50 steps in time, and each step one
# product with a small matrix (Crank and Nicolson's).


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
# > It is nearer to the truth than both networks. How long does it take, compared with the 200 steps above?

# %%
predict("19.f", "")

# %%
start = np.sin(np.pi * x) + np.sin(3 * np.pi * x) / 2
on_grid = solve_on_grid(0.1, start)
error_on_grid = np.max(np.abs(on_grid.reshape(-1, 1) - true_temperature(grid)))
seconds = min(timeit.repeat(lambda: solve_on_grid(0.1, start), number=1, repeat=20))

share = seconds / curve[-1][0]
print("share of the time:", next(s for s in (0.01, 0.1, 1.0, np.inf) if share < s), "at most")

# %% [markdown]
# So the solver wins, by more than a factor of a hundred in time, and it is closer. Where all is known but the solution, on
# a simple shape, use a solver.

# %%
print("closer than the network:", error_on_grid < curve[-1][1])

# %% tags=["claims"]
assert error_on_grid < 3e-4 < curve[-1][1] and share < 0.01

# %% [markdown]
# ### What does the rod conduct?
#
# Now somebody measured 200 temperatures, at random places and times, each off by 0.02 or so. Nobody knows how the rod started, or what its
# ends did. How well does it conduct? The solver cannot even begin: it needs a start and ends. You may guess them, and try
# many k: here with a rod that starts at 1 everywhere.

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
from_guess = candidates[np.argmin(misfits)]
print(f"k from the guessed start: off by more than a fifth: {abs(from_guess - 0.1) > 0.02}")

# %% tags=["claims"]
assert abs(from_guess - 0.1) > 0.02

# %% [markdown]
# For the network, k is one more weight. It must be positive, and a step may end anywhere. So the weight is a, which
# may be any number, and k = exp(a). The errors are the residuals, which now hold exp(a), and the distances from what
# was measured. A border is not needed.


# %%
def rod_errors(copies):
    """Return 600 errors from rows that hold the weights, and a as the last number."""
    w, a = copies[:, :-1], copies[:, -1:]
    u_t, u_xx = slopes(lambda points: network(w[:400], points), inside)
    misfit = network(w[400:], spots) - measured
    # 1/400 and 10/200
    return tf.concat([(u_t - tf.exp(a[:400]) * u_xx) / 20, misfit / np.sqrt(20)], axis=0)


rod_with_jacobian = with_jacobian(rod_errors, 600)
conductivities = {}
for k_start in (1.0, 0.02):
    print(f"from {k_start}: within 0.01 of 0.1:", end=" ", flush=True)
    weights = tf.concat([new_weights(2), [np.log(k_start)]], axis=0)
    steps = levenberg_marquardt(rod_with_jacobian, weights, 120)
    conductivities[k_start] = [k_start] + [float(tf.exp(w[-1])) for w in steps]
    print(abs(conductivities[k_start][-1] - 0.1) < 0.01)

# %% [markdown]
# In the figure, follow both lines to the dashed one, the true k.

# %%
assert all(abs(path[-1] - 0.1) < 0.01 for path in conductivities.values())

ax = plt.subplots(figsize=(6.4, 3))[1]
for k_start, path in conductivities.items():
    (drawn,) = ax.plot(path)
    ax.annotate(f"from {k_start}", (2, k_start), color=drawn.get_color(), va="center")
ax.axhline(0.1, color="0.4", ls="--")
labels = ax.set(xlabel="steps", ylabel="k = exp(a)", yscale="log")

# %% [markdown]
# Here the network does not lose: it takes measurements wherever they are, and what is unknown is found with the rest.
# A solver can be taught the same, with its start and its ends as unknowns and a gradient through its steps. A network
# also gives u and its slopes at any point, and needs no grid, whose points multiply with each dimension.

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open it.
#
# <details><summary>1. Your loss is tiny, and the solution is wrong. Name three reasons.</summary>
#
# The border is missing or weighs too little, so another solution fits. The activation is `relu`, whose second derivative is 0 for a tape. Or the second
# derivative holds a mixed one.
#
# </details>
# <details><summary>2. A Keras network's loss holds u_t and u_xx alone. Which of its variables gets <code>None</code>?</summary>
#
# The bias of the last layer, if no activation follows it: it shifts u, and no slope of u holds it, as with the penalty of
# lesson 16. It is no fault; the border needs it.
#
# </details>
# <details><summary>3. When do you leave Adam for Levenberg and Marquardt?</summary>
#
# When the loss is a sum of squares, over all data at once, and there are hundreds or a few thousand weights.
#
# </details>

# %% [markdown]
# ## Recap
#
# - Put a network into the equation: what is left is the loss.
# - Start and border choose the solution. Build them in where you can; a weight is one more thing to choose.
# - Ask for u_x alone before you ask for u_xx, and keep the weights off the inner tapes.
# - For a tape, the second derivative of `relu` is 0: its loss falls, and the law is not obeyed.
# - A sum of squares and a small network: Levenberg and Marquardt. A step that does harm is taken back.
# - A solver wins where all is known, on a simple shape. A network takes scattered measurements and an unknown coefficient.
#
# ```python
# with tf.GradientTape(watch_accessed_variables=False) as outer:
#     outer.watch(x)
#     with tf.GradientTape(watch_accessed_variables=False) as inner:
#         inner.watch([t, x])
#         u = network(tf.concat([t, x], axis=1))
#     u_t, u_x = inner.gradient(u, [t, x])
# residual = u_t - k * outer.gradient(u_x, x)
# ```
#
# **To remember**: a small loss says that, at its points, those derivatives obey the law that the tape can see.

# %% [markdown]
# ## Further reading
#
# - Raissi, Perdikaris and Karniadakis, *Physics-informed neural networks*, Journal of Computational Physics 378 (2019).
# - Krishnapriyan et al., *Characterizing possible failure modes in physics-informed neural networks*, NeurIPS 2021.
# - Nocedal and Wright, *Numerical Optimization*, 2nd edition, Springer 2006: chapter 10, squared errors.
#
# Next, the same step on several devices: [20 · Bigger machines](20_bigger_machines.ipynb).

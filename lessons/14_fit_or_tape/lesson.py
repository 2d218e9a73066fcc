# %% [markdown] part="Part II: training loops"
# # 14 · fit or tape
#
# You can write the loop yourself now. Should you? Many loops do what one argument of `compile` does, and each loop is a
# place where something can be left out.
#
# **You will learn to**
#
# - say what `fit` does, line by line;
# - choose the smallest means that does the job, from `compile` to a loop;
# - move a loss, a clipping, a penalty or a second optimizer into `fit`, and prove that nothing was lost;
# - find the faults of a training script that runs, by equality with `fit` and with the tools of this course.
#
# **Before you start**: [12 · Several losses](12_multi_loss.ipynb) and [13 · MNIST](13_mnist.ipynb).
# **Time**: {time}.

# %% tags=["nbval-ignore-output"]
from course_utils import check, make_classification, make_line, predict, start_lesson

start_lesson("14")

import tempfile
import warnings

import keras
import numpy as np
import tensorflow as tf
from keras import layers

# %% [markdown]
# ## What is fit, in your own words?
#
# Two loops, over epochs and over batches, around `train_step`, which holds the tape. Between them `fit` calls
# the callbacks, through a `CallbackList` that you may use as well:


# %%
def one_epoch(model, step, batches, callbacks):
    """Run the step on each batch, until they end or a callback stops; return the metrics."""
    model.reset_metrics()
    for number, batch in enumerate(batches):
        callbacks.on_train_batch_begin(number)
        callbacks.on_train_batch_end(number, step(batch))
        if model.stop_training:
            break
    return {name: float(value) for name, value in model.get_metrics_result().items()}


# %%
def own_fit(model, batches, epochs, callbacks):
    """Train as model.fit does, without validation and progress bar; return the number of epochs."""
    step = tf.function(model.train_step)
    callbacks = keras.callbacks.CallbackList(callbacks, model=model)
    model.stop_training = False
    callbacks.on_train_begin()
    for epoch in range(epochs):
        callbacks.on_epoch_begin(epoch)
        callbacks.on_epoch_end(epoch, one_epoch(model, step, batches, callbacks))
        if model.stop_training:
            break
    callbacks.on_train_end()
    return epoch + 1


# %% [markdown]
# The proof of lesson 09, and now with a callback that ends the training:

# %%
# (512, 20), (512,): classes 0 to 4
x, y = map(tf.constant, make_classification(512, seed=14))
# 16 batches
batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(32)
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def build_model(kind=keras.Sequential):
    keras.utils.set_random_seed(14)
    penalty = keras.regularizers.L2(1e-3)
    body = layers.Dense(32, activation="relu", kernel_regularizer=penalty, name="body")
    return kind([keras.Input((20,)), body, layers.Dense(5, name="head")], name="model")


def largest_difference(model, other):
    pairs = zip(model.get_weights(), other.get_weights(), strict=True)
    return max(np.max(np.abs(a - b)) for a, b in pairs)


# %%
ours, theirs, eager = build_model(), build_model(), []
patience = {"monitor": "loss", "min_delta": 0.1, "patience": 2}


def noting_loss(y, logits):
    eager.append(tf.executing_eagerly())
    return loss_fn(y, logits)


for model in (ours, theirs):
    model.compile(keras.optimizers.Adam(1e-2), noting_loss)

stop, stop_too = (keras.callbacks.EarlyStopping(**patience) for _ in range(2))
print("stopped early:", end=" ", flush=True)
epochs = own_fit(ours, batches, 50, [stop])
history = theirs.fit(batches, epochs=50, callbacks=[stop_too], shuffle=False, verbose=0)

print(epochs < 50, "and equal weights:", largest_difference(ours, theirs) < 1e-4)

# %% tags=["claims"]
assert epochs == len(history.epoch) < 50 and eager and not any(eager)
assert largest_difference(ours, theirs) < 1e-4 < 0.1 < largest_difference(ours, build_model())

# %% [markdown]
# For standard training, a loop ends with the same weights. `fit` makes a graph of the step, too: the loss never ran
# eagerly.
#
# A graph also changes which warnings you see. Here a layer rounds, so nothing before it has a gradient (lesson 03).
# The optimizer leaves out a `None` and warns.
#
# > **Predict**
# >
# > `fit` runs 48 steps, three epochs of 16. How many warnings does it give?

# %%
predict("14.a", "")


# %%
def train_rounded(train_head=True):
    """Fit a model whose first layer has no gradient; return the warnings that were given."""
    body, head = layers.Dense(32), layers.Dense(5, trainable=train_head)
    model = keras.Sequential([keras.Input((20,)), body, layers.Activation(tf.round), head])
    model.compile(keras.optimizers.SGD(0.1), loss_fn)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(batches, epochs=3, shuffle=False, verbose=0)
    return [str(each.message) for each in caught]


told = train_rounded()
print("warnings:", len(told))

# %% [markdown]
# A layer that never learns is easily lost in a log. (In a loop each `apply` warns, but Python shows a repeated warning
# once.) Where *every* gradient is `None`, the optimizer raises:

# %%
try:
    train_rounded(train_head=False)
except ValueError as error:
    message = str(error)
print(message)

# %% tags=["claims"]
assert message.startswith("No gradients provided for any variable")

# %%
sgd, pair, counts = keras.optimizers.SGD(0.1), [tf.Variable(1.0), tf.Variable(1.0)], {}
for kind in ("always", "default"):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(kind)
        for _ in range(3):
            sgd.apply([tf.constant(1.0), None], pair)
    counts[kind] = len(caught)

# %% tags=["claims"]
assert counts == {"always": 3, "default": 1}
assert "Gradients do not exist for variables" in told[0] and not told[1:]

# %% [markdown]
# ### Further: which kind of model?
#
# `fit` trains three kinds. Each can get a `train_step` of your own:
#
# | kind | when | with a step of your own |
# |---|---|---|
# | sequential | layers in a row | `class Own(keras.Sequential)` |
# | functional | branches, several inputs or outputs, activations to hand out | `class Own(keras.Model)`, made as `Own(inputs, outputs)` |
# | subclassed | the way through the layers depends on values, or is easier said in Python | `call` and `train_step` in one class |
#
# Take the first that can say it. With a `keras.Input` the first two have their variables, and a tensor for each
# layer's output, before any data come. A subclassed model is code: it has its variables once it has run, and such
# tensors only in parts that begin with a `keras.Input`.


# %%
class Subclassed(keras.Model):
    def __init__(self):
        super().__init__()
        self.body, self.head = layers.Dense(32, "relu"), layers.Dense(5)

    def call(self, x):
        return self.head(self.body(x))

# %%
row = keras.Sequential([keras.Input((20,)), layers.Dense(32, "relu"), layers.Dense(5)])
# functional: the same layers, by their tensors
graph = keras.Model(row.inputs, row.outputs)
hidden = keras.Model(graph.inputs, graph.layers[1].output)
subclassed = Subclassed()
known = [len(model.weights) for model in (row, graph, subclassed)]
subclassed(x)

print("variables before any data:", known, "and then:", len(subclassed.weights))

# %% tags=["claims"]
assert known == [4, 4, 0] and len(subclassed.weights) == 4
assert np.allclose(graph(x), row(x)) and hidden(x).shape == (512, 32)

# %% [markdown]
# ## What can compile and callbacks already do?
#
# **A loss that Keras lacks.** You want a **quantile**: a line with 90 % of the points below it. The *pinball loss*
# finds it: y above `y_hat` costs q for each unit, y below it 1 - q. `compile` takes a function of `(y, y_hat)` made of
# TensorFlow operations:


# %%
def pinball(q):
    def loss(y, y_hat):
        error = y - y_hat
        # (n,)
        return tf.reduce_mean(tf.maximum(q * error, (q - 1) * error), axis=-1)

    return loss


def line_model(kind=keras.Sequential):
    keras.utils.set_random_seed(14)
    return kind([keras.Input((1,)), layers.Dense(1)])


# (400, 1) both
x_line, y_line = map(tf.constant, make_line(400, noise=1.0, seed=14))

# %%
by_fit, by_loop, optimizer = line_model(), line_model(), keras.optimizers.Adam(0.1)
by_fit.compile(keras.optimizers.Adam(0.1), pinball(0.9))
print("fit trains", end=", ", flush=True)
by_fit.fit(x_line, y_line, batch_size=400, epochs=100, verbose=0)
print("then a loop")

for _ in range(100):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(pinball(0.9)(y_line, by_loop(x_line, training=True)))
    gradients = tape.gradient(loss, by_loop.trainable_variables)
    optimizer.apply(gradients, by_loop.trainable_variables)

share = float(np.mean(y_line < by_fit(x_line)))
print(f"below the line: {share:.0%}, equal weights: {largest_difference(by_loop, by_fit) < 1e-3}")

# %% tags=["claims"]
assert largest_difference(by_loop, by_fit) < 1e-3 and abs(share - 0.9) < 0.02

# %% [markdown]
# The loop adds nothing. Why `axis=-1`, one loss for each example? The mean of all trains just the same, until `fit`
# gets a `sample_weight`, a factor for each example. Two examples with the losses 1 and 3 and the weights 2 and 0:


# %%
def error_of_each(y, y_hat):
    return tf.reduce_mean(tf.abs(y - y_hat), axis=-1)  # (n,)


def mean_error(y, y_hat):
    return tf.reduce_mean(tf.abs(y - y_hat))  # ()


model, weighed = line_model(), []
for function in (error_of_each, mean_error):
    model.compile(loss=function)
    y_pair, weights = tf.constant([[1.0], [3.0]]), tf.constant([2.0, 0.0])
    loss = model.compute_loss(y=y_pair, y_pred=tf.zeros((2, 1)), sample_weight=weights)
    weighed.append(float(loss))

print("each:", weighed[0], " mean:", weighed[1])

# %% tags=["claims"]
assert np.allclose(weighed, [1.0, 2.0])

# %% [markdown]
# (2 · 1 + 0 · 3) / 2 = 1 is right; Keras divides by the number of examples. For the second function the weights come
# too late: the mean, 2, is weighed with 2 and with 0. The example that should not count still does.

# %% [markdown]
# ### Exercise 14.1: complete
#
# Ordering too little (`y_hat` below `y`) costs 3 times the squared error, too much the squared error once. Write the
# loss for `compile`: the mean over k goods, one number for each example.


# %% exercise="14.1"
def order_cost(y, y_hat):
    """Return the cost of each example, (n,); y and y_hat have shape (n, k)."""
    ### BEGIN SOLUTION
    error = y - y_hat
    cost = tf.where(error > 0, 3 * error**2, error**2)
    return tf.reduce_mean(cost, axis=-1)
    ### END SOLUTION


# %%
check("14.1", order_cost)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Where is `y - y_hat` positive? `tf.where(condition, a, b)` chooses entry by entry.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Average as `pinball` does.
#
# </details>

# %% [markdown]
# ## How does a clipping move into fit?
#
# Each gradient is to be clipped to the limit of its layer (lesson 11). An optimizer gets every gradient with its
# variable, and `compile` takes an optimizer of your own. But which of its methods? `apply` takes all the gradients of
# a batch. `update_step` takes one gradient, last of all, and changes its variable. There the variable is a plain
# `tf.Variable`. Its name is the path, but for layers that a class of your own holds: there the name of the layer is
# missing:


# %%
limits = {"body": 0.5, "head": 0.1}


class ClippedEarly(keras.optimizers.SGD):
    def apply(self, grads, trainable_variables=None):
        # "model/body/kernel": second to last
        layer = [v.path.split("/")[-2] for v in trainable_variables]
        clipped = [tf.clip_by_norm(g, limits[n]) for g, n in zip(grads, layer, strict=True)]
        super().apply(clipped, trainable_variables)


class ClippedLate(keras.optimizers.SGD):
    def update_step(self, gradient, variable, learning_rate):
        layer = variable.name.split("/")[-2]  # "model/body/kernel:0"
        clipped = tf.clip_by_norm(gradient, limits[layer])
        super().update_step(clipped, variable, learning_rate)


# %% [markdown]
# Both give the weights of a loop, without a word of `fit` changed:

# %%
by_loop, optimizer, largest = build_model(), keras.optimizers.SGD(0.1), {}
for x_batch, y_batch in batches.repeat(2):
    with tf.GradientTape() as tape:
        loss = loss_fn(y_batch, by_loop(x_batch, training=True)) + sum(by_loop.losses)
    gradients = tape.gradient(loss, by_loop.trainable_variables)
    for index, v in enumerate(by_loop.trainable_variables):
        largest[v.path] = max(float(tf.norm(gradients[index])), largest.get(v.path, 0.0))
        gradients[index] = tf.clip_by_norm(gradients[index], limits[v.path.split("/")[-2]])
    optimizer.apply(gradients, by_loop.trainable_variables)

# %%
for kind in (ClippedEarly, ClippedLate):
    model = build_model()
    model.compile(kind(0.1), loss_fn)
    model.fit(batches, epochs=2, shuffle=False, verbose=0)
    print(f"{kind.__name__}: equal weights {largest_difference(model, by_loop) < 1e-4}")
    assert largest_difference(model, by_loop) < 1e-4 < 0.01 < largest_difference(model, build_model())
# they clip
assert largest["model/body/kernel"] > 0.5 and largest["model/head/kernel"] > 0.1
# IndexedSlices, as of an Embedding layer: clipped to 1, yet 2 long
rows = tf.IndexedSlices(tf.ones((4, 1)), tf.zeros(4, tf.int32), (1, 1))

# %% tags=["claims"]
assert tf.norm(tf.convert_to_tensor(tf.clip_by_norm(rows, 1.0))) == 2.0

# %% [markdown]
# Equal here is not equal everywhere. Whoever uses your optimizer or `train_step` with `fit` counts on three more
# things:
#
# - **sample weights**: the label of an example of weight 0 has no influence (for other weights compare with `fit`);
# - **loss scaling**, for gradients too small for 16 bits (lesson 20): the step multiplies the loss by the optimizer's
#   `loss_scale_factor`, and `apply` divides the gradients by it (those of an `Embedding` layer raise an error);
# - **accumulation**: with `gradient_accumulation_steps=2`, two batches of 32 give one update, that of a batch of 64 (with
#   full batches in pairs, a constant rate, and no `Embedding`, random layer or batch normalisation).
#
# Each is a promise that two trainings end with equal weights. So each can be tested, and nobody has to know which
# weights are right:


# %%
def fitted(model, x, y, size=32, weights=None):
    model.fit(x, y, batch_size=size, sample_weight=weights, shuffle=False, verbose=0)
    return model


# %%
def kept(build, x, y):
    """Tell what is kept where `build(**options)` gives a compiled model; options: its optimizer's."""
    number = np.arange(len(x))
    counts = 1 - number % 2  # the weights 1, 0, 1, 0, ...
    # where the weight is 0, the label of the example before
    other = tf.gather(y, number - number % 2)
    pairs = {
        "sample weights": (
            fitted(build(), x, y, weights=counts), fitted(build(), x, other, weights=counts)
        ),
        "loss scaling": (fitted(build(), x, y), fitted(build(loss_scale_factor=8.0), x, y)),
        "accumulation": (
            fitted(build(), x, y, size=64), fitted(build(gradient_accumulation_steps=2), x, y)
        ),
    }
    assert all(largest_difference(model, build()) > 1e-3 for model, _ in pairs.values())
    return {name: bool(largest_difference(*pair) < 1e-4) for name, pair in pairs.items()}


# %% [markdown]
# A third way clips in a `train_step`, as the loop does:


# %%
class ClippingStep(keras.Sequential):
    def train_step(self, data):
        x, y, sample_weight = keras.utils.unpack_x_y_sample_weight(data)
        with tf.GradientTape() as tape:
            loss = loss_fn(y, self(x, training=True)) + sum(self.losses)
        gradients, clipped = tape.gradient(loss, self.trainable_variables), []
        for g, v in zip(gradients, self.trainable_variables, strict=True):
            clipped.append(tf.clip_by_norm(g, limits[v.path.split("/")[-2]]))
        self.optimizer.apply(clipped, self.trainable_variables)
        return {"loss": loss}


# %%
def compiled(model, optimizer, loss=loss_fn):
    model.compile(optimizer, loss)
    return model


ways = {
    "update_step": lambda **options: compiled(build_model(), ClippedLate(0.1, **options)),
    "apply": lambda **options: compiled(build_model(), ClippedEarly(0.1, **options)),
    "train_step": lambda **options: compiled(
        build_model(ClippingStep), keras.optimizers.SGD(0.1, **options)
    ),
}

# %% [markdown]
# > **Predict**
# >
# > The optimizer that clips in `apply` was right above. How many of the three does it keep?

# %%
predict("14.b", "")

# %%
table = {}
for way, build in ways.items():
    print(".", end="", flush=True)
    table[way] = kept(build, x, y)

print(" apply:", sum(table["apply"].values()), "of 3")

# %% [markdown]
# All of them, side by side:

# %%
for way, keeps in table.items():
    print(f"{way:12}", {name: "kept" if is_kept else "lost" for name, is_kept in keeps.items()})

# %% [markdown]
# `update_step` gets each gradient after the scale is divided out and those of the batches are averaged. (Where a
# `LossScaleOptimizer` holds yours, as in lesson 20, it divides before it calls your `apply`: the next cell tests it.)
# In a `train_step`, a limit on a gradient's length comes too early. This one also
# forgets the weights, which `model.compute_loss(x, y, y_hat, sample_weight)` would have counted.

# %%
kept_by = {way: sum(keeps.values()) for way, keeps in table.items()}
assert kept_by["train_step"] < kept_by["apply"] < kept_by["update_step"] == 3
assert table["apply"]["sample weights"]

wrapped = keras.optimizers.LossScaleOptimizer(ClippedEarly(0.1), initial_scale=8.0)
pair = [compiled(build_model(), optimizer) for optimizer in (ClippedEarly(0.1), wrapped)]
for model in pair:
    model.fit(batches, shuffle=False, verbose=0)

# %% tags=["claims"]
assert largest_difference(*pair) < 1e-4 < 0.01 < largest_difference(pair[0], build_model())

# %% [markdown]
# ### Exercise 14.2: repair
#
# *Adaptive clipping* needs no limits to be chosen: a gradient may be at most a tenth as long as the variable that it
# changes. A variable shorter than 0.001 counts as 0.001 long, so that one of zeros can move. `adaptive(kind)` returns
# a class of optimizers that clips so, from a class such as `keras.optimizers.SGD`. It works, until somebody scales
# the loss or accumulates. Mend it, with TensorFlow's operations alone: the check runs it in `fit`, in a graph.


# %% exercise="14.2"
def adaptive(kind):
    # Returns a subclass of kind, a class of Keras's optimizers.
    ### BEGIN SOLUTION
    #| class Adaptive(kind):
    #|     def apply(self, grads, trainable_variables=None):
    #|         limits = [0.1 * tf.maximum(tf.norm(v), 0.001) for v in trainable_variables]
    #|         clipped = [tf.clip_by_norm(g, n) for g, n in zip(grads, limits, strict=True)]
    #|         super().apply(clipped, trainable_variables)
    #|
    #| return Adaptive
    class Adaptive(kind):
        def update_step(self, gradient, variable, learning_rate):
            limit = 0.1 * tf.maximum(tf.norm(variable), 0.001)
            super().update_step(tf.clip_by_norm(gradient, limit), variable, learning_rate)

    return Adaptive
    ### END SOLUTION


# %%
check("14.2", adaptive)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Which method gets a gradient after it was divided by the loss scale, and after those of the batches were averaged?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `update_step(self, gradient, variable, learning_rate)`, as `ClippedLate` has it. It gets one gradient and one variable.
#
# </details>

# %% [markdown]
# ## What goes into train_step?
#
# Data that change while `fit` runs need no `train_step`: a callback sets a variable that the pipeline's `map` reads,
# here anew in each epoch. (A change between batches comes late, as `fit` reads ahead; behind a `cache`, none comes.)

# %%
strength = tf.Variable(0.0)
# a batch of 8 ones, times the variable
data = tf.data.Dataset.from_tensors((tf.ones((8, 1)), tf.zeros((8, 1))))
data = data.map(lambda x, y: (strength * x, y))
stronger = keras.callbacks.LambdaCallback(
    on_epoch_begin=lambda epoch, logs: strength.assign(float(epoch))
)

# it gives x itself, and its rate is 0
model = keras.Sequential([keras.Input((1,)), layers.Dense(1, kernel_initializer="ones")])
model.compile(keras.optimizers.SGD(0.0), "mae")
options = {"epochs": 3, "shuffle": False, "verbose": 0}
losses = model.fit(data, callbacks=[stronger], **options).history["loss"]
print("the size of x in each epoch:", losses)

# %% tags=["claims"]
assert losses == [0.0, 1.0, 2.0]

# %% [markdown]
# A penalty that needs more than `y` and `y_hat` needs no `train_step` either: `fit` calls `compute_loss` under its
# tape. `evaluate` calls it with `training=False`. The gradient penalty below (lesson 06) is left out there:


# %%
class Smooth(keras.Sequential):
    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        loss = super().compute_loss(x, y, y_pred, sample_weight, training)
        if not training:
            return loss
        with tf.GradientTape() as inner:
            inner.watch(x)
            # again: y_pred came before the watch
            y_hat = self(x, training=training)
        slopes = inner.gradient(y_hat, x)  # (n, 1)
        return loss + tf.reduce_mean(slopes**2)


# %%
smooth, by_loop, optimizer = line_model(Smooth), line_model(), keras.optimizers.Adam(0.1)
smooth.compile(keras.optimizers.Adam(0.1), "mse")
print("fit trains", end=", ", flush=True)
history = smooth.fit(x_line, y_line, batch_size=400, epochs=50, verbose=0).history
print("then a loop")

for _ in range(50):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x_line)
            y_hat = by_loop(x_line, training=True)
        slopes = inner.gradient(y_hat, x_line)
        loss = tf.reduce_mean((y_hat - y_line) ** 2) + tf.reduce_mean(slopes**2)
    gradients = outer.gradient(loss, by_loop.trainable_variables)
    optimizer.apply(gradients, by_loop.trainable_variables)

# %%
difference = largest_difference(smooth, by_loop)
print(f"slope {float(smooth.layers[0].kernel[0, 0]):.1f}, equal weights: {difference < 1e-4}")

# %% tags=["claims"]
assert difference < 1e-4 and np.isclose(history["loss"][-1], loss, rtol=1e-4)
assert smooth.evaluate(x_line, y_line, batch_size=400, verbose=0) < 0.7 * history["loss"][-1]

# %% [markdown]
# And all three are kept, for `compute_loss` hands the weights on, and the optimizer is Keras's own. One thing to know of
# this penalty: its second forward pass moves the averages of a batch normalisation twice. With one, write it in a
# `train_step` that calls the model once.

# %%
print("kept:", end=" ", flush=True)
keeps = kept(
    lambda **options: compiled(line_model(Smooth), keras.optimizers.SGD(0.1, **options), "mse"),
    x_line[:384],
    y_line[:384],
)

norm = layers.BatchNormalization(momentum=0.5)
model = Smooth([keras.Input((1,)), norm, layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(x_line + 1.0, y_line, batch_size=400, verbose=0)
# once: 0.5, twice: 0.75
moved = float(norm.moving_mean[0] / tf.reduce_mean(x_line + 1.0))

print(f"{sum(keeps.values())} of 3; the average moved by {moved:.2f}")

# %% tags=["claims"]
assert all(keeps.values()) and np.isclose(moved, 0.75, atol=0.01)

# %% [markdown]
# `train_step` is left for what one loss, one gradient and one optimizer cannot say. Writing one is easy to get wrong.
# The penalty here would fit into `compute_loss`, too; it is small, so that you see all the rest:

# %% [markdown]
# ### Exercise 14.3: repair
#
# This `train_step` adds a penalty of its own, a tenth of the mean squared prediction. The rest should be as in
# Keras's own step, whatever was compiled, and it runs in a graph, as under `fit`. It leaves out five things. The
# model has a batch normalisation and a regularised layer; `data` has three entries; the optimizer may have a
# `loss_scale_factor`. The loss that you return is not scaled.


# %% exercise="14.3"
def penalised_train_step(model, data):
    # Updates the model once, and returns {"loss": the loss before the update}.
    ### BEGIN SOLUTION
    #| x, y, sample_weight = data
    #| with tf.GradientTape() as tape:
    #|     y_hat = model(x)
    #|     loss = tf.reduce_mean((y_hat - y) ** 2) + 0.1 * tf.reduce_mean(y_hat**2)
    #| gradients = tape.gradient(loss, model.trainable_variables)
    #| model.optimizer.apply(gradients, model.trainable_variables)
    #| return {"loss": loss}
    x, y, sample_weight = data
    with tf.GradientTape() as tape:
        y_hat = model(x, training=True)
        loss = model.compute_loss(x=x, y=y, y_pred=y_hat, sample_weight=sample_weight)
        loss += 0.1 * tf.reduce_mean(y_hat**2)
        scaled = model.optimizer.scale_loss(loss)
    gradients = tape.gradient(scaled, model.trainable_variables)
    model.optimizer.apply(gradients, model.trainable_variables)
    return {"loss": loss}
    ### END SOLUTION


# %%
check("14.3", penalised_train_step)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# How is a model called in training? Which of its methods knows the compiled loss? Which of the optimizer's scales it?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `model.compute_loss`, with x, y, y_pred and sample_weight by name, adds the regulariser's penalties, too.
# `model.optimizer.scale_loss(loss)` belongs inside the block; `apply` divides by the factor again.
#
# </details>

# %% [markdown]
# **A second optimizer.** Often none is needed. `update_step` knows the variable, so one optimizer may have two rates, and even
# two rules: SGD for the body, Adam for the head.

# %%
class TwoRules(keras.optimizers.Adam):
    def update_step(self, gradient, variable, learning_rate):
        if variable.name.split("/")[-2] == "body":
            # SGD, at ten times the rate
            variable.assign_sub(10.0 * learning_rate * gradient)
        else:
            super().update_step(gradient, variable, learning_rate)

# %% [markdown]
# A loop with two optimizers ends with the same weights:

# %%
print("equal weights:", end=" ", flush=True)
model = compiled(build_model(), TwoRules(0.01))
model.fit(batches, shuffle=False, verbose=0)

by_loop, sgd, adam = build_model(), keras.optimizers.SGD(0.1), keras.optimizers.Adam(0.01)
for x_batch, y_batch in batches:
    with tf.GradientTape() as tape:
        loss = loss_fn(y_batch, by_loop(x_batch, training=True)) + sum(by_loop.losses)
    gradients = tape.gradient(loss, by_loop.trainable_variables)
    for optimizer, part in ((sgd, slice(2)), (adam, slice(2, 4))):
        optimizer.apply(gradients[part], by_loop.trainable_variables[part])

print(largest_difference(model, by_loop) < 1e-4, " kept:", end=" ", flush=True)
keeps = kept(lambda **options: compiled(build_model(), TwoRules(0.01, **options)), x, y)
print(sum(keeps.values()))

# %% tags=["claims"]
assert largest_difference(model, by_loop) < 1e-4 and all(keeps.values())
assert largest_difference(model, build_model()) > 0.01

# %% [markdown]
# Two optimizer *objects*, each with a rate and a loss scale of its own, belong in a `train_step`. Everything else in
# Keras knows of one, `model.optimizer`. A callback for the learning rate leaves the second one alone, and a saved model
# forgets it:

# %%
model = compiled(build_model(), keras.optimizers.SGD(0.1))
model.head_optimizer = keras.optimizers.Adam(0.1)
slower = keras.callbacks.LearningRateScheduler(lambda epoch: 0.01)
model.fit(batches, callbacks=[slower], shuffle=False, verbose=0)
rates = [float(each.learning_rate) for each in (model.optimizer, model.head_optimizer)]

with tempfile.TemporaryDirectory() as folder:
    model.save(f"{folder}/model.keras")
    loaded = keras.saving.load_model(f"{folder}/model.keras")

print(f"rates {rates[0]:.2f} and {rates[1]:.2f}; loaded:", hasattr(loaded, "head_optimizer"))

# %% tags=["claims"]
assert np.allclose(rates, [0.01, 0.1]) and loaded.optimizer.iterations == 16
assert not hasattr(loaded, "head_optimizer")

# %% [markdown]
# ### Exercise 14.4: complete
#
# Write the step with two optimizers: `model.head_optimizer` updates the last layer (it may have no bias),
# `model.optimizer` those before it; a frozen layer stays where it is. Both take their gradients at the same weights,
# those before the update. Each may scale the loss by a factor of its own. Keep what exercise 14.3 asked for, the
# graph too; there is no penalty of your own.


# %% exercise="14.4"
def two_optimizer_step(model, data):
    """Update the model once with both optimizers; return {"loss": the loss before the update}."""
    ### BEGIN SOLUTION
    x, y, sample_weight = data
    head = model.layers[-1].trainable_variables
    body = [v for layer in model.layers[:-1] for v in layer.trainable_variables]
    with tf.GradientTape(persistent=True) as tape:
        y_hat = model(x, training=True)
        loss = model.compute_loss(x=x, y=y, y_pred=y_hat, sample_weight=sample_weight)
        for_body = model.optimizer.scale_loss(loss)
        for_head = model.head_optimizer.scale_loss(loss)
    of_body, of_head = tape.gradient(for_body, body), tape.gradient(for_head, head)
    model.optimizer.apply(of_body, body)
    model.head_optimizer.apply(of_head, head)
    return {"loss": loss}
    ### END SOLUTION


# %%
check("14.4", two_optimizer_step)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# One forward pass, one loss, a scaled loss for each optimizer: two targets. Which tape answers twice?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `head = model.layers[-1].trainable_variables`, and a list of the trainable variables of `model.layers[:-1]`. A
# persistent tape; both gradients; then both `apply`.
#
# </details>

# %% [markdown]
# ### Further: what a train_step reports
#
# Keras's own step is the one of exercise 14.3 without the penalty, and two lines more: the loss that is shown, and the
# metrics. Three epochs give one history:


# %%
class Own(keras.Sequential):
    def train_step(self, data):
        x, y, sample_weight = keras.utils.unpack_x_y_sample_weight(data)
        with tf.GradientTape() as tape:
            y_hat = self(x, training=True)
            loss = self.compute_loss(x=x, y=y, y_pred=y_hat, sample_weight=sample_weight)
            scaled = self.optimizer.scale_loss(loss)
        gradients = tape.gradient(scaled, self.trainable_variables)
        self.optimizer.apply(gradients, self.trainable_variables)
        # a short batch: less
        self.metrics[0].update_state(loss, sample_weight=tf.shape(x)[0])
        return self.compute_metrics(x, y, y_hat, sample_weight)


# %%
histories, weights = [], tf.random.uniform((512,))
for model in (build_model(), build_model(Own)):
    optimizer = keras.optimizers.SGD(0.1, loss_scale_factor=8.0)
    model.compile(optimizer, loss_fn, weighted_metrics=["accuracy"])
    # the last batch has 12
    data = {"x": x, "y": y, "sample_weight": weights, "batch_size": 100}
    histories.append(model.fit(**data, epochs=3, shuffle=False, verbose=0).history)
    print(".", end="", flush=True)

# %%
print("the same history:", all(np.allclose(histories[1][k], histories[0][k]) for k in histories[0]))
print("kept:", end=" ", flush=True)
keeps = kept(
    lambda **options: compiled(build_model(Own), keras.optimizers.SGD(0.1, **options)), x, y
)
print(sum(keeps.values()), "of 3")

# %% tags=["claims"]
assert all(np.allclose(histories[1][k], histories[0][k], rtol=1e-4) for k in histories[0])
assert all(keeps.values()) and histories[1]["loss"][-1] < 0.9 * histories[1]["loss"][0]

# %% [markdown]
# ## How do I decide?
#
# ### Exercise 14.5: predict
#
# Name the smallest means that does each without a trick: `"fit"` (with what `compile` takes, an optimizer of your own too,
# callbacks, the data, `compute_loss`), `"train_step"`, or `"loop"` where a step is not one batch and one update.
#
# 1. Each gradient gets noise, a tenth of its norm, before Adam sees it.
# 2. The gradients of two losses are projected where they conflict (lesson 12).
# 3. From the fourth epoch on, the inputs get twice as much noise.
# 4. The gradient of a batch is taken after a small step uphill, and then applied to the weights before that step.
# 5. Each step tries three step sizes on all data, and keeps the best, or goes back.

# %% exercise="14.5"
# A list of five strings: "fit", "train_step" or "loop".
### BEGIN SOLUTION
means = ["fit", "train_step", "fit", "train_step", "loop"]
### END SOLUTION

# %%
check("14.5", means)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Where is one loss, one gradient and one batch enough?
#
# </details>
# <details><summary>Hint 2</summary>
#
# An optimizer sees each gradient, of one loss. A pipeline can read a variable that a callback sets.
#
# </details>

# %% [markdown]
# <details><summary>After your answer: take the first row that does the job without a trick</summary>
#
# | what is your own | smallest means | evidence |
# |---|---|---|
# | nothing | `fit` | `own_fit` |
# | when to stop, what to note, how the data change | callbacks | `EarlyStopping`, `stronger` |
# | a loss of `y` and `y_hat` | `compile(loss=f)`, one number for each example | `pinball` |
# | which examples count, by their losses | `compile(loss=f)`, too | lesson 18 |
# | on how many devices, in how many bits | `fit`, in a scope or with a policy | lesson 20 |
# | what happens to each gradient | `update_step` of an optimizer | `ClippedLate` |
# | a loss that needs x or the model | `compute_loss` | `Smooth` |
# | a law for the output's slopes | `compute_loss`, too | lesson 19 |
# | inputs that their own gradient moves | `compute_loss`, too | lesson 15, there in a loop |
# | several losses apart, several optimizers | `train_step` | exercise 14.4 |
# | a gradient taken at other weights | `train_step` | still one batch, one update |
# | clipping by the joint norm over several devices | `train_step` | lesson 20, there in a loop |
# | two networks that move in turn | a loop, or a `train_step` with both | lesson 16, exercise 14.4 |
# | a loss after a step, through the step | `train_step` | lesson 17, there in a loop |
# | which examples count, by their gradients | `train_step` | lesson 18, there in a loop |
# | a step that is kept only if the loss falls | a loop | lesson 19 |
#
# </details>
#
# In a loop you write all the rest yourself: metrics, sample weights, `scale_loss`, the progress bar, the calls of
# callbacks.

# %% [markdown]
# ## Does this script do what fit does?
#
# Exercise 14.6 is the examination of Parts I and II: a script of some 30 lines that somebody sends you. It runs, its
# losses fall, and it should end where `fit` ends. How many faults it has, nobody knows. You have two instruments:
#
# - **Equality.** Build the same model twice, give one to `fit` and one to the script, and compare weights and history. Choose
#   models and data that separate the causes: without a regulariser, with one batch, with one epoch, without dropout.
# - **The tools.** `check_gradients` for a slope by hand, `ExplainingTape` for a gradient that is missing, `print` in what is
#   traced.
#
# This is what `fit` does, for you to compare with:


# %%
def by_fit(model, x, y, x_val, y_val, rates, batch_size):
    """Train one epoch with each rate; return fit's history, a dict of lists."""
    model.compile(keras.optimizers.SGD(), keras.losses.Huber(delta=1.0))
    schedule = keras.callbacks.LearningRateScheduler(lambda epoch: rates[epoch])
    options = {"epochs": len(rates), "callbacks": [schedule], "shuffle": False, "verbose": 0}
    data = {"x": x, "y": y, "batch_size": batch_size, "validation_data": (x_val, y_val)}
    history = model.fit(**data, **options).history
    return {name: history[name] for name in ("loss", "val_loss")}


def trial_model(dropout=0.3, strength=0.01):
    keras.utils.set_random_seed(14)
    penalty = keras.regularizers.L2(strength)
    last = layers.Dense(1, kernel_regularizer=penalty)
    return keras.Sequential(
        [keras.Input((1,)), layers.Dense(8, "tanh"), layers.Dropout(dropout), last]
    )


# %%
y_row = y_line[:, 0]  # (400,)
trial = (x_line[:50], y_row[:50], x_line[50:80], y_row[50:80], [0.1, 0.05], 16)
history = by_fit(trial_model(), *trial)

print({name: len(values) for name, values in history.items()})

# %% tags=["claims"]
assert history["loss"][1] < 0.8 * history["loss"][0]

# %% [markdown]
# ### Exercise 14.6: repair
#
# Mend `train`, so that without `fit` it ends with the weights and the history of `by_fit`. The model is sequential,
# of any layers, and returns (n, 1); `x` is (n, features), `y` is (n,); the last batch may be short. The loss is
# Huber's: half the squared error up to a size of 1, and the size minus a half beyond. Compare in cells of your own:
# `train(trial_model(), *trial)`. A check names one fault that is left, if it knows it.


# %% exercise="14.6" minutes=15
def train(model, x, y, x_val, y_val, rates, batch_size):
    # Trains one epoch with each rate; returns the history, as by_fit does.
    ### BEGIN SOLUTION
    #| @tf.custom_gradient
    #| def huber(error):
    #|     size = tf.abs(error)
    #|     cost = tf.where(size < 1, error**2 / 2, size - 0.5)
    #|     return cost, lambda upstream: upstream * tf.sign(error)
    #|
    #| # The first layer's outputs, computed once for all epochs, and the layers behind it.
    #| features = model.layers[0](x)
    #| rest = keras.Sequential(model.layers[1:])
    #| optimizer = keras.optimizers.SGD()
    #| optimizer.build(model.trainable_variables)
    #| mean = keras.metrics.Mean()
    #| history = {"loss": [], "val_loss": []}
    #|
    #| @tf.function
    #| def step(features, targets):
    #|     optimizer.learning_rate = rates[epoch]
    #|     with tf.GradientTape() as tape:
    #|         y_hat = rest(features)
    #|         loss = tf.reduce_mean(huber(y_hat - targets))
    #|     gradients = tape.gradient(loss, model.trainable_variables)
    #|     optimizer.apply(gradients, model.trainable_variables)
    #|     return loss
    #|
    #| for epoch in range(len(rates)):
    #|     for start in range(0, len(x), batch_size):
    #|         batch = slice(start, start + batch_size)
    #|         mean.update_state(step(features[batch], y[batch]))
    #|     history["loss"].append(float(mean.result()))
    #|
    #|     # Validation: the same loss, with the penalties.
    #|     y_hat = model(x_val, training=True)[:, 0]
    #|     val_loss = tf.reduce_mean(huber(y_hat - y_val)) + sum(model.losses)
    #|     history["val_loss"].append(float(val_loss))
    #| return history
    @tf.custom_gradient
    def huber(error):
        size = tf.abs(error)
        cost = tf.where(size < 1, error**2 / 2, size - 0.5)
        return cost, lambda upstream: upstream * tf.clip_by_value(error, -1, 1)

    optimizer = keras.optimizers.SGD()
    optimizer.build(model.trainable_variables)
    mean = keras.metrics.Mean()
    history = {"loss": [], "val_loss": []}

    @tf.function
    def step(inputs, targets):
        with tf.GradientTape() as tape:
            y_hat = model(inputs, training=True)[:, 0]
            loss = tf.reduce_mean(huber(y_hat - targets)) + sum(model.losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        return loss

    for rate in rates:
        optimizer.learning_rate = rate
        mean.reset_state()
        for start in range(0, len(x), batch_size):
            batch = slice(start, start + batch_size)
            mean.update_state(step(x[batch], y[batch]), sample_weight=len(x[batch]))
        history["loss"].append(float(mean.result()))

        # Validation: the same loss, with the penalties.
        y_hat = model(x_val, training=False)[:, 0]
        val_loss = tf.reduce_mean(huber(y_hat - y_val)) + sum(model.losses)
        history["val_loss"].append(float(val_loss))
    return history
    ### END SOLUTION


# %%
check("14.6", train)

# %% [markdown]
# <details><summary>Hint 1</summary>
#
# Compare where little can differ: `dropout=0`, `strength=0`, one epoch, one batch. Then add one thing at a time. If the
# weights already differ, look at the slope of `huber`, at shapes, and at what the tape records; lessons 07, 09 and 03.
#
# </details>
# <details><summary>Hint 2</summary>
#
# With two rates, ask what Python does while a graph is traced (lesson 05). If only the history differs: what does the metric
# remember, what does it weigh (lesson 09), and how is the model called for the validation?
#
# </details>

# %% [markdown]
# ## What is wrong with this program?
#
# Part II ends with a fault that you find by its symptom. No hints, and no points: as in work of your own. It takes
# about five minutes.
#
# ### Exercise 14.7: repair
#
# This loop trains with Adam. The loss falls at first, and then goes up and down and never settles; a look at the
# weights shows that every one of them moves by 0.05, up or down, at *every* step. Under `fit` the same Adam settles.

# %% exercise="14.7"
def train_with_adam(model, x, y, steps):
    # The model maps x, (n, 3), to (n, 1); y has shape (n, 1). Returns the loss before each step.
    ### BEGIN SOLUTION
    #| losses = []
    #| for _ in range(steps):
    #|     optimizer = keras.optimizers.Adam(0.05)
    #|     with tf.GradientTape() as tape:
    #|         loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    #|     gradients = tape.gradient(loss, model.trainable_variables)
    #|     optimizer.apply(gradients, model.trainable_variables)
    #|     losses.append(float(loss))
    #| return losses
    optimizer, losses = keras.optimizers.Adam(0.05), []
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        losses.append(float(loss))
    return losses
    ### END SOLUTION

# %%
check("14.7", train_with_adam)

# %% [markdown]
# ## Checkpoint
#
# Answer each question before you open it.
#
# <details><summary>1. A loss function for <code>compile</code> returns one number for the batch. What breaks?</summary>
#
# Sample weights: they weigh the mean, not the examples.
#
# </details>
# <details><summary>2. You clip in a <code>train_step</code>, and somebody sets <code>loss_scale_factor</code>. What
# happens?</summary>
#
# If the step scales the loss, the clipped gradients are divided by the factor after that, and end too short. If it does not,
# all gradients do. `update_step` gets them when that is done.
#
# </details>
# <details><summary>3. A script ends with the weights of <code>fit</code>, but reports another loss. Where do you
# look?</summary>
#
# At the metric: is it reset in each epoch, are short batches weighed by their size? And which loss goes in, with the
# penalties?
#
# </details>

# %% [markdown]
# ## Recap
#
# - `fit` is two loops around `train_step`, which it compiles, with callbacks between. It warns of a `None`
#   while it traces, not at each batch.
# - A loss gives one number for each example.
# - `update_step` of an optimizer changes gradients, `compute_loss` the loss; `train_step` is for several losses or optimizers, or a gradient taken at other weights.
# - Whatever you move: the same start and batches, the same weights; and sample weights, loss scaling and accumulation.
#
# ```python
# class Clipped(keras.optimizers.Adam):
#     def update_step(self, gradient, variable, learning_rate):
#         # IndexedSlices, of an Embedding layer: tf.convert_to_tensor(gradient)
#         super().update_step(tf.clip_by_norm(gradient, 1.0), variable, learning_rate)
# ```
#
# **To remember**: take the smallest means: `fit`, then an optimizer or `compute_loss`, then `train_step`, then a loop.

# %% [markdown]
# ## Further reading
#
# - Keras's guide *Customizing what happens in `fit()` with TensorFlow*: `train_step` in reference form.
# - Brock et al., *High-performance large-scale image recognition without normalization*, ICML 2021: adaptive clipping, row
#   by row.
#
# Part II ends here. Ten questions over all of it, with other numbers: `from course_utils import review` in a cell of
# your own, and then `review(part="II")`; or `course review --part II` in a terminal.
#
# At work, put `ExplainingTape` where a gradient is `None` or `nan`, run `check_gradients` on every loss that
# you write, and look at `plot_tape` when you no longer know what depends on what. Part III goes where only a
# tape leads: [15 · Input gradients](15_input_gradients.ipynb).

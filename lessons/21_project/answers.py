"""Answers to the parts of lesson 21's project: other right ones, and wrong ones in no list."""

import pickle
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from keras import layers

from course_utils.datasets import load_digits, make_cloud

# 21.1


def layer_by_layer(owner=lambda v: v.path[: v.path.rindex("/")]):
    """Answer 21.1 in NumPy, with a factor for each layer."""

    def clip_layers(model, gradients, limit):
        squares = {}
        pairs = list(zip(model.trainable_variables, gradients, strict=True))
        for v, g in pairs:
            if g is not None:
                squares[owner(v)] = squares.get(owner(v), 0.0) + float(np.sum(np.square(g)))
        factors = {k: min(1.0, limit / np.sqrt(s)) for k, s in squares.items()}
        return [None if g is None else factors[owner(v)] * g.numpy() for v, g in pairs]

    return clip_layers


def by_optimizers_rule(model, gradients, limit):
    """Clip each variable by itself, as `clipnorm` does."""
    return [None if g is None else tf.clip_by_norm(g, limit) for g in gradients]


def by_global_norm(model, gradients, limit):
    return tf.clip_by_global_norm(gradients, limit)[0]


def only_present(model, gradients, limit):
    return [g for g in layer_by_layer()(model, gradients, limit) if g is not None]


def by_squares(model, gradients, limit):
    """Compare the sum of squares with the limit, and divide by its root."""
    owners = [v.path.rpartition("/")[0] for v in model.trainable_variables]
    result = list(gradients)
    for owner in dict.fromkeys(owners):
        there = [i for i, o in enumerate(owners) if o == owner and gradients[i] is not None]
        square = sum(tf.reduce_sum(gradients[i] ** 2) for i in there)
        if square > limit:
            for i in there:
                result[i] = gradients[i] * limit / tf.sqrt(square)
    return result


def by_squared_norm(model, gradients, limit):
    """Divide by the square of the norm."""
    norms = {}
    pairs = list(zip(model.trainable_variables, gradients, strict=True))
    for v, g in pairs:
        if g is not None:
            norms.setdefault(v.path.rpartition("/")[0], []).append(g)
    norms = {owner: float(tf.linalg.global_norm(parts)) for owner, parts in norms.items()}
    result = []
    for v, g in pairs:
        norm = norms.get(v.path.rpartition("/")[0], 0.0)
        result.append(g * limit / norm**2 if g is not None and norm > limit else g)
    return result


def own_weight_as_none(model, gradients, limit):
    """Go through the layers of the model, and look the rest up where nothing was put."""
    found = {id(v): g for v, g in zip(model.trainable_variables, gradients, strict=True)}
    done = {}
    for layer in model.layers:
        there = [id(v) for v in layer.trainable_variables if found[id(v)] is not None]
        if there:
            clipped, _ = tf.clip_by_global_norm([found[i] for i in there], limit)
            done.update(zip(there, clipped, strict=True))
    return [done.get(id(v)) for v in model.trainable_variables]


# 21.2


def by_fit(model, optimizer, loss_of, batch, clip):
    """Answer 21.2 with `fit` itself; the clipping is put before the optimizer's own apply."""
    x, y = batch

    class Clipped(type(optimizer)):
        def apply(self, gradients, variables=None):
            return super().apply(clip(model, gradients), variables)

    kind, optimizer.__class__ = type(optimizer), Clipped
    try:
        model.compile(optimizer, "log_cosh")
        fitted = model.fit(x, y, batch_size=len(x), shuffle=False, verbose=0)
        return fitted.history["loss"][0]
    finally:
        optimizer.__class__ = kind


def in_a_graph(model, optimizer, loss_of, batch, clip):
    @tf.function
    def step():
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch([v.value for v in model.trainable_variables])
            loss = tf.add_n([loss_of(model, batch), *model.losses])
        variables = model.trainable_variables
        found = tape.gradient(loss, [v.value for v in variables])
        optimizer.apply_gradients(zip(clip(model, found), variables, strict=True))
        return loss

    return step()


def one_way(total=sum, cut=True, sign=1.0, reported=None):
    def train_step(model, optimizer, loss_of, batch, clip):
        with tf.GradientTape() as tape:
            of_data = loss_of(model, batch)
            loss = of_data + total(model.losses) if total else of_data
        found = tape.gradient(loss, model.trainable_variables)
        found = [None if g is None else sign * g for g in found]
        optimizer.apply(clip(model, found) if cut else found, model.trainable_variables)
        return of_data if reported == "data" else loss

    return train_step


def optimizer_anew(model, optimizer, loss_of, batch, clip):
    """Make an optimizer of the same rates in each step."""
    config = optimizer.get_config()
    return one_way()(model, type(optimizer)(config["learning_rate"], 0.8), loss_of, batch, clip)


def own_loss(model, optimizer, loss_of, batch, clip):
    def of_data(model, batch):
        return keras.losses.MeanSquaredError()(batch[1], model(batch[0], training=True))

    return one_way()(model, optimizer, of_data, batch, clip)


def pairs_without_none(model, optimizer, loss_of, batch, clip):
    """Leave every None out, and pair what is left with all variables."""
    with tf.GradientTape() as tape:
        loss = loss_of(model, batch) + sum(model.losses)
    gradients = tape.gradient(loss, model.trainable_variables)
    gradients = [g for g in clip(model, gradients) if g is not None]
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))  # noqa: B905
    return loss


def clip_without_none(model, optimizer, loss_of, batch, clip):
    """Hand clip the gradients that there are, and the optimizer their variables."""
    with tf.GradientTape() as tape:
        loss = loss_of(model, batch) + sum(model.losses)
    gradients = tape.gradient(loss, model.trainable_variables)
    pairs = [p for p in zip(gradients, model.trainable_variables, strict=True) if p[0] is not None]
    clipped = clip(model, [g for g, _ in pairs])
    optimizer.apply(clipped, [v for _, v in pairs])
    return loss


def penalties_of_kernels(model, optimizer, loss_of, batch, clip):
    """Collect the regularisers of kernels, and no penalty of an activation."""
    with tf.GradientTape() as tape:
        loss = loss_of(model, batch)
        for layer in model.layers:
            if getattr(layer, "kernel_regularizer", None) is not None:
                loss += layer.kernel_regularizer(layer.kernel)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply(clip(model, gradients), model.trainable_variables)
    return loss


# 21.3


def by_checkpoint(left_out=(), answer=True):
    """Answer 21.3 with TensorFlow's checkpoints."""

    def keeper(model, optimizer, generator, history):
        length = tf.Variable(0)
        losses = tf.Variable(tf.zeros((100,), tf.float64))
        parts = {
            "weights": list(model.trainable_variables),
            "others": list(model.non_trainable_variables),
            "optimizer": list(optimizer.variables),
            "generator": generator,
            "length": length,
            "losses": losses,
        }
        named = {
            name: [v.value for v in part] if isinstance(part, list) else part
            for name, part in parts.items()
            if name not in left_out
        }
        checkpoint = tf.train.Checkpoint(**named)

        def save(path):
            length.assign(len(history))
            losses.assign(np.pad(np.array(history), (0, 100 - len(history))))
            checkpoint.write(path)

        def resume(path):
            if not Path(f"{path}.index").exists():
                return False
            checkpoint.read(path).expect_partial()
            history[:] = losses.numpy()[: int(length)].tolist()
            return answer

        return save, resume

    return keeper


def by_pickle(model, optimizer, generator, history):
    def state():
        return [*model.variables, *optimizer.variables, generator.state]

    def save(path):
        Path(path).write_bytes(pickle.dumps(([v.numpy() for v in state()], history)))

    def resume(path):
        if not Path(path).exists():
            return False
        values, old = pickle.loads(Path(path).read_bytes())
        for variable, value in zip(state(), values, strict=True):
            variable.assign(value)
        history.clear()
        history.extend(old)
        return True

    return save, resume


def weights_file(model, optimizer, generator, history):
    """Keep what Keras calls the weights: neither the optimizer nor any seed."""

    def save(path):
        model.save_weights(f"{path}.weights.h5")

    def resume(path):
        if not Path(f"{path}.weights.h5").exists():
            return False
        model.load_weights(f"{path}.weights.h5")
        return True

    return save, resume


def file_of_another_name(model, optimizer, generator, history):
    """Let np.savez add its ending to the path, and look for the path."""
    variables = [*model.variables, *optimizer.variables, generator.state]

    def save(path):
        np.savez(path, *[v.numpy() for v in variables], history=history)

    def resume(path):
        if not Path(path).exists():
            return False
        with np.load(path) as found:
            for number, variable in enumerate(variables):
                variable.assign(found[f"arr_{number}"])
            history[:] = found["history"].tolist()
        return True

    return save, resume


def under_their_paths(model, optimizer, generator, history):
    def save(path):
        values = {v.path: v.numpy() for v in [*model.variables, *optimizer.variables]}
        Path(path).write_bytes(pickle.dumps(values | {"state": generator.state.numpy()}))

    def resume(path):
        if not Path(path).exists():
            return False
        values = pickle.loads(Path(path).read_bytes())
        for variable in [*model.variables, *optimizer.variables]:
            variable.assign(values[variable.path])
        generator.state.assign(values["state"])
        return True

    return save, resume


def early_values(model, optimizer, generator, history):
    """Copy the values when the functions are made, not when they are saved."""
    variables = [*model.variables, *optimizer.variables, generator.state]
    values = [v.numpy() for v in variables]

    def save(path):
        Path(path).write_bytes(pickle.dumps((values, history)))

    def resume(path):
        if not Path(path).exists():
            return False
        early, history[:] = pickle.loads(Path(path).read_bytes())
        for variable, value in zip(variables, early, strict=True):
            variable.assign(value)
        return True

    return save, resume


def in_one_file(model, optimizer, generator, history):
    """Write to one file of the folder, whatever the path is called."""
    save, resume = by_pickle(model, optimizer, generator, history)

    def place(path):
        return Path(path).parent / "state.pkl"

    return lambda path: save(place(path)), lambda path: resume(place(path))


def newest_of_the_folder(model, optimizer, generator, history):
    """Number the saves, and look for the newest of the folder."""
    parts = [*model.variables, *optimizer.variables, generator.state]
    checkpoint = tf.train.Checkpoint(parts=[getattr(v, "value", v) for v in parts[:-1]])

    def save(path):
        checkpoint.save(path)
        Path(f"{path}.txt").write_text(repr(history))

    def resume(path):
        last = tf.train.latest_checkpoint(Path(path).parent)
        if last is None:
            return False
        checkpoint.restore(last)
        history[:] = [float(loss) for loss in Path(f"{path}.txt").read_text()[1:-1].split(",")]
        return True

    return save, resume


def only_the_count(model, optimizer, generator, history):
    """Keep of the optimizer its iterations alone."""
    parts = [*model.variables, optimizer.iterations, generator.state]

    def save(path):
        Path(path).write_bytes(pickle.dumps(([v.numpy() for v in parts], list(history))))

    def resume(path):
        if not Path(path).exists():
            return False
        values, history[:] = pickle.loads(Path(path).read_bytes())
        for variable, value in zip(parts, values, strict=True):
            variable.assign(value)
        return True

    return save, resume


def rebound_history(model, optimizer, generator, history):
    save, resume = by_pickle(model, optimizer, generator, list(history))
    return save, resume


# 21.4


def network(width=8, outputs=1, inputs=2):
    keras.utils.set_random_seed(3)
    return keras.Sequential(
        [keras.Input((inputs,)), layers.Dense(width, "tanh"), layers.Dense(outputs)]
    )


def two_views():
    """Return the loss of few labels and two views, the first answer in the batch."""
    pictures, labels = load_digits()
    pictures = tf.constant(pictures[:60] / 16, tf.float32)
    model = network(16, 10, 64)
    answers = tf.nn.softmax(model(pictures))
    moved = pictures + tf.random.normal(pictures.shape, stddev=0.1)
    batch = pictures[:20], tf.constant(labels[:20]), moved, answers

    def loss_of(model, batch):
        few, classes, moved, answers = batch
        known = tf.nn.sparse_softmax_cross_entropy_with_logits(classes, model(few))
        unlike = tf.nn.softmax_cross_entropy_with_logits(answers, model(moved))
        return tf.reduce_mean(known) + tf.reduce_mean(unlike)

    return model, batch, loss_of


def measured(reduce=tf.reduce_mean, extra=(), noise=lambda points: 0.0):
    """Return the loss of measurements at 80 points."""

    def my_loss():
        model, (points, dye) = network(16), make_cloud(80, seed=21)

        def loss_of(model, batch):
            points, dye, *_ = batch
            return reduce((model(points + noise(points)) - dye) ** 2)

        return model, (tf.constant(points), tf.constant(dye), *extra), loss_of

    return my_loss


def of_classes(loss_of_logits, steps=0):
    """Return a loss of ten scores for 40 digits, after some steps with cross-entropy."""

    def my_loss():
        pictures, labels = load_digits()
        batch = tf.constant(pictures[:40] / 16, tf.float32), tf.constant(labels[:40])
        model = network(32, 10, 64)
        optimizer = keras.optimizers.Adam(1e-2)
        for _ in range(steps):
            with tf.GradientTape() as tape:
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(batch[1], model(batch[0]))
                loss = tf.reduce_mean(losses)
            variables = model.trainable_variables
            optimizer.apply(tape.gradient(loss, variables), variables)
        return model, batch, lambda model, batch: loss_of_logits(model(batch[0]), batch[1])

    return my_loss


def error_rate(logits, classes):
    """Count errors; the slope is that of the softmax."""
    shares = tf.nn.softmax(logits)
    hard = tf.one_hot(tf.argmax(shares, axis=1), 10)
    return 1 - tf.reduce_mean(
        tf.gather(shares + tf.stop_gradient(hard - shares), classes, batch_dims=1)
    )


def held_by_the_loss():
    model, batch, loss_of = measured()()
    return model, batch, lambda _, batch: loss_of(model, batch)


def critics(keep=tf.identity, reduce=tf.reduce_mean, share=None):
    """Return a critic's loss with a gradient penalty, the shares of the mixture in the batch."""

    def my_loss():
        real, fake = tf.random.uniform((10, 64)), tf.random.normal((10, 64))
        shares = tf.random.uniform((10, 1))

        def loss_of(critic, batch):
            between = batch["share"] if share is None else share()
            mixed = batch["real"] + between * (batch["fake"] - batch["real"])
            with tf.GradientTape() as inner:
                inner.watch(mixed)
                scores = critic(mixed)
            slopes = keep(inner.gradient(scores, mixed))
            norms = tf.sqrt(tf.reduce_sum(slopes**2, axis=1) + 1e-12)
            difference = critic(batch["fake"]) - critic(batch["real"])
            return reduce(difference) + reduce((norms - 1) ** 2) + 0.01 * reduce(scores**2)

        return network(8, 1, 64), {"real": real, "fake": fake, "share": shares}, loss_of

    return my_loss


# 21.5


def spread(pictures, labels, few):
    """Give every picture a label by the neighbours of neighbours, without a network."""
    squares = np.sum((pictures[:, None, :] - pictures[None]) ** 2, axis=2)
    np.fill_diagonal(squares, np.inf)
    near = np.zeros(squares.shape)
    for row, order in enumerate(np.argsort(squares, axis=1)[:, :10]):
        near[row, order] = 1
    near = np.maximum(near, near.T)
    near /= near.sum(axis=1, keepdims=True)
    start = np.zeros((len(pictures), 10))
    start[few, labels[few]] = 1
    scores = start
    for _ in range(60):
        scores = 0.9 * near @ scores + 0.1 * start
    return scores / scores.sum(axis=1, keepdims=True)


class Neighbours:
    """Few labels without a network; what is slow is done at the first call."""

    def __init__(self):
        self.scores = None

    def __call__(self, pictures):
        every, labels = load_digits()
        known, labels = every[:1500] / 16, labels[:1500]
        if self.scores is None:
            few = np.concatenate([np.flatnonzero(labels == digit)[:4] for digit in range(10)])
            self.scores = spread(known, labels, few)
        squares = (known**2).sum(1) - 2 * pictures.numpy().astype(float) @ known.T
        nearest = np.argsort(squares, axis=1)[:, :5]
        return np.argmax(self.scores[nearest].sum(axis=1), axis=1)


neighbours = Neighbours()


def few_labels(inputs):
    return {"few labels": neighbours(inputs["few labels"])}


def formula(points, speed):
    x, t = np.asarray(points, float).T
    s = 0.25**2 + 2 * 0.05 * t
    return 0.25 / np.sqrt(s) * np.exp(-((x - 0.6 - speed * t) ** 2) / (2 * s))


def river_by_search(inputs):
    """Find the speed by trying, with the cloud's known form."""
    points, dye = make_cloud(80, seed=21)
    speeds = np.linspace(0, 3, 301)
    errors = [np.mean((formula(points, c) - dye[:, 0]) ** 2) for c in speeds]
    return {"river": formula(inputs["river"], speeds[np.argmin(errors)])[:, None]}


def no_stream(inputs):
    return {"river": formula(inputs["river"], 0.0)}


def too_slow(inputs):
    return {"river": formula(inputs["river"], 0.8)}


def exact(inputs):
    return {"river": formula(inputs["river"], 1.3)[:, None]}


def mean_dye(inputs):
    _, dye = make_cloud(80, seed=21)
    return {"river": np.full(len(inputs["river"]), dye.mean())}


def off_by_little(inputs):
    return {"river": formula(inputs["river"], 1.3) - 0.052}


def grey_generator(inputs):
    keras.utils.set_random_seed(4)
    hidden = [layers.Dense(128, "relu") for _ in range(2)]
    made = keras.Sequential([keras.Input((16,)), *hidden, layers.Dense(64, "sigmoid")])
    return {"new digits": made(inputs["new digits"])}


def noisy_held_out(inputs):
    noise = np.asarray(inputs["new digits"])
    rows = (np.abs(noise).sum(axis=1) * 1e4).astype(int) % 297
    pictures = load_digits()[0][1500:][rows] / 16
    return {"new digits": np.clip(pictures + 0.1 * np.tile(noise, 4), 0, 1)}


def from_one(inputs):
    return {"few labels": few_labels(inputs)["few labels"] + 1}


def distances(keep, measure=lambda a, b: np.abs(a - b).max()):
    """Return an answer to 21.6 that keeps the start in its own way."""

    def movement(model, step, batches):
        start = {id(v): keep(v) for v in model.trainable_variables}
        for batch in batches:
            step(model, *batch)
        return [
            measure(
                v.numpy(), start[id(v)].numpy() if hasattr(start[id(v)], "numpy") else start[id(v)]
            )
            for v in model.trainable_variables
        ]

    return movement


def after_the_loop(model, step, batches):
    for batch in batches:
        step(model, *batch)
    start = [v.numpy().copy() for v in model.trainable_variables]
    pairs = zip(model.trainable_variables, start, strict=True)
    return [float(np.abs(v.numpy() - old).max()) for v, old in pairs]


RIGHT = {
    "21.6": [distances(tf.identity), distances(lambda v: v.numpy().copy())],
    "21.1": [layer_by_layer()],
    "21.2": [by_fit, in_a_graph, one_way()],
    "21.3": [by_checkpoint(), by_pickle],
    "21.4": [two_views, critics()],
    "21.5": [few_labels, river_by_search],
}


def by_held_out_labels(inputs):
    pictures, labels = load_digits()
    known = pictures[1500:] / 16
    squares = np.sum((np.asarray(inputs["few labels"])[:, None] - known) ** 2, axis=2)
    return {"few labels": labels[1500:][squares.argmin(axis=1)]}


WRONG = {
    "21.6": [
        ("the variables themselves", distances(lambda v: [v][0])),
        ("the variables themselves", after_the_loop),
        ("signed", distances(tf.identity, lambda a, b: (a - b).max())),
        ("norm", distances(tf.identity, lambda a, b: np.sqrt(np.sum((a - b) ** 2)))),
        ("mean movement", distances(tf.identity, lambda a, b: np.mean(np.abs(a - b)))),
    ],
    "21.1": [
        ("by variable", by_optimizers_rule),
        ("all together", by_global_norm),
        ("None left out", only_present),
        ("square compared", by_squares),
        ("divided by the square", by_squared_norm),
        ("layers of one name", layer_by_layer(owner=lambda v: v.path.split("/")[-2])),
        ("None for the model's own weight", own_weight_as_none),
        ("by the last name", layer_by_layer(owner=lambda v: v.name)),
    ],
    "21.2": [
        ("penalties left out", one_way(total=False)),
        ("clip left out", one_way(cut=False)),
        ("update by hand", optimizer_anew),
        ("climbs", one_way(sign=-1.0)),
        ("None left out of the pairs", pairs_without_none),
        ("None left out of the clipping", clip_without_none),
        ("penalties before the call", penalties_of_kernels),
        ("loss_of not used", own_loss),
        ("loss of the data alone", one_way(reported="data")),
    ],
    "21.3": [
        ("dropout, momentum, count, rate, generator, history", weights_file),
        ("history", rebound_history),
        ("kept in memory", file_of_another_name),
        ("by path", under_their_paths),
        ("values of the start", early_values),
        ("another path's", in_one_file),
        ("raises without a file", newest_of_the_folder),
        ("generator", by_checkpoint(["generator"])),
        ("momentum, rate", only_the_count),
        ("nothing returned after resume", by_checkpoint(answer=None)),
    ],
    "21.4": [
        ("a closed path", critics(keep=tf.stop_gradient)),
        ("added up", critics(reduce=tf.reduce_sum)),
        ("random loss", critics(share=lambda: tf.random.uniform((10, 1)))),
        ("a loss for each example", measured(lambda errors: tf.reduce_mean(errors, axis=0))),
        ("a number in the batch", measured(extra=[tf.constant(0.1)])),
        ("another model", held_by_the_loss),
        ("another order", measured(lambda errors: tf.reduce_mean(errors[:20]))),
        (
            "nearly as large",
            measured(
                noise=lambda points: 0.1 * tf.random.stateless_normal(tf.shape(points), seed=[1, 2])
            ),
        ),
        ("not three things", lambda: critics()()[2]),
        ("flat", of_classes(error_rate, 30)),
    ],
    "21.5": [
        ("no dict", lambda inputs: list(few_labels(inputs).values())),
        ("too good", by_held_out_labels),
        ("classes moved by one", from_one),
        ("river not better", too_slow),
        ("as zeros", no_stream),
        ("too close", exact),
        ("the mean of the measurements", mean_dye),
        ("just short", off_by_little),
        ("grey", grey_generator),
        ("held-out digits", noisy_held_out),
    ],
}

"""Right answers to lesson 13's exercises, and wrong ones that no list holds."""

import statistics

import keras
import numpy as np
import tensorflow as tf

cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits

# 13.2


def weighted_batch_means(logits_of, x, y, batch_size):
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    loss, accuracy = keras.metrics.Mean(), keras.metrics.SparseCategoricalAccuracy()
    for first in range(0, len(y), batch_size):
        batch = slice(first, first + batch_size)
        logits = logits_of(x[batch])
        loss.update_state(loss_fn(y[batch], logits), sample_weight=len(y[batch]))
        accuracy.update_state(y[batch], logits)
    return [loss.result(), accuracy.result()]


def measured_in_numpy(logits_of, x, y, batch_size):
    pieces = np.split(x, range(batch_size, len(x), batch_size))
    logits = np.concatenate([np.asarray(logits_of(piece), np.float64) for piece in pieces])
    log_sums = np.log(np.exp(logits).sum(axis=1))
    return np.mean(log_sums - logits[np.arange(len(y)), y]), np.mean(logits.argmax(axis=1) == y)


def measured_at_once(logits_of, x, y, batch_size):
    logits = logits_of(x)
    return np.mean(cross_entropy(y, logits)), np.mean(np.argmax(logits, axis=1) == y)


# 13.1


def hold_out_with_sets(writers, share, rng):
    names = list(dict.fromkeys(writers.tolist()))
    rng.shuffle(names)
    chosen = set(names[: round(share * len(names))])
    sides = [], []
    for i, writer in enumerate(writers):
        sides[writer in chosen].append(i)
    return sides


def hold_out_by_ranks(writers, share, rng):
    names, numbers = np.unique(writers, return_inverse=True)
    ranks = rng.permutation(len(names))[numbers]
    order = np.argsort(ranks, kind="stable")
    held = np.sum(ranks < round(share * len(names)))
    return tf.constant(order[held:]), tf.constant(order[:held])


def sides(names_of, end=lambda kept, held: (kept, held)):
    def hold_out(writers, share, rng):
        names = sorted(set(writers))
        held = [i for i, w in enumerate(writers) if w in names_of(names, share, rng)]
        return end(sorted(set(range(len(writers))) - set(held)), held)

    return hold_out


def split_of_images(writers, share, rng):
    held = rng.permutation(len(writers)) < share * len(writers)
    return np.where(~held)[0], np.where(held)[0]


def rounded(to_whole):
    def hold_out(writers, share, rng):
        names = rng.permutation(np.unique(writers))
        is_held = np.isin(writers, names[: to_whole(share * len(names))])
        return np.flatnonzero(~is_held), np.flatnonzero(is_held)

    return hold_out


def held_by_places(writers, share, rng):
    names = rng.permutation(np.unique(writers))
    is_kept = ~np.isin(names[: round(share * len(names))], writers)
    return np.where(is_kept)[0], np.where(~is_kept)[0]


class Drawn:
    """Draw once, for `sides` asks again and again."""

    def __init__(self, extra=0):
        self.extra, self.memory = extra, {}

    def __call__(self, names, share, rng):
        if id(rng) not in self.memory:
            count = round(share * len(names)) + self.extra
            self.memory[id(rng)] = (rng, set(rng.permutation(names)[:count]))
        return self.memory[id(rng)][1]


# 13.3


def trained_with_a_dataset(model, optimizer, images, labels, orders, held, batch_size):
    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            losses = cross_entropy(y, model(x, training=True))
            loss = tf.add_n([tf.reduce_mean(losses), *model.losses])
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))

    for order in orders:
        data = tf.data.Dataset.from_tensor_slices(order).batch(batch_size)
        for x, y in data.map(lambda i: (tf.gather(images, i), tf.gather(labels, i))):
            step(x, y)
    predictions = tf.argmax(model(tf.gather(images, held)), axis=1).numpy()
    return float(sum(predictions == labels[held]) / len(held))


def trained_on_splits(model, optimizer, images, labels, orders, held, batch_size):
    metric = keras.metrics.SparseCategoricalAccuracy()
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    for batch in [b for o in orders for b in np.split(o, range(batch_size, len(o), batch_size))]:
        with tf.GradientTape() as tape:
            x, y = tf.gather(images, batch), labels[batch]
            loss = loss_fn(y, model(x, training=True)) + sum(model.losses)
        gradients = tape.gradient(loss, model.trainable_weights)
        optimizer.apply(gradients, model.trainable_weights)
    metric.update_state(labels[held], model(tf.gather(images, held), training=False))
    return metric.result()


def on_splits(
    plan=lambda orders: orders,
    call=lambda model, x: model(x, training=True),
    targets=lambda labels, batch: labels[batch],
    extra=sum,
    cut=lambda order, size: np.split(order, range(size, len(order), size)),
    measure=lambda model, x, y: float(np.mean(np.argmax(model(x), 1) == y)),
    asked=lambda orders, held: held,
    reduce=tf.reduce_mean,
    rate=1.0,
):
    def train_and_measure(model, optimizer, images, labels, orders, held, batch_size):
        for order in plan(orders):
            for batch in cut(order, batch_size):
                with tf.GradientTape() as tape:
                    x = tf.gather(images, batch)
                    losses = cross_entropy(targets(labels, batch), call(model, x))
                    loss = rate * (reduce(losses) + extra(model.losses))
                v = model.trainable_weights
                optimizer.apply(tape.gradient(loss, v), v)
        which = asked(orders, held)
        return measure(model, tf.gather(images, which), labels[which])

    return train_and_measure


def measuring_each_epoch(summary, after=True):
    """Measure beside each epoch, and summarise."""

    def train_and_measure(model, optimizer, images, labels, orders, held, size):
        shares = []
        for order in orders:
            if after:
                trained_on_splits(model, optimizer, images, labels, [order], held, size)
            right = np.argmax(model(tf.gather(images, held)), axis=1) == labels[held]
            shares.append(float(right.mean()))
            if not after:
                trained_on_splits(model, optimizer, images, labels, [order], held, size)
        return summary(shares)

    return train_and_measure


# 13.4


def compared_with_arrays(measure, setting, change, seeds):
    (key,) = change
    plain = np.array([measure(setting, seed) for seed in seeds])
    changed = np.array([measure({**setting, key: change[key]}, seed) for seed in seeds])
    gains = changed - plain
    variance = np.sum((gains - gains.mean()) ** 2) / (len(gains) - 1)
    return [gains.mean(), (variance / len(gains)) ** 0.5]


def compared_with_statistics(measure, setting, change, seeds):
    gains = [measure(dict(setting, **change), s) - measure(setting, s) for s in seeds]
    return statistics.mean(gains), statistics.stdev(gains) / len(gains) ** 0.5


def changed_in_place(measure, setting, change, seeds):
    plain = [measure(setting, seed) for seed in seeds]
    setting.update(change)
    gains = [measure(setting, seed) - before for seed, before in zip(seeds, plain, strict=True)]
    return statistics.mean(gains), statistics.stdev(gains) / len(gains) ** 0.5


def gains_of(
    end,
    one=lambda setting, change: dict(setting, **change),
    other=lambda setting, change: setting,
    seed_of=lambda seeds, i: seeds[i],
):
    def compare(measure, setting, change, seeds):
        return end(
            [
                measure(one(setting, change), seed)
                - measure(other(setting, change), seed_of(seeds, i))
                for i, seed in enumerate(seeds)
            ]
        )

    return compare


def both(gains):
    return statistics.mean(gains), statistics.stdev(gains) / len(gains) ** 0.5


# 13.5


def going_on_with_iterations(new_run, train_epoch, path, epochs):
    """Keep the number of epochs in a small file of its own, and everything else in one list."""
    model, optimizer = new_run()
    values = [v.value for v in [*model.variables, *optimizer.variables]]
    checkpoint, number = tf.train.Checkpoint(values=values), 0
    if tf.io.gfile.exists(f"{path}.done"):
        checkpoint.read(path)
        with open(f"{path}.done") as file:
            number = int(file.read())
    while number < epochs:
        train_epoch(model, optimizer, number)
        number += 1
        checkpoint.write(path)
        with open(f"{path}.done", "w") as file:
            file.write(str(number))
    return model


def going_on_with_numpy(new_run, train_epoch, path, epochs):
    model, optimizer = new_run()
    variables, number = [*model.variables, *optimizer.variables], 0
    if tf.io.gfile.exists(f"{path}.npz"):
        saved = np.load(f"{path}.npz")
        number = int(saved["number"])
        for i, variable in enumerate(variables):
            variable.assign(saved[f"v{i}"])
    for epoch in range(number, epochs):
        train_epoch(model, optimizer, epoch)
        values = {f"v{i}": variable.numpy() for i, variable in enumerate(variables)}
        np.savez(f"{path}.npz", number=epoch + 1, **values)
    return model.get_weights()


def saving(
    variables=lambda model, optimizer: [*model.variables, *optimizer.variables],
    first=lambda saved: int(saved["number"]),
    result=lambda model: model,
    before=False,
):
    def go_on(new_run, train_epoch, path, epochs):
        model, optimizer = new_run()
        kept, number = variables(model, optimizer), 0
        if tf.io.gfile.exists(f"{path}.npz"):
            saved = np.load(f"{path}.npz")
            number = first(saved)
            for i, variable in enumerate(kept):
                variable.assign(saved[f"v{i}"])

        def save(number):
            values = {f"v{i}": variable.numpy() for i, variable in enumerate(kept)}
            np.savez(f"{path}.npz", number=number, **values)

        for epoch in range(number, epochs):
            if before:
                save(epoch + 1)
            train_epoch(model, optimizer, epoch)
            save(epoch + 1)
        return result(model)

    return go_on


def counting(numbers, start=0, every=1):
    """Count in a checkpoint that holds all values, from a start, and save every few epochs."""

    def go_on(new_run, train_epoch, path, epochs):
        model, optimizer = new_run()
        done = tf.Variable(start)
        values = [v.value for v in [*model.variables, *optimizer.variables]]
        state = tf.train.Checkpoint(values=values, done=done)
        if tf.io.gfile.exists(f"{path}.index"):
            state.read(path)
        for number in numbers(int(done), epochs):
            train_epoch(model, optimizer, number)
            done.assign(number + 1)
            if (number + 1) % every == 0:
                state.write(path)
        return model

    return go_on


def saved_when_all_is_done(new_run, train_epoch, path, epochs):
    model, optimizer = new_run()
    done = tf.Variable(0)
    state = {"values": [v.value for v in [*model.variables, *optimizer.variables]], "done": done}
    if tf.io.gfile.exists(f"{path}.index"):
        tf.train.Checkpoint(**state).read(path)
    while done < epochs:
        train_epoch(model, optimizer, int(done))
        done.assign_add(1)
    tf.train.Checkpoint(**state).write(path)
    return model


def catching(new_run, train_epoch, path, epochs):
    def stopping(*given):
        try:
            train_epoch(*given)
        except KeyboardInterrupt:
            raise StopIteration from None

    try:
        return going_on_with_numpy(new_run, stopping, path, epochs)
    except StopIteration:
        return None


def each_call(then):
    """Count in a checkpoint; after an epoch, tell whether to go on."""

    def go_on(new_run, train_epoch, path, epochs):
        model, optimizer = new_run()
        values = [v.value for v in [*model.variables, *optimizer.variables]]
        done = tf.Variable(0)
        state = tf.train.Checkpoint(values=values, done=done)
        started = int(done)
        if tf.io.gfile.exists(f"{path}.index"):
            state.read(path)
        number = started if then == "from the count before the read" else int(done)
        while number < epochs:
            train_epoch(model, optimizer, number)
            number += 1
            if then == "a new variable":
                done = tf.Variable(number)
            else:
                done.assign(number)
            state.write(path)
            if then == "return":
                return model
        return model

    return go_on


# 13.6


def surest_by_sorting_in_python(logits, labels, k):
    rows = np.exp(logits - logits.max(axis=1, keepdims=True))
    sureness = 1 / rows.sum(axis=1)  # the largest entry of each row is now 1
    wrong = [i for i in range(len(labels)) if rows[i].argmax() != labels[i]]
    return sorted(wrong, key=lambda i: sureness[i], reverse=True)[:k]


def surest_by_masking(logits, labels, k):
    sureness = tf.reduce_max(tf.nn.softmax(logits), axis=1).numpy()
    sureness[np.argmax(logits, axis=1) == labels] = -1
    return tf.math.top_k(sureness, k=min(k, int(np.sum(sureness >= 0)))).indices


RIGHT = {
    "13.1": [hold_out_with_sets, hold_out_by_ranks],
    "13.2": [weighted_batch_means, measured_in_numpy],
    "13.3": [trained_with_a_dataset, trained_on_splits],
    "13.4": [compared_with_arrays, compared_with_statistics],
    "13.5": [going_on_with_iterations, going_on_with_numpy],
    "13.6": [surest_by_sorting_in_python, surest_by_masking],
}

# What a demand forbids, and whose values are right all the same.
ORACLES = {"13.2": [measured_at_once], "13.4": [changed_in_place], "13.5": [catching]}


def measuring(end, drop_remainder=False, losses_of=cross_entropy):
    def evaluate(logits_of, x, y, batch_size):
        data = tf.data.Dataset.from_tensor_slices((x, y)).batch(batch_size, drop_remainder)
        losses, hits = [], []
        for part, labels in data:
            losses.append(losses_of(labels, logits_of(part)))
            hits.append(tf.cast(tf.argmax(logits_of(part), axis=1) == labels, tf.float32))
        return end(losses, hits, len(y))

    return evaluate


def mean(parts):
    return tf.reduce_mean(tf.concat(parts, axis=0))


def total(parts):
    return sum(tf.reduce_sum(part) for part in parts)


def by_batch(parts):
    return total(mean([part]) for part in parts) / len(parts)


def overwriting(returns_early):
    def evaluate(logits_of, x, y, batch_size):
        for first in range(0, len(y), batch_size):
            logits, labels = (array[first : first + batch_size] for array in (logits_of(x), y))
            both = mean([cross_entropy(labels, logits)]), np.mean(np.argmax(logits, 1) == labels)
            if returns_early:
                return both
        return both

    return evaluate


def sureness(logits, labels=None, axis=-1):
    return tf.reduce_max(tf.nn.softmax(logits, axis), axis=1).numpy()


def mistakes(logits, labels, k=None):
    return [i for i, row in enumerate(logits) if np.argmax(row) != labels[i]][:k]


def ranking(score=sureness, end=lambda ranked, k: ranked[:k], reverse=True):
    """Rank the mistakes by a score."""
    return lambda logits, labels, k: end(
        sorted(mistakes(logits, labels), key=score(logits, labels).item, reverse=reverse), k
    )


def top(logits, labels, k):
    sure = tf.gather(sureness(logits), mistakes(logits, labels))
    return tf.math.top_k(sure, min(k, len(sure)))


def top_of_all(logits, labels, k):
    return tf.math.top_k(sureness(logits), k).indices


def with_seed_0(measure, setting, change, seeds):
    gains = [measure({**setting, **change}, 0) - measure(setting, 0) for _ in seeds]
    return np.mean(gains), np.std(gains, ddof=1) / np.sqrt(len(gains))


WRONG = {
    "13.1": [
        ("returns none", sides(Drawn(), lambda kept, held: print(len(kept), len(held)))),
        ("not two arrays", sides(Drawn(), lambda kept, held: held)),
        ("nothing held out", sides(lambda names, share, rng: rng.permutation(len(names)))),
        ("nothing kept", held_by_places),
        ("by images", split_of_images),
        ("images on both sides", sides(Drawn(), lambda kept, held: (kept + held[:1], held))),
        ("images on neither side", sides(Drawn(), lambda kept, held: (kept[1:], held))),
        ("sides exchanged", sides(Drawn(), lambda kept, held: (held, kept))),
        ("not drawn", sides(lambda names, share, rng: names[-round(share * len(names)) :])),
        ("another number of writers", rounded(int)),
    ],
    "13.2": [
        ("too many at once", measured_at_once),
        ("other form", lambda *given: measured_at_once(*given)[1]),
        ("unexplained", lambda f, x, y, size: measured_at_once(f, x, (y + 1) % 4, size)),
        ("returns none", measuring(lambda losses, hits, n: print(mean(losses), mean(hits)))),
        ("swapped", measuring(lambda losses, hits, n: (mean(hits), mean(losses)))),
        ("percent", measuring(lambda losses, hits, n: (mean(losses), 100 * (total(hits) / n)))),
        ("mean of means", measuring(lambda losses, hits, n: (by_batch(losses), by_batch(hits)))),
        ("short batch left out", measuring(lambda loss, hit, n: (mean(loss), mean(hit)), True)),
        ("last batch alone", overwriting(returns_early=False)),
        (
            "logits as probabilities",
            measuring(
                lambda losses, hits, n: (mean(losses), mean(hits)),
                losses_of=keras.losses.sparse_categorical_crossentropy,
            ),
        ),
    ],
    "13.3": [
        ("nothing trained", on_splits(rate=0.0)),
        ("inference mode", on_splits(call=lambda model, x: model(x))),
        ("penalties left out", on_splits(extra=lambda losses: 0.0)),
        ("losses added up", on_splits(reduce=tf.reduce_sum)),
        ("labels out of order", on_splits(targets=lambda labels, batch: labels[: len(batch)])),
        (
            "short batch left out",
            on_splits(cut=lambda o, n: np.reshape(o[: len(o) // n * n], (-1, n))),
        ),
        (
            "measured in training",
            on_splits(measure=lambda m, x, y: np.mean(np.argmax(m(x, training=True), 1) == y)),
        ),
        ("measured on kept", on_splits(asked=lambda orders, held: np.sort(orders[-1]))),
        ("softmax twice", on_splits(lambda o: o, lambda m, x: tf.nn.softmax(m(x, training=True)))),
        ("measured at another time", measuring_each_epoch(lambda shares: shares[0], after=False)),
    ],
    "13.4": [
        ("setting changed", changed_in_place),
        ("one seed for all", with_seed_0),
        ("returns none", gains_of(lambda gains: print(both(gains)))),
        ("swapped", gains_of(lambda gains: both(gains)[::-1])),
        ("sign", gains_of(both, lambda setting, change: setting, lambda s, c: s | c)),
        ("compared with itself", gains_of(both, other=lambda s, c: dict(s, **c))),
        ("change alone", gains_of(both, lambda setting, change: change)),
        ("one seed", gains_of(lambda gains: (gains[0], both(gains)[1]))),
        ("best runs", gains_of(lambda gains: (max(gains), both(gains)[1]))),
        ("other seeds", gains_of(both, seed_of=lambda seeds, i: seeds[(i + 1) % len(seeds)])),
    ],
    "13.5": [
        ("starts over", saving(first=lambda saved: 0)),
        ("saved at the end", saved_when_all_is_done),
        ("one epoch again", saving(first=lambda saved: max(0, int(saved["number"]) - 1))),
        ("killed epoch skipped", saving(before=True)),
        ("optimizer left out", saving(lambda model, optimizer: model.variables)),
        (
            "dropout left out",
            saving(lambda model, optimizer: [*model.trainable_variables, *optimizer.variables]),
        ),
        ("returns none", saving(result=lambda model: print(model.name))),
        ("first epoch never trained", counting(range, start=1)),
        ("one epoch each call", each_call("return")),
        ("not after each epoch", counting(range, every=2)),
    ],
    "13.6": [
        ("other form", lambda logits, labels, k: (labels, logits)),
        ("right ones included", lambda logits, labels, k: np.arange(k)),
        ("margins", ranking(lambda logits, labels: np.ptp(np.sort(logits)[:, -2:], axis=1))),
        ("returns none", lambda *given: mistakes(*given).sort(key=sureness(*given[:2]).item)),
        ("least sure", ranking(reverse=False)),
        (
            "fewer than k",
            lambda logits, labels, k: tf.gather(
                mistakes(logits, labels),
                tf.math.top_k(tf.gather(sureness(logits), mistakes(logits, labels)), k)[1],
            ),
        ),
        (
            "cut first",
            lambda *given: [i for i in top_of_all(*given).numpy() if i in mistakes(*given[:2])],
        ),
        ("softmax of columns", ranking(lambda logits, labels: sureness(logits, axis=0))),
        ("positions among mistakes", lambda *given: top(*given).indices),
        ("not cut", ranking(end=lambda ranked, k: ranked)),
    ],
}

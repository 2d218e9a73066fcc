"""Right answers to lesson 13's exercises, and wrong ones that no gallery holds."""

import random

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


# 13.3


def orders_in_a_graph(n):
    @tf.function
    def next_order():
        return tf.argsort(tf.random.uniform((n,)))

    return next_order(), next_order()


def orders_given_to_a_graph(n):
    @tf.function
    def next_order(order):
        return tf.identity(order)

    return np.array([next_order(np.random.permutation(n)) for _ in range(2)])


def both_orders_in_a_graph(n):
    @tf.function
    def orders():
        return [tf.random.shuffle(tf.range(n)), tf.random.shuffle(tf.range(n))]

    return orders()


def orders_without_a_graph(n):
    return np.array([np.random.permutation(n) for _ in range(2)])


def orders_as_lists(n):
    orders = list(range(n)), list(range(n))
    for order in orders:
        random.shuffle(order)
    return orders


def orders_of_two_traces(n):
    @tf.function
    def next_order(epoch):
        return tf.constant(np.random.permutation(n))

    return [next_order(0), next_order(1)]


def orders_of_two_graphs(n):
    return [tf.function(lambda: tf.constant(np.random.permutation(n)))() for _ in range(2)]


# 13.4


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
    "13.1": [np.log(1000), -np.log(1 / 1000), tf.constant(6.91), 6.908],
    "13.2": [weighted_batch_means, measured_in_numpy],
    "13.3": [orders_in_a_graph, orders_given_to_a_graph, both_orders_in_a_graph],
    "13.4": [surest_by_sorting_in_python, surest_by_masking],
}

# What a demand forbids, and whose values are right all the same.
ORACLES = {"13.2": [measured_at_once], "13.3": [orders_without_a_graph, orders_as_lists]}


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


def twice(draw):
    """Draw both orders with one compiled function of n."""
    return lambda n: [(next_order := tf.function(lambda: draw(n)))(), next_order()]


def then(change):
    """Shuffle the first order, and make the second one of it."""
    return lambda n: (order := tf.random.shuffle(tf.range(n)), change(order))


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


WRONG = {
    "13.2": [
        ("too many at once", measured_at_once),
        ("other form", lambda *given: measured_at_once(*given)[1]),
        ("unexplained", lambda f, x, y, size: measured_at_once(f, x, (y + 1) % 4, size)),
        ("returns none", measuring(lambda losses, hits, n: print(mean(losses), mean(hits)))),
        ("swapped", measuring(lambda losses, hits, n: (mean(hits), mean(losses)))),
        ("percent", measuring(lambda losses, hits, n: (mean(losses), 100 * (total(hits) / n)))),
        (
            "fraction wrong",
            measuring(
                lambda losses, hits, n: (mean(losses), tf.math.zero_fraction(tf.concat(hits, 0)))
            ),
        ),
        ("mean of means", measuring(lambda losses, hits, n: (by_batch(losses), by_batch(hits)))),
        ("short batch left out", measuring(lambda loss, hit, n: (mean(loss), mean(hit)), True)),
        (
            "left out but divided",
            measuring(lambda loss, hit, n: (total(loss) / n, total(hit) / n), True),
        ),
        ("sums not divided", measuring(lambda losses, hits, n: (total(losses), total(hits)))),
        ("last batch alone", overwriting(returns_early=False)),
        ("first batch alone", overwriting(returns_early=True)),
        (
            "logits as probabilities",
            measuring(
                lambda losses, hits, n: (mean(losses), mean(hits)),
                losses_of=keras.losses.sparse_categorical_crossentropy,
            ),
        ),
        ("mean of means", measuring(lambda losses, hits, n: (mean(losses), by_batch(hits)))),
        (
            "raised AttributeError",
            lambda logits_of, x, y, size: (logits_of(x).argmax(axis=1) == y).mean(),
        ),
    ],
    "13.3": [
        ("no graph", orders_without_a_graph),
        ("no graph", orders_as_lists),
        ("traced again", orders_of_two_traces),
        ("traced again", orders_of_two_graphs),
        ("other form", lambda n: np.random.permutation(n)),
        ("other form", lambda n: [tf.random.shuffle(n), tf.random.shuffle(n)]),
        ("shifted", then(lambda order: (order + 7) % tf.size(order))),
        ("numbers repeat", lambda n: list(np.random.choice(n, size=(2, n)))),
        ("nothing shuffled", twice(lambda n: (tf.range(n), tf.random.shuffle(tf.range(n)))[0])),
        ("drawn while traced", twice(lambda n: tf.stack(random.sample(range(n), n)))),
        ("one not shuffled", lambda n: np.stack([np.random.permutation(n), np.arange(n)])),
        ("backwards", then(lambda order: tf.reverse(order, axis=[0]))),
        ("shifted", then(lambda order: tf.roll(order, shift=5, axis=0))),
        ("another start", then(lambda order: tf.roll(tf.sort(order), shift=5, axis=0))),
        ("raised NotImplementedError", twice(lambda n: np.random.permutation(tf.range(n)))),
    ],
    "13.4": [
        ("other form", lambda logits, labels, k: (labels, logits)),
        ("right ones included", lambda logits, labels, k: np.arange(k)),
        ("margins", ranking(lambda logits, labels: np.ptp(np.sort(logits)[:, -2:], axis=1))),
        ("other form", lambda *given: np.array(ranking()(*given))[:, None]),
        ("returns none", lambda *given: mistakes(*given).sort(key=sureness(*given[:2]).item)),
        ("right ones included", top_of_all),
        ("least sure", ranking(reverse=False)),
        (
            "cut first",
            lambda *given: [i for i in top_of_all(*given).numpy() if i in mistakes(*given[:2])],
        ),
        ("largest logit", ranking(lambda logits, labels: np.max(logits, axis=1))),
        ("softmax of columns", ranking(lambda logits, labels: sureness(logits, axis=0))),
        ("largest loss", ranking(lambda logits, labels: cross_entropy(labels, logits).numpy())),
        ("not sorted", mistakes),
        ("positions among mistakes", lambda *given: top(*given).indices),
        ("probabilities", lambda *given: top(*given).values),
        ("not cut", ranking(end=lambda ranked, k: ranked)),
        ("not sorted or cut", lambda logits, labels, k: np.array(mistakes(logits, labels))),
        ("unexplained", ranking(end=lambda ranked, k: list(set(ranked[:k])))),
        (
            "others follow",
            lambda logits, labels, k: np.lexsort(
                [-sureness(logits), np.argmax(logits, axis=1) == labels]
            )[:k],
        ),
        ("raised TypeError", lambda *given: tf.nn.softmax(given[0])[np.array(mistakes(*given))]),
    ],
}

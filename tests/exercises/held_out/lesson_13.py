"""Wrong answers to lesson 13's exercises, held out: no gallery holds them.

By exercise and mistake.
"""

import random

import keras
import numpy as np
import tensorflow as tf

cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits


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
    "13.2": {
        "returns none": measuring(lambda losses, hits, n: print(mean(losses), mean(hits))),
        "swapped": measuring(lambda losses, hits, n: (mean(hits), mean(losses))),
        "percent": measuring(lambda losses, hits, n: (mean(losses), 100 * (total(hits) / n))),
        "fraction wrong": measuring(
            lambda losses, hits, n: (mean(losses), tf.math.zero_fraction(tf.concat(hits, 0)))
        ),
        "mean of means": measuring(lambda losses, hits, n: (by_batch(losses), by_batch(hits))),
        "short batch left out": measuring(lambda loss, hit, n: (mean(loss), mean(hit)), True),
        "left out but divided": measuring(
            lambda loss, hit, n: (total(loss) / n, total(hit) / n), True
        ),
        "sums not divided": measuring(lambda losses, hits, n: (total(losses), total(hits))),
        "last batch alone": overwriting(returns_early=False),
        "first batch alone": overwriting(returns_early=True),
        "logits as probabilities": measuring(
            lambda losses, hits, n: (mean(losses), mean(hits)),
            losses_of=keras.losses.sparse_categorical_crossentropy,
        ),
        "accuracies averaged": measuring(lambda losses, hits, n: (mean(losses), by_batch(hits))),
        "method of numpy": lambda logits_of, x, y, size: (logits_of(x).argmax(axis=1) == y).mean(),
    },
    "13.3": {
        "numbers repeat": lambda n: list(np.random.choice(n, size=(2, n))),
        "nothing shuffled": twice(lambda n: (tf.range(n), tf.random.shuffle(tf.range(n)))[0]),
        "drawn while traced": twice(lambda n: tf.stack(random.sample(range(n), n))),
        "one not shuffled": lambda n: np.stack([np.random.permutation(n), np.arange(n)]),
        "backwards": then(lambda order: tf.reverse(order, axis=[0])),
        "shifted": then(lambda order: tf.roll(order, shift=5, axis=0)),
        "another start": then(lambda order: tf.roll(tf.sort(order), shift=5, axis=0)),
        "numpy in graph": twice(lambda n: np.random.permutation(tf.range(n))),
    },
    "13.4": {
        "returns none": lambda *given: mistakes(*given).sort(key=sureness(*given[:2]).item),
        "right ones included": top_of_all,
        "least sure": ranking(reverse=False),
        "cut first": lambda *given: [
            i for i in top_of_all(*given).numpy() if i in mistakes(*given[:2])
        ],
        "largest logit": ranking(lambda logits, labels: np.max(logits, axis=1)),
        "softmax of columns": ranking(lambda logits, labels: sureness(logits, axis=0)),
        "largest loss": ranking(lambda logits, labels: cross_entropy(labels, logits).numpy()),
        "not sorted": mistakes,
        "positions among mistakes": lambda *given: top(*given).indices,
        "probabilities": lambda *given: top(*given).values,
        "not cut": ranking(end=lambda ranked, k: ranked),
        "not sorted or cut": lambda logits, labels, k: np.array(mistakes(logits, labels)),
        "order lost": ranking(end=lambda ranked, k: list(set(ranked[:k]))),
        "others follow": lambda logits, labels, k: np.lexsort(
            [-sureness(logits), np.argmax(logits, axis=1) == labels]
        )[:k],
        "array as index": lambda *given: tf.nn.softmax(given[0])[np.array(mistakes(*given))],
    },
}

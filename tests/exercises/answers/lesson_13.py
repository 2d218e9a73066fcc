import random

import numpy as np
import tensorflow as tf

from answers import Answers, Wrong


def cross_entropies(y, logits):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits).numpy()


def measured(combine):
    """Return an answer to 13.2 that makes (loss, accuracy) of the batches' losses and hits."""

    def evaluate(logits_of, x, y, batch_size):
        losses, hits = [], []
        for first in range(0, len(y), batch_size):
            labels = y[first : first + batch_size]
            logits = logits_of(x[first : first + batch_size])
            losses.append(cross_entropies(labels, logits))
            hits.append(np.argmax(logits, axis=1) == labels)
        return combine(losses, hits, batch_size)

    return evaluate


def means(losses, hits):
    return np.mean(np.concatenate(losses)), np.mean(np.concatenate(hits))


def weighted_batch_means(logits_of, x, y, batch_size):
    loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    loss, accuracy = tf.keras.metrics.Mean(), tf.keras.metrics.SparseCategoricalAccuracy()
    for first in range(0, len(y), batch_size):
        batch = slice(first, first + batch_size)
        logits = logits_of(x[batch])
        loss.update_state(loss_fn(y[batch], logits), sample_weight=len(y[batch]))
        accuracy.update_state(y[batch], logits)
    return [loss.result(), accuracy.result()]


def measured_at_once(logits_of, x, y, batch_size):
    logits = logits_of(x)
    return np.mean(cross_entropies(y, logits)), np.mean(np.argmax(logits, axis=1) == y)


def measured_without_return(logits_of, x, y, batch_size):
    measured_at_once(logits_of, x, y, batch_size)


def measured_from_probabilities(logits_of, x, y, batch_size):
    loss, accuracy = measured_at_once(lambda x: tf.nn.softmax(logits_of(x)), x, y, batch_size)
    return loss, accuracy


def measured_with_a_wrong_axis(logits_of, x, y, batch_size):
    loss, _ = measured_at_once(logits_of, x, y, batch_size)
    return loss, np.mean(np.max(logits_of(x), axis=1) == y)


def measured_against_a_shifted_label(logits_of, x, y, batch_size):
    return measured_at_once(logits_of, x, (y + 1) % 4, batch_size)


def orders_in_a_graph(n):
    @tf.function
    def next_order():
        return tf.argsort(tf.random.uniform((n,)))

    return next_order(), next_order()


def orders_in_eager(n):
    return np.array([np.random.permutation(n) for _ in range(2)])


def orders_traced(n):
    @tf.function
    def next_order():
        return tf.constant(np.random.default_rng().permutation(n))

    return [next_order(), next_order()]


def one_order_twice(n):
    order = np.random.permutation(n)
    return [order, order]


def orders_of_one_seed(n):
    return [np.random.default_rng(0).permutation(n) for _ in range(2)]


def orders_as_lists(n):
    orders = list(range(n)), list(range(n))
    for order in orders:
        random.shuffle(order)
    return orders


def orders_from_a_dataset(n):
    numbers = tf.data.Dataset.range(n).shuffle(n)
    return [list(numbers.as_numpy_iterator()), list(numbers)]


def one_new_order_twice(n):
    order = tf.random.shuffle(tf.range(n))
    return [order, order]


def orders_not_called(n):
    def next_order():
        return tf.random.shuffle(tf.range(n))

    return [next_order, next_order]


def orders_with_repeats(n):
    return [tf.random.uniform((n,), maxval=n, dtype=tf.int32) for _ in range(2)]


def unshuffled_orders(n):
    return [tf.range(n), tf.range(n)]


def one_shuffled_order(n):
    return [tf.range(n), np.random.permutation(n)]


def order_and_its_reverse(n):
    order = np.random.permutation(n)
    return [order, order[::-1]]


def order_and_its_shift(n):
    order = np.random.permutation(n)
    return [order, (order + 1) % n]


def rotated_orders(n):
    return [np.roll(np.arange(n), 3), np.roll(np.arange(n), 7)[::-1]]


def one_order(n):
    return np.random.permutation(n)


def surest(score, among=None, order=-1, limit=True):
    """Return an answer to 13.4 with another score, other candidates or another order."""

    def surest_mistakes(logits, labels, k):
        wrong = np.flatnonzero(np.argmax(logits, axis=1) != labels)
        candidates = wrong if among is None else among(labels)
        values = np.asarray(score(logits, labels))[candidates]
        return candidates[np.argsort(order * values)][: k if limit else None]

    return surest_mistakes


def probability(logits, labels):
    return tf.reduce_max(tf.nn.softmax(logits), axis=1)


def surest_by_sorting_in_python(logits, labels, k):
    rows = np.exp(logits - logits.max(axis=1, keepdims=True))
    sureness = 1 / rows.sum(axis=1)  # the largest entry of each row is now 1
    wrong = [i for i in range(len(labels)) if rows[i].argmax() != labels[i]]
    return sorted(wrong, key=lambda i: sureness[i], reverse=True)[:k]


def surest_among_all_by_masking(logits, labels, k):
    sureness = probability(logits, labels).numpy()
    sureness[np.argmax(logits, axis=1) == labels] = -1
    count = min(k, int(np.sum(sureness >= 0)))
    return tf.math.top_k(sureness, k=count).indices


def surest_with_others_masked(logits, labels, k):
    is_wrong = np.argmax(logits, axis=1) != labels
    return np.argsort(-probability(logits, labels).numpy() * is_wrong)[:k]


def wrong_among_the_surest(logits, labels, k):
    first = np.argsort(-probability(logits, labels).numpy())[:k]
    return first[np.argmax(logits[first], axis=1) != labels[first]]


def surest_in_a_column(logits, labels, k):
    wrong = tf.where(np.argmax(logits, axis=1) != labels)
    sureness = tf.gather_nd(probability(logits, labels), wrong)
    return tf.gather(wrong, tf.argsort(sureness, direction="DESCENDING"))[:k]


def positions_of_the_surest(logits, labels, k):
    wrong = np.flatnonzero(np.argmax(logits, axis=1) != labels)
    return np.argsort(-probability(logits, labels).numpy()[wrong])[:k]


def probabilities_of_the_surest(logits, labels, k):
    best = surest(probability)(logits, labels, k)
    return probability(logits, labels).numpy()[best]


def probability_by_column(logits, labels):
    return tf.reduce_max(tf.nn.softmax(logits, axis=0), axis=1)


def surest_by_column_throughout(logits, labels, k):
    probabilities = tf.nn.softmax(logits, axis=0).numpy()
    wrong = np.flatnonzero(probabilities.argmax(axis=1) != labels)
    return wrong[np.argsort(-probabilities.max(axis=1)[wrong])][:k]


def surest_mask(logits, labels, k):
    return np.argmax(logits, axis=1) != labels


ANSWERS = {
    "13.1": Answers(
        right=[np.log(1000), -np.log(1 / 1000), tf.constant(6.91), 6.908],
        wrong=[
            Wrong(2.3, "for ten classes"),
            Wrong(-6.9, "it is positive"),
            Wrong(3, "to base 10"),
            Wrong(9.97, "to base 2"),
            Wrong(0.0, "sure, and right"),
            Wrong(0.001, "the probability p"),
            Wrong(0.999, "This is 1 - p"),
            Wrong(1000, "the number of classes"),
            Wrong(5.0, "5 is not it"),
            Wrong("6.9", "one number"),
        ],
    ),
    "13.2": Answers(
        right=[
            measured(lambda losses, hits, size: means(losses, hits)),
            weighted_batch_means,
            measured_at_once,
        ],
        wrong=[
            Wrong(measured_without_return, "returned None"),
            Wrong(measured(lambda losses, hits, size: means(losses, hits)[1]), "Two numbers"),
            Wrong(measured(lambda losses, hits, size: means(losses, hits)[::-1]), "swapped"),
            Wrong(
                measured(
                    lambda losses, hits, size: (
                        means(losses, hits)[0],
                        100 * means(losses, hits)[1],
                    )
                ),
                "percent",
            ),
            Wrong(
                measured(
                    lambda losses, hits, size: (means(losses, hits)[0], 1 - means(losses, hits)[1])
                ),
                "fraction that is wrong",
            ),
            Wrong(
                measured(
                    lambda losses, hits, size: (
                        np.mean([np.mean(b) for b in losses]),
                        np.mean([np.mean(b) for b in hits]),
                    )
                ),
                "mean of the batches' means",
            ),
            Wrong(
                measured(lambda losses, hits, size: means(losses[:-1], hits[:-1])),
                "short last batch is left out. Go on",
            ),
            Wrong(
                lambda logits_of, x, y, size: measured(
                    lambda losses, hits, _: (
                        np.sum(np.concatenate(losses[:-1])) / len(y),
                        np.sum(np.concatenate(hits[:-1])) / len(y),
                    )
                )(logits_of, x, y, size),
                "left out, though the sums",
            ),
            Wrong(
                measured(
                    lambda losses, hits, size: (
                        np.sum(np.concatenate(losses)),
                        np.sum(np.concatenate(hits)),
                    )
                ),
                "These are the sums",
            ),
            Wrong(
                measured(lambda losses, hits, size: means(losses[-1:], hits[-1:])),
                "last batch alone",
            ),
            Wrong(
                measured(lambda losses, hits, size: means(losses[:1], hits[:1])),
                "first batch alone",
            ),
            Wrong(measured_from_probabilities, "The accuracy is right, the loss is not"),
            Wrong(measured_with_a_wrong_axis, "The loss is right, the accuracy is not"),
            Wrong(measured_against_a_shifted_label, "loss and accuracy are"),
        ],
    ),
    "13.3": Answers(
        right=[orders_in_a_graph, orders_in_eager, orders_as_lists, orders_from_a_dataset],
        wrong=[
            Wrong(orders_traced, "still repeats the first"),
            Wrong(one_order_twice, "still repeats the first"),
            Wrong(one_new_order_twice, "Call it once for each epoch"),
            Wrong(orders_not_called, "two orders, each of shape"),
            Wrong(orders_of_one_seed, "still repeats the first"),
            Wrong(orders_with_repeats, "once, and one of yours has not"),
            Wrong(unshuffled_orders, "nothing is shuffled"),
            Wrong(one_shuffled_order, "One of the two"),
            Wrong(order_and_its_reverse, "backwards"),
            Wrong(order_and_its_shift, "shifted"),
            Wrong(rotated_orders, "from another start"),
            Wrong(one_order, "Return a list of two orders"),
            Wrong(lambda n: [tf.random.shuffle(n), tf.random.shuffle(n)], "Return a list of two"),
        ],
    ),
    "13.4": Answers(
        right=[surest(probability), surest_by_sorting_in_python, surest_among_all_by_masking],
        wrong=[
            Wrong(lambda logits, labels, k: None, "returned None"),
            Wrong(lambda logits, labels, k: (labels, logits), "Indices were asked for"),
            Wrong(
                surest(probability, among=lambda labels: np.arange(len(labels))), "Right predict"
            ),
            Wrong(surest(probability, order=1), "least sure"),
            Wrong(lambda *a: surest(probability)(*a)[::-1], "their order is not"),
            Wrong(lambda *a: np.sort(surest(probability)(*a)), "their order is not"),
            Wrong(surest_with_others_masked, "at most k of them"),
            Wrong(wrong_among_the_surest, "Take the mistakes first"),
            Wrong(surest_in_a_column, "one array of shape (k,)"),
            Wrong(surest(lambda logits, labels: logits.max(axis=1)), "sorted by the largest logit"),
            Wrong(surest(probability_by_column), "down each column"),
            Wrong(surest_by_column_throughout, "down each column"),
            Wrong(surest(lambda logits, labels: cross_entropies(labels, logits)), "by the loss"),
            Wrong(surest(lambda logits, labels: -np.arange(len(labels))), "the first mistakes"),
            Wrong(positions_of_the_surest, "positions within"),
            Wrong(probabilities_of_the_surest, "Return the indices of their"),
            Wrong(surest(probability, limit=False), "in the right order"),
            Wrong(
                surest(lambda logits, labels: -np.arange(len(labels)), limit=False), "Sort them by"
            ),
            Wrong(lambda logits, labels, k: np.arange(k), "the indices are"),
        ],
    ),
}

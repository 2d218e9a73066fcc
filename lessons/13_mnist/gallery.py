"""Wrong answers to the questions of lesson 13, and what each is told."""

from collections.abc import Callable

import keras
import numpy as np
import tensorflow as tf

from course_staff.authoring.gallery import Between, Table, Wrong

# 13.1

FIRST_LOSS = Table(
    {
        Between(2.25, 2.35): "2.3 is ln(10), for ten classes. Here there are 1,000.",
        -6.9: "The size is right. A loss is -ln(p), and p is below 1: it is positive.",
        7: "It rounds to 7, but one decimal was asked for.",
        3: "3 is the logarithm to base 10. The loss takes the natural logarithm.",
        Between(9.9, 10.03): "This is the logarithm to base 2. The loss takes the natural "
        "logarithm.",
        0: "0 means that the network is sure, and right. It has not seen a single label yet.",
        0.001: "This is the probability p that each class gets. The loss is -ln(p).",
        Between(0.9985, 0.9995): "This is 1 - p. The cross-entropy is -ln(p), where p is 1/1000.",
        1000: "1,000 is the number of classes. The loss is -ln(p), and p is 1/1000.",
    },
    "{value} is not it. A network that knows nothing gives each of 1,000 classes the probability "
    "p = 1/1000, and the loss is -ln(p).",
)

# 13.2


def cross_entropies(labels, logits):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits).numpy()


def hits_of(labels, logits):
    return np.argmax(logits, axis=1) == labels


def measuring(loss=None, accuracy=None, losses_of=cross_entropies, hits_of=hits_of, end=tuple):
    """Return an answer to 13.2; what is left out is the mean over all examples."""

    def evaluate(logits_of, x, y, batch_size):
        losses, hits = [], []
        for first in range(0, len(y), batch_size):
            labels = y[first : first + batch_size]
            logits = logits_of(x[first : first + batch_size])
            losses.append(losses_of(labels, logits))
            hits.append(hits_of(labels, logits))
        return end(
            [
                (loss or mean)(losses, batch_size, len(y)),
                (accuracy or mean)(hits, batch_size, len(y)),
            ]
        )

    return evaluate


def mean(parts, size, n):
    return np.mean(np.concatenate(parts))


def of_both(combine):
    """Return variants with the fault in both numbers, and in the accuracy alone."""
    return measuring(combine, combine), measuring(None, combine)


def in_a_short_call(change: Callable) -> tuple:
    """Drop the batches that are not complete, and change what is left."""
    return of_both(lambda parts, size, n: change([p for p in parts if len(p) == size], size, n))


def twice_softmax(labels, logits):
    return cross_entropies(labels, tf.nn.softmax(logits))


def as_probabilities(labels, logits):
    return keras.losses.sparse_categorical_crossentropy(labels, logits).numpy()


MEASUREMENTS = [
    Wrong(
        "returns none",
        "Your function returned None. End it with `return mean_loss, accuracy`, after the loop "
        "over the batches.",
        measuring(end=lambda both: None),
    ),
    Wrong(
        "swapped",
        "The two are swapped: the mean loss comes first, then the accuracy.",
        measuring(end=lambda both: both[::-1]),
    ),
    Wrong(
        "percent",
        "The accuracy is given in percent. Return the fraction, between 0 and 1.",
        measuring(None, lambda hits, size, n: 100 * mean(hits, size, n)),
    ),
    Wrong(
        "fraction wrong",
        "This is the fraction that is wrong. The accuracy is the fraction right.",
        measuring(None, lambda hits, size, n: 1 - mean(hits, size, n)),
    ),
    Wrong(
        "mean of means",
        "You took the mean of the batches' means, so that an example in the short last batch "
        "counts more than the others. Add up over all examples, and divide by n once.",
        *of_both(lambda parts, size, n: np.mean([np.mean(part) for part in parts])),
    ),
    Wrong(
        "short batch left out",
        "The short last batch is left out. Go on until all n examples are counted.",
        *in_a_short_call(mean),
    ),
    Wrong(
        "left out but divided",
        "The short last batch is left out, though the sums are divided by n. Go on until all n "
        "examples are counted.",
        *in_a_short_call(lambda parts, size, n: np.sum(np.concatenate(parts)) / n),
    ),
    Wrong(
        "sums not divided",
        "These are the sums over all examples. Divide each by n.",
        measuring(*[lambda parts, size, n: np.sum(np.concatenate(parts))] * 2),
    ),
    Wrong(
        "count of hits",
        "This is the number of examples that are right. The accuracy is the fraction: divide by n.",
        measuring(None, lambda hits, size, n: np.sum(np.concatenate(hits))),
    ),
    Wrong(
        "last batch alone",
        "These are the values of the last batch alone. Keep sums over all batches.",
        *of_both(lambda parts, size, n: np.mean(parts[-1])),
    ),
    Wrong(
        "first batch alone",
        "These are the values of the first batch alone: return after the loop.",
        *of_both(lambda parts, size, n: np.mean(parts[0])),
    ),
    Wrong(
        "means weighed alike",
        "You weigh the mean of every batch by `batch_size`, also that of the short last batch. "
        "Weigh it by the number of examples that it has.",
        *of_both(lambda parts, size, n: size * sum(np.mean(part) for part in parts) / n),
    ),
    Wrong(
        "means divided by n",
        "You added up the batches' means, and divided by the number of examples. Multiply each "
        "mean by the size of its batch first.",
        *of_both(lambda parts, size, n: sum(np.mean(part) for part in parts) / n),
    ),
    Wrong(
        "sum of means",
        "You added up the batches' means. Multiply each by the size of its batch, and divide the "
        "sum by n.",
        *of_both(lambda parts, size, n: sum(np.mean(part) for part in parts)),
    ),
    Wrong(
        "sums by batches",
        "You divided the sum over all examples by the number of batches. Divide it by n.",
        *of_both(lambda parts, size, n: np.sum(np.concatenate(parts)) / len(parts)),
    ),
    Wrong(
        "softmax twice",
        "The softmax is taken twice: the cross-entropy with logits has it inside. Give it the "
        "logits as they are.",
        measuring(losses_of=twice_softmax),
    ),
    Wrong(
        "logits as probabilities",
        "The logits are taken for probabilities. Keras's cross-entropy does so unless you say "
        "from_logits=True.",
        measuring(losses_of=as_probabilities),
    ),
    Wrong(
        "largest logit compared",
        "The loss is right, the accuracy is not: you compare the largest logit itself with the "
        "label. Count where it stands at the label, with the argmax of each row.",
        measuring(hits_of=lambda labels, logits: np.max(logits, axis=1) == labels),
    ),
]

# 13.3


def ordering(draw):
    """Return an answer to 13.3 that makes both orders of one, and of n."""

    def two_orders(n):
        return draw(np.random.permutation(n), n)

    return two_orders


def traced(n):
    @tf.function
    def next_order():
        return tf.constant(np.random.permutation(n))

    return [next_order(), next_order()]


ORDERS = [
    Wrong(
        "numbers repeat",
        "An order of n examples has every number from 0 to n - 1 once, and one of yours has not. "
        "Shuffle tf.range(n); numbers drawn one by one repeat.",
        ordering(lambda order, n: [np.random.choice(n, n), np.random.choice(n, n)]),
        ordering(lambda order, n: [order, np.random.choice(n, n)]),
        ordering(lambda order, n: [np.random.choice(n, n), order]),
    ),
    Wrong(
        "nothing shuffled",
        "Both orders are 0, 1, 2, ...: nothing is shuffled.",
        ordering(lambda order, n: [np.arange(n), np.arange(n)]),
    ),
    Wrong(
        "drawn while traced",
        "The second epoch still repeats the first. What Python or NumPy draws while the function "
        "is traced becomes a constant of the graph: draw with an operation of TensorFlow's. Call "
        "it once for each epoch, without the same seed each time.",
        traced,
    ),
    Wrong(
        "one not shuffled",
        "One of the two orders is 0, 1, 2, ...: both were to be shuffled.",
        ordering(lambda order, n: [np.arange(n), order]),
    ),
    Wrong(
        "another start",
        "An order is 0, 1, 2, ... from another start. Shuffle the numbers.",
        ordering(lambda order, n: [np.roll(np.arange(n), 1 + order[0] // 2), order]),
    ),
    Wrong(
        "backwards",
        "The second order is the first one backwards. Shuffle it anew.",
        ordering(lambda order, n: [order, order[::-1]]),
    ),
    Wrong(
        "shifted",
        "The second order is the first one, shifted. Shuffle it anew.",
        ordering(lambda order, n: [order, (order + 1) % n]),
        ordering(lambda order, n: [order, np.roll(order, 1)]),
    ),
]

# 13.4


def softmax(logits, axis=-1):
    return tf.nn.softmax(logits, axis=axis).numpy()


def sureness(logits, labels):
    return softmax(logits).max(axis=1)


def wrong_among(scores, labels):
    return np.flatnonzero(np.argmax(scores, axis=1) != labels)


def ranking(score=sureness, among=wrong_among, end=lambda best, k: best[:k]):
    """Return an answer to 13.4 that sorts other examples, or by another score."""

    def surest_mistakes(logits, labels, k):
        candidates = among(logits, labels)
        return end(candidates[np.argsort(-score(logits, labels)[candidates])], k)

    return surest_mistakes


def everything(logits, labels):
    return np.arange(len(labels))


def first_comes_first(logits, labels):
    return -np.arange(len(labels))


def by_column(logits, labels):
    return softmax(logits, axis=0).max(axis=1)


def wrong_by_column(logits, labels):
    return wrong_among(softmax(logits, axis=0), labels)


def label_probability(logits, labels):
    return softmax(logits)[np.arange(len(labels)), labels]


def margin(scores):
    return np.diff(np.sort(scores, axis=1)[:, -2:], axis=1)[:, 0]


def margin_to_label(logits, labels):
    return sureness(logits, labels) - label_probability(logits, labels)


def cut_first(score):
    def surest_mistakes(logits, labels, k):
        surest = ranking(score, everything)(logits, labels, k)
        return surest[np.isin(surest, wrong_among(logits, labels))]

    return surest_mistakes


def positions(logits, labels, k):
    return np.argsort(-sureness(logits, labels)[wrong_among(logits, labels)])[:k]


def probabilities(logits, labels, k):
    return sureness(logits, labels)[ranking()(logits, labels, k)]


def filled_up(logits, labels, k):
    right = np.flatnonzero(np.argmax(logits, axis=1) == labels)
    return np.concatenate([ranking()(logits, labels, k), right])[:k]


MISTAKES = [
    Wrong(
        "returns none",
        "Your function returned None. Return the indices, an array of shape (k,).",
        lambda logits, labels, k: None,
    ),
    Wrong(
        "right ones included",
        "Right predictions are among them. Keep those alone where the largest logit does not "
        "stand at the label, and sort after that.",
        ranking(among=everything),
        ranking(lambda logits, labels: logits.max(axis=1), everything),
    ),
    Wrong(
        "least sure",
        "These are the least sure mistakes. Sort the other way round.",
        ranking(lambda *given: -sureness(*given)),
    ),
    Wrong(
        "cut first",
        "You took the k surest of all, and then the mistakes among these. Take the mistakes "
        "first, and the k surest of them.",
        cut_first(sureness),
    ),
    Wrong(
        "largest logit",
        "You sorted by the largest logit. A row of large logits need not be sure: turn the rows "
        "into probabilities with tf.nn.softmax.",
        ranking(lambda logits, labels: logits.max(axis=1)),
    ),
    Wrong(
        "margins",
        "You sorted by a margin, the distance of the largest value from another one of its row. "
        "Here the question is how probable the wrong class is: sort by the largest probability "
        "itself.",
        ranking(lambda logits, labels: margin(logits)),
        ranking(lambda logits, labels: margin(softmax(logits))),
        ranking(margin_to_label),
    ),
    Wrong(
        "softmax of columns",
        "Your probabilities sum to 1 down each column. Each row is one example: take the softmax "
        "along the last axis, axis=1 here.",
        ranking(by_column),
        ranking(by_column, wrong_by_column),
    ),
    Wrong(
        "largest loss",
        "You sorted by the loss, which asks how improbable the label is. Here the question is how "
        "probable the wrong class is.",
        ranking(lambda *given: -label_probability(*given)),
    ),
    Wrong(
        "not sorted",
        "These are the first mistakes, not the surest. Sort them before you take k.",
        ranking(first_comes_first),
    ),
    Wrong(
        "positions among mistakes",
        "These are positions within the list of mistakes. Look up in that list which examples they "
        "are.",
        positions,
    ),
    Wrong(
        "probabilities",
        "These are the probabilities. Return the indices of their examples.",
        probabilities,
    ),
    Wrong(
        "not cut",
        "These are all mistakes, in the right order. Return the first k alone.",
        ranking(end=lambda best, k: best),
    ),
    Wrong(
        "not sorted or cut",
        "These are all mistakes. Sort them by probability and return the first k.",
        ranking(first_comes_first, end=lambda best, k: best),
    ),
    Wrong(
        "others follow",
        "Where there are fewer than k mistakes, something else follows them. Return the mistakes "
        "alone, at most k of them.",
        filled_up,
    ),
    Wrong(
        "order lost",
        "The examples are right, their order is not: the surest comes first.",
        ranking(end=lambda best, k: np.sort(best[:k])),
        ranking(end=lambda best, k: best[:k][::-1]),
    ),
]

GALLERY = {
    "13.1": FIRST_LOSS,
    "13.2": MEASUREMENTS,
    "13.3": ORDERS,
    "13.4": MISTAKES,
}

"""Wrong answers to the questions of lesson 13, and what each is told."""

from collections.abc import Callable

import keras
import numpy as np
import tensorflow as tf

from course_utils.exercises import Wrong

# 13.1


def holding_out(draw, end=lambda kept, held: (kept, held)):
    """Return an answer to 13.1 that draws other writers, or divides otherwise."""

    def hold_out(writers, share, rng):
        names = np.unique(writers)
        is_held = np.isin(writers, draw(rng, names, round(share * len(names)), writers))
        return end(np.flatnonzero(~is_held), np.flatnonzero(is_held))

    return hold_out


def drawn(rng, names, count, writers):
    return rng.choice(names, count, replace=False)


def by_images(writers, share, rng):
    order = rng.permutation(len(writers))
    count = round(share * len(writers))
    return order[count:], order[:count]


def all_kept(writers, share, rng):
    _, held = holding_out(drawn)(writers, share, rng)
    return np.arange(len(writers)), held


def isin_exchanged(writers, share, rng):
    names = np.unique(writers)
    is_held = np.isin(drawn(rng, names, round(share * len(names)), writers), writers)
    return np.flatnonzero(~is_held), np.flatnonzero(is_held)


def as_masks(writers, share, rng):
    kept, held = holding_out(drawn)(writers, share, rng)
    everyone = np.arange(len(writers))
    return np.isin(everyone, kept), np.isin(everyone, held)


def as_writers(writers, share, rng):
    _, held = holding_out(drawn)(writers, share, rng)
    return np.setdiff1d(writers, writers[held]), np.unique(writers[held])


def number_off(among):
    """Return an answer that draws a writer too few where there are so many."""
    return holding_out(
        lambda rng, names, count, writers: rng.choice(
            names, count - (len(names) == among), replace=False
        )
    )


def as_tuples(writers, share, rng):
    kept, held = as_masks(writers, share, rng)
    return np.where(kept), np.where(held)


NUMBER = (
    "You hold out the wrong number of writers; it should be `round(share * number of "
    "writers)`. Count each writer once with `np.unique`, use `round`, and draw without "
    "replacement."
)
SIDES = {
    "returns none": Wrong(
        "Your function returned `None`. Return `(kept, held)`, two arrays of indices.",
        lambda writers, share, rng: None,
    ),
    "not two arrays": Wrong(
        "You did not return two arrays of indices. Return the tuple `(kept, held)`, and get each "
        "array with `np.flatnonzero`, because `np.where` wraps its array in a tuple.",
        as_tuples,
    ),
    "nothing held out": Wrong(
        "You hold out no images, because you draw positions such as 0, 1, 2 instead of writer "
        "numbers. Draw from `np.unique(writers)`.",
        holding_out(lambda rng, names, count, writers: rng.choice(len(names), count, False)),
    ),
    "nothing kept": Wrong(
        "You keep nothing, because the arguments of `np.isin` are swapped. Use `np.isin(writers, "
        "drawn)`, which is true for each image whose writer was drawn.",
        isin_exchanged,
    ),
    "by images": Wrong(
        "Both sides contain images by the same writer, so the network already knows the "
        "handwriting. Draw writers, and hold out all images by each of them: `np.isin(writers, "
        "drawn)`.",
        by_images,
    ),
    "images on both sides": Wrong(
        "Some images are on both sides. Keep only the images that are not held out: "
        "`~np.isin(writers, drawn)`.",
        all_kept,
    ),
    "images on neither side": Wrong(
        "Some images are neither kept nor held out. Put each image on exactly one side.",
        lambda *given: tuple(side[:-1] for side in holding_out(drawn)(*given)),
    ),
    "sides exchanged": Wrong(
        "The two sides are swapped. Hold out the writers that were drawn, and return their "
        "images second.",
        holding_out(drawn, end=lambda kept, held: (held, kept)),
    ),
    "truth values": Wrong(
        "You returned booleans, one per image. Return indices: use `np.flatnonzero`.",
        as_masks,
    ),
    "writers returned": Wrong(
        "You returned writers. Return the indices of their images: `np.flatnonzero(np.isin(...))`.",
        as_writers,
    ),
    "drawn twice": Wrong(
        "You hold out too few writers. Draw `round(share * number of writers)` from "
        "`np.unique(writers)`, with `replace=False`, so that no writer is drawn twice.",
        holding_out(lambda rng, names, count, writers: rng.choice(names, count)),
        calls=(2,),
    ),
    "another number of writers": Wrong(NUMBER, number_off(30), calls=(0,)),
    "another number in one division": Wrong(NUMBER, number_off(26), calls=(1,)),
    "another number in the last division": Wrong(NUMBER, number_off(20), calls=(2,)),
    "not drawn": Wrong(
        "You hold out the first or the last writers, but a file may be sorted. Draw them at "
        "random: `rng.choice(names, size=k, replace=False)`.",
        holding_out(lambda rng, names, count, writers: names[:count]),
    ),
    "own generator": Wrong(
        "You draw the same writers whatever `rng` is. Use only the argument `rng`, and no other "
        "generator or seed.",
        holding_out(
            lambda rng, names, count, writers: np.random.default_rng(0).choice(
                names, count, replace=False
            )
        ),
    ),
    "global generator": Wrong(
        "The same `rng` gave different writers the second time, because `np.random` has its "
        "own state. Draw with `rng.choice`.",
        holding_out(lambda rng, names, count, writers: np.random.choice(names, count, False)),
    ),
}

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


def with_an_empty_batch(mean_of):
    """Return an answer to 13.2 that asks for a batch more, empty where batch_size divides n."""

    def evaluate(logits_of, x, y, batch_size):
        loss_sum, hits = 0.0, []
        for first in range(0, len(y) // batch_size * batch_size + 1, batch_size):
            labels = y[first : first + batch_size]
            logits = logits_of(x[first : first + batch_size])
            loss_sum += mean_of(labels, logits) * len(labels)
            hits.append(hits_of(labels, logits))
        return loss_sum / len(y), mean(hits, batch_size, len(y))

    return evaluate


def loss_fn(labels, logits):
    return keras.losses.SparseCategoricalCrossentropy(from_logits=True)(labels, logits)


def twice_softmax(labels, logits):
    return cross_entropies(labels, tf.nn.softmax(logits))


def as_probabilities(labels, logits):
    return keras.losses.sparse_categorical_crossentropy(labels, logits).numpy()


MEASUREMENTS = {
    "returns none": Wrong(
        "Your function returned `None`. End it with `return mean_loss, accuracy`, after the "
        "loop over the batches.",
        measuring(end=lambda both: None),
    ),
    "swapped": Wrong(
        "The two return values are swapped. Return the mean loss first, then the accuracy.",
        measuring(end=lambda both: both[::-1]),
    ),
    "percent": Wrong(
        "You returned the accuracy as a percentage. Return it as a fraction between 0 and 1.",
        measuring(None, lambda hits, size, n: 100 * mean(hits, size, n)),
    ),
    "fraction wrong": Wrong(
        "You returned the fraction of wrong predictions. Return the fraction of correct "
        "predictions.",
        measuring(None, lambda hits, size, n: 1 - mean(hits, size, n)),
    ),
    "mean of means": Wrong(
        "You averaged the batch means, so an example in the short last batch has a larger "
        "weight than the others. Sum over all examples, and divide by n once.",
        *of_both(lambda parts, size, n: np.mean([np.mean(part) for part in parts])),
    ),
    "short batch left out": Wrong(
        "You left out the short last batch. Continue until all n examples are included.",
        *in_a_short_call(mean),
    ),
    "left out but divided": Wrong(
        "You left out the short last batch, but you divide by n. Continue until all n examples are "
        "included.",
        *in_a_short_call(lambda parts, size, n: np.sum(np.concatenate(parts)) / n),
    ),
    "sums not divided": Wrong(
        "You returned the sums over all examples. Divide each by n.",
        measuring(*[lambda parts, size, n: np.sum(np.concatenate(parts))] * 2),
    ),
    "count of hits": Wrong(
        "You returned the number of correct predictions. Divide it by n to get the accuracy.",
        measuring(None, lambda hits, size, n: np.sum(np.concatenate(hits))),
    ),
    "last batch alone": Wrong(
        "You used only the last batch. Keep sums over all batches.",
        *of_both(lambda parts, size, n: np.mean(parts[-1])),
    ),
    "first batch alone": Wrong(
        "You used only the first batch: you return inside the loop, or each slice ends at "
        "`batch_size`. Return after the loop, and end each slice at `first + batch_size`.",
        *of_both(lambda parts, size, n: np.mean(parts[0])),
        *of_both(lambda parts, size, n: np.sum(parts[0]) / n),
    ),
    "empty batch": Wrong(
        "If `batch_size` divides n, your last batch is empty, and its mean is nan. Loop over "
        "`range(0, n, batch_size)`.",
        with_an_empty_batch(lambda *batch: float(loss_fn(*batch))),
        with_an_empty_batch(loss_fn),
        with_an_empty_batch(lambda *batch: tf.reduce_mean(cross_entropies(*batch))),
        calls=(3,),
    ),
    "means weighed alike": Wrong(
        "You weight the mean of every batch by `batch_size`, even that of the short last batch. "
        "Weight each mean by the number of examples in its batch.",
        *of_both(lambda parts, size, n: size * sum(np.mean(part) for part in parts) / n),
    ),
    "means divided by n": Wrong(
        "You divided the sum of the batch means by the number of examples. Multiply each mean "
        "by its batch size first.",
        *of_both(lambda parts, size, n: sum(np.mean(part) for part in parts) / n),
    ),
    "sum of means": Wrong(
        "You added the batch means. Multiply each mean by its batch size, and divide the total "
        "by n.",
        *of_both(lambda parts, size, n: sum(np.mean(part) for part in parts)),
    ),
    "sums by batches": Wrong(
        "You divided the sum over all examples by the number of batches. Divide it by n.",
        *of_both(lambda parts, size, n: np.sum(np.concatenate(parts)) / len(parts)),
    ),
    "divided by the batch size": Wrong(
        "You divided the sum over all examples by `batch_size`. Divide it by n.",
        *of_both(lambda parts, size, n: np.sum(np.concatenate(parts)) / size),
    ),
    "softmax twice": Wrong(
        "You apply softmax twice, because this cross-entropy already applies it. Pass the logits "
        "unchanged.",
        measuring(losses_of=twice_softmax),
    ),
    "logits as probabilities": Wrong(
        "By default, a Keras loss treats your logits as probabilities. Pass `from_logits=True`.",
        measuring(losses_of=as_probabilities),
    ),
    "largest logit compared": Wrong(
        "The loss is right, but you compare the largest logit itself with the label. Compare "
        "its index, the `argmax` of each row.",
        measuring(hits_of=lambda labels, logits: np.max(logits, axis=1) == labels),
    ),
}

# 13.3


def mean_loss(labels, logits):
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
    return tf.reduce_mean(losses)


def sum_of_losses(labels, logits):
    return tf.reduce_sum(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))


def mean_as_probabilities(labels, logits):
    return tf.reduce_mean(as_probabilities(labels, logits))


def stepping(training=True, loss_of=mean_loss, penalty=sum, labels_of=tf.gather, updates=1):
    """Return the step of one batch, for ``training``."""

    def step(model, optimizer, images, labels, batch):
        with tf.GradientTape() as tape:
            logits = model(tf.gather(images, batch), training=training)
            loss = loss_of(labels_of(labels, batch), logits) + penalty(model.losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        for _ in range(updates):
            optimizer.apply(gradients, model.trainable_variables)

    return step


def accuracy(
    result=np.mean,
    asked=lambda orders, held: held,
    in_training=False,
    labels_of=lambda labels, chosen: labels[chosen],
):
    """Return how ``training`` measures: the result of which of the asked images are right."""

    def measure(model, images, labels, orders, held):
        chosen = asked(orders, held)
        logits = model(tf.gather(images, chosen), training=in_training)
        return result(np.argmax(logits, axis=1) == labels_of(labels, chosen))

    return measure


RIGHT_STEP, ACCURACY = stepping(), accuracy()


def training(
    step=RIGHT_STEP,
    batches=lambda order, size: [order[i : i + size] for i in range(0, len(order), size)],
    epochs=lambda orders: orders,
    measure=ACCURACY,
):
    """Return an answer to 13.3 that trains or measures in another way."""

    def train_and_measure(model, optimizer, images, labels, orders, held, batch_size):
        for order in epochs(orders):
            for batch in batches(order, batch_size):
                step(model, optimizer, images, labels, batch)
        return measure(model, images, labels, orders, held)

    return train_and_measure


def labels_by_place(model, optimizer, images, labels, orders, held, batch_size):
    for order in orders:
        in_order = tf.gather(images, order)
        for first in range(0, len(order), batch_size):
            places = range(first, min(first + batch_size, len(order)))
            RIGHT_STEP(model, optimizer, in_order, labels, places)
    return ACCURACY(model, images, labels, orders, held)


def measured_when(pick):
    """Return an answer that measures before the training and after each epoch."""

    def train_and_measure(model, optimizer, images, labels, orders, *rest):
        parts = [[], *([order] for order in orders)]
        return pick([training()(model, optimizer, images, labels, part, *rest) for part in parts])

    return train_and_measure


def in_batches(accuracy_of):
    """Return an answer that measures in batches, from the hits of each and their size."""

    def train_and_measure(*given):
        hits, size = training(measure=accuracy(np.asarray))(*given), given[-1]
        return accuracy_of([hits[i : i + size] for i in range(0, len(hits), size)], size)

    return train_and_measure


TRAININGS = {
    "drawn anew": Wrong(
        "A second run with the same `orders` gave different weights, because your function draws "
        "random numbers. Each order is already shuffled, so go through its images as they are.",
        training(epochs=lambda orders: [np.random.permutation(order) for order in orders]),
    ),
    "nothing trained": Wrong(
        "The weights did not change. Call `optimizer.apply(gradients, "
        "model.trainable_variables)` in each batch.",
        training(stepping(updates=0)),
    ),
    "inference mode": Wrong(
        "You call the model in inference mode. Call `model(x, training=True)` inside the block.",
        training(stepping(training=False)),
    ),
    "penalties left out": Wrong(
        "The loss does not include the regularization. Add `sum(model.losses)` to the loss, "
        "inside the block.",
        training(stepping(penalty=lambda losses: 0.0)),
    ),
    "one penalty": Wrong(
        "Your loss includes only one of the model's penalties. Add all of them with "
        "`sum(model.losses)`.",
        training(stepping(penalty=lambda losses: losses[0])),
    ),
    "penalties twice": Wrong(
        "Your loss includes the penalties twice. Add `sum(model.losses)` once.",
        training(stepping(penalty=lambda losses: 2 * sum(losses))),
    ),
    "applied twice": Wrong(
        "Each batch updates the weights twice. Call `optimizer.apply` once per batch.",
        training(stepping(updates=2)),
    ),
    "softmax twice": Wrong(
        "You apply softmax twice, because this cross-entropy already applies it. Pass the logits "
        "unchanged.",
        training(stepping(loss_of=lambda labels, logits: mean_loss(labels, tf.nn.softmax(logits)))),
    ),
    "logits as probabilities": Wrong(
        "By default, a Keras loss treats your logits as probabilities. Pass `from_logits=True`.",
        training(stepping(loss_of=mean_as_probabilities)),
    ),
    "one step an epoch": Wrong(
        "The weights are updated only once per epoch, with the last batch. Compute and apply "
        "the gradients inside the loop over the batches.",
        training(batches=lambda order, size: [order[(len(order) - 1) // size * size :]]),
    ),
    "places for indices": Wrong(
        "You use the positions 0, 1, 2, ... as image indices. Use the entries of the order: "
        "`tf.gather(images, order[first : first + batch_size])`.",
        training(
            batches=lambda order, size: [
                np.arange(i, min(i + size, len(order))) for i in range(0, len(order), size)
            ]
        ),
        training(
            batches=lambda order, size: [np.arange(i, i + size) for i in range(0, len(order), size)]
        ),
    ),
    "losses added up": Wrong(
        "You sum the losses of a batch, so each update grows with the batch size. Average the "
        "losses with `tf.reduce_mean`.",
        training(stepping(loss_of=sum_of_losses)),
    ),
    "labels out of order": Wrong(
        "You look up the images by index, but not the labels, so the images get the wrong labels. "
        "Use `tf.gather(labels, batch)`.",
        training(stepping(labels_of=lambda labels, batch: labels[: len(batch)])),
        labels_by_place,
    ),
    "order ignored": Wrong(
        "You go through the images in ascending order of index. Follow the order in each entry of "
        "`orders`.",
        training(epochs=lambda orders: [np.sort(order) for order in orders]),
    ),
    "held out trained on": Wrong(
        "You train on every image, including those held out. Use only the indices in each order.",
        training(epochs=lambda orders: [np.arange(len(orders[0]) + 21) for order in orders]),
    ),
    "one epoch": Wrong(
        "You train for only one epoch. Each entry of `orders` is one epoch: loop over all of them, "
        "and return below the loop.",
        training(epochs=lambda orders: orders[:1]),
        training(epochs=lambda orders: orders[-1:]),
    ),
    "one order for all": Wrong(
        "Every epoch uses the first order. Use each entry of `orders` once.",
        training(epochs=lambda orders: [orders[0]] * len(orders)),
    ),
    "short batch left out": Wrong(
        "You leave out the short last batch of each epoch. Train on it as well.",
        training(
            batches=lambda order, size: [
                order[i : i + size] for i in range(0, len(order) - size + 1, size)
            ]
        ),
    ),
    "one batch": Wrong(
        "You take one step per epoch, on all images at once. Split the order into batches.",
        training(batches=lambda order, size: [order]),
    ),
    "measured in training": Wrong(
        "The weights are right, but you measure the accuracy in training mode. Call the model "
        "with `training=False`.",
        training(measure=accuracy(in_training=True)),
    ),
    "measured at another time": Wrong(
        "The weights are right, but you did not return the accuracy after the last epoch. Measure "
        "it once, below both loops.",
        *(
            measured_when(pick)
            for pick in (
                lambda accuracies: accuracies[0],
                lambda accuracies: accuracies[1],
                lambda accuracies: accuracies[-2],
                lambda accuracies: max(accuracies[1:]),
                lambda accuracies: min(accuracies[1:]),
                lambda accuracies: np.mean(accuracies[1:]),
            )
        ),
    ),
    "short batch not measured": Wrong(
        "The weights are right, but you do not measure the short last batch of the held-out "
        "images. Include every held-out image.",
        in_batches(lambda hits, size: np.mean([h for h in hits if len(h) == size])),
        in_batches(
            lambda hits, size: sum(h.sum() for h in hits if len(h) == size) / sum(map(len, hits))
        ),
    ),
    "mean of means": Wrong(
        "The weights are right, but you average the batches' accuracies, so a short batch has too "
        "large a weight. Count the correct predictions over all batches, and divide once.",
        in_batches(lambda hits, size: np.mean([np.mean(h) for h in hits])),
    ),
    "measured on kept": Wrong(
        "The weights are right, but you measured the accuracy on the training images. Measure it "
        "on the images in `held`.",
        training(measure=accuracy(asked=lambda orders, held: orders[0])),
    ),
    "measured on all": Wrong(
        "The weights are right, but you measured the accuracy on all images, including the "
        "training images. Measure it on the images in `held`.",
        training(
            measure=accuracy(asked=lambda orders, held: np.arange(len(orders[0]) + len(held)))
        ),
    ),
    "other labels measured": Wrong(
        "The weights are right, but you compare the held-out predictions with the labels of other "
        "images. Use `tf.gather(labels, held)`.",
        training(measure=accuracy(labels_of=lambda labels, held: labels[: len(held)])),
        training(measure=accuracy(labels_of=lambda labels, held: labels[-len(held) :])),
    ),
    "fraction wrong": Wrong(
        "You returned the fraction of wrong predictions. Return the fraction of correct "
        "predictions.",
        training(measure=accuracy(lambda hits: 1 - np.mean(hits))),
    ),
    "percent": Wrong(
        "You returned the accuracy as a percentage. Return it as a fraction between 0 and 1.",
        training(measure=accuracy(lambda hits: 100 * np.mean(hits))),
    ),
    "count": Wrong(
        "You returned the number of correct predictions. Divide it by the number of held-out "
        "images.",
        training(measure=accuracy(np.sum)),
    ),
    "returns none": Wrong(
        "The weights are right, but your function returned `None`. Return the accuracy on the "
        "held-out images.",
        training(measure=accuracy(lambda hits: None)),
    ),
}

# 13.4


def comparing(
    gain=np.mean,
    error=lambda gains: np.std(gains, ddof=1) / np.sqrt(len(gains)),
    seeds_of=lambda seeds: (seeds, seeds),
    join=lambda setting, change: (setting | change, setting),
    end=lambda gain, error: (gain, error),
):
    """Return an answer to 13.4 that compares otherwise."""

    def compare(measure, setting, change, seeds):
        changed, plain = join(setting, change)
        pairs = zip(*seeds_of(seeds), strict=True)
        gains = [measure(changed, one) - measure(plain, other) for one, other in pairs]
        return end(gain(gains), error(gains))

    return compare


def unpaired(measure, setting, change, seeds):
    with_it, without = (
        [measure(each, seed) for seed in seeds] for each in (setting | change, setting)
    )
    errors = [np.var(values, ddof=1) / len(seeds) for values in (with_it, without)]
    return np.mean(with_it) - np.mean(without), np.sqrt(sum(errors))


def best_of_all(measure, setting, change, seeds):
    gain, error = comparing()(measure, setting, change, seeds)
    best = [max(measure(each, seed) for seed in seeds) for each in (setting | change, setting)]
    return best[0] - best[1], error


def leaking(measure, setting, change, seeds):
    gains = []
    for seed in seeds:
        plain = measure(setting, seed)
        setting.update(change)
        gains.append(measure(setting, seed) - plain)
    return np.mean(gains), np.std(gains, ddof=1) / np.sqrt(len(gains))


def relative(measure, setting, change, seeds):
    gains = [measure(setting | change, seed) / measure(setting, seed) - 1 for seed in seeds]
    return np.mean(gains), np.std(gains, ddof=1) / np.sqrt(len(gains))


def error_of(which):
    """Return an answer whose error is that of one setting's accuracies."""

    def compare(measure, setting, change, seeds):
        gain, _ = comparing()(measure, setting, change, seeds)
        values = [measure((setting, setting | change)[which], seed) for seed in seeds]
        return gain, np.std(values, ddof=1) / np.sqrt(len(values))

    return compare


GAINS = {
    "returns none": Wrong(
        "Your function returned `None`. Return the gain and its standard error as a tuple.",
        comparing(end=lambda gain, error: None),
    ),
    "swapped": Wrong(
        "The two return values are swapped. Return the gain first, then its standard error.",
        comparing(end=lambda gain, error: (error, gain)),
    ),
    "sign": Wrong(
        "The sign of the gain is wrong. Subtract the accuracy without the change from the "
        "accuracy with it.",
        comparing(gain=lambda gains: -np.mean(gains)),
    ),
    "one seed for all": Wrong(
        "Every run uses the same seed, which is not in `seeds`, so all gains are equal. "
        "Measure both settings with each of the seeds.",
        comparing(seeds_of=lambda seeds: ([0] * len(seeds),) * 2),
        comparing(seeds_of=lambda seeds: ([42] * len(seeds),) * 2),
    ),
    "compared with itself": Wrong(
        "The gain is 0, because for each seed, either both runs include the change or neither "
        "does. Pass the new dict `setting | change` to one of them: `setting.update(change)` "
        "changes `setting` itself, and `change | setting` keeps the old value.",
        comparing(join=lambda setting, change: (setting, setting)),
    ),
    "setting changed on the way": Wrong(
        "From the second seed on, both runs include the change, because `setting.update(change)` "
        "changes `setting` itself. Use a new dict, `setting | change`.",
        leaking,
    ),
    "relative gain": Wrong(
        "You divide each difference by the accuracy without the change. Return the mean difference "
        "itself.",
        relative,
    ),
    "seeds not used": Wrong(
        "You use your own seeds, such as 0, 1, 2. Use the seeds in `seeds`.",
        comparing(seeds_of=lambda seeds: ((1, 2, 3), (1, 2, 3))),
        comparing(seeds_of=lambda seeds: (range(len(seeds)), range(len(seeds)))),
        comparing(seeds_of=lambda seeds: (range(1, len(seeds) + 1), range(1, len(seeds) + 1))),
    ),
    "change alone": Wrong(
        "You pass only `change` as the setting, so the other entries are missing. Merge the "
        "two: `setting | change`.",
        comparing(join=lambda setting, change: (change, setting)),
    ),
    "dicts added": Wrong(
        "You add two dicts, which Python does not support. Merge them: `setting | change`.",
        comparing(join=lambda setting, change: (setting + change, setting)),
    ),
    "arguments exchanged": Wrong(
        "The arguments of `measure` are swapped. Pass the setting first, then the seed.",
        lambda measure, *rest: comparing()(lambda *given: measure(*given[::-1]), *rest),
    ),
    "sizes": Wrong(
        "You take the absolute value of each difference, so a harmful change looks like a "
        "gain. Keep the signs.",
        comparing(gain=lambda gains: np.mean(np.abs(gains))),
    ),
    "one seed": Wrong(
        "You return the difference for only one seed, which may be luck. Average the differences "
        "over all seeds.",
        comparing(gain=lambda gains: gains[0]),
        comparing(gain=lambda gains: gains[-1]),
    ),
    "best runs": Wrong(
        "You use only the best of several results, which is partly luck. Average the differences "
        "over the seeds.",
        best_of_all,
        comparing(gain=np.max),
    ),
    "median": Wrong(
        "This is the median of the differences. Use their mean.",
        comparing(gain=np.median),
    ),
    "added up": Wrong("You sum the differences. Use their mean.", comparing(gain=np.sum)),
    "other seeds": Wrong(
        "The runs with and without the change have different seeds, so the difference includes "
        "luck. Use each seed for both settings.",
        comparing(seeds_of=lambda seeds: (seeds, seeds[1:] + seeds[:1])),
        comparing(seeds_of=lambda seeds: (seeds, [seed + 1 for seed in seeds])),
        comparing(seeds_of=lambda seeds: (seeds, [seed + len(seeds) for seed in seeds])),
        comparing(seeds_of=lambda seeds: (seeds, [seeds[0]] * len(seeds))),
        comparing(seeds_of=lambda seeds: np.split(np.array(seeds[len(seeds) % 2 :]), 2)[::-1]),
    ),
    "unpaired": Wrong(
        "You compute the error for two independent groups. The two runs with the same seed share "
        "their luck, so use the standard deviation of the differences.",
        unpaired,
    ),
    "error of one setting": Wrong(
        "You compute the standard error from the accuracies of one setting, which include the luck "
        "of the seeds. Use the standard deviation of the differences.",
        error_of(0),
        error_of(1),
    ),
    "n - 1 twice": Wrong(
        "You subtract 1 twice: `ddof=1` already divides by n - 1. Divide by the square root of n.",
        comparing(error=lambda gains: np.std(gains, ddof=1) / np.sqrt(len(gains) - 1)),
    ),
    "not divided": Wrong(
        "You return the standard deviation of the differences, but the standard error of their "
        "mean is smaller. Divide by the square root of the number of seeds.",
        comparing(error=lambda gains: np.std(gains, ddof=1)),
        comparing(error=np.std),
    ),
    "divided by n": Wrong(
        "Your standard deviation divides by n, so it is too small if there are few seeds. Use "
        "`np.std(gains, ddof=1)`.",
        comparing(error=lambda gains: np.std(gains) / np.sqrt(len(gains))),
    ),
    "not the root": Wrong(
        "You divide by the number of seeds. Divide by its square root.",
        comparing(error=lambda gains: np.std(gains, ddof=1) / len(gains)),
        comparing(error=lambda gains: np.std(gains) / len(gains)),
    ),
    "variance": Wrong(
        "You use a variance. The standard error is a standard deviation, so take the square root.",
        comparing(error=lambda gains: np.var(gains, ddof=1) / len(gains)),
        comparing(error=lambda gains: np.var(gains, ddof=1) / np.sqrt(len(gains))),
        comparing(error=lambda gains: np.var(gains, ddof=1)),
        comparing(error=np.var),
    ),
}

# 13.5


def everything_of(optimizer, dropout, done):
    return {"optimizer": optimizer, "dropout": dropout, "done": done}


def going_on(
    kept=everything_of,
    start=0,
    numbers=lambda done, epochs, steps: range(done, epochs),
    count=lambda number, done: number + 1,
    saved=lambda number: True,
    count_first=False,
):
    """Return an answer to 13.5 that saves less, or at another time, or trains other epochs."""

    def go_on(new_run, train_epoch, path, epochs):
        model, optimizer = new_run()
        done = tf.Variable(start)
        dropout = [variable.value for variable in model.non_trainable_variables]
        checkpoint = tf.train.Checkpoint(model=model, **kept(optimizer, dropout, done))
        if tf.io.gfile.exists(f"{path}.index"):
            checkpoint.read(path).expect_partial()
        for number in numbers(int(done), epochs, int(optimizer.iterations)):
            if count_first:
                done.assign(count(number, done))
                checkpoint.write(path)
            train_epoch(model, optimizer, number)
            done.assign(count(number, done))
            if saved(number):
                checkpoint.write(path)
        checkpoint.write(path)
        return model

    return go_on


def returning_none(*call):
    going_on()(*call)


RESUMED = {
    "starts over": Wrong(
        "After a kill, your function starts again from epoch 0. Count the finished epochs in a "
        '`tf.Variable` of the checkpoint, with `assign`. If the file `path + ".index"` exists, '
        "call `checkpoint.read(path)`, and start at that count.",
        going_on(lambda optimizer, dropout, done: {"optimizer": optimizer, "dropout": dropout}),
    ),
    "saved at the end": Wrong(
        "If the run is killed, everything is lost, because you save only at the end. Write the "
        "checkpoint after each epoch.",
        going_on(saved=lambda number: False),
    ),
    "one epoch again": Wrong(
        "Your function trains a finished epoch again: the counter holds the index of the last "
        "epoch, not the number of finished epochs. Assign `number + 1` before you write.",
        going_on(count=lambda number, done: number),
    ),
    "killed epoch skipped": Wrong(
        "Your function counts the killed epoch as finished. Count an epoch and write the "
        "checkpoint only after training it.",
        going_on(count_first=True),
    ),
    "not after each epoch": Wrong(
        "You save only after some epochs, so a finished epoch can be lost. Write the checkpoint "
        "after each epoch.",
        going_on(saved=lambda number: number % 2),
        calls=(1,),
    ),
    "counts from 0 again": Wrong(
        "Your function trains the right number of epochs, but numbers them from 0 again. Use "
        "`range(int(done), epochs)`.",
        going_on(numbers=lambda done, epochs, steps: range(epochs - done)),
        going_on(
            numbers=lambda done, epochs, steps: range(epochs - done),
            count=lambda number, done: done + 1,
        ),
    ),
    "one epoch each call": Wrong(
        "Each call trains only one epoch. Continue up to `epochs`, and return the model after "
        "the loop.",
        going_on(numbers=lambda done, epochs, steps: range(done, epochs)[:1]),
    ),
    "one epoch too many": Wrong(
        "Your function trains one epoch too many. Use `range(int(done), epochs)`, which ends "
        "at `epochs - 1`.",
        going_on(numbers=lambda done, epochs, steps: range(done, epochs + 1)),
    ),
    "begins an epoch late": Wrong(
        "Each call starts one epoch late. The number of finished epochs is also the index of the "
        "next one: use `range(int(done), epochs)`.",
        going_on(numbers=lambda done, epochs, steps: range(done + 1, epochs)),
    ),
    "trains nothing more": Wrong(
        "The second and third calls train no epochs. Read the file if it exists, loop "
        "over `range(int(done), epochs)`, and return after the loop.",
        going_on(numbers=lambda done, epochs, steps: range(epochs, done)),
    ),
    "steps for epochs": Wrong(
        "Your function skips epochs, because `optimizer.iterations` counts steps, not epochs. "
        "Count the epochs in a separate `tf.Variable`.",
        going_on(numbers=lambda done, epochs, steps: range(steps, epochs)),
    ),
    "as many more": Wrong(
        "Each call trains `epochs` more epochs, but `epochs` is the total over all calls. Use "
        "`range(int(done), epochs)`.",
        going_on(numbers=lambda done, epochs, steps: range(done, done + epochs)),
    ),
    "first epoch never trained": Wrong(
        "The epochs after the kill are right, but epoch 0 never ran. Start the number of "
        "finished epochs at 0.",
        going_on(start=1),
    ),
    "optimizer left out": Wrong(
        "The epochs are right, but the weights are not: the optimizer restarts without its earlier "
        "state. Put the optimizer into the checkpoint.",
        going_on(lambda optimizer, dropout, done: {"dropout": dropout, "done": done}),
        calls=(0,),
    ),
    "dropout left out": Wrong(
        "The epochs are right, but the weights are not: dropout restarts its random sequence. Also "
        "save `[v.value for v in model.non_trainable_variables]`, which includes dropout's seed "
        "state; use a list, because layer names can differ in the next `new_run()`.",
        going_on(lambda optimizer, dropout, done: {"optimizer": optimizer, "done": done}),
        going_on(lambda optimizer, dropout, done: everything_of(optimizer, dropout[:1], done)),
        going_on(lambda optimizer, dropout, done: everything_of(optimizer, dropout[1:], done)),
        calls=(1,),
    ),
    "returns none": Wrong(
        "The epochs are right, but your function returned `None`. Return the model.",
        returning_none,
    ),
}

# 13.6


def softmax(logits, axis=-1):
    return tf.nn.softmax(logits, axis=axis).numpy()


def sureness(logits, labels):
    return softmax(logits).max(axis=1)


def wrong_among(scores, labels):
    return np.flatnonzero(np.argmax(scores, axis=1) != labels)


def ranking(score=sureness, among=wrong_among, end=lambda best, k: best[:k]):
    """Return an answer to 13.6 that sorts other examples, or by another score."""

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


def overflowing(logits, labels):
    with np.errstate(over="ignore", invalid="ignore"):
        exponentials = np.exp(logits)
        return exponentials / exponentials.sum(axis=1, keepdims=True)


def pairs_with(value_of):
    def surest_mistakes(logits, labels, k):
        chosen = ranking()(logits, labels, k)
        return list(zip(chosen, value_of(logits)[chosen], strict=True))

    return surest_mistakes


def of_the_model(logits):
    return np.argmax(logits, axis=1)


def top_k(logits, labels, k):
    wrong = wrong_among(logits, labels)
    return wrong[tf.math.top_k(sureness(logits, labels)[wrong], k).indices]


def filled_up(logits, labels, k):
    right = np.flatnonzero(np.argmax(logits, axis=1) == labels)
    return np.concatenate([ranking()(logits, labels, k), right])[:k]


MISTAKES = {
    "returns none": Wrong(
        "Your function returned `None`. Return the indices, an array with at most k entries.",
        lambda logits, labels, k: None,
    ),
    "pairs": Wrong(
        "You returned pairs. Return only the indices, with the most confident mistake first.",
        pairs_with(of_the_model),
        lambda *given: np.array(pairs_with(of_the_model)(*given)),
    ),
    "fewer than k": Wrong(
        "There are fewer than k mistakes here, but `top_k` needs k of them. Pass it `min(k, "
        "len(wrong))`, or sort all and take `[:k]`.",
        top_k,
    ),
    "right ones included": Wrong(
        "Your result includes correct predictions. First select the rows whose argmax differs from "
        "the label, then sort them.",
        ranking(among=everything),
        ranking(lambda logits, labels: logits.max(axis=1), everything),
    ),
    "right ones": Wrong(
        "You returned correct predictions. Select the examples whose argmax differs from the label.",
        ranking(among=lambda logits, labels: np.flatnonzero(np.argmax(logits, axis=1) == labels)),
    ),
    "entropy": Wrong(
        "You rank by the entropy of each row, which depends on all classes. Rank by the "
        "probability of the predicted class.",
        ranking(lambda logits, labels: np.sum(softmax(logits) * np.log(softmax(logits)), axis=1)),
    ),
    "least sure": Wrong(
        "You returned the least confident mistakes. Reverse the order before you take k.",
        ranking(lambda *given: -sureness(*given)),
    ),
    "cut first": Wrong(
        "You took the k most confident predictions, and then the mistakes among them. Select "
        "the mistakes first, then the k most confident of them.",
        cut_first(sureness),
    ),
    "largest logit": Wrong(
        "You rank by the largest logit, but a row with large logits may still be uncertain. "
        "Turn the rows into probabilities with `tf.nn.softmax`.",
        ranking(lambda logits, labels: logits.max(axis=1)),
    ),
    "margins": Wrong(
        "You rank by a margin, the difference between two values of a row. Rank by the largest "
        "probability itself.",
        ranking(lambda logits, labels: margin(logits)),
        ranking(lambda logits, labels: margin(softmax(logits))),
        ranking(margin_to_label),
    ),
    "softmax of columns": Wrong(
        "Your probabilities sum to 1 down each column. Each row is one example, so apply "
        "softmax over the last axis, `axis=1`.",
        ranking(by_column),
        ranking(by_column, wrong_by_column),
    ),
    "largest loss": Wrong(
        "You rank by the probability of the label, or by the loss, which depends on it. Rank by "
        "the probability of the predicted class.",
        ranking(lambda *given: -label_probability(*given)),
        ranking(label_probability),
    ),
    "not sorted": Wrong(
        "These are the first mistakes, not the most confident ones. Sort them before you take k.",
        ranking(first_comes_first),
    ),
    "positions among mistakes": Wrong(
        "These are positions within your list of mistakes. Use them to look up the indices in "
        "that list.",
        positions,
    ),
    "classes": Wrong(
        "These are classes. Return the indices of the examples.",
        lambda *given: of_the_model(given[0])[ranking()(*given)],
        lambda *given: given[1][ranking()(*given)],
    ),
    "overflow": Wrong(
        "`np.exp` of a large logit is infinite, so the probability becomes nan. Use "
        "`tf.nn.softmax`, which subtracts the largest logit of each row first.",
        ranking(lambda *given: overflowing(*given).max(axis=1)),
        ranking(
            lambda *given: overflowing(*given).max(axis=1),
            lambda *given: wrong_among(overflowing(*given), given[1]),
        ),
        calls=(1,),
    ),
    "probabilities": Wrong(
        "You returned the probabilities. Return the indices of their examples.",
        probabilities,
    ),
    "not cut": Wrong(
        "You returned all mistakes, in the right order. Return only the first k.",
        ranking(end=lambda best, k: best),
    ),
    "not sorted or cut": Wrong(
        "You returned all mistakes. Sort them by probability, and return the first k.",
        ranking(first_comes_first, end=lambda best, k: best),
    ),
    "others follow": Wrong(
        "If there are fewer than k mistakes, you fill up the result with correct predictions. "
        "Return only mistakes, at most k of them.",
        filled_up,
    ),
    "order lost": Wrong(
        "The examples are right, but their order is not. Put the most confident mistake first.",
        ranking(end=lambda best, k: np.sort(best[:k])),
        ranking(end=lambda best, k: best[:k][::-1]),
    ),
}

MISTAKES = {
    "13.1": SIDES,
    "13.2": MEASUREMENTS,
    "13.3": TRAININGS,
    "13.4": GAINS,
    "13.5": RESUMED,
    "13.6": MISTAKES,
}

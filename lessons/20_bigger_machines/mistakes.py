"""Wrong answers to the questions of lesson 20, and what each is told."""

import numpy as np
import tensorflow as tf

from course_utils.exercises import Wrong

# 20.1


def sharing(loss_of, result=lambda gradients: gradients):
    """Return an answer to 20.1; loss_of takes errors (n, 3), penalties, batch_size, replicas."""

    def share_of_gradients(model, x, y, batch_size, replicas):
        with tf.GradientTape() as tape:
            loss = loss_of(model(x) - y, model.losses, batch_size, replicas)
        return result(tape.gradient(loss, model.trainable_variables))

    return share_of_gradients


def total(errors):
    return tf.reduce_sum(errors**2)


def own_mean(errors):
    return tf.reduce_mean(tf.reduce_sum(errors**2, axis=1))


def right_loss(e, p, n, r):
    return total(e) / n + sum(p) / r


def none_for_an_empty_part(model, x, y, batch_size, replicas):
    if len(x) == 0:
        return [tf.zeros_like(v) for v in model.trainable_variables]
    return sharing(right_loss)(model, x, y, batch_size, replicas)


def loss_returned(model, x, y, batch_size, replicas):
    return total(model(x) - y) / batch_size + sum(model.losses) / replicas


def step_taken(model, x, y, batch_size, replicas):
    gradients = sharing(right_loss)(model, x, y, batch_size, replicas)
    return [v - g for v, g in zip(model.trainable_variables, gradients, strict=True)]


def of_frozen_weights_too(model, x, y, batch_size, replicas):
    with tf.GradientTape() as tape:
        loss = right_loss(model(x) - y, model.losses, batch_size, replicas)
    return tape.gradient(loss, model.variables)


def own_count_and_zeros(model, x, y, batch_size, replicas):
    if len(x) == 0:
        return [tf.zeros_like(v) for v in model.trainable_variables]
    return sharing(lambda e, p, n, r: own_mean(e) + sum(p) / r)(model, x, y, batch_size, replicas)


def of_x(model, x, y, batch_size, replicas):
    return sharing(right_loss)(model, x, x, batch_size, replicas)


def loss_and_gradients(model, x, y, batch_size, replicas):
    loss = loss_returned(model, x, y, batch_size, replicas)
    return loss, sharing(right_loss)(model, x, y, batch_size, replicas)


SHARES = {
    "frozen weights too": Wrong(
        "model.variables has frozen weights in it, too, and their gradients are None. Ask for those "
        "of model.trainable_variables.",
        of_frozen_weights_too,
    ),
    "mean of its own": Wrong(
        "Each replica divides by the number of its own examples, so the sum is too large. Divide by "
        "batch_size, on a replica without examples, too.",
        sharing(lambda e, p, n, r: own_mean(e) + sum(p) / r),
        own_count_and_zeros,
    ),
    "as on one device": Wrong(
        "This is what one device minimises, on each replica: a mean of its own examples, and the "
        "penalties in full. Divide the sum by batch_size, and the penalties by replicas.",
        sharing(lambda e, p, n, r: own_mean(e) + sum(p)),
    ),
    "mean of means": Wrong(
        "The sum of the shares is a mean of means, in which an example of a small part counts "
        "more. Divide the sum of the squared errors by batch_size.",
        sharing(lambda e, p, n, r: (own_mean(e) + sum(p)) / r),
    ),
    "penalties in full": Wrong(
        "Each replica adds the penalties in full, so they count as often as there are replicas. "
        "Divide them by replicas.",
        sharing(lambda e, p, n, r: total(e) / n + sum(p)),
    ),
    "penalties left out": Wrong(
        "The errors are right, and no gradient comes from the penalties. Add sum(model.losses) / "
        "replicas to the loss, inside the block.",
        sharing(lambda e, p, n, r: total(e) / n),
    ),
    "penalties by the batch": Wrong(
        "The penalties are divided by batch_size. They are no mean over examples: divide them by "
        "replicas.",
        sharing(lambda e, p, n, r: total(e) / n + sum(p) / n),
    ),
    "first penalty only": Wrong(
        "Only the first layer's penalty is there. Take sum(model.losses).",
        sharing(lambda e, p, n, r: total(e) / n + p[0] / r),
    ),
    "last penalty only": Wrong(
        "Only the last layer's penalty is there. Take sum(model.losses).",
        sharing(lambda e, p, n, r: total(e) / n + p[-1] / r),
    ),
    "mean of the penalties": Wrong(
        "The penalties are averaged over the layers. Add them, sum(model.losses), and divide by "
        "replicas.",
        sharing(lambda e, p, n, r: total(e) / n + tf.reduce_mean(p) / r),
    ),
    "penalties by their number": Wrong(
        "The penalties are divided by their own number, that of the layers. Every replica adds them: "
        "divide their sum by replicas.",
        sharing(lambda e, p, n, r: total(e) / n + sum(p) / len(p)),
        calls=(1, 2),
    ),
    "divisors exchanged": Wrong(
        "The errors are divided by replicas, and the penalties by batch_size. Exchange the two.",
        sharing(lambda e, p, n, r: total(e) / r + sum(p) / n),
    ),
    "squared sum": Wrong(
        "The errors are added first, and their sum is squared. Square each error, and add the squares.",
        sharing(lambda e, p, n, r: tf.reduce_sum(e) ** 2 / n + sum(p) / r),
    ),
    "norm of the errors": Wrong(
        "Each example counts with the norm of its errors, and not with its square. Add the squares, "
        "without a root.",
        sharing(lambda e, p, n, r: tf.reduce_sum(tf.norm(e, axis=1)) / n + sum(p) / r),
    ),
    "x for y": Wrong(
        "The predictions are compared with x. Compare them with y.",
        of_x,
    ),
    "penalties divided twice": Wrong(
        "The penalties are divided by replicas twice, or by replicas and batch_size. Once by "
        "replicas is right.",
        sharing(lambda e, p, n, r: total(e) / n + sum(p) / r**2),
    ),
    "penalties by both": Wrong(
        "The penalties are divided by replicas and by batch_size. Divide them by replicas alone.",
        sharing(lambda e, p, n, r: (total(e) + sum(p) / r) / n),
    ),
    "sum not divided": Wrong(
        "The squared errors are added, and never divided. Divide their sum by batch_size.",
        sharing(lambda e, p, n, r: total(e) + sum(p) / r),
    ),
    "errors by replicas": Wrong(
        "The squared errors are divided by replicas, and not by the number of examples. Divide their "
        "sum by batch_size.",
        sharing(lambda e, p, n, r: total(e) / r + sum(p) / r),
    ),
    "errors divided twice": Wrong(
        "The errors are divided by replicas as well, and the penalties by nothing. Divide the errors "
        "by batch_size alone, and the penalties by replicas.",
        sharing(lambda e, p, n, r: total(e) / n / r + sum(p)),
    ),
    "all divided by replicas": Wrong(
        "The shares are added, not averaged. Leave out the division by replicas for the errors: "
        "batch_size counts the examples of all replicas already.",
        sharing(lambda e, p, n, r: total(e) / n / r + sum(p) / r),
    ),
    "averaged shares": Wrong(
        "The whole share is divided by replicas once too often. The shares are added, not "
        "averaged.",
        sharing(lambda e, p, n, r: (total(e) / n + sum(p) / r) / r),
    ),
    "batch size for each": Wrong(
        "batch_size is taken for the number of examples of one replica. It is that of all of them.",
        sharing(lambda e, p, n, r: r * total(e) / n + sum(p) / r),
        sharing(lambda e, p, n, r: total(e) / (n // r) + sum(p) / r),
    ),
    "mean over the outputs": Wrong(
        "The squared errors are averaged over the outputs, too. Add them over the outputs, and "
        "divide by batch_size.",
        sharing(lambda e, p, n, r: total(e) / n / 3 + sum(p) / r),
        # Of no examples Keras's sum is an empty tensor, which loses the penalties, too.
        sharing(
            lambda e, p, n, r: (
                tf.keras.losses.MeanSquaredError(reduction="sum")(tf.zeros_like(e), e) / n
                + sum(p) / r
            )
        ),
    ),
    "mean of all entries": Wrong(
        "The squared errors are divided by the number of this replica's entries, examples times "
        "outputs. Add them with reduce_sum, and divide by batch_size.",
        sharing(
            lambda e, p, n, r: tf.keras.losses.MeanSquaredError()(tf.zeros_like(e), e) + sum(p) / r
        ),
        sharing(lambda e, p, n, r: tf.reduce_mean(e**2) + sum(p) / r),
        sharing(lambda e, p, n, r: tf.reduce_mean(e**2) + sum(p)),
        sharing(lambda e, p, n, r: (tf.reduce_mean(e**2) + sum(p)) / r),
    ),
    "loss of several entries": Wrong(
        "The loss has several entries. The tape adds them, so the penalties count once for each. Make "
        "it one number before you add them.",
        sharing(lambda e, p, n, r: tf.reduce_sum(e**2, axis=0) / n + sum(p) / r),
        sharing(lambda e, p, n, r: tf.reduce_sum(e**2, axis=1) / n + sum(p) / r),
    ),
    "half the error": Wrong(
        "The squared errors are halved, as tf.nn.l2_loss does. Leave the half out.",
        sharing(lambda e, p, n, r: total(e) / n / 2 + sum(p) / r),
    ),
    "all by both": Wrong(
        "Everything is divided by batch_size and by replicas. Divide the errors by batch_size alone, "
        "and the penalties by replicas alone.",
        sharing(lambda e, p, n, r: (total(e) + sum(p)) / n / r),
    ),
    "penalties multiplied": Wrong(
        "The penalties are multiplied by replicas. Divide: every replica adds them.",
        sharing(lambda e, p, n, r: total(e) / n + sum(p) * r),
    ),
    "absolute errors": Wrong(
        "The errors are not squared: this is the absolute error.",
        sharing(lambda e, p, n, r: tf.reduce_sum(tf.abs(e)) / n + sum(p) / r),
    ),
    "empty part without penalties": Wrong(
        "A replica without examples returns zeros. It still has its part of the penalties. Leave "
        "out what is done for an empty part, and add up with tf.reduce_sum, which gives 0 for "
        "nothing. A loss of Keras's gives a tensor of shape (0,) there, and takes the penalties "
        "with it.",
        none_for_an_empty_part,
        calls=(2,),
    ),
    "minus": Wrong(
        "The sign is wrong. Return the gradients; it is the optimizer that subtracts them.",
        sharing(right_loss, lambda gradients: [-g for g in gradients]),
    ),
    "kernels only": Wrong(
        "The gradients of the biases are missing. Ask for all of model.trainable_variables.",
        sharing(right_loss, lambda gradients: gradients[::2]),
    ),
    "loss returned": Wrong("This is the loss. Return its gradients, a list.", loss_returned),
    "loss and gradients returned": Wrong(
        "The loss comes back, too. Return the list of gradients alone.",
        loss_and_gradients,
    ),
    "new weights returned": Wrong(
        "These are weights after a step. Return the gradients: a step can be taken only with their "
        "sum.",
        step_taken,
    ),
}

# 20.2


def rights(copies, parts):
    return [
        int(np.sum(np.argmax(x @ W + b, axis=1) == y))
        for (W, b), (x, y) in zip(copies, parts, strict=True)
    ]


def clipped(gradients, largest):
    return tf.clip_by_global_norm(gradients, largest)[0]


def added(shares):
    return [sum(gradients) for gradients in zip(*shares, strict=True)]


def averaged(shares):
    return [sum(gradients) / len(gradients) for gradients in zip(*shares, strict=True)]


def on_each(joined):
    """Return the gradients that all copies are moved by: ``joined(shares, largest)``."""
    return lambda shares, largest: [joined(shares, largest)] * len(shares)


sum_clipped = on_each(lambda shares, largest: clipped(added(shares), largest))


def on_copies(
    mean=lambda losses, n, k: tf.reduce_sum(losses) / n,
    penalty_of=lambda W, b, penalty, n, k: penalty * tf.reduce_sum(W**2) / k,
    moves=sum_clipped,
    rate=lambda lr, k: lr,
    result=lambda right, sizes: sum(right) / sum(sizes),
):
    """Return an answer to 20.2 from its parts; n counts the examples, and k the copies.

    ``moves`` gives, from the shares, the gradients by which each copy moves.
    """

    def step_on_copies(copies, parts, lr, penalty, largest):
        sizes = [len(y) for _, y in parts]
        right, shares = rights(copies, parts), []
        for (W, b), (x, y) in zip(copies, parts, strict=True):
            with tf.GradientTape() as tape:
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, x @ W + b)
                loss = mean(losses, sum(sizes), len(copies))
                loss += penalty_of(W, b, penalty, sum(sizes), len(copies))
            shares.append(tape.gradient(loss, [W, b]))
        for variables, gradients in zip(copies, moves(shares, largest), strict=False):
            for v, g in zip(variables, gradients, strict=True):
                v.assign_sub(rate(lr, len(copies)) * g)
        return result(right, sizes)

    return step_on_copies


def each_mean(losses, n, k):
    return tf.reduce_mean(losses)


def in_full(W, b, penalty, n, k):
    return penalty * tf.reduce_sum(W**2)


def each_clipped(shares, largest):
    return [clipped(share, largest) for share in shares]


clipped_first = on_each(lambda shares, largest: added(each_clipped(shares, largest)))


def mean_of_shares(right, sizes):
    return float(np.mean([r / n for r, n in zip(right, sizes, strict=True)]))


def multiplied_limit(copies, parts, lr, penalty, largest):
    return on_copies()(copies, parts, lr, penalty, len(copies) * largest)


def counted_after(copies, parts, *rest):
    on_copies()(copies, parts, *rest)
    return sum(rights(copies, parts)) / sum(len(y) for _, y in parts)


def sized_by_the_first(copies, parts, lr, penalty, largest):
    size = len(parts[0][1])
    run = on_copies(lambda losses, n, k: tf.reduce_sum(losses) / size / k)
    return run(copies, parts, lr, penalty, largest)


def penalty_last(copies, parts, lr, penalty, largest):
    before = copies[0][0].numpy()
    right = on_copies()(copies, parts, lr, 0.0, largest)
    for W, _ in copies:
        W.assign_sub(lr * 2 * penalty * before)
    return right


def counting_along(copies, parts, lr, penalty, largest):
    """Divide each part's losses by the number of examples up to it."""
    seen = iter(np.cumsum([len(y) for _, y in parts]))
    run = on_copies(lambda losses, n, k: tf.reduce_sum(losses) / next(seen))
    return run(copies, parts, lr, penalty, largest)


def two_for_each(copies, parts, lr, penalty, largest):
    size = sum(map(len, parts))
    run = on_copies(
        lambda losses, n, k: tf.reduce_sum(losses) / size,
        result=lambda right, sizes: sum(right) / size,
    )
    return run(copies, parts, lr, penalty, largest)


def from_the_first(copies, parts, lr, penalty, largest):
    run = on_copies(moves=lambda shares, largest: [clipped(added(shares), largest)])
    right = run(copies, parts, lr, penalty, largest)
    first = [v.numpy() for v in copies[0]]
    before = [v.numpy() for v in copies[1]]
    gradients = [b - a for a, b in zip(first, before, strict=True)]
    for pair in copies[1:]:
        for v, moved, g in zip(pair, first, gradients, strict=True):
            v.assign(moved - g)
    return right


def last_copy_alone(shares, largest):
    nothing = [tf.zeros_like(g) for g in shares[0]]
    return [nothing] * (len(shares) - 1) + [clipped(added(shares), largest)]


def clipped_as_one(shares, largest):
    """Clip the shares as if all were one long gradient, and add them."""
    flat = clipped([g for share in shares for g in share], largest)
    return added([flat[i : i + 2] for i in range(0, len(flat), 2)])


def clipped_with_lr(copies, parts, lr, penalty, largest):
    """Clip the step in place of the gradient."""
    moves = on_each(lambda shares, largest: clipped([lr * g for g in added(shares)], largest))
    return on_copies(moves=moves)(copies, parts, 1.0, penalty, largest)


COPIES = {
    "as given": Wrong(
        "Nothing that moves the copies is mended yet: each takes a mean of its own, adds the penalty "
        "in full, and clips its share. Only the sum over all parts should be clipped.",
        on_copies(each_mean, in_full, clipped_first),
    ),
    "mean of its own": Wrong(
        "Each part is divided by its own number of examples. Divide by the number of all.",
        on_copies(each_mean),
    ),
    "penalty in full": Wrong(
        "Each copy adds the penalty in full, so it counts as often as there are copies. Divide it by "
        "their number.",
        on_copies(penalty_of=in_full),
    ),
    "clipped before the sum": Wrong(
        "Each share is clipped, and then they are added. Add first, and clip the sum.",
        on_copies(moves=clipped_first),
    ),
    "step clipped": Wrong(
        "You clip lr times the gradient. `largest` bounds the gradient: clip the sum, and multiply by lr "
        "after that.",
        clipped_with_lr,
    ),
    "clipped before and after": Wrong(
        "The sum is clipped, but each share still is as well. Clip once, behind the sum.",
        on_copies(
            moves=on_each(
                lambda shares, largest: clipped(added(each_clipped(shares, largest)), largest)
            )
        ),
    ),
    "mean and penalty": Wrong(
        "The clipping is mended. Each part is still divided by its own number of examples, and the "
        "penalty still counts once for each copy.",
        on_copies(each_mean, in_full),
    ),
    "mean and clipping": Wrong(
        "The penalty is mended. Each part is still divided by its own number of examples, and each "
        "share is clipped in place of the sum.",
        on_copies(each_mean, moves=clipped_first),
    ),
    "penalty and clipping": Wrong(
        "The mean is mended. The penalty still counts once for each copy, and each share is clipped "
        "in place of the sum.",
        on_copies(penalty_of=in_full, moves=clipped_first),
    ),
    "mean of means": Wrong(
        "A mean of each part, divided by the number of copies, is a mean of means: an example of a "
        "small part counts more. Divide by the number of all examples.",
        on_copies(lambda losses, n, k: tf.reduce_mean(losses) / k),
    ),
    "mean divided again": Wrong(
        "The mean of each part is divided by the number of all examples. It is their sum that you "
        "divide.",
        on_copies(lambda losses, n, k: tf.reduce_mean(losses) / n),
    ),
    "mean size of a part": Wrong(
        "The losses are divided by the mean size of a part. Divide by the number of all examples: the "
        "shares are added.",
        on_copies(lambda losses, n, k: tf.reduce_sum(losses) * k / n),
    ),
    "first part for all": Wrong(
        "The number of all examples is counted as if every part were like the first. Add the sizes.",
        sized_by_the_first,
    ),
    "counted along": Wrong(
        "The number of examples is still being counted while the parts divide by it. Count them all "
        "above the loop.",
        counting_along,
    ),
    "two for each part": Wrong(
        "len of a pair is 2, whatever the pair holds. Add the lengths of the y.",
        two_for_each,
    ),
    "averaged as given": Wrong(
        "The sum is divided by the number of copies, which mends the penalty alone. The mean of means "
        "is still there, and each share is still clipped by itself.",
        on_copies(each_mean, in_full, clipped_first, rate=lambda lr, k: lr / k),
    ),
    "half the penalty": Wrong(
        "The penalty is half of the sum of squares, as tf.nn.l2_loss gives it. Take the whole sum.",
        on_copies(
            penalty_of=lambda W, b, penalty, n, k: penalty * tf.nn.l2_loss(W) / k,
        ),
    ),
    "shares clipped as one": Wrong(
        "All shares together are clipped as one long gradient. Add them first, and clip the sum.",
        on_copies(moves=on_each(clipped_as_one)),
        calls=(1, 2),
    ),
    "penalty behind the clipping": Wrong(
        "The gradient of the penalty is added after the clipping. Clip the gradient of all, the "
        "penalty's too.",
        penalty_last,
    ),
    "sum not divided": Wrong(
        "The losses are added, and never divided. Divide by the number of all examples.",
        on_copies(lambda losses, n, k: tf.reduce_sum(losses)),
    ),
    "mean of means, penalty in full": Wrong(
        "A mean of each part, divided by the number of copies, is a mean of means, and the penalty "
        "still counts once for each copy. Divide the losses by the number of all examples, and the "
        "penalty by that of the copies.",
        on_copies(lambda losses, n, k: tf.reduce_mean(losses) / k, in_full),
    ),
    "nothing divided": Wrong(
        "The losses are added and never divided, and the penalty counts once for each copy. Divide "
        "the losses by the number of all examples, and the penalty by that of the copies.",
        on_copies(lambda losses, n, k: tf.reduce_sum(losses), in_full),
    ),
    "sum averaged": Wrong(
        "The sum of the shares is divided by the number of copies before it is clipped. It is the "
        "whole gradient: clip it as it is.",
        on_copies(moves=on_each(lambda shares, largest: clipped(averaged(shares), largest))),
    ),
    "limit of another size": Wrong(
        "The sum is clipped to another limit than largest. It is the limit of the whole gradient.",
        multiplied_limit,
    ),
    "shares divided twice": Wrong(
        "The losses are divided by the number of all examples and by that of the copies. The first "
        "is enough.",
        on_copies(lambda losses, n, k: tf.reduce_sum(losses) / n / k),
    ),
    "penalty left out": Wrong(
        "The penalty is gone. Each copy adds its part of it.",
        on_copies(penalty_of=lambda W, b, penalty, n, k: 0.0),
    ),
    "penalty by the examples": Wrong(
        "The penalty is divided by the number of examples. Divide it by the number of copies.",
        on_copies(penalty_of=lambda W, b, penalty, n, k: penalty * tf.reduce_sum(W**2) / n),
    ),
    "penalty on b": Wrong(
        "The penalty is on b as well. It is on W alone.",
        on_copies(
            penalty_of=lambda W, b, penalty, n, k: (
                penalty * (tf.reduce_sum(W**2) + tf.reduce_sum(b**2)) / k
            )
        ),
    ),
    "not clipped": Wrong(
        "Nothing is clipped any more. Clip the sum of the shares.",
        on_copies(moves=on_each(lambda shares, largest: added(shares))),
    ),
    "limit divided": Wrong(
        "Each share is clipped to a part of the limit. Where shares point apart, that is another "
        "direction. Add first, and clip the sum.",
        on_copies(
            moves=on_each(
                lambda shares, largest: added(each_clipped(shares, largest / len(shares)))
            )
        ),
    ),
    "each variable clipped": Wrong(
        "W and b are clipped each by its own norm. The norm of both together counts.",
        on_copies(
            moves=on_each(
                lambda shares, largest: [tf.clip_by_norm(g, largest) for g in added(shares)]
            )
        ),
    ),
    "clipped by value": Wrong(
        "Each entry is clipped. Clip the global norm: tf.clip_by_global_norm.",
        on_copies(
            moves=on_each(
                lambda shares, largest: [
                    tf.clip_by_value(g, -largest, largest) for g in added(shares)
                ]
            )
        ),
    ),
    "averaged and clipped": Wrong(
        "The shares are averaged. Each is a part of the whole already, so add them.",
        on_copies(moves=on_each(lambda shares, largest: averaged(shares))),
    ),
    "clipped, then averaged": Wrong(
        "The clipped sum is divided by the number of copies. It is the whole gradient: take the "
        "step with it as it is.",
        on_copies(rate=lambda lr, k: lr / k),
    ),
    "each its own way": Wrong(
        "Every copy takes a step with its own share, so the copies are no longer equal. Take the "
        "step with the sum on each.",
        on_copies(moves=lambda shares, largest: shares),
        on_copies(moves=each_clipped),
        on_copies(each_mean, moves=lambda shares, largest: shares),
        on_copies(each_mean, in_full, each_clipped),
    ),
    "first copy only": Wrong(
        "Only the first copy moved. Every copy takes the same step.",
        on_copies(moves=lambda shares, largest: [clipped(added(shares), largest)]),
    ),
    "last copy only": Wrong(
        "Only the last copy moved: behind the loop, W and b are its variables. Every copy takes the "
        "same step, so go through all.",
        on_copies(moves=last_copy_alone),
    ),
    "from the first copy": Wrong(
        "The later copies start from the first, which has moved by then, so they move twice as far. "
        "Subtract from each copy's own value.",
        from_the_first,
    ),
    "upwards": Wrong(
        "The copies climb. Subtract lr times the gradient.",
        on_copies(rate=lambda lr, k: -lr),
    ),
    "rate left out": Wrong(
        "The step is as long as the clipped gradient. Multiply it by lr.",
        on_copies(rate=lambda lr, k: 1.0),
    ),
    "mean of shares": Wrong(
        "The copies are right. But the fraction of right answers is a mean over parts of unlike sizes. "
        "Count the right answers of all parts, and divide by the number of all examples.",
        on_copies(result=mean_of_shares),
    ),
    "sum of shares": Wrong(
        "The copies are right. But the fractions of right answers are added, and may reach the number "
        "of copies. Count right answers, and divide by the number of all examples.",
        on_copies(result=lambda right, sizes: mean_of_shares(right, sizes) * len(sizes)),
    ),
    "right answers not divided": Wrong(
        "The copies are right. But this is the number of right answers. Divide it by the number of "
        "all examples.",
        on_copies(result=lambda right, sizes: sum(right)),
    ),
    "mean count": Wrong(
        "The copies are right. But the number of right answers is averaged over the parts. Divide "
        "their sum by the number of all examples.",
        on_copies(result=lambda right, sizes: sum(right) / len(sizes)),
    ),
    "fractions by the examples": Wrong(
        "The copies are right. But fractions of right answers are added, and divided by the number of "
        "examples. Add numbers of right answers.",
        on_copies(
            result=lambda right, sizes: mean_of_shares(right, sizes) * len(sizes) / sum(sizes)
        ),
    ),
    "by the last part's size": Wrong(
        "The copies are right. But the number of right answers of all parts is divided by the size of "
        "the last: behind the loop, y is its labels. Divide by the number of all examples.",
        on_copies(result=lambda right, sizes: sum(right) / sizes[-1]),
    ),
    "one part's share": Wrong(
        "The copies are right. But the fraction of right answers is that of one part alone. Count those "
        "of all parts.",
        on_copies(result=lambda right, sizes: right[-1] / sizes[-1]),
        on_copies(result=lambda right, sizes: right[0] / sizes[0]),
    ),
    "counted after the step": Wrong(
        "The copies are right. But the answers are counted after the step. Count those of the logits "
        "from which the step was computed.",
        counted_after,
    ),
    "wrong answers counted": Wrong(
        "The copies are right. But this is the fraction of wrong answers.",
        on_copies(result=lambda right, sizes: 1 - sum(right) / sum(sizes)),
    ),
}

# 20.3


def epoch(weights_of, fill=1.0):
    """Return an answer to 20.3; weights_of takes k, what is missing, and n."""

    def run_epoch(step, x, y, batch_size):
        for first in range(0, len(x), batch_size):
            own, targets = x[first : first + batch_size], y[first : first + batch_size]
            missing = batch_size - len(own)
            own = tf.pad(own, [[0, missing], [0, 0]], constant_values=fill)
            targets = tf.pad(targets, [[0, missing]], constant_values=fill)
            weights = weights_of(batch_size - missing, missing, len(x))
            step(own, targets, np.array(weights, np.float32))

    return run_epoch


def right_weights(k, missing, n):
    return [1 / k] * k + [0.0] * missing


def drops_the_last(step, x, y, batch_size):
    for first in range(0, len(x) - batch_size + 1, batch_size):
        part = slice(first, first + batch_size)
        step(x[part], y[part], tf.fill([batch_size], 1.0 / batch_size))


def empty_batch_too(step, x, y, batch_size):
    for first in range(0, len(x) + 1, batch_size):
        part = slice(first, first + batch_size)
        missing = batch_size - len(x[part])
        weights = right_weights(max(len(x[part]), 1), missing, 0)[:batch_size]
        step(
            tf.pad(x[part], [[0, missing], [0, 0]], constant_values=1.0),
            tf.pad(y[part], [[0, missing]], constant_values=1.0),
            tf.constant(weights if len(x[part]) else [0.0] * batch_size),
        )


def in_other_order(rearranged):
    return lambda step, x, y, batch_size: epoch(right_weights)(
        step, *rearranged(x, y, batch_size), batch_size
    )


def short_batch_first(step, x, y, batch_size):
    first = len(x) % batch_size or batch_size
    run = epoch(right_weights)
    run(step, x[:first], y[:first], batch_size)
    run(step, x[first:], y[first:], batch_size)


def overlapping(step, x, y, batch_size):
    """Take the last batch_size rows for the last batch; a short epoch is left as it is."""
    for first in range(0, len(x), batch_size):
        first = max(0, min(first, len(x) - batch_size))
        own = x[first : first + batch_size]
        step(own, y[first : first + batch_size], tf.fill([len(own)], 1.0 / len(own)))


def wrapped_round(step, x, y, batch_size):
    for first in range(0, len(x), batch_size):
        rows = [i % len(x) for i in range(first, first + batch_size)]
        step(tf.gather(x, rows), tf.gather(y, rows), tf.fill([batch_size], 1.0 / batch_size))


def filled_in_front(step, x, y, batch_size):
    for first in range(0, len(x), batch_size):
        own, targets = x[first : first + batch_size], y[first : first + batch_size]
        missing = batch_size - len(own)
        step(
            tf.pad(own, [[missing, 0], [0, 0]], constant_values=1.0),
            tf.pad(targets, [[missing, 0]], constant_values=1.0),
            tf.constant(right_weights(len(own), missing, 0)),
        )


def in_a_column(step, x, y, batch_size):
    def with_column(x, y, weights):
        step(x, y, weights[:, None])

    epoch(right_weights)(with_column, x, y, batch_size)


def labels_of_the_first(step, x, y, batch_size):
    run = epoch(right_weights)
    for first in range(0, len(x), batch_size):
        own = x[first : first + batch_size]
        run(step, own, y[: len(own)], batch_size)


def one_row_less(step, x, y, batch_size):
    for first in range(0, len(x), batch_size):
        part = slice(first, first + batch_size - 1)
        missing = batch_size - len(x[part])
        step(
            tf.pad(x[part], [[0, missing], [0, 0]], constant_values=1.0),
            tf.pad(y[part], [[0, missing]], constant_values=1.0),
            np.array(right_weights(batch_size - missing, missing, 0), np.float32),
        )


def only_first(step, x, y, batch_size):
    epoch(right_weights)(step, x[:batch_size], y[:batch_size], batch_size)


def by_row(step, x, y, batch_size):
    for i in range(len(x)):
        epoch(right_weights)(step, x[i : i + 1], y[i : i + 1], batch_size)


def full_weights(step, x, y, batch_size):
    for first in range(0, len(x), batch_size):
        part = slice(first, first + batch_size)
        step(x[part], y[part], tf.fill([batch_size], 1.0 / batch_size))


SHORT = (0, 1, 3)  # the calls in which a batch is short

BATCHES = {
    "last batch dropped": Wrong(
        "A short last batch is left out, and its examples never count. Fill it up, and give what "
        "you added the weight 0.",
        drops_the_last,
        calls=SHORT,
    ),
    "an empty batch": Wrong(
        "Where the batches come out even, there is one call too many, for an empty batch. Let the "
        "range end at len(x).",
        empty_batch_too,
        calls=(2,),
    ),
    "one call": Wrong(
        "There is one call of step. Go through all the data, with batch_size rows in each call.",
        only_first,
        calls=(0, 1, 2),
    ),
    "one by one": Wrong(
        "There is a call for each example. Take batch_size of them in a call.",
        by_row,
    ),
    "filled with zeros": Wrong(
        "The rows that were added give nan: their logarithm is taken, and 0 times infinity or nan "
        "is nan. Fill up with 1, and not with 0 or with numbers that may be negative.",
        epoch(right_weights, fill=0.0),
        calls=SHORT,
    ),
    "weights by the batch size": Wrong(
        "In the short batch each example has the weight 1 / batch_size, so its step is too small. "
        "With k examples of its own, each has 1 / k.",
        epoch(lambda k, missing, n: [1 / (k + missing)] * k + [0.0] * missing),
        full_weights,
        calls=SHORT,
    ),
    "what was added counts": Wrong(
        "The rows that were added have a weight, too, and take part in the step. Give them 0, and "
        "the others 1 / k, with k examples in the batch.",
        epoch(lambda k, missing, n: [1 / (k + missing)] * (k + missing), fill=2.0),
        wrapped_round,
        epoch(lambda k, missing, n: [1 / k] * (k + missing), fill=2.0),
        epoch(lambda k, missing, n: [1 / (k + missing)] * (k + missing)),
        epoch(lambda k, missing, n: [1 / k] * (k + missing)),
        epoch(lambda k, missing, n: [1 / k] * k + [1.0] * missing),
        calls=SHORT,
    ),
    "weights of 1": Wrong(
        "With weights of 1, the step is along the sum of the losses. For their mean, the weights of "
        "a batch add up to 1.",
        epoch(lambda k, missing, n: [1.0] * k + [0.0] * missing),
        epoch(lambda k, missing, n: [1.0] * (k + missing)),
    ),
    "weights turned over": Wrong(
        "The weights of the batch do not add up to 1. With k examples of its own, each has 1 / k.",
        epoch(lambda k, missing, n: [k / (k + missing)] * k + [0.0] * missing),
        epoch(lambda k, missing, n: [(k + missing) / k] * k + [0.0] * missing),
        calls=SHORT,
    ),
    "weights by all examples": Wrong(
        "The weights are divided by the number of all examples. In each batch, divide by the number "
        "of its own.",
        epoch(lambda k, missing, n: [1 / n] * k + [0.0] * missing),
        calls=(0, 1, 2),
    ),
    "weights exchanged": Wrong(
        "The rows that were added have the weight, and the batch's own have 0. Exchange them.",
        epoch(
            lambda k, missing, n: (
                [0.0] * k + [1 / missing] * missing if missing else right_weights(k, missing, n)
            ),
            fill=2.0,
        ),
        calls=SHORT,
    ),
    "filled in front": Wrong(
        "The rows were added in front, and the weights 0 stand behind: some of the batch's own "
        "examples do not count. Fill up both on the same side.",
        filled_in_front,
        calls=SHORT,
    ),
    "weights in a column": Wrong(
        "The weights have a second axis, and (n, 1) times (n,) is (n, n). Give weights of shape "
        "(batch_size,).",
        in_a_column,
    ),
    "overlapping batches": Wrong(
        "The last batch takes examples of the one before again. Fill up with rows of weight 0.",
        overlapping,
        calls=(0, 1),
    ),
    "short batch first": Wrong(
        "The first batch is the short one. Take full ones from the start, in the order of the data.",
        short_batch_first,
        calls=(0, 1),
    ),
    "batches in reverse": Wrong(
        "The examples come in reverse. Take them in the order of the data.",
        in_other_order(lambda x, y, size: (x[::-1], y[::-1])),
        calls=(0, 1, 2),
    ),
    "labels of the first batch": Wrong(
        "Every batch gets the labels of the first. Take y from the same place as x.",
        labels_of_the_first,
        calls=(0, 1, 2),
    ),
    "one row less": Wrong(
        "Each batch leaves out its last example: the end of a slice is not in it. Take "
        "x[first : first + batch_size].",
        one_row_less,
        calls=(0, 1, 2),
    ),
    "weights of 1 in the short batch": Wrong(
        "In the short batch, each example has the weight 1. With k examples of its own, each has 1 / k "
        "there, too.",
        epoch(lambda k, missing, n: [1.0 if missing else 1 / k] * k + [0.0] * missing),
        calls=SHORT,
    ),
    "last weight lost": Wrong(
        "The last example of each batch has the weight 0. Only what was added has.",
        epoch(lambda k, missing, n: [1 / k] * (k - 1) + [0.0] * (missing + 1)),
    ),
}

# 20.4


def finite(gradients):
    return all(np.all(np.isfinite(g)) for g in gradients)


def none_that(is_bad):
    return lambda gradients: not any(np.any(is_bad(g)) for g in gradients)


def kept(scale, good):
    return scale


def scaling(
    loss_with=lambda loss, scale: scale * loss,
    unscaled=lambda g, scale: g / scale,
    is_good=finite,
    is_good_scale=finite,
    move=lambda lr, g: lr * g,
    following=lambda scale, good: scale if good else scale / 2,
):
    """Return an answer to 20.4 from its parts.

    A step is taken if the gradients are ``is_good``; the next scale is that of ``following``,
    which is told whether they are ``is_good_scale``.
    """

    def scaled_step(variables, loss_of, lr, scale):
        with tf.GradientTape() as tape:
            loss = loss_of()
            scaled_loss = loss_with(loss, scale)
        gradients = [unscaled(g, scale) for g in tape.gradient(scaled_loss, variables)]
        if is_good(gradients):
            for v, g in zip(variables, gradients, strict=True):
                v.assign_sub(move(lr, g))
        return following(scale, is_good_scale(gradients))

    return scaled_step


def looking(is_good):
    """Return an answer that goes by another look, with its move and with its scale."""
    return scaling(is_good=is_good, is_good_scale=is_good)


def per_variable(variables, loss_of, lr, scale):
    with tf.GradientTape() as tape:
        scaled_loss = scale * loss_of()
    bad = False
    for v, g in zip(variables, tape.gradient(scaled_loss, variables), strict=True):
        if np.all(np.isfinite(g)):
            v.assign_sub(lr * g / scale)
        else:
            bad = True
    return scale / 2 if bad else scale


def others_move_scale_kept(variables, loss_of, lr, scale):
    per_variable(variables, loss_of, lr, scale)
    return scale


def until_it_fits(variables, loss_of, lr, scale):
    while True:
        following = scaling()(variables, loss_of, lr, scale)
        if following == scale:
            return scale
        scale = following


def moved_before_the_look(variables, loss_of, lr, scale):
    """Move each variable until the first gradient that is not finite."""
    with tf.GradientTape() as tape:
        scaled_loss = scale * loss_of()
    for v, g in zip(variables, tape.gradient(scaled_loss, variables), strict=True):
        if not np.all(np.isfinite(g)):
            return scale / 2
        v.assign_sub(lr * g / scale)
    return scale


def scaled_below_the_tape(variables, loss_of, lr, scale):
    with tf.GradientTape() as tape:
        loss = loss_of()
    scaled_loss = scale * loss
    gradients = [g / scale for g in tape.gradient(scaled_loss, variables)]
    for v, g in zip(variables, gradients, strict=True):
        v.assign_sub(lr * g)
    return scale


def by_finite_entries(lr, g):
    return lr * tf.where(tf.math.is_finite(g), g, 0.0)


def always(gradients):
    return True


def clipped_while_scaled(variables, loss_of, lr, scale):
    with tf.GradientTape() as tape:
        scaled_loss = scale * loss_of()
    gradients = tape.gradient(scaled_loss, variables)
    if not finite(gradients):
        return scale / 2
    for v, g in zip(variables, clipped(gradients, 1.0), strict=True):
        v.assign_sub(lr * g / scale)
    return scale


def with_the_halved(variables, loss_of, lr, scale):
    with tf.GradientTape() as tape:
        scaled_loss = scale * loss_of()
    gradients = tape.gradient(scaled_loss, variables)
    if not finite(gradients):
        scale = scale / 2
    for v, g in zip(variables, gradients, strict=True):
        v.assign_sub(lr * g / scale)
    return scale


def loss_for_scale(variables, loss_of, lr, scale):
    following = scaling()(variables, loss_of, lr, scale)
    return loss_of() if following == scale else following


STEPS = {
    "not scaled": Wrong(
        "What the tape differentiates is not scaled, so small gradients arrive as 0. Take the "
        "gradients of scale times the loss, and divide them by scale.",
        scaling(lambda loss, scale: loss, lambda g, scale: g),
    ),
    "divided only": Wrong(
        "The gradients are divided by scale, and the loss was never multiplied by it. Differentiate "
        "scale * loss_of().",
        scaling(lambda loss, scale: loss),
    ),
    "not divided": Wrong(
        "The gradients are those of the scaled loss, and steps with them are scale times too long. "
        "Divide by scale.",
        scaling(unscaled=lambda g, scale: g),
    ),
    "scaled down": Wrong(
        "The loss is divided by scale, which makes small gradients smaller still. Multiply the loss, "
        "and divide the gradients.",
        scaling(lambda loss, scale: loss / scale, lambda g, scale: g * scale),
    ),
    "multiplied again": Wrong(
        "The gradients are multiplied by scale once more. Divide them by it.",
        scaling(unscaled=lambda g, scale: g * scale),
    ),
    "scaled below the tape": Wrong(
        "The loss is scaled below the block, where the tape no longer records: its gradients are "
        "None. Multiply inside.",
        scaled_below_the_tape,
    ),
    "scaled in half": Wrong(
        "The loss becomes a float16 before it is scaled, and scale is too large for one. Scale it "
        "as a float32.",
        scaling(lambda loss, scale: tf.cast(tf.cast(loss, tf.float16) * scale, tf.float32)),
    ),
    "nothing moves": Wrong(
        "No variable moves visibly, not even in a good step. Give each lr times its gradient with "
        "assign_sub, and divide by scale once, as float32: in float16 the gradients are 0 again.",
        scaling(move=lambda lr, g: 0.0 * g),
    ),
    "not looked at": Wrong(
        "A gradient that is not finite moved a variable. Look at all gradients before the first "
        "variable moves, for inf as well as for nan.",
        scaling(is_good=always),
        scaling(is_good=none_that(np.isnan)),
    ),
    "taken with half the scale": Wrong(
        "The scale is halved, and the step is taken all the same. Return the halved scale before any "
        "variable moves.",
        with_the_halved,
    ),
    "any entry finite": Wrong(
        "A gradient passes if any of its entries is finite. All have to be: "
        "tf.reduce_all(tf.math.is_finite(g)).",
        looking(lambda gradients: all(np.any(np.isfinite(g)) for g in gradients)),
    ),
    "limit of its own": Wrong(
        "A good step is left out: scaled gradients may be large. Only inf and nan are too much; "
        "tf.math.is_finite tells.",
        looking(lambda gradients: all(np.all(np.abs(g) < 1e-3) for g in gradients)),
    ),
    "clipped while scaled": Wrong(
        "A good step is too short where the scaled gradients are large: they are clipped before they "
        "are divided by scale. Clip nothing here; elsewhere, divide first.",
        clipped_while_scaled,
    ),
    "largest entry looked at": Wrong(
        "A variable became infinite: -inf is not among the largest entries. Look at every entry, with "
        "tf.reduce_all(tf.math.is_finite(g)).",
        looking(lambda gradients: all(np.isfinite(np.max(g)) for g in gradients)),
    ),
    "never halved, never looked at": Wrong(
        "Gradients that are not finite move variables, and the scale stays as it is. Leave such a "
        "step out, and halve the scale.",
        scaling(is_good=always, following=kept),
    ),
    "first gradient only": Wrong(
        "Only the first gradient is looked at. Any of them may be the one that is not finite.",
        scaling(is_good=lambda gradients: finite(gradients[:1])),
        looking(lambda gradients: finite(gradients[:1])),
    ),
    "last gradient only": Wrong(
        "Only the last gradient is looked at. Any of them may be the one that is not finite.",
        scaling(is_good=lambda gradients: finite(gradients[-1:])),
        looking(lambda gradients: finite(gradients[-1:])),
    ),
    "others move": Wrong(
        "The variables with finite gradients move, where another's gradient is not finite. Then no "
        "variable moves.",
        per_variable,
    ),
    "moved before the look": Wrong(
        "A variable has moved already when a later gradient turns out not to be finite. Look at all "
        "of them first.",
        moved_before_the_look,
        calls=(1,),
    ),
    "zeros in their place": Wrong(
        "What is not finite is replaced, by 0 or by a large number, and the step is taken. Leave the "
        "whole step out.",
        scaling(is_good=always, move=by_finite_entries),
    ),
    "zeros, and the scale kept": Wrong(
        "What is not finite is replaced or left out, the rest moves, and the scale stays. Leave the "
        "whole step out, and halve the scale.",
        scaling(is_good=always, move=by_finite_entries, following=kept),
        others_move_scale_kept,
        scaling(is_good=always, move=lambda lr, g: lr * tf.clip_by_value(g, -1, 1), following=kept),
    ),
    "scale kept": Wrong(
        "The step is left out, but the scale stays, so the next one will fail as well. Return half "
        "of it.",
        scaling(following=kept),
    ),
    "scale doubled": Wrong(
        "After a step that was left out the scale grows. It was too large: halve it.",
        scaling(following=lambda scale, good: scale if good else 2 * scale),
    ),
    "small scale not halved": Wrong(
        "A scale of 1 is not halved: it stays, or becomes 0. Return scale / 2 without a floor, and "
        "not with //.",
        scaling(following=lambda scale, good: scale if good else max(scale / 2, 1.0)),
        scaling(following=lambda scale, good: scale if good else scale // 2),
    ),
    "scale set to one": Wrong(
        "After a step that was left out, the scale falls to 1 at once. Halve it.",
        scaling(following=lambda scale, good: scale if good else 1.0),
    ),
    "always halved": Wrong(
        "The scale is halved after good steps as well. Return it as it was, if the step was taken.",
        scaling(following=lambda scale, good: scale / 2),
    ),
    "grows": Wrong(
        "The scale doubles after a good step. Optimizers do so after many; here it stays.",
        scaling(following=lambda scale, good: 2 * scale if good else scale / 2),
    ),
    "halves exchanged": Wrong(
        "The scale is halved after good steps, and kept after those that were left out. Exchange the "
        "two.",
        scaling(following=lambda scale, good: scale / 2 if good else scale),
    ),
    "divided by the next scale": Wrong(
        "The scale is halved before the gradients are divided by it, so good steps are twice as long. "
        "Divide by the scale that the loss was multiplied by.",
        scaling(
            unscaled=lambda g, scale: g / (scale / 2),
            following=lambda scale, good: scale / 2,
        ),
    ),
    "tried again": Wrong(
        "The step is tried again with smaller scales until it fits. Leave it out: the next one "
        "starts with half of the scale.",
        until_it_fits,
    ),
    "nan not looked for": Wrong(
        "A gradient with nan moved the variables. nan is not finite either, and tf.math.is_inf does "
        "not see it: take tf.math.is_finite.",
        looking(none_that(np.isinf)),
        scaling(is_good=none_that(np.isinf)),
    ),
    "inf not looked for": Wrong(
        "A gradient with inf moved the variables. inf is not finite either, and tf.math.is_nan does "
        "not see it: take tf.math.is_finite.",
        looking(none_that(np.isnan)),
    ),
    "the other way round": Wrong(
        "Good steps are left out, and those with gradients that are not finite are taken. Exchange "
        "the two.",
        looking(lambda gradients: not finite(gradients)),
    ),
    "upwards": Wrong(
        "The variables climb. Subtract lr times the gradient.",
        scaling(move=lambda lr, g: -lr * g),
    ),
    "loss returned": Wrong(
        "After a good step the loss is returned. Return the scale.",
        loss_for_scale,
    ),
    "nothing returned after a good step": Wrong(
        "After a good step nothing is returned. Return the scale.",
        scaling(following=lambda scale, good: None if good else scale / 2),
    ),
    "nothing returned after a bad step": Wrong(
        "After a step that was left out nothing is returned. Return half of the scale.",
        scaling(following=lambda scale, good: scale if good else None),
    ),
    "no scale returned": Wrong(
        "The moves are right, but nothing is returned. Return the scale of the next step.",
        scaling(following=lambda scale, good: None),
    ),
}

MISTAKES = {"20.1": SHARES, "20.2": COPIES, "20.3": BATCHES, "20.4": STEPS}

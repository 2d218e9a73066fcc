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


def nothing_recorded(model, x, y, batch_size, replicas):
    return [None] * len(model.trainable_variables)


SHARES = {
    "loss below the block": Wrong(
        "All gradients are `None`, because you compute the loss, or a part of it, after the block. "
        "Compute the sum and the penalties inside it.",
        nothing_recorded,
    ),
    "frozen weights too": Wrong(
        "`model.variables` also contains frozen weights, whose gradients are `None`. Use "
        "`model.trainable_variables`.",
        of_frozen_weights_too,
    ),
    "mean of its own": Wrong(
        "You divide by the number of this replica's examples, so the sum of the shares is too "
        "large. Divide by `batch_size`, even on a replica without examples.",
        sharing(lambda e, p, n, r: own_mean(e) + sum(p) / r),
        own_count_and_zeros,
    ),
    "as on one device": Wrong(
        "You compute on each replica what a single device would: a mean over its own examples, and "
        "the full penalties. Divide the sum of the squared errors by `batch_size`, and the "
        "penalties by `replicas`.",
        sharing(lambda e, p, n, r: own_mean(e) + sum(p)),
    ),
    "mean of means": Wrong(
        "The sum of your shares is a mean of means, in which an example in a small part has a "
        "larger weight. Divide the sum of the squared errors by `batch_size`.",
        sharing(lambda e, p, n, r: (own_mean(e) + sum(p)) / r),
    ),
    "penalties in full": Wrong(
        "Each replica adds the full penalties, so they are included `replicas` times. Divide "
        "them by `replicas`.",
        sharing(lambda e, p, n, r: total(e) / n + sum(p)),
    ),
    "penalties left out": Wrong(
        "The errors are right, but the penalties are missing. Add `sum(model.losses) / "
        "replicas` to the loss, inside the block.",
        sharing(lambda e, p, n, r: total(e) / n),
    ),
    "penalties by the batch": Wrong(
        "You divide the penalties by `batch_size`, but they are not a mean over examples. "
        "Divide them by `replicas`.",
        sharing(lambda e, p, n, r: total(e) / n + sum(p) / n),
    ),
    "one penalty only": Wrong(
        "You use only one layer's penalty. Use `sum(model.losses)`.",
        sharing(lambda e, p, n, r: total(e) / n + p[0] / r),
        sharing(lambda e, p, n, r: total(e) / n + p[-1] / r),
    ),
    "mean of the penalties": Wrong(
        "You average the penalties over the layers. Use their sum, `sum(model.losses)`, "
        "divided by `replicas`.",
        sharing(lambda e, p, n, r: total(e) / n + tf.reduce_mean(p) / r),
    ),
    "penalties by their number": Wrong(
        "You divide the penalties by the number of layers. Divide their sum by `replicas`, "
        "because every replica adds them.",
        sharing(lambda e, p, n, r: total(e) / n + sum(p) / len(p)),
        calls=(1, 2),
    ),
    "divisors exchanged": Wrong(
        "The divisors are swapped. Divide the errors by `batch_size`, and the penalties by "
        "`replicas`.",
        sharing(lambda e, p, n, r: total(e) / r + sum(p) / n),
    ),
    "squared sum": Wrong(
        "You sum the errors and then square the sum. Square each error, and sum the squares.",
        sharing(lambda e, p, n, r: tf.reduce_sum(e) ** 2 / n + sum(p) / r),
    ),
    "norm of the errors": Wrong(
        "You use the norm of each example's errors. Sum the squares, and do not take the root.",
        sharing(lambda e, p, n, r: tf.reduce_sum(tf.norm(e, axis=1)) / n + sum(p) / r),
    ),
    "x for y": Wrong(
        "You compare the predictions with `x`. Compare them with `y`.",
        of_x,
    ),
    "penalties divided twice": Wrong(
        "You divide the penalties twice. Divide them by `replicas` once.",
        sharing(lambda e, p, n, r: total(e) / n + sum(p) / r**2),
    ),
    "penalties by both": Wrong(
        "You divide the penalties by `replicas` and by `batch_size`. Divide them only by "
        "`replicas`.",
        sharing(lambda e, p, n, r: (total(e) + sum(p) / r) / n),
    ),
    "sum not divided": Wrong(
        "You sum the squared errors without dividing. Divide their sum by `batch_size`.",
        sharing(lambda e, p, n, r: total(e) + sum(p) / r),
    ),
    "errors by replicas": Wrong(
        "You divide the squared errors by `replicas`. Divide their sum by `batch_size`.",
        sharing(lambda e, p, n, r: total(e) / r + sum(p) / r),
    ),
    "errors divided twice": Wrong(
        "You divide the errors by `replicas` as well, but you do not divide the penalties. Divide "
        "the errors only by `batch_size`, and the penalties by `replicas`.",
        sharing(lambda e, p, n, r: total(e) / n / r + sum(p)),
    ),
    "all divided by replicas": Wrong(
        "You also divide the errors by `replicas`, but the shares are added, not averaged. Divide "
        "the errors only by `batch_size`, which counts the examples of all replicas.",
        sharing(lambda e, p, n, r: total(e) / n / r + sum(p) / r),
    ),
    "averaged shares": Wrong(
        "You divide the whole share by `replicas` again, but the shares are added, not "
        "averaged. Remove that division.",
        sharing(lambda e, p, n, r: (total(e) / n + sum(p) / r) / r),
    ),
    "batch size for each": Wrong(
        "In effect, you divide the squared errors by `batch_size / replicas`, but the shares are "
        "added, not averaged. Divide the sum of the squared errors by `batch_size`.",
        sharing(lambda e, p, n, r: r * total(e) / n + sum(p) / r),
        sharing(lambda e, p, n, r: total(e) / (n // r) + sum(p) / r),
    ),
    "mean over the outputs": Wrong(
        "You also average the squared errors over the outputs. Sum them over the outputs, and "
        "divide by `batch_size`.",
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
        "You divide the squared errors by the number of this replica's entries (examples times "
        "outputs). Sum them with `tf.reduce_sum`, and divide by `batch_size`.",
        sharing(
            lambda e, p, n, r: tf.keras.losses.MeanSquaredError()(tf.zeros_like(e), e) + sum(p) / r
        ),
        sharing(lambda e, p, n, r: tf.reduce_mean(e**2) + sum(p) / r),
        sharing(lambda e, p, n, r: tf.reduce_mean(e**2) + sum(p)),
        sharing(lambda e, p, n, r: (tf.reduce_mean(e**2) + sum(p)) / r),
    ),
    "loss of several entries": Wrong(
        "Your loss has several entries, and the tape sums them, so the penalties are included "
        "once per entry. Reduce the errors to one number before you add the penalties.",
        sharing(lambda e, p, n, r: tf.reduce_sum(e**2, axis=0) / n + sum(p) / r),
        sharing(lambda e, p, n, r: tf.reduce_sum(e**2, axis=1) / n + sum(p) / r),
    ),
    "half the error": Wrong(
        "You halve the squared errors, as `tf.nn.l2_loss` does. Remove the factor 1/2.",
        sharing(lambda e, p, n, r: total(e) / n / 2 + sum(p) / r),
    ),
    "all by both": Wrong(
        "You divide everything by `batch_size` and by `replicas`. Divide the errors only by "
        "`batch_size`, and the penalties only by `replicas`.",
        sharing(lambda e, p, n, r: (total(e) + sum(p)) / n / r),
    ),
    "penalties multiplied": Wrong(
        "You multiply the penalties by `replicas`. Divide instead, because every replica adds "
        "them.",
        sharing(lambda e, p, n, r: total(e) / n + sum(p) * r),
    ),
    "absolute errors": Wrong(
        "You use the absolute errors. Square them.",
        sharing(lambda e, p, n, r: tf.reduce_sum(tf.abs(e)) / n + sum(p) / r),
    ),
    "empty part without penalties": Wrong(
        "A replica without examples returns zeros, but it should still return its share of the "
        "penalties. Remove the special case, and use `tf.reduce_sum`, which is 0 if there are no "
        "examples (a Keras loss then returns a tensor of shape (0,), which loses the penalties).",
        none_for_an_empty_part,
        calls=(2,),
    ),
    "minus": Wrong(
        "The sign is wrong. Return the gradients without a minus sign; the optimizer subtracts "
        "them.",
        sharing(right_loss, lambda gradients: [-g for g in gradients]),
    ),
    "kernels only": Wrong(
        "The gradients of the biases are missing. Use all of `model.trainable_variables`.",
        sharing(right_loss, lambda gradients: gradients[::2]),
    ),
    "loss returned": Wrong(
        "You returned the loss. Return its gradients, as a list.", loss_returned
    ),
    "loss and gradients returned": Wrong(
        "You also returned the loss. Return only the list of gradients.",
        loss_and_gradients,
    ),
    "new weights returned": Wrong(
        "You returned the weights after a step. Return the gradients; only their sum is used "
        "for a step.",
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
        "All three bugs in the update are left. (1) You divide each part's losses by that part's "
        "size: divide by the total number of examples. (2) Each copy adds the full penalty: divide it by "
        "the number of copies. (3) You clip each share: clip the sum.",
        on_copies(each_mean, in_full, clipped_first),
    ),
    "mean of its own": Wrong(
        "You divide the losses of each part by the size of that part. Divide by the total "
        "number of examples.",
        on_copies(each_mean),
    ),
    "penalty in full": Wrong(
        "Each copy adds the full penalty, so it is included once per copy. Divide it by the "
        "number of copies.",
        on_copies(penalty_of=in_full),
    ),
    "clipped before the sum": Wrong(
        "You clip each share before you add them. Add them first, then clip the sum.",
        on_copies(moves=clipped_first),
    ),
    "step clipped": Wrong(
        "You clip `lr` times the gradient. Clip the sum of the gradients to `largest`, then "
        "multiply by `lr`.",
        clipped_with_lr,
    ),
    "clipped before and after": Wrong(
        "You clip the sum, but also each share. Clip only the sum.",
        on_copies(
            moves=on_each(
                lambda shares, largest: clipped(added(each_clipped(shares, largest)), largest)
            )
        ),
    ),
    "mean and penalty": Wrong(
        "The clipping is now right. (1) You still divide each part's losses by that part's size: "
        "divide by the total number of examples. (2) The penalty is still included once per copy: "
        "divide it by the number of copies.",
        on_copies(each_mean, in_full),
    ),
    "mean and clipping": Wrong(
        "The penalty is now right. (1) You still divide each part's losses by that part's size: divide "
        "by the total number of examples. (2) You still clip each share: clip the sum.",
        on_copies(each_mean, moves=clipped_first),
    ),
    "penalty and clipping": Wrong(
        "The mean is now right. (1) The penalty is still included once per copy: divide it by "
        "the number of copies. (2) You still clip each share: clip the sum.",
        on_copies(penalty_of=in_full, moves=clipped_first),
    ),
    "mean of means": Wrong(
        "You average the means of the parts, so an example in a small part has a larger weight. "
        "Divide by the total number of examples.",
        on_copies(lambda losses, n, k: tf.reduce_mean(losses) / k),
    ),
    "mean divided again": Wrong(
        "You divide the mean of each part by the total number of examples. Divide the sum of its "
        "losses instead.",
        on_copies(lambda losses, n, k: tf.reduce_mean(losses) / n),
    ),
    "mean size of a part": Wrong(
        "You divide the losses by the mean size of a part. Divide by the total number of examples, "
        "because the shares are added.",
        on_copies(lambda losses, n, k: tf.reduce_sum(losses) * k / n),
    ),
    "first part for all": Wrong(
        "You count the examples as if every part had the same size as the first. Add the sizes of "
        "all parts.",
        sized_by_the_first,
    ),
    "counted along": Wrong(
        "You divide by the number of examples while you are still counting them. Count them all "
        "before the loop.",
        counting_along,
    ),
    "two for each part": Wrong(
        "You use the length of a pair, which is always 2. Add the lengths of the `y` arrays.",
        two_for_each,
    ),
    "averaged as given": Wrong(
        "Dividing the sum by the number of copies fixes only the penalty. (1) You still average "
        "the means of the parts: divide by the total number of examples. (2) You still clip each "
        "share: clip the sum.",
        on_copies(each_mean, in_full, clipped_first, rate=lambda lr, k: lr / k),
    ),
    "half the penalty": Wrong(
        "You use half of the sum of squares, as `tf.nn.l2_loss` does. Use the whole sum.",
        on_copies(
            penalty_of=lambda W, b, penalty, n, k: penalty * tf.nn.l2_loss(W) / k,
        ),
    ),
    "shares clipped as one": Wrong(
        "You clip all shares together, as one long gradient. Add them first, then clip the sum.",
        on_copies(moves=on_each(clipped_as_one)),
        calls=(1, 2),
    ),
    "penalty behind the clipping": Wrong(
        "You add the gradient of the penalty after the clipping. Clip the whole gradient, "
        "including the penalty's.",
        penalty_last,
    ),
    "sum not divided": Wrong(
        "You sum the losses without dividing. Divide by the total number of examples.",
        on_copies(lambda losses, n, k: tf.reduce_sum(losses)),
    ),
    "mean of means, penalty in full": Wrong(
        "Two bugs are left. (1) You average the means of the parts: divide the losses by the total "
        "number of examples. (2) The penalty is included once per copy: divide it by the number "
        "of copies.",
        on_copies(lambda losses, n, k: tf.reduce_mean(losses) / k, in_full),
    ),
    "nothing divided": Wrong(
        "Two bugs are left. (1) You sum the losses without dividing: divide by the total number of "
        "examples. (2) The penalty is included once per copy: divide it by the number of copies.",
        on_copies(lambda losses, n, k: tf.reduce_sum(losses), in_full),
    ),
    "sum averaged": Wrong(
        "You divide the sum of the shares by the number of copies before you clip it. It is "
        "already the whole gradient, so clip it unchanged.",
        on_copies(moves=on_each(lambda shares, largest: clipped(averaged(shares), largest))),
    ),
    "limit of another size": Wrong(
        "You clip the sum to a different limit. Use `largest`.",
        multiplied_limit,
    ),
    "shares divided twice": Wrong(
        "You divide the losses by the total number of examples and by the number of copies. Divide "
        "only by the total number of examples.",
        on_copies(lambda losses, n, k: tf.reduce_sum(losses) / n / k),
    ),
    "penalty left out": Wrong(
        "The penalty is missing. To each copy's loss, add the penalty divided by the number of "
        "copies.",
        on_copies(penalty_of=lambda W, b, penalty, n, k: 0.0),
    ),
    "penalty by the examples": Wrong(
        "You divide the penalty by the number of examples. Divide it by the number of copies.",
        on_copies(penalty_of=lambda W, b, penalty, n, k: penalty * tf.reduce_sum(W**2) / n),
    ),
    "penalty on b": Wrong(
        "You also penalize `b`. Penalize only `W`.",
        on_copies(
            penalty_of=lambda W, b, penalty, n, k: (
                penalty * (tf.reduce_sum(W**2) + tf.reduce_sum(b**2)) / k
            )
        ),
    ),
    "not clipped": Wrong(
        "You no longer clip. Clip the sum of the shares.",
        on_copies(moves=on_each(lambda shares, largest: added(shares))),
    ),
    "limit divided": Wrong(
        "You clip each share to a fraction of the limit, which changes the direction of the "
        "sum. Add the shares first, then clip the sum.",
        on_copies(
            moves=on_each(
                lambda shares, largest: added(each_clipped(shares, largest / len(shares)))
            )
        ),
    ),
    "each variable clipped": Wrong(
        "You clip the gradients of `W` and `b` separately. Clip both by their joint norm: "
        "`tf.clip_by_global_norm`.",
        on_copies(
            moves=on_each(
                lambda shares, largest: [tf.clip_by_norm(g, largest) for g in added(shares)]
            )
        ),
    ),
    "clipped by value": Wrong(
        "You clip each entry of the gradients. Clip by the global norm: `tf.clip_by_global_norm`.",
        on_copies(
            moves=on_each(
                lambda shares, largest: [
                    tf.clip_by_value(g, -largest, largest) for g in added(shares)
                ]
            )
        ),
    ),
    "averaged and clipped": Wrong(
        "You average the shares, but each is already a part of the whole gradient. Add them.",
        on_copies(moves=on_each(lambda shares, largest: averaged(shares))),
    ),
    "clipped, then averaged": Wrong(
        "You divide the clipped sum by the number of copies. It is already the whole gradient, "
        "so use it unchanged.",
        on_copies(rate=lambda lr, k: lr / k),
    ),
    "each its own way": Wrong(
        "Each copy takes a step with its own share, so the copies are no longer equal. Take "
        "the same step, with the sum, on each.",
        on_copies(moves=lambda shares, largest: shares),
        on_copies(moves=each_clipped),
        on_copies(each_mean, moves=lambda shares, largest: shares),
        on_copies(each_mean, in_full, each_clipped),
    ),
    "first copy only": Wrong(
        "Only the first copy changed. Take the same step on every copy.",
        on_copies(moves=lambda shares, largest: [clipped(added(shares), largest)]),
    ),
    "last copy only": Wrong(
        "Only the last copy changed, because after the loop `W` and `b` are its variables. "
        "Loop over all copies, and take the same step on each.",
        on_copies(moves=last_copy_alone),
    ),
    "from the first copy": Wrong(
        "You compute the other copies from the first, which has already changed. Subtract the step "
        "from each copy's own values.",
        from_the_first,
    ),
    "upwards": Wrong(
        "The copies move uphill. Subtract `lr` times the gradient.",
        on_copies(rate=lambda lr, k: -lr),
    ),
    "rate left out": Wrong(
        "The learning rate is missing. Multiply the clipped gradient by `lr`.",
        on_copies(rate=lambda lr, k: 1.0),
    ),
    "mean of shares": Wrong(
        "The copies are right, but you average the fractions over parts of different sizes. Count "
        "the correct answers in all parts, and divide by the total number of examples.",
        on_copies(result=mean_of_shares),
    ),
    "sum of shares": Wrong(
        "The copies are right, but you add the fractions of the parts. Count the correct answers "
        "in all parts, and divide by the total number of examples.",
        on_copies(result=lambda right, sizes: mean_of_shares(right, sizes) * len(sizes)),
    ),
    "right answers not divided": Wrong(
        "The copies are right, but you returned the number of correct answers. Divide it by the "
        "total number of examples.",
        on_copies(result=lambda right, sizes: sum(right)),
    ),
    "mean count": Wrong(
        "The copies are right, but you average the numbers of correct answers over the parts. "
        "Divide their sum by the total number of examples.",
        on_copies(result=lambda right, sizes: sum(right) / len(sizes)),
    ),
    "fractions by the examples": Wrong(
        "The copies are right, but you add fractions and divide them by the number of "
        "examples. Add the *numbers* of correct answers.",
        on_copies(
            result=lambda right, sizes: mean_of_shares(right, sizes) * len(sizes) / sum(sizes)
        ),
    ),
    "by the last part's size": Wrong(
        "The copies are right, but you divide by the size of the last part, because `y` holds its "
        "labels after the loop. Divide by the total number of examples.",
        on_copies(result=lambda right, sizes: sum(right) / sizes[-1]),
    ),
    "one part's share": Wrong(
        "The copies are right, but the fraction of correct answers is for only one part. Count the "
        "correct answers in all parts, and divide by the total number of examples.",
        on_copies(result=lambda right, sizes: right[-1] / sizes[-1]),
        on_copies(result=lambda right, sizes: right[0] / sizes[0]),
    ),
    "counted after the step": Wrong(
        "The copies are right, but you count the answers after the step. Use the logits from "
        "which you computed the step.",
        counted_after,
    ),
    "wrong answers counted": Wrong(
        "The copies are right, but you returned the fraction of wrong answers. Return the "
        "fraction of correct ones.",
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
        "You leave out a short last batch. Fill it up, and give the added rows a weight of 0.",
        drops_the_last,
        calls=SHORT,
    ),
    "an empty batch": Wrong(
        "If `batch_size` divides the number of examples, you make one call too many, with an "
        "empty batch. Let the range end at `len(x)`.",
        empty_batch_too,
        calls=(2,),
    ),
    "one call": Wrong(
        "You call `step` only once. Go through all the data, with `batch_size` rows per call.",
        only_first,
        calls=(0, 1, 2),
    ),
    "one by one": Wrong(
        "You call `step` for each example. Use `batch_size` examples per call.",
        by_row,
    ),
    "filled with zeros": Wrong(
        "The added rows cause nan, because `step` takes their logarithm, and 0 times infinity or "
        "nan is nan. Fill the added rows with 1, not with 0 or a negative number.",
        epoch(right_weights, fill=0.0),
        calls=SHORT,
    ),
    "weights by the batch size": Wrong(
        "In the short batch, each example has a weight of `1 / batch_size`, so the step is too "
        "small. Use 1 / k for a batch of k examples.",
        epoch(lambda k, missing, n: [1 / (k + missing)] * k + [0.0] * missing),
        full_weights,
        calls=SHORT,
    ),
    "what was added counts": Wrong(
        "The added rows have a weight, so they influence the step. Give them a weight of 0, and "
        "each real example 1 / k for a batch of k examples.",
        epoch(lambda k, missing, n: [1 / (k + missing)] * (k + missing), fill=2.0),
        wrapped_round,
        epoch(lambda k, missing, n: [1 / k] * (k + missing), fill=2.0),
        epoch(lambda k, missing, n: [1 / (k + missing)] * (k + missing)),
        epoch(lambda k, missing, n: [1 / k] * (k + missing)),
        epoch(lambda k, missing, n: [1 / k] * k + [1.0] * missing),
        calls=SHORT,
    ),
    "weights of 1": Wrong(
        "With weights of 1, the step uses the sum of the losses. To use their mean, make the "
        "weights of each batch sum to 1.",
        epoch(lambda k, missing, n: [1.0] * k + [0.0] * missing),
        epoch(lambda k, missing, n: [1.0] * (k + missing)),
    ),
    "weights turned over": Wrong(
        "The weights of the batch do not sum to 1. Use 1 / k for a batch of k examples.",
        epoch(lambda k, missing, n: [k / (k + missing)] * k + [0.0] * missing),
        epoch(lambda k, missing, n: [(k + missing) / k] * k + [0.0] * missing),
        calls=SHORT,
    ),
    "weights by all examples": Wrong(
        "You divide the weights by the total number of examples. Divide by the number of examples "
        "in the batch.",
        epoch(lambda k, missing, n: [1 / n] * k + [0.0] * missing),
        calls=(0, 1, 2),
    ),
    "weights exchanged": Wrong(
        "The weights are swapped: the added rows have a weight, but the real examples have 0. "
        "Swap them.",
        epoch(
            lambda k, missing, n: (
                [0.0] * k + [1 / missing] * missing if missing else right_weights(k, missing, n)
            ),
            fill=2.0,
        ),
        calls=SHORT,
    ),
    "filled in front": Wrong(
        "You add rows at the front, but put the weights of 0 at the end, so some real examples "
        "have no weight. Add both at the same end.",
        filled_in_front,
        calls=SHORT,
    ),
    "weights in a column": Wrong(
        "Your weights have a second axis, and (n, 1) times (n,) broadcasts to (n, n). Use "
        "weights of shape `(batch_size,)`.",
        in_a_column,
    ),
    "overlapping batches": Wrong(
        "Your last batch repeats examples of the previous one. Fill up the last batch with rows of "
        "weight 0 instead.",
        overlapping,
        calls=(0, 1),
    ),
    "short batch first": Wrong(
        "Your first batch is the short one. Start with full batches, in the order of the data.",
        short_batch_first,
        calls=(0, 1),
    ),
    "batches in reverse": Wrong(
        "Your examples come in reverse order. Use the order of the data.",
        in_other_order(lambda x, y, size: (x[::-1], y[::-1])),
        calls=(0, 1, 2),
    ),
    "labels of the first batch": Wrong(
        "Every batch gets the labels of the first batch. Slice `y` the way you slice `x`.",
        labels_of_the_first,
        calls=(0, 1, 2),
    ),
    "one row less": Wrong(
        "Each batch lacks its last example, because a slice does not include its end index. Use "
        "`x[first : first + batch_size]`.",
        one_row_less,
        calls=(0, 1, 2),
    ),
    "weights of 1 in the short batch": Wrong(
        "In the short batch, each example has a weight of 1. Use 1 / k for a batch of k examples "
        "here too.",
        epoch(lambda k, missing, n: [1.0 if missing else 1 / k] * k + [0.0] * missing),
        calls=SHORT,
    ),
    "last weight lost": Wrong(
        "The last example of each batch has a weight of 0. Give only the added rows a weight of 0.",
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
        "You differentiate an unscaled loss, so small gradients become 0. Compute the "
        "gradients of `scale` times the loss, and divide them by `scale`.",
        scaling(lambda loss, scale: loss, lambda g, scale: g),
    ),
    "divided only": Wrong(
        "You divide the gradients by `scale`, but you never multiplied the loss by it. "
        "Differentiate `scale * loss_of()`.",
        scaling(lambda loss, scale: loss),
    ),
    "not divided": Wrong(
        "Your gradients are those of the scaled loss, so the steps are too large by a factor "
        "of `scale`. Divide the gradients by `scale`.",
        scaling(unscaled=lambda g, scale: g),
    ),
    "scaled down": Wrong(
        "You divide the loss by `scale`, which makes small gradients even smaller. Multiply "
        "the loss, and divide the gradients.",
        scaling(lambda loss, scale: loss / scale, lambda g, scale: g * scale),
    ),
    "multiplied again": Wrong(
        "You multiply the gradients by `scale` again. Divide them by it.",
        scaling(unscaled=lambda g, scale: g * scale),
    ),
    "scaled below the tape": Wrong(
        "You scale the loss after the block, where the tape no longer records, so its "
        "gradients are `None`. Multiply inside the block.",
        scaled_below_the_tape,
    ),
    "scaled in half": Wrong(
        "You convert the loss to float16 before you scale it, but `scale` is too large for "
        "float16. Scale the loss in float32.",
        scaling(lambda loss, scale: tf.cast(tf.cast(loss, tf.float16) * scale, tf.float32)),
    ),
    "nothing moves": Wrong(
        "No variable changes visibly, even in a good step. Subtract `lr` times the gradient "
        "with `assign_sub`, and divide by `scale` once, in float32: in float16 the "
        "gradients become 0 again.",
        scaling(move=lambda lr, g: 0.0 * g),
    ),
    "not looked at": Wrong(
        "A gradient that is not finite changed a variable. Before you update any variable, check "
        "all gradients for both inf and nan.",
        scaling(is_good=always),
        scaling(is_good=none_that(np.isnan)),
    ),
    "taken with half the scale": Wrong(
        "You halve the scale, but still take the step. Return the halved scale before any "
        "variable changes.",
        with_the_halved,
    ),
    "any entry finite": Wrong(
        "You accept a gradient if *any* of its entries is finite. Require all: "
        "`tf.reduce_all(tf.math.is_finite(g))`.",
        looking(lambda gradients: all(np.any(np.isfinite(g)) for g in gradients)),
    ),
    "limit of its own": Wrong(
        "You reject a good step because its gradients are large. Reject only inf and nan: use "
        "`tf.math.is_finite`.",
        looking(lambda gradients: all(np.all(np.abs(g) < 1e-3) for g in gradients)),
    ),
    "clipped while scaled": Wrong(
        "A good step is too short, because you clip the scaled gradients before you divide by "
        "`scale`. Remove the clipping.",
        clipped_while_scaled,
    ),
    "largest entry looked at": Wrong(
        "A variable became infinite, because you check only the largest entry and -inf is not "
        "the largest. Check every entry: `tf.reduce_all(tf.math.is_finite(g))`.",
        looking(lambda gradients: all(np.isfinite(np.max(g)) for g in gradients)),
    ),
    "never halved, never looked at": Wrong(
        "Gradients that are not finite change the variables, and the scale stays the same. Check "
        "the gradients, not only the loss: skip such a step, and halve the scale.",
        scaling(is_good=always, following=kept),
    ),
    "first gradient only": Wrong(
        "You check only the first gradient. Check all of them.",
        scaling(is_good=lambda gradients: finite(gradients[:1])),
        looking(lambda gradients: finite(gradients[:1])),
    ),
    "last gradient only": Wrong(
        "You check only the last gradient. Check all of them.",
        scaling(is_good=lambda gradients: finite(gradients[-1:])),
        looking(lambda gradients: finite(gradients[-1:])),
    ),
    "others move": Wrong(
        "If one gradient is not finite, you still update the other variables. Change no "
        "variable in that case.",
        per_variable,
    ),
    "moved before the look": Wrong(
        "You update a variable before you find out that a later gradient is not finite. Check all "
        "gradients first.",
        moved_before_the_look,
        calls=(1,),
    ),
    "zeros in their place": Wrong(
        "You replace entries that are not finite, and take the step. Skip the whole step.",
        scaling(is_good=always, move=by_finite_entries),
    ),
    "zeros, and the scale kept": Wrong(
        "You replace or skip entries that are not finite, update the rest, and keep the scale. "
        "Skip the whole step, and halve the scale.",
        scaling(is_good=always, move=by_finite_entries, following=kept),
        others_move_scale_kept,
        scaling(is_good=always, move=lambda lr, g: lr * tf.clip_by_value(g, -1, 1), following=kept),
    ),
    "scale kept": Wrong(
        "You skip the step, but keep the scale, so the next step will fail as well. Return "
        "half of the scale.",
        scaling(following=kept),
    ),
    "scale doubled": Wrong(
        "You raise the scale after a skipped step, but it was too large. Halve it.",
        scaling(following=lambda scale, good: scale if good else 2 * scale),
    ),
    "small scale not halved": Wrong(
        "A scale of 1 is not halved: it stays 1 or becomes 0. Return `scale / 2`, without a "
        "minimum and without `//`.",
        scaling(following=lambda scale, good: scale if good else max(scale / 2, 1.0)),
        scaling(following=lambda scale, good: scale if good else scale // 2),
    ),
    "scale set to one": Wrong(
        "After a skipped step you set the scale to 1. Halve it.",
        scaling(following=lambda scale, good: scale if good else 1.0),
    ),
    "always halved": Wrong(
        "You also halve the scale after good steps. Return it unchanged if you took the step.",
        scaling(following=lambda scale, good: scale / 2),
    ),
    "grows": Wrong(
        "You double the scale after a good step. `LossScaleOptimizer` does that after many good "
        "steps, but your function should return it unchanged.",
        scaling(following=lambda scale, good: 2 * scale if good else scale / 2),
    ),
    "halves exchanged": Wrong(
        "The two cases are swapped: you halve the scale after good steps. Halve it after "
        "skipped steps.",
        scaling(following=lambda scale, good: scale / 2 if good else scale),
    ),
    "divided by the next scale": Wrong(
        "You halve the scale before you divide the gradients by it, so good steps are twice as "
        "long. Divide by the scale by which you multiplied the loss.",
        scaling(
            unscaled=lambda g, scale: g / (scale / 2),
            following=lambda scale, good: scale / 2,
        ),
    ),
    "tried again": Wrong(
        "You repeat the step with smaller scales until it works. Skip the step, and return half of "
        "the scale, which the next step then uses.",
        until_it_fits,
    ),
    "nan not looked for": Wrong(
        "A gradient with nan changed the variables, because `tf.math.is_inf` does not find "
        "nan. Use `tf.math.is_finite`.",
        looking(none_that(np.isinf)),
        scaling(is_good=none_that(np.isinf)),
    ),
    "inf not looked for": Wrong(
        "A gradient with inf changed the variables, because `tf.math.is_nan` does not find "
        "inf. Use `tf.math.is_finite`.",
        looking(none_that(np.isnan)),
    ),
    "the other way round": Wrong(
        "Your test is reversed: you skip good steps, and take those with gradients that are "
        "not finite. Swap the two.",
        looking(lambda gradients: not finite(gradients)),
    ),
    "upwards": Wrong(
        "The variables move uphill. Subtract `lr` times the gradient.",
        scaling(move=lambda lr, g: -lr * g),
    ),
    "loss returned": Wrong(
        "You return the loss after a good step. Return the scale.",
        loss_for_scale,
    ),
    "nothing returned after a good step": Wrong(
        "You return nothing after a good step. Return the scale.",
        scaling(following=lambda scale, good: None if good else scale / 2),
    ),
    "nothing returned after a bad step": Wrong(
        "You return nothing after a skipped step. Return half of the scale.",
        scaling(following=lambda scale, good: scale if good else None),
    ),
    "no scale returned": Wrong(
        "The updates are right, but your function returns nothing. Return the scale for the "
        "next step.",
        scaling(following=lambda scale, good: None),
    ),
}

MISTAKES = {"20.1": SHARES, "20.2": COPIES, "20.3": BATCHES, "20.4": STEPS}

"""Wrong answers to the questions of lesson 03, and what each is told."""

import keras
import numpy as np
import tensorflow as tf

from course_utils.exercises import Table, Wrong

# 03.1


def descending(update, steps_of=lambda steps: steps, **options):
    """Return an answer to 03.1; ``update(params, name, lr, gradient)`` makes the step of a name."""

    def descend(params, x, y, lr, steps):
        for _ in range(steps_of(steps)):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((params["w"] * x + params["b"] - y) ** 2)
            gradients = tape.gradient(loss, params, **options)
            for name in params:
                update(params, name, lr, gradients[name])
        return params

    return descend


def moving(change):
    """Return an answer that subtracts ``change(lr, gradient)``."""
    return descending(lambda p, name, lr, g: p[name].assign_sub(change(lr, g)))


def overwriting(params, name, lr, gradient):
    params[name] = params[name] - lr * gradient


def whole_value(params, name, lr, gradient):
    params[name].assign(params[name] - lr * gradient)


def only(moved):
    return descending(lambda p, name, lr, g: p[name].assign_sub(lr * g * (name == moved)))


def with_one_recording(params, x, y, lr, steps):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((params["w"] * x + params["b"] - y) ** 2)
    gradients = tape.gradient(loss, params)
    for _ in range(steps):
        for name in params:
            params[name].assign_sub(lr * gradients[name])
    return params


def one_after_the_other(names):
    def descend(params, x, y, lr, steps):
        for _ in range(steps):
            for name in names:
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean((params["w"] * x + params["b"] - y) ** 2)
                params[name].assign_sub(lr * tape.gradient(loss, params[name]))
        return params

    return descend


def ending_early(before):
    def descend(params, x, y, lr, steps):
        for _ in range(steps):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((params["w"] * x + params["b"] - y) ** 2)
            if before and loss < 1e-6:
                break
            gradients = tape.gradient(loss, params)
            for name in params:
                params[name].assign_sub(lr * gradients[name])
            if loss < 1e-6:
                break
        return params

    return descend


def all_by(chosen):
    def descend(params, x, y, lr, steps):
        for _ in range(steps):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((params["w"] * x + params["b"] - y) ** 2)
            gradients = tape.gradient(loss, params)
            for name in params:
                params[name].assign_sub(lr * gradients[chosen])
        return params

    return descend


def with_last_gradients(params, x, y, lr, steps):
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((params["w"] * x + params["b"] - y) ** 2)
        gradients = tape.gradient(loss, params)
        for name in params:
            params[name].assign_sub(lr * gradients[name])
    return gradients


DESCENTS = {
    "only the first step": Wrong(
        "Only the first step changed the parameters. Check that `return` is below the loop, "
        "and keep the variables: use `params[name].assign_sub(...)`, not `params[name] = "
        "...`.",
        descending(overwriting, unconnected_gradients="zero"),
    ),
    "nothing stored": Wrong(
        "The parameters never change. Update each variable in place: "
        "`params[name].assign_sub(lr * gradients[name])`.",
        descending(lambda p, name, lr, g: p[name] - lr * g),
    ),
    "climbs": Wrong(
        "Your steps go uphill. Subtract `lr` times the gradient.",
        moving(lambda lr, g: -lr * g),
    ),
    "old value gone": Wrong(
        "Each parameter became `-lr` times its gradient, so its old value is lost. `assign` "
        "replaces the old value; use `assign_sub`, which subtracts from it.",
        descending(lambda p, name, lr, g: p[name].assign(-lr * g)),
    ),
    "assigned the step": Wrong(
        "Each parameter became `lr` times its gradient: you assign the step itself, or you pass "
        "`assign_sub` the new value. Pass `assign_sub` only the part to subtract, `lr * "
        "gradients[name]`.",
        descending(lambda p, name, lr, g: p[name].assign(lr * g)),
    ),
    "gradient of the other": Wrong(
        "You updated both parameters with the gradient of one of them. Use each parameter's "
        "own gradient: `gradients[name]`.",
        all_by("w"),
        all_by("b"),
    ),
    "lr left out": Wrong(
        "Your steps are too large. Multiply the gradient by `lr`.",
        moving(lambda lr, g: g),
    ),
    "steps twice as long": Wrong(
        "Your steps are twice as large as they should be. Subtract `lr` times the gradient "
        "once, without a factor of 2.",
        moving(lambda lr, g: 2 * lr * g),
    ),
    "half a step": Wrong(
        "Your steps are half as large as they should be. Subtract `lr` times the gradient of "
        "the mean squared error, without a factor of 1/2.",
        moving(lambda lr, g: lr * g / 2),
    ),
    "lr alone": Wrong(
        "You subtract only `lr`, so the gradient is never used. Subtract `lr` times the gradient.",
        moving(lambda lr, g: lr),
    ),
    "summed over the points": Wrong(
        "Your steps are too large by a factor of n, the number of points. Keep the mean in the "
        "loss, as in the exercise, and change only the update.",
        lambda p, x, y, lr, steps: moving(lambda lr, g: len(x) * lr * g)(p, x, y, lr, steps),
    ),
    "divided by n": Wrong(
        "Your steps are too small by a factor of n, the number of points. The loss is already a "
        "mean, so subtract `lr` times the gradient unchanged.",
        lambda p, x, y, lr, steps: moving(lambda lr, g: lr * g / len(x))(p, x, y, lr, steps),
    ),
    "lr squared": Wrong(
        "You multiply the gradient by `lr` twice. Multiply it once.",
        moving(lambda lr, g: lr**2 * g),
    ),
    "divided by lr": Wrong(
        "You divide the gradient by `lr`. Multiply instead: a smaller learning rate means a "
        "smaller step.",
        moving(lambda lr, g: g / lr),
    ),
    "one step too many": Wrong(
        "Your function takes one step too many. Keep the loop over `steps` from the exercise.",
        descending(whole_value, lambda steps: steps + 1),
    ),
    "one step missing": Wrong(
        "Your function takes one step too few. Keep the loop over `steps` from the exercise.",
        descending(whole_value, lambda steps: steps - 1),
    ),
    "first gradient kept": Wrong(
        "Every step uses the gradient from the first step. Move the `with` block and the call to "
        "`tape.gradient` into the loop.",
        with_one_recording,
        calls=(1, 2, 3),
    ),
    "one after the other": Wrong(
        "You computed one gradient after the other parameter had already changed. Record once "
        "per step, and update both parameters with the gradients from that recording.",
        one_after_the_other("wb"),
        one_after_the_other("bw"),
    ),
    "gradients returned": Wrong(
        "You returned the gradients. Return `params`, which holds the updated `w` and `b`.",
        with_last_gradients,
    ),
    "only w moves": Wrong(
        "Only `w` was updated. Update every parameter in the dict.",
        only("w"),
    ),
    "only b moves": Wrong(
        "Only `b` was updated. Update every parameter in the dict.",
        only("b"),
    ),
    "fixed lr": Wrong(
        "You multiply every gradient by 0.1. Use the argument `lr` instead.",
        moving(lambda lr, g: 0.1 * g),
    ),
    "ended early": Wrong(
        "Your loop stops early if the loss is small. Remove that test, and always take all "
        "`steps` steps.",
        ending_early(before=False),
        ending_early(before=True),
        calls=(3,),
    ),
    "lost variable": Wrong(
        "A gradient is `None`: after the first step, `params[name]` no longer holds the "
        "variable. Write `params[name].assign_sub(lr * gradients[name])`, without "
        "`params[name] =` in front.",
        descending(overwriting),
    ),
    "values in a list": Wrong(
        "You returned a list. Return `params` itself, so that each value keeps its name.",
        lambda *given: list(descending(whole_value)(*given).values()),
    ),
}

# 03.2

FIVE = [
    Table(
        {
            0: "`floor` is flat, so 0 is tempting, but TensorFlow defines no gradient for it. "
            "What does a tape return if no path is left?"
        },
        "The only path leads through `floor`. Does TensorFlow define a gradient for `floor`?",
    ),
    Table(
        {
            None: "`round` does break one path. But `x` is also a factor, and the path through "
            "that factor is still there.",
            0: "`round` does not contribute 0: TensorFlow defines no gradient for it. The "
            "other path, through the factor `x`, is still there.",
            1: "The path through the factor `x` is still there. Its slope is the other factor, not "
            "1.",
            4.25: "This counts both paths. Only the path through the factor `x` is left; the one "
            "through `round` is broken.",
            4.5: "4.5 is the derivative of x². But the path through `round` is broken, so only the "
            "path through the factor `x` counts.",
            2.25: "2.25 would come from the path through `round`, but that path is broken. Find "
            "the slope of the path through the factor `x`.",
        },
        "The tape treats `round(x)` as a constant. What is its value here?",
    ),
    Table(
        {
            None: "`maximum` does have a gradient, so a path is left. Does the larger number "
            "change when `x` changes a little?",
            1: "The gradient would be 1 if `x` were the larger number. Which number is larger?",
            5: "This is the value of y. The question is how fast y changes with `x`.",
        },
        "Does the maximum change if `x` grows a little from 2.25?",
    ),
    Table(
        {
            None: "The path through `>` is broken. But `x` is also a factor, and the path through "
            "that factor is still there.",
            0: "The path through the factor `x` is still there. What is the other factor?",
            2.25: "This is the value of y. The question is how fast y changes with `x`.",
        },
        "The tape treats the result of the comparison as a constant. What is its value here?",
    ),
    Table(
        {
            None: "`x.numpy()` is a constant to the tape. But the other factor is `x` itself, and "
            "the path through that factor is still there.",
            4.5: "This is the true derivative of x². The tape sees only one of the two factors "
            "as `x`; the other is a constant.",
            1: "The other factor is a constant, but it is not 1. What is the value of `x`?",
            0: "The first factor is `x` itself, so a path is left. What is the other factor?",
        },
        "The tape treats `x.numpy()` as a constant. What is its value here?",
    ),
]

# 03.3


def classifying(loss_of, source=lambda W, logits: W, **options):
    def classifier_gradient(W, x, labels):
        with tf.GradientTape() as tape:
            logits = x @ W
            loss = loss_of(logits, labels)
        return tape.gradient(loss, source(W, logits), **options)

    return classifier_gradient


def cross_entropies(logits, labels):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)


def mean_cross_entropy(logits, labels):
    return tf.reduce_mean(cross_entropies(logits, labels))


def sigmoid_cross_entropies(logits, labels):
    one_hot = tf.one_hot(labels, logits.shape[1])
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=one_hot, logits=logits)


def probabilities(logits, labels, axis=-1):
    return tf.gather(tf.nn.softmax(logits, axis=axis), labels, axis=1, batch_dims=1)


def errors(logits, labels):
    return 1 - tf.reduce_mean(tf.cast(tf.argmax(logits, axis=1) == labels, tf.float32))


def keras_without_logits(logits, labels):
    return keras.losses.SparseCategoricalCrossentropy()(labels, logits)


CLASSIFIERS = {
    "first example alone": Wrong(
        "Your loss uses only the first example. Average the losses of all examples with "
        "`tf.reduce_mean`.",
        classifying(lambda logits, labels: cross_entropies(logits, labels)[0]),
    ),
    "no path": Wrong(
        "The gradient is still `None`: counting, `argmax`, `==` and NumPy break the path from "
        "`W` to the loss. Compute a cross-entropy from `logits` inside the block, with "
        "TensorFlow functions, and return `tape.gradient(loss, W)`: the target comes first.",
        classifying(errors),
    ),
    "zero for none": Wrong(
        "Your function returned 0 for every weight: a `None` was replaced with 0, so the bug is "
        "still there. Compute a cross-entropy from `logits`, which has a path to `W`.",
        classifying(errors, unconnected_gradients="zero"),
    ),
    "gradient of the logits": Wrong(
        "This is the gradient of the loss with respect to the logits. Compute the gradient "
        "with respect to `W`: `tape.gradient(loss, W)`.",
        classifying(mean_cross_entropy, lambda W, logits: logits),
    ),
    "weights themselves": Wrong(
        "You returned `W` itself. Return `tape.gradient(loss, W)`.",
        lambda W, x, labels: W,
    ),
    "loss returned": Wrong(
        "You returned the loss, a single number. Return its gradient, `tape.gradient(loss, W)`.",
        lambda W, x, labels: mean_cross_entropy(x @ W, labels),
    ),
    "sum of losses": Wrong(
        "The gradient is too large by a factor of n, the number of examples, because you sum "
        "the losses. Average them with `tf.reduce_mean`.",
        classifying(cross_entropies),
    ),
    "all classes": Wrong(
        "Your loss uses the probabilities of all classes, whatever the label. Take minus the "
        "log of only one probability per row: that of the row's label.",
        classifying(lambda z, labels: -tf.reduce_mean(tf.nn.log_softmax(z))),
        classifying(lambda z, labels: -tf.reduce_mean(tf.reduce_sum(tf.nn.log_softmax(z), 1))),
    ),
    "wrong sign": Wrong(
        "The sign of the gradient is wrong. TensorFlow's cross-entropy is already minus the log: "
        "remove a minus or `1 -` in front of it. If you take the log yourself, put a minus there.",
        classifying(lambda z, labels: -mean_cross_entropy(z, labels)),
    ),
    "softmax twice": Wrong(
        "You apply softmax twice: this cross-entropy already applies it to the logits. Pass it "
        "the logits unchanged.",
        classifying(lambda z, labels: mean_cross_entropy(tf.nn.softmax(z), labels)),
        classifying(lambda z, labels: cross_entropies(tf.nn.softmax(z), labels)),
    ),
    "from_logits left out": Wrong(
        "The loss treats your logits as probabilities, which is the default in Keras. Pass "
        "`from_logits=True`.",
        classifying(keras_without_logits),
        classifying(lambda z, y: len(z) * keras_without_logits(z, y)),
        classifying(
            lambda z, y: (
                keras.losses.categorical_crossentropy(tf.one_hot(y, z.shape[1]), z) / len(z)
            )
        ),
    ),
    "labels not one-hot": Wrong(
        "Your cross-entropy function needs one-hot labels, with one entry per class. Use the "
        "version with `sparse` in its name, or pass `tf.one_hot(labels, W.shape[1])`.",
        classifying(
            lambda z, y: tf.reduce_mean(
                tf.nn.softmax_cross_entropy_with_logits(tf.cast(y, tf.float32), z)
            )
        ),
        classifying(lambda z, y: keras.losses.CategoricalCrossentropy(from_logits=True)(y, z)),
        classifying(
            lambda z, y: tf.nn.softmax_cross_entropy_with_logits(tf.one_hot(y, len(z) + 1), z)
        ),
    ),
    "own guesses": Wrong(
        "This is the cross-entropy with the model's own guesses (the argmax) as labels. Use "
        "`labels` instead.",
        classifying(lambda z, labels: mean_cross_entropy(z, tf.argmax(z, axis=1))),
    ),
    "no log": Wrong(
        "You use the probability of the correct class without the log. Use cross-entropy: the "
        "mean of -log of that probability.",
        classifying(lambda z, labels: -tf.reduce_mean(probabilities(z, labels))),
        classifying(lambda z, labels: tf.reduce_mean(probabilities(z, labels))),
        classifying(lambda z, labels: -tf.reduce_sum(probabilities(z, labels))),
    ),
    "other rows' labels": Wrong(
        "You select the wrong probabilities: from each row, take the entry at its label. If `p` "
        "holds the probabilities, write `tf.gather(p, labels, batch_dims=1)`.",
        classifying(lambda z, y: -tf.reduce_mean(tf.gather(tf.nn.log_softmax(z), y))),
        classifying(lambda z, y: -tf.reduce_mean(tf.gather(tf.nn.log_softmax(z), y, axis=1))),
    ),
    "no softmax": Wrong(
        "You average the logits of the correct classes, without a softmax. Apply softmax, then "
        "take -log of the probability of the correct class.",
        classifying(lambda z, y: -tf.reduce_mean(tf.gather(z, y, batch_dims=1))),
    ),
    "log of the mean": Wrong(
        "You take the log of the mean probability. Take the log of each probability first, "
        "then the mean.",
        classifying(lambda z, y: -tf.math.log(tf.reduce_mean(probabilities(z, y)))),
    ),
    "mean over classes": Wrong(
        "The gradient is too small by a factor of the number of classes: your mean also runs "
        "over the classes. Sum over the classes, and average over the examples.",
        classifying(lambda z, y: mean_cross_entropy(z, y) / z.shape[1]),
    ),
    "softmax over examples": Wrong(
        "Your softmax runs over the examples. Each row of the logits is one example, so apply "
        "softmax over the last axis.",
        classifying(lambda z, y: -tf.reduce_mean(tf.math.log(probabilities(z, y, axis=0)))),
    ),
    "sigmoid": Wrong(
        "This cross-entropy uses a sigmoid, which treats each class separately. Use the one "
        "with `softmax` in its name, because exactly one class is correct.",
        *(
            classifying(lambda z, y, reduce=reduce: reduce(sigmoid_cross_entropies(z, y)))
            for reduce in (tf.reduce_mean, lambda each: tf.reduce_mean(tf.reduce_sum(each, 1)))
        ),
    ),
    "labels and logits exchanged": Wrong(
        "The labels and the logits are swapped. Pass them by name: `labels=labels, "
        "logits=logits` in TensorFlow, `y_true=labels, y_pred=logits` in Keras.",
        classifying(lambda z, labels: mean_cross_entropy(labels, z)),
        classifying(
            lambda z, y: keras.losses.SparseCategoricalCrossentropy(from_logits=True)(z, y)
        ),
    ),
    "guesses as logits": Wrong(
        "You pass one number per example as the logits. Pass all the scores, of shape (n, "
        "classes), without `argmax` or `==`.",
        classifying(lambda z, labels: mean_cross_entropy(tf.argmax(z, axis=1), labels)),
    ),
    "squared error": Wrong(
        "You use the squared error of the probabilities. Use cross-entropy: the mean of -log "
        "of the correct class's probability.",
        classifying(
            lambda z, y: tf.reduce_mean((tf.nn.softmax(z) - tf.one_hot(y, z.shape[1])) ** 2)
        ),
    ),
}

# 03.4


def quarters(value, backward):
    """Return an answer to 03.4 from a value of x, and what goes on of (x, y, upstream)."""

    @tf.custom_gradient
    def to_quarters(x):
        y = value(x)
        return y, lambda upstream: backward(x, y, upstream)

    return to_quarters


def nearest(x):
    return tf.round(4 * x) / 4


def inside(x, y, upstream):
    return tf.where(abs(x) <= 1, upstream, 0.0)


def valued(value):
    return quarters(value, inside)


def passing_on(backward):
    return quarters(nearest, backward)


QUARTERS = {
    "not decorated": Wrong(
        "You returned a pair: a value and a backward function. Put `@tf.custom_gradient` above "
        "the function that returns them.",
        lambda x: (nearest(x), lambda upstream: upstream),
    ),
    "function returned": Wrong(
        "You returned a function. Call it on `x`, and return its result.",
        lambda x: passing_on(inside),
    ),
    "not rounded": Wrong(
        "The values are not rounded: you returned `x` itself. Round each entry to the nearest "
        "multiple of 0.25.",
        valued(tf.identity),
    ),
    "whole numbers": Wrong(
        "You rounded to integers. Multiply by 4 before rounding, and divide by 4 after.",
        valued(tf.round),
    ),
    "not divided": Wrong(
        "The values are four times too large. Divide by 4 after rounding.",
        valued(lambda x: tf.round(4 * x)),
    ),
    "rounded down": Wrong(
        "You rounded down. Use `tf.round`, which rounds to the nearest integer.",
        valued(lambda x: tf.floor(4 * x) / 4),
    ),
    "rounded up": Wrong(
        "You rounded up. Use `tf.round`, which rounds to the nearest integer.",
        valued(lambda x: tf.math.ceil(4 * x) / 4),
    ),
    "cut towards 0": Wrong(
        "You cast to an integer type, which cuts off the fractional part. Use `tf.round`, which "
        "rounds to the nearest integer.",
        valued(lambda x: tf.cast(tf.cast(4 * x, tf.int32), tf.float32) / 4),
        valued(lambda x: tf.cast(tf.cast(4 * x + 0.5, tf.int32), tf.float32) / 4),
    ),
    "Python's round": Wrong(
        "Tensors support neither Python's `round` nor NumPy's `astype`. Use `tf.round`.",
        valued(lambda x: round(4 * x) / 4),
    ),
    "values clipped": Wrong(
        "You also clipped the values. Return the rounded `x`, and set only the gradient to 0 "
        "outside [-1, 1].",
        valued(lambda x: nearest(tf.clip_by_value(x, -1, 1))),
    ),
    "multiples of 4": Wrong(
        "You rounded to multiples of 4. Multiply by 4 before rounding, and divide by 4 after.",
        valued(lambda x: 4 * tf.round(x / 4)),
    ),
    "halves": Wrong(
        "You rounded to multiples of 0.5. Multiply and divide by 4 instead of 2, because 1 / 0.25 "
        "is 4.",
        valued(lambda x: tf.round(2 * x) / 2),
    ),
    "no path left": Wrong(
        "The values are right, but the gradient is `None`: no path leads from `x` to them, or "
        "`backward` returns nothing. Under `@tf.custom_gradient`, return the value and a "
        "backward function that returns the gradient.",
        nearest,
    ),
    "NumPy's array": Wrong(
        "You returned a NumPy array, which breaks the path from `x`. Use `tf.round`.",
        lambda x: nearest(x).numpy(),
    ),
    "one number back": Wrong(
        "The values are right, but `backward` returns the wrong shape. Return one entry per entry "
        "of `x`: the upstream gradient if the entry of `x` is in [-1, 1], otherwise 0.",
        passing_on(lambda x, y, d: tf.constant(1.0)),
    ),
    "passes on everywhere": Wrong(
        "You pass the upstream gradient back everywhere. Return 0 for entries of `x` outside "
        "[-1, 1].",
        passing_on(lambda x, y, d: d),
    ),
    "upstream dropped": Wrong(
        "`backward` returns 1 or 0 and ignores the upstream gradient. Return the upstream "
        "gradient, `upstream`, for entries of `x` in [-1, 1].",
        passing_on(lambda x, y, d: tf.cast(abs(x) <= 1, tf.float32)),
    ),
    "one everywhere": Wrong(
        "`backward` returns 1 everywhere and ignores the upstream gradient. Return `upstream` "
        "for entries of `x` in [-1, 1], and 0 elsewhere.",
        passing_on(lambda x, y, d: tf.ones_like(d)),
    ),
    "inside and outside exchanged": Wrong(
        "Inside and outside are swapped. Return the upstream gradient for entries of `x` "
        "*inside* [-1, 1].",
        passing_on(lambda x, y, d: d - inside(x, y, d)),
    ),
    "looks at the rounded value": Wrong(
        "Your condition tests the rounded value, but 1.05 rounds to 1 and lies outside [-1, "
        "1]. Test `x` instead.",
        passing_on(lambda x, y, d: inside(y, y, d)),
    ),
    "looks at 4 x": Wrong(
        "Your condition tests `4 * x` or its rounded value, so the gradient is 0 for some entries "
        "of `x` inside [-1, 1]. Test `x` instead.",
        passing_on(lambda x, y, d: inside(4 * x, y, d)),
        passing_on(lambda x, y, d: inside(tf.round(4 * x), y, d)),
    ),
    "looks at what arrives": Wrong(
        "Your condition tests the upstream gradient. Test `x` instead.",
        passing_on(lambda x, y, d: inside(d, y, d)),
    ),
    "& before <=": Wrong(
        "`&` binds tighter than `>=` and `<=`, so it is applied to numbers here. Put each "
        "comparison in parentheses: `(x >= -1) & (x <= 1)`.",
        passing_on(lambda x, y, d: tf.where(x >= -1 & x <= 1, d, 0.0)),
    ),
    "upstream clipped": Wrong(
        "You clip the upstream gradient. Return it unchanged for entries of `x` in [-1, 1], and "
        "return 0 elsewhere.",
        passing_on(lambda x, y, d: tf.clip_by_value(d, -1, 1)),
    ),
    "no lower end": Wrong(
        "Entries below -1 still pass the gradient back. Compare the absolute value of `x` with 1.",
        passing_on(lambda x, y, d: tf.where(x <= 1, d, 0.0)),
    ),
    "no negative x": Wrong(
        "Negative entries of `x` get a gradient of 0, but [-1, 1] starts at -1. Compare the "
        "absolute value of `x` with 1.",
        passing_on(lambda x, y, d: tf.where((x >= 0) & (x <= 1), d, 0.0)),
    ),
    "no upper end": Wrong(
        "Entries above 1 still pass the gradient back. Compare the absolute value of `x` with 1.",
        passing_on(lambda x, y, d: tf.where(x >= -1, d, 0.0)),
    ),
    "ends left out": Wrong(
        "The gradient is 0 at exactly 1 and -1, but [-1, 1] includes both ends. Compare with `<=`.",
        passing_on(lambda x, y, d: tf.where(abs(x) < 1, d, 0.0)),
    ),
    "slope of 4 x": Wrong(
        "The gradient is four times too large. Return the upstream gradient unchanged.",
        passing_on(lambda x, y, d: 4 * inside(x, y, d)),
    ),
    "slope of x / 4": Wrong(
        "You pass back only a quarter of the upstream gradient. Return it unchanged.",
        passing_on(lambda x, y, d: inside(x, y, d) / 4),
    ),
    "zero everywhere": Wrong(
        "The gradient is 0 in every entry. Decide for each entry on its own, with `tf.where`: have "
        "`backward` return the upstream gradient, `upstream`, for entries of `x` in [-1, 1].",
        passing_on(lambda x, y, d: 0 * d),
    ),
    "passes on x": Wrong(
        "`backward` returns `x`. Return the upstream gradient, `upstream`, which is the "
        "argument of `backward`.",
        passing_on(lambda x, y, d: inside(x, y, x)),
    ),
    "times x": Wrong(
        "You multiply the upstream gradient by `x` or by the rounded value. Return it unchanged.",
        passing_on(lambda x, y, d: x * inside(x, y, d)),
        passing_on(lambda x, y, d: y * inside(x, y, d)),
    ),
    "no backward returned": Wrong(
        "Your function under `@tf.custom_gradient` returns only the value. Return two things: "
        "the value and the backward function.",
        tf.custom_gradient(nearest),
    ),
}

# 03.5


def of_distances(distances_of, reduce=tf.reduce_sum):
    def distance_gradient(a, b):
        with tf.GradientTape() as tape:
            total = reduce(distances_of(a, b))
        return tape.gradient(total, a)

    return distance_gradient


def squares(a, b):
    return tf.reduce_sum((a - b) ** 2, axis=1)


def lengths(a, b):
    square = squares(a, b)
    return tf.where(square > 0, tf.sqrt(tf.where(square > 0, square, 1.0)), 0.0)


def thrown_away(a, b):
    gradient = of_distances(lambda a, b: tf.sqrt(squares(a, b)))(a, b)
    return tf.zeros_like(gradient) if np.isnan(gradient).any() else gradient


def guarded_entries(a, b):
    differ = a != b
    length = tf.norm(tf.where(differ, a - b, 1.0), axis=1)
    return tf.where(tf.reduce_any(differ, axis=1), length, 0.0)


def one_side_guarded(a, b):
    safe = tf.where(a - b > 0, a - b, 1.0)
    return tf.where(squares(a, b) > 0, tf.norm(safe, axis=1), 0.0)


def with_epsilon(epsilon):
    return of_distances(lambda a, b: tf.sqrt(squares(a, b) + epsilon))


DISTANCES = {
    "no path": Wrong(
        "The gradient is `None`: no path leads from `a` to `total`. Use TensorFlow functions "
        "instead of NumPy, and return `tape.gradient(total, a)`.",
        of_distances(lambda a, b: tf.constant(np.linalg.norm(a - b, axis=1))),
    ),
    "not squared": Wrong(
        "You sum the differences without squaring them. Square them first, then sum, then take "
        "the root.",
        of_distances(lambda a, b: tf.sqrt(tf.reduce_sum(a - b, axis=1))),
        calls=(3,),
    ),
    "still not finite": Wrong(
        "The gradient is still not finite for equal points: the slope of the root is infinite "
        "at 0. Replace the 0 *under* the root; a change after it comes too late.",
        of_distances(lambda a, b: tf.sqrt(squares(a, b)) + 1e-12),
    ),
    "negative under the root": Wrong(
        "The gradient is not finite even for points that differ. Keep the distance from the "
        "exercise, and replace the value under the root only if it is 0.",
        of_distances(lambda a, b: tf.sqrt(squares(a, b) - 1.0)),
        of_distances(lambda a, b: tf.sqrt(squares(a, b) - 100.0)),
    ),
    "zero for every pair": Wrong(
        "Your function returned 0 for every pair. Only pairs of equal points should have a "
        "gradient of 0: before the root, replace only the sums of squares that are 0.",
        lambda a, b: tf.zeros_like(a),
    ),
    "one pair empties all": Wrong(
        "One pair of equal points makes your whole gradient 0. Only that row should be 0: fix the "
        "distance of that pair, not the whole gradient.",
        thrown_away,
        calls=(0, 1, 2),
    ),
    "squared distances": Wrong(
        "This is the gradient of the squared distances. Keep the root.",
        of_distances(squares),
    ),
    "averaged": Wrong(
        "You averaged the distances. Return the gradient of their sum.",
        of_distances(lengths, tf.reduce_mean),
    ),
    "gradient of b": Wrong(
        "The sign is wrong: this is the gradient with respect to `b`. Return "
        "`tape.gradient(total, a)`.",
        lambda a, b: -of_distances(lengths)(a, b),
    ),
    "one root for all": Wrong(
        "You take one root of the sum over all pairs. Sum over `axis=1`, so that each pair has its "
        "own root.",
        of_distances(lambda a, b: tf.norm(a - b)),
    ),
    "down the columns": Wrong(
        "You sum the squares down the columns. Sum over `axis=1`, so that each pair has its "
        "own root.",
        of_distances(lambda a, b: tf.sqrt(tf.reduce_sum((a - b) ** 2, axis=0) + 1e-20)),
    ),
    "absolute differences": Wrong(
        "This is the gradient of the sum of |a - b|. Keep the distance: square, sum over "
        "`axis=1`, take the root.",
        of_distances(lambda a, b: tf.abs(a - b)),
    ),
    "added to the points": Wrong(
        "For equal points the gradient should be [0, 0], but yours is not: a tiny number added "
        "to `a - b` separates them. Use one `where` before the root and one after it.",
        of_distances(lambda a, b: tf.sqrt(squares(a, b + 1e-5))),
        of_distances(lambda a, b: tf.sqrt(squares(a + 1e-5, b))),
        calls=(0,),
    ),
    "near points lost": Wrong(
        "Points that are very close, but different, get a gradient that is 0 or too small. Your "
        "threshold or epsilon is too large compared with their squared distance, 1e-30: test only "
        "for exactly 0, with one `where` before the root and one after it.",
        of_distances(lambda a, b: tf.where(squares(a, b) < 1e-3, 0.0, lengths(a, b))),
        *(with_epsilon(10.0**-e) for e in range(18, 33)),
        calls=(1,),
    ),
    "guard on one side": Wrong(
        "Your condition drops negative differences, so their gradient is 0. Test the sum of "
        "squares, which is 0 only for equal points.",
        of_distances(one_side_guarded),
    ),
    "one coordinate looked at": Wrong(
        "Your condition also catches points that share only one coordinate, so their gradient "
        "is 0. Test the sum of squares.",
        *(
            of_distances(lambda a, b, same=same: tf.where(same(a == b), 0.0, lengths(a, b)))
            for same in (lambda e: e[:, 0], lambda e: e[:, 1], lambda e: tf.reduce_any(e, axis=1))
        ),
        calls=(1,),
    ),
    "guarded entry by entry": Wrong(
        "For points that share one coordinate, the gradient is too small, because you replace the "
        "difference of 0 with 1. Guard the sum of squares, not each difference.",
        of_distances(guarded_entries),
    ),
    "distances returned": Wrong(
        "You returned the distances. Return the gradient, `tape.gradient(total, a)`.",
        lengths,
    ),
}

MISTAKES = {
    "03.1": DESCENTS,
    "03.2": FIVE,
    "03.3": CLASSIFIERS,
    "03.4": QUARTERS,
    "03.5": DISTANCES,
}

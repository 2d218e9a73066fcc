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
        "Only the first step has changed the parameters. Either `return` stands inside the loop, "
        "or the later steps find no gradient, because params[name] became a plain tensor: keep "
        "the variable, with assign_sub.",
        descending(overwriting, unconnected_gradients="zero"),
    ),
    "nothing stored": Wrong(
        "The parameters are those that were passed in. Store the new value in the variable: "
        "params[name].assign_sub(lr * gradients[name]).",
        descending(lambda p, name, lr, g: p[name] - lr * g),
    ),
    "climbs": Wrong(
        "The parameters move up the slope. Subtract lr times the gradient.",
        moving(lambda lr, g: -lr * g),
    ),
    "old value gone": Wrong(
        "Each parameter became -lr times its gradient, and its old value is gone. assign takes "
        "the whole new value; assign_sub subtracts from the old one.",
        descending(lambda p, name, lr, g: p[name].assign(-lr * g)),
    ),
    "assigned the step": Wrong(
        "Each parameter became lr times its gradient. assign takes the whole new value, and "
        "assign_sub what is to be subtracted, lr times the gradient alone.",
        descending(lambda p, name, lr, g: p[name].assign(lr * g)),
    ),
    "gradient of the other": Wrong(
        "Both parameters moved by the gradient of one of them. Each takes its own: gradients[name].",
        all_by("w"),
        all_by("b"),
    ),
    "lr left out": Wrong(
        "The steps are too long: multiply the gradient by lr.",
        moving(lambda lr, g: g),
    ),
    "steps twice as long": Wrong(
        "Each step is twice as long as it should be. Subtract lr times the gradient, once.",
        moving(lambda lr, g: 2 * lr * g),
    ),
    "half a step": Wrong(
        "Each step is half as long as it should be. The loss is the mean of the squares, without a "
        "factor, and lr times the gradient is subtracted.",
        moving(lambda lr, g: lr * g / 2),
    ),
    "lr alone": Wrong(
        "You subtract lr alone, and the gradient has no part in it. Subtract lr times the gradient.",
        moving(lambda lr, g: lr),
    ),
    "summed over the points": Wrong(
        "The steps are too long by the number of points: the loss is the mean of the squares, as "
        "it was given. Change the update alone.",
        lambda p, x, y, lr, steps: moving(lambda lr, g: len(x) * lr * g)(p, x, y, lr, steps),
    ),
    "divided by lr": Wrong(
        "The gradient is divided by lr. Multiply: the smaller lr is, the shorter is the step.",
        moving(lambda lr, g: g / lr),
    ),
    "one step too many": Wrong(
        "That is one step too many. Leave the loop over `steps` as it was given.",
        descending(whole_value, lambda steps: steps + 1),
    ),
    "one step missing": Wrong(
        "One step is missing. Leave the loop over `steps` as it was given.",
        descending(whole_value, lambda steps: steps - 1),
    ),
    "first gradient kept": Wrong(
        "Every step uses the gradient of the first. Record and ask again in each step, with the "
        "values of that step.",
        with_one_recording,
        calls=(1, 2, 3),
    ),
    "one after the other": Wrong(
        "One gradient was taken after the other parameter had moved. Record once in each step, and "
        "move both with the gradients of that recording.",
        one_after_the_other("wb"),
        one_after_the_other("bw"),
    ),
    "gradients returned": Wrong(
        "You returned the gradients. Return params, with the values that w and b have reached.",
        with_last_gradients,
    ),
    "only w moves": Wrong(
        "w has moved and b has not. Update every parameter of the dict.",
        only("w"),
    ),
    "only b moves": Wrong(
        "b has moved and w has not. Update every parameter of the dict.",
        only("b"),
    ),
    "fixed lr": Wrong(
        "Your steps have the factor 0.1 in every call. It is lr that says how long they are.",
        moving(lambda lr, g: 0.1 * g),
    ),
    "ended early": Wrong(
        "Where the loss is small from the start, steps are missing. Take every one of `steps`: no "
        "early end was asked for.",
        ending_early(before=False),
        ending_early(before=True),
        calls=(3,),
    ),
    "lost variable": Wrong(
        "A gradient is None. So it is after the first step where params[name] holds a plain tensor, or "
        "what assign_sub returned, in place of its variable. Keep the variable: write "
        "params[name].assign_sub(lr * gradients[name]), without `params[name] =` before it.",
        descending(overwriting),
    ),
    "values in a list": Wrong(
        "You returned a list. Return params itself, so that each value keeps its name.",
        lambda *given: list(descending(whole_value)(*given).values()),
    ),
}

# 03.2

FIVE = [
    Table(
        {0: "The staircase is flat, but 0 would need a rule for floor, and there is none."},
        "The only path leads through floor, which has no gradient.",
    ),
    Table(
        {
            None: "The path through round is lost, but x is also a factor by itself.",
            0: "The factor x has a path of its own.",
            1: "The path through x alone has as its slope the other factor.",
            4.25: "Only one of the two factors has a path.",
            4.5: "This is the slope of x**2, and round gives no path.",
            2.25: "This would be the part that comes through round, and that path is lost.",
        },
        "round(x) is a constant to the tape: which one?",
    ),
    Table(
        {
            None: "maximum has a rule, so there is a path.",
            1: "The slope would be 1 if x were the larger one.",
            5: "This is y itself; the question is how y moves with x.",
        },
        "Does the maximum move when x grows a little from 2.25?",
    ),
    Table(
        {
            None: "The path through > is lost, but x is also a factor by itself.",
            0: "The factor x has a path of its own.",
            2.25: "This is y itself; the question is how y moves with x.",
        },
        "The comparison gives a constant factor: which one?",
    ),
    Table(
        {
            None: "x.numpy() is a constant, but the other factor is x itself.",
            4.5: "This is the true slope of x**2. The tape knows only one of the two factors.",
            1: "The other factor is a constant, but it is not 1.",
            0: "The first factor, x itself, has a path.",
        },
        "x.numpy() is a constant to the tape: which one?",
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
        "Only the first example counts. Take the mean of the losses of all, tf.reduce_mean.",
        classifying(lambda logits, labels: cross_entropies(logits, labels)[0]),
    ),
    "no path": Wrong(
        "It still returns None: the tape finds no path from W to the loss. Inside the block, "
        "compute `logits` from W and a cross-entropy from `logits`, with TensorFlow's functions. "
        "Counting, argmax, == and NumPy have no gradient.",
        classifying(errors),
    ),
    "zero for none": Wrong(
        "It returns 0 for every weight. A zero in place of None hides the fault: no path leads "
        "from W to the loss. Compute a cross-entropy from `logits`.",
        classifying(errors, unconnected_gradients="zero"),
    ),
    "gradient of the logits": Wrong(
        "This is the gradient of the logits. Ask for that of W.",
        classifying(mean_cross_entropy, lambda W, logits: logits),
    ),
    "weights themselves": Wrong(
        "This is W itself. Return tape.gradient(loss, W).",
        lambda W, x, labels: W,
    ),
    "loss returned": Wrong(
        "This is one number, as the loss is. Return the gradient, tape.gradient(loss, W).",
        lambda W, x, labels: mean_cross_entropy(x @ W, labels),
    ),
    "sum of losses": Wrong(
        "The gradient is too large by the number of examples: the losses are added up. Take "
        "tf.reduce_mean of them.",
        classifying(cross_entropies),
    ),
    "all classes": Wrong(
        "The loss goes over the probabilities of all classes, whatever the label. A cross-entropy "
        "takes minus the log of the probability of each row's label.",
        classifying(lambda z, labels: -tf.reduce_mean(tf.nn.log_softmax(z))),
        classifying(lambda z, labels: -tf.reduce_mean(tf.reduce_sum(tf.nn.log_softmax(z), 1))),
    ),
    "wrong sign": Wrong(
        "The sign is wrong: cross-entropy is minus the log of a probability.",
        classifying(lambda z, labels: -mean_cross_entropy(z, labels)),
    ),
    "softmax twice": Wrong(
        "The softmax is taken twice: the cross-entropy with logits has it inside. Give it the "
        "logits as they are.",
        classifying(lambda z, labels: mean_cross_entropy(tf.nn.softmax(z), labels)),
        classifying(lambda z, labels: cross_entropies(tf.nn.softmax(z), labels)),
    ),
    "from_logits left out": Wrong(
        "The logits are taken for probabilities. Keras's cross-entropy does so unless you say "
        "from_logits=True.",
        classifying(keras_without_logits),
        classifying(lambda z, y: len(z) * keras_without_logits(z, y)),
        classifying(
            lambda z, y: (
                keras.losses.categorical_crossentropy(tf.one_hot(y, z.shape[1]), z) / len(z)
            )
        ),
    ),
    "labels not one-hot": Wrong(
        "This cross-entropy takes one-hot rows with an entry for each class, and not class numbers "
        "or rows of another length. Take the one whose name has `sparse`, or make rows with "
        "tf.one_hot(labels, W.shape[1]).",
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
        "This is the cross-entropy against the model's own guesses, the argmax. Compare with "
        "`labels`.",
        classifying(lambda z, labels: mean_cross_entropy(z, tf.argmax(z, axis=1))),
    ),
    "no log": Wrong(
        "This is the gradient for the probability of the right class, without the log. It is "
        "smooth, but cross-entropy was asked for: the mean of -log of that probability.",
        classifying(lambda z, labels: -tf.reduce_mean(probabilities(z, labels))),
        classifying(lambda z, labels: tf.reduce_mean(probabilities(z, labels))),
        classifying(lambda z, labels: -tf.reduce_sum(probabilities(z, labels))),
    ),
    "other rows' labels": Wrong(
        "The probabilities are not those of the right classes: each row needs the entry of its own "
        "label. tf.gather(p, labels, batch_dims=1) takes it.",
        classifying(lambda z, y: -tf.reduce_mean(tf.gather(tf.nn.log_softmax(z), y))),
        classifying(lambda z, y: -tf.reduce_mean(tf.gather(tf.nn.log_softmax(z), y, axis=1))),
    ),
    "no softmax": Wrong(
        "You average the logits of the right classes, without a softmax. Take the log of the "
        "probability that softmax makes of them.",
        classifying(lambda z, y: -tf.reduce_mean(tf.gather(z, y, batch_dims=1))),
    ),
    "log of the mean": Wrong(
        "You take the log of the mean probability. Take the log of each, and then the mean.",
        classifying(lambda z, y: -tf.math.log(tf.reduce_mean(probabilities(z, y)))),
    ),
    "mean over classes": Wrong(
        "The gradient is too small by the number of classes: the mean runs over all entries of "
        "the one-hot labels. Add up over the classes, and average over the examples.",
        classifying(lambda z, y: mean_cross_entropy(z, y) / z.shape[1]),
    ),
    "softmax over examples": Wrong(
        "The softmax runs over the examples. Each row of the logits is one example: take it over "
        "the last axis.",
        classifying(lambda z, y: -tf.reduce_mean(tf.math.log(probabilities(z, y, axis=0)))),
    ),
    "sigmoid": Wrong(
        "This cross-entropy has a sigmoid, which takes each class by itself. Take the one with "
        "`softmax` in its name: the classes compete.",
        *(
            classifying(lambda z, y, reduce=reduce: reduce(sigmoid_cross_entropies(z, y)))
            for reduce in (tf.reduce_mean, lambda each: tf.reduce_mean(tf.reduce_sum(each, 1)))
        ),
    ),
    "labels and logits exchanged": Wrong(
        "The labels come first, and the logits second. Name them in the call: in TensorFlow "
        "labels=labels, logits=logits, in Keras y_true=labels, y_pred=logits.",
        classifying(lambda z, labels: mean_cross_entropy(labels, z)),
        classifying(
            lambda z, y: keras.losses.SparseCategoricalCrossentropy(from_logits=True)(z, y)
        ),
    ),
    "guesses as logits": Wrong(
        "You give one number for each example where the logits belong. They are the scores, shape "
        "(n, classes): leave out argmax and ==.",
        classifying(lambda z, labels: mean_cross_entropy(tf.argmax(z, axis=1), labels)),
    ),
    "squared error": Wrong(
        "This is the gradient of a squared error of the probabilities. It is smooth, but "
        "cross-entropy was asked for: the mean of -log of the right class's probability.",
        classifying(
            lambda z, y: tf.reduce_mean((tf.nn.softmax(z) - tf.one_hot(y, z.shape[1])) ** 2)
        ),
    ),
}

# 03.4


def quarters(value, backward):
    """Return an answer to 03.4 from a value of x, and what goes on of (x, y, arriving)."""

    @tf.custom_gradient
    def to_quarters(x):
        y = value(x)
        return y, lambda arriving: backward(x, y, arriving)

    return to_quarters


def nearest(x):
    return tf.round(4 * x) / 4


def inside(x, y, arriving):
    return tf.where(abs(x) <= 1, arriving, 0.0)


def valued(value):
    return quarters(value, inside)


def passing_on(backward):
    return quarters(nearest, backward)


QUARTERS = {
    "not decorated": Wrong(
        "You returned a pair. A value and a backward function belong under @tf.custom_gradient: "
        "put it above the function that returns them.",
        lambda x: (nearest(x), lambda arriving: arriving),
    ),
    "function returned": Wrong(
        "You returned a function. Call it on x, and return what it gives.",
        lambda x: passing_on(inside),
    ),
    "not rounded": Wrong(
        "These are the values of x itself, not rounded to multiples of 0.25.",
        valued(tf.identity),
    ),
    "whole numbers": Wrong(
        "You rounded to whole numbers. Multiply by 4 before, and divide by 4 after.",
        valued(tf.round),
    ),
    "not divided": Wrong(
        "The values are four times too large. Divide by 4 after rounding.",
        valued(lambda x: tf.round(4 * x)),
    ),
    "rounded down": Wrong(
        "You rounded down. Take tf.round, which goes to the nearest.",
        valued(lambda x: tf.floor(4 * x) / 4),
    ),
    "rounded up": Wrong(
        "You rounded up. Take tf.round, which goes to the nearest.",
        valued(lambda x: tf.math.ceil(4 * x) / 4),
    ),
    "cut towards 0": Wrong(
        "The cast to whole numbers cuts towards 0. Take tf.round, which goes to the nearest.",
        valued(lambda x: tf.cast(tf.cast(4 * x, tf.int32), tf.float32) / 4),
        valued(lambda x: tf.cast(tf.cast(4 * x + 0.5, tf.int32), tf.float32) / 4),
    ),
    "Python's round": Wrong(
        "A tensor takes neither Python's round nor NumPy's astype. Round with tf.round.",
        valued(lambda x: round(4 * x) / 4),
    ),
    "values clipped": Wrong(
        "You clipped the values too. Only the gradient is 0 outside [-1, 1]; the value is x, "
        "rounded.",
        valued(lambda x: nearest(tf.clip_by_value(x, -1, 1))),
    ),
    "multiples of 4": Wrong(
        "These are multiples of 4. Multiply by 4 before rounding, and divide after.",
        valued(lambda x: 4 * tf.round(x / 4)),
    ),
    "halves": Wrong(
        "These are multiples of 0.5. There are four quarters to 1, so the factor is 4.",
        valued(lambda x: tf.round(2 * x) / 2),
    ),
    "no path left": Wrong(
        "The values are right, but the gradient is None: no path is left from them to x, or "
        "`backward` returns nothing. Under @tf.custom_gradient, return the value and a backward "
        "function, which itself returns what goes on.",
        nearest,
    ),
    "NumPy's array": Wrong(
        "You returned NumPy's array, where no tape finds a path. Use tf.round.",
        lambda x: nearest(x).numpy(),
    ),
    "one number back": Wrong(
        "The values are right, but what backward returns has not the shape of x. Return "
        "`arriving`, entry by entry, where x lies in [-1, 1], and 0 elsewhere.",
        passing_on(lambda x, y, d: tf.constant(1.0)),
    ),
    "passes on everywhere": Wrong(
        "You pass on what arrives everywhere. Where x lies outside [-1, 1], pass on 0.",
        passing_on(lambda x, y, d: d),
    ),
    "arriving dropped": Wrong(
        "You return 1 and 0, and drop what arrives. Multiply: backward returns `arriving` where x "
        "lies in [-1, 1].",
        passing_on(lambda x, y, d: tf.cast(abs(x) <= 1, tf.float32)),
    ),
    "one everywhere": Wrong(
        "You return 1 everywhere, and drop what arrives. Pass on `arriving` where x lies in "
        "[-1, 1], and 0 elsewhere.",
        passing_on(lambda x, y, d: tf.ones_like(d)),
    ),
    "inside and outside exchanged": Wrong(
        "Inside and outside are exchanged: pass on where x lies in [-1, 1].",
        passing_on(lambda x, y, d: d - inside(x, y, d)),
    ),
    "looks at the rounded value": Wrong(
        "You look at the rounded value: 1.05 is rounded to 1, but lies outside [-1, 1]. Let the "
        "condition look at x.",
        passing_on(lambda x, y, d: inside(y, y, d)),
    ),
    "looks at 4 x": Wrong(
        "Beyond 0.25 nothing goes on, as if the condition looked at 4 * x. Let it look at x.",
        passing_on(lambda x, y, d: inside(4 * x, y, d)),
        passing_on(lambda x, y, d: inside(tf.round(4 * x), y, d)),
    ),
    "looks at what arrives": Wrong(
        "You look at what arrives, and pass it on where it lies in [-1, 1] itself. Let the "
        "condition look at x.",
        passing_on(lambda x, y, d: inside(d, y, d)),
    ),
    "& before <=": Wrong(
        "`&` gets numbers here, as it binds tighter than >= and <=. Put each comparison in "
        "parentheses: (x >= -1) & (x <= 1).",
        passing_on(lambda x, y, d: tf.where(x >= -1 & x <= 1, d, 0.0)),
    ),
    "arriving clipped": Wrong(
        "You clip what arrives. It is x that decides: pass on all of it, or 0.",
        passing_on(lambda x, y, d: tf.clip_by_value(d, -1, 1)),
    ),
    "no lower end": Wrong(
        "Values below -1 still pass on what arrives. Compare the absolute value of x.",
        passing_on(lambda x, y, d: tf.where(x <= 1, d, 0.0)),
    ),
    "no negative x": Wrong(
        "Where x is below 0 nothing goes on. [-1, 1] begins at -1: compare the absolute value of x.",
        passing_on(lambda x, y, d: tf.where((x >= 0) & (x <= 1), d, 0.0)),
    ),
    "no upper end": Wrong(
        "Values above 1 still pass on what arrives. Compare the absolute value of x.",
        passing_on(lambda x, y, d: tf.where(x >= -1, d, 0.0)),
    ),
    "ends left out": Wrong(
        "At exactly 1 and -1, too, what arrives should go on: [-1, 1] holds both ends. Compare "
        "with <=.",
        passing_on(lambda x, y, d: tf.where(abs(x) < 1, d, 0.0)),
    ),
    "slope of 4 x": Wrong(
        "The gradient is four times too large. Pass on what arrives as it is.",
        passing_on(lambda x, y, d: 4 * inside(x, y, d)),
    ),
    "slope of x / 4": Wrong(
        "The gradient is a quarter of what arrives. Pass it on as it is.",
        passing_on(lambda x, y, d: inside(x, y, d) / 4),
    ),
    "zero everywhere": Wrong(
        "The gradient is 0 everywhere. backward must return `arriving` where x lies in [-1, 1].",
        passing_on(lambda x, y, d: 0 * d),
    ),
    "passes on x": Wrong(
        "What goes on is x where you should pass on `arriving`: backward gets the slope that "
        "arrives from above, and returns it.",
        passing_on(lambda x, y, d: inside(x, y, x)),
    ),
    "times x": Wrong(
        "You multiply what arrives by x, or by the rounded value. Pass it on as it is.",
        passing_on(lambda x, y, d: x * inside(x, y, d)),
        passing_on(lambda x, y, d: y * inside(x, y, d)),
    ),
    "no backward returned": Wrong(
        "Your function under @tf.custom_gradient returns the value alone. It returns two things: "
        "the value, and the backward function.",
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
        "It returns None: no path leads from `a` to `total`. Compute with TensorFlow's functions, "
        "not NumPy's, and return tape.gradient(total, a).",
        of_distances(lambda a, b: tf.constant(np.linalg.norm(a - b, axis=1))),
    ),
    "not squared": Wrong(
        "The differences are added up as they are. Square them first, then take the root.",
        of_distances(lambda a, b: tf.sqrt(tf.reduce_sum(a - b, axis=1))),
        calls=(3,),
    ),
    "still not finite": Wrong(
        "It is still not finite where the points are equal: 0 stands under the root there, and "
        "its slope is infinite. Guard what goes under the root; outside it comes too late.",
        of_distances(lambda a, b: tf.sqrt(squares(a, b)) + 1e-12),
    ),
    "negative under the root": Wrong(
        "The gradient is not finite even where the points differ. Keep the distance as given, and "
        "guard only what is 0 under the root.",
        of_distances(lambda a, b: tf.sqrt(squares(a, b) - 1.0)),
        of_distances(lambda a, b: tf.sqrt(squares(a, b) - 100.0)),
    ),
    "zero for every pair": Wrong(
        "It returns 0 for every pair. Only pairs of equal points have a gradient of 0.",
        lambda a, b: tf.zeros_like(a),
    ),
    "one pair empties all": Wrong(
        "One pair of equal points makes the whole gradient 0. Mend the distance of that pair "
        "alone: the other rows have a gradient.",
        thrown_away,
        calls=(0, 1, 2),
    ),
    "squared distances": Wrong(
        "This is the gradient of the squared distances. Keep the root.",
        of_distances(squares),
    ),
    "averaged": Wrong(
        "You averaged the distances. Keep their sum.",
        of_distances(lengths, tf.reduce_mean),
    ),
    "gradient of b": Wrong(
        "The sign is wrong: this is the gradient with respect to b.",
        lambda a, b: -of_distances(lengths)(a, b),
    ),
    "one root for all": Wrong(
        "The squares of all pairs are under one root. Sum over axis=1, one root a pair.",
        of_distances(lambda a, b: tf.norm(a - b)),
    ),
    "down the columns": Wrong(
        "The squares are added up down the columns. Sum over axis=1: one root a pair.",
        of_distances(lambda a, b: tf.sqrt(tf.reduce_sum((a - b) ** 2, axis=0) + 1e-20)),
    ),
    "absolute differences": Wrong(
        "This is the gradient of |a - b|, entry by entry. Keep squares, sum and root.",
        of_distances(lambda a, b: tf.abs(a - b)),
    ),
    "added to the points": Wrong(
        "Where both points are equal the gradient should be [0, 0], and yours is not. A tiny number "
        "added to a - b moves them apart: put a `where` before the root and one after it.",
        of_distances(lambda a, b: tf.sqrt(squares(a, b + 1e-5))),
        of_distances(lambda a, b: tf.sqrt(squares(a + 1e-5, b))),
        calls=(0,),
    ),
    "near points lost": Wrong(
        "Points that are near each other differ, and their gradient is 0 here, or too short. A "
        "limit, or a number added under the root, is too large beside their sum of squares, 1e-30: "
        "let a `where` before the root and one after it look for equal points alone.",
        of_distances(lambda a, b: tf.where(squares(a, b) < 1e-3, 0.0, lengths(a, b))),
        *(with_epsilon(10.0**-e) for e in range(18, 33)),
        calls=(1,),
    ),
    "guard on one side": Wrong(
        "Your condition drops the differences below 0, and their gradient is 0 here. Let it look at "
        "the sum of squares, which is 0 for equal points alone.",
        of_distances(one_side_guarded),
    ),
    "one coordinate looked at": Wrong(
        "Points that share one coordinate differ in the other, and their gradient is 0 here. Let "
        "the condition look at the sum of squares.",
        *(
            of_distances(lambda a, b, same=same: tf.where(same(a == b), 0.0, lengths(a, b)))
            for same in (lambda e: e[:, 0], lambda e: e[:, 1], lambda e: tf.reduce_any(e, axis=1))
        ),
        calls=(1,),
    ),
    "guarded entry by entry": Wrong(
        "Where points share one coordinate the gradient is too short, as a 1 stands in place of that "
        "0. Guard the sum of squares, and not each difference.",
        of_distances(guarded_entries),
    ),
    "distances returned": Wrong(
        "You returned the distances. Return the gradient, tape.gradient(total, a).",
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

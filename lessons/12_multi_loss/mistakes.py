"""Wrong answers to the questions of lesson 12, and what each is told."""

import keras
import numpy as np
import tensorflow as tf

from course_utils.exercises import Table, Wrong

# 12.1


def summed(hidden):
    return tf.reduce_mean(tf.reduce_sum(abs(hidden), axis=1))


def right_penalty(hidden, beta):
    return beta * summed(hidden)


def penalising(
    penalty=right_penalty,
    training=True,
    outputs=lambda model, x, training: model(x, training=training),
    loss_of=lambda task, penalty: task + penalty,
    targets=lambda task, penalty: task + penalty,
    task_of=lambda y_hat, y: tf.reduce_mean((y_hat - y) ** 2),
):
    """Return an answer to 12.1 that returns one loss, and the gradients of the same or another."""

    def loss_and_gradients(model, x, y, beta):
        with tf.GradientTape() as tape:
            hidden, y_hat = outputs(model, x, training)
            parts = task_of(y_hat, y), penalty(hidden, beta)
            target = targets(*parts)
        return loss_of(*parts), tape.gradient(target, model.trainable_variables)

    return loss_and_gradients


def weighed(weigh):
    return lambda hidden, beta: weigh(beta) * summed(hidden)


def cut_off(penalty=right_penalty):
    return lambda hidden, beta: penalty(tf.stop_gradient(hidden), beta)


def in_two_passes(of_hidden, of_y_hat, hidden_first):
    def outputs(model, x, training):
        runs = [(0, of_hidden), (1, of_y_hat)]
        runs = runs if hidden_first else runs[::-1]
        found = {position: model(x, training=trains)[position] for position, trains in runs}
        return found[0], found[1]

    return penalising(outputs=outputs)


def weights_and_prediction(model, x, training):
    weights = [tf.reshape(v, [-1]) for v in model.trainable_variables]
    return tf.concat(weights, 0), model(x, training=training)[1]


def root_of_squares(hidden, beta):
    return beta * tf.reduce_mean(tf.norm(hidden, axis=1))


def from_layer(position):
    """Return outputs whose first is that of one layer, on x itself."""
    return lambda model, x, training: (model.layers[position](x), model(x, training=training)[1])


def hidden_last(model, x, training):
    y_hat = model(x, training=training)[1]
    return model.layers[1](x), y_hat


def of_terms(loss_of, asked=lambda loss, penalty: loss):
    """Return an answer to 12.1 that sees the squared error, the penalty and beta apart."""

    def loss_and_gradients(model, x, y, beta):
        with tf.GradientTape() as tape:
            hidden, y_hat = model(x, training=True)
            penalty = summed(hidden)
            loss = loss_of(tf.reduce_mean((y_hat - y) ** 2), penalty, beta)
        return loss, tape.gradient(asked(loss, penalty), model.trainable_variables)

    return loss_and_gradients


# Below, call 2 has activations of both signs, and in call 3 it matters that the model trains.
PLAIN = (0, 1)
PENALTIES = {
    "nothing recorded": Wrong(
        "A gradient is `None`, because no path leads from its kernel to the target. Compute "
        "`hidden, y_hat = model(x, training=True)` inside the `with` block.",
        penalising(targets=lambda task, penalty: tf.stop_gradient(task)),
    ),
    "squared error without gradient": Wrong(
        "The gradient of the last kernel is `None`, because your target is only the penalty. "
        "Inside the block, add the mean squared error and `beta` times the penalty, and "
        "use the sum as the target.",
        penalising(targets=lambda task, penalty: penalty),
        calls=PLAIN,
    ),
    "beta squared": Wrong(
        "The penalty now has a gradient, but it is multiplied by `beta` twice. Multiply it by "
        "`beta` once.",
        penalising(weighed(lambda beta: beta**2)),
        calls=PLAIN,
    ),
    "penalty left out": Wrong(
        "The penalty is missing, or far too small, in the loss and in the gradients. Sum each "
        "example's absolute activations, average over the examples, and add `beta` times the "
        "result.",
        penalising(weighed(lambda beta: 0.0)),
        calls=PLAIN,
    ),
    "penalty not recorded": Wrong(
        "The loss is right, but the gradients do not include the penalty. Compute it inside "
        "the `with` block from `model(x, training=True)`, without `predict`, `.numpy()` or "
        "NumPy, and differentiate the whole loss.",
        penalising(cut_off()),
        calls=PLAIN,
    ),
    "not recorded and beta squared": Wrong(
        "Two bugs are left. (1) The gradients do not include the penalty: compute `hidden` with "
        "`model(x, training=True)` inside the `with` block. (2) The penalty is multiplied by "
        "`beta` twice: multiply it once.",
        penalising(cut_off(weighed(lambda beta: beta**2))),
        calls=PLAIN,
    ),
    "weights penalised": Wrong(
        "You penalize the weights. Penalize `hidden`, the activations.",
        penalising(lambda ws, beta: beta * tf.reduce_sum(abs(ws)), outputs=weights_and_prediction),
        calls=PLAIN,
    ),
    "prediction penalised": Wrong(
        "You penalize `y_hat`, the prediction. Penalize `hidden`, the activations.",
        penalising(outputs=lambda model, x, training: model(x, training=training)[1:] * 2),
        calls=PLAIN,
    ),
    "beta times both": Wrong(
        "You also multiply the squared error by `beta`. Multiply only the penalty by it.",
        of_terms(lambda task, penalty, beta: beta * (task + penalty)),
        calls=PLAIN,
    ),
    "beta left out": Wrong(
        "You removed `beta` from both places, so the penalty has its full size. Keep `beta` in one "
        "of them.",
        penalising(weighed(lambda beta: 1.0)),
        calls=PLAIN,
    ),
    "summed over examples": Wrong(
        "You sum the penalty over the examples. Average it over the examples, as in the exercise.",
        penalising(lambda h, beta: len(h) * right_penalty(h, beta)),
        calls=PLAIN,
    ),
    "mean over activations": Wrong(
        "You also average the penalty over the 4 activations. Sum over the activations, as in "
        "the exercise, and average over the batch only.",
        penalising(lambda h, beta: right_penalty(h, beta) / 4),
        calls=PLAIN,
    ),
    "axes exchanged": Wrong(
        "The two axes are swapped. Sum the absolute activations of each example, over "
        "`axis=1`, and average over the examples.",
        penalising(lambda h, beta: len(h) / 4 * right_penalty(h, beta)),
        calls=PLAIN,
    ),
    "first example only": Wrong(
        "Your penalty uses only the first example: `hidden[0]` selects one row of the "
        "activations. Use `hidden` itself.",
        penalising(lambda h, beta: right_penalty(h[:1], beta)),
        penalising(lambda h, beta: right_penalty(h[:1], beta) / 4),
        calls=PLAIN,
    ),
    "squared errors summed": Wrong(
        "You sum the squared errors. Average them with `tf.reduce_mean`.",
        penalising(task_of=lambda y_hat, y: tf.reduce_sum((y_hat - y) ** 2)),
        calls=PLAIN,
    ),
    "absolute errors": Wrong(
        "You use the absolute errors. Square the errors instead.",
        penalising(task_of=lambda y_hat, y: tf.reduce_mean(abs(y_hat - y))),
        calls=PLAIN,
    ),
    "errors of all pairs": Wrong(
        "One of `y_hat` and `y` has shape (n,), the other (n, 1), so their difference broadcasts "
        "to (n, n). Give both the shape (n, 1).",
        penalising(task_of=lambda y_hat, y: tf.reduce_mean((tf.squeeze(y_hat) - y) ** 2)),
        calls=PLAIN,
    ),
    "positive alone": Wrong(
        "You penalize only the positive activations. Large negative activations should also count: "
        "use `tf.abs`.",
        penalising(lambda hidden, beta: beta * summed(tf.nn.relu(hidden))),
    ),
    "mixed": Wrong(
        "You multiply the squared error by `1 - beta`. Leave it unchanged, and add `beta * "
        "penalty`.",
        of_terms(lambda error, penalty, beta: (1 - beta) * error + beta * penalty),
    ),
    "penalty subtracted": Wrong(
        "You subtract the penalty. Add it to the squared error.",
        penalising(weighed(lambda beta: -beta)),
        calls=PLAIN,
    ),
    "activations squared": Wrong(
        "You square the activations, which is an L2 penalty. Sum their absolute values.",
        penalising(lambda h, beta: beta * tf.reduce_mean(tf.reduce_sum(h**2, axis=1))),
        calls=PLAIN,
    ),
    "root of squares": Wrong(
        "You use the L2 norm of each example's activations, the default of `tf.norm`. Sum "
        "absolute values: `tf.reduce_sum(tf.abs(hidden), axis=1)`.",
        penalising(root_of_squares),
        calls=PLAIN,
    ),
    "outputs exchanged": Wrong(
        "The two outputs are swapped. Unpack the activations first, then the prediction.",
        penalising(outputs=lambda model, x, training: model(x, training=training)[::-1]),
        calls=PLAIN,
    ),
    "another loss returned": Wrong(
        "The gradients are right, but they belong to a different loss from the one you return. "
        "Return the loss from inside the block, with the penalty added once.",
        penalising(loss_of=lambda task, penalty: task),
        penalising(loss_of=lambda task, penalty: penalty),
        penalising(loss_of=lambda task, penalty: task + 2 * penalty),
        calls=PLAIN,
    ),
    "gradients of another loss": Wrong(
        "The loss is right, but these are not its gradients. Return `tape.gradient(loss, "
        "model.trainable_variables)` unchanged; if you pass a list of targets, you get the "
        "gradient of their sum.",
        penalising(targets=lambda task, penalty: task + 2 * penalty),
        penalising(targets=lambda task, penalty: 2 * task + penalty),
        penalising(targets=lambda task, penalty: 2 * (task + penalty)),
        of_terms(lambda task, penalty, beta: task + beta * penalty, lambda *both: both),
        calls=PLAIN,
    ),
    "not absolute": Wrong(
        "Negative activations cancel positive ones. Apply `tf.abs` to each activation before "
        "you sum.",
        penalising(lambda h, beta: beta * tf.reduce_mean(tf.reduce_sum(h, axis=1))),
        penalising(lambda h, beta: beta * tf.reduce_mean(abs(tf.reduce_sum(h, axis=1)))),
        penalising(lambda h, beta: beta * abs(tf.reduce_mean(tf.reduce_sum(h, axis=1)))),
        calls=(2,),
    ),
    "layer called again": Wrong(
        "You compute the activations by calling a layer on `x`, but in some models the hidden "
        "layer gets a different input. Take `hidden` from `model(x, training=True)`.",
        penalising(outputs=hidden_last),
        penalising(outputs=from_layer(1)),
        calls=(3,),
    ),
    "outside training": Wrong(
        "You call the model in inference mode, in which a layer such as batch normalization "
        "behaves differently. Call `model(x, training=True)`.",
        penalising(training=False),
        calls=(3,),
    ),
    "only one pass in training": Wrong(
        "One of `hidden` and `y_hat` comes from a second call in inference mode. Take both "
        "from one call: `hidden, y_hat = model(x, training=True)`.",
        *[in_two_passes(t, not t, first) for t in (True, False) for first in (True, False)],
        calls=(3,),
    ),
}

# 12.2


def of_lists(formula, targets=(lambda a, b: a, lambda a, b: b)):
    """Return an answer to 12.2: a formula of each target's flat gradients, zeros for None."""

    def cosine_of_losses(losses, variables):
        with tf.GradientTape(persistent=True) as tape:
            asked = [target(*losses()) for target in targets]
        lists = [tape.gradient(y, variables, unconnected_gradients="zero") for y in asked]
        return formula(*[[tf.reshape(g, [-1]) for g in gradients] for gradients in lists])

    return cosine_of_losses


def of_vectors(formula, **options):
    return of_lists(lambda fs, ss: formula(tf.concat(fs, 0), tf.concat(ss, 0)), **options)


def dot(a, b):
    return tf.reduce_sum(a * b)


# What the kernels of three processors say of a matrix product of vectors.
KERNELS = (
    "In[0] and In[1] ndims must be == 2: 1",
    "In[0] ndims must be >= 2: 1",
    "In[0] ndims must be >= 2",
)


def refused(text):
    def mended(a, b):
        raise tf.errors.InvalidArgumentError(None, None, text)

    return mended


def cosine(a, b):
    return dot(a, b) / (tf.norm(a) * tf.norm(b))


def safe_cosines(fs, ss):
    norms = [tf.norm(f) * tf.norm(s) for f, s in zip(fs, ss, strict=True)]
    return [tf.math.divide_no_nan(dot(f, s), n) for f, s, n in zip(fs, ss, norms, strict=True)]


def unit(gradient):
    return tf.math.divide_no_nan(gradient, tf.norm(gradient))


def sum_of_norms(parts):
    return sum(map(tf.norm, parts))


def losses_unpacked(losses, variables):
    first, second = losses


def without_none(product):
    def cosine_of_losses(losses, variables):
        with tf.GradientTape(persistent=True) as tape:
            first, second = losses()
        lists = [tape.gradient(loss, variables) for loss in (first, second)]
        vectors = [tf.concat([tf.reshape(g, [-1]) for g in gs if g is not None], 0) for gs in lists]
        return product(*vectors)

    return cosine_of_losses


def targets_unpacked(losses, variables):
    with tf.GradientTape() as tape:
        both = losses()
    first, second = tape.gradient(both, variables)


def gradients_as_conditions(losses, variables):
    with tf.GradientTape() as tape:
        first, second = losses()
    return [g for g in tape.gradient(first, variables) if g]


def last_variable(fs, ss):
    return safe_cosines(fs, ss)[-1]


DEGREES = 180 / np.pi
COSINES = {
    "losses not called": Wrong(
        "`losses` is a function. Call it inside the `with` block: `losses()`.",
        losses_unpacked,
    ),
    "vectors of two lengths": Wrong(
        "Your two vectors have different lengths, because you leave out the `None`s. Put zeros "
        'in their place: pass `unconnected_gradients="zero"` for both losses.',
        without_none(dot),
        without_none(lambda a, b: tf.tensordot(a, b, 1)),
    ),
    "None joined": Wrong(
        'You use a `None` as a tensor. Pass `unconnected_gradients="zero"` for both losses; if '
        "every gradient is `None`, call `losses()` inside the `with` block.",
        lambda losses, variables: tf.reshape(None, [-1]),
    ),
    "targets unpacked": Wrong(
        "There are more values than names in your assignment, because a tape returns one "
        "gradient per variable and sums a list of losses. Call `gradient` once per loss.",
        targets_unpacked,
    ),
    "gradient as a condition": Wrong(
        "You use a gradient as a condition, but it has many entries. To find a `None`, write "
        "`g is None`, and put zeros in its place.",
        gradients_as_conditions,
    ),
    "not finite": Wrong(
        "Your function returned nan or inf, because one of your vectors is all zeros. Join the "
        "gradients of all variables into one vector per loss before you divide; call `losses()` "
        "inside the `with` block, and use `variables` as the sources.",
        of_vectors(lambda a, b: cosine(0 * a, 0 * b)),
    ),
    "of the norms": Wrong(
        "You take the norm of each variable's gradient first, but a norm has no direction. Flatten "
        "each gradient with `tf.reshape(g, [-1])` instead, and join all entries.",
        of_lists(
            lambda fs, ss: cosine(tf.stack([*map(tf.norm, fs)]), tf.stack([*map(tf.norm, ss)]))
        ),
    ),
    "of the means": Wrong(
        "You take the mean of each variable's gradient first. Flatten each gradient with "
        "`tf.reshape(g, [-1])` instead, and join all entries.",
        of_lists(
            lambda fs, ss: cosine(
                tf.stack([*map(tf.reduce_mean, fs)]), tf.stack([*map(tf.reduce_mean, ss)])
            )
        ),
    ),
    "another divisor": Wrong(
        "You divide a · b by the wrong number. Divide by the product of the two norms, "
        "`tf.norm(a) * tf.norm(b)`.",
        of_vectors(lambda a, b: dot(a, b) / tf.norm(a * b)),
        of_vectors(lambda a, b: dot(a, b) / tf.sqrt(dot(a, a) + dot(b, b))),
    ),
    "zero everywhere": Wrong(
        "Your function returned 0 in every call. Call `losses()` inside the `with` block, use "
        "all variables and not only the last, and do not round the cosine to an integer.",
        of_vectors(lambda a, b: 0.0),
        of_lists(last_variable),
    ),
    "shared variables only": Wrong(
        "You left out the variables that only one loss reaches, but their gradients count in the "
        "norm of that loss's vector. Replace each `None` with zeros instead.",
        of_lists(lambda fs, ss: cosine(tf.concat(fs[:2], 0), tf.concat(ss[:2], 0))),
    ),
    "mean of cosines": Wrong(
        "This is the mean of the cosines of the individual variables. Join all gradients of a loss "
        "into one long vector, and compute one cosine.",
        of_lists(lambda fs, ss: tf.reduce_mean(safe_cosines(fs, ss))),
        of_lists(lambda fs, ss: tf.reduce_mean(safe_cosines(fs[:2], ss[:2]))),
    ),
    "sum of cosines": Wrong(
        "This is the sum of the cosines of the individual variables. Join all gradients of a loss "
        "into one long vector, and compute one cosine.",
        of_lists(lambda fs, ss: sum(safe_cosines(fs, ss))),
    ),
    "first variable only": Wrong(
        "This is the cosine for the first variable only. Flatten and concatenate the gradients "
        "of all variables first.",
        of_lists(lambda fs, ss: cosine(fs[0], ss[0])),
    ),
    "product alone": Wrong(
        "This is the product a · b. Divide it by the norm of each of the two vectors.",
        of_vectors(dot),
    ),
    "norms squared": Wrong(
        "You divided by the squared norms. Divide by the norms: `tf.norm` takes the square root.",
        of_vectors(lambda a, b: dot(a, b) / (dot(a, a) * dot(b, b))),
    ),
    "first norm only": Wrong(
        "You divided only by the first norm. Divide by the second one as well.",
        of_vectors(lambda a, b: dot(a, b) / tf.norm(a)),
    ),
    "second norm only": Wrong(
        "You divided only by the second norm. Divide by the first one as well.",
        of_vectors(lambda a, b: dot(a, b) / tf.norm(b)),
    ),
    "one norm twice": Wrong(
        "You divided by the norm of the same vector twice. Divide by the norm of each vector once.",
        of_vectors(lambda a, b: dot(a, b) / dot(a, a)),
        of_vectors(lambda a, b: dot(a, b) / dot(b, b)),
    ),
    "norms added": Wrong(
        "You added the norms of the individual gradients. Join the gradients into one vector "
        "first, then take its norm.",
        of_lists(lambda fs, ss: sum(map(dot, fs, ss)) / (sum_of_norms(fs) * sum_of_norms(ss))),
    ),
    "norms not multiplied": Wrong(
        "You divided by the sum of the two norms. Divide by their product.",
        of_vectors(lambda a, b: dot(a, b) / (tf.norm(a) + tf.norm(b))),
    ),
    "root of the norms": Wrong(
        "You divided by the square root of the product of the norms. Divide by the product itself: "
        "a norm already includes a square root.",
        of_vectors(lambda a, b: dot(a, b) / tf.sqrt(tf.norm(a) * tf.norm(b))),
    ),
    "entries added up first": Wrong(
        "You summed each variable's gradient, which leaves one number per variable. Keep every "
        "entry: flatten with `tf.reshape(g, [-1])` and join with `tf.concat`.",
        of_lists(lambda fs, ss: cosine(*(tf.stack([*map(tf.reduce_sum, gs)]) for gs in (fs, ss)))),
    ),
    "each variable scaled": Wrong(
        "You divided each variable's gradient by its norm, so small ones have the same weight "
        "as large ones. Join the gradients unchanged, and divide by the norms of the long "
        "vectors.",
        of_lists(lambda fs, ss: cosine(*(tf.concat([*map(unit, gs)], 0) for gs in (fs, ss)))),
    ),
    "smallest of cosines": Wrong(
        "This is the smallest of the cosines of the individual variables. Join all gradients of a "
        "loss into one long vector, and compute one cosine.",
        of_lists(lambda fs, ss: tf.reduce_min(safe_cosines(fs, ss))),
    ),
    "parentheses missing": Wrong(
        "You divided by the first norm and multiplied by the second. Put the product of both "
        "norms in parentheses.",
        of_vectors(lambda a, b: dot(a, b) / tf.norm(a) * tf.norm(b)),
    ),
    "products averaged": Wrong(
        "You averaged the products of the entries. Sum them with `tf.reduce_sum`.",
        of_vectors(lambda a, b: cosine(a, b) / len(a)),
    ),
    "angle": Wrong(
        "You returned the angle. Return its cosine.",
        of_vectors(lambda a, b: tf.acos(cosine(a, b))),
    ),
    "angle in degrees": Wrong(
        "You returned the angle in degrees. Return its cosine.",
        of_vectors(lambda a, b: tf.acos(cosine(a, b)) * DEGREES),
    ),
    "one minus cosine": Wrong(
        "You returned 1 minus the cosine. Return the cosine.",
        of_vectors(lambda a, b: 1 - cosine(a, b)),
    ),
    "sign turned": Wrong(
        "The sign is wrong: 1 should mean the same direction. Remove the minus sign (Keras's "
        "`cosine_similarity` is a loss, so it returns minus the cosine).",
        of_vectors(lambda a, b: -cosine(a, b)),
    ),
    "sign lost": Wrong(
        "You returned the absolute value. Keep the sign, which says whether the losses conflict.",
        of_vectors(lambda a, b: abs(cosine(a, b))),
    ),
    "same gradient twice": Wrong(
        "Your function returned 1 in every call, because both vectors are the same gradient. Call "
        "`gradient` once per loss; if you pass both losses, you get the gradient of their sum.",
        of_vectors(cosine, targets=(lambda a, b: a, lambda a, b: a)),
    ),
    "gradient of the sum": Wrong(
        "One of your two vectors is the gradient of the sum. Call `gradient` once per loss.",
        of_vectors(cosine, targets=(lambda a, b: a, lambda a, b: a + b)),
        of_vectors(cosine, targets=(lambda a, b: b, lambda a, b: a + b)),
    ),
}

# 12.3

SUMMED = (
    "The call does not return a list: there is only one source, so you get one gradient. The "
    "gradients of several targets are summed."
)
LATE = Table(
    {
        None: "You get `None` if no target has a path to `w`. But the tape recorded `l1`, so `l1` "
        "has a path.",
        40: "40 is the right gradient if the weight is inside the block. But here `3 * l2` is "
        "computed when the tape is not recording.",
        16: "16 is the sum without the weight. But the second target is `3 * l2`, a new "
        "tensor: did the tape record it?",
        36: "36 is the slope of only `3 * l2`. But the tape recorded `l1`, not that product.",
        12: "12 is the slope of `l2`, which is not a target. The targets are `l1` and `3 * l2`.",
        28: "28 is the sum of the *values* 4 and 24. But the tape returns slopes.",
        8: "8 is the value of `l2`. But the tape returns slopes, and the targets are `l1` and "
        "`3 * l2`.",
        0: "0 would be the slope of a flat loss. But the slope of `l1 = w**2` at w = 2 is not 0, "
        "and the tape recorded `l1`.",
        **dict.fromkeys(
            [(4,), (16,), (40,), (4, None), (None, 4), (None, 36), (None, None)], SUMMED
        ),
        **dict.fromkeys([(4, second) for second in (0, 12, 24, 36)], SUMMED),
    },
    "{value} is not the answer. Does the tape have a path from `w` to each of the two targets? "
    "Add the slopes of those that have one.",
)

# 12.4


def surgery(conflict, agreement=lambda a, b: a + b):
    """Return an answer to 12.4 with a formula for gradients that conflict, and one for others."""
    return lambda a, b: conflict(a, b) if dot(a, b) < 0 else agreement(a, b)


def along(a, b):
    """Return the part of a along b."""
    return dot(a, b) / dot(b, b) * b


def projected(a, b):
    return a - along(a, b) + b - along(b, a)


def overwriting(project, swap):
    """Return an answer that changes one gradient before the other uses it."""

    def conflict(a, b):
        a, b = (b, a) if swap else (a, b)
        new = a - along(a, b)
        return new + project(a, b, new)

    return surgery(conflict)


PROJECTIONS = {
    "one overwritten": Wrong(
        "You overwrote one gradient before the other used it. Compute both projections from "
        "the original `a` and `b`.",
        *[
            overwriting(lambda a, b, new, norm=norm: b - dot(a, b) / norm(a, new) * new, swap)
            for norm in (lambda a, new: dot(a, a), lambda a, new: dot(new, new))
            for swap in (False, True)
        ],
    ),
    "only added": Wrong(
        "You return a + b even if the two conflict. If a · b < 0, first subtract from each its "
        "projection onto the other.",
        lambda a, b: a + b,
    ),
    "one of two": Wrong(
        "You return only one gradient, minus its projection onto the other. Do the same with "
        "the other gradient, and return the sum.",
        surgery(lambda a, b: a - along(a, b), lambda a, b: a),
        surgery(lambda a, b: b - along(b, a), lambda a, b: b),
    ),
    "entry by entry": Wrong(
        "You divide elementwise. Divide by a single number, the sum of the squares: "
        "`tf.reduce_sum(b * b)`.",
        surgery(lambda a, b: a - dot(a, b) / (b * b) * b + b - dot(a, b) / (a * a) * a),
    ),
    "divided by b, too": Wrong(
        "You divide by the last factor instead of multiplying by it. The projection of a onto b is "
        "((a · b) / (b · b)) b: multiply by `b` at the end.",
        surgery(lambda a, b: a - dot(a, b) / (dot(b, b) * b) + b - dot(a, b) / (dot(a, a) * a)),
    ),
    "b missing": Wrong(
        "You subtract only a number from `a`. Multiply that number by `b` first.",
        surgery(lambda a, b: a - dot(a, b) / dot(b, b) + b - dot(a, b) / dot(a, a)),
    ),
    "only a projected": Wrong(
        "You add `b` unchanged: you project only `a`, or you project `b` onto the `a` that you "
        "have already changed. Subtract from `b` its projection onto the *original* `a`.",
        surgery(lambda a, b: a - along(a, b) + b),
    ),
    "only b projected": Wrong(
        "You project only `b`, and add `a` unchanged. Also subtract from `a` its projection "
        "onto the *original* `b`.",
        surgery(lambda a, b: a + b - along(b, a)),
    ),
    "a alone": Wrong(
        "This is only `a` minus its projection onto `b`. Do the same for `b`, and add the two.",
        surgery(lambda a, b: a - along(a, b)),
    ),
    "b alone": Wrong(
        "This is only `b` minus its projection onto `a`. Do the same for `a`, and add the two.",
        surgery(lambda a, b: b - along(b, a)),
    ),
    "parts added": Wrong(
        "You added the projections. Subtract them.",
        surgery(lambda a, b: a + along(a, b) + b + along(b, a)),
    ),
    "parts alone": Wrong(
        "These are only the projections. Subtract them from `a` and `b`.",
        surgery(lambda a, b: along(a, b) + along(b, a)),
    ),
    "norms not squared": Wrong(
        "You divided by the norms. Divide by the squared norm: the projection of a onto b is "
        "((a · b) / (b · b)) b.",
        surgery(lambda a, b: a + b - dot(a, b) * (b / tf.norm(b) + a / tf.norm(a))),
    ),
    "parts not divided": Wrong(
        "Your projections are not divided by the squared norm. Use ((a · b) / (b · b)) b for "
        "the projection of a onto b.",
        surgery(lambda a, b: a + b - dot(a, b) * (a + b)),
    ),
    "cosine for product": Wrong(
        "You use the cosine instead of the product a · b. Use ((a · b) / (b · b)) b for the "
        "projection of a onto b.",
        surgery(lambda a, b: a + b - cosine(a, b) * (a + b)),
        surgery(lambda a, b: a + b - cosine(a, b) * (b / dot(b, b) + a / dot(a, a))),
    ),
    "product entry by entry": Wrong(
        "You multiply `a * b` elementwise, without a sum. Compute a · b as `tf.reduce_sum(a * b)`.",
        surgery(lambda a, b: a + b - a * b * (b / dot(b, b) + a / dot(a, a))),
        surgery(lambda a, b: a + b - a * b * (b / (b * b) + a / (a * a))),
    ),
    "conflict entry by entry": Wrong(
        "You test for a conflict elementwise. Test the single number `tf.reduce_sum(a * b)`, "
        "which decides for all entries at once.",
        lambda a, b: tf.where(a * b < 0, 0.0, a + b),
        lambda a, b: tf.where(a * b < 0, projected(a, b), a + b),
        calls=(0,),
    ),
    "products not added up": Wrong(
        "Your condition has many entries. Test the single number `tf.reduce_sum(a * b)`.",
        lambda a, b: projected(a, b) if a * b < 0 else a + b,
    ),
    "matrix product": Wrong(
        "`@` and `tf.matmul` need matrices, but these are vectors. Compute a · b as "
        "`tf.reduce_sum(a * b)`.",
        *map(refused, KERNELS),
    ),
    "no method dot": Wrong(
        "`dot` is a method of NumPy arrays, but these are tensors. Compute a · b as "
        "`tf.reduce_sum(a * b)`.",
        lambda a, b: a.dot(b),
    ),
    "weak conflict left": Wrong(
        "You ignore weak conflicts. Project if a · b is below 0, however little.",
        lambda a, b: projected(a, b) if cosine(a, b) < -0.1 else a + b,
    ),
    "zeros where they conflict": Wrong(
        "If the two conflict, you return zeros. Subtract from each only its projection onto "
        "the other, and add the results.",
        surgery(lambda a, b: 0 * a),
    ),
    "one gradient kept": Wrong(
        "If the two conflict, you return one of them unchanged. Subtract from each its "
        "projection onto the other, and add the results.",
        surgery(lambda a, b: a),
        surgery(lambda a, b: b),
    ),
    "norms exchanged": Wrong(
        "The squared norms or the vectors are swapped. Subtract from a its projection onto b: "
        "((a · b) / (b · b)) b.",
        surgery(lambda a, b: a + b - dot(a, b) * (b / dot(a, a) + a / dot(b, b))),
    ),
    "subtracted": Wrong(
        "If the two conflict, you subtract one from the other. Subtract from each its "
        "projection onto the other, and *add* the results.",
        surgery(lambda a, b: a - along(a, b) - (b - along(b, a))),
        surgery(lambda a, b: a - b),
    ),
    "one part for both": Wrong(
        "You subtract the same projection from both. Subtract from b its projection onto a: "
        "((a · b) / (a · a)) a.",
        surgery(lambda a, b: a + b - 2 * along(a, b)),
        surgery(lambda a, b: a + b - 2 * along(b, a)),
    ),
    "brought to one length": Wrong(
        "You divide the gradients by their norms, as for balanced norms. Remove the division: if a "
        "· b < 0, only subtract the projections, and add the results.",
        lambda a, b: unit(a) + unit(b),
        surgery(lambda a, b: unit(a) + unit(b)),
        surgery(lambda a, b: projected(unit(a), unit(b))),
        lambda a, b: surgery(projected, tf.add)(unit(a), unit(b)),
        surgery(lambda a, b: unit(a - along(a, b)) + unit(b - along(b, a))),
        surgery(
            lambda a, b: unit(a - along(a, b)) + unit(b - along(b, a)),
            lambda a, b: unit(a) + unit(b),
        ),
    ),
    "mean returned": Wrong(
        "This is half of the answer, the mean of the two. Return their sum.",
        lambda a, b: surgery(projected)(a, b) / 2,
        surgery(lambda a, b: projected(a, b) / 2),
    ),
    "projected everywhere": Wrong(
        "Your result is right if the two conflict, but you also project if a · b is positive. Then "
        "the losses agree, so return a + b.",
        projected,
    ),
    "test turned round": Wrong(
        "Your test is reversed. Project if a · b is *below* 0.",
        surgery(lambda a, b: a + b, projected),
    ),
}

# 12.5


def joint(
    entering=lambda rows, keep: keep * rows,
    error=lambda rebuilt, rows, keep: (1 - keep) * (rebuilt - rows),
    size=tf.square,
    mean=lambda sizes, keep: tf.reduce_sum(sizes) / tf.reduce_sum(1 - keep),
    task=tf.reduce_mean,
    total=lambda task, rebuilding, weight: task + weight * rebuilding,
    result=lambda tape, loss, parts, variables: (loss, tape.gradient(loss, variables)),
    cross_entropy=tf.nn.sparse_softmax_cross_entropy_with_logits,
):
    """Return an answer to 12.5 with some of its steps replaced."""

    def joint_gradients(model, x, y, rows, keep, weight):
        with tf.GradientTape() as tape:
            logits, rebuilt = model(tf.concat([x, entering(rows, keep)], axis=0), training=True)
            losses = cross_entropy(labels=y, logits=logits[: len(x)])
            sizes = size(error(rebuilt[len(x) :], rows, keep))
            parts = task(losses), mean(sizes, keep)
            loss = total(*parts, weight)
        return result(tape, loss, parts, model.trainable_variables)

    return joint_gradients


TWO_TASKS = {
    "returned None": Wrong(
        "Your function returned `None`. End it with `return loss, tape.gradient(loss, "
        "model.trainable_variables)`, below the `with` block.",
        joint(result=lambda tape, loss, parts, variables: None),
    ),
    "nothing hidden": Wrong(
        "The model sees the numbers that it should predict. Set them to 0 first: pass `keep * "
        "rows` to the model.",
        joint(entering=lambda rows, keep: rows),
    ),
    "the others hidden": Wrong(
        "You hide the numbers that should stay visible. `keep` is 0 where a number is hidden, so "
        "pass `keep * rows` to the model.",
        joint(entering=lambda rows, keep: (1 - keep) * rows),
    ),
    "all numbers counted": Wrong(
        "You also count the numbers that the model could see. Multiply the error by `1 - keep`, "
        "and divide the sum of its squares by `tf.reduce_sum(1 - keep)`.",
        joint(
            error=lambda rebuilt, rows, keep: rebuilt - rows,
            mean=lambda sizes, keep: tf.reduce_mean(sizes),
        ),
    ),
    "visible numbers counted": Wrong(
        "You count the numbers that the model could see. Count the hidden ones: multiply the "
        "error by `1 - keep`, and divide by `tf.reduce_sum(1 - keep)`.",
        joint(
            error=lambda rebuilt, rows, keep: keep * (rebuilt - rows),
            mean=lambda sizes, keep: tf.reduce_sum(sizes) / tf.reduce_sum(keep),
        ),
    ),
    "divided by all numbers": Wrong(
        "You divide by the number of entries in `rows`. The mean is over the hidden ones: divide "
        "the sum by `tf.reduce_sum(1 - keep)`.",
        joint(mean=lambda sizes, keep: tf.reduce_mean(sizes)),
    ),
    "not divided": Wrong(
        "You sum the squared errors of the hidden numbers. For their mean, divide the sum by "
        "`tf.reduce_sum(1 - keep)`.",
        joint(mean=lambda sizes, keep: tf.reduce_sum(sizes)),
    ),
    "divided by the rows": Wrong(
        "You divide by the number of rows. The mean is over the hidden numbers: divide by "
        "`tf.reduce_sum(1 - keep)`.",
        joint(mean=lambda sizes, keep: tf.reduce_sum(sizes) / len(sizes)),
    ),
    "compared with the hidden rows": Wrong(
        "You compare the rebuilt rows with `keep * rows`, in which the numbers to predict are 0. "
        "Compare them with `rows`.",
        joint(error=lambda rebuilt, rows, keep: (1 - keep) * (rebuilt - keep * rows)),
    ),
    "absolute errors": Wrong(
        "You use the absolute errors of the hidden numbers. Square the errors instead.",
        joint(size=tf.abs),
    ),
    "weight left out": Wrong(
        "The second task counts in full. Multiply its mean squared error by `weight`.",
        joint(total=lambda task, rebuilding, weight: task + rebuilding),
    ),
    "weight on the labels": Wrong(
        "`weight` multiplies the cross-entropy. Multiply the mean squared error of the hidden "
        "numbers by it instead.",
        joint(total=lambda task, rebuilding, weight: weight * task + rebuilding),
    ),
    "weight on both": Wrong(
        "`weight` multiplies both tasks. Multiply only the mean squared error of the hidden "
        "numbers by it.",
        joint(total=lambda task, rebuilding, weight: weight * (task + rebuilding)),
    ),
    "cross-entropy summed": Wrong(
        "You sum the cross-entropy over the labeled examples. Use its mean: `tf.reduce_mean`.",
        joint(task=tf.reduce_sum),
    ),
    "logits as probabilities": Wrong(
        "By default, a Keras loss treats your logits as probabilities. Pass `from_logits=True`.",
        joint(
            cross_entropy=lambda labels, logits: keras.losses.sparse_categorical_crossentropy(
                labels, logits
            )
        ),
    ),
    "second task left out": Wrong(
        "The loss is only the cross-entropy of the labeled examples. Add `weight` times the mean "
        "squared error of the hidden numbers.",
        joint(total=lambda task, rebuilding, weight: task),
    ),
    "labels left out": Wrong(
        "The loss is only the error of the hidden numbers. Add the mean cross-entropy of the "
        "labeled examples.",
        joint(total=lambda task, rebuilding, weight: weight * rebuilding),
    ),
    "gradients of the labeled task": Wrong(
        "The loss is right, but these are the gradients of the cross-entropy alone. Differentiate "
        "the sum: `tape.gradient(loss, model.trainable_variables)`.",
        joint(
            result=lambda tape, loss, parts, variables: (loss, tape.gradient(parts[0], variables))
        ),
    ),
    "gradients of the second task": Wrong(
        "The loss is right, but these are the gradients of the second task alone. Differentiate "
        "the sum: `tape.gradient(loss, model.trainable_variables)`.",
        joint(
            result=lambda tape, loss, parts, variables: (loss, tape.gradient(parts[1], variables))
        ),
    ),
}

MISTAKES = {
    "12.1": PENALTIES,
    "12.2": COSINES,
    "12.3": LATE,
    "12.4": PROJECTIONS,
    "12.5": TWO_TASKS,
}

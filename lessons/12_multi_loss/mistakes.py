"""Wrong answers to the questions of lesson 12, and what each is told."""

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
        "A gradient is None: the tape has no path to that kernel. Take hidden and y_hat from "
        "model(x, training=True), inside the `with` block.",
        penalising(targets=lambda task, penalty: tf.stop_gradient(task)),
    ),
    "squared error without gradient": Wrong(
        "The gradient of the last kernel is None: what the tape was asked for holds the penalty "
        "alone. Ask for the gradients of the sum, the mean squared error plus beta times the "
        "penalty, computed inside the `with` block.",
        penalising(targets=lambda task, penalty: penalty),
        calls=PLAIN,
    ),
    "beta squared": Wrong(
        "The penalty has its gradient now. But it counts with beta * beta: multiply it by beta "
        "once.",
        penalising(weighed(lambda beta: beta**2)),
        calls=PLAIN,
    ),
    "penalty left out": Wrong(
        "The penalty is missing in the loss and in the gradients, or far too small in both. Add beta "
        "times the mean, over the examples, of the summed absolute activations.",
        penalising(weighed(lambda beta: 0.0)),
        calls=PLAIN,
    ),
    "penalty not recorded": Wrong(
        "The loss is right, and the gradients know nothing of the penalty. Ask the tape for those of "
        "the whole loss, with the penalty in it, made inside the `with` block from model(x, "
        "training=True): predict, .numpy() and NumPy's functions leave the tape.",
        penalising(cut_off()),
        calls=PLAIN,
    ),
    "not recorded and beta squared": Wrong(
        "The gradients know nothing of the penalty: predict, .numpy() and NumPy's functions leave the "
        "tape. And it is multiplied by beta twice. Take hidden from model(x, training=True) inside "
        "the `with` block, keep to TensorFlow there, and use beta once.",
        penalising(cut_off(weighed(lambda beta: beta**2))),
        calls=PLAIN,
    ),
    "weights penalised": Wrong(
        "You penalise the weights. The penalty is on hidden, the activations.",
        penalising(lambda ws, beta: beta * tf.reduce_sum(abs(ws)), outputs=weights_and_prediction),
        calls=PLAIN,
    ),
    "prediction penalised": Wrong(
        "You penalise y_hat, the prediction. The penalty is on hidden, the activations.",
        penalising(outputs=lambda model, x, training: model(x, training=training)[1:] * 2),
        calls=PLAIN,
    ),
    "beta times both": Wrong(
        "beta counts the squared error, too. It belongs to the penalty alone.",
        of_terms(lambda task, penalty, beta: beta * (task + penalty)),
        calls=PLAIN,
    ),
    "beta left out": Wrong(
        "The penalty counts in full: beta is gone from both places. Leave it in one.",
        penalising(weighed(lambda beta: 1.0)),
        calls=PLAIN,
    ),
    "summed over examples": Wrong(
        "The penalty is summed over the examples. Take the mean over them, as it was given.",
        penalising(lambda h, beta: len(h) * right_penalty(h, beta)),
        calls=PLAIN,
    ),
    "mean over activations": Wrong(
        "The penalty is averaged over the 4 activations, too. Sum them for each example, as it "
        "was given.",
        penalising(lambda h, beta: right_penalty(h, beta) / 4),
        calls=PLAIN,
    ),
    "axes exchanged": Wrong(
        "The two axes are exchanged: absolute activations are summed over the examples and "
        "averaged over the 4 activations. Sum them for each example, over axis 1, and take the "
        "mean over the examples.",
        penalising(lambda h, beta: len(h) / 4 * right_penalty(h, beta)),
        calls=PLAIN,
    ),
    "first example only": Wrong(
        "The penalty counts the first example alone. The model's outputs are hidden and y_hat "
        "already: hidden[0] would take one row of the activations.",
        penalising(lambda h, beta: right_penalty(h[:1], beta)),
        penalising(lambda h, beta: right_penalty(h[:1], beta) / 4),
        calls=PLAIN,
    ),
    "squared errors summed": Wrong(
        "The squared errors are summed. The loss takes their mean: tf.reduce_mean.",
        penalising(task_of=lambda y_hat, y: tf.reduce_sum((y_hat - y) ** 2)),
        calls=PLAIN,
    ),
    "absolute errors": Wrong(
        "The errors enter as absolute values. The loss takes their squares.",
        penalising(task_of=lambda y_hat, y: tf.reduce_mean(abs(y_hat - y))),
        calls=PLAIN,
    ),
    "errors of all pairs": Wrong(
        "Of y_hat and y one has the shape (n,), the other (n, 1), and so their difference has n * n entries, "
        "each prediction with each target. Leave both as they come, (n, 1).",
        penalising(task_of=lambda y_hat, y: tf.reduce_mean((tf.squeeze(y_hat) - y) ** 2)),
        calls=PLAIN,
    ),
    "positive alone": Wrong(
        "You count the positive activations alone. A large negative one is penalised, too: tf.abs.",
        penalising(lambda hidden, beta: beta * summed(tf.nn.relu(hidden))),
    ),
    "mixed": Wrong(
        "The squared error is multiplied by 1 - beta. It counts in full, and beta * penalty is added.",
        of_terms(lambda error, penalty, beta: (1 - beta) * error + beta * penalty),
    ),
    "penalty subtracted": Wrong(
        "The penalty is subtracted. Add it to the squared error.",
        penalising(weighed(lambda beta: -beta)),
        calls=PLAIN,
    ),
    "activations squared": Wrong(
        "The activations are squared, which is L2. The penalty sums their absolute values.",
        penalising(lambda h, beta: beta * tf.reduce_mean(tf.reduce_sum(h**2, axis=1))),
        calls=PLAIN,
    ),
    "root of squares": Wrong(
        "Each example counts with the root of its summed squares, its L2 norm, which tf.norm takes "
        "unless told otherwise. Sum absolute values: tf.reduce_sum(tf.abs(hidden), axis=1).",
        penalising(root_of_squares),
        calls=PLAIN,
    ),
    "outputs exchanged": Wrong(
        "The two outputs are exchanged. The model returns the activations first, and then the "
        "prediction.",
        penalising(outputs=lambda model, x, training: model(x, training=training)[::-1]),
        calls=PLAIN,
    ),
    "another loss returned": Wrong(
        "The gradients are right, and the loss beside them is not the one that they belong to. "
        "Return the loss from inside the block, with the penalty counted once.",
        penalising(loss_of=lambda task, penalty: task),
        penalising(loss_of=lambda task, penalty: penalty),
        penalising(loss_of=lambda task, penalty: task + 2 * penalty),
        calls=PLAIN,
    ),
    "gradients of another loss": Wrong(
        "The loss is right, and the gradients are not its gradients. Return tape.gradient(loss, "
        "model.trainable_variables) as it is; several targets in a list are summed.",
        penalising(targets=lambda task, penalty: task + 2 * penalty),
        penalising(targets=lambda task, penalty: 2 * task + penalty),
        penalising(targets=lambda task, penalty: 2 * (task + penalty)),
        of_terms(lambda task, penalty, beta: task + beta * penalty, lambda *both: both),
        calls=PLAIN,
    ),
    "not absolute": Wrong(
        "Activations below 0 count against the others. The penalty sums absolute values: tf.abs "
        "of each activation, before any sum.",
        penalising(lambda h, beta: beta * tf.reduce_mean(tf.reduce_sum(h, axis=1))),
        penalising(lambda h, beta: beta * tf.reduce_mean(abs(tf.reduce_sum(h, axis=1)))),
        penalising(lambda h, beta: beta * abs(tf.reduce_mean(tf.reduce_sum(h, axis=1)))),
        calls=(2,),
    ),
    "layer called again": Wrong(
        "The activations come from a layer that is called once more, on x itself. Not every model "
        "hands x straight to its hidden layer: take hidden from model(x, training=True).",
        penalising(outputs=hidden_last),
        penalising(outputs=from_layer(1)),
        calls=(3,),
    ),
    "outside training": Wrong(
        "The model ran as outside training, and a layer such as batch normalisation behaves "
        "differently there. Call model(x, training=True).",
        penalising(training=False),
        calls=(3,),
    ),
    "only one pass in training": Wrong(
        "hidden and y_hat do not come from one pass in training: one of them was computed once "
        "more, as outside training. Take both from one call: hidden, y_hat = model(x, training=True).",
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
        "losses is a function, and gives the two losses when it is called: losses(), inside the "
        "`with` block.",
        losses_unpacked,
    ),
    "vectors of two lengths": Wrong(
        "Your two vectors differ in length. Each holds one loss's gradients for all variables, with "
        'zeros of the variable\'s shape in place of each None: unconnected_gradients="zero".',
        without_none(dot),
        without_none(lambda a, b: tf.tensordot(a, b, 1)),
    ),
    "None joined": Wrong(
        "There is a None where a tensor is needed. Where a loss does not reach a variable, zeros "
        'take its place: unconnected_gradients="zero", for both losses. If no loss reaches any, '
        "losses() does not run inside the `with` block.",
        lambda losses, variables: tf.reshape(None, [-1]),
    ),
    "targets unpacked": Wrong(
        "There are more values than names to take them. A tape gives one gradient for each "
        "variable, also of a list of losses, which it sums: ask it once for each loss.",
        targets_unpacked,
    ),
    "gradient as a condition": Wrong(
        "A condition needs one True or False, and a gradient has many entries. To find a None write "
        "`g is None`, and put zeros in its place.",
        gradients_as_conditions,
    ),
    "not finite": Wrong(
        "Your function returned nan or inf. A vector of zeros has no cosine: look whether losses(), and "
        "what you make of the two, stand inside the `with` block, whether you ask for the gradients of "
        "the argument, variables, and whether you join them all before you divide.",
        of_vectors(lambda a, b: cosine(0 * a, 0 * b)),
    ),
    "of the norms": Wrong(
        "You took the norm of each variable's gradient first, and a norm has no direction. Join the "
        "entries themselves: tf.reshape(g, [-1]).",
        of_lists(
            lambda fs, ss: cosine(tf.stack([*map(tf.norm, fs)]), tf.stack([*map(tf.norm, ss)]))
        ),
    ),
    "of the means": Wrong(
        "You took the mean of each variable's gradient first. Join the entries themselves: "
        "tf.reshape(g, [-1]).",
        of_lists(
            lambda fs, ss: cosine(
                tf.stack([*map(tf.reduce_mean, fs)]), tf.stack([*map(tf.reduce_mean, ss)])
            )
        ),
    ),
    "another divisor": Wrong(
        "a · b is divided by something else than the product of the two norms, tf.norm(a) * tf.norm(b).",
        of_vectors(lambda a, b: dot(a, b) / tf.norm(a * b)),
        of_vectors(lambda a, b: dot(a, b) / tf.sqrt(dot(a, a) + dot(b, b))),
    ),
    "zero everywhere": Wrong(
        "Your answer is 0 in every call. Look whether losses() runs inside the `with` block, whether "
        "all variables count, not the last alone, and whether the cosine is cut to a whole number.",
        of_vectors(lambda a, b: 0.0),
        of_lists(last_variable),
    ),
    "shared variables only": Wrong(
        "You left out the variables that only one loss reaches. Their gradients count in the norm "
        "of that loss: put zeros in place of None, not the variable aside.",
        of_lists(lambda fs, ss: cosine(tf.concat(fs[:2], 0), tf.concat(ss[:2], 0))),
    ),
    "mean of cosines": Wrong(
        "This is the mean of the variables' cosines. Join the gradients into one long vector for "
        "each loss, and take one cosine.",
        of_lists(lambda fs, ss: tf.reduce_mean(safe_cosines(fs, ss))),
        of_lists(lambda fs, ss: tf.reduce_mean(safe_cosines(fs[:2], ss[:2]))),
    ),
    "sum of cosines": Wrong(
        "This is the sum of the variables' cosines. Join the gradients into one long vector for "
        "each loss, and take one cosine.",
        of_lists(lambda fs, ss: sum(safe_cosines(fs, ss))),
    ),
    "first variable only": Wrong(
        "This is the cosine for the first variable alone. Take all variables together.",
        of_lists(lambda fs, ss: cosine(fs[0], ss[0])),
    ),
    "product alone": Wrong(
        "This is the product a · b. Divide it by the norm of each of the two vectors.",
        of_vectors(dot),
    ),
    "norms squared": Wrong(
        "You divided by the squared norms. Divide by the norms: tf.norm takes the root.",
        of_vectors(lambda a, b: dot(a, b) / (dot(a, a) * dot(b, b))),
    ),
    "first norm only": Wrong(
        "You divided by the first norm alone. Divide by the second, too.",
        of_vectors(lambda a, b: dot(a, b) / tf.norm(a)),
    ),
    "second norm only": Wrong(
        "You divided by the second norm alone. Divide by the first, too.",
        of_vectors(lambda a, b: dot(a, b) / tf.norm(b)),
    ),
    "one norm twice": Wrong(
        "You divided by the norm of one vector twice. Divide by the norm of each, once.",
        of_vectors(lambda a, b: dot(a, b) / dot(a, a)),
        of_vectors(lambda a, b: dot(a, b) / dot(b, b)),
    ),
    "norms added": Wrong(
        "You added the norms of a loss's gradients. The norm of all entries together is the root "
        "of the sum of their squares: join the gradients first.",
        of_lists(lambda fs, ss: sum(map(dot, fs, ss)) / (sum_of_norms(fs) * sum_of_norms(ss))),
    ),
    "norms not multiplied": Wrong(
        "You divided by the sum of the two norms. Divide by their product.",
        of_vectors(lambda a, b: dot(a, b) / (tf.norm(a) + tf.norm(b))),
    ),
    "root of the norms": Wrong(
        "You divided by the root of the product of the norms. A norm has its root already: divide by "
        "the product itself.",
        of_vectors(lambda a, b: dot(a, b) / tf.sqrt(tf.norm(a) * tf.norm(b))),
    ),
    "entries added up first": Wrong(
        "You added up the entries of each variable's gradient, and so one number stands for a whole "
        "table. Keep every entry: flatten with tf.reshape(g, [-1]), and join with tf.concat.",
        of_lists(lambda fs, ss: cosine(*(tf.stack([*map(tf.reduce_sum, gs)]) for gs in (fs, ss)))),
    ),
    "each variable scaled": Wrong(
        "Each variable's gradient was divided by its own norm, so that small ones count as much as "
        "large ones. Join the gradients as they are, and divide by the norms of the long vectors.",
        of_lists(lambda fs, ss: cosine(*(tf.concat([*map(unit, gs)], 0) for gs in (fs, ss)))),
    ),
    "smallest of cosines": Wrong(
        "This is the smallest of the variables' cosines. Join the gradients into one long vector for "
        "each loss, and take one cosine.",
        of_lists(lambda fs, ss: tf.reduce_min(safe_cosines(fs, ss))),
    ),
    "parentheses missing": Wrong(
        "You divided by the first norm and multiplied by the second. Put the product of both "
        "norms in parentheses.",
        of_vectors(lambda a, b: dot(a, b) / tf.norm(a) * tf.norm(b)),
    ),
    "products averaged": Wrong(
        "You averaged the products of the entries. Add them up: tf.reduce_sum.",
        of_vectors(lambda a, b: cosine(a, b) / len(a)),
    ),
    "angle": Wrong(
        "This is the angle. Return its cosine.",
        of_vectors(lambda a, b: tf.acos(cosine(a, b))),
    ),
    "angle in degrees": Wrong(
        "This is the angle in degrees. Return its cosine.",
        of_vectors(lambda a, b: tf.acos(cosine(a, b)) * DEGREES),
    ),
    "one minus cosine": Wrong(
        "This is 1 minus the cosine. Return the cosine.",
        of_vectors(lambda a, b: 1 - cosine(a, b)),
    ),
    "sign turned": Wrong(
        "The sign is wrong: 1 means the same direction, and -1 opposite ones. Keras's "
        "cosine_similarity, being a loss, is minus the cosine.",
        of_vectors(lambda a, b: -cosine(a, b)),
    ),
    "sign lost": Wrong(
        "You returned the absolute value. The sign says whether the losses conflict: keep it.",
        of_vectors(lambda a, b: abs(cosine(a, b))),
    ),
    "same gradient twice": Wrong(
        "You returned 1 for every call: both vectors hold the same gradient. Ask the tape once "
        "for each loss; a list of losses gives the gradient of their sum.",
        of_vectors(cosine, targets=(lambda a, b: a, lambda a, b: a)),
    ),
    "gradient of the sum": Wrong(
        "One of your two vectors is the gradient of the sum. Ask the tape once for each loss.",
        of_vectors(cosine, targets=(lambda a, b: a, lambda a, b: a + b)),
        of_vectors(cosine, targets=(lambda a, b: b, lambda a, b: a + b)),
    ),
}

# 12.3

SUMMED = "There is one source, so one gradient comes back: several targets are summed."
LATE = Table(
    {
        None: "None comes back if no target has a path. l1 was recorded, so it has one.",
        40: "40 is what you want, and what you get with the weight inside the block. But here "
        "3 * l2 is computed when the tape is off.",
        16: "16 is the sum without the weight. The second target is 3 * l2, a tensor of its own: "
        "did the tape see how it was made?",
        36: "36 is the slope of 3 * l2 alone, if it had been recorded. It was not, and l1 was.",
        12: "12 is the slope of l2, which is not among the targets. They are l1 and 3 * l2.",
        28: "28 is the sum of the values 4 and 24. The tape gives slopes.",
        8: "8 is the value of l2. The tape gives slopes, and of the targets, l1 and 3 * l2.",
        0: "The slope of l1 = w**2 at w = 2 is not 0, and l1 was recorded.",
        **dict.fromkeys(
            [(4,), (16,), (40,), (4, None), (None, 4), (None, 36), (None, None)], SUMMED
        ),
        **dict.fromkeys([(4, second) for second in (0, 12, 24, 36)], SUMMED),
    },
    "{value} is not it. Say for each of the two targets whether the tape has a path from w to it, "
    "and add the slopes of those that have.",
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
        "One gradient was overwritten before the other used it. Subtract from b its part along "
        "the original a, and from a its part along the original b.",
        *[
            overwriting(lambda a, b, new, norm=norm: b - dot(a, b) / norm(a, new) * new, swap)
            for norm in (lambda a, new: dot(a, a), lambda a, new: dot(new, new))
            for swap in (False, True)
        ],
    ),
    "only added": Wrong(
        "This is a + b, also where they conflict. If a · b < 0, take the part along the other out "
        "of each first.",
        lambda a, b: a + b,
    ),
    "one of two": Wrong(
        "You return one gradient, without its part along the other. Do the same with the other, and "
        "return the sum.",
        surgery(lambda a, b: a - along(a, b), lambda a, b: a),
        surgery(lambda a, b: b - along(b, a), lambda a, b: b),
    ),
    "entry by entry": Wrong(
        "You divide entry by entry. b · b is one number, the sum of the squares: tf.reduce_sum(b * b).",
        surgery(lambda a, b: a - dot(a, b) / (b * b) * b + b - dot(a, b) / (a * a) * a),
    ),
    "divided by b, too": Wrong(
        "The last factor stands in the divisor. a's part along b is (a · b / b · b) times b.",
        surgery(lambda a, b: a - dot(a, b) / (dot(b, b) * b) + b - dot(a, b) / (dot(a, a) * a)),
    ),
    "b missing": Wrong(
        "What you take from a is a number. The part along b is that number times b.",
        surgery(lambda a, b: a - dot(a, b) / dot(b, b) + b - dot(a, b) / dot(a, a)),
    ),
    "only a projected": Wrong(
        "Only a lost its part along b; b is added in full. Project b, too, along the original a: "
        "along the new one nothing is left to take.",
        surgery(lambda a, b: a - along(a, b) + b),
    ),
    "only b projected": Wrong(
        "Only b lost its part along a; a is added in full. Project a, too, along the original b: "
        "along the new one nothing is left to take.",
        surgery(lambda a, b: a + b - along(b, a)),
    ),
    "a alone": Wrong(
        "This is a without its part along b. Do the same for b, and add the two.",
        surgery(lambda a, b: a - along(a, b)),
    ),
    "b alone": Wrong(
        "This is b without its part along a. Do the same for a, and add the two.",
        surgery(lambda a, b: b - along(b, a)),
    ),
    "parts added": Wrong(
        "You added the parts along each other. Subtract them.",
        surgery(lambda a, b: a + along(a, b) + b + along(b, a)),
    ),
    "parts alone": Wrong(
        "These are the parts along each other. Subtract them from a and b.",
        surgery(lambda a, b: along(a, b) + along(b, a)),
    ),
    "norms not squared": Wrong(
        "You divided by the norms. The part of a along b is (a · b / b · b) b: divide by the "
        "squared norm.",
        surgery(lambda a, b: a + b - dot(a, b) * (b / tf.norm(b) + a / tf.norm(a))),
    ),
    "parts not divided": Wrong(
        "The parts are not divided by a squared norm. The part of a along b is (a · b / b · b) b.",
        surgery(lambda a, b: a + b - dot(a, b) * (a + b)),
    ),
    "cosine for product": Wrong(
        "The cosine stands where the product a · b belongs. The part of a along b is "
        "(a · b / b · b) b: the product, divided by the squared norm of b.",
        surgery(lambda a, b: a + b - cosine(a, b) * (a + b)),
        surgery(lambda a, b: a + b - cosine(a, b) * (b / dot(b, b) + a / dot(a, a))),
    ),
    "product entry by entry": Wrong(
        "a * b without tf.reduce_sum multiplies entry by entry. a · b is the sum of these "
        "products, one number.",
        surgery(lambda a, b: a + b - a * b * (b / dot(b, b) + a / dot(a, a))),
        surgery(lambda a, b: a + b - a * b * (b / (b * b) + a / (a * a))),
    ),
    "conflict entry by entry": Wrong(
        "You look for a conflict entry by entry. a · b is one number, tf.reduce_sum(a * b), and "
        "decides for all entries at once.",
        lambda a, b: tf.where(a * b < 0, 0.0, a + b),
        lambda a, b: tf.where(a * b < 0, projected(a, b), a + b),
        calls=(0,),
    ),
    "products not added up": Wrong(
        "The condition has many entries. a · b is one number, the sum of the products: "
        "tf.reduce_sum(a * b).",
        lambda a, b: projected(a, b) if a * b < 0 else a + b,
    ),
    "matrix product": Wrong(
        "@ and tf.matmul take matrices. a · b of two vectors is tf.reduce_sum(a * b).",
        *map(refused, KERNELS),
    ),
    "no method dot": Wrong(
        "dot is a method of NumPy's arrays, and these are tensors. a · b is tf.reduce_sum(a * b).",
        lambda a, b: a.dot(b),
    ),
    "weak conflict left": Wrong(
        "A weak conflict is left as it is. Project wherever a · b is below 0, however little.",
        lambda a, b: projected(a, b) if cosine(a, b) < -0.1 else a + b,
    ),
    "zeros where they conflict": Wrong(
        "Where they conflict you return zeros. Take only the part along the other out of each, "
        "and add what is left.",
        surgery(lambda a, b: 0 * a),
    ),
    "one gradient kept": Wrong(
        "Where they conflict you return one of the two as it is. Take its part along the other "
        "out of each, and add the two.",
        surgery(lambda a, b: a),
        surgery(lambda a, b: b),
    ),
    "norms exchanged": Wrong(
        "Either the squared norms or the vectors are exchanged. What is subtracted from a is "
        "(a · b / b · b) b, a part along b, divided by b · b.",
        surgery(lambda a, b: a + b - dot(a, b) * (b / dot(a, a) + a / dot(b, b))),
    ),
    "subtracted": Wrong(
        "One of the two is subtracted where they conflict. Take its part along the other out of "
        "each, and add what is left.",
        surgery(lambda a, b: a - along(a, b) - (b - along(b, a))),
        surgery(lambda a, b: a - b),
    ),
    "one part for both": Wrong(
        "The same part is subtracted from both. a loses its part along b, and b its part along a: "
        "(a · b / a · a) a.",
        surgery(lambda a, b: a + b - 2 * along(a, b)),
        surgery(lambda a, b: a + b - 2 * along(b, a)),
    ),
    "brought to one length": Wrong(
        "The gradients are divided by their norms, as in balanced norms. Here nothing is divided so: where "
        "a · b < 0 each loses its part along the other, and the two are added as they are.",
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
        "This is half of it: the mean of the two. Return their sum.",
        lambda a, b: surgery(projected)(a, b) / 2,
        surgery(lambda a, b: projected(a, b) / 2),
    ),
    "projected everywhere": Wrong(
        "The conflicts are right. But you project where a · b is positive, too: there the losses "
        "agree, so return a + b.",
        projected,
    ),
    "test turned round": Wrong(
        "The test is the wrong way round: project where a · b is below 0.",
        surgery(lambda a, b: a + b, projected),
    ),
}

MISTAKES = {"12.1": PENALTIES, "12.2": COSINES, "12.3": LATE, "12.4": PROJECTIONS}

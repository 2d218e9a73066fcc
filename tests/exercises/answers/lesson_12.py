import numpy as np
import tensorflow as tf

from answers import ERROR, Answers, Wrong


def summed(hidden):
    return tf.reduce_mean(tf.reduce_sum(tf.abs(hidden), axis=1))


def by_predict(model, x):
    return model.predict(x, verbose=0)[0]


def from_the_tape(model, x):
    return model(x)[0]


def penalised(weigh, hidden_of=from_the_tape, penalty_of=summed):
    """Return an answer to 12.1 that adds weigh(beta) times a penalty on hidden_of(model, x)."""

    def loss_and_gradients(model, x, y, beta):
        with tf.GradientTape() as tape:
            y_hat = model(x, training=True)[1]
            penalty = penalty_of(hidden_of(model, x))
            loss = tf.reduce_mean((y_hat - y) ** 2) + weigh(beta) * penalty
        return loss, tape.gradient(loss, model.trainable_variables)

    return loss_and_gradients


once = penalised(lambda beta: beta)


def penalised_by_layers(model, x, y, beta):
    first, second = model.trainable_variables
    with tf.GradientTape() as tape:
        hidden = tf.nn.relu(x @ first)
        error = tf.reduce_mean(tf.square(y - hidden @ second))
        loss = error + beta * tf.reduce_sum(hidden) / len(x)
    return [loss.numpy(), tape.gradient(loss, [first, second])]


def penalised_all_by_predict(model, x, y, beta):
    with tf.GradientTape() as tape:
        hidden, y_hat = (tf.constant(a) for a in model.predict(x, verbose=0))
        loss = tf.reduce_mean((y_hat - y) ** 2) + beta * summed(hidden)
    return loss, tape.gradient(loss, model.trainable_variables)


def penalised_below_the_tape(model, x, y, beta):
    with tf.GradientTape() as tape:
        hidden, y_hat = model(x, training=True)
        loss = tf.reduce_mean((y_hat - y) ** 2)
    return loss + beta * summed(hidden), tape.gradient(loss, model.trainable_variables)


def penalised_apart(model, x, y, beta):
    """Add up the gradients of both losses, in the way that fails for Keras's variables."""
    with tf.GradientTape(persistent=True) as tape:
        hidden, y_hat = model(x, training=True)
        error, penalty = tf.reduce_mean((y_hat - y) ** 2), summed(hidden)
    first, second = (
        tape.gradient(loss, model.trainable_variables, unconnected_gradients="zero")
        for loss in (error, penalty)
    )
    return error + beta * penalty, [a + beta * b for a, b in zip(first, second, strict=True)]


def penalised_apart_by_values(model, x, y, beta):
    with tf.GradientTape(persistent=True) as tape:
        hidden, y_hat = model(x, training=True)
        error, penalty = tf.reduce_mean((y_hat - y) ** 2), summed(hidden)
    values = [v.value for v in model.trainable_variables]
    first = tape.gradient(error, values)
    second = tape.gradient(penalty, values, unconnected_gradients="zero")
    return error + beta * penalty, [a + beta * b for a, b in zip(first, second, strict=True)]


def penalised_with_loss_without_it(model, x, y, beta):
    _, gradients = once(model, x, y, beta)
    return tf.reduce_mean((model(x)[1] - y) ** 2), gradients


def penalised_with_doubled_gradients(model, x, y, beta):
    loss, gradients = once(model, x, y, beta)
    return loss, [2 * gradient for gradient in gradients]


def cosine(a, b):
    return tf.reduce_sum(a * b) / (tf.norm(a) * tf.norm(b))


def joined(gradients):
    return tf.concat([tf.reshape(g, [-1]) for g in gradients], 0)


def each_gradient(losses, variables, **options):
    with tf.GradientTape(persistent=True) as tape:
        targets = losses()
    return [tape.gradient(loss, variables, **options) for loss in targets]


def from_vectors(formula):
    """Return an answer to 12.2 that applies a formula to the two long vectors."""

    def cosine_of_losses(losses, variables):
        return formula(*map(joined, each_gradient(losses, variables, unconnected_gradients="zero")))

    return cosine_of_losses


def from_shared_variables(formula):
    """Return an answer to 12.2 that leaves out what only one loss reaches."""

    def cosine_of_losses(losses, variables):
        pairs = zip(*each_gradient(losses, variables), strict=True)
        return formula([(a, b) for a, b in pairs if a is not None and b is not None])

    return cosine_of_losses


def cosine_with_two_tapes(losses, variables):
    vectors = []
    for i in (0, 1):
        with tf.GradientTape() as tape:
            loss = losses()[i]
        gradients = tape.gradient(loss, variables)
        gradients = [
            tf.zeros_like(v) if g is None else g for g, v in zip(gradients, variables, strict=True)
        ]
        vectors.append(np.concatenate([g.numpy().ravel() for g in gradients]))
    a, b = vectors
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def cosine_by_sums(losses, variables):
    first, second = each_gradient(losses, variables, unconnected_gradients="zero")
    pairs = list(zip(first, second, strict=True))
    dot = sum(tf.reduce_sum(a * b) for a, b in pairs)
    return dot / (tf.linalg.global_norm(first) * tf.linalg.global_norm(second))


def cosine_of_sums(losses, variables):
    with tf.GradientTape(persistent=True) as tape:
        targets = losses()
    a, b = (joined(tape.gradient(targets, variables)) for _ in targets)
    return cosine(a, b)


def cosine_with_a_plain_tape(losses, variables):
    with tf.GradientTape() as tape:
        first, second = losses()
    a, b = (
        joined(tape.gradient(loss, variables, unconnected_gradients="zero"))
        for loss in (first, second)
    )
    return cosine(a, b)


def cosine_with_jacobian(losses, variables):
    with tf.GradientTape() as tape:
        both = tf.stack(losses())
    rows = tape.jacobian(both, variables, unconnected_gradients="zero")
    return cosine(*tf.concat([tf.reshape(row, [2, -1]) for row in rows], 1))


def cosine_with_losses_before_the_tape(losses, variables):
    targets = losses()
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(variables)
    a, b = (
        joined(tape.gradient(loss, variables, unconnected_gradients="zero")) for loss in targets
    )
    return cosine(a, b)


def cosine_by_added_norms(losses, variables):
    first, second = each_gradient(losses, variables, unconnected_gradients="zero")
    return dot(joined(first), joined(second)) / sum(map(tf.norm, first)) / sum(map(tf.norm, second))


def cosine_of_lists(losses, variables):
    return cosine(*each_gradient(losses, variables, unconnected_gradients="zero"))


def cosine_with_none(losses, variables):
    a, b = map(joined, each_gradient(losses, variables))
    return cosine(a, b)


def cosines_of_variables(losses, variables):
    pairs = zip(*each_gradient(losses, variables, unconnected_gradients="zero"), strict=True)
    return [cosine(a, b) for a, b in pairs]


def cosines_of_variables_averaged(losses, variables):
    return tf.reduce_mean(cosines_of_variables(losses, variables))


def cosines_with_safe_division(losses, variables):
    pairs = zip(*each_gradient(losses, variables, unconnected_gradients="zero"), strict=True)
    return tf.reduce_mean(
        [tf.math.divide_no_nan(tf.reduce_sum(a * b), tf.norm(a) * tf.norm(b)) for a, b in pairs]
    )


def along(a, b):
    """Return the part of a along b."""
    return tf.reduce_sum(a * b) / tf.reduce_sum(b * b) * b


def on_conflict(formula):
    """Return an answer to 12.4 that uses a formula where a and b conflict."""

    def without_conflict(a, b):
        return formula(a, b) if tf.reduce_sum(a * b) < 0 else a + b

    return without_conflict


def dot(a, b):
    return tf.reduce_sum(a * b)


def projected_in_numpy(a, b):
    a, b = a.numpy(), b.numpy()
    part = min(a @ b, 0.0)
    return (a - part / (b @ b) * b) + (b - part / (a @ a) * a)


@tf.function
def projected_in_a_graph(a, b):
    result = a + b
    if tf.tensordot(a, b, 1) < 0:
        result = result - along(a, b) - along(b, a)
    return result


def projected_one_after_the_other(a, b):
    if dot(a, b) < 0:
        a = a - along(a, b)
        b = b - along(b, a)
    return a + b


def projected_with_one_overwritten(first, again):
    """Return an answer to 12.4 that changes one gradient too early, and may use its new norm."""

    def without_conflict(a, b):
        a, b = (a, b) if first == "a" else (b, a)
        product, square = dot(a, b), dot(a, a)
        if product < 0:
            a = a - product / dot(b, b) * b
            b = b - product / (dot(a, a) if again else square) * a
        return a + b

    return without_conflict


def projected_the_wrong_way_round(a, b):
    return a + b if dot(a, b) < 0 else a + b - along(a, b) - along(b, a)


ANSWERS = {
    "12.1": Answers(
        right=[
            once,
            penalised_by_layers,
            penalised_apart_by_values,
            tf.function(once),
            penalised(lambda beta: beta, penalty_of=lambda h: summed(-h)),
        ],
        wrong=[
            Wrong(penalised(lambda beta: beta**2), "counts with beta * beta"),
            Wrong(
                penalised(lambda beta: beta, by_predict),
                "The loss is right, and the gradients know",
            ),
            Wrong(
                penalised(lambda beta: beta, lambda model, x: model(x)[0].numpy()),
                "predict and .numpy() leave the tape.",
            ),
            Wrong(penalised(lambda beta: beta**2, by_predict), "multiplied by beta twice"),
            Wrong(penalised(lambda beta: 0.0), "in neither the loss nor the gradients"),
            Wrong(penalised(lambda beta: 1.0), "beta is gone from both places"),
            Wrong(
                penalised(lambda beta: beta, penalty_of=lambda h: tf.reduce_sum(tf.abs(h))),
                "summed over the examples",
            ),
            Wrong(
                penalised(lambda beta: beta, penalty_of=lambda h: tf.reduce_mean(tf.abs(h))),
                "averaged over the 4 activations",
            ),
            Wrong(penalised(lambda beta: -beta), "The penalty is subtracted"),
            Wrong(penalised_below_the_tape, "and add the penalty, inside the `with` block"),
            Wrong(penalised_apart, "[v.value for v in variables]", ERROR),
            Wrong(penalised_with_loss_without_it, "The gradients are right"),
            Wrong(penalised_with_doubled_gradients, "are not its gradients"),
            Wrong(
                penalised(lambda beta: beta, penalty_of=lambda h: summed(h**2)),
                "For 6 examples and beta = 0.5",
            ),
            Wrong(penalised_all_by_predict, "A gradient is None"),
            Wrong(lambda *call: None, "Your function returned None"),
            Wrong(lambda *call: once(*call)[1], "the gradients alone"),
            Wrong(lambda *call: (once(*call)[0], 1.0), "In place of the gradients"),
            Wrong(lambda *call: once(*call)[0], "Return two things"),
            Wrong(lambda *call: once(*call)[::-1], "The loss is one number"),
            Wrong(lambda *call: (once(*call)[0], [1.0, 2.0]), "the shapes of the two kernels"),
        ],
    ),
    "12.2": Answers(
        right=[cosine_with_two_tapes, cosine_by_sums, cosine_with_jacobian],
        wrong=[
            Wrong(
                from_shared_variables(lambda p: cosine(*map(joined, zip(*p, strict=True)))),
                "left out",
            ),
            Wrong(
                from_shared_variables(lambda p: tf.reduce_mean([cosine(a, b) for a, b in p])),
                "mean of the variables' cosines",
            ),
            Wrong(cosines_with_safe_division, "mean of the variables' cosines"),
            Wrong(from_shared_variables(lambda p: sum(cosine(a, b) for a, b in p)), "sum of the"),
            Wrong(from_shared_variables(lambda p: cosine(*p[0])), "first variable alone"),
            Wrong(from_vectors(dot), "This is the product"),
            Wrong(from_vectors(lambda a, b: dot(a, b) / dot(a, a) / dot(b, b)), "squared norms"),
            Wrong(from_vectors(lambda a, b: dot(a, b) / tf.norm(a)), "first norm alone"),
            Wrong(from_vectors(lambda a, b: dot(a, b) / tf.norm(b)), "second norm alone"),
            Wrong(from_vectors(lambda a, b: tf.acos(cosine(a, b))), "This is the angle."),
            Wrong(from_vectors(lambda a, b: tf.acos(cosine(a, b)) * 180 / np.pi), "in degrees"),
            Wrong(from_vectors(lambda a, b: 1 - cosine(a, b)), "1 minus the cosine"),
            Wrong(from_vectors(lambda a, b: -cosine(a, b)), "The sign is wrong"),
            Wrong(from_vectors(lambda a, b: cosine(a + b, a)), "the gradient of the sum"),
            Wrong(from_vectors(lambda a, b: cosine(a + b, b)), "the gradient of the sum"),
            Wrong(from_vectors(lambda a, b: tf.abs(cosine(a, b))), "In call 1 of 3"),
            Wrong(from_vectors(lambda a, b: None), "Your function returned None"),
            Wrong(from_vectors(lambda a, b: a), "The cosine is one number"),
            Wrong(cosine_by_added_norms, "You added the norms"),
            Wrong(from_vectors(lambda a, b: dot(a, b) / tf.norm(a) * tf.norm(b)), "in parentheses"),
            Wrong(
                from_vectors(lambda a, b: tf.reduce_mean(a * b) / (tf.norm(a) * tf.norm(b))),
                "averaged the products",
            ),
            Wrong(cosine_with_losses_before_the_tape, "Call losses() inside the `with` block"),
            Wrong(cosine_of_lists, "several gradients come as a list", ERROR),
            Wrong(cosine_of_sums, "You returned 1 for every call"),
            Wrong(cosines_of_variables, "one cosine for all variables together"),
            Wrong(cosines_of_variables_averaged, "returned nan or inf"),
            Wrong(cosine_with_a_plain_tape, "non-persistent", ERROR),
            Wrong(cosine_with_none, "None", ERROR),
        ],
    ),
    "12.3": Answers(
        right=[4, 4.0, tf.constant(4.0), np.float32(4)],
        wrong=[
            Wrong(40, "with the weight inside the block"),
            Wrong(16, "the sum without the weight"),
            Wrong(36.0, "if it had been recorded"),
            Wrong(12, "which is not among the targets"),
            Wrong(28, "The tape gives slopes"),
            Wrong(0, "l1 was recorded"),
            Wrong(5, "5 is not it"),
            Wrong(None, "if no target has a path"),
            Wrong("None", "if no target has a path"),
            Wrong([4, None], "several targets are summed"),
            Wrong([4, 36], "several targets are summed"),
            Wrong("an error", "Write what comes back"),
        ],
    ),
    "12.4": Answers(
        right=[projected_in_numpy, projected_in_a_graph],
        wrong=[
            Wrong(lambda a, b: a + b, "This is a + b, also where they conflict"),
            Wrong(projected_one_after_the_other, "along the new one nothing is left"),
            *[
                Wrong(projected_with_one_overwritten(first, again), "was overwritten")
                for first in "ab"
                for again in (True, False)
            ],
            Wrong(on_conflict(lambda a, b: a + b - along(b, a)), "Only b lost its part"),
            Wrong(on_conflict(lambda a, b: a - along(a, b)), "This is a without its part"),
            Wrong(on_conflict(lambda a, b: b - along(b, a)), "This is b without its part"),
            Wrong(on_conflict(lambda a, b: a + b + along(a, b) + along(b, a)), "Subtract them."),
            Wrong(
                on_conflict(lambda a, b: along(a, b) + along(b, a)), "Subtract them from a and b"
            ),
            Wrong(
                on_conflict(lambda a, b: a + b - dot(a, b) * (b / tf.norm(b) + a / tf.norm(a))),
                "You divided by the norms",
            ),
            Wrong(on_conflict(lambda a, b: a + b - dot(a, b) * (a + b)), "not divided by"),
            Wrong(
                on_conflict(lambda a, b: a + b - dot(a, b) * (b / dot(a, a) + a / dot(b, b))),
                "squared norms are exchanged",
            ),
            Wrong(lambda a, b: projected_in_numpy(a, b) / 2, "the mean of the two"),
            Wrong(lambda a, b: a + b - along(a, b) - along(b, a), "The conflicts are right"),
            Wrong(projected_the_wrong_way_round, "wrong way round"),
            Wrong(on_conflict(lambda a, b: a - b), "For a = [1, 0] and b = [-2, 2]"),
            Wrong(lambda a, b: None, "Your function returned None"),
            Wrong(lambda a, b: (a - along(a, b), b - along(b, a)), "Add the two vectors"),
            Wrong(dot, "the shape of a"),
        ],
    ),
}

import keras
import numpy as np
import tensorflow as tf

from answers import ERROR, Answers, Wrong

# 03.1


def descending(update, steps_of=lambda steps: steps):
    """Return an answer to 03.1; ``update(params, name, lr, gradient)`` makes the step of a name."""

    def descend(params, x, y, lr, steps):
        for _ in range(steps_of(steps)):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((params["w"] * x + params["b"] - y) ** 2)
            gradients = tape.gradient(loss, params)
            for name in params:
                update(params, name, lr, gradients[name])
        return params

    return descend


def new_variable(params, name, lr, gradient):
    params[name] = tf.Variable(params[name] - lr * gradient)


def whole_value(params, name, lr, gradient):
    params[name].assign(params[name] - lr * gradient)


def still_overwritten(params, name, lr, gradient):
    params[name] = params[name] - lr * gradient


def overwritten_where_there_is_a_gradient(params, name, lr, gradient):
    if gradient is not None:
        params[name] = params[name] - lr * gradient


def only_b(params, name, lr, gradient):
    if name == "b":
        params[name].assign_sub(lr * gradient)


def other_name(params, name, lr, gradient):
    value = params[name]
    value = value - lr * gradient


def only_w(params, name, lr, gradient):
    if name == "w":
        params[name].assign_sub(lr * gradient)


def descend_watching(params, x, y, lr, steps):
    for _ in range(steps):
        with tf.GradientTape() as tape:
            tape.watch(params)
            loss = tf.reduce_mean(tf.square(y - params["w"] * x - params["b"]))
        gradients = tape.gradient(loss, params)
        params = {name: params[name] - lr * gradients[name] for name in params}
    return params


def descend_in_numpy(params, x, y, lr, steps):
    w, b = float(params["w"]), float(params["b"])
    for _ in range(steps):
        error = w * x.numpy() + b - y.numpy()
        w, b = w - lr * 2 * np.mean(error * x.numpy()), b - lr * 2 * np.mean(error)
    return {"b": float(b), "w": float(w)}


def descend_with_zeros_for_none(params, x, y, lr, steps):
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((params["w"] * x + params["b"] - y) ** 2)
        gradients = tape.gradient(loss, params, unconnected_gradients="zero")
        for name in params:
            params[name] = params[name] - lr * gradients[name]
    return params


def descend_with_one_recording(params, x, y, lr, steps):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((params["w"] * x + params["b"] - y) ** 2)
    gradients = tape.gradient(loss, params)
    for _ in range(steps):
        for name in params:
            params[name].assign_sub(lr * gradients[name])
    return params


def descend_and_return_too_early(params, x, y, lr, steps):
    return right_descent(params, x, y, lr, 1)


def descend_on_a_sum(params, x, y, lr, steps):
    return descending(lambda p, n, lr, g: p[n].assign_sub(len(x) * lr * g))(params, x, y, lr, steps)


def right_descent(params, x, y, lr, steps):
    return descending(whole_value)(params, x, y, lr, steps)


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


def keras_cross_entropy(logits, labels):
    return keras.losses.SparseCategoricalCrossentropy(from_logits=True)(labels, logits)


def keras_without_logits(logits, labels):
    return keras.losses.SparseCategoricalCrossentropy()(labels, logits)


def cross_entropy_of_one_hot(logits, labels):
    one_hot = tf.one_hot(labels, logits.shape[1])
    return -tf.reduce_mean(tf.reduce_sum(one_hot * tf.nn.log_softmax(logits), axis=1))


def probability_of_label(logits, labels):
    return tf.gather(tf.nn.softmax(logits), labels, axis=1, batch_dims=1)


def cross_entropy_of_softmax(logits, labels):
    return mean_cross_entropy(tf.nn.softmax(logits), labels)


def errors(logits, labels):
    return 1 - tf.reduce_mean(tf.cast(tf.argmax(logits, axis=1) == labels, tf.float32))


def errors_in_numpy(logits, labels):
    wrong = np.argmax(logits.numpy(), axis=1) != labels.numpy()
    return tf.reduce_mean(tf.cast(wrong, tf.float32))


def cross_entropy_with_guesses(logits, labels):
    return mean_cross_entropy(logits, tf.argmax(logits, axis=1))


def squared_probabilities(logits, labels):
    one_hot = tf.one_hot(labels, logits.shape[1])
    return tf.reduce_mean((tf.nn.softmax(logits) - one_hot) ** 2)


def log_sum_exp_minus_logit(logits, labels):
    return tf.reduce_mean(tf.reduce_logsumexp(logits, 1) - tf.gather(logits, labels, batch_dims=1))


def classifier_gradient_by_hand(W, x, labels):
    p = tf.nn.softmax(x @ W).numpy()
    p[np.arange(len(p)), labels.numpy()] -= 1
    return x.numpy().T @ p / len(p)


def mean_over_all_entries(logits, labels):
    return -tf.reduce_mean(tf.one_hot(labels, logits.shape[1]) * tf.nn.log_softmax(logits))


def softmax_over_rows(logits, labels):
    p = tf.nn.softmax(logits, axis=0)
    return -tf.reduce_mean(tf.math.log(tf.gather(p, labels, batch_dims=1)))


def classifier_loss(W, x, labels):
    return mean_cross_entropy(x @ W, labels)


def transposed_gradient(W, x, labels):
    return tf.transpose(classifying(mean_cross_entropy)(W, x, labels))


# 03.4


def quarters(value, backward):
    """Return an answer to 03.4 from a value of x, and what goes on of (x, y, arriving)."""

    @tf.custom_gradient
    def to_quarters(x):
        y = value(x)
        return y, lambda arriving: backward(x, y, arriving)

    return to_quarters


def nearest(x):
    return tf.round(x * 4.0) * 0.25


def where_inside(x, y, arriving):
    return tf.where((x >= -1) & (x <= 1), arriving, tf.zeros_like(arriving))


def quarters_with_stop_gradient(x):
    inside = tf.clip_by_value(x, -1.0, 1.0)
    return inside + tf.stop_gradient(nearest(x) - inside)


def quarters_without_decorator(x):
    return nearest(x), lambda arriving: where_inside(x, None, arriving)


def quarters_not_called(x):
    return quarters(nearest, where_inside)


def straight_everywhere(x):
    return x + tf.stop_gradient(nearest(x) - x)


def quarters_in_numpy(x):
    return np.round(x.numpy() * 4) / 4


def misspelt(x):
    return tf.rounded(4 * x) / 4


# 03.5


def of_distances(distances_of, reduce=tf.reduce_sum, source=lambda a, b: a):
    def distance_gradient(a, b):
        with tf.GradientTape() as tape:
            total = reduce(distances_of(a, b))
        return tape.gradient(total, source(a, b))

    return distance_gradient


def squares(a, b):
    return tf.reduce_sum((a - b) ** 2, axis=1)


def guarded_distances(a, b):
    square = squares(a, b)
    safe = tf.where(square > 0, square, 1.0)
    return tf.where(square > 0, tf.sqrt(safe), 0.0)


def where_after_the_root(a, b):
    square = squares(a, b)
    return tf.where(square > 0, tf.sqrt(square), 0.0)  # sqrt's rule takes an arriving 0 for 0


def where_after_the_power(a, b):
    square = squares(a, b)
    return tf.where(square > 0, square**0.5, 0.0)


def gradient_by_hand(a, b):
    return tf.math.divide_no_nan(a - b, tf.norm(a - b, axis=1, keepdims=True))


def gradient_mended_afterwards(a, b):
    gradient = of_distances(lambda a, b: tf.sqrt(squares(a, b)))(a, b)
    return tf.where(tf.math.is_nan(gradient), 0.0, gradient)


def gradient_thrown_away(a, b):
    gradient = of_distances(lambda a, b: tf.sqrt(squares(a, b)))(a, b)
    return tf.zeros_like(gradient) if np.isnan(gradient).any() else gradient


def gradient_of_b(a, b):
    return -of_distances(guarded_distances)(a, b)


ANSWERS = {
    "03.1": Answers(
        right=[descending(new_variable), right_descent, descend_watching, descend_in_numpy],
        wrong=[
            Wrong(descending(still_overwritten), "the tape found no path", ERROR),
            Wrong(descending(overwritten_where_there_is_a_gradient), "Only the first step"),
            Wrong(descend_with_zeros_for_none, "Only the first step"),
            Wrong(descend_and_return_too_early, "`return` stands inside the loop"),
            Wrong(descending(other_name), "those that were passed in"),
            Wrong(descending(lambda p, n, lr, g: p[n].assign_add(lr * g)), "move up the slope"),
            Wrong(descending(lambda p, n, lr, g: p[n].assign(-lr * g)), "became -lr times"),
            Wrong(descending(lambda p, n, lr, g: p[n].assign(lr * g)), "became lr times"),
            Wrong(descending(lambda p, n, lr, g: p[n].assign_sub(g)), "multiply the gradient"),
            Wrong(descending(lambda p, n, lr, g: p[n].assign_sub(2 * lr * g)), "twice as long"),
            Wrong(descending(whole_value, lambda steps: steps + 1), "one step too many"),
            Wrong(descending(whole_value, lambda steps: steps - 1), "One step is missing"),
            Wrong(descend_with_one_recording, "the gradient of the first"),
            Wrong(descending(only_w), "w has moved and b has not"),
            Wrong(descending(only_b), "b has moved and w has not"),
            Wrong(descending(lambda p, n, lr, g: p[n].assign_sub(0.1 * g)), "It is lr that says"),
            Wrong(descending(lambda p, n, lr, g: p[n].assign_sub(g / lr)), "Only change the"),
            Wrong(descend_on_a_sum, "Only change the update"),
            Wrong(lambda *given: print(right_descent(*given)), "Return params, below the loop"),
            Wrong(lambda *given: list(right_descent(*given).values()), "a list of 2 items"),
            Wrong(lambda *given: {"w": right_descent(*given)["w"]}, "The dict has w;"),
            Wrong(lambda *given: {"w": 1.0, "b": None}, "Under b stands None"),
        ],
    ),
    "03.2": Answers(
        right=[
            ["None", 2, 0, 1, 2.25],
            (None, 2.0, 0.0, 1.0, 2.25),
            [None, tf.constant(2.0), np.float32(0), 1, 2.25],
        ],
        wrong=[
            Wrong([0.0, 2.0, 0.0, 1.0, 2.25], "there is none. You have 4 of five right"),
            Wrong([3, 2.0, 0.0, 1.0, 2.25], "The only path leads through floor"),
            Wrong([None, None, 0.0, 1.0, 2.25], "The path through round is lost"),
            Wrong([None, 1, 0.0, 1.0, 2.25], "has as its slope the other factor"),
            Wrong([None, 0, 0.0, 1.0, 2.25], "has a path of its own"),
            Wrong([None, 4.5, None, 1.0, 2.25], "x**2, and round gives no path. You have 3"),
            Wrong([None, 4.25, 0.0, 1.0, 2.25], "Only one of the two factors"),
            Wrong([None, 2.25, 0.0, 1.0, 2.25], "the part that comes through round"),
            Wrong([None, 3.0, 0.0, 1.0, 2.25], "round(x) is a constant to the tape"),
            Wrong([None, 2.0, None, 1.0, 2.25], "maximum has a rule"),
            Wrong([None, 2.0, 1, 1.0, 2.25], "if x were the larger one"),
            Wrong([None, 2.0, 5, 1.0, 2.25], "This is y itself"),
            Wrong([None, 2.0, 7, 1.0, 2.25], "Does the maximum move"),
            Wrong([None, 2.0, 0.0, None, 2.25], "Line 4"),
            Wrong([None, 2.0, 0.0, 2.25, 2.25], "Line 4"),
            Wrong([None, 2.0, 0.0, 0, 2.25], "The factor x has a path"),
            Wrong([None, 2.0, 0.0, 8, 2.25], "The comparison gives a constant factor"),
            Wrong([None, 2.0, 0.0, 1.0, 4.5], "the true slope of x**2"),
            Wrong([None, 2.0, 0.0, 1.0, None], "the other factor is x itself"),
            Wrong([None, 2.0, 0.0, 1.0, 1.0], "it is not 1"),
            Wrong([None, 2.0, 0.0, 1.0, 0.0], "x itself, has a path"),
            Wrong([None, 2.0, 0.0, 1.0, 9.0], "x.numpy() is a constant to the tape"),
            Wrong([None, 2.0, 0.0, 1.0], "you wrote a list of 4 items"),
            Wrong(None, "Write a list of five"),
            Wrong([None, [2.0], 0.0, 1.0, 2.25], "Line 2 has a list of 1 item"),
        ],
    ),
    "03.3": Answers(
        right=[
            classifying(keras_cross_entropy),
            classifying(cross_entropy_of_one_hot),
            classifying(
                lambda z, labels: -tf.reduce_mean(tf.math.log(probability_of_label(z, labels)))
            ),
            classifying(log_sum_exp_minus_logit),
            classifier_gradient_by_hand,
        ],
        wrong=[
            Wrong(classifying(errors), "It still returns None"),
            Wrong(classifying(errors_in_numpy), "or through NumPy"),
            Wrong(classifying(errors, unconnected_gradients="zero"), "A zero in place of None"),
            Wrong(classifying(cross_entropies), "the losses are added up"),
            Wrong(classifying(cross_entropy_of_softmax), "The softmax is taken twice"),
            Wrong(classifying(keras_without_logits), "from_logits=True"),
            Wrong(classifying(cross_entropy_with_guesses), "the model's own guesses"),
            Wrong(
                classifying(lambda z, y: 1 - tf.reduce_mean(probability_of_label(z, y))),
                "without the log",
            ),
            Wrong(
                classifying(lambda z, y: tf.reduce_mean(tf.math.log(probability_of_label(z, y)))),
                "minus the log of a probability",
            ),
            Wrong(
                classifying(mean_cross_entropy, lambda W, logits: logits),
                "the gradient of the logits",
            ),
            Wrong(classifying(squared_probabilities), "of the gradient is"),
            Wrong(classifier_loss, "This is the loss"),
            Wrong(lambda W, x, labels: W, "This is W itself"),
            Wrong(transposed_gradient, "has the shape of W"),
            Wrong(classifying(mean_over_all_entries), "too small by the number of classes"),
            Wrong(classifying(softmax_over_rows), "The softmax runs over the examples"),
            Wrong(
                classifying(lambda z, y: tf.reduce_mean(probability_of_label(z, y))),
                "without the log",
            ),
            Wrong(
                classifying(mean_cross_entropy, lambda W, logits: [W]), "with W itself as the sou"
            ),
            Wrong(lambda W, x, labels: [1.0], "you returned a list of 1 item"),
        ],
    ),
    "03.4": Answers(
        right=[
            quarters(nearest, where_inside),
            quarters(nearest, lambda x, y, d: d * tf.cast(tf.abs(x) <= 1, tf.float32)),
            quarters_with_stop_gradient,
            quarters(lambda x: tf.constant(np.floor(4 * x + 0.5) / 4), where_inside),
            lambda x: tf.where(abs(x) <= 1, straight_everywhere(x), tf.stop_gradient(nearest(x))),
        ],
        wrong=[
            Wrong(nearest, "the gradient is None"),
            Wrong(lambda x: tf.constant(nearest(x).numpy()), "the gradient is None"),
            Wrong(quarters(nearest, lambda x, y, d: tf.constant(1.0)), "the shape of x"),
            Wrong(straight_everywhere, "everywhere. Where x lies outside"),
            Wrong(quarters(nearest, lambda x, y, d: d), "everywhere. Where x lies outside"),
            Wrong(
                quarters(nearest, lambda x, y, d: tf.cast(tf.abs(x) <= 1, tf.float32)),
                "You return 1 and 0",
            ),
            Wrong(quarters(nearest, lambda x, y, d: tf.ones_like(d)), "You return 1 everywhere"),
            Wrong(quarters(nearest, lambda x, y, d: d - where_inside(x, y, d)), "exchanged"),
            Wrong(quarters(nearest, lambda x, y, d: where_inside(y, y, d)), "the rounded value"),
            Wrong(
                quarters(nearest, lambda x, y, d: tf.clip_by_value(d, -1, 1)),
                "You clip what arrives",
            ),
            Wrong(quarters(nearest, lambda x, y, d: tf.where(x <= 1, d, 0.0)), "below -1"),
            Wrong(quarters(nearest, lambda x, y, d: tf.where(x >= -1, d, 0.0)), "above 1"),
            Wrong(quarters(nearest, lambda x, y, d: tf.where(abs(x) < 1, d, 0.0)), "both ends"),
            Wrong(lambda x: nearest(x).numpy().tolist(), "the rounded tensor was expected"),
            Wrong(tf.custom_gradient(nearest), "the value and the backward function", ERROR),
            Wrong(quarters(nearest, lambda x, y, d: 4 * where_inside(x, y, d)), "four times"),
            Wrong(quarters(nearest, lambda x, y, d: where_inside(x, y, d) / 4), "a quarter of"),
            Wrong(quarters(nearest, lambda x, y, d: 0 * d), "0 everywhere"),
            Wrong(quarters(nearest, lambda x, y, d: where_inside(x, y, x)), "should go on"),
            Wrong(quarters(tf.round, where_inside), "whole numbers"),
            Wrong(quarters(lambda x: tf.round(4 * x), where_inside), "four times too large"),
            Wrong(quarters(lambda x: tf.floor(4 * x) / 4, where_inside), "You rounded down"),
            Wrong(quarters(lambda x: 4 * tf.round(x / 4), where_inside), "multiples of 4"),
            Wrong(quarters(tf.identity, where_inside), "x itself, not rounded"),
            Wrong(
                quarters(lambda x: nearest(tf.clip_by_value(x, -1, 1)), where_inside),
                "You clipped the values too",
            ),
            Wrong(quarters(lambda x: tf.round(2 * x) / 2, where_inside), "the nearest multiple"),
            Wrong(lambda x: tf.reduce_sum(nearest(x)), "Round every entry by itself"),
            Wrong(quarters_without_decorator, "put it above the function"),
            Wrong(quarters_not_called, "Call it on x"),
            Wrong(quarters_in_numpy, "NumPy's array"),
            Wrong(lambda x: print(nearest(x)), "Your function returned None"),
            Wrong(misspelt, "has no attribute 'rounded'", ERROR),
        ],
    ),
    "03.5": Answers(
        right=[
            of_distances(guarded_distances),
            of_distances(lambda a, b: tf.sqrt(tf.maximum(squares(a, b), 1e-12))),
            gradient_by_hand,
            gradient_mended_afterwards,
            of_distances(where_after_the_root),
            of_distances(lambda a, b: tf.norm(tf.boolean_mask(a - b, squares(a, b) > 0), axis=1)),
            of_distances(lambda a, b: tf.maximum(tf.sqrt(squares(a, b)), 1e-6)),
        ],
        wrong=[
            Wrong(of_distances(lambda a, b: tf.sqrt(squares(a, b)) + 1e-12), "still not finite"),
            Wrong(of_distances(where_after_the_power), "comes too late"),
            Wrong(of_distances(lambda a, b: tf.sqrt(squares(a, b) - 1.0)), "even where"),
            Wrong(of_distances(lambda a, b: tf.norm(a - b, axis=1)), "still not finite"),
            Wrong(of_distances(squares), "the squared distances"),
            Wrong(of_distances(guarded_distances, tf.reduce_mean), "You averaged"),
            Wrong(gradient_of_b, "with respect to b"),
            Wrong(gradient_thrown_away, "makes the whole gradient 0"),
            Wrong(lambda a, b: tf.zeros_like(a), "0 for every pair"),
            Wrong(of_distances(lambda a, b: tf.sqrt(squares(a, b + 1e-5))), "[0, 0] was expected"),
            Wrong(of_distances(lambda a, b: tf.sqrt(squares(a, b) + 1e-5)), "1e-12 is enough"),
            Wrong(of_distances(lambda a, b: tf.sqrt(squares(a, b) + 1e-4)), "1e-12 is enough"),
            Wrong(of_distances(lambda a, b: tf.sqrt(squares(a, b) + 1e-6)), "1e-12 is enough"),
            Wrong(
                of_distances(
                    lambda a, b: tf.where(squares(a, b) < 1e-3, 0.0, guarded_distances(a, b))
                ),
                "for equal points alone",
            ),
            Wrong(
                of_distances(lambda a, b: tf.sqrt(tf.reduce_sum((a - b) ** 2, axis=0) + 1e-12)),
                "down the columns",
            ),
            Wrong(of_distances(guarded_distances, source=lambda a, b: [a]), "with a itself"),
            Wrong(of_distances(lambda a, b: tf.abs(a - b)), "entry by entry"),
            Wrong(of_distances(lambda a, b: tf.norm(a - b)), "under one root"),
            Wrong(of_distances(lambda a, b: 2 * guarded_distances(a, b)), "mend it at 0 only"),
            Wrong(lambda a, b: None, "Your function returned None"),
            Wrong(lambda a, b: guarded_distances(a, b), "has the shape of a"),
            Wrong(lambda a, b: {"a": 1.0}, "you returned a dict of 1 item"),
        ],
    ),
}

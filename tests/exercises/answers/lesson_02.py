import numpy as np
import tensorflow as tf

from answers import ERROR, Answers, Wrong


def gradient_of(formula, source=lambda x: x, **options):
    """Return an answer to 02.1 with another formula."""

    def gradient_of_product(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = formula(x)
        return tape.gradient(y, source(x), **options)

    return gradient_of_product


def product(x):
    return tf.reduce_sum(x**2) * tf.reduce_sum(x)


def product_of_a_variable(x):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(x) * tf.tensordot(x, x, 1)
    return tape.gradient(y, x)


@tf.function
def product_by_the_product_rule(x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x])
        squares, total = tf.einsum("i,i->", x, x), tf.add_n(tf.unstack(x))
    return total * tape.gradient(squares, x) + squares * tape.gradient(total, x)


def product_unwatched(x):
    with tf.GradientTape() as tape:
        y = product(x)
    return tape.gradient(y, x)


def product_unwatched_with_zeros(x):
    with tf.GradientTape() as tape:
        y = product(x)
    return tape.gradient(y, x, unconnected_gradients="zero")


def product_swapped(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = product(x)
    return tape.gradient(x, y)


def product_without_return(x):
    gradient_of(product)(x)


def product_watched_after_the_squares(x):
    with tf.GradientTape() as tape:
        squares = tf.reduce_sum(x**2)
        tape.watch(x)
        y = squares * tf.reduce_sum(x)
    return tape.gradient(y, x)


def product_with_an_early_sum(x):
    total = tf.reduce_sum(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x**2) * total
    return tape.gradient(y, x)


def product_of_a_reshaped_tensor(x):
    with tf.GradientTape() as tape:
        x = tf.reshape(x, (1, -1))
        tape.watch(x)
        y = product(x)
    return tape.gradient(y, x)


def product_in_numpy(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = np.sum(x**2) * np.sum(x)
    return tape.gradient(y, x)


def centred_gradient(score_of=None, watched="given", source="given", **options):
    """Return an answer to 02.3 that watches, or asks for, the given or the centred tensor."""

    def score_gradient(x, w):
        tensors = {"given": x}
        with tf.GradientTape() as tape:
            if watched == "given":
                tape.watch(x)
            tensors["centred"] = x - tf.reduce_mean(x)
            if watched == "centred":
                tape.watch(tensors["centred"])
            c = tensors["centred"]
            score = score_of(x, c, w) if score_of else tf.reduce_sum(w * c**2)
        return tape.gradient(score, tensors[source], **options)

    return score_gradient


def centred_by_a_name_for_the_input(x, w):
    start = x
    with tf.GradientTape() as tape:
        tape.watch(start)
        x = x - tf.reduce_mean(x)
        score = tf.reduce_sum(w * x**2)
    return tape.gradient(score, start)


def centred_by_hand(x, w):
    gradient = 2 * w.numpy() * (x.numpy() - np.mean(x))
    return gradient - np.mean(gradient)


def centred_with_an_early_mean(x, w):
    mean = tf.reduce_mean(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        score = tf.reduce_sum(w * (x - mean) ** 2)
    return tape.gradient(score, x)


def centred_with_a_variable(x, w):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        score = tf.tensordot(w, tf.square(x - tf.reduce_mean(x)), 1)
    return tf.Variable(tape.gradient(score, x))


def centred_with_the_mean_in_numpy(x, w):
    with tf.GradientTape() as tape:
        tape.watch(x)
        centred = x - np.mean(x)
        score = tf.reduce_sum(w * centred**2)
    return tape.gradient(score, x)


def centred_with_the_watch_moved_alone(x, w):
    with tf.GradientTape() as tape:
        tape.watch(x)
        x = x - tf.reduce_mean(x)
        score = tf.reduce_sum(w * x**2)
    return tape.gradient(score, x)


def parabola(sources=None, loss_of=None, strict=True, result=None):
    """Return an answer to 02.4 with other sources, another loss, tape or result."""

    def gradients_of(params, names, x, y):
        chosen = {name: params[name] for name in names}
        with tf.GradientTape(watch_accessed_variables=not strict) as tape:
            tape.watch(chosen)
            error = params["a"] * x**2 + params["b"] * x + params["c"] - y
            loss = (loss_of or mean_square)(error)
        gradients = tape.gradient(loss, sources(params, names) if sources else chosen)
        count = len(tape.watched_variables())
        return result(gradients, count, tape) if result else (gradients, count)

    return gradients_of


def mean_square(error):
    return tf.reduce_mean(error**2)


def parabola_counted_by_its_names(params, names, x, y):
    gradients, _ = parabola(strict=False)(params, names, x, y)
    return gradients, len(names)


def parabola_one_by_one(params, names, x, y):
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        for name in names:
            tape.watch(params[name])
        y_hat = (params["a"] * x + params["b"]) * x + params["c"]
        loss = tf.reduce_mean(tf.square(y - y_hat))
    gradients = tape.gradient(loss, [params[name] for name in names])
    return [dict(zip(names, gradients, strict=True)), len(tape.watched_variables())]


def parabola_with_a_tape_for_each_name(params, names, x, y):
    gradients, count = {}, 0
    for name in names:
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(params[name])
            loss = mean_square(tf.math.polyval([params[key] for key in "abc"], x) - y)
        gradients[name] = float(tape.gradient(loss, params[name]))
        count += len(tape.watched_variables())
    return gradients, np.int64(count)


def parabola_unwatched(params, names, x, y):
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        loss = mean_square(params["a"] * x**2 + params["b"] * x + params["c"] - y)
    return tape.gradient(loss, {n: params[n] for n in names}), len(tape.watched_variables())


def parabola_counted_too_early(params, names, x, y):
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        count = len(tape.watched_variables())
        chosen = {name: params[name] for name in names}
        tape.watch(chosen)
        loss = mean_square(params["a"] * x**2 + params["b"] * x + params["c"] - y)
    return tape.gradient(loss, chosen), count


def parabola_swapped(params, names, x, y):
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        chosen = {name: params[name] for name in names}
        tape.watch(chosen)
        loss = mean_square(params["a"] * x**2 + params["b"] * x + params["c"] - y)
    return tape.gradient(chosen, loss), len(tape.watched_variables())


def parabola_without_return(params, names, x, y):
    parabola()(params, names, x, y)


def parabola_of_each_example(params, names, x, y):
    error = params["a"] * x**2 + params["b"] * x + params["c"] - y
    slopes = {"a": x**2, "b": x, "c": x**0}
    return {name: 2 * error * slopes[name] for name in names}, len(names)


def parameters_themselves(params, names, x, y):
    return {name: params[name] for name in names}, len(names)


ANSWERS = {
    "02.1": Answers(
        right=[
            product_of_a_variable,
            lambda x: 2 * x * np.sum(x) + np.sum(x.numpy() ** 2),
            product_by_the_product_rule,
            lambda x: gradient_of(product)(tf.cast(x, tf.float64)).numpy(),
            gradient_of(lambda x: tf.reduce_sum(x**2) * x),
        ],
        wrong=[
            Wrong(product_unwatched, "nothing told the tape to watch x"),
            Wrong(product_without_return, "Either it returns nothing"),
            Wrong(product_swapped, "the target first"),
            Wrong(product_unwatched_with_zeros, "A zero in place of None"),
            Wrong(product_watched_after_the_squares, "the tape took the squares as a fixed number"),
            Wrong(product_with_an_early_sum, "took the factor sum(x) as a fixed number"),
            Wrong(product_of_a_reshaped_tensor, "computed for the x that came in"),
            Wrong(product, "This is y itself"),
            Wrong(lambda x: tf.reduce_sum(gradient_of(product)(x)), "You added the entries"),
            Wrong(lambda x: [26.0, 38.0, 50.0], "you returned a list of 3 items"),
            Wrong(lambda x: tf.constant([26.0, 38.0, 50.0]), "For x of shape (2,) you returned"),
            Wrong(gradient_of(product, lambda x: [x]), "with x itself as the source"),
            Wrong(lambda x: gradient_of(product)(x)[0], "you returned a tensor with the value 26"),
            Wrong(lambda x: np.float32(26), "you returned an array with the value 26"),
            Wrong(lambda x: x, "This is x itself"),
            Wrong(
                gradient_of(lambda x: tf.reduce_sum(x**2) + tf.reduce_sum(x)),
                "Here the two sums are multiplied",
            ),
            Wrong(gradient_of(lambda x: tf.reduce_sum(x**2 * x)), "Make each sum first"),
            Wrong(gradient_of(lambda x: x**2 * x), "Make each sum first"),
            Wrong(gradient_of(lambda x: tf.reduce_sum(x**2)), "Multiply it by sum(x)"),
            Wrong(
                gradient_of(lambda x: tf.reduce_mean(x**2) * tf.reduce_sum(x)),
                "one of the sums is a mean",
            ),
            Wrong(
                gradient_of(lambda x: tf.reduce_mean(x**2) * tf.reduce_mean(x)),
                "both sums are means",
            ),
            Wrong(gradient_of(lambda x: product(x) ** 2), "For x = [1.0, 2.0, 3.0]"),
            Wrong(
                lambda x: abs(gradient_of(product)(x)), "For x = [1.0, -1.0, -1.0, -1.0, -1.5] the"
            ),
            Wrong(product_in_numpy, "not NumPy's", ERROR),
        ],
    ),
    "02.2": Answers(
        right=[
            (3, None, 5),
            [tf.constant(3.0), None, np.float32(5.0)],
            [3.0, "None", 5.0],
        ],
        wrong=[
            Wrong([None, None, 5.0], "the tape watches it by itself"),
            Wrong([2.0, None, 5.0], "2 is the value of a"),
            Wrong([12.0, None, 5.0], "Only a * b contains a"),
            Wrong([3.0, 2.0, 5.0], "b has trainable=False"),
            Wrong([3.0, 0.0, 5.0], "a path with a flat curve"),
            Wrong([3.0, 3.0, 5.0], "For b you wrote 3"),
            Wrong([3.0, None, None], "runs before 5 * c"),
            Wrong([3.0, None, 13.0], "c**2 ran before tape.watch(c)"),
            Wrong([3.0, None, 8.0], "What runs after it?"),
            Wrong([3.0, None, 4.0], "the slope of what runs after the watch"),
            Wrong([3.0, None], "three entries"),
            Wrong({"a": 3.0}, "three entries"),
            Wrong(None, "three entries"),
            Wrong([3.0, "none at all", 5.0], "The entry for b is 'none at all'"),
            Wrong(np.array([3.0, 0.0, 5.0]), "a path with a flat curve"),
        ],
    ),
    "02.3": Answers(
        right=[centred_by_a_name_for_the_input, centred_by_hand, centred_with_a_variable],
        wrong=[
            Wrong(centred_with_the_watch_moved_alone, "the source is the centred tensor"),
            Wrong(centred_gradient(watched="centred", source="centred"), "Watch x first"),
            Wrong(centred_with_an_early_mean, "computed before tape.watch(x)"),
            Wrong(centred_with_the_mean_in_numpy, "or by NumPy"),
            Wrong(centred_gradient(watched="centred"), "It returns None now"),
            Wrong(lambda x, w: None, "return tape.gradient(score, x)"),
            Wrong(centred_gradient(lambda x, c, w: tf.reduce_sum(w * x**2)), "no longer uses"),
            Wrong(
                centred_gradient(lambda x, c, w: tf.reduce_mean(w * c**2)),
                "too small by the number of entries",
            ),
            Wrong(
                lambda x, w: tf.reduce_sum(w * (x - tf.reduce_mean(x)) ** 2), "This is the score"
            ),
            Wrong(lambda x, w: x - tf.reduce_mean(x), "These are the centred numbers"),
            Wrong(
                centred_gradient(watched="none", unconnected_gradients="zero"),
                "A zero in place of None",
            ),
            Wrong(
                centred_gradient(lambda x, c, w: tf.reduce_sum(w * tf.abs(c))),
                "For x = [1.0, 2.0, 6.0], w = [1.0, 2.0, 3.0] the gradient is",
            ),
            Wrong(
                lambda x, w: tf.reduce_sum(centred_by_hand(x, w)), "you returned a tensor with the"
            ),
            Wrong(lambda x, w: [1.0, 2.0], "you returned a list of 2 items"),
            Wrong(centred_gradient(lambda x, c, w: tf.reduce_sum(c**2)), "The weights are missing"),
            Wrong(lambda x, w: -centred_by_hand(x, w), "The sign is wrong"),
        ],
    ),
    "02.4": Answers(
        right=[
            parabola_one_by_one,
            parabola(loss_of=lambda e: tf.reduce_mean(tf.square(-e))),
            parabola_with_a_tape_for_each_name,
        ],
        wrong=[
            Wrong(parabola(strict=False), "this tape follows every variable"),
            Wrong(parabola_counted_by_its_names, "but your tape watched 3"),
            Wrong(parabola_unwatched, "The gradient of a is None"),
            Wrong(parabola_counted_too_early, "you report 0 watched variables"),
            Wrong(parabola_swapped, "the target first, then the dict"),
            Wrong(parabola_without_return, "Your function returned None"),
            Wrong(parabola(result=lambda g, count, tape: g), "alone. Return two things"),
            Wrong(parabola(result=lambda g, count, tape: (g, count, tape)), "a tuple of 3 items"),
            Wrong(parabola(result=lambda g, count, tape: count), "Return two things"),
            Wrong(
                parabola(result=lambda g, count, tape: (g, tape.watched_variables())),
                "Return the number of watched variables",
            ),
            Wrong(parabola(result=lambda g, count, tape: (g, 7)), "you report 7 watched"),
            Wrong(parabola(result=lambda g, count, tape: (count, g)), "in the wrong order"),
            Wrong(
                parabola(result=lambda g, count, tape: (list(g.values()), count)),
                "a dict was asked for",
            ),
            Wrong(
                parabola(lambda params, names: [params[name] for name in names]),
                "a dict was asked for",
            ),
            Wrong(parabola(lambda params, names: params), "your dict has a, b, c"),
            Wrong(parabola(loss_of=lambda e: tf.reduce_sum(e**2)), "are added up"),
            Wrong(parabola(loss_of=lambda e: e**2), "are added up"),
            Wrong(parabola(loss_of=lambda e: mean_square(e) / 2), "leave out the factor 1/2"),
            Wrong(parabola(loss_of=lambda e: -mean_square(e)), "wrong sign"),
            Wrong(parabola(loss_of=tf.reduce_mean), "Compare your loss with the mean"),
            Wrong(parameters_themselves, "These are the parameters themselves"),
            Wrong(parabola_of_each_example, "The variable is one number"),
        ],
    ),
}

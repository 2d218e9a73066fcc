import numpy as np
import tensorflow as tf

from answers import ERROR, Answers, Wrong


def tape_of(formula):
    """Return a slope function as a learner would write it, for another formula."""

    def slope(x):
        x = tf.Variable(x)
        with tf.GradientTape() as tape:
            y = formula(x)
        return tape.gradient(y, x)

    return slope


def slope_of_a_watched_constant(x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * (x * x - 2)
    return tape.gradient(y, x)


def slope_with_swapped_arguments(x):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = x**3 - 2 * x
    return tape.gradient(x, y)


def slope_computed_too_early(x):
    x = tf.Variable(x)
    y = x**3 - 2 * x
    with tf.GradientTape() as tape:
        pass
    return tape.gradient(y, x)


def slope_of_an_unwatched_constant(x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        y = x**3 - 2 * x
    return tape.gradient(y, x)


def slope_with_zero_for_none(x):
    x = tf.Variable(x)
    y = x**3 - 2 * x
    with tf.GradientTape() as tape:
        pass
    return tape.gradient(y, x, unconnected_gradients="zero")


def slope_with_a_misspelt_name(x):
    return y_of(x)  # noqa: F821


def slope_in_a_list(x):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = x**3 - 2 * x
    return tape.gradient(y, [x])


def slope_of_a_plain_number(x):
    with tf.GradientTape() as tape:
        y = x**3 - 2 * x
    return tape.gradient(y, x)


def slope_without_return(x):
    print(slope_of_a_watched_constant(x))


def slope_of_an_array(x):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = x.numpy() ** 3 - 2 * x.numpy()
    return tape.gradient(y, x)


def gradients_of(loss_of_error, sources=lambda params: params):
    """Return an answer to 01.3 with another loss, or other sources."""

    def loss_gradients(params, x, y):
        with tf.GradientTape() as tape:
            loss = loss_of_error(x @ params["W"] + params["b"] - y)
        return tape.gradient(loss, sources(params))

    return loss_gradients


def mean_square(error):
    return tf.reduce_mean(error**2)


def gradients_by_hand(params, x, y):
    error = x @ params["W"] + params["b"] - y
    return {"W": 2 / len(x) * tf.transpose(x) @ error, "b": 2 * tf.reduce_mean(error)}


def gradients_without_bias(params, x, y):
    with tf.GradientTape() as tape:
        loss = mean_square(x @ params["W"] - y)
    return tape.gradient(loss, params)


def gradients_of_flat_targets(params, x, y):
    with tf.GradientTape() as tape:
        loss = mean_square(x @ params["W"] + params["b"] - tf.squeeze(y))
    return tape.gradient(loss, params)


def gradients_of_each_example(params, x, y):
    error = x @ params["W"] + params["b"] - y
    return {"W": tf.transpose(x) @ error, "b": error}


def gradients_of_copied_weights(params, x, y):
    with tf.GradientTape() as tape:
        loss = mean_square(x @ params["W"].numpy() + params["b"] - y)
    return tape.gradient(loss, params)


def gradients_with_loss(params, x, y):
    return gradients_by_hand(params, x, y), 1.0


def gradients_with_swapped_arguments(params, x, y):
    with tf.GradientTape() as tape:
        loss = mean_square(x @ params["W"] + params["b"] - y)
    tape.gradient(params, loss)


def gradients_with_swapped_factors(params, x, y):
    return gradients_of(mean_square)({"W": x, "b": params["b"]}, params["W"], y)


def gradients_turned_round(params, x, y):
    gradients = gradients_of(mean_square)(params, x, y)
    return {key: -gradient for key, gradient in gradients.items()}


def line_gradient(loss_of, source=lambda w, y_hat: w, **options):
    """Return an answer to 01.4 with another loss, or another source."""

    def gradient_of_w(w, x, y):
        with tf.GradientTape() as tape:
            y_hat = w * x
            loss = loss_of(y_hat, y)
        return tape.gradient(loss, source(w, y_hat), **options)

    return gradient_of_w


def line_mean_square(y_hat, y):
    return tf.reduce_mean((y_hat - y) ** 2)


def line_gradient_in_one_expression(w, x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(y - w * x))
    return tape.gradient(loss, [w])[0]


def line_gradient_still_late(w, x, y):
    product = w * x
    with tf.GradientTape() as tape:
        y_hat = product
        loss = line_mean_square(y_hat, y)
    return tape.gradient(loss, w)


def line_gradient_watching_the_product(w, x, y):
    y_hat = w * x
    with tf.GradientTape() as tape:
        tape.watch(y_hat)
        loss = line_mean_square(y_hat, y)
    return tape.gradient(loss, y_hat)


def line_gradient_with_zeros_for_none(w, x, y):
    y_hat = w * x
    with tf.GradientTape() as tape:
        loss = line_mean_square(y_hat, y)
    return tape.gradient(loss, w, unconnected_gradients="zero")


def line_loss(w, x, y):
    return line_mean_square(w * x, y)


ANSWERS = {
    "01.1": Answers(
        right=[slope_of_a_watched_constant, tape_of(lambda x: x**3 - x - x)],
        wrong=[
            Wrong(slope_with_swapped_arguments, "the target first and the source second"),
            Wrong(slope_computed_too_early, "compute y from it inside the `with` block"),
            Wrong(slope_of_an_unwatched_constant, "make x a tf.Variable"),
            Wrong(slope_without_return, "Either it returns nothing"),
            Wrong(tape_of(lambda x: x * 3 - 2 * x), "write the cube as x**3"),
            Wrong(lambda x: x**3 - 2 * x, "This is y itself"),
            Wrong(tape_of(lambda x: x**3), "slope of x**3 alone"),
            Wrong(tape_of(lambda x: x**3 + 2 * x), "sign of the second term"),
            Wrong(tape_of(lambda x: x**2), "slope of x**2, from the text"),
            Wrong(lambda x: tape_of(lambda x: x**3 - 2 * x)(3.0), "returned 25 for every x"),
            Wrong(tape_of(lambda x: x**4), "At x = 3 the slope of x**3 - 2 * x is 25"),
            Wrong(lambda x: abs(3 * x**2 - 2), "At x = 0.5 the slope of x**3 - 2 * x is -1.25"),
            Wrong(slope_with_zero_for_none, "A zero in place of None"),
            Wrong(tape_of(lambda x: x ^ 3), "a power is **", ERROR),
            Wrong(tf.function(slope_with_a_misspelt_name), "is not defined", ERROR),
            Wrong(slope_in_a_list, "you returned a list of 1 item"),
            Wrong(slope_of_a_plain_number, "Make a tf.Variable from a source", ERROR),
            Wrong(slope_of_an_array, "the computation left TensorFlow", ERROR),
        ],
    ),
    "01.2": Answers(
        right=[[4, 2], tf.TensorShape((4, 2)), (np.int64(4), np.int64(2)), np.array([4, 2])],
        wrong=[
            Wrong((), "the shape of the loss"),
            Wrong((1,), "one number for each"),
            Wrong((2, 4), "W transposed"),
            Wrong((8, 2), "the shape of features @ W"),
            Wrong((8, 4), "the shape of features."),
            Wrong((8,), "keeps the arrangement of W"),
            Wrong((8, 4, 2), "no axis is left"),
            Wrong((3, 3), "what shape does W have?"),
            Wrong(None, "There is a gradient"),
            Wrong("None", "There is a gradient"),
            Wrong(8, "Write the shape as one tuple"),
            Wrong(((4, 2),), "Write the shape as one tuple"),
            Wrong(([4], [2]), "Write the shape as one tuple"),
            Wrong((4.5, 2), "whole numbers"),
        ],
    ),
    "01.3": Answers(
        right=[gradients_by_hand, gradients_of(lambda e: tf.reduce_mean(tf.square(-e)))],
        wrong=[
            Wrong(gradients_of(mean_square, lambda p: [p["W"], p["b"]]), "pass the dict `params`"),
            Wrong(gradients_of(mean_square, lambda p: p["W"]), "the source is the whole dict"),
            Wrong(gradients_of(mean_square, lambda p: {"W": p["W"]}), "The dict has W"),
            Wrong(gradients_of(lambda e: tf.reduce_sum(e**2)), "the squared errors are added up"),
            Wrong(gradients_of(lambda e: e**2), "the tape adds them up by itself"),
            Wrong(gradients_of(lambda e: tf.reduce_mean(e) ** 2), "square each error first"),
            Wrong(gradients_of(lambda e: np.mean(e**2)), "not NumPy's", ERROR),
            Wrong(gradients_with_loss, "Return the dict of gradients alone"),
            Wrong(gradients_with_swapped_arguments, "the target first"),
            Wrong(gradients_with_swapped_factors, "Matrix size-incompatible", ERROR),
            Wrong(gradients_of(lambda e: mean_square(e) / 2), "leave out the factor 1/2"),
            Wrong(gradients_turned_round, "wrong sign"),
            Wrong(gradients_of(tf.reduce_mean), "without squaring"),
            Wrong(gradients_of(lambda e: tf.reduce_mean(e**4)), "not the right values"),
            Wrong(gradients_without_bias, "The gradient of b is None. Use params['b'] itself"),
            Wrong(gradients_of_copied_weights, "The gradient of W is None"),
            Wrong(gradients_of_flat_targets, "do not line up"),
            Wrong(lambda params, x, y: params, "the parameters themselves"),
            Wrong(lambda params, x, y: None, "Your function returned None"),
            Wrong(gradients_of_each_example, "Under b stands an array of shape"),
            Wrong(lambda params, x, y: tf.reduce_mean(x), "the source is the whole dict"),
        ],
    ),
    "01.4": Answers(
        right=[line_gradient_in_one_expression, lambda w, x, y: np.mean(2 * (w * x - y) * x)],
        wrong=[
            Wrong(line_gradient_still_late, "It still returns None"),
            Wrong(line_gradient(line_mean_square, lambda w, y_hat: y_hat), "with respect to y_hat"),
            Wrong(line_gradient_watching_the_product, "with respect to y_hat"),
            Wrong(line_gradient_with_zeros_for_none, "A zero in place of None"),
            Wrong(line_loss, "This is the loss"),
            Wrong(line_gradient(lambda a, y: tf.reduce_sum((a - y) ** 2)), "are added up"),
            Wrong(
                line_gradient(lambda a, y: tf.reduce_mean(tf.abs(a - y))),
                "y = [1.0, 1.0, 1.0] the gradient is 14.667",
            ),
            Wrong(lambda w, x, y: 44 / 3, "and you returned the number 14.6667. Keep"),
            Wrong(lambda w, x, y: tf.abs(line_gradient_in_one_expression(w, x, y)), "For w = -2"),
            Wrong(lambda w, x, y: {"w": w}, "you returned a dict of 1 item"),
        ],
    ),
}

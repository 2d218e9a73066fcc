import numpy as np
import tensorflow as tf

from answers import ERROR, Answers, Wrong


def rate_with_names(f, x, h):
    here, there = f(x), f(x + h)
    return tf.constant(there - here, tf.float64) / h


def mse_with_keras(y_hat, y):
    return tf.keras.losses.MeanSquaredError()(y, y_hat)


@tf.function
def mse_in_a_graph(y_hat, y):
    return tf.reduce_mean(tf.square(y_hat - y))


@tf.function
def mse_that_leaves_the_graph(y_hat, y):
    return np.mean((y_hat - y) ** 2)


ANSWERS = {
    "00.1": Answers(
        right=[6, tf.constant(6.0), np.float32(6.0)],
        wrong=[
            Wrong(9, "9 is the height"),
            Wrong(2.0, "2 is the exponent"),
            Wrong(3, "3 is the place"),
            Wrong(-6.0, "the slope is positive"),
            Wrong(5, "You added"),
            Wrong(12, "12 is twice too much"),
            Wrong(27, "27 is 3**3"),
            Wrong(0.61, "0.61 is how much y grows"),
            Wrong(6.1, "6.1 is the average over a step to x = 3.1"),
            Wrong(6.001, "smaller and smaller steps"),
            Wrong(8, "8 is not the slope"),
            Wrong("6", "A slope is one number, and you wrote '6'"),
            Wrong(None, "you wrote None"),
        ],
    ),
    "00.2": Answers(
        right=[rate_with_names, lambda f, x, h: -(f(x) - f(x + h)) / h],
        wrong=[
            Wrong(lambda f, x, h: f(x + h) - f(x), "Divide the growth by h"),
            Wrong(lambda f, x, h: (f(x) - f(x + h)) / h, "sign is the wrong way round"),
            Wrong(lambda f, x, h: f(x + h) - f(x) / h, "only f(x) was divided"),
            Wrong(lambda f, x, h: abs((f(x + h) - f(x)) / h), "no absolute value"),
            Wrong(lambda f, x, h: (f(x + abs(h)) - f(x)) / abs(h), "Compute f(x + h)"),
            Wrong(lambda f, x, h: (f(x + h) - f(x - h)) / (2 * h), "steps to both sides"),
            Wrong(lambda f, x, h: (f(x + h) - f(x)) / x, "You divided by x"),
            Wrong(lambda f, x, h: f(x + h) / h, "Subtract the old one"),
            Wrong(lambda f, x, h: f(h) - f(x), "x = 2 and h = 0.5 the answer is 15.25"),
            Wrong(lambda f, x, h: 15.25, "and you returned 15.25. Compute f(x + h)"),
            Wrong(lambda f, x, h: round((f(x + h) - f(x)) / h, 1), "the answer is"),
            Wrong(lambda f, x, h: print((f(x + h) - f(x)) / h), "End it with `return`"),
            Wrong(lambda f, x, h: [f(x + h), f(x)], "you returned a list of 2 items"),
            Wrong(lambda f, x, h: (f(x + h) - f) / h, "raised TypeError", ERROR),
            Wrong(15.25, "Pass its name without parentheses"),
        ],
    ),
    "00.3": Answers(
        right=[
            mse_with_keras,
            lambda y_hat, y: tf.reduce_sum((y - y_hat) ** 2) / len(y),
            mse_in_a_graph,
        ],
        wrong=[
            Wrong(lambda y_hat, y: tf.reduce_mean(y - y_hat) ** 2, "averages before it squares"),
            Wrong(lambda y_hat, y: (y_hat - y) ** 2, "squared errors one by one"),
            Wrong(lambda y_hat, y: tf.reduce_sum((y_hat - y) ** 2), "not reduce_sum"),
            Wrong(lambda y_hat, y: tf.reduce_mean(tf.abs(y_hat - y)), "mean absolute error"),
            Wrong(lambda y_hat, y: tf.sqrt(tf.reduce_mean((y_hat - y) ** 2)), "square root out"),
            Wrong(lambda y_hat, y: tf.reduce_mean((y_hat - y) ** 2) / 2, "Leave the factor 1/2"),
            Wrong(lambda y_hat, y: None, "Keep the `return`"),
            Wrong(lambda y_hat, y: "loss", "A loss is one number"),
            Wrong(
                lambda y_hat, y: tf.reduce_mean(y_hat + y), "y = [2.0, 1.0, 2.0] the answer is 2,"
            ),
            Wrong(lambda y_hat, y: 2.0, "and you returned the number 2. Square"),
            Wrong(mse_that_leaves_the_graph, "raised NotImplementedError", ERROR),
        ],
    ),
}

import numpy as np
import tensorflow as tf

from answers import ERROR, Answers, Wrong


def cooling_step(move, formula=lambda a, k, x: a * tf.exp(-k * x), loss_of=None):
    """Return an answer to 08.1: ``move(a, k, da, dk, lr)`` returns what the function returns."""
    loss_of = loss_of or (lambda error: tf.reduce_mean(error**2))

    def one_step(a, k, x, y, lr):
        with tf.GradientTape() as tape:
            loss = loss_of(formula(a, k, x) - y)
        return move(a, k, *tape.gradient(loss, [a, k]), lr)

    return one_step


def new_values(a, k, da, dk, lr):
    return a - lr * da, k - lr * dk


def move_in_place(a, k, da, dk, lr):
    a.assign_sub(lr * da)
    k.assign_sub(lr * dk)
    return [a.numpy(), k.numpy()]


def one_step_by_hand(a, k, x, y, lr):
    a, k, x, y = (np.asarray(value, float) for value in (a, k, x, y))
    decay = np.exp(-k * x)
    error = a * decay - y
    return np.array(
        [a - lr * 2 * np.mean(error * decay), k + lr * 2 * np.mean(error * a * x * decay)]
    )


def one_step_in_turn(a, k, x, y, lr):
    for variable in (a, k):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((a * tf.exp(-k * x) - y) ** 2)
        variable.assign_sub(lr * tape.gradient(loss, variable))
    return a, k


def one_step_without_return(a, k, x, y, lr):
    one_step_in_turn(a, k, x, y, lr)


def line_fit(move=None, loss_of=None, steps_of=lambda steps: steps):
    """Return an answer to 08.3 with another way to move, another loss or number of steps."""
    loss_of = loss_of or (lambda error: tf.reduce_mean(error**2))
    move = move or (lambda variable, gradient, lr, n: variable.assign_sub(lr * gradient))

    def fit_line(x, y, lr, steps):
        w, b = tf.Variable(0.0), tf.Variable(0.0)
        for _ in range(steps_of(steps)):
            with tf.GradientTape() as tape:
                loss = loss_of(w * x + b - y)
            for variable, gradient in zip([w, b], tape.gradient(loss, [w, b]), strict=True):
                move(variable, gradient, lr, len(x))
        return w, b

    return fit_line


def line_fit_in_graph(x, y, lr, steps):
    w, b = tf.Variable(0.0), tf.Variable(0.0)

    @tf.function
    def run():
        for _ in tf.range(steps):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(y - w * x - b))
            dw, db = tape.gradient(loss, [w, b])
            w.assign_sub(lr * dw)
            b.assign_sub(lr * db)

    run()
    return float(w), float(b)


def line_fit_dividing_the_step(x, y, lr, steps):
    return line_fit(loss_of=lambda error: error**2)(x, y, lr / len(x), steps)


def line_fit_in_turn(x, y, lr, steps):
    w, b = tf.Variable(0.0), tf.Variable(0.0)
    for _ in range(steps):
        for variable in (w, b):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((w * x + b - y) ** 2)
            variable.assign_sub(lr * tape.gradient(loss, variable))
    return w, b


def line_fit_rebound(x, y, lr, steps):
    w, b = tf.Variable(0.0), tf.Variable(0.0)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((w * x + b - y) ** 2)
        dw, db = tape.gradient(loss, [w, b])
        w, b = w - lr * dw, b - lr * db
    return w, b


def line_fit_averaged_below_the_block(x, y, lr, steps):
    w, b = tf.Variable(0.0), tf.Variable(0.0)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = (w * x + b - y) ** 2
        loss = tf.reduce_mean(loss)
        dw, db = tape.gradient(loss, [w, b])
        w.assign_sub(lr * dw)
        b.assign_sub(lr * db)
    return w, b


def swapped_line(x, y, lr, steps):
    w, b = line_fit()(x, y, lr, steps)
    return b, w


def add(variable, gradient, lr, n):
    variable.assign_add(lr * gradient)


def sum_of_squares(error):
    return tf.reduce_sum(error**2)


def mean_and_deviation_of(x):
    return x.mean(), x.std()


def parabola_fit(
    steps=300, lr=0.15, scale=mean_and_deviation_of, at=None, degree=2, result=lambda v, theta: v
):
    """Return an answer to 08.4 with other inputs to the parabola, or another result.

    ``scale(x)`` gives what is subtracted and divided by; ``at(x, x_new, z_new)`` is where the
    parabola is evaluated; ``result(values, theta)`` is what comes back.
    """
    at = at or (lambda x, x_new, z_new: z_new)

    def fit_and_predict(x, y, x_new):
        x, y, x_new = (np.asarray(array, np.float32) for array in (x, y, x_new))
        shift, divisor = scale(x)
        columns = np.vander((x - shift) / divisor, degree + 1)
        theta = np.zeros(degree + 1, np.float32)
        with np.errstate(all="ignore"):
            for _ in range(steps):
                theta = theta - lr * 2 * columns.T @ (columns @ theta - y) / len(x)
            values = np.polyval(theta, at(x, x_new, (x_new - shift) / divisor))
        return result(values, theta)

    return fit_and_predict


def parabola_in_a_graph(column=lambda y: y[:, None], result=lambda values: values):
    def fit_and_predict(x, y, x_new):
        mean, deviation = tf.nn.moments(x, axes=[0])[0], tf.math.reduce_std(x)
        theta = tf.Variable(tf.zeros((3, 1)))

        def columns(x):
            z = (x - mean) / deviation
            return tf.stack([z * z, z, tf.ones_like(z)], axis=1)

        @tf.function
        def run():
            for _ in tf.range(400):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean((columns(x) @ theta - column(y)) ** 2)
                theta.assign_sub(0.1 * tape.gradient(loss, theta))

        run()
        return result(columns(x_new) @ theta)

    return fit_and_predict


def parabola_by_polyfit(x, y, x_new):
    x, y, x_new = (np.asarray(array, float) for array in (x, y, x_new))
    shift = x.mean()
    return np.polyval(np.polyfit(x - shift, y, 2), x_new - shift)


def parabola_with_numpy_methods(x, y, x_new):
    return (x_new - x.mean()) / x.std()


def with_its_own_scale(x, x_new, z_new):
    return (x_new - x_new.mean()) / x_new.std()


ANSWERS = {
    "08.1": Answers(
        right=[cooling_step(new_values), cooling_step(move_in_place), one_step_by_hand],
        wrong=[
            Wrong(one_step_without_return, "Your function returned None"),
            Wrong(one_step_in_turn, "taken after a had moved"),
            Wrong(cooling_step(lambda a, k, da, dk, lr: a - lr * da), "You returned a tensor"),
            Wrong(cooling_step(lambda a, k, da, dk, lr: (a, k)), "have not moved"),
            Wrong(cooling_step(lambda a, k, da, dk, lr: (da, dk)), "These are the gradients"),
            Wrong(cooling_step(lambda a, k, da, dk, lr: (lr * da, lr * dk)), "the change alone"),
            Wrong(cooling_step(lambda a, k, da, dk, lr: (a + lr * da, k + lr * dk)), "uphill"),
            Wrong(cooling_step(lambda a, k, da, dk, lr: (a - da, k - dk)), "size is missing"),
            Wrong(
                cooling_step(lambda a, k, da, dk, lr: (a - lr**2 * da, k - lr**2 * dk)),
                "counts twice",
            ),
            Wrong(
                cooling_step(lambda a, k, da, dk, lr: (a - 0.001 * da, k - 0.001 * dk)),
                "Use the argument lr",
            ),
            Wrong(cooling_step(new_values, loss_of=lambda e: e**2), "by the number of examples"),
            Wrong(
                cooling_step(new_values, loss_of=lambda e: tf.reduce_mean(e**2) / 2),
                "half as long",
            ),
            Wrong(cooling_step(lambda *args: new_values(*args)[::-1]), "a comes first"),
            Wrong(cooling_step(new_values, lambda a, k, x: a * tf.exp(k * x)), "with a minus"),
            Wrong(cooling_step(lambda a, k, da, dk, lr: (a - lr * da, k)), "k has not moved"),
            Wrong(cooling_step(lambda a, k, da, dk, lr: (a, k - lr * dk)), "a has not moved"),
            Wrong(
                cooling_step(new_values, loss_of=lambda e: tf.reduce_mean(tf.abs(e))),
                "For a = 2, k = 1, lr = 0.1 and 3 examples one step leads to",
            ),
            Wrong(
                cooling_step(new_values, lambda a, k, x: a.numpy() * tf.exp(-k * x)),
                "None where a tensor",
                ERROR,
            ),
        ],
    ),
    "08.2": Answers(
        right=[0.2, 1 / 5, np.float32(0.2), tf.constant(0.2)],
        wrong=[
            Wrong(10, "10 is the curvature"),
            Wrong(5.0, "5 stands before w²"),
            Wrong(0.4, "0.4 is 2/5"),
            Wrong(0.1, "lands on the minimum"),
            Wrong(1, "Average over both inputs"),
            Wrong(0.3, "by -2: it explodes"),
            Wrong(0.19, "by -0.9, so it converges"),
            Wrong(-0.2, "A step size is positive"),
            Wrong("0.2", "Write one number"),
            Wrong(None, "Write one number"),
            Wrong((0.1, 0.2), "Write one number"),
        ],
    ),
    "08.3": Answers(
        right=[
            line_fit_in_graph,
            line_fit_dividing_the_step,
            line_fit(loss_of=lambda e: tf.reduce_sum(e**2) / tf.cast(tf.size(e), tf.float32)),
        ],
        wrong=[
            Wrong(line_fit(loss_of=sum_of_squares), "still added up"),
            Wrong(line_fit(add), "The loop climbs"),
            Wrong(line_fit(lambda v, g, lr, n: v.assign_sub(lr**2 * g)), "counts twice"),
            Wrong(line_fit(lambda v, g, lr, n: v.assign_sub(g)), "step size is missing"),
            Wrong(line_fit(loss_of=lambda e: sum_of_squares(e) / 200), "divide by 200"),
            Wrong(line_fit(loss_of=lambda e: sum_of_squares(e) / 5), "divide by 5"),
            Wrong(line_fit(lambda v, g, lr, n: v.assign_sub(lr * g / n)), "you divide by it twice"),
            Wrong(line_fit(loss_of=lambda e: tf.reduce_mean(e**2) / 2), "half as long"),
            Wrong(line_fit(steps_of=lambda steps: 1), "Only one step"),
            Wrong(line_fit(steps_of=lambda steps: 0), "w and b are still 0"),
            Wrong(swapped_line, "w comes first"),
            Wrong(line_fit_in_turn, "after w had moved"),
            Wrong(line_fit(loss_of=lambda e: tf.reduce_mean(e) ** 2), "Square each error first"),
            Wrong(line_fit(loss_of=lambda e: tf.reduce_mean(tf.abs(e))), "absolute errors"),
            Wrong(lambda x, y, lr, steps: np.polyfit(x, y, 1), "This is the closed form"),
            Wrong(line_fit(steps_of=lambda steps: steps - 1), "After 3 steps of 0.05 on 5"),
            Wrong(lambda x, y, lr, steps: None, "Your function returned None"),
            Wrong(lambda x, y, lr, steps: line_fit()(x, y, lr, 2)[0], "You returned a variable"),
            Wrong(line_fit_rebound, "or did not watch the source", ERROR),
            Wrong(line_fit_averaged_below_the_block, "None where a tensor", ERROR),
        ],
    ),
    "08.4": Answers(
        right=[
            parabola_in_a_graph(),
            parabola_in_a_graph(result=lambda values: list(values[:, 0].numpy())),
        ],
        wrong=[
            Wrong(parabola_by_polyfit, "no tape was asked"),
            Wrong(parabola_fit(steps=400, lr=0.1), "no tape was asked"),
            Wrong(parabola_in_a_graph(column=lambda y: y), "is a table of n by n"),
            Wrong(parabola_with_numpy_methods, "Use tf.reduce_mean", ERROR),
            Wrong(parabola_fit(scale=lambda x: (0, 1), lr=0.1), "The loop explodes"),
            Wrong(parabola_fit(lr=1.0), "a step size of 0.15 is small enough"),
            Wrong(parabola_fit(scale=lambda x: (0, 1), lr=2e-9), "stops before the minimum"),
            Wrong(
                parabola_fit(scale=lambda x: (x.mean(), 1), lr=0.005, steps=2500),
                "If x is not standardised, standardise it, and x_new in the same way",
            ),
            Wrong(parabola_fit(steps=40, lr=0.1), "ore steps"),
            Wrong(parabola_fit(at=with_its_own_scale), "its own mean and deviation"),
            Wrong(parabola_fit(at=lambda x, x_new, z_new: x_new), "x_new as it is"),
            Wrong(parabola_fit(degree=1), "straight line"),
            Wrong(parabola_fit(degree=0), "the mean of y"),
            Wrong(parabola_fit(steps=0), "All values are 0"),
            Wrong(parabola_fit(steps=10), "stops before the minimum"),
            Wrong(parabola_fit(degree=3, lr=0.05), "is not a * z**2 + b * z + c"),
            Wrong(parabola_fit(result=lambda v, theta: theta), "as the coefficients are"),
            Wrong(parabola_fit(result=lambda v, theta: tuple(theta)), "as the coefficients are"),
            Wrong(parabola_fit(at=lambda x, x_new, z_new: x), "one value for each entry of x."),
            Wrong(parabola_fit(result=lambda v, theta: None), "Your function returned None"),
            Wrong(parabola_fit(result=lambda v, theta: v[0]), "here of shape (5,)"),
        ],
    ),
}

"""Wrong answers to the questions of lesson 02, and what each is told."""

import numpy as np
import tensorflow as tf

from course_utils.exercises import Table, Wrong

# 02.1


def product_gradient(formula, answer=lambda tape, y, x: tape.gradient(y, x), watched=True):
    """Return an answer to 02.1 with another formula, another last line, or nothing watched."""

    def gradient_of_product(x):
        with tf.GradientTape(persistent=True) as tape:
            if watched:
                tape.watch(x)
            y = formula(x)
        return answer(tape, y, x)

    return gradient_of_product


def product(x):
    return tf.reduce_sum(x**2) * tf.reduce_sum(x)


def with_squares_under_the_old_name(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.reduce_sum(x)
        x = x**2
        y = tf.reduce_sum(x) * total
    return tape.gradient(y, x)


def answering(answer, **options):
    return product_gradient(product, answer, **options)


PRODUCTS = {
    "returns none": Wrong(
        "Your function returned `None`. Call `tape.watch(x)` on the first line of the block, "
        "compute `y` from `x` itself inside the block, with TensorFlow functions, and return "
        "`tape.gradient(y, x)`: the target comes first.",
        answering(lambda tape, y, x: tape.gradient(y, x), watched=False),
    ),
    "one entry alone": Wrong(
        "You returned one number. The gradient has one number for each entry of `x`: return "
        "`tape.gradient(y, x)` unchanged.",
        answering(lambda tape, y, x: tape.gradient(y, x)[0]),
    ),
    "returns y": Wrong("This is `y` itself. Return its gradient, `tape.gradient(y, x)`.", product),
    "gradient added up": Wrong(
        "You summed the entries of the gradient. Return `tape.gradient(y, x)` unchanged: it "
        "has one number for each entry of `x`.",
        answering(lambda tape, y, x: tf.reduce_sum(tape.gradient(y, x))),
    ),
    "other shape": Wrong(
        "Your gradient does not have the shape of `x`, which is (n,). Use the original `x` as the "
        "source, not a reshaped copy.",
        lambda x: answering(lambda t, y, x: t.gradient(y, x))(tf.reshape(x, (1, -1))),
        lambda x: answering(lambda t, y, x: t.gradient(y, x))(tf.reshape(x, (-1, 1))),
    ),
    "squares taken out": Wrong(
        "Every entry is `sum(x**2)`: the tape treats that factor as a constant. Compute both sums "
        "inside the block, after `tape.watch(x)`, with TensorFlow functions instead of NumPy.",
        product_gradient(lambda x: float(tf.reduce_sum(x**2)) * tf.reduce_sum(x)),
    ),
    "sum taken out": Wrong(
        "This is `2 * x * sum(x)`: the tape treats the factor `sum(x)` as a constant. Compute "
        "both sums inside the block, after `tape.watch(x)`, with TensorFlow functions "
        "instead of NumPy.",
        product_gradient(lambda x: tf.reduce_sum(x**2) * np.sum(x)),
    ),
    "sums not multiplied": Wrong(
        "This is the gradient of `sum(x**2) + sum(x)`. Multiply the two sums instead of adding "
        "them.",
        product_gradient(lambda x: tf.reduce_sum(x**2) + tf.reduce_sum(x)),
    ),
    "multiplied before summing": Wrong(
        "This is the gradient of `sum(x**3)`: you multiplied `x**2` by `x` before summing. "
        "Compute each sum first, then multiply the two.",
        product_gradient(lambda x: tf.reduce_sum(x**2 * x)),
    ),
    "squared after the sum": Wrong(
        "This is the gradient of `sum(x)**3`: you summed `x` before squaring it. Use the sum "
        "of the squares as the first factor, `tf.reduce_sum(x**2)`.",
        product_gradient(lambda x: tf.reduce_sum(x) ** 2 * tf.reduce_sum(x)),
    ),
    "squares alone": Wrong(
        "This is `2 * x`, the gradient of only `sum(x**2)`. Multiply the two sums inside the "
        "block, and return the gradient of their product.",
        product_gradient(lambda x: tf.reduce_sum(x**2)),
    ),
    "not squared": Wrong(
        "The gradient is the same in every entry, because no entry of `x` is squared. Use the "
        "sum of the squares as the first factor, `tf.reduce_sum(x**2)`.",
        product_gradient(lambda x: tf.reduce_sum(2 * x) * tf.reduce_sum(x)),
        product_gradient(lambda x: tf.reduce_sum(x) * tf.reduce_sum(x)),
    ),
    "asks the squares": Wrong(
        "Every entry is `sum(x)`: this is the gradient with respect to the squares. If you "
        "assigned the squares to `x`, give them a new name, and use `x` as the source.",
        with_squares_under_the_old_name,
    ),
    "returns x": Wrong("You returned `x` itself. Return `tape.gradient(y, x)`.", lambda x: x),
    "zero for none": Wrong(
        "Your function returned 0 for every entry: a `None` was replaced with 0, which only hides "
        "the missing path. Call `tape.watch(x)` on the first line of the block, and compute `y` "
        "after it.",
        answering(
            lambda tape, y, x: tape.gradient(y, x, unconnected_gradients="zero"), watched=False
        ),
    ),
    "watch stored": Wrong(
        "`x` is `None`, because `tape.watch` returns nothing and you wrote `x = "
        "tape.watch(x)`. Write only `tape.watch(x)`.",
        lambda x: product(None),
    ),
    "one mean": Wrong(
        "The gradient is too small by a factor of n, the number of entries: one of the sums is "
        "a mean. Use `tf.reduce_sum` for both.",
        product_gradient(lambda x: tf.reduce_mean(x**2) * tf.reduce_sum(x)),
    ),
    "two means": Wrong(
        "The gradient is too small by a factor of n², where n is the number of entries, because "
        "you used a mean in place of each sum. Use `tf.reduce_sum` for both.",
        product_gradient(lambda x: tf.reduce_mean(x**2) * tf.reduce_mean(x)),
    ),
}

# 02.2

THREE = [
    Table(
        {
            None: "`a` is a trainable variable, and `a * b` reads it inside the block. The "
            "tape watches it automatically, so it has a gradient.",
            2: "2 is the value of `a`. The slope of `a * b` with respect to `a` is the other "
            "factor.",
        },
        "{value} is not the gradient with respect to `a`. Only `a * b` contains `a`, and its slope "
        "with respect to `a` is the other factor.",
    ),
    Table(
        {
            2: "2 would be the slope if the tape watched `b`. But `b` has `trainable=False`, and "
            "the code never calls `tape.watch(b)`.",
            0: "0 would mean that there is a path with slope 0. But the tape does not watch "
            "`b`, so it finds no path.",
        },
        "You wrote {value}, but a tape computes a gradient only for what it watches. `b` has "
        "`trainable=False`, and the code never calls `tape.watch(b)`.",
    ),
    Table(
        {
            None: "`tape.watch(c)` runs before `5 * c`, so `c` does have a gradient. Which "
            "operations ran after that call?",
            13: "13 is the slope of `c**2 + 5 * c`. But `c**2` ran before `tape.watch(c)`, so "
            "the tape did not record it.",
            8: "8 is the slope of `c**2`, but that line ran before `tape.watch(c)`. Count only the "
            "operations that ran after that call.",
        },
        "{value} is not the gradient with respect to `c`. Find the slope of the operations that "
        "run after `tape.watch(c)`.",
    ),
]

# 02.3


def score_gradient_of(score_of, answer=lambda t, score, x, c: t.gradient(score, x), watched=True):
    """Return an answer to 02.3 with another score of (x, centred, w), or another last line."""

    def score_gradient(x, w):
        with tf.GradientTape() as tape:
            if watched:
                tape.watch(x)
            centred = x - tf.reduce_mean(x)
            if not watched:
                tape.watch(centred)
            score = score_of(x, centred, w)
        return answer(tape, score, x, centred)

    return score_gradient


def score(x, centred, w):
    return tf.reduce_sum(w * centred**2)


def score_answering(answer, **options):
    return score_gradient_of(score, answer, **options)


CENTRED = {
    "returns none": Wrong(
        "Your function returns `None`. Call `tape.watch(x)` before the subtraction, compute the "
        "score from `x` inside the block, and return `tape.gradient(score, x)`: the target comes "
        "first.",
        score_gradient_of(score, watched=False),
    ),
    "one entry alone": Wrong(
        "You returned one number. The gradient has one number for each entry of `x`: return "
        "`tape.gradient(score, x)` unchanged.",
        score_answering(lambda tape, score, x, centred: tape.gradient(score, x)[0]),
    ),
    "returns score": Wrong(
        "You returned the score. Return its gradient, `tape.gradient(score, x)`.",
        score_answering(lambda tape, score, x, centred: score),
    ),
    "mean taken out": Wrong(
        "This is `2 * w * (x - mean)`: the tape treats the mean as a constant, or the centered "
        "tensor is your source. Watch `x` first, compute the mean inside the block, give the "
        "difference a new name, and use `x` as the source.",
        score_answering(lambda tape, score, x, centred: tape.gradient(score, centred)),
    ),
    "not centred": Wrong(
        "This is the gradient of the sum of `w * x**2`: your score does not use the centered "
        "numbers. Give them a new name, and square them in the score.",
        score_gradient_of(lambda x, centred, w: tf.reduce_sum(w * x**2)),
    ),
    "squared after the sum": Wrong(
        "This is the gradient of the square of the sum of `w * (x - mean)`. Square each "
        "difference first, then multiply by `w`, then sum.",
        score_gradient_of(lambda x, centred, w: tf.reduce_sum(w * centred) ** 2),
    ),
    "difference of squares": Wrong(
        "This is the gradient of the sum of `w * (x**2 - mean**2)`. The score has `(x - "
        "mean)**2`: subtract first, then square.",
        score_gradient_of(lambda x, centred, w: tf.reduce_sum(w * (x**2 - (x - centred) ** 2))),
    ),
    "mean for sum": Wrong(
        "The gradient is too small by a factor of n, the number of entries. Keep "
        "`tf.reduce_sum` in the score.",
        score_gradient_of(lambda x, centred, w: tf.reduce_mean(w * centred**2)),
    ),
    "returns centred numbers": Wrong(
        "You returned the centered numbers. Return `tape.gradient(score, x)`.",
        lambda x, w: x - tf.reduce_mean(x),
    ),
    "weights missing": Wrong(
        "The weights are missing: this is the gradient of the sum of `(x - mean)**2`. Keep `w` "
        "in the score, as in the exercise.",
        score_gradient_of(lambda x, centred, w: tf.reduce_sum(centred**2)),
    ),
    "weights squared": Wrong(
        "You also square `w`. Square only the centered numbers: `w * centered**2`.",
        score_gradient_of(lambda x, centred, w: tf.reduce_sum((w * centred) ** 2)),
    ),
    "sum subtracted": Wrong(
        "You subtract the sum of `x`. Subtract its mean, as in the exercise.",
        score_gradient_of(lambda x, centred, w: tf.reduce_sum(w * (x - tf.reduce_sum(x)) ** 2)),
    ),
    "asks the weights": Wrong(
        "This is the gradient with respect to `w`. Use `x` as the source: "
        "`tape.gradient(score, x)`.",
        lambda x, w: (x - tf.reduce_mean(x)) ** 2,
    ),
    "divided by the weights": Wrong(
        "You divide the score by the sum of `w`. Keep the sum from the exercise.",
        score_gradient_of(lambda x, centred, w: tf.reduce_sum(w * centred**2) / tf.reduce_sum(w)),
    ),
    "zero for none": Wrong(
        "Your function returned 0 for every entry: a `None` was replaced with 0, so the bug is "
        "still there. Call `tape.watch(x)` before the subtraction.",
        score_answering(
            lambda tape, score, x, c: tape.gradient(score, x, unconnected_gradients="zero"),
            watched=False,
        ),
    ),
    "tensor assigned": Wrong(
        "You assign to `x`, but it is a tensor, and only variables have `assign`. Watch `x`, "
        "and give the difference a new name.",
        score_gradient_of(lambda x, centred, w: tf.reduce_sum(w * x.assign(centred) ** 2)),
        score_gradient_of(lambda x, centred, w: x.assign_sub(x - centred)),
    ),
}

# 02.4


def parabola(
    answer=lambda tape, loss, chosen: tape.gradient(loss, chosen),
    count=lambda tape, chosen: len(tape.watched_variables()),
    loss_of=lambda error: tf.reduce_mean(error**2),
    watched=lambda params, names: names,
    chosen=lambda params, names: {name: params[name] for name in names},
    error_of=lambda x, y, a, b, c: a * x**2 + b * x + c - y,
):
    """Return an answer to 02.4 with other gradients, another count, loss, watch, choice or error."""

    def gradients_of(params, names, x, y):
        sources = chosen(params, names)
        with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
            tape.watch([params[name] for name in watched(params, names)])
            loss = loss_of(error_of(x, y, **params))
        return answer(tape, loss, sources), count(tape, sources)

    return gradients_of


def returning(change):
    return lambda *given: change(*parabola()(*given))


def with_chosen_terms(params, names, x, y):
    sources = {name: params[name] for name in names}
    powers = {"a": x**2, "b": x, "c": tf.ones_like(x)}
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(sources)
        y_hat = sum(sources[name] * powers[name] for name in names)
        loss = tf.reduce_mean((y_hat - y) ** 2)
    return tape.gradient(loss, sources), len(tape.watched_variables())


def with_names_watched(params, names, x, y):
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(names)


PARABOLAS = {
    "terms left out": Wrong(
        "Your prediction uses only the chosen terms. Keep all three, `a * x**2 + b * x + c`: "
        "`names` decides what is watched, not what is computed.",
        with_chosen_terms,
    ),
    "names watched": Wrong(
        "You are watching the names, which are strings. Watch the variables: `params[name]` "
        "for each `name` in `names`.",
        with_names_watched,
    ),
    "returns none": Wrong(
        "Your function returned `None`. Return the dict and the number on its last line.",
        returning(print),
    ),
    "one thing": Wrong(
        "You returned only one value. Return two, separated by a comma: the dict of gradients and "
        "`len(tape.watched_variables())`.",
        returning(lambda gradients, count: gradients),
    ),
    "three things": Wrong(
        "You returned three values. Return two, separated by a comma: the dict of gradients and "
        "`len(tape.watched_variables())`.",
        returning(lambda gradients, count: (gradients, count, 0.0)),
    ),
    "target and sources swapped": Wrong(
        "Your first return value is `None`, but it should be a dict. Call `tape.gradient(loss, "
        "sources)`: the target first, then the dict of the chosen variables.",
        parabola(lambda tape, loss, chosen: tape.gradient(chosen, loss)),
    ),
    "pair turned round": Wrong(
        "The two return values are in the wrong order. Return the dict first, then the number.",
        returning(lambda gradients, count: (count, gradients)),
    ),
    "other names": Wrong(
        "Your dict has the wrong keys. It must contain exactly the names in `names`: select "
        "those from `params` first.",
        parabola(chosen=lambda params, names: params, watched=lambda params, names: params),
        parabola(chosen=lambda params, names: params),
    ),
    "list of gradients": Wrong(
        "You returned a list of gradients. Gradients come back in the structure of the sources: "
        "pass `tape.gradient` the dict `{name: params[name] for name in names}`.",
        parabola(chosen=lambda params, names: [params[name] for name in names]),
    ),
    "not watched": Wrong(
        "A gradient is `None`, because the tape does not watch that variable. Call "
        "`tape.watch(params[name])` in the block for each of the names, before you compute "
        "the prediction from these variables.",
        parabola(watched=lambda params, names: []),
        parabola(watched=lambda params, names: names[:1]),
        parabola(watched=lambda params, names: names[1:]),
        parabola(watched=lambda params, names: names[-1:]),
    ),
    "one for each example": Wrong(
        "One of your gradients has one number per example. Each variable is one number, so its "
        "gradient is one number too: differentiate the mean over the examples.",
        lambda params, names, x, y: (
            {name: x**2 * params["a"] + params["b"] * x + params["c"] - y for name in names},
            len(names),
        ),
    ),
    "target forgotten": Wrong(
        "Your loss does not contain `y`: it is the mean of the squared predictions. Subtract "
        "`y` from the prediction, then square.",
        parabola(error_of=lambda x, y, a, b, c: a * x**2 + b * x + c),
    ),
    "coefficients turned round": Wrong(
        "Your prediction is `a + b * x + c * x**2`. Swap `a` and `c`: the model is `a * x**2 + "
        "b * x + c`.",
        parabola(error_of=lambda x, y, a, b, c: a + b * x + c * x**2 - y),
    ),
    "a and b exchanged": Wrong(
        "Your prediction is `a * x + b * x**2 + c`. Swap `a` and `b`: the model is `a * x**2 + b * "
        "x + c`.",
        parabola(error_of=lambda x, y, a, b, c: a * x + b * x**2 + c - y),
    ),
    "cubed": Wrong(
        "You multiply `a * x**2 + b` by `x`. Multiply only `b` by `x`: `a * x**2 + b * x + c`.",
        parabola(error_of=lambda x, y, a, b, c: (a * x**2 + b) * x + c - y),
    ),
    "x not squared": Wrong(
        "Your prediction has no square: you multiply `a` by `x` or by `2 * x`. Multiply it by "
        "`x**2`.",
        parabola(error_of=lambda x, y, a, b, c: a * x + b * x + c - y),
        parabola(error_of=lambda x, y, a, b, c: 2 * a * x + b * x + c - y),
    ),
    "parameter squared": Wrong(
        "Your prediction squares `a` together with `x`. Square only `x`: write `a * x**2`, not "
        "`(a * x)**2`.",
        parabola(error_of=lambda x, y, a, b, c: (a * x) ** 2 + b * x + c - y),
    ),
    "x and y exchanged": Wrong(
        "`x` and `y` are swapped: you predict `x` from `y`. Compute the prediction from `x`, "
        "and compare it with `y`.",
        parabola(error_of=lambda x, y, a, b, c: a * y**2 + b * y + c - x),
    ),
    "not squared": Wrong(
        "You average the errors without squaring them. Square each error first.",
        parabola(loss_of=tf.reduce_mean),
    ),
    "squared too late": Wrong(
        "You average the errors and then square the result. Square each error first, then take "
        "the mean.",
        parabola(loss_of=lambda error: tf.reduce_mean(error) ** 2),
    ),
    "returns parameters": Wrong(
        "You returned the parameters themselves. Return the gradients of the loss.",
        parabola(lambda tape, loss, chosen: chosen),
    ),
    "errors added up": Wrong(
        "The gradients are too large by a factor of n, the number of examples, because you sum "
        "the squared errors. Average them with `tf.reduce_mean`.",
        parabola(loss_of=lambda error: error**2),
    ),
    "half of them": Wrong(
        "The gradients are half of what they should be. Remove the factor 1/2.",
        parabola(loss_of=lambda error: tf.reduce_mean(error**2) / 2),
    ),
    "all variables watched": Wrong(
        "The gradients are right, but you report 3 watched variables. Create the tape with "
        "`watch_accessed_variables=False`, watch only the chosen variables, and return "
        "`len(tape.watched_variables())`.",
        parabola(watched=lambda params, names: params),
    ),
    "another tape counted": Wrong(
        "The gradients are right, but you report 0 watched variables. Call "
        "`len(tape.watched_variables())` after `tape.watch`, on the tape that computes the "
        "gradients.",
        parabola(count=lambda tape, chosen: 0),
    ),
    "last tape counted": Wrong(
        "The gradients are right, but you report 1 watched variable for two names. Watch both on "
        "one tape, and return `len(tape.watched_variables())` for that tape.",
        parabola(count=lambda tape, chosen: 1),
    ),
    "list as a key": Wrong(
        "You use the list `names` as a key, but each key of `params` is a single name. Select the "
        "variables one at a time: `{name: params[name] for name in names}`.",
        parabola(chosen=lambda params, names: params[names]),
    ),
}

MISTAKES = {"02.1": PRODUCTS, "02.2": THREE, "02.3": CENTRED, "02.4": PARABOLAS}

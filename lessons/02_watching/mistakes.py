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
        "Your function returned None. Either it returns nothing, or nothing told the tape to watch "
        "x, the source: call tape.watch(x) as the first line of the block. Then return "
        "tape.gradient(y, x), the target first.",
        answering(lambda tape, y, x: tape.gradient(y, x), watched=False),
    ),
    "one entry alone": Wrong(
        "You returned one number. The gradient has one number for each entry of x: return what "
        "tape.gradient(y, x) gives as it is.",
        answering(lambda tape, y, x: tape.gradient(y, x)[0]),
    ),
    "returns y": Wrong("This is y itself. Return tape.gradient(y, x), not y.", product),
    "gradient added up": Wrong(
        "You added the entries of the gradient up. Return what tape.gradient(y, x) gives as it is: "
        "one number for each entry of x.",
        answering(lambda tape, y, x: tf.reduce_sum(tape.gradient(y, x))),
    ),
    "other shape": Wrong(
        "A gradient has the shape of its source, and x has shape (n,). Return tape.gradient(y, x), "
        "computed for the x that came in, and not for a reshaped one.",
        lambda x: answering(lambda t, y, x: t.gradient(y, x))(tf.reshape(x, (1, -1))),
        lambda x: answering(lambda t, y, x: t.gradient(y, x))(tf.reshape(x, (-1, 1))),
    ),
    "squares taken out": Wrong(
        "This is sum(x**2) in every entry: the squares count as a fixed number. Compute both sums "
        "inside the block, below tape.watch(x), and with TensorFlow's functions, not NumPy's.",
        product_gradient(lambda x: float(tf.reduce_sum(x**2)) * tf.reduce_sum(x)),
    ),
    "sum taken out": Wrong(
        "This is 2 * x * sum(x): the factor sum(x) counts as a fixed number. Compute both sums "
        "inside the block, below tape.watch(x), and with TensorFlow's functions, not NumPy's.",
        product_gradient(lambda x: tf.reduce_sum(x**2) * np.sum(x)),
    ),
    "sums not multiplied": Wrong(
        "This is the gradient of sum(x**2) + sum(x). Here the two sums are multiplied.",
        product_gradient(lambda x: tf.reduce_sum(x**2) + tf.reduce_sum(x)),
    ),
    "multiplied before summing": Wrong(
        "This is the gradient of sum(x**3): x**2 and x were multiplied before they were added up. "
        "Make each sum first, then multiply the two.",
        product_gradient(lambda x: tf.reduce_sum(x**2 * x)),
    ),
    "squared after the sum": Wrong(
        "This is the gradient of sum(x)**3: x was added up before it was squared. The first factor is "
        "the sum of the squares, tf.reduce_sum(x**2).",
        product_gradient(lambda x: tf.reduce_sum(x) ** 2 * tf.reduce_sum(x)),
    ),
    "squares alone": Wrong(
        "This is 2 * x, the gradient of sum(x**2) alone: the factor sum(x) is missing, or its gradient "
        "stands in its place. Multiply the two sums in the block, and return the gradient of the product.",
        product_gradient(lambda x: tf.reduce_sum(x**2)),
    ),
    "not squared": Wrong(
        "The gradient is the same in every entry: no entry of x is squared. The first factor is the "
        "sum of the squares, tf.reduce_sum(x**2).",
        product_gradient(lambda x: tf.reduce_sum(2 * x) * tf.reduce_sum(x)),
        product_gradient(lambda x: tf.reduce_sum(x) * tf.reduce_sum(x)),
    ),
    "asks the squares": Wrong(
        "This is sum(x) in every entry: the gradient with respect to the squares, not to x. If the name "
        "`x` stands for the squares by the last line, give them a name of their own.",
        with_squares_under_the_old_name,
    ),
    "returns x": Wrong("This is x itself. Return tape.gradient(y, x).", lambda x: x),
    "zero for none": Wrong(
        "It returns 0 for every entry. A zero in place of None hides the fault: call tape.watch(x) "
        "as the first line of the block, and compute y below it.",
        answering(
            lambda tape, y, x: tape.gradient(y, x, unconnected_gradients="zero"), watched=False
        ),
    ),
    "watch stored": Wrong(
        "x is None: tape.watch returns nothing, and `x = tape.watch(x)` stores that. Write "
        "tape.watch(x) alone.",
        lambda x: product(None),
    ),
    "one mean": Wrong(
        "The gradient is too small by the number of entries: one of the sums is a mean. Use "
        "tf.reduce_sum for both.",
        product_gradient(lambda x: tf.reduce_mean(x**2) * tf.reduce_sum(x)),
    ),
    "two means": Wrong(
        "The gradient is too small by the square of the number of entries: both sums are means. "
        "Use tf.reduce_sum for both.",
        product_gradient(lambda x: tf.reduce_mean(x**2) * tf.reduce_mean(x)),
    ),
}

# 02.2

THREE = [
    Table(
        {
            None: "a is a trainable variable, and a * b reads it inside the block: the tape "
            "watches it by itself. It has a gradient.",
            2: "2 is the value of a. The slope of a * b with respect to a is the other factor.",
        },
        "You wrote {value}. Only a * b contains a, and its slope is the other factor.",
    ),
    Table(
        {
            2: "2 would be the slope if the tape watched b: b has trainable=False, and no line "
            "watches it.",
            0: "0 would mean a path with a flat curve; here the tape does not watch b, so it finds "
            "no path.",
        },
        "You wrote {value}, but a tape gives a number only for what it watches: b has "
        "trainable=False, and no line watches it.",
    ),
    Table(
        {
            None: "tape.watch(c) runs before 5 * c, so that c has a gradient.",
            13: "13 is the slope of c**2 + 5 * c, but c**2 ran before tape.watch(c) and was not "
            "recorded.",
            8: "8 is the slope of c**2, and that line ran before tape.watch(c). What runs after "
            "it?",
        },
        "You wrote {value}: take the slope of what runs after the watch.",
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
        "It returns None now: either it returns nothing, or the tensor that you ask for was not "
        "watched before it was used. Call tape.watch(x) before the subtraction, and return "
        "tape.gradient(score, x).",
        score_gradient_of(score, watched=False),
    ),
    "one entry alone": Wrong(
        "You returned one number. The gradient has one number for each entry of x: return what "
        "tape.gradient(score, x) gives as it is.",
        score_answering(lambda tape, score, x, centred: tape.gradient(score, x)[0]),
    ),
    "returns score": Wrong(
        "This is the score. Return tape.gradient(score, x).",
        score_answering(lambda tape, score, x, centred: score),
    ),
    "mean taken out": Wrong(
        "This is 2 * w * (x - mean): the mean counts as a fixed number. That happens if the source "
        "is the centred tensor, or if the tape did not see the mean: computed before "
        "tape.watch(x), or by NumPy. Watch x first, give the difference a name of its own, and ask "
        "for x.",
        score_answering(lambda tape, score, x, centred: tape.gradient(score, centred)),
    ),
    "not centred": Wrong(
        "This is the gradient of the sum of w * x**2: the score no longer uses the centred "
        "numbers. Give these a name of their own, and square them in the score.",
        score_gradient_of(lambda x, centred, w: tf.reduce_sum(w * x**2)),
    ),
    "squared after the sum": Wrong(
        "This is the gradient of the square of the sum of w * (x - mean). Square each difference first, "
        "then weigh it, then add up.",
        score_gradient_of(lambda x, centred, w: tf.reduce_sum(w * centred) ** 2),
    ),
    "difference of squares": Wrong(
        "This is the gradient of the sum of w * (x**2 - mean**2). The score has (x - mean)**2: take the "
        "difference first, and then its square.",
        score_gradient_of(lambda x, centred, w: tf.reduce_sum(w * (x**2 - (x - centred) ** 2))),
    ),
    "mean for sum": Wrong(
        "The gradient is too small by the number of entries. Keep tf.reduce_sum in the score.",
        score_gradient_of(lambda x, centred, w: tf.reduce_mean(w * centred**2)),
    ),
    "returns centred numbers": Wrong(
        "These are the centred numbers. Return tape.gradient(score, x).",
        lambda x, w: x - tf.reduce_mean(x),
    ),
    "weights missing": Wrong(
        "The weights are missing: this is the gradient of the sum of (x - mean)**2. Keep w in the "
        "score, as it was given.",
        score_gradient_of(lambda x, centred, w: tf.reduce_sum(centred**2)),
    ),
    "zero for none": Wrong(
        "It returns 0 for every entry. A zero in place of None hides the fault: call tape.watch(x) "
        "before the subtraction.",
        score_answering(
            lambda tape, score, x, c: tape.gradient(score, x, unconnected_gradients="zero"),
            watched=False,
        ),
    ),
    "tensor assigned": Wrong(
        "A tensor keeps its numbers: only a variable can be assigned to. Watch x, and give the "
        "difference a name of its own.",
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
        "Your prediction has the chosen terms alone. The model keeps all three, "
        "a * x**2 + b * x + c: `names` says what is watched, and not what is computed.",
        with_chosen_terms,
    ),
    "names watched": Wrong(
        "A name is a text, and no tensor. Watch the variables: params[name] for each of the names.",
        with_names_watched,
    ),
    "returns none": Wrong(
        "Your function returned None: its last line must return the dict and the number.",
        returning(print),
    ),
    "one thing": Wrong(
        "You returned one thing alone. Return two things, separated by a comma: a dict of "
        "gradients, and len(tape.watched_variables()).",
        returning(lambda gradients, count: gradients),
    ),
    "three things": Wrong(
        "You returned three things. Return two, separated by a comma: a dict of gradients, and "
        "len(tape.watched_variables()).",
        returning(lambda gradients, count: (gradients, count, 0.0)),
    ),
    "target and sources swapped": Wrong(
        "The first of the two is None, where a dict was asked for. Take tape.gradient(loss, "
        "sources): the target first, then the dict of the chosen variables.",
        parabola(lambda tape, loss, chosen: tape.gradient(chosen, loss)),
    ),
    "pair turned round": Wrong(
        "The two are in the wrong order: return the dict first, and then the number.",
        returning(lambda gradients, count: (count, gradients)),
    ),
    "other names": Wrong(
        "Your dict holds other names than were asked for. It needs exactly those in `names`: "
        "choose them from params first.",
        parabola(chosen=lambda params, names: params, watched=lambda params, names: params),
        parabola(chosen=lambda params, names: params),
    ),
    "not watched": Wrong(
        "A gradient is None. A tape that watches nothing by itself needs tape.watch(params[name]) "
        "in the block for each of the names, before the prediction is computed from these very "
        "variables.",
        parabola(watched=lambda params, names: []),
        parabola(watched=lambda params, names: names[:1]),
        parabola(watched=lambda params, names: names[1:]),
        parabola(watched=lambda params, names: names[-1:]),
    ),
    "one for each example": Wrong(
        "A gradient of yours has one number for each example. The variable is one number, and so "
        "is its gradient: the loss is the mean over the examples.",
        lambda params, names, x, y: (
            {name: x**2 * params["a"] + params["b"] * x + params["c"] - y for name in names},
            len(names),
        ),
    ),
    "target forgotten": Wrong(
        "The loss does not contain y: this is the mean of the squared predictions. Subtract y from the "
        "prediction, and square that.",
        parabola(error_of=lambda x, y, a, b, c: a * x**2 + b * x + c),
    ),
    "coefficients turned round": Wrong(
        "Your prediction is a + b * x + c * x**2. Here `a` belongs to x**2, and `c` stands alone.",
        parabola(error_of=lambda x, y, a, b, c: a + b * x + c * x**2 - y),
    ),
    "x not squared": Wrong(
        "Your prediction has no square: `a` is multiplied by x or by 2 * x. It belongs to x**2.",
        parabola(error_of=lambda x, y, a, b, c: a * x + b * x + c - y),
        parabola(error_of=lambda x, y, a, b, c: 2 * a * x + b * x + c - y),
    ),
    "parameter squared": Wrong(
        "Your prediction squares `a` together with x. Only x is squared: a * x**2, and not (a * x)**2.",
        parabola(error_of=lambda x, y, a, b, c: (a * x) ** 2 + b * x + c - y),
    ),
    "x and y exchanged": Wrong(
        "x and y are exchanged: this predicts x from y. Compute the prediction from x, and compare it "
        "with y.",
        parabola(error_of=lambda x, y, a, b, c: a * y**2 + b * y + c - x),
    ),
    "not squared": Wrong(
        "The errors are averaged without a square: this is the gradient of the mean of prediction - y. "
        "Square each error first.",
        parabola(loss_of=tf.reduce_mean),
    ),
    "squared too late": Wrong(
        "The errors are averaged, and then squared: square each error first.",
        parabola(loss_of=lambda error: tf.reduce_mean(error) ** 2),
    ),
    "returns parameters": Wrong(
        "These are the parameters themselves. Return the gradients of the loss.",
        parabola(lambda tape, loss, chosen: chosen),
    ),
    "errors added up": Wrong(
        "The gradients are too large by the number of examples: the squared errors are added up. "
        "Take tf.reduce_mean of them.",
        parabola(loss_of=lambda error: error**2),
    ),
    "half of them": Wrong(
        "The gradients are half of what they should be: leave out the factor 1/2.",
        parabola(loss_of=lambda error: tf.reduce_mean(error**2) / 2),
    ),
    "all variables watched": Wrong(
        "The gradients are right, but you report 3 watched variables. Report "
        "len(tape.watched_variables()), and not len(params). If that is 3, make the tape with "
        "watch_accessed_variables=False, and watch the chosen ones alone.",
        parabola(watched=lambda params, names: params),
    ),
    "another tape counted": Wrong(
        "The gradients are right, but you report 0 watched variables. Take "
        "len(tape.watched_variables()) after tape.watch, and of the tape that gave the gradients.",
        parabola(count=lambda tape, chosen: 0),
    ),
    "last tape counted": Wrong(
        "The gradients are right, but you report 1 watched variable where two names were asked "
        "for. Return len(tape.watched_variables()) of one tape that watches them all, or add up "
        "over your tapes.",
        parabola(count=lambda tape, chosen: 1),
    ),
    "list as a key": Wrong(
        "`names` is a list, and a dict has one key at a time. Choose them one by one: {name: "
        "params[name] for name in names}.",
        parabola(chosen=lambda params, names: params[names]),
    ),
}

MISTAKES = {"02.1": PRODUCTS, "02.2": THREE, "02.3": CENTRED, "02.4": PARABOLAS}

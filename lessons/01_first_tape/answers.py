"""Answers to lesson 01's exercises: other right ones, and wrong ones that no list holds."""

from collections import deque

import numpy as np
import tensorflow as tf

from course_utils import ExplainingTape


def slope_of(formula, answer=lambda tape, y, x: float(tape.gradient(y, x))):
    def slope(x):
        x = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = formula(x)
        return answer(tape, y, x)

    return slope


def nothing_watched(x):
    x = tf.Variable(x, trainable=False)
    with tf.GradientTape() as tape:
        y = x**3 - 2 * x
    return tape.gradient(y, x)


def tape_used_twice(x):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = x**3 - 2 * x
    print(tape.gradient(y, x))
    return tape.gradient(y, x)


@tf.function
def slope_in_a_graph(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x**3 - 2 * x
    return tape.gradient(y, x)


@tf.function
def line_gradient_in_a_graph(w, x, y):
    with tf.GradientTape() as tape:
        tape.watch(w)
        loss = tf.reduce_mean((w * x - y) ** 2)
    return tape.gradient(loss, w)


def gradients_of(loss_of, answer=lambda tape, loss, params: tape.gradient(loss, params)):
    def loss_gradients(params, x, y):
        with tf.GradientTape() as tape:
            error = y - tf.add(tf.matmul(x, params["W"]), params["b"])
            loss = loss_of(error)
        return answer(tape, loss, params)

    return loss_gradients


def answering(answer):
    return gradients_of(lambda error: tf.reduce_mean(tf.square(error)), answer)


def loss_below_the_block(params, x, y):
    with tf.GradientTape() as tape:
        error = x @ params["W"] + params["b"] - y
    return tape.gradient(tf.reduce_mean(error**2), params)


def elementwise(params, x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x * params["W"] + params["b"] - y) ** 2)
    return tape.gradient(loss, params)


def of_w(answer, read=lambda w: w, reduce=tf.reduce_mean):
    def gradient_of_w(w, x, y):
        with tf.GradientTape() as tape:
            y_hat = tf.multiply(x, read(w))
            loss = reduce(tf.square(y - y_hat))
        return answer(tape, loss, w, y_hat)

    return gradient_of_w


def finished_by_hand(w, x, y):
    error = w * x - y
    with tf.GradientTape() as tape:
        tape.watch(error)
        loss = tf.reduce_mean(error**2)
    return tf.tensordot(tape.gradient(loss, error), x, 1)


def inputs_averaged(w, x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((w * tf.reduce_mean(x) - y) ** 2)
    return tape.gradient(loss, w)


def slope_explained(x):
    x = tf.Variable(x)
    with ExplainingTape() as tape:
        y = x * (x * x - 2)
    return tape.gradient(y, x)


def gradients_by_hand(params, x, y):
    error = x @ params["W"] + params["b"] - y
    return {"W": 2 / len(x) * tf.transpose(x) @ error, "b": 2 * tf.reduce_mean(error)}


def column_of_b_by_hand(params, x, y):
    gradients = gradients_by_hand(params, x, y)
    return gradients | {"b": 2 * tf.reduce_mean(x @ params["W"] + params["b"] - y, axis=0)}


def line_gradient_by_hand(w, x, y):
    return np.mean(2 * (w * x - y) * x)


def walk_recursively(recorded, target):
    def gradient(source, of):
        if source == of:
            return 1.0
        return sum(slope * gradient(source, place) for place, slope in recorded[of])

    return [gradient(place, target) for place in range(len(recorded))]


def walk_by_matrix(recorded, target):
    slopes = np.zeros((len(recorded), len(recorded)))
    for place, inputs in enumerate(recorded):
        for source, slope in inputs:
            slopes[source, place] += slope
    return np.linalg.inv(np.eye(len(slopes)) - slopes)[:, target]


def walk_in_dict(recorded, target, add=lambda old, new: old + new):
    found, waiting = {target: 1.0}, list(range(target, -1, -1))
    for place in waiting:
        for source, slope in recorded[place]:
            found[source] = add(found.get(source, 0.0), found.get(place, 0.0) * slope)
    return tuple(found.get(place, 0.0) for place in range(len(recorded)))


def walk_from_a_queue(recorded, target):
    found, queue = np.eye(len(recorded))[target], deque([target])
    while queue:
        place = queue.popleft()
        for source, slope in recorded[place]:
            found[source] += found[place] * slope
        queue.extend(source for source, _ in recorded[place])
    return found


def walk_while(recorded, target, goes_on):
    found, place = np.eye(len(recorded))[target], target
    while goes_on(recorded[place], found[place]):
        for source, slope in recorded[place]:
            found[source] += found[place] * slope
        place -= 1
    return found


def walk_on_a_reversed_list(recorded, target):
    found, place = np.eye(len(recorded))[target], 0
    for inputs in recorded[::-1]:
        for source, slope in inputs:
            found[source] += found[place] * slope
        place += 1
    return found


def walk_with_pairs_turned(recorded, target):
    found = [0.0] * target + [1.0] + [0.0] * (len(recorded) - target - 1)
    for place in range(target, -1, -1):
        for pair in recorded[place]:
            found[pair[1]] += found[place] * pair[0]
    return found


RIGHT = {
    "01.1": [
        slope_of(lambda x: x * (x * x - 2)),
        slope_of(lambda x: x**3 - x - x, lambda tape, y, x: tape.gradient(y, x)),
        slope_explained,
        lambda x: slope_in_a_graph(tf.constant(x)),
    ],
    "01.2": [[4, 2], tf.TensorShape((4, 2)), (np.int64(4), np.int64(2)), np.array([4, 2])],
    "01.3": [gradients_by_hand, gradients_of(lambda error: tf.reduce_mean(tf.square(-error)))],
    "01.4": [
        of_w(lambda tape, loss, w, y_hat: tape.gradient(loss, [w])[0]),
        of_w(lambda tape, loss, w, y_hat: tape.gradient(loss, w).numpy()),
        tf.function(of_w(lambda tape, loss, w, y_hat: tape.gradient(loss, w))),
        lambda w, x, y: line_gradient_in_a_graph(tf.identity(w), x, y),
    ],
    "01.5": [walk_recursively, walk_by_matrix, walk_in_dict],
}

# Their values are right, and they come from no tape, as the statements demand.
ORACLES = {
    "01.1": [lambda x: 3 * x**2 - 2, tf.function(lambda x: 3 * x**2 - 2)],
    "01.4": [line_gradient_by_hand],
}

WRONG = {
    "01.1": [
        ("returns none", nothing_watched),
        ("returns y", slope_of(lambda x: x * x * x - x - x, lambda tape, y, x: y.numpy())),
        ("second term missing", slope_of(lambda x: tf.pow(x, 3) - 2)),
        ("second sign wrong", slope_of(lambda x: x * (x**2 + 2))),
        ("curve of the text", slope_of(tf.square)),
        ("same slope everywhere", lambda x: slope_of(lambda v: v**3 - v - v)(3.0)),
        ("raised RuntimeError", tape_used_twice),
        ("unexplained", slope_of(lambda x: x**4)),
        ("number in a list", slope_of(lambda x: x**3 - 2 * x, lambda t, y, x: t.gradient(y, [x]))),
        ("no tape", ORACLES["01.1"][0]),
    ],
    "01.2": [
        ("wrote [2, 4]", [2, 4]),
        ("wrote [8, 4, 4, 2]", [8, 4, 4, 2]),
        ("wrote [nan, 2]", (float("inf"), 2)),
        ("other form", ((4, 2), 2)),
    ],
    "01.3": [
        ("returns none", answering(lambda tape, loss, params: tape.gradient(params, loss))),
        ("loss returned too", answering(lambda tape, loss, p: [tape.gradient(loss, p), loss])),
        ("list of gradients", answering(lambda tape, loss, p: tape.gradient(loss, (*p.values(),)))),
        ("other form", answering(lambda tape, loss, p: tape.gradient(loss, p)["W"].numpy())),
        ("other form", answering(lambda tape, loss, p: dict(W=tape.gradient(loss, p["W"])))),
        ("both none", loss_below_the_block),
        ("b in a list", column_of_b_by_hand),
        ("sign", gradients_of(lambda error: -tf.reduce_mean(error * error))),
        ("raised InvalidArgumentError", elementwise),
        ("raised AttributeError", gradients_of(lambda error: np.mean(error**2))),
    ],
    "01.4": [
        ("returns none", of_w(lambda tape, loss, w, y_hat: tape.gradient(loss, w), float)),
        ("zero for none", of_w(lambda t, loss, w, y_hat: t.gradient(loss, w) or 0.0, float)),
        ("one for each example", of_w(lambda t, loss, w, y_hat: t.gradient(loss, [y_hat])[0])),
        ("finished by hand", finished_by_hand),
        ("mean taken early", inputs_averaged),
        ("returns loss", of_w(lambda tape, loss, w, y_hat: float(loss))),
        (
            "errors added up",
            of_w(lambda t, loss, w, y_hat: t.gradient(loss, w), reduce=tf.identity),
        ),
        (
            "raised AttributeError",
            of_w(lambda t, loss, w, y_hat: t.gradient(loss, w).numpy(), float),
        ),
        ("sign", of_w(lambda t, loss, w, y_hat: -t.gradient(loss, w))),
        ("no tape", line_gradient_by_hand),
    ],
    "01.5": [
        ("first way alone", lambda *tape: walk_in_dict(*tape, add=lambda old, new: old or new)),
        ("handed on too early", walk_from_a_queue),
        (
            "stops at a number without inputs",
            lambda *tape: walk_while(*tape, lambda inputs, found: inputs),
        ),
        (
            "stops at a gradient of 0",
            lambda *tape: walk_while(*tape, lambda inputs, found: inputs and found),
        ),
        ("place counted from the front", walk_on_a_reversed_list),
        (
            "pairs in a dict",
            lambda r, target: walk_by_matrix([[*dict(i).items()] for i in r], target),
        ),
        ("place 1 left out", lambda r, target: walk_recursively([[], []] + r[2:], target)),
        ("slope for a place", walk_with_pairs_turned),
        ("sign", lambda *tape: -walk_by_matrix(*tape)),
        ("other form", lambda recorded, target: {0: 1.0}),
    ],
}

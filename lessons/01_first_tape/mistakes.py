"""Wrong answers to the questions of lesson 01, and what each is told."""

import numpy as np
import tensorflow as tf

from course_utils.exercises import Table, Wrong

# 01.1


def slope_of(formula, **options):
    """Return an answer to 01.1 with another formula."""

    def slope(x):
        x = tf.Variable(x)
        with tf.GradientTape() as tape:
            y = formula(x)
        return tape.gradient(y, x, **options)

    return slope


def cubic(x):
    return x**3 - 2 * x


SLOPES = {
    "returns none": Wrong(
        "Your function returned None. Either it returns nothing, or the tape has no path from x to "
        "y: make x a tf.Variable, and compute y from it inside the `with` block. Then return "
        "tape.gradient(y, x), the target first and the source second.",
        lambda x: print(slope_of(cubic)(x)),
    ),
    "returns y": Wrong("This is y itself. Return what tape.gradient(y, x) gives, not y.", cubic),
    "second term missing": Wrong(
        "This is the slope of x**3 alone. The term -2 * x has a slope too: -2.",
        slope_of(lambda x: x**3),
    ),
    "cube of the difference": Wrong(
        "This is the slope of (x - 2 * x)**3. The power binds first: y is x**3, minus 2 * x.",
        slope_of(lambda x: (x - 2 * x) ** 3),
    ),
    "factor of the other term": Wrong(
        "This is the slope of 2 * x**3 - x. The factor 2 stands before the x: y is x**3 - 2 * x.",
        slope_of(lambda x: 2 * x**3 - x),
    ),
    "y over x": Wrong(
        "This is y / x, the slope of the line from the origin to the curve. The curve's own slope "
        "at x is tape.gradient(y, x).",
        lambda x: cubic(x) / x,
    ),
    "second sign wrong": Wrong(
        "The sign of the second term is wrong: y is x**3 - 2 * x, with a minus.",
        slope_of(lambda x: x**3 + 2 * x),
    ),
    "curve of the text": Wrong(
        "This is the slope of x**2, from the text. Here y is x**3 - 2 * x.",
        slope_of(lambda x: x**2),
    ),
    "zero for none": Wrong(
        "Your function returned 0 for every x. A zero in place of None hides the fault: the tape "
        "has no path from x to y. Compute y from the variable, inside the `with` block.",
        slope_of(lambda x: tf.constant(1.0), unconnected_gradients="zero"),
    ),
    "cube taken out": Wrong(
        "This is the slope of -2 * x alone: y lacks the cube, or the cube is a fixed number to the "
        "tape. Compute y as x**3 - 2 * x inside the `with` block, from the variable, without NumPy.",
        slope_of(lambda x: x.numpy() ** 3 - 2 * x),
        slope_of(lambda x: -2 * x),
    ),
    "slope 1 everywhere": Wrong(
        "Your function returned 1 for every x. Either the cube is written as x * 3, or the target "
        "and the source are one tensor: in the block the result needs a name of its own, y.",
        slope_of(lambda x: x * 3 - 2 * x),
    ),
    "same slope everywhere": Wrong(
        "Your function returned the same number for every x, but the slope changes with x. Make "
        "the variable from the argument x.",
        *(lambda x, at=at: slope_of(cubic)(at) for at in (2.0, 3.0, 4.0, 5.0)),
    ),
    "slope of the slope": Wrong(
        "This is the slope of 3 * x**2 - 2, which is the slope already. Record y itself, "
        "x**3 - 2 * x, on one tape.",
        slope_of(lambda x: 3 * x**2 - 2),
    ),
}

# 01.2

SHAPES = Table(
    {
        (): "() is the shape of the loss. The gradient says how the loss moves with each entry of "
        "W, so it has one entry for each.",
        (1,): "The loss is one number, but it moves with every entry of W: the gradient holds one "
        "number for each.",
        (2, 4): "This is W transposed. The gradient has the shape of its source as it stands.",
        (8, 2): "This is the shape of features @ W. The question asks about each entry of W.",
        (8, 4): "This is the shape of features. The question asks about each entry of W.",
        (8,): "W has 8 entries, but the gradient keeps the arrangement of W.",
        (8, 4, 4, 2): "These are the axes of features and of W. The question asks about each entry "
        "of W alone.",
        (8, 4, 2): "The 8 examples are averaged into one loss, so no axis is left for them.",
        None: "There is a gradient: W is a variable, and the loss is computed from it.",
    },
    "This is not it. A gradient holds one number for each entry of its source: what shape does W "
    "have?",
)

# 01.3


def gradients_of(loss_of, answer=lambda tape, loss, params: tape.gradient(loss, params)):
    """Return an answer to 01.3 with another loss of (y_hat, y), or another last line."""

    def loss_gradients(params, x, y):
        with tf.GradientTape(persistent=True) as tape:
            loss = loss_of(x @ params["W"] + params["b"], y)
        return answer(tape, loss, params)

    return loss_gradients


def mean_square(y_hat, y):
    return tf.reduce_mean((y_hat - y) ** 2)


def answering(answer):
    return gradients_of(mean_square, answer)


def with_shapes(**shapes):
    return answering(
        lambda tape, loss, params: {
            key: tf.reshape(gradient, shapes.get(key, gradient.shape))
            for key, gradient in tape.gradient(loss, params).items()
        }
    )


def predicting(predict):
    def loss_gradients(params, x, y):
        with tf.GradientTape() as tape:
            loss = mean_square(predict(x, params["W"], params["b"]), y)
        return tape.gradient(loss, params)

    return loss_gradients


GRADIENTS = {
    "returns none": Wrong(
        "Your function returned None. Either it returns nothing, or the order is wrong: return "
        "tape.gradient(loss, params), the target first.",
        answering(lambda tape, loss, params: None),
    ),
    "loss returned too": Wrong(
        "You returned more than the gradients. Return the dict of gradients alone.",
        answering(lambda tape, loss, params: (tape.gradient(loss, params), loss)),
        answering(lambda tape, loss, params: (loss, tape.gradient(loss, params))),
    ),
    "list of gradients": Wrong(
        "You returned a list. Gradients come back in the structure of the sources: pass the dict "
        "`params` itself as the second argument.",
        answering(lambda tape, loss, p: tape.gradient(loss, [p["W"], p["b"]])),
        answering(lambda tape, loss, p: tape.gradient(loss, [p["b"], p["W"]])),
    ),
    "both none": Wrong(
        "Both gradients are None: the tape found no way from them to the loss. Compute prediction "
        "and loss inside the `with` block, from params['W'] and params['b'] themselves, and without "
        "NumPy.",
        predicting(lambda x, W, b: x @ W.numpy() + b.numpy()),
    ),
    "W read out": Wrong(
        "The gradient of W is None: the tape found no way from it to the loss. Compute the "
        "prediction inside the `with` block, as x @ params['W'] + params['b'], and without NumPy.",
        predicting(lambda x, W, b: x @ W.numpy() + b),
    ),
    "b read out": Wrong(
        "The gradient of b is None: the tape found no way from it to the loss. Compute the "
        "prediction inside the `with` block, as x @ params['W'] + params['b'], and without NumPy.",
        predicting(lambda x, W, b: x @ W),
    ),
    "other shapes": Wrong(
        "A gradient has the shape of its source: (3, 1) for W, and () for b. The tape returns "
        "them so.",
        with_shapes(W=(3,)),
        with_shapes(W=(1, 3)),
        answering(
            lambda tape, loss, p: {**tape.gradient(loss, p), "b": tape.gradient(loss, p["W"])}
        ),
        lambda params, x, y: {
            "W": tf.transpose(x) @ (x @ params["W"] + params["b"] - y),
            "b": x @ params["W"] + params["b"] - y,
        },
    ),
    "returns parameters": Wrong(
        "These are the parameters themselves. Return tape.gradient(loss, params).",
        lambda params, x, y: params,
    ),
    "gradient of the prediction": Wrong(
        "These are the gradients of the prediction, added up over the examples. The target is the "
        "loss: return tape.gradient(loss, params).",
        gradients_of(lambda y_hat, y: y_hat),
    ),
    "errors added up": Wrong(
        "Both gradients are too large by the number of examples: the squared errors are added up, "
        "not averaged over all of them. Take tf.reduce_mean of all, without an axis: the tape adds "
        "up a target of many entries by itself.",
        gradients_of(lambda y_hat, y: (y_hat - y) ** 2),
        gradients_of(lambda y_hat, y: tf.reduce_mean((y_hat - y) ** 2, axis=1)),
    ),
    "half of them": Wrong(
        "Both gradients are half of what they should be. Leave out the factor 1/2, or, by hand, put in the "
        "2 of the square's slope.",
        gradients_of(lambda y_hat, y: mean_square(y_hat, y) / 2),
    ),
    "not squared": Wrong(
        "The errors are averaged, and not squared: (y_hat - y) ** 2 squares each of them.",
        gradients_of(lambda y_hat, y: tf.reduce_mean(y_hat - y)),
        gradients_of(lambda y_hat, y: tf.reduce_mean(y - y_hat)),
    ),
    "squared too late": Wrong(
        "You averaged the errors and then squared: square each error first.",
        gradients_of(lambda y_hat, y: tf.reduce_mean(y_hat - y) ** 2),
    ),
    "stepped parameters": Wrong(
        "These are the parameters after a step. Return their gradients alone.",
        *(
            answering(
                lambda tape, loss, p, lr=lr: {
                    k: p[k] - lr * g for k, g in tape.gradient(loss, p).items()
                }
            )
            for lr in (0.01, 0.1, 1.0)
        ),
    ),
    "b outside the error": Wrong(
        "b is added to the loss, and belongs to the prediction: y_hat = x @ params['W'] + "
        "params['b'], before the square.",
        lambda params, x, y: {
            "W": gradients_of(mean_square)({**params, "b": tf.Variable(0.0)}, x, y)["W"],
            "b": 1.0,
        },
    ),
    "first example alone": Wrong(
        "These are the gradients of the first example's error. Average over all n rows of x and y.",
        lambda params, x, y: gradients_of(mean_square)(params, x[:1], y[:1]),
    ),
    "root taken": Wrong(
        "These are the gradients of the root of the mean squared error. Leave the root out.",
        gradients_of(lambda y_hat, y: tf.sqrt(mean_square(y_hat, y))),
    ),
    "absolute errors": Wrong(
        "These are the gradients of the mean absolute error. Square each error instead.",
        gradients_of(lambda y_hat, y: tf.reduce_mean(abs(y_hat - y))),
    ),
    "table of n by n": Wrong(
        "The prediction and y do not line up: one has shape (n, 1), the other (n,), and their "
        "difference is a table of n by n. Keep both at (n, 1).",
        gradients_of(lambda y_hat, y: mean_square(y_hat, y[:, 0])),
    ),
}

# 01.4


def line_gradient(loss_of, source=lambda w, y_hat: w, **options):
    """Return an answer to 01.4 with another loss, or another source."""

    def gradient_of_w(w, x, y):
        with tf.GradientTape() as tape:
            y_hat = w * x
            loss = loss_of(y_hat, y)
        return tape.gradient(loss, source(w, y_hat), **options)

    return gradient_of_w


def squares(y_hat, y):
    return (y_hat - y) ** 2


def in_numpy(y_hat, y):
    return tf.constant(np.mean((y_hat.numpy() - y.numpy()) ** 2))


LINES = {
    "returns none": Wrong(
        "It still returns None. Every step from w to the loss must run inside the `with` block, "
        "with w itself and not w.numpy(). Then return tape.gradient(loss, w), in this order.",
        line_gradient(in_numpy),
    ),
    "zero for none": Wrong(
        "It returns 0 for every input. A zero in place of None hides the fault: a step from w to "
        "the loss still runs before the tape records. Move it inside the `with` block.",
        line_gradient(in_numpy, unconnected_gradients="zero"),
    ),
    "one for each example": Wrong(
        "You returned one number for each example. The source w is one number, and so is its "
        "gradient: return tape.gradient(loss, w).",
        line_gradient(mean_square, lambda w, y_hat: y_hat),
    ),
    "returns loss": Wrong(
        "This is the loss. Return tape.gradient(loss, w).",
        lambda w, x, y: mean_square(w * x, y),
    ),
    "w for the prediction": Wrong(
        "The error is that of w itself. The prediction is w * x: compute y_hat inside the block, "
        "and use it in the loss.",
        lambda w, x, y: 2 * tf.reduce_mean(w - y) + 0 * line_gradient(mean_square)(w, x, y),
    ),
    "x and y exchanged": Wrong(
        "x and y are exchanged: the prediction is w * x, and its error y_hat - y.",
        lambda w, x, y: line_gradient(mean_square)(w, y, x),
    ),
    "errors added up": Wrong(
        "The gradient is too large by the number of examples: the squared errors are added up. "
        "Keep tf.reduce_mean around them, as it was given.",
        line_gradient(squares),
    ),
    "gradient of the prediction": Wrong(
        "This is the gradient of y_hat, added up over the examples. The target is the mean of the "
        "squared errors, the loss as it was given.",
        line_gradient(lambda y_hat, y: y_hat),
    ),
    "mean taken early": Wrong(
        "The errors, or the inputs, are averaged before the square. Keep the loss as it was given, "
        "and only move a line.",
        line_gradient(lambda y_hat, y: tf.reduce_mean(y_hat - y) ** 2),
    ),
}

# 01.5


def walk(
    hand_on=lambda gradients, place, source, slope: gradients[source] + gradients[place] * slope,
    start=lambda count, target: [float(place == target) for place in range(count)],
    places=lambda count, target: reversed(range(count)),
    inputs=lambda pairs: pairs,
    answer=lambda gradients, target: gradients,
):
    """Return an answer to 01.5 with other steps."""

    def walk_back(recorded, target):
        count = len(recorded)
        gradients = start(count, target)
        for place in places(count, target):
            for source, slope in inputs(recorded[place]):
                gradients[source] = hand_on(gradients, place, source, slope)
        return answer(gradients, target)

    return walk_back


def from_waiting(next_place, once):
    """Return an answer to 01.5 that goes to the inputs of each number, in another order."""

    def walk_back(recorded, target):
        gradients = [float(place == target) for place in range(len(recorded))]
        waiting, seen = [target], set()
        while waiting:
            place = waiting.pop(next_place)
            if once and place in seen:
                continue
            seen.add(place)
            for source, slope in recorded[place]:
                gradients[source] += gradients[place] * slope
                waiting.append(source)
        return gradients

    return walk_back


def stopping(at, first=lambda count, target: target):
    """Return an answer to 01.5 whose walk ends early."""

    def walk_back(recorded, target):
        gradients = [float(place == target) for place in range(len(recorded))]
        for place in range(first(len(recorded), target), -1, -1):
            if at(gradients, recorded, place):
                break
            for source, slope in recorded[place]:
                gradients[source] += gradients[place] * slope
        return gradients

    return walk_back


def handed_on_at_once(recorded, target):
    gradients = [float(place == target) for place in range(len(recorded))]

    def back(place):
        for source, slope in recorded[place]:
            gradients[source] += gradients[place] * slope
            back(source)

    back(target)
    return gradients


def last_way_kept(recorded, target):
    gradients = [0.0] * len(recorded)

    def back(place, arriving):
        gradients[place] = arriving
        for source, slope in recorded[place]:
            back(source, arriving * slope)

    back(target, 1.0)
    return gradients


def counted_from_the_end(recorded, target):
    gradients = [float(place == target) for place in range(len(recorded))]
    for place, inputs in enumerate(reversed(recorded)):
        for source, slope in inputs:
            gradients[source] += gradients[place] * slope
    return gradients


def forwards(recorded, target):
    slopes = [1.0] + [0.0] * (len(recorded) - 1)
    for place, inputs in enumerate(recorded):
        for source, slope in inputs:
            slopes[place] += slopes[source] * slope
    return slopes


def up_to(count, target):
    return reversed(range(target + 1))


def gathered(recorded, target):
    gradients = [float(place == target) for place in range(len(recorded))]
    for place in reversed(range(len(recorded))):
        for source, slope in recorded[place]:
            gradients[place] += gradients[source] * slope
    return gradients


WALKS = {
    "pairs in a dict": Wrong(
        "Where a number uses the same input twice, as x · x does, it has two pairs with one place, and "
        "a dict keeps one of them. Go through the pairs as they are.",
        walk(inputs=lambda pairs: dict(pairs).items()),
    ),
    "ways multiplied": Wrong(
        "You multiply what a number has already. Along a path the slopes multiply; where paths meet, "
        "what arrives adds up: start at 0, and use `+=`.",
        *(
            walk(
                lambda g, place, source, slope: g[source] * g[place] * slope,
                start=lambda count, target: [1.0] * count,
                places=places,
            )
            for places in (up_to, lambda count, target: reversed(range(count)))
        ),
    ),
    "in reverse": Wrong(
        "The gradients are right, and in reverse. The first of the list belongs to the first number.",
        walk(answer=lambda g, target: g[::-1]),
        walk(answer=lambda g, target: g[target::-1] + g[target + 1 :]),
    ),
    "ways do not add": Wrong(
        "Where two paths lead to one number, the second replaces the first. Add to what the input "
        "has already: `+=` in place of `=`.",
        walk(lambda gradients, place, source, slope: gradients[place] * slope),
        walk(
            lambda gradients, place, source, slope: gradients[place] * slope,
            places=lambda count, target: reversed(range(target + 1)),
        ),
        last_way_kept,
    ),
    "handed on too early": Wrong(
        "A number hands its gradient on before all of it has arrived, or more than once. Go through "
        "the places from the last to the first, once: then each is complete when you come to it.",
        *(from_waiting(*options) for options in ((-1, True), (-1, False), (0, True), (0, False))),
        handed_on_at_once,
    ),
    "stops at a number without inputs": Wrong(
        "A number without inputs may stand in the middle. Your walk ends there: go on to the places "
        "before it.",
        stopping(lambda gradients, recorded, place: not recorded[place]),
    ),
    "stops at a gradient of 0": Wrong(
        "A number from which no path leads to the target has the gradient 0. Your walk ends there: go "
        "on to the places before it.",
        stopping(lambda gradients, recorded, place: not gradients[place]),
        stopping(
            lambda gradients, recorded, place: not gradients[place], lambda count, target: count - 1
        ),
    ),
    "place counted from the front": Wrong(
        "The list is reversed, and the places are counted from 0, as by enumerate, so that the two "
        "do not fit. Take the places in reverse, reversed(range(len(recorded))), and "
        "recorded[place].",
        counted_from_the_end,
    ),
    "slope for a place": Wrong(
        "A list takes a whole number in its brackets, and here stands a slope. Each pair holds the "
        "place first: `for source, slope in recorded[place]`.",
        lambda recorded, target: [0.0][recorded[target][0][1]],
    ),
    "first way alone": Wrong(
        "Where two paths lead to one number, you keep the first only. Add what comes on the others.",
        walk(lambda g, place, source, slope: g[source] or g[place] * slope),
    ),
    "walks forward": Wrong(
        "Your walk comes to the inputs of the target, and no further. Either it goes from the first "
        "place to the last, or a `return` inside the loop ends it: go through the places in "
        "reverse, and return below the loop.",
        walk(places=lambda count, target: range(count)),
    ),
    "slopes added along a way": Wrong(
        "Along a path you add the slopes. They multiply: gradients[place] * slope.",
        walk(lambda g, place, source, slope: g[source] + g[place] + slope),
    ),
    "slope alone": Wrong(
        "You hand on the slope of the last step alone. Multiply it by the gradient of the place "
        "that it comes from.",
        *(
            walk(lambda g, place, source, slope: g[source] + slope, places=places)
            for places in (up_to, lambda count, target: reversed(range(count)))
        ),
    ),
    "walks from the first number": Wrong(
        "These are the slopes of each number with respect to the first, found on a walk forwards. "
        "Start with a 1 at the target, and hand on to the inputs, from the last place to the first.",
        forwards,
    ),
    "starts at place 3": Wrong(
        "You start at place 3, the target of the list above. Start at `target`, wherever it stands.",
        lambda recorded, target: walk()(recorded, 3)[: len(recorded)],
    ),
    "both_paths alone": Wrong(
        "The gradient of x is right, that of the numbers between is missing. Each place on a path "
        "gets its gradient, before it hands it on.",
        walk(answer=lambda g, target: [g[0]] + [0.0] * (len(g) - 1)),
    ),
    "starts at the last number": Wrong(
        "You start at the last number of the tape. Start with a 1 at the target, wherever it stands.",
        walk(start=lambda count, target: [0.0] * (count - 1) + [1.0]),
    ),
    "starts with zeros": Wrong(
        "Every gradient is 0, as nothing starts the walk. The gradient of the target with respect "
        "to itself is 1.",
        walk(start=lambda count, target: [0.0] * count),
    ),
    "starts with ones": Wrong(
        "Every number starts with a 1. Only the target does: the others start at 0.",
        walk(start=lambda count, target: [1.0] * count),
        walk(start=lambda count, target: [1.0] * count, places=up_to),
    ),
    "target left at 0": Wrong(
        "The gradient of the target with respect to itself is 1, and your list has another number "
        "there.",
        walk(answer=lambda g, target: [0.0 if i == target else x for i, x in enumerate(g)]),
    ),
    "first input alone": Wrong(
        "You hand on to the first input of each number alone. Each of them gets its part.",
        walk(inputs=lambda pairs: pairs[:1]),
    ),
    "target left out": Wrong(
        "Nothing is handed on from the target. Each of its inputs gets gradients[place] * slope, added to "
        "gradients[source]. Is the target among the places, as in reversed(range(target + 1)), and does "
        "the loop over the inputs stand inside the other?",
        walk(places=lambda count, target: reversed(range(target))),
        gathered,
    ),
    "last place left out": Wrong(
        "The last place is left out, as range(n) ends before n. reversed(range(len(recorded))) has "
        "it.",
        walk(places=lambda count, target: reversed(range(count - 1))),
    ),
    "place 1 left out": Wrong(
        "Your walk ends before place 1, which may have inputs, too. Down to the first place goes "
        "range(target, -1, -1).",
        walk(places=lambda count, target: range(target, 1, -1)),
    ),
    "returned in the loop": Wrong(
        "Your walk stops after its first place. A `return` inside the loop does that: move it to the "
        "left, below the loop.",
        walk(places=lambda count, target: [count - 1]),
    ),
    "None where no way leads": Wrong(
        "Your list has None where no path leads to the target. TensorFlow's tape answers so, too; in "
        "this list write 0.",
        walk(answer=lambda g, target: [x or None for x in g]),
    ),
    "gradient of x alone": Wrong(
        "This is one number, the gradient of the first one. Return the whole list.",
        walk(answer=lambda gradients, target: gradients[0]),
    ),
    "returned None": Wrong(
        "Your function returned None. Return the list of gradients.",
        walk(answer=lambda gradients, target: None),
    ),
}

MISTAKES = {"01.1": SLOPES, "01.2": SHAPES, "01.3": GRADIENTS, "01.4": LINES, "01.5": WALKS}

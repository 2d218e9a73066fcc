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
        "Your function returned `None`. Make `x` a `tf.Variable` with a float in it, compute `y` "
        "from the variable inside the `with` block, and end with `return tape.gradient(y, x)`: "
        "first the target, then the source.",
        lambda x: print(slope_of(cubic)(x)),
    ),
    "returns y": Wrong("This is `y` itself. Return its gradient, `tape.gradient(y, x)`.", cubic),
    "second term missing": Wrong(
        "This is the slope of `x**3` only. Subtract `2 * x` as well: its slope is 2.",
        slope_of(lambda x: x**3),
    ),
    "cube of the difference": Wrong(
        "This is the slope of `(x - 2 * x)**3`. Compute `x**3` first, then subtract `2 * x`.",
        slope_of(lambda x: (x - 2 * x) ** 3),
    ),
    "factor of the other term": Wrong(
        "This is the slope of `2 * x**3 - x`: the factor 2 is on the wrong term. Compute `x**3 - 2 "
        "* x`.",
        slope_of(lambda x: 2 * x**3 - x),
    ),
    "y over x": Wrong(
        "This is `y / x`, the slope of the line from the origin to the curve. For the curve's "
        "own slope at x, return `tape.gradient(y, x)`.",
        lambda x: cubic(x) / x,
    ),
    "second sign wrong": Wrong(
        "The sign of the second term is wrong. Subtract it: compute `x**3 - 2 * x`.",
        slope_of(lambda x: x**3 + 2 * x),
    ),
    "curve of the text": Wrong(
        "This is the slope of `x**2`, the curve from the text. Use the curve of this exercise, "
        "`x**3 - 2 * x`.",
        slope_of(lambda x: x**2),
    ),
    "zero for none": Wrong(
        "Your function returned 0 for every x: a `None` was replaced with 0, which only hides the "
        "missing path. Compute `y` from the variable, inside the `with` block.",
        slope_of(lambda x: tf.constant(1.0), unconnected_gradients="zero"),
    ),
    "cube taken out": Wrong(
        "This is the slope of `-2 * x` only: the cube is missing, or it is a constant to the "
        "tape. Compute `x**3 - 2 * x` from the variable inside the `with` block, without "
        "NumPy.",
        slope_of(lambda x: x.numpy() ** 3 - 2 * x),
        slope_of(lambda x: -2 * x),
    ),
    "slope 1 everywhere": Wrong(
        "Your function returned 1 for every x. Write the cube as `x**3`, not `x * 3`, and "
        "assign the result to a new name such as `y`, not to `x`.",
        slope_of(lambda x: x * 3 - 2 * x),
    ),
    "same slope everywhere": Wrong(
        "Your function returned the same number for every x, but the slope changes with x. "
        "Create the variable from the argument `x`.",
        *(lambda x, at=at: slope_of(cubic)(at) for at in (2.0, 3.0, 4.0, 5.0)),
    ),
    "slope of the slope": Wrong(
        "This is the slope of `3 * x**2 - 2`, which is already the slope of y. Record `x**3 - "
        "2 * x` itself, on one tape.",
        slope_of(lambda x: 3 * x**2 - 2),
    ),
}

# 01.2

SHAPES = Table(
    {
        (): "() is the shape of the loss. The gradient says how the loss changes with each "
        "entry of `W`, so it has one number per entry.",
        (1,): "The loss is one number, but it changes with every entry of `W`. The gradient "
        "has one number per entry.",
        (2, 4): "This is the shape of `W` transposed. The gradient keeps the axes of its source in "
        "the same order.",
        (8, 2): (
            "This is the shape of `features @ W`. The question asks for one number for each entry "
            "of `W`."
        ),
        (8, 4): (
            "This is the shape of `features`. The question asks for one number for each entry of "
            "`W`."
        ),
        (8,): "`W` does have 8 entries. But the gradient also keeps the arrangement of `W` in "
        "rows and columns.",
        (8, 4, 4, 2): (
            "These are the axes of both `features` and `W`. The question asks only for one number "
            "for each entry of `W`."
        ),
        (8, 4, 2): "This has an axis for the 8 examples. But they are averaged into one loss, "
        "so no axis is left for them.",
        None: "There is a gradient: `W` is a variable, and the loss is computed from it inside "
        "the block. Write its shape.",
    },
    "This is not the shape. A gradient has one number for each entry of its source, so what "
    "shape does `W` have?",
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
        "Your function returned `None`. Return `tape.gradient(loss, params)`: the target comes "
        "first, then the sources.",
        answering(lambda tape, loss, params: None),
    ),
    "loss returned too": Wrong(
        "You returned more than the gradients. Return only the dict of gradients.",
        answering(lambda tape, loss, params: (tape.gradient(loss, params), loss)),
        answering(lambda tape, loss, params: (loss, tape.gradient(loss, params))),
    ),
    "list of gradients": Wrong(
        "You returned a list. Gradients come back in the structure of the sources, so pass the "
        "dict `params` itself as the second argument.",
        answering(lambda tape, loss, p: tape.gradient(loss, [p["W"], p["b"]])),
        answering(lambda tape, loss, p: tape.gradient(loss, [p["b"], p["W"]])),
    ),
    "both none": Wrong(
        "Both gradients are `None`: no path leads from `params` to the loss. Compute the "
        'prediction and the loss inside the `with` block, from `params["W"]` and '
        '`params["b"]`, without NumPy.',
        predicting(lambda x, W, b: x @ W.numpy() + b.numpy()),
    ),
    "W read out": Wrong(
        "The gradient with respect to `W` is `None`: no path leads from `W` to the loss. "
        'Compute `x @ params["W"] + params["b"]` inside the `with` block, without NumPy.',
        predicting(lambda x, W, b: x @ W.numpy() + b),
    ),
    "b read out": Wrong(
        "The gradient with respect to `b` is `None`: no path leads from `b` to the loss. "
        'Compute `x @ params["W"] + params["b"]` inside the `with` block, without NumPy.',
        predicting(lambda x, W, b: x @ W),
    ),
    "other shapes": Wrong(
        "At least one gradient has the wrong shape: it should be (3, 1) for `W` and () for `b`. "
        "Return the dict from `tape.gradient(loss, params)` unchanged.",
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
        "You returned the parameters themselves. Return `tape.gradient(loss, params)`.",
        lambda params, x, y: params,
    ),
    "gradient of the prediction": Wrong(
        "These are the gradients of the predictions, summed over the examples. The target is "
        "the loss: return `tape.gradient(loss, params)`.",
        gradients_of(lambda y_hat, y: y_hat),
    ),
    "errors added up": Wrong(
        "Both gradients are too large by a factor of n, the number of examples, because your loss "
        "or the tape adds up the squared errors. Use `tf.reduce_mean` without an axis.",
        gradients_of(lambda y_hat, y: (y_hat - y) ** 2),
        gradients_of(lambda y_hat, y: tf.reduce_mean((y_hat - y) ** 2, axis=1)),
    ),
    "half of them": Wrong(
        "Both gradients are half of what they should be. Remove the factor 1/2; if you "
        "differentiate by hand, include the 2 from the square.",
        gradients_of(lambda y_hat, y: mean_square(y_hat, y) / 2),
    ),
    "not squared": Wrong(
        "You average the errors without squaring them. Square each error first: `(y_hat - y) "
        "** 2`.",
        gradients_of(lambda y_hat, y: tf.reduce_mean(y_hat - y)),
        gradients_of(lambda y_hat, y: tf.reduce_mean(y - y_hat)),
    ),
    "squared too late": Wrong(
        "You average the errors and then square the result. Square each error first, then take "
        "the mean.",
        gradients_of(lambda y_hat, y: tf.reduce_mean(y_hat - y) ** 2),
    ),
    "stepped parameters": Wrong(
        "You returned the parameters after an update. Return only their gradients.",
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
        "You add `b` to the loss, but it belongs to the prediction. Compute `y_hat = x @ "
        'params["W"] + params["b"]` before you square the error.',
        lambda params, x, y: {
            "W": gradients_of(mean_square)({**params, "b": tf.Variable(0.0)}, x, y)["W"],
            "b": 1.0,
        },
    ),
    "first example alone": Wrong(
        "These are the gradients for the first example only. Average over all n rows of `x` "
        "and `y`.",
        lambda params, x, y: gradients_of(mean_square)(params, x[:1], y[:1]),
    ),
    "root taken": Wrong(
        "You take the square root of the mean squared error. Remove the square root.",
        gradients_of(lambda y_hat, y: tf.sqrt(mean_square(y_hat, y))),
    ),
    "absolute errors": Wrong(
        "You use the mean absolute error. Square each error instead.",
        gradients_of(lambda y_hat, y: tf.reduce_mean(abs(y_hat - y))),
    ),
    "b subtracted": Wrong(
        'You subtract `b`. The prediction is `x @ params["W"] + params["b"]`.',
        predicting(lambda x, W, b: x @ W - b),
    ),
    "table of n by n": Wrong(
        "One of `y_hat` and `y` has shape (n, 1), the other (n,), so their difference "
        "broadcasts to (n, n). Keep both at (n, 1).",
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
        "The gradient is still `None`. Compute every step from `w` to `loss` inside the `with` "
        "block, from `w` and not `w.numpy()`, and return `tape.gradient(loss, w)`.",
        line_gradient(in_numpy),
    ),
    "zero for none": Wrong(
        "Your function returned 0 for every input: a `None` was replaced with 0, so the bug is "
        "still there. One step between `w` and `loss` runs before the tape starts recording: move "
        "it into the `with` block.",
        line_gradient(in_numpy, unconnected_gradients="zero"),
    ),
    "one for each example": Wrong(
        "You returned one number per example. The source `w` is one number, so its gradient is "
        "also one number: return `tape.gradient(loss, w)`.",
        line_gradient(mean_square, lambda w, y_hat: y_hat),
    ),
    "returns loss": Wrong(
        "You returned the loss. Return its gradient, `tape.gradient(loss, w)`.",
        lambda w, x, y: mean_square(w * x, y),
    ),
    "w for the prediction": Wrong(
        "You use `w` itself as the prediction. The prediction is `w * x`: compute `y_hat` "
        "inside the block, and use it in the loss.",
        lambda w, x, y: 2 * tf.reduce_mean(w - y) + 0 * line_gradient(mean_square)(w, x, y),
    ),
    "w added to x": Wrong(
        "You add `w` to `x`. The prediction is `w * x`, as in the exercise.",
        lambda w, x, y: 2 * tf.reduce_mean(w + x - y) + 0 * line_gradient(mean_square)(w, x, y),
    ),
    "x and y exchanged": Wrong(
        "`x` and `y` are swapped. Compute the prediction from `x`, and the error as `w * x - y`.",
        lambda w, x, y: line_gradient(mean_square)(w, y, x),
    ),
    "errors added up": Wrong(
        "The gradient is too large by a factor of n, the number of examples, because you sum "
        "the squared errors. Keep `tf.reduce_mean` around them, as in the exercise.",
        line_gradient(squares),
    ),
    "gradient of the prediction": Wrong(
        "This is the gradient of `y_hat`, summed over the examples. Use `loss`, the mean of "
        "the squared errors, as the target.",
        line_gradient(lambda y_hat, y: y_hat),
    ),
    "mean taken early": Wrong(
        "You average the errors or the inputs before squaring. Keep the loss from the exercise "
        "unchanged: only move the line that is outside the block.",
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
        "You turn the pairs into a dict, which keeps only one pair per index, but `x * x` has two "
        "with the same index. Loop over the pairs themselves.",
        walk(inputs=lambda pairs: dict(pairs).items()),
    ),
    "ways multiplied": Wrong(
        "You multiply by the gradient that an input already has. Slopes multiply along a path, but "
        "contributions add where paths meet: start at 0, and use `+=`.",
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
        "The gradients are right, but in reverse order. Put the gradient of the first number "
        "first.",
        walk(answer=lambda g, target: g[::-1]),
        walk(answer=lambda g, target: g[target::-1] + g[target + 1 :]),
    ),
    "ways do not add": Wrong(
        "If two paths lead to one number, the second contribution overwrites the first. Add to the "
        "gradient that is already there: use `+=` instead of `=`.",
        walk(lambda gradients, place, source, slope: gradients[place] * slope),
        walk(
            lambda gradients, place, source, slope: gradients[place] * slope,
            places=lambda count, target: reversed(range(target + 1)),
        ),
        last_way_kept,
    ),
    "handed on too early": Wrong(
        "A number passes its gradient back before that gradient is complete, or more than "
        "once. Visit each index exactly once, from the last to the first.",
        *(from_waiting(*options) for options in ((-1, True), (-1, False), (0, True), (0, False))),
        handed_on_at_once,
    ),
    "stops at a number without inputs": Wrong(
        "Your loop stops at a number without inputs, but such a number can be in the middle of the "
        "list. Continue with the earlier numbers.",
        stopping(lambda gradients, recorded, place: not recorded[place]),
    ),
    "stops at a gradient of 0": Wrong(
        "Your loop stops at a number whose gradient is 0: no path leads from that number to the "
        "target. Continue with the earlier numbers.",
        stopping(lambda gradients, recorded, place: not gradients[place]),
        stopping(
            lambda gradients, recorded, place: not gradients[place], lambda count, target: count - 1
        ),
    ),
    "place counted from the front": Wrong(
        "You reverse the list but count its indices from 0, so the indices do not match the "
        "entries. Loop over `reversed(range(len(recorded)))`, and use `recorded[place]`.",
        counted_from_the_end,
    ),
    "slope for a place": Wrong(
        "You use a slope as an index. Unpack each pair with the index first: `for source, "
        "slope in recorded[place]`.",
        lambda recorded, target: [0.0][recorded[target][0][1]],
    ),
    "first way alone": Wrong(
        "If two paths lead to one number, you keep only the contribution of the first. Add the "
        "contributions of all paths.",
        walk(lambda g, place, source, slope: g[source] or g[place] * slope),
    ),
    "walks forward": Wrong(
        "Your function stops at the inputs of the target: it loops forward, or a `return` "
        "inside the loop ends it. Loop backward over the indices, and return after the "
        "loop.",
        walk(places=lambda count, target: range(count)),
    ),
    "slopes added along a way": Wrong(
        "You add the slopes along a path. Multiply them: `gradients[place] * slope`.",
        walk(lambda g, place, source, slope: g[source] + g[place] + slope),
    ),
    "slope alone": Wrong(
        "You pass back only the slope, without the gradient of the number it belongs to. Pass back "
        "their product: `gradients[place] * slope`.",
        *(
            walk(lambda g, place, source, slope: g[source] + slope, places=places)
            for places in (up_to, lambda count, target: reversed(range(count)))
        ),
    ),
    "walks from the first number": Wrong(
        "These are the slopes of each number with respect to the first, computed in a forward "
        "pass. Start with a 1 at the target, and loop backward over the indices.",
        forwards,
    ),
    "starts at place 3": Wrong(
        "You always start at index 3, the target in the example. Start at `target`.",
        lambda recorded, target: walk()(recorded, 3)[: len(recorded)],
    ),
    "both_paths alone": Wrong(
        "The gradient of x is right, but the gradients of the numbers in between are missing. "
        "Keep each number's gradient in the list.",
        walk(answer=lambda g, target: [g[0]] + [0.0] * (len(g) - 1)),
    ),
    "starts at the last number": Wrong(
        "You start at the last number on the tape. Start with a 1 at `target`.",
        walk(start=lambda count, target: [0.0] * (count - 1) + [1.0]),
    ),
    "starts with zeros": Wrong(
        "Every gradient is 0 because the backward pass never starts from 1. Set "
        "`gradients[target] = 1.0` before the loop.",
        walk(start=lambda count, target: [0.0] * count),
    ),
    "starts with ones": Wrong(
        "You start every number with a 1. Start only the target with 1, and all others with 0.",
        walk(start=lambda count, target: [1.0] * count),
        walk(start=lambda count, target: [1.0] * count, places=up_to),
    ),
    "target left at 0": Wrong(
        "The gradient of the target with respect to itself should be 1, but your list has a "
        "different number there. Keep the 1 at `target`.",
        walk(answer=lambda g, target: [0.0 if i == target else x for i, x in enumerate(g)]),
    ),
    "first input alone": Wrong(
        "You pass the gradient back only to the first input of each number. Loop over all its "
        "inputs.",
        walk(inputs=lambda pairs: pairs[:1]),
    ),
    "target left out": Wrong(
        "The target passes nothing back to its inputs. Loop over `reversed(range(target + "
        "1))`, and for each input add `gradients[place] * slope` to `gradients[source]`.",
        walk(places=lambda count, target: reversed(range(target))),
        gathered,
    ),
    "last place left out": Wrong(
        "You leave out the last index, because `range(n)` ends before n. Use "
        "`reversed(range(len(recorded)))`.",
        walk(places=lambda count, target: reversed(range(count - 1))),
    ),
    "place 1 left out": Wrong(
        "Your loop ends before index 1, which can also have inputs. Use `range(target, -1, -1)`.",
        walk(places=lambda count, target: range(target, 1, -1)),
    ),
    "returned in the loop": Wrong(
        "Your loop ends after its first iteration, probably because a `return` is inside it. Move "
        "the `return` below the loop.",
        walk(places=lambda count, target: [count - 1]),
    ),
    "None where no way leads": Wrong(
        "For a number with no path to the target, your list has `None`, as TensorFlow's tape would "
        "return. Use 0 instead.",
        walk(answer=lambda g, target: [x or None for x in g]),
    ),
    "gradient of x alone": Wrong(
        "You returned one number, the gradient of the first number. Return the whole list.",
        walk(answer=lambda gradients, target: gradients[0]),
    ),
    "returned None": Wrong(
        "Your function returned `None`. Return the list of gradients.",
        walk(answer=lambda gradients, target: None),
    ),
}

MISTAKES = {"01.1": SLOPES, "01.2": SHAPES, "01.3": GRADIENTS, "01.4": LINES, "01.5": WALKS}

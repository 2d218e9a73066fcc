"""The message for each cause: what happened, what to write instead, and a line that shows it."""

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

__all__ = ["FINITE", "Cause", "Example", "loss_at"]


class Example(NamedTuple):
    """A line that loses a gradient, what to write instead, and the words that fill its message."""

    line: str
    instead: str
    words: Mapping[str, str] = {}
    because: str = ""  # what the cheat sheet says instead of the message


class Cause(Enum):
    """Every cause that the diagnosis can name, with its message.

    In the templates, ``{x}`` is the source, ``{y}`` the target, ``{op}`` the operation, and
    ``{line}`` the text of the line.

    Attributes
    ----------
    label : str
        The cause as users see it. Several causes may share one.
    says : str
        What happened.
    write : str
        The code to write instead.
    examples : tuple of Example
        Rows of the cheat sheet.
    """

    def __init__(self, label: str, says: str, write: str, *examples: Example) -> None:
        self.label, self.says, self.write, self.examples = label, says, write, examples

    NOT_WATCHED = (
        "not-watched",
        "`{tape}` did not watch `{x}`, so it did not record the operations that used `{x}`. A tape "
        "watches trainable variables automatically; anything else needs `{tape}.watch`.",
        "{tape}.watch({watchable})  # inside the block, before the first use of {x}",
        Example("y = x**2  # x = tf.constant(3.0)", "tape.watch(x)  # before y = x**2"),
    )
    ACCESS_NOT_WATCHED = (
        "not-watched",
        "`{tape}` was made with `watch_accessed_variables=False`, and `{tape}.watch` was not "
        "called for `{x}`.",
        "{tape}.watch({watchable})  # inside the block, before the first use of {x}",
        Example(
            "with tf.GradientTape(watch_accessed_variables=False) as tape:",
            "tape.watch(x)  # before the first use",
        ),
    )
    WATCH_RESET = (
        "not-watched",
        "`{tape}.reset()` cleared everything that `{tape}` was watching, including `{x}`, and "
        "nothing watched `{x}` again.",
        "{tape}.watch({watchable})  # again, after {tape}.reset()",
        Example(
            "tape.reset()  # after tape.watch(x)", "tape.watch(x)  # again, after tape.reset()"
        ),
    )
    NOT_TRAINABLE = (
        "not-trainable",
        "`{x}` is a variable with `trainable=False`. A tape watches only trainable variables "
        "automatically.",
        "{tape}.watch({watchable})  # inside the block; or make {x} with trainable=True",
        Example(
            "x = tf.Variable(3.0, trainable=False)", "x = tf.Variable(3.0)  # or tape.watch(x)"
        ),
    )
    WATCHED_LATE = (
        "watched-late",
        "`{x}` was used{used} before `{tape}.watch({x})` ran. Operations on `{x}` before that call "
        "were not recorded.",
        "{tape}.watch({x})  # as the first line inside the block",
        Example("tape.watch(x)  # after y = x**2", "tape.watch(x)  # before y = x**2"),
    )
    BEFORE_TAPE = (
        "outside-tape",
        "This line ran before `{tape}` began to record, so to the tape its result is a "
        "constant that does not depend on `{x}`.",
        "with tf.GradientTape() as {tape}:\n    {line}  # inside the block\n    ...",
        Example("z = x**2  # above the block", "z = x**2  # inside the block"),
    )
    KEPT_FROM_BEFORE = (
        "outside-tape",
        "This line uses `{kept}`, a tensor that was made from `{x}` before the block, so to the "
        "tape it is a constant. It was made at {made}.",
        "# compute it in the block each time, instead of keeping the tensor: {made_text}",
        Example(
            "self.kernel = tf.exp(self.x)  # in __init__, used in call",
            "self.kernel = tf.exp(self.x)  # in call",
            {"kept": "self.kernel", "x": "net.x"},
            "`self.kernel` was made from `self.x` in `__init__`, before the block, so to the tape "
            "it is a constant.",
        ),
    )
    AFTER_TAPE = (
        "outside-tape",
        "This line ran after the block of `{tape}` had ended, so it was not recorded and no "
        "gradient passes through it.",
        "with tf.GradientTape() as {tape}:\n    ...\n    {line}  # inside the block",
        Example("y = 2 * z  # after the block", "y = 2 * z  # inside the block"),
    )
    RECORD_RESET = (
        "outside-tape",
        "`{tape}.reset()` erased what had been recorded, including this line.",
        "{tape}.reset()  # before this line, not after it: {line}",
        Example(
            "tape.reset()  # after z = x**2",
            "tape.reset()  # before z = x**2",
            because="`tape.reset()` erased what had been recorded, including `z = x**2`.",
        ),
    )
    RECORDING_PAUSED = (
        "recording-paused",
        "This line ran inside `{tape}.stop_recording()`, so it was not recorded and no "
        "gradient passes through it.",
        "{line}  # outside the stop_recording block",
        Example(
            "y = x**2  # inside tape.stop_recording()", "y = x**2  # outside tape.stop_recording()"
        ),
    )
    LEFT_TENSORFLOW = (
        "left-tensorflow",
        "{way} turned a tensor into plain numbers. The result is a constant with no link to `{x}`.",
        "{rewritten}",
        Example("y = tf.constant(np.square(x))", "y = tf.square(x)", {"way": "`np.square(x)`"}),
    )
    LEFT_IN_PY_FUNCTION = (
        "left-tensorflow",
        "{way} turns the tensor into plain numbers inside `tf.py_function`. The gradient "
        "stops there, and `tf.py_function` reports it as 0, never as `None`.",
        "{rewritten}",
        Example(
            "y = tf.py_function(lambda a: np.square(a), [x], tf.float32)",
            "y = tf.py_function(lambda a: tf.square(a), [x], tf.float32)",
            {"way": "`np.square(a)`"},
        ),
    )
    SWAPPED_ARGUMENTS = (
        "swapped-arguments",
        "The arguments of `{tape}.gradient` are swapped: `{x}` was computed from `{y}`. The "
        "target comes first, then the sources.",
        "{tape}.gradient({x}, {y})  # target first, then the sources",
        Example("tape.gradient(x, y)", "tape.gradient(y, x)", {"x": "y", "y": "x"}),
    )
    INTEGER_SOURCE = (
        "integer-dtype",
        "`{x}` has dtype {dtype}. Only floating-point and complex tensors have gradients.",
        "{rewritten}",
        Example("x = tf.Variable(3)", "x = tf.Variable(3.0)", {"dtype": "int32"}),
    )
    INTEGER_CAST = (
        "integer-dtype",
        "This line casts to {dtype}. A cast to integers has no gradient.",
        "{rewritten}",
        Example(
            "y = tf.cast(tf.cast(x, tf.int32), tf.float32)",
            "y = x + tf.stop_gradient(tf.cast(tf.cast(x, tf.int32), tf.float32) - x)",
            {"dtype": "int32"},
            "A cast to integers has no gradient. The replacement has the same value and a slope of "
            "1, like the one for `tf.round` below.",
        ),
    )
    NO_GRADIENT_OP = (
        "no-gradient-op",
        "The operation {op} has no gradient, and every path from `{x}` to `{y}` passes "
        "through such an operation.",
        "{rewritten}",
        Example(
            "y = tf.round(x)",
            "y = x + tf.stop_gradient(tf.round(x) - x)",
            {"op": "Round"},
            "`tf.round` has no gradient. The replacement, called a straight-through estimator, has "
            "the same value and a slope of 1. Use it only if you want that slope.",
        ),
    )
    NO_SECOND_GRADIENT = (
        "no-gradient-op",
        "{op} is piecewise linear, so its first derivative is constant on each piece and does not "
        "depend on `{x}`. `{y}` was computed from that first derivative.",
        "{smooth}",
        Example(
            "z = tf.maximum(x, 0.0)  # y = inner.gradient(z, x), under an outer tape",
            "z = tf.nn.softplus(x)",
            {"op": "Maximum"},
            "`tf.maximum` is piecewise linear, so its first derivative does not depend on `x`, and "
            "`y` was computed from that derivative. (For `tf.nn.relu`, you get 0 instead of "
            "`None`.)",
        ),
    )
    GRADIENT_STOPPED = (
        "gradient-stopped",
        "`stop_gradient` passes the value but not the gradient, and no other path leads from "
        "`{x}` to `{y}`.",
        "{rewritten}",
        Example("y = tf.stop_gradient(x**2)", "y = x**2"),
    )
    ASSIGNED = (
        "state-assignment",
        "A value that depends on `{x}` was assigned to a variable here, and a variable stores only "
        "numbers. Reading it later starts a new path that does not lead back to `{x}`.",
        "value = ...  # the value itself, used in {y}\n{line}  # assign afterwards",
        Example("v.assign(x**2)  # then y = 2 * v", "v = x**2  # then y = 2 * v"),
    )
    STORED_IN_NEW_VARIABLE = (
        "state-assignment",
        "This line stored the value in a new variable. A variable holds only numbers, so no "
        "path leads from it back to `{x}`.",
        "# use the value itself, without tf.Variable, inside the block: {line}",
        Example("z = tf.Variable(x**2)  # above the block", "z = x**2  # inside the block"),
    )
    REBOUND_TO_TENSOR = (
        "rebound-source",
        "This line rebinds `{x}` to a new tensor. A tape watches trainable variables "
        "automatically, but it watches a plain tensor only if you call `watch`.",
        "{assign}",
        Example("x = x - 0.1", "x.assign_sub(0.1)"),
    )
    REBOUND_IN_LOOP = (
        "rebound-source",
        "This line rebinds `{x}` inside a loop in a `tf.function`. From the first iteration on, "
        "`{x}` is a tensor, and a tape does not watch tensors automatically.",
        "{assign}",
        Example(
            "x = x - 0.1 * gradient  # in a loop inside a tf.function",
            "x.assign_sub(0.1 * gradient)",
        ),
    )
    SOURCE_DERIVED = (
        "rebound-source",
        "`{x}` is a new tensor that was made here. `{y}` was computed from the original tensor or "
        "variable, not from this one. A tape follows tensors, not names.",
        "# ask for the gradient of the variable or tensor that {y} was computed from,\n"
        "# then slice or convert the gradient",
        Example("tape.gradient(y, x[0])", "tape.gradient(y, x)[0]", {"x": "x[0]"}),
    )
    COPY_FROM_BEFORE = (
        "rebound-source",
        "`{copy}` is a copy of `{x}` made before `{tape}` began to record, so `{y}` depends "
        "on the copy and not on `{x}`.",
        "with tf.GradientTape() as {tape}:\n    {line}  # inside the block",
        Example(
            "z = tf.convert_to_tensor(x)  # above the block; then y = z**2",
            "z = tf.convert_to_tensor(x)  # inside the block",
            {"copy": "z"},
        ),
    )
    EQUAL_VALUES = (
        "rebound-source",
        "`{y}` uses a tensor with the same values as `{x}`, probably a copy made before "
        "`{tape}` began to record. No recorded operation leads from `{x}` to `{y}`.",
        "# use {x} itself inside the block of {tape}",
        Example(
            "values.append(x.read_value())  # above the block; then y = values[0] ** 2",
            "values.append(x.read_value())  # inside the block",
            because="`y` uses a copy of `x` that was made before `tape` began to record, so no "
            "recorded operation leads from `x` to `y`.",
        ),
    )
    NEW_VARIABLE = (
        "rebound-source",
        "This line created a new variable named `{x}`, but `{y}` was computed with the old one.",
        "{x}.assign(...)  # change the value and keep the variable",
        Example("x = tf.Variable(2.9)  # after y = x**2", "x.assign(2.9)"),
    )
    NEW_MODEL = (
        "rebound-source",
        "This line created new variables, including `{x}`, but `{y}` was computed with the old "
        "ones.",
        "# make the model once, and use its variables throughout: {line}",
        Example(
            "model = make()  # after y = model(data)",
            "# delete this line, and keep the first model",
            {"x": "kernel"},
        ),
    )
    CONSTANT_TARGET = (
        "constant-target",
        "`{tape}` recorded no path to `{y}` from anything that it watches, so to the tape "
        "`{y}` is a constant.",
        "with tf.GradientTape() as {tape}:\n    ...  # compute {y} from {x} here",
        Example("y = tf.constant(9.0)", "y = x**2"),
    )
    USED_ELSEWHERE = (
        "unconnected",
        "`{x}` was used, but `{y}` was not computed from the result. Ruled out: {ruled_out}.",
        "# use the result of this line in {y}, or leave {x} out of the sources",
        Example("y = 2 * other  # z = x**2 is not used", "y = 2 * z"),
    )
    UNCONNECTED = (
        "unconnected",
        "`{y}` was not computed from `{x}`: no operation used `{x}`. Ruled out: {ruled_out}.",
        "# use {x} in the computation of {y}, or leave it out of the sources",
        Example("y = other**2  # without x", "y = x * other**2  # or leave x out of the sources"),
    )
    TWIN_MODEL = (
        "unconnected",
        "`{y}` was computed with `{other}`, but `{x}` belongs to `{owner}`, whose variables have "
        "the same names and were not used.",
        "{tape}.gradient({y}, {swapped})",
        Example(
            "tape.gradient(y, clone.trainable_variables)  # y = model(data)",
            "tape.gradient(y, model.trainable_variables)",
            {"other": "model", "owner": "clone", "x": "kernel"},
        ),
    )
    OTHER_MODEL = (
        "unconnected",
        "`{y}` was computed with `{other}`, but `{x}` belongs to `{owner}`, whose variables were "
        "not used.",
        "{tape}.gradient({y}, {swapped})",
        Example(
            "tape.gradient(y, second.trainable_variables)  # y = first(data)",
            "tape.gradient(y, first.trainable_variables)",
            {"other": "first", "owner": "second", "x": "kernel"},
        ),
    )
    NOT_RUN = (
        "unconnected",
        "This line did not run, so `{y}` was not computed from `{x}`. Its loop ended before "
        "reaching this line or was never entered, or its branch was not taken.",
        "# use a loop with a fixed number of iterations, or use {x} in an earlier line",
        Example("while y < 1.0: y = x * y  # y = 2.0", "for _ in range(3): y = x * y"),
    )
    OUTER_TAPE_MISSED = (
        "outer-tape-missed",
        "The first derivative was computed here, where `{tape}` does not record, so `{tape}` "
        "cannot differentiate it again.",
        "with tf.GradientTape() as {tape}:\n    ...\n    {line}  # inside the block of {tape}",
        Example(
            "y = inner.gradient(z, x)  # after the outer block",
            "y = inner.gradient(z, x)  # inside the outer block",
        ),
    )
    DATASET_IN_GRAPH = (
        "graph-loop",
        "Inside a `tf.function`, a loop over a dataset becomes the operation {op}, which has no "
        "gradient. Outside a `tf.function`, gradients pass through the same loop.",
        "for batch in dataset:  # outside the tf.function\n    step(batch)  # the tf.function",
        Example(
            "@tf.function  # loops over a dataset",
            "# remove the tf.function around the loop over the dataset",
            {"op": "ScanDataset"},
        ),
    )
    SATURATED = (
        "zero-saturated",
        "{op} is flat here: {why} (input: {values}). The gradient is zero because a small change "
        "in `{x}` does not change `{y}`.",
        "{remedy}",
        Example(
            "y = tf.nn.relu(x - 5)  # x = 3.0",
            "y = tf.nn.leaky_relu(x - 5)",
            {"op": "Relu", "why": "its input was zero or negative", "values": "-2"},
        ),
    )
    CLIPPED_PROBABILITIES = (
        "zero-saturated",
        "Keras clips probabilities to the range from {epsilon} to 1 - {epsilon}, and beyond it the "
        "loss is flat. Here, {why} (input: {values}).",
        "from_logits=True  # an option of the loss; give it logits, without softmax or sigmoid",
        Example(
            "y = keras.losses.categorical_crossentropy(t, tf.nn.softmax(x))  # x = [[0.0, 40.0]]",
            "y = keras.losses.categorical_crossentropy(t, x, from_logits=True)",
            {"epsilon": "1e-07", "why": "every input was above the upper limit", "values": "1"},
            "Keras clips probabilities to the range from 1e-07 to 1 - 1e-07. Outside this range, "
            "the loss is flat, and here both probabilities are outside.",
        ),
    )
    BRANCH_NOT_TAKEN = (
        "zero-branch",
        "`{x}` is used only in a branch of {op} that was not taken, so `{y}` does not depend on it "
        "here. {op} gives 0, but a Python `if` in eager code gives `None`.",
        "# nothing to change, unless the condition should have chosen the other branch",
        Example(
            "y = tf.where(x > 5.0, x**2, 1.0)  # x = 3.0",
            "y = tf.where(x > 2.0, x**2, 1.0)  # if you meant that",
            {"op": "tf.where"},
            "`x` is used only in the branch that `tf.where` did not choose, so `y` does not depend "
            "on `x` here. `tf.where` gives 0, but a Python `if` in eager code gives `None`.",
        ),
    )
    ZERO_DERIVATIVE = (
        "zero-derivative",
        "The derivative is zero at this point: {why}. {nothing_flat}",
        "{another}",
        Example(
            "x = tf.Variable(0.0)  # y = x**2 is flat there",
            "x = tf.Variable(3.0)  # at another point, the slope is not 0",
            {"why": "the slope of Pow is 0 for these inputs"},
            "The derivative really is zero at this point, so nothing is wrong. At another point, "
            "it is not zero.",
        ),
    )
    NO_SECOND_DERIVATIVE_OF_LABELS = (
        "zero-derivative",
        "`tf.nn.softmax_cross_entropy_with_logits` has no second derivative with respect to its "
        "labels. `{y}` was computed from its first derivative, which passes no gradient to the "
        "labels, so the gradient of `{x}` is 0.",
        (
            "-tf.reduce_sum({labels} * tf.nn.log_softmax({logits}), axis=-1)  # has derivatives of "
            "every order"
        ),
        Example(
            "z = tf.nn.softmax_cross_entropy_with_logits(x, w)  # y is computed from its gradient "
            "with respect to w",
            "z = -tf.reduce_sum(x * tf.nn.log_softmax(w), axis=-1)",
        ),
    )
    ZERO_SECOND_DERIVATIVE = (
        "zero-derivative",
        "{op} is piecewise linear, so its first derivative is constant on each piece and its "
        "second derivative is 0. `{y}` was computed from that first derivative.",
        "{smooth}",
        Example(
            "z = tf.nn.relu(x)  # y = inner.gradient(z, x), under an outer tape",
            "z = tf.nn.softplus(x)",
            {"op": "Relu"},
        ),
    )
    NOT_FINITE = (
        "not-finite",
        "In the backward pass, {op} is the first operation with a gradient that is {gradient} "
        "(input: {values}).{earlier}{unchosen}",
        "{remedy}",
        Example(
            "y = tf.sqrt(x)  # x = 0.0",
            "y = tf.sqrt(x + 1e-12)",
            {"op": "Sqrt", "gradient": "infinite", "values": "0"},
            "The slope of the square root is infinite at 0.",
        ),
        Example(
            "y = tf.where(x > 0.0, 1 / x, 0.0)  # x = 0.0",
            "y = tf.where(x > 0.0, 1 / tf.where(x > 0.0, x, 1.0), 0.0)",
            {"op": "RealDiv", "gradient": "NaN", "values": "1, 0"},
            "A gradient also passes through the branch that `tf.where` did not choose, multiplied "
            "by 0. Here the slope of that branch is infinite, and 0 times infinity is NaN.",
        ),
        Example(
            "y = tf.exp(50 * x) / tf.exp(49 * x)  # x = 3.0",
            "y = tf.exp(50 * x - 49 * x)",
            {"op": "RealDiv", "gradient": "NaN", "values": "inf, inf"},
            "`tf.exp` overflows to infinity, and infinity divided by infinity is NaN.",
        ),
    )
    NOT_FINITE_UNKNOWN = (
        "not-finite",
        "The gradient of `{x}` is not finite, but running the backward pass again did not single "
        "out one operation as the cause: {why}. Look for the first value that is not finite.",
        "tf.debugging.enable_check_numerics()  # stops at the first value that is not finite",
    )
    UNDETERMINED = (
        "undetermined",
        "No cause was found for `{x}`.{note}",
        "# make the program smaller until the gradient appears: what you removed last is the cause",
    )
    UNDETERMINED_IN_PY_FUNCTION = (
        "undetermined",
        "The gradient of `{x}` becomes 0 in tf.py_function, or before it. That function uses its "
        "own tape, which can be read only once, so the diagnosis did not examine anything before "
        "it. Use TensorFlow's own operations instead.",
        "# the same without tf.py_function, so that TensorFlow's functions can be seen: {line}",
    )


# The code that keeps an operation where its slope is finite.
FINITE = {
    "Sqrt": "tf.sqrt(x + 1e-12)",
    "Rsqrt": "tf.math.rsqrt(x + 1e-12)",
    "Log": "tf.math.log(tf.maximum(x, 1e-12))",
    "RealDiv": "tf.math.divide_no_nan(a, b)",
    "Div": "tf.math.divide_no_nan(a, b)",
    "Pow": "tf.pow(x + 1e-12, p)",
    "Exp": "tf.exp(tf.minimum(x, 80.0))",
    "Acos": "tf.acos(tf.clip_by_value(x, -1 + 1e-6, 1 - 1e-6))",
    "Asin": "tf.asin(tf.clip_by_value(x, -1 + 1e-6, 1 - 1e-6))",
    "Reciprocal": "tf.math.divide_no_nan(1.0, x)",
}


def loss_at(operation: str, dtype: str) -> str:
    """Say why an operation passes no gradient on to an input of this dtype.

    >>> loss_at("Round", "float32")
    'Round has no gradient.'
    """
    if not dtype.startswith(("float", "bfloat", "complex")):
        return f"{dtype} values have no gradient."
    return _LOSSES.get(operation, f"{operation} has no gradient.")


_LOSSES = {
    "StopGradient": "stop_gradient passes the value but not the gradient.",
    "PreventGradient": "This operation passes the value through, but does not allow a gradient.",
    "Cast": "A cast to integers has no gradient.",
    "PyFunc": "NumPy returns plain numbers, which have no gradient.",
}

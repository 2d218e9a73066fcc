"""What is said of each cause: what happened, and the code to write instead."""

__all__ = ["FINITE", "WORDS", "loss_at"]

# By the cause and, behind a space, its variant.
# {x} source, {y} target, {tape}, {op} operation, {line} text of the line.
WORDS = {
    "not-watched": (
        "Nothing told {tape} to watch {x}, so what was computed from it was not recorded. "
        "A tape watches trainable variables by itself, and a constant or other tensor only after "
        "{tape}.watch.",
        "{tape}.watch({watchable})  # inside the block, before the first use of {x}",
    ),
    "not-watched variable": (
        "{tape} was made with watch_accessed_variables=False, so it watches only what it is told "
        "to watch, and nothing told it to watch {x}.",
        "{tape}.watch({watchable})  # inside the block, before the first use of {x}",
    ),
    "not-watched reset": (
        "{tape}.reset() threw away that {tape} was told to watch {x}, and nothing told it again.",
        "{tape}.watch({watchable})  # again, after {tape}.reset()",
    ),
    "not-trainable": (
        "{x} is a variable with trainable=False, and a tape watches only trainable variables by "
        "itself.",
        "{tape}.watch({watchable})  # inside the block; or make {x} with trainable=True",
    ),
    "watched-late": (
        "{x} was used{used} before {tape}.watch({x}) ran, and what happened before that was not "
        "recorded.",
        "{tape}.watch({x})  # as the first line inside the block",
    ),
    "outside-tape after": (
        "This line ran after the block of {tape} had ended, so it was not recorded and no gradient "
        "gets through it.",
        "with tf.GradientTape() as {tape}:\n    ...\n    {line}  # inside the block",
    ),
    "outside-tape before": (
        "This line ran before {tape} began to record, so the tape knows its result only as a "
        "number that does not depend on {x}.",
        "with tf.GradientTape() as {tape}:\n    {line}  # inside the block\n    ...",
    ),
    "outside-tape reset": (
        "{tape}.reset() threw away what had been recorded, this line included.",
        "{tape}.reset()  # before this, not after it: {line}",
    ),
    "recording-paused": (
        "This line ran inside {tape}.stop_recording(), so it was not recorded and no gradient gets "
        "through it.",
        "{line}  # outside the stop_recording block",
    ),
    "left-tensorflow": (
        "{way} turns the tensor into plain numbers: what comes back is a constant that does not "
        "remember {x}. {inferred}",
        "{rewritten}",
    ),
    "swapped-arguments": (
        "{x} was computed from {y}, and not {y} from {x}: the arguments of {tape}.gradient are "
        "exchanged. It takes the target first, then the sources.",
        "{tape}.gradient({x}, {y})  # target first, then the sources",
    ),
    "integer-dtype own": (
        "{x} has dtype {dtype}. Only floating-point and complex tensors have gradients.",
        "{rewritten}",
    ),
    "integer-dtype": (
        "This line casts to {dtype}, and whole numbers have no gradient: the cast cannot be "
        "differentiated.",
        "{rewritten}",
    ),
    "no-gradient-op": (
        "The operation {op} has no gradient, and every way from {x} to {y} goes through such an "
        "operation.",
        "{rewritten}",
    ),
    "gradient-stopped": (
        "stop_gradient lets the value through and the gradient not, and no other way leads from "
        "{x} to {y}.",
        "{rewritten}",
    ),
    "state-assignment": (
        "The value that depends on {x} was assigned to a variable here. An assignment stores "
        "numbers: reading the variable afterwards gives no gradient to what was assigned.",
        "value = ...  # the value itself, used in {y}\n{line}  # assign afterwards",
    ),
    "rebound-source variable": (
        "This line makes {x} the name of a new tensor: it is no longer the variable that a tape "
        "watches by itself.",
        "{assign}",
    ),
    "rebound-source in loop": (
        "This line gives {x} another value in the loop of a graph, so {x} is a tensor from the "
        "first pass on, and not a variable that a tape watches by itself.",
        "{assign}",
    ),
    "rebound-source made": (
        "{x} is a new tensor made here, and {y} was not computed from it but from what it was made "
        "of. A tape follows tensors, not names.",
        "# ask for the gradient of the variable or tensor that {y} was computed from,\n"
        "# then slice or convert the gradient",
    ),
    "rebound-source copied": (
        "{copy} is a copy of {x} made before {tape} began to record, so {y} depends on the copy "
        "and not on {x}.",
        "with tf.GradientTape() as {tape}:\n    {line}  # inside the block",
    ),
    "rebound-source equal": (
        "{y} uses a tensor with the same values as {x}, but not {x} itself: a copy made before "
        "{tape} began to record. This is concluded from the equal values; no recorded operation "
        "leads from {x} to {y}.",
        "# use {x} itself inside the block of {tape}",
    ),
    "rebound-source new variable": (
        "This line made a new variable under the name {x}; {y} was computed with the one before.",
        "{x}.assign(...)  # change the value and keep the variable",
    ),
    "rebound-source new model": (
        "This line made new variables, {x} among them; {y} was computed with those from before.",
        "# make the model once, and use its variables throughout: {line}",
    ),
    "constant-target": (
        "{y} was not computed from anything that {tape} watches: to the tape it is a constant.",
        "with tf.GradientTape() as {tape}:\n    ...  # compute {y} from {x} here",
    ),
    "unconnected used": (
        "{x} was used, but {y} was not computed from the result. Ruled out: {x} not watched, an "
        "operation without gradient, NumPy, code outside the block.",
        "# use the result of this line in {y}, or leave {x} out of the sources",
    ),
    "unconnected": (
        "{y} was not computed from {x}: no operation used it. Ruled out: {x} not watched, "
        "an operation without gradient, NumPy, code outside the block.",
        "# use {x} in the computation of {y}, or leave it out of the sources",
    ),
    "outer-tape-missed": (
        "The first derivative was computed here, where {tape} does not record, so {tape} cannot "
        "differentiate it again.",
        "with tf.GradientTape() as {tape}:\n    ...\n    {line}  # inside the block of {tape}",
    ),
    "graph-loop": (
        "A dataset iterated inside a tf.function becomes the operation {op}, which has no "
        "gradient. The same loop outside a tf.function has one.",
        "for batch in dataset:  # outside the tf.function\n    step(batch)  # the tf.function",
    ),
    "zero-saturated": (
        "{op} is flat here: {why} (values {values}). The gradient is zero because no small change "
        "of {x} changes {y}.",
        "{remedy}",
    ),
    "zero-branch": (
        "{x} is used only in a branch of {op} that was not taken, so {y} does not depend on it "
        "here. In a graph that gives 0, where eager code gives None.",
        "# nothing to change, unless the condition should have chosen the other branch",
    ),
    "zero-derivative": (
        "The derivative is zero at this point: {why}. Ruled out: a dead ReLU or another flat "
        "operation, a branch not taken, a lost connection.",
        "# nothing is wrong here: try another value of {x} to see a gradient that is not zero",
    ),
    "not-finite": (
        "Going backwards, {op} is the first operation whose gradient is {gradient}, at input "
        "{values}.{earlier}{unchosen}",
        "{remedy}",
    ),
    "not-finite unknown": (
        "A gradient of {x} is not finite, but the backward pass run again could not name one "
        "operation: {why}.",
        "tf.debugging.enable_check_numerics()  # stops at the first value that is not finite",
    ),
    "undetermined": (
        "No cause was found for {x}. Ruled out: {x} not watched, an operation without gradient, an "
        "integer dtype, NumPy, an assignment, code outside the block.{note}",
        "# make the program smaller until the gradient appears: what went last is the cause",
    ),
}

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
        return f"{dtype} holds whole numbers, which have no gradient."
    return _LOSSES.get(operation, f"{operation} has no gradient.")


_LOSSES = {
    "StopGradient": "stop_gradient lets the value through and the gradient not.",
    "PreventGradient": "This operation lets the value through and refuses a gradient.",
    "Cast": "A cast to whole numbers has no gradient.",
    "PyFunc": "NumPy returns plain numbers, which have no gradient.",
}

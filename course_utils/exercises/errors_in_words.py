"""What errors of TensorFlow and Keras mean, in words that tell a learner what to change."""

import re

__all__ = ["cause_in_words"]

# What to write in TensorFlow instead of the methods of NumPy's arrays.
_NUMPY_METHODS = {
    **{name: f"tf.reduce_{name}" for name in ("max", "mean", "min", "sum")},
    **{name: f"tf.{name}" for name in ("argmax", "round", "squeeze", "transpose")},
    **dict.fromkeys(("flatten", "ravel"), "tf.reshape(y, [-1])"),
    "T": "tf.transpose",
    "astype": "tf.cast",
    "clip": "tf.clip_by_value",
    "dot": "a @ b for matrices, tf.tensordot(a, b, 1) for vectors",
    "reshape": "tf.reshape, or y[:, None] for a column",
    "std": "tf.math.reduce_std",
}

# What to write here instead of the methods of PyTorch's tensors, optimizers and modules.
_OF_TORCH = {
    "backward": "Call tape.gradient(loss, variables)",
    "detach": "Use tf.stop_gradient",
    "grad": "Use what tape.gradient returns",
    "item": "Use float(), after you have called tape.gradient",
    "parameters": "Use trainable_variables",
    "step": "Use optimizer.apply(gradients, variables)",
    "train": "Set the mode in each call instead: model(x, training=True)",
    "view": "Use tf.reshape",
    "zero_grad": "Leave it out, because tapes do not accumulate gradients",
}

# What is searched for in a message, and what that means; {0} is the first group. The first that is
# found counts.
_CAUSES = (
    (
        "^name '(tf|np|keras|layers|plt)' is not defined",
        "{0} is not defined. Run the notebook's first code cell, which imports it. If you deleted "
        "that cell, write the import again",
    ),
    # Of the tape.
    (
        r"but received None\.$|^Cannot convert the argument `type_value`: None",
        "the target or the source is None. If it is a gradient, its tape found no path: the tape "
        "must watch the source and record how the target is computed from it",
    ),
    (
        "^'NoneType' object has no attribute '_tape'$",
        "tape.watch runs before the tape begins to record. Call it inside the `with` block",
    ),
    (
        "^cannot unpack non-iterable NoneType|^object of type 'NoneType' has no len",
        "there is a None where a list is needed. For a single source without a path, "
        "`tape.gradient` returns a single None. Pass the target first, and then the list of "
        "sources",
    ),
    (
        "^'NoneType' object is not [si]"
        "|^'NoneType' object has no attribute '(?:copy|get|items|keys|values)'"
        "|must be a mapping, not NoneType$",
        "there is a None where a list, a dict or a tensor is needed. Look for a method that "
        "returns None (such as update, append or sort), a function without `return`, or a "
        "gradient whose tape found no path",
    ),
    (
        "^(unsupported operand|Attempt to convert).*NoneType|^'NoneType' object has no"
        "|^None values not supported",
        "there is a None where a tensor is needed. If it is a gradient, the tape found no path "
        "from its source to the target, or did not watch the source. Compute the target inside "
        "the block, and watch the source",
    ),
    (
        r"^'numpy\..*has no attribute '_id'$",
        "the target or the source is a NumPy array, so the computation left TensorFlow or never "
        "entered it. Use TensorFlow's functions, without NumPy or .numpy()",
    ),
    (
        r"^'([A-Z]\w*)' object has no attribute '_id'$",  # of a layer or a model
        "a tape takes tensors and variables, but here the target or the source is a {0}. For a "
        "layer or a model, the sources are its trainable_variables, and the target is a loss "
        "computed with it",
    ),
    # After the colon stands a number, such as -1.5, or nan or inf.
    (
        r"has no attribute '(dtype|_id)'$|^Cannot convert the argument `type_value`: [-\dni]",
        "a tape needs tensors, but here the target or the source is a plain number. Make a "
        "tf.Variable from a source before the `with` block, and compute the target from this "
        "variable with TensorFlow's functions, without float() or .numpy()",
    ),
    (
        "^Cannot convert the argument `type_value`",
        "the target or the source is neither a tensor nor a variable, but something else, such as "
        "a string or a function. Pass tensors or variables",
    ),
    (
        "A non-persistent GradientTape can only be used to compute one set",
        "you call `gradient` again on a non-persistent tape, which can be used only once. Ask for "
        "all sources in one call, or use `persistent=True` for several targets. For a second "
        "derivative, put one tape inside another",
    ),
    (
        "has no attribute '_type_enum'$",
        'unconnected_gradients="zero" fails for the variables of a Keras model. Take the gradients '
        "with respect to [v.value for v in variables], or replace None with zeros yourself",
    ),
    (
        "^'GradientTape' object has no attribute",
        "a tape has no such attribute. Use one of its methods: watch, gradient, jacobian, "
        "batch_jacobian, stop_recording, reset or watched_variables",
    ),
    (
        r"^'(?:function|method)' object has no attribute '(\w+)'",
        "a function has no attribute {0}. To get it from what the function returns, call the "
        "function first, with parentheses",
    ),
    (
        "'(method|function)'|non-iterable function",
        "you used a function where its result is needed. Call it, with parentheses",
    ),
    (
        "^'type' object does not support the context manager protocol",
        "`with` needs a tape, but this is the class. Make a tape with parentheses: "
        "tf.GradientTape()",
    ),
    (
        "^unsupported callable$",
        "unsupported callable. A function decorated with @tf.custom_gradient must return the value "
        "first, and then the backward function",
    ),
    (
        r"^custom_gradient function expected to return (\d+) gradients, but returned (\d+)",
        "the backward function returned {1} gradients, but it must return {0}, one for each "
        "argument that is a tensor, in the same order",
    ),
    # From optimizers and Keras.
    (
        "^Inputs must be an iterable of at least one Tensor",
        "tf.add_n got an empty list, as model.losses is for a model without penalties. Use "
        "sum(model.losses), which is then 0",
    ),
    (
        "^No gradients provided for any variable",
        "every gradient is None, so the tape found no path from the loss to the variables. "
        "Compute the whole loss inside the `with` block, from model(x), without NumPy or predict",
    ),
    (
        "Tensor' object has no attribute '_unique_id'$",
        "the optimizer got a tensor in place of a variable. It takes the gradients first, and "
        "then the variables",
    ),
    (
        r"^'(\w+)' object has no attribute '_unique_id'$",
        "the optimizer got a {0} in place of a variable. After the gradients it takes one flat "
        "list of variables, such as model.trainable_variables",
    ),
    (
        r"'zip' has no len\(\)|apply_gradients\(\) takes",
        "apply takes two lists, the gradients and then the variables. Only the older "
        "apply_gradients takes zip(gradients, variables)",
    ),
    (
        r"^'(?!(?:Eager|Symbolic)?Tensor)(\w+)' object is not iterable$",
        "a {0} is not a list, but a list is needed here. To an optimizer, pass the layer's "
        "trainable_variables, not the layer",
    ),
    (
        "^Unknown variable",
        "an optimizer takes only the variables that it got the first time, but here it gets a "
        "different variable. If you have several optimizers, always pass each one the same "
        "variables",
    ),
    (
        "object has no attribute 'reset_states'",
        "Keras no longer has reset_states. Use reset_state()",
    ),
    (
        "object has no attribute 'minimize'",
        "Keras optimizers no longer have minimize. Use a tape, and apply(gradients, variables)",
    ),
    # Of graphs.
    (
        "out of scope|because it was defined in FuncGraph",
        "a tensor made inside a graph's loop or branch does not exist outside it, not even in a "
        "Python list. Start a sum before the loop (for a gradient, tf.zeros_like(w)), and add to "
        "it in each iteration",
    ),
    (
        r"^'(\w+)' (?:is not allowed to be None|must be defined) before the loop",
        "in a loop inside a tf.function, {0} needs a value before the loop, and that value cannot "
        "be None. Start a sum at 0.0, and a sum of gradients at tf.zeros_like(w)",
    ),
    (
        r"ran into a UnboundLocalError: '(\w+)' is used before|local variable '(\w+)'",
        "{0} is read before it has a value. A line `{0} = ...` anywhere in a function makes {0} "
        "local to the function. To change a tf.Variable from outside, call its assign_sub or "
        "assign_add",
    ),
    (
        r"^tf\.function only supports singleton tf\.Variables",
        "a compiled function can create a variable only the first time that it is traced. Create "
        "the variable outside, and pass it as an argument",
    ),
    (
        r"^(Iterating over|Using) a symbolic `tf\.Tensor`",
        "inside a compiled function, Python can neither loop over a tensor nor test whether it is "
        "true. To loop, use tf.unstack or an index; to choose, use tf.where",
    ),
    # Of habits from NumPy.
    (
        "does not support item assignment$",
        "a tensor's entries cannot be set one by one. Make a new tensor: tf.where(condition, a, b) "
        "returns the entries of a where the condition holds, and those of b elsewhere",
    ),
    (
        "^only integer scalar arrays can be converted",
        "one integer is needed here, but this is an array or a tensor with several numbers. To "
        "read several entries, use x[condition] or tf.gather on a tensor, not on a list. To set "
        "several entries of a variable, make a new tensor with tf.where(condition, a, b), and "
        "assign it",
    ),
    (
        r"^Scalar tensor has no|^object of type '(?:float|int|ResourceVariable)' has no",
        "a single number, or a variable, has no length. Use the length of the array of examples, "
        "or the shape of the variable",
    ),
    (
        "Tensor'? object has no attribute 'assign",
        "this is a tensor, but only a tf.Variable can be assigned to. If a line such as `w = w - "
        "step` made it a tensor, use `w.assign_sub(step)` there",
    ),
    (
        r"^\w*Tensor object has no attribute|experimental_enable_numpy_behavior\(\)$",
        "this is a tensor, so it does not have the methods of a NumPy array. Use TensorFlow's "
        "functions: tf.reshape (or y[:, None] for a column), tf.transpose, tf.cast",
    ),
    (
        r"symbolic tf\.Tensor|Tensor' object has no attribute 'numpy'|not 'SymbolicTensor'$",
        "inside a compiled function, a tensor has no values yet for NumPy to read. Use "
        "TensorFlow's functions, without .numpy()",
    ),
    (
        "Only integers, slices",
        "square brackets take integers, slices, or one condition, but this is something else. To "
        "pick rows by a list or a tensor of indices, use tf.gather. To pick entries along one "
        "axis, use tf.boolean_mask(x, condition, axis=1)",
    ),
    (
        "The truth value of an array with more than one element is ambiguous",
        "a condition needs a single True or False, but this one has many entries. To choose entry "
        "by entry, use tf.where",
    ),
    # Of shapes, dtypes and values.
    (
        "^can't multiply sequence by non-int of type",
        "lists cannot be multiplied entry by entry, and `gradient` returns several gradients as a "
        "list. Multiply them one by one, or join them into one tensor",
    ),
    (
        "Shapes of all inputs must match|Ranks of all input tensors",
        "tensors of different shapes cannot be combined into one tensor. Use them one by one, or "
        "flatten each with tf.reshape(g, [-1]) and join the results with tf.concat",
    ),
    (
        # Which of the last two it is, the kernels for the processor decide.
        r"Shape must be rank 2.*MatMul|^In\[[01]\] .*(ndims must be [>=]= 2|different ndims)",
        "both sides of a matrix product must be matrices, but one of these is not. For a matrix "
        "times a vector, use tf.linalg.matvec(a, b); for two vectors, tf.tensordot(a, b, 1); to "
        "multiply by a number, a * b. A slice of one row, x[i : i + 1], is still a matrix",
    ),
    (
        r"^matmul: Input operand.*\(size (\d+) is different from (\d+)\)",
        "in a product a @ b, a must have as many columns as b has rows, but here b has {0} rows "
        "and a has {1} columns. Check the order of the factors, and whether to transpose one",
    ),
    (
        r"^Invalid reduction dimension \(?(-?\d+) for input with (\d+)",
        "axis {0} does not exist: the number of axes of this tensor is {1}. Axes are counted from "
        "0, so a vector has only axis 0",
    ),
    (
        r"^indices\[.*\] = (-?\d+) is not in \[0, (\d+)\)",
        "the index {0} is out of range for an axis with {1} entries, which are counted from 0. "
        "Check which axis you index, and how the indices are computed",
    ),
    (
        r"expected to be an? (\w+) tensor but is an? (\w+) tensor"
        r"|must have the same dtype, got tf\.(\w+) != tf\.(\w+)",
        "{0} and {1} are combined here, but TensorFlow converts neither automatically. Use tf.cast",
    ),
    (
        r"has type (\w+) that does not match type (\w+) of",
        "{0} and {1} are combined here, but TensorFlow converts neither automatically. Start a sum "
        "at 0.0, or use tf.cast",
    ),
    (
        "^`variable .= value` with",
        "to change a variable, use w.assign_add or w.assign_sub. For a sum that the tape records, "
        "make a new tensor: total = total + part",
    ),
    (
        "^Passed in object <Variable path",
        "`watch` does not take a Keras variable. Leave out the call for a trainable variable, "
        "which the tape watches automatically; otherwise, pass v.value",
    ),
    (
        r"Shape mismatch\.The variable shape (\([\d, ]*\)), "
        r"and the assigned value shape (\([\d, ]*\))"
        r"|Cannot update variable with shape (\[[\d,]*\]) using a Tensor with shape (\[[\d,]*\])",
        "the variable has shape {0}, but the assigned value has shape {1}. A variable keeps its "
        "shape, so assign a value of the same shape",
    ),
    (
        r"gradient registry has no entry for: (\w+)",
        (
            "{0} has no gradient, because TensorFlow has no rule for it. Use a different operation "
            "instead"
        ),
    ),
    (
        "^Value for attr 'Index' of bool",
        "a list of True and False cannot select entries of a tensor. Make the condition a tensor: "
        "x[tf.constant(condition)]",
    ),
    (
        "is not in the list of allowed values",
        "this operation does not accept values of this dtype. Look for an integer where a float is "
        "needed (write 2.0, not 2), ^ for a power (write **), or comparisons without parentheses "
        "(write (x > 0) & (x < 1))",
    ),
    (
        r"^OpKernel 'Pack' has constraint",
        "a list or tuple is used where a single tensor is needed. model.stateless_call returns two "
        "things: the output and the non-trainable variables. Unpack them",
    ),
    (
        r"^(?:`labels.shape` must equal `logits.shape` except|.* the same shape up until)"
        r".*?\.shape=(\([\d, ]*\)).*?\.shape=(\([\d, ]*\))",
        "the labels have shape {0}, and the logits {1}. The sparse loss takes one integer label "
        "for each row of logits: choose the same examples for both",
    ),
    (
        r"^`labels\.shape\.rank` must equal|^Argument `output` must have rank",
        "the sparse loss takes one integer label for each example, and then rows of logits or "
        'probabilities, in this order. For one-hot rows, use the loss without "sparse"',
    ),
    (
        "^logits and labels must be broadcastable"
        "|^Arguments `target` and `output` must have the same",
        "this loss takes a row of labels, such as a one-hot row, for each row of logits. For "
        "integer labels, use the sparse version of the loss",
    ),
    (
        r"Received a label value of (-?\d+) which is outside the valid range of (\[.*?\))",
        (
            "a label is {0}, but it must be in {1}, because it is the index of a column of the "
            "logits. Check the labels, or the number of columns"
        ),
    ),
)


def cause_in_words(error: dict) -> str | None:
    """Return in a learner's words what an error says in its own; None where that is not known.

    The error is an exception as `observe_calls` describes it.
    """
    # What was observed is no longer; a forged error could keep these searches going for ever.
    message, line = error["message"][:300], (error["line"] or "")[:300]
    if "values to unpack" in message and "apply_gradients(" in line:
        return (
            "apply_gradients takes pairs, zip(gradients, variables). optimizer.apply takes the two "
            "lists, gradients first"
        )
    is_unpacking = re.search(r"\w\s*,.*(=|\bin\b)", line.split("(")[0])
    if message == "too many values to unpack (expected 2)" and not is_unpacking:
        return (
            f"{message}. A function decorated with @tf.custom_gradient must return two things: the "
            "value and the backward function"
        )
    method = re.search(r"(?:Tensor|Variable)'? object has no attribute '(\w+)'", message)
    if method and method[1] == "astype" and "astype" not in line:
        return "Python's round is for plain numbers, but this is a tensor. Use tf.round"
    if method and method[1] in _NUMPY_METHODS:
        instead = _NUMPY_METHODS[method[1]]
        return f"{method[1]} is a method of NumPy arrays, but this is a tensor. Use {instead}"
    habit = re.search(r"(?:Tensor|Variable|^'[A-Z]\w*)'? object has no attribute '(\w+)'", message)
    if habit and habit[1] in _OF_TORCH:
        return f"{habit[1]} is from PyTorch, not TensorFlow. {_OF_TORCH[habit[1]]}"
    of_shapes = _shapes_in_words(message, line)
    if of_shapes is not None:
        return of_shapes
    for pattern, words in _CAUSES:
        found = re.search(pattern, message)
        if found:
            return words.format(*(group for group in found.groups() if group is not None))
    return None


_SHAPE = r"[\[(][\d,?]*[\])]"
_DIFFERING_SHAPES = (
    rf"Incompatible shapes: ({_SHAPE}) vs\. ({_SHAPE})",
    rf"Matrix size-incompatible: In\[0\]: ({_SHAPE}), In\[1\]: ({_SHAPE})",
    rf"Dimensions must be equal.* with input shapes: ({_SHAPE}), ({_SHAPE})",
    rf"Input 0: ({_SHAPE}) != input 1: ({_SHAPE})",
    rf"operands could not be broadcast together with shapes ({_SHAPE}) ({_SHAPE})",
)


def _shapes_in_words(message: str, line: str) -> str | None:
    """Say which two shapes do not go together, and the likely cause."""
    found = next(filter(None, (re.search(each, message) for each in _DIFFERING_SHAPES)), None)
    if found is None:
        return None
    one, other = ([n for n in text[1:-1].split(",") if n] for text in found.groups())
    shown = " and ".join(f"({', '.join(each)}{',' * (len(each) == 1)})" for each in (one, other))
    said = f"the shapes {shown} do not match"
    if "Matrix" in message or "MatMul" in message:
        turned = len(one) == len(other) == 2 and (one[0] == other[0] or one[1] == other[1])
        cause = (
            "Transpose one of them with tf.transpose"
            if turned
            else "Check both shapes and their order"
        )
        return f"{said}: in a product a @ b, a must have as many columns as b has rows. {cause}"
    if len(one) == len(other) == 2 and one[1] == other[0] and "*" in line:
        return f"{said}: `*` multiplies elementwise. For a matrix product, use `@`"
    short, long = sorted((one, other), key=len)
    if len(short) < len(long) and short == long[: len(short)]:
        return (
            f"{said}. A sum or mean over an axis drops that axis: keep it with keepdims=True, or "
            "make a column with y[:, None]"
        )
    if sorted(one) == sorted(other):
        return (
            f"{said}. Check whether one of them is transposed, or was reduced over the wrong axis"
        )
    return (
        f"{said}. Shapes are matched from the right. Print both, and find out where the unexpected "
        "one comes from"
    )

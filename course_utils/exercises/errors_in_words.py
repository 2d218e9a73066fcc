"""What TensorFlow's errors mean, in words that tell a learner what to change."""

import re

__all__ = ["cause_in_words"]


def cause_in_words(error: dict) -> str | None:
    """Return in a learner's words what TensorFlow says in its own; None where that is not known.

    Parameters
    ----------
    error : dict
        The ``type``, the ``message`` and the ``line`` of an exception, as `observe_calls` returns.
    """
    message = error["message"]
    if message.endswith(("'NoneType' object has no attribute '_id'", "but received None.")):
        return (
            "what is differentiated here is None. If it is a gradient itself, its tape found no "
            "path, because it must watch the source and record the way to the target"
        )
    if message.startswith("'numpy.") and message.endswith("has no attribute '_id'"):
        return (
            "the target is a NumPy number, so the computation left TensorFlow on its way. Use "
            "TensorFlow's functions, not NumPy's, and no .numpy()"
        )
    if message.startswith("Cannot convert the argument `type_value`"):
        return (
            "the target is a plain number, so the computation left TensorFlow on its way. Use "
            "TensorFlow's functions, and neither float() nor .numpy()"
        )
    if message.endswith(("has no attribute 'dtype'", "has no attribute '_id'")):
        return (
            "a tape needs tensors, and here the target or the source is a plain number. Make a "
            "tf.Variable from the number before the `with` block"
        )
    if "NoneType" in message and message.startswith(("unsupported operand", "Attempt to convert")):
        return (
            "there is a None where a number is needed. If it is a gradient, the tape found no path "
            "from its source to the target, or did not watch the source"
        )
    is_unpacking = re.search(r"\w\s*,.*(=|\bin\b)", (error["line"] or "").split("(")[0])
    if message == "too many values to unpack (expected 2)" and not is_unpacking:
        return (
            f"{message}. A function under @tf.custom_gradient returns two things, "
            "the value and the backward function"
        )
    if message == "unsupported callable":
        return (
            f"{message}. A function under @tf.custom_gradient returns the value first, "
            "and then the backward function"
        )
    if "is not in the list of allowed values" in message:
        return "this operation does not take such numbers (in Python, a power is **, and not ^)"
    return _cause_of_numpy_habit(message) or _cause_of_use(message)


_INSTEAD = {
    "reshape": "tf.reshape, or y[:, None] for a column",
    "T": "tf.transpose",
    "transpose": "tf.transpose",
    "astype": "tf.cast",
    "ravel": "tf.reshape(y, [-1])",
    "clip": "tf.clip_by_value",
    "mean": "tf.reduce_mean",
    "std": "tf.math.reduce_std",
    "sum": "tf.reduce_sum",
}


def _cause_of_numpy_habit(message: str) -> str | None:
    """Return in words where a tensor was used as one would use a NumPy array."""
    missing = re.search(r"(?:Tensor|Variable)'? object has no attribute '(\w+)'", message)
    if missing and missing[1] in _INSTEAD:
        name = missing[1]
        return f"{name} belongs to NumPy's arrays, and this is a tensor. Use {_INSTEAD[name]}"
    if message.endswith("experimental_enable_numpy_behavior()"):
        return (
            "this is a tensor, without the methods of NumPy's arrays. Use TensorFlow's functions: "
            "tf.reshape (or y[:, None] for a column), tf.transpose, tf.cast"
        )
    if "Only integers, slices" in message:
        return (
            "square brackets take whole numbers and slices, and here stands something else. Take "
            "rows by index, from a list or a tensor of them, with tf.gather"
        )
    if "The truth value of an array with more than one element is ambiguous" in message:
        return (
            "a condition needs one True or False, and this one has many entries. For a choice "
            "entry by entry use tf.where"
        )
    return None


_TODAY = {
    "reset_states": "reset_state()",
    "minimize": "a tape, and apply(gradients, variables)",
}


def _cause_of_use(message: str) -> str | None:
    """Return in words which rule of a tape, of Keras or of a matrix product was not kept."""
    if "A non-persistent GradientTape can only be used to compute one set" in message:
        return (
            "A non-persistent GradientTape answers once, and this one was asked again. Record with "
            "persistent=True, or with one tape for each question"
        )
    if "'zip' has no len()" in message or "apply_gradients() takes" in message:
        return (
            "apply takes two lists, the gradients and then the variables. Only the older "
            "apply_gradients takes zip(gradients, variables)"
        )
    if message.startswith("No gradients provided for any variable"):
        return (
            "No gradients provided for any variable: all are None. Compute the whole loss inside "
            "the `with` block, from model(x), and neither predict nor .numpy()"
        )
    renamed = re.search(r"object has no attribute '(reset_states|minimize)'", message)
    if renamed:
        return f"{renamed[1]} is gone from Keras. Use {_TODAY[renamed[1]]}"
    dtypes = re.search(r"expected to be an? (\w+) tensor but is an? (\w+) tensor", message)
    if dtypes:
        return (
            f"{dtypes[1]} and {dtypes[2]} meet here, and TensorFlow converts neither by itself. "
            "Use tf.cast"
        )
    is_product = "MatMul" in message and "Shape must be rank 2" in message
    if is_product or re.match(r"In\[[01]\] ndims must be >= 2", message):
        return (
            "both sides of a matrix product must be matrices, and one here is not. A matrix times "
            "a vector is tf.linalg.matvec"
        )
    return None

"""Names that are taken for one another, and what a call may lack: all that is known of libraries.

Nothing here is imported or called: these are words of programs.
"""

__all__ = ["LIKE_IT", "MAY_LACK", "WRAPPERS"]

# Each of a row may stand where another of it stands.
_ROWS = (
    "reduce_sum reduce_mean reduce_max",
    "sum mean max",
    "add subtract",
    "multiply divide",
    "maximum minimum",
    "argmax argmin",
    "assign assign_add assign_sub",
    "square abs sqrt",
    "sin cos",
    "sigmoid tanh softmax",
    "exp log",
    "gradient jacobian batch_jacobian",
    "clip_by_norm clip_by_global_norm clip_by_value",
    "zeros_like ones_like",
    "zeros ones",
    "trainable_variables trainable_weights non_trainable_variables variables",
    "keys values items",
    "append extend",
)
LIKE_IT: dict[str, list[str]] = {
    word: [other for other in row.split() if other != word] for row in _ROWS for word in row.split()
}
# By the last name of what is called: an argument that it may lack.
MAY_LACK: dict[str, list[str]] = {
    "GradientTape": ["persistent=True"],
    "reduce_sum": ["axis=0", "axis=1", "axis=-1", "keepdims=True"],
    "reduce_mean": ["axis=0", "axis=1", "axis=-1", "keepdims=True"],
    "argmax": ["axis=1"],
    "norm": ["axis=0", "axis=1"],
    "model": ["training=True", "training=False"],
    "range": [],
}
# What is often put around a value, or forgotten around it.
WRAPPERS = ("tf.reduce_sum", "tf.reduce_mean", "tf.square", "tf.sqrt", "tf.abs", "list", "float")

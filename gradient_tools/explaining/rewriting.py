"""The user's line as it should read, with the user's names."""

import ast

from .syntax import calls_in, last_name, parsed, replace_calls, rewrite_call

__all__ = ["as_float", "smooth", "with_assign", "without", "without_conversion"]

_ROUNDING = {"Round": "round", "Rint": "rint", "Floor": "floor", "Ceil": "ceil"}
_COMPARISONS = {"Greater", "GreaterEqual", "Less", "LessEqual", "Equal", "NotEqual"}
_FROM_NUMBERS = {"constant", "convert_to_tensor"}
# What NumPy's functions are called in TensorFlow, if not the same.
_OTHER_NAMES = {
    "mean": "tf.reduce_mean",
    "sum": "tf.reduce_sum",
    "prod": "tf.reduce_prod",
    "max": "tf.reduce_max",
    "min": "tf.reduce_min",
    "std": "tf.math.reduce_std",
    "var": "tf.math.reduce_variance",
    "log": "tf.math.log",
    "log1p": "tf.math.log1p",
    "dot": "tf.tensordot",
}
_SAME_NAMES = ("abs", "cos", "exp", "maximum", "minimum", "sin", "sqrt", "square", "tan", "tanh")
_IN_TENSORFLOW = {name: f"tf.{name}" for name in _SAME_NAMES} | _OTHER_NAMES
_SIMPLE = (ast.Name, ast.Attribute, ast.Subscript)


def without(function: str, line: str) -> str:
    """Return a line without the calls of a function, whose argument stays."""
    return rewrite_call(line, function) or f"# without {function}: {line}"


def without_conversion(way: str, line: str) -> str:
    """Return a line in which a tensor stays one; ``way`` is the call that converts it."""
    last = last_name(getattr(next(iter(calls_in(parsed(way))), None), "func", ast.Name("")))
    if last in ("predict", "predict_on_batch"):
        return line.replace(f".{last}(", "(").replace(", verbose=0", "")
    if last in ("numpy", "item", "tolist", "float", "asarray", "array"):
        changed = rewrite_call(line, last)
        if changed:
            return replace_calls(changed, _FROM_NUMBERS, _only_argument) or changed
    if last in _IN_TENSORFLOW and way.startswith(("np.", "numpy.")):
        changed = replace_calls(line, {last}, _by_tensorflow)
        if changed:
            return replace_calls(changed, _FROM_NUMBERS, _only_argument) or changed
    return f"# rewrite with TensorFlow's functions (tf.math, tf.reduce_mean, ...): {line}"


def _by_tensorflow(call: ast.Call) -> ast.expr:
    name = ast.parse(_IN_TENSORFLOW[last_name(call.func)], mode="eval").body
    return ast.Call(name, call.args, call.keywords)


def _only_argument(call: ast.Call) -> ast.expr:
    return call.args[0] if len(call.args) == 1 and not call.keywords else call


def as_float(name: str, line: str, makes_it: bool) -> str:
    """Return the line that makes an integer source, with floats in it.

    >>> as_float("n", "n = tf.Variable(4)", True)
    'n = tf.Variable(4.0)'
    """
    makers = {"Variable", "constant", "add_weight"}
    changed = replace_calls(line, makers, _of_floats) if makes_it else None
    return changed or f"{name} = tf.cast({name}, tf.float32)  # before the block; watch the result"


def _of_floats(call: ast.Call) -> ast.expr:
    has_dtype = any(each.arg == "dtype" for each in call.keywords) or len(call.args) > 1
    numbers = call.args and _as_floats(call.args[0])
    if numbers and not has_dtype:
        return ast.Call(call.func, [numbers], call.keywords)
    others = [each for each in call.keywords if each.arg != "dtype"]
    dtype = ast.keyword("dtype", ast.parse("tf.float32", mode="eval").body)
    return ast.Call(call.func, call.args[:1], [*others, dtype])


def _as_floats(node: ast.expr) -> ast.expr | None:
    """Return literal numbers as floats; None if they are no literals."""
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    floats = _floats(value)
    return None if floats is None else ast.parse(repr(floats), mode="eval").body


def _floats(value: object) -> object:
    if isinstance(value, (list, tuple)):
        parts = [_floats(each) for each in value]
        return None if None in parts else type(value)(parts)
    return float(value) if isinstance(value, (int, float)) else None


def smooth(operation: str, line: str) -> str:
    """Replace an operation without gradient by something that has a slope.

    >>> smooth("Round", "rounded = tf.round(w)")
    'rounded = w + tf.stop_gradient(tf.round(w) - w)  # passes the gradient on'
    """
    changed = None
    if operation in _ROUNDING:
        changed = _passed_through(line, _ROUNDING[operation])
    elif operation == "ArgMax" and any(isinstance(n, ast.Compare) for n in ast.walk(parsed(line))):
        return f"# a smooth loss, such as a cross-entropy, in place of {line}"
    elif operation == "ArgMax":
        changed = replace_calls(line, {"argmax"}, _as_softmax)
        changed = changed and f"{changed}  # and a smooth loss on it, such as a cross-entropy"
    elif operation in _COMPARISONS:
        changed = _smooth_step(line)
    return changed or f"# a differentiable operation in place of {operation}: {line}"


def _passed_through(line: str, function: str) -> str | None:
    """Return a line in which a rounding function passes the gradient on to its argument."""
    inner: list[str] = []

    def passed(call: ast.Call) -> ast.expr:
        if len(call.args) != 1:
            return call
        argument, shown = call.args[0], ast.unparse(call.args[0])
        if not isinstance(argument, _SIMPLE):
            inner.append(f"value = {shown}\n")
            argument, shown = ast.Name("value"), "value"
        rounded = ast.unparse(ast.Call(call.func, [argument], []))
        text = f"{shown} + tf.stop_gradient({rounded} - {shown})"
        return ast.parse(text, mode="eval").body

    changed = replace_calls(line, {function}, passed)
    if changed is None or len(inner) > 1:
        return None
    return f"{''.join(inner)}{changed}  # passes the gradient on"


def _as_softmax(call: ast.Call) -> ast.expr:
    axis = [each for each in call.keywords if each.arg == "axis"]
    softmax = ast.parse("tf.nn.softmax", mode="eval").body
    return ast.Call(softmax, call.args[:2], axis)


def _smooth_step(line: str) -> str | None:
    """Return a smooth step in place of the comparison that a line holds, if it holds one."""
    compared = (node for node in ast.walk(parsed(line)) if isinstance(node, ast.Compare))
    node = next((each for each in compared if len(each.ops) == 1), None)
    if node is None:
        return None
    left, right = node.left, node.comparators[0]
    if isinstance(node.ops[0], (ast.Lt, ast.LtE)):
        left, right = right, left
    if not isinstance(node.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
        return None
    difference = ast.unparse(ast.BinOp(left, ast.Sub(), right))
    return f"tf.sigmoid(10.0 * ({difference}))  # a smooth step, in place of {ast.unparse(node)}"


def with_assign(line: str) -> str:
    """Turn ``w -= g`` or ``w = w - g`` into an assignment that keeps the variable."""
    node = next(iter(parsed(line).body), None)
    is_structure = isinstance(getattr(node, "value", None), (ast.Dict, ast.List, ast.Tuple))
    if isinstance(node, ast.AugAssign) and not is_structure:
        method = {ast.Add: "assign_add", ast.Sub: "assign_sub"}.get(type(node.op), "assign")
        return f"{ast.unparse(node.target)}.{method}({ast.unparse(node.value)})"
    if isinstance(node, ast.Assign) and not is_structure:
        return f"{ast.unparse(node.targets[0])}.assign({ast.unparse(node.value)})"
    return "variable.assign(...)"

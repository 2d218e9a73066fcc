"""Put a finding into words, with the user's own names and lines."""

import ast
from typing import Any

from ..recording.places import Place
from .case import Case, Finding, Source
from .explanation import Explanation, Gradient
from .messages import CAUSES, FINITE
from .second_derivatives import COMPARISONS
from .syntax import last_name, parsed, rewrite_call, tree_of

__all__ = ["explanation_of"]

_UNCHOSEN = (
    " tf.where did not choose this branch, but sends it the gradient 0, and 0 times infinity is "
    "NaN."
)
_RULED_OUT = (
    " Ruled out: the source not watched, an operation without gradient, an integer dtype, NumPy, "
    "an assignment, code outside the block."
)
_SMOOTH = {
    **dict.fromkeys(
        ("Round", "Floor", "Ceil", "Rint"),
        "y = x + tf.stop_gradient(tf.math.{op}(x) - x)  # passes the gradient on",
    ),
    "ArgMax": "tf.nn.softmax(x)  # a smooth choice, in place of tf.argmax(x)",
    **dict.fromkeys(
        COMPARISONS, "tf.sigmoid(10.0 * (a - b))  # a smooth step, in place of the comparison a > b"
    ),
}
_STEEPER = {
    "Relu": "tf.nn.leaky_relu(x)  # or smaller weights and learning rate",
    "Sign": "tf.tanh(x)  # a smooth step, in place of tf.sign(x)",
}
_CURVED = {
    **dict.fromkeys(
        ("Relu", "Relu6", "LeakyRelu"),
        'tf.tanh(x)  # a smooth activation; in a Keras layer, activation="tanh"',
    ),
    "Abs": "tf.sqrt(x**2 + 1e-6)  # smooth, in place of tf.abs(x)",
    "Maximum": "b + tf.nn.softplus(a - b)  # smooth, in place of tf.maximum(a, b)",
    "Minimum": "a - tf.nn.softplus(a - b)  # smooth, in place of tf.minimum(a, b)",
}
_AGAIN_DERIVED = (
    "# a smooth function in place of one whose second derivative is 0, such as relu, abs or maximum"
)
_NOTHING_FLAT = (
    "Ruled out: a dead ReLU or another flat operation, a branch not taken, a lost connection."
)


def explanation_of(case: Case, source: Source, kind: Gradient, finding: Finding) -> Explanation:
    """Put a finding into words, with the user's own names."""
    place, facts, cause = finding.place, finding.facts, CAUSES[finding.key]
    line = place.text.partition("  #")[0].rstrip(":") if place else ""
    operation, earlier = facts.get("operation", ""), facts.get("earlier")
    inferred = (
        "This is read from the program's text: TensorFlow saw no operation lead from "
        f"{source.name} to {case.target_name}."
    )
    already = f" A value was already NaN or infinite going forwards, first at {earlier}."
    another = f"# compare with the gradient at another value of {source.name}: is it 0 there, too?"
    words = {
        **facts,
        "x": source.name,
        "y": case.target_name,
        "tape": case.tape_name,
        "op": operation,
        "line": line or "...",
        "watchable": source.watchable(case.sources_text),
        # What follows is empty where it does not apply.
        "used": f" ({facts['used']})" if facts.get("used") else "",
        "assign": _as_assignment(facts.get("statement", "")),
        "way": ast.unparse(facts["call"]) if "call" in facts else facts.get("way", ""),
        "inferred": inferred if "call" in facts else "",
        "rewritten": _rewritten(finding, source.name, line),
        "remedy": _better_numbers(facts, source.name),
        "earlier": already if earlier not in (None, place) else "",
        "unchosen": _UNCHOSEN if facts.get("unchosen") else "",
        "smooth": _CURVED.get(operation, f"# a smooth function in place of {operation}: {line}"),
        "ruled_out": "" if facts.get("of_derivative") else _NOTHING_FLAT,
        "another": _AGAIN_DERIVED if facts.get("of_derivative") else another,
        "note": _RULED_OUT,
    }
    if "error" in facts:  # nothing is ruled out by what was not examined
        words["note"] = f" The diagnosis stopped at {facts['error']}."
    if case.recorder.limited:
        words["note"] = f" The diagnosis is limited: {case.recorder.limited}."
    message = cause.says.format_map(words).strip()
    if message.startswith("the "):  # a name that the user gave keeps its letters
        message = message[0].upper() + message[1:]
    shown = "" if operation == "ReadVariableOp" else operation
    where = Place(place.file, place.line, shown) if place else None
    name = finding.key.split()[0]
    return Explanation(source.name, kind, name, where, message, cause.write.format_map(words))


def _rewritten(finding: Finding, name: str, line: str) -> str:
    """Return the line as it should read, as far as that can be told."""
    operation, call = finding.facts.get("operation", ""), finding.facts.get("call")
    if finding.key == "gradient-stopped":
        return _without("stop_gradient", line)
    if finding.key.startswith("left-tensorflow"):
        last = last_name(call.func) if call else ""
        if last in ("numpy", "item", "float"):
            return _without(last, line)
        if last in ("predict", "predict_on_batch"):
            return line.replace(f".{last}(", "(").replace(", verbose=0", "")
        return f"# the same with TensorFlow's functions (tf.math, tf.reduce_mean, ...): {line}"
    if finding.key == "integer-dtype own":
        makes_it = line.startswith(f"{name} = tf.Variable(") and line.endswith(")")
        if makes_it and "dtype" not in line:
            return f"{line[:-1]}, dtype=tf.float32)"
        return f"{name} = tf.cast({name}, tf.float32)  # before the block; watch the result"
    if finding.key == "integer-dtype":
        return rewrite_call(line, "cast") or f"# without the cast: {line}"
    if operation in COMPARISONS and not _compares(finding.place):
        return f"# a smooth function in place of what compares in this line: {line}"
    if operation in _SMOOTH:
        return _SMOOTH[operation].format(op=operation.lower())
    return f"# a differentiable operation in place of {operation}: {line}"


def _compares(place: Place | None) -> bool:
    """Tell whether the user wrote a comparison in a line."""
    functions = {"greater", "greater_equal", "less", "less_equal", "equal", "not_equal"}
    if place is None:
        return False
    for node in ast.walk(tree_of(place.file)):
        if isinstance(node, ast.expr) and node.lineno <= place.line <= (node.end_lineno or 0):
            called = isinstance(node, ast.Call) and last_name(node.func) in functions
            if called or isinstance(node, ast.Compare):
                return True
    return False


def _without(function: str, line: str) -> str:
    return rewrite_call(line, function) or f"# without {function}: {line}"


def _better_numbers(facts: dict[str, Any], name: str) -> str:
    if facts.get("unchosen"):
        both = f"{name}, 1.0" if facts["unchosen"] == "then" else f"1.0, {name}"
        return f"safe = tf.where(condition, {both})  # then compute the branch from safe"
    earlier = facts.get("earlier")
    operation = earlier.operation if earlier is not None else facts.get("operation", "")
    if operation in FINITE:
        return f"{FINITE[operation]}  # keeps the input of {operation} where its slope is finite"
    if "nan" in facts.get("values", ""):
        return "tf.debugging.assert_all_finite(data, 'data')  # a value was NaN before this line"
    otherwise = f"# bring the input of {operation} into the range where it has a slope"
    return _STEEPER.get(operation, otherwise)


def _as_assignment(line: str) -> str:
    """Turn ``w -= g`` or ``w = w - g`` into an assignment that keeps the variable."""
    node = next(iter(parsed(line).body), None)
    is_structure = isinstance(getattr(node, "value", None), (ast.Dict, ast.List, ast.Tuple))
    if isinstance(node, ast.AugAssign) and not is_structure:
        method = {ast.Add: "assign_add", ast.Sub: "assign_sub"}.get(type(node.op), "assign")
        return f"{ast.unparse(node.target)}.{method}({ast.unparse(node.value)})"
    if isinstance(node, ast.Assign) and not is_structure:
        return f"{ast.unparse(node.targets[0])}.assign({ast.unparse(node.value)})"
    return "variable.assign(...)"

"""Put a finding into words, with the user's own names and lines."""

import ast

from .case import Case, Finding, Source
from .explanation import Explanation
from .messages import FINITE, WORDS
from .places import Place
from .syntax import rewrite_call

__all__ = ["explanation_of"]

_UNCHOSEN = (
    " tf.where did not choose this branch, but sends it the gradient 0, and 0 times infinity is "
    "NaN."
)


def explanation_of(case: Case, source: Source, kind: str, finding: Finding) -> Explanation:
    """Put a finding into words, with the user's own names."""
    facts, place = finding.facts, finding.place
    key = finding.cause
    if key == "not-watched" and facts.get("variable"):
        key = "not-watched variable"
    elif key == "outside-tape":
        key = f"outside-tape {facts['when']}"
    elif key == "integer-dtype" and facts["own"]:
        key = "integer-dtype own"
    elif key == "rebound-source":
        key = f"rebound-source {facts['how']}"
    elif key == "unconnected" and facts["used"]:
        key = "unconnected used"
    elif key == "not-finite" and "operation" not in facts:
        key = "not-finite unknown"
    line = place.text.partition("  #")[0].rstrip(":") if place else ""
    words = {
        **facts,
        "x": source.name,
        "y": case.target_name,
        "tape": case.tape_name,
        "op": facts.get("operation", ""),
        "line": line or "...",
        "watchable": source.watchable(case.sources_text),
        "used": f" ({facts['used']})" if isinstance(facts.get("used"), Place) else "",
        "assign": _as_assignment(facts.get("statement", "")),
        "way": _way(facts),
        "inferred": ""
        if finding.sure
        else (
            "This is read from the program's text: TensorFlow saw no operation lead from "
            f"{source.name} to {case.target_name}."
        ),
        "rewritten": _rewritten(finding, line, source.name),
        "remedy": _better_numbers(facts, source.name),
        "earlier": _earlier(facts.get("earlier"), place),
        "unchosen": _UNCHOSEN if facts.get("unchosen") else "",
        "note": _note(case, facts),
    }
    message, remedy = WORDS[key]
    operation = facts.get("operation", "")
    shown = "" if operation == "ReadVariableOp" else operation
    where = place and Place(place.file, place.line, shown)
    return Explanation(
        source.name,
        kind,
        finding.cause,
        where,
        message.format_map(words).strip(),
        remedy.format_map(words),
    )


def _note(case: Case, facts: dict) -> str:
    if case.recording.limited:
        return f" The diagnosis is limited: {case.recording.limited}."
    return f" The diagnosis stopped at {facts['error']}." if "error" in facts else ""


def _way(facts: dict) -> str:
    if "call" not in facts:
        return facts.get("way", "")
    return f"{ast.unparse(facts['call'])}"


def _rewritten(finding: Finding, line: str, name: str) -> str:
    """Return the line as it should read, as far as that can be told."""
    operation = finding.facts.get("operation", "")
    if finding.cause == "gradient-stopped":
        return rewrite_call(line, "stop_gradient") or f"# without stop_gradient: {line}"
    if finding.cause == "left-tensorflow":
        call = finding.facts.get("call")
        last = getattr(call.func, "attr", getattr(call.func, "id", "")) if call else ""
        if last in ("numpy", "item", "float"):
            return rewrite_call(line, last) or f"# without {last}: {line}"
        if last in ("predict", "predict_on_batch"):
            return line.replace(f".{last}(", "(").replace(", verbose=0", "")
        return f"# the same with TensorFlow's functions (tf.math, tf.reduce_mean, ...): {line}"
    if finding.cause == "integer-dtype":
        if finding.facts["own"]:
            if line.startswith(f"{name} = tf.Variable(") and line.endswith(")"):
                if "dtype" not in line:
                    return f"{line[:-1]}, dtype=tf.float32)"
            return f"{name} = tf.cast({name}, tf.float32)  # before the block; watch the result"
        return rewrite_call(line, "cast") or f"# without the cast: {line}"
    if operation in ("Round", "Floor", "Ceil", "Rint"):
        rounded = f"tf.math.{operation.lower()}(x)"
        return f"y = x + tf.stop_gradient({rounded} - x)  # passes the gradient on"
    if operation == "ArgMax":
        return "tf.nn.softmax(x)  # a smooth choice, in place of tf.argmax(x)"
    if operation in ("Greater", "GreaterEqual", "Less", "LessEqual", "Equal", "NotEqual"):
        return "tf.sigmoid(10.0 * (a - b))  # a smooth step, in place of the comparison a > b"
    return f"# a differentiable operation in place of {operation}: {line}"


def _better_numbers(facts: dict, name: str) -> str:
    if facts.get("unchosen"):
        both = f"{name}, 1.0" if facts["unchosen"] == "then" else f"1.0, {name}"
        return f"safe = tf.where(condition, {both})  # then compute the branch from safe"
    earlier = facts.get("earlier")
    operation = earlier.operation if earlier is not None else facts.get("operation", "")
    if "nan" in facts.get("values", "") and operation not in FINITE:
        return "tf.debugging.assert_all_finite(data, 'data')  # a value was NaN before this line"
    if operation in FINITE:
        return f"{FINITE[operation]}  # keeps the input of {operation} where its slope is finite"
    return {
        "Relu": "tf.nn.leaky_relu(x)  # or smaller weights and learning rate",
        "Sign": "tf.tanh(x)  # a smooth step, in place of tf.sign(x)",
    }.get(operation, f"# bring the input of {operation} into the range where it has a slope")


def _as_assignment(line: str) -> str:
    """Turn ``w -= g`` or ``w = w - g`` into an assignment that keeps the variable."""
    try:
        node = ast.parse(line).body[0]
    except (SyntaxError, IndexError):
        return "variable.assign(...)"
    if isinstance(node, ast.AugAssign):
        methods = {ast.Add: "assign_add", ast.Sub: "assign_sub"}
        method = methods.get(type(node.op))
        if method:
            return f"{ast.unparse(node.target)}.{method}({ast.unparse(node.value)})"
        target = node.target
    elif isinstance(node, ast.Assign):
        target = node.targets[0]
    else:
        return "variable.assign(...)"
    return f"{ast.unparse(target)}.assign({ast.unparse(node.value)})"


def _earlier(earlier: Place | None, place: Place | None) -> str:
    if earlier is None or earlier == place:
        return ""
    return f" A value was already NaN or infinite going forwards, first at {earlier}."

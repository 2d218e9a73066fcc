"""Put a finding into words, with the user's own names and lines."""

import ast
import re
from typing import Any

from ..recording.places import Place
from .case import Case, Finding, Source
from .explanation import Explanation, Gradient
from .messages import CAUSES, FINITE
from .rewriting import as_float, smooth, with_assign, without, without_conversion
from .syntax import rewrite_call

__all__ = ["explanation_of"]

_UNCHOSEN = (
    " tf.where did not choose this branch, but sends it the gradient 0, and 0 times infinity is "
    "NaN."
)
_RULED_OUT = (
    " Ruled out: the source not watched, an operation without gradient, an integer dtype, NumPy, "
    "an assignment, code outside the block."
)
# What has no name in the program is no code.
_PLACEHOLDER = re.compile(r"`(the source|source \d+|the target|sources)`")
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
    line = _code_of(place).rstrip(":") if place else ""
    operation, earlier = facts.get("operation", ""), facts.get("earlier")
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
        "assign": with_assign(facts.get("statement", "")),
        "way": f"`{way}`" if (way := _way(finding)) else "This line",
        "made_text": _code_of(facts["made"]) if "made" in facts else "",
        "swapped": _as_twin(facts, case.sources_text),
        "rewritten": _rewritten(finding, source.name, line),
        "remedy": _better_numbers(facts, source.name),
        "earlier": already if earlier not in (None, place) else "",
        "unchosen": _UNCHOSEN if facts.get("unchosen") else "",
        "smooth": _CURVED.get(operation, f"# a smooth function in place of {operation}: {line}"),
        "nothing_flat": "" if facts.get("of_derivative") else _NOTHING_FLAT,
        "another": _AGAIN_DERIVED if facts.get("of_derivative") else another,
        "note": _RULED_OUT,
    }
    if "error" in facts:  # nothing is ruled out by what was not examined
        words["note"] = f" The diagnosis stopped at {facts['error']}."
    if case.recorder.limited:
        words["note"] = f" The diagnosis is limited: {case.recorder.limited}."
    message = _PLACEHOLDER.sub(r"\1", cause.says.format_map(words).strip())
    if not finding.is_sure:
        message = f"Perhaps {message[0].lower()}{message[1:]}"
    if message.startswith("the "):  # a name that the user gave keeps its letters
        message = message[0].upper() + message[1:]
    shown = "" if operation == "ReadVariableOp" else operation
    where = Place(place.file, place.line, shown) if place else None
    name = finding.key.split()[0]
    return Explanation(source.name, kind, name, where, message, cause.write.format_map(words))


def _code_of(place: Place) -> str:
    """Return a line of source without its comment."""
    return place.text.partition("  #")[0].rstrip()


def _rewritten(finding: Finding, name: str, line: str) -> str:
    """Return the line as it should read, as far as that can be told."""
    if finding.key == "gradient-stopped":
        return without("stop_gradient", line)
    if finding.key.startswith("left-tensorflow"):
        return without_conversion(_way(finding), line)
    if finding.key == "integer-dtype own":
        return as_float(name, line, line.startswith(f"{name} = "))
    if finding.key == "integer-dtype":
        return rewrite_call(line, "cast") or f"# without the cast: {line}"
    return smooth(finding.facts.get("operation", ""), line)


def _way(finding: Finding) -> str:
    """Return the code that turned a tensor into plain numbers; empty if the line shows none."""
    call = finding.facts.get("call")
    return ast.unparse(call) if call else finding.facts.get("way", "")


def _as_twin(facts: dict[str, Any], sources: str) -> str:
    """Return the sources as they should be written, of the model that was used."""
    owner, other = facts.get("owner", ""), facts.get("other", "")
    if owner and owner != sources and re.search(rf"\b{re.escape(owner)}\b", sources):
        return re.sub(rf"\b{re.escape(owner)}\b", other, sources)
    return f"{other}.trainable_variables" if facts.get("is_model") else other


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
